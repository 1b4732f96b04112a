//! `/approvals`: what arrived from elsewhere and waits for a person's word.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use maud::{Markup, html};

use super::frame::{Failed, Place, Shown, page};
use super::library::verdict;
use super::words::{self, NAME_CHARS, SENTENCE_CHARS, encoded};
use crate::http::Site;
use crate::http::api::approvals::{self as api, Waiting};
use crate::http::gate::{Identity, Writer};
use crate::http::token::Role;

/// Files of one skill that are named.
const MAX_FILES: usize = 50;

/// The list.
pub(super) async fn approvals(
    State(site): State<Site>,
    Extension(who): Extension<Identity>,
) -> Shown {
    let Json(all) = api::list(State(site)).await?;
    let may_decide = who.may(Role::Write);
    let main = html! {
        h1 { "Approvals" }
        @if all.waiting.is_empty() { {
            p { "Nothing waits." }
            p { "A skill that was installed or updated from elsewhere and needs your word is shown here." }
        } }
        @for one in &all.waiting { (waiting(one, may_decide)) }
    };
    Ok(page("Approvals", Some(Place::Approvals), &main))
}

fn waiting(waiting: &Waiting, may_decide: bool) -> Markup {
    let Waiting { approval: one, files } = waiting;
    let news = &one.news;
    let news = [
        ("Hosts", &news.hosts),
        ("Tools", &news.tools),
        ("Environment", &news.environment),
        ("Hooks", &news.hooks),
        ("Scripts", &news.scripts),
        ("Programs", &news.binaries),
        ("Findings", &news.findings),
    ];
    html! {
        article.card aria-labelledby={ "waits-" (one.id) } {
            h2 id={ "waits-" (one.id) } { (words::name(&one.name)) }
            p { (words::sentence(&one.why, SENTENCE_CHARS)) }
            dl.facts {
                dt { "Verdict" } dd { (verdict(Some(one.verdict))) }
                dt { "Origin" } dd { (one.origin) }
                dt { "From" } dd { (words::line(&one.source, SENTENCE_CHARS)) }
                dt { "Content" } dd { code { (words::line(&one.content, NAME_CHARS)) } }
                @for (label, all) in news {
                    @if !all.is_empty() { dt { "New: " (label) } dd { (words::line(&all.join(", "), SENTENCE_CHARS)) } }
                }
            }
            details {
                summary { (files.len()) " files" }
                ul { @for file in files.iter().take(MAX_FILES) { li { (words::line(file, SENTENCE_CHARS)) } } }
            }
            @if may_decide {
                div.decide {
                    @for (act, label) in [("approve", "Approve"), ("reject", "Reject")] {
                        form method="post" action={ "/approvals/" (encoded(&one.id)) "/" (act) } {
                            button { (label) " " span.away { (words::name(&one.name)) } }
                        }
                    }
                }
            } @else { p { "This token may look, not decide." } }
        }
    }
}

/// The list.
const HERE: &str = "/approvals";

/// Back to the list, after something was done.
fn back() -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, HERE)]).into_response()
}

fn failed(problem: crate::http::Problem) -> Failed {
    Failed::back_to(problem, "what waits", HERE.to_owned())
}

/// Lets a skill in.
pub(super) async fn approve(
    State(site): State<Site>,
    writer: Writer,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    let Json(decided) = api::approve(State(site), writer, Path(id)).await.map_err(failed)?;
    match decided.why {
        None => Ok(back()),
        Some(why) => Err(failed(crate::http::Problem::new(StatusCode::CONFLICT, why))),
    }
}

/// Sends a skill away.
pub(super) async fn reject(
    State(site): State<Site>,
    writer: Writer,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    let Json(_) = api::reject(State(site), writer, Path(id)).await.map_err(failed)?;
    Ok(back())
}
