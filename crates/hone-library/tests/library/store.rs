//! Changing skills: what is refused, what is written, and that nothing else happens.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use hone_library::{
    Action, Change, Error, FileDelta, Listed, MAX_FILE_BYTES, MAX_FOLDERS, MAX_PATH_BYTES,
    MAX_SEGMENT_BYTES, Matching, Root, State, Store, check_support_path, list_files, read_file,
    read_text,
};
use hone_skill::limits::MAX_SKILL_CHARS;

use crate::shelf::{Shelf, chmod, dry, link, mode, row_counts, skill_text, store, tree};

/// A shelf with one skill, `one`, that hone has not met yet.
fn shelf_with_one() -> (Shelf, State, Listed) {
    let shelf = Shelf::new();
    shelf.skill("one");
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    (shelf, state, one)
}

fn text(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

fn delta(file: &str, before: Option<&str>, after: Option<&str>) -> FileDelta {
    let bytes = |text: &str| text.as_bytes().to_vec();
    FileDelta { file: file.to_owned(), before: before.map(bytes), after: after.map(bytes) }
}

/// Runs a change that must be refused, and sees that nothing at all was written.
fn refused(
    shelf: &Shelf,
    state: &State,
    change: impl FnOnce(&Store<'_>) -> Result<Change, Error>,
) -> String {
    let before = (tree(&shelf.base()).into_iter().filter(not_database), row_counts(&shelf.home));
    let before = (before.0.collect::<Vec<_>>(), before.1);
    let error = change(&store(state)).expect_err("this change should be refused");
    let after = tree(&shelf.base()).into_iter().filter(not_database).collect::<Vec<_>>();
    assert_eq!(before, (after, row_counts(&shelf.home)), "{error}");
    shelf.shown(&error.to_string())
}

/// SQLite writes its files also when it only reads; their rows are compared instead.
fn not_database((path, _): &(String, (u32, Vec<u8>))) -> bool {
    !path.starts_with("hone/state.")
}

mod creating {
    use super::*;

    #[test]
    fn a_bare_body_becomes_a_skill_with_frontmatter_and_a_first_revision() {
        let shelf = Shelf::new();
        let state = shelf.state();
        let change =
            store(&state).create(&shelf.root, None, "Oracle Check!", "Check it.\n", &[]).unwrap();
        let written = "---\nname: oracle-check\ndescription: Check it.\nmetadata:\n  hone.title: \"Oracle Check!\"\n  \
                       version: \"1\"\n---\nCheck it.\n";
        assert_eq!(
            change,
            Change {
                action: Action::Create,
                name: "oracle-check".to_owned(),
                path: shelf.root.join("oracle-check"),
                files: vec![delta("SKILL.md", None, Some(written))],
                revision: Some(1),
                from_version: None,
                to_version: Some("1".to_owned()),
                warnings: vec![],
                patched: None,
            }
        );
        assert_eq!(shelf.read("oracle-check/SKILL.md"), written);
        assert_eq!(shelf.found(), ["oracle-check/SKILL.md"]);
    }

    #[test]
    fn a_category_and_the_root_are_made_when_they_are_missing() {
        let shelf = Shelf::new();
        std::fs::remove_dir(&shelf.root).unwrap();
        let state = shelf.state();
        store(&state).create(&shelf.root, Some("tools"), "one", "Do.\n", &[]).unwrap();
        assert_eq!(shelf.found(), ["tools/one/SKILL.md"]);
    }

    #[test]
    fn what_exists_is_refused_wherever_it_is_in_the_root() {
        let shelf = Shelf::new();
        shelf.skill("cat/one");
        std::fs::create_dir(shelf.root.join("empty")).unwrap();
        std::fs::write(shelf.root.join("file"), "").unwrap();
        link("nowhere", &shelf.root.join("dangling"));
        let state = shelf.state();
        let existing = shelf.catalogue(&state).skills;
        let create = |name: &str, existing: &[Listed]| {
            refused(&shelf, &state, |store| {
                store.create(&shelf.root, None, name, "Do.\n", existing)
            })
        };
        assert_eq!(
            create("one", &existing),
            "the skill `one` exists already at `ROOT/cat/one/SKILL.md`"
        );
        assert_eq!(
            create("ONE", &existing),
            "the skill `one` exists already at `ROOT/cat/one/SKILL.md`"
        );
        // Also when the caller did not know of it.
        for name in ["empty", "file", "dangling"] {
            let expected = format!("the skill `{name}` exists already at `ROOT/{name}`");
            assert_eq!(create(name, &[]), expected);
        }
    }

    #[test]
    fn two_names_with_one_slug_are_a_conflict_and_not_an_overwrite() {
        let shelf = Shelf::new();
        let state = shelf.state();
        store(&state).create(&shelf.root, None, "C++", "Use RAII.\n", &[]).unwrap();
        let existing = shelf.catalogue(&state).skills;
        let conflict = "`C#` and the existing `C++` would share the slug `c`";
        for known in [&existing[..], &[]] {
            let create = refused(&shelf, &state, |store| {
                store.create(&shelf.root, None, "C#", "Use LINQ.\n", known)
            });
            assert_eq!(create, conflict);
            let upsert = refused(&shelf, &state, |store| {
                store.upsert(&shelf.root, "C#", "Use LINQ.\n", known)
            });
            assert_eq!(upsert, conflict);
        }
        let again = refused(&shelf, &state, |store| {
            store.create(&shelf.root, None, "c++", "Again.\n", &[])
        });
        assert_eq!(again, "the skill `c` exists already at `ROOT/c`");
    }

    #[test]
    fn names_and_categories_that_cannot_be_found_again_are_refused() {
        let shelf = Shelf::new();
        shelf.skill("skill");
        let state = shelf.state();
        let create = |name: &str, category: Option<&str>| {
            refused(&shelf, &state, |store| store.create(&shelf.root, category, name, "Do.\n", &[]))
        };
        assert_eq!(create("!!!", None), "`!!!` has no letter or digit to make a slug from");
        for name in ["venv", "site-packages"] {
            let slug =
                format!("no skill is looked for in a folder called `{name}`; choose another name");
            assert_eq!(create(name, None), slug);
            let category = format!(
                "`{name}` cannot be a category: no skill is looked for in a folder of that name"
            );
            assert_eq!(create("new", Some(name)), category);
        }
        assert_eq!(create("new", Some("skill")), "`skill` cannot be a category: it is a skill");
        for category in
            ["", "..", "../x", "/abs", "a/b", "A", "a b", ".hidden", &"a".repeat(65), "a\\b"]
        {
            let expected = format!(
                "`{}` cannot be a category: use lower-case letters, digits and hyphens",
                category.escape_debug()
            );
            assert_eq!(create("new", Some(category)), expected);
        }
    }

    #[test]
    fn a_root_that_is_a_skill_gets_no_skill_in_its_supporting_folders() {
        let shelf = Shelf::new();
        shelf.write("SKILL.md", text("skills", "The root", "Do.\n"));
        let state = shelf.state();
        let message = refused(&shelf, &state, |store| {
            store.create(&shelf.root, None, "references", "Do.\n", &[])
        });
        assert_eq!(
            message,
            "no skill is looked for in a folder called `references`; choose another name"
        );
        assert!(store(&state).create(&shelf.root, None, "other", "Do.\n", &[]).is_ok());
    }

    #[test]
    fn a_text_that_is_no_valid_skill_is_refused() {
        let shelf = Shelf::new();
        let state = shelf.state();
        let create = |content: &str| {
            refused(&shelf, &state, |store| store.create(&shelf.root, None, "one", content, &[]))
        };
        assert_eq!(create(""), "the skill has no body: write down what to do");
        assert_eq!(
            create(&text("one", "x", " \n")),
            "the skill has no body: write down what to do"
        );
        let long = create(&text("one", &"d".repeat(1_025), "Do.\n"));
        assert_eq!(
            long,
            "the result would not be a valid skill: the description has 1025 characters, 1024 are allowed"
        );
        let unclosed = create("---\nname: one\n");
        assert!(unclosed.contains("never closed"), "{unclosed}");
    }
}

mod editing {
    use super::*;

    #[test]
    fn the_whole_text_is_replaced_and_both_texts_are_in_the_history() {
        let (shelf, state, one) = shelf_with_one();
        let new = text("one", "Other", "Do other.\n");
        let change = store(&state).edit(&one, &new).unwrap();
        let old = skill_text("one");
        assert_eq!(
            change,
            Change {
                action: Action::Edit,
                name: "one".to_owned(),
                path: shelf.root.join("one"),
                files: vec![delta("SKILL.md", Some(&old), Some(&new))],
                revision: Some(2),
                from_version: None,
                to_version: None,
                warnings: vec![],
                patched: None,
            }
        );
        assert_eq!(shelf.read("one/SKILL.md"), new);
        let history = shelf.history(&state, "one");
        let told: Vec<(u64, Action, &str, &str)> = history
            .iter()
            .map(|r| (r.revision, r.action, r.actor.as_str(), r.reason.as_str()))
            .collect();
        assert_eq!(
            told,
            [(1, Action::Outside, "", "as it was found"), (2, Action::Edit, "tester", "a test")]
        );
    }

    #[test]
    fn every_text_that_would_break_the_skill_is_refused_through_every_door() {
        let (shelf, state, one) = shelf_with_one();
        let long_name = "n".repeat(65);
        let cases = [
            ("no frontmatter\n".to_owned(), "there is no frontmatter"),
            ("---\nname: one\ndescription: x\n".to_owned(), "never closed"),
            ("---\n- a\n- b\n---\nDo.\n".to_owned(), "not keys with values"),
            ("---\nname: one\n---\nDo.\n".to_owned(), "no description"),
            (text("two", "x", "Do.\n"), "folder"),
            (text("One", "x", "Do.\n"), "lower case"),
            (text(&long_name, "x", "Do.\n"), "65 characters"),
            (text("one", &"d".repeat(1_025), "Do.\n"), "1025 characters"),
            (text("one", "a\0b", "Do.\n"), "NUL"),
            (text("one", "x", ""), "no body"),
            (text("one", "x", &"a".repeat(MAX_SKILL_CHARS)), "100000 are allowed"),
        ];
        for (new, expected) in cases {
            let edited = refused(&shelf, &state, |store| store.edit(&one, &new));
            assert!(edited.contains(expected), "{edited} / {expected}");
            let written = refused(&shelf, &state, |store| {
                store.write_file(&one, "SKILL.md", new.as_bytes(), false)
            });
            assert_eq!(written, edited);
            let old = skill_text("one");
            let patched = refused(&shelf, &state, |store| {
                store.patch(&one, Some("SKILL.md"), &old, &new, Matching::Exact)
            });
            assert_eq!(patched, edited);
            let fixed = refused(&shelf, &state, |store| store.fix(&one, &new));
            assert_eq!(fixed, edited);
        }
        let utf8 =
            refused(&shelf, &state, |store| store.write_file(&one, "SKILL.md", b"\xFF", false));
        assert_eq!(utf8, "`SKILL.md` must be UTF-8");
    }

    #[test]
    fn a_skill_of_100_000_characters_is_written_and_one_more_is_refused() {
        let (shelf, state, one) = shelf_with_one();
        let of = |count: usize| {
            let start = text("one", "x", "");
            // Two bytes each: characters count, not bytes.
            format!("{start}{}", "é".repeat(count - start.chars().count()))
        };
        let message = refused(&shelf, &state, |store| store.edit(&one, &of(MAX_SKILL_CHARS + 1)));
        assert_eq!(message, "`SKILL.md` has 100001 characters, 100000 are allowed");
        store(&state).edit(&one, &of(MAX_SKILL_CHARS)).unwrap();
        assert_eq!(shelf.read("one/SKILL.md").chars().count(), MAX_SKILL_CHARS);
    }

    #[test]
    fn a_skill_placed_by_hand_that_is_too_long_may_shrink_but_not_grow() {
        let shelf = Shelf::new();
        let of = |count: usize| text("one", "x", &format!("{}\n", "a".repeat(count)));
        shelf.write("one/SKILL.md", of(150_000));
        let state = shelf.state();
        let one = shelf.listed(&state, "one");
        store(&state).edit(&one, &of(120_000)).unwrap();
        let message = refused(&shelf, &state, |store| store.edit(&one, &of(130_000)));
        assert!(message.ends_with("100000 are allowed"), "{message}");
    }

    #[test]
    fn a_skill_that_breaks_a_rule_can_be_edited_but_may_not_break_another() {
        let shelf = Shelf::new();
        shelf.write("odd/SKILL.md", text("Odd Name", "x", ""));
        let state = shelf.state();
        let odd = shelf.listed(&state, "Odd Name");
        // Its name breaks three rules and it has no body: both may stay.
        let change = store(&state).edit(&odd, &text("Odd Name", "better", "")).unwrap();
        let rules: Vec<&str> = change.warnings.iter().map(|warning| warning.rule.id()).collect();
        assert_eq!(rules, ["name-uppercase", "name-characters", "name-folder"]);
        let long = text("Odd Name", &"d".repeat(1_025), "");
        let message = refused(&shelf, &state, |store| store.edit(&odd, &long));
        assert!(message.contains("1025 characters"), "{message}");
        store(&state).edit(&odd, &text("odd", "better", "Do.\n")).unwrap();
        let back =
            refused(&shelf, &state, |store| store.edit(&odd, &text("Odd Name", "x", "Do.\n")));
        assert!(back.contains("lower case"), "{back}");
    }

    #[test]
    fn a_text_that_is_already_there_is_refused() {
        let (shelf, state, one) = shelf_with_one();
        let message = refused(&shelf, &state, |store| store.edit(&one, &skill_text("one")));
        assert_eq!(message, "nothing would change");
    }

    #[test]
    fn permissions_are_kept() {
        let (shelf, state, one) = shelf_with_one();
        let path = shelf.root.join("one/SKILL.md");
        chmod(&path, 0o640);
        store(&state).edit(&one, &text("one", "x", "Do.\n")).unwrap();
        store(&state).patch(&one, None, "Do.", "Do it.", Matching::Exact).unwrap();
        assert_eq!(mode(&path), 0o640);
        let script = shelf.write("one/scripts/run.sh", "echo old\n");
        chmod(&script, 0o750);
        store(&state).write_file(&one, "scripts/run.sh", b"echo new\n", false).unwrap();
        store(&state).patch(&one, Some("scripts/run.sh"), "new", "newer", Matching::Exact).unwrap();
        assert_eq!(
            (mode(&script), shelf.read("one/scripts/run.sh").as_str()),
            (0o750, "echo newer\n")
        );
    }

    #[test]
    fn a_built_in_skill_is_read_and_never_changed() {
        let shelf = Shelf::new();
        let state = shelf.state();
        let search = hone_library::Search {
            builtin: true,
            ..hone_library::Search::only(
                Vec::new(),
                &shelf.around(),
                &hone_library::Config::default(),
            )
        };
        let catalogue = hone_library::Catalogue::find(search, &state);
        let hone = catalogue.resolve("hone", &shelf.root).unwrap();
        assert!(read_text(hone).unwrap().starts_with(b"---\nname: hone\n"));
        assert_eq!(list_files(hone).unwrap(), Vec::<String>::new());
        let message = "`hone` is part of hone and cannot be changed; copy it with `hone new`";
        let error = |result: Result<Change, Error>| result.unwrap_err().to_string();
        let store = store(&state);
        assert_eq!(error(store.edit(hone, "x")), message);
        assert_eq!(error(store.patch(hone, None, "a", "b", Matching::Exact)), message);
        assert_eq!(error(store.delete(hone)), message);
        assert_eq!(error(store.write_file(hone, "references/x", b"", false)), message);
        assert_eq!(error(store.remove_file(hone, "references/x")), message);
    }
}

mod patching {
    use super::*;

    #[test]
    fn one_piece_is_replaced_and_reported() {
        let (shelf, state, one) = shelf_with_one();
        let change =
            store(&state).patch(&one, None, "Do one.", "Do two.", Matching::Exact).unwrap();
        let patched = change.patched.unwrap();
        assert_eq!(
            (patched.matched.as_str(), patched.line, patched.fuzzy, change.revision),
            ("Do one.", 5, false, Some(2))
        );
        assert_eq!(shelf.read("one/SKILL.md"), text("one", "About one", "Do two.\n"));
    }

    #[test]
    fn zero_and_several_occurrences_are_refused_with_their_number() {
        let (shelf, state, one) = shelf_with_one();
        let patch = |old: &str, new: &str| {
            refused(&shelf, &state, |store| store.patch(&one, None, old, new, Matching::Exact))
        };
        assert_eq!(patch("nowhere", "x"), "the old text occurs 0 times");
        assert_eq!(patch("one", "x"), "the old text occurs 3 times, at lines 2, 3, 5");
        assert_eq!(patch("", "x"), "the old text is empty");
        assert_eq!(patch("one", "one"), "the old and the new text are the same");
        assert_eq!(
            patch("description: About one\n", ""),
            "the result would not be a valid skill: there is no description"
        );
    }

    #[test]
    fn line_ends_stay_what_they_are() {
        let shelf = Shelf::new();
        let crlf = |text: &str| text.replace('\n', "\r\n");
        shelf.write("one/SKILL.md", crlf(&text("one", "x", "First.\nSecond.\n")));
        let state = shelf.state();
        let one = shelf.listed(&state, "one");
        store(&state).patch(&one, None, "First.", "1\n2\n3", Matching::Exact).unwrap();
        assert_eq!(shelf.read("one/SKILL.md"), crlf(&text("one", "x", "1\n2\n3\nSecond.\n")));
        store(&state).patch(&one, None, "3\nSecond.", "3\n4", Matching::Fuzzy).unwrap();
        assert_eq!(shelf.read("one/SKILL.md"), crlf(&text("one", "x", "1\n2\n3\n4\n")));
    }

    #[test]
    fn a_file_that_is_missing_or_not_text_is_refused() {
        let (shelf, state, one) = shelf_with_one();
        shelf.write("one/references/a.md", "text\n");
        shelf.write("one/assets/b.bin", b"\xFF\xFE\n");
        let patch = |file: &str| {
            let mut hint = None;
            let message = refused(&shelf, &state, |store| {
                let result = store.patch(&one, Some(file), "a", "b", Matching::Exact);
                hint = result.as_ref().err().and_then(Error::hint);
                result
            });
            (message, hint)
        };
        assert_eq!(
            patch("references/none.md"),
            (
                "the skill has no file `references/none.md`".to_owned(),
                Some("it has SKILL.md, assets/b.bin, references/a.md".to_owned())
            )
        );
        assert_eq!(patch("assets/b.bin"), ("`assets/b.bin` is not text".to_owned(), None));
    }
}

mod files {
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
            let written =
                refused(&shelf, &state, |store| store.write_file(&one, path, b"x", false));
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
        assert_eq!((change.action, change.revision), (Action::WriteFile, Some(1)));
        assert_eq!(change.files, [delta(path, None, Some(""))]);
        let change = write("notes\n");
        assert_eq!(change.files, [delta(path, Some(""), Some("notes\n"))]);
        assert_eq!(list_files(&one).unwrap(), [path]);
        assert_eq!(read_file(&one, path).unwrap(), b"notes\n");
        let change = store.remove_file(&one, path).unwrap();
        assert_eq!((change.action, change.revision), (Action::RemoveFile, Some(3)));
        assert_eq!(change.files, [delta(path, Some("notes\n"), None)]);
        // Folders that it leaves empty go too.
        let left: Vec<String> = tree(&shelf.root.join("one")).into_keys().collect();
        assert_eq!(left, ["SKILL.md"]);
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
        assert_eq!((mode(&path), change.revision), (0o750, Some(3)));
        let message = refused(&shelf, &state, |store| {
            store.write_file(&one, "scripts/run.sh", b"echo\n", true)
        });
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
}

mod deleting {
    use super::*;

    #[test]
    fn the_folder_goes_and_so_does_a_category_that_it_leaves_empty() {
        let shelf = Shelf::new();
        shelf.skill("a/b/one");
        shelf.skill("a/b/two");
        shelf.write("a/b/one/references/x.md", "x\n");
        let state = shelf.state();
        let change = store(&state).delete(&shelf.listed(&state, "one")).unwrap();
        assert_eq!(
            (change.action, change.revision, &change.path),
            (Action::Delete, Some(2), &shelf.root.join("a/b/one"))
        );
        assert_eq!(
            change.files,
            [
                delta("SKILL.md", Some(&skill_text("one")), None),
                delta("references/x.md", Some("x\n"), None),
            ]
        );
        assert_eq!(shelf.found(), ["a/b/two/SKILL.md"]);
        store(&state).delete(&shelf.listed(&state, "two")).unwrap();
        let left: Vec<String> = tree(&shelf.root).into_keys().collect();
        assert_eq!(left, ["a/"]);
    }

    #[test]
    fn the_root_stays_when_its_last_skill_goes() {
        let (shelf, state, one) = shelf_with_one();
        store(&state).delete(&one).unwrap();
        assert!(shelf.root.is_dir());
        let again = store(&state).delete(&one).unwrap_err();
        let expected = "could not find `ROOT/one`: No such file or directory (os error 2)";
        assert_eq!(shelf.shown(&again.to_string()), expected);
    }

    #[test]
    fn a_pinned_skill_stays_until_it_is_unpinned() {
        let (shelf, state, one) = shelf_with_one();
        assert!(store(&state).pin(&one).unwrap());
        assert!(!store(&state).pin(&one).unwrap());
        let message = refused(&shelf, &state, |store| store.delete(&one));
        assert_eq!(message, "`one` is pinned; `hone unpin one` first");
        // A pin keeps it from going, not from getting better.
        store(&state).edit(&one, &text("one", "x", "Do.\n")).unwrap();
        assert!(store(&state).unpin(&one).unwrap());
        assert!(!store(&state).unpin(&one).unwrap());
        store(&state).delete(&one).unwrap();
    }

    #[test]
    fn a_linked_folder_and_a_root_are_refused() {
        let shelf = Shelf::new();
        let outside = shelf.base().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("SKILL.md"), skill_text("linked")).unwrap();
        link(&outside, &shelf.root.join("linked"));
        shelf.write("SKILL.md", text("skills", "The root", "Do.\n"));
        let state = shelf.state();
        let delete = |name: &str| {
            let skill = shelf.listed(&state, name);
            refused(&shelf, &state, |store| store.delete(&skill))
        };
        assert_eq!(
            delete("linked"),
            "`ROOT/linked` is a link to `BASE/outside`; remove the link by hand, or the skill where it really is"
        );
        assert_eq!(delete("skills"), "`ROOT` is a whole root of skills");
    }

    #[test]
    fn a_skill_with_another_inside_is_refused_but_not_for_what_is_no_skill() {
        let (shelf, state, one) = shelf_with_one();
        shelf.skill("one/references/example");
        shelf.skill("one/node_modules/package");
        shelf.skill("one/more/inner");
        let message = refused(&shelf, &state, |store| store.delete(&one));
        assert_eq!(
            message,
            "another skill stands inside it at `more/inner/SKILL.md`; move or remove that one first"
        );
        store(&state).delete(&shelf.listed(&state, "inner")).unwrap();
        store(&state).delete(&one).unwrap();
        assert!(!shelf.root.join("one").exists());
    }

    #[test]
    fn what_cannot_be_kept_is_not_deleted() {
        use std::os::unix::ffi::OsStrExt;
        let (shelf, state, one) = shelf_with_one();
        let odd = shelf.root.join("one").join(std::ffi::OsStr::from_bytes(b"odd\xFF"));
        std::fs::write(&odd, "x").unwrap();
        let message = refused(&shelf, &state, |store| store.delete(&one));
        assert_eq!(message, "`odd\u{FFFD}` has a name that is not UTF-8; remove it by hand");
        std::fs::remove_file(&odd).unwrap();
        let deep = shelf.root.join("one").join("d/".repeat(40));
        std::fs::create_dir_all(&deep).unwrap();
        let message = refused(&shelf, &state, |store| store.delete(&one));
        let expected =
            format!("`{}` lies deeper than 32 folders; remove it by hand", "d/".repeat(33));
        assert_eq!(message, expected);
        assert_eq!(list_files(&one).unwrap(), ["d/".repeat(33)]);
    }
}

mod upserting {
    use super::*;

    fn versions(shelf: &Shelf, prior: &str) -> String {
        let state = shelf.state();
        shelf.write("one/SKILL.md", format!("---\nname: one\ndescription: x\n{prior}---\nDo.\n"));
        let existing = shelf.catalogue(&state).skills;
        let change = store(&state).upsert(&shelf.root, "one", "New body.\n", &existing).unwrap();
        let written = shelf.read("one/SKILL.md");
        assert!(written.ends_with("---\nNew body.\n"), "{written}");
        assert_eq!(written.matches("version:").count(), 1, "{written}");
        change.to_version.unwrap()
    }

    #[test]
    fn the_version_goes_up_by_one_wherever_it_stands() {
        let shelf = Shelf::new();
        assert_eq!(versions(&shelf, "version: 1\n"), "2");
        assert_eq!(versions(&shelf, "version: 9\n"), "10");
        assert_eq!(versions(&shelf, "version: 1.2.9\n"), "1.2.10");
        assert_eq!(versions(&shelf, "metadata:\n  version: \"41\"\n"), "42");
        assert_eq!(versions(&shelf, ""), "2");
    }

    #[test]
    fn a_new_skill_is_version_1_and_the_next_upsert_is_in_place() {
        let shelf = Shelf::new();
        let state = shelf.state();
        for (turn, expected) in [(1, "1"), (2, "2"), (3, "3")] {
            let existing = shelf.catalogue(&state).skills;
            let body = format!("Turn {turn}.\n");
            let change = store(&state).upsert(&shelf.root, "My Skill", &body, &existing).unwrap();
            assert_eq!(change.to_version.as_deref(), Some(expected));
            assert_eq!((change.action, change.revision), (Action::Upsert, Some(turn)));
        }
        // Also when the caller does not know of the skill.
        let change = store(&state).upsert(&shelf.root, "my skill", "Turn 4.\n", &[]).unwrap();
        assert_eq!(
            (change.from_version.as_deref(), change.to_version.as_deref(), change.revision),
            (Some("3"), Some("4"), Some(4))
        );
        assert_eq!(shelf.found(), ["my-skill/SKILL.md"]);
    }

    #[test]
    fn a_single_file_stays_one() {
        let shelf = Shelf::new();
        shelf.write("oracle-check.md", text("oracle-check", "x", "Old.\n"));
        let state = shelf.state();
        let existing = shelf.catalogue(&state).skills;
        let change =
            store(&state).upsert(&shelf.root, "Oracle Check", "New.\n", &existing).unwrap();
        assert_eq!(change.path, shelf.root.join("oracle-check.md"));
        let files: Vec<String> = tree(&shelf.root).into_keys().collect();
        assert_eq!(files, ["oracle-check.md"]);
        let written = shelf.read("oracle-check.md");
        assert!(written.contains("version: \"2\"") && written.ends_with("New.\n"), "{written}");
        let flat = shelf.listed(&state, "oracle-check");
        store(&state).patch(&flat, None, "---\nNew.", "---\nNewer.", Matching::Exact).unwrap();
        store(&state).delete(&flat).unwrap();
        assert_eq!(tree(&shelf.root).len(), 0);
        store(&state).rollback(&shelf.root.join("oracle-check.md"), None).unwrap();
        assert!(shelf.read("oracle-check.md").ends_with("Newer.\n"));
    }

    #[test]
    fn a_folder_that_somebody_named_otherwise_keeps_its_name() {
        let shelf = Shelf::new();
        shelf.write("My Skill/SKILL.md", text("My Skill", "x", "Old.\n"));
        let state = shelf.state();
        let existing = shelf.catalogue(&state).skills;
        let change = store(&state).upsert(&shelf.root, "my skill", "New.\n", &existing).unwrap();
        assert_eq!((change.name.as_str(), change.to_version.as_deref()), ("My Skill", Some("2")));
        assert_eq!(shelf.found(), ["My Skill/SKILL.md"]);
    }
}

mod dry_runs {
    use super::*;

    #[test]
    fn nothing_is_written_and_the_answer_is_the_same_but_for_the_revision() {
        let shelf = Shelf::new();
        for name in ["one", "two", "three"] {
            shelf.skill(name);
        }
        shelf.write("one/references/a.md", "a\n");
        shelf.write("flat.md", skill_text("flat"));
        let state = shelf.state();
        let listed = |name: &str| shelf.listed(&state, name);
        let (one, two, three, flat) =
            (listed("one"), listed("two"), listed("three"), listed("flat"));
        store(&state).edit(&two, &text("two", "changed", "Do.\n")).unwrap();
        store(&state).delete(&three).unwrap();
        let existing = shelf.catalogue(&state).skills;
        type Run<'r> = Box<dyn Fn(&Store<'_>) -> Result<Change, Error> + 'r>;
        let runs: Vec<Run<'_>> = vec![
            Box::new(|s| s.create(&shelf.root, Some("new"), "four", "Do.\n", &existing)),
            Box::new(|s| s.create(&shelf.root.join("not/there/yet"), None, "five", "Do.\n", &[])),
            Box::new(|s| s.edit(&one, &text("one", "x", "Do.\n"))),
            Box::new(|s| s.patch(&one, None, "Do.", "Do it.", Matching::Exact)),
            Box::new(|s| s.patch(&one, Some("references/a.md"), "a", "b", Matching::Exact)),
            Box::new(|s| s.write_file(&one, "scripts/x/y.sh", b"y", true)),
            Box::new(|s| s.remove_file(&one, "references/a.md")),
            Box::new(|s| s.upsert(&shelf.root, "flat", "New.\n", &existing)),
            Box::new(|s| s.upsert(&shelf.root, "six", "New.\n", &existing)),
            Box::new(|s| s.fix(&flat, &text("flat", "mended", "Do.\n"))),
            Box::new(|s| s.rollback(&shelf.root.join("two"), Some(1))),
            Box::new(|s| s.rollback(&shelf.root.join("three"), None)),
            Box::new(|s| s.delete(&two)),
        ];
        for (at, run) in runs.iter().enumerate() {
            let before = (tree(&shelf.base()), row_counts(&shelf.home));
            let tried = run(&dry(&state)).unwrap();
            let files = |(all, _): &(std::collections::BTreeMap<_, _>, _)| {
                all.clone().into_iter().filter(not_database).collect::<Vec<_>>()
            };
            let after = (tree(&shelf.base()), row_counts(&shelf.home));
            assert_eq!((files(&before), &before.1), (files(&after), &after.1), "run {at}");
            assert_eq!(tried.revision, None);
            let done = run(&store(&state)).unwrap();
            assert_eq!(Change { revision: done.revision, ..tried }, done, "run {at}");
        }
    }

    #[test]
    fn pins_are_not_moved() {
        let (_shelf, state, one) = shelf_with_one();
        assert!(dry(&state).pin(&one).unwrap());
        assert!(!store(&state).is_pinned(&one).unwrap());
        store(&state).pin(&one).unwrap();
        assert!(!dry(&state).pin(&one).unwrap());
        assert!(dry(&state).unpin(&one).unwrap());
        assert!(store(&state).is_pinned(&one).unwrap());
    }

    #[test]
    fn a_category_that_is_gone_is_no_hindrance() {
        let shelf = Shelf::new();
        shelf.skill("category/one");
        let state = shelf.state();
        store(&state).delete(&shelf.listed(&state, "one")).unwrap();
        assert!(!shelf.root.join("category").exists());
        let change = dry(&state).rollback(&shelf.root.join("category/one"), None).unwrap();
        assert_eq!(change.files, [delta("SKILL.md", None, Some(&skill_text("one")))]);
        assert!(!shelf.root.join("category").exists());
        let error = dry(&state).rollback(&shelf.root.join("category/one"), Some(9)).unwrap_err();
        assert_eq!(error.to_string(), "`one` has no revision 9");
    }
}

