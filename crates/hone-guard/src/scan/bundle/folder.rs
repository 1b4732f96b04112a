//! The folder of a skill, walked in a fixed order: links are noted and not followed, and what is neither
//! file nor folder is an oddity. Files past a bound are said to be unread.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::content::read_bounded;
use super::digest::add;
use super::{Bundle, Oddity, leaves};
use crate::scan::kind::has_extension;
use crate::scan::places::classify;
use sha2::Sha256;

/// A folder's own files come before those of the folders in it.
pub(super) fn in_order_of_walk(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('/').peekable(), b.split('/').peekable());
    loop {
        let (Some(one), Some(other)) = (a.next(), b.next()) else { return Ordering::Equal };
        let is_inside = (a.peek().is_some(), b.peek().is_some());
        let order = is_inside.0.cmp(&is_inside.1).then_with(|| one.cmp(other));
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl Bundle {
    pub(super) fn walk(&mut self, root: &Path, top: &Path, hash: &mut Sha256) -> io::Result<()> {
        // A stack of folders, each with its sorted entries: the order, and so the digest, is fixed.
        let mut stack = vec![(top.to_path_buf(), 0_usize)];
        while let Some((folder, depth)) = stack.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if folder == top => return Err(error),
                Err(error) => {
                    self.unread(relative(root, &folder), error.to_string());
                    continue;
                }
            };
            let mut paths: Vec<PathBuf> =
                entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
            paths.sort();
            let mut folders = Vec::new();
            for path in paths {
                let shown = relative(root, &path);
                if path.to_str().is_none() {
                    self.oddities.push(Oddity::Name { path: shown.clone() });
                }
                let metadata = match fs::symlink_metadata(&path) {
                    Ok(metadata) => metadata,
                    Err(error) => {
                        self.unread(shown, error.to_string());
                        continue;
                    }
                };
                let kind = metadata.file_type();
                if kind.is_symlink() {
                    self.link(root, &path, shown, hash);
                } else if kind.is_dir() {
                    if depth == self.limits.depth {
                        self.unread(shown, format!("more than {} folders deep", self.limits.depth));
                    } else {
                        folders.push(path);
                    }
                } else if kind.is_file() {
                    if self.members.len() >= self.limits.files {
                        self.unread(shown, format!("more than {} files", self.limits.files));
                        return Ok(());
                    }
                    self.take_file(&path, shown, hash);
                } else {
                    self.oddities
                        .push(Oddity::Special { path: shown, what: "device, socket or pipe" });
                }
            }
            folders.reverse();
            stack.extend(folders.into_iter().map(|folder| (folder, depth + 1)));
        }
        Ok(())
    }

    fn link(&mut self, root: &Path, path: &Path, shown: String, hash: &mut Sha256) {
        let target =
            fs::read_link(path).map(|t| t.to_string_lossy().into_owned()).unwrap_or_default();
        add(hash, b"link", shown.as_bytes(), target.as_bytes());
        let real = fs::canonicalize(path);
        let outside = match &real {
            Ok(real) => !real.starts_with(root),
            Err(_) => Path::new(&target).is_absolute() || leaves(&shown, &target),
        };
        if let Ok(real) = &real
            && outside
            && self.members.len() < self.limits.files
            && is_shared(root, &shown, &target, real)
        {
            self.oddities.push(Oddity::Followed { path: shown.clone(), target });
            self.take_file(real, shown, hash);
            return;
        }
        self.oddities.push(Oddity::Link { path: shown, target, outside, broken: real.is_err() });
    }

    pub(super) fn take_file(&mut self, path: &Path, shown: String, hash: &mut Sha256) {
        match read_bounded(path, self.most(), self.limits.counted_bytes) {
            Ok(content) => self.take_content(content, shown, hash),
            Err(error) => self.unread(shown, error.to_string()),
        }
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    relative.to_string_lossy().replace('\\', "/")
}

/// Steps up that a collection of skills takes to its own texts.
const MAX_UP: usize = 4;

/// Whether a link leads to a file that the repository or plugin around the skill shares between its skills,
/// which is read in its place: what it says counts as if it lay here. It is named by a relative path without
/// hidden folders and holds nothing of the person's own. Where neither is around, only the instructions
/// themselves may be a link to another folder of a collection.
fn is_shared(root: &Path, shown: &str, target: &str, real: &Path) -> bool {
    let parts: Vec<&str> = target.split('/').collect();
    let ups = parts.iter().take_while(|part| **part == "..").count();
    let is_plain = parts[ups..].iter().all(|part| !part.is_empty() && !part.starts_with('.'));
    if !is_plain || ups == 0 || !real.is_file() || classify(target).is_some() {
        return false;
    }
    if let Some(around) = shared_by(root) {
        return real.starts_with(around);
    }
    // Where the link is said to lead is where it leads: no other link lies on the way.
    let folder = root.join(shown).parent().map(Path::to_path_buf);
    let above = folder.and_then(|folder| folder.ancestors().nth(ups).map(Path::to_path_buf));
    shown == "SKILL.md"
        && has_extension(target, "md")
        && ups <= MAX_UP
        && above.is_some_and(|above| real == above.join(parts[ups..].join("/")))
}

/// The checkout that a skill lies in, known by its `.git`, or else the collection or plugin, known by its
/// manifest: what is copied and installed as one.
fn shared_by(root: &Path) -> Option<&Path> {
    const MANIFESTS: [&str; 2] = [".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"];
    let repository = root.ancestors().find(|above| above.join(".git").exists());
    repository.or_else(|| {
        let above = |manifest| {
            root.ancestors().skip(1).take(MAX_UP).find(move |above| above.join(manifest).is_file())
        };
        MANIFESTS.into_iter().find_map(above)
    })
}
