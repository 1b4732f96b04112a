//! From text to the words a message and a skill are compared by.
//!
//! Words are lower case, without endings and without the words that say nothing about a task. Scripts
//! that do not put blanks between words give pairs of characters instead, and every word also gives
//! its trigrams, so that a typing error or an unknown form still meets its word. Time is linear in the
//! text, and every piece of it is bounded.

use std::ops::Range;

/// Longer words are cut: no language needs them, encoded data has them.
const MAX_WORD_CHARS: usize = 40;

/// Words that are in most messages and say nothing about which skill they are for. Sorted.
const STOP: [&str; 127] = [
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "but", "by", "can", "cannot", "could", "did", "do", "does", "doing", "don",
    "each", "etc", "for", "from", "get", "gets", "go", "going", "had", "has", "have", "having",
    "he", "help", "her", "here", "hey", "hi", "his", "how", "i", "if", "im", "in", "into", "is",
    "it", "its", "just", "know", "let", "lets", "like", "ll", "may", "me", "might", "must", "my",
    "need", "needs", "no", "not", "of", "on", "one", "only", "or", "our", "out", "please", "re",
    "she", "should", "so", "some", "such", "than", "thanks", "that", "the", "their", "them",
    "then", "there", "these", "they", "thing", "things", "this", "those", "to", "too", "up", "us",
    "use", "used", "user", "users", "uses", "using", "ve", "very", "via", "want", "wants", "was",
    "we", "well", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with",
    "would", "you", "your",
];

/// Most words are longer than all of them.
const LONGEST_STOP: usize = 7;

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Lower case, as written.
    pub(crate) plain: String,
    /// Without its ending.
    pub(crate) stem: String,
    /// It says nothing about a task; it has no place among stems and pairs.
    pub(crate) is_stop: bool,
    /// A piece of an identifier or of a text without blanks: it overlaps the word before it.
    pub(crate) is_piece: bool,
    /// Characters of a script without blanks.
    pub(crate) is_unspaced: bool,
    /// It is joined to the word before it by a hyphen or an underscore.
    pub(crate) is_joined: bool,
    /// `/` or `$` stands before it, and nothing before that; `$UPPER` is a variable.
    pub(crate) is_called: bool,
    /// It is joined to the word before it by a slash, as in a path.
    pub(crate) is_below: bool,
    /// More than blanks and hyphens stands between it and the word before it.
    pub(crate) is_apart: bool,
    /// It is joined to the word before it by a dot, as the ending of a file's name.
    pub(crate) is_ending: bool,
    /// It stands between quotation marks.
    pub(crate) is_quoted: bool,
    /// It stands in a line that begins with `>`, as what another person wrote does.
    pub(crate) is_cited: bool,
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let unclosed = read(text, |word: Spoken<'_>| {
        words.push(Word {
            plain: word.plain.to_owned(),
            stem: word.stem.to_owned(),
            is_stop: word.is_stop,
            is_piece: word.is_piece,
            is_unspaced: word.plain.chars().next().is_some_and(is_unspaced),
            is_joined: word.before == Some(Mark::Joint),
            is_called: word.before == Some(Mark::Call),
            is_below: word.before == Some(Mark::Below),
            is_apart: word.is_apart,
            is_ending: word.before == Some(Mark::Dot),
            is_quoted: word.is_quoted,
            is_cited: word.is_cited,
        });
    });
    // A mark that is never closed was none.
    for word in unclosed.and_then(|from| words.get_mut(from..)).into_iter().flatten() {
        word.is_quoted = false;
    }
    words
}

/// Calls `each` with the stem of every word that says something, in order.
pub(crate) fn stems(text: &str, mut each: impl FnMut(&str)) {
    read(text, |word: Spoken<'_>| {
        if !word.is_stop {
            each(word.stem);
        }
    });
}

/// A word while a text is read.
struct Spoken<'w> {
    plain: &'w str,
    stem: &'w str,
    is_stop: bool,
    is_piece: bool,
    before: Option<Mark>,
    is_apart: bool,
    is_quoted: bool,
    is_cited: bool,
}

