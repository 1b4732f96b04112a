//! The reader: bytes in, a skill and its diagnostics out.
//!
//! One reader serves every command and every profile. It is lenient: whatever can be understood is,
//! with a diagnostic for each deviation, and only what cannot be understood is refused. How much a
//! diagnostic matters is the profile's word ([`crate::Profile`]).

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Lines, shown};
use crate::fence::{self, NoParts};
use crate::frontmatter::{self, Refusal};
use crate::limits::{MAX_FRONTMATTER_BYTES, MAX_READ_BYTES};
use crate::reader::Reader;
use crate::rule::Rule;
use crate::slug::Slug;
use crate::value::Value;

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
    /// The description, exactly as YAML has it, blanks and line breaks included.
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
    /// Everything found: first what refuses the file, then the rest in the order of the file.
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
    // `contains` looks at a word at a time, `position` at a byte.
    if let Some(at) = bytes.contains(&0).then(|| bytes.iter().position(|byte| *byte == 0)).flatten()
    {
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

/// The text between the fences, its last line break included: what a reader of plain YAML is given. None
/// when the file does not begin with it, or a line of dots closes it.
///
/// ```
/// let text = "---\nname: greet\ndescription: |\n  Says hello\n---\nSay hello.\n";
/// assert_eq!(hone_skill::frontmatter(text), Some("name: greet\ndescription: |\n  Says hello\n"));
/// assert_eq!(hone_skill::frontmatter("\n---\nname: greet\n---\n"), None);
/// ```
pub fn frontmatter(text: &str) -> Option<&str> {
    let parts = fence::split(text).ok().filter(|parts| parts.open.start == 0)?;
    let are_fences = [parts.open, parts.close].map(|line| text[line].starts_with("---"));
    (are_fences == [true, true]).then(|| &text[parts.frontmatter])
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
        && (trimmed.starts_with('.') || trimmed.to_ascii_lowercase().ends_with(".md"));
    if is_pointer {
        let start = text.len() - text.trim_start().len();
        return refuse(
            text,
            Rule::LinkPointer,
            start..start + trimmed.len(),
            format!("this file only holds the path `{}`", shown(trimmed)),
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

/// The first line of a Markdown text that is prose: no heading, code, table, rule, markup or comment.
/// The mark of a list or a quotation in front of it does not belong to it.
pub fn first_prose_line(body: &str) -> Option<&str> {
    let (mut in_code, mut in_comment) = (false, false);
    body.lines().find_map(|line| {
        let line = without_comments(line.trim(), &mut in_comment);
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            return None;
        }
        let line = without_marks(line);
        let is_prose = !in_code
            && !line.starts_with(['#', '|', '<', '!'])
            && line.chars().any(char::is_alphanumeric);
        is_prose.then_some(line)
    })
}

/// What stands behind the comments at the start of a line, and behind one that began above it.
fn without_comments<'l>(mut line: &'l str, in_comment: &mut bool) -> &'l str {
    loop {
        if *in_comment {
            let Some((_, after)) = line.split_once("-->") else { return "" };
            (line, *in_comment) = (after.trim_start(), false);
        }
        let Some(inside) = line.strip_prefix("<!--") else { return line };
        (line, *in_comment) = (inside, true);
    }
}

/// A line without the marks of lists, tasks and quotations in front of it.
fn without_marks(mut line: &str) -> &str {
    /// The longest number of a list in Markdown.
    const MAX_DIGITS: usize = 9;
    loop {
        let number = line.bytes().take_while(u8::is_ascii_digit).count();
        let after_number = (1..=MAX_DIGITS)
            .contains(&number)
            .then(|| line[number..].strip_prefix(['.', ')']))
            .flatten();
        let after = after_number
            .or_else(|| line.strip_prefix(['-', '*', '+']))
            .or_else(|| ["[ ]", "[x]", "[X]"].into_iter().find_map(|task| line.strip_prefix(task)));
        let after = after.filter(|after| after.starts_with([' ', '\t']));
        match after.or_else(|| line.strip_prefix('>')) {
            Some(after) => line = after.trim_start(),
            None => return line,
        }
    }
}
