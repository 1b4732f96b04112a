//! Dismissed findings: which ones count, and the verdict without them.

use hone_skill::Dismissal;

use crate::{Finding, Report, Severity, Verdict};

/// Days that a dismissal counts unless the person says otherwise.
pub const DEFAULT_DISMISSAL_DAYS: u32 = 90;

/// Most days that a dismissal counts.
pub const MAX_DISMISSAL_DAYS: u32 = 365;

/// Longest reason, in characters.
pub const MAX_REASON_CHARS: usize = 1_000;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// A report and what was dismissed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement<'r> {
    /// The verdict over the findings that count.
    pub verdict: Verdict,
    /// The findings that count, as in the report.
    pub findings: Vec<&'r Finding>,
    /// The findings that do not, each with its dismissal.
    pub dismissed: Vec<(&'r Finding, &'r Dismissal)>,
}

/// What a report says when dismissals are taken into account, at `now` (milliseconds since 1970).
pub fn judge<'r>(report: &'r Report, dismissals: &'r [Dismissal], now: i64) -> Judgement<'r> {
    let (mut findings, mut dismissed) = (Vec::new(), Vec::new());
    for finding in &report.findings {
        let names = names(report, finding);
        let dismissal = dismissals.iter().find(|dismissal| {
            dismissal.digest == report.digest
                && names.contains(&dismissal.rule)
                && dismissal.file == finding.file
                && dismissal.line == finding.line
                && (dismissal.at..dismissal.expires).contains(&now)
        });
        match dismissal {
            Some(dismissal) => dismissed.push((finding, dismissal)),
            None => findings.push(finding),
        }
    }
    let worst: Option<Severity> = findings.iter().map(|finding| finding.severity).max();
    Judgement { verdict: Verdict::of(worst), findings, dismissed }
}

/// What stands between a rule and the mark of one of its findings in a line.
const MARK: char = '@';

/// The findings of the same rule in the same line, itself included, that count.
fn beside<'r>(report: &'r Report, finding: &'r Finding) -> impl Iterator<Item = &'r Finding> {
    report.findings.iter().filter(move |other| {
        other.rule == finding.rule
            && other.file == finding.file
            && other.line == finding.line
            && other.severity > Severity::Info
    })
}

