//! `/proposals`: what agents want to learn, with its checks, and a person's word about it.

use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use hone_learn::gate::{Checked, Finding};
use hone_learn::proposal::{Edit, Proposal};
use hone_learn::review::{ReviewRow, changes};
use hone_library::FileDelta;
use maud::{Markup, html};
use serde::Deserialize;

use super::diff::side_by_side;
use super::frame::{Failed, Place, Shown, page};
use super::words::{self, NAME_CHARS, SENTENCE_CHARS, count, encoded, when};
use crate::http::api::proposals::{self as api, Deciding, Decision, ProposalQuery};
use crate::http::gate::{Identity, Writer};
use crate::http::token::Role;
use crate::http::{Site, blocking};

/// Characters of a text that are shown.
const MAX_TEXT_CHARS: usize = 40_000;
/// Lines of a check, and messages of a kind, that are shown.
const MAX_LINES: usize = 50;

/// Which candidates to show.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    all: bool,
    from: usize,
}

/// The list.
pub(super) async fn proposals(State(site): State<Site>, Query(asked): Query<Asked>) -> Shown {
    let query = ProposalQuery { all: asked.all, limit: None, from: Some(asked.from) };
    let Json(found) = api::list(State(site), Query(query)).await?;
    let here = if asked.all { "/proposals?all=true&from=" } else { "/proposals?from=" };
    let main = html! {
        h1 { "Proposals" }
        p {
            "What agents want to learn. Nothing here is seen by a task until it is accepted. "
            @if asked.all { a href="/proposals" { "Only what waits" } }
            @else { a href="/proposals?all=true" { "Also what was decided" } }
        }
        @if found.proposals.is_empty() { {
            p { "Nothing waits." }
            p { "What agents learned and want to keep is shown here, with the checks that it passed." }
        } }
        @else {
            p role="status" { (count(found.total, "candidate")) }
            table.cards {
                thead { tr {
                    th scope="col" { "Skill" } th scope="col" { "Kind" } th scope="col" { "For" }
                    th scope="col" { "Stage" } th scope="col" { "Why" } th scope="col" { "Made" }
                } }
                tbody { @for row in &found.proposals { (line(row)) } }
            }
            @if let Some(next) = found.next {
                nav.pages aria-label="Pages" { a href={ (here) (next) } rel="next" { "More" } }
            }
        }
    };
    Ok(page("Proposals", Some(Place::Proposals), &main))
}

fn href(id: &str) -> String {
    format!("/proposals/{}", encoded(id))
}

fn line(row: &ReviewRow) -> Markup {
    let whose = if row.agent.is_empty() { "your library" } else { &row.agent };
    html! { tr {
        th scope="row" { a href=(href(&row.id)) { (words::name(&row.name)) } }
        td data-label="Kind" { (row.kind) }
        td data-label="For" { (words::name(whose)) }
        td data-label="Stage" { (row.stage) }
        td { (words::line(&row.why, SENTENCE_CHARS)) }
        td data-label="Made" { (words::moment(&row.at)) }
    } }
}

