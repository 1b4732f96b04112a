//! What happened once: a task, the calls of tools that served it, and how it went.
//!
//! Every part is bounded, whatever the source had. Texts are data of unknown origin and as they were
//! found; [`Experience::redacted`] is what may be shown or kept.

use std::path::PathBuf;

use hone_agent::memory::Subscriber;
use hone_agent::step::{Effect, ToolStep, What};
use hone_agent::task::{End, Finished};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::redact::Redactor;

pub use hone_agent::step::Outcome;

/// Characters of a task, of a correction and of an answer at most.
pub const MAX_TASK_CHARS: usize = 8_000;

/// Characters of a result at most: its beginning and its end.
pub const MAX_RESULT_CHARS: usize = 2_000;

/// Characters of all texts among the arguments of a call at most.
pub const MAX_ARGUMENT_CHARS: usize = 8_000;

/// Values in the arguments of a call at most.
pub const MAX_ARGUMENT_VALUES: usize = 256;

/// Characters of a name, an id or a key at most.
pub const MAX_NAME_CHARS: usize = 200;

/// Steps at most; the first ones are kept.
pub const MAX_STEPS: usize = 2_000;

/// Corrections and loaded skills at most, each.
pub const MAX_NOTED: usize = 200;

/// What happened once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experience {
    /// Whose it is and where it was found.
    pub source: Source,
    /// What was asked, in the words of the person.
    pub task: String,
    /// Every call of a tool, in order.
    pub steps: Vec<Step>,
    /// The skills that were loaded, in the order in which they were.
    pub skills: Vec<Loaded>,
    /// What the person said against the way it was done.
    pub corrections: Vec<Correction>,
    /// Whether it came to an end that somebody wanted: an answer, not a limit, a failure or a stop.
    pub converged: bool,
    /// What was answered at the end.
    pub answer: Option<String>,
    /// What it cost.
    pub cost: Cost,
    /// Records that were not understood, and steps that were too many.
    pub skipped: u64,
}

/// Whose experience it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Who did the work.
    pub agent: Agent,
    /// The id of the session or task.
    pub session: String,
    /// The file that it was read from.
    pub path: Option<PathBuf>,
    /// For whom it was done; empty for the owner.
    pub subscriber: String,
    /// The folder that the work was done in.
    pub folder: Option<PathBuf>,
    /// The model, where it is known.
    pub model: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
}

/// Who did the work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "agent", content = "name", rename_all = "kebab-case")]
pub enum Agent {
    /// An agent of hone's own, by its name.
    Hone(String),
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Hermes.
    Hermes,
    /// Somebody: a plain transcript.
    Plain,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its id, unique in the experience.
    pub id: String,
    /// The tool's name, as the agent has it.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The result, cut in the middle.
    pub result: String,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began, in milliseconds since 1970; 0 when nobody wrote it down.
    pub started: i64,
    /// When it ended.
    pub ended: i64,
}

/// A skill that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Loaded {
    /// Its name.
    pub name: String,
    /// Its version, when it declared one.
    pub version: Option<String>,
}

/// Something that the person said after work had begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    /// The step that it followed; none before the first.
    pub after: Option<String>,
    /// What was said.
    pub text: String,
}

/// What an experience cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Replies of the model.
    pub turns: u64,
    /// Tokens that went in.
    pub tokens_in: u64,
    /// Tokens that came out.
    pub tokens_out: u64,
    /// Time from start to end.
    pub milliseconds: u64,
}

impl Agent {
    /// The name for people and filters: `hone`, `claude-code`, `codex`, `hermes`, `plain`.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Hone(_) => "hone",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Hermes => "hermes",
            Self::Plain => "plain",
        }
    }

    /// The name of an agent of hone's own.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Hone(name) => Some(name),
            _ => None,
        }
    }
}

impl Experience {
    /// The experience of a task that hone's agent `agent` has just ended.
    pub fn of_run(agent: &str, subscriber: &Subscriber, input: &str, finished: &Finished) -> Self {
        let mut experience = Self {
            source: Source {
                agent: Agent::Hone(agent.to_owned()),
                session: finished.id.clone(),
                path: None,
                subscriber: subscriber.as_text().to_owned(),
                folder: None,
                model: None,
                started: finished.steps.first().map_or(0, |step| step.started),
            },
            task: bounded(input, MAX_TASK_CHARS),
            steps: Vec::new(),
            skills: Vec::new(),
            corrections: Vec::new(),
            converged: false,
            answer: finished.answer().map(|answer| bounded(&answer, MAX_TASK_CHARS)),
            cost: Cost::default(),
            skipped: 0,
        };
        for step in &finished.steps {
            experience.take(step);
        }
        experience.end(&finished.end, finished.cost);
        experience
    }

    /// Takes the next step of a task of hone's agent.
    pub(crate) fn take(&mut self, step: &hone_agent::step::Step) {
        match &step.what {
            What::Tool(call) => self.take_call(step, call),
            What::Model { model, .. } => self.source.model = Some(bounded(model, MAX_NAME_CHARS)),
            What::Skills { .. } | What::NoReply { .. } => {}
        }
    }

