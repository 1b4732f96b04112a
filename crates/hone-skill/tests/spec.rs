//! The specification, case by case: is a text valid to the letter, and does it load all the same?
//!
//! The numbers are those of our list of black-box cases. A star marks where the reference validator
//! (`skills-ref` 0.1.1) does otherwise than the specification says; the text counts.

mod findings;

use findings::{findings, skill};
use hone_skill::{Profile, Rule, Severity, Value, fix, read};

/// Under [`Profile::Spec`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strict {
    Valid,
    /// Valid, with this rule at [`Severity::Warning`].
    Warns(&'static str),
    /// This rule is among the errors.
    Error(&'static str),
}

/// Whatever the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loads {
    Yes,
    /// The file is refused by this rule.
    No(&'static str),
}

use Loads::{No, Yes};
use Strict::{Error, Valid, Warns};

#[track_caller]
fn check(case: &str, folder: &str, bytes: &[u8], strict: Strict, loads: Loads) {
    let reading = read(bytes, Some(folder));
    let at = |wanted: Severity| -> Vec<&str> {
        let here = |severity| severity == Some(wanted);
        let all = reading.diagnostics.iter().filter(|d| here(d.severity(Profile::Spec)));
        all.map(|diagnostic| diagnostic.rule.id()).collect()
    };
    let (errors, warnings) = (at(Severity::Error), at(Severity::Warning));
    let found = match strict {
        Error(rule) if errors.contains(&rule) => strict,
        Warns(rule) if errors.is_empty() && warnings.contains(&rule) => strict,
        Valid if errors.is_empty() && warnings.is_empty() => strict,
        _ => panic!("case {case}: {strict:?} expected, found {:?}", findings(&reading, bytes)),
    };
    let refused = reading.refusal().map(|refusal| refusal.rule.id());
    assert_eq!((found, refused.map_or(Yes, No)), (strict, loads), "case {case}");
    assert_eq!(reading.skill.is_none(), refused.is_some(), "case {case}");
}

/// A skill `greet` with these lines in place of the description.
#[track_caller]
fn describes(case: &str, lines: &str, strict: Strict, loads: Loads) {
    let text = format!("---\nname: greet\n{lines}\n---\n# Greet\n");
    check(case, "greet", text.as_bytes(), strict, loads);
}

/// A skill `greet` with these lines after the description.
#[track_caller]
fn adds(case: &str, lines: &str, strict: Strict) {
    let text = format!("---\nname: greet\ndescription: Says hello\n{lines}\n---\nSay hello.\n");
    check(case, "greet", text.as_bytes(), strict, Yes);
}

/// A skill with this name in this folder.
#[track_caller]
fn named(case: &str, name: &str, folder: &str, strict: Strict) {
    let text = format!("---\nname: {name}\ndescription: Says hello\n---\nSay hello.\n");
    check(case, folder, text.as_bytes(), strict, Yes);
}

#[test]
fn cases_1_to_10_names_and_folders() {
    named("1", "a", "a", Valid);
    let longest = "a".repeat(64);
    named("2", &longest, &longest, Valid);
    let longer = "a".repeat(65);
    named("3", &longer, &longer, Error("name-too-long"));
    named("4", "My-Skill", "My-Skill", Error("name-uppercase"));
    named("5 start", "-x", "-x", Error("name-hyphens"));
    named("5 end", "x-", "x-", Error("name-hyphens"));
    named("6", "a--b", "a--b", Error("name-hyphens"));
    for (name, sanitised) in [("a_b", "a-b"), ("a.b", "a-b"), ("a b", "a-b")] {
        named("7", name, name, Error("name-characters"));
        let text = format!("---\nname: {name}\ndescription: d\n---\n");
        assert_eq!(skill(&text, name).slug.as_str(), sanitised);
    }
    named("8", "other", "greet", Error("name-folder"));
    assert_eq!(skill("---\nname: other\ndescription: d\n---\n", "greet").name, "other");
    check("9", "greet", b"---\ndescription: d\n---\n", Error("name-missing"), Yes);
    // A number or boolean is a string, as in the reference validator; we only suggest quotes.
    named("10 number", "123", "123", Warns("name-not-string"));
    named("10 boolean", "true", "true", Warns("name-not-string"));
    // * The reference takes `null` for the word; YAML, and so we, for no name.
    named("10 null*", "null", "n", Error("name-missing"));
    assert_eq!(skill("---\nname: null\ndescription: d\n---\n", "n").name, "n");
}

#[test]
fn cases_11_to_19_names_beyond_ascii() {
    named("11", "cafe\u{301}", "caf\u{e9}", Warns("name-non-ascii"));
    named("12", "ｇｒｅｅｔ", "greet", Warns("name-non-ascii"));
    named("13", "技能", "技能", Warns("name-non-ascii"));
    named("14", "НАВЫК", "НАВЫК", Error("name-uppercase"));
    named("15 emoji", "go🚀", "go🚀", Error("name-characters"));
    named("15 joiner", "a\u{200d}b", "a\u{200d}b", Error("name-characters"));
    named("16 superscript", "x²", "x²", Warns("name-non-ascii"));
    named("16 Arabic digit", "x٣", "x٣", Warns("name-non-ascii"));
    for name in ["a/b", "..", "../a", "a\\b"] {
        named("17", &format!("'{name}'"), "a", Error("name-characters"));
        let text = format!("---\nname: '{name}'\ndescription: d\n---\n");
        let slug = skill(&text, "a").slug;
        assert!(!slug.as_str().contains(['/', '\\', '.']), "{slug} is safe in a path");
    }
    check(
        "17 NUL",
        "a",
        b"---\nname: \"a\0b\"\ndescription: d\n---\n",
        Error("nul-byte"),
        No("nul-byte"),
    );
    // An escaped NUL never was a byte of the file.
    check(
        "17 \\0",
        "a",
        b"---\nname: \"a\\0b\"\ndescription: d\n---\n",
        Error("name-characters"),
        Yes,
    );
    for name in ["synced", "con", "nul", "com1", "lpt9"] {
        named("18", name, name, Warns("name-reserved"));
    }
    named("19", "plugin:greet", "greet", Error("name-characters"));
}

#[test]
fn cases_20_to_34_descriptions() {
    describes("20", "license: MIT", Error("description-missing"), No("description-missing"));
    for empty in ["\"\"", "'  '", "", "null", "~"] {
        let lines = format!("description: {empty}");
        describes("21", &lines, Error("description-missing"), No("description-missing"));
    }
    describes("22 longest", &format!("description: {}", "a".repeat(1024)), Valid, Yes);
    let lines = format!("description: {}", "a".repeat(1025));
    describes("22 longer", &lines, Error("description-too-long"), Yes);
    describes("23", &format!("description: {}", "😀".repeat(1024)), Valid, Yes);
    // * The reference counts blanks around the text; the text itself is not too long.
    let lines = format!("description: '{}   '", "a".repeat(1024));
    describes("24*", &lines, Warns("description-blanks"), Yes);
    describes("25", "description: Use when: x", Error("yaml-unquoted"), Yes);
    for start in ["@x", "`x`", "[BETA] x", "{x} y"] {
        let lines = format!("description: {start}");
        describes("26", &lines, Error("yaml-unquoted"), Yes);
        assert_eq!(skill(&format!("---\nname: greet\n{lines}\n---\n"), "greet").description, start);
    }
    describes("27", "description: Use C # not C++", Warns("comment-cuts-value"), Yes);
    describes("28 folded", "description: >\n  a\n  b", Valid, Yes);
    describes("28 literal", "description: |\n  a\n  b", Valid, Yes);
    describes("29", "description:\n  on the next line", Valid, Yes);
    describes("30 number", "description: 42", Warns("description-not-string"), Yes);
    describes("30 boolean", "description: true", Warns("description-not-string"), Yes);
    describes("31 flow", "description: [a, b]", Error("description-type"), No("description-type"));
    describes("31 block", "description:\n- a", Error("description-type"), No("description-type"));
    describes("32", "description: <b> & \"c\"", Valid, Yes);
    describes("33 escape", "description: \"\\e[31m\"", Warns("hidden-characters"), Yes);
    describes("33 bidi", "description: a\u{202e}b", Warns("hidden-characters"), Yes);
    describes("33 raw escape", "description: \u{1b}[31m", Error("yaml-syntax"), Yes);
    // * The reference cuts the description at the hyphens and calls the rest valid.
    describes("34*", "description: before --- after", Valid, Yes);
    let text = "---\nname: greet\ndescription: before --- after\n---\n";
    assert_eq!(skill(text, "greet").description, "before --- after");
}

#[test]
fn cases_35_to_44_other_fields() {
    adds("35", "version: 1", Error("unknown-key"));
    adds("36", "user-invocable: true", Error("unknown-key"));
    adds("37", "user-invokable: true", Error("unknown-key"));
    adds("38 longest", &format!("compatibility: {}", "x".repeat(500)), Valid);
    adds("38 longer", &format!("compatibility: {}", "x".repeat(501)), Error("compatibility"));
    // * The reference lets an empty text pass; the specification asks for 1 to 500 characters.
    adds("38 empty*", "compatibility: \"\"", Error("compatibility"));
    adds("38 map", "compatibility:\n  os: linux", Error("compatibility"));
    adds("39 number", "metadata:\n  stars: 5", Valid);
    // * The reference turns these into strings; the specification has a map of text to text.
    adds("39 nested*", "metadata:\n  a:\n    b: c", Error("metadata-value"));
    adds("39 list*", "metadata:\n  - a", Error("metadata-type"));
    adds("39 text*", "metadata: a", Error("metadata-type"));
    // * The reference does not parse flow style; YAML has it.
    adds("40*", "metadata: {a: b}", Valid);
    adds("41 text", "allowed-tools: Bash(git:*) Read", Valid);
    // * The reference takes any form but the flow list; the specification asks for one text.
    for tools in ["\n  - Read\n  - Write", " [Read, Write]", " Read, Write"] {
        adds("41*", &format!("allowed-tools:{tools}"), Error("allowed-tools-form"));
        let text = format!("---\nname: greet\ndescription: d\nallowed-tools:{tools}\n---\n");
        let (fixed, _) = fix(&text, Some("greet"), Profile::Spec);
        assert_eq!(fixed, "---\nname: greet\ndescription: d\nallowed-tools: Read Write\n---\n");
    }
    adds("42", "license: MIT\nlicense: Apache-2.0", Error("duplicate-key"));
    let text = "---\nname: greet\ndescription: d\nlicense: MIT\nlicense: Apache-2.0\n---\n";
    assert_eq!(skill(text, "greet").get("license"), Some(&Value::String("Apache-2.0".into())));
    adds("43 anchor", "license: &a MIT", Error("yaml-decoration"));
    adds("43 alias", "metadata:\n  a: &a x\n  b: *a", Error("yaml-decoration"));
    adds("43 tag", "license: !!str MIT", Error("yaml-decoration"));
    adds("44", "# a comment\nlicense: MIT # another", Valid);
}

#[test]
fn cases_45_to_61_fences_and_bytes() {
    let skill = "---\nname: greet\ndescription: Says hello\n---\nSay hello.\n";
    let is = |case: &str, text: &str, strict: Strict, loads: Loads| {
        check(case, "greet", text.as_bytes(), strict, loads);
    };
    is("45", &format!("\u{feff}{skill}"), Error("byte-order-mark"), Yes);
    is("46", &skill.replace('\n', "\r\n"), Valid, Yes);
    is("47", &skill.replace("Say hello", "Say\rhello"), Warns("lone-cr"), Yes);
    is("47 only", &skill.replace('\n', "\r"), Error("no-frontmatter"), No("no-frontmatter"));
    is("48 line", &format!("\n{skill}"), Error("text-before-fence"), Yes);
    is("48 blank", &format!(" {skill}"), Error("text-before-fence"), Yes);
    is("49", "# Greet\n\nSay hello.\n", Error("no-frontmatter"), No("no-frontmatter"));
    let unclosed = "---\nname: greet\ndescription: Says hello\n";
    is("50", unclosed, Error("unclosed-frontmatter"), No("unclosed-frontmatter"));
    is("51", &skill.replace("---\n", "--- \t\n"), Valid, Yes);
    is("52", &skill.replace("---\n", "----\n"), Error("no-frontmatter"), No("no-frontmatter"));
    is("53", &skill.replace("hello\n---", "hello\n..."), Error("fence-dots"), Yes);
    is("54", skill.trim_end_matches("\nSay hello.\n"), Valid, Yes);
    // * The reference splits at the first three hyphens wherever they stand.
    is("55*", "---\nname: greet\ndescription: |\n  a\n  ---\n  b\n---\n", Valid, Yes);
    is("56", &format!("{skill}\n---\n\nBye.\n"), Valid, Yes);
    is("57 empty", "", Error("no-frontmatter"), No("no-frontmatter"));
    is("57 fences", "---\n---\n", Error("description-missing"), No("description-missing"));
    let not_map = "frontmatter-not-map";
    is("58 list", "---\n- a\n- b\n---\nHi\n", Error(not_map), No(not_map));
    is("58 text", "---\na\n---\nHi\n", Error(not_map), No(not_map));
    // * The reference ends in a traceback.
    for (case, bytes) in [
        ("59 Latin-1*", b"---\nname: caf\xe9\n---\n".as_slice()),
        ("59 UTF-16*", b"\xff\xfe-\0-\0-\0\n\0"),
    ] {
        check(case, "greet", bytes, Error("not-utf8"), No("not-utf8"));
    }
    is("59 NUL*", "---\nname: a\0\n---\n", Error("nul-byte"), No("nul-byte"));
    is("60 indent", &skill.replace("description: ", "description:\n\t"), Error("tab-indent"), Yes);
    // * The reference refuses a tab after the colon; YAML 1.2 has it.
    is("60 colon*", &skill.replace("description: ", "description:\t"), Valid, Yes);
    let huge = skill.to_owned() + &"x".repeat(100 * 1024 * 1024);
    is("61 huge", &huge, Error("file-too-large"), No("file-too-large"));
    let deep = format!("---\nname: greet\ndescription: d\nx: {}\n---\n", "[".repeat(60_000));
    is("61 deep", &deep, Error("yaml-limit"), No("yaml-limit"));
    let million = format!("---\nname: greet\ndescription: d\nx: {}\n---\n", "[".repeat(1_000_000));
    is("61 a million", &million, Error("frontmatter-too-large"), No("frontmatter-too-large"));
}

/// What other agents' lists add: Hermes' cases F and Codex' first 18, where they are not above.
#[test]
fn other_agents_cases_load_or_are_refused_as_we_want() {
    let loads = |case: &str, text: &str, name: &str, description: &str| {
        let skill = skill(text, "greet");
        assert_eq!(
            (skill.name.as_str(), skill.description.as_str()),
            (name, description),
            "{case}"
        );
    };
    loads("F10", "---\nname: greet\ndescription: d\n---", "greet", "d");
    loads("F15", "---\nname: a: b\ndescription: d\n---\n", "a: b", "d");
    loads("F19", "---\nname: yes\ndescription: d\n---\n", "yes", "d");
    let long = format!("---\n# {}\nname: greet\ndescription: d\n---\n", "x".repeat(5000));
    loads("F20", &long, "greet", "d");
    loads("F23", "---\nname: greet\n---\n# T\nFirst line\n", "greet", "First line");
    let long = "x".repeat(2000);
    loads("Codex 10", &format!("---\nname: greet\ndescription: {long}\n---\n"), "greet", &long);
    loads("Codex 11", "---\ndescription: Build for AWS: ECS\n---\n", "greet", "Build for AWS: ECS");
    loads("Codex 16", "---\nname: two words\ndescription: d\n---\n", "two words", "d");
    // Codex collapses blanks; we keep the text and leave that to whoever shows it.
    loads("Codex 17", "---\nname: greet\ndescription: \"a  b\"\n---\n", "greet", "a  b");
    // F12: dots are no fence to Hermes; F13: four hyphens are one, which we refuse.
    for text in ["----\nname: greet\ndescription: d\n----\n", "---name: a\n---\n"] {
        let refused = read(text.as_bytes(), Some("greet")).refusal().map(|refusal| refusal.rule);
        assert_eq!(refused, Some(Rule::NoFrontmatter));
    }
    // F22 and F25: a list is a list however it is written.
    for platforms in [
        "[macos, linux]",
        "macos, linux",
        "\"[macos, linux]\"",
        "'[\"macos\", linux]'",
        "\n- macos\n- linux",
    ] {
        let text = format!("---\nname: greet\ndescription: d\nplatforms: {platforms}\n---\n");
        assert_eq!(skill(&text, "greet").platforms, ["macos", "linux"], "{platforms}");
    }
    for none in ["", "[]", "\"\""] {
        let text = format!("---\nname: greet\ndescription: d\nplatforms: {none}\n---\n");
        assert_eq!(skill(&text, "greet").platforms, [""; 0], "{none}");
    }
}

/// One letter per profile in the order of [`Profile::ALL`]: error, warning, info, or `-`.
fn severities(text: &str, rule: Rule) -> String {
    let reading = read(text.as_bytes(), Some("greet"));
    let found = reading.diagnostics.iter().find(|diagnostic| diagnostic.rule == rule);
    let diagnostic = found.unwrap_or_else(|| panic!("{} is not in {text:?}", rule.id()));
    let letter = |profile| match diagnostic.severity(profile) {
        Some(Severity::Error) => 'E',
        Some(Severity::Warning) => 'W',
        Some(Severity::Info) => 'i',
        None => '-',
    };
    Profile::ALL.into_iter().map(letter).collect()
}

#[test]
fn profiles_weigh_the_same_finding_differently() {
    let add =
        |lines: &str| format!("---\nname: greet\ndescription: Says hello\n{lines}\n---\nHi\n");
    let name = |name: &str| format!("---\nname: {name}\ndescription: Says hello\n---\nHi\n");
    let describe = |text: &str| format!("---\nname: greet\n{text}\n---\nHi\n");
    let nameless = "---\ndescription: d\n---\nHi\n".to_owned();
    let skill = add("license: MIT");
    let table = [
        // Columns: spec, upload, claude-code, codex, mcp, lenient.
        ("EEiiEi", Rule::UnknownKey, add("risk: low")),
        ("EE--E-", Rule::UnknownKey, add("user-invocable: true")),
        ("EEi-E-", Rule::UnknownKey, add("platforms: [linux]")),
        ("WWWWWW", Rule::KeyTypo, add("user-invokable: true")),
        ("-W----", Rule::DescriptionMarkup, describe("description: <b>")),
        ("WE-WEW", Rule::NameNonAscii, name("größe")),
        ("EEWWEW", Rule::NameCharacters, name("a b")),
        ("EEWWEW", Rule::NameUppercase, name("Greet")),
        ("EEWWEW", Rule::NameHyphens, name("a--b")),
        ("EEWEEW", Rule::NameTooLong, name(&"a".repeat(65))),
        ("EEWiEW", Rule::NameFolder, name("other")),
        ("EEiiEW", Rule::NameMissing, nameless),
        ("EEWEEW", Rule::NameType, name("[a]")),
        ("EEWEEW", Rule::DescriptionMissing, describe("license: MIT")),
        (
            "EEWWEW",
            Rule::DescriptionTooLong,
            describe(&format!("description: {}", "a".repeat(1025))),
        ),
        ("EEEWEW", Rule::YamlUnquoted, describe("description: a: b")),
        ("EEEEEW", Rule::YamlSyntax, describe("description: \"a")),
        ("EEEEEW", Rule::TabIndent, describe("description:\n\ta")),
        ("EEWWEW", Rule::DuplicateKey, add("license: a\nlicense: b")),
        ("EEWWEW", Rule::YamlDecoration, add("license: &a b")),
        ("EEiEEW", Rule::ByteOrderMark, format!("\u{feff}{skill}")),
        ("EEEEEW", Rule::TextBeforeFence, format!("\n{skill}")),
        ("EEEEEW", Rule::FenceInCodeBlock, format!("```\n{skill}")),
        ("EEEEEW", Rule::FenceDots, skill.replace("\n---\n", "\n...\n")),
        ("iiiiii", Rule::CrLf, skill.replace('\n', "\r\n")),
        ("iiiiii", Rule::FlowStyle, add("metadata: {a: b}")),
        ("EEWWEW", Rule::Compatibility, add("compatibility:")),
        ("EEWWEW", Rule::MetadataType, add("metadata: a")),
        ("EEiiEi", Rule::MetadataValue, add("metadata:\n  a: [b]")),
        ("----W-", Rule::MetadataReserved, add("metadata:\n  io.modelcontextprotocol/x: y")),
        ("EE--Ei", Rule::AllowedToolsForm, add("allowed-tools: [Read]")),
        ("EEiiEi", Rule::License, add("license: [MIT]")),
        ("EEEEEE", Rule::DescriptionType, describe("description: [a]")),
        // What refuses a file is an error whatever its rule says elsewhere.
        ("EEEEEE", Rule::DescriptionMissing, "---\nname: greet\n---\n".to_owned()),
    ];
    for (expected, rule, text) in table {
        assert_eq!(severities(&text, rule), expected, "{} in {text:?}", rule.id());
    }
}

#[test]
fn what_refuses_a_file_is_an_error_in_every_profile() {
    for rule in [
        Rule::NotUtf8,
        Rule::NulByte,
        Rule::FileTooLarge,
        Rule::NoFrontmatter,
        Rule::LinkPointer,
        Rule::UnclosedFrontmatter,
        Rule::FrontmatterTooLarge,
        Rule::FrontmatterNotMap,
        Rule::YamlLimit,
    ] {
        for profile in Profile::ALL {
            assert_eq!(
                rule.severity(profile),
                Some(Severity::Error),
                "{} {}",
                rule.id(),
                profile.id()
            );
        }
    }
}

#[test]
fn a_valid_skill_is_valid_in_every_profile() {
    let text = "---\nname: greet\ndescription: Says hello when asked\nlicense: MIT\n\
                compatibility: Needs a mouth\nmetadata:\n  author: us\nallowed-tools: Read\n---\nHi\n";
    let reading = read(text.as_bytes(), Some("greet"));
    assert_eq!(reading.diagnostics, []);
}

#[test]
fn rules_have_stable_distinct_names_and_a_summary() {
    let mut ids: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
    for rule in Rule::ALL {
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(rule.id().chars().all(kebab), "{}", rule.id());
        assert!(rule.summary().ends_with('.'), "{:?}", rule.summary());
    }
}
