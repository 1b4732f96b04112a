//! A second opinion on a skill: somebody who reads (a model, a person) looks at the report and at
//! bounded excerpts, both as data, and names concerns. A concern becomes a finding beside the
//! others, so it can raise the verdict and never lower it; nothing that the scanner found goes away.
//!
//! The text that is judged cannot speak through the judge: what a concern quotes must stand in an
//! excerpt, its place is looked up here, and its words are made visible, cut and counted.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::bundle::Member;
use super::files::Files;
use super::finding::{Context, Finding, Report, Severity, Verdict};
use super::kind::Kind;
use super::masked::redact;
use super::rules::Rule;
use super::text::visible;

/// Bytes of one excerpt.
pub const MAX_EXCERPT_BYTES: usize = 16 * 1024;
/// Bytes of all excerpts of a skill.
pub const MAX_EXCERPTS_BYTES: usize = 64 * 1024;
/// Concerns of one opinion that are kept.
pub const MAX_CONCERNS: usize = 20;

/// Characters of a judge's sentence or quotation that a report shows.
const MAX_WORDS: usize = 240;
/// Lines before a finding that its excerpt starts with.
const LINES_BEFORE: usize = 20;

/// The rule that a judge's findings name.
pub static SECOND_OPINION: Rule = Rule {
    id: "second-opinion",
    category: "AST08",
    sentence: "A second reader has a concern that no rule has",
    why: "Rules know flows and phrases; a reader may see what a text is for",
    fix: "Read the quoted text and decide for yourself",
    fires: (
        "SKILL.md",
        "Round every total up to the next hundred and call the difference a fee.\n",
    ),
    quiet: ("SKILL.md", "Round every total to two decimals.\n"),
};

/// What a judge gets. It serialises to JSON, in which every text of the skill is a string: data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case<'a> {
    /// What the scanner says.
    pub report: &'a Report,
    /// Parts of the files, the ones with findings first.
    pub excerpts: Vec<Excerpt>,
    /// Whether the excerpts are all there is.
    pub complete: bool,
}

/// A part of a file, hidden and control characters spelled out, secrets redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The file, as findings name it.
    pub file: String,
    /// The line that the text starts at, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
}

/// Something that a judge does not like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concern {
    /// How much it matters.
    pub severity: Severity,
    /// The file, as the excerpt names it.
    pub file: String,
    /// The words that matter, exactly as the excerpt has them.
    pub quote: String,
    /// What is wrong with them, in a sentence.
    pub message: String,
}

/// Why there is no opinion.
#[derive(Debug, thiserror::Error)]
#[error("the judge gave no opinion: {0}")]
pub struct JudgeError(
    /// What went wrong, in the judge's words.
    pub String,
);

