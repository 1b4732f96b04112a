//! `cargo xtask bench route`: how well messages find their skills, and how fast. A folder of labelled
//! messages (`pool`, `triggers`, `ranked`, `metatool`, `metatool_tools`, each `.jsonl.gz`) is asked
//! through the router's index, beside a plain BM25 over descriptions.

#![allow(clippy::cast_precision_loss, reason = "counts of messages are small")]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hone_router::{Band, Case, FEATURES, Index, Ranking, SkillText, Suite};
use serde_json::Value;

use crate::command::capture;
use crate::failure::Failure;
use crate::route_fit::{Fitted, Sample, cross_validated};
use crate::route_size;
use crate::table::{Table, grouped};
use crate::workspace;

/// Where labelled messages are looked for when no folder is named, from the workspace's root.
const DEFAULT_FOLDER: &str = "../shared/routing";
/// Distractors that are added to the labelled skills.
const DISTRACTORS: [usize; 3] = [0, 1_000, usize::MAX];

/// What to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    folder: Option<PathBuf>,
    fit: bool,
    sizes: bool,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { sizes: true, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--messages" => {
                    let missing = || Failure::Usage("`--messages` needs a folder".to_owned());
                    options.folder = Some(PathBuf::from(words.next().ok_or_else(missing)?));
                }
                "--fit" => options.fit = true,
                "--no-sizes" => options.sizes = false,
                _ => return Err(Failure::Usage(format!("`bench route` does not know `{word}`"))),
            }
        }
        Ok(options)
    }
}

/// A labelled message.
struct Labelled {
    query: String,
    /// Places of the skills that fit.
    relevant: Vec<usize>,
}

/// A set of messages and the skills that they are asked of.
struct Set {
    name: String,
    skills: Vec<SkillText>,
    messages: Vec<Labelled>,
}

/// Labelled messages as they are on disk.
struct Data {
    pool: Vec<Value>,
    triggers: Vec<Value>,
    ranked: Vec<Value>,
    metatool: Vec<Value>,
    tools: Vec<Value>,
}

pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let folder = options.folder.clone().unwrap_or_else(|| workspace::root().join(DEFAULT_FOLDER));
    println!("## Routing\n");
    if folder.join("pool.jsonl.gz").is_file() {
        let data = Data::read(&folder)?;
        println!("### Which skill\n\n{}", ranking(&data));
        println!("### Whether at all\n\n{}", deciding(&data, options.fit));
        println!("### With remembered messages\n\n{}", remembering(&data));
        println!("### *activate*\n\n{}", activating(&data));
    } else if options.folder.is_some() {
        return Err(Failure::Unmet(format!(
            "there is no `{}`",
            folder.join("pool.jsonl.gz").display()
        )));
    } else {
        println!("Not measured: no labelled messages here; name a folder with `--messages DIR`.\n");
    }
    if options.sizes {
        println!("### Time and size\n\n{}", route_size::sizes()?);
    }
    Ok(())
}

impl Data {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let rows = |name: &str| -> Result<Vec<Value>, Failure> {
            let file = folder.join(format!("{name}.jsonl.gz"));
            let output = capture(Command::new("gzip").arg("-dc").arg(&file))?;
            String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(|line| {
                    serde_json::from_str(line)
                        .map_err(|error| Failure::Unmet(format!("`{}`: {error}", file.display())))
                })
                .collect()
        };
        Ok(Self {
            pool: rows("pool")?,
            triggers: rows("triggers")?,
            ranked: rows("ranked")?,
            metatool: rows("metatool")?,
            tools: rows("metatool_tools")?,
        })
    }

    /// The skills of a group first, then `more` of the others.
    fn pool(&self, group: &str, more: usize) -> Vec<&Value> {
        let of = |wanted: &'static str| self.pool.iter().filter(move |row| row["group"] == wanted);
        let others = of("pool").take(more);
        self.pool.iter().filter(|row| row["group"] == group).chain(others).collect()
    }

    fn sets(&self) -> Vec<Set> {
        let mut sets = Vec::new();
        let positive: Vec<(&str, Vec<&str>)> = self
            .triggers
            .iter()
            .filter(|row| row["should_trigger"] == true)
            .map(|row| (text(row, "query"), vec![text(row, "skill")]))
            .collect();
        let ranked = relevant(&self.ranked);
        for (group, messages) in [("trig", &positive), ("market", &ranked)] {
            for more in DISTRACTORS {
                sets.push(set(group, &self.pool(group, more), messages));
            }
        }
        let tools: Vec<&Value> = self.tools.iter().collect();
        sets.push(set("metatool", &tools, &relevant(&self.metatool)));
        sets
    }
}

