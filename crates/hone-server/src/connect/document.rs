//! The configuration of another program: one entry of it is ours, and the rest is not touched.
//!
//! An edit is made in the text itself. Whatever the text looks like, the edit counts only when the file
//! says afterwards exactly what it said before and the entry; otherwise nothing is written.

use serde_json::{Map, Value};

use super::{jsonc, toml, yaml};

/// Bytes of a file at most; clients keep their history in such files too.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// A text that cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Unreadable {
    line: usize,
    what: String,
}

impl Unreadable {
    pub(super) fn at(text: &str, at: usize, what: &str) -> Self {
        let line = 1 + text.get(..at).unwrap_or_default().matches('\n').count();
        Self { line, what: what.to_owned() }
    }
}

impl Format {
    /// All that a text says; an empty one says nothing.
    fn value(self, text: &str) -> Result<Value, Unreadable> {
        let value = match self {
            Self::Json => jsonc::parse(text)?.map(|node| node.value),
            Self::Toml => Some(toml::value(text)?),
            Self::Yaml => {
                let value = hone_skill::yaml_value(text)
                    .map_err(|(at, what)| Unreadable::at(text, at, &what))?;
                Some(serde_json::to_value(value).unwrap_or_default())
            }
        };
        match value.unwrap_or_default() {
            Value::Null => Ok(Value::Object(Map::new())),
            value @ Value::Object(_) => Ok(value),
            _ => Err(Unreadable::at(text, 0, "the file is not a map of settings")),
        }
    }

    /// The entry at a path.
    pub(crate) fn entry(self, text: &str, path: &[&str]) -> Result<Option<Value>, Unreadable> {
        let value = self.value(text)?;
        Ok(path.iter().try_fold(&value, |value, key| value.get(key)).cloned())
    }

    /// The text with an entry at a path.
    pub(crate) fn with(
        self,
        text: &str,
        path: &[&str],
        entry: &Value,
    ) -> Result<String, Unreadable> {
        if self.entry(text, path)?.as_ref() == Some(entry) {
            return Ok(text.to_owned());
        }
        let mut wanted = self.value(text)?;
        let new = match self {
            Self::Json => jsonc::with(text, path, entry)?,
            Self::Toml => toml::with(text, path, entry)?,
            Self::Yaml => yaml::with(text, path, entry)?,
        };
        let mut place = &mut wanted;
        for key in path {
            if place.is_null() {
                *place = Value::Object(Map::new());
            }
            let Value::Object(members) = place else {
                return Err(Unreadable::at(text, 0, &format!("`{}` is not a map", path[0])));
            };
            place = members.entry(*key).or_insert(Value::Null);
        }
        *place = entry.clone();
        self.checked(text, new, &wanted)
    }

    /// The text without the entry at a path; none when it is not there.
    pub(crate) fn without(self, text: &str, path: &[&str]) -> Result<Option<String>, Unreadable> {
        let mut wanted = self.value(text)?;
        let new = match self {
            Self::Json => jsonc::without(text, path)?,
            Self::Toml => toml::without(text, path)?,
            Self::Yaml => yaml::without(text, path)?,
        };
        let Some(new) = new else { return Ok(None) };
        remove(&mut wanted, path);
        self.checked(text, new, &wanted).map(Some)
    }

    /// The text with an edit taken back, when that takes the entry away and nothing else; and whether there
    /// was no file before the edit.
    pub(crate) fn taken_back(
        self,
        text: &str,
        edit: &Edit,
        path: &[&str],
    ) -> Option<(String, bool)> {
        let new = edit.undone(text)?;
        let (mut old_value, mut new_value) = (self.value(text).ok()?, self.value(&new).ok()?);
        // An edit of an entry that was there already would bring that one back.
        let is_there = |entry: Option<Value>| entry.is_some_and(|entry| !entry.is_null());
        if !is_there(self.entry(text, path).ok()?) || is_there(self.entry(&new, path).ok()?) {
            return None;
        }
        remove(&mut old_value, path);
        remove(&mut new_value, path);
        let is_right = without_empty(&old_value) == without_empty(&new_value);
        is_right.then_some((new, edit.is_new))
    }

    /// A new text, when it says what it should.
    fn checked(self, old: &str, new: String, wanted: &Value) -> Result<String, Unreadable> {
        let is_right =
            self.value(&new).is_ok_and(|value| without_empty(&value) == without_empty(wanted));
        if is_right {
            return Ok(new);
        }
        Err(Unreadable::at(old, 0, "it cannot be changed without touching something else"))
    }
}

/// The members of an entry in the order in which people write them.
pub(super) fn ordered(entry: &Map<String, Value>) -> Vec<(&String, &Value)> {
    const FIRST: [&str; 5] = ["type", "name", "command", "cmd", "args"];
    let rank = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    let mut members: Vec<(&String, &Value)> = entry.iter().collect();
    members.sort_by_key(|(key, _)| (rank(key), key.as_str()));
    members
}

/// A value on one line, as JSON and YAML both read it.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) if !members.is_empty() => {
            let members: Vec<String> = ordered(members)
                .into_iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), inline(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

fn remove(value: &mut Value, path: &[&str]) {
    let Some((last, parents)) = path.split_last() else { return };
    let place = parents.iter().try_fold(value, |value, key| value.get_mut(key));
    if let Some(Value::Object(members)) = place {
        members.remove(*last);
    }
}

/// A value in which sections that hold nothing do not count: a map that lost its only entry is null in
/// YAML and gone in TOML.
fn without_empty(value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let is_nothing =
        |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    let kept = members.iter().filter(|(_, value)| !is_nothing(value));
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// What an edit did to a text, so that it can be taken back.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Edit {
    at: usize,
    before: String,
    after: String,
    /// There was no file.
    is_new: bool,
}

impl Edit {
    /// The one stretch in which two texts differ.
    pub(crate) fn between(old: Option<&str>, new: &str) -> Self {
        let (is_new, old) = (old.is_none(), old.unwrap_or_default());
        let same =
            |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| -> usize {
                a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
            };
        let at = same(&mut old.chars(), &mut new.chars());
        let (old, new) = (&old[at..], &new[at..]);
        let tail = same(&mut old.chars().rev(), &mut new.chars().rev());
        Self {
            at,
            before: old[..old.len() - tail].to_owned(),
            after: new[..new.len() - tail].to_owned(),
            is_new,
        }
    }

    /// Whether the edit wrote this word, in quotes.
    pub(crate) fn wrote(&self, word: &str) -> bool {
        self.after.contains(&Value::from(word).to_string())
    }

    /// The text before the edit, wherever the stretch is now; none when it is not to be found.
    pub(crate) fn undone(&self, text: &str) -> Option<String> {
        let end = self.at + self.after.len();
        let at = if text.get(self.at..end) == Some(&*self.after) {
            self.at
        } else {
            let mut found = text.match_indices(&*self.after);
            let (at, _) = found.next().filter(|_| found.next().is_none())?;
            at
        };
        Some(format!("{}{}{}", &text[..at], self.before, &text[at + self.after.len()..]))
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
