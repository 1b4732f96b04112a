//! Anthropic's messages: exact requests, whole and streamed replies.

use hone_agent::model::{Choice, Reply, Wire};
use serde_json::{Value, json};

use crate::server::{KEY, Scripted, Server, ask, model, reply, request};

fn body() -> Value {
    json!({
        "model": "small",
        "system": "be brief",
        "max_tokens": 50,
        "temperature": 0.1,
        "messages": [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two"},
            {"role": "user", "content": "three\n\nfour"},
        ],
    })
}

fn whole(content: &Value, stop: &str) -> Scripted {
    Scripted::json(
        200,
        &json!({
            "type": "message",
            "model": "small-1",
            "content": content,
            "stop_reason": stop,
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 3, "output_tokens": 2},
        }),
    )
}

#[tokio::test]
async fn a_whole_reply_and_the_exact_request_for_it() {
    let server =
        Server::start([whole(&json!([{"type": "text", "text": "hi"}]), "max_tokens")]).await;
    let got = ask(&server.choice(Wire::Anthropic)).await.unwrap();
    assert_eq!(got, Reply { is_cut: true, ..reply("hi", 7, 2) });
    let asked = server.asked().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/messages"));
    assert_eq!(asked.headers["x-api-key"], KEY);
    assert_eq!(asked.headers["anthropic-version"], "2023-06-01");
    assert!(!asked.headers.contains_key("authorization"));
    assert_eq!(asked.body, body());
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_is_asked_without_from_then_on() {
    let error = |message: &str| {
        let error = json!({"type": "invalid_request_error", "message": message});
        Scripted::json(400, &json!({"type": "error", "error": error}))
    };
    let hi = || whole(&json!([{"type": "text", "text": "hi"}]), "end_turn");
    let refusal = "`temperature` may only be set to 1 for this model";
    let server = Server::start([error(refusal), hi(), hi(), error(refusal)]).await;
    let model = model(&server.choice(Wire::Anthropic));
    let ask = async || model.ask(&request(), &tokio_util::sync::CancellationToken::new()).await;
    for _ in 0..2 {
        assert_eq!(ask().await.unwrap().text, "hi");
    }
    let mut expected = body();
    expected.as_object_mut().unwrap().remove("temperature");
    let asked = server.asked();
    assert_eq!((asked.len(), &asked[0].body), (3, &body()));
    assert_eq!((&asked[1].body, &asked[2].body), (&expected, &expected));
    // One that refuses all the same is not asked for ever.
    assert!(ask().await.unwrap_err().to_string().contains(refusal));
}

#[tokio::test]
async fn a_streamed_reply_is_put_together() {
    let usage = json!({"input_tokens": 7, "output_tokens": 1});
    let start = json!({"type": "message", "model": "small-1", "content": [], "usage": usage});
    let server = Server::start([Scripted::events(&[
        json!({"type": "message_start", "message": start}),
        json!({"type": "ping"}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hel"}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ])])
    .await;
    let choice = Choice { streams: true, ..server.choice(Wire::Anthropic) };
    assert_eq!(ask(&choice).await.unwrap(), reply("Hello", 7, 9));
    let mut expected = body();
    expected["stream"] = true.into();
    assert_eq!(server.asked()[0].body, expected);
}

#[tokio::test]
async fn native_calls_come_back_as_text_whole_and_streamed() {
    let expected = "see\n{\"tool\": \"look\", \"args\": {\"at\":\"map\"}}";
    let tool = json!({"type": "tool_use", "id": "1", "name": "look", "input": {"at": "map"}});
    let server = Server::start([
        whole(&json!([{"type": "text", "text": "see"}, tool]), "tool_use"),
        Scripted::events(&[
            json!({"type": "message_start", "message": {"content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "see"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "1", "name": "look", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"at\":"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"map\"}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ]),
    ])
    .await;
    for streams in [false, true] {
        let choice = Choice { has_native_tools: true, streams, ..server.choice(Wire::Anthropic) };
        assert_eq!(ask(&choice).await.unwrap().text, expected);
    }
    assert_eq!(
        server.asked()[0].body["tools"],
        json!([{
            "name": "look",
            "description": "Looks.",
            "input_schema": {"type": "object", "properties": {"at": {"type": "string"}}},
        }])
    );
}

#[tokio::test]
async fn an_error_inside_a_stream_is_tried_again() {
    let error =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let busy = || Scripted::events(std::slice::from_ref(&error));
    let server = Server::start([busy(), busy(), busy(), busy()]).await;
    let choice = Choice { streams: true, ..server.choice(Wire::Anthropic) };
    assert_eq!(
        ask(&choice).await.unwrap_err().to_string(),
        "anthropic failed: Overloaded (after 4 calls)"
    );
    assert_eq!(server.asked().len(), 4);
}
