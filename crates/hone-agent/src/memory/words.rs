//! The words by which a text is found: letters and digits, folded. A question is taken apart in the
//! same way, so whatever it contains, it is words and never syntax.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longest word, in characters; the rest of a longer run does not count.
const MAX_WORD_CHARS: usize = 64;

/// The words of a text, each with the byte at which it starts.
///
/// Case, accents and width do not count. Scripts that put no space between words give every pair of
/// neighbours.
pub(crate) fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut start, mut count) = (0, 0);
    let mut before: Option<(usize, char)> = None;
    let mut is_pair = false;
    for (at, c) in text.char_indices() {
        // Most letters have nothing to be folded but their case.
        if c.is_ascii_alphanumeric() && before.is_none() {
            if word.is_empty() {
                start = at;
            }
            if count < MAX_WORD_CHARS {
                word.push(c.to_ascii_lowercase());
                count += 1;
            }
            continue;
        }
        // Marks that are joined to a letter are folded away with it.
        if is_combining_mark(c) {
            continue;
        }
        let is_dense = is_dense(c);
        if (is_dense || !c.is_alphanumeric()) && !word.is_empty() {
            words.push((start, std::mem::take(&mut word)));
            count = 0;
        }
        if is_dense {
            if let Some((from, first)) = before {
                words.push((from, [first, c].into_iter().collect()));
                is_pair = true;
            }
            if before.is_none() {
                is_pair = false;
            }
            before = Some((at, c));
            continue;
        }
        if let Some((from, single)) = before.take()
            && !is_pair
        {
            words.push((from, single.to_string()));
        }
        if c.is_alphanumeric() {
            if word.is_empty() {
                start = at;
            }
            if count < MAX_WORD_CHARS {
                let folded = std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c));
                word.extend(folded.flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()));
                count += 1;
            }
        }
    }
    if !word.is_empty() {
        words.push((start, word));
    }
    if let Some((from, single)) = before.filter(|_| !is_pair) {
        words.push((from, single.to_string()));
    }
    words
}

/// Scripts without spaces between words: kana, Han, Thai, Lao, Khmer, Myanmar.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::words;

    fn only(text: &str) -> Vec<String> {
        words(text).into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn case_accents_and_width_do_not_count() {
        assert_eq!(only("Café CAFE\u{301} ＡＢＣ ﬁn"), ["cafe", "cafe", "abc", "fin"]);
    }

    #[test]
    fn anything_but_letters_and_digits_separates() {
        assert_eq!(
            only("what's role:user? \"x\" AND -y*"),
            ["what", "s", "role", "user", "x", "and", "y"]
        );
        assert_eq!(only("§§ !!"), Vec::<String>::new());
    }

    #[test]
    fn dense_scripts_give_pairs_and_single_letters() {
        assert_eq!(only("東京都 x 水"), ["東京", "京都", "x", "水"]);
    }

    #[test]
    fn places_are_where_words_start() {
        assert_eq!(words("é ab"), [(0, "e".to_owned()), (3, "ab".to_owned())]);
    }

    #[test]
    fn a_run_without_end_is_one_bounded_word() {
        assert_eq!(only(&"x".repeat(100_000)), ["x".repeat(64)]);
    }
}
