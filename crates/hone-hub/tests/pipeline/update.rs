//! Updating: what is new is asked about, what somebody edited survives.

use hone_hub::{
    Answer, Ask, Dismiss, Edits, Fate, Freshness, Manner, Nobody, Outcome, Question, Rehearsal,
};
use hone_library::history;

use crate::shop::{Machine, Shop, bundle, dangerous, fates, plain, tree};

fn update(machine: &Machine, shop: &Shop) -> Vec<Outcome> {
    update_asking(machine, shop, Edits::Keep, &mut Nobody)
}

fn update_asking(machine: &Machine, shop: &Shop, edits: Edits, ask: &mut dyn Ask) -> Vec<Outcome> {
    let state = machine.state();
    let manner = Manner { edits, ..Manner::default() };
    machine.hub(&state, shop).update(&machine.target(), &[], &manner, ask).unwrap()
}

/// Says the same to everything, and remembers what was asked.
struct Says(Answer, Vec<String>);

impl Ask for Says {
    fn ask(&mut self, question: &Question<'_>) -> Answer {
        self.1.push(format!("{}: {}", question.name, question.news.words()));
        self.0
    }
}

fn skill(body: &str, more: &[(&str, &str, bool)]) -> hone_hub::Bundle {
    let text = format!("---\nname: tidy\ndescription: Tidies.\n---\n{body}\n");
    let mut files = vec![("SKILL.md", text.as_str(), false)];
    files.extend(more);
    bundle("tidy", &files)
}

#[test]
fn a_later_version_replaces_the_old_one_and_rollback_brings_it_back() {
    let machine = Machine::new();
    let shop = Shop::new(vec![skill("One.", &[("old.md", "old", false)])]);
    machine.add(&shop);
    let (first, lock) = (tree(&machine.skill("tidy")), machine.lock());
    shop.publish(vec![skill("Two.", &[("new.md", "new", false)])]);
    assert_eq!(fates(&update(&machine, &shop)), [("tidy", "updated")]);
    let second = tree(&machine.skill("tidy"));
    assert_eq!(second.keys().collect::<Vec<_>>(), ["SKILL.md", "new.md"]);
    assert_eq!(fates(&update(&machine, &shop)), [("tidy", "unchanged")]);

    assert_eq!(history(&machine.state(), &machine.skill("tidy")).unwrap().len(), 2);
    machine.rollback("tidy", None).unwrap();
    assert_eq!(tree(&machine.skill("tidy")), first);
    assert_eq!(machine.lock(), lock);
    assert_eq!(machine.last_logged().1, "to revision 1");
    let actions: Vec<String> = machine.log().into_iter().map(|(action, _)| action).collect();
    assert_eq!(actions, ["install", "update", "rollback"]);
}

#[test]
fn a_new_ability_asks_though_the_table_allows() {
    let machine = Machine::new();
    let shop = Shop::new(vec![skill("One.", &[])]);
    machine.add(&shop);
    let before = tree(&machine.skill("tidy"));
    shop.publish(vec![skill(
        "One.\n\n```sh\ncurl https://api.weather.gov/now\n```",
        &[("run.sh", "ls\n", true)],
    )]);
    let mut no = Says(Answer::No, Vec::new());
    let outcomes = update_asking(&machine, &shop, Edits::Keep, &mut no);
    assert_eq!(fates(&outcomes), [("tidy", "declined")]);
    assert_eq!(no.1, ["tidy: hosts: api.weather.gov; scripts: run.sh"]);
    assert_eq!(tree(&machine.skill("tidy")), before);

    let mut yes = Says(Answer::Yes, Vec::new());
    let outcomes = update_asking(&machine, &shop, Edits::Keep, &mut yes);
    assert_eq!(fates(&outcomes), [("tidy", "updated")]);
    // The next version can do no more than this one.
    shop.publish(vec![skill(
        "Two.\n\n```sh\ncurl https://api.weather.gov/now\n```",
        &[("run.sh", "ls\n", true)],
    )]);
    assert_eq!(fates(&update(&machine, &shop)), [("tidy", "updated")]);
}

