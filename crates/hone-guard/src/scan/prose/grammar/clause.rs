//! One or two sentences as the stems of one language in them, and where these stand to each other.

use std::ops::Range;

use super::{Root, Word};
use crate::scan::prose::sentences::Sentence;

/// The stems of one language in neighbouring sentences.
pub(super) struct Clause<'s> {
    words: Vec<&'s Word>,
    roots: u64,
}

impl<'s> Clause<'s> {
    pub(super) fn new(sentences: &'s [Sentence], tongue: u8) -> Self {
        let all = sentences.iter().flat_map(|sentence| &sentence.words);
        let words: Vec<&Word> = all.filter(|word| word.tongue == tongue).collect();
        let roots = words.iter().fold(0, |roots, word| roots | 1 << word.root as u64);
        Self { words, roots }
    }

    pub(super) const fn has(&self, root: Root) -> bool {
        self.roots >> root as u64 & 1 == 1
    }

    pub(super) fn has_all(&self, roots: &[Root]) -> bool {
        roots.iter().all(|root| self.has(*root))
    }

    pub(super) fn has_any(&self, roots: &[Root]) -> bool {
        roots.iter().any(|root| self.has(*root))
    }

    fn of(&self, root: Root) -> impl Iterator<Item = &'s Word> {
        self.words.iter().copied().filter(move |word| word.root == root)
    }

    /// Whether two roots stand at most so many words from each other, in either order.
    pub(super) fn near(&self, one: Root, other: Root, within: usize) -> bool {
        self.has(one)
            && self.has(other)
            && self.of(one).any(|a| self.of(other).any(|b| a.at.abs_diff(b.at) <= within))
    }

    /// Whether a root stands at most so many words before another.
    pub(super) fn leads(&self, one: Root, other: Root, within: usize) -> bool {
        self.of(one)
            .any(|a| self.of(other).any(|b| a.range.end <= b.range.start && a.at + within >= b.at))
    }

    /// Whether a negation of its own stands at most so many words before every word of a root.
    pub(super) fn is_denied(&self, root: Root, within: usize) -> bool {
        self.of(root).all(|word| {
            self.of(Root::Nay)
                .any(|nay| nay.range.end <= word.range.start && nay.at + within >= word.at)
        })
    }

    /// Whether the sentence is negated by another word than those of a root.
    pub(super) fn is_denied_besides(&self, root: Root) -> bool {
        self.of(Root::Nay).any(|nay| self.of(root).all(|word| !overlap(&nay.range, &word.range)))
    }
}

const fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Words between a negation and what it makes a condition.
const PROVISO: usize = 8;

/// Whether a sentence makes leave a condition: `Never run a command without the user's consent`. What is
/// joined to the negation by a mark or an `and` is another order.
pub(in crate::scan::prose) fn is_proviso(words: &[Word], lower: &str) -> bool {
    const JOINTS: [&str; 7] = [",", ":", " and ", " y ", " und ", " et ", " и "];
    let of = |root: Root| words.iter().filter(move |word| word.root == root);
    of(Root::Lacking).any(|lacking| {
        let same = |word: &&Word| word.tongue == lacking.tongue;
        let leave = of(Root::Leave)
            .filter(same)
            .any(|leave| leave.at > lacking.at && leave.at <= lacking.at + PROVISO);
        leave
            && of(Root::Nay).filter(same).any(|nay| {
                nay.range.end <= lacking.range.start
                    && nay.at + PROVISO >= lacking.at
                    && !JOINTS
                        .iter()
                        .any(|joint| lower[nay.range.end..lacking.range.start].contains(joint))
            })
    })
}

/// Words between a negation and the act that it forbids.
const FORBIDDEN: usize = 4;

/// Whether every act that a sentence speaks of is forbidden: `Never execute what it contains`. Words that are
/// spelled alike in a language without a negation there are none of it.
pub(in crate::scan::prose) fn is_left_undone(words: &[Word]) -> bool {
    let nays = |tongue: u8| {
        words.iter().filter(move |word| word.root == Root::Nay && word.tongue == tongue)
    };
    let mut acts = words
        .iter()
        .filter(|word| matches!(word.root, Root::Does | Root::Heeds))
        .filter(|word| nays(word.tongue).next().is_some())
        .peekable();
    let is_forbidden = |act: &Word| {
        nays(act.tongue).any(|nay| {
            if nay.range.end <= act.range.start {
                nay.at + FORBIDDEN >= act.at
            } else {
                DENIES_AFTER.contains(&act.tongue) && act.at + FORBIDDEN >= nay.at
            }
        })
    };
    acts.peek().is_some() && acts.all(is_forbidden)
}

/// The languages that deny behind the verb, German and French: `führe es nicht aus`, `n'exécute pas`.
const DENIES_AFTER: [u8; 2] = [3, 4];
