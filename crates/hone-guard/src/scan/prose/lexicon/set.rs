//! Sets of concepts, as bits. All of it is known when the program is built, so that a rule is a constant.

use super::concepts::Concept;

/// A set of concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Set([u128; WORDS]);

/// Words of a set: each has room for 128 concepts.
const WORDS: usize = 4;

impl Set {
    pub(crate) const NONE: Self = Self([0; WORDS]);

    pub(crate) const fn of(concepts: &[Concept]) -> Self {
        let mut bits = [0; WORDS];
        let mut at = 0;
        while at < concepts.len() {
            bits[concepts[at] as usize / 128] |= 1 << (concepts[at] as u32 % 128);
            at += 1;
        }
        Self(bits)
    }

    /// Every concept from one to another, in the order of the table.
    pub(crate) const fn range(first: Concept, last: Concept) -> Self {
        let mut bits = [0; WORDS];
        let mut at = first as usize;
        while at <= last as usize {
            bits[at / 128] |= 1 << (at % 128);
            at += 1;
        }
        Self(bits)
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        !self.only(other).is_empty()
    }

    pub(crate) const fn has(self, concept: Concept) -> bool {
        self.0[concept as usize / 128] >> (concept as u32 % 128) & 1 == 1
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    pub(crate) const fn only(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[0] & !b[0], a[1] & !b[1], a[2] & !b[2], a[3] & !b[3]])
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }
}
