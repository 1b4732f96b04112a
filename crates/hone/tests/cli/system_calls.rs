//! Cost, counted and not timed.

use hone_library::{Author, Mode, State, Store};
use serde_json::json;

use crate::agents::{Server, answer, call};
use crate::harness::{Sandbox, need};

const SKILLS: usize = 500;
const MAX_CALLS_PER_SKILL: usize = 6;

/// The lines of a trace of one command that are system calls.
fn calls(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let trace = sandbox.path("tmp/trace");
    let strace = ["strace", "-f", "-o", trace.to_str().unwrap()];
    sandbox.hone(line).run_under(&strace).json();
    let is_call = |line: &&str| line.contains('(') && !line.contains("resumed>");
    sandbox.read("tmp/trace").lines().filter(is_call).map(str::to_owned).collect()
}

#[test]
fn a_warm_match_asks_the_disk_about_no_skill_again() {
    need("strace");
    let sandbox = Sandbox::new();
    for number in 0..SKILLS {
        sandbox.skill("root", &format!("skill-{number}"), "Does it.");
    }
    let matching = "match --json --root ../root does-it";
    sandbox.done(matching);
    sandbox.done(matching);
    let listed = calls(&sandbox, "list --json --root ../root").len();
    let matched = calls(&sandbox, matching);
    // What is read of the index depends on the words of the message, not on the number of skills.
    assert!(
        matched.len() > SKILLS && matched.len() < listed + SKILLS,
        "{} {listed}",
        matched.len()
    );
    let opened = matched.iter().find(|line| line.contains("open") && line.contains("SKILL.md"));
    assert_eq!(opened, None, "a warm match opened a skill");
}

#[test]
fn a_warm_listing_reads_no_skill_and_makes_at_most_six_calls_for_each() {
    need("strace");
    let sandbox = Sandbox::new();
    for number in 0..SKILLS {
        sandbox.skill("root", &format!("skill-{number}"), "Does it.");
    }
    sandbox.done("list --json --root ../root");
    let trace = sandbox.path("tmp/trace");
    let run = sandbox.hone("list --json --root ../root").run_under(&[
        "strace",
        "-f",
        "-o",
        trace.to_str().unwrap(),
    ]);
    assert_eq!(run.json()["skills"].as_array().unwrap().len(), SKILLS);
    let trace = sandbox.read("tmp/trace");
    let is_call = |line: &&str| line.contains('(') && !line.contains("resumed>");
    let calls = trace.lines().filter(is_call).count();
    assert!(
        calls > SKILLS,
        "the trace is not one:\n{}",
        trace.lines().take(20).collect::<String>()
    );
    assert!(
        calls <= SKILLS * MAX_CALLS_PER_SKILL,
        "{calls} system calls for {SKILLS} skills, {} each",
        calls / SKILLS
    );
    let opened = trace.lines().find(|line| line.contains("open") && line.contains("SKILL.md"));
    assert_eq!(opened, None, "a warm listing opened a skill");
}

/// Two looks at the state, one listing of the skills, and what the index of a prompt needs.
const MAX_CALLS_PER_SKILL_OF_A_TASK: usize = 8;

#[test]
fn a_task_opens_no_skill_and_no_folder_that_stayed_and_asks_eight_times_about_each() {
    need("strace");
    let replies = [call("list_files", json!({})), answer("done")];
    let replies: Vec<String> = std::iter::repeat_n(replies, 40).flatten().collect();
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    for number in 0..20 {
        sandbox.skill("state/agents/ada/skills", &format!("skill-{number}"), "Does it.");
    }
    let trace = sandbox.path("tmp/trace");
    let about_one = || -> Vec<String> {
        let strace = ["strace", "-f", "-o", trace.to_str().unwrap()];
        let run = sandbox.hone("run --no-learn ada look").run_under(&strace);
        assert_eq!(run.text(), "done\n", "{run}");
        let text = sandbox.read("tmp/trace");
        let is_call = |line: &&str| line.contains("/skills/skill-7") && !line.contains("resumed>");
        text.lines().filter(is_call).map(str::to_owned).collect()
    };
    // What was written just now is looked at again until its times can be believed.
    let calls =
        (0..30).map(|_| about_one()).find(|calls| !calls.iter().any(|line| line.contains("open")));
    let calls = calls.unwrap_or_default();
    assert!((1..=MAX_CALLS_PER_SKILL_OF_A_TASK).contains(&calls.len()), "{calls:#?}");
}

#[test]
fn the_curator_is_linear_in_the_number_of_skills() {
    need("strace");
    let sandbox = Sandbox::new();
    sandbox.done("agent new ada");
    let counted = |from: usize, to: usize| {
        for number in from..to {
            sandbox.skill("state/agents/ada/skills", &format!("skill-{number}"), "Does it.");
        }
        // What was written just now is looked at again until its times can be believed.
        let runs = (0..5).map(|_| calls(&sandbox, "curate --dry-run --json").len());
        runs.min().unwrap_or_default()
    };
    let (few, more, most) = (counted(0, 40), counted(40, 80), counted(80, 120));
    let (first, second) = (more - few, most - more);
    assert!(first > 0 && 4 * second <= 5 * first, "{few} {more} {most}");
}