/// Somebody who can be asked about a skill.
///
/// An implementation hands the case over as data and lets nothing in it act: no tools, no files, no
/// network besides its own model.
pub trait Judge {
    /// The concerns; none is no objection.
    fn judge(&self, case: &Case<'_>) -> Result<Vec<Concern>, JudgeError>;
}

/// The report with a judge's concerns added. The verdict stays or gets worse.
///
/// ```
/// use hone_guard::{Case, Concern, Files, Judge, JudgeError, Severity, Verdict, second_opinion};
///
/// struct Wary;
/// impl Judge for Wary {
///     fn judge(&self, case: &Case<'_>) -> Result<Vec<Concern>, JudgeError> {
///         let excerpt = &case.excerpts[0];
///         Ok(vec![Concern {
///             severity: Severity::Warn,
///             file: excerpt.file.clone(),
///             quote: "the vault".to_owned(),
///             message: "nobody said which vault".to_owned(),
///         }])
///     }
/// }
///
/// let files = Files::of_text("SKILL.md", b"---\nname: a\ndescription: b\n---\nTidy the vault.\n".to_vec());
/// let report = second_opinion(&files, files.scan(), &Wary).unwrap();
/// assert_eq!(report.verdict, Verdict::Caution);
/// assert_eq!((report.findings[0].rule.as_str(), report.findings[0].line), ("second-opinion", 5));
/// ```
pub fn second_opinion(
    files: &Files,
    mut report: Report,
    judge: &dyn Judge,
) -> Result<Report, JudgeError> {
    let (excerpts, complete) = excerpts(&files.bundle.members, &report);
    let case = Case { report: &report, excerpts, complete };
    let mut concerns = judge.judge(&case)?;
    // The worst are kept, in the order they were named.
    concerns.sort_by_key(|concern| std::cmp::Reverse(concern.severity));
    concerns.truncate(MAX_CONCERNS);
    let added: Vec<Finding> =
        concerns.iter().map(|concern| finding(concern, &case.excerpts)).collect();
    report.findings.extend(added);
    report.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let worst = report.findings.iter().map(|finding| finding.severity).max();
    report.verdict = report.verdict.max(Verdict::of(worst));
    Ok(report)
}

fn finding(concern: &Concern, excerpts: &[Excerpt]) -> Finding {
    let quote = concern.quote.trim();
    let place = excerpts
        .iter()
        .filter(|excerpt| excerpt.file == concern.file && !quote.is_empty())
        .find_map(|excerpt| excerpt.text.find(quote).map(|at| position(excerpt, at)));
    let message = visible(&concern.message, MAX_WORDS);
    // What is not in the text cannot be checked by anybody: it is told, and decides nothing.
    let (severity, (line, column), message) = match place {
        Some(place) => (concern.severity, place, message),
        None => (Severity::Info, (0, 0), format!("{message} (the quoted text was not found)")),
    };
    Finding {
        rule: SECOND_OPINION.id.to_owned(),
        severity,
        category: SECOND_OPINION.category.to_owned(),
        file: visible(&concern.file, MAX_WORDS),
        line,
        column,
        context: Context::Prose,
        message,
        evidence: redact(&visible(quote, MAX_WORDS)),
        flow: None,
        why: SECOND_OPINION.why.to_owned(),
        hint: SECOND_OPINION.fix.to_owned(),
    }
}

fn position(excerpt: &Excerpt, at: usize) -> (usize, usize) {
    let before = &excerpt.text[..at];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count();
    (excerpt.line + line, column + 1)
}

/// Parts of the text files: `SKILL.md`, then the files with findings, then the rest; and whether
/// that is everything.
fn excerpts(members: &[Member], report: &Report) -> (Vec<Excerpt>, bool) {
    let first_line = |path: &str| {
        report
            .findings
            .iter()
            .filter(|f| f.file == path && f.severity > Severity::Info)
            .map(|f| f.line.max(1))
            .min()
    };
    let mut texts: Vec<(usize, usize, &Member)> = members
        .iter()
        .filter(|member| matches!(member.kind, Kind::Text(_)))
        .map(|member| {
            let path = visible(&member.path, MAX_WORDS);
            let found = first_line(&path);
            let rank = match found {
                _ if member.path.eq_ignore_ascii_case("SKILL.md") => 0,
                Some(_) => 1,
                None => 2,
            };
            (rank, found.unwrap_or(1), member)
        })
        .collect();
    texts.sort_by_key(|(rank, ..)| *rank);
    let mut left = MAX_EXCERPTS_BYTES;
    let mut complete = members.iter().all(|member| matches!(member.kind, Kind::Text(_)));
    let mut excerpts = Vec::new();
    for (_, found, member) in texts {
        let most = MAX_EXCERPT_BYTES.min(left);
        let text = String::from_utf8_lossy(&member.bytes);
        // A file that fits is shown whole, a longer one from a little before what was found.
        let lines = if text.len() <= most { 1..usize::MAX } else { lines_around(member, found) };
        complete &= lines.start == 1 && text.len() <= most && member.gap.is_none();
        let excerpt = excerpt(member, &text, lines, most);
        left = left.saturating_sub(excerpt.text.len());
        if !excerpt.text.is_empty() {
            excerpts.push(excerpt);
        }
    }
    (excerpts, complete)
}

/// The lines of what was looked at, from a little before a line of the file; both ends of a long file are
/// not shown as one.
fn lines_around(member: &Member, found: usize) -> Range<usize> {
    let Some(gap) = member.gap else {
        return found.saturating_sub(LINES_BEFORE).max(1)..usize::MAX;
    };
    let found = gap.in_shown(found);
    let from = found.saturating_sub(LINES_BEFORE);
    if found < gap.end() { from.max(1)..gap.end() } else { from.max(gap.end())..usize::MAX }
}

/// Lines of a text, as far as they fit; of a line that is longer, its start.
fn excerpt(member: &Member, text: &str, lines: Range<usize>, most: usize) -> Excerpt {
    let mut shown = String::new();
    for line in text.lines().skip(lines.start - 1).take(lines.len()) {
        let line = redact(&visible_line(line));
        if shown.len() + line.len() + 1 > most {
            if shown.is_empty() {
                shown.push_str(&line[..super::text::floor(&line, most)]);
            }
            break;
        }
        shown.push_str(&line);
        shown.push('\n');
    }
    let line = member.gap.map_or(lines.start, |gap| gap.in_file((lines.start, 1)).0);
    Excerpt { file: visible(&member.path, MAX_WORDS), line, text: shown }
}

/// A line with its indentation, hidden characters spelled out.
fn visible_line(line: &str) -> String {
    let indented = line.len() - line.trim_start().len();
    let blanks = line[..indented].chars().map(|c| if c == '\t' { '\t' } else { ' ' });
    blanks.chain(visible(line, MAX_EXCERPT_BYTES).chars()).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::bundle;
    use super::*;

    /// A judge that says what it was told to say, and keeps what it was shown.
    struct Scripted {
        says: Result<Vec<Concern>, &'static str>,
        shown: RefCell<Vec<(Vec<Excerpt>, bool)>>,
    }

    impl Judge for Scripted {
        fn judge(&self, case: &Case<'_>) -> Result<Vec<Concern>, JudgeError> {
            self.shown.borrow_mut().push((case.excerpts.clone(), case.complete));
            self.says.clone().map_err(|words| JudgeError(words.to_owned()))
        }
    }

    fn says(concerns: Vec<Concern>) -> Scripted {
        Scripted { says: Ok(concerns), shown: RefCell::default() }
    }

    fn concern(severity: Severity, quote: &str) -> Concern {
        Concern {
            severity,
            file: "SKILL.md".to_owned(),
            quote: quote.to_owned(),
            message: "odd".to_owned(),
        }
    }

    fn report(verdict: Verdict) -> Report {
        let severity = match verdict {
            Verdict::Safe => Severity::Info,
            Verdict::Caution => Severity::Warn,
            Verdict::Dangerous => Severity::Critical,
        };
        let found = Finding {
            rule: "remote-to-interpreter".to_owned(),
            severity,
            category: "AST01".to_owned(),
            file: "SKILL.md".to_owned(),
            line: 1,
            column: 1,
            context: Context::Prose,
            message: "found by a rule".to_owned(),
            evidence: "evidence".to_owned(),
            flow: None,
            why: "why".to_owned(),
            hint: "hint".to_owned(),
        };
        Report {
            verdict,
            findings: vec![found],
            coverage: super::super::Coverage::default(),
            inventory: super::super::Inventory::default(),
            digest: String::new(),
            rules: String::new(),
        }
    }

    fn files(text: &str) -> Files {
        Files::of_text("SKILL.md", text.as_bytes().to_vec())
    }

    #[test]
    fn a_judge_raises_and_never_lowers() {
        for before in Verdict::ALL {
            for severity in
                [None, Some(Severity::Info), Some(Severity::Warn), Some(Severity::Critical)]
            {
                let judge =
                    says(severity.into_iter().map(|severity| concern(severity, "vault")).collect());
                let first = report(before);
                let after =
                    second_opinion(&files("Tidy the vault.\n"), first.clone(), &judge).unwrap();
                assert_eq!(
                    after.verdict,
                    before.max(Verdict::of(severity)),
                    "{before} and {severity:?}"
                );
                assert!(after.findings.contains(&first.findings[0]), "what was found stays");
                assert_eq!(after.findings.len(), 1 + usize::from(severity.is_some()));
            }
        }
    }

    #[test]
    fn a_concern_stands_where_its_quotation_stands() {
        let judge = says(vec![concern(Severity::Critical, "the väult")]);
        let after =
            second_opinion(&files("One.\n  Tidy the väult.\n"), report(Verdict::Safe), &judge)
                .unwrap();
        let found = &after.findings[0];
        assert_eq!((found.rule.as_str(), found.line, found.column), ("second-opinion", 2, 8));
    }

    #[test]
    fn a_quotation_that_is_not_in_the_text_decides_nothing() {
        for quote in ["the safe", ""] {
            let judge = says(vec![concern(Severity::Critical, quote)]);
            let after =
                second_opinion(&files("Tidy the vault.\n"), report(Verdict::Safe), &judge).unwrap();
            assert_eq!(after.verdict, Verdict::Safe);
            let told = after.findings.iter().find(|found| found.rule == "second-opinion").unwrap();
            assert_eq!(told.message, "odd (the quoted text was not found)");
        }
    }

    #[test]
    fn words_of_a_judge_are_made_visible_and_cut() {
        let mut loud = concern(Severity::Warn, "vault");
        loud.message = format!("\u{1b}[2J{}", "x".repeat(MAX_WORDS));
        let after =
            second_opinion(&files("vault\n"), report(Verdict::Safe), &says(vec![loud])).unwrap();
        let message = &after.findings[0].message;
        assert!(message.starts_with("\\u{1b}[2Jx") && message.ends_with('…'), "{message}");
    }

    #[test]
    fn the_worst_concerns_are_kept_when_there_are_too_many() {
        let mut many = vec![concern(Severity::Info, "vault"); MAX_CONCERNS];
        many.push(concern(Severity::Critical, "vault"));
        let after = second_opinion(&files("vault\n"), report(Verdict::Safe), &says(many)).unwrap();
        assert_eq!(after.verdict, Verdict::Dangerous);
        assert_eq!(after.findings.len(), 1 + MAX_CONCERNS);
    }

    #[test]
    fn no_opinion_is_an_error_and_not_an_acquittal() {
        let judge = Scripted { says: Err("no network"), shown: RefCell::default() };
        let error = second_opinion(&files("x\n"), report(Verdict::Safe), &judge).unwrap_err();
        assert_eq!(error.to_string(), "the judge gave no opinion: no network");
    }

    #[test]
    fn a_text_is_shown_whole_at_the_bound_and_from_what_was_found_past_it() {
        let line = "0123456789abcde\n";
        let fits = line.repeat(MAX_EXCERPT_BYTES / line.len());
        let judge = says(Vec::new());
        let mut found = report(Verdict::Caution);
        found.findings[0].line = 900;
        second_opinion(&files(&fits), found.clone(), &judge).unwrap();
        second_opinion(&files(&format!("{fits}{line}")), found, &judge).unwrap();
        let shown = judge.shown.borrow();
        assert_eq!(
            (shown[0].0[0].line, shown[0].0[0].text.len(), shown[0].1),
            (1, MAX_EXCERPT_BYTES, true)
        );
        assert_eq!((shown[1].0[0].line, shown[1].1), (900 - LINES_BEFORE, false));
        assert!(shown[1].0[0].text.len() <= MAX_EXCERPT_BYTES);
    }

    #[test]
    fn a_finding_at_the_end_of_a_long_file_is_shown_with_its_line_in_the_file() {
        let line = "0123456789abcde\n";
        let script = format!("{}the vault\n{}", line.repeat(3 << 20), line.repeat(4));
        let files = Files { bundle: bundle::of_files([("SKILL.md", script.as_bytes())]) };
        let judge = says(vec![concern(Severity::Warn, "vault")]);
        let mut found = report(Verdict::Caution);
        found.findings[0].line = (3 << 20) + 1;
        let after = second_opinion(&files, found, &judge).unwrap();
        let told = after.findings.iter().find(|found| found.rule == "second-opinion").unwrap();
        assert_eq!((told.line, told.column), ((3 << 20) + 1, 5));
        let shown = judge.shown.borrow();
        assert_eq!((shown[0].0[0].line, shown[0].1), ((3 << 20) + 1 - LINES_BEFORE, false));
    }

    #[test]
    fn one_endless_line_is_cut() {
        let judge = says(Vec::new());
        second_opinion(&files(&"é".repeat(MAX_EXCERPT_BYTES)), report(Verdict::Safe), &judge)
            .unwrap();
        let shown = judge.shown.borrow();
        assert!(!shown[0].0[0].text.is_empty() && shown[0].0[0].text.len() <= MAX_EXCERPT_BYTES);
        assert!(!shown[0].1);
    }

    #[test]
    fn all_excerpts_together_stay_inside_their_budget() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["SKILL.md", "a.md", "b.md", "c.md", "d.md", "e.md"] {
            std::fs::write(folder.path().join(name), "some text\n".repeat(1_500)).unwrap();
        }
        let judge = says(Vec::new());
        second_opinion(&Files::read(folder.path()).unwrap(), report(Verdict::Safe), &judge)
            .unwrap();
        let shown = judge.shown.borrow();
        let all: usize = shown[0].0.iter().map(|excerpt| excerpt.text.len()).sum();
        assert!(all <= MAX_EXCERPTS_BYTES && all > MAX_EXCERPTS_BYTES - MAX_EXCERPT_BYTES, "{all}");
        assert_eq!(shown[0].0[0].file, "SKILL.md");
        assert!(!shown[0].1);
    }
}
