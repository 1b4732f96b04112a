//! Pointers of Git LFS: a few lines that stand where a large file should be. A skill with one would be
//! installed without that file, so it is refused.

/// Largest pointer, in bytes; the format says less than 1,024.
const MAX_POINTER_BYTES: usize = 1_023;
/// What every pointer starts with, in the newer and the older form.
const VERSIONS: [&str; 2] =
    ["version https://git-lfs.github.com/spec/v1\n", "version https://hawser.github.com/spec/v1\n"];

/// Refuses a pointer. The error is a sentence about the file.
pub(crate) fn refuse(bytes: &[u8]) -> Result<(), String> {
    match size_behind(bytes) {
        None => Ok(()),
        Some(size) => Err(format!(
            "it is a pointer of Git LFS, and the file of {size} bytes behind it is not in the source; \
             clone the repository with git-lfs and add the folder"
        )),
    }
}

/// The size of the file that a pointer stands for; none for what is no pointer.
fn size_behind(bytes: &[u8]) -> Option<u64> {
    if bytes.len() > MAX_POINTER_BYTES {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let rest = VERSIONS.iter().find_map(|version| text.strip_prefix(version))?;
    let value = |key: &str| rest.lines().find_map(|line| line.strip_prefix(key));
    let digits = value("oid sha256:")?;
    let is_oid = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    value("size ")?.parse().ok().filter(|_| is_oid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_known_by_all_its_lines() {
        let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
        let pointer =
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n");
        assert_eq!(size_behind(pointer.as_bytes()), Some(12345));
        let older = pointer.replace("git-lfs.github.com", "hawser.github.com");
        assert_eq!(size_behind(older.as_bytes()), Some(12345));
        // A text about pointers is none.
        for other in [
            "version https://git-lfs.github.com/spec/v1\n".to_owned(),
            pointer.replace("sha256:4d", "sha256:"),
            pointer.replace("size 12345", "size x"),
            format!("A pointer is:\n{pointer}"),
        ] {
            assert_eq!(size_behind(other.as_bytes()), None, "{other}");
        }
        let padded = |to: usize| format!("{pointer}{}", "x".repeat(to - pointer.len()));
        assert_eq!(size_behind(padded(MAX_POINTER_BYTES).as_bytes()), Some(12345));
        assert_eq!(size_behind(padded(MAX_POINTER_BYTES + 1).as_bytes()), None);
    }
}
