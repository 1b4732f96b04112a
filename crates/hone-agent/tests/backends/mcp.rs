//! Tools of MCP servers: the reference implementation over both transports, and one that misbehaves.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hone_agent::model::client;
use hone_agent::step::Outcome;
use hone_agent::tools::mcp::{Connected, MAX_TOOLS_OF_A_SERVER, Problem, connect};
use hone_agent::tools::{Class, Tool, ToolResult};
use hone_library::McpServer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_util::sync::CancellationToken;

use crate::python::{python, script};

fn program(name: &str, args: &[&str]) -> McpServer {
    McpServer {
        name: "one".to_owned(),
        command: Some(python()),
        args: [vec![script(name)], args.iter().map(|arg| (*arg).to_owned()).collect()].concat(),
        env: Vec::new(),
        url: None,
        api_key_env: None,
        tools: None,
        timeout: 60,
    }
}

pub(crate) async fn connect_to(servers: &[McpServer]) -> Connected {
    let variable = |name: &str| std::env::var(name).ok();
    connect(servers, &variable, &client(|_| None).unwrap(), Path::new("/")).await
}

pub(crate) async fn call(connected: &Connected, name: &str, arguments: Value) -> ToolResult {
    let tool = tool(connected, name);
    tool.call(&arguments, &CancellationToken::new()).await
}

fn tool<'a>(connected: &'a Connected, name: &str) -> &'a dyn Tool {
    connected.tools.iter().find(|tool| tool.name() == name).unwrap().as_ref()
}

#[allow(
    clippy::redundant_closure_for_method_calls,
    clippy::redundant_closure,
    reason = "a method of a trait object"
)]
fn names(connected: &Connected) -> Vec<&str> {
    connected.tools.iter().map(Tool::name).collect()
}

async fn answers_like_the_reference(connected: &Connected) {
    assert_eq!(connected.problems, []);
    assert_eq!(names(connected), ["mcp__one__add", "mcp__one__fail"]);
    let add = tool(connected, "mcp__one__add");
    assert_eq!(
        (add.description(), add.class(), add.time(), add.changes()),
        ("Adds two whole numbers.", Class::Evidence, Some(Duration::from_secs(60)), true)
    );
    assert_eq!(add.schema()["required"], json!(["a", "b"]));
    let sum = call(connected, "mcp__one__add", json!({"a": 1, "b": 2})).await;
    assert_eq!(sum, ToolResult::ok("3", "mcp__one__add: 1 characters"));
    let failed = call(connected, "mcp__one__fail", json!({})).await;
    assert_eq!(failed.outcome, Outcome::Failed);
    assert!(failed.text.contains("fail"), "{}", failed.text);
    let wrong = call(connected, "mcp__one__add", json!({"a": "x", "b": 2})).await;
    assert_eq!(wrong.outcome, Outcome::Failed);
}

#[tokio::test]
async fn the_reference_implementation_as_a_program() {
    let connected = connect_to(&[program("mcp_reference.py", &[])]).await;
    answers_like_the_reference(&connected).await;
}

#[tokio::test]
async fn the_reference_implementation_at_an_address() {
    let mut child = tokio::process::Command::new(python())
        .arg(script("mcp_reference.py"))
        .arg("http")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            let line = lines.next_line().await.unwrap().expect("the server ended");
            if let Some((_, address)) = line.split_once("running on ") {
                return address.split_whitespace().next().unwrap().to_owned();
            }
        }
    });
    let base = told.await.expect("the server told no address");
    // Its further lines have to go somewhere.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let server = McpServer {
        command: None,
        args: Vec::new(),
        url: Some(format!("{base}/mcp")),
        ..program("", &[])
    };
    let connected = connect_to(&[server]).await;
    answers_like_the_reference(&connected).await;
}

#[tokio::test]
async fn what_a_server_says_of_its_tools_is_bounded_and_odd_names_are_left_out() {
    let connected = connect_to(&[program("mcp_odd.py", &[])]).await;
    assert_eq!(
        names(&connected),
        [
            "mcp__one__deep",
            "mcp__one__die",
            "mcp__one__environment",
            "mcp__one__hang",
            "mcp__one__picture",
            "mcp__one__process"
        ]
    );
    let whys: Vec<_> = connected.problems.iter().map(|problem| problem.why.as_str()).collect();
    assert_eq!(
        whys,
        [
            "its tool `no name` has a name that cannot be called",
            "its tool `éééééééééé` has a name that cannot be called"
        ]
    );
    let of = |name: &str| tool(&connected, name);
    assert_eq!(of("mcp__one__deep").schema(), &json!({"type": "object"}));
    assert_eq!(of("mcp__one__hang").description().chars().count(), 1_001);
    assert_eq!(of("mcp__one__picture").description(), "A picture and text.");
    assert_eq!(of("mcp__one__die").description(), "No description.");
    assert!(!of("mcp__one__environment").changes());
    let picture = call(&connected, "mcp__one__picture", json!({})).await;
    assert_eq!(picture.text, "[an image, image/png]\nbelow it");
    let deep = call(&connected, "mcp__one__deep", json!({})).await;
    assert_eq!(deep.text, "{\"called\":\"deep\"}");
}

