//! What the three kinds of places have in common: paths, what each is, and a way to read them.

use std::collections::BTreeMap;

use crate::bundle::BundleFile;
use crate::fetch_error::FetchError;

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file, and whether its owner may execute it.
    File { is_executable: bool },
    /// Something that is no file, with its article: it refuses the skill that holds it.
    Other(&'static str),
}

/// A place that holds skills: everything in it but folders, by path, with `/`.
pub(crate) trait Tree {
    /// All there is.
    fn entries(&self) -> &BTreeMap<String, Kind>;

    /// Says which files will be read next, for a place that is faster when it knows.
    fn prepare(&mut self, _paths: &[&str]) -> Result<(), FetchError> {
        Ok(())
    }

    /// One file; none when it has more than `max` bytes.
    fn read(&mut self, path: &str, max: u64) -> Result<Option<Vec<u8>>, FetchError>;
}

/// Files in memory.
#[derive(Debug, Default)]
pub(crate) struct Unpacked {
    entries: BTreeMap<String, Kind>,
    files: BTreeMap<String, BundleFile>,
}

impl Unpacked {
    pub(crate) fn new(files: BTreeMap<String, BundleFile>) -> Self {
        let kind = |file: &BundleFile| Kind::File { is_executable: file.is_executable };
        let entries = files.iter().map(|(path, file)| (path.clone(), kind(file))).collect();
        Self { entries, files }
    }
}

impl Tree for Unpacked {
    fn entries(&self) -> &BTreeMap<String, Kind> {
        &self.entries
    }

    fn read(&mut self, path: &str, max: u64) -> Result<Option<Vec<u8>>, FetchError> {
        let bytes = self.files.get(path).map(|file| &file.bytes);
        Ok(bytes.filter(|bytes| bytes.len() as u64 <= max).cloned())
    }
}
