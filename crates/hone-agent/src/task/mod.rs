//! One task: a fresh conversation, at most so many turns, a typed end.
//!
//! The loop knows nothing of brains. It is given texts, tools, a model, limits, a clock and a way to
//! stop; it gives back how the task ended, every step, the whole conversation and what it cost. Storing
//! all that is for the caller. A failed backend, a failed tool or a cancelled task lose no step.

mod end;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::canonical::{canonical, sha256};
use crate::event::Event;
use crate::model::{Expects, Message, Model, ModelError, Request, Role, ToolSpec, Usage};
use crate::prompt::{self, Frame};
use crate::reply::{self, Call, MAX_REPLY_BYTES, Said};
use crate::step::{Outcome, Reply, Step, ToolStep, What};
use crate::tools::{Class, Lookup, Tool, ToolResult, Tools, schema};

pub use end::{Cost, End, Failure, Finished, Limit, Tried};

/// Turns of a task, unless somebody says otherwise.
pub const DEFAULT_TURNS: usize = 8;

/// Most turns that a task may have.
pub const MAX_TURNS: usize = 64;

/// How long a call of a tool may take, unless it has a time of its own.
pub const DEFAULT_TOOL_TIME: Duration = Duration::from_secs(30);

/// How long a tool that was told to stop may take to finish what it began.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// Most characters of a result that the model gets.
pub const DEFAULT_RESULT_CHARS: usize = 24_000;

/// Most tokens of a reply.
pub const DEFAULT_REPLY_TOKENS: u32 = 4_096;

/// Longest role, memory, index and input, each, in characters.
pub const MAX_PART_CHARS: usize = 200_000;

/// The same call this many times is not carried out.
pub const REPEATS_REFUSED: usize = 3;

/// The same call this many times ends the task.
pub const REPEATS_ENDED: usize = 5;

/// How much a task may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Turns; at least 1 and at most [`MAX_TURNS`] count.
    pub turns: usize,
    /// Time of a call of a tool that has none of its own.
    pub tool_time: Duration,
    /// Time for a tool to stop in.
    pub grace: Duration,
    /// Characters of a result that the model gets.
    pub result_chars: usize,
    /// Tokens of a reply.
    pub reply_tokens: u32,
    /// How freely the model chooses words.
    pub temperature: f32,
    /// Whether answers need evidence.
    pub guard: Guard,
}

/// Whether a final answer needs evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// While there are tools that give evidence, one must have succeeded before.
    Evidence,
    /// Any answer is taken.
    Off,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: DEFAULT_TURNS,
            tool_time: DEFAULT_TOOL_TIME,
            grace: DEFAULT_GRACE,
            result_chars: DEFAULT_RESULT_CHARS,
            reply_tokens: DEFAULT_REPLY_TOKENS,
            temperature: 0.1,
            guard: Guard::Evidence,
        }
    }
}

/// What a task, and the agents that it asks, may use up together.
pub trait Allowance: Send + Sync {
    /// Why no further request may be sent; nothing when one may.
    fn exhausted(&self) -> Option<String>;
    /// Takes what a reply of a model cost.
    fn spend(&self, model: &str, usage: Usage);
}

/// A task and all that it needs.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Its id, which is part of every step's.
    pub id: &'a str,
    /// Role, memory and index.
    pub frame: Frame<'a>,
    /// The names of the skills in the index.
    pub skills: &'a [String],
    /// What was said before in the same chat; empty for a task on its own.
    pub earlier: &'a [Message],
    /// What is to be done.
    pub input: &'a str,
    /// The tools.
    pub tools: &'a Tools,
    /// The model.
    pub model: &'a dyn Model,
    /// How much it may take.
    pub limits: Limits,
    /// How much it may cost.
    pub allowance: Option<&'a dyn Allowance>,
    /// Now, in milliseconds since 1970.
    pub now: &'a (dyn Fn() -> i64 + Send + Sync),
    /// Stops it.
    pub cancelled: &'a CancellationToken,
    /// Hears what happens.
    pub tell: &'a (dyn Fn(&Event<'_>) + Send + Sync),
}

impl Task<'_> {
    fn turns(&self) -> usize {
        self.limits.turns.clamp(1, MAX_TURNS)
    }

    fn needs_evidence(&self) -> bool {
        self.limits.guard == Guard::Evidence && self.tools.has_evidence()
    }

    /// Its system message.
    pub fn system(&self) -> String {
        prompt::system(self.frame, self.tools, self.turns(), self.needs_evidence())
    }
}

