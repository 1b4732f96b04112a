//! What a skill needs before its work starts: environment variables, commands, MCP servers, a platform.
//!
//! All that is missing for all skills in play becomes one question. Answers live as long as the session,
//! reach only the processes of the skill that asked for them, and are taken out of every text.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hone_library::{Error, Listed, list_files, read_file, read_text};
use hone_skill::{OpenAiTool, Skill, Value};
use serde::Serialize;

/// The key that names variables, at the top or under `metadata`.
const VARIABLES: &str = "required_environment_variables";
/// Most requirements that are read from one skill.
const MAX_REQUIREMENTS: usize = 50;
/// Longest name of a requirement, in bytes.
const MAX_NAME_BYTES: usize = 256;
/// Longest explanation, in characters.
const MAX_WHY_CHARS: usize = 200;
/// Longest answer, in bytes.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024;
/// A shorter answer would take half the words of a text with it, so it is not looked for.
const MIN_ANSWER_REDACTED_BYTES: usize = 4;
/// The same for a value of the environment, which is as often `production` as it is a secret.
const MIN_FOUND_REDACTED_BYTES: usize = 8;

/// Variables that decide which programs run and how: no skill may ask for them.
const NEVER_ASKED: [&str; 14] = [
    "BASH_ENV",
    "ENV",
    "GIT_SSH_COMMAND",
    "HOME",
    "IFS",
    "NODE_OPTIONS",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
];
/// And all that start like one of these.
const NEVER_ASKED_PREFIXES: [&str; 3] = ["LD_", "DYLD_", "HONE_"];

/// The kind of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An environment variable.
    Variable,
    /// A program on the search path.
    Command,
    /// An MCP server.
    Mcp,
    /// An operating system.
    Platform,
}

impl Kind {
    /// The word for it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::Command => "command",
            Self::Mcp => "mcp",
            Self::Platform => "platform",
        }
    }
}

/// Whether a requirement is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is there.
    Met,
    /// It is not.
    Missing,
    /// Nobody here can tell.
    Unknown,
}

impl Status {
    /// The word for it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }
}

/// Something that a skill declares to need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// What it is for, in the skill's words.
    pub why: Option<String>,
    /// Where to get it.
    pub help: Option<String>,
    /// The skill works without it.
    pub optional: bool,
}

/// What a skill declares, and what could not be understood of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// The requirements, each once, in the order they are declared.
    pub requirements: Vec<Requirement>,
    /// What could not be understood, in sentences.
    pub problems: Vec<String>,
}

/// A skill that needs something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeededBy {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

/// A requirement of one or more skills, looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What is needed; optional only when it is to all of them.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// Whether it is there.
    pub status: Status,
    /// Who needs it.
    pub skills: Vec<NeededBy>,
}

impl Need {
    /// It is missing, and the skill does not work without it.
    pub fn is_lacking(&self) -> bool {
        self.status == Status::Missing && !self.requirement.optional
    }
}

/// What is known about the surroundings of a skill.
pub struct Probe<'p> {
    /// Whether a variable is set.
    pub variable: &'p dyn Fn(&str) -> bool,
    /// Whether a command is on the search path.
    pub command: &'p dyn Fn(&str) -> bool,
    /// The MCP servers at hand, when somebody knows.
    pub servers: Option<&'p [String]>,
    /// The operating system.
    pub platform: &'p str,
}

/// Everything that the skills in play lack, as one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// What a person can answer with a value.
    pub asked: Vec<Asked>,
    /// What a person has to see to by other means.
    pub other: Vec<Need>,
}

/// A variable that a person is asked for. Its value is a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The variable.
    pub name: String,
    /// What it is for.
    pub why: Option<String>,
    /// Where to get it.
    pub help: Option<String>,
    /// Who needs it.
    pub skills: Vec<NeededBy>,
}

/// What a skill on disk declares to need.
pub fn requirements_of(listed: &Listed) -> Result<Declared, Error> {
    let bytes = read_text(listed)?;
    let reading = hone_skill::read(&bytes, listed.folder().file_name().and_then(|n| n.to_str()));
    let Some(skill) = reading.skill else { return Ok(Declared::default()) };
    const SIDE_FILE: &str = "agents/openai.yaml";
    let has_side_file = list_files(listed)?.iter().any(|file| file == SIDE_FILE);
    let side_file = if has_side_file { Some(read_file(listed, SIDE_FILE)?) } else { None };
    Ok(Declared::of(&skill, side_file.as_deref()))
}

