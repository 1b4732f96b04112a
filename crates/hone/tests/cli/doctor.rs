//! `hone doctor`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, transcript};

#[test]
fn all_is_well() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(sandbox.hone("doctor").env("EDITOR", "vim").run(), @"
    exit: 0
    --- stdout
    ok   configuration: the defaults count: there is no `[STATE]/config.toml`
    ok   state: `[STATE]/state.db` is sound
    ok   project: `[PROJECT]` is not trusted
    ok   roots: ~/.agents/skills
    ok   skills: 3 offered, nothing skipped
    ok   policy: the default table counts, 4 sources trusted
    [SANDBOX]
    ok   editor: `vim`
    ");
}

#[test]
fn every_trouble_has_a_way_out() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/my broken one/SKILL.md", "No frontmatter.\n");
    sandbox.write(
        "home/.agents/skills/wrong/Skill.md",
        "---\nname: wrong\ndescription: x\n---\nDo.\n",
    );
    sandbox.write(
        "home/.agents/skills/Loud/SKILL.md",
        "---\nname: Loud\ndescription: Use when: x\n---\nDo.\n",
    );
    sandbox.write("home/.agents/skills/cpp/SKILL.md", "---\nname: C++\ndescription: x\n---\nDo.\n");
    sandbox.write("home/.agents/skills/cs/SKILL.md", "---\nname: C#\ndescription: x\n---\nDo.\n");
    sandbox.skill("project/.agents/skills", "deploy", "Deploys.");
    sandbox.skill("home/.agents/skills/a/b/c/d/e/f/g", "far", "Too deep.");
    assert_snapshot!(sandbox.hone("doctor").run(), @"
    exit: 1
    --- stdout
    ok   configuration: the defaults count: there is no `[STATE]/config.toml`
    ok   state: `[STATE]/state.db` is sound
    ok   project: `[PROJECT]` is not trusted
    ok   roots: .agents/skills, ~/.agents/skills
    ok   skills: 6 offered, 4 skipped (1 broken, 1 file-name, 1 too-deep, 1 untrusted)
    BAD  skill: ~/.agents/skills/my broken one/SKILL.md: line 1, column 1: there is no frontmatter
         hint: `hone check '[HOME]/.agents/skills/my broken one/SKILL.md'`
    BAD  skill: ~/.agents/skills/wrong/Skill.md: line 1, column 1: the file is called `Skill.md`; most agents only see `SKILL.md`
         hint: `hone check ~/.agents/skills/wrong/Skill.md`
    warn skill: ~/.agents/skills/a/b/c/d/e/f: this folder has folders deeper than 6 levels, which were not searched; use `--depth`
    warn project: 1 skill withheld until it is trusted
         hint: read them (`hone list --all`), then `hone trust`
    warn skill: `C#` and `C++` share the slug `c`
         hint: rename one of them
    warn format: 3 skills not quite right, but readable
         hint: `hone check --profile lenient 'C#' C++ Loud`
    ok   policy: the default table counts, 4 sources trusted
    [SANDBOX]
    warn editor: `EDITOR` is not set
         hint: `hone edit` tries `vi`
    ");
}

#[test]
fn a_state_that_cannot_be_opened_is_bad_but_listing_works() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("state/state.db/x", "");
    assert_snapshot!(transcript(&sandbox, &["list tidy", "doctor", "rm tidy"]), @"
    $ hone list tidy
    exit: 0
    --- stdout
    tidy  user     Tidies a changelog. Use when a release is near.
    --- stderr
    warning: the state database failed: unable to open database file: [STATE]/state.db; nothing is known about trust (`hone doctor`)

    $ hone doctor
    exit: 1
    --- stdout
    ok   configuration: the defaults count: there is no `[STATE]/config.toml`
    BAD  state: the state database failed: unable to open database file: [STATE]/state.db
         hint: listing works, writing does not
    ok   project: `[PROJECT]` is not trusted
    ok   roots: ~/.agents/skills
    ok   skills: 3 offered, nothing skipped
    ok   policy: the default table counts, 4 sources trusted
    [SANDBOX]
    warn editor: `EDITOR` is not set
         hint: `hone edit` tries `vi`

    $ hone rm tidy
    exit: 2
    --- stderr
    error: could not use `[STATE]/state.db`: the state database failed: unable to open database file: [STATE]/state.db
    ");
}

