//! Commands that change a skill: new, edit, patch, rm, file, rollback, pin.

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use hone_library::usage::{self, Event};
use hone_library::{Action, Change, Error, Listed, Matching, list_files, refuse_existing};
use hone_skill::{FIRST_VERSION, Field, Profile, Slug, ensure_frontmatter, set_field};

use crate::cli::{Content, FileCommand, Writing};
use crate::context::{Context, now};
use crate::output::{Failure, Outcome, print, print_json, say};
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
}

pub(crate) fn new(context: &Context, new: &New, content: &Content, writing: &Writing) -> Outcome {
    let slug = Slug::new(&new.name).map_err(Error::from)?;
    let root = context.root_for_new(new.project)?;
    let here = context.skills_in(&root)?;
    if !new.upsert {
        // Said before an editor is opened for nothing.
        refuse_existing(&here, &root, &new.name)?;
    }
    let template = || {
        let description =
            new.description.clone().unwrap_or_else(|| TEMPLATE_DESCRIPTION.to_owned());
        ensure_frontmatter(TEMPLATE_BODY, &slug, &new.name, FIRST_VERSION)
            .and_then(|text| set_field(&text, Field::Top("description"), &description))
    };
    let mut text = match given(content)? {
        Some(text) => text,
        None => edited(context, &slug, &template().map_err(Error::from)?)?,
    };
    if let Some(description) = &new.description {
        let wrapped =
            ensure_frontmatter(&text, &slug, &new.name, FIRST_VERSION).map_err(Error::from)?;
        text = set_field(&wrapped, Field::Top("description"), description).map_err(Error::from)?;
    }
    let store = context.store(writing);
    let change = if new.upsert {
        store.upsert(&root, &new.name, &text, &here)
    } else {
        store.create(&root, new.category.as_deref(), &new.name, &text, &here)
    };
    let change = kept_on_failure(context, &slug, &text, content, change)?;
    report(&change, writing)
}

const TEMPLATE_DESCRIPTION: &str = "What it does. Use when …";
const TEMPLATE_BODY: &str = "\
# Steps

1. First step. Done when …
2. Second step. Done when …
";

pub(crate) fn edit(context: &Context, name: &str, content: &Content, writing: &Writing) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let text = match given(content)? {
        Some(text) => text,
        None => {
            let bytes = hone_library::read_text(skill)?;
            let old = String::from_utf8(bytes)
                .map_err(|_| Failure::no(format!("`{name}` is not UTF-8"), ""))?;
            edited(context, &skill.summary.slug, &old)?
        }
    };
    let change = context.store(writing).edit(skill, &text);
    let change = kept_on_failure(context, &skill.summary.slug, &text, content, change)?;
    counted(context, skill, writing);
    report(&change, writing)
}

/// A text that was typed in an editor and then refused is not lost.
fn kept_on_failure(
    context: &Context,
    slug: &Slug,
    text: &str,
    content: &Content,
    change: Result<Change, Error>,
) -> Result<Change, Failure> {
    let typed = !content.stdin && content.file.is_none();
    if let Err(error) = &change {
        if let Error::Invalid { problems, text } = error {
            let shown = format!("{slug}/SKILL.md");
            for problem in problems {
                say(super::check::rendered(&shown, text, problem, Profile::Spec).trim_end());
            }
        }
        if typed {
            let drafts = context.around.hone_home.join("drafts");
            let path = drafts.join(format!("{slug}.md"));
            if std::fs::create_dir_all(&drafts).is_ok()
                && hone_library::replace(&path, text.as_bytes()).is_ok()
            {
                say(&format!("your text is kept in `{}`; use it with `--file`", path.display()));
            }
        }
    }
    Ok(change?)
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
    let change = context.store(writing).patch(skill, inside, old, new, matching)?;
    counted(context, skill, writing);
    if let Some(patched) = change.patched.as_ref().filter(|patched| patched.fuzzy) {
        say(&format!(
            "note: not an exact match; replaced, at line {}:\n{}",
            patched.line, patched.matched
        ));
    }
    report(&change, writing)
}

pub(crate) fn rm(context: &Context, name: &str, writing: &Writing) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let change = context.store(writing).delete(skill)?;
    report(&change, writing)
}