/// A finding's rule with a mark of what it says, which tells it from others in its line.
fn marked(finding: &Finding) -> String {
    // FNV-1a: it tells apart and protects nothing; what has the mark of another is not dismissed by it.
    let mut mark: u32 = 0x811c_9dc5;
    for byte in finding.message.bytes().chain([0]).chain(finding.evidence.bytes()) {
        mark = (mark ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("{}{MARK}{mark:08x}", finding.rule)
}

/// The names that a dismissal may know a finding by: its rule where it is the only one in its line, and its
/// mark where no other one there has it.
fn names(report: &Report, finding: &Finding) -> Vec<String> {
    let mut names = Vec::new();
    if beside(report, finding).count() <= 1 {
        names.push(finding.rule.clone());
    }
    let mark = marked(finding);
    if beside(report, finding).filter(|other| marked(other) == mark).count() <= 1 {
        names.push(mark);
    }
    names
}

/// Makes a dismissal of one finding of a report.
///
/// `rule` and, where it has several findings, the file and line say which one; where one line has
/// several, the rule with a mark (`rule@1a2b3c4d`), which the error names. The error says why there is
/// none, and what to do.
#[expect(clippy::too_many_arguments, reason = "each says one thing about the dismissal")]
pub fn dismissal(
    report: &Report,
    skill: &str,
    rule: &str,
    place: Option<(&str, usize)>,
    reason: &str,
    actor: &str,
    days: u32,
    now: i64,
) -> Result<Dismissal, String> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err("a dismissal needs a reason: say why the finding is no danger".to_owned());
    }
    if reason.chars().count() > MAX_REASON_CHARS {
        return Err(format!("the reason is longer than {MAX_REASON_CHARS} characters"));
    }
    if !(1..=MAX_DISMISSAL_DAYS).contains(&days) {
        return Err(format!("a dismissal counts for 1 to {MAX_DISMISSAL_DAYS} days, not {days}"));
    }
    let (of_rule, notes): (Vec<&Finding>, Vec<&Finding>) = report
        .findings
        .iter()
        .filter(|finding| finding.rule == rule || marked(finding) == rule)
        .partition(|finding| finding.severity > Severity::Info);
    let noted =
        |file: &str, line: usize| notes.iter().any(|note| note.file == file && note.line == line);
    if place.map_or(of_rule.is_empty() && !notes.is_empty(), |(file, line)| noted(file, line))
        && !of_rule.iter().any(|finding| place == Some((finding.file.as_str(), finding.line)))
    {
        return Err(format!(
            "`{rule}` is only a note there, which never counts: there is nothing to dismiss"
        ));
    }
    let mut places: Vec<(&str, usize)> =
        of_rule.iter().map(|finding| (finding.file.as_str(), finding.line)).collect();
    places.dedup();
    let listed = |places: &[(&str, usize)]| {
        let places: Vec<String> =
            places.iter().map(|(file, line)| format!("{file}:{line}")).collect();
        places.join(", ")
    };
    let (file, line) = match (place, places.as_slice()) {
        (_, []) => return Err(format!("`{skill}` has no finding of `{rule}`")),
        (None, [one]) => *one,
        (None, several) => {
            return Err(format!("`{rule}` found several places: name one of {}", listed(several)));
        }
        (Some(place), places) if places.contains(&place) => place,
        (Some((file, line)), places) => {
            return Err(format!(
                "`{rule}` found nothing at {file}:{line}, but at {}",
                listed(places)
            ));
        }
    };
    let there: Vec<&&Finding> =
        of_rule.iter().filter(|finding| finding.file == file && finding.line == line).collect();
    if there.len() > 1 {
        let each: Vec<String> = there
            .iter()
            .map(|finding| format!("`{}` ({})", marked(finding), finding.message))
            .collect();
        return Err(format!(
            "`{rule}` found {} things at {file}:{line}: name one of {}",
            there.len(),
            each.join(", ")
        ));
    }
    Ok(Dismissal {
        skill: skill.to_owned(),
        digest: report.digest.clone(),
        rule: rule.to_owned(),
        file: file.to_owned(),
        line,
        reason: reason.to_owned(),
        actor: actor.to_owned(),
        at: now,
        expires: now.saturating_add(i64::from(days) * DAY),
    })
}

#[cfg(test)]
mod tests {
    use super::{DAY, MAX_DISMISSAL_DAYS, MAX_REASON_CHARS, dismissal, judge};
    use crate::{Context, Coverage, Finding, Inventory, Report, Severity, Verdict};

    fn report() -> Report {
        let finding = |rule: &str, severity: Severity, line: usize| Finding {
            rule: rule.to_owned(),
            severity,
            category: "AST01".to_owned(),
            file: "SKILL.md".to_owned(),
            line,
            column: 1,
            context: Context::Script,
            message: String::new(),
            evidence: String::new(),
            flow: None,
            why: String::new(),
            hint: String::new(),
        };
        Report {
            verdict: Verdict::Dangerous,
            findings: vec![
                finding("bad", Severity::Critical, 3),
                finding("odd", Severity::Warn, 5),
                finding("odd", Severity::Warn, 9),
                finding("odd", Severity::Info, 12),
                finding("said", Severity::Info, 2),
            ],
            coverage: Coverage::default(),
            inventory: Inventory::default(),
            digest: "d1".to_owned(),
            rules: "1".to_owned(),
        }
    }

