//! The chat API: exact requests, whole and streamed replies, the differences between servers.

use hone_agent::model::{Choice, Expects, Reply, Request, Usage, Wire};
use serde_json::{Value, json};

use crate::server::{KEY, Scripted, Server, ask, chat, model, reply, request};

fn messages() -> Value {
    json!([
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three\n\nfour"},
    ])
}

fn piece(delta: &Value, finish: Option<&str>) -> Value {
    json!({"model": "small-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn streaming(server: &Server) -> Choice {
    Choice { streams: true, ..server.choice(Wire::OpenAi) }
}

#[tokio::test]
async fn a_whole_reply_and_the_exact_request_for_it() {
    let server = Server::start([chat("{\"answer\": \"naïve \\u007b\"}")]).await;
    let got = ask(&server.choice(Wire::OpenAi)).await.unwrap();
    assert_eq!(got, reply("{\"answer\": \"naïve \\u007b\"}", 7, 3));
    let asked = server.asked().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(asked.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(asked.headers["content-type"], "application/json");
    assert!(asked.headers["user-agent"].to_str().unwrap().starts_with("hone/"));
    assert_eq!(
        asked.body,
        json!({"model": "small", "messages": messages(), "temperature": 0.1, "max_tokens": 50})
    );
}

#[tokio::test]
async fn without_a_key_none_is_sent() {
    let server = Server::start([chat("x")]).await;
    ask(&Choice { key: None, ..server.choice(Wire::OpenAi) }).await.unwrap();
    assert!(!server.asked()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_streamed_reply_is_put_together_with_its_usage() {
    let server = Server::start([Scripted::events(&[
        piece(&json!({"role": "assistant", "content": null}), None),
        piece(&json!({"content": "Grü"}), None),
        piece(&json!({"content": "ße"}), None),
        piece(&json!({}), Some("length")),
        json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 2}}),
    ])
    .then_text(": comment\n\ndata: [DONE]\n\n")])
    .await;
    let got = ask(&streaming(&server)).await.unwrap();
    assert_eq!(got, Reply { is_cut: true, ..reply("Grüße", 11, 2) });
    assert_eq!(
        server.asked()[0].body,
        json!({
            "model": "small",
            "messages": messages(),
            "temperature": 0.1,
            "max_tokens": 50,
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let server = Server::start([chat("whole")]).await;
    assert_eq!(ask(&streaming(&server)).await.unwrap(), reply("whole", 7, 3));
}

#[tokio::test]
async fn a_stream_without_its_end_mark_counts_when_the_reply_was_finished() {
    let server =
        Server::start([Scripted::events(&[piece(&json!({"content": "all of it"}), Some("stop"))])])
            .await;
    let got = ask(&streaming(&server)).await.unwrap();
    assert_eq!(got.text, "all of it");
    assert_eq!(got.usage, Usage { input: 7, output: 3, is_estimate: true });
}

#[tokio::test]
async fn empty_content_is_an_empty_reply() {
    for content in [json!(null), json!(""), json!([])] {
        let body = json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]});
        let server = Server::start([Scripted::json(200, &body)]).await;
        let got = ask(&server.choice(Wire::OpenAi)).await.unwrap();
        assert_eq!((got.text.as_str(), got.model.as_str()), ("", "small"));
    }
}

#[tokio::test]
async fn content_in_parts_is_one_text() {
    let content = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let body = json!({"choices": [{"message": {"content": content}}]});
    let server = Server::start([Scripted::json(200, &body)]).await;
    assert_eq!(ask(&server.choice(Wire::OpenAi)).await.unwrap().text, "ab");
}

#[tokio::test]
async fn parameters_that_a_server_refuses_by_name_are_left_out_from_then_on() {
    let refuses = |param: &str, code: &str| {
        let error = json!({"message": "no", "param": param, "code": code});
        Scripted::json(400, &json!({"error": error}))
    };
    let server = Server::start([
        refuses("max_tokens", "unsupported_parameter"),
        refuses("temperature", "unsupported_value"),
        chat("first"),
        chat("second"),
    ])
    .await;
    let model = model(&server.choice(Wire::OpenAi));
    for text in ["first", "second"] {
        let got = model.ask(&request(), &tokio_util::sync::CancellationToken::new()).await;
        assert_eq!(got.unwrap().text, text);
    }
    let expected = json!({"model": "small", "messages": messages(), "max_completion_tokens": 50});
    let asked = server.asked();
    assert_eq!((asked.len(), &asked[2].body, &asked[3].body), (4, &expected, &expected));
}

#[tokio::test]
async fn native_calls_come_back_as_the_text_that_every_model_writes() {
    let call = |index: usize, name: Value, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"tool_calls": [{"index": index, "function": function}]})
    };
    let server = Server::start([Scripted::events(&[
        piece(&json!({"content": "Let me see."}), None),
        piece(&call(0, json!("look"), ""), None),
        piece(&call(0, json!(""), "{\"at\": \"the"), None),
        piece(&call(0, json!(""), " \\\"map\\\"\"}"), None),
        piece(&call(1, json!("look"), ""), None),
        piece(&json!({}), Some("tool_calls")),
    ])
    .then_text("data: [DONE]\n\n")])
    .await;
    let choice = Choice { has_native_tools: true, ..streaming(&server) };
    let got = ask(&choice).await.unwrap();
    assert_eq!(
        got.text,
        "Let me see.\n{\"tool\": \"look\", \"args\": {\"at\": \"the \\\"map\\\"\"}}\n{\"tool\": \"look\", \"args\": {}}"
    );
    assert_eq!(
        server.asked()[0].body["tools"],
        json!([{"type": "function", "function": {
            "name": "look",
            "description": "Looks.",
            "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
        }}])
    );
}

#[tokio::test]
async fn a_reply_is_held_to_its_form_by_the_schemas_of_the_tools_and_not_where_a_server_cannot() {
    let cannot = json!({"error": {"code": 400, "message": "JSON schema conversion failed"}});
    let server = Server::start([
        chat("{}"),
        chat("{}"),
        Scripted::json(400, &cannot),
        chat("{}"),
        chat("{}"),
    ])
    .await;
    let model = model(&Choice { constrains: true, ..server.choice(Wire::OpenAi) });
    // Whoever asks for words gets words: a lesson, a draft and a judgement have forms of their own.
    let asked = [Expects::Call, Expects::Words, Expects::CallOrAnswer, Expects::CallOrAnswer];
    for expects in asked {
        let request = Request { expects, ..request() };
        model.ask(&request, &tokio_util::sync::CancellationToken::new()).await.unwrap();
    }
    let look = json!({
        "type": "object",
        "properties": {
            "tool": {"const": "look"},
            "args": {"type": "object", "properties": {"at": {"type": "string"}}},
        },
        "required": ["tool", "args"],
        "additionalProperties": false,
    });
    let answer = json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": false,
    });
    let format = |replies: Value| {
        let schema = json!({"name": "reply", "schema": {"anyOf": replies}});
        json!({"type": "json_schema", "json_schema": schema})
    };
    let sent: Vec<Value> =
        server.asked().iter().map(|asked| asked.body["response_format"].clone()).collect();
    let (call, both) = (format(json!([look])), format(json!([look, answer])));
    assert_eq!(sent, [call, Value::Null, both, Value::Null, Value::Null]);
}
