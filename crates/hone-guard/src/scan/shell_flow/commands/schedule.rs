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
            } else if self.passage.context == Context::Script {
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