mod links {
    use super::*;

    /// A skill with links: to a file and a folder outside, and to those inside.
    fn shelf_with_links() -> (Shelf, State, Listed) {
        let (shelf, state, one) = shelf_with_one();
        let outside = shelf.base().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret.md"), "secret\n").unwrap();
        shelf.write("one/references/inside.md", "inside\n");
        link("../../../outside/secret.md", &shelf.root.join("one/references/out.md"));
        link(outside.join("secret.md"), &shelf.root.join("one/references/absolute.md"));
        link(&outside, &shelf.root.join("one/assets"));
        link("inside.md", &shelf.root.join("one/references/link.md"));
        link("references", &shelf.root.join("one/templates"));
        (shelf, state, one)
    }

    fn leads_out(file: &str) -> String {
        format!("`{file}` cannot be a file of a skill: it leads out of the skill")
    }

    #[test]
    fn a_link_out_of_the_skill_is_never_read() {
        let (_shelf, _state, one) = shelf_with_links();
        for file in ["references/out.md", "references/absolute.md", "assets/secret.md"] {
            assert_eq!(read_file(&one, file).unwrap_err().to_string(), leads_out(file));
        }
        for file in ["../SKILL.md", "/etc/passwd", "references/../../x", "C:\\x", ""] {
            assert!(matches!(read_file(&one, file), Err(Error::FilePath { .. })), "{file}");
        }
    }

