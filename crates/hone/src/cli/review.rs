//! What a person can type about candidates.

use std::path::PathBuf;

use clap::Subcommand;

/// What to do with candidates.
#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Show a candidate: its text or difference, what taught it, and what the checks said
    #[command(after_help = "Example:\n  \
        hone review show 3f2a")]
    Show {
        /// The candidate, or the beginning of its id
        id: String,
    },
    /// Make a candidate a skill, on trial
    #[command(after_help = "Example:\n  \
        hone review accept 3f2a --why 'useful'")]
    Accept {
        /// The candidate, or the beginning of its id
        id: String,
        /// Why, for the history
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        why: String,
        /// Say yes to what the scan wants a person to decide, without being asked
        #[arg(long, short)]
        yes: bool,
    },
    /// Change a candidate's text in your editor, then check it again
    #[command(after_help = "Examples:\n  \
        hone review edit 3f2a\n  \
        hone review edit 3f2a --file better.md")]
    Edit {
        /// The candidate, or the beginning of its id
        id: String,
        /// Take the text from this file
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Put a candidate aside for good, or all that wait
    #[command(after_help = "Examples:\n  \
        hone review reject 3f2a --why 'a story, not a lesson'\n  \
        hone review reject --all")]
    Reject {
        /// The candidate, or the beginning of its id
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// Every candidate that waits for you
        #[arg(long)]
        all: bool,
        /// Why, for the history
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        why: String,
    },
}
