//! The guard's word about a candidate, as the skill would lie on the disk.

use hone_agent::tools::skills::{scan_planned, worst_findings};
use hone_guard::policy::Action;
use hone_library::{Change, FileDelta};
use hone_router::SUITE_FILE;
use hone_skill::Origin;

use super::{Check, Checked, Finding, Gate};
use crate::proposal::Proposal;

pub(super) fn check(gate: &Gate<'_>, proposal: &Proposal, planned: &Change) -> Checked {
    let mut skill = gate.known.find(&proposal.name);
    let mut planned = planned.clone();
    if skill.is_some_and(|skill| skill.is_flat) {
        // A single file becomes a folder when examples come to it.
        skill = None;
        for delta in &mut planned.files {
            "SKILL.md".clone_into(&mut delta.file);
        }
    }
    if proposal.files.is_empty() {
        let after = Some(proposal.suite().to_json().into_bytes());
        planned.files.push(FileDelta { file: SUITE_FILE.to_owned(), before: None, after });
    }
    let report = match scan_planned(&planned, skill) {
        Ok(report) => report,
        Err(why) => return Checked::failed(Check::Scan, why),
    };
    let ruling = gate.policy.decide(Origin::AgentCreated, report.verdict);
    let finding = match ruling.action {
        Action::Allow => Finding::Passed,
        Action::Ask => Finding::NeedsPerson,
        Action::Block => Finding::Failed,
    };
    let why = format!("the scan says {}", report.verdict.word());
    let checked = Checked::new(Check::Scan, finding, why).with(worst_findings(&report));
    Checked { digest: Some(report.digest), ..checked }
}
