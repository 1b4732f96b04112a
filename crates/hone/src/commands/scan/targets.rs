//! What is to be scanned: paths, names, or the whole catalogue, turned into skills, each once. What
//! cannot be looked at is told, never left out in silence.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use hone_library::{Catalogue, Listed, Reason, Scope};

use super::Failed;
use crate::commands::check::skill_file;
use crate::context::Context;
use crate::output::{Failure, count};

/// How many folders deep skills are looked for below a folder that is none itself.
pub(super) const MAX_DEPTH: usize = 32;

/// What an archive of a skill is called at its end.
const ARCHIVES: [&str; 6] = [".zip", ".skill", ".tar", ".tar.gz", ".tgz", ".gz"];

/// A skill to be scanned.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Its folder or file.
    pub(super) path: PathBuf,
    /// Its name, if it is known already.
    pub(super) name: Option<String>,
    /// Its text, when it is not on disk but inside the binary.
    pub(super) builtin: Option<Vec<u8>>,
}

impl Target {
    fn at(path: PathBuf) -> Self {
        Self { path, name: None, builtin: None }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) targets: Vec<Target>,
    pub(super) failed: Vec<Failed>,
    /// What a person should know about what is not scanned.
    pub(super) notes: Vec<String>,
}

/// The skills that are meant, each once, in the order they were named.
pub(super) fn find(context: &Context, what: &[PathBuf]) -> Result<Found, Failure> {
    let mut found = Found::default();
    if what.is_empty() {
        found.installed(context, &context.catalogue()?);
    }
    let mut catalogue = None;
    for named in what {
        let path = hone_library::normal(&context.around.cwd.join(named));
        if path.is_dir() {
            if skill_file(&path).is_some() {
                found.targets.push(Target::at(path));
            } else {
                found.below(context, path);
            }
        } else if path.symlink_metadata().is_ok() {
            found.targets.push(Target::at(skill_of(&path)));
        } else {
            let known = match catalogue.take() {
                Some(known) => known,
                None => context.catalogue()?,
            };
            let skill = context.skill(catalogue.insert(known), &named.to_string_lossy()).map_err(
                |failure| {
                    // Exit code 1 says that a skill is not safe; this is another matter.
                    let hint = failure.hint().unwrap_or_default();
                    Failure::failed(failure.to_string(), &hint)
                },
            )?;
            found.targets.push(target(&skill)?);
        }
    }
    let mut seen = HashSet::new();
    found.targets.retain(|target| seen.insert(target.path.clone()));
    Ok(found)
}

/// The folder of a `SKILL.md`; any other file is scanned alone.
fn skill_of(file: &Path) -> PathBuf {
    let is_skill_file = file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    match file.parent() {
        Some(folder) if is_skill_file => folder.to_owned(),
        _ => file.to_owned(),
    }
}

fn target(skill: &Listed) -> Result<Target, Failure> {
    let builtin = (skill.scope == Scope::Builtin).then(|| hone_library::read_text(skill));
    Ok(Target {
        path: skill.key().to_owned(),
        name: Some(skill.summary.name.clone()),
        builtin: builtin.transpose()?,
    })
}

impl Found {
    /// Every skill on disk that the catalogue knows, offered or not.
    fn installed(&mut self, context: &Context, catalogue: &Catalogue) {
        let on_disk = |skill: &&Listed| skill.scope != Scope::Builtin;
        let known = catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
        let skills = catalogue.skills.iter().filter(on_disk).chain(known.filter(on_disk));
        self.targets.extend(skills.map(|skill| Target {
            path: skill.key().to_owned(),
            name: Some(skill.summary.name.clone()),
            builtin: None,
        }));
        for skipped in catalogue.skipped.iter().filter(|skipped| skipped.skill.is_none()) {
            match skipped.reason {
                Reason::Closed => self
                    .failed
                    .push(Failed { path: skipped.path.clone(), message: skipped.message.clone() }),
                Reason::TooDeep => {
                    let path = context.shown(&skipped.path);
                    self.notes.push(format!("not scanned: {path}: {}", skipped.message));
                }
                // It is no skill to an agent, but its files are there.
                _ => self.targets.push(Target::at(skill_of(&skipped.path))),
            }
        }
        self.targets.sort_by(|a, b| a.path.cmp(&b.path));
        self.without_nested();
    }

    /// A skill inside another one is scanned with it.
    fn without_nested(&mut self) {
        let folders: HashSet<PathBuf> =
            self.targets.iter().map(|target| target.path.clone()).collect();
        let is_nested = |path: &Path| path.ancestors().skip(1).any(|above| folders.contains(above));
        self.targets.retain(|target| !is_nested(&target.path));
    }

    /// The skills below a folder that is none; without any, the folder itself.
    fn below(&mut self, context: &Context, folder: PathBuf) {
        let (before, failed_before) = (self.targets.len(), self.failed.len());
        let mut loose = 0;
        let mut folders = vec![(folder.clone(), 0)];
        while let Some((inside, depth)) = folders.pop() {
            let entries = match std::fs::read_dir(&inside) {
                Ok(entries) => entries,
                Err(error) => {
                    self.failed.push(Failed { path: inside, message: error.to_string() });
                    continue;
                }
            };
            for entry in entries.flatten() {
                let path = entry.path();
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                if path.is_dir() {
                    if skill_file(&path).is_some() {
                        self.targets.push(Target::at(path));
                    } else if is_link {
                        // Where it leads may be above, and that would never end.
                        loose += 1;
                    } else if depth == MAX_DEPTH {
                        let message = format!("more than {MAX_DEPTH} folders deep");
                        self.failed.push(Failed { path, message });
                    } else {
                        folders.push((path, depth + 1));
                    }
                } else if is_archive(&path) {
                    self.targets.push(Target::at(path));
                } else {
                    loose += 1;
                }
            }
        }
        self.targets[before..].sort_by(|a, b| a.path.cmp(&b.path));
        self.failed[failed_before..].sort_by(|a, b| a.path.cmp(&b.path));
        if self.targets.len() == before {
            self.targets.push(Target::at(folder));
        } else if loose > 0 {
            let files = count(loose, "file");
            let shown = context.shown(&folder);
            self.notes.push(format!("{files} in `{shown}` outside of any skill not scanned"));
        }
    }
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ARCHIVES.iter().any(|ending| name.ends_with(ending))
}
