//! A person's message to an agent: commands at its head, what is taken back, what others say, what a suite refuses.

use hone_library::Bundle;
use hone_router::{Band, Case, Index, Part, SkillText, Suite, ask, evaluate, why};

use crate::shelf::Shelf;

/// The skills that a message activates, in their order.
fn activated(shelf: &Shelf, message: &str) -> Vec<String> {
    let (catalogue, state) = (shelf.catalogue(), shelf.state());
    let index = Index::open(&state, &catalogue.roots, &catalogue.skills).index;
    let bundles = || {
        vec![Bundle {
            name: "morning".to_owned(),
            description: String::new(),
            skills: vec!["weather".to_owned(), "planner".to_owned()],
            instruction: String::new(),
        }]
    };
    let matches = ask(&index, &catalogue, bundles, message).matches(10, |_| true);
    let activated = matches.iter().take_while(|found| found.band == Band::Activate);
    activated.map(|found| catalogue.skills[found.skill].summary.name.clone()).collect()
}

fn shelf() -> Shelf {
    let shelf = Shelf::new();
    for (folder, description) in [
        ("user/pdf-forms", "Fills in PDF forms."),
        ("user/planner", "Plans the work of a week."),
        ("user/weather", "Tells the weather of a city."),
        ("user/help", "Finds the page of a program."),
        ("admin/weather", "Tells the weather of an office."),
    ] {
        let name = folder.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n");
        shelf.write(&format!("{folder}/SKILL.md"), text);
    }
    shelf
}

#[test]
fn a_command_at_the_head_of_a_message_means_what_it_means_everywhere() {
    let shelf = shelf();
    for (message, expected) in [
        ("/pdf-forms the weather of the city", &["pdf-forms"] as &[&str]),
        ("/PDF_forms the weather of the city", &["pdf-forms"]),
        ("/pdf the weather of the city", &["pdf-forms"]),
        ("/user:weather of the city", &["weather"]),
        ("  /planner of the city", &["planner"]),
        ("/weather /planner for this pdf", &["weather", "planner"]),
        ("/planner /weather for this pdf", &["planner", "weather"]),
        ("/morning for this pdf", &["weather", "planner"]),
        ("/planner for the week, with $pdf-forms", &["planner", "pdf-forms"]),
        // The chat's own command, not the skill of that name.
        ("/help for the weather of a city", &[]),
        ("/nowhere use pdf-forms", &["pdf-forms"]),
        ("/ the weather of a city", &[]),
        ("/planner/src has no forms", &[]),
    ] {
        assert_eq!(activated(&shelf, message), expected, "{message}");
    }
}

#[test]
fn a_folder_at_the_head_of_a_message_is_short_for_no_command() {
    let shelf = Shelf::with(&["tmp-cleaner", "homework", "etc"]);
    for (message, expected) in [
        ("/tmp is full of old files", &[] as &[&str]),
        ("/home is on another disk", &[]),
        ("/tmp-cleaner old files", &["tmp-cleaner"]),
        ("/tmp-c old files", &["tmp-cleaner"]),
        ("/etc old files", &["etc"]),
    ] {
        assert_eq!(activated(&shelf, message), expected, "{message}");
    }
}

fn text(name: &str, description: &str) -> SkillText {
    SkillText { name: name.to_owned(), description: description.to_owned(), ..SkillText::default() }
}

fn library() -> [SkillText; 3] {
    [
        text("pdf-forms", "Fills in PDF forms. Use on \"fill the form\"."),
        text("planner", "Plans the work of a week."),
        text("weather", "Tells the weather of a city."),
    ]
}

fn first(skills: &[SkillText], message: &str) -> (usize, Band) {
    let index = Index::in_memory(skills);
    let matches = hone_router::Ranking::new(&index, message).matches(1, |_| true);
    matches.first().map_or((usize::MAX, Band::Nothing), |found| (found.skill, found.band))
}

