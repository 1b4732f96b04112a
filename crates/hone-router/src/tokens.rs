//! How many tokens a text costs at most.
//!
//! Every model counts differently and no tokenizer comes with the binary, so what is given is a bound:
//! never less than what `o200k` and `cl100k` count, whatever the text. On the lines of 2,057 real
//! descriptions it came to 1.8 times as many.
//!
//! Both cut a text into pieces and then join neighbours in a piece while their vocabulary knows what they
//! are together. So two single bytes that stay next to each other are a pair that is in no vocabulary, or
//! that was cut. Of `n` bytes with `b` such breaks, `t` tokens have at most `b + 1` single ones more than
//! longer ones, which makes `t` at most `(2n + b + 1) / 3`. Words that are known to be one token cost one.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Words that are one token after a blank; those with a capital also when they begin with one there, and
/// without a blank before them, where the character before them may cost one besides.
const WORDS: &str = include_str!("words.txt");

/// Pairs of small letters that at least one of the two vocabularies lacks.
const UNKNOWN_PAIRS: &str = "bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qv qy qz \
     rj tj tq uq vq vz wq wv wz xg xh xj xk xq xu xv xw yf yj yq yv zg zj zq zr zv";

/// For each small letter, a bit for each that does not join it from behind.
const APART: [u32; 26] = {
    let (pairs, mut apart, mut at) = (UNKNOWN_PAIRS.as_bytes(), [0; 26], 0);
    while at < pairs.len() {
        apart[(pairs[at] - b'a') as usize] |= 1 << (pairs[at + 1] - b'a');
        at += 3;
    }
    apart
};

/// How a word is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// In small letters, after a blank.
    AfterBlank,
    /// So, with a capital after a blank, and in small letters after another mark.
    Anywhere,
}

static KNOWN: LazyLock<HashMap<String, Known>> = LazyLock::new(|| {
    let known = |word: &str| {
        if word.starts_with(|c: char| c.is_ascii_uppercase()) {
            Known::Anywhere
        } else {
            Known::AfterBlank
        }
    };
    WORDS.lines().map(|word| (word.to_ascii_lowercase(), known(word))).collect()
});

/// The longest word that is known, in bytes.
const MAX_WORD: usize = 16;

