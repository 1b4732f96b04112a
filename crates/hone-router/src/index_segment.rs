//! A segment of the index: for every word the skills that hold it, packed.
//!
//! Lists lie in buckets by the first bits of their key, and a bucket is decoded where it is read, so a
//! query costs what its own words cost, and a segment on disk is read bucket by bucket. A segment is
//! never changed: a skill that changes is left out by whoever reads, and a new segment has it.

use std::cell::OnceCell;

use crate::document::{Document, Key, Lengths, Message, Phrase};

/// Lists that a bucket holds on average.
const LISTS_IN_BUCKET: usize = 32;

/// At most this many bits of a key choose its bucket.
const MAX_BITS: u32 = 14;

/// What is known of each document of a segment besides its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// Where the skill is.
    pub(crate) path: String,
    /// What its files looked like when they were read.
    pub(crate) stamp: Vec<u8>,
    pub(crate) lengths: Lengths,
    pub(crate) phrases: Vec<Phrase>,
    pub(crate) messages: Vec<Message>,
}

impl Header {
    pub(crate) fn of(path: String, stamp: Vec<u8>, document: &Document) -> Self {
        Self {
            path,
            stamp,
            lengths: document.lengths,
            phrases: document.phrases.clone(),
            messages: document.messages.clone(),
        }
    }
}

/// Where the buckets of a segment come from when they are not in memory.
pub(crate) trait Buckets {
    /// The bytes of one bucket; empty when there are none.
    fn read(&self, bucket: u32) -> Vec<u8>;
}

/// Documents and their words.
pub(crate) struct Segment<'s> {
    pub(crate) headers: Vec<Header>,
    bits: u32,
    buckets: Vec<OnceCell<Box<[u8]>>>,
    source: Option<Box<dyn Buckets + 's>>,
}

impl std::fmt::Debug for Segment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("documents", &self.headers.len())
            .field("buckets", &self.buckets.len())
            .finish_non_exhaustive()
    }
}

impl<'s> Segment<'s> {
    /// Packs documents; the n-th header belongs to the n-th list of entries.
    pub(crate) fn build<'e>(
        headers: Vec<Header>,
        entries: impl Iterator<Item = &'e [(Key, u8)]>,
    ) -> Self {
        let mut all: Vec<(Key, u32, u8)> = Vec::new();
        for (number, entries) in (0u32..).zip(entries) {
            all.extend(entries.iter().map(|&(key, byte)| (key, number, byte)));
        }
        all.sort_unstable();
        let lists = all.chunk_by(|a, b| a.0 == b.0).count();
        let bits = (lists / LISTS_IN_BUCKET).max(1).ilog2().min(MAX_BITS);
        let mut buckets: Vec<Vec<u8>> = vec![Vec::new(); 1 << bits];
        let mut list = Vec::new();
        for group in all.chunk_by(|a, b| a.0 == b.0) {
            list.clear();
            let mut before = 0;
            for &(_, number, byte) in group {
                put(&mut list, number - before);
                list.push(byte);
                before = number;
            }
            let key = group[0].0;
            let bucket = &mut buckets[bucket_of(key, bits)];
            bucket.extend_from_slice(&key.to_le_bytes());
            put(bucket, u32::try_from(group.len()).unwrap_or(u32::MAX));
            put(bucket, u32::try_from(list.len()).unwrap_or(u32::MAX));
            bucket.extend_from_slice(&list);
        }
        let buckets = buckets.into_iter().map(|bucket| OnceCell::from(bucket.into_boxed_slice()));
        Self { headers, bits, buckets: buckets.collect(), source: None }
    }

    /// A segment whose buckets are read when they are needed.
    pub(crate) fn stored(headers: Vec<Header>, bits: u32, source: Box<dyn Buckets + 's>) -> Self {
        let bits = bits.min(MAX_BITS);
        let buckets = (0..1_usize << bits).map(|_| OnceCell::new()).collect();
        Self { headers, bits, buckets, source: Some(source) }
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// The bytes of every bucket, in order.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.buckets.len()).map(|at| self.bucket(at))
    }

    fn bucket(&self, at: usize) -> &[u8] {
        self.buckets[at].get_or_init(|| match &self.source {
            Some(source) => source.read(u32::try_from(at).unwrap_or(u32::MAX)).into_boxed_slice(),
            None => Box::default(),
        })
    }

    /// Calls `each` with the documents that hold the word, in their order, and the byte of each.
    pub(crate) fn list(&self, key: Key, mut each: impl FnMut(usize, u8)) {
        let mut bytes = self.bucket(bucket_of(key, self.bits));
        while let Some((found, rest)) = bytes.split_first_chunk::<4>() {
            let found = Key::from_le_bytes(*found);
            bytes = rest;
            let (Some(count), Some(length)) = (take(&mut bytes), take(&mut bytes)) else { return };
            // Lists are sorted by key; damaged bytes end the search, they cannot lead outside.
            if found > key || length as usize > bytes.len() {
                return;
            }
            let (mut list, rest) = bytes.split_at(length as usize);
            bytes = rest;
            if found < key {
                continue;
            }
            let mut document = 0usize;
            for _ in 0..count {
                let Some(step) = take(&mut list) else { return };
                let Some((&byte, rest)) = list.split_first() else { return };
                list = rest;
                document += step as usize;
                if document >= self.headers.len() {
                    return;
                }
                each(document, byte);
            }
            return;
        }
    }

    /// Every document's words again, for a merge.
    pub(crate) fn entries(&self) -> Vec<Vec<(Key, u8)>> {
        let mut entries = vec![Vec::new(); self.headers.len()];
        for at in 0..self.buckets.len() {
            let mut bytes = self.bucket(at);
            while let Some((key, rest)) = bytes.split_first_chunk::<4>() {
                let key = Key::from_le_bytes(*key);
                bytes = rest;
                let (Some(_), Some(length)) = (take(&mut bytes), take(&mut bytes)) else { break };
                if length as usize > bytes.len() {
                    break;
                }
                let (_, rest) = bytes.split_at(length as usize);
                bytes = rest;
                self.list(key, |document, byte| entries[document].push((key, byte)));
            }
        }
        entries
    }
}

fn bucket_of(key: Key, bits: u32) -> usize {
    (u64::from(key) << bits >> 32) as usize
}

/// Appends a number, seven bits a byte.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Takes a number from the front; `None` when there is none.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
