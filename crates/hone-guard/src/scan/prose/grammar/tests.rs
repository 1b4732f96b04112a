use super::*;
use crate::scan::text::Text;

#[test]
fn stems_are_written_as_normalised_text_is_and_no_language_is_left_out() {
    for (root, rows) in ROOTS {
        for (tongue, row) in rows.iter().enumerate() {
            for word in row.split('|') {
                let plain = Text::from_string(word.to_owned()).plain.to_lowercase();
                assert_eq!(word, plain, "{root:?} {tongue}");
                assert!(word.trim_end_matches('*').len() > 1, "{root:?} {tongue}");
                let text = word.strip_suffix('*').unwrap_or(word);
                let bare = text.split([' ', '*']).next().unwrap().len();
                assert!(
                    word.len() == text.len() || bare >= KEY,
                    "{root:?}: `{word}` is too short to have endings"
                );
            }
        }
    }
}
