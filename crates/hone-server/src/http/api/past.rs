//! Skills: what they were, and going back.

use std::collections::BTreeSet;
use std::path::PathBuf;

use axum::Json;
use axum::extract::{Path, Query, State};
use hone_hub::Nobody;
use hone_library::{
    Catalogue, ChangedFile, Error, FileDelta, Revision, canonical_or_same, deleted, files_at,
    history,
};
use hone_skill::Slug;

use super::change::{Doing, carry_out};
use super::shapes::{
    ChangeQuery, Changed, DiffQuery, Difference, PastVersion, RollbackTo, Versions,
};
use crate::http::gate::Writer;
use crate::http::problem::{Answer, Body};
use crate::http::{Shared, Site, blocking};

/// What the ledger knows a skill by, also one that was taken away.
fn key_of(site: &Shared, catalogue: &Catalogue, name: &str) -> Answer<PathBuf> {
    let error = match site.skill(catalogue, name) {
        Ok(skill) => return Ok(canonical_or_same(skill.key())),
        Err(error) => error,
    };
    let Ok(slug) = Slug::new(name) else { return Err(error) };
    let roots: Vec<PathBuf> =
        catalogue.roots.iter().map(|root| canonical_or_same(&root.path)).collect();
    let gone = deleted(&site.state(), slug.as_str())?;
    let is_ours = |key: &PathBuf| roots.iter().any(|root| key.starts_with(root));
    gone.into_iter().find(is_ours).ok_or(error)
}

fn revisions(site: &Shared, name: &str) -> Answer<(PathBuf, Vec<Revision>)> {
    let key = key_of(site, &site.catalogue(), name)?;
    let revisions = history(&site.state(), &key)?;
    Ok((key, revisions))
}

pub(crate) async fn versions(
    State(site): State<Site>,
    Path(name): Path<String>,
) -> Answer<Json<Versions>> {
    let (key, revisions) = blocking(&site, move |site| revisions(site, &name)).await?;
    Ok(Json(Versions {
        path: key.to_string_lossy().into_owned(),
        versions: revisions.into_iter().map(PastVersion::from).collect(),
    }))
}

pub(crate) async fn diff(
    State(site): State<Site>,
    Path(name): Path<String>,
    Query(query): Query<DiffQuery>,
) -> Answer<Json<Difference>> {
    let difference = blocking(&site, move |site| {
        let (_, history) = revisions(site, &name)?;
        let newest = history.last().map_or(0, |revision| revision.revision);
        let to = query.to.unwrap_or(newest);
        let from = query.from.unwrap_or(to.saturating_sub(1));
        if let Some(revision) = [from, to].into_iter().find(|revision| *revision > newest) {
            return Err(Error::NoRevision { name, revision, newest }.into());
        }
        let state = site.state();
        let old = files_at(&state, &history, from)?;
        let new = files_at(&state, &history, to)?;
        drop(state);
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let changed = names.into_iter().filter(|file| old.get(*file) != new.get(*file));
        let files = changed.map(|file| {
            let (before, after) = (old.get(file).cloned(), new.get(file).cloned());
            ChangedFile::from(&FileDelta { file: file.clone(), before, after })
        });
        Ok(Difference { from, to, files: files.collect() })
    })
    .await?;
    Ok(Json(difference))
}

pub(crate) async fn rollback(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(name): Path<String>,
    Query(how): Query<ChangeQuery>,
    Body(to): Body<RollbackTo>,
) -> Answer<Json<Changed>> {
    let doing = Doing { who, how };
    let changed = blocking(&site, move |site| {
        let catalogue = site.catalogue();
        let key = key_of(site, &catalogue, &name)?;
        let skill = site.skill(&catalogue, &name).ok();
        // What came from elsewhere is named by a lock file, which follows.
        carry_out(site, &doing, skill, |store| {
            hone_hub::rollback(store, &site.around, &key, to.to, &mut Nobody)
        })
    })
    .await?;
    Ok(Json(changed))
}
