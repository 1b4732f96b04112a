//! What a person can type about learning from work that was done.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{AT_LEAST_ONE, Writing};

/// Whose sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionsOf {
    ClaudeCode,
    Codex,
    Hermes,
    Hone,
}

impl SessionsOf {
    /// The name of the agent.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Hermes => "hermes",
            Self::Hone => "hone",
        }
    }
}

/// Which sessions to list.
#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Only sessions whose task has all these words
    pub(crate) words: Vec<String>,
    /// Only sessions of this agent
    #[arg(long, value_enum, value_name = "AGENT")]
    pub(crate) from: Option<SessionsOf>,
    /// Only sessions of the current folder
    #[arg(long)]
    pub(crate) here: bool,
    /// Also what helpers of Claude Code did inside of sessions
    #[arg(long)]
    pub(crate) helpers: bool,
    /// How many to list at most
    #[arg(short = 'k', long, value_name = "N", default_value_t = 20, value_parser = AT_LEAST_ONE)]
    pub(crate) limit: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to learn from, and who answers.
#[derive(Debug, Args)]
pub(crate) struct Learn {
    /// The session: its id, the beginning of one, or a file [default: the newest]
    pub(crate) session: Option<String>,
    /// The task of the session, counted from 1 [default: the last]
    #[arg(long, value_name = "N", value_parser = AT_LEAST_ONE)]
    pub(crate) task: Option<usize>,
    /// Take all tasks of the session as one
    #[arg(long, conflicts_with = "task")]
    pub(crate) whole: bool,
    /// Keep every default, ask nothing
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Take the answers from a file of JSON (`-`: standard input); what it leaves out keeps its default
    #[arg(long, value_name = "FILE", conflicts_with = "yes")]
    pub(crate) answers: Option<PathBuf>,
    /// Print the questions and their defaults as JSON, write nothing
    #[arg(long, conflicts_with_all = ["yes", "answers", "dry_run", "why"])]
    pub(crate) questions: bool,
    /// Let this model word the draft [default: the one in `config.toml`, if any]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Ask no model
    #[arg(long, conflicts_with = "model")]
    pub(crate) no_model: bool,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// What was wrong, and with which task.
#[derive(Debug, Args)]
pub(crate) struct Correct {
    /// The agent
    pub(crate) agent: String,
    /// What was wrong
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// The task: its id, or the beginning of one [default: the newest]
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Ask this model for the lesson [default: the agent's]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
