//! Compiled code of an interpreter, compared with its source where that is there too.

use std::collections::HashSet;

use super::contains;
use crate::scan::bundle::Member;
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Kind;
use crate::scan::rules;

/// Names in bytecode that its source does not have, before the two are different programs. The
/// compiler makes up a few itself.
const MIN_STRANGE_NAMES: usize = 2;

pub(super) fn look(members: &[Member], findings: &mut Findings<'_>) {
    for (file, member) in members.iter().enumerate() {
        let Kind::Bytecode(what) = member.kind else { continue };
        let source = source_path(&member.path)
            .and_then(|path| members.iter().find(|other| other.path == path));
        let (severity, message) = match source {
            Some(source) if differs(&member.bytes, &source.bytes) => (
                Severity::Critical,
                format!("{what} that was not made from `{}` next to it", source.path),
            ),
            Some(_) => (Severity::Info, format!("{what} beside its source")),
            None => (Severity::Warn, format!("{what} without its source")),
        };
        findings.add_file(file, &member.path, Match::new(&rules::BYTECODE, severity, message));
    }
}

/// `a/__pycache__/b.cpython-312.pyc` is made from `a/b.py`.
fn source_path(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = match name.strip_suffix(".pyc") {
        Some(stem) => (stem.split('.').next().unwrap_or(stem), "py"),
        None => match name.strip_suffix(".luac") {
            Some(stem) => (stem, "lua"),
            None => (name.strip_suffix(".class")?, "java"),
        },
    };
    let folder =
        folder.strip_suffix("__pycache__").map_or(folder, |above| above.trim_end_matches('/'));
    Some(if folder.is_empty() {
        format!("{stem}.{ending}")
    } else {
        format!("{folder}/{stem}.{ending}")
    })
}

/// Whether Python bytecode names things that a source does not, or records another size of it.
fn differs(code: &[u8], source: &[u8]) -> bool {
    let word =
        |at: usize| code.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    if code.get(2..4) != Some(b"\r\n") {
        return false;
    }
    // Flags of zero: a time and the size of the source follow.
    if word(4) == Some(0)
        && word(12).is_some_and(|size| size as usize != source.len() & 0xFFFF_FFFF)
    {
        return true;
    }
    let strange: HashSet<&[u8]> = names(code).filter(|name| !contains(source, name)).collect();
    strange.len() >= MIN_STRANGE_NAMES || strange.iter().any(|name| contains(name, b"://"))
}

/// The short strings of marshalled code that are names or addresses.
fn names(code: &[u8]) -> impl Iterator<Item = &[u8]> {
    const LONGEST: usize = 120;
    let mut at = 16;
    std::iter::from_fn(move || {
        while at + 2 < code.len() {
            // `z` and `Z`, with or without the bit of a reference: a short ASCII string and its length.
            let is_short = matches!(code[at] & 0x7F, b'z' | b'Z');
            let length = usize::from(code[at + 1]);
            if is_short
                && (3..=LONGEST).contains(&length)
                && let Some(text) = code.get(at + 2..at + 2 + length)
            {
                let name = text.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    && !text[0].is_ascii_digit()
                    && !text.starts_with(b"__");
                let address = contains(text, b"://") && text.iter().all(u8::is_ascii_graphic);
                if text.iter().all(|b| (b' '..=b'~').contains(b)) {
                    at += 2 + length;
                    if name || address {
                        return Some(text);
                    }
                    continue;
                }
            }
            at += 1;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(size: u32, names: &[&str]) -> Vec<u8> {
        let mut code = b"\xcb\x0d\r\n\0\0\0\0\0\0\0\0".to_vec();
        code.extend(size.to_le_bytes());
        code.push(0xE3);
        for name in names {
            code.push(0xDA);
            code.push(u8::try_from(name.len()).unwrap());
            code.extend(name.as_bytes());
        }
        code
    }

    #[test]
    fn bytecode_is_compared_with_its_source() {
        let source = b"import json\nprint(json.dumps(1))\n";
        let size = u32::try_from(source.len()).unwrap();
        assert!(!differs(&compiled(size, &["json", "print", "dumps", "<module>"]), source));
        assert!(differs(&compiled(size + 1, &["json"]), source));
        assert!(differs(&compiled(size, &["json", "urllib", "urlopen"]), source));
        assert!(differs(&compiled(size, &["https://a.io/x"]), source));
    }

    #[test]
    fn the_source_of_bytecode_is_found_by_its_name() {
        assert_eq!(source_path("a/__pycache__/b.cpython-312.pyc").as_deref(), Some("a/b.py"));
        assert_eq!(source_path("__pycache__/b.cpython-312.pyc").as_deref(), Some("b.py"));
        assert_eq!(source_path("lib/x.pyc").as_deref(), Some("lib/x.py"));
        assert_eq!(source_path("x.luac").as_deref(), Some("x.lua"));
    }
}
