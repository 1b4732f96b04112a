//! The part of `cargo xtask bench route` that needs no labelled messages: what the index costs with
//! 100 to 20,000 skills on disk, through the same calls as `hone match`.

#![allow(clippy::cast_precision_loss, reason = "sizes of files are far below 2^52")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hone_library::{Catalogue, Config, Root, Search, State, Surroundings};
use hone_router::{Index, Ranking};

use crate::failure::{Doing, Failure};
use crate::generate::generate;
use crate::table::{Table, grouped};

const SIZES: [usize; 4] = [100, 1_000, 10_000, 20_000];

/// Messages of a typical length, about what the generated skills are about.
const MESSAGES: [&str; 4] = [
    "can you convert the csv export of last month into a table and check the totals against the invoice?",
    "our docker image got slow to build, please profile it and tell me what to change first",
    "review this pull request, it has many commits and touches the api schema",
    "what should go into the changelog of the next release?",
];

/// Times each message is asked.
const ROUNDS: usize = 5;

/// A table of build, load, query and update times, and of the size of the state.
pub(crate) fn sizes() -> Result<Table, Failure> {
    let mut table = Table::new(&[
        "skills",
        "first build",
        "opened again",
        "first message",
        "a message",
        "opened with one changed skill",
        "state.db",
    ]);
    for size in SIZES {
        eprintln!("indexing {} skills", grouped(size));
        let folder = tempfile::tempdir().doing(|| "make a temporary folder".to_owned())?;
        table.row(measured(folder.path(), size)?);
    }
    Ok(table)
}

fn measured(folder: &Path, size: usize) -> Result<[String; 7], Failure> {
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
        let start = Instant::now();
        let opened = Index::open(&state, &catalogue.roots, &catalogue.skills);
        (opened, start.elapsed())
    };
    let (_, built) = open(&catalogue);
    let (opened, again) = open(&catalogue);
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
    let changed = root.join(&names[size / 2]).join("SKILL.md");
    let text = fs::read_to_string(&changed).doing(|| format!("read `{}`", changed.display()))?;
    fs::write(&changed, text + "\nOne more line.\n")
        .doing(|| format!("write `{}`", changed.display()))?;
    let catalogue = find()?;
    let (opened, update) = open(&catalogue);
    if opened.read != 1 {
        return Err(Failure::Unmet(format!("{} skills were read for one change", opened.read)));
    }
    let bytes: u64 = ["state.db", "state.db-wal"]
        .iter()
        .filter_map(|file| fs::metadata(around.hone_home.join(file)).ok())
        .map(|metadata| metadata.len())
        .sum();
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    Ok([
        grouped(size),
        ms(built),
        ms(again),
        ms(first),
        ms(times[times.len() / 2]),
        ms(update),
        format!("{:.1} MB", bytes as f64 / 1e6),
    ])
}
