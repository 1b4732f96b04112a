//! Slash commands: slugs, collisions, stacks, bundles, prefixes, and what a reload says.

use hone_library::Bundle;
use hone_router::{
    CORE_COMMANDS, Collision, CommandError, Commands, MAX_BUNDLE_SKILLS, MAX_STACKED, Reload, With,
};

use crate::shelf::{Shelf, names};

fn bundle(name: &str, skills: &[&str]) -> Bundle {
    Bundle {
        name: name.to_owned(),
        description: String::new(),
        skills: skills.iter().map(|&skill| skill.to_owned()).collect(),
        instruction: String::new(),
    }
}

fn typed(commands: &Commands<'_>) -> Vec<String> {
    commands.commands.iter().map(|command| command.command.clone()).collect()
}

/// The skills that a message calls, and the words that are left.
#[track_caller]
fn called(shelf: &Shelf, message: &str) -> (Vec<String>, String) {
    called_with(shelf, &[], message)
}

#[track_caller]
fn called_with(shelf: &Shelf, bundles: &[Bundle], message: &str) -> (Vec<String>, String) {
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, bundles, &CORE_COMMANDS);
    let called = commands.parse(message).unwrap();
    (names(&called.skills), called.words.to_owned())
}

fn refused(shelf: &Shelf, message: &str) -> CommandError {
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &CORE_COMMANDS);
    commands.parse(message).unwrap_err()
}

fn answer(skills: &[&str], words: &str) -> (Vec<String>, String) {
    (skills.iter().map(|&skill| skill.to_owned()).collect(), words.to_owned())
}

/// Hermes S01, S03, S04, S06, S07; other than there, separators inside a name stay visible.
#[test]
fn a_command_is_the_slug_of_the_name() {
    let shelf = Shelf::new();
    for (n, name) in ["Foo Bar", "C++ Tips!", "a/b", "__x--y__", "UPPER.case"].iter().enumerate() {
        shelf.skill(&format!("user/s{n}"), &format!("name: \"{name}\""), "Do it.");
    }
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    assert_eq!(typed(&commands), ["a-b", "c-tips", "foo-bar", "upper-case", "x-y"]);
}

/// Hermes S05: there, no command at all.
#[test]
fn a_name_in_another_script_has_a_command_of_its_own() {
    let shelf = Shelf::new();
    shelf.skill("user/one", "name: 部署", "Do it.");
    shelf.skill("user/two", "name: 技能", "Do it.");
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    let typed = typed(&commands);
    assert_eq!((typed.len(), commands.collisions.len()), (2, 0));
    assert_eq!(called(&shelf, &format!("/{}", typed[0])).0.len(), 1);
}

/// Hermes S02.
#[test]
fn of_two_names_with_one_slug_the_other_has_an_address() {
    let shelf = Shelf::with(&["git-helper", "git_helper"]);
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    assert_eq!(typed(&commands), ["git-helper", "user:git_helper"]);
    assert_eq!(
        commands.collisions,
        [Collision {
            command: "git-helper".to_owned(),
            name: "git_helper".to_owned(),
            path: Some(shelf.folder.join("user/git_helper/SKILL.md")),
            with: With::Skill,
            instead: Some("user:git_helper".to_owned()),
        }]
    );
    assert_eq!(called(&shelf, "/git-helper x"), answer(&["git-helper"], "x"));
    assert_eq!(called(&shelf, "/git_helper x"), answer(&["git-helper"], "x"));
    assert_eq!(called(&shelf, "/user:git_helper x"), answer(&["git_helper"], "x"));
}

#[test]
fn a_command_means_the_skill_of_exactly_that_name() {
    // In the alphabet, capitals come first.
    let shelf = Shelf::new();
    shelf.skill("user/a", "name: Git Helper", "Helps.");
    shelf.skill("user/b", "name: git-helper", "Helps.");
    let catalogue = shelf.catalogue();
    assert_eq!(catalogue.resolve("git-helper", &shelf.folder).unwrap().summary.name, "git-helper");
    assert_eq!(called(&shelf, "/git-helper x"), answer(&["git-helper"], "x"));
    let commands = Commands::new(&catalogue, &[], &[]);
    let other: Vec<&str> = commands.collisions.iter().map(|other| other.name.as_str()).collect();
    assert_eq!(other, ["Git Helper"]);
}

/// Hermes S08.
#[test]
fn a_core_command_stays_one_and_the_skill_has_an_address() {
    let shelf = Shelf::with(&["help", "tidy"]);
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &CORE_COMMANDS);
    assert_eq!(typed(&commands), ["tidy", "user:help"]);
    assert_eq!(commands.collisions[0].with, With::Core);
    assert_eq!(
        refused(&shelf, "/help"),
        CommandError::Core { command: "help".to_owned(), instead: vec!["user:help".to_owned()] }
    );
    assert_eq!(called(&shelf, "/user:help me"), answer(&["help"], "me"));
}

