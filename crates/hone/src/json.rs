//! The shapes of our JSON. Keys may be added, never renamed or removed: `schemas/` holds a schema for
//! each, and the tests compare.

use hone_guard::{Coverage, Inventory, Verdict};
use hone_library::{
    Catalogue, Change, ChangedFile, ClientView, Listed, Note, PastFile, PastRevision, Revision,
    Shown, Skipped,
};
use hone_router::Level0;
use hone_skill::{Diagnostic, Profile};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub(crate) mod agent;
pub(crate) mod connect;
pub(crate) mod curate;
pub(crate) mod hub;
pub(crate) mod learn;
pub(crate) mod lineage;
pub(crate) mod matching;
pub(crate) mod routing;
pub(crate) mod serve;
pub(crate) mod snapshot;

/// `hone list --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema is made from it")]
pub(crate) struct List {
    /// The skills that are offered.
    pub(crate) skills: Vec<Skill>,
    /// What was found and is not offered.
    pub(crate) skipped: Vec<SkippedSkill>,
    /// The folders that were looked at, in order of precedence.
    pub(crate) roots: Vec<RootFolder>,
    /// With `--client`: whose view this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<ClientInfo>,
}

/// A list whose items are made one by one while they are written, so that 10,000 skills need no
/// second copy in memory.
pub(crate) struct Streamed<I>(std::cell::Cell<Option<I>>);

impl<I: Iterator<Item: Serialize>> Serialize for Streamed<I> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

/// The same keys as [`List`], in the same order, made while they are written.
#[derive(Serialize)]
#[serde(bound = "")]
pub(crate) struct StreamedList<S: Iterator<Item: Serialize>, K: Iterator<Item: Serialize>> {
    skills: Streamed<S>,
    skipped: Streamed<K>,
    roots: Vec<RootFolder>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<ClientInfo>,
}

/// `hone list --json`, for a catalogue and what a client shows of each skill.
pub(crate) fn list(
    catalogue: Catalogue,
    shown: Vec<(Shown, usize)>,
    client: Option<ClientInfo>,
) -> impl Serialize {
    let mut shown = shown.into_iter();
    let skills = catalogue.skills.into_iter().map(move |skill| {
        let mut skill = Skill::from(skill);
        if let Some((shown, characters)) = shown.next() {
            skill.shown = Some(shown.id().to_owned());
            skill.shown_characters = Some(characters);
        }
        skill
    });
    StreamedList {
        skills: Streamed(std::cell::Cell::new(Some(skills))),
        skipped: Streamed(std::cell::Cell::new(Some(
            catalogue.skipped.into_iter().map(SkippedSkill::from),
        ))),
        roots: catalogue
            .roots
            .iter()
            .map(|root| RootFolder { path: text(&root.path), scope: root.scope.id() })
            .collect(),
        client,
    }
}

/// A folder of skills.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RootFolder {
    pub(crate) path: String,
    pub(crate) scope: &'static str,
}

/// The client whose view is shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClientInfo {
    pub(crate) name: &'static str,
    /// What its listing may cost, when there is a limit.
    pub(crate) budget: Option<usize>,
    pub(crate) budget_unit: Option<&'static str>,
}

/// A skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Skill {
    pub(crate) name: String,
    pub(crate) slug: String,
    pub(crate) description: String,
    pub(crate) version: Option<String>,
    pub(crate) scope: &'static str,
    pub(crate) origin: &'static str,
    /// Its `SKILL.md`, absolute; `builtin:…` inside the binary.
    pub(crate) path: String,
    /// The root that it was found in.
    pub(crate) root: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) license: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) when_to_use: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) allowed_tools: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) platforms: Vec<String>,
    /// The description is the body's first line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) description_from_body: bool,
    /// A model may load it by itself.
    pub(crate) model_invocable: bool,
    /// A person may call it by name.
    pub(crate) user_invocable: bool,
    /// The skill folder in whose tree it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nested_in: Option<String>,
    /// Other paths that lead to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_at: Vec<String>,
    /// What could be better about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<Warning>,
    /// With `--client`: full, shortened, name-only, omitted or hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shown: Option<String>,
    /// With `--client`: how much of the description the model gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shown_characters: Option<usize>,
}

/// A finding about a skill's text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Warning {
    pub(crate) rule: String,
    pub(crate) severity: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// Something that is not offered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedSkill {
    pub(crate) path: String,
    /// broken, shadowed, untrusted, disabled, platform, too-deep, file-name, closed, client or archived.
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slug: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<Warning>,
}

