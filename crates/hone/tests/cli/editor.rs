//! `$EDITOR` in `hone new` and `hone edit`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, TIDY};

#[test]
fn new_opens_a_template() {
    let sandbox = Sandbox::new();
    let editor = sandbox.script("bin/editor", "cat \"$1\"\nsed -i 's/First/Changed/' \"$1\"");
    let run = sandbox.hone("new tidy").env("EDITOR", editor).run();
    assert_snapshot!(run, @r#"
    exit: 0
    --- stdout
    ---
    name: tidy
    description: What it does. Use when …
    metadata:
      version: "1"
    ---
    # Steps

    1. First step. Done when …
    2. Second step. Done when …
    --- stderr
    created `tidy` (revision 1) ~/.agents/skills/tidy
    "#);
    assert!(sandbox.read("home/.agents/skills/tidy/SKILL.md").contains("1. Changed step."));
}

#[test]
fn new_puts_the_description_into_the_template() {
    let sandbox = Sandbox::new();
    let editor = sandbox.script("bin/editor", "echo More. >> \"$1\"");
    let run = sandbox.hone("new tidy --description 'Sorts: all'").env("EDITOR", editor).run();
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), @r#"
    ---
    name: tidy
    description: "Sorts: all"
    metadata:
      version: "1"
    ---
    # Steps

    1. First step. Done when …
    2. Second step. Done when …
    More.
    "#);
}

#[test]
fn edit_opens_the_text_and_writes_what_came_back() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("edit tidy").env("EDITOR", "sed -i s/Sort/Order/").run();
    assert_snapshot!(run, @"
    exit: 0
    --- stderr
    edited `tidy` (revision 2) ~/.agents/skills/tidy
    ");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY.replace("Sort", "Order"));
}

#[test]
fn visual_goes_before_editor_and_a_path_may_hold_blanks() {
    let sandbox = Sandbox::with_tidy();
    let visual = sandbox.script("my bin/visual", "sed -i s/Sort/Arrange/ \"$1\"");
    let run = sandbox
        .hone("edit tidy --json")
        .env("VISUAL", format!("'{visual}'"))
        .env("EDITOR", "false")
        .run();
    assert_eq!(run.json()["action"], "edit");
    assert!(sandbox.read("home/.agents/skills/tidy/SKILL.md").contains("1. Arrange"));
}

#[test]
fn a_dry_run_shows_what_was_typed() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("edit tidy --dry-run").env("EDITOR", "sed -i s/Sort/Order/").run();
    assert_snapshot!(run, @"
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
}

