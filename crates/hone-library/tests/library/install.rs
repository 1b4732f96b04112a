//! Skills that arrive whole: by one rename each, over nothing but what the caller saw.

use std::collections::BTreeMap;

use hone_library::{Arrival, Error, NewFile, SYNCED_EACH, TreeFile, files_at, hash, read_tree};
use hone_skill::Slug;

use crate::shelf::{Shelf, mode, skill_text, store, tree};

fn file(text: &str) -> NewFile {
    NewFile { bytes: text.as_bytes().to_vec(), is_executable: false }
}

fn arrival(name: &str, files: &[(&str, Option<NewFile>)]) -> Arrival {
    Arrival {
        slug: Slug::new(name).unwrap(),
        expected: None,
        files: files.iter().map(|(path, file)| ((*path).to_owned(), file.clone())).collect(),
        reason: "from a test".to_owned(),
    }
}

fn plain(name: &str) -> Arrival {
    arrival(name, &[("SKILL.md", Some(file(&skill_text(name))))])
}

/// What is on disk, as an arrival expects it.
fn seen(shelf: &Shelf, name: &str) -> Option<BTreeMap<String, String>> {
    let files = read_tree(&shelf.root.join(name)).unwrap()?;
    Some(files.into_iter().map(|(path, file)| (path, hash(&file.bytes))).collect())
}

fn install(shelf: &Shelf, arrivals: Vec<Arrival>) -> Vec<Result<u64, String>> {
    let state = shelf.state();
    let answers = store(&state).install(&shelf.root, arrivals).unwrap();
    answers
        .into_iter()
        .map(|answer| match answer {
            Ok(change) => Ok(change.revision.unwrap_or(0)),
            Err(error) => Err(shelf.shown(&error.to_string())),
        })
        .collect()
}

#[test]
fn a_skill_arrives_is_replaced_and_comes_back() {
    let shelf = Shelf::new();
    let script = Some(NewFile { bytes: b"ls\n".to_vec(), is_executable: true });
    let first =
        arrival("one", &[("SKILL.md", Some(file(&skill_text("one")))), ("any/run.sh", script)]);
    assert_eq!(install(&shelf, vec![first]), [Ok(1)]);
    assert_eq!(mode(&shelf.root.join("one/any/run.sh")), 0o755);
    let before = tree(&shelf.root);

    shelf.write("one/own.md", "own");
    let mut second = arrival(
        "one",
        &[
            ("SKILL.md", Some(file(&format!("{}More.\n", skill_text("one"))))),
            ("any/run.sh", None),
            ("new.md", Some(file("new"))),
        ],
    );
    second.expected = seen(&shelf, "one");
    // One for what somebody else put there is not needed: it is none of the files that change.
    assert_eq!(install(&shelf, vec![second]), [Ok(2)]);
    let files: Vec<String> =
        tree(&shelf.root.join("one")).into_keys().filter(|path| !path.ends_with('/')).collect();
    assert_eq!(files, ["SKILL.md", "new.md", "own.md"]);
    let state = shelf.state();
    let history = shelf.history(&state, "one");
    let actions: Vec<&str> = history.iter().map(|row| row.action.id()).collect();
    assert_eq!(actions, ["install", "update"]);
    assert_eq!(history[0].reason, "from a test: a test");
    assert_eq!(files_at(&state, &history, 1).unwrap()["any/run.sh"], b"ls\n");
    store(&state).rollback(&shelf.root.join("one"), None).unwrap();
    std::fs::remove_file(shelf.root.join("one/own.md")).unwrap();
    assert_eq!(tree(&shelf.root), before);
}

