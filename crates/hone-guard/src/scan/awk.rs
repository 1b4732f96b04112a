//! Programs of `awk`: commands that they start themselves, and answers that they run.

use super::finding::{Flow, Severity};
use super::findings::{Findings, Match};
use super::passage::Passage;
use super::{Skill, rules};

/// Looks at one passage, when it is a program of `awk`.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let path = skill.members.get(passage.file).map_or("", |member| member.path.as_str());
    let text: &str = &passage.text;
    let first = text.lines().next().unwrap_or_default();
    let is_awk =
        super::kind::has_extension(path, "awk") || first.starts_with("#!") && first.contains("awk");
    if !is_awk || !passage.context.acts() && !text.starts_with("#!") {
        return;
    }
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let fetches = has(&["curl ", "wget ", "/inet/tcp/", "fetch "]) && text.contains("getline");
    let runs = ["system(", "| \"sh\"", "| \"bash\"", "|\"sh\"", "|\"bash\"", "|& \"sh\""];
    if let Some(at) = runs.iter().find_map(|way| text.find(way)).filter(|_| fetches) {
        let message = "what a command fetches is run by `system`";
        let flow = Flow::new("a text from the network", "`system`");
        let found = Match::new(&rules::REMOTE_TO_INTERPRETER, Severity::Critical, message);
        findings.add(passage, at..at + 1, found.with(flow));
    }
}
