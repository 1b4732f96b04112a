//! Simple commands: their redirections and assignments, around what the command itself does.
//! What a command reads is known before it runs, and what it writes is kept after.

use super::nested::COMMAND_COST;
use super::redirects::{address_of, is_device};
use super::{Value, Walk};
use crate::scan::finding::Context;
use crate::scan::flow::Taint;
use crate::shell::{RedirectOperator, SimpleCommand};

impl Walk<'_, '_, '_> {
    /// Gives a variable a value. In a branch it may still have the one that another branch gave it.
    fn assign(&mut self, name: String, mut value: Value) {
        if self.branching > 0
            && let Some(before) = self.memory.variables.get(&name)
        {
            value.taint.add(&before.taint);
            value.taint.add(&Taint::of_file(&before.text));
            if value.text.is_empty() {
                value.text.clone_from(&before.text);
            }
        }
        self.memory.variables.insert(name, value);
    }

    pub(super) fn simple(
        &mut self,
        simple: &SimpleCommand,
        input: &Taint,
        input_text: &str,
    ) -> (Taint, String) {
        #[cfg(test)]
        {
            self.memory.walked += 1;
        }
        if self.depth > 0 {
            self.memory.called += simple.span.len() + COMMAND_COST;
        }
        let mut input = input.clone();
        let mut input_text = input_text.to_owned();
        for redirect in &simple.redirects {
            match redirect.operator {
                RedirectOperator::Read | RedirectOperator::ReadWrite => {
                    let value = self.word(&redirect.target);
                    self.device(&value.text, &redirect.span);
                    let mut read = value.taint;
                    read.add(&self.file(&value.text));
                    if is_device(&value.text) {
                        read.add(&Taint::remote(address_of(&value.text)));
                    }
                    self.opens(redirect, &value.text, &read);
                    // 3< file is for later.
                    if redirect.descriptor.as_deref().is_none_or(|number| number == "0") {
                        input.add(&read);
                    }
                }
                RedirectOperator::DuplicateInput => {
                    let value = self.word(&redirect.target);
                    input.add(&self.descriptor(&value.text));
                }
                // 0>&3
                RedirectOperator::DuplicateOutput
                    if redirect.descriptor.as_deref() == Some("0") =>
                {
                    let value = self.word(&redirect.target);
                    input.add(&self.descriptor(&value.text));
                }
                RedirectOperator::HereString => {
                    let value = self.word(&redirect.target);
                    input.add(&value.taint);
                    input_text = value.text;
                }
                RedirectOperator::Heredoc => {
                    if let Some(heredoc) = redirect.heredoc() {
                        let mut value = self.word(&heredoc.body);
                        // The script stands here; a variable in it is data, and what was piped is not read.
                        if value.text.len() > 80 {
                            value.taint.remote = None;
                            value.taint.decoded = None;
                        }
                        input = value.taint;
                        input_text = value.text;
                        if let Some(language) = simple.name().and_then(|name| {
                            crate::scan::kind::of_interpreter(
                                name.rsplit('/').next().unwrap_or(&name),
                            )
                        }) {
                            self.embed(language, &input_text, heredoc.body.span.start);
                        }
                    }
                }
                _ => {}
            }
        }
        for assignment in &simple.assignments {
            let mut value = self.word(&assignment.value);
            // In a document, `NAME=value command` shows one command.
            let shown = !simple.words.is_empty() && self.passage.context == Context::Fence;
            if !(shown && assignment.name == "LD_PRELOAD") {
                self.check_assignment(&assignment.name, &value, &assignment.span);
            }
            // Taken out and put back: a copy at each addition would cost the square of their number.
            if assignment.append
                && let Some(mut before) = self.memory.variables.remove(&assignment.name)
            {
                value.taint.add(&before.taint);
                if self.branching > 0 {
                    value.taint.add(&Taint::of_file(&before.text));
                }
                before.text.push_str(&value.text);
                value.text = before.text;
            }
            // It runs before each prompt.
            if assignment.name == "PROMPT_COMMAND" {
                let found = self.runs(&value.taint, "every prompt");
                self.report_some(&assignment.span, found);
                self.nested(&value.text, assignment.span.start, &Taint::default());
            }
            self.assign(assignment.name.clone(), value);
        }
        let (output, text) = if simple.words.is_empty() {
            // $(< file)
            if simple.assignments.is_empty() {
                (input, input_text)
            } else {
                (Taint::default(), String::new())
            }
        } else {
            self.run(simple, &input, &input_text)
        };
        for redirect in &simple.redirects {
            self.redirect_output(redirect, &output, &text);
        }
        (output, text)
    }
}
