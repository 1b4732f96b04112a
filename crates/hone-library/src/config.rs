//! `config.toml` of the person and `hone.toml` of a project.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml_edit::{DocumentMut, Item, Value};

use crate::error::Error;
use crate::learn_settings::{LearnSettings, MAX_REPLAYS};
use crate::model_settings::{FetchSecret, McpServer, ModelSettings, Wire};
use crate::scope::Scope;
use crate::snapshot_settings::SnapshotSettings;

/// How deep below a root skills are looked for, unless the configuration says otherwise.
pub const DEFAULT_DEPTH: usize = 6;

/// Deepest search that can be asked for.
pub const MAX_DEPTH: usize = 64;

/// Tokens that the level-0 index may cost, unless the configuration says otherwise: 2 % of a
/// window of 200,000.
pub const DEFAULT_BUDGET: usize = 4_000;

/// The settings, with their defaults.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// `[skills]`.
    pub skills: Skills,
    /// `[prompt]`.
    pub prompt: Prompt,
    /// `[policy]`.
    pub policy: PolicySettings,
    /// `[sandbox]`.
    pub sandbox: SandboxSettings,
    /// `[invoke]`.
    pub invoke: Invoke,
    /// `[model]`: what an agent asks.
    pub model: ModelSettings,
    /// `[learn]`: what an agent learns by itself.
    pub learn: LearnSettings,
    /// `[[mcp]]`: servers whose tools an agent may call.
    pub mcp: Vec<McpServer>,
    /// `[[secrets]]`: what an agent may fetch with.
    pub secrets: Vec<FetchSecret>,
    /// `[hub]`.
    pub hub: HubSettings,
    /// `[router]`.
    pub router: RouterSettings,
    /// `[snapshots]`: where the brains of agents are packed to.
    pub snapshots: SnapshotSettings,
    /// `[[roots]]`: more places to look for skills.
    pub roots: Vec<ExtraRoot>,
    /// `[[bundles]]`: sets of skills that one slash command loads.
    pub bundles: Vec<Bundle>,
}

/// `[skills]`: what is listed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Skills {
    /// Names, or `scope:name`, that are not to be offered.
    pub disabled: Vec<String>,
    /// How deep below a root to look.
    pub depth: usize,
    /// Whether the skills inside the binary are offered.
    pub builtin: bool,
}

/// `[prompt]`: the level-0 index.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prompt {
    /// The most tokens it may cost.
    pub budget: usize,
}

/// `[policy]`: what may be used. The words are the guard's to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    /// Sources whose skills count as trusted, in place of the default list.
    pub trusted: Option<Vec<String>>,
    /// Cells of the table that are tighter than the default: origin, then verdict, then what happens.
    pub table: BTreeMap<String, BTreeMap<String, String>>,
}

/// `[sandbox]`: how what a skill runs is confined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// Whether to run without confinement where the system offers none.
    pub unconfined: bool,
}

/// `[hub]`: where skills come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HubSettings {
    /// Sources that `hone search --hub` asks. The words are the hub's to read.
    pub sources: Vec<String>,
}

/// `[invoke]`: how a skill's text is prepared when it is called.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Invoke {
    /// Whether variables such as `${SKILL_DIR}` and `$ARGUMENTS` are filled in.
    pub variables: bool,
    /// Whether commands in the text run (`` !`cmd` ``).
    pub inline_shell: bool,
}

/// `[router]`: how a message finds its skills.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RouterSettings {
    /// A folder with a sentence model that counts beside the words; `~/` is the user's home.
    pub embeddings: Option<PathBuf>,
}

/// A named set of skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Its name; the slug of it is the command.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The skills, by name or `scope:name`.
    pub skills: Vec<String>,
    /// Words that go to the model with every call.
    #[serde(default)]
    pub instruction: String,
}

/// A root from the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraRoot {
    /// The folder; `~/` is the user's home.
    pub path: PathBuf,
    /// Which scope its skills have.
    #[serde(default = "user_scope")]
    pub scope: Scope,
}

fn user_scope() -> Scope {
    Scope::User
}

impl Default for Skills {
    fn default() -> Self {
        Self { disabled: Vec::new(), depth: DEFAULT_DEPTH, builtin: true }
    }
}

impl Default for Invoke {
    fn default() -> Self {
        Self { variables: true, inline_shell: false }
    }
}

impl Default for Prompt {
    fn default() -> Self {
        Self { budget: DEFAULT_BUDGET }
    }
}

