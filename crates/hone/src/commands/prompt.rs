//! `hone prompt`.

use hone_library::{Catalogue, standings};
use hone_router::{Budget, DEFAULT_PERCENT, DEFAULT_WINDOW_TOKENS, Ranked, Ranking, level0};

use super::match_message::open_index;
use crate::context::Context;
use crate::json;
use crate::output::{Outcome, print_data, print_json, say};

/// How a model finds the skills that the index leaves out.
const SEARCH: &str = "`hone search WORDS`";
/// So many skills count as answers to a query; the others are ordered by habit.
const ANSWERS: usize = 50;

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
    let relevance = relevance(context, &catalogue, query.unwrap_or_default());
    let ranked: Vec<Ranked<'_>> = catalogue
        .skills
        .iter()
        .zip(standings)
        .zip(relevance)
        .map(|((skill, standing), relevance)| Ranked { skill, relevance, standing })
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

/// How well each skill answers a query: the better its place in the ranking of `hone match`, the more.
fn relevance(context: &Context, catalogue: &Catalogue, query: &str) -> Vec<f64> {
    let mut relevance = vec![0.0; catalogue.skills.len()];
    if query.trim().is_empty() {
        return relevance;
    }
    let index = open_index(context, catalogue);
    let is_shown = |skill: usize| catalogue.skills[skill].summary.model_invocable;
    for (place, skill) in Ranking::new(&index, query).best(ANSWERS, is_shown).iter().enumerate() {
        relevance[*skill] = 1.0 / (1.0 + f64::from(u32::try_from(place).unwrap_or(u32::MAX)));
    }
    relevance
}
