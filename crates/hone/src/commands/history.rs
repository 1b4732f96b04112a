//! `hone history` and `hone diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

use hone_library::{Action, ChangedFile, FileDelta, Revision, files_at, hash, kept_object};
use unicode_width::UnicodeWidthStr as _;

use super::hub::hub_failure;
use crate::context::{Context, to_the_second};
use crate::output::{Failure, Outcome, print, print_json, quoted, say};
use crate::terminal::{columns, fit, hung, printable, stdout_is_terminal, style};
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
        let at = to_the_second(revision.at);
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
        let lead = format!("{:>4}  ", revision.revision);
        let happened = format!("{at}  {actor}  {}{version} ", revision.action.id());
        let needed = format!("{lead}{happened}{}", files.first().unwrap_or(&""));
        let line = format!("{happened}{}{why}", files.join(", ")).replace(['\n', '\t'], " ");
        // Where what happened would be cut off, it goes on in the next line.
        let row = if printable(&needed).width() < room {
            fit(&format!("{lead}{}", printable(&line)), room).into_owned()
        } else {
            hung(&lead, &printable(&line), room)
        };
        text.push_str(&row);
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
    if from.is_none() && to.is_none() {
        let edits = edits(context, &key, &history)?;
        if !edits.is_empty() {
            return unrecorded(name, &key, newest, &edits, as_json);
        }
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
    let files = between(&old, &new);
    if as_json {
        return print_json(&json::Difference {
            path: key.to_string_lossy().into_owned(),
            from: Some(from),
            to: Some(to),
            files: files.iter().map(ChangedFile::from).collect(),
        });
    }
    print(&difference::shown(&files, style()))
}

/// What is on disk against what was installed: a person's own edits, whatever became of them since.
pub(crate) fn diff_locked(context: &Context, name: &str, as_json: bool) -> Outcome {
    let key = context.key_of(&context.catalogue()?, name)?;
    let key = std::fs::canonicalize(&key).unwrap_or(key);
    let entry = hone_hub::locked_at(&context.state, &key).map_err(hub_failure)?;
    let Some(entry) = entry else {
        return Err(Failure::no(format!("no lock file names `{name}`"), ""));
    };
    let disk = on_disk(&key)?.unwrap_or_default();
    let mut installed = Files::new();
    for file in &entry.files {
        let there = disk.get(&file.path).filter(|bytes| hash(bytes) == file.sha256);
        let bytes = match there {
            Some(bytes) => bytes.clone(),
            None => kept_object(&context.state, &file.sha256).map_err(|_| {
                let what = format!("`{}` is not kept here as it was installed", file.path);
                Failure::no(what, "`hone install --discard-edits` fetches it again")
            })?,
        };
        installed.insert(file.path.clone(), bytes);
    }
    let files = between(&installed, &disk);
    if as_json {
        return print_json(&json::Difference {
            path: key.to_string_lossy().into_owned(),
            from: None,
            to: None,
            files: files.iter().map(ChangedFile::from).collect(),
        });
    }
    if files.is_empty() {
        say(&format!("the text of `{name}` is what was installed"));
    }
    print(&difference::shown(&files, style()))
}

type Files = BTreeMap<String, Vec<u8>>;

fn between(old: &Files, new: &Files) -> Vec<FileDelta> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names
        .into_iter()
        .filter(|file| old.get(*file) != new.get(*file))
        .map(|file| FileDelta {
            file: file.clone(),
            before: old.get(file).cloned(),
            after: new.get(file).cloned(),
        })
        .collect()
}

/// What somebody changed on disk since the newest revision. A file that no revision is about counts as
/// new only in a skill whose first revision made all of it.
fn edits(context: &Context, key: &Path, history: &[Revision]) -> Result<Vec<FileDelta>, Failure> {
    let newest = history.last().map_or(0, |revision| revision.revision);
    let recorded = files_at(&context.state, history, newest)?;
    let Some(disk) = on_disk(key)? else { return Ok(Vec::new()) };
    let made = [Action::Create, Action::Upsert, Action::Install];
    let is_whole = history.first().is_some_and(|first| {
        made.contains(&first.action)
            && files_at(&context.state, history, 0).is_ok_and(|files| files.is_empty())
    });
    let changes = || history.iter().flat_map(|revision| &revision.changes);
    let is_known = |file: &str| changes().any(|change| change.file == file);
    let disk = disk.into_iter().filter(|(file, _)| is_whole || is_known(file)).collect();
    Ok(between(&recorded, &disk))
}

/// The files of a skill as they are now; none when it is gone.
fn on_disk(key: &Path) -> Result<Option<Files>, Failure> {
    if key.is_dir() {
        let tree = hone_library::read_tree(key)?.unwrap_or_default();
        let plain = tree.into_iter().filter(|(_, file)| !file.is_link);
        return Ok(Some(plain.map(|(path, file)| (path, file.bytes)).collect()));
    }
    let name = key.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(hone_library::read_bounded(key).ok().map(|bytes| Files::from([(name, bytes)])))
}

/// Shows what no revision has yet.
fn unrecorded(name: &str, key: &Path, newest: u64, edits: &[FileDelta], as_json: bool) -> Outcome {
    if as_json {
        return print_json(&json::Difference {
            path: key.to_string_lossy().into_owned(),
            from: Some(newest),
            to: None,
            files: edits.iter().map(ChangedFile::from).collect(),
        });
    }
    print(&difference::shown(edits, style()))?;
    say(&format!(
        "note: this is what is on disk against revision {newest}; `hone diff {} --to {newest}` shows that revision",
        quoted(name)
    ));
    Ok(ExitCode::SUCCESS)
}
