//! Words of a command: their text as far as it is known, and what they carry.

use std::ops::Range;

use super::{Heard, Taint, Value, Walk};
use crate::scan::destination::{Class, classify, host, is_akin};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::is_key_name;
use crate::scan::rules;
use crate::scan::text::floor;
use crate::shell::{Command, Parameter, Part, PartKind, Script, Word};

use super::commands::octal_escapes;

/// What stands for the names of all variables, where a command prints them.
pub(super) const ALL_NAMES: &str = "<every-variable>";
/// Words of a list that are told apart.
const MAX_WORDS: usize = 64;
/// Longest text of a value that is kept.
pub(super) const MAX_TEXT: usize = 64 * 1024;

impl Walk<'_, '_, '_> {
    /// A word's value.
    pub(super) fn word(&mut self, word: &Word) -> Value {
        let mut value = Value::default();
        self.parts(&word.parts, &mut value);
        value
    }

    fn parts(&mut self, parts: &[Part], value: &mut Value) {
        for part in parts {
            self.part(part, value);
        }
    }

    /// Adds a part to a word's value; of what comes after a long text only what it carries.
    fn part(&mut self, part: &Part, value: &mut Value) {
        let length = value.text.len();
        match &part.kind {
            PartKind::Literal(text) | PartKind::SingleQuoted(text) => value.text.push_str(text),
            PartKind::AnsiC(text) => {
                value.text.push_str(text);
                let source = self.source.get(part.span.clone()).unwrap_or_default();
                let escapes = source.matches("\\x").count()
                    + source.matches("\\u").count()
                    + octal_escapes(source);
                if escapes >= 4 {
                    value.taint.add(&Taint::decoded("character escapes"));
                }
            }
            PartKind::DoubleQuoted(inner) | PartKind::ExtendedGlob(inner) => {
                self.parts(inner, value);
            }
            PartKind::Parameter(parameter) => self.parameter(parameter, value),
            PartKind::CommandSubstitution(script) => {
                let before = value.text.len();
                let (output, said) = self.substituted(script);
                value.taint.add(&output);
                value.text.push_str(&said.unwrap_or_default());
                // $(getent passwd "$USER" | cut -d: -f6)
                let written = self.source.get(part.span.clone()).unwrap_or_default();
                let home = ["$(getent passwd", "$(echo ~", "$(eval echo ~", "`echo ~"];
                if home.iter().any(|way| written.starts_with(way)) {
                    value.text.truncate(before);
                    value.text.push('~');
                }
                if value.text.len() == before {
                    value.text.push_str("$()");
                }
            }
            PartKind::ProcessSubstitution { script, .. } => {
                let output = self.script(script, &Taint::default());
                value.taint.add(&output);
                value.text.push_str("<()");
            }
            PartKind::Arithmetic(_) => value.text.push('0'),
            PartKind::Glob(c) => value.text.push(*c),
            PartKind::Brace(words) => {
                for (count, word) in words.iter().enumerate() {
                    if count > 0 {
                        value.text.push(' ');
                    }
                    let inner = self.word(word);
                    value.taint.add(&inner.taint);
                    value.text.push_str(&inner.text);
                }
            }
            PartKind::Tilde(user) => {
                value.text.push('~');
                value.text.push_str(user.trim_start_matches('~'));
            }
            PartKind::Array(words) => {
                for word in words {
                    let inner = self.word(word);
                    value.taint.add(&inner.taint);
                    value.taint.add(&Taint::of_file(&inner.text));
                    value.text.push_str(&inner.text);
                    value.text.push(' ');
                }
            }
        }
        if length > MAX_TEXT {
            value.text.truncate(floor(&value.text, length));
        }
    }

    fn parameter(&mut self, parameter: &Parameter, value: &mut Value) {
        let name = parameter.name.as_str();
        // ${!name}: the variable whose name that is.
        let behind = parameter.indirect.then(|| self.memory.variables.expanded(name));
        if let Some(behind) = behind.flatten().map(|value| value.text) {
            self.indirect(&behind, value);
            return;
        }
        if let Some(known) = self.memory.variables.expanded(name) {
            value.taint.add(&known.taint);
            // ${letters[4]}
            let element = parameter.index.as_ref().and_then(|index| {
                let place: usize = index.static_prefix().trim().parse().ok()?;
                known.text.split_whitespace().nth(place)
            });
            if let Some(element) = element {
                value.text.push_str(element);
            } else if parameter.operator.is_empty() {
                value.text.push_str(&known.text);
            } else {
                let argument = parameter.argument.as_ref();
                let argument = argument.map(|word| word.unquoted(self.source));
                let argument = argument.unwrap_or_default();
                let text = operated(&known.text, &parameter.operator, &argument);
                value.text.push_str(&text);
            }
        } else if !parameter.length {
            if is_key_name(name) && name.len() > 3 {
                value.taint.add(&Taint::key(name));
            }
            if matches!(name, "@" | "*" | "1" | "2" | "3") {
                value.taint.input = true;
            }
            if name == "HOME" {
                value.text.push('~');
            } else if name == "HISTFILE" {
                value.text.push_str("~/.bash_history");
            } else if name == "SHELL" && parameter.operator.starts_with('#') {
                value.text.push_str("bash");
            } else {
                value.text.push('$');
                value.text.push_str(name);
            }
        }
        if let Some(argument) = &parameter.argument
            && parameter.operator.starts_with([':', '-', '='])
        {
            let argument = self.word(argument);
            value.taint.add(&argument.taint);
            // `${URL:-https://…}`: the default is what a plain run uses.
            if value.text.ends_with(&format!("${name}")) && !argument.text.is_empty() {
                value.text.truncate(value.text.len() - name.len() - 1);
                value.text.push_str(&argument.text);
            }
            // ${NAME:=value} keeps it.
            if parameter.operator.ends_with('=') && !self.memory.variables.contains_key(name) {
                self.memory.variables.insert(name.to_owned(), argument);
            }
        }
    }

    /// The words that `"$@"` of a called function or `"${LIST[@]}"` stands for, where they are known.
    pub(super) fn several(&self, word: &Word) -> Option<Vec<Value>> {
        let written = self.source.get(word.span.clone())?.trim_matches('"');
        let values: Vec<Value> = if matches!(written, "$@" | "${@}") {
            (1..=9).map_while(|i| self.memory.variables.get(&i.to_string()).cloned()).collect()
        } else {
            let name = written.strip_prefix("${")?.strip_suffix("[@]}")?;
            let list = self.memory.variables.get(name)?;
            let value = |text: &str| Value { text: text.to_owned(), taint: list.taint.clone() };
            list.text.split_whitespace().take(MAX_WORDS).map(value).collect()
        };
        (!values.is_empty()).then_some(values)
    }

    /// Walks a substitution; gives what it writes, and that text where it is one `echo` or `printf`,
    /// put together.
    fn substituted(&mut self, script: &Script) -> (Taint, Option<String>) {
        let only = match script.items.as_slice() {
            [item] => match item.pipeline.commands.as_slice() {
                [Command::Simple(simple)] => Some(simple),
                _ => None,
            },
            _ => None,
        };
        let name = only.and_then(crate::shell::SimpleCommand::name);
        let wanted = only.filter(|_| matches!(name.as_deref(), Some("git" | "echo" | "printf")));
        let heard = wanted.map(|simple| Heard { span: simple.span.clone(), words: None });
        let around = std::mem::replace(&mut self.heard, heard);
        let (output, text) = self.printed_by(script);
        let heard = std::mem::replace(&mut self.heard, around);
        let words = heard.and_then(|heard| heard.words);
        let said = words.and_then(|words| said(name.as_deref().unwrap_or_default(), words));
        (output, said.or(Some(text).filter(|text| !text.is_empty())))
    }

    /// The variable that another one names; any of them, when the names are those of all.
    fn indirect(&mut self, name: &str, value: &mut Value) {
        if name.contains(ALL_NAMES) {
            value.taint.add(&Taint::environment());
        } else if let Some(known) = self.memory.variables.expanded(name) {
            value.taint.add(&known.taint);
            value.text.push_str(&known.text);
        } else {
            if is_key_name(name) && name.len() > 3 {
                value.taint.add(&Taint::key(name));
            }
            value.text.push('$');
            value.text.push_str(name);
        }
    }

    /// Assignments that change where an agent or its tools go, or what is loaded into programs.
    pub(super) fn check_assignment(&mut self, name: &str, value: &Value, at: &Range<usize>) {
        let upper = name.to_ascii_uppercase();
        let foreign = || {
            let class = classify(&value.text);
            let to = host(&value.text).unwrap_or_default();
            value.text.contains("://")
                && matches!(
                    class,
                    Class::Foreign | Class::Address | Class::Inbox | Class::Shortener
                )
                && !is_akin(&to, name)
        };
        if (upper.ends_with("_BASE_URL")
            || upper.ends_with("_API_BASE")
            || upper.ends_with("_API_URL")
            || upper.ends_with("_ENDPOINT"))
            && ["ANTHROPIC", "OPENAI", "CLAUDE", "GEMINI", "CODEX", "GOOGLE", "LLM", "MODEL"]
                .iter()
                .any(|vendor| upper.contains(vendor))
            && foreign()
        {
            let flow = Flow::new("every prompt and answer", "model base URL")
                .to(host(&value.text).unwrap_or_default());
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Critical,
                    format!("`{name}` sends the agent's conversations to another host"),
                )
                .with(flow),
            );
        } else if matches!(upper.as_str(), "HTTP_PROXY" | "HTTPS_PROXY" | "ALL_PROXY") && foreign()
        {
            let flow = Flow::new("all traffic", "proxy").to(host(&value.text).unwrap_or_default());
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Critical,
                    format!("`{name}` sends all traffic through another host"),
                )
                .with(flow),
            );
        } else if matches!(
            upper.as_str(),
            "NPM_CONFIG_REGISTRY"
                | "PIP_INDEX_URL"
                | "PIP_EXTRA_INDEX_URL"
                | "UV_INDEX_URL"
                | "GOPROXY"
        ) && foreign()
        {
            self.report(
                at,
                Match::new(
                    &rules::PACKAGE_SOURCE,
                    Severity::Critical,
                    format!("`{name}` takes packages from another host"),
                ),
            );
        } else if matches!(upper.as_str(), "LD_PRELOAD" | "DYLD_INSERT_LIBRARIES")
            && !value.text.is_empty()
            && !["jemalloc", "asan", "tcmalloc"].iter().any(|library| {
                // Of a path that a program prints only the source tells.
                value.text.contains(library)
                    || self.passage.context == Context::Fence
                        && self.source.get(at.clone()).is_some_and(|said| said.contains(library))
            })
        {
            self.report(
                at,
                Match::new(
                    &rules::PROTECTION_OFF,
                    Severity::Warn,
                    format!("`{name}` loads a library into every program"),
                ),
            );
        } else if upper == "NODE_TLS_REJECT_UNAUTHORIZED" && value.text == "0" {
            self.report(
                at,
                Match::new(&rules::PROTECTION_OFF, Severity::Info, "certificates are not checked"),
            );
        } else if upper == "HISTFILE" && (value.text == "/dev/null" || value.text.is_empty())
            || upper == "HISTSIZE" && value.text == "0"
        {
            self.report(
                at,
                Match::new(
                    &rules::TRACE_WIPING,
                    Severity::Warn,
                    "the shell's history is switched off",
                ),
            );
        }
    }
}

