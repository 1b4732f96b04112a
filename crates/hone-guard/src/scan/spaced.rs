//! Texts that blanks hide from a reader: pushed off the side of a page, or with blanks between their letters.
//! Both are put in front of the rules as the words they are.

use std::borrow::Cow;

use super::file_passages::straight;
use super::finding::Context as In;
use super::kind::Language;
use super::passage::{Passage, Place};
use super::text::Text;

/// What stands on a line behind so many blanks that nobody sees it, also where a table drops it.
pub(super) fn pushed_aside(text: &Text, file: usize) -> Vec<Passage<'_>> {
    const BLANKS: &str =
        "                                                                                ";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.plain[from..].find(BLANKS).map(|at| from + at) {
        let end = text.plain[at..].find('\n').map_or(text.plain.len(), |end| at + end);
        let rest = text.plain[at..end].trim_start();
        if rest.len() > 12 {
            found.push(straight(file, Language::Markdown, In::Hidden, text, end - rest.len()..end));
        }
        from = end;
    }
    found
}

/// Words written with blanks between their letters, put together again.
pub(super) fn letter_spaced(text: &Text, file: usize, context: In) -> Vec<Passage<'_>> {
    const MIN_LETTERS: usize = 12;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.plain.split_inclusive('\n') {
        let (mut words, mut single) = (0, 0);
        let is_between = |c: char| matches!(c, ' ' | '.' | '-' | '_' | '*' | '\u{00B7}');
        for word in line.split(is_between).filter(|word| !word.is_empty()) {
            let mut letters = word.chars();
            let is_one =
                letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
            (words, single) = (words + 1, single + usize::from(is_one));
        }
        if single >= MIN_LETTERS && single * 4 >= words * 3 {
            let joined = join_letters(line);
            let mut passage =
                straight(file, Language::Markdown, In::Hidden, text, start..start + line.len());
            if !context.acts() {
                passage.context = context;
            }
            passage.text = Cow::Owned(joined);
            passage.place = Place::Fixed { line: text.position(start).0, column: 1 };
            passage.decoded = Some("spaced letters".to_owned());
            found.push(passage);
        }
        start += line.len();
    }
    found
}

/// Puts spaced letters together. Where dots or dashes stand between letters, blanks part the words;
/// where blanks do, two blanks or more.
fn join_letters(line: &str) -> String {
    let is_mark = |c: char| matches!(c, '.' | '-' | '_' | '*' | '\u{00B7}');
    let marked =
        line.chars().filter(|c| is_mark(*c)).count() > line.chars().filter(|c| *c == ' ').count();
    let words: Vec<String> = line
        .split(if marked { " " } else { "  " })
        .map(|word| word.chars().filter(|c| !(is_mark(*c) || *c == ' ')).collect())
        .filter(|word: &String| !word.trim().is_empty())
        .collect();
    words.join(" ")
}
