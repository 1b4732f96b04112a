//! Finding skills, scanning them, and how they are used.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, Query, State};
use hone_guard::policy::judge;
use hone_guard::{Files, Report};
use hone_library::reports::{self, Kept};
use hone_library::usage::{self, iso};
use hone_library::{Catalogue, DEFAULT_BUDGET, Listed, Origin, Scope, standings};
use hone_router::{Match, Ranked, level0};

use super::proposals::records;
use super::shapes::{
    Finding, Matched, Matches, Message, Scanned, SearchQuery, Stats, UsedSkill, Why,
};
use crate::http::problem::{Answer, Body, Problem, bounded};
use crate::http::{Shared, Site, blocking};
use crate::seeker::Wanted;

/// Skills in an answer, unless another number is asked for.
const USUAL: usize = 10;
/// Characters of what is searched for.
const MAX_QUERY: usize = 10_000;
/// Characters of a message.
const MAX_MESSAGE: usize = 100_000;
/// Days whose uses are told.
const SHOWN_DAYS: u16 = 30;
/// Skills whose outcomes are told.
const MAX_OUTCOMES: usize = 500;
/// Skills in an answer at most.
const MAX_FOUND: usize = 50;

fn number(limit: Option<usize>) -> Answer<usize> {
    let limit = limit.unwrap_or(USUAL);
    let is_right = (1..=MAX_FOUND).contains(&limit);
    is_right
        .then_some(limit)
        .ok_or_else(|| Problem::wrong(format!("`limit` is between 1 and {MAX_FOUND}")))
}

fn matches(catalogue: &Catalogue, found: &[Match]) -> Matches {
    let matched = |found: &Match| {
        let skill = &catalogue.skills[found.skill];
        let reasons = found.reasons.iter();
        Matched {
            name: skill.summary.name.clone(),
            description: skill.summary.description.clone(),
            scope: skill.scope.id(),
            score: found.score,
            band: found.band.id(),
            reasons: reasons
                .map(|why| Why { part: why.part.id(), words: why.words.clone() })
                .collect(),
        }
    };
    Matches { matches: found.iter().map(matched).collect() }
}

async fn asked(site: &Site, words: String, most: usize, wanted: Wanted) -> Answer<Json<Matches>> {
    blocking(site, move |site| {
        let catalogue = site.catalogue();
        let found = site.seeker.find(&catalogue, &words, most, wanted);
        Ok(Json(matches(&catalogue, &found)))
    })
    .await
}

pub(crate) async fn search(
    State(site): State<Site>,
    Query(query): Query<SearchQuery>,
) -> Answer<Json<Matches>> {
    bounded("words", &query.words, 1..=MAX_QUERY)?;
    asked(&site, query.words, number(query.limit)?, Wanted::Words).await
}

pub(crate) async fn match_message(
    State(site): State<Site>,
    Body(message): Body<Message>,
) -> Answer<Json<Matches>> {
    bounded("message", &message.message, 1..=MAX_MESSAGE)?;
    asked(&site, message.message, number(message.limit)?, Wanted::About).await
}

/// The report on a skill, from those that are kept when it did not change.
pub(crate) fn report(site: &Shared, skill: &Listed) -> Answer<Report> {
    if skill.scope == Scope::Builtin {
        let text = hone_library::read_text(skill)?;
        return Ok(Files::of_text("SKILL.md", text).scan());
    }
    let files = Files::read(skill.key()).map_err(|error| Problem::internal(error.to_string()))?;
    let key = files.key();
    let before = reports::find(&site.state(), &key);
    if let Some(report) = before.and_then(|body| serde_json::from_str(&body).ok()) {
        return Ok(report);
    }
    let report = files.scan();
    let kept = Kept {
        path: skill.key().to_owned(),
        key,
        verdict: report.verdict.word().to_owned(),
        body: serde_json::to_string(&report).unwrap_or_default(),
    };
    reports::keep(&site.state(), &[kept], (site.now)());
    Ok(report)
}

pub(crate) async fn scan(
    State(site): State<Site>,
    Path(name): Path<String>,
) -> Answer<Json<Scanned>> {
    let scanned = blocking(&site, move |site| {
        let catalogue = site.catalogue();
        let skill = site.skill(&catalogue, &name)?;
        let report = report(site, skill)?;
        let dismissals = site.state().dismissals()?;
        let judged = judge(&report, &dismissals, (site.now)());
        Ok(Scanned {
            name: skill.summary.name.clone(),
            verdict: judged.verdict.word(),
            action: site.policy.decide(skill.origin, judged.verdict).action.id(),
            findings: judged.findings.iter().map(|finding| Finding::from(*finding)).collect(),
            dismissed: judged.dismissed.len(),
            digest: report.digest.clone(),
        })
    })
    .await?;
    Ok(Json(scanned))
}

/// What is known about skills from tasks.
fn learned(site: &Shared) -> Answer<hone_learn::stats::Stats> {
    let Some(records) = records(site)? else { return Ok(hone_learn::stats::Stats::default()) };
    Ok(hone_learn::stats::stats(&site.hone_home, &records, None, (site.now)())?)
}

pub(crate) async fn stats(State(site): State<Site>) -> Answer<Json<Stats>> {
    let stats = blocking(&site, |site| {
        site.shelf.settle_counts();
        let catalogue = site.catalogue();
        let usage = usage::all(&site.state())?;
        let mut scopes: BTreeMap<&'static str, usize> =
            Scope::ALL.iter().map(|scope| (scope.id(), 0)).collect();
        let mut origins: BTreeMap<&'static str, usize> =
            Origin::ALL.iter().map(|origin| (origin.id(), 0)).collect();
        for skill in &catalogue.skills {
            *scopes.entry(skill.scope.id()).or_default() += 1;
            *origins.entry(skill.origin.id()).or_default() += 1;
        }
        let used = usage.into_iter().map(|row| UsedSkill {
            name: row.name,
            version: row.version,
            views: row.views,
            uses: row.uses,
            patches: row.patches,
            last_used: row.last_used.map(iso),
        });
        let days = usage::by_day(&site.state(), None, SHOWN_DAYS, (site.now)())?;
        let mut learned = learned(site)?;
        learned.skills.sort_by_key(|skill| std::cmp::Reverse(skill.with.tasks));
        learned.skills.truncate(MAX_OUTCOMES);
        let standings = standings(&site.state(), &catalogue.skills)?;
        let ranked: Vec<Ranked<'_>> = catalogue
            .skills
            .iter()
            .zip(standings)
            .map(|(skill, standing)| Ranked { skill, relevance: 0.0, standing })
            .collect();
        let whole = level0(&ranked, usize::MAX, "");
        Ok(Stats {
            skills: catalogue.skills.len(),
            skipped: catalogue.skipped.len(),
            scopes,
            origins,
            index_tokens: whole.tokens,
            index_budget: DEFAULT_BUDGET,
            usage: used.collect(),
            days,
            outcomes: learned.skills,
            spent: learned.spent,
        })
    })
    .await?;
    Ok(Json(stats))
}
