//! What the reader says about the layout of a file and about its YAML, whatever the fields mean.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Edit, Lines, count_breaks, shown};
use crate::edit::replacement;
use crate::fence::Parts;
use crate::frontmatter::{Entry, Frontmatter};
use crate::hidden::hidden_runs;
use crate::limits::{MAX_HIDDEN_REPORTED, MAX_SKILL_CHARS, RECOMMENDED_BODY_LINES};
use crate::rule::{CLAUDE_CODE_KEYS, OTHER_AGENT_KEYS, Rule, SPEC_KEYS};
use crate::skill::{DescriptionSource, Reading, Skill};
use crate::slug::Slug;
use crate::tools::tools_of;
use crate::value::Value;
use crate::yaml::{Kind, Node, Style, is_break, quote_always};

/// Keys that let a skill do more than it could without them.
const GRANTING_KEYS: [&str; 2] = ["allowed-tools", "hooks"];

pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    pub(crate) folder: Option<&'a str>,
    pub(crate) parts: Parts,
    /// The lines down to the body, which is all that most diagnostics need.
    head: OnceCell<Lines<'a>>,
    lines: OnceCell<Lines<'a>>,
    diagnostics: Vec<Diagnostic>,
    /// For each key, the entry that counts: the last one.
    last: HashMap<String, usize>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        text: &'a str,
        folder: Option<&'a str>,
        parts: Parts,
        found: &Frontmatter,
    ) -> Self {
        let last = found.entries.iter().enumerate().map(|(at, e)| (e.key.clone(), at)).collect();
        let (head, lines) = (OnceCell::new(), OnceCell::new());
        Self { text, folder, parts, head, lines, diagnostics: Vec::new(), last }
    }

    pub(crate) fn read(mut self, found: &Frontmatter) -> Reading {
        self.layout();
        self.line_ends();
        self.tabs(found);
        self.yaml(found);
        self.keys(found);
        let name = self.name(found);
        let description = self.description(found);
        self.other_fields(found);
        self.hidden(found);
        self.body();
        self.diagnostics.sort_by_key(|d| (!d.refuses, d.range.start));
        let skill = match (name, description) {
            (Some((name, slug)), Some((description, description_source))) => {
                Some(self.skill(found, name, slug, description, description_source))
            }
            _ => None,
        };
        Reading { skill, diagnostics: self.diagnostics }
    }

    fn skill(
        &self,
        found: &Frontmatter,
        name: String,
        slug: Slug,
        description: String,
        description_source: DescriptionSource,
    ) -> Skill {
        let value = |key: &str| self.entry(found, key).map(|entry| entry.value.to_value());
        let text = |key: &str| value(key).and_then(|v| v.text().map(str::to_owned));
        let flag =
            |key: &str, default: bool| value(key).and_then(|v| v.as_bool()).unwrap_or(default);
        let frontmatter = found
            .entries
            .iter()
            .enumerate()
            .filter(|(at, entry)| self.last.get(&entry.key) == Some(at))
            .map(|(_, entry)| (entry.key.clone(), entry.value.to_value()))
            .collect();
        let metadata_version =
            || value("metadata")?.get("version").and_then(Value::text).map(str::to_owned);
        Skill {
            name,
            slug,
            description,
            description_source,
            version: text("version").or_else(metadata_version),
            when_to_use: text("when_to_use"),
            allowed_tools: value("allowed-tools").map(|v| tools_of(&v)).unwrap_or_default(),
            platforms: value("platforms").map(|v| v.words()).unwrap_or_default(),
            // A policy that cannot be understood stays closed.
            disable_model_invocation: value("disable-model-invocation")
                .is_some_and(|v| v != Value::Null && v.as_bool() != Some(false)),
            user_invocable: flag("user-invocable", true),
            frontmatter,
            body: self.parts.body.clone(),
        }
    }

    pub(crate) fn entry<'f>(&self, found: &'f Frontmatter, key: &str) -> Option<&'f Entry> {
        self.last.get(key).map(|at| &found.entries[*at])
    }

    pub(crate) fn report(
        &mut self,
        rule: Rule,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let body = self.parts.body.start;
        let lines = if range.start <= body {
            self.head.get_or_init(|| Lines::new(&self.text[..body]))
        } else {
            self.lines.get_or_init(|| Lines::new(self.text))
        };
        let (line, column) = lines.position(range.start);
        self.diagnostics.push(Diagnostic {
            rule,
            range,
            line,
            column,
            message: message.into(),
            hint: None,
            fix: None,
            key: None,
            refuses: false,
        });
        self.diagnostics.last_mut().expect("just pushed")
    }

    fn layout(&mut self) {
        let (text, parts) = (self.text, self.parts.clone());
        let start = if parts.bom { '\u{feff}'.len_utf8() } else { 0 };
        if parts.bom {
            self.report(Rule::ByteOrderMark, 0..start, "the file starts with a byte order mark")
                .fix = Some(vec![removal(0..start)]);
        }
        let open = &text[parts.open.clone()];
        let before = start..parts.open.start + (open.len() - open.trim_start().len());
        if parts.in_code_block {
            let diagnostic = self.report(
                Rule::FenceInCodeBlock,
                before.clone(),
                "the frontmatter stands in a code block",
            );
            diagnostic.hint =
                Some("remove the line of backticks before it, and its counterpart".to_owned());
            diagnostic.fix =
                Some([Some(before), parts.code_close].into_iter().flatten().map(removal).collect());
        } else if !before.is_empty() {
            let fix = Some(vec![removal(before.clone())]);
            self.report(Rule::TextBeforeFence, before, "blanks stand before the frontmatter").fix =
                fix;
        }
        for fence in [parts.open, parts.close.clone()] {
            let line = &text[fence.clone()];
            let blanks = fence.start + line.trim_end().len()..fence.end;
            if !blanks.is_empty() {
                let fix = Some(vec![removal(blanks.clone())]);
                self.report(Rule::FenceTrailingBlanks, blanks, "blanks after the fence").fix = fix;
            }
        }
        if text[parts.close.clone()].starts_with("...") {
            let range = parts.close.start..parts.close.start + 3;
            let found =
                self.report(Rule::FenceDots, range.clone(), "the frontmatter is closed by `...`");
            found.hint = Some("close it with `---`".to_owned());
            found.fix = Some(vec![Edit { range, text: "---".to_owned() }]);
        }
        if parts.close.end == text.len() {
            self.report(Rule::FenceAtEnd, parts.close, "the file ends with the closing fence");
        }
    }

    fn line_ends(&mut self) {
        let text = self.text;
        if !text.contains('\r') {
            return;
        }
        if let Some(at) = text.find("\r\n") {
            self.report(Rule::CrLf, at..at + 2, "lines end in CR LF");
        }
        let lone = text.match_indices('\r').find(|(at, _)| !text[at + 1..].starts_with('\n'));
        if let Some((at, _)) = lone {
            self.report(Rule::LoneCr, at..at + 1, "a carriage return without a line feed");
        }
    }

    fn tabs(&mut self, found: &Frontmatter) {
        let range = self.parts.frontmatter.clone();
        if !self.text[range.clone()].contains('\t') {
            return;
        }
        let mut texts: Vec<Range<usize>> = Vec::new();
        for entry in &found.entries {
            entry.value.walk(&mut |node| {
                if let Kind::Scalar { style: Style::Block | Style::Quoted, .. } = node.kind {
                    texts.push(node.span.clone());
                }
            });
        }
        let mut texts = texts.into_iter().peekable();
        let mut at = range.start;
        for line in self.text[range].split_inclusive('\n') {
            let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            if let Some(tab) = indent.find('\t').filter(|_| !line.trim().is_empty()) {
                let tab = at + tab;
                while texts.next_if(|text| text.end <= tab).is_some() {}
                if texts.peek().is_none_or(|text| !text.contains(&tab)) {
                    self.report(Rule::TabIndent, tab..tab + 1, "a tab in the indentation").hint =
                        Some("indent with spaces".to_owned());
                    break;
                }
            }
            at += line.len();
        }
    }

    fn yaml(&mut self, found: &Frontmatter) {
        for repair in &found.repairs {
            let rule = if repair.unquoted { Rule::YamlUnquoted } else { Rule::YamlSyntax };
            let (key, said) = (shown(&repair.key), shown(&repair.message));
            let message = if repair.unquoted {
                format!("the value of `{key}` must be quoted: {said}")
            } else {
                format!("the value of `{key}` is not YAML: {said}")
            };
            let diagnostic = self.report(rule, repair.at..repair.end, message);
            diagnostic.hint = Some("put the whole value in double quotes".to_owned());
            diagnostic.fix = repair.fix.clone().map(|fix| vec![fix]);
            diagnostic.key = Some(repair.key.clone());
        }
        for span in &found.odd_keys {
            self.report(Rule::YamlSyntax, span.clone(), "a key that is not text is ignored");
        }
        if found.decorated {
            let at = self.parts.frontmatter.start;
            self.decoration(at..at, "the frontmatter");
        }
        let mut flow_at = found.flow;
        for entry in &found.entries {
            let mut decorated = None;
            entry.value.walk(&mut |node| {
                if node.decorated && decorated.is_none() {
                    decorated = Some(node.span.clone());
                }
                if node.is_flow() && flow_at.is_none() && !node.alias {
                    flow_at = Some(node.span.start);
                }
            });
            if let Some(at) = decorated {
                self.decoration(at, &format!("`{}`", shown(&entry.key)));
            }
            self.comment_cut(entry);
        }
        if let Some(at) = flow_at {
            self.report(Rule::FlowStyle, at..at, "flow style is YAML, but some readers refuse it");
        }
    }

    fn decoration(&mut self, at: Range<usize>, what: &str) {
        let message = format!("{what} uses an anchor, an alias or a tag");
        self.report(Rule::YamlDecoration, at, message).hint =
            Some("write the value out".to_owned());
    }

    fn comment_cut(&mut self, entry: &Entry) {
        let is_plain = matches!(entry.value.kind, Kind::Scalar { style: Style::Plain, .. });
        if !is_plain || (entry.key != "description" && entry.key != "name") {
            return;
        }
        let end = entry.value.span.end;
        let rest = self.text[end..].split(is_break).next().unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if rest[blanks..].starts_with('#') {
            let at = end + blanks;
            let message = format!("`#` starts a comment and cuts the {}", entry.key);
            self.report(Rule::CommentCutsValue, at..at + 1, message).hint =
                Some("quote the value if the text after `#` belongs to it".to_owned());
        }
    }

    fn keys(&mut self, found: &Frontmatter) {
        let mut mended = HashSet::new();
        for (at, entry) in found.entries.iter().enumerate() {
            let counts = self.last.get(&entry.key) == Some(&at);
            if !counts {
                self.duplicate(&entry.key, &entry.key_span, &entry.value, found.flow.is_some());
            }
            self.duplicates_inside(&entry.value);
            if SPEC_KEYS.contains(&entry.key.as_str()) {
                continue;
            }
            let key = shown(&entry.key);
            let known = CLAUDE_CODE_KEYS.contains(&entry.key.as_str())
                || OTHER_AGENT_KEYS.contains(&entry.key.as_str());
            let likely =
                likely_key(&entry.key).filter(|meant| !known && !self.last.contains_key(*meant));
            if let Some(meant) = likely {
                let diagnostic = self.report(
                    Rule::KeyTypo,
                    entry.key_span.clone(),
                    format!("`{key}` is not a key that agents know"),
                );
                diagnostic.hint = Some(format!("did you mean `{meant}`?"));
                // Two keys that mean the same would become one, and one value be lost; and no mend
                // hands out rights that no agent has read so far.
                let mends = counts && !GRANTING_KEYS.contains(&meant) && mended.insert(meant);
                diagnostic.fix = mends
                    .then(|| vec![Edit { range: entry.key_span.clone(), text: meant.to_owned() }]);
            }
            let diagnostic = self.report(
                Rule::UnknownKey,
                entry.key_span.clone(),
                format!("`{key}` is not a key of this profile"),
            );
            diagnostic.hint = Some(if CLAUDE_CODE_KEYS.contains(&entry.key.as_str()) {
                "it is one of Claude Code's: `--profile claude-code` knows it".to_owned()
            } else if let Some(meant) = likely {
                format!("did you mean `{meant}`?")
            } else {
                elsewhere(&entry.key, &entry.value.to_value())
            });
            diagnostic.key = Some(entry.key.clone());
        }
    }

    /// Reports the keys of the maps inside a value that occur again later in the same map.
    fn duplicates_inside(&mut self, value: &Node) {
        value.walk(&mut |node| {
            let Kind::Map { entries, flow } = &node.kind else { return };
            if node.alias {
                return;
            }
            let mut seen = HashSet::new();
            for (key, value) in entries.iter().rev() {
                let Some(name) = key.key_text() else { continue };
                if !seen.insert(name) {
                    self.duplicate(name, &key.span, value, *flow);
                }
            }
        });
    }

    fn duplicate(&mut self, key: &str, at: &Range<usize>, value: &Node, flow: bool) {
        let lines = if flow { None } else { own_lines(self.text, at, value) };
        let message = format!("`{}` occurs again below, and the last one counts", shown(key));
        let diagnostic = self.report(Rule::DuplicateKey, at.clone(), message);
        diagnostic.hint = Some("remove one of the two".to_owned());
        diagnostic.fix = lines.map(|lines| vec![removal(lines)]);
    }

    /// An edit that puts `written` in the place of an entry's value.
    pub(crate) fn replacement(&self, entry: &Entry, written: &str) -> Edit {
        replacement(self.text, &entry.key_span, &entry.value, written)
    }

    /// Hidden characters anywhere but in the name and the description, which have their own.
    fn hidden(&mut self, found: &Frontmatter) {
        let told: Vec<Range<usize>> = ["name", "description"]
            .iter()
            .filter_map(|key| Some(self.entry(found, key)?.value.span.clone()))
            .collect();
        let is_told =
            |at: usize| (self.parts.bom && at == 0) || told.iter().any(|range| range.contains(&at));
        let mut runs = hidden_runs(self.text);
        runs.retain(|(range, _)| !is_told(range.start));
        let rest = runs.len().saturating_sub(MAX_HIDDEN_REPORTED);
        for (at, (range, count)) in runs.into_iter().take(MAX_HIDDEN_REPORTED).enumerate() {
            let first = self.text[range.clone()].chars().next().map_or(0, u32::from);
            let what = if count == 1 {
                format!("the invisible character U+{first:04X}")
            } else {
                format!("{count} invisible characters from U+{first:04X} on")
            };
            let message = if rest > 0 && at + 1 == MAX_HIDDEN_REPORTED {
                format!("{what}; there are more in {rest} places below")
            } else {
                what
            };
            self.report(Rule::HiddenCharacters, range, message).hint =
                Some("remove it: a model reads what a person cannot see".to_owned());
        }
    }

    fn body(&mut self) {
        let body = &self.text[self.parts.body.clone()];
        let lines = count_breaks(body) + usize::from(!body.is_empty() && !body.ends_with('\n'));
        let at = self.parts.body.start;
        if lines > RECOMMENDED_BODY_LINES {
            self.report(Rule::BodyLong, at..at, format!(
                "the body has {lines} lines, fewer than {RECOMMENDED_BODY_LINES} are recommended"
            ))
            .hint = Some("move detail into files under `references/`".to_owned());
        }
        if self.text.len() > MAX_SKILL_CHARS {
            let count = self.text.chars().count();
            if count > MAX_SKILL_CHARS {
                self.report(Rule::FileLong, at..at, format!(
                    "the file has {count} characters, {MAX_SKILL_CHARS} are allowed when it is written"
                ));
            }
        }
    }
}

