//! The reader: what it forgives and says about it, and what it refuses and why.

mod findings;

use findings::{findings, forgives, forgives_as, has, refuses, refuses_first, skill};
use hone_skill::{DescriptionSource, Rule, Value, read};

#[test]
fn a_plain_skill_has_nothing_to_say_about() {
    forgives("---\nname: greet\ndescription: Says hello\n---\nSay hello.\n", &[]);
}

#[test]
fn every_field_of_a_skill_is_read() {
    let text = "---\nname: greet\ndescription: Says hello\nversion: 1.10\nwhen_to_use: at the door\n\
                allowed-tools: Bash(git add *) Read\nplatforms: [macos, linux]\n\
                disable-model-invocation: yes\nuser-invocable: false\n\
                metadata:\n  \"hone.title\": Greet!\n  stars: 5\n---\nSay hello.\n";
    let skill = skill(text, "greet");
    let expected = hone_skill::Skill {
        name: "greet".into(),
        slug: hone_skill::Slug::new("greet").unwrap(),
        description: "Says hello".into(),
        description_source: DescriptionSource::Frontmatter,
        version: Some("1.10".into()),
        when_to_use: Some("at the door".into()),
        allowed_tools: vec!["Bash(git add *)".into(), "Read".into()],
        platforms: vec!["macos".into(), "linux".into()],
        disable_model_invocation: true,
        user_invocable: false,
        frontmatter: vec![
            ("name".into(), Value::String("greet".into())),
            ("description".into(), Value::String("Says hello".into())),
            ("version".into(), Value::Number("1.10".into())),
            ("when_to_use".into(), Value::String("at the door".into())),
            ("allowed-tools".into(), Value::String("Bash(git add *) Read".into())),
            (
                "platforms".into(),
                Value::List(vec![Value::String("macos".into()), Value::String("linux".into())]),
            ),
            ("disable-model-invocation".into(), Value::String("yes".into())),
            ("user-invocable".into(), Value::Bool("false".into())),
            (
                "metadata".into(),
                Value::Map(vec![
                    ("hone.title".into(), Value::String("Greet!".into())),
                    ("stars".into(), Value::Number("5".into())),
                ]),
            ),
        ],
        body: text.len() - "Say hello.\n".len()..text.len(),
    };
    assert_eq!(skill, expected);
    assert_eq!(skill.title(), "Greet!");
}

#[test]
fn a_policy_that_cannot_be_understood_stays_closed() {
    for (value, closed) in
        [("true", true), ("maybe", true), ("[no]", true), ("off", false), ("", false)]
    {
        let text =
            format!("---\nname: greet\ndescription: d\ndisable-model-invocation: {value}\n---\n");
        assert_eq!(skill(&text, "greet").disable_model_invocation, closed, "{value:?}");
    }
}

// --- Layout -------------------------------------------------------------------------------------

#[test]
fn a_byte_order_mark_is_forgiven() {
    forgives(
        "\u{feff}---\nname: greet\ndescription: Says hello\n---\nHi\n",
        &["1:1 byte-order-mark \"\\u{feff}\""],
    );
}

#[test]
fn a_byte_order_mark_inside_the_body_is_kept() {
    let text = "---\nname: greet\ndescription: Says hello\n---\nHi \u{feff}there\n";
    forgives(text, &["5:4 hidden-characters \"\\u{feff}\""]);
    assert_eq!(&text[skill(text, "greet").body], "Hi \u{feff}there\n");
}

#[test]
fn hidden_characters_are_reported_where_they_stand_up_to_a_limit() {
    use hone_skill::limits::MAX_HIDDEN_REPORTED;
    forgives(
        "---\nname: greet\ndescription: Says hello\nlicense: M\u{200b}IT\n---\nHi\nRun \u{202e}this\u{e0041}\u{e0042}\n",
        &[
            "4:11 hidden-characters \"\\u{200b}\"",
            "7:5 hidden-characters \"\\u{202e}\"",
            "7:10 hidden-characters \"\\u{e0041}\\u{e0042}\"",
        ],
    );
    let messages = |places: usize| -> Vec<String> {
        let body = "a\u{200b}b\n".repeat(places);
        let text = format!("---\nname: greet\ndescription: Says hello\n---\n{body}");
        let reading = read(text.as_bytes(), Some("greet"));
        reading.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
    };
    let one = "the invisible character U+200B";
    assert_eq!(messages(MAX_HIDDEN_REPORTED), vec![one; MAX_HIDDEN_REPORTED]);
    let mut past = vec![one.to_owned(); MAX_HIDDEN_REPORTED - 1];
    past.push(format!("{one}; there are more in 1 places below"));
    assert_eq!(messages(MAX_HIDDEN_REPORTED + 1), past);
}

