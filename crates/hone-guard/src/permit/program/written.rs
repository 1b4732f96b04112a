//! Files that `tar` and `curl` write depending on more than one option: an archive when one is made, an upload when its
//! address is a file.

use super::{Deed, MAY_BECOME};
use crate::permit::argument::Argument;

/// Letters of `tar` with a value.
const TAR_VALUED: &str = "fCTXbgHKLNVIF";

/// Letters of `tar` that change an archive.
const TAR_CHANGES: &str = "cruA";

const TAR_LONG_CHANGES: [&str; 6] =
    ["--create", "--append", "--update", "--catenate", "--concatenate", "--delete"];

/// The archive that `tar` makes or changes, and what a first word without a dash writes.
pub(super) fn tar(arguments: &[Argument]) -> Vec<Deed> {
    let mut changes = false;
    let mut archives = Vec::new();
    let mut deeds = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        let is_first = at == 0;
        at += 1;
        let Some(text) = argument.value.as_deref() else { continue };
        if text == "--" {
            break;
        }
        if text.starts_with("--") {
            let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            changes |= name.len() > 3 && TAR_LONG_CHANGES.iter().any(|long| long.starts_with(name));
            if name.len() > 3 && "--file".starts_with(name) {
                let value = value.map(|value| Argument::known(argument.span.clone(), value));
                at += usize::from(value.is_none());
                let file = value.or_else(|| arguments.get(at - 1).cloned());
                archives.extend(file.map(|file| Deed::writes(argument, "--file", file)));
            }
        } else if let Some(letters) = text.strip_prefix('-') {
            for (offset, letter) in letters.char_indices() {
                changes |= TAR_CHANGES.contains(letter);
                if !TAR_VALUED.contains(letter) {
                    continue;
                }
                let value = &letters[offset + 1..];
                at += usize::from(value.is_empty());
                let file = match value {
                    "" => arguments.get(at - 1).cloned(),
                    value => Some(Argument::known(argument.span.clone(), value)),
                };
                if letter == 'f' {
                    archives.extend(file.map(|file| Deed::writes(argument, "-f", file)));
                }
                break;
            }
        } else if is_first {
            // `tar czf FILE`: each letter takes its value from the words behind, in order.
            for letter in text.chars() {
                changes |= TAR_CHANGES.contains(letter);
                if TAR_VALUED.contains(letter) {
                    let file = arguments.get(at).cloned();
                    at += 1;
                    let deed = file.map(|file| Deed::writes(argument, text, file));
                    match letter {
                        'f' => archives.extend(deed),
                        'g' => deeds.extend(deed),
                        _ => {}
                    }
                }
            }
        }
    }
    if changes {
        deeds.extend(archives);
    }
    deeds
}

/// Letters of `curl` with a value.
const CURL_VALUED: &str = "HdXuAebFxTmrCwEytYzPQUoDcK";

/// What an upload to a file, and a format that names one, makes `curl` write.
pub(super) fn curl(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut upload: Option<&Argument> = None;
    for (at, argument) in arguments.iter().enumerate() {
        let Some(text) = argument.value.as_deref() else { continue };
        let next = arguments.get(at + 1);
        if text.starts_with("--expand-") {
            deeds.push(Deed::runs(argument, text, "builds the value of an option when it runs"));
        } else if text.starts_with("--") {
            let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            if name.len() > 3 && "--upload-file".starts_with(name) {
                upload = Some(argument);
            }
            if name.len() > 3 && "--write-out".starts_with(name) {
                let known = value.map(|value| Argument::known(argument.span.clone(), value));
                deeds.extend(format(argument, "--write-out", known.as_ref().or(next)));
            }
        } else if let Some(letters) = text.strip_prefix('-') {
            let valued = letters.char_indices().find(|(_, letter)| CURL_VALUED.contains(*letter));
            let Some((offset, letter)) = valued else { continue };
            let value = &letters[offset + 1..];
            if letter == 'T' {
                upload = Some(argument);
            }
            if letter == 'w' {
                let known =
                    (!value.is_empty()).then(|| Argument::known(argument.span.clone(), value));
                deeds.extend(format(argument, "-w", known.as_ref().or(next)));
            }
        }
    }
    if let Some(upload) = upload {
        deeds.extend(arguments.iter().filter_map(|argument| uploaded(upload, argument)));
    }
    deeds
}

/// `%output{FILE}` in a format, which may also come from a file.
fn format(option: &Argument, name: &str, format: Option<&Argument>) -> Option<Deed> {
    let format = format?;
    let Some(text) = format.value.as_deref() else {
        return Some(Deed::runs(option, name, "may write a file because of this"));
    };
    if text.starts_with('@') {
        return Some(Deed::runs(option, name, "may write a file that this format names"));
    }
    let (_, rest) = text.split_once("%output{")?;
    if rest.contains("%output{") {
        return Some(Deed::runs(option, name, "writes several files because of this"));
    }
    let file = rest.split('}').next().unwrap_or(rest);
    let file = file.strip_prefix(">>").unwrap_or(file);
    Some(Deed::writes(option, name, Argument::known(option.span.clone(), file)))
}

/// Where an upload goes, when that is a file.
fn uploaded(upload: &Argument, argument: &Argument) -> Option<Deed> {
    let text = argument.prefix.strip_prefix("--url=").unwrap_or(&argument.prefix).to_lowercase();
    if text.starts_with("--proto-d") {
        return Some(Deed::runs(argument, "--proto-default", "may upload to a file"));
    }
    if argument.prefix.starts_with('-') && !argument.prefix.starts_with("--url=") {
        return None;
    }
    let scheme = text.split("//").next().unwrap_or(&text);
    let is_address = text.contains("//");
    if argument.value.is_none() {
        let may_be = text.starts_with("file:") || "file:".starts_with(&text);
        let may_be = may_be || scheme.contains(['{', '[']);
        return may_be.then(|| Deed::runs(argument, "", MAY_BECOME));
    }
    // `{file}://…` is a list of addresses.
    if is_address && scheme.contains(['{', '[']) {
        return Some(Deed::runs(argument, "", "may upload to a file"));
    }
    let path = text.starts_with("file:").then(|| {
        let start = argument.prefix.to_lowercase().find("file:").unwrap_or(0) + "file:".len();
        let path = argument.prefix.get(start..).unwrap_or_default();
        let path = path.strip_prefix("//").unwrap_or(path);
        path.strip_prefix("localhost").unwrap_or(path).to_owned()
    })?;
    // Escaped characters are not read here: what holds one is no path that an entry names.
    if path.contains(['%', '{', '[']) {
        return Some(Deed::runs(argument, "", "uploads to a file whose name is not plain"));
    }
    Some(Deed::writes(upload, "-T", Argument::known(argument.span.clone(), &path)))
}
