//! The whole loop: a hard task becomes a skill, the skill makes the next task shorter, a worse version is
//! refused by a replay, and one that landed all the same goes back by what came of it.

use hone_agent::lineage::receipt::Kind;
use hone_learn::after::{Host, Taught, after_correction, experience_of};
use hone_learn::curator::restore;
use hone_learn::gate::{Check, Finding};
use hone_learn::proposal::{Outcome, Stage as Life};
use hone_learn::redact::Redactor;
use hone_learn::review::{Person, Word, accept, changes};
use hone_library::{Action, Author, Mode, State, Store, canonical_or_same, history};
use tokio_util::sync::CancellationToken;

use crate::curating::missed_at;
use crate::stage::{NOW, QUESTION, Stage, answer, create, long_way, read, short_way, view};

/// A refinement that sends the reader to a file that is not there.
const WORSE: &str = "REFINE sum-prices\nEDIT because step 2\n<<<<<<<\n\
    1. Read prices.csv with `read_file`. Done when every line is seen.\n=======\n\
    1. Read costs.csv with `read_file`. Done when every line is seen.\n>>>>>>>\n";

/// Makes the skill: a hard task, the author's reply, and the replay without and with it.
pub(crate) async fn taught() -> Stage {
    let mut stage = Stage::new();
    let mut replies = long_way("240");
    replies.push(create());
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let (report, aftermath) = stage.task(QUESTION).await;
    assert_eq!(report.finished.cost.turns, 5);
    assert_eq!(aftermath.notes, Vec::<String>::new());
    assert_eq!(aftermath.asked.as_deref(), Some("a call failed and a later one worked"));
    let Some(Taught::Landed { name, kind, version, receipt, .. }) = aftermath.result else {
        panic!("{aftermath:?}");
    };
    assert_eq!(
        (name.as_str(), kind.as_str(), version.as_deref()),
        ("sum-prices", "create", Some("1"))
    );
    assert_eq!(receipt, Some(2));
    // One reply of the author, five turns without the skill, three with it.
    assert_eq!((aftermath.spent.replies, aftermath.spent.tokens()), (9, 990));
    stage
}

#[tokio::test]
async fn a_hard_task_becomes_a_skill_that_makes_the_next_one_shorter() {
    let mut stage = taught().await;
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
    assert_eq!(stage.receipts(), [Kind::Created, Kind::Task, Kind::Learned]);
    let records = stage.records();
    let proposal = &records.proposals().unwrap()[0];
    let found: Vec<(Check, Finding)> =
        proposal.checks.iter().map(|checked| (checked.check, checked.finding)).collect();
    assert_eq!(found, Check::ALL.map(|check| (check, Finding::Passed)));
    assert_eq!(proposal.checks[4].why, "5 turns without it, 3 with it");
    assert_eq!(proposal.examples[0], QUESTION);
    assert_eq!(records.stage("ada", "sum-prices").unwrap().unwrap().0, Life::Trial);

    stage.says(&short_way("sum-prices", "240"));
    let (report, aftermath) = stage.task("How much do the goods cost together?").await;
    assert_eq!(report.finished.cost.turns, 3);
    assert!(stage.asked(1)[0].content.contains("sum-prices"));
    assert_eq!((aftermath.asked, aftermath.result), (None, None));
    for _ in 0..2 {
        stage.says(&short_way("sum-prices", "240"));
        stage.task(QUESTION).await;
    }
    assert_eq!(records.stage("ada", "sum-prices").unwrap().unwrap().0, Life::Active);
    let seen = records.seen("ada", "sum-prices").unwrap();
    let used = seen.iter().filter(|one| one.loaded && one.success()).count();
    assert_eq!((used, seen.iter().all(|one| one.at >= NOW)), (3, true));
}

