//! The folder of a brain: what is in it, whose it is, and what is refused.

use std::os::unix::fs::{PermissionsExt, symlink};

use hone_agent::brain::members::{self, MEMBERS};
use hone_agent::brain::{Brain, BrainError, New, Settings, Share};
use hone_agent::memory::Subscriber;

use crate::shelf::{Shelf, open};

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn everything_in_a_brain_is_a_member_and_its_owners_alone() {
    let (shelf, brain) = Shelf::with_ada();
    shelf
        .task(&brain, "t1", &Subscriber::Owner, |session| {
            let mut draft = session.remembering().draft();
            draft.note("a", "1", true, 0).unwrap();
            draft.note("a", "1", false, 0).unwrap();
        })
        .await;
    assert_eq!(members::look(&brain.folder).unwrap(), Vec::<std::path::PathBuf>::new());
    assert_eq!(mode(&brain.folder), 0o700);
    let mut seen = 0;
    for entry in std::fs::read_dir(&brain.folder).unwrap() {
        let path = entry.unwrap().path();
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 9, "{seen}");
}

#[test]
fn members_are_named_once_and_sorted() {
    let names: Vec<&str> = MEMBERS.iter().map(|member| member.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn what_is_no_member_is_named() {
    let (_shelf, brain) = Shelf::with_ada();
    std::fs::write(brain.member("notes.txt"), "x").unwrap();
    std::fs::write(brain.member(".DS_Store"), "x").unwrap();
    let strangers = members::look(&brain.folder).unwrap();
    assert_eq!(strangers, [brain.member(".DS_Store"), brain.member("notes.txt")]);
}

#[test]
fn k23_links_are_refused_wherever_they_are() {
    for place in ["MEMORY.md", "skills/evil", "patterns/evil", "users/evil.md", "stray"] {
        let (shelf, brain) = Shelf::with_ada();
        std::fs::write(shelf.home.join("outside"), "x").unwrap();
        symlink(shelf.home.join("outside"), brain.member(place)).unwrap();
        let error = members::look(&brain.folder).unwrap_err();
        let expected =
            format!("`{}` is a link, and a brain has none", brain.member(place).display());
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_member_of_the_wrong_kind_is_refused() {
    let (_shelf, brain) = Shelf::with_ada();
    std::fs::create_dir(brain.member("MEMORY.md")).unwrap();
    let error = members::look(&brain.folder).unwrap_err();
    assert!(error.to_string().ends_with("MEMORY.md` is not a file"), "{error}");
}

#[test]
fn an_agent_is_named_by_a_slug_and_made_once() {
    let shelf = Shelf::new();
    for bad in ["", "..", "a/b", "Ada", "-a", "ä"] {
        let error = Brain::create(&shelf.home, bad, &New::default()).unwrap_err();
        assert!(matches!(error, BrainError::BadId { .. }), "{bad}: {error}");
    }
    Brain::create(&shelf.home, "ada", &New::default()).unwrap();
    let error = Brain::create(&shelf.home, "ada", &New::default()).unwrap_err();
    assert!(matches!(error, BrainError::Exists { .. }), "{error}");
    assert_eq!(Brain::all(&shelf.home).unwrap(), ["ada"]);
    let error = Brain::find(&shelf.home, "bob").unwrap_err();
    assert_eq!(error.to_string(), "there is no agent `bob`");
    assert_eq!(error.hint().unwrap(), "there are: ada");
}

#[test]
fn a_new_brain_that_cannot_be_made_leaves_nothing() {
    let shelf = Shelf::new();
    let seed = shelf.home.join("seed");
    std::fs::create_dir_all(seed.join("skills")).unwrap();
    symlink("/etc/passwd", seed.join("skills/x.md")).unwrap();
    let new = New { seed: Some(seed), ..New::default() };
    let error = Brain::create(&shelf.home, "ada", &new).unwrap_err();
    assert!(matches!(error, BrainError::Link { .. }), "{error}");
    assert_eq!(Brain::all(&shelf.home).unwrap(), Vec::<String>::new());
}

#[test]
fn settings_say_what_is_wrong_with_them() {
    let (_shelf, brain) = Shelf::with_ada();
    assert_eq!(brain.settings().unwrap(), Settings::default());
    let path = brain.member("agent.toml");
    std::fs::write(
        &path,
        "tools = [\"read_file\"]\n[limits]\nturns = 3\n[memory]\nshare = \"everyone\"\n",
    )
    .unwrap();
    let settings = brain.settings().unwrap();
    assert_eq!(settings.tools.as_deref(), Some(["read_file".to_owned()].as_slice()));
    assert_eq!((settings.limits.turns, settings.memory.share), (Some(3), Share::Everyone));
    for (text, word) in
        [("tool = []", "unknown field `tool`"), ("[limits]\nturns = 0", "at least 1")]
    {
        std::fs::write(&path, text).unwrap();
        let error = brain.settings().unwrap_err().to_string();
        assert!(error.contains("agent.toml") && error.contains(word), "{error}");
    }
}

#[test]
fn a_role_is_read_anew_each_time() {
    let (_shelf, brain) = Shelf::with_ada();
    assert_eq!(brain.system().unwrap(), "You are Ada.\n");
    std::fs::write(brain.member("system.md"), "You are Bob.\n").unwrap();
    assert_eq!(brain.system().unwrap(), "You are Bob.\n");
    std::fs::write(brain.member("system.md"), "").unwrap();
    assert!(brain.system().unwrap().starts_with("You are a careful assistant"));
}

#[tokio::test]
async fn a_brain_that_is_removed_is_gone_whole() {
    let (shelf, brain) = Shelf::with_ada();
    drop(open(&brain));
    let cancelled = tokio_util::sync::CancellationToken::new();
    let waiting = hone_agent::brain::Waiting {
        patience: std::time::Duration::ZERO,
        cancelled: &cancelled,
        tell: &|_: &hone_agent::brain::Owner| {},
    };
    let held = brain.hold(&hone_agent::brain::Owner::default(), &waiting).await.unwrap();
    brain.remove(held).unwrap();
    assert_eq!(std::fs::read_dir(shelf.home.join("agents")).unwrap().count(), 0);
}
