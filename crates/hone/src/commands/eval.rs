//! `hone eval triggers`: every suite against the whole library, without a model.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hone_learn::land::MAX_SUITE;
use hone_library::{Change, Listed, Store};
use hone_router::{
    Index, Report, SUITE_FILE, SkillText, Suite, confusion_svg, evaluate, propose_suite,
    read_suite, skill_text, suite_of, unreached_by_description,
};

use super::change::report;
use super::match_message::{open_index, tell_broken_suite, understood};
use crate::cli::Writing;
use crate::context::Context;
use crate::json::matching::{EvalReport, EvalSkill};
use crate::output::{Failure, NO, Outcome, count, print, print_json, say};
use crate::terminal::printable_line;

/// Skills and messages that are printed of each kind.
const MAX_SHOWN: usize = 10;

/// What to evaluate.
pub(crate) struct What<'w> {
    pub(crate) names: &'w [String],
    pub(crate) suite: Option<&'w Path>,
    pub(crate) all: bool,
    pub(crate) plot: Option<&'w Path>,
}

pub(crate) fn triggers(context: &Context, what: &What<'_>, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let skills = &catalogue.skills;
    let mut wanted = Vec::new();
    for name in what.names {
        let skill = context.skill(&catalogue, name)?;
        let place = skills.iter().position(|other| other.path == skill.path);
        wanted.push(place.ok_or_else(|| {
            Failure::no(format!("`{name}` is not offered here"), "`hone list --all` says why")
        })?);
    }
    let (mut suites, is_broken) = suites(context, skills, what, &wanted)?;
    let cases = suites.iter().flat_map(|(_, suite)| &suite.cases);
    let asked: Vec<String> = cases.map(|case| case.query.clone()).collect();
    let opened = Index::open(&context.state, &catalogue.roots, skills);
    let index = understood(context, &catalogue, opened.index, &asked);
    if suites.is_empty() && !what.all && !is_broken {
        let hint = "write one: `hone eval triggers NAME --propose`";
        return Err(Failure::no("there is no triggers.json to evaluate", hint));
    }
    suites.sort_by_key(|(skill, _)| *skill);
    let texts = |skill: usize| -> SkillText { skill_text(&skills[skill]).0 };
    let for_models = |skill: usize| skills[skill].summary.model_invocable;
    let mut report = evaluate(&index, &texts, &suites, &for_models);
    let mut described = 0;
    if what.all {
        let without: Vec<(usize, &str)> = skills
            .iter()
            .enumerate()
            .filter(|(place, _)| suites.iter().all(|(skill, _)| skill != place))
            .map(|(place, skill)| (place, skill.summary.description.as_str()))
            .collect();
        described = without.len();
        report.unreached.extend(unreached_by_description(&index, &without));
        report.unreached.sort_unstable();
    }
    let has_nothing_to_draw = what.plot.is_some() && report.skills.is_empty();
    if let Some(file) = what.plot.filter(|_| !has_nothing_to_draw) {
        let svg = confusion_svg(&report, &|skill| skills[skill].summary.name.clone());
        std::fs::write(file, svg).map_err(|error| {
            let hint = "name a file in a folder that can be written to";
            Failure::failed(format!("could not write `{}`: {error}", file.display()), hint)
        })?;
    }
    let is_good = !is_broken
        && !has_nothing_to_draw
        && report.stolen.is_empty()
        && report.unreached.is_empty()
        && report.total.misses + report.total.near_misses_called == 0;
    let code = if is_good { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    let json = EvalReport::of(&report, skills);
    if has_nothing_to_draw {
        say("note: no skill has a suite, so there is nothing to draw");
    }
    if as_json {
        return print_json(&json).map(|_| code);
    }
    show(&report, &json, described)?;
    if let Some(file) = what.plot.filter(|_| !has_nothing_to_draw) {
        say(&format!("wrote `{}`", file.display()));
    }
    Ok(code)
}

/// Writes a first suite for each of these skills that has none.
pub(crate) fn propose(context: &Context, names: &[String], as_json: bool) -> Outcome {
    let writing = Writing { dry_run: false, json: as_json, why: None };
    let mut code = ExitCode::SUCCESS;
    for name in names {
        let catalogue = context.catalogue()?;
        let skill = context.skill(&catalogue, name)?;
        let (text, _) = skill_text(&skill);
        let Some(suite) = Proposed::for_text(context, Some(&skill), &text, &Suite::default())?
        else {
            code = ExitCode::from(NO);
            continue;
        };
        let change = context.write(skill.key(), &writing, |store| {
            store.write_file(&skill, SUITE_FILE, suite.0.to_json().as_bytes(), false)
        })?;
        report(context, &change, &writing)?;
        suite.tell();
    }
    Ok(code)
}

/// A suite that is written together with a skill's text.
pub(crate) struct Proposed(Suite);

impl Proposed {
    /// The suite for a skill that is about to be written; none when it has one, which is told. Messages
    /// that are known already come first.
    pub(crate) fn of(
        context: &Context,
        planned: &Change,
        known: &Suite,
    ) -> Result<Option<Self>, Failure> {
        let key = &planned.path;
        let there = context.at_path(key).or_else(|| context.at_path(&key.join("SKILL.md")));
        let text = planned.files.iter().find_map(|file| described(file.after.as_deref()?));
        Self::for_text(context, there.as_ref(), &text.unwrap_or_default(), known)
    }

    /// The suite for a text that is, or will be, the one of a skill that may be there.
    fn for_text(
        context: &Context,
        there: Option<&Listed>,
        text: &SkillText,
        known: &Suite,
    ) -> Result<Option<Self>, Failure> {
        let why_not = |skill: &Listed| match suite_of(skill) {
            _ if skill.is_flat => {
                Some("it is a single file, which has no room for a triggers.json")
            }
            Ok(suite) if suite.cases.is_empty() => None,
            Ok(_) | Err(_) => Some("it has a triggers.json already"),
        };
        if let Some(why) = there.and_then(why_not) {
            say(&format!("note: {why}"));
            return Ok(None);
        }
        let catalogue = context.catalogue()?;
        let index = open_index(context, &catalogue);
        let is_there = |other: &Listed| there.is_some_and(|it| it.path == other.path);
        let own = catalogue.skills.iter().position(is_there);
        let suites: Vec<(usize, Suite)> = catalogue
            .skills
            .iter()
            .map(|skill| suite_of(skill).unwrap_or_default())
            .enumerate()
            .filter(|(_, suite)| !suite.cases.is_empty())
            .collect();
        let mut suite = known.clone();
        let proposed = propose_suite(&index, text, own, &suites);
        suite.take_in(proposed.cases, usize::MAX);
        Ok(Some(Self(suite)))
    }

    /// The suite of a skill with what was learned besides; none when it has all of that.
    pub(crate) fn more(skill: &Listed, learned: Suite) -> Option<Self> {
        // What is not read would be lost.
        let is_whole = |suite: &Suite| suite.left_out.is_none() && !skill.is_flat;
        let mut suite = suite_of(skill).ok().filter(is_whole)?;
        suite.take_in(learned.cases, MAX_SUITE).then_some(Self(suite))
    }

    /// The store that writes it, if there is one, with the text.
    pub(crate) fn with<'s>(proposed: Option<&Self>, store: Store<'s>) -> Store<'s> {
        match proposed {
            Some(Self(suite)) => store.with_file(SUITE_FILE, suite.to_json().into_bytes()),
            None => store,
        }
    }

    /// Tells what it has.
    pub(crate) fn tell(&self) {
        let yes = self.0.cases.iter().filter(|case| case.should_trigger).count();
        say(&format!(
            "proposed {SUITE_FILE}: {yes} that should call it, {} that should not; read it before you rely \
             on it",
            self.0.cases.len() - yes
        ));
    }
}

