//! A table of a TOML file.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table};

use super::document::{Unreadable, ordered};

fn parse(text: &str) -> Result<DocumentMut, Unreadable> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        Unreadable::at(text, at, error.message().lines().next().unwrap_or_default())
    })
}

/// All of a text, as JSON has it.
pub(super) fn value(text: &str) -> Result<Value, Unreadable> {
    parse(text)?;
    toml_edit::de::from_str(text).map_err(|error| Unreadable::at(text, 0, error.message()))
}

/// The text with a table: at its end when it is new, in its place when it is there.
pub(super) fn with(text: &str, path: &[&str], entry: &Value) -> Result<String, Unreadable> {
    let mut table = Table::new();
    for (key, value) in entry.as_object().map(ordered).into_iter().flatten() {
        let value = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Array>().into(),
            Value::Bool(flag) => (*flag).into(),
            Value::Object(members) => {
                let texts = members.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
                texts.collect::<InlineTable>().into()
            }
            value => toml_edit::Value::from(value.as_str().unwrap_or_default()),
        };
        table.insert(key, Item::Value(value));
    }
    let [section, name] = path else {
        return Err(Unreadable::at(text, 0, "this path is no table"));
    };
    let mut document = parse(text)?;
    let known = document.get_mut(section).and_then(Item::as_table_like_mut);
    if let Some(old) = known.and_then(|known| known.get_mut(name)) {
        let Some(old) = old.as_table_mut() else {
            return Err(Unreadable::at(text, 0, "the entry is written on one line"));
        };
        let decor = old.decor().clone();
        let position = old.position();
        *old = table;
        *old.decor_mut() = decor;
        old.set_position(position);
        return Ok(document.to_string());
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut new = DocumentMut::new();
    let mut outer = Table::new();
    outer.set_implicit(true);
    outer.insert(name, Item::Table(table));
    new.insert(section, Item::Table(outer));
    let block = new.to_string().replace('\n', newline);
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &format!("{newline}{newline}"),
    };
    Ok(format!("{text}{gap}{block}"))
}

/// The text without a table; none when it is not there.
pub(super) fn without(text: &str, path: &[&str]) -> Result<Option<String>, Unreadable> {
    let [section, name] = path else { return Ok(None) };
    let mut document = parse(text)?;
    let known = document.get_mut(section).and_then(Item::as_table_like_mut);
    let removed = known.and_then(|known| known.remove(name));
    Ok(removed.map(|_| document.to_string()))
}
