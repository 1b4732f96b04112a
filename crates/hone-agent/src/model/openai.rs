//! The chat API that OpenAI made and that Ollama, llama.cpp, LM Studio, vLLM and the routers speak.
//!
//! Servers differ in what they take. A parameter that one refuses by name is left out, or sent under its
//! newer name, from then on; a server that answers a streaming request with a whole answer is understood
//! all the same.

use std::sync::atomic::{AtomicBool, Ordering};

use hone_net::Answer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::form::ReplyForm;
use super::http::{
    Backend, Calling, Endpoint, Fault, Progress, Refusal, call_as_text, callable, decimal,
    not_understood, reason, turns, usage, with_calls,
};
use super::{Reply, Request};

/// A server of the chat API.
#[derive(Debug)]
pub(super) struct OpenAi {
    pub(super) endpoint: Endpoint,
    pub(super) model: String,
    pub(super) has_native_tools: bool,
    pub(super) streams: bool,
    pub(super) constrains: bool,
    pub(super) dialect: Dialect,
}

/// What the server was found not to take.
#[derive(Debug, Default)]
pub(super) struct Dialect {
    no_temperature: AtomicBool,
    no_stream_options: AtomicBool,
    new_max_tokens: AtomicBool,
    no_constraint: AtomicBool,
}

impl Dialect {
    /// Learns from a refusal; whether it makes sense to ask again.
    fn learns(&self, refusal: &Refusal) -> bool {
        let word = |path: &str| refusal.body.pointer(path).and_then(Value::as_str).unwrap_or("");
        let names_parameter =
            matches!(word("/error/code"), "unsupported_parameter" | "unsupported_value");
        let flag = match word("/error/param") {
            _ if !matches!(refusal.status, 400 | 422) => return false,
            "temperature" if names_parameter => &self.no_temperature,
            "stream_options" if names_parameter => &self.no_stream_options,
            "max_tokens" if names_parameter => &self.new_max_tokens,
            // Servers have many words for a grammar that they cannot make.
            _ if ["schema", "response_format", "grammar"]
                .iter()
                .any(|hint| refusal.fault.why.to_lowercase().contains(hint)) =>
            {
                &self.no_constraint
            }
            _ => return false,
        };
        !flag.swap(true, Ordering::Relaxed)
    }
}

impl Backend for OpenAi {
    fn backend(&self) -> &'static str {
        "openai"
    }

    fn name(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn call<'a>(&'a self, request: &'a Request) -> Calling<'a> {
        Box::pin(async move {
            let answer = loop {
                let body = self.body(request).map_err(|error| not_understood(&error))?;
                match self.endpoint.post(body).await {
                    Ok(answer) => break answer,
                    Err(refusal) if self.dialect.learns(&refusal) => {}
                    Err(refusal) => return Err(refusal.fault),
                }
            };
            let is_stream = answer
                .header("content-type")
                .is_some_and(|kind| kind.starts_with("text/event-stream"));
            let said =
                if is_stream { self.read_stream(answer).await? } else { self.read(answer).await? };
            let calls = said.calls.iter().filter(|call| !call.name.is_empty());
            let text =
                with_calls(said.text, calls.map(|call| call_as_text(&call.name, &call.arguments)));
            Ok(Reply {
                usage: usage(said.counted, request, &text),
                model: said.model.unwrap_or_else(|| self.model.clone()),
                is_cut: said.finish.as_deref() == Some("length"),
                text,
            })
        })
    }
}

