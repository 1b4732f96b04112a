//! Characters that say something a reader cannot see: tag characters, variation selectors,
//! zero-width streams, direction overrides, terminal sequences. What they spell is decoded.
//!
//! Emoji sequences, joiners between letters of scripts that need them, and marks of right-to-left
//! text are grammar, not findings.

use std::ops::Range;

use super::text::{is_shapeless, latin_twin};

/// A run of hidden characters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// Its bytes in the text as it stands in the file.
    pub(crate) range: Range<usize>,
    /// What kind of characters.
    pub(crate) kind: Kind,
    /// What they spell, where they spell something.
    pub(crate) spelled: String,
}

/// The kinds of hidden characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Tags,
    Selectors,
    ZeroWidth,
    Direction,
    SplitWords,
    Terminal,
}

impl Kind {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Tags => "Unicode tag characters spell hidden text",
            Self::Selectors => "variation selectors carry hidden bytes",
            Self::ZeroWidth => "a stream of zero-width characters carries hidden bits",
            Self::Direction => {
                "characters that override the direction of text make it read otherwise than it runs"
            }
            Self::SplitWords => {
                "characters without a shape split words that an instruction or command needs"
            }
            Self::Terminal => "a terminal sequence hides or moves text",
        }
    }
}

/// Longest terminal sequence, in characters.
const MAX_SEQUENCE: usize = 64;
/// Shortest run of tag characters outside a flag that counts.
const MIN_TAGS: usize = 3;
/// Shortest run of variation selectors that carries bytes; real text never repeats them.
const MIN_SELECTORS: usize = 3;
/// Shortest stream of zero-width characters.
const MIN_ZERO_WIDTH: usize = 8;
/// Zero-width characters between ordinary letters and blanks, all of a text together, that make a
/// stream; break points in long words are of one kind.
const MIN_SCATTERED: usize = 16;
/// Telling words split by characters without a shape before that is no accident.
const MIN_SPLIT_WORDS: usize = 2;
/// Words split where no hyphenation splits them before that is no accident.
const MIN_WRONG_SPLITS: usize = 4;
/// Words that somebody would want to hide from who searches for them. Hyphenation splits long words
/// of a language, not these.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "ignore", "disregard", "previous", "instruction", "instructions", "system", "prompt",
    "override", "password", "passwords", "secret", "secrets", "token", "tokens", "private", "keys",
    "key", "upload", "send", "curl", "wget", "bash", "shell", "user", "users", "without",
    "telling", "https", "http", "ssh", "credentials", "execute", "silently", "silence", "browser",
    "saved", "read", "hidden", "delete", "exec", "eval", "sudo", "base", "admin", "developer",
    "never", "mention", "reveal", "forget", "earlier", "above", "post", "run", "env",
    "environment", "cookie", "cookies", "wallet", "files", "file", "data", "python", "powershell",
    "approve", "permission", "permissions",
];

