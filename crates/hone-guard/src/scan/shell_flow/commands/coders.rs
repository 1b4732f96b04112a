//! Programs that encode, decode, pack and encrypt. What comes out carries what went in, and is decoded where
//! the options say so.

use std::ops::Range;

use super::call::{Call, decodes};
use crate::scan::finding::Context;
use crate::scan::shell_flow::{Taint, Walk};

impl Walk<'_, '_, '_> {
    /// Encodes, decodes, packs or encrypts what comes in or lies in a file.
    pub(super) fn code(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
        output: &mut Taint,
        text: &mut String,
    ) {
        let name = call.name.as_str();
        let taint = call.taint();
        output.add(input);
        output.add(&taint);
        for argument in call.plain() {
            output.add(&self.file(&argument.text));
        }
        // Named in a sentence without anything to decode, it is talked about.
        let named = self.passage.context == Context::InlineCode
            && input_text.is_empty()
            && input.is_clean()
            && call.plain().next().is_none();
        // `echo "aHR0cHM6…" | base64 -d | sh`: what is cut short is shown, and cannot be run.
        let cut = self.passage.context != Context::Script
            && input.is_clean()
            && (input_text.contains("...") || input_text.contains('…'));
        if let Some(how) = decodes(call).filter(|_| !named && !cut) {
            output.add(&Taint::decoded(how));
        }
        if name == "gpg" && call.text().contains("export-secret") {
            output.add(&Taint::secret("GPG keys"));
        }
        for option in [&["-out"][..], &["-o"], &["-output"], &["--output"]] {
            if let Some(path) = call.value_of(option) {
                let path = path.text.clone();
                self.write(&path, "", &output.clone(), at);
            }
        }
        self.packed(call, at);
        if text.is_empty() && matches!(name, "tr" | "base64" | "xxd") && decodes(call).is_none() {
            input_text.clone_into(text);
        }
        if name == "rev" {
            *text = input_text.chars().rev().collect();
        }
    }
}