impl Declared {
    /// What a skill's frontmatter and its `agents/openai.yaml` declare.
    pub fn of(skill: &Skill, side_file: Option<&[u8]>) -> Self {
        let mut declared = Self::default();
        if !skill.platforms.is_empty() {
            declared.add(Kind::Platform, &skill.platforms.join(", "), None, None, false);
        }
        // The specification has no such key at the top, and wants a text under `metadata`.
        let inside = skill.get("metadata").and_then(|metadata| metadata.get(VARIABLES));
        for variables in skill.get(VARIABLES).into_iter().chain(inside) {
            declared.entries(Kind::Variable, VARIABLES, variables);
        }
        if let Some(secrets) = skill.get("setup").and_then(|setup| setup.get("collect_secrets")) {
            declared.entries(Kind::Variable, "setup.collect_secrets", secrets);
        }
        match skill.get("prerequisites") {
            Some(prerequisites @ Value::Map(_)) => {
                for (kind, key) in [(Kind::Variable, "env_vars"), (Kind::Command, "commands")] {
                    if let Some(value) = prerequisites.get(key) {
                        declared.entries(kind, &format!("prerequisites.{key}"), value);
                    }
                }
            }
            None | Some(Value::Null) => {}
            Some(_) => declared
                .problems
                .push("`prerequisites` is no map with `env_vars` and `commands`".to_owned()),
        }
        // `metadata.openclaw.requires`, under whatever name the agent has this year.
        if let Some(Value::Map(vendors)) = skill.get("metadata") {
            for requires in vendors.iter().filter_map(|(_, vendor)| vendor.get("requires")) {
                let words = |key| requires.get(key).map(Value::words).unwrap_or_default();
                for (key, kind, optional) in [
                    ("env", Kind::Variable, false),
                    ("bins", Kind::Command, false),
                    // One of them is enough, so none is needed by itself.
                    ("anyBins", Kind::Command, true),
                ] {
                    for name in words(key) {
                        declared.add(kind, &name, None, None, optional);
                    }
                }
            }
        }
        match side_file.map(OpenAiTool::read).transpose() {
            Ok(tools) => {
                for tool in tools.unwrap_or_default() {
                    let kind = match tool.kind.as_str() {
                        "env_var" => Kind::Variable,
                        "mcp" => Kind::Mcp,
                        "command" | "cli" => Kind::Command,
                        _ => continue,
                    };
                    declared.add(kind, &tool.value, tool.description.as_deref(), None, false);
                }
            }
            Err(problem) => declared.problems.push(format!("agents/openai.yaml: {problem}")),
        }
        declared
    }

    /// What stands under a key: a list of entries, one entry, or names in a text.
    fn entries(&mut self, kind: Kind, key: &str, value: &Value) {
        let is_entry = |value: &Value| {
            kind == Kind::Variable && ["name", "env_var"].iter().any(|key| value.get(key).is_some())
        };
        match value {
            Value::Null => {}
            Value::List(entries) => {
                for entry in entries {
                    match (kind, entry.text()) {
                        (Kind::Variable, _) => self.variable(entry),
                        (_, Some(name)) => self.add(kind, name, None, None, false),
                        (_, None) => self.problems.push(format!("an entry of `{key}` is no name")),
                    }
                }
            }
            entry if is_entry(entry) => self.variable(entry),
            Value::Map(_) => self.problems.push(format!("`{key}` is no list of names")),
            text => {
                for name in text.words() {
                    self.add(kind, &name, None, None, false);
                }
            }
        }
    }

    /// An entry of `required_environment_variables`: a name, or a map with more to say.
    fn variable(&mut self, entry: &Value) {
        let text = |keys: &[&str]| keys.iter().find_map(|key| entry.get(key)?.text());
        let Some(name) = entry.text().or_else(|| text(&["name", "env_var"])) else {
            self.problems.push("a required environment variable has no name".to_owned());
            return;
        };
        let optional = entry.get("optional").and_then(Value::as_bool) == Some(true);
        let why = text(&["prompt", "required_for", "description"]);
        self.add(Kind::Variable, name, why, text(&["help", "provider_url", "url"]), optional);
    }