/// Hermes S09.
#[test]
fn an_underscore_is_a_hyphen_and_the_first_command_may_be_in_capitals() {
    let shelf = Shelf::with(&["foo-bar"]);
    assert_eq!(called(&shelf, "/foo_bar x"), answer(&["foo-bar"], "x"));
    assert_eq!(called(&shelf, "/Foo-Bar x"), answer(&["foo-bar"], "x"));
}

#[test]
fn what_is_no_command_is_said_with_what_comes_near() {
    let shelf = Shelf::with(&["deploy"]);
    for message in ["", "/", "deploy", "/usr/bin/env", "do /deploy"] {
        assert_eq!(refused(&shelf, message), CommandError::NotACommand, "{message}");
    }
    let unknown = |near: &[&str]| CommandError::Unknown {
        command: "redeploy".to_owned(),
        near: near.iter().map(|&near| near.to_owned()).collect(),
    };
    assert_eq!(refused(&shelf, "/redeploy"), unknown(&["deploy"]));
    assert_eq!(refused(&Shelf::with(&["tidy"]), "/redeploy"), unknown(&[]));
}

/// Hermes S10, S11.
#[test]
fn a_skill_for_another_platform_or_one_that_is_shadowed_has_no_plain_command() {
    let shelf = Shelf::with(&["deploy"]);
    shelf.skill("admin/deploy", "", "Otherwise.");
    shelf.skill("user/mac", "platforms: [macos]", "Do it.");
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    assert_eq!(typed(&commands), ["admin:deploy", "deploy"]);
    let path = |message| shelf.below(&commands.parse(message).unwrap().skills[0].path);
    assert_eq!(path("/deploy"), "user/deploy/SKILL.md");
    assert_eq!(path("/user:deploy"), "user/deploy/SKILL.md");
    assert_eq!(path("/admin:deploy"), "admin/deploy/SKILL.md");
}

#[test]
fn an_address_means_what_it_means_everywhere() {
    let shelf = Shelf::with(&["deploy"]);
    // Deeper in the same root, so shadowed in its own scope.
    shelf.skill("user/more/deploy", "", "Otherwise.");
    shelf.skill("user/x1", "name: Help Me", "Do it.");
    shelf.skill("user/x2", "name: help.me", "Do it.");
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    assert_eq!(typed(&commands), ["deploy", "help-me", "user:help.me"]);
    let instead: Vec<(&str, Option<&str>)> =
        commands.collisions.iter().map(|c| (c.name.as_str(), c.instead.as_deref())).collect();
    assert_eq!(instead, [("deploy", None), ("help.me", Some("user:help.me"))]);
    for command in typed(&commands) {
        let message = format!("/{command}");
        let called = commands.parse(&message).map(|called| called.skills[0].path.clone());
        let resolved = catalogue.resolve(&command, &shelf.folder).map(|skill| skill.path.clone());
        if command != "help-me" {
            assert_eq!(called.unwrap(), resolved.unwrap(), "{command}");
        }
    }
}

#[test]
fn a_skill_not_for_people_has_no_command_but_one_not_for_models_has() {
    let shelf = Shelf::new();
    shelf.skill("user/quiet", "user-invocable: false", "Do it.");
    shelf.skill("user/manual", "disable-model-invocation: true", "Do it.");
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    assert_eq!(
        (typed(&commands), &commands.hidden[..]),
        (vec!["manual".to_owned()], &["quiet".to_owned()][..])
    );
    assert_eq!(refused(&shelf, "/quiet"), CommandError::NotForPeople { name: "quiet".to_owned() });
}

#[test]
fn a_unique_prefix_is_enough_and_others_are_listed() {
    let shelf = Shelf::with(&["deploy", "deploy-shop", "tidy"]);
    assert_eq!(called(&shelf, "/ti now"), answer(&["tidy"], "now"));
    assert_eq!(called(&shelf, "/deploy now"), answer(&["deploy"], "now"));
    assert_eq!(
        refused(&shelf, "/dep"),
        CommandError::Ambiguous {
            command: "dep".to_owned(),
            choices: vec!["deploy".to_owned(), "deploy-shop".to_owned()]
        }
    );
}

