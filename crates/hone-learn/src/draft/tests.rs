use std::path::PathBuf;

use hone_agent::step::Outcome;
use hone_guard::permit::permit;
use hone_skill::{Permissions, Profile, Severity, read};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::experience::{Agent, Cost, Source};

pub(crate) fn experience(task: &str, steps: &[(&str, Value, Outcome, &str)]) -> Experience {
    let mut experience = Experience {
        source: Source {
            agent: Agent::ClaudeCode,
            session: "s".to_owned(),
            path: None,
            subscriber: String::new(),
            folder: Some(PathBuf::from("~/shop")),
            model: None,
            started: 0,
        },
        task: task.to_owned(),
        steps: Vec::new(),
        skills: Vec::new(),
        corrections: Vec::new(),
        converged: true,
        answer: None,
        cost: Cost::default(),
        skipped: 0,
    };
    for (number, (tool, arguments, outcome, result)) in steps.iter().enumerate() {
        experience.push(crate::experience::Step {
            id: (number + 1).to_string(),
            tool: (*tool).to_owned(),
            arguments: arguments.clone(),
            result: (*result).to_owned(),
            outcome: *outcome,
            started: 0,
            ended: 0,
        });
    }
    experience
}

/// A release as an agent made it, with a detour.
pub(crate) fn release() -> Experience {
    let bash = |command: &str| json!({"command": command});
    experience(
        "Please bump the version to 1.4.0 and tag the release. Thanks!",
        &[
            ("Read", json!({"file_path": "~/shop/Cargo.toml"}), Outcome::Ok, "[package]"),
            ("Bash", bash("ls -la"), Outcome::Ok, "CHANGELOG.md"),
            ("Edit", json!({"file_path": "~/shop/Cargo.toml"}), Outcome::Ok, "ok"),
            ("Edit", json!({"file_path": "~/shop/CHANGELOG.md"}), Outcome::Ok, "ok"),
            ("Bash", bash("cargo tets"), Outcome::Failed, "no such command"),
            ("Bash", bash("cd ~/shop && cargo test"), Outcome::Ok, "ran\nall tests passed\n"),
            ("TodoWrite", json!({"todos": []}), Outcome::Ok, ""),
            ("Bash", bash("curl https://status.example"), Outcome::TimedOut, ""),
            ("Bash", bash("git tag v1.4.0"), Outcome::Ok, ""),
            ("Bash", bash("git push origin v1.4.0"), Outcome::Ok, "done"),
        ],
    )
}

#[test]
fn a_draft_is_what_worked_in_its_order() {
    let draft = Draft::from_experience(&release());
    assert_eq!(draft.name, "bump-version-tag-release");
    assert_eq!(
        draft.what,
        "Bump the version and tag the release, with cargo test, git tag and git push."
    );
    let actions: Vec<&str> = draft.steps.iter().map(|step| step.action.as_str()).collect();
    assert_eq!(
        actions,
        [
            "Look first: `Cargo.toml`, `ls -la`.",
            "Change `Cargo.toml`, `CHANGELOG.md`.",
            "Run `cargo test`. `cargo tets` did not work.",
            "Run `git tag v$ARGUMENTS`.",
            "Run `git push origin v$ARGUMENTS`.",
        ]
    );
    assert_eq!(draft.steps[2].done, "it exits with 0 and ends with `all tests passed`");
    assert_eq!(draft.inputs, ["1.4.0"]);
    assert_eq!(
        draft.when,
        When {
            phrases: vec!["bump the version and tag the release".to_owned()],
            examples: vec!["Please bump the version to 1.4.0 and tag the release".to_owned()],
            not_for: Vec::new(),
        }
    );
}

#[test]
fn tools_are_those_used_down_to_the_sub_command() {
    let draft = Draft::from_experience(&release());
    let chosen: Vec<&str> = draft.allowed().collect();
    assert_eq!(
        chosen,
        [
            "Read",
            "Bash(ls:*)",
            "Edit(Cargo.toml)",
            "Edit(CHANGELOG.md)",
            "Bash(cargo test:*)",
            "Bash(git tag:*)"
        ]
    );
    let push = draft.tools.iter().find(|tool| tool.permission == "Bash(git push:*)").unwrap();
    assert_eq!((push.chosen, push.why.as_deref()), (false, Some("it reaches others")));
    assert!(draft.tools.iter().all(|tool| !tool.permission.contains("curl")));
}

