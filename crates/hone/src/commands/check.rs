//! `hone check`: a skill against the rules of a profile.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_library::{Author, Catalogue, Listed, Mode, Root, Search, Store};
use hone_skill::{Diagnostic, Profile, Rule, Severity, fix, read};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::cli::Format;
use crate::context::{Context, now};
use crate::diff;
use crate::json::{Check, CheckedFile, Finding, finding};
use crate::output::{Failure, NO, Outcome, print, print_json, say};
use crate::terminal::{printable, style};

/// Files and bytes of a skill that an MCP host must accept (SEP-2640).
const MCP_MAX_FILES: usize = 512;
const MCP_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Columns of source shown around a finding.
const SOURCE_COLUMNS: usize = 100;

/// How to check.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) profile: Profile,
    pub(crate) fix: bool,
    pub(crate) dry_run: bool,
    pub(crate) format: Format,
}

/// A file that was checked.
struct Checked {
    path: PathBuf,
    text: String,
    diagnostics: Vec<Diagnostic>,
    fixed: Vec<Rule>,
}

pub(crate) fn check(context: &Context, paths: &[PathBuf], how: How) -> Outcome {
    let targets = targets(context, paths)?;
    let mut checked = Vec::new();
    for target in targets {
        checked.push(check_file(context, target, how)?);
    }
    let invalid = checked.iter().filter(|file| !is_valid(file, how.profile)).count();
    match how.format {
        Format::Text => text(context, &checked, how)?,
        Format::Json => print_json(&as_json(&checked, how.profile))?,
        Format::Sarif => print_json(&sarif(context, &checked, how.profile))?,
        Format::Github => github(context, &checked, how.profile)?,
    };
    Ok(if invalid > 0 { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

/// The skill files that are meant.
fn targets(context: &Context, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let here = [PathBuf::from(".")];
    if paths.is_empty() && !context.places.root.is_empty() {
        return Ok(files_of(&context.catalogue()?));
    }
    let mut targets = Vec::new();
    for path in if paths.is_empty() { &here } else { paths } {
        let full = context.around.cwd.join(path);
        if full.is_dir() {
            match skill_file(&full) {
                Some(file) => targets.push(file),
                None => {
                    let root = Root::explicit(&full, &context.around.cwd)?;
                    let search = Search::only(vec![root], &context.around, &context.config);
                    let found = files_of(&Catalogue::find(search, &context.state));
                    if found.is_empty() {
                        return Err(Failure::no(
                            format!("there is no skill in `{}`", path.display()),
                            "name a folder with a `SKILL.md`, or a skill",
                        ));
                    }
                    targets.extend(found);
                }
            }
        } else if full.symlink_metadata().is_ok() {
            targets.push(full);
        } else {
            let catalogue = context.catalogue()?;
            match catalogue.resolve(&path.to_string_lossy(), &context.around.cwd) {
                Ok(skill) => targets.push(skill.path.clone()),
                Err(_) => {
                    return Err(Failure::no(
                        format!("there is no file, folder or skill `{}`", path.display()),
                        "",
                    ));
                }
            }
        }
    }
    targets.dedup();
    Ok(targets)
}

/// The file that makes a folder a skill, whatever the case of its name.
fn skill_file(folder: &Path) -> Option<PathBuf> {
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
    files.retain(|file| !file.starts_with("builtin:"));
    files.sort_unstable();
    files.dedup();
    files
}

fn check_file(context: &Context, path: PathBuf, how: How) -> Result<Checked, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_skill_file = name.eq_ignore_ascii_case("SKILL.md");
    let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    let folder = if is_skill_file {
        absolute.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
    } else {
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
    };
    let bytes = match hone_library::read_bounded(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let problem =
                about_file(Rule::NotUtf8, format!("could not read the file: {error}"), "");
            let problem = Diagnostic { refuses: true, ..problem };
            return Ok(Checked {
                path,
                text: String::new(),
                diagnostics: vec![problem],
                fixed: Vec::new(),
            });
        }
    };
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    let mut reading = read(&bytes, folder.as_deref());
    let mut fixed = Vec::new();
    if how.fix && reading.skill.is_some() {
        let (new, rules) = fix(&text, folder.as_deref(), how.profile);
        if new != text {
            write_fix(context, &path, &text, &new, how)?;
            fixed = rules;
            if !how.dry_run {
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
    Ok(Checked { path, text, diagnostics, fixed })
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
        if let Some(text) = diff::unified(&name, Some(old.as_bytes()), Some(new.as_bytes())) {
            if how.format == Format::Text {
                print(&printable(&text))?;
            }
        }
        return Ok(());
    }
    let skill = listed(context, path)?;
    let author = Author {
        actor: crate::context::actor(),
        reason: "hone check --fix".to_owned(),
        now: now(),
    };
    Store::new(&context.state, author, Mode::Write).fix(&skill, new)?;
    Ok(())
}

fn listed(context: &Context, path: &Path) -> Result<Listed, Failure> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let root = Root::explicit(absolute.parent().unwrap_or(Path::new("/")), &context.around.cwd)?;
    let wanted = root.path.join(path.file_name().unwrap_or_default());
    let mut search = Search::only(vec![root], &context.around, &context.config);
    (search.depth, search.disabled) = (0, Vec::new());
    let catalogue = Catalogue::find(search, &context.state);
    let skipped =
        catalogue.skipped.into_iter().filter_map(|skipped| skipped.skill.map(|skill| *skill));
    let found = catalogue.skills.into_iter().chain(skipped).find(|skill| skill.path == wanted);
    found.ok_or_else(|| Failure::no(format!("`{}` cannot be changed", path.display()), ""))
}

fn is_valid(file: &Checked, profile: Profile) -> bool {
    file.diagnostics.iter().all(|diagnostic| diagnostic.severity(profile) != Some(Severity::Error))
}

fn as_json(checked: &[Checked], profile: Profile) -> Check {
    let files = checked.iter().map(|file| CheckedFile {
        path: file.path.to_string_lossy().into_owned(),
        valid: is_valid(file, profile),
        diagnostics: findings(file, profile),
        fixed: file.fixed.iter().map(|rule| rule.id()).collect(),
    });
    Check { files: files.collect() }
}

fn findings(file: &Checked, profile: Profile) -> Vec<Finding> {
    file.diagnostics.iter().filter_map(|diagnostic| finding(diagnostic, profile)).collect()
}

fn text(context: &Context, checked: &[Checked], how: How) -> Outcome {
    let mut page = String::new();
    let (mut errors, mut warnings) = (0, 0);
    for file in checked {
        let shown = context.shown(&file.path);
        for diagnostic in &file.diagnostics {
            match diagnostic.severity(how.profile) {
                Some(Severity::Error) => errors += 1,
                Some(Severity::Warning) => warnings += 1,
                _ => {}
            }
            page.push_str(&rendered(&shown, &file.text, diagnostic, how.profile));
            page.push('\n');
        }
    }
    print(&page)?;
    for file in checked.iter().filter(|file| !file.fixed.is_empty()) {
        let rules: Vec<&str> = file.fixed.iter().map(|rule| rule.id()).collect();
        let word = if how.dry_run { "would mend" } else { "mended" };
        say(&format!("{word} {}: {}", context.shown(&file.path), rules.join(", ")));
    }
    let invalid = checked.iter().filter(|file| !is_valid(file, how.profile)).count();
    let fixable = checked
        .iter()
        .flat_map(|file| &file.diagnostics)
        .any(|d| d.fix.is_some() && d.severity(how.profile) >= Some(Severity::Warning));
    let mut summary = format!(
        "{} checked ({}): {} valid, {invalid} invalid; {errors} errors, {warnings} warnings",
        checked.len(),
        how.profile.id(),
        checked.len() - invalid,
    );
    if fixable && !how.fix {
        summary.push_str("; `--fix` mends some of them");
    }
    say(&summary);
    Ok(ExitCode::SUCCESS)
}

/// A diagnostic with its line of source, as a compiler would show it.
pub(crate) fn rendered(
    path: &str,
    text: &str,
    diagnostic: &Diagnostic,
    profile: Profile,
) -> String {
    use anstyle::{AnsiColor, Effects};
    let severity = diagnostic.severity(profile).unwrap_or(Severity::Info);
    let (word, colour) = match severity {
        Severity::Error => ("error", AnsiColor::Red),
        Severity::Warning => ("warning", AnsiColor::Yellow),
        Severity::Info => ("info", AnsiColor::Cyan),
    };
    let is_ansi = style() == crate::terminal::Style::Ansi;
    let paint = |paint: anstyle::Style, text: &str| {
        if is_ansi { format!("{paint}{text}{paint:#}") } else { text.to_owned() }
    };
    let bold = anstyle::Style::new().effects(Effects::BOLD);
    let accent = colour.on_default().effects(Effects::BOLD);
    let line = text.lines().nth(diagnostic.line - 1).unwrap_or_default();
    let number = diagnostic.line.to_string();
    let gutter = " ".repeat(number.len());
    let mut page = format!(
        "{}{}\n{gutter}--> {}:{}:{}\n",
        paint(accent, &format!("{word}[{}]", diagnostic.rule.id())),
        paint(bold, &format!(": {}", printable(&diagnostic.message))),
        printable(path),
        diagnostic.line,
        diagnostic.column,
    );
    if !line.trim().is_empty() {
        let (before, marked, after) = window(text, line, diagnostic);
        let (before, marked, after) = (printable(before), printable(marked), printable(after));
        let (before, marked, after) =
            (before.replace('\t', " "), marked.replace('\t', " "), after.replace('\t', " "));
        let carets = "^".repeat(marked.width().max(1));
        page.push_str(&format!("{gutter} |\n{number} | {before}{marked}{after}\n"));
        page.push_str(&format!(
            "{gutter} | {}{}\n",
            " ".repeat(before.width()),
            paint(accent, &carets)
        ));
    }
    if let Some(hint) = &diagnostic.hint {
        page.push_str(&format!("{gutter} = hint: {}\n", printable(hint)));
    }
    page
}

/// The part of the line that is shown: before the finding, the finding, after it.
fn window<'t>(text: &str, line: &'t str, diagnostic: &Diagnostic) -> (&'t str, &'t str, &'t str) {
    let at = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |(at, _)| at);
    let start = diagnostic.column - 1;
    let length = text
        .get(diagnostic.range.clone())
        .map_or(0, |source| source.split('\n').next().unwrap_or_default().chars().count());
    let from = start.saturating_sub(SOURCE_COLUMNS / 2);
    let end = (start + length.max(1)).min(from + SOURCE_COLUMNS);
    (
        &line[at(from)..at(start)],
        &line[at(start)..at(end)],
        &line[at(end)..at(from + SOURCE_COLUMNS)],
    )
}

