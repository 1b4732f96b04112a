//! The gate: what a candidate has to pass before any task sees it.
//!
//! Five checks, each with a result that is kept: its form, the scan, twins, routing, and a replay of the
//! tasks that it is about. The first four need no model. A check that could not be made says so; it
//! never counts as passed.

mod form;
mod porter;
pub mod replay;
mod routing;
mod scan;
mod twins;

use std::path::PathBuf;
use std::sync::OnceLock;

use hone_agent::brain::Brain;
use hone_guard::policy::Policy;
use hone_library::{Author, Change, Listed, Mode, State, Store};
use hone_router::{SkillText, skill_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::proposal::{Attachment, Kind, Proposal};

pub use form::{
    MAX_LEARNED_CHARS, MAX_SHRUNK_SHARE, MIN_KEPT_SHARE, changed_too_much, changed_unseen,
    says_when,
};
pub use porter::Porter;
pub use routing::MIN_OWN_SHARE;
pub(crate) use routing::would_call;
pub use twins::{TWIN, twin_of};

/// One of the checks, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// Valid, within limits, a description that says what and when, a lesson and no story.
    Form,
    /// Scanned, and the policy said yes.
    Scan,
    /// No near-duplicate of another skill.
    Twins,
    /// Its examples route to it, and nobody else's stop routing to theirs.
    Routing,
    /// With it, the tasks that it is about go no worse than without.
    Replay,
}

impl Check {
    /// All checks, in order.
    pub const ALL: [Self; 5] = [Self::Form, Self::Scan, Self::Twins, Self::Routing, Self::Replay];

    /// The check's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Scan => "scan",
            Self::Twins => "twins",
            Self::Routing => "routing",
            Self::Replay => "replay",
        }
    }
}

/// What a check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Yes.
    Passed,
    /// No.
    Failed,
    /// Only a person can say yes.
    NeedsPerson,
    /// It could not be made; this is no yes.
    NotMeasured,
}

impl Finding {
    /// In words.
    pub fn id(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NeedsPerson => "needs a person",
            Self::NotMeasured => "not measured",
        }
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// Which.
    pub check: Check,
    /// What it said.
    pub finding: Finding,
    /// Why, in a sentence.
    pub why: String,
    /// More, a line each.
    pub details: Vec<String>,
    /// Of the scan, SHA-256 over the files that were looked at: a person's yes counts for these alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Checked {
    pub(crate) fn new(check: Check, finding: Finding, why: impl Into<String>) -> Self {
        Self { check, finding, why: why.into(), details: Vec::new(), digest: None }
    }

    pub(crate) fn passed(check: Check, why: impl Into<String>) -> Self {
        Self::new(check, Finding::Passed, why)
    }

    pub(crate) fn failed(check: Check, why: impl Into<String>) -> Self {
        Self::new(check, Finding::Failed, why)
    }

    pub(crate) fn with(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }
}

/// What the checks together say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may land by itself.
    Lands,
    /// It waits for a person, and why.
    Waits(String),
    /// It is kept apart: the scan did not let it through, or it is too large to look at.
    Quarantined(String),
    /// A check said no.
    Refused(String),
}

/// The skills of a brain, with the texts that routing reads once somebody asks for them.
#[derive(Debug)]
pub struct Known {
    /// Where they are.
    pub root: PathBuf,
    /// The skills.
    pub listed: Vec<Listed>,
    texts: OnceLock<Vec<SkillText>>,
}

impl Known {
    /// The skills of a brain as they are now.
    pub fn of(brain: &Brain, state: &State) -> Self {
        Self::new(brain.skills_root().path, brain.catalogue(state).skills)
    }

    /// These skills of one folder.
    pub fn new(root: PathBuf, listed: Vec<Listed>) -> Self {
        Self { root, listed, texts: OnceLock::new() }
    }

    /// The texts of the skills, in the same order. All of them are read for it.
    pub fn texts(&self) -> &[SkillText] {
        self.texts.get_or_init(|| self.listed.iter().map(|skill| skill_text(skill).0).collect())
    }

    /// The place of the skill of that name or slug.
    pub fn position(&self, name: &str) -> Option<usize> {
        called(&self.listed, name)
    }

    /// The skill of that name or slug.
    pub fn find(&self, name: &str) -> Option<&Listed> {
        self.position(name).map(|at| &self.listed[at])
    }
}

/// The place of the skill of that name or slug.
pub(crate) fn called(listed: &[Listed], name: &str) -> Option<usize> {
    let slug = hone_skill::Slug::new(name).ok();
    let is_called =
        |skill: &Listed| skill.summary.name == name || Some(&skill.summary.slug) == slug.as_ref();
    listed.iter().position(is_called)
}

/// What the checks without a model need.
#[derive(Debug)]
pub struct Gate<'a> {
    /// The skills that are there.
    pub known: &'a Known,
    /// What may be written as a skill.
    pub policy: &'a Policy,
    /// The library's state.
    pub state: &'a State,
}

