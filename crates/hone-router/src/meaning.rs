//! What skills and remembered messages mean: vectors of a sentence model, beside the words.
//!
//! A vector is made once for a text and kept in `state.db` under the hash of the text and the model, so
//! only what is new is read by the model. Vectors are kept as small whole numbers; the cosine that
//! comes out is right to about two thousandths.

use std::collections::{HashMap, HashSet};

use hone_library::State;
use hone_library::derived::Derived;
use sha2::{Digest as _, Sha256};

use crate::cores::on_all_cores;
use crate::encoder::Encoder;

/// Texts that are read by the model before their vectors are written down, so that a long first run may
/// be interrupted.
const BATCH: usize = 256;

/// Values that may hold few vectors each before all are put together again.
const MAX_LOOSE: usize = 64;

/// Vectors that are kept although nobody asked for them this time, for each that was asked for, and at
/// least so many: other roots have other skills.
const KEPT_BESIDE: usize = 4;
const LEAST_KEPT: usize = 4_096;

/// A vector of length 1 in small whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vector {
    scale: f32,
    values: Box<[i8]>,
}

#[allow(clippy::cast_possible_truncation, reason = "values are brought below the largest before")]
impl Vector {
    fn new(values: &[f32]) -> Self {
        let scale = largest(values) / f32::from(i8::MAX);
        let values = values.iter().map(|value| (value / scale).round() as i8).collect();
        Self { scale, values }
    }

    /// The cosine of the two.
    pub(crate) fn cosine(&self, other: &Self) -> f32 {
        let products = self.values.iter().zip(&other.values);
        let sum: i32 = products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        sum as f32 * self.scale * other.scale
    }
}

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()))
}

/// What the skills and messages of an index mean.
#[derive(Debug)]
pub(crate) struct Meanings<'s> {
    encoder: &'s Encoder,
    /// One for each skill.
    pub(crate) skills: Vec<Vector>,
    /// One for each remembered message.
    pub(crate) messages: Vec<Vector>,
    /// The vectors of messages that need not be read again, by their text.
    known: HashMap<String, Vector>,
}

/// What a sentence model is to read for an index.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'t> {
    /// Name and description of each skill, as [`about`] puts them together.
    pub skills: &'t [String],
    /// Messages that will be asked, so that their vectors are kept too.
    pub asked: &'t [String],
}

/// What a sentence model reads of a skill.
pub fn about(name: &str, description: &str, when_to_use: &str) -> String {
    let name = name.replace(['-', '_'], " ");
    format!("{name}. {description} {when_to_use}").trim_end().to_owned()
}

impl<'s> Meanings<'s> {
    /// The vectors of skills and messages; `about_to` hears how many texts the model has to read.
    pub(crate) fn of(
        encoder: &'s Encoder,
        state: Option<&State>,
        texts: Texts<'_>,
        messages: &[&str],
        about_to: &dyn Fn(usize),
    ) -> std::io::Result<Self> {
        let skills = texts.skills.iter().map(String::as_str);
        let asked = texts.asked.iter().map(String::as_str);
        let all: Vec<&str> = skills.chain(messages.iter().copied()).chain(asked).collect();
        let mut vectors = vectors(encoder, state, &all, about_to)?;
        let of_asked = vectors.split_off(texts.skills.len() + messages.len());
        let of_messages = vectors.split_off(texts.skills.len());
        let asked = texts.asked.iter().cloned().zip(of_asked);
        let remembered = messages.iter().map(|text| (*text).to_owned());
        let known = asked.chain(remembered.zip(of_messages.iter().cloned())).collect();
        Ok(Self { encoder, skills: vectors, messages: of_messages, known })
    }

    /// The same and one skill more, with its messages.
    pub(crate) fn plus(mut self, skill: &str, messages: &[&str]) -> std::io::Result<Self> {
        self.skills.push(Vector::new(&self.encoder.encode(skill)?));
        for text in messages {
            let vector = Vector::new(&self.encoder.encode(text)?);
            self.messages.push(vector.clone());
            self.known.insert((*text).to_owned(), vector);
        }
        Ok(self)
    }

    /// The vector of a message; `None` when the model went away.
    pub(crate) fn asked(&self, message: &str) -> Option<Vector> {
        let known = self.known.get(message).cloned();
        known.or_else(|| self.encoder.encode(message).ok().map(|values| Vector::new(&values)))
    }
}

/// A text, as vectors are kept for it.
type Key = u64;

fn key(text: &str) -> Key {
    let hash = Sha256::digest(text.as_bytes());
    hash.first_chunk().copied().map_or(0, Key::from_le_bytes)
}