#[test]
fn what_is_taken_back_told_of_or_said_by_another_is_not_activated() {
    for (message, band) in [
        ("use pdf-forms", Band::Activate),
        ("use pdf-forms never", Band::Offer),
        ("use pdf-forms not", Band::Offer),
        ("use pdf-forms, not the planner", Band::Activate),
        ("use pdf-forms, never paper", Band::Activate),
        ("use pdf-forms. actually, don't", Band::Offer),
        ("use pdf-forms - no wait, leave it", Band::Offer),
        ("by hand. no wait, use pdf-forms", Band::Activate),
        ("fill the form", Band::Activate),
        ("fill the form, never mind", Band::Offer),
        ("never mind the rest, fill the form", Band::Activate),
        ("fill the form is a bad phrase", Band::Offer),
        ("fill the form. is that possible today", Band::Activate),
        ("the user says 'fill the form'", Band::Offer),
        ("the user says `fill the form`", Band::Offer),
        ("the user says \u{201c}fill the form\u{201d}", Band::Offer),
        ("\"fill the form\"", Band::Activate),
        ("'fill the form'", Band::Activate),
        // All of the message, however it is called; a word outside shows that somebody else says it.
        ("\"use pdf-forms\"", Band::Activate),
        ("  \u{201c}use pdf-forms\u{201d}. ", Band::Activate),
        ("\"use pdf-forms\", he says", Band::Offer),
        ("\"don't use pdf-forms\"", Band::Offer),
        // An apostrophe and a mark that nothing closes quote nothing.
        ("it's the users' turn, fill the form", Band::Activate),
        ("12\" of snow, fill the form", Band::Activate),
        ("> use pdf-forms", Band::Offer),
        ("he wrote\n> use pdf-forms\nand left", Band::Offer),
        ("> nobody did it\nuse pdf-forms", Band::Activate),
        ("a > b, fill the form", Band::Activate),
    ] {
        assert_eq!(first(&library(), message), (0, band), "{message}");
    }
}

#[test]
fn a_word_with_a_typing_error_alone_finds_its_skill_and_says_so() {
    let skills = library();
    let index = Index::in_memory(&skills);
    for (message, skill) in
        [("wheather", 2), ("weahter", 2), ("plannre", 1), ("weathr in", 2), ("fomrs", 0)]
    {
        let found = &hone_router::Ranking::new(&index, message).matches(1, |_| true)[0];
        assert_eq!((found.skill, found.band), (skill, Band::Offer), "{message}");
        let spelling = found.reasons.iter().filter(|reason| reason.part == Part::Spelling);
        let words: Vec<&str> = spelling.map(|reason| reason.words.as_str()).collect();
        assert_eq!(words, [message.split(' ').next().unwrap()], "{message}");
    }
    // A word that is known is no error of another, and one that looks like none is nothing.
    for nothing in ["wxyzwv qqqqqq", "leather", "feathers"] {
        assert_eq!(first(&skills, nothing).1, Band::Nothing, "{nothing}");
    }
    // Letters in common lead to a skill as well, and are told when nothing else does.
    let ranking = hone_router::Ranking::new(&index, "feathers of a leather");
    let matches = ranking.matches(9, |_| true);
    let reasons: Vec<Vec<(&str, Part)>> = matches
        .iter()
        .map(|found| found.reasons.iter().map(|one| (one.words.as_str(), one.part)).collect())
        .collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|of_one| of_one.len() == 1), "{reasons:?}");
    assert_eq!(reasons[0], [("leather", Part::Spelling)]);
    let known = hone_router::Ranking::new(&index, "city wheather").look_at(2);
    assert!(known.reasons.iter().all(|reason| reason.part != Part::Spelling), "{known:?}");
}

fn suite(cases: &[(&str, bool)]) -> Suite {
    let case =
        |&(query, should_trigger): &(&str, bool)| Case { query: query.to_owned(), should_trigger };
    Suite { cases: cases.iter().map(case).collect(), left_out: None }
}