/// Reads a text, and returns the number of words before a quotation that does not end.
fn read(text: &str, each: impl FnMut(Spoken<'_>)) -> Option<usize> {
    let mut reader = WordReader {
        each,
        count: 0,
        word: String::new(),
        plain: String::new(),
        stem: String::new(),
        chars: 0,
        unspaced: None,
        after_apostrophe: false,
        before: None,
        is_apart: false,
        after: '\n',
        quoted: None,
        line: Line::Begins,
    };
    for character in text.chars() {
        reader.take(character);
        reader.after = character;
        reader.line = reader.line.with(character);
    }
    reader.end_spaced();
    reader.end_unspaced();
    let closes_at_end = |(mark, _): &(char, usize)| *mark == '\'' && reader.after == '\'';
    reader.quoted.filter(|quoted| !closes_at_end(quoted)).map(|(_, from)| from)
}

struct WordReader<F> {
    each: F,
    /// Words so far.
    count: usize,
    /// The word under way, as written.
    word: String,
    /// The last word in lower case, and its stem.
    plain: String,
    stem: String,
    chars: usize,
    /// The last character of a run in a script without blanks, and whether a pair holds it.
    unspaced: Option<(char, bool)>,
    after_apostrophe: bool,
    before: Option<Mark>,
    is_apart: bool,
    /// The character before this one.
    after: char,
    /// The mark that ends the quotation under way, and the number of words before it.
    quoted: Option<(char, usize)>,
    line: Line,
}

/// What is known of a line so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Begins,
    Cited,
    Own,
}

impl Line {
    fn with(self, c: char) -> Self {
        match (self, c) {
            (_, '\n') => Self::Begins,
            (Self::Begins, '>') => Self::Cited,
            (Self::Begins, c) if !c.is_whitespace() => Self::Own,
            (line, _) => line,
        }
    }
}

/// What stands directly before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Joint,
    Call,
    Dollar,
    Below,
    Dot,
    Other,
}

