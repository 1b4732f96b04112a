//! Skills that a server serves and does not list: it is asked for each by its address.

use serde_json::{Value, json};

use super::session::Unanswered;
use super::{RawEntry, SCHEME, SKILL_FILE, Shelf, path_of};
use crate::fetch_error::FetchError;
use crate::limits::MAX_MANIFESTS_BYTES;

impl Shelf {
    /// Asks for a skill by its address, or by its path as a lock keeps it. One that the server does not
    /// know is not there afterwards.
    pub(crate) fn seek(&mut self, name: &str) -> Result<(), FetchError> {
        for uri in addresses(name) {
            let params = [("uri".to_owned(), json!(uri))].into_iter().collect();
            let mut answer = match self.session.ask("skills/get", params, MAX_MANIFESTS_BYTES) {
                Ok(answer) => answer,
                // It does not know the skill, or not the question.
                Err(
                    Unanswered::Said { .. }
                    | Unanswered::Failed(FetchError::Download(hone_net::Error::Status {
                        code: 400 | 404,
                        ..
                    })),
                ) => continue,
                Err(Unanswered::Failed(error)) => return Err(error),
            };
            let skill = answer.get_mut("skill").map(Value::take).unwrap_or_default();
            let raw: RawEntry = serde_json::from_value(skill).map_err(|error| {
                self.session.wrong(format!("its answer to `skills/get` cannot be read: {error}"))
            })?;
            if raw.uri != uri {
                return Err(self.session.wrong("it answers `skills/get` with another skill"));
            }
            self.shelve(raw);
            return Ok(());
        }
        Ok(())
    }
}

/// The path of the skill that an address names; none for a text that is no address.
pub(crate) fn path_of_address(text: &str) -> Option<String> {
    text.contains("://").then(|| path_of(folder(text)).ok())?
}

fn folder(address: &str) -> &str {
    let folder = address.strip_suffix(SKILL_FILE).unwrap_or(address);
    folder.trim_end_matches('/')
}

/// The addresses that a text can mean, likeliest first.
fn addresses(text: &str) -> Vec<String> {
    if text.contains("://") {
        return vec![format!("{}/{SKILL_FILE}", folder(text))];
    }
    let path = escaped(text.trim_matches('/'));
    let mut addresses = vec![format!("{SCHEME}://{path}/{SKILL_FILE}")];
    // The path of a skill with another scheme starts with it.
    let other = path.split_once('/').filter(|(scheme, _)| scheme.starts_with(char::is_alphabetic));
    addresses.extend(other.map(|(scheme, rest)| format!("{scheme}://{rest}/{SKILL_FILE}")));
    addresses.retain(|address| path_of(folder(address)).is_ok());
    addresses
}

/// Percent-encodes what a part of an address may not hold.
fn escaped(path: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_an_address_mean_the_same_skill() {
        assert_eq!(addresses("skill://a/b"), ["skill://a/b/SKILL.md"]);
        assert_eq!(addresses("skill://a/b/SKILL.md"), ["skill://a/b/SKILL.md"]);
        assert_eq!(addresses("b"), ["skill://b/SKILL.md"]);
        assert_eq!(addresses("a b/c"), ["skill://a%20b/c/SKILL.md"]);
        assert_eq!(addresses("x-y/c"), ["skill://x-y/c/SKILL.md", "x-y://c/SKILL.md"]);
        for nothing in ["", "../x", "a//b", "/"] {
            assert_eq!(addresses(nothing), Vec::<String>::new(), "{nothing}");
        }
        assert_eq!(path_of_address("skill://a%20b/c/SKILL.md").as_deref(), Some("a b/c"));
        assert_eq!(path_of_address("x-y://c").as_deref(), Some("x-y/c"));
        assert_eq!(path_of_address("skill://../c"), None);
        assert_eq!(path_of_address("a/c"), None);
    }
}