/// The vector of every text, in order.
fn vectors(
    encoder: &Encoder,
    state: Option<&State>,
    texts: &[&str],
    about_to: &dyn Fn(usize),
) -> std::io::Result<Vec<Vector>> {
    let keys: Vec<Key> = texts.iter().map(|text| key(text)).collect();
    let mut space =
        state.map(|state| Derived::open(state, &format!("meaning:{:016x}", encoder.fingerprint())));
    let mut known: HashMap<Key, Vector> = HashMap::new();
    let mut values = 0;
    while let Some(bytes) = space.as_ref().and_then(|space| space.get(values)) {
        unpacked(&bytes, encoder.width(), &mut known);
        values += 1;
    }
    let mut seen = HashSet::new();
    let missing: Vec<(Key, &str)> = keys
        .iter()
        .zip(texts)
        .filter(|(key, _)| !known.contains_key(key) && seen.insert(**key))
        .map(|(key, text)| (*key, *text))
        .collect();
    if !missing.is_empty() {
        about_to(missing.len());
    }
    for batch in missing.chunks(BATCH) {
        let one = |(key, text): &(Key, &str)| Ok((*key, Vector::new(&encoder.encode(text)?)));
        let new: Vec<(Key, Vector)> =
            on_all_cores(batch, 2, one).into_iter().collect::<std::io::Result<_>>()?;
        if let Some(space) = &mut space {
            space.put(&[(values, &packed(new.iter().map(|(key, vector)| (*key, vector))))]);
            values += 1;
        }
        known.extend(new);
    }
    let wanted: HashSet<Key> = keys.iter().copied().collect();
    let is_loose = values as usize > known.len() / BATCH + MAX_LOOSE;
    let is_full = known.len() > LEAST_KEPT.max(KEPT_BESIDE * wanted.len());
    if let Some(space) = space.as_mut().filter(|_| is_loose || is_full) {
        let mut kept: Vec<(&Key, &Vector)> =
            known.iter().filter(|(key, _)| !is_full || wanted.contains(key)).collect();
        kept.sort_unstable_by_key(|(key, _)| **key);
        let chunks: Vec<Vec<u8>> = kept
            .chunks(BATCH)
            .map(|chunk| packed(chunk.iter().map(|(key, vector)| (**key, *vector))))
            .collect();
        let numbered: Vec<(u32, &[u8])> = (0..).zip(chunks.iter().map(Vec::as_slice)).collect();
        space.replace(&numbered);
    }
    Ok(keys.iter().filter_map(|key| known.get(key).cloned()).collect())
}

fn packed<'v>(vectors: impl Iterator<Item = (Key, &'v Vector)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, vector) in vectors {
        bytes.extend_from_slice(&key.to_le_bytes());
        bytes.extend_from_slice(&vector.scale.to_le_bytes());
        bytes.extend(vector.values.iter().map(|value| value.cast_unsigned()));
    }
    bytes
}

/// Takes vectors apart; a damaged end is left out, and its texts are read again.
fn unpacked(bytes: &[u8], width: usize, known: &mut HashMap<Key, Vector>) {
    for record in bytes.chunks_exact(8 + 4 + width) {
        let Some((key, rest)) = record.split_first_chunk::<8>() else { return };
        let Some((scale, values)) = rest.split_first_chunk::<4>() else { return };
        let values = values.iter().map(|value| value.cast_signed()).collect();
        let vector = Vector { scale: f32::from_le_bytes(*scale), values };
        if vector.scale.is_finite() {
            known.insert(Key::from_le_bytes(*key), vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_keep_the_cosine() {
        let a: Vec<f32> = (0..384_u16).map(|n| f32::from(n % 7) - 3.0).collect();
        let b: Vec<f32> = (0..384_u16).map(|n| f32::from(n % 5) - 1.5).collect();
        let unit = |values: &[f32]| {
            let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
            values.iter().map(|value| value / length).collect::<Vec<f32>>()
        };
        let (a, b) = (unit(&a), unit(&b));
        let exact: f32 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
        let (a, b) = (Vector::new(&a), Vector::new(&b));
        assert!((a.cosine(&b) - exact).abs() < 2e-3);
        assert!((a.cosine(&a) - 1.0).abs() < 2e-3);
    }

    #[test]
    fn vectors_come_back_and_a_damaged_end_is_left_out() {
        let vector = Vector::new(&[0.6, -0.8]);
        let bytes = packed([(7, &vector), (9, &vector)].into_iter());
        let mut known = HashMap::new();
        unpacked(&bytes[..bytes.len() - 1], 2, &mut known);
        assert_eq!(known, HashMap::from([(7, vector)]));
    }
}
