//! What the hub advises can be done as it says, and what was shared follows its skill.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Sandbox, transcript};
use crate::hub::{CLEAN, PDF, PDF_WITH_HOST, Repository};
use crate::serve::harness::Server;

#[test]
fn edits_of_an_installed_skill_are_shown_by_the_command_that_the_hint_names() {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    sandbox.skill("source", "pdf", "Fills forms.");
    sandbox.done("add ../source");
    let text = sandbox.read("home/.agents/skills/pdf/SKILL.md").replace("Do it.", "Do it twice.");
    sandbox.write("home/.agents/skills/pdf/SKILL.md", text);
    sandbox.write("home/.agents/skills/pdf/notes.md", "mine\n");
    assert_snapshot!(
        transcript(&sandbox, &[
            "verify",
            "remove pdf",
            "diff pdf",
            "diff pdf --to 1",
            "diff pdf --locked",
        ]),
        @"
        $ hone verify
        exit: 1
        --- stdout
        modified    pdf  ~/.agents/skills/pdf
          modified: SKILL.md
          extra: notes.md
        --- stderr
        hint: `hone diff ~/.agents/skills/pdf --locked` shows the edits, `hone install --discard-edits` gives them up and makes all as `[STATE]/hone.lock` says

        $ hone remove pdf
        exit: 1
        --- stderr
        error: `pdf` has local edits: SKILL.md, notes.md
        hint: `hone diff ~/.agents/skills/pdf --locked` shows them; `--discard-edits` gives them up, `hone rollback ~/.agents/skills/pdf` brings them back

        $ hone diff pdf
        exit: 0
        --- stdout
        --- a/SKILL.md
        +++ b/SKILL.md
        @@ -2,4 +2,4 @@
         name: pdf
         description: Fills forms.
         ---
        -Do it.
        +Do it twice.
        --- /dev/null
        +++ b/notes.md
        @@ -0,0 +1 @@
        +mine
        --- stderr
        note: this is what is on disk against revision 1; `hone diff pdf --to 1` shows that revision

        $ hone diff pdf --to 1
        exit: 0
        --- stdout
        --- /dev/null
        +++ b/SKILL.md
        @@ -0,0 +1,5 @@
        +---
        +name: pdf
        +description: Fills forms.
        +---
        +Do it.

        $ hone diff pdf --locked
        exit: 0
        --- stdout
        --- a/SKILL.md
        +++ b/SKILL.md
        @@ -2,4 +2,4 @@
         name: pdf
         description: Fills forms.
         ---
        -Do it.
        +Do it twice.
        --- /dev/null
        +++ b/notes.md
        @@ -0,0 +1 @@
        +mine
        "
    );
    let json = sandbox.hone("diff pdf --json").run().json();
    assert_eq!((&json["from"], &json["to"]), (&1.into(), &serde_json::Value::Null));
    assert_eq!(json["files"].as_array().unwrap().len(), 2);
    // What is no skill any more is shown and brought back all the same.
    sandbox.write("home/.agents/skills/pdf/SKILL.md", "nothing\n");
    let run = sandbox.hone("diff pdf").run();
    assert!(run.code == 0 && run.text().contains("+nothing"), "{run}");
    sandbox.done("rollback pdf");
    assert!(sandbox.read("home/.agents/skills/pdf/SKILL.md").contains("Do it."));
}

