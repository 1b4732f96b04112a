//! Servers that are busy, broken, slow, or say something else; keys that must not show.

use std::time::{Duration, Instant};

use hone_agent::model::{Choice, ModelError, Wire};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::server::{KEY, Scripted, Server, ask, chat, model, reply, request};

const BOTH: [Wire; 2] = [Wire::OpenAi, Wire::Anthropic];

fn good(wire: Wire) -> Scripted {
    match wire {
        Wire::OpenAi => chat("good"),
        Wire::Gguf => unreachable!("no server speaks it"),
        Wire::Anthropic => Scripted::json(
            200,
            &json!({
                "model": "small-1",
                "content": [{"type": "text", "text": "good"}],
                "usage": {"input_tokens": 7, "output_tokens": 3},
            }),
        ),
    }
}

#[tokio::test]
async fn l15_too_many_requests_and_faults_of_the_server_are_tried_again() {
    for wire in BOTH {
        let server = Server::start([
            Scripted::new(429, "text/plain", "slow down").with("retry-after", "0"),
            Scripted::new(500, "text/html", "<h1>oops</h1>"),
            Scripted::new(529, "text/plain", ""),
            good(wire),
        ])
        .await;
        assert_eq!(ask(&server.choice(wire)).await.unwrap(), reply("good", 7, 3));
        let asked = server.asked();
        assert_eq!(asked.len(), 4);
        assert!(asked.windows(2).all(|pair| pair[0].body == pair[1].body));
    }
}

