//! The shapes of the hub's JSON.

use hone_hub::{Approval, News};
use schemars::JsonSchema;
use serde::Serialize;

use super::Dismissed;

/// `hone add --json`, `hone update --json` and `hone approve ID --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Arrivals {
    /// What became of each skill.
    pub(crate) skills: Vec<Arrival>,
    /// Nothing was installed: this is what would happen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dry_run: bool,
}

/// What became of one skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Arrival {
    pub(crate) name: String,
    /// Its folder, whether it is there or not.
    pub(crate) path: String,
    pub(crate) source: String,
    /// The commit or digest that it is pinned to.
    pub(crate) pin: Option<String>,
    pub(crate) origin: &'static str,
    /// `safe`, `caution` or `dangerous`; null when it was not scanned.
    pub(crate) verdict: Option<&'static str>,
    /// `installed`, `updated`, `unchanged`, `blocked`, `waits`, `declined`, `refused`, `held-back` or `gone`.
    pub(crate) fate: &'static str,
    /// Why, where it is not what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// What `hone approve` calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<String>,
    /// What it can do that the installed version cannot; of a new skill, all of it.
    pub(crate) news: News,
    /// What the scan found.
    pub(crate) findings: Vec<HubFinding>,
    /// Findings that a person dismissed; they do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) dismissed: Vec<Dismissed>,
    /// Messages that it would take from other skills.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) takes: Vec<TakenMessage>,
    /// How many more messages it would take, which are not named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) takes_unnamed: Option<usize>,
    /// It was not asked which messages it would take: too many skills came at once.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) takes_unasked: bool,
    /// Files that stay as somebody edited them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kept: Vec<String>,
    /// Files in which an edit and the update are both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) merged: Vec<String>,
    /// Copies in other agents' folders that somebody changed, so that they did not follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) stale: Vec<String>,
}

/// A finding of the scan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HubFinding {
    pub(crate) rule: String,
    pub(crate) severity: &'static str,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) message: String,
    pub(crate) evidence: String,
}

/// A message that a newcomer would take.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TakenMessage {
    pub(crate) message: String,
    /// The skill that gets it now.
    pub(crate) from: String,
}

/// `hone remove --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removals {
    pub(crate) removed: Vec<Removal>,
}

/// A skill that was removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removal {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) source: String,
    /// Its files were there.
    pub(crate) was_there: bool,
    /// Links and copies in other agents' folders that were taken back.
    pub(crate) unshared: Vec<String>,
}

/// `hone outdated --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutdatedReport {
    pub(crate) skills: Vec<OutdatedSkill>,
}

/// An installed skill, held against its source.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutdatedSkill {
    pub(crate) name: String,
    pub(crate) root: String,
    pub(crate) source: String,
    /// `current`, `outdated`, `gone` or `unknown`.
    pub(crate) freshness: &'static str,
    /// The commit or digest that is installed.
    pub(crate) installed: Option<String>,
    /// The commit or digest that the source has.
    pub(crate) newest: Option<String>,
    /// The files that differ.
    pub(crate) files: Vec<String>,
    /// Why the source could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// `hone install --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InstallReport {
    /// Everything is as the lock says.
    pub(crate) is_true: bool,
    pub(crate) skills: Vec<Arrival>,
    /// Skills and files that the lock does not know; they stay.
    pub(crate) extra: Vec<VerifiedSkill>,
    pub(crate) notes: Vec<String>,
}

/// `hone verify --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyReport {
    /// The lock file.
    pub(crate) lock: String,
    /// Nothing differs.
    pub(crate) is_true: bool,
    pub(crate) skills: Vec<VerifiedSkill>,
}

/// A skill held against the lock.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifiedSkill {
    pub(crate) name: String,
    pub(crate) path: String,
    /// `ok`, `modified`, `missing`, `unreadable` or `unknown` (the lock does not know it).
    pub(crate) standing: &'static str,
    /// The files that differ.
    pub(crate) files: Vec<VerifiedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// A file that is not as the lock says.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifiedFile {
    pub(crate) file: String,
    /// `modified`, `missing` or `extra`.
    pub(crate) difference: &'static str,
}

/// `hone audit --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditLog {
    /// Oldest first.
    pub(crate) rows: Vec<AuditRow>,
}

/// A row of the log. Texts that do not apply are empty.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditRow {
    pub(crate) seq: u64,
    pub(crate) at: String,
    pub(crate) actor: String,
    pub(crate) action: String,
    pub(crate) skill: String,
    pub(crate) place: String,
    pub(crate) source: String,
    /// The hash of the skill's content.
    pub(crate) content: String,
    pub(crate) verdict: String,
    pub(crate) detail: String,
    pub(crate) previous: String,
    pub(crate) hash: String,
}

/// `hone audit verify --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditChain {
    /// Every row follows from the one before.
    pub(crate) whole: bool,
    /// Rows that do, from the first on.
    pub(crate) sound: u64,
    /// The hash of the last of them.
    pub(crate) head: String,
    /// The first row that does not.
    pub(crate) broken_at: Option<u64>,
    pub(crate) why: Option<String>,
}

/// `hone approve --json`, and what `--reject` took away.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Approvals {
    pub(crate) waiting: Vec<Waiting>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rejected: Vec<Waiting>,
}

/// Something that waits for approval.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Waiting {
    #[serde(flatten)]
    pub(crate) approval: Approval,
    pub(crate) files: usize,
    /// With `--show`: its files against what is installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<hone_library::ChangedFile>,
    /// With `--show`: files that can be run as a program and could not, and the other way round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) execute_bits: Vec<ExecuteBit>,
}

/// A file whose execute bit changes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExecuteBit {
    pub(crate) file: String,
    pub(crate) executable: bool,
}

/// `hone share --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shares {
    pub(crate) skills: Vec<SharedSkill>,
}

/// A skill and where other agents see it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SharedSkill {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) agents: Vec<SharedWith>,
    /// With `--undo`: links and copies that were taken back.
    pub(crate) unshared: Vec<String>,
    /// With `--undo`: links and copies that stay for other agents that look in the same folder.
    pub(crate) kept: Vec<KeptShared>,
}

/// A link or copy that an agent still sees.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeptShared {
    pub(crate) agent: String,
    pub(crate) path: String,
    /// The agents for whom it stays.
    pub(crate) stays_for: Vec<String>,
}

/// One share.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SharedWith {
    pub(crate) agent: String,
    pub(crate) path: String,
    /// `linked`, `copied`, `visible` (it was already) or `refused`.
    pub(crate) fate: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// `hone search --hub --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HubSearch {
    pub(crate) skills: Vec<HubSkill>,
    /// Sources that could not be asked.
    pub(crate) failed: Vec<FailedSource>,
}

/// A skill that a configured source offers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HubSkill {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) source: String,
    /// Where it lies in its source.
    pub(crate) path: String,
}

/// A source that could not be asked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FailedSource {
    pub(crate) source: String,
    pub(crate) why: String,
    /// What it offered before was searched.
    pub(crate) kept: bool,
}