/// What a project may say about skills in its `hone.toml`; the rest of the file is the hub's.
#[derive(Debug, Default, Deserialize)]
struct ProjectFile {
    #[serde(default)]
    skills: ProjectSkills,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProjectSkills {
    disabled: Vec<String>,
}

/// A setting that `hone config` can show and change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its dotted key.
    pub key: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Decimal,
    Flag,
    Names,
    Text,
    Folder,
    Secret,
}

/// All settings that have a dotted key; `[[roots]]`, `[[bundles]]`, `[[mcp]]` and `[[secrets]]` are edited in
/// the file.
pub const SETTINGS: [Setting; 32] = [
    Setting {
        key: "skills.disabled",
        about: "names (or scope:name) that are not offered, separated by commas",
        kind: Kind::Names,
    },
    Setting { key: "skills.depth", about: "how deep below a root to look", kind: Kind::Number },
    Setting {
        key: "skills.builtin",
        about: "whether the skills inside the binary are offered",
        kind: Kind::Flag,
    },
    Setting {
        key: "prompt.budget",
        about: "tokens that `hone prompt` may cost",
        kind: Kind::Number,
    },
    Setting {
        key: "invoke.variables",
        about: "whether `hone invoke` fills in ${SKILL_DIR}, $ARGUMENTS and the like",
        kind: Kind::Flag,
    },
    Setting {
        key: "invoke.inline_shell",
        about: "whether `hone invoke` runs the commands in a skill's text",
        kind: Kind::Flag,
    },
    Setting {
        key: "hub.sources",
        about: "sources that `hone search --hub` asks, separated by commas",
        kind: Kind::Names,
    },
    Setting {
        key: "model.backend",
        about: "what the model's server speaks: openai (also Ollama, llama.cpp, LM Studio, vLLM) or anthropic; gguf is a file",
        kind: Kind::Text,
    },
    Setting {
        key: "model.base_url",
        about: "where the model's server is, such as http://127.0.0.1:8080/v1",
        kind: Kind::Text,
    },
    Setting { key: "model.name", about: "the model's name there, or its file", kind: Kind::Text },
    Setting {
        key: "model.api_key_env",
        about: "the variable that holds the key",
        kind: Kind::Text,
    },
    Setting {
        key: "model.api_key",
        about: "the key itself, never shown; only you may be able to read the file then",
        kind: Kind::Secret,
    },
    Setting { key: "model.max_tokens", about: "tokens of one reply at most", kind: Kind::Number },
    Setting {
        key: "model.temperature",
        about: "how freely to choose words, 0 to 2",
        kind: Kind::Decimal,
    },
    Setting { key: "model.timeout", about: "seconds that one reply may take", kind: Kind::Number },
    Setting {
        key: "model.price_in",
        about: "what a million tokens that go in cost; unknown when not set",
        kind: Kind::Decimal,
    },
    Setting {
        key: "model.price_out",
        about: "what a million tokens that come out cost; unknown when not set",
        kind: Kind::Decimal,
    },
    Setting {
        key: "model.task_tokens",
        about: "tokens of one task at most, in and out",
        kind: Kind::Number,
    },
    Setting {
        key: "model.task_cost",
        about: "what one task may cost at most, in the currency of the prices",
        kind: Kind::Decimal,
    },
    Setting {
        key: "model.native_tools",
        about: "whether to offer tools by the server's own function calling",
        kind: Kind::Flag,
    },
    Setting { key: "model.stream", about: "whether replies come piece by piece", kind: Kind::Flag },
    Setting {
        key: "model.constrain",
        about: "whether the server holds the model to the form of a reply; helps small models",
        kind: Kind::Flag,
    },
    Setting {
        key: "learn.after_task",
        about: "whether an agent is asked for a lesson after a hard task",
        kind: Kind::Flag,
    },
    Setting {
        key: "learn.land",
        about: "whether a lesson that passed the gate becomes a skill of the agent by itself",
        kind: Kind::Flag,
    },
    Setting {
        key: "learn.tokens",
        about: "tokens that learning from one task may use up",
        kind: Kind::Number,
    },
    Setting {
        key: "learn.replays",
        about: "earlier tasks that are run again with and without a candidate",
        kind: Kind::Number,
    },
    Setting {
        key: "learn.curate",
        about: "whether unused skills of an agent's own go to the archive by themselves",
        kind: Kind::Flag,
    },
    Setting {
        key: "router.embeddings",
        about: "a folder with a sentence model (model.safetensors, vocab.txt) for `hone match`",
        kind: Kind::Folder,
    },
    Setting {
        key: "snapshots.store",
        about: "where agents are packed to: a folder, s3://…, gs://… or az://…",
        kind: Kind::Text,
    },
    Setting {
        key: "snapshots.key_file",
        about: "the file with the 32 bytes that seal snapshots",
        kind: Kind::Folder,
    },
    Setting {
        key: "snapshots.automatic",
        about: "whether an agent is packed after a task that taught it something",
        kind: Kind::Flag,
    },
    Setting {
        key: "snapshots.signing_key",
        about: "whether the key that signs is sealed into snapshots too",
        kind: Kind::Flag,
    },
];

