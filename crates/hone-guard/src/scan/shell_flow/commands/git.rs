//! `git`: remotes, pushes of everything, settings that run programs.

use super::call::{Call, remote_copy};
use crate::scan::destination::{Class, addresses, classify, host};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::is_active;
use crate::scan::rules;
use crate::scan::shell_flow::{Taint, Value, Walk, key};
use std::ops::Range;

impl Walk<'_, '_, '_> {
    pub(super) fn git(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let verb = call.plain().next().map(|argument| argument.text.clone()).unwrap_or_default();
        if verb == "remote" && (text.contains("add") || text.contains("set-url")) {
            if let (Some(name), Some(address)) = (call.plain().nth(2), call.plain().nth(3)) {
                let value = Value {
                    text: address.text.clone(),
                    taint: Taint::remote(address.text.clone()),
                };
                self.memory.variables.insert(format!("git remote {}", name.text), value);
            }
        } else if verb == "bundle" || verb == "archive" {
            let paths: Vec<String> =
                call.plain().skip(1).map(|argument| argument.text.clone()).collect();
            if call.has(&["--all"]) {
                for path in paths {
                    self.memory
                        .files
                        .entry(key(&path))
                        .or_default()
                        .add(&Taint::secret("every branch of the repository"));
                }
            }
        } else if verb == "push" {
            let target =
                call.plain().nth(1).map(|argument| argument.text.clone()).unwrap_or_default();
            let address = if target.contains("://") || target.contains('@') {
                target.clone()
            } else {
                self.memory
                    .variables
                    .get(&format!("git remote {target}"))
                    .map(|v| v.text.clone())
                    .unwrap_or_default()
            };
            let class = classify(&remote_copy(&address));
            let everything = call.has(&["--all", "--mirror", "--tags"])
                || text.contains("+refs/*")
                || text.contains("refs/heads/*");
            if !address.is_empty()
                && !matches!(class, Class::Placeholder | Class::Local)
                && everything
            {
                let flow = Flow::new("every branch", "`git push`")
                    .to(host(&remote_copy(&address)).unwrap_or_default());
                self.report(
                    at,
                    Match::new(
                        &rules::DATA_TO_FOREIGN_HOST,
                        Severity::Critical,
                        "every branch is pushed to a repository that the text names",
                    )
                    .with(flow),
                );
            }
        } else if verb == "config" && !call.has(&["--get", "--list", "-l", "--unset"]) {
            let value =
                call.plain().last().map(|argument| argument.text.clone()).unwrap_or_default();
            let runs = [
                "core.fsmonitor",
                "core.sshcommand",
                "core.pager",
                "core.editor",
                "credential.helper",
                "core.hookspath",
                "alias.",
            ]
            .iter()
            .any(|setting| text.to_ascii_lowercase().contains(setting));
            if runs && (is_active(&value) || value.starts_with('!') && value.contains("curl"))
                || text.contains("credential.helper")
                    && (value.contains("curl") || value.contains("nc "))
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PERSISTENCE_WRITE,
                        Severity::Critical,
                        "git is made to run a command by itself",
                    ),
                );
            }
            if text.contains("hooksPath")
                && call.has(&["--global"])
                && self.passage.context == Context::Script
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PERSISTENCE_WRITE,
                        Severity::Warn,
                        "git hooks of every repository are replaced",
                    ),
                );
            }
            if text.contains("insteadOf")
                && addresses(&text)
                    .iter()
                    .any(|a| matches!(a.class(), Class::Foreign | Class::Address))
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PACKAGE_SOURCE,
                        Severity::Critical,
                        "git addresses are rewritten to another host",
                    ),
                );
            }
        }
    }
}
