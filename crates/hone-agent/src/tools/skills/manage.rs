//! `skill_manage`: what an agent writes into its own skills.
//!
//! A change is planned first, scanned as the skill would be on disk, and only then carried out. What the
//! policy does not let through becomes a [`Proposal`], with nothing written; where it asks for a person,
//! whoever [`Admits`](super::Admits) skills keeps the change for one.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use hone_guard::policy::Action;
use hone_guard::{Files, Finding, Report};
use hone_library::{
    Author, Change, Error, FileDelta, Layout, Listed, Matching, Mode, Scope, Store, history,
    list_files, read_file, read_text,
};
use hone_skill::{Origin, Slug, printable_line};
use serde_json::Value;

use super::{Shelf, Written, lock, real, shown, told};
use crate::brain::{BrainError, Editing, Editor, TASK};
use crate::step::{Effect, Proposal};
use crate::tools::{ToolResult, text_of};

/// Longest text of a skill or a file that is written, in characters.
pub const MAX_CONTENT_CHARS: usize = 100_000;

/// Most bytes of all files of a skill that is scanned before it is written.
pub const MAX_SCANNED_BYTES: usize = 16 * 1024 * 1024;

/// Most findings that are told.
const MAX_FINDINGS: usize = 5;

impl Shelf {
    /// Changes a skill. A task has its brain already; whoever outlives tasks takes it for the change, which
    /// is signed.
    pub(super) fn manage(&self, arguments: &Value) -> ToolResult {
        let editing = match self.editing() {
            Ok(editing) => editing,
            Err(error) => return ToolResult::failed(format!("Nothing was written: {error}.")),
        };
        let result = self.changed_by(arguments);
        match editing.map(Editing::end).transpose() {
            Ok(_) => result,
            Err(error) => {
                ToolResult::failed(format!("It was done and could not be signed: {error}."))
            }
        }
    }

    /// The brain that a live shelf writes into, held; none when a task has it, or when it is no brain's.
    fn editing(&self) -> Result<Option<Editing>, BrainError> {
        if !self.is_live() {
            return Ok(None);
        }
        let hone_home = self.state().home().to_owned();
        let (hone_home, what) = (hone_home.as_path(), self.actor.as_str());
        Editor { hone_home, what, now: (self.now)(), tell: &|_| {} }.begin(&self.own)
    }

    fn changed_by(&self, arguments: &Value) -> ToolResult {
        let change = match Wanted::of(arguments) {
            Ok(change) => change,
            Err(why) => return ToolResult::refused(why),
        };
        if let What::WriteFile { .. } = change.what
            && let Err(refused) = self.make_room(change.name)
        {
            return refused;
        }
        let catalogue = self.catalogue();
        let skill = match change.what {
            What::Create { .. } => None,
            _ => match catalogue.resolve(change.name, &self.own) {
                Ok(skill) if skill.root == self.own => Some(skill),
                Ok(skill) => {
                    return ToolResult::refused(format!(
                        "`{}` is not this agent's own: it belongs to the {}. Create one of your own.",
                        shown(&skill.summary.name),
                        skill.scope.id()
                    ));
                }
                Err(error) => return ToolResult::failed(told(&error)),
            },
        };
        if let (What::Delete, Some(skill)) = (&change.what, skill)
            && matches!(skill.origin, Origin::Community | Origin::Trusted)
        {
            return ToolResult::refused(format!(
                "`{name}` was installed from elsewhere. A person takes it away with `hone remove {name}`.",
                name = shown(&skill.summary.name)
            ));
        }
        if let (What::Edit { .. } | What::Delete, Some(skill)) = (&change.what, skill)
            && !self.is_known(skill)
        {
            return ToolResult::refused(format!(
                "Read `{}` with `skill_view` first: `{}` takes away all that it says.",
                shown(&skill.summary.name),
                change.action
            ));
        }
        let shape = if self.is_brain() { Shape::File } else { Shape::Folder };
        let state = self.state();
        let carry_out = |mode| {
            let author = Author {
                actor: self.actor.clone(),
                reason: self.reason.clone(),
                now: (self.now)(),
            };
            let store = Store::new(&state, author, mode);
            change.carry_out(&store, &self.own, shape, skill, &catalogue.skills)
        };
        let planned = match carry_out(Mode::DryRun) {
            Ok(planned) => planned,
            Err(error) => return ToolResult::failed(told(&error)),
        };
        let adds = !matches!(change.what, What::Delete | What::RemoveFile { .. });
        let objection = match adds.then(|| self.objection(&planned, skill, arguments)).transpose() {
            Ok(objection) => objection.flatten(),
            Err(why) => return ToolResult::failed(why),
        };
        if let Some(objection) = objection {
            return self.refused(&planned, skill, objection);
        }
        if let Some(why) = self.gate_refuses(&planned, skill) {
            return ToolResult::refused(format!(
                "Nothing was written: {why}. Go on without it; where the reason is in its text, write that \
                 anew."
            ));
        }
        let done = carry_out(Mode::Write);
        // Whoever looks for skills takes the two locks in the other order.
        drop(state);
        match done {
            Ok(done) => {
                self.changed();
                if !matches!(change.what, What::WriteFile { .. } | What::RemoveFile { .. }) {
                    lock(&self.known).insert(real(&done.path));
                }
                changed(change.action, &done)
            }
            Err(error) => ToolResult::failed(told(&error)),
        }
    }

