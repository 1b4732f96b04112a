//! `hone permit`.

use std::process::ExitCode;

use hone_guard::permit::{Decision, joined, permit as decide};
use hone_library::Listed;
use hone_skill::Permissions;

use crate::context::Context;
use crate::json;
use crate::output::{Failure, NO, Outcome, count, print_json, say, say_rendered};
use crate::snippet::Source;
use crate::terminal::stderr_style;

pub(crate) fn permit(context: &Context, name: &str, words: &[String], as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    // Here 1 is a refusal: a skill that is not there is no answer.
    let skill = context.skill(&catalogue, name).map_err(|failure| {
        Failure::failed(failure.to_string(), &failure.hint().unwrap_or_default())
    })?;
    let permissions = Permissions::new(&skill.summary.allowed_tools);
    let line = match words {
        [line] => line.clone(),
        words => joined(words),
    };
    let decision = decide(&permissions, &line);
    let code = if decision.is_allowed() { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    if as_json {
        print_json(&report(&skill, &permissions, &line, &decision))?;
    } else {
        tell(&skill, &permissions, &line, &decision);
    }
    Ok(code)
}

fn report(
    skill: &Listed,
    permissions: &Permissions,
    line: &str,
    decision: &Decision,
) -> json::Permit {
    let part =
        |span: &std::ops::Range<usize>| line.get(span.clone()).unwrap_or_default().to_owned();
    let granted = decision
        .granted
        .iter()
        .map(|grant| json::Granted { part: part(&grant.span), by: grant.by.clone() });
    let refusals = decision.refusals.iter().map(|refusal| json::Refused {
        part: part(&refusal.span),
        start: refusal.span.start,
        end: refusal.span.end,
        reason: refusal.reason.clone(),
        hint: refusal.hint.clone(),
    });
    json::Permit {
        skill: skill.summary.name.clone(),
        command: line.to_owned(),
        allowed: decision.is_allowed(),
        granted: granted.collect(),
        refusals: refusals.collect(),
        problems: permissions.errors.iter().map(ToString::to_string).collect(),
    }
}

fn tell(skill: &Listed, permissions: &Permissions, line: &str, decision: &Decision) {
    for error in &permissions.errors {
        say(&format!("warning: an entry of `allowed-tools` permits nothing: {error}"));
    }
    let name = &skill.summary.name;
    if decision.is_allowed() {
        let mut entries: Vec<&str> =
            decision.granted.iter().filter_map(|grant| grant.by.as_deref()).collect();
        entries.dedup();
        let by = if entries.is_empty() { "it runs nothing".to_owned() } else { entries.join(", ") };
        say(&format!("inside what `{name}` declares: {by}"));
        return;
    }
    let source = Source::new("command", line);
    for refusal in &decision.refusals {
        say_rendered(&source.rendered_range(
            "not-permitted",
            &refusal.reason,
            refusal.span.clone(),
            refusal.hint.as_deref(),
            stderr_style(),
        ));
    }
    if skill.summary.allowed_tools.is_empty() {
        say(&format!("refused: `{name}` declares no `allowed-tools`"));
    } else {
        let parts = count(decision.refusals.len(), "part");
        say(&format!("refused: {parts} not inside what `{name}` declares"));
    }
}
