//! What remembered messages change: some of each skill's messages are remembered, the others asked.

#![allow(clippy::cast_precision_loss, reason = "counts of messages are small")]

use std::collections::{BTreeMap, HashMap};

use hone_router::{Case, FEATURES, Ranking, SkillText, Suite};

use crate::bench::route_data::{Data, Indexer, Labelled, skill, text};
use crate::bench::route_decide::{DECISIONS, No, labelled};
use crate::bench::route_fit::{Fitted, Quality, Sample, cross_validated};
use crate::bench::route_rank::Ranks;
use crate::bench::table::Table;

/// A fixed order that has nothing to do with the order of the file.
fn shuffled<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x686f_6e65;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
}

/// Half of each skill's messages are remembered, the others asked.
pub(crate) fn remembering(data: &Data, indexer: &Indexer) -> Table {
    const SPLITS: u64 = 3;
    let mut table = Table::new(&[
        "messages / skills",
        "remembered a skill",
        "Hit@1",
        "Recall@10",
        "Recall@20",
        "MRR@10",
    ]);
    for set in data.sets() {
        if set.skills.len() > MOST_SKILLS {
            continue;
        }
        for keep in [0, 1, 3, 5] {
            let mut ranks = Ranks::default();
            for split in 0..SPLITS {
                let mut by_skill: BTreeMap<usize, Vec<&Labelled>> = BTreeMap::new();
                for message in &set.messages {
                    by_skill.entry(message.relevant[0]).or_default().push(message);
                }
                let mut skills = set.skills.clone();
                let mut asked: Vec<&Labelled> = Vec::new();
                for (place, messages) in &mut by_skill {
                    shuffled(messages, split);
                    let half = messages.len() / 2;
                    let case = |message: &&Labelled| Case {
                        query: message.query.clone(),
                        should_trigger: true,
                    };
                    let cases = messages[..half].iter().take(keep).map(case).collect();
                    skills[*place].suite = Suite { cases, left_out: None };
                    asked.extend(&messages[half..]);
                }
                let index = indexer.index(&skills, asked.iter().map(|m| m.query.as_str()));
                for message in asked {
                    let best = Ranking::new(&index, &message.query).best(20, |_| true);
                    ranks.add(&best, &message.relevant);
                }
            }
            let [first, ten, twenty, reciprocal] = ranks.cells();
            table.row([set.name.clone(), keep.to_string(), first, ten, twenty, reciprocal]);
        }
    }
    deciding_with_examples(data, indexer, table)
}

/// A message that is asked: its skill, whether it should call it, and the words.
type Asked<'d> = (usize, bool, &'d str);

/// Some messages of each skill become its suite, up to `keep` of each kind, and the others are asked: the
/// same ones however many are kept.
fn split<'d>(
    data: &'d Data,
    no: No,
    group: &str,
    (more, keep, seed): (usize, usize, u64),
) -> (Vec<SkillText>, Vec<Asked<'d>>) {
    let rows = data.pool(group, more);
    let mut skills: Vec<SkillText> = rows.iter().map(|row| skill(row)).collect();
    let places: HashMap<&str, usize> =
        rows.iter().enumerate().map(|(at, row)| (text(row, "id"), at)).collect();
    let mut by_skill: BTreeMap<(usize, bool), Vec<&'d str>> = BTreeMap::new();
    for (query, skill, label) in labelled(data, No::Own, group) {
        // The marketing skills have no near-misses.
        let Some(&place) = places.get(skill).filter(|_| label || group != "market") else {
            continue;
        };
        by_skill.entry((place, label)).or_default().push(query);
    }
    let mut asked = Vec::new();
    let mut strangers = no.strangers(data);
    for ((place, label), queries) in &mut by_skill {
        shuffled(queries, seed);
        let (kept, others) = queries.split_at(MOST_KEPT.min(queries.len() / 2));
        let case = |query: &&str| Case { query: (*query).to_owned(), should_trigger: *label };
        skills[*place].suite.cases.extend(kept.iter().take(keep).map(case));
        for query in others {
            if no == No::Own {
                asked.push((*place, *label, *query));
            } else if *label {
                asked.push((*place, true, *query));
                asked.extend(strangers.next().map(|stranger| (*place, false, stranger)));
            }
        }
    }
    (skills, asked)
}

/// Sets with more skills than this are not asked. Where there are strangers among the skills, only the
/// others remember: such rows tell what remembering costs, their gain is none.
const MOST_SKILLS: usize = 1_100;

/// Messages of each kind that are remembered at most.
const MOST_KEPT: usize = 3;

/// Whether a message is for a skill, with none and with three messages of each kind remembered.
fn deciding_with_examples(data: &Data, indexer: &Indexer, mut table: Table) -> Table {
    for (no, group, _) in DECISIONS {
        for (more, keep) in [(0, 0), (0, MOST_KEPT), (1_000, 0), (1_000, MOST_KEPT)] {
            let mut qualities = Vec::new();
            for seed in 0..3 {
                let (skills, asked) = split(data, no, group, (more, keep, seed));
                let index = indexer.index(&skills, asked.iter().map(|(_, _, query)| *query));
                let samples: Vec<Sample> = asked
                    .iter()
                    .map(|(place, label, query)| Sample {
                        values: with_memory(&Ranking::new(&index, query), *place),
                        label: *label,
                        group: skills[*place].name.clone(),
                    })
                    .collect();
                qualities.push(cross_validated(&samples, fitted_in_steps));
            }
            let mean = |of: fn(&Quality) -> f64| {
                format!("{:.3}", qualities.iter().map(of).sum::<f64>() / qualities.len() as f64)
            };
            table.row([
                format!(
                    "{}, {group} / {}: AUC, P, R, nine of ten",
                    no.id(group),
                    data.pool(group, more).len()
                ),
                if group == "market" { format!("{keep}") } else { format!("{keep} + {keep}") },
                mean(|quality| quality.auc),
                mean(|quality| quality.precision),
                mean(|quality| quality.recall),
                format!("{} · {}", mean(|q| q.wanted[0]), mean(|q| q.wanted[1])),
            ]);
        }
    }
    table
}

/// Features, then what the suite adds.
fn with_memory(ranking: &Ranking<'_, '_>, skill: usize) -> Vec<f64> {
    let remembered = ranking.remembered(skill);
    ranking.features(skill).iter().chain(&remembered).map(|&value| f64::from(value)).collect()
}

fn firsts(train: &[&Sample]) -> Vec<Sample> {
    let first = |sample: &&Sample| Sample {
        values: sample.values[..FEATURES.len()].to_vec(),
        ..(*sample).clone()
    };
    train.iter().map(first).collect()
}

/// Weights of the odds by words, and of what the suite adds.
fn second_step(train: &[&Sample], first: &Fitted) -> Fitted {
    let samples: Vec<Sample> = train
        .iter()
        .map(|sample| Sample { values: stepped(first, &sample.values), ..(*sample).clone() })
        .collect();
    Fitted::to(&samples.iter().collect::<Vec<_>>())
}

fn stepped(first: &Fitted, values: &[f64]) -> Vec<f64> {
    let (words, rest) = values.split_at(FEATURES.len());
    std::iter::once(first.score(words)).chain(rest.iter().copied()).collect()
}

/// Weights of words first, then how much the suite adds to them.
fn fitted_in_steps(train: &[&Sample]) -> impl Fn(&Sample) -> f64 + use<> {
    let first = Fitted::to(&firsts(train).iter().collect::<Vec<_>>());
    let second = second_step(train, &first);
    move |sample: &Sample| second.score(&stepped(&first, &sample.values))
}
