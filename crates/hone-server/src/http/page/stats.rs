//! `/stats`: the library in figures.

use axum::Json;
use axum::extract::State;
use maud::{Markup, html};

use super::frame::{Place, Shown, page};
use super::plot::{Bar, bars};
use super::words::{self, NAME_CHARS};
use crate::http::Site;
use crate::http::api::find as api;
use crate::http::api::shapes::Stats;

/// Skills in a plot.
const MAX_BARS: usize = 20;
/// Characters of a name in a plot.
const LABEL_CHARS: usize = 26;

/// The page.
pub(super) async fn stats(State(site): State<Site>) -> Shown {
    let Json(stats) = api::stats(State(site)).await?;
    let main = html! {
        h1 { "Figures" }
        p { (stats.skills) " skills are offered, " (stats.skipped) " were found and are not." }
        section aria-labelledby="budget" { h2 id="budget" { "Index" } (budget(&stats)) }
        section aria-labelledby="use" { h2 id="use" { "Use" } (used(&stats)) }
        section aria-labelledby="where" {
            h2 id="where" { "Where skills are from" }
            (counted("Scope", stats.scopes.iter()))
            (counted("Origin", stats.origins.iter()))
        }
    };
    Ok(page("Figures", Some(Place::Stats), &main))
}

fn bar(label: &str, value: u64) -> Bar {
    Bar { label: words::line(label, LABEL_CHARS), value, figure: value.to_string() }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// What naming every skill would cost a model, beside what it may.
fn budget(stats: &Stats) -> Markup {
    let (needed, budget) = (number(stats.index_tokens), number(stats.index_budget));
    let all = [bar("All skills named", needed), bar("Budget of an index", budget)];
    html! {
        (bars("Tokens of the index", &all, None))
        p {
            @if needed <= budget { "Every skill is named to every model." }
            @else { "The index leaves some skills to be searched for." }
        }
    }
}

fn used(stats: &Stats) -> Markup {
    let mut used: Vec<_> = stats.usage.iter().filter(|row| row.uses > 0).collect();
    used.sort_by(|a, b| (b.uses, &a.name, &a.version).cmp(&(a.uses, &b.name, &b.version)));
    let label = |name: &str, version: &str| {
        if version.is_empty() { name.to_owned() } else { format!("{name} {version}") }
    };
    let shown: Vec<Bar> = used
        .iter()
        .take(MAX_BARS)
        .map(|row| bar(&label(&row.name, &row.version), row.uses))
        .collect();
    html! {
        @if used.is_empty() { p { "No skill was used yet." } }
        @else {
            (bars("Uses", &shown, None))
            table.cards {
                thead { tr { th scope="col" { "Skill" } th scope="col" { "Uses" } th scope="col" { "Last use" } } }
                tbody {
                    @for row in used.iter().take(MAX_BARS) {
                        tr {
                            th scope="row" { (words::line(&label(&row.name, &row.version), NAME_CHARS)) }
                            td data-label="Uses" { (row.uses) }
                            td data-label="Last use" { (row.last_used.as_deref().unwrap_or("never")) }
                        }
                    }
                }
            }
        }
    }
}

fn counted<'s>(title: &str, counts: impl Iterator<Item = (&'s &'static str, &'s usize)>) -> Markup {
    let all: Vec<Bar> = counts.map(|(label, count)| bar(label, number(*count))).collect();
    bars(title, &all, None)
}
