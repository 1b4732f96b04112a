//! Labelled messages for `cargo xtask bench route`: read from disk, and put together with the skills
//! that they are asked of.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use hone_library::State;
use hone_router::{Encoder, Index, MODEL, MODEL_WITH_MEANING, Model, SkillText, Texts, about};
use serde_json::Value;

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

/// Labelled messages as they are on disk.
pub(crate) struct Data {
    pub(crate) pool: Vec<Value>,
    pub(crate) triggers: Vec<Value>,
    pub(crate) ranked: Vec<Value>,
    pub(crate) metatool: Vec<Value>,
    pub(crate) tools: Vec<Value>,
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
        Ok(Self {
            pool: rows("pool")?,
            triggers: rows("triggers")?,
            ranked: rows("ranked")?,
            metatool: rows("metatool")?,
            tools: rows("metatool_tools")?,
        })
    }

    /// The skills of a group first, then `more` of the others.
    pub(crate) fn pool(&self, group: &str, more: usize) -> Vec<&Value> {
        let of = |wanted: &'static str| self.pool.iter().filter(move |row| row["group"] == wanted);
        let others = of("pool").take(more);
        self.pool.iter().filter(|row| row["group"] == group).chain(others).collect()
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