/// The most tokens that a text can cost.
///
/// ```
/// use hone_router::token_bound;
///
/// assert_eq!(token_bound("Fill in a form."), 7);
/// assert_eq!(token_bound(" xqzjvk"), 6);
/// ```
pub fn token_bound(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (0, 0);
    let mut stretch = 0..0;
    while at < bytes.len() {
        let begins = at + usize::from(bytes[at] == b' ');
        let letters = bytes[begins..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let end = begins + letters;
        let is_known = (1..=MAX_WORD).contains(&letters)
            && is_apart(bytes.get(end))
            && (begins > at || at == 0 || is_apart(bytes.get(at - 1)))
            && is_token(&bytes[begins..end], begins > at);
        at = end.max(at + 1);
        if is_known {
            tokens += most(bytes, stretch) + 1;
            stretch = at..at;
        } else {
            stretch.end = at;
        }
    }
    tokens + most(bytes, stretch)
}

/// Whether a byte beside a word is not a part of it: both ends of a text are apart, too.
fn is_apart(byte: Option<&u8>) -> bool {
    byte.is_none_or(u8::is_ascii)
}

/// Whether a word is known to be one token.
fn is_token(word: &[u8], is_after_blank: bool) -> bool {
    let mut small = [0; MAX_WORD];
    let small = &mut small[..word.len()];
    small.copy_from_slice(word);
    small[0].make_ascii_lowercase();
    let has_capital = small[0] != word[0];
    let known = std::str::from_utf8(small).ok().and_then(|word| KNOWN.get(word));
    match known {
        Some(Known::Anywhere) => is_after_blank || !has_capital,
        Some(Known::AfterBlank) => is_after_blank && !has_capital,
        None => false,
    }
}

/// The most tokens of a stretch of bytes.
fn most(bytes: &[u8], stretch: Range<usize>) -> usize {
    if stretch.is_empty() {
        return 0;
    }
    let pairs = stretch.start + 1..stretch.end;
    let breaks =
        pairs.filter(|at| !joins(bytes[at - 1], bytes[*at]) || may_cut(bytes, *at)).count();
    (2 * stretch.len() + breaks + 1) / 3
}

/// Whether both vocabularies know two bytes as one token.
fn joins(a: u8, b: u8) -> bool {
    match (a, b) {
        (b' ', b'a'..=b'z' | b'A'..=b'Z') => true,
        (b'a'..=b'z', b'a'..=b'z') => APART[usize::from(a - b'a')] & (1 << (b - b'a')) == 0,
        _ => false,
    }
}

/// Whether a piece may end before a letter, for the one or two before it are what `'s` and `'ll` end with.
fn may_cut(bytes: &[u8], at: usize) -> bool {
    (2..=3).any(|back| at >= back && bytes[at - back] == b'\'')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tiktoken_rs::CoreBPE;

    use super::*;

    fn tokenizers() -> [&'static CoreBPE; 2] {
        [tiktoken_rs::o200k_base_singleton(), tiktoken_rs::cl100k_base_singleton()]
    }

    fn counted(text: &str) -> usize {
        tokenizers().iter().map(|bpe| bpe.encode_ordinary(text).len()).max().unwrap()
    }

    #[test]
    fn every_known_word_is_one_token() {
        let marks: Vec<char> =
            (' '..='~').filter(char::is_ascii_punctuation).chain(['\t']).collect();
        for word in WORDS.lines() {
            let small = word.to_ascii_lowercase();
            assert_eq!(counted(&format!(" {small}")), 1, "{word}");
            if small != word {
                assert_eq!(counted(&format!(" {word}")), 1, "{word}");
                assert_eq!(counted(&small), 1, "{word}");
                for mark in &marks {
                    assert!(counted(&format!("{mark}{small}")) <= 2, "{mark}{small}");
                }
            }
        }
        assert_eq!(WORDS.lines().map(str::len).max(), Some(MAX_WORD));
        let words = WORDS.lines().map(str::to_ascii_lowercase);
        assert!(words.is_sorted_by(|a, b| a < b), "each once, in order");
    }

    #[test]
    fn every_pair_that_joins_is_one_token() {
        let letters = || (b'a'..=b'z').chain(b'A'..=b'Z').chain([b' ']);
        for (a, b) in letters().flat_map(|a| letters().filter(|b| *b != b' ').map(move |b| (a, b)))
        {
            let pair = [a, b].map(char::from).iter().collect::<String>();
            if joins(a, b) {
                assert_eq!(counted(&pair), 1, "{pair}");
            }
        }
    }

    #[test]
    fn what_is_said_of_real_text_and_of_letters_that_mean_nothing() {
        for (text, bound) in [
            ("", 0),
            ("a", 1),
            ("ab", 1),
            (" abc", 3),
            ("Fill in PDF forms", 8),
            (" read", 1),
            (" Read", 1),
            ("-read", 2),
            ("READ", 4),
            ("readé", 5),
            ("12 34", 5),
            ("▸", 3),
            ("\n", 1),
        ] {
            assert_eq!(token_bound(text), bound, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn no_text_costs_more(text in prop_oneof![
            ".{0,200}",
            "[ -~\n]{0,300}",
            "[a-z]{0,80}",
            "[ a-zA-Z]{0,120}",
            "[qzjxvkwyfg]{0,60}",
            "( (the|read|form|use|pdf)(s|ed|ing|'s|'t|'ll)?[-_.,:/'(]?){0,30}",
            "([-'.(/_ ]{0,3}[a-zA-Z]{1,9}){0,20}",
            "[\u{300}-\u{36f}éüñ日本語技能ァ-ヶа-я🦀️\u{200d}a-z ]{0,80}",
        ]) {
            prop_assert!(counted(&text) <= token_bound(&text), "{text:?}: {}", counted(&text));
        }
    }
}