/// What `echo`, `printf` or `git rev-parse` says with these words, the name before them.
fn said(name: &str, words: Vec<String>) -> Option<String> {
    // $(git rev-parse --git-dir)/hooks
    if name == "git" {
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        return match words.as_slice() {
            ["rev-parse", "--git-dir" | "--git-common-dir" | "--absolute-git-dir"] => {
                Some(".git".to_owned())
            }
            ["rev-parse", "--show-toplevel"] => Some(".".to_owned()),
            ["rev-parse", "--git-path", path] => Some(format!(".git/{path}")),
            _ => None,
        };
    }
    let is_said =
        |word: &String| !matches!(word.as_str(), "-n" | "-e" | "-ne" | "-en" | "%s" | "%b");
    Some(words.into_iter().skip(1).filter(is_said).collect::<Vec<_>>().join(" "))
}

/// The text of `${name%x}`, `${name:1:3}`, `${name//a/b}`, as far as it matters: what is left of it.
fn operated(text: &str, operator: &str, argument: &str) -> String {
    match operator {
        ":" => {
            let mut numbers = argument.split(':').map(|n| n.trim().parse::<usize>().unwrap_or(0));
            let start = numbers.next().unwrap_or(0);
            let length = numbers.next().unwrap_or(usize::MAX);
            text.chars().skip(start).take(length).collect()
        }
        "/" | "//" => match argument.split_once('/') {
            Some((from, to)) if !from.is_empty() => text.replace(from, to),
            _ if !argument.is_empty() => text.replace(argument, ""),
            _ => text.to_owned(),
        },
        // ${path%/*}, ${path%%.*}, ${file%.pub}
        "%" | "%%" => {
            let cut = match argument.strip_suffix('*') {
                Some("") => None,
                Some(from) if operator == "%" => text.rfind(from),
                Some(from) => text.find(from),
                None => text.strip_suffix(argument).map(str::len),
            };
            text[..cut.unwrap_or(text.len())].to_owned()
        }
        // ${path##*/}, ${address#https://}
        "#" | "##" => {
            let cut = match argument.strip_prefix('*') {
                Some("") => None,
                Some(to) if operator == "##" => text.rfind(to).map(|at| at + to.len()),
                Some(to) => text.find(to).map(|at| at + to.len()),
                None => text.starts_with(argument).then_some(argument.len()),
            };
            text[cut.unwrap_or(0)..].to_owned()
        }
        _ => text.to_owned(),
    }
}