#[test]
fn a_word_that_a_suite_remembers_is_no_typing_error() {
    let mut skills =
        [text("garden", "Handles flowerbeds."), text("planner", "Makes a plan for a project.")];
    let message = "when do I plant tulips";
    assert_eq!(first(&skills, message), (1, Band::Offer));
    skills[0].suite = suite(&[(message, true)]);
    assert_eq!(first(&skills, message), (0, Band::Activate));
    skills[0].suite = suite(&[(message, false)]);
    assert_eq!(first(&skills, message).1, Band::Nothing);
    // An error in no such word is still one.
    assert_eq!(first(&skills, "porject"), (1, Band::Offer));
}

#[test]
fn a_remembered_message_activates_its_skill_among_many_that_have_its_words() {
    let message = "when do I plant tulips in the spring garden";
    let others = (0..40).map(|n| text(&format!("spring-{n}"), "Plants tulips in a spring garden."));
    let mut skills: Vec<SkillText> = others.collect();
    skills.push(text("hedges", "Handles flowerbeds."));
    assert!(first(&skills, message).0 < 40);
    skills[40].suite = suite(&[(message, true), ("my hedge has gone wild", true)]);
    assert_eq!(first(&skills, message), (40, Band::Activate));
    // Whoever is called by name can claim it as well, and so can another that remembers it.
    let called = "use spring-3: when do I plant tulips in the spring garden";
    assert_eq!(first(&skills, called), (3, Band::Activate));
    skills[7].suite = suite(&[(message, true)]);
    let index = Index::in_memory(&skills);
    let matches = hone_router::Ranking::new(&index, message).matches(60, |_| true);
    assert!(matches.iter().all(|found| found.band < Band::Activate), "{matches:?}");
    assert!(matches.iter().any(|found| found.skill == 40 && found.band == Band::Offer));
}

#[test]
fn an_everyday_word_more_makes_another_message_only_in_a_small_library() {
    let message = "my hedge has gone wild today";
    let mut skills = vec![text("garden", "Handles flowerbeds."), text("planner", "Plans work.")];
    skills[0].suite = suite(&[("my hedge has gone wild", true)]);
    assert_eq!(first(&skills, message).1, Band::Nothing);
    assert_eq!(first(&skills, "has my hedge gone wild?"), (0, Band::Activate));
    skills.extend((0..40).map(|n| text(&format!("other-{n}"), "Counts sheep.")));
    assert_eq!(first(&skills, message), (0, Band::Activate));
    assert_eq!(first(&skills, "my hedge maze has gone wild").1, Band::Nothing);
}

#[test]
fn a_trigger_of_one_word_activates_when_it_is_all_that_is_asked_and_no_other_skill_has_it() {
    let with = |name: &str, description: &str, triggers: &[&str]| SkillText {
        triggers: triggers.iter().map(|&trigger| trigger.to_owned()).collect(),
        ..text(name, description)
    };
    let skills = [
        with("water", "Fills valleys.", &["lakify", "work", "approve", "x", "收尾"]),
        with("banks", "Shapes banks. Use when the user says \"riverize\", reads `silt`.", &[]),
        with("shop", "Puts the shop online.", &["ship", "shop"]),
        with("post", "Sends a ship to sea.", &[]),
    ];
    for (message, expected) in [
        ("lakify", (0, Band::Activate)),
        ("Lakify, please", (0, Band::Activate)),
        ("收尾", (0, Band::Activate)),
        ("riverize", (1, Band::Activate)),
        // Its own name, said to be a trigger.
        ("shop", (2, Band::Activate)),
        ("lakify the report of march", (0, Band::Offer)),
        ("don't lakify", (0, Band::Offer)),
        ("approve", (0, Band::Offer)),
        ("silt", (1, Band::Offer)),
        ("banks", (1, Band::Offer)),
    ] {
        assert_eq!(first(&skills, message), expected, "{message}");
    }
    for message in ["work", "x", "ship"] {
        assert_ne!(first(&skills, message).1, Band::Activate, "{message}");
    }
    let index = Index::in_memory(&skills);
    let change = |message: &str, skill: usize| {
        let ranking = hone_router::Ranking::new(&index, message);
        why(&ranking, skill, &|skill| skills[skill].name.clone()).would_change.unwrap_or_default()
    };
    assert_eq!(change("lakify", 0), "");
    assert!(change("approve", 0).contains("`approve` may mean something else"));
    assert!(change("ship", 2).contains("ambiguous with `post`"), "{}", change("ship", 2));
    assert!(change("work", 0).contains("its confidence is below"), "{}", change("work", 0));
}

