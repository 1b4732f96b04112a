//! A skill with all its files, their sizes and digests, as the skills extension wants it.

use std::path::PathBuf;

use hone_library::{Listed, hash, list_files, read_file, read_text};
use serde_json::{Map, Value, json};

use crate::uri::address;

/// Files of a skill that every host must accept; one with more is served without a manifest.
pub const MAX_FILES: usize = 512;
/// Bytes of a skill that every host must accept.
pub const MAX_SKILL_BYTES: usize = 16 * 1024 * 1024;

/// The name that a skill's own text goes by.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// The paths of a skill's files, its own text first.
pub(crate) fn files(skill: &Listed) -> Vec<String> {
    let mut files = vec![SKILL_FILE.to_owned()];
    if !skill.is_flat {
        files.extend(
            list_files(skill).unwrap_or_default().into_iter().filter(|file| file != SKILL_FILE),
        );
    }
    files
}

/// The bytes of one file, or why not.
pub(crate) fn bytes(skill: &Listed, file: &str) -> Result<Vec<u8>, hone_library::Error> {
    if file == SKILL_FILE { read_text(skill) } else { read_file(skill, file) }
}

/// Where one file lies.
pub(crate) fn path(skill: &Listed, file: &str) -> PathBuf {
    if file == SKILL_FILE { skill.path.clone() } else { skill.folder().join(file) }
}

/// The entry of a skill in the skills extension; none when it cannot be read any more.
pub(crate) fn entry(skill: &Listed) -> Option<Value> {
    let slug = skill.summary.slug.as_str();
    let text = bytes(skill, SKILL_FILE).ok()?;
    let folder = skill.folder().file_name().and_then(std::ffi::OsStr::to_str);
    let read = hone_skill::read(&text, folder).skill?;
    let frontmatter: Map<String, Value> = read
        .frontmatter
        .iter()
        .map(|(key, value)| (key.clone(), serde_json::to_value(value).unwrap_or_default()))
        .collect();
    Some(json!({
        "uri": address(slug, SKILL_FILE),
        "frontmatter": frontmatter,
        "resources": resources(skill, slug),
    }))
}

fn resources(skill: &Listed, slug: &str) -> Value {
    let dynamic = || Value::String("dynamic".to_owned());
    let files = files(skill);
    if files.len() > MAX_FILES {
        return dynamic();
    }
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
    for file in files(skill) {
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
