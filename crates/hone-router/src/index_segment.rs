//! A segment of the index: for every word the skills that hold it, packed.
//!
//! Lists lie in buckets by the first bits of their key, and a bucket is decoded where it is read, so a
//! query costs what its own words cost, and a segment on disk is read bucket by bucket. A segment is
//! never changed: a skill that changes is left out by whoever reads, and a new segment has it.

use std::cell::OnceCell;
use std::cmp::Ordering;

use crate::document::{Document, Key, Lengths, Message, Phrase};

/// Lists that a bucket holds on average.
const LISTS_IN_BUCKET: usize = 32;

/// At most this many bits of a key choose its bucket.
const MAX_BITS: u32 = 14;

/// Documents of a segment; those beyond have no words.
const MAX_DOCUMENTS: u32 = 1 << 24;

/// A document beside its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// Which skill it is, and which text of it: no two texts have the same. 0 is for one that has to be
    /// read again.
    pub(crate) mark: u64,
    pub(crate) lengths: Lengths,
    pub(crate) phrases: Vec<Phrase>,
    pub(crate) messages: Vec<Message>,
}

impl Header {
    pub(crate) fn of(mark: u64, document: &Document) -> Self {
        Self {
            mark,
            lengths: document.lengths,
            phrases: document.phrases.clone(),
            messages: document.messages.clone(),
        }
    }
}

/// What is known of all documents of a segment beside their words, each thing in a list of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Headers {
    /// One for each document, as its lengths are.
    pub(crate) marks: Vec<u64>,
    pub(crate) lengths: Vec<Lengths>,
    /// All phrases and whose they are, in order.
    pub(crate) phrases: Vec<(Phrase, u32)>,
    /// The documents that remember messages, in order, with the messages.
    pub(crate) messages: Vec<(u32, Vec<Message>)>,
}

impl Headers {
    pub(crate) fn new(headers: Vec<Header>) -> Self {
        let mut all = Self::default();
        for (number, header) in (0u32..).zip(headers) {
            all.marks.push(header.mark);
            all.lengths.push(header.lengths);
            all.phrases.extend(header.phrases.into_iter().map(|phrase| (phrase, number)));
            if !header.messages.is_empty() {
                all.messages.push((number, header.messages));
            }
        }
        all.phrases.sort_unstable();
        all
    }

    /// Each document's own again, for a merge.
    pub(crate) fn apart(&self) -> Vec<Header> {
        let mut headers: Vec<Header> = self
            .marks
            .iter()
            .zip(&self.lengths)
            .map(|(&mark, &lengths)| Header { mark, lengths, ..Header::default() })
            .collect();
        for (phrase, number) in &self.phrases {
            if let Some(header) = headers.get_mut(*number as usize) {
                header.phrases.push(*phrase);
            }
        }
        for (number, messages) in &self.messages {
            if let Some(header) = headers.get_mut(*number as usize) {
                header.messages.clone_from(messages);
            }
        }
        headers
    }
}

/// Where the buckets of a segment come from when they are not in memory.
pub(crate) trait Buckets {
    /// The bytes of one bucket; empty when there are none.
    fn read(&self, bucket: u32) -> Vec<u8>;
}

/// Documents and their words.
pub(crate) struct Segment<'s> {
    pub(crate) headers: Headers,
    bits: u32,
    buckets: Vec<OnceCell<Box<[u8]>>>,
    source: Option<Box<dyn Buckets + 's>>,
}

impl std::fmt::Debug for Segment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("documents", &self.len())
            .field("buckets", &self.buckets.len())
            .finish_non_exhaustive()
    }
}

impl Default for Segment<'_> {
    fn default() -> Self {
        Self::build(Vec::new(), std::iter::empty())
    }
}

