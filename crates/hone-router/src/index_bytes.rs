//! What the index keeps on disk, as bytes. Whatever cannot be understood is taken as not there.

use crate::document::{Key, Lengths, Message, Phrase};
use crate::index_segment::{Header, Headers, put, take};

/// Changes whenever what is kept of a skill does; an index of another format is built anew.
const FORMAT: u32 = 4;

/// A phrase: its hash, its document, how many words it has, and whether it is a name.
const PHRASE_BYTES: usize = 8 + 4 + 1 + 1;

/// A skill beside the segment.
pub(crate) struct Fresh {
    pub(crate) header: Header,
    pub(crate) entries: Vec<(Key, u8)>,
}

/// The marks and lengths of all documents, and how many bits of a key choose its bucket.
pub(crate) fn encode_documents(bits: u32, headers: &Headers) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, FORMAT);
    put(&mut bytes, bits);
    put_count(&mut bytes, headers.marks.len());
    for (mark, lengths) in headers.marks.iter().zip(&headers.lengths) {
        bytes.extend_from_slice(&mark.to_le_bytes());
        put_lengths(&mut bytes, *lengths);
    }
    bytes
}

pub(crate) fn decode_documents(mut bytes: &[u8]) -> Option<(u32, Headers)> {
    if take(&mut bytes)? != FORMAT {
        return None;
    }
    let bits = take(&mut bytes)?;
    let count = take(&mut bytes)?;
    let mut headers = Headers::default();
    for _ in 0..count {
        headers.marks.push(take_number(&mut bytes)?);
        headers.lengths.push(take_lengths(&mut bytes)?);
    }
    Some((bits, headers))
}

pub(crate) fn encode_phrases(headers: &Headers) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(headers.phrases.len() * PHRASE_BYTES);
    for (phrase, document) in &headers.phrases {
        put_phrase(&mut bytes, *phrase, *document);
    }
    bytes
}

pub(crate) fn decode_phrases(mut bytes: &[u8]) -> Vec<(Phrase, u32)> {
    let mut phrases = Vec::with_capacity(bytes.len() / PHRASE_BYTES);
    phrases.extend(std::iter::from_fn(|| take_phrase(&mut bytes)));
    phrases
}

pub(crate) fn encode_messages(headers: &Headers) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (document, messages) in &headers.messages {
        put(&mut bytes, *document);
        put_messages(&mut bytes, messages);
    }
    bytes
}

pub(crate) fn decode_messages(mut bytes: &[u8]) -> Option<Vec<(u32, Vec<Message>)>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        all.push((take(&mut bytes)?, take_messages(&mut bytes)?));
    }
    Some(all)
}

pub(crate) fn encode_fresh<'f>(fresh: impl Iterator<Item = &'f Fresh>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, FORMAT);
    for Fresh { header, entries } in fresh {
        bytes.extend_from_slice(&header.mark.to_le_bytes());
        put_lengths(&mut bytes, header.lengths);
        put_count(&mut bytes, header.phrases.len());
        for phrase in &header.phrases {
            put_phrase(&mut bytes, *phrase, 0);
        }
        put_messages(&mut bytes, &header.messages);
        put_count(&mut bytes, entries.len());
        let mut before = 0;
        for (key, byte) in entries {
            put(&mut bytes, key - before);
            bytes.push(*byte);
            before = *key;
        }
    }
    bytes
}

pub(crate) fn decode_fresh(mut bytes: &[u8]) -> Option<Vec<Fresh>> {
    if take(&mut bytes)? != FORMAT {
        return None;
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let mark = take_number(&mut bytes)?;
        let lengths = take_lengths(&mut bytes)?;
        let count = take(&mut bytes)?;
        let phrases = (0..count)
            .map(|_| take_phrase(&mut bytes).map(|(phrase, _)| phrase))
            .collect::<Option<_>>()?;
        let messages = take_messages(&mut bytes)?;
        let count = take(&mut bytes)?;
        let mut entries = Vec::new();
        let mut key: Key = 0;
        for _ in 0..count {
            key = key.checked_add(take(&mut bytes)?)?;
            entries.push((key, take_byte(&mut bytes)?));
        }
        all.push(Fresh { header: Header { mark, lengths, phrases, messages }, entries });
    }
    Some(all)
}

