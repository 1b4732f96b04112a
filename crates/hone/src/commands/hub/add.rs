//! `hone add`, and what became of skills that arrived.

use hone_hub::{
    Delivery, Dismiss, Fate, Hub, Nobody, OfferStanding, Offered, Opened, Outcome as Arrived,
    Target, Wanted, parse,
};
use hone_library::State;

use super::super::policy::place_of;
use super::{Desk, author, code, fetch_failure, hub_failure, person, shown};
use crate::cli::Add;
use crate::context::Context;
use crate::json::hub::Arrivals;
use crate::output::{Failure, Outcome, count, print, print_json, quoted, say};
use crate::terminal::style;

/// Whether something was done or only tried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rehearsal {
    Yes,
    No,
}

pub(super) fn add(context: &Context, add: &Add) -> Outcome {
    let source = parse(&add.source).map_err(|error| {
        Failure::failed(error.to_string(), "`hone add --help` lists what a source can be")
    })?;
    let desk = Desk::open(context, add.whose, add.network)?;
    let opened = desk.fetcher.open(&source);
    desk.live.clear();
    let opened = opened.map_err(|error| fetch_failure(&error))?;
    let Some(wanted) = wanted(&opened, add)? else {
        say("nothing was chosen");
        return Ok(code(true));
    };
    let fetched = opened.take(&wanted);
    desk.live.clear();
    let delivery: Delivery = fetched.map_err(|error| fetch_failure(&error))?.into();
    let dismiss = dismissals(add, &delivery)?;
    if add.dry_run {
        let outcomes = rehearse(&desk, delivery, &dismiss)?;
        return report(context, outcomes, add.json, Rehearsal::Yes);
    }
    let outcomes = desk
        .act(add.yes, |hub, ask| hub.add_delivered(&desk.target, delivery, &[], &dismiss, ask))?;
    report(context, outcomes, add.json, Rehearsal::No)
}

/// Which skills are wanted: those that were named, the only one there is, or those that a person picks.
fn wanted(opened: &Opened, add: &Add) -> Result<Option<Wanted>, Failure> {
    if !add.skill.is_empty() {
        return Ok(Some(Wanted::Named(add.skill.clone())));
    }
    let open: Vec<&Offered> =
        opened.offered.iter().filter(|one| one.standing == OfferStanding::Open).collect();
    if add.all || open.len() < 2 || opened.source.skill.is_some() {
        return Ok(Some(Wanted::All));
    }
    if let Some(chosen) = person::which(&open)? {
        let paths: Vec<String> = chosen.into_iter().map(|one| one.path.clone()).collect();
        return Ok((!paths.is_empty()).then_some(Wanted::Named(paths)));
    }
    const SHOWN: usize = 20;
    let names: Vec<&str> = open.iter().take(SHOWN).map(|one| one.name.as_str()).collect();
    let more = if open.len() > SHOWN { ", …" } else { "" };
    Err(Failure::no(
        format!(
            "`{}` offers {}: {}{more}",
            opened.source,
            count(open.len(), "skill"),
            names.join(", ")
        ),
        "name them with `--skill NAME`, or take them with `--all`",
    ))
}

/// The findings to set aside, of the one skill that is wanted.
fn dismissals(add: &Add, delivery: &Delivery) -> Result<Vec<Dismiss>, Failure> {
    let Some(reason) = &add.reason else { return Ok(Vec::new()) };
    let [bundle] = delivery.bundles.as_slice() else {
        return Err(Failure::failed(
            "findings are dismissed one skill at a time",
            "name the skill with `--skill NAME`",
        ));
    };
    let dismiss = |text: &String| {
        let (rule, place) = match text.split_once('@') {
            Some((rule, place)) => (rule, Some(place_of(place)?)),
            None => (text.as_str(), None),
        };
        let (skill, rule) = (bundle.name.clone(), rule.to_owned());
        Ok(Dismiss { skill, rule, place, reason: reason.clone() })
    };
    add.dismiss.iter().map(dismiss).collect()
}

/// Goes all the way, in a folder that is gone afterwards.
fn rehearse(
    desk: &Desk<'_>,
    delivery: Delivery,
    dismiss: &[Dismiss],
) -> Result<Vec<Arrived>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::failed(format!("could not make a temporary folder: {error}"), "")
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let state = State::open(&folder.path().join("state"));
    let base = folder.path().join("base");
    std::fs::create_dir(&base).map_err(failed)?;
    let target = Target { lock: base.join("hone.lock"), base, ..desk.target.clone() };
    let hub = Hub { state: &state, author: author(), ..desk.hub() };
    let outcomes =
        hub.add_delivered(&target, delivery, &[], dismiss, &mut Nobody).map_err(hub_failure)?;
    Ok(outcomes
        .into_iter()
        .map(|outcome| match outcome.path.strip_prefix(&target.base) {
            Ok(below) => Arrived { path: desk.target.base.join(below), ..outcome },
            Err(_) => outcome,
        })
        .collect())
}

/// Prints what became of skills; exit code 1 when one is not what was asked for.
pub(super) fn report(
    context: &Context,
    outcomes: Vec<Arrived>,
    as_json: bool,
    rehearsal: Rehearsal,
) -> Outcome {
    let is_good = outcomes.iter().all(|outcome| outcome.fate.is_good());
    let dry_run = rehearsal == Rehearsal::Yes;
    if as_json {
        let skills = outcomes.into_iter().map(shown::arrival).collect();
        print_json(&Arrivals { skills, dry_run })?;
        return Ok(code(is_good));
    }
    let page: String =
        outcomes.iter().map(|outcome| shown::outcome(context, outcome, style())).collect();
    print(&page)?;
    if dry_run {
        say("this is what would happen; nothing was installed");
        return Ok(code(is_good));
    }
    for outcome in &outcomes {
        if let Fate::Waits { id, .. } = &outcome.fate {
            say(&format!(
                "hint: `hone approve {id}` installs {}, `hone approve {id} --show` shows it, `--reject` drops it",
                quoted(&outcome.name)
            ));
        }
    }
    if outcomes.iter().any(|outcome| matches!(outcome.fate, Fate::Blocked(_))) {
        say("hint: a finding that is no danger is set aside with \
             `hone add SOURCE --skill NAME --dismiss RULE --reason WHY`");
    }
    Ok(code(is_good))
}
