//! `hone connect`: one entry in somebody else's file, there and back.

use serde_json::Value;

use crate::harness::Sandbox;

/// Every client: its file below the home, what is in it before, and what our entry looks like there.
const CLIENTS: [(&str, &str, &str, &str); 9] = [
    (
        "claude-code",
        ".claude.json",
        "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"x\": { \"command\": \"x\" }\n  }\n}",
        "    \"hone\": {\n      \"type\": \"stdio\",\n      \"command\": \"[HONE]\",\n      \"args\": [\"mcp\"],\n      \"env\": {\n        \"HONE_HOME\": \"[STATE]\"\n      }\n    }\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "model = \"m\" # mine\n\n[mcp_servers.x]\ncommand = 'x'\n",
        "\n[mcp_servers.hone]\ncommand = \"[HONE]\"\nargs = [\"mcp\"]\nenv = { HONE_HOME = \"[STATE]\" }\n",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n\t// dark\n\t\"theme\": \"dark\"\n}\n",
        "\t\"mcpServers\": {\n\t\t\"hone\": {\n\t\t\t\"command\": \"[HONE]\",\n\t\t\t\"args\": [\"mcp\"],\n\t\t\t\"env\": {\n\t\t\t\t\"HONE_HOME\": \"[STATE]\"\n\t\t\t}\n\t\t}\n\t}\n",
    ),
    (
        "cursor",
        ".cursor/mcp.json",
        "{}\n",
        "  \"mcpServers\": {\n    \"hone\": {\n      \"command\": \"[HONE]\",\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"] }, // mine\n  },\n}\n",
        "    \"hone\": {\n      \"type\": \"local\",\n      \"command\": [\"[HONE]\", \"mcp\"],\n      \"enabled\": true,\n      \"environment\": {\n        \"HONE_HOME\": \"[STATE]\"\n      }\n    },\n",
    ),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{\"servers\": {\"x\": {}}}",
        ", \"hone\": {\"type\": \"stdio\", \"command\": \"[HONE]\", \"args\": [\"mcp\"], \"env\": {\"HONE_HOME\": \"[STATE]\"}}}}",
    ),
    (
        "zed",
        ".config/zed/settings.json",
        "// Zed settings\n{\r\n  \"vim_mode\": true,\r\n}\r\n",
        "  \"context_servers\": {\r\n    \"hone\": {\r\n",
    ),
    (
        "goose",
        ".config/goose/config.yaml",
        "GOOSE_MODEL: m # mine\nextensions:\n  developer:\n    enabled: true\n\n# the end\nlast: 1\n",
        "  hone:\n    type: \"stdio\"\n    name: \"hone\"\n    cmd: \"[HONE]\"\n    args: [\"mcp\"]\n    description: \"Skills\"\n    enabled: true\n    envs: {\"HONE_HOME\": \"[STATE]\"}\n",
    ),
    (
        "hermes",
        ".hermes/config.yaml",
        "model: m\nmcp_servers: {}\n",
        "mcp_servers:\n  hone:\n    command: \"[HONE]\"\n    args: [\"mcp\"]\n    env: {\"HONE_HOME\": \"[STATE]\"}\n",
    ),
];

fn listed(sandbox: &Sandbox) -> Value {
    let run = sandbox.hone("connect --json").run();
    assert_eq!(run.code, 0, "{run}");
    run.json()
}

