//! Variables in a skill's text.

use hone_router::{Variables, split_arguments};

fn filled(text: &str, arguments: &str) -> String {
    let names = ["issue".to_owned(), "base-branch".to_owned()];
    let variables = Variables {
        folder: Some("/s/tidy"),
        session: Some("7"),
        arguments: Some(arguments),
        names: &names,
    };
    variables.fill(text).into_owned()
}

/// Hermes T01; each agent's spelling.
#[test]
fn folder_and_session_have_three_names_each() {
    assert_eq!(
        filled("${SKILL_DIR} ${HERMES_SKILL_DIR} ${CLAUDE_SKILL_DIR}", ""),
        "/s/tidy /s/tidy /s/tidy"
    );
    assert_eq!(filled("${SESSION_ID}${HERMES_SESSION_ID}${CLAUDE_SESSION_ID}", ""), "777");
}

/// Hermes T02, T03.
#[test]
fn what_has_no_value_stays_visible() {
    let text = "${SESSION_ID} ${HERMES_SKILL_DIR} $0 $ARGUMENTS $HERMES_SKILL_DIR ${OTHER} ${ $";
    assert_eq!(Variables::default().fill(text), text);
    assert_eq!(
        filled("$HERMES_SKILL_DIR ${OTHER} ${HOME} $HOME", "x"),
        "$HERMES_SKILL_DIR ${OTHER} ${HOME} $HOME"
    );
}

#[test]
fn arguments_are_there_whole_by_position_and_by_name() {
    assert_eq!(filled("[$ARGUMENTS]", "42 'fix it' now"), "[42 'fix it' now]");
    assert_eq!(filled("$0|$1|$2|$3", "42 'fix it' now"), "42|fix it|now|$3");
    assert_eq!(
        filled("$ARGUMENTS[0]|$ARGUMENTS[1]|$ARGUMENTS[9]|$ARGUMENTS[x]", "a b"),
        "a|b|$ARGUMENTS[9]|a b[x]"
    );
    assert_eq!(filled("$issue on $base-branch, $issue-x", "42 main"), "42 on main, 42-x");
    assert_eq!(filled("$issue on $base-branch", "42"), "42 on $base-branch");
    assert_eq!(filled("[$ARGUMENTS]", ""), "[]");
}

#[test]
fn a_backslash_keeps_a_variable_and_goes() {
    assert_eq!(
        filled(r"\$0 \$ARGUMENTS \${SKILL_DIR} \$HOME \\n", "a"),
        r"$0 $ARGUMENTS ${SKILL_DIR} \$HOME \\n"
    );
}

#[test]
fn what_only_looks_like_a_variable_is_left() {
    let arguments = "a b c d e f";
    for text in ["$1st", "$ARGUMENTS_X", "$5.00", "$1,000", "$100", "$issues", "$$", "a$"] {
        assert_eq!(filled(text, arguments), text);
    }
    assert_eq!(filled("$1. $1, $1) ($1", arguments), "b. b, b) (b");
}

#[test]
fn what_is_put_in_is_not_looked_at_again() {
    assert_eq!(filled("$0 $ARGUMENTS", "${SKILL_DIR} $0 $1"), "${SKILL_DIR} ${SKILL_DIR} $0 $1");
}

#[test]
fn arguments_are_split_as_a_shell_does() {
    for (text, words) in [
        ("", vec![]),
        ("  a   b ", vec!["a", "b"]),
        ("'a b' \"c d\"e", vec!["a b", "c de"]),
        (r#"a\ b "c\"d" 'e\f' "g\h""#, vec!["a b", "c\"d", r"e\f", r"g\h"]),
        ("'' \"\"", vec!["", ""]),
        ("don't stop", vec!["dont stop"]),
        ("ünï 技能", vec!["ünï", "技能"]),
        ("end\\", vec!["end"]),
    ] {
        assert_eq!(split_arguments(text), words, "{text}");
    }
}

#[test]
fn a_hundred_thousand_variables_are_one_pass() {
    assert_eq!(filled(&"$0".repeat(100_000), "$0").len(), 200_000);
    assert_eq!(filled(&"${".repeat(100_000), "x").len(), 200_000);
}
