//! Supporting files: where they may be, how large, with which permissions.

use super::*;

#[test]
fn the_paths_of_supporting_files_follow_their_rules() {
    let segment = |count: usize| format!("assets/{}", "s".repeat(count));
    let long = |count: usize| {
        let folders = format!("assets/{0}/{0}/", "p".repeat(200));
        let rest = count - folders.len();
        folders + &"q".repeat(rest)
    };
    let deep = |count: usize| format!("assets/{}x", "d/".repeat(count - 1));
    for path in [
        "references/notes.md",
        "templates/a/b/c.txt",
        "scripts/run.sh",
        "assets/.hidden",
        "assets/SKILL.md",
        "assets/größe.md",
        "assets/com10.txt",
        &segment(MAX_SEGMENT_BYTES),
        &long(MAX_PATH_BYTES),
        &deep(MAX_FOLDERS),
    ] {
        check_support_path(path).unwrap_or_else(|error| panic!("{error}"));
    }
    let refusals = [
        ("", "it is empty"),
        ("README.md", "`README.md` is not one of its folders"),
        ("SKILL.md", "`SKILL.md` is not one of its folders"),
        ("secret/x", "`secret` is not one of its folders"),
        ("References/x", "`References` is not one of its folders"),
        ("references", "it names a folder, not a file in it"),
        ("references/", "empty parts, `.` and `..` are not allowed"),
        ("references//x", "empty parts, `.` and `..` are not allowed"),
        ("./references/x", "empty parts, `.` and `..` are not allowed"),
        ("references/../SKILL.md", "empty parts, `.` and `..` are not allowed"),
        ("references/./x", "empty parts, `.` and `..` are not allowed"),
        ("/references/x", "it is not relative to the skill"),
        ("C:/references/x", "it is not relative to the skill"),
        ("references\\x", "use forward slashes"),
        ("references/a\0b", "it holds a NUL"),
        ("references/a\nb", "a name in it holds `\\n`"),
        ("references/a:stream", "a name in it holds `:`"),
        ("references/what?", "a name in it holds `?`"),
        ("references/txt\u{202E}fdp.exe", "a name in it holds `\\u{202e}`"),
        ("references/name.", "a name in it ends in a dot or a blank"),
        ("references/name ", "a name in it ends in a dot or a blank"),
        ("references/CON", "`CON` is a reserved name"),
        ("references/nul.txt", "`nul.txt` is a reserved name"),
        ("references/lpt1.md", "`lpt1.md` is a reserved name"),
        ("references/.hone-1", "names that start with `.hone-` are ours"),
        (&segment(MAX_SEGMENT_BYTES + 1), "a name in it is longer than 255 bytes"),
        (&long(MAX_PATH_BYTES + 1), "it is longer than 512 bytes"),
        (&deep(MAX_FOLDERS + 1), "it is deeper than 16 folders"),
    ];
    let (shelf, state, one) = shelf_with_one();
    for (path, why) in refusals {
        let expected = format!("`{}` cannot be a file of a skill: {why}", path.escape_debug());
        assert_eq!(check_support_path(path).unwrap_err().to_string(), expected);
        if path == "SKILL.md" {
            continue;
        }
        let written = refused(&shelf, &state, |store| store.write_file(&one, path, b"x", false));
        assert_eq!(written, expected);
        assert_eq!(refused(&shelf, &state, |store| store.remove_file(&one, path)), expected);
        let patched = refused(&shelf, &state, |store| {
            store.patch(&one, Some(path), "a", "b", Matching::Exact)
        });
        assert_eq!(patched, expected);
    }
}

#[test]
fn a_file_is_written_changed_and_taken_away_with_a_revision_each() {
    let (shelf, state, one) = shelf_with_one();
    let store = store(&state);
    let path = "references/deep/down/notes.md";
    let write = |text: &str| store.write_file(&one, path, text.as_bytes(), false).unwrap();
    let change = write("");
    // Before it there is the skill as it was found.
    assert_eq!((change.action, change.revision), (Action::WriteFile, Some(2)));
    assert_eq!(change.files, [delta(path, None, Some(""))]);
    let change = write("notes\n");
    assert_eq!(change.files, [delta(path, Some(""), Some("notes\n"))]);
    assert_eq!(list_files(&one).unwrap(), [path]);
    assert_eq!(read_file(&one, path).unwrap(), b"notes\n");
    let change = store.remove_file(&one, path).unwrap();
    assert_eq!((change.action, change.revision), (Action::RemoveFile, Some(4)));
    assert_eq!(change.files, [delta(path, Some("notes\n"), None)]);
    // Folders that it leaves empty go too.
    let left: Vec<String> = tree(&shelf.root.join("one")).into_keys().collect();
    assert_eq!(left, ["SKILL.md"]);
}

