//! What runs by the clock or with the system: `crontab`, `at`, services and tasks. What is fetched, decoded or
//! harmful in it makes it worse.

use std::ops::Range;

use super::call::Call;
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::is_active;
use crate::scan::rules;
use crate::scan::shell_flow::{Taint, Walk};

impl Walk<'_, '_, '_> {
    /// `crontab`: what the person's clock runs from now on.
    pub(super) fn crontab(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
    ) {
        if !call.has(&["-l", "-r", "-e"]) {
            let file = call.plain().last().map(|file| self.held(&file.text));
            let file = file.unwrap_or_default();
            let active = is_active(input_text)
                || self.does_harm(input_text)
                || input.remote.is_some()
                || input.decoded.is_some()
                || file.remote.is_some()
                || file.decoded.is_some();
            let severity = if active {
                Severity::Critical
            } else if self.passage.context == Context::Script && !self.is_chosen(call, input_text) {
                Severity::Warn
            } else {
                Severity::Info
            };
            let flow = Flow::new("a command", "crontab").when("by the clock");
            self.report(
                at,
                Match::new(&rules::PERSISTENCE_WRITE, severity, "the person's crontab is replaced")
                    .with(flow),
            );
        }
    }

    /// Whether a skill that says it manages what runs by the clock passes on a line it is given: all that is
    /// written are variables, and no time or command stands in the script.
    fn is_chosen(&self, call: &Call, input_text: &str) -> bool {
        let declared = self.skill.subject.description.to_lowercase();
        ["crontab", "cron job", "cronjob", "cron "].iter().any(|word| declared.contains(word))
            && call.plain().all(|file| file.text == "-")
            && is_variables(&self.passage.text, input_text)
            && !has_schedule(&self.passage.text)
            && is_small(&self.passage.text)
    }

    /// Services, tasks and settings of the system that start something.
    pub(super) fn schedule(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
    ) {
        let name = call.name.as_str();
        if matches!(name, "at" | "batch") {
            let file = call.value_of(&["-f"]).map(|file| self.held(&file.text));
            let mut taint = file.unwrap_or_default();
            taint.add(input);
            let found = self.runs(&taint, &format!("`{name}`"));
            self.report_some(at, found);
        }
        self.enable(call, input_text, at);
        if name == "defaults" {
            self.protections(call, at);
        }
    }
}

/// Whether what a script writes is nothing but what its variables hold. Of `${1:?message}` the message is
/// known and never written.
fn is_variables(script: &str, written: &str) -> bool {
    /// Substitutions that give nothing to run.
    const HARMLESS: [&str; 5] = ["crontab -l", "date", "dirname", "mktemp", "cd "];
    let messages = script.split(":?").skip(1).filter_map(|rest| rest.split_once('}'));
    let written = messages.fold(written.to_owned(), |written, (message, _)| {
        let message = message.replace(['"', '\''], "");
        if message.is_empty() { written } else { written.replace(&message, "") }
    });
    let substituted = || {
        let mut all = script.split("$(").skip(1);
        all.all(|command| HARMLESS.iter().any(|known| command.starts_with(known)))
    };
    written.split_whitespace().all(|word| match word.strip_prefix('$') {
        Some("()") => substituted(),
        Some(name) => !name.contains(['/', '(', '`']),
        None => word.trim_end_matches("\\n") == "%s",
    })
}

/// Whether a script does nothing but print, filter and ask: whatever else it starts may add to the lines.
fn is_small(script: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 26] = [
        "set", "crontab", "grep", "printf", "echo", "if", "then", "else", "elif", "fi", "exit", "read", "[", "[[", "test", "true", "false", "date", "mktemp", "dirname", "cd", "!",
        "shift", "local", "return", "case",
    ];
    // `<<< "$line"` passes a variable on; a file or a text of its own does not.
    if script.replace("<<<", "").contains('<') {
        return false;
    }
    let lines = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(|line| line.split([';', '|', '&', '(', ')'])).all(|part| {
        let mut words = part
            .split_whitespace()
            .skip_while(|word| matches!(*word, "{" | "}" | "then" | "else" | "if" | "!"));
        words.next().is_none_or(|word| {
            WORDS.contains(&word) || word.contains('=') || word.bytes().all(|b| b.is_ascii_digit())
        })
    })
}

/// Fields of a line of a crontab that say when.
const FIELDS: usize = 5;

/// Whether a time stands in a script, with something to run at it: `*/5 * * * * x`, `@reboot x`.
fn has_schedule(script: &str) -> bool {
    const NAMED: [&str; 8] = [
        "@reboot",
        "@yearly",
        "@annually",
        "@monthly",
        "@weekly",
        "@daily",
        "@midnight",
        "@hourly",
    ];
    let is_field = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'*' | b'/' | b',' | b'-'))
    };
    script.lines().any(|line| {
        let mut fields = 0;
        line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).any(|word| {
            let is_time = fields >= FIELDS && !word.is_empty() || NAMED.contains(&word);
            fields = if is_field(word) { fields + 1 } else { 0 };
            is_time
        })
    })
}
