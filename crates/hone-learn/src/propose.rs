//! What an agent of another program wants to be remembered: a candidate for a person's own skills, or for
//! those of a brain.
//!
//! It goes through the same gate as what hone's own agents learn, and never lands by itself: a person
//! decides. What is private is taken out before anything is kept.

use std::path::Path;

use hone_guard::policy::Policy;
use hone_library::{State, hash, read_text};

use crate::destination::Destination;
use crate::error::LearnError;
use crate::experience::bounded;
use crate::gate::{Check, Checked, Finding, Gate, Verdict, verdict};
use crate::land::GATE;
use crate::learner::new_id;
use crate::proposal::{Decided, Kind, Outcome, Proposal, Spent, Stage, Trigger};
use crate::records::Records;
use crate::redact::Redactor;

/// Candidates of other programs that may wait for a person at once.
pub const MAX_WAITING: usize = 100;
/// Messages of each kind that a candidate comes with.
pub const MAX_MESSAGES: usize = 16;
/// Characters of one of them.
pub const MAX_MESSAGE_CHARS: usize = 500;
/// Characters that say what taught it.
pub const MAX_SAID_CHARS: usize = 2_000;

/// What an agent proposes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// The whole text of the skill; its frontmatter has the name.
    pub text: String,
    /// Messages that should call it.
    pub examples: Vec<String>,
    /// Messages that should not.
    pub near_misses: Vec<String>,
    /// What taught it, in the agent's words.
    pub said: String,
    /// The session that it comes from, when it is known.
    pub session: String,
}

/// What a candidate is held against.
#[derive(Debug, Clone, Copy)]
pub struct Desk<'a> {
    /// Where the records are.
    pub hone_home: &'a Path,
    /// Where it would land.
    pub destination: &'a Destination,
    /// What may be written as a skill.
    pub policy: &'a Policy,
    /// Takes out what is private.
    pub redactor: &'a Redactor,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

