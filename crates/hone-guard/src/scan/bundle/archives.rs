//! Archives in a skill, opened to a depth: zip, tar and gzip, by their content. What unpacks to too much, is
//! encrypted or would be written outside is an oddity, and nothing is written to a disk.

use std::io::{Cursor, Read};

use super::{Bundle, Oddity, leaves};
use crate::scan::kind::Kind;

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

impl Bundle {
    pub(super) fn open_archives(&mut self) {
        let mut at = 0;
        while at < self.members.len() {
            self.open_archive(at);
            at += 1;
        }
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

/// Whether a member's name would be written outside of where an archive is unpacked.
fn escapes(name: &str) -> bool {
    name.starts_with('/')
        || name.contains('\\')
        || name.as_bytes().get(1) == Some(&b':')
        || leaves("", name)
}
