//! A process that is killed at each step: nothing is lost, and the next one finishes or cleans up.
//!
//! The test starts itself again, in another process, with the step at which it is to die.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hone_hub::{Answer, Ask, Edits, Lock, Manner, Nobody, Question, Standing, Step};
use hone_library::Mode;

use crate::shop::{Machine, SOURCE, Shop, bundle, fates, loose_objects, names, plain, tree};

/// Where the process that dies works, what it does, and at which step it dies.
const BASE: &str = "HONE_TEST_CRASH_BASE";
const DOES: &str = "HONE_TEST_CRASH_DOES";
const DIES: &str = "HONE_TEST_CRASH_DIES";

/// Dies at a step.
struct DiesAt(usize);

impl Ask for DiesAt {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Yes
    }

    fn progress(&mut self, step: Step, done: usize, of: usize) {
        if Step::ALL.get(self.0) == Some(&step) && done == of {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
                .unwrap();
        }
    }
}

fn one() -> Vec<hone_hub::Bundle> {
    vec![plain("tidy", "One."), plain("pack", "Pack one.")]
}

fn shop(does: &str) -> Shop {
    let shop = Shop::new(one());
    if does == "approve" {
        shop.publish(vec![plain("tidy", "One."), more()]);
    } else if does != "add" && does != "install" && does != "remove" {
        shop.publish(vec![plain("tidy", "Two."), plain("pack", "Pack two.")]);
    }
    shop
}

/// A version that a person decides about.
fn more() -> hone_hub::Bundle {
    let text = "---\nname: pack\ndescription: Does pack.\n---\nPack one.\n";
    bundle("pack", &[("SKILL.md", text, false), ("run.sh", "ls\n", true)])
}

/// The process that dies: a test that does nothing unless it is told to.
#[test]
fn the_process_that_dies() {
    let Some(base) = std::env::var_os(BASE) else { return };
    let does = std::env::var(DOES).unwrap();
    let machine = Machine::at(Path::new(&base));
    let state = machine.state();
    let shop = shop(&does);
    let hub = machine.hub(&state, &shop);
    let target = machine.target();
    let mut ask = DiesAt(std::env::var(DIES).unwrap().parse().unwrap());
    match does.as_str() {
        "add" => drop(hub.add(&target, SOURCE, &[], &Manner::default(), &mut ask)),
        "update" => drop(hub.update(&target, &[], &Manner::default(), &mut ask)),
        "remove" => drop(hub.remove(&target, &[], Edits::Keep, &mut ask)),
        "install" => drop(hub.install(&target, &Manner::default(), &mut ask)),
        "rollback" => drop(machine.rollback_in(Mode::Write, "tidy", None, &mut ask)),
        "approve" => drop(hub.approve(&hub.pending().unwrap()[0].id, &mut ask)),
        other => panic!("{other}"),
    }
    // Not every action has every step.
    std::process::exit(7);
}

/// Installs many, and says how far it is.
struct Counts;

#[expect(clippy::print_stdout, reason = "it tells the process that started it")]
impl Ask for Counts {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Yes
    }

    fn progress(&mut self, step: Step, done: usize, of: usize) {
        if done == of {
            println!("{step:?}");
        }
    }
}

/// More files than are made durable one by one.
const MANY: usize = 4 * hone_library::SYNCED_EACH + 1;
const ROUNDS: usize = 8;

fn many() -> Shop {
    Shop::new((0..MANY).map(|n| plain(&format!("skill-{n}"), "Do it.")).collect())
}

/// The process that is killed anywhere: a test that does nothing unless it is told to.
#[test]
fn the_process_that_is_killed() {
    let Some(base) = std::env::var_os(BASE) else { return };
    let machine = Machine::at(Path::new(&base));
    let state = machine.state();
    let shop = many();
    let hub = machine.hub(&state, &shop);
    hub.add(&machine.target(), SOURCE, &[], &Manner::default(), &mut Counts).unwrap();
}

