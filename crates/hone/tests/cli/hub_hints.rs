//! What the hub advises can be done as it says, and what was shared follows its skill.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Sandbox, transcript};
use crate::hub::{CLEAN, PDF, Repository};
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
        ]),
        @"
        $ hone verify
        exit: 1
        --- stdout
        modified    pdf  ~/.agents/skills/pdf
          modified: SKILL.md
          extra: notes.md
        --- stderr
        hint: `hone install` makes them as `[STATE]/hone.lock` says, `hone diff ~/.agents/skills/pdf` shows the edits

        $ hone remove pdf
        exit: 1
        --- stderr
        error: `pdf` has local edits: SKILL.md, notes.md
        hint: `hone diff ~/.agents/skills/pdf` shows them; `--discard-edits` gives them up, `hone rollback ~/.agents/skills/pdf` brings them back

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
