//! `hone needs`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, transcript};

fn library() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    sandbox.write(
        "home/.agents/skills/ship/SKILL.md",
        "---\nname: ship\ndescription: Ships.\nrequired_environment_variables:\n  - {name: SHIP_TOKEN, prompt: For the registry, help: 'https://ship.example'}\n  - {name: SHIP_COLOUR, optional: true}\n\
         prerequisites: {commands: [sh, no-such-command]}\n---\nDo it.\n",
    );
    sandbox.write(
        "home/.agents/skills/ask/SKILL.md",
        "---\nname: ask\ndescription: Asks.\nplatforms: [linux]\nrequired_environment_variables: ['not a name']\n---\nDo it.\n",
    );
    sandbox.write(
        "home/.agents/skills/ask/agents/openai.yaml",
        "dependencies:\n  tools:\n    - {type: env_var, value: SHIP_TOKEN}\n    - {type: mcp, value: github}\n",
    );
    sandbox
}

#[test]
fn what_is_missing_makes_the_answer_no() {
    let sandbox = library();
    assert_snapshot!(
        transcript(&sandbox, &["needs", "needs tidy", "needs ship --json", "needs unheard-of"]),
        @r#"
    $ hone needs
    exit: 1
    --- stdout
    met      platform linux (ask)
    missing  variable SHIP_TOKEN (ask, ship): For the registry [https://ship.example]
    unknown  mcp github (ask)
    missing  variable SHIP_COLOUR, optional (ship)
    met      command sh (ship)
    missing  command no-such-command (ship)
    --- stderr
    warning: `ask`: `not a name` is no name of a variable

    $ hone needs tidy
    exit: 0
    --- stderr
    nothing is needed

    $ hone needs ship --json
    exit: 1
    --- stdout
    {"needs":[{"kind":"variable","name":"SHIP_TOKEN","status":"missing","optional":false,"why":"For the registry","help":"https://ship.example","skills":["ship"]},{"kind":"variable","name":"SHIP_COLOUR","status":"missing","optional":true,"why":null,"help":null,"skills":["ship"]},{"kind":"command","name":"sh","status":"met","optional":false,"why":null,"help":null,"skills":["ship"]},{"kind":"command","name":"no-such-command","status":"missing","optional":false,"why":null,"help":null,"skills":["ship"]}],"ready":false,"problems":[]}

    $ hone needs unheard-of
    exit: 1
    --- stderr
    error: there is no skill `unheard-of`
    hint: `hone list` shows what is there
    "#
    );
}

#[test]
fn a_platform_that_is_missing_is_shown_by_name_and_counted_without() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    for (name, more) in [("x3", "platforms: [beos, plan9]"), ("off", "platforms: [linux, macos]")] {
        let text = format!("---\nname: {name}\ndescription: Runs.\n{more}\n---\nDo it.\n");
        sandbox.write(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    }
    sandbox.done("config set skills.disabled off");
    assert_snapshot!(
        transcript(&sandbox, &["needs", "needs x3", "needs user:x3 --json", "needs off"]),
        @r#"
    $ hone needs
    exit: 0
    --- stderr
    note: 1 skill is for another platform and not offered here; `hone list --all` names them
    nothing is needed

    $ hone needs x3
    exit: 1
    --- stdout
    missing  platform beos, plan9 (x3)

    $ hone needs user:x3 --json
    exit: 1
    --- stdout
    {"needs":[{"kind":"platform","name":"beos, plan9","status":"missing","optional":false,"why":null,"help":null,"skills":["x3"]}],"ready":false,"problems":[]}

    $ hone needs off
    exit: 1
    --- stderr
    error: there is no skill `off`
    hint: it is at `~/.agents/skills/off/SKILL.md`, but it is switched off by `skills.disabled` in config.toml or hone.toml
    "#
    );
}

#[test]
fn what_is_set_is_there_and_what_is_empty_is_not() {
    let sandbox = library();
    let run = sandbox.hone("needs ask").env("SHIP_TOKEN", "s3cr3t-value").run();
    assert_snapshot!(run, @"
    exit: 0
    --- stdout
    met      platform linux (ask)
    met      variable SHIP_TOKEN (ask)
    unknown  mcp github (ask)
    --- stderr
    warning: `ask`: `not a name` is no name of a variable
    ");
    assert_eq!(sandbox.hone("needs ask").env("SHIP_TOKEN", "").run().code, 1);
}

#[test]
fn a_server_that_an_agent_is_set_up_with_is_there() {
    let sandbox = library();
    let github = || {
        let json = sandbox.hone("needs ask --json").run().json();
        let needs = json["needs"].as_array().unwrap().clone();
        let need = needs.into_iter().find(|need| need["kind"] == "mcp").unwrap();
        need["status"].as_str().unwrap().to_owned()
    };
    sandbox.write("home/.claude.json", r#"{"mcpServers": {"other": {}}, "projects": []}"#);
    sandbox.write("home/.cursor/mcp.json", "not JSON");
    sandbox.write(
        "home/.gemini/settings.json",
        r#"{"mcpServers": {"github": {"command": "x", "disabled": true}}}"#,
    );
    assert_eq!(github(), "unknown");
    sandbox.write("home/.codex/config.toml", "[mcp_servers.github]\ncommand = 'x'\n");
    assert_eq!(github(), "met");
    std::fs::remove_file(sandbox.path("home/.codex/config.toml")).unwrap();
    sandbox
        .write("project/.mcp.json", r#"{"mcpServers": {"github": {"url": "https://x.example"}}}"#);
    assert_eq!(github(), "met");
}