/// One candidate.
pub(super) async fn proposal(
    State(site): State<Site>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Shown {
    let review = api::review(&site, id).await?;
    let (proposal, changes) = blocking(&site, move |site| {
        let changes = changes(&site.hone_home, &review.proposal);
        Ok((review.proposal, changes))
    })
    .await?;
    let is_open = proposal.is_open();
    let main = html! {
        p.path { a href="/proposals" { "Proposals" } }
        h1 { (words::name(&proposal.name)) }
        (facts(&proposal))
        @if is_open && who.may(Role::Write) { (decide(&proposal)) }
        @else if is_open { p { "This token may look, not decide." } }
        (checks(&proposal.checks))
        section aria-labelledby="change" {
            h2 id="change" { "What changes" }
            @for FileDelta { file, before, after } in &changes {
                @if !proposal.files.is_empty() { h3 { (words::name(file)) } }
                @if is_open || before.is_some() {
                    (side_by_side(before.as_deref(), after.as_deref()))
                } @else {
                    pre { (words::text(&String::from_utf8_lossy(after.as_deref().unwrap_or_default()), MAX_TEXT_CHARS)) }
                }
            }
        }
        (edits(&proposal.edits))
        (messages(&proposal))
        @if is_open && who.may(Role::Write) && proposal.files.is_empty() { (edit_form(&proposal)) }
    };
    Ok(page(&proposal.name, Some(Place::Proposals), &main))
}

fn facts(proposal: &Proposal) -> Markup {
    html! {
        dl.facts {
            dt { "Kind" } dd { (proposal.kind.id()) }
            dt { "For" } dd { (words::name(proposal.whose())) }
            dt { "Stage" } dd { (proposal.stage.id()) }
            dt { "Made" } dd { (when(proposal.at)) }
            dt { "Why" }
            dd {
                (proposal.why)
                @if !proposal.task.is_empty() { ", in task " code { (words::name(&proposal.task)) } }
            }
            @if let Some(said) = &proposal.said { dt { "It says" } dd { (words::text(said, SENTENCE_CHARS * 4)) } }
            @if let Some(by) = &proposal.edited_by { dt { "Written in by" } dd { (words::name(by)) } }
            @if proposal.spent.replies > 0 {
                dt { "Cost" }
                dd { (proposal.spent.tokens()) " tokens in " (proposal.spent.replies) " replies" }
            }
            @if let Some(decided) = &proposal.decided {
                dt { "Decided" }
                dd {
                    (serde_json::to_value(decided.outcome).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default())
                    " by " (words::name(&decided.by)) ", " (when(decided.at))
                    @if !decided.why.is_empty() { ": " (words::line(&decided.why, SENTENCE_CHARS)) }
                }
            }
        }
    }
}

/// The buttons. What is decided counts for the text that was shown and no other.
fn decide(proposal: &Proposal) -> Markup {
    html! {
        form.try method="post" action={ (href(&proposal.id)) "/decide" } {
            input type="hidden" name="seen" value=(proposal.tag());
            label.wide { "Reason (optional)" input name="reason" maxlength="1000" autocomplete="off"; }
            button name="decision" value="accept" { "Accept " span.away { (words::name(&proposal.name)) } }
            button name="decision" value="reject" { "Reject " span.away { (words::name(&proposal.name)) } }
        }
    }
}

fn edit_form(proposal: &Proposal) -> Markup {
    html! {
        details {
            summary { "Write in it" }
            form.try method="post" action={ (href(&proposal.id)) "/edit" } {
                input type="hidden" name="seen" value=(proposal.tag());
                label.wide { "The whole text" textarea name="text" rows="20" required { (proposal.text) } }
                button { "Check it again" }
            }
        }
    }
}

fn checks(checks: &[Checked]) -> Markup {
    html! {
        section aria-labelledby="checks" {
            h2 id="checks" { "Checks" }
            table.cards {
                thead { tr { th scope="col" { "Check" } th scope="col" { "Result" } th scope="col" { "Why" } } }
                tbody {
                    @for one in checks {
                        tr {
                            th scope="row" { (one.check.id()) }
                            td data-label="Result" { (finding(one.finding)) }
                            td {
                                (words::sentence(&one.why, SENTENCE_CHARS))
                                @if !one.details.is_empty() {
                                    ul { @for detail in one.details.iter().take(MAX_LINES) { li { (words::sentence(detail, SENTENCE_CHARS)) } } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A result, told by word and colour.
fn finding(finding: Finding) -> Markup {
    let look = match finding {
        Finding::Passed => "safe",
        Finding::Failed => "dangerous",
        Finding::NeedsPerson => "caution",
        Finding::NotMeasured => "unknown",
    };
    html! { span.{ "verdict " (look) } { (finding.id()) } }
}

fn edits(edits: &[Edit]) -> Markup {
    html! {
        @if !edits.is_empty() {
            section aria-labelledby="evidence" {
                h2 id="evidence" { "Evidence" }
                @for (at, edit) in edits.iter().take(MAX_LINES).enumerate() {
                    h3 { "Edit " (at + 1) ": helped " (edit.helped) ", hurt " (edit.hurt) }
                    ul {
                        @for one in edit.evidence.iter().take(MAX_LINES) {
                            li {
                                code { (words::line(one.step.as_deref().unwrap_or(&one.task), NAME_CHARS)) } " "
                                (words::line(&one.what, SENTENCE_CHARS))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn messages(proposal: &Proposal) -> Markup {
    let kinds = [
        ("Messages that call it", &proposal.examples),
        ("Messages that do not", &proposal.near_misses),
    ];
    html! {
        @for (title, all) in kinds {
            @if !all.is_empty() {
                section {
                    h2 { (title) }
                    ul { @for one in all.iter().take(MAX_LINES) { li { (words::line(one, SENTENCE_CHARS)) } } }
                }
            }
        }
    }
}

/// The form with the buttons.
#[derive(Debug, Deserialize)]
pub(super) struct Word {
    decision: String,
    #[serde(default)]
    reason: String,
    seen: String,
}

/// The form with the text.
#[derive(Debug, Deserialize)]
pub(super) struct Written {
    text: String,
    seen: String,
}

/// The entity tag of a text that a form says was seen.
fn tag(seen: &str) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{seen}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

fn to(id: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, href(id))]).into_response()
}

/// Accepts or rejects.
pub(super) async fn decided(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
    Form(word): Form<Word>,
) -> Result<Response, Failed> {
    let decision = match word.decision.as_str() {
        "accept" => Decision::ACCEPT,
        "reject" => Decision::Reject,
        _ => return Err(crate::http::Problem::wrong("accept or reject").into()),
    };
    let (reason, seen) = (word.reason, Some(tag(&word.seen)));
    let decided =
        api::decide(&site, Deciding { who, id: id.clone(), decision, reason, seen }).await;
    decided.map_err(|problem| Failed::back_to(problem, "the proposal", href(&id)))?;
    Ok(to(&id))
}

/// Takes another text.
pub(super) async fn edited(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
    Form(written): Form<Written>,
) -> Result<Response, Failed> {
    // Forms end lines as mails do.
    let decision = Decision::Edit(written.text.replace("\r\n", "\n"));
    let (reason, seen) = (String::new(), Some(tag(&written.seen)));
    let decided =
        api::decide(&site, Deciding { who, id: id.clone(), decision, reason, seen }).await;
    decided.map_err(|problem| Failed::back_to(problem, "the proposal", href(&id)))?;
    Ok(to(&id))
}
