//! The model behind an agent: one trait, typed requests and replies.
//!
//! [`find`](find::find) says which model to ask and why, [`connect`] makes it: the chat API that
//! OpenAI made and everybody speaks, or Anthropic's messages, with bounded retries, or, with the feature
//! `local-model`, a file that runs inside this process. A [`recording`] replays what a model said before; a [`Budget`] bounds what a task may use up. Keys are [`Secret`]s:
//! they go to the configured origin in a header, and nowhere else.
//!
//! [`Secret`]: hone_router::Secret

mod anthropic;
mod budget;
mod connect;
mod discreet;
pub mod find;
mod form;
#[cfg(feature = "local-model")]
mod gguf;
mod http;
mod openai;
pub mod recording;
mod retry;
mod sse;

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::tools::Tool;

pub use budget::{Budget, NoPrice, Prices, Spent};
pub use connect::{Choice, Wire, client, connect};
pub(crate) use discreet::Discreet;
#[cfg(feature = "local-model")]
pub use gguf::MAX_CONTEXT_TOKENS;
pub use http::MIN_CONCEALED_BYTES;
pub use retry::{Jitter, MAX_RETRY_AFTER, Retries, system_jitter};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The frame of the task.
    System,
    /// The person, or a result of a tool.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The conversation so far; the first is the system message.
    pub messages: Vec<Message>,
    /// How freely to choose words.
    pub temperature: f32,
    /// Tokens of the reply at most.
    pub max_tokens: u32,
    /// The tools, for a backend with native function calling; the others have them in the system
    /// message and leave these alone.
    pub tools: Arc<[ToolSpec]>,
    /// What the reply has to be.
    pub expects: Expects,
}

/// What a reply has to be: a backend may hold the model to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expects {
    /// Words, in whatever form the messages ask for.
    Words,
    /// A call of a tool: an answer would not be taken yet, because nothing was looked at.
    Call,
    /// A call or an answer.
    CallOrAnswer,
}

/// A tool as native function calling has it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

impl From<&dyn Tool> for ToolSpec {
    fn from(tool: &dyn Tool) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema().clone(),
        }
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text, byte for byte; may be empty.
    pub text: String,
    /// The model as the backend named it.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
    /// Whether the reply was cut at the limit of tokens.
    pub is_cut: bool,
}

/// Tokens of a request and its reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that went in.
    pub input: u64,
    /// Tokens that came out.
    pub output: u64,
    /// Whether the backend did not count and these are our estimates.
    pub is_estimate: bool,
}

impl Usage {
    /// Counts more tokens.
    pub fn add(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.is_estimate |= more.is_estimate;
    }
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The caller stopped it.
    #[error("cancelled")]
    Cancelled,
    /// The backend did not answer in time.
    #[error("{backend} did not answer within {seconds} s")]
    OutOfTime {
        /// The backend.
        backend: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The backend refused, and would refuse again.
    #[error("{backend} refused: {why}")]
    Refused {
        /// The backend.
        backend: String,
        /// Why, in its words, bounded and without secrets.
        why: String,
    },
    /// The backend failed, also after retries.
    #[error("{backend} failed: {why}")]
    Failed {
        /// The backend.
        backend: String,
        /// Why.
        why: String,
    },
}

/// A reply that is on its way.
pub type Pending<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// The backend's name: `openai`, `anthropic`, `recording`.
    fn backend(&self) -> &str;
    /// The model's name as configured.
    fn name(&self) -> &str;
    /// Asks for one reply. Retries are inside; cancelling ends them too.
    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a>;
    /// A text without the key that this model is asked with, and without any value that its task must keep
    /// to itself, wherever one stands in it letter by letter.
    fn conceal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}
