//! The lock files of Vercel's `skills`: `skills-lock.json` (version 1, of a project) and
//! `.skill-lock.json` (version 3, of a person). They are read and never written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::bundle::BundleFile;
use crate::error::Error;
use crate::git_tree::tree_id;

/// Largest file that is read, in bytes.
pub const MAX_FOREIGN_BYTES: u64 = 16 * 1024 * 1024;

/// The versions that are known: of a project, and of a person.
const PROJECT_VERSION: u64 = 1;
const PERSON_VERSION: u64 = 3;

/// What such a file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The file.
    pub path: PathBuf,
    /// Its version.
    pub version: u64,
    /// Its skills, by name.
    pub skills: Vec<ForeignSkill>,
}

/// A skill that such a file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignSkill {
    /// Its name.
    pub name: String,
    /// Its source, as a text that names one.
    pub source: String,
    /// Its folder in the source, where the file says so.
    pub path: Option<String>,
    /// `computedHash` of version 1, `skillFolderHash` of version 3.
    pub hash: Option<String>,
}

/// What `skills` leaves out of an installed skill, though not always out of the hash.
const LEFT_OUT: [&str; 3] = ["metadata.json", "__pycache__", "__pypackages__"];
/// What it never looks at.
const NEVER_SEEN: [&str; 2] = [".git", "node_modules"];
/// The printable characters of ASCII in the order of the root collation of Unicode's CLDR, which most
/// languages have; letters of either case are one there.
const ORDER: &[u8] = br#" _-,;:!?.'"()[]{}@*/\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"#;

/// Digits of an id of git's, and of a SHA-256.
const TREE_ID_DIGITS: usize = 40;
const SHA256_DIGITS: usize = 64;

/// How the files of a skill stand to the hash that was recorded for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// They are what was recorded.
    Same,
    /// They are not.
    Other,
    /// That cannot be told: nothing was recorded that says, or their order depends on a language.
    Unknown,
}

impl ForeignSkill {
    /// Holds files against the hash that was recorded: the id of git's tree, or SHA-256 over path and
    /// bytes of every file, one after the other, in the order that a language gives their paths.
    pub(crate) fn held_against(&self, files: &BTreeMap<String, BundleFile>) -> Recorded {
        let Some(recorded) = self.hash.as_deref() else { return Recorded::Unknown };
        if recorded.len() == TREE_ID_DIGITS {
            // Of a whole repository something else may have been recorded.
            let is_folder = self.path.as_deref().is_some_and(|path| !path.is_empty());
            return match tree_id(files) == recorded {
                true => Recorded::Same,
                false if is_folder => Recorded::Other,
                false => Recorded::Unknown,
            };
        }
        if recorded.len() != SHA256_DIGITS {
            return Recorded::Unknown;
        }
        let has = |path: &str, names: &[&str]| path.split('/').any(|part| names.contains(&part));
        let mut all: Vec<(&String, &BundleFile)> =
            files.iter().filter(|(path, _)| !has(path, &NEVER_SEEN)).collect();
        all.sort_by_cached_key(|(path, _)| collated(path));
        let installed: Vec<_> =
            all.iter().copied().filter(|(path, _)| !has(path, &LEFT_OUT)).collect();
        let is_it = |files: &[(&String, &BundleFile)]| hashed(files) == recorded;
        if is_it(&all) || is_it(&installed) {
            return Recorded::Same;
        }
        let is_plain = all.iter().all(|(path, _)| path.is_ascii());
        if is_plain { Recorded::Other } else { Recorded::Unknown }
    }
}

fn hashed(files: &[(&String, &BundleFile)]) -> String {
    let mut all = Vec::new();
    for (path, file) in files {
        all.extend(path.bytes());
        all.extend(&file.bytes);
    }
    hone_library::hash(&all)
}

/// What puts paths into the order of the root collation: characters first, then case.
fn collated(path: &str) -> (Vec<usize>, Vec<bool>) {
    let rank = |byte: u8| {
        let lower = byte.to_ascii_lowercase();
        ORDER.iter().position(|known| *known == lower).unwrap_or(ORDER.len() + usize::from(byte))
    };
    (path.bytes().map(rank).collect(), path.bytes().map(|byte| byte.is_ascii_uppercase()).collect())
}

#[derive(Deserialize)]
struct OnlyVersion {
    version: u64,
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    skills: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    source: String,
    source_url: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    source_type: Option<String>,
    skill_path: Option<String>,
    computed_hash: Option<String>,
    skill_folder_hash: Option<String>,
}

impl Foreign {
    /// Reads such a file. One of an unknown version is an error: what it means is not known.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let broken = |message: String| Error::Lock { path: path.to_owned(), message };
        let metadata = std::fs::metadata(path).map_err(Error::io("read", path))?;
        if metadata.len() > MAX_FOREIGN_BYTES {
            return Err(broken(format!("it is larger than {MAX_FOREIGN_BYTES} bytes")));
        }
        let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
        let OnlyVersion { version } =
            serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if version > PERSON_VERSION {
            let (path, found) = (path.to_owned(), version);
            return Err(Error::NewerLock { path, found, known: PERSON_VERSION });
        }
        if version != PROJECT_VERSION && version != PERSON_VERSION {
            return Err(broken(format!(
                "version {version} is not known; versions {PROJECT_VERSION} and {PERSON_VERSION} are"
            )));
        }
        let whole: Whole =
            serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        let skills = whole.skills.into_iter().map(|(name, entry)| entry.read(name));
        Ok(Self { path: path.to_owned(), version, skills: skills.collect() })
    }
}

