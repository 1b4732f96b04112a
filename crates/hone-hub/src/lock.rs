//! `hone.lock`: exactly what was installed, with hashes. The same skills are the same bytes on every
//! machine and in every locale; a file of a newer version is read and never written.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hone_guard::Verdict;
use hone_library::{LockedFile, Origin, State, content_hash};
use hone_skill::Slug;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The name of the file.
pub const LOCK_FILE: &str = "hone.lock";
/// The version that is written.
pub const LOCK_VERSION: u64 = 1;
/// Largest lock file that is read, in bytes.
pub const MAX_LOCK_BYTES: u64 = 64 * 1024 * 1024;

const HEAD: &str =
    "# Written by hone. `hone install` makes this exactly so, `hone verify` checks it.\n";

/// An installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// The name of its folder.
    pub name: String,
    /// The folder that it was installed into, relative to the folder of the project or the home.
    pub root: String,
    /// Where it came from, canonical.
    pub source: String,
    /// Where it lies in its source; empty for the top.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The commit, for a git source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The SHA-256 of what was downloaded, for an archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whose word it is, by its source.
    pub origin: Origin,
    /// What the scan said, dismissals left out.
    pub verdict: Verdict,
    /// The version of the rules that it was scanned with.
    pub rules: String,
    /// Its files, by path.
    pub files: Vec<LockedFile>,
}

impl Locked {
    /// The hash of its content.
    pub fn content(&self) -> String {
        content_hash(&self.files)
    }

    /// The file of that path.
    pub(crate) fn file(&self, path: &str) -> Option<&LockedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    fn problem(&self) -> Option<String> {
        let is_slug = Slug::new(&self.name).is_ok_and(|slug| slug.as_str() == self.name);
        let is_hash = |text: &str| {
            text.len() == 64
                && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        let name = self.name.escape_debug();
        if !is_slug {
            return Some(format!("`{name}` cannot be the name of a skill's folder"));
        }
        if let Some(file) = self.files.iter().find(|file| !is_hash(&file.sha256)) {
            return Some(format!("`{name}`: the hash of `{}` is none", file.path.escape_debug()));
        }
        if !self.files.is_sorted_by(|a, b| a.path < b.path) {
            return Some(format!("the files of `{name}` are not in order, or one is there twice"));
        }
        None
    }
}

/// A lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    path: PathBuf,
    version: u64,
    /// By root and name.
    skills: Vec<Locked>,
    /// What is on disk, to leave it alone when nothing changed.
    written: Option<String>,
}

#[derive(Deserialize)]
struct Whole {
    version: u64,
    #[serde(default)]
    skill: Vec<Locked>,
}

#[derive(Deserialize)]
struct OnlyVersion {
    version: u64,
}

