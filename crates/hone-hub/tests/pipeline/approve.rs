//! Approvals: without a person it waits, bound to exactly what was shown.

use hone_hub::{Error, Fate, Manner, Nobody};

use crate::shop::{Machine, Shop, bundle, fates, plain, tree};

fn more() -> hone_hub::Bundle {
    let text = "---\nname: tidy\ndescription: Does tidy.\n---\nOne.\n";
    bundle("tidy", &[("SKILL.md", text, false), ("run.sh", "ls\n", true)])
}

/// A machine on which an update waits; gives its id.
fn waiting() -> (Machine, Shop, String) {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    shop.publish(vec![more()]);
    let state = machine.state();
    let outcomes = machine
        .hub(&state, &shop)
        .update(&machine.target(), &[], &Manner::default(), &mut Nobody)
        .unwrap();
    let Fate::Waits { id, .. } = &outcomes[0].fate else { panic!("{:?}", outcomes[0].fate) };
    (machine, shop, id.clone())
}

#[test]
fn what_waits_is_installed_when_it_is_approved() {
    let (machine, shop, id) = waiting();
    assert!(!machine.skill("tidy").join("run.sh").exists());
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let pending = hub.pending().unwrap();
    assert_eq!((pending.len(), &pending[0].id, pending[0].name()), (1, &id, "tidy"));
    assert_eq!(pending[0].news.scripts, ["run.sh"]);
    assert_eq!(machine.quarantined(), [pending[0].content.clone()]);
    // Asking again is asking once, and what waits survives other work.
    hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(hub.pending().unwrap().len(), 1);

    let outcome = hub.approve(&id, &mut Nobody).unwrap();
    assert_eq!(outcome.fate, Fate::Updated);
    assert_eq!(tree(&machine.skill("tidy"))["run.sh"].0, 0o755);
    assert_eq!((hub.pending().unwrap(), machine.quarantined()), (Vec::new(), Vec::new()));
    assert!(matches!(hub.approve(&id, &mut Nobody), Err(Error::NoApproval { .. })));
    let log: Vec<String> = machine.log().into_iter().map(|(action, _)| action).collect();
    assert_eq!(log, ["install", "ask", "ask", "approve"]);
}

#[test]
fn what_is_rejected_is_gone_and_the_log_says_so() {
    let (machine, shop, id) = waiting();
    let before = tree(&machine.project);
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    hub.reject(&id[..4]).unwrap();
    assert_eq!((hub.pending().unwrap(), machine.quarantined()), (Vec::new(), Vec::new()));
    assert_eq!(tree(&machine.project), before);
    assert_eq!(machine.log().last().unwrap().0, "reject");
}

#[test]
fn what_was_changed_in_quarantine_is_not_installed() {
    let (machine, shop, id) = waiting();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let folder = hub.pending().unwrap()[0].folder(&machine.around.hone_home);
    std::fs::write(folder.join("run.sh"), "rm -rf ~\n").unwrap();
    let error = hub.approve(&id, &mut Nobody).unwrap_err().to_string();
    assert!(error.ends_with("run.sh` is not what was to be approved"), "{error}");
    assert!(!machine.skill("tidy").join("run.sh").exists());
}

#[test]
fn an_approval_does_not_outlive_a_tighter_policy() {
    let (mut machine, shop, id) = waiting();
    let cells = [("community", [("safe", "block")])].into_iter().map(|(origin, row)| {
        let row = row.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
        (origin.to_owned(), row)
    });
    machine.policy = hone_guard::policy::Policy::new(None, &cells.collect()).unwrap();
    let state = machine.state();
    let outcome = machine.hub(&state, &shop).approve(&id, &mut Nobody).unwrap();
    assert_eq!(fates(&[outcome]), [("tidy", "blocked")]);
    assert!(!machine.skill("tidy").join("run.sh").exists());
}

#[test]
fn an_approval_of_less_than_it_can_do_asks_again() {
    let (machine, shop, id) = waiting();
    // Meanwhile the person took the description's program away, so the update brings more than shown.
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let mut approvals = state.approvals().unwrap();
    let mut body: serde_json::Value = serde_json::from_str(&approvals[0].body).unwrap();
    body["news"]["scripts"] = serde_json::json!([]);
    approvals[0].body = body.to_string();
    let records = hone_library::provenance::Records { approvals, ..Default::default() };
    state.record(&records).unwrap();
    let outcome = hub.approve(&id, &mut Nobody).unwrap();
    assert_eq!(fates(&[outcome]), [("tidy", "waits")]);
    assert!(!machine.skill("tidy").join("run.sh").exists());
}
