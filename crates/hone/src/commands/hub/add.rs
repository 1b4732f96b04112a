//! `hone add` and `hone update`, and what became of skills that arrived.

use hone_hub::{
    Delivery, Dismiss, Fate, MAX_NEWCOMERS, Manner, OfferStanding, Offered, Opened,
    Outcome as Arrived, Rehearsal, Wanted, parse,
};
use hone_library::{Project, canonical_or_same};

use super::super::change::tell_untrusted;
use super::super::policy::place_of;
use super::{Desk, code, edits, fetch_failure, person, shown};
use crate::cli::{Add, Dismissing, Update};
use crate::context::Context;
use crate::json::hub::Arrivals;
use crate::output::{Failure, Outcome, count, print, print_json, quoted, say};
use crate::terminal::style;

pub(super) fn add(context: &Context, add: &Add) -> Outcome {
    let source = parse(&add.source).map_err(|error| {
        let here = context.around.cwd.join(&add.source);
        let hint = if !add.source.is_empty() && here.is_dir() {
            let typed = format!("./{}", add.source);
            format!("for the folder that is here: `hone add {}`", quoted(&typed))
        } else if here.is_file() {
            "it is a file here, and no archive; name a folder with a `SKILL.md`".to_owned()
        } else {
            "`hone add --help` lists what a source can be".to_owned()
        };
        Failure::failed(error.to_string(), &hint)
    })?;
    let desk = Desk::open(context, add.whose, add.network)?;
    let opened = desk.fetcher.open(&source);
    desk.live.clear();
    let opened = opened.map_err(|error| fetch_failure(&error))?;
    let Some(wanted) = wanted(&opened, add)? else {
        say("nothing was chosen");
        return Ok(code(true));
    };
    if wanted == Wanted::All {
        passed_over(&opened.offered);
    }
    let fetched = opened.take(&wanted);
    desk.live.clear();
    let delivery: Delivery = fetched.map_err(|error| fetch_failure(&error))?.into();
    let names: Vec<String> = delivery.bundles.iter().map(|bundle| bundle.name.clone()).collect();
    let dismiss = dismissals(&add.dismissing, &names, "name the skill with `--skill NAME`")?;
    let rehearsal = rehearsal(add.dry_run);
    let manner = Manner { dismiss: &dismiss, rehearsal, ..Manner::default() };
    let outcomes =
        desk.act(add.yes, |hub, ask| hub.add_delivered(&desk.target, delivery, &[], &manner, ask))?;
    report(context, outcomes, add.json, Again { command: ADD_ONE, rehearsal })
}

/// Says which skills of a source are not among all of it.
fn passed_over(offered: &[Offered]) {
    const SHOWN: usize = 5;
    let over = |one: &Offered| match &one.standing {
        OfferStanding::Duplicate(path) => Some(format!("its name is that of `{path}`")),
        OfferStanding::Internal => {
            Some("it is internal; `--skill` takes it by its name".to_owned())
        }
        // It comes as a part of the one around it.
        OfferStanding::Nested(_) | OfferStanding::Open => None,
    };
    let over: Vec<(&Offered, String)> =
        offered.iter().filter_map(|one| over(one).map(|why| (one, why))).collect();
    for (one, why) in over.iter().take(SHOWN) {
        say(&format!("note: `{}` was passed over: {why}", one.path));
    }
    if let Some(more @ 1..) = over.len().checked_sub(SHOWN) {
        say(&format!("note: {more} more were passed over in the same way"));
    }
}

/// How one skill is added.
pub(super) const ADD_ONE: &str = "hone add SOURCE --skill NAME";

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

pub(super) fn update(context: &Context, update: &Update) -> Outcome {
    let desk = Desk::open(context, update.whose, update.network)?;
    let dismiss = dismissals(&update.dismissing, &update.name, "name one: `hone update NAME`")?;
    let rehearsal = rehearsal(update.dry_run);
    let manner = Manner { edits: edits(update.discard_edits), dismiss: &dismiss, rehearsal };
    let outcomes =
        desk.act(update.yes, |hub, ask| hub.update(&desk.target, &update.name, &manner, ask))?;
    if outcomes.is_empty() && !update.json {
        say("nothing is installed here that could be updated");
    }
    let again = Again { command: "hone update NAME", rehearsal };
    report(context, outcomes, update.json, again)
}

fn rehearsal(dry_run: bool) -> Rehearsal {
    if dry_run { Rehearsal::Yes } else { Rehearsal::No }
}

/// The findings to set aside, of the one skill that is meant.
pub(super) fn dismissals(
    dismissing: &Dismissing,
    skills: &[String],
    hint: &str,
) -> Result<Vec<Dismiss>, Failure> {
    let Some(reason) = &dismissing.reason else { return Ok(Vec::new()) };
    let [skill] = skills else {
        return Err(Failure::failed("findings are dismissed one skill at a time", hint));
    };
    let dismiss = |text: &String| {
        let (rule, place) = match text.split_once('@') {
            Some((rule, place)) => (rule, Some(place_of(place)?)),
            None => (text.as_str(), None),
        };
        Ok(Dismiss { skill: skill.clone(), rule: rule.to_owned(), place, reason: reason.clone() })
    };
    dismissing.dismiss.iter().map(dismiss).collect()
}

/// How many skills are new in the project's folders.
pub(super) fn new_in_project(context: &Context, outcomes: &[Arrived]) -> usize {
    let Some(project) = Project::find(&context.around) else { return 0 };
    let top = canonical_or_same(&project.root);
    let is_new = |one: &&Arrived| one.fate == Fate::Installed && one.path.starts_with(&top);
    outcomes.iter().filter(is_new).count()
}

/// The command that was typed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Again {
    /// How it is typed for one skill.
    pub(super) command: &'static str,
    pub(super) rehearsal: Rehearsal,
}

/// Prints what became of skills; exit code 1 when one is not what was asked for.
pub(super) fn report(
    context: &Context,
    outcomes: Vec<Arrived>,
    as_json: bool,
    again: Again,
) -> Outcome {
    let is_good = outcomes.iter().all(|outcome| outcome.fate.is_good());
    let dry_run = again.rehearsal == Rehearsal::Yes;
    let new = if dry_run { 0 } else { new_in_project(context, &outcomes) };
    if as_json {
        let skills = outcomes.into_iter().map(shown::arrival).collect();
        print_json(&Arrivals { skills, dry_run })?;
        tell_untrusted(context, new);
        return Ok(code(is_good));
    }
    let page: String =
        outcomes.iter().map(|outcome| shown::outcome(context, outcome, style())).collect();
    print(&page)?;
    let unasked = outcomes.iter().filter(|outcome| outcome.takes.is_unasked).count();
    if unasked > 0 {
        say(&format!(
            "note: which messages they would take from your skills was not asked: that is done for at most \
             {MAX_NEWCOMERS} at once, and these are {unasked}"
        ));
    }
    if dry_run {
        say("this is what would happen; nothing was changed");
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
    tell_untrusted(context, new);
    if outcomes.iter().any(|outcome| matches!(outcome.fate, Fate::Blocked(_))) {
        let command = again.command;
        say(&format!(
            "hint: a finding that is no danger is set aside with `{command} --dismiss RULE --reason WHY`"
        ));
    }
    Ok(code(is_good))
}
