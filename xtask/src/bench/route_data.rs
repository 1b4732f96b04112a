//! Labelled messages for `cargo xtask bench route`: read from disk, and put together with the skills
//! that they are asked of.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use hone_library::State;
use hone_router::{Encoder, Index, MODEL, MODEL_WITH_MEANING, Model, SkillText, Texts, about};
use serde_json::{Value, json};

use crate::bench::table::grouped;
use crate::command::capture;
use crate::failure::{Doing, Failure};

/// Distractors that are added to the labelled skills.
pub(crate) const DISTRACTORS: [usize; 3] = [0, 1_000, usize::MAX];

/// A labelled message.
pub(crate) struct Labelled {
    pub(crate) query: String,
    /// Places of the skills that fit.
    pub(crate) relevant: Vec<usize>,
}

/// A set of messages and the skills that they are asked of.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) skills: Vec<SkillText>,
    pub(crate) messages: Vec<Labelled>,
}

/// Makes indexes in memory: by words alone, or with a sentence model, whose vectors it keeps meanwhile.
pub(crate) struct Indexer {
    meaning: Option<(Encoder, State)>,
    _home: tempfile::TempDir,
}

impl Indexer {
    pub(crate) fn new(model: Option<&Path>) -> Result<Self, Failure> {
        let home = tempfile::tempdir().doing(|| "make a temporary folder".to_owned())?;
        let opened = model.map(Encoder::open).transpose();
        let encoder = opened.map_err(|error| Failure::Unmet(error.to_string()))?;
        let meaning = encoder.map(|encoder| (encoder, State::open(home.path())));
        Ok(Self { meaning, _home: home })
    }

    /// What it is called beside the others.
    pub(crate) fn name(&self) -> &'static str {
        if self.meaning.is_some() { "hone, with embeddings" } else { "hone" }
    }

    pub(crate) fn model(&self) -> &'static Model {
        if self.meaning.is_some() { &MODEL_WITH_MEANING } else { &MODEL }
    }

    /// The index of these skills; vectors of the messages that will be asked are made beforehand.
    pub(crate) fn index<'m>(
        &self,
        skills: &[SkillText],
        asked: impl Iterator<Item = &'m str>,
    ) -> Index<'_> {
        let mut index = Index::in_memory(skills);
        if let Some((encoder, state)) = &self.meaning {
            let abouts: Vec<String> = skills
                .iter()
                .map(|skill| about(&skill.name, &skill.description, &skill.when_to_use))
                .collect();
            let asked: Vec<String> = asked.map(str::to_owned).collect();
            let texts = Texts { skills: &abouts, asked: &asked };
            let tell = |count: usize| eprintln!("the model reads {} texts", grouped(count));
            if let Err(error) = index.understand(encoder, Some(state), texts, &tell) {
                eprintln!("words alone: {error}");
            }
        }
        index
    }
}

/// Messages about skills of the pool, written for this bench; each file says what they are.
const CLOUD: &str = include_str!("../../data/cloud.txt");
const EVERYDAY: &str = include_str!("../../data/everyday.txt");
const CALLS: &str = include_str!("../../data/calls.txt");

/// How a message of such a file is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meant {
    /// It calls the skill by its name.
    Call,
    /// It is for the skill.
    Yes,
    /// It is not.
    No,
}

/// The messages of such a file: the skill they stand under, how they are meant, and the words.
fn written(file: &'static str) -> impl Iterator<Item = (&'static str, Meant, &'static str)> {
    let mut skill = "";
    file.lines().filter_map(move |line| {
        let (mark, words) = line.split_once(' ')?;
        let meant = match mark {
            "!" => Meant::Call,
            "+" => Meant::Yes,
            "-" => Meant::No,
            "=" => {
                skill = words;
                return None;
            }
            _ => return None,
        };
        Some((skill, meant, words))
    })
}

/// Labelled messages as they are on disk.
pub(crate) struct Data {
    pub(crate) pool: Vec<Value>,
    pub(crate) triggers: Vec<Value>,
    pub(crate) ranked: Vec<Value>,
    pub(crate) metatool: Vec<Value>,
    pub(crate) tools: Vec<Value>,
    /// Messages for and not for cloud skills, in the form of `triggers`.
    pub(crate) cloud: Vec<Value>,
    /// Messages for no labelled skill.
    pub(crate) everyday: Vec<&'static str>,
    /// Messages that call skills or only mention them.
    pub(crate) calls: Vec<(&'static str, Meant, &'static str)>,
}

impl Data {
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
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
        let cloud = written(CLOUD).map(|(skill, meant, query)| {
            json!({ "query": query, "skill": skill, "should_trigger": meant == Meant::Yes, "lang": "en" })
        });
        Ok(Self {
            cloud: cloud.collect(),
            everyday: written(EVERYDAY).map(|(_, _, query)| query).collect(),
            calls: written(CALLS).collect(),
            pool: rows("pool")?,
            triggers: rows("triggers")?,
            ranked: rows("ranked")?,
            metatool: rows("metatool")?,
            tools: rows("metatool_tools")?,
        })
    }

    /// The skills of a group first, then `more` of the others.
    pub(crate) fn pool(&self, group: &str, more: usize) -> Vec<&Value> {
        let clouds: HashSet<&str> = self.cloud.iter().map(|row| text(row, "skill")).collect();
        let is_cloud = |row: &&Value| clouds.contains(text(row, "id"));
        let is_own = |row: &&Value| match group {
            "cloud" => is_cloud(row),
            _ => row["group"] == group,
        };
        let is_other =
            |row: &&Value| row["group"] == "pool" && !(group == "cloud" && is_cloud(row));
        let others = self.pool.iter().filter(is_other).take(more);
        self.pool.iter().filter(is_own).chain(others).collect()
    }

    pub(crate) fn sets(&self) -> Vec<Set> {
        let mut sets = Vec::new();
        let positive: Vec<(&str, Vec<&str>)> = self
            .triggers
            .iter()
            .filter(|row| row["should_trigger"] == true)
            .map(|row| (text(row, "query"), vec![text(row, "skill")]))
            .collect();
        let ranked = relevant(&self.ranked);
        let of_clouds = self.cloud.iter().filter(|row| row["should_trigger"] == true);
        let of_clouds: Vec<(&str, Vec<&str>)> =
            of_clouds.map(|row| (text(row, "query"), vec![text(row, "skill")])).collect();
        for (group, messages) in [("trig", &positive), ("market", &ranked), ("cloud", &of_clouds)] {
            for more in DISTRACTORS {
                sets.push(set(group, &self.pool(group, more), messages));
            }
        }
        let tools: Vec<&Value> = self.tools.iter().collect();
        sets.push(set("metatool", &tools, &relevant(&self.metatool)));
        sets
    }
}

pub(crate) fn relevant(rows: &[Value]) -> Vec<(&str, Vec<&str>)> {
    rows.iter()
        .map(|row| {
            let ids = row["relevant"].as_array().map_or(&[][..], Vec::as_slice);
            (text(row, "query"), ids.iter().filter_map(Value::as_str).collect())
        })
        .collect()
}

pub(crate) fn set(group: &str, rows: &[&Value], messages: &[(&str, Vec<&str>)]) -> Set {
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

pub(crate) fn skill(row: &Value) -> SkillText {
    SkillText {
        name: text(row, "name").to_owned(),
        description: text(row, "description").to_owned(),
        body: text(row, "body").to_owned(),
        ..SkillText::default()
    }
}

pub(crate) fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap_or_default()
}
