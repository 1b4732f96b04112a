//! `hone edit` with a text, `hone patch`, `hone rm`, `hone file`, `hone pin`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, TIDY, exists, transcript};

#[test]
fn edit_takes_the_whole_text() {
    let sandbox = Sandbox::with_tidy();
    let text = TIDY.replace("Sort", "Order");
    assert_snapshot!(sandbox.hone("edit tidy --stdin --dry-run").stdin(&text).run(), @"
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -6,5 +6,5 @@
     ---
     # Steps
     
    -1. Sort the entries.
    +1. Order the entries.
     2. Remove the empty ones.
    --- stderr
    dry run: would edit `tidy` (nothing written) ~/.agents/skills/tidy
    ");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
    assert_snapshot!(sandbox.hone("edit tidy --stdin").stdin(&text).run(), @"
    exit: 0
    --- stderr
    edited `tidy` (revision 2) ~/.agents/skills/tidy
    ");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), text);
    assert_snapshot!(sandbox.hone("edit tidy --stdin").stdin(&text).run(), @"
    exit: 1
    --- stderr
    error: nothing would change
    ");
    assert_snapshot!(sandbox.hone("edit tidy --stdin").stdin("no frontmatter").run(), @"
    exit: 1
    --- stderr
    error[no-frontmatter]: there is no frontmatter
     --> SKILL.md:1:1
      |
    1 | no frontmatter
      | ^
      = hint: start the file with `---`, `name: …`, `description: …`, `---`
    error: the result would not be a valid skill, so nothing was written
    ");
    assert_snapshot!(sandbox.hone("edit unheard-of --stdin").stdin(&text).run(), @"
    exit: 1
    --- stderr
    error: there is no skill `unheard-of`
    hint: `hone list` shows what is there
    ");
}

#[test]
fn patch_replaces_what_occurs_exactly_once() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(
        transcript(&sandbox, &[
            "patch tidy --old 'Sort the entries' --new 'Sort them by date' --dry-run",
            "patch tidy --old 'Sort the entries' --new 'Sort them by date' --why 'was unclear'",
            "patch tidy --old 'Sort the entries' --new 'Sort them by date'",
        ]),
        @"
    $ hone patch tidy --old 'Sort the entries' --new 'Sort them by date' --dry-run
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -6,5 +6,5 @@
     ---
     # Steps
     
    -1. Sort the entries.
    +1. Sort them by date.
     2. Remove the empty ones.
    --- stderr
    dry run: would patch `tidy` (nothing written) ~/.agents/skills/tidy

    $ hone patch tidy --old 'Sort the entries' --new 'Sort them by date' --why 'was unclear'
    exit: 0
    --- stderr
    patched `tidy` (revision 2) ~/.agents/skills/tidy

    $ hone patch tidy --old 'Sort the entries' --new 'Sort them by date'
    exit: 1
    --- stderr
    error: the old text occurs 0 times
    hint: the nearest lines are
    9: 1. Sort them by date.
    10: 2. Remove the empty ones.
    "
    );
    assert!(sandbox.read("home/.agents/skills/tidy/SKILL.md").contains("1. Sort them by date."));
}

#[test]
fn patch_that_finds_none_or_several_says_how_many_and_where() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(
        transcript(&sandbox, &[
            "patch tidy --old 'Sort the entriez' --new x",
            "patch tidy --old 'quite another text' --new x",
            "patch tidy --old 'the e' --new x",
            "patch tidy --old --- --new ...",
            "patch tidy --old '' --new x",
            "patch tidy --old x --new x",
        ]),
        @"
    $ hone patch tidy --old 'Sort the entriez' --new x
    exit: 1
    --- stderr
    error: the old text occurs 0 times
    hint: the nearest lines are
    9: 1. Sort the entries.
    10: 2. Remove the empty ones.

    $ hone patch tidy --old 'quite another text' --new x
    exit: 1
    --- stderr
    error: the old text occurs 0 times
    hint: `hone view NAME --raw` shows the text as it is

    $ hone patch tidy --old 'the e' --new x
    exit: 1
    --- stderr
    error: the old text occurs 2 times, at lines 9, 10
    hint: give a longer piece of text that occurs only once

    $ hone patch tidy --old --- --new ...
    exit: 1
    --- stderr
    error: the old text occurs 2 times, at lines 1, 6
    hint: give a longer piece of text that occurs only once

    $ hone patch tidy --old '' --new x
    exit: 1
    --- stderr
    error: the old text is empty

    $ hone patch tidy --old x --new x
    exit: 1
    --- stderr
    error: the old and the new text are the same
    "
    );
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
}

#[test]
fn fuzzy_must_be_asked_for_and_reports_what_it_matched() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(
        transcript(&sandbox, &[
            "patch tidy --old '1.  Sort the   entries.' --new '1. Sort.'",
            "patch tidy --fuzzy --old '1.  Sort the   entries.' --new '1. Sort.'",
        ]),
        @"
    $ hone patch tidy --old '1.  Sort the   entries.' --new '1. Sort.'
    exit: 1
    --- stderr
    error: the old text occurs 0 times
    hint: it would match with `--fuzzy`, which lets blanks and quotes differ

    $ hone patch tidy --fuzzy --old '1.  Sort the   entries.' --new '1. Sort.'
    exit: 0
    --- stderr
    note: not an exact match; replaced, at line 9:
    1. Sort the entries.
    patched `tidy` (revision 2) ~/.agents/skills/tidy
    "
    );
    let json =
        sandbox.hone("patch tidy --fuzzy --json --old 'Remove  the empty' --new Drop").run().json();
    assert_eq!(
        json["matched"],
        serde_json::json!({"line": 10, "text": "Remove the empty", "fuzzy": true})
    );
}

#[test]
fn patch_takes_its_texts_from_files() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("project/old.txt", "1. Sort the entries.\n2. Remove the empty ones.\n");
    sandbox.write("project/new.txt", "1. Do both.\n");
    sandbox.done("patch tidy --old-file old.txt --new-file new.txt");
    assert!(
        sandbox.read("home/.agents/skills/tidy/SKILL.md").ends_with("# Steps\n\n1. Do both.\n")
    );
    sandbox.write("project/latin", b"caf\xe9");
    assert_snapshot!(
        transcript(&sandbox, &[
            "patch tidy --old-file missing --new x",
            "patch tidy --old-file latin --new x",
            "patch tidy --old-file old.txt --old x --new x",
            "patch tidy --new x",
        ]),
        @"
    $ hone patch tidy --old-file missing --new x
    exit: 2
    --- stderr
    error: could not read `missing`: No such file or directory (os error 2)

    $ hone patch tidy --old-file latin --new x
    exit: 1
    --- stderr
    error: `latin` is not UTF-8

    $ hone patch tidy --old-file old.txt --old x --new x
    exit: 2
    --- stderr
    error: the argument '--old-file <FILE>' cannot be used with '--old <TEXT>'

    Usage: hone patch --old-file <FILE> --new <TEXT> <NAME>

    For more information, try '--help'.

    $ hone patch tidy --new x
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      --old <TEXT>

    Usage: hone patch --new <TEXT> --old <TEXT> <NAME>

    For more information, try '--help'.
    "
    );
}

#[test]
fn values_may_start_with_a_hyphen() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("patch tidy --old '2. Remove' --new '- Remove'");
    sandbox.done("patch tidy --old '- Remove' --new --remove");
    sandbox.done("patch tidy --old=--remove --new=-r");
    assert!(sandbox.read("home/.agents/skills/tidy/SKILL.md").ends_with("\n-r the empty ones.\n"));
}