#[tokio::test]
async fn a_server_that_stays_broken_is_given_up_after_the_last_retry() {
    let server =
        Server::start((0..9).map(|_| Scripted::json(500, &json!({"error": "out of memory"}))))
            .await;
    assert_eq!(
        ask(&server.choice(Wire::OpenAi)).await.unwrap_err(),
        ModelError::Failed {
            backend: "openai".to_owned(),
            why: "status 500: out of memory (after 4 calls)".to_owned(),
        }
    );
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn a_wait_as_long_as_the_cap_is_waited_and_a_longer_one_is_told() {
    let server =
        Server::start([Scripted::new(429, "text/plain", "later").with("retry-after", "61")]).await;
    assert_eq!(
        ask(&server.choice(Wire::OpenAi)).await.unwrap_err().to_string(),
        "openai failed: status 429: later; it asks to wait 61 s"
    );
    assert_eq!(server.asked().len(), 1);
    // At the cap it is waited: nothing is asked again before, and stopping ends the wait at once.
    let server =
        Server::start([Scripted::new(429, "text/plain", "later").with("retry-after", "60")]).await;
    let model = model(&server.choice(Wire::OpenAi));
    let cancelled = CancellationToken::new();
    let request = request();
    let asking = model.ask(&request, &cancelled);
    let stopping = async {
        until(|| server.asked().len() == 1).await;
        cancelled.cancel();
    };
    let begun = Instant::now();
    let (result, ()) = tokio::join!(asking, stopping);
    assert_eq!(result, Err(ModelError::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_request_that_is_wrong_is_not_sent_twice() {
    let error = json!({"error": {"message": "model `small` not found, try pulling it first"}});
    let server = Server::start([Scripted::json(404, &error)]).await;
    assert_eq!(
        ask(&server.choice(Wire::OpenAi)).await.unwrap_err(),
        ModelError::Refused {
            backend: "openai".to_owned(),
            why: "status 404: model `small` not found, try pulling it first".to_owned(),
        }
    );
    let spent = json!({"error": {"message": "no money", "code": "insufficient_quota"}});
    let server = Server::start([Scripted::json(429, &spent)]).await;
    assert_eq!(
        ask(&server.choice(Wire::OpenAi)).await.unwrap_err().to_string(),
        "openai refused: status 429: no money"
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_key_that_the_server_echoes_is_not_shown() {
    for wire in BOTH {
        let error = json!({"error": {"message": format!("Incorrect API key provided: {KEY}.")}});
        let server = Server::start([Scripted::json(401, &error)]).await;
        let error = ask(&server.choice(wire)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{} refused: it does not take the key (401): Incorrect API key provided: [redacted].",
                wire.id()
            )
        );
        assert!(!format!("{error:?}").contains(KEY));
    }
}

#[tokio::test]
async fn words_of_a_server_are_bounded_and_on_one_line() {
    let words = format!("a\n\u{1b}[31m{}", "x".repeat(100_000));
    let server = Server::start([Scripted::new(400, "text/plain", words)]).await;
    let message = ask(&server.choice(Wire::OpenAi)).await.unwrap_err().to_string();
    assert!(message.len() < 500 && message.ends_with('…'), "{message}");
    assert!(!message.contains(['\n', '\u{1b}']), "{message}");
}

#[tokio::test]
async fn a_stream_that_breaks_is_asked_for_again_from_the_start() {
    let half = json!({"choices": [{"delta": {"content": "ha"}}]});
    let all = json!({"model": "small-1", "choices": [{"delta": {"content": "whole"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
    let server = Server::start([
        Scripted::events(std::slice::from_ref(&half)).cut(),
        Scripted::events(&[half]),
        Scripted::events(&[]).then_text("data: {\"choi").cut(),
        Scripted::events(&[all]),
    ])
    .await;
    let choice = Choice { streams: true, ..server.choice(Wire::OpenAi) };
    assert_eq!(ask(&choice).await.unwrap(), reply("whole", 7, 3));
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn what_is_not_the_api_is_tried_again_and_then_told() {
    for (wire, body) in [
        (Wire::OpenAi, "<html>welcome</html>"),
        (Wire::OpenAi, "{\"choices\": \"none\"}"),
        (Wire::OpenAi, "{\"choices\": []}"),
        (Wire::OpenAi, "{\"choices\": [{\"message\": {\"content\": 7}}]}"),
        (Wire::OpenAi, ""),
        (Wire::Anthropic, "{\"content\": \"text\"}"),
        (Wire::Anthropic, "[1, 2"),
    ] {
        let server = Server::start((0..4).map(|_| Scripted::new(200, "text/html", body))).await;
        let error = ask(&server.choice(wire)).await.unwrap_err();
        let ModelError::Failed { why, .. } = &error else { panic!("{error}") };
        assert!(why.ends_with("(after 4 calls)"), "{why}");
    }
}

#[tokio::test]
async fn a_huge_answer_is_stopped() {
    let server = Server::start([
        Scripted::new(200, "text/event-stream", "data: ".repeat(1_000_000)),
        Scripted::new(200, "application/json", vec![b' '; 64_000_001]),
    ])
    .await;
    let choice = Choice { streams: true, ..server.choice(Wire::OpenAi) };
    for why in ["it sent a line without end", "is larger than 64000000 bytes; refused"] {
        let error = ask(&choice).await.unwrap_err();
        assert!(matches!(error, ModelError::Refused { .. }), "{error}");
        assert!(error.to_string().ends_with(why), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_in_time_and_not_asked_again() {
    for (streams, start) in [(false, ""), (true, "data: {\"choices\": []}\n\n")] {
        let server =
            Server::start([Scripted::new(200, "text/event-stream", start).hanging()]).await;
        let choice =
            Choice { streams, timeout: Duration::from_millis(300), ..server.choice(Wire::OpenAi) };
        assert_eq!(
            ask(&choice).await.unwrap_err(),
            ModelError::OutOfTime { backend: "openai".to_owned(), seconds: 1 }
        );
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn stopping_ends_a_call_at_once() {
    let server = Server::start([Scripted::new(200, "text/event-stream", "").hanging()]).await;
    let model = model(&server.choice(Wire::OpenAi));
    let cancelled = CancellationToken::new();
    let request = request();
    let asking = model.ask(&request, &cancelled);
    let stopping = async {
        until(|| server.asked().len() == 1).await;
        cancelled.cancel();
    };
    let begun = Instant::now();
    let (result, ()) = tokio::join!(asking, stopping);
    assert_eq!(result, Err(ModelError::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn nobody_there_is_tried_again_and_told() {
    let server = Server::start([]).await;
    let mut choice = server.choice(Wire::OpenAi);
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    choice.base_url.set_port(Some(free)).unwrap();
    let error = ask(&choice).await.unwrap_err().to_string();
    assert!(error.starts_with("openai failed: cannot connect to"), "{error}");
    assert!(error.ends_with("(after 4 calls)"), "{error}");
}

#[tokio::test]
async fn a_key_does_not_follow_a_redirect() {
    let other = Server::start([chat("stolen")]).await;
    let to = other.base("/v1/chat/completions").to_string();
    let server = Server::start([Scripted::new(307, "text/plain", "").with("location", &to)]).await;
    let error = ask(&server.choice(Wire::OpenAi)).await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { .. }), "{error}");
    assert_eq!(other.asked().len(), 0);
}

/// Waits until something holds.
async fn until(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "it never came to hold");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