impl<F: FnMut(Spoken<'_>)> WordReader<F> {
    fn take(&mut self, c: char) {
        if is_unspaced(c) {
            self.end_spaced();
            let before = self.unspaced.replace((c, false));
            if let Some((before, _)) = before {
                self.push(&String::from_iter([before, c]), true);
                self.unspaced = Some((c, true));
            }
            return;
        }
        self.end_unspaced();
        if c.is_alphanumeric() || is_mark(c) {
            if !self.after_apostrophe && self.chars < MAX_WORD_CHARS {
                self.word.push(c);
            }
            self.chars += 1;
        } else if matches!(c, '\'' | '’') && !self.word.is_empty() {
            self.after_apostrophe = true;
        } else if matches!(c, '+' | '#') && self.chars == 1 && self.word.is_ascii() {
            // `C++`, `C#`, `F#`
            self.word.push(c);
        } else if c == '+' && self.word.ends_with('+') {
            self.word.push(c);
        } else {
            let follows_word = !self.word.is_empty();
            self.end_spaced();
            self.before = match c {
                '-' | '_' if follows_word => Some(Mark::Joint),
                '/' if !follows_word && self.before != Some(Mark::Other) => Some(Mark::Call),
                '$' if !follows_word && self.before != Some(Mark::Other) => Some(Mark::Dollar),
                '/' if follows_word => Some(Mark::Below),
                '.' if follows_word => Some(Mark::Dot),
                c if c.is_whitespace() => None,
                _ => Some(Mark::Other),
            };
            self.is_apart |=
                c == '\n' || matches!(self.before, Some(Mark::Other | Mark::Below | Mark::Dot));
            self.quote(c);
        }
    }

    /// Begins or ends a quotation. An apostrophe begins one before a word and ends it behind one.
    fn quote(&mut self, c: char) {
        let from = self.count;
        let is_behind = |mark: char| self.after == mark;
        self.quoted = match (self.quoted, c) {
            (Some(('\'', _)), '\n') => None,
            (Some(('\'', _)), _) if is_behind('\'') && c != '\'' => None,
            (Some((mark, _)), c) if mark == c || matches!((mark, c), ('”', '“')) => None,
            (Some(quoted), _) => Some(quoted),
            (None, '"' | '`') => Some((c, from)),
            (None, '“' | '„') => Some(('”', from)),
            (None, '«') => Some(('»', from)),
            (None, '\'') if !self.after.is_alphanumeric() => Some(('\'', from)),
            (None, _) => None,
        };
    }

    fn end_unspaced(&mut self) {
        // A single character has no pair to stand in.
        if let Some((c, false)) = self.unspaced.take() {
            self.push(c.encode_utf8(&mut [0; 4]), false);
        }
    }

    fn end_spaced(&mut self) {
        self.chars = 0;
        self.after_apostrophe = false;
        if self.word.is_empty() {
            return;
        }
        let mut word = std::mem::take(&mut self.word);
        self.push(&word, false);
        for piece in identifier_pieces(&word) {
            self.push(&word[piece], true);
        }
        word.clear();
        self.word = word;
    }

    fn push(&mut self, word: &str, is_piece: bool) {
        self.plain.clear();
        if word.is_ascii() {
            self.plain.push_str(word);
            self.plain.make_ascii_lowercase();
        } else {
            self.plain.push_str(&word.to_lowercase());
        }
        let plain = self.plain.as_str();
        self.stem.clear();
        self.stem.push_str(plain);
        without_ending(&mut self.stem);
        let is_stop = plain.len() <= LONGEST_STOP && STOP.binary_search(&plain).is_ok();
        let is_name = || word.contains(|c: char| !c.is_ascii() || c.is_ascii_lowercase());
        let before = match std::mem::take(&mut self.before) {
            Some(Mark::Dollar) if is_name() => Some(Mark::Call),
            before => before,
        };
        let is_apart = std::mem::take(&mut self.is_apart);
        let (is_quoted, is_cited) = (self.quoted.is_some(), self.line == Line::Cited);
        self.count += 1;
        (self.each)(Spoken {
            plain,
            stem: &self.stem,
            is_stop,
            is_piece,
            before,
            is_apart,
            is_quoted,
            is_cited,
        });
    }
}

/// Scripts whose words are not parted by blanks: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff)
        && c.is_alphanumeric()
}

/// Vowel signs and accents that stand on the letter before them.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036f | 0x0900..=0x0903 | 0x093a..=0x094f | 0x0610..=0x061a | 0x064b..=0x065f)
}

