//! `hone usage`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, transcript};

#[test]
fn nothing_counted_yet() {
    assert_snapshot!(transcript(&Sandbox::new(), &["usage", "usage --json", "usage export"]), @r#"
    $ hone usage
    exit: 0
    --- stderr
    nothing was counted yet

    $ hone usage --json
    exit: 0
    --- stdout
    {"usage":[]}

    $ hone usage export
    exit: 0
    --- stdout
    {}
    "#);
}

#[test]
fn views_and_changes_are_counted_by_version() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("view tidy");
    sandbox.done("patch tidy --old '\"1\"' --new '\"2\"'");
    sandbox.done("view tidy");
    sandbox.done("view tidy");
    assert_snapshot!(transcript(&sandbox, &["usage", "usage --json"]), @r#"
    $ hone usage
    exit: 0
    --- stdout
     views   uses changes  skill
         1      0       1  tidy (1)
         2      0       0  tidy (2)

    $ hone usage --json
    exit: 0
    --- stdout
    {"usage":[{"name":"tidy","version":"1","path":"[HOME]/.agents/skills/tidy","views":1,"uses":0,"patches":1,"last_viewed":"[TIME]","last_used":null,"last_patched":"[TIME]"},{"name":"tidy","version":"2","path":"[HOME]/.agents/skills/tidy","views":2,"uses":0,"patches":0,"last_viewed":"[TIME]","last_used":null,"last_patched":null}]}
    "#);
}

#[test]
fn a_dry_run_does_not_count() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("patch tidy --old Sort --new Order --dry-run");
    assert_snapshot!(sandbox.hone("usage").run(), @"
    exit: 0
    --- stderr
    nothing was counted yet
    ");
}

#[test]
fn hermes_counters_come_and_go() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write(
        "project/usage.json",
        r#"{"tidy": {"view_count": 5, "use_count": 3, "patch_count": 1, "pinned": true,
            "last_used_at": "2026-01-02T03:04:05Z"}, "unheard-of": {"view_count": 1}}"#,
    );
    assert_snapshot!(
        transcript(&sandbox, &[
            "usage import usage.json",
            "usage import usage.json --json",
            "usage",
            "usage export",
            "usage export out.json",
            "rm tidy",
        ]),
        @r#"
    $ hone usage import usage.json
    exit: 0
    --- stderr
    took over 1 record
    no such skill here: unheard-of

    $ hone usage import usage.json --json
    exit: 0
    --- stdout
    {"imported":["tidy"],"ignored":["unheard-of"]}
    --- stderr
    took over 1 record
    no such skill here: unheard-of

    $ hone usage
    exit: 0
    --- stdout
     views   uses changes  skill
         5      3       1  tidy (1)

    $ hone usage export
    exit: 0
    --- stdout
    {
      "tidy": {
        "archived_at": null,
        "created_at": "[TIME]",
        "last_patched_at": null,
        "last_used_at": "[TIME]",
        "last_viewed_at": null,
        "patch_count": 1,
        "pinned": true,
        "state": "active",
        "use_count": 3,
        "view_count": 5
      }
    }

    $ hone usage export out.json
    exit: 0
    --- stderr
    wrote 1 record to `[PROJECT]/out.json`

    $ hone rm tidy
    exit: 1
    --- stderr
    error: `tidy` is pinned; `hone unpin tidy` first
    "#
    );
    assert_eq!(sandbox.read("project/out.json"), sandbox.hone("usage export").run().text());
}

