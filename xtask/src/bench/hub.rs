//! `cargo xtask bench hub`: what it costs to install skills from a local git repository, to restore them
//! from a lock, and to verify them, beside another program that is installed. Every run is a fresh
//! process in a fresh project and a fresh home, and must end with the skills in place. What a run made
//! stays until the end and is on the disk before the next begins: a file system that still works on what
//! was there before would be measured too.

use std::cell::Cell;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::bench::generate::generate;
use crate::bench::list::{first, processor};
use crate::bench::measure::Times;
use crate::bench::options::Options;
use crate::bench::scan::timed;
use crate::bench::table::{Table, grouped};
use crate::command::{capture, on_path, quoted};
use crate::failure::{Doing, Failure};

/// Skills of the repository.
const SKILLS: usize = 500;
/// The same for a quick look, which shows that everything works and no figure worth keeping.
const QUICK_SKILLS: usize = 40;
/// How many times as fast as the other program an install has to be.
const MIN_RATIO: f64 = 5.0;

/// Measures everything and prints the table.
pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let release = super::programs()?;
    let guard = tempfile::Builder::new()
        .prefix("hone-bench-hub-")
        .tempdir()
        .doing(|| "make a temporary folder".to_owned())?;
    let folder = guard.path().canonicalize().doing(|| "use the temporary folder".to_owned())?;
    let skills = if options.quick { QUICK_SKILLS } else { SKILLS };
    let names = repository(&folder.join("repository"), skills)?;
    let (hone, runs, made) = (release.join("hone"), options.runs, Cell::new(0));
    let bench = Bench { hone, folder, runs, skills, made };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut text = format!(
        "## The hub\n\n`cargo xtask bench hub`, {cores} cores ({}), Linux {}, load {}. A local git repository with {} \
         skills; each run a fresh process, project and home on a disk that has nothing else to do; median and shortest of {} runs. What is compared with \
         also checks nothing and records no history.\n",
        processor(),
        first("/proc/sys/kernel/osrelease", '-'),
        first("/proc/loadavg", ' '),
        grouped(skills),
        options.runs,
    );
    let peer = if options.peers { on_path("skills") } else { None };
    let mut table =
        Table::new(&["what", "skills", "command", "median", "min", "CPU", "against", "target"]);
    let mut notes = Vec::new();
    for (count, name) in [(1, Some(names[0].as_str())), (skills, None)] {
        bench.install(count, name, peer.as_deref(), &mut table, &mut notes)?;
    }
    bench.restore(&mut table)?;
    bench.verify(&mut table)?;
    let _ = write!(text, "\n{table}");
    if options.peers && peer.is_none() {
        notes.push("`skills` is not on `PATH`, so nothing is compared with it".to_owned());
    }
    for note in notes {
        let _ = write!(text, "\n- {note}");
    }
    println!("{text}");
    Ok(())
}

/// A repository whose skills lie in `skills/`; gives their names.
fn repository(folder: &Path, skills: usize) -> Result<Vec<String>, Failure> {
    let names = generate(&folder.join("skills"), skills)?;
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@example.com",
            "commit",
            "--quiet",
            "-mall",
        ],
    ] {
        let mut git = Command::new("git");
        git.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").args(arguments);
        capture(&mut git)?;
    }
    Ok(names)
}

struct Bench {
    hone: PathBuf,
    folder: PathBuf,
    runs: usize,
    skills: usize,
    /// How many projects were made.
    made: Cell<usize>,
}

/// What a command cost.
struct Cost {
    wall: Times,
    cpu: Duration,
}

impl Bench {
    fn project(&self) -> PathBuf {
        self.folder.join(format!("project-{}", self.made.get()))
    }

    fn home(&self) -> PathBuf {
        self.folder.join(format!("home-{}", self.made.get()))
    }

