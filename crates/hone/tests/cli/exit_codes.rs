//! Exit codes: 0 good, 1 the answer is no, 2 wrong usage or could not run.

use crate::harness::Sandbox;

#[test]
fn each_kind_of_ending_has_its_code() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("project/bad/SKILL.md", "---\nname: bad\n");
    sandbox.write("project/file", "x");
    for (code, line) in [
        // Good.
        (0, ""),
        (0, "--help"),
        (0, "--version"),
        (0, "help list"),
        (0, "list"),
        (0, "list tidy"),
        (0, "view tidy"),
        (0, "check tidy"),
        (0, "history tidy"),
        (0, "prompt"),
        (0, "patch tidy --old Sort --new Order --dry-run"),
        (0, "trust --list"),
        (0, "usage"),
        (0, "config"),
        (0, "doctor"),
        (0, "invoke /tidy now"),
        (0, "commands"),
        (0, "commands reload"),
        (0, "needs"),
        (0, "usage record --command ls"),
        (0, "approve"),
        (0, "audit"),
        (0, "audit verify"),
        (0, "verify"),
        (0, "outdated"),
        (0, "update"),
        // The answer is no: not found.
        (1, "list unheard-of"),
        (1, "view unheard-of"),
        (1, "view tidy references/none.md"),
        (1, "edit unheard-of --file file"),
        (1, "patch tidy --old unheard-of --new x"),
        (1, "rm unheard-of"),
        (1, "file rm tidy references/none.md"),
        (1, "history unheard-of"),
        (1, "rollback tidy --to 99"),
        (1, "check unheard-of"),
        (1, "config get unheard-of"),
        (1, "schema unheard-of"),
        (1, "invoke /unheard-of"),
        (1, "invoke 'no skill here'"),
        (1, "invoke --as model unheard-of"),
        (1, "needs unheard-of"),
        (1, "list --agent unheard-of"),
        (1, "remove unheard-of"),
        (1, "verify unheard-of"),
        (1, "approve unheard-of"),
        (1, "share tidy --agent unheard-of"),
        (1, "search --hub unheard-of"),
        (1, "add https://127.0.0.1/x.zip"),
        // The answer is no: invalid or refused.
        (1, "check bad"),
        (1, "new tidy --file file"),
        (1, "new '!!!' --file file"),
        (1, "edit tidy --file file"),
        (1, "file add tidy ../x --file file"),
        (1, "patch tidy --old e --new x"),
        (1, "rm hone"),
        (1, "config set skills.depth 99"),
        (1, "trust file"),
        // Wrong usage.
        (2, "add unheard-of"),
        (2, "share tidy"),
        (2, "approve --reject"),
        (2, "add ./x --all --skill y"),
        (2, "unheard-of"),
        (2, "list --unheard-of"),
        (2, "list --client unheard-of"),
        (2, "view"),
        (2, "patch tidy --old x"),
        (2, "check --format unheard-of"),
        (2, "check --dry-run"),
        (2, "new x --stdin --file file"),
        (2, "file add tidy references/x"),
        (2, "file"),
        (2, "diff tidy --from one"),
        (2, "invoke"),
        (2, "invoke --session '' /tidy"),
        (2, "usage record"),
        (2, "prompt --budget 101%"),
        // Could not run.
        (2, "list --root missing"),
        (2, "list --root file"),
        (2, "check --root missing"),
        (2, "new x --file missing"),
        (2, "edit tidy"),
        (2, "patch tidy --old-file missing --new x"),
        (2, "usage import missing"),
        (2, "usage export missing/out.json"),
        (2, "man file"),
    ] {
        let run = sandbox.hone(line).run();
        assert_eq!(run.code, code, "hone {line}\n{run}");
        if code != 0 {
            assert!(!run.errors().is_empty() || line == "check bad", "hone {line} says nothing");
            assert!(line == "check bad" || run.text().is_empty(), "hone {line} prints to stdout");
        }
    }
}

/// A program that reads standard output gets data or nothing.
#[test]
fn messages_go_to_standard_error_and_data_to_standard_output() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/broken/SKILL.md", "---\nname: broken\n");
    for (line, has_data) in [
        ("list", true),
        ("list --json", true),
        ("pin tidy", false),
        ("patch tidy --old Sort --new Order", false),
        ("patch tidy --old Order --new Sort --dry-run", true),
        ("patch tidy --old Order --new Sort --json", true),
        ("history tidy", true),
        ("config set skills.depth 5", false),
        ("trust", false),
        ("unpin tidy", false),
        ("rm tidy", false),
        ("rollback tidy", false),
    ] {
        let run = sandbox.hone(line).run();
        assert_eq!((run.code, !run.stdout.is_empty()), (0, has_data), "hone {line}\n{run}");
        assert_eq!(
            run.stderr.is_empty(),
            line.contains("json") || line == "history tidy",
            "{line}"
        );
    }
}
