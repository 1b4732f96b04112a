//! A message of a person to an agent: held against what a model may load, with commands as everywhere else.

use hone_library::{Bundle, Catalogue};

use crate::commands::{CORE_COMMANDS, Commands};
use crate::index::Index;
use crate::matching::Ranking;

/// Holds a message against the skills of a catalogue that a model may load. `/name` at its start means what it means
/// to [`Commands::parse`]; `bundles` is asked for when there is one.
pub fn ask<'i, 's>(
    index: &'i Index<'s>,
    catalogue: &Catalogue,
    bundles: impl FnOnce() -> Vec<Bundle>,
    message: &str,
) -> Ranking<'i, 's> {
    let for_models = |skill: usize| catalogue.skills[skill].summary.model_invocable;
    let ranking = Ranking::new(index, message).among(for_models);
    if !message.trim_start().starts_with('/') {
        return ranking;
    }
    let bundles = bundles();
    let commands = Commands::new(catalogue, &bundles, &CORE_COMMANDS);
    match commands.called_by(message) {
        Some((head, called)) => ranking.called(head, called),
        None => ranking,
    }
}
