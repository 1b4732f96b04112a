//! Routing memory: how near a message comes to messages that a skill's suite remembers.
//!
//! Near means the cosine of their words, each weighted by its rarity in the library. The best of a
//! skill's messages counts, not their sum, so that a long suite wins nothing by its length.

use crate::document::{Kind, remembered_key};
use crate::index::{Index, Remembered};
use crate::meaning::Vector;
use crate::query::Query;
use crate::suite::MAX_REMEMBERED;

/// What comes less near than this is not near at all, and not worth the arithmetic.
const LEAST: f32 = 0.15;

/// How near a message comes to the remembered ones of a skill, from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Similarity {
    /// To the nearest that should call it.
    pub(crate) positive: f32,
    /// To the nearest that should not.
    pub(crate) negative: f32,
}

/// The similarity of every skill; empty when nothing is remembered.
pub(crate) fn similarities(
    index: &Index<'_>,
    query: &Query,
    asked: Option<&Vector>,
) -> Vec<Similarity> {
    let messages = &index.messages;
    if messages.all.is_empty() {
        return Vec::new();
    }
    let mut common = vec![0.0_f32; messages.all.len()];
    let mut length = 0.0;
    for stem in &query.stems {
        // As of the remembered words, of which only stems are kept.
        let weight = index.rarity(stem.key);
        length += weight * weight;
        for kind in [Kind::Yes, Kind::No] {
            for (skill, bits) in index.list(remembered_key(kind, stem.key)) {
                let start = messages.start(skill, kind);
                let holding = (0..MAX_REMEMBERED).filter(|number| bits >> number & 1 == 1);
                for number in holding {
                    if let Some(common) = common.get_mut(start + number) {
                        *common += weight * weight;
                    }
                }
            }
        }
    }
    let mut similar = vec![Similarity::default(); index.len()];
    let meanings = index.meanings.as_ref().zip(asked);
    for (number, (remembered, common)) in messages.all.iter().zip(common).enumerate() {
        let by_words = by_words(index, remembered, common, length);
        let cosine = match meanings {
            Some((meanings, asked)) => {
                f32::midpoint(by_words, asked.cosine(&meanings.messages[number]).max(0.0))
            }
            None => by_words,
        };
        if cosine < LEAST {
            continue;
        }
        let best = &mut similar[remembered.skill as usize];
        let is_positive = index.message(remembered).should_trigger;
        let place = if is_positive { &mut best.positive } else { &mut best.negative };
        *place = place.max(cosine);
    }
    similar
}

/// The cosine of the words of a message and a remembered one, which have this much in common.
fn by_words(index: &Index<'_>, remembered: &Remembered, common: f32, length: f32) -> f32 {
    // A message weighs at least what both have in common, which bounds the cosine.
    if common <= LEAST * LEAST * length {
        return 0.0;
    }
    let own = *remembered.weight.get_or_init(|| {
        let rarities = index.message(remembered).stems.iter().map(|stem| index.rarity(*stem));
        rarities.map(|rarity| rarity * rarity).sum()
    });
    common / (length * own).sqrt().max(f32::MIN_POSITIVE)
}
