//! Removing: files, lock entry and shares go; what is not the hub's stays.

use hone_hub::{Edits, Error, Means, Nobody, ShareScope, Standing};
use hone_library::Origin;

use crate::shop::{Machine, Shop, bundle, names, plain, tree};

#[test]
fn a_removed_skill_is_gone_from_disk_lock_and_other_agents_and_can_come_back() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One."), plain("other", "Other.")]);
    machine.add(&shop);
    let (files, lock) = (tree(&machine.skill("tidy")), machine.lock());
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let scope = ShareScope::Project(&machine.project);
    hub.share(&machine.skill("tidy"), &["claude-code".to_owned()], scope, Means::Link).unwrap();
    let link = machine.project.join(".claude/skills/tidy");
    assert!(link.join("SKILL.md").is_file());

    let removed =
        hub.remove(&machine.target(), &["tidy".to_owned()], Edits::Keep, &mut Nobody).unwrap();
    assert_eq!(removed[0].unshared, std::slice::from_ref(&link));
    assert!(link.symlink_metadata().is_err());
    assert_eq!(names(&machine.project.join(".agents/skills")), ["other"]);
    assert!(!machine.lock().contains("tidy"));
    let again = hub.remove(&machine.target(), &["tidy".to_owned()], Edits::Keep, &mut Nobody);
    assert!(matches!(again, Err(Error::NotInstalled { .. })));

    // Brought back, it is still not the person's own.
    let key = machine.skill("tidy");
    machine.rollback("tidy", None).unwrap();
    assert_eq!((tree(&key), machine.lock()), (files, lock));
    assert_eq!(state.installed_at(&key).unwrap().unwrap().origin, Origin::Community);
}

#[test]
fn local_edits_refuse_a_removal_until_they_are_given_up() {
    let machine = Machine::new();
    let text = "---\nname: tidy\ndescription: Tidies.\n---\nOne.\n";
    let shop = Shop::new(vec![bundle("tidy", &[("SKILL.md", text, false), ("b.md", "b", false)])]);
    machine.add(&shop);
    machine.write("tidy/b.md", "mine");
    machine.write("tidy/own.md", "own");
    let before = tree(&machine.project);
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let remove = |edits| hub.remove(&machine.target(), &["tidy".to_owned()], edits, &mut Nobody);
    let error = remove(Edits::Keep).unwrap_err();
    assert_eq!(error.to_string(), "`tidy` has local edits: b.md, own.md");
    assert_eq!(tree(&machine.project), before);
    assert!(remove(Edits::Discard).is_ok());
    assert!(!machine.skill("tidy").exists());
    // What comes back has its place in the lock again, edits or not.
    machine.rollback("tidy", None).unwrap();
    assert_eq!((tree(&machine.project), machine.read("tidy/b.md")), (before, "mine".to_owned()));
    assert_eq!(machine.last_logged().1, "to revision 2, with edits");
}

#[test]
fn verify_names_every_way_in_which_disk_and_lock_differ() {
    let machine = Machine::new();
    let text = |name: &str| format!("---\nname: {name}\ndescription: Does it.\n---\nOne.\n");
    let shop = Shop::new(vec![
        plain("fine", "Fine."),
        plain("gone", "Gone."),
        bundle(
            "changed",
            &[
                ("SKILL.md", &text("changed"), false),
                ("a", "a", false),
                ("b", "b", false),
                ("x", "x", true),
            ],
        ),
    ]);
    machine.add(&shop);
    std::fs::remove_dir_all(machine.skill("gone")).unwrap();
    machine.write("changed/a", "other");
    std::fs::remove_file(machine.skill("changed").join("b")).unwrap();
    machine.write("changed/new", "new");
    let script = machine.skill("changed").join("x");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    std::fs::create_dir(machine.skill("own")).unwrap();
    machine.write("own/SKILL.md", &text("own"));
    let state = machine.state();
    let verified = machine.hub(&state, &shop).verify(&machine.target(), &[]).unwrap();
    let standings: Vec<(&str, Standing)> =
        verified.iter().map(|one| (one.name.as_str(), one.standing)).collect();
    assert_eq!(
        standings,
        [
            ("changed", Standing::Modified),
            ("fine", Standing::Ok),
            ("gone", Standing::Missing),
            ("own", Standing::Unknown),
        ]
    );
    let files: Vec<String> =
        verified[0].files.iter().map(|(file, how)| format!("{file} {how:?}")).collect();
    assert_eq!(files, ["a Modified", "b Missing", "new Extra", "x Modified"]);
}
