//! Restoring: a lock file made true, or nothing changed.

use hone_hub::{Edits, Error, Fate, Lock, Manner, Nobody, Outcome, Restored, Standing, Target};

use crate::shop::{Machine, SOURCE, Shop, bundle, dangerous, fates, names, plain, tree};

fn install(machine: &Machine, shop: &Shop, edits: Edits) -> Restored {
    let state = machine.state();
    machine
        .hub(&state, shop)
        .install(&machine.target(), &Manner { edits, ..Manner::default() }, &mut Nobody)
        .unwrap()
}

/// A second machine with nothing but the lock of the first.
fn checkout(lock: &str) -> Machine {
    let machine = Machine::new();
    std::fs::write(machine.project.join("hone.lock"), lock).unwrap();
    machine
}

fn shop() -> Shop {
    let text = "---\nname: pack\ndescription: Packs.\n---\nPack.\n";
    Shop::new(vec![
        bundle("pack", &[("SKILL.md", text, false), ("run.sh", "ls\n", true)]),
        plain("tidy", "One."),
    ])
}

#[test]
fn a_fresh_checkout_equals_its_lock_though_the_source_moved_on() {
    let (first, shop) = (Machine::new(), shop());
    first.add(&shop);
    shop.publish(vec![plain("tidy", "Two."), plain("new", "New.")]);
    let second = checkout(&first.lock());
    let restored = install(&second, &shop, Edits::Keep);
    assert_eq!(fates(&restored.outcomes), [("pack", "installed"), ("tidy", "installed")]);
    assert!(restored.is_true() && restored.extra.is_empty());
    assert_eq!(tree(&second.project), tree(&first.project));
    assert_eq!(second.lock(), first.lock());
    let log: Vec<String> = second.log().into_iter().map(|(action, _)| action).collect();
    assert_eq!(log, ["restore", "restore"]);
    // And again: nothing to do, and nothing asked of anybody.
    let fetched = *shop.fetched.borrow();
    let restored = install(&second, &shop, Edits::Keep);
    assert_eq!(fates(&restored.outcomes), [("pack", "unchanged"), ("tidy", "unchanged")]);
    assert_eq!(*shop.fetched.borrow(), fetched);
}

#[test]
fn one_hash_that_is_not_the_locks_holds_everything_back() {
    let (first, shop) = (Machine::new(), shop());
    first.add(&shop);
    let entry = Lock::read(&first.target().lock).unwrap();
    let hash = &entry.get(".agents/skills", "tidy").unwrap().files[0].sha256;
    let second = checkout(&first.lock().replace(hash, &"0".repeat(64)));
    let restored = install(&second, &shop, Edits::Keep);
    assert_eq!(fates(&restored.outcomes), [("pack", "held-back"), ("tidy", "refused")]);
    let Fate::Refused(why) = &restored.outcomes[1].fate else { panic!() };
    assert_eq!(why, "its source gives other files than the lock: SKILL.md");
    assert!(!restored.is_true());
    assert_eq!(names(&second.project), ["hone.lock"]);
}

#[test]
fn a_lock_that_names_something_dangerous_is_not_believed() {
    let first = Machine::new();
    let shop = Shop::new(vec![plain("good", "Good."), plain("bad", "Harmless.")]);
    first.add(&shop);
    let harmless = first.lock();
    let other = Machine::new();
    let shop = Shop::new(vec![plain("good", "Good."), dangerous("bad")]);
    let hash = |bundle: &hone_hub::Bundle| hone_library::hash(&bundle.files["SKILL.md"].bytes);
    let size =
        |bundle: &hone_hub::Bundle| format!("size = {}", bundle.files["SKILL.md"].bytes.len());
    let (was, is) = (plain("bad", "Harmless."), dangerous("bad"));
    let lock = harmless
        .replace(&hash(&was), &hash(&is))
        .replace(&size(&was), &size(&is))
        .replace("origin = \"community\"", "origin = \"builtin\"");
    std::fs::write(other.project.join("hone.lock"), lock).unwrap();
    let restored = install(&other, &shop, Edits::Keep);
    assert_eq!(fates(&restored.outcomes), [("bad", "blocked"), ("good", "held-back")]);
    assert_eq!(names(&other.project), ["hone.lock"]);
}