/// The same, and two listings more: of the brain's skills, and what the index says of each.
const MAX_CALLS_PER_SKILL_OF_LEARNING: usize = 16;

#[test]
fn what_is_learned_after_a_task_opens_no_skill_that_stayed() {
    need("strace");
    let replies = [call("list_files", json!({})), answer("done")];
    let replies: Vec<String> = std::iter::repeat_n(replies, 40).flatten().collect();
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    for number in 0..20 {
        sandbox.skill("state/agents/ada/skills", &format!("skill-{number}"), "Does it.");
    }
    let trace = sandbox.path("tmp/trace");
    let about_one = || -> Vec<String> {
        let strace = ["strace", "-f", "-o", trace.to_str().unwrap()];
        let run = sandbox.hone("run ada 'does it look well?'").run_under(&strace);
        assert_eq!(run.text(), "done\n", "{run}");
        let text = sandbox.read("tmp/trace");
        let is_call = |line: &&str| line.contains("/skills/skill-7") && !line.contains("resumed>");
        text.lines().filter(is_call).map(str::to_owned).collect()
    };
    let calls =
        (0..30).map(|_| about_one()).find(|calls| !calls.iter().any(|line| line.contains("open")));
    let calls = calls.expect("every look opened it");
    assert!((1..=MAX_CALLS_PER_SKILL_OF_LEARNING).contains(&calls.len()), "{calls:#?}");
}

const MAX_CALLS_PER_INSTALLED_SKILL: usize = 90;

#[test]
fn each_further_skill_of_an_install_costs_few_calls_no_resolved_path_and_no_wait_for_the_disk() {
    need("strace");
    let calls = |skills: usize| {
        let sandbox = Sandbox::new();
        for number in 0..skills {
            sandbox.skill("shelf", &format!("skill-{number}"), "Does it.");
        }
        let trace = sandbox.path("tmp/trace");
        let run = sandbox.hone("add ../shelf --all --project --yes --json").run_under(&[
            "strace",
            "-f",
            "-o",
            trace.to_str().unwrap(),
        ]);
        assert_eq!(run.json()["skills"].as_array().unwrap().len(), skills);
        let trace = sandbox.read("tmp/trace");
        let count = |is: &dyn Fn(&str) -> bool| {
            trace.lines().filter(|line| !line.contains("resumed>") && is(line)).count()
        };
        [
            // Threads wait for each other as often as it happens.
            count(&|line| line.contains('(') && !line.contains(" futex(")),
            count(&|line| line.contains(" readlink")),
            count(&|line| line.contains("sync(") || line.contains("syncfs(")),
            count(&|line| line.contains(" syncfs(")),
        ]
    };
    let (few, many) = (calls(100), calls(200));
    let each = (many[0] - few[0]) / 100;
    assert!(each <= MAX_CALLS_PER_INSTALLED_SKILL, "{each} system calls a skill");
    assert!(
        many[1] <= few[1] + 10,
        "{} paths resolved for 100 skills, {} for 200",
        few[1],
        many[1]
    );
    assert!(many[2] <= few[2] + 10, "{} waits for 100 skills, {} for 200", few[2], many[2]);
    // What is kept and what is installed are waited for together.
    assert_eq!([few[3], many[3]], [1, 1]);
}

/// What `hone curate --dry-run` asks the system, of an agent that made so many skills itself.
fn curating(skills: usize) -> usize {
    let sandbox = Sandbox::new();
    sandbox.done("agent new ada");
    let root = sandbox.path("state/agents/ada/skills");
    let state = State::open(&sandbox.path("state"));
    for number in 0..skills {
        let author = Author { actor: "learn:t".to_owned(), reason: String::new(), now: 1_000 };
        let store = Store::new(&state, author, Mode::Write);
        let text = |word: &str| {
            format!(
                "---\nname: skill-{number}\ndescription: Does {word}{number}. Use when {word}{number} is asked.\n---\nDo {word}{number}.\n"
            )
        };
        let name = format!("skill-{number}");
        store.create(&root, None, &name, &text("it"), &[]).unwrap();
        store.upsert(&root, &name, &text("that"), &[]).unwrap();
    }
    drop(state);
    let curate = "curate --dry-run --json";
    sandbox.done(curate);
    let calls = calls(&sandbox, curate).len();
    let checked = sandbox.hone(curate).run().json()["agents"][0]["checked"].clone();
    assert_eq!(checked, json!(skills));
    calls
}

#[test]
fn curating_twice_as_many_skills_asks_the_system_twice_as_often() {
    need("strace");
    let [none, some, twice] = [0, 100, 200].map(curating);
    let (first, second) = (some - none, twice - some);
    assert!(first > 100, "{none} {some} {twice}");
    assert!(second * 4 <= first * 5, "{none} {some} {twice}");
}