    fn add(
        &mut self,
        kind: Kind,
        name: &str,
        why: Option<&str>,
        help: Option<&str>,
        optional: bool,
    ) {
        let name = name.trim();
        let is_good = match kind {
            Kind::Variable => is_variable_name(name),
            Kind::Command => {
                !name.contains(['/', '\\', '\0']) && !name.contains(char::is_whitespace)
            }
            Kind::Mcp | Kind::Platform => !name.contains(char::is_control),
        };
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !is_good {
            let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
            self.problems.push(format!("`{shown}` is no name of a {}", kind.id()));
            return;
        }
        let cut = |text: &str| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let line: String = line.chars().take(MAX_WHY_CHARS).collect();
            (!line.is_empty()).then_some(line)
        };
        let (why, help) = (why.and_then(cut), help.and_then(cut));
        let known = self.requirements.iter_mut().find(|r| r.kind == kind && r.name == name);
        if let Some(known) = known {
            // Declared twice: what one place leaves out, the other may say.
            known.optional &= optional;
            known.why = known.why.take().or(why);
            known.help = known.help.take().or(help);
        } else if self.requirements.len() == MAX_REQUIREMENTS {
            if !self.problems.iter().any(|problem| problem.contains("are looked at")) {
                self.problems.push(format!("only {MAX_REQUIREMENTS} requirements are looked at"));
            }
        } else {
            let requirement = Requirement { kind, name: name.to_owned(), why, help, optional };
            self.requirements.push(requirement);
        }
    }
}

fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Looks at the requirements of several skills; each is in the answer once, with all who need it.
pub fn needs<'s>(
    skills: impl IntoIterator<Item = (&'s Listed, &'s Declared)>,
    probe: &Probe<'_>,
) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    let mut known: HashMap<(Kind, String), usize> = HashMap::new();
    for (skill, declared) in skills {
        let by = NeededBy { name: skill.summary.name.clone(), path: skill.path.clone() };
        for requirement in &declared.requirements {
            let key = (requirement.kind, requirement.name.clone());
            if let Some(at) = known.get(&key) {
                let need = &mut needs[*at];
                need.requirement.optional &= requirement.optional;
                need.requirement.why = need.requirement.why.take().or(requirement.why.clone());
                need.requirement.help = need.requirement.help.take().or(requirement.help.clone());
                need.skills.push(by.clone());
            } else {
                known.insert(key, needs.len());
                needs.push(Need {
                    status: probe.status(skill, requirement),
                    requirement: requirement.clone(),
                    skills: vec![by.clone()],
                });
            }
        }
    }
    needs
}

impl Probe<'static> {
    /// What this process finds around it: its variables, the programs on its path, its system.
    pub fn of_process() -> Self {
        Self {
            variable: &|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()),
            command: &on_path,
            servers: None,
            platform: std::env::consts::OS,
        }
    }
}

fn on_path(command: &str) -> bool {
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .any(|folder| folder.is_absolute() && is_program(&folder.join(command)))
}

impl Probe<'_> {
    fn status(&self, skill: &Listed, requirement: &Requirement) -> Status {
        let name = requirement.name.as_str();
        let is_met = match requirement.kind {
            Kind::Variable => (self.variable)(name),
            Kind::Command => (self.command)(name),
            Kind::Platform => hone_library::runs_on(&skill.summary.platforms, self.platform),
            Kind::Mcp => match self.servers {
                Some(servers) => servers.iter().any(|server| server == name),
                None => return Status::Unknown,
            },
        };
        if is_met { Status::Met } else { Status::Missing }
    }
}

/// What to ask a person, once, before the work starts; none when nothing is lacking.
pub fn question(needs: &[Need]) -> Option<Question> {
    let (asked, other): (Vec<&Need>, Vec<&Need>) =
        needs.iter().filter(|need| need.is_lacking()).partition(|need| {
            need.requirement.kind == Kind::Variable && may_be_asked(&need.requirement.name)
        });
    if asked.is_empty() && other.is_empty() {
        return None;
    }
    let ask = |need: &Need| Asked {
        name: need.requirement.name.clone(),
        why: need.requirement.why.clone(),
        help: need.requirement.help.clone(),
        skills: need.skills.clone(),
    };
    Some(Question {
        asked: asked.into_iter().map(ask).collect(),
        other: other.into_iter().cloned().collect(),
    })
}

