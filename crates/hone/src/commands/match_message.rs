//! `hone match` and `hone search`: which skills a message is about.

use std::fmt::Write as _;
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use hone_library::{Catalogue, Listed};
use hone_router::{
    Band, Index, Match, Part, Ranking, SUITE_FILE, SuiteError, Texts, about, ask, resembles,
};
use serde_json::Value;

use crate::context::Context;
use crate::json::matching::{BatchLine, Matched, Matches, SearchResult, SearchResults};
use crate::output::{Failure, NO, Outcome, print, print_json, say, stdout, visible_json};
use crate::terminal::{hung, printable_line, room};

/// The longest line of a batch that is read, in bytes.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// What some editors begin a file with.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A model that has to read more texts than this before an answer is announced.
const MANY_TEXTS: usize = 32;

/// The index of a catalogue; suites that cannot be read are told.
pub(crate) fn open_index<'c>(context: &'c Context, catalogue: &Catalogue) -> Index<'c> {
    let opened = Index::open(&context.state, &catalogue.roots, &catalogue.skills);
    for (skill, error) in &opened.broken_suites {
        tell_broken_suite(context, &catalogue.skills[*skill], error);
    }
    understood(context, catalogue, opened.index, &[])
}

/// Says that the suite of a skill cannot be used.
pub(crate) fn tell_broken_suite(context: &Context, skill: &Listed, error: &SuiteError) {
    let suite = skill.folder().join(SUITE_FILE);
    say(&format!("warning: `{}` is left out: {error}", context.shown(&suite)));
}

/// An index that also goes by the sentence model, if there is one.
pub(crate) fn understood<'c>(
    context: &'c Context,
    catalogue: &Catalogue,
    mut index: Index<'c>,
    asked: &[String],
) -> Index<'c> {
    if let Some(encoder) = context.encoder() {
        let of = |skill: &Listed| {
            let summary = &skill.summary;
            let when = summary.when_to_use.as_deref().unwrap_or_default();
            about(&summary.name, &summary.description, when)
        };
        let abouts: Vec<String> = catalogue.skills.iter().map(of).collect();
        let tell = |texts: usize| {
            if texts > MANY_TEXTS {
                say(&format!("the sentence model reads {texts} texts once"));
            }
        };
        let texts = Texts { skills: &abouts, asked };
        if let Err(error) = index.understand(encoder, Some(&context.state), texts, &tell) {
            say(&format!("warning: the sentence model failed ({error}); words alone count"));
        }
    }
    index
}

pub(crate) fn match_message(
    context: &Context,
    message: Option<&str>,
    batch: Option<&Path>,
    k: usize,
    as_json: bool,
) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let index = open_index(context, &catalogue);
    if let Some(file) = batch {
        // A batch may wait for its next line for hours.
        return run_batch(context, &catalogue, &index.whole(), file, k);
    }
    let message = message.unwrap_or_default();
    let matches = asked(context, &index, &catalogue, message).matches(k, |_| true);
    if as_json {
        let matches = matches.iter().map(|found| Matched::of(found, &catalogue.skills)).collect();
        return print_json(&Matches { matches });
    }
    let likely: Vec<&Match> = matches.iter().filter(|found| found.band > Band::Nothing).collect();
    if likely.is_empty() {
        say("no skill applies; `hone why` says what was considered");
        return Ok(ExitCode::SUCCESS);
    }
    print(&lines(&likely, &catalogue.skills))
}

/// A message held against what a model may load.
pub(crate) fn asked<'i, 's>(
    context: &Context,
    index: &'i Index<'s>,
    catalogue: &Catalogue,
    message: &str,
) -> Ranking<'i, 's> {
    ask(index, catalogue, || context.config.bundles.clone(), message)
}

fn lines(matches: &[&Match], skills: &[Listed]) -> String {
    let mut text = String::new();
    let widest = matches.iter().map(|found| skills[found.skill].summary.name.len()).max();
    for found in matches {
        let name = printable_line(&skills[found.skill].summary.name);
        let width = widest.unwrap_or(0);
        let lead = format!("{:8}  {:.2}  {name:width$}  ", found.band.id(), found.score);
        let _ = writeln!(text, "{}", hung(&lead, &reasons(found), room()));
    }
    text
}

/// `name: pdf; description: fill, form`.
pub(crate) fn reasons(found: &Match) -> String {
    let order = [
        Part::Name,
        Part::Phrase,
        Part::Remembered,
        Part::Description,
        Part::Body,
        Part::Spelling,
        Part::Meaning,
        Part::NotFor,
    ];
    let groups = order.into_iter().filter_map(|part| {
        let of_part = found.reasons.iter().filter(|reason| reason.part == part);
        let words: Vec<String> =
            of_part.map(|reason| printable_line(&reason.words).into_owned()).collect();
        (!words.is_empty()).then(|| format!("{}: {}", part.id(), words.join(", ")))
    });
    groups.collect::<Vec<_>>().join("; ")
}

