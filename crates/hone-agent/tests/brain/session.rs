//! One task after the other, and all or nothing.

use std::time::Duration;

use hone_agent::brain::{Brain, BrainError, Editor, New, Owner, Waiting};
use hone_agent::lineage::receipt::Kind;
use hone_agent::memory::{Ending, Subscriber};
use hone_library::{Author, Mode, State, Store};
use tokio_util::sync::CancellationToken;

use crate::shelf::{NOW, Shelf, knowledge, open, opening, row};

const OWNER: Subscriber = Subscriber::Owner;

#[tokio::test]
async fn l19_a_second_task_waits_for_the_first_and_is_told_whose_turn_it_is() {
    let (shelf, brain) = Shelf::with_ada();
    let first = shelf.begin(&brain, "t1", &OWNER).await;
    let error = shelf.try_begin(&brain, "t2", &OWNER, Duration::ZERO).await.unwrap_err();
    let expected = format!(
        "the agent is busy with task t1 of process {} since 2026-11-16T06:00:00Z",
        std::process::id()
    );
    assert_eq!(error.to_string(), expected);
    let (told, heard) = tokio::sync::oneshot::channel();
    let told = std::sync::Mutex::new(Some(told));
    let tell = |owner: &Owner| {
        let told = told.lock().unwrap().take().expect("told once");
        told.send(owner.what.clone()).unwrap();
    };
    let cancelled = CancellationToken::new();
    let waiting = Waiting { patience: Duration::from_secs(60), cancelled: &cancelled, tell: &tell };
    let next = opening("t2", &OWNER);
    let second = brain.begin(&next, &waiting, NOW);
    // The second waits until the first is through.
    let (second, what) = tokio::join!(second, async {
        let what = heard.await.unwrap();
        first.finish(&row("t1", &OWNER, Ending::Answered)).unwrap();
        what
    });
    assert_eq!((second.unwrap().task(), what.as_str()), ("t2", "task t1"));
}

#[tokio::test]
async fn who_waits_can_be_stopped() {
    let (shelf, brain) = Shelf::with_ada();
    let _first = shelf.begin(&brain, "t1", &OWNER).await;
    let cancelled = CancellationToken::new();
    let stop = cancelled.clone();
    let tell = move |_: &Owner| stop.cancel();
    let waiting = Waiting { patience: Duration::from_secs(60), cancelled: &cancelled, tell: &tell };
    let error = brain.begin(&opening("t2", &OWNER), &waiting, NOW).await.unwrap_err();
    assert!(matches!(error, BrainError::Cancelled), "{error}");
}

#[tokio::test]
async fn different_brains_do_not_wait_for_each_other() {
    let (shelf, ada) = Shelf::with_ada();
    let bob = Brain::create(&shelf.home, "bob", &New::default()).unwrap();
    let _first = shelf.begin(&ada, "t1", &OWNER).await;
    shelf.try_begin(&bob, "t2", &OWNER, Duration::ZERO).await.unwrap();
}

fn learn(shelf: &Shelf, brain: &Brain, task: &str) {
    shelf.upsert(brain, task, "oracle", "Checks oracles.\n\nSecond thoughts.\n");
    shelf.upsert(brain, task, "oracle", "Checks oracles.\n\nThird thoughts.\n");
    shelf.upsert(brain, task, "fresh", "A new skill.\n");
    let state = shelf.state.lock().unwrap();
    let catalogue = brain.catalogue(&state);
    let gone = catalogue.skills.iter().find(|skill| skill.summary.name == "gone").unwrap();
    let author = Author { actor: hone_agent::brain::actor(task), reason: String::new(), now: NOW };
    Store::new(&state, author, Mode::Write).delete(gone).unwrap();
}