/// Finds the hidden characters of a text. `is_code`: direction marks that prose may use are findings.
pub(crate) fn find(text: &str, is_code: bool) -> Vec<Hidden> {
    let mut found = Vec::new();
    if text.is_ascii() && !text.contains('\u{1b}') {
        return found;
    }
    let Split { telling: split_words, others: split_others, wrong } = split_words(text);
    let mut scattered: Vec<(usize, char)> = Vec::new();
    let mut rtl = false;
    let mut before: Option<char> = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '\u{E0001}'..='\u{E007F}' => {
                let mut spelled = String::new();
                let mut count = 0;
                let mut end = at;
                let mut next = Some((at, c));
                while let Some((i, c @ '\u{E0001}'..='\u{E007F}')) = next {
                    if let Some(plain) = char::from_u32(c as u32 - 0xE0000) {
                        spelled.push(plain);
                    }
                    count += 1;
                    end = i + c.len_utf8();
                    next = rest.next_if(|(_, c)| ('\u{E0001}'..='\u{E007F}').contains(c));
                }
                // England, Scotland and Wales: a black flag, at most six tags, the end tag.
                let flag = before == Some('\u{1F3F4}') && count <= 7 && spelled.ends_with('\u{7f}');
                if !flag && count >= MIN_TAGS {
                    found.push(Hidden { range: at..end, kind: Kind::Tags, spelled });
                }
            }
            '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
                let mut bytes = vec![selector_byte(c)];
                let mut end = at + c.len_utf8();
                while let Some((i, c)) = rest.next_if(|(_, c)| is_selector(*c)) {
                    bytes.push(selector_byte(c));
                    end = i + c.len_utf8();
                }
                if bytes.len() >= MIN_SELECTORS {
                    let spelled = String::from_utf8_lossy(&bytes).into_owned();
                    found.push(Hidden { range: at..end, kind: Kind::Selectors, spelled });
                }
            }
            '\u{200B}'
            | '\u{200C}'
            | '\u{200D}'
            | '\u{2060}'..='\u{2064}'
            | '\u{FEFF}'
            | '\u{180E}' => {
                let mut run = vec![c];
                let mut end = at + c.len_utf8();
                while let Some((i, c)) = rest.next_if(|(_, c)| is_zero_width(*c)) {
                    run.push(c);
                    end = i + c.len_utf8();
                }
                if run.len() >= MIN_ZERO_WIDTH {
                    let spelled = bits(&run);
                    found.push(Hidden { range: at..end, kind: Kind::ZeroWidth, spelled });
                } else if before.is_some_and(|c| c.is_ascii())
                    && rest.peek().is_none_or(|(_, c)| c.is_ascii())
                {
                    scattered.extend(run.iter().map(|c| (at, *c)));
                }
            }
            '\u{202D}' | '\u{202E}' => {
                found.push(direction(at, c));
            }
            '\u{202A}' | '\u{202B}' | '\u{2066}'..='\u{2068}' if is_code && !rtl => {
                found.push(direction(at, c));
            }
            '\u{0590}'..='\u{08FF}' => rtl = true,
            '\u{1b}' if rest.peek().is_some_and(|(_, c)| matches!(c, '[' | ']' | 'P')) => {
                let end = text[at..]
                    .char_indices()
                    .take(MAX_SEQUENCE)
                    .skip(2)
                    .find(|(_, c)| c.is_ascii_alphabetic());
                // One that does not end is shown by no terminal.
                let Some(end) = end.map(|(i, _)| at + i + 1) else { continue };
                let sequence = &text[at..end];
                // Colour is what build logs contain; hiding and moving is not.
                let conceals = sequence.ends_with('m')
                    && is_unseen(&sequence[2..sequence.len() - 1])
                    || matches!(
                        sequence.as_bytes().last(),
                        Some(b'A'..=b'H' | b'J' | b'K' | b'f' | b's' | b'u')
                    )
                    || sequence.starts_with("\u{1b}]");
                if conceals {
                    found.push(Hidden {
                        range: at..end,
                        kind: Kind::Terminal,
                        spelled: String::new(),
                    });
                }
            }
            _ => {}
        }
        before = Some(c);
    }
    let kinds = scattered.iter().any(|(_, c)| *c == scattered[0].1)
        && scattered.iter().any(|(_, c)| *c != scattered[0].1);
    if scattered.len() >= MIN_SCATTERED && kinds {
        let run: Vec<char> = scattered.iter().map(|(_, c)| *c).collect();
        let first = scattered[0].0;
        found.push(Hidden {
            range: first..first + scattered[0].1.len_utf8(),
            kind: Kind::ZeroWidth,
            spelled: bits(&run),
        });
    }
    // Where most of the split words are others, somebody marks where lines may break; but no line breaks
    // inside short words or behind single letters.
    let telling = split_words
        .first()
        .filter(|_| split_words.len() >= MIN_SPLIT_WORDS && split_words.len() >= split_others);
    let wrong = wrong.first().filter(|_| wrong.len() >= MIN_WRONG_SPLITS);
    if let Some(first) = telling.or(wrong) {
        found.push(Hidden { range: first.clone(), kind: Kind::SplitWords, spelled: String::new() });
    }
    found
}