impl fmt::Debug for Task<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("id", &self.id)
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

/// Runs a task to its end.
pub async fn run(task: &Task<'_>) -> Finished {
    let mut run = Run::new(task);
    let end = match too_long(task) {
        Some(message) => End::Failed { failure: Failure::TooLong, message },
        None => run.turns().await,
    };
    run.finish(end)
}

fn too_long(task: &Task<'_>) -> Option<String> {
    let Frame { role, memory, index } = task.frame;
    let parts = [("role", role), ("memory", memory), ("index", index), ("input", task.input)];
    parts.into_iter().find_map(|(name, text)| {
        let count = text.chars().count();
        (count > MAX_PART_CHARS)
            .then(|| format!("the {name} has {count} characters, {MAX_PART_CHARS} are allowed"))
    })
}

struct Run<'a, 't> {
    task: &'a Task<'t>,
    turns: usize,
    needs_evidence: bool,
    has_evidence: bool,
    started: i64,
    /// The end of the step before.
    latest: i64,
    steps: Vec<Step>,
    conversation: Vec<Message>,
    /// The tools, for a backend that takes them natively.
    specs: Arc<[ToolSpec]>,
    cost: Cost,
    /// How often each call was made since something else changed the world.
    repeats: HashMap<String, usize>,
}

impl<'a, 't> Run<'a, 't> {
    fn new(task: &'a Task<'t>) -> Self {
        let (turns, needs_evidence) = (task.turns(), task.needs_evidence());
        let mut conversation = vec![message(Role::System, task.system())];
        conversation.extend_from_slice(task.earlier);
        conversation.push(message(Role::User, task.input.to_owned()));
        let started = (task.now)();
        let mut run = Self {
            task,
            turns,
            needs_evidence,
            has_evidence: false,
            started,
            latest: started,
            steps: Vec::new(),
            conversation,
            specs: task.tools.allowed().map(ToolSpec::from).collect(),
            cost: Cost::default(),
            repeats: HashMap::new(),
        };
        run.tell(&Event::Started {
            task: task.id,
            backend: task.model.backend(),
            model: task.model.name(),
            turns,
            tools: task.tools.allowed().map(Tool::name).collect(),
        });
        if !task.skills.is_empty() {
            let begun = run.now();
            run.push(begun, What::Skills { names: task.skills.to_vec() });
        }
        run
    }

    fn tell(&self, event: &Event<'_>) {
        (self.task.tell)(event);
    }

    /// The time, which never goes back.
    fn now(&mut self) -> i64 {
        self.latest = self.latest.max((self.task.now)());
        self.latest
    }

    fn push(&mut self, started: i64, what: What) {
        let id = format!("{}.{}", self.task.id, self.steps.len() + 1);
        let ended = self.now();
        let step = Step { id, started, ended, what };
        self.tell(&Event::Step { step: &step });
        self.steps.push(step);
    }

    fn say(&mut self, mut text: String, turn: usize) {
        if turn + 1 == self.turns {
            text.push_str("\n\nOne reply is left: finish with it.");
        }
        self.conversation.push(message(Role::User, text));
    }

    async fn turns(&mut self) -> End {
        for turn in 1..=self.turns {
            if self.task.cancelled.is_cancelled() {
                return End::Cancelled;
            }
            if let Some(why) = self.task.allowance.and_then(Allowance::exhausted) {
                return End::NotConverged { limit: Limit::Budget { why } };
            }
            if let Some(end) = self.turn(turn).await {
                return end;
            }
        }
        End::NotConverged { limit: Limit::Turns { turns: self.turns } }
    }

