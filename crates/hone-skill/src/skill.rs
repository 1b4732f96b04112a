//! The reader: bytes in, a skill and its diagnostics out.
//!
//! One reader serves every command and every profile. It is lenient: whatever can be understood is,
//! with a diagnostic for each deviation, and only what cannot be understood is refused. How much a
//! diagnostic matters is the profile's word ([`crate::Profile`]).

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Edit, Lines};
use crate::fence::{self, NoParts, Parts};
use crate::frontmatter::{self, Entry, Frontmatter, Refusal};
use crate::limits::{
    MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_FRONTMATTER_BYTES, MAX_READ_BYTES,
    MAX_SKILL_CHARS, RECOMMENDED_BODY_LINES,
};
use crate::name::{is_valid_name, name_matches_folder, name_problems};
use crate::rule::{CLAUDE_CODE_KEYS, OTHER_AGENT_KEYS, Rule, SPEC_KEYS};
use crate::slug::Slug;
use crate::tools::tools_of;
use crate::value::Value;
use crate::yaml::{Kind, Style, quote};

/// Where a description came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionSource {
    /// The `description` key.
    Frontmatter,
    /// The first line of prose, because the frontmatter has none.
    Body,
}

/// A skill, as its text declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The declared name, or the folder's where none is declared.
    pub name: String,
    /// The name's slug.
    pub slug: Slug,
    /// The description, exactly as YAML has it.
    pub description: String,
    /// Where the description came from.
    pub description_source: DescriptionSource,
    /// `version`, or `metadata.version`, as written.
    pub version: Option<String>,
    /// `when_to_use`.
    pub when_to_use: Option<String>,
    /// The tools of `allowed-tools`.
    pub allowed_tools: Vec<String>,
    /// Operating systems of `platforms`; empty means all.
    pub platforms: Vec<String>,
    /// `disable-model-invocation: true`: the model must not load it by itself.
    pub disable_model_invocation: bool,
    /// `user-invocable: false` takes the slash command away.
    pub user_invocable: bool,
    /// Every top-level key with its value, in file order; of duplicates the last.
    pub frontmatter: Vec<(String, Value)>,
    /// The bytes of the body in the file.
    pub body: Range<usize>,
}

impl Skill {
    /// The value of a top-level frontmatter key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.frontmatter.iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }

    /// The name as first given by its author: `metadata."hone.title"`, else the name.
    pub fn title(&self) -> &str {
        self.get("metadata")
            .and_then(|metadata| metadata.get(crate::write::TITLE_KEY))
            .and_then(Value::text)
            .unwrap_or(&self.name)
    }
}

/// What the reader made of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The skill; `None` when the file was refused.
    pub skill: Option<Skill>,
    /// Everything found, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// Why the file was refused.
    pub fn refusal(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.refuses)
    }
}

