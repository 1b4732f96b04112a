//! The JSON of the commands that call skills: `invoke`, `commands`, `needs`, `usage record`.

use hone_router::{Activated, Asked, Collision, CommandKind, Need, NeededBy, Place, Used, With};
use schemars::JsonSchema;
use serde::Serialize;

use super::text;

/// `hone commands --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Menu {
    /// The commands, sorted.
    pub(crate) commands: Vec<SlashCommand>,
    /// Skills and bundles that did not get the command of their slug.
    pub(crate) collisions: Vec<CommandCollision>,
    /// Skills that people may not call.
    pub(crate) hidden: Vec<String>,
    /// What is wrong with bundles.
    pub(crate) problems: Vec<String>,
}

/// A command.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SlashCommand {
    /// What to type after the slash.
    pub(crate) command: String,
    /// skill or bundle.
    pub(crate) kind: &'static str,
    /// The name of the skill or bundle.
    pub(crate) name: String,
    pub(crate) description: String,
    /// What may follow it.
    pub(crate) argument_hint: Option<String>,
    /// The skill's scope; null for a bundle.
    pub(crate) scope: Option<&'static str>,
    /// The skill's file; null for a bundle.
    pub(crate) path: Option<String>,
}

/// A skill or bundle that did not get the command of its slug.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandCollision {
    /// The command that it wanted.
    pub(crate) command: String,
    pub(crate) name: String,
    pub(crate) path: Option<String>,
    /// Who has it: core, bundle or skill.
    pub(crate) with: &'static str,
    /// The command that reaches it; null when only its path does.
    pub(crate) instead: Option<String>,
}

/// `hone commands reload --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reload {
    /// Commands that are new since the last reload.
    pub(crate) added: Vec<String>,
    /// Commands that are gone.
    pub(crate) removed: Vec<String>,
    /// Commands whose skill, description or hint is another.
    pub(crate) changed: Vec<String>,
    /// Commands that there are.
    pub(crate) total: usize,
}

/// `hone invoke --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Invoked {
    /// Exactly what a model gets; null when something is missing.
    pub(crate) text: Option<String>,
    /// What it costs at most.
    pub(crate) tokens: usize,
    /// person or model.
    pub(crate) caller: &'static str,
    /// The caller's words.
    pub(crate) words: String,
    /// inline: for this conversation. fork: for a task of its own.
    pub(crate) context: &'static str,
    /// Whether it can be run like that: `fork` needs a model.
    pub(crate) available: bool,
    /// With `fork`: the answer of the task, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
    /// With `fork`: how the task ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<String>,
    /// With `fork`: how many steps the task took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<usize>,
    /// With `fork`: all the tools that the task may use; empty when the skill names none.
    pub(crate) tools: Vec<String>,
    pub(crate) skills: Vec<InvokedSkill>,
    /// What the skills need.
    pub(crate) needs: Vec<Requirement>,
    /// What to ask a person before it can go on.
    pub(crate) question: Option<OneQuestion>,
    /// Members of bundles and mentions that were not loaded.
    pub(crate) not_loaded: Vec<NotLoaded>,
    /// What became of commands in the text: off or run.
    pub(crate) inline_shell: &'static str,
}

/// A skill that was called.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InvokedSkill {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) version: Option<String>,
    /// inline or fork, as the skill says.
    pub(crate) context: &'static str,
    /// Its `allowed-tools`.
    pub(crate) tools: Vec<String>,
    /// SHA-256 of its body as it went in.
    pub(crate) hash: String,
    /// Only a note went in: the session has this text already.
    pub(crate) repeated: bool,
    /// How many characters of its body were cut.
    pub(crate) cut_chars: usize,
    /// Its supporting files.
    pub(crate) files: Vec<String>,
    /// Commands in its text.
    pub(crate) inline_commands: usize,
}

/// Something that was not loaded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotLoaded {
    pub(crate) name: String,
    pub(crate) why: String,
}

/// All that is missing, as one question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OneQuestion {
    /// Variables to ask for; their values are secrets.
    pub(crate) asked: Vec<AskedVariable>,
    /// What a value cannot mend.
    pub(crate) other: Vec<Requirement>,
}

