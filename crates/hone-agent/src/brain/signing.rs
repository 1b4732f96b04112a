//! The lineage of a brain: what counts as its state, the key that signs, and the receipt of a task.
//!
//! Everything in a receipt is taken from the transcript on the disk and from the brain as it is, so that
//! the receipt of a task whose process died after its commit can still be written by the next one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::journal::Journal;
use super::{Brain, BrainError, files, members, steps};
use crate::lineage::digest::from_hex;
use crate::lineage::receipt::{
    Costs, Kind, ModelMark, Receipt, SkillMark, Skills, TaskMark, TranscriptMark, UNPROVEN,
};
use crate::lineage::snapshot::SnapshotError;
use crate::lineage::{
    Digest, KeyError, Layout, Lineage, LineageError, PublicKey, RECEIPTS_FILE, Root, Rows,
    SigningKey, Standing, Table, merkle, proof,
};
use crate::memory::{Draft, Ending, Memory, TaskRow};
use crate::model::Usage;
use crate::step::{Effect, Step, What};

/// Bytes of a transcript at most.
pub const MAX_TRANSCRIPT_BYTES: u64 = 256 * 1024 * 1024;
/// Names of changed members that are told.
const MAX_TOLD: usize = 5;
/// Keys of an agent that were put away and are looked through for the one that signs.
const MAX_PUT_AWAY: usize = 1_000;
/// How a task ended whose process did not live to say so.
pub const DIED: &str = "died";

/// Where the key that signs came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignerFrom {
    /// It was on this machine.
    Here,
    /// It was sealed into the snapshot.
    Snapshot,
    /// It is neither here nor there: the brain can be read, and no task can be signed.
    Nowhere,
}

impl SignerFrom {
    /// Its name for programs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Snapshot => "snapshot",
            Self::Nowhere => "nowhere",
        }
    }
}

/// A task that left its journal: its receipt may be missing.
#[derive(Debug)]
pub(crate) struct Unsigned {
    /// What it noted when it began.
    pub(crate) journal: Journal,
    /// Whether the log says how it ended; else it died.
    pub(crate) is_logged: bool,
}

/// What counts as a brain's state.
pub const LAYOUT: Layout = Layout {
    files: &[
        (members::MEMORY, Root::Knowledge),
        (members::USER, Root::Knowledge),
        (members::SETTINGS, Root::Knowledge),
        (members::SYSTEM, Root::Knowledge),
    ],
    folders: &[
        (members::PATTERNS, Root::Knowledge),
        (members::SKILLS, Root::Knowledge),
        (members::USERS, Root::Knowledge),
    ],
    database: members::DATABASE,
    tables: &[
        Table {
            name: "fact",
            columns: &["shared", "audience", "key", "value", "at", "task", "subscriber"],
            key: &["shared", "audience", "key"],
            root: Root::Knowledge,
            rows: Rows::Keyed,
        },
        Table {
            name: "message",
            columns: &["id", "task", "subscriber", "at", "role", "content"],
            key: &["id"],
            root: Root::Activity,
            rows: Rows::Numbered,
        },
        Table {
            name: "quarantine",
            columns: &[
                "id",
                "at",
                "task",
                "subscriber",
                "shared",
                "key",
                "value",
                "rule",
                "reason",
            ],
            key: &["id"],
            root: Root::Activity,
            rows: Rows::Numbered,
        },
        Table {
            name: "task",
            columns: &[
                "id",
                "task",
                "subscriber",
                "started",
                "ended",
                "ending",
                "input",
                "answer",
                "model",
                "turns",
                "calls",
                "tokens_in",
                "tokens_out",
            ],
            key: &["id"],
            root: Root::Activity,
            rows: Rows::Numbered,
        },
    ],
    records: &[members::TRANSCRIPTS],
    apart: &[crate::lineage::LOCK_FILE, RECEIPTS_FILE, members::SEED, members::JOURNAL],
    locks: &[members::LOCK],
};

impl Brain {
    /// The file of the key that signs.
    pub fn key_file(&self) -> PathBuf {
        self.hone_home.join("keys").join(format!("{}.pem", self.id))
    }

    /// The key that signs; made when there is none and nothing was signed yet.
    pub fn signing_key(&self) -> Result<SigningKey, BrainError> {
        let path = self.key_file();
        let signed = self.member(RECEIPTS_FILE).metadata().map_or(0, |about| about.len());
        if path.symlink_metadata().is_err() && signed == 0 {
            let key = SigningKey::generate()?;
            key.write(&path)?;
            return Ok(key);
        }
        Ok(SigningKey::read(&path)?)
    }