/// Whether the numbers of a colour sequence conceal, or paint text in the colour of its ground.
fn is_unseen(numbers: &str) -> bool {
    let numbers: Vec<&str> = numbers.split(';').map(|n| n.trim_start_matches('0')).collect();
    let ground = |from: char| {
        numbers.iter().find_map(|n| {
            n.strip_prefix(from).filter(|digit| digit.len() == 1 && !matches!(*digit, "8" | "9"))
        })
    };
    let long = |start: &str| {
        numbers.iter().position(|n| *n == start).and_then(|at| numbers.get(at + 1..)).map(|rest| {
            rest[..rest.len().min(if rest.first() == Some(&"2") { 4 } else { 2 })].to_vec()
        })
    };
    let same_long = long("38").is_some_and(|text| long("48") == Some(text));
    // The number 8 by itself conceals; inside `38;5;8` it is a colour.
    let conceals = numbers.contains(&"8") && !numbers.contains(&"38") && !numbers.contains(&"48");
    conceals || same_long || ground('3').is_some_and(|text| ground('4') == Some(text))
}

/// The words of a text that characters without a shape split.
#[derive(Default)]
struct Split {
    /// Those that somebody would want to hide.
    telling: Vec<Range<usize>>,
    /// How many others.
    others: usize,
    /// Those that no hyphenation splits there.
    wrong: Vec<Range<usize>>,
}

fn split_words(text: &str) -> Split {
    const LONGEST: usize = 64;
    // Hyphenation leaves words of so many letters whole.
    const WHOLE: usize = 4;
    let mut found = Split::default();
    let mut word = String::new();
    let mut split: Option<usize> = None;
    // Letters since the last split, and whether one stood alone.
    let (mut letters, mut alone) = (0_usize, false);
    let mut start = 0;
    for (at, c) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        if is_shapeless(c) {
            if !word.is_empty() {
                split.get_or_insert(at);
                alone |= letters == 1;
                letters = 0;
            }
        } else if c.is_alphabetic() && word.len() < LONGEST {
            if word.is_empty() {
                start = at;
            }
            letters += 1;
            word.extend(latin_twin(c).unwrap_or(c).to_lowercase());
        } else {
            // A mark after the word splits nothing.
            if split.is_some_and(|at| at < start + word.len()) {
                let short = word.len() <= WHOLE || alone || letters == 1;
                if short && word.bytes().all(|b| b.is_ascii_alphabetic()) {
                    found.wrong.push(start..at);
                }
                if TELLING.contains(&word.as_str()) {
                    found.telling.push(start..at);
                } else {
                    found.others += 1;
                }
            }
            word.clear();
            split = None;
            (letters, alone) = (0, false);
        }
    }
    found
}

fn direction(at: usize, c: char) -> Hidden {
    Hidden { range: at..at + c.len_utf8(), kind: Kind::Direction, spelled: String::new() }
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// The byte that a variation selector stands for: 1 to 16 are 0 to 15, 17 to 256 the rest.
fn selector_byte(c: char) -> u8 {
    let code = c as u32;
    let byte = if code >= 0xE0100 { code - 0xE0100 + 16 } else { code - 0xFE00 };
    u8::try_from(byte).unwrap_or(u8::MAX)
}

fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}')
}