/// `hone view --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct View {
    #[serde(flatten)]
    pub(crate) skill: Skill,
    /// The file that is shown, inside the skill.
    pub(crate) file: String,
    /// Its text; null when it is not UTF-8.
    pub(crate) content: Option<String>,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// Its SHA-256, in hex.
    pub(crate) sha256: String,
    /// The skill's other files.
    pub(crate) files: Vec<String>,
    /// It cannot be removed.
    pub(crate) pinned: bool,
}

/// `hone check --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Check {
    pub(crate) files: Vec<CheckedFile>,
}

/// A checked file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedFile {
    pub(crate) path: String,
    /// No error under the chosen profile.
    pub(crate) valid: bool,
    pub(crate) diagnostics: Vec<Finding>,
    /// With `--fix`: the rules that were mended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixed: Vec<&'static str>,
}

/// A diagnostic.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Finding {
    pub(crate) rule: String,
    /// error, warning or info.
    pub(crate) severity: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// `--fix` can mend it.
    pub(crate) fixable: bool,
}

/// What a write did or would do: `hone new`, `edit`, `patch`, `rm`, `file`, `rollback` with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    pub(crate) action: &'static str,
    pub(crate) name: String,
    /// The skill's folder, or its single file.
    pub(crate) path: String,
    /// The new revision; null in a dry run.
    pub(crate) revision: Option<u64>,
    pub(crate) dry_run: bool,
    pub(crate) from_version: Option<String>,
    pub(crate) to_version: Option<String>,
    pub(crate) files: Vec<ChangedFile>,
    pub(crate) warnings: Vec<Finding>,
    /// The rules that the given text broke and that it was mended to keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) mended: Vec<&'static str>,
    /// What a patch matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) matched: Option<Matched>,
    /// Links and copies in other agents' folders that stay as they were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) stale: Vec<String>,
    /// Links and copies in other agents' folders that went with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) taken_back: Vec<String>,
}

/// What a patch matched.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Matched {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) fuzzy: bool,
}

/// `hone history --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct History {
    pub(crate) path: String,
    pub(crate) revisions: Vec<HistoryEntry>,
}

/// A revision.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HistoryEntry {
    #[serde(flatten)]
    pub(crate) past: PastRevision,
    pub(crate) files: Vec<PastFile>,
}

/// `hone diff --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Difference {
    pub(crate) path: String,
    /// The older revision; null with `--locked`.
    pub(crate) from: Option<u64>,
    /// The newer revision; null for what is on disk and in no revision yet.
    pub(crate) to: Option<u64>,
    pub(crate) files: Vec<ChangedFile>,
}

/// `hone prompt --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Prompt {
    /// Exactly what a model gets.
    pub(crate) text: String,
    /// What it costs at most.
    pub(crate) tokens: usize,
    pub(crate) budget: usize,
    /// Shown with their description.
    pub(crate) full: Vec<String>,
    /// Shown by name only.
    pub(crate) named: Vec<String>,
    /// Did not fit.
    pub(crate) left_out: Vec<String>,
    /// Not for a model to load by itself.
    pub(crate) hidden: Vec<String>,
}

/// `hone doctor --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Doctor {
    pub(crate) checks: Vec<DoctorCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DoctorCheck {
    pub(crate) name: String,
    /// good, warning or bad.
    pub(crate) status: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// `hone trust --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trust {
    pub(crate) trusted: Vec<TrustedFolder>,
}

/// A trusted project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TrustedFolder {
    pub(crate) path: String,
    /// ISO 8601, UTC.
    pub(crate) since: String,
}

/// `hone config --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Configuration {
    pub(crate) path: String,
    pub(crate) settings: Vec<SettingValue>,
    pub(crate) roots: Vec<RootFolder>,
}

/// A setting.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SettingValue {
    pub(crate) key: &'static str,
    pub(crate) value: String,
    pub(crate) default: String,
    pub(crate) about: &'static str,
}

/// `hone usage --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsageReport {
    pub(crate) usage: Vec<UsageRow>,
}

/// The counters of one version of a skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsageRow {
    pub(crate) name: String,
    /// Empty when the skill declares none.
    pub(crate) version: String,
    pub(crate) path: String,
    pub(crate) views: u64,
    pub(crate) uses: u64,
    pub(crate) patches: u64,
    pub(crate) last_viewed: Option<String>,
    pub(crate) last_used: Option<String>,
    pub(crate) last_patched: Option<String>,
}

/// `hone usage import --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsageImport {
    /// Skills whose counters were taken over.
    pub(crate) imported: Vec<String>,
    /// Names that no skill here has.
    pub(crate) ignored: Vec<String>,
}