/// Reads a skill. `folder` is the name of the folder that holds it, when there is one.
///
/// ```
/// let text = b"---\nname: greet\ndescription: Says hello: politely\n---\nSay hello.\n";
/// let reading = hone_skill::read(text, Some("greet"));
/// let skill = reading.skill.expect("a repaired skill");
/// assert_eq!(skill.description, "Says hello: politely");
/// assert_eq!(reading.diagnostics[0].rule.id(), "yaml-unquoted");
/// assert_eq!((reading.diagnostics[0].line, reading.diagnostics[0].column), (3, 24));
/// ```
pub fn read(bytes: &[u8], folder: Option<&str>) -> Reading {
    if bytes.len() > MAX_READ_BYTES {
        let message =
            format!("the file has {} bytes, {MAX_READ_BYTES} are read at most", bytes.len());
        return refuse("", Rule::FileTooLarge, 0..0, message, "move detail into `references/`");
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let good = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
            let hint = if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
                "this looks like UTF-16: save it as UTF-8"
            } else {
                "save the file as UTF-8"
            };
            let message = format!("not UTF-8: byte 0x{:02X} at offset {at}", bytes[at]);
            return refuse(good, Rule::NotUtf8, at..at, message, hint);
        }
    };
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let message = format!("a NUL byte at offset {at}");
        return refuse(text, Rule::NulByte, at..at + 1, message, "this is not a text file");
    }
    let parts = match fence::split(text) {
        Ok(parts) => parts,
        Err(NoParts::Unclosed(open)) => {
            return refuse(
                text,
                Rule::UnclosedFrontmatter,
                open,
                "the frontmatter opened here is never closed".to_owned(),
                "add a line `---` after the last frontmatter key",
            );
        }
        Err(NoParts::Missing) => return no_frontmatter(text),
    };
    if parts.frontmatter.len() > MAX_FRONTMATTER_BYTES {
        let message = format!(
            "the frontmatter has {} bytes, {MAX_FRONTMATTER_BYTES} are read at most",
            parts.frontmatter.len()
        );
        let hint = "move detail into the body";
        return refuse(text, Rule::FrontmatterTooLarge, parts.open, message, hint);
    }
    match frontmatter::parse(text, parts.frontmatter.clone()) {
        Ok(frontmatter) => Reader::new(text, folder, parts, &frontmatter).read(&frontmatter),
        Err(Refusal::NotMap { found, at }) => refuse(
            text,
            Rule::FrontmatterNotMap,
            at..at,
            format!("the frontmatter is {found}, not keys with values"),
            "write `name: …` and `description: …` on lines of their own",
        ),
        Err(Refusal::Limit { message, at }) => {
            refuse(text, Rule::YamlLimit, at..at, message, "write the frontmatter without it")
        }
        Err(Refusal::Syntax { message, at }) => refuse(
            text,
            Rule::YamlSyntax,
            at..at,
            message,
            "the frontmatter has no line of the form `key: value`",
        ),
    }
}

fn refuse(text: &str, rule: Rule, range: Range<usize>, message: String, hint: &str) -> Reading {
    let (line, column) = Lines::new(text).position(range.start);
    let diagnostic = Diagnostic {
        rule,
        range,
        line,
        column,
        message,
        hint: Some(hint.to_owned()),
        fix: None,
        key: None,
        refuses: true,
    };
    Reading { skill: None, diagnostics: vec![diagnostic] }
}

fn no_frontmatter(text: &str) -> Reading {
    let trimmed = text.trim();
    let is_pointer = !trimmed.is_empty()
        && trimmed.len() < 1024
        && !trimmed.contains(['\n', ' '])
        && trimmed.contains('/')
        && (trimmed.starts_with('.') || trimmed.ends_with(".md"));
    if is_pointer {
        return refuse(
            text,
            Rule::LinkPointer,
            0..text.len().min(trimmed.len()),
            format!("this file only holds the path `{}`", trimmed.escape_debug()),
            "it is a link that the checkout did not make: turn on `core.symlinks` in git",
        );
    }
    let hint = if text.contains('\r') && !text.contains('\n') {
        "the lines end in CR alone: save the file with LF line ends"
    } else {
        "start the file with `---`, `name: …`, `description: …`, `---`"
    };
    refuse(text, Rule::NoFrontmatter, 0..0, "there is no frontmatter".to_owned(), hint)
}

/// The first line of a Markdown text that is prose: no heading, code, table, rule or markup.
pub fn first_prose_line(body: &str) -> Option<&str> {
    let mut in_code = false;
    body.lines().map(str::trim).find(|line| {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            return false;
        }
        !in_code
            && !line.starts_with(['#', '|', '<', '!'])
            && line.chars().any(char::is_alphanumeric)
    })
}

