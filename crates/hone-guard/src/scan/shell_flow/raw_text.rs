//! What shows only in the text of a script as a whole, and in no single command: several words that
//! mean something together. Each of these is looked for once in a text.

use super::Walk;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::{flow, forks, rules};

impl Walk<'_, '_, '_> {
    /// What only shows in the text itself.
    pub(super) fn raw_text(&mut self) {
        let source = self.source;
        let script = matches!(self.passage.context, Context::Script | Context::Hidden);
        let any = |words: &[&str]| words.iter().any(|word| source.contains(word));
        let encrypts = any(&[
            "gpg ",
            "openssl enc",
            "7z a -p",
            "zip -e",
            "age -",
            "ccrypt",
            "openssl smime",
            "openssl cms",
        ]) && any(&[
            "-c ",
            "--symmetric",
            "-aes",
            "-p",
            "-e ",
            "-P ",
            "-encrypt",
            "--encrypt",
            "-r ",
        ]);
        if script
            && encrypts
            && self.depth == 0
            && any(&["shred", "rm -f \"$", "rm \"$", "rm -f $", "srm "])
            && (any(&["$HOME", "~/", "/home", "/Users"])
                || any(&["@", "://"]) && any(&["-print0", "-type f"]))
            && any(&["while ", "for ", "-exec "])
            && any(&["find ", "for "])
            && any(&[
                "RECOVER",
                "DECRYPT",
                "README",
                "held",
                "code ",
                "contact",
                "Write to",
                "pay",
                "key.",
                "nseal",
                "restore",
                "reference",
                "nlock",
                "READ_ME",
                "READ ME",
                "BTC",
                "bc1",
                "XMR",
            ])
        {
            let at = source.find("gpg ").or_else(|| source.find("openssl enc")).unwrap_or(0);
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::DESTRUCTIVE,
                    Severity::Critical,
                    "files are encrypted and their originals removed, with a note left",
                ),
            );
        }
        if source.contains("169.254.169.254")
            && ["security-credentials", "service-accounts", "oauth2/token"]
                .iter()
                .any(|part| source.contains(part))
            && matches!(self.passage.context, Context::Script | Context::Hidden)
        {
            let at = source.find("169.254.169.254").unwrap_or(0);
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::METADATA_CREDENTIALS,
                    Severity::Critical,
                    "the cloud's metadata service is asked for credentials",
                ),
            );
        }
        // zsh's own connection, and keys in what is written to it.
        if let Some(at) = source.find("ztcp ").filter(|_| script) {
            let keys =
                source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| {
                    crate::scan::subject::is_environment_name(word) && flow::is_vendor_key(word)
                });
            if keys || source.contains("parameters[") {
                self.report(
                    &(at..at + 1),
                    Match::new(
                        &rules::SECRET_TO_NETWORK,
                        Severity::Critical,
                        "keys are written to a connection of the shell's own",
                    ),
                );
            }
        }
        // awk reads commands from a connection and writes back what they print.
        if let Some(at) = source.find("/inet/tcp/").filter(|_| {
            source.contains("|&") && source.contains("getline") && source.matches('|').count() > 2
        }) {
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::REVERSE_SHELL,
                    Severity::Critical,
                    "commands are read from a connection",
                ),
            );
        }
        let line = source.find("/dev/tcp/").or_else(|| source.find("ztcp "));
        if let Some(at) = line
            && [
                "eval ", "; do $", "do $", "bash -i", "sh -i", "| sh", "|sh", "| bash", "<&3 |",
                "sh <&", "bash <&",
            ]
            .iter()
            .any(|part| source.contains(part))
            && matches!(self.passage.context, Context::Script | Context::Hidden)
        {
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::REVERSE_SHELL,
                    Severity::Critical,
                    "what comes through a network device is run",
                ),
            );
        }
        if forks::is_function_bomb(source)
            || forks::without_end(self.passage.language, source).is_some()
        {
            let at = self.source.find("()").or_else(|| self.source.find('(')).unwrap_or(0);
            // Named in a sentence it is talked about.
            let named = self.passage.context == Context::InlineCode;
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::RESOURCE_ABUSE,
                    if named { Severity::Info } else { Severity::Critical },
                    "a fork bomb: something that starts itself again and again, without end",
                ),
            );
        }
    }
}
