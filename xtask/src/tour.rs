//! `cargo xtask tour`: what `hone` does, shown with its real output. Every line that is shown is
//! the line that runs, in a temporary home, so that nothing of the user's is read or changed.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::{Doing, Failure};
use crate::workspace;

/// The instructions the tour's skill starts with.
const DRAFT: &str = "\
# Tidy the changelog

1. Read `CHANGELOG.md` and the commits since the last tag.
2. Sort the entries under Added, Changed, Fixed and Removed.
3. Write each entry for a user, not for the author of the change.
";

/// A skill with two mistakes, to show what a diagnostic looks like.
const BROKEN: &str = "\
---
name: Weekly Report
description:
---

Collect what was finished this week.
";

/// One line of the tour.
struct Step {
    /// What the reader learns from it.
    about: &'static str,
    /// A shell line.
    line: &'static str,
    /// The exit code it must have.
    exit: i32,
}

const fn step(about: &'static str, line: &'static str) -> Step {
    Step { about, line, exit: 0 }
}

const STEPS: &[Step] = &[
    step("What is here, and what to type next", "hone"),
    step("A draft becomes a skill", "cat draft.md"),
    step(
        "",
        "hone new tidy-changelog --description 'Sorts and rewrites changelog entries. Use before a release.' --file draft.md",
    ),
    step("It is listed and can be read", "hone list"),
    step("", "hone view tidy-changelog"),
    step(
        "Skills are checked against the specification",
        "hone check ~/.agents/skills/tidy-changelog",
    ),
    Step {
        about: "A mistake is shown where it is",
        line: "hone check weekly-report/SKILL.md",
        exit: 1,
    },
    step(
        "A change is exact, and kept as a new revision",
        "hone patch tidy-changelog --old 'Read `CHANGELOG.md`' --new 'Read the whole `CHANGELOG.md`'",
    ),
    step("", "hone history tidy-changelog"),
    step("", "hone diff tidy-changelog"),
    step("Every change can be taken back", "hone rollback tidy-changelog"),
    step("So can a removal", "hone rm tidy-changelog"),
    step("", "hone rollback tidy-changelog"),
    step("", "hone list"),
];

/// What happens to the temporary home at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Remove,
    Keep,
}

/// Builds `hone` and walks through it.
pub(crate) fn tour(home: Home) -> Result<(), Failure> {
    eprintln!("building hone; the first time this takes a few minutes");
    let programs = workspace::build_release(&["-p", "hone"])?;
    let folder = tempfile::Builder::new()
        .prefix("hone-tour-")
        .tempdir()
        .doing(|| "make a temporary folder".to_owned())?;
    let work = folder.path().join("work");
    furnish(&work).doing(|| format!("write to `{}`", work.display()))?;
    let walked = walk(folder.path(), &work, &programs);
    if home == Home::Keep {
        println!("\nThe home of this tour is kept in {}", folder.keep().display());
    }
    walked
}

fn furnish(work: &Path) -> io::Result<()> {
    fs::create_dir_all(work.join("weekly-report"))?;
    fs::write(work.join("draft.md"), DRAFT)?;
    fs::write(work.join("weekly-report/SKILL.md"), BROKEN)
}

fn walk(home: &Path, work: &Path, programs: &Path) -> Result<(), Failure> {
    let inherited = env::var_os("PATH").unwrap_or_default();
    let folders = [programs.to_owned()].into_iter().chain(env::split_paths(&inherited));
    let path = env::join_paths(folders)
        .map_err(|error| Failure::Unmet(format!("`PATH` cannot be extended: {error}")))?;
    for step in STEPS {
        if !step.about.is_empty() {
            println!("\n# {}", step.about);
        }
        println!("$ {}", step.line);
        io::stdout().flush().doing(|| "write to standard output".to_owned())?;
        let mut shell = Command::new("sh");
        shell
            .args(["-c", step.line])
            .env_clear()
            .env("PATH", &path)
            .env("HOME", home)
            .env("HONE_HOME", home.join(".hone"))
            .current_dir(work)
            .stdin(Stdio::null());
        for terminal in ["TERM", "COLORTERM", "COLUMNS", "NO_COLOR", "LANG", "LC_ALL"] {
            if let Some(value) = env::var_os(terminal) {
                shell.env(terminal, value);
            }
        }
        let status = shell.status().doing(|| format!("run `{}`", step.line))?;
        if status.code() != Some(step.exit) {
            return Err(Failure::Unmet(format!(
                "`{}` ended with {status}, expected exit code {}",
                step.line, step.exit
            )));
        }
    }
    Ok(())
}