/// Kills an installer somewhere after a step: while it writes objects, stages folders, renames them.
fn strike_within(base: &Path, round: usize) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::the_process_that_is_killed", "--nocapture"])
        .env(BASE, base)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let until = format!("{:?}", Step::ALL[4 + round % 4]);
    while lines.next().is_some_and(|line| !line.unwrap().ends_with(&until)) {}
    // A few steps of work that take no fixed time.
    let steps = round * 7_919 % 60 * 40_000;
    std::hint::black_box((0..steps).fold(0_usize, |sum, n| sum.wrapping_mul(31).wrapping_add(n)));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_installer_of_many_that_is_killed_anywhere_leaves_whole_skills_and_the_next_has_all() {
    for round in 0..ROUNDS {
        let (_folder, base) = base();
        strike_within(&base, round);
        let machine = Machine::at(&base);
        let skills = machine.project.join(".agents/skills");
        for name in names(&skills).into_iter().filter(|name| !name.starts_with(".hone-")) {
            let files: Vec<String> = tree(&skills.join(&name)).into_keys().collect();
            assert_eq!(files, ["SKILL.md"], "{name} in round {round}");
        }
        // Whoever reads meanwhile reads a whole lock.
        Lock::read(&machine.target().lock).unwrap();
        let again = machine.add(&many());
        assert!(again.iter().all(|one| one.fate.is_good()), "round {round}: {:?}", fates(&again));
        settled(&machine, &many(), Step::Swap);
        assert_eq!(names(&skills).len(), MANY);
        let log = machine.log();
        let installs = log.iter().filter(|(action, _)| action == "install").count();
        assert_eq!(installs, MANY, "round {round}");
        let state = machine.state();
        for n in [0, MANY - 1] {
            let rows =
                hone_library::history(&state, &machine.skill(&format!("skill-{n}"))).unwrap();
            assert_eq!(rows.len(), 1, "round {round}");
        }
    }
}

/// Lets another process do something and die at a step; false when it came to its end instead.
fn strike(base: &Path, does: &str, step: usize) -> bool {
    strike_behind(&[], base, does, step)
}

/// Lets another process do something and die when it is about to make a system call for the `at`th time.
fn strike_call(base: &Path, does: &str, call: &str, at: usize) -> bool {
    let (trace, inject) =
        (format!("trace=?{call}"), format!("inject=?{call}:signal=KILL:when={at}"));
    let around = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    strike_behind(&around, base, does, Step::ALL.len())
}

/// The same behind a program that runs it.
fn strike_behind(around: &[&str], base: &Path, does: &str, step: usize) -> bool {
    let tests = std::env::current_exe().unwrap();
    let mut words = around.iter().map(OsStr::new).chain([tests.as_os_str()]);
    let status = Command::new(words.next().unwrap())
        .args(words)
        .args(["--exact", "crash::the_process_that_dies", "--nocapture"])
        .env(BASE, base)
        .env(DOES, does)
        .env(DIES, step.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(
        matches!(status.code(), None | Some(7)),
        "{does} at {:?}: {status}",
        Step::ALL.get(step)
    );
    status.code().is_none()
}

fn base() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = std::fs::canonicalize(folder.path()).unwrap();
    (folder, base)
}

/// The lock is whole, the log is whole, the skills are the old or the new ones, and nothing is left over
/// after the next run.
fn settled(machine: &Machine, shop: &Shop, step: Step) {
    let state = machine.state();
    let hub = machine.hub(&state, shop);
    for one in hub.verify(&machine.target(), &[]).unwrap() {
        assert_eq!(one.standing, Standing::Ok, "{} after {step:?}", one.name);
    }
    assert_eq!(machine.quarantined(), Vec::<String>::new(), "{step:?}");
    assert_eq!(state.intents(&machine.target().lock).unwrap(), Vec::<String>::new(), "{step:?}");
    let left: Vec<String> = tree(&machine.project)
        .into_keys()
        .filter(|path| path.split('/').any(|part| part.starts_with(".hone-")))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "{step:?}");
    assert_eq!(loose_objects(machine), BTreeSet::new(), "{step:?}");
}

#[test]
fn an_add_that_is_killed_at_any_step_is_done_by_the_next() {
    for step in 0..Step::ALL.len() {
        let (_folder, base) = base();
        assert!(strike(&base, "add", step), "{:?}", Step::ALL[step]);
        let machine = Machine::at(&base);
        let skills = names(&machine.project.join(".agents/skills"));
        let is_swapped = step >= 6;
        let expected: &[&str] = if is_swapped { &["pack", "tidy"] } else { &[] };
        assert_eq!(skills, expected, "{:?}", Step::ALL[step]);
        let again = machine.add(&shop("add"));
        let word = if is_swapped { "unchanged" } else { "installed" };
        assert_eq!(fates(&again), [("tidy", word), ("pack", word)], "{:?}", Step::ALL[step]);
        settled(&machine, &shop("add"), Step::ALL[step]);
        // Each was installed once, whoever wrote it down.
        let log = machine.log();
        let installs = log.iter().filter(|(action, _)| action == "install").count();
        assert_eq!(installs, 2, "{:?}: {log:?}", Step::ALL[step]);
    }
}

