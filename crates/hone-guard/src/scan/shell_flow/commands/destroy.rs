//! Deleting, overwriting, and rights that are opened for all.

use super::call::{Call, is_global_or_log};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::places::{Spot, classify as spot, is_global, normalise};
use crate::scan::rules;
use crate::scan::shell_flow::Walk;
use std::ops::Range;

impl Walk<'_, '_, '_> {
    pub(super) fn destroy(&mut self, call: &Call, at: &Range<usize>) {
        let name = call.name.as_str();
        let text = call.text();
        if name == "rm"
            || name == "srm"
            || name == "find"
            || name == "shred"
            || name == "truncate"
            || name == "unlink"
            || name == "rd"
            || name == "del"
            || name == "rsync"
            || name == "mv"
        {
            let deletes_found = [
                "-delete",
                "-exec rm",
                "-exec shred",
                "-execdir rm",
                "-exec srm",
                "-exec truncate",
            ]
            .iter()
            .any(|action| text.contains(action));
            let recursive = call.has_letter('r')
                || call.has_letter('R')
                || call.has(&["--recursive", "-delete", "/s", "/S"])
                || deletes_found
                || text.contains("/s ")
                // find ~ | xargs rm, … | while read -r f; do rm "$f"; done, mv ~/* /dev/null
                || call.from_input
                || self.looping > 0
                || matches!(name, "rsync" | "mv");
            // What rsync copies from stays.
            let skipped = if name == "rsync" { call.plain().count().saturating_sub(1) } else { 0 };
            for argument in call.plain().skip(skipped) {
                let located = self.located(&argument.text);
                let path = normalise(located.as_deref().unwrap_or(&argument.text));
                let whole = matches!(
                    &*path,
                    "/" | "/*"
                        | "~"
                        | "~/"
                        | "~/*"
                        | "/home"
                        | "/home/*"
                        | "/users"
                        | "/users/*"
                        | "/etc"
                        | "/var"
                        | "/usr"
                        | "c:/"
                        | "c:/*"
                        | "~/."
                        | "~/documents"
                        | "~/desktop"
                        | "~/pictures"
                        | "~/documents/*"
                        | "~/desktop/*"
                        | "~/pictures/*"
                        | "~/.ssh"
                        | "~/.ssh/*"
                        | "~/.gnupg"
                        | "~/.gnupg/*"
                        | "~/.password-store"
                        | "~/.local/share/keyrings"
                        | "~/library/keychains"
                        | "/root"
                        | "~/.*"
                );
                let system = whole && (name != "find" || deletes_found);
                if system && (recursive || name == "shred") {
                    let severity = if matches!(
                        self.passage.context,
                        Context::Script | Context::Hidden | Context::Fence
                    ) {
                        Severity::Critical
                    } else {
                        Severity::Info
                    };
                    self.report(
                        at,
                        Match::new(
                            &rules::DESTRUCTIVE,
                            severity,
                            format!("`{path}` is deleted with everything in it"),
                        ),
                    );
                }
                if (matches!(spot(&argument.text), Some(Spot::Traces))
                    && (argument.text.contains("history") || argument.text.contains("/var/log")))
                    && is_global_or_log(&argument.text)
                    && !is_rotation(&text)
                {
                    let severity = if argument.text.contains("history")
                        || matches!(&*path, "/var/log" | "/var/log/" | "/var/log/*")
                        || ["auth.log", "syslog", "wtmp", "btmp", "lastlog", "secure", "audit"]
                            .iter()
                            .any(|log| path.contains(log))
                    {
                        Severity::Warn
                    } else {
                        Severity::Info
                    };
                    self.report(
                        at,
                        Match::new(&rules::TRACE_WIPING, severity, "a history or log is removed"),
                    );
                }
            }
        }
        let disk = |text: &str| {
            text.match_indices("/dev/").any(|(i, _)| {
                let device = text[i + 5..]
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .next()
                    .unwrap_or_default();
                let device = if device.len() == 2 && text[i + 7..].starts_with(['?', '*', '[']) {
                    "sda"
                } else {
                    device
                };
                let known = device.starts_with("sd")
                    || device.starts_with("nvme")
                    || device.starts_with("vd")
                    || device.starts_with("hd")
                    || device.starts_with("disk")
                    || device.starts_with("rdisk")
                    || device.starts_with("mmcblk");
                // sdX and diskN are to be filled in.
                known && !device.ends_with(['X', 'N', 'x', 'Y']) && device.len() > 2
            })
        };
        // dev=/dev/$(lsblk … | head -1): whichever disk that is, and nobody is asked.
        let picked = matches!(self.passage.context, Context::Script | Context::Hidden)
            && matches!(
                name,
                "wipefs" | "sgdisk" | "blkdiscard" | "shred" | "dd" | "parted" | "sfdisk"
            )
            && text.contains("/dev/$()")
            && !["read -p", "read -rp", "read -r -p", "confirm", "select "]
                .iter()
                .any(|way| self.source.contains(way));
        if picked && (name != "dd" || text.contains("of=/dev/$()")) {
            let message = "a disk that the script picks by itself is overwritten, unasked";
            self.report(at, Match::new(&rules::DESTRUCTIVE, Severity::Critical, message));
        }
        let writes_disk = name == "dd"
            && text.split_whitespace().any(|word| word.starts_with("of=") && disk(word))
            || name.starts_with("mkfs") && disk(&text)
            || matches!(name, "wipefs" | "sgdisk" | "blkdiscard" | "sfdisk") && disk(&text)
            || name == "diskutil"
                && text.to_ascii_lowercase().contains("erasedisk")
                && text.split_whitespace().any(|word| word.starts_with("disk") && word.len() == 5)
            || name == "shred" && disk(&text);
        if writes_disk {
            let severity = if name == "dd"
                && !text.contains("/dev/zero")
                && !text.contains("/dev/urandom")
                && !text.contains("/dev/random")
                && self.passage.context != Context::Script
            {
                Severity::Info
            } else {
                Severity::Critical
            };
            self.report(at, Match::new(&rules::DESTRUCTIVE, severity, "a disk is overwritten"));
        }
    }

    pub(super) fn change_mode(&mut self, call: &Call, at: &Range<usize>) {
        let mode = call.plain().next().map(|argument| argument.text.clone()).unwrap_or_default();
        let setuid = call.name == "chmod"
            && (mode.contains("+s")
                || mode.contains("u=s")
                || mode.len() == 4
                    && matches!(mode.as_bytes()[0], b'4' | b'6' | b'2')
                    && mode.bytes().all(|b| b.is_ascii_digit()));
        let capability = call.name == "setcap" && call.text().contains("cap_setuid");
        if setuid && mode.as_bytes().first() != Some(&b'2') || capability {
            let severity = if self.passage.context == Context::Script
                || call.text().contains("sh")
                || call.privileged
            {
                Severity::Critical
            } else {
                Severity::Warn
            };
            self.report(
                at,
                Match::new(
                    &rules::CREDENTIAL_WRITE,
                    severity,
                    "a program is made to run with its owner's rights",
                ),
            );
        }
        let paths: Vec<String> =
            call.plain().skip(1).map(|argument| argument.text.clone()).collect();
        if call.name == "chmod"
            && call.has_letter('R')
            && matches!(mode.as_str(), "777" | "0777" | "a+rwx" | "ugo+rwx")
            && paths.iter().any(|path| {
                matches!(&*normalise(path), "/" | "/etc" | "/usr" | "~" | "~/" | "/home")
            })
        {
            let message = "everything is opened to everybody";
            // Named in a sentence, it is often what not to do.
            let named = self.passage.context == Context::InlineCode;
            let severity = if named { Severity::Info } else { Severity::Warn };
            self.report(at, Match::new(&rules::CREDENTIAL_WRITE, severity, message));
        }
        for path in paths {
            if matches!(spot(&path), Some(Spot::Secret(_) | Spot::Logins(_)))
                && matches!(mode.as_str(), "777" | "666" | "644" | "755" | "0777")
                && is_global(&path)
            {
                self.report(
                    at,
                    Match::new(
                        &rules::CREDENTIAL_WRITE,
                        Severity::Info,
                        "a secret file is opened to others",
                    ),
                );
            }
        }
    }
}

/// Whether `find` takes only what lay there for days: old logs make room for new ones.
fn is_rotation(text: &str) -> bool {
    const FEWEST_DAYS: u32 = 7;
    text.split_once("-mtime +")
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .and_then(|days| days.parse::<u32>().ok())
        .is_some_and(|days| days >= FEWEST_DAYS)
}