impl Entry {
    fn read(self, name: String) -> ForeignSkill {
        let place = match self.source_type.as_deref() {
            Some("github") => format!("github:{}", self.source),
            Some("gitlab") if !self.source.contains("://") => format!("gitlab:{}", self.source),
            _ => self.source_url.unwrap_or(self.source),
        };
        let source = match self.reference.filter(|reference| !reference.is_empty()) {
            Some(reference) => format!("{place}#{reference}"),
            None => place,
        };
        let folder = |path: String| {
            let path = path.trim_end_matches('/');
            let path =
                path.strip_suffix("SKILL.md").or(path.strip_suffix("skill.md")).unwrap_or(path);
            path.trim_matches('/').to_owned()
        };
        let hash = self.computed_hash.or(self.skill_folder_hash);
        ForeignSkill { name, source, path: self.skill_path.map(folder), hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Foreign, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skills-lock.json");
        std::fs::write(&path, text).unwrap();
        let read = Foreign::read(&path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        read
    }

    #[test]
    fn both_versions_name_sources_that_can_be_fetched() {
        let skill =
            |name: &str, source: &str, path: Option<&str>, hash: Option<&str>| ForeignSkill {
                name: name.to_owned(),
                source: source.to_owned(),
                path: path.map(ToOwned::to_owned),
                hash: hash.map(ToOwned::to_owned),
            };
        let project = read(
            r#"{"version": 1, "skills": {
                "b": {"source": "o/r", "sourceType": "github", "ref": "v1", "skillPath": "skills/b/SKILL.md", "computedHash": "ff"},
                "a": {"source": "https://x.example/r.git", "sourceType": "git", "skillPath": "SKILL.md", "computedHash": "00"}}}"#,
        )
        .unwrap();
        assert_eq!(
            project.skills,
            [
                skill("a", "https://x.example/r.git", Some(""), Some("00")),
                skill("b", "github:o/r#v1", Some("skills/b"), Some("ff")),
            ]
        );
        let person = read(
            r#"{"version": 3, "skills": {"c": {"source": "o/r", "sourceType": "github",
                "sourceUrl": "https://github.com/o/r.git", "skillPath": "c/SKILL.md",
                "skillFolderHash": "aa", "installedAt": "x", "updatedAt": "y"}}, "dismissed": {}}"#,
        )
        .unwrap();
        assert_eq!(person.skills, [skill("c", "github:o/r", Some("c"), Some("aa"))]);
    }

    #[test]
    fn the_recorded_hash_is_computed_as_skills_does() {
        // Recorded by `skills` 1.5.18 for exactly these files.
        let recorded = "43f48446db0a6b76a614c4638eefe7eeb2f2214ba2633fe2a9307cb6dd7133ca";
        let plain =
            ["a/b.md", "a-b.md", "a.md", "a_b.md", "A.txt", "ab.md", "a/B.md", "aB1", "Ab2"];
        let file = |text: &str| BundleFile { bytes: text.into(), is_executable: false };
        let mut files: BTreeMap<String, BundleFile> =
            plain.iter().map(|path| ((*path).to_owned(), file(path))).collect();
        let text = "---\nname: tidy\ndescription: Tidies.\n---\nTidy.\n";
        files.insert("SKILL.md".to_owned(), file(text));
        files.insert("metadata.json".to_owned(), file("{}"));
        let skill = |hash: Option<&str>| ForeignSkill {
            name: "tidy".to_owned(),
            source: "/src".to_owned(),
            path: None,
            hash: hash.map(str::to_owned),
        };
        let held = |files: &BTreeMap<String, BundleFile>| skill(Some(recorded)).held_against(files);
        assert_eq!(held(&files), Recorded::Same);
        assert_eq!(skill(None).held_against(&files), Recorded::Unknown);
        assert_eq!(skill(Some("")).held_against(&files), Recorded::Unknown);
        let id = tree_id(&files);
        let in_folder =
            |hash: &str| ForeignSkill { path: Some("tidy".to_owned()), ..skill(Some(hash)) };
        assert_eq!(in_folder(&id).held_against(&files), Recorded::Same);
        assert_eq!(in_folder(&"0".repeat(40)).held_against(&files), Recorded::Other);
        assert_eq!(skill(Some(&"0".repeat(40))).held_against(&files), Recorded::Unknown);
        files.insert("node_modules/x.js".to_owned(), file("x"));
        assert_eq!(held(&files), Recorded::Same);
        files.insert("more.md".to_owned(), file("x"));
        assert_eq!(held(&files), Recorded::Other);
        files.insert("\u{e4}.md".to_owned(), file("x"));
        assert_eq!(held(&files), Recorded::Unknown);
    }

    #[test]
    fn a_version_that_is_not_known_is_not_guessed_at() {
        assert!(matches!(
            read(r#"{"version": 4}"#),
            Err(Error::NewerLock { found: 4, known: 3, .. })
        ));
        let error = read(r#"{"version": 2, "skills": {}}"#).unwrap_err().to_string();
        assert!(error.ends_with("version 2 is not known; versions 1 and 3 are"), "{error}");
        assert!(matches!(read("{}"), Err(Error::Lock { .. })));
    }

    #[test]
    fn a_file_past_the_bound_is_refused_and_one_at_it_is_read() {
        let text = |length: u64| {
            let start = r#"{"version": 1, "skills": {}}"#;
            let blanks = usize::try_from(length).unwrap() - start.len();
            format!("{start}{}", " ".repeat(blanks))
        };
        assert!(read(&text(MAX_FOREIGN_BYTES)).is_ok());
        assert!(matches!(read(&text(MAX_FOREIGN_BYTES + 1)), Err(Error::Lock { .. })));
    }
}