/// `hone file list --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Files {
    pub(crate) name: String,
    pub(crate) files: Vec<String>,
}

/// `hone scan --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Scan<'a> {
    /// The skills that were scanned, in the order they were named.
    pub(crate) skills: Vec<ScannedSkill<'a>>,
    /// What could not be scanned.
    pub(crate) failed: Vec<Unscanned>,
    /// The version of the rules.
    pub(crate) rules_version: &'static str,
}

/// A skill that was scanned.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScannedSkill<'a> {
    /// Its folder or file, absolute; `builtin:…` inside the binary.
    pub(crate) path: String,
    pub(crate) name: &'a str,
    pub(crate) verdict: Verdict,
    /// Worst first.
    pub(crate) findings: &'a [hone_guard::Finding],
    /// Findings that a person dismissed; they do not count.
    pub(crate) dismissed: &'a [Dismissed],
    pub(crate) coverage: &'a Coverage,
    pub(crate) inventory: &'a Inventory,
    /// SHA-256 over its files.
    pub(crate) digest: &'a str,
}

/// A finding that was dismissed, with why.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Dismissed {
    #[serde(flatten)]
    pub(crate) finding: hone_guard::Finding,
    pub(crate) reason: String,
    /// Who dismissed it.
    pub(crate) actor: String,
    /// When it counts again.
    pub(crate) expires: String,
}

impl Dismissed {
    pub(crate) fn new(finding: &hone_guard::Finding, dismissal: &hone_skill::Dismissal) -> Self {
        Self {
            finding: finding.clone(),
            reason: dismissal.reason.clone(),
            actor: dismissal.actor.clone(),
            expires: hone_library::usage::iso(dismissal.expires),
        }
    }

    /// Why and by whom, and for how long it does not count.
    pub(crate) fn words(&self) -> String {
        format!("dismissed until {} by {}: {}", self.expires, self.actor, self.reason)
    }
}

/// Something that could not be scanned.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Unscanned {
    pub(crate) path: String,
    pub(crate) message: String,
}

/// `hone scan --rules --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScanRules {
    pub(crate) rules: Vec<ScanRule>,
    /// The version of the rules.
    pub(crate) rules_version: &'static str,
}

/// A rule of the scanner.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScanRule {
    pub(crate) id: &'static str,
    /// The OWASP Agentic Skills Top 10 code.
    pub(crate) category: &'static str,
    /// What it finds.
    pub(crate) sentence: &'static str,
    pub(crate) why: &'static str,
    /// What to do.
    pub(crate) fix: &'static str,
    /// A text that it finds; null when a text cannot show it.
    pub(crate) fires: Option<RuleExample>,
    /// A text like it that it leaves alone.
    pub(crate) quiet: Option<RuleExample>,
}

/// A text of a skill that shows a rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RuleExample {
    pub(crate) file: &'static str,
    pub(crate) text: String,
}