fn relevant(rows: &[Value]) -> Vec<(&str, Vec<&str>)> {
    rows.iter()
        .map(|row| {
            let ids = row["relevant"].as_array().map_or(&[][..], Vec::as_slice);
            (text(row, "query"), ids.iter().filter_map(Value::as_str).collect())
        })
        .collect()
}

fn set(group: &str, rows: &[&Value], messages: &[(&str, Vec<&str>)]) -> Set {
    let places: HashMap<&str, usize> =
        rows.iter().enumerate().map(|(at, row)| (text(row, "id"), at)).collect();
    let messages = messages
        .iter()
        .map(|(query, ids)| Labelled {
            query: (*query).to_owned(),
            relevant: ids.iter().filter_map(|id| places.get(id).copied()).collect(),
        })
        .filter(|labelled| !labelled.relevant.is_empty())
        .collect();
    Set {
        name: format!("{group} / {}", grouped(rows.len())),
        skills: rows.iter().map(|row| skill(row)).collect(),
        messages,
    }
}

fn skill(row: &Value) -> SkillText {
    SkillText {
        name: text(row, "name").to_owned(),
        description: text(row, "description").to_owned(),
        body: text(row, "body").to_owned(),
        ..SkillText::default()
    }
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap_or_default()
}

/// How well a ranking does, summed over messages.
#[derive(Default)]
struct Ranks {
    asked: f64,
    first: f64,
    ten: f64,
    twenty: f64,
    reciprocal: f64,
}

