//! Workflows of a code host that give secrets to strangers.

use super::File;
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::rules;

/// Looks at a workflow, or at a script that writes one.
pub(super) fn look(file: &File<'_>, findings: &mut Findings<'_>) {
    let text = &file.text.plain;
    let is_workflow = file.language == Language::Yaml || file.language.runs();
    if !is_workflow || !text.contains("jobs:") {
        return;
    }
    // All secrets at once, in a job that also reaches out.
    let dump = text.find("toJSON(secrets)").or_else(|| text.find("toJson(secrets)"));
    let sends = ["curl ", "wget ", "http", "nc "].iter().any(|word| text.contains(word));
    if let Some(at) = dump.filter(|_| sends) {
        let line = file.text.line_at(at);
        let message = "a workflow takes all secrets of the repository and reaches out";
        let found = Match::new(&rules::WORKFLOW_LEAK, Severity::Warn, message);
        file.add(at, &text[line], found, findings);
        return;
    }
    let Some(at) =
        ["pull_request_target", "issue_comment", "workflow_run", "issues:", "discussion"]
            .iter()
            .filter_map(|trigger| text.find(trigger))
            .min()
    else {
        return;
    };
    let secret =
        text.match_indices("secrets.").any(|(at, _)| !text[at + 8..].starts_with("GITHUB_TOKEN"))
            || text.contains("toJSON(secrets)")
            || text.contains("toJson(secrets)");
    let write_all = text.contains("write-all");
    let strangers = [
        "pull_request.head.sha",
        "pull_request.head.ref",
        "github.head_ref",
        "pull_request.merge_commit_sha",
        "refs/pull/",
        "workflow_run.head_sha",
        "workflow_run.head_branch",
    ]
    .iter()
    .any(|code| text.contains(code));
    let injected = [
        "github.event.comment.body",
        "github.event.issue.title",
        "github.event.issue.body",
        "github.event.pull_request.title",
        "github.event.pull_request.body",
        "github.event.review.body",
        "github.event.discussion.body",
    ]
    .iter()
    .any(|input| text.contains(input));
    let dumped = text.contains("toJSON(secrets)") || text.contains("toJson(secrets)");
    if (strangers || injected) && (secret || write_all) || dumped {
        let line = file.text.line_at(at);
        file.add(at, &text[line], Match::new(&rules::WORKFLOW_LEAK, Severity::Warn, "a workflow that strangers start runs their code or words with the repository's secrets"), findings);
    }
}
