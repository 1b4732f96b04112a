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
    let mut text = format!(
        "{:<24} {:<8} {:>4} {:>10} {:>13} {:>11} {:>13}  last use\n",
        "skill", "stage", "uses", "well with", "well without", "turns with", "turns without"
    );
    for skill in &stats.skills {
        let well = |rate: &Rate| match rate.tasks {
            0 => "-".to_owned(),
            tasks => format!("{}/{tasks}", rate.well),
        };
        let turns = |rate: &Rate| match rate.tasks {
            0 => "-".to_owned(),
            _ => format!("{:.1}", rate.turns),
        };
        let last = skill.last_use.map_or_else(|| "never".to_owned(), iso);
        let _ = writeln!(
            text,
            "{:<24} {:<8} {:>4} {:>10} {:>13} {:>11} {:>13}  {last}",
            printable_line(&skill.name),
            skill.stage.id(),
            skill.with.tasks,
            well(&skill.with),
            well(&skill.without),
            turns(&skill.with),
            turns(&skill.without)
        );
    }
    for row in &stats.spent {
        let about = if row.spent.is_estimate { "about " } else { "" };
        let tokens = row.spent.tokens();
        let _ = writeln!(text, "learning of {} cost {about}{tokens} tokens", row.agent);
    }
    for one in stats.happened.iter().take(MAX_HAPPENED) {
        let (skill, why) = (printable_line(&one.skill), printable_line(&one.why));
        let whose = if one.agent.is_empty() { "your library" } else { &one.agent };
        let _ = writeln!(text, "{} {skill} of {whose}: {}: {why}", iso(one.at), one.what);
    }
    print(&text)
}
