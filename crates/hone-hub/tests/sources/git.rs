//! Git repositories: local ones, and real ones behind http.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hone_hub::limits::MAX_TREE_ENTRIES;
use hone_hub::{
    FetchError, FetchOptions, Fetched, Progress, Report, Wanted, fetch, newest_commit, parse,
};
use hone_net::{Reach, Resolve, Resolving, Settings};

use crate::server::{Act, Server, git_backend, sends_on};
use crate::{bundle, failure, fetched, named, options, shown, skill, texts, write};

/// A repository with a work tree, and its bare form beside it, which is what servers offer.
pub(crate) struct Repository {
    root: tempfile::TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let new = Self { root };
        run(new.root.path(), &["init", "--quiet", "--bare", "-b", "main", "skills.git"]);
        run(new.root.path(), &["init", "--quiet", "-b", "main", "work"]);
        new.git(&["remote", "add", "origin", "../skills.git"]);
        new
    }

    /// Commits these files, pushes everything, and gives the commit's id.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        write(&self.work(), files);
        self.git(&["add", "-A"]);
        self.git(&["commit", "--quiet", "-m", "change"]);
        self.push()
    }

    pub(crate) fn push(&self) -> String {
        self.git(&["push", "--quiet", "--all", "origin"]);
        self.git(&["push", "--quiet", "--tags", "origin"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        run(&self.work(), arguments)
    }

    /// Runs git with something on its input.
    fn git_with(&self, arguments: &[&str], input: &str) -> String {
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(self.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Sets something in the repository that servers offer.
    fn serve_with(&self, key: &str, value: &str) {
        run(&self.root.path().join("skills.git"), &["config", key, value]);
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    fn file_url(&self) -> String {
        format!("file://{}/skills.git", self.root.path().display())
    }
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(["-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn fetch_with(source: &str, options: &FetchOptions) -> Result<Fetched, FetchError> {
    fetch(&parse(source).unwrap(), &Wanted::All, options)
}

fn canonical(fetched: &Fetched) -> String {
    fetched.source.to_string()
}

#[test]
fn a_local_repository_gives_its_skills_pinned_to_a_commit() {
    let repository = Repository::new();
    let (pdf, word) = (skill("pdf"), skill("word"));
    let commit = repository.commit(&[
        ("README.md", "# hi"),
        ("skills/pdf/SKILL.md", &pdf),
        ("skills/pdf/scripts/run.sh*", "#!/bin/sh\n"),
        ("skills/word/SKILL.md", &word),
    ]);
    let all = fetched(&repository.file_url()).unwrap();
    assert_eq!(
        shown(&all.bundles),
        [
            bundle("pdf", "skills/pdf", &["SKILL.md", "scripts/run.sh*"]),
            bundle("word", "skills/word", &["SKILL.md"]),
        ]
    );
    assert_eq!((all.commit.as_deref(), all.digest.as_deref()), (Some(commit.as_str()), None));
    assert_eq!(texts(&all.bundles[1])["SKILL.md"], word);
    let one = fetched(&format!("{}//skills/word", repository.file_url())).unwrap();
    assert_eq!(shown(&one.bundles), [bundle("word", "", &["SKILL.md"])]);
    let one = fetched(&format!("{}#main@pdf", repository.file_url())).unwrap();
    assert_eq!(one.bundles.len(), 1);
    assert_eq!(canonical(&one), format!("{}#main@pdf", repository.file_url()));
}

#[test]
fn a_local_repository_is_read_where_it_is_in_every_form_that_it_has() {
    let repository = Repository::new();
    let commit = repository.commit(&[("pdf/SKILL.md", &skill("pdf"))]);
    repository.git(&["worktree", "add", "--quiet", "--detach", "../linked"]);
    repository.git(&["clone", "--quiet", "--depth=1", &repository.file_url(), "../a b"]);
    let root = repository.root().display().to_string();
    for place in ["skills.git", "work", "work/.git", "a%20b", "linked"] {
        let all = fetched(&format!("file://{root}/{place}"));
        let all = all.unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(shown(&all.bundles), [bundle("pdf", "pdf", &["SKILL.md"])], "{place}");
        assert_eq!(all.commit.as_ref(), Some(&commit), "{place}");
    }
    // Nothing of it is copied.
    let work = tempfile::tempdir().unwrap();
    let small = FetchOptions { repository_bytes: 1_000, ..options(work.path()) };
    let large = "x y ".repeat(50_000);
    repository.commit(&[("large.txt", &large)]);
    assert_eq!(fetch_with(&repository.file_url(), &small).unwrap().bundles.len(), 1);
}

#[test]
fn more_contents_than_are_read_ahead_come_one_by_one() {
    let repository = Repository::new();
    let half = 20 * 1024 * 1024;
    let (a, b) = ("a".repeat(half), "b".repeat(half));
    let files =
        [("z/SKILL.md", skill("z")), ("z/a.txt", a), ("z/b.txt", b), ("z/c.txt", "c".into())];
    repository.commit(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    let all = fetched(&repository.file_url()).unwrap();
    let read: Vec<(&str, usize, u8)> = all.bundles[0]
        .files
        .iter()
        .map(|(path, file)| (path.as_str(), file.bytes.len(), file.bytes[0]))
        .collect();
    let first = skill("z").len();
    assert_eq!(
        read,
        [
            ("SKILL.md", first, b'-'),
            ("a.txt", half, b'a'),
            ("b.txt", half, b'b'),
            ("c.txt", 1, b'c')
        ]
    );
}

#[test]
fn an_object_of_a_local_repository_that_is_not_what_its_id_says_is_refused() {
    let repository = Repository::new();
    repository.commit(&[("pdf/SKILL.md", &skill("pdf")), ("pdf/notes.md", "other")]);
    let object = |path: &str| {
        let id = repository.git(&["rev-parse", &format!("HEAD:{path}")]);
        repository.work().join(".git/objects").join(&id[..2]).join(&id[2..])
    };
    let source = format!("file://{}/work", repository.root().display());
    assert_eq!(fetched(&source).unwrap().bundles.len(), 1);
    let (from, to) = (object("pdf/notes.md"), object("pdf/SKILL.md"));
    std::fs::remove_file(&to).unwrap();
    std::fs::copy(from, to).unwrap();
    let error = failure(&source);
    assert!(error.contains("is damaged"), "{error}");
}

#[test]
fn a_real_git_server_is_asked_only_for_what_is_wanted() {
    let repository = Repository::new();
    repository.serve_with("uploadpack.allowFilter", "true");
    let noise: String = (0..200_000_u32)
        .map(|at| {
            char::from(33 + u8::try_from((at.wrapping_mul(2_654_435_761) >> 24) % 90).unwrap())
        })
        .collect();
    repository.commit(&[("large.txt", &noise), ("skills/old/SKILL.md", &skill("old"))]);
    std::fs::remove_dir_all(repository.work().join("skills/old")).unwrap();
    let commit = repository.commit(&[
        ("skills/pdf/SKILL.md", &skill("pdf")),
        ("skills/pdf/notes.md", "notes"),
        ("skills/word/SKILL.md", &skill("word")),
        ("skills/word/large.txt", &noise.replace('a', "b")),
    ]);
    let server = Server::http(git_backend(repository.root()));
    let source = server.url("/skills.git");
    let one = named(&source, &["pdf"]).unwrap();
    assert_eq!(shown(&one.bundles), [bundle("pdf", "skills/pdf", &["SKILL.md", "notes.md"])]);
    assert_eq!(one.commit, Some(commit));
    assert!(server.sent() < 20_000, "{} bytes were sent", server.sent());
    assert_eq!(texts(&one.bundles[0])["notes.md"], "notes");
    assert_eq!(fetched(&source).unwrap().bundles.len(), 2);
}

#[test]
fn a_server_that_cannot_leave_anything_out_works_too() {
    let repository = Repository::new();
    repository.serve_with("uploadpack.allowFilter", "false");
    let commit = repository.commit(&[("pdf/SKILL.md", &skill("pdf"))]);
    let server = Server::http(git_backend(repository.root()));
    let all = fetched(&server.url("/skills.git")).unwrap();
    assert_eq!(
        (shown(&all.bundles), all.commit),
        (vec![bundle("pdf", "pdf", &["SKILL.md"])], Some(commit))
    );
}

#[test]
fn a_server_of_files_alone_works_too() {
    let repository = Repository::new();
    let commit = repository.commit(&[("pdf/SKILL.md", &skill("pdf"))]);
    run(&repository.root().join("skills.git"), &["update-server-info"]);
    let root = repository.root().to_owned();
    let server = Server::http(move |request| {
        match std::fs::read(root.join(request.path.trim_start_matches('/'))) {
            Ok(bytes) => crate::server::good(&bytes),
            Err(_) => crate::server::missing(),
        }
    });
    let all = fetched(&server.url("/skills.git")).unwrap();
    assert_eq!(all.commit, Some(commit));
}

#[test]
fn branches_tags_commits_and_tree_addresses_are_told_apart() {
    let repository = Repository::new();
    let first = repository.commit(&[("a/SKILL.md", &skill("a"))]);
    repository.git(&["tag", "-a", "v1", "-m", "one"]);
    repository.git(&["checkout", "--quiet", "-b", "feature/x"]);
    let second = repository.commit(&[("sub/b/SKILL.md", &skill("b"))]);
    repository.git(&["checkout", "--quiet", "main"]);
    let third = repository.commit(&[("c/SKILL.md", &skill("c"))]);
    repository.push();
    let server = Server::http(git_backend(repository.root()));
    let url = server.url("/skills.git");
    let commit = |source: &str| fetched(source).unwrap().commit.unwrap();
    assert_eq!(commit(&url), third);
    assert_eq!(commit(&format!("{url}#main")), third);
    assert_eq!(commit(&format!("{url}#v1")), first);
    assert_eq!(commit(&format!("{url}#feature/x")), second);
    assert_eq!(commit(&format!("{url}#{first}")), first);
    // Only the server knows where the branch ends and the folder begins.
    let server = Server::http(git_backend(repository.root()));
    let url = server.url("/skills.git");
    let tree = fetched(&format!("{url}/-/tree/feature/x/sub")).unwrap();
    assert_eq!(shown(&tree.bundles), [bundle("b", "b", &["SKILL.md"])]);
    assert_eq!(canonical(&tree), format!("git+{url}//sub#feature/x"));
    assert_eq!(
        failure(&format!("{url}#nope")),
        format!("`{url}` has no branch, tag or whole commit id `nope`")
    );
    assert_eq!(failure(&format!("{url}//nope")), format!("`{url}` has no folder `nope`"));
    let work = tempfile::tempdir().unwrap();
    let newest =
        |text: &str| newest_commit(&parse(text).unwrap(), &options(work.path())).unwrap().unwrap();
    assert_eq!(newest(&url), third);
    assert_eq!(newest(&format!("{url}#v1")), first);
}

#[test]
fn a_locked_commit_can_be_fetched_after_its_branch_moved() {
    let repository = Repository::new();
    let locked = repository.commit(&[("a/SKILL.md", &skill("a")), ("a/notes", "old")]);
    repository.commit(&[("a/notes", "new")]);
    let server = Server::http(git_backend(repository.root()));
    let work = tempfile::tempdir().unwrap();
    let pinned = FetchOptions { commit: Some(locked.clone()), ..options(work.path()) };
    for source in [server.url("/skills.git#main"), format!("{}#main", repository.file_url())] {
        let fetched = fetch_with(&source, &pinned).unwrap();
        assert_eq!(fetched.commit.as_deref(), Some(locked.as_str()));
        assert_eq!(texts(&fetched.bundles[0])["notes"], "old");
    }
    let gone = FetchOptions { commit: Some("1".repeat(40)), ..options(work.path()) };
    let error = fetch_with(&server.url("/skills.git"), &gone).unwrap_err().to_string();
    assert!(error.ends_with(&format!("id `{}`", "1".repeat(40))), "{error}");
}

#[test]
fn links_submodules_and_names_of_another_system_refuse_the_skill_that_holds_them() {
    let repository = Repository::new();
    repository.commit(&[("good/SKILL.md", &skill("good")), ("link/SKILL.md", &skill("link"))]);
    symlink("/etc/passwd", repository.work().join("link/passwd")).unwrap();
    repository.commit(&[("case/SKILL.md", &skill("case")), ("case/a", "1"), ("case/A", "2")]);
    let commit = repository.git(&["rev-parse", "HEAD"]);
    write(&repository.work(), &[("sub/SKILL.md", &skill("sub"))]);
    repository.git(&["add", "sub/SKILL.md"]);
    let entry = format!("160000,{commit},sub/module");
    repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(&["commit", "--quiet", "-m", "module"]);
    repository.push();
    let all = fetched(&repository.file_url()).unwrap();
    assert_eq!(shown(&all.bundles), [bundle("good", "good", &["SKILL.md"])]);
    let refused: Vec<(&str, &str)> =
        all.refused.iter().map(|one| (one.name.as_str(), one.why.as_str())).collect();
    assert_eq!(
        refused,
        [
            ("case", "`a`: it is the same as `A` on some file systems"),
            ("link", "`passwd` is a link"),
            ("sub", "`module` is a submodule"),
        ]
    );
}

#[test]
fn attributes_and_filters_of_a_repository_change_nothing() {
    let repository = Repository::new();
    repository.commit(&[
        (".gitattributes", "* text eol=crlf ident\n*.bin filter=lfs\n"),
        ("SKILL.md", &skill("pdf")),
        ("x.bin", "version https://git-lfs.github.com/spec/v1\n$Id$\n"),
    ]);
    let all = fetched(&repository.file_url()).unwrap();
    assert_eq!(
        texts(&all.bundles[0])["x.bin"],
        "version https://git-lfs.github.com/spec/v1\n$Id$\n"
    );
    assert_eq!(texts(&all.bundles[0])["SKILL.md"], skill("pdf"));
    assert_eq!(all.bundles[0].name, "pdf");
}

#[test]
fn a_repository_that_is_not_there_is_said_in_the_words_of_git() {
    let root = tempfile::tempdir().unwrap();
    let server = Server::http(git_backend(root.path()));
    let url = server.url("/skills.git");
    let error = failure(&url);
    assert!(error.starts_with(&format!("git could not fetch `{url}`: ")), "{error}");
    assert!(error.contains("not found"), "{error}");
}

#[test]
fn a_server_that_wants_a_password_ends_the_fetch_and_asks_nobody() {
    let server = Server::http(|_| {
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"";
        Act::Send(format!("{head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into_bytes())
    });
    let error = failure(&server.url("/skills.git"));
    assert!(error.contains("log in with git first"), "{error}");
}

#[test]
fn a_server_that_stalls_is_left_in_time() {
    let server =
        Server::http(|_| Act::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n".to_vec()));
    let work = tempfile::tempdir().unwrap();
    let url = server.url("/skills.git");
    let short = FetchOptions { time: Duration::from_secs(1), ..options(work.path()) };
    let started = Instant::now();
    let error = fetch_with(&url, &short).unwrap_err().to_string();
    assert_eq!(error, format!("git could not fetch `{url}` within 1 s"));
    assert!(started.elapsed() < Duration::from_secs(10));
    let silent = FetchOptions { stall: Duration::from_secs(1), ..options(work.path()) };
    let error = fetch_with(&url, &silent).unwrap_err().to_string();
    assert!(error.contains("too slow") || error.contains("timed out"), "{error}");
    assert!(std::fs::read_dir(work.path()).unwrap().next().is_none());
}

#[test]
fn a_connection_that_breaks_is_tried_again_and_not_for_ever() {
    let repository = Repository::new();
    repository.serve_with("uploadpack.allowFilter", "true");
    let commit = repository.commit(&[("SKILL.md", &skill("pdf")), ("notes.md", "notes")]);
    // The first answers to some of the questions are cut in the middle.
    let cut = |times: usize| {
        let backend = git_backend(repository.root());
        let left = Mutex::new(times);
        Server::http(move |request| {
            let Act::Send(mut bytes) = backend(request) else { unreachable!() };
            let mut left = left.lock().unwrap();
            let is_pack = request.method == "POST" && bytes.windows(4).any(|part| part == b"PACK");
            if is_pack && *left > 0 {
                *left -= 1;
                bytes.truncate(bytes.len() - 30);
            }
            Act::Send(bytes)
        })
    };
    let shaky = fetched(&cut(3).url("/skills.git")).unwrap();
    assert_eq!(shaky.commit, Some(commit));
    assert_eq!(texts(&shaky.bundles[0])["notes.md"], "notes");
    let broken = cut(usize::MAX);
    let error = failure(&broken.url("/skills.git"));
    assert!(error.starts_with("git could not fetch"), "{error}");
    let packs = broken.requests().iter().filter(|request| request.starts_with("POST")).count();
    assert!((4..=8).contains(&packs), "{packs} questions");
}

#[test]
fn a_repository_that_is_too_large_is_left() {
    let repository = Repository::new();
    let noise: String = (0..3_000_000_u32)
        .map(|at| {
            char::from(33 + u8::try_from((at.wrapping_mul(2_654_435_761) >> 13) % 90).unwrap())
        })
        .collect();
    repository.commit(&[("SKILL.md", &skill("pdf")), ("data", &noise)]);
    let work = tempfile::tempdir().unwrap();
    let small = FetchOptions { repository_bytes: 100_000, ..options(work.path()) };
    let server = Server::http(git_backend(repository.root()));
    let error = fetch_with(&server.url("/skills.git"), &small).unwrap_err().to_string();
    assert!(error.ends_with("sends more than 100000 bytes; refused"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_object_that_git_would_need_too_much_memory_for_ends_git_and_nothing_else() {
    // Git holds a whole commit, and on its way this one is a thousandth of that.
    const MEGABYTES: usize = 96;
    let repository = Repository::new();
    repository.commit(&[("SKILL.md", &skill("pdf"))]);
    let commit = repository.git(&["cat-file", "commit", "HEAD"]);
    let long = format!("{commit}\n{}", "a".repeat(MEGABYTES * 1024 * 1024));
    let id = repository.git_with(&["hash-object", "-t", "commit", "-w", "--stdin"], &long);
    repository.git(&["push", "--quiet", "--force", "origin", &format!("{}:main", id.trim())]);
    let work = tempfile::tempdir().unwrap();
    let server = Server::http(git_backend(repository.root()));
    let small = FetchOptions { git_memory_bytes: 64 * 1024 * 1024, ..options(work.path()) };
    let error = fetch_with(&server.url("/skills.git"), &small).unwrap_err().to_string();
    assert!(error.contains("Out of memory") || error.contains("out of memory"), "{error}");
    // With enough of it, git is fine; such a commit is then refused for its length.
    let error = fetch_with(&server.url("/skills.git"), &options(work.path())).unwrap_err();
    assert!(error.to_string().ends_with("is no commit"), "{error}");
}

#[test]
fn files_of_a_repository_hold_at_the_bound_and_not_past_it() {
    let repository = Repository::new();
    repository.commit(&[("SKILL.md", "no skill"), ("z/SKILL.md", &skill("pdf"))]);
    let id = repository.git(&["rev-parse", "HEAD:SKILL.md"]);
    let folder = repository.git(&["rev-parse", "HEAD:z"]);
    let commit = |files: usize| {
        let file = |number: usize| format!("100644 blob {id}\tf{number:07}");
        let mut tree: Vec<String> = (1..files).map(file).collect();
        tree.push(format!("040000 tree {folder}\tz\n"));
        let tree = repository.git_with(&["mktree"], &tree.join("\n"));
        let commit = repository.git(&["commit-tree", "-m", "many", &tree]);
        repository.git(&["push", "--quiet", "origin", &format!("{commit}:refs/heads/many{files}")]);
        format!("{}#many{files}", repository.file_url())
    };
    let fits = fetched(&commit(MAX_TREE_ENTRIES)).unwrap();
    assert_eq!(shown(&fits.bundles), [bundle("pdf", "z", &["SKILL.md"])]);
    let error = failure(&commit(MAX_TREE_ENTRIES + 1));
    assert!(error.ends_with("holds more than 200000 files; name the skills you want"), "{error}");
}

/// A resolver that knows one name.
struct Knows(&'static str, Vec<IpAddr>);

impl Resolve for Knows {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let known = (name == self.0).then(|| self.1.clone());
        Box::pin(async move { Ok(known.unwrap_or_default()) })
    }
}

fn public(work: &Path, addresses: Vec<IpAddr>) -> FetchOptions {
    let net = Settings {
        reach: Reach::Public,
        exceptions: Arc::new([IpAddr::V4(Ipv4Addr::LOCALHOST)]),
        resolver: Arc::new(Knows("git.example.org", addresses)),
        ..Settings::default()
    };
    FetchOptions { net, ..options(work) }
}

#[test]
fn git_connects_to_the_address_that_was_checked_and_to_no_private_one() {
    let repository = Repository::new();
    let commit = repository.commit(&[("SKILL.md", &skill("pdf"))]);
    let server = Server::http(git_backend(repository.root()));
    let work = tempfile::tempdir().unwrap();
    let url = format!("http://git.example.org:{}/skills.git", server.port);
    // The name means nothing to the system; only the pinned address leads to the server.
    let local = public(work.path(), vec![Ipv4Addr::LOCALHOST.into()]);
    assert_eq!(fetch_with(&url, &local).unwrap().commit, Some(commit));
    let private = public(work.path(), vec![Ipv4Addr::new(10, 0, 0, 1).into()]);
    assert_eq!(
        fetch_with(&url, &private).unwrap_err().to_string(),
        format!(
            "refused to ask `{url}`: `git.example.org` is 10.0.0.1, a private network, and only the \
             public internet may be asked; `--allow-private` allows it"
        )
    );
    for bare in ["http://192.168.0.1/a.git", "ssh://git@[::1]/a.git", "git@10.1.2.3:a.git"] {
        let error = fetch_with(bare, &private).unwrap_err();
        assert!(matches!(error, FetchError::NotPublic { .. }), "{error}");
    }
}

#[test]
fn a_redirect_is_followed_to_a_checked_address_only() {
    let repository = Repository::new();
    let commit = repository.commit(&[("SKILL.md", &skill("pdf"))]);
    let server = Server::http(git_backend(repository.root()));
    let moved = server.url("/skills.git");
    let front = Server::http(move |request| {
        sends_on(&format!(
            "{moved}{}?{}",
            request.path.trim_start_matches("/old.git"),
            request.query
        ))
    });
    let work = tempfile::tempdir().unwrap();
    let source = front.url("/old.git");
    assert_eq!(fetch_with(&source, &options(work.path())).unwrap().commit, Some(commit));

    let inner = Server::http_on(Ipv4Addr::new(127, 0, 0, 2), git_backend(repository.root()));
    let to = format!("http://127.0.0.2:{}", inner.port);
    let front =
        Server::http(move |request| sends_on(&format!("{to}{}?{}", request.path, request.query)));
    let strict = public(work.path(), Vec::new());
    let error = fetch_with(&front.url("/skills.git"), &strict).unwrap_err().to_string();
    assert!(error.contains("127.0.0.2"), "{error}");
    assert!(error.contains("only the public internet may be asked"), "{error}");
    assert_eq!(inner.requests(), Vec::<String>::new());
}

#[test]
fn a_fetch_says_how_far_it_is() {
    let repository = Repository::new();
    repository.commit(&[("a/SKILL.md", &skill("a")), ("b/SKILL.md", &skill("b"))]);
    let server = Server::http(git_backend(repository.root()));
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let work = tempfile::tempdir().unwrap();
    let progress = Report::to(move |progress: &Progress<'_>| {
        heard.lock().unwrap().push(match progress {
            Progress::Asking(url) => format!("asking {url}"),
            Progress::Bytes { done, .. } => format!("{done} bytes"),
            Progress::Objects { .. } => "objects".to_owned(),
            Progress::Skills { done, all } => format!("{done} of {all} skills"),
        });
    });
    let url = server.url("/skills.git");
    fetch_with(&url, &FetchOptions { progress, ..options(work.path()) }).unwrap();
    let mut said = said.lock().unwrap().clone();
    said.dedup();
    assert_eq!(
        said,
        [&format!("asking {url}"), "objects", "0 of 2 skills", "1 of 2 skills", "2 of 2 skills"]
    );
}
