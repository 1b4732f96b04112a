use super::*;
use crate::draft::tests::release;
use crate::draft::{Context, MAX_MESSAGES, Step};

fn wizard(taken: &[&str]) -> Wizard {
    let others: Vec<(&str, Option<Learned>)> = taken.iter().map(|name| (*name, None)).collect();
    wizard_with(&others, &others)
}

/// The questions where the user and the project have these skills.
fn wizard_with(user: &[(&str, Option<Learned>)], project: &[(&str, Option<Learned>)]) -> Wizard {
    let place = |id: &str, taken: &[(&str, Option<Learned>)]| {
        let taken = taken
            .iter()
            .map(|(slug, learned)| Taken { slug: (*slug).to_owned(), learned: *learned });
        Place { id: id.to_owned(), path: id.into(), taken: taken.collect() }
    };
    let places = vec![place("user", user), place("project", project)];
    Wizard::new(Draft::from_experience(&release()), places)
}

fn named(name: &str) -> Answer {
    Answer::What(What { name: Some(name.to_owned()), what: None, steps: None, notes: None })
}

#[test]
fn four_times_keep_is_a_skill() {
    let mut wizard = wizard(&[]);
    for round in 1..=ROUNDS {
        assert_eq!(wizard.round(), round);
        wizard.answer(Answer::Keep).unwrap();
    }
    assert_eq!(wizard.question(), None);
    assert_eq!(wizard.answer(Answer::Keep), Err(WrongAnswer::OtherQuestion));
    let (draft, place) = wizard.finish().unwrap();
    assert_eq!(place.id, "user");
    assert!(draft.text().is_ok());
}

#[test]
fn back_undoes_the_answer_before() {
    let mut wizard = wizard(&[]);
    let first = wizard.question();
    assert!(!wizard.back());
    let what = What { name: None, what: Some("Ship it".to_owned()), steps: None, notes: None };
    wizard.answer(Answer::What(what)).unwrap();
    assert_eq!(wizard.draft().name, "ship");
    assert!(wizard.back());
    assert_eq!(wizard.question(), first);
    assert_eq!(wizard.finish(), None);
}

#[test]
fn an_answer_that_does_not_fit_changes_nothing() {
    let mut wizard = wizard(&["old"]);
    let before = wizard.question();
    let what = |name: &str| {
        Answer::What(What { name: Some(name.to_owned()), what: None, steps: None, notes: None })
    };
    assert!(matches!(wizard.answer(what("old")), Err(WrongAnswer::Taken { .. })));
    assert!(matches!(wizard.answer(what("!!")), Err(WrongAnswer::Missing(_))));
    assert_eq!(wizard.answer(Answer::Tools(vec![])), Err(WrongAnswer::OtherQuestion));
    let long = "x".repeat(MAX_ANSWER_CHARS + 1);
    let long = What { name: None, what: Some(long), steps: None, notes: None };
    assert!(matches!(wizard.answer(Answer::What(long)), Err(WrongAnswer::TooMuch { .. })));
    let at = "x".repeat(MAX_ANSWER_CHARS);
    let at = What { name: None, what: Some(at), steps: None, notes: None };
    assert_eq!(wizard.question(), before);
    assert!(wizard.answer(Answer::What(at)).is_ok());
}

#[test]
fn a_taken_name_gets_a_number() {
    let name = wizard(&[]).draft().name.clone();
    assert_eq!(wizard(&[&name]).draft().name, format!("{name}-2"));
    assert_eq!(wizard(&[&name, &format!("{name}-2")]).draft().name, format!("{name}-3"));
}