#[test]
fn every_client_is_connected_proven_and_left_as_it_was() {
    let sandbox = Sandbox::with_tidy();
    for (client, file, before, entry) in CLIENTS {
        let file = format!("home/{file}");
        sandbox.write(&file, before);
        let run = sandbox.hone(&format!("connect {client} --dry-run")).run();
        assert!(run.code == 0 && run.text().contains("+++ "), "{client}: {run}");
        assert_eq!(sandbox.read(&file), before, "{client}: a dry run writes nothing");
        sandbox.done(&format!("connect {client} --yes"));
        let after = sandbox.read(&file);
        let entry = entry.replace("[HONE]", env!("CARGO_BIN_EXE_hone"));
        let entry = entry.replace("[STATE]", sandbox.path("state").to_str().unwrap());
        assert!(after.contains(&entry), "{client}: {after}");
        let again = sandbox.hone(&format!("connect {client} --yes")).run();
        assert!(again.code == 0 && again.errors().contains("is connected already"), "{again}");
        assert_eq!(sandbox.read(&file), after, "{client}: a second time changes nothing");
    }
    let run = sandbox.hone("doctor").run();
    for name in [
        "Claude Code",
        "Codex",
        "Gemini CLI",
        "Cursor",
        "OpenCode",
        "VS Code",
        "Zed",
        "goose",
        "Hermes",
    ] {
        assert!(run.text().contains(&format!("ok   connection: {name}: `")), "{name}: {run}");
    }
    assert_eq!(run.text().matches(" mcp` answers with 9 tools").count(), CLIENTS.len(), "{run}");
    for client in listed(&sandbox)["clients"].as_array().unwrap() {
        assert_eq!(client["files"][0]["state"], "connected", "{client}");
    }
    for (client, file, before, _) in CLIENTS {
        sandbox.done(&format!("connect {client} --undo --yes"));
        assert_eq!(sandbox.read(&format!("home/{file}")), before, "{client}");
        let again = sandbox.hone(&format!("connect {client} --undo --yes")).run();
        assert!(again.code == 0 && again.errors().contains("does not mention hone"), "{again}");
    }
}

#[test]
fn a_file_that_was_not_there_goes_again_and_one_that_others_rewrote_keeps_their_words() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("connect cursor --yes");
    sandbox.done("connect cursor --undo --yes");
    assert!(!sandbox.path("home/.cursor").exists(), "a folder that was made goes too");
    std::fs::create_dir_all(sandbox.path("home/.config")).unwrap();
    sandbox.done("connect goose --yes");
    sandbox.done("connect goose --undo --yes");
    assert!(!sandbox.path("home/.config/goose").exists());
    assert!(sandbox.path("home/.config").exists(), "one that was there stays");
    sandbox.done("connect zed --yes");
    sandbox.write("home/.config/zed/keymap.json", "[]");
    sandbox.done("connect zed --undo --yes");
    assert_eq!(sandbox.files("home/.config"), ["zed/keymap.json"]);

    sandbox.done("connect cursor --yes --read-only");
    let mut value: Value = serde_json::from_str(&sandbox.read("home/.cursor/mcp.json")).unwrap();
    assert_eq!(value["mcpServers"]["hone"]["args"], serde_json::json!(["mcp", "--read-only"]));
    value["mcpServers"]["theirs"] = serde_json::json!({"command": "x"});
    sandbox.write("home/.cursor/mcp.json", value.to_string());
    sandbox.done("connect cursor --undo --yes");
    assert_eq!(
        sandbox.read("home/.cursor/mcp.json"),
        r#"{"mcpServers":{"theirs":{"command":"x"}}}"#
    );
}

#[test]
fn a_project_names_no_path_of_this_machine() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("connect vscode --scope project --yes").run();
    let note = "note: `HONE_HOME` is a path of this machine, so a project's file does not name it";
    assert!(run.errors().starts_with(note), "{run}");
    let undo = "`hone connect vscode --scope project --undo` takes it back";
    assert!(run.code == 0 && run.errors().contains(undo), "{run}");
    let run = sandbox.hone("connect vscode --undo").run();
    let there =
        "`.vscode/mcp.json` does: `hone connect vscode --scope project --undo` takes it out";
    assert!(run.code == 0 && run.errors().contains(there), "{run}");
    let file = sandbox.read("project/.vscode/mcp.json");
    assert!(file.contains("\"command\": \"hone\"") && !file.contains("HONE_HOME"), "{file}");
    sandbox.done("connect vscode --scope project --undo --yes");
    assert!(!sandbox.path("project/.vscode/mcp.json").exists());
    let run = sandbox.hone("connect goose --scope project --yes").run();
    assert!(
        run.code == 1 && run.errors().contains("goose has no configuration in a project"),
        "{run}"
    );
}