/// What a suite is proposed from; none for a file that is no skill.
fn described(text: &[u8]) -> Option<SkillText> {
    let skill = hone_skill::read(text, None).skill?;
    Some(SkillText { name: skill.name, description: skill.description, ..SkillText::default() })
}

/// The suites to evaluate, and whether one of them cannot be read whole, which is told.
fn suites(
    context: &Context,
    skills: &[Listed],
    what: &What<'_>,
    wanted: &[usize],
) -> Result<(Vec<(usize, Suite)>, bool), Failure> {
    if let Some(file) = what.suite {
        let &[skill] = wanted else {
            let hint = "hone eval triggers NAME --suite FILE";
            return Err(Failure::failed("a suite belongs to one skill: name it", hint));
        };
        let path = context.around.cwd.join(file);
        let suite = read_suite(&path).map_err(|error| {
            let hint = "a suite is a list of {\"query\": \"…\", \"should_trigger\": true}";
            Failure::failed(format!("`{}`: {error}", file.display()), hint)
        })?;
        let is_broken = tell_wrong(&file.display().to_string(), &suite);
        return Ok((vec![(skill, suite)], is_broken));
    }
    let everything: Vec<usize> = (0..skills.len()).collect();
    let (mut found, mut is_broken) = (Vec::new(), false);
    for &place in if wanted.is_empty() { &everything } else { wanted } {
        match suite_of(&skills[place]) {
            Ok(suite) if suite.cases.is_empty() => {}
            Ok(suite) => {
                let path = skills[place].folder().join(SUITE_FILE);
                is_broken |= tell_wrong(&context.shown(&path), &suite);
                found.push((place, suite));
            }
            Err(error) => {
                tell_broken_suite(context, &skills[place], &error);
                is_broken = true;
            }
        }
    }
    Ok((found, is_broken))
}