#[test]
fn what_the_same_task_or_one_of_the_same_name_taught_becomes_its_next_version() {
    let name = wizard(&[]).draft().name.clone();
    let from_this = Some(Learned { from_this: true, is_as_learned: true });
    let other = Some(Learned { from_this: false, is_as_learned: true });
    let changed = Some(Learned { from_this: true, is_as_learned: false });

    // Whatever it is called by now, and wherever it is.
    let mut again = wizard_with(&[(&name, other)], &[("ship-it", from_this)]);
    assert_eq!((again.draft().name.as_str(), again.place().id.as_str()), ("ship-it", "project"));
    assert_eq!(again.refines().map(|taken| taken.slug.as_str()), Some("ship-it"));
    let asked = serde_json::to_value(again.question()).unwrap();
    assert_eq!(asked["refines"], "ship-it");
    // It stays where it is: the other place is for another skill.
    for _ in 1..ROUNDS {
        again.answer(Answer::Keep).unwrap();
    }
    let user = Where { context: Context::Inline, place: Some("user".to_owned()) };
    assert!(matches!(again.answer(Answer::Where(user)), Err(WrongAnswer::Taken { .. })));
    again.answer(Answer::Keep).unwrap();
    assert_eq!(again.finish().unwrap().1.id, "project");

    let both = wizard_with(&[("aaa", from_this), (&name, from_this)], &[]);
    assert_eq!(both.draft().name, name);
    let same = wizard_with(&[], &[(&name, other)]);
    assert_eq!((same.draft().name.as_str(), same.place().id.as_str()), (&*name, "project"));

    // What somebody wrote in since is only changed by a word of its own.
    let mut own = wizard_with(&[(&name, changed)], &[]);
    assert_eq!((own.draft().name.clone(), own.refines()), (format!("{name}-2"), None));
    own.change(named(&name)).unwrap();
    assert_eq!(own.refines().map(|taken| &taken.slug), Some(&name));
    own.change(named("another")).unwrap();
    assert_eq!(own.refines(), None);
}

