//! `hone approve`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hone_hub::{Pending, Rehearsal, Takes};
use hone_learn::records::RECORDS_FILE;
use hone_library::{ChangedFile, FileDelta};

use super::super::review;
use super::add::{ADD_ONE, Again, report};
use super::{Desk, shown};
use crate::cli::{Network, Whose};
use crate::context::Context;
use crate::diff;
use crate::json::hub::{Approvals, ExecuteBit, Waiting};
use crate::output::{Failure, Outcome, count, print, print_json, say};
use crate::terminal::{printable_line, style};

fn desk(context: &Context) -> Result<Desk<'_>, Failure> {
    Desk::open(context, Whose::default(), Network::default())
}

pub(super) fn list(context: &Context, as_json: bool) -> Outcome {
    let desk = desk(context)?;
    let waiting = desk.act(false, |hub, _| hub.pending())?;
    if as_json {
        let waiting = waiting.iter().map(self::waiting).collect();
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
        shown::pinned(
            &one.entry.source,
            one.entry.commit.as_deref().or(one.entry.digest.as_deref())
        ),
    );
    let _ = writeln!(page, "  {}", printable_line(&one.why));
}

fn waiting(one: &Pending) -> Waiting {
    let files = one.files().len();
    Waiting { approval: one.into(), files, changes: Vec::new(), execute_bits: Vec::new() }
}

pub(super) fn show(context: &Context, id: &str, as_json: bool) -> Outcome {
    let desk = desk(context)?;
    let (one, new) = desk.act(false, |hub, _| {
        let one = hub.pending_as(id)?;
        let files = hub.waiting_files(&one)?;
        Ok((one, files))
    })?;
    let target = one.target();
    let installed = target.base.join(&one.entry.root).join(one.name());
    let old = hone_library::read_tree(&installed)?.unwrap_or_default();
    let (mut changes, mut bits) = (Vec::new(), Vec::new());
    for file in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (before, after) = (old.get(file), new.get(file));
        let could_run = before.is_some_and(|file| file.is_executable);
        if let Some(after) = after.filter(|after| after.is_executable != could_run) {
            bits.push(ExecuteBit { file: file.clone(), executable: after.is_executable });
        }
        let before = before.map(|file| file.bytes.clone());
        let after = after.map(|file| file.bytes.clone());
        if before != after {
            changes.push(FileDelta { file: file.clone(), before, after });
        }
    }
    if as_json {
        let changes = changes.iter().map(ChangedFile::from).collect();
        let waiting = vec![Waiting { changes, execute_bits: bits, ..waiting(&one) }];
        return print_json(&Approvals { waiting, rejected: Vec::new() });
    }
    let mut page = String::new();
    head(&mut page, &one);
    page.push_str(&shown::details(&[], &one.news, &Takes::default(), style()));
    for finding in &one.news.findings {
        let _ = writeln!(page, "  new finding: {}", printable_line(finding));
    }
    for bit in &bits {
        let can = if bit.executable { "can be run as a program" } else { "cannot be run any more" };
        let _ = writeln!(page, "  {} {can}", printable_line(&bit.file));
    }
    page.push_str(&diff::shown(&changes, style()));
    print(&page)
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
        let rejected = vec![waiting(&one)];
        let left = desk.act(false, |hub, _| hub.pending())?;
        let waiting = left.iter().map(waiting).collect();
        return print_json(&Approvals { waiting, rejected });
    }
    print(&format!(
        "rejected  {}  ({})\n",
        printable_line(one.name()),
        printable_line(&one.entry.source)
    ))
}