impl Config {
    /// Where the person's configuration is.
    pub fn path(hone_home: &Path) -> PathBuf {
        hone_home.join("config.toml")
    }

    /// Reads the person's configuration; a missing file is the default, a broken one an error.
    pub fn load(hone_home: &Path) -> Result<Self, Error> {
        let path = Self::path(hone_home);
        let config: Self = match read_optional(&path)? {
            None => Self::default(),
            Some(text) => toml_edit::de::from_str(&text).map_err(|error| broken(&path, &error))?,
        };
        if config.skills.depth > MAX_DEPTH {
            return Err(Error::Config {
                path,
                message: format!(
                    "`skills.depth` is {}, {MAX_DEPTH} is the most",
                    config.skills.depth
                ),
            });
        }
        let problem = config.model.problem().or_else(|| config.learn.problem());
        let problem = problem.or_else(|| McpServer::problem(&config.mcp));
        let problem = problem.or_else(|| FetchSecret::problem(&config.secrets));
        match problem.or_else(|| config.exposed(&path)) {
            Some(message) => Err(Error::Config { path, message }),
            None => Ok(config),
        }
    }

    /// Says that others can read a file that holds a key.
    fn exposed(&self, path: &Path) -> Option<String> {
        self.model.api_key.as_ref()?;
        let mode = std::fs::metadata(path).ok()?.permissions().mode();
        (mode & 0o077 != 0).then(|| {
            format!(
                "it holds `model.api_key` and others can read it; `chmod 600 {}`",
                path.display()
            )
        })
    }

    /// The value of a setting, as `hone config set` takes it.
    pub fn get(&self, key: &str) -> Option<String> {
        Some(match key {
            "skills.disabled" => self.skills.disabled.join(","),
            "skills.depth" => self.skills.depth.to_string(),
            "skills.builtin" => self.skills.builtin.to_string(),
            "prompt.budget" => self.prompt.budget.to_string(),
            "invoke.variables" => self.invoke.variables.to_string(),
            "invoke.inline_shell" => self.invoke.inline_shell.to_string(),
            "model.backend" => self.model.backend.map_or("", Wire::id).to_owned(),
            "model.base_url" => self.model.base_url.clone().unwrap_or_default(),
            "model.name" => self.model.name.clone().unwrap_or_default(),
            "model.api_key_env" => self.model.api_key_env.clone().unwrap_or_default(),
            "model.api_key" => if self.model.api_key.is_some() { "(set)" } else { "" }.to_owned(),
            "model.max_tokens" => self.model.max_tokens.to_string(),
            "model.temperature" => self.model.temperature.to_string(),
            "model.timeout" => self.model.timeout.to_string(),
            "model.price_in" => shown(self.model.price_in),
            "model.price_out" => shown(self.model.price_out),
            "model.task_tokens" => shown(self.model.task_tokens),
            "model.task_cost" => shown(self.model.task_cost),
            "model.native_tools" => self.model.native_tools.to_string(),
            "model.stream" => self.model.stream.to_string(),
            "learn.after_task" => self.learn.after_task.to_string(),
            "learn.land" => self.learn.land.to_string(),
            "learn.tokens" => self.learn.tokens.to_string(),
            "learn.replays" => self.learn.replays.to_string(),
            "learn.curate" => self.learn.curate.to_string(),
            "hub.sources" => self.hub.sources.join(","),
            "router.embeddings" => {
                let folder = self.router.embeddings.as_deref().unwrap_or(Path::new(""));
                folder.to_string_lossy().into_owned()
            }
            "model.constrain" => self.model.constrain.to_string(),
            "snapshots.store" => self.snapshots.store.clone().unwrap_or_default(),
            "snapshots.key_file" => {
                let file = self.snapshots.key_file.as_deref().unwrap_or(Path::new(""));
                file.to_string_lossy().into_owned()
            }
            "snapshots.automatic" => self.snapshots.automatic.to_string(),
            "snapshots.signing_key" => self.snapshots.signing_key.to_string(),
            _ => return None,
        })
    }
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The names that a project's `hone.toml` disables.
pub(crate) fn project_disabled(project: &Path) -> Result<Vec<String>, Error> {
    let path = project.join("hone.toml");
    let Some(text) = read_optional(&path)? else { return Ok(Vec::new()) };
    let file: ProjectFile =
        toml_edit::de::from_str(&text).map_err(|error| broken(&path, &error))?;
    Ok(file.skills.disabled)
}

/// The text of a configuration file after one setting is changed (or removed, with `None`);
/// comments and order are kept.
pub fn with_setting(
    path: &Path,
    key: &str,
    value: Option<&str>,
) -> Result<(String, String), Error> {
    let setting = SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
        Error::Refused(format!("there is no setting `{key}`; there are {}", known.join(", ")))
    })?;
    let old = read_optional(path)?.unwrap_or_default();
    let mut document: DocumentMut = old.parse().map_err(|error: toml_edit::TomlError| {
        problem(path, &error.to_string(), error.message())
    })?;
    let (table, name) = key.split_once('.').unwrap_or(("", key));
    match value {
        None => {
            if let Some(table) = document.get_mut(table).and_then(Item::as_table_like_mut) {
                table.remove(name);
            }
        }
        Some(text) => {
            let mut value = setting.parse(text)?;
            let item =
                document.entry(table).or_insert_with(|| Item::Table(toml_edit::Table::new()));
            let table = item.as_table_like_mut().ok_or_else(|| Error::Config {
                path: path.to_owned(),
                message: format!("`{table}` is not a table"),
            })?;
            if let Some(old) = table.get(name).and_then(Item::as_value) {
                *value.decor_mut() = old.decor().clone();
            }
            table.insert(name, Item::Value(value));
        }
    }
    let new = document.to_string();
    if path.file_name().is_some_and(|name| name == "config.toml") {
        let config: Result<Config, _> = toml_edit::de::from_str(&new);
        let config = config.map_err(|error| broken(path, &error))?;
        if let Some(message) = config.model.problem() {
            return Err(Error::Refused(message));
        }
    }
    Ok((old, new))
}