/// Every output that has a schema, by the name of its command.
pub(crate) fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("add", schema::<hub::Arrivals>()),
        ("agent-hash", schema::<lineage::AgentHash>()),
        ("agent-list", schema::<agent::Agents>()),
        ("agent-log", schema::<lineage::AgentLog>()),
        ("agent-prune", schema::<snapshot::Pruned>()),
        ("agent-receipts", schema::<lineage::AgentReceipts>()),
        ("agent-restore", schema::<snapshot::RestoredAgent>()),
        ("agent-show", schema::<agent::Agent>()),
        ("agent-snapshot", schema::<snapshot::SnapshotTaken>()),
        ("agent-snapshot-all", schema::<snapshot::SnapshotsTaken>()),
        ("agent-snapshots", schema::<snapshot::SnapshotList>()),
        ("agent-update", schema::<agent::SeedUpdate>()),
        ("agent-verify", schema::<lineage::Verified>()),
        ("approve", schema::<hub::Approvals>()),
        ("audit", schema::<hub::AuditLog>()),
        ("audit-verify", schema::<hub::AuditChain>()),
        ("change", schema::<Changed>()),
        ("check", schema::<Check>()),
        ("commands", schema::<routing::Menu>()),
        ("commands-reload", schema::<routing::Reload>()),
        ("config", schema::<Configuration>()),
        ("connect", schema::<connect::Connections>()),
        ("connect-change", schema::<connect::ConnectChange>()),
        ("curate", schema::<curate::Curated>()),
        ("diff", schema::<Difference>()),
        ("doctor", schema::<Doctor>()),
        ("eval", schema::<hone_learn::evals::EvalReport>()),
        ("eval-triggers", schema::<matching::EvalReport>()),
        ("files", schema::<Files>()),
        ("history", schema::<History>()),
        ("install", schema::<hub::InstallReport>()),
        ("invoke", schema::<routing::Invoked>()),
        ("learn", schema::<learn::Learned>()),
        ("learn-questions", schema::<learn::Questions>()),
        ("list", schema::<List>()),
        ("match", schema::<matching::Matches>()),
        ("match-batch", schema::<matching::BatchLine>()),
        ("needs", schema::<routing::Readiness>()),
        ("openapi", Schema::try_from(hone_server::http::openapi()).unwrap_or_default()),
        ("outdated", schema::<hub::OutdatedReport>()),
        ("permit", schema::<Permit>()),
        ("policy", schema::<Policy>()),
        ("policy-dismissals", schema::<Dismissals>()),
        ("policy-explain", schema::<Explained>()),
        ("prompt", schema::<Prompt>()),
        ("remove", schema::<hub::Removals>()),
        ("review", schema::<hone_learn::review::ReviewList>()),
        ("review-show", schema::<hone_learn::review::Review>()),
        ("run", schema::<agent::RunLine>()),
        ("scan", schema::<Scan<'_>>()),
        ("scan-rules", schema::<ScanRules>()),
        ("search", schema::<matching::SearchResults>()),
        ("search-hub", schema::<hub::HubSearch>()),
        ("serve-tokens", schema::<serve::Tokens>()),
        ("sessions", schema::<learn::Sessions>()),
        ("share", schema::<hub::Shares>()),
        ("stats", schema::<hone_learn::stats::Stats>()),
        ("trust", schema::<Trust>()),
        ("usage", schema::<UsageReport>()),
        ("usage-import", schema::<UsageImport>()),
        ("usage-record", schema::<routing::UsageRecord>()),
        ("verify", schema::<hub::VerifyReport>()),
        ("view", schema::<View>()),
        ("what-if", schema::<matching::WhatIfReport>()),
        ("why", schema::<matching::WhyReport>()),
    ]
}

/// The schema of what is written, not of what could be read: a key that is always there is required,
/// even when it may be null.
fn schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

pub(crate) fn text(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}

fn severity(severity: hone_skill::Severity) -> String {
    match severity {
        hone_skill::Severity::Info => "info",
        hone_skill::Severity::Warning => "warning",
        hone_skill::Severity::Error => "error",
    }
    .to_owned()
}

fn warnings(notes: Vec<Note>) -> Vec<Warning> {
    let warning = |note: Note| Warning {
        rule: note.rule,
        severity: severity(note.severity),
        line: note.line,
        column: note.column,
        message: note.message,
    };
    notes.into_iter().map(warning).collect()
}

impl From<Listed> for Skill {
    fn from(skill: Listed) -> Self {
        let summary = *skill.summary;
        Self {
            slug: summary.slug.to_string(),
            name: summary.name,
            description: summary.description,
            version: summary.version,
            scope: skill.scope.id(),
            origin: skill.origin.id(),
            path: text(&skill.path),
            root: text(&skill.root),
            license: summary.license,
            when_to_use: summary.when_to_use,
            allowed_tools: summary.allowed_tools,
            platforms: summary.platforms,
            description_from_body: summary.description_from_body,
            model_invocable: summary.model_invocable,
            user_invocable: summary.user_invocable,
            nested_in: skill.nested_in.as_deref().map(text),
            also_at: skill.also_at.iter().map(|path| text(path)).collect(),
            warnings: warnings(skill.notes),
            shown: None,
            shown_characters: None,
        }
    }
}

impl From<Skipped> for SkippedSkill {
    fn from(skipped: Skipped) -> Self {
        let skill = skipped.skill;
        let scope = skill.as_ref().map(|skill| skill.scope.id());
        let summary = skill.map(|skill| *skill.summary);
        Self {
            path: text(&skipped.path),
            reason: skipped.reason.id(),
            message: skipped.message,
            slug: summary.as_ref().map(|summary| summary.slug.to_string()),
            version: summary.as_ref().and_then(|summary| summary.version.clone()),
            name: summary.as_ref().map(|summary| summary.name.clone()),
            description: summary.map(|summary| summary.description),
            scope,
            warnings: warnings(skipped.notes),
        }
    }
}

impl ClientInfo {
    pub(crate) fn of(view: &ClientView) -> Self {
        Self {
            name: view.client.id(),
            budget: view.budget.map(|(budget, _)| budget),
            budget_unit: view.budget.map(|(_, unit)| unit),
        }
    }
}

