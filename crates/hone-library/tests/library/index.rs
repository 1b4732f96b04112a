//! The index: a warm listing opens nothing, every change is noticed, and no damage to it shows.

use std::fs::FileTimes;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use hone_library::{Matching, State};
use rusqlite::Connection;

use crate::shelf::{Shelf, chmod, example, link, next_tick, output, row_counts, skill_text, store};

const SKILLS: usize = 300;

/// The most system calls that a warm listing may make for each skill, start-up included.
const MAX_CALLS_PER_SKILL: usize = 6;

/// Runs a listing under strace; gives the calls that it made, one a line.
fn traced(shelf: &Shelf, roots: &[&Path]) -> Vec<String> {
    let list = example("list");
    let log = shelf.base().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(&log).arg(list.get_program()).arg(&shelf.home).args(roots);
    match strace.stdout(Stdio::null()).status() {
        Ok(status) => assert!(status.success(), "{strace:?}: {status}"),
        Err(error) => panic!("strace is needed (`cargo xtask test` installs it): {error}"),
    }
    let log = std::fs::read(&log).unwrap();
    // A call that another thread interrupts takes two lines.
    let lines = String::from_utf8_lossy(&log);
    lines.lines().filter(|line| !line.contains(" resumed>")).map(str::to_owned).collect()
}

fn opened_below<'t>(trace: &'t [String], folder: &Path) -> Vec<&'t String> {
    let folder = folder.to_string_lossy();
    trace.iter().filter(|call| call.contains("openat(") && call.contains(&*folder)).collect()
}

fn shelf_with_many_skills() -> Shelf {
    let shelf = Shelf::new();
    for n in 0..SKILLS {
        match n % 3 {
            0 => shelf.skill(&format!("category-{}/skill-{n}", n % 7)),
            1 => shelf.write(&format!("skill-{n}/references/notes.md"), "notes"),
            _ => shelf.write(&format!("skill-{n}/agents/openai.yaml"), "interface: {}\n"),
        };
        if n % 3 > 0 {
            shelf.skill(&format!("skill-{n}"));
        }
    }
    shelf
}

#[test]
fn a_warm_listing_opens_no_skill_and_no_folder_and_stays_within_six_calls_a_skill() {
    let shelf = shelf_with_many_skills();
    next_tick();
    assert_eq!(
        opened_below(&traced(&shelf, &[&shelf.root]), &shelf.root).len(),
        300 + 300 + 7 + 1 + 100 + 100
    );
    let warm = traced(&shelf, &[&shelf.root]);
    assert_eq!(opened_below(&warm, &shelf.root), Vec::<&String>::new());
    let calls = warm.len();
    assert!(calls <= MAX_CALLS_PER_SKILL * SKILLS, "{calls} calls for {SKILLS} skills");
}

#[test]
fn a_root_inside_another_and_a_shallow_search_leave_the_index_warm() {
    let shelf = shelf_with_many_skills();
    let inner = shelf.root.join("category-0");
    next_tick();
    let roots = [shelf.root.as_path(), inner.as_path()];
    traced(&shelf, &roots);
    let state = shelf.state();
    hone_library::Client::ClaudeCode.view(
        &shelf.around(),
        Some(vec![hone_library::Root::explicit(&shelf.root, &shelf.root).unwrap()]),
        &state,
    );
    assert_eq!(opened_below(&traced(&shelf, &roots), &shelf.root), Vec::<&String>::new());
}

/// What a listing shows of each skill: name, description, version.
fn shown(shelf: &Shelf, state: &State) -> Vec<(String, String)> {
    let skills = shelf.catalogue(state).skills.into_iter();
    skills.map(|skill| (skill.summary.name.clone(), skill.summary.description.clone())).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, about)| ((*name).to_owned(), (*about).to_owned())).collect()
}

fn about(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo.\n")
}

/// Runs a check in the same tick of the clock as the first listing, and again long after one.
fn at_once_and_later(check: impl Fn(&Shelf, &State, &dyn Fn())) {
    for is_settled in [false, true] {
        let shelf = Shelf::new();
        let state = shelf.state();
        let settle = || {
            if is_settled {
                next_tick();
            }
        };
        check(&shelf, &state, &settle);
    }
}

#[test]
fn a_changed_file_is_noticed() {
    at_once_and_later(|shelf, state, settle| {
        let path = shelf.write("cat/one/SKILL.md", about("one", "first"));
        for (written, expected) in [("again", "again"), ("third", "third")] {
            settle();
            shown(shelf, state);
            // In place, and with the same number of bytes.
            std::fs::write(&path, about("one", written)).unwrap();
            assert_eq!(shown(shelf, state), pairs(&[("one", expected)]));
        }
    });
}

