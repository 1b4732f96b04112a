//! Gathers findings: one place that turns a match into a finding, with its context, evidence and a
//! bound on how often one rule speaks about one file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::bundle::Member;
use super::finding::{Context, Finding, Flow, Severity};
use super::masked::redact;
use super::passage::Passage;
use super::rules::{self, Rule};
use super::text::visible;

/// Findings of one rule in one file that are kept; the rest are counted.
pub(crate) const MAX_PER_RULE_AND_FILE: usize = 12;

/// Everything found so far in one skill.
pub(crate) struct Findings<'a> {
    members: &'a [Member],
    found: Vec<Finding>,
    counts: HashMap<(&'static str, usize), usize>,
    /// Files of which something was not followed to its end.
    unfinished: BTreeSet<usize>,
    /// What only words say, by file and line: it counts when there is enough of it.
    supposed: BTreeMap<(usize, usize), Vec<Supposed>>,
    /// How many of them are kept for a rule in a file, and the most points of one.
    kept: HashMap<(&'static str, usize), (usize, u32)>,
}

/// A match that stands on so many points.
struct Supposed {
    column: usize,
    context: Context,
    evidence: String,
    found: Match,
    points: u32,
}

/// Lines of one file in which one rule's supposed matches are kept; beyond them only one that counts more than all.
const MAX_SUPPOSED: usize = 256;

/// Lines around a match in which another one speaks for it.
const NEARBY: usize = 6;

/// A match, before it is a finding.
#[derive(Clone)]
pub(crate) struct Match {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) flow: Option<Flow>,
}

impl Match {
    pub(crate) fn new(rule: &'static Rule, severity: Severity, message: impl Into<String>) -> Self {
        Self { rule, severity, message: message.into(), flow: None }
    }

    #[must_use]
    pub(crate) fn with(mut self, flow: Flow) -> Self {
        self.flow = Some(flow);
        self
    }
}

impl<'a> Findings<'a> {
    pub(crate) fn new(members: &'a [Member]) -> Self {
        Self {
            members,
            found: Vec::new(),
            counts: HashMap::new(),
            unfinished: BTreeSet::new(),
            supposed: BTreeMap::new(),
            kept: HashMap::new(),
        }
    }

    /// Adds a match in a passage. A mention or an unused fixture is inventory, whatever it says.
    pub(crate) fn add(&mut self, passage: &Passage<'_>, range: Range<usize>, found: Match) {
        let severity = if passage.context.acts() { found.severity } else { Severity::Info };
        let (line, column) = passage.place.position(range.start);
        let evidence = passage.evidence(&range);
        self.push(
            passage.file,
            line,
            column,
            passage.context,
            &evidence,
            Match { severity, ..found },
        );
    }

    /// Adds a match in a passage that only words speak for, with the points that they count.
    pub(crate) fn suppose(
        &mut self,
        passage: &Passage<'_>,
        range: Range<usize>,
        found: Match,
        points: u32,
    ) {
        if !passage.context.acts() || found.severity < Severity::Warn {
            self.add(passage, range, found);
            return;
        }
        let (line, column) = passage.place.position(range.start);
        let is_same = |other: &Supposed| other.found.rule.id == found.rule.id;
        let here = self.supposed.get(&(passage.file, line));
        let same = here.and_then(|here| here.iter().find(|other| is_same(other)));
        if same.is_some_and(|same| same.points >= points) {
            return;
        }
        let (count, most) = self.kept.entry((found.rule.id, passage.file)).or_default();
        if *count >= MAX_SUPPOSED && points <= *most {
            return;
        }
        *count += 1;
        *most = points.max(*most);
        let evidence = passage.evidence(&range);
        let new = Supposed { column, context: passage.context, evidence, found, points };
        let here = self.supposed.entry((passage.file, line)).or_default();
        here.retain(|other| other.found.rule.id != new.found.rule.id);
        here.push(new);
    }

