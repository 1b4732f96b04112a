//! The findings for programs: JSON, SARIF, and GitHub's annotations.

use hone_skill::{Profile, Rule};
use serde_json::Value;

use super::{Checked, UNREADABLE, is_valid};
use crate::context::Context;
use crate::json::{Check, CheckedFile, Finding, finding};
use crate::output::{Outcome, print};
use crate::sarif;
use crate::terminal::printable;

/// The findings about one file, as the profile weighs them.
fn findings(file: &Checked, profile: Profile) -> Vec<Finding> {
    let unreadable = file.unreadable.as_ref().map(|message| Finding {
        rule: UNREADABLE.to_owned(),
        severity: "error".to_owned(),
        line: 1,
        column: 1,
        message: message.clone(),
        hint: None,
        fixable: false,
    });
    let found = file.diagnostics.iter().filter_map(|diagnostic| finding(diagnostic, profile));
    unreadable.into_iter().chain(found).collect()
}

pub(super) fn json(checked: &[Checked], profile: Profile) -> Check {
    let files = checked.iter().map(|file| CheckedFile {
        path: file.path.to_string_lossy().into_owned(),
        valid: is_valid(file, profile),
        diagnostics: findings(file, profile),
        fixed: file.fixed.iter().map(|rule| rule.id()).collect(),
    });
    Check { files: files.collect() }
}

/// The message and the hint, for formats that have one text.
fn whole_message(finding: &Finding) -> String {
    match &finding.hint {
        Some(hint) => format!("{} ({hint})", finding.message),
        None => finding.message.clone(),
    }
}

/// SARIF 2.1.0, for code scanning.
pub(super) fn sarif(context: &Context, checked: &[Checked], profile: Profile) -> Value {
    let mut rules: Vec<Value> =
        Rule::ALL.iter().map(|known| sarif::rule(known.id(), known.summary())).collect();
    rules.push(sarif::rule(UNREADABLE, "The file must be readable."));
    let found: Vec<(String, Finding)> = checked
        .iter()
        .flat_map(|file| {
            let uri = sarif::uri(&file.path, &context.around.cwd);
            findings(file, profile).into_iter().map(move |finding| (uri.clone(), finding))
        })
        .collect();
    let results = found.iter().map(|(uri, finding)| sarif::Result {
        rule: &finding.rule,
        level: if finding.severity == "info" { "note" } else { &finding.severity },
        message: whole_message(finding),
        uri: uri.clone(),
        line: finding.line,
        column: finding.column,
        dismissed: None,
    });
    sarif::log(&rules, results)
}

/// Lines that GitHub turns into annotations.
pub(super) fn github(context: &Context, checked: &[Checked], profile: Profile) -> Outcome {
    // The characters that end a property or a message there.
    let message = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| message(text).replace(':', "%3A").replace(',', "%2C");
    let mut page = String::new();
    for file in checked {
        let path = file.path.strip_prefix(&context.around.cwd).unwrap_or(&file.path);
        for finding in findings(file, profile) {
            let level =
                if finding.severity == "info" { "notice" } else { finding.severity.as_str() };
            let line = format!(
                "::{level} file={},line={},col={},title={}::{}",
                property(&path.to_string_lossy()),
                finding.line,
                finding.column,
                property(&finding.rule),
                message(&whole_message(&finding)),
            );
            page.push_str(&printable(&line));
            page.push('\n');
        }
    }
    print(&page)
}
