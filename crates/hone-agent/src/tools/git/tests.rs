use super::*;

fn at(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    let path = at(folder, name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, ".git/hooks/pre-push", "#!/bin/sh\n");
    let program = fs::Permissions::from_mode(0o755);
    fs::set_permissions(at(&folder, ".git/hooks/pre-push"), program).unwrap();
    write(&folder, ".git/config", "[core]\n");
    folder
}

fn files(folder: &tempfile::TempDir) -> Vec<BTreeMap<PathBuf, Kept>> {
    let known = Repositories::of(folder.path()).unwrap().known;
    known.into_iter().map(|known| known.files).collect()
}

#[test]
fn what_a_command_does_to_hooks_and_settings_is_undone() {
    let folder = repository();
    let before = Repositories::of(folder.path()).unwrap();
    assert_eq!(before.put_back().unwrap(), Vec::<String>::new());
    let was = files(&folder);
    write(&folder, ".git/hooks/pre-commit", "evil");
    write(&folder, ".git/hooks/pre-push", "evil");
    write(&folder, ".git/config", "[core]\n\thooksPath = /tmp/evil\n");
    write(&folder, ".git/index", "work");
    let expected = [".git/config", ".git/hooks/pre-commit", ".git/hooks/pre-push"];
    assert_eq!(before.put_back().unwrap(), expected);
    assert_eq!(files(&folder), was);
    assert!(at(&folder, ".git/index").exists(), "the rest is the command's to write");
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let folder = repository();
    let elsewhere = tempfile::tempdir().unwrap();
    write(&elsewhere, "pre-push", "theirs");
    let (before, was) = (Repositories::of(folder.path()).unwrap(), files(&folder));
    fs::remove_dir_all(at(&folder, ".git/hooks")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), at(&folder, ".git/hooks")).unwrap();
    assert_eq!(before.put_back().unwrap(), [".git/hooks/pre-push"]);
    assert_eq!(fs::read_to_string(at(&elsewhere, "pre-push")).unwrap(), "theirs");
    assert_eq!(files(&folder), was);
}

#[test]
fn a_new_repository_has_no_hooks_and_harmless_settings_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let before = Repositories::of(folder.path()).unwrap();
    let config = "[core]\n\tbare = false\n\tfsmonitor = evil\n";
    for name in [".git", "a/b/.git", "bare.git", "plain", ".git/objects/hidden", "a/.GIT"] {
        write(&folder, &format!("{name}/config"), config);
        write(&folder, &format!("{name}/hooks/pre-commit"), "evil");
        write(&folder, &format!("{name}/hooks/pre-commit.sample"), "sample");
        fs::create_dir_all(at(&folder, &format!("{name}/objects"))).unwrap();
        fs::create_dir_all(at(&folder, &format!("{name}/refs"))).unwrap();
    }
    // Apart: a head that says where the rest is, and settings that are links.
    write(&folder, "apart/HEAD", "ref: refs/heads/main\n");
    write(&folder, "apart/commondir", "../plain\n");
    std::os::unix::fs::symlink("../evil", at(&folder, "apart/config.worktree")).unwrap();
    std::os::unix::fs::symlink("../evil", at(&folder, "apart/hooks")).unwrap();
    write(&folder, "no-repository/config", config);
    assert_eq!(
        before.put_back().unwrap(),
        [
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/objects/hidden/config",
            ".git/objects/hidden/hooks/pre-commit",
            "a/.GIT/config",
            "a/.GIT/hooks/pre-commit",
            "a/b/.git/config",
            "a/b/.git/hooks/pre-commit",
            "apart/hooks",
            "apart/config.worktree",
            "bare.git/config",
            "bare.git/hooks/pre-commit",
            "plain/config",
            "plain/hooks/pre-commit",
        ]
    );
    let left = fs::read_to_string(at(&folder, "plain/config")).unwrap();
    assert_eq!(left, "[core]\n\tbare = false\n");
    assert!(at(&folder, "a/b/.git/hooks/pre-commit.sample").exists());
    assert_eq!(fs::read_to_string(at(&folder, "no-repository/config")).unwrap(), config);
    assert_eq!(before.put_back().unwrap(), Vec::<String>::new());
}