    /// Makes findings of what was supposed: warnings of what counts as many points as are needed, by itself or
    /// with what another rule says nearby, and notes of the rest.
    pub(crate) fn settle(&mut self, needed: u32) {
        let supposed = std::mem::take(&mut self.supposed);
        for (&(file, line), here) in &supposed {
            let near = supposed.range((file, line.saturating_sub(NEARBY))..=(file, line + NEARBY));
            let near: Vec<&Supposed> = near.flat_map(|(_, others)| others).collect();
            for one in here {
                let others = near.iter().filter(|other| other.found.rule.id != one.found.rule.id);
                let further = others.map(|other| other.points).max().unwrap_or_default();
                let severity = if one.points + further >= needed {
                    one.found.severity
                } else {
                    Severity::Info
                };
                let found = Match { severity, ..one.found.clone() };
                self.push(file, line, one.column, one.context, &one.evidence, found);
            }
        }
    }

    /// Says that something in a passage was not followed to its end, and why.
    pub(crate) fn unfinished(&mut self, passage: &Passage<'_>, range: Range<usize>, why: &str) {
        self.unfinished.insert(passage.file);
        self.add(passage, range, unfinished(why));
    }

    /// Says that a file was not looked at to its end, and why.
    pub(crate) fn unfinished_file(&mut self, file: usize, evidence: &str, why: &str) {
        self.unfinished.insert(file);
        self.add_file(file, evidence, unfinished(why));
    }

    /// Files of which something was not followed to its end.
    pub(crate) fn unfinished_files(&self) -> impl Iterator<Item = usize> {
        self.unfinished.iter().copied()
    }

    /// Adds a match about a whole file.
    pub(crate) fn add_file(&mut self, file: usize, evidence: &str, found: Match) {
        self.push(
            file,
            0,
            0,
            Context::Setting,
            &visible(evidence, super::passage::MAX_EVIDENCE),
            found,
        );
    }

    /// Adds a match at a line of a file.
    pub(crate) fn add_at(
        &mut self,
        file: usize,
        (line, column): (usize, usize),
        context: Context,
        evidence: &str,
        found: Match,
    ) {
        let severity = if context.acts() { found.severity } else { Severity::Info };
        let evidence = visible(evidence, super::passage::MAX_EVIDENCE);
        self.push(file, line, column, context, &evidence, Match { severity, ..found });
    }

    /// Adds a match about a path that is no member: a link, an unreadable file.
    pub(crate) fn add_path(&mut self, path: &str, evidence: &str, found: Match) {
        self.found.push(finish(
            visible(path, 200),
            0,
            0,
            Context::Setting,
            &visible(evidence, super::passage::MAX_EVIDENCE),
            found,
        ));
    }

    fn push(
        &mut self,
        file: usize,
        line: usize,
        column: usize,
        context: Context,
        evidence: &str,
        found: Match,
    ) {
        let path =
            self.members.get(file).map_or_else(String::new, |member| visible(&member.path, 200));
        // The same rule at the same line: the worst one stays, unless each is a flow of its own.
        if let Some(same) = self.found.iter_mut().rev().take(64).find(|f| {
            f.rule == found.rule.id && f.line == line && f.file == path && !is_apart(f, &found)
        }) {
            if found.severity > same.severity {
                *same = finish(path, line, column, context, evidence, found);
            }
            return;
        }
        let count = self.counts.entry((found.rule.id, file)).or_default();
        *count += 1;
        if *count > MAX_PER_RULE_AND_FILE {
            // A worse one than those kept must not be lost behind many mild ones.
            let rule = found.rule.id;
            let milder = self
                .found
                .iter_mut()
                .find(|f| f.rule == rule && f.file == path && f.severity < found.severity);
            if let Some(milder) = milder {
                *milder = finish(path, line, column, context, evidence, found);
            }
            return;
        }
        self.found.push(finish(path, line, column, context, evidence, found));
    }

    /// The evidence of some rules' findings, sorted, each once.
    pub(crate) fn evidence_of(&self, rules: &[&Rule]) -> Vec<String> {
        let mut found: Vec<String> = self
            .found
            .iter()
            .filter(|finding| rules.iter().any(|rule| rule.id == finding.rule))
            .map(|finding| finding.evidence.clone())
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// The worst severity so far.
    pub(crate) fn worst(&self) -> Option<Severity> {
        self.found.iter().map(|finding| finding.severity).max()
    }

    /// Whether anything was found that does harm.
    pub(crate) fn harm(&self) -> bool {
        self.found
            .iter()
            .any(|found| found.severity > Severity::Info && found.rule != rules::UNFINISHED.id)
    }

    /// The findings, worst first, then by file and line.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        self.found.sort_by(|a, b| {
            b.severity.cmp(&a.severity).then_with(|| {
                (&a.file, a.line, a.column, &a.rule).cmp(&(&b.file, b.line, b.column, &b.rule))
            })
        });
        self.found
    }
}

