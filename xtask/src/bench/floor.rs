//! `cargo xtask floor-read DIR`: the least a reader of skills can do, as a yardstick. One thread
//! walks the folder and reads the first 4 KiB of each `SKILL.md` into one buffer, as a small C
//! program would; nothing is parsed or kept.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;

use crate::failure::{Doing, Failure};

/// How much of each file is read.
const HEAD_BYTES: usize = 4096;

/// What one pass saw.
#[derive(Debug, Default, PartialEq, Eq)]
struct Pass {
    files: usize,
    bytes: usize,
}

/// Reads the head of every `SKILL.md` below `folder` and prints how many there were.
pub(crate) fn floor_read(folder: PathBuf) -> Result<(), Failure> {
    let shown = folder.display().to_string();
    let pass = read_heads(folder).doing(|| format!("read `{shown}`"))?;
    println!("{} files, {} bytes", pass.files, pass.bytes);
    Ok(())
}

fn read_heads(folder: PathBuf) -> io::Result<Pass> {
    let mut pass = Pass::default();
    let mut buffer = [0; HEAD_BYTES];
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() && entry.file_name() == "SKILL.md" {
                pass.bytes += File::open(entry.path())?.read(&mut buffer)?;
                pass.files += 1;
            }
        }
    }
    Ok(pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_head_of_each_skill_is_read() {
        let root = tempfile::tempdir().unwrap();
        for (name, bytes) in [("short", 10), ("exact", HEAD_BYTES), ("long", HEAD_BYTES + 1)] {
            fs::create_dir_all(root.path().join("a").join(name)).unwrap();
            fs::write(root.path().join("a").join(name).join("SKILL.md"), vec![b'x'; bytes])
                .unwrap();
        }
        fs::write(root.path().join("README.md"), "not a skill").unwrap();
        let pass = read_heads(root.path().to_owned()).unwrap();
        assert_eq!(pass, Pass { files: 3, bytes: 10 + 2 * HEAD_BYTES });
    }
}
