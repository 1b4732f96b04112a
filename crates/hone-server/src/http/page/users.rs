//! `/skills/{id}/users`: which agents see a skill, and how much of it.

use axum::extract::{self, Path};
use hone_agent::brain::Brain;
use hone_library::{Listed, Sees, Shown as Part, canonical_or_same};
use maud::{Markup, html};

use super::frame::Shown;
use super::skill::{Part as SkillPart, about};
use super::words::{self, NAME_CHARS, SENTENCE_CHARS};
use crate::http::Site;

/// The table.
pub(super) async fn users(
    extract::State(site): extract::State<Site>,
    Path(id): Path<String>,
) -> Shown {
    about(&site, id, SkillPart::Users, |site, _, skill, _| {
        let seen = site.audience().of(skill, &site.around);
        let own = of_our_agents(site, skill);
        Ok(html! {
            h2 { "Other agents" }
            p { "What each would show its model here, by its own rules." }
            table.cards {
                thead { tr { th scope="col" { "Agent" } th scope="col" { "Sees it" } } }
                tbody {
                    @for (client, sees) in &seen {
                        tr { th scope="row" { (client.id()) } td { (told(sees)) } }
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

/// How a client shows a skill to its model.
fn told(sees: &Sees) -> Markup {
    html! {
        @match sees {
            Sees::Listed(Part::Full, _) => "yes, with its whole description",
            Sees::Listed(Part::Shortened, chars) => { "yes, with " (chars) " characters of its description" }
            Sees::Listed(Part::NameOnly, _) => "its name alone",
            Sees::Listed(Part::Omitted, _) => "no: its list is full",
            Sees::Listed(Part::Hidden, _) => "people can call it; the model does not hear of it",
            Sees::Skipped(why) => { "no: " (words::sentence(why, SENTENCE_CHARS)) }
            Sees::Nowhere => "no: it does not look there",
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