/// A brain with two skills, one of them never touched by hone.
fn learned() -> (Shelf, Brain) {
    let (shelf, brain) = Shelf::with_ada();
    shelf.upsert(&brain, "t0", "oracle", "Checks oracles.\n\nFirst thoughts.\n");
    let flat = "---\nname: gone\ndescription: Was put there by hand.\n---\nBy hand.\n";
    std::fs::write(brain.member("skills/gone.md"), flat).unwrap();
    (shelf, brain)
}

#[tokio::test]
async fn an_answered_task_leaves_everything_it_learned() {
    let (shelf, brain) = learned();
    shelf
        .task(&brain, "t1", &OWNER, |session| {
            learn(&shelf, &brain, "t1");
            session.remembering().draft().note("a", "1", true, NOW).unwrap();
        })
        .await;
    assert_eq!(shelf.skills(&brain), ["fresh", "oracle"]);
    assert_eq!(open(&brain).facts(&OWNER).unwrap().len(), 1);
    assert!(!brain.member("task.json").exists());
}

#[tokio::test]
async fn a_task_without_an_answer_leaves_its_log_and_nothing_it_learned() {
    for ending in [Ending::NotConverged, Ending::Failed, Ending::Cancelled] {
        let (shelf, brain) = learned();
        let before = knowledge(&brain);
        let session = shelf.begin(&brain, "t1", &OWNER).await;
        learn(&shelf, &brain, "t1");
        session.remembering().draft().note("a", "1", true, NOW).unwrap();
        session.remembering().draft().say("user", "a question", NOW);
        let (kept, _) = session.finish(&row("t1", &OWNER, ending)).unwrap();
        assert_eq!(kept, []);
        assert_eq!(knowledge(&brain), before, "{ending:?}");
        let memory = open(&brain);
        let log = memory.tasks(10).unwrap();
        assert_eq!((log.len(), log[0].ending), (1, ending));
        assert_eq!(memory.counts().unwrap().messages, 1);
    }
}

#[tokio::test]
async fn a_session_that_was_dropped_is_settled_by_the_next() {
    let (shelf, brain) = learned();
    let before = knowledge(&brain);
    let session = shelf.begin(&brain, "t1", &OWNER).await;
    learn(&shelf, &brain, "t1");
    drop(session);
    let next = shelf.begin(&brain, "t2", &OWNER).await;
    assert_eq!(next.settled().dead.as_deref(), Some("t1"));
    assert_eq!(next.settled().kept, []);
    assert_eq!(knowledge(&brain), before);
}

#[tokio::test]
async fn what_somebody_else_changed_meanwhile_is_not_taken_back() {
    let (shelf, brain) = learned();
    let session = shelf.begin(&brain, "t1", &OWNER).await;
    learn(&shelf, &brain, "t1");
    let path = brain.member("skills/oracle/SKILL.md");
    let by_hand = std::fs::read_to_string(&path).unwrap().replace("Third", "My own");
    std::fs::write(&path, &by_hand).unwrap();
    let (kept, _) = session.finish(&row("t1", &OWNER, Ending::Failed)).unwrap();
    let key = std::fs::canonicalize(brain.member("skills/oracle")).unwrap();
    assert_eq!(kept, [(key, "it was changed since, by hand".to_owned())]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), by_hand);
    assert_eq!(shelf.skills(&brain), ["gone", "oracle"]);
}

#[tokio::test]
async fn a_commit_whose_files_were_not_written_is_finished_at_the_next_opening() {
    let (shelf, brain) = Shelf::with_ada();
    shelf
        .task(&brain, "t1", &OWNER, |session| {
            session.remembering().draft().note("a", "1", true, NOW).unwrap();
        })
        .await;
    // As if the process had died after the transaction and before the file.
    let db = rusqlite::Connection::open(brain.member("memory.db")).unwrap();
    db.execute(
        "INSERT INTO pending(shared, audience, key, value, at) VALUES (1, '', 'b', '2', 0)",
        [],
    )
    .unwrap();
    drop(db);
    for task in ["t2", "t3"] {
        drop(shelf.begin(&brain, task, &OWNER).await);
        let file = std::fs::read_to_string(brain.member("MEMORY.md")).unwrap();
        assert_eq!(file, "# Memory\n- a: 1\n- b: 2\n");
    }
}

