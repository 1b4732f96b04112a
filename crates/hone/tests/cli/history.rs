//! `hone history`, `hone diff`, `hone rollback`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, TIDY, need, transcript};

fn changed() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("patch tidy --old Sort --new Order --why 'a better word'");
    sandbox.write("home/.agents/skills/tidy/SKILL.md", TIDY.replace("Sort", "Arrange"));
    sandbox.done("patch tidy --old empty --new old");
    sandbox
}

#[test]
fn history_tells_who_did_what_and_why_others_included() {
    assert_snapshot!(changed().hone("history tidy").run(), @"
    exit: 0
    --- stdout
       1  [TIME]  -  outside v1 SKILL.md: as it was found
       2  [TIME]  tester  patch SKILL.md: a better word
       3  [TIME]  -  outside v1 SKILL.md: changed without hone
       4  [TIME]  tester  patch SKILL.md
    ");
}

#[test]
fn history_of_an_untouched_skill_is_empty() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(
        transcript(&sandbox, &["history tidy", "history tidy --json", "diff tidy", "rollback tidy", "history none"]),
        @r#"
    $ hone history tidy
    exit: 0
    --- stderr
    hone has not changed `tidy` yet

    $ hone history tidy --json
    exit: 0
    --- stdout
    {"path":"[HOME]/.agents/skills/tidy","revisions":[]}

    $ hone diff tidy
    exit: 1
    --- stderr
    error: hone has not changed `tidy` yet

    $ hone rollback tidy
    exit: 1
    --- stderr
    error: hone never changed `tidy`: there is nothing to go back to

    $ hone history none
    exit: 1
    --- stderr
    error: there is no skill `none`
    hint: did you mean `hone`?
    "#
    );
}