fn run_batch(
    context: &Context,
    catalogue: &Catalogue,
    index: &Index<'_>,
    file: &Path,
    k: usize,
) -> Outcome {
    let is_stdin = file == Path::new("-");
    let not_read = |doing: &str, error: &std::io::Error| {
        let name =
            if is_stdin { "standard input".to_owned() } else { format!("`{}`", file.display()) };
        let hint = "name a file with one {\"id\": …, \"query\": …} a line, or `-`";
        Failure::failed(format!("could not {doing} {name}: {error}"), hint)
    };
    let mut input: Box<dyn BufRead> = if is_stdin {
        Box::new(std::io::stdin().lock())
    } else {
        let opened = std::fs::File::open(file).map_err(|error| not_read("open", &error))?;
        Box::new(std::io::BufReader::new(opened))
    };
    let mut out = stdout();
    let mut is_wrong = false;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let most = u64::try_from(MAX_LINE_BYTES + 1).unwrap_or(u64::MAX);
        let failed = |error: std::io::Error| not_read("read", &error);
        let read = (&mut input).take(most).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            break;
        }
        let answer = if line.len() > MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            input.skip_until(b'\n').map_err(failed)?;
            let error = format!("line {number} has more than {MAX_LINE_BYTES} bytes");
            BatchLine { id: Value::Null, matches: Vec::new(), error: Some(error) }
        } else {
            let asked = line.strip_prefix(BYTE_ORDER_MARK.as_bytes()).filter(|_| number == 1);
            let asked = asked.unwrap_or(&line).trim_ascii();
            if asked.is_empty() {
                continue;
            }
            let of = |query: &str| self::asked(context, index, catalogue, query);
            answer(catalogue, &|query| of(query).matches(k, |_| true), (number, asked))
        };
        is_wrong |= answer.error.is_some();
        let text = serde_json::to_string(&answer).map_err(std::io::Error::from)?;
        out.write_all(visible_json(&text).as_bytes())?;
        out.write_all(b"\n")?;
        // Whoever asks may wait for this answer before the next question.
        out.flush()?;
    }
    Ok(if is_wrong { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

fn answer(
    catalogue: &Catalogue,
    matches: &dyn Fn(&str) -> Vec<Match>,
    (number, line): (usize, &[u8]),
) -> BatchLine {
    let wrong =
        |id: Value, error: String| BatchLine { id, matches: Vec::new(), error: Some(error) };
    let asked_line: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            // It calls every line the first.
            let (column, error) = (error.column(), error.to_string());
            let what = error.split(" at line ").next().unwrap_or_default();
            let error = format!("line {number} is not JSON: {what} at column {column}");
            return wrong(Value::Null, error);
        }
    };
    let id = asked_line.get("id").cloned().unwrap_or(Value::Null);
    let query = match asked_line.get("query") {
        Some(Value::String(query)) => query,
        Some(_) => return wrong(id, format!("the \"query\" in line {number} is not a text")),
        None => return wrong(id, format!("line {number} has no \"query\"")),
    };
    let matches = matches(query);
    let matches = matches.iter().map(|found| Matched::of(found, &catalogue.skills)).collect();
    BatchLine { id, matches, error: None }
}

pub(crate) fn search(context: &Context, words: &[String], k: usize, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let index = open_index(context, &catalogue);
    let query = words.join(" ");
    let mut found = Ranking::new(&index, &query).matches(k, |_| true);
    // Without a word in common, only a word that looks like one of its own leads to a skill.
    found.retain(|found| {
        let summary = &catalogue.skills[found.skill].summary;
        found.reasons.iter().any(|reason| reason.weight > 0.0)
            || resembles(&query, &summary.name)
            || resembles(&query, &summary.description)
            || summary.when_to_use.as_deref().is_some_and(|when| resembles(&query, when))
    });
    let code = if found.is_empty() { ExitCode::from(NO) } else { ExitCode::SUCCESS };
    if as_json {
        let result = |found: &Match| SearchResult {
            description: catalogue.skills[found.skill].summary.description.clone(),
            scope: catalogue.skills[found.skill].scope.id(),
            matched: Matched::of(found, &catalogue.skills),
        };
        return print_json(&SearchResults { results: found.iter().map(result).collect() })
            .map(|_| code);
    }
    if found.is_empty() {
        say(&format!("no skill has anything of `{query}`; `hone list` shows all"));
        return Ok(code);
    }
    let skills: Vec<Listed> =
        found.iter().map(|found| catalogue.skills[found.skill].clone()).collect();
    print(&super::list::lines(&skills, room())).map(|_| code)
}
