//! `hone approve`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use hone_hub::{Pending, Rehearsal, Takes};
use hone_learn::records::RECORDS_FILE;
use hone_library::{ChangedFile, FileDelta};

use super::super::review;
use super::add::{ADD_ONE, Again, report};
use super::{Desk, shown};
use crate::cli::{Network, Whose};
use crate::context::Context;
use crate::diff;
use crate::json::hub::{Approvals, Waiting};
use crate::output::{Failure, Outcome, count, print, print_json, say};
use crate::terminal::{printable_line, style};

fn desk(context: &Context) -> Result<Desk<'_>, Failure> {
    Desk::open(context, Whose::default(), Network::default())
}

pub(super) fn list(context: &Context, as_json: bool) -> Outcome {
    let desk = desk(context)?;
    let waiting = desk.act(false, |hub, _| hub.pending())?;
    if as_json {
        let waiting = waiting.iter().map(|one| self::waiting(one, Vec::new())).collect();
        return print_json(&Approvals { waiting, rejected: Vec::new() });
    }
    let mut page = String::new();
    for one in &waiting {
        head(&mut page, one);
        page.push_str(&shown::details(&[], &one.news, &Takes::default(), style()));
        for finding in &one.news.findings {
            let _ = writeln!(page, "  new finding: {}", printable_line(finding));
        }
    }
    print(&page)?;
    if let Some(written) = written(context)? {
        say(&format!("note: {written} that agents want to make: `hone review`"));
    }
    if waiting.is_empty() {
        say("nothing waits for approval");
    } else {
        say(
            "hint: `hone approve ID --show` shows the files, `hone approve ID` installs them, `--reject` drops them",
        );
    }
    Ok(super::code(true))
}

/// How much of what agents wrote waits elsewhere; nothing when none does.
fn written(context: &Context) -> Result<Option<String>, Failure> {
    if !context.around.hone_home.join(RECORDS_FILE).exists() {
        return Ok(None);
    }
    let proposals = review::records(context)?.proposals().map_err(review::failure)?;
    let waiting = proposals.iter().filter(|proposal| proposal.waits()).count();
    Ok((waiting > 0).then(|| count(waiting, "change")))
}

fn head(page: &mut String, one: &Pending) {
    let _ = writeln!(
        page,
        "{}  {}  {}  {}  ({})",
        one.id,
        printable_line(one.name()),
        one.origin().id(),
        one.verdict().word(),
        printable_line(&one.entry.source),
    );
    let _ = writeln!(page, "  {}", printable_line(&one.why));
}

fn waiting(one: &Pending, changes: Vec<ChangedFile>) -> Waiting {
    Waiting { approval: one.into(), files: one.files().len(), changes }
}

pub(super) fn show(context: &Context, id: &str, as_json: bool) -> Outcome {
    let desk = desk(context)?;
    let one = desk.act(false, |hub, _| hub.pending_as(id))?;
    let folder = one.folder(&context.around.hone_home);
    let target = one.target();
    let installed = target.base.join(&one.entry.root).join(one.name());
    let (old, new) = (files(&installed)?, files(&folder)?);
    let mut changes = Vec::new();
    for file in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (before, after) = (old.get(file).cloned(), new.get(file).cloned());
        if before != after {
            changes.push(FileDelta { file: file.clone(), before, after });
        }
    }
    if as_json {
        let changes = changes.iter().map(ChangedFile::from).collect();
        return print_json(&Approvals {
            waiting: vec![waiting(&one, changes)],
            rejected: Vec::new(),
        });
    }
    let mut page = String::new();
    head(&mut page, &one);
    page.push_str(&shown::details(&[], &one.news, &Takes::default(), style()));
    for finding in &one.news.findings {
        let _ = writeln!(page, "  new finding: {}", printable_line(finding));
    }
    page.push_str(&diff::shown(&changes, style()));
    print(&page)
}

/// The files of a folder, if it is there.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let files = hone_library::read_tree(folder)?.unwrap_or_default();
    Ok(files.into_iter().map(|(path, file)| (path, file.bytes)).collect())
}

pub(super) fn approve(context: &Context, id: &str, as_json: bool) -> Outcome {
    let desk = desk(context)?;
    let outcome = desk.act(true, |hub, ask| hub.approve(id, ask))?;
    let again = Again { command: ADD_ONE, rehearsal: Rehearsal::No };
    report(context, vec![outcome], as_json, again)
}

pub(super) fn reject(context: &Context, id: &str, as_json: bool) -> Outcome {
    let desk = desk(context)?;
    let one = desk.act(false, |hub, _| hub.reject(id))?;
    if as_json {
        let rejected = vec![waiting(&one, Vec::new())];
        let left = desk.act(false, |hub, _| hub.pending())?;
        let waiting = left.iter().map(|one| self::waiting(one, Vec::new())).collect();
        return print_json(&Approvals { waiting, rejected });
    }
    print(&format!(
        "rejected  {}  ({})\n",
        printable_line(one.name()),
        printable_line(&one.entry.source)
    ))
}