impl Ranks {
    fn add(&mut self, order: &[usize], relevant: &[usize]) {
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

    fn cells(&self) -> [String; 4] {
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

fn ranking(data: &Data) -> Table {
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
        let index = Index::in_memory(&set.skills);
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
        for (by, ranks, time) in [
            ("BM25, descriptions", &plain, "–".to_owned()),
            ("hone", &ours, format!("{each:.3} ms")),
        ] {
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

/// Labelled pairs: the skill's own messages, and for *off-topic* messages of other sets as the no.
fn samples(data: &Data, more: usize, off_topic: bool, lang: Option<&str>) -> Vec<Sample> {
    let rows = data.pool("trig", more);
    let places: HashMap<&str, usize> =
        rows.iter().enumerate().map(|(at, row)| (text(row, "id"), at)).collect();
    let skills: Vec<SkillText> = rows.iter().map(|row| skill(row)).collect();
    let index = Index::in_memory(&skills);
    let mut samples = Vec::new();
    let mut strangers = data.metatool.iter().cycle();
    for row in data.triggers.iter().filter(|row| lang.is_none_or(|lang| row["lang"] == lang)) {
        let Some(&place) = places.get(text(row, "skill")) else { continue };
        let label = row["should_trigger"] == true;
        let query = if label || !off_topic {
            text(row, "query")
        } else {
            strangers.next().map_or("", |row| text(row, "query"))
        };
        let ranking = Ranking::new(&index, query);
        let values = ranking.features(place).iter().map(|&value| f64::from(value)).collect();
        samples.push(Sample { values, label, group: text(row, "skill").to_owned() });
    }
    samples
}

fn fitted(train: &[&Sample]) -> impl Fn(&Sample) -> f64 + use<> {
    let fitted = Fitted::to(train);
    move |sample: &Sample| fitted.score(&sample.values)
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

/// Samples of every kind and size, for fitting as the shipped weights are.
fn everything(data: &Data) -> Vec<Sample> {
    let mut all = Vec::new();
    for more in DISTRACTORS {
        all.extend(samples(data, more, false, None));
        // Most messages are about something else, so those weigh twice.
        let strangers = samples(data, more, true, None);
        all.extend(strangers.iter().cloned().chain(strangers.iter().cloned()));
    }
    all
}

fn deciding(data: &Data, fit: bool) -> String {
    let everything = everything(data);
    let mut table = Table::new(&["no is", "rivals", "messages", "by", "AUC · precision · recall"]);
    let mut text = String::new();
    for (kind, off_topic) in [("near-miss", false), ("off-topic", true)] {
        for more in DISTRACTORS {
            let samples = samples(data, more, off_topic, Some("en"));
            let rivals = grouped(data.pool("trig", more).len() - 1);
            let words = cross_validated(&samples, |_| |sample: &Sample| sample.values[0]);
            let all = cross_validated(&samples, |train| {
                let groups: Vec<&str> = train.iter().map(|sample| sample.group.as_str()).collect();
                let train: Vec<&Sample> = everything
                    .iter()
                    .filter(|sample| groups.contains(&sample.group.as_str()))
                    .collect();
                fitted(&train)
            });
            let fixed = hone_router::MODEL;
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
                    kind.to_owned(),
                    rivals.clone(),
                    grouped(samples.len()),
                    by.to_owned(),
                    quality.to_string(),
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

/// A fixed order that has nothing to do with the order of the file.
fn shuffled<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x686f_6e65;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
}

/// Half of each skill's messages are remembered, the others asked.
fn remembering(data: &Data) -> Table {
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
        if set.skills.len() > 1_000 {
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
                    skills[*place].suite = Suite { cases };
                    asked.extend(&messages[half..]);
                }
                let index = Index::in_memory(&skills);
                for message in asked {
                    let best = Ranking::new(&index, &message.query).best(20, |_| true);
                    ranks.add(&best, &message.relevant);
                }
            }
            let [first, ten, twenty, reciprocal] = ranks.cells();
            table.row([set.name.clone(), keep.to_string(), first, ten, twenty, reciprocal]);
        }
    }
    deciding_with_examples(data, table)
}

/// Three messages of each kind are remembered, the others asked.
fn deciding_with_examples(data: &Data, mut table: Table) -> Table {
    for keep in [0, 3] {
        for more in [0, 1_000] {
            let mut qualities = Vec::new();
            for split in 0..3 {
                let rows = data.pool("trig", more);
                let mut skills: Vec<SkillText> = rows.iter().map(|row| skill(row)).collect();
                let places: HashMap<&str, usize> =
                    rows.iter().enumerate().map(|(at, row)| (text(row, "id"), at)).collect();
                let mut by_skill: BTreeMap<(usize, bool), Vec<&Value>> = BTreeMap::new();
                for row in data.triggers.iter().filter(|row| row["lang"] == "en") {
                    let Some(&place) = places.get(text(row, "skill")) else { continue };
                    by_skill.entry((place, row["should_trigger"] == true)).or_default().push(row);
                }
                let mut asked = Vec::new();
                for ((place, label), rows) in &mut by_skill {
                    shuffled(rows, split);
                    let cases = rows.iter().take(keep).map(|row| Case {
                        query: text(row, "query").to_owned(),
                        should_trigger: *label,
                    });
                    skills[*place].suite.cases.extend(cases);
                    // The same messages are asked however many are kept.
                    asked.extend(rows.iter().skip(keep.max(3)).map(|row| (*place, *label, *row)));
                }
                let index = Index::in_memory(&skills);
                let samples: Vec<Sample> = asked
                    .iter()
                    .map(|(place, label, row)| Sample {
                        values: with_memory(&Ranking::new(&index, text(row, "query")), *place),
                        label: *label,
                        group: text(row, "skill").to_owned(),
                    })
                    .collect();
                qualities.push(cross_validated(&samples, fitted_in_steps));
            }
            let mean = |of: fn(&crate::route_fit::Quality) -> f64| {
                format!("{:.3}", qualities.iter().map(of).sum::<f64>() / qualities.len() as f64)
            };
            table.row([
                format!("near-miss, {} rivals: AUC, P, R", 30 + more),
                format!("{keep} + {keep}"),
                mean(|quality| quality.auc),
                mean(|quality| quality.precision),
                mean(|quality| quality.recall),
                String::new(),
            ]);
        }
    }
    table
}

fn activating(data: &Data) -> Table {
    let mut table = Table::new(&[
        "messages / skills",
        "asked",
        "activated",
        "right",
        "precision",
        "offered: the right one",
        "nothing",
    ]);
    for more in DISTRACTORS {
        let rows = data.pool("trig", more);
        let skills: Vec<SkillText> = rows.iter().map(|row| skill(row)).collect();
        let index = Index::in_memory(&skills);
        let (mut activated, mut right, mut asked, mut offered, mut wanted, mut nothing) =
            (0usize, 0usize, 0usize, 0usize, 0usize, 0usize);
        for row in &data.triggers {
            let Some(place) = rows.iter().position(|other| text(other, "id") == text(row, "skill"))
            else {
                continue;
            };
            let label = row["should_trigger"] == true;
            asked += 1;
            let matches = Ranking::new(&index, text(row, "query")).matches(20, |_| true);
            for found in matches.iter().filter(|found| found.band == Band::Activate) {
                activated += 1;
                right += usize::from(label && found.skill == place);
            }
            if label {
                wanted += 1;
                offered += usize::from(
                    matches.iter().any(|found| found.skill == place && found.band != Band::Nothing),
                );
            }
            nothing += usize::from(matches.iter().all(|found| found.band == Band::Nothing));
        }
        table.row([
            format!("trig / {}", grouped(rows.len())),
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
