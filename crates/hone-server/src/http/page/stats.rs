//! `/stats`: the library in figures.

use axum::Json;
use axum::extract::State;
use hone_learn::stats::SkillStats;
use maud::{Markup, html};

use super::frame::{Place, Shown, page};
use super::plot::{Bar, bars, columns};
use super::words::{self, NAME_CHARS, count, grouped};
use crate::http::Site;
use crate::http::api::find as api;
use crate::http::api::shapes::Stats;

/// Skills whose outcomes are in a plot.
const MAX_PAIRS: usize = 10;
/// Skills in a plot.
const MAX_BARS: usize = 20;
/// Characters of a name in a plot.
const LABEL_CHARS: usize = 26;

/// The page.
pub(super) async fn stats(State(site): State<Site>) -> Shown {
    let Json(stats) = api::stats(State(site)).await?;
    let main = html! {
        h1 { "Figures" }
        p {
            (count(stats.skills, "skill")) " offered"
            @if stats.skipped > 0 { ", " (grouped(stats.skipped)) " found and not offered" }
            "."
        }
        section aria-labelledby="budget" { h2 id="budget" { "Index" } (budget(&stats)) }
        section aria-labelledby="use" { h2 id="use" { "Use" } (over_time(&stats)) (used(&stats)) }
        section aria-labelledby="outcomes" { h2 id="outcomes" { "With a skill and without it" } (outcomes(&stats)) }
        section aria-labelledby="where" {
            h2 id="where" { "Where skills are from" }
            (counted("Scope", stats.scopes.iter()))
            (counted("Origin", stats.origins.iter()))
        }
    };
    Ok(page("Figures", Some(Place::Stats), &main))
}

fn bar(label: &str, value: u64) -> Bar {
    Bar { label: words::line(label, LABEL_CHARS), value, figure: grouped(value) }
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
            @else { "More than fits: a model is told of the skills that come first, and searches for the others." }
        }
    }
}

/// Uses by day.
fn over_time(stats: &Stats) -> Markup {
    if stats.days.iter().all(|day| day.uses == 0) {
        return Markup::default();
    }
    let days: Vec<Bar> = stats.days.iter().map(|day| bar(&day.day, day.uses)).collect();
    columns("Uses a day", &days)
}

/// The share of tasks that went well, with each skill and without it.
fn outcomes(stats: &Stats) -> Markup {
    let label = |skill: &SkillStats, how: &str| {
        let name = words::line(&skill.name, LABEL_CHARS - 12);
        format!("{name} {how}")
    };
    let pair = |skill: &SkillStats| {
        [("with", skill.with), ("without", skill.without)].map(|(how, rate)| Bar {
            label: label(skill, how),
            value: number(rate.well * 100).checked_div(number(rate.tasks)).unwrap_or(0),
            figure: match rate.tasks {
                0 => "no task".to_owned(),
                tasks => format!("{} of {tasks}", rate.well),
            },
        })
    };
    let shown: Vec<Bar> = stats.outcomes.iter().take(MAX_PAIRS).flat_map(pair).collect();
    html! {
        @if shown.is_empty() { p { "No task has been near a skill yet." } }
        @else {
            (bars("Tasks that went well", &shown, Some(100)))
            table.cards {
                thead { tr {
                    th scope="col" { "Skill" } th scope="col" { "Whose" } th scope="col" { "Stage" } th scope="col" { "Turns with" }
                    th scope="col" { "Turns without" } th scope="col" { "Tokens with" } th scope="col" { "Tokens without" }
                } }
                tbody {
                    @for skill in stats.outcomes.iter().take(MAX_PAIRS) {
                        tr {
                            th scope="row" { (words::name(&skill.name)) }
                            td data-label="Whose" { (words::name(if skill.agent.is_empty() { "yours" } else { &skill.agent })) }
                            td data-label="Stage" { (skill.stage.id()) }
                            @for (what, value) in [
                                ("Turns with", skill.with.turns), ("Turns without", skill.without.turns),
                                ("Tokens with", skill.with.tokens), ("Tokens without", skill.without.tokens),
                            ] {
                                td data-label=(what) { @if value > 0.0 { (format!("{value:.1}")) } @else { "–" } }
                            }
                        }
                    }
                }
            }
        }
        @for one in &stats.spent {
            p { "Learning of " (words::name(&one.agent)) " used " (one.spent.tokens()) " tokens in " (one.spent.replies) " replies." }
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
                            td data-label="Uses" { (grouped(row.uses)) }
                            td data-label="Last use" { (row.last_used.as_deref().map_or_else(|| html! { "never" }, words::moment)) }
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
