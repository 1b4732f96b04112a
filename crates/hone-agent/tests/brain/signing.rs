//! What a brain signs when something went wrong: receipts that are gone, keys out of place, tasks that died.

use std::fs;

use hone_agent::brain::{Brain, BrainError, DIED};
use hone_agent::lineage::chain::{self, ChainError};
use hone_agent::lineage::receipt::{Kind, Receipt};
use hone_agent::lineage::{Digest, LOCK_FILE, LineageError, RECEIPTS_FILE, SigningKey, Standing};
use hone_agent::memory::{Ending, Subscriber};
use serde_json::Value;

use crate::shelf::{Shelf, row};

const OWNER: Subscriber = Subscriber::Owner;

/// A shelf with `ada` after a few tasks.
async fn after(tasks: &[&str]) -> (Shelf, Brain) {
    let (shelf, brain) = Shelf::with_ada();
    for task in tasks {
        shelf.task(&brain, task, &OWNER, |_| {}).await;
    }
    (shelf, brain)
}

/// The receipts of a brain, all of which hold against the key that signed the first.
fn receipts(brain: &Brain) -> Vec<Receipt> {
    let path = brain.member(RECEIPTS_FILE);
    let first = brain.first_receipt().unwrap().unwrap().key;
    let checked = chain::check(&path, first).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    brain.receipts().unwrap()
}