/// The second half: the skill was used three times, then a task taught a worse version.
async fn refused() -> (Stage, String) {
    let mut stage = taught().await;
    for _ in 0..3 {
        stage.says(&short_way("sum-prices", "240"));
        stage.task(QUESTION).await;
    }
    let hard = vec![view("sum-prices"), read("cost.txt"), read("prices.csv"), answer("240")];
    let mut replies = hard.clone();
    replies.push(WORSE.to_owned());
    // Without the candidate as before; with it, the file is not found, and the answer is another.
    replies.extend(hard);
    replies.extend([view("sum-prices"), read("costs.csv"), read("prices.csv"), answer("17")]);
    replies.push("NO".to_owned());
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Refused { name, proposal, why }) = aftermath.result else {
        panic!("{aftermath:?}");
    };
    assert_eq!(name, "sum-prices");
    assert_eq!(why, "replay: 1 of 1 tasks go well only without it");
    (stage, proposal)
}

#[tokio::test]
async fn a_worse_refinement_is_refused_by_the_replay_and_nothing_changes() {
    let (stage, id) = refused().await;
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
    assert!(stage.text("sum-prices").contains("Read prices.csv"));
    let proposal = stage.records().proposal(&id).unwrap();
    assert_eq!(proposal.decided.as_ref().unwrap().outcome, Outcome::Refused);
    let evidence = &proposal.edits[0].evidence[0];
    assert!(evidence.what.starts_with("read_file failed"), "{evidence:?}");
    let learned = stage.receipts().iter().filter(|kind| **kind == Kind::Learned).count();
    assert_eq!(learned, 1);
}

#[tokio::test]
async fn a_regression_that_landed_goes_back_by_what_came_of_its_tasks() {
    let (mut stage, id) = refused().await;
    let before = stage.text("sum-prices");
    let records = stage.records();
    let person = Person { name: "pat", why: "I know better", now: stage.now(), word: Word::Person };
    let token = CancellationToken::new();
    let home = stage.home();
    let accepted = accept(&home, &stage.runner.policy, &records, &id, person, &token).await;
    assert_eq!(accepted.unwrap().1.version.as_deref(), Some("2"));
    assert!(stage.text("sum-prices").contains("Read costs.csv"));

    let lost: Vec<String> = (0..7).map(|n| read(&format!("costs-{n}.csv"))).collect();
    for task in 1..=3 {
        let mut replies = vec![view("sum-prices")];
        replies.extend(lost.clone());
        stage.says(&replies);
        let (report, aftermath) = stage.task(QUESTION).await;
        assert!(report.finished.answer().is_none());
        assert_eq!(aftermath.asked, None, "a task without an answer teaches nothing");
        assert_eq!(aftermath.rolled_back.len(), usize::from(task == 3), "task {task}");
        if task == 3 {
            let why = &aftermath.rolled_back[0].why;
            assert_eq!(
                why,
                "version 2 0 of 3 tasks went well, 4 of 4 before (p 0.03); back to version 1"
            );
        }
    }
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
    assert_eq!(stage.text("sum-prices"), before);
    let state = State::open(&home);
    let key = canonical_or_same(stage.known().listed[0].key());
    let rows = history(&state, &key).unwrap();
    let last = rows.last().unwrap();
    assert_eq!((last.action, last.actor.as_str()), (Action::Rollback, "learn"));
    assert!(last.reason.contains("version 2 does worse: 0 of 3"), "{}", last.reason);
    let proposal = records.proposal(&id).unwrap();
    assert_eq!(proposal.decided.unwrap().outcome, Outcome::RolledBack);
    assert_eq!((proposal.edits[0].helped, proposal.edits[0].hurt), (0, 3));
    assert_eq!(records.events(1).unwrap()[0].what, "rolled-back");
    assert_eq!(stage.receipts().last(), Some(&Kind::Learned));
}

