//! *When* does a skill apply?
//!
//! The implicit half: a message is held against an index of all skills, and each gets a place, a
//! calibrated confidence, a band (activate, offer, nothing) and the reasons. Messages that a skill's
//! `triggers.json` remembers count as routing memory and as a test of the whole library.
//!
//! ```
//! use hone_router::{Band, Index, Ranking, SkillText};
//!
//! let skill = |name: &str, description: &str| SkillText {
//!     name: name.to_owned(),
//!     description: description.to_owned(),
//!     ..SkillText::default()
//! };
//! let skills = [
//!     skill("pdf-forms", "Fills in PDF forms. Not for scanned paper."),
//!     skill("tidy-changelog", "Tidies a changelog before a release."),
//! ];
//! let index = Index::in_memory(&skills);
//! let matches = Ranking::new(&index, "use tidy-changelog for the next release").matches(5, |_| true);
//! assert_eq!((matches[0].skill, matches[0].band), (1, Band::Activate));
//! ```
//!
//! The index that a model first gets, inside a hard budget ([`level0`]); slash commands, bundles and
//! mentions ([`Commands`], [`select`]); the text that a called skill becomes ([`prepare`]); what it
//! needs before it can work ([`requirements_of`]); and which skill a command line used
//! ([`Attribution`]). Nothing here runs a program: whoever may, passes a [`RunInline`] in.
//!
//! ```
//! use hone_library::{Catalogue, Config, Root, Search, State, Surroundings};
//! use hone_router::{CORE_COMMANDS, Commands};
//!
//! # let folder = tempfile::tempdir()?;
//! let skills = folder.path().join("skills");
//! for name in ["tidy", "help"] {
//!     std::fs::create_dir_all(skills.join(name))?;
//!     let text = format!("---\nname: {name}\ndescription: About {name}.\n---\nDo it.\n");
//!     std::fs::write(skills.join(name).join("SKILL.md"), text)?;
//! }
//! # let around = Surroundings {
//! #     cwd: folder.path().to_owned(),
//! #     user_home: folder.path().to_owned(),
//! #     hone_home: folder.path().join(".hone"),
//! #     platform: "linux".to_owned(),
//! #     moved: Default::default(),
//! # };
//! let roots = vec![Root::explicit(&skills, &around.cwd)?];
//! let state = State::open(&around.hone_home);
//! let catalogue = Catalogue::find(Search::only(roots, &around, &Config::default()), &state);
//! let commands = Commands::new(&catalogue, &[], &CORE_COMMANDS);
//!
//! // `/help` is a command of the chat, so the skill of that name goes by its address.
//! let called = commands.parse("/tidy /user:help the changelog")?;
//! let names: Vec<&str> = called.skills.iter().map(|skill| skill.summary.name.as_str()).collect();
//! assert_eq!((names, called.words), (vec!["tidy", "help"], "the changelog"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    clippy::cast_precision_loss,
    reason = "scores are approximate, and the counts in them stay far below 2^24"
)]

mod ask;
mod attribution;
mod bands;
mod budget;
mod commands;
mod cores;
mod document;
mod encoder;
mod eval;
mod everyday;
mod index;
mod index_bytes;
mod index_segment;
mod index_store;
mod inline_shell;
mod level0;
mod likeness;
mod matching;
mod meaning;
mod mentions;
mod payload;
mod plot;
mod query;
mod rank;
mod remembered;
mod requirements;
mod said;
mod spelling;
mod suite;
mod text;
mod tokens;
mod variables;
mod what_if;
mod why;
mod wordpiece;

pub use ask::ask;
pub use attribution::{Attribution, How, MAX_COMMAND_BYTES, Used};
pub use bands::{
    ACTIVATE, Band, FEATURES, Features, MODEL, MODEL_WITH_MEANING, Model, OFFER, ORDER,
};
pub use budget::{Budget, DEFAULT_PERCENT, DEFAULT_WINDOW_TOKENS, NotABudget};
pub use commands::{
    CORE_COMMANDS, Called, Collision, CommandError, CommandKind, Commands, MAX_BUNDLE_SKILLS,
    MAX_STACKED, Reload, SlashCommand, Snapshot, With,
};
pub use document::{MAX_BODY_BYTES, MAX_DESCRIPTION_BYTES, SkillText};
pub use encoder::{Encoder, EncoderError, MAX_PIECES};
pub use eval::{
    CALLED, Evaluated, FalseAlarm, Missed, REACH, Report, Stolen, Tally, evaluate, propose_suite,
    unreached_by_description,
};
pub use index::Index;
pub use index_store::{Opened, read_suite, skill_text, suite_of};
pub use inline_shell::{
    INLINE_TIMEOUT, InlineCommand, InlineError, InlineOutput, MAX_INLINE_CHARS,
    MAX_INLINE_COMMANDS, RunInline,
};
pub use level0::{Level0, Ranked, in_a_line, level0, level0_line};
pub use likeness::likeness;
pub use matching::{Match, Part, Ranking, Reason};
pub use meaning::{Texts, about};
pub use mentions::{
    ENVIRONMENT_NAMES, Mention, NOT_OFFERED, Pick, Selection, Unselected, mentions, select,
};
pub use payload::{
    Activated, Caller, Inline, MAX_BODIES_CHARS, MAX_BODY_CHARS, MAX_LISTED_FILES, MAX_WORDS_CHARS,
    Payload, PayloadError, Place, Request, argument_names, prepare, user_words,
};
pub use plot::{MAX_PLOTTED, confusion_svg};
pub use query::MAX_END_BYTES;
pub use requirements::{
    Answers, Asked, Declared, Kind, MAX_ANSWER_BYTES, Need, NeededBy, Probe, Question, Requirement,
    Secret, Status, needs, question, requirements_of,
};
pub use suite::{
    Case, LeftOut, MAX_CASES, MAX_MESSAGE_BYTES, MAX_REMEMBERED, MAX_SUITE_BYTES, SUITE_FILE,
    Suite, SuiteError,
};
pub use text::resembles;
pub use tokens::token_bound;
pub use variables::{Variables, join_arguments, split_arguments};
pub use what_if::{Change, WhatIf, what_if};
pub use why::{Contribution, Why, Word, why};
