//! One command with its arguments: what it is called, which entry permits it, and what else it would
//! do because of its arguments.

use std::rc::Rc;

use hone_skill::CommandPattern;

use super::argument::Argument;
use super::check::{Checker, Place, is_relative};
use super::program::{self, Deed};
use super::{MAX_WRAPPED, interpreter};
use crate::shell::{self, Span};

/// Folders of the system's own programs: `/usr/bin/git` is `git`, `./git` is not.
const SYSTEM_FOLDERS: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

/// Commands that a shell finds before a function of the same name.
const SPECIAL_BUILTINS: [&str; 18] = [
    ".", ":", "break", "builtin", "command", "continue", "eval", "exec", "exit", "export",
    "readonly", "return", "set", "shift", "source", "times", "trap", "unset",
];

/// Commands of the shell that change the current folder.
const MOVING: [&str; 4] = ["cd", "chdir", "pushd", "popd"];

/// The name of a program that is found by its name, or in a folder of the system.
fn system_name(name: &str) -> Option<&str> {
    if !name.contains('/') {
        return Some(name);
    }
    let rest = SYSTEM_FOLDERS.iter().find_map(|folder| name.strip_prefix(folder))?;
    (!rest.contains('/') && !rest.is_empty()).then_some(rest)
}

/// The last part of a program's path.
fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// From the command to the last argument that is known.
fn known_span(arguments: &[Argument]) -> Span {
    let known = arguments.iter().take_while(|argument| argument.value.is_some());
    let start = arguments.first().map_or(0, |first| first.span.start);
    let end = known.last().or(arguments.first()).map_or(start, |last| last.span.end);
    start..end.max(start)
}

