//! Whether a message is for a skill at all: near-misses and off-topic messages against its own, and
//! how often *activate* is right.

#![allow(clippy::cast_precision_loss, reason = "counts of messages are small")]

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use hone_router::{Band, FEATURES, Ranking, SkillText};

use crate::bench::route_data::{DISTRACTORS, Data, Indexer, Meant, relevant, skill, text};
use crate::bench::route_fit::{Fitted, Sample, cross_validated};
use crate::bench::table::{Table, grouped};

/// What the messages are that should not call a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum No {
    /// Those of its own suite: near-misses, or for cloud skills something else altogether.
    Own,
    /// Messages for tools.
    Tools,
    /// Everyday questions.
    Everyday,
}

/// The kinds of decision, each with the group of skills that is asked and how much it weighs in a fit:
/// most messages are about something else.
pub(crate) const DECISIONS: [(No, &str, usize); 8] = [
    (No::Own, "trig", 1),
    (No::Tools, "trig", 2),
    (No::Tools, "market", 2),
    (No::Tools, "cloud", 1),
    (No::Everyday, "trig", 1),
    (No::Everyday, "market", 1),
    (No::Everyday, "cloud", 1),
    (No::Own, "cloud", 1),
];

impl No {
    pub(crate) fn id(self, group: &str) -> &'static str {
        match self {
            Self::Own if group == "trig" => "near-miss",
            Self::Own => "off-topic, own",
            Self::Tools => "off-topic, tools",
            Self::Everyday => "off-topic, everyday",
        }
    }

    /// The messages, without end, that are strange to every skill; of its own suite there are none.
    pub(crate) fn strangers(self, data: &Data) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Own => Box::new(std::iter::empty()),
            Self::Tools => Box::new(data.metatool.iter().map(|row| text(row, "query")).cycle()),
            Self::Everyday => Box::new(data.everyday.iter().copied().cycle()),
        }
    }
}

/// A message, the skill that it is held against, and whether it should call it.
pub(crate) fn labelled<'d>(data: &'d Data, no: No, group: &str) -> Vec<(&'d str, &'d str, bool)> {
    let suites = |rows: &'d [serde_json::Value]| -> Vec<(&'d str, &'d str, bool)> {
        let is_english = |row: &&serde_json::Value| row["lang"] == "en";
        let of = |row: &'d serde_json::Value| {
            (text(row, "query"), text(row, "skill"), row["should_trigger"] == true)
        };
        rows.iter().filter(is_english).map(of).collect()
    };
    let own: Vec<(&str, &str, bool)> = match group {
        "trig" => suites(&data.triggers),
        "cloud" => suites(&data.cloud),
        _ => {
            let ranked = relevant(&data.ranked).into_iter();
            ranked
                .flat_map(|(query, ids)| {
                    let first = ids.first().copied().unwrap_or_default();
                    [(query, first, true), (query, first, false)]
                })
                .collect()
        }
    };
    let mut strangers = no.strangers(data);
    own.into_iter()
        .map(|(query, skill, label)| {
            let query = if label { query } else { strangers.next().unwrap_or(query) };
            (query, skill, label)
        })
        .collect()
}

/// Labelled pairs of a message and a skill.
fn samples(data: &Data, indexer: &Indexer, more: usize, no: No, group: &str) -> Vec<Sample> {
    let rows = data.pool(group, more);
    let places: HashMap<&str, usize> =
        rows.iter().enumerate().map(|(at, row)| (text(row, "id"), at)).collect();
    let skills: Vec<SkillText> = rows.iter().map(|row| skill(row)).collect();
    let labelled = labelled(data, no, group);
    let index = indexer.index(&skills, labelled.iter().map(|(query, ..)| *query));
    let mut samples = Vec::new();
    for (query, skill, label) in labelled {
        let Some(&place) = places.get(skill) else { continue };
        let ranking = Ranking::new(&index, query);
        let values = ranking.features(place).iter().map(|&value| f64::from(value)).collect();
        samples.push(Sample { values, label, group: skill.to_owned() });
    }
    samples
}

fn fitted(train: &[&Sample]) -> impl Fn(&Sample) -> f64 + use<> {
    let fitted = Fitted::to(train);
    move |sample: &Sample| fitted.score(&sample.values)
}

/// Samples of every kind and size, for fitting as the shipped weights are.
fn everything(data: &Data, indexer: &Indexer) -> Vec<Sample> {
    let mut all = Vec::new();
    for more in DISTRACTORS {
        for (no, group, weight) in DECISIONS {
            let samples = samples(data, indexer, more, no, group);
            for _ in 0..weight {
                all.extend(samples.iter().cloned());
            }
        }
    }
    all
}