impl Lock {
    /// Reads a lock file; one that is not there is empty.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let empty = || Self {
            path: path.to_owned(),
            version: LOCK_VERSION,
            skills: Vec::new(),
            written: None,
        };
        let text = match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(empty()),
            // Somebody else's file would be written through it.
            Ok(metadata) if !metadata.is_file() => {
                let message = "it is not a regular file".to_owned();
                return Err(Error::Lock { path: path.to_owned(), message });
            }
            Ok(metadata) if metadata.len() > MAX_LOCK_BYTES => {
                let message = format!("it is larger than {MAX_LOCK_BYTES} bytes");
                return Err(Error::Lock { path: path.to_owned(), message });
            }
            _ => std::fs::read_to_string(path).map_err(Error::io("read", path))?,
        };
        Self::parse(path, text)
    }

    /// Reads the text of a lock file.
    pub(crate) fn parse(path: &Path, text: String) -> Result<Self, Error> {
        let broken = |message: String| Error::Lock { path: path.to_owned(), message };
        let whole: Whole = match toml_edit::de::from_str(&text) {
            Ok(whole) => whole,
            Err(error) => {
                // A newer one may say things that this one cannot read.
                let version = toml_edit::de::from_str(&text).map(|OnlyVersion { version }| version);
                return Err(match version {
                    Ok(found) if found > LOCK_VERSION => {
                        Error::NewerLock { path: path.to_owned(), found, known: LOCK_VERSION }
                    }
                    _ => broken(error.to_string().trim_end().to_owned()),
                });
            }
        };
        let version = whole.version;
        if let Some(problem) = whole.skill.iter().find_map(Locked::problem) {
            return Err(broken(problem));
        }
        let mut skills = whole.skill;
        skills.sort_by(|a, b| (&a.root, &a.name).cmp(&(&b.root, &b.name)));
        let twice = skills
            .windows(2)
            .find(|two| (&two[0].root, &two[0].name) == (&two[1].root, &two[1].name));
        if let Some(twice) = twice {
            return Err(broken(format!("`{}` is there twice", twice[0].name)));
        }
        Ok(Self { path: path.to_owned(), version, skills, written: Some(text) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The installed skills, by root and name.
    pub fn skills(&self) -> &[Locked] {
        &self.skills
    }

    /// The skill of that name in that root.
    pub fn get(&self, root: &str, name: &str) -> Option<&Locked> {
        self.place(root, name).ok().map(|at| &self.skills[at])
    }

    /// The skills of that name, in any root.
    pub(crate) fn named(&self, name: &str) -> Vec<&Locked> {
        self.skills.iter().filter(|skill| skill.name == name).collect()
    }

    fn place(&self, root: &str, name: &str) -> Result<usize, usize> {
        self.skills
            .binary_search_by(|skill| (skill.root.as_str(), skill.name.as_str()).cmp(&(root, name)))
    }

    /// Puts a skill in, in place of one of the same root and name.
    pub(crate) fn put(&mut self, skill: Locked) {
        match self.place(&skill.root, &skill.name) {
            Ok(at) => self.skills[at] = skill,
            Err(at) => self.skills.insert(at, skill),
        }
    }

    pub(crate) fn remove(&mut self, root: &str, name: &str) -> Option<Locked> {
        Some(self.skills.remove(self.place(root, name).ok()?))
    }

    /// Fails for a version that this hone does not write.
    pub(crate) fn writable(&self) -> Result<(), Error> {
        if self.version > LOCK_VERSION {
            return Err(Error::NewerLock {
                path: self.path.clone(),
                found: self.version,
                known: LOCK_VERSION,
            });
        }
        Ok(())
    }

    /// Replaces the file, whole or not at all. One that would stay the same is left alone, and one that
    /// would say nothing is not made. The caller
    /// holds the lock file's lock.
    pub(crate) fn save(&mut self) -> Result<(), Error> {
        self.writable()?;
        let text = self.text();
        let is_nothing = self.written.is_none() && self.skills.is_empty();
        if self.written.as_ref() != Some(&text) && !is_nothing {
            hone_library::sweep(&self.path);
            hone_library::replace(&self.path, text.as_bytes())?;
            self.written = Some(text);
        }
        Ok(())
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text = format!("{HEAD}version = {}\n", self.version);
        for skill in &self.skills {
            text.push_str("\n[[skill]]\n");
            let path = Some(&skill.path).filter(|path| !path.is_empty());
            for (key, value) in [
                ("name", Some(skill.name.as_str())),
                ("root", Some(&skill.root)),
                ("source", Some(&skill.source)),
                ("path", path.map(String::as_str)),
                ("commit", skill.commit.as_deref()),
                ("digest", skill.digest.as_deref()),
                ("origin", Some(skill.origin.id())),
                ("verdict", Some(skill.verdict.word())),
                ("rules", Some(&skill.rules)),
            ] {
                if let Some(value) = value {
                    let _ = writeln!(text, "{key} = {}", quoted(value));
                }
            }
            text.push_str("files = [\n");
            for file in &skill.files {
                let executable = if file.executable { ", executable = true" } else { "" };
                let _ = writeln!(
                    text,
                    "  {{ path = {}, sha256 = \"{}\", size = {}{executable} }},",
                    quoted(&file.path),
                    file.sha256,
                    file.size
                );
            }
            text.push_str("]\n");
        }
        text
    }
}

/// A basic string of TOML. Everything that is not plain ASCII is escaped, so that no editor, terminal or
/// review shows something else than is there.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            c if u32::from(c) <= 0xFFFF => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            c => {
                let _ = write!(text, "\\U{:08X}", u32::from(c));
            }
        }
    }
    text.push('"');
    text
}