    async fn turn(&mut self, turn: usize) -> Option<End> {
        let begun = self.now();
        self.tell(&Event::Asking { turn, of: self.turns });
        let model = self.task.model;
        let request = Request {
            messages: std::mem::take(&mut self.conversation),
            temperature: self.task.limits.temperature,
            max_tokens: self.task.limits.reply_tokens,
            tools: Arc::clone(&self.specs),
            expects: if self.needs_evidence && !self.has_evidence {
                Expects::Call
            } else {
                Expects::CallOrAnswer
            },
        };
        let reply = tokio::select! {
            biased;
            reply = model.ask(&request, self.task.cancelled) => reply,
            () = self.task.cancelled.cancelled() => Err(ModelError::Cancelled),
        };
        self.conversation = request.messages;
        let mut reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                let no_reply = What::NoReply {
                    turn,
                    backend: model.backend().to_owned(),
                    model: model.name().to_owned(),
                    error: error.to_string(),
                };
                self.push(begun, no_reply);
                return Some(failed(&error));
            }
        };
        self.cost.turns += 1;
        self.cost.usage.add(reply.usage);
        if let Some(allowance) = self.task.allowance {
            allowance.spend(&reply.model, reply.usage);
        }
        // A key that a tool gave away, or the model itself, goes no further.
        conceal(model, &mut reply.text);
        let reading = reply::read(&reply.text);
        let refuses = self.needs_evidence && !self.has_evidence;
        let made = match &reading.said {
            Said::Call(_) => Reply::Call,
            Said::Answer(_) if refuses => Reply::RefusedAnswer,
            Said::Answer(_) => Reply::Answer,
            Said::Unreadable(why) => Reply::Unreadable(*why),
        };
        let what = What::Model {
            turn,
            backend: model.backend().to_owned(),
            model: reply.model.clone(),
            usage: reply.usage,
            is_cut: reply.is_cut,
            sha256: sha256(&reply.text),
            text: reply.text.clone(),
            reading: made,
            is_mended: reading.is_mended,
            ignored: reading.ignored,
        };
        self.push(begun, what);
        self.conversation.push(message(Role::Assistant, kept(&reply.text)));
        match reading.said {
            Said::Answer(text) if !refuses => {
                return Some(End::Answered { text: text.to_owned() });
            }
            Said::Answer(_) => self.say(prompt::no_evidence(self.task.tools), turn),
            Said::Unreadable(why) => self.say(prompt::nudge(why, reply.is_cut), turn),
            Said::Call(call) => {
                return self.call(turn, call, reading.ignored, reading.is_mended).await;
            }
        }
        None
    }

    /// Carries out a call and tells the model what came of it.
    async fn call(
        &mut self,
        turn: usize,
        mut call: Call,
        ignored: usize,
        is_mended: bool,
    ) -> Option<End> {
        let begun = self.now();
        // What was escaped in the reply is plain in its arguments.
        conceal_in(self.task.model, &mut call.arguments);
        self.tell(&Event::Calling { turn, tool: &call.tool, arguments: &call.arguments });
        let arguments_sha256 = sha256(&canonical(&call.arguments));
        let key = format!("{} {arguments_sha256}", call.tool);
        let repeats = {
            let count = self.repeats.entry(key.clone()).or_default();
            *count += 1;
            *count
        };
        let (mut result, is_cancelled) = self.result_of(&call, repeats).await;
        conceal(self.task.model, &mut result.text);
        conceal(self.task.model, &mut result.summary);
        if let Lookup::Tool(tool) = self.task.tools.find(&call.tool)
            && result.outcome == Outcome::Ok
        {
            self.has_evidence |= tool.class() == Class::Evidence;
            if tool.changes() {
                self.repeats.retain(|other, _| *other == key);
            }
        }
        self.cost.calls += 1;
        let number = self.steps.len() + 1;
        let most = self.task.limits.result_chars;
        let (mut told, is_cut) =
            prompt::result(&call.tool, number, result.outcome, &result.text, most);
        if ignored > 0 {
            told.push_str("\nOther JSON objects in your reply were ignored: one call a reply.");
        }
        if is_mended {
            told.push_str(
                "\nYour call was not JSON and was mended: use double quotes, no comma at the end.",
            );
        }
        let tool = call.tool.clone();
        let step = ToolStep {
            turn,
            tool: call.tool,
            arguments_sha256,
            arguments: call.arguments,
            outcome: result.outcome,
            summary: result.summary,
            result_sha256: sha256(&result.text),
            text: result.text,
            is_cut,
            effects: result.effects,
        };
        self.push(begun, What::Tool(step));
        self.say(told, turn);
        if is_cancelled {
            return Some(End::Cancelled);
        }
        (repeats >= REPEATS_ENDED).then_some(End::NotConverged { limit: Limit::Repeating { tool } })
    }

    /// What a call gives, and whether the task was cancelled meanwhile.
    async fn result_of(&self, call: &Call, repeats: usize) -> (ToolResult, bool) {
        let refused = |why: String| (ToolResult::refused(why), false);
        let tool = match self.task.tools.find(&call.tool) {
            Lookup::Tool(tool) => tool,
            Lookup::Withheld => {
                return refused(not_callable(&call.tool, "not allowed", self.task.tools));
            }
            Lookup::Unknown => {
                return refused(not_callable(&call.tool, "not there", self.task.tools));
            }
        };
        let problems = schema::problems(tool.schema(), &call.arguments);
        if !problems.is_empty() {
            let problems = problems.join("; ");
            return refused(format!("The arguments of `{}` do not fit: {problems}.", call.tool));
        }
        if repeats >= REPEATS_REFUSED {
            return refused(format!(
                "This very call of `{}` was made {} times already, and nothing has changed since. Its \
                 result is above. Call something else, change the arguments, or answer.",
                call.tool,
                repeats - 1
            ));
        }
        let time = tool.time().unwrap_or(self.task.limits.tool_time);
        let token = self.task.cancelled.child_token();
        let mut work = tool.call(&call.arguments, &token);
        let is_cancelled = tokio::select! {
            biased;
            result = &mut work => return (result, false),
            () = self.task.cancelled.cancelled() => true,
            () = tokio::time::sleep(time) => false,
        };
        token.cancel();
        // What it began may still become whole; then that is what happened.
        let late = tokio::time::timeout(self.task.limits.grace, work).await;
        let late = match late {
            Ok(result) if result.outcome == Outcome::Ok => return (result, is_cancelled),
            Ok(result) => result.effects,
            Err(_) => Vec::new(),
        };
        let result = if is_cancelled {
            ToolResult::failed("The task was cancelled.")
        } else {
            ToolResult::timed_out(format!(
                "`{}` did not finish within {} s and was ended.",
                call.tool,
                time.as_secs_f32()
            ))
        };
        (ToolResult { effects: late, ..result }, is_cancelled)
    }

    fn finish(mut self, end: End) -> Finished {
        let ended = self.now();
        self.cost.milliseconds = u64::try_from(ended - self.started).unwrap_or(0);
        self.tell(&Event::Ended { end: &end, cost: &self.cost });
        Finished {
            id: self.task.id.to_owned(),
            end,
            steps: self.steps,
            conversation: self.conversation,
            cost: self.cost,
        }
    }
}

