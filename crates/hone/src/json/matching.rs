//! The shapes of the JSON that routing prints: `match`, `search`, `why`, `what-if` and `eval triggers`.
//! Like those in [`crate::json`], keys may be added, never renamed or removed.

use hone_library::Listed;
use hone_router::{Match, Reason, Report, Tally, WhatIf, Why};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// `hone match --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matches {
    /// The skills that come into question, the likeliest first.
    pub(crate) matches: Vec<Matched>,
}

/// One line of `hone match --batch`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchLine {
    /// As it was asked.
    pub(crate) id: Value,
    /// The skills that come into question, the likeliest first.
    pub(crate) matches: Vec<Matched>,
    /// Why the line could not be understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// A skill that comes into question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matched {
    pub(crate) name: String,
    /// Its `SKILL.md`, absolute; `builtin:…` inside the binary.
    pub(crate) path: String,
    /// How sure, from 0 to 1: the chance that it should be used.
    pub(crate) score: f64,
    /// activate, offer or nothing.
    pub(crate) band: &'static str,
    /// What the message and the skill have in common, the heaviest first.
    pub(crate) reasons: Vec<MatchReason>,
}

/// Something that a message and a skill have in common.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatchReason {
    /// Words of the message.
    pub(crate) words: String,
    /// name, description, body, phrase, remembered, spelling, meaning or not-for.
    pub(crate) field: &'static str,
    /// How much they count; negative is against the skill, 0 when only letters of them count.
    pub(crate) weight: f64,
}

/// `hone search --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchResults {
    /// The best first.
    pub(crate) results: Vec<SearchResult>,
}

/// A skill that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchResult {
    pub(crate) description: String,
    pub(crate) scope: &'static str,
    #[serde(flatten)]
    pub(crate) matched: Matched,
}

/// `hone why --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhyReport {
    /// Skills that were held against the message.
    pub(crate) considered: usize,
    pub(crate) skills: Vec<WhySkill>,
}

/// Why one skill stands where it does.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhySkill {
    #[serde(flatten)]
    pub(crate) matched: Matched,
    /// From 1; null when nothing leads to it.
    pub(crate) place: Option<usize>,
    /// What its place is made from.
    pub(crate) total: f64,
    pub(crate) contributions: Vec<Contribution>,
    /// Words of the message that it has nowhere.
    pub(crate) lacks: Vec<String>,
    pub(crate) would_change: Option<String>,
}

/// How one measurement moved the odds of a skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Contribution {
    pub(crate) what: &'static str,
    pub(crate) value: f64,
    /// As a logarithm of the odds.
    pub(crate) moved: f64,
}

/// `hone what-if --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhatIfReport {
    pub(crate) name: String,
    /// Messages that were asked.
    pub(crate) asked: usize,
    /// Messages for which it would stand first.
    pub(crate) first: Vec<WhatIfMessage>,
    /// Messages for which it would be offered among others.
    pub(crate) also_offered: usize,
    /// How many messages it would take from whom.
    pub(crate) taken: Vec<TakenFrom>,
    /// The skills most like it.
    pub(crate) neighbours: Vec<String>,
    /// What its line costs in every prompt at most; 0 when a model may not load it.
    pub(crate) tokens_a_turn: usize,
    /// Whether a model may load it; if not, no message leads to it.
    pub(crate) model_invocable: bool,
    /// The installed skill of the same name, which it would replace.
    pub(crate) replaces: Option<String>,
    /// Messages that the skill which it replaces gets, and it would not.
    pub(crate) lost: Vec<String>,
}

/// A message that a new skill would get.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhatIfMessage {
    pub(crate) query: String,
    pub(crate) taken_from: Option<String>,
    pub(crate) score: f64,
    pub(crate) band: &'static str,
}

/// Messages that a new skill would take from another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TakenFrom {
    pub(crate) name: String,
    pub(crate) messages: usize,
}

/// `hone eval triggers --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvalReport {
    pub(crate) total: Figures,
    /// Each skill with a suite; the worst first.
    pub(crate) skills: Vec<EvalSkill>,
    /// Messages that another skill would get.
    pub(crate) stolen: Vec<StolenMessage>,
    /// Messages that do not call their skill, without those that another one gets.
    pub(crate) missed: Vec<MissedMessage>,
    /// Near-misses that call the skill whose suite has them.
    pub(crate) false_alarms: Vec<FalseAlarm>,
    /// How often messages of one skill went to another.
    pub(crate) confusion: Vec<Confusion>,
    /// Skills that none of their messages, or not even their own description, reach.
    pub(crate) unreached: Vec<String>,
}

/// How good decisions were, at even odds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Figures {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    pub(crate) hits: usize,
    pub(crate) misses: usize,
    pub(crate) near_misses: usize,
    pub(crate) near_misses_called: usize,
    /// Messages of the other skills.
    pub(crate) off_topic: usize,
    pub(crate) off_topic_called: usize,
}

/// What came of one skill's suite.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvalSkill {
    pub(crate) name: String,
    /// Messages for which it stood first.
    pub(crate) first: usize,
    #[serde(flatten)]
    pub(crate) figures: Figures,
    pub(crate) suggestion: Option<String>,
}