#[test]
fn the_first_change_of_any_kind_can_be_taken_back() {
    type First = fn(&Store<'_>, &Shelf, &Listed) -> Result<Change, Error>;
    let firsts: [(&str, First); 6] = [
        ("add", |store, _, one| store.write_file(one, "assets/new", b"new", false)),
        ("replace", |store, _, one| store.write_file(one, "assets/old", b"new", true)),
        ("remove", |store, _, one| store.remove_file(one, "assets/old")),
        ("patch", |store, _, one| store.patch(one, Some("assets/old"), "o", "a", Matching::Exact)),
        ("edit", |store, _, one| store.edit(one, &text("one", "Other", "Do.\n"))),
        ("upsert", |store, shelf, one| {
            store.upsert(&shelf.root, "one", "More.\n", std::slice::from_ref(one))
        }),
    ];
    for (what, first) in firsts {
        let (shelf, state, one) = shelf_with_one();
        shelf.write("one/assets/old", "old");
        let found = tree(&shelf.root);
        let store = store(&state);
        assert_eq!(first(&store, &shelf, &one).unwrap().revision, Some(2), "{what}");
        assert_ne!(tree(&shelf.root), found, "{what}");
        let history = shelf.history(&state, "one");
        let as_found = &history[0];
        assert_eq!(
            (as_found.action, as_found.reason.as_str()),
            (Action::Outside, "as it was found")
        );
        assert!(as_found.changes.iter().any(|change| change.file == "SKILL.md"), "{what}");
        assert_eq!(store.rollback(one.key(), None).unwrap().revision, Some(3), "{what}");
        assert_eq!(tree(&shelf.root), found, "{what}");
    }
}

#[test]
fn a_folder_that_still_holds_something_stays() {
    let (shelf, state, one) = shelf_with_one();
    shelf.write("one/references/a/kept.md", "kept\n");
    shelf.write("one/references/a/b/gone.md", "gone\n");
    store(&state).remove_file(&one, "references/a/b/gone.md").unwrap();
    let left: Vec<String> = tree(&shelf.root.join("one")).into_keys().collect();
    assert_eq!(left, ["SKILL.md", "references/", "references/a/", "references/a/kept.md"]);
}

#[test]
fn a_file_of_one_mebibyte_is_written_and_one_more_byte_is_refused() {
    let (shelf, state, one) = shelf_with_one();
    let write = |store: &Store<'_>, count: usize| {
        store.write_file(&one, "assets/big", &vec![b'x'; count], false)
    };
    let message = refused(&shelf, &state, |store| write(store, MAX_FILE_BYTES + 1));
    assert_eq!(message, "`assets/big` has 1048577 bytes, 1048576 are allowed");
    write(&store(&state), MAX_FILE_BYTES).unwrap();
    let written = std::fs::metadata(shelf.root.join("one/assets/big")).unwrap().len();
    assert_eq!(written, MAX_FILE_BYTES as u64);
    let grown = refused(&shelf, &state, |store| {
        let old = "x".repeat(MAX_FILE_BYTES);
        store.patch(&one, Some("assets/big"), &old, &(old.clone() + "y"), Matching::Exact)
    });
    assert_eq!(grown, "`assets/big` has 1048577 bytes, 1048576 are allowed");
}

#[test]
fn a_program_can_be_made_and_made_of_what_is_there() {
    let (shelf, state, one) = shelf_with_one();
    let store = store(&state);
    let path = shelf.root.join("one/scripts/run.sh");
    store.write_file(&one, "scripts/run.sh", b"echo\n", true).unwrap();
    assert_eq!(mode(&path), 0o755);
    chmod(&path, 0o640);
    // The same bytes, and now the right to run them: a change of its own.
    let change = store.write_file(&one, "scripts/run.sh", b"echo\n", true).unwrap();
    assert_eq!((mode(&path), change.revision), (0o750, Some(4)));
    let message =
        refused(&shelf, &state, |store| store.write_file(&one, "scripts/run.sh", b"echo\n", true));
    assert_eq!(message, "nothing would change");
}

