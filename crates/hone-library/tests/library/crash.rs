//! Writers that race and writers that are killed: nothing is lost, nothing is half written.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use hone_library::{Revision, State, files_at, list_files, read_file};

use crate::shelf::{Shelf, example, mode, skill_text, store, tree};

const WRITERS: usize = 8;
const EDITS_EACH: usize = 200;
const KILLS: usize = 60;

fn writer(shelf: &Shelf, name: &str, what: &str, count: usize) -> Child {
    let mut writer = example("writer");
    writer.arg(&shelf.home).arg(&shelf.root).arg(name).arg(what).arg(count.to_string());
    writer.stdout(Stdio::piped()).spawn().unwrap()
}

/// Starts a writer, lets it make some changes, a different number in each round, and strikes.
fn strike(shelf: &Shelf, name: &str, what: &str, round: usize, changes: usize) {
    let mut writer = writer(shelf, name, what, 0);
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    for _ in 0..changes {
        lines.next().unwrap().unwrap();
    }
    // Somewhere inside the next change: a few steps of work that take no fixed time.
    let steps = round * 7_919 % KILLS * 20_000;
    std::hint::black_box((0..steps).fold(0_usize, |sum, n| sum.wrapping_mul(31).wrapping_add(n)));
    writer.kill().unwrap();
    writer.wait().unwrap();
}

fn has_no_gap(history: &[Revision]) {
    let numbers: Vec<u64> = history.iter().map(|revision| revision.revision).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<u64>>());
}

/// The newest revision has exactly the files that are on disk.
fn agrees_with_disk(shelf: &Shelf, state: &State, name: &str) {
    let history = shelf.history(state, name);
    has_no_gap(&history);
    let recorded = files_at(state, &history, history.len() as u64).unwrap();
    let on_disk: BTreeMap<String, Vec<u8>> = tree(&shelf.root.join(name))
        .into_iter()
        .filter(|(path, _)| !path.ends_with('/') && !path.contains(".hone-"))
        .map(|(path, (_, bytes))| (path, bytes))
        .collect();
    assert_eq!(recorded, on_disk);
}

fn leftovers(folder: &Path) -> Vec<String> {
    let all = tree(folder).into_keys();
    all.filter(|path| path.split('/').any(|part| part.starts_with(".hone-"))).collect()
}

/// Kept versions that no row refers to.
fn loose_objects(shelf: &Shelf) -> Vec<String> {
    let all = tree(&shelf.home.join("objects")).into_keys().filter(|path| !path.ends_with('/'));
    let mut objects: Vec<String> = all.map(|path| path.replace('/', "")).collect();
    let db = rusqlite::Connection::open(shelf.home.join("state.db")).unwrap();
    let mut statement = db.prepare("SELECT changes FROM ledger").unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let text: String = row.get(0).unwrap();
        objects.retain(|object| !text.contains(object));
    }
    objects
}

fn empty_folders(folder: &Path) -> Vec<String> {
    let all: Vec<String> = tree(folder).into_keys().collect();
    let is_empty =
        |path: &String| !all.iter().any(|other| other != path && other.starts_with(path));
    all.iter().filter(|path| path.ends_with('/') && is_empty(path)).cloned().collect()
}

#[test]
fn eight_writers_with_200_edits_each_lose_none() {
    let shelf = Shelf::new();
    shelf.write("count/SKILL.md", "---\nname: count\ndescription: Counts\n---\ncounter 0\n");
    let writers: Vec<Child> =
        (0..WRITERS).map(|_| writer(&shelf, "count", "count", EDITS_EACH)).collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), EDITS_EACH);
    }
    let last = format!("counter {}", WRITERS * EDITS_EACH);
    assert_eq!(shelf.read("count/SKILL.md").lines().last(), Some(last.as_str()));
    let state = shelf.state();
    let history = shelf.history(&state, "count");
    // One more: as it was found.
    assert_eq!(history.len(), 1 + WRITERS * EDITS_EACH);
    agrees_with_disk(&shelf, &state, "count");
    for number in [1, 2, 800, 1_601] {
        let text = files_at(&state, &history, number).unwrap().remove("SKILL.md").unwrap();
        let line = format!("counter {}\n", number - 1);
        assert!(String::from_utf8(text).unwrap().ends_with(&line), "revision {number}");
    }
}