/// Takes the model's key out of a text.
fn conceal(model: &dyn Model, text: &mut String) {
    if let Cow::Owned(concealed) = model.conceal(text) {
        *text = concealed;
    }
}

/// Takes it out of every text in a value.
fn conceal_in(model: &dyn Model, value: &mut Value) {
    match value {
        Value::String(text) => conceal(model, text),
        Value::Array(items) => items.iter_mut().for_each(|item| conceal_in(model, item)),
        Value::Object(entries) => {
            *entries = std::mem::take(entries)
                .into_iter()
                .map(|(mut key, mut value)| {
                    conceal(model, &mut key);
                    conceal_in(model, &mut value);
                    (key, value)
                })
                .collect();
        }
        // Digits can be one, too.
        Value::Number(number) => {
            if let Cow::Owned(concealed) = model.conceal(&number.to_string()) {
                *value = Value::String(concealed);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn message(role: Role, content: String) -> Message {
    Message { role, content }
}

/// A reply as it stays in the conversation. One of no text, or of far too much, would break the next
/// request.
fn kept(text: &str) -> String {
    if text.trim().is_empty() {
        "(no text)".to_owned()
    } else if text.len() > MAX_REPLY_BYTES {
        prompt::cut(text, DEFAULT_RESULT_CHARS).0
    } else {
        text.to_owned()
    }
}

fn not_callable(tool: &str, why: &str, tools: &Tools) -> String {
    let names: Vec<String> = tools.allowed().map(|tool| format!("`{}`", tool.name())).collect();
    let there = if names.is_empty() {
        "there are no tools".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    let tool: String = tool.chars().take(crate::tools::MAX_NAME_BYTES).collect();
    format!("The tool `{}` is {why}; {there}.", tool.escape_debug())
}

fn failed(error: &ModelError) -> End {
    let failure = match error {
        ModelError::Cancelled => return End::Cancelled,
        ModelError::OutOfTime { .. } => Failure::OutOfTime,
        ModelError::Refused { .. } => Failure::Refused,
        ModelError::Failed { .. } => Failure::Backend,
    };
    End::Failed { failure, message: error.to_string() }
}
