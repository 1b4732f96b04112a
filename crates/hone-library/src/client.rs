//! "What would that agent see here?": other agents' rules, applied to the same files.
//!
//! Where an agent looks, how deep, who wins when two skills share a name, what it refuses, and how much
//! of a description is left when its budget is spent. Facts of November 2026 about other programs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::catalogue::{Catalogue, Gathered, Listed, Reason, USE_DEPTH, gather};
use crate::config::MAX_DEPTH;
use crate::root::{Layout, Project, Root};
use crate::scope::Scope;
use crate::state::State;
use crate::surroundings::Surroundings;
use crate::watch::Met;

/// Codex' catalogue budget for its default window, in tokens of four bytes.
const CODEX_BUDGET_TOKENS: usize = 5_440;
/// Codex shows so much of a description, in characters.
const CODEX_DESCRIPTION_CHARS: usize = 1_024;
/// Codex looks into at most so many folders below a root.
const CODEX_MAX_FOLDERS: usize = 2_000;
/// Claude Code's listing budget, 1 % of a window of 200,000 tokens, in characters.
const CLAUDE_CODE_BUDGET_CHARS: usize = 8_000;
/// Claude Code shows so much of a description, in characters.
const CLAUDE_CODE_DESCRIPTION_CHARS: usize = 1_536;
/// Characters of a name that Gemini CLI writes as a hyphen.
const GEMINI_REPLACES: [char; 9] = [':', '\\', '/', '<', '>', '*', '?', '"', '|'];
/// Hermes shows so much of a description, in characters.
const HERMES_DESCRIPTION_CHARS: usize = 60;

/// An agent whose view can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// OpenCode.
    #[serde(rename = "opencode")]
    OpenCode,
    /// Nous Research's Hermes Agent.
    Hermes,
    /// OpenClaw.
    #[serde(rename = "openclaw")]
    OpenClaw,
}

/// How much of a skill's line is left in a client's listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// Name and whole description.
    Full,
    /// Name and a part of the description.
    Shortened,
    /// The name alone.
    NameOnly,
    /// Nothing: the model never hears of it.
    Omitted,
    /// Kept from the model on purpose; a person can call it.
    Hidden,
}

impl Shown {
    /// The word for it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Shortened => "shortened",
            Self::NameOnly => "name-only",
            Self::Omitted => "omitted",
            Self::Hidden => "hidden",
        }
    }
}