#[test]
fn a_phrase_that_is_said_to_be_another_skills_calls_nothing() {
    let description = "Ships. Use on \"ship the shop\". \"send the big parcel\" is NOT this skill.";
    let skills = [text("deploy", description), text("planner", "Plans the work of a week.")];
    assert_eq!(first(&skills, "ship the shop"), (0, Band::Activate));
    assert_eq!(first(&skills, "send the big parcel").1, Band::Nothing);
}

#[test]
fn a_message_that_a_suite_refuses_is_not_offered_unless_the_skill_is_called() {
    let mut skills = library();
    let message = "paint the weather of the city";
    assert_eq!(first(&skills, message), (2, Band::Offer));
    skills[2].suite = suite(&[(message, false)]);
    let index = Index::in_memory(&skills);
    let ranking = hone_router::Ranking::new(&index, message);
    assert_eq!(ranking.look_at(2).band, Band::Nothing);
    let told = why(&ranking, 2, &|skill| skills[skill].name.clone());
    let change = "its triggers.json says that this message is not for it";
    assert_eq!(told.would_change.as_deref(), Some(change));
    let called = format!("/weather {message}");
    assert_eq!(first(&skills, &called), (2, Band::Activate));
    // Yes and no to the same message is no refusal.
    skills[2].suite = suite(&[(message, false), (message, true)]);
    assert_eq!(first(&skills, message), (2, Band::Offer));
}

#[test]
fn a_suite_that_says_yes_and_no_to_a_message_has_a_problem() {
    let both = suite(&[("Rain? ", true), ("rain?", false), ("rain?", true), ("sun", true)]);
    let told = "1 message should and should not call it: \u{201c}Rain? \u{201d}";
    assert_eq!(both.problem().as_deref(), Some(told));
    let two = suite(&[("rain", true), ("rain", false), ("sun", false), ("sun", true)]);
    let told = "2 messages should and should not call it: \u{201c}rain\u{201d}";
    assert_eq!(two.problem().as_deref(), Some(told));
    assert_eq!(suite(&[("rain", true), ("sun", false)]).problem(), None);
    let read = Suite::read(br#"[{"query":"rain","should_trigger":true},7]"#).unwrap();
    assert!(read.problem().unwrap().starts_with("1 entry is left out"));
}

#[test]
fn a_missed_message_is_named_unless_another_skill_gets_it() {
    let mut skills = library();
    skills[2].body = "Bring an umbrella.".to_owned();
    let index = Index::in_memory(&skills);
    let cases = [("weather city", true), ("umbrella for a trip to the mountains", true)];
    let (known, gone) = (suite(&cases), suite(&[("plans for the week", true)]));
    let report =
        evaluate(&index, &|skill| skills[skill].clone(), &[(0, gone), (2, known)], &|_| true);
    let missed: Vec<(usize, &str)> =
        report.missed.iter().map(|missed| (missed.skill, missed.query.as_str())).collect();
    assert_eq!(missed, [(2, cases[1].0)]);
    assert_eq!((report.total.misses, report.stolen.len()), (2, 1));
}

#[test]
fn near_misses_that_call_are_named_and_words_are_not_advised_for_what_no_model_may_load() {
    let skills = library();
    let index = Index::in_memory(&skills);
    let near = "paint the weather of a city in watercolor";
    let asked = [(2, suite(&[("is it sunny in the city", true), (near, false)]))];
    let of = |counts: bool| evaluate(&index, &|skill| skills[skill].clone(), &asked, &|_| counts);
    let report = of(true);
    let alarms: Vec<(usize, &str)> =
        report.false_alarms.iter().map(|alarm| (alarm.skill, alarm.query.as_str())).collect();
    assert_eq!(alarms, [(2, near)]);
    assert!(report.skills[0].suggestion.is_some());
    assert_eq!(of(false).skills[0].suggestion, None);
}
