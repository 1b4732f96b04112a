use super::*;

fn stems(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    super::stems(text, |stem| all.push(stem.to_owned()));
    all
}

#[test]
fn stop_words_are_sorted_for_the_search() {
    assert!(STOP.is_sorted());
}

#[test]
fn forms_of_a_word_share_a_stem() {
    for forms in [
        &["deploy", "deploys", "deployed", "deploying", "deployment"][..],
        &["migrate", "migrates", "migrating", "migration", "migrations"],
        &["query", "queries"],
        &["stop", "stopped", "stopping"],
        &["optimize", "optimizer", "optimization", "optimise"],
    ] {
        let stems: std::collections::BTreeSet<String> =
            forms.iter().flat_map(|form| stems(form)).collect();
        assert_eq!(stems.len(), 1, "{forms:?}: {stems:?}");
    }
}

#[test]
fn identifiers_are_words_and_their_parts() {
    assert_eq!(
        stems("parse_json in getUserName, GitHub v2.docx C++ and C#"),
        ["pars", "json", "getusernam", "nam", "github", "v2", "docx", "c++", "c#"]
            .map(str::to_owned)
            .into_iter()
            .collect::<Vec<_>>()
            .as_slice()
    );
}

#[test]
fn scripts_without_blanks_give_pairs() {
    assert_eq!(stems("帮我收尾 ok"), ["帮我", "我收", "收尾", "ok"]);
    assert_eq!(stems("一 b"), ["一", "b"]);
}

#[test]
fn what_a_skill_is_not_for_ends_with_its_sentence() {
    let text = "Fills forms. Do NOT use for scans; works on v1.2 too. Not for forums or e.g. mail.";
    let found: Vec<&str> = negative_ranges(text).into_iter().map(|range| &text[range]).collect();
    assert_eq!(found, ["Do NOT use for scans", "Not for forums or e.g. mail"]);
}

#[test]
fn a_sentence_that_ends_with_another_skill_is_not_for_this_one() {
    for (text, expected) in [
        (
            "Ships. \"send a parcel\" is NOT this skill. Use on \"ship it\".",
            " \"send a parcel\" is NOT this skill",
        ),
        (
            "Use on \"ship it\", but \"a bug\" is not for this skill.",
            "\"a bug\" is not for this skill",
        ),
        (
            "Ships; \"a bug\" is another skill's; \"ship it\" is its own.",
            " \"a bug\" is another skill's",
        ),
        ("Ships. Mail is another skill\u{2019}s job.", " Mail is another skill\u{2019}s job"),
        ("\"a, but b\" is not this skill", "\"a, but b\" is not this skill"),
        (
            "\"a bug\", do not use for \"b c\", is not this skill",
            "\"a bug\", do not use for \"b c\", is not this skill",
        ),
        ("Its log is another skill's input. Do this skill first.", ""),
        ("Use this skill if not sure. Cannot this skill-set be used?", ""),
    ] {
        let found: String = negative_ranges(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn quotations_are_found_in_every_style() {
    let text =
        "say \"break it down\", 'plan this', “roll back”, don't, 「收尾」 or `lint all`\n\"open";
    assert_eq!(quotations(text), ["break it down", "plan this", "roll back", "收尾", "lint all"]);
}

#[test]
fn a_quotation_runs_on_over_a_line_break_and_what_stands_between_two_is_none() {
    for (text, expected) in [
        (
            "says \"light the\n  torch\" or asks \"enter cave\"",
            &["light the\n  torch", "enter cave"][..],
        ),
        ("says \"light the\r\ntorch\"", &["light the\r\ntorch"]),
        ("says 'light the\ntorch' or “go\nin”", &["light the\ntorch", "go\nin"]),
        ("\"one\ntwo\nthree\"", &["one\ntwo\nthree"]),
        ("\"one\ntwo\nthree\nfour\"", &[]),
        // A blank line and an entry of a list begin something else.
        ("says \"light the\n\ntorch\"\nand \"a b\"", &["a b"]),
        ("- \"light the\n- torch\"\n- \"a b\"", &["a b"]),
        // A mark that was forgotten spoils its line.
        ("12\" of snow\nand \"enter cave\"", &["enter cave"]),
        ("says \"light it\nor asks \"enter cave\" twice", &["enter cave"]),
        ("rock 'n roll.\nNot for jazz's friends", &[]),
    ] {
        assert_eq!(quotations(text), expected, "{text}");
    }
    let text = "Lights. Not for \"light the\ncity\" or films\nUse on \"enter cave\".";
    let found: Vec<&str> = negative_ranges(text).into_iter().map(|range| &text[range]).collect();
    assert_eq!(found, ["Not for \"light the\ncity\" or films"]);
}

#[test]
fn a_name_is_seen_to_be_joined_or_called() {
    let seen: Vec<(String, bool, bool)> = words("run pr-naming or /tidy, a/b")
        .into_iter()
        .map(|word| (word.plain, word.is_joined, word.is_called))
        .collect();
    let of = |word: &str| seen.iter().find(|(plain, ..)| plain == word).cloned().unwrap();
    assert_eq!(of("naming"), ("naming".to_owned(), true, false));
    assert_eq!(of("tidy"), ("tidy".to_owned(), false, true));
    assert_eq!(of("b"), ("b".to_owned(), false, false));
}

#[test]
fn a_word_is_apart_after_a_mark_or_a_line_and_not_after_blanks_or_a_hyphen() {
    let apart = words("one two-three, four. five\nsix - seven (eight) don't nine");
    let apart: Vec<String> =
        apart.into_iter().filter(|word| word.is_apart).map(|word| word.plain).collect();
    assert_eq!(apart, ["four", "five", "six", "seven", "eight", "don"]);
}

#[test]
fn trigrams_know_where_a_word_ends() {
    let mut found = Vec::new();
    trigrams("pdf", |trigram| found.push(trigram.iter().collect::<String>()));
    assert_eq!(found, ["\u{2}pd", "pdf", "df\u{3}"]);
}

#[test]
fn a_typing_error_resembles_its_word_and_chance_does_not() {
    let resembling =
        |word: &str| resembles(word, "Tidies the changelog, tells the weather, formats");
    for word in ["chagnelog", "wether", "format", "a changelogs"] {
        assert!(resembling(word), "{word}");
    }
    for word in ["explain", "the", "channel", "information", "weak", ""] {
        assert!(!resembling(word), "{word}");
    }
}

#[test]
fn the_longest_word_that_says_nothing_is_known() {
    assert_eq!(STOP.iter().map(|word| word.len()).max(), Some(LONGEST_STOP));
}
