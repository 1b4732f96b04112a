//! `hone view`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, TIDY, transcript};

#[test]
fn a_skill_is_shown_with_its_head_its_text_and_its_files() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/references/style.md", "Use *short* lines.\n");
    sandbox.write("home/.agents/skills/tidy/scripts/sort.sh", "sort\n");
    sandbox.done("pin tidy");
    assert_snapshot!(
        transcript(&sandbox, &["view tidy", "view tidy references/style.md", "view tidy scripts/sort.sh"]),
        @"
    $ hone view tidy
    exit: 0
    --- stdout
    tidy · user · version 1 · pinned
    Tidies a changelog. Use when a release is near.

    # Steps

    1. Sort the entries.
    2. Remove the empty ones.

    Files:
      references/style.md
      scripts/sort.sh

    $ hone view tidy references/style.md
    exit: 0
    --- stdout
    Use *short* lines.

    $ hone view tidy scripts/sort.sh
    exit: 0
    --- stdout
    sort
    "
    );
}

#[test]
fn raw_gives_the_exact_bytes() {
    let sandbox = Sandbox::new();
    let bytes = b"\xef\xbb\xbf---\r\nname: odd\r\ndescription: x\r\n---\r\n\x1b[31m\xe2\x80\xae no line end";
    sandbox.write("home/.agents/skills/odd/SKILL.md", bytes);
    sandbox.write("home/.agents/skills/odd/assets/data.bin", [0, 159, 146, 150, 10]);
    let run = sandbox.hone("view odd --raw").run();
    assert_eq!((run.code, run.stdout.as_slice(), run.errors().as_str()), (0, &bytes[..], ""));
    let run = sandbox.hone("view odd assets/data.bin --raw").run();
    assert_eq!((run.code, run.stdout.as_slice()), (0, &[0, 159, 146, 150, 10][..]));
    assert_snapshot!(sandbox.hone("view odd assets/data.bin").run(), @"
    exit: 0
    --- stdout
    assets/data.bin: 5 bytes, not text (`--raw` prints them)
    ");
}

#[test]
fn json_holds_the_text_its_hash_and_the_files() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/assets/data.bin", [0, 159]);
    let run = sandbox.hone("view tidy --json").run();
    assert_eq!(run.json()["content"], TIDY);
    let binary = sandbox.hone("view tidy assets/data.bin --json").run();
    let pretty = serde_json::to_string_pretty(&binary.json()).unwrap();
    assert_snapshot!(sandbox.filtered(&pretty), @r#"
    {
      "content": null,
      "description": "Tidies a changelog. Use when a release is near.",
      "file": "assets/data.bin",
      "files": [
        "assets/data.bin"
      ],
      "model_invocable": true,
      "name": "tidy",
      "origin": "local",
      "path": "[HOME]/.agents/skills/tidy/SKILL.md",
      "pinned": false,
      "root": "[HOME]/.agents/skills",
      "scope": "user",
      "sha256": "c2af00bc5d44fe76903249463ab0adddccd15e53e0c0ee77e0eecc1649dc9e3b",
      "size": 2,
      "slug": "tidy",
      "user_invocable": true,
      "version": "1"
    }
    "#);
}

#[test]
fn name_slug_scope_and_path_all_lead_to_the_skill() {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    let text = "---\nname: My Skill!\ndescription: Odd name.\n---\nDo it.\n";
    sandbox.write("home/.agents/skills/my-skill/SKILL.md", text);
    for address in [
        "'My Skill!'",
        "my-skill",
        "'my skill'",
        "user:my-skill",
        "../home/.agents/skills/my-skill",
        "../home/.agents/skills/my-skill/",
        "../home/.agents/skills/my-skill/SKILL.md",
        "./../home/.agents/./skills/my-skill",
    ] {
        let run = sandbox.hone(&format!("view {address}")).run();
        assert_eq!(
            (run.code, run.text().lines().next()),
            (0, Some("My Skill! · user")),
            "{address}"
        );
    }
    let inside = sandbox.hone("view .").cwd("home/.agents/skills/my-skill").run();
    assert_eq!(inside.text().lines().next(), Some("My Skill! · user"));
}

#[test]
fn a_path_shows_a_skill_outside_every_root_and_before_it_is_trusted() {
    let sandbox = Sandbox::new();
    sandbox.skill("elsewhere", "draft", "Not in a root.");
    sandbox.skill("project/.agents/skills", "deploy", "Deploys.");
    assert_snapshot!(
        transcript(&sandbox, &["view ../elsewhere/draft", "view deploy", "view .agents/skills/deploy"]),
        @"
    $ hone view ../elsewhere/draft
    exit: 0
    --- stdout
    draft · user
    Not in a root.

    Do it.

    $ hone view deploy
    exit: 1
    --- stderr
    error: there is no skill `deploy`
    hint: it is at `[PROJECT]/.agents/skills/deploy/SKILL.md`, but the project `[PROJECT]` is not trusted: `hone trust`

    $ hone view .agents/skills/deploy
    exit: 0
    --- stdout
    deploy · project
    Deploys.

    Do it.
    "
    );
}

#[test]
fn what_is_not_there_comes_with_a_way_on() {
    let sandbox = Sandbox::with_tidy();
    sandbox.skill("home/.agents/skills", "gone", "Will be removed.");
    sandbox.write("home/.agents/skills/broken/SKILL.md", "---\nname: broken\n");
    sandbox.done("rm gone");
    assert_snapshot!(
        transcript(&sandbox, &[
            "view tdiy",
            "view unheard-of",
            "view gone",
            "view broken",
            "view project:tidy",
            "view tidy references/none.md",
            "view tidy ../../../../state/state.db",
            "view ''",
        ]),
        @"
    $ hone view tdiy
    exit: 1
    --- stderr
    error: there is no skill `tdiy`
    hint: did you mean `tidy`?

    $ hone view unheard-of
    exit: 1
    --- stderr
    error: there is no skill `unheard-of`
    hint: `hone list` shows what is there

    $ hone view gone
    exit: 1
    --- stderr
    error: there is no skill `gone`
    hint: it was removed; `hone rollback gone` brings it back

    $ hone view broken
    exit: 1
    --- stderr
    error: there is no skill `broken`
    hint: it is at `~/.agents/skills/broken/SKILL.md`, but line 1, column 1: the frontmatter opened here is never closed
    hint: `hone check ~/.agents/skills/broken/SKILL.md` shows the place

    $ hone view project:tidy
    exit: 1
    --- stderr
    error: there is no skill `project:tidy`
    hint: did you mean `tidy`?

    $ hone view tidy references/none.md
    exit: 1
    --- stderr
    error: the skill has no file `references/none.md`
    hint: it has SKILL.md

    $ hone view tidy ../../../../state/state.db
    exit: 1
    --- stderr
    error: `../../../../state/state.db` cannot be a file of a skill: empty parts, `.` and `..` are not allowed
    hint: files live under `references/`, `templates/`, `scripts/` or `assets/`

    $ hone view ''
    exit: 1
    --- stderr
    error: there is no skill ``
    hint: `hone list` shows what is there
    "
    );
}

#[test]
fn two_names_with_one_slug_must_be_told_apart() {
    let sandbox = Sandbox::new();
    for (folder, name) in [("one", "C++"), ("two", "C#")] {
        let text = format!("---\nname: {name}\ndescription: A language.\n---\nDo it.\n");
        sandbox.write(&format!("home/.agents/skills/{folder}/SKILL.md"), text);
    }
    assert_snapshot!(transcript(&sandbox, &["view c", "view 'user:C#'"]), @"
    $ hone view c
    exit: 1
    --- stderr
    error: `c` could be any of `user:C#`, `user:C++`
    hint: use one of them as it is written here

    $ hone view 'user:C#'
    exit: 0
    --- stdout
    C# · user
    A language.

    Do it.
    ");
}

#[test]
fn a_built_in_skill_can_be_read() {
    let run = Sandbox::new().hone("view hone").run();
    assert_eq!(run.code, 0);
    assert_eq!(run.text().lines().next(), Some("hone · builtin · version 1"));
}

#[test]
fn views_are_counted() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("view tidy");
    sandbox.done("view tidy --raw");
    assert_snapshot!(sandbox.hone("usage").run(), @"
    exit: 0
    --- stdout
     views   uses changes  skill
         2      0       0  tidy (1)
    ");
}
