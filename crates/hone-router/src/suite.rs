//! Trigger suites: messages that should and should not call a skill, in `triggers.json` beside it.
//!
//! Two formats are read: a list of `{"query", "should_trigger"}` as skill-creator writes it, and an
//! object with such a list, or with the skill's name and lists of prompts, as the guides of the format
//! show it. One is written: the first.

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::Message;

pub use hone_library::SUITE_FILE;

/// The largest suite that is read, in bytes.
pub const MAX_SUITE_BYTES: usize = 1024 * 1024;

/// Messages of one suite that are read.
pub const MAX_CASES: usize = 1_000;

/// Remembered messages of each kind that routing keeps of one skill: five give nearly all of the gain.
pub const MAX_REMEMBERED: usize = 8;

/// How much of a remembered message is kept, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 1_024;

/// A message and whether it should call the skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The message.
    pub query: String,
    /// Whether it should call the skill.
    pub should_trigger: bool,
}

/// The messages of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suite {
    /// In the order of the file.
    pub cases: Vec<Case>,
    /// What of its file is not among them. Whoever writes it anew would lose that.
    pub left_out: Option<LeftOut>,
}

/// What of a file is not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Entries that are no message with an answer.
    pub malformed: usize,
    /// The first of them, and what it lacks.
    pub first: String,
    /// Messages past the [`MAX_CASES`]th.
    pub past: usize,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        if self.malformed > 0 {
            let entries = counted(self.malformed, "entry is", "entries are");
            write!(f, "{entries} left out: {}", self.first)?;
        }
        if self.past > 0 {
            let comma = if self.malformed > 0 { "; " } else { "" };
            let messages = counted(self.past, "message is", "messages are");
            write!(f, "{comma}{messages} left out: {MAX_CASES} are read")?;
        }
        Ok(())
    }
}

/// Why a suite could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteError(String);

impl SuiteError {
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SuiteError {}

const QUERY_KEYS: [&str; 6] = ["query", "prompt", "message", "input", "text", "user"];
const ANSWER_KEYS: [&str; 5] =
    ["should_trigger", "should-trigger", "shouldTrigger", "expected_trigger", "trigger"];
/// Lists of messages that should, and should not, call the skill.
const YES_LISTS: [&str; 5] =
    ["should_trigger", "should_trigger_queries", "positive", "positives", "trigger"];
const NO_LISTS: [&str; 6] = [
    "should_not_trigger",
    "should_not_trigger_queries",
    "negative",
    "negatives",
    "near_misses",
    "do_not_trigger",
];
const CASE_LISTS: [&str; 7] =
    ["evals", "cases", "queries", "tests", "triggers", "trigger_tests", "eval_set"];

impl Suite {
    /// Takes in those cases whose message it does not have, up to so many in all. False when there was
    /// none.
    pub fn take_in(&mut self, cases: impl IntoIterator<Item = Case>, most: usize) -> bool {
        let before = self.cases.len();
        for case in cases {
            let is_new = self.cases.iter().all(|known| known.query != case.query);
            if is_new && self.cases.len() < most {
                self.cases.push(case);
            }
        }
        self.cases.len() > before
    }

