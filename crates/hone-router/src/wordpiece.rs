//! From text to the numbers that a sentence model of the BERT family reads.
//!
//! Words are cleaned, lower-cased and parted as the original does, then cut greedily into the longest
//! pieces that the vocabulary knows. Words that a model gives a meaning of its own (`[SEP]`) are
//! ordinary text here, so that no description can end a sentence of the model. Time is linear: a word
//! is bounded, and reading stops when enough pieces were found.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A longer word is unknown, as in the original.
const MAX_WORD_CHARS: usize = 100;

/// The pieces of words that a model knows, each with its number.
#[derive(Debug)]
pub(crate) struct WordPiece {
    /// Pieces that begin a word, and those that go on (without their `##`).
    first: HashMap<Box<str>, u32>,
    next: HashMap<Box<str>, u32>,
    unknown: u32,
    start: u32,
    end: u32,
    is_cased: bool,
}

impl WordPiece {
    /// A vocabulary from its pieces and numbers; the missing piece when it lacks one that it must have.
    pub(crate) fn new<'v>(
        pieces: impl Iterator<Item = (&'v str, u32)>,
    ) -> Result<Self, &'static str> {
        let (mut first, mut next) = (HashMap::new(), HashMap::new());
        let mut is_cased = false;
        for (piece, number) in pieces {
            match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => next.insert(rest.into(), number),
                _ => {
                    is_cased |= !piece.starts_with('[')
                        && piece.bytes().any(|byte| byte.is_ascii_uppercase());
                    first.insert(piece.into(), number)
                }
            };
        }
        let special = |piece: &'static str| first.get(piece).copied().ok_or(piece);
        let (unknown, start, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        Ok(Self { first, next, unknown, start, end, is_cased })
    }

    /// The numbers of a text, with those of its start and end, at most `most` of them.
    pub(crate) fn numbers(&self, text: &str, most: usize) -> Vec<u32> {
        let mut numbers = vec![self.start];
        let room = most.saturating_sub(1).max(1);
        let mut word = String::new();
        for c in text.chars().filter_map(cleaned) {
            if numbers.len() >= room {
                break;
            }
            if c == ' ' {
                self.add(&std::mem::take(&mut word), &mut numbers);
            } else if is_ideograph(c) {
                self.add(&std::mem::take(&mut word), &mut numbers);
                self.add(c.encode_utf8(&mut [0; 4]), &mut numbers);
            } else if is_punctuation(c) {
                self.add(&std::mem::take(&mut word), &mut numbers);
                self.piece(c.encode_utf8(&mut [0; 4]), &mut numbers);
            } else if word.len() <= 4 * MAX_WORD_CHARS {
                word.push(c);
            }
        }
        self.add(&word, &mut numbers);
        numbers.truncate(room);
        numbers.push(self.end);
        numbers
    }

    /// Adds the pieces of a word as it was written.
    fn add(&self, word: &str, numbers: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        if self.is_cased {
            return self.piece(word, numbers);
        }
        let plain: String =
            word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
        self.piece(&plain, numbers);
    }

    /// Cuts a word into the longest known pieces; a word with a part that is unknown is unknown.
    fn piece(&self, word: &str, numbers: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let ends: Vec<usize> =
            word.char_indices().map(|(at, c)| at + c.len_utf8()).take(MAX_WORD_CHARS + 1).collect();
        if ends.len() > MAX_WORD_CHARS {
            return numbers.push(self.unknown);
        }
        let before = numbers.len();
        let mut from = 0;
        while from < word.len() {
            let known = if from == 0 { &self.first } else { &self.next };
            let mut longest = ends.iter().rev().take_while(|end| **end > from);
            let found = longest.find_map(|&end| Some((*known.get(&word[from..end])?, end)));
            let Some((number, end)) = found else {
                numbers.truncate(before);
                return numbers.push(self.unknown);
            };
            numbers.push(number);
            from = end;
        }
    }
}

/// A character as the model reads it: white space is a blank, and what cannot be seen is left out.
fn cleaned(c: char) -> Option<char> {
    match c {
        ' ' | '\t' | '\n' | '\r' => Some(' '),
        '\u{fffd}'
        | '\u{ad}'
        | '\u{180e}'
        | '\u{feff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' => None,
        c if c.is_control() => None,
        c if c.is_whitespace() => Some(' '),
        c => Some(c),
    }
}