impl OpenAi {
    fn body(&self, request: &Request) -> serde_json::Result<String> {
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let mut body = json!({
            "model": self.model,
            "messages": turns(&request.messages),
        });
        if !is(&self.dialect.no_temperature) {
            body["temperature"] = decimal(request.temperature).into();
        }
        let max_tokens =
            if is(&self.dialect.new_max_tokens) { "max_completion_tokens" } else { "max_tokens" };
        body[max_tokens] = request.max_tokens.into();
        if self.streams {
            body["stream"] = true.into();
            if !is(&self.dialect.no_stream_options) {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        if self.has_native_tools && !request.tools.is_empty() {
            let tools = callable(&request.tools).map(|tool| {
                let function = json!({
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                });
                json!({"type": "function", "function": function})
            });
            body["tools"] = tools.collect();
        }
        let is_constrained = self.constrains && !is(&self.dialect.no_constraint);
        serde_json::to_string(&Body {
            plain: body,
            response_format: is_constrained.then(|| Format::of_reply(request)).flatten(),
        })
    }

    async fn read_stream(&self, answer: Answer) -> Result<Said, Fault> {
        let mut said = Said::default();
        let end = self
            .endpoint
            .read_events(answer, |data| {
                if data == "[DONE]" {
                    return Ok(Progress::Complete);
                }
                let chunk: Chunk =
                    serde_json::from_str(data).map_err(|error| not_understood(&error))?;
                self.take(chunk, &mut said)?;
                Ok(Progress::Open)
            })
            .await?;
        if end == Progress::Open && said.finish.is_none() {
            return Err(Fault::passing("its stream ended in the middle of the reply"));
        }
        Ok(said)
    }

    async fn read(&self, answer: Answer) -> Result<Said, Fault> {
        let mut said = Said::default();
        let chunk: Chunk = self.endpoint.read_json(answer).await?;
        let is_empty = chunk.choices.is_empty();
        self.take(chunk, &mut said)?;
        if is_empty {
            return Err(Fault::passing("its answer has no choice in it"));
        }
        Ok(said)
    }

    fn take(&self, chunk: Chunk, said: &mut Said) -> Result<(), Fault> {
        if !chunk.error.is_null() {
            let why = reason(&json!({"error": chunk.error})).unwrap_or("an error").to_owned();
            return Err(Fault::passing(self.endpoint.shown(&why)));
        }
        said.model = said.model.take().or(chunk.model);
        if let Some(counted) = chunk.usage {
            said.counted = Some((counted.prompt_tokens, counted.completion_tokens));
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(()) };
        said.finish = said.finish.take().or(choice.finish_reason);
        let Some(message) = choice.delta.or(choice.message) else { return Ok(()) };
        match message.content {
            Some(Content::Text(text)) => said.text.push_str(&text),
            Some(Content::Parts(parts)) => parts.iter().for_each(|p| said.text.push_str(&p.text)),
            None => {}
        }
        for (position, call) in message.tool_calls.unwrap_or_default().into_iter().enumerate() {
            let index = call.index.unwrap_or(position);
            if index >= MAX_CALLS {
                return Err(Fault::lasting(format!("it made more than {MAX_CALLS} calls at once")));
            }
            if said.calls.len() <= index {
                said.calls.resize_with(index + 1, Function::default);
            }
            said.calls[index].name.push_str(&call.function.name);
            said.calls[index].arguments.push_str(&call.function.arguments);
        }
        Ok(())
    }
}

/// A request; the form is written as it stands, see [`ReplyForm`].
#[derive(Serialize)]
struct Body<'a> {
    #[serde(flatten)]
    plain: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    json_schema: Named<'a>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'static str,
    schema: ReplyForm<'a>,
}

impl<'a> Format<'a> {
    fn of_reply(request: &'a Request) -> Option<Self> {
        let schema = ReplyForm::of(request)?;
        Some(Self { r#type: "json_schema", json_schema: Named { name: "reply", schema } })
    }
}

/// Most native calls in one reply.
const MAX_CALLS: usize = 64;

/// What has been said so far.
#[derive(Debug, Default)]
struct Said {
    text: String,
    calls: Vec<Function>,
    model: Option<String>,
    finish: Option<String>,
    counted: Option<(u64, u64)>,
}

/// A whole answer, or a piece of one.
#[derive(Debug, Deserialize)]
struct Chunk {
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Part>,
    usage: Option<Counted>,
    #[serde(default)]
    error: Value,
}

#[derive(Debug, Deserialize)]
struct Part {
    delta: Option<Words>,
    message: Option<Words>,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Words {
    content: Option<Content>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<TextPart>),
}

#[derive(Debug, Deserialize)]
struct TextPart {
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
struct Call {
    index: Option<usize>,
    #[serde(default)]
    function: Function,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function {
    name: String,
    arguments: String,
}

#[derive(Debug, Deserialize)]
struct Counted {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}
