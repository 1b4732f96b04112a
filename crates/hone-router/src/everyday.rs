//! Words of everyday talk, which say little about a task however few skills hold them.
//!
//! Skills are written in the language of their trade, messages in that of a conversation: `looking`, `give`
//! or `today` are rare in a library and would count as much as what the message is about. The list
//! was written down once, from the commonest words of English without those that name what a skill may
//! be about (`plan`, `version`), and not fitted to any messages; how much such a word may say was.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::document::{Key, Kind, key};
use crate::rank::rarity;
use crate::text;

/// The most that such a word says: about what one says that a third of all skills hold.
const MOST: f32 = 1.0;

const EVERYDAY: &str = "\
    able absolutely actually after afterwards ago ahead almost alone along already although \
    always among amount another anybody anymore anyone anything anyway anywhere apparently \
    appear appreciate around ask assist assistance available avoid aware away back bad basically \
    became become before began begin beginning behind being believe below best better between \
    beyond big bit both bring brought busy came careful carefully case cause certain certainly \
    chance clear clearly come comes coming common complete completely consider considering \
    correct couple course curious current currently dear definitely detail details different \
    difficult done down during early easily easy effective either else end enjoy enough entire \
    entirely especially even eventually ever every everybody everyone everything everywhere \
    exactly example except excited existing expect extra extremely fact fairly far favorite feel \
    feeling felt few figure final finally find finding fine finish first five follow following \
    former forward found four frequently full fully further gave general generally getting give \
    given gives giving goes gone gonna good got gotten great guess guy guys half happen happened \
    happening happens happy hard hardly hate hear heard hello high highly him himself hold hope \
    hour however huge idea immediately important impossible include included includes including \
    indeed information inside instead interest interested interesting involve itself keep keeps \
    kept kind kindly knew knows large last lately later latest least leave left less likely \
    little long longer look looking looks lot lots love low made main mainly make makes making \
    many matter maybe mean means meant mention mentioned mine minute moment month more moreover \
    most mostly move much myself near nearly necessary neither never new next nice nobody none \
    nor normal normally nothing now nowhere obviously occasionally off often ok okay old once \
    ones onto opinion other others otherwise ought ourselves outside over overall own part \
    particular particularly past people per perfect perhaps person piece place plenty pls point \
    possible possibly prefer preferably pretty previous previously probably problem proper \
    properly provide provided providing pull purpose put quick quickly quite rather reach ready \
    real really reason reasonable receive recent recently recommend recommended regard regarding \
    regular related relevant require required respond rest right said same saw say saying says \
    second see seeing seem seems seen sense seven several shall short show showing shown side \
    similar simple simply since single six small smart someone something sometimes somewhere \
    soon sorry sort specific specifically spend start started starting stay still stop straight \
    stuff successful suddenly suggest suggestion suggestions super suppose supposed sure take \
    taken takes taking talk tell ten tend thank themselves therefore think thinking third though \
    thought three through throughout thus till time times today together told tomorrow tonight \
    took topic toward towards tried try trying turn turned twice two unable under understand \
    unfortunately unless unlike until upon upset useful usual usually various wait wanna wanted \
    way ways week weird went whatever whenever wherever whether whole whom whose wide wish \
    within without wonder wonderful wondering work worked working works world worry worse worst \
    worth wow wrong yeah year years yes yesterday yet young yourself";

/// Words of a conversation that ask for nothing by themselves. Unlike the others they count in full beside a word
/// that says what is wanted: `explain this invoice` is about explaining.
const TALK: &str = "\
    afternoon again answer awesome bye cheers congrats continue cool evening explain fantastic \
    goodbye haha hey hi lol morning nah night nope proceed repeat thanks thx welcome yep";

/// How much a word says that `count` of `all` skills hold.
pub(crate) fn says(word: Key, all: usize, count: usize) -> f32 {
    let rarity = rarity(all, count);
    if rarity > MOST && everyday().contains(&word) { MOST } else { rarity }
}

/// Whether a stem is one of them.
pub(crate) fn is_everyday(stem: &str) -> bool {
    everyday().contains(&key(Kind::Stem, &[stem]))
}

/// Whether a word is everyday talk or asks for nothing by itself.
pub(crate) fn is_talk(word: Key) -> bool {
    static WORDS: OnceLock<HashSet<Key>> = OnceLock::new();
    everyday().contains(&word) || WORDS.get_or_init(|| keys(TALK)).contains(&word)
}

fn everyday() -> &'static HashSet<Key> {
    static WORDS: OnceLock<HashSet<Key>> = OnceLock::new();
    WORDS.get_or_init(|| keys(EVERYDAY))
}

fn keys(words: &str) -> HashSet<Key> {
    let mut found = HashSet::new();
    text::stems(words, |stem| {
        found.insert(key(Kind::Stem, &[stem]));
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_everyday_talk_says_little_in_any_form_and_a_common_one_less() {
        let word = |stem: &str| key(Kind::Stem, &[stem]);
        for (stem, count, expected) in [
            ("look", 3, MOST),
            ("giv", 3, MOST),
            ("invoic", 3, rarity(1_000, 3)),
            ("look", 900, rarity(1_000, 900)),
        ] {
            assert!((says(word(stem), 1_000, count) - expected).abs() < f32::EPSILON, "{stem}");
        }
    }

    #[test]
    fn the_list_is_sorted_has_no_word_twice_and_none_that_is_never_asked() {
        let words: Vec<&str> = EVERYDAY.split_whitespace().collect();
        assert!(words.is_sorted_by(|a, b| a < b));
        assert_eq!(words.iter().filter(|word| text::words(word)[0].is_stop).count(), 0);
    }
}
