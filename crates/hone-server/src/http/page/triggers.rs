//! What makes a skill apply: its trigger examples, and a box to try a message.

use std::sync::Arc;

use hone_library::{Catalogue, Listed};
use hone_router::{Band, Part, Reason, ask, suite_of};
use maud::{Markup, html};
use serde::Deserialize;

use super::words::{self, NAME_CHARS, SENTENCE_CHARS, grouped, href};
use crate::http::Site;
use crate::http::skills;

/// Examples of each kind that are shown.
const MAX_EXAMPLES: usize = 20;
/// Characters of a message that is tried.
const MAX_MESSAGE_CHARS: usize = 2_000;
/// Reasons that are told.
const MAX_REASONS: usize = 8;

/// The message in the box.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Try {
    message: String,
}

/// Examples and box.
pub(super) fn section(
    site: &Site,
    catalogue: &Arc<Catalogue>,
    skill: &Listed,
    id: &str,
    tried: &Try,
) -> Markup {
    html! {
        section aria-labelledby="triggers" {
            h2 id="triggers" { "What would trigger this?" }
            form.try method="get" action={ (href(id, "")) "#triggers" } {
                label.wide { "A message to an agent"
                    input type="text" name="message" value=(tried.message) required
                        maxlength=(MAX_MESSAGE_CHARS) autocomplete="off";
                }
                button { "Try" }
            }
            @if !tried.message.trim().is_empty() { (answer(site, catalogue, skill, &tried.message)) }
            (examples(skill))
        }
    }
}

/// What the router says about a message, and whether this skill would be the one.
fn answer(site: &Site, catalogue: &Arc<Catalogue>, skill: &Listed, message: &str) -> Markup {
    let message: String = message.chars().take(MAX_MESSAGE_CHARS).collect();
    let Some(at) = catalogue.skills.iter().position(|one| one.path == skill.path) else {
        return html! { p role="status" { "Another skill of this name goes before it: it is never offered." } };
    };
    let (skills, bundles) = (Arc::clone(catalogue), site.seeker.bundles());
    let asked = site.seeker.ask(catalogue, move |index| {
        let ranking = ask(index, &skills, bundles, &message);
        let first = ranking.matches(1, |_| true);
        (ranking.look_at(at), first.into_iter().next(), ranking.place(at))
    });
    let Some((found, first, place)) = asked else {
        return html! { p role="alert" { "The skills could not be searched." } };
    };
    let first = first.filter(|first| first.skill != at && first.band > Band::Nothing);
    let told = match found.band {
        Band::Activate => "Yes: the skill would be activated.",
        Band::Offer => "Perhaps: the skill would be offered to the model.",
        Band::Nothing => "No: the skill would not be offered.",
    };
    html! {
        div.answer role="status" {
            p { strong { (told) } " Confidence " (format!("{:.2}", found.score))
                @if let Some(place) = place { ", place " (grouped(place)) " of " (grouped(catalogue.skills.len())) }
                "."
            }
            @if let Some(first) = first {
                @let other = &catalogue.skills[first.skill];
                p {
                    "First comes " a href=(href(&skills::id_of(catalogue, other), "")) {
                        (words::name(&other.summary.name))
                    } " (" (format!("{:.2}", first.score)) ")."
                }
            }
            @if !found.reasons.is_empty() {
                ul {
                    @for reason in found.reasons.iter().take(MAX_REASONS) {
                        li { (because(reason)) " (" (format!("{:+.2}", reason.weight)) ")" }
                    }
                }
            }
        }
    }
}

fn because(reason: &Reason) -> Markup {
    let words = words::line(&reason.words, NAME_CHARS);
    html! {
        @match reason.part {
            Part::Name | Part::Description | Part::Body => { q { (words) } " in its " (reason.part.id()) }
            Part::Phrase => { q { (words) } ", which it quotes" }
            Part::Remembered => { "its examples: " (words) }
            Part::Spelling => { q { (words) } ", which looks like a word of its own" }
            Part::Meaning => { "what its description means: " (words) }
            Part::NotFor => { q { (words) } ", which it says it is not for" }
        }
    }
}

fn examples(skill: &Listed) -> Markup {
    let suite = match suite_of(skill) {
        Ok(suite) => suite,
        Err(error) => {
            let error = words::line(&error.to_string(), SENTENCE_CHARS);
            return html! { p.found { "Its trigger examples cannot be read: " (error) } };
        }
    };
    let of = |wanted: bool| suite.cases.iter().filter(move |case| case.should_trigger == wanted);
    html! {
        @for (wanted, label) in [(true, "Should trigger it"), (false, "Should not")] {
            @if of(wanted).next().is_some() {
                h3 { (label) }
                ul {
                    @for case in of(wanted).take(MAX_EXAMPLES) {
                        li { (words::line(&case.query, SENTENCE_CHARS)) }
                    }
                }
                @if of(wanted).count() > MAX_EXAMPLES {
                    p { "The first " (MAX_EXAMPLES) " of " (of(wanted).count()) "." }
                }
            }
        }
        @if suite.cases.is_empty() {
            p { "It has no trigger examples. " code { "hone eval triggers" } " says how to add some." }
        }
    }
}