#[test]
fn what_is_chosen_permits_what_was_run() {
    for command in [
        "cargo test -p hone-learn --lib",
        "git log --oneline -5 | head -3",
        "npm run build && npm test",
        "cd sub && make check",
        "python3 -m pytest tests/test_a.py -q",
        "python3 scripts/tidy.py --all",
        "gh pr list --limit 3",
        "docker compose ps",
        "grep -rn TODO src | wc -l",
        "timeout 60 npm test",
        "timeout -k 5 60 env CI=1 npm run lint",
        "nice -n 5 cargo build; nohup make all",
    ] {
        let tools = tools::of_command(command);
        let chosen: Vec<&str> =
            tools.iter().filter(|tool| tool.chosen).map(|tool| tool.permission.as_str()).collect();
        let decision = permit(&Permissions::new(&chosen), command);
        assert!(decision.is_allowed(), "{command}: {chosen:?}: {:?}", decision.refusals);
    }
}

#[test]
fn a_command_behind_another_is_what_is_permitted() {
    for (command, expected) in [
        ("timeout 60 npm test", "Bash(npm test:*)"),
        ("env CI=1 npm run lint", "Bash(npm run lint:*)"),
        ("nohup nice -n 5 cargo build", "Bash(cargo build:*)"),
        ("ruff check --fix src", "Bash(ruff check:*)"),
        ("mdbook test docs", "Bash(mdbook test:*)"),
        ("wasm-pack build", "Bash(wasm-pack build:*)"),
        ("mypy src/a.py", "Bash(mypy:*)"),
        ("mkdir build", "Bash(mkdir:*)"),
        ("grep todo src", "Bash(grep:*)"),
        ("git add notes", "Bash(git add:*)"),
        ("sed -n 1,5p a.txt", "Bash(sed -n:*)"),
        ("cp notes out", "Bash(cp:*)"),
    ] {
        let tools = tools::of_command(command);
        let all: Vec<(&str, bool)> =
            tools.iter().map(|tool| (tool.permission.as_str(), tool.chosen)).collect();
        assert_eq!(all, [(expected, true)], "{command}");
    }
}

#[test]
fn what_would_not_permit_its_own_line_is_not_chosen() {
    for command in ["LD_PRELOAD=x.so npm test", "git log $RANGE -- \"$(cat list)\" --output=$FILE"]
    {
        let tools = tools::of_command(command);
        let why = Some("it would not permit the command that was run");
        assert!(tools.iter().any(|tool| !tool.chosen && tool.why.as_deref() == why), "{tools:?}");
    }
}

#[test]
fn what_a_line_writes_is_permitted_too_inside_the_work_and_nowhere_else() {
    for (command, permission, is_chosen) in [
        ("sort names.txt > sorted.txt", "Write(sorted.txt)", true),
        ("sort names.txt >> ./out/sorted.txt", "Write(out/**)", true),
        ("{ date; git log -3; } > report/today.md 2>/dev/null", "Write(report/**)", true),
        ("sort -o out/sorted.txt names.txt", "Write(out/**)", true),
        ("git log > ../log.txt", "Write(../**)", false),
        ("git log > /srv/log.txt", "Write(/srv/**)", false),
    ] {
        let step = ("Bash", json!({"command": command}), Outcome::Ok, "");
        let draft = Draft::from_experience(&experience("Sort the names", &[step]));
        let found = draft.tools.iter().find(|tool| tool.permission == permission);
        let found = found.unwrap_or_else(|| panic!("{command}: {:?}", draft.tools));
        assert_eq!(found.chosen, is_chosen, "{command}");
        let decision = permit(&Permissions::new(draft.allowed()), command);
        assert_eq!(decision.is_allowed(), is_chosen, "{command}: {:?}", decision.refusals);
    }
}

