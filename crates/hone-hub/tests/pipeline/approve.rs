//! Approvals: without a person it waits, bound to exactly what was shown.

use hone_hub::{Answer, Ask, Edits, Error, Fate, Manner, Nobody, Question};

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
    assert!(error.contains("run.sh` is not what was to be approved; "), "{error}");
    assert!(!machine.skill("tidy").join("run.sh").exists());
}

#[test]
fn what_is_shown_is_what_would_be_installed_or_nothing_is() {
    let (machine, shop, id) = waiting();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let pending = hub.pending_as(&id).unwrap();
    assert_eq!(hub.waiting_files(&pending).unwrap(), more().files);
    let folder = pending.folder(&machine.around.hone_home);
    std::fs::write(folder.join("SKILL.md"), "---\nname: tidy\ndescription: Fine.\n---\n").unwrap();
    let drops = format!("; `hone approve {id} --reject` drops it");
    let error = hub.waiting_files(&pending).unwrap_err().to_string();
    let expected = format!("SKILL.md` is not what was to be approved{drops}");
    assert!(error.ends_with(&expected), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
    for error in
        [hub.waiting_files(&pending).unwrap_err(), hub.approve(&id, &mut Nobody).unwrap_err()]
    {
        let expected = format!("`{}` is gone{drops}", folder.display());
        assert!(error.is_answer() && error.to_string() == expected, "{error}");
    }
    hub.reject(&id).unwrap();
    assert_eq!(hub.pending().unwrap(), Vec::new());
}

/// Says yes to everything.
struct Yes;

impl Ask for Yes {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Yes
    }
}

#[test]
fn what_waits_for_a_skill_waits_no_more_once_it_came_another_way_or_the_skill_went() {
    let (machine, shop, _) = waiting();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    hub.update(&machine.target(), &[], &Manner::default(), &mut Yes).unwrap();
    assert_eq!((hub.pending().unwrap(), machine.quarantined()), (Vec::new(), Vec::new()));
    let said = "asked, and a person said yes: This version can do more: scripts: run.sh. A person decides; \
                without one, it waits.";
    assert_eq!(machine.last_logged(), ("update".to_owned(), said.to_owned()));

    // A version that waits, and a later one that came: the earlier one is not to come back over it.
    let (machine, shop, _) = waiting();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    shop.publish(vec![plain("tidy", "Three.")]);
    hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert!(machine.read("tidy/SKILL.md").contains("Three."));
    assert_eq!((hub.pending().unwrap(), machine.quarantined()), (Vec::new(), Vec::new()));

    let (machine, shop, _) = waiting();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    hub.remove(&machine.target(), &[], Edits::Keep, &mut Nobody).unwrap();
    assert_eq!((hub.pending().unwrap(), machine.quarantined()), (Vec::new(), Vec::new()));
}

#[test]
fn a_later_version_still_waits_when_an_earlier_one_is_approved_or_the_lock_is_made_true() {
    let (machine, shop, id) = waiting();
    let state = machine.state();
    let mut hub = machine.hub(&state, &shop);
    let mut later = more();
    later.files.insert("more.sh".to_owned(), later.files["run.sh"].clone());
    shop.publish(vec![later]);
    hub.author.now += 1;
    hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(hub.pending().unwrap().len(), 2);
    hub.approve(&id, &mut Nobody).unwrap();
    assert_eq!(machine.last_logged().0, "approve");
    assert!(
        machine.last_logged().1.starts_with("approved: This version can do more: scripts: run.sh.")
    );
    std::fs::remove_dir_all(machine.skill("tidy")).unwrap();
    assert!(hub.install(&machine.target(), &Manner::default(), &mut Yes).unwrap().is_true());
    let left = hub.pending().unwrap();
    assert_eq!(left.iter().map(|one| one.files().len()).collect::<Vec<_>>(), [3]);
    assert_eq!(machine.quarantined(), [left[0].content.clone()]);
}

#[test]
fn the_start_of_several_ids_is_none_of_them() {
    let (machine, shop, id) = waiting();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let mut approvals = state.approvals().unwrap();
    let other = format!("{}x", &id[..7]);
    approvals[0].body = approvals[0].body.replace(&id, &other);
    approvals[0].id.clone_from(&other);
    let records = hone_library::provenance::Records { approvals, ..Default::default() };
    state.record(&records).unwrap();
    let error = hub.pending_as(&id[..7]).unwrap_err().to_string();
    assert_eq!(error, format!("`{}` is the start of several that wait: {id}, {other}", &id[..7]));
    assert_eq!(hub.pending_as(&id).unwrap().id, id);
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
