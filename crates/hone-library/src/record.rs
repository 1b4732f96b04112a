//! What a skill file said when it was last read: all that a listing needs, without the body.

use std::path::Path;

use hone_skill::{
    DescriptionSource, OpenAiPolicy, Profile, Reading, Rule, Severity, Skill, Slug, Value,
};
use serde::{Deserialize, Serialize};

/// How much of an `argument-hint` is kept, in characters.
const MAX_HINT_CHARS: usize = 200;

/// The outcome of reading one skill file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The skill, or `None` when the file was refused; then the first note says why.
    pub(crate) skill: Option<Box<Summary>>,
    pub(crate) notes: Vec<Note>,
}

/// The metadata of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The declared name, or the folder's.
    pub name: String,
    /// The name's slug.
    pub slug: Slug,
    /// The name as its author first gave it, when that is not its own slug.
    #[serde(default, skip_serializing_if = "is_default")]
    pub title: Option<String>,
    /// The description, exactly as YAML has it.
    pub description: String,
    /// The description is the body's first line of prose, because the frontmatter has none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub description_from_body: bool,
    /// The version, as written.
    #[serde(default, skip_serializing_if = "is_default")]
    pub version: Option<String>,
    /// The license, as written.
    #[serde(default, skip_serializing_if = "is_default")]
    pub license: Option<String>,
    /// `when_to_use`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub when_to_use: Option<String>,
    /// `argument-hint`: what a person may type after its command.
    #[serde(default, skip_serializing_if = "is_default")]
    pub argument_hint: Option<String>,
    /// The tools that it wants approved.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allowed_tools: Vec<String>,
    /// The operating systems that it is for; empty means all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub platforms: Vec<String>,
    /// A model may load it by itself: neither of the next two says otherwise.
    pub model_invocable: bool,
    /// `disable-model-invocation` in the frontmatter.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disable_model_invocation: bool,
    /// `policy.allow_implicit_invocation` in `agents/openai.yaml`.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub implicit_invocation: bool,
    /// A person may call it by name.
    pub user_invocable: bool,
}

impl Summary {
    /// The name as its author first gave it.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

/// The hint as text. Its brackets (`[issue] [branch]`) make it a list in YAML, which is put back.
fn argument_hint(skill: &Skill) -> Option<String> {
    let value = skill.get("argument-hint")?;
    let hint = match value {
        Value::List(_) => format!("[{}]", value.words().join(", ")),
        other => other.text()?.trim().to_owned(),
    };
    Some(hint.chars().take(MAX_HINT_CHARS).collect()).filter(|hint: &String| !hint.is_empty())
}

fn yes() -> bool {
    true
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A diagnostic, as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The rule's name.
    pub rule: String,
    /// How much it matters to hone.
    pub severity: Severity,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Record {
    /// Reads a skill from its bytes and, when there is one, its `agents/openai.yaml`.
    pub(crate) fn read(bytes: &[u8], folder: Option<&str>, policy: Option<&[u8]>) -> Self {
        let reading = hone_skill::read(bytes, folder);
        let mut record = Self::of(reading);
        if let (Some(skill), Some(policy)) = (&mut record.skill, policy) {
            let policy = OpenAiPolicy::read(policy);
            skill.implicit_invocation = policy.allow_implicit_invocation;
            skill.model_invocable &= policy.allow_implicit_invocation;
            record.notes.extend(policy.problem.map(|message| Note {
                rule: "openai-policy".to_owned(),
                severity: Severity::Warning,
                line: 1,
                column: 1,
                message,
            }));
        }
        record
    }

    fn of(reading: Reading) -> Self {
        let notes = reading
            .diagnostics
            .iter()
            .filter_map(|diagnostic| {
                let severity = diagnostic.severity(Profile::Lenient)?;
                (severity >= Severity::Warning).then(|| Note {
                    rule: diagnostic.rule.id().to_owned(),
                    severity,
                    line: diagnostic.line,
                    column: diagnostic.column,
                    message: diagnostic.message.clone(),
                })
            })
            .collect();
        let skill = reading.skill.map(|skill| {
            Box::new(Summary {
                title: Some(skill.title()).filter(|title| *title != skill.name).map(str::to_owned),
                description_from_body: skill.description_source == DescriptionSource::Body,
                license: skill.get("license").and_then(|value| value.text()).map(str::to_owned),
                argument_hint: argument_hint(&skill),
                name: skill.name,
                slug: skill.slug,
                description: skill.description,
                version: skill.version,
                when_to_use: skill.when_to_use,
                allowed_tools: skill.allowed_tools,
                platforms: skill.platforms,
                model_invocable: !skill.disable_model_invocation,
                disable_model_invocation: skill.disable_model_invocation,
                implicit_invocation: true,
                user_invocable: skill.user_invocable,
            })
        });
        Self { skill, notes }
    }

    /// A file that cannot be read at all.
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::refused(format!("could not read `{}`: {error}", path.display()))
    }

    pub(crate) fn refused(message: String) -> Self {
        let note = Note {
            rule: "unreadable".to_owned(),
            severity: Severity::Error,
            line: 1,
            column: 1,
            message,
        };
        Self { skill: None, notes: vec![note] }
    }

    /// A file that is a skill but is not called `SKILL.md`.
    pub(crate) fn note_file_name(&mut self, name: &str) {
        self.notes.push(Note {
            rule: Rule::FileName.id().to_owned(),
            severity: Severity::Warning,
            line: 1,
            column: 1,
            message: format!("the file is called `{name}`; most agents only see `SKILL.md`"),
        });
    }
}
