//! The files of a skill, read once: their digest first, the report when it is wanted. Whoever keeps
//! reports looks them up between the two, so that a skill that did not change is not analysed again.

use std::path::Path;

use super::bundle::{self, Bundle};
use super::look::look;
use super::{RULES_VERSION, Report, ScanError};

/// The files of one skill in memory.
///
/// ```
/// let files = hone_guard::Files::of_text("SKILL.md", b"---\nname: a\ndescription: b\n---\nTidy up.\n".to_vec());
/// assert_eq!(files.scan().digest, files.digest());
/// ```
#[derive(Debug)]
pub struct Files {
    pub(super) bundle: Bundle,
}

impl Files {
    /// Reads a skill: a folder, or a single file, which may be an archive.
    pub fn read(path: &Path) -> Result<Self, ScanError> {
        let unreadable = |source| ScanError::Unreadable { path: path.to_owned(), source };
        Ok(Self { bundle: bundle::read(path).map_err(unreadable)? })
    }

    /// A skill of one file that is not on disk.
    pub fn of_text(name: &str, bytes: Vec<u8>) -> Self {
        Self { bundle: bundle::of_text(name, bytes) }
    }

    /// A skill whose files are in memory, by path with `/`: what [`Files::read`] makes of a folder that
    /// holds them.
    pub fn of_files<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Self {
        Self { bundle: bundle::of_files(files) }
    }

    /// SHA-256 over paths and content, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.bundle.digest
    }

    /// What a report depends on: the rules with the scanner that applies them, the content, and what
    /// could not be read. Two skills with the same key have the same report.
    pub fn key(&self) -> String {
        format!("{RULES_VERSION}:{}", self.bundle.key())
    }

    /// Analyses the files.
    pub fn scan(&self) -> Report {
        look(&self.bundle)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_in_memory_is_the_same_skill_as_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("SKILL.md"), "Tidy up.\n").unwrap();
        let read = Files::read(folder.path()).unwrap();
        let text = Files::of_text("SKILL.md", b"Tidy up.\n".to_vec());
        assert_eq!((read.digest(), read.key()), (text.digest(), text.key()));
        assert_eq!(read.scan(), text.scan());
    }

    #[test]
    fn the_key_knows_where_a_link_leads_though_the_content_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let skill = folder.path().join("skill");
        fs::create_dir(&skill).unwrap();
        symlink(folder.path().join("later"), skill.join("link")).unwrap();
        let before = Files::read(&skill).unwrap();
        fs::write(folder.path().join("later"), "x").unwrap();
        let after = Files::read(&skill).unwrap();
        assert_eq!(before.digest(), after.digest());
        assert_ne!(before.key(), after.key());
    }

    #[test]
    fn the_key_names_the_rules_and_they_are_named_by_every_byte_of_the_source() {
        let key = Files::of_text("SKILL.md", Vec::new()).key();
        assert!(key.starts_with(&format!("{RULES_VERSION}:")), "{key}");

        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (mut open, mut text) = (vec![top.clone()], std::collections::BTreeMap::new());
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    open.push(entry);
                } else {
                    let name = entry.strip_prefix(&top).unwrap().to_str().unwrap();
                    text.insert(format!("/{name}"), std::fs::read(&entry).unwrap());
                }
            }
        }
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for (name, content) in text {
            let head = format!("{name}\0{}\0", content.len()).into_bytes();
            for byte in head.into_iter().chain(content) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        assert_eq!(RULES_VERSION, format!("{}+{hash:016x}", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn what_is_not_there_is_an_error_with_its_path() {
        let error = Files::read(Path::new("/no/such/skill")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read `/no/such/skill`: "), "{error}");
    }
}
