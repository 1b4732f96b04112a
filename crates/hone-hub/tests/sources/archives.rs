//! Archives, sound and hostile.

use std::io::{Cursor, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use hone_hub::limits::{MAX_DOWNLOAD_BYTES, MAX_ENTRIES, MAX_UNPACKED_BYTES, RATIO_FREE_BYTES};
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{bundle, failure, fetched, shown, skill, texts};

/// What a test puts into an archive.
pub(crate) enum Entry<'a> {
    File(&'a str, &'a str),
    Program(&'a str, &'a str),
    Folder(&'a str),
    Link(&'a str, &'a str),
    /// A tar entry of this type.
    Typed(&'a str, EntryType),
}

use Entry::{File, Folder, Link, Program, Typed};

pub(crate) fn zip(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let plain = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1));
    for entry in entries {
        match entry {
            File(path, text) | Program(path, text) => {
                let mode = if matches!(entry, Program(..)) { 0o755 } else { 0o644 };
                zip.start_file(*path, plain.unix_permissions(mode)).unwrap();
                zip.write_all(text.as_bytes()).unwrap();
            }
            Folder(path) => zip.add_directory(*path, plain).unwrap(),
            Link(path, target) => zip.add_symlink(*path, *target, plain).unwrap(),
            Typed(..) => panic!("a zip has no types"),
        }
    }
    zip.finish().unwrap().into_inner()
}

