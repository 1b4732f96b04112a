//! Formulas that fetch: a cell whose formula joins other cells to the address of a stranger sends them away
//! whenever the sheet is opened, on the machine of whoever opens it.

use super::Skill;
use super::destination::{Class, addresses};
use super::finding::{Flow, Severity};
use super::findings::{Findings, Match};
use super::passage::Passage;
use super::rules;
use super::text::floor;

/// Functions of sheets and documents that ask an address.
#[rustfmt::skip]
const FETCHES: [&str; 8] = [
    "webservice(", "importxml(", "importdata(", "importhtml(", "importfeed(", "image(", "web.contents(", "includepicture",
];

/// Bytes after the function in which its address and what is joined to it stand.
const MAX_FORMULA: usize = 320;

/// Formulas of one text that are looked at.
const MAX_FORMULAS: usize = 64;

/// Looks at one passage, whatever its language: scripts write formulas as strings.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !passage.context.acts() || !passage.text.contains("://") {
        return;
    }
    let text: &str = &passage.text;
    let lower = text.to_ascii_lowercase();
    let mut looked = 0;
    for function in FETCHES {
        for (at, _) in lower.match_indices(function) {
            looked += 1;
            if looked > MAX_FORMULAS {
                return;
            }
            let end = floor(text, at + MAX_FORMULA);
            let Some(formula) = text.get(at..end) else { continue };
            let formula = formula.split('\n').next().unwrap_or(formula);
            let Some(address) = addresses(formula).into_iter().next() else { continue };
            // The address comes first, and something is joined to it.
            let after = &formula[address.range.end..];
            let joined = after.trim_start_matches(['\\', '"', '\'', '=', ' ']).starts_with('&')
                || after.to_ascii_lowercase().contains("encodeurl(");
            let strange = matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox);
            let host = address.host();
            let declared = skill.subject.hosts.iter().any(|known| {
                *known == host
                    || host.strip_suffix(known.as_str()).is_some_and(|h| h.ends_with('.'))
            });
            if joined && strange && !declared {
                let message =
                    format!("a formula sends cells to {host} whenever the sheet is opened");
                let flow = Flow::new("cells of a sheet", "a formula").to(host);
                let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message);
                findings.add(passage, at..at + function.len(), found.with(flow));
                return;
            }
        }
    }
}
