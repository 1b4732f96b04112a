//! `pattern_search`: known patterns, Markdown files in a folder that is only read.
//!
//! A pattern is found by its words: rare ones count more, those of a name or a heading count double, and
//! of each file the section that fits best is given.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::files::Workspace;
use super::{Class, Tool, ToolResult, Working, blocking, number_of, text_of};

/// Most files that are searched.
pub const MAX_PATTERNS: usize = 2_000;

/// Most bytes that are searched, all files together.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Most sections that are ranked.
pub const MAX_SECTIONS: usize = 20_000;

/// Most words of a query that count.
pub const MAX_QUERY_WORDS: usize = 32;

/// Patterns that are given when nobody says how many.
pub const DEFAULT_FOUND: usize = 3;

/// Most patterns that are given.
pub const MAX_FOUND: usize = 10;

/// Most characters of a section that are given.
pub const MAX_SECTION_CHARS: usize = 3_000;

/// The tool.
pub struct PatternSearch {
    folder: Arc<Workspace>,
    schema: Value,
}

impl PatternSearch {
    /// The patterns in a folder.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": 1000},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_FOUND},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        Ok(Self { folder: Arc::new(Workspace::open(folder)?), schema })
    }
}

impl Tool for PatternSearch {
    fn name(&self) -> &'static str {
        "pattern_search"
    }

    fn description(&self) -> &'static str {
        "Searches the library of known patterns by words and gives the sections that fit best."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Evidence
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        let folder = Arc::clone(&self.folder);
        let query = text_of(arguments, "query").unwrap_or_default().to_owned();
        let limit = number_of(arguments, "limit").unwrap_or(DEFAULT_FOUND);
        let cancelled = cancelled.clone();
        Box::pin(blocking(move || search(&folder, &query, limit, &cancelled)))
    }
}

/// One section of a pattern.
struct Section {
    file: String,
    heading: String,
    text: String,
    /// How often each word stands in it; in the name and the heading it counts twice.
    words: HashMap<String, f64>,
}

fn search(
    folder: &Workspace,
    query: &str,
    limit: usize,
    cancelled: &CancellationToken,
) -> ToolResult {
    let wanted: BTreeSet<String> = words(query).take(MAX_QUERY_WORDS).collect();
    let mut sections: Vec<Section> = Vec::new();
    let (mut files, mut bytes, mut unread) = (0_usize, 0_usize, 0_usize);
    let walked = folder.walk(&json!({"glob": "*.md"}), cancelled, |path, metadata| {
        if metadata.is_none() {
            return true;
        }
        if files == MAX_PATTERNS || bytes > MAX_BYTES || sections.len() >= MAX_SECTIONS {
            return false;
        }
        files += 1;
        let Ok(text) = folder.text(path) else {
            unread += 1;
            return true;
        };
        bytes += text.len();
        let room = MAX_SECTIONS - sections.len();
        sections.extend(sections_of(&path.to_string_lossy(), &text).into_iter().take(room));
        true
    });
    let walked = match walked {
        Ok(walked) => walked,
        Err(stop) => return stop,
    };
    let mut best: HashMap<&str, (f64, &Section)> = HashMap::new();
    let weights: Vec<(&String, f64)> =
        wanted.iter().map(|word| (word, rarity(word, &sections))).collect();
    for section in &sections {
        let score: f64 = weights
            .iter()
            .filter_map(|(word, weight)| Some(weight * (1.0 + section.words.get(*word)?.ln())))
            .sum();
        let place = best.entry(&section.file).or_insert((0.0, section));
        if score > place.0 {
            *place = (score, section);
        }
    }
    let mut found: Vec<(f64, &Section)> =
        best.into_values().filter(|(score, _)| *score > 0.0).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.file.cmp(&b.1.file)));
    let count = found.len();
    let mut text = String::new();
    for (_, section) in found.into_iter().take(limit) {
        let heading = if section.heading.is_empty() { "" } else { " › " };
        let _ = writeln!(text, "## {}{heading}{}\n", section.file, section.heading);
        let shown: String = section.text.chars().take(MAX_SECTION_CHARS).collect();
        let more = if shown.len() < section.text.len() { "\n[the rest is left out]" } else { "" };
        let _ = writeln!(text, "{}{more}\n", shown.trim());
    }
    if count == 0 {
        text = format!("No pattern has any of these words; there are {files} files.\n");
    } else if count > limit {
        let _ = writeln!(text, "[{} more files have some of these words]", count - limit);
    }
    if unread > 0 {
        let _ = writeln!(text, "[{unread} files are not text, too large or closed]");
    }
    text.push_str(&walked.left_out("files", MAX_PATTERNS));
    ToolResult::ok(text, format!("{count} patterns"))
}

/// How much a word tells: more, the fewer sections have it.
#[allow(clippy::cast_precision_loss, reason = "counts of sections are far below 2^52")]
fn rarity(word: &str, sections: &[Section]) -> f64 {
    let with = sections.iter().filter(|section| section.words.contains_key(word)).count();
    (1.0 + sections.len() as f64 / with.max(1) as f64).ln()
}

/// The sections of a Markdown text: what stands below each heading of the first two levels.
fn sections_of(file: &str, text: &str) -> Vec<Section> {
    let mut parts: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        is_code ^= line.starts_with("```");
        let heading = line.strip_prefix("## ").or_else(|| line.strip_prefix("# "));
        if let Some(heading) = heading.filter(|_| !is_code) {
            parts.push((heading.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = parts.last_mut() {
            text.push_str(line);
        }
    }
    let is_something =
        |(heading, text): &(String, String)| !heading.is_empty() || !text.trim().is_empty();
    parts
        .into_iter()
        .filter(is_something)
        .map(|(heading, text)| {
            let mut counts = HashMap::new();
            for word in words(file).chain(words(&heading)) {
                *counts.entry(word).or_insert(0.0) += 2.0;
            }
            for word in words(&text) {
                *counts.entry(word).or_insert(0.0) += 1.0;
            }
            Section { file: file.to_owned(), heading, text, words: counts }
        })
        .collect()
}

/// The words of a text, small, of at least two letters or digits.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_lowercase)
}