    /// Why the gate does not let the text of a skill through; nothing when it does, or when the text
    /// stays as it is.
    fn gate_refuses(&self, planned: &Change, skill: Option<&Listed>) -> Option<String> {
        let (text, _) = parts(planned, skill);
        let text = String::from_utf8_lossy(text?.after.as_deref()?).into_owned();
        self.ask_gate(planned, skill, &text, &[])
    }

    /// What the policy did not let through: kept for a person where it asks for one and somebody keeps
    /// it, and refused.
    fn refused(&self, planned: &Change, skill: Option<&Listed>, objection: Proposal) -> ToolResult {
        let asked = (objection.action == Action::Ask.id()).then(|| {
            let (text, files) = parts(planned, skill);
            let text = match (text.and_then(|delta| delta.after.clone()), skill) {
                (Some(text), _) => text,
                (None, Some(skill)) => read_text(skill).unwrap_or_default(),
                (None, None) => Vec::new(),
            };
            self.ask_gate(planned, skill, &String::from_utf8_lossy(&text), &files)
        });
        let verdict = &objection.verdict;
        let why = match asked {
            None => format!("the scan says {verdict}, and the policy blocks that"),
            Some(None) => {
                format!(
                    "the scan says {verdict}; a person would have to decide, and nobody is asked here"
                )
            }
            Some(Some(why)) => why,
        };
        let findings = objection.findings.join("\n- ");
        let told = format!(
            "Nothing was written: {why}.\n- {findings}\nGo on without it, or write it without what was found."
        );
        ToolResult::refused(told).with(Effect::SkillPending(objection))
    }

    fn ask_gate(
        &self,
        planned: &Change,
        skill: Option<&Listed>,
        text: &str,
        files: &[FileDelta],
    ) -> Option<String> {
        let gated = self.gated.as_ref()?;
        let name = skill.map_or(planned.name.as_str(), |skill| skill.summary.name.as_str());
        let written = Written { by: &gated.by, name, text, files, now: (self.now)() };
        // It may name other skills.
        gated.gate.refuses(written).map(|why| printable_line(&why).into_owned())
    }

    /// Whether the agent has read it, or written it.
    fn is_known(&self, skill: &Listed) -> bool {
        let known = lock(&self.known);
        known.contains(skill.key()) || known.contains(&real(skill.key()))
    }

    /// Makes a folder of a skill that is a single file, when nobody but tasks has written it: whose it is
    /// must not be forgotten with its old name. Whatever else is wrong is told later.
    fn make_room(&self, name: &str) -> Result<(), ToolResult> {
        let catalogue = self.catalogue();
        let Ok(skill) = catalogue.resolve(name, &self.own) else { return Ok(()) };
        if !skill.is_flat || skill.root != self.own {
            return Ok(());
        }
        let state = self.state();
        let rows = history(&state, &real(skill.key())).unwrap_or_default();
        let is_tasks = |actor: &str| actor == self.actor || actor.starts_with(TASK);
        if rows.is_empty() || rows.iter().any(|row| !is_tasks(&row.actor)) {
            return Err(ToolResult::refused(format!(
                "`{}` is a single file that a person wrote. Create a skill of your own for more files.",
                shown(&skill.summary.name)
            )));
        }
        let author =
            Author { actor: self.actor.clone(), reason: self.reason.clone(), now: (self.now)() };
        let unfolded = Store::new(&state, author, Mode::Write).unfold(skill);
        drop(state);
        self.changed();
        unfolded.map(drop).map_err(|error| ToolResult::failed(told(&error)))
    }

