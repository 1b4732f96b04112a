//! Edits: what they change is the value and nothing else, byte for byte.

mod findings;
mod written;

use findings::skill;
use hone_skill::{
    DescriptionSource, Edit, EditError, Field, Profile, Rule, Value, apply_edits, fix, read,
    set_field,
};
use proptest::prelude::*;
use written::{careless_skill, valid_skill};

// --- Setting a field ----------------------------------------------------------------------------

#[track_caller]
fn sets(before: &str, field: Field<'_>, value: &str, after: &str) {
    assert_eq!(set_field(before, field, value).as_deref(), Ok(after));
}

/// The frontmatter around these lines.
fn with(lines: &str) -> String {
    format!("---\nname: greet\n{lines}---\nSay hello.\n")
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    for (before, after) in [
        ("description: old\n", "description: new\n"),
        ("description:   old   # why\n", "description:   new   # why\n"),
        ("description: 'old'  # why\n", "description: \"new\"  # why\n"),
        ("description: \"old\n  lines\"\nlicense: MIT\n", "description: \"new\"\nlicense: MIT\n"),
        ("description: old\n  lines\nlicense: MIT\n", "description: new\nlicense: MIT\n"),
        ("description:\n  old\n# c\n", "description:\n  new\n# c\n"),
        ("description: |\n  old\n  lines\n\nlicense: MIT\n", "description: new\n\nlicense: MIT\n"),
        (
            "description: >- # why\n  old\n# c\nlicense: MIT\n",
            "description: new # why\n# c\nlicense: MIT\n",
        ),
        ("description:\n# c\nlicense: MIT\n", "description: new\n# c\nlicense: MIT\n"),
        ("description: # why\n", "description: new # why\n"),
        ("description: ~\n", "description: new\n"),
        (
            "description:\n  - a\n  - b\n# c\nlicense: MIT\n",
            "description: new\n# c\nlicense: MIT\n",
        ),
        ("description:\n- a\nlicense: MIT\n", "description: new\nlicense: MIT\n"),
        ("description: [a,\n  b] # why\n", "description: new # why\n"),
        ("description: &a old\n", "description: new\n"),
        ("description: !!str old\n", "description: new\n"),
        ("description: !!str |\n  old\n", "description: new\n"),
        ("\"description\" : old\n", "\"description\" : new\n"),
        ("? description\n: old\n", "? description\n: new\n"),
        ("description: use when: old\nlicense: MIT\n", "description: new\nlicense: MIT\n"),
        ("description:\n\told\nlicense: MIT\n", "description: new\nlicense: MIT\n"),
        ("description: first\ndescription: last\n", "description: first\ndescription: new\n"),
    ] {
        sets(&with(before), Field::Top("description"), "new", &with(after));
        let crlf = |text: &str| with(text).replace('\n', "\r\n");
        sets(&crlf(before), Field::Top("description"), "new", &crlf(after));
    }
}

#[test]
fn a_new_field_goes_to_the_end() {
    for (before, after) in [
        ("", "license: MIT\n"),
        ("description: d\n", "description: d\nlicense: MIT\n"),
        ("description: d\n# last words\n", "description: d\n# last words\nlicense: MIT\n"),
        // A block scalar stays last, with the comment above it.
        ("# c\ndescription: |\n  d\n", "license: MIT\n# c\ndescription: |\n  d\n"),
        ("metadata:\n  a: >\n    d\n", "license: MIT\nmetadata:\n  a: >\n    d\n"),
    ] {
        sets(&with(before), Field::Top("license"), "MIT", &with(after));
    }
    sets("---\n---\n", Field::Top("name"), "a", "---\nname: a\n---\n");
    sets("---\n  a: 1\n---\n", Field::Top("b"), "2 x", "---\n  a: 1\n  b: \"2 x\"\n---\n");
    sets("---\n{}\n---\n", Field::Top("a"), "b", "---\n{\"a\": \"b\"}\n---\n");
    sets("---\n{x: y,} # }\n---\n", Field::Top("a"), "b", "---\n{\"a\": \"b\", x: y,} # }\n---\n");
    sets("---\nx: y\n---\n", Field::Top("a: b"), "c", "---\nx: y\n\"a: b\": c\n---\n");
}

