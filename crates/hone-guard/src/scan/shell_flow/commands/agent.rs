//! Another agent that is started, and protections of the system that are switched off.

use std::ops::Range;

use super::call::Call;
use crate::scan::destination::addresses;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::{self, is_active};
use crate::scan::rules;
use crate::scan::shell_flow::files::key;
use crate::scan::shell_flow::{Taint, Walk};

/// Words by which agents are told not to ask.
const UNCHECKED: &[&[&str]] = &[
    &["dangerously"],
    &["--yolo"],
    &["bypassPermissions"],
    &["danger-full-access"],
    &["--approval-mode", "yolo"],
    &["--full-auto", "--skip"],
    &["--ask-for-approval", "never"],
    &["approval_policy", "never"],
    &["-a never"],
    &["--allow-all-tools"],
    &["--allow-all-paths"],
    &["--trust-all-tools"],
    &["--auto-approve"],
    &["--yes-always"],
    &["--skip-permissions"],
    &["--no-confirm"],
];

impl Walk<'_, '_, '_> {
    pub(super) fn agent(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        if UNCHECKED.iter().any(|words| words.iter().all(|word| text.contains(word))) {
            // Shown in a document it is how the program is called; started so that it outlives the
            // session, or in its place, it is another matter.
            let line = self.source.get(..at.start).and_then(|before| before.lines().last());
            let instead = call.detached
                || self.source.contains("$PPID")
                || line.is_some_and(|line| line.trim_end().ends_with("exec"));
            let script = matches!(self.passage.context, Context::Script | Context::Hidden);
            let severity = if script || instead && self.passage.context == Context::Fence {
                Severity::Warn
            } else {
                Severity::Info
            };
            self.report(
                at,
                Match::new(
                    &rules::BYPASS_APPROVAL,
                    severity,
                    format!("`{}` is started with its permission checks off", call.name),
                ),
            );
        }
        if text.contains("mcp add")
            && (is_active(&text) || text.contains("sh -c") || text.contains("bash -c"))
        {
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Critical,
                    "an MCP server that is a shell command is added",
                ),
            );
        }
        let script = matches!(self.passage.context, Context::Script | Context::Hidden);
        let adds = [
            "mcp add",
            "mcp add-json",
            "extensions install",
            "plugin install",
            "plugins install",
            "plugin marketplace add",
        ];
        if script
            && adds.iter().any(|way| text.contains(way))
            && !["mcp", "plugin", "extension"].iter().any(|word| self.skill.says(word))
        {
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Warn,
                    format!("`{}` is given a server or an extension by a script", call.name),
                ),
            );
        }
        let opens =
            ["ask", "approval", "auth", "sandbox", "permission", "exec", "gateway", "trust"];
        let lower = text.to_ascii_lowercase();
        let values =
            ["off", "none", "never", "false", "full", "open", "*", "all", "disabled", "allow"];
        let last = call.arguments.last().map(|last| last.text.to_ascii_lowercase());
        let opened = script
            && opens.iter().any(|word| lower.contains(word))
            && last.is_some_and(|last| values.contains(&last.as_str()));
        if lower.contains("config set") && (opened || flow::loosens_agent(&text)) {
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Warn,
                    "the agent's settings are opened up",
                ),
            );
        }
    }

    pub(super) fn protections(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let lower = text.to_ascii_lowercase();
        let script = matches!(self.passage.context, Context::Script | Context::Hidden);
        let found = match call.name.trim_end_matches(".exe") {
            "xattr" | "Unblock-File" | "codesign"
                if lower.contains("quarantine")
                    || call.name == "xattr" && (call.has_letter('c') || call.has(&["--clear"]))
                    || call.name == "Unblock-File"
                    || lower.contains("--remove-signature") =>
            {
                let path = call.plain().last().map(|a| key(&a.text)).unwrap_or_default();
                let fetched =
                    self.memory.files.get(&path).is_some_and(|taint| taint.remote.is_some());
                let run = self.source.matches(path.as_str()).count() > 1;
                let severity = if fetched || script || run && !path.is_empty() {
                    Severity::Warn
                } else {
                    Severity::Info
                };
                Some((severity, "the quarantine mark of a download is removed"))
            }
            "spctl" if lower.contains("disable") => {
                Some((Severity::Critical, "the system's check of programs is switched off"))
            }
            "defaults" if lower.contains("lsquarantine") => {
                Some((Severity::Warn, "downloads are no longer marked as such"))
            }
            "csrutil" if lower.contains("disable") => {
                Some((Severity::Critical, "system integrity protection is switched off"))
            }
            // Named in a sentence it is a question of whether that is the cause; it lasts until a restart.
            "setenforce" if lower.contains('0') => Some((
                if self.passage.context == Context::InlineCode {
                    Severity::Info
                } else {
                    Severity::Warn
                },
                "SELinux is switched off",
            )),
            "ufw" if lower.contains("disable") => Some((
                if script { Severity::Warn } else { Severity::Info },
                "the firewall is switched off",
            )),
            "iptables" if call.has(&["-F"]) => Some((
                if script { Severity::Warn } else { Severity::Info },
                "the firewall is emptied",
            )),
            "netsh" if lower.contains("state off") || lower.contains("opmode disable") => {
                Some((Severity::Warn, "the firewall is switched off"))
            }
            "tccutil" if lower.contains("reset") => {
                Some((Severity::Warn, "privacy decisions are reset"))
            }
            _ => None,
        };
        if let Some((severity, message)) = found {
            self.report(at, Match::new(&rules::PROTECTION_OFF, severity, message));
        }
        let urls = addresses(&text);
        let remote = urls.first().map(|a| a.url.to_owned()).unwrap_or_default();
        match call.name.trim_end_matches(".exe") {
            "mshta" | "regsvr32" | "rundll32" if !remote.is_empty() => {
                let found = self.runs(&Taint::remote(remote), &format!("`{}`", call.name));
                self.report_some(at, found);
            }
            "certutil" | "bitsadmin" if !remote.is_empty() => {
                let path = call.plain().last().map(|a| a.text.clone()).unwrap_or_default();
                self.write(&path, "", &Taint::remote(remote), at);
            }
            "msiexec" if !remote.is_empty() => {
                let found = self.runs(&Taint::remote(remote), "`msiexec`");
                self.report_some(at, found);
            }
            "open" | "installer" | "hdiutil" | "msiexec" => {
                let taint = call.plain().map(|a| self.held(&a.text)).fold(
                    Taint::default(),
                    |mut all, t| {
                        all.add(&t);
                        all
                    },
                );
                let found = self.runs(&taint, &format!("`{}`", call.name));
                self.report_some(at, found);
            }
            _ => {}
        }
    }
}
