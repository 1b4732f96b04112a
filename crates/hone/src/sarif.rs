//! SARIF 2.1.0, the format of code scanning: what `hone check` and `hone scan` have in common.

use std::path::Path;

use serde_json::{Value, json};

/// One result, before it is JSON.
pub(crate) struct Result<'a> {
    pub(crate) rule: &'a str,
    /// error, warning or note.
    pub(crate) level: &'a str,
    pub(crate) message: String,
    /// A reference to the file; see [`uri`].
    pub(crate) uri: String,
    /// From 1; 0 when the result is about the whole file.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Why a person dismissed it.
    pub(crate) dismissed: Option<String>,
}

impl Result<'_> {
    fn json(&self) -> Value {
        let mut location = json!({"artifactLocation": {"uri": self.uri}});
        if self.line > 0 {
            location["region"] = json!({"startLine": self.line, "startColumn": self.column.max(1)});
        }
        let mut result = json!({
            "ruleId": self.rule,
            "level": self.level,
            "message": {"text": self.message},
            "locations": [{"physicalLocation": location}],
        });
        if let Some(why) = &self.dismissed {
            result["suppressions"] = json!([{"kind": "external", "justification": why}]);
        }
        result
    }
}

/// A rule with the sentence that says what it is about.
pub(crate) fn rule(id: &str, sentence: &str) -> Value {
    json!({"id": id, "shortDescription": {"text": sentence}})
}

/// The whole document.
pub(crate) fn log<'a>(rules: &[Value], results: impl IntoIterator<Item = Result<'a>>) -> Value {
    let results: Vec<Value> = results.into_iter().map(|result| result.json()).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "hone", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// A reference to a file: relative to the current folder, or absolute outside it.
pub(crate) fn uri(path: &Path, cwd: &Path) -> String {
    use std::fmt::Write as _;
    let (start, path) = match path.strip_prefix(cwd) {
        Ok(below) => ("", below),
        Err(_) => ("file://", path),
    };
    let mut uri = start.to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
