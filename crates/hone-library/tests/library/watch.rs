//! A watched catalogue: whatever changed before a question is in the answer.

use std::fs;
use std::path::Path;

use hone_library::{Catalogue, Config, Listed, Root, Scope, Search, State, Watch};
use proptest::prelude::*;

use crate::shelf::{Shelf, chmod, link, skill_text};

/// A shelf whose catalogue is watched.
struct Watched {
    shelf: Shelf,
    search: Search,
    state: State,
    watch: Watch,
    last: Option<Catalogue>,
}

impl Watched {
    fn new() -> Self {
        let shelf = Shelf::new();
        shelf.skill("one");
        shelf.skill("pack/two");
        shelf.write("one/scripts/run.sh", "echo\n");
        let (state, around) = (shelf.state(), shelf.around());
        let root = Root::explicit(&shelf.root, &around.cwd).unwrap();
        let search = Search::only(vec![root], &around, &Config::default());
        let mut watched = Self { shelf, search, state, watch: Watch::new(), last: None };
        watched.look();
        assert!(!watched.watch.is_blind());
        watched
    }

    fn look(&mut self) -> Vec<Listed> {
        let found = self.watch.find(&|| self.search.clone(), &self.state, self.last.as_ref());
        unmarked(&self.last.insert(found).skills)
    }

    /// What somebody finds who does not watch.
    fn anew(&self) -> Vec<Listed> {
        unmarked(&Catalogue::find(self.search.clone(), &self.state).skills)
    }

    fn is_stale(&mut self) -> bool {
        self.watch.is_stale(&self.state)
    }

    /// Whether a change is noticed, the answer after it is that of somebody who looks anew, and nothing
    /// is noticed after that.
    fn notices(&mut self, what: &str, change: impl FnOnce(&Path)) {
        assert!(!self.is_stale(), "before: {what}");
        change(&self.shelf.root.clone());
        assert!(self.is_stale(), "{what}");
        assert_eq!(self.look(), self.anew(), "{what}");
        assert!(!self.is_stale(), "after: {what}");
    }

    fn ignores(&mut self, what: &str, change: impl FnOnce(&Path)) {
        change(&self.shelf.root.clone());
        assert!(!self.is_stale(), "{what}");
    }
}

