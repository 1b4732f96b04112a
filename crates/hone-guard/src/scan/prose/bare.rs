//! Orders that need no words of any language: a stranger's key beside the list of logins, the address of
//! a machine's credentials beside a stranger's host, everything of a repository pushed to one.

use crate::scan::Skill;
use crate::scan::destination::{Class, addresses};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::grams::Grams;
use crate::scan::passage::Passage;
use crate::scan::rules;

/// Shortest body of a public key that is one and not a place to fill in.
const KEY_LETTERS: usize = 40;

pub(super) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if passage.context == Context::Mention {
        return;
    }
    let text: &str = &passage.text;
    let grams = Grams::of(text);
    if !["authorized_keys", "169.254.169.254", "git push --"]
        .iter()
        .any(|word| grams.may_hold(word))
    {
        return;
    }
    let mut start = 0;
    for paragraph in text.split("\n\n") {
        let at = |word: &str| paragraph.find(word).map(|found| start + found);
        let strange = || {
            addresses(paragraph).into_iter().find(|address| {
                matches!(
                    address.class(),
                    Class::Foreign | Class::Address | Class::Inbox | Class::Paste
                ) && !address.url.contains("169.254.169.254")
                    && !skill.is_about(&address.host())
            })
        };
        let mut add = |found: usize, found_is: Match| {
            findings.add(passage, found..(found + 1).min(text.len()), found_is);
        };
        if let Some(found) = at("authorized_keys").filter(|_| has_key(paragraph)) {
            let message = "a key that stands in the text is given a login";
            add(found, Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message));
        }
        if let Some(found) = at("169.254.169.254")
            && ["security-credentials", "identity/oauth2/token", "service-accounts"]
                .iter()
                .any(|path| paragraph.contains(path))
            && let Some(to) = strange()
        {
            let message = "the machine's credentials are read and go to another host";
            let flow = Flow::new("credentials of the machine", "prose").to(to.host());
            add(
                found,
                Match::new(&rules::METADATA_CREDENTIALS, Severity::Critical, message).with(flow),
            );
        }
        if let Some(found) = at("git push --mirror").or_else(|| at("git push --all"))
            && let Some(to) = strange()
        {
            let message = "everything of a repository is pushed to a stranger's host";
            let flow = Flow::new("the repository", "git push").to(to.host());
            add(
                found,
                Match::new(&rules::SECRET_TO_NETWORK, Severity::Critical, message).with(flow),
            );
        }
        start += paragraph.len() + 2;
    }
}

/// Whether a whole public key stands in a text.
fn has_key(text: &str) -> bool {
    text.match_indices("AAAA").any(|(at, _)| {
        let body =
            text[at..].bytes().take_while(|b| b.is_ascii_alphanumeric() || b"+/".contains(b));
        body.count() >= KEY_LETTERS
    })
}
