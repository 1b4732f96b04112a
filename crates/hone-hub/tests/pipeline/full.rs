//! A disk that is full at the wrong moment: the install fails, and nothing of it stays.

use std::collections::BTreeSet;

use hone_hub::{Answer, Ask, Error, Manner, Nobody, Outcome, Question, Step};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

use crate::shop::{Machine, SOURCE, Shop, fates, loose_objects, names, plain, tree};

/// From here on this thread, and those that it starts, cannot make these calls: the kernel answers as on
/// a disk that is full.
fn without_room_for(calls: &[libc::c_long]) {
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(u32::try_from(libc::ENOSPC).unwrap());
    let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).unwrap();
    apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

/// The disk is full for some calls when a step is done.
struct FullAfter(Step, &'static [libc::c_long]);

impl Ask for FullAfter {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Yes
    }

    fn progress(&mut self, step: Step, _: usize, _: usize) {
        if step == self.0 {
            without_room_for(self.1);
        }
    }
}

/// What SQLite writes with, and what a skill's folder gets its name by.
const DATABASE: &[libc::c_long] = &[libc::SYS_pwrite64];
const FOLDER: &[libc::c_long] = &[libc::SYS_renameat2];

/// Fewer files than are waited for together, and more.
const COUNTS: [usize; 2] = [2, 2 * hone_library::SYNCED_EACH];

fn shop(count: usize, body: &str) -> Shop {
    Shop::new((0..count).map(|n| plain(&format!("skill-{n}"), body)).collect())
}

/// Adds, on a disk that is full from some moment on. The filter stays with its thread.
fn add_when_full(
    machine: &Machine,
    shop: &(impl Fn() -> Shop + Sync),
    full: FullAfter,
) -> Result<Vec<Outcome>, Error> {
    std::thread::scope(|scope| {
        let adding = scope.spawn(move || {
            let (state, shop, mut full) = (machine.state(), shop(), full);
            let hub = machine.hub(&state, &shop);
            hub.add(&machine.target(), SOURCE, &[], &Manner::default(), &mut full)
        });
        adding.join().unwrap()
    })
}

/// Every file below the folder of old versions.
fn objects(machine: &Machine) -> BTreeSet<String> {
    tree(&machine.around.hone_home.join("objects")).into_keys().collect()
}

#[test]
fn an_install_that_state_db_has_no_room_for_leaves_nothing_and_the_next_is_done() {
    for count in COUNTS {
        let machine = Machine::new();
        let error =
            add_when_full(&machine, &|| shop(count, "Do it."), FullAfter(Step::Intend, DATABASE));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("full"), "{error}");
        assert_eq!(objects(&machine), BTreeSet::new(), "{count}");
        assert_eq!(names(&machine.project.join(".agents/skills")), Vec::<String>::new());
        let again = machine.add(&shop(count, "Do it."));
        assert!(again.iter().all(|one| one.fate.word() == "installed"), "{:?}", fates(&again));
        assert_eq!(loose_objects(&machine), BTreeSet::new());
        assert_eq!(objects(&machine).len(), count);
    }
}

#[test]
fn an_install_that_the_folder_of_the_skills_has_no_room_for_leaves_nothing() {
    for count in COUNTS {
        let machine = Machine::new();
        machine.add(&Shop::new(vec![plain("there", "As it was.")]));
        let before = (objects(&machine), machine.lock(), tree(&machine.project));
        let all = || {
            let mut bundles = vec![plain("there", "As it was.")];
            bundles.extend((0..count).map(|n| plain(&format!("skill-{n}"), "Do it.")));
            Shop::new(bundles)
        };
        let outcomes = add_when_full(&machine, &all, FullAfter(Step::Intend, FOLDER)).unwrap();
        let refused = outcomes.iter().filter(|one| one.fate.word() == "refused").count();
        assert_eq!(refused, count, "{:?}", fates(&outcomes));
        assert_eq!((objects(&machine), machine.lock(), tree(&machine.project)), before, "{count}");
        let state = machine.state();
        assert_eq!(state.intents(&machine.target().lock).unwrap(), Vec::<String>::new());
        assert_eq!(state.installed().unwrap().len(), 1);
    }
}

#[test]
fn an_update_that_there_is_no_room_for_leaves_the_old_version_and_what_is_kept_of_it() {
    for (full, refuses) in [(DATABASE, true), (FOLDER, false)] {
        let machine = Machine::new();
        let text = |body: &str| format!("One.\n\nTwo.\n\n{body}\n");
        machine.add(&Shop::new(vec![plain("tidy", &text("Three."))]));
        // An edit that stays beside the update, so that what was installed is kept besides.
        let edited = machine.read("tidy/SKILL.md").replace("One.", "One of mine.");
        machine.write("tidy/SKILL.md", &edited);
        let before = objects(&machine);
        let versions = || Shop::new(vec![plain("tidy", &text("Four."))]);
        let done = add_when_full(&machine, &versions, FullAfter(Step::Intend, full));
        assert_eq!(done.is_err(), refuses, "{done:?}");
        assert_eq!(machine.read("tidy/SKILL.md"), edited);
        let (state, shop) = (machine.state(), versions());
        let hub = machine.hub(&state, &shop);
        let again = hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
        assert_eq!(fates(&again), [("tidy", "updated")]);
        assert_eq!(again[0].merged, ["SKILL.md"]);
        assert!(machine.read("tidy/SKILL.md").contains("One of mine.\n\nTwo.\n\nFour."));
        assert_eq!(loose_objects(&machine), BTreeSet::new());
        assert!(objects(&machine).is_superset(&before));
    }
}