/// What a listing may cost and in which unit, when there is a limit.
type Budget = Option<(usize, &'static str)>;

/// What a client sees.
#[derive(Debug)]
pub struct ClientView {
    /// Whose view it is.
    pub client: Client,
    /// The skills it offers, and the others with the reason.
    pub catalogue: Catalogue,
    /// For each offered skill, how much of its line the model gets and how many characters of the
    /// description that are.
    pub shown: Vec<(Shown, usize)>,
    /// What a listing may cost and in which unit, when the client has a limit.
    pub budget: Budget,
}

impl Client {
    /// All clients, in the order they are documented.
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode, Self::Hermes, Self::OpenClaw];

    /// The client's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Hermes => "hermes",
            Self::OpenClaw => "openclaw",
        }
    }

    /// How many folders below a root a skill may be.
    fn depth(self) -> usize {
        match self {
            Self::ClaudeCode | Self::Gemini => 1,
            Self::Codex | Self::OpenClaw => 6,
            Self::OpenCode | Self::Hermes => MAX_DEPTH,
        }
    }

    /// Where it looks, the winner of a name first, whether a folder is there or not.
    fn places(self, around: &Surroundings, project: Option<&Project>) -> Vec<(PathBuf, Scope)> {
        let folders = project.map_or(&[][..], |project| &project.folders);
        let top: Vec<PathBuf> = project.iter().map(|project| project.root.clone()).collect();
        let inside = |folders: &[PathBuf], names: &[&str]| -> Vec<(PathBuf, Scope)> {
            let paths =
                folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
            paths.map(|path| (path, Scope::Project)).collect()
        };
        let home = |names: &[&str]| -> Vec<(PathBuf, Scope)> {
            names.iter().map(|name| (around.below_home(name), Scope::User)).collect()
        };
        let admin = |name: &str| vec![(PathBuf::from(name), Scope::Admin)];
        match self {
            Self::ClaudeCode => [
                admin("/etc/claude-code/.claude/skills"),
                home(&[".claude/skills"]),
                inside(folders, &[".claude/skills"]),
            ]
            .concat(),
            Self::Codex => [
                inside(folders, &[".codex/skills", ".agents/skills"]),
                home(&[".codex/skills", ".agents/skills"]),
                admin("/etc/codex/skills"),
            ]
            .concat(),
            Self::Gemini => [
                inside(&top, &[".agents/skills", ".gemini/skills"]),
                home(&[".agents/skills", ".gemini/skills"]),
            ]
            .concat(),
            Self::OpenCode => [
                inside(
                    folders,
                    &[".opencode/skill", ".opencode/skills", ".claude/skills", ".agents/skills"],
                ),
                home(&[
                    ".config/opencode/skill",
                    ".config/opencode/skills",
                    ".claude/skills",
                    ".agents/skills",
                ]),
            ]
            .concat(),
            Self::Hermes => {
                [inside(&top, &[".hermes/skills", ".agents/skills"]), home(&[".hermes/skills"])]
                    .concat()
            }
            Self::OpenClaw => [
                inside(&top, &["skills", ".agents/skills"]),
                home(&[".agents/skills", ".openclaw/skills"]),
            ]
            .concat(),
        }
    }

    /// Those of its places that are there.
    fn roots(self, places: Vec<(PathBuf, Scope)>, project: Option<Project>) -> Vec<Root> {
        // Only Hermes asks whether a project is trusted before it reads its skills.
        let trust = project.map(|project| project.root).filter(|_| self == Self::Hermes);
        let mut roots: Vec<Root> = Vec::new();
        for (path, scope) in places {
            if path.is_dir() && !roots.iter().any(|root| root.path == path) {
                let project = trust.clone().filter(|_| scope == Scope::Project);
                roots.push(Root { path, scope, layout: Layout::Folders, project });
            }
        }
        roots
    }

    /// Why this client does not take a skill that hone takes.
    fn refusal(self, skill: &Listed) -> Option<String> {
        let has = |rules: &[&str]| {
            skill
                .notes
                .iter()
                .find(|note| rules.contains(&note.rule.as_str()))
                .map(|note| note.message.clone())
        };
        let file = skill.path.file_name().is_some_and(|name| name != "SKILL.md");
        let own_name = file.then(|| "its file is not called `SKILL.md`".to_owned());
        let strict_start =
            || has(&["byte-order-mark", "text-before-fence", "fence-in-code-block", "fence-dots"]);
        let no_description = || {
            skill
                .summary
                .description_from_body
                .then(|| "it has no description of its own".to_owned())
        };
        let is_root =
            || (skill.depth == 0).then(|| "it is a root, not a folder below one".to_owned());
        own_name.or_else(|| match self {
            Self::ClaudeCode => is_root().or_else(|| has(&["fence-in-code-block", "fence-dots"])),
            Self::Hermes => has(&["fence-in-code-block", "fence-dots"]),
            Self::Codex => strict_start()
                .or_else(no_description)
                .or_else(|| has(&["name-too-long"]))
                .or_else(|| skill.is_link.then(|| "its `SKILL.md` is a symbolic link".to_owned()))
                .or_else(|| {
                    in_dot_folder(skill)
                        .then(|| "it is in a folder that starts with a dot".to_owned())
                }),
            Self::Gemini => {
                strict_start().or_else(no_description).or_else(|| has(&["name-missing"]))
            }
            Self::OpenCode => has(&["yaml-syntax", "yaml-unquoted", "name-missing"]),
            Self::OpenClaw => strict_start().or_else(no_description),
        })
    }

    /// The name under which this client offers a skill.
    fn name_of(self, skill: &Listed) -> String {
        match (self, skill.folder().file_name()) {
            // The folder is the command.
            (Self::ClaudeCode, Some(folder)) => folder.to_string_lossy().into_owned(),
            (Self::Gemini, _) => skill.summary.name.replace(GEMINI_REPLACES, "-"),
            _ => skill.summary.name.clone(),
        }
    }

    /// What this client offers here. `roots` replaces the places that it looks at.
    pub fn view(
        self,
        around: &Surroundings,
        roots: Option<Vec<Root>>,
        state: &State,
    ) -> ClientView {
        let roots = roots.unwrap_or_else(|| {
            let project = Project::find(around);
            self.roots(self.places(around, project.as_ref()), project)
        });
        self.view_of(roots, state, None)
    }

    /// The same, and what the answer depends on.
    pub(crate) fn view_noting(
        self,
        around: &Surroundings,
        state: &State,
        met: &mut Met,
    ) -> ClientView {
        let project = Project::find(around);
        let places = self.places(around, project.as_ref());
        met.paths.extend(places.iter().map(|(path, _)| path.clone()));
        for folder in around.cwd.ancestors() {
            met.paths.extend([folder.join(".git"), folder.join("hone.toml")]);
        }
        self.view_of(self.roots(places, project), state, Some(met))
    }

    fn view_of(self, roots: Vec<Root>, state: &State, met: Option<&mut Met>) -> ClientView {
        let Gathered { skills, mut skipped, untrusted } = gather(&roots, self.depth(), state, met);
        for skipped in skipped.iter_mut().filter(|skipped| skipped.reason == Reason::TooDeep) {
            // How deep a client looks is not for us to say.
            if let Some(message) = skipped.message.strip_suffix(USE_DEPTH) {
                skipped.message = message.to_owned();
            }
        }
        let mut catalogue = Catalogue { skills: Vec::new(), skipped, roots };
        let mut taken: HashMap<String, PathBuf> = HashMap::new();
        let mut per_root: HashMap<PathBuf, usize> = HashMap::new();
        for mut skill in skills {
            if untrusted.contains_key(&skill.root) {
                catalogue.skip(skill, Reason::Untrusted, "the project is not trusted".to_owned());
                continue;
            }
            if let Some(why) = self.refusal(&skill) {
                catalogue.skip(skill, Reason::Client, why);
                continue;
            }
            let seen = per_root.entry(skill.root.clone()).or_default();
            *seen += 1;
            // The root counts as a folder too.
            if self == Self::Codex && *seen >= CODEX_MAX_FOLDERS {
                let why = format!(
                    "Codex looks into {CODEX_MAX_FOLDERS} folders of a root and says nothing"
                );
                catalogue.skip(skill, Reason::Client, why);
                continue;
            }
            let name = self.name_of(&skill);
            match taken.get(&name) {
                Some(winner) if self != Self::Codex => {
                    let why = format!("`{}` goes before it", winner.display());
                    catalogue.skip(skill, Reason::Shadowed, why);
                }
                _ => {
                    taken.insert(name.clone(), skill.path.clone());
                    skill.summary.name = name;
                    catalogue.skills.push(skill);
                }
            }
        }
        catalogue.sort();
        let (shown, budget) = self.listing(&catalogue.skills);
        ClientView { client: self, catalogue, shown, budget }
    }

    fn listing(self, skills: &[Listed]) -> (Vec<(Shown, usize)>, Budget) {
        let lengths: Vec<Option<usize>> = skills
            .iter()
            .map(|skill| {
                // Each knows one of the two ways to keep a skill from the model.
                let is_hidden = match self {
                    // A policy that Codex cannot read is none to it.
                    Self::Codex => {
                        !skill.summary.implicit_invocation
                            && !skill.notes.iter().any(|note| note.rule == "openai-policy")
                    }
                    _ => skill.summary.disable_model_invocation,
                };
                (!is_hidden).then(|| skill.summary.description.trim().chars().count())
            })
            .collect();
        let all = |most: usize| {
            lengths
                .iter()
                .map(|length| match length {
                    None => (Shown::Hidden, 0),
                    Some(length) if *length > most => (Shown::Shortened, most),
                    Some(length) => (Shown::Full, *length),
                })
                .collect::<Vec<_>>()
        };
        match self {
            Self::Gemini | Self::OpenCode | Self::OpenClaw => (all(usize::MAX), None),
            Self::Hermes => (all(HERMES_DESCRIPTION_CHARS), None),
            Self::ClaudeCode => {
                let mut shown = all(CLAUDE_CODE_DESCRIPTION_CHARS);
                let names: usize = skills
                    .iter()
                    .zip(&shown)
                    .filter(|(_, (shown, _))| *shown != Shown::Hidden)
                    .map(|(skill, _)| skill.summary.name.chars().count() + 4)
                    .sum();
                let mut left = CLAUDE_CODE_BUDGET_CHARS.saturating_sub(names);
                for entry in shown.iter_mut().filter(|(shown, _)| *shown != Shown::Hidden) {
                    if entry.1 <= left {
                        left -= entry.1;
                    } else {
                        *entry = (Shown::NameOnly, 0);
                    }
                }
                (shown, Some((CLAUDE_CODE_BUDGET_CHARS, "characters")))
            }
            Self::Codex => (codex_listing(skills, &lengths), Some((CODEX_BUDGET_TOKENS, "tokens"))),
        }
    }
}