    /// Hands the signing over to a new key; the old one stays beside it, under a number. Whoever does it
    /// holds the brain.
    pub fn rotate_key(&self, at: u64) -> Result<PublicKey, BrainError> {
        let (path, next) = (self.key_file(), self.key_file().with_extension("next.pem"));
        let mut lineage = self.lineage()?;
        if let Some(new) = self.finish_hand_over(lineage.key())? {
            return Ok(new);
        }
        // One that nobody handed over to yet is as good as a new one.
        let new = if next.symlink_metadata().is_ok() {
            SigningKey::read(&next)?
        } else {
            let new = SigningKey::generate()?;
            new.write(&next)?;
            new
        };
        let old = self.signing_key()?;
        lineage.settle(at, &old)?;
        lineage.hand_over(at, &old, &new)?;
        place_key(&next, &path)?;
        Ok(new.public())
    }

    /// Puts the key into its place that signs from here on, when a process died after the hand-over and before
    /// it did. Gives that key. Whoever does it holds the brain.
    fn finish_hand_over(&self, signs: Option<PublicKey>) -> Result<Option<PublicKey>, BrainError> {
        let (path, next) = (self.key_file(), self.key_file().with_extension("next.pem"));
        if signs.is_none() || next.symlink_metadata().is_err() {
            return Ok(None);
        }
        let new = SigningKey::read(&next)?.public();
        if signs != Some(new) {
            return Ok(None);
        }
        place_key(&next, &path)?;
        Ok(Some(new))
    }

    /// Puts a key that was sealed into a snapshot, or that was put away here, into its place; another one that
    /// is there is put away under a number. Gives where the key came from.
    pub(crate) fn take_key(
        &self,
        wanted: PublicKey,
        packed: Option<&SigningKey>,
    ) -> Result<SignerFrom, KeyError> {
        let path = self.key_file();
        let is_it = |path: &Path| SigningKey::read(path).is_ok_and(|key| key.public() == wanted);
        if is_it(&path) {
            return Ok(SignerFrom::Here);
        }
        let mut kept = numbered(&path).take(MAX_PUT_AWAY);
        if let Some(kept) = kept.find(|kept| is_it(kept)) {
            place_key(&kept, &path)?;
            return Ok(SignerFrom::Here);
        }
        let Some(key) = packed else { return Ok(SignerFrom::Nowhere) };
        put_away(&path)?;
        key.write(&path)?;
        Ok(SignerFrom::Snapshot)
    }

