//! What is to be scanned: paths, names, or the whole catalogue, turned into skills, each once. What
//! cannot be looked at is told, never left out in silence.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hone_guard::Files;
use hone_library::{Catalogue, Error, Listed, Reason, Scope};

use super::Failed;
use crate::commands::check::skill_file;
use crate::context::Context;
use crate::output::{Failure, count};

/// How many folders deep skills are looked for below a folder that is none itself.
pub(crate) const MAX_DEPTH: usize = 32;

/// What an archive of a skill is called at its end.
const ARCHIVES: [&str; 6] = [".zip", ".skill", ".tar", ".tar.gz", ".tgz", ".gz"];

/// A skill to be scanned.
#[derive(Debug)]
pub(super) struct Target {
    /// Its folder or file.
    pub(super) path: PathBuf,
    /// Its name, if it is known already.
    pub(super) name: Option<String>,
    /// Its files, when it has no place of its own on disk: inside the binary, or one of several in an
    /// archive.
    pub(super) files: Option<Arc<Files>>,
}

impl Target {
    fn at(path: PathBuf) -> Self {
        Self { path, name: None, files: None }
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
                found.below(context, &path, named)?;
            }
        } else if is_archive(&path) && path.is_file() {
            found.archive(context, path);
        } else if path.symlink_metadata().is_ok() {
            found.targets.push(Target::at(skill_of(&path)));
        } else {
            let known = match catalogue.take() {
                Some(known) => known,
                None => context.catalogue()?,
            };
            let (known, name) = (catalogue.insert(known), named.to_string_lossy());
            match context.known(known, &name) {
                Ok(skill) => found.targets.push(target(&skill)?),
                Err(failure) => {
                    let Some(broken) = Context::broken(known, &name) else {
                        // Exit code 1 says that a skill is not safe; this is another matter.
                        let hint = failure.hint().unwrap_or_default();
                        let message = if name.contains('/') && is_unheard_of(&failure) {
                            format!("there is no file, folder or skill `{name}`")
                        } else {
                            failure.to_string()
                        };
                        if what.len() == 1 {
                            return Err(Failure::failed(message, &hint));
                        }
                        // The others are scanned all the same.
                        found.failed.push(Failed { path: named.clone(), message });
                        continue;
                    };
                    found.targets.push(Target::at(skill_of(&broken.path)));
                }
            }
        }
    }
    let mut seen = HashSet::new();
    found.targets.retain(|target| seen.insert(target.path.clone()));
    Ok(found)
}

/// Whether nothing at all is known by that name.
fn is_unheard_of(failure: &Failure) -> bool {
    matches!(failure, Failure::Library(Error::NotFound { hidden: None, .. }))
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
    let files = builtin.transpose()?.map(|text| Arc::new(Files::of_text("SKILL.md", text)));
    Ok(Target { path: skill.key().to_owned(), name: Some(skill.summary.name.clone()), files })
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
            files: None,
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

    /// An archive, or each of its skills if it has several.
    fn archive(&mut self, context: &Context, path: PathBuf) {
        // One that cannot be read fails when it is scanned.
        let unpacked = Files::read(&path).map(|files| files.unpacked()).unwrap_or_default();
        if unpacked.skills.is_empty() {
            self.targets.push(Target::at(path));
            return;
        }
        if unpacked.loose > 0 {
            self.notes.push(outside(context, unpacked.loose, &path));
        }
        self.targets.extend(unpacked.skills.into_iter().map(|skill| {
            let outer = skill.folder.rsplit('/').next().unwrap_or_default();
            let declared = hone_skill::read(&skill.text, Some(outer)).skill;
            let name = declared.map_or_else(|| outer.to_owned(), |skill| skill.name);
            let files = Some(Arc::new(skill.files));
            Target { path: path.join(&skill.folder), name: Some(name), files }
        }));
    }

    /// The skills below a folder that is none.
    fn below(&mut self, context: &Context, folder: &Path, named: &Path) -> Result<(), Failure> {
        let (before, failed_before) = (self.targets.len(), self.failed.len());
        let mut loose = 0;
        let mut folders = vec![(folder.to_owned(), 0)];
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
                    self.archive(context, path);
                } else {
                    loose += 1;
                }
            }
        }
        self.targets[before..].sort_by(|a, b| a.path.cmp(&b.path));
        self.failed[failed_before..].sort_by(|a, b| a.path.cmp(&b.path));
        if self.targets.len() == before && self.failed.len() == failed_before {
            // Exit code 1 would say that a skill is not safe.
            return Err(Failure::failed(
                format!("there is no skill in `{}`", named.display()),
                "name a folder with a `SKILL.md`, an archive, or a file to be scanned alone",
            ));
        }
        if loose > 0 {
            self.notes.push(outside(context, loose, folder));
        }
        Ok(())
    }
}

fn outside(context: &Context, files: usize, place: &Path) -> String {
    let (files, shown) = (count(files, "file"), context.shown(place));
    format!("{files} in `{shown}` outside of any skill not scanned")
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ARCHIVES.iter().any(|ending| name.ends_with(ending))
}
