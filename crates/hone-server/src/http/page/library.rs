//! `/`: every skill, found by words and by how it stands.

use axum::extract::{Query, State};
use hone_guard::Verdict;
use hone_library::{Catalogue, Origin, Scope};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::{Place, Shown, page};
use super::words::{self, NAME_CHARS, SENTENCE_CHARS, count, encoded, grouped, href, when};
use crate::http::problem::{Answer, Problem};
use crate::http::skills::{self, Row, Standings, UNSCANNED, Wanted};
use crate::http::{Site, blocking};

/// Skills of one page.
const MAX_ROWS: usize = 100;
/// Skills that are not offered and are told.
const MAX_SKIPPED: usize = 200;
/// Characters of a search that count.
const MAX_QUERY_CHARS: usize = 500;

/// The filled-in form above the list; an empty field wants everything.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    q: String,
    scope: String,
    origin: String,
    verdict: String,
    state: String,
    from: usize,
}

/// The choice that a field names.
fn chosen<T: Copy>(
    field: &str,
    value: &str,
    all: &[T],
    id: fn(T) -> &'static str,
) -> Answer<Option<T>> {
    if value.is_empty() {
        return Ok(None);
    }
    let found = all.iter().copied().find(|choice| id(*choice) == value);
    found.map(Some).ok_or_else(|| Problem::wrong(format!("there is no {field} of this name")))
}

const VERDICTS: [&str; 4] = ["safe", "caution", "dangerous", UNSCANNED];

impl Asked {
    fn wanted(&self) -> Answer<Wanted> {
        Ok(Wanted {
            query: self.q.chars().take(MAX_QUERY_CHARS).collect(),
            scope: chosen("scope", &self.scope, &Scope::ALL, Scope::id)?,
            origin: chosen("origin", &self.origin, &Origin::ALL, Origin::id)?,
            verdict: chosen("verdict", &self.verdict, &VERDICTS, |word| word)?.map(str::to_owned),
            state: chosen("state", &self.state, &Standings::ALL, Standings::id)?,
        })
    }

    /// The address of the page that starts elsewhere.
    fn at(&self, from: usize) -> String {
        let fields = [
            ("q", &self.q),
            ("scope", &self.scope),
            ("origin", &self.origin),
            ("verdict", &self.verdict),
            ("state", &self.state),
        ];
        let fields = fields.into_iter().filter(|(_, value)| !value.is_empty());
        let query: Vec<String> = fields
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .chain((from > 0).then(|| format!("from={from}")))
            .collect();
        format!("/?{}", query.join("&"))
    }
}

/// The list.
pub(super) async fn library(State(site): State<Site>, Query(asked): Query<Asked>) -> Shown {
    let main = blocking(&site, move |site| {
        let catalogue = site.catalogue();
        let rows = skills::wanted(site, &catalogue, &asked.wanted()?);
        let problem = site.state().problem();
        Ok(html! {
            h1 { "Library" }
            @if let Some(problem) = problem { p role="alert" { (words::line(&problem, SENTENCE_CHARS)) } }
            (form(&asked))
            div id="results" {
                (results(site, &catalogue, &asked, &rows))
                (skipped(&catalogue))
            }
        })
    });
    Ok(page("Library", Some(Place::Library), &main.await?))
}

fn select(name: &str, label: &str, value: &str, choices: &[&str]) -> Markup {
    html! {
        label { (label)
            select name=(name) {
                option value="" { "any" }
                @for choice in choices {
                    option value=(choice) selected[*choice == value] { (choice) }
                }
            }
        }
    }
}

fn form(asked: &Asked) -> Markup {
    html! {
        form.filter method="get" action="/" role="search" data-live="results" {
            label.wide { "Search"
                input type="search" name="q" value=(asked.q) autocomplete="off" maxlength=(MAX_QUERY_CHARS);
            }
            (select("scope", "Scope", &asked.scope, &Scope::ALL.map(Scope::id)))
            (select("origin", "Origin", &asked.origin, &Origin::ALL.map(Origin::id)))
            (select("verdict", "Verdict", &asked.verdict, &VERDICTS))
            (select("state", "State", &asked.state, &Standings::ALL.map(Standings::id)))
            button { "Show" }
        }
    }
}

