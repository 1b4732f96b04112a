//! Slugs: one safe name for every declared one, and never two skills under one slug by accident.

use hone_skill::{Rule, Slug, is_valid_name, name_matches_folder, name_problems, same_name};
use proptest::prelude::*;

fn slug(name: &str) -> String {
    Slug::new(name).unwrap_or_else(|error| panic!("{error}")).to_string()
}

#[test]
fn names_become_lower_case_words_with_single_hyphens() {
    for (name, expected) in [
        ("Oracle Manipulation!", "oracle-manipulation"),
        ("git_helper", "git-helper"),
        ("git-helper", "git-helper"),
        ("Foo Bar", "foo-bar"),
        ("C++ Tips!", "c-tips"),
        ("a/b", "a-b"),
        ("../../etc/passwd", "etc-passwd"),
        ("__x--y__", "x-y"),
        ("UPPER.case", "upper-case"),
        ("  spaced   out  ", "spaced-out"),
        ("Café Olé", "cafe-ole"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full-width"),
        ("ﬁne №5", "fine-no5"),
        ("x²", "x2"),
        ("🚀 launch 🚀", "launch"),
        ("123", "123"),
        ("plugin:skill", "plugin-skill"),
        ("line\nbreak\ttab", "line-break-tab"),
    ] {
        assert_eq!(slug(name), expected, "{name:?}");
    }
}

#[test]
fn a_long_name_is_cut_without_a_trailing_hyphen() {
    assert_eq!(slug(&"a".repeat(64)), "a".repeat(64));
    assert_eq!(slug(&"a".repeat(65)), "a".repeat(64));
    assert_eq!(slug(&format!("{} b", "a".repeat(63))), "a".repeat(63));
    assert_eq!(slug(&format!("{} b", "a".repeat(62))), format!("{}-b", "a".repeat(62)));
}

/// The digests are spelt out: a slug is a key on disk and must never change.
#[test]
fn names_in_other_scripts_get_distinct_stable_slugs() {
    for (name, expected) in [
        ("技能", "99aea2f9"),
        ("部署", "3ca77185"),
        ("部署 deploy", "deploy-659b6a11"),
        ("Навык", "8a256daa"),
        ("навык", "8a256daa"),
        (" навык ", "8a256daa"),
    ] {
        assert_eq!(slug(name), expected, "{name}");
    }
    let long = slug(&format!("{} 技能", "a".repeat(80)));
    assert_eq!(long.len(), 64);
    assert!(long.starts_with(&"a".repeat(55)), "{long}");
}

#[test]
fn a_name_without_letters_or_digits_has_no_slug() {
    for name in ["", " ", "!!!", "---", "🚀", "\u{301}", "\u{200d}", "«»"] {
        let error = Slug::new(name).expect_err("no slug");
        assert_eq!(error.0, name);
    }
    let said = Slug::new("\u{1b}").expect_err("no slug").to_string();
    assert_eq!(said, "`\\u{1b}` has no letter or digit to make a slug from");
}

#[test]
fn only_a_slug_can_be_read_back_as_one() {
    let parse = |text: &str| Slug::try_from(text.to_owned());
    assert_eq!(parse("a-b"), Slug::new("a-b"));
    for no_slug in ["", "../x", "A", "a b", "-a", "a--b", "a/b", &"a".repeat(65), "技能"] {
        assert!(parse(no_slug).is_err(), "{no_slug:?}");
    }
}

#[test]
fn two_names_with_one_slug_are_told_apart() {
    for (a, b, same) in [
        ("Oracle Manipulation!", "oracle-manipulation", true),
        ("git_helper", "Git Helper", true),
        ("a.b", "a b", true),
        ("Навык", "навык", true),
        ("C++", "C#", false),
        ("C", "C++", false),
        ("a+b", "a b", false),
        ("Café", "cafe", false),
        ("技能", "部署", false),
    ] {
        assert_eq!(same_name(a, b), same, "{a:?} {b:?}");
        assert_eq!(same_name(b, a), same, "{b:?} {a:?}");
    }
    assert_eq!(slug("C++"), slug("C#"), "a conflict, not two skills");
}

#[test]
fn a_valid_name_is_what_the_specification_says() {
    for name in ["a", "my-skill", "skill123", "1", "größe", "技能"] {
        assert!(is_valid_name(name), "{name}");
    }
    for name in
        ["", " a", "a ", "a\n", "A", "-a", "a-", "a--b", "a_b", "a.b", "a b", "a/b", "@a", "🚀"]
    {
        assert!(!is_valid_name(name), "{name:?}");
    }
    let rules =
        |name: &str| name_problems(name).into_iter().map(|(rule, _)| rule).collect::<Vec<_>>();
    assert_eq!(rules("my-skill"), []);
    assert_eq!(rules("--My Skill"), [Rule::NameUppercase, Rule::NameCharacters, Rule::NameHyphens]);
    assert_eq!(rules("CON.x"), [Rule::NameUppercase, Rule::NameCharacters, Rule::NameReserved]);
}

#[test]
fn names_and_folders_are_compared_in_their_normal_form() {
    assert!(name_matches_folder("caf\u{e9}", "cafe\u{301}"));
    assert!(name_matches_folder(" ｇｒｅｅｔ ", "greet"));
    assert!(!name_matches_folder("Greet", "greet"));
}

/// Names as people write them, and anything else.
fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 _.!-]{0,90}",
        "[A-Za-zßéİıΣς技能٣²ﬁ🚀\u{301}\u{200d} +#-]{0,70}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slug_is_a_valid_name_its_own_slug_and_short(name in any_name()) {
        if let Ok(slug) = Slug::new(&name) {
            let text = slug.as_str();
            prop_assert!(is_valid_name(text), "{text}");
            prop_assert!(text.is_ascii() && text.len() <= 64 && !text.ends_with('-'), "{text}");
            prop_assert_eq!(&Slug::new(text).unwrap(), &slug);
            prop_assert_eq!(Slug::try_from(text.to_owned()).unwrap(), slug);
        } else {
            prop_assert!(!name.chars().any(|c| c.is_ascii_alphanumeric()), "{name}");
        }
    }

    #[test]
    fn a_valid_ascii_name_is_its_own_slug(name in "[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,6}") {
        prop_assert_eq!(slug(&name), name);
    }

    #[test]
    fn case_and_blanks_do_not_matter(name in "[a-zA-Z0-9 _-]{1,60}") {
        let slug = Slug::new(&name);
        prop_assert_eq!(&Slug::new(&name.to_uppercase()), &slug.clone().map_err(|_| hone_skill::NoSlug(name.to_uppercase())));
        if let Ok(slug) = slug {
            prop_assert!(same_name(&name, slug.as_str()), "{name:?} {slug}");
        }
    }

    #[test]
    fn the_same_name_has_the_same_slug(a in any_name(), b in any_name()) {
        if same_name(&a, &b) && let (Ok(a), Ok(b)) = (Slug::new(&a), Slug::new(&b)) {
            prop_assert_eq!(a, b);
        }
    }
}