fn removal(range: Range<usize>) -> Edit {
    Edit { range, text: String::new() }
}

/// All lines of an entry in block style, when nothing else stands on them: no comment, no other
/// entry.
pub(crate) fn own_lines(text: &str, key: &Range<usize>, value: &Node) -> Option<Range<usize>> {
    let start = text[..key.start].rfind(is_break).map_or(0, |at| at + 1);
    let end = value.span.end.max(key.end);
    let rest = text[end..].split(is_break).next().unwrap_or_default();
    let alone = text[start..key.start].bytes().all(|b| b == b' ')
        && rest.bytes().all(|b| matches!(b, b' ' | b'\t'))
        && !holds_comment(text, key, value);
    let line_end = end + rest.len();
    let line_break = match &text[line_end..] {
        after if after.starts_with("\r\n") => 2,
        after => usize::from(!after.is_empty()),
    };
    alone.then_some(start..line_end + line_break)
}

/// Whether a comment stands between an entry's key and the end of its value.
pub(crate) fn holds_comment(text: &str, key: &Range<usize>, value: &Node) -> bool {
    let mut at = key.end;
    let mut found = false;
    value.walk(&mut |node| {
        let is_leaf = node.alias || matches!(node.kind, Kind::Scalar { .. });
        if is_leaf && node.span.start >= at {
            found |= text[at..node.span.start].contains('#');
            at = node.span.end;
        }
        if let Kind::Scalar { style: Style::Block, .. } = node.kind {
            let header = text[node.span.clone()].split(is_break).next();
            found |= header.is_some_and(|header| header.contains('#'));
        }
    });
    found || text[at..value.span.end.max(at)].contains('#')
}

