//! Commands that change a skill: new, edit, patch, rm, file, rollback, pin.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use hone_hub::Nobody;
use hone_library::usage::{self, Event};
use hone_library::{
    Action, Catalogue, Change, Error, Listed, Matching, Project, Scope, Store, list_files,
    refuse_existing,
};
use hone_router::Suite;
use hone_skill::{FIRST_VERSION, Field, Slug, ensure_frontmatter, set_field};

use super::editor::{edited, keep};
use super::eval::Proposed;
use crate::cli::{Content, FileCommand, Writing};
use crate::context::{Context, now};
use crate::output::{Failure, Outcome, print, print_json, print_lines, quoted, say};
use crate::terminal::style;
use crate::{diff, json};

/// Most bytes taken from a file or from standard input.
const MAX_INPUT_BYTES: u64 = 16 * 1024 * 1024;

/// What `hone new` was asked for, the text apart.
pub(crate) struct New {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) project: bool,
    pub(crate) category: Option<String>,
    pub(crate) upsert: bool,
    pub(crate) triggers: bool,
}

pub(crate) fn new(context: &Context, new: &New, from: &Content, writing: &Writing) -> Outcome {
    let slug = Slug::new(&new.name).map_err(Error::from)?;
    let root = context.root_for_new(new.project)?;
    let here = context.skills_in(&root)?;
    let exists = here.iter().any(|skill| skill.summary.slug == slug);
    if !new.upsert {
        // Said before an editor is opened for nothing.
        refuse_existing(&here, &root, &new.name)?;
    }
    let described = |text: &str, description: &str| -> Result<String, Error> {
        let wrapped = ensure_frontmatter(text, &slug, &new.name, FIRST_VERSION)?;
        Ok(set_field(&wrapped, Field::Top("description"), description)?)
    };
    let text = if let Some(text) = given(from)? {
        text
    } else {
        let description = new.description.as_deref().unwrap_or(TEMPLATE_DESCRIPTION);
        edited(context, &slug, &described(TEMPLATE_BODY, description)?)?
    };
    let refused = |error: Failure| {
        let again = format!("hone new {} --file", quoted(&new.name));
        keep_typed(context, &slug, &text, from, &again, error)
    };
    let whole = match &new.description {
        None => Ok(text.clone()),
        Some(description) => described(&text, description),
    };
    let whole = whole.map_err(|error| refused(error.into()))?;
    let write = |store: Store<'_>| {
        if new.upsert && (exists || new.category.is_none()) {
            store.upsert(&root, &new.name, &whole, &here)
        } else {
            store.create(&root, new.category.as_deref(), &new.name, &whole, &here)
        }
    };
    let mut suite = None;
    if new.triggers {
        let planned = context.write(&root, &writing.dry(), write).map_err(refused)?;
        suite = Proposed::of(context, &planned, &Suite::default())?;
    }
    let with_suite = |store: Store<'_>| write(Proposed::with(suite.as_ref(), store));
    let change = context.write(&root, writing, with_suite).map_err(refused)?;
    report(context, &change, writing)?;
    if let Some(suite) = suite.filter(|_| !writing.dry_run) {
        suite.tell();
    }
    tell_untrusted(context, usize::from(new.project && !writing.dry_run));
    Ok(ExitCode::SUCCESS)
}

/// Says what new skills of a project wait for.
pub(super) fn tell_untrusted(context: &Context, of_project: usize) {
    let project = Project::find(&context.around).filter(|_| of_project > 0);
    if project.is_some_and(|project| !context.state.is_trusted(&project.root)) {
        let they = if of_project == 1 { "it is" } else { "they are" };
        say(&format!("note: {they} offered once the project is trusted: `hone trust`"));
    }
}

const TEMPLATE_DESCRIPTION: &str = "What it does. Use when …";
const TEMPLATE_BODY: &str = "\
# Steps

1. First step. Done when …
2. Second step. Done when …
";

pub(crate) fn edit(context: &Context, name: &str, from: &Content, writing: &Writing) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    refuse_builtin(&skill)?;
    let (old, text) = if let Some(text) = given(from)? {
        (None, text)
    } else {
        let old = String::from_utf8(hone_library::read_text(&skill)?)
            .map_err(|_| Failure::no(format!("`{name}` is not UTF-8"), ""))?;
        let text = edited(context, &skill.summary.slug, &old)?;
        (Some(old), text)
    };
    let change = context.write(skill.key(), writing, |store| match old {
        Some(old) if hone_library::read_text(&skill)? != old.as_bytes() => {
            Err(Error::Changed { path: skill.path.clone() })
        }
        _ => store.edit(&skill, &text),
    });
    let change = change.map_err(|error| {
        let again = format!("hone edit {} --file", quoted(name));
        keep_typed(context, &skill.summary.slug, &text, from, &again, error)
    })?;
    counted(context, &skill, writing);
    report(context, &change, writing)
}