/// The parts of `getUserName` or `MyBigType`; none of `GitHub` or `JavaScript`, which are words.
fn identifier_pieces(word: &str) -> Vec<Range<usize>> {
    let bytes = word.as_bytes();
    let is_border = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    if !word.is_ascii() || !bytes.windows(2).any(is_border) {
        return Vec::new();
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in 1..bytes.len() {
        if is_border(&bytes[at - 1..=at]) {
            pieces.push(start..at);
            start = at;
        }
    }
    pieces.push(start..bytes.len());
    let least = if bytes[0].is_ascii_lowercase() { 2 } else { 3 };
    if pieces.len() < least { Vec::new() } else { pieces }
}

/// Takes the English ending off a word; words of other languages and with digits stay as they are.
///
/// Lighter than Porter's: on labelled messages both rank alike.
fn without_ending(stem: &mut String) {
    if stem.len() <= 3 || !stem.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    without_plural(stem);
    for ending in ["ingly", "edly", "ing", "ed"] {
        if let Some(rest) = stem.strip_suffix(ending)
            && rest.len() >= 3
            && rest.bytes().any(is_vowel)
        {
            let keep =
                rest.len() - usize::from(ends_double(rest) && !rest.ends_with(['l', 's', 'z']));
            stem.truncate(keep);
            break;
        }
    }
    let last = stem.as_bytes().last().copied();
    for (ending, instead) in ENDINGS.iter().filter(|(ending, _)| ending.bytes().last() == last) {
        if stem.strip_suffix(ending).is_some_and(|rest| rest.len() >= 4) {
            stem.truncate(stem.len() - ending.len());
            stem.push_str(instead);
            break;
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') && !stem.bytes().rev().nth(1).is_some_and(is_vowel) {
        stem.pop();
        stem.push('i');
    }
    if stem.len() > 4 && ends_double(stem) && !stem.ends_with(['s', 'z']) {
        stem.pop();
    }
}

/// Endings that change the kind of a word, not what it is about; the first that fits is replaced.
const ENDINGS: [(&str, &str); 18] = [
    ("ization", "iz"),
    ("isation", "iz"),
    ("ational", "at"),
    ("ation", "at"),
    ("izer", "iz"),
    ("iser", "iz"),
    ("ator", "at"),
    ("ment", ""),
    ("ness", ""),
    ("ful", ""),
    ("ally", "al"),
    ("ly", ""),
    ("ise", "iz"),
    ("ize", "iz"),
    ("ive", ""),
    ("ion", ""),
    ("er", ""),
    ("al", ""),
];

fn without_plural(word: &mut String) {
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ["sses", "shes", "ches", "xes", "zzes"].iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|e| word.ends_with(e)) {
        word.pop();
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn ends_double(word: &str) -> bool {
    matches!(word.as_bytes(), [.., a, b] if a == b)
}

/// The trigrams of a word, its borders included: `^pd`, `pdf`, `df$`.
pub(crate) fn trigrams(word: &str, mut each: impl FnMut([char; 3])) {
    let mut window = [' ', ' ', '\u{2}'];
    for c in word.chars().take(MAX_WORD_CHARS).chain(std::iter::once('\u{3}')) {
        window = [window[1], window[2], c];
        if window[0] != ' ' {
            each(window);
        }
    }
}

/// The least share of trigrams that a word and a misspelt or longer form of it have in common.
const LEAST_ALIKE: f32 = 0.5;

/// Whether a word of one text looks like a word of another: typing errors and forms of a word do, words
/// that share a few letters by chance do not.
pub fn resembles(text: &str, other: &str) -> bool {
    let trigrams_of = |text: &str| -> Vec<Vec<[char; 3]>> {
        let is_content = |word: &&Word| !word.is_stop && !word.is_unspaced;
        let of = |word: &Word| {
            let mut all = Vec::new();
            trigrams(&word.plain, |trigram| all.push(trigram));
            all
        };
        words(text).iter().filter(is_content).map(of).collect()
    };
    let others = trigrams_of(other);
    trigrams_of(text).iter().any(|own| {
        others.iter().any(|other| {
            let common = own.iter().filter(|trigram| other.contains(trigram)).count();
            2.0 * common as f32 >= LEAST_ALIKE * (own.len() + other.len()) as f32
        })
    })
}

/// Ways in which descriptions say what a skill is not for.
const NOT_FOR: [&str; 16] = [
    "do not use",
    "don't use",
    "do not trigger",
    "don't trigger",
    "do not invoke",
    "do not activate",
    "do not apply",
    "not for",
    "not intended for",
    "not to be used",
    "should not be used",
    "should not trigger",
    "never use",
    "avoid using",
    "skip for",
    "skip when",
];

/// Ways in which a sentence says at its end that it was about something else: `"ship it" is NOT this skill`.
const NOT_THIS: [&str; 4] =
    ["not this skill", "not for this skill", "is another skill's", "is another skill\u{2019}s"];

/// What parts a sentence into what is for the skill and what is not: `"a" is its job, but "b" is not this skill`.
const BUT: &str = ", but ";

/// The parts of a description that say what the skill is not for, each up to the end of its sentence.
fn negative_ranges(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let quoted = quotation_ranges(text);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let end = sentence_end(bytes, from, &quoted);
        let sentence = &lower[from..end];
        let begins = says_any(sentence, &NOT_FOR).map(|at| from + at);
        let is_other = says_any(sentence, &NOT_THIS)
            .filter(|at| !goes_on_with_a_thing(&sentence[*at..]))
            .map(|at| from + last_but(&sentence[..at]));
        let start = begins.into_iter().chain(is_other).min();
        ranges.extend(start.map(|start| start..end));
        // Past the mark that ends it.
        from = end + 1;
    }
    ranges
}

/// Where the part of a sentence behind its last `but` begins; one in a quotation is somebody's word.
fn last_but(sentence: &str) -> usize {
    let quoted = quotation_ranges(sentence);
    let is_own = |at: &usize| !quoted.iter().any(|range| range.contains(at));
    let found = sentence.rmatch_indices(BUT).map(|(at, _)| at).find(is_own);
    found.map_or(0, |at| at + BUT.len())
}

/// Where a sentence in lower case first says one of these, as whole words.
fn says_any(sentence: &str, phrases: &[&str]) -> Option<usize> {
    let bytes = sentence.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let first = |phrase: &&str| {
        let mut found = sentence.match_indices(phrase).map(|(at, _)| at);
        found.find(|at| !is_word(at + phrase.len()) && (*at == 0 || !is_word(at - 1)))
    };
    phrases.iter().filter_map(first).min()
}

/// Whether what is another skill's is a thing of it and no request: `the log is another skill's output`.
fn goes_on_with_a_thing(rest: &str) -> bool {
    const JOBS: [&str; 4] = ["business", "job", "task", "work"];
    let Some((_, after)) = rest.split_once("skill's").or_else(|| rest.split_once("skill\u{2019}s"))
    else {
        return false;
    };
    let next = after.strip_prefix(' ').unwrap_or_default();
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !word.is_empty() && !JOBS.contains(&word)
}

/// The end of the sentence that holds `at`: a full stop before a blank, a semicolon or a line end outside of
/// quotations.
fn sentence_end(bytes: &[u8], at: usize, quoted: &[Range<usize>]) -> usize {
    let is_quoted = |at: usize| {
        let next = quoted.partition_point(|range| range.end <= at);
        quoted.get(next).is_some_and(|range| range.contains(&at))
    };
    let mut end = at;
    while end < bytes.len() {
        let is_end = match bytes[end] {
            b';' => true,
            b'\n' => !is_quoted(end),
            b'.' | b'!' | b'?' => {
                bytes.get(end + 1).is_none_or(u8::is_ascii_whitespace)
                    && !is_abbreviated(&bytes[at..end])
            }
            _ => false,
        };
        if is_end {
            break;
        }
        end += 1;
    }
    // These are ASCII, so the range ends between characters.
    end
}

/// Words that a full stop belongs to, and behind which a sentence goes on.
const ABBREVIATED: [&str; 6] = ["e.g", "i.e", "vs", "cf", "approx", "incl"];

/// Whether a text ends in such a word, whatever its case.
fn is_abbreviated(text: &[u8]) -> bool {
    ABBREVIATED.iter().any(|word| {
        let Some(start) = text.len().checked_sub(word.len()) else { return false };
        text[start..].eq_ignore_ascii_case(word.as_bytes())
            && (start == 0 || !text[start - 1].is_ascii_alphanumeric())
    })
}

/// The first sentence of a text, without the mark at its end. A full stop in `Node.js` or before a word that goes on
/// in small letters ends none.
pub(crate) fn first_sentence(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || ".,;:!?".contains(c));
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let is_end = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                let goes_on = || rest.trim_start().starts_with(char::is_lowercase);
                rest.starts_with(char::is_whitespace)
                    && !goes_on()
                    && !is_abbreviated(&text.as_bytes()[..at])
            }
            _ => false,
        };
        if is_end {
            break;
        }
        end = at + c.len_utf8();
    }
    text[..end].trim().trim_end_matches(['.', '!', '?', ',', ';', ':', '(', '-', '–', '—', ' '])
}