#[test]
fn a_file_replaced_with_the_same_size_and_time_is_noticed() {
    at_once_and_later(|shelf, state, settle| {
        let path = shelf.write("one/SKILL.md", about("one", "first"));
        settle();
        shown(shelf, state);
        let times = std::fs::metadata(&path).unwrap();
        let times = FileTimes::new()
            .set_modified(times.modified().unwrap())
            .set_accessed(times.accessed().unwrap());
        let new = shelf.write("one/new", about("one", "other"));
        std::fs::File::open(&new).unwrap().set_times(times).unwrap();
        std::fs::rename(&new, &path).unwrap();
        assert_eq!(shown(shelf, state), pairs(&[("one", "other")]));
        settle();
        shown(shelf, state);
        std::fs::write(&path, about("one", "third")).unwrap();
        std::fs::File::open(&path).unwrap().set_times(times).unwrap();
        assert_eq!(shown(shelf, state), pairs(&[("one", "third")]));
    });
}

#[test]
fn skills_that_come_go_or_are_renamed_are_noticed() {
    at_once_and_later(|shelf, state, settle| {
        shelf.skill("a/b/one");
        let one = ("one", "About one");
        let two = ("two", "About two");
        settle();
        assert_eq!(shown(shelf, state), pairs(&[one]));
        shelf.skill("a/b/two");
        settle();
        assert_eq!(shown(shelf, state), pairs(&[one, two]));
        std::fs::remove_file(shelf.root.join("a/b/one/SKILL.md")).unwrap();
        settle();
        assert_eq!(shown(shelf, state), pairs(&[two]));
        std::fs::rename(shelf.root.join("a/b/two"), shelf.root.join("a/b/drei")).unwrap();
        settle();
        let catalogue = shelf.catalogue(state);
        assert_eq!(shelf.paths(&catalogue), ["a/b/drei/SKILL.md"]);
        std::fs::rename(shelf.root.join("a/b"), shelf.root.join("a/c")).unwrap();
        settle();
        assert_eq!(shelf.paths(&shelf.catalogue(state)), ["a/c/drei/SKILL.md"]);
        std::fs::remove_dir_all(shelf.root.join("a")).unwrap();
        assert_eq!(shown(shelf, state), pairs(&[]));
    });
}