#[test]
fn a_file_that_is_not_hermes_cannot_be_imported() {
    let sandbox = Sandbox::new();
    sandbox.write("project/broken.json", "{");
    sandbox.write("project/list.json", "[]");
    assert_snapshot!(
        transcript(&sandbox, &[
            "usage import missing.json",
            "usage import broken.json",
            "usage import list.json",
            "usage export missing/out.json",
        ]),
        @"
    $ hone usage import missing.json
    exit: 2
    --- stderr
    error: could not read `missing.json`: No such file or directory (os error 2)

    $ hone usage import broken.json
    exit: 2
    --- stderr
    error: `broken.json`: EOF while parsing an object at line 1 column 1

    $ hone usage import list.json
    exit: 2
    --- stderr
    error: `list.json`: this is not a map of names to records

    $ hone usage export missing/out.json
    exit: 2
    --- stderr
    error: could not write `[PROJECT]/missing/out.json`: No such file or directory (os error 2)
    "
    );
}

#[test]
fn what_an_agent_did_is_counted() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/scripts/run.sh", "");
    let folder = sandbox.path("home/.agents/skills/tidy");
    assert_snapshot!(
        transcript(&sandbox, &[
            "usage record --command 'cd ~/.agents/skills/tidy && A=1 uv run scripts/run.sh -x' --json",
            "usage record --command 'sed -n 1,20p ~/.agents/skills/tidy/SKILL.md'",
            "usage record --file ../home/.agents/skills/tidy/scripts/run.sh",
            "usage record --command 'rm -rf ~/.agents/skills/tidy/scripts'",
        ]),
        @r#"
    $ hone usage record --command 'cd ~/.agents/skills/tidy && A=1 uv run scripts/run.sh -x' --json
    exit: 0
    --- stdout
    {"used":[{"name":"tidy","path":"[HOME]/.agents/skills/tidy/SKILL.md","how":"script","file":"scripts/run.sh"}]}

    $ hone usage record --command 'sed -n 1,20p ~/.agents/skills/tidy/SKILL.md'
    exit: 0
    --- stderr
    `tidy` (instructions: SKILL.md)

    $ hone usage record --file ../home/.agents/skills/tidy/scripts/run.sh
    exit: 0
    --- stderr
    `tidy` (file: scripts/run.sh)

    $ hone usage record --command 'rm -rf ~/.agents/skills/tidy/scripts'
    exit: 0
    --- stderr
    it used no skill
    "#
    );
    let run = sandbox.hone("usage record --command ./scripts/run.sh --cwd").arg(&folder).run();
    assert_snapshot!(run, @"
    exit: 0
    --- stderr
    `tidy` (script: scripts/run.sh)
    ");
    assert_snapshot!(sandbox.hone("usage").run(), @"
    exit: 0
    --- stdout
     views   uses changes  skill
         1      3       0  tidy (1)
    ");
    assert!(folder.join("scripts/run.sh").is_file(), "nothing is run");
}

#[test]
fn what_is_not_there_was_not_used() {
    let sandbox = Sandbox::with_tidy();
    for line in [
        "usage record --command '~/.agents/skills/tidy/scripts/gone.sh'",
        "usage record --file ../home/.agents/skills/tidy/gone.md",
    ] {
        assert_eq!(sandbox.hone(line).run().errors(), "it used no skill\n", "{line}");
    }
    assert_eq!(sandbox.hone("usage").run().errors(), "nothing was counted yet\n");
}

#[test]
fn a_skill_that_is_not_offered_can_still_be_used() {
    let sandbox = Sandbox::with_tidy();
    sandbox.skill("home/.claude/skills", "tidy", "Shadowed.");
    sandbox.skill("project/.agents/skills", "deploy", "Untrusted.");
    for file in ["../home/.claude/skills/tidy/SKILL.md", ".agents/skills/deploy/SKILL.md"] {
        let json = sandbox.hone("usage record --json --file").arg(file).run().json();
        let path = json["used"][0]["path"].as_str().unwrap().to_owned();
        assert!(path.ends_with(file.trim_start_matches("../home")), "{json}");
    }
}

#[test]
fn what_is_recorded_is_a_command_or_a_file() {
    let run = Sandbox::with_tidy().hone("usage record").run();
    assert!(run.code == 2 && run.errors().contains("<--command <LINE>|--file <PATH>>"), "{run}");
}
