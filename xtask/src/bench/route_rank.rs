//! Which skill a message is for: the order of the router's index beside a plain BM25 over descriptions.

#![allow(clippy::cast_precision_loss, reason = "counts of messages are small")]

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use hone_router::Ranking;

use crate::bench::route_data::{Data, Indexer, Set};
use crate::bench::table::{Table, grouped};

/// How well a ranking does, summed over messages.
#[derive(Default)]
pub(crate) struct Ranks {
    asked: f64,
    first: f64,
    ten: f64,
    twenty: f64,
    reciprocal: f64,
}

impl Ranks {
    pub(crate) fn add(&mut self, order: &[usize], relevant: &[usize]) {
        let place = |skill: &usize| order.iter().position(|found| found == skill);
        let places: Vec<Option<usize>> = relevant.iter().map(place).collect();
        let within = |limit: usize| {
            let found = places.iter().filter(|place| place.is_some_and(|place| place < limit));
            found.count() as f64 / places.len() as f64
        };
        self.asked += 1.0;
        self.ten += within(10);
        self.twenty += within(20);
        if let Some(best) = places.iter().flatten().min() {
            self.first += f64::from(u8::from(*best == 0));
            if *best < 10 {
                self.reciprocal += 1.0 / (*best as f64 + 1.0);
            }
        }
    }

    pub(crate) fn cells(&self) -> [String; 4] {
        [self.first, self.ten, self.twenty, self.reciprocal]
            .map(|sum| format!("{:.3}", sum / self.asked.max(1.0)))
    }
}

/// A plain BM25 over names and descriptions: the router with nothing but those.
fn descriptions_only(set: &Set) -> Vec<Vec<usize>> {
    let documents: Vec<Vec<String>> = set
        .skills
        .iter()
        .map(|skill| plain_words(&format!("{} {}", skill.name, skill.description)))
        .collect();
    let mean = documents.iter().map(Vec::len).sum::<usize>() as f64 / documents.len().max(1) as f64;
    let mut lists: HashMap<&str, BTreeMap<usize, f64>> = HashMap::new();
    for (at, words) in documents.iter().enumerate() {
        for word in words {
            *lists.entry(word).or_default().entry(at).or_default() += 1.0;
        }
    }
    set.messages
        .iter()
        .map(|message| {
            let mut scores = vec![0.0; documents.len()];
            let mut words = plain_words(&message.query);
            words.sort_unstable();
            words.dedup();
            for list in words.iter().filter_map(|word| lists.get(word.as_str())) {
                let (all, count) = (documents.len() as f64, list.len() as f64);
                let rarity = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
                for (&at, &times) in list {
                    let length = documents[at].len() as f64 / mean;
                    scores[at] += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length));
                }
            }
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
            order
        })
        .collect()
}

fn plain_words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .map(str::to_owned)
        .collect()
}

pub(crate) fn ranking(data: &Data, indexers: &[Indexer]) -> Table {
    let mut table = Table::new(&[
        "messages / skills",
        "asked",
        "by",
        "Hit@1",
        "Recall@10",
        "Recall@20",
        "MRR@10",
        "a message",
    ]);
    for set in data.sets() {
        let mut plain = Ranks::default();
        for (order, message) in descriptions_only(&set).iter().zip(&set.messages) {
            plain.add(order, &message.relevant);
        }
        let mut rows = vec![("BM25, descriptions", plain, "–".to_owned())];
        for indexer in indexers {
            let asked = set.messages.iter().map(|message| message.query.as_str());
            let index = indexer.index(&set.skills, asked);
            let mut ours = Ranks::default();
            let mut took = Duration::ZERO;
            for message in &set.messages {
                let start = Instant::now();
                let ranking = Ranking::new(&index, &message.query);
                let best = ranking.best(20, |_| true);
                took += start.elapsed();
                ours.add(&best, &message.relevant);
            }
            let each = took.as_secs_f64() * 1e3 / set.messages.len().max(1) as f64;
            rows.push((indexer.name(), ours, format!("{each:.3} ms")));
        }
        for (by, ranks, time) in rows {
            let [first, ten, twenty, reciprocal] = ranks.cells();
            table.row([
                set.name.clone(),
                grouped(set.messages.len()),
                by.to_owned(),
                first,
                ten,
                twenty,
                reciprocal,
                time,
            ]);
        }
    }
    table
}