fn put_lengths(bytes: &mut Vec<u8>, Lengths { description, body, trigrams }: Lengths) {
    for number in [description, body, trigrams] {
        put(bytes, number);
    }
}

fn take_lengths(bytes: &mut &[u8]) -> Option<Lengths> {
    Some(Lengths { description: take(bytes)?, body: take(bytes)?, trigrams: take(bytes)? })
}

fn put_phrase(bytes: &mut Vec<u8>, phrase: Phrase, document: u32) {
    let Phrase { hash, words, is_name } = phrase;
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes.extend_from_slice(&document.to_le_bytes());
    bytes.extend_from_slice(&[words, u8::from(is_name)]);
}

fn take_phrase(bytes: &mut &[u8]) -> Option<(Phrase, u32)> {
    let hash = take_number(bytes)?;
    let (document, rest) = bytes.split_first_chunk::<4>()?;
    let ([words, is_name], rest) = rest.split_first_chunk::<2>()?;
    *bytes = rest;
    let phrase = Phrase { hash, words: *words, is_name: *is_name != 0 };
    Some((phrase, u32::from_le_bytes(*document)))
}

fn put_messages(bytes: &mut Vec<u8>, messages: &[Message]) {
    put_count(bytes, messages.len());
    for Message { should_trigger, text, stems } in messages {
        bytes.push(u8::from(*should_trigger));
        put_count(bytes, text.len());
        bytes.extend_from_slice(text.as_bytes());
        put_count(bytes, stems.len());
        for stem in stems {
            bytes.extend_from_slice(&stem.to_le_bytes());
        }
    }
}

fn take_messages(bytes: &mut &[u8]) -> Option<Vec<Message>> {
    let count = take(bytes)?;
    let mut messages = Vec::new();
    for _ in 0..count {
        let should_trigger = take_byte(bytes)? != 0;
        let length = take(bytes)? as usize;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        let text = std::str::from_utf8(text).ok()?.to_owned();
        let length = (take(bytes)? as usize).checked_mul(4)?;
        let (stems, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        let stems = stems.as_chunks::<4>().0.iter().map(|stem| Key::from_le_bytes(*stem)).collect();
        messages.push(Message { should_trigger, text, stems });
    }
    Some(messages)
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    put(bytes, u32::try_from(count).unwrap_or(u32::MAX));
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> Vec<Header> {
        let phrase = |hash: u64| Phrase { hash, words: 2, is_name: hash == 7 };
        let message = |text: &str, should_trigger: bool| Message {
            should_trigger,
            text: text.to_owned(),
            stems: vec![1, u32::MAX],
        };
        let lengths = Lengths { description: 1, body: 300, trigrams: 70_000 };
        vec![
            Header {
                mark: 9,
                lengths,
                phrases: vec![phrase(7), phrase(u64::MAX)],
                messages: vec![],
            },
            Header {
                mark: u64::MAX,
                lengths: Lengths::default(),
                phrases: vec![phrase(8)],
                messages: vec![message("will it rain", true), message("雨を描く", false)],
            },
        ]
    }

    #[test]
    fn what_is_written_comes_back() {
        let headers = Headers::new(headers());
        let (bits, mut read) = decode_documents(&encode_documents(5, &headers)).unwrap();
        read.phrases = decode_phrases(&encode_phrases(&headers));
        read.messages = decode_messages(&encode_messages(&headers)).unwrap();
        assert_eq!((bits, read), (5, headers));
    }

    #[test]
    fn changed_skills_come_back_and_a_damaged_list_is_none() {
        let fresh: Vec<Fresh> = headers()
            .into_iter()
            .map(|header| Fresh { header, entries: vec![(3, 1), (70_000, 255), (u32::MAX, 0)] })
            .collect();
        let bytes = encode_fresh(fresh.iter());
        let read = decode_fresh(&bytes).unwrap();
        let parts = |all: &[Fresh]| -> Vec<(Header, Vec<(Key, u8)>)> {
            all.iter().map(|one| (one.header.clone(), one.entries.clone())).collect()
        };
        assert_eq!(parts(&read), parts(&fresh));
        for end in 1..bytes.len() {
            // Cut between two skills, the first is whole.
            assert!(decode_fresh(&bytes[..end]).is_none_or(|read| read.len() < 2), "{end}");
        }
    }
}