/// A message that another skill would get.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StolenMessage {
    pub(crate) query: String,
    pub(crate) from: String,
    pub(crate) by: String,
    /// Of the skill that it is for, from 1; null when nothing leads to it.
    pub(crate) place: Option<usize>,
}

/// A message that does not call its skill, and that no other one gets.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MissedMessage {
    pub(crate) query: String,
    pub(crate) name: String,
}

/// A near-miss that calls the skill whose suite says that it should not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FalseAlarm {
    pub(crate) query: String,
    pub(crate) name: String,
}

/// How often messages of one skill went to another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Confusion {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) messages: usize,
}

/// Four digits are enough for a score, and the same on every machine.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

impl Matched {
    pub(crate) fn of(found: &Match, skills: &[Listed]) -> Self {
        let skill = &skills[found.skill];
        Self {
            name: skill.summary.name.clone(),
            path: skill.path.to_string_lossy().into_owned(),
            score: rounded(found.score),
            band: found.band.id(),
            reasons: found.reasons.iter().map(MatchReason::of).collect(),
        }
    }
}

impl MatchReason {
    fn of(reason: &Reason) -> Self {
        Self {
            words: reason.words.clone(),
            field: reason.part.id(),
            weight: rounded(reason.weight),
        }
    }
}

impl WhySkill {
    pub(crate) fn of(why: &Why, skills: &[Listed]) -> Self {
        let contributions = why.contributions.iter().map(|contribution| Contribution {
            what: contribution.what,
            value: rounded(contribution.value),
            moved: rounded(contribution.moved),
        });
        Self {
            matched: Matched::of(&why.found, skills),
            place: why.place,
            total: rounded(why.total),
            contributions: contributions.collect(),
            lacks: why.lacks.iter().map(|word| word.word.clone()).collect(),
            would_change: why.would_change.clone(),
        }
    }
}

impl WhatIfReport {
    pub(crate) fn of(
        answer: &WhatIf,
        new: &Listed,
        replaced: Option<&Listed>,
        skills: &[Listed],
        tokens: usize,
    ) -> Self {
        let named = |skill: usize| skills[skill].summary.name.clone();
        let mut taken: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
        for from in answer.first.iter().filter_map(|change| change.taken_from) {
            *taken.entry(from).or_default() += 1;
        }
        let first = answer.first.iter().map(|change| WhatIfMessage {
            query: change.query.clone(),
            taken_from: change.taken_from.map(named),
            score: rounded(change.score),
            band: change.band.id(),
        });
        Self {
            name: new.summary.name.clone(),
            asked: answer.asked,
            first: first.collect(),
            also_offered: answer.also_offered,
            taken: taken
                .into_iter()
                .map(|(skill, messages)| TakenFrom { name: named(skill), messages })
                .collect(),
            neighbours: answer.neighbours.iter().copied().map(named).collect(),
            tokens_a_turn: tokens,
            model_invocable: new.summary.model_invocable,
            replaces: replaced.map(|skill| skill.path.to_string_lossy().into_owned()),
            lost: answer.lost.clone(),
        }
    }
}

impl From<&Tally> for Figures {
    fn from(tally: &Tally) -> Self {
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        Self {
            precision: rounded(tally.precision()),
            recall: rounded(tally.recall()),
            f1: rounded(tally.f1()),
            hits: tally.hits,
            misses: tally.misses,
            near_misses: tally.near_misses,
            near_misses_called: tally.near_misses_called,
            off_topic: tally.off_topic,
            off_topic_called: tally.off_topic_called,
        }
    }
}

impl EvalReport {
    pub(crate) fn of(report: &Report, skills: &[Listed]) -> Self {
        let named = |skill: usize| skills[skill].summary.name.clone();
        let mut rows: Vec<&hone_router::Evaluated> = report.skills.iter().collect();
        rows.sort_by(|a, b| a.worth().total_cmp(&b.worth()).then_with(|| a.skill.cmp(&b.skill)));
        Self {
            total: Figures::from(&report.total),
            skills: rows
                .into_iter()
                .map(|row| EvalSkill {
                    name: named(row.skill),
                    first: row.first,
                    figures: Figures::from(&row.tally),
                    suggestion: row.suggestion.clone(),
                })
                .collect(),
            stolen: report
                .stolen
                .iter()
                .map(|stolen| StolenMessage {
                    query: stolen.query.clone(),
                    from: named(stolen.from),
                    by: named(stolen.by),
                    place: stolen.place,
                })
                .collect(),
            missed: report
                .missed
                .iter()
                .map(|missed| MissedMessage {
                    query: missed.query.clone(),
                    name: named(missed.skill),
                })
                .collect(),
            false_alarms: report
                .false_alarms
                .iter()
                .map(|alarm| FalseAlarm { query: alarm.query.clone(), name: named(alarm.skill) })
                .collect(),
            confusion: report
                .confusion
                .iter()
                .filter(|((from, to), _)| from != to)
                .map(|((from, to), messages)| Confusion {
                    from: named(*from),
                    to: named(*to),
                    messages: *messages,
                })
                .collect(),
            unreached: report.unreached.iter().copied().map(named).collect(),
        }
    }
}
