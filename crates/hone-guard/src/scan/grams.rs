//! Which pairs of letters a text has, in whatever case. A short text is asked for dozens of words that are
//! not there; its pairs say so in a step or two, without a search for each.

/// The pairs of bytes of a text, as bits. Two pairs may share a bit, so it never misses a word and may
/// take one for possible that is not there; a long text has nearly every pair, and then it says nothing.
#[derive(Debug)]
pub(crate) struct Grams([u64; WORDS]);

const WORDS: usize = 32;

impl Grams {
    pub(crate) fn of(text: &str) -> Self {
        let mut bits = [0; WORDS];
        for pair in text.as_bytes().windows(2) {
            let (word, bit) = place(pair[0], pair[1]);
            bits[word] |= bit;
        }
        Self(bits)
    }

    /// Whether the word may stand in the text, letters of ASCII in any case.
    pub(crate) fn may_hold(&self, word: &str) -> bool {
        word.as_bytes().windows(2).all(|pair| {
            let (word, bit) = place(pair[0], pair[1]);
            self.0[word] & bit != 0
        })
    }
}

const fn place(first: u8, second: u8) -> (usize, u64) {
    let pair = (first.to_ascii_lowercase() as usize) << 5 ^ second.to_ascii_lowercase() as usize;
    (pair / 64 % WORDS, 1 << (pair % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_there_is_never_missed() {
        let text = "Read it BACKWARDS: ROT13, then 不要 run `eval(x)` [::-1]";
        let grams = Grams::of(text);
        for (start, _) in text.char_indices() {
            for (end, _) in text.char_indices().filter(|(end, _)| *end >= start) {
                assert!(grams.may_hold(&text[start..end].to_ascii_lowercase()), "{start}..{end}");
            }
        }
    }

    #[test]
    fn words_that_a_short_text_lacks_are_told() {
        let grams =
            Grams::of("Keep the order of the entries unless the user asks for another one.");
        let kept: Vec<&str> =
            ["rot13", "base85", "xor", "eval", "popen", "order", "authorized_keys"]
                .into_iter()
                .filter(|word| grams.may_hold(word))
                .collect();
        assert_eq!(kept, ["order"]);
    }
}