impl<'s> Segment<'s> {
    /// Packs documents; the n-th header belongs to the n-th list of entries.
    pub(crate) fn build<'e>(
        headers: Vec<Header>,
        entries: impl Iterator<Item = &'e [(Key, u8)]>,
    ) -> Self {
        // Key, number and byte in one number each: it is sorted several times faster.
        let mut all: Vec<u64> = Vec::new();
        for (number, entries) in (0..MAX_DOCUMENTS).zip(entries) {
            let packed = |&(key, byte): &(Key, u8)| {
                u64::from(key) << 32 | u64::from(number) << 8 | u64::from(byte)
            };
            all.extend(entries.iter().map(packed));
        }
        all.sort_unstable();
        let lists = all.chunk_by(|a, b| a >> 32 == b >> 32).count();
        let bits = (lists / LISTS_IN_BUCKET).max(1).ilog2().min(MAX_BITS);
        let mut buckets: Vec<Vec<u8>> = vec![Vec::new(); 1 << bits];
        let mut list = Vec::new();
        for group in all.chunk_by(|a, b| a >> 32 == b >> 32) {
            list.clear();
            let mut before = 0;
            for entry in group {
                let [byte, n0, n1, n2, ..] = entry.to_le_bytes();
                let number = u32::from_le_bytes([n0, n1, n2, 0]);
                put(&mut list, number - before);
                list.push(byte);
                before = number;
            }
            let [_, _, _, _, key @ ..] = group[0].to_le_bytes();
            let bucket = &mut buckets[bucket_of(Key::from_le_bytes(key), bits)];
            bucket.extend_from_slice(&key);
            put(bucket, u32::try_from(group.len()).unwrap_or(u32::MAX));
            put(bucket, u32::try_from(list.len()).unwrap_or(u32::MAX));
            bucket.extend_from_slice(&list);
        }
        let buckets = buckets.into_iter().map(|bucket| OnceCell::from(bucket.into_boxed_slice()));
        let headers = Headers::new(headers);
        Self { headers, bits, buckets: buckets.collect(), source: None }
    }

    /// A segment whose buckets are read when they are needed.
    pub(crate) fn stored(headers: Headers, bits: u32, source: Box<dyn Buckets + 's>) -> Self {
        let bits = bits.min(MAX_BITS);
        let buckets = (0..1_usize << bits).map(|_| OnceCell::new()).collect();
        Self { headers, bits, buckets, source: Some(source) }
    }

    /// How many documents it has.
    pub(crate) fn len(&self) -> usize {
        self.headers.marks.len()
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// The bytes of every bucket, in order.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.buckets.len()).map(|at| self.bucket(at))
    }

    /// Reads every bucket that was not read yet, and lets go of where they came from.
    pub(crate) fn settle(&mut self) {
        if self.source.is_some() {
            self.buckets().for_each(drop);
            self.source = None;
        }
    }

    fn bucket(&self, at: usize) -> &[u8] {
        self.buckets[at].get_or_init(|| match &self.source {
            Some(source) => source.read(u32::try_from(at).unwrap_or(u32::MAX)).into_boxed_slice(),
            None => Box::default(),
        })
    }

    /// How many documents hold the word, and the list of them, packed.
    fn find(&self, key: Key) -> Option<(u32, &[u8])> {
        let mut bytes = self.bucket(bucket_of(key, self.bits));
        while let Some((found, rest)) = bytes.split_first_chunk::<4>() {
            let found = Key::from_le_bytes(*found);
            bytes = rest;
            let (count, length) = (take(&mut bytes)?, take(&mut bytes)?);
            // Lists are sorted by key; damaged bytes end the search, they cannot lead outside.
            let (list, rest) = bytes.split_at_checked(length as usize)?;
            match found.cmp(&key) {
                Ordering::Less => bytes = rest,
                Ordering::Equal => return Some((count, list)),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// How many documents hold the word.
    pub(crate) fn count(&self, key: Key) -> usize {
        self.find(key).map_or(0, |(count, _)| count as usize)
    }

    /// Calls `each` with the documents that hold the word, in their order, and the byte of each.
    pub(crate) fn list(&self, key: Key, mut each: impl FnMut(usize, u8)) {
        let Some((count, mut list)) = self.find(key) else { return };
        let mut document = 0usize;
        for _ in 0..count {
            let Some(step) = take(&mut list) else { return };
            let Some((&byte, rest)) = list.split_first() else { return };
            list = rest;
            document += step as usize;
            if document >= self.len() {
                return;
            }
            each(document, byte);
        }
    }

    /// Every document's words again, for a merge.
    pub(crate) fn entries(&self) -> Vec<Vec<(Key, u8)>> {
        let mut entries = vec![Vec::new(); self.len()];
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