    /// What is wrong with it, in a sentence: what of its file is not read, and what it says yes and no to.
    pub fn problem(&self) -> Option<String> {
        let both = self.contradictions();
        let both = both.first().map(|first| {
            let count = both.len();
            let messages = if count == 1 { "message" } else { "messages" };
            format!("{count} {messages} should and should not call it: \u{201c}{first}\u{201d}")
        });
        let left_out = self.left_out.as_ref().map(ToString::to_string);
        let parts: Vec<String> = left_out.into_iter().chain(both).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The messages that it says should call the skill and should not, each once.
    fn contradictions(&self) -> Vec<&str> {
        let plain = |case: &Case| case.query.trim().to_lowercase();
        let of = |wanted: bool| self.cases.iter().filter(move |case| case.should_trigger == wanted);
        let no: HashSet<String> = of(false).map(plain).collect();
        let mut told = HashSet::new();
        let both = of(true).filter(|case| no.contains(&plain(case)) && told.insert(plain(case)));
        both.map(|case| case.query.as_str()).collect()
    }

    /// Reads a suite in any of the formats.
    pub fn read(bytes: &[u8]) -> Result<Self, SuiteError> {
        if bytes.len() > MAX_SUITE_BYTES {
            return Err(SuiteError(format!(
                "the file has {} bytes, {MAX_SUITE_BYTES} are read at most",
                bytes.len()
            )));
        }
        // Some editors begin a file with a byte order mark.
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| SuiteError(format!("this is not JSON: {error}")))?;
        let mut found = Found::default();
        found.collect(&value, None, None);
        let Found { mut cases, malformed, first } = found;
        if cases.is_empty() {
            let why = match malformed {
                0 => "there are no messages in it".to_owned(),
                _ => format!("no message of it can be read: {first}"),
            };
            return Err(SuiteError(format!(
                "{why}; write a list of {{\"query\": \"…\", \"should_trigger\": true}}"
            )));
        }
        let past = cases.len().saturating_sub(MAX_CASES);
        cases.truncate(MAX_CASES);
        let is_whole = malformed == 0 && past == 0;
        let left_out = (!is_whole).then_some(LeftOut { malformed, first, past });
        Ok(Self { cases, left_out })
    }

    /// The suite as skill-creator writes it.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.cases).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What routing remembers of it: the first few of each kind, those that should call the skill first.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let of = |wanted: bool| {
            self.cases
                .iter()
                .filter(move |case| case.should_trigger == wanted)
                .take(MAX_REMEMBERED)
                .map(Message::new)
        };
        of(true).chain(of(false)).collect()
    }
}

/// What was found in a file so far.
#[derive(Default)]
struct Found {
    cases: Vec<Case>,
    malformed: usize,
    first: String,
}

impl Found {
    /// Finds the cases in a value; `answer` is what the list around it says about its messages, and `list` what that
    /// list is called.
    fn collect(&mut self, value: &Value, answer: Option<bool>, list: Option<&str>) {
        match value {
            Value::Array(items) => {
                for (number, item) in (1..).zip(items) {
                    self.entry(item, answer, (number, list));
                }
            }
            Value::Object(map) => {
                let lists = CASE_LISTS.iter().map(|key| (key, answer));
                let yes = YES_LISTS.iter().map(|key| (key, Some(true)));
                let no = NO_LISTS.iter().map(|key| (key, Some(false)));
                if let Some(case) = case(value, answer).unwrap_or_default() {
                    return self.cases.push(case);
                }
                for (key, answer) in lists.chain(yes).chain(no) {
                    if let Some(list @ Value::Array(_)) = map.get(*key) {
                        self.collect(list, answer, Some(key));
                    }
                }
            }
            _ => {}
        }
    }

    fn entry(&mut self, item: &Value, answer: Option<bool>, at: (usize, Option<&str>)) {
        let before = (self.cases.len(), self.malformed);
        let why = match case(item, answer) {
            Ok(Some(case)) => return self.cases.push(case),
            Ok(None) => "it is no message",
            Err(why) => why,
        };
        if item.is_object() {
            // A group of lists.
            self.collect(item, answer, at.1);
        }
        if (self.cases.len(), self.malformed) == before {
            if self.malformed == 0 {
                let (number, list) = at;
                let of = list.map_or(String::new(), |list| format!(" of `{list}`"));
                self.first = format!("entry {number}{of}: {why}");
            }
            self.malformed += 1;
        }
    }
}

/// The message that a value is, or what it lacks; none when it is of another kind.
fn case(value: &Value, answer: Option<bool>) -> Result<Option<Case>, &'static str> {
    let (query, said) = match value {
        Value::String(query) => (Some(query.as_str()), None),
        Value::Object(map) => (
            QUERY_KEYS.iter().find_map(|key| map.get(*key)?.as_str()),
            ANSWER_KEYS.iter().find_map(|key| map.get(*key)?.as_bool()),
        ),
        _ => return Ok(None),
    };
    let query = query.ok_or("it has no \"query\" that is a text")?;
    if query.trim().is_empty() {
        return Err("its message is empty");
    }
    let should_trigger = said.or(answer);
    let should_trigger =
        should_trigger.ok_or("it has no \"should_trigger\" that is true or false")?;
    Ok(Some(Case { query: query.to_owned(), should_trigger }))
}
