//! Every limit of the format: at the bound it holds, one past it the reader says so.

mod findings;

use findings::{findings, forgives, forgives_as, has, refuses, skill};
use hone_skill::limits::{
    MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_FRONTMATTER_BYTES, MAX_NAME_CHARS,
    MAX_READ_BYTES, MAX_SKILL_CHARS, MAX_YAML_DEPTH, MAX_YAML_NODES, MAX_YAML_TEXT_BYTES,
    RECOMMENDED_BODY_LINES,
};
use hone_skill::{Rule, read};

/// A skill whose frontmatter holds one more entry.
fn with(entry: &str) -> String {
    format!("---\nname: greet\ndescription: Says hello\n{entry}\n---\nHi\n")
}

#[test]
fn a_file_of_the_largest_size_is_read_and_one_byte_more_is_not() {
    let head = "---\nname: greet\ndescription: Says hello\n---\n";
    let text = head.to_owned() + &"x".repeat(MAX_READ_BYTES - head.len());
    assert_eq!(skill(&text, "greet").body, head.len()..MAX_READ_BYTES);
    refuses(
        (text + "x").as_bytes(),
        // No position: nothing of it was looked at.
        "1:1 file-too-large \"\"",
        "the file has 1048577 bytes, 1048576 are read at most",
    );
}

#[test]
fn a_frontmatter_of_the_largest_size_is_read_and_one_byte_more_is_not() {
    let inside = "name: greet\ndescription: Says hello\n#\n".len();
    let comment = |extra| with(&format!("#{}", "x".repeat(MAX_FRONTMATTER_BYTES - inside + extra)));
    forgives(&comment(0), &[]);
    refuses(
        comment(1).as_bytes(),
        "1:1 frontmatter-too-large \"---\"",
        "the frontmatter has 65537 bytes, 65536 are read at most",
    );
}

#[test]
fn a_file_of_the_most_characters_may_be_written_and_one_more_is_reported() {
    let head = "---\nname: greet\ndescription: Says hello\n---\n";
    let text = head.to_owned() + &"é".repeat(MAX_SKILL_CHARS - head.len());
    forgives(&text, &[]);
    forgives(&(text + "é"), &["5:1 file-long \"\""]);
}

#[test]
fn names_are_counted_in_characters() {
    let named = |name: &str| format!("---\nname: {name}\ndescription: Says hello\n---\nHi\n");
    for (letter, other) in [("a", None), ("é", Some("2:7 name-non-ascii"))] {
        let name = letter.repeat(MAX_NAME_CHARS);
        let reading = read(named(&name).as_bytes(), Some(&name));
        let found = findings(&reading, named(&name).as_bytes());
        assert_eq!(found.len(), usize::from(other.is_some()), "{found:?}");
        let longer = name + letter;
        let reading = read(named(&longer).as_bytes(), Some(&longer));
        assert_eq!(
            findings(&reading, named(&longer).as_bytes())[0],
            format!("2:7 name-too-long {longer:?}")
        );
        assert_eq!(reading.skill.map(|skill| skill.name), Some(longer));
    }
}

#[test]
fn descriptions_are_counted_in_characters() {
    for letter in ["a", "é", "😀"] {
        let text = letter.repeat(MAX_DESCRIPTION_CHARS);
        let file = |text: &str| format!("---\nname: greet\ndescription: {text}\n---\nHi\n");
        forgives_as(&file(&text), ("greet", &text), &[]);
        let longer = format!("{text}{letter}");
        forgives_as(
            &file(&longer),
            ("greet", &longer),
            &[&format!("3:14 description-too-long {longer:?}")],
        );
        // Blanks around it count only in the reference validator.
        let padded = format!("'{text} '");
        forgives_as(
            &file(&padded),
            ("greet", &format!("{text} ")),
            &[&format!("3:14 description-blanks {padded:?}")],
        );
    }
}

