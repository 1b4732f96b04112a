//! `/skills/{id}`: one skill, as it reads and as it stands.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use hone_guard::{Finding, Severity};
use hone_library::{Catalogue, Listed, read_text, standings};
use maud::{Markup, html};

use super::frame::{Place, Shown, page};
use super::library::verdict;
use super::markdown::{self, Remark};
use super::triggers::{self, Try};
use super::words::{self, NAME_CHARS, SENTENCE_CHARS, count, href, when};
use crate::http::problem::{Answer, Problem};
use crate::http::skills::{self, Scanned};
use crate::http::{Site, blocking};
use crate::manifest::SKILL_FILE;

/// Characters of a description that are shown: the most that the format allows, and some for those
/// that do not keep to it.
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Findings that are listed.
pub(super) const MAX_FINDINGS: usize = 100;

/// The parts of a skill's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Text,
    Files,
    Versions,
    Users,
}

impl Part {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Text, "", "Instructions"),
        (Self::Files, "files", "Files"),
        (Self::Versions, "versions", "Versions"),
        (Self::Users, "users", "Who uses it"),
    ];
}

/// Heading and parts, above every page of a skill.
pub(super) fn head(skill: &Listed, id: &str, here: Part) -> Markup {
    html! {
        p.path { a href="/" { "Library" } " / " (skill.scope.id()) }
        h1 { (words::name(&skill.summary.name)) }
        nav.parts aria-label="This skill" {
            ul {
                @for (part, below, label) in Part::ALL {
                    li {
                        a href=(href(id, below)) aria-current=[(part == here).then_some("page")] { (label) }
                    }
                }
            }
        }
    }
}

/// Shows something of one skill.
pub(super) async fn about(
    site: &Site,
    id: String,
    here: Part,
    work: impl FnOnce(&Site, &Arc<Catalogue>, &Listed, &str) -> Answer<Markup> + Send + 'static,
) -> Shown {
    let shown = blocking(site, move |site| {
        let catalogue = site.catalogue();
        let skill = skills::find(&catalogue, &id)?;
        let id = skills::id_of(&catalogue, skill);
        let part = work(site, &catalogue, skill, &id)?;
        let main = html! { (head(skill, &id, here)) (part) };
        Ok(page(&skill.summary.name, Some(Place::Library), &main))
    });
    Ok(shown.await?)
}

/// The page.
pub(super) async fn skill(
    State(site): State<Site>,
    Path(id): Path<String>,
    Query(message): Query<Try>,
) -> Shown {
    about(&site, id, Part::Text, move |site, catalogue, skill, id| {
        let scanned = skills::scanned(site, skill)?;
        Ok(html! {
            (facts(site, skill, &scanned)?)
            (findings(id, &scanned))
            (notes(skill))
            section aria-labelledby="instructions" {
                h2 id="instructions" { "Instructions" }
                div.prose { (instructions(skill, id, &scanned)?) }
            }
            (triggers::section(site, catalogue, skill, id, &message))
        })
    })
    .await
}

fn facts(site: &Site, skill: &Listed, scanned: &Scanned) -> Answer<Markup> {
    let summary = &skill.summary;
    let standing = standings(&site.state(), std::slice::from_ref(skill))?;
    let standing = standing.into_iter().next().unwrap_or_default();
    let path = skill.path.to_string_lossy();
    let tools = summary.allowed_tools.join(", ");
    let who = match (summary.model_invocable, summary.user_invocable) {
        (true, true) => "agents and people",
        (true, false) => "agents",
        (false, true) => "people",
        (false, false) => "nobody",
    };
    Ok(html! {
        p.lead { (words::line(&summary.description, MAX_DESCRIPTION_CHARS)) }
        dl.facts {
            dt { "Verdict" } dd { (verdict(Some(scanned.verdict.word()))) }
            dt { "Origin" } dd { (skill.origin.id()) }
            @if let Some(version) = &summary.version { dt { "Version" } dd { (words::name(version)) } }
            @if let Some(license) = &summary.license { dt { "Licence" } dd { (words::name(license)) } }
            dt { "Called by" } dd { (who) }
            @if !tools.is_empty() { dt { "Allowed tools" } dd { (words::line(&tools, SENTENCE_CHARS)) } }
            dt { "Used" }
            dd {
                @if standing.uses == 0 { "never" } @else { (count(standing.uses, "time")) }
                @if let Some(at) = standing.last_used { ", last " (when(at)) }
                @if standing.pinned { ", " span.badge { "pinned" } }
            }
            dt { "Where" } dd { code { (words::line(&path, SENTENCE_CHARS)) } }
        }
    })
}

