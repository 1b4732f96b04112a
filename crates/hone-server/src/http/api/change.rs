//! Skills: changing them, through the same rules as everybody.
//!
//! A change is planned, scanned as the skill would be, and carried out when the policy says so. What a
//! program writes counts as an agent's; what a person writes at the page is their own.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use hone_agent::brain::Editor;
use hone_agent::tools::skills::scan_planned;
use hone_guard::policy::Action;
use hone_library::usage::{self, Event};
use hone_library::{
    Author, Catalogue, Change, Error, Listed, Matching, Mode, Origin, State as Books, Store, hash,
    read_text,
};

use super::shapes::{ChangeQuery, Changed, Finding, NewSkill, NewText, Piece};
use crate::http::gate::{Identity, Via, Writer};
use crate::http::problem::{Answer, Body, Problem, bounded};
use crate::http::{Shared, Site, blocking};

/// Characters of the reason for a change.
pub(super) const MAX_REASON: usize = 1_000;
/// Characters of a text that is written.
pub(super) const MAX_TEXT: usize = 1_000_000;
/// Characters of the name of a new skill.
const MAX_NAME: usize = 200;
/// Findings that a refusal tells.
const MAX_FINDINGS: usize = 20;

/// How a change is made, and by whom.
pub(crate) struct Doing {
    pub(crate) who: Identity,
    pub(crate) how: ChangeQuery,
}

impl Doing {
    pub(crate) fn author(&self, site: &Shared) -> Author {
        Author { actor: self.who.actor(), reason: self.how.reason.clone(), now: (site.now)() }
    }

    fn origin(&self) -> Origin {
        match self.who.via {
            Via::Token => Origin::AgentCreated,
            Via::Page => Origin::Local,
        }
    }
}

/// Plans a change, has it scanned, and carries it out.
pub(super) fn carry_out<E>(
    site: &Shared,
    doing: &Doing,
    skill: Option<&Listed>,
    act: impl Fn(&Store<'_>) -> Result<Change, E>,
) -> Answer<Changed>
where
    Problem: From<E>,
{
    site.refuse_read_only()?;
    bounded("reason", &doing.how.reason, 0..=MAX_REASON)?;
    let plan = |state: &Books| -> Answer<(Change, Option<&'static str>)> {
        let planned = act(&Store::new(state, doing.author(site), Mode::DryRun))?;
        if planned.action == hone_library::Action::Delete
            && let Some(entry) = hone_hub::locked_at(state, &planned.path)?
        {
            let detail = format!("`{}` was installed from {}", entry.name, entry.source);
            let hint =
                format!("`hone remove {}` takes it away, with its entry in the lock", entry.name);
            return Err(Problem::new(StatusCode::CONFLICT, detail).hint(hint));
        }
        let adds = planned.files.iter().any(|file| file.after.is_some());
        let verdict = if adds { Some(admit(site, doing, &planned, skill)?) } else { None };
        Ok((planned, verdict))
    };
    if doing.how.dry_run {
        let (planned, verdict) = plan(&site.state())?;
        return Ok(Changed::of(&planned, verdict));
    }
    let write = |state: &Books| -> Answer<Changed> {
        let (_, verdict) = plan(state)?;
        let done = act(&Store::new(state, doing.author(site), Mode::Write))?;
        if let Some(skill) = skill.filter(|_| verdict.is_some()) {
            usage::count(state, skill, Event::Patch, (site.now)());
        }
        Ok(Changed::of(&done, verdict))
    };
    let what = format!("a request of {}", doing.who.actor());
    let editor =
        Editor { hone_home: &site.hone_home, what: &what, now: (site.now)(), tell: &|_| {} };
    let changed = editor.edit(skill.map_or(&site.own, Listed::key), || site.state(), write)?;
    site.shelf.changed();
    Ok(changed)
}

/// What the scan says, when the policy lets it through.
fn admit(
    site: &Shared,
    doing: &Doing,
    planned: &Change,
    skill: Option<&Listed>,
) -> Answer<&'static str> {
    let report = scan_planned(planned, skill).map_err(Problem::internal)?;
    let ruling = site.policy.decide(doing.origin(), report.verdict);
    if ruling.action == Action::Allow {
        return Ok(report.verdict.word());
    }
    let findings = report.findings.iter().take(MAX_FINDINGS).map(Finding::from).collect();
    let mut problem = Problem::forbidden(format!(
        "nothing was written: the scan says {}, and what programs write then needs a person",
        report.verdict.word()
    ))
    .hint("write it without what was found, or let a person do it with `hone` or at the page");
    problem.findings = findings;
    Err(problem)
}

