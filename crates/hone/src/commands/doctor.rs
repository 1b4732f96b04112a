//! `hone doctor`: everything that keeps skills from working, and what to do about it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use hone_guard::Verdict;
use hone_guard::policy::Policy;
use hone_guard::sandbox::{Layer, Plan};
use hone_library::{Catalogue, Config, Listed, Project, Reason, Skipped, reports};
use hone_router::{SUITE_FILE, suite_of};

use super::list::counts;
use super::policy::configured;
use super::scan::known_verdict;
use super::{confined, connect};
use crate::cli::Places;
use crate::context::{Context, shown_from, surroundings};
use crate::json::{Doctor, DoctorCheck};
use crate::output::{NO, Outcome, count, print, print_json, quoted};
use crate::terminal::printable;

/// Most findings of one kind that are printed one by one.
const MOST: usize = 20;
/// Skills that are named in a command to type.
const NAMED: usize = 5;

pub(crate) fn run(places: Places, as_json: bool) -> Outcome {
    let mut checks = Vec::new();
    let around = surroundings()?;
    let path = Config::path(&around.hone_home);
    let shown = shown_from(&around, &path);
    let config = match Config::load(&around.hone_home) {
        Ok(config) => {
            let message = if path.exists() {
                format!("`{shown}` is fine")
            } else {
                format!("the defaults count: there is no `{shown}`")
            };
            checks.push(good("configuration", &message));
            config
        }
        Err(error) => {
            let hint = format!("mend `{shown}`; until then, only `hone doctor` works");
            checks.push(bad("configuration", &error.to_string(), Some(&hint)));
            Config::default()
        }
    };
    examine(&Context::with(around, config, places), &mut checks);
    let is_bad = checks.iter().any(|check| check.status == "bad");
    if as_json {
        print_json(&Doctor { checks })?;
    } else {
        let mut text = String::new();
        for check in &checks {
            let mark = match check.status {
                "good" => "ok  ",
                "warning" => "warn",
                _ => "BAD ",
            };
            let message = check.message.replace('\n', "\n     ");
            text.push_str(&printable(&format!("{mark} {}: {message}\n", check.name)));
            if let Some(hint) = &check.hint {
                text.push_str(&printable(&format!("     hint: {hint}\n")));
            }
        }
        print(&text)?;
    }
    Ok(if is_bad { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

fn examine(context: &Context, checks: &mut Vec<DoctorCheck>) {
    let database = context.shown(&context.around.hone_home.join("state.db"));
    match (context.state.problem(), context.state.integrity()) {
        (Some(problem), _) => {
            checks.push(bad("state", &problem, Some("listing works, writing does not")));
        }
        (None, Ok(findings)) if findings.is_empty() => {
            checks.push(good("state", &format!("`{database}` is sound")));
        }
        (None, Ok(findings)) => {
            let hint = "move `state.db` away: history, trust and usage start anew";
            checks.push(bad("state", &findings.join("; "), Some(hint)));
        }
        (None, Err(error)) => checks.push(bad("state", &error.to_string(), None)),
    }
    for note in context.state.take_notes() {
        checks.push(warning("state", &note, None));
    }
    if let Some(project) = Project::find(&context.around) {
        let is_trusted = context.state.is_trusted(&project.root);
        let word = if is_trusted { "trusted" } else { "not trusted" };
        checks.push(good("project", &format!("`{}` is {word}", context.shown(&project.root))));
    }
    match context.catalogue() {
        Ok(catalogue) => skills(context, &catalogue, checks),
        Err(failure) => {
            checks.push(bad("skills", &failure.to_string(), failure.hint().as_deref()));
        }
    }
    match configured(context) {
        Ok(policy) => checks.push(good("policy", &policy_words(&policy))),
        Err(failure) => {
            checks.push(bad("policy", &failure.to_string(), failure.hint().as_deref()));
        }
    }
    connect::checks(context, &mut |check| checks.push(check));
    checks.push(sandbox(context));
    let editor = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok());
    match editor.filter(|editor| !editor.trim().is_empty()) {
        Some(editor) => checks.push(good("editor", &format!("`{editor}`"))),
        None => {
            checks.push(warning("editor", "`EDITOR` is not set", Some("`hone edit` tries `vi`")));
        }
    }
}

/// Whether the table is the default one, and who is trusted.
fn policy_words(policy: &Policy) -> String {
    let cells = policy.table().iter().flat_map(|(origin, _)| {
        Verdict::ALL.into_iter().map(|verdict| policy.decide(*origin, verdict).is_tightened)
    });
    let table = match cells.filter(|is_tightened| *is_tightened).count() {
        0 => "the default table counts".to_owned(),
        tightened => format!("{} tighter than the default", count(tightened, "cell")),
    };
    format!("{table}, {} trusted", count(policy.trusted().len(), "source"))
}

/// Whether commands of skills can be confined here: tried with one that does nothing.
fn sandbox(context: &Context) -> DoctorCheck {
    let outcome = match confined::run(&Plan::new(["true"])) {
        Ok(outcome) => outcome,
        Err(failure) => return no_sandbox(context, &failure.to_string()),
    };
    if let Some(why) = confined::why(&outcome.end) {
        return no_sandbox(context, &why);
    }
    let (held, missing): (Vec<&Layer>, Vec<&Layer>) =
        outcome.layers.iter().partition(|layer| layer.held);
    let names: Vec<&str> = held.iter().map(|layer| layer.name.as_str()).collect();
    let mut message = format!("commands of skills are confined by {}", names.join(", "));
    for layer in missing {
        let _ = write!(message, "\nnot in force here: {} ({})", layer.name, layer.note);
    }
    good("sandbox", &message)
}

fn no_sandbox(context: &Context, why: &str) -> DoctorCheck {
    let hint = if context.config.sandbox.unconfined {
        "commands of skills run all the same: `sandbox.unconfined` is on"
    } else {
        "commands of skills are refused; install `bwrap`, or use a kernel with Landlock"
    };
    warning("sandbox", why, Some(hint))
}

fn skills(context: &Context, catalogue: &Catalogue, checks: &mut Vec<DoctorCheck>) {
    let roots = catalogue.roots.iter().map(|root| context.shown(&root.path)).collect::<Vec<_>>();
    let looked = if roots.is_empty() {
        "no folder of skills was found".to_owned()
    } else {
        roots.join(", ")
    };
    checks.push(good("roots", &looked));
    let skipped = match catalogue.skipped.len() {
        0 => "nothing skipped".to_owned(),
        count => format!("{count} skipped ({})", counts(&catalogue.skipped)),
    };
    checks.push(good("skills", &format!("{} offered, {skipped}", catalogue.skills.len())));
    let broken =
        |reason: Reason| matches!(reason, Reason::Broken | Reason::FileName | Reason::Closed);
    for skipped in catalogue.skipped.iter().filter(|skipped| broken(skipped.reason)).take(MOST) {
        let path = context.shown(&skipped.path);
        let hint = format!("`hone check {}`", context.typed(&skipped.path));
        checks.push(bad("skill", &format!("{path}: {}", skipped.message), Some(&hint)));
    }
    dangerous(context, catalogue, checks);
    let with_suite = catalogue.skills.iter().filter(|skill| skill.has_suite);
    let wrong = with_suite.filter_map(|skill| {
        let why = match suite_of(skill) {
            Ok(suite) => suite.problem()?,
            Err(error) => error.to_string(),
        };
        Some((skill.folder().join(SUITE_FILE), why))
    });
    for (path, why) in wrong.take(MOST) {
        let hint = "`hone eval triggers` asks what is left of it";
        checks.push(warning("suite", &format!("{}: {why}", context.shown(&path)), Some(hint)));
    }
    for skipped in
        catalogue.skipped.iter().filter(|skipped| skipped.reason == Reason::TooDeep).take(MOST)
    {
        let path = context.shown(&skipped.path);
        checks.push(warning("skill", &format!("{path}: {}", skipped.message), None));
    }
    let withheld = |skipped: &&Skipped| skipped.reason == Reason::Untrusted;
    let withheld = catalogue.skipped.iter().filter(withheld).count();
    if withheld > 0 {
        let message = format!("{} withheld until it is trusted", count(withheld, "skill"));
        let hint = "read them (`hone list --all`), then `hone trust`";
        checks.push(warning("project", &message, Some(hint)));
    }
    let mut slugs: Vec<(&str, &str)> = catalogue
        .skills
        .iter()
        .map(|skill| (skill.summary.slug.as_str(), skill.summary.name.as_str()))
        .collect();
    slugs.sort_unstable();
    for pair in slugs.windows(2).filter(|pair| pair[0].0 == pair[1].0).take(MOST) {
        checks.push(warning(
            "skill",
            &format!("`{}` and `{}` share the slug `{}`", pair[0].1, pair[1].1, pair[0].0),
            Some("rename one of them"),
        ));
    }
    let noted: Vec<Cow<'_, str>> = catalogue
        .skills
        .iter()
        .filter(|skill| !skill.notes.is_empty())
        .map(|skill| quoted(&skill.summary.name))
        .collect();
    if !noted.is_empty() {
        let named = noted[..noted.len().min(NAMED)].join(" ");
        checks.push(warning(
            "format",
            &format!("{} not quite right, but readable", count(noted.len(), "skill")),
            Some(&format!("`hone check --profile lenient {named}`")),
        ));
    }
}

/// Skills that the last scan called dangerous, and that are still the same.
fn dangerous(context: &Context, catalogue: &Catalogue, checks: &mut Vec<DoctorCheck>) {
    let known = reports::with_verdict(&context.state, Verdict::Dangerous.word());
    let known: HashSet<PathBuf> = known.into_iter().map(|(path, _)| path).collect();
    let is_known = |skill: &&Listed| {
        skill.key().canonicalize().is_ok_and(|path| known.contains(&path))
            && known_verdict(&context.state, skill) == Some(Verdict::Dangerous)
    };
    let hidden = catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
    for skill in catalogue.skills.iter().chain(hidden).filter(is_known).take(MOST) {
        let message = format!("the scan of {} says dangerous", context.shown(skill.key()));
        let hint = format!("`hone scan {}` says why", context.typed(skill.key()));
        checks.push(bad("skill", &message, Some(&hint)));
    }
}

fn check(name: &str, status: &'static str, message: &str, hint: Option<&str>) -> DoctorCheck {
    DoctorCheck {
        name: name.to_owned(),
        status,
        message: message.to_owned(),
        hint: hint.map(str::to_owned),
    }
}

fn good(name: &str, message: &str) -> DoctorCheck {
    check(name, "good", message, None)
}

fn warning(name: &str, message: &str, hint: Option<&str>) -> DoctorCheck {
    check(name, "warning", message, hint)
}

fn bad(name: &str, message: &str, hint: Option<&str>) -> DoctorCheck {
    check(name, "bad", message, hint)
}