/// Said before an editor is opened for nothing.
fn refuse_builtin(skill: &Listed) -> Result<(), Failure> {
    if skill.scope != Scope::Builtin {
        return Ok(());
    }
    let name = quoted(&skill.summary.name);
    Err(Failure::no(
        format!("`{}` is part of hone and cannot be changed", skill.summary.name),
        &format!("make your own: `hone view {name} --raw | hone new {name} --stdin`"),
    ))
}

/// A text that was typed in an editor and then refused is not lost.
fn keep_typed(
    context: &Context,
    slug: &Slug,
    text: &str,
    from: &Content,
    again: &str,
    error: Failure,
) -> Failure {
    let is_typed = !from.stdin && from.file.is_none();
    match is_typed.then(|| keep(context, slug, text.as_bytes())).flatten() {
        None => error,
        Some(draft) => {
            let path = quoted(&draft.to_string_lossy()).into_owned();
            let advice = format!("your text is kept: mend it and run `{again} {path}`");
            error.advised(advice)
        }
    }
}

pub(crate) fn patch(
    context: &Context,
    name: &str,
    inside: Option<&str>,
    old: &str,
    new: &str,
    fuzzy: bool,
    writing: &Writing,
) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let matching = if fuzzy { Matching::Fuzzy } else { Matching::Exact };
    let change = context
        .write(skill.key(), writing, |store| store.patch(&skill, inside, old, new, matching))?;
    counted(context, &skill, writing);
    if let Some(patched) = change.patched.as_ref().filter(|patched| patched.fuzzy) {
        say(&format!(
            "note: not an exact match; replaced, at line {}:\n{}",
            patched.line, patched.matched
        ));
    }
    report(context, &change, writing)
}

pub(crate) fn rm(context: &Context, name: &str, writing: &Writing) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    super::hub::refuse_locked(context, skill.key())?;
    let change = context.write(skill.key(), writing, |store| store.delete(&skill))?;
    report(context, &change, writing)
}