impl Setting {
    /// Whether its value is never shown.
    pub fn is_secret(self) -> bool {
        self.kind == Kind::Secret
    }

    fn parse(self, text: &str) -> Result<Value, Error> {
        let wrong =
            |what: &str| Error::Refused(format!("`{}` must be {what}, not `{text}`", self.key));
        match self.kind {
            Kind::Number => {
                let number: i64 = text.trim().parse().map_err(|_| wrong("a whole number"))?;
                let most = match self.key {
                    "skills.depth" => i64::try_from(MAX_DEPTH).unwrap_or(i64::MAX),
                    "learn.replays" => i64::try_from(MAX_REPLAYS).unwrap_or(i64::MAX),
                    "model.task_tokens" => 1_000_000_000,
                    _ => 1_000_000,
                };
                if (0..=most).contains(&number) {
                    Ok(number.into())
                } else {
                    Err(wrong(&format!("between 0 and {most}")))
                }
            }
            Kind::Decimal => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(number.into()),
                _ => Err(wrong("a number, 0 or more")),
            },
            Kind::Secret => match text.trim() {
                "" => Err(Error::Refused(format!("`{}` must be a key", self.key))),
                text => Ok(text.into()),
            },
            Kind::Text => match text.trim() {
                "" => Err(wrong("a word")),
                text => Ok(text.into()),
            },
            Kind::Flag => match text.trim() {
                "true" | "yes" | "on" | "1" => Ok(true.into()),
                "false" | "no" | "off" | "0" => Ok(false.into()),
                _ => Err(wrong("true or false")),
            },
            Kind::Folder => Ok(text.trim().into()),
            Kind::Names => Ok(Value::Array(
                text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
            )),
        }
    }
}

fn read_optional(path: &Path) -> Result<Option<String>, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

fn broken(path: &Path, error: &toml_edit::de::Error) -> Error {
    problem(path, &error.to_string(), error.message())
}

/// What is wrong with a file, with the line; without it when that line may hold a key.
fn problem(path: &Path, whole: &str, words: &str) -> Error {
    let message = if whole.contains("api_key") { words } else { whole.trim_end() };
    Error::Config { path: path.to_owned(), message: message.to_owned() }
}
