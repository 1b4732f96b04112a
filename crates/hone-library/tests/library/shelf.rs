//! A library in a temporary folder.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use hone_library::{
    Author, Catalogue, Config, Listed, Mode, Revision, Root, Search, State, Store, Surroundings,
    history,
};
use tempfile::TempDir;

/// A root with skills, and the state that belongs to it.
pub(crate) struct Shelf {
    folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    /// A shelf in memory, where making things durable costs nothing: for thousands of writes.
    pub(crate) fn in_memory() -> Self {
        Self::at(tempfile::tempdir_in("/dev/shm").unwrap())
    }

    fn at(folder: TempDir) -> Self {
        // A program that runs as somebody else must get in.
        chmod(folder.path(), 0o755);
        let base = std::fs::canonicalize(folder.path()).unwrap();
        let (root, home) = (base.join("skills"), base.join("hone"));
        std::fs::create_dir(&root).unwrap();
        Self { folder, root, home }
    }

    /// The folder around root and state.
    pub(crate) fn base(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    /// Writes a file below the root, with the folders that it needs.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes a skill as `folder/SKILL.md`, named after its folder.
    pub(crate) fn skill(&self, folder: &str) -> PathBuf {
        self.write(&format!("{folder}/SKILL.md"), skill_text(folder.rsplit('/').next().unwrap()))
    }

    pub(crate) fn state(&self) -> State {
        let state = State::open(&self.home);
        // A new one is made when it is needed; asking for problems needs it.
        let _ = state.problem();
        state
    }

    pub(crate) fn around(&self) -> Surroundings {
        Surroundings {
            cwd: self.root.clone(),
            user_home: self.base(),
            hone_home: self.home.clone(),
            platform: "linux".to_owned(),
            moved: BTreeMap::new(),
        }
    }

    /// What is found below the root.
    pub(crate) fn catalogue(&self, state: &State) -> Catalogue {
        self.catalogue_of(&[&self.root], state)
    }

    /// What is found below some roots.
    pub(crate) fn catalogue_of(&self, roots: &[&Path], state: &State) -> Catalogue {
        let roots = roots.iter().map(|root| Root::explicit(root, &self.root).unwrap()).collect();
        Catalogue::find(Search::only(roots, &self.around(), &Config::default()), state)
    }

    pub(crate) fn listed(&self, state: &State, name: &str) -> Listed {
        self.catalogue(state).resolve(name, &self.root).unwrap().clone()
    }

    /// The paths of the skills that are found, below the root.
    pub(crate) fn found(&self) -> Vec<String> {
        self.paths(&self.catalogue(&self.state()))
    }

    /// The paths of the offered skills, below the root.
    pub(crate) fn paths(&self, catalogue: &Catalogue) -> Vec<String> {
        let mut paths: Vec<String> =
            catalogue.skills.iter().map(|skill| self.below(&skill.path)).collect();
        paths.sort();
        paths
    }

    /// What was skipped: path below the root, reason, message.
    pub(crate) fn skipped(&self, catalogue: &Catalogue) -> Vec<(String, &'static str, String)> {
        let skipped = catalogue.skipped.iter();
        skipped.map(|s| (self.below(&s.path), s.reason.id(), self.shown(&s.message))).collect()
    }

    pub(crate) fn below(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.to_string_lossy().into_owned()
    }

    /// A message with this library's folders replaced by `ROOT` and `BASE`.
    pub(crate) fn shown(&self, message: &str) -> String {
        let root = self.root.to_string_lossy();
        message.replace(&*root, "ROOT").replace(&*self.base().to_string_lossy(), "BASE")
    }

    pub(crate) fn history(&self, state: &State, folder: &str) -> Vec<Revision> {
        history(state, &self.root.join(folder)).unwrap()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }
}

pub(crate) fn store(state: &State) -> Store<'_> {
    Store::new(state, author(), Mode::Write)
}

pub(crate) fn dry(state: &State) -> Store<'_> {
    Store::new(state, author(), Mode::DryRun)
}

fn author() -> Author {
    Author { actor: "tester".to_owned(), reason: "a test".to_owned(), now: 1_000 }
}

pub(crate) fn skill_text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}\n---\nDo {name}.\n")
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn link(target: impl AsRef<Path>, path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, path).unwrap();
}

/// Every file, folder and link below a folder: its mode, and its bytes or target.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    fn walk(folder: &Path, prefix: &str, tree: &mut BTreeMap<String, (u32, Vec<u8>)>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let entry = entry.unwrap();
            let path = entry.path();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                tree.insert(format!("{name}/"), (mode(&path), Vec::new()));
                walk(&path, &format!("{name}/"), tree);
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                tree.insert(name, (0, target.into_os_string().into_encoded_bytes()));
            } else if name.contains("state.db") {
                // Closing a second handle on it would take SQLite's locks away.
                tree.insert(name, (mode(&path), Vec::new()));
            } else {
                tree.insert(name, (mode(&path), std::fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}

/// How many rows each table of a state has.
pub(crate) fn row_counts(home: &Path) -> HashMap<String, i64> {
    let db = rusqlite::Connection::open(home.join("state.db")).unwrap();
    let tables =
        ["folder", "meta", "ledger", "trust", "pin", "usage", "dismissal", "memo", "report"];
    // A state that only knows an index has no other table yet.
    let is_there = |table: &str| {
        let known = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
        db.prepare(known).unwrap().exists([table]).unwrap()
    };
    let count = |table: &str| {
        let query = format!("SELECT count(*) FROM {table}");
        if is_there(table) { db.query_row(&query, [], |row| row.get(0)).unwrap() } else { 0 }
    };
    tables.iter().map(|table| ((*table).to_owned(), count(table))).collect()
}

/// An example program of this crate. `cargo test` builds it, `cargo test --test library` does not.
pub(crate) fn example(name: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.is_file(), "build it first: cargo build -p hone-library --example {name}");
    Command::new(program)
}

/// Waits until the clock that stamps files has moved past every file below a folder: what is read
/// from then on is known to be settled. Ticks are a few milliseconds.
pub(crate) fn next_tick() {
    let clock = || rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let start = clock();
    while (clock().tv_sec, clock().tv_nsec) == (start.tv_sec, start.tv_nsec) {
        std::hint::spin_loop();
    }
}

/// The standard output of a program that must end well.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}
