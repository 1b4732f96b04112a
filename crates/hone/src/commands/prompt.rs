//! `hone prompt`.

use hone_library::{Listed, standings};
use hone_router::{Budget, DEFAULT_PERCENT, DEFAULT_WINDOW_TOKENS, Ranked, level0};

use crate::context::Context;
use crate::json;
use crate::output::{Outcome, print_data, print_json, say};

/// How a model finds the skills that the index leaves out.
const SEARCH: &str = "`hone list WORDS`";

pub(crate) fn prompt(
    context: &Context,
    budget: Option<Budget>,
    window: Option<usize>,
    query: Option<&str>,
    as_json: bool,
) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    // A window asks for its own share; without one, the configuration has the word.
    let default = match window {
        Some(_) => Budget::Percent(DEFAULT_PERCENT),
        None => Budget::Tokens(context.config.prompt.budget),
    };
    let budget = budget.unwrap_or(default).tokens(window.unwrap_or(DEFAULT_WINDOW_TOKENS));
    // Habits decide what is shown first, so an index without them is still an index.
    let mut standings = standings(&context.state, &catalogue.skills).unwrap_or_default();
    standings.resize(catalogue.skills.len(), hone_library::Standing::default());
    let words: Vec<String> =
        query.unwrap_or_default().split_whitespace().map(str::to_lowercase).collect();
    let ranked: Vec<Ranked<'_>> = catalogue
        .skills
        .iter()
        .zip(standings)
        .map(|(skill, standing)| Ranked { skill, relevance: relevance(skill, &words), standing })
        .collect();
    let index = level0(&ranked, budget, SEARCH);
    if as_json {
        return print_json(&json::Prompt::from(index));
    }
    if !index.named.is_empty() || !index.left_out.is_empty() {
        say(&format!(
            "note: {} with description, {} by name, {} left out (budget: {} tokens)",
            index.full.len(),
            index.named.len(),
            index.left_out.len(),
            index.budget
        ));
    }
    print_data(&index.text)
}

/// The share of the words that occur in a skill's name or description.
#[expect(clippy::cast_precision_loss, reason = "a few words")]
fn relevance(skill: &Listed, words: &[String]) -> f64 {
    if words.is_empty() {
        return 0.0;
    }
    let text = format!("{} {}", skill.summary.name, skill.summary.description).to_lowercase();
    words.iter().filter(|word| text.contains(word.as_str())).count() as f64 / words.len() as f64
}
