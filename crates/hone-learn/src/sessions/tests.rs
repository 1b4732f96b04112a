use std::fs;

use hone_agent::step::Outcome;
use proptest::prelude::*;
use serde_json::json;

use super::*;

pub(super) fn read_text(name: &str, text: &str) -> Experience {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    read(&in_file(&path).unwrap()).unwrap()
}

pub(super) fn lines(records: &[Value]) -> String {
    records.iter().flat_map(|record| [record.to_string(), "\n".to_owned()]).collect()
}

pub(super) fn outcomes(experience: &Experience) -> Vec<(&str, &str)> {
    experience.steps.iter().map(|step| (step.tool.as_str(), step.outcome.id())).collect()
}

pub(super) fn claude() -> Vec<Value> {
    let user = |content: Value, at: u32| {
        json!({
            "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/w/shop",
            "sessionId": "c0ffee00-0000-4000-8000-000000000001", "version": "2.1.0", "type": "user",
            "message": {"role": "user", "content": content}, "uuid": format!("u{at}"),
            "timestamp": format!("2026-11-01T10:00:{at:02}.000Z"),
        })
    };
    let assistant = |id: &str, content: Value, at: u32| {
        json!({
            "isSidechain": false, "cwd": "/w/shop", "type": "assistant",
            "sessionId": "c0ffee00-0000-4000-8000-000000000001",
            "message": {
                "id": id, "role": "assistant", "model": "claude-x", "content": [content],
                "stop_reason": null,
                "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5},
            },
            "timestamp": format!("2026-11-01T10:00:{at:02}.000Z"),
        })
    };
    let result = |id: &str, text: &str, is_error: bool| {
        json!([{"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}],
                "is_error": is_error}])
    };
    let call = |id: &str, tool: &str, input: Value| json!({"type": "tool_use", "id": id, "name": tool, "input": input});
    vec![
        json!({"type": "summary", "summary": "x", "leafUuid": "y"}),
        json!({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
        user(json!("<command-name>/clear</command-name><command-args></command-args>"), 0),
        user(json!("Fix the build"), 1),
        assistant("m1", json!({"type": "thinking", "thinking": "hm"}), 2),
        assistant("m1", call("t1", "Skill", json!({"skill": "rust"})), 2),
        user(result("t1", "loaded", false), 3),
        assistant("m2", call("t2", "Bash", json!({"command": "cargo build"})), 4),
        user(result("t2", "Exit code 101\nerror", true), 5),
        json!({"type": "assistant", "isSidechain": true, "message": {"content": "not ours"}}),
        assistant("m3", call("t3", "Bash", json!({"command": "rm -rf /"})), 6),
        user(result("t3", "The user doesn't want to proceed with this tool use.", true), 7),
        user(json!([{"type": "text", "text": "No, use the other target"}]), 8),
        assistant("m4", call("t4", "Bash", json!({"command": "cargo build -p b"})), 9),
        user(result("t4", "Finished", false), 10),
        json!({"type": "something-new", "x": 1}),
        assistant("m5", json!({"type": "text", "text": "It builds."}), 11),
    ]
}

#[test]
fn claude_code_is_read() {
    let experience = read_text("c.jsonl", &lines(&claude()));
    assert_eq!(experience.source.agent, Agent::ClaudeCode);
    assert_eq!(experience.task, "Fix the build");
    assert_eq!(
        outcomes(&experience),
        [("Skill", "ok"), ("Bash", "failed"), ("Bash", "refused"), ("Bash", "ok")]
    );
    assert_eq!(experience.skills[0].name, "rust");
    assert_eq!(experience.corrections[0].text, "No, use the other target");
    assert_eq!(experience.corrections[0].after.as_deref(), Some("3"));
    assert!(experience.converged && experience.recovered());
    assert_eq!(experience.answer.as_deref(), Some("It builds."));
    assert_eq!(experience.cost.turns, 5);
    assert_eq!((experience.cost.tokens_in, experience.cost.tokens_out), (500, 25));
    assert_eq!(experience.cost.milliseconds, 11_000);
    assert_eq!(experience.source.folder.as_deref(), Some(Path::new("/w/shop")));
    assert_eq!(experience.skipped, 1);
}

#[test]
fn what_is_said_before_the_work_is_one_task_and_a_command_alone_the_last_resort() {
    let said = |text: &str| json!({"sessionId": "s", "type": "user", "message": {"content": text}});
    let clear = said("<command-name>/clear</command-name><command-args></command-args>");
    let review = said("<command-name>/review</command-name><command-args>the diff</command-args>");
    let task = |records: &[Value]| read_text("c.jsonl", &lines(records)).task;
    assert_eq!(task(&[clear.clone(), said("Hi"), said("Fix it")]), "Hi\nFix it");
    assert_eq!(task(&[clear.clone(), review]), "/review the diff");
    assert_eq!(task(&[clear]), "/clear");
}

#[test]
fn a_session_that_was_interrupted_did_not_converge() {
    let mut records = claude();
    records.push(json!({"type": "user", "message": {"content": [
        {"type": "text", "text": "[Request interrupted by user]"}]}, "sessionId": "x"}));
    assert!(!read_text("c.jsonl", &lines(&records)).converged);
}

#[test]
fn codex_is_read() {
    let item = |payload: Value| json!({"timestamp": "2026-11-01T10:00:00.000Z", "type": "response_item", "payload": payload});
    let call = |id: &str, name: &str, arguments: Value| {
        item(
            json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}),
        )
    };
    let output = |id: &str, output: Value| {
        item(json!({"type": "function_call_output", "call_id": id, "output": output}))
    };
    let message = |role: &str, text: &str| {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    };
    let records = [
        json!({"timestamp": "2026-11-01T10:00:00.000Z", "type": "session_meta",
               "payload": {"id": "019a", "cwd": "/w/shop", "originator": "codex_cli_rs", "cli_version": "0.9"}}),
        json!({"type": "turn_context", "payload": {"cwd": "/w/shop", "model": "gpt-x"}}),
        message("developer", "be good"),
        message("user", "# AGENTS.md instructions for /w/shop\nbe kind"),
        message("user", "<environment_context>\n<cwd>/w/shop</cwd>\n</environment_context>"),
        message("user", "Run the tests"),
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": "Run the tests"}}),
        item(json!({"type": "reasoning", "encrypted_content": "x"})),
        call("1", "exec_command", json!({"cmd": "pytest"})),
        output(
            "1",
            json!("Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nboom"),
        ),
        call("2", "shell", json!({"command": ["bash", "-lc", "python -m pytest"]})),
        output(
            "2",
            json!("{\"output\":\"ok\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":1.0}}"),
        ),
        item(json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "3",
                    "input": "*** Begin Patch\n*** Update File: a.py\n*** End Patch"})),
        item(
            json!({"type": "custom_tool_call_output", "call_id": "3", "output": "{\"output\":\"Success\",\"metadata\":{\"exit_code\":0}}"}),
        ),
        call("4", "shell_command", json!({"command": "sleep 99"})),
        output("4", json!("command timed out after 1000 milliseconds")),
        call(
            "5",
            "exec_command",
            json!({"cmd": "sed -n 1,9p ~/.codex/skills/pytest-tips/SKILL.md"}),
        ),
        output("5", json!({"content": "text", "success": true})),
        json!({"type": "event_msg", "payload": {"type": "token_count",
               "info": {"total_token_usage": {"input_tokens": 70, "output_tokens": 7}}}}),
        item(json!({"type": "brand_new_item"})),
        message("assistant", "All green."),
    ];
    let experience = read_text("rollout-2026-11-01T10-00-00-019a.jsonl", &lines(&records));
    assert_eq!(experience.source.agent, Agent::Codex);
    assert_eq!(experience.source.session, "019a");
    assert_eq!(experience.task, "Run the tests");
    assert_eq!(
        outcomes(&experience),
        [
            ("exec_command", "failed"),
            ("shell", "ok"),
            ("apply_patch", "ok"),
            ("shell_command", "timed-out"),
            ("exec_command", "ok")
        ]
    );
    assert_eq!(experience.steps[1].result, "ok");
    assert_eq!(experience.skills[0].name, "pytest-tips");
    assert_eq!((experience.cost.tokens_in, experience.cost.tokens_out), (70, 7));
    assert_eq!(experience.source.model.as_deref(), Some("gpt-x"));
    assert!(experience.converged && experience.corrections.is_empty());
    assert_eq!(experience.skipped, 1);
}

