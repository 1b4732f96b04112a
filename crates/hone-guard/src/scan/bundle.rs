//! The files of a skill as the scanner takes them in: every file, whatever an ignore file says,
//! archives opened to a depth, links noted and never followed. Every bound is a named constant, and
//! what lies past one is reported, not dropped.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::kind::{Kind, classify};

/// How much of a skill is looked at.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Files of one skill, members of archives included.
    files: usize,
    /// Bytes of one file; of a longer one the start and the end are looked at.
    file_bytes: u64,
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
}

/// Something about the tree that a rule wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// A link and where it leads; whether that is outside the skill, and whether it is there.
    Link { path: String, target: String, outside: bool, broken: bool },
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
        let content = bounded(bytes, bundle.most());
        bundle.take_content(content, path.to_owned(), &mut hash);
    }
    bundle.open_archives();
    bundle.digest = hexadecimal(hash);
    bundle
}

/// Whether the directory of a zip archive ends a file.
fn ends_as_zip(bytes: &[u8]) -> bool {
    // The end of the directory, and the longest remark behind it.
    const END: usize = 22;
    const MAX_REMARK: usize = 65_535;
    let last = &bytes[bytes.len().saturating_sub(END + MAX_REMARK)..];
    // Its fields have zeros, which texts have not.
    last.contains(&0) && last.windows(END).any(|window| is_zip_end(window, bytes.len()))
}

/// Whether these bytes end the directory of a zip archive, which lies within so many bytes.
fn is_zip_end(end: &[u8], length: usize) -> bool {
    let number = |at: usize| u32::from_le_bytes([end[at], end[at + 1], end[at + 2], end[at + 3]]);
    let within = |number: u32| usize::try_from(number).is_ok_and(|number| number <= length);
    end.starts_with(b"PK\x05\x06") && number(12) > 0 && within(number(12)) && within(number(16))
}