#[test]
fn an_update_that_is_blocked_leaves_the_old_version() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    let (before, lock) = (tree(&machine.skill("tidy")), machine.lock());
    shop.publish(vec![dangerous("tidy")]);
    let mut yes = Says(Answer::Yes, Vec::new());
    let outcomes = update_asking(&machine, &shop, Edits::Keep, &mut yes);
    assert_eq!(fates(&outcomes), [("tidy", "blocked")]);
    assert_eq!(yes.1, Vec::<String>::new());
    assert_eq!((tree(&machine.skill("tidy")), machine.lock()), (before, lock));
}

#[test]
fn edits_and_updates_of_different_files_and_places_are_both_there() {
    let machine = Machine::new();
    let body = "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.";
    let extra = [("a.md", "a", false), ("b.md", "b", false), ("c.md", "c", false)];
    let shop = Shop::new(vec![skill(body, &extra)]);
    machine.add(&shop);
    machine.write("tidy/a.md", "mine");
    machine.write("tidy/own.md", "my own");
    machine.write("tidy/SKILL.md", &machine.read("tidy/SKILL.md").replace("One.", "My one."));
    std::fs::remove_file(machine.skill("tidy").join("c.md")).unwrap();
    shop.publish(vec![skill(
        &body.replace("Five.", "Their five."),
        &[("a.md", "a", false), ("b.md", "theirs", false), ("c.md", "c", false)],
    )]);
    let outcomes = update(&machine, &shop);
    assert_eq!(outcomes[0].fate, Fate::Updated);
    assert_eq!(outcomes[0].kept, ["a.md", "c.md", "own.md"]);
    assert_eq!(outcomes[0].merged, ["SKILL.md"]);
    let text = machine.read("tidy/SKILL.md");
    assert!(text.contains("My one.") && text.contains("Their five."), "{text}");
    assert_eq!(machine.read("tidy/a.md"), "mine");
    assert_eq!(machine.read("tidy/b.md"), "theirs");
    assert_eq!(machine.read("tidy/own.md"), "my own");
    assert!(!machine.skill("tidy").join("c.md").exists());

    // And once more: what was installed is known, though an edit stood in its place.
    shop.publish(vec![skill(
        &body.replace("Five.", "Their five.").replace("Three.", "Their three."),
        &[("a.md", "a", false), ("b.md", "theirs", false)],
    )]);
    let outcomes = update(&machine, &shop);
    assert_eq!(outcomes[0].fate, Fate::Updated);
    let text = machine.read("tidy/SKILL.md");
    assert!(text.contains("My one.") && text.contains("Their three."), "{text}");
}

#[test]
fn an_edit_in_the_same_place_refuses_and_names_the_file() {
    let machine = Machine::new();
    let shop = Shop::new(vec![skill("One.", &[])]);
    machine.add(&shop);
    let mine = machine.read("tidy/SKILL.md").replace("One.", "Mine.");
    machine.write("tidy/SKILL.md", &mine);
    let lock = machine.lock();
    shop.publish(vec![skill("Theirs.", &[])]);
    let outcomes = update(&machine, &shop);
    let Fate::Refused(why) = &outcomes[0].fate else { panic!("{:?}", outcomes[0].fate) };
    assert_eq!(
        why,
        "local edits and the new version do not go together in SKILL.md; `--discard-edits` gives them up"
    );
    assert_eq!((machine.read("tidy/SKILL.md"), machine.lock()), (mine, lock));
    let outcomes = update_asking(&machine, &shop, Edits::Discard, &mut Nobody);
    assert_eq!(outcomes[0].fate, Fate::Updated);
    assert!(machine.read("tidy/SKILL.md").ends_with("Theirs.\n"));
}

#[test]
fn a_source_that_moved_on_without_the_skill_changes_only_the_commit() {
    let machine = Machine::new();
    let shop = Shop::new(vec![skill("One.", &[])]);
    machine.add(&shop);
    let first = shop.commit();
    shop.publish(vec![skill("One.", &[]), plain("other", "Other.")]);
    assert_eq!(fates(&update(&machine, &shop)), [("tidy", "unchanged")]);
    assert!(machine.lock().contains(&shop.commit()) && !machine.lock().contains(&first));
    assert_eq!(machine.log().len(), 1);
    shop.publish(vec![plain("other", "Other.")]);
    assert_eq!(fates(&update(&machine, &shop)), [("tidy", "gone")]);
    assert!(machine.skill("tidy").exists());
}