#[test]
fn metadata_keeps_its_form() {
    for (before, after) in [
        ("", "metadata:\n  k: \"v\"\n"),
        ("metadata:\n", "metadata:\n  k: \"v\"\n"),
        ("metadata: # c\n", "metadata:\n  k: \"v\" # c\n"),
        ("metadata: null\nlicense: MIT\n", "metadata:\n  k: \"v\"\nlicense: MIT\n"),
        ("metadata:\n# c\nlicense: MIT\n", "metadata:\n  k: \"v\"\n# c\nlicense: MIT\n"),
        ("metadata: {}\n", "metadata: {\"k\": \"v\"}\n"),
        ("metadata: {a: b}\n", "metadata: {\"k\": \"v\", a: b}\n"),
        ("metadata:\n    a: b\n", "metadata:\n    k: \"v\"\n    a: b\n"),
        ("metadata:\n  k: old # c\n  a: b\n", "metadata:\n  k: v # c\n  a: b\n"),
        ("metadata: {k: old, a: b}\n", "metadata: {k: \"v\", a: b}\n"),
        ("metadata:\n  k:\n  a: b\n", "metadata:\n  k: v\n  a: b\n"),
        ("metadata:\n  k: a: b\n  c: d\n", "metadata:\n  k: v\n  c: d\n"),
        ("metadata:\n  c: a: b\n", "metadata:\n  k: \"v\"\n  c: a: b\n"),
    ] {
        sets(&with(before), Field::Metadata("k"), "v", &with(after));
    }
    for not_map in ["metadata: text\n", "metadata:\n  - a\n", "metadata: 5\n"] {
        let result = set_field(&with(not_map), Field::Metadata("k"), "v");
        assert_eq!(result, Err(EditError::MetadataNotMap));
    }
}

#[test]
fn a_version_written_as_a_number_stays_one() {
    for (before, value, after) in [
        ("version: 1\n", "2", "version: 2\n"),
        ("version: 1.9\n", "1.10", "version: 1.10\n"),
        ("version: 1.2.3\n", "1.2.4", "version: 1.2.4\n"),
        ("version: '1'\n", "2", "version: \"2\"\n"),
        ("version: 1\n", "2-beta", "version: \"2-beta\"\n"),
        ("license: 1\n", "2", "license: 1\nversion: \"2\"\n"),
    ] {
        sets(&with(before), Field::Top("version"), value, &with(after));
    }
    sets(&with("license: 1\n"), Field::Top("license"), "2", &with("license: \"2\"\n"));
}

#[test]
fn an_edit_that_would_change_something_else_is_refused() {
    let shared = with("license: &l MIT\nmetadata:\n  copy: *l\n");
    let result = set_field(&shared, Field::Top("license"), "Apache-2.0");
    assert_eq!(result, Err(EditError::Entangled("license".into())));
    let alias = with("x: &m\n  a: b\nmetadata: *m\n");
    let result = set_field(&alias, Field::Metadata("a"), "c");
    assert_eq!(result, Err(EditError::Entangled("metadata.a".into())));
}

#[test]
fn what_has_no_readable_frontmatter_cannot_be_edited() {
    let edit = |text: &str| set_field(text, Field::Top("a"), "b");
    assert_eq!(edit("Hi\n"), Err(EditError::NoFrontmatter));
    assert_eq!(edit("---\na: b\n"), Err(EditError::Unreadable("it is never closed".into())));
    assert_eq!(edit("---\n- a\n---\n"), Err(EditError::Unreadable("it is a list".into())));
    assert_eq!(edit("---\na\n---\n"), Err(EditError::Unreadable("it is a single value".into())));
}

#[test]
fn edits_that_do_not_fit_are_left_out() {
    let edit = |range, text: &str| Edit { range, text: text.to_owned() };
    let all = [edit(1..2, "X"), edit(1..3, "no"), edit(4..4, "Y"), edit(2..99, "no")];
    assert_eq!(apply_edits("abcdéf", &all), "aXcdYéf");
    assert_eq!(apply_edits("é", &[edit(1..2, "no")]), "é", "not inside a character");
    assert_eq!(apply_edits("ab", &[edit(1..1, "x"), edit(1..1, "x")]), "axb", "once");
}

// --- Fixing -------------------------------------------------------------------------------------

#[track_caller]
fn fixes(before: &str, after: &str, rules: &[Rule]) {
    let (fixed, mended) = fix(before, Some("greet"), Profile::Spec);
    assert_eq!((fixed.as_str(), mended.as_slice()), (after, rules), "{before}");
}