#[test]
fn crlf_is_read_as_it_is() {
    let text = "---\r\nname: greet\r\ndescription: Says hello\r\n---\r\nHi\r\nthere\r\n";
    forgives(text, &["1:4 crlf \"\\r\\n\""]);
    assert_eq!(&text[skill(text, "greet").body], "Hi\r\nthere\r\n");
}

#[test]
fn a_lone_carriage_return_is_reported() {
    forgives(
        "---\nname: greet\ndescription: Says hello\n---\nHi\rthere\n",
        &["5:3 lone-cr \"\\r\""],
    );
    // YAML takes it for a line end; the description is not cut by a comment on the "next line".
    forgives(
        "---\nname: greet\ndescription: Says hello\r# comment\n---\nHi\n",
        &["3:24 lone-cr \"\\r\""],
    );
}

#[test]
fn blanks_before_the_fence_are_forgiven() {
    let skill = "name: greet\ndescription: Says hello\n---\nHi\n";
    for (before, finding) in [
        ("\n", "1:1 text-before-fence \"\\n\""),
        ("\n \t\n\n", "1:1 text-before-fence \"\\n \\t\\n\\n\""),
        ("  ", "1:1 text-before-fence \"  \""),
        ("\u{a0}", "1:1 text-before-fence \"\\u{a0}\""),
    ] {
        forgives(&format!("{before}---\n{skill}"), &[finding]);
    }
    forgives(
        &format!("\u{feff}\n---\n{skill}"),
        &["1:1 byte-order-mark \"\\u{feff}\"", "1:2 text-before-fence \"\\n\""],
    );
}

#[test]
fn a_closing_fence_may_end_the_file() {
    let text = "---\nname: greet\ndescription: Says hello\n---";
    forgives(text, &["4:1 fence-at-end \"---\""]);
    assert_eq!(skill(text, "greet").body, text.len()..text.len());
}

#[test]
fn blanks_after_a_fence_are_forgiven() {
    forgives(
        "--- \nname: greet\ndescription: Says hello\n---\t \nHi\n",
        &["1:4 fence-trailing-blanks \" \"", "4:4 fence-trailing-blanks \"\\t \""],
    );
}

#[test]
fn dots_close_the_frontmatter() {
    forgives(
        "---\nname: greet\ndescription: Says hello\n... \nHi\n",
        &["4:1 fence-dots \"...\"", "4:4 fence-trailing-blanks \" \""],
    );
}

#[test]
fn a_code_block_around_the_frontmatter_or_the_file_is_forgiven() {
    let frontmatter = "---\nname: greet\ndescription: Says hello\n---\n";
    for (text, body) in [
        (format!("```yaml\n{frontmatter}```\nHi\n"), "Hi\n"),
        (format!("```markdown\n{frontmatter}Hi\n```\n"), "Hi\n"),
        (format!("````\n{frontmatter}```sh\nls\n```\n````\n"), "```sh\nls\n```\n"),
        (format!("```\n{frontmatter}```sh\nls\n```\nBye\n```"), "```sh\nls\n```\nBye\n"),
        // The counterpart is missing: the last block is the body's own.
        (format!("```\n{frontmatter}Hi\n```sh\nls\n```\n"), "Hi\n```sh\nls\n```\n"),
    ] {
        let opening = text.lines().next().expect("a first line");
        forgives(&text, &[&format!("1:1 fence-in-code-block {:?}", format!("{opening}\n"))]);
        assert_eq!(&text[skill(&text, "greet").body], body, "{text:?}");
    }
}

