//! Measuring a program from outside: wall time of fresh processes, peak memory, system calls.
//! Programs that are compared run in turns, so that a busy moment of the machine hits all of them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{capture, line, on_path};
use crate::failure::{Doing, Failure};

/// A program to measure. Its standard output is discarded while it is timed.
pub(crate) struct Subject {
    pub(crate) command: Command,
    /// A folder that is removed before every run, outside the measured time.
    pub(crate) reset: Option<PathBuf>,
}

impl Subject {
    fn prepare(&mut self) -> Result<(), Failure> {
        if let Some(folder) = self.reset.as_ref().filter(|folder| folder.exists()) {
            fs::remove_dir_all(folder).doing(|| format!("remove `{}`", folder.display()))?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<Duration, Failure> {
        self.prepare()?;
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let status = self.command.status();
        let took = start.elapsed();
        let status = status.doing(|| format!("run `{}`", line(&self.command)))?;
        if status.success() {
            Ok(took)
        } else {
            let line = line(&self.command);
            Err(Failure::Command { line, status })
        }
    }

    /// The same program started by another one.
    fn under(&self, wrapper: &Path, arguments: &[&str], report: &Path) -> Command {
        let mut command = Command::new(wrapper);
        command
            .args(arguments)
            .arg("-o")
            .arg(report)
            .arg(self.command.get_program())
            .args(self.command.get_args())
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        for (name, value) in self.command.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        command
    }

    /// Runs once with standard output in a file and returns what was printed.
    pub(crate) fn printed(&mut self, file: &Path) -> Result<String, Failure> {
        self.prepare()?;
        let sink = File::create(file).doing(|| format!("write `{}`", file.display()))?;
        self.command.stdout(sink).stderr(Stdio::piped());
        capture(&mut self.command)?;
        fs::read_to_string(file).doing(|| format!("read `{}`", file.display()))
    }

    /// The most memory the program held at once, in KiB, as GNU `time` reports it; `None` where
    /// there is no `time`.
    pub(crate) fn peak_kib(&mut self, report: &Path) -> Result<Option<u32>, Failure> {
        let Some(time) = on_path("time") else {
            return Ok(None);
        };
        self.prepare()?;
        capture(&mut self.under(&time, &["-f", "%M"], report))?;
        let text = fs::read_to_string(report).doing(|| format!("read `{}`", report.display()))?;
        Ok(text.trim().parse().ok())
    }

    /// How many system calls the program and its threads made, counted by `strace`; `None` where
    /// there is no `strace`.
    pub(crate) fn system_calls(&mut self, report: &Path) -> Result<Option<u32>, Failure> {
        let Some(strace) = on_path("strace") else {
            return Ok(None);
        };
        self.prepare()?;
        capture(&mut self.under(&strace, &["-f", "-c"], report))?;
        let text = fs::read_to_string(report).doing(|| format!("read `{}`", report.display()))?;
        Ok(Some(calls(&text)))
    }
}

/// Adds up the `calls` column of `strace -c`. The last line has the sum too, but its columns
/// moved between versions of strace.
fn calls(summary: &str) -> u32 {
    summary
        .lines()
        .filter(|line| !line.ends_with(" total"))
        .filter_map(|line| line.split_whitespace().nth(3)?.parse::<u32>().ok())
        .sum()
}

/// The wall times of one subject, shortest first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// The middle one, or the mean of the middle two.
    pub(crate) fn median(&self) -> Duration {
        match (self.0.len(), self.0.len() / 2) {
            (0, _) => Duration::ZERO,
            (len, middle) if len % 2 == 1 => self.0[middle],
            (_, middle) => (self.0[middle - 1] + self.0[middle]) / 2,
        }
    }

    /// The shortest.
    pub(crate) fn min(&self) -> Duration {
        self.0.first().copied().unwrap_or_default()
    }
}

/// Runs every subject once to warm the caches, then `runs` times in turns.
pub(crate) fn in_turns<const N: usize>(
    subjects: [&mut Subject; N],
    runs: usize,
) -> Result<[Times; N], Failure> {
    let mut subjects = subjects;
    for subject in &mut subjects {
        subject.run()?;
    }
    let mut times = [const { Vec::new() }; N];
    for _ in 0..runs {
        for (subject, times) in subjects.iter_mut().zip(&mut times) {
            times.push(subject.run()?);
        }
    }
    Ok(times.map(Times::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(milliseconds: &[u64]) -> Times {
        Times::new(milliseconds.iter().copied().map(Duration::from_millis).collect())
    }

    #[test]
    fn the_median_is_the_middle_of_the_sorted_times() {
        assert_eq!(times(&[9, 1, 5]).median(), Duration::from_millis(5));
        assert_eq!(times(&[9, 1, 5, 6]).median(), Duration::from_micros(5_500));
        assert_eq!(times(&[7]).median(), Duration::from_millis(7));
        assert_eq!(times(&[]).median(), Duration::ZERO);
        assert_eq!(times(&[9, 1, 5]).min(), Duration::from_millis(1));
    }

    #[test]
    fn calls_are_added_up_whatever_the_last_line_looks_like() {
        let summary = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000120           1       100         7 openat
 40.00    0.000080           2        29           newfstatat
------ ----------- ----------- --------- --------- ----------------
100.00    0.000200                   129         7 total
";
        assert_eq!(calls(summary), 129);
    }

    #[test]
    fn a_subject_is_reset_before_each_run_and_its_failure_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let mut command = Command::new("mkdir");
        command.arg(&state);
        let mut subject = Subject { command, reset: Some(state) };
        let [measured] = in_turns([&mut subject], 3).unwrap();
        assert_eq!(measured.0.len(), 3);
        subject.reset = None;
        assert!(matches!(subject.run(), Err(Failure::Command { .. })));
    }

    #[test]
    fn what_a_subject_prints_comes_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("seq");
        command.arg("100000");
        let mut subject = Subject { command, reset: None };
        let printed = subject.printed(&folder.path().join("out")).unwrap();
        assert_eq!(printed.lines().count(), 100_000);
    }
}