pub(crate) fn tar_gz(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for entry in entries {
        let (path, kind, mode, text, target) = match entry {
            File(path, text) => (path, EntryType::Regular, 0o644, *text, ""),
            Program(path, text) => (path, EntryType::Regular, 0o755, *text, ""),
            Folder(path) => (path, EntryType::Directory, 0o755, "", ""),
            Link(path, target) => (path, EntryType::Symlink, 0o777, "", *target),
            Typed(path, kind) => (path, *kind, 0o644, "", "SKILL.md"),
        };
        let mut header = Header::new_gnu();
        // Not through `set_path`, which refuses what is to be tested.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.as_gnu_mut().unwrap().linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(text.len() as u64);
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn at(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// Why an archive is refused.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = at(folder.path(), name, bytes);
    let message = failure(&path);
    let why = message.strip_prefix(&format!("refused the archive `{path}`: "));
    why.unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[test]
fn all_kinds_of_archives_give_the_same_skill_with_its_execute_bits() {
    let text = skill("pdf");
    let entries = [
        Folder("pdf/"),
        File("pdf/SKILL.md", &text),
        File("pdf/metadata.json", "{}"),
        Folder("pdf/scripts/"),
        Program("pdf/scripts/run.sh", "#!/bin/sh\n"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let zip = zip(&entries);
    for (name, bytes) in [
        ("a.zip", zip.clone()),
        ("a.skill", zip),
        ("a.tar.gz", tar_gz(&entries)),
        ("a.tgz", tar_gz(&entries)),
    ] {
        let fetched = fetched(&at(folder.path(), name, &bytes)).unwrap();
        let files = ["SKILL.md", "metadata.json", "scripts/run.sh*"];
        assert_eq!(shown(&fetched.bundles), [bundle("pdf", "pdf", &files)], "{name}");
        assert_eq!(texts(&fetched.bundles[0])["scripts/run.sh"], "#!/bin/sh\n");
        assert_eq!(fetched.digest, Some(hone_library::hash(&bytes)));
    }
}

#[test]
fn what_git_and_tar_write_of_themselves_is_not_in_the_way() {
    let text = skill("pdf");
    let entries = [
        Typed("pax_global_header", EntryType::XGlobalHeader),
        Folder("./"),
        File("./SKILL.md", &text),
    ];
    let folder = tempfile::tempdir().unwrap();
    let fetched = fetched(&at(folder.path(), "pdf.tar.gz", &tar_gz(&entries))).unwrap();
    assert_eq!(shown(&fetched.bundles), [bundle("pdf", "", &["SKILL.md"])]);
}

#[test]
fn one_bad_entry_refuses_the_whole_archive() {
    let text = skill("pdf");
    let long = format!("{}x", "d/".repeat(33));
    let cases: Vec<(Entry<'_>, &str)> = vec![
        (File("../x", ""), "`../x`: its path holds an empty part, `.` or `..`"),
        (File("a/../../x", ""), "`a/../../x`: its path holds an empty part, `.` or `..`"),
        (File("/etc/passwd", ""), "`/etc/passwd`: its path is absolute"),
        (File("a\\..\\x", ""), "`a\\\\..\\\\x`: its path holds a backslash"),
        (File("skill.MD", ""), "`skill.MD`: it is the same as `SKILL.md` on some file systems"),
        (File("SKILL.md/x", ""), "`SKILL.md/x`: it is a file and a folder"),
        (File(".hone-x", ""), "`.hone-x`: names that start with `.hone-` are ours"),
        (File("badd/C:evil", ""), "`badd/C:evil`: a name in it holds `:`"),
        (File("badd/CON", ""), "`badd/CON`: `CON` is a reserved name"),
        (File("badd/a.", ""), "`badd/a.`: a name in it ends in a dot or a blank"),
        (Folder("badd/a /"), "`badd/a `: a name in it ends in a dot or a blank"),
        (Folder("../x/"), "`../x`: its path holds an empty part, `.` or `..`"),
        (Link("link", "/etc/passwd"), "`link`: it is a link"),
    ];
    for (bad, why) in cases {
        let entries = [File("SKILL.md", &text), bad];
        assert_eq!(refusal("a.tar.gz", &tar_gz(&entries)), why);
        assert_eq!(refusal("a.zip", &zip(&entries)), why);
    }
    for (kind, why) in [
        (EntryType::Link, "`x`: it is a hard link"),
        (EntryType::Char, "`x`: it is a device"),
        (EntryType::Block, "`x`: it is a device"),
        (EntryType::Fifo, "`x`: it is a pipe"),
        (EntryType::new(b'V'), "`x`: it is no regular file"),
    ] {
        assert_eq!(refusal("a.tar.gz", &tar_gz(&[File("SKILL.md", &text), Typed("x", kind)])), why);
    }
    refusal("a.tar.gz", &tar_gz(&[File("SKILL.md", &text), Typed("x", EntryType::GNUSparse)]));
    let deep = [File("SKILL.md", &text), File(&long, "")];
    assert!(refusal("a.tar.gz", &tar_gz(&deep)).ends_with("it lies deeper than 32 folders"));
    let twice = [File("SKILL.md", &text), File("a", "1"), File("a", "2")];
    assert_eq!(refusal("a.tar.gz", &tar_gz(&twice)), "`a`: it is there twice");
}

#[test]
fn a_name_twice_in_a_zip_is_refused() {
    let text = skill("pdf");
    let mut bytes = zip(&[File("SKILL.md", &text), File("SKILL.mx", "other")]);
    for at in 0..bytes.len() - 8 {
        if &bytes[at..at + 8] == b"SKILL.mx" {
            bytes[at + 7] = b'd';
        }
    }
    assert_eq!(refusal("a.zip", &bytes), "it holds a name twice");
}

#[test]
fn sizes_that_an_archive_claims_count_for_nothing() {
    let text = skill("pdf");
    // The header of a zip's entry says how large it is at this offset of the central directory.
    let mut bytes = zip(&[File("SKILL.md", &text)]);
    let central = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[central + 24..central + 28].copy_from_slice(&1_u32.to_le_bytes());
    let why = refusal("a.zip", &bytes);
    assert!(why.contains("damaged"), "{why}");

    let mut tar = tar::Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_path("SKILL.md").unwrap();
    header.set_mode(0o644);
    header.set_size(1 << 40);
    header.set_cksum();
    tar.append(&header, text.as_bytes()).unwrap();
    let why = refusal("a.tar.gz", &gzip(&tar.into_inner().unwrap()));
    assert!(why.contains("cut off") || why.contains("damaged"), "{why}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn a_damaged_archive_and_something_else_are_refused() {
    let text = skill("pdf");
    assert_eq!(refusal("a.zip", b"hello"), "it is neither a zip nor a gzipped tar");
    assert_eq!(refusal("a.zip", b""), "it is neither a zip nor a gzipped tar");
    let mut flipped = tar_gz(&[File("SKILL.md", &text)]);
    let end = flipped.len();
    flipped[end - 8] ^= 1;
    assert!(refusal("a.tar.gz", &flipped).contains("damaged"));
    let cut = &tar_gz(&[File("SKILL.md", &text)])[..60];
    assert!(refusal("a.tar.gz", cut).contains("damaged"));
}

#[test]
fn entries_hold_at_the_bound_and_not_past_it() {
    let text = skill("pdf");
    let names: Vec<String> = (0..MAX_ENTRIES).map(|number| format!("x/{number}")).collect();
    let mut entries: Vec<Entry<'_>> = names[1..].iter().map(|name| File(name, "")).collect();
    entries.push(File("pdf/SKILL.md", &text));
    let folder = tempfile::tempdir().unwrap();
    for (name, make) in [("a.zip", zip as fn(&[Entry<'_>]) -> Vec<u8>), ("a.tar.gz", tar_gz)] {
        let fetched = fetched(&at(folder.path(), name, &make(&entries))).unwrap();
        assert_eq!(shown(&fetched.bundles), [bundle("pdf", "pdf", &["SKILL.md"])]);
    }
    entries.push(File("more", ""));
    for (name, make) in [("a.zip", zip as fn(&[Entry<'_>]) -> Vec<u8>), ("a.tar.gz", tar_gz)] {
        assert_eq!(refusal(name, &make(&entries)), "it has more than 10000 entries");
    }
}

#[test]
fn a_bomb_is_refused_by_its_ratio_and_small_blanks_are_not() {
    let text = skill("pdf");
    let blanks = |bytes: u64| " ".repeat(usize::try_from(bytes).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let free = blanks(RATIO_FREE_BYTES - text.len() as u64);
    let fits = [File("SKILL.md", &text), File("blank", &free)];
    for (name, bytes) in [("a.zip", zip(&fits)), ("a.tar.gz", tar_gz(&fits))] {
        assert!(fetched(&at(folder.path(), name, &bytes)).is_ok(), "{name}");
    }
    let more = blanks(RATIO_FREE_BYTES - text.len() as u64 + 1);
    let bomb = [File("SKILL.md", &text), File("blank", &more)];
    for (name, bytes) in [("a.zip", zip(&bomb)), ("a.tar.gz", tar_gz(&bomb))] {
        assert_eq!(refusal(name, &bytes), "it unpacks to more than 100 times its size", "{name}");
    }
    // What lies between the files of a tar is counted too.
    let mut padded = tar::Builder::new(Vec::new());
    let mut header = Header::new_ustar();
    header.set_path("SKILL.md").unwrap();
    header.set_mode(0o644);
    header.set_size(text.len() as u64);
    header.set_cksum();
    padded.append(&header, text.as_bytes()).unwrap();
    let mut padded = padded.into_inner().unwrap();
    padded.resize(padded.len() + 80 * 1024 * 1024, 0);
    assert!(refusal("a.tar.gz", &gzip(&padded)).starts_with("it unpacks to more than"));
}

#[test]
fn unpacked_and_packed_bytes_hold_at_the_bound_and_not_past_it() {
    let text = skill("pdf");
    // Some noise keeps the ratio low, and many blanks keep the archive below its own bound.
    let mut state = 1_u32;
    let noise: String = (0..8 * 1024)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(33 + u8::try_from((state >> 24) % 90).unwrap())
        })
        .collect();
    let size = usize::try_from(MAX_UNPACKED_BYTES).unwrap() + 1;
    let block = noise + &" ".repeat(56 * 1024);
    let noise = block.repeat(size / block.len() + 1);
    let folder = tempfile::tempdir().unwrap();
    // A skill may have as many bytes as an archive, so the two bounds meet.
    let fits = [File("SKILL.md", &text), File("noise", &noise[..size - 1 - text.len()])];
    let bytes = zip(&fits);
    assert!((bytes.len() as u64) < MAX_DOWNLOAD_BYTES);
    assert!(fetched(&at(folder.path(), "a.zip", &bytes)).is_ok());
    let more = [File("SKILL.md", &text), File("noise", &noise[..size - text.len()])];
    assert_eq!(refusal("a.zip", &zip(&more)), "it unpacks to more than 52428800 bytes");

    let path = at(folder.path(), "large.zip", b"PK\x05\x06");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(MAX_DOWNLOAD_BYTES).unwrap();
    assert!(failure(&path).contains("damaged"));
    file.set_len(MAX_DOWNLOAD_BYTES + 1).unwrap();
    assert!(failure(&path).ends_with("it has more than 26214400 bytes"));
}