    /// Its lineage, as it stands after a look at everything. Whoever asks holds the brain.
    pub fn lineage(&self) -> Result<Lineage<'_>, BrainError> {
        Ok(Lineage::open(&self.folder, &self.id, &LAYOUT)?)
    }

    /// Its lineage, by what changed since the last look. Whoever asks holds the brain.
    fn lineage_quickly(&self) -> Result<Lineage<'_>, BrainError> {
        Ok(Lineage::open_quickly(&self.folder, &self.id, &LAYOUT)?)
    }

    /// Signs what happened since the last receipt: the making of the brain, a task whose process died
    /// before its receipt was written, a change from outside. Gives what somebody should know.
    pub(crate) fn settle_lineage(
        &self,
        memory: &mut Memory,
        unsigned: Option<&Unsigned>,
        now: i64,
    ) -> Result<Vec<String>, BrainError> {
        let mut lineage = self.lineage_quickly()?;
        let tasks = memory.tasks(2)?;
        let open = unsigned.map(|unsigned| unsigned.journal.task.as_str());
        // The newest task but the one whose receipt may be missing: its receipt was there once.
        if let Some(done) = tasks.iter().find(|row| Some(row.task.as_str()) != open)
            && !lineage.names(&done.task)?
        {
            let path = self.member(RECEIPTS_FILE);
            return Err(LineageError::Unsigned { path, task: done.task.clone() }.into());
        }
        self.finish_hand_over(lineage.key())?;
        let key = self.signing_key()?;
        let mut notes = Vec::new();
        if let Some(fault) = lineage.lock_fault() {
            notes.push(format!("`{}` was written anew: {fault}", crate::lineage::LOCK_FILE));
        }
        let last = lineage.last().and_then(|last| last.task.as_ref());
        let unsigned = unsigned.filter(|one| last.is_none_or(|last| last.id != one.journal.task));
        let died = match unsigned {
            Some(Unsigned { journal, is_logged: true }) => {
                let row = tasks.iter().find(|row| row.task == journal.task);
                if let Some(row) = row {
                    let mark = self.logged_mark(row)?;
                    if lineage.last().is_none() {
                        lineage.settle(time(now), &key)?;
                    }
                    lineage.task_as_found(time(now), mark, &key)?;
                    notes.push(format!("the receipt of the task {} was written late", row.task));
                }
                None
            }
            Some(Unsigned { journal, is_logged: false }) => Some(journal),
            None => None,
        };
        if let Standing::Changed(names) = lineage.settle(time(now), &key)? {
            let more = names.len().saturating_sub(MAX_TOLD);
            let mut told: Vec<String> =
                names.iter().take(MAX_TOLD).map(|name| format!("`{name}`")).collect();
            if more > 0 {
                told.push(format!("{more} more"));
            }
            let told = if told.is_empty() { "the brain".to_owned() } else { told.join(", ") };
            notes.push(format!("changed outside since the last task, and signed as that: {told}"));
        }
        if let Some(journal) = died {
            // What others changed is signed; now the log takes the task in, and its receipt.
            let row = steps::conclude(self, &journal.task)?;
            if let Some(row) = &row {
                let mut draft = Draft::default();
                draft.say("user", &row.input, row.started);
                memory.commit(row, &draft)?;
            }
            let mark = match (self.died_mark(journal)?, &row) {
                (Some(mark), _) => Some(mark),
                (None, Some(row)) => Some(self.logged_mark(row)?),
                (None, None) => None,
            };
            if let Some(mark) = mark {
                self.lineage_quickly()?.task_as_found(time(now), mark, &key)?;
            }
        }
        Ok(notes)
    }

    /// Signs a task that was committed. One without a transcript is signed as a task of no steps.
    pub(crate) fn sign_task(&self, row: &TaskRow) -> Result<Receipt, BrainError> {
        let key = self.signing_key()?;
        let mark = self.logged_mark(row)?;
        let mut lineage = self.lineage_quickly()?;
        Ok(lineage.task_as_found(time(row.ended), mark, &key)?.clone())
    }

    /// Signs what was changed outside of a task since the last receipt; nothing when nothing was.
    pub(crate) fn sign_change(&self, kind: Kind, now: i64) -> Result<Option<Receipt>, BrainError> {
        let key = self.signing_key()?;
        let mut lineage = self.lineage_quickly()?;
        Ok(lineage.changed(kind, time(now), &key)?.cloned())
    }

    /// The file with all steps of a task.
    pub fn transcript_file(&self, task: &str) -> PathBuf {
        self.member(members::TRANSCRIPTS).join(format!("{task}.jsonl"))
    }

    /// The lines of a task's transcript; none when there is no such task.
    pub fn transcript(&self, task: &str) -> Result<Option<Vec<Value>>, BrainError> {
        let path = self.transcript_file(task);
        let Some(text) = files::read(&path, MAX_TRANSCRIPT_BYTES)? else { return Ok(None) };
        let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        let broken =
            |error: serde_json::Error| BrainError::Content { path, message: error.to_string() };
        lines.map(Some).map_err(broken)
    }

    /// What a receipt says about a task that is in the log.
    fn logged_mark(&self, row: &TaskRow) -> Result<TaskMark, BrainError> {
        let Some(mut mark) = self.task_mark(&row.task)? else { return Ok(without_steps(row)) };
        mark.model.name.clone_from(&row.model);
        if row.ending != Ending::Answered {
            // What it changed was taken back.
            mark.skills = Skills { loaded: mark.skills.loaded, ..Skills::default() };
        }
        Ok(mark)
    }

    /// What a receipt says about a task that died: what it was asked, and its transcript where that was kept
    /// already. Nothing when its journal does not say what it was asked.
    fn died_mark(&self, journal: &Journal) -> Result<Option<TaskMark>, BrainError> {
        let Some(asked) = journal.asked.clone() else { return Ok(None) };
        let mark = self.task_mark(&journal.task)?.unwrap_or_else(|| TaskMark {
            id: journal.task.clone(),
            subscriber: asked.subscriber,
            input: asked.input,
            output: None,
            outcome: String::new(),
            model: ModelMark {
                backend: asked.backend,
                name: String::new(),
                reported: None,
                proven: UNPROVEN.to_owned(),
            },
            skills: Skills::default(),
            transcript: TranscriptMark { root: merkle::root(&[]), steps: 0 },
            costs: Costs { is_estimate: true, ..Costs::default() },
        });
        Ok(Some(TaskMark {
            output: None,
            outcome: DIED.to_owned(),
            model: ModelMark { name: asked.model, ..mark.model },
            skills: Skills { loaded: mark.skills.loaded, ..Skills::default() },
            ..mark
        }))
    }

    /// What a receipt says about a task, from its transcript.
    pub fn task_mark(&self, task: &str) -> Result<Option<TaskMark>, BrainError> {
        let Some(lines) = self.transcript(task)? else { return Ok(None) };
        let broken = |message: &str| BrainError::Content {
            path: self.transcript_file(task),
            message: message.to_owned(),
        };
        let [head, steps @ .., foot] = &lines[..] else { return Err(broken("it is too short")) };
        let head = Head::deserialize(head).map_err(|error| broken(&error.to_string()))?;
        let foot = Foot::deserialize(foot).map_err(|error| broken(&error.to_string()))?;
        let steps: Result<Vec<Step>, _> = steps.iter().map(Step::deserialize).collect();
        let steps = steps.map_err(|error| broken(&error.to_string()))?;
        let leaves: Vec<Digest> = lines.iter().map(proof::leaf).collect();
        Ok(Some(TaskMark {
            id: task.to_owned(),
            subscriber: head.subscriber,
            input: Digest::of(head.input.as_bytes()),
            output: foot.end.text.as_ref().map(|text| Digest::of(text.as_bytes())),
            outcome: foot.end.end,
            model: model_mark(&steps),
            skills: self.skill_marks(&steps),
            transcript: TranscriptMark { root: merkle::root(&leaves), steps: leaves.len() as u64 },
            costs: Costs {
                turns: foot.cost.turns,
                tool_calls: foot.cost.calls,
                input_tokens: foot.cost.usage.input,
                output_tokens: foot.cost.usage.output,
                is_estimate: foot.cost.usage.is_estimate,
                milliseconds: foot.cost.milliseconds,
            },
        }))
    }

    /// The skills of a task: those that were read, and those that are others than before.
    fn skill_marks(&self, steps: &[Step]) -> Skills {
        let mut loaded: Vec<SkillMark> = Vec::new();
        // A name, whether it was there before, whether it is there now, and its version.
        let mut changed: BTreeMap<&str, (bool, bool, Option<String>)> = BTreeMap::new();
        for effect in steps.iter().flat_map(effects) {
            match effect {
                Effect::SkillRead { name, version, sha256 } => {
                    let (name, version) = (name.clone(), version.clone());
                    let digest = sha256.as_deref().and_then(from_hex).map(Digest);
                    let mark = SkillMark { name, version, digest };
                    if !loaded.contains(&mark) {
                        loaded.push(mark);
                    }
                }
                Effect::SkillChanged { name, action, to_version, .. } => {
                    let entry =
                        changed.entry(name).or_insert_with(|| (action != "create", true, None));
                    entry.1 = action != "delete";
                    entry.2.clone_from(to_version);
                }
                _ => {}
            }
        }
        let mark = |name: &str, version: Option<String>| SkillMark {
            name: name.to_owned(),
            version,
            digest: self.skill_digest(name),
        };
        loaded.sort_by(|one, other| one.name.cmp(&other.name));
        let mut skills = Skills { loaded, ..Skills::default() };
        for (name, (was, is, version)) in changed {
            match (was, is) {
                (true, true) => skills.changed.push(mark(name, version)),
                (false, true) => skills.created.push(mark(name, version)),
                (true, false) => skills.removed.push(name.to_owned()),
                (false, false) => {}
            }
        }
        skills
    }

    /// The digest of the text of a skill of its own.
    fn skill_digest(&self, name: &str) -> Option<Digest> {
        let slug = hone_skill::Slug::new(name).ok()?;
        let folder = self.member(members::SKILLS);
        let text = std::fs::read(folder.join(slug.as_str()).join("SKILL.md"))
            .or_else(|_| std::fs::read(folder.join(format!("{slug}.md"))));
        text.ok().map(|text| Digest::of(&text))
    }
}