#[test]
fn changes_behind_links_are_noticed() {
    at_once_and_later(|shelf, state, settle| {
        let outside = shelf.base().join("outside");
        let write = |path: &str, text: String| {
            let path = outside.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("cat/one/SKILL.md", about("one", "first"));
        write("two.md", about("two", "first"));
        write("other/SKILL.md", about("other", "elsewhere"));
        link(outside.join("cat"), &shelf.root.join("linked"));
        link(outside.join("two.md"), &shelf.root.join("two/SKILL.md"));
        settle();
        assert_eq!(shown(shelf, state), pairs(&[("one", "first"), ("two", "first")]));
        write("cat/one/SKILL.md", about("one", "again"));
        write("two.md", about("two", "again"));
        settle();
        assert_eq!(shown(shelf, state), pairs(&[("one", "again"), ("two", "again")]));
        std::fs::remove_file(shelf.root.join("linked")).unwrap();
        link(outside.join("other"), &shelf.root.join("linked"));
        settle();
        assert_eq!(shown(shelf, state), pairs(&[("other", "elsewhere"), ("two", "again")]));
    });
}

/// The format of the database, its journal, and what is in the home.
fn made(shelf: &Shelf) -> (i64, String, Vec<String>) {
    let mut files: Vec<String> = std::fs::read_dir(&shelf.home)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let db = database(shelf);
    let format = db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let journal = db.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    (format, journal, files)
}

#[test]
fn a_first_listing_makes_the_index_alone_and_the_next_use_the_rest() {
    let shelf = Shelf::new();
    shelf.skill("one");
    shelf.catalogue(&State::open(&shelf.home));
    assert_eq!(made(&shelf), (0, "wal".to_owned(), vec!["state.db".to_owned()]));
    let state = State::open(&shelf.home);
    assert_eq!(shelf.paths(&shelf.catalogue(&state)), ["one/SKILL.md"]);
    assert!(state.trust(&shelf.root, 1).unwrap());
    assert_eq!((state.take_notes(), state.integrity().unwrap()), (vec![], vec![]));
    let durable = "SELECT value FROM meta WHERE key = 'durable'";
    let durable: String = database(&shelf).query_row(durable, [], |row| row.get(0)).unwrap();
    assert_eq!((made(&shelf).0, durable.as_str()), (3, "yes"));
}

#[test]
fn a_log_that_an_old_database_left_is_not_taken_for_that_of_the_new_one() {
    let shelf = Shelf::new();
    shelf.skill("one");
    let state = shelf.state();
    state.trust(&shelf.root, 1).unwrap();
    let log = std::fs::read(shelf.home.join("state.db-wal")).unwrap();
    assert!(!log.is_empty());
    drop(state);
    for name in ["state.db", "state.db-shm"] {
        let _ = std::fs::remove_file(shelf.home.join(name));
    }
    std::fs::write(shelf.home.join("state.db-wal"), log).unwrap();
    let state = State::open(&shelf.home);
    assert_eq!(shelf.paths(&shelf.catalogue(&state)), ["one/SKILL.md"]);
    assert_eq!((state.trusted().unwrap(), state.integrity().unwrap()), (vec![], vec![]));
}

#[test]
fn an_index_of_too_many_folders_to_be_held_twice_is_left_to_sqlite() {
    // 2,048 folders are the limit; the root is one of them.
    for (skills, format) in [(2_047, 0), (2_048, 3)] {
        let shelf = Shelf::new();
        for at in 0..skills {
            let name = format!("skill-{at}");
            shelf.write(&format!("{name}/SKILL.md"), about(&name, "d"));
        }
        let catalogue = shelf.catalogue(&State::open(&shelf.home));
        assert_eq!((catalogue.skills.len(), made(&shelf).0), (skills, format));
        assert_eq!(shelf.catalogue(&shelf.state()).skills, catalogue.skills);
    }
}

#[test]
fn folders_of_a_root_that_nobody_asks_for_any_more_are_forgotten_when_they_are_gone() {
    let shelf = Shelf::new();
    shelf.skill("one");
    let roots = ["gone", "gone-too", "kept"].map(|name| shelf.base().join(name));
    for root in &roots {
        for name in ["a", "b", "c"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
            std::fs::write(root.join(name).join("SKILL.md"), about(name, "d")).unwrap();
        }
        shelf.catalogue_of(&[root], &shelf.state());
    }
    let indexed = || -> Vec<String> {
        let db = database(&shelf);
        let mut query = db.prepare("SELECT path FROM folder ORDER BY path").unwrap();
        let paths = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        paths.map(|path| path.unwrap().replace(&*shelf.base().to_string_lossy(), "")).collect()
    };
    assert_eq!(indexed().len(), 12);
    std::fs::remove_dir_all(&roots[0]).unwrap();
    std::fs::remove_dir_all(&roots[1]).unwrap();
    // Every listing that writes looks at a few: another skill each time makes it write.
    for round in 0..3 {
        shelf.skill(&format!("round-{round}"));
        shelf.catalogue(&shelf.state());
    }
    let skills =
        ["/skills", "/skills/one", "/skills/round-0", "/skills/round-1", "/skills/round-2"];
    let expected = ["/kept", "/kept/a", "/kept/b", "/kept/c"].into_iter().chain(skills);
    assert_eq!(indexed(), expected.collect::<Vec<_>>());
}

#[test]
fn a_skill_changed_through_the_store_is_listed_as_it_is_now() {
    let shelf = Shelf::new();
    shelf.skill("one");
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    for (old, new) in [("About one", "About two"), ("About two", "About six")] {
        store(&state).patch(&one, None, old, new, Matching::Exact).unwrap();
        assert_eq!(shown(&shelf, &state), pairs(&[("one", new)]));
    }
}

/// A shelf with an index, a ledger, trust, a pin and usage, all in `state.db` itself.
fn shelf_with_history() -> Shelf {
    let shelf = Shelf::new();
    for n in 0..200 {
        shelf.skill(&format!("skill-{n:03}"));
    }
    let state = shelf.state();
    let skill = shelf.listed(&state, "skill-000");
    for n in 0..12 {
        store(&state).edit(&skill, &about("skill-000", &format!("turn {n}"))).unwrap();
    }
    store(&state).pin(&skill).unwrap();
    state.trust(&shelf.root, 1).unwrap();
    hone_library::usage::count(&state, &skill, hone_library::usage::Event::Use, 1);
    next_tick();
    shelf.catalogue(&state);
    drop(state);
    let db = Connection::open(shelf.home.join("state.db")).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(db);
    let _ = std::fs::remove_file(shelf.home.join("state.db-wal"));
    let _ = std::fs::remove_file(shelf.home.join("state.db-shm"));
    shelf
}

fn all_200(shelf: &Shelf, state: &State) {
    let names: Vec<String> =
        shelf.catalogue(state).skills.iter().map(|skill| skill.summary.name.clone()).collect();
    assert_eq!(names, (0..200).map(|n| format!("skill-{n:03}")).collect::<Vec<_>>());
}

fn database(shelf: &Shelf) -> Connection {
    Connection::open(shelf.home.join("state.db")).unwrap()
}

fn notes(shelf: &Shelf, state: &State) -> Vec<String> {
    state.take_notes().iter().map(|note| shelf.shown(note)).collect()
}

/// After damage: the listing is right, twice, then warm, and history can be written again.
fn recovers(shelf: &Shelf, state: &State) {
    all_200(shelf, state);
    all_200(shelf, state);
    drop(shelf.catalogue(&shelf.state()));
    next_tick();
    traced(shelf, &[&shelf.root]);
    assert_eq!(opened_below(&traced(shelf, &[&shelf.root]), &shelf.root), Vec::<&String>::new());
    let skill = shelf.listed(state, "skill-001");
    store(state).edit(&skill, &about("skill-001", "after the damage")).unwrap();
    let numbers: Vec<u64> =
        shelf.history(state, "skill-001").iter().map(|revision| revision.revision).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn garbage_over_the_database_is_set_aside_and_reported() {
    let shelf = shelf_with_history();
    let garbage = b"this is not a database ".repeat(1_000);
    std::fs::write(shelf.home.join("state.db"), &garbage).unwrap();
    let state = shelf.state();
    recovers(&shelf, &state);
    assert_eq!(
        notes(&shelf, &state),
        [
            "`BASE/hone/state.db` was damaged and is kept as `BASE/hone/state.db.damaged-1`; lost: history, trust, pins, usage, dismissals, origins, approvals, shares, audit log"
        ]
    );
    assert_eq!(std::fs::read(shelf.home.join("state.db.damaged-1")).unwrap(), garbage);
}

#[test]
fn a_database_cut_short_is_set_aside_and_reported() {
    let shelf = shelf_with_history();
    let path = shelf.home.join("state.db");
    let size = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size / 2).unwrap();
    let state = shelf.state();
    recovers(&shelf, &state);
    let notes = notes(&shelf, &state);
    assert_eq!(notes.len(), 1, "{notes:?}");
    let start = "`BASE/hone/state.db` was damaged and is kept as `BASE/hone/state.db.damaged-1`; ";
    assert!(notes[0].starts_with(start), "{notes:?}");
    assert_eq!(std::fs::metadata(shelf.home.join("state.db.damaged-1")).unwrap().len(), size / 2);
}

#[test]
fn a_database_emptied_to_nothing_is_reported() {
    let shelf = shelf_with_history();
    std::fs::write(shelf.home.join("state.db"), "").unwrap();
    let state = shelf.state();
    recovers(&shelf, &state);
    let note = "`BASE/hone/state.db` was gone or empty, though old versions are kept beside it; lost: \
                history, trust, pins, usage, dismissals, origins, approvals, shares, audit log";
    assert_eq!(notes(&shelf, &state), [note]);
}

/// Overwrites the pages of a table with zeros; the first page of the file is left alone.
fn zero_pages(shelf: &Shelf, table: &str) {
    let pages: Vec<u64> = {
        let db = database(shelf);
        let root: i64 = db
            .query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [table], |row| {
                row.get(0)
            })
            .unwrap();
        vec![u64::try_from(root).unwrap()]
    };
    let mut file =
        std::fs::OpenOptions::new().write(true).open(shelf.home.join("state.db")).unwrap();
    for page in pages {
        file.seek(SeekFrom::Start((page - 1) * 4096)).unwrap();
        file.write_all(&[0; 4096]).unwrap();
    }
}