    fn take_call(&mut self, step: &hone_agent::step::Step, call: &ToolStep) {
        for effect in &call.effects {
            if let Effect::SkillRead { name, version, .. } = effect {
                self.load(Loaded { name: bounded(name, MAX_NAME_CHARS), version: version.clone() });
            }
        }
        self.push(Step {
            id: step.id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            result: call.text.clone(),
            outcome: call.outcome,
            started: step.started,
            ended: step.ended,
        });
    }

    /// Takes the end of a task of hone's agent.
    pub(crate) fn end(&mut self, end: &End, cost: hone_agent::task::Cost) {
        self.converged = matches!(end, End::Answered { .. });
        self.cost = Cost {
            turns: cost.turns as u64,
            tokens_in: cost.usage.input,
            tokens_out: cost.usage.output,
            milliseconds: cost.milliseconds,
        };
    }

    /// Adds a step, cut to its bounds; one too many is counted.
    pub fn push(&mut self, mut step: Step) {
        if self.steps.len() == MAX_STEPS {
            self.skipped += 1;
            return;
        }
        step.id = bounded(&step.id, MAX_NAME_CHARS);
        step.tool = bounded(&step.tool, MAX_NAME_CHARS);
        step.result = bounded(&step.result, MAX_RESULT_CHARS);
        let mut room = Room { values: MAX_ARGUMENT_VALUES, chars: MAX_ARGUMENT_CHARS };
        bound_value(&mut step.arguments, &mut room);
        self.steps.push(step);
    }

    /// Notes a skill that was loaded, once.
    pub fn load(&mut self, skill: Loaded) {
        if self.skills.len() < MAX_NOTED && !self.skills.contains(&skill) {
            self.skills.push(skill);
        }
    }

    /// Notes what the person said after the newest step.
    pub fn correct(&mut self, text: &str) {
        if self.corrections.len() < MAX_NOTED {
            let after = self.steps.last().map(|step| step.id.clone());
            self.corrections.push(Correction { after, text: bounded(text, MAX_TASK_CHARS) });
        }
    }

    /// Whether a call failed and a later one, of the same tool or another, worked.
    pub fn recovered(&self) -> bool {
        let failed = self.steps.iter().position(|step| step.outcome != Outcome::Ok);
        failed.is_some_and(|at| self.steps[at..].iter().any(|step| step.outcome == Outcome::Ok))
    }

    /// The same with everything private replaced by placeholders: what may be shown to a model and kept.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let text = |text: &str| redactor.redact(text);
        let path = |path: &PathBuf| PathBuf::from(redactor.redact(&path.to_string_lossy()));
        Self {
            source: Source {
                path: self.source.path.as_ref().map(path),
                folder: self.source.folder.as_ref().map(path),
                subscriber: text(&self.source.subscriber),
                ..self.source.clone()
            },
            task: text(&self.task),
            steps: self
                .steps
                .iter()
                .map(|step| Step {
                    tool: text(&step.tool),
                    arguments: redactor.redact_value(&step.arguments),
                    result: text(&step.result),
                    ..step.clone()
                })
                .collect(),
            skills: self.skills.clone(),
            corrections: self
                .corrections
                .iter()
                .map(|said| Correction { text: text(&said.text), after: said.after.clone() })
                .collect(),
            answer: self.answer.as_deref().map(text),
            ..*self
        }
    }
}

/// At most so many characters of a text: its beginning and its end.
pub fn bounded(text: &str, most: usize) -> String {
    const GAP: &str = " … ";
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    let Some(room) = most.checked_sub(GAP.chars().count()) else {
        return text.chars().take(most).collect();
    };
    let tail = room / 3;
    let mut places = text.char_indices();
    let head = places.nth(room - tail).map_or(text.len(), |(at, _)| at);
    let end = match tail.checked_sub(1) {
        Some(last) => text.char_indices().nth_back(last).map_or(0, |(at, _)| at),
        None => text.len(),
    };
    format!("{}{GAP}{}", &text[..head], &text[end..])
}

/// What the arguments of a call may still take.
struct Room {
    values: usize,
    chars: usize,
}