#[test]
fn nothing_is_written_without_a_yes_or_into_what_cannot_be_read() {
    let sandbox = Sandbox::with_tidy();
    let refused = |line: &str, said: &str| {
        let run = sandbox.hone(line).run();
        assert!(run.code == 1 && run.errors().contains(said), "{line}: {run}");
    };
    refused("connect claude-code", "nobody is here to agree");
    assert!(!sandbox.path("home/.claude.json").exists());
    sandbox.write("home/.claude.json", "{\"a\": 1,\n \"b\" 2}");
    refused("connect claude-code --yes", "was left alone: line 2: a colon is missing");
    assert_eq!(sandbox.read("home/.claude.json"), "{\"a\": 1,\n \"b\" 2}");
    let theirs = "{\"mcpServers\": {\"hone\": {\"command\": \"whetstone\", \"args\": []}}}";
    sandbox.write("home/.claude.json", theirs);
    refused("connect claude-code --yes", "has a server `hone` that is not ours");
    refused("connect claude-code --undo --yes", "has a server `hone` that is not ours");
    refused("connect claude-code --undo --yes", "hint: it is left alone");
    assert_eq!(sandbox.read("home/.claude.json"), theirs);
    sandbox.done("connect claude-code --yes --name skills");
    sandbox.done("connect claude-code --undo --yes --name skills");
    assert_eq!(sandbox.read("home/.claude.json"), theirs);
    assert_eq!(sandbox.hone("connect emacs").run().code, 2);
    assert_eq!(sandbox.hone("connect zed --name 'a b'").run().code, 2);
}

#[test]
fn the_doctor_tells_of_a_server_that_does_not_answer() {
    let sandbox = Sandbox::with_tidy();
    let gone = sandbox.path("gone/hone");
    let text =
        format!("{{\"mcpServers\": {{\"hone\": {{\"command\": {gone:?}, \"args\": [\"mcp\"]}}}}}}");
    sandbox.write("home/.cursor/mcp.json", text);
    let silent = sandbox.script("silent/hone", "exit 0");
    sandbox.write(
        "home/.codex/config.toml",
        format!("[mcp_servers.hone]\ncommand = \"{silent}\"\nargs = [\"mcp\"]\n"),
    );
    let run = sandbox.hone("doctor").run();
    assert_eq!(run.code, 1, "{run}");
    assert!(
        run.text().contains("BAD  connection: Cursor: `") && run.text().contains("does not start"),
        "{run}"
    );
    assert!(
        run.text().contains("BAD  connection: Codex: it does not answer `initialize`"),
        "{run}"
    );
    assert!(run.text().contains("hint: `hone connect codex` writes the entry anew"), "{run}");
}

#[test]
fn what_could_not_be_served_is_not_written_either() {
    let sandbox = Sandbox::with_tidy();
    for (places, why) in [("--agent nobody", "`nobody`"), ("--root nowhere", "nowhere")] {
        for how in ["--yes", "--dry-run"] {
            let run = sandbox.hone(&format!("connect codex {how} {places}")).run();
            assert!(run.code != 0 && run.errors().contains(why), "{places}: {run}");
            assert_eq!(run.text(), "", "{places}");
        }
        assert!(!sandbox.path("home/.codex").exists(), "{places}");
    }
}

