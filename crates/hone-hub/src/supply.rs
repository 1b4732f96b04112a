//! What the pipeline wants from whoever fetches: skills in memory, and what they are pinned to.

use crate::bundle::Bundle;

/// Which state of a source is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin<'a> {
    /// What the source gives now.
    Newest,
    /// Exactly this commit.
    Commit(&'a str),
    /// Exactly the download with this SHA-256.
    Digest(&'a str),
}

/// What a source gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The source's canonical text, without the choice of a single skill. It is what the lock keeps and
    /// what the origin is decided by.
    pub source: String,
    /// The commit, for a git source.
    pub commit: Option<String>,
    /// The SHA-256 of what was downloaded, for an archive.
    pub digest: Option<String>,
    /// The skills that were asked for.
    pub bundles: Vec<Bundle>,
    /// Skills that were asked for and could not be taken: name, and why.
    pub refused: Vec<(String, String)>,
}

/// The newest state of a source, without its skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// The commit, for a git source.
    pub commit: Option<String>,
    /// The SHA-256 of what is there, where that is known without fetching it.
    pub digest: Option<String>,
}

/// Why nothing came.
pub type SupplyError = Box<dyn std::error::Error + Send + Sync>;

/// Whoever fetches.
pub trait Supply {
    /// Fetches skills. With `paths`, those skills of the source, by their path in it; else what the
    /// source's text says.
    fn fetch(
        &self,
        source: &str,
        pin: Pin<'_>,
        paths: Option<&[String]>,
    ) -> Result<Delivery, SupplyError>;

    /// The newest state of a source; `None` when it can only be told by fetching.
    fn newest(&self, source: &str) -> Result<Option<Newest>, SupplyError>;
}
