//! A model in a GGUF file that runs inside this process, by llama.cpp.
//!
//! One thread owns the model and its context and answers one request after the other. What a request has in
//! common with the one before is not read again, so a task's next turn costs its new words. Texts are
//! taken apart without special tokens: no result of a tool can end a turn or speak for a person.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::{LogOptions, json_schema_to_grammar, send_logs_to_tracing};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::form::ReplyForm;
use super::{Message, Model, ModelError, Pending, Reply, Request, Role, Usage};

/// The name of this backend.
pub(super) const BACKEND: &str = "gguf";

/// Tokens of a conversation and its reply at most, if the model was made for as many; memory is taken for
/// all of them.
pub const MAX_CONTEXT_TOKENS: u32 = 16_384;

/// Tokens that are read at once.
const BATCH_TOKENS: usize = 512;

/// One seed, so that the same request has the same reply.
const SEED: u32 = 1;

/// A model that is loaded.
pub(super) struct Gguf {
    name: String,
    jobs: Mutex<Sender<Job>>,
    timeout: Duration,
    constrains: bool,
}

/// What the thread of a model is given.
struct Job {
    messages: Vec<Message>,
    temperature: f32,
    max_tokens: u32,
    /// The schema that replies keep to.
    schema: Option<String>,
    asked: Instant,
    timeout: Duration,
    cancelled: CancellationToken,
    reply: oneshot::Sender<Result<Said, ModelError>>,
}

/// What a model said.
struct Said {
    text: String,
    usage: Usage,
    is_cut: bool,
}

impl Gguf {
    /// Loads the model in a file.
    pub(super) fn load(
        path: &Path,
        name: String,
        timeout: Duration,
        constrains: bool,
    ) -> Result<Self, ModelError> {
        let (jobs, todo) = channel();
        let (tell, loaded) = channel();
        let path: PathBuf = path.to_owned();
        thread::Builder::new()
            .name("model".to_owned())
            .spawn(move || work(&path, &tell, &todo))
            .map_err(|error| failed(error.to_string()))?;
        loaded.recv().map_err(|_| failed("its thread ended"))??;
        Ok(Self { name, jobs: Mutex::new(jobs), timeout, constrains })
    }
}

impl Model for Gguf {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        Box::pin(async move {
            let form = self.constrains.then(|| ReplyForm::of(request)).flatten();
            let schema = form.map(|form| serde_json::to_string(&form));
            let (reply, said) = oneshot::channel();
            let job = Job {
                messages: request.messages.clone(),
                temperature: request.temperature,
                max_tokens: request.max_tokens,
                schema: schema.transpose().map_err(|error| failed(error.to_string()))?,
                asked: Instant::now(),
                timeout: self.timeout,
                cancelled: cancelled.clone(),
                reply,
            };
            let sent = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
            sent.map_err(|_| failed("its thread ended"))?;
            let said = tokio::select! {
                said = said => said.map_err(|_| failed("its thread ended"))?,
                () = cancelled.cancelled() => Err(ModelError::Cancelled),
            };
            let Said { text, usage, is_cut } = said?;
            Ok(Reply { text, model: self.name.clone(), usage, is_cut })
        })
    }
}

fn failed(why: impl Into<String>) -> ModelError {
    ModelError::Failed { backend: BACKEND.to_owned(), why: why.into() }
}

fn refused(why: impl Into<String>) -> ModelError {
    ModelError::Refused { backend: BACKEND.to_owned(), why: why.into() }
}

/// The library's own state, of which a process has one.
fn backend() -> Result<&'static LlamaBackend, ModelError> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    let made = BACKEND.get_or_init(|| {
        send_logs_to_tracing(LogOptions::default().with_logs_enabled(false));
        LlamaBackend::init().map_err(|error| error.to_string())
    });
    made.as_ref().map_err(|why| failed(format!("llama.cpp did not start: {why}")))
}

/// The life of a model: loaded, told, and asked until nobody can ask any more.
fn work(path: &Path, tell: &Sender<Result<(), ModelError>>, todo: &Receiver<Job>) {
    let backend = match backend() {
        Ok(backend) => backend,
        Err(error) => return drop(tell.send(Err(error))),
    };
    let model = match LlamaModel::load_from_file(backend, path, &LlamaModelParams::default()) {
        Ok(model) => model,
        Err(error) => {
            let why = format!("`{}` cannot be loaded: {error}", path.display());
            return drop(tell.send(Err(refused(why))));
        }
    };
    let tokens = model.n_ctx_train().clamp(1, MAX_CONTEXT_TOKENS);
    // Its threads spin: on a busy machine half of the cores are faster than all of them.
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() / 2).max(1);
    let threads = i32::try_from(cores).unwrap_or(1);
    let params = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(tokens))
        .with_n_batch(u32::try_from(BATCH_TOKENS).unwrap_or(u32::MAX))
        .with_n_threads(threads)
        .with_n_threads_batch(threads);
    let context = match model.new_context(backend, params) {
        Ok(context) => context,
        Err(error) => return drop(tell.send(Err(failed(error.to_string())))),
    };
    let mut speaker = Speaker { model: &model, context, read: Vec::new() };
    let _ = tell.send(Ok(()));
    while let Ok(job) = todo.recv() {
        let said = speaker.say(&job);
        // Whoever asked may have gone.
        let _ = job.reply.send(said);
    }
}

/// A model with what it has read.
struct Speaker<'a> {
    model: &'a LlamaModel,
    context: LlamaContext<'a>,
    /// The tokens that the context holds.
    read: Vec<LlamaToken>,
}