/// What a stream of two or more different zero-width characters spells as bits, if it is text.
fn bits(run: &[char]) -> String {
    let readings = [
        ('\u{200B}', '\u{200C}'),
        ('\u{200C}', '\u{200D}'),
        ('\u{200B}', '\u{200D}'),
        ('\u{200C}', '\u{200B}'),
    ];
    for (zero, one) in readings {
        let digits: Vec<u8> = run
            .iter()
            .filter_map(|c| {
                if *c == zero {
                    Some(0)
                } else if *c == one {
                    Some(1)
                } else {
                    None
                }
            })
            .collect();
        let bytes: Vec<u8> = digits
            .chunks_exact(8)
            .map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit))
            .collect();
        if bytes.len() >= 2 && bytes.iter().all(|b| (b' '..=b'~').contains(b) || *b == b'\n') {
            return String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, String)> {
        find(text, false).into_iter().map(|hidden| (hidden.kind, hidden.spelled)).collect()
    }

    #[test]
    fn tags_and_selectors_are_spelled_out() {
        let tags: String =
            "run it".chars().map(|c| char::from_u32(c as u32 + 0xE0000).unwrap()).collect();
        assert_eq!(kinds(&format!("hello{tags}")), [(Kind::Tags, "run it".to_owned())]);
        let selectors: String =
            "curl".bytes().map(|b| char::from_u32(0xE0100 + u32::from(b) - 16).unwrap()).collect();
        assert_eq!(kinds(&format!("😀{selectors}")), [(Kind::Selectors, "curl".to_owned())]);
    }

    #[test]
    fn a_zero_width_stream_is_read_as_bits() {
        let stream: String = "hi"
            .bytes()
            .flat_map(|b| {
                (0..8).rev().map(move |i| if b >> i & 1 == 1 { '\u{200C}' } else { '\u{200B}' })
            })
            .collect();
        assert_eq!(kinds(&stream), [(Kind::ZeroWidth, "hi".to_owned())]);
    }

    #[test]
    fn emoji_flags_joiners_and_colours_are_no_findings() {
        let wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}";
        let quiet = [
            "👩‍👩‍👧 family ❤️",
            wales,
            "می‌خواهم",
            "\u{FEFF}text",
            "\u{1b}[31mred\u{1b}[0m",
            "שלום \u{200F}!",
        ];
        for text in quiet {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn telling_words_that_are_split_are_found_and_hyphenation_is_not() {
        assert_eq!(
            kinds("Ig\u{200B}nore pre\u{2060}vious in\u{AD}structions")[0].0,
            Kind::SplitWords
        );
        for text in [
            "Daten\u{AD}schutz\u{AD}grund\u{AD}verordnung Pass\u{AD}wort",
            "Auf\u{200C}lage Schiff\u{200C}fahrt",
            "max_\u{200B}connection_\u{200B}retry",
            "one ig\u{AD}nore is an accident",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn splits_that_no_hyphenation_makes_are_found_whatever_the_words() {
        let wrong = ["th\u{AD}e", "c\u{AD}at", "sa\u{AD}t", "o\u{AD}n", "ma\u{AD}ts"];
        let most = wrong[..MIN_WRONG_SPLITS].join(" ");
        assert_eq!(kinds(&most)[0].0, Kind::SplitWords);
        assert_eq!(kinds(&wrong[..MIN_WRONG_SPLITS - 1].join(" ")), []);
        assert_eq!(kinds("hy\u{AD}phen\u{AD}ation of long words ".repeat(9).as_str()), []);
    }

    #[test]
    fn bits_between_words_are_a_stream_and_break_points_are_not() {
        let scattered: String = (0..MIN_SCATTERED)
            .map(|i| if i % 3 == 0 { "a \u{200C}" } else { "a \u{200D}" })
            .collect();
        assert_eq!(kinds(&scattered)[0].0, Kind::ZeroWidth);
        let fewer: String = (0..MIN_SCATTERED - 1)
            .map(|i| if i % 3 == 0 { "a \u{200C}" } else { "a \u{200D}" })
            .collect();
        assert_eq!(kinds(&fewer), []);
        assert_eq!(kinds(&"a/\u{200B}".repeat(50)), []);
    }

    #[test]
    fn overrides_and_concealing_sequences_are_found() {
        assert_eq!(kinds("a\u{202E}b")[0].0, Kind::Direction);
        assert_eq!(kinds("\u{1b}[8mhidden\u{1b}[0m")[0].0, Kind::Terminal);
        assert_eq!(kinds("\u{1b}[30;40mhidden\u{1b}[0m")[0].0, Kind::Terminal);
        assert_eq!(kinds("\u{1b}[38;5;16;48;5;16mx\u{1b}[0m")[0].0, Kind::Terminal);
        assert_eq!(kinds("\u{1b}[37;40mwhite on black\u{1b}[0m \u{1b}[38;5;8mgrey"), []);
        assert_eq!(find("x = 1 \u{2066}# y", true)[0].kind, Kind::Direction);
        assert_eq!(find("עברית \u{2067}x\u{2069}", true), []);
    }
}