fn results(site: &Site, catalogue: &Catalogue, asked: &Asked, rows: &[Row<'_>]) -> Markup {
    let from = asked.from.min(rows.len());
    let to = (from + MAX_ROWS).min(rows.len());
    html! {
        p role="status" {
            (count(rows.len(), "skill"))
            @if rows.len() > MAX_ROWS { ", " (grouped(from + 1)) " to " (grouped(to)) " shown" }
        }
        @if to > from {
            table.cards {
                thead { tr {
                    th scope="col" { "Name" } th scope="col" { "What for" } th scope="col" { "Scope" }
                    th scope="col" { "Origin" } th scope="col" { "Last verdict" } th scope="col" { "State" }
                    th scope="col" { "Last use" }
                } }
                tbody { @for row in &rows[from..to] { (line(site, catalogue, row)) } }
            }
        }
        @else if catalogue.skills.is_empty() {
            p { "There is no skill yet. " code { "hone new NAME" } " makes one, " code { "hone add SOURCE" } " installs some." }
        } @else if from == 0 {
            p { "No skill fits. " a href="/" { "Show all" } }
        }
        @if rows.len() > MAX_ROWS {
            nav.pages aria-label="Pages" {
                @if from > 0 { a href=(asked.at(from.saturating_sub(MAX_ROWS))) rel="prev" { "Back" } }
                @if to < rows.len() { a href=(asked.at(to)) rel="next" { "More" } }
            }
        }
    }
}

fn line(site: &Site, catalogue: &Catalogue, row: &Row<'_>) -> Markup {
    let (skill, standing) = (row.skill, row.standing);
    let summary = &skill.summary;
    html! { tr {
        th scope="row" { a href=(href(&skills::id_of(catalogue, skill), "")) { (words::name(&summary.name)) } }
        td { (words::line(&summary.description, SENTENCE_CHARS)) }
        td data-label="Scope" { (skill.scope.id()) }
        td data-label="Origin" { (skill.origin.id()) }
        td data-label="Last verdict" { (verdict(skills::last_verdict(site, skill).as_deref())) }
        td data-label="State" {
            @if standing.pinned { span.badge { "pinned" } " " }
            @if !summary.model_invocable { span.badge { "people only" } " " }
            (row.life.id())
            @if standing.uses > 0 {
                ", " (count(standing.uses, "use"))
            }
        }
        td data-label="Last use" { @match standing.last_used { Some(at) => (when(at)), None => "never" } }
    } }
}

/// A verdict, told by word and colour.
pub(super) fn verdict(word: Option<&str>) -> Markup {
    let all = [Verdict::Safe, Verdict::Caution, Verdict::Dangerous];
    let known = all.into_iter().map(Verdict::word).find(|known| Some(*known) == word);
    html! { span.{ "verdict " (known.unwrap_or("unknown")) } { (known.unwrap_or("not scanned")) } }
}

fn skipped(catalogue: &Catalogue) -> Markup {
    let skipped = &catalogue.skipped;
    html! {
        @if !skipped.is_empty() {
            details {
                summary { (grouped(skipped.len())) " found and not offered" }
                table.cards {
                    thead { tr { th scope="col" { "What" } th scope="col" { "Reason" } th scope="col" { "Why" } } }
                    tbody {
                        @for one in skipped.iter().take(MAX_SKIPPED) {
                            tr {
                                th scope="row" {
                                    @match &one.skill {
                                        Some(skill) if one.reason == hone_library::Reason::Shadowed => {
                                            a href=(href(&skills::id_of(catalogue, skill), "")) {
                                                (words::name(&skill.summary.name)) " (" (skill.scope.id()) ")"
                                            }
                                        }
                                        Some(skill) => { (words::name(&skill.summary.name)) }
                                        None => { (words::line(&one.path.to_string_lossy(), NAME_CHARS)) }
                                    }
                                }
                                td data-label="Reason" { (one.reason.id()) }
                                td { (words::sentence(&one.message, SENTENCE_CHARS)) }
                            }
                        }
                    }
                }
                @if skipped.len() > MAX_SKIPPED { p { "The first " (MAX_SKIPPED) " are shown." } }
            }
        }
    }
}