#[test]
fn a_repository_that_is_moved_keeps_its_hooks_and_its_settings() {
    let folder = repository();
    let (before, was) = (Repositories::of(folder.path()).unwrap(), files(&folder));
    fs::create_dir_all(at(&folder, ".git/objects")).unwrap();
    fs::create_dir_all(at(&folder, ".git/refs")).unwrap();
    write(&folder, ".git/hooks/pre-push", "evil");
    fs::rename(at(&folder, ".git"), at(&folder, "moved")).unwrap();
    write(&folder, ".git/hooks/pre-push", "evil");
    assert_eq!(before.put_back().unwrap(), [".git/hooks/pre-push", "moved/hooks/pre-push"]);
    assert_eq!(files(&folder).pop(), Some(was.into_iter().next().unwrap()));
    assert!(!at(&folder, ".git/hooks/pre-push").exists(), "it is another repository");
}

#[test]
fn a_repository_that_is_made_again_gets_back_what_it_had() {
    let folder = repository();
    let (before, was) = (Repositories::of(folder.path()).unwrap(), files(&folder));
    // Kept open, so that no other folder gets its number.
    let _open = fs::File::open(at(&folder, ".git")).unwrap();
    fs::remove_dir_all(at(&folder, ".git")).unwrap();
    write(&folder, ".git/config", "[core]\n\tpager = evil\n");
    assert_eq!(before.put_back().unwrap(), [".git/config", ".git/hooks/pre-push"]);
    assert_eq!(files(&folder), was);
}

#[test]
fn hooks_and_settings_are_kept_up_to_their_limits() {
    let folder = repository();
    for name in 0..MAX_FILES - 2 {
        write(&folder, &format!(".git/hooks/h{name}"), "");
    }
    assert_eq!(files(&folder)[0].len(), MAX_FILES);
    write(&folder, "below/.git/config", "");
    let why = Repositories::of(folder.path()).unwrap_err();
    assert!(why.contains("more than 4096 hooks"), "{why}");
    let large = repository();
    let rest = MAX_BYTES - "#!/bin/sh\n[core]\n".len() as u64;
    let big = fs::File::create(at(&large, ".git/hooks/big")).unwrap();
    big.set_len(rest).unwrap();
    assert_eq!(files(&large)[0].len(), 3);
    big.set_len(rest + 1).unwrap();
    assert!(Repositories::of(large.path()).unwrap_err().contains("bytes"));
}

#[test]
fn a_workspace_is_looked_through_up_to_its_limit() {
    let folder = repository();
    assert_eq!(places(folder.path(), 4).unwrap().len(), 1);
    assert!(places(folder.path(), 3).is_err());
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(arguments).current_dir(folder).env_remove("GIT_DIR");
    assert!(git.output().unwrap().status.success(), "{arguments:?}");
}

