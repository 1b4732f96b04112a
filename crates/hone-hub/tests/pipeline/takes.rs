//! Which messages a newcomer would take from the skills that are there.

use hone_hub::{Bundle, Hub, MAX_NEWCOMERS, MAX_TAKEN, Manner, Nobody, Outcome, Taken, Takes};
use hone_library::{Catalogue, Config, Root, SUITE_FILE, Search};
use hone_router::MAX_REMEMBERED;

use crate::shop::{Machine, SOURCE, Shop, bundle, fates, plain};

/// A skill that is there and remembers messages. It says nothing of what they are about.
fn remembers(machine: &Machine, name: &str, messages: &[String]) {
    let suite = machine.skill(name).join(SUITE_FILE);
    std::fs::create_dir_all(suite.parent().unwrap()).unwrap();
    let text = format!("---\nname: {name}\ndescription: Looks after the garden.\n---\nWater it.\n");
    std::fs::write(machine.skill(name).join("SKILL.md"), text).unwrap();
    let case = |message: &String| serde_json::json!({ "query": message, "should_trigger": true });
    let cases: Vec<_> = messages.iter().map(case).collect();
    std::fs::write(suite, serde_json::to_vec(&cases).unwrap()).unwrap();
}

/// Skills that are there, as many as it takes to remember all messages, and which of them remembers each.
fn gardens(machine: &Machine, messages: &[String]) -> Vec<String> {
    let mut of = Vec::new();
    for (at, some) in messages.chunks(MAX_REMEMBERED).enumerate() {
        let name = format!("garden{at}");
        remembers(machine, &name, some);
        of.extend(some.iter().map(|_| name.clone()));
    }
    of
}

/// A skill that says word for word what the messages say, and remembers them itself.
fn rival(name: &str, messages: &[String]) -> Bundle {
    let said = messages.join("; ");
    let text = format!("---\nname: {name}\ndescription: Use when: {said}\n---\n{said}\n");
    let case = |message: &String| serde_json::json!({ "query": message, "should_trigger": true });
    let suite = serde_json::to_string(&messages.iter().map(case).collect::<Vec<_>>()).unwrap();
    bundle(name, &[("SKILL.md", &text, false), (SUITE_FILE, &suite, false)])
}

fn add(machine: &Machine, shop: &Shop) -> Vec<Outcome> {
    let state = machine.state();
    let skills = machine.project.join(".agents/skills");
    let roots = vec![Root::explicit(&skills, &machine.project).unwrap()];
    let search = Search::only(roots, &machine.around, &Config::default());
    let catalogue = Catalogue::find(search, &state);
    let hub = Hub { catalogue: Some(&catalogue), ..machine.hub(&state, shop) };
    hub.add(&machine.target(), SOURCE, &[], &Manner::default(), &mut Nobody).unwrap()
}

/// Messages that have nothing in common with each other.
fn messages(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("repot wilting fern number{at}")).collect()
}

#[test]
fn a_newcomer_is_said_to_take_what_it_would_take_and_its_own_version_loses_nothing() {
    let machine = Machine::new();
    let gardens = gardens(&machine, &messages(MAX_TAKEN));
    let shop = Shop::new(vec![rival("fern", &messages(MAX_TAKEN))]);
    let taken = |(message, from)| Taken { message, from };
    let taken: Vec<Taken> = messages(MAX_TAKEN).into_iter().zip(gardens).map(taken).collect();
    let expected = Takes { messages: taken, ..Takes::default() };
    let outcomes = add(&machine, &shop);
    assert_eq!(fates(&outcomes), [("fern", "installed")]);
    assert_eq!(outcomes[0].takes, expected);
    // What is there already is no newcomer.
    assert_eq!(add(&machine, &shop)[0].takes, Takes::default());
    // A skill that is about something else takes nothing.
    let other = Shop::new(vec![plain("tax", "Fills in a tax return.")]);
    assert_eq!(add(&machine, &other)[0].takes, Takes::default());
}

#[test]
fn past_the_last_message_that_is_named_the_others_are_counted() {
    for count in [MAX_TAKEN, MAX_TAKEN + 1] {
        let machine = Machine::new();
        gardens(&machine, &messages(count));
        let takes =
            add(&machine, &Shop::new(vec![rival("fern", &messages(count))])).remove(0).takes;
        assert_eq!((takes.messages.len(), takes.unnamed), (MAX_TAKEN, count - MAX_TAKEN));
    }
}

#[test]
fn past_so_many_newcomers_it_is_said_that_nobody_asked() {
    for count in [MAX_NEWCOMERS, MAX_NEWCOMERS + 1] {
        let machine = Machine::new();
        gardens(&machine, &messages(MAX_TAKEN));
        let mut skills: Vec<Bundle> =
            (1..count).map(|at| plain(&format!("tax{at}"), "Fills in a tax return.")).collect();
        skills.push(rival("fern", &messages(MAX_TAKEN)));
        let outcomes = add(&machine, &Shop::new(skills));
        let is_past = count > MAX_NEWCOMERS;
        assert!(outcomes.iter().all(|one| one.takes.is_unasked == is_past));
        let taken: usize = outcomes.iter().map(|one| one.takes.messages.len()).sum();
        assert_eq!(taken, if is_past { 0 } else { MAX_TAKEN });
    }
}