#[test]
fn only_what_the_caller_saw_is_replaced() {
    let shelf = Shelf::new();
    shelf.skill("there");
    let exists = "the skill `there` exists already at `ROOT/there`";
    assert_eq!(install(&shelf, vec![plain("there")]), [Err(exists.to_owned())]);
    let mut stale = plain("there");
    stale.expected = Some(BTreeMap::from([("SKILL.md".to_owned(), hash(b"other"))]));
    let changed = "`ROOT/there` changed in the meantime";
    assert_eq!(install(&shelf, vec![stale.clone()]), [Err(changed.to_owned())]);
    stale.slug = Slug::new("gone").unwrap();
    assert_eq!(
        install(&shelf, vec![stale]),
        [Err("`ROOT/gone` changed in the meantime".to_owned())]
    );
    assert_eq!(shelf.read("there/SKILL.md"), skill_text("there"));
    std::os::unix::fs::symlink("there", shelf.root.join("link")).unwrap();
    let answers = install(&shelf, vec![plain("link")]);
    assert!(answers[0].as_ref().unwrap_err().contains("is no longer a folder"), "{answers:?}");
}

#[test]
fn one_that_cannot_arrive_does_not_keep_the_others() {
    let shelf = Shelf::new();
    let text = Some(file(&skill_text("x")));
    let answers = install(
        &shelf,
        vec![
            plain("good"),
            arrival("up", &[("SKILL.md", text.clone()), ("../up", Some(file("x")))]),
            arrival("ours", &[("SKILL.md", text.clone()), (".hone-1", Some(file("x")))]),
            arrival("none", &[("README.md", Some(file("x")))]),
            arrival("broken", &[("SKILL.md", Some(file("no frontmatter")))]),
            arrival("venv", &[("SKILL.md", text)]),
            plain("last"),
        ],
    );
    let good: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, false, false, false, false, false, true], "{answers:?}");
    assert_eq!(shelf.found(), ["good/SKILL.md", "last/SKILL.md"]);
    assert_eq!(tree(&shelf.base()).keys().filter(|path| path.contains(".hone-")).count(), 0);
}

#[test]
fn more_skills_than_a_process_may_open_files_arrive_at_once() {
    const MANY: usize = 1_100;
    let shelf = Shelf::in_memory();
    let names: Vec<String> = (0..MANY).map(|n| format!("skill-{n}")).collect();
    let answers = install(&shelf, names.iter().map(|name| plain(name)).collect());
    assert!(MANY > SYNCED_EACH && answers.iter().all(|answer| *answer == Ok(1)));
    assert_eq!(shelf.found().len(), MANY);
    let state = shelf.state();
    for name in [&names[0], &names[MANY - 1]] {
        let history = shelf.history(&state, name);
        let text = files_at(&state, &history, 1).unwrap().remove("SKILL.md").unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), skill_text(name));
    }
}

#[test]
fn a_folder_is_taken_away_only_as_it_was_seen() {
    let shelf = Shelf::new();
    assert_eq!(install(&shelf, vec![plain("one")]), [Ok(1)]);
    let expected = seen(&shelf, "one").unwrap();
    let key = shelf.root.join("one");
    shelf.write("one/own.md", "own");
    let state = shelf.state();
    let changed = store(&state).uninstall(&key, &expected);
    assert!(matches!(changed, Err(Error::Changed { .. })));
    assert!(key.join("own.md").exists());
    store(&state).uninstall(&key, &seen(&shelf, "one").unwrap()).unwrap();
    assert_eq!(read_tree(&key).unwrap(), None);
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(shelf.read("one/own.md"), "own");
}

#[test]
fn a_tree_tells_programs_and_links_from_files() {
    let shelf = Shelf::new();
    shelf.skill("one");
    std::os::unix::fs::symlink("SKILL.md", shelf.root.join("one/link")).unwrap();
    let script = shelf.write("one/run.sh", "ls\n");
    crate::shelf::chmod(&script, 0o755);
    let files = read_tree(&shelf.root.join("one")).unwrap().unwrap();
    let link = TreeFile { bytes: b"SKILL.md".to_vec(), is_executable: false, is_link: true };
    assert_eq!(files["link"], link);
    assert!(files["run.sh"].is_executable && !files["SKILL.md"].is_executable);
    assert_eq!(read_tree(&shelf.root.join("two")).unwrap(), None);
    assert_eq!(read_tree(&shelf.base().join("no/such/root/two")).unwrap(), None);
}