/// Codex gives every description the same share, then drops all of them, then drops skills. It writes
/// a path with a short name for its root, so the root costs nothing.
fn codex_listing(skills: &[Listed], lengths: &[Option<usize>]) -> Vec<(Shown, usize)> {
    let budget = CODEX_BUDGET_TOKENS * 4;
    let frame = |skill: &Listed| {
        let below = skill.path.strip_prefix(&skill.root).unwrap_or(&skill.path);
        "- :  (file: r0/)\n".len() + skill.summary.name.len() + below.as_os_str().len()
    };
    let frames: Vec<Option<usize>> =
        skills.iter().zip(lengths).map(|(skill, length)| length.map(|_| frame(skill))).collect();
    let all: usize = frames.iter().flatten().sum();
    let Some(room) = budget.checked_sub(all) else {
        let mut left = budget;
        let fits = |frame: &Option<usize>| match frame {
            None => (Shown::Hidden, 0),
            Some(cost) if *cost <= left => {
                left -= cost;
                (Shown::NameOnly, 0)
            }
            Some(_) => {
                left = 0;
                (Shown::Omitted, 0)
            }
        };
        return frames.iter().map(fits).collect();
    };
    let shown = |length: usize| length.min(CODEX_DESCRIPTION_CHARS);
    let mut sorted: Vec<usize> = lengths.iter().flatten().copied().map(shown).collect();
    sorted.sort_unstable();
    // The largest length that all descriptions can have at once.
    let mut share = CODEX_DESCRIPTION_CHARS;
    let mut used = 0;
    for (at, length) in sorted.iter().enumerate() {
        let rest = sorted.len() - at;
        if used + length * rest > room {
            share = (room - used) / rest;
            break;
        }
        used += length;
    }
    lengths
        .iter()
        .map(|length| match length {
            None => (Shown::Hidden, 0),
            Some(length) if *length <= share => (Shown::Full, *length),
            Some(_) if share == 0 => (Shown::NameOnly, 0),
            Some(_) => (Shown::Shortened, share),
        })
        .collect()
}

fn in_dot_folder(skill: &Listed) -> bool {
    let below = skill.path.strip_prefix(&skill.root).unwrap_or(Path::new(""));
    below.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}
