//! The commands a contributor needs: `cargo xtask test`, `cargo xtask bench`, `cargo xtask tour`.
//! Each works on a fresh machine with Rust and a C compiler; nothing here is part of `hone` itself.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tables and progress on the terminal are what these tasks are for"
)]

#[cfg(feature = "bench")]
mod bench;
mod command;
mod failure;
mod system;
mod test;
mod tour;
mod workspace;

use std::env;
#[cfg(not(feature = "bench"))]
use std::process::Command;
use std::process::ExitCode;

use failure::Failure;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  test                everything that has to hold: format, lints, tests, documentation;
                      installs what the tests need from the system's packages
      --local-model   instead, the model inside of hone (the feature `local-model`), which
                      takes minutes to build
  bench               speed of `hone list` against the floor of this machine, as Markdown
      --sizes N,…     numbers of skills (100,1000,10000)
      --runs N        timed runs of each command (9)
      --quick         sizes 100,1000 and 3 runs
      --no-peers      leave out other programs that are installed (--peers: measure them, the default)
      --corpus DIR    a folder with skills.tar.gz and expected.jsonl to be read
  bench route         how well and how fast messages find their skills, as Markdown
      --messages DIR  a folder of labelled messages (../shared/routing)
      --embeddings D  also with the sentence model in folder D
      --sizes N,…     numbers of skills for time and size (100,1000,10000,20000)
      --no-sizes      leave out time and size
      --fit           also print the weights of the confidence, fitted anew
  bench agent         what the harness of an agent costs beside its model, as Markdown
      --quick         fewer messages and tasks
  bench learn         tasks cold, after learning and with the gate off, as Markdown
      --model NAME    by a model that can be asked from here, instead of a recording
      --url BASE      where its server is
      --only A,B      these families only
  bench scan          what a scan costs on real skills and on hostile files, as Markdown
      --quick         generated files as SKILL.md only
      --no-peers, --corpus DIR as above
  bench hub           installing, restoring and verifying 1 and 500 skills, as Markdown
      --runs N, --quick, --no-peers as above
  bench serve         views and searches over stdio and HTTP at 1,000 and 10,000 skills, as Markdown
      --quick         fewer skills, seconds instead of minutes
      --sizes A,B     skills (1000,10000)
      --seconds N     for each row (10)
      --minutes N     under load, to see whether memory grows (10)
  tour                builds `hone` and shows what it does, in a temporary home
      --keep          keep that home and print where it is
  generate DIR N      write N skills for measuring to DIR/<name>/SKILL.md
  bench lineage       what the hash, snapshots, restore and receipts of a large brain cost, as Markdown
      --files N       files of the brain (10000)
      --megabytes N   size of its database (1000)
      --receipts N    receipts to be verified (10000)
      --no-peers      leave out tar, zstd and restic
  scan-times DIR      scan every skill below DIR and print its CPU time as JSON, one a line
  floor-read DIR      read the first 4 KiB of every SKILL.md below DIR: the floor of the bench
";

fn main() -> ExitCode {
    match run(env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            if let Failure::Usage(_) = failure {
                eprint!("\n{HELP}");
                return ExitCode::from(2);
            }
            ExitCode::FAILURE
        }
    }
}

fn run(mut words: impl Iterator<Item = String>) -> Result<(), Failure> {
    let Some(task) = words.next() else {
        return Err(Failure::Usage("which command?".to_owned()));
    };
    let words: Vec<String> = words.collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{HELP}");
        return Ok(());
    }
    let text: Vec<&str> = words.iter().map(String::as_str).collect();
    match (task.as_str(), text.as_slice()) {
        ("help" | "--help" | "-h", _) => {
            print!("{HELP}");
            Ok(())
        }
        ("test", []) => test::test(),
        ("test", ["--local-model"]) => test::local_model(),
        ("tour", []) => tour::tour(tour::Home::Remove),
        ("tour", ["--keep"]) => tour::tour(tour::Home::Keep),
        ("test" | "tour", _) => {
            Err(Failure::Usage(format!("`{task}` does not take `{}`", text.join(" "))))
        }
        _ => bench(&task, &text),
    }
}

/// Measures, in the release build of this program that has the crates to be measured.
#[cfg(feature = "bench")]
fn bench(task: &str, words: &[&str]) -> Result<(), Failure> {
    bench::run(task, words)
}

/// Builds the program that measures, and lets it. It is not this one, so that `cargo xtask test` does
/// not begin with a build of half the workspace.
#[cfg(not(feature = "bench"))]
fn bench(task: &str, words: &[&str]) -> Result<(), Failure> {
    if !["bench", "generate", "floor-read", "scan-times"].contains(&task) {
        return Err(Failure::Usage(format!("there is no command `{task}`")));
    }
    let mut what = vec!["-p", "xtask", "--features", "xtask/bench"];
    // Routing is measured by calls, not by a program.
    if words.first() != Some(&"route") {
        what.extend(["-p", "hone"]);
    }
    let programs = workspace::build_release(&what)?;
    command::run(Command::new(programs.join("xtask")).arg(task).args(words))
}