pub(crate) fn deciding(data: &Data, indexer: &Indexer, fit: bool) -> String {
    let everything = everything(data, indexer);
    let mut table = Table::new(&[
        "no is",
        "skills",
        "messages",
        "by",
        "AUC · precision · recall",
        "P · R, nine of ten found",
        "R at P .70",
    ]);
    let mut text = String::new();
    for (no, group, _) in DECISIONS {
        for more in DISTRACTORS {
            let samples = samples(data, indexer, more, no, group);
            let skills = format!("{group} / {}", grouped(data.pool(group, more).len()));
            let words = cross_validated(&samples, |_| |sample: &Sample| sample.values[0]);
            let asked: HashSet<&str> = samples.iter().map(|sample| sample.group.as_str()).collect();
            let all = cross_validated(&samples, |train| {
                let seen: HashSet<&str> =
                    train.iter().map(|sample| sample.group.as_str()).collect();
                // All other skills, those of the other sets among them.
                let is_other = |sample: &&Sample| {
                    let group = sample.group.as_str();
                    seen.contains(group) || !asked.contains(group)
                };
                fitted(&everything.iter().filter(is_other).collect::<Vec<_>>())
            });
            let fixed = indexer.model();
            let shipped = cross_validated(&samples, |_| {
                move |sample: &Sample| {
                    let pairs = fixed.weights.iter().zip(&sample.values);
                    pairs.map(|(weight, value)| f64::from(*weight) * value).sum()
                }
            });
            for (by, quality) in
                [("words alone, raw", words), ("refitted", all), ("as shipped", shipped)]
            {
                table.row([
                    no.id(group).to_owned(),
                    skills.clone(),
                    grouped(samples.len()),
                    by.to_owned(),
                    quality.to_string(),
                    format!("{:.3} · {:.3}", quality.wanted[0], quality.wanted[1]),
                    format!("{:.3}", quality.recall_at_70),
                ]);
            }
        }
    }
    text.push_str(&table.to_string());
    if fit {
        let fitted = Fitted::to(&everything.iter().collect::<Vec<_>>());
        text.push_str("\nFitted to all of them:\n\n");
        let names = FEATURES.iter().copied().chain(std::iter::once("constant"));
        for (name, weight) in names.zip(&fitted.0) {
            let _ = writeln!(text, "- {name}: {weight:.3}");
        }
    }
    text
}

pub(crate) fn activating(data: &Data, indexer: &Indexer) -> Table {
    let mut table = Table::new(&[
        "messages / skills",
        "asked",
        "activated",
        "right",
        "precision",
        "offered: the right one",
        "nothing",
    ]);
    // Messages of each set, and those of tools, which should activate nothing.
    let of_triggers = data.triggers.iter().map(|row| {
        (text(row, "query"), Some(text(row, "skill")).filter(|_| row["should_trigger"] == true))
    });
    let of_market = relevant(&data.ranked).into_iter();
    let of_market = of_market.map(|(query, ids)| (query, ids.first().copied()));
    let of_tools = data.metatool.iter().map(|row| (text(row, "query"), None));
    /// A message, and the skill that it wants.
    type Asked<'a> = (&'a str, Option<&'a str>);
    let of_calls = data.calls.iter();
    let of_calls =
        of_calls.map(|(id, meant, query)| (*query, Some(*id).filter(|_| *meant != Meant::No)));
    let sets: [(&str, &str, Vec<Asked<'_>>); 4] = [
        ("trig", "trig", of_triggers.collect()),
        ("market", "market", of_market.collect()),
        ("metatool", "trig", of_tools.collect()),
        ("calls and mentions", "pool", of_calls.collect()),
    ];
    let cases = DISTRACTORS.iter().flat_map(|more| sets.iter().map(move |set| (*more, set)));
    for (more, (name, group, messages)) in cases {
        // Calls are asked of the skills that they name, among all others or alone.
        let named: HashSet<&str> = data.calls.iter().map(|(id, ..)| *id).collect();
        let rows: Vec<_> = match *group {
            "pool" if more == 0 => {
                data.pool.iter().filter(|row| named.contains(text(row, "id"))).collect()
            }
            "pool" if more < usize::MAX => continue,
            "pool" => data.pool("pool", 0),
            group => data.pool(group, more),
        };
        let skills: Vec<SkillText> = rows.iter().map(|row| skill(row)).collect();
        let index = indexer.index(&skills, messages.iter().map(|(query, _)| *query));
        let (mut activated, mut right, mut asked, mut offered, mut wanted, mut nothing) =
            (0usize, 0usize, 0usize, 0usize, 0usize, 0usize);
        for (query, wants) in messages {
            let place = wants.and_then(|id| rows.iter().position(|row| text(row, "id") == id));
            asked += 1;
            let matches = Ranking::new(&index, query).matches(20, |_| true);
            for found in matches.iter().filter(|found| found.band == Band::Activate) {
                activated += 1;
                right += usize::from(Some(found.skill) == place);
            }
            if let Some(place) = place {
                wanted += 1;
                offered += usize::from(
                    matches.iter().any(|found| found.skill == place && found.band != Band::Nothing),
                );
            }
            nothing += usize::from(matches.iter().all(|found| found.band == Band::Nothing));
        }
        table.row([
            format!("{name} / {}", grouped(rows.len())),
            grouped(asked),
            grouped(activated),
            grouped(right),
            format!("{:.3}", right as f64 / f64::max(activated as f64, 1.0)),
            format!("{:.3}", offered as f64 / f64::max(wanted as f64, 1.0)),
            grouped(nothing),
        ]);
    }
    table
}