#[test]
fn what_a_machine_can_mend_is_mended_in_place() {
    let skill = "---\nname: greet\ndescription: d\n---\nHi\n";
    fixes(&format!("\u{feff}{skill}"), skill, &[Rule::ByteOrderMark]);
    fixes(&format!("\n \n{skill}"), skill, &[Rule::TextBeforeFence]);
    fixes(&format!("  {skill}"), skill, &[Rule::TextBeforeFence]);
    fixes(&skill.replace("d\n---", "d\n..."), skill, &[Rule::FenceDots]);
    fixes(&format!("```\n{skill}```\n"), skill, &[Rule::FenceInCodeBlock]);
    fixes(
        &format!("```yaml\n{}", skill.replace("---\nHi", "---\n```\nHi")),
        skill,
        &[Rule::FenceInCodeBlock],
    );
    let body = |lines: &str| format!("---\n{lines}---\nHi\n");
    for (before, after, rules) in [
        ("name: Greet # c\n", "name: greet # c\n", vec![Rule::NameUppercase, Rule::NameFolder]),
        ("name: |\n  Greet\n", "name: greet\n", vec![Rule::NameUppercase, Rule::NameFolder]),
        (
            "name: |  # c\n  Greet\n",
            "name: greet  # c\n",
            vec![Rule::NameUppercase, Rule::NameFolder],
        ),
        ("name: 12\n", "name: greet\n", vec![Rule::NameNotString, Rule::NameFolder]),
        ("name: 'greet '\n", "name: 'greet '\n", vec![]),
        (
            "name: greet\nlicense: 'a'\nlicense: b\n",
            "name: greet\nlicense: b\n",
            vec![Rule::DuplicateKey],
        ),
        (
            "name: greet\nuser-invokable: no\n",
            "name: greet\nuser-invocable: no\n",
            vec![Rule::KeyTypo],
        ),
        (
            "name: greet\nallowed-tools: # which\n- Read\n",
            "name: greet\nallowed-tools: # which\n- Read\n",
            vec![],
        ),
        (
            "name: greet\nallowed-tools:\n- Read\n- Bash(a, b)\n# c\n",
            "name: greet\nallowed-tools: Read Bash(a, b)\n# c\n",
            vec![Rule::AllowedToolsForm],
        ),
        (
            "name: greet\nallowed-tools: Read, Write # c\n",
            "name: greet\nallowed-tools: Read Write # c\n",
            vec![Rule::AllowedToolsForm],
        ),
        // A tool with a blank in its name would fall apart.
        (
            "name: greet\nallowed-tools: [My Tool]\n",
            "name: greet\nallowed-tools: [My Tool]\n",
            vec![],
        ),
    ] {
        let describe = |lines: &str| body(&format!("description: d\n{lines}"));
        fixes(&describe(before), &describe(after), &rules);
    }
    for (before, after) in [
        ("a: b", "\"a: b\""),
        ("say \"hi\": now", "\"say \\\"hi\\\": now\""),
        ("[BETA] C:\\x", "\"[BETA] C:\\\\x\""),
        ("a: b\n  c", "\"a: b c\""),
    ] {
        let describe = |text: &str| body(&format!("name: greet\ndescription: {text}\n# c\n"));
        fixes(&describe(before), &describe(after), &[Rule::YamlUnquoted]);
    }
    fixes(
        &body("name: greet\ndescription:\n\td\n"),
        &body("name: greet\ndescription: \"d\"\n"),
        &[Rule::YamlSyntax],
    );
}

#[test]
fn a_duplicate_goes_alone() {
    let body = |lines: &str| format!("---\nname: greet\ndescription: d\n{lines}---\nHi\n");
    for (before, after) in [
        ("a: 1\n\na: 2\n", "\na: 2\n"),
        ("a: |\n  x\n\n# c\na: 2\n", "\n# c\na: 2\n"),
        ("a:\n# c\na: 2\n", "# c\na: 2\n"),
        ("a:\n  - x\n  - y\nb: 1\na: 2\n", "b: 1\na: 2\n"),
        ("metadata:\n  a: 1\n  b: 2\n  a: 3\n", "metadata:\n  b: 2\n  a: 3\n"),
        // Not where a comment would go with it.
        ("a: 1 # c\na: 2\n", "a: 1 # c\na: 2\n"),
        ("a:\n  # c\n  - x\na: 2\n", "a:\n  # c\n  - x\na: 2\n"),
        ("metadata: {a: 1, a: 2}\n", "metadata: {a: 1, a: 2}\n"),
    ] {
        assert_eq!(fix(&body(before), Some("greet"), Profile::Lenient).0, body(after));
    }
    // A lone carriage return ends a line of YAML too.
    let (fixed, _) = fix(&body("a: 1\ra: 2\rb: 3\n"), Some("greet"), Profile::Lenient);
    assert_eq!(fixed, body("a: 2\rb: 3\n"));
    // Indented entries stay aligned.
    let text = "---\n  name: greet\n  description: d\n  a: 1\n  a: 2\n---\n";
    let (fixed, _) = fix(text, Some("greet"), Profile::Lenient);
    assert_eq!(fixed, "---\n  name: greet\n  description: d\n  a: 2\n---\n");
}