#[test]
fn hooks_and_settings_that_a_setting_names_elsewhere_are_put_back() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["config", "core.hooksPath", ".githooks"]);
    git(folder.path(), &["config", "include.path", "../shared.cfg"]);
    git(folder.path(), &["config", "includeIf.onbranch:other.path", "../tools/other.cfg"]);
    write(&folder, ".githooks/pre-commit", "mine");
    write(&folder, "shared.cfg", "[user]\n\tname = Ada\n");
    write(&folder, "src/main.rs", "fn main() {}");
    let before = Repositories::of(folder.path()).unwrap();
    assert_eq!(before.put_back().unwrap(), Vec::<String>::new());

    write(&folder, ".githooks/pre-commit", "evil");
    write(&folder, ".githooks/post-checkout", "evil");
    write(&folder, "shared.cfg", "[core]\n\tfsmonitor = evil\n");
    write(&folder, "tools/other.cfg", "[core]\n\tpager = evil\n");
    write(&folder, "src/main.rs", "fn main() { work() }");
    let expected =
        [".githooks/post-checkout", ".githooks/pre-commit", "shared.cfg", "tools/other.cfg"];
    assert_eq!(before.put_back().unwrap(), expected);
    let text = |name: &str| fs::read_to_string(at(&folder, name)).unwrap();
    assert_eq!(text(".githooks/pre-commit"), "mine");
    assert_eq!(text("shared.cfg"), "[user]\n\tname = Ada\n");
    assert!(
        !at(&folder, ".githooks/post-checkout").exists()
            && !at(&folder, "tools/other.cfg").exists()
    );
    assert_eq!(text("src/main.rs"), "fn main() { work() }", "the rest is the command's to write");

    // A link in place of a folder is not written through, and what went with its folder stays gone.
    let elsewhere = tempfile::tempdir().unwrap();
    write(&elsewhere, "pre-commit", "theirs");
    fs::remove_dir_all(at(&folder, ".githooks")).unwrap();
    assert_eq!(before.put_back().unwrap(), Vec::<String>::new());
    std::os::unix::fs::symlink(elsewhere.path(), at(&folder, ".githooks")).unwrap();
    before.put_back().unwrap();
    assert!(!at(&folder, ".githooks").exists());
    assert_eq!(fs::read_to_string(at(&elsewhere, "pre-commit")).unwrap(), "theirs");
}

#[test]
fn files_that_settings_have_git_run_are_put_back() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    for (key, value) in [
        ("filter.tidy.clean", "tools/tidy --stdin %f"),
        ("core.fsmonitor", "./tools/watch"),
        ("alias.ship", "!sh -c 'exec \"./tools/ship\"'"),
        ("diff.doc.textconv", &format!("{}/tools/convert", folder.path().display())),
        ("core.pager", "less"),
        ("branch.main.merge", "refs/heads/main"),
    ] {
        git(folder.path(), &["config", key, value]);
    }
    write(&folder, "tools/tidy", "mine");
    write(&folder, "tools/watch", "mine");
    let before = Repositories::of(folder.path()).unwrap();
    assert_eq!(before.put_back().unwrap(), Vec::<String>::new());
    for name in ["tidy", "watch", "ship", "convert", "other"] {
        write(&folder, &format!("tools/{name}"), "evil");
    }
    write(&folder, "less", "work");
    write(&folder, "refs/heads/main", "work");
    let expected = ["tools/convert", "tools/ship", "tools/tidy", "tools/watch"];
    assert_eq!(before.put_back().unwrap(), expected);
    assert_eq!(fs::read_to_string(at(&folder, "tools/tidy")).unwrap(), "mine");
    assert!(!at(&folder, "tools/ship").exists());
    for left in ["tools/other", "less", "refs/heads/main"] {
        assert!(at(&folder, left).exists(), "{left} is the command's to write");
    }
    let is_reached = |name: &str| reaches(folder.path(), Path::new(name)).unwrap();
    assert!(is_reached("tools/tidy") && is_reached("tools/ship"));
    assert!(!is_reached("tools/other") && !is_reached("less"));
}

#[test]
fn in_a_work_tree_of_hooks_only_what_is_called_like_one_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["config", "core.hooksPath", "."]);
    let before = Repositories::of(folder.path()).unwrap();
    write(&folder, "pre-commit", "evil");
    write(&folder, "notes.md", "work");
    assert_eq!(before.put_back().unwrap(), ["pre-commit"]);
    assert!(at(&folder, "notes.md").exists());
}

#[test]
fn a_file_is_reached_where_settings_lead_to_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(at(&folder, "below")).unwrap();
    git(&at(&folder, "below"), &["init", "-q"]);
    let is_reached = |name: &str| reaches(folder.path(), Path::new(name)).unwrap();
    assert!(!is_reached("below/hooks/pre-commit"));
    git(&at(&folder, "below"), &["config", "core.hooksPath", "hooks"]);
    git(&at(&folder, "below"), &["config", "include.path", "../more.cfg"]);
    assert!(is_reached("below/hooks/pre-commit") && is_reached("below/more.cfg"));
    assert!(!is_reached("below/src/main.rs") && !is_reached("hooks/pre-commit"));
}
