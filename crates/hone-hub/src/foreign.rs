//! The lock files of Vercel's `skills`: `skills-lock.json` (version 1, of a project) and
//! `.skill-lock.json` (version 3, of a person). They are read and never written.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;

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
    /// `computedHash` of version 1.
    pub hash: Option<String>,
}

#[derive(Deserialize)]
struct OnlyVersion {
    version: u64,
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    skills: std::collections::BTreeMap<String, Entry>,
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
        ForeignSkill { name, source, path: self.skill_path.map(folder), hash: self.computed_hash }
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
        assert_eq!(person.skills, [skill("c", "github:o/r", Some("c"), None)]);
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