#[tokio::test]
async fn a_program_gets_the_variables_that_are_named_and_no_others() {
    let server =
        McpServer { env: vec!["CARGO_MANIFEST_DIR".to_owned()], ..program("mcp_odd.py", &[]) };
    let connected = connect_to(&[server]).await;
    let told = call(&connected, "mcp__one__environment", json!({})).await;
    let got: Vec<String> = serde_json::from_str(&told.text).unwrap();
    assert!(got.iter().any(|name| name == "PATH") && got.iter().any(|n| n == "CARGO_MANIFEST_DIR"));
    // Of the many that cargo sets for a test, no other.
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
    assert!(!got.iter().any(|name| name.starts_with("CARGO_PKG")), "{got:?}");
}

#[tokio::test]
async fn a_server_that_dies_fails_the_call_and_those_after_it() {
    let connected = connect_to(&[program("mcp_odd.py", &[])]).await;
    for _ in 0..2 {
        let died = call(&connected, "mcp__one__die", json!({})).await;
        assert_eq!(died.outcome, Outcome::Failed);
        assert_eq!(died.text, "the server has ended (it last said: Traceback: it broke)");
    }
}

#[tokio::test]
async fn a_call_that_hangs_ends_in_time_and_when_it_is_stopped() {
    let server = McpServer { timeout: 1, ..program("mcp_odd.py", &[]) };
    let connected = connect_to(&[server]).await;
    let hung = call(&connected, "mcp__one__hang", json!({})).await;
    assert_eq!(hung, ToolResult::timed_out("the server did not answer within 1 s"));
    let server = program("mcp_odd.py", &[]);
    let connected = connect_to(&[server]).await;
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let begun = Instant::now();
    let arguments = json!({});
    let stopped = tool(&connected, "mcp__one__hang").call(&arguments, &cancelled).await;
    assert_eq!(stopped.outcome, Outcome::Failed);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn servers_that_do_not_start_are_told_and_the_others_work() {
    let named = |name: &str, server: McpServer| McpServer { name: name.to_owned(), ..server };
    let absent =
        McpServer { command: Some("/no/such/program".to_owned()), ..program("mcp_odd.py", &[]) };
    let nobody = McpServer {
        command: None,
        args: Vec::new(),
        url: Some("http://127.0.0.1:9/mcp".to_owned()),
        ..program("", &[])
    };
    let keyless = McpServer { api_key_env: Some("HONE_TEST_NOT_SET".to_owned()), ..nobody.clone() };
    let one_tool = McpServer {
        tools: Some(vec!["process".to_owned(), "gone".to_owned()]),
        ..program("mcp_odd.py", &[])
    };
    let connected = connect_to(&[
        named("absent", absent),
        named("refusing", program("mcp_odd.py", &["refuse"])),
        named("nobody", nobody),
        named("keyless", keyless),
        named("good", one_tool),
    ])
    .await;
    assert_eq!(names(&connected), ["mcp__good__process"]);
    let why = |server: &str| {
        let found = connected.problems.iter().find(|problem| problem.server == server);
        found.map(|Problem { why, .. }| why.clone()).unwrap()
    };
    assert_eq!(connected.problems.len(), 5);
    assert!(why("absent").starts_with("cannot start `/no/such/program`: "), "{}", why("absent"));
    assert!(why("refusing").ends_with("(it last said: no licence found)"), "{}", why("refusing"));
    assert!(!why("nobody").is_empty());
    assert_eq!(why("keyless"), "the variable `HONE_TEST_NOT_SET` is not set");
    assert_eq!(why("good"), "it has no tool `gone`");
}

#[tokio::test]
async fn of_a_server_with_too_many_tools_the_first_are_taken() {
    let connected = connect_to(&[program("mcp_odd.py", &["many"])]).await;
    assert_eq!(connected.tools.len(), MAX_TOOLS_OF_A_SERVER);
    assert_eq!(connected.problems.len(), 1);
    assert!(connected.problems[0].why.starts_with("it has more than 64 tools"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_ends_with_its_tools() {
    let connected = connect_to(&[program("mcp_odd.py", &[])]).await;
    let id = call(&connected, "mcp__one__process", json!({})).await.text;
    // One that has ended but was not yet waited for is a zombie.
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    assert!(runs());
    drop(connected);
    let deadline = Instant::now() + Duration::from_secs(30);
    while runs() {
        assert!(Instant::now() < deadline, "it still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
