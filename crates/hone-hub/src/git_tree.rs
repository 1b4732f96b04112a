//! The ids that git gives objects, a folder's from its files alone: what others recorded can be compared
//! with them without asking git.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha1::{Digest as _, Sha1};

use crate::bundle::BundleFile;

type Id = [u8; 20];

/// The id of a folder's tree, in hexadecimal.
pub(crate) fn tree_id(files: &BTreeMap<String, BundleFile>) -> String {
    let all: Vec<(&str, &BundleFile)> =
        files.iter().map(|(path, file)| (path.as_str(), file)).collect();
    hexadecimal(tree(&all))
}

/// The id that git gives an object, in hexadecimal.
pub(crate) fn object_id(kind: &str, bytes: &[u8]) -> String {
    hexadecimal(object(kind, bytes))
}

fn hexadecimal(id: Id) -> String {
    id.iter().fold(String::with_capacity(40), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn object(kind: &str, bytes: &[u8]) -> Id {
    let mut hash = Sha1::new();
    hash.update(format!("{kind} {}\0", bytes.len()));
    hash.update(bytes);
    hash.finalize().into()
}

fn tree(files: &[(&str, &BundleFile)]) -> Id {
    let mut folders: BTreeMap<&str, Vec<(&str, &BundleFile)>> = BTreeMap::new();
    // Git sorts a folder as if its name ended in a slash.
    let mut entries: BTreeMap<String, (&str, &str, Id)> = BTreeMap::new();
    for (path, file) in files {
        if let Some((folder, rest)) = path.split_once('/') {
            folders.entry(folder).or_default().push((rest, file));
        } else {
            let mode = if file.is_executable { "100755" } else { "100644" };
            entries.insert((*path).to_owned(), (mode, path, object("blob", &file.bytes)));
        }
    }
    for (name, files) in folders {
        entries.insert(format!("{name}/"), ("40000", name, tree(&files)));
    }
    let mut bytes = Vec::new();
    for (mode, name, id) in entries.into_values() {
        bytes.extend(format!("{mode} {name}\0").bytes());
        bytes.extend(id);
    }
    object("tree", &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    #[test]
    fn the_id_is_what_git_says() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(arguments).current_dir(&folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
            let output = command.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "--quiet", "--object-format=sha1", "."]);
        let mut files = BTreeMap::new();
        for path in ["SKILL.md", "a.b", "a/c.md", "a-b", "a/d/run*", "\u{e4}"] {
            let (path, is_executable) =
                path.strip_suffix('*').map_or((path, false), |path| (path, true));
            let (bytes, place) = (path.as_bytes().to_vec(), folder.path().join(path));
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(&place, &bytes).unwrap();
            let mode = if is_executable { 0o755 } else { 0o644 };
            std::fs::set_permissions(&place, PermissionsExt::from_mode(mode)).unwrap();
            files.insert(path.to_owned(), BundleFile { bytes, is_executable });
        }
        git(&["add", "-A"]);
        assert_eq!(tree_id(&files), git(&["write-tree"]));
    }
}