fn may_be_asked(name: &str) -> bool {
    !NEVER_ASKED.contains(&name)
        && !NEVER_ASKED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A value that nobody prints by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the process that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// The answers of a session, by skill.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    values: BTreeMap<PathBuf, BTreeMap<String, Answer>>,
}

#[derive(Debug, Clone)]
struct Answer {
    value: Secret,
    /// The length from which it is taken out of texts.
    redacted_from: usize,
}

impl Answers {
    /// Gives a person's answer to a skill; false when it is no value for a variable.
    pub fn give(&mut self, skill: &Path, name: &str, value: &str) -> bool {
        self.insert(skill, name, value, MIN_ANSWER_REDACTED_BYTES)
    }

    /// Gives a value of the environment to a skill; false when it is no value for a variable.
    pub fn pass_on(&mut self, skill: &Path, name: &str, value: &str) -> bool {
        self.insert(skill, name, value, MIN_FOUND_REDACTED_BYTES)
    }

    fn insert(&mut self, skill: &Path, name: &str, value: &str, redacted_from: usize) -> bool {
        let is_good = is_variable_name(name)
            && !value.is_empty()
            && value.len() <= MAX_ANSWER_BYTES
            && !value.contains('\0');
        if is_good {
            let values = self.values.entry(skill.to_owned()).or_default();
            values.insert(name.to_owned(), Answer { value: Secret::new(value), redacted_from });
        }
        is_good
    }

    /// Whether a skill has a value for a variable.
    pub fn has(&self, skill: &Path, name: &str) -> bool {
        self.values.get(skill).is_some_and(|values| values.contains_key(name))
    }

    /// What the processes of a skill, and of no other, get in their environment.
    pub fn of(&self, skill: &Path) -> impl Iterator<Item = (&str, &Secret)> {
        let values = self.values.get(skill).into_iter().flatten();
        values.map(|(name, answer)| (name.as_str(), &answer.value))
    }

    /// All of them: skill, variable, value.
    pub fn values(&self) -> impl Iterator<Item = (&Path, &str, &Secret)> {
        self.values.iter().flat_map(|(skill, values)| {
            values.iter().map(|(name, answer)| (skill.as_path(), name.as_str(), &answer.value))
        })
    }

    /// The text without any of the values; the name stands in for each.
    pub fn redact(&self, text: &str) -> String {
        let mut redacted = text.to_owned();
        for (value, name) in self.redacted() {
            if redacted.contains(value) {
                redacted = redacted.replace(value, &format!("[redacted {name}]"));
            }
        }
        redacted
    }

    /// The first `end` bytes of a text without any of the values. One that reaches past the end is taken
    /// out as a whole: no part of it stays.
    pub fn redact_start(&self, text: &str, mut end: usize) -> String {
        let values = self.redacted();
        let reaches_past = |end: usize| {
            let past = values.iter().filter_map(|(value, _)| {
                let from = end.saturating_sub(value.len() - 1);
                let from = (from..=end).find(|at| text.is_char_boundary(*at))?;
                let found = text[from..].find(value)? + from;
                (found < end).then_some(found + value.len())
            });
            past.max()
        };
        while let Some(further) = reaches_past(end) {
            end = further;
        }
        self.redact(&text[..end])
    }

    /// The values that are in no text, each with its name; the longest first: one may be a part of another.
    fn redacted(&self) -> Vec<(&str, &str)> {
        let mut secrets: Vec<(&str, &str)> = self
            .values
            .values()
            .flatten()
            .filter(|(_, answer)| answer.value.expose().len() >= answer.redacted_from)
            .map(|(name, answer)| (answer.value.expose(), name.as_str()))
            .collect();
        secrets.sort_by(|a, b| (b.0.len(), a).cmp(&(a.0.len(), b)));
        secrets.dedup_by_key(|(value, _)| *value);
        secrets
    }
}