#[test]
fn a_killed_writer_leaves_the_old_or_the_new_text_and_a_ledger_that_agrees() {
    let shelf = Shelf::new();
    shelf.skill("swap");
    shelf.skill("other");
    let of = |word: &str| {
        let body = format!("{word} line\n").repeat(4_000);
        format!("---\nname: swap\ndescription: Is swapped\n---\n{body}")
    };
    let texts = [skill_text("swap"), of("even"), of("odd")];
    for round in 0..KILLS {
        strike(&shelf, "swap", "swap", round, round % 4);
        let text = shelf.read("swap/SKILL.md");
        assert!(texts.contains(&text), "a mixture of {} characters in round {round}", text.len());
        let state = shelf.state();
        // Before anybody settled anything.
        if !shelf.history(&state, "swap").is_empty() {
            agrees_with_disk(&shelf, &state, "swap");
        }
        // The next writer beside it, or of the skill itself, clears up.
        let (name, new) = if round % 2 == 0 { ("other", "other") } else { ("swap", "swap") };
        let new = format!("{}Round {round}.\n", skill_text(new));
        store(&state).edit(&shelf.listed(&state, name), &new).unwrap();
        agrees_with_disk(&shelf, &state, name);
        assert_eq!(leftovers(&shelf.base()), Vec::<String>::new(), "round {round}");
        assert_eq!(loose_objects(&shelf), Vec::<String>::new(), "round {round}");
        if name == "swap" {
            let back = store(&state).rollback(&shelf.root.join("swap"), None).unwrap();
            assert_eq!(back.files[0].after.as_deref(), Some(text.as_bytes()));
        }
    }
}

#[test]
fn a_writer_killed_while_it_creates_goes_back_and_deletes_leaves_a_whole_skill_or_none() {
    let shelf = Shelf::new();
    shelf.skill("other");
    for round in 0..KILLS {
        strike(&shelf, "live", "live", round, round % 10);
        let files: Vec<String> = tree(&shelf.root.join("live"))
            .into_keys()
            .filter(|path| !path.ends_with('/') && !path.contains(".hone-"))
            .collect();
        let (a, b) = ("references/deep/a.md", "scripts/b.sh");
        let whole: [&[&str]; 5] =
            [&[], &["SKILL.md"], &["SKILL.md", a], &["SKILL.md", a, b], &["SKILL.md", b]];
        assert!(whole.iter().any(|whole| files == *whole), "round {round}: {files:?}");
        let script = shelf.root.join("live").join(b);
        assert!(!script.exists() || mode(&script) == 0o755);

        let state = shelf.state();
        store(&state)
            .edit(
                &shelf.listed(&state, "other"),
                &format!("{}Round {round}.\n", skill_text("other")),
            )
            .unwrap();
        assert_eq!(leftovers(&shelf.base()), Vec::<String>::new(), "round {round}");
        assert_eq!(loose_objects(&shelf), Vec::<String>::new(), "round {round}");
        assert_eq!(empty_folders(&shelf.root), Vec::<String>::new(), "round {round}");
        if shelf.history(&state, "live").is_empty() {
            continue;
        }
        agrees_with_disk(&shelf, &state, "live");
        // The next change works, whatever came before.
        if shelf.root.join("live").exists() {
            let live = shelf.listed(&state, "live");
            let mark = format!("round {round}");
            store(&state).write_file(&live, "assets/mark", mark.as_bytes(), false).unwrap();
            assert_eq!(read_file(&live, "assets/mark").unwrap(), mark.as_bytes());
            store(&state).remove_file(&live, "assets/mark").unwrap();
            assert!(!list_files(&live).unwrap().contains(&"assets/mark".to_owned()));
        } else {
            store(&state).rollback(&shelf.root.join("live"), None).unwrap();
        }
        agrees_with_disk(&shelf, &state, "live");
    }
}

#[test]
fn writers_of_many_skills_in_one_root_do_not_disturb_each_other() {
    let shelf = Shelf::in_memory();
    let names: Vec<String> = (0..4).map(|n| format!("skill-{n}")).collect();
    for name in &names {
        shelf.write(&format!("{name}/SKILL.md"), skill_text(name) + "counter 0\n");
    }
    let writers: Vec<Child> =
        names.iter().map(|name| writer(&shelf, name, "count", EDITS_EACH)).collect();
    // One of them dies on the way; the others go on.
    strike(&shelf, "skill-0", "count", 1, 0);
    for writer in writers {
        assert!(writer.wait_with_output().unwrap().status.success());
    }
    let state = shelf.state();
    for name in &names[1..] {
        agrees_with_disk(&shelf, &state, name);
        assert_eq!(shelf.history(&state, name).len(), 1 + EDITS_EACH);
    }
    agrees_with_disk(&shelf, &state, "skill-0");
}

/// Makes the newest row of a skill look as if its writer had died before it was done.
fn undo_done(shelf: &Shelf) {
    let db = rusqlite::Connection::open(shelf.home.join("state.db")).unwrap();
    let newest = "UPDATE ledger SET done = 0 WHERE id = (SELECT max(id) FROM ledger)";
    assert_eq!(db.execute(newest, []).unwrap(), 1);
}