impl Gate<'_> {
    /// The first four checks.
    pub fn check(&self, proposal: &Proposal) -> Vec<Checked> {
        let planned = match self.planned(proposal) {
            Ok(planned) => planned,
            Err(Unwritable::Text(why) | Unwritable::Place(why)) => {
                return vec![Checked::failed(Check::Form, why)];
            }
        };
        if !proposal.files.is_empty() {
            // The text stays as it is, so only the scan has something to say.
            return vec![scan::check(self, proposal, &planned)];
        }
        let mut checks = vec![form::check(self, proposal)];
        if checks[0].finding == Finding::Failed {
            return checks;
        }
        checks.push(scan::check(self, proposal, &planned));
        checks.push(twins::check(self, proposal));
        checks.push(routing::check(self, proposal));
        checks
    }

    /// Why the text of a candidate can never be accepted as a skill, whatever else is there.
    pub(crate) fn no_skill(&self, proposal: &Proposal) -> Option<String> {
        match self.planned(proposal) {
            Err(Unwritable::Text(why)) => Some(why),
            Err(Unwritable::Place(_)) => None,
            Ok(_) => {
                let form = form::check(self, proposal);
                (form.finding == Finding::Failed).then_some(form.why)
            }
        }
    }

    /// What writing the candidate would do; nothing is written.
    fn planned(&self, proposal: &Proposal) -> Result<Change, Unwritable> {
        let author = Author { actor: "gate".to_owned(), reason: String::new(), now: proposal.at };
        let store = Store::new(self.state, author, Mode::DryRun);
        let (root, all) = (&self.known.root, &self.known.listed);
        let planned = match (&proposal.kind, self.known.find(&proposal.name)) {
            (Kind::Create, None) => store.create(root, None, &proposal.name, &proposal.text, all),
            (Kind::Create, Some(_)) => {
                let why = format!("there is a skill `{}` already", proposal.name);
                return Err(Unwritable::Place(why));
            }
            (_, Some(skill)) if !proposal.files.is_empty() => {
                attach(&store, skill, &proposal.files)
            }
            (_, Some(skill)) => store.upsert(root, skill.summary.title(), &proposal.text, all),
            (_, None) => {
                let why = format!("there is no skill `{}` any more", proposal.name);
                return Err(Unwritable::Place(why));
            }
        };
        planned.map_err(|error| match error {
            hone_library::Error::Invalid { problems, .. } => {
                let told: Vec<String> =
                    problems.iter().take(3).map(|problem| problem.message.clone()).collect();
                Unwritable::Text(format!("it is no valid skill: {}", told.join("; ")))
            }
            error @ (hone_library::Error::Exists { .. }
            | hone_library::Error::SlugConflict { .. }) => Unwritable::Place(error.to_string()),
            error if error.is_answer() => Unwritable::Text(error.to_string()),
            error => Unwritable::Place(error.to_string()),
        })
    }
}

/// Why a candidate could not be written.
enum Unwritable {
    /// Its text is no skill.
    Text(String),
    /// It has no place: the name is taken, the skill is gone, the folder cannot be used.
    Place(String),
}

/// Writes files beside the text of a skill; the changes are told as one.
pub(crate) fn attach(
    store: &Store<'_>,
    skill: &Listed,
    files: &[Attachment],
) -> Result<Change, hone_library::Error> {
    let mut all: Option<Change> = None;
    for Attachment { file, text } in files {
        let change = store.write_file(skill, file, text.as_bytes(), false)?;
        let before = all.take().map(|all| all.files).unwrap_or_default();
        all = Some(Change { files: before.into_iter().chain(change.files).collect(), ..change });
    }
    all.ok_or_else(|| hone_library::Error::Refused("there is no file to write".to_owned()))
}

/// What routing reads of a candidate.
pub(crate) fn text_of(proposal: &Proposal) -> SkillText {
    SkillText { suite: proposal.suite(), ..routing_text(&proposal.name, &proposal.text) }
}

/// What routing reads of a skill's text.
pub(crate) fn routing_text(name: &str, text: &str) -> SkillText {
    let name = name.to_owned();
    let Some(skill) = hone_skill::read(text.as_bytes(), None).skill else {
        return SkillText { name, ..SkillText::default() };
    };
    SkillText {
        name,
        when_to_use: skill.when_to_use.clone().unwrap_or_default(),
        body: text.get(skill.body.clone()).unwrap_or_default().to_owned(),
        description: skill.description,
        ..SkillText::default()
    }
}

/// What these checks say together. A check that was not measured does not hold a candidate back: the
/// skill is on trial, and watched.
pub fn verdict(checks: &[Checked]) -> Verdict {
    let said = |finding: Finding| checks.iter().find(|checked| checked.finding == finding);
    if let Some(no) = said(Finding::Failed) {
        let why = format!("{}: {}", no.check.id(), no.why);
        return match no.check {
            Check::Scan => Verdict::Quarantined(why),
            Check::Form if no.why.contains(form::TOO_LARGE) => Verdict::Quarantined(why),
            _ => Verdict::Refused(why),
        };
    }
    match said(Finding::NeedsPerson) {
        Some(asks) if asks.check == Check::Scan => {
            Verdict::Quarantined(format!("scan: {}", asks.why))
        }
        Some(asks) => Verdict::Waits(format!("{}: {}", asks.check.id(), asks.why)),
        None => Verdict::Lands,
    }
}