#[test]
fn two_misspelt_keys_do_not_become_one() {
    let text = |lines: &str| format!("---\nname: greet\ndescription: d\n{lines}---\nHi\n");
    for (before, after) in [
        ("user_invocable: no\nUserInvocable: yes\n", "user-invocable: no\nUserInvocable: yes\n"),
        ("user_invocable: no\nuser_invocable: yes\n", "user-invocable: yes\n"),
    ] {
        let (fixed, _) = fix(&text(before), Some("greet"), Profile::ClaudeCode);
        assert_eq!(fixed, text(after));
    }
}

#[test]
fn a_fix_hands_out_no_rights() {
    let text = "---\nname: greet\ndescription: d\nallowedTools: Bash\nhook_s: x\n---\nHi\n";
    assert_eq!(fix(text, Some("greet"), Profile::ClaudeCode).0, text);
}

#[test]
fn only_what_the_profile_minds_is_mended() {
    let text = "---\nname: Greet\ndescription: d\nallowed-tools: [Read]\n---\nHi\n";
    let (fixed, _) = fix(text, Some("Greet"), Profile::Codex);
    assert_eq!(fixed, text.replace("Greet", "greet"), "upper case is a warning, the list is fine");
}

#[test]
fn quoting_does_not_grow_where_it_does_not_help() {
    for value in ["\\", "\"\\", "\"\\\"", "a: \\\"\\\\", "\n\t\\\"x"] {
        for key in ["description", "x y", "\"x", "- z"] {
            let text =
                format!("---\nname: greet\ndescription: d\n{key}: {value}\nq: w: e\n---\nHi\n");
            let (fixed, _) = fix(&text, Some("greet"), Profile::Spec);
            assert!(fixed.len() < text.len() + 40, "{key}: {value:?} became {fixed:?}");
            assert_eq!(fix(&fixed, Some("greet"), Profile::Spec).0, fixed);
        }
    }
}

// --- Properties ---------------------------------------------------------------------------------

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,40}",
        "([:#'\"\\[\\]{}&*!|>%@`,?\\\\ \t\r\n-]|[a-z0-9.]|é|😀|\u{0}|\u{1b}|\u{7f}|\u{85}|\u{a0}|\u{202e}|\u{2028}|\u{feff}|\u{fffe}){0,24}",
        prop::sample::select(vec![
            "",
            " ",
            "~",
            "null",
            "true",
            "no",
            "1",
            "1.0",
            "0x1f",
            "1_000",
            "2026-11-16",
            "12:30:45",
            ".inf",
            "...",
            "---",
            "-",
            "- a",
            "a:",
            ":a",
            "a #b",
            "#a",
            "<<",
            "=",
            "?",
            "? a",
            "\"",
            "'",
            "\\",
            "a\n",
            "\na",
            " a",
            "a ",
            "{",
            "[a]",
            "*a",
            "&a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a`",
        ])
        .prop_map(str::to_owned),
    ]
}