#[test]
fn older_rollouts_of_codex_are_read() {
    let records = [
        json!({"id": "old-1", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": null}),
        json!({"record_type": "state"}),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List it"}]}),
        json!({"type": "local_shell_call", "id": "l1", "call_id": "l1", "status": "completed",
               "action": {"type": "exec", "command": ["ls", "-la"]}}),
        json!({"type": "function_call_output", "call_id": "l1", "output": "{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}),
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done"}]}),
    ];
    let experience = read_text("rollout-2025-06-01-old.jsonl", &lines(&records));
    assert_eq!(experience.source.session, "old-1");
    assert_eq!(experience.task, "List it");
    assert_eq!(outcomes(&experience), [("shell", "ok")]);
    assert_eq!(experience.skipped, 0);
}

fn hermes(path: &Path, columns: &str) -> rusqlite::Connection {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(&format!(
        "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT NOT NULL, started_at REAL NOT NULL{columns});
         CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
           content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL);"
    ))
    .unwrap();
    db
}

#[test]
fn a_session_of_hermes_is_as_new_as_its_last_message_and_reading_it_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state? 100%#.db");
    let db = hermes(&path, "");
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    db.execute_batch(
        "INSERT INTO sessions VALUES ('long', 'cli', 1700000000.0);
         INSERT INTO sessions VALUES ('short', 'cli', 1700000050.0);
         INSERT INTO messages(session_id, role, content, timestamp) VALUES
           ('long', 'user', 'a', 1700000001.0), ('long', 'user', 'b', 1700000099.0),
           ('short', 'user', 'c', 'yesterday');",
    )
    .unwrap();
    drop(db);
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files(), 1);
    let times = |path| -> Vec<(String, i64)> {
        let found = hermes::locate(path).unwrap();
        found.into_iter().map(|one| (one.id, one.modified)).collect()
    };
    let expected =
        [("long".to_owned(), 1_700_000_099_000), ("short".to_owned(), 1_700_000_050_000)];
    assert_eq!(times(&path), expected);
    assert_eq!(files(), 1);
    // What is still in the log counts too.
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("INSERT INTO sessions VALUES ('open', 'cli', 1700000200.0);").unwrap();
    assert_eq!(times(&path)[0].0, "open");
}

#[test]
fn hermes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let db = hermes(
        &path,
        ", model TEXT, cwd TEXT, input_tokens INTEGER, output_tokens INTEGER, last_activity_at REAL",
    );
    db.execute_batch(
        "INSERT INTO sessions VALUES ('older', 'cli', 1700000000.5, 'h', '/w', 1, 1, NULL);
         INSERT INTO sessions VALUES ('newer', 'cli', 1700000001.5, 'hermes-4', '/w/shop', 9, 3, 1700000100.0);",
    )
    .unwrap();
    let rows = [
        ("user", "Check the disk", None, None),
        (
            "assistant",
            "",
            None,
            Some(json!([
                {"id": "c1", "type": "function", "function": {"name": "skill_view", "arguments": "{\"name\":\"disk\"}"}},
                {"id": "c2", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\":\"df -h\"}"}},
            ])),
        ),
        ("tool", "{\"success\": true, \"name\": \"disk\"}", Some("c1"), None),
        (
            "tool",
            "{\"output\": \"sh: df: not found\", \"exit_code\": 127, \"error\": null}",
            Some("c2"),
            None,
        ),
        (
            "assistant",
            "",
            None,
            Some(json!([
                {"id": "c3", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\":\"/bin/df -h\"}"}},
            ])),
        ),
        ("tool", "{\"output\": \"ok\", \"exit_code\": 0, \"error\": null}", Some("c3"), None),
        ("assistant", "Half full.", None, None),
    ];
    for (role, content, id, calls) in rows {
        db.execute(
            "INSERT INTO messages(session_id, role, content, tool_call_id, tool_calls, timestamp) \
             VALUES ('newer', ?1, ?2, ?3, ?4, 1700000002.0)",
            rusqlite::params![role, content, id, calls.map(|calls| calls.to_string())],
        )
        .unwrap();
    }
    drop(db);
    let found = in_file(&path).unwrap();
    assert_eq!(found.id, "newer");
    let experience = read(&found).unwrap();
    assert_eq!(experience.task, "Check the disk");
    assert_eq!(
        outcomes(&experience),
        [("skill_view", "ok"), ("terminal", "failed"), ("terminal", "ok")]
    );
    assert_eq!(experience.skills[0].name, "disk");
    assert_eq!(experience.source.started, 1_700_000_001_500);
    assert_eq!((experience.cost.tokens_in, experience.cost.tokens_out), (9, 3));
    assert!(experience.converged);
}