/// Says what is wrong with a suite; false when that is nothing.
fn tell_wrong(shown: &str, suite: &Suite) -> bool {
    let problem = suite.problem();
    if let Some(problem) = &problem {
        say(&format!("warning: `{shown}`: {problem}"));
    }
    problem.is_some()
}

fn show(report: &Report, json: &EvalReport, described: usize) -> Outcome {
    let total = &report.total;
    let mut text = String::new();
    if described > 0 {
        let _ = writeln!(
            text,
            "{} without a suite, asked by their own description",
            count(described, "skill")
        );
    }
    if report.skills.is_empty() {
        let other = if described > 0 { "other " } else { "" };
        let _ = writeln!(text, "no skill has a suite, so no {other}message was asked");
    } else {
        let _ = writeln!(
            text,
            "{} with a suite: first for {} of {}; precision {:.2}, recall {:.2}, F1 {:.2} by their own suites\n\
             near-misses: {} of {} stay quiet; off-topic: {} of {}",
            count(report.skills.len(), "skill"),
            report.skills.iter().map(|skill| skill.first).sum::<usize>(),
            count(total.hits + total.misses, "message"),
            total.precision(),
            total.recall(),
            total.f1(),
            total.near_misses - total.near_misses_called,
            total.near_misses,
            total.off_topic - total.off_topic_called,
            total.off_topic
        );
    }
    let messages = |skill: &EvalSkill| skill.figures.hits + skill.figures.misses;
    let is_bad = |skill: &&EvalSkill| skill.figures.f1 < 1.0 || skill.first < messages(skill);
    let worst: Vec<&EvalSkill> = json.skills.iter().filter(is_bad).take(MAX_SHOWN).collect();
    if !worst.is_empty() {
        text.push_str("\nWorst descriptions:\n");
    }
    for skill in worst {
        let _ = writeln!(
            text,
            "  {}: first for {} of {}, F1 {:.2} (precision {:.2}, recall {:.2})",
            printable_line(&skill.name),
            skill.first,
            messages(skill),
            skill.figures.f1,
            skill.figures.precision,
            skill.figures.recall
        );
        if let Some(suggestion) = &skill.suggestion {
            let _ = writeln!(text, "    {}", printable_line(suggestion));
        }
    }
    if !json.stolen.is_empty() {
        let _ = writeln!(text, "\nStolen messages ({}):", json.stolen.len());
    }
    for stolen in json.stolen.iter().take(MAX_SHOWN) {
        let _ = writeln!(
            text,
            "  {} → {}: {}",
            printable_line(&stolen.from),
            printable_line(&stolen.by),
            printable_line(&stolen.query)
        );
    }
    if !json.missed.is_empty() {
        let _ = writeln!(text, "\nMissed messages ({}):", json.missed.len());
    }
    for missed in json.missed.iter().take(MAX_SHOWN) {
        let (name, query) = (printable_line(&missed.name), printable_line(&missed.query));
        let _ = writeln!(text, "  {name}: {query}");
    }
    if !json.false_alarms.is_empty() {
        let _ = writeln!(text, "\nNear-misses that call ({}):", json.false_alarms.len());
    }
    for alarm in json.false_alarms.iter().take(MAX_SHOWN) {
        let (name, query) = (printable_line(&alarm.name), printable_line(&alarm.query));
        let _ = writeln!(text, "  {name}: {query}");
    }
    if !json.unreached.is_empty() {
        let names = json.unreached.join(", ");
        let _ = writeln!(text, "\nNothing reaches: {}", printable_line(&names));
    }
    print(&text)
}
