//! What the interface takes and gives. Keys are added, never renamed.

use std::path::Path;

use hone_learn::stats::{AgentSpent, SkillStats};
use hone_library::usage::Day;
use hone_library::{Change, ChangedFile, Listed, Note, PastFile, PastRevision, Revision, Skipped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Skills in one page of a list, unless fewer are asked for.
pub(crate) const MAX_PAGE: usize = 500;

/// Which skills to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// Words that must occur in the name or the description.
    #[schemars(length(max = 1000))]
    pub(crate) words: String,
    /// Only skills of this scope: `project`, `user`, `agent`, `admin` or `builtin`.
    pub(crate) scope: Option<String>,
    /// How many at most.
    #[schemars(range(min = 1, max = 500))]
    pub(crate) limit: Option<usize>,
    /// How many to pass over, as `next` of the page before says.
    pub(crate) from: Option<usize>,
}

/// A page of skills.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillList {
    pub(crate) skills: Vec<SkillItem>,
    /// How many fit in all.
    pub(crate) total: usize,
    /// Where the next page begins.
    pub(crate) next: Option<usize>,
}

/// A skill in a list, and how it stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SkillItem {
    #[serde(flatten)]
    pub(crate) line: SkillLine,
    /// What the last scan said: `safe`, `caution` or `dangerous`; null when there was none.
    pub(crate) verdict: Option<String>,
    /// `unused`, `trial`, `active` or `stale`.
    pub(crate) state: &'static str,
    /// Whether a person pinned it.
    pub(crate) pinned: bool,
    pub(crate) uses: u64,
    pub(crate) last_used: Option<String>,
}

/// A skill.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SkillLine {
    pub(crate) name: String,
    /// The name in addresses.
    pub(crate) slug: String,
    pub(crate) description: String,
    /// Who sees it.
    pub(crate) scope: &'static str,
    /// Whose word it is.
    pub(crate) origin: &'static str,
    pub(crate) version: Option<String>,
    /// Its file.
    pub(crate) path: String,
    /// Whether a model may load it by itself.
    pub(crate) model_invocable: bool,
    /// Whether a person may call it by name.
    pub(crate) user_invocable: bool,
}

impl From<&Listed> for SkillLine {
    fn from(skill: &Listed) -> Self {
        let summary = &skill.summary;
        Self {
            name: summary.name.clone(),
            slug: summary.slug.to_string(),
            description: summary.description.clone(),
            scope: skill.scope.id(),
            origin: skill.origin.id(),
            version: summary.version.clone(),
            path: skill.path.to_string_lossy().into_owned(),
            model_invocable: summary.model_invocable,
            user_invocable: summary.user_invocable,
        }
    }
}

/// What was found and is not offered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedList {
    pub(crate) skipped: Vec<SkippedSkill>,
}

/// Something that is not offered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedSkill {
    pub(crate) path: String,
    pub(crate) name: Option<String>,
    /// The kind of reason.
    pub(crate) reason: &'static str,
    /// The reason in a sentence.
    pub(crate) message: String,
}

impl From<&Skipped> for SkippedSkill {
    fn from(skipped: &Skipped) -> Self {
        Self {
            path: skipped.path.to_string_lossy().into_owned(),
            name: skipped.skill.as_ref().map(|skill| skill.summary.name.clone()),
            reason: skipped.reason.id(),
            message: skipped.message.clone(),
        }
    }
}

/// A skill with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillText {
    #[serde(flatten)]
    pub(crate) line: SkillLine,
    /// The whole text, frontmatter included; null when it is not UTF-8.
    pub(crate) text: Option<String>,
    /// SHA-256 of the text: the entity tag, for `If-Match`.
    pub(crate) sha256: String,
    /// Its supporting files.
    pub(crate) files: Vec<String>,
    /// What could be better about it.
    pub(crate) notes: Vec<Remark>,
}

/// What could be better about a text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Remark {
    pub(crate) rule: String,
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl From<&Note> for Remark {
    fn from(note: &Note) -> Self {
        Self { rule: note.rule.clone(), line: note.line, message: note.message.clone() }
    }
}

/// A new skill.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSkill {
    /// Its name; the slug of it becomes its folder.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) name: String,
    /// The whole text, with or without frontmatter.
    #[schemars(length(max = 1_000_000))]
    pub(crate) content: String,
}

/// A whole new text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewText {
    /// The whole text, frontmatter included.
    #[schemars(length(max = 1_000_000))]
    pub(crate) content: String,
}

/// A piece of text to replace.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Piece {
    /// What is there now, exactly once.
    #[schemars(length(min = 1, max = 1_000_000))]
    pub(crate) old: String,
    /// What is to be there.
    #[schemars(length(max = 1_000_000))]
    pub(crate) new: String,
    /// A supporting file, instead of the skill's own text.
    pub(crate) file: Option<String>,
    /// Whether blanks, indentation and quotes may differ.
    #[serde(default)]
    pub(crate) fuzzy: bool,
}

/// How a change is made.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChangeQuery {
    /// Why, for the history.
    #[schemars(length(max = 1000))]
    pub(crate) reason: String,
    /// Whether to do everything but write.
    pub(crate) dry_run: bool,
}