struct Reader<'a> {
    text: &'a str,
    folder: Option<&'a str>,
    parts: Parts,
    lines: OnceCell<Lines<'a>>,
    diagnostics: Vec<Diagnostic>,
    /// For each key, the entry that counts: the last one.
    last: HashMap<String, usize>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, folder: Option<&'a str>, parts: Parts, found: &Frontmatter) -> Self {
        let last = found.entries.iter().enumerate().map(|(at, e)| (e.key.clone(), at)).collect();
        Self { text, folder, parts, lines: OnceCell::new(), diagnostics: Vec::new(), last }
    }

    fn read(mut self, found: &Frontmatter) -> Reading {
        self.layout();
        self.tabs(found);
        self.yaml(found);
        self.keys(found);
        let name = self.name(found);
        let description = self.description(found);
        self.other_fields(found);
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

    fn entry<'f>(&self, found: &'f Frontmatter, key: &str) -> Option<&'f Entry> {
        self.last.get(key).map(|at| &found.entries[*at])
    }

    fn report(
        &mut self,
        rule: Rule,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let (line, column) = self.lines.get_or_init(|| Lines::new(self.text)).position(range.start);
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
                .fix = Some(vec![Edit { range: 0..start, text: String::new() }]);
        }
        if parts.in_code_block {
            self.report(
                Rule::FenceInCodeBlock,
                start..parts.open.start,
                "the frontmatter stands in a code block",
            )
            .hint = Some("remove the line of backticks before it, and its counterpart".to_owned());
        } else if parts.open.start > start || text[parts.open.clone()].starts_with([' ', '\t']) {
            let indent =
                text[parts.open.clone()].len() - text[parts.open.clone()].trim_start().len();
            let range = start..parts.open.start + indent;
            self.report(
                Rule::TextBeforeFence,
                range.clone(),
                "blanks stand before the frontmatter",
            )
            .fix = Some(vec![Edit { range: range.clone(), text: String::new() }]);
        }
        for fence in [parts.open.clone(), parts.close.clone()] {
            let line = &text[fence.clone()];
            let blanks = fence.start + line.trim_end().len()..fence.end;
            if !blanks.is_empty() {
                self.report(Rule::FenceTrailingBlanks, blanks.clone(), "blanks after the fence")
                    .fix = Some(vec![Edit { range: blanks.clone(), text: String::new() }]);
            }
        }
        if text[parts.close.clone()].trim_end() == "..." {
            let range = parts.close.start..parts.close.start + 3;
            let found =
                self.report(Rule::FenceDots, range.clone(), "the frontmatter is closed by `...`");
            found.hint = Some("close it with `---`".to_owned());
            found.fix = Some(vec![Edit { range, text: "---".to_owned() }]);
        }
        if parts.close.end == text.len() {
            self.report(
                Rule::FenceAtEnd,
                parts.close.clone(),
                "the file ends with the closing fence",
            );
        }
        if let Some(at) = text.find('\r') {
            if text.contains("\r\n") {
                let at = text.find("\r\n").unwrap_or(at);
                self.report(Rule::CrLf, at..at + 2, "lines end in CR LF");
            }
            let lone = text.match_indices('\r').find(|(at, _)| !text[at + 1..].starts_with('\n'));
            if let Some((at, _)) = lone {
                self.report(Rule::LoneCr, at..at + 1, "a carriage return without a line feed");
            }
        }
    }

    fn tabs(&mut self, found: &Frontmatter) {
        let blocks: Vec<Range<usize>> = found
            .entries
            .iter()
            .filter(|e| {
                matches!(e.value.kind, Kind::Scalar { style: Style::Block | Style::Quoted, .. })
            })
            .map(|entry| entry.value.span.clone())
            .collect();
        let mut at = self.parts.frontmatter.start;
        for line in self.text[self.parts.frontmatter.clone()].split_inclusive('\n') {
            let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            if let Some(tab) = indent.find('\t').filter(|_| !line.trim().is_empty())
                && !blocks.iter().any(|block| block.contains(&(at + tab)))
            {
                self.report(Rule::TabIndent, at + tab..at + tab + 1, "a tab in the indentation")
                    .hint = Some("indent with spaces".to_owned());
                break;
            }
            at += line.len();
        }
    }

    fn yaml(&mut self, found: &Frontmatter) {
        for repair in &found.repairs {
            let entry = &found.entries[repair.entry];
            let rule = if repair.unquoted { Rule::YamlUnquoted } else { Rule::YamlSyntax };
            let message = if repair.unquoted {
                format!("the value of `{}` must be quoted: {}", entry.key, repair.message)
            } else {
                format!("the value of `{}` is not YAML: {}", entry.key, repair.message)
            };
            let kept = entry.value.key_text().unwrap_or_default();
            let fix = Edit { range: entry.value.span.clone(), text: quote_always(kept) };
            let key = entry.key.clone();
            let diagnostic =
                self.report(rule, repair.at..entry.value.span.end.max(repair.at), message);
            diagnostic.hint = Some("put the whole value in double quotes".to_owned());
            diagnostic.fix = Some(vec![fix]);
            diagnostic.key = Some(key);
        }
        for span in &found.odd_keys {
            self.report(Rule::YamlSyntax, span.clone(), "a key that is not text is ignored");
        }
        let mut flow_at = found.flow.then_some(self.parts.frontmatter.start);
        for entry in &found.entries {
            if entry.value.decorated {
                self.report(
                    Rule::YamlDecoration,
                    entry.value.span.clone(),
                    format!("`{}` uses an anchor, an alias or a tag", entry.key),
                )
                .hint = Some("write the value out".to_owned());
            }
            if matches!(
                entry.value.kind,
                Kind::List { flow: true, .. } | Kind::Map { flow: true, .. }
            ) {
                flow_at = flow_at.or(Some(entry.value.span.start));
            }
            self.comment_cut(entry);
        }
        if let Some(at) = flow_at {
            self.report(Rule::FlowStyle, at..at, "flow style is YAML, but some readers refuse it");
        }
    }

    fn comment_cut(&mut self, entry: &Entry) {
        let Kind::Scalar { style: Style::Plain, .. } = entry.value.kind else { return };
        if entry.key != "description" && entry.key != "name" {
            return;
        }
        let end = entry.value.span.end.max(entry.key_span.end);
        let rest = self.text[end..].lines().next().unwrap_or_default();
        let rest = if entry.value.span.is_empty() {
            rest.trim_start_matches([':', ' ', '\t'])
        } else {
            rest.trim_start()
        };
        if rest.starts_with('#') {
            let at = end + self.text[end..].find('#').unwrap_or(0);
            let message = format!("`#` starts a comment and cuts the {}", entry.key);
            self.report(Rule::CommentCutsValue, at..at + 1, message).hint =
                Some("quote the value if the text after `#` belongs to it".to_owned());
        }
    }

    fn keys(&mut self, found: &Frontmatter) {
        for (at, entry) in found.entries.iter().enumerate() {
            if self.last.get(&entry.key) != Some(&at) {
                let removed = self.entry_lines(entry);
                let key = entry.key.clone();
                let diagnostic = self.report(
                    Rule::DuplicateKey,
                    entry.key_span.clone(),
                    format!("`{key}` occurs again below, and the last one counts"),
                );
                diagnostic.hint = Some("remove one of the two".to_owned());
                diagnostic.fix =
                    (!found.flow).then(|| vec![Edit { range: removed, text: String::new() }]);
            }
            if SPEC_KEYS.contains(&entry.key.as_str()) {
                continue;
            }
            let known = CLAUDE_CODE_KEYS.contains(&entry.key.as_str())
                || OTHER_AGENT_KEYS.contains(&entry.key.as_str());
            let typo = if known { None } else { likely_key(&entry.key) };
            let key = entry.key.clone();
            if let Some(meant) = typo.filter(|meant| !self.last.contains_key(*meant)) {
                let diagnostic = self.report(
                    Rule::KeyTypo,
                    entry.key_span.clone(),
                    format!("`{key}` is not a key that agents know"),
                );
                diagnostic.hint = Some(format!("did you mean `{meant}`?"));
                diagnostic.fix =
                    Some(vec![Edit { range: entry.key_span.clone(), text: meant.to_owned() }]);
            }
            let diagnostic = self.report(
                Rule::UnknownKey,
                entry.key_span.clone(),
                format!("`{key}` is not a key of this profile"),
            );
            diagnostic.hint = Some(format!("move it under `metadata`, as `{key}: …`"));
            diagnostic.key = Some(key);
        }
    }

    /// All lines of an entry, from its key to the last line of its value.
    fn entry_lines(&self, entry: &Entry) -> Range<usize> {
        let end = entry.value.span.end.max(entry.key_span.end);
        let content = self.text[..end].trim_end().len().max(entry.key_span.end);
        let end = self.text[content..].find('\n').map_or(self.text.len(), |n| content + n + 1);
        entry.key_span.start..end
    }

    fn name(&mut self, found: &Frontmatter) -> Option<(String, Slug)> {
        let entry = self.entry(found, "name");
        let at = entry.map_or(self.parts.open.clone(), |entry| {
            if entry.value.span.is_empty() {
                entry.key_span.clone()
            } else {
                entry.value.span.clone()
            }
        });
        let value = entry.map(|entry| entry.value.to_value());
        let declared = match &value {
            None | Some(Value::Null) => None,
            Some(Value::List(_) | Value::Map(_)) => {
                self.report(Rule::NameType, at.clone(), "the name is a list or a map").hint =
                    Some("write `name: some-name`".to_owned());
                None
            }
            Some(scalar) => scalar.text().map(str::trim).filter(|name| !name.is_empty()),
        };
        let Some(name) = declared else {
            let folder = self.folder.filter(|folder| !folder.is_empty());
            if !matches!(value, Some(Value::List(_) | Value::Map(_))) {
                let hint = folder.map(|folder| format!("add `name: {}`", folder.escape_debug()));
                let diagnostic = self.report(Rule::NameMissing, at.clone(), "there is no name");
                diagnostic.hint = hint;
                diagnostic.refuses = folder.is_none();
            }
            let folder = folder?;
            return match Slug::new(folder) {
                Ok(slug) => Some((folder.to_owned(), slug)),
                Err(error) => {
                    self.report(Rule::NameNoSlug, at, error.to_string()).refuses = true;
                    None
                }
            };
        };
        let name = name.to_owned();
        if let Some(Value::Number(_) | Value::Bool(_)) = value {
            let diagnostic = self.report(
                Rule::NameNotString,
                at.clone(),
                format!("YAML reads the name `{name}` as a number or a boolean"),
            );
            diagnostic.hint = Some(format!("quote it: `name: \"{name}\"`"));
            diagnostic.fix = Some(vec![Edit { range: at.clone(), text: quote_always(&name) }]);
        }
        self.name_rules(&name, &at);
        let slug = Slug::new(&name).or_else(|error| {
            let from_folder = self.folder.and_then(|folder| Slug::new(folder).ok());
            let diagnostic = self.report(Rule::NameNoSlug, at.clone(), error.to_string());
            diagnostic.hint = Some("use at least one letter or digit".to_owned());
            diagnostic.refuses = from_folder.is_none();
            from_folder.ok_or(())
        });
        slug.ok().map(|slug| (name, slug))
    }

    fn name_rules(&mut self, name: &str, at: &Range<usize>) {
        let good = self
            .folder
            .filter(|folder| is_valid_name(folder))
            .map(str::to_owned)
            .or_else(|| Slug::new(name).ok().map(|slug| slug.as_str().to_owned()));
        let fix = good.as_ref().map(|good| vec![Edit { range: at.clone(), text: quote(good) }]);
        let hint = good.as_ref().map(|good| format!("call it `{good}`"));
        for (rule, message) in name_problems(name) {
            let mends = matches!(
                rule,
                Rule::NameTooLong | Rule::NameUppercase | Rule::NameCharacters | Rule::NameHyphens
            );
            let diagnostic = self.report(rule, at.clone(), message);
            if mends {
                diagnostic.hint.clone_from(&hint);
                diagnostic.fix.clone_from(&fix);
            }
        }
        if let Some(folder) = self.folder.filter(|folder| !name_matches_folder(name, folder)) {
            let diagnostic = self.report(
                Rule::NameFolder,
                at.clone(),
                format!(
                    "the name is `{}`, the folder is `{}`",
                    name.escape_debug(),
                    folder.escape_debug()
                ),
            );
            diagnostic.hint = Some("rename one of them".to_owned());
            diagnostic.fix = is_valid_name(folder).then_some(fix).flatten();
        }
        self.hidden_characters("name", name, at);
    }

    fn hidden_characters(&mut self, key: &str, text: &str, at: &Range<usize>) {
        if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
            let message = format!("the {key} holds the invisible character U+{:04X}", u32::from(c));
            self.report(Rule::HiddenCharacters, at.clone(), message).hint =
                Some("remove it: it can make text look like something else".to_owned());
        }
    }

    fn description(&mut self, found: &Frontmatter) -> Option<(String, DescriptionSource)> {
        let entry = self.entry(found, "description");
        let at = entry.map_or(self.parts.open.clone(), |entry| {
            if entry.value.span.is_empty() {
                entry.key_span.clone()
            } else {
                entry.value.span.clone()
            }
        });
        let value = entry.map(|entry| entry.value.to_value());
        if let Some(Value::List(_) | Value::Map(_)) = value {
            let diagnostic =
                self.report(Rule::DescriptionType, at, "the description is a list or a map");
            diagnostic.hint =
                Some("write `description: What it does and when to use it`".to_owned());
            diagnostic.refuses = true;
            return None;
        }
        let text = value.as_ref().and_then(Value::text).filter(|text| !text.trim().is_empty());
        let Some(text) = text else {
            let prose = first_prose_line(&self.text[self.parts.body.clone()]);
            let prose: Option<String> =
                prose.map(|line| line.chars().take(MAX_DESCRIPTION_CHARS).collect());
            let diagnostic = self.report(Rule::DescriptionMissing, at, "there is no description");
            diagnostic.hint = Some("add `description: What it does and when to use it`".to_owned());
            diagnostic.refuses = prose.is_none();
            return prose.map(|prose| (prose, DescriptionSource::Body));
        };
        if let Some(Value::Number(_) | Value::Bool(_)) = value {
            let diagnostic = self.report(
                Rule::DescriptionNotString,
                at.clone(),
                "YAML reads the description as a number or a boolean",
            );
            diagnostic.hint = Some("quote it".to_owned());
            diagnostic.fix = Some(vec![Edit { range: at.clone(), text: quote_always(text) }]);
        }
        let count = text.trim().chars().count();
        if count > MAX_DESCRIPTION_CHARS {
            self.report(
                Rule::DescriptionTooLong,
                at.clone(),
                format!(
                    "the description has {count} characters, {MAX_DESCRIPTION_CHARS} are allowed"
                ),
            )
            .hint =
                Some("say what it does and when to use it; move the rest into the body".to_owned());
        } else if text.chars().count() > MAX_DESCRIPTION_CHARS {
            self.report(Rule::DescriptionBlanks, at.clone(), format!(
                "blanks around the description make it longer than {MAX_DESCRIPTION_CHARS} characters"
            ))
            .hint = Some("remove them: the reference validator counts them".to_owned());
        }
        if text.contains(['<', '>']) {
            self.report(Rule::DescriptionMarkup, at.clone(), "the description holds `<` or `>`")
                .hint = Some("uploads take plain text only".to_owned());
        }
        self.hidden_characters("description", text, &at);
        Some((text.to_owned(), DescriptionSource::Frontmatter))
    }

    fn other_fields(&mut self, found: &Frontmatter) {
        if let Some(entry) = self.entry(found, "compatibility") {
            let span = entry.value.span.clone();
            let value = entry.value.to_value();
            let count = value.text().map(|text| text.trim().chars().count());
            let problem = match count {
                Some(0) => Some("compatibility is empty".to_owned()),
                None if value == Value::Null => Some("compatibility is empty".to_owned()),
                None => Some("compatibility is not text".to_owned()),
                Some(count) if count > MAX_COMPATIBILITY_CHARS => Some(format!(
                    "compatibility has {count} characters, {MAX_COMPATIBILITY_CHARS} are allowed"
                )),
                Some(_) => None,
            };
            if let Some(problem) = problem {
                self.report(Rule::Compatibility, span, problem).hint = Some(
                    "say in one sentence what the skill needs, or leave the key out".to_owned(),
                );
            }
        }
        if let Some(entry) = self.entry(found, "license")
            && matches!(entry.value.kind, Kind::List { .. } | Kind::Map { .. })
        {
            self.report(Rule::License, entry.value.span.clone(), "license is not text");
        }
        if let Some(entry) = self.entry(found, "metadata") {
            self.metadata(entry);
        }
        if let Some(entry) = self.entry(found, "allowed-tools") {
            let value = entry.value.to_value();
            let is_list = matches!(value, Value::List(_) | Value::Map(_));
            let tools = tools_of(&value);
            let has_commas = value.text().is_some_and(|text| {
                tools.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
                    != text.split_whitespace().collect::<Vec<_>>().join(" ")
            });
            if is_list || has_commas {
                let range = self.value_region(entry);
                let text = format!(" {}", quote(&tools.join(" ")));
                let is_map = matches!(value, Value::Map(_));
                let diagnostic = self.report(
                    Rule::AllowedToolsForm,
                    entry.value.span.clone(),
                    "allowed-tools is not one text separated by spaces",
                );
                diagnostic.hint = Some(format!("write `allowed-tools:{text}`"));
                diagnostic.fix = (!found.flow && !is_map).then(|| vec![Edit { range, text }]);
            }
        }
    }

    /// Everything of an entry after its colon, up to the end of its value.
    fn value_region(&self, entry: &Entry) -> Range<usize> {
        value_region(self.text, &entry.key_span, &entry.value.span)
    }

    fn metadata(&mut self, entry: &Entry) {
        let Kind::Map { entries, .. } = &entry.value.kind else {
            if entry.value.to_value() != Value::Null {
                self.report(
                    Rule::MetadataType,
                    entry.value.span.clone(),
                    "metadata is not a map",
                )
                .hint = Some("write `key: value` lines under it".to_owned());
            }
            return;
        };
        let mut seen = HashMap::new();
        for (key, value) in entries {
            let Some(name) = key.key_text() else { continue };
            if seen.insert(name.to_owned(), ()).is_some() {
                self.report(
                    Rule::DuplicateKey,
                    key.span.clone(),
                    format!("`metadata.{name}` occurs twice, and the last one counts"),
                );
            }
            if name.starts_with("io.modelcontextprotocol/") {
                self.report(
                    Rule::MetadataReserved,
                    key.span.clone(),
                    format!("`{name}` is reserved"),
                );
            }
            match &value.kind {
                Kind::List { .. } | Kind::Map { .. } => {
                    self.report(
                        Rule::MetadataValue,
                        value.span.clone(),
                        format!("`metadata.{name}` is a list or a map, only text is allowed"),
                    )
                    .hint = Some(
                        "some agents keep their own settings here; the specification does not"
                            .to_owned(),
                    );
                }
                Kind::Scalar { .. } => {}
            }
        }
    }

    fn body(&mut self) {
        let body = &self.text[self.parts.body.clone()];
        let lines = body.lines().count();
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

/// Everything after an entry's colon, up to the end of its value, without trailing line breaks.
pub(crate) fn value_region(text: &str, key: &Range<usize>, value: &Range<usize>) -> Range<usize> {
    let colon = key.end + text[key.end..].find(':').map_or(0, |at| at + 1);
    let end = value.end.max(colon);
    colon..colon + text[colon..end].trim_end().len()
}

/// A double-quoted YAML string, even where a plain one would do.
pub(crate) fn quote_always(text: &str) -> String {
    let quoted = quote(text);
    if quoted.starts_with('"') { quoted } else { format!("\"{quoted}\"") }
}

/// Control characters and the marks that reorder or hide text.
pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || matches!(c,
            '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}'
            | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}')
}

/// A known key that `key` probably stands for.
fn likely_key(key: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let key_plain = plain(key);
    let known = SPEC_KEYS.iter().chain(&CLAUDE_CODE_KEYS);
    known.copied().find(|known| {
        let known_plain = plain(known);
        known_plain == key_plain
            || (known_plain.len() >= 7 && one_edit_apart(&known_plain, &key_plain))
    })
}

/// One character inserted, removed, replaced, or two neighbours swapped.
fn one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_start..], &b[same_start..]);
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - same_end], &b[..b.len() - same_end]);
    a.len().max(b.len()) <= 1 || (a.len() == 2 && b.len() == 2 && a[0] == b[1] && a[1] == b[0])
}
