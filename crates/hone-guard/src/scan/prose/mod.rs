//! Sentences that turn an agent against its user.
//!
//! Words are mapped to concepts ([`lexicon`]), texts to sequences of them ([`sentences`]), and
//! attacks are sequences of concepts ([`patterns`]); the language does not matter. Steps that belong
//! together only across a section, such as a download and its password, have modules of their own
//! ([`droppers`], [`sending`]).

mod droppers;
mod lexicon;
mod patterns;
mod sending;
mod sentences;
#[cfg(test)]
mod tests;
mod texts;

use std::borrow::Cow;
use std::ops::Range;

use super::Skill;
use super::finding::{Context, Severity};
use super::findings::{Findings, Match};
use super::kind::Language;
use super::passage::Passage;
use super::rules;

use lexicon::{Concept, Set};
use patterns::{HIDDEN, PATTERNS};
use sentences::{Sentence, sentences};

/// Looks at one passage by itself: hidden and decoded text, strings of settings, comments of code.
pub(crate) fn look(passage: &Passage<'_>, _skill: &Skill<'_>, findings: &mut Findings<'_>) {
    match passage.language {
        Language::Json | Language::Yaml | Language::Toml | Language::Ini => {
            for range in texts::strings(passage.language, &passage.text) {
                Piece::new(passage, range).look(findings, Bar::Shown);
            }
        }
        Language::Markdown | Language::Plain | Language::Html
            if passage.context == Context::Hidden =>
        {
            Piece::whole(passage).look(findings, Bar::Hidden);
        }
        language
            if language.runs()
                && passage.decoded.is_none()
                && matches!(passage.context, Context::Script | Context::Fence) =>
        {
            for range in texts::comments(language, &passage.text) {
                Piece::new(passage, range).look(findings, Bar::Comment);
            }
        }
        _ => {}
    }
}

/// Looks at the prose of a skill in order, and at what stands together only across a section.
pub(crate) fn look_across(
    passages: &[Passage<'_>],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    let mut section = Vec::new();
    for passage in passages {
        if !is_prose(passage) {
            continue;
        }
        let piece = Piece::whole(passage);
        piece.look(findings, Bar::Shown);
        if section.last().is_some_and(|last: &Piece<'_, '_>| {
            last.passage.file != passage.file || last.passage.headings != passage.headings
        }) {
            sending::look(&section, skill, findings);
            section.clear();
        }
        section.push(piece);
    }
    sending::look(&section, skill, findings);
    droppers::look(passages, skill, findings);
}

fn is_prose(passage: &Passage<'_>) -> bool {
    matches!(passage.language, Language::Markdown | Language::Plain | Language::Html)
        && passage.context != Context::Hidden
        && passage.context != Context::Fence
}

/// How much a text may say before it is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bar {
    /// A reader sees it.
    Shown,
    /// A reader does not see it: any order is one too many.
    Hidden,
    /// A comment of code: only what speaks to an agent or a scanner counts.
    Comment,
}

/// A part of a passage, read as sentences.
struct Piece<'p, 'a> {
    passage: &'p Passage<'a>,
    start: usize,
    sentences: Vec<Sentence>,
    set: Set,
}

impl<'p, 'a> Piece<'p, 'a> {
    fn whole(passage: &'p Passage<'a>) -> Self {
        Self::new(passage, 0..passage.text.len())
    }

    fn new(passage: &'p Passage<'a>, range: Range<usize>) -> Self {
        let text = &passage.text[range.clone()];
        let text: Cow<'_, str> = match passage.language {
            // Escapes of a string become blanks of the same length.
            Language::Json | Language::Yaml | Language::Toml if text.contains('\\') => {
                Cow::Owned(text.replace("\\n", "  ").replace("\\t", "  ").replace("\\\"", " \""))
            }
            _ => Cow::Borrowed(text),
        };
        let sentences = sentences(&text);
        let set = sentences.iter().fold(Set::NONE, |set, sentence| set.with(sentence.set()));
        Self { passage, start: range.start, sentences, set }
    }

    fn look(&self, findings: &mut Findings<'_>, bar: Bar) {
        if self.set.is_empty()
            || bar == Bar::Comment && !self.set.meets(Set::of(&[Concept::Agent, Concept::Scanner]))
        {
            return;
        }
        let encoded = self.passage.decoded.is_some();
        for sentence in &self.sentences {
            if bar == Bar::Hidden {
                for pattern in HIDDEN.iter().chain(PATTERNS) {
                    if let Some(hit) = pattern.find(sentence, self.set) {
                        let rule = if encoded {
                            &rules::ENCODED_INSTRUCTION
                        } else {
                            &rules::HIDDEN_INSTRUCTION
                        };
                        let severity = if hit.mention { Severity::Info } else { pattern.severity };
                        self.add(findings, hit.range, Match::new(rule, severity, pattern.message));
                    }
                }
            } else {
                for pattern in PATTERNS {
                    if let Some(hit) = pattern.find(sentence, self.set) {
                        let severity = if hit.mention { Severity::Info } else { pattern.severity };
                        self.add(
                            findings,
                            hit.range,
                            Match::new(pattern.rule, severity, pattern.message),
                        );
                    }
                }
            }
        }
    }

    fn add(&self, findings: &mut Findings<'_>, range: Range<usize>, found: Match) {
        findings.add(self.passage, self.start + range.start..self.start + range.end, found);
    }
}
