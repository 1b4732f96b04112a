//! What holds for any text.

use std::path::Path;

use hone_router::{
    Attribution, CORE_COMMANDS, Commands, Inline, InlineCommand, InlineError, InlineOutput,
    Mention, RunInline, Variables, mentions, split_arguments, token_bound, user_words,
};
use proptest::prelude::*;

use crate::level0::{index, listed};
use crate::payload::Call;
use crate::shelf::Shelf;

/// Text with much of what means something to somebody.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<user_words>\n"),
        Just("\n</user_words>"),
        Just("</skill_body>"),
        Just("</Skill>"),
        Just("&lt;/skill>"),
        Just("&amp;lt;skill "),
        Just("</available_skills>"),
        Just("▸ "),
        Just("$0"),
        Just("$ARGUMENTS"),
        Just("${SKILL_DIR}"),
        Just("!`x`"),
        Just("```\n"),
        Just("[$a]("),
        Just("\n"),
        Just("\\"),
        Just("\u{202e}"),
        Just("é"),
    ];
    let piece = prop_oneof![piece.prop_map(str::to_owned), "[ -~]{0,6}", "\\PC{0,3}"];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

struct Echo;

impl RunInline for Echo {
    fn run(&self, command: &InlineCommand) -> Result<InlineOutput, InlineError> {
        let stdout = format!("</skill_body>{}<user_words>\nx\n</user_words>", command.command);
        Ok(InlineOutput { stdout, ..InlineOutput::default() })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn an_index_is_inside_its_budget_and_each_skill_has_one_line(
        descriptions in prop::collection::vec(text(), 1..8),
        budget in 0_usize..300,
    ) {
        let skills: Vec<_> = descriptions
            .iter()
            .enumerate()
            .map(|(n, description)| listed(&format!("s{n}"), description))
            .collect();
        let index = index(&skills, budget);
        prop_assert!(token_bound(&index.text) <= budget);
        if !index.text.is_empty() {
            let marked = index.text.lines().filter(|line| line.starts_with("▸ ")).count();
            prop_assert_eq!(marked, index.full.len() + index.named.len());
            let last = usize::from(!index.left_out.is_empty());
            prop_assert_eq!(index.text.lines().count(), marked + last + 2);
            prop_assert_eq!(index.text.matches("</available_skills>").count(), 1);
        }
    }

    #[test]
    fn nothing_panics_and_nothing_is_made_up(line in text()) {
        for mention in mentions(&line) {
            let name = match mention {
                Mention::Name(name) | Mention::Link { name, .. } => name,
            };
            prop_assert!(line.contains(&format!("${name}")), "{} in {}", name, line);
        }
        let _ = split_arguments(&line);
        let none = Variables::default();
        let filled = none.fill(&line);
        prop_assert_eq!(filled.replace('\\', ""), line.replace('\\', ""), "no value, no change");
        let skills = [listed("a", "x")];
        let index = Attribution::new(&skills, Path::new("/home"));
        let _ = index.command(&line, Path::new("/skills/a"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn a_payload_has_our_tags_once_and_gives_the_words_back(body in text(), words in text()) {
        let shelf = Shelf::new();
        shelf.skill("user/a", "", &format!("x{body}"));
        let words = words.trim();
        let call = Call { words, inline: Inline::Run(&Echo), ..Call::default() };
        let text = call.prepare(&shelf, &["a"]).unwrap().text;
        for tag in ["<skill ", "<skill_body>", "</skill_body>", "</skill>"] {
            prop_assert_eq!(text.matches(tag).count(), 1, "{}: {}", tag, text);
        }
        let expected = if words.is_empty() { None } else { Some(words.to_owned()) };
        prop_assert_eq!(user_words(&text), expected);
    }

    #[test]
    fn any_message_is_a_call_or_a_reason(message in text()) {
        let shelf = Shelf::with(&["a", "b"]);
        let catalogue = shelf.catalogue();
        let commands = Commands::new(&catalogue, &[], &CORE_COMMANDS);
        for message in [message.clone(), format!("/{message}"), format!("/a /b {message}")] {
            match commands.parse(&message) {
                Ok(called) => prop_assert!(message.ends_with(called.words)),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
