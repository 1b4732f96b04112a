//! Seeds: copied once, updated only where nobody changed anything.

use std::path::PathBuf;

use hone_agent::brain::{Brain, Editor, Kept, New, Owner, Updated};
use hone_library::{Author, State, history};

use crate::shelf::{NOW, Shelf};

struct Seeded {
    shelf: Shelf,
    seed: PathBuf,
    brain: Brain,
}

const SKILL: &str = "---\nname: oracle\ndescription: Checks oracles.\n---\nFirst.\n";

impl Seeded {
    fn new() -> Self {
        let shelf = Shelf::new();
        let seed = shelf.home.join("seed");
        let write = |path: &str, text: &str| {
            let path = seed.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("system.md", "You audit.\n");
        write("MEMORY.md", "# Memory\n- a: 1\n");
        write("agent.toml", "[limits]\nturns = 5\n");
        write("skills/oracle/SKILL.md", SKILL);
        write("skills/flat.md", "---\nname: flat\ndescription: One file.\n---\nFlat.\n");
        write("patterns/reentrancy.md", "call before effect\n");
        write("README.md", "no part of a brain\n");
        let new = New { seed: Some(seed.clone()), ..New::default() };
        let brain = Brain::create(&shelf.home, "ada", &new).unwrap();
        Self { shelf, seed, brain }
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.seed.join(path), text).unwrap();
    }

    fn update(&self) -> Updated {
        let author = Author { actor: "me".to_owned(), reason: "seed".to_owned(), now: NOW };
        let update = |state: &State| self.brain.update(&self.seed, state, author);
        let elsewhere = || -> &State { unreachable!("a brain is a brain") };
        let editor =
            Editor { hone_home: &self.shelf.home, what: "update", now: NOW, tell: &|_: &Owner| {} };
        editor.edit(&self.brain.folder, elsewhere, update).unwrap()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.brain.member(path)).unwrap()
    }
}

fn kept(file: &str, why: &str) -> Kept {
    Kept { file: file.to_owned(), why: why.to_owned() }
}

#[test]
fn a_seed_is_copied_and_an_update_without_news_does_nothing() {
    let seeded = Seeded::new();
    assert_eq!(seeded.brain.system().unwrap(), "You audit.\n");
    assert_eq!(seeded.brain.settings().unwrap().limits.turns, Some(5));
    assert_eq!(seeded.shelf.skills(&seeded.brain), ["flat", "oracle"]);
    assert!(!seeded.brain.member("README.md").exists());
    assert_eq!(seeded.update(), Updated::default());
}

#[test]
fn an_update_touches_what_nobody_changed_and_keeps_the_rest() {
    let seeded = Seeded::new();
    std::fs::write(seeded.brain.member("MEMORY.md"), "# Memory\n- a: mine\n").unwrap();
    std::fs::remove_file(seeded.brain.member("patterns/reentrancy.md")).unwrap();
    std::fs::write(seeded.brain.member("patterns/own.md"), "mine\n").unwrap();
    seeded.write("system.md", "You audit twice.\n");
    seeded.write("MEMORY.md", "# Memory\n- a: 2\n");
    seeded.write("patterns/reentrancy.md", "new\n");
    seeded.write("patterns/own.md", "theirs\n");
    seeded.write("patterns/new.md", "new\n");
    seeded.write("skills/oracle/SKILL.md", &SKILL.replace("First", "Second"));
    std::fs::remove_file(seeded.seed.join("skills/flat.md")).unwrap();
    let updated = seeded.update();
    assert_eq!(
        updated,
        Updated {
            added: vec!["patterns/new.md".to_owned()],
            updated: vec!["skills/oracle/SKILL.md".to_owned(), "system.md".to_owned()],
            kept: vec![
                kept("MEMORY.md", "it was changed here"),
                kept("patterns/own.md", "it was here before the seed had it"),
                kept("patterns/reentrancy.md", "it was removed here"),
                kept("skills/flat.md", "the seed has it no longer; it is yours now"),
            ],
        }
    );
    assert_eq!(seeded.read("MEMORY.md"), "# Memory\n- a: mine\n");
    assert_eq!(seeded.read("patterns/own.md"), "mine\n");
    assert_eq!(seeded.read("system.md"), "You audit twice.\n");
    assert!(seeded.read("skills/oracle/SKILL.md").ends_with("Second.\n"));
    assert!(!seeded.brain.member("patterns/reentrancy.md").exists());
    // A skill that an update changed can be brought back.
    let key = std::fs::canonicalize(seeded.brain.member("skills/oracle")).unwrap();
    let history = history(&seeded.shelf.state.lock().unwrap(), &key).unwrap();
    let actors: Vec<&str> = history.iter().map(|revision| revision.actor.as_str()).collect();
    assert_eq!(actors, ["", "me"]);
    // What was kept is kept again, what was updated is no news.
    let again = seeded.update();
    assert_eq!((again.added, again.updated), (vec![], vec![]));
    assert_eq!(again.kept.len(), 3);
}

#[test]
fn a_file_that_became_what_the_seed_has_follows_it_again() {
    let seeded = Seeded::new();
    seeded.write("system.md", "You audit twice.\n");
    std::fs::write(seeded.brain.member("system.md"), "You audit twice.\n").unwrap();
    assert_eq!(seeded.update(), Updated::default());
    seeded.write("system.md", "You audit thrice.\n");
    assert_eq!(seeded.update().updated, ["system.md"]);
}