/// The skills without their marks: a file that was too young for one a moment ago may have one now.
fn unmarked(skills: &[Listed]) -> Vec<Listed> {
    skills.iter().map(|skill| Listed { mark: None, ..skill.clone() }).collect()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn every_change_of_a_skill_is_noticed_before_the_next_answer() {
    let mut watched = Watched::new();
    watched.notices("a new skill", |root| put(&root.join("new/SKILL.md"), &skill_text("new")));
    watched.notices("a new skill deep in new folders", |root| {
        put(&root.join("a/b/c/SKILL.md"), &skill_text("c"));
    });
    watched.notices("an edit in place", |root| {
        put(&root.join("one/SKILL.md"), &skill_text("one").replace("one", "uno"));
    });
    watched.notices("an edit by rename", |root| {
        put(&root.join("other"), &skill_text("one"));
        fs::rename(root.join("other"), root.join("one/SKILL.md")).unwrap();
    });
    watched.notices("a policy beside a skill", |root| {
        put(&root.join("one/agents/openai.yaml"), "policy:\n  allow_implicit_invocation: true\n");
    });
    watched.notices("another policy", |root| {
        put(&root.join("one/agents/openai.yaml"), "policy:\n  allow_implicit_invocation: false\n");
    });
    watched.notices("a single file", |root| put(&root.join("flat.md"), &skill_text("flat")));
    watched.notices("a skill that moves", |root| {
        fs::rename(root.join("pack/two"), root.join("pack/three")).unwrap();
    });
    watched.notices("a skill that goes", |root| fs::remove_dir_all(root.join("new")).unwrap());
    watched.notices("a root that is closed", |root| chmod(root, 0o000));
    watched.notices("and opened", |root| chmod(root, 0o755));
    watched.notices("a root that moves away", |root| {
        fs::rename(root, root.with_file_name("away")).unwrap();
    });
    watched.notices("and comes back", |root| {
        fs::rename(root.with_file_name("away"), root).unwrap();
    });
    watched.notices("a skill in a folder that is there for long", |root| {
        put(&root.join("pack/four/SKILL.md"), &skill_text("four"));
    });
}

#[test]
fn what_lies_behind_links_is_watched_where_it_is() {
    let mut watched = Watched::new();
    let away = watched.shelf.base().join("elsewhere");
    put(&away.join("store/far/SKILL.md"), &skill_text("far"));
    put(&away.join("file.md"), &skill_text("lone").replace("Use", "Say"));
    link(away.join("store"), &away.join("hop"));
    watched.notices("a link to a folder, over a link", |root| {
        link(away.join("hop/far"), &root.join("far"));
    });
    watched.notices("a change behind it", |_| {
        put(&away.join("store/far/SKILL.md"), &skill_text("far").replace("far", "near"));
    });
    watched.notices("the link on the way leads elsewhere", |_| {
        put(&away.join("second/far/SKILL.md"), &skill_text("second"));
        fs::remove_file(away.join("hop")).unwrap();
        link(away.join("second"), &away.join("hop"));
    });
    watched.notices("a skill file that is a link", |root| {
        fs::create_dir(root.join("lone")).unwrap();
        link(away.join("file.md"), &root.join("lone/SKILL.md"));
    });
    watched.notices("its target changes", |_| put(&away.join("file.md"), &skill_text("lone")));
    watched.notices("its target goes", |_| fs::remove_file(away.join("file.md")).unwrap());
    watched.notices("its target comes back", |_| put(&away.join("file.md"), &skill_text("lone")));
    watched.notices("a link that leads nowhere", |root| {
        link(away.join("later"), &root.join("later"));
    });
    watched
        .notices("its target comes", |_| put(&away.join("later/SKILL.md"), &skill_text("later")));
}

#[test]
fn what_no_catalogue_says_is_not_noticed() {
    let mut watched = Watched::new();
    watched.ignores("a supporting file", |root| put(&root.join("one/scripts/run.sh"), "echo 2\n"));
    watched.ignores("a reading", |root| drop(fs::read(root.join("one/SKILL.md")).unwrap()));
    watched.ignores("our own unfinished work", |root| {
        put(&root.join(".hone-stage/SKILL.md"), &skill_text("x"));
        fs::remove_dir_all(root.join(".hone-stage")).unwrap();
    });
    watched.ignores("a neighbour of the root", |root| put(&root.with_file_name("note.md"), "x"));
    watched.notices("a real change after all this", |root| {
        put(&root.join("last/SKILL.md"), &skill_text("last"));
    });
}

#[test]
fn settings_trust_and_new_roots_are_noticed() {
    let shelf = Shelf::new();
    let around = hone_library::Surroundings { cwd: shelf.base().join("work"), ..shelf.around() };
    put(&around.cwd.join(".git/HEAD"), "");
    put(&around.cwd.join(".agents/skills/mine/SKILL.md"), &skill_text("mine"));
    let (state, other) = (shelf.state(), shelf.state());
    let search = || {
        let config = Config::load(&around.hone_home).unwrap();
        Search::everywhere(&around, &config, &state).unwrap()
    };
    let mut watch = Watch::new();
    let names = |watch: &mut Watch| -> Vec<String> {
        let found = watch.find(&search, &state, None).skills;
        let own = found.into_iter().filter(|skill| skill.scope != Scope::Builtin);
        own.map(|skill| skill.summary.name).collect()
    };
    assert_eq!(names(&mut watch), Vec::<String>::new());
    assert!(!watch.is_stale(&state));

    other.trust(&around.cwd, 0).unwrap();
    assert!(watch.is_stale(&state));
    assert_eq!(names(&mut watch), ["mine"]);
    assert!(!watch.is_stale(&state));

    put(&shelf.base().join(".claude/skills/new/SKILL.md"), &skill_text("new"));
    assert!(watch.is_stale(&state));
    assert_eq!(names(&mut watch), ["mine", "new"]);
    assert!(!watch.is_stale(&state));

    put(&Config::path(&around.hone_home), "[skills]\ndisabled = [\"mine\"]\n");
    assert!(watch.is_stale(&state));
    assert_eq!(names(&mut watch), ["new"]);
    assert!(!watch.is_stale(&state));

    let found = watch.find(&search, &state, None).skills;
    let new = found.iter().find(|skill| skill.summary.name == "new").unwrap();
    hone_library::usage::count(&other, new, hone_library::usage::Event::Use, 1);
    assert!(!watch.is_stale(&state), "a count is no change of the catalogue");
}

#[test]
fn an_edit_is_read_and_nothing_else_is_looked_at() {
    let mut watched = Watched::new();
    // The other skill changes behind the watch's back, which a look at everything would see.
    let edit = |name: &str, word: &str| skill_text(name).replace("About", word);
    let (one, two) =
        (watched.shelf.root.join("one/SKILL.md"), watched.shelf.root.join("pack/two/SKILL.md"));
    let map = watched.shelf.base().join("other-name");
    fs::hard_link(&two, &map).unwrap();
    while watched.is_stale() {
        watched.look();
    }
    fs::write(&map, edit("two", "Take")).unwrap();
    put(&one, &edit("one", "Say"));
    assert!(watched.is_stale());
    let descriptions = |skills: Vec<Listed>| -> Vec<String> {
        skills.into_iter().map(|skill| skill.summary.description).collect()
    };
    let old = |name: &str, word: &str| {
        let read = hone_skill::read(edit(name, word).as_bytes(), None).skill.unwrap();
        read.description
    };
    assert_eq!(descriptions(watched.look()), [old("one", "Say"), old("two", "About")]);
    assert!(!watched.is_stale());
    watched.watch.doubt();
    assert_eq!(descriptions(watched.look()), [old("one", "Say"), old("two", "Take")]);
    // Another name is more than another text: it may be that of another skill.
    put(&one, &skill_text("two"));
    assert!(watched.is_stale());
    let found = watched.look();
    assert_eq!(found.len(), 1);
    assert_eq!(found, watched.anew());
}

#[test]
fn whose_word_a_skill_is_is_noticed_from_another_connection() {
    use hone_library::Origin;
    use hone_library::provenance::{Installed, Records};
    let mut watched = Watched::new();
    let other = watched.shelf.state();
    let folder = fs::canonicalize(watched.shelf.root.join("one")).unwrap();
    let installed = Installed {
        skill: folder.clone(),
        origin: Origin::Community,
        source: "example/skills".to_owned(),
        lock: watched.shelf.base().join("hone.lock"),
        at: 1,
    };
    let origin = |skills: Vec<Listed>| {
        let one = skills.into_iter().find(|skill| skill.summary.name == "one");
        one.unwrap().origin
    };
    watched.notices("it is installed", |_| {
        other
            .record(&Records { installed: vec![installed.clone()], ..Records::default() })
            .unwrap();
    });
    assert_eq!(origin(watched.look()), Origin::Community);
    let trusted = Installed { origin: Origin::Trusted, ..installed };
    watched.notices("from somebody else", |_| {
        other.record(&Records { installed: vec![trusted], ..Records::default() }).unwrap();
    });
    assert_eq!(origin(watched.look()), Origin::Trusted);
    watched.notices("it never was", |_| {
        other.record(&Records { forgotten: vec![folder], ..Records::default() }).unwrap();
    });
    assert_eq!(origin(watched.look()), Origin::Local);
    let rest = Records { decided: vec!["x".to_owned()], ..Records::default() };
    watched.ignores("what no catalogue says", |_| other.record(&rest).unwrap());
}

#[test]
fn a_file_that_somebody_named_is_news_and_no_change_of_the_catalogue() {
    let mut watched = Watched::new();
    let script = watched.shelf.root.join("one/scripts/run.sh");
    let deep = watched.shelf.root.join("one/assets/a/b.txt");
    for _ in 0..2 {
        watched.watch.name(&script);
    }
    watched.watch.name(&deep);
    watched.ignores("another file", |root| put(&root.join("one/scripts/other.sh"), "echo\n"));
    assert!(!watched.watch.take_news());
    watched.ignores("the script", |_| put(&script, "echo 2\n"));
    assert!(watched.watch.take_news());
    assert!(!watched.watch.take_news(), "it is told once");
    // A new folder in a skill is looked into, so the skills are looked through.
    put(&deep, "1");
    assert!(watched.is_stale());
    watched.look();
    assert!(watched.watch.take_news());
    watched.ignores("a file in a folder that came later", |_| put(&deep, "2"));
    assert!(watched.watch.take_news());
    watched.watch.unname(&script);
    watched.ignores("one still wants to hear of it", |_| put(&script, "echo 3\n"));
    assert!(watched.watch.take_news());
    watched.watch.unname(&script);
    watched.look();
    watched.ignores("nobody does", |_| put(&script, "echo 4\n"));
    assert!(!watched.watch.take_news());
}

#[test]
fn a_file_system_that_does_not_tell_makes_every_question_a_look() {
    let shelf = Shelf::new();
    shelf.skill("one");
    let (state, around) = (shelf.state(), shelf.around());
    let search = || {
        let roots = [shelf.root.as_path(), Path::new("/proc/sys/fs")];
        let roots = roots.iter().map(|root| Root::explicit(root, &around.cwd).unwrap());
        Search::only(roots.collect(), &around, &Config::default())
    };
    let mut watch = Watch::new();
    assert_eq!(watch.find(&search, &state, None).skills.len(), 1);
    assert!(watch.is_blind() && watch.is_stale(&state) && watch.handle().is_none());
}

/// Waits until the clock of files is past everything that was written so far, so that its times can be
/// believed.
fn tick() {
    let time = |clock| {
        let time = rustix::time::clock_gettime(clock);
        (time.tv_sec, time.tv_nsec)
    };
    let now = time(rustix::time::ClockId::Realtime);
    while time(rustix::time::ClockId::RealtimeCoarse) <= now {}
}

#[test]
fn a_folder_that_takes_the_place_of_another_is_looked_at_with_all_below_it() {
    let mut watched = Watched::new();
    let root = watched.shelf.root.clone();
    for place in ["here/pack", "there/pack"] {
        let name = place.split('/').next().unwrap();
        put(&root.join(place).join("deep/SKILL.md"), &skill_text(name));
    }
    put(&root.join("far/SKILL.md"), &skill_text("far"));
    tick();
    assert!(watched.is_stale());
    watched.look();
    tick();
    // From now on a look passes over what nothing was noted about.
    watched.notices("a change elsewhere", |root| {
        put(&root.join("far/agents/x"), "");
        put(&root.join("new/SKILL.md"), &skill_text("new"));
    });
    watched.notices("two folders that change places", |root| {
        fs::rename(root.join("here"), root.join("aside")).unwrap();
        fs::rename(root.join("there"), root.join("here")).unwrap();
        fs::rename(root.join("aside"), root.join("there")).unwrap();
    });
    watched.notices("a folder below one that moved", |root| {
        put(&root.join("here/pack/deep/SKILL.md"), &skill_text("changed"));
    });
    tick();
    watched.notices("a folder that may not be entered", |root| chmod(&root.join("here"), 0o600));
    watched.notices("and may again", |root| chmod(&root.join("here"), 0o755));
    watched.notices("the folder of all of them", |root| {
        fs::rename(root, root.with_file_name("old")).unwrap();
        put(&root.join("here/pack/deep/SKILL.md"), &skill_text("other"));
    });
}

#[test]
fn what_was_noted_about_one_folder_is_looked_at_and_the_others_are_not() {
    let mut watched = Watched::new();
    let two = watched.shelf.root.join("pack/two/SKILL.md");
    let map = watched.shelf.base().join("other-name");
    fs::hard_link(&two, &map).unwrap();
    tick();
    watched.watch.doubt();
    watched.look();
    // A change behind the watch's back, which a look at everything would see.
    fs::write(&map, skill_text("unseen")).unwrap();
    put(&watched.shelf.root.join("new/SKILL.md"), &skill_text("new"));
    assert!(watched.is_stale());
    let names = |skills: Vec<Listed>| -> Vec<String> {
        skills.into_iter().map(|skill| skill.summary.name).collect()
    };
    assert_eq!(names(watched.look()), ["new", "one", "two"]);
    watched.watch.doubt();
    assert_eq!(names(watched.look()), ["new", "one", "unseen"]);
}

/// Something done to a library, by small numbers that say where.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Write(u8, u8),
    Remove(u8),
    Move(u8, u8),
    Link(u8, u8),
    Folder(u8),
    /// Nothing, until what was written before is older than what is written next.
    Wait,
}

