//! Variables of the environment: commands that show all of them, set one or export it. The names of all
//! variables count as much as their values.

use std::ops::Range;

use super::call::Call;
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::rules;
use crate::scan::shell_flow::words::ALL_NAMES;
use crate::scan::shell_flow::{Taint, Value, Walk};

impl Walk<'_, '_, '_> {
    /// Shows, sets and exports variables.
    pub(super) fn environment(
        &mut self,
        call: &Call,
        at: &Range<usize>,
        output: &mut Taint,
        text: &mut String,
    ) {
        let name = call.name.as_str();
        // fish: set -Ux NAME value
        if name == "set"
            && call
                .arguments
                .first()
                .is_some_and(|a| a.text.starts_with('-') && a.text.contains('x'))
            && let [variable, value, ..] = call.plain().cloned().collect::<Vec<_>>().as_slice()
        {
            self.check_assignment(&variable.text, value, at);
            self.memory.variables.insert(variable.text.clone(), value.clone());
        }
        if name == "set" && call.text().contains("+o history") {
            let message = "the shell's history is switched off";
            self.report(at, Match::new(&rules::TRACE_WIPING, Severity::Warn, message));
        }
        if name == "set" && call.has(&["--"]) {
            let mut all = Value::default();
            let from = call.arguments.iter().position(|a| a.text == "--").unwrap_or(0) + 1;
            for (number, argument) in call.arguments[from..].iter().enumerate() {
                all.taint.add(&argument.taint);
                all.taint.add(&Taint::of_file(&argument.text));
                all.text.push_str(&argument.text);
                all.text.push(' ');
                if number < 9 {
                    let name = (number + 1).to_string();
                    self.memory.variables.insert(name, argument.clone());
                }
            }
            self.memory.variables.insert("@".to_owned(), all);
        }
        // The names of all variables: whoever looks each of them up has the environment.
        if name == "compgen" && (call.has_letter('e') || call.has_letter('v') || call.has(&["-A"]))
            || name == "set" && call.arguments.first().is_some_and(|a| a.text.starts_with("-n"))
        {
            ALL_NAMES.clone_into(text);
        }
        let plain: Vec<&Value> = call.plain().collect();
        let bare = plain.is_empty()
            && !call.has(&["-e", "-u", "-x", "-o", "-eu", "-euo", "-ex", "+e"])
            && (name != "set" || call.arguments.is_empty());
        if matches!(name, "declare" | "typeset")
            && call.has(&["-f", "-pf"])
            && call.plain().any(|a| self.memory.functions.contains_key(&a.text))
        {
            self.source.clone_into(text);
        }
        if !matches!(name, "compgen" | "local") && (bare || call.has(&["-p"]) && name == "export")
            || matches!(name, "declare" | "typeset")
                && call.has(&["-x", "-px", "-xp", "-p"])
                && plain.is_empty()
        {
            output.add(&Taint::environment());
        } else if name == "printenv" {
            for argument in plain {
                output.add(&Taint::key(&argument.text));
            }
        } else if matches!(name, "export" | "declare" | "typeset" | "local" | "readonly") {
            for argument in &call.arguments {
                if let Some((variable, value)) = argument.text.split_once('=') {
                    let value = Value { text: value.to_owned(), taint: argument.taint.clone() };
                    self.check_assignment(variable, &value, at);
                    // It runs before each prompt.
                    if variable == "PROMPT_COMMAND" {
                        self.nested(&value.text, at.start, &Taint::default());
                    }
                    self.memory.variables.insert(variable.to_owned(), value);
                }
            }
        }
    }
}