#[test]
fn a_state_of_a_newer_hone_is_left_alone() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("trust");
    for file in sandbox.files("state") {
        std::fs::remove_file(sandbox.path("state").join(file)).unwrap();
    }
    sandbox.write("state/state.db", empty_database(9_999));
    assert_snapshot!(transcript(&sandbox, &["list tidy", "doctor", "rm tidy"]), @"
    $ hone list tidy
    exit: 0
    --- stdout
    tidy  user     Tidies a changelog. Use when a release is near.
    --- stderr
    warning: `[STATE]/state.db` was written by a newer hone (format 9999, this one knows 3); nothing is known about trust (`hone doctor`)

    $ hone doctor
    exit: 1
    --- stdout
    ok   configuration: the defaults count: there is no `[STATE]/config.toml`
    BAD  state: `[STATE]/state.db` was written by a newer hone (format 9999, this one knows 3)
         hint: listing works, writing does not
    ok   project: `[PROJECT]` is not trusted
    ok   roots: ~/.agents/skills
    ok   skills: 3 offered, nothing skipped
    ok   policy: the default table counts, 4 sources trusted
    [SANDBOX]
    warn editor: `EDITOR` is not set
         hint: `hone edit` tries `vi`

    $ hone rm tidy
    exit: 2
    --- stderr
    error: `[STATE]/state.db` was written by a newer hone (format 9999, this one knows 3)
    hint: update hone, or set `HONE_HOME` to another folder
    ");
}

/// An SQLite database without tables: the header of its file format, and an empty first page.
fn empty_database(user_version: u32) -> Vec<u8> {
    const PAGE_BYTES: u16 = 4_096;
    let mut page = vec![0; usize::from(PAGE_BYTES)];
    page[..16].copy_from_slice(b"SQLite format 3\0");
    page[16..18].copy_from_slice(&PAGE_BYTES.to_be_bytes());
    page[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]);
    for (at, number) in [(24, 1), (28, 1), (40, 1), (44, 4), (56, 1), (60, user_version), (92, 1)] {
        page[at..at + 4].copy_from_slice(&u32::to_be_bytes(number));
    }
    page[100] = 0x0d;
    page[105..107].copy_from_slice(&PAGE_BYTES.to_be_bytes());
    page
}

#[test]
fn json_for_programs() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("state/config.toml", "[skills\n");
    let run = sandbox.hone("doctor --json").run();
    assert_eq!(run.code, 1);
    let mut json = run.json();
    let checks = json["checks"].as_array_mut().unwrap();
    let sandbox_at = checks.iter().position(|check| check["name"] == "sandbox").unwrap();
    // It is about the machine.
    let sandbox_check = checks.remove(sandbox_at);
    assert!(sandbox_check["message"].is_string());
    assert_snapshot!(sandbox.filtered(&serde_json::to_string_pretty(&json).unwrap()), @r#"
    {
      "checks": [
        {
          "hint": "mend `[STATE]/config.toml`; until then, only `hone doctor` works",
          "message": "`[STATE]/config.toml`: TOML parse error at line 1, column 8\n  |\n1 | [skills\n  |        ^\nunclosed table, expected `]`",
          "name": "configuration",
          "status": "bad"
        },
        {
          "hint": null,
          "message": "`[STATE]/state.db` is sound",
          "name": "state",
          "status": "good"
        },
        {
          "hint": null,
          "message": "`[PROJECT]` is not trusted",
          "name": "project",
          "status": "good"
        },
        {
          "hint": null,
          "message": "~/.agents/skills",
          "name": "roots",
          "status": "good"
        },
        {
          "hint": null,
          "message": "3 offered, nothing skipped",
          "name": "skills",
          "status": "good"
        },
        {
          "hint": null,
          "message": "the default table counts, 4 sources trusted",
          "name": "policy",
          "status": "good"
        },
        {
          "hint": "`hone edit` tries `vi`",
          "message": "`EDITOR` is not set",
          "name": "editor",
          "status": "warning"
        }
      ]
    }
    "#);
}
