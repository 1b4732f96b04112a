//! Going back: files, lock file and log together, whatever was edited, merged, removed or killed.

use hone_hub::{Answer, Ask, Bundle, Edits, Error, Freshness, Manner, Nobody, Question, Step};
use hone_library::{Mode, history};

use crate::shop::{Machine, Shop, fates, plain, tree};

const LINES: &str = "a\n\nb\n\nc\n\nd\n\ne";

fn lines(old: &str, new: &str) -> Bundle {
    plain("tidy", &LINES.replace(old, new))
}

/// A machine on which an edit of the first line and an update of the last are merged, as revision 3.
fn merged() -> (Machine, Shop) {
    let machine = Machine::new();
    let shop = Shop::new(vec![lines("", "")]);
    machine.add(&shop);
    let text = machine.read("tidy/SKILL.md").replace("\na\n", "\nmine\n");
    machine.write("tidy/SKILL.md", &text);
    shop.publish(vec![lines("e", "theirs")]);
    update(&machine, &shop);
    let text = machine.read("tidy/SKILL.md");
    assert!(text.contains("mine") && text.contains("theirs"), "{text}");
    (machine, shop)
}

fn update(machine: &Machine, shop: &Shop) {
    let state = machine.state();
    let hub = machine.hub(&state, shop);
    let outcomes = hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert!(outcomes.iter().all(|one| one.fate.is_good()), "{:?}", fates(&outcomes));
}

fn freshness(machine: &Machine, shop: &Shop) -> Freshness {
    let state = machine.state();
    let found = machine.hub(&state, shop).outdated(&machine.target(), &[]).unwrap();
    found[0].freshness.clone()
}

#[test]
fn a_merge_that_is_undone_is_of_the_earlier_version_and_can_be_had_again() {
    let machine = Machine::new();
    let shop = Shop::new(vec![lines("", "")]);
    machine.add(&shop);
    let first = machine.lock();
    let (machine, shop) = merged();
    let (second, files) = (machine.lock(), tree(&machine.skill("tidy")));
    machine.rollback("tidy", None).unwrap();
    let text = machine.read("tidy/SKILL.md");
    assert!(text.contains("mine") && !text.contains("theirs"), "{text}");
    assert_eq!(machine.lock(), first);
    assert_eq!(
        machine.last_logged(),
        ("rollback".to_owned(), "to revision 2, with edits".to_owned())
    );
    assert_eq!(freshness(&machine, &shop), Freshness::Outdated);
    update(&machine, &shop);
    assert_eq!((machine.lock(), tree(&machine.skill("tidy"))), (second.clone(), files.clone()));

    // Back, and forth to what the merge had made, through a revision that went back itself.
    machine.rollback("tidy", Some(4)).unwrap();
    assert_eq!(machine.lock(), first);
    machine.rollback("tidy", Some(3)).unwrap();
    assert_eq!((machine.lock(), tree(&machine.skill("tidy"))), (second, files));
}

#[test]
fn a_revision_in_which_the_skill_was_gone_takes_its_entry_too() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    let lock = machine.lock();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    hub.remove(&machine.target(), &["tidy".to_owned()], Edits::Keep, &mut Nobody).unwrap();
    let empty = machine.lock();
    machine.rollback("tidy", None).unwrap();
    assert_eq!(machine.lock(), lock);
    machine.rollback("tidy", Some(2)).unwrap();
    assert!(!machine.skill("tidy").exists());
    assert_eq!(machine.lock(), empty);
    assert_eq!(machine.last_logged().1, "to revision 2, in which it was gone");
}

#[test]
fn a_version_that_came_with_its_lock_from_version_control_is_known() {
    let (first, shop) = (Machine::new(), Shop::new(vec![plain("tidy", "One.")]));
    first.add(&shop);
    let machine = Machine::new();
    std::fs::write(machine.project.join("hone.lock"), first.lock()).unwrap();
    std::fs::create_dir_all(machine.skill("tidy")).unwrap();
    machine.write("tidy/SKILL.md", &first.read("tidy/SKILL.md"));
    shop.publish(vec![plain("tidy", "Two.")]);
    update(&machine, &shop);
    machine.rollback("tidy", None).unwrap();
    assert_eq!(tree(&machine.project), tree(&first.project));
}

#[test]
fn a_lock_of_a_newer_hone_refuses_and_nothing_changes() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    shop.publish(vec![plain("tidy", "Two.")]);
    update(&machine, &shop);
    let newer = machine.lock().replace("version = 1", "version = 9");
    std::fs::write(machine.project.join("hone.lock"), newer).unwrap();
    let (files, log) = (tree(&machine.project), machine.log());
    for mode in [Mode::DryRun, Mode::Write] {
        let error = machine.rollback_in(mode, "tidy", None, &mut Nobody).unwrap_err();
        assert!(matches!(error, Error::NewerLock { found: 9, .. }), "{error}");
    }
    assert_eq!((tree(&machine.project), machine.log()), (files, log));
    assert_eq!(history(&machine.state(), &machine.skill("tidy")).unwrap().len(), 2);
}

/// Puts a folder in the way of the lock file when the files are in place.
struct InTheWay<'m>(&'m Machine);

impl Ask for InTheWay<'_> {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Yes
    }

    fn progress(&mut self, step: Step, _: usize, _: usize) {
        let lock = self.0.project.join("hone.lock");
        if step == Step::Swap {
            std::fs::remove_file(&lock).unwrap();
            std::fs::create_dir_all(lock.join("full")).unwrap();
        }
    }
}

#[test]
fn a_lock_that_cannot_be_written_is_said_and_written_by_the_next() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    let first = machine.lock();
    shop.publish(vec![plain("tidy", "Two.")]);
    update(&machine, &shop);
    let second = machine.lock();
    let error =
        machine.rollback_in(Mode::Write, "tidy", None, &mut InTheWay(&machine)).unwrap_err();
    assert!(error.to_string().ends_with("in place and not written down yet"), "{error}");
    let lock = machine.project.join("hone.lock");
    std::fs::remove_dir_all(&lock).unwrap();
    std::fs::write(&lock, second).unwrap();
    update(&machine, &shop);
    assert_eq!(machine.log().iter().filter(|(action, _)| action == "rollback").count(), 1);
    machine.rollback("tidy", None).unwrap();
    assert_eq!(machine.lock(), first);
}

#[test]
fn a_skill_that_did_not_come_from_elsewhere_needs_no_lock() {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    let lock = machine.lock();
    let error = machine.rollback("other", None).unwrap_err().to_string();
    assert!(error.starts_with("hone never changed "), "{error}");
    assert_eq!(machine.lock(), lock);
}
