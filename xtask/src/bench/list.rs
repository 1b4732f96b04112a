//! `cargo xtask bench`: how fast `hone` lists skills, against the least the same machine could do
//! and against other programs, each row with the command that made it. A missed target is marked,
//! not an error: benchmarks are not tests.

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::bench::corpus::{self, Share};
use crate::bench::generate::generate;
use crate::bench::measure::{Subject, Times, in_turns};
use crate::bench::options::Options;
use crate::bench::peers::{PEERS, Sight, make_project};
use crate::bench::table::{Table, grouped};
use crate::command::{capture, quoted};
use crate::failure::{Doing, Failure};
use crate::workspace;

/// A warm list may take this many times as long as `find` over the same folder.
const MAX_WARM_RATIO: f64 = 2.0;
/// A cold list may take this many times as long as reading the first 4 KiB of each file.
const MAX_COLD_RATIO: f64 = 3.0;
/// The most memory a list of 10,000 skills may take, in megabytes of 1,000,000 bytes.
const MAX_PEAK_MB: f64 = 40.0;
/// `hone --version` may take this many milliseconds more than `/bin/true`.
const MAX_STARTUP_MS: f64 = 3.0;
/// The most system calls a warm list may make for each skill, start-up included.
const MAX_CALLS_PER_SKILL: f64 = 6.0;

/// The variables that every measured command gets; the first lines of the report set them.
const FIXED_VARIABLES: [&str; 3] = ["PATH", "HOME", "LC_ALL"];
/// Starting a process is short and noisy: that comparison is made this many times as often.
const STARTUP_RUNS_FACTOR: usize = 5;
/// Where the corpus is looked for when no folder is named, from the workspace's root.
pub(crate) const DEFAULT_CORPUS: &str = "../shared/corpus";
/// How many rows that are not as expected are printed.
const MAX_MISMATCHES: usize = 10;
/// The depth at which the corpus is listed: deeper than its deepest file.
const CORPUS_DEPTH: &str = "32";

/// Measures everything and prints the tables.
pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let bench = Bench::new(options.runs)?;
    let mut tables = Tables::new();
    for &size in &options.sizes {
        bench.listing(size, options.peers, &mut tables)?;
    }
    let startup = bench.startup()?;
    let corpus = bench.corpus(options.corpus.as_deref())?;

    println!("{}", bench.setting(&options.sizes));
    println!("### Listing\n\n{}", tables.listing);
    for note in &tables.notes {
        println!("- {note}");
    }
    println!("\n### Peak memory\n\n{}", tables.memory);
    println!("### System calls\n\n{}", tables.calls);
    println!("### Start-up\n\n{} processes each:\n\n{startup}", options.runs * STARTUP_RUNS_FACTOR);
    println!("### Real skills\n\n{corpus}");
    Ok(())
}

/// The tables that grow with every size.
struct Tables {
    listing: Table,
    memory: Table,
    calls: Table,
    /// What could not be measured, and why.
    notes: Vec<String>,
}

