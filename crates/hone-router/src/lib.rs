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

#![allow(
    clippy::cast_precision_loss,
    reason = "scores are approximate, and the counts in them stay far below 2^24"
)]

mod bands;
mod document;
mod eval;
mod index;
mod index_segment;
mod index_store;
mod matching;
mod plot;
mod query;
mod rank;
mod remembered;
mod said;
mod suite;
mod text;
mod what_if;
mod why;

pub use bands::{ACTIVATE, Band, FEATURES, Features, MODEL, Model, OFFER};
pub use document::{MAX_BODY_BYTES, MAX_DESCRIPTION_BYTES, SkillText};
pub use eval::{
    CALLED, Evaluated, REACH, Report, Stolen, Tally, evaluate, propose_suite,
    unreached_by_description,
};
pub use index::Index;
pub use index_store::{Opened, read_suite, skill_text};
pub use matching::{Match, Part, Ranking, Reason};
pub use plot::{MAX_PLOTTED, confusion_svg};
pub use query::MAX_END_BYTES;
pub use suite::{
    Case, MAX_CASES, MAX_MESSAGE_BYTES, MAX_REMEMBERED, MAX_SUITE_BYTES, SUITE_FILE, Suite,
    SuiteError,
};
pub use what_if::{Change, WhatIf, what_if};
pub use why::{Contribution, Why, Word, why};
