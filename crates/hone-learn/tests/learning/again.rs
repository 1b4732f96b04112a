//! A task that is run again knows what was known when it began, and nothing that it found out itself.

use hone_agent::memory::Subscriber;
use hone_agent::run::{Order, Silence};
use hone_learn::after::{Host, Taught, after_correction, experience_of};
use hone_learn::gate::{Check, Finding};
use hone_learn::redact::Redactor;
use serde_json::json;

use crate::stage::{QUESTION, Stage, answer, call, create, long_way, read, short_way};

fn note(key: &str, value: &str, shared: bool) -> String {
    call("note", json!({"key": key, "value": value, "shared": shared}))
}

/// The long way, with what was found noted before the answer.
fn noting(notes: &[String]) -> Vec<String> {
    let mut replies = long_way("240");
    let last = replies.len() - 1;
    replies.splice(last..last, notes.iter().cloned());
    replies
}

/// What the `<memory>` of a request says.
fn memory(stage: &Stage, request: usize) -> String {
    let system = &stage.asked(request)[0].content;
    let rest = system.split_once("<memory>").map_or("", |(_, rest)| rest);
    rest.split_once("</memory>").map_or("", |(block, _)| block).to_owned()
}

#[tokio::test]
async fn what_a_task_noted_itself_is_in_neither_of_its_replays() {
    let mut stage = Stage::new();
    let old = [note("goods", "apples and pears", true), note("likes", "short answers", false)];
    stage.says(&[read("prices.csv"), old[0].clone(), old[1].clone(), answer("two goods")]);
    stage.task("Which goods are there?").await;

    let new = [
        note("where prices are", "prices.csv, second column", true),
        note("goods", "all of them cost 240", true),
        note("likes", "the number 240 alone", false),
    ];
    let mut replies = noting(&new);
    replies.push(create());
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let (report, aftermath) = stage.task(QUESTION).await;
    assert!(matches!(aftermath.result, Some(Taught::Landed { .. })), "{aftermath:?}");
    let turns = report.finished.cost.turns;
    let first = memory(&stage, 1);
    assert!(first.contains("- likes: short answers\n"), "{first}");
    assert!(first.ends_with("# Memory\n- goods: apples and pears\n"), "{first}");
    // After the task the author; then the task without the candidate, and with it.
    for request in [turns + 2, turns + 2 + 5] {
        assert_eq!(stage.asked(request).len(), 2, "the first turn of a run");
        assert_eq!(memory(&stage, request), first, "request {request}");
    }
    // The brain itself forgot nothing.
    stage.says(&[answer("240")]);
    stage.task(QUESTION).await;
    let now = memory(&stage, 1);
    assert!(now.contains("- where prices are: prices.csv") && now.contains("cost 240"), "{now}");
}

#[tokio::test]
async fn an_earlier_task_that_is_run_again_knows_nothing_of_later_ones_either() {
    let mut stage = crate::loops::taught().await;
    stage.settings.replays = 1;
    let short = short_way("sum-prices", "240");
    stage.says(&short);
    stage.task(QUESTION).await;
    // A later task notes the answer of the earlier one, and then a third teaches.
    stage.says(&[read("prices.csv"), note("sum", "240", true), answer("noted")]);
    stage.task("Note what the goods cost.").await;
    let edit = "REFINE sum-prices\nEDIT because step 2\n<<<<<<<\n3. Answer with the number alone.\n\
        =======\n3. Answer with the number alone, in cents.\n>>>>>>>\n";
    let hard = vec![short[0].clone(), read("cost.txt"), read("prices.csv"), answer("240")];
    let mut replies = hard.clone();
    replies.push(edit.to_owned());
    replies.extend(hard.clone());
    replies.extend(hard);
    replies.extend(short.clone());
    replies.extend(short);
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    assert!(matches!(aftermath.result, Some(Taught::Landed { .. })), "{aftermath:?}");
    // Both runs of the task that taught know the note; both runs of the earlier one do not.
    let known = [6, 10, 14, 17].map(|request| memory(&stage, request).contains("- sum: 240"));
    assert_eq!(known, [true, true, false, false]);
}

