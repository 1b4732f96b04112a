//! Writers that race and writers that are killed: nothing is lost, nothing is half written.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hone_library::{
    Author, Catalogue, Config, Listed, Mode, Revision, Root, Search, State, Store, Surroundings, files_at,
    history,
};
use tempfile::TempDir;

const WRITERS: usize = 8;
const EDITS_EACH: usize = 200;
const KILLS: usize = 60;

struct Library {
    _folder: TempDir,
    home: PathBuf,
    root: PathBuf,
}

impl Library {
    fn with(name: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (home, root) = (folder.path().join("home"), folder.path().join("skills"));
        std::fs::create_dir(&root).unwrap();
        let library = Self { _folder: folder, home, root };
        library.store(&library.state()).create(&library.root, None, name, text, &[]).unwrap();
        library
    }

    fn state(&self) -> State {
        State::open(&self.home)
    }

    fn store<'s>(&self, state: &'s State) -> Store<'s> {
        let author = Author { actor: "test".to_owned(), reason: String::new(), now: 1 };
        Store::new(state, author, Mode::Write)
    }

    fn skill(&self, state: &State, name: &str) -> Listed {
        let around = Surroundings {
            cwd: self.root.clone(),
            user_home: self.home.clone(),
            hone_home: self.home.clone(),
            platform: "linux".to_owned(),
            moved: BTreeMap::new(),
        };
        let roots = vec![Root::explicit(&self.root, &self.root).unwrap()];
        let catalogue = Catalogue::find(Search::only(roots, &around, &Config::default()), state);
        catalogue.resolve(name, &self.root).unwrap().clone()
    }

    fn history(&self, state: &State, name: &str) -> Vec<Revision> {
        history(state, &std::fs::canonicalize(self.root.join(name)).unwrap()).unwrap()
    }

    fn writer(&self, name: &str, arguments: &[&str]) -> Child {
        let mut command = Command::new(example("writer"));
        command.arg(&self.home).arg(&self.root).arg(name).args(arguments);
        command.stdout(Stdio::piped()).spawn().unwrap()
    }
}

/// An example program of this crate. `cargo test` builds it, `cargo test --test writers` does not.
fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.is_file(), "build it first: cargo build -p hone-library --example {name}");
    program
}

#[test]
fn eight_writers_with_200_edits_each_lose_none() {
    let library = Library::with("count", "Counts.\n\ncounter 0\n");
    let count = EDITS_EACH.to_string();
    let writers: Vec<Child> = (0..WRITERS).map(|_| library.writer("count", &["append", &count])).collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), EDITS_EACH);
    }
    let text = std::fs::read_to_string(library.root.join("count/SKILL.md")).unwrap();
    assert_eq!(text.lines().last(), Some("counter 1600"));
    let history = library.history(&library.state(), "count");
    let numbers: Vec<u64> = history.iter().map(|revision| revision.revision).collect();
    assert_eq!(numbers, (1..=1_601).collect::<Vec<u64>>());
}

#[test]
fn a_killed_writer_leaves_the_old_or_the_new_text_and_a_ledger_that_agrees() {
    let library = Library::with("swap", "Start.\n");
    let path = library.root.join("swap/SKILL.md");
    for kill in 0..KILLS {
        let mut writer = library.writer("swap", &["swap"]);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        // Let it write a few times, a different number in each round, and strike in the middle.
        for _ in 0..=kill % 4 {
            lines.next().unwrap().unwrap();
        }
        let spins = kill * 40_000;
        std::hint::black_box((0..spins).fold(0_usize, |sum, n| sum.wrapping_mul(31).wrapping_add(n)));
        writer.kill().unwrap();
        writer.wait().unwrap();

        let text = std::fs::read_to_string(&path).unwrap();
        let body: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(body.len(), 4_000, "half a text after kill {kill}");
        assert!(body.iter().all(|line| line == &body[0]), "a mixture after kill {kill}");

        // The next writer settles what the dead one left.
        let state = library.state();
        let skill = library.skill(&state, "swap");
        let mended = format!("---\nname: swap\ndescription: A skill that is swapped\n---\n{}", format!("kill {kill}\n").repeat(4_000));
        library.store(&state).edit(&skill, &mended).unwrap();
        let history = library.history(&state, "swap");
        let numbers: Vec<u64> = history.iter().map(|revision| revision.revision).collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<u64>>());
        let newest = files_at(&state, &history, numbers.len() as u64).unwrap();
        assert_eq!(newest["SKILL.md"], mended.as_bytes());
        let before = files_at(&state, &history, numbers.len() as u64 - 1).unwrap();
        assert_eq!(before["SKILL.md"], text.as_bytes(), "the ledger disagrees after kill {kill}");
        let leftovers: Vec<_> = [library.root.clone(), library.root.join("swap")]
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten())
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| name.starts_with(".hone-"))
            .collect();
        assert_eq!(leftovers, Vec::<String>::new());
    }
}
