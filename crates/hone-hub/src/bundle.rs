//! A skill as it arrived: bounded, checked, in memory, and not yet anywhere on the disk where an agent
//! looks. What was checked is what is used: nobody can change a bundle between the two.

use std::collections::BTreeMap;

use hone_library::LockedFile;

use crate::source::Source;

/// One file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether its owner may execute it.
    pub is_executable: bool,
}

/// The files of a bundle by their hashes.
pub(crate) fn of_bundle(files: &BTreeMap<String, BundleFile>) -> Vec<LockedFile> {
    files
        .iter()
        .map(|(path, file)| LockedFile::new(path, &file.bytes, file.is_executable))
        .collect()
}

/// The files of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The skill's name as it declares it, or its folder's.
    pub name: String,
    /// Where it lies in its source, with `/` and without one at either end; empty for the top.
    pub path: String,
    /// The hash of what its source promised for it, where the source has no hash of its own: an MCP
    /// server's.
    pub digest: Option<String>,
    /// Its files by path inside the skill, with `/`.
    pub files: BTreeMap<String, BundleFile>,
}

/// A skill that a source holds, before its files are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The skill's name as it declares it, or its folder's.
    pub name: String,
    /// What it says about itself.
    pub description: String,
    /// Where it lies in its source, as in [`Bundle::path`].
    pub path: String,
    /// Whether it is there for who asks for everything.
    pub standing: OfferStanding,
}

/// How a skill stands among the others of its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferStanding {
    /// It comes with the others.
    Open,
    /// Its `metadata.internal` is true: it comes only when it is named, or when internal ones are
    /// asked for.
    Internal,
    /// It lies inside the skill at this path and comes with it as its files; alone only when named.
    Nested(String),
    /// The skill at this path has the same name and comes first; this one comes only when its path
    /// is named.
    Duplicate(String),
}

/// A skill that a source holds and that was not taken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name, or its folder's where it has none.
    pub name: String,
    /// Where it lies in its source.
    pub path: String,
    /// What is wrong with it, as a sentence without a final period.
    pub why: String,
}

/// What a source gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The source as it turned out to be: a page is now a repository or a site, the reference of a
    /// tree address is told apart from its path.
    pub source: Source,
    /// The commit, for a git source.
    pub commit: Option<String>,
    /// The SHA-256 of what was downloaded, as 64 hexadecimal digits, for an archive or a single file.
    pub digest: Option<String>,
    /// The skills that were asked for, by path.
    pub bundles: Vec<Bundle>,
    /// Skills that were asked for and could not be taken.
    pub refused: Vec<Refused>,
}
