//! Redirections and descriptors: files, texts and network devices that a command reads from or writes to.
//! What goes through a number that was opened before is followed to where that leads.

use std::ops::Range;

use super::Walk;
use crate::scan::finding::{Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::Taint;
use crate::scan::rules;
use crate::shell::{self, Part, PartKind, RedirectOperator};

impl Walk<'_, '_, '_> {
    /// What a loop or a group reads: a file, a text, a descriptor, what a command prints.
    pub(super) fn redirect_compound(&mut self, redirect: &shell::Redirect, input: &mut Taint) {
        match redirect.operator {
            RedirectOperator::Read | RedirectOperator::ReadWrite => {
                if let [Part { kind: PartKind::ProcessSubstitution { script, .. }, .. }] =
                    redirect.target.parts.as_slice()
                {
                    let (taint, text) = self.printed_by(script);
                    input.add(&taint);
                    self.piped = text;
                } else {
                    let value = self.word(&redirect.target);
                    self.opens(redirect, &value.text, &value.taint);
                    input.add(&self.file(&value.text));
                    input.add(&value.taint);
                }
            }
            RedirectOperator::HereString => {
                let value = self.word(&redirect.target);
                input.add(&Taint::of_file(&value.text));
                input.add(&value.taint);
                self.piped = value.text;
            }
            RedirectOperator::Heredoc => {
                if let Some(heredoc) = redirect.heredoc() {
                    let value = self.word(&heredoc.body);
                    input.add(&value.taint);
                    self.piped = value.text;
                }
            }
            RedirectOperator::DuplicateInput => {
                let value = self.word(&redirect.target);
                input.add(&self.descriptor(&value.text));
            }
            _ => {}
        }
    }

    /// What is read through a descriptor.
    pub(super) fn descriptor(&self, name: &str) -> Taint {
        let mut taint = self.memory.descriptors.get(name).cloned().unwrap_or_default();
        if let Some(device) = self.memory.devices.get(name) {
            taint.add(&Taint::remote(address_of(device)));
        }
        taint
    }

    pub(super) fn redirect_output(
        &mut self,
        redirect: &shell::Redirect,
        output: &Taint,
        text: &str,
    ) {
        let writes = matches!(
            redirect.operator,
            RedirectOperator::Write
                | RedirectOperator::Append
                | RedirectOperator::Clobber
                | RedirectOperator::WriteBoth
                | RedirectOperator::AppendBoth
                | RedirectOperator::DuplicateOutput
        );
        if !writes {
            return;
        }
        let mut target = self.word(&redirect.target);
        // `… >&3`, where 3 was opened on a network device before.
        if redirect.operator == RedirectOperator::DuplicateOutput
            && let Some(device) = self.memory.devices.get(&target.text)
        {
            target.text.clone_from(device);
        }
        self.device(&target.text, &redirect.span);
        // … > >(command)
        if let [Part { kind: PartKind::ProcessSubstitution { script, .. }, .. }] =
            redirect.target.parts.as_slice()
        {
            self.script(script, output);
            return;
        }
        self.write(&target.text, text, output, &redirect.span);
    }

    /// `exec 3<>/dev/tcp/host/port`: what is written to that number from now on goes there.
    pub(super) fn opens(&mut self, redirect: &shell::Redirect, path: &str, taint: &Taint) {
        let Some(number) = redirect.descriptor.as_ref() else { return };
        let number = number.trim_matches(['{', '}']);
        for name in [number.to_owned(), format!("${number}")] {
            if is_device(path) {
                self.memory.devices.insert(name, path.to_owned());
            } else if !taint.is_clean() {
                self.memory.descriptors.insert(name, taint.clone());
            }
        }
    }

    /// A network device whose name is put together from pieces.
    pub(super) fn device(&mut self, path: &str, at: &Range<usize>) {
        if is_device(path) && !self.source.contains("/dev/tcp") && !self.source.contains("/dev/udp")
        {
            let message = "a network device is opened under a name that is put together";
            let flow = Flow::new("a network device", "the shell");
            self.report(
                at,
                Match::new(&rules::REVERSE_SHELL, Severity::Critical, message).with(flow),
            );
        }
    }
}

/// Whether a path is a connection that the shell opens itself.
pub(super) fn is_device(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Where a network device leads: `/dev/tcp/host/port` as an address.
pub(super) fn address_of(device: &str) -> String {
    let rest = device.trim_start_matches("/dev/tcp/").trim_start_matches("/dev/udp/");
    format!("tcp://{}", rest.replacen('/', ":", 1))
}
