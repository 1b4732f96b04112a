//! Anthropic's messages API.

use std::sync::atomic::{AtomicBool, Ordering};

use hone_net::Answer;
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{
    Backend, Calling, Endpoint, Fault, Progress, Refusal, call_as_text, callable, decimal,
    not_understood, turns, usage, with_calls,
};
use super::{Reply, Request, Role};

/// The version of the API that is spoken.
pub(super) const VERSION: &str = "2023-06-01";

/// Most blocks of one reply.
const MAX_BLOCKS: usize = 1_000;

/// A server of the messages API.
#[derive(Debug)]
pub(super) struct Anthropic {
    pub(super) endpoint: Endpoint,
    pub(super) model: String,
    pub(super) has_native_tools: bool,
    pub(super) streams: bool,
    /// The model was found to take no temperature, as the newer ones do.
    pub(super) no_temperature: AtomicBool,
}

impl Backend for Anthropic {
    fn backend(&self) -> &'static str {
        "anthropic"
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
                match self.endpoint.post(self.body(request).to_string()).await {
                    Ok(answer) => break answer,
                    Err(refusal) if self.learns(&refusal) => {}
                    Err(refusal) => return Err(refusal.fault),
                }
            };
            let said = if self.streams {
                self.read_stream(answer).await?
            } else {
                let message: Message = self.endpoint.read_json(answer).await?;
                Said::from(message)
            };
            let (texts, calls): (Vec<_>, Vec<_>) =
                said.blocks.into_iter().partition(|block| block.call.is_none());
            let text = texts.into_iter().map(|block| block.text).collect();
            let calls = calls
                .into_iter()
                .filter_map(|block| block.call.map(|name| call_as_text(&name, &block.text)));
            let text = with_calls(text, calls);
            Ok(Reply {
                usage: usage(said.counted.map(Counted::sums), request, &text),
                model: said.model.unwrap_or_else(|| self.model.clone()),
                is_cut: said.stop.as_deref() == Some("max_tokens"),
                text,
            })
        })
    }
}

impl Anthropic {
    /// Learns from a refusal; whether it makes sense to ask again.
    fn learns(&self, refusal: &Refusal) -> bool {
        // The API names a parameter in words only.
        refusal.status == 400
            && refusal.fault.why.contains("temperature")
            && !self.no_temperature.swap(true, Ordering::Relaxed)
    }

    fn body(&self, request: &Request) -> Value {
        let (system, messages): (Vec<_>, Vec<_>) =
            turns(&request.messages).into_iter().partition(|turn| turn.role == Role::System);
        let mut body = json!({
            "model": self.model,
            "max_tokens": request.max_tokens,
            "messages": messages,
        });
        if !self.no_temperature.load(Ordering::Relaxed) {
            // The API takes 0 to 1.
            body["temperature"] = decimal(request.temperature.clamp(0.0, 1.0)).into();
        }
        if !system.is_empty() {
            let system: Vec<&str> = system.iter().map(|turn| turn.content.as_str()).collect();
            body["system"] = system.join("\n\n").into();
        }
        if self.streams {
            body["stream"] = true.into();
        }
        if self.has_native_tools && !request.tools.is_empty() {
            let tools = callable(&request.tools).map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": tool.schema,
                })
            });
            body["tools"] = tools.collect();
        }
        body
    }

    async fn read_stream(&self, answer: Answer) -> Result<Said, Fault> {
        let mut said = Said::default();
        let end = self
            .endpoint
            .read_events(answer, |data| {
                let event = serde_json::from_str(data).map_err(|error| not_understood(&error))?;
                self.take(event, &mut said)
            })
            .await?;
        if end == Progress::Open && said.stop.is_none() {
            return Err(Fault::passing("its stream ended in the middle of the reply"));
        }
        Ok(said)
    }

    fn take(&self, event: Event, said: &mut Said) -> Result<Progress, Fault> {
        match event {
            Event::MessageStart { message } => *said = Said::from(message),
            Event::ContentBlockStart { index, content_block } => {
                said.block(index)?.start(content_block);
            }
            Event::ContentBlockDelta { index, delta } => {
                let piece = delta.text.or(delta.partial_json).unwrap_or_default();
                said.block(index)?.text.push_str(&piece);
            }
            Event::MessageDelta { delta, usage } => {
                said.stop = said.stop.take().or(delta.stop_reason);
                if let (Some(counted), Some(last)) = (&mut said.counted, usage) {
                    counted.output = last.output;
                }
            }
            Event::MessageStop => return Ok(Progress::Complete),
            Event::Error { error } => {
                return Err(Fault::passing(self.endpoint.shown(&error.message)));
            }
            Event::Other => {}
        }
        Ok(Progress::Open)
    }
}

/// What has been said so far.
#[derive(Debug, Default)]
struct Said {
    blocks: Vec<Block>,
    model: Option<String>,
    stop: Option<String>,
    counted: Option<Counted>,
}

/// A piece of text, or a call and the text of its arguments.
#[derive(Debug, Default)]
struct Block {
    call: Option<String>,
    text: String,
}

impl Block {
    fn start(&mut self, content: Content) {
        match content {
            Content::Text { text } => self.text = text,
            // In a stream the arguments come after, and what stands here is empty.
            Content::ToolUse { name, input } => {
                self.call = Some(name);
                let has_any = input.as_object().is_some_and(|input| !input.is_empty());
                self.text = if has_any { input.to_string() } else { String::new() };
            }
            Content::Other => {}
        }
    }
}

impl Said {
    fn block(&mut self, index: usize) -> Result<&mut Block, Fault> {
        if index >= MAX_BLOCKS {
            return Err(Fault::lasting(format!("its reply has more than {MAX_BLOCKS} blocks")));
        }
        if self.blocks.len() <= index {
            self.blocks.resize_with(index + 1, Block::default);
        }
        Ok(&mut self.blocks[index])
    }
}

impl From<Message> for Said {
    fn from(message: Message) -> Self {
        let blocks = message.content.into_iter().map(|content| {
            let mut block = Block::default();
            block.start(content);
            block
        });
        Self {
            blocks: blocks.collect(),
            model: message.model,
            stop: message.stop_reason,
            counted: message.usage,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: usize,
        content_block: Content,
    },
    ContentBlockDelta {
        index: usize,
        delta: Delta,
    },
    MessageDelta {
        delta: Ending,
        usage: Option<Counted>,
    },
    MessageStop,
    Error {
        error: Problem,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Message {
    model: Option<String>,
    content: Vec<Content>,
    stop_reason: Option<String>,
    usage: Option<Counted>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content {
    Text {
        #[serde(default)]
        text: String,
    },
    ToolUse {
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Ending {
    stop_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Problem {
    #[serde(default)]
    message: String,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Counted {
    #[serde(rename = "input_tokens")]
    input: u64,
    #[serde(rename = "cache_creation_input_tokens")]
    cached: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    from_cache: Option<u64>,
    #[serde(rename = "output_tokens")]
    output: u64,
}

impl Counted {
    fn sums(self) -> (u64, u64) {
        let cached = self.cached.unwrap_or_default() + self.from_cache.unwrap_or_default();
        (self.input + cached, self.output)
    }
}
