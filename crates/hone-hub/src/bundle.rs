//! A skill as it arrived: bounded, checked, in memory, and not yet anywhere on the disk where an agent
//! looks.

use std::collections::BTreeMap;

/// One file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether its owner may execute it.
    pub is_executable: bool,
}

/// The files of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The skill's name as it declares it, or its folder's.
    pub name: String,
    /// Where it lies in its source, with `/` and without one at either end; empty for the top.
    pub path: String,
    /// Its files by path inside the skill, with `/`.
    pub files: BTreeMap<String, BundleFile>,
}

/// What a source gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The commit, for a git source.
    pub commit: Option<String>,
    /// The SHA-256 of what was downloaded, for an archive.
    pub digest: Option<String>,
    /// The skills that were asked for, by path.
    pub bundles: Vec<Bundle>,
}
