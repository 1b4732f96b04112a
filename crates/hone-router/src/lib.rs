//! *When* does a skill apply?
//!
//! The index that a model first gets, inside a hard budget ([`level0`]); slash commands, bundles and
//! mentions ([`Commands`], [`select`]); the text that a called skill becomes ([`prepare`]); what it
//! needs before it can work ([`requirements_of`]); and which skill a command line used
//! ([`Attribution`]). Nothing here runs a program: whoever may, passes a [`RunInline`] in.

mod attribution;
mod budget;
mod commands;
mod inline_shell;
mod level0;
mod mentions;
mod payload;
mod requirements;
mod variables;

pub use attribution::{Attribution, How, MAX_COMMAND_BYTES, Used};
pub use budget::{Budget, DEFAULT_PERCENT, DEFAULT_WINDOW_TOKENS, NotABudget, token_estimate};
pub use commands::{
    CORE_COMMANDS, Called, Collision, CommandError, CommandKind, Commands, MAX_BUNDLE_SKILLS,
    MAX_STACKED, Reload, SlashCommand, Snapshot, With,
};
pub use inline_shell::{
    INLINE_TIMEOUT, InlineCommand, InlineError, InlineOutput, MAX_INLINE_CHARS,
    MAX_INLINE_COMMANDS, RunInline,
};
pub use level0::{Level0, Ranked, level0};
pub use mentions::{ENVIRONMENT_NAMES, Mention, Pick, Selection, Unselected, mentions, select};
pub use payload::{
    Activated, Caller, Inline, MAX_BODIES_CHARS, MAX_BODY_CHARS, MAX_LISTED_FILES, MAX_WORDS_CHARS,
    Payload, PayloadError, Place, Request, prepare, user_words,
};
pub use requirements::{
    Answers, Asked, Declared, Kind, MAX_ANSWER_BYTES, Need, NeededBy, Probe, Question, Requirement,
    Secret, Status, needs, question, requirements_of,
};
pub use variables::{Variables, split_arguments};