#[test]
fn an_older_database_of_hermes_is_read_and_a_strange_one_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let db = hermes(&path, "");
    db.execute_batch(
        "INSERT INTO sessions VALUES ('s', 'cli', 1700000000.0);
         INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', 'Hi', 1);
         INSERT INTO messages(session_id, role, content, tool_calls, timestamp) VALUES ('s', 'assistant', x'ff00', '{not json', 'when');
         INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'martian', NULL, 2);",
    )
    .unwrap();
    let experience = read(&in_file(&path).unwrap()).unwrap();
    assert_eq!((experience.task.as_str(), experience.skipped), ("Hi", 1));
    db.execute_batch("DROP TABLE messages").unwrap();
    assert!(matches!(read(&in_file(&path).unwrap()), Err(SessionError::Database { .. })));
    drop(db);
    let other = folder.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE x(y)").unwrap();
    assert!(matches!(in_file(&other), Err(SessionError::Database { .. })));
}

#[test]
fn messages_one_a_line_are_read() {
    let records = [
        json!({"role": "system", "content": "x"}),
        json!({"role": "user", "content": [{"type": "text", "text": "Add it up"}]}),
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": {"name": "sum", "arguments": {"n": 1}}}]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "Error: no"}),
        json!({"role": "assistant", "content": "3"}),
    ];
    let experience = read_text("chat.jsonl", &lines(&records));
    assert_eq!(experience.source.agent, Agent::Plain);
    assert_eq!((experience.task.as_str(), experience.converged), ("Add it up", true));
    assert_eq!(outcomes(&experience), [("sum", "failed")]);
}