/// Hermes S12 to S15.
#[test]
fn commands_stack_until_the_first_word_that_is_none() {
    let shelf = Shelf::with(&["a", "b"]);
    assert_eq!(called(&shelf, "/a /b do it"), answer(&["a", "b"], "do it"));
    assert_eq!(called(&shelf, "/a /nope x"), answer(&["a"], "/nope x"));
    assert_eq!(called(&shelf, "/a x /b"), answer(&["a"], "x /b"));
    assert_eq!(called(&shelf, "/a /a x"), answer(&["a"], "x"));
    assert_eq!(called(&shelf, "/a /b /b x"), answer(&["a", "b"], "/b x"));
    assert_eq!(called(&shelf, "/a /B x"), answer(&["a"], "/B x"));
    assert_eq!(called(&shelf, "/a\n\n  two  lines\n"), answer(&["a"], "two  lines\n"));
}

#[test]
fn six_commands_stack_and_the_seventh_is_text() {
    let all = ["a", "b", "c", "d", "e", "f", "g"];
    let shelf = Shelf::with(&all);
    assert_eq!(MAX_STACKED, 6);
    assert_eq!(called(&shelf, "/a /b /c /d /e /f x"), answer(&all[..6], "x"));
    assert_eq!(called(&shelf, "/a /b /c /d /e /f /g x"), answer(&all[..6], "/g x"));
}

/// Hermes S16, B01, B02.
#[test]
fn a_bundle_calls_its_skills_and_goes_before_a_skill_of_its_name() {
    let shelf = Shelf::with(&["a", "b", "release"]);
    let mut release = bundle("Release", &["a", "b", "a", "gone", "user:release"]);
    release.instruction = " Be careful. ".to_owned();
    let bundles = [release];
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &bundles, &[]);
    assert_eq!(typed(&commands), ["a", "b", "release", "user:release"]);
    let called = commands.parse("/release now").unwrap();
    assert_eq!(names(&called.skills), ["a", "b", "release"]);
    assert_eq!((called.words, called.instructions), ("now", vec!["Be careful.".to_owned()]));
    assert_eq!(called.missing, [("gone".to_owned(), "there is no skill `gone`".to_owned())]);
    assert_eq!(called_with(&shelf, &bundles, "/b /release x"), answer(&["b", "a", "release"], "x"));
}

#[test]
fn a_bundle_that_cannot_be_used_is_a_problem_in_words() {
    let shelf = Shelf::with(&["a"]);
    let many = vec!["a"; MAX_BUNDLE_SKILLS + 1];
    let bundles = [
        bundle("most", &many[1..]),
        bundle("too-many", &many),
        bundle("empty", &[]),
        bundle("!!!", &["a"]),
        bundle("Most", &["a"]),
        bundle("hollow", &["gone", "../../etc/passwd"]),
    ];
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &bundles, &[]);
    assert_eq!(typed(&commands), ["a", "most"]);
    assert_eq!(
        commands.problems,
        [
            "the bundle `too-many` has 13 skills, 12 are the most",
            "the bundle `empty` has no skills",
            "`!!!` has no letter or digit to make a slug from",
            "no skill of the bundle `hollow` is there",
        ]
    );
    assert_eq!((commands.collisions.len(), commands.collisions[0].with), (1, With::Bundle));
    assert_eq!(
        commands.parse("/hollow").unwrap_err().to_string(),
        "no skill of the bundle `hollow` is there: `gone` (there is no skill `gone`), \
         `../../etc/passwd` (a bundle names skills, not paths)"
    );
}

#[test]
fn a_reload_says_what_is_new_gone_and_different() {
    let shelf = Shelf::with(&["a", "b", "c"]);
    let before = {
        let catalogue = shelf.catalogue();
        let commands = Commands::new(&catalogue, &[], &[]);
        let first = commands.since(None);
        assert_eq!((first.added.len(), first.total), (3, 3));
        let snapshot = commands.snapshot();
        assert_eq!(commands.since(Some(&snapshot)), Reload { total: 3, ..Reload::default() });
        snapshot
    };
    std::fs::remove_dir_all(shelf.folder.join("user/a")).unwrap();
    shelf.skill("user/b", "argument-hint: '[what]'", "Do it.");
    shelf.skill("user/d", "", "Do it.");
    shelf.skill("user/c", "", "Only the body is another.");
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    let one = |command: &str| vec![command.to_owned()];
    assert_eq!(
        commands.since(Some(&before)),
        Reload { added: one("d"), removed: one("a"), changed: one("b"), total: 3 }
    );
}

#[test]
fn a_name_in_another_script_is_its_command() {
    let shelf = Shelf::with(&["天气", "tidy"]);
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &CORE_COMMANDS);
    for message in ["/天气 x", "/tidy /天气 x"] {
        let called = commands.parse(message).unwrap();
        assert_eq!(called.words, "x");
        assert_eq!(called.skills.last().unwrap().summary.name, "天气", "{message}");
    }
    let near = match commands.parse("/气") {
        Err(CommandError::Unknown { near, .. }) => near,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        near,
        [catalogue.skills.iter().find(|s| s.summary.name == "天气").unwrap().summary.slug.as_str()]
    );
}