#[test]
fn outdated_tells_without_touching_anything() {
    let machine = Machine::new();
    let shop = Shop::new(vec![skill("One.", &[]), plain("same", "Same.")]);
    machine.add(&shop);
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let ask = || hub.outdated(&machine.target(), &[]).unwrap();
    let fresh = ask();
    assert!(fresh.iter().all(|one| one.freshness == Freshness::Current));
    // The newest commit alone answers that.
    assert_eq!(*shop.fetched.borrow(), 1);
    shop.publish(vec![skill("Two.", &[]), plain("same", "Same.")]);
    let before = tree(&machine.project);
    let answers: Vec<(String, Freshness, Vec<String>)> =
        ask().into_iter().map(|one| (one.name, one.freshness, one.files)).collect();
    assert_eq!(
        answers,
        [
            ("same".to_owned(), Freshness::Current, Vec::new()),
            ("tidy".to_owned(), Freshness::Outdated, vec!["SKILL.md".to_owned()]),
        ]
    );
    assert_eq!(tree(&machine.project), before);
    shop.publish(vec![]);
    assert!(ask().iter().all(|one| one.freshness == Freshness::Gone));
}

#[test]
fn a_rehearsal_says_what_is_new_and_changes_nothing() {
    let machine = Machine::new();
    let shop = Shop::new(vec![skill("One.", &[]), plain("same", "Same.")]);
    machine.add(&shop);
    shop.publish(vec![
        skill("Two.\n\n```sh\ncurl https://api.weather.gov/now\n```", &[]),
        plain("same", "Same."),
        plain("new", "New."),
    ]);
    let everything = || (tree(&machine.project), machine.log(), machine.quarantined());
    let before = everything();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let manner = Manner { rehearsal: Rehearsal::Yes, ..Manner::default() };
    let mut says = Says(Answer::Yes, Vec::new());
    let update = hub.update(&machine.target(), &[], &manner, &mut says).unwrap();
    assert_eq!(fates(&update), [("same", "unchanged"), ("tidy", "waits")]);
    assert_eq!(update[1].news.hosts, ["api.weather.gov"]);
    let add = hub.add(&machine.target(), crate::shop::SOURCE, &[], &manner, &mut says).unwrap();
    assert_eq!(fates(&add), [("tidy", "waits"), ("same", "unchanged"), ("new", "installed")]);
    assert_eq!(add[0].news, update[1].news);
    assert_eq!(says.1, Vec::<String>::new());
    assert!(hub.pending().unwrap().is_empty());
    assert_eq!(everything(), before);
}

#[test]
fn a_finding_is_dismissed_while_updating_and_a_rehearsal_of_it_dismisses_nothing() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("bad", "Fine so far.")]);
    machine.add(&shop);
    shop.publish(vec![dangerous("bad")]);
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let wish = [Dismiss {
        skill: "bad".to_owned(),
        rule: "remote-to-interpreter".to_owned(),
        place: None,
        reason: "a lab machine".to_owned(),
    }];
    let fate = |dismiss: &[Dismiss], rehearsal| {
        let manner = Manner { dismiss, rehearsal, ..Manner::default() };
        let mut says = Says(Answer::Yes, Vec::new());
        hub.update(&machine.target(), &[], &manner, &mut says).unwrap().remove(0).fate.word()
    };
    assert_eq!(fate(&[], Rehearsal::No), "blocked");
    // Without the finding it is safe, and still can do more than before.
    assert_eq!(fate(&wish, Rehearsal::Yes), "waits");
    assert_eq!(state.dismissals().unwrap().len(), 0);
    assert_eq!(fate(&[], Rehearsal::Yes), "blocked");
    assert_eq!(fate(&wish, Rehearsal::No), "updated");
    assert_eq!(state.dismissals().unwrap().len(), 1);
    let (action, why) = machine.last_logged();
    let said = "ada dismissed `remote-to-interpreter` at SKILL.md:6: a lab machine; asked, and a person said \
                yes: This version can do more: ";
    assert!(action == "update" && why.starts_with(said), "{why}");
}
