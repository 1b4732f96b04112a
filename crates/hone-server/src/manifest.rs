//! A skill with all its files, their sizes and digests, as the skills extension wants it.

use std::path::PathBuf;

use hone_library::{Listed, hash, list_files, read_file, read_text};
use hone_skill::limits::MAX_DESCRIPTION_CHARS;
use hone_skill::{Rule, is_valid_name};
use serde_json::{Map, Value, json};

use crate::uri::address;

/// Files of a skill that every host must accept; one with more is served without a manifest.
pub const MAX_FILES: usize = 512;
/// Bytes of a skill that every host must accept.
pub const MAX_SKILL_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a file that is served as a resource: it comes in one message.
pub const MAX_RESOURCE_BYTES: u64 = 16 * 1024 * 1024;

/// The name that a skill's own text goes by.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// The paths of a skill's files, its own text first.
pub(crate) fn files(skill: &Listed) -> Result<Vec<String>, hone_library::Error> {
    let mut files = vec![SKILL_FILE.to_owned()];
    if !skill.is_flat {
        files.extend(list_files(skill)?.into_iter().filter(|file| file != SKILL_FILE));
    }
    Ok(files)
}

/// Those that a client can have: a link that leads out, or nowhere, is none of them.
fn served(skill: &Listed) -> Result<Vec<String>, hone_library::Error> {
    let mut files = files(skill)?;
    files.retain(|file| {
        let found = path(skill, file).symlink_metadata();
        file == SKILL_FILE
            || !found.is_ok_and(|found| found.is_symlink())
            || bytes(skill, file).is_ok()
    });
    Ok(files)
}

/// The bytes of one file, or why not.
pub(crate) fn bytes(skill: &Listed, file: &str) -> Result<Vec<u8>, hone_library::Error> {
    if file == SKILL_FILE { read_text(skill) } else { read_file(skill, file) }
}

/// The bytes of one file that is not too large for one message, or why not.
pub(crate) fn resource(skill: &Listed, file: &str) -> Result<Vec<u8>, String> {
    let length = path(skill, file).metadata().map_or(0, |found| found.len());
    if length > MAX_RESOURCE_BYTES {
        return Err(format!(
            "`{file:.200}` has {length} bytes, {MAX_RESOURCE_BYTES} are served at most"
        ));
    }
    bytes(skill, file).map_err(|error| error.to_string())
}

/// Where one file lies.
pub(crate) fn path(skill: &Listed, file: &str) -> PathBuf {
    if file == SKILL_FILE { skill.path.clone() } else { skill.folder().join(file) }
}

/// The entry of a skill in the skills extension, or why it has none.
pub(crate) fn entry(skill: &Listed) -> Result<Value, String> {
    let slug = skill.summary.slug.as_str();
    let text = bytes(skill, SKILL_FILE).map_err(|error| error.to_string())?;
    Ok(json!({
        "uri": address(slug, SKILL_FILE),
        "frontmatter": frontmatter(&text, slug)?,
        "resources": resources(skill, slug),
    }))
}

/// The frontmatter as every reader of YAML has it. A host holds the entry against the file and refuses
/// what differs, and what is no skill by the rules of the format; so nothing is mended here.
fn frontmatter(text: &[u8], slug: &str) -> Result<Map<String, Value>, String> {
    let reading = hone_skill::read(text, None);
    let twice = reading.diagnostics.iter().find(|found| found.rule == Rule::DuplicateKey);
    if let Some(twice) = twice {
        return Err(format!("line {}: {}", twice.line, twice.message));
    }
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let text = hone_skill::frontmatter(text)
        .ok_or("it does not begin with frontmatter between two lines `---`")?;
    // Line 1 is the fence.
    let line = |at: usize| 2 + text.get(..at).unwrap_or(text).matches('\n').count();
    let value = hone_skill::yaml_value(text)
        .map_err(|(at, why)| format!("line {}: its frontmatter is no YAML: {why}", line(at)))?;
    if let Some((at, what)) = hone_skill::beyond_json(text) {
        return Err(format!("line {}: {what}", line(at)));
    }
    let Ok(Value::Object(frontmatter)) = serde_json::to_value(value) else {
        return Err("its frontmatter is no map".to_owned());
    };
    let declared = |key: &str| frontmatter.get(key).and_then(Value::as_str);
    match declared("name") {
        None => return Err("its frontmatter has no text `name`".to_owned()),
        Some(name) if name == slug && is_valid_name(name) && name.is_ascii() => {}
        Some(name) => {
            return Err(format!(
                "its name `{name:.100}` is not of lower-case letters, digits and single hyphens, 64 at most"
            ));
        }
    }
    match declared("description").map(|text| (text.trim().is_empty(), text.chars().count())) {
        Some((false, length)) if length <= MAX_DESCRIPTION_CHARS => Ok(frontmatter),
        Some((false, length)) => Err(format!(
            "its description has {length} characters, {MAX_DESCRIPTION_CHARS} are allowed"
        )),
        Some((true, _)) | None => Err("its frontmatter has no text `description`".to_owned()),
    }
}

fn resources(skill: &Listed, slug: &str) -> Value {
    let dynamic = || Value::String("dynamic".to_owned());
    // What could not be looked through is not told as complete.
    let Some(files) = served(skill).ok().filter(|files| files.len() <= MAX_FILES) else {
        return dynamic();
    };
    let mut total = 0;
    let mut resources = Vec::new();
    for file in files {
        let Ok(bytes) = bytes(skill, &file) else { return dynamic() };
        total += bytes.len();
        if total > MAX_SKILL_BYTES {
            return dynamic();
        }
        let digest = format!("sha256:{}", hash(&bytes));
        resources.push(json!({"uri": address(slug, &file), "digest": digest, "size": bytes.len()}));
    }
    Value::Array(resources)
}

/// What lies directly in a folder of a skill: names, and whether each is a folder. None when the path is
/// no folder.
pub(crate) fn children(skill: &Listed, folder: &str) -> Option<Vec<(String, bool)>> {
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut found: Vec<(String, bool)> = Vec::new();
    for file in served(skill).unwrap_or_else(|_| vec![SKILL_FILE.to_owned()]) {
        let Some(rest) = file.strip_prefix(&below) else { continue };
        let child = match rest.split_once('/') {
            Some((name, _)) => (name.to_owned(), true),
            None => (rest.to_owned(), false),
        };
        if !found.contains(&child) {
            found.push(child);
        }
    }
    found.sort();
    (!found.is_empty()).then_some(found)
}

/// The media type of a file, from its name and content.
pub(crate) fn media_type(file: &str, is_text: bool) -> &'static str {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending.to_ascii_lowercase().as_str() {
        "md" => "text/markdown",
        "json" => "application/json",
        "html" | "htm" => "text/html",
        "csv" => "text/csv",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        _ if is_text => "text/plain",
        _ => "application/octet-stream",
    }
}
