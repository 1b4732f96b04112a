//! `hone check`: a skill against the rules of a profile.

mod formats;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_library::{Catalogue, Layout, Reason, Root, Scope, Search, Skipped};
use hone_router::{SUITE_FILE, read_suite};
use hone_skill::{Diagnostic, Profile, Rule, Severity, fix, read};

use super::scan::MAX_DEPTH;
use crate::cli::{Format, Writing};
use crate::context::Context;
use crate::diff;
use crate::output::{Failure, NO, Outcome, Progress, count, print, print_json, say};
use crate::snippet::Source;
use crate::terminal::style;

/// Files and bytes of a skill that an MCP host must accept (SEP-2640).
const MCP_MAX_FILES: usize = 512;
const MCP_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The rule that a file breaks when there is no text to check; the catalogue uses the same word.
const UNREADABLE: &str = "unreadable";

/// How to check.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) profile: Profile,
    pub(crate) fix: bool,
    pub(crate) dry_run: bool,
    pub(crate) format: Format,
}

/// A file to be checked.
struct Target {
    path: PathBuf,
    /// Its bytes, when it is not on disk but inside the binary.
    builtin: Option<Vec<u8>>,
}

/// A file that was checked.
#[derive(Default)]
struct Checked {
    path: PathBuf,
    /// Why there is no text, when there is none.
    unreadable: Option<String>,
    text: String,
    diagnostics: Vec<Diagnostic>,
    fixed: Vec<Rule>,
    /// Why it could not be mended.
    unfixed: Option<String>,
}