#[test]
fn a_plain_transcript_is_read() {
    let text = "User: Count the lines\nof the notes\n\nAssistant: I will.\n$ wc -l notes\nwc: notes: No such file or directory\n\
                $ wc -l notes.txt\n12 notes.txt\n## Assistant\nTwelve.\n";
    let experience = read_text("t.txt", text);
    assert_eq!(experience.task, "Count the lines\nof the notes");
    assert_eq!(outcomes(&experience), [("shell", "failed"), ("shell", "ok")]);
    assert_eq!(experience.steps[1].result, "12 notes.txt");
    assert_eq!(experience.answer.as_deref(), Some("Twelve."));
    assert!(experience.converged);
}

#[test]
fn an_empty_session_teaches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.jsonl");
    fs::write(&path, "\n").unwrap();
    assert!(matches!(read(&in_file(&path).unwrap()), Err(SessionError::Empty(_))));
    assert!(matches!(in_file(folder.path()), Err(SessionError::Io { .. })));
    fs::write(&path, b"\x7fELF\0\0$ ls\n").unwrap();
    assert!(matches!(in_file(&path), Err(SessionError::NotASession(_))));
}

#[test]
fn steps_past_their_bound_are_counted() {
    use crate::experience::MAX_STEPS;
    let mut records = vec![json!({"sessionId": "s", "type": "user", "message": {"content": "Go"}})];
    for n in 0..=MAX_STEPS {
        records.push(json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "id": n.to_string(), "name": "Bash", "input": {"command": "ls"}}]}}));
    }
    let experience = read_text("s.jsonl", &lines(&records));
    assert_eq!((experience.steps.len(), experience.skipped), (MAX_STEPS, 1));
    assert!(experience.steps.iter().all(|step| step.outcome == Outcome::Failed));
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("type"),
        Just("message"),
        Just("content"),
        Just("role"),
        Just("payload"),
        Just("id"),
        Just("timestamp"),
        Just("tool_calls"),
        Just("kind"),
        Just("call_id"),
        Just("input"),
        Just("arguments"),
        Just("output"),
        Just("sessionId"),
        Just("name"),
        Just("tool_use_id"),
        Just("function"),
        Just("usage"),
        Just("isSidechain"),
        Just("action"),
        Just("command"),
    ];
    let word = prop_oneof![
        Just("user"),
        Just("assistant"),
        Just("tool_use"),
        Just("tool_result"),
        Just("response_item"),
        Just("function_call"),
        Just("message"),
        Just("session_meta"),
        Just("event_msg"),
        Just("tool"),
        Just("text"),
        Just("task"),
        Just("end"),
        Just("local_shell_call"),
        Just("custom_tool_call"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..7).prop_map(|entries| {
                Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_the_records_nothing_crashes(
        records in prop::collection::vec(any_json(), 0..12),
        noise in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut bytes = lines(&records).into_bytes();
        bytes.extend_from_slice(&noise);
        for format in [Format::Claude, Format::Codex, Format::Own, Format::Chat, Format::Plain] {
            let found = Found {
                agent: Agent::Plain, format, id: "x".to_owned(), path: PathBuf::new(), modified: 0, bytes: 0,
            };
            let (session, is_cut) = read_lines(&found, bytes.as_slice(), 1 << 20).unwrap();
            let experience = session.whole;
            prop_assert!(!is_cut);
            prop_assert!(experience.steps.len() <= crate::experience::MAX_STEPS);
            prop_assert!(experience.task.chars().count() <= crate::experience::MAX_TASK_CHARS);
        }
    }

    #[test]
    fn a_real_session_survives_any_cut_and_any_change_of_a_byte(at in 0usize..6_000, byte in any::<u8>()) {
        let mut bytes = lines(&claude()).into_bytes();
        let at = at % bytes.len();
        let found = Found {
            agent: Agent::ClaudeCode, format: Format::Claude, id: "x".to_owned(), path: PathBuf::new(),
            modified: 0, bytes: 0,
        };
        read_lines(&found, &bytes[..at], 1 << 20).unwrap();
        bytes[at] = byte;
        read_lines(&found, bytes.as_slice(), 1 << 20).unwrap();
    }
}
