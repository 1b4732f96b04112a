//! The passages of one file, by its language: Markdown is taken apart, of settings each value that is run is
//! one, and everything else is one passage as it stands.

use std::borrow::Cow;

use super::finding::Context as In;
use super::kind::{Language, has_extension};
use super::passage::{Passage, Place};
use super::spaced::{letter_spaced, pushed_aside};
use super::text::{self, Text};
use super::{markdown, mention, quoted, settings};

/// The passages of one file.
pub(super) fn passages_of<'a>(
    file: usize,
    path: &str,
    language: Language,
    text: &'a Text,
    references: &mention::References,
) -> Vec<Passage<'a>> {
    let context = references.context(file);
    match language {
        Language::Markdown => {
            let body = frontmatter_end(&text.plain);
            let mut found = markdown::passages(text, file, body..text.plain.len(), context);
            if body > 0 {
                let setting = if context == In::Prose { In::Setting } else { context };
                found.push(straight(file, Language::Yaml, setting, text, 0..body));
                found.extend(settings::passages(
                    file,
                    path,
                    Language::Yaml,
                    text,
                    0..body,
                    setting,
                ));
            }
            found.extend(letter_spaced(text, file, context));
            found.extend(pushed_aside(text, file));
            mention::mark(&mut found);
            found
        }
        Language::Html => markdown::html_parts(&text.plain)
            .into_iter()
            .map(|part| {
                let context = if part.hidden { In::Hidden } else { context };
                straight(file, Language::Html, context, text, part.range)
            })
            .chain(markdown::attributes(&text.plain).into_iter().map(|attribute| {
                let context = if attribute.hidden { In::Hidden } else { context };
                straight(file, Language::Html, context, text, attribute.range)
            }))
            .chain(std::iter::once(straight(
                file,
                Language::Html,
                context,
                text,
                0..text.plain.len(),
            )))
            .chain(settings::scripts_of_html(file, text, context))
            .chain(settings::passages(file, path, language, text, 0..text.plain.len(), context))
            .collect(),
        language => {
            let all = 0..text.plain.len();
            let mut found = vec![straight(file, language, context, text, all.clone())];
            if has_extension(path, "csv") || has_extension(path, "tsv") {
                let cells = cells(&text.plain).into_iter();
                found.extend(cells.map(|cell| straight(file, language, context, text, cell)));
            }
            found.extend(settings::passages(file, path, language, text, all, context));
            found
        }
    }
}

/// Cells of a table that are read as sentences, and the words from which on a cell is one.
const MAX_CELLS: usize = 1024;
const MIN_CELL_WORDS: usize = 6;

/// The cells of a table that are sentences: quotation marks around them are marks of the table, and what
/// stands in them is said, not quoted.
fn cells(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, _) in text.match_indices('"') {
        match open.take() {
            None => open = Some(at + 1),
            Some(start) => {
                let words = text[start..at].split_whitespace().take(MIN_CELL_WORDS).count();
                if words == MIN_CELL_WORDS && found.len() < MAX_CELLS {
                    found.push(start..at);
                }
            }
        }
    }
    found
}

pub(super) fn straight(
    file: usize,
    language: Language,
    context: In,
    text: &Text,
    range: std::ops::Range<usize>,
) -> Passage<'_> {
    Passage {
        file,
        language,
        context,
        place: Place::Straight { text, start: range.start },
        text: Cow::Borrowed(&text.plain[range]),
        headings: Cow::Borrowed(""),
        lead: Cow::Borrowed(""),
        decoded: None,
    }
}

/// The strings of a setting or data file that look like something to be run.
pub(super) fn strings_of<'a>(passage: &Passage<'a>) -> Vec<Passage<'a>> {
    const MOST: usize = 200;
    let mut found = Vec::new();
    if quoted::language_of(&passage.text[..text::floor(&passage.text, 64 * 1024)]).is_none()
        && passage.text.len() <= 64 * 1024
    {
        return found;
    }
    let mut at = 0;
    for line in passage.text.split_inclusive('\n') {
        let body = line.trim();
        let split = body.split_once(['=', ':']).map_or(body, |(_, value)| value.trim());
        // `os.system("curl https://…")` has a colon too, and is no key with a value.
        let item = body.trim_start_matches(['-', ' ', '"', '\'']);
        let value = if quoted::language_of(split).is_none() && quoted::language_of(item).is_some() {
            item
        } else {
            split
        };
        let value = value
            .trim_start_matches(['"', '\'', '-', '[', ' '])
            .trim_end_matches([',', ']', '"', '\'', ' ']);
        // check: `curl …`: a span of code in a text, not a substitution.
        let span = value.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        let value = span.filter(|inner| !inner.contains('`')).unwrap_or(value);
        let value = value.replace("\\\"", "\"").replace("\", \"", " ").replace("\",\"", " ");
        // (call-process-shell-command "…"), \write18{…}, Command="…": the string inside is what runs.
        let value = value.replace("&quot;", "'").replace("&amp;", "&").replace("&lt;", "<");
        let inner = ["\"", "'"]
            .iter()
            .flat_map(|quote| value.split(quote).skip(1).step_by(2))
            .chain(
                value
                    .split_once('{')
                    .and_then(|(_, rest)| rest.rsplit_once('}'))
                    .map(|(inner, _)| inner),
            )
            .find(|text| quoted::language_of(text).is_some())
            .map(str::to_owned);
        let value = inner.unwrap_or(value);
        if let Some(language) = quoted::language_of(&value)
            && found.len() < MOST
        {
            let (line, column) = passage.place.position(at);
            found.push(Passage {
                language,
                text: Cow::Owned(value),
                place: Place::Fixed { line, column },
                ..passage.clone()
            });
        }
        at += line.len();
    }
    found
}

/// Where the frontmatter of a Markdown text ends, or 0.
pub(super) fn frontmatter_end(text: &str) -> usize {
    let trimmed = text.trim_start_matches(['\u{FEFF}', '\n', '\r', ' ']);
    if !trimmed.starts_with("---") {
        return 0;
    }
    let start = text.len() - trimmed.len();
    let mut at = start;
    for (count, line) in trimmed.split_inclusive('\n').enumerate() {
        at += line.len();
        if count > 0 && line.trim_end() == "---" {
            return at;
        }
    }
    0
}
