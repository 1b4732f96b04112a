//! Compound commands: groups, conditions, loops, functions. Every branch is walked, each once, and a
//! variable of a loop stands for the one of its texts that matters most.

use std::sync::Arc;

use super::{Value, Walk};
use crate::scan::flow::Taint;
use crate::scan::places::normalise;
use crate::shell::CompoundKind;

/// Lines of an input that a loop is taken to go over.
pub(super) const MAX_LINES: usize = 64;

/// Texts that a variable takes one after the other, of which the one that matters is looked for.
pub(super) const MAX_TOLD: usize = 64;

impl Walk<'_, '_, '_> {
    pub(super) fn compound(&mut self, kind: &CompoundKind, input: &Taint) -> Taint {
        match kind {
            CompoundKind::Subshell(script) | CompoundKind::Group(script) => {
                self.script(script, input)
            }
            CompoundKind::If { branches, otherwise } => {
                let mut output = Taint::default();
                self.branching += 1;
                for (condition, body) in branches {
                    self.script(condition, input);
                    output.add(&self.script(body, input));
                }
                if let Some(otherwise) = otherwise {
                    output.add(&self.script(otherwise, input));
                }
                self.branching -= 1;
                output
            }
            CompoundKind::For { variable, words, body }
            | CompoundKind::Select { variable, words, body } => {
                let mut value = Value::default();
                let mut texts = Vec::new();
                // `for x; do` goes over the arguments.
                if words.is_none()
                    && let Some(all) = self.memory.variables.get("@")
                {
                    value.taint.add(&all.taint);
                    texts.extend(all.text.split_whitespace().map(str::to_owned));
                }
                for word in words.as_deref().unwrap_or_default() {
                    let several = self.several(word);
                    let next = several.unwrap_or_else(|| vec![self.word(word)]);
                    for next in next {
                        value.taint.add(&next.taint);
                        value.taint.add(&Taint::of_file(&next.text));
                        // $(ls folder)
                        if word.is_quoted() {
                            texts.push(next.text);
                        } else {
                            texts.extend(next.text.split(['\n', ' ']).map(str::to_owned));
                        }
                    }
                }
                value.text = telling(texts);
                let name = variable.static_prefix();
                self.memory.variables.insert(name, value);
                self.looping += 1;
                let output = self.script(body, input);
                self.looping -= 1;
                output
            }
            CompoundKind::ArithmeticFor { body, .. } => self.script(body, input),
            CompoundKind::While { condition, body, .. } => {
                // `while read -r line; do … done` reads the input into its variables.
                for command in condition.commands() {
                    if command.name().as_deref() == Some("read") {
                        for word in command.words.iter().skip(1) {
                            if let Some(name) = word.literal().filter(|name| !name.starts_with('-'))
                            {
                                let text = telling(
                                    self.piped.lines().take(MAX_LINES).map(str::to_owned).collect(),
                                );
                                let value = Value { text, taint: input.clone() };
                                self.memory.variables.insert(name.into_owned(), value);
                            }
                        }
                    }
                }
                let condition = self.script(condition, input);
                let mut input = input.clone();
                input.add(&condition);
                self.looping += 1;
                let output = self.script(body, &input);
                self.looping -= 1;
                output
            }
            CompoundKind::Case { subject, arms } => {
                self.word(subject);
                let mut output = Taint::default();
                self.branching += 1;
                for arm in arms {
                    output.add(&self.script(&arm.body, input));
                }
                self.branching -= 1;
                output
            }
            CompoundKind::Test(words) => {
                for word in words {
                    self.word(word);
                }
                Taint::default()
            }
            CompoundKind::Arithmetic(_) => Taint::default(),
            CompoundKind::Function { name, body } => {
                let name = name.static_prefix();
                if let Some(body) = body {
                    self.command(body, &Taint::default(), "");
                    let text = self.text();
                    self.memory.functions.insert(name, (Arc::clone(body), text));
                }
                Taint::default()
            }
            CompoundKind::Coproc { body } => {
                let output = body.as_ref().map(|body| self.command(body, input, "").0);
                let output = output.unwrap_or_default();
                if output.remote.is_some() {
                    self.memory.descriptors.insert("$COPROC".to_owned(), output.clone());
                }
                output
            }
        }
    }
}

/// Of several texts that a variable takes one after the other, the one that matters most.
pub(super) fn telling(mut texts: Vec<String>) -> String {
    let matters = |text: &String| {
        !Taint::of_file(text).is_clean() || !Taint::of_file(&format!("~/{text}")).is_clean()
    };
    // Whole homes and disks, for what is deleted.
    let whole = |text: &String| {
        matches!(&*normalise(text), "/" | "/*" | "~" | "~/" | "~/*" | "/home" | "/users" | "/etc")
    };
    let at = texts.iter().take(MAX_TOLD).position(matters);
    let at = at.or_else(|| texts.iter().take(MAX_TOLD).position(whole));
    let at = at.or_else(|| texts.iter().position(|text| !text.is_empty()));
    at.map(|at| texts.swap_remove(at)).unwrap_or_default()
}