/// No, when a text is another than the client has seen.
pub(super) fn refuse_other(tag: &HeaderValue, text: &[u8]) -> Answer<()> {
    refuse_tag(tag, &hash(text))
}

/// The same for whatever has that hash now.
pub(super) fn refuse_tag(tag: &HeaderValue, now: &str) -> Answer<()> {
    let now = format!("\"{now}\"");
    if tag.to_str().is_ok_and(|tag| tag == "*" || tag == now) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::PRECONDITION_FAILED, "it was changed since you read it"))
}

/// Finds the skill and changes it, unless it is another than the client believes.
async fn change_one(
    site: &Site,
    doing: Doing,
    name: String,
    headers: HeaderMap,
    act: impl Fn(&Store<'_>, &Listed) -> Result<Change, Error> + Send + 'static,
) -> Answer<Json<Changed>> {
    blocking(site, move |site| {
        let catalogue = site.catalogue();
        let skill = site.skill(&catalogue, &name)?;
        bounded("reason", &doing.how.reason, 0..=MAX_REASON)?;
        if let Some(tag) = headers.get(header::IF_MATCH) {
            refuse_other(tag, &read_text(skill)?)?;
        }
        carry_out(site, &doing, Some(skill), |store| act(store, skill))
    })
    .await
    .map(Json)
}

pub(crate) async fn create(
    State(site): State<Site>,
    Writer(who): Writer,
    Query(how): Query<ChangeQuery>,
    Body(new): Body<NewSkill>,
) -> Answer<(StatusCode, Json<Changed>)> {
    bounded("name", &new.name, 1..=MAX_NAME)?;
    bounded("content", &new.content, 0..=MAX_TEXT)?;
    let doing = Doing { who, how };
    let is_dry = doing.how.dry_run;
    let changed = blocking(&site, move |site| {
        let catalogue = site.catalogue();
        let there = existing(&catalogue);
        carry_out(site, &doing, None, |store| {
            store.create(&site.own, None, &new.name, &new.content, &there)
        })
    })
    .await?;
    let status = if is_dry { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(changed)))
}

/// All skills that lie in a root, offered or not.
fn existing(catalogue: &Catalogue) -> Vec<Listed> {
    let skipped = catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
    catalogue.skills.iter().chain(skipped).cloned().collect()
}

pub(crate) async fn edit(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(name): Path<String>,
    Query(how): Query<ChangeQuery>,
    headers: HeaderMap,
    Body(text): Body<NewText>,
) -> Answer<Json<Changed>> {
    bounded("content", &text.content, 0..=MAX_TEXT)?;
    let act = move |store: &Store<'_>, skill: &Listed| store.edit(skill, &text.content);
    change_one(&site, Doing { who, how }, name, headers, act).await
}

pub(crate) async fn patch(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(name): Path<String>,
    Query(how): Query<ChangeQuery>,
    headers: HeaderMap,
    Body(piece): Body<Piece>,
) -> Answer<Json<Changed>> {
    bounded("old", &piece.old, 1..=MAX_TEXT)?;
    bounded("new", &piece.new, 0..=MAX_TEXT)?;
    let matching = if piece.fuzzy { Matching::Fuzzy } else { Matching::Exact };
    let act = move |store: &Store<'_>, skill: &Listed| {
        store.patch(skill, piece.file.as_deref(), &piece.old, &piece.new, matching)
    };
    change_one(&site, Doing { who, how }, name, headers, act).await
}

pub(crate) async fn delete(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(name): Path<String>,
    Query(how): Query<ChangeQuery>,
    headers: HeaderMap,
) -> Answer<Json<Changed>> {
    let act = |store: &Store<'_>, skill: &Listed| store.delete(skill);
    change_one(&site, Doing { who, how }, name, headers, act).await
}

pub(crate) async fn write_file(
    State(site): State<Site>,
    Writer(who): Writer,
    Path((name, file)): Path<(String, String)>,
    Query(how): Query<ChangeQuery>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Answer<Json<Changed>> {
    let act =
        move |store: &Store<'_>, skill: &Listed| store.write_file(skill, &file, &bytes, false);
    change_one(&site, Doing { who, how }, name, headers, act).await
}

pub(crate) async fn remove_file(
    State(site): State<Site>,
    Writer(who): Writer,
    Path((name, file)): Path<(String, String)>,
    Query(how): Query<ChangeQuery>,
    headers: HeaderMap,
) -> Answer<Json<Changed>> {
    let act = move |store: &Store<'_>, skill: &Listed| store.remove_file(skill, &file);
    change_one(&site, Doing { who, how }, name, headers, act).await
}