fn bound_value(value: &mut Value, room: &mut Room) {
    room.values = room.values.saturating_sub(1);
    match value {
        Value::String(text) => {
            if text.len() > room.chars {
                *text = bounded(text, room.chars);
            }
            room.chars = room.chars.saturating_sub(text.len());
        }
        Value::Array(values) => {
            values.truncate(room.values);
            for value in values {
                bound_value(value, room);
            }
        }
        Value::Object(entries) => {
            let mut kept = 0;
            entries.retain(|key, _| {
                kept += usize::from(key.len() <= MAX_NAME_CHARS);
                key.len() <= MAX_NAME_CHARS && kept <= room.values
            });
            for value in entries.values_mut() {
                bound_value(value, room);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hone_agent::model::Usage;
    use serde_json::json;

    use super::*;

    fn finished(end: End, outcomes: &[Outcome]) -> Finished {
        let step = |(number, outcome): (usize, &Outcome)| hone_agent::step::Step {
            id: format!("t.{number}"),
            started: 5,
            ended: 6,
            what: What::Tool(ToolStep {
                turn: 1,
                tool: "skill_view".to_owned(),
                arguments: json!({"name": "tidy"}),
                arguments_sha256: String::new(),
                outcome: *outcome,
                summary: String::new(),
                text: "at /home/ada/x".to_owned(),
                result_sha256: String::new(),
                is_cut: false,
                effects: vec![Effect::SkillRead {
                    name: "tidy".to_owned(),
                    version: Some("2".to_owned()),
                    sha256: None,
                }],
            }),
        };
        Finished {
            id: "t".to_owned(),
            end,
            steps: outcomes.iter().enumerate().map(step).collect(),
            conversation: Vec::new(),
            cost: hone_agent::task::Cost {
                turns: 3,
                calls: outcomes.len(),
                usage: Usage { input: 7, output: 8, is_estimate: false },
                milliseconds: 9,
            },
        }
    }

    fn answered() -> End {
        End::Answered { text: "{\"answer\": \"done\"}".to_owned() }
    }

    #[test]
    fn a_run_of_ours_is_an_experience() {
        let finished = finished(answered(), &[Outcome::Failed, Outcome::Ok]);
        let experience = Experience::of_run("auditor", &Subscriber::Owner, "Tidy up", &finished);
        assert_eq!(experience.source.agent, Agent::Hone("auditor".to_owned()));
        assert_eq!(experience.task, "Tidy up");
        assert_eq!(experience.answer.as_deref(), Some("done"));
        assert_eq!(
            experience.skills,
            [Loaded { name: "tidy".to_owned(), version: Some("2".to_owned()) }]
        );
        assert!(experience.converged && experience.recovered());
        let cost = Cost { turns: 3, tokens_in: 7, tokens_out: 8, milliseconds: 9 };
        assert_eq!(experience.cost, cost);
        let redacted = experience.redacted(&Redactor::new(Some(Path::new("/home/ada"))));
        assert_eq!(redacted.steps[0].result, "at ~/x");
        let text = serde_json::to_string(&experience).unwrap();
        assert_eq!(serde_json::from_str::<Experience>(&text).unwrap(), experience);
    }

    #[test]
    fn only_an_answer_is_a_good_end() {
        let run = |end, outcomes: &[Outcome]| {
            Experience::of_run("a", &Subscriber::Owner, "x", &finished(end, outcomes))
        };
        assert!(!run(End::Cancelled, &[Outcome::Ok]).converged);
        assert!(!run(answered(), &[Outcome::Ok, Outcome::Failed]).recovered());
        assert!(run(answered(), &[Outcome::Refused, Outcome::Ok]).recovered());
    }

    #[test]
    fn a_text_past_its_bound_keeps_both_ends() {
        assert_eq!(bounded("äbcdef", 6), "äbcdef");
        assert_eq!(bounded("äbcdefghij", 9), "äbcd … ij");
        assert_eq!(bounded("äbcdefghij", 9).chars().count(), 9);
        assert_eq!(bounded("abcdef", 2), "ab");
    }

    #[test]
    fn every_part_of_a_step_keeps_to_its_bound() {
        let mut experience = Experience::of_run(
            "a",
            &Subscriber::Owner,
            &"t".repeat(MAX_TASK_CHARS + 1),
            &finished(answered(), &[]),
        );
        assert_eq!(experience.task.chars().count(), MAX_TASK_CHARS);
        let step = |result: usize, texts: usize, length: usize| Step {
            id: "i".repeat(MAX_NAME_CHARS + 1),
            tool: "x".to_owned(),
            arguments: json!({"list": vec!["y".repeat(length); texts], "z".repeat(MAX_NAME_CHARS + 1): 1}),
            result: "r".repeat(result),
            outcome: Outcome::Ok,
            started: 0,
            ended: 0,
        };
        experience.push(step(MAX_RESULT_CHARS, 1, MAX_ARGUMENT_CHARS));
        experience.push(step(MAX_RESULT_CHARS + 1, 3, MAX_ARGUMENT_CHARS / 2));
        experience.push(step(0, MAX_ARGUMENT_VALUES * 2, 1));
        let [at, past, many] = experience.steps.as_slice() else { panic!("three steps") };
        assert_eq!(at.result.len(), MAX_RESULT_CHARS);
        assert_eq!(at.arguments["list"][0].as_str().unwrap().len(), MAX_ARGUMENT_CHARS);
        assert_eq!(past.result.chars().count(), MAX_RESULT_CHARS);
        assert_eq!(past.arguments["list"][2], "");
        assert_eq!(past.id.chars().count(), MAX_NAME_CHARS);
        assert_eq!(past.arguments.as_object().unwrap().len(), 1);
        assert!(many.arguments["list"].as_array().unwrap().len() < MAX_ARGUMENT_VALUES);
        for _ in 0..=MAX_NOTED {
            experience.correct("no");
        }
        assert_eq!(experience.corrections.len(), MAX_NOTED);
    }
}
