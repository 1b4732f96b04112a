//! What the tables of settings and of droppers have in common: a skill made of parts, and the rows that
//! came out wrong.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "shared by several tests")]

use hone_guard::{Files, Severity, Verdict};

/// The start of an ordinary skill.
pub const HEAD: &str = "---\nname: essay-feedback\ndescription: Give structured feedback on student essays with a rubric.\n---\n\n# Essay feedback\n\nRead the essay once without judging, then score each criterion.\n\n";

/// Whether a skill of these files would be blocked, and by what.
pub fn blocked(files: &[(&str, &str)]) -> Option<String> {
    let report = Files::of_files(files.iter().map(|(path, text)| (*path, text.as_bytes()))).scan();
    let worst = report.findings.iter().find(|finding| finding.severity > Severity::Info);
    (report.verdict > Verdict::Safe).then(|| {
        worst.map_or_else(String::new, |found| format!("{} {}", found.rule, found.message))
    })
}

/// Rows of a table that came out other than they must.
#[derive(Default)]
pub struct Wrong {
    rows: Vec<String>,
    total: usize,
}

impl Wrong {
    /// A skill that must be blocked, or must not.
    pub fn expect(&mut self, must: bool, what: &str, files: &[(&str, &str)]) {
        self.total += 1;
        let found = blocked(files);
        if found.is_some() != must {
            let how = found.map_or_else(|| "missed".to_owned(), |why| format!("blocked ({why})"));
            self.rows.push(format!("{how}: {what}"));
        }
    }

    /// Fails where a row is wrong.
    pub fn none(self, at_least: usize) {
        assert!(self.total >= at_least, "only {} rows", self.total);
        assert!(
            self.rows.is_empty(),
            "{} of {} rows are wrong:\n{}",
            self.rows.len(),
            self.total,
            self.rows.join("\n")
        );
    }
}
