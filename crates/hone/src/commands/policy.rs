//! `hone policy`.

use std::fmt::Write as _;
use std::process::ExitCode;

use hone_guard::policy::{Policy, dismissal};
use hone_guard::{Report, Verdict, scan};
use hone_library::Listed;
use hone_library::usage::iso;
use hone_skill::{Dismissal, Origin};

use crate::cli::PolicyCommand;
use crate::context::{Context, actor, now};
use crate::json;
use crate::output::{Failure, Outcome, print, print_json, say};
use crate::terminal::{hung, printable_line, room};

pub(crate) fn policy(context: &Context, command: Option<PolicyCommand>, as_json: bool) -> Outcome {
    match command.unwrap_or(PolicyCommand::Show) {
        PolicyCommand::Show => show(&configured(context)?, as_json),
        PolicyCommand::Explain { origin, verdict } => {
            explain(&configured(context)?, &origin, &verdict, as_json)
        }
        PolicyCommand::Dismiss { skill, rule, place, reason, days } => {
            let (skill, report) = scanned(context, &skill)?;
            let place = place.as_deref().map(place_of).transpose()?;
            let place = place.as_ref().map(|(file, line)| (file.as_str(), *line));
            let name = &skill.summary.name;
            let one = dismissal(&report, name, &rule, place, &reason, &actor(), days, now())
                .map_err(|message| Failure::no(message, ""))?;
            context.state.dismiss(&one)?;
            say(&format!(
                "dismissed `{}` at {}:{} of `{name}` until {}",
                one.rule,
                one.file,
                one.line,
                iso(one.expires)
            ));
            left(context, as_json)
        }
        PolicyCommand::Withdraw { skill, rule, place } => {
            let place = place.as_deref().map(place_of).transpose()?;
            withdraw(context, &skill, &rule, place.as_ref())?;
            left(context, as_json)
        }
        PolicyCommand::Dismissals => dismissals(context, as_json),
    }
}

/// The policy of the configuration; one that is broken stops everything.
pub(crate) fn configured(context: &Context) -> Result<Policy, Failure> {
    let settings = &context.config.policy;
    Policy::new(settings.trusted.as_deref(), &settings.table).map_err(|error| {
        Failure::failed(error.to_string(), "mend `config.toml` (`hone config path`)")
    })
}

fn cells(policy: &Policy) -> Vec<json::PolicyCell> {
    let cells = policy.table().iter().flat_map(|(origin, _)| {
        Verdict::ALL.into_iter().map(move |verdict| cell(policy, *origin, verdict))
    });
    cells.collect()
}

fn cell(policy: &Policy, origin: Origin, verdict: Verdict) -> json::PolicyCell {
    let ruling = policy.decide(origin, verdict);
    json::PolicyCell {
        origin: origin.id(),
        verdict: verdict.word(),
        action: ruling.action.id(),
        tightened: ruling.is_tightened,
    }
}

fn show(policy: &Policy, as_json: bool) -> Outcome {
    let trusted: Vec<String> = policy.trusted().iter().map(ToString::to_string).collect();
    if as_json {
        return print_json(&json::Policy { table: cells(policy), trusted });
    }
    // Forty columns hold it: each is as wide as its word or `allow*`.
    const WIDTHS: [usize; Verdict::ALL.len()] = [7, 9, 9];
    let mut page = format!("{:<15}", "");
    for (verdict, width) in Verdict::ALL.iter().zip(WIDTHS) {
        let _ = write!(page, "{:<width$}", verdict.word());
    }
    let mut is_tightened = false;
    for row in cells(policy).chunks(Verdict::ALL.len()) {
        let _ = write!(page, "\n{:<15}", row[0].origin);
        for (cell, width) in row.iter().zip(WIDTHS) {
            let mark = if cell.tightened { "*" } else { "" };
            is_tightened |= cell.tightened;
            let _ = write!(page, "{:<width$}", format!("{}{mark}", cell.action));
        }
    }
    let mut page = page.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    page.push('\n');
    if is_tightened {
        page.push_str("* tighter than the default\n");
    }
    let sources = if trusted.is_empty() { "none".to_owned() } else { trusted.join(", ") };
    let sources = hung("trusted sources: ", &printable_line(&sources), room());
    let _ = writeln!(page, "\n{sources}");
    print(&page)
}

