//! The files of a skill as the scanner takes them in: every file, whatever an ignore file says,
//! archives opened to a depth, links noted and never followed. Every bound is a named constant, and
//! what lies past one is reported, not dropped.

mod archives;
mod content;
mod digest;
mod folder;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::{fs, io};

use super::kind::{Kind, classify};
use super::text::Text;
pub(crate) use content::Gap;
use content::{Content, bounded};
use digest::{add, hexadecimal};
use folder::in_order_of_walk;
use sha2::{Digest as _, Sha256};

/// How much of a skill is looked at.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Files of one skill, members of archives included.
    files: usize,
    /// Bytes of one file; of a longer one the start and the end are looked at.
    file_bytes: u64,
    /// Bytes left out of one file that are read to count their lines.
    counted_bytes: u64,
    /// Bytes of one skill.
    total_bytes: u64,
    /// Folders inside folders.
    depth: usize,
    /// Archives inside archives that are opened.
    archive_depth: usize,
    /// Members of one archive.
    archive_members: usize,
    /// Unpacked bytes of one archive.
    archive_bytes: u64,
    /// How much larger than packed an archive's member may unpack, past `free_bytes`.
    archive_ratio: u64,
    /// Unpacked bytes of a member for which the ratio does not count.
    free_bytes: u64,
}

const LIMITS: Limits = Limits {
    files: 20_000,
    file_bytes: 32 * 1024 * 1024,
    counted_bytes: 1024 * 1024 * 1024,
    total_bytes: 256 * 1024 * 1024,
    depth: 32,
    archive_depth: 3,
    archive_members: 5_000,
    archive_bytes: 64 * 1024 * 1024,
    archive_ratio: 200,
    free_bytes: 1024 * 1024,
};

/// A file, or a member of an archive.
#[derive(Debug)]
pub(crate) struct Member {
    /// The path inside the skill, with `/`; members of archives follow a `!`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: Kind,
    /// How many archives it lies in.
    pub(crate) nested: usize,
    /// What is left out of it, where it is long.
    pub(crate) gap: Option<Gap>,
}

impl Member {
    /// Its text, whose lines are those of the file.
    pub(crate) fn text(&self) -> Text {
        Text::from_bytes(&self.bytes).with_gap(self.gap)
    }
}

/// Something about the tree that a rule wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// A link and where it leads; whether that is outside the skill, and whether it is there.
    Link { path: String, target: String, outside: bool, broken: bool },
    /// A link to a file of the repository around the skill, which was read in its place.
    Followed { path: String, target: String },
    /// A hard link, device, socket or pipe.
    Special { path: String, what: &'static str },
    /// What could not be read, and why.
    Unread { path: String, why: String },
    /// An archive with a member that would be written outside.
    Escape { path: String, member: String },
    /// An archive whose members are encrypted.
    Encrypted { path: String, member: String },
    /// An archive that unpacks to far more than it is.
    Bomb { path: String, why: String },
    /// A name that is not Unicode.
    Name { path: String },
}

/// Everything that was found in a skill's folder.
#[derive(Debug, Default)]
pub(crate) struct Bundle {
    pub(crate) members: Vec<Member>,
    pub(crate) oddities: Vec<Oddity>,
    pub(crate) bytes: u64,
    pub(crate) digest: String,
    limits: Limits,
}

impl Default for Limits {
    fn default() -> Self {
        LIMITS
    }
}

/// Reads a skill: a folder, or a single file.
pub(crate) fn read(root: &Path) -> io::Result<Bundle> {
    read_within(root, LIMITS)
}

fn read_within(root: &Path, limits: Limits) -> io::Result<Bundle> {
    let metadata = fs::metadata(root)?;
    let mut bundle = Bundle { limits, ..Bundle::default() };
    let mut hash = Sha256::new();
    if metadata.is_file() {
        let name = root
            .file_name()
            .map_or_else(|| "SKILL.md".into(), |n| n.to_string_lossy().into_owned());
        bundle.take_file(root, name, &mut hash);
    } else {
        let real = fs::canonicalize(root)?;
        bundle.walk(&real, &real, &mut hash)?;
    }
    bundle.open_archives();
    bundle.digest = hexadecimal(hash);
    Ok(bundle)
}

/// A skill of one file that is in memory.
pub(crate) fn of_text(name: &str, bytes: Vec<u8>) -> Bundle {
    let mut bundle = Bundle::default();
    let mut hash = Sha256::new();
    add(&mut hash, b"file", name.as_bytes(), &bytes);
    bundle.push(name.to_owned(), bytes, 0);
    bundle.digest = hexadecimal(hash);
    bundle
}

/// A skill whose files are in memory, by path with `/`: what [`read`] makes of a folder that holds them.
pub(crate) fn of_files<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Bundle {
    of_files_within(files, LIMITS)
}

fn of_files_within<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    limits: Limits,
) -> Bundle {
    let mut bundle = Bundle { limits, ..Bundle::default() };
    let mut hash = Sha256::new();
    let mut files: Vec<(&str, &[u8])> = files.into_iter().collect();
    files.sort_by(|(a, _), (b, _)| in_order_of_walk(a, b));
    for (path, bytes) in files {
        let content = bounded(bytes, bundle.most(), limits.counted_bytes);
        bundle.take_content(content, path.to_owned(), &mut hash);
    }
    bundle.open_archives();
    bundle.digest = hexadecimal(hash);
    bundle
}

impl Bundle {
    fn unread(&mut self, path: String, why: String) {
        self.oddities.push(Oddity::Unread { path, why });
    }

    /// How many bytes of the next file are looked at.
    fn most(&self) -> u64 {
        self.limits.file_bytes.min(self.limits.total_bytes.saturating_sub(self.bytes))
    }

    fn take_content(&mut self, content: Content, shown: String, hash: &mut Sha256) {
        match content {
            Content::Whole(bytes) => {
                add(hash, b"file", shown.as_bytes(), &bytes);
                self.push(shown, bytes, 0);
            }
            Content::Ends { bytes, length, gap } => {
                let mut why = format!("{length} bytes, of which only both ends were looked at");
                if gap.is_none() {
                    why.push_str("; lines in its end are counted without what is between");
                }
                self.unread(shown.clone(), why);
                add(hash, &length.to_le_bytes(), shown.as_bytes(), &bytes);
                self.push_part(shown, bytes, 0, gap);
            }
        }
    }

    fn push(&mut self, path: String, bytes: Vec<u8>, nested: usize) {
        self.push_part(path, bytes, nested, None);
    }

    /// As [`Bundle::push`], with something left out of the file.
    fn push_part(&mut self, path: String, bytes: Vec<u8>, nested: usize, gap: Option<Gap>) {
        if self.members.len() >= self.limits.files {
            // Said once: the count alone tells how far the scan went.
            let why = format!("more than {} files", self.limits.files);
            if !matches!(self.oddities.last(), Some(Oddity::Unread { why: last, .. }) if *last == why)
            {
                self.unread(path, why);
            }
            return;
        }
        self.bytes += bytes.len() as u64;
        let kind = classify(&path, &bytes);
        self.members.push(Member { path, bytes, kind, nested, gap });
    }
}

/// Whether a relative target, seen from a path, climbs out of the top.
fn leaves(from: &str, target: &str) -> bool {
    let mut depth = i64::try_from(from.matches('/').count()).unwrap_or(0);
    for part in target.split('/') {
        match part {
            ".." => depth -= 1,
            "" | "." => {}
            _ => depth += 1,
        }
        if depth < 0 {
            return true;
        }
    }
    false
}
