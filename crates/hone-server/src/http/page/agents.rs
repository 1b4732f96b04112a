//! `/agents`: the agents of this machine, what they know, and what was signed about it.

use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use hone_agent::brain::{Brain, members};
use hone_agent::lineage::Receipt;
use hone_agent::lineage::receipt::Kind;
use hone_agent::memory::{Fact, Memory, Subscriber};
use maud::{Markup, html};

use super::frame::{Place, Shown, page};
use super::runs;
use super::words::{self, NAME_CHARS, SENTENCE_CHARS, count, encoded, when};
use crate::http::api::agents::{self as api, Agent, Lineage, ReceiptQuery};
use crate::http::gate::Identity;
use crate::http::problem::Answer;
use crate::http::token::Role;
use crate::http::{Site, blocking};

/// Receipts that are shown.
const SHOWN_RECEIPTS: usize = 100;
/// Facts that are shown.
const MAX_FACTS: usize = 200;
/// Characters of a text of an agent that are shown.
const MAX_TEXT_CHARS: usize = 8_000;

/// The list.
pub(super) async fn agents(State(site): State<Site>) -> Shown {
    let Json(all) = api::list(State(site)).await?;
    let main = html! {
        h1 { "Agents" }
        @if all.agents.is_empty() {
            p { "There is none yet. " code { "hone agent new NAME" } " makes one." }
        } @else {
            table.cards {
                thead { tr {
                    th scope="col" { "Agent" } th scope="col" { "Role" } th scope="col" { "Skills" }
                    th scope="col" { "Facts" } th scope="col" { "Tasks" }
                } }
                tbody {
                    @for agent in &all.agents {
                        tr {
                            th scope="row" { a href={ "/agents/" (encoded(&agent.id)) } { (words::name(&agent.id)) } }
                            td {
                                @match &agent.problem {
                                    Some(problem) => { (words::line(problem, SENTENCE_CHARS)) }
                                    None => { (words::line(&agent.role, SENTENCE_CHARS)) }
                                }
                            }
                            td data-label="Skills" { (agent.skills) }
                            td data-label="Facts" { (agent.facts) }
                            td data-label="Tasks" { (agent.tasks) }
                        }
                    }
                }
            }
        }
    };
    Ok(page("Agents", Some(Place::Agents), &main))
}

