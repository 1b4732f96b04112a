//! A task that is killed: the brain is as before it, or as it would have left it.

use std::collections::BTreeMap;
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

fn program(shelf: &Shelf, task: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples/task");
    assert!(program.is_file(), "build it first: cargo build -p hone-agent --example task");
    let mut command = Command::new(program);
    command.arg(&shelf.home).arg("ada").arg(task).stdout(Stdio::piped());
    command
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

async fn settled(shelf: &Shelf, brain: &Brain, task: &str) -> BTreeMap<String, String> {
    drop(shelf.begin(brain, &format!("after-{task}"), &Subscriber::Owner).await);
    let key = brain.signing_key().unwrap().public();
    let checked = chain::check(&brain.member(RECEIPTS_FILE), key).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    assert_eq!(brain.lineage().unwrap().standing(), Standing::Same);
    plain(knowledge(brain), task)
}

#[tokio::test]
async fn a_killed_task_leaves_the_brain_as_before_or_as_after() {
    // What a task that nobody kills leaves.
    let (shelf, brain) = Shelf::with_ada();
    shelf.upsert(&brain, "t0", "oracle", "Checks oracles.\n\nFirst thoughts.\n");
    let relative = |brain: &Brain, known: BTreeMap<String, String>| -> BTreeMap<String, String> {
        let folder = brain.folder.to_str().unwrap().to_owned();
        known.into_iter().map(|(key, value)| (key.replace(&folder, ""), value)).collect()
    };
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
