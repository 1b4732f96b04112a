//! `skill://name/file`: how a client names a skill's file.
//!
//! The first segment is the skill's slug, the rest the path inside it. A segment is percent-encoded. A
//! path that could mean anything but a file below the skill is refused before a disk is asked.

use std::fmt::Write as _;

/// The scheme.
const SCHEME: &str = "skill://";
/// Bytes of an address at most.
const MAX_BYTES: usize = 4096;

/// The address of a skill's file; of the skill's folder when `file` is empty.
pub(crate) fn address(slug: &str, file: &str) -> String {
    let mut text = format!("{SCHEME}{slug}");
    for segment in file.split('/').filter(|segment| !segment.is_empty()) {
        text.push('/');
        for byte in segment.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                text.push(char::from(byte));
            } else {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// The slug and the path that an address names; none for one that names nothing here.
pub(crate) fn parse(address: &str) -> Option<(String, String)> {
    let rest = address.strip_prefix(SCHEME).filter(|_| address.len() <= MAX_BYTES)?;
    let mut segments = rest.split('/').map(decode);
    let slug = segments.next()??;
    let file = segments.collect::<Option<Vec<String>>>()?.join("/");
    Some((slug, file))
}

/// A segment as text; none when it is not the name of a file.
fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
        bytes.push(u8::try_from(value).ok()?);
    }
    let text = String::from_utf8(bytes).ok()?;
    let is_name = !matches!(text.as_str(), "" | "." | "..")
        && !text.contains(['/', '\\', '?', '#'])
        && !text.contains(char::is_control);
    is_name.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        for file in ["SKILL.md", "scripts/a b.sh", "references/Grüße%.md", "assets/100%25"] {
            let address = address("tidy", file);
            assert_eq!(parse(&address), Some(("tidy".to_owned(), file.to_owned())), "{address}");
        }
        assert_eq!(address("tidy", "scripts/a b.sh"), "skill://tidy/scripts/a%20b.sh");
        assert_eq!(parse("skill://tidy"), Some(("tidy".to_owned(), String::new())));
    }

    #[test]
    fn whatever_could_lead_elsewhere_is_refused() {
        for wrong in [
            "skill://a/../../etc/passwd",
            "skill://a/%2e%2e/x",
            "skill://a/%2E%2e%2fx",
            "skill://a//x",
            "skill://a/./x",
            "skill:///etc/passwd",
            "skill://a/b%00",
            "skill://a/b\\c",
            "skill://a/b%5Cc",
            "skill://a/%zz",
            "skill://a/%2",
            "skill://a/%ff",
            "skill://a/x?y",
            "skill://a/x#y",
            "skill://a/",
            "file:///etc/passwd",
            "skill:a",
            "",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse(&format!("skill://a/{}", "x".repeat(MAX_BYTES))), None);
    }
}
