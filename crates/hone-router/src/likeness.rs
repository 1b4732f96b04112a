//! How much two skills say the same. A twin splits the messages of the other and helps nobody.

use std::collections::HashSet;

use crate::document::{MAX_BODY_BYTES, MAX_DESCRIPTION_BYTES, SkillText, start};
use crate::text::words;

/// What the description counts; the body counts the rest.
const DESCRIPTION_SHARE: f32 = 0.6;

/// How much two skills say the same, from 0 to 1: the words that their names and descriptions share, and
/// those that their bodies share. Linear in the texts.
pub fn likeness(one: &SkillText, other: &SkillText) -> f32 {
    let about = |skill: &SkillText| {
        let description = start(&skill.description, MAX_DESCRIPTION_BYTES);
        let when = start(&skill.when_to_use, MAX_DESCRIPTION_BYTES);
        stems(&format!("{} {description} {when}", skill.name))
    };
    let body = |skill: &SkillText| stems(start(&skill.body, MAX_BODY_BYTES));
    let described = shared(&about(one), &about(other));
    let (own, others) = (body(one), body(other));
    if own.is_empty() && others.is_empty() {
        return described;
    }
    DESCRIPTION_SHARE * described + (1.0 - DESCRIPTION_SHARE) * shared(&own, &others)
}

fn stems(text: &str) -> HashSet<String> {
    words(text).into_iter().filter(|word| !word.is_stop).map(|word| word.stem).collect()
}

/// Twice what is common, of all there is.
fn shared(own: &HashSet<String>, others: &HashSet<String>) -> f32 {
    let common = own.iter().filter(|stem| others.contains(*stem)).count();
    let all = own.len() + others.len();
    if all == 0 { 0.0 } else { 2.0 * common as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(name: &str, description: &str, body: &str) -> SkillText {
        let (name, description, body) = (name.to_owned(), description.to_owned(), body.to_owned());
        SkillText { name, description, body, ..SkillText::default() }
    }

    #[test]
    fn the_same_is_one_nothing_in_common_is_zero_and_order_does_not_count() {
        let tidy = skill("tidy-logs", "Tidies log files. Use when logs are long.", "Sort by time.");
        let other = skill("bake-bread", "Bakes a loaf.", "Knead the dough.");
        let near =
            skill("log-tidier", "Use when log files are long: tidies them.", "Sort by time.");
        assert!((likeness(&tidy, &tidy) - 1.0).abs() < 1e-6);
        assert!(likeness(&tidy, &other).abs() < 1e-6);
        assert!(likeness(&tidy, &near) > 0.8, "{}", likeness(&tidy, &near));
        assert!((likeness(&tidy, &near) - likeness(&near, &tidy)).abs() < 1e-6);
        let nothing = SkillText::default();
        assert!(likeness(&nothing, &nothing).abs() < 1e-6);
    }
}
