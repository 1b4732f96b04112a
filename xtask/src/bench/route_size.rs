//! The part of `cargo xtask bench route` that needs no labelled messages: what the index costs with
//! 100 to 20,000 skills on disk, through the same calls as `hone match`.

#![allow(clippy::cast_precision_loss, reason = "sizes of files are far below 2^52")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hone_library::{Catalogue, Config, Root, Search, State, Surroundings};
use hone_router::{Index, Ranking, SUITE_FILE, unreached_by_description};
use serde_json::json;

use crate::bench::generate::generate;
use crate::bench::table::{Table, grouped};
use crate::failure::{Doing, Failure};

/// Numbers of skills, unless others are asked for.
pub(crate) const SIZES: [usize; 4] = [100, 1_000, 10_000, 20_000];

/// Messages of a typical length, about what the generated skills are about.
const MESSAGES: [&str; 4] = [
    "can you convert the csv export of last month into a table and check the totals against the invoice?",
    "our docker image got slow to build, please profile it and tell me what to change first",
    "review this pull request, it has many commits and touches the api schema",
    "what should go into the changelog of the next release?",
];

/// Times each message is asked.
const ROUNDS: usize = 5;

/// Times the index is opened, and one skill changed.
const OPENINGS: usize = 12;

/// The most skills of which every description is asked, as `hone eval triggers --all` does.
const MAX_ASKED: usize = 1_000;

/// A table of build, load, query and update times, and of the size of the state.
pub(crate) fn sizes(sizes: &[usize]) -> Result<Table, Failure> {
    let mut table = Table::new(&[
        "skills",
        "first build (CPU)",
        "opened again (CPU)",
        "first message",
        "a message",
        "with one changed skill (CPU)",
        "taking it in (CPU)",
        "every description asked (CPU)",
        "first message, with suites (CPU)",
        "state.db",
    ]);
    for &size in sizes {
        eprintln!("indexing {} skills", grouped(size));
        let folder = tempfile::tempdir().doing(|| "make a temporary folder".to_owned())?;
        table.row(measured(folder.path(), size)?);
    }
    Ok(table)
}

fn measured(folder: &Path, size: usize) -> Result<[String; 10], Failure> {
    let root = folder.join("skills");
    let names = generate(&root, size)?;
    let around = Surroundings {
        cwd: folder.to_owned(),
        user_home: folder.to_owned(),
        hone_home: folder.join("home"),
        platform: "linux".to_owned(),
        moved: std::collections::BTreeMap::new(),
    };
    let state = State::open(&around.hone_home);
    let find = || -> Result<Catalogue, Failure> {
        let root = Root::explicit(&root, &around.cwd)
            .map_err(|error| Failure::Unmet(error.to_string()))?;
        Ok(Catalogue::find(Search::only(vec![root], &around, &Config::default()), &state))
    };
    let catalogue = find()?;
    let open = |catalogue: &Catalogue| {
        let start = Spent::now();
        let opened = Index::open(&state, &catalogue.roots, &catalogue.skills);
        (opened, start.since())
    };
    let (_, built) = open(&catalogue);
    let again = (0..OPENINGS).map(|_| open(&catalogue).1).min().unwrap_or_default();
    let opened = open(&catalogue).0;
    let mut times: Vec<Duration> = Vec::new();
    for message in MESSAGES.iter().cycle().take(MESSAGES.len() * ROUNDS) {
        let start = Instant::now();
        let matches = Ranking::new(&opened.index, message).matches(10, |_| true);
        times.push(start.elapsed());
        if matches.is_empty() {
            return Err(Failure::Unmet(format!("`{message}` found nothing")));
        }
    }
    let first = times[0];
    times.sort_unstable();
    let asked = (size <= MAX_ASKED).then(|| {
        let described = catalogue.skills.iter().map(|skill| skill.summary.description.as_str());
        let described: Vec<(usize, &str)> = described.enumerate().collect();
        let start = Spent::now();
        unreached_by_description(&opened.index, &described);
        start.since()
    });
    let mut update = Vec::new();
    for name in names.iter().skip(size / 2).take(OPENINGS) {
        let changed = root.join(name).join("SKILL.md");
        let text =
            fs::read_to_string(&changed).doing(|| format!("read `{}`", changed.display()))?;
        fs::write(&changed, text + "\nOne more line.\n")
            .doing(|| format!("write `{}`", changed.display()))?;
        // Until the clock of files has moved on, the file counts as changing.
        while hone_library::derived::mark(&changed).is_none() {
            std::thread::yield_now();
        }
        let catalogue = find()?;
        let (opened, took) = open(&catalogue);
        if opened.read != 1 {
            return Err(Failure::Unmet(format!("{} skills were read for one change", opened.read)));
        }
        update.push(took);
    }
    let update = update.into_iter().min().unwrap_or_default();
    write_suites(&root, &catalogue)?;
    let catalogue = find()?;
    let calibrating = MESSAGES.iter().map(|message| {
        // Each index calibrates anew.
        let fresh = (0..ROUNDS).map(|_| {
            let opened = open(&catalogue).0;
            let start = Spent::now();
            Ranking::new(&opened.index, message).matches(10, |_| true);
            start.since()
        });
        fresh.min().unwrap_or_default()
    });
    let calibrating = calibrating.max().unwrap_or_default();
    let bytes: u64 = ["state.db", "state.db-wal"]
        .iter()
        .filter_map(|file| fs::metadata(around.hone_home.join(file)).ok())
        .map(|metadata| metadata.len())
        .sum();
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let both = |spent: Spent| format!("{} ({})", ms(spent.wall), ms(spent.cpu));
    Ok([
        grouped(size),
        both(built),
        both(again),
        ms(first),
        ms(times[times.len() / 2]),
        both(update),
        both(update.beyond(again)),
        asked.map_or("–".to_owned(), both),
        both(calibrating),
        format!("{:.1} MB", bytes as f64 / 1e6),
    ])
}

/// Gives every skill a suite: what it says of itself should call it, what the next one says should not.
fn write_suites(root: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    let says = |at: usize| {
        let skill = &catalogue.skills[at % catalogue.skills.len()].summary;
        let sentence = skill.description.split(". ").next().unwrap_or_default();
        [skill.name.replace('-', " "), sentence.to_owned(), skill.description.clone()]
    };
    for (at, skill) in catalogue.skills.iter().enumerate() {
        let of = |place: usize, should_trigger: bool| {
            says(place).map(|query| json!({ "query": query, "should_trigger": should_trigger }))
        };
        let cases = [of(at, true), of(at + 1, false)].concat();
        let file = root.join(&skill.summary.name).join(SUITE_FILE);
        fs::write(&file, json!(cases).to_string())
            .doing(|| format!("write `{}`", file.display()))?;
    }
    Ok(())
}

/// Time on the clock and on the processors; the second hardly depends on what else runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Spent {
    cpu: Duration,
    wall: Duration,
}

impl Spent {
    fn now() -> Self {
        let read = |clock| {
            let now = rustix::time::clock_gettime(clock);
            let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
            Duration::new(now.tv_sec.unsigned_abs(), nanoseconds)
        };
        let cpu = read(rustix::time::ClockId::ProcessCPUTime);
        Self { cpu, wall: read(rustix::time::ClockId::Monotonic) }
    }

    fn since(self) -> Self {
        Self::now().beyond(self)
    }

    fn beyond(self, other: Self) -> Self {
        let cpu = self.cpu.saturating_sub(other.cpu);
        Self { cpu, wall: self.wall.saturating_sub(other.wall) }
    }
}