/// A severity, told by word and colour.
fn severity(finding: &Finding) -> &'static str {
    if finding.severity == Severity::Info { "note" } else { finding.severity.word() }
}

/// A finding in a line.
pub(super) fn finding(found: &Finding) -> Markup {
    html! {
        strong { (severity(found)) ": " code { (found.rule) } }
        " " (words::sentence(&found.message, SENTENCE_CHARS))
    }
}

fn place(id: &str, found: &Finding) -> Markup {
    let words = found.place();
    // A member of an archive has no page.
    let is_file = !found.file.contains('!');
    html! {
        @if is_file {
            a href={ (href(id, &format!("files/{}", found.file))) "#L" (found.line) } {
                (words::line(&words, NAME_CHARS))
            }
        } @else { (words::line(&words, NAME_CHARS)) }
    }
}

fn findings(id: &str, scanned: &Scanned) -> Markup {
    let found = &scanned.findings;
    html! {
        @if !found.is_empty() || !scanned.dismissed.is_empty() {
            section aria-labelledby="findings" {
                h2 id="findings" { "Findings" }
                ul.findings {
                    @for one in found.iter().take(MAX_FINDINGS) {
                        li.{ "found " (severity(one)) } {
                            (finding(one)) " (" (place(id, one)) ")"
                            @if !one.hint.is_empty() { p { (words::sentence(&one.hint, SENTENCE_CHARS)) } }
                        }
                    }
                }
                @if found.len() > MAX_FINDINGS { p { "The first " (MAX_FINDINGS) " of " (found.len()) "." } }
                @if !scanned.dismissed.is_empty() {
                    p { (count(scanned.dismissed.len(), "finding")) " dismissed by a person." }
                }
            }
        }
    }
}

fn notes(skill: &Listed) -> Markup {
    html! {
        @if !skill.notes.is_empty() {
            details {
                summary { (count(skill.notes.len(), "remark")) " on its format" }
                ul {
                    @for note in skill.notes.iter().take(MAX_FINDINGS) {
                        li { "Line " (note.line) ": " (words::sentence(&note.message, SENTENCE_CHARS)) }
                    }
                }
            }
        }
    }
}

fn instructions(skill: &Listed, id: &str, scanned: &Scanned) -> Answer<Markup> {
    let bytes = read_text(skill)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Problem::internal("the skill is not text any more"))?;
    let folder = skill.folder().file_name().and_then(std::ffi::OsStr::to_str);
    let read = hone_skill::read(&bytes, folder).skill;
    let body = read.map_or(0..text.len(), |read| read.body);
    let lines_before = text[..body.start].matches('\n').count();
    let own = |found: &&Finding| found.file == SKILL_FILE || skill.is_flat;
    let remarks: Vec<Remark> = scanned
        .findings
        .iter()
        .filter(own)
        .filter(|found| found.severity > Severity::Info && found.line > lines_before)
        .take(MAX_FINDINGS)
        .map(|found| Remark {
            line: found.line - lines_before,
            what: html! { p.{ "found " (severity(found)) } { (finding(found)) } },
        })
        .collect();
    Ok(markdown::render(&text[body], id, &remarks))
}