/// The names under which keys that sign no more are put away.
fn numbered(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1..=u32::MAX).map(|n| path.with_extension(format!("{n}.pem")))
}

/// Puts a key away under a number, when there is one.
fn put_away(path: &Path) -> Result<(), KeyError> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let free = numbered(path).find(|kept| kept.symlink_metadata().is_err());
    let moved = free.map_or(Ok(()), |free| std::fs::rename(path, free));
    moved.map_err(|error| KeyError::Io { path: path.to_owned(), error })
}

/// Moves a key into its place; the one that is there is put away.
fn place_key(from: &Path, path: &Path) -> Result<(), KeyError> {
    put_away(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::rename(from, path)
        .and_then(|()| std::fs::File::open(folder)?.sync_all())
        .map_err(|error| KeyError::Io { path: from.to_owned(), error })
}

/// What the log says about a task, when there is no transcript.
fn without_steps(row: &TaskRow) -> TaskMark {
    let is_answered = row.ending == Ending::Answered;
    TaskMark {
        id: row.task.clone(),
        subscriber: row.subscriber.as_text().to_owned(),
        input: Digest::of(row.input.as_bytes()),
        output: is_answered.then(|| Digest::of(row.answer.as_bytes())),
        outcome: row.ending.word().to_owned(),
        model: ModelMark {
            backend: String::new(),
            name: row.model.clone(),
            reported: None,
            proven: UNPROVEN.to_owned(),
        },
        skills: Skills::default(),
        transcript: TranscriptMark { root: merkle::root(&[]), steps: 0 },
        costs: Costs {
            turns: row.turns,
            tool_calls: row.calls,
            input_tokens: row.tokens_in,
            output_tokens: row.tokens_out,
            is_estimate: false,
            milliseconds: time(row.ended - row.started),
        },
    }
}

/// Milliseconds since 1970, which are never negative.
fn time(now: i64) -> u64 {
    u64::try_from(now).unwrap_or(0)
}

fn effects(step: &Step) -> &[Effect] {
    match &step.what {
        What::Tool(call) => &call.effects,
        _ => &[],
    }
}

/// The model as it called itself last; as it was configured, the log says.
fn model_mark(steps: &[Step]) -> ModelMark {
    let mut mark = ModelMark {
        backend: String::new(),
        name: String::new(),
        reported: None,
        proven: UNPROVEN.to_owned(),
    };
    for step in steps {
        match &step.what {
            What::Model { backend, model, .. } => {
                mark.backend.clone_from(backend);
                mark.reported = Some(model.clone());
            }
            What::NoReply { backend, model, .. } => {
                mark.backend.clone_from(backend);
                mark.name.clone_from(model);
            }
            _ => {}
        }
    }
    if mark.name.is_empty() {
        mark.name = mark.reported.clone().unwrap_or_default();
    }
    mark
}

/// The first line of a transcript.
#[derive(Deserialize)]
struct Head {
    subscriber: String,
    input: String,
}

/// The last line of a transcript.
#[derive(Deserialize)]
struct Foot {
    end: FootEnd,
    cost: FootCost,
}

#[derive(Deserialize)]
struct FootEnd {
    end: String,
    text: Option<String>,
}

#[derive(Deserialize)]
struct FootCost {
    turns: u64,
    calls: u64,
    usage: Usage,
    milliseconds: u64,
}

impl From<LineageError> for BrainError {
    fn from(error: LineageError) -> Self {
        Self::Lineage(Box::new(error))
    }
}

impl From<SnapshotError> for BrainError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::{LAYOUT, Root};
    use crate::brain::members::{Kind, MEMBERS, Part};

    #[test]
    fn every_member_has_its_place_in_the_state() {
        let journals = ["memory.db-shm", "memory.db-wal"];
        for member in MEMBERS.iter().filter(|member| !journals.contains(&member.name)) {
            let root = |list: &[(&str, Root)]| {
                list.iter().find(|(name, _)| *name == member.name).map(|(_, root)| *root)
            };
            let found = match member.kind {
                Kind::File => root(LAYOUT.files),
                Kind::Folder => root(LAYOUT.folders),
            };
            match member.part {
                Part::Knowledge => assert_eq!(found, Some(Root::Knowledge), "{}", member.name),
                Part::Activity => assert!(LAYOUT.records.contains(&member.name), "{}", member.name),
                Part::Database => assert_eq!(LAYOUT.database, member.name),
                Part::Bookkeeping => {
                    let mut apart = LAYOUT.apart.iter().chain(LAYOUT.locks);
                    assert!(apart.any(|name| *name == member.name), "{}", member.name);
                }
            }
        }
        let folders = LAYOUT.folders.len() + LAYOUT.records.len();
        let listed = LAYOUT.files.len() + folders + LAYOUT.apart.len() + LAYOUT.locks.len() + 1;
        assert_eq!(listed + journals.len(), MEMBERS.len());
    }
}
