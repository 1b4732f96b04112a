//! `cargo xtask bench hub`: what it costs to install skills from a local git repository, to restore them
//! from a lock, and to verify them, beside another program that is installed. Every run is a fresh
//! process in a fresh project and a fresh home, and must end with the skills in place.

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
    let names = repository(&folder.join("repository"))?;
    let bench = Bench { hone: release.join("hone"), folder, runs: options.runs };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut text = format!(
        "## The hub\n\n`cargo xtask bench hub`, {cores} cores ({}), Linux {}, load {}. A local git repository with {} \
         skills; each run a fresh process, project and home; median and shortest of {} runs. What is compared with \
         also checks nothing and records no history.\n",
        processor(),
        first("/proc/sys/kernel/osrelease", '-'),
        first("/proc/loadavg", ' '),
        grouped(SKILLS),
        options.runs,
    );
    let peer = if options.peers { on_path("skills") } else { None };
    let mut table =
        Table::new(&["what", "skills", "command", "median", "min", "CPU", "against", "target"]);
    let mut notes = Vec::new();
    for (skills, name) in [(1, Some(names[0].as_str())), (SKILLS, None)] {
        bench.install(skills, name, peer.as_deref(), &mut table, &mut notes)?;
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
fn repository(folder: &Path) -> Result<Vec<String>, Failure> {
    let names = generate(&folder.join("skills"), SKILLS)?;
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
}

/// What a command cost.
struct Cost {
    wall: Times,
    cpu: Duration,
}

impl Bench {
    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    fn url(&self) -> String {
        format!("file://{}/repository/.git", self.folder.display())
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.join("home"))
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
        for folder in [self.project(), self.folder.join("home")] {
            if folder.exists() {
                fs::remove_dir_all(&folder).doing(|| format!("remove `{}`", folder.display()))?;
            }
            fs::create_dir(&folder).doing(|| format!("make `{}`", folder.display()))?;
        }
        if let Some(lock) = lock {
            let path = self.project().join("hone.lock");
            fs::write(&path, lock).doing(|| format!("write `{}`", path.display()))?;
        }
        Ok(())
    }

    /// Runs a command once to warm the caches and then as often as asked, each time after `prepare`.
    fn cost(
        &self,
        command: &mut Command,
        prepare: impl Fn() -> Result<(), Failure>,
        check: impl Fn() -> Result<(), Failure>,
    ) -> Result<Cost, Failure> {
        let (mut walls, mut cpu) = (Vec::new(), Duration::ZERO);
        for run in 0..=self.runs {
            prepare()?;
            let (wall, used) = timed(command)?;
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
        let mut ours = self.command(&self.hone, &arguments);
        let prepare = || self.fresh(None);
        let check = || self.has(skills);
        let cost = self.cost(&mut ours, prepare, check)?;
        let mut ratio = None;
        let mut theirs = None;
        if let Some(peer) = peer {
            let name = name.unwrap_or("*");
            let arguments = ["add", &url, "--skill", name, "--agent", "claude-code", "--yes"];
            let mut command = self.command(peer, &arguments);
            match self.cost(&mut command, prepare, check) {
                Ok(cost_of_peer) => {
                    ratio = Some(
                        cost_of_peer.wall.median().as_secs_f64() / cost.wall.median().as_secs_f64(),
                    );
                    theirs = Some((self.shown(&command), cost_of_peer));
                }
                Err(failure) => notes.push(format!("`{}`: {failure}", self.shown(&command))),
            }
        }
        let shown = self.shown(&ours);
        row(table, "install", skills, &shown, &cost, ratio);
        if let Some((shown, cost)) = theirs {
            row(table, "install", skills, &shown, &cost, None);
        }
        Ok(())
    }

    fn restore(&self, table: &mut Table) -> Result<(), Failure> {
        eprintln!("restoring {SKILLS}");
        let lock = self.locked()?;
        let mut command = self.command(&self.hone, &["install", "--project", "--yes"]);
        let cost = self.cost(&mut command, || self.fresh(Some(&lock)), || self.has(SKILLS))?;
        let shown = self.shown(&command);
        row(table, "restore from the lock", SKILLS, &shown, &cost, None);
        Ok(())
    }

    fn verify(&self, table: &mut Table) -> Result<(), Failure> {
        eprintln!("verifying {SKILLS}");
        self.locked()?;
        let mut command = self.command(&self.hone, &["verify", "--project"]);
        let cost = self.cost(&mut command, || Ok(()), || self.has(SKILLS))?;
        let shown = self.shown(&command);
        row(table, "verify", SKILLS, &shown, &cost, None);
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
    fn shown(&self, command: &Command) -> String {
        let name = Path::new(command.get_program()).file_name().unwrap_or_default();
        let words = std::iter::once(name).chain(command.get_args());
        let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
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
