//! `run_command` in the real sandbox. This program is its own sandbox helper, which needs a `main` of its
//! own: hence a test binary without the usual harness.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test, though the compiler cannot know: it has no usual harness"
)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hone_agent::step::Outcome;
use hone_agent::tools::command::{MAX_OUTPUT_BYTES, RunCommand};
use hone_agent::tools::files::Workspace;
use hone_agent::tools::skills::Shelf;
use hone_agent::tools::{Tool, ToolResult};
use hone_guard::policy::Policy;
use hone_guard::sandbox::{Helper, confine};
use hone_library::{Author, Config, Root, Search, State, Surroundings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const CONFINE: &str = "confine-yourself";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == CONFINE) {
        return ExitCode::from(confine(&arguments[1..]));
    }
    if !cfg!(target_os = "linux") {
        println!("there is a sandbox on Linux only");
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        commands_work_in_the_workspace_and_nowhere_else().await;
        a_command_ends_at_its_time().await;
        output_is_kept_to_its_limit().await;
        a_cancelled_command_is_gone().await;
        a_skill_in_use_binds_commands_to_what_it_declares().await;
        what_git_runs_by_itself_stays_as_it_was().await;
    });
    println!("6 tests passed");
    ExitCode::SUCCESS
}

struct Desk {
    folder: tempfile::TempDir,
    shelf: Arc<Shelf>,
    tool: RunCommand,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let (work, home) = (folder.path().join("work"), folder.path().join("home"));
    std::fs::create_dir(&work).unwrap();
    std::fs::write(folder.path().join("secret"), "secret\n").unwrap();
    let own = Root::of_agent(&home, "a1");
    std::fs::create_dir_all(&own.path).unwrap();
    let around = Surroundings {
        cwd: work.clone(),
        user_home: folder.path().to_owned(),
        hone_home: home.clone(),
        platform: "linux".to_owned(),
        moved: std::collections::BTreeMap::new(),
    };
    let path = own.path.clone();
    let search = Search::only(vec![own], &around, &Config::default());
    let author = Author { actor: "agent:a1".to_owned(), reason: String::new(), now: 0 };
    let state = State::open(&home);
    let shelf =
        Arc::new(Shelf::new(state, search, path, author, Policy::default(), Arc::new(|| 0)));
    let workspace = Arc::new(Workspace::open(&work).unwrap());
    let program = std::env::current_exe().unwrap();
    let helper = Helper { program, argument: CONFINE.to_owned() };
    let tool = RunCommand::new(workspace, Some(Arc::clone(&shelf)), helper, false);
    Desk { folder, shelf, tool }
}

async fn run(tool: &dyn Tool, arguments: &Value) -> ToolResult {
    tool.call(arguments, &CancellationToken::new()).await
}

async fn commands_work_in_the_workspace_and_nowhere_else() {
    let desk = desk();
    let good = run(&desk.tool, &json!({"command": "echo hi > a.txt; cat a.txt; pwd >&2"})).await;
    let work = desk.folder.path().canonicalize().unwrap().join("work");
    let expected =
        format!("[output]\nhi\n[errors]\n{}\n[it ended well, with code 0]\n", work.display());
    assert_eq!((good.outcome, good.text), (Outcome::Ok, expected));
    assert_eq!(std::fs::read_to_string(work.join("a.txt")).unwrap(), "hi\n");
    let failed = run(&desk.tool, &json!({"command": "exit 3"})).await;
    assert_eq!(
        (failed.outcome, failed.summary.as_str()),
        (Outcome::Failed, "it ended with code 3")
    );
    for command in ["cat ../secret", "echo x > ../new"] {
        let result = run(&desk.tool, &json!({"command": command})).await;
        assert_eq!(result.outcome, Outcome::Failed, "{command}: {}", result.text);
        assert!(!result.text.contains("[output]"), "{}", result.text);
    }
    assert!(!desk.folder.path().join("new").exists());
}

async fn a_command_ends_at_its_time() {
    let desk = desk();
    let result = run(&desk.tool, &json!({"command": "sleep 60", "seconds": 1})).await;
    assert_eq!(result.outcome, Outcome::TimedOut);
    assert_eq!(result.text, "[it took longer than 1 s and was ended]\n");
}

async fn output_is_kept_to_its_limit() {
    let desk = desk();
    let write = async |count: usize| {
        let command = format!("head -c {count} /dev/zero | tr '\\0' x");
        run(&desk.tool, &json!({"command": command})).await
    };
    let fits = write(MAX_OUTPUT_BYTES).await;
    let expected =
        format!("[output]\n{}\n[it ended well, with code 0]\n", "x".repeat(MAX_OUTPUT_BYTES));
    assert!(fits.outcome == Outcome::Ok && fits.text == expected);
    let over = write(MAX_OUTPUT_BYTES + 1).await;
    assert_eq!(over.summary, "it wrote more than 262144 bytes and was ended");
}