/// Chinese characters, each of which is a word.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b81f
        | 0x2_b820..=0x2_ceaf | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}

/// Signs that stand for themselves: all of ASCII, and the punctuation of the scripts that skills and
/// messages are written in.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(u32::from(c),
            0xa1 | 0xa7 | 0xab | 0xb6 | 0xb7 | 0xbb | 0xbf
            | 0x55a..=0x55f | 0x589 | 0x58a | 0x5be | 0x5c0 | 0x5c3 | 0x5f3 | 0x5f4
            | 0x60c | 0x60d | 0x61b | 0x61e | 0x61f | 0x66a..=0x66d | 0x6d4
            | 0x964 | 0x965 | 0x970 | 0xe4f | 0xe5a | 0xe5b
            | 0x2010..=0x2027 | 0x2030..=0x2043 | 0x2045..=0x2051 | 0x2053..=0x205e
            | 0x207d | 0x207e | 0x208d | 0x208e | 0x2308..=0x230b | 0x2329 | 0x232a
            | 0x2768..=0x2775 | 0x27c5 | 0x27c6 | 0x27e6..=0x27ef | 0x2983..=0x2998
            | 0x29d8..=0x29db | 0x29fc | 0x29fd | 0x2e00..=0x2e2e | 0x2e30..=0x2e4f
            | 0x3001..=0x3003 | 0x3008..=0x3011 | 0x3014..=0x301f | 0x3030 | 0x303d | 0x30a0 | 0x30fb
            | 0xfe10..=0xfe19 | 0xfe30..=0xfe52 | 0xfe54..=0xfe61 | 0xfe63 | 0xfe68 | 0xfe6a | 0xfe6b
            | 0xff01..=0xff03 | 0xff05..=0xff0a | 0xff0c..=0xff0f | 0xff1a | 0xff1b | 0xff1f | 0xff20
            | 0xff3b..=0xff3d | 0xff3f | 0xff5b | 0xff5d | 0xff5f..=0xff65)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> WordPiece {
        let pieces =
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "fill", "form", "##s", "un", "##fill", "["];
        let more = ["]", "sep", "收", "cafe", "'"];
        WordPiece::new(pieces.into_iter().chain(more).zip(0..)).unwrap()
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces_that_are_known() {
        let numbers = |text: &str| vocabulary().numbers(text, 16);
        assert_eq!(numbers("Fill forms"), [2, 4, 5, 6, 3]);
        assert_eq!(numbers("unfill unknown"), [2, 7, 8, 1, 3]);
        assert_eq!(numbers("Café\u{200b} form's"), [2, 13, 5, 14, 1, 3]);
        assert_eq!(numbers("收收form"), [2, 12, 12, 5, 3]);
        assert_eq!(numbers(""), [2, 3]);
    }

    #[test]
    fn a_word_of_the_model_is_ordinary_text() {
        assert_eq!(vocabulary().numbers("fill [SEP] form", 16), [2, 4, 9, 11, 10, 5, 3]);
    }

    #[test]
    fn a_text_ends_where_the_room_does_and_a_word_at_its_bound() {
        let vocabulary = vocabulary();
        assert_eq!(vocabulary.numbers("fill fill fill", 5), [2, 4, 4, 4, 3]);
        assert_eq!(vocabulary.numbers("fill fill fill", 4), [2, 4, 4, 3]);
        let longest = format!("form{}", "s".repeat(MAX_WORD_CHARS - 4));
        assert_eq!(vocabulary.numbers(&longest, 200).len(), 2 + 1 + MAX_WORD_CHARS - 4);
        assert_eq!(vocabulary.numbers(&format!("{longest}s"), 200), [2, 1, 3]);
    }

    #[test]
    fn a_vocabulary_must_have_the_pieces_that_frame_a_text() {
        let lacking = WordPiece::new(["[UNK]", "[CLS]", "a"].into_iter().zip(0..));
        assert_eq!(lacking.err(), Some("[SEP]"));
    }
}