/// SARIF 2.1.0, for code scanning.
fn sarif(context: &Context, checked: &[Checked], profile: Profile) -> serde_json::Value {
    let rules: Vec<_> = Rule::ALL
        .iter()
        .map(|rule| json!({"id": rule.id(), "shortDescription": {"text": rule.summary()}}))
        .collect();
    let results: Vec<_> = checked
        .iter()
        .flat_map(|file| {
            let uri = file
                .path
                .strip_prefix(&context.around.cwd)
                .unwrap_or(&file.path)
                .to_string_lossy()
                .replace('\\', "/");
            findings(file, profile).into_iter().map(move |finding| {
                let level =
                    if finding.severity == "info" { "note" } else { finding.severity.as_str() };
                let hint = finding.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                json!({
                    "ruleId": finding.rule,
                    "level": level,
                    "message": {"text": format!("{}{hint}", finding.message)},
                    "locations": [{"physicalLocation": {
                        "artifactLocation": {"uri": uri},
                        "region": {"startLine": finding.line, "startColumn": finding.column},
                    }}],
                })
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "hone", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}

/// Lines that GitHub turns into annotations.
fn github(context: &Context, checked: &[Checked], profile: Profile) -> Outcome {
    // The characters that end a property or a message there.
    let message = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| message(text).replace(':', "%3A").replace(',', "%2C");
    let mut page = String::new();
    for file in checked {
        for finding in findings(file, profile) {
            let level =
                if finding.severity == "info" { "notice" } else { finding.severity.as_str() };
            let hint = finding.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            page.push_str(&format!(
                "::{level} file={},line={},col={},title={}::{}\n",
                property(&context.shown(&file.path)),
                finding.line,
                finding.column,
                property(&finding.rule),
                printable(&message(&format!("{}{hint}", finding.message))),
            ));
        }
    }
    print(&page)
}