#[tokio::test]
async fn only_the_owner_shares_unless_the_settings_say_so() {
    let (shelf, brain) = Shelf::with_ada();
    let bob = crate::shelf::somebody("bob");
    assert!(shelf.begin(&brain, "t1", &OWNER).await.remembering().may_share);
    assert!(!shelf.begin(&brain, "t2", &bob).await.remembering().may_share);
    std::fs::write(brain.member("agent.toml"), "[memory]\nshare = \"everyone\"\n").unwrap();
    assert!(shelf.begin(&brain, "t3", &bob).await.remembering().may_share);
}

#[tokio::test]
async fn a_change_by_a_command_waits_for_the_task_and_is_signed_after_what_others_did() {
    let (shelf, brain) = Shelf::with_ada();
    let first = shelf.begin(&brain, "t1", &OWNER).await;
    let (told, heard) = tokio::sync::oneshot::channel();
    let (home, folder) = (shelf.home.clone(), brain.folder.clone());
    let command = std::thread::spawn(move || {
        let told = std::cell::Cell::new(Some(told));
        let tell =
            |owner: &Owner| told.take().expect("told once").send(owner.what.clone()).unwrap();
        let editor = Editor { hone_home: &home, what: "hone edit", now: NOW, tell: &tell };
        let write = |_: &State| -> Result<(), BrainError> {
            std::fs::write(folder.join("system.md"), "You are Bob.\n").unwrap();
            Ok(())
        };
        let state = State::open(&home);
        editor.edit(&folder.join("skills/gone/SKILL.md"), || &state, write).unwrap();
    });
    assert_eq!(heard.await.unwrap(), "task t1");
    assert_eq!(brain.system().unwrap(), "You are Ada.\n");
    first.finish(&row("t1", &OWNER, Ending::Answered)).unwrap();
    std::fs::write(brain.member("MEMORY.md"), "- by: hand\n").unwrap();
    command.join().unwrap();
    let receipts = brain.receipts().unwrap();
    let kinds: Vec<Kind> = receipts.iter().map(|receipt| receipt.kind).collect();
    assert_eq!(kinds, [Kind::Created, Kind::Task, Kind::Outside, Kind::Edited]);
    let changes: Vec<&[String]> = receipts.iter().map(|receipt| &receipt.changes[..]).collect();
    let [memory, system] = ["MEMORY.md", "system.md"].map(|name| [name.to_owned()]);
    assert_eq!(changes, [&[][..], &[], &memory, &system]);
}

#[test]
fn a_change_elsewhere_is_no_brains_and_one_that_fails_half_way_is_signed() {
    let (shelf, brain) = Shelf::with_ada();
    let tell = |_: &Owner| {};
    let editor = Editor { hone_home: &shelf.home, what: "hone edit", now: NOW, tell: &tell };
    let elsewhere = shelf.home.join("agents-of-others/skills");
    let (state, states) = (State::open(&shelf.home), std::cell::Cell::new(0));
    let open = || {
        states.set(states.get() + 1);
        &state
    };
    editor.edit(&elsewhere, open, |_: &State| Ok::<_, BrainError>(())).unwrap();
    assert_eq!((states.get(), brain.receipts().unwrap().len()), (1, 0));
    let fails = |_: &State| -> Result<(), BrainError> {
        std::fs::write(brain.member("system.md"), "You are Bob.\n").unwrap();
        Err(BrainError::Cancelled)
    };
    let error = editor.edit(&brain.folder, open, fails).unwrap_err();
    assert!(matches!(error, BrainError::Cancelled), "{error}");
    let kinds: Vec<Kind> = brain.receipts().unwrap().iter().map(|one| one.kind).collect();
    assert_eq!((states.get(), &kinds[..]), (1, &[Kind::Created, Kind::Edited][..]));
}
