//! Pictures and documents that hold code: SVG, PDF, Office files.

use super::contains;
use crate::scan::bundle::Member;
use crate::scan::destination::{Class, classify};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::{Kind, Language, has_extension};
use crate::scan::rules;
use crate::scan::text::Text;

pub(super) fn look(members: &[Member], texts: &[Option<Text>], findings: &mut Findings<'_>) {
    for (file, member) in members.iter().enumerate() {
        let lower = member.path.to_ascii_lowercase();
        match (member.kind, &texts[file]) {
            (Kind::Text(Language::Html), Some(text)) if is_picture(&lower, &text.plain) => {
                picture(file, text, findings);
            }
            (Kind::Media("PDF document"), _) => {
                let starts =
                    contains(&member.bytes, b"/OpenAction") || contains(&member.bytes, b"/AA");
                if contains(&member.bytes, b"/Launch")
                    || starts && contains(&member.bytes, b"/JavaScript")
                {
                    findings.add_file(
                        file,
                        &member.path,
                        Match::new(
                            &rules::ACTIVE_DOCUMENT,
                            Severity::Warn,
                            "a PDF that runs code or starts a program when it is opened",
                        ),
                    );
                }
            }
            _ => office(file, member, &lower, findings),
        }
    }
}

fn is_picture(path: &str, text: &str) -> bool {
    has_extension(path, "svg")
        || text.trim_start().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("<svg"))
}

/// Whether a path is of an Office file.
pub(super) fn is_office(path: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: [&str; 15] = [
        ".docx", ".docm", ".dotx", ".dotm", ".xlsx", ".xlsm", ".xltx", ".xltm", ".xlam", ".pptx",
        ".pptm", ".potx", ".odt", ".ods", ".odp",
    ];
    let lower = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

fn office(file: usize, member: &Member, lower: &str, findings: &mut Findings<'_>) {
    if member.nested == 0 {
        return;
    }
    let name = lower.rsplit(['/', '!']).next().unwrap_or(lower);
    if name.starts_with("vbaproject") && has_extension(name, "bin") || name == "script-lc.xml" {
        findings.add_file(
            file,
            &member.path,
            Match::new(&rules::ACTIVE_DOCUMENT, Severity::Warn, "an Office file with macros"),
        );
    } else if has_extension(lower, "rels") {
        let text = String::from_utf8_lossy(&member.bytes);
        let external = text.split("<Relationship ").any(|one| {
            one.contains("TargetMode=\"External\"")
                && ["attachedTemplate", "oleObject", "frame", "subDocument", "externalLinkPath"]
                    .iter()
                    .any(|kind| one.contains(&format!("/{kind}\"")))
                && one.contains("://")
        });
        if external {
            findings.add_file(file, &member.path, Match::new(&rules::ACTIVE_DOCUMENT, Severity::Warn, "an Office file that loads a template or object from the network when it is opened"));
        }
    }
}

/// Code in an SVG, which a browser runs.
fn picture(file: usize, text: &Text, findings: &mut Findings<'_>) {
    let plain = &text.plain;
    let lower = plain.to_ascii_lowercase();
    let mut say = |at: usize, message: &str| {
        let end = crate::scan::text::floor(plain, at + 160);
        findings.add_at(
            file,
            text.position(at),
            Context::Setting,
            &plain[at..end],
            Match::new(&rules::ACTIVE_DOCUMENT, Severity::Warn, message),
        );
    };
    if let Some(at) = lower.find("<script") {
        say(at, "a picture with a script");
    }
    if let Some(at) = lower.find("javascript:") {
        say(at, "a picture with a link that runs a script");
    }
    for frame in ["<iframe", "<embed", "<object", "<form"] {
        if let Some(at) = lower.find(frame) {
            say(at, "a picture with a page inside");
        }
    }
    if let Some(at) = handler(&lower) {
        say(at, "a picture with an event handler");
    }
    for entity in ["<!entity"] {
        if let Some(at) = lower.find(entity)
            && (lower[at..].contains("system") || lower[at..].contains("://"))
        {
            say(at, "a picture that loads an outside entity");
        }
    }
    for (at, _) in lower.match_indices("<use ") {
        let tag = &plain[at..plain[at..].find('>').map_or(plain.len(), |end| at + end)];
        if tag.contains("://")
            && crate::scan::destination::addresses(tag)
                .iter()
                .any(|address| matches!(classify(address.url), Class::Foreign | Class::Address))
        {
            say(at, "a picture that loads parts from somebody's host");
        }
    }
}

/// ` onload="…"`: the attribute of a tag.
fn handler(lower: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(open) = lower[at..].find('<').map(|i| at + i) {
        let end = lower[open..].find('>').map_or(lower.len(), |i| open + i);
        let tag = &lower[open..end];
        let found = tag.match_indices("on").find(|(i, _)| {
            let before = tag[..*i].chars().next_back();
            let name: usize = tag[i + 2..].bytes().take_while(u8::is_ascii_lowercase).count();
            before.is_some_and(char::is_whitespace)
                && name >= 3
                && tag[i + 2 + name..].trim_start().starts_with('=')
        });
        if let Some((i, _)) = found {
            return Some(open + i);
        }
        at = end.max(open + 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_an_attribute_of_a_tag() {
        assert!(handler("<svg onload=\"x()\">").is_some());
        assert!(handler("<rect\n onclick = 'y()'/>").is_some());
        assert_eq!(handler("<text on=\"1\">click on=here</text>"), None);
        assert_eq!(handler("<path data-confetti=\"1\"/>"), None);
    }
}
