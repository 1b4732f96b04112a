//! Links in and around a skill: followed where that is safe, refused where it is not.

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
        let expected = format!("`{file}` cannot be a file of a skill: it is not a regular file");
        assert_eq!(read_file(&one, file).unwrap_err().to_string(), expected);
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    let (shelf, state, one) = shelf_with_links();
    let write =
        |file: &str| refused(&shelf, &state, |store| store.write_file(&one, file, b"mine", false));
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
    assert_eq!(message, "`SKILL.md` is a link to `BASE/mine.md`; change the file that it leads to");
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
