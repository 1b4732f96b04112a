//! `hone view`.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use hone_library::usage::{self, Event};
use hone_library::{Listed, list_files, read_file, read_text};

use super::scan::known_verdict;
use crate::context::{Context, now};
use crate::json;
use crate::output::{Failure, Outcome, count, print, print_json, stdout};
use crate::terminal::{columns, printable, printable_line, render, stdout_is_terminal, style};

pub(crate) fn view(
    context: &Context,
    name: &str,
    file: Option<&str>,
    raw: bool,
    as_json: bool,
) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let bytes = match file {
        Some(file) => read_file(&skill, file)?,
        None => read_text(&skill)?,
    };
    let main = skill.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shown = file.unwrap_or(&main);
    if as_json {
        print_json(&json::View {
            file: shown.to_owned(),
            size: bytes.len(),
            sha256: hone_library::hash(&bytes),
            files: list_files(&skill)?,
            pinned: is_pinned(context, &skill),
            content: String::from_utf8(bytes).ok(),
            skill: skill.clone().into(),
        })?;
    } else if raw {
        print_raw(&bytes)?;
    } else {
        show(context, &skill, shown, &main, &bytes)?;
    }
    // Counted after the answer is out: nobody waits for it.
    usage::count(&context.state, &skill, Event::View, now());
    Ok(ExitCode::SUCCESS)
}

/// The bytes as they are; on a terminal, what could deceive it is made visible.
fn print_raw(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = stdout();
    if stdout_is_terminal() {
        out.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
    } else {
        out.write_all(bytes)?;
    }
    out.flush()?;
    Ok(())
}

fn show(context: &Context, skill: &Listed, file: &str, main: &str, bytes: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let size = count(bytes.len(), "byte");
        let line = format!("{}: {size}, not text (`--raw` prints them)\n", printable_line(file));
        return print(&line);
    };
    if file != main {
        let is_markdown =
            std::path::Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
        let shown = if is_markdown {
            render(text, columns(), style())
        } else {
            printable(text).into_owned()
        };
        return print(&with_line_end(shown));
    }
    let reading =
        hone_skill::read(bytes, skill.folder().file_name().and_then(|name| name.to_str()));
    let body = reading.skill.as_ref().map_or(text, |skill| &text[skill.body.clone()]);
    let mut head = format!("{} · {}", skill.summary.name, skill.scope.id());
    if let Some(version) = &skill.summary.version {
        let _ = write!(head, " · version {version}");
    }
    if is_pinned(context, skill) {
        head.push_str(" · pinned");
    }
    if let Some(verdict) = known_verdict(&context.state, skill) {
        let _ = write!(head, " · scanned: {verdict}");
    }
    let mut page = format!("{}\n", printable_line(&head));
    page.push_str(&render(&skill.summary.description, columns(), style()));
    page.push('\n');
    page.push_str(&render(body, columns(), style()));
    let files = list_files(skill)?;
    if !files.is_empty() {
        page = with_line_end(page);
        page.push_str("\nFiles:\n");
        for file in &files {
            let _ = writeln!(page, "  {}", printable_line(file));
        }
    }
    print(&with_line_end(page))
}

fn is_pinned(context: &Context, skill: &Listed) -> bool {
    context.pins().is_pinned(skill).unwrap_or(false)
}

fn with_line_end(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
