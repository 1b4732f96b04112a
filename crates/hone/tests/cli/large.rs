//! Ten thousand skills.

use std::collections::BTreeSet;

use crate::harness::Sandbox;

const SKILLS: usize = 10_000;

/// Case 80: whatever the size, JSON on a pipe is whole, and every skill is in it.
#[test]
fn json_on_a_pipe_is_whole() {
    let sandbox = Sandbox::new();
    let description = format!("Does it. {}", "Use when it is needed. ".repeat(15));
    for number in 0..SKILLS {
        sandbox.skill(
            &format!("root/{}", number % 100),
            &format!("skill-{number}"),
            description.trim(),
        );
    }
    for round in ["cold", "warm"] {
        let run = sandbox.hone("list --json --root ../root").run();
        assert_eq!((run.code, run.errors().as_str()), (0, ""), "{round}");
        assert!(run.stdout.len() > 4_000_000, "{round}: {} bytes", run.stdout.len());
        assert!(run.stdout.ends_with(b"}\n"), "{round}");
        let json = run.json();
        let names: BTreeSet<&str> = json["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|skill| skill["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.len(), SKILLS, "{round}");
        assert_eq!(json["skipped"], serde_json::json!([]), "{round}");
    }
    let run = sandbox.hone("check --format json ../root").run();
    assert_eq!(run.json()["files"].as_array().unwrap().len(), SKILLS);
    let overview = sandbox.hone("--root ../root").run().text();
    assert!(overview.lines().count() <= 24, "{overview}");
}
