//! What a person can type to connect other programs.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use hone_server::connect::{CLIENTS, Reach};

/// `hone connect`.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The program to connect; none: list those that are found and how each is connected
    #[arg(value_parser = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.id)))]
    pub(crate) client: Option<String>,

    /// Take our entry out again
    #[arg(long, requires = "client")]
    pub(crate) undo: bool,

    /// Whose configuration: yours, or the project's, which others share
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = ReachName::User)]
    pub(crate) scope: ReachName,

    /// What the server is called there
    #[arg(long, value_name = "NAME", default_value = "hone", value_parser = server_name)]
    pub(crate) name: String,

    /// The program may not write skills
    #[arg(long, conflicts_with = "undo")]
    pub(crate) read_only: bool,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,

    /// Show the difference, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose configuration is meant.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ReachName {
    User,
    Project,
}

impl From<ReachName> for Reach {
    fn from(name: ReachName) -> Self {
        match name {
            ReachName::User => Self::User,
            ReachName::Project => Self::Project,
        }
    }
}

/// A name that every client takes.
fn server_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= 64
        && text.chars().all(is_plain);
    let wrong = "a letter, then up to 63 letters, digits, `-` and `_`";
    is_name.then(|| text.to_owned()).ok_or_else(|| wrong.to_owned())
}
