//! What `echo` and `printf` print: their words, and what escapes in them stand for. A text that is put
//! together from numbers counts as decoded.

use std::ops::Range;

use super::call::{Call, octal_escapes};
use crate::scan::shell_flow::{Taint, Value, Walk};

impl Walk<'_, '_, '_> {
    /// `echo`, `printf`: the words are what comes out.
    pub(super) fn echo(
        &mut self,
        call: &Call,
        at: &Range<usize>,
        output: &mut Taint,
        text: &mut String,
    ) {
        let name = call.name.as_str();
        let taint = call.taint();
        output.add(&taint);
        *text = call
            .arguments
            .iter()
            .map(|a| a.text.as_str())
            .filter(|a| !matches!(*a, "-n" | "-e" | "-ne" | "-en"))
            .collect::<Vec<_>>()
            .join(" ");
        let escapes =
            text.matches("\\x").count() + text.matches("\\0").count() + octal_escapes(text);
        // printf "\\$(printf '%03o' "$c")"
        let written = self.source.get(at.clone()).unwrap_or_default();
        let built = name == "printf" && (written.contains("\\$(") || written.contains("\\x$"));
        if escapes >= 4 || built {
            output.add(&Taint::decoded("character escapes"));
        }
        if name == "printf" {
            *text = text.replace("\\n", "\n");
        }
        // printf -v name '%s' "$(…)"
        if let [flag, variable, ..] = call.arguments.as_slice()
            && name == "printf"
            && flag.text == "-v"
        {
            let value = Value { text: String::new(), taint: taint.clone() };
            self.memory.variables.insert(variable.text.clone(), value);
        }
    }
}