#[test]
fn local_edits_refuse_and_a_skill_that_the_lock_does_not_name_stays() {
    let (machine, shop) = (Machine::new(), shop());
    machine.add(&shop);
    machine.write("tidy/SKILL.md", &machine.read("tidy/SKILL.md").replace("One.", "Mine."));
    std::fs::create_dir(machine.skill("own")).unwrap();
    machine.write("own/SKILL.md", "---\nname: own\ndescription: Mine.\n---\nMine.\n");
    let restored = install(&machine, &shop, Edits::Keep);
    assert_eq!(fates(&restored.outcomes), [("pack", "unchanged"), ("tidy", "refused")]);
    let extra: Vec<&str> = restored.extra.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(extra, ["own"]);
    assert!(machine.read("tidy/SKILL.md").contains("Mine."));
    let restored = install(&machine, &shop, Edits::Discard);
    assert!(restored.is_true());
    assert!(machine.read("tidy/SKILL.md").contains("One."));
    assert!(machine.skill("own").exists());
}

#[test]
fn a_file_or_link_more_than_the_lock_names_refuses_until_it_is_given_up() {
    let (machine, shop) = (Machine::new(), shop());
    machine.add(&shop);
    let clean = tree(&machine.project);
    machine.write("pack/evil.sh", "rm -rf ~\n");
    std::os::unix::fs::symlink("/etc/passwd", machine.skill("pack").join("link")).unwrap();
    let dirty = tree(&machine.project);
    let restored = install(&machine, &shop, Edits::Keep);
    let Fate::Refused(why) = &restored.outcomes[0].fate else { panic!("{restored:?}") };
    assert_eq!(
        why,
        "it is not as the lock says: evil.sh, link; `--discard-edits` gives local edits up"
    );
    assert!(!restored.is_true());
    assert_eq!(tree(&machine.project), dirty);

    let restored = install(&machine, &shop, Edits::Discard);
    assert!(restored.is_true() && restored.extra.is_empty(), "{restored:?}");
    assert_eq!(tree(&machine.project), clean);
    let state = machine.state();
    let verified = machine.hub(&state, &shop).verify(&machine.target(), &[]).unwrap();
    assert!(verified.iter().all(|one| one.standing == Standing::Ok), "{verified:?}");
    // What was given up is in the history.
    machine.rollback("pack", None).unwrap();
    assert_eq!(tree(&machine.project), dirty);
}

#[test]
fn a_lock_cannot_write_where_nobody_looks_for_skills() {
    let (first, shop) = (Machine::new(), shop());
    first.add(&shop);
    for root in [".git/skills", "../elsewhere/skills", "src"] {
        let second = checkout(&first.lock().replace(".agents/skills", root));
        let state = second.state();
        let error =
            second.hub(&state, &shop).install(&second.target(), &Manner::default(), &mut Nobody);
        assert!(matches!(error, Err(Error::Refused(_))), "{root}");
        assert_eq!(names(&second.project), ["hone.lock"]);
    }
}

#[test]
fn the_lock_of_somebody_else_cannot_write_anywhere_in_the_home() {
    let (first, shop) = (Machine::new(), shop());
    first.add(&shop);
    let second = Machine::new();
    let target = Target::user(&second.around);
    let file = second.project.join("theirs.lock");
    let (state, lock) = (second.state(), first.lock());
    for root in [".config", "/tmp", "../skills", ".config/../x/skills", ".local/share"] {
        std::fs::write(&file, lock.replace(".agents/skills", root)).unwrap();
        let error =
            second.hub(&state, &shop).install_from(&target, &file, &Manner::default(), &mut Nobody);
        assert!(matches!(error, Err(Error::Refused(_))), "{root}");
        assert_eq!(names(&second.around.user_home), Vec::<String>::new(), "{root}");
    }
    for root in [".agents/skills", ".config/opencode/skills", ".opencode/skill"] {
        std::fs::write(&file, lock.replace(".agents/skills", root)).unwrap();
        let restored = second
            .hub(&state, &shop)
            .install_from(&target, &file, &Manner::default(), &mut Nobody)
            .unwrap();
        assert!(restored.is_true(), "{root}");
        assert_eq!(names(&second.around.user_home.join(root)), ["pack", "tidy"]);
    }
}

