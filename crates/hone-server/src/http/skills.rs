//! What is told about skills, to programs and to people alike.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use hone_guard::policy::judge;
use hone_guard::{Finding, Verdict};
use hone_learn::proposal::Stage;
use hone_library::{Catalogue, Listed, Reason, Resolver, Scope, Standing, reports, standings};

use super::Site;
use super::api::find::report;
use super::api::proposals::records;
use super::problem::{Answer, Problem};
use crate::seeker;

/// The skill that an id means: a slug, a name, or `scope:name` for one that another goes before.
pub(crate) fn find<'c>(catalogue: &'c Catalogue, id: &str) -> Answer<&'c Listed> {
    if id.contains(['/', '\\']) {
        return Err(Problem::not_found("there is no skill of this name"));
    }
    Ok(catalogue.resolve(id, std::path::Path::new(""))?)
}

/// What [`find`] finds a skill by.
pub(crate) fn id_of(catalogue: &Catalogue, skill: &Listed) -> String {
    let is_shadowed = catalogue.skipped.iter().any(|skipped| {
        skipped.reason == Reason::Shadowed && skipped.path == skill.path && skipped.skill.is_some()
    });
    let (slug, name) = (skill.summary.slug.as_str(), skill.summary.name.as_str());
    if is_shadowed {
        return format!("{}:{slug}", skill.scope.id());
    }
    // Two names can have one slug; a name that is no part of an address has nothing else.
    let is_twin = |other: &&Listed| other.summary.slug.as_str() == slug && other.path != skill.path;
    let is_shared = slug != name
        && !name.contains(['/', '\\'])
        && catalogue.skills.iter().any(|other| is_twin(&other));
    if is_shared { name.to_owned() } else { slug.to_owned() }
}

/// What a scan says about a skill as it is now.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// Over the findings that count.
    pub(crate) verdict: Verdict,
    /// Those that count, worst first.
    pub(crate) findings: Vec<Finding>,
    /// Those that a person dismissed.
    pub(crate) dismissed: Vec<Finding>,
}

/// Scans a skill, unless its files have a report already.
pub(crate) fn scanned(site: &Site, skill: &Listed) -> Answer<Scanned> {
    let report = report(site, skill)?;
    let dismissals = site.state().dismissals()?;
    let judgement = judge(&report, &dismissals, (site.now)());
    Ok(Scanned {
        verdict: judgement.verdict,
        findings: judgement.findings.into_iter().cloned().collect(),
        dismissed: judgement.dismissed.into_iter().map(|(finding, _)| finding.clone()).collect(),
    })
}

/// Which skills of a library are wanted.
#[derive(Debug, Default, Clone)]
pub(crate) struct Wanted {
    /// Words to look for.
    pub(crate) query: String,
    /// Who sees them.
    pub(crate) scope: Option<Scope>,
    /// Whose word they are.
    pub(crate) origin: Option<hone_library::Origin>,
    /// What their last scan said; [`UNSCANNED`] for those without one.
    pub(crate) verdict: Option<String>,
    /// How they stand.
    pub(crate) state: Option<Standings>,
}

/// The word for skills that have no report.
pub(crate) const UNSCANNED: &str = "unscanned";

/// How long a skill that is not used stays active, in milliseconds.
const STALE: i64 = hone_learn::curator::STALE_DAYS * 24 * 60 * 60 * 1_000;

/// Where a skill is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Nobody has used it.
    Unused,
    /// It was learned, and is watched.
    Trial,
    /// It was used not long ago.
    Active,
    /// It was not used for long.
    Stale,
}

impl Life {
    /// The word for it.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Unused => "unused",
            Self::Trial => "trial",
            Self::Active => "active",
            Self::Stale => "stale",
        }
    }

    fn of(standing: Standing, is_on_trial: bool, now: i64) -> Self {
        match standing.last_used {
            _ if is_on_trial => Self::Trial,
            None => Self::Unused,
            Some(at) if now.saturating_sub(at) >= STALE => Self::Stale,
            Some(_) => Self::Active,
        }
    }
}

/// How a skill can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standings {
    /// Pinned by the person.
    Pinned,
    /// Where it is in its life.
    At(Life),
    /// Agents do not get it by themselves.
    PeopleOnly,
}

impl Standings {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Pinned,
        Self::At(Life::Active),
        Self::At(Life::Stale),
        Self::At(Life::Unused),
        Self::At(Life::Trial),
        Self::PeopleOnly,
    ];

    /// The word for it.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::At(life) => life.id(),
            Self::PeopleOnly => "people-only",
        }
    }

    fn holds(self, row: &Row<'_>) -> bool {
        match self {
            Self::Pinned => row.standing.pinned,
            Self::At(life) => row.life == life,
            Self::PeopleOnly => !row.skill.summary.model_invocable,
        }
    }
}