#[test]
fn hyphens_inside_values_and_body_are_not_fences() {
    for (frontmatter, description) in [
        ("description: a --- b", "a --- b"),
        ("description: '---'", "---"),
        ("description: |\n  a\n  ---\n  b", "a\n---\nb"),
        ("description: >\n  a\n   ---\n  b", "a\n ---\nb"),
        ("description: \"a\n  --- b\"", "a --- b"),
        ("description: a\n  ---", "a ---"),
        ("description: ---a", "---a"),
    ] {
        let text = format!("---\nname: greet\n{frontmatter}\n---\nHi\n\n---\n\nBye\n");
        forgives_as(&text, ("greet", description), &[]);
        assert_eq!(&text[skill(&text, "greet").body], "Hi\n\n---\n\nBye\n", "{frontmatter}");
    }
}

// --- YAML ---------------------------------------------------------------------------------------

#[test]
fn an_unquoted_value_is_kept_as_its_exact_text() {
    for (value, covered_from) in [
        ("Use when: asked", "6:9 yaml-unquoted \": asked\""),
        ("Ends in a colon:", "6:16 yaml-unquoted \":\""),
        ("[BETA] Says hello", "6:8 yaml-unquoted \"Says hello\""),
        ("{name} is greeted", "6:8 yaml-unquoted \"is greeted\""),
        ("@team says hello", "6:1 yaml-unquoted \"@team says hello\""),
        ("`hello` is said", "6:1 yaml-unquoted \"`hello` is said\""),
        ("%TEMP% is greeted", "6:1 yaml-unquoted \"%TEMP% is greeted\""),
        ("**Bold** hello", "6:1 yaml-unquoted \"**Bold** hello\""),
        ("- one: two", "6:1 yaml-unquoted \"- one: two\""),
        ("\"Hi\" and \"bye\": both", "6:6 yaml-unquoted \"and \\\"bye\\\": both\""),
        ("日本語: こんにちは", "6:4 yaml-unquoted \": こんにちは\""),
    ] {
        let text = format!("---\nname: greet\n# a\n# b\n# c\ndescription: {value}\n---\nHi\n");
        // Columns in the table are those of the value.
        let (column, rest) = covered_from[2..].split_once(' ').expect("a finding");
        let column = column.parse::<usize>().expect("a column") + "description: ".len();
        forgives_as(&text, ("greet", value), &[&format!("6:{column} {rest}")]);
    }
}

#[test]
fn a_value_that_is_not_yaml_for_another_reason_is_kept_too() {
    for (value, expected) in [
        ("\"never closed", "\"never closed"),
        ("it # is\n  cut", "it # is cut"),
        ("\u{1b}[31mred", "\u{1b}[31mred"),
    ] {
        let text = format!("---\nname: greet\ndescription: {value}\n---\nHi\n");
        assert!(has(&text, Rule::YamlSyntax), "{value:?}");
        assert_eq!(skill(&text, "greet").description, expected);
    }
}

#[test]
fn quoted_lines_that_are_not_indented_are_still_one_text() {
    forgives(
        "---\nname: greet\ndescription: \"Says\nhello\"\n---\nHi\n",
        &["4:1 yaml-syntax \"hello\\\"\""],
    );
}

#[test]
fn only_the_broken_entry_is_repaired() {
    let text = "---\nname: greet\ndescription: >\n  Says: hello\n  [to] all\n\
                argument-hint: <who: name>\ntags: [next, @scope/x]\nlicense: MIT\n---\nHi\n";
    forgives_as(
        text,
        ("greet", "Says: hello [to] all\n"),
        &[
            "6:1 unknown-key \"argument-hint\"",
            "6:20 yaml-unquoted \": name>\"",
            "7:1 unknown-key \"tags\"",
            "7:14 yaml-unquoted \"@scope/x]\"",
        ],
    );
    let skill = skill(text, "greet");
    assert_eq!(skill.get("argument-hint"), Some(&Value::String("<who: name>".into())));
    assert_eq!(skill.get("tags"), Some(&Value::String("[next, @scope/x]".into())));
    assert_eq!(skill.get("license"), Some(&Value::String("MIT".into())));
}

