//! `hone why` and `hone what-if`: what tips a choice, and what a new skill would change.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use hone_router::{
    Index, Suite, Why, level0_line, skill_text, suite_of, token_bound, what_if as ask_what_if,
    why as explain,
};

use super::check::skill_file;
use super::match_message::{BYTE_ORDER_MARK, asked, open_index, reasons, understood};
use crate::context::Context;
use crate::json::matching::{WhatIfReport, WhyReport, WhySkill};
use crate::output::{Failure, Outcome, count, print, print_json, say};
use crate::terminal::{hung, printable_line, room};

/// Skills that are explained when none is named.
const EXPLAINED: usize = 5;

/// Contributions that are printed for each.
const MAX_CONTRIBUTIONS: usize = 4;

pub(crate) fn why(context: &Context, message: &str, name: Option<&str>, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let index = open_index(context, &catalogue);
    let ranking = asked(context, &index, &catalogue, message);
    let mut explained = ranking.best(EXPLAINED, |_| true);
    if let Some(name) = name {
        let skill = context.skill(&catalogue, name)?;
        let place = catalogue.skills.iter().position(|other| other.path == skill.path);
        let Some(place) = place else {
            let message = format!("`{name}` is not offered here, so no message leads to it");
            return Err(Failure::no(message, "`hone list --all` says why"));
        };
        // The winner stands beside it, to compare.
        explained.truncate(1);
        explained.retain(|first| *first != place);
        explained.insert(0, place);
    }
    let name_of = |skill: usize| catalogue.skills[skill].summary.name.clone();
    let answers: Vec<Why> =
        explained.iter().map(|&skill| explain(&ranking, skill, &name_of)).collect();
    if as_json {
        let skills = answers.iter().map(|why| WhySkill::of(why, &catalogue.skills)).collect();
        return print_json(&WhyReport { considered: catalogue.skills.len(), skills });
    }
    let mut text = format!("{} considered\n", count(catalogue.skills.len(), "skill"));
    for why in &answers {
        let skill = &catalogue.skills[why.found.skill];
        let place = why.place.map_or("nowhere".to_owned(), |place| format!("place {place}"));
        let head = format!(
            "{}: {}, {}, confidence {:.2}",
            printable_line(&skill.summary.name),
            why.found.band.id(),
            place,
            why.found.score
        );
        let _ = writeln!(text, "\n{}", hung("", &head, room()));
        for (what, told) in told(why) {
            let _ = writeln!(
                text,
                "{}",
                hung(&format!("  {what:7}  "), &printable_line(&told), room())
            );
        }
    }
    print(&text)?;
    if answers.is_empty() {
        say("nothing of the message leads to any of them");
    }
    Ok(ExitCode::SUCCESS)
}

/// What is told of one skill, each with its heading; nothing of what there is nothing of.
fn told(why: &Why) -> Vec<(&'static str, String)> {
    let lacks: Vec<&str> = why.lacks.iter().map(|word| word.word.as_str()).collect();
    let contributions = why.contributions.iter().take(MAX_CONTRIBUTIONS);
    let moved: Vec<String> = contributions
        .map(|contribution| format!("{} {:+.2}", contribution.what, contribution.moved))
        .collect();
    let change = why.would_change.clone().unwrap_or_default();
    let all = [
        ("has", reasons(&why.found)),
        ("lacks", lacks.join(", ")),
        ("tipped", moved.join(", ")),
        ("change", change),
    ];
    all.into_iter().filter(|(_, told)| !told.is_empty()).collect()
}