/// What was changed, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    pub(crate) name: String,
    pub(crate) path: String,
    /// What was done.
    pub(crate) action: &'static str,
    /// The number of the new revision; null in a dry run.
    pub(crate) revision: Option<u64>,
    pub(crate) from_version: Option<String>,
    pub(crate) to_version: Option<String>,
    pub(crate) files: Vec<ChangedFile>,
    /// What the scan says about the result; null when nothing was added.
    pub(crate) verdict: Option<&'static str>,
    /// What could be better about the result.
    pub(crate) warnings: Vec<String>,
    /// Links and copies in other agents' folders that stay as they were.
    pub(crate) stale: Vec<String>,
    /// Links and copies in other agents' folders that went with it.
    pub(crate) taken_back: Vec<String>,
}

impl Changed {
    pub(crate) fn of(change: &Change, verdict: Option<&'static str>) -> Self {
        Self {
            name: change.name.clone(),
            path: shown(&change.path),
            action: change.action.id(),
            revision: change.revision,
            from_version: change.from_version.clone(),
            to_version: change.to_version.clone(),
            files: change.files.iter().map(ChangedFile::from).collect(),
            verdict,
            warnings: change.warnings.iter().map(|warning| warning.message.clone()).collect(),
            stale: change.stale.iter().map(|stale| shown(&stale.path)).collect(),
            taken_back: change.taken_back.iter().map(|path| shown(path)).collect(),
        }
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The past of a skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Versions {
    pub(crate) path: String,
    /// Oldest first.
    pub(crate) versions: Vec<PastVersion>,
}

/// A revision.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PastVersion {
    #[serde(flatten)]
    pub(crate) past: PastRevision,
    pub(crate) files: Vec<String>,
    /// The same files with what they were and became, as `hone history --json` has them.
    pub(crate) changes: Vec<PastFile>,
}

impl From<Revision> for PastVersion {
    fn from(revision: Revision) -> Self {
        let (past, changes) = revision.told();
        let files = changes.iter().map(|change| change.file.clone()).collect();
        Self { past, files, changes }
    }
}

/// Which two revisions to compare.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DiffQuery {
    /// The older one, 0 for before the first; the one before `to` when left out.
    pub(crate) from: Option<u64>,
    /// The newer one; the newest when left out.
    pub(crate) to: Option<u64>,
}

/// What changed between two revisions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Difference {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) files: Vec<ChangedFile>,
}

/// Which revision to bring back.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RollbackTo {
    /// The revision; the one before the newest when left out.
    pub(crate) to: Option<u64>,
}

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchQuery {
    /// Words.
    #[schemars(length(min = 1, max = 10_000))]
    pub(crate) words: String,
    /// How many at most.
    #[schemars(range(min = 1, max = 50))]
    pub(crate) limit: Option<usize>,
}

/// A message that may be about skills.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    /// The user's words.
    #[schemars(length(min = 1, max = 100_000))]
    pub(crate) message: String,
    /// How many skills at most.
    #[schemars(range(min = 1, max = 50))]
    pub(crate) limit: Option<usize>,
}

/// The skills that were found, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matches {
    pub(crate) matches: Vec<Matched>,
}

/// A skill that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matched {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) scope: &'static str,
    /// How sure, from 0 to 1.
    pub(crate) score: f32,
    /// `activate`, `offer` or `nothing`.
    pub(crate) band: &'static str,
    /// Why, the heaviest first.
    pub(crate) reasons: Vec<Why>,
}

/// Why a skill was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Why {
    pub(crate) part: &'static str,
    pub(crate) words: String,
}

/// What the scan says about a skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Scanned {
    pub(crate) name: String,
    /// `safe`, `caution` or `dangerous`, dismissed findings left out.
    pub(crate) verdict: &'static str,
    /// What the policy says about it: `allow`, `ask` or `block`.
    pub(crate) action: &'static str,
    pub(crate) findings: Vec<Finding>,
    /// Findings that a person set aside.
    pub(crate) dismissed: usize,
    /// SHA-256 over the files.
    pub(crate) digest: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The rule that found it.
    pub rule: String,
    /// `info`, `warn` or `critical`.
    pub severity: String,
    /// Where: the file.
    pub file: String,
    /// Where: the line, from 1; 0 for the whole file.
    pub line: usize,
    /// What was found, in a sentence.
    pub message: String,
    /// The text that was found, secrets taken out.
    pub evidence: String,
    /// What to do about it.
    pub hint: String,
}

impl From<&hone_guard::Finding> for Finding {
    fn from(finding: &hone_guard::Finding) -> Self {
        Self {
            rule: finding.rule.clone(),
            severity: finding.severity.to_string(),
            file: finding.file.clone(),
            line: finding.line,
            message: finding.message.clone(),
            evidence: finding.evidence.clone(),
            hint: finding.hint.clone(),
        }
    }
}

/// How the library is used.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Stats {
    pub(crate) skills: usize,
    pub(crate) skipped: usize,
    /// Skills by scope.
    pub(crate) scopes: std::collections::BTreeMap<&'static str, usize>,
    /// Skills by origin.
    pub(crate) origins: std::collections::BTreeMap<&'static str, usize>,
    /// What the index that every task gets would cost with all skills, in tokens.
    pub(crate) index_tokens: usize,
    /// What it may cost.
    pub(crate) index_budget: usize,
    /// The counters, a row a skill and version.
    pub(crate) usage: Vec<UsedSkill>,
    /// The uses of the last days, oldest first.
    pub(crate) days: Vec<Day>,
    /// How tasks went with a skill and without it, most tasks first.
    pub(crate) outcomes: Vec<SkillStats>,
    /// What learning used up, by agent.
    pub(crate) spent: Vec<AgentSpent>,
}

/// How often a version of a skill was seen, used and changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsedSkill {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) views: u64,
    pub(crate) uses: u64,
    pub(crate) patches: u64,
    pub(crate) last_used: Option<String>,
}