#[test]
fn answers_of_every_kind_are_taken() {
    let mut wizard = wizard(&[]);
    let answers: Answers = serde_json::from_str(
        r#"{"what": {"name": "Ship It", "steps": [{"do": "Ship.", "done": "it is out"}]},
            "when": {"examples": ["ship it"], "not_for": ["a demo"]},
            "tools": ["Read", "Bash(git tag:*)"],
            "where": {"context": "fork", "place": "project"}}"#,
    )
    .unwrap();
    wizard.answer_all(answers).unwrap();
    let (draft, place) = wizard.finish().unwrap();
    assert_eq!(place.id, "project");
    let text = draft.text().unwrap();
    for part in [
        "name: ship-it\n",
        "context: fork\n",
        "Not for: a demo.",
        "1. Ship.\n   Done when: it is out.\n",
        "# Not for\n\n- a demo\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(draft.allowed().collect::<Vec<_>>().len(), 2);
    assert!(serde_json::from_str::<Answers>(r#"{"wat": {}}"#).is_err());
}

#[test]
fn a_list_that_an_answer_leaves_out_stays_as_it_was() {
    let mut wizard = wizard(&[]);
    let before = wizard.draft().when.clone();
    let answers: Answers =
        serde_json::from_str(r#"{"when": {"examples": ["release it"], "not_for": ["a hotfix"]}}"#)
            .unwrap();
    wizard.answer_all(answers).unwrap();
    let (draft, _) = wizard.finish().unwrap();
    assert_eq!(
        draft.when,
        When {
            phrases: before.phrases,
            examples: vec!["release it".to_owned()],
            not_for: vec!["a hotfix".to_owned()],
        }
    );
    assert!(draft.description().contains(" Use when asked to "));
}

#[test]
fn too_many_steps_messages_and_permissions_are_refused() {
    let step = Step { action: "Do.".to_owned(), done: "done".to_owned() };
    let what = |count| What {
        name: None,
        what: None,
        steps: Some(vec![step.clone(); count]),
        notes: None,
    };
    assert!(wizard(&[]).answer(Answer::What(what(MAX_ANSWERED_STEPS))).is_ok());
    assert!(wizard(&[]).answer(Answer::What(what(MAX_ANSWERED_STEPS + 1))).is_err());
    let mut wizard = wizard(&[]);
    wizard.answer(Answer::Keep).unwrap();
    let when = |count| When { examples: vec!["a".to_owned(); count], ..When::default() };
    assert!(wizard.answer(Answer::When(when(MAX_MESSAGES + 1))).is_err());
    wizard.answer(Answer::When(when(MAX_MESSAGES))).unwrap();
    let tools = |count| Answer::Tools(vec!["Read".to_owned(); count]);
    assert!(wizard.answer(tools(MAX_ANSWERED_TOOLS + 1)).is_err());
    assert!(wizard.answer(Answer::Tools(vec!["Bash(".to_owned()])).is_err());
    wizard.answer(tools(MAX_ANSWERED_TOOLS)).unwrap();
}

#[test]
fn a_text_that_was_edited_counts() {
    let mut wizard = wizard(&[]);
    let text = wizard.draft().text().unwrap();
    let edited = text.replace("# Steps", "# How").replace("name: bump", "name: lift");
    wizard.answer(Answer::Text(edited)).unwrap();
    assert_eq!(wizard.round(), 1);
    assert!(wizard.draft().name.starts_with("lift"));
    assert!(wizard.draft().text().unwrap().contains("# How"));
    assert!(wizard.answer(Answer::Text("no frontmatter".to_owned())).is_err());
}

/// What a person typed in an editor, and then answered besides.
fn edited(from: &str, to: &str) -> Wizard {
    let mut wizard = wizard(&[]);
    let text = wizard.draft().text().unwrap();
    assert!(text.contains(from), "{from}\n{text}");
    wizard.answer(Answer::Text(text.replacen(from, to, 1))).unwrap();
    wizard
}

#[test]
fn an_edited_description_stays_until_another_sentence_is_given() {
    let mut wizard = edited("description: \"Bump", "description: \"Lift and bump");
    let described = |wizard: &Wizard| wizard.draft().description();
    let own = described(&wizard);
    assert!(own.starts_with("Lift and bump"), "{own}");
    let Some(Question::What { default, .. }) = wizard.question() else { panic!() };
    assert_eq!(default.what.as_deref(), Some(own.as_str()));
    wizard.change(named("zork")).unwrap();
    wizard.change(Answer::What(What { name: Some("zork".to_owned()), ..default })).unwrap();
    let steps = wizard.draft().steps[1..].to_vec();
    let what = What { name: None, what: None, steps: Some(steps), notes: None };
    wizard.change(Answer::What(what)).unwrap();
    assert_eq!((described(&wizard), wizard.draft().name.as_str()), (own.clone(), "zork"));
    wizard.answer(Answer::Keep).unwrap();
    let mut when = wizard.draft().when.clone();
    when.not_for.push("deploys".to_owned());
    wizard.change(Answer::When(when.clone())).unwrap();
    assert_eq!(described(&wizard), own);
    assert!(wizard.draft().suite().cases.iter().any(|case| case.query == "deploys"));
    // What only the description would say is refused, not lost.
    when.phrases.push("ship".to_owned());
    assert_eq!(wizard.change(Answer::When(when)), Err(WrongAnswer::Edited("description")));
    assert!(wizard.back());
    let what = What { name: None, what: Some("Ship it".to_owned()), steps: None, notes: None };
    wizard.change(Answer::What(what)).unwrap();
    assert!(described(&wizard).starts_with("Ship it."), "{}", described(&wizard));
}

#[test]
fn an_edited_body_is_not_thrown_away_by_an_answer() {
    let mut wizard = edited("# Steps", "# How");
    let before = wizard.draft().text().unwrap();
    let steps = wizard.draft().steps[1..].to_vec();
    let what = |steps, notes| Answer::What(What { name: None, what: None, steps, notes });
    let edited = Err(WrongAnswer::Edited("text"));
    assert_eq!(wizard.change(what(Some(steps), None)), edited);
    assert_eq!(wizard.change(what(None, Some(vec!["mind".to_owned()]))), edited);
    assert_eq!(wizard.draft().text().unwrap(), before);
}

#[test]
fn fields_that_were_written_in_the_editor_stay_through_every_answer() {
    let more = "license: MIT\nargument-hint: VERSION\ndisable-model-invocation: true\nmetadata:\n  author: pat\n";
    let mut wizard = edited("metadata:\n", more);
    wizard.change(named("zork")).unwrap();
    let steps = wizard.draft().steps[1..].to_vec();
    let what = What { name: None, what: None, steps: Some(steps), notes: None };
    wizard.answer(Answer::What(what)).unwrap();
    wizard.answer(Answer::Keep).unwrap();
    wizard.answer(Answer::Tools(vec!["Read".to_owned()])).unwrap();
    let fork = |context| Answer::Where(Where { context, place: None });
    wizard.change(fork(Context::Fork)).unwrap();
    let text = wizard.draft().text().unwrap();
    for line in more.lines().chain(["name: zork", "allowed-tools: Read", "context: fork"]) {
        assert!(text.contains(&format!("{line}\n")), "{line}\n{text}");
    }
    wizard.change(fork(Context::Inline)).unwrap();
    wizard.back();
    wizard.change(Answer::Tools(Vec::new())).unwrap();
    let text = wizard.draft().text().unwrap();
    assert!(!text.contains("context:") && !text.contains("allowed-tools"), "{text}");
    assert!(text.contains("license: MIT\n"), "{text}");
}

#[test]
fn permissions_that_were_edited_as_a_list_can_be_taken_back() {
    let list = "allowed-tools:\n  - Read\n  - Grep\nmetadata:\n";
    let text = wizard(&[]).draft().text().unwrap();
    let line = text.lines().find(|line| line.starts_with("allowed-tools")).unwrap();
    let mut wizard = wizard(&[]);
    let edited = text.replace(&format!("{line}\n"), "").replace("metadata:\n", list);
    wizard.answer(Answer::Text(edited)).unwrap();
    assert_eq!(wizard.draft().allowed().collect::<Vec<_>>(), ["Read", "Grep"]);
    wizard.answer(Answer::Keep).unwrap();
    wizard.answer(Answer::Keep).unwrap();
    wizard.change(Answer::Tools(Vec::new())).unwrap();
    let text = wizard.draft().text().unwrap();
    assert!(!text.contains("allowed-tools") && !text.contains("- Grep"), "{text}");
}

#[test]
fn a_step_that_goes_takes_with_it_what_only_it_needed() {
    let mut wizard = wizard(&[]);
    let drop = |wizard: &mut Wizard, gone: &[&str]| {
        let mut steps = wizard.draft().steps.clone();
        steps.retain(|step| !gone.iter().any(|word| step.action.contains(word)));
        let name = Some(wizard.draft().name.clone());
        wizard.change(Answer::What(What { name, what: None, steps: Some(steps), notes: None }))
    };
    drop(&mut wizard, &["cargo test"]).unwrap();
    let draft = wizard.draft();
    assert!(!draft.allowed().any(|tool| tool == "Bash(cargo test:*)"));
    assert!(draft.allowed().any(|tool| tool == "Bash(git tag:*)"));
    let test = draft.tools.iter().find(|tool| tool.permission == "Bash(cargo test:*)").unwrap();
    assert_eq!(test.why.as_deref(), Some("its step was left out"));
    assert_eq!(draft.what, "Bump the version and tag the release, with git tag and git push.");
    assert_eq!(draft.inputs, ["1.4.0"]);
    // The last steps that used the input.
    drop(&mut wizard, &["git tag", "git push"]).unwrap();
    let draft = wizard.draft();
    assert!(draft.inputs.is_empty(), "{:?}", draft.inputs);
    assert!(!draft.text().unwrap().contains("# Inputs"));
    assert_eq!(draft.what, "Bump the version and tag the release.");
    // A sentence that somebody gave stays.
    let what = What { name: None, what: Some("Lift it".to_owned()), steps: None, notes: None };
    wizard.change(Answer::What(what)).unwrap();
    drop(&mut wizard, &["Look"]).unwrap();
    assert_eq!(wizard.draft().what, "Lift it");
    let none = drop(&mut wizard, &["Change"]);
    assert!(matches!(none, Err(WrongAnswer::Missing(why)) if why.contains("has to stay")));
}

#[test]
fn inputs_that_stay_have_new_places() {
    let mut draft = Draft::from_experience(&release());
    let step = |action: &str| Step { action: action.to_owned(), done: "ok".to_owned() };
    draft.inputs = ["a.txt", "b.txt", "c.txt"].map(str::to_owned).to_vec();
    draft.steps = vec![
        step("Read `$ARGUMENTS[0]`."),
        step("Copy `$ARGUMENTS[1]` to `$ARGUMENTS[2]`."),
        step("Read `$ARGUMENTS[2]`."),
    ];
    draft.keep_steps(&[false, true, true]);
    assert_eq!(draft.inputs, ["b.txt", "c.txt"]);
    assert_eq!(draft.steps[0].action, "Copy `$ARGUMENTS[0]` to `$ARGUMENTS[1]`.");
    draft.keep_steps(&[false, true]);
    assert_eq!(
        (draft.inputs, draft.steps),
        (vec!["c.txt".to_owned()], vec![step("Read `$ARGUMENTS`.")])
    );
}

#[test]
fn what_nobody_changed_is_as_proposed_whatever_it_is_called() {
    let changed = |answer: Answer| {
        let mut wizard = wizard(&[]);
        if matches!(answer, Answer::Tools(_)) {
            wizard.answer(Answer::Keep).unwrap();
            wizard.answer(Answer::Keep).unwrap();
        }
        wizard.answer(answer).unwrap();
        !wizard.is_as_proposed()
    };
    assert!(!changed(Answer::Keep));
    assert!(!changed(named("zork")));
    assert!(!changed(Answer::Text(wizard(&[]).draft().text().unwrap())));
    assert!(changed(Answer::Tools(vec!["Read".to_owned()])));
    let text = wizard(&[]).draft().text().unwrap();
    assert!(changed(Answer::Text(text.replace("metadata:\n", "license: MIT\nmetadata:\n"))));
    assert!(changed(Answer::Text(format!("{text}\nMind the gap.\n"))));
}
