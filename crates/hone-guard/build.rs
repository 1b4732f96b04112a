//! Names the rules by the release and by the source of the scanner that applies them. So the version in a
//! report or a lock file cannot be forgotten when a rule changes, a kept report of other rules is never
//! taken for one of these, and the same source is the same version on every machine.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::fs;
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    sources(Path::new("src"), "", &mut files)?;
    files.sort();
    // FNV-1a: what the standard library hashes with may be another from one compiler to the next.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (name, content) in files {
        let length = content.len().to_string();
        for byte in [name.as_bytes(), b"\0", length.as_bytes(), b"\0", &content].concat() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=HONE_RULES={}+{hash:016x}", env!("CARGO_PKG_VERSION"));
    Ok(())
}

/// Every file below a folder: its path with `/`, and its bytes.
fn sources(folder: &Path, at: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{at}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            sources(&entry.path(), &name, files)?;
        } else {
            files.push((name, fs::read(entry.path())?));
        }
    }
    Ok(())
}