/// A skill of a library, and how it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'c> {
    /// The skill.
    pub(crate) skill: &'c Listed,
    /// With the person.
    pub(crate) standing: Standing,
    /// In its life.
    pub(crate) life: Life,
}

/// How all skills stand, in their order. A library is shown even when nobody remembers.
pub(crate) fn rows<'c>(site: &Site, catalogue: &'c Catalogue) -> Vec<Row<'c>> {
    let standings = standings(&site.state(), &catalogue.skills)
        .unwrap_or_else(|_| vec![Standing::default(); catalogue.skills.len()]);
    let on_trial = on_trial(site).unwrap_or_default();
    let now = (site.now)();
    let row = |(skill, standing): (&'c Listed, Standing)| {
        let is_on_trial = on_trial.contains(&skill.summary.name);
        Row { skill, standing, life: Life::of(standing, is_on_trial, now) }
    };
    catalogue.skills.iter().zip(standings).map(row).collect()
}

/// The person's own skills that are on trial.
fn on_trial(site: &Site) -> Answer<HashSet<String>> {
    let Some(records) = records(site)? else { return Ok(HashSet::new()) };
    let stages = records.stages("")?.into_iter();
    Ok(stages.filter(|(_, stage, _)| *stage == Stage::Trial).map(|(name, ..)| name).collect())
}

/// Skills beyond those that hold all the words, which a search adds because the router thinks of them.
const MAX_THOUGHT_OF: usize = 10;

/// The wanted skills: those whose name holds all the words, then those whose description does, then
/// those that the router thinks of. Without words, all, by name.
pub(crate) fn wanted<'c>(
    site: &Site,
    catalogue: &'c Arc<Catalogue>,
    wanted: &Wanted,
) -> Vec<Row<'c>> {
    let rows = rows(site, catalogue);
    let by_verdict =
        wanted.verdict.as_deref().map(|verdict| with_verdict(site, &catalogue.skills, verdict));
    let counts = |at: usize| {
        let skill = &catalogue.skills[at];
        wanted.scope.is_none_or(|scope| skill.scope == scope)
            && wanted.origin.is_none_or(|origin| skill.origin == origin)
            && wanted.state.is_none_or(|state| state.holds(&rows[at]))
            && by_verdict.as_ref().is_none_or(|holds| holds[at])
    };
    let mut order: Vec<usize> = (0..catalogue.skills.len()).filter(|at| counts(*at)).collect();
    let words: Vec<String> = wanted.query.split_whitespace().map(str::to_lowercase).collect();
    if !words.is_empty() {
        let holds = |text: &str| {
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let all = std::mem::take(&mut order);
        let (named, others): (Vec<usize>, Vec<usize>) =
            all.into_iter().partition(|at| holds(&catalogue.skills[*at].summary.name));
        let described = others.into_iter().filter(|at| {
            let summary = &catalogue.skills[*at].summary;
            holds(&format!("{} {}", summary.name, summary.description))
        });
        order = named.into_iter().chain(described).collect();
        let known: HashSet<usize> = order.iter().copied().collect();
        let found =
            site.seeker.find(catalogue, &wanted.query, MAX_THOUGHT_OF, seeker::Wanted::Words);
        let found = found.into_iter().map(|found| found.skill);
        order.extend(found.filter(|at| counts(*at) && !known.contains(at)));
    }
    order.into_iter().map(|at| rows[at]).collect()
}

/// Whether the last scan of each skill said this; for [`UNSCANNED`], whether there was none.
fn with_verdict(site: &Site, skills: &[Listed], verdict: &str) -> Vec<bool> {
    let all = [Verdict::Safe, Verdict::Caution, Verdict::Dangerous].map(Verdict::word);
    let is_none = verdict == UNSCANNED;
    let said = all.into_iter().filter(|word| is_none || *word == verdict);
    let state = site.state();
    let of = |word: &str| reports::with_verdict(&state, word).into_iter().map(|(path, _)| path);
    let paths: HashSet<PathBuf> = said.flat_map(of).collect();
    drop(state);
    let mut resolver = Resolver::default();
    skills.iter().map(|skill| paths.contains(&resolver.resolve(skill.key())) != is_none).collect()
}

/// What the last scan of a skill said; the skill may have changed since.
pub(crate) fn last_verdict(site: &Site, skill: &Listed) -> Option<String> {
    reports::newest(&site.state(), skill.key()).map(|(_, verdict)| verdict)
}