#[test]
fn what_destroys_reaches_others_or_runs_anything_is_offered_and_not_chosen() {
    for command in [
        "rm -rf build",
        "sudo make install",
        "curl -s https://x.example",
        "git push",
        "git reset --hard",
        "bash -c 'echo x'",
        "python3 -c 'print(1)'",
        "node",
        "find . -name x -delete",
        "docker run x",
        "eval ls",
        "git -C /x status",
        "timeout --odd 60 npm test",
        "watch ls",
        "parallel echo ::: a",
        "setsid make",
        "strace ls",
        "busybox ls",
        "script -c ls",
        "flock lock make",
        "sshpass -p x ssh host",
        "pwsh -File x.ps1",
        "powershell ls",
        "cmd /c dir",
        "osascript x.scpt",
        "tclsh x.tcl",
        "gdb ./a.out",
        "vim x",
        "awk '{print $1}' x",
        "python3.12 -c 'print(1)'",
        "uv run python x.py",
        "deno run x.ts",
        "git submodule foreach ls",
        "git bisect run make",
        "git branch -D x",
        "git stash drop",
        "crontab -l",
        "at now",
        "tmux new",
        "ansible all -m ping",
        "unlink x",
        "del x",
        "redis-cli ping",
        "http GET x.example",
        "xh x.example",
        "curl.exe x.example",
        "rclone sync a b:",
        "aws s3 cp a s3://b",
        "gh pr create --fill",
        "gh api /user",
        "vercel deploy",
        "fly deploy",
        "sed -i s/a/b/ src/a.txt",
        "sed --in-place s/a/b/ /etc/x",
        "sed s/a/b/ a.txt",
        "tee out.txt",
        "cp a ~/b",
        "ln -s a ../b",
        "pip install x",
        "uv pip install x",
        "npm ci",
        "npm install x",
        "npx foo",
        "uvx foo",
        "go run ./x",
        "go install x@latest",
        "find . -name x",
        "mdbook deploy",
        "wasm-pack publish",
        "pipx run x",
    ] {
        let tools = tools::of_command(command);
        assert!(
            tools.iter().any(|tool| !tool.chosen && tool.why.is_some()),
            "{command}: {tools:?}"
        );
    }
}

#[test]
fn the_text_is_a_valid_skill() {
    let text = Draft::from_experience(&release()).text().unwrap();
    let reading = read(text.as_bytes(), Some("bump-version-tag-release"));
    let errors: Vec<_> = reading
        .diagnostics
        .iter()
        .filter(|found| found.severity(Profile::Spec) == Some(Severity::Error))
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let report = hone_guard::Files::of_text("SKILL.md", text.clone().into_bytes()).scan();
    assert_eq!(report.verdict, hone_guard::Verdict::Safe, "{:?}\n{text}", report.findings);
}

#[test]
fn what_was_corrected_is_kept_in_mind() {
    let mut experience = release();
    experience.correct("No, tag it\n from main");
    experience.correct("No, tag it from main");
    let text = Draft::from_experience(&experience).text().unwrap();
    assert!(
        text.contains(
            "# Mind\n\nThis was said when it was done otherwise:\n\n- No, tag it from main\n\n"
        ),
        "{text}"
    );
}

#[test]
fn a_greeting_is_not_what_it_is_about() {
    let task = "Hi\nplease tidy the notes!\n";
    assert_eq!(Draft::from_experience(&experience(task, &[])).name, "tidy-notes");
    assert_eq!(Draft::from_experience(&experience("Tidy", &[])).name, "tidy");
}

fn bash(
    command: &str,
    outcome: Outcome,
    result: &'static str,
) -> (&'static str, Value, Outcome, &'static str) {
    ("Bash", json!({"command": command}), outcome, result)
}

#[test]
fn a_description_reads_well_whatever_the_form_of_the_request() {
    let of = |task: &str| {
        let draft = Draft::from_experience(&experience(task, &[]));
        (draft.name.clone(), draft.description())
    };
    let told = |name: &str, description: &str| (name.to_owned(), description.to_owned());
    assert_eq!(
        of(
            "The checkout test is flaky in CI, can you find out why and fix it?\n```\npanicked\n```"
        ),
        told(
            "checkout-test-flaky-ci",
            "Find out why and fix it: the checkout test is flaky in CI. \
             Use when asked to find out why and fix it: the checkout test is flaky in CI."
        )
    );
    assert_eq!(
        of("The build fails on macOS. Can you look?"),
        told(
            "build-fails-macos",
            "What to do when the build fails on macOS. Use when the build fails on macOS."
        )
    );
    assert_eq!(
        of("Where is the limit defined?"),
        told(
            "where-limit-defined",
            "Answers where is the limit defined. Use when asked where is the limit defined."
        )
    );
    assert_eq!(of("back up the wiki every night").0, "back-up-wiki-every");
    for polite in [
        "Tag the release, please",
        "Tag the release please. Thanks!",
        "please tag the release, thank you!",
        "Tag the release, bitte",
        "Tag the release, por favor.",
        "Tag the release谢谢",
    ] {
        let description = "Tag the release. Use when asked to tag the release.";
        assert_eq!(of(polite), told("tag-release", description), "{polite}");
    }
    assert_eq!(
        of("Find what displease").1,
        "Find what displease. Use when asked to find what displease."
    );
    let (name, description) = of("Kannst du bitte die Version anheben und einen Tag setzen?");
    assert_eq!(name, "version-anheben-tag-setzen");
    assert!(description.contains("Use when asked: die Version anheben und einen Tag setzen."));
}