#[test]
fn the_doctor_starts_a_server_as_a_client_does_and_tells_its_last_words() {
    let sandbox = Sandbox::with_tidy();
    let codex = |command: &str, rest: &str| {
        let text = format!("[mcp_servers.hone]\ncommand = \"{command}\"\nargs = [\"mcp\"]\n{rest}");
        sandbox.write("home/.codex/config.toml", text);
        sandbox.hone("doctor").run().text()
    };
    let alive = sandbox.path("alive");
    let script = format!(
        "sleep 1000 </dev/null >/dev/null 2>&1 &\necho $! >{alive:?}\n\
         echo \"error: HONE_HOME is '$HONE_HOME', there is no agent 'zzz'\" >&2\necho >&2"
    );
    let script = sandbox.script("failing/hone", &script);
    let said = "Codex: it does not answer `initialize`, and said last: error: HONE_HOME is ";
    let text = codex(&script, "");
    assert!(text.contains(&format!("{said}'', there is no agent 'zzz'")), "{text}");
    let text = codex(&script, "env = { HONE_HOME = \"/x\" }\n");
    assert!(text.contains(&format!("{said}'/x', there is no agent 'zzz'")), "{text}");
    // What it started has ended with it, or waits to be counted as ended.
    let pid = sandbox.read("alive");
    let is_alive = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim()));
        status.is_ok_and(|status| !status.contains("State:\tZ"))
    };
    while is_alive() {
        std::thread::yield_now();
    }
}

#[test]
fn the_usual_home_is_not_written_down_and_in_it_both_files_of_a_client_are_one() {
    let sandbox = Sandbox::with_tidy();
    let usual = sandbox.path("home/.hone");
    let hone = |line: &str| sandbox.hone(line).env("HONE_HOME", &usual).cwd("home").run();
    let run = hone("connect codex --yes");
    assert_eq!(run.code, 0, "{run}");
    let entry = format!(
        "[mcp_servers.hone]\ncommand = \"{}\"\nargs = [\"mcp\"]\n",
        env!("CARGO_BIN_EXE_hone")
    );
    assert_eq!(sandbox.read("home/.codex/config.toml"), entry);
    let listed = hone("connect --json").json();
    let codex = listed["clients"].as_array().unwrap().iter().find(|one| one["id"] == "codex");
    assert_eq!(codex.unwrap()["files"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(hone("doctor").text().matches("connection: Codex").count(), 1);
}

#[test]
fn a_client_that_was_connected_twice_is_disconnected_at_once() {
    let sandbox = Sandbox::with_tidy();
    for (client, file, before, _) in CLIENTS {
        let file = format!("home/{file}");
        sandbox.write(&file, before);
        for options in ["", "--read-only", "--root ."] {
            sandbox.done(&format!("connect {client} --yes {options}"));
        }
        sandbox.done(&format!("connect {client} --undo --yes"));
        assert_eq!(sandbox.read(&file), before, "{client}");
    }
    // Where there was no file, none is left.
    for options in ["--yes", "--read-only --yes", "--undo --yes"] {
        sandbox.done(&format!("connect codex --scope project {options}"));
    }
    assert!(!sandbox.path("project/.codex").exists());
    // An entry that somebody else wrote does not come back either.
    sandbox.write(
        "home/.cursor/mcp.json",
        "{\"mcpServers\": {\"hone\": {\"command\": \"hone\", \"args\": [\"mcp\"]}, \"x\": {}}}",
    );
    sandbox.done("connect cursor --read-only --yes");
    sandbox.done("connect cursor --undo --yes");
    assert_eq!(sandbox.read("home/.cursor/mcp.json"), "{\"mcpServers\": { \"x\": {}}}");
}

#[test]
fn what_this_program_wrote_is_its_own_whatever_it_is_called() {
    let sandbox = Sandbox::with_tidy();
    let other = sandbox.path("other-hone");
    std::fs::copy(env!("CARGO_BIN_EXE_hone"), &other).unwrap();
    let run = |line: &str| {
        let under = format!("shift; exec {} \"$@\"", other.display());
        let run = sandbox.hone(line).run_under(&["sh", "-c", &under, "sh"]);
        assert_eq!(run.code, 0, "{line}: {run}");
        run
    };
    run("connect codex --yes");
    let answers = format!("connection: Codex: `HONE_HOME={} ", sandbox.path("state").display());
    let doctor = run("doctor").text();
    assert!(doctor.contains(&answers) && doctor.contains("other-hone mcp` answers"), "{doctor}");
    // Another program of ours knows it too, because it remembers what was written.
    assert_eq!(listed(&sandbox)["clients"][1]["files"][0]["state"], "connected");
    run("connect codex --read-only --yes");
    run("connect codex --undo --yes");
    assert!(!sandbox.path("home/.codex").exists());
    run("connect codex --yes");
    sandbox.done("connect codex --undo --yes");
    assert!(!sandbox.path("home/.codex").exists());
    // What nobody of us wrote stays somebody else's.
    let theirs = "[mcp_servers.hone]\ncommand = \"/opt/whetstone\"\nargs = [\"mcp\"]\n";
    sandbox.write("home/.codex/config.toml", theirs);
    assert_eq!(sandbox.hone("connect codex --undo --yes").run().code, 1);
    assert_eq!(sandbox.read("home/.codex/config.toml"), theirs);
}

#[test]
fn a_server_of_another_name_is_listed_and_tried_too() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("connect codex --name work --yes");
    let run = sandbox.hone("connect").run();
    assert!(run.text().contains("codex        connected as work ("), "{run}");
    let run = sandbox.hone("connect codex --undo --yes").run();
    let there =
        "has no server `hone`, but `work`: `hone connect codex --name work --undo` takes that out";
    assert!(run.code == 0 && run.errors().contains(there), "{run}");
    sandbox.done("connect codex --yes --read-only");
    let files = listed(&sandbox)["clients"][1]["files"].take();
    let names: Vec<_> = files
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["scope"].as_str(), file["name"].as_str(), file["state"].as_str()))
        .collect();
    let [user, project] = [Some("user"), Some("project")];
    assert_eq!(
        names,
        [
            (user, Some("hone"), Some("connected")),
            (user, Some("work"), Some("connected")),
            (project, Some("hone"), Some("not-connected")),
        ]
    );
    let run = sandbox.hone("doctor").run();
    assert!(run.text().contains("--read-only` answers with 7 tools"), "{run}");
    assert!(run.text().contains("ok   connection: Codex, `work`: `"), "{run}");
}

