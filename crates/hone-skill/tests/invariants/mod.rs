//! What holds for every input, shared by the fuzz target and the bounded test.

use std::ops::Range;

use hone_skill::{
    Field, Profile, Reading, Slug, apply_edits, ensure_frontmatter, fix, is_valid_name, read,
    set_field, write_problems,
};

/// Reads `bytes` and does with them whatever the crate offers.
///
/// # Panics
///
/// When an invariant does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let reading = read(bytes, Some("greet"));
    check_reading(bytes, &reading);
    let flat = read(bytes, None);
    check_reading(bytes, &flat);
    assert_eq!(read(bytes, Some("greet")), reading, "the same input gives the same reading");
    if let Ok(text) = std::str::from_utf8(bytes) {
        check_fixes(text, &reading);
        check_edits(text, &reading);
    }
}

/// A reading says where, and refuses if and only if there is no skill.
fn check_reading(bytes: &[u8], reading: &Reading) {
    assert_eq!(reading.skill.is_none(), reading.refusal().is_some(), "refused with a reason");
    let text = std::str::from_utf8(bytes).ok();
    for diagnostic in &reading.diagnostics {
        let Range { start, end } = diagnostic.range;
        assert!(start <= end && end <= bytes.len(), "{diagnostic:?}");
        for profile in Profile::ALL {
            assert!(!diagnostic.refuses || diagnostic.severity(profile).is_some());
        }
        let shown = format!("{}{:?}", diagnostic.message, diagnostic.hint);
        assert!(!shown.chars().any(char::is_control), "{shown:?}");
        let before = String::from_utf8_lossy(&bytes[..start]);
        if text.is_some() {
            let boundary =
                |at| before.len() == start && text.is_some_and(|t| t.is_char_boundary(at));
            assert!(boundary(start) && boundary(end), "{diagnostic:?}");
        }
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        assert_eq!((diagnostic.line, diagnostic.column), (line, column), "{diagnostic:?}");
        assert!(text.is_some() || diagnostic.fix.is_none(), "only text is edited");
        for edit in diagnostic.fix.iter().flatten() {
            let replaced = text.and_then(|text| text.get(edit.range.clone()));
            assert!(replaced.is_some(), "{edit:?} fits the text");
        }
    }
    if let (Some(skill), Some(text)) = (&reading.skill, text) {
        assert!(text.get(skill.body.clone()).is_some(), "{:?}", skill.body);
        assert!(!skill.name.trim().is_empty() && !skill.description.trim().is_empty());
        assert!(is_valid_name(skill.slug.as_str()) && skill.slug.as_str().is_ascii());
        let mut keys: Vec<_> = skill.frontmatter.iter().map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), skill.frontmatter.len(), "each key once");
    }
}

/// Every offered mend gives a text that can be read again, and all of them together a final one.
fn check_fixes(text: &str, reading: &Reading) {
    for edits in reading.diagnostics.iter().filter_map(|diagnostic| diagnostic.fix.as_ref()) {
        let mended = apply_edits(text, edits);
        check_reading(mended.as_bytes(), &read(mended.as_bytes(), Some("greet")));
    }
    for profile in [Profile::Spec, Profile::Lenient] {
        let (fixed, _) = fix(text, Some("greet"), profile);
        let after = read(fixed.as_bytes(), Some("greet"));
        assert!(reading.skill.is_none() || after.skill.is_some(), "{text:?} became {fixed:?}");
        assert_eq!(fix(&fixed, Some("greet"), profile).0, fixed, "{text:?}");
        assert!(fixed.len() <= 6 * text.len() + 64, "a mend at most escapes every byte");
    }
}

/// An edit changes what it should or says that it cannot; so does writing.
fn check_edits(text: &str, reading: &Reading) {
    let value = "a: \"b\" # c\n";
    for field in [Field::Top("description"), Field::Top("new"), Field::Metadata("version")] {
        if let Ok(new) = set_field(text, field, value) {
            let after = read(new.as_bytes(), Some("greet"));
            if let (Some(before), Some(after)) = (&reading.skill, &after.skill) {
                assert_eq!(&new[after.body.clone()], &text[before.body.clone()]);
                let found = match field {
                    Field::Top(key) => after.get(key),
                    Field::Metadata(key) => after.get("metadata").and_then(|m| m.get(key)),
                };
                assert_eq!(found.and_then(hone_skill::Value::text), Some(value), "{new:?}");
            }
        }
    }
    let Ok(slug) = Slug::new("greet") else { return };
    if let Ok(written) = ensure_frontmatter(text, &slug, "greet", "7") {
        let after = read(written.as_bytes(), Some("greet"));
        if let Some(skill) = after.skill.as_ref().filter(|_| write_problems(&after).is_empty()) {
            assert_eq!(skill.version.as_deref(), Some("7"), "{written:?}");
        }
    }
}