pub(crate) fn what_if(
    context: &Context,
    folder: &Path,
    messages: Option<&Path>,
    as_json: bool,
) -> Outcome {
    let path = hone_library::normal(&context.around.cwd.join(folder));
    let Some(new) = context.at_path(&path) else {
        let shown = folder.display();
        if path.symlink_metadata().is_err() {
            let hint = "name the folder of a skill that is not installed yet";
            return Err(Failure::no(format!("there is no folder `{shown}`"), hint));
        }
        let hint = match skill_file(&path) {
            Some(file) => {
                format!("`hone check {}` says what is wrong with it", context.typed(&file))
            }
            None => "name a folder with a `SKILL.md`".to_owned(),
        };
        return Err(Failure::no(format!("there is no skill in `{shown}`"), &hint));
    };
    let mut catalogue = context.catalogue()?;
    context.tell_problem();
    // Who asks about a skill that is installed wants to know what would be without it; a draft of one is held against
    // it.
    catalogue.skills.retain(|skill| skill.path != new.path);
    let replaces = catalogue.skills.iter().position(|skill| skill.summary.name == new.summary.name);
    let messages = match messages {
        Some(file) => read_messages(file)?,
        None => remembered_messages(&catalogue.skills),
    };
    let (text, _) = skill_text(&new);
    let before = open_index(context, &catalogue);
    let mut without = catalogue.clone();
    let replaced = replaces.map(|place| without.skills.remove(place));
    let again = Index::open(&context.state, &without.roots, &without.skills).index;
    let after = understood(context, &without, again, &[]).plus(&text);
    let for_models =
        |skill: usize| catalogue.skills.get(skill).unwrap_or(&new).summary.model_invocable;
    let answer = ask_what_if(&before, &after, &text, replaces, &messages, &for_models);
    let tokens = level0_line(&new.summary).map_or(0, |line| token_bound(&line));
    let report = WhatIfReport::of(&answer, &new, replaced.as_ref(), &catalogue.skills, tokens);
    if as_json {
        return print_json(&report);
    }
    let mut text = format!(
        "{}: at most {} a turn; of {}, {} would have it first and {} among others\n",
        printable_line(&report.name),
        count(report.tokens_a_turn, "token"),
        count(report.asked, "message"),
        report.first.len(),
        report.also_offered
    );
    if let Some(replaced) = &replaced {
        let path = context.shown(&replaced.path);
        let _ = writeln!(text, "  replaces `{}`", printable_line(&path));
    }
    if !report.model_invocable {
        text.push_str("  a model may not load it by itself: it has no line and gets no message\n");
    }
    for message in &report.lost {
        let _ = writeln!(text, "  loses     {}", printable_line(message));
    }
    for taken in &report.taken {
        let name = printable_line(&taken.name);
        let _ = writeln!(text, "  takes {} from {name}", count(taken.messages, "message"));
    }
    for message in &report.first {
        let from = message.taken_from.as_deref();
        let from = from.map_or(String::new(), |from| format!(" (was {})", printable_line(from)));
        let _ = writeln!(
            text,
            "  {:8}  {:.2}  {}{}",
            message.band,
            message.score,
            printable_line(&message.query),
            from
        );
    }
    if !report.neighbours.is_empty() {
        let _ = writeln!(text, "nearest: {}", printable_line(&report.neighbours.join(", ")));
    }
    print(&text)
}

/// The messages that should call a skill, from every suite of the library.
fn remembered_messages(skills: &[hone_library::Listed]) -> Vec<String> {
    let of = |skill: &hone_library::Listed| suite_of(skill).unwrap_or_default().cases;
    let cases = skills.iter().flat_map(of);
    cases.filter(|case| case.should_trigger).map(|case| case.query).collect()
}

/// One message a line, as text or as JSON with a `query`; or all messages of a suite. `-` is standard input.
fn read_messages(file: &Path) -> Result<Vec<String>, Failure> {
    let is_stdin = file == Path::new("-");
    let read = if is_stdin {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let name = if is_stdin { "standard input".to_owned() } else { format!("`{}`", file.display()) };
    let bytes = read.map_err(|error| {
        let hint = "name a file with one message a line, or `-`";
        Failure::failed(format!("could not read {name}: {error}"), hint)
    })?;
    if let Ok(suite) = Suite::read(&bytes) {
        return Ok(suite.cases.into_iter().map(|case| case.query).collect());
    }
    let text = String::from_utf8_lossy(&bytes);
    if matches!(text, Cow::Owned(_)) {
        say(&format!("warning: {name} is not all UTF-8; what is not stands as \u{fffd}"));
    }
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines
        .map(|line| {
            let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
            let query = value.as_ref().and_then(|value| value.get("query")?.as_str());
            query.unwrap_or(line).to_owned()
        })
        .collect())
}