#[test]
fn a_repaired_value_ends_before_the_comments_that_follow_it() {
    let text = "---\nname: greet\ndescription: Use when: asked\n  politely\n# about the licence\n\nlicense: MIT\n---\nHi\n";
    forgives_as(
        text,
        ("greet", "Use when: asked politely"),
        &["3:22 yaml-unquoted \": asked\\n  politely\""],
    );
}

#[test]
fn a_broken_value_inside_metadata_does_not_cost_its_neighbours() {
    let text = "---\nname: greet\ndescription: Says hello\nmetadata:\n  short: Hello: world\n  version: \"3\"\n---\nHi\n";
    forgives(text, &["5:15 yaml-unquoted \": world\""]);
    let skill = skill(text, "greet");
    assert_eq!(skill.version.as_deref(), Some("3"));
    assert_eq!(
        skill.get("metadata"),
        Some(&Value::Map(vec![
            ("short".into(), Value::String("Hello: world".into())),
            ("version".into(), Value::String("3".into())),
        ]))
    );
}

#[test]
fn an_indented_frontmatter_is_repaired_like_any_other() {
    forgives_as(
        "---\n  name: greet\n  description: Use when: asked\n---\nHi\n",
        ("greet", "Use when: asked"),
        &["3:24 yaml-unquoted \": asked\""],
    );
}

#[test]
fn every_way_to_write_a_description_gives_its_text() {
    for (written, text) in [
        (" plain", "plain"),
        ("\n  on the next line", "on the next line"),
        (" on\n  two lines", "on two lines"),
        (" 'it''s'", "it's"),
        (" \"tab\\t\\u00e9\"", "tab\té"),
        (" |\n  one\n  two", "one\ntwo"),
        (" >\n  one\n  two", "one two"),
        (" >-\n  one\n\n  two", "one\ntwo"),
        (" |2\n   x", " x"),
        ("\tafter a tab", "after a tab"),
        ("   after blanks", "after blanks"),
    ] {
        let file = format!("---\nname: greet\ndescription:{written}\n---\nHi\n");
        forgives_as(&file, ("greet", text), &[]);
        let crlf = file.replace('\n', "\r\n");
        assert_eq!(skill(&crlf, "greet").description, text, "{crlf:?}");
    }
}

/// The line break before the closing fence belongs to the fence, as in most agents' readers.
#[test]
fn a_block_scalar_has_a_last_line_break_only_when_something_follows() {
    forgives_as("---\nname: greet\ndescription: |\n  a\n---\nHi\n", ("greet", "a"), &[]);
    forgives_as("---\ndescription: |\n  a\nname: greet\n---\nHi\n", ("greet", "a\n"), &[]);
    forgives_as("---\nname: greet\ndescription: |+\n  a\n\n---\nHi\n", ("greet", "a\n"), &[]);
}

#[test]
fn a_tab_in_the_indentation_is_reported_once_and_only_outside_texts() {
    forgives(
        "---\nname: greet\ndescription:\n\tSays hello\n---\nHi\n",
        &["4:1 tab-indent \"\\t\"", "4:2 yaml-syntax \"Says hello\""],
    );
    forgives_as(
        "---\nname: greet\ndescription: |\n  a\n  \tb\n---\nHi\n",
        ("greet", "a\n\tb"),
        &[],
    );
    forgives(
        "---\nname: greet\ndescription: Says hello\nmetadata:\n  a: |\n    x\n    \ty\n  b: 'x\n    \ty'\n---\nHi\n",
        &[],
    );
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    forgives(
        "---\nname: other\nname: greet\ndescription: Says hello\n---\nHi\n",
        &["2:1 duplicate-key \"name\""],
    );
    forgives(
        "---\nname: greet\ndescription: Says hello\nmetadata:\n  a: 1\n  a: 2\n---\nHi\n",
        &["5:3 duplicate-key \"a\""],
    );
}

#[test]
fn flow_style_is_noted_where_it_first_occurs() {
    forgives(
        "{name: greet, description: Says hello}"
            .replace('{', "---\n{")
            .replace('}', "}\n---\nHi\n")
            .as_str(),
        &["2:1 flow-style \"\""],
    );
    forgives(
        "---\nname: greet\ndescription: Says hello\nmetadata:\n  a: x\n  b: {c: d}\n---\nHi\n",
        &["6:6 flow-style \"\"", "6:6 metadata-value \"{c: d}\""],
    );
}

