//! The gate for what a task writes itself, in the middle of its work: the checks without a model, at once.
//!
//! What passes is a skill on trial. What does not is not written; it is kept as a proposal, which a person
//! can look at, edit and accept.

use hone_agent::brain::Brain;
use hone_agent::tools::skills::{Admits, Written};
use hone_guard::policy::Policy;
use hone_library::{State, hash, read_text};

use super::{Check, Checked, Finding, Gate, Known, Verdict, verdict};
use crate::error::LearnError;
use crate::experience::bounded;
use crate::land::is_agents_own;
use crate::learner::new_id;
use crate::learner::reply::MAX_EXAMPLE_CHARS;
use crate::proposal::{Decided, Kind, Outcome, Proposal, Spent, Stage, Trigger};
use crate::records::Records;
use crate::redact::Redactor;

/// Looks at every skill that a task writes.
#[derive(Debug)]
pub struct Porter {
    policy: Policy,
    redactor: Redactor,
    /// Whether what passes lands by itself.
    lands: bool,
}

impl Porter {
    /// One that asks a policy. Where nothing `lands` by itself, every skill waits for a person.
    pub fn new(policy: Policy, redactor: Redactor, lands: bool) -> Self {
        Self { policy, redactor, lands }
    }

    fn look(&self, written: Written<'_>) -> Result<Option<String>, LearnError> {
        let by = written.by;
        let brain = Brain::find(&by.hone_home, &by.agent)?;
        let state = State::open(&by.hone_home);
        let known = Known::of(&brain, &state);
        let mut proposal = self.proposal(written, &known)?;
        let gate = Gate { known: &known, policy: &self.policy, state: &state };
        proposal.checks = gate.check(&proposal);
        let why = "the task is not over, so it cannot be run again";
        proposal.checks.push(Checked::new(Check::Replay, Finding::NotMeasured, why));
        let why = match verdict(&proposal.checks) {
            Verdict::Lands => match self.persons(&proposal, &known, &state) {
                None => return Ok(None),
                Some(why) => why,
            },
            Verdict::Waits(why) => why,
            Verdict::Quarantined(why) => {
                proposal.stage = Stage::Quarantined;
                why
            }
            Verdict::Refused(why) => {
                let (by, at) = ("gate".to_owned(), written.now);
                let why = Decided { outcome: Outcome::Refused, by, why, at };
                let told = why.why.clone();
                proposal.decided = Some(why);
                told
            }
        };
        Records::open(&by.hone_home)?.keep(&proposal)?;
        let is_routing =
            |one: &Checked| (one.check, one.finding) == (Check::Routing, Finding::Failed);
        let more = if proposal.waits() {
            "; it waits for a person"
        } else if proposal.checks.iter().any(is_routing) {
            "; the example is this task, so let the description say when, in such words"
        } else {
            ""
        };
        Ok(Some(format!("{why}{more}")))
    }

    /// Why a person has to say yes although every check passed.
    fn persons(&self, proposal: &Proposal, known: &Known, state: &State) -> Option<String> {
        if !self.lands {
            return Some("nothing becomes a skill here without a person".to_owned());
        }
        if proposal.is_foreign {
            return Some("the task is another subscriber's".to_owned());
        }
        let skill = known.find(&proposal.name)?;
        (!is_agents_own(state, skill)).then(|| "a person wrote in this skill".to_owned())
    }

    fn proposal(&self, written: Written<'_>, known: &Known) -> Result<Proposal, LearnError> {
        let Written { by, name, text, now } = written;
        let kind = match known.find(name) {
            None => Kind::Create,
            Some(skill) => Kind::Refine {
                base: hash(&read_text(skill)?),
                version: skill.summary.version.clone(),
            },
        };
        Ok(Proposal {
            // One for each skill that a task writes: another attempt takes its place.
            id: new_id(0, &format!("{} {} {name}", by.agent, by.id)),
            at: now,
            agent: by.agent.clone(),
            root: None,
            name: name.to_owned(),
            kind,
            text: text.to_owned(),
            examples: vec![bounded(&self.redactor.redact(&by.input), MAX_EXAMPLE_CHARS)],
            near_misses: Vec::new(),
            edits: Vec::new(),
            task: by.id.clone(),
            why: Trigger::Written,
            said: None,
            is_foreign: !by.subscriber.as_text().is_empty(),
            checks: Vec::new(),
            stage: Stage::Draft,
            decided: None,
            edited_by: None,
            spent: Spent::default(),
        })
    }
}

impl Admits for Porter {
    fn refuses(&self, written: Written<'_>) -> Option<String> {
        // What cannot be looked at is not written.
        self.look(written).unwrap_or_else(|error| Some(format!("the gate is shut: {error}")))
    }
}