#[test]
fn compatibility_has_a_length() {
    for (value, good) in [
        ("x".repeat(MAX_COMPATIBILITY_CHARS), true),
        ("é".repeat(MAX_COMPATIBILITY_CHARS), true),
        ("x".repeat(MAX_COMPATIBILITY_CHARS + 1), false),
        ("''".to_owned(), false),
        (String::new(), false),
        ("{a: b}".to_owned(), false),
    ] {
        let text = with(&format!("compatibility: {value}"));
        assert_eq!(!has(&text, Rule::Compatibility), good, "{value}");
    }
}

#[test]
fn nesting_has_a_depth_whatever_it_is_made_of() {
    // The frontmatter itself is the first level.
    let flow =
        |levels: usize| with(&format!("x: {}{}", "[".repeat(levels - 1), "]".repeat(levels - 1)));
    let block = |levels: usize| {
        let lines = (1..levels).map(|at| format!("{}k:\n", " ".repeat(at)));
        with(&format!("x:\n{}", lines.collect::<String>().trim_end()))
    };
    let mixed = |levels: usize| {
        let (lists, maps) = (levels / 2, levels - levels / 2 - 1);
        with(&format!(
            "x: {}{}{}{}",
            "[".repeat(lists),
            "{a: ".repeat(maps),
            "}".repeat(maps),
            "]".repeat(lists)
        ))
    };
    let aliased = |levels: usize| {
        let half = levels / 2;
        let (inner, outer) = (half, levels - half - 1);
        with(&format!(
            "x: &x {}{}\ny: {}*x{}",
            "[".repeat(inner),
            "]".repeat(inner),
            "[".repeat(outer),
            "]".repeat(outer)
        ))
    };
    for (kind, nested) in [
        ("flow", &flow as &dyn Fn(usize) -> String),
        ("block", &block),
        ("mixed", &mixed),
        ("aliased", &aliased),
    ] {
        assert_eq!(skill(&nested(MAX_YAML_DEPTH), "greet").name, "greet", "{kind}");
        let text = nested(MAX_YAML_DEPTH + 1);
        let reading = read(text.as_bytes(), Some("greet"));
        let message = reading.refusal().map(|refusal| (refusal.rule, refusal.message.as_str()));
        let expected = "lists and maps are nested deeper than 32 levels";
        assert_eq!(message, Some((Rule::YamlLimit, expected)), "{kind}");
    }
}

#[test]
fn values_have_a_number() {
    // The map, two keys, two values, the list and its key: seven nodes before the first item.
    let items = |count: usize| with(&format!("x: [{}]", "a,".repeat(count - 7)));
    assert_eq!(skill(&items(MAX_YAML_NODES), "greet").name, "greet");
    let text = items(MAX_YAML_NODES + 1);
    let reading = read(text.as_bytes(), Some("greet"));
    assert_eq!(reading.refusal().map(|refusal| refusal.rule), Some(Rule::YamlLimit));
}

#[test]
fn texts_have_a_total_length_with_aliases_counted() {
    const PIECE: usize = 40 * 1024;
    let plain = "namegreetdescriptionSays helloxy".len();
    let copies = MAX_YAML_TEXT_BYTES / PIECE - 1;
    let file = |extra: usize| {
        let rest = MAX_YAML_TEXT_BYTES - plain - PIECE * (copies + 1) + extra;
        with(&format!(
            "x: &x {}\ny: [{}{}]",
            "a".repeat(PIECE),
            "*x, ".repeat(copies),
            "b".repeat(rest)
        ))
    };
    assert_eq!(skill(&file(0), "greet").name, "greet");
    let reading = read(file(1).as_bytes(), Some("greet"));
    assert_eq!(reading.refusal().map(|refusal| refusal.rule), Some(Rule::YamlLimit));
}

#[test]
fn a_body_has_a_recommended_length() {
    let head = "---\nname: greet\ndescription: Says hello\n---\n";
    forgives(&(head.to_owned() + &"x\n".repeat(RECOMMENDED_BODY_LINES)), &[]);
    forgives(
        &(head.to_owned() + &"x\n".repeat(RECOMMENDED_BODY_LINES + 1)),
        &["5:1 body-long \"\""],
    );
}