/// A diagnostic as the profile weighs it; `None` when the profile does not care.
pub(crate) fn finding(diagnostic: &Diagnostic, profile: Profile) -> Option<Finding> {
    Some(Finding {
        rule: diagnostic.rule.id().to_owned(),
        severity: severity(diagnostic.severity(profile)?),
        line: diagnostic.line,
        column: diagnostic.column,
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
        fixable: diagnostic.fix.is_some(),
    })
}

impl From<&Change> for Changed {
    fn from(change: &Change) -> Self {
        Self {
            action: change.action.id(),
            name: change.name.clone(),
            path: text(&change.path),
            revision: change.revision,
            dry_run: change.revision.is_none(),
            from_version: change.from_version.clone(),
            to_version: change.to_version.clone(),
            files: change.files.iter().map(ChangedFile::from).collect(),
            warnings: change
                .warnings
                .iter()
                .filter_map(|diagnostic| finding(diagnostic, Profile::Lenient))
                .collect(),
            mended: change.mended.iter().map(|rule| rule.id()).collect(),
            matched: change.patched.as_ref().map(|patched| Matched {
                line: patched.line,
                text: patched.matched.clone(),
                fuzzy: patched.fuzzy,
            }),
            stale: change.stale.iter().map(|stale| text(&stale.path)).collect(),
            taken_back: change.taken_back.iter().map(|path| text(path)).collect(),
        }
    }
}

impl From<Revision> for HistoryEntry {
    fn from(revision: Revision) -> Self {
        let (past, files) = revision.told();
        Self { past, files }
    }
}

impl From<Level0> for Prompt {
    fn from(index: Level0) -> Self {
        Self {
            text: index.text,
            tokens: index.tokens,
            budget: index.budget,
            full: index.full,
            named: index.named,
            left_out: index.left_out,
            hidden: index.hidden,
        }
    }
}

/// `hone permit --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Permit {
    /// The skill that declares.
    pub(crate) skill: String,
    /// The command line that was looked at.
    pub(crate) command: String,
    /// Whether all of it is inside what the skill declares.
    pub(crate) allowed: bool,
    /// What would be run, each with the entry of `allowed-tools` that permits it.
    pub(crate) granted: Vec<Granted>,
    /// The parts that are not declared.
    pub(crate) refusals: Vec<Refused>,
    /// Entries of `allowed-tools` that cannot be read and permit nothing.
    pub(crate) problems: Vec<String>,
    /// With `--run`: what became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<SandboxRun>,
}

/// A command that ran in the sandbox.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SandboxRun {
    /// `exited`, `signalled`, `out-of-time`, `too-many-processes`, `too-much-memory`, `too-much-output`,
    /// `cancelled`, `not-started` or `refused`.
    pub(crate) end: &'static str,
    /// The exit code, the signal, or why it was not started.
    pub(crate) detail: Option<String>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// What it changed although no pattern of what it may write names it; then it counts as failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) beside: Option<String>,
    /// What confined it.
    pub(crate) layers: Vec<SandboxLayer>,
}

/// One means of confinement.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SandboxLayer {
    pub(crate) name: String,
    pub(crate) held: bool,
    pub(crate) note: String,
}

/// A command that is permitted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Granted {
    pub(crate) part: String,
    /// The entry; nothing for what runs nothing.
    pub(crate) by: Option<String>,
}

/// A part of a command line that is not declared.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Refused {
    pub(crate) part: String,
    /// Where it begins and ends in the command line, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) reason: String,
    pub(crate) hint: Option<String>,
}

/// `hone policy show --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Policy {
    /// What happens, for each origin and verdict.
    pub(crate) table: Vec<PolicyCell>,
    /// Sources whose skills count as trusted.
    pub(crate) trusted: Vec<String>,
}

/// What happens to skills of one origin with one verdict.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyCell {
    pub(crate) origin: &'static str,
    pub(crate) verdict: &'static str,
    /// `allow`, `ask` or `block`.
    pub(crate) action: &'static str,
    /// The configuration is tighter here than the default.
    pub(crate) tightened: bool,
}

/// `hone policy explain --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explained {
    #[serde(flatten)]
    pub(crate) cell: PolicyCell,
    pub(crate) why: String,
}

/// `hone policy dismissals --json`, and what `dismiss` and `withdraw` leave.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Dismissals {
    pub(crate) dismissals: Vec<DismissedFinding>,
}

/// A finding that was dismissed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DismissedFinding {
    pub(crate) skill: String,
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    /// The digest of the skill's files that it counts for.
    pub(crate) digest: String,
    pub(crate) reason: String,
    pub(crate) actor: String,
    pub(crate) at: String,
    pub(crate) expires: String,
    pub(crate) expired: bool,
}