#[test]
fn a_zeroed_page_of_the_index_costs_no_history() {
    let shelf = shelf_with_history();
    zero_pages(&shelf, "folder");
    let state = shelf.state();
    recovers(&shelf, &state);
    let note = "`BASE/hone/state.db` was damaged and is kept as `BASE/hone/state.db.damaged-1`; saved: \
                history, trust, pins, usage, dismissals, origins, approvals, shares, audit log";
    assert_eq!(notes(&shelf, &state), [note]);
    assert_eq!(shelf.history(&state, "skill-000").len(), 13);
    assert!(state.is_trusted(&shelf.root));
    assert!(store(&state).is_pinned(&shelf.listed(&state, "skill-000")).unwrap());
    assert_eq!(hone_library::usage::all(&state).unwrap().len(), 1);
}

#[test]
fn a_zeroed_page_of_the_ledger_is_reported_and_the_rest_is_saved() {
    let shelf = shelf_with_history();
    zero_pages(&shelf, "ledger");
    let state = shelf.state();
    all_200(&shelf, &state);
    assert_eq!(shelf.history(&state, "skill-000"), []);
    recovers(&shelf, &state);
    let note = "`BASE/hone/state.db` was damaged and is kept as `BASE/hone/state.db.damaged-1`; saved: \
                trust, pins, usage, dismissals, origins, approvals, shares, audit log; lost: history";
    assert_eq!(notes(&shelf, &state), [note]);
    assert!(state.is_trusted(&shelf.root));
}