#[test]
fn anchors_aliases_and_tags_are_resolved_and_reported() {
    forgives(
        "---\nname: &n greet\ndescription: !!str Says hello\nmetadata:\n  copy: *n\n---\nHi\n",
        &[
            "2:10 yaml-decoration \"greet\"",
            "3:20 yaml-decoration \"Says hello\"",
            "5:9 yaml-decoration \"*n\"",
        ],
    );
    forgives(
        "---\n&all\nname: greet\ndescription: Says hello\n---\nHi\n",
        &["2:1 yaml-decoration \"\""],
    );
}

#[test]
fn a_tag_constructs_nothing() {
    let text =
        "---\nname: greet\ndescription: !!python/object/apply:os.system [echo hi]\n---\nHi\n";
    refuses_first(text, "3:46 description-type \"[echo hi]\"");
    let text = "---\nname: greet\ndescription: !ruby/object:Gem Says hello\n---\nHi\n";
    forgives(text, &["3:31 yaml-decoration \"Says hello\""]);
}

#[test]
fn a_comment_that_cuts_a_value_is_reported() {
    forgives_as(
        "---\nname: greet\ndescription: Use C # not C++\n---\nHi\n",
        ("greet", "Use C"),
        &["3:20 comment-cuts-value \"#\""],
    );
    forgives_as(
        "---\nname: greet\ndescription: # not yet\n---\nFirst line.\n",
        ("greet", "First line."),
        &["3:1 description-missing \"description\"", "3:14 comment-cuts-value \"#\""],
    );
    forgives("---\nname: greet\n# a line of its own\ndescription: Says hello\n---\nHi\n", &[]);
    forgives("---\nname: greet\ndescription: 'Says hello' # a note\n---\nHi\n", &[]);
}

#[test]
fn a_key_that_is_not_text_is_ignored_and_reported() {
    forgives(
        "---\nname: greet\n[a]: b\ndescription: Says hello\n---\nHi\n",
        &["3:1 yaml-syntax \"[a]\""],
    );
    forgives("---\n? name\n: greet\n? description\n: Says hello\n---\nHi\n", &[]);
}

// --- Keys and fields ----------------------------------------------------------------------------

#[test]
fn unknown_keys_are_kept_and_named() {
    let text = "---\nname: greet\ndescription: Says hello\nrisk: low\nversion: 2\n---\nHi\n";
    forgives(text, &["4:1 unknown-key \"risk\"", "5:1 unknown-key \"version\""]);
    assert_eq!(skill(text, "greet").get("risk"), Some(&Value::String("low".into())));
}

#[test]
fn a_misspelt_key_gets_a_guess() {
    let text = "---\nname: greet\ndescription: Says hello\nuser-invokable: true\nallowed_tools: Read\n---\nHi\n";
    forgives(
        text,
        &[
            "4:1 key-typo \"user-invokable\"",
            "4:1 unknown-key \"user-invokable\"",
            "5:1 key-typo \"allowed_tools\"",
            "5:1 unknown-key \"allowed_tools\"",
        ],
    );
    let reading = read(text.as_bytes(), Some("greet"));
    let hints: Vec<_> = reading
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.rule == Rule::KeyTypo)
        .filter_map(|diagnostic| diagnostic.hint.as_deref())
        .collect();
    assert_eq!(hints, ["did you mean `user-invocable`?", "did you mean `allowed-tools`?"]);
    // Not where the right key is there as well, and not for a word of its own.
    forgives(
        "---\nname: greet\ndescription: Says hello\nDescription: x\nnames: y\n---\nHi\n",
        &["4:1 unknown-key \"Description\"", "5:1 unknown-key \"names\""],
    );
}