#[test]
fn a_name_in_another_script_is_made_of_what_a_slug_can_have() {
    let csv = [bash("duckdb -c 'from s.csv'", Outcome::Ok, "")];
    let draft = Draft::from_experience(&experience("请把 s.csv 转换成 parquet 格式。谢谢", &csv));
    assert_eq!(draft.name, "csv-parquet");
    assert_eq!(draft.when.phrases, ["把 csv 转换成 parquet 格式"]);
    let draft =
        Draft::from_experience(&experience("Собери проект", &[bash("make all", Outcome::Ok, "")]));
    assert_eq!(draft.name, "make-all");
}

#[test]
fn commands_are_told_without_what_was_only_for_that_day() {
    let commit =
        "git add -A && git commit -m \"$(cat <<'EOF'\nRound totals\n\nMore words\nEOF\n)\"";
    let script = "uv run python - <<'PY'\nfor n in range(3):\n    print(n)\nPY";
    let steps = [
        bash("sed -n 1,80p src/a.rs", Outcome::Ok, "x"),
        bash("git status --short", Outcome::Ok, ""),
        bash(
            "for i in $(seq 1 20); do cargo test -q t || break; done",
            Outcome::Failed,
            "panicked",
        ),
        ("Edit", json!({"file_path": "~/shop/src/a.rs"}), Outcome::Ok, "ok"),
        bash("for i in $(seq 1 50); do cargo test -q t || break; done", Outcome::Ok, ""),
        bash(
            "cargo test -p shop 2>&1 | tail -5",
            Outcome::Ok,
            "test result: ok. 31 passed; 0 failed",
        ),
        bash(script, Outcome::Ok, "0\n1\n2"),
        bash(commit, Outcome::Ok, "[main 1a2b] Round totals"),
        bash("npm run lint", Outcome::Ok, "> eslint ."),
        bash("git log -1", Outcome::Ok, "commit"),
    ];
    let draft = Draft::from_experience(&experience("Fix the flaky test", &steps));
    assert_eq!(draft.what, "Fix the flaky test, with cargo test, uv run python and git commit.");
    let told: Vec<(&str, &str)> =
        draft.steps.iter().map(|step| (step.action.as_str(), step.done.as_str())).collect();
    let zero = "it exits with 0";
    assert_eq!(
        told,
        [
            (
                "Look first: `sed -n 1,80p src/a.rs`, `git status --short`.",
                "you know what the next step needs"
            ),
            ("Change `src/a.rs`.", "it says what was asked for, and nothing else in it changed"),
            ("Run `for i in $(seq 1 50); do cargo test -q t || break; done`.", zero),
            ("Run `cargo test -p shop`.", "it exits with 0 and says `test result: ok`"),
            ("Run `uv run python - <<'PY' ⏎ for n in range(3): ⏎     print(n) ⏎ PY`.", zero),
            ("Run `git add -A && git commit -m \"…\"`.", zero),
            ("Run `npm run lint`.", zero),
            ("Look at `git log -1`.", "it shows what was asked for"),
        ]
    );
    let text = draft.text().unwrap();
    let block = "5. Run this:\n\n   ```sh\n   uv run python - <<'PY'\n   for n in range(3):\n       print(n)\n   PY\n   ```\n\n   Done when: it exits with 0.\n";
    assert!(text.contains(block), "{text}");
}

#[test]
fn a_session_of_nothing_but_looks_keeps_them() {
    let looks = experience(
        "Where is the limit defined?",
        &[("Grep", json!({"pattern": "MAX_"}), Outcome::Ok, "src/limits.rs")],
    );
    let draft = Draft::from_experience(&looks);
    assert_eq!(draft.steps[0].action, "Look first: `MAX_`.");
    assert_eq!(draft.name, "where-limit-defined");
}

