//! `usage_report`: how skills are used, and how it went.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use hone_agent::tools::ToolResult;
use hone_agent::tools::skills::MAX_DESCRIPTION_CHARS;
use hone_learn::outcomes::Seen;
use hone_learn::records::Records;
use hone_library::usage::{Event, iso};
use hone_library::{Listed, Standing, standings};
use hone_router::in_a_line;
use serde_json::{Value, json};

use crate::tools::Offer;

/// Skills in one answer.
pub const MAX_REPORTED: usize = 100;

/// The tool's name.
pub(crate) const TOOL: &str = "usage_report";
/// The tool in a sentence.
pub(crate) const DESCRIPTION: &str = "Without `name`: how often and when each skill was used, most used \
    first. With `name`: tells that a skill was used for a task, and with `outcome` whether it went well, so \
    that good ones are found first and bad ones are noticed.";

/// The arguments.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200, "description": "the skill that was used"},
            "outcome": {"type": "string", "enum": ["well", "badly"], "description": "how the task went with it"},
            "cursor": {"type": "string", "maxLength": 20, "description": "go on where a report ended"},
        },
        "required": [],
        "additionalProperties": false,
    })
}

/// Reports of this process, for the ids of their tasks.
static REPORTS: AtomicU64 = AtomicU64::new(0);

/// Counts a use, and what came of it.
pub(crate) fn used(offer: &Offer, skill: &Listed, outcome: Option<&str>) -> ToolResult {
    let name = &skill.summary.name;
    offer.shelf.count(skill, Event::Use);
    let Some(outcome) = outcome else {
        return ToolResult::ok("Counted.", format!("used {name}"));
    };
    let Some(lessons) = offer.lessons() else {
        return ToolResult::ok(
            "Counted; what came of it is not kept here.",
            format!("used {name}"),
        );
    };
    let now = offer.now();
    let number = REPORTS.fetch_add(1, Ordering::Relaxed);
    let seen = Seen {
        task: format!("report-{now:x}-{:x}-{number:x}", std::process::id()),
        version: skill.summary.version.clone().unwrap_or_default(),
        loaded: true,
        at: now,
        answered: outcome == "well",
        corrected: false,
        turns: 0,
        tokens: 0,
    };
    // The person's own skills belong to no agent.
    let whose = lessons.agent.as_deref().unwrap_or_default();
    let kept =
        Records::open(&lessons.hone_home).and_then(|records| records.see(whose, name, &seen));
    match kept {
        Ok(()) => ToolResult::ok(format!("Counted, as gone {outcome}."), format!("used {name}")),
        Err(error) => ToolResult::failed(error.to_string()),
    }
}

/// How often and when the offered skills were used, versions added up, most used first.
pub(crate) fn report(offer: &Offer, cursor: Option<&str>) -> ToolResult {
    offer.shelf.settle_counts();
    let catalogue = offer.shelf.catalogue();
    let standings = match standings(&offer.state(), &catalogue.skills) {
        Ok(standings) => standings,
        Err(error) => return ToolResult::failed(error.to_string()),
    };
    let all = catalogue.skills.iter().zip(standings);
    let is_used = |(skill, standing): &(&Listed, Standing)| {
        skill.summary.model_invocable && standing.uses > 0
    };
    let mut used: Vec<(&Listed, Standing)> = all.filter(is_used).collect();
    used.sort_by(|(one, a), (other, b)| {
        (b.uses, &one.summary.name).cmp(&(a.uses, &other.summary.name))
    });
    let is_place = |from: &usize| (1..used.len()).contains(from);
    let from = match cursor.map(|cursor| cursor.parse().ok().filter(is_place)) {
        None => 0,
        Some(Some(from)) => from,
        Some(None) => return ToolResult::failed("There is nothing at this cursor."),
    };
    let to = from.saturating_add(MAX_REPORTED).min(used.len());
    let mut text = String::new();
    for (skill, standing) in &used[from..to] {
        let last = standing.last_used.map_or_else(String::new, |at| format!(", last {}", iso(at)));
        let name = in_a_line(&skill.summary.name, MAX_DESCRIPTION_CHARS);
        let uses = standing.uses;
        let times = if uses == 1 { "time" } else { "times" };
        let _ = writeln!(text, "- {name}: used {uses} {times}{last}");
    }
    if used.is_empty() {
        text.push_str("No skill was used yet.\n");
    } else if to < used.len() {
        let more = used.len() - to;
        let _ = writeln!(text, "{more} more: call again with `cursor` \"{to}\".");
    }
    ToolResult::ok(text, format!("{} skills in use", used.len()))
}
