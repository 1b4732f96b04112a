//! Settings that a sentence has somebody change: a variable and the address it is to get, a switch and
//! the file it is to be thrown in.

use super::agent::{AGENTS_OWN, is_led_away, led_away};
use super::destined::words;
use super::forms::{Form, form};
use super::grants::is_all_rights;
use super::switches::ABOUT;
use crate::scan::Skill;
use crate::scan::destination::addresses;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::grams::Grams;
use crate::scan::kind::Language;
use crate::scan::passage::Passage;
use crate::scan::rules;

/// Switches that take every question away, as they are written.
#[rustfmt::skip]
const SWITCHES: [&str; 11] = [
    "bypassPermissions", "danger-full-access", "skipDangerousModePermissionPrompt", "enableAllProjectMcpServers", "dangerouslyAllowAll", "bypassPermissionsModeAccepted",
    "always_allow_tool_actions", "chat.tools.autoApprove", "approval_policy", "hasTrustDialogAccepted", "chat.tools.global.autoApprove",
];

/// Throwing them, in the languages that skills are written in.
#[rustfmt::skip]
const THROWS: [&str; 24] = [
    "set ", "add ", "put ", "write", "change", "turn on", "switch", "enable", "merge", "make sure", "edit", "insert", "append", "setze", "füge", "fuge", "trage", "pon ", "cambia", "mets ", "ajoute", "设置", "添加", "добав",
];

/// Words of texts that warn of them.
#[rustfmt::skip]
const WARNS: [&str; 14] = [
    "never", "not ", "n't", "avoid", "unless", "warn", "risk", "danger:", "careful", "only if", "if the user", "refuse", "disable", "nicht",
];

/// Looks at one passage.
pub(super) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if passage.context != Context::Prose || passage.language != Language::Markdown {
        return;
    }
    let text: &str = &passage.text;
    let grams = Grams::of(text);
    let named = |word: &&&str| grams.may_hold(word) && text.contains(**word);
    if let Some(variable) = AGENTS_OWN.iter().find(named) {
        let away = addresses(text).into_iter().find(|to| is_led_away(to.url, variable, skill));
        if let Some(address) = away {
            findings.add(passage, address.range, led_away());
        }
    }
    let rights = text.find("NOPASSWD").filter(|_| text.contains("sudoers"));
    let switch = SWITCHES.iter().find(named);
    if rights.is_none() && switch.is_none() {
        return;
    }
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if let Some(at) = rights.filter(|_| has(&THROWS) && !has(&WARNS) && is_all_rights(text)) {
        let message = "the text has somebody made root without a password";
        let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message);
        findings.add(passage, at..at + 1, found);
    }
    let Some(switch) = switch else { return };
    if has(&THROWS)
        && !has(&WARNS)
        && !ABOUT.iter().any(|word| skill.says(word))
        && words(text).any(|word| form(word) == Some(Form::Agent))
    {
        let at = text.find(switch).unwrap_or(0);
        let message = "the text has the agent's questions taken away";
        let found = Match::new(&rules::CONTROL_PLANE_WRITE, Severity::Warn, message);
        findings.add(passage, at..at + switch.len(), found);
    }
}
