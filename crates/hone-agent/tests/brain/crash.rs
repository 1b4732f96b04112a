//! A task that is killed: the brain is as before it, or as it would have left it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use hone_agent::brain::Brain;
use hone_agent::lineage::{RECEIPTS_FILE, Standing, chain};
use hone_agent::memory::Subscriber;

use crate::shelf::{Shelf, knowledge, open};

/// Lines that the program prints on its way, one after each thing that it did.
const POINTS: usize = 7;
const ROUNDS: usize = 70;

/// A program that does one task, behind another one that runs it.
fn program_by(around: &[String], shelf: &Shelf, task: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples/task");
    assert!(program.is_file(), "build it first: cargo build -p hone-agent --example task");
    let mut words = around.iter().map(OsString::from).chain([program.into_os_string()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).arg(&shelf.home).arg("ada").arg(task).stdout(Stdio::piped());
    command
}

fn program(shelf: &Shelf, task: &str) -> Command {
    program_by(&[], shelf, task)
}

/// Runs a task that is killed when it is about to make a system call for the `at`th time; false when it
/// never comes to that.
pub(crate) fn die(shelf: &Shelf, task: &str, call: &str, at: usize) -> bool {
    let inject = format!("inject={call}:signal=KILL:when={at}");
    let trace = format!("trace={call}");
    let around = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let around = around.map(str::to_owned);
    let status = program_by(&around, shelf, task).stdout(Stdio::null()).status().unwrap();
    !status.success()
}

/// Runs a task up to a point, goes on a little, and kills it.
fn strike(shelf: &Shelf, task: &str, point: usize, round: usize) {
    let mut child = program(shelf, task).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..point {
        lines.next().unwrap().unwrap();
    }
    // Somewhere inside the next thing: a few steps of work that take no fixed time.
    let steps = round * 7_919 % ROUNDS * 20_000;
    std::hint::black_box((0..steps).fold(0_usize, |sum, n| sum.wrapping_mul(31).wrapping_add(n)));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Without what differs from task to task.
fn plain(known: BTreeMap<String, String>, task: &str) -> BTreeMap<String, String> {
    known.into_iter().map(|(key, value)| (key, value.replace(task, "TASK"))).collect()
}

/// Without where it lies, and without what a dead writer staged: nobody reads it, and the next writer there
/// removes it.
fn relative(brain: &Brain, known: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let folder = brain.folder.to_str().unwrap().to_owned();
    let known = known.into_iter().filter(|(key, _)| !key.contains("/.hone-"));
    known.map(|(key, value)| (key.replace(&folder, ""), value)).collect()
}

async fn settled(shelf: &Shelf, brain: &Brain, task: &str) -> BTreeMap<String, String> {
    drop(shelf.begin(brain, &format!("after-{task}"), &Subscriber::Owner).await);
    let key = brain.signing_key().unwrap().public();
    let checked = chain::check(&brain.member(RECEIPTS_FILE), key).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    assert_eq!(brain.lineage().unwrap().standing(), Standing::Same);
    plain(knowledge(brain), task)
}

/// Receipts about a task.
fn signed(brain: &Brain, task: &str) -> usize {
    let all = brain.receipts().unwrap();
    all.iter().filter(|one| one.task.as_ref().is_some_and(|of| of.id == task)).count()
}

/// The calls by which something gets onto the disk. Of the first, the one that writes, there are many, so
/// that every `step`th is taken; the others are the points between which a crash makes a difference.
const WRITES: [(&str, usize); 5] =
    [("pwrite64", 5), ("fdatasync", 1), ("fsync", 1), ("rename", 1), ("unlink", 1)];

#[tokio::test]
async fn k21_a_task_that_dies_at_any_of_its_writes_leaves_the_brain_as_before_or_as_after() {
    let (shelf, brain) = Shelf::with_ada();
    let before = relative(&brain, settled(&shelf, &brain, "whole").await);
    assert!(program(&shelf, "whole").spawn().unwrap().wait().unwrap().success());
    let after = relative(&brain, settled(&shelf, &brain, "whole").await);
    let mut seen = (0, 0, 0);
    for (call, step) in WRITES {
        for at in (1..).step_by(step) {
            let (shelf, brain) = Shelf::with_ada();
            let task = format!("{call}-{at}");
            let died = die(&shelf, &task, call, at);
            let left = relative(&brain, settled(&shelf, &brain, &task).await);
            let is_logged = open(&brain).ending(&task).unwrap().is_some();
            assert_eq!(left, *if is_logged { &after } else { &before }, "{task}");
            // One that had not begun yet has no receipt; every other one has.
            let signed = signed(&brain, &task);
            assert!(signed == 1 || (signed == 0 && !is_logged), "{task}: {signed}");
            if !died {
                assert!(is_logged, "{task}");
                break;
            }
            if is_logged {
                seen.1 += 1;
            } else {
                seen.0 += 1;
            }
            seen.2 += usize::from(signed == 1 && !is_logged);
        }
    }
    // Before its row was in the log, and after it: in the files of memory, the receipt, the journal.
    assert!(seen.0 > 10 && seen.1 > 5 && seen.2 > 5, "{seen:?}");
}

#[tokio::test]
async fn a_killed_task_leaves_the_brain_as_before_or_as_after() {
    // What a task that nobody kills leaves.
    let (shelf, brain) = Shelf::with_ada();
    shelf.upsert(&brain, "t0", "oracle", "Checks oracles.\n\nFirst thoughts.\n");
    let before = relative(&brain, settled(&shelf, &brain, "whole").await);
    assert!(program(&shelf, "whole").spawn().unwrap().wait().unwrap().success());
    let after = relative(&brain, settled(&shelf, &brain, "whole").await);
    assert_ne!(before, after);
    let mut seen = (0, 0);
    for round in 0..ROUNDS {
        let (shelf, brain) = Shelf::with_ada();
        shelf.upsert(&brain, "t0", "oracle", "Checks oracles.\n\nFirst thoughts.\n");
        let task = format!("round-{round}");
        strike(&shelf, &task, round % (POINTS + 1), round);
        let left = relative(&brain, settled(&shelf, &brain, &task).await);
        let is_logged = open(&brain).ending(&task).unwrap().is_some();
        if is_logged {
            assert_eq!(left, after, "round {round}");
            seen.1 += 1;
        } else {
            assert_eq!(left, before, "round {round}");
            seen.0 += 1;
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
}