/// Whether two findings of one rule in one line are two: each matters, and what flows or where to differs.
fn is_apart(one: &Finding, other: &Match) -> bool {
    let ends = |flow: &Flow| (flow.source.clone(), flow.destination.clone());
    one.severity > Severity::Info
        && other.severity > Severity::Info
        && one.message != other.message
        && match (&one.flow, &other.flow) {
            (Some(one), Some(other)) => ends(one) != ends(other),
            _ => false,
        }
}

fn unfinished(why: &str) -> Match {
    let message = format!("not looked at in full: {why}");
    Match::new(&rules::UNFINISHED, Severity::Warn, message)
}

/// A flow whose ends are shown without the secrets in them.
fn masked(flow: Flow) -> Flow {
    let part = |text: Option<String>| text.map(|text| redact(&text));
    Flow {
        source: part(flow.source),
        transform: flow.transform,
        sink: part(flow.sink),
        destination: part(flow.destination),
        trigger: part(flow.trigger),
    }
}

fn finish(
    file: String,
    line: usize,
    column: usize,
    context: Context,
    evidence: &str,
    found: Match,
) -> Finding {
    Finding {
        rule: found.rule.id.to_owned(),
        severity: found.severity,
        category: found.rule.category.to_owned(),
        file,
        line,
        column,
        context,
        message: redact(&found.message),
        evidence: redact(evidence),
        flow: found.flow.map(masked),
        why: found.rule.why.to_owned(),
        hint: found.rule.fix.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::kind::Language;
    use super::super::passage::Place;
    use super::*;

    fn suppose(findings: &mut Findings<'_>, rule: &'static Rule, line: usize, points: u32) {
        let passage = Passage {
            file: 0,
            language: Language::Markdown,
            context: Context::Prose,
            text: Cow::Borrowed("words"),
            place: Place::Fixed { line, column: 1 },
            headings: Cow::Borrowed(""),
            lead: Cow::Borrowed(""),
            decoded: None,
        };
        findings.suppose(&passage, 0..5, Match::new(rule, Severity::Warn, "words"), points);
    }

    /// The worst of what two rules say so many lines from each other with two points each.
    fn together(lines: usize, needed: u32) -> Option<Severity> {
        let mut findings = Findings::new(&[]);
        suppose(&mut findings, &rules::CONCEAL_FROM_USER, 1, 2);
        suppose(&mut findings, &rules::BYPASS_APPROVAL, 1 + lines, 2);
        findings.settle(needed);
        findings.worst()
    }

    /// The lines that are kept of so many, and the worst of them when the last counts more.
    fn kept(lines: usize, last: u32) -> (usize, Option<Severity>) {
        let mut findings = Findings::new(&[]);
        for line in 1..lines {
            suppose(&mut findings, &rules::CONCEAL_FROM_USER, line, 2);
        }
        suppose(&mut findings, &rules::CONCEAL_FROM_USER, lines, last);
        let count = findings.supposed.len();
        findings.settle(3);
        (count, findings.worst())
    }

    #[test]
    fn one_that_counts_more_is_kept_behind_many_others() {
        assert_eq!(kept(MAX_SUPPOSED, 2), (MAX_SUPPOSED, Some(Severity::Info)));
        assert_eq!(kept(MAX_SUPPOSED + 1, 2), (MAX_SUPPOSED, Some(Severity::Info)));
        assert_eq!(kept(MAX_SUPPOSED + 1, 3), (MAX_SUPPOSED + 1, Some(Severity::Warn)));
    }

    #[test]
    fn what_is_supposed_counts_alone_or_with_another_rule_that_is_near() {
        assert_eq!(together(NEARBY, 2), Some(Severity::Warn));
        assert_eq!(together(NEARBY, 4), Some(Severity::Warn));
        assert_eq!(together(NEARBY, 5), Some(Severity::Info));
        assert_eq!(together(NEARBY + 1, 4), Some(Severity::Info));
    }
}
