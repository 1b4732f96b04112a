//! A scripted model, tools that only count, and a task around them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hone_agent::event::Event;
use hone_agent::model::{Message, Model, ModelError, Pending, Reply, Request, Role, Usage};
use hone_agent::prompt::Frame;
use hone_agent::task::{Allowance, Finished, Limits, Task, run};
use hone_agent::tools::{Class, Tool, ToolResult, Tools, Working};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A model that says what it is told to, and then fails.
pub(crate) struct Scripted {
    /// It falls silent at the end instead.
    is_silent: bool,
    replies: Mutex<VecDeque<Result<String, ModelError>>>,
    /// The conversations that it was asked with.
    pub(crate) seen: Mutex<Vec<Vec<Message>>>,
}

impl Scripted {
    pub(crate) fn new<T: Into<String>>(replies: impl IntoIterator<Item = T>) -> Self {
        Self::with(replies.into_iter().map(|reply| Ok(reply.into())))
    }

    pub(crate) fn with(replies: impl IntoIterator<Item = Result<String, ModelError>>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect());
        Self { is_silent: false, replies, seen: Mutex::default() }
    }

    /// The same, silent at the end.
    pub(crate) fn then_silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// What the model was last told, on its turn from 1.
    pub(crate) fn told(&self, turn: usize) -> String {
        let seen = self.seen.lock().unwrap();
        seen[turn - 1].last().map(|message| message.content.clone()).unwrap_or_default()
    }
}

impl Model for Scripted {
    fn backend(&self) -> &'static str {
        "script"
    }

    fn name(&self) -> &'static str {
        "scripted"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: &'a CancellationToken) -> Pending<'a> {
        Box::pin(async move {
            self.seen.lock().unwrap().push(request.messages.clone());
            let reply = self.replies.lock().unwrap().pop_front();
            let Some(reply) = reply else {
                if self.is_silent {
                    return std::future::pending().await;
                }
                let (backend, why) = ("script".to_owned(), "the script is over".to_owned());
                return Err(ModelError::Failed { backend, why });
            };
            Ok(Reply {
                text: reply?,
                model: "scripted-1".to_owned(),
                usage: Usage { input: 10, output: 2, is_estimate: false },
                is_cut: false,
            })
        })
    }
}

type Answer = dyn Fn(&Value) -> ToolResult + Send + Sync;

/// A tool that counts its calls.
pub(crate) struct Probe {
    name: &'static str,
    class: Class,
    changes: bool,
    schema: Value,
    pub(crate) calls: Arc<AtomicUsize>,
    /// What it answers; nothing means that it never does.
    answer: Option<Box<Answer>>,
}

impl Probe {
    pub(crate) fn new(name: &'static str) -> Self {
        Self::answering(name, |_| ToolResult::ok("it is so", "looked"))
    }

    pub(crate) fn answering(
        name: &'static str,
        answer: impl Fn(&Value) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            class: Class::Evidence,
            changes: false,
            schema: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
            calls: Arc::default(),
            answer: Some(Box::new(answer)),
        }
    }

    pub(crate) fn hanging(name: &'static str) -> Self {
        Self { answer: None, ..Self::new(name) }
    }

    pub(crate) fn introspection(self) -> Self {
        Self { class: Class::Introspection, ..self }
    }

    pub(crate) fn changing(self) -> Self {
        Self { changes: true, ..self }
    }
}

impl Tool for Probe {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Looks."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        self.class
    }

    fn changes(&self) -> bool {
        self.changes
    }

    fn call<'a>(&'a self, arguments: &'a Value, _: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            match &self.answer {
                Some(answer) => answer(arguments),
                None => std::future::pending().await,
            }
        })
    }
}

/// A task around a script: what the tests change of it.
#[derive(Default)]
pub(crate) struct Around<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) skills: Vec<String>,
    pub(crate) earlier: Vec<Message>,
    pub(crate) limits: Limits,
    pub(crate) allowance: Option<&'a dyn Allowance>,
    pub(crate) cancelled: CancellationToken,
    /// What is done when an event comes, by its name.
    pub(crate) on: Option<&'a (dyn Fn(&str) + Send + Sync)>,
}

impl Around<'_> {
    /// Runs a task; the clock goes on by one millisecond each time somebody looks.
    pub(crate) async fn run(&self, model: &Scripted, tools: Vec<Box<dyn Tool>>) -> Finished {
        self.run_with(model, &Tools::new(tools, None).unwrap()).await
    }

    pub(crate) async fn run_with(&self, model: &Scripted, tools: &Tools) -> Finished {
        let clock = AtomicI64::new(1_000);
        let now = || clock.fetch_add(1, Ordering::SeqCst);
        self.run_at(model, tools, &now).await
    }

    pub(crate) async fn run_at(
        &self,
        model: &Scripted,
        tools: &Tools,
        now: &(dyn Fn() -> i64 + Send + Sync),
    ) -> Finished {
        let tell = |event: &Event<'_>| {
            let event = serde_json::to_value(event).unwrap();
            if let Some(on) = self.on {
                on(event["event"].as_str().unwrap());
            }
        };
        let task = Task {
            id: "t1",
            frame: self.frame,
            skills: &self.skills,
            earlier: &self.earlier,
            input: "Do it.",
            tools,
            model,
            limits: self.limits,
            allowance: self.allowance,
            now,
            cancelled: &self.cancelled,
            tell: &tell,
        };
        run(&task).await
    }
}

/// Runs a script with these tools.
pub(crate) async fn play(model: &Scripted, tools: Vec<Box<dyn Tool>>) -> Finished {
    Around::default().run(model, tools).await
}

/// Calls one tool and gives its result.
pub(crate) async fn call(tools: &[Box<dyn Tool>], name: &str, arguments: Value) -> ToolResult {
    let tool = tools.iter().find(|tool| tool.name() == name).expect("a tool of that name");
    let problems = hone_agent::tools::schema::problems(tool.schema(), &arguments);
    assert_eq!(problems, Vec::<String>::new());
    tool.call(&arguments, &CancellationToken::new()).await
}

/// A call as a model writes it.
pub(crate) fn says(tool: &str, arguments: &Value) -> String {
    json!({"tool": tool, "args": arguments}).to_string()
}

/// The final answer of the scripts.
pub(crate) const DONE: &str = r#"{"answer": "done"}"#;

/// The roles of a conversation.
pub(crate) fn roles(messages: &[Message]) -> Vec<Role> {
    messages.iter().map(|message| message.role).collect()
}