#[tokio::test]
async fn a_skill_that_its_own_task_does_not_read_is_refused() {
    let mut stage = Stage::new();
    let mut replies = long_way("240");
    replies.push(create());
    replies.extend(long_way("240"));
    replies.extend(long_way("240"));
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Refused { why, .. }) = aftermath.result else { panic!("{aftermath:?}") };
    assert_eq!(why, "replay: the task that it is about was done without reading it");
    assert_eq!(stage.skills(), []);
}

#[tokio::test]
async fn a_skill_with_a_title_for_a_name_is_known_by_its_slug() {
    let mut stage = Stage::new();
    let mut replies = long_way("240");
    replies.push(create().replace("name: sum-prices", "name: Sum Prices"));
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Landed { name, .. }) = aftermath.result else { panic!("{aftermath:?}") };
    assert_eq!((name.as_str(), stage.skills().len()), ("sum-prices", 1));
}

/// A task that reads the skill, meets a dead end and teaches one changed line, which passes the replay.
async fn refined(stage: &mut Stage, old: &str, new: &str) -> String {
    let hard = vec![view("sum-prices"), read("cost.txt"), read("prices.csv"), answer("240")];
    let mut replies = hard.clone();
    replies.push(format!(
        "REFINE sum-prices\nEDIT because step 2\n<<<<<<<\n{old}\n=======\n{new}\n>>>>>>>\n"
    ));
    replies.extend(hard.clone());
    replies.extend(hard);
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Landed { version, .. }) = aftermath.result else { panic!("{aftermath:?}") };
    version.unwrap()
}

/// Tasks that read the skill and come to no end; what went back after the last of them.
async fn lost(stage: &mut Stage, tasks: usize) -> Vec<String> {
    let mut replies = vec![view("sum-prices")];
    replies.extend((0..7).map(|n| read(&format!("costs-{n}.csv"))));
    let mut gone = Vec::new();
    for _ in 0..tasks {
        assert_eq!(gone, Vec::<String>::new());
        stage.says(&replies);
        let (_, aftermath) = stage.task(QUESTION).await;
        gone = aftermath.rolled_back.into_iter().map(|told| told.why).collect();
    }
    gone
}

#[tokio::test]
async fn what_came_of_a_version_that_went_back_is_not_laid_to_the_next_one() {
    let mut stage = taught().await;
    for _ in 0..4 {
        stage.says(&short_way("sum-prices", "240"));
        stage.task(QUESTION).await;
    }
    let last = "3. Answer with the number alone.";
    assert_eq!(refined(&mut stage, last, "3. Answer with the number.").await, "2");
    let gone = lost(&mut stage, 3).await;
    assert_eq!(
        gone,
        ["version 2 0 of 3 tasks went well, 5 of 5 before (p 0.02); back to version 1"]
    );
    assert_eq!(refined(&mut stage, last, "3. Say the number alone.").await, "3");
    stage.says(&short_way("sum-prices", "240"));
    let (_, aftermath) = stage.task(QUESTION).await;
    assert_eq!(aftermath.rolled_back, []);
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "3".to_owned())]);
    // It is measured by what it was made from, not by what was used last.
    let gone = lost(&mut stage, 3).await;
    assert_eq!(
        gone,
        ["version 3 1 of 4 tasks went well, 6 of 6 before (p 0.03); back to version 1"]
    );
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
    let proposals = stage.records().proposals().unwrap();
    let fates: Vec<Outcome> =
        proposals.iter().map(|one| one.decided.as_ref().unwrap().outcome).collect();
    assert_eq!(fates, [Outcome::RolledBack, Outcome::RolledBack, Outcome::Landed]);
}

/// A first version that does worse than the eight tasks without it, by its third task.
async fn worse() -> Stage {
    let stage = taught().await;
    for task in 0..8 {
        stage.records().see("ada", "sum-prices", &missed_at(NOW - task)).unwrap();
    }
    stage
}