pub(crate) fn file(context: &Context, command: FileCommand) -> Outcome {
    let catalogue = context.catalogue()?;
    match command {
        FileCommand::Add { name, path, content, executable, writing } => {
            let skill = context.skill(&catalogue, &name)?;
            hone_library::check_support_path(&path).or_else(|error| {
                let is_main = skill.path.file_name().is_some_and(|main| main == path.as_str());
                if is_main { Ok(()) } else { Err(error) }
            })?;
            let bytes = match (&content.file, content.stdin) {
                (Some(file), _) => read_input(file)?,
                (None, true) => read_stdin()?,
                (None, false) => {
                    return Err(Failure::failed(
                        "there is no content",
                        "give `--file FILE` or `--stdin`",
                    ));
                }
            };
            let executable = executable || content.file.as_deref().is_some_and(is_executable);
            let change = context.store(&writing).write_file(skill, &path, &bytes, executable)?;
            counted(context, skill, &writing);
            report(&change, &writing)
        }
        FileCommand::Rm { name, path, writing } => {
            let skill = context.skill(&catalogue, &name)?;
            let change = context.store(&writing).remove_file(skill, &path)?;
            counted(context, skill, &writing);
            report(&change, &writing)
        }
        FileCommand::List { name, json } => {
            let skill = context.skill(&catalogue, &name)?;
            let files = list_files(skill)?;
            if json {
                return print_json(&json::Files { name: skill.summary.name.clone(), files });
            }
            let lines = files.iter().map(|file| format!("{}\n", crate::terminal::printable(file)));
            print(&lines.collect::<String>())
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
    let change = context.store(writing).rollback(&key, to)?;
    report(&change, writing)
}

pub(crate) fn pin(context: &Context, name: &str, pin: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let writing = Writing { dry_run: false, json: false, why: String::new() };
    let store = context.store(&writing);
    let changed = if pin { store.pin(skill)? } else { store.unpin(skill)? };
    let word = match (pin, changed) {
        (true, true) => "pinned",
        (true, false) => "was pinned already",
        (false, true) => "no longer pinned",
        (false, false) => "was not pinned",
    };
    say(&format!("`{}` {word}", skill.summary.name));
    Ok(ExitCode::SUCCESS)
}

fn counted(context: &Context, skill: &Listed, writing: &Writing) {
    if !writing.dry_run {
        usage::count(&context.state, skill, Event::Patch, now());
    }
}

/// Says what was done; in a dry run, shows what would be.
fn report(change: &Change, writing: &Writing) -> Outcome {
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
    let done = match change.revision {
        Some(revision) => format!("revision {revision}"),
        None => "dry run, nothing written".to_owned(),
    };
    let verb = done_word(change.action);
    say(&format!("{verb} `{}` ({done}{version}) {}", change.name, change.path.display()));
    for warning in &change.warnings {
        say(&format!("warning: line {}: {}", warning.line, warning.message));
    }
    Ok(ExitCode::SUCCESS)
}

fn done_word(action: Action) -> &'static str {
    match action {
        Action::Create => "created",
        Action::Edit => "edited",
        Action::Patch => "patched",
        Action::Delete => "removed",
        Action::WriteFile => "wrote a file of",
        Action::RemoveFile => "removed a file of",
        Action::Upsert => "upserted",
        Action::Rollback => "rolled back",
        Action::Fix => "mended",
        Action::Outside => "noted",
    }
}

/// The text given by option, if one was.
fn given(content: &Content) -> Result<Option<String>, Failure> {
    let bytes = match (&content.file, content.stdin) {
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

/// Lets the person edit a text in `$VISUAL` or `$EDITOR`.
fn edited(context: &Context, slug: &Slug, text: &str) -> Result<String, Failure> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .or_else(|| std::io::stdin().is_terminal().then(|| "vi".to_owned()))
        .ok_or_else(|| {
            Failure::failed(
                "there is no editor and no text",
                "set `EDITOR`, or give `--stdin` or `--file FILE`",
            )
        })?;
    let folder = tempfile::Builder::new().prefix("hone-edit-").tempdir().map_err(|error| {
        Failure::failed(format!("could not make a temporary folder: {error}"), "")
    })?;
    let path = folder.path().join(format!("{slug}.md"));
    let failed = |error: std::io::Error| {
        Failure::failed(format!("could not use `{}`: {error}", path.display()), "")
    };
    std::fs::write(&path, text).map_err(failed)?;
    // As git does it: the variable may hold arguments.
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg(&editor)
        .arg(&path)
        .current_dir(&context.around.cwd)
        .status()
        .map_err(|error| {
            Failure::failed(format!("could not start `{editor}`: {error}"), "set `EDITOR`")
        })?;
    if !status.success() {
        return Err(Failure::no(format!("`{editor}` did not end well, nothing was written"), ""));
    }
    let new = std::fs::read_to_string(&path).map_err(failed)?;
    if new == text {
        return Err(Failure::no("nothing was changed, nothing was written", ""));
    }
    Ok(new)
}
