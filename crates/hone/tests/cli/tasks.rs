//! What `hone run` says, keeps and counts of a task, against a scripted model.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::agents::{SILENCE, Server, answer, call};
use crate::harness::Sandbox;

/// Everything that is kept in the sandbox's state, as one text.
fn kept(sandbox: &Sandbox) -> String {
    let mut text = String::new();
    for file in sandbox.files("state") {
        let bytes = std::fs::read(sandbox.path("state").join(&file)).unwrap();
        text.push_str(&file);
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    text
}

/// Adds lines to the configuration.
fn configure(sandbox: &Sandbox, lines: &str) {
    let path = sandbox.path("state/config.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text + lines).unwrap();
}

#[test]
fn in_the_home_folder_a_task_is_told_why_it_reads_nothing_and_what_to_do() {
    let server = Server::says(&vec![answer("Hello!"); 8]);
    let sandbox = server.sandbox();
    let run = sandbox.hone("run ada hello").cwd("home").run();
    assert_eq!(run.code, 1, "{run}");
    let note = "note: it can read no files here, where your whole home is: `cd` to a project, or name a \
                folder with `--workspace DIR`\n";
    let hint = "did not converge: no answer after 8 turns\nhint: it answered without having looked at \
                anything. Give it files to look at (`cd` to a project, or `--workspace DIR`), or let it \
                answer without: `evidence = \"optional\"` in its `agent.toml`\n";
    for line in [note, hint] {
        assert!(run.errors().contains(line), "{run}");
    }
    assert!(server.asked()[1].contains("Call `fetch_url` first"), "{}", server.asked()[1]);
    // Both ways out are ways out.
    let look = call("list_files", json!({}));
    let server = Server::says(&[look, answer("Hello!"), answer("Hello!")]);
    let sandbox = server.sandbox();
    let run = sandbox.hone("run ada hello").run();
    assert_eq!((run.code, run.errors().contains("note: it can read no")), (0, false), "{run}");
    sandbox.write("state/agents/ada/agent.toml", "evidence = \"optional\"\n");
    let run = sandbox.hone("run ada hello").cwd("home").run();
    assert_eq!((run.code, run.text().as_str()), (0, "Hello!\n"), "{run}");
}

#[test]
fn the_key_of_the_model_is_in_nothing_that_a_task_says_or_keeps() {
    const KEY: &str = "sk-test-0123456789abcdef";
    let server = Server::says(&[
        call("read_file", json!({"path": ".env"})),
        call("note", json!({"key": "the key", "value": KEY})),
        // Escaped, it is not the same letters until it is read.
        call("note", json!({"key": "again", "value": KEY})).replace("sk-test", "sk\\u002dtest"),
        answer(&format!("It is {KEY}.")),
    ]);
    let sandbox = server.sandbox();
    configure(&sandbox, "api_key_env = \"TEST_KEY\"\n");
    sandbox.write("project/.env", format!("TEST_KEY={KEY}\n"));
    let line = format!("run ada --json 'is {KEY} the key?'");
    let run = sandbox.hone(&line).env("TEST_KEY", KEY).run();
    assert_eq!(run.code, 0, "{run}");
    let last: Value = serde_json::from_str(run.text().lines().last().unwrap()).unwrap();
    assert_eq!(last["answer"], "It is [redacted].", "{run}");
    assert!(!run.text().contains(KEY) && !run.errors().contains(KEY), "{run}");
    let kept = kept(&sandbox);
    assert!(!kept.contains(KEY), "{kept}");
    assert!(kept.contains("TEST_KEY=[redacted]"), "{kept}");
    assert!(server.asked().iter().all(|asked| !asked.contains(KEY)), "{:?}", server.asked());
}

#[test]
fn a_killed_task_leaves_its_steps_its_row_and_its_receipt() {
    let server = Server::says(&[
        call("read_file", json!({"path": "prices.csv"})),
        SILENCE.to_owned(),
        call("recall", json!({"query": "KILLME"})),
        call("list_files", json!({})),
        answer("done"),
    ]);
    let sandbox = server.sandbox();
    let mut first = sandbox.hone("run ada --subscriber eve KILLME").command();
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..2 {
        server.heard.recv_timeout(Duration::from_secs(60)).unwrap();
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let run = sandbox.hone("run ada --subscriber eve quick").run();
    assert_eq!(run.code, 0, "{run}");
    assert!(run.errors().contains("died; what it had changed was taken back"), "{run}");
    assert!(!run.errors().contains(".hone-steps"), "{run}");
    assert!(run.errors().contains("recall KILLME: 2 found"), "{run}");
    let shown = sandbox.hone("agent show ada --json").run().json();
    let died = &shown["last_tasks"][1];
    assert_eq!(
        [&died["input"], &died["subscriber"], &died["ending"], &died["turns"], &died["tokens"]],
        [&json!("KILLME"), &json!("eve"), &json!("died"), &json!(1), &json!(110)]
    );
    let task = died["task"].as_str().unwrap();
    let path = sandbox.path(&format!("state/agents/ada/transcripts/{task}.jsonl"));
    let lines = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["task", "model", "tool", "end"]);
    assert_eq!((&lines[0]["input"], &lines[2]["text"]), (&json!("KILLME"), &json!("apples,120\n")));
    assert_eq!(lines[3]["end"], json!({"end": "died"}));
    assert_eq!(lines[3]["cost"]["calls"], 1);
    let receipts =
        std::fs::read_to_string(sandbox.path("state/agents/ada/receipts.jsonl")).unwrap();
    let signed: Vec<Value> =
        receipts.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_it = signed.iter().filter(|receipt| receipt["task"]["id"] == task);
    let outcomes: Vec<&Value> = of_it.map(|receipt| &receipt["task"]["outcome"]).collect();
    assert_eq!(outcomes, [&json!("died")]);
    sandbox.done("agent verify ada");
    assert!(!sandbox.files("state/agents/ada").contains(&".hone-steps.jsonl".to_owned()));
}

#[test]
fn the_cost_of_a_task_counts_the_agents_that_it_asked_and_money() {
    let server = Server::says(&[
        call("ask_agent", json!({"agent": "ada", "question": "what do apples cost?"})),
        answer("120"),
        answer("Ada says 120."),
    ]);
    let sandbox = server.sandbox();
    configure(&sandbox, "price_in = 10.0\nprice_out = 100.0\n");
    sandbox.write("state/agents/ada/agent.toml", "evidence = \"optional\"\n");
    sandbox.done("agent new bob --agents ada");
    let run = sandbox.hone("run bob 'ask ada'").run();
    assert_eq!(run.text(), "Ada says 120.\n", "{run}");
    let cost = run.errors();
    let cost = cost.lines().find(|line| line.starts_with("cost: ")).unwrap();
    assert!(cost.starts_with("cost: 2 turns, 1 call, 220 tokens (200 in, 20 out), "), "{cost}");
    let rest = " s; with the agents that it asked: 3 turns, 330 tokens (300 in, 30 out); 0.0060 by your \
                prices";
    assert!(cost.ends_with(rest), "{cost}");
}

#[test]
fn a_server_that_is_gone_takes_its_tools_along_and_not_the_task() {
    let server = Server::says(&[call("read_file", json!({"path": "prices.csv"})), answer("120")]);
    let sandbox = server.sandbox();
    configure(
        &sandbox,
        "\n[[mcp]]\nname = \"gone\"\ncommand = \"/no/such/program\"\n\n\
         [[mcp]]\nname = \"away\"\nurl = \"http://127.0.0.1:9/mcp\"\n",
    );
    let tools = "tools = [\"read_file\", \"mcp__gone__hello\"]\n";
    sandbox.write("state/agents/ada/agent.toml", tools);
    let run = sandbox.hone("run ada 'what do apples cost?'").run();
    assert_eq!((run.code, run.text().as_str()), (0, "120\n"), "{run}");
    for note in [
        "note: MCP server `gone`: cannot start `/no/such/program`: No such file or directory",
        "note: MCP server `away`: it cannot be asked: Connection refused",
        "note: the tool `mcp__gone__hello` is not there in this task\n",
    ] {
        assert!(run.errors().contains(note), "{run}");
    }
    assert!(!run.errors().contains("rmcp"), "{run}");
    // A server that nobody configured is a mistake in the list.
    let tools = "tools = [\"read_file\", \"mcp__never__hello\"]\n";
    sandbox.write("state/agents/ada/agent.toml", tools);
    let run = sandbox.hone("run ada 'what do apples cost?'").run();
    assert_eq!(run.code, 2, "{run}");
    assert!(run.errors().contains("names `mcp__never__hello`, which is not there"), "{run}");
}

#[test]
fn a_secret_of_the_configuration_is_offered_by_name_and_a_missing_one_is_told() {
    let server = Server::says(&[
        call("fetch_url", json!({"url": "https://elsewhere.example/", "secret": "tracker"})),
        call("list_files", json!({})),
        answer("done"),
    ]);
    let sandbox = server.sandbox();
    configure(
        &sandbox,
        "\n[[secrets]]\nname = \"tracker\"\norigin = \"https://tracker.example\"\nenv = \"TRACKER_TOKEN\"\n\n\
         [[secrets]]\nname = \"other\"\norigin = \"https://other.example\"\nenv = \"OTHER_TOKEN\"\n",
    );
    let run = sandbox.hone("run ada 'look it up'").env("TRACKER_TOKEN", "token-0123456789").run();
    assert_eq!(run.code, 0, "{run}");
    let missing = "note: nothing is fetched with `other`: the variable `OTHER_TOKEN` is not set\n";
    assert!(run.errors().contains(missing), "{run}");
    assert!(server.system(0).contains(r#""secret":{"enum":["tracker"],"type":"string"}"#));
    let refused = "refused: Not asked: the secret `tracker` is for https://tracker.example alone.";
    assert!(run.errors().contains(refused), "{run}");
    assert!(!kept(&sandbox).contains("token-0123456789"));
}

#[test]
fn a_key_in_the_configuration_is_sent_and_never_shown() {
    const KEY: &str = "sk-test-0123456789abcdef";
    let server = Server::says(&[call("list_files", json!({})), answer("done")]);
    let sandbox = server.sandbox();
    let refused = sandbox.hone(&format!("config set model.api_key {KEY}")).run();
    assert_eq!(refused.code, 1, "{refused}");
    assert!(refused.errors().contains("`hone config set model.api_key -` reads it"), "{refused}");
    let run = sandbox.hone("config set model.api_key - --json").stdin(format!("{KEY}\n")).run();
    assert_eq!(run.json()["settings"][0]["value"], "(set)", "{run}");
    let config = sandbox.path("state/config.toml");
    assert_eq!(std::fs::metadata(&config).unwrap().permissions().mode() & 0o777, 0o600);
    for line in ["config", "config --json", "config get model.api_key", "doctor", "doctor --json"] {
        let run = sandbox.hone(line).run();
        assert!(!run.text().contains(KEY) && !run.errors().contains(KEY), "{run}");
    }
    assert_eq!(sandbox.hone("config get model.api_key").run().text(), "(set)\n");
    assert_eq!(sandbox.hone("run ada hello").run().text(), "done\n");
    assert_eq!(server.keys(), vec![Some(format!("Bearer {KEY}")); 2]);
    // Others could read it.
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o640)).unwrap();
    let run = sandbox.hone("run ada hello").run();
    assert_eq!(run.code, 2, "{run}");
    assert!(
        run.errors().contains("it holds `model.api_key` and others can read it; `chmod 600 "),
        "{run}"
    );
    // A mistake in its line does not show it either.
    std::fs::set_permissions(&config, std::fs::Permissions::from_mode(0o600)).unwrap();
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace(&format!("\"{KEY}\""), &format!("\"{KEY}"))).unwrap();
    for line in ["list", "doctor", "config set model.stream true"] {
        let run = sandbox.hone(line).run();
        assert_ne!(run.code, 0, "{run}");
        assert!(!run.text().contains(KEY) && !run.errors().contains(KEY), "{run}");
    }
}

#[test]
fn what_a_new_agent_is_not_offered_is_named() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.skill("project/skills", name, "Does it. Use when asked.");
    }
    sandbox.write("project/skills/broken/SKILL.md", "---\nname: broken\n");
    sandbox.write("project/skills/one/references/more.md", "more\n");
    sandbox.write("project/skills/notes/big.tar.gz", "no skill\n");
    let made = sandbox.hone("agent new ada --skills skills").run();
    assert!(made.text().ends_with(" with 2 skills\n"), "{made}");
    let broken =
        "skills/broken/SKILL.md: line 1, column 1: the frontmatter opened here is never closed";
    for note in [
        format!("note: not offered: {broken}\n"),
        "note: it belongs to no skill: skills/notes/big.tar.gz\n".to_owned(),
    ] {
        assert!(made.errors().contains(&note), "{made}");
    }
    let shown = sandbox.hone("agent show ada").run();
    let start = &broken[..70];
    assert!(shown.text().contains(&format!("\nnot offered:\n  {start}")), "{shown}");
    assert!(
        shown.text().ends_with("\nno part of the agent:\n  skills/notes/big.tar.gz\n"),
        "{shown}"
    );
    let shown = sandbox.hone("agent show ada --json").run().json();
    assert_eq!(shown["skipped"][0]["reason"], "broken", "{shown}");
    assert_eq!(shown["strangers"], json!(["skills/notes/big.tar.gz"]));
}