async fn refused(shelf: &Shelf, brain: &Brain) -> LineageError {
    let begun = shelf.try_begin(brain, "next", &OWNER, std::time::Duration::from_secs(10)).await;
    match begun.map(drop).unwrap_err() {
        BrainError::Lineage(error) => *error,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_brain_whose_receipts_are_gone_does_not_begin_a_new_history() {
    let (shelf, brain) = after(&["t1", "t2", "t3"]).await;
    let whole = fs::read_to_string(brain.member(RECEIPTS_FILE)).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for kept in 0..lines.len() {
        fs::write(brain.member(RECEIPTS_FILE), lines[..kept].concat()).unwrap();
        let _ = fs::remove_file(brain.member(LOCK_FILE));
        let error = refused(&shelf, &brain).await;
        let LineageError::Unsigned { task, .. } = &error else { panic!("{kept}: {error}") };
        assert_eq!(task, "t3", "{kept}");
        let left = fs::read_to_string(brain.member(RECEIPTS_FILE)).unwrap();
        assert_eq!(left, lines[..kept].concat(), "nothing is signed");
        if kept == 0 {
            assert!(matches!(
                brain.receipts().unwrap_err(),
                BrainError::Lineage(error) if matches!(*error, LineageError::Unsigned { .. })
            ));
        }
    }
    // A task whose receipt may be missing is no way around it.
    let journal = serde_json::json!({"task": "t3", "position": 0}).to_string();
    fs::write(brain.member("task.json"), journal).unwrap();
    fs::write(brain.member(RECEIPTS_FILE), "").unwrap();
    let error = refused(&shelf, &brain).await;
    assert!(matches!(&error, LineageError::Unsigned { task, .. } if task == "t2"), "{error}");
    // Brought back, all is well, also with changes since the last task.
    fs::write(brain.member(RECEIPTS_FILE), &whole).unwrap();
    fs::write(brain.member("system.md"), "You are Eve.\n").unwrap();
    for task in ["t4", "t5"] {
        drop(shelf.begin(&brain, task, &OWNER).await);
    }
    assert_eq!(receipts(&brain)[4].kind, Kind::Outside);
}

#[tokio::test]
async fn another_key_is_refused_before_anything_is_done() {
    let (shelf, brain) = after(&["t1"]).await;
    let kept = brain.key_file().with_extension("away");
    fs::rename(brain.key_file(), &kept).unwrap();
    SigningKey::generate().unwrap().write(&brain.key_file()).unwrap();
    let error = refused(&shelf, &brain).await;
    assert!(matches!(error, LineageError::Chain(ChainError::OtherKey { .. })), "{error}");
    assert!(!brain.member("task.json").exists());
    fs::rename(kept, brain.key_file()).unwrap();
    drop(shelf.begin(&brain, "t2", &OWNER).await);
    assert_eq!(receipts(&brain).len(), 2);
}

#[tokio::test]
async fn a_task_that_died_has_its_receipt_once() {
    let (shelf, brain) = after(&["t1"]).await;
    let before = receipts(&brain).pop().unwrap();
    let session = shelf.begin(&brain, "t2", &OWNER).await;
    let text = "---\nname: fresh\ndescription: New.\n---\nDo.\n";
    shelf.upsert(&brain, "t2", "fresh", text);
    drop(session);
    let journal = fs::read(brain.member("task.json")).unwrap();
    fs::write(brain.member("system.md"), "You are Eve.\n").unwrap();
    for round in 0..2 {
        // The second time as if the process had died again before its journal was gone.
        fs::write(brain.member("task.json"), &journal).unwrap();
        let session = shelf.begin(&brain, "t3", &OWNER).await;
        assert_eq!(session.settled().dead.as_deref(), Some("t2"));
        session.finish(&row("t3", &OWNER, Ending::Answered)).unwrap();
        let all = receipts(&brain);
        let of_t2: Vec<&Receipt> = all
            .iter()
            .filter(|one| one.task.as_ref().is_some_and(|task| task.id == "t2"))
            .collect();
        let [died] = of_t2[..] else { panic!("{round}: {}", of_t2.len()) };
        let task = died.task.as_ref().unwrap();
        assert_eq!((task.outcome.as_str(), task.output), (DIED, None));
        assert_eq!((task.subscriber.as_str(), task.input), ("", Digest::of(b"")));
        assert_eq!((task.model.backend.as_str(), task.model.name.as_str()), ("none", "none"));
        assert_eq!((task.transcript.steps, task.costs.is_estimate), (0, true));
        // What was changed by hand is no work of the task.
        let outside = &all[usize::try_from(died.index).unwrap() - 1];
        assert_eq!((outside.kind, outside.before), (Kind::Outside, Some(before.after)));
        assert_eq!(died.before, Some(died.after));
        if round == 0 {
            let cut = usize::try_from(died.index).unwrap() + 1;
            let lines = fs::read_to_string(brain.member(RECEIPTS_FILE)).unwrap();
            let kept: String = lines.split_inclusive('\n').take(cut).collect();
            assert_eq!(kept.lines().count(), cut);
            return_to(&brain, &kept);
        }
    }
}

/// Sets the receipts and the log back to the end of the task before.
fn return_to(brain: &Brain, receipts: &str) {
    fs::write(brain.member(RECEIPTS_FILE), receipts).unwrap();
    fs::remove_file(brain.member(LOCK_FILE)).unwrap();
    let db = rusqlite::Connection::open(brain.member("memory.db")).unwrap();
    db.execute_batch("DELETE FROM task WHERE task = 't3'").unwrap();
}

#[tokio::test]
async fn a_hand_over_that_was_cut_short_is_finished_by_whoever_comes_next() {
    let next = |brain: &Brain| brain.key_file().with_extension("next.pem");
    // Before the files were moved, and between the two moves.
    for between in [false, true] {
        for rotates in [false, true] {
            let (shelf, brain) = after(&["t1"]).await;
            let old = fs::read(brain.key_file()).unwrap();
            let new = brain.rotate_key(2).unwrap();
            fs::rename(brain.key_file(), next(&brain)).unwrap();
            if !between {
                fs::rename(brain.key_file().with_extension("1.pem"), brain.key_file()).unwrap();
            }
            if rotates {
                assert_eq!(brain.rotate_key(3).unwrap(), new);
            } else {
                drop(shelf.begin(&brain, "t2", &OWNER).await);
            }
            assert_eq!(SigningKey::read(&brain.key_file()).unwrap().public(), new);
            assert_eq!(fs::read(brain.key_file().with_extension("1.pem")).unwrap(), old);
            assert!(!next(&brain).exists());
            shelf.task(&brain, "t3", &OWNER, |_| {}).await;
            receipts(&brain);
        }
    }
    // A key that nobody can read is never handed over to.
    let (_shelf, brain) = after(&["t1"]).await;
    fs::write(next(&brain), "half a k").unwrap();
    let before = fs::read(brain.member(RECEIPTS_FILE)).unwrap();
    assert!(matches!(brain.rotate_key(2), Err(BrainError::Key(_))));
    assert_eq!(fs::read(brain.member(RECEIPTS_FILE)).unwrap(), before);
}

#[tokio::test]
async fn a_lock_file_that_lies_is_told_and_written_anew() {
    let (shelf, brain) = after(&["t1"]).await;
    let path = brain.member(LOCK_FILE);
    let good: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let lie = |field: &str, value: Value| {
        let mut lying = good.clone();
        lying[field] = value;
        lying.to_string()
    };
    let zeros = format!("sha256:{}", "0".repeat(64));
    let other = "it is not about the state that was signed last";
    for (text, why) in [
        (Some(lie("bundleHash", zeros.clone().into())), other),
        (Some(lie("version", 99.into())), other),
        (Some(lie("receipts", 1.into())), other),
        (Some(lie("members", serde_json::json!({"system.md": zeros}))), other),
        (Some("{}".to_owned()), "it cannot be understood"),
        (None, "it is not there"),
    ] {
        match &text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let session = shelf.begin(&brain, "next", &OWNER).await;
        let expected = [format!("`bundle.lock.json` was written anew: {why}")];
        assert_eq!(session.settled().notes, expected, "{text:?}");
        drop(session);
        fs::remove_file(brain.member("task.json")).unwrap();
        let found: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(found["members"], good["members"]);
        assert_eq!(brain.lineage().unwrap().standing(), Standing::Same);
    }
    // One that is a receipt behind, as after a crash, is no lie.
    let behind = fs::read(&path).unwrap();
    shelf.task(&brain, "t2", &OWNER, |_| {}).await;
    fs::write(&path, behind).unwrap();
    assert_eq!(shelf.begin(&brain, "t3", &OWNER).await.settled().notes, Vec::<String>::new());
}
