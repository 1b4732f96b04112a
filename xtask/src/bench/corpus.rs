//! How many real skills are read as they should be. A corpus is a folder with `skills.tar.gz` and
//! `expected.jsonl`, which says for each file what a strict YAML reader makes of it; the answer of
//! `hone list --json` is held against that.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;

/// How much of a text that is not as expected is shown.
const MAX_SHOWN_CHARS: usize = 40;

/// What a strict YAML reader makes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    YamlError,
    NoFrontmatter,
}

/// One row of `expected.jsonl`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    path: String,
    status: Status,
    name: Option<String>,
    description: Option<String>,
}

/// What `hone list --json --all` says about one file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    name: Option<String>,
    description: Option<String>,
    /// Why it was skipped; `None` for a skill that is in use.
    reason: Option<String>,
}

impl Listed {
    /// Read well enough to be used. A skill that only lost to another of its name counts.
    fn is_loaded(&self) -> bool {
        match self.reason.as_deref() {
            None => true,
            Some("broken") => false,
            Some(_) => self.name.is_some(),
        }
    }
}

/// So many out of so many.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) good: usize,
    pub(crate) all: usize,
}

impl Share {
    fn count(&mut self, good: bool) {
        self.all += 1;
        self.good += usize::from(good);
    }
}

/// The result of the comparison.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Acceptance {
    /// `ok` rows with the same name and description.
    pub(crate) equal: Share,
    /// `ok` rows without a description that load all the same; either answer is fine.
    pub(crate) undescribed: Share,
    /// `yaml-error` rows that load.
    pub(crate) repaired: Share,
    /// `no-frontmatter` rows that are refused with a reason.
    pub(crate) refused: Share,
    /// A line for each row that is not as expected.
    pub(crate) mismatches: Vec<String>,
}

/// Reads `expected.jsonl`.
pub(crate) fn expected(text: &str) -> Result<Vec<Expected>, Failure> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
        .map(|(row, line)| {
            expected_row(line).ok_or_else(|| {
                Failure::Unmet(format!("row {} of expected.jsonl is not understood", row + 1))
            })
        })
        .collect()
}

fn expected_row(line: &str) -> Option<Expected> {
    let row: Value = serde_json::from_str(line).ok()?;
    let status = match row["status"].as_str()? {
        "ok" => Status::Ok,
        "yaml-error" => Status::YamlError,
        "no-frontmatter" => Status::NoFrontmatter,
        _ => return None,
    };
    Some(Expected {
        path: row["path"].as_str()?.to_owned(),
        status,
        name: text(&row["name"]),
        description: text(&row["description"]),
    })
}

