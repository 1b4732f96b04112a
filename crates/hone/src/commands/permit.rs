//! `hone permit`: is a command inside what a skill declares, and with `--run`, run it confined.

use std::io::Write;
use std::process::ExitCode;

use hone_guard::permit::{Decision, joined, permit as decide};
use hone_guard::sandbox::{self, End};
use hone_library::Listed;
use hone_skill::Permissions;

use super::confined;
use crate::context::Context;
use crate::json;
use crate::output::{Failure, NO, Outcome, count, print_json, say, say_rendered, stdout};
use crate::snippet::Source;
use crate::terminal::stderr_style;

pub(crate) struct How {
    pub(crate) run: bool,
    pub(crate) env: Vec<String>,
    pub(crate) json: bool,
}

pub(crate) fn permit(context: &Context, name: &str, words: &[String], how: &How) -> Outcome {
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
    let mut code = if decision.is_allowed() { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    let mut report = report(&skill, &permissions, &line, &decision);
    if how.run && decision.is_allowed() {
        let (outcome, beside) = run_confined(context, &skill, &permissions, &line, &how.env)?;
        code = match beside {
            Some(_) => ExitCode::from(sandbox::REFUSED),
            None => exit_code(&outcome.end),
        };
        if !how.json {
            pass_on(&outcome, beside.as_deref())?;
            return Ok(code);
        }
        report.run = Some(run_report(outcome, beside));
    } else if !how.json {
        tell(&skill, &permissions, &line, &decision);
    }
    if how.json {
        print_json(&report)?;
    }
    Ok(code)
}

fn run_confined(
    context: &Context,
    skill: &Listed,
    permissions: &Permissions,
    line: &str,
    env: &[String],
) -> Result<(sandbox::Outcome, Option<String>), Failure> {
    let command =
        sandbox::shell(line).map_err(|error| Failure::failed(error.to_string(), "install bash"))?;
    let mut confined = confined::confined(context, skill, permissions, command)?;
    for name in env {
        if let Ok(value) = std::env::var(name) {
            confined.plan.environment.insert(name.clone(), value);
        }
    }
    if confined.plan.folder.is_none() {
        say("note: your home is not opened to a skill, so the command starts in an empty folder");
    }
    confined.run()
}

/// The command's own output, and a word when the sandbox ended it or it wrote what is not declared.
fn pass_on(outcome: &sandbox::Outcome, beside: Option<&str>) -> std::io::Result<()> {
    let mut out = stdout();
    out.write_all(&outcome.stdout)?;
    out.flush()?;
    // It is the command's output, not ours: as it is.
    let _ = std::io::stderr().lock().write_all(&outcome.stderr);
    if let Some(why) = beside {
        say(&format!("error: {why}"));
    }
    if let Some(why) = confined::why(&outcome.end) {
        say(&format!("error: {why}"));
        let held = |layer: &&sandbox::Layer| !layer.held;
        for layer in outcome.layers.iter().filter(held) {
            say(&format!("hint: {} is not in force: {}", layer.name, layer.note));
        }
    }
    Ok(())
}

fn exit_code(end: &End) -> ExitCode {
    match end {
        End::Exited(code) => ExitCode::from(u8::try_from(*code).unwrap_or(sandbox::REFUSED)),
        _ => ExitCode::from(sandbox::REFUSED),
    }
}

fn run_report(outcome: sandbox::Outcome, beside: Option<String>) -> json::SandboxRun {
    let (end, detail) = match outcome.end {
        End::Exited(code) => ("exited", Some(code.to_string())),
        End::Signalled(signal) => ("signalled", Some(signal.to_string())),
        End::OutOfTime => ("out-of-time", None),
        End::TooManyProcesses => ("too-many-processes", None),
        End::TooMuchMemory => ("too-much-memory", None),
        End::TooMuchOutput => ("too-much-output", None),
        End::Cancelled => ("cancelled", None),
        End::NotStarted(why) => ("not-started", Some(why)),
        End::Refused(why) => ("refused", Some(why)),
    };
    let layer = |layer: sandbox::Layer| json::SandboxLayer {
        name: layer.name,
        held: layer.held,
        note: layer.note,
    };
    json::SandboxRun {
        end,
        detail,
        stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&outcome.stderr).into_owned(),
        beside,
        layers: outcome.layers.into_iter().map(layer).collect(),
    }
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
        run: None,
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