#[test]
fn steps_keep_to_their_bound_and_say_so() {
    let many = |count: usize| {
        let steps: Vec<_> = (0..count)
            .map(|n| {
                let program = if n % 2 == 0 { "make" } else { "just" };
                ("Bash", json!({"command": format!("{program} t{n}")}), Outcome::Ok, "")
            })
            .collect();
        Draft::from_experience(&experience("Make all", &steps))
    };
    assert_eq!((many(MAX_STEPS).steps.len(), many(MAX_STEPS).left_out), (MAX_STEPS, 0));
    assert_eq!((many(MAX_STEPS + 1).steps.len(), many(MAX_STEPS + 1).left_out), (MAX_STEPS, 1));
    assert!(many(MAX_STEPS + 1).text().unwrap().contains("1 further steps"));
    assert_eq!(many(MAX_TOOLS).tools.len(), MAX_TOOLS);
    assert_eq!(many(MAX_TOOLS + 1).tools.len(), MAX_TOOLS);
}

#[test]
fn many_commands_of_one_kind_are_one_step() {
    let runs = |count: usize| {
        let steps: Vec<_> = (0..count)
            .map(|n| ("Bash", json!({"command": format!("cargo test t{n}")}), Outcome::Ok, ""))
            .collect();
        let draft = Draft::from_experience(&experience("Test all", &steps));
        draft.steps.into_iter().map(|step| step.action).collect::<Vec<_>>()
    };
    assert_eq!(runs(2), ["Run `cargo test t0`.", "Run `cargo test t1`."]);
    assert_eq!(runs(3), ["Run `cargo test t2`, and what is like it (2 more)."]);
    // A program without sub-commands is told by its arguments.
    let steps = ["duckdb -version", "duckdb -c 'from x'", "duckdb -c 'from y limit 1'"]
        .map(|command| ("Bash", json!({"command": command}), Outcome::Ok, ""));
    assert_eq!(Draft::from_experience(&experience("Look at x", &steps)).steps.len(), 3);
}

#[test]
fn other_agents_tools_mean_the_same() {
    let steps = [
        ("exec_command", json!({"cmd": "go test ./..."}), Outcome::Ok, ""),
        ("shell", json!({"command": ["bash", "-lc", "go vet ./..."]}), Outcome::Ok, ""),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: a/b.go\n"}),
            Outcome::Ok,
            "",
        ),
        ("terminal", json!({"command": "go build"}), Outcome::Ok, ""),
        ("run_command", json!({"command": "go mod tidy"}), Outcome::Ok, ""),
        ("fetch_url", json!({"url": "https://go.dev/doc"}), Outcome::Ok, ""),
        ("mcp__tickets__close", json!({}), Outcome::Ok, ""),
    ];
    let draft = Draft::from_experience(&experience("Tidy it", &steps));
    assert_eq!(
        draft.allowed().collect::<Vec<_>>(),
        [
            "Bash(go test:*)",
            "Bash(go vet:*)",
            "Edit(a/**)",
            "Bash(go build:*)",
            "Bash(go mod tidy:*)",
        ]
    );
    // What leaves the machine is offered, and asked about.
    let offered = draft.tools.iter().filter(|tool| !tool.chosen);
    let offered: Vec<&str> = offered.map(|tool| tool.permission.as_str()).collect();
    assert_eq!(offered, ["WebFetch(domain:go.dev)", "mcp__tickets__close"]);
}

#[test]
fn a_path_that_no_permission_can_name_is_left_out() {
    for path in ["),", "a(b).md", "a,b", "a\nb", " ", "\u{2000}"] {
        let steps = [("Edit", json!({"file_path": path}), Outcome::Ok, "done")];
        let draft = Draft::from_experience(&experience("Change a file", &steps));
        assert!(draft.tools.is_empty(), "{path:?}: {:?}", draft.tools);
    }
}

proptest! {
    #[test]
    fn any_experience_gives_a_valid_skill_or_says_why(
        task in any::<String>(),
        commands in prop::collection::vec(any::<String>(), 0..20),
        tool in "(Bash|Edit|Read|shell|x|mcp__a__b)",
    ) {
        let steps: Vec<(&str, Value, Outcome, &str)> = commands
            .iter()
            .map(|text| {
                let arguments = json!({"command": text, "file_path": text});
                (tool.as_str(), arguments, Outcome::Ok, text.as_str())
            })
            .collect();
        let redactor = crate::redact::Redactor::default();
        let draft = Draft::from_experience(&experience(&task, &steps).redacted(&redactor));
        let text = draft.text();
        prop_assert!(text.is_ok(), "{:?}\n{:?}", text, draft);
        for permission in draft.tools.iter().map(|tool| &tool.permission) {
            prop_assert!(hone_skill::Permission::parse(permission).is_ok(), "{}", permission);
        }
    }
}