#[test]
fn patch_in_a_supporting_file() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/references/style.md", "Use short lines.\n");
    assert_snapshot!(
        transcript(&sandbox, &[
            "patch tidy --in references/style.md --old short --new long",
            "patch tidy --in references/none.md --old short --new long",
            "patch tidy --in ../other/SKILL.md --old short --new long",
        ]),
        @"
    $ hone patch tidy --in references/style.md --old short --new long
    exit: 0
    --- stderr
    patched `tidy` (revision 2) ~/.agents/skills/tidy

    $ hone patch tidy --in references/none.md --old short --new long
    exit: 1
    --- stderr
    error: the skill has no file `references/none.md`
    hint: it has SKILL.md, references/style.md

    $ hone patch tidy --in ../other/SKILL.md --old short --new long
    exit: 1
    --- stderr
    error: `../other/SKILL.md` cannot be a file of a skill: empty parts, `.` and `..` are not allowed
    hint: files live under `references/`, `templates/`, `scripts/` or `assets/`
    "
    );
    assert_eq!(sandbox.read("home/.agents/skills/tidy/references/style.md"), "Use long lines.\n");
}

#[test]
fn a_patch_that_breaks_the_skill_is_refused_with_the_place() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(sandbox.hone("patch tidy --old 'name: tidy' --new 'name: [tidy'").run(), @"
    exit: 1
    --- stderr
    error[yaml-unquoted]: the value of `name` must be quoted: it starts with `[`
     --> SKILL.md:2:7
      |
    2 | name: [tidy
      |       ^^^^^
      = hint: put the whole value in double quotes
    error[name-characters]: the name holds `[`, only letters, digits and hyphens are allowed
     --> SKILL.md:2:7
      |
    2 | name: [tidy
      |       ^^^^^
      = hint: call it `tidy`
    error[name-folder]: the name is `[tidy`, the folder is `tidy`
     --> SKILL.md:2:7
      |
    2 | name: [tidy
      |       ^^^^^
      = hint: rename one of them
    error: the result would not be a valid skill, so nothing was written
    ");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
}

#[test]
fn a_change_that_could_be_better_is_warned_about() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("patch tidy --old 'Tidies a' --new 'Tidies # a'").run();
    assert_snapshot!(run, @"
    exit: 0
    --- stderr
    patched `tidy` (revision 2) ~/.agents/skills/tidy
    warning: line 3: `#` starts a comment and cuts the description
    ");
}

#[test]
fn rm_takes_the_whole_skill_away_and_can_be_undone() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/references/style.md", "Use short lines.\n");
    assert_snapshot!(transcript(&sandbox, &["rm tidy --dry-run", "rm tidy --why 'not needed'"]), @r#"
    $ hone rm tidy --dry-run
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ /dev/null
    @@ -1,10 +0,0 @@
    ----
    -name: tidy
    -description: Tidies a changelog. Use when a release is near.
    -metadata:
    -  version: "1"
    ----
    -# Steps
    -
    -1. Sort the entries.
    -2. Remove the empty ones.
    --- a/references/style.md
    +++ /dev/null
    @@ -1 +0,0 @@
    -Use short lines.
    --- stderr
    dry run: would remove `tidy` (nothing written) ~/.agents/skills/tidy

    $ hone rm tidy --why 'not needed'
    exit: 0
    --- stderr
    removed `tidy` (revision 2) ~/.agents/skills/tidy
    "#);
    assert!(!exists(&sandbox.path("home/.agents/skills/tidy")));
    assert_snapshot!(transcript(&sandbox, &["rm tidy", "rollback tidy"]), @"
    $ hone rm tidy
    exit: 1
    --- stderr
    error: there is no skill `tidy`
    hint: it was removed; `hone rollback tidy` brings it back

    $ hone rollback tidy
    exit: 0
    --- stderr
    rolled back `tidy` (revision 3) ~/.agents/skills/tidy
    ");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
    assert_eq!(sandbox.read("home/.agents/skills/tidy/references/style.md"), "Use short lines.\n");
}

#[test]
fn a_pinned_skill_stays() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(
        transcript(&sandbox, &["pin tidy", "pin tidy", "rm tidy", "unpin tidy", "unpin tidy", "pin none"]),
        @"
    $ hone pin tidy
    exit: 0
    --- stderr
    `tidy` is pinned now: it cannot be removed (~/.agents/skills/tidy)

    $ hone pin tidy
    exit: 0
    --- stderr
    `tidy` was pinned already (~/.agents/skills/tidy)

    $ hone rm tidy
    exit: 1
    --- stderr
    error: `tidy` is pinned; `hone unpin tidy` first

    $ hone unpin tidy
    exit: 0
    --- stderr
    `tidy` is no longer pinned (~/.agents/skills/tidy)

    $ hone unpin tidy
    exit: 0
    --- stderr
    `tidy` was not pinned (~/.agents/skills/tidy)

    $ hone pin none
    exit: 1
    --- stderr
    error: there is no skill `none`
    hint: did you mean `hone`?
    "
    );
    sandbox.done("rm tidy");
}

#[test]
fn file_add_writes_below_the_folders_of_a_skill() {
    let sandbox = Sandbox::with_tidy();
    let script = sandbox.script("project/sort.sh", "sort");
    assert_eq!(script, sandbox.path("project/sort.sh").to_str().unwrap());
    sandbox.write("project/style.md", "Use short lines.\n");
    assert_snapshot!(
        transcript(&sandbox, &[
            "file list tidy",
            "file add tidy references/style.md --file style.md --dry-run",
            "file add tidy references/style.md --file style.md",
            "file add tidy scripts/sort.sh --file sort.sh",
            "file add tidy scripts/run --file style.md --executable",
            "file list tidy",
            "file list tidy --json",
        ]),
        @r#"
    $ hone file list tidy
    exit: 0
    --- stderr
    `tidy` has no supporting files

    $ hone file add tidy references/style.md --file style.md --dry-run
    exit: 0
    --- stdout
    --- /dev/null
    +++ b/references/style.md
    @@ -0,0 +1 @@
    +Use short lines.
    --- stderr
    dry run: would write a file of `tidy` (nothing written) ~/.agents/skills/tidy

    $ hone file add tidy references/style.md --file style.md
    exit: 0
    --- stderr
    wrote a file of `tidy` (revision 2) ~/.agents/skills/tidy

    $ hone file add tidy scripts/sort.sh --file sort.sh
    exit: 0
    --- stderr
    wrote a file of `tidy` (revision 3) ~/.agents/skills/tidy

    $ hone file add tidy scripts/run --file style.md --executable
    exit: 0
    --- stderr
    wrote a file of `tidy` (revision 4) ~/.agents/skills/tidy

    $ hone file list tidy
    exit: 0
    --- stdout
    references/style.md
    scripts/run
    scripts/sort.sh

    $ hone file list tidy --json
    exit: 0
    --- stdout
    {"name":"tidy","files":["references/style.md","scripts/run","scripts/sort.sh"]}
    "#
    );
    use std::os::unix::fs::PermissionsExt;
    let mode = |file: &str| {
        let path = sandbox.path("home/.agents/skills/tidy").join(file);
        path.metadata().unwrap().permissions().mode() & 0o111
    };
    assert_eq!(
        [mode("references/style.md"), mode("scripts/sort.sh"), mode("scripts/run")],
        [0, 0o111, 0o111]
    );
}

#[test]
fn file_add_refuses_every_way_out() {
    let sandbox = Sandbox::with_tidy();
    for path in [
        "style.md",
        "../style.md",
        "references/../../x.md",
        "/etc/passwd",
        "references\\x.md",
        "C:/x.md",
        "references/",
        "references/con",
        "notes/x.md",
        "",
    ] {
        let run = sandbox.hone("file add tidy --stdin").arg(path).stdin("x").run();
        assert_eq!(run.code, 1, "{path}\n{run}");
        assert!(run.errors().starts_with("error: `"), "{path}\n{run}");
    }
    assert_eq!(sandbox.files("home/.agents/skills"), ["tidy/SKILL.md"]);
    assert_snapshot!(
        transcript(&sandbox, &[
            "file add tidy style.md --file x",
            "file add tidy references/x.md",
            "file add tidy references/x.md --file missing",
            "file",
        ]),
        @"
    $ hone file add tidy style.md --file x
    exit: 1
    --- stderr
    error: `style.md` cannot be a file of a skill: `style.md` is not one of its folders
    hint: files live under `references/`, `templates/`, `scripts/` or `assets/`

    $ hone file add tidy references/x.md
    exit: 2
    --- stderr
    error: there is no content
    hint: give `--file FILE` or `--stdin`

    $ hone file add tidy references/x.md --file missing
    exit: 2
    --- stderr
    error: could not read `missing`: No such file or directory (os error 2)

    $ hone file
    exit: 2
    --- stderr
    Add or remove a skill's supporting files

    Usage: hone file [OPTIONS] <COMMAND>

    Commands:
      add   Write a supporting file
      rm    Take a supporting file away
      list  List a skill's files
      help  Print this message or the help of the given subcommand(s)

    Options:
          --root <DIR>  Use exactly this folder of skills (repeatable) instead of the project's, yours
                        and the machine's
          --agent <ID>  Also use the skills of this agent of ours (a brain below `HONE_HOME/agents`)
          --depth <N>   How many folders deep to look below a root [default: 6, or `skills.depth`; below
                        a folder that `check` or `scan` is given, 32]
      -h, --help        Print help

    Examples:
      hone file add tidy references/style.md --file style.md
      hone file rm tidy references/style.md
      hone file list tidy
    "
    );
}

#[test]
fn a_file_at_the_limit_is_taken_and_one_past_it_is_not() {
    let sandbox = Sandbox::with_tidy();
    let add = |size: usize| {
        sandbox.hone("file add tidy assets/data --stdin").stdin(vec![b'x'; size]).run()
    };
    assert_eq!(add(1024 * 1024).code, 0);
    assert_snapshot!(add(1024 * 1024 + 1), @"
    exit: 1
    --- stderr
    error: `assets/data` has 1048577 bytes, 1048576 are allowed
    ");
}

#[test]
fn skill_md_through_the_file_door_is_checked_too() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("file add tidy SKILL.md --stdin").stdin("no frontmatter").run();
    assert_snapshot!(run, @"
    exit: 1
    --- stderr
    error[no-frontmatter]: there is no frontmatter
     --> SKILL.md:1:1
      |
    1 | no frontmatter
      | ^
      = hint: start the file with `---`, `name: …`, `description: …`, `---`
    error: the result would not be a valid skill, so nothing was written
    ");
    assert_snapshot!(sandbox.hone("file rm tidy SKILL.md").run(), @"
    exit: 1
    --- stderr
    error: without `SKILL.md` there is no skill; `hone rm tidy` takes the whole skill away
    ");
}

#[test]
fn file_rm_takes_one_file_away_and_can_be_undone() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/references/style.md", "Use short lines.\n");
    assert_snapshot!(
        transcript(&sandbox, &[
            "file rm tidy references/style.md --dry-run",
            "file rm tidy references/style.md",
            "file rm tidy references/style.md",
            "rollback tidy",
        ]),
        @"
    $ hone file rm tidy references/style.md --dry-run
    exit: 0
    --- stdout
    --- a/references/style.md
    +++ /dev/null
    @@ -1 +0,0 @@
    -Use short lines.
    --- stderr
    dry run: would remove a file of `tidy` (nothing written) ~/.agents/skills/tidy

    $ hone file rm tidy references/style.md
    exit: 0
    --- stderr
    removed a file of `tidy` (revision 2) ~/.agents/skills/tidy

    $ hone file rm tidy references/style.md
    exit: 1
    --- stderr
    error: the skill has no file `references/style.md`
    hint: it has SKILL.md

    $ hone rollback tidy
    exit: 0
    --- stderr
    rolled back `tidy` (revision 3) ~/.agents/skills/tidy
    "
    );
    assert_eq!(sandbox.read("home/.agents/skills/tidy/references/style.md"), "Use short lines.\n");
}

#[test]
fn every_write_prints_the_same_json() {
    let sandbox = Sandbox::with_tidy();
    let mut actions = Vec::new();
    for line in [
        "new other --upsert --json --stdin",
        "edit other --json --stdin",
        "patch tidy --json --old Sort --new Order",
        "file add tidy references/x.md --json --stdin",
        "file rm tidy references/x.md --json",
        "rollback tidy --json",
        "rm tidy --json",
    ] {
        let input = if line.starts_with("edit") {
            "---\nname: other\ndescription: Other.\n---\nDo it otherwise.\n"
        } else {
            "Do it.\n"
        };
        let dry = sandbox.hone(line).arg("--dry-run").stdin(input).run();
        let run = sandbox.hone(line).stdin(input).run();
        assert_eq!((dry.code, run.code, run.errors()), (0, 0, String::new()), "{line}\n{run}");
        let (mut dry, run) = (dry.json(), run.json());
        assert_eq!((&dry["revision"], &dry["dry_run"]), (&serde_json::Value::Null, &true.into()));
        assert_eq!(run["dry_run"], false);
        actions.push(format!("{} {}", run["action"].as_str().unwrap(), run["revision"]));
        (dry["revision"], dry["dry_run"]) = (run["revision"].clone(), false.into());
        assert_eq!(dry, run, "a dry run says what the write does");
    }
    assert_eq!(
        actions,
        [
            "upsert 1",
            "edit 2",
            "patch 2",
            "write-file 3",
            "remove-file 4",
            "rollback 5",
            "delete 6"
        ]
    );
}
