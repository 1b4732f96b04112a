//! `hone history` and `hone diff`.

use std::collections::BTreeSet;

use hone_library::usage::iso;
use hone_library::{ChangedFile, FileDelta, Revision, files_at};

use crate::context::Context;
use crate::output::{Failure, Outcome, print, print_json, say};
use crate::terminal::{columns, fit, printable, stdout_is_terminal, style};
use crate::{diff as difference, json};

fn revisions(
    context: &Context,
    name: &str,
) -> Result<(std::path::PathBuf, Vec<Revision>), Failure> {
    let catalogue = context.catalogue()?;
    let key = context.key_of(&catalogue, name)?;
    let key = std::fs::canonicalize(&key).unwrap_or(key);
    let history = hone_library::history(&context.state, &key)?;
    Ok((key, history))
}

pub(crate) fn history(context: &Context, name: &str, as_json: bool) -> Outcome {
    let (key, history) = revisions(context, name)?;
    if as_json {
        let revisions = history.into_iter().map(json::HistoryEntry::from).collect();
        return print_json(&json::History { path: key.to_string_lossy().into_owned(), revisions });
    }
    if history.is_empty() {
        say(&format!("hone has not changed `{name}` yet"));
    }
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut text = String::new();
    for revision in &history {
        let at = iso(revision.at);
        let at = at.split('.').next().unwrap_or(&at).trim_end_matches('Z').replace('T', " ") + "Z";
        let files: Vec<&str> = revision.changes.iter().map(|change| change.file.as_str()).collect();
        let version = match (&revision.from_version, &revision.to_version) {
            (from, Some(to)) if from.as_ref() != Some(to) => format!(" v{to}"),
            _ => String::new(),
        };
        let actor = if revision.actor.is_empty() { "-" } else { &revision.actor };
        let why = if revision.reason.is_empty() {
            String::new()
        } else {
            format!(": {}", revision.reason)
        };
        let line = format!(
            "{:>4}  {at}  {actor}  {}{version} {}{why}",
            revision.revision,
            revision.action.id(),
            files.join(", "),
        );
        text.push_str(&fit(&printable(&line.replace(['\n', '\t'], " ")), room));
        text.push('\n');
    }
    print(&text)
}

pub(crate) fn diff(
    context: &Context,
    name: &str,
    from: Option<u64>,
    to: Option<u64>,
    as_json: bool,
) -> Outcome {
    let (key, history) = revisions(context, name)?;
    let newest = history.last().map_or(0, |revision| revision.revision);
    if newest == 0 {
        return Err(Failure::no(format!("hone has not changed `{name}` yet"), ""));
    }
    let to = to.unwrap_or(newest);
    let from = from.unwrap_or(to.saturating_sub(1));
    for revision in [from, to] {
        if revision > newest {
            return Err(hone_library::Error::NoRevision {
                name: name.to_owned(),
                revision,
                newest,
            }
            .into());
        }
    }
    let old = files_at(&context.state, &history, from)?;
    let new = files_at(&context.state, &history, to)?;
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let files: Vec<FileDelta> = names
        .into_iter()
        .filter(|file| old.get(*file) != new.get(*file))
        .map(|file| FileDelta {
            file: file.clone(),
            before: old.get(file).cloned(),
            after: new.get(file).cloned(),
        })
        .collect();
    if as_json {
        return print_json(&json::Difference {
            path: key.to_string_lossy().into_owned(),
            from,
            to,
            files: files.iter().map(ChangedFile::from).collect(),
        });
    }
    print(&difference::shown(&files, style()))
}