impl Speaker<'_> {
    fn say(&mut self, job: &Job) -> Result<Said, ModelError> {
        let prompt = self.prompt(&job.messages)?;
        let room = self.context.n_ctx() as usize;
        if prompt.len() >= room {
            return Err(refused(format!(
                "the conversation has {} tokens and the model takes {room}; a server of llama.cpp may take more",
                prompt.len()
            )));
        }
        let mut sampler = self.sampler(job)?;
        self.forget_all_but(&prompt)?;
        let unread = prompt[self.read.len()..].to_vec();
        for part in unread.chunks(BATCH_TOKENS) {
            job.check()?;
            self.take_in(part)?;
        }
        let most = (job.max_tokens as usize).min(room - prompt.len());
        let vocab = self.model.vocab();
        let mut tokens = Vec::new();
        let is_cut = loop {
            if tokens.len() == most {
                break true;
            }
            job.check()?;
            let token = sampler.sample(&self.context, -1);
            if vocab.is_eog(token) {
                break false;
            }
            tokens.push(token);
            self.take_in(&[token])?;
        };
        let count = |tokens: usize| u64::try_from(tokens).unwrap_or(u64::MAX);
        let said = vocab.detokenize(&tokens, true, false);
        Ok(Said {
            text: String::from_utf8_lossy(&said).into_owned(),
            usage: Usage {
                input: count(prompt.len()),
                output: count(tokens.len()),
                is_estimate: false,
            },
            is_cut,
        })
    }

    fn sampler(&self, job: &Job) -> Result<LlamaSampler, ModelError> {
        let mut parts = Vec::new();
        if let Some(schema) = &job.schema {
            let grammar = json_schema_to_grammar(schema)
                .map_err(|error| refused(format!("no grammar holds these tools: {error}")))?;
            let sampler = LlamaSampler::grammar(self.model, &grammar, "root")
                .map_err(|error| refused(format!("no grammar holds these tools: {error}")))?;
            parts.push(sampler);
        }
        if job.temperature > 0.0 {
            parts.push(LlamaSampler::temp(job.temperature));
            parts.push(LlamaSampler::dist(SEED));
        } else {
            parts.push(LlamaSampler::greedy());
        }
        Ok(LlamaSampler::chain_simple(parts))
    }

    /// The conversation in the model's own frame. Only the frame may hold special tokens.
    fn prompt(&self, messages: &[Message]) -> Result<Vec<LlamaToken>, ModelError> {
        let template = match self.model.chat_template(None) {
            Ok(template) => template,
            Err(_) => {
                LlamaChatTemplate::new("chatml").map_err(|error| failed(error.to_string()))?
            }
        };
        let stands_for = |at: usize| format!("(message {at} of this conversation)");
        let frame = |at: usize, message: &Message| {
            let role = match message.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            LlamaChatMessage::new(role.to_owned(), stands_for(at))
        };
        let framed: Result<Vec<_>, _> =
            messages.iter().enumerate().map(|(at, message)| frame(at, message)).collect();
        let framed = framed.map_err(|error| failed(error.to_string()))?;
        let text = self
            .model
            .apply_chat_template(&template, &framed, true)
            .map_err(|error| refused(format!("its chat template is not known: {error}")))?;
        let vocab = self.model.vocab();
        let mut tokens = Vec::new();
        let mut rest = text.as_str();
        for (at, message) in messages.iter().enumerate() {
            let (before, after) = rest
                .split_once(stands_for(at).as_str())
                .ok_or_else(|| refused("its chat template leaves out a message"))?;
            tokens.extend(vocab.tokenize(before.as_bytes(), at == 0, true));
            tokens.extend(vocab.tokenize(message.content.as_bytes(), false, false));
            rest = after;
        }
        tokens.extend(vocab.tokenize(rest.as_bytes(), false, true));
        Ok(tokens)
    }

    /// Keeps what the context and a prompt begin with, but for the prompt's last token, which has to be
    /// read for the next one to be known.
    fn forget_all_but(&mut self, prompt: &[LlamaToken]) -> Result<(), ModelError> {
        let same = self.read.iter().zip(prompt).take_while(|(a, b)| a == b).count();
        let same = same.min(prompt.len().saturating_sub(1));
        let from = u32::try_from(same).map_err(|error| failed(error.to_string()))?;
        if let Ok(true) = self.context.clear_kv_cache_seq(Some(0), Some(from), None) {
            self.read.truncate(same);
        } else {
            // Some models keep a state that has no beginning to go back to.
            self.context.clear_kv_cache();
            self.read.clear();
        }
        Ok(())
    }

    fn take_in(&mut self, tokens: &[LlamaToken]) -> Result<(), ModelError> {
        let mut batch = LlamaBatch::new(BATCH_TOKENS, 1);
        for (at, token) in tokens.iter().enumerate() {
            let position =
                i32::try_from(self.read.len() + at).map_err(|error| failed(error.to_string()))?;
            batch
                .add(*token, position, &[0], at + 1 == tokens.len())
                .map_err(|error| failed(error.to_string()))?;
        }
        self.context.decode(&mut batch).map_err(|error| failed(error.to_string()))?;
        self.read.extend_from_slice(tokens);
        Ok(())
    }
}

impl Job {
    fn check(&self) -> Result<(), ModelError> {
        if self.cancelled.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        if self.asked.elapsed() >= self.timeout {
            let seconds = self.timeout.as_secs();
            return Err(ModelError::OutOfTime { backend: BACKEND.to_owned(), seconds });
        }
        Ok(())
    }
}