#[test]
fn after_a_merge_the_edits_that_are_shown_are_the_persons_own_and_the_hint_makes_it_true() {
    let sandbox = Sandbox::new();
    let repository = Repository::new(&sandbox);
    let text = |first: &str, last: &str| format!("{PDF}{first}\n\nb\n\nc\n\nd\n\n{last}\n");
    repository.commit(&[("pdf/SKILL.md", &text("a", "e"))]);
    let url = format!("file://{}", sandbox.path("skills.git").display());
    sandbox.done(&format!("add {url}"));
    let skill = "home/.agents/skills/pdf/SKILL.md";
    sandbox.write(skill, text("mine", "e"));
    repository.commit(&[("pdf/SKILL.md", &text("a", "theirs"))]);
    sandbox.done("update");
    assert_eq!(sandbox.read(skill), text("mine", "theirs"));
    let shown = sandbox.hone("diff pdf --locked").run().text();
    let changed: Vec<&str> = shown.lines().filter(|line| line.starts_with(['-', '+'])).collect();
    assert_eq!(changed, ["--- a/SKILL.md", "+++ b/SKILL.md", "-a", "+mine"]);
    sandbox.write("home/.agents/skills/pdf/evil.sh", "ls\n");
    assert_eq!(sandbox.hone("install").run().code, 1);
    sandbox.done("install --discard-edits");
    sandbox.done("verify");
    assert_eq!(sandbox.read(skill), text("a", "theirs"));
    assert_eq!(sandbox.files("home/.agents/skills/pdf"), ["SKILL.md"]);
    assert_snapshot!(transcript(&sandbox, &["diff pdf --locked", "diff pdf --locked --to 1"]), @"
    $ hone diff pdf --locked
    exit: 0
    --- stderr
    the text of `pdf` is what was installed

    $ hone diff pdf --locked --to 1
    exit: 2
    --- stderr
    error: the argument '--locked' cannot be used with '--to <N>'

    Usage: hone diff --locked <NAME>

    For more information, try '--help'.
    ");
}

#[test]
fn a_rollback_that_was_killed_is_told_and_finished() {
    let sandbox = Sandbox::new();
    let repository = Repository::new(&sandbox);
    repository.commit(&[("pdf/SKILL.md", PDF)]);
    let url = format!("file://{}", sandbox.path("skills.git").display());
    sandbox.done(&format!("add {url}"));
    repository.commit(&[("pdf/SKILL.md", &PDF.replace("one field", "two fields"))]);
    sandbox.done("update");
    // The files are in place, and the lock file is about to be.
    let calls =
        ["-e", "trace=?rename,?renameat", "-e", "inject=?rename,?renameat:signal=KILL:when=1"];
    let strace = [&["strace", "-f", "-qq", "-o", "/dev/null"][..], &calls].concat();
    let killed = sandbox.hone("rollback pdf").run_under(&strace);
    assert_eq!(killed.code, -1, "{killed}");
    assert_eq!(sandbox.read("home/.agents/skills/pdf/SKILL.md"), PDF);
    assert_snapshot!(transcript(&sandbox, &["verify", "install", "verify"]), @"
    $ hone verify
    exit: 1
    --- stdout
    modified    pdf  ~/.agents/skills/pdf
      modified: SKILL.md
    --- stderr
    hint: a command did not come to its end; `hone install` finishes what it began

    $ hone install
    exit: 0
    --- stdout
    unchanged             pdf  ~/.agents/skills/pdf  (file://[TEMP]/skills.git at 4584065502)

    $ hone verify
    exit: 0
    --- stdout
    ok          pdf  ~/.agents/skills/pdf
    --- stderr
    1 skill as `[STATE]/hone.lock` says
    ");
    assert_eq!(sandbox.read("home/.agents/skills/pdf/SKILL.md"), PDF);
}

#[test]
fn what_waits_is_shown_as_it_is_or_not_at_all() {
    let sandbox = Sandbox::new();
    let repository = Repository::new(&sandbox);
    let script = sandbox.path("skills.git/pdf/scripts/run.sh");
    repository.commit(&[("pdf/SKILL.md", PDF), ("pdf/scripts/run.sh", "ls\n")]);
    let url = format!("file://{}", sandbox.path("skills.git").display());
    sandbox.done(&format!("add {url}"));
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let asks = PDF.replace("---\nFill", "allowed-tools: Bash(curl:*)\n---\nFill");
    repository.commit(&[("pdf/SKILL.md", &asks)]);
    assert_eq!(sandbox.hone("update").run().code, 1);
    let one = sandbox.hone("approve --json").run().json()["waiting"][0].clone();
    let (id, content) = (one["id"].as_str().unwrap(), one["content"].as_str().unwrap());
    let show = || sandbox.hone(&format!("approve {id} --show")).run();
    assert!(show().text().contains("  scripts/run.sh can be run as a program\n"), "{}", show());
    let json = sandbox.hone(&format!("approve {id} --show --json")).run().json();
    let bits = json!([{"file": "scripts/run.sh", "executable": true}]);
    assert_eq!(json["waiting"][0]["execute_bits"], bits, "{json}");

    sandbox.write(&format!("state/quarantine/{content}/SKILL.md"), PDF);
    let run = show();
    assert!(run.code == 1 && run.text().is_empty(), "{run}");
    assert!(run.errors().contains("is not what was to be approved"), "{run}");
    fs::remove_dir_all(sandbox.path("state/quarantine")).unwrap();
    let run = show();
    assert!(run.code == 1 && run.text().is_empty(), "{run}");
    assert!(run.errors().contains(&format!("`hone approve {id} --reject` drops it")), "{run}");
    sandbox.done(&format!("approve {id} --reject"));
}

#[test]
fn a_name_that_a_skill_and_a_removed_one_share_is_asked_back() {
    let sandbox = Sandbox::new();
    let repository = Repository::new(&sandbox);
    repository.commit(&[("pdf/SKILL.md", PDF)]);
    let url = format!("file://{}", sandbox.path("skills.git").display());
    sandbox.write("project/.git/HEAD", "");
    sandbox.done(&format!("add {url} --user"));
    sandbox.done("patch pdf --old 'Fill in one' --new 'Write one'");
    sandbox.done(&format!("add {url} --project"));
    sandbox.done("remove pdf --project");
    let own = sandbox.read("home/.agents/skills/pdf/SKILL.md");
    assert_snapshot!(
        transcript(&sandbox, &["rollback pdf", "rollback .agents/skills/pdf", "verify --project"]),
        @"
        $ hone rollback pdf
        exit: 1
        --- stderr
        error: `pdf` is the skill at `~/.agents/skills/pdf`, and the one that was removed from `.agents/skills/pdf`
        hint: say which: `hone rollback ~/.agents/skills/pdf` or `hone rollback .agents/skills/pdf`

        $ hone rollback .agents/skills/pdf
        exit: 0
        --- stderr
        rolled back `pdf` (revision 3) .agents/skills/pdf

        $ hone verify --project
        exit: 0
        --- stdout
        ok          pdf  .agents/skills/pdf
        --- stderr
        1 skill as `hone.lock` says
        "
    );
    assert_eq!(sandbox.read("home/.agents/skills/pdf/SKILL.md"), own);
    // Once both are there, a name means the one that it always means.
    sandbox.done("rollback user:pdf");
    assert_eq!(sandbox.read("home/.agents/skills/pdf/SKILL.md"), PDF);
}

#[test]
fn what_another_tool_keeps_for_a_project_is_installed_for_the_project() {
    let sandbox = Sandbox::new();
    let repository = Repository::new(&sandbox);
    repository.commit(&[("pdf/SKILL.md", PDF)]);
    sandbox.write("project/.git/HEAD", "");
    let url = format!("file://{}", sandbox.path("skills.git").display());
    let skill = json!({"source": url, "sourceType": "git", "skillPath": "pdf/SKILL.md"});
    let lock = json!({"version": 1, "skills": {"pdf": skill}}).to_string();
    sandbox.write("project/skills-lock.json", &lock);
    sandbox.write("project/sub/x", "");
    sandbox.write("home/skills-lock.json", &lock);
    let from = |file: &str| {
        let run = sandbox.hone(&format!("install --from {file}")).cwd("project/sub").run();
        assert_eq!(run.code, 0, "{run}");
    };
    from(&sandbox.path("home/skills-lock.json").display().to_string());
    assert!(sandbox.path("home/.agents/skills/pdf/SKILL.md").exists());
    assert!(!sandbox.path("project/.agents").exists());
    from("../skills-lock.json");
    assert!(sandbox.path("project/.agents/skills/pdf/SKILL.md").exists());
    fs::remove_dir_all(sandbox.path("project/.agents")).unwrap();
    fs::remove_file(sandbox.path("project/hone.lock")).unwrap();
    from("../skills-lock.json --user");
    assert!(!sandbox.path("project/.agents").exists());
}

#[test]
fn a_server_that_does_not_answer_is_named_while_one_waits() {
    let sandbox = Sandbox::new();
    // Who connects is left waiting.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let source = format!("http://{}/skills.git", server.local_addr().unwrap());
    let asking = "asking http://127.0.0.1";
    let (code, screen) = sandbox
        .hone(&format!("add {source} --allow-private"))
        .typed_on_terminal((40, 24), &[(asking, "\x03")]);
    assert!(code != 0 && screen.contains(asking), "{code} {screen}");
}

#[test]
fn the_pages_show_what_really_happens() {
    for page in ["../../README.md", "../../docs/src/hub.md"] {
        let sandbox = Sandbox::new();
        let repository = Repository::new(&sandbox);
        repository.commit(&[("skills/pdf/SKILL.md", PDF), ("skills/clean/SKILL.md", CLEAN)]);
        sandbox.write("project/.git/HEAD", "");
        let served = format!("file://{}", sandbox.path("skills.git").display());
        let text = fs::read_to_string(page).unwrap();
        let from = text.find("$ hone add file:///srv/skills.git\n").unwrap();
        let end = "2 skills as `hone.lock` says\n";
        let until = from + text[from..].find(&format!("{end}```")).unwrap() + end.len();
        let mut id = String::new();
        let mut commands = 0;
        for block in text[from..until].split("```").filter(|block| block.contains("$ hone ")) {
            for shown in block.split("$ hone ").skip(1) {
                let (command, expected) = shown.split_once('\n').unwrap();
                let command = command.replace("file:///srv/skills.git", &served);
                if command == "outdated" {
                    repository.commit(&[("skills/pdf/SKILL.md", PDF_WITH_HOST)]);
                }
                let run = sandbox.hone(&command.replace("4e9a5d9a", &id)).run().to_string();
                if command == "update pdf" {
                    let at = run.find("hone approve ").unwrap() + "hone approve ".len();
                    run[at..].split('`').next().unwrap().clone_into(&mut id);
                }
                let is_output = |line: &&str| {
                    !line.starts_with("exit: ") && !line.starts_with("--- std") && !line.is_empty()
                };
                let said: Vec<&str> = run.lines().filter(is_output).collect();
                let expected = expected
                    .replace("file:///srv/skills.git", "file://[TEMP]/skills.git")
                    .replace("~/shop", "[PROJECT]")
                    .replace("4e9a5d9a", &id);
                let expected: Vec<&str> = expected.lines().filter(is_output).collect();
                assert_eq!(said.len(), expected.len(), "{page}: {command}\n{run}");
                for (said, expected) in said.into_iter().zip(expected) {
                    // What is cut on the page ends in a mark.
                    match expected.strip_suffix('…') {
                        Some(start) => {
                            assert!(said.starts_with(start), "{page}: {command}\n{said}");
                        }
                        None => assert_eq!(said, expected, "{page}: {command}"),
                    }
                }
                commands += 1;
            }
        }
        assert_eq!(commands, 9, "{page}");
    }
}

#[test]
fn a_finding_that_was_dismissed_elsewhere_is_dismissed_here_while_installing() {
    let sandbox = Sandbox::new();
    let repository = Repository::new(&sandbox);
    repository.commit(&[("pdf/SKILL.md", PDF), ("clean/SKILL.md", CLEAN)]);
    let url = format!("file://{}", sandbox.path("skills.git").display());
    sandbox.write("project/.git/HEAD", "");
    sandbox.done(&format!("add {url} --skill pdf --project"));
    let dismiss = "--dismiss remote-to-interpreter --reason 'our own server'";
    sandbox.done(&format!("add {url} --skill clean --project {dismiss}"));
    // Another machine: the checkout with its lock, and nothing that hone knew.
    fs::remove_dir_all(sandbox.path("state")).unwrap();
    fs::remove_dir_all(sandbox.path("project/.agents")).unwrap();
    let run = sandbox.hone("install").run();
    assert_eq!(run.code, 1, "{run}");
    let hint = "`hone install --skill clean --dismiss remote-to-interpreter --reason WHY`";
    assert!(run.errors().contains(hint), "{run}");
    assert!(!run.to_string().contains("hone policy dismiss"), "{run}");
    let run = sandbox.hone(&format!("install {dismiss}")).run();
    assert!(run.code == 2 && run.errors().contains("name the skill with `--skill NAME`"), "{run}");
    let run = sandbox.hone(&format!("install --skill clean {dismiss}")).run();
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(sandbox.read("project/.agents/skills/clean/SKILL.md"), CLEAN);
    assert_eq!(sandbox.read("project/.agents/skills/pdf/SKILL.md"), PDF);
    // The same from the lock file of somebody else.
    fs::rename(sandbox.path("project/hone.lock"), sandbox.path("project/other.lock")).unwrap();
    fs::remove_dir_all(sandbox.path("state")).unwrap();
    fs::remove_dir_all(sandbox.path("project/.agents")).unwrap();
    let run = sandbox.hone("install --from other.lock --project").run();
    let hint =
        "`hone install --from other.lock --project --skill clean --dismiss remote-to-interpreter";
    assert!(run.code == 1 && run.errors().contains(hint), "{run}");
    let all = format!("install --from other.lock --project --skill clean {dismiss}");
    assert_eq!(sandbox.hone(&all).run().code, 0);
}

#[test]
fn links_and_copies_go_with_their_skill_and_a_copy_follows_every_change() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    sandbox.done("share tidy --agent claude-code");
    sandbox.done("share tidy --agent hermes-agent --copy");
    let copy = sandbox.files("home").into_iter().find(|file| file.contains("hermes")).unwrap();
    let copy = format!("home/{copy}");
    sandbox.done("patch tidy --old Sort --new Order");
    assert!(sandbox.read(&copy).contains("Order the entries"));
    sandbox.done("rollback tidy");
    assert!(sandbox.read(&copy).contains("Sort the entries"));
    let run = sandbox.hone("rm tidy").run();
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(sandbox.files("home"), Vec::<String>::new(), "{run}");
    let gone = sandbox.hone("view tidy").run();
    assert!(gone.errors().contains("`hone rollback tidy` brings it back"), "{gone}");
    sandbox.done("rollback tidy");
    assert_eq!(sandbox.files("home"), [".agents/skills/tidy/SKILL.md"]);
    // Taken away by hand, it leaves what was shared, which can still be taken back.
    sandbox.done("share tidy --agent claude-code");
    fs::remove_dir_all(sandbox.path("home/.agents/skills/tidy")).unwrap();
    sandbox.done("share tidy --undo");
    assert_eq!(sandbox.files("home"), Vec::<String>::new());
}

/// What `hone mcp` answers when its tools are called, one after the other.
fn called(sandbox: &Sandbox, calls: &[(&str, Value)]) -> String {
    let request = |id: usize, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let mut lines = request(0, "initialize", hello);
    lines += &(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string() + "\n");
    for (at, (tool, arguments)) in calls.iter().enumerate() {
        lines += &request(at + 1, "tools/call", json!({"name": tool, "arguments": arguments}));
    }
    sandbox.hone("mcp").stdin(&lines).run().text()
}

#[test]
fn a_skill_of_the_lock_is_taken_away_behind_its_back_through_no_door() {
    let sandbox = Sandbox::new();
    sandbox.skill("project/source", "tidy", "Tidies up.");
    sandbox.done("add ./source --user");
    let delete = ("skill_manage", json!({"action": "delete", "name": "tidy"}));
    let answers = called(&sandbox, &[delete]);
    let refused = "was installed from elsewhere. A person takes it away with `hone remove tidy`";
    assert!(answers.contains(refused), "{answers}");

    let server = Server::start(&sandbox, "");
    let refused = server.ask("DELETE /api/v1/skills/tidy").problem(409);
    assert!(refused.contains("`tidy` was installed from "), "{refused}");
    sandbox.done("verify --user");
    sandbox.done("remove tidy --user");
}

#[test]
fn a_copy_follows_changes_through_every_door_and_goes_with_its_skill() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("share tidy --agent claude-code --copy");
    let copy = "home/.claude/skills/tidy/SKILL.md";
    let patch = json!({"action": "patch", "name": "tidy", "old": "Sort", "new": "Order"});
    let answers = called(&sandbox, &[("skill_manage", patch)]);
    assert!(answers.contains("Done: changed tidy"), "{answers}");
    assert!(sandbox.read(copy).contains("Order the entries"));

    let server = Server::start(&sandbox, "");
    let patch = json!({"old": "Order", "new": "Arrange"});
    let changed = server.send("PATCH /api/v1/skills/tidy", &patch).json();
    assert_eq!(changed["stale"], json!([]), "{changed}");
    assert!(sandbox.read(copy).contains("Arrange the entries"));
    let deleted = server.ask("DELETE /api/v1/skills/tidy").json();
    let gone = sandbox.path("home/.claude/skills/tidy");
    assert_eq!(deleted["taken_back"], json!([gone.to_str().unwrap()]), "{deleted}");
    assert!(!gone.exists());
}

#[test]
fn a_copy_that_somebody_changed_keeps_its_skill_from_being_removed() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("share tidy --agent claude-code --copy");
    sandbox.write("home/.claude/skills/tidy/SKILL.md", "changed");
    let run = sandbox.hone("rm tidy").run();
    assert!(run.code == 1 && run.errors().contains("is not what hone put there"), "{run}");
    assert!(sandbox.path("home/.agents/skills/tidy/SKILL.md").exists());
}

#[test]
fn a_source_that_is_a_path_without_its_dot_or_no_folder_is_named() {
    let sandbox = Sandbox::new();
    sandbox.skill("project", "loc", "Here.");
    sandbox.write("project/two.txt", "x");
    assert_snapshot!(transcript(&sandbox, &["add loc", "add two.txt", "add ./two.txt"]), @"
    $ hone add loc
    exit: 2
    --- stderr
    error: `loc` is not a source of skills: write `owner/repository` for GitHub, `./folder` for a folder, or a whole address
    hint: for the folder that is here: `hone add ./loc`

    $ hone add two.txt
    exit: 2
    --- stderr
    error: `two.txt` is not a source of skills: write `owner/repository` for GitHub, `./folder` for a folder, or a whole address
    hint: it is a file here, and no archive; name a folder with a `SKILL.md`

    $ hone add ./two.txt
    exit: 2
    --- stderr
    error: `[PROJECT]/two.txt` is a file, and no archive of skills; name a folder with a `SKILL.md`, or a .zip, .tar.gz, .tgz or .skill
    ");
}