#[test]
fn names_that_are_numbers_or_booleans_are_text() {
    for name in ["123", "1.10", "true", "0x1F", "False"] {
        let text = format!("---\nname: {name}\ndescription: Says hello\n---\nHi\n");
        let reading = read(text.as_bytes(), Some(name));
        let expected = format!("2:7 name-not-string {name:?}");
        assert_eq!(findings(&reading, text.as_bytes())[0], expected);
        assert_eq!(reading.skill.map(|skill| skill.name).as_deref(), Some(name));
    }
    // Words that only YAML 1.1 takes for booleans.
    for name in ["yes", "no", "on", "off"] {
        let text = format!("---\nname: {name}\ndescription: Says hello\n---\nHi\n");
        let reading = read(text.as_bytes(), Some(name));
        assert_eq!(findings(&reading, text.as_bytes()), [""; 0]);
        assert_eq!(reading.skill.map(|skill| skill.name).as_deref(), Some(name));
    }
}

#[test]
fn a_name_other_than_the_folder_counts() {
    forgives_as(
        "---\nname: other\ndescription: Says hello\n---\nHi\n",
        ("other", "Says hello"),
        &["2:7 name-folder \"other\""],
    );
}

#[test]
fn without_a_name_the_folder_gives_it() {
    for (frontmatter, expected) in [
        ("description: Says hello", "1:1 name-missing \"---\""),
        ("name:\ndescription: Says hello", "2:1 name-missing \"name\""),
        ("name: ~\ndescription: Says hello", "2:7 name-missing \"~\""),
        ("name: ' '\ndescription: Says hello", "2:7 name-missing \"' '\""),
        ("name:\n- a\n- b\ndescription: Says hello", "3:1 name-type \"- a\\n- b\""),
    ] {
        forgives(&format!("---\n{frontmatter}\n---\nHi\n"), &[expected]);
    }
}

#[test]
fn a_flat_file_needs_a_name_of_its_own() {
    for (name, rule) in [
        ("", Rule::NameMissing),
        ("name: [a]\n", Rule::NameType),
        ("name: '!'\n", Rule::NameNoSlug),
    ] {
        let reading = read(format!("---\n{name}description: d\n---\n").as_bytes(), None);
        assert_eq!(reading.refusal().map(|refusal| refusal.rule), Some(rule), "{name:?}");
        assert_eq!(reading.skill, None);
    }
    let reading = read(b"---\nname: greet\ndescription: d\n---\n", None);
    assert_eq!(reading.skill.map(|skill| skill.name).as_deref(), Some("greet"));
}

#[test]
fn a_name_without_a_slug_takes_the_folder_s() {
    let text = "---\nname: '!!!'\ndescription: Says hello\n---\nHi\n";
    let skill = skill(text, "greet");
    assert_eq!((skill.name.as_str(), skill.slug.as_str()), ("!!!", "greet"));
    let nowhere = read(text.as_bytes(), Some("???"));
    assert_eq!(nowhere.refusal().map(|refusal| refusal.rule), Some(Rule::NameNoSlug));
}

#[test]
fn allowed_tools_come_in_four_forms() {
    let form = |line: usize, column: usize, covered: &str| {
        format!("{line}:{column} allowed-tools-form {covered:?}")
    };
    for (written, finding) in [
        (" Bash(git add *) Read", None),
        (" Bash(git add *), Read", Some(form(4, 16, "Bash(git add *), Read"))),
        ("\n- Bash(git add *)\n- Read", Some(form(5, 1, "- Bash(git add *)\n- Read"))),
        ("\n  - Bash(git add *)\n  - Read", Some(form(5, 3, "- Bash(git add *)\n  - Read"))),
        (" [Bash(git add *), Read]", Some(form(4, 16, "[Bash(git add *), Read]"))),
        (" \"Bash(git  add *)\tRead\"", None),
    ] {
        let text = format!(
            "---\nname: greet\ndescription: Says hello\nallowed-tools:{written}\nlicense: MIT\n---\nHi\n"
        );
        let reading = read(text.as_bytes(), Some("greet"));
        let mut found = findings(&reading, text.as_bytes());
        found.retain(|finding| !finding.contains("flow-style"));
        assert_eq!(found, Vec::from_iter(finding), "{written:?}");
        let tools = reading.skill.expect("loaded").allowed_tools;
        assert_eq!(tools.len(), 2, "{written:?}: {tools:?}");
        assert_eq!(tools[1], "Read");
    }
}

