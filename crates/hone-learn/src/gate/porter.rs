//! The gate for what a task writes itself, in the middle of its work, and for what a client writes over
//! MCP: the checks without a model, at once.
//!
//! What passes is written; of an agent it is on trial. What does not is not written; it is kept as a
//! proposal, which a person can look at, edit and accept.

use std::path::{Path, PathBuf};

use hone_agent::brain::Brain;
use hone_agent::tools::skills::{Admits, Task, Written};
use hone_guard::policy::Policy;
use hone_library::{FileDelta, State, hash, read_text};

use super::{Check, Checked, Finding, Gate, Known, Verdict, verdict};
use crate::destination::Destination;
use crate::error::LearnError;
use crate::experience::bounded;
use crate::land::is_agents_own;
use crate::learner::new_id;
use crate::learner::reply::MAX_EXAMPLE_CHARS;
use crate::proposal::{Attachment, Decided, Kind, Outcome, Proposal, Spent, Stage, Trigger};
use crate::records::Records;
use crate::redact::Redactor;

/// Looks at every skill that a task or a client writes.
#[derive(Debug)]
pub struct Porter {
    policy: Policy,
    redactor: Redactor,
    whose: Whose,
}

/// Whose skills are written.
#[derive(Debug)]
enum Whose {
    /// The agent's whose task it is; whether what passes lands by itself.
    Agents { lands: bool },
    /// Those of this folder, by a client whose person lets it write.
    Clients(PathBuf),
}

impl Porter {
    /// One that asks a policy. Where nothing `lands` by itself, every skill waits for a person.
    pub fn new(policy: Policy, redactor: Redactor, lands: bool) -> Self {
        Self { policy, redactor, whose: Whose::Agents { lands } }
    }

    /// One for the clients of a server: they write into this folder, or into the brain of the agent that
    /// the server is for.
    pub fn of_clients(policy: Policy, redactor: Redactor, own: PathBuf) -> Self {
        Self { policy, redactor, whose: Whose::Clients(own) }
    }

    fn destination(&self, by: &Task) -> Result<Destination, LearnError> {
        match &self.whose {
            Whose::Clients(own) if by.agent.is_empty() => {
                Ok(Destination::Folder { root: own.clone(), hone_home: by.hone_home.clone() })
            }
            _ => Ok(Destination::Brain(Brain::find(&by.hone_home, &by.agent)?)),
        }
    }

    fn look(&self, written: Written<'_>) -> Result<Option<String>, LearnError> {
        let by = written.by;
        let destination = self.destination(by)?;
        let state = State::open(&by.hone_home);
        let known = destination.known(&state);
        let mut proposal = self.proposal(written, &known)?;
        if let Destination::Folder { root, .. } = destination {
            proposal.root = Some(root);
        }
        proposal.id = id(&proposal);
        let records = Records::open(&by.hone_home)?;
        if records.is_rejected(&proposal.id)? {
            return Ok(Some("a person looked at it and did not want it".to_owned()));
        }
        let gate = Gate { known: &known, policy: &self.policy, state: &state };
        proposal.checks = gate.check(&proposal);
        let why = match self.whose {
            Whose::Agents { .. } => "the task is not over, so it cannot be run again",
            Whose::Clients(_) => "the task of another program cannot be run again",
        };
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
                let why = Decided { outcome: Outcome::Refused, by, why, at, version: None };
                let told = why.why.clone();
                proposal.decided = Some(why);
                told
            }
        };
        records.keep_attempt(&proposal)?;
        let is_routing =
            |one: &Checked| (one.check, one.finding) == (Check::Routing, Finding::Failed);
        let more = if proposal.waits() {
            format!("; it waits for a person: `hone review show {}`", proposal.id)
        } else if proposal.checks.iter().any(is_routing) {
            "; the example is this task, so let the description say when, in such words".to_owned()
        } else {
            String::new()
        };
        Ok(Some(format!("{why}{more}")))
    }

    /// Why a person has to say yes although every check passed.
    fn persons(&self, proposal: &Proposal, known: &Known, state: &State) -> Option<String> {
        let Whose::Agents { lands } = self.whose else { return None };
        if !lands {
            return Some("nothing becomes a skill here without a person".to_owned());
        }
        if proposal.is_foreign {
            return Some("the task is another subscriber's".to_owned());
        }
        let skill = known.find(&proposal.name)?;
        (!is_agents_own(state, skill)).then(|| "a person wrote in this skill".to_owned())
    }

    fn proposal(&self, written: Written<'_>, known: &Known) -> Result<Proposal, LearnError> {
        let Written { by, name, text, files, now } = written;
        let attach = |delta: &FileDelta| {
            let text = String::from_utf8(delta.after.clone().unwrap_or_default());
            let no_text = |_| LearnError::Refused(format!("`{}` is no text", delta.file));
            Ok(Attachment { file: delta.file.clone(), text: text.map_err(no_text)? })
        };
        let files: Vec<Attachment> = files.iter().map(attach).collect::<Result<_, LearnError>>()?;
        // A client does not say what it was asked, and a file is not what a message calls.
        let is_example = |example: &String| !example.is_empty() && files.is_empty();
        let example = bounded(&self.redactor.redact(&by.input), MAX_EXAMPLE_CHARS);
        let kind = match known.find(name) {
            None => Kind::Create,
            Some(skill) => Kind::Refine {
                base: hash(&read_text(skill)?),
                version: skill.summary.version.clone(),
            },
        };
        Ok(Proposal {
            id: String::new(),
            at: now,
            agent: by.agent.clone(),
            root: None,
            name: name.to_owned(),
            kind,
            text: text.to_owned(),
            examples: Some(example).filter(is_example).into_iter().collect(),
            files,
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

/// An id that is bound to the content: what somebody says about it counts for nothing else.
fn id(proposal: &Proposal) -> String {
    let root = proposal.root.as_deref().unwrap_or(Path::new("")).display();
    let Proposal { agent, task, name, .. } = proposal;
    new_id(0, &format!("{root} {agent} {task} {name} {}", proposal.tag()))
}

impl Admits for Porter {
    fn refuses(&self, written: Written<'_>) -> Option<String> {
        // What cannot be looked at is not written.
        self.look(written).unwrap_or_else(|error| Some(format!("the gate is shut: {error}")))
    }
}
