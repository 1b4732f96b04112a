//! `hone invoke`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Sandbox, need, transcript};

fn library() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    sandbox.write(
        "home/.agents/skills/fix/SKILL.md",
        "---\nname: fix\ndescription: Fixes an issue.\narguments: [issue, branch]\n---\n\
         Run ${CLAUDE_SKILL_DIR}/scripts/fix.sh for $issue on $branch.\nAll: $ARGUMENTS, none: $7.\n",
    );
    sandbox.write("home/.agents/skills/fix/scripts/fix.sh", "");
    sandbox
}

/// `ship` needs `SHIP_TOKEN`.
fn needy() -> Sandbox {
    let sandbox = library();
    sandbox.write(
        "home/.agents/skills/ship/SKILL.md",
        "---\nname: ship\ndescription: Ships.\nrequired_environment_variables: [{name: SHIP_TOKEN, prompt: For the registry}]\n---\nShip it.\n",
    );
    sandbox
}

/// The JSON of a call whose answer is no; what it costs depends on where the sandbox is.
fn json(sandbox: &Sandbox, line: &str) -> String {
    let run = sandbox.hone(line).run();
    assert_eq!(run.code, 1, "{run}");
    let mut json = run.json();
    assert!(json["tokens"].as_u64().unwrap() > 0);
    json["tokens"] = "[TOKENS]".into();
    sandbox.filtered(&format!("{json:#}"))
}

