//! What we write: frontmatter that is there, is valid, and has one version that goes up.

mod findings;

use findings::skill;
use hone_skill::{
    EditError, FIRST_VERSION, Rule, Slug, Value, ensure_frontmatter, first_prose_line,
    next_version, read, set_version, write_problems,
};
use proptest::prelude::*;

fn slug(name: &str) -> Slug {
    Slug::new(name).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn ensure(text: &str, name: &str, version: &str) -> String {
    ensure_frontmatter(text, &slug(name), name, version).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The rules that keep a text from being written as `folder`.
fn problems(text: &str, folder: &str) -> Vec<Rule> {
    let reading = read(text.as_bytes(), Some(folder));
    write_problems(&reading).into_iter().map(|diagnostic| diagnostic.rule).collect()
}

fn version_lines(text: &str) -> usize {
    text.lines().filter(|line| line.trim_start().starts_with("version:")).count()
}

#[test]
fn the_next_version_is_one_higher_at_its_end() {
    for (prior, next) in [
        (Some("1"), "2"),
        (Some("9"), "10"),
        (Some("1.2"), "1.3"),
        (Some("1.2.9"), "1.2.10"),
        (Some("0.9.99"), "0.9.100"),
        (Some("v3"), "v4"),
        (Some("1.0-beta"), "1.1-beta"),
        (Some("2026-11-16"), "2026-11-17"),
        (Some("beta"), "beta.2"),
        (Some("é7ö"), "é8ö"),
        (Some(" 4 "), "5"),
        (Some("009"), "010"),
        (Some("99999999999999999999999999"), "100000000000000000000000000"),
        (Some(""), "2"),
        (Some(" "), "2"),
        (None, "2"),
    ] {
        assert_eq!(next_version(prior), next, "{prior:?}");
    }
}

#[test]
fn a_bare_body_is_wrapped_with_name_description_and_version_1() {
    assert_eq!(
        ensure("# Oracle\n\nCheck: freshness\n", "oracle", FIRST_VERSION),
        "---\nname: oracle\ndescription: \"Check: freshness\"\nmetadata:\n  version: \"1\"\n---\n\
         # Oracle\n\nCheck: freshness\n"
    );
    assert_eq!(
        ensure("# Only a title\r\n", "oracle", FIRST_VERSION),
        "---\r\nname: oracle\r\ndescription: oracle\r\nmetadata:\r\n  version: \"1\"\r\n---\r\n\
         # Only a title\r\n"
    );
    assert_eq!(
        ensure("", "42", "7"),
        "---\nname: \"42\"\ndescription: \"42\"\nmetadata:\n  version: \"7\"\n---\n"
    );
}

#[test]
fn a_title_that_is_not_its_slug_is_kept() {
    let text = ensure_frontmatter("Do it.\n", &slug("C++ \"Tips\""), "C++ \"Tips\"", "1").unwrap();
    assert_eq!(
        text,
        "---\nname: c-tips\ndescription: Do it.\nmetadata:\n  hone.title: \"C++ \\\"Tips\\\"\"\n  version: \"1\"\n---\nDo it.\n"
    );
    assert_eq!(skill(&text, "c-tips").title(), "C++ \"Tips\"");
}

#[test]
fn an_existing_frontmatter_is_completed_in_place() {
    for (before, after) in [
        // The version goes where there is one, in the form it had.
        (
            "---\nname: greet\nversion: 3 # why\ndescription: d\n---\nHi\n",
            "---\nname: greet\nversion: 4 # why\ndescription: d\n---\nHi\n",
        ),
        (
            "---\nname: greet\ndescription: d\nversion: '1.2.9'\n---\nHi\n",
            "---\nname: greet\ndescription: d\nversion: \"1.2.10\"\n---\nHi\n",
        ),
        (
            "---\nname: greet\ndescription: d\nversion: 1.2.9\n---\nHi\n",
            "---\nname: greet\ndescription: d\nversion: 1.2.10\n---\nHi\n",
        ),
        (
            "---\nname: greet\ndescription: d\nmetadata:\n  author: us\n  version: 1.9\n---\nHi\n",
            "---\nname: greet\ndescription: d\nmetadata:\n  author: us\n  version: 1.10\n---\nHi\n",
        ),
        // Without one it joins the metadata.
        (
            "---\nname: greet\ndescription: d\n---\nHi\n",
            "---\nname: greet\ndescription: d\nmetadata:\n  version: \"2\"\n---\nHi\n",
        ),
        (
            "---\nname: greet\ndescription: d\nmetadata:\n  # who\n  author: us\n---\nHi\n",
            "---\nname: greet\ndescription: d\nmetadata:\n  # who\n  version: \"2\"\n  author: us\n---\nHi\n",
        ),
        (
            "---\nname: greet\ndescription: d\nmetadata: {author: us}\n---\nHi\n",
            "---\nname: greet\ndescription: d\nmetadata: {\"version\": \"2\", author: us}\n---\nHi\n",
        ),
        // A name and a description are set where they are missing or no text.
        (
            "---\ndescription: d\n---\nHi\n",
            "---\ndescription: d\nname: greet\nmetadata:\n  version: \"2\"\n---\nHi\n",
        ),
        (
            "---\nname:\ndescription:\n---\nSays hello.\n",
            "---\nname: greet\ndescription: Says hello.\nmetadata:\n  version: \"2\"\n---\nSays hello.\n",
        ),
        (
            "---\nname: [a]\ndescription: [b]\n---\nSays hello.\n",
            "---\nname: greet\ndescription: Says hello.\nmetadata:\n  version: \"2\"\n---\nSays hello.\n",
        ),
        // What can be mended is: line ends, comments and order stay.
        (
            "\u{feff}\r\n---\r\n# first\r\ndescription: Use when: x\r\nname: Greet!\r\n---\r\nHi\r\n",
            "---\r\n# first\r\ndescription: \"Use when: x\"\r\nname: greet\r\nmetadata:\r\n  version: \"2\"\r\n---\r\nHi\r\n",
        ),
        (
            "```markdown\n---\nname: greet\ndescription: d\n---\nHi\n```\n",
            "---\nname: greet\ndescription: d\nmetadata:\n  version: \"2\"\n---\nHi\n",
        ),
        // Of two versions one stays.
        (
            "---\nname: greet\ndescription: d\nversion: 1\nmetadata:\n  version: 5\n  author: us\n---\nHi\n",
            "---\nname: greet\ndescription: d\nversion: 2\nmetadata:\n  author: us\n---\nHi\n",
        ),
        (
            "---\nname: greet\ndescription: d\nversion: 1\nmetadata:\n  version: 5\nlicense: MIT\n---\nHi\n",
            "---\nname: greet\ndescription: d\nversion: 2\nlicense: MIT\n---\nHi\n",
        ),
        // Where it cannot go without something else, it says the same.
        (
            "---\nname: greet\ndescription: d\nversion: 1\nmetadata: {version: 5}\n---\nHi\n",
            "---\nname: greet\ndescription: d\nversion: 2\nmetadata: {version: 2}\n---\nHi\n",
        ),
        // A block scalar at the end keeps its last line as it is.
        (
            "---\nname: greet\n# what\ndescription: >\n  Says\n  hello\n---\nHi\n",
            "---\nname: greet\nmetadata:\n  version: \"2\"\n# what\ndescription: >\n  Says\n  hello\n---\nHi\n",
        ),
    ] {
        let prior = read(before.as_bytes(), Some("greet")).skill.and_then(|skill| skill.version);
        let version = next_version(prior.as_deref());
        assert_eq!(ensure(before, "greet", &version), after);
        assert_eq!(problems(after, "greet"), []);
        assert_eq!(skill(after, "greet").version, Some(version));
    }
}

#[test]
fn metadata_that_is_no_map_cannot_hold_the_version() {
    let text = ensure("---\nname: greet\ndescription: d\nmetadata: none\n---\nHi\n", "greet", "2");
    let expected = "---\nname: greet\ndescription: d\nmetadata: none\nversion: \"2\"\n---\nHi\n";
    assert_eq!((text.as_str(), problems(&text, "greet")), (expected, vec![Rule::MetadataType]));
}

#[test]
fn a_code_block_at_the_start_of_a_bare_body_is_not_its_frontmatter() {
    for body in [
        "```yaml\n---\nkind: Pod\n---\n```\nApply this.\n",
        "```\n---\nno map\n---\n```\n",
        "```\n---\n",
    ] {
        let text = ensure(body, "pods", "1");
        assert!(text.ends_with(body), "{text}");
        assert_eq!(problems(&text, "pods"), []);
    }
}

#[test]
fn a_frontmatter_that_cannot_be_read_is_not_written_over() {
    let rule = ensure_frontmatter("---\nrule, no close\n", &slug("a"), "a", "1").unwrap();
    assert_eq!(
        rule,
        "---\nname: a\ndescription: rule, no close\nmetadata:\n  version: \"1\"\n---\n---\nrule, no close\n"
    );
    let never_closed = ensure_frontmatter("---\nname: a\n", &slug("a"), "a", "1");
    assert_eq!(never_closed, Err(EditError::Unreadable("it is never closed".into())));
    let list = ensure_frontmatter("---\n- a\n---\n", &slug("a"), "a", "1");
    assert_eq!(list, Err(EditError::Unreadable("it is a list".into())));
    assert_eq!(set_version("no frontmatter\n", "1"), Err(EditError::NoFrontmatter));
}

#[test]
fn what_is_written_must_be_valid_but_for_what_agents_add() {
    for (text, rules) in [
        ("---\nname: greet\ndescription: d\nhooks: {}\nversion: 1\n---\n", vec![]),
        ("---\nname: greet\ndescription: d\nmetadata:\n  a: [b]\n---\n", vec![Rule::MetadataValue]),
        ("---\nname: greet\ndescription: d\nmetadata: a\n---\n", vec![Rule::MetadataType]),
        (
            "---\nname: greet\ndescription: d\nallowed-tools: [Read]\n---\n",
            vec![Rule::AllowedToolsForm],
        ),
        ("---\nname: greet\ndescription: d\nlicense: [MIT]\n---\n", vec![Rule::License]),
        ("---\nname: greet\ndescription: d\ncompatibility:\n---\n", vec![Rule::Compatibility]),
        (
            "---\nname: greet\ndescription: &d d\nlicense: *d\n---\n",
            vec![Rule::YamlDecoration, Rule::YamlDecoration],
        ),
        ("---\nname: other\ndescription: d\n---\n", vec![Rule::NameFolder]),
        ("---\nname: greet\n---\nProse.\n", vec![Rule::DescriptionMissing]),
        ("no frontmatter\n", vec![Rule::NoFrontmatter]),
        (
            "\n---\nname: greet\ndescription: a: b\n---\n",
            vec![Rule::TextBeforeFence, Rule::YamlUnquoted],
        ),
    ] {
        assert_eq!(problems(text, "greet"), rules, "{text:?}");
    }
    let long = format!("---\nname: greet\ndescription: d\n---\n{}", "x".repeat(100_000));
    assert_eq!(problems(&long, "greet"), [Rule::FileLong]);
}

#[test]
fn the_first_prose_line_skips_markup() {
    for (body, line) in [
        ("# Title\n\nProse.\nMore.", Some("Prose.")),
        ("~~~\ncode\n~~~\n| a | b |\n|---|---|\n![x](y)\n***\n  Prose  \n", Some("Prose")),
        ("- a list item", Some("a list item")),
        ("1. Open it\n2. Close it", Some("Open it")),
        ("> * [x] 12) Done", Some("Done")),
        ("2026. A year", Some("A year")),
        ("1.5 litres", Some("1.5 litres")),
        ("1234567890. too long a number", Some("1234567890. too long a number")),
        ("-5 degrees", Some("-5 degrees")),
        ("**Bold** start", Some("**Bold** start")),
        ("<!-- a\nlong\ncomment -->\nProse.", Some("Prose.")),
        ("<!-- a --> <!-- b\n--> Prose.", Some("Prose.")),
        ("<!-- never closed\nProse.", None),
        ("# Title\n", None),
        ("", None),
    ] {
        assert_eq!(first_prose_line(body), line, "{body:?}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,60}",
        "([:#'\"\\[\\]{}&*!|>%@`,?\\\\ \t\r\n-]|[a-z]|é|😀|\u{1b}|\u{202e}|\u{85}|\u{2028}|\u{feff}){0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bare_body_becomes_a_valid_skill_and_stays_as_it_is(
        body in any_text(),
        title in any_text(),
        version in "[0-9]{1,3}(\\.[0-9]{1,2}){0,2}",
    ) {
        prop_assume!(!body.contains('\0'));
        let Ok(slug) = Slug::new(&title) else { return Ok(()) };
        let starts_with_fence = {
            let text = body.trim_start_matches('\u{feff}').trim_start();
            text.starts_with("---") || text.starts_with("```") || text.starts_with("~~~")
        };
        prop_assume!(!starts_with_fence);
        let text = ensure_frontmatter(&body, &slug, &title, &version).unwrap();
        let kept = body.strip_prefix('\u{feff}').unwrap_or(&body);
        prop_assert_eq!(problems(&text, slug.as_str()), []);
        let skill = skill(&text, slug.as_str());
        prop_assert_eq!(&text[skill.body.clone()], kept);
        prop_assert_eq!(version_lines(&text[..skill.body.start]), 1);
        prop_assert_eq!(skill.version.as_deref(), Some(version.as_str()));
        prop_assert_eq!(skill.name.as_str(), slug.as_str());
        prop_assert_eq!(skill.title(), &title);
    }

    #[test]
    fn any_description_survives_every_upsert(
        description in any_text(),
        first in "[1-9][0-9]{0,2}",
        line_end in prop_oneof!["\n", "\r\n"],
        rounds in 1_usize..4,
    ) {
        prop_assume!(!description.trim().is_empty() && description.trim().chars().count() <= 1024);
        let lines = ["---", "name: greet", "# why", "description: d", "---", "Do *this*.", ""];
        let start = lines.join(&line_end);
        let body = format!("Do *this*.{line_end}");
        let mut text = hone_skill::set_field(&start, hone_skill::Field::Top("description"), &description).unwrap();
        text = set_version(&text, &first).unwrap();
        for round in 0..rounds {
            let before = skill(&text, "greet");
            let number: usize = first.parse().unwrap();
            prop_assert_eq!(&before.version, &Some((number + round).to_string()));
            text = ensure(&text, "greet", &next_version(before.version.as_deref()));
            let after = skill(&text, "greet");
            prop_assert_eq!(problems(&text, "greet"), []);
            prop_assert_eq!(&after.description, &description);
            prop_assert_eq!(after.get("description"), Some(&Value::String(description.clone())));
            prop_assert_eq!(&text[after.body], &body);
            prop_assert_eq!(version_lines(&text), 1);
            let comment = format!("{line_end}# why{line_end}");
            prop_assert!(text.contains(&comment), "the comment stays");
        }
    }
}