impl Checker<'_> {
    /// Checks one command.
    pub(super) fn run(&mut self, arguments: &[Argument]) {
        let Some(first) = arguments.first() else { return };
        if self.wrapped >= MAX_WRAPPED {
            self.refuse(&first.span, "too many commands inside one another");
            return;
        }
        let Some(name) = first.value.as_deref() else {
            self.refuse(&first.span, "which command this is, is only known when it runs");
            return;
        };
        if let Some(program) = system_name(name) {
            // By a path, neither a builtin nor a function is found.
            let is_builtin = program != name && SPECIAL_BUILTINS.contains(&program);
            if !is_builtin && self.wrapper(program, arguments) {
                return;
            }
        }
        if self.functions.contains(name) && !SPECIAL_BUILTINS.contains(&name) {
            self.call(&first.span);
            return;
        }
        self.declared(arguments);
    }

    /// Checks a command inside another one, which finds programs but no functions.
    pub(super) fn run_inside(&mut self, arguments: &[Argument]) {
        let functions = std::mem::take(&mut self.functions);
        self.wrapped += 1;
        self.run(arguments);
        self.wrapped -= 1;
        self.functions = functions;
    }

    /// Checks a text that is run as a script, by this shell or by one of another name.
    pub(super) fn text_for(&mut self, shell: &str, argument: &Argument, text: &str) {
        let is_other = !matches!(shell, "bash" | "rbash");
        let around = std::mem::replace(&mut self.is_other_shell, is_other);
        self.text(argument, text, false);
        self.is_other_shell = around;
    }

    /// Checks a text that is run as a script by the shell that runs what is around it.
    pub(super) fn text(&mut self, argument: &Argument, text: &str, keeps_functions: bool) {
        if self.wrapped >= MAX_WRAPPED {
            self.refuse(&argument.span, "too many commands inside one another");
            return;
        }
        let parsed = shell::parse(text);
        if let Some(error) = parsed.errors.first() {
            let reason = format!("cannot be read as shell: {}", error.message);
            self.refuse(&argument.span, reason);
            return;
        }
        let place = match (&self.place, argument.inside) {
            (Place::From(base), Some(inside)) => Place::From(base + inside),
            _ => Place::In(self.placed(&argument.span)),
        };
        let around = std::mem::replace(&mut self.place, place);
        let source = std::mem::replace(&mut self.source, Rc::from(text));
        let functions = self.functions.clone();
        if !keeps_functions {
            self.functions.clear();
        }
        self.wrapped += 1;
        self.items(&parsed.script, false);
        self.wrapped -= 1;
        self.functions = functions;
        self.source = source;
        self.place = around;
    }

    /// Checks a command against the entries, and what its arguments make it do.
    pub(super) fn declared(&mut self, arguments: &[Argument]) {
        let Some(name) = arguments.first().and_then(|first| first.value.as_deref()) else { return };
        let span = known_span(arguments);
        // An argument that splits may be any number of words: only an open end takes it.
        let fixed = arguments.iter().position(|a| a.splits).unwrap_or(arguments.len());
        let mut words: Vec<Option<&str>> =
            arguments[..fixed].iter().map(|argument| argument.value.as_deref()).collect();
        let permissions = self.permissions;
        let matching = |words: &[Option<&str>]| -> Vec<(&str, &CommandPattern)> {
            permissions
                .commands()
                .filter(|(_, pattern)| pattern.open || fixed == arguments.len())
                .filter(|(_, pattern)| pattern.matches(words))
                .map(|(entry, pattern)| (entry.text.as_str(), pattern))
                .collect()
        };
        let mut entries = matching(&words);
        if entries.is_empty()
            && let Some(alias) = system_name(name)
            && alias != name
        {
            words[0] = Some(alias);
            entries = matching(&words);
        }
        let Some((by, _)) = entries.first() else {
            let (command, hint) = described(arguments);
            self.refuse_with(&span, format!("`{command}` is not declared"), hint);
            return;
        };
        let by = (*by).to_owned();
        // An entry speaks for the words that it holds itself, not for the same option later on.
        let names = |deed: &Deed| {
            let at = arguments.iter().position(|argument| argument.span == deed.span);
            entries.iter().any(|(_, pattern)| {
                let is_exact = !pattern.open && !pattern.words.iter().any(|w| w.contains('*'));
                let is_written = match at.unwrap_or_default() {
                    0 => pattern.words.contains(&deed.option),
                    at => pattern.words.get(at).is_some_and(|word| !word.contains('*')),
                };
                is_exact || !deed.option.is_empty() && is_written
            })
        };
        let base = base_name(name);
        let is_elsewhere = |one: &Argument| matches!(one.text(), "-execdir" | "-okdir");
        self.moves |= MOVING.contains(&name) || arguments.iter().any(is_elsewhere);
        let by_path = |pattern: &CommandPattern| {
            pattern.words.iter().any(|word| word.contains('/') && is_relative(word))
        };
        if entries.iter().all(|(_, pattern)| by_path(pattern)) {
            self.relative(&span);
        }
        let is_undeclared = |deed: &Deed| !names(deed);
        let mut deeds = program::deeds(base, arguments);
        deeds.retain(is_undeclared);
        if program::is_launcher(base) {
            deeds.truncate(1);
        }
        deeds.extend(interpreter::deeds(base, arguments).into_iter().find(is_undeclared));
        self.grant(&span, Some(&by));
        for deed in deeds {
            self.deed(base, &deed);
        }
    }

    fn deed(&mut self, program: &str, deed: &Deed) {
        use program::Effect;
        match &deed.effect {
            Effect::Runs(what) => {
                let hint = (!deed.option.is_empty()
                    && !deed.option.contains(['(', ')', '\'', '"']))
                .then(|| format!("an entry with `{}` in this place would permit it", deed.option));
                self.refuse_with(&deed.span, format!("`{program}` {what}"), hint);
            }
            // To these programs `-` is standard output.
            Effect::Writes(file) if file.text() == "-" => {}
            Effect::Writes(file) => self.write(&deed.span, file),
            Effect::Command(arguments) => self.run_inside(arguments),
        }
    }
}

/// A command for a message, and the entry that would permit it.
fn described(arguments: &[Argument]) -> (String, Option<String>) {
    let is_plain = |argument: &&Argument| {
        let text = argument.text();
        !text.is_empty()
            && !text.starts_with('-')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:@".contains(c))
    };
    let words: Vec<&str> =
        arguments.iter().take(2).take_while(is_plain).map(Argument::text).collect();
    if words.is_empty() {
        let name = arguments.first().map(Argument::text).unwrap_or_default();
        return (name.chars().take(80).collect(), None);
    }
    let command = words.join(" ");
    let hint = format!("`Bash({command}:*)` would permit it");
    (command, Some(hint))
}
