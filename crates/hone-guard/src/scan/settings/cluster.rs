//! Rights in a cluster that are given to everybody.

use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::Passage;
use crate::scan::rules;

/// Roles that may do everything, and groups that everybody is in.
const ROLES: [&str; 2] = ["cluster-admin", "system:masters"];
const EVERYBODY: [&str; 3] = ["system:unauthenticated", "system:anonymous", "system:authenticated"];

/// Looks at the documents of one file: a binding of such a role to such a group.
pub(super) fn look(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    if !matches!(passage.language, Language::Yaml | Language::Json) || !passage.context.acts() {
        return;
    }
    let mut start = 0;
    for document in passage.text.split("\n---") {
        let everybody = EVERYBODY.iter().find_map(|group| document.find(group));
        if let Some(at) = everybody
            && document.contains("RoleBinding")
            && ROLES.iter().any(|role| document.contains(role))
        {
            let message = "everybody gets all rights in the cluster";
            let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message);
            findings.add(passage, start + at..start + at + 1, found);
        }
        start += document.len() + "\n---".len();
    }
}