/// Reads the output of `hone list --json --all`, by path below `root`.
pub(crate) fn listed(json: &str, root: &Path) -> Result<BTreeMap<String, Listed>, Failure> {
    let answer: Value = serde_json::from_str(json)
        .map_err(|error| Failure::Unmet(format!("`hone list --json` printed no JSON: {error}")))?;
    let rows = ["skills", "skipped"].into_iter().flat_map(|part| {
        let rows = answer[part].as_array().map_or(&[][..], Vec::as_slice);
        rows.iter().map(move |row| (part, row))
    });
    Ok(rows
        .filter_map(|(part, row)| {
            let path = Path::new(row["path"].as_str()?);
            let path = path.strip_prefix(root).unwrap_or(path);
            let reason = (part == "skipped").then(|| text(&row["reason"]).unwrap_or_default());
            let listed =
                Listed { name: text(&row["name"]), description: text(&row["description"]), reason };
            Some((path.to_str()?.to_owned(), listed))
        })
        .collect())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Holds what was listed against what was expected.
pub(crate) fn compare(expected: &[Expected], listed: &BTreeMap<String, Listed>) -> Acceptance {
    let mut acceptance = Acceptance::default();
    for row in expected {
        let found = listed.get(&row.path);
        let loaded = found.filter(|listed| listed.is_loaded());
        let difference = match (row.status, &row.description) {
            (Status::Ok, None) => {
                acceptance.undescribed.count(loaded.is_some());
                None
            }
            (Status::Ok, Some(description)) => {
                let difference = difference(row, description, found);
                acceptance.equal.count(difference.is_none());
                difference
            }
            (Status::YamlError, _) => {
                acceptance.repaired.count(loaded.is_some());
                loaded.is_none().then(|| not_loaded(found))
            }
            (Status::NoFrontmatter, _) => {
                let reason = found.and_then(|listed| listed.reason.as_deref());
                let refused = loaded.is_none() && reason.is_some_and(|reason| !reason.is_empty());
                acceptance.refused.count(refused);
                (!refused).then(|| match found {
                    None => "is not mentioned".to_owned(),
                    Some(_) if loaded.is_some() => {
                        "is read, though a strict reader finds no frontmatter".to_owned()
                    }
                    Some(_) => "is refused without a reason".to_owned(),
                })
            }
        };
        if let Some(difference) = difference {
            acceptance.mismatches.push(format!("{}: {difference}", row.path));
        }
    }
    acceptance
}

fn difference(row: &Expected, description: &str, found: Option<&Listed>) -> Option<String> {
    let Some(listed) = found.filter(|listed| listed.is_loaded()) else {
        return Some(not_loaded(found));
    };
    let name = row.name.as_deref().unwrap_or_else(|| folder(&row.path));
    unequal("name", listed.name.as_deref(), name)
        .or_else(|| unequal("description", listed.description.as_deref(), description))
}

/// What the two texts say from the first character on that is not the same.
fn unequal(field: &str, found: Option<&str>, expected: &str) -> Option<String> {
    let Some(found) = found else {
        return Some(format!("{field} is missing"));
    };
    if found == expected {
        return None;
    }
    let same = found.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| text.chars().skip(same).take(MAX_SHOWN_CHARS).collect::<String>();
    Some(format!(
        "{field} differs at character {}: {:?}, expected {:?}",
        same + 1,
        rest(found),
        rest(expected)
    ))
}

fn not_loaded(found: Option<&Listed>) -> String {
    match found.and_then(|listed| listed.reason.as_deref()) {
        None => "is not mentioned".to_owned(),
        Some(reason) => format!("does not load ({reason})"),
    }
}

/// The name of the folder that holds the file at `path`.
fn folder(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: &str = r#"
{"path":"r/a/SKILL.md","status":"ok","name":"a","description":"Does a","keys":[]}
{"path":"r/b/SKILL.md","status":"ok","name":null,"description":"Does b"}
{"path":"r/c/SKILL.md","status":"ok","name":"c","description":null}
{"path":"r/d/SKILL.md","status":"ok","name":"d","description":"Does d"}
{"path":"r/e/SKILL.md","status":"yaml-error","error":"mapping values"}
{"path":"r/f/SKILL.md","status":"yaml-error","error":"mapping values"}
{"path":"r/g/SKILL.md","status":"no-frontmatter"}
{"path":"r/h/SKILL.md","status":"no-frontmatter"}
{"path":"r/i/SKILL.md","status":"ok","name":"i","description":"Does i"}
{"path":"r/j/SKILL.md","status":"ok","name":"j","description":"Does j"}
"#;

    const LISTED: &str = r#"{
"skills":[
 {"path":"/skills/r/a/SKILL.md","name":"a","description":"Does a"},
 {"path":"/skills/r/b/SKILL.md","name":"b","description":"Does b"},
 {"path":"/skills/r/e/SKILL.md","name":"e","description":"Does: e"},
 {"path":"/skills/r/h/SKILL.md","name":"h","description":"First line"},
 {"path":"/skills/r/i/SKILL.md","name":"i","description":"Does"}],
"skipped":[
 {"path":"/skills/r/c/SKILL.md","reason":"broken","message":"no description"},
 {"path":"/skills/r/d/SKILL.md","reason":"shadowed","name":"d","description":"Does d"},
 {"path":"/skills/r/f/SKILL.md","reason":"broken","message":"not YAML"},
 {"path":"/skills/r/g/SKILL.md","reason":"broken","message":"no frontmatter"}]}"#;

    #[test]
    fn every_row_is_counted_and_every_difference_is_told() {
        let expected = expected(EXPECTED).unwrap();
        let listed = listed(LISTED, Path::new("/skills")).unwrap();
        assert_eq!(
            compare(&expected, &listed),
            Acceptance {
                equal: Share { good: 3, all: 5 },
                undescribed: Share { good: 0, all: 1 },
                repaired: Share { good: 1, all: 2 },
                refused: Share { good: 1, all: 2 },
                mismatches: vec![
                    "r/f/SKILL.md: does not load (broken)".to_owned(),
                    "r/h/SKILL.md: is read, though a strict reader finds no frontmatter".to_owned(),
                    "r/i/SKILL.md: description differs at character 5: \"\", expected \" i\""
                        .to_owned(),
                    "r/j/SKILL.md: is not mentioned".to_owned(),
                ],
            }
        );
    }

    #[test]
    fn a_row_that_is_not_understood_is_an_error() {
        let failure = expected("{\"path\":\"a\",\"status\":\"new\"}").unwrap_err();
        assert_eq!(failure.to_string(), "row 1 of expected.jsonl is not understood");
    }
}
