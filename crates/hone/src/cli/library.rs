//! Commands of the library that have commands of their own, and names that a person may choose from.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::{Content, Writing};

#[derive(Debug, Subcommand)]
pub(crate) enum FileCommand {
    /// Write a supporting file
    #[command(after_help = "Examples:\n  \
        hone file add tidy references/style.md --file style.md\n  \
        hone file add tidy scripts/sort.sh --file sort.sh --executable")]
    Add {
        /// The skill
        name: String,
        /// Path inside the skill: references/…, templates/…, scripts/… or assets/…
        path: String,
        #[command(flatten)]
        from: Content,
        /// Make it executable
        #[arg(long)]
        executable: bool,
        #[command(flatten)]
        writing: Writing,
    },
    /// Take a supporting file away
    #[command(after_help = "Example:\n  \
        hone file rm tidy references/style.md --dry-run")]
    Rm {
        /// The skill
        name: String,
        /// Path inside the skill
        path: String,
        #[command(flatten)]
        writing: Writing,
    },
    /// List a skill's files
    #[command(after_help = "Example:\n  \
        hone file list tidy")]
    List {
        /// The skill
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum UsageCommand {
    /// Count what an agent did: a command that it ran, or a file that it read
    #[command(
        group = clap::ArgGroup::new("deed").required(true).args(["command", "file"]),
        after_help = "The command is never run. A script of a skill, or its SKILL.md, counts as a use; \
        another file of it as a view.\n\n\
        Examples:\n  \
        hone usage record --command 'python ~/.agents/skills/pdf/scripts/fill.py form.pdf'\n  \
        hone usage record --file ~/.agents/skills/pdf/SKILL.md"
    )]
    Record {
        /// The command line
        #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
        command: Option<String>,
        /// The file
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
        /// Where it happened [default: the current folder]
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
    },
    /// Take over the counters of a Hermes `.usage.json`
    #[command(after_help = "Example:\n  \
        hone usage import ~/.hermes/skills/.usage.json")]
    Import {
        /// The file
        file: PathBuf,
    },
    /// Write the counters as a Hermes `.usage.json`
    #[command(after_help = "Example:\n  \
        hone usage export counters.json")]
    Export {
        /// The file; without one, standard output
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print one setting
    #[command(after_help = "Example:\n  \
        hone config get skills.disabled")]
    Get {
        /// Its key, such as skills.disabled
        key: String,
    },
    /// Change one setting
    #[command(after_help = "Examples:\n  \
        hone config set skills.depth 8\n  \
        hone config set skills.disabled old-deploy,project:release\n  \
        hone config set skills.disabled old-deploy --project")]
    Set {
        /// Its key
        key: String,
        /// Its value; lists are separated by commas
        #[arg(allow_negative_numbers = true)]
        value: String,
        /// In the project's hone.toml instead of yours
        #[arg(long)]
        project: bool,
    },
    /// Put one setting back to its default
    #[command(after_help = "Example:\n  \
        hone config unset skills.depth")]
    Unset {
        /// Its key
        key: String,
        /// In the project's hone.toml instead of yours
        #[arg(long)]
        project: bool,
    },
    /// Print where the configuration is
    #[command(after_help = "Example:\n  \
        $EDITOR \"$(hone config path)\"")]
    Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For code scanning
    Sarif,
    /// For GitHub's log annotations
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// agentskills.io, to the letter
    Spec,
    /// What uploads accept
    Upload,
    /// What Claude Code reads
    ClaudeCode,
    /// What Codex reads
    Codex,
    /// What an MCP skill server may publish
    Mcp,
    /// What hone itself loads
    Lenient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientName {
    ClaudeCode,
    Codex,
    Gemini,
    #[value(name = "opencode")]
    OpenCode,
    Hermes,
    #[value(name = "openclaw")]
    OpenClaw,
}

impl From<ProfileName> for hone_skill::Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Spec => Self::Spec,
            ProfileName::Upload => Self::Upload,
            ProfileName::ClaudeCode => Self::ClaudeCode,
            ProfileName::Codex => Self::Codex,
            ProfileName::Mcp => Self::Mcp,
            ProfileName::Lenient => Self::Lenient,
        }
    }
}

impl From<ClientName> for hone_library::Client {
    fn from(name: ClientName) -> Self {
        match name {
            ClientName::ClaudeCode => Self::ClaudeCode,
            ClientName::Codex => Self::Codex,
            ClientName::Gemini => Self::Gemini,
            ClientName::OpenCode => Self::OpenCode,
            ClientName::Hermes => Self::Hermes,
            ClientName::OpenClaw => Self::OpenClaw,
        }
    }
}
