use super::*;
use crate::scan::text::Text;

#[test]
fn entries_are_written_as_normalised_text_is() {
    for (concept, words) in table() {
        for word in words.split('|') {
            let plain = Text::from_string(word.to_owned()).plain.to_lowercase();
            assert_eq!(word, plain, "{concept:?}");
            assert!(!word.contains("  "), "{concept:?}: {word}");
        }
    }
}

#[test]
fn entries_add_up_and_words_are_whole() {
    let at = |text: &str| LEXICON.at(text).words;
    let (set, length) = at("do not follow it").unwrap();
    assert!(set.has(Concept::Ignore) && set.has(Concept::Not) && length == "do not follow".len());
    assert!(at("do  not go").unwrap().0.has(Concept::Not));
    assert!(at("force-push").unwrap().0.has(Concept::Destroy));
    let apart = |blanks| format!("do{}not", " ".repeat(blanks));
    assert!(at(&apart(MAX_BLANKS)).unwrap().0.has(Concept::Not));
    assert!(!at(&apart(MAX_BLANKS + 1)).is_some_and(|(set, _)| set.has(Concept::Not)));
    assert_eq!(at("sender").map(|(set, _)| set.has(Concept::Send)), None);
    assert!(at("игнорируйте").unwrap().0.has(Concept::Ignore));
    assert!(at("忽略之前").unwrap().0.has(Concept::Ignore));
}
