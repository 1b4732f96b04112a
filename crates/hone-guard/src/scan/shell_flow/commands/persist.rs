//! Services, timers and keys that start something later.

use super::call::Call;
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::is_active;
use crate::scan::places::{Spot, classify as spot};
use crate::scan::rules;
use crate::scan::shell_flow::Walk;
use std::ops::Range;

impl Walk<'_, '_, '_> {
    pub(super) fn enable(&mut self, call: &Call, input_text: &str, at: &Range<usize>) {
        let text = call.text();
        let lower = text.to_ascii_lowercase();
        let name = call.name.trim_end_matches(".exe");
        let starts = match name {
            "systemctl" => lower.contains("enable") || lower.contains("link"),
            "launchctl" => {
                lower.contains("load") || lower.contains("bootstrap") || lower.contains("submit")
            }
            "schtasks" => lower.contains("/create"),
            "reg" => {
                lower.contains("add")
                    && (lower.contains("\\run")
                        || lower.contains("currentversion/run")
                        || lower.contains("winlogon"))
            }
            "sc" => lower.contains("create"),
            "at" | "batch" => {
                is_active(input_text) || !input_text.trim().is_empty() && !self.skill.schedules()
            }
            "defaults" => lower.contains("write") && lower.contains("loginitems"),
            "update-rc.d" | "chkconfig" => true,
            "loginctl" => lower.contains("enable-linger"),
            _ => false,
        };
        if name == "systemctl"
            && ["stop", "disable", "mask"].iter().any(|verb| lower.contains(verb))
            && [
                "clamav",
                "falcon",
                "auditd",
                "apparmor",
                "ufw",
                "firewalld",
                "crowdstrike",
                "defender",
                "mdatp",
                "sentinelone",
                "osquery",
                "fail2ban",
                "wazuh",
            ]
            .iter()
            .any(|p| lower.contains(p))
        {
            self.report(
                at,
                Match::new(
                    &rules::PROTECTION_OFF,
                    Severity::Warn,
                    "a protection service is stopped",
                ),
            );
        }
        if !starts {
            return;
        }
        // A unit that the skill wrote itself was already judged by what it runs; a well-known service
        // that a person sets up is none of ours.
        let written =
            self.memory.files.keys().any(|path| matches!(spot(path), Some(Spot::Autorun(_))));
        let severity = if is_active(&text)
            || is_active(input_text)
            || self.does_harm(input_text)
            || (matches!(name, "schtasks" | "reg" | "sc")
                && (lower.contains("powershell")
                    || lower.contains("appdata")
                    || lower.contains("temp")
                    || lower.contains("http")))
        {
            Severity::Critical
        } else if self.passage.context == Context::Script
            && (written || matches!(name, "schtasks" | "reg" | "launchctl" | "at"))
            || name == "reg"
        {
            Severity::Warn
        } else {
            Severity::Info
        };
        let flow = Flow::new("a command", format!("`{name}`")).when("by itself");
        self.report(
            at,
            Match::new(&rules::PERSISTENCE_WRITE, severity, "something is made to start by itself")
                .with(flow),
        );
    }
}