    /// Whether the agent writes into a brain, where single files are skills too.
    fn is_brain(&self) -> bool {
        let catalogue = self.catalogue();
        let own = catalogue.roots.iter().find(|root| root.path == self.own);
        own.is_some_and(|root| root.scope == Scope::Agent && root.layout == Layout::FoldersAndFiles)
    }

    /// Scans a skill as it would be after a change, and asks the policy; nothing when it allows it.
    fn objection(
        &self,
        planned: &Change,
        skill: Option<&Listed>,
        arguments: &Value,
    ) -> Result<Option<Proposal>, String> {
        let report = scan_planned(planned, skill)?;
        let ruling = self.policy.decide(Origin::AgentCreated, report.verdict);
        Ok((ruling.action != Action::Allow).then(|| Proposal {
            name: planned.name.clone(),
            arguments: arguments.clone(),
            verdict: report.verdict.word().to_owned(),
            action: ruling.action.id().to_owned(),
            findings: worst_findings(&report),
            digest: report.digest,
        }))
    }
}

/// The text of a skill that a change writes, and the other files.
fn parts<'p>(
    planned: &'p Change,
    skill: Option<&Listed>,
) -> (Option<&'p FileDelta>, Vec<FileDelta>) {
    // A new skill is its text and nothing else, whatever the file is called.
    let is_text = |delta: &&FileDelta| match skill {
        Some(skill) => skill.path.file_name().is_some_and(|name| name == delta.file.as_str()),
        None => !delta.file.contains('/'),
    };
    let (text, files): (Vec<&FileDelta>, Vec<&FileDelta>) = planned.files.iter().partition(is_text);
    (text.first().copied(), files.into_iter().cloned().collect())
}

/// The worst findings of a report, each in a line.
pub fn worst_findings(report: &Report) -> Vec<String> {
    let shown = report.findings.iter().take(MAX_FINDINGS);
    let line = |finding: &Finding| {
        let line =
            format!("{} in {}:{}: {}", finding.rule, finding.file, finding.line, finding.message);
        printable_line(&line).into_owned()
    };
    shown.map(line).collect()
}

/// The report on a skill as it would be after a change; why there is none, when it cannot be made.
pub fn scan_planned(planned: &Change, skill: Option<&Listed>) -> Result<Report, String> {
    let could_not = |error: &dyn std::fmt::Display| format!("It could not be scanned: {error}.");
    if let ([delta], true) = (planned.files.as_slice(), skill.is_none_or(|skill| skill.is_flat)) {
        return Ok(Files::of_text("SKILL.md", delta.after.clone().unwrap_or_default()).scan());
    }
    let stage = tempfile::tempdir().map_err(|error| could_not(&error))?;
    // The name is whatever somebody wrote into a file; its slug is a name for a folder.
    let slug = Slug::new(&planned.name).map_err(|error| could_not(&error))?;
    let folder = stage.path().join(slug.as_str());
    let mut total = 0;
    let mut put = |file: &str, bytes: &[u8]| -> Result<(), String> {
        total += bytes.len();
        if total > MAX_SCANNED_BYTES {
            return Err(format!(
                "It has more than {MAX_SCANNED_BYTES} bytes, too many to be scanned and so to be written."
            ));
        }
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))
            .map_err(|error| could_not(&error))?;
        std::fs::write(path, bytes).map_err(|error| could_not(&error))
    };
    if let Some(skill) = skill {
        let main = skill.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = list_files(skill).map_err(|error| could_not(&error))?;
        for file in files.into_iter().chain([main]) {
            if planned.files.iter().all(|delta| delta.file != file) {
                put(&file, &read_file(skill, &file).map_err(|error| could_not(&error))?)?;
            }
        }
    }
    for delta in &planned.files {
        if let Some(after) = &delta.after {
            put(&delta.file, after)?;
        }
    }
    hone_guard::scan(&folder).map_err(|error| could_not(&error))
}