#[test]
fn history_in_json_names_the_bytes_by_hash() {
    let sandbox = changed();
    let json = sandbox.hone("history tidy --json").run().json();
    let revisions = json["revisions"].as_array().unwrap();
    assert_eq!(revisions.len(), 4);
    assert_snapshot!(sandbox.filtered(&serde_json::to_string_pretty(&revisions[1]).unwrap()), @r#"
    {
      "action": "patch",
      "actor": "tester",
      "at": "[TIME]",
      "files": [
        {
          "after": "886809f091035354a450cebc5693eb3f4d6e7926db02e44109e6887be8b24d95",
          "before": "ba6f1839328b7cdefcd0b3faa955cfc25bd5a4a553b7a920418ef9ddca1e6d53",
          "file": "SKILL.md"
        }
      ],
      "from_version": "1",
      "name": "tidy",
      "reason": "a better word",
      "revision": 2,
      "to_version": "1"
    }
    "#);
}

#[test]
fn the_actor_can_be_set() {
    let sandbox = Sandbox::with_tidy();
    sandbox.hone("patch tidy --old Sort --new Order").env("HONE_ACTOR", "a bot").run();
    let json = sandbox.hone("history tidy --json").run().json();
    assert_eq!(json["revisions"][1]["actor"], "a bot");
}

#[test]
fn diff_compares_two_revisions() {
    let sandbox = changed();
    assert_snapshot!(
        transcript(&sandbox, &[
            "diff tidy",
            "diff tidy --to 2",
            "diff tidy --from 1 --to 4",
            "diff tidy --from 4 --to 1",
            "diff tidy --from 2 --to 2",
            "diff tidy --from 9",
        ]),
        @"
    $ hone diff tidy
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -7,4 +7,4 @@
     # Steps
     
     1. Arrange the entries.
    -2. Remove the empty ones.
    +2. Remove the old ones.

    $ hone diff tidy --to 2
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

    $ hone diff tidy --from 1 --to 4
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -6,5 +6,5 @@
     ---
     # Steps
     
    -1. Sort the entries.
    -2. Remove the empty ones.
    +1. Arrange the entries.
    +2. Remove the old ones.

    $ hone diff tidy --from 4 --to 1
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -6,5 +6,5 @@
     ---
     # Steps
     
    -1. Arrange the entries.
    -2. Remove the old ones.
    +1. Sort the entries.
    +2. Remove the empty ones.

    $ hone diff tidy --from 2 --to 2
    exit: 0

    $ hone diff tidy --from 9
    exit: 1
    --- stderr
    error: `tidy` has no revision 9
    hint: the newest is 4
    "
    );
}

#[test]
fn diff_says_when_a_file_is_not_text() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("file add tidy assets/x --stdin").stdin([0, 159]).run();
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!(sandbox.hone("diff tidy").run(), @"
    exit: 0
    --- stdout
    assets/x is not text
    ");
    let json = sandbox.hone("diff tidy --json").run().json();
    assert_eq!(
        json["files"],
        serde_json::json!([{"file": "assets/x", "status": "added", "diff": null}])
    );
}

#[test]
fn rollback_brings_an_earlier_revision_back_as_a_new_one() {
    let sandbox = changed();
    assert_snapshot!(
        transcript(&sandbox, &[
            "rollback tidy --dry-run",
            "rollback tidy",
            "rollback tidy --to 1 --why 'start again'",
            "rollback tidy --to 1",
            "rollback tidy --to 99",
            "rollback tidy --to 0",
            "rollback tidy --to one",
            "history tidy",
        ]),
        @"
    $ hone rollback tidy --dry-run
    exit: 0
    --- stdout
    --- a/SKILL.md
    +++ b/SKILL.md
    @@ -7,4 +7,4 @@
     # Steps
     
     1. Arrange the entries.
    -2. Remove the old ones.
    +2. Remove the empty ones.
    --- stderr
    dry run: would roll back `tidy` (nothing written) ~/.agents/skills/tidy

    $ hone rollback tidy
    exit: 0
    --- stderr
    rolled back `tidy` (revision 5) ~/.agents/skills/tidy

    $ hone rollback tidy --to 1 --why 'start again'
    exit: 0
    --- stderr
    rolled back `tidy` (revision 6) ~/.agents/skills/tidy

    $ hone rollback tidy --to 1
    exit: 1
    --- stderr
    error: it is already as it was in revision 1

    $ hone rollback tidy --to 99
    exit: 1
    --- stderr
    error: `tidy` has no revision 99
    hint: the newest is 6

    $ hone rollback tidy --to 0
    exit: 1
    --- stderr
    error: `tidy` has no revision 0
    hint: the newest is 6

    $ hone rollback tidy --to one
    exit: 2
    --- stderr
    error: invalid value 'one' for '--to <N>': invalid digit found in string

    For more information, try '--help'.

    $ hone history tidy
    exit: 0
    --- stdout
       1  [TIME]  -  outside v1 SKILL.md: as it was found
       2  [TIME]  tester  patch SKILL.md: a better word
       3  [TIME]  -  outside v1 SKILL.md: changed without hone
       4  [TIME]  tester  patch SKILL.md
       5  [TIME]  tester  rollback SKILL.md: to revision 3
       6  [TIME]  tester  rollback SKILL.md: to revision 1: start again
    "
    );
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
}

#[test]
fn the_first_revision_has_none_before_it() {
    let sandbox = Sandbox::new();
    let run = sandbox.hone("new tidy --stdin").stdin("Sort.").run();
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!(sandbox.hone("rollback tidy").run(), @"
    exit: 1
    --- stderr
    error: there is nothing before the first revision; `hone rm tidy` takes the skill away
    ");
}

#[test]
fn a_removed_skill_still_has_its_history_by_name_and_by_path() {
    let sandbox = changed();
    sandbox.done("rm tidy");
    assert_snapshot!(
        transcript(&sandbox, &["history tidy", "diff tidy --from 4", "rollback tidy --dry-run --json"])
            .replace("\\n", "\n"),
        @r#"
    $ hone history tidy
    exit: 0
    --- stdout
       1  [TIME]  -  outside v1 SKILL.md: as it was found
       2  [TIME]  tester  patch SKILL.md: a better word
       3  [TIME]  -  outside v1 SKILL.md: changed without hone
       4  [TIME]  tester  patch SKILL.md
       5  [TIME]  tester  delete SKILL.md

    $ hone diff tidy --from 4
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
    -1. Arrange the entries.
    -2. Remove the old ones.

    $ hone rollback tidy --dry-run --json
    exit: 0
    --- stdout
    {"action":"rollback","name":"tidy","path":"[HOME]/.agents/skills/tidy","revision":null,"dry_run":true,"from_version":null,"to_version":"1","files":[{"file":"SKILL.md","status":"added","diff":"--- /dev/null
    +++ b/SKILL.md
    @@ -0,0 +1,10 @@
    +---
    +name: tidy
    +description: Tidies a changelog. Use when a release is near.
    +metadata:
    +  version: \"1\"
    +---
    +# Steps
    +
    +1. Arrange the entries.
    +2. Remove the old ones.
    "}],"warnings":[]}
    "#
    );
    sandbox.done("history ../home/.agents/skills/tidy");
    sandbox.done("rollback ../home/.agents/skills/tidy --to 1");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
}

#[test]
fn a_removed_skill_is_looked_for_in_the_given_roots_only() {
    let sandbox = changed();
    sandbox.done("rm tidy");
    sandbox.skill("other", "mine", "Another root.");
    assert_snapshot!(sandbox.hone("rollback tidy --root ../other").run(), @"
    exit: 1
    --- stderr
    error: there is no skill `tidy`
    hint: `hone list` shows what is there
    ");
    sandbox.done("rollback tidy --root ../home/.agents/skills");
}

#[test]
fn a_removed_skill_comes_back_by_its_scope_though_another_of_its_name_is_there() {
    let sandbox = Sandbox::with_tidy();
    sandbox.skill("project/.agents/skills", "tidy", "The project's own");
    sandbox.done("trust");
    sandbox.done("rm user:tidy");
    sandbox.done("rollback user:tidy");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
}

#[test]
fn the_first_file_of_a_skill_can_be_taken_back() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("project/style.md", "Short.\n");
    assert_snapshot!(
        transcript(&sandbox, &[
            "file add tidy references/style.md --file style.md",
            "history tidy",
            "rollback tidy",
            "file list tidy",
        ]),
        @r#"
    $ hone file add tidy references/style.md --file style.md
    exit: 0
    --- stderr
    wrote a file of `tidy` (revision 2) ~/.agents/skills/tidy

    $ hone history tidy
    exit: 0
    --- stdout
       1  [TIME]  -  outside v1 SKILL.md: as it was found
       2  [TIME]  tester  write-file references/style.md

    $ hone rollback tidy
    exit: 0
    --- stderr
    rolled back `tidy` (revision 3) ~/.agents/skills/tidy

    $ hone file list tidy
    exit: 0
    --- stderr
    `tidy` has no supporting files
    "#
    );
}

#[test]
fn a_narrow_terminal_wraps_a_revision_instead_of_cutting_what_happened() {
    need("script");
    let sandbox = Sandbox::with_tidy();
    sandbox.done("patch tidy --old 'Sort the' --new 'Order the' --why 'readers look for an order'");
    let run = sandbox.hone("history tidy").env("NO_COLOR", "1").on_terminal(40, 24);
    let text = run.text();
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{run}");
    assert!(!text.contains('…'), "{run}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("patch SKILL.md: readers look for an order"), "{run}");
}