#[test]
fn a_unique_prefix_of_a_name_in_another_script_is_enough() {
    let shelf = Shelf::with(&["天气", "日记", "日历", "École-plan", "tidy"]);
    for (message, name) in [
        ("/天 x", "天气"),
        ("/日记 x", "日记"),
        ("/éc x", "École-plan"),
        ("/École_p x", "École-plan"),
        ("/ecole x", "École-plan"),
        ("/ti x", "tidy"),
    ] {
        assert_eq!(called(&shelf, message), answer(&[name], "x"), "{message}");
    }
    let choices = vec!["日历".to_owned(), "日记".to_owned()];
    let mut refused_with = match refused(&shelf, "/日 x") {
        CommandError::Ambiguous { choices, .. } => choices,
        other => panic!("{other:?}"),
    };
    refused_with.sort();
    assert_eq!(refused_with, choices);
    // Only the first command may be a prefix.
    assert_eq!(called(&shelf, "/tidy /天 x"), answer(&["tidy"], "/天 x"));
}

#[test]
fn a_bundle_with_the_name_of_a_core_command_has_an_address() {
    let shelf = Shelf::with(&["a", "b"]);
    let bundles = [bundle("clear", &["a", "b"])];
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &bundles, &CORE_COMMANDS);
    assert_eq!(commands.collisions[0].instead.as_deref(), Some("bundle:clear"));
    let called = commands.parse("/bundle:clear x").unwrap();
    assert_eq!((called.skills.len(), called.words), (2, "x"));
    assert!(
        matches!(commands.parse("/clear"), Err(CommandError::Core { instead, .. }) if instead == ["bundle:clear"])
    );
}

#[test]
fn a_bundle_of_which_nothing_is_there_takes_no_core_command() {
    let shelf = Shelf::with(&["a"]);
    let bundles = [bundle("help", &["gone"])];
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &bundles, &CORE_COMMANDS);
    assert_eq!(typed(&commands), ["a"]);
    assert!(matches!(commands.parse("/help"), Err(CommandError::Core { .. })));
}

/// Hermes S10.
#[test]
fn a_disabled_skill_has_no_command() {
    let shelf = Shelf::with(&["deploy", "tidy"]);
    let catalogue = shelf.catalogue_without(&["deploy"]);
    let commands = Commands::new(&catalogue, &[], &[]);
    assert_eq!(typed(&commands), ["tidy"]);
    for message in ["/deploy", "/user:deploy", "/dep"] {
        let refused = commands.parse(message);
        assert!(matches!(refused, Err(CommandError::Unknown { .. })), "{message}: {refused:?}");
    }
}

/// Hermes S05: a name without a letter or digit is no name, so the folder names the skill.
#[test]
fn a_name_of_nothing_but_symbols_is_no_command() {
    let shelf = Shelf::with(&["tidy"]);
    shelf.skill("user/odd", "name: \"+++\"", "Do it.");
    let catalogue = shelf.catalogue();
    let commands = Commands::new(&catalogue, &[], &[]);
    assert!(typed(&commands).iter().all(|command| !command.is_empty() && command != "+++"));
    assert!(matches!(commands.parse("/+++"), Err(CommandError::Unknown { .. })));
    assert_eq!(called(&shelf, "/tidy /+++ x"), answer(&["tidy"], "/+++ x"));
}

#[test]
fn what_the_words_behind_a_command_mention_is_called_as_well() {
    let shelf = Shelf::with(&["a", "b", "c", "off"]);
    let catalogue = shelf.catalogue_without(&["off"]);
    let commands = Commands::new(&catalogue, &[], &CORE_COMMANDS);
    let called = |message: &'static str| {
        let called = commands.parse_in(message, &shelf.folder).unwrap();
        let missing: Vec<String> = called.missing.into_iter().map(|(name, _)| name).collect();
        (names(&called.skills), called.words, missing)
    };
    let expected = |skills: &[&str], words, missing: &[&str]| {
        let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        (owned(skills), words, owned(missing))
    };
    assert_eq!(called("/c use $b now"), expected(&["c", "b"], "use $b now", &[]));
    assert_eq!(
        called("/c /b then $c, $a and [$b](user/b)"),
        expected(&["c", "b", "a"], "then $c, $a and [$b](user/b)", &[])
    );
    assert_eq!(
        called("/c $off [$x](gone) $HOME"),
        expected(&["c"], "$off [$x](gone) $HOME", &["gone", "off"])
    );
}