/// The bytes of `old` that differ from `new`: everything before and after is the same.
fn changed(old: &str, new: &str) -> std::ops::Range<usize> {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[start..]
        .iter()
        .rev()
        .zip(new[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    start..old.len() - end
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_a_description(value in any_value()) {
        for before in ["description: d\n", "description: 'd'\n", "description: |\n  d\n", "", "{description: d}\n"] {
            let before = format!("---\n{before}---\nHi\n");
            let after = set_field(&before, Field::Top("description"), &value).unwrap();
            let reading = read(after.as_bytes(), Some("greet"));
            let skill = reading.skill.expect("readable");
            prop_assert_eq!(skill.get("description"), Some(&Value::String(value.clone())), "{}", after);
        }
    }

    #[test]
    fn setting_a_field_changes_that_field_alone(
        written in valid_skill(),
        key in prop::sample::select(vec!["description", "license", "version", "quoted", "spaced", "new", "größe"]),
        value in any_value(),
    ) {
        prop_assume!(key != "description" || !value.trim().is_empty());
        let old = &written.text;
        let new = set_field(old, Field::Top(key), &value).unwrap();
        let (before, after) = (skill(old, "greet"), skill(&new, "greet"));
        // The values: all as before but for this one.
        let mut expected = before.frontmatter.clone();
        match expected.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = Value::String(value.clone()),
            None => expected.push((key.to_owned(), Value::String(value.clone()))),
        }
        let sorted = |mut all: Vec<(String, Value)>| {
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        let mut found = after.frontmatter.clone();
        if let Some((_, kept @ Value::Number(_))) = found.iter_mut().find(|(k, _)| k == "version") {
            // A version that was a number stays one.
            *kept = Value::String(kept.text().unwrap_or_default().to_owned());
            for (_, value) in expected.iter_mut().filter(|(k, _)| k == "version") {
                *value = Value::String(value.text().unwrap_or_default().to_owned());
            }
        }
        prop_assert_eq!(sorted(found), sorted(expected), "{}", new);
        prop_assert_eq!(&new[after.body], &written.body);
        if key != "description" {
            prop_assert_eq!((after.name, after.slug, after.description), (before.name, before.slug, before.description));
        }
        // The bytes: only inside the entry, or nothing but new ones.
        let changed = changed(old, &new);
        match written.last(key) {
            Some(entry) => prop_assert!(entry.start < changed.start.max(entry.start + 1) && changed.end <= entry.end, "{changed:?} {entry:?}\n{new}"),
            None => prop_assert!(changed.is_empty(), "{changed:?}\n{new}"),
        }
    }

    #[test]
    fn setting_metadata_changes_that_key_alone(
        written in valid_skill(),
        key in prop::sample::select(vec!["version", "author", "hone.title", "new key: odd"]),
        value in any_value(),
    ) {
        let old = &written.text;
        let new = set_field(old, Field::Metadata(key), &value).unwrap();
        let (before, after) = (skill(old, "greet"), skill(&new, "greet"));
        let others = |skill: &hone_skill::Skill| {
            let mut all = skill.frontmatter.clone();
            all.retain(|(k, _)| k != "metadata");
            all
        };
        prop_assert_eq!(others(&after), others(&before));
        let inside = |skill: &hone_skill::Skill| match skill.get("metadata") {
            Some(Value::Map(entries)) => {
                let mut entries = entries.clone();
                entries.retain(|(k, _)| k != key);
                entries
            }
            _ => Vec::new(),
        };
        prop_assert_eq!(inside(&after), inside(&before));
        let set = after.get("metadata").and_then(|metadata| metadata.get(key)).and_then(Value::text);
        prop_assert_eq!(set, Some(value.as_str()), "{}", new);
        prop_assert_eq!(after.description, before.description);
        prop_assert_eq!(&new[after.body], &written.body);
        let changed = changed(old, &new);
        match written.last("metadata") {
            Some(entry) if !changed.is_empty() => {
                prop_assert!(entry.start < changed.start && changed.end <= entry.end);
            }
            _ => prop_assert!(changed.is_empty()),
        }
    }

    #[test]
    fn a_fix_is_final_and_loses_nothing(
        written in careless_skill(),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let old = &written.text;
        let (new, _) = fix(old, Some("greet"), profile);
        prop_assert_eq!(&fix(&new, Some("greet"), profile).0, &new, "once is enough");
        let (before, after) = (read(old.as_bytes(), Some("greet")), read(new.as_bytes(), Some("greet")));
        if let Some(before) = before.skill {
            let Some(after) = after.skill else { panic!("{old}\nbecame unreadable\n{new}") };
            if before.description_source == DescriptionSource::Frontmatter {
                prop_assert_eq!(before.description, after.description);
            }
            prop_assert_eq!(&new[after.body], &old[before.body]);
            // Keys stay, in their order, but for their spelling. Of those that mean the same, a
            // comment may keep one in the file: the last counts.
            let letters = |key: &str| key.to_lowercase().replace(['-', '_'], "").replace('k', "c");
            let keys = |all: &[(String, Value)]| {
                let all: Vec<String> = all.iter().map(|(key, _)| letters(key)).collect();
                let last = |at: usize| !all[at + 1..].contains(&all[at]);
                (0..all.len()).filter(|at| last(*at)).map(|at| all[at].clone()).collect::<Vec<_>>()
            };
            prop_assert_eq!(keys(&before.frontmatter), keys(&after.frontmatter));
        }
        // Comments stay, in their order.
        let mut at = 0;
        for comment in &written.comments {
            let found = new[at..].find(comment.as_str());
            prop_assert!(found.is_some(), "{comment} is lost\n{old}\n{new}");
            at += found.unwrap_or_default();
        }
        // So do line ends.
        if written.line_end == "\r\n" {
            prop_assert!(!new.replace("\r\n", "").contains('\n'), "{new:?}");
        } else {
            prop_assert!(!new.contains('\r'));
        }
    }
}