impl Tables {
    fn new() -> Self {
        Self {
            listing: Table::new(&[
                "skills", "what", "command", "listed", "median", "min", "against", "target",
            ]),
            memory: Table::new(&["skills", "what", "command", "peak", "target"]),
            calls: Table::new(&["skills", "command", "calls", "per skill", "target"]),
            notes: Vec::new(),
        }
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// The programs to measure and a temporary folder to measure them in.
struct Bench {
    folder: PathBuf,
    hone: PathBuf,
    floor: PathBuf,
    runs: usize,
    /// Removes the folder when the bench ends.
    _guard: tempfile::TempDir,
}

impl Bench {
    fn new(runs: usize) -> Result<Self, Failure> {
        let release = super::programs()?;
        let guard = tempfile::Builder::new()
            .prefix("hone-bench-")
            .tempdir()
            .doing(|| "make a temporary folder".to_owned())?;
        let folder = guard.path();
        let folder = folder
            .canonicalize()
            .and_then(|folder| fs::create_dir(folder.join("home")).map(|()| folder))
            .doing(|| format!("use `{}`", folder.display()))?;
        Ok(Self {
            folder,
            hone: release.join("hone"),
            floor: release.join("xtask"),
            runs,
            _guard: guard,
        })
    }

    /// A command with a fixed, small environment: cargo's own variables would slow down the
    /// dynamic loader, and the user's configuration must not matter.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.join("home"))
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        command
    }

    fn list(&self, root: &Path, state: &Path) -> Command {
        let mut command = self.command(&self.hone);
        command.env("HONE_HOME", state).args(["list", "--json", "--root"]).arg(root);
        command
    }

    /// The line to type for `subject`, started by `wrapper`, after the lines of [`Bench::setting`].
    fn line(&self, subject: &Subject, wrapper: &str) -> String {
        let short = |text: &OsStr| {
            let text = text.to_string_lossy();
            quoted(&text.replace(&*self.folder.to_string_lossy(), "$T"))
        };
        let command = &subject.command;
        let mut words = Vec::new();
        if let Some(folder) = &subject.reset {
            words.push(format!("rm -rf {};", short(folder.as_os_str())));
        }
        for (name, value) in command.get_envs() {
            if let Some(value) =
                value.filter(|_| !FIXED_VARIABLES.iter().any(|&fixed| name == fixed))
            {
                words.push(format!("{}={}", name.to_string_lossy(), short(value)));
            }
        }
        if !wrapper.is_empty() {
            words.push(wrapper.to_owned());
        }
        let program = Path::new(command.get_program());
        let on_path = [self.hone.as_path(), self.floor.as_path()].contains(&program);
        let name = program.file_name().filter(|_| on_path);
        words.push(short(name.unwrap_or(command.get_program())));
        words.extend(command.get_args().map(short));
        format!("`{}`", words.join(" "))
    }

    /// The machine, and what to type before any of the lines in the tables.
    fn setting(&self, sizes: &[u32]) -> String {
        let cores = thread::available_parallelism().map_or(0, usize::from);
        let mut text = format!(
            "## Benchmarks\n\n{cores} cores ({}), Linux {}, load {} at the end. Wall time of {} fresh \
             processes after one to warm the page cache, programs that are compared taking turns, \
             standard output to `/dev/null`. The commands below run after these:\n\n```console\n\
             $ cargo build --release --locked -p hone -p xtask --features xtask/bench\n\
             $ T=$(mktemp -d); mkdir $T/home\n\
             $ export PATH=\"$PWD/target/release:$PATH\" HOME=$T/home LC_ALL=C.UTF-8\n",
            processor(),
            first("/proc/sys/kernel/osrelease", '-'),
            first("/proc/loadavg", ' '),
            self.runs
        );
        for size in sizes {
            let _ = writeln!(text, "$ xtask generate $T/{size} {size}");
        }
        text + "```\n"
    }

    /// All rows for one number of skills.
    fn listing(&self, size: u32, peers: bool, tables: &mut Tables) -> Result<(), Failure> {
        let skills = grouped(size);
        eprintln!("measuring {skills} skills");
        let root = self.folder.join(size.to_string());
        let names = generate(&root, usize::try_from(size).unwrap_or(usize::MAX))?;
        let cold_state = self.folder.join("cold");

        let mut find = self.command("find");
        find.arg(&root).args(["-name", "SKILL.md", "-printf", r"%p %s %T@\n"]);
        let mut find = lasting(find);
        let mut warm = lasting(self.list(&root, &self.folder.join(format!("state-{size}"))));
        let mut read = self.command(&self.floor);
        read.arg("floor-read").arg(&root);
        let mut read = lasting(read);
        let mut cold = Subject { command: self.list(&root, &cold_state), reset: Some(cold_state) };

        let listed = [
            self.printed(&mut find)?.lines().count(),
            skills_in(&self.printed(&mut warm)?)?,
            first_number(&self.printed(&mut read)?),
            skills_in(&self.printed(&mut cold)?)?,
        ];
        let [find_times, warm_times] = in_turns([&mut find, &mut warm], self.runs)?;
        let [read_times, cold_times] = in_turns([&mut read, &mut cold], self.runs)?;
        let rows = [
            ("floor: names, sizes, times", &find, &find_times, None),
            ("hone, warm", &warm, &warm_times, Some((&find_times, MAX_WARM_RATIO))),
            ("floor: first 4 KiB of each", &read, &read_times, None),
            ("hone, cold", &cold, &cold_times, Some((&read_times, MAX_COLD_RATIO))),
        ];
        for ((what, subject, times, floor), listed) in rows.into_iter().zip(listed) {
            let (against, target) = match floor {
                None => ("–".to_owned(), "–".to_owned()),
                Some((floor, limit)) => {
                    let ratio = ratio(times, floor);
                    (format!("{ratio:.2} × floor"), target(ratio, limit, " ×"))
                }
            };
            tables.listing.row([
                skills.clone(),
                what.to_owned(),
                self.line(subject, ""),
                grouped(listed),
                milliseconds(times.median()),
                milliseconds(times.min()),
                against,
                target,
            ]);
        }
        if peers {
            self.peers(size, &root, &names, &warm_times, tables)?;
        }
        for (what, subject) in [("warm", &mut warm), ("cold", &mut cold)] {
            let (peak, target) = match subject.peak_kib(&self.folder.join("report"))? {
                None => ("not measured: there is no GNU `time`".to_owned(), "–".to_owned()),
                Some(kib) => {
                    let megabytes = f64::from(kib) * 1024.0 / 1e6;
                    (format!("{megabytes:.1} MB"), target(megabytes, MAX_PEAK_MB, " MB"))
                }
            };
            let line = self.line(subject, "time -f %M");
            let row = [skills.clone(), what.to_owned(), line, peak, target];
            tables.memory.row(row);
        }
        let line = self.line(&warm, "strace -f -c");
        let row = match warm.system_calls(&self.folder.join("report"))? {
            None => [
                skills,
                line,
                "not measured: there is no `strace`".to_owned(),
                "–".to_owned(),
                "–".to_owned(),
            ],
            Some(calls) => {
                let each = f64::from(calls) / f64::from(size);
                let target = target(each, MAX_CALLS_PER_SKILL, "");
                [skills, line, grouped(calls), format!("{each:.2}"), target]
            }
        };
        tables.calls.row(row);
        Ok(())
    }

    fn printed(&self, subject: &mut Subject) -> Result<String, Failure> {
        subject.printed(&self.folder.join("printed"))
    }

    fn peers(
        &self,
        size: u32,
        root: &Path,
        names: &[String],
        warm: &Times,
        tables: &mut Tables,
    ) -> Result<(), Failure> {
        let project = self.folder.join(format!("project-{size}"));
        make_project(&project, root)?;
        for peer in PEERS {
            let Some(program) = peer.find()? else {
                tables.note(format!("`{}` is not installed: not measured.", peer.name));
                continue;
            };
            eprintln!("measuring {} skills with `{}`", grouped(size), peer.name);
            let mut command = self.command(program);
            command.args(peer.arguments).envs([("DISABLE_TELEMETRY", "1"), ("DO_NOT_TRACK", "1")]);
            let arguments = peer.arguments.join(" ");
            let line = match peer.sight {
                Sight::Project => {
                    command.current_dir(&project);
                    format!("`cd $T/project-{size} && {} {arguments}`", peer.name)
                }
                Sight::Arguments => {
                    command.args(names.iter().map(|name| root.join(name)));
                    format!("`{} {arguments} $T/{size}/*`", peer.name)
                }
            };
            let mut subject = lasting(command);
            let measured = self
                .printed(&mut subject)
                .and_then(|text| Ok((text, in_turns([&mut subject], self.runs)?)));
            let Ok((text, [times])) = measured else {
                tables
                    .note(format!("`{}` is installed but does not run: not measured.", peer.name));
                continue;
            };
            let listed = names.iter().filter(|name| text.contains(name.as_str()));
            tables.listing.row([
                grouped(size),
                peer.name.to_owned(),
                line,
                grouped(listed.count()),
                milliseconds(times.median()),
                milliseconds(times.min()),
                format!("{:.0} × hone, warm", ratio(&times, warm)),
                "–".to_owned(),
            ]);
        }
        if PEERS.iter().any(|peer| peer.sight == Sight::Project) {
            tables.note(
                "`$T/project-N` is a folder whose `.agents/skills` and `.claude/skills` are links to `$T/N`; \
                 other programs than hone run with `DISABLE_TELEMETRY=1 DO_NOT_TRACK=1`."
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn startup(&self) -> Result<Table, Failure> {
        eprintln!("measuring start-up");
        let mut nothing = lasting(self.command("/bin/true"));
        let mut version = self.command(&self.hone);
        version.env("HONE_HOME", self.folder.join("state-version")).arg("--version");
        let mut version = lasting(version);
        let runs = self.runs * STARTUP_RUNS_FACTOR;
        let [floor, hone] = in_turns([&mut nothing, &mut version], runs)?;
        let more = (hone.median().as_secs_f64() - floor.median().as_secs_f64()) * 1e3;
        let mut table = Table::new(&["command", "median", "min", "more than the floor", "target"]);
        table.row([
            self.line(&nothing, ""),
            milliseconds(floor.median()),
            milliseconds(floor.min()),
            "–".to_owned(),
            "–".to_owned(),
        ]);
        table.row([
            self.line(&version, ""),
            milliseconds(hone.median()),
            milliseconds(hone.min()),
            format!("{more:.2} ms"),
            target(more, MAX_STARTUP_MS, " ms"),
        ]);
        Ok(table)
    }

    /// How much of the corpus is read as expected, as text ready to print.
    fn corpus(&self, named: Option<&Path>) -> Result<String, Failure> {
        let folder = named.map_or_else(|| workspace::root().join(DEFAULT_CORPUS), Path::to_owned);
        let archive = folder.join("skills.tar.gz");
        if !archive.is_file() {
            return match named {
                None => {
                    Ok("Not measured: no corpus here; name one with `--corpus DIR`.\n".to_owned())
                }
                Some(_) => Err(Failure::Unmet(format!("there is no `{}`", archive.display()))),
            };
        }
        eprintln!("reading the corpus");
        let expected = folder.join("expected.jsonl");
        let expected =
            fs::read_to_string(&expected).doing(|| format!("read `{}`", expected.display()))?;
        let expected = corpus::expected(&expected)?;
        let root = self.folder.join("corpus");
        fs::create_dir(&root).doing(|| format!("make `{}`", root.display()))?;
        capture(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&root))?;

        let mut list = self.list(&root, &self.folder.join("state-corpus"));
        list.args(["--all", "--depth", CORPUS_DEPTH]);
        let mut list = lasting(list);
        let listed = corpus::listed(&self.printed(&mut list)?, &root)?;
        let acceptance = corpus::compare(&expected, &listed);

        let mut table =
            Table::new(&["a strict YAML reader says", "files", "hone", "files", "target"]);
        let all = |share: &Share| if share.good == share.all { "all: met" } else { "all: MISSED" };
        for (says, share, does, target) in [
            (
                "a name and a description",
                &acceptance.equal,
                "gives the same",
                all(&acceptance.equal),
            ),
            ("a name, no description", &acceptance.undescribed, "loads", "–"),
            ("not YAML", &acceptance.repaired, "loads", "what quoting can repair"),
            ("no frontmatter", &acceptance.refused, "refuses, with a reason", "–"),
        ] {
            table.row([
                says.to_owned(),
                grouped(share.all),
                does.to_owned(),
                grouped(share.good),
                target.to_owned(),
            ]);
        }
        let mut text =
            format!("{} files, {}:\n\n{table}", grouped(expected.len()), self.line(&list, ""));
        let shown = acceptance.mismatches.iter().take(MAX_MISMATCHES);
        for mismatch in shown {
            let _ = write!(text, "\n- {mismatch}");
        }
        if acceptance.mismatches.len() > MAX_MISMATCHES {
            let more = acceptance.mismatches.len() - MAX_MISMATCHES;
            let _ = write!(text, "\n- and {more} more");
        }
        Ok(text)
    }
}

/// A subject that needs nothing removed between its runs.
fn lasting(command: Command) -> Subject {
    Subject { command, reset: None }
}

fn skills_in(json: &str) -> Result<usize, Failure> {
    let answer: Value = serde_json::from_str(json)
        .map_err(|error| Failure::Unmet(format!("`hone list --json` printed no JSON: {error}")))?;
    Ok(answer["skills"].as_array().map_or(0, Vec::len))
}

fn first_number(text: &str) -> usize {
    let word = text.split_whitespace().next();
    word.and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn ratio(times: &Times, floor: &Times) -> f64 {
    times.median().as_secs_f64() / floor.median().as_secs_f64().max(f64::EPSILON)
}

fn target(value: f64, limit: f64, unit: &str) -> String {
    let verdict = if value <= limit { "met" } else { "MISSED" };
    format!("≤ {limit}{unit}: {verdict}")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

pub(crate) fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or("unknown processor", |(_, name)| name).to_owned()
}

/// What a one-line file says before `end`.
pub(crate) fn first(file: &str, end: char) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split(end).next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_at_its_limit_and_missed_past_it() {
        assert_eq!(target(2.0, MAX_WARM_RATIO, " ×"), "≤ 2 ×: met");
        assert_eq!(target(2.01, MAX_WARM_RATIO, " ×"), "≤ 2 ×: MISSED");
    }
}
