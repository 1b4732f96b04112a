//! Runs: started, followed, stopped, and never forgotten.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use super::harness::{Server, until};
use crate::agents::{SILENCE, Server as Model, answer, call};
use crate::learning::lesson;

fn wish() -> Value {
    json!({"agent": "ada", "input": "What do apples cost?"})
}

fn start(server: &Server) -> String {
    let run = server.send("POST /api/v1/runs", &wish());
    assert_eq!(run.status, 202, "{}", run.text());
    run.json()["id"].as_str().unwrap().to_owned()
}

fn one(server: &Server, id: &str) -> Value {
    server.ask(&format!("GET /api/v1/runs/{id}")).json()
}

fn ends(server: &Server, id: &str, progress: &str) -> Value {
    assert!(until(|| one(server, id)["progress"] == progress), "{}", one(server, id));
    one(server, id)
}

/// Everything that a run that is over still tells.
fn told(server: &Server, id: &str) -> Vec<Value> {
    let events = server.ask(&format!("GET /api/v1/runs/{id}/events")).text();
    let lines = events.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_that_is_over_tells_its_steps_and_then_its_end() {
    let model = Model::says(&[call("read_file", json!({"path": "prices.csv"})), answer("120")]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let id = start(&server);
    ends(&server, &id, "answered");
    // What was live is told as it was until the server has looked back at the task.
    assert!(until(|| told(&server, &id)[0]["event"] == "step"));
    let told = told(&server, &id);
    let kinds: Vec<&str> =
        told.iter().map(|one| one["step"]["kind"].as_str().unwrap_or("over")).collect();
    assert_eq!(kinds, ["model", "tool", "model", "over"]);
    assert_eq!(told[1]["step"]["tool"], "read_file");
}

#[test]
fn a_model_that_is_set_up_later_is_found_and_until_then_a_run_says_how_to_get_one() {
    let model = Model::says(&[call("read_file", json!({"path": "prices.csv"})), answer("120")]);
    let sandbox = model.sandbox();
    let config = sandbox.read("state/config.toml");
    sandbox.write("state/config.toml", "[model]\nbase_url = \"http://127.0.0.1:1/v1\"\n");
    let server = Server::start(&sandbox, "");
    let failed = ends(&server, &start(&server), "failed");
    let problem = failed["problem"].as_str().unwrap();
    assert!(problem.lines().count() > 1, "{problem}");
    sandbox.write("state/config.toml", "[model\n");
    let failed = ends(&server, &start(&server), "failed");
    let problem = failed["problem"].as_str().unwrap();
    assert!(problem.contains("config.toml") && problem.ends_with("\nmend that file"), "{problem}");
    sandbox.write("state/config.toml", config);
    ends(&server, &start(&server), "answered");
}

#[test]
fn a_hard_task_over_http_teaches_as_one_on_the_command_line() {
    let model = Model::says(&lesson());
    let sandbox = model.sandbox();
    sandbox.done("config set learn.land off");
    let server = Server::start(&sandbox, "");
    let wish = json!({"agent": "ada", "input": "What do the goods cost in total?"});
    let id = server.send("POST /api/v1/runs", &wish).json()["id"].as_str().unwrap().to_owned();
    ends(&server, &id, "answered");
    let waiting = || server.ask("GET /api/v1/proposals").json();
    assert!(until(|| waiting()["total"] == 1), "{}", waiting());
    assert_eq!(waiting()["proposals"][0]["name"], "sum-prices");
}

#[test]
fn a_run_is_followed_from_its_beginning_and_leaves_a_receipt_that_holds() {
    let model = Model::says(&[call("read_file", json!({"path": "prices.csv"})), answer("120")]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let id = start(&server);
    let mut stream = server.connect();
    let ask = format!(
        "GET /api/v1/runs/{id}/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut events = Vec::new();
    for line in BufReader::new(stream).lines() {
        if let Some(data) = line.unwrap().strip_prefix("data: ") {
            let event: Value = serde_json::from_str(data).unwrap();
            let is_over = event["event"] == "over";
            events.push(event);
            if is_over {
                break;
            }
        }
    }
    let over = events.last().unwrap();
    assert_eq!(over["run"]["progress"], "answered", "{events:#?}");
    assert_eq!(over["run"]["answer"], "120");
    // Whoever comes late may get the end alone; whoever was there in time got all of it.
    if events.len() > 1 {
        let kinds: Vec<&str> =
            events.iter().map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!((kinds[0], kinds.contains(&"calling")), ("started", true), "{kinds:?}");
    }
    let run = ends(&server, &id, "answered");
    assert_eq!(server.ask("GET /api/v1/runs").json()["runs"], json!([run]));

    let agent = server.ask("GET /api/v1/agents/ada").json();
    assert_eq!(agent["last_tasks"][0]["task"], run["task"]);
    let receipts = server.ask("GET /api/v1/agents/ada/receipts").json();
    assert_eq!((&receipts["holds"], &receipts["breaks"]), (&json!(true), &json!([])));
    let last = receipts["receipts"].as_array().unwrap().last().unwrap();
    assert_eq!(last["task"]["id"], run["task"]);
    sandbox.write("state/agents/ada/system.md", "Somebody else.\n");
    let receipts = server.ask("GET /api/v1/agents/ada/receipts").json();
    assert_eq!(
        (&receipts["holds"], &receipts["breaks"][0]["field"]),
        (&json!(false), &json!("state"))
    );
    // While a task is at work, what it has changed so far is no change from outside.
    sandbox.write("state/agents/ada/task.json", "{\"task\": \"t\", \"position\": 0}");
    let receipts = server.ask("GET /api/v1/agents/ada/receipts").json();
    assert_eq!((&receipts["holds"], &receipts["breaks"]), (&json!(true), &json!([])));
    std::fs::remove_file(sandbox.path("state/agents/ada/task.json")).unwrap();
    std::fs::remove_file(sandbox.path("state/agents/ada/receipts.jsonl")).unwrap();
    let receipts = server.ask("GET /api/v1/agents/ada/receipts").json();
    assert_eq!(
        (&receipts["holds"], &receipts["breaks"][0]["field"]),
        (&json!(false), &json!("receipts"))
    );
}

#[test]
fn a_hard_task_teaches_its_agent_beside_the_server() {
    let model = Model::says(&lesson());
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let wish = json!({"agent": "ada", "input": "What do the goods cost in total?"});
    let run = server.send("POST /api/v1/runs", &wish).json();
    let id = run["id"].as_str().unwrap();
    ends(&server, id, "answered");
    let stage = || sandbox.hone("stats --json").run().json()["skills"][0]["stage"].clone();
    assert!(until(|| stage() == "trial"), "{}", stage());
    assert_eq!(model.asked().len(), lesson().len());
    // The run says what was learned from it, and what that cost.
    let learned = || server.ask(&format!("GET /api/v1/runs/{id}")).json()["learned"].clone();
    assert!(until(|| learned() != Value::Null));
    let learned = learned();
    assert_eq!(learned["asked"], "a call failed and a later one worked");
    let result = &learned["result"];
    assert_eq!((&result["result"], &result["name"]), (&json!("landed"), &json!("sum-prices")));
    assert!(learned["spent"]["tokens_in"].as_u64().unwrap() > 0, "{learned}");
    let receipts = server.ask("GET /api/v1/agents/ada/receipts").json();
    assert_eq!(receipts["holds"], true, "{receipts}");
}

#[test]
fn a_run_can_be_stopped_and_one_that_cannot_begin_says_why() {
    let model = Model::says(&[SILENCE.to_owned()]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let id = start(&server);
    model.heard.recv().unwrap();
    assert_eq!(server.ask(&format!("POST /api/v1/runs/{id}/cancel")).status, 200);
    ends(&server, &id, "cancelled");
    server.send("POST /api/v1/runs", &json!({"agent": "eve", "input": "x"})).problem(404);
    server.send("POST /api/v1/runs", &json!({"agent": "ada", "input": " "})).problem(422);
    server.ask("GET /api/v1/runs/nothing").problem(404);
    server.ask("POST /api/v1/runs/..%2f..%2fconfig/cancel").problem(404);
}

#[test]
fn so_many_tasks_wait_and_one_more_is_told_to_come_back() {
    let model = Model::says(&[SILENCE.to_owned()]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let ids: Vec<String> = (0..64).map(|_| start(&server)).collect();
    let more = server.send("POST /api/v1/runs", &wish());
    assert_eq!(more.problem(503), "too many tasks are under way");
    let last = &ids[63];
    assert_eq!(server.ask(&format!("POST /api/v1/runs/{last}/cancel")).status, 200);
    ends(&server, last, "cancelled");
    assert!(
        until(|| server.send("POST /api/v1/runs", &wish()).status == 202),
        "there is room again"
    );
}

#[test]
fn a_stop_lets_a_task_end_or_records_that_it_was_interrupted() {
    let model = Model::says(&[SILENCE.to_owned()]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let id = start(&server);
    model.heard.recv().unwrap();
    let (code, said) = server.stop("TERM");
    assert_eq!(code, Some(0), "{said}");
    let again = Server::start(&sandbox, "");
    let token = sandbox.hone("serve token add again").run().text().trim().to_owned();
    assert!(until(|| again.ask_as(&token, "GET /api/v1/runs", "").status == 200));
    let run = again.ask_as(&token, &format!("GET /api/v1/runs/{id}"), "").json();
    assert_eq!(run["progress"], "interrupted", "{run}");
}

#[test]
fn a_task_of_another_server_is_left_alone_until_that_one_is_dead() {
    let model = Model::says(&[SILENCE.to_owned()]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let id = start(&server);
    model.heard.recv().unwrap();
    let seen_by = |other: &Server| {
        other.ask_as(&server.token, &format!("GET /api/v1/runs/{id}"), "").json()["progress"]
            .clone()
    };
    let other = Server::start(&sandbox, "");
    assert_eq!(seen_by(&other), "running");
    assert_eq!(one(&server, &id)["progress"], "running");
    let token = server.token.clone();
    server.kill();
    let third = Server::start(&sandbox, "");
    let run = third.ask_as(&token, &format!("GET /api/v1/runs/{id}"), "").json();
    assert_eq!(run["progress"], "interrupted", "{run}");
    let runs = std::fs::read_dir(sandbox.path("state/serve/runs")).unwrap();
    assert_eq!(runs.count(), 1, "no mark is left");
}

#[test]
fn a_kill_loses_nothing_that_was_confirmed() {
    let looks = call("read_file", json!({"path": "prices.csv"}));
    let model = Model::says(&[SILENCE.to_owned(), looks, answer("120")]);
    let sandbox = model.sandbox();
    let server = Server::start(&sandbox, "");
    let id = start(&server);
    model.heard.recv().unwrap();
    let token = server.token.clone();
    // Somebody changes skills all the time, and the server is killed in the middle.
    let confirmed = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut confirmed = Vec::new();
            for number in 0.. {
                let name = format!("skill-{number}");
                let content =
                    format!("---\nname: {name}\ndescription: Number {number}.\n---\nDo it.\n");
                let new = json!({"name": name, "content": content}).to_string();
                let sent = server.try_send(&token, "POST /api/v1/skills", &new);
                match sent {
                    Some(201) => confirmed.push(name),
                    _ => break,
                }
            }
            confirmed
        });
        assert!(until(|| sandbox.path("home/.agents/skills/skill-5").exists()));
        server.kill();
        writer.join().unwrap()
    });
    assert!(confirmed.len() >= 5, "{confirmed:?}");
    let again = Server::start(&sandbox, "");
    for name in &confirmed {
        let view = again.ask_as(&token, &format!("GET /api/v1/skills/{name}"), "");
        assert_eq!(view.status, 200, "{name}: {}", view.text());
        let versions = again.ask_as(&token, &format!("GET /api/v1/skills/{name}/versions"), "");
        assert_eq!(versions.json()["versions"][0]["action"], "create");
    }
    let run = again.ask_as(&token, &format!("GET /api/v1/runs/{id}"), "").json();
    assert_eq!(run["progress"], "interrupted", "{run}");
    let next = again.ask_as(&token, "POST /api/v1/runs", &wish().to_string());
    assert_eq!(next.status, 202);
    let next = next.json()["id"].as_str().unwrap().to_owned();
    let progress = || {
        let run = again.ask_as(&token, &format!("GET /api/v1/runs/{next}"), "");
        run.json()["progress"].as_str().unwrap().to_owned()
    };
    assert!(until(|| progress() == "answered"), "{}", progress());
}