pub(crate) fn check(context: &Context, paths: &[PathBuf], how: How) -> Outcome {
    let targets = targets(context, paths)?;
    let mut checked = Vec::new();
    let mut progress = Progress::new("checking", targets.len());
    let mut suites = Vec::new();
    for target in targets {
        suites.extend(suite_problem(context, &target));
        checked.push(check_file(context, target, how)?);
        progress.step();
    }
    drop(progress);
    for problem in suites {
        say(&format!("warning: {problem}"));
    }
    let invalid = checked.iter().filter(|file| !is_valid(file, how.profile)).count();
    match how.format {
        Format::Text => text(context, &checked, how)?,
        Format::Json => print_json(&formats::json(&checked, how.profile))?,
        Format::Sarif => print_json(&formats::sarif(context, &checked, how.profile))?,
        Format::Github => formats::github(context, &checked, how.profile)?,
    };
    Ok(if invalid > 0 { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

/// The skill files that are meant, each once.
fn targets(context: &Context, paths: &[PathBuf]) -> Result<Vec<Target>, Failure> {
    let here = [PathBuf::from(".")];
    let on_disk = |path: PathBuf| Target { path, builtin: None };
    if paths.is_empty() && !context.places.root.is_empty() {
        let catalogue = context.catalogue()?;
        tell_too_deep(context, &catalogue);
        return Ok(files_of(&catalogue).into_iter().map(on_disk).collect());
    }
    let catalogue = OnceCell::new();
    let mut targets = Vec::new();
    for path in if paths.is_empty() { &here } else { paths } {
        let full = hone_library::normal(&context.around.cwd.join(path));
        if full.is_dir() {
            if let Some(file) = skill_file(&full) {
                targets.push(on_disk(file));
            } else {
                let below = skills_below(context, &full, path)?;
                targets.extend(below.into_iter().map(on_disk));
            }
        } else if full.symlink_metadata().is_ok() {
            targets.push(on_disk(full));
        } else {
            if catalogue.get().is_none() {
                let _ = catalogue.set(context.catalogue()?);
            }
            let name = path.to_string_lossy();
            let known = |catalogue| context.known(catalogue, &name).ok();
            let broken = |catalogue| Some(Context::broken(catalogue, &name)?.path.clone());
            if let Some(skill) = catalogue.get().and_then(known) {
                let is_builtin = skill.scope == Scope::Builtin;
                let builtin = is_builtin.then(|| hone_library::read_text(&skill)).transpose()?;
                targets.push(Target { path: skill.path, builtin });
            } else if let Some(file) = catalogue.get().and_then(broken) {
                targets.push(on_disk(file));
            } else {
                return Err(Failure::no(
                    format!("there is no file, folder or skill `{}`", path.display()),
                    "`hone list --all` shows what is there",
                ));
            }
        }
    }
    let mut seen = HashSet::new();
    targets.retain(|target| seen.insert(target.path.clone()));
    Ok(targets)
}

fn skills_below(context: &Context, folder: &Path, named: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut root = Root::explicit(folder, &context.around.cwd)?;
    if folder.file_name().is_none_or(|name| name != "skills") {
        // Elsewhere, a Markdown file with frontmatter is more likely a page than a skill.
        root.layout = Layout::Folders;
    }
    let mut search = Search::only(vec![root], &context.around, &context.config);
    if context.places.depth.is_none() {
        // What agents find is another question: here everything below the folder is meant.
        search.depth = MAX_DEPTH;
    }
    let catalogue = Catalogue::find(search, &context.state);
    tell_too_deep(context, &catalogue);
    let found = files_of(&catalogue);
    if found.is_empty() {
        return Err(Failure::no(
            format!("there is no skill in `{}`", named.display()),
            "name a folder with a `SKILL.md`, or a skill",
        ));
    }
    Ok(found)
}

/// Says which folders were not looked into.
fn tell_too_deep(context: &Context, catalogue: &Catalogue) {
    const SHOWN: usize = 5;
    let is_deep = |skipped: &&Skipped| skipped.reason == Reason::TooDeep;
    let deep: Vec<&Skipped> = catalogue.skipped.iter().filter(is_deep).collect();
    for skipped in deep.iter().take(SHOWN) {
        say(&format!("note: not checked: {}: {}", context.shown(&skipped.path), skipped.message));
    }
    if let Some(more @ 1..) = deep.len().checked_sub(SHOWN) {
        say(&format!("note: not checked: {} more that lie too deep", count(more, "folder")));
    }
}

/// The file that makes a folder a skill, whatever the case of its name.
pub(super) fn skill_file(folder: &Path) -> Option<PathBuf> {
    let exact = ["SKILL.md", "skill.md"].map(|name| folder.join(name));
    if let Some(found) = exact.into_iter().find(|path| path.symlink_metadata().is_ok()) {
        return Some(found);
    }
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .flatten()
        .find(|entry| entry.file_name().eq_ignore_ascii_case("SKILL.md"))
        .map(|entry| entry.path())
}

fn files_of(catalogue: &Catalogue) -> Vec<PathBuf> {
    let offered = catalogue.skills.iter().map(|skill| skill.path.clone());
    let skipped =
        catalogue.skipped.iter().map(|skipped| skipped.path.clone()).filter(|path| !path.is_dir());
    let mut files: Vec<PathBuf> = offered.chain(skipped).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// What is wrong with the suite beside a skill, if there is one.
fn suite_problem(context: &Context, target: &Target) -> Option<String> {
    let suite = target.path.parent()?.join(SUITE_FILE);
    let is_folder = target.path.file_name()?.eq_ignore_ascii_case("SKILL.md");
    if !is_folder || target.builtin.is_some() || suite.symlink_metadata().is_err() {
        return None;
    }
    let why = match read_suite(&suite) {
        Ok(read) => read.problem()?,
        Err(error) => error.to_string(),
    };
    Some(format!("`{}`: {why}", context.shown(&suite)))
}

fn check_file(context: &Context, target: Target, how: How) -> Result<Checked, Failure> {
    let Target { path, builtin } = target;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_skill_file = name.eq_ignore_ascii_case("SKILL.md");
    let folder = if is_skill_file {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        Some(folder.trim_start_matches("builtin:").to_owned())
    } else {
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
    };
    let bytes = match builtin.map_or_else(|| hone_library::read_bounded(&path), Ok) {
        Ok(bytes) => bytes,
        Err(error) => {
            let unreadable = Some(format!("could not read the file: {error}"));
            return Ok(Checked { path, unreadable, ..Checked::default() });
        }
    };
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    let mut reading = read(&bytes, folder.as_deref());
    let (mut fixed, mut unfixed) = (Vec::new(), None);
    if how.fix && reading.skill.is_some() {
        let (new, rules) = fix(&text, folder.as_deref(), how.profile);
        if new != text {
            match write_fix(context, &path, &text, &new, how) {
                Ok(()) => fixed = rules,
                Err(Failure::Output(error)) => return Err(Failure::Output(error)),
                // The other files are checked and mended all the same.
                Err(failure) => unfixed = Some(failure.to_string()),
            }
            if !how.dry_run && unfixed.is_none() {
                reading = read(new.as_bytes(), folder.as_deref());
                text = new;
            }
        }
    }
    let mut diagnostics = reading.diagnostics;
    if is_skill_file && name != "SKILL.md" {
        let message = format!("the file is called `{name}`; agents look for `SKILL.md`");
        diagnostics.push(about_file(Rule::FileName, message, "rename it to `SKILL.md`"));
    }
    if how.profile == Profile::Mcp && is_skill_file {
        let (files, size) = measure(path.parent().unwrap_or(Path::new(".")));
        if files > MCP_MAX_FILES || size > MCP_MAX_BYTES {
            let message = format!("the skill has {files} files and {size} bytes");
            let hint =
                format!("an MCP host accepts {MCP_MAX_FILES} files and {MCP_MAX_BYTES} bytes");
            diagnostics.push(about_file(Rule::FolderTooLarge, message, &hint));
        }
    }
    diagnostics.retain(|diagnostic| diagnostic.severity(how.profile).is_some());
    if diagnostics.is_empty() {
        // Thousands of good files need not be held until the end.
        text = String::new();
    }
    Ok(Checked { path, unreadable: None, text, diagnostics, fixed, unfixed })
}

fn about_file(rule: Rule, message: String, hint: &str) -> Diagnostic {
    Diagnostic {
        rule,
        range: 0..0,
        line: 1,
        column: 1,
        message,
        hint: (!hint.is_empty()).then(|| hint.to_owned()),
        fix: None,
        key: None,
        refuses: false,
    }
}

/// Files and bytes below a folder, links not followed, as far as it matters.
fn measure(folder: &Path) -> (usize, u64) {
    let (mut files, mut size) = (0, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => {
                    files += 1;
                    size += entry.metadata().map_or(0, |metadata| metadata.len());
                }
                Err(_) => {}
            }
            if files > 100 * MCP_MAX_FILES {
                return (files, size);
            }
        }
    }
    (files, size)
}

/// Writes a mended text the way of every other change, so that it can be undone.
fn write_fix(
    context: &Context,
    path: &Path,
    old: &str,
    new: &str,
    how: How,
) -> Result<(), Failure> {
    if how.dry_run {
        let name = context.shown(path);
        if how.format == Format::Text
            && let Some(text) =
                hone_library::unified(&name, Some(old.as_bytes()), Some(new.as_bytes()))
        {
            print(&diff::painted(&text, style()))?;
        }
        return Ok(());
    }
    let skill = context.at_path(path).ok_or_else(|| {
        Failure::no("only a `SKILL.md`, or a Markdown file with frontmatter, can be mended", "")
    })?;
    let why = Some("hone check --fix".to_owned());
    let writing = Writing { dry_run: false, json: false, why };
    let change = context.write(skill.key(), &writing, |store| store.fix(&skill, new))?;
    super::hub::tell_shares(context, &change);
    Ok(())
}

fn is_valid(file: &Checked, profile: Profile) -> bool {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity(profile) == Some(Severity::Error);
    file.unreadable.is_none() && !file.diagnostics.iter().any(is_error)
}

fn text(context: &Context, checked: &[Checked], how: How) -> Outcome {
    let mut page = String::new();
    let (mut errors, mut warnings) = (0, 0);
    for file in checked {
        let source = Source::new(&context.shown(&file.path), &file.text);
        if let Some(message) = &file.unreadable {
            errors += 1;
            page.push_str(&source.rendered_whole(UNREADABLE, message, style()));
            page.push('\n');
        }
        for diagnostic in &file.diagnostics {
            match diagnostic.severity(how.profile) {
                Some(Severity::Error) => errors += 1,
                Some(Severity::Warning) => warnings += 1,
                _ => {}
            }
            page.push_str(&source.rendered(diagnostic, how.profile, style()));
            page.push('\n');
        }
    }
    print(&page)?;
    for file in checked {
        let path = context.shown(&file.path);
        let rules: Vec<&str> = file.fixed.iter().map(|rule| rule.id()).collect();
        if !rules.is_empty() {
            let word = if how.dry_run { "would mend" } else { "mended" };
            say(&format!("{word} {path}: {}", rules.join(", ")));
        }
        if let Some(why) = &file.unfixed {
            say(&format!("could not mend {path}: {why}"));
        }
    }
    say(&summary(checked, how, errors, warnings));
    Ok(ExitCode::SUCCESS)
}

fn summary(checked: &[Checked], how: How, errors: usize, warnings: usize) -> String {
    let invalid = checked.iter().filter(|file| !is_valid(file, how.profile)).count();
    let mut summary = format!(
        "{} checked ({}): {} valid, {invalid} invalid; {}, {}",
        count(checked.len(), "file"),
        how.profile.id(),
        checked.len() - invalid,
        count(errors, "error"),
        count(warnings, "warning"),
    );
    let is_fixable =
        |d: &Diagnostic| d.fix.is_some() && d.severity(how.profile) >= Some(Severity::Warning);
    if !how.fix && checked.iter().flat_map(|file| &file.diagnostics).any(is_fixable) {
        summary.push_str("; `--fix` mends some of them");
    }
    summary
}
