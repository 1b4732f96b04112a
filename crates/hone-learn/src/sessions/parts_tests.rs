use std::fs;

use serde_json::json;

use super::tests::{claude, lines, outcomes, read_text};
use super::*;

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// A call of a tool and its answer, as messages.
fn ran(id: &str, command: &str) -> [Value; 2] {
    let function =
        json!({"name": "terminal", "arguments": json!({"command": command}).to_string()});
    [
        json!({"role": "assistant", "content": "", "tool_calls": [{"id": id, "function": function}]}),
        json!({"role": "tool", "tool_call_id": id, "content": "ok"}),
    ]
}

fn tasks_of(records: &[Value]) -> Vec<Experience> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, lines(records)).unwrap();
    let found = in_file(&path).unwrap();
    let tasks = read_tasks(&found).unwrap();
    let listed = Summary::of(&found, &crate::redact::Redactor::default()).unwrap();
    assert_eq!(listed.tasks, tasks.len());
    tasks
}

#[test]
fn what_is_asked_after_an_answer_is_a_task_of_its_own() {
    let [build, built] = ran("1", "make");
    let [test, tested] = ran("2", "make test");
    let [plot, plotted] = ran("3", "gnuplot sales.gp");
    let records = [
        said("user", "Build the shop, please"),
        build,
        built,
        said("assistant", "It builds."),
        said("user", "now run the tests as well"),
        test,
        tested,
        said("assistant", "They pass."),
        said("user", "No, not all of them, only the fast ones"),
        said("assistant", "Those pass too."),
        said("user", "thanks!"),
        said("assistant", "You are welcome."),
        said("user", "Draw the sales of last month"),
        plot,
        plotted,
    ];
    let tasks = tasks_of(&records);
    let told: Vec<(&str, usize, usize, bool, Option<&str>)> = tasks
        .iter()
        .map(|task| {
            let (steps, corrections) = (task.steps.len(), task.corrections.len());
            (task.task.as_str(), steps, corrections, task.converged, task.answer.as_deref())
        })
        .collect();
    let welcome = Some("You are welcome.");
    assert_eq!(
        told,
        [
            ("Build the shop, please", 2, 1, true, welcome),
            ("Draw the sales of last month", 1, 0, false, None),
        ]
    );
    assert_eq!(tasks[1].steps[0].id, "3");
    // All of it as one is still what it was.
    let whole = read_text("s.jsonl", &lines(&records));
    assert_eq!((whole.steps.len(), whole.task.as_str()), (3, "Build the shop, please"));
}

#[test]
fn tasks_without_a_call_are_passed_over_unless_there_is_no_other() {
    let [build, built] = ran("1", "make");
    let talk = [said("user", "What does this shop sell?"), said("assistant", "Bolts.")];
    let work = [said("user", "Build the shop, please"), build, built];
    let only = tasks_of(&talk);
    assert_eq!((only.len(), only[0].steps.len()), (1, 0));
    // Nothing was called yet, so both messages are what the work is about.
    let both = tasks_of(&[&talk[..], &work[..]].concat());
    assert_eq!(both.len(), 1);
    assert_eq!(both[0].task, "What does this shop sell?\nBuild the shop, please");
}

#[test]
fn so_many_tasks_are_told_apart_and_the_rest_belongs_to_the_last() {
    let session = |count: usize| {
        let mut records = Vec::new();
        for task in 0..count {
            records.push(said("user", &format!("Please make target number {task}")));
            records.extend(ran(&task.to_string(), "make"));
            records.push(said("assistant", &format!("Target {task} is made.")));
        }
        tasks_of(&records)
    };
    assert_eq!(session(MAX_TASKS).len(), MAX_TASKS);
    let past = session(MAX_TASKS + 1);
    assert_eq!((past.len(), past[MAX_TASKS - 1].steps.len()), (MAX_TASKS, 2));
}

#[test]
fn a_helpers_file_is_a_session_of_its_own_and_no_part_of_anothers() {
    let record = |kind: &str, content: Value| {
        json!({
            "isSidechain": true, "type": kind, "sessionId": "c0ffee", "agentId": "a1b2", "cwd": "/w/shop",
            "message": {"id": "m", "role": kind, "content": content},
            "timestamp": "2026-11-01T10:00:00.000Z",
        })
    };
    let call =
        json!([{"type": "tool_use", "id": "t", "name": "Grep", "input": {"pattern": "MAX_"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": "limits.rs"}]);
    let records = [
        record("user", json!("Find where the limits are defined")),
        record("assistant", call),
        record("user", result),
        record("assistant", json!([{"type": "text", "text": "In limits.rs."}])),
    ];
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-w-shop/c0ffee/subagents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("agent-a1b2.jsonl"), lines(&records)).unwrap();
    fs::write(home.path().join(".claude/projects/-w-shop/c0ffee.jsonl"), lines(&claude())).unwrap();
    let around = hone_library::Surroundings {
        cwd: home.path().to_owned(),
        user_home: home.path().to_owned(),
        hone_home: home.path().join(".hone"),
        platform: "linux".to_owned(),
        moved: std::collections::BTreeMap::new(),
    };
    let places = Places::of(&around);
    let ids = |located: Located| -> Vec<String> {
        let mut ids: Vec<String> = located.sessions.into_iter().map(|found| found.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(places.locate(|_| true)), ["c0ffee"]);
    assert_eq!(ids(places.locate_with(|_| true, Helpers::Too)), ["agent-a1b2", "c0ffee"]);
    let found = places.find("agent-a1b2", home.path()).unwrap();
    let experience = read(&found).unwrap();
    assert_eq!(experience.task, "Find where the limits are defined");
    assert_eq!((outcomes(&experience), experience.converged), (vec![("Grep", "ok")], true));
}
