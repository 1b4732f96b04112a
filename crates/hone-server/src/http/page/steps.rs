//! The steps of a task that is over, as its transcript has them.

use hone_agent::step::{Effect, Step, What};
use maud::{Markup, html};

use super::words::{self, NAME_CHARS};

/// Steps that are shown.
const MAX_STEPS: usize = 500;
/// Characters of what a step said.
const MAX_CHARS: usize = 2_000;

/// The steps in their order.
pub(super) fn shown(steps: &[Step]) -> Markup {
    html! {
        ol.steps {
            @for step in steps.iter().take(MAX_STEPS) {
                @let (what, more) = told(step);
                li {
                    strong { (words::line(&what, NAME_CHARS * 2)) }
                    @if !more.is_empty() { pre { (words::text(&more, MAX_CHARS)) } }
                }
            }
        }
        @if steps.len() > MAX_STEPS { p { "The first " (MAX_STEPS) " of " (steps.len()) "." } }
    }
}

/// A step in a line, and what there is more to say.
fn told(step: &Step) -> (String, String) {
    match &step.what {
        What::Skills { names } => ("Skills offered".to_owned(), names.join(", ")),
        What::Model { usage, text, .. } => (
            format!("The model replied ({} tokens in, {} out)", usage.input, usage.output),
            text.clone(),
        ),
        What::NoReply { error, .. } => ("The model gave no reply".to_owned(), error.clone()),
        What::Tool(call) => {
            let mut more = vec![call.arguments.to_string(), call.summary.clone()];
            more.extend(call.effects.iter().filter_map(|effect| match effect {
                Effect::SkillRead { name, .. } => Some(format!("loaded the skill {name}")),
                _ => None,
            }));
            (format!("{}: {}", call.tool, call.outcome.id()), more.join("\n"))
        }
    }
}