fn place(root: &Path, number: u8) -> std::path::PathBuf {
    const PLACES: [&str; 8] = ["a", "b", "a/c", "a/c/d", "b/scripts", "e", "b/f", "../outside"];
    root.join(PLACES[usize::from(number) % PLACES.len()])
}

impl Deed {
    fn apply(self, root: &Path) {
        // What cannot be done is not done: only what the disk says counts.
        let _ = match self {
            Self::Write(at, text) => {
                let folder = place(root, at);
                let _ = fs::create_dir_all(&folder);
                fs::write(folder.join("SKILL.md"), skill_text(&format!("s{}", text % 3)))
            }
            Self::Remove(at) => {
                let path = place(root, at);
                if path.is_symlink() { fs::remove_file(path) } else { fs::remove_dir_all(path) }
            }
            Self::Move(from, to) => fs::rename(place(root, from), place(root, to)),
            Self::Link(from, to) => std::os::unix::fs::symlink(place(root, to), place(root, from)),
            Self::Folder(at) => fs::create_dir_all(place(root, at)),
            Self::Wait => {
                tick();
                Ok(())
            }
        };
    }
}

fn deed() -> impl Strategy<Value = Deed> {
    let at = 0..8_u8;
    prop_oneof![
        3 => (at.clone(), 0..3_u8).prop_map(|(at, text)| Deed::Write(at, text)),
        1 => at.clone().prop_map(Deed::Remove),
        1 => (at.clone(), at.clone()).prop_map(|(from, to)| Deed::Move(from, to)),
        1 => (at.clone(), at.clone()).prop_map(|(from, to)| Deed::Link(from, to)),
        1 => at.prop_map(Deed::Folder),
        3 => Just(Deed::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_catalogue_that_is_not_stale_is_the_one_on_the_disk(
        deeds in proptest::collection::vec(deed(), 1..24),
    ) {
        let mut watched = Watched::new();
        let mut known = watched.look();
        for deed in deeds {
            deed.apply(&watched.shelf.root);
            if watched.is_stale() {
                known = watched.look();
            }
            prop_assert_eq!(&known, &watched.anew(), "after {:?}", deed);
        }
    }
}

#[test]
fn who_writes_without_a_pause_keeps_nobody_waiting() {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    let mut watched = Watched::new();
    let (noise, is_over) = (watched.shelf.root.join("noise.log"), AtomicBool::new(false));
    fs::write(&noise, "").unwrap();
    while watched.is_stale() {
        watched.look();
    }
    let started = std::sync::Barrier::new(3);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut log = fs::OpenOptions::new().append(true).open(&noise).unwrap();
                started.wait();
                while !is_over.load(Ordering::Relaxed) {
                    log.write_all(b"x").unwrap();
                }
            });
        }
        started.wait();
        for _ in 0..1_000 {
            assert!(!watched.is_stale(), "nothing that matters changed");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    watched.notices("a skill, after the noise", |root| {
        fs::create_dir(root.join("new")).unwrap();
        fs::write(root.join("new/SKILL.md"), skill_text("new")).unwrap();
    });
}