/// Waits until something is so.
async fn until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "it never came to be so");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_cancelled_command_is_gone() {
    let desk = desk();
    let begun = desk.folder.path().join("work/begun");
    let token = CancellationToken::new();
    let arguments = json!({"command": "echo $$ > begun.new; mv begun.new begun; sleep 100"});
    let start = Instant::now();
    let (result, ()) = tokio::join!(desk.tool.call(&arguments, &token), async {
        until(|| begun.exists()).await;
        token.cancel();
    });
    assert_eq!((result.outcome, result.summary.as_str()), (Outcome::Failed, "it was cancelled"));
    assert!(start.elapsed() < Duration::from_secs(50), "it was waited for");
    // In a process space of its own, the number says nothing out here.
    let number = std::fs::read_to_string(&begun).unwrap();
    let cmdline = Path::new("/proc").join(number.trim()).join("cmdline");
    let is_ours =
        std::fs::read(cmdline).is_ok_and(|line| line.windows(9).any(|part| part == b"sleep 100"));
    assert!(!is_ours, "the command still runs");
}

async fn a_skill_in_use_binds_commands_to_what_it_declares() {
    let desk = desk();
    let skills = desk.folder.path().join("home/agents/a1/skills");
    for (name, declared) in [("echoes", "allowed-tools: Bash(echo:*)\n"), ("free", "")] {
        let text = format!("---\nname: {name}\ndescription: A skill.\n{declared}---\nDo.\n");
        std::fs::write(skills.join(format!("{name}.md")), text).unwrap();
    }
    let tools = desk.shelf.tools();
    let view = tools.iter().find(|tool| tool.name() == "skill_view").unwrap();
    let list = json!({"command": "ls"});
    assert_eq!(run(&desk.tool, &list).await.outcome, Outcome::Ok);
    assert_eq!(run(view.as_ref(), &json!({"name": "echoes"})).await.outcome, Outcome::Ok);
    let refused = run(&desk.tool, &list).await;
    assert_eq!(refused.outcome, Outcome::Refused);
    let start = "Not run: the skill `echoes` does not declare it.\n- `ls`: ";
    assert!(refused.text.starts_with(start), "{}", refused.text);
    assert_eq!(run(&desk.tool, &json!({"command": "echo x"})).await.outcome, Outcome::Ok);
    // A skill that declares nothing does not lift what another one binds.
    assert_eq!(run(view.as_ref(), &json!({"name": "free"})).await.outcome, Outcome::Ok);
    assert_eq!(run(&desk.tool, &list).await.outcome, Outcome::Refused);
}

/// A line that real git would run by itself, and the file in which it would leave a mark.
const EVIL: &str = "touch \"$HOME/ran\"";

fn git(folder: &Path, home: &Path, arguments: &[&str]) -> bool {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
    git.current_dir(folder).env("HOME", home).env_remove("GIT_DIR");
    git.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    git.status().unwrap().success()
}

async fn what_git_runs_by_itself_stays_as_it_was() {
    let desk = desk();
    let work = desk.folder.path().join("work");
    let home = desk.folder.path().join("person");
    std::fs::create_dir(&home).unwrap();
    std::fs::create_dir(work.join("below")).unwrap();
    assert!(git(&work, &home, &["init", "-q"]));
    assert!(git(&work.join("below"), &home, &["init", "-q"]));
    let command = format!(
        "set -e; git init -q made; git init -q --bare bare; \
         for it in .git below/.git made/.git bare; do \
         printf '#!/bin/sh\n%s\n' '{EVIL}' > $it/hooks/pre-commit; chmod +x $it/hooks/pre-commit; \
         git config --file $it/config core.fsmonitor '{EVIL}; false'; done; echo x > below/x; echo x > made/x"
    );
    let result = run(&desk.tool, &json!({"command": command})).await;
    assert_eq!(result.outcome, Outcome::Ok, "{}", result.text);
    for name in [".git", "below/.git", "made/.git", "bare"] {
        for file in ["config", "hooks/pre-commit"] {
            let said = format!("[`{name}/{file}`: what the command did there is undone, because");
            assert!(result.text.contains(&said), "{said} in {}", result.text);
        }
    }
    for folder in ["", "below", "made", "bare"] {
        let folder = work.join(folder);
        git(&folder, &home, &["status"]);
        git(&folder, &home, &["commit", "-q", "--allow-empty", "-m", "x"]);
    }
    assert!(!home.join("ran").exists(), "git ran what a command left");
    assert!(git(&work.join("made"), &home, &["log"]), "the new repository works");
    // The same by a person does run: the test can fail.
    assert!(git(&work, &home, &["config", "core.fsmonitor", &format!("{EVIL}; false")]));
    git(&work, &home, &["status"]);
    assert!(home.join("ran").exists());
}
