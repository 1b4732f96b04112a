//! Where a candidate lands: in a brain, or among a person's own skills.

use std::path::{Path, PathBuf};

use hone_agent::brain::Brain;
use hone_library::{Catalogue, DEFAULT_DEPTH, Listed, Root, Search, State};

use crate::error::LearnError;
use crate::gate::{Known, called};
use crate::proposal::Proposal;

/// Where a candidate lands.
#[derive(Debug, Clone)]
pub enum Destination {
    /// A brain: held while it changes, and what changed is signed.
    Brain(Brain),
    /// A folder of a person's skills.
    Folder {
        /// The folder.
        root: PathBuf,
        /// Where its history is kept.
        hone_home: PathBuf,
    },
}

impl Destination {
    /// Where this candidate lands.
    pub fn of(hone_home: &Path, proposal: &Proposal) -> Result<Self, LearnError> {
        match &proposal.root {
            Some(root) => Ok(Self::Folder { root: root.clone(), hone_home: hone_home.to_owned() }),
            None => Ok(Self::Brain(Brain::find(hone_home, &proposal.agent)?)),
        }
    }

    /// The folder that its skills are in.
    pub fn root(&self) -> PathBuf {
        match self {
            Self::Brain(brain) => brain.skills_root().path,
            Self::Folder { root, .. } => root.clone(),
        }
    }

    /// The skills that are there, with the texts that routing reads.
    pub fn known(&self, state: &State) -> Known {
        match self {
            Self::Brain(brain) => Known::of(brain, state),
            Self::Folder { root, .. } => Known::new(root.clone(), in_folder(root, state)),
        }
    }

    /// The skill of that name or slug.
    pub fn find(&self, state: &State, name: &str) -> Option<Listed> {
        let mut listed = match self {
            Self::Brain(brain) => brain.catalogue(state).skills,
            Self::Folder { root, .. } => in_folder(root, state),
        };
        called(&listed, name).map(|at| listed.swap_remove(at))
    }
}

/// The skills of a folder; none when it is not there.
fn in_folder(root: &Path, state: &State) -> Vec<Listed> {
    let Ok(root) = Root::explicit(root, root) else { return Vec::new() };
    let search = Search {
        roots: vec![root],
        depth: DEFAULT_DEPTH,
        disabled: Vec::new(),
        platform: std::env::consts::OS.to_owned(),
        builtin: false,
        depends: Vec::new(),
    };
    Catalogue::find(search, state).skills
}