/// A skill with three files, gone back to the first revision at once.
fn shelf_gone_back() -> (Shelf, State) {
    let shelf = Shelf::new();
    shelf.skill("other");
    let state = shelf.state();
    store(&state).create(&shelf.root, None, "one", "First.\n", &[]).unwrap();
    let one = shelf.listed(&state, "one");
    store(&state).write_file(&one, "references/deep/a.md", b"a", false).unwrap();
    store(&state).write_file(&one, "scripts/b.sh", b"b", true).unwrap();
    let text = shelf.read("one/SKILL.md").replace("First.", "Second.");
    store(&state).edit(&one, &text).unwrap();
    store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    (shelf, state)
}

fn write_other(shelf: &Shelf, state: &State) {
    let new = format!("{}More.\n", skill_text("other"));
    store(state).edit(&shelf.listed(state, "other"), &new).unwrap();
}

#[test]
fn a_row_that_is_not_done_counts_when_its_files_are_there() {
    let (shelf, state) = shelf_gone_back();
    undo_done(&shelf);
    for _ in 0..2 {
        assert_eq!(shelf.history(&state, "one").len(), 5);
        agrees_with_disk(&shelf, &state, "one");
        write_other(&shelf, &state);
        std::fs::write(shelf.root.join("other/SKILL.md"), skill_text("other")).unwrap();
    }
}

#[test]
fn a_row_that_is_not_done_does_not_count_when_the_files_are_the_old_ones() {
    let (shelf, state) = shelf_gone_back();
    store(&state).rollback(&shelf.root.join("one"), Some(4)).unwrap();
    let before = tree(&shelf.root.join("one"));
    store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    // As if the writer had died before the swap.
    undo_done(&shelf);
    std::fs::remove_dir_all(shelf.root.join("one")).unwrap();
    for (path, (mode, bytes)) in &before {
        let path = shelf.root.join("one").join(path);
        if path.to_string_lossy().ends_with('/') {
            std::fs::create_dir_all(&path).unwrap();
        } else {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, bytes).unwrap();
            crate::shelf::chmod(&path, *mode);
        }
    }
    assert_eq!(shelf.history(&state, "one").len(), 6);
    agrees_with_disk(&shelf, &state, "one");
    write_other(&shelf, &state);
    assert_eq!(shelf.history(&state, "one").len(), 6);
    assert_eq!(tree(&shelf.root.join("one")), before);
}

#[test]
fn a_mixture_that_a_file_system_without_swaps_left_is_put_back() {
    let (shelf, state) = shelf_gone_back();
    store(&state).rollback(&shelf.root.join("one"), Some(4)).unwrap();
    let before = tree(&shelf.root.join("one"));
    store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    undo_done(&shelf);
    // One of the three files is still, or again, the old one.
    shelf.write("one/references/deep/a.md", "a");
    write_other(&shelf, &state);
    assert_eq!(tree(&shelf.root.join("one")), before);
    assert_eq!(shelf.history(&state, "one").len(), 6);
    agrees_with_disk(&shelf, &state, "one");
}

#[test]
fn what_somebody_changed_after_a_writer_died_is_kept() {
    let (shelf, state) = shelf_gone_back();
    undo_done(&shelf);
    let by_hand = shelf.read("one/SKILL.md").replace("First.", "By hand.");
    shelf.write("one/SKILL.md", &by_hand);
    let one = shelf.listed(&state, "one");
    store(&state).edit(&one, &by_hand.replace("By hand.", "By hone.")).unwrap();
    let history = shelf.history(&state, "one");
    has_no_gap(&history);
    assert_eq!(history.len(), 7);
    let text = files_at(&state, &history, 6).unwrap().remove("SKILL.md").unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), by_hand);
}

#[test]
fn a_deletion_that_did_not_happen_is_not_listed_as_one() {
    let (shelf, state) = shelf_gone_back();
    let one = shelf.listed(&state, "one");
    let before = tree(&shelf.root);
    store(&state).delete(&one).unwrap();
    undo_done(&shelf);
    assert_eq!(hone_library::deleted(&state, "one").unwrap(), [shelf.root.join("one")]);
    let text = String::from_utf8(before["one/SKILL.md"].1.clone()).unwrap();
    shelf.write("one/SKILL.md", text);
    assert_eq!(tree(&shelf.root), before);
    assert_eq!(hone_library::deleted(&state, "one").unwrap(), Vec::<std::path::PathBuf>::new());
    assert_eq!(shelf.history(&state, "one").len(), 5);
    store(&state).delete(&one).unwrap();
    assert_eq!(shelf.history(&state, "one").len(), 6);
}

#[test]
fn what_dead_writers_of_objects_left_is_gone_after_the_next_write() {
    let (shelf, state) = shelf_gone_back();
    let staging = shelf.home.join("objects/staging");
    std::fs::write(staging.join(".hone-dead-1"), "half").unwrap();
    write_other(&shelf, &state);
    assert_eq!(std::fs::read_dir(&staging).unwrap().count(), 0);
}