#[test]
fn without_a_description_the_first_prose_line_stands_in() {
    let text =
        "---\nname: greet\n---\n# Title\n\n```\ncode\n```\n| a |\n<br>\n\n  Says hello.  \nMore.\n";
    forgives_as(text, ("greet", "Says hello."), &["1:1 description-missing \"---\""]);
    assert_eq!(skill(text, "greet").description_source, DescriptionSource::Body);
}

#[test]
fn descriptions_that_are_numbers_are_text() {
    forgives_as(
        "---\nname: greet\ndescription: 42\n---\nHi\n",
        ("greet", "42"),
        &["3:14 description-not-string \"42\""],
    );
}

#[test]
fn hidden_characters_are_reported_and_kept() {
    forgives_as(
        "---\nname: greet\ndescription: \"a\\u202Eb\"\n---\nHi\n",
        ("greet", "a\u{202e}b"),
        &["3:14 hidden-characters \"\\\"a\\\\u202Eb\\\"\""],
    );
}

#[test]
fn messages_show_no_control_characters() {
    let text = "---\nname: greet\ndescription: d\n\"a\\e[31mb\\u202Ec\": 1\n\"a\\e[31mb\\u202Ec\": 2\nx: \u{1b}\n---\nHi\n";
    let reading = read(text.as_bytes(), Some("gr\u{1b}eet"));
    for diagnostic in &reading.diagnostics {
        let said = format!("{} {:?}", diagnostic.message, diagnostic.hint);
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
    assert_eq!(reading.diagnostics[0].message, "the name is `greet`, the folder is `gr\\u{1b}eet`");
}

// --- Refusals -----------------------------------------------------------------------------------

#[test]
fn other_encodings_are_refused_with_the_byte_offset() {
    refuses(
        b"---\nname: caf\xe9\n---\n",
        "2:10 not-utf8 \"\"",
        "not UTF-8: byte 0xE9 at offset 13",
    );
    refuses(b"\xff\xfe-\0-\0-\0", "1:1 not-utf8 \"\"", "not UTF-8: byte 0xFF at offset 0");
    refuses(b"---\ncut \xf0\x9f", "2:5 not-utf8 \"\"", "not UTF-8: byte 0xF0 at offset 8");
}

#[test]
fn a_nul_byte_is_refused_with_its_offset() {
    refuses(
        b"---\nname: greet\ndescription: d\n---\nHi\0\n",
        "5:3 nul-byte \"\\0\"",
        "a NUL byte at offset 37",
    );
}

#[test]
fn a_file_without_frontmatter_is_refused() {
    for text in [
        "",
        "\n",
        "# Title\n",
        "name: greet\n",
        "----\nname: greet\n----\n",
        "--\n",
        "---name: a\n---\n",
    ] {
        refuses(text.as_bytes(), "1:1 no-frontmatter \"\"", "there is no frontmatter");
    }
    refuses(b"---\rname: a\r---\r", "1:1 no-frontmatter \"\"", "there is no frontmatter");
    refuses(b"```\n---\nx\n```\n", "1:1 no-frontmatter \"\"", "there is no frontmatter");
}

#[test]
fn a_path_in_place_of_a_link_is_told_apart() {
    refuses(
        "\n../../shared/greet/SKILL.md\n".as_bytes(),
        "2:1 link-pointer \"../../shared/greet/SKILL.md\"",
        "this file only holds the path `../../shared/greet/SKILL.md`",
    );
}

#[test]
fn an_unclosed_frontmatter_is_refused() {
    for text in [
        "---\nname: greet\ndescription: d\n",
        "---\nname: greet\n----\n",
        "---\nname: greet\n ---\n",
        "---\nname: greet\n--- x\n",
        "---",
    ] {
        refuses(
            text.as_bytes(),
            "1:1 unclosed-frontmatter \"---\"",
            "the frontmatter opened here is never closed",
        );
    }
}

#[test]
fn frontmatter_that_is_no_map_is_refused() {
    for (frontmatter, finding, found) in [
        ("- name: greet\n- b", "2:1 frontmatter-not-map \"\"", "a list"),
        ("# c\n\n[a, b]", "4:1 frontmatter-not-map \"\"", "a list"),
        ("just words", "2:1 frontmatter-not-map \"\"", "a single value"),
        ("~", "2:1 frontmatter-not-map \"\"", "a single value"),
    ] {
        refuses(
            format!("---\n{frontmatter}\n---\nHi\n").as_bytes(),
            finding,
            &format!("the frontmatter is {found}, not keys with values"),
        );
    }
}

#[test]
fn frontmatter_without_a_single_key_is_refused_where_the_parser_stopped() {
    refuses(
        b"---\n- a: b: c\n---\nHi\n",
        "2:7 yaml-syntax \"\"",
        "mapping values are not allowed in this context",
    );
    refuses(
        b"---\n%YAML 1.2\nname: a\n---\nHi\n",
        "3:1 yaml-syntax \"\"",
        "did not find expected <document start>",
    );
}

#[test]
fn no_description_anywhere_is_refused() {
    for (frontmatter, finding) in [
        ("name: greet", "1:1 description-missing \"---\""),
        ("name: greet\ndescription:", "3:1 description-missing \"description\""),
        ("name: greet\ndescription: ''", "3:14 description-missing \"''\""),
        ("name: greet\ndescription: |\n  ", "3:14 description-missing \"|\""),
    ] {
        refuses(
            format!("---\n{frontmatter}\n---\n# Only a title\n").as_bytes(),
            finding,
            "there is no description",
        );
    }
    refuses_first("---\n---\n", "1:1 description-missing \"---\"");
    refuses(
        b"---\nname: greet\ndescription:\n  - a\n---\nProse.\n",
        "4:3 description-type \"- a\"",
        "the description is a list or a map",
    );
}

#[test]
fn alias_bombs_are_refused() {
    let mut text =
        "---\nname: greet\ndescription: d\na: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (this, that) in [('b', 'a'), ('c', 'b'), ('d', 'c'), ('e', 'd'), ('f', 'e')] {
        let copies = vec![format!("*{that}"); 6].join(", ");
        text.extend([format!("{this}: &{this} [{copies}]\n")]);
    }
    text += "---\nHi\n";
    refuses(
        text.as_bytes(),
        "8:20 yaml-limit \"\"",
        "the frontmatter stands for more than 10000 values or 262144 bytes of text",
    );
    // Nor by many small ones, each in an entry of its own beside a broken entry.
    let small = "x: [&a [1,1,1,1,1,1],&b [*a,*a,*a,*a,*a,*a],&c [*b,*b,*b,*b,*b,*b],*c,*c,*c]\n";
    let text = format!("---\nname: greet\ndescription: a: b\n{}---\nHi\n", small.repeat(500));
    let reading = read(text.as_bytes(), Some("greet"));
    assert_eq!(reading.refusal().map(|refusal| refusal.rule), Some(Rule::YamlLimit));
}

