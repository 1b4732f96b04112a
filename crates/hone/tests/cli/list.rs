//! `hone list`.

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::{Sandbox, transcript};

fn library() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    sandbox.skill("home/.claude/skills", "commit", "Writes a commit message. Use with Git.");
    sandbox.skill("project/.agents/skills", "deploy", "Deploys this project.");
    sandbox.skill("home/.codex/skills", "tidy", "Another one of that name.");
    sandbox.write("home/.agents/skills/broken/SKILL.md", "---\nname: broken\n");
    sandbox.write(
        "home/.agents/skills/only-windows/SKILL.md",
        "---\nname: only-windows\ndescription: For others.\nplatforms: [windows]\n---\nDo it.\n",
    );
    sandbox
}

#[test]
fn skills_come_one_a_line_and_what_was_skipped_is_counted() {
    assert_snapshot!(library().hone("list").run(), @"
    exit: 0
    --- stdout
    commit  user     Writes a commit message. Use with Git.
    tidy    user     Tidies a changelog. Use when a release is near.
    --- stderr
    4 skipped: 1 broken, 1 platform, 1 shadowed, 1 untrusted (`hone list --all` says why)
    ");
}

#[test]
fn with_all_every_skipped_one_has_its_reason() {
    assert_snapshot!(library().hone("list --all").run(), @"
    exit: 0
    --- stdout
    commit  user     Writes a commit message. Use with Git.
    tidy    user     Tidies a changelog. Use when a release is near.

    Skipped (4):
      ~/.agents/skills/broken/SKILL.md [broken] line 1, column 1: the frontmatter opened here is never closed
      ~/.agents/skills/only-windows/SKILL.md [platform] it is for windows, this is linux
      ~/.codex/skills/tidy/SKILL.md [shadowed] `~/.agents/skills/tidy/SKILL.md` goes before it; use `~/.codex/skills/tidy/SKILL.md`
      .agents/skills/deploy/SKILL.md [untrusted] the project `[PROJECT]` is not trusted: `hone trust`
    ");
}

#[test]
fn words_select_by_name_and_description_whatever_their_case() {
    let sandbox = library();
    assert_snapshot!(transcript(&sandbox, &["list GIT commit", "list 'message writes'"]), @"
    $ hone list GIT commit
    exit: 0
    --- stdout
    commit  user     Writes a commit message. Use with Git.

    $ hone list 'message writes'
    exit: 0
    --- stdout
    commit  user     Writes a commit message. Use with Git.
    ");
}

#[test]
fn no_match_is_the_answer_no_in_text_and_in_json() {
    let sandbox = library();
    assert_snapshot!(transcript(&sandbox, &["list unheard-of", "list unheard-of --json"]), @r#"
    $ hone list unheard-of
    exit: 1
    --- stderr
    no skill matches `unheard-of`; `hone list` shows all

    $ hone list unheard-of --json
    exit: 1
    --- stdout
    {"skills":[],"skipped":[],"roots":[{"path":"[PROJECT]/.agents/skills","scope":"project"},{"path":"[HOME]/.agents/skills","scope":"user"},{"path":"[HOME]/.claude/skills","scope":"user"},{"path":"[HOME]/.codex/skills","scope":"user"}]}
    "#);
}

#[test]
fn an_empty_library_is_not_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    assert_snapshot!(sandbox.hone("list").run(), @"
    exit: 0
    --- stderr
    there are no skills here; `hone new NAME` creates one
    ");
}

#[test]
fn json_has_every_key_a_program_needs() {
    let sandbox = library();
    let run = sandbox.hone("list --json").run();
    assert_eq!(run.errors(), "");
    let pretty = serde_json::to_string_pretty(&run.json()).unwrap();
    assert_snapshot!(sandbox.filtered(&pretty), @r#"
    {
      "roots": [
        {
          "path": "[PROJECT]/.agents/skills",
          "scope": "project"
        },
        {
          "path": "[HOME]/.agents/skills",
          "scope": "user"
        },
        {
          "path": "[HOME]/.claude/skills",
          "scope": "user"
        },
        {
          "path": "[HOME]/.codex/skills",
          "scope": "user"
        }
      ],
      "skills": [
        {
          "description": "Writes a commit message. Use with Git.",
          "model_invocable": true,
          "name": "commit",
          "origin": "local",
          "path": "[HOME]/.claude/skills/commit/SKILL.md",
          "root": "[HOME]/.claude/skills",
          "scope": "user",
          "slug": "commit",
          "user_invocable": true,
          "version": null
        },
        {
          "description": "Tidies a changelog. Use when a release is near.",
          "model_invocable": true,
          "name": "tidy",
          "origin": "local",
          "path": "[HOME]/.agents/skills/tidy/SKILL.md",
          "root": "[HOME]/.agents/skills",
          "scope": "user",
          "slug": "tidy",
          "user_invocable": true,
          "version": "1"
        }
      ],
      "skipped": [
        {
          "message": "line 1, column 1: the frontmatter opened here is never closed",
          "path": "[HOME]/.agents/skills/broken/SKILL.md",
          "reason": "broken",
          "warnings": [
            {
              "column": 1,
              "line": 1,
              "message": "the frontmatter opened here is never closed",
              "rule": "unclosed-frontmatter",
              "severity": "error"
            }
          ]
        },
        {
          "description": "For others.",
          "message": "it is for windows, this is linux",
          "name": "only-windows",
          "path": "[HOME]/.agents/skills/only-windows/SKILL.md",
          "reason": "platform",
          "scope": "user",
          "slug": "only-windows"
        },
        {
          "description": "Another one of that name.",
          "message": "`[HOME]/.agents/skills/tidy/SKILL.md` goes before it; use `[HOME]/.codex/skills/tidy/SKILL.md`",
          "name": "tidy",
          "path": "[HOME]/.codex/skills/tidy/SKILL.md",
          "reason": "shadowed",
          "scope": "user",
          "slug": "tidy"
        },
        {
          "description": "Deploys this project.",
          "message": "the project `[PROJECT]` is not trusted: `hone trust`",
          "name": "deploy",
          "path": "[PROJECT]/.agents/skills/deploy/SKILL.md",
          "reason": "untrusted",
          "scope": "project",
          "slug": "deploy"
        }
      ]
    }
    "#);
}

#[test]
fn a_trusted_project_goes_before_the_home() {
    let sandbox = library();
    sandbox.skill("project/.agents/skills", "tidy", "The project's own.");
    sandbox.done("trust");
    assert_snapshot!(transcript(&sandbox, &["list --all tidy", "list --json user:tidy"]), @r#"
    $ hone list --all tidy
    exit: 0
    --- stdout
    tidy  project  The project's own.

    Skipped (2):
      ~/.agents/skills/tidy/SKILL.md [shadowed] `[PROJECT]/.agents/skills/tidy/SKILL.md` goes before it; use `user:tidy`
      ~/.codex/skills/tidy/SKILL.md [shadowed] `[PROJECT]/.agents/skills/tidy/SKILL.md` goes before it; use `~/.codex/skills/tidy/SKILL.md`

    $ hone list --json user:tidy
    exit: 1
    --- stdout
    {"skills":[],"skipped":[],"roots":[{"path":"[PROJECT]/.agents/skills","scope":"project"},{"path":"[HOME]/.agents/skills","scope":"user"},{"path":"[HOME]/.claude/skills","scope":"user"},{"path":"[HOME]/.codex/skills","scope":"user"}]}
    "#);
}

#[test]
fn root_means_exactly_these_folders() {
    let sandbox = library();
    sandbox.skill("one", "alpha", "The first.");
    sandbox.skill("two/nested", "beta", "The second.");
    assert_snapshot!(sandbox.hone("list --root ../one --root ../two").run(), @"
    exit: 0
    --- stdout
    alpha  user     The first.
    beta   user     The second.
    ");
}

#[test]
fn a_root_that_is_not_there_cannot_be_listed() {
    let sandbox = library();
    sandbox.write("file", "");
    assert_snapshot!(
        transcript(&sandbox, &["list --root ../missing", "list --root ../file --json"]), @"
    $ hone list --root ../missing
    exit: 2
    --- stderr
    error: could not read the root `[TEMP]/missing`: No such file or directory (os error 2)

    $ hone list --root ../file --json
    exit: 2
    --- stderr
    error: could not read the root `[TEMP]/file`: not a directory
    "
    );
}

#[test]
fn depth_limits_the_search_and_says_so() {
    let sandbox = library();
    sandbox.skill("root", "near", "Right there.");
    sandbox.skill("root/a/b/c", "far", "Four folders down.");
    assert_snapshot!(
        transcript(&sandbox, &[
            "list --root ../root --depth 2 --all",
            "list --root ../root --depth 4",
            "list --root ../root --depth 65",
        ]),
        @"
    $ hone list --root ../root --depth 2 --all
    exit: 0
    --- stdout
    near  user     Right there.

    Skipped (1):
      [TEMP]/root/a/b [too-deep] this folder has folders deeper than 2 levels, which were not searched; use `--depth`

    $ hone list --root ../root --depth 4
    exit: 0
    --- stdout
    far   user     Four folders down.
    near  user     Right there.

    $ hone list --root ../root --depth 65
    exit: 2
    --- stderr
    error: invalid value '65' for '--depth <N>': 65 is not in 0..=64

    For more information, try '--help'.
    "
    );
}

#[test]
fn agent_adds_the_skills_of_a_brain() {
    let sandbox = library();
    sandbox.write(
        "state/agents/bo/skills/habit.md",
        "---\nname: habit\ndescription: Own.\n---\nDo.\n",
    );
    assert_snapshot!(
        transcript(&sandbox, &[
            "list habit --agent bo",
            "list --agent nobody",
            "list --agent ../../home",
        ]),
        @"
    $ hone list habit --agent bo
    exit: 0
    --- stdout
    habit  agent    Own.

    $ hone list --agent nobody
    exit: 1
    --- stderr
    error: there is no agent `nobody`
    hint: an agent is a folder with `skills` in `[STATE]/agents`

    $ hone list --agent ../../home
    exit: 1
    --- stderr
    error: there is no agent `../../home`
    hint: an agent is a folder with `skills` in `[STATE]/agents`
    "
    );
}

/// Case 72: the same name in the project and in the home.
#[test]
fn every_client_sees_its_own_folders_in_its_own_order() {
    let sandbox = Sandbox::new();
    let folders = [".claude", ".codex", ".agents", ".gemini", ".opencode", ".hermes", ".openclaw"];
    for folder in folders {
        let name = folder.trim_start_matches('.');
        sandbox.skill(&format!("home/{folder}/skills"), "same", &format!("From {name} at home."));
        sandbox.skill(&format!("project/{folder}/skills"), "same", &format!("From {name} here."));
    }
    let clients = ["claude-code", "codex", "gemini", "opencode", "hermes", "openclaw"];
    let lines = clients.map(|client| format!("list --client {client}"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_snapshot!(transcript(&sandbox, &lines), @"
    $ hone list --client claude-code
    exit: 0
    --- stdout
    same  user     From claude at home.
    --- stderr
    1 skipped: 1 shadowed (`hone list --all` says why)

    $ hone list --client codex
    exit: 0
    --- stdout
    same  project  From agents here.
    same  project  From codex here.
    same  user     From agents at home.
    same  user     From codex at home.

    $ hone list --client gemini
    exit: 0
    --- stdout
    same  project  From agents here.
    --- stderr
    3 skipped: 3 shadowed (`hone list --all` says why)

    $ hone list --client opencode
    exit: 0
    --- stdout
    same  project  From opencode here.
    --- stderr
    4 skipped: 4 shadowed (`hone list --all` says why)

    $ hone list --client hermes
    exit: 0
    --- stdout
    same  user     From hermes at home.
    --- stderr
    2 skipped: 2 untrusted (`hone list --all` says why)

    $ hone list --client openclaw
    exit: 0
    --- stdout
    same  project  From agents here.
    --- stderr
    2 skipped: 2 shadowed (`hone list --all` says why)
    ");
}

#[test]
fn a_client_view_in_json_says_how_much_the_model_gets() {
    let sandbox = Sandbox::new();
    let long = "Deploys everything. ".repeat(50);
    sandbox.skill("home/.hermes/skills", "deploy", long.trim());
    sandbox.skill("home/.codex/skills", "deploy", long.trim());
    let shown = |client: &str| {
        let json = sandbox.hone(&format!("list --json --client {client}")).run().json();
        let skill = &json["skills"][0];
        json!([skill["shown"], skill["shown_characters"], json["client"]])
    };
    let hermes = json!({"name": "hermes", "budget": null, "budget_unit": null});
    let codex = json!({"name": "codex", "budget": 5440, "budget_unit": "tokens"});
    assert_eq!(shown("hermes"), json!(["shortened", 60, hermes]));
    assert_eq!(shown("codex"), json!(["full", 999, codex]));
}

#[test]
fn a_client_that_cuts_descriptions_is_noted() {
    let sandbox = Sandbox::new();
    for number in 10..30 {
        let long = format!("Number {number}. {}", "Use when it is needed. ".repeat(20));
        sandbox.skill("home/.claude/skills", &format!("skill-{number}"), long.trim());
    }
    let run = sandbox.hone("list --client claude-code --depth 3 29").run();
    assert_snapshot!(run.errors(), @"
    note: `--depth` does not count with `--client`: each client has its own
    note: claude-code shows 1 of these without their whole description (budget: 8000 characters)
    ");
}

#[test]
fn a_client_with_nothing_to_see_is_named() {
    assert_snapshot!(
        transcript(&Sandbox::with_tidy(), &["list --client claude-code", "list --client vim"]), @"
    $ hone list --client claude-code
    exit: 0
    --- stderr
    claude-code sees no skill here

    $ hone list --client vim
    exit: 2
    --- stderr
    error: invalid value 'vim' for '--client <CLIENT>'
      [possible values: claude-code, codex, gemini, opencode, hermes, openclaw]

    For more information, try '--help'.
    "
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::io::Read;
    use std::process::Stdio;

    let sandbox = Sandbox::new();
    for number in 0..2_000 {
        sandbox.skill("root", &format!("skill-{number}"), "Fills more than a pipe holds.");
    }
    for line in ["list --root ../root", "list --root ../root --json"] {
        let mut command = sandbox.hone(line).command();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 16];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        assert_eq!(output.status.code(), Some(0), "{line}");
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let sandbox = library();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = sandbox.hone("list").command().stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"error: could not write to standard output: No space left on device (os error 28)");
}

#[test]
fn a_damaged_state_is_put_aside_and_said_once() {
    let sandbox = library();
    for file in sandbox.files("state") {
        std::fs::remove_file(sandbox.path("state").join(file)).unwrap();
    }
    sandbox.write("state/state.db", "this is no database, but it is long enough to be looked at");
    let first = sandbox.hone("list --json").run();
    assert_eq!(first.json()["skills"].as_array().unwrap().len(), 4);
    assert_snapshot!(sandbox.filtered(&first.errors()), @"warning: `[STATE]/state.db` was damaged and is kept as `[STATE]/state.db.damaged-1`; lost: history, trust, pins, usage, dismissals, origins, approvals, shares, audit log");
    assert_eq!(sandbox.hone("list --json").run().errors(), "");
}