#[test]
fn the_doctor_starts_nothing_that_a_project_chose() {
    let sandbox = Sandbox::with_tidy();
    let (script, started) =
        (sandbox.script("project/bin/hone", "touch started"), "project/started");
    let entries = [
        format!("{{\"command\": \"{script}\", \"args\": [\"mcp\"]}}"),
        "{\"command\": \"hone\", \"args\": [\"mcp\"], \"env\": {\"PATH\": \"bin\"}}".to_owned(),
    ];
    for entry in entries {
        let text = format!("{{\"mcpServers\": {{\"hone\": {entry}}}}}");
        sandbox.write("project/.mcp.json", text);
        let run = sandbox.hone("doctor").run();
        assert!(run.text().contains("mcp` was not tried: the project chose it"), "{run}");
        assert!(!sandbox.path(started).exists(), "{entry}");
    }
}

#[test]
fn a_server_that_has_ended_is_not_waited_for_though_what_it_started_holds_its_pipes() {
    let sandbox = Sandbox::with_tidy();
    // What answers late is not the server.
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"late\"}}}";
    let late = format!("(sleep 18; echo '{answer}'; sleep 1000)");
    let script = format!("exec 3<&0\n{late} <&3 &\nexit 0");
    let script = sandbox.script("ending/hone", &script);
    let text = format!("[mcp_servers.hone]\ncommand = \"{script}\"\nargs = [\"mcp\"]\n");
    sandbox.write("home/.codex/config.toml", text);
    let run = sandbox.hone("doctor").run();
    assert!(run.text().contains("Codex: it does not answer `initialize`"), "{run}");
}
