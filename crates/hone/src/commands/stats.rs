//! `hone stats`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hone_agent::brain::Brain;
use hone_learn::stats::{Rate, SkillStats, page, stats as gather};

use super::review::{failure, records};
use crate::context::{Context, now, to_the_second};
use crate::output::{Outcome, print, print_json, say};
use crate::terminal::{columns, fit, hung, printable_line, stdout_is_terminal};
use unicode_width::UnicodeWidthStr as _;

/// Things that happened which are printed.
const MAX_HAPPENED: usize = 10;

pub(crate) fn stats(context: &Context, html: Option<&Path>, as_json: bool) -> Outcome {
    let records = records(context)?;
    let agent = context.places.agent.as_deref();
    if let Some(id) = agent {
        Brain::find(&context.around.hone_home, id).map_err(|error| failure(error.into()))?;
    }
    let stats = gather(&context.around.hone_home, &records, agent, now()).map_err(failure)?;
    if let Some(file) = html {
        let path = context.around.cwd.join(file);
        hone_library::replace(&path, page(&stats).as_bytes())?;
        say(&format!("wrote `{}`", path.display()));
    }
    if as_json {
        return print_json(&stats);
    }
    if stats.skills.is_empty() && stats.spent.is_empty() && stats.happened.is_empty() {
        say("no task has been near a skill yet");
        return Ok(ExitCode::SUCCESS);
    }
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut text = table(&stats.skills, room);
    for row in &stats.spent {
        let about = if row.spent.is_estimate { "about " } else { "" };
        let tokens = row.spent.tokens();
        let line = format!("learning of {} cost {about}{tokens} tokens", row.agent);
        let _ = writeln!(text, "{}", fit(&line, room));
    }
    for one in stats.happened.iter().take(MAX_HAPPENED) {
        let (skill, why) = (printable_line(&one.skill), printable_line(&one.why));
        let why = if why.trim().is_empty() { String::new() } else { format!(": {why}") };
        let lead = format!("{} ", to_the_second(one.at));
        let line = format!("{skill} of {}: {}{why}", whose(&one.agent), one.what);
        let _ = writeln!(text, "{}", hung(&lead, &line, room));
    }
    print(&text)
}

/// Whose a skill is, in words.
fn whose(agent: &str) -> &str {
    if agent.is_empty() { "your library" } else { agent }
}

/// A mean, where something was counted.
fn mean(value: f64, digits: usize) -> String {
    if value > 0.0 { format!("{value:.digits$}") } else { "-".to_owned() }
}

/// The skills, one a line; where there is no room for that, a few short lines each.
fn table(skills: &[SkillStats], room: usize) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let head = ["skill", "of", "stage", "uses", "went well", "turns", "tokens", "age", "last use"];
    let rows: Vec<[String; 9]> = skills.iter().map(cells).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|at| rows.iter().map(|row| row[at].width()).max().unwrap_or(0).max(head[at].len()))
        .collect();
    let mut text = String::new();
    if widths.iter().sum::<usize>() + 2 * (widths.len() - 1) <= room {
        for row in std::iter::once(&head.map(str::to_owned)).chain(&rows) {
            let cells = row.iter().zip(&widths).map(|(cell, width)| {
                format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
            });
            let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    } else {
        for [name, of, stage, uses, well, turns, tokens, age, last] in &rows {
            for line in [
                format!("{name} of {of}: {stage}"),
                format!("    uses {uses}, went well {well}"),
                format!("    turns {turns}"),
                format!("    tokens {tokens}"),
                format!("    age {age}, last use {last}"),
            ] {
                let _ = writeln!(text, "{}", fit(&line, room));
            }
        }
    }
    let legend = "what stands before a slash is with the skill, behind it without";
    let _ = writeln!(text, "{}", hung("", legend, room));
    text
}

fn cells(skill: &SkillStats) -> [String; 9] {
    let pair = |of: &dyn Fn(&Rate) -> String| {
        let told = |rate: &Rate| if rate.tasks == 0 { "-".to_owned() } else { of(rate) };
        format!("{} / {}", told(&skill.with), told(&skill.without))
    };
    [
        printable_line(&skill.name).into_owned(),
        printable_line(whose(&skill.agent)).into_owned(),
        skill.stage.id().to_owned(),
        skill.with.tasks.to_string(),
        pair(&|rate| format!("{} of {}", rate.well, rate.tasks)),
        pair(&|rate| mean(rate.turns, 1)),
        pair(&|rate| mean(rate.tokens, 0)),
        skill.age_days.map_or_else(|| "-".to_owned(), |days| format!("{days} d")),
        skill.last_use.map_or_else(|| "never".to_owned(), to_the_second),
    ]
}
