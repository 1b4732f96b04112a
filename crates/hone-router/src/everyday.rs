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
    appear appreciate around ask assist assistance available avoid aware away back bad \
    basically became become before began begin beginning behind being believe below best better \
    between beyond big bigger bit both bring brought busy came careful carefully case cause \
    certain certainly chance clear clearly come comes coming common commonly complete \
    completely consider considering correct correctly couple course curious current currently \
    dear definitely detail details different difficult done down during earlier early easier \
    easily easy effective either else end enjoy enough entire entirely especially even \
    eventually ever every everybody everyone everything everywhere exactly example except \
    excited existing expect extra extremely fact fairly far favorite feel feeling felt few \
    figure final finally find finding fine finish first five follow following former forward \
    found four frequently full fully further gave general generally getting give given gives \
    giving goes gone gonna good got gotten great guess guy guys half happen happened happening \
    happens happy hard harder hardly hate hear heard hello high higher highly him himself hold \
    hope hour however huge idea immediately important impossible include included includes \
    including indeed information inside instead interest interested interesting involve itself \
    keep keeps kept kind kindly knew knows large larger last lately later latest least leave \
    left less likely little long longer look looking looks lot lots love low made main mainly \
    make makes making many matter maybe mean means meant mention mentioned mine minute moment \
    month more moreover most mostly move much myself near nearly necessary neither never new \
    next nice nicer nobody none nor normal normally nothing now nowhere obviously occasionally \
    off often ok okay old older once ones onto opinion other others otherwise ought ourselves \
    outside over overall overly own part particular particularly past people per perfect \
    perfectly perhaps person piece place plenty pls point possible possibly prefer preferably \
    pretty previous previously probably problem proper properly provide provided providing pull \
    purpose put quick quicker quickly quite rather reach ready real really reason reasonable \
    receive recent recently recommend recommended regard regarding regular related relevant \
    require required respond right said same saw say saying says second see seeing seem seems \
    seen sense seven several shall short shortly show showing shown side similar simple simpler \
    simply since single six small smaller smart someone something sometimes somewhere soon \
    sooner sorry specific specifically spend start started starting stay still stop straight \
    stuff successful suddenly suggest suggestion suggestions super suppose supposed sure take \
    taken takes taking talk tell ten tend thank themselves therefore think thinking third \
    though thought three through throughout thus till time times today together told tomorrow \
    tonight took topic toward towards tried try trying turn turned twice two unable under \
    understand unfortunately unless unlike until upon upset useful usual usually various wait \
    wanna wanted way ways week weird went whatever whenever wherever whether whole whom whose \
    wide wish within without wonder wonderful wondering work worked working works world worry \
    worse worst worth wow wrong yeah year years yes yesterday yet young yourself";

/// Words of a conversation that ask for nothing by themselves. Unlike the others they count in full beside a word
/// that says what is wanted: `explain this invoice` is about explaining.
const TALK: &str = "\
    afternoon again answer awesome bye cheers congrats continue cool evening explain fantastic \
    goodbye haha hey hi lol morning nah night nope proceed repeat thanks thx welcome yep";

/// What looks like a form of one of them and is a word of its own.
const NO_FORMS: [&str; 9] =
    ["courses", "findings", "mining", "news", "pasted", "pastes", "pasting", "rights", "shorts"];

/// How much a word says that `count` of `all` skills hold.
pub(crate) fn says(is_everyday: bool, all: usize, count: usize) -> f32 {
    let rarity = rarity(all, count);
    if is_everyday { rarity.min(MOST) } else { rarity }
}

/// Whether a word, in lower case, is one of them or a form of one. A stem would not do: `former` and `form`,
/// `busy` and `business` have the same.
pub(crate) fn is_everyday(word: &str) -> bool {
    is_form_of(everyday(), word)
}

/// Whether a word is everyday talk or asks for nothing by itself.
pub(crate) fn is_talk(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    let talk = WORDS.get_or_init(|| TALK.split_whitespace().collect());
    is_everyday(word) || is_form_of(talk, word)
}

/// Whether a stem may be one of an everyday word, for words of which nothing else is kept.
pub(crate) fn has_everyday_stem(stem: Key) -> bool {
    static STEMS: OnceLock<HashSet<Key>> = OnceLock::new();
    let stems = STEMS.get_or_init(|| {
        let mut found = HashSet::new();
        text::stems(EVERYDAY, |stem| {
            found.insert(key(Kind::Stem, &[stem]));
        });
        found
    });
    stems.contains(&stem)
}

fn everyday() -> &'static HashSet<&'static str> {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    WORDS.get_or_init(|| EVERYDAY.split_whitespace().collect())
}

fn is_form_of(words: &HashSet<&str>, word: &str) -> bool {
    words.contains(word)
        || !NO_FORMS.contains(&word) && bases(word).any(|base| words.contains(&*base))
}

/// What a word may be a form of: `move` of `moving`, `stop` of `stopped`, `worry` of `worries`.
fn bases(word: &str) -> impl Iterator<Item = String> {
    let spelled = |(ending, base): (&str, &str)| {
        let mut all = vec![base.to_owned()];
        if ending != "s" {
            all.push(format!("{base}e"));
            all.extend(base.strip_suffix('i').map(|base| format!("{base}y")));
            let last = base.chars().next_back();
            let shorter = base
                .strip_suffix(|c| Some(c) == last)
                .filter(|base| base.chars().next_back() == last);
            all.extend(shorter.map(str::to_owned));
        }
        all
    };
    let of = |ending: &'static str| word.strip_suffix(ending).map(|base| (ending, base));
    ["s", "es", "ed", "ing"].into_iter().filter_map(of).flat_map(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_everyday_talk_says_little_and_a_common_one_less() {
        for (is_everyday, count, expected) in
            [(true, 3, MOST), (false, 3, rarity(1_000, 3)), (true, 900, rarity(1_000, 900))]
        {
            let found = says(is_everyday, 1_000, count);
            assert!((found - expected).abs() < f32::EPSILON, "{is_everyday} {count}");
        }
    }

    #[test]
    fn forms_of_a_word_are_everyday_and_other_words_with_its_stem_are_not() {
        for word in
            ["looks", "looked", "looking", "gives", "moving", "stopped", "worries", "reached"]
        {
            assert!(is_everyday(word), "{word}");
        }
        for word in
            ["form", "forms", "business", "news", "car", "care", "career", "paste", "effects"]
        {
            assert!(!is_everyday(word), "{word}");
        }
        assert!(is_talk("thanks") && is_talk("explained") && !is_everyday("explained"));
    }

    #[test]
    fn the_list_is_sorted_has_no_word_twice_and_none_that_is_never_asked() {
        let words: Vec<&str> = EVERYDAY.split_whitespace().collect();
        assert!(words.is_sorted_by(|a, b| a < b));
        assert_eq!(words.iter().filter(|word| text::words(word)[0].is_stop).count(), 0);
    }
}