#[test]
fn an_index_of_another_format_is_built_anew_without_a_word() {
    let shelf = shelf_with_history();
    let foreign = "[\"not\", \"ours\"]";
    database(&shelf).execute("UPDATE meta SET value = 'foreign' WHERE key = 'index'", []).unwrap();
    database(&shelf).execute("UPDATE folder SET entry = ?1", [foreign.as_bytes()]).unwrap();
    let state = shelf.state();
    recovers(&shelf, &state);
    assert_eq!(notes(&shelf, &state), Vec::<String>::new());
    assert_eq!(shelf.history(&state, "skill-000").len(), 13);
}

#[test]
fn rows_of_the_index_that_cannot_be_decoded_are_read_anew() {
    let shelf = shelf_with_history();
    let db = database(&shelf);
    let skill = |n: usize| format!("%skill-{n:03}");
    let set = |value: &dyn rusqlite::ToSql, n: usize| {
        db.execute("UPDATE folder SET entry = ?1 WHERE path LIKE ?2", (value, skill(n))).unwrap();
    };
    set(&b"{\"seen\": broken".to_vec(), 3);
    set(&b"\xFF\xFE".to_vec(), 4);
    set(&"text, not bytes", 5);
    set(&17_i64, 6);
    db.execute("INSERT INTO folder VALUES (CAST(x'2F2F' AS BLOB), x'00')", []).unwrap();
    drop(db);
    let state = shelf.state();
    recovers(&shelf, &state);
    assert_eq!(notes(&shelf, &state), Vec::<String>::new());
}

#[test]
fn dropped_tables_of_the_index_are_made_again_without_a_word() {
    let shelf = shelf_with_history();
    database(&shelf).execute_batch("DROP TABLE folder; DROP TABLE meta").unwrap();
    let state = shelf.state();
    recovers(&shelf, &state);
    assert_eq!(notes(&shelf, &state), Vec::<String>::new());
    assert_eq!(shelf.history(&state, "skill-000").len(), 13);
}

#[test]
fn a_dropped_ledger_is_reported() {
    let shelf = shelf_with_history();
    database(&shelf).execute_batch("DROP TABLE ledger; DROP TABLE usage").unwrap();
    let state = shelf.state();
    recovers(&shelf, &state);
    let note = "`BASE/hone/state.db` had tables missing; lost: history, usage";
    assert_eq!(notes(&shelf, &state), [note]);
    assert!(state.is_trusted(&shelf.root));
}

#[test]
fn a_database_of_another_program_is_set_aside() {
    let shelf = shelf_with_history();
    std::fs::remove_file(shelf.home.join("state.db")).unwrap();
    let db = database(&shelf);
    db.execute_batch("CREATE TABLE ledger(other TEXT); INSERT INTO ledger VALUES ('kept')")
        .unwrap();
    drop(db);
    let state = shelf.state();
    recovers(&shelf, &state);
    assert_eq!(notes(&shelf, &state).len(), 1);
    let aside = Connection::open(shelf.home.join("state.db.damaged-1")).unwrap();
    let kept: String = aside.query_row("SELECT other FROM ledger", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, "kept");
}

