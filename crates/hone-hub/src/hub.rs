//! The hub: what every action starts from, and what it answers.

use std::path::PathBuf;

use hone_guard::policy::Policy;
use hone_guard::{Finding, Verdict};
use hone_library::{Author, Catalogue, Origin, State};
use hone_skill::Dismissal;

use crate::compare::News;
use crate::supply::Supply;

/// What every action starts from.
pub struct Hub<'a> {
    /// The state of `HONE_HOME`.
    pub state: &'a State,
    /// The policy that counts.
    pub policy: &'a Policy,
    /// Whoever fetches.
    pub supply: &'a dyn Supply,
    /// Who acts, why, and when.
    pub author: Author,
    /// The library, to say which messages a newcomer would take; without it, nothing is said.
    pub catalogue: Option<&'a Catalogue>,
}

/// How far an action is. Each step is taken for all skills of an action before the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The source was fetched.
    Fetch,
    /// The skills are in quarantine.
    Quarantine,
    /// They are scanned.
    Scan,
    /// They are held against what is installed.
    Compare,
    /// It is decided about them.
    Decide,
    /// What is about to be done is written down.
    Intend,
    /// The files are in place.
    Swap,
    /// The lock file says so.
    Lock,
    /// The log says so, and nothing is left to do.
    Record,
}

impl Step {
    /// All steps, in their order.
    pub const ALL: [Self; 9] = [
        Self::Fetch,
        Self::Quarantine,
        Self::Scan,
        Self::Compare,
        Self::Decide,
        Self::Intend,
        Self::Swap,
        Self::Lock,
        Self::Record,
    ];
}

/// What a person is asked.
#[derive(Debug)]
pub struct Question<'a> {
    /// The skill.
    pub name: &'a str,
    /// Where it comes from, with what it is pinned to.
    pub source: &'a str,
    /// Whose word it is.
    pub origin: Origin,
    /// What the scan says, dismissed findings left out.
    pub verdict: Verdict,
    /// Why a person is asked.
    pub why: &'a str,
    /// What it can do that the installed version cannot.
    pub news: &'a News,
    /// The findings that count.
    pub findings: &'a [Finding],
    /// Messages that it would take from other skills.
    pub takes: &'a Takes,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Install it.
    Yes,
    /// Do not.
    No,
    /// There is nobody to ask: it waits for approval.
    Later,
}

/// Whoever can be asked, and hears how far things are.
pub trait Ask {
    /// Asks.
    fn ask(&mut self, question: &Question<'_>) -> Answer;

    /// Whose answers these are, for the log.
    fn voice(&self) -> &'static str {
        "a person"
    }

    /// A step is done for so many skills of so many.
    fn progress(&mut self, _step: Step, _done: usize, _of: usize) {}
}

/// There is nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Ask for Nobody {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Later
    }
}

/// A message that a newcomer would take from a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The message.
    pub message: String,
    /// The skill that gets it now.
    pub from: String,
}

/// Which messages a newcomer would take from the skills that are there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Takes {
    /// At most [`crate::MAX_TAKEN`] of them.
    pub messages: Vec<Taken>,
    /// How many more there are.
    pub unnamed: usize,
    /// It was not asked: more than [`crate::MAX_NEWCOMERS`] skills came at once.
    pub is_unasked: bool,
}

/// What became of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The skill.
    pub name: String,
    /// Its folder, whether it is there or not.
    pub path: PathBuf,
    /// Where it comes from.
    pub source: String,
    /// The commit or digest that it is pinned to.
    pub pin: Option<String>,
    /// Whose word it is.
    pub origin: Origin,
    /// What the scan said, dismissed findings left out; none when it was not scanned.
    pub verdict: Option<Verdict>,
    /// The findings that count.
    pub findings: Vec<Finding>,
    /// Those that a person dismissed, and the dismissal of each.
    pub dismissed: Vec<(Finding, Dismissal)>,
    /// What it can do that the installed version cannot; of a new skill, all of it.
    pub news: News,
    /// Messages that it would take from other skills.
    pub takes: Takes,
    /// Files that stay as somebody edited them.
    pub kept: Vec<String>,
    /// Files in which an edit and the update are both.
    pub merged: Vec<String>,
    /// Copies of it in other agents' folders that somebody changed, so that they did not follow.
    pub stale: Vec<PathBuf>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is there now.
    Installed,
    /// Its new version is there now.
    Updated,
    /// It was there already.
    Unchanged,
    /// The policy says no, and why.
    Blocked(String),
    /// It waits for approval.
    Waits {
        /// What it is called by.
        id: String,
        /// Why.
        why: String,
    },
    /// A person said no.
    Declined,
    /// It cannot be done, and why.
    Refused(String),
    /// It could have been done, and was not, because another of the same action could not.
    HeldBack,
    /// Its source no longer has it; what is installed stays.
    Gone,
}

impl Fate {
    /// Whether the skill is now what was asked for.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Installed | Self::Updated | Self::Unchanged)
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Blocked(_) => "blocked",
            Self::Waits { .. } => "waits",
            Self::Declined => "declined",
            Self::Refused(_) => "refused",
            Self::HeldBack => "held-back",
            Self::Gone => "gone",
        }
    }
}