/// A variable to ask for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AskedVariable {
    pub(crate) name: String,
    pub(crate) why: Option<String>,
    pub(crate) help: Option<String>,
    /// Who needs it.
    pub(crate) skills: Vec<String>,
}

/// `hone needs --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Readiness {
    pub(crate) needs: Vec<Requirement>,
    /// Nothing that is not optional is missing.
    pub(crate) ready: bool,
    /// Declarations that could not be understood.
    pub(crate) problems: Vec<NeedsProblem>,
}

/// A declaration that could not be understood.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NeedsProblem {
    /// The skill.
    pub(crate) name: String,
    pub(crate) message: String,
}

/// Something that skills need.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Requirement {
    /// variable, command, mcp or platform.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// met, missing or unknown.
    pub(crate) status: &'static str,
    pub(crate) optional: bool,
    pub(crate) why: Option<String>,
    /// Where to get it.
    pub(crate) help: Option<String>,
    /// Who needs it.
    pub(crate) skills: Vec<String>,
}

/// `hone usage record --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsageRecord {
    /// The skills that were used.
    pub(crate) used: Vec<UsedSkill>,
}

/// A skill that was used.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsedSkill {
    pub(crate) name: String,
    pub(crate) path: String,
    /// script, instructions or file.
    pub(crate) how: &'static str,
    /// The file, inside the skill.
    pub(crate) file: String,
}

impl From<hone_router::SlashCommand> for SlashCommand {
    fn from(command: hone_router::SlashCommand) -> Self {
        Self {
            command: command.command,
            kind: match command.kind {
                CommandKind::Skill => "skill",
                CommandKind::Bundle => "bundle",
            },
            name: command.name,
            description: command.description,
            argument_hint: command.argument_hint,
            scope: command.scope.map(hone_library::Scope::id),
            path: command.path.as_deref().map(text),
        }
    }
}

impl From<Collision> for CommandCollision {
    fn from(collision: Collision) -> Self {
        Self {
            command: collision.command,
            name: collision.name,
            path: collision.path.as_deref().map(text),
            with: match collision.with {
                With::Core => "core",
                With::Bundle => "bundle",
                With::Skill => "skill",
            },
            instead: collision.instead,
        }
    }
}

impl From<hone_router::Reload> for Reload {
    fn from(reload: hone_router::Reload) -> Self {
        let hone_router::Reload { added, removed, changed, total } = reload;
        Self { added, removed, changed, total }
    }
}

impl From<Activated> for InvokedSkill {
    fn from(skill: Activated) -> Self {
        Self {
            name: skill.name,
            path: text(&skill.path),
            version: skill.version,
            context: place(skill.context),
            tools: skill.tools,
            hash: skill.hash,
            repeated: skill.repeated,
            cut_chars: skill.cut_chars,
            files: skill.files,
            inline_commands: skill.inline_commands,
        }
    }
}

pub(crate) fn place(place: Place) -> &'static str {
    match place {
        Place::Inline => "inline",
        Place::Fork => "fork",
    }
}

fn names(skills: &[NeededBy]) -> Vec<String> {
    skills.iter().map(|by| by.name.clone()).collect()
}

impl From<&Need> for Requirement {
    fn from(need: &Need) -> Self {
        let requirement = &need.requirement;
        Self {
            kind: requirement.kind.id(),
            name: requirement.name.clone(),
            status: need.status.id(),
            optional: requirement.optional,
            why: requirement.why.clone(),
            help: requirement.help.clone(),
            skills: names(&need.skills),
        }
    }
}

impl From<&hone_router::Question> for OneQuestion {
    fn from(question: &hone_router::Question) -> Self {
        let asked = |asked: &Asked| AskedVariable {
            name: asked.name.clone(),
            why: asked.why.clone(),
            help: asked.help.clone(),
            skills: names(&asked.skills),
        };
        Self {
            asked: question.asked.iter().map(asked).collect(),
            other: question.other.iter().map(Requirement::from).collect(),
        }
    }
}

impl UsageRecord {
    pub(crate) fn of(used: &[Used<'_>]) -> Self {
        let skill = |used: &Used<'_>| UsedSkill {
            name: used.skill.summary.name.clone(),
            path: text(&used.skill.path),
            how: used.how.id(),
            file: used.file.clone(),
        };
        Self { used: used.iter().map(skill).collect() }
    }
}
