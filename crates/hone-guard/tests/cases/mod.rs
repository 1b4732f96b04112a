//! Case files: whole skills in one text, with what a scan must say of each.
//!
//! A case starts with `== ID fires: title` or `== ID benign: title`, its files with `-- path --`.
//! A word after the path says how the body is written: `base64`, `link`, `utf16`, `exec`,
//! `repeat N`. A path may hold `\u{…}` escapes.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "shared by a test and an example"
)]

use std::fs;
use std::path::Path;

/// One skill and what is expected of it.
pub(crate) struct Case {
    pub id: String,
    pub fires: bool,
    pub title: String,
    pub files: Vec<(String, String, String)>,
}

/// Reads a case file.
pub(crate) fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if let Some(header) = bare.strip_prefix("== ") {
            let (head, title) = header.split_once(": ").unwrap_or((header, ""));
            let (id, kind) = head.split_once(' ').unwrap_or((head, ""));
            assert!(matches!(kind, "fires" | "benign"), "bad case header: {bare}");
            cases.push(Case {
                id: id.to_owned(),
                fires: kind == "fires",
                title: title.to_owned(),
                files: Vec::new(),
            });
        } else if let Some(inner) =
            bare.strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --"))
        {
            let (path, form) = split_form(inner);
            let case = cases.last_mut().expect("a case header before the first file");
            case.files.push((unescape(&path), form, String::new()));
        } else if let Some((_, _, body)) = cases.last_mut().and_then(|case| case.files.last_mut()) {
            body.push_str(line);
        }
    }
    cases
}

fn split_form(inner: &str) -> (String, String) {
    for form in ["base64", "link", "utf16", "exec"] {
        if let Some(path) = inner.strip_suffix(form).and_then(|path| path.strip_suffix(' ')) {
            return (path.to_owned(), form.to_owned());
        }
    }
    if let Some((path, count)) = inner.rsplit_once(" repeat ") {
        return (path.to_owned(), format!("repeat {count}"));
    }
    (inner.to_owned(), String::new())
}

fn unescape(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find("\\u{") {
        let end = rest[at..].find('}').map(|i| at + i).expect("a closed escape");
        out.push_str(&rest[..at]);
        let code = u32::from_str_radix(&rest[at + 3..end], 16).expect("hexadecimal");
        out.push(char::from_u32(code).expect("a character"));
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Writes a case's skill into a folder.
pub(crate) fn write(case: &Case, folder: &Path) {
    for (path, form, body) in &case.files {
        let target = folder.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        match form.as_str() {
            "link" => std::os::unix::fs::symlink(body.trim(), &target).unwrap(),
            "base64" => fs::write(&target, decode(body)).unwrap(),
            "utf16" => {
                let bytes: Vec<u8> = [0xFF, 0xFE]
                    .into_iter()
                    .chain(body.encode_utf16().flat_map(u16::to_le_bytes))
                    .collect();
                fs::write(&target, bytes).unwrap();
            }
            form => {
                let times =
                    form.strip_prefix("repeat ").map_or(1, |count| count.trim().parse().unwrap());
                // Parts of one file may follow each other: padding first, then the rest.
                let mut bytes = fs::read(&target).unwrap_or_default();
                bytes.extend(body.repeat(times).into_bytes());
                fs::write(&target, bytes).unwrap();
            }
        }
    }
}

/// Scans a case's skill.
pub(crate) fn scan(case: &Case) -> hone_guard::Report {
    let folder = tempfile::tempdir().unwrap();
    write(case, folder.path());
    hone_guard::scan(folder.path()).unwrap()
}

fn decode(body: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for b in body.bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).unwrap());
        }
    }
    bytes
}
