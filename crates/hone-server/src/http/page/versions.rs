//! `/skills/{id}/versions`: how a skill came to be what it is.

use std::collections::BTreeSet;

use axum::extract::{Path, State};
use hone_library::{Listed, Revision, canonical_or_same, files_at, history};
use maud::{Markup, html};

use super::diff;
use super::frame::Shown;
use super::skill::{Part, about};
use super::words::{self, NAME_CHARS, SENTENCE_CHARS, href, when};
use crate::http::Site;
use crate::http::problem::{Answer, Problem};

/// Revisions that are listed, newest first.
const MAX_REVISIONS: usize = 500;
/// Files of one revision whose difference is shown.
const MAX_FILES: usize = 50;

fn revisions(site: &Site, skill: &Listed) -> Answer<Vec<Revision>> {
    Ok(history(&site.state(), &canonical_or_same(skill.key()))?)
}

/// The list.
pub(super) async fn versions(State(site): State<Site>, Path(id): Path<String>) -> Shown {
    about(&site, id, Part::Versions, |site, _, skill, id| {
        let revisions = revisions(site, skill)?;
        Ok(html! {
            h2 { "Versions" }
            @if revisions.is_empty() { p { "hone has not changed this skill yet." } }
            @else {
                table.cards {
                    thead { tr {
                        th scope="col" { "Revision" } th scope="col" { "When" } th scope="col" { "Who" }
                        th scope="col" { "What" } th scope="col" { "Why" }
                    } }
                    tbody {
                        @for revision in revisions.iter().rev().take(MAX_REVISIONS) { (line(id, revision)) }
                    }
                }
                @if revisions.len() > MAX_REVISIONS {
                    p { "The newest " (MAX_REVISIONS) " of " (revisions.len()) "." }
                }
            }
        })
    })
    .await
}

fn line(id: &str, revision: &Revision) -> Markup {
    let number = revision.revision;
    let files: Vec<&str> = revision.changes.iter().map(|change| change.file.as_str()).collect();
    html! { tr {
        th scope="row" { a href=(href(id, &format!("versions/{number}"))) { "Revision " (number) } }
        td data-label="When" { (when(revision.at)) }
        td data-label="Who" { (words::name(&revision.actor)) }
        td data-label="What" {
            (revision.action.id())
            @if let Some(version) = &revision.to_version { " (version " (words::name(version)) ")" }
            " " (words::line(&files.join(", "), NAME_CHARS))
        }
        td data-label="Why" { (words::line(&revision.reason, SENTENCE_CHARS)) }
    } }
}

/// What one revision changed, side by side.
pub(super) async fn version(
    State(site): State<Site>,
    Path((id, revision)): Path<(String, u64)>,
) -> Shown {
    about(&site, id, Part::Versions, move |site, _, skill, id| {
        let all = revisions(site, skill)?;
        let Some(this) = all.iter().find(|one| one.revision == revision) else {
            return Err(Problem::not_found(format!("there is no revision {revision}")));
        };
        let at = |revision: u64| files_at(&site.state(), &all, revision);
        let (before, after) = (at(revision.saturating_sub(1))?, at(revision)?);
        let files: BTreeSet<&str> = this.changes.iter().map(|change| change.file.as_str()).collect();
        let numbers = || all.iter().map(|one| one.revision);
        let (older, newer) =
            (numbers().rfind(|one| *one < revision), numbers().find(|one| *one > revision));
        Ok(html! {
            h2 { "Revision " (revision) }
            p {
                (this.action.id())
                @if !this.actor.is_empty() { " by " (words::name(&this.actor)) }
                ", " (when(this.at))
                @if !this.reason.is_empty() { ": " (words::line(&this.reason, SENTENCE_CHARS)) }
            }
            nav.pages aria-label="Revisions" {
                @if let Some(older) = older {
                    a href=(href(id, &format!("versions/{older}"))) rel="prev" { "Older" }
                }
                @if let Some(newer) = newer {
                    a href=(href(id, &format!("versions/{newer}"))) rel="next" { "Newer" }
                }
            }
            @for file in files.iter().take(MAX_FILES) {
                h3 { (words::line(file, SENTENCE_CHARS)) }
                (diff::side_by_side(before.get(*file).map(Vec::as_slice), after.get(*file).map(Vec::as_slice)))
            }
            @if files.len() > MAX_FILES { p { (files.len() - MAX_FILES) " more files were changed." } }
        })
    })
    .await
}
