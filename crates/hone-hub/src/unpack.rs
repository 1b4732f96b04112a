//! An archive becomes files in memory, or is refused whole.
//!
//! Only regular files and folders are taken. What an archive says about its own sizes counts for
//! nothing: bytes are counted as they come out. Nothing is written anywhere.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use tar::EntryType;
use zip::ZipArchive;

use crate::bundle::BundleFile;
use crate::limits::{MAX_ENTRIES, MAX_RATIO, MAX_UNPACKED_BYTES, RATIO_FREE_BYTES};
use crate::paths::Paths;

/// What an archive holds, or the sentence that refuses it.
type Unpacking<T> = Result<T, String>;

/// Unpacks a zip, a tar or a gzipped tar; which of them is told from its first bytes.
pub(crate) fn unpack(archive: &[u8]) -> Unpacking<BTreeMap<String, BundleFile>> {
    if archive.starts_with(b"PK\x03\x04") || archive.starts_with(b"PK\x05\x06") {
        return unzip(archive);
    }
    let budget = Budget::of(archive);
    if archive.starts_with(&[0x1f, 0x8b]) {
        return untar(MultiGzDecoder::new(archive), budget);
    }
    if archive.get(257..262) == Some(b"ustar") {
        return untar(archive, budget);
    }
    Err("it is neither a zip nor a gzipped tar".to_owned())
}

/// How many bytes may come out of an archive.
#[derive(Debug, Clone, Copy)]
struct Budget(u64);

impl Budget {
    fn of(archive: &[u8]) -> Self {
        let by_ratio = (archive.len() as u64).saturating_mul(MAX_RATIO);
        Self(by_ratio.clamp(RATIO_FREE_BYTES, MAX_UNPACKED_BYTES))
    }

    /// The budget of a whole stream: headers and padding of its entries come on top of the files.
    fn stream(self) -> u64 {
        /// A header, the padding behind a file, and a long name with its own header.
        const BYTES_PER_ENTRY: u64 = 4 * 512;
        self.0 + MAX_ENTRIES as u64 * BYTES_PER_ENTRY
    }

    fn exceeded(self) -> String {
        if self.0 == MAX_UNPACKED_BYTES {
            return format!("it unpacks to more than {MAX_UNPACKED_BYTES} bytes");
        }
        format!("it unpacks to more than {MAX_RATIO} times its size")
    }
}

/// Files that came out so far.
struct Taken {
    paths: Paths,
    files: BTreeMap<String, BundleFile>,
    entries: usize,
    budget: Budget,
    left: u64,
}

impl Taken {
    fn new(budget: Budget) -> Self {
        let left = budget.0;
        Self { paths: Paths::default(), files: BTreeMap::new(), entries: 0, budget, left }
    }

    fn count(&mut self) -> Unpacking<()> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(format!("it has more than {MAX_ENTRIES} entries"));
        }
        Ok(())
    }

    fn add_folder(&mut self, path: &str) -> Unpacking<()> {
        // A tar names its own top.
        if matches!(path, "." | "./") {
            return Ok(());
        }
        let path = path.strip_prefix("./").unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path);
        self.paths.add_folder(path).map_err(|why| about(path, &why))
    }

    /// Takes a file and says how many bytes it has.
    fn add_file(&mut self, path: &str, is_executable: bool, content: impl Read) -> Unpacking<u64> {
        let path = path.strip_prefix("./").unwrap_or(path);
        self.paths.add_file(path).map_err(|why| about(path, &why))?;
        let mut bytes = Vec::new();
        let read = content.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| about(path, &said(&error, self.budget)))?;
        let size = bytes.len() as u64;
        self.left = self.left.checked_sub(size).ok_or_else(|| self.budget.exceeded())?;
        self.files.insert(path.to_owned(), BundleFile { bytes, is_executable });
        Ok(size)
    }
}

fn about(path: &str, why: &str) -> String {
    let shown: String = path.escape_debug().take(200).collect();
    format!("`{shown}`: {why}")
}

/// What an error of a stream says, ours or the decoder's.
fn said(error: &io::Error, budget: Budget) -> String {
    if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Exhausted>) {
        return budget.exceeded();
    }
    format!("it is damaged ({error})")
}

fn unzip(archive: &[u8]) -> Unpacking<BTreeMap<String, BundleFile>> {
    let damaged = |error: &dyn std::fmt::Display| format!("it is damaged ({error})");
    let budget = Budget::of(archive);
    let mut zip = ZipArchive::new(Cursor::new(archive)).map_err(|error| damaged(&error))?;
    if zip.has_duplicate_names() {
        return Err("it holds a name twice".to_owned());
    }
    let mut taken = Taken::new(budget);
    for index in 0..zip.len() {
        taken.count()?;
        let mut entry = zip.by_index(index).map_err(|error| damaged(&error))?;
        let Ok(path) = String::from_utf8(entry.name_raw().to_vec()) else {
            return Err(about(&String::from_utf8_lossy(entry.name_raw()), "its name is not UTF-8"));
        };
        let mode = entry.unix_mode().unwrap_or_default();
        match (mode & TYPE_BITS, path.ends_with('/')) {
            (0 | FOLDER, true) => taken.add_folder(&path)?,
            (0 | REGULAR, false) => {
                taken.add_file(&path, mode & 0o100 != 0, &mut entry)?;
            }
            (LINK, _) => return Err(about(&path, "it is a link")),
            _ => return Err(about(&path, "it is no regular file")),
        }
    }
    Ok(taken.files)
}

const TYPE_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

fn untar(stream: impl Read, budget: Budget) -> Unpacking<BTreeMap<String, BundleFile>> {
    let damaged = |error: io::Error| said(&error, budget);
    let mut taken = Taken::new(budget);
    let mut archive = tar::Archive::new(Counted { inner: stream, left: budget.stream() });
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        taken.count()?;
        let kind = entry.header().entry_type();
        // What `git archive` writes in front: the commit, for every entry.
        if kind == EntryType::XGlobalHeader {
            continue;
        }
        let Ok(path) = String::from_utf8(entry.path_bytes().into_owned()) else {
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            return Err(about(&path, "its name is not UTF-8"));
        };
        let mode = entry.header().mode().map_err(damaged)?;
        match kind {
            EntryType::Directory => taken.add_folder(&path)?,
            EntryType::Regular | EntryType::Continuous => {
                let size = entry.size();
                let read = taken.add_file(&path, mode & 0o100 != 0, &mut entry)?;
                if read != size {
                    return Err(about(&path, "it is cut off"));
                }
            }
            EntryType::Symlink => return Err(about(&path, "it is a link")),
            EntryType::Link => return Err(about(&path, "it is a hard link")),
            EntryType::Char | EntryType::Block => return Err(about(&path, "it is a device")),
            EntryType::Fifo => return Err(about(&path, "it is a pipe")),
            _ => return Err(about(&path, "it is no regular file")),
        }
    }
    // The checksum of the compressed stream stands at its end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
    Ok(taken.files)
}

/// A stream that ends in an error when more comes out of it than may.
struct Counted<R> {
    inner: R,
    left: u64,
}

/// More came out than may.
#[derive(Debug, thiserror::Error)]
#[error("too much")]
struct Exhausted;

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or(io::Error::other(Exhausted))?;
        Ok(read)
    }
}
