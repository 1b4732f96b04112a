//! How much a finding in prose stands on, and how much it must stand on.
//!
//! Words of every role meet by chance in a long document, as in any many comparisons one comes out. So
//! evidence that is only a meeting of words is counted in points, and the points that it needs grow with the
//! logarithm of the prose that a skill has. What names a harm by itself, such as a secret sent to a host, is
//! [`Piece::add`]ed whatever the length, since one such line in a long honest document is an attack.

use std::ops::Range;

use super::super::finding::{Context, Severity};
use super::super::findings::{Findings, Match};
use super::super::kind::Language;
use super::super::passage::Passage;
use super::Piece;
use super::lexicon::{Concept, Set};
use super::sentences::{Sentence, Token};

/// Bytes of prose in which a meeting of words needs no more evidence than itself.
const SHORT: usize = 2 * 1024;

/// What words count that order something.
const ORDERED: u32 = 6;

/// What words count beside that by which somebody is told to be silent: ordinary skills hardly have them.
const SILENCE: u32 = 3;

/// What a pattern counts beside that which is an attack in nearly every text.
const PLAIN: u32 = 4;

/// What each thing told by its form counts that the words speak of: an address, a secret's file, an account.
const NAMED: u32 = 2;

/// Things told by their form, one kind in each row.
const KINDS: [Set; 6] = [
    Set::of(&[Concept::Host, Concept::Email]),
    Set::of(&[Concept::SecretPath, Concept::DotEnv, Concept::LoginsPath]),
    Set::of(&[Concept::SkipFlag, Concept::ChecksOff]),
    Set::of(&[Concept::Account, Concept::CloudAccount]),
    Set::of(&[Concept::Autorun, Concept::HiddenPath, Concept::TempFile]),
    Set::of(&[Concept::MemoryFile, Concept::SettingsFile, Concept::SkillsFolder]),
];

/// Words by which something is kept quiet.
const QUIET: Set = Set::of(&[
    Concept::Dark,
    Concept::Mute,
    Concept::Unsaid,
    Concept::Covert,
    Concept::LeaveOut,
    Concept::Unheard,
    Concept::Unaware,
    Concept::Absent,
]);

/// What is done to files, rows and services too.
const HANDLED: [&str; 8] = ["leave", "keep", "hide", "list", "bring", "skip", "record", "recorded"];
/// What it is done to, named before.
const MEANT: [&str; 6] = ["it", "them", "this", "that", "the", "these"];
/// Words of speech, of silence by its name, and of those who hear.
const HEARD: [&str; 12] = [
    "yourself",
    "quiet",
    "silent",
    "secret",
    "confidential",
    "internal",
    "unmentioned",
    "summary",
    "report",
    "user",
    "existence",
    "word",
];

/// The points that evidence needs in a skill with so many bytes of prose: two for every doubling.
pub(in crate::scan) fn needed(prose: usize) -> u32 {
    let ratio = (prose as u128).pow(2) / (SHORT as u128).pow(2);
    ratio.checked_ilog2().unwrap_or_default()
}

/// The bytes of prose in a skill.
pub(super) fn length(passages: &[Passage<'_>]) -> usize {
    let is_prose = |passage: &&Passage<'_>| {
        passage.context == Context::Prose
            && passage.decoded.is_none()
            && matches!(passage.language, Language::Markdown | Language::Plain | Language::Html)
    };
    passages.iter().filter(is_prose).map(|passage| passage.text.len()).sum()
}

impl Piece<'_, '_> {
    /// Adds what words say together: as many points as they count, and those of what they name.
    pub(super) fn weigh(&self, findings: &mut Findings<'_>, range: Range<usize>, found: Match) {
        let points = self.points(&range, found.severity);
        match points {
            Some(points) => self.suppose(findings, range, found, points),
            None => self.add(findings, range, found),
        }
    }

    /// Adds a finding that stands on so many points.
    pub(super) fn suppose(
        &self,
        findings: &mut Findings<'_>,
        range: Range<usize>,
        found: Match,
        points: u32,
    ) {
        let range = self.start + range.start..self.start + range.end;
        findings.suppose(self.passage, range, found, points);
    }

    /// What the sentences at a range count for the things that they name.
    pub(super) fn named(&self, range: &Range<usize>) -> u32 {
        let set = self.at(range).fold(Set::NONE, |set, one| set.with(one.set()));
        KINDS.iter().filter(|kind| kind.meets(set)).map(|_| NAMED).sum()
    }

    /// The sentences that a range touches.
    fn at(&self, range: &Range<usize>) -> impl Iterator<Item = &Sentence> {
        let first = self.sentences.partition_point(|one| one.range.end <= range.start);
        let end = range.end;
        self.sentences[first..].iter().take_while(move |one| one.range.start < end)
    }

    /// The points of what the words in a range say, unless they name a harm and need none.
    fn points(&self, range: &Range<usize>, severity: Severity) -> Option<u32> {
        let mut quiet = self
            .at(range)
            .flat_map(|one| one.tokens.iter().map(move |token| (one, token)))
            .filter(|(_, token)| !token.quoted && token.set.meets(QUIET))
            .map(|(one, token)| {
                token.set.has(Concept::Described)
                    || self.is_of_things(token) && !self.names_listener(one, token)
            })
            .peekable();
        let is_quiet = quiet.peek().is_some();
        if is_quiet && severity < Severity::Critical && quiet.all(|is_weak| is_weak) {
            return Some(0);
        }
        let named = self.named(range);
        match severity {
            Severity::Critical if named > 0 => None,
            Severity::Critical => Some(ORDERED + PLAIN),
            _ => Some(ORDERED + named + if is_quiet { SILENCE } else { 0 }),
        }
    }

    /// Whether words of silence are as much those of files and settings: `leave it out`, `bring it up`, and no
    /// word in them is of speech or of somebody who might hear.
    fn is_of_things(&self, token: &Token) -> bool {
        let text = &self.passage.text[self.start..];
        let said = text[token.range.clone()].to_lowercase();
        let has = |words: &[&str]| {
            said.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
        };
        has(&HANDLED) && has(&MEANT) && !has(&HEARD)
    }

    /// Whether the sentence of words of silence names who is not to hear, or the account that something is kept
    /// out of: before them, or behind them within the clause. An account may stand in the sentence before, too.
    fn names_listener(&self, sentence: &Sentence, silence: &Token) -> bool {
        const LISTENERS: Set = Set::of(&[Concept::User, Concept::Reply, Concept::Docs]);
        const ACCOUNTS: Set = Set::of(&[Concept::Reply, Concept::Docs]);
        let end = silence.range.end;
        let stop = sentence.commas.iter().copied().find(|comma| *comma >= end);
        let here = sentence.tokens.iter().any(|token| {
            !token.range.contains(&silence.range.start)
                && stop.is_none_or(|stop| token.range.start < stop)
                && token.set.meets(LISTENERS)
        });
        let before = self.sentences.partition_point(|one| one.range.end <= sentence.range.start);
        let told = before.checked_sub(1).map_or(Set::NONE, |at| self.sentences[at].set());
        here || told.meets(ACCOUNTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_needs_nothing_and_every_doubling_two_points() {
        let points = |prose| (needed(prose), needed(prose - 1));
        assert_eq!((needed(0), needed(SHORT)), (0, 0));
        assert_eq!(points(2 * SHORT), (2, 1));
        assert_eq!(points(4 * SHORT), (4, 3));
        assert_eq!(points(8 * SHORT), (ORDERED, ORDERED - 1));
        assert!(needed(usize::MAX) > needed(1 << 40));
    }
}
