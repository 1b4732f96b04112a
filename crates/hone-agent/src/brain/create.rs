//! Making a brain: everything is put together beside it and appears by one rename.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::seed::{self, Files, Tree};
use super::{Brain, BrainError, Evidence, MemorySettings, Settings, agents, files, members};

/// What a new brain is made of.
#[derive(Debug, Clone, Default)]
pub struct New {
    /// The text of `system.md`; the seed's, or a plain role, when left out.
    pub system: Option<String>,
    /// Folders to copy skills from: folders with `SKILL.md`, or single files.
    pub skills: Option<PathBuf>,
    /// A folder to copy `patterns/` from.
    pub patterns: Option<PathBuf>,
    /// A seed brain to start from.
    pub seed: Option<PathBuf>,
    /// The settings; the seed's are kept where these say nothing.
    pub settings: Settings,
}

impl Brain {
    /// Makes a brain. It is there whole, or not at all.
    pub fn create(hone_home: &Path, id: &str, new: &New) -> Result<Self, BrainError> {
        let mut files = Files::new();
        let mut seeded = None;
        if let Some(from) = &new.seed {
            files = seed::read(from)?;
            seeded = Some(seed::Seed::of(from, &files));
        }
        Self::create_from(hone_home, id, new, files, seeded)
    }

    /// Makes a brain of files that were read already, with a note about where they are from.
    pub(super) fn create_from(
        hone_home: &Path,
        id: &str,
        new: &New,
        mut files: Files,
        seeded: Option<seed::Seed>,
    ) -> Result<Self, BrainError> {
        let brain = Self::named(hone_home, id)?;
        let exists = || BrainError::Exists { id: id.to_owned(), folder: brain.folder.clone() };
        if brain.folder.symlink_metadata().is_ok() {
            return Err(exists());
        }
        for (from, to) in [(&new.skills, members::SKILLS), (&new.patterns, members::PATTERNS)] {
            if let Some(from) = from {
                Tree::new(from).read(to, &mut files)?;
            }
        }
        if let Some(system) = &new.system {
            files.insert(members::SYSTEM.to_owned(), system.clone().into_bytes().into());
        }
        let around = agents(hone_home);
        files::make_folder(&around)?;
        let staged = tempfile::Builder::new()
            .prefix(files::STAGED)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&around)
            .map_err(BrainError::io("create", &around))?;
        seed::lay_out(staged.path(), &files)?;
        for folder in [members::SKILLS, members::PATTERNS, members::USERS, members::TRANSCRIPTS] {
            files::make_folder(&staged.path().join(folder))?;
        }
        let seeds = Settings::load(staged.path())?;
        let settings = merged(&seeds, &new.settings);
        let path = staged.path().join(members::SETTINGS);
        // A seed's file that needs no change stays the seed's.
        if settings != seeds || !path.exists() {
            files::write(&path, settings.to_text().as_bytes())?;
        }
        if let Some(seeded) = seeded {
            seeded.save(staged.path())?;
        }
        match renameat_with(CWD, staged.path(), CWD, &brain.folder, RenameFlags::NOREPLACE) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Err(exists()),
            Err(error) => return Err(BrainError::io("create", &brain.folder)(error.into())),
        }
        // It is there under its name; nothing is left to clear up.
        let _ = staged.keep();
        files::sync(&around)?;
        Ok(brain)
    }
}

/// The seed's settings with those that were given in front.
fn merged(seeds: &Settings, given: &Settings) -> Settings {
    let mut settings = seeds.clone();
    settings.tools = given.tools.clone().or(settings.tools);
    settings.model = given.model.clone().or(settings.model);
    if !given.agents.is_empty() {
        settings.agents.clone_from(&given.agents);
    }
    if given.evidence != Evidence::default() {
        settings.evidence = given.evidence;
    }
    if given.memory != MemorySettings::default() {
        settings.memory.clone_from(&given.memory);
    }
    settings.limits.turns = given.limits.turns.or(settings.limits.turns);
    settings.limits.tokens = given.limits.tokens.or(settings.limits.tokens);
    settings
}
