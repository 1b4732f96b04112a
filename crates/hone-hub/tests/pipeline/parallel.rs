//! Two processes at once: both are done, and nothing is torn.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use hone_hub::{Lock, Manner, Nobody, Standing};

use crate::shop::{Machine, SOURCE, Shop, names, plain};

const BASE: &str = "HONE_TEST_PARALLEL_BASE";
const WHO: &str = "HONE_TEST_PARALLEL_WHO";

const INSTALLERS: usize = 4;
const SKILLS_EACH: usize = 5;

fn shop(who: &str) -> Shop {
    let skill = |n| plain(&format!("{who}-{n}"), "Do it.");
    Shop::new((0..SKILLS_EACH).map(skill).chain([plain("shared", "Of all.")]).collect())
}

/// One of several installers: a test that does nothing unless it is told to.
#[test]
fn one_installer() {
    let Some(base) = std::env::var_os(BASE) else { return };
    let who = std::env::var(WHO).unwrap();
    let machine = Machine::at(Path::new(&base));
    let state = machine.state();
    let shop = shop(&who);
    let hub = machine.hub(&state, &shop);
    for _ in 0..3 {
        let outcomes =
            hub.add(&machine.target(), SOURCE, &[], &Manner::default(), &mut Nobody).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.fate.is_good()), "{outcomes:?}");
        // Whoever reads meanwhile reads a whole lock.
        Lock::read(&machine.target().lock).unwrap();
    }
}

fn installer(base: &Path, who: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "parallel::one_installer", "--nocapture"])
        .env(BASE, base)
        .env(WHO, format!("w{who}"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn several_installers_at_once_are_all_done_and_the_lock_has_all_skills() {
    let folder = tempfile::tempdir().unwrap();
    let base = std::fs::canonicalize(folder.path()).unwrap();
    let machine = Machine::at(&base);
    let installers: Vec<Child> = (0..INSTALLERS).map(|who| installer(&base, who)).collect();
    for installer in installers {
        assert!(installer.wait_with_output().unwrap().status.success());
    }
    let skills = names(&machine.project.join(".agents/skills"));
    assert_eq!(skills.len(), INSTALLERS * SKILLS_EACH + 1);
    let lock = Lock::read(&machine.target().lock).unwrap();
    assert_eq!(lock.skills().len(), skills.len());
    let state = machine.state();
    let shop = shop("w0");
    let verified = machine.hub(&state, &shop).verify(&machine.target(), &[]).unwrap();
    assert!(verified.iter().all(|one| one.standing == Standing::Ok));
    assert_eq!(machine.quarantined(), Vec::<String>::new());
    let installs = machine.log().iter().filter(|(action, _)| action == "install").count();
    assert_eq!(installs, skills.len());
}
