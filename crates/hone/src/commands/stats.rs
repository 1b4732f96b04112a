//! `hone stats`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hone_learn::stats::{Rate, page, stats as gather};
use hone_library::usage::iso;

use super::review::{failure, records};
use crate::context::{Context, now};
use crate::output::{Outcome, print, print_json, say};
use crate::terminal::printable_line;

/// Things that happened which are printed.
const MAX_HAPPENED: usize = 10;

pub(crate) fn stats(context: &Context, html: Option<&Path>, as_json: bool) -> Outcome {
    let records = records(context)?;
    let agent = context.places.agent.as_deref();
    let stats = gather(&context.around.hone_home, &records, agent, now()).map_err(failure)?;
    if let Some(file) = html {
        let path = context.around.cwd.join(file);
        hone_library::replace(&path, page(&stats).as_bytes())?;
        say(&format!("wrote `{}`", path.display()));
    }
    if as_json {
        return print_json(&stats);
    }
    if stats.skills.is_empty() && stats.spent.is_empty() {
        say("no task has been near a skill yet");
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    if !stats.skills.is_empty() {
        let _ = writeln!(
            text,
            "{:<24} {:<8} {:>4}  {:<15} {:<15} {:<15} {:>6}  last use",
            "skill", "stage", "uses", "went well", "turns", "tokens", "age"
        );
    }
    for skill in &stats.skills {
        let pair = |of: &dyn Fn(&Rate) -> String| {
            let told = |rate: &Rate| if rate.tasks == 0 { "-".to_owned() } else { of(rate) };
            format!("{} / {}", told(&skill.with), told(&skill.without))
        };
        let well = pair(&|rate| format!("{} of {}", rate.well, rate.tasks));
        let turns = pair(&|rate| format!("{:.1}", rate.turns));
        let tokens = pair(&|rate| format!("{:.0}", rate.tokens));
        let age = skill.age_days.map_or_else(|| "-".to_owned(), |days| format!("{days} d"));
        let last = skill.last_use.map_or_else(|| "never".to_owned(), iso);
        let _ = writeln!(
            text,
            "{:<24} {:<8} {:>4}  {well:<15} {turns:<15} {tokens:<15} {age:>6}  {last}",
            printable_line(&skill.name),
            skill.stage.id(),
            skill.with.tasks,
        );
    }
    if !stats.skills.is_empty() {
        text.push_str("what stands before a slash is with the skill, behind it without\n");
    }
    for row in &stats.spent {
        let about = if row.spent.is_estimate { "about " } else { "" };
        let tokens = row.spent.tokens();
        let _ = writeln!(text, "learning of {} cost {about}{tokens} tokens", row.agent);
    }
    for one in stats.happened.iter().take(MAX_HAPPENED) {
        let (skill, why) = (printable_line(&one.skill), printable_line(&one.why));
        let whose = if one.agent.is_empty() { "your library" } else { &one.agent };
        let why = if why.trim().is_empty() { String::new() } else { format!(": {why}") };
        let _ = writeln!(text, "{} {skill} of {whose}: {}{why}", iso(one.at), one.what);
    }
    print(&text)
}