#[test]
fn a_database_of_a_newer_hone_is_left_alone_and_only_writing_stops() {
    let shelf = shelf_with_history();
    database(&shelf).pragma_update(None, "user_version", 99).unwrap();
    let before = row_counts(&shelf.home);
    let state = shelf.state();
    all_200(&shelf, &state);
    let skill = shelf.listed(&state, "skill-001");
    let error = store(&state).edit(&skill, &about("skill-001", "no")).unwrap_err();
    let message = "`BASE/hone/state.db` was written by a newer hone (format 99, this one knows 3)";
    assert_eq!(shelf.shown(&error.to_string()), message);
    assert_eq!(error.hint().as_deref(), Some("update hone, or set `HONE_HOME` to another folder"));
    assert_eq!(shelf.read("skill-001/SKILL.md"), skill_text("skill-001"));
    assert_eq!(row_counts(&shelf.home), before);
}

#[test]
fn a_home_that_cannot_be_used_costs_speed_and_nothing_else() {
    let shelf = shelf_with_history();
    let file = shelf.base().join("file");
    std::fs::write(&file, "").unwrap();
    for home in [file.as_path(), &file.join("below"), Path::new("/proc/nothing")] {
        let state = State::open(home);
        all_200(&shelf, &state);
        assert!(state.problem().is_some(), "{home:?}");
    }
}

#[test]
fn a_read_only_home_is_no_hindrance_to_a_listing() {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let shelf = shelf_with_history();
    for entry in std::fs::read_dir(&shelf.home).unwrap().flatten() {
        chmod(&entry.path(), if entry.path().is_dir() { 0o555 } else { 0o444 });
    }
    chmod(&shelf.home, 0o555);
    let mut list = example("list");
    // Permissions mean nothing to root, so the listing is made as nobody.
    if std::fs::metadata(&shelf.root).unwrap().uid() == 0 {
        let program = shelf.base().join("list");
        std::fs::copy(list.get_program(), &program).unwrap();
        list = Command::new(program);
        list.uid(65534).gid(65534);
    }
    let before = crate::shelf::tree(&shelf.home);
    let listed = output(list.arg(&shelf.home).arg(&shelf.root));
    assert_eq!(listed.lines().count(), 200);
    assert!(listed.lines().all(|line| line.starts_with("skill-")), "{listed}");
    assert_eq!(crate::shelf::tree(&shelf.home), before);
    chmod(&shelf.home, 0o755);
}

#[test]
fn processes_that_build_the_index_at_once_all_list_everything() {
    for processes in [2, 8] {
        let shelf = Shelf::new();
        for n in 0..200 {
            shelf.skill(&format!("cat-{}/skill-{n:03}", n % 5));
        }
        let children: Vec<_> = (0..processes)
            .map(|_| {
                let mut list = example("list");
                list.arg(&shelf.home).arg(&shelf.root).stdout(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let expected: Vec<String> = (0..200)
            .map(|n| format!("skill-{n:03}\tROOT/cat-{}/skill-{n:03}/SKILL.md", n % 5))
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success());
            let listed = shelf.shown(&String::from_utf8(output.stdout).unwrap());
            assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
        }
        assert_eq!(row_counts(&shelf.home)["folder"], 206);
    }
}

#[test]
fn processes_that_find_a_damaged_database_at_once_set_it_aside_once() {
    let shelf = shelf_with_history();
    std::fs::write(shelf.home.join("state.db"), b"garbage ".repeat(2_000)).unwrap();
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut list = example("list");
            list.arg(&shelf.home).arg(&shelf.root).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut told = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let listed = String::from_utf8(output.stdout).unwrap();
        let (skills, notes): (Vec<&str>, Vec<&str>) =
            listed.lines().partition(|line| line.starts_with("skill-"));
        assert_eq!(skills.len(), 200);
        told += notes.len();
    }
    assert_eq!(told, 1);
    assert!(!shelf.home.join("state.db.damaged-2").exists());
}

#[test]
fn the_database_stays_locked_against_other_programs_while_it_is_open() {
    use std::os::unix::fs::MetadataExt;
    let shelf = Shelf::new();
    shelf.skill("one");
    let state = shelf.state();
    assert_eq!(state.trusted().unwrap(), []);
    // SQLite's locks belong to the process: closing any other handle on its file would drop them,
    // and another program could then take the log away.
    let inode = std::fs::metadata(shelf.home.join("state.db")).unwrap().ino();
    let is_locked = || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|line| line.contains("POSIX") && line.contains(&format!(":{inode} ")))
    };
    assert!(is_locked());
    shelf.catalogue(&state);
    state.trust(&shelf.root, 1).unwrap();
    let one = shelf.listed(&state, "one");
    store(&state).edit(&one, &about("one", "other")).unwrap();
    assert!(is_locked());
}