#[test]
fn a_lock_of_a_newer_version_is_never_rewritten() {
    let (first, shop) = (Machine::new(), shop());
    first.add(&shop);
    let newer = first.lock().replace("version = 1", "version = 9");
    let second = checkout(&newer);
    let state = second.state();
    let hub = second.hub(&state, &shop);
    let target = second.target();
    assert_eq!(hub.verify(&target, &[]).unwrap().len(), 2);
    let newer_lock =
        |result: Result<(), Error>| matches!(result, Err(Error::NewerLock { found: 9, .. }));
    assert!(newer_lock(hub.add(&target, SOURCE, &[], &Manner::default(), &mut Nobody).map(|_| ())));
    assert!(newer_lock(hub.update(&target, &[], &Manner::default(), &mut Nobody).map(|_| ())));
    assert!(newer_lock(hub.install(&target, &Manner::default(), &mut Nobody).map(|_| ())));
    assert!(newer_lock(hub.remove(&target, &[], Edits::Keep, &mut Nobody).map(|_| ())));
    assert_eq!(second.lock(), newer);
    assert_eq!(names(&second.project), ["hone.lock"]);
}

#[test]
fn the_locks_of_other_tools_are_restored_and_left_alone() {
    let (machine, shop) = (Machine::new(), shop());
    let project = r#"{"version": 1, "skills": {
        "tidy": {"source": "someone/skills", "sourceType": "github", "skillPath": "skills/tidy/SKILL.md", "computedHash": "00"}}}"#;
    let person = r#"{"version": 3, "skills": {
        "pack": {"source": "someone/skills", "sourceType": "github", "sourceUrl": "https://github.com/someone/skills.git", "skillPath": "skills/pack/SKILL.md", "skillFolderHash": "aa"}}}"#;
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    // What was recorded about them says nothing that could be compared.
    for (name, text, skill, notes) in
        [("skills-lock.json", project, "tidy", 1), (".skill-lock.json", person, "pack", 1)]
    {
        let file = machine.project.join(name);
        std::fs::write(&file, text).unwrap();
        let restored =
            hub.install_from(&machine.target(), &file, &Manner::default(), &mut Nobody).unwrap();
        assert_eq!(fates(&restored.outcomes), [(skill, "installed")]);
        assert_eq!(restored.notes.len(), notes, "{:?}", restored.notes);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
    assert!(
        machine.lock().contains("name = \"tidy\"") && machine.lock().contains("name = \"pack\"")
    );
    let other = machine.project.join("skills-lock.json");
    std::fs::write(&other, project.replace("\"00\"", &format!("\"{}\"", "0".repeat(64)))).unwrap();
    let lock = machine.lock();
    let restored =
        hub.install_from(&machine.target(), &other, &Manner::default(), &mut Nobody).unwrap();
    let [Outcome { fate: Fate::Refused(why), .. }] = restored.outcomes.as_slice() else {
        panic!("{:?}", restored.outcomes);
    };
    assert!(why.contains("its source has moved on; `hone add github:someone/skills"), "{why}");
    assert_eq!(machine.lock(), lock);
    let newer = machine.project.join("newer.json");
    std::fs::write(&newer, r#"{"version": 4, "skills": {}}"#).unwrap();
    let error = hub.install_from(&machine.target(), &newer, &Manner::default(), &mut Nobody);
    assert!(matches!(error, Err(Error::NewerLock { found: 4, known: 3, .. })));
}