#[tokio::test]
async fn what_a_person_brought_back_is_judged_by_what_comes_of_it_from_then_on() {
    let mut stage = worse().await;
    let gone = lost(&mut stage, 3).await;
    assert_eq!(gone.len(), 1, "{gone:?}");
    assert!(gone[0].ends_with("8 of 8 before (p 0.01); archived"), "{gone:?}");
    let key = stage.brain.skills_root().path.join("sum-prices");
    let author = Author { actor: "pat".to_owned(), reason: String::new(), now: stage.now() };
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    restore(&home, &records, &key, author, &token).await.unwrap();
    stage.says(&short_way("sum-prices", "240"));
    let (_, aftermath) = stage.task(QUESTION).await;
    assert_eq!(aftermath.rolled_back, []);
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
    // What goes wrong from then on counts.
    let gone = lost(&mut stage, 3).await;
    assert!(gone[0].starts_with("version 1 1 of 4 tasks went well, 8 of 8 before"), "{gone:?}");
}

#[tokio::test]
async fn a_pinned_version_that_does_worse_stays_and_its_tasks_still_teach() {
    let mut stage = worse().await;
    let state = State::open(&stage.home());
    let author = Author { actor: "pat".to_owned(), reason: String::new(), now: stage.now() };
    Store::new(&state, author, Mode::Write).pin(&stage.known().listed[0]).unwrap();
    assert_eq!(lost(&mut stage, 3).await, Vec::<String>::new());
    let hard = vec![view("sum-prices"), read("cost.txt"), read("prices.csv"), answer("240")];
    stage.says(&[hard, vec!["SKIP".to_owned()]].concat());
    let (_, aftermath) = stage.task(QUESTION).await;
    assert_eq!(
        aftermath.notes,
        [
            "`sum-prices` does worse (1 of 4 tasks went well, 8 of 8 before (p 0.02)) and stays, for it is \
          pinned; `hone unpin sum-prices` lets it go back"
        ]
    );
    assert_eq!(aftermath.result, Some(Taught::Skipped));
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
}

#[tokio::test]
async fn a_late_correction_is_counted_for_the_version_that_its_task_read() {
    let mut stage = taught().await;
    stage.says(&short_way("sum-prices", "240"));
    let (order, report) = stage.run(QUESTION).await;
    stage.look_back(&order, &report).await;
    let last = "3. Answer with the number alone.";
    assert_eq!(refined(&mut stage, last, "3. Answer with the number.").await, "2");
    stage.says(&short_way("sum-prices", "240"));
    stage.task(QUESTION).await;
    let records = stage.records();
    let counted = || {
        let newest = records.proposals().unwrap().remove(0);
        (newest.edits[0].helped, newest.edits[0].hurt)
    };
    let times = || -> Vec<i64> {
        records.seen("ada", "sum-prices").unwrap().iter().map(|one| one.at).collect()
    };
    let before = (counted(), times());
    assert_eq!(before.0, (1, 0));
    // What it changed can still be seen, though it landed.
    let shown = changes(&stage.home(), &records.proposals().unwrap()[0]);
    let line = |text: &Option<Vec<u8>>| {
        let text = String::from_utf8(text.clone().unwrap()).unwrap();
        text.lines().last().unwrap().to_owned()
    };
    let shown: Vec<_> =
        shown.iter().map(|one| (one.file.as_str(), line(&one.before), line(&one.after))).collect();
    let now = "3. Answer with the number.";
    assert_eq!(shown, [("SKILL.md", last.to_owned(), now.to_owned())]);
    stage.says(&["SKIP".to_owned()]);
    let redactor = Redactor::new(None);
    let (runner, settings) = (&stage.runner, &stage.settings);
    let host = Host { runner, settings, redactor: &redactor, referenced: &[] };
    after_correction(&host, experience_of(&order, &report), "no, that is wrong").await;
    assert_eq!((counted(), times()), before);
    let wrong = records.seen("ada", "sum-prices").unwrap();
    let wrong: Vec<&str> =
        wrong.iter().filter(|one| one.corrected).map(|one| one.version.as_str()).collect();
    assert_eq!(wrong, ["1"]);
}
