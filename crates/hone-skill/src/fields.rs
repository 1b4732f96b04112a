//! What the reader says about the fields of a skill: its name, its description and the rest.

use std::ops::Range;

use crate::diagnostic::{Edit, shown};
use crate::frontmatter::{Entry, Frontmatter};
use crate::hidden::first_hidden;
use crate::limits::{MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS};
use crate::name::{is_valid_name, name_matches_folder, name_problems};
use crate::reader::{Reader, holds_comment};
use crate::rule::Rule;
use crate::skill::{DescriptionSource, first_prose_line};
use crate::slug::Slug;
use crate::tools::{has_commas, split_tools, tools_of};
use crate::value::Value;
use crate::yaml::{Kind, quote, quote_always};

impl Reader<'_> {
    /// Where a diagnostic about an entry's value points: its key when there is no value, the
    /// opening fence when there is no entry.
    fn place(&self, entry: Option<&Entry>) -> Range<usize> {
        match entry {
            None => self.parts.open.clone(),
            Some(entry) if entry.value.span.is_empty() => entry.key_span.clone(),
            Some(entry) => entry.value.span.clone(),
        }
    }

    pub(crate) fn name(&mut self, found: &Frontmatter) -> Option<(String, Slug)> {
        let entry = self.entry(found, "name");
        let at = self.place(entry);
        let value = entry.map_or(Value::Null, |entry| entry.value.to_value());
        let declared = value.text().map(str::trim).filter(|name| !name.is_empty());
        let (Some(name), Some(entry)) = (declared, entry) else {
            return self.folder_as_name(&value, at);
        };
        if matches!(value, Value::Number(_) | Value::Bool(_)) {
            let fix = self.replacement(entry, &quote_always(name));
            let diagnostic = self.report(
                Rule::NameNotString,
                at.clone(),
                format!("YAML reads the name `{name}` as a number or a boolean"),
            );
            diagnostic.hint = Some(format!("quote it: `name: \"{name}\"`"));
            diagnostic.fix = Some(vec![fix]);
        }
        self.name_rules(name, entry, &at);
        let slug = Slug::new(name).or_else(|error| {
            let from_folder = self.folder.and_then(|folder| Slug::new(folder).ok());
            let diagnostic = self.report(Rule::NameNoSlug, at.clone(), error.to_string());
            diagnostic.hint = Some("use at least one letter or digit".to_owned());
            diagnostic.refuses = from_folder.is_none();
            from_folder.ok_or(())
        });
        slug.ok().map(|slug| (name.to_owned(), slug))
    }

    /// The name of the folder stands in for a name that is not there or not text.
    fn folder_as_name(&mut self, value: &Value, at: Range<usize>) -> Option<(String, Slug)> {
        let folder = self.folder.filter(|folder| !folder.is_empty());
        let diagnostic = if matches!(value, Value::List(_) | Value::Map(_)) {
            self.report(Rule::NameType, at.clone(), "the name is a list or a map")
        } else {
            self.report(Rule::NameMissing, at.clone(), "there is no name")
        };
        let good = folder.map_or("some-name".to_owned(), shown);
        diagnostic.hint = Some(format!("write `name: {good}`"));
        diagnostic.refuses = folder.is_none();
        let folder = folder?;
        match Slug::new(folder) {
            Ok(slug) => Some((folder.to_owned(), slug)),
            Err(error) => {
                self.report(Rule::NameNoSlug, at, error.to_string()).refuses = true;
                None
            }
        }
    }

    fn name_rules(&mut self, name: &str, entry: &Entry, at: &Range<usize>) {
        let good = self
            .folder
            .filter(|folder| is_valid_name(folder))
            .map(str::to_owned)
            .or_else(|| Slug::new(name).ok().map(|slug| slug.as_str().to_owned()));
        let fix = good.as_ref().map(|good| vec![self.replacement(entry, &quote(good))]);
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
            let message =
                format!("the name is `{}`, the folder is `{}`", shown(name), shown(folder));
            let diagnostic = self.report(Rule::NameFolder, at.clone(), message);
            diagnostic.hint = Some("rename one of them".to_owned());
            diagnostic.fix = is_valid_name(folder).then_some(fix).flatten();
        }
        self.hidden_characters("name", name, at);
    }

    fn hidden_characters(&mut self, key: &str, text: &str, at: &Range<usize>) {
        if let Some(c) = first_hidden(text) {
            let message = format!("the {key} holds the invisible character U+{:04X}", u32::from(c));
            self.report(Rule::HiddenCharacters, at.clone(), message).hint =
                Some("remove it: it can make text look like something else".to_owned());
        }
    }

    pub(crate) fn description(
        &mut self,
        found: &Frontmatter,
    ) -> Option<(String, DescriptionSource)> {
        let entry = self.entry(found, "description");
        let at = self.place(entry);
        let value = entry.map_or(Value::Null, |entry| entry.value.to_value());
        if matches!(value, Value::List(_) | Value::Map(_)) {
            let diagnostic =
                self.report(Rule::DescriptionType, at, "the description is a list or a map");
            diagnostic.hint =
                Some("write `description: What it does and when to use it`".to_owned());
            diagnostic.refuses = true;
            return None;
        }
        let text = value.text().filter(|text| !text.trim().is_empty());
        let (Some(text), Some(entry)) = (text, entry) else {
            let prose = first_prose_line(&self.text[self.parts.body.clone()]);
            let prose: Option<String> =
                prose.map(|line| line.chars().take(MAX_DESCRIPTION_CHARS).collect());
            let diagnostic = self.report(Rule::DescriptionMissing, at, "there is no description");
            diagnostic.hint = Some("add `description: What it does and when to use it`".to_owned());
            diagnostic.refuses = prose.is_none();
            return prose.map(|prose| (prose, DescriptionSource::Body));
        };
        if matches!(value, Value::Number(_) | Value::Bool(_)) {
            let fix = self.replacement(entry, &quote_always(text));
            let diagnostic = self.report(
                Rule::DescriptionNotString,
                at.clone(),
                "YAML reads the description as a number or a boolean",
            );
            diagnostic.hint = Some("quote it".to_owned());
            diagnostic.fix = Some(vec![fix]);
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

    pub(crate) fn other_fields(&mut self, found: &Frontmatter) {
        if let Some(entry) = self.entry(found, "compatibility") {
            self.compatibility(entry);
        }
        if let Some(entry) = self.entry(found, "license")
            && matches!(entry.value.kind, Kind::List { .. } | Kind::Map { .. })
        {
            self.report(Rule::License, entry.value.span.clone(), "license is not text").hint =
                Some("write its name, or the name of a file, such as `license: MIT`".to_owned());
        }
        if let Some(entry) = self.entry(found, "metadata") {
            self.metadata(entry);
        }
        if let Some(entry) = self.entry(found, "allowed-tools") {
            self.allowed_tools(entry, found.flow.is_some());
        }
    }

    fn compatibility(&mut self, entry: &Entry) {
        let value = entry.value.to_value();
        let count = value.text().map(|text| text.trim().chars().count());
        let problem = match count {
            Some(0) => "compatibility is empty".to_owned(),
            None if value == Value::Null => "compatibility is empty".to_owned(),
            None => "compatibility is not text".to_owned(),
            Some(count) if count > MAX_COMPATIBILITY_CHARS => format!(
                "compatibility has {count} characters, {MAX_COMPATIBILITY_CHARS} are allowed"
            ),
            Some(_) => return,
        };
        let at = self.place(Some(entry));
        self.report(Rule::Compatibility, at, problem).hint =
            Some("say in one sentence what the skill needs, or leave the key out".to_owned());
    }

    fn allowed_tools(&mut self, entry: &Entry, in_flow: bool) {
        let value = entry.value.to_value();
        let is_one_text = match &value {
            Value::List(_) | Value::Map(_) => false,
            other => !other.text().is_some_and(has_commas),
        };
        if is_one_text {
            return;
        }
        let tools = tools_of(&value);
        let joined = tools.join(" ");
        let complete = match &value {
            Value::List(items) => items.len() == tools.len() && split_tools(&joined) == tools,
            Value::Map(_) => false,
            _ => true,
        };
        let mendable =
            complete && !in_flow && !holds_comment(self.text, &entry.key_span, &entry.value);
        let written = quote(&joined);
        let fix = mendable.then(|| self.replacement(entry, &written));
        let diagnostic = self.report(
            Rule::AllowedToolsForm,
            entry.value.span.clone(),
            "allowed-tools is not one text separated by spaces",
        );
        diagnostic.hint = Some(if matches!(value, Value::Map(_)) {
            "write the tools in one line, such as `allowed-tools: Read Bash(git:*)`".to_owned()
        } else {
            format!("write `allowed-tools: {}`", shown(&written))
        });
        diagnostic.fix = fix.map(|fix: Edit| vec![fix]);
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
        for (key, value) in entries {
            let Some(name) = key.key_text() else { continue };
            if name.starts_with("io.modelcontextprotocol/") {
                let message = format!("`{}` is reserved", shown(name));
                self.report(Rule::MetadataReserved, key.span.clone(), message);
            }
            if matches!(value.kind, Kind::List { .. } | Kind::Map { .. }) {
                let (name, hint) = (shown(name), flattened(name, &value.to_value()));
                self.report(
                    Rule::MetadataValue,
                    value.span.clone(),
                    format!("`metadata.{name}` is a list or a map, only text is allowed"),
                )
                .hint = Some(hint);
            }
        }
    }
}

/// How a list or a map under `metadata` is written as text.
fn flattened(name: &str, value: &Value) -> String {
    match value {
        Value::List(items) if items.iter().all(|item| item.text().is_some()) => {
            let words: Vec<&str> = items.iter().filter_map(Value::text).collect();
            shown(&format!("write it as one text: `{name}: {}`", quote_always(&words.join(", "))))
        }
        Value::Map(_) => shown(&format!("write its keys beside it, as `{name}.key: value`")),
        _ => "write it as one text".to_owned(),
    }
}