#[test]
fn nothing_changed_means_nothing_written() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(sandbox.hone("edit tidy").env("EDITOR", "true").run(), @"
    exit: 1
    --- stderr
    error: nothing was changed, so nothing was written
    ");
    assert_snapshot!(sandbox.hone("new other").env("EDITOR", "true").run(), @"
    exit: 1
    --- stderr
    error: nothing was changed, so nothing was written
    ");
}

#[test]
fn no_editor_no_terminal_and_no_text_cannot_run() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(sandbox.hone("edit tidy").run(), @"
    exit: 2
    --- stderr
    error: there is no editor and no text
    hint: set `EDITOR`, or give `--stdin` or `--file FILE`
    ");
    let run = sandbox.hone("edit tidy").env("EDITOR", "no-such-editor").run();
    // The first line is the shell's own.
    assert_eq!(run.code, 2);
    assert_snapshot!(run.errors().split_once('\n').unwrap().1, @"
    error: could not start the editor `no-such-editor`
    hint: set `EDITOR`, or give `--stdin` or `--file FILE`
    ");
}

#[test]
fn an_editor_that_fails_writes_nothing_and_what_was_typed_is_kept() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(sandbox.hone("edit tidy").env("EDITOR", "false").run(), @"
    exit: 1
    --- stderr
    error: the editor `false` ended with exit status: 1, so nothing was written
    ");
    let editor = sandbox.script("bin/editor", "echo typed >> \"$1\"; exit 3");
    assert_snapshot!(sandbox.hone("edit tidy").env("EDITOR", editor).run(), @"
    exit: 1
    --- stderr
    error: the editor `[TEMP]/bin/editor` ended with exit status: 3, so nothing was written
    hint: your text is kept in `[STATE]/drafts/tidy.md`
    ");
    assert_eq!(sandbox.read("state/drafts/tidy.md"), format!("{TIDY}typed\n"));
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
}

#[test]
fn an_invalid_text_is_kept_and_can_be_used_again() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("edit tidy").env("EDITOR", "sed -i s/^description:.*//").run();
    assert_snapshot!(run, @"
    exit: 1
    --- stderr
    error[description-missing]: there is no description
     --> SKILL.md:1:1
      |
    1 | ---
      | ^^^
      = hint: add `description: What it does and when to use it`
    error: the result would not be a valid skill, so nothing was written
    hint: your text is kept: mend it and run `hone edit tidy --file [STATE]/drafts/tidy.md`
    ");
    let draft = sandbox.read("state/drafts/tidy.md");
    assert_eq!(
        draft,
        TIDY.replace("description: Tidies a changelog. Use when a release is near.", "")
    );
    sandbox.write(
        "state/drafts/tidy.md",
        draft.replace("metadata:", "description: Tidies.\nmetadata:"),
    );
    sandbox.done("edit tidy --file ../state/drafts/tidy.md");
}

#[test]
fn drafts_stand_beside_each_other() {
    let sandbox = Sandbox::new();
    for text in ["one", "two", "two"] {
        let editor = sandbox.script("bin/editor", &format!("echo '---\n{text}: [' > \"$1\""));
        assert_eq!(sandbox.hone("new tidy").env("EDITOR", editor).run().code, 1);
    }
    assert_eq!(sandbox.files("state/drafts"), ["tidy-2.md", "tidy.md"]);
    assert_eq!(sandbox.read("state/drafts/tidy-2.md"), "---\ntwo: [\n");
}

#[test]
fn a_text_that_is_not_utf8_is_kept_as_it_is() {
    let sandbox = Sandbox::with_tidy();
    let editor = sandbox.script("bin/editor", "printf 'caf\\351' > \"$1\"");
    assert_snapshot!(sandbox.hone("edit tidy").env("EDITOR", editor).run(), @"
    exit: 1
    --- stderr
    error: the text is not UTF-8 (byte 3)
    hint: save it as UTF-8
    hint: your text is kept in `[STATE]/drafts/tidy.md`
    ");
    assert_eq!(std::fs::read(sandbox.path("state/drafts/tidy.md")).unwrap(), b"caf\xe9");
}

#[test]
fn a_skill_that_changed_while_it_was_edited_is_not_overwritten() {
    let sandbox = Sandbox::with_tidy();
    let file = sandbox.path("home/.agents/skills/tidy/SKILL.md");
    let lines = format!("echo mine >> \"$1\"; echo theirs >> '{}'", file.display());
    let editor = sandbox.script("bin/editor", &lines);
    assert_snapshot!(sandbox.hone("edit tidy").env("EDITOR", editor).run(), @"
    exit: 1
    --- stderr
    error: `~/.agents/skills/tidy/SKILL.md` changed in the meantime
    hint: look at it again and repeat the change
    hint: your text is kept: mend it and run `hone edit tidy --file [STATE]/drafts/tidy.md`
    ");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), format!("{TIDY}theirs\n"));
    assert_eq!(sandbox.read("state/drafts/tidy.md"), format!("{TIDY}mine\n"));
}

/// A terminal sends Ctrl-C to every program of the group; in vi it only leaves the insert mode.
#[test]
fn ctrl_c_belongs_to_the_editor() {
    let sandbox = Sandbox::with_tidy();
    let lines = "trap 'echo interrupted >> \"$1\"' INT; kill -INT 0; exit 0";
    let editor = sandbox.script("bin/editor", lines);
    let run = sandbox.hone("edit tidy").env("EDITOR", editor).own_group().run();
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), format!("{TIDY}interrupted\n"));
}

#[test]
fn an_editor_that_ctrl_c_ends_writes_nothing() {
    let sandbox = Sandbox::with_tidy();
    let editor = sandbox.script("bin/editor", "echo typed >> \"$1\"; kill -INT 0; exit 0");
    let run = sandbox.hone("edit tidy").env("EDITOR", editor).own_group().run();
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), TIDY);
    assert_eq!(sandbox.read("state/drafts/tidy.md"), format!("{TIDY}typed\n"));
}

#[test]
fn no_temporary_file_is_left() {
    let sandbox = Sandbox::with_tidy();
    let _ = sandbox.hone("edit tidy").env("EDITOR", "false").run();
    let _ = sandbox.hone("edit tidy").env("EDITOR", "sed -i s/Sort/Order/").run();
    assert_eq!(sandbox.files("tmp"), [""; 0]);
}
