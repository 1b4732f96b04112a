//! The whole way from real sources: a git repository, a folder inside the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use hone_hub::{Fetcher, Freshness, Lock, Manner, Nobody, Outcome};

use crate::shop::{Machine, fates, names, tree};

/// A git repository whose skills a test can change.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn publish(&self, name: &str, body: &str) -> String {
        write_skill(&self.folder.path().join("skills").join(name), name, body);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn url(&self) -> String {
        let folder = std::fs::canonicalize(self.folder.path()).unwrap();
        format!("file://{}/.git", folder.display())
    }
}

fn write_skill(folder: &Path, name: &str, body: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: Does {name}.\n---\n{body}\n");
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
}

fn fetcher(folder: &Path) -> Fetcher {
    Fetcher::new(folder, |_| {}).unwrap()
}

fn add(machine: &Machine, source: &str) -> Vec<Outcome> {
    let state = machine.state();
    let fetcher = fetcher(&machine.project);
    machine
        .hub(&state, &fetcher)
        .add(&machine.target(), source, &[], &Manner::default(), &mut Nobody)
        .unwrap()
}

#[test]
fn a_repository_is_added_updated_and_restored_as_it_was() {
    let (machine, repository) = (Machine::new(), Repository::new());
    repository.publish("greet", "Say hello.");
    let first = repository.publish("tidy", "Tidy up.");
    assert_eq!(
        fates(&add(&machine, &repository.url())),
        [("greet", "installed"), ("tidy", "installed")]
    );
    let (old, old_lock) = (tree(&machine.project), machine.lock());
    assert!(old_lock.contains(&format!("commit = \"{first}\"")));

    let second = repository.publish("tidy", "Tidy up well.");
    let state = machine.state();
    let fetcher = fetcher(&machine.project);
    let hub = machine.hub(&state, &fetcher);
    let answers = hub.outdated(&machine.target(), &[]).unwrap();
    let answers: Vec<(&str, &Freshness)> =
        answers.iter().map(|one| (one.name.as_str(), &one.freshness)).collect();
    assert_eq!(answers, [("greet", &Freshness::Current), ("tidy", &Freshness::Outdated)]);
    let updated = hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(fates(&updated), [("greet", "unchanged"), ("tidy", "updated")]);
    assert!(machine.lock().contains(&second) && !machine.lock().contains(&first));

    let other = Machine::new();
    std::fs::write(other.project.join("hone.lock"), &old_lock).unwrap();
    let state = other.state();
    let hub = other.hub(&state, &fetcher);
    let restored = hub.install(&other.target(), &Manner::default(), &mut Nobody).unwrap();
    assert!(restored.is_true(), "{restored:?}");
    assert_eq!(tree(&other.project), old);
}

#[test]
fn one_skill_of_a_repository_is_the_same_skill_when_all_are_added() {
    let (machine, repository) = (Machine::new(), Repository::new());
    repository.publish("greet", "Say hello.");
    repository.publish("tidy", "Tidy up.");
    let url = repository.url();
    assert_eq!(fates(&add(&machine, &format!("{url}#@tidy"))), [("tidy", "installed")]);
    let lock = Lock::read(&machine.target().lock).unwrap();
    assert_eq!(lock.skills()[0].path, "skills/tidy");
    assert_eq!(lock.skills()[0].source, url);
    assert_eq!(fates(&add(&machine, &url)), [("greet", "installed"), ("tidy", "unchanged")]);
}

#[test]
fn a_folder_of_the_project_is_a_source_that_moves_with_it() {
    let machine = Machine::new();
    write_skill(&machine.project.join("vendor/tidy"), "tidy", "Tidy up.");
    assert_eq!(fates(&add(&machine, "./vendor")), [("tidy", "installed")]);
    let lock = machine.lock();
    assert!(lock.contains("source = \"./vendor\""), "{lock}");

    let other = Machine::new();
    write_skill(&other.project.join("vendor/tidy"), "tidy", "Tidy up.");
    std::fs::write(other.project.join("hone.lock"), &lock).unwrap();
    let state = other.state();
    // From whatever folder it is asked.
    let elsewhere: PathBuf = std::env::temp_dir();
    let fetcher = fetcher(&elsewhere);
    let hub = other.hub(&state, &fetcher);
    assert!(hub.install(&other.target(), &Manner::default(), &mut Nobody).unwrap().is_true());
    assert_eq!(names(&other.project.join(".agents/skills")), ["tidy"]);
    write_skill(&other.project.join("vendor/tidy"), "tidy", "Tidy up well.");
    let updated = hub.update(&other.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(fates(&updated), [("tidy", "updated")]);
    assert!(other.lock().contains("source = \"./vendor\""));
}
