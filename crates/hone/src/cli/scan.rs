//! `hone scan` and `hone policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What to scan and how to tell.
#[derive(Debug, Clone, Args)]
pub(crate) struct Scan {
    /// What to scan
    #[arg(value_name = "PATH|NAME", conflicts_with_all = ["rules", "explain"])]
    pub(crate) what: Vec<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = ScanFormat::Table)]
    pub(crate) format: ScanFormat,
    /// Print JSON: the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// From which verdict on the exit code is 1
    #[arg(long, value_enum, value_name = "VERDICT", default_value_t = Bar::Caution)]
    pub(crate) fail_on: Bar,
    /// Show notes, and what each skill reaches and runs
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Ask the configured model for a second opinion, which can raise a verdict and never lower it
    #[arg(long)]
    pub(crate) deep: bool,
    /// Analyse every skill anew, and keep no report
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Say what a rule finds, why it matters and what to do
    #[arg(long, value_name = "RULE", conflicts_with = "rules")]
    pub(crate) explain: Option<String>,
    /// List the rules
    #[arg(long)]
    pub(crate) rules: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanFormat {
    /// For people
    Table,
    /// For programs
    Json,
    /// For code scanning
    Sarif,
    /// For a pull request or an issue
    Markdown,
    /// For a browser or a printer: one file
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bar {
    /// A person should look
    Caution,
    /// It must not be used
    Dangerous,
}

impl From<Bar> for hone_guard::Verdict {
    fn from(bar: Bar) -> Self {
        match bar {
            Bar::Caution => Self::Caution,
            Bar::Dangerous => Self::Dangerous,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show the table of origin and verdict, and the trusted sources
    #[command(after_help = "Example:\n  \
        hone policy show")]
    Show,
    /// Say what happens to a skill of this origin with this verdict, and why
    #[command(after_help = "Examples:\n  \
        hone policy explain community caution\n  \
        hone policy explain openai/skills dangerous")]
    Explain {
        /// builtin, trusted, community, agent-created or local; or a source such as openai/skills
        origin: String,
        /// safe, caution or dangerous
        verdict: String,
    },
    /// Dismiss one finding about a skill, as it is now
    #[command(after_help = "Examples:\n  \
        hone policy dismiss release remote-to-interpreter --reason 'our own server'\n  \
        hone policy dismiss release remote-to-interpreter SKILL.md:12 --reason 'our own server' --days 30\n\n\
        It counts for this rule, this place and these very files: one changed byte, and the finding is back. There \
        is no other way past a block.")]
    Dismiss {
        /// The skill
        skill: String,
        /// The rule, as `hone scan` names it
        rule: String,
        /// Which finding, when the rule has several
        #[arg(value_name = "FILE:LINE")]
        place: Option<String>,
        /// Why it is no danger
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        reason: String,
        /// How many days it counts, at most 365
        #[arg(long, value_name = "N", default_value_t = hone_guard::policy::DEFAULT_DISMISSAL_DAYS)]
        days: u32,
    },
    /// Take a dismissal back
    #[command(after_help = "Example:\n  \
        hone policy withdraw release remote-to-interpreter")]
    Withdraw {
        /// The skill
        skill: String,
        /// The rule
        rule: String,
        /// Which finding, when several of the rule are dismissed
        #[arg(value_name = "FILE:LINE")]
        place: Option<String>,
    },
    /// List the findings that were dismissed
    #[command(after_help = "Example:\n  \
        hone policy dismissals")]
    Dismissals,
}
