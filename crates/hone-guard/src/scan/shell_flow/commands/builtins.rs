//! Commands of the shell itself that run a text in it or take one into variables. A text that came from
//! elsewhere is reported where it runs.

use std::ops::Range;

use super::call::Call;
use crate::scan::shell_flow::compound::{MAX_LINES, telling};
use crate::scan::shell_flow::{Taint, Value, Walk};

impl Walk<'_, '_, '_> {
    /// `source`, `eval`, `exec`: a text or a file runs in the shell itself.
    pub(super) fn run_here(
        &mut self,
        call: &Call,
        input: &Taint,
        at: &Range<usize>,
        output: &mut Taint,
    ) {
        let name = call.name.as_str();
        let mut taint = call.taint();
        // curl … | source, source /dev/stdin <<< "$(curl …)"
        let reads_input = match call.plain().next() {
            Some(file) => matches!(file.text.as_str(), "/dev/stdin" | "/proc/self/fd/0"),
            None => name == "source",
        };
        if reads_input && name != "eval" {
            taint.add(input);
        }
        if let Some(file) = call.plain().next().filter(|_| matches!(name, "source" | ".")) {
            let path = file.text.clone();
            self.sourced(&path, at.start);
        }
        for argument in call.plain() {
            if name != "eval" {
                taint.add(&self.held(&argument.text));
            }
        }
        let found = self.runs(&taint, &format!("`{name}`"));
        self.report_some(at, found);
        if name == "eval" {
            let script = call.text();
            output.add(&self.nested(&script, at.start, input));
        }
    }

    /// `read`, `mapfile`: the input goes into variables.
    pub(super) fn read_into(&mut self, call: &Call, input: &Taint, input_text: &str) {
        let names: Vec<String> = call.plain().map(|argument| argument.text.clone()).collect();
        let text = if input_text.is_empty() { &self.piped } else { input_text };
        let text = if text.contains('\n') {
            telling(text.lines().take(MAX_LINES).map(str::to_owned).collect())
        } else {
            text.to_owned()
        };
        let mut read = Value { text, taint: input.clone() };
        if call.has_letter('s') || self.source.contains("stty -echo") {
            read.taint.add(&Taint::secret("a password that is typed in"));
        }
        for name in names {
            self.memory.variables.insert(name, read.clone());
        }
    }
}