    fn url(&self) -> String {
        format!("file://{}/repository/.git", self.folder.display())
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("LC_ALL", "C.UTF-8")
            .env("DISABLE_TELEMETRY", "1")
            .current_dir(self.project())
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// A project and a home with nothing in them, but for a lock.
    fn fresh(&self, lock: Option<&str>) -> Result<(), Failure> {
        self.made.set(self.made.get() + 1);
        for folder in [self.project(), self.home()] {
            fs::create_dir(&folder).doing(|| format!("make `{}`", folder.display()))?;
        }
        if let Some(lock) = lock {
            let path = self.project().join("hone.lock");
            fs::write(&path, lock).doing(|| format!("write `{}`", path.display()))?;
        }
        capture(&mut Command::new("sync")).map(drop)
    }

    /// Runs a command once to warm the caches and then as often as asked, each time after `prepare`.
    fn cost(
        &self,
        (program, arguments): (&Path, &[&str]),
        prepare: impl Fn() -> Result<(), Failure>,
        check: impl Fn() -> Result<(), Failure>,
    ) -> Result<Cost, Failure> {
        let (mut walls, mut cpu) = (Vec::new(), Duration::ZERO);
        for run in 0..=self.runs {
            prepare()?;
            let (wall, used) = timed(&mut self.command(program, arguments))?;
            check()?;
            if run > 0 {
                walls.push(wall);
                cpu += used;
            }
        }
        let runs = u32::try_from(self.runs).unwrap_or(1);
        Ok(Cost { wall: Times::new(walls), cpu: cpu / runs })
    }

    /// Fails unless so many skills are in one of the project's folders.
    fn has(&self, skills: usize) -> Result<(), Failure> {
        let counted = [".agents/skills", ".claude/skills"]
            .map(|folder| fs::read_dir(self.project().join(folder)).map_or(0, Iterator::count));
        if counted.contains(&skills) {
            return Ok(());
        }
        Err(Failure::Unmet(format!("{counted:?} skills are there, not {skills}")))
    }

    fn install(
        &self,
        skills: usize,
        name: Option<&str>,
        peer: Option<&Path>,
        table: &mut Table,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        eprintln!("installing {skills}");
        let url = self.url();
        let which = name.map_or(vec!["--all"], |name| vec!["--skill", name]);
        let arguments = [&["add", &url, "--project", "--yes"][..], &which].concat();
        let prepare = || self.fresh(None);
        let check = || self.has(skills);
        let cost = self.cost((&self.hone, &arguments), prepare, check)?;
        let mut ratio = None;
        let mut theirs = None;
        if let Some(peer) = peer {
            let name = name.unwrap_or("*");
            let arguments = ["add", &url, "--skill", name, "--agent", "claude-code", "--yes"];
            let shown = self.shown(peer, &arguments);
            match self.cost((peer, &arguments), prepare, check) {
                Ok(cost_of_peer) => {
                    ratio = Some(
                        cost_of_peer.wall.median().as_secs_f64() / cost.wall.median().as_secs_f64(),
                    );
                    theirs = Some((shown, cost_of_peer));
                }
                Err(failure) => notes.push(format!("`{shown}`: {failure}")),
            }
        }
        let shown = self.shown(&self.hone, &arguments);
        row(table, "install", skills, &shown, &cost, ratio);
        if let Some((shown, cost)) = theirs {
            row(table, "install", skills, &shown, &cost, None);
        }
        Ok(())
    }

    fn restore(&self, table: &mut Table) -> Result<(), Failure> {
        eprintln!("restoring {}", self.skills);
        let lock = self.locked()?;
        let arguments = ["install", "--project", "--yes"];
        let prepare = || self.fresh(Some(&lock));
        let cost = self.cost((&self.hone, &arguments), prepare, || self.has(self.skills))?;
        let shown = self.shown(&self.hone, &arguments);
        row(table, "restore from the lock", self.skills, &shown, &cost, None);
        Ok(())
    }

    fn verify(&self, table: &mut Table) -> Result<(), Failure> {
        eprintln!("verifying {}", self.skills);
        self.locked()?;
        let arguments = ["verify", "--project"];
        let cost = self.cost((&self.hone, &arguments), || Ok(()), || self.has(self.skills))?;
        let shown = self.shown(&self.hone, &arguments);
        row(table, "verify", self.skills, &shown, &cost, None);
        Ok(())
    }

    /// Installs everything and gives the lock.
    fn locked(&self) -> Result<String, Failure> {
        self.fresh(None)?;
        let url = self.url();
        let mut add = self.command(&self.hone, &["add", &url, "--project", "--yes", "--all"]);
        capture(&mut add)?;
        let path = self.project().join("hone.lock");
        fs::read_to_string(&path).doing(|| format!("read `{}`", path.display()))
    }

    /// The line to type, with `$T` for the temporary folder.
    fn shown(&self, program: &Path, arguments: &[&str]) -> String {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let words = std::iter::once(&*name).chain(arguments.iter().copied());
        let words: Vec<String> = words.map(quoted).collect();
        words.join(" ").replace(&*self.folder.to_string_lossy(), "$T")
    }
}

fn row(table: &mut Table, what: &str, skills: usize, shown: &str, cost: &Cost, ratio: Option<f64>) {
    let seconds = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1_000.0);
    let target = ratio.map(|ratio| {
        let mark = if ratio >= MIN_RATIO { "met" } else { "**missed**" };
        format!("≥ {MIN_RATIO} × faster: {mark}")
    });
    table.row([
        what.to_owned(),
        grouped(skills),
        format!("`{shown}`"),
        seconds(cost.wall.median()),
        seconds(cost.wall.min()),
        seconds(cost.cpu),
        ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.1} × faster")),
        target.unwrap_or_else(|| "–".to_owned()),
    ]);
}