/// What the lock file of the skill in this folder says about it, when it still names it; nothing for a skill
/// that did not come through the hub.
pub fn locked_at(state: &State, skill: &Path) -> Result<Option<Locked>, Error> {
    let Some(installed) = state.installed_at(skill)? else { return Ok(None) };
    let lock = Lock::read(&installed.lock)?;
    let is_it =
        |entry: &&Locked| installed.skill.ends_with(Path::new(&entry.root).join(&entry.name));
    Ok(lock.skills().iter().find(is_it).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(root: &str, name: &str) -> Locked {
        Locked {
            name: name.to_owned(),
            root: root.to_owned(),
            source: "github:o/r#main".to_owned(),
            path: format!("skills/{name}"),
            commit: Some("c".repeat(40)),
            digest: None,
            origin: Origin::Community,
            verdict: Verdict::Safe,
            rules: "1".to_owned(),
            files: vec![
                LockedFile {
                    path: "SKILL.md".to_owned(),
                    sha256: "a".repeat(64),
                    size: 3,
                    executable: false,
                },
                LockedFile {
                    path: "scripts/\u{202e}\"ä\\\u{1F600}.sh".to_owned(),
                    sha256: "b".repeat(64),
                    size: 4,
                    executable: true,
                },
            ],
        }
    }

    fn lock() -> Lock {
        Lock { path: "hone.lock".into(), version: 1, skills: Vec::new(), written: None }
    }

    #[test]
    fn the_text_depends_on_the_skills_alone_and_reads_back() {
        let (mut one, mut two) = (lock(), lock());
        for (root, name) in [("a", "x"), ("b", "a"), ("a", "b")] {
            one.put(skill(root, name));
        }
        for (root, name) in [("b", "a"), ("a", "b"), ("a", "x"), ("a", "x")] {
            two.put(skill(root, name));
        }
        assert_eq!(one.text(), two.text());
        assert!(one.text().is_ascii());
        let read = Lock::parse(Path::new("hone.lock"), one.text()).unwrap();
        assert_eq!(read.skills(), one.skills());
        assert_eq!(read.text(), one.text());
        assert_eq!(one.remove("a", "x").map(|skill| skill.name).as_deref(), Some("x"));
        assert_eq!(one.get("a", "x"), None);
        assert_eq!(one.get("b", "a"), Some(&skill("b", "a")));
    }

    #[test]
    fn a_newer_version_is_read_where_it_can_be_and_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK_FILE);
        let mut newer = lock();
        newer.put(skill("a", "x"));
        let text = newer.text().replace("version = 1", "version = 2\nmore = \"new\"");
        std::fs::write(&path, &text).unwrap();
        let mut read = Lock::read(&path).unwrap();
        assert_eq!(read.skills(), newer.skills());
        read.remove("a", "x");
        assert!(matches!(read.save(), Err(Error::NewerLock { found: 2, known: 1, .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::write(&path, "version = 2\nskill = 7\n").unwrap();
        assert!(matches!(Lock::read(&path), Err(Error::NewerLock { found: 2, .. })));
    }

    #[test]
    fn what_is_no_lock_says_why() {
        let mut whole = lock();
        whole.put(skill("a", "x"));
        let text = whole.text();
        for (text, part) in [
            ("<<<<<<< HEAD\nversion = 1\n".to_owned(), "line 1"),
            (text.replace("\"x\"", "\"../x\""), "cannot be the name"),
            (text.replace(&"a".repeat(64), "beef"), "the hash of `SKILL.md` is none"),
            (text.replace("SKILL.md", "z"), "not in order"),
            (format!("{text}{}", &text[text.find("\n[[").unwrap()..]), "`x` is there twice"),
            (text.replace("safe", "fine"), "unknown variant"),
        ] {
            let message = Lock::parse(Path::new("l"), text.clone()).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        assert!(Lock::read(Path::new("/no/such/hone.lock")).unwrap().skills().is_empty());
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join(LOCK_FILE);
        std::os::unix::fs::symlink("elsewhere", &link).unwrap();
        let message = Lock::read(&link).unwrap_err().to_string();
        assert!(message.ends_with("it is not a regular file"), "{message}");
    }
}