fn changed(action: &str, done: &Change) -> ToolResult {
    let name = &done.name;
    let version = done.to_version.as_deref().map(|version| format!(", version {version}"));
    let version = version.unwrap_or_default();
    let said = match action {
        "create" => format!("created {name}{version}"),
        "delete" => format!("deleted {name}; its history is kept"),
        _ => format!("changed {name}{version}"),
    };
    let mut text = format!("Done: {said}. The next task will see it so.\n");
    for warning in &done.warnings {
        let _ = writeln!(text, "- could be better: {}", warning.message);
    }
    for stale in &done.stale {
        let _ = writeln!(text, "- stays as it was: {} ({})", stale.path.display(), stale.why);
    }
    ToolResult::ok(text, said).with(Effect::SkillChanged {
        name: name.clone(),
        action: action.replace('_', "-"),
        from_version: done.from_version.clone(),
        to_version: done.to_version.clone(),
    })
}

/// What a new skill is: one file until it needs to be a folder, where files are skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    File,
    Folder,
}

/// A change that a call asks for.
struct Wanted<'a> {
    action: &'a str,
    name: &'a str,
    what: What<'a>,
}

enum What<'a> {
    Create { content: &'a str },
    Edit { content: &'a str },
    Patch { file: Option<&'a str>, old: &'a str, new: &'a str },
    Delete,
    WriteFile { file: &'a str, content: &'a str },
    RemoveFile { file: &'a str },
}

impl<'a> Wanted<'a> {
    fn of(arguments: &'a Value) -> Result<Self, String> {
        let action = text_of(arguments, "action").unwrap_or_default();
        let needed = |name: &str| {
            text_of(arguments, name)
                .ok_or_else(|| format!("`{name}` is missing: `{action}` needs it."))
        };
        let what = match action {
            "create" => What::Create { content: needed("content")? },
            "edit" => What::Edit { content: needed("content")? },
            "patch" => What::Patch {
                file: text_of(arguments, "file"),
                old: needed("old")?,
                new: needed("new")?,
            },
            "delete" => What::Delete,
            "write_file" => What::WriteFile { file: needed("file")?, content: needed("content")? },
            "remove_file" => What::RemoveFile { file: needed("file")? },
            other => return Err(format!("`action` cannot be `{}`.", other.escape_debug())),
        };
        Ok(Self { action, name: text_of(arguments, "name").unwrap_or_default(), what })
    }

    fn carry_out(
        &self,
        store: &Store<'_>,
        own: &Path,
        shape: Shape,
        skill: Option<&Listed>,
        all: &[Listed],
    ) -> Result<Change, Error> {
        if let What::Create { content } = self.what {
            return match shape {
                Shape::File => store.create_file(own, self.name, content, all),
                Shape::Folder => store.create(own, None, self.name, content, all),
            };
        }
        let Some(skill) = skill else {
            return Err(Error::Refused("there is no skill to change".to_owned()));
        };
        match self.what {
            What::Create { .. } => Err(Error::Refused("it is there already".to_owned())),
            // An agent's edit is a new version of the whole text; a body alone keeps the frontmatter.
            What::Edit { content } => {
                let text = with_frontmatter(skill, content)?;
                store.upsert(own, skill.summary.title(), &text, all)
            }
            What::Patch { file, old, new } => store.patch(skill, file, old, new, Matching::Fuzzy),
            What::Delete => store.delete(skill),
            What::WriteFile { file, content } => {
                store.write_file(skill, file, content.as_bytes(), false)
            }
            What::RemoveFile { file } => store.remove_file(skill, file),
        }
    }
}

/// A new text for a skill, below its old frontmatter when it brings none.
fn with_frontmatter<'t>(skill: &Listed, content: &'t str) -> Result<Cow<'t, str>, Error> {
    let old = read_text(skill)?;
    let body = hone_skill::read(&old, None).skill.map(|skill| skill.body);
    let front = body.and_then(|body| std::str::from_utf8(old.get(..body.start)?).ok());
    Ok(match front {
        Some(front) if !content.trim_start().starts_with("---") => {
            Cow::Owned(format!("{front}{content}"))
        }
        _ => Cow::Borrowed(content),
    })
}