    #[test]
    fn a_link_inside_the_skill_is_read() {
        let (_shelf, _state, one) = shelf_with_links();
        assert_eq!(read_file(&one, "references/link.md").unwrap(), b"inside\n");
        assert_eq!(read_file(&one, "templates/inside.md").unwrap(), b"inside\n");
        let folder = read_file(&one, "references").unwrap_err().to_string();
        assert_eq!(folder, "`references` cannot be a file of a skill: it is a folder");
    }

    #[test]
    fn a_pipe_behind_a_link_is_refused_and_not_waited_for() {
        let (shelf, _state, one) = shelf_with_links();
        let pipe = shelf.root.join("one/references/pipe");
        crate::shelf::output(std::process::Command::new("mkfifo").arg(&pipe));
        link("pipe", &shelf.root.join("one/references/to-pipe"));
        for file in ["references/pipe", "references/to-pipe"] {
            let expected =
                format!("`{file}` cannot be a file of a skill: it is not a regular file");
            assert_eq!(read_file(&one, file).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (shelf, state, one) = shelf_with_links();
        let write = |file: &str| {
            refused(&shelf, &state, |store| store.write_file(&one, file, b"mine", false))
        };
        let patch = |file: &str| {
            refused(&shelf, &state, |store| {
                store.patch(&one, Some(file), "secret", "mine", Matching::Exact)
            })
        };
        let is_link = |file: &str, target: &str| {
            format!("`{file}` is a link to `{target}`; change the file that it leads to")
        };
        let out = is_link("references/out.md", "../../../outside/secret.md");
        assert_eq!(write("references/out.md"), out);
        assert_eq!(patch("references/out.md"), out);
        assert_eq!(
            write("references/absolute.md"),
            is_link("references/absolute.md", "BASE/outside/secret.md")
        );
        assert_eq!(write("references/link.md"), is_link("references/link.md", "inside.md"));
        assert_eq!(write("assets/secret.md"), leads_out("assets/secret.md"));
        assert_eq!(write("assets/new.md"), leads_out("assets/new.md"));
        assert_eq!(write("assets/new/deep.md"), leads_out("assets/new/deep.md"));
        assert_eq!(patch("assets/secret.md"), leads_out("assets/secret.md"));
        let remove = refused(&shelf, &state, |store| store.remove_file(&one, "assets/secret.md"));
        assert_eq!(remove, leads_out("assets/secret.md"));
        // A folder that leads elsewhere inside the skill is as good as that one.
        store(&state).write_file(&one, "templates/new.md", b"new", false).unwrap();
        assert_eq!(shelf.read("one/references/new.md"), "new");
    }

    #[test]
    fn a_link_can_be_taken_away_and_comes_back_as_a_link() {
        let (shelf, state, one) = shelf_with_links();
        let path = shelf.root.join("one/references/out.md");
        let change = store(&state).remove_file(&one, "references/out.md").unwrap();
        let shown = "link to ../../../outside/secret.md\n";
        assert_eq!(change.files, [delta("references/out.md", Some(shown), None)]);
        assert!(path.symlink_metadata().is_err());
        assert_eq!(std::fs::read(shelf.base().join("outside/secret.md")).unwrap(), b"secret\n");
        store(&state).rollback(&shelf.root.join("one"), None).unwrap();
        assert_eq!(std::fs::read_link(&path).unwrap(), Path::new("../../../outside/secret.md"));
    }

    #[test]
    fn a_linked_skill_file_is_read_and_changed_only_where_it_really_is() {
        let shelf = Shelf::new();
        let outside = shelf.base().join("mine.md");
        std::fs::write(&outside, skill_text("linked")).unwrap();
        link(&outside, &shelf.root.join("linked/SKILL.md"));
        let state = shelf.state();
        let linked = shelf.listed(&state, "linked");
        assert_eq!(read_text(&linked).unwrap(), skill_text("linked").as_bytes());
        assert_eq!(read_file(&linked, "SKILL.md").unwrap(), skill_text("linked").as_bytes());
        let message = refused(&shelf, &state, |store| store.edit(&linked, "x"));
        assert_eq!(
            message,
            "`SKILL.md` is a link to `BASE/mine.md`; change the file that it leads to"
        );
    }

    #[test]
    fn a_skill_behind_a_linked_folder_is_changed_where_it_really_is() {
        let shelf = Shelf::new();
        let outside = shelf.base().join("outside/one");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("SKILL.md"), skill_text("one")).unwrap();
        link(&outside, &shelf.root.join("one"));
        let state = shelf.state();
        let one = shelf.listed(&state, "one");
        let change = store(&state).edit(&one, &text("one", "x", "Do.\n")).unwrap();
        assert_eq!(change.path, outside);
        assert!(shelf.root.join("one").symlink_metadata().unwrap().is_symlink());
        assert_eq!(hone_library::history(&state, &outside).unwrap().len(), 2);
    }

    #[test]
    fn a_folder_swapped_for_a_link_between_check_and_use_leads_nobody_out() {
        let shelf = Shelf::in_memory();
        shelf.skill("one");
        let state = shelf.state();
        let one = shelf.listed(&state, "one");
        let outside = shelf.base().join("outside");
        std::fs::create_dir(&outside).unwrap();
        let skill = shelf.root.join("one");
        shelf.write("one/references/kept.md", "so that it is never empty");
        link(&outside, &skill.join("evil"));
        let stop = AtomicBool::new(false);
        let mut written = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (folder, evil) = (skill.join("references"), skill.join("evil"));
                let cwd = rustix::fs::CWD;
                while !stop.load(Ordering::Relaxed) {
                    let swap = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(cwd, &folder, cwd, &evil, swap).unwrap();
                }
            });
            for turn in 0..2_000 {
                let bytes = format!("turn {turn}");
                let file = format!("references/{}.md", turn % 3);
                match store(&state).write_file(&one, &file, bytes.as_bytes(), false) {
                    Ok(_) => written += 1,
                    Err(Error::FilePath { why, .. }) => {
                        assert_eq!(why, "it leads out of the skill");
                    }
                    // The folder went away while it was written to.
                    Err(Error::Changed { .. } | Error::Io { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(tree(&outside).len(), 0);
        assert!(written > 0);
    }
}

#[test]
fn state_and_skills_may_be_on_different_file_systems() {
    let shelf = Shelf::new();
    let memory = Path::new("/dev/shm");
    let is_other =
        memory.is_dir() && memory.metadata().unwrap().dev() != shelf.root.metadata().unwrap().dev();
    assert!(is_other, "/dev/shm should be another file system than {}", shelf.root.display());
    let home = tempfile::tempdir_in(memory).unwrap();
    let state = State::open(home.path());
    let store = store(&state);
    store.create(&shelf.root, None, "one", "Do.\n", &[]).unwrap();
    let root = vec![Root::explicit(&shelf.root, &shelf.root).unwrap()];
    let search =
        hone_library::Search::only(root, &shelf.around(), &hone_library::Config::default());
    let one = hone_library::Catalogue::find(search, &state).skills[0].clone();
    store.write_file(&one, "scripts/x.sh", b"x", true).unwrap();
    store.delete(&one).unwrap();
    store.rollback(&shelf.root.join("one"), None).unwrap();
    assert_eq!(shelf.found(), ["one/SKILL.md"]);
    assert_eq!(mode(&shelf.root.join("one/scripts/x.sh")), 0o755);
}

#[test]
fn names_that_meet_in_a_race_of_upserts_end_as_versions_of_one_skill() {
    let shelf = Shelf::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let shelf = &shelf;
            scope.spawn(move || {
                let state = shelf.state();
                for turn in 0..5 {
                    let body = format!("Thread {thread}, turn {turn}.\n");
                    store(&state).upsert(&shelf.root, "shared", &body, &[]).unwrap();
                }
            });
        }
    });
    let state = shelf.state();
    assert_eq!(shelf.listed(&state, "shared").summary.version.as_deref(), Some("20"));
    let history = shelf.history(&state, "shared");
    let versions: Vec<Option<String>> = history.iter().map(|r| r.to_version.clone()).collect();
    assert_eq!(versions, (1..=20).map(|n| Some(n.to_string())).collect::<Vec<_>>());
}
