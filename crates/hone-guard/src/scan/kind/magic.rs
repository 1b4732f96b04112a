//! Magic numbers: forms of files by their first bytes, and whether bytes are a text at all. Only the start of
//! a file is looked at.

use super::Kind;

/// Whether a file begins with nothing but text.
pub(super) fn begins_as_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 512;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character that is cut in two at the end of the head.
        Err(error) => error.error_len().is_none() && bytes.len() > head.len(),
    };
    is_text
        && !head
            .iter()
            .any(|b| *b < 0x20 && !matches!(*b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B) || *b == 0x7F)
}

pub(super) fn by_magic(bytes: &[u8]) -> Option<Kind> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    Some(if starts(b"\x7fELF") {
        Kind::Executable("ELF program")
    } else if starts(b"MZ")
        && (bytes.len() > 64 && bytes[..64].contains(&0) || has(bytes, b"This program"))
    {
        Kind::Executable("Windows program")
    } else if starts(&[0xFE, 0xED, 0xFA, 0xCE])
        || starts(&[0xFE, 0xED, 0xFA, 0xCF])
        || starts(&[0xCF, 0xFA, 0xED, 0xFE])
        || starts(&[0xCE, 0xFA, 0xED, 0xFE])
    {
        Kind::Executable("Mach-O program")
    } else if starts(&[0xCA, 0xFE, 0xBA, 0xBE]) {
        // A fat Mach-O has a small number of architectures here, a Java class a version above 44.
        if bytes.get(4..8).is_some_and(|n| n[..3] == [0, 0, 0] && n[3] < 32) {
            Kind::Executable("Mach-O program")
        } else {
            Kind::Bytecode("Java class")
        }
    } else if starts(b"\0asm") {
        Kind::Executable("WebAssembly program")
    } else if starts(b"dex\n") {
        Kind::Bytecode("Android bytecode")
    } else if starts(b"\x1bLua") || starts(b"\x1bLJ") {
        Kind::Bytecode("Lua bytecode")
    } else if bytes.len() > 16 && bytes[2..4] == *b"\r\n" && bytes[1] <= 0x0F {
        Kind::Bytecode("Python bytecode")
    } else if bytes.len() > 3
        && bytes[0] == 0x80
        && (2..=5).contains(&bytes[1])
        && bytes.contains(&b'.')
    {
        // What follows its last opcode, a full stop, is not read by who loads it.
        Kind::Pickle
    } else if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        Kind::Zip
    } else if starts(&[0x1F, 0x8B]) {
        Kind::Gzip
    } else if bytes.get(257..262) == Some(b"ustar") {
        Kind::Tar
    } else if starts(b"7z\xBC\xAF\x27\x1C") {
        Kind::Opaque("7z archive")
    } else if starts(b"Rar!\x1A\x07") {
        Kind::Opaque("RAR archive")
    } else if starts(b"BZh") {
        Kind::Opaque("bzip2 archive")
    } else if starts(&[0xFD, b'7', b'z', b'X', b'Z', 0]) {
        Kind::Opaque("xz archive")
    } else if starts(&[0x28, 0xB5, 0x2F, 0xFD]) {
        Kind::Opaque("zstd archive")
    } else if starts(b"MSCF") {
        Kind::Opaque("cabinet archive")
    } else if starts(b"xar!") {
        Kind::Opaque("macOS installer package")
    } else if starts(b"!<arch>\ndebian-binary") {
        Kind::Opaque("Debian package")
    } else if starts(&[0xED, 0xAB, 0xEE, 0xDB]) {
        Kind::Opaque("RPM package")
    } else if starts(b"Cr24") {
        Kind::Opaque("browser extension")
    } else if starts(b"hsqs")
        || starts(b"QFI\xFB")
        || starts(b"KDMV")
        || bytes.get(0x8001..0x8006) == Some(b"CD001")
        || bytes.len() > 512 && bytes[bytes.len() - 512..].starts_with(b"koly")
    {
        Kind::Opaque("disk image")
    } else if starts(&[0x04, 0x22, 0x4D, 0x18]) || starts(b"LZIP") || starts(&[0x1F, 0x9D]) {
        Kind::Opaque("compressed file")
    } else if starts(&[0x4C, 0, 0, 0, 1, 0x14, 2, 0]) {
        Kind::Opaque("Windows shortcut")
    } else if starts(b"ITSF") {
        Kind::Opaque("compiled help file")
    } else if starts(&[0xE4, 0x52, 0x5C, 0x7B, 0x8C, 0xD8, 0xA7, 0x4D]) {
        Kind::Opaque("OneNote file")
    } else if starts(b"BC\xC0\xDE") {
        Kind::Bytecode("LLVM bitcode")
    } else if starts(b"FOR1") && bytes.get(8..12) == Some(b"BEAM") {
        Kind::Bytecode("Erlang bytecode")
    } else if starts(b"FWS") && bytes.get(3).is_some_and(|version| *version < 0x30)
        || starts(b"CWS") && bytes.get(3).is_some_and(|version| *version < 0x30)
    {
        Kind::Bytecode("Flash film")
    } else if starts(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
        Kind::Opaque("old Office file")
    } else if starts(b"\x89PNG\r\n\x1a\n") {
        Kind::Media("PNG picture")
    } else if starts(&[0xFF, 0xD8, 0xFF]) {
        Kind::Media("JPEG picture")
    } else if starts(b"GIF87a") || starts(b"GIF89a") {
        Kind::Media("GIF picture")
    } else if starts(b"RIFF") || starts(b"OggS") || starts(b"ID3") || starts(b"fLaC") {
        Kind::Media("sound or picture")
    } else if starts(b"%PDF-") {
        Kind::Media("PDF document")
    } else if starts(b"wOFF") || starts(b"wOF2") || starts(b"OTTO") || starts(&[0, 1, 0, 0, 0]) {
        Kind::Media("font")
    } else if bytes.get(4..8) == Some(b"ftyp") {
        Kind::Media("video")
    } else if starts(b"SQLite format 3\0") {
        Kind::Media("SQLite database")
    } else if starts(&[0, 0, 1, 0]) {
        Kind::Media("icon")
    } else {
        return None;
    })
}

fn has(bytes: &[u8], needle: &[u8]) -> bool {
    const LOOKED_AT: usize = 1024;
    bytes[..bytes.len().min(LOOKED_AT)].windows(needle.len()).any(|window| window == needle)
}

/// Whether a file is more than a few control bytes away from text. A lone NUL does not make one.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 8192;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return false;
    }
    #[expect(clippy::naive_bytecount, reason = "a few kilobytes")]
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    // UTF-16 without a mark: half of the bytes are zero, the others are text.
    if zeros * 5 > head.len() * 2 && zeros * 5 < head.len() * 3 {
        return false;
    }
    let controls = head
        .iter()
        .filter(|b| **b < 0x20 && !matches!(**b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B))
        .count();
    let invalid = std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some());
    controls * 20 > head.len() || (invalid && controls * 100 > head.len())
}