fn explain(policy: &Policy, origin: &str, verdict: &str, as_json: bool) -> Outcome {
    let known = Origin::ALL.into_iter().find(|known| known.id() == origin);
    let origin = match known {
        Some(origin) => origin,
        None if origin.contains('/') => policy.origin_of(origin),
        None => {
            let all = Origin::ALL.map(Origin::id).join(", ");
            return Err(Failure::failed(
                format!("there is no origin `{origin}`"),
                &format!("there are {all}; or name a source such as openai/skills"),
            ));
        }
    };
    let Some(verdict) = Verdict::ALL.into_iter().find(|known| known.word() == verdict) else {
        let all = Verdict::ALL.map(Verdict::word).join(", ");
        let message = format!("there is no verdict `{verdict}`");
        return Err(Failure::failed(message, &format!("there are {all}")));
    };
    let ruling = policy.decide(origin, verdict);
    if as_json {
        let cell = cell(policy, origin, verdict);
        return print_json(&json::Explained { cell, why: ruling.why });
    }
    let why = hung("", &ruling.why, room());
    print(&format!("{} × {}: {}\n{why}\n", origin.id(), verdict, ruling.action))
}

fn scanned(context: &Context, name: &str) -> Result<(Listed, Report), Failure> {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let report = scan(skill.key())
        .map_err(|error| Failure::failed(format!("could not scan `{name}`: {error}"), ""))?;
    Ok((skill, report))
}

/// `FILE:LINE`.
/// A place as it is typed: `FILE:LINE`.
pub(super) fn place_of(text: &str) -> Result<(String, usize), Failure> {
    let place =
        text.rsplit_once(':').and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
    place.ok_or_else(|| {
        Failure::failed(format!("`{text}` is not FILE:LINE"), "for example SKILL.md:12")
    })
}

fn withdraw(
    context: &Context,
    skill: &str,
    rule: &str,
    place: Option<&(String, usize)>,
) -> Result<(), Failure> {
    let all = context.state.dismissals()?;
    let meant: Vec<&Dismissal> = all
        .iter()
        .filter(|one| one.skill == skill && one.rule == rule)
        .filter(|one| place.is_none_or(|(file, line)| one.file == *file && one.line == *line))
        .collect();
    let hint = "`hone policy dismissals` lists them";
    match meant.as_slice() {
        [] => Err(Failure::no(format!("no finding of `{rule}` in `{skill}` is dismissed"), hint)),
        [one] => {
            context.state.withdraw(one)?;
            say(&format!("`{rule}` at {}:{} of `{skill}` counts again", one.file, one.line));
            Ok(())
        }
        _ => Err(Failure::no(
            format!("several findings of `{rule}` are dismissed: name one, as FILE:LINE"),
            hint,
        )),
    }
}

fn left(context: &Context, as_json: bool) -> Outcome {
    if as_json { dismissals(context, true) } else { Ok(ExitCode::SUCCESS) }
}

fn dismissals(context: &Context, as_json: bool) -> Outcome {
    let all = context.state.dismissals()?;
    let now = now();
    if as_json {
        let dismissals = all.into_iter().map(|one| json::DismissedFinding {
            expired: one.expires <= now,
            skill: one.skill,
            rule: one.rule,
            file: one.file,
            line: one.line,
            digest: one.digest,
            reason: one.reason,
            actor: one.actor,
            at: iso(one.at),
            expires: iso(one.expires),
        });
        return print_json(&json::Dismissals { dismissals: dismissals.collect() });
    }
    if all.is_empty() {
        say("no finding is dismissed");
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = String::new();
    for one in &all {
        let word = if one.expires <= now { "expired" } else { "until" };
        let line = format!(
            "{}  {}  {}:{}  {word} {}  by {}: {}",
            one.skill,
            one.rule,
            one.file,
            one.line,
            iso(one.expires),
            one.actor,
            one.reason
        );
        let _ = writeln!(page, "{}", printable_line(&line));
    }
    print(&page)
}
