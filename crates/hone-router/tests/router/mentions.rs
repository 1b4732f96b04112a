//! `$name` and `[$name](path)`.

use std::path::Path;

use hone_router::{Mention, Pick, mentions, select};

use crate::shelf::{Shelf, names};

fn selected(shelf: &Shelf, text: &str) -> Vec<String> {
    let catalogue = shelf.catalogue();
    let selection = select(&catalogue, text, &[], &[], &shelf.folder);
    names(&selection.skills)
}

/// Codex' cases 49, 53.
#[test]
fn a_mention_is_a_dollar_and_a_name() {
    for (text, expected) in [
        ("use $alpha.skill", vec!["alpha"]),
        ("$beta_extra", vec!["beta_extra"]),
        ("$slack:search", vec!["slack:search"]),
        ("($a), $b: and $c-", vec!["a", "b", "c"]),
        ("costs US$alpha, \\$beta, ${gamma}, $$delta and $ epsilon", vec![]),
    ] {
        let found = mentions(text);
        let expected: Vec<Mention<'_>> = expected.into_iter().map(Mention::Name).collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// Codex' case 50.
#[test]
fn names_of_environment_variables_are_left_alone() {
    assert_eq!(mentions("$PATH $HOME [$HOME](x) $XDG_CONFIG_HOME"), []);
    assert_eq!(mentions("$path"), [Mention::Name("path")]);
}

/// Codex' case 51.
#[test]
fn a_link_may_have_blanks_and_needs_the_dollar() {
    assert_eq!(mentions("[$b]   ( /p )"), [Mention::Link { name: "b", path: "/p" }]);
    assert_eq!(mentions("[$b]()"), [Mention::Name("b")]);
    assert_eq!(mentions("[$b](open"), [Mention::Name("b")]);
    assert_eq!(mentions("[b](/p)"), []);
}

/// Codex' case 52, and its cousins.
#[test]
fn many_signs_are_no_mentions_and_no_work() {
    assert_eq!(mentions(&"$".repeat(256)), []);
    assert_eq!(mentions(&"$".repeat(200_000)), []);
    assert_eq!(mentions(&"[$a](".repeat(50_000)).len(), 50_000);
}

/// Codex' case 54, where neither is selected: here the scope decides, as everywhere.
#[test]
fn of_two_skills_with_one_name_the_first_scope_is_meant() {
    let shelf = Shelf::with(&["deploy"]);
    shelf.skill("admin/deploy", "", "Otherwise.");
    let catalogue = shelf.catalogue();
    for (text, path) in [
        ("$deploy", "user/deploy/SKILL.md"),
        ("$user:deploy", "user/deploy/SKILL.md"),
        ("$admin:deploy", "admin/deploy/SKILL.md"),
    ] {
        let selection = select(&catalogue, text, &[], &[], &shelf.folder);
        let paths: Vec<String> = selection.skills.iter().map(|s| shelf.below(&s.path)).collect();
        assert_eq!(paths, [path], "{text}");
    }
}

/// Codex' case 55.
#[test]
fn a_link_selects_the_skill_at_its_path_only() {
    let shelf = Shelf::with(&["deploy"]);
    let admin = shelf.skill("admin/deploy", "", "Otherwise.");
    let catalogue = shelf.catalogue();
    for link in [
        "[$deploy](admin/deploy/SKILL.md)".to_owned(),
        "[$deploy](admin/deploy)".to_owned(),
        "[$deploy](admin/./x/../deploy/)".to_owned(),
        format!("[$deploy](skill://{})", admin.display()),
        format!("$deploy is [$deploy]( {} )", admin.display()),
    ] {
        let selection = select(&catalogue, &link, &[], &[], &shelf.folder);
        let paths: Vec<String> = selection.skills.iter().map(|s| shelf.below(&s.path)).collect();
        assert_eq!(paths, ["admin/deploy/SKILL.md"], "{link}");
    }
}

/// Codex' case 56.
#[test]
fn a_pick_settles_its_name_even_when_its_path_is_stale() {
    let shelf = Shelf::with(&["a", "b"]);
    let catalogue = shelf.catalogue();
    let pick = |path: &str| Pick { name: "a".to_owned(), path: shelf.folder.join(path) };
    let stale = select(&catalogue, "$a $b", &[pick("user/gone")], &[], &shelf.folder);
    assert_eq!(names(&stale.skills), ["b"]);
    assert_eq!((stale.unselected.len(), stale.unselected[0].mention.as_str()), (1, "a"));
    let good = select(&catalogue, "go", &[pick("user/a/SKILL.md")], &[], &shelf.folder);
    assert_eq!((names(&good.skills), good.unselected.len()), (vec!["a".to_owned()], 0));
}

/// Codex' case 57.
#[test]
fn a_connector_of_the_same_name_needs_a_link() {
    let shelf = Shelf::with(&["slack"]);
    let catalogue = shelf.catalogue();
    let plain = select(&catalogue, "$slack", &[], &["slack"], &shelf.folder);
    assert_eq!((names(&plain.skills), plain.unselected.len()), (vec![], 1));
    let link = select(&catalogue, "[$slack](user/slack)", &[], &["slack"], &shelf.folder);
    assert_eq!(names(&link.skills), ["slack"]);
}

/// Codex' case 58.
#[test]
fn the_order_is_that_of_the_catalogue_and_each_comes_once() {
    let shelf = Shelf::with(&["a", "b", "c"]);
    assert_eq!(selected(&shelf, "$c then $a, $c and [$a](user/a)"), ["a", "c"]);
}

/// Codex' case 59.
#[test]
fn a_link_to_where_a_skill_was_found_selects_it() {
    let shelf = Shelf::with(&["tidy"]);
    let target = shelf.folder.join("user/tidy");
    std::os::unix::fs::symlink(&target, shelf.folder.join("admin/other")).unwrap();
    let selection = selected(&shelf, "[$tidy](admin/other/SKILL.md) and [$tidy](admin/other)");
    assert_eq!(selection, ["tidy"]);
}

#[test]
fn a_slug_is_enough_but_capitals_mean_a_variable() {
    let shelf = Shelf::new();
    shelf.skill("user/one", "name: Git Dir", "Do it.");
    assert_eq!(selected(&shelf, "$git-dir"), ["Git Dir"]);
    assert_eq!(selected(&shelf, "$git_dir"), ["Git Dir"]);
    assert_eq!(selected(&shelf, "$GIT_DIR"), Vec::<String>::new());
}

#[test]
fn what_selects_nothing_is_said_unless_it_may_be_anything() {
    let shelf = Shelf::with(&["a"]);
    shelf.skill("user/quiet", "user-invocable: false", "Do it.");
    shelf.skill("user/x1", "name: Same Slug", "Do it.");
    shelf.skill("user/x2", "name: same.slug", "Do it.");
    let catalogue = shelf.catalogue();
    let text = "$quiet $same-slug $nobody [$a](gone/SKILL.md) [$b](mcp://server) [$c](app://x)";
    let selection = select(&catalogue, text, &[], &[], Path::new("/"));
    let said: Vec<String> =
        selection.unselected.iter().map(|u| format!("{}: {}", u.mention, u.why)).collect();
    assert_eq!(
        said,
        [
            "gone/SKILL.md: no skill is at that path",
            "same-slug: several skills share that name; link to one",
            "quiet: it is not for people to call (`user-invocable: false`)",
        ]
    );
    assert_eq!(names(&selection.skills), Vec::<String>::new());
}

#[test]
fn a_name_in_another_script_is_a_mention() {
    let shelf = Shelf::with(&["天气"]);
    let catalogue = shelf.catalogue();
    let selection = select(&catalogue, "用 $天气 看看", &[], &[], &shelf.folder);
    assert_eq!(selection.skills.len(), 1);
}

#[test]
fn what_is_not_offered_is_said_with_the_reason() {
    let shelf = Shelf::with(&["painter", "tidy"]);
    shelf.skill("user/mac-only", "platforms: [macos]", "Do it.");
    shelf.write("user/broken/SKILL.md", "---\nname: [\n---\n");
    let catalogue = shelf.catalogue_without(&["painter"]);
    let said = |text: &str| {
        let selection = select(&catalogue, text, &[], &[], &shelf.folder);
        let said = selection.unselected.iter().map(|u| format!("{}: {}", u.mention, u.why));
        (names(&selection.skills), said.collect::<Vec<_>>())
    };
    let why = |name: &str| {
        let is_meant = |skipped: &&hone_library::Skipped| {
            skipped.path.parent().unwrap().file_name().unwrap() == name
        };
        catalogue.skipped.iter().find(is_meant).unwrap().message.clone()
    };
    for (text, name, mention) in [
        ("use $painter", "painter", "painter"),
        ("use $user:painter", "painter", "user:painter"),
        ("use [$painter](user/painter/SKILL.md)", "painter", "user/painter/SKILL.md"),
        ("use [$painter](user/painter)", "painter", "user/painter"),
        ("$mac-only", "mac-only", "mac-only"),
        ("$mac_only", "mac-only", "mac_only"),
        ("$broken", "broken", "broken"),
    ] {
        let expected = format!("{mention}: it is not offered: {}", why(name));
        assert_eq!(said(text), (vec![], vec![expected]), "{text}");
    }
    // What nothing here has may be anything.
    assert_eq!(
        said("$tidy costs $5, not $PAINTER or $MAC_ONLY"),
        (vec!["tidy".to_owned()], vec![])
    );
}
