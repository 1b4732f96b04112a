//! Accounts with all rights that a template or a script of a database makes.

use super::File;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::rules;
use crate::scan::text::floor;

/// Bytes of a file that are looked at.
const MAX_LOOKED_AT: usize = 256 * 1024;

pub(super) fn look(file: &File<'_>, findings: &mut Findings<'_>) {
    if file.language == Language::Markdown {
        return;
    }
    let text = &file.text.plain[..floor(&file.text.plain, MAX_LOOKED_AT)];
    let makes = ["create role", "create user", "alter role", "alter user", "create login"];
    let rights = [
        "superuser",
        "accountadmin",
        "sysadmin",
        "grant all privileges on *.*",
        "with grant option",
    ];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.to_ascii_lowercase();
        let password = lower.contains("password") || lower.contains("identified by");
        if password
            && makes.iter().any(|words| lower.contains(words))
            && rights.iter().any(|words| lower.contains(words))
        {
            let found = Match::new(
                &rules::CREDENTIAL_WRITE,
                if file.context == Context::Fixture { Severity::Info } else { Severity::Warn },
                "an account with all rights is made, with a password that stands here",
            );
            file.add(at, line.trim(), found, findings);
        }
        at += line.len();
    }
}