#[tokio::test]
async fn a_new_skill_is_tried_on_earlier_tasks_that_it_would_be_called_for() {
    let mut stage = Stage::new();
    stage.settings.replays = 2;
    let direct = [read("prices.csv"), answer("200")];
    // One of its kind, one of another, and one of its kind that was objected to.
    for (input, is_wrong) in [
        ("What do the goods of the other shop cost in total?", false),
        ("Who wrote the list?", false),
        ("What do the goods of the third shop cost in total?", true),
    ] {
        stage.says(&direct);
        let (order, report) = stage.run(input).await;
        stage.look_back(&order, &report).await;
        if is_wrong {
            stage.says(&["SKIP".to_owned()]);
            let redactor = Redactor::new(None);
            let (runner, settings) = (&stage.runner, &stage.settings);
            let host = Host { runner, settings, redactor: &redactor, referenced: &[] };
            after_correction(&host, experience_of(&order, &report), "no, that is wrong").await;
        }
    }
    let mut replies = long_way("240");
    replies.push(create());
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    // The other shop's sum is another one, and the lesson knows only this one.
    replies.extend(direct.clone());
    replies.extend(short_way("sum-prices", "240"));
    replies.push("NO".to_owned());
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Refused { why, .. }) = aftermath.result else { panic!("{aftermath:?}") };
    assert_eq!(why, "replay: 1 of 2 tasks go well only without it");
    assert_eq!(stage.requests(), replies.len());
    assert_eq!(stage.skills(), []);
}

#[tokio::test]
async fn a_task_of_a_subscriber_is_run_again_with_what_was_known_about_them() {
    let mut stage = Stage::new();
    let bo = Subscriber::named("bo").unwrap();
    let order = |stage: &Stage, input: &str| Order { subscriber: bo.clone(), ..stage.order(input) };
    let private = |value: &str| call("note", json!({"key": "likes", "value": value}));
    stage.says(&[read("prices.csv"), private("short answers"), answer("yes")]);
    stage.runner.run(&order(&stage, "I like short answers."), &Silence).await.unwrap();
    let mut replies = noting(&[private("240")]);
    replies.push(create());
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let order = order(&stage, QUESTION);
    let report = stage.runner.run(&order, &Silence).await.unwrap();
    let aftermath = stage.look_back(&order, &report).await;
    // What it taught waits for the owner, who sees that it was measured.
    let Some(Taught::Waits { why, proposal, .. }) = aftermath.result else {
        panic!("{aftermath:?}")
    };
    assert_eq!(why, "it was learned from a task of another subscriber");
    let replay = stage.records().proposal(&proposal).unwrap().checks.pop().unwrap();
    assert_eq!(
        (replay.check, replay.finding, replay.why.as_str()),
        (Check::Replay, Finding::Passed, "5 turns without it, 3 with it")
    );
    let first = memory(&stage, 1);
    assert!(first.ends_with("# About this subscriber\n- likes: short answers\n"), "{first}");
    assert_eq!([8, 13].map(|request| memory(&stage, request)), [first.clone(), first]);
}

#[tokio::test]
async fn what_a_person_wrote_stays_and_what_a_task_wrote_over_is_back() {
    let mut stage = Stage::new();
    stage.says(&[answer("hello")]);
    stage.task("Say hello.").await;
    let page = "# Memory\n\nMind the units.\n\n- goods: see the list\n- no key at all\n";
    std::fs::write(stage.brain.member("MEMORY.md"), page).unwrap();
    stage.says(&[read("prices.csv"), note("goods", "240 together", true), answer("240")]);
    let (_, report) = stage.run(QUESTION).await;
    let home = tempfile::tempdir().unwrap();
    let task = &report.finished.id;
    let copy = stage.brain.copy_before(home.path(), task, &Subscriber::Owner).unwrap();
    let copied = std::fs::read_to_string(copy.member("MEMORY.md")).unwrap();
    let back = "# Memory\n\nMind the units.\n\n- no key at all\n- goods: see the list\n";
    assert_eq!(copied, back);
    // A task that nobody knows noted nothing.
    let home = tempfile::tempdir().unwrap();
    let copy = stage.brain.copy_before(home.path(), "none", &Subscriber::Owner).unwrap();
    let copied = std::fs::read_to_string(copy.member("MEMORY.md")).unwrap();
    assert_eq!(copied, back.replace("see the list", "240 together"));
    assert!(!copy.member("memory.db").exists());
}