/// A description in pieces, in order: what it says that the skill is for, and what it is not for (`true`).
pub(crate) fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for range in negative_ranges(text) {
        pieces.push((&text[from..range.start], false));
        from = range.end;
        pieces.push((&text[range], true));
    }
    pieces.push((&text[from..], false));
    pieces
}

/// The least and most words of a quotation that counts as a trigger phrase.
const PHRASE_WORDS: Range<usize> = 2..12;

/// Line breaks that one quotation runs over: a longer one would be no phrase.
const MAX_BREAKS: usize = 2;

/// What a text quotes: `"break it down"`, `'deep review'`, `“收尾”`, `` `lint` ``.
pub(crate) fn quotations(text: &str) -> Vec<&str> {
    quotation_ranges(text).into_iter().map(|range| text[range].trim()).collect()
}

/// What a text quotes as words: not as code, in which a single word is the name of a thing.
pub(crate) fn spoken_words(text: &str) -> impl Iterator<Item = &str> {
    let is_spoken = |range: &Range<usize>| !text[..range.start].ends_with('`');
    quotation_ranges(text).into_iter().filter(is_spoken).map(|range| text[range].trim())
}

/// Where quotations stand, without their marks.
fn quotation_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at + c.len_utf8();
        let close = match c {
            '"' => Some('"'),
            '“' => Some('”'),
            '「' => Some('」'),
            '`' => Some('`'),
            // Inside a word it is an apostrophe.
            '\'' if !before.is_alphanumeric() => Some('\''),
            '‘' => Some('’'),
            _ => None,
        };
        (before, at) = match close.map(|close| (close, quotation_end(text, start, close))) {
            Some((close, Some(end))) => {
                found.push(start..end);
                (close, end + close.len_utf8())
            }
            // A mark that is never closed spoils its line and no other.
            Some((_, None)) => {
                ('\n', text[start..].find('\n').map_or(text.len(), |end| start + end))
            }
            None => (c, start),
        };
    }
    found
}