#[test]
fn the_skill_file_itself_cannot_be_taken_away() {
    let (shelf, state, one) = shelf_with_one();
    let message = refused(&shelf, &state, |store| store.remove_file(&one, "SKILL.md"));
    assert_eq!(
        message,
        "without `SKILL.md` there is no skill; `hone rm one` takes the whole skill away"
    );
}

#[test]
fn a_missing_file_is_refused_with_those_that_are_there() {
    let (shelf, state, one) = shelf_with_one();
    for n in 0..30 {
        shelf.write(&format!("one/references/{n:02}.md"), "x");
    }
    let error = store(&state).remove_file(&one, "references/none.md").unwrap_err();
    assert_eq!(error.to_string(), "the skill has no file `references/none.md`");
    let hint = error.hint().unwrap();
    assert!(hint.starts_with("it has SKILL.md, references/00.md, references/01.md"), "{hint}");
    assert!(hint.ends_with("references/18.md and 11 more"), "{hint}");
}

#[test]
fn a_single_file_skill_has_no_other_files() {
    let shelf = Shelf::new();
    shelf.write("flat.md", skill_text("flat"));
    shelf.write("references/x.md", "not yours\n");
    let state = shelf.state();
    let flat = shelf.listed(&state, "flat");
    let message = "`flat` is a single file and has no supporting files; make it a folder with `SKILL.md` first";
    let write = |store: &Store<'_>| store.write_file(&flat, "references/x.md", b"x", false);
    assert_eq!(refused(&shelf, &state, write), message);
    let remove = |store: &Store<'_>| store.remove_file(&flat, "references/x.md");
    assert_eq!(refused(&shelf, &state, remove), message);
    assert!(matches!(read_file(&flat, "references/x.md"), Err(Error::NoFile { .. })));
    assert_eq!(list_files(&flat).unwrap(), Vec::<String>::new());
}

#[test]
fn a_file_that_comes_with_a_text_is_part_of_its_revision_and_goes_back_with_it() {
    let shelf = Shelf::new();
    let state = shelf.state();
    let with = |suite: &str| store(&state).with_file("triggers.json", suite.as_bytes().to_vec());
    let first = text("one", "First.", "Do.\n");
    let created = with("[]").create(&shelf.root, None, "one", &first, &[]).unwrap();
    assert_eq!((created.action, created.revision), (Action::Create, Some(1)));
    let files: Vec<&str> = created.files.iter().map(|file| file.file.as_str()).collect();
    assert_eq!(files, ["SKILL.md", "triggers.json"]);
    let one = shelf.listed(&state, "one");
    let before = tree(&shelf.root.join("one"));

    let second = text("one", "Second.", "Do it.\n");
    let dried = dry(&state).with_file("triggers.json", b"[1]".to_vec());
    let dried = dried.upsert(&shelf.root, "one", &second, std::slice::from_ref(&one)).unwrap();
    assert_eq!(tree(&shelf.root.join("one")), before);
    let here = std::slice::from_ref(&one);
    let changed = with("[1]").upsert(&shelf.root, "one", &second, here).unwrap();
    assert_eq!(changed.files, dried.files);
    assert_eq!(changed.files[1], delta("triggers.json", Some("[]"), Some("[1]")));
    assert_eq!(changed.revision, Some(2));
    assert_eq!(read_file(&one, "triggers.json").unwrap(), b"[1]");
    store(&state).rollback(&shelf.root.join("one"), None).unwrap();
    assert_eq!(tree(&shelf.root.join("one")), before);

    let largest = vec![b' '; MAX_FILE_BYTES];
    let too_large = [largest.as_slice(), b" "].concat();
    store(&state).with_file("assets/x", largest).edit(&one, &second).unwrap();
    refused(&shelf, &state, |_| {
        store(&state).with_file("assets/x", too_large).edit(&one, &text("one", "Third.", "Do.\n"))
    });
    refused(&shelf, &state, |_| {
        store(&state).with_file("../x", Vec::new()).create(&shelf.root, None, "two", "Do.\n", &[])
    });
    let flat = store(&state).with_file("triggers.json", Vec::new());
    let flat = flat.create_file(&shelf.root, "flat", "Do.\n", &[]).unwrap_err().to_string();
    assert!(flat.starts_with("`flat` is a single file"), "{flat}");
    assert!(!shelf.root.join("flat.md").exists());
}
