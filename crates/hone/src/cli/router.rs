//! Commands of the router that have commands of their own.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum CommandsCommand {
    /// Say what was added, removed and changed since the last reload
    #[command(after_help = "Examples:\n  \
        hone commands reload\n  \
        hone commands reload --json")]
    Reload,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallerName {
    /// A person typed it
    Person,
    /// A model chose it
    Model,
}

impl From<CallerName> for hone_router::Caller {
    fn from(name: CallerName) -> Self {
        match name {
            CallerName::Person => Self::Person,
            CallerName::Model => Self::Model,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Ask every message of the skills' triggers.json, without a model
    #[command(after_help = "Examples:\n  \
        hone eval triggers\n  \
        hone eval triggers pdf --suite messages.json\n  \
        hone eval triggers --all --plot who.svg\n  \
        hone eval triggers pdf --propose          a first suite for a skill that has none\n\n\
        A suite is a list of {\"query\": \"…\", \"should_trigger\": true} in triggers.json beside \
        SKILL.md. Its messages are asked as if they were not remembered.\n\
        Exit code 1: a message is missed, stolen or wrongly answered, or a skill is out of reach.")]
    Triggers {
        /// The skills; without one, all that have a suite
        name: Vec<String>,
        /// Take the suite from this file; name one skill
        #[arg(long, value_name = "FILE", conflicts_with = "all")]
        suite: Option<PathBuf>,
        /// Look at skills without a suite too: does their own description lead to them?
        #[arg(long, conflicts_with = "name")]
        all: bool,
        /// Write a triggers.json for the named skills that have none, from descriptions and neighbours
        #[arg(long, requires = "name", conflicts_with_all = ["suite", "plot"])]
        propose: bool,
        /// Draw who gets whose messages
        #[arg(long, value_name = "FILE.svg")]
        plot: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
