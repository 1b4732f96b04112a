//! `/skills/{id}/users`: which agents see a skill, and how much of it.

use axum::extract::{Path, State};
use hone_agent::brain::Brain;
use hone_library::{Client, ClientView, Listed, Shown as Part, canonical_or_same};
use maud::{Markup, html};

use super::frame::Shown;
use super::skill::{Part as SkillPart, about};
use super::words::{self, NAME_CHARS, SENTENCE_CHARS};
use crate::http::Site;

/// The table.
pub(super) async fn users(State(site): State<Site>, Path(id): Path<String>) -> Shown {
    about(&site, id, SkillPart::Users, |site, _, skill, _| {
        let state = site.state();
        let views = Client::ALL.map(|client| client.view(&site.around, None, &state));
        drop(state);
        let own = of_our_agents(site, skill);
        Ok(html! {
            h2 { "Other agents" }
            p { "What each would show its model here, by its own rules." }
            table.cards {
                thead { tr { th scope="col" { "Agent" } th scope="col" { "Sees it" } } }
                tbody {
                    @for view in &views {
                        tr { th scope="row" { (view.client.id()) } td { (seen(view, skill)) } }
                    }
                }
            }
            h2 { "Agents of hone" }
            @if own.is_empty() { p { "None has it in its brain." } }
            ul { @for agent in &own { li { (words::line(agent, NAME_CHARS)) } } }
        })
    })
    .await
}

fn is_same(one: &Listed, other: &Listed) -> bool {
    let real = |skill: &Listed| canonical_or_same(&skill.path);
    one.path == other.path || one.also_at.contains(&other.path) || real(one) == real(other)
}

/// How a client shows a skill to its model.
fn seen(view: &ClientView, skill: &Listed) -> Markup {
    let mut listed = view.catalogue.skills.iter().zip(&view.shown);
    if let Some((_, (part, chars))) = listed.find(|(one, _)| is_same(one, skill)) {
        return html! {
            @match part {
                Part::Full => "yes, with its whole description",
                Part::Shortened => { "yes, with " (chars) " characters of its description" }
                Part::NameOnly => "its name alone",
                Part::Omitted => "no: its list is full",
                Part::Hidden => "people can call it; the model does not hear of it",
            }
        };
    }
    let skipped = view.catalogue.skipped.iter();
    let mut skipped =
        skipped.filter(|one| one.skill.as_deref().is_some_and(|one| is_same(one, skill)));
    html! {
        @match skipped.next() {
            Some(skipped) => { "no: " (words::line(&skipped.message, SENTENCE_CHARS)) }
            None => "no: it does not look there",
        }
    }
}

/// Our own agents that have the skill in their brain.
fn of_our_agents(site: &Site, skill: &Listed) -> Vec<String> {
    let all = Brain::all(&site.around.hone_home).unwrap_or_default();
    let has = |id: &String| {
        Brain::find(&site.around.hone_home, id).is_ok_and(|brain| {
            canonical_or_same(&skill.path).starts_with(canonical_or_same(&brain.skills_root().path))
        })
    };
    all.into_iter().filter(has).collect()
}
