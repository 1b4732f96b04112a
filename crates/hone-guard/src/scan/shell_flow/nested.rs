//! Scripts inside scripts: functions that are called, scripts in strings, code of other languages.
//! Calls that multiply are bounded, and what is not followed because of a bound is said.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{At, Embedded, Value, Walk};
use crate::scan::flow::Taint;
use crate::scan::kind::Language;
use crate::shell;

/// Bytes of commands that are walked inside called functions, in all: functions that call each other
/// many times would multiply. A command costs its length and [`COMMAND_COST`].
pub(super) const MAX_CALLED: usize = 1024 * 1024;

/// What a command costs besides its length.
pub(super) const COMMAND_COST: usize = 16;

/// Scripts inside strings inside scripts that are followed, and calls of a function inside itself.
const MAX_NESTED: usize = 4;

/// Calls of functions inside one another that are followed.
pub(super) const MAX_CALLS: usize = 16;

/// Scripts inside one another past which no call is followed.
pub(super) const MAX_LEVEL: usize = 4 * shell::MAX_DEPTH;

impl Walk<'_, '_, '_> {
    pub(super) fn embed(&mut self, language: Language, text: &str, at: usize) {
        const MAX_EMBEDDED: usize = 200;
        if language != Language::Shell
            && self.embedded.len() < MAX_EMBEDDED
            && !text.trim().is_empty()
        {
            let at = self.place(at);
            self.embedded.push(Embedded { language, text: text.to_owned(), at });
        } else if language == Language::Shell {
            self.nested(text, at, &Taint::default());
        } else if !text.trim().is_empty() {
            self.unfinished(at, "it holds too many programs of other languages");
        }
    }

    /// Walks the body of a function with the arguments of a call; gives what it writes.
    pub(super) fn called(
        &mut self,
        name: &str,
        arguments: &[Value],
        input: &Taint,
        at: usize,
    ) -> Option<Taint> {
        let (body, source) = self.memory.functions.get(name).cloned()?;
        let again = self.memory.calls.iter().filter(|call| *call == name).count();
        if again >= MAX_NESTED {
            return None;
        }
        if self.memory.calls.len() >= MAX_CALLS
            || self.level >= MAX_LEVEL
            || self.memory.called >= MAX_CALLED
        {
            // The body was walked where it stands: only what it is given is not known there.
            let matters =
                |value: &Value| value.taint.matters() || Taint::of_file(&value.text).matters();
            if input.matters() || arguments.iter().any(matters) {
                self.unfinished(at, "too many functions call one another");
            }
            return None;
        }
        self.memory.calls.push(name.to_owned());
        let own = self.text.get().is_some_and(|text| Rc::ptr_eq(text, &source));
        let output = self.with_arguments(arguments, |walk| {
            if own {
                walk.depth += 1;
                let output = walk.command(&body, input, "").0;
                walk.depth -= 1;
                output
            } else {
                // Written in another block or file: the call itself is named.
                walk.elsewhere(&source, at, |inner| inner.command(&body, input, "").0)
            }
        });
        self.memory.calls.pop();
        Some(output)
    }

    /// Does something with the arguments of a call as `$1` and so on.
    pub(super) fn with_arguments<T>(
        &mut self,
        arguments: &[Value],
        act: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before: Vec<(String, Option<Value>)> = (1..=9)
            .map(|i| i.to_string())
            .chain(["@".to_owned(), "*".to_owned()])
            .map(|name| {
                let value = self.memory.variables.remove(&name);
                (name, value)
            })
            .collect();
        let mut all = Value::default();
        for (position, argument) in arguments.iter().enumerate().take(9) {
            self.memory.variables.insert((position + 1).to_string(), argument.clone());
            all.taint.add(&argument.taint);
            all.text.push_str(&argument.text);
            all.text.push(' ');
        }
        self.memory.variables.insert("@".to_owned(), all.clone());
        self.memory.variables.insert("*".to_owned(), all);
        let output = act(self);
        for (name, value) in before {
            match value {
                Some(value) => self.memory.variables.insert(name, value),
                None => {
                    self.memory.variables.remove(&name);
                }
            }
        }
        output
    }

    /// Walks something written in another text; what is found there is reported at one place here.
    pub(super) fn elsewhere<T>(
        &mut self,
        source: &Rc<str>,
        at: usize,
        act: impl FnOnce(&mut Walk<'_, '_, '_>) -> T,
    ) -> T {
        let place = self.place(at);
        let mut inner = Walk {
            passage: self.passage,
            skill: self.skill,
            memory: &mut *self.memory,
            findings: &mut *self.findings,
            source,
            offset: 0,
            place: At::Fixed(place),
            text: OnceCell::from(Rc::clone(source)),
            embedded: Vec::new(),
            depth: self.depth + 1,
            strings: self.strings,
            level: self.level,
            looping: self.looping,
            branching: self.branching,
            shell_on_pipe: OnceCell::new(),
            piped: String::new(),
            printed: String::new(),
            heard: None,
        };
        let output = act(&mut inner);
        let embedded = std::mem::take(&mut inner.embedded);
        self.embedded.extend(embedded);
        output
    }

    /// Walks a script that stands inside a string.
    pub(super) fn nested(&mut self, text: &str, at: usize, input: &Taint) -> Taint {
        if self.strings >= MAX_NESTED {
            if !text.trim().is_empty() {
                self.unfinished(at, "scripts stand too deep in the strings of scripts");
            }
            return Taint::default();
        }
        self.strings += 1;
        let output = self.elsewhere(&Rc::from(text), at, |inner| inner.all_of(text, input));
        self.strings -= 1;
        output
    }
}