/// A folder's own files come before those of the folders in it.
fn in_order_of_walk(a: &str, b: &str) -> Ordering {
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

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        use std::fmt::Write as _;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Bundle {
    /// What a report on it depends on: the content, and what the disk said besides. The digest alone
    /// does not know that a file could not be read or where a link leads today.
    pub(crate) fn key(&self) -> String {
        let mut hash = Sha256::new();
        add(
            &mut hash,
            b"content",
            self.digest.as_bytes(),
            format!("{:?}", self.oddities).as_bytes(),
        );
        hexadecimal(hash)
    }

    fn walk(&mut self, root: &Path, top: &Path, hash: &mut Sha256) -> io::Result<()> {
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

    fn unread(&mut self, path: String, why: String) {
        self.oddities.push(Oddity::Unread { path, why });
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
        self.oddities.push(Oddity::Link { path: shown, target, outside, broken: real.is_err() });
    }

    fn take_file(&mut self, path: &Path, shown: String, hash: &mut Sha256) {
        match read_bounded(path, self.most()) {
            Ok(content) => self.take_content(content, shown, hash),
            Err(error) => self.unread(shown, error.to_string()),
        }
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
            Content::Ends { bytes, length } => {
                let why = format!("{length} bytes, of which only both ends were looked at");
                self.unread(shown.clone(), why);
                add(hash, &length.to_le_bytes(), shown.as_bytes(), &bytes);
                self.push(shown, bytes, 0);
            }
        }
    }

    fn open_archives(&mut self) {
        let mut at = 0;
        while at < self.members.len() {
            self.open_archive(at);
            at += 1;
        }
    }

    fn push(&mut self, path: String, bytes: Vec<u8>, nested: usize) {
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
        self.members.push(Member { path, bytes, kind, nested });
    }

    fn open_archive(&mut self, at: usize) {
        let member = &self.members[at];
        let kind = match member.kind {
            // A zip archive is read from its end, whatever stands before it.
            Kind::Text(_) | Kind::Binary | Kind::Media(_) if ends_as_zip(&member.bytes) => {
                Kind::Zip
            }
            kind => kind,
        };
        if !matches!(kind, Kind::Zip | Kind::Tar | Kind::Gzip) {
            return;
        }
        let (path, nested) = (member.path.clone(), member.nested);
        if nested >= self.limits.archive_depth {
            self.unread(
                path,
                format!("an archive inside {} others is not opened", self.limits.archive_depth),
            );
            return;
        }
        let bytes = std::mem::take(&mut self.members[at].bytes);
        let mut budget = Budget {
            left: self.limits.archive_bytes.min(self.limits.total_bytes.saturating_sub(self.bytes)),
            most: (bytes.len() as u64)
                .saturating_mul(self.limits.archive_ratio)
                .max(self.limits.free_bytes),
        };
        let problem = match kind {
            Kind::Zip => self.open_zip(&path, &bytes, nested, &mut budget),
            Kind::Tar => self.open_tar(&path, Cursor::new(&bytes), nested, &mut budget),
            Kind::Gzip => self.open_gzip(&path, &bytes, nested, &mut budget),
            _ => Ok(()),
        };
        match problem {
            Ok(()) => {}
            Err(Stop::Bomb(why)) => self.oddities.push(Oddity::Bomb { path, why }),
            Err(Stop::Broken(why)) => self.unread(path, why),
        }
        self.members[at].bytes = bytes;
    }

    fn open_zip(
        &mut self,
        path: &str,
        bytes: &[u8],
        nested: usize,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(Stop::broken)?;
        if archive.len() > self.limits.archive_members {
            return Err(Stop::Bomb(format!("{} members", archive.len())));
        }
        for index in 0..archive.len() {
            let (name, encrypted, is_link, is_dir) = {
                let entry = archive.by_index_raw(index).map_err(Stop::broken)?;
                (
                    String::from_utf8_lossy(entry.name_raw()).into_owned(),
                    entry.encrypted(),
                    entry.is_symlink(),
                    entry.is_dir(),
                )
            };
            if escapes(&name) {
                self.oddities.push(Oddity::Escape { path: path.to_owned(), member: name.clone() });
            }
            if is_dir {
                continue;
            }
            let shown = format!("{path}!{name}");
            if encrypted {
                self.oddities.push(Oddity::Encrypted { path: path.to_owned(), member: name });
                continue;
            }
            let mut entry = archive.by_index(index).map_err(Stop::broken)?;
            let content = budget.take(&mut entry)?;
            if is_link {
                let target = String::from_utf8_lossy(&content).into_owned();
                let outside = target.starts_with('/') || leaves(&name, &target);
                self.oddities.push(Oddity::Link { path: shown, target, outside, broken: false });
            } else {
                self.push(shown, content, nested + 1);
            }
        }
        Ok(())
    }

    fn open_tar(
        &mut self,
        path: &str,
        reader: impl Read,
        nested: usize,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let mut archive = tar::Archive::new(reader);
        for (count, entry) in archive.entries().map_err(Stop::broken)?.enumerate() {
            if count == self.limits.archive_members {
                return Err(Stop::Bomb(format!(
                    "more than {} members",
                    self.limits.archive_members
                )));
            }
            let mut entry = entry.map_err(Stop::broken)?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if escapes(&name) {
                self.oddities.push(Oddity::Escape { path: path.to_owned(), member: name.clone() });
            }
            let kind = entry.header().entry_type();
            let shown = format!("{path}!{name}");
            if kind.is_symlink() || kind.is_hard_link() {
                let target = entry
                    .link_name_bytes()
                    .map(|t| String::from_utf8_lossy(&t).into_owned())
                    .unwrap_or_default();
                let outside = target.starts_with('/') || leaves(&name, &target);
                self.oddities.push(Oddity::Link { path: shown, target, outside, broken: false });
            } else if kind.is_file() {
                let content = budget.take(&mut entry)?;
                self.push(shown, content, nested + 1);
            } else if !kind.is_dir() && !kind.is_pax_global_extensions() {
                self.oddities.push(Oddity::Special { path: shown, what: "device or pipe" });
            }
        }
        Ok(())
    }

    fn open_gzip(
        &mut self,
        path: &str,
        bytes: &[u8],
        nested: usize,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let content = budget.take(&mut flate2::read::MultiGzDecoder::new(bytes))?;
        let inner = path.rsplit('/').next().unwrap_or(path);
        let inner =
            inner.strip_suffix(".gz").or_else(|| inner.strip_suffix(".tgz")).unwrap_or(inner);
        self.push(format!("{path}!{inner}"), content, nested + 1);
        Ok(())
    }
}

enum Stop {
    Bomb(String),
    Broken(String),
}

impl Stop {
    fn broken(error: impl std::fmt::Display) -> Self {
        Self::Broken(format!("the archive cannot be read: {error}"))
    }
}

struct Budget {
    /// What is left of the archive's unpacked bytes.
    left: u64,
    /// What one member may have of them.
    most: u64,
}

impl Budget {
    fn take(&mut self, reader: &mut impl Read) -> Result<Vec<u8>, Stop> {
        let most = self.left.min(self.most);
        let mut content = Vec::new();
        let read = reader.take(most + 1).read_to_end(&mut content).map_err(Stop::broken)?;
        if read as u64 > most {
            return Err(Stop::Bomb(format!("it unpacks to more than {most} bytes")));
        }
        self.left -= read as u64;
        Ok(content)
    }
}

enum Content {
    Whole(Vec<u8>),
    /// Of a long file its start and its end, with a line break between, and its length.
    Ends {
        bytes: Vec<u8>,
        length: u64,
    },
}

fn read_bounded(path: &Path, most: u64) -> io::Result<Content> {
    use std::io::{Seek as _, SeekFrom};
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(most).read_to_end(&mut bytes)?;
    let length = file.metadata()?.len();
    if length <= bytes.len() as u64 {
        return Ok(Content::Whole(bytes));
    }
    bytes.truncate(bytes.len() / 2);
    let half = bytes.len() as u64;
    bytes.push(b'\n');
    file.seek(SeekFrom::Start(length - half))?;
    file.take(half).read_to_end(&mut bytes)?;
    Ok(Content::Ends { bytes, length })
}

/// As [`read_bounded`], of bytes in memory.
fn bounded(bytes: &[u8], most: u64) -> Content {
    let (length, most) = (bytes.len(), usize::try_from(most).unwrap_or(usize::MAX));
    if length <= most {
        return Content::Whole(bytes.to_vec());
    }
    let half = most / 2;
    let bytes = [&bytes[..half], b"\n", &bytes[length - half..]].concat();
    Content::Ends { bytes, length: length as u64 }
}

fn add(hash: &mut Sha256, kind: &[u8], path: &[u8], content: &[u8]) {
    for part in [kind, path, content] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    relative.to_string_lossy().replace('\\', "/")
}

/// Whether a member's name would be written outside of where an archive is unpacked.
fn escapes(name: &str) -> bool {
    name.starts_with('/')
        || name.contains('\\')
        || name.as_bytes().get(1) == Some(&b':')
        || leaves("", name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in members {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn bundle(files: &[(&str, &[u8])]) -> Bundle {
        within(LIMITS, files)
    }

    fn within(limits: Limits, files: &[(&str, &[u8])]) -> Bundle {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        read_within(folder.path(), limits).unwrap()
    }

    fn paths(bundle: &Bundle) -> Vec<&str> {
        bundle.members.iter().map(|member| member.path.as_str()).collect()
    }

    #[test]
    fn files_in_memory_are_the_same_skill_as_in_a_folder() {
        let packed = zipped(&[("run.sh", b"#!/bin/sh\n")]);
        let long = b"0123456789".repeat(3);
        let files: [(&str, &[u8]); 9] = [
            ("z.md", b"z"),
            ("SKILL.md", b"Tidy up.\n"),
            ("a/b/c.md", b"c"),
            ("a/z.md", b"z"),
            ("a.md", b"a"),
            ("a-b/x.md", b"x"),
            ("B/x.zip", &packed),
            ("long.txt", &long),
            ("a/b.md", b"b"),
        ];
        let told = |bundle: Bundle| {
            let members = bundle.members.iter().map(|one| (one.path.clone(), one.bytes.clone()));
            let members: Vec<_> = members.collect();
            (members, bundle.key(), bundle.digest, bundle.oddities)
        };
        for file_bytes in [LIMITS.file_bytes, 29, 30] {
            let limits = Limits { file_bytes, ..LIMITS };
            let in_memory = told(of_files_within(files, limits));
            assert_eq!(in_memory, told(within(limits, &files)), "{file_bytes}");
        }
    }

    #[test]
    fn archives_are_opened_to_the_depth_and_no_further() {
        let mut packed = zipped(&[("run.sh", b"#!/bin/sh\n")]);
        for _ in 0..LIMITS.archive_depth {
            packed = zipped(&[("in.zip", &packed)]);
        }
        let found = bundle(&[("a.zip", &packed)]);
        assert_eq!(
            paths(&found),
            ["a.zip", "a.zip!in.zip", "a.zip!in.zip!in.zip", "a.zip!in.zip!in.zip!in.zip"]
        );
        assert!(matches!(&found.oddities[..], [Oddity::Unread { .. }]), "{:?}", found.oddities);
    }

    #[test]
    fn a_member_that_climbs_out_is_an_oddity() {
        let found = bundle(&[("a.zip", &zipped(&[("../../x.sh", b"#!/bin/sh\n")]))]);
        assert_eq!(
            found.oddities,
            [Oddity::Escape { path: "a.zip".into(), member: "../../x.sh".into() }]
        );
    }

    #[test]
    fn an_archive_that_unpacks_beyond_its_ratio_is_a_bomb() {
        let found = bundle(&[("a.zip", &zipped(&[("zeros", &vec![0; 8 * 1024 * 1024])]))]);
        assert!(matches!(&found.oddities[..], [Oddity::Bomb { .. }]), "{:?}", found.oddities);
    }

    #[test]
    fn the_digest_is_of_paths_and_content() {
        let one = bundle(&[("SKILL.md", b"a"), ("x/y", b"b")]).digest;
        assert_eq!(one, bundle(&[("x/y", b"b"), ("SKILL.md", b"a")]).digest);
        assert_ne!(one, bundle(&[("SKILL.md", b"a"), ("x/z", b"b")]).digest);
        assert_ne!(one, bundle(&[("SKILL.md", b"ab"), ("x/y", b"")]).digest);
    }

    /// The reasons why something was not looked at.
    fn unread(bundle: &Bundle) -> Vec<&str> {
        bundle
            .oddities
            .iter()
            .filter_map(|oddity| match oddity {
                Oddity::Unread { why, .. } | Oddity::Bomb { why, .. } => Some(why.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn files_and_folders_are_read_to_the_bound_and_what_is_past_it_is_said() {
        let limits = Limits { files: 2, depth: 2, ..LIMITS };
        assert_eq!(unread(&within(limits, &[("a", b"1"), ("x/y/b", b"2")])), [""; 0]);
        assert_eq!(
            unread(&within(limits, &[("a", b"1"), ("b", b"2"), ("c", b"3")])),
            ["more than 2 files"]
        );
        assert_eq!(unread(&within(limits, &[("x/y/z/b", b"2")])), ["more than 2 folders deep"]);
    }

    #[test]
    fn a_long_file_is_looked_at_from_both_ends() {
        let limits = Limits { file_bytes: 8, ..LIMITS };
        assert_eq!(unread(&within(limits, &[("a", b"12345678")])), [""; 0]);
        let found = within(limits, &[("a", b"123456789")]);
        assert_eq!(unread(&found), ["9 bytes, of which only both ends were looked at"]);
        assert_eq!(found.members[0].bytes, b"1234\n6789");
    }

    #[test]
    fn all_files_together_are_bounded() {
        let limits = Limits { total_bytes: 8, ..LIMITS };
        assert_eq!(unread(&within(limits, &[("a", b"1234"), ("b", b"5678")])), [""; 0]);
        assert_eq!(unread(&within(limits, &[("a", b"1234"), ("b", b"56789")])).len(), 1);
    }

    #[test]
    fn an_archive_is_opened_to_the_bound_of_members_and_bytes() {
        let limits = Limits {
            archive_members: 2,
            archive_bytes: 8,
            free_bytes: 4,
            archive_ratio: 0,
            ..LIMITS
        };
        assert_eq!(
            unread(&within(limits, &[("a.zip", &zipped(&[("b", b"1234"), ("c", b"5678")]))])),
            [""; 0]
        );
        let many = zipped(&[("b", b"1"), ("c", b"2"), ("d", b"3")]);
        assert_eq!(unread(&within(limits, &[("a.zip", &many)])), ["3 members"]);
        let large = zipped(&[("b", b"12345")]);
        assert_eq!(
            unread(&within(limits, &[("a.zip", &large)])),
            ["it unpacks to more than 4 bytes"]
        );
        let sum = Limits { archive_members: 3, ..limits };
        let long = zipped(&[("b", b"1234"), ("c", b"5678"), ("d", b"9")]);
        assert_eq!(unread(&within(sum, &[("a.zip", &long)])), ["it unpacks to more than 0 bytes"]);
    }

    #[test]
    fn an_archive_at_the_depth_is_opened() {
        let mut packed = zipped(&[("run.sh", b"#!/bin/sh\n")]);
        for _ in 1..LIMITS.archive_depth {
            packed = zipped(&[("in.zip", &packed)]);
        }
        let found = bundle(&[("a.zip", &packed)]);
        assert_eq!(paths(&found).last(), Some(&"a.zip!in.zip!in.zip!run.sh"));
        assert_eq!(unread(&found), [""; 0]);
    }
}