#[test]
fn an_update_after_a_death_knows_what_the_dead_had_installed() {
    let (_folder, base) = base();
    assert!(strike(&base, "add", 6), "dies with the files in place");
    let (machine, shop) = (Machine::at(&base), shop("add"));
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let updated = hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(fates(&updated), [("pack", "unchanged"), ("tidy", "unchanged")]);
    settled(&machine, &shop, Step::Swap);
}

/// Puts a folder in the way of the lock file when the skills are in place.
struct InTheWay(PathBuf);

impl Ask for InTheWay {
    fn ask(&mut self, _: &Question<'_>) -> Answer {
        Answer::Yes
    }

    fn progress(&mut self, step: Step, _: usize, _: usize) {
        if step == Step::Swap {
            std::fs::create_dir_all(self.0.join("full")).unwrap();
        }
    }
}

#[test]
fn a_lock_that_cannot_be_written_is_said_and_written_by_the_next() {
    let (machine, shop) = (Machine::new(), shop("add"));
    let state = machine.state();
    let (hub, target) = (machine.hub(&state, &shop), machine.target());
    let mut ask = InTheWay(target.lock.clone());
    let error = hub.add(&target, SOURCE, &[], &Manner::default(), &mut ask).unwrap_err();
    let said = error.to_string();
    assert!(said.ends_with("the skills are in place and not written down yet"), "{said}");
    std::fs::remove_dir_all(&target.lock).unwrap();
    let updated = hub.update(&target, &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(fates(&updated), [("pack", "unchanged"), ("tidy", "unchanged")]);
    settled(&machine, &shop, Step::Lock);
}

#[test]
fn an_update_that_is_killed_at_any_step_leaves_the_old_or_the_new_version() {
    for step in 0..Step::ALL.len() {
        let (_folder, base) = base();
        let machine = Machine::at(&base);
        machine.add(&shop("add"));
        let lock = machine.lock();
        assert!(strike(&base, "update", step), "{:?}", Step::ALL[step]);
        let is_new = machine.read("tidy/SKILL.md").contains("Two.");
        assert_eq!(is_new, step >= 6, "{:?}", Step::ALL[step]);
        // Until the next run the lock is whole, the old or the new one.
        let is_locked = machine.lock() != lock;
        assert_eq!(is_locked, step >= 7, "{:?}", Step::ALL[step]);
        let state = machine.state();
        let shop = shop("update");
        let hub = machine.hub(&state, &shop);
        hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
        assert!(machine.read("tidy/SKILL.md").contains("Two."));
        settled(&machine, &shop, Step::ALL[step]);
        let log = machine.log();
        let updates = log.iter().filter(|(action, _)| action == "update").count();
        assert_eq!(updates, 2, "{:?}: {log:?}", Step::ALL[step]);
    }
}

#[test]
fn a_removal_that_is_killed_at_any_step_is_finished_or_did_not_happen() {
    for step in 0..Step::ALL.len() {
        let (_folder, base) = base();
        let machine = Machine::at(&base);
        machine.add(&shop("add"));
        if !strike(&base, "remove", step) {
            continue;
        }
        let is_gone = names(&machine.project.join(".agents/skills")).is_empty();
        assert_eq!(is_gone, step >= 6, "{:?}", Step::ALL[step]);
        // Any later action settles it.
        let state = machine.state();
        let shop = shop("add");
        let hub = machine.hub(&state, &shop);
        hub.remove(&machine.target(), &[], Edits::Keep, &mut Nobody).unwrap();
        assert!(!machine.lock().contains("[[skill]]"));
        settled(&machine, &shop, Step::ALL[step]);
        let removals = machine.log().iter().filter(|(action, _)| action == "remove").count();
        assert_eq!(removals, 2, "{:?}", Step::ALL[step]);
    }
}

#[test]
fn a_restore_that_is_killed_at_any_step_is_done_by_the_next_and_the_lock_stays() {
    let first = Machine::new();
    first.add(&shop("add"));
    for step in 0..Step::ALL.len() {
        let (_folder, base) = base();
        let machine = Machine::at(&base);
        std::fs::write(machine.project.join("hone.lock"), first.lock()).unwrap();
        assert!(strike(&base, "install", step), "{:?}", Step::ALL[step]);
        assert_eq!(machine.lock(), first.lock());
        let (state, shop) = (machine.state(), shop("add"));
        let hub = machine.hub(&state, &shop);
        let restored = hub.install(&machine.target(), &Manner::default(), &mut Nobody).unwrap();
        assert!(restored.is_true(), "{:?}", Step::ALL[step]);
        assert_eq!(tree(&machine.project), tree(&first.project));
        // Nothing was left to do after the swap, so the books are closed by the next that writes.
        machine.add(&shop);
        settled(&machine, &shop, Step::ALL[step]);
    }
}

/// A machine with the second version of everything.
fn updated(base: &Path) -> Machine {
    let machine = Machine::at(base);
    machine.add(&shop("add"));
    let (state, shop) = (machine.state(), shop("update"));
    machine
        .hub(&state, &shop)
        .update(&machine.target(), &[], &Manner::default(), &mut Nobody)
        .unwrap();
    drop(state);
    machine
}

/// After a rollback that was killed, files and lock are of one version once anybody worked there.
fn rolled_back_or_not(machine: &Machine, when: &str) -> bool {
    let is_old = machine.read("tidy/SKILL.md").contains("One.");
    let (state, shop) = (machine.state(), shop("rollback"));
    let hub = machine.hub(&state, &shop);
    let restored = hub.install(&machine.target(), &Manner::default(), &mut Nobody).unwrap();
    assert!(restored.is_true(), "{when}: {:?}", fates(&restored.outcomes));
    assert_eq!(machine.read("tidy/SKILL.md").contains("One."), is_old, "{when}");
    settled(machine, &shop, Step::Swap);
    let rows = machine.log().iter().filter(|(action, _)| action == "rollback").count();
    assert_eq!(rows, usize::from(is_old), "{when}");
    is_old
}

#[test]
fn a_rollback_that_is_killed_at_any_step_is_finished_or_did_not_happen() {
    for step in 5..Step::ALL.len() {
        let (_folder, base) = base();
        let machine = updated(&base);
        assert!(strike(&base, "rollback", step), "{:?}", Step::ALL[step]);
        let is_old = rolled_back_or_not(&machine, &format!("{:?}", Step::ALL[step]));
        assert_eq!(is_old, step >= 6, "{:?}", Step::ALL[step]);
    }
}

#[test]
fn a_rollback_that_is_killed_before_any_rename_is_finished_or_did_not_happen() {
    let mut seen = BTreeSet::new();
    for call in ["rename", "renameat", "renameat2"] {
        for at in 1.. {
            let (_folder, base) = base();
            let machine = updated(&base);
            if !strike_call(&base, "rollback", call, at) {
                break;
            }
            seen.insert(rolled_back_or_not(&machine, &format!("{call} {at}")));
        }
    }
    // Before the files were swapped, and after it.
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn an_approval_that_is_killed_at_any_step_is_done_by_the_next() {
    for step in 1..Step::ALL.len() {
        let (_folder, base) = base();
        let machine = Machine::at(&base);
        machine.add(&shop("add"));
        let (state, shop) = (machine.state(), shop("approve"));
        let hub = machine.hub(&state, &shop);
        hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
        let id = hub.pending().unwrap().remove(0).id;
        assert!(strike(&base, "approve", step), "{:?}", Step::ALL[step]);
        assert_eq!(
            machine.skill("pack").join("run.sh").exists(),
            step >= 6,
            "{:?}",
            Step::ALL[step]
        );
        // Whoever still waits is approved once more.
        if step < Step::ALL.len() - 1 {
            assert!(hub.approve(&id, &mut Nobody).unwrap().fate.is_good(), "{:?}", Step::ALL[step]);
        }
        machine.add(&shop);
        assert_eq!(hub.pending().unwrap(), Vec::new(), "{:?}", Step::ALL[step]);
        settled(&machine, &shop, Step::ALL[step]);
        let approvals = machine.log().iter().filter(|(action, _)| action == "approve").count();
        assert_eq!(approvals, 1, "{:?}", Step::ALL[step]);
    }
}