#[test]
fn an_alias_inside_its_own_anchor_is_refused() {
    refuses(
        b"---\nname: greet\ndescription: d\na: &a [*a]\n---\n",
        "4:8 yaml-limit \"\"",
        "an alias stands inside the value that it repeats",
    );
}

#[test]
fn positions_count_lines_and_characters_of_the_file() {
    // After a byte order mark, blank lines, wide characters and a long line.
    let wide = "é😀".repeat(200);
    let text = format!(
        "\u{feff}\n\n---\n# {wide}\nname: greet\nmetadata: {{{wide}: [], x: [{wide}, {{}}]}}\ndescription: {wide}: x\n---\nHi\n"
    );
    let reading = read(text.as_bytes(), Some("greet"));
    for diagnostic in &reading.diagnostics {
        let before = &text[..diagnostic.range.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().expect("a line").chars().count() + 1;
        assert_eq!((diagnostic.line, diagnostic.column), (line, column), "{diagnostic:?}");
    }
    let found: Vec<_> =
        reading.diagnostics.iter().map(|d| (d.rule.id(), d.line, d.column)).collect();
    assert_eq!(
        found,
        [
            ("byte-order-mark", 1, 1),
            ("text-before-fence", 1, 2),
            ("flow-style", 6, 11),
            ("metadata-value", 6, 414),
            ("metadata-value", 6, 421),
            ("yaml-unquoted", 7, 414),
        ]
    );
}