/// One agent.
pub(super) async fn agent(
    State(site): State<Site>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Shown {
    let Json(agent) = api::one(State(site.clone()), Path(id.clone())).await?;
    let receipts = newest(&site, &id).await?;
    let known = blocking(&site, move |site| remembered(site, &id)).await?;
    let main = html! {
        p.path { a href="/agents" { "Agents" } }
        h1 { (words::name(&agent.id)) }
        p.lead { (words::line(&agent.role, SENTENCE_CHARS)) }
        dl.facts {
            @if let Some(model) = &agent.model { dt { "Model" } dd { (words::name(model)) } }
            dt { "Remembers" }
            dd {
                (count(agent.facts, "fact")) ", " (count(agent.messages, "message"))
                @if agent.quarantined > 0 { ", " (count(agent.quarantined, "note")) " set aside" }
            }
            dt { "Did" } dd { (count(agent.tasks, "task")) }
        }
        @if who.may(Role::Run) { (runs::form(&agent.id)) }
        (memory(&known))
        (skills(&agent))
        (lineage(&receipts))
        (tasks(&agent))
    };
    Ok(page(&agent.id, Some(Place::Agents), &main))
}

/// The newest receipts, checked with all before them.
async fn newest(site: &Site, id: &str) -> Answer<Lineage> {
    let asked = |from, limit| {
        let query = ReceiptQuery { from: Some(from), limit: Some(limit) };
        api::receipts(State(site.clone()), Path(id.to_owned()), Query(query))
    };
    let Json(first) = asked(0, SHOWN_RECEIPTS).await?;
    let total = usize::try_from(first.total).unwrap_or(usize::MAX);
    if total <= SHOWN_RECEIPTS {
        return Ok(first);
    }
    let Json(last) = asked(total - SHOWN_RECEIPTS, SHOWN_RECEIPTS).await?;
    Ok(last)
}

/// What an agent knows in words.
#[derive(Debug, Default)]
struct Known {
    facts: Vec<Fact>,
    memory: String,
    user: String,
}

fn remembered(site: &Site, id: &str) -> Answer<Known> {
    let brain = Brain::find(&site.around.hone_home, id)?;
    let text = |member: &str| {
        let bytes = hone_library::read_bounded(&brain.member(member)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let mut known =
        Known { memory: text(members::MEMORY), user: text(members::USER), facts: Vec::new() };
    // Looking at an agent makes no memory.
    if brain.member(members::DATABASE).exists() {
        known.facts = Memory::open(&brain.folder)?.facts(&Subscriber::Owner)?;
    }
    Ok(known)
}

fn memory(known: &Known) -> Markup {
    html! {
        section aria-labelledby="memory" {
            h2 id="memory" { "Memory" }
            @if known.facts.is_empty() && known.memory.trim().is_empty() && known.user.trim().is_empty() {
                p { "It remembers nothing yet." }
            }
            @for (label, text) in [("What it noted", &known.memory), ("About its user", &known.user)] {
                @if !text.trim().is_empty() {
                    h3 { (label) }
                    pre { (words::text(text, MAX_TEXT_CHARS)) }
                }
            }
            @if !known.facts.is_empty() {
                h3 { "Facts" }
                table.cards {
                    thead { tr { th scope="col" { "About" } th scope="col" { "What" } th scope="col" { "Since" } } }
                    tbody {
                        @for fact in known.facts.iter().take(MAX_FACTS) {
                            tr {
                                th scope="row" { (words::name(&fact.key)) }
                                td { (words::line(&fact.value, SENTENCE_CHARS)) }
                                td data-label="Since" { (when(fact.at)) }
                            }
                        }
                    }
                }
                @if known.facts.len() > MAX_FACTS { p { "The first " (MAX_FACTS) " are shown." } }
            }
        }
    }
}

fn skills(agent: &Agent) -> Markup {
    html! {
        section aria-labelledby="skills" {
            h2 id="skills" { "Its own skills" }
            @if agent.skills.is_empty() { p { "None yet." } }
            ul {
                @for skill in &agent.skills {
                    li {
                        strong { (words::name(&skill.name)) }
                        @if let Some(version) = &skill.version { " " (words::name(version)) }
                        @if let Some(stage) = skill.stage { " " span.badge { (stage) } }
                        ": " (words::line(&skill.description, SENTENCE_CHARS))
                    }
                }
            }
            @if !agent.archived.is_empty() {
                p { "Archived: " (words::line(&agent.archived.join(", "), SENTENCE_CHARS)) }
            }
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Created => "made",
        Kind::Task => "task",
        Kind::Learned => "learned",
        Kind::Outside => "changed from outside",
        Kind::Edited => "edited",
        Kind::Handover => "key handed over",
        Kind::Restored => "restored",
    }
}

/// The versions of the brain, newest first, each receipt with what it says.
fn lineage(receipts: &Lineage) -> Markup {
    html! {
        section aria-labelledby="lineage" {
            h2 id="lineage" { "How it came here" }
            @if receipts.total == 0 { p { "Nothing was signed about it yet." } }
            @else {
                p role="status" {
                    @if receipts.holds {
                        span.verdict.safe { "holds" } " Signatures, links and the state on the disk were checked: "
                        @if receipts.total == 1 { "1 receipt." } @else { (receipts.total) " receipts." }
                    } @else {
                        span.verdict.dangerous { "does not hold" }
                    }
                }
                ul {
                    @for one in &receipts.breaks {
                        li {
                            @match one.index { Some(index) => { "Receipt " (index) } None => "The brain" }
                            ", " (words::name(&one.field)) ": " (words::line(&one.why, SENTENCE_CHARS))
                        }
                    }
                }
                p { "Key " code { (words::line(&receipts.key, NAME_CHARS)) } }
                ol.timeline reversed {
                    @for value in receipts.receipts.iter().rev() {
                        @if let Ok(receipt) = serde_json::from_value::<Receipt>(value.clone()) { (event(&receipt)) }
                    }
                }
            }
        }
    }
}

fn event(receipt: &Receipt) -> Markup {
    let moved = receipt.before.is_none_or(|before| before.version != receipt.after.version);
    let at = i64::try_from(receipt.at).unwrap_or(i64::MAX);
    html! {
        li value=(receipt.index) class=[moved.then_some("moved")] {
            (when(at)) " "
            strong { @if moved { "Version " (receipt.after.version) ": " } (kind(receipt.kind)) }
            @if let Some(task) = &receipt.task {
                " " (words::name(&task.outcome)) ", " (words::name(&task.model.name)) ", "
                (task.costs.turns) " turns, " (task.costs.tool_calls) " calls, "
                (task.costs.input_tokens.saturating_add(task.costs.output_tokens)) " tokens"
                @for (what, skills) in [("created", &task.skills.created), ("changed", &task.skills.changed)] {
                    @for skill in skills { ", " (what) " " (words::name(&skill.name)) }
                }
            }
            @if !receipt.changes.is_empty() { ": " (words::line(&receipt.changes.join(", "), SENTENCE_CHARS)) }
        }
    }
}

fn tasks(agent: &Agent) -> Markup {
    html! {
        section aria-labelledby="tasks" {
            h2 id="tasks" { "Last tasks" }
            @if agent.last_tasks.is_empty() { p { "None yet." } }
            @for task in &agent.last_tasks {
                details {
                    summary { (task.ending) ": " (words::line(&task.input, NAME_CHARS)) }
                    p {
                        (task.ended) ", " (words::name(&task.model)) ", " (count(usize::try_from(task.turns).unwrap_or(0), "turn"))
                        ", " (count(usize::try_from(task.calls).unwrap_or(0), "call")) ", " (task.tokens) " tokens"
                    }
                    pre { (words::text(&task.answer, MAX_TEXT_CHARS)) }
                }
            }
        }
    }
}