    #[test]
    fn a_dismissal_takes_one_finding_of_one_content_away_for_a_while() {
        let report = report();
        let one = |rule: &str, line: usize| {
            dismissal(&report, "x", rule, Some(("SKILL.md", line)), "seen", "me", 2, 1_000)
                .expect("one")
        };
        let all = [one("bad", 3), one("odd", 5), one("odd", 9)];
        let verdict = |count: usize, now: i64| judge(&report, &all[..count], now).verdict;
        assert_eq!(verdict(0, 1_000), Verdict::Dangerous);
        assert_eq!(verdict(1, 1_000), Verdict::Caution);
        assert_eq!(verdict(2, 1_000), Verdict::Caution);
        assert_eq!(verdict(3, 1_000), Verdict::Safe);
        assert_eq!(verdict(3, 999), Verdict::Dangerous);
        assert_eq!(verdict(3, 1_000 + 2 * DAY - 1), Verdict::Safe);
        assert_eq!(verdict(3, 1_000 + 2 * DAY), Verdict::Dangerous);
        let changed = Report { digest: "d2".to_owned(), ..report.clone() };
        assert_eq!(judge(&changed, &all, 1_000).verdict, Verdict::Dangerous);
        let judgement = judge(&report, &all[1..2], 1_000);
        assert_eq!(judgement.dismissed, [(&report.findings[1], &all[1])]);
        let left: Vec<usize> = judgement.findings.iter().map(|finding| finding.line).collect();
        assert_eq!(left, [3, 9, 12, 2]);
    }

    #[test]
    fn a_dismissal_of_one_finding_in_a_line_leaves_the_other() {
        let mut report = report();
        let mut second = report.findings[0].clone();
        second.message = "another host".to_owned();
        report.findings.insert(1, second);
        let make = |rule: &str| {
            dismissal(&report, "x", rule, Some(("SKILL.md", 3)), "seen", "me", 2, 1_000)
        };
        let message = make("bad").expect_err("two");
        let marks: Vec<&str> = message.split('`').filter(|word| word.starts_with("bad@")).collect();
        assert_eq!(marks.len(), 2, "{message}");
        let one = [make(marks[0]).expect("one")];
        let judgement = judge(&report, &one, 1_000);
        assert_eq!(judgement.verdict, Verdict::Dangerous);
        assert_eq!(judgement.dismissed, [(&report.findings[0], &one[0])]);
        // One that was made for the line when it held one finding does not cover two.
        let old = [super::Dismissal { rule: "bad".to_owned(), ..one[0].clone() }];
        assert_eq!(judge(&report, &old, 1_000).dismissed, []);
    }

    #[test]
    fn a_dismissal_names_one_finding_a_reason_and_a_time() {
        let report = report();
        let make = |rule: &str, place: Option<(&str, usize)>, reason: &str, days: u32| {
            dismissal(&report, "x", rule, place, reason, "me", days, 0)
                .map(|one| (one.file, one.line))
        };
        let file = "SKILL.md".to_owned();
        assert_eq!(make("bad", None, "seen", 1), Ok((file.clone(), 3)));
        assert_eq!(make("odd", Some(("SKILL.md", 9)), "seen", MAX_DISMISSAL_DAYS), Ok((file, 9)));
        for (answer, message) in [
            (
                make("odd", None, "seen", 1),
                "`odd` found several places: name one of SKILL.md:5, SKILL.md:9",
            ),
            (
                make("odd", Some(("a", 1)), "seen", 1),
                "`odd` found nothing at a:1, but at SKILL.md:5, SKILL.md:9",
            ),
            (make("none", None, "seen", 1), "`x` has no finding of `none`"),
            (
                make("said", None, "seen", 1),
                "`said` is only a note there, which never counts: there is nothing to dismiss",
            ),
            (
                make("odd", Some(("SKILL.md", 12)), "seen", 1),
                "`odd` is only a note there, which never counts: there is nothing to dismiss",
            ),
            (
                make("bad", None, " ", 1),
                "a dismissal needs a reason: say why the finding is no danger",
            ),
            (make("bad", None, "seen", 0), "a dismissal counts for 1 to 365 days, not 0"),
            (
                make("bad", None, "seen", MAX_DISMISSAL_DAYS + 1),
                "a dismissal counts for 1 to 365 days, not 366",
            ),
            (
                make("bad", None, &"a".repeat(MAX_REASON_CHARS + 1), 1),
                "the reason is longer than 1000 characters",
            ),
        ] {
            assert_eq!(answer, Err(message.to_owned()));
        }
        assert!(make("bad", None, &"a".repeat(MAX_REASON_CHARS), 1).is_ok());
    }
}