/// Where a quotation ends that starts here. Text of a YAML block is wrapped wherever its line was full, so that a line
/// break inside is a blank; but the marks of a quotation stand at its words, which tells it from what stands between
/// two others when a mark was forgotten.
fn quotation_end(text: &str, start: usize, close: char) -> Option<usize> {
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let mut breaks = 0;
    for (at, c) in text[start..].char_indices() {
        let (inside, rest) = (&text[start..start + at], &text[start + at + c.len_utf8()..]);
        if c == close && breaks == 0 {
            return Some(start + at);
        }
        if c == close {
            let is_apostrophe = close == '\'' && rest.starts_with(char::is_alphanumeric);
            let is_whole =
                !is_blank(inside.chars().next()) && !is_blank(inside.chars().next_back());
            return (is_whole && !is_apostrophe).then_some(start + at);
        }
        if c == '\n' {
            breaks += 1;
            let next = rest.trim_start_matches([' ', '\t', '\r']);
            // A blank line, or an entry of a list, begins something else.
            if breaks > MAX_BREAKS || next.starts_with(['\n', '-', '*', '+']) {
                return None;
            }
        }
    }
    None
}

/// Whether a quotation is long enough to mean something by itself, and short enough to be said.
pub(crate) fn is_phrase(words: &[Word]) -> bool {
    PHRASE_WORDS.contains(&words.len()) && words.iter().any(|word| !word.is_stop)
}

/// Fewer letters are an initial or the number of a choice.
const LEAST_TRIGGER_CHARS: usize = 2;

/// Whether a phrase is a single word that may be a trigger by itself.
pub(crate) fn is_trigger_word(words: &[Word]) -> bool {
    let is_good = |word: &Word| {
        word.plain.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_TRIGGER_CHARS
    };
    matches!(words, [word] if !word.is_stop && is_good(word))
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