pub(crate) fn file(context: &Context, command: FileCommand) -> Outcome {
    let catalogue = context.catalogue()?;
    match command {
        FileCommand::Add { name, path, from, executable, writing } => {
            let skill = context.skill(&catalogue, &name)?;
            hone_library::check_support_path(&path).or_else(|error| {
                let is_main = skill.path.file_name().is_some_and(|main| main == path.as_str());
                if is_main { Ok(()) } else { Err(error) }
            })?;
            let bytes = match (&from.file, from.stdin) {
                (Some(file), _) => read_input(file)?,
                (None, true) => read_stdin()?,
                (None, false) => {
                    return Err(Failure::failed(
                        "there is no content",
                        "give `--file FILE` or `--stdin`",
                    ));
                }
            };
            let executable = executable || from.file.as_deref().is_some_and(is_executable);
            let change = context.write(skill.key(), &writing, |store| {
                store.write_file(&skill, &path, &bytes, executable)
            })?;
            counted(context, &skill, &writing);
            report(context, &change, &writing)
        }
        FileCommand::Rm { name, path, writing } => {
            let skill = context.skill(&catalogue, &name)?;
            let change =
                context.write(skill.key(), &writing, |store| store.remove_file(&skill, &path))?;
            counted(context, &skill, &writing);
            report(context, &change, &writing)
        }
        FileCommand::List { name, json } => {
            let skill = context.skill(&catalogue, &name)?;
            let files = list_files(&skill)?;
            if json {
                return print_json(&json::Files { name: skill.summary.name.clone(), files });
            }
            if files.is_empty() {
                say(&format!("`{}` has no supporting files", skill.summary.name));
            }
            print_lines(files)
        }
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

pub(crate) fn rollback(
    context: &Context,
    name: &str,
    to: Option<u64>,
    writing: &Writing,
) -> Outcome {
    let catalogue = context.catalogue()?;
    let key = context.key_of(&catalogue, name)?;
    refuse_ambiguous(context, &catalogue, name, &key)?;
    // What came from elsewhere is named by a lock file, which follows.
    let change = context.write(&key, writing, |store| {
        hone_hub::rollback(&store, &context.around, &key, to, &mut Nobody)
            .map_err(super::hub::hub_failure)
    })?;
    report(context, &change, writing)
}

/// A name that a skill and one that was removed from another folder share could mean either.
fn refuse_ambiguous(
    context: &Context,
    catalogue: &Catalogue,
    name: &str,
    key: &Path,
) -> Result<(), Failure> {
    let removed = context.removed_namesakes(catalogue, name)?;
    let Some(removed) = removed.iter().find(|_| key.exists()) else { return Ok(()) };
    let (key, removed) = (context.typed(key), context.typed(removed));
    Err(Failure::no(
        format!("`{name}` is the skill at `{key}`, and the one that was removed from `{removed}`"),
        &format!("say which: `hone rollback {key}` or `hone rollback {removed}`"),
    ))
}

pub(crate) fn pin(context: &Context, name: &str, pin: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let store = context.pins();
    let changed = if pin { store.pin(&skill)? } else { store.unpin(&skill)? };
    let word = match (pin, changed) {
        (true, true) => "is pinned now: it cannot be removed",
        (true, false) => "was pinned already",
        (false, true) => "is no longer pinned",
        (false, false) => "was not pinned",
    };
    // Several agents may have one of that name.
    say(&format!("`{}` {word} ({})", skill.summary.name, context.shown(skill.key())));
    Ok(ExitCode::SUCCESS)
}

fn counted(context: &Context, skill: &Listed, writing: &Writing) {
    if !writing.dry_run {
        usage::count(&context.state, skill, Event::Patch, now());
    }
}

/// Says what was done; in a dry run, shows what would be.
pub(super) fn report(context: &Context, change: &Change, writing: &Writing) -> Outcome {
    super::hub::tell_shares(context, change);
    if writing.json {
        return print_json(&json::Changed::from(change));
    }
    if writing.dry_run {
        print(&diff::shown(&change.files, style()))?;
    }
    let version = match (&change.from_version, &change.to_version) {
        (Some(from), Some(to)) if from != to => format!(", version {from} → {to}"),
        _ => String::new(),
    };
    let name = &change.name;
    let path = context.shown(&change.path);
    let (would, did) = words(change.action);
    match change.revision {
        Some(revision) => say(&format!("{did} `{name}` (revision {revision}{version}) {path}")),
        None => say(&format!("dry run: would {would} `{name}` (nothing written{version}) {path}")),
    }
    if !change.mended.is_empty() {
        let rules: Vec<&str> = change.mended.iter().map(|rule| rule.id()).collect();
        say(&format!("note: the text was mended: {}", rules.join(", ")));
    }
    for warning in &change.warnings {
        say(&format!("warning: line {}: {}", warning.line, warning.message));
    }
    Ok(ExitCode::SUCCESS)
}

/// What would be done, and what was.
fn words(action: Action) -> (&'static str, &'static str) {
    match action {
        Action::Create => ("create", "created"),
        Action::Edit => ("edit", "edited"),
        Action::Patch => ("patch", "patched"),
        Action::Delete => ("remove", "removed"),
        Action::WriteFile => ("write a file of", "wrote a file of"),
        Action::RemoveFile => ("remove a file of", "removed a file of"),
        Action::Upsert => ("upsert", "upserted"),
        Action::Rollback => ("roll back", "rolled back"),
        Action::Fix => ("mend", "mended"),
        Action::Install => ("install", "installed"),
        Action::Update => ("update", "updated"),
        Action::Outside => ("note", "noted"),
    }
}

/// The text given by option, if one was.
fn given(from: &Content) -> Result<Option<String>, Failure> {
    let bytes = match (&from.file, from.stdin) {
        (Some(file), _) => read_input(file)?,
        (None, true) => read_stdin()?,
        (None, false) => return Ok(None),
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::no(format!("the text is not UTF-8 (byte {at})"), "save it as UTF-8")
    })?;
    Ok(Some(text))
}

pub(crate) fn text_or_file(text: Option<String>, file: Option<&Path>) -> Result<String, Failure> {
    match (text, file) {
        (Some(text), _) => Ok(text),
        (None, Some(file)) => String::from_utf8(read_input(file)?)
            .map_err(|_| Failure::no(format!("`{}` is not UTF-8", file.display()), "")),
        (None, None) => Err(Failure::failed("a text is missing", "see `hone patch --help`")),
    }
}

/// A text from standard input.
pub(crate) fn text_of_stdin() -> Result<String, Failure> {
    String::from_utf8(read_stdin()?).map_err(|_| Failure::no("standard input is not UTF-8", ""))
}

fn read_input(path: &Path) -> Result<Vec<u8>, Failure> {
    let file = std::fs::File::open(path).map_err(|error| {
        Failure::failed(format!("could not read `{}`: {error}", path.display()), "")
    })?;
    read_all(file, &format!("`{}`", path.display()))
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    read_all(std::io::stdin().lock(), "standard input")
}

fn read_all(from: impl Read, what: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    from.take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::failed(format!("could not read {what}: {error}"), ""))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(Failure::no(format!("{what} has more than {MAX_INPUT_BYTES} bytes"), ""));
    }
    Ok(bytes)
}
