//! `/skills/{id}/users`: which agents see a skill, and how much of it.

use std::path::PathBuf;

use axum::extract::{self, Path};
use hone_agent::brain::Brain;
use hone_library::{Client, ClientView, Listed, Shown as Part, State, canonical_or_same};
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
        // A look at a large library takes a while, in which nobody else has to wait.
        let state = State::open(&site.hone_home);
        let views = Client::ALL.map(|client| client.view(&site.around, None, &state));
        let sought = Sought { skill, real: canonical_or_same(&skill.path) };
        let own = of_our_agents(site, skill);
        Ok(html! {
            h2 { "Other agents" }
            p { "What each would show its model here, by its own rules." }
            table.cards {
                thead { tr { th scope="col" { "Agent" } th scope="col" { "Sees it" } } }
                tbody {
                    @for view in &views {
                        tr { th scope="row" { (view.client.id()) } td { (seen(view, &sought)) } }
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

/// The skill that is looked for among those of another program.
struct Sought<'s> {
    skill: &'s Listed,
    real: PathBuf,
}

impl Sought<'_> {
    /// Whether both are one file. What `stat` said about a file names it; only where that cannot be
    /// relied on its path is followed.
    fn is(&self, one: &Listed) -> bool {
        let Self { skill, real } = self;
        one.path == skill.path
            || skill.also_at.contains(&one.path)
            || match (one.mark, skill.mark) {
                (Some(one), Some(mark)) => one == mark,
                _ => canonical_or_same(&one.path) == *real,
            }
    }
}

/// How a client shows a skill to its model.
fn seen(view: &ClientView, sought: &Sought<'_>) -> Markup {
    let mut listed = view.catalogue.skills.iter().zip(&view.shown);
    if let Some((_, (part, chars))) = listed.find(|(one, _)| sought.is(one)) {
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
    let mut skipped = skipped.filter(|one| one.skill.as_deref().is_some_and(|one| sought.is(one)));
    html! {
        @match skipped.next() {
            Some(skipped) => { "no: " (words::sentence(&skipped.message, SENTENCE_CHARS)) }
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