/// A known key that `key` probably stands for.
fn likely_key(key: &str) -> Option<&'static str> {
    /// Shorter words are too close to each other to guess.
    const MIN_GUESSED_CHARS: usize = 7;
    let letters = |text: &str| -> Vec<char> {
        let kept = text.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
        kept.flat_map(char::to_lowercase).collect()
    };
    let key = letters(key);
    SPEC_KEYS.iter().chain(&CLAUDE_CODE_KEYS).copied().find(|known| {
        // No known key has more than three separators.
        if known.len() + 1 < key.len() || known.len() > key.len() + 4 {
            return false;
        }
        let known = letters(known);
        known == key || (known.len() >= MIN_GUESSED_CHARS && one_edit_apart(&known, &key))
    })
}

/// One character inserted, removed, replaced, or two neighbours swapped.
fn one_edit_apart(a: &[char], b: &[char]) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - same_end], &b[..b.len() - same_end]);
    a.len().max(b.len()) <= 1 || (a.len() == 2 && b.len() == 2 && a[0] == b[1] && a[1] == b[0])
}

/// Where a key that the profile does not know can be, so that whoever reads it still does.
fn elsewhere(key: &str, value: &Value) -> String {
    // Of these, `hone` reads the names of variables under `metadata` too; the rest is read at the top.
    const READ_AT_THE_TOP: [&str; 6] = [
        "platforms",
        "environments",
        "prerequisites",
        "required_environment_variables",
        "required_credential_files",
        "setup",
    ];
    let is_text = |value: &Value| value.text().is_some();
    let names = match value {
        Value::List(items) if !items.is_empty() && items.iter().all(is_text) => {
            let names: Vec<&str> = items.iter().filter_map(Value::text).collect();
            Some(names.join(", "))
        }
        _ => None,
    };
    let is_read_there =
        key != "required_environment_variables" || !(is_text(value) || names.is_some());
    if READ_AT_THE_TOP.contains(&key) && is_read_there {
        return "agents read it here: `--profile lenient` knows it".to_owned();
    }
    match names {
        Some(names) => shown(&format!(
            "move it under `metadata`, as one text: `{key}: {}`",
            quote_always(&names)
        )),
        None => format!("move it under `metadata`, as `{}: …`", shown(key)),
    }
}