#[test]
fn a_command_becomes_the_text_for_a_model() {
    assert_snapshot!(library().hone("invoke /fix 42 'the main branch' now").run(), @r#"
    exit: 0
    --- stdout
    <skill name="fix" folder="[HOME]/.agents/skills/fix">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_files>
    scripts/fix.sh
    </skill_files>
    <skill_body>
    Run [HOME]/.agents/skills/fix/scripts/fix.sh for 42 on the main branch.
    All: 42 "the main branch" now, none: $7.
    </skill_body>
    </skill>
    <user_words>
    42 "the main branch" now
    </user_words>
    "#);
}

#[test]
fn stacks_prefixes_and_bundles() {
    let sandbox = library();
    sandbox.write(
        "state/config.toml",
        "[[bundles]]\nname = \"all\"\nskills = [\"tidy\", \"gone\"]\ninstruction = \"Be quick.\"\n",
    );
    assert_snapshot!(transcript(&sandbox, &["invoke '/fi /tidy do both'", "invoke /all"]), @r#"
    $ hone invoke '/fi /tidy do both'
    exit: 0
    --- stdout
    <skill name="fix" folder="[HOME]/.agents/skills/fix">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_files>
    scripts/fix.sh
    </skill_files>
    <skill_body>
    Run [HOME]/.agents/skills/fix/scripts/fix.sh for do on both.
    All: do both, none: $7.
    </skill_body>
    </skill>
    <skill name="tidy" version="1" folder="[HOME]/.agents/skills/tidy">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_body>
    # Steps

    1. Sort the entries.
    2. Remove the empty ones.
    </skill_body>
    </skill>
    <user_words>
    do both
    </user_words>

    $ hone invoke /all
    exit: 0
    --- stdout
    <skill name="tidy" version="1" folder="[HOME]/.agents/skills/tidy">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_body>
    # Steps

    1. Sort the entries.
    2. Remove the empty ones.
    </skill_body>
    </skill>
    [not loaded: `gone`: there is no skill `gone`]
    <bundle_words>
    Be quick.
    </bundle_words>
    --- stderr
    note: `gone` is not loaded: there is no skill `gone`
    "#);
}

#[test]
fn mentions_call_skills_in_passing() {
    let sandbox = library();
    assert_snapshot!(
        transcript(&sandbox, &[
            "invoke 'please use $tidy on $PATH'",
            "invoke 'see [$fix](../home/.agents/skills/fix/SKILL.md) and [$tidy](gone)'",
        ]),
        @r#"
    $ hone invoke 'please use $tidy on $PATH'
    exit: 0
    --- stdout
    <skill name="tidy" version="1" folder="[HOME]/.agents/skills/tidy">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_body>
    # Steps

    1. Sort the entries.
    2. Remove the empty ones.
    </skill_body>
    </skill>
    <user_words>
    please use $tidy on $PATH
    </user_words>

    $ hone invoke 'see [$fix](../home/.agents/skills/fix/SKILL.md) and [$tidy](gone)'
    exit: 0
    --- stdout
    <skill name="fix" folder="[HOME]/.agents/skills/fix">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_files>
    scripts/fix.sh
    </skill_files>
    <skill_body>
    Run [HOME]/.agents/skills/fix/scripts/fix.sh for see on [$fix](../home/.agents/skills/fix/SKILL.md).
    All: see [$fix](../home/.agents/skills/fix/SKILL.md) and [$tidy](gone), none: $7.
    </skill_body>
    </skill>
    [not loaded: `gone`: no skill is at that path]
    <user_words>
    see [$fix](../home/.agents/skills/fix/SKILL.md) and [$tidy](gone)
    </user_words>
    --- stderr
    note: `gone` is not loaded: no skill is at that path
    "#
    );
}

#[test]
fn a_message_may_start_with_a_path() {
    let run = library().hone("invoke '/var/log/x is full, $tidy it'").run();
    assert!(run.text().starts_with("<skill name=\"tidy\""), "{run}");
}

#[test]
fn what_cannot_be_called_is_said() {
    let sandbox = library();
    sandbox.skill("home/.agents/skills", "help", "Helps.");
    sandbox.skill("home/.agents/skills", "fixture", "Fixes too.");
    sandbox.write(
        "home/.agents/skills/quiet/SKILL.md",
        "---\nname: quiet\ndescription: For models.\nuser-invocable: false\n---\nDo it.\n",
    );
    sandbox.write(
        "home/.agents/skills/manual/SKILL.md",
        "---\nname: manual\ndescription: For people.\ndisable-model-invocation: true\n---\nDo it.\n",
    );
    sandbox.write(
        "home/.agents/skills/elsewhere/SKILL.md",
        "---\nname: elsewhere\ndescription: For others.\nplatforms: [windows]\n---\nDo it.\n",
    );
    assert_snapshot!(
        transcript(&sandbox, &[
            "invoke /refix", "invoke /unheard-of", "invoke /elsewhere", "invoke /f", "invoke /help", "invoke /quiet",
            "invoke --as model manual", "invoke 'nothing in here'", "invoke 'only $quiet'",
        ]),
        @"
    $ hone invoke /refix
    exit: 1
    --- stderr
    error: there is no command `/refix`
    hint: did you mean `/fix`?

    $ hone invoke /unheard-of
    exit: 1
    --- stderr
    error: there is no command `/unheard-of`
    hint: `hone commands` lists them

    $ hone invoke /elsewhere
    exit: 1
    --- stderr
    error: there is no command `/elsewhere`
    hint: it is at `~/.agents/skills/elsewhere/SKILL.md`, but it is for windows, this is linux

    $ hone invoke /f
    exit: 1
    --- stderr
    error: `/f` could be any of `/fix`, `/fixture`
    hint: type more of it

    $ hone invoke /help
    exit: 1
    --- stderr
    error: `/help` is a command of the chat, not a skill
    hint: type `/user:help`

    $ hone invoke /quiet
    exit: 1
    --- stderr
    error: `quiet` is not for people to call: it says `user-invocable: false`
    hint: a model may load it: `--as model`

    $ hone invoke --as model manual
    exit: 1
    --- stderr
    error: `manual` may not be called by a model: it says so

    $ hone invoke 'nothing in here'
    exit: 1
    --- stderr
    error: this message calls no skill: it mentions none
    hint: start it with `/name`, or mention one as `$name`; `hone commands` lists them

    $ hone invoke 'only $quiet'
    exit: 1
    --- stderr
    error: this message calls no skill: `quiet`: it is not for people to call (`user-invocable: false`)
    hint: start it with `/name`, or mention one as `$name`; `hone commands` lists them
    "
    );
    assert_eq!(sandbox.hone("invoke --as model quiet").run().code, 0);
    assert_eq!(sandbox.hone("invoke /manual").run().code, 0);
}

#[test]
fn the_second_call_in_a_session_is_a_note() {
    let sandbox = library();
    sandbox.done("invoke --session 7 /tidy");
    assert_snapshot!(
        transcript(&sandbox, &["invoke --session 7 /tidy once more", "invoke --session 8 /tidy"]),
        @r#"
    $ hone invoke --session 7 /tidy once more
    exit: 0
    --- stdout
    [the skill `tidy` was loaded earlier in this session and is unchanged: follow it again]
    <user_words>
    once more
    </user_words>

    $ hone invoke --session 8 /tidy
    exit: 0
    --- stdout
    <skill name="tidy" version="1" folder="[HOME]/.agents/skills/tidy">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_body>
    # Steps

    1. Sort the entries.
    2. Remove the empty ones.
    </skill_body>
    </skill>
    "#
    );
    sandbox.done("patch tidy --old Sort --new Order");
    let changed = sandbox.hone("invoke --session 7 /tidy").run().text();
    assert!(changed.contains("1. Order the entries."), "{changed}");
}

#[test]
fn what_is_one_argument_in_the_shell_is_one_argument() {
    let sandbox = library();
    let text = "---\nname: v\ndescription: Says them.\n---\n<$0><$1><$2>\n";
    sandbox.write("home/.agents/skills/v/SKILL.md", text);
    for (arguments, said) in [
        (&["don't", "stop", "now"][..], "<don't><stop><now>"),
        (&["C:\\new"], "<C:\\new><$1><$2>"),
        (&["two words"], "<two words><$1><$2>"),
        (&["say \"hi\"", "", "a\\ b"], "<say \"hi\"><><a\\ b>"),
    ] {
        let call = arguments.iter().fold(sandbox.hone("invoke /v"), |call, word| call.arg(*word));
        let run = call.run();
        assert!(run.text().contains(&format!("\n{said}\n")), "{arguments:?}: {run}");
    }
    let run = sandbox.hone("invoke").arg("/v two words").run();
    assert!(run.text().contains("<two><words><$2>"), "{run}");
}

#[test]
fn usage_is_of_the_root_that_is_asked_for() {
    let sandbox = needy();
    sandbox.skill("project/skills", "other", "Another.");
    sandbox.skill("project/linked", "apart", "Apart.");
    std::os::unix::fs::symlink("../linked/apart", sandbox.path("project/skills/apart")).unwrap();
    sandbox.done("invoke /tidy");
    sandbox.done("invoke --root skills /other");
    sandbox.done("invoke --root skills /apart");
    let names = |line: &str, key: &str| -> Vec<String> {
        let json = sandbox.hone(line).run().json();
        match &json[key] {
            Value::Array(rows) => {
                rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
            }
            _ => json.as_object().unwrap().keys().cloned().collect(),
        }
    };
    assert_eq!(names("usage --json", "usage"), ["apart", "other", "tidy"]);
    assert_eq!(names("usage --json --root skills", "usage"), ["apart", "other"]);
    assert_eq!(names("usage export --root skills", ""), ["apart", "other"]);
    std::fs::remove_dir_all(sandbox.path("project/skills/other")).unwrap();
    assert_eq!(names("usage --json --root skills", "usage"), ["apart", "other"]);
    assert_eq!(names("usage --json --root linked", "usage"), ["apart"]);
}

#[test]
fn a_session_has_a_length() {
    let sandbox = library();
    let code = |session: String| sandbox.hone("invoke /tidy --session").arg(session).run().code;
    assert_eq!((code("x".repeat(128)), code("x".repeat(129)), code("a\nb".to_owned())), (0, 2, 2));
}

#[test]
fn a_call_counts_as_a_use_only_when_it_is_given() {
    let sandbox = needy();
    sandbox.done("invoke /tidy");
    assert_eq!(sandbox.hone("invoke /ship").run().code, 1);
    assert_snapshot!(sandbox.hone("usage").run(), @"
    exit: 0
    --- stdout
     views   uses changes  skill
         0      1       0  tidy (1)
    ");
}

#[test]
fn in_a_pipe_what_is_missing_is_reported_and_the_answer_is_no() {
    let sandbox = needy();
    assert_snapshot!(
        transcript(&sandbox, &["invoke /ship", "invoke /ship --allow-missing"]),
        @r#"
    $ hone invoke /ship
    exit: 1
    --- stderr
    before this can work, something is missing:
      variable SHIP_TOKEN (ship): For the registry
    hint: set what is missing, or go on without it: `--allow-missing`

    $ hone invoke /ship --allow-missing
    exit: 0
    --- stdout
    <skill name="ship" folder="[HOME]/.agents/skills/ship">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_requirements>
    variable SHIP_TOKEN: missing (For the registry)
    </skill_requirements>
    <skill_body>
    Ship it.
    </skill_body>
    </skill>
    --- stderr
    before this can work, something is missing:
      variable SHIP_TOKEN (ship): For the registry
    "#
    );
    assert_snapshot!(json(&sandbox, "invoke /ship --json"), @r#"
    {
      "available": true,
      "caller": "person",
      "context": "inline",
      "inline_shell": "off",
      "needs": [
        {
          "help": null,
          "kind": "variable",
          "name": "SHIP_TOKEN",
          "optional": false,
          "skills": [
            "ship"
          ],
          "status": "missing",
          "why": "For the registry"
        }
      ],
      "not_loaded": [],
      "question": {
        "asked": [
          {
            "help": null,
            "name": "SHIP_TOKEN",
            "skills": [
              "ship"
            ],
            "why": "For the registry"
          }
        ],
        "other": []
      },
      "skills": [
        {
          "context": "inline",
          "cut_chars": 0,
          "files": [],
          "hash": "0a14835d955ea31e4ed165449136f2a21b5b3976b4fca9fdd51fb91627386bed",
          "inline_commands": 0,
          "name": "ship",
          "path": "[HOME]/.agents/skills/ship/SKILL.md",
          "repeated": false,
          "tools": [],
          "version": null
        }
      ],
      "text": null,
      "tokens": "[TOKENS]",
      "tools": [],
      "words": ""
    }
    "#);
}

#[test]
fn what_is_set_is_met_and_its_value_in_no_text() {
    let sandbox = needy();
    let run =
        sandbox.hone("invoke /ship with s3cr3t-value").env("SHIP_TOKEN", "s3cr3t-value").run();
    assert_snapshot!(run, @r#"
    exit: 0
    --- stdout
    <skill name="ship" folder="[HOME]/.agents/skills/ship">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_requirements>
    variable SHIP_TOKEN: met (For the registry)
    </skill_requirements>
    <skill_body>
    Ship it.
    </skill_body>
    </skill>
    <user_words>
    with [redacted SHIP_TOKEN]
    </user_words>
    "#);
}

#[test]
fn on_a_terminal_a_person_is_asked_once_and_nothing_is_echoed() {
    need("script");
    let sandbox = needy();
    sandbox.write(
        "home/.agents/skills/dock/SKILL.md",
        "---\nname: dock\ndescription: Docks.\nprerequisites: {env_vars: [SHIP_TOKEN]}\n---\nDock it.\n",
    );
    let prompt = "SHIP_TOKEN (not shown): ";
    let call = sandbox.hone("invoke '/ship /dock is it s3cr3t-value?'");
    let (code, screen) = call.asked_on_terminal(prompt, "s3cr3t-value\n");
    assert_eq!(code, 0, "{screen}");
    assert_snapshot!(screen, @r#"
    before this can work, something is missing:
      variable SHIP_TOKEN (ship, dock): For the registry
    SHIP_TOKEN (not shown): 
    <skill name="ship" folder="[HOME]/.agents/skills/ship">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_requirements>
    variable SHIP_TOKEN: met (For the registry)
    </skill_requirements>
    <skill_body>
    Ship it.
    </skill_body>
    </skill>
    <skill name="dock" folder="[HOME]/.agents/skills/dock">
    The user called this skill: follow its instructions. Relative paths in it start at its folder.
    <skill_requirements>
    variable SHIP_TOKEN: met (For the registry)
    </skill_requirements>
    <skill_body>
    Dock it.
    </skill_body>
    </skill>
    <user_words>
    is it [redacted SHIP_TOKEN]?
    </user_words>
    "#);
    let (code, screen) = sandbox.hone("invoke /ship").asked_on_terminal(prompt, "\n");
    assert_eq!(code, 1, "{screen}");
    assert_snapshot!(screen, @"
    before this can work, something is missing:
      variable SHIP_TOKEN (ship): For the registry
    SHIP_TOKEN (not shown): 
    hint: set what is missing, or go on without it: `--allow-missing`
    ");
}

#[test]
fn ctrl_c_at_the_question_ends_the_call_and_leaves_the_terminal_as_it_was() {
    need("script");
    let sandbox = needy();
    let prompt = "SHIP_TOKEN (not shown): ";
    for typed in ["\u{3}", "s3cr\u{3}", "\u{1c}"] {
        let (code, screen) = sandbox.hone("invoke /ship").asked_on_terminal(prompt, typed);
        let asked = "before this can work, something is missing:\n  variable SHIP_TOKEN (ship): For the registry\n\
            SHIP_TOKEN (not shown): \n";
        assert_eq!((code, screen.as_str()), (130, asked));
    }
    // What a line is edited with still edits.
    let call = sandbox.hone("invoke '/ship is it s3cr3t-value?'");
    let (code, screen) = call.asked_on_terminal(prompt, "wrong\u{15}s3cr3t-valux\u{7f}e\n");
    assert!(code == 0 && screen.contains("is it [redacted SHIP_TOKEN]?"), "{screen}");
}

#[test]
fn no_answer_is_asked_for_while_something_else_is_missing() {
    need("script");
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.agents/skills/ship/SKILL.md",
        "---\nname: ship\ndescription: Ships.\nrequired_environment_variables: [SHIP_TOKEN]\n\
         prerequisites: {commands: [no-such-command]}\n---\nShip it.\n",
    );
    let run = sandbox.hone("invoke /ship").on_terminal(200, 24);
    assert_snapshot!(run, @"
    exit: 1
    --- stdout
    before this can work, something is missing:
      variable SHIP_TOKEN (ship)
      command no-such-command (ship)
    hint: set what is missing, or go on without it: `--allow-missing`
    ");
    let call = sandbox.hone("invoke --allow-missing '/ship with s3cr3t-value'");
    let (code, screen) = call.asked_on_terminal("SHIP_TOKEN (not shown): ", "s3cr3t-value\n");
    assert!(code == 0 && screen.contains("with [redacted SHIP_TOKEN]"), "{screen}");
}

#[test]
fn an_answer_may_be_kept_in_the_keyring_until_it_is_forgotten() {
    need("script");
    let sandbox = needy();
    sandbox.write(
        "home/.agents/skills/dock/SKILL.md",
        "---\nname: dock\ndescription: Docks.\nprerequisites: {env_vars: [SHIP_TOKEN]}\n---\nDock it.\n",
    );
    let call = sandbox.hone("invoke --keep /ship");
    let (code, screen) = call.asked_on_terminal("SHIP_TOKEN (not shown): ", "s3cr3t-value\n");
    let code_of = |line: &str| sandbox.hone(line).run().code;
    if code != 0 {
        // Some containers close the keyring: then it is said, and nothing is kept.
        assert!(screen.contains("could not keep `SHIP_TOKEN` in the keyring"), "{screen}");
        assert_eq!(code_of("invoke /ship"), 1);
        return;
    }
    let again = sandbox.hone("invoke '/ship is it s3cr3t-value?'").run();
    assert_eq!(again.code, 0);
    assert!(again.text().contains("is it [redacted SHIP_TOKEN]?"), "{}", again.text());
    assert_eq!(code_of("needs ship"), 0);
    assert_eq!(code_of("invoke /dock"), 1, "another skill");
    let forgotten = sandbox.hone("needs ship --forget").run();
    assert_eq!((forgotten.code, forgotten.errors().trim()), (1, "forgot SHIP_TOKEN (ship)"));
    assert_eq!(code_of("invoke /ship"), 1);
}

#[test]
fn an_answer_is_kept_for_its_session_and_its_skill_where_no_disk_sees_it() {
    need("script");
    let sandbox = needy();
    sandbox.write(
        "home/.agents/skills/dock/SKILL.md",
        "---\nname: dock\ndescription: Docks.\nprerequisites: {env_vars: [SHIP_TOKEN]}\n---\nDock it.\n",
    );
    let runtime = sandbox.path("runtime");
    std::fs::create_dir(&runtime).unwrap();
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    mode(&runtime, 0o700);
    let prompt = "SHIP_TOKEN (not shown): ";
    let call = sandbox.hone("invoke --session 7 /ship").env("XDG_RUNTIME_DIR", &runtime);
    let (code, screen) = call.asked_on_terminal(prompt, "s3cr3t-value\n");
    assert_eq!(code, 0, "{screen}");
    let code = |line: &str| sandbox.hone(line).env("XDG_RUNTIME_DIR", &runtime).run().code;
    assert_eq!(code("invoke --session 7 /ship again"), 0);
    assert_eq!(code("invoke --session 7 /dock"), 1, "another skill");
    assert_eq!(code("invoke --session 8 /ship"), 1, "another session");
    assert_eq!(code("invoke /ship"), 1, "no session");
    mode(&runtime, 0o755);
    assert_eq!(code("invoke --session 7 /ship again"), 1, "a folder that others can read");
    for file in sandbox.files("state") {
        let bytes = std::fs::read(sandbox.path("state").join(&file)).unwrap();
        assert!(!bytes.windows(6).any(|bytes| bytes == b"s3cr3t"), "{file}");
    }
    let kept = sandbox.files("runtime");
    assert_eq!(kept.len(), 1);
    let meta = std::fs::metadata(runtime.join(&kept[0])).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&meta) & 0o777, 0o600);
}

#[test]
fn variables_can_be_switched_off() {
    let sandbox = library();
    sandbox.done("config set invoke.variables off");
    let text = sandbox.hone("invoke /fix 42").run().text();
    assert!(text.contains("Run ${CLAUDE_SKILL_DIR}/scripts/fix.sh for $issue"), "{text}");
}

#[test]
fn a_fork_needs_a_model_and_its_shape_does_not() {
    let sandbox = library();
    sandbox.write(
        "home/.agents/skills/review/SKILL.md",
        "---\nname: review\ndescription: Reviews.\ncontext: fork\nallowed-tools: Read Bash(git diff *)\n---\nReview it.\n",
    );
    // A server that is not there, so that no other is looked for.
    sandbox.write(
        "state/config.toml",
        "[model]\nbase_url = \"http://127.0.0.1:9/v1\"\nstream = false\n",
    );
    assert_snapshot!(
        transcript(&sandbox, &["invoke /review", "invoke /review --inline"]),
        @r#"
        $ hone invoke /review
        exit: 2
        --- stderr
        error: the model's server cannot be asked: cannot connect to `http://127.0.0.1:9/v1/models`: Connection refused (os error 111) (`model.base_url` is `http://127.0.0.1:9/v1`)
        hint: `hone config` shows the settings
        hint: `--inline` gives it to this conversation

        $ hone invoke /review --inline
        exit: 0
        --- stdout
        <skill name="review" folder="[HOME]/.agents/skills/review">
        The user called this skill: follow its instructions. Relative paths in it start at its folder.
        <skill_body>
        Review it.
        </skill_body>
        </skill>
        "#
    );
    assert_snapshot!(json(&sandbox, "invoke /review --json"), @r#"
    {
      "available": false,
      "caller": "person",
      "context": "fork",
      "inline_shell": "off",
      "needs": [],
      "not_loaded": [],
      "question": null,
      "skills": [
        {
          "context": "fork",
          "cut_chars": 0,
          "files": [],
          "hash": "c905f66169fd408cbdc2c545c1d3d0077959709922f613df78a8b10b0e78a97d",
          "inline_commands": 0,
          "name": "review",
          "path": "[HOME]/.agents/skills/review/SKILL.md",
          "repeated": false,
          "tools": [
            "Read",
            "Bash(git diff *)"
          ],
          "version": null
        }
      ],
      "text": "<skill name=\"review\" folder=\"[HOME]/.agents/skills/review\">\nThe user called this skill: follow its instructions. Relative paths in it start at its folder.\n<skill_body>\nReview it.\n</skill_body>\n</skill>\n",
      "tokens": "[TOKENS]",
      "tools": [
        "Read",
        "Bash(git diff *)"
      ],
      "words": ""
    }
    "#);
}

#[test]
fn words_with_hyphens_go_after_two_of_them() {
    let sandbox = library();
    let text = sandbox.hone("invoke /tidy -- --all -n 3").run().text();
    assert!(text.ends_with("<user_words>\n--all -n 3\n</user_words>\n"), "{text}");
}