/// Checks a candidate and keeps it for a person. One that is no valid skill is refused, so that the agent
/// can mend it; one that waits already is not kept twice.
pub fn propose(desk: Desk<'_>, offered: Offered) -> Result<Proposal, LearnError> {
    let Desk { hone_home, destination, policy, redactor, now } = desk;
    let (agent, root) = match destination {
        Destination::Brain(brain) => (brain.id.clone(), None),
        Destination::Folder { root, .. } => (String::new(), Some(root.clone())),
    };
    let refused = |why: String| LearnError::Refused(why);
    let clean = |message: &String| redactor.redact(message);
    for messages in [&offered.examples, &offered.near_misses] {
        if messages.len() > MAX_MESSAGES {
            return Err(refused(format!("there may be {MAX_MESSAGES} messages of each kind")));
        }
        if messages.iter().any(|message| message.chars().count() > MAX_MESSAGE_CHARS) {
            return Err(refused(format!("a message may have {MAX_MESSAGE_CHARS} characters")));
        }
    }
    let text = redactor.redact(&offered.text);
    let name = hone_skill::read(text.as_bytes(), None).skill.map(|skill| skill.name);
    let name = name.filter(|name| !name.trim().is_empty()).ok_or_else(|| {
        refused("it has no name: the text begins with frontmatter that has `name`".to_owned())
    })?;
    let records = Records::open(hone_home)?;
    let waiting: Vec<Proposal> = records
        .proposals()?
        .into_iter()
        .filter(|other| other.waits() && other.agent == agent && other.root == root)
        .collect();
    if let Some(same) = waiting.iter().find(|other| other.name == name && other.text == text) {
        return Ok(same.clone());
    }
    if waiting.len() >= MAX_WAITING {
        return Err(refused(format!("{MAX_WAITING} candidates wait for a person already")));
    }
    let state = State::open(hone_home);
    let known = destination.known(&state);
    let kind = match known.find(&name) {
        None => Kind::Create,
        Some(skill) => {
            let version = skill.summary.version.clone();
            Kind::Refine { base: hash(&read_text(skill)?), version }
        }
    };
    let said = bounded(&redactor.redact(&offered.said), MAX_SAID_CHARS);
    let mut proposal = Proposal {
        id: new_id(now, &format!("{agent} {name} {text}")),
        at: now,
        agent,
        root,
        name,
        kind,
        text,
        files: Vec::new(),
        examples: offered.examples.iter().map(clean).collect(),
        near_misses: offered.near_misses.iter().map(clean).collect(),
        edits: Vec::new(),
        task: offered.session,
        why: Trigger::Proposed,
        said: Some(said).filter(|said| !said.is_empty()),
        is_foreign: false,
        checks: Vec::new(),
        stage: Stage::Draft,
        decided: None,
        edited_by: None,
        spent: Spent::default(),
    };
    proposal.checks = Gate { known: &known, policy, state: &state }.check(&proposal);
    let is_no = |checked: &&Checked| checked.finding == Finding::Failed;
    if let Some(no) = proposal.checks.iter().find(is_no).filter(|no| no.check == Check::Form) {
        return Err(refused(no.why.clone()));
    }
    match verdict(&proposal.checks) {
        Verdict::Quarantined(_) => proposal.stage = Stage::Quarantined,
        Verdict::Refused(why) => {
            let by = GATE.to_owned();
            proposal.decided =
                Some(Decided { outcome: Outcome::Refused, by, why, at: now, version: None });
        }
        Verdict::Waits(_) | Verdict::Lands => {
            let why = "the task of another program cannot be run again";
            proposal.checks.push(Checked::new(Check::Replay, Finding::NotMeasured, why));
        }
    }
    records.keep(&proposal)?;
    Ok(proposal)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: tidy\ndescription: Tidies notes. Use when notes are long.\n---\n\
                        1. Sort them by date. Done when the newest is first.\n";

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            std::fs::create_dir(home.path().join("skills")).unwrap();
            Self(home)
        }

        fn propose(&self, offered: Offered, now: i64) -> Result<Proposal, LearnError> {
            let (hone_home, root) = (self.0.path().join("hone"), self.0.path().join("skills"));
            let (policy, redactor) = (Policy::default(), Redactor::new(None));
            let destination = Destination::Folder { root, hone_home: hone_home.clone() };
            let desk = Desk {
                hone_home: &hone_home,
                destination: &destination,
                policy: &policy,
                redactor: &redactor,
                now,
            };
            propose(desk, offered)
        }
    }

    fn offered(text: &str) -> Offered {
        Offered {
            text: text.to_owned(),
            examples: vec!["tidy my notes".to_owned()],
            ..Offered::default()
        }
    }

    #[test]
    fn a_candidate_of_another_program_waits_whatever_the_gate_says() {
        let home = Home::new();
        let said =
            "I wrote to ada@example.org; the token is ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        let first = Offered { said: said.to_owned(), ..offered(TEXT) };
        let proposal = home.propose(first, 1).unwrap();
        assert!(proposal.waits() && proposal.stage == Stage::Draft, "{proposal:?}");
        let kept = proposal.said.clone().unwrap();
        assert!(!["ada@", "ghp_"].iter().any(|private| kept.contains(private)), "{kept}");
        let findings: Vec<Finding> =
            proposal.checks.iter().map(|checked| checked.finding).collect();
        assert_eq!(findings.last(), Some(&Finding::NotMeasured));
        assert!(!home.0.path().join("skills/tidy").exists());
        assert_eq!(home.propose(offered(TEXT), 2).unwrap().id, proposal.id, "it waits already");
    }

    #[test]
    fn what_is_no_skill_is_refused_with_the_reason() {
        let home = Home::new();
        for (text, why) in [
            ("Just words.\n", "it has no name"),
            ("---\nname: tidy\ndescription: Tidies.\n---\nDo it.\n", "not when to use it"),
        ] {
            let error = home.propose(offered(text), 1).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
        let many = Offered { examples: vec!["x".to_owned(); MAX_MESSAGES + 1], ..offered(TEXT) };
        assert!(home.propose(many, 1).is_err());
        let most = Offered { examples: vec!["x".repeat(MAX_MESSAGE_CHARS)], ..offered(TEXT) };
        assert!(home.propose(most, 1).is_ok());
        let long = Offered { examples: vec!["x".repeat(MAX_MESSAGE_CHARS + 1)], ..offered(TEXT) };
        assert!(home.propose(long, 1).is_err());
    }

    #[test]
    fn no_more_wait_than_a_person_can_look_at() {
        let home = Home::new();
        let one =
            |number: usize| offered(&TEXT.replace("name: tidy", &format!("name: tidy-{number}")));
        let kept = home.propose(one(0), 1).unwrap();
        let records = Records::open(&home.0.path().join("hone")).unwrap();
        for number in 1..MAX_WAITING {
            records.keep(&Proposal { id: number.to_string(), ..kept.clone() }).unwrap();
        }
        let error = home.propose(one(1), 2).unwrap_err();
        assert!(error.to_string().contains("100 candidates wait"), "{error}");
        records
            .keep(&Proposal {
                decided: Some(Decided {
                    outcome: Outcome::Rejected,
                    by: "me".to_owned(),
                    why: String::new(),
                    at: 3,
                    version: None,
                }),
                ..kept
            })
            .unwrap();
        assert!(home.propose(one(1), 4).is_ok());
    }
}
