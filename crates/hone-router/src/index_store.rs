//! The index on disk: most skills in one sealed segment, the few that changed since beside it.
//!
//! A skill is read again only when `stat` says that its file or its suite changed. A changed skill is
//! kept in a small list that is written whole; when that has grown, both are merged into a new
//! segment, without reading any skill again.

use std::collections::HashMap;
use std::path::Path;

use hone_library::derived::{Derived, stamp};
use hone_library::{Listed, Root, Scope, State, read_file, read_text};
use hone_skill::Value;

use crate::cores::on_all_cores;
use crate::document::{Document, Key, Lengths, Message, Phrase, SkillText};
use crate::index::Index;
use crate::index_segment::{Buckets, Header, Segment, put, take};
use crate::suite::{SUITE_FILE, Suite, SuiteError};

/// Changes whenever what is kept of a skill does; an index of another format is built anew.
const FORMAT: u32 = 1;

/// Where the header, the list of changed skills, and the first bucket are kept.
const HEADER: u32 = 0;
const FRESH: u32 = 1;
const FIRST_BUCKET: u32 = 2;

/// Changed skills that are kept beside the segment, and the share of all that may be.
const MAX_FRESH: usize = 64;
const MAX_FRESH_SHARE: usize = 8;

/// From so many skills on, they are read, or their files looked at, on all cores.
const MANY_READ: usize = 64;
const MANY_STAMPS: usize = 512;

/// Frontmatter keys that list phrases to react to.
const TRIGGER_KEYS: [&str; 3] = ["triggers", "trigger_phrases", "keywords"];

/// What came of opening an index.
#[derive(Debug)]
pub struct Opened<'s> {
    /// The n-th skill is the n-th that was given.
    pub index: Index<'s>,
    /// How many skills had to be read.
    pub read: usize,
    /// Suites that could not be understood: the skill's place, and why.
    pub broken_suites: Vec<(usize, SuiteError)>,
}

/// A skill beside the segment.
struct Fresh {
    header: Header,
    entries: Vec<(Key, u8)>,
}

struct Stored<'s>(Derived<'s>);

impl Buckets for Stored<'_> {
    fn read(&self, bucket: u32) -> Vec<u8> {
        self.0.get(FIRST_BUCKET.saturating_add(bucket)).unwrap_or_default()
    }
}

/// The text of a skill for routing, and what is wrong with its suite.
pub fn skill_text(skill: &Listed) -> (SkillText, Option<SuiteError>) {
    let mut text = SkillText {
        name: skill.summary.name.clone(),
        description: skill.summary.description.clone(),
        when_to_use: skill.summary.when_to_use.clone().unwrap_or_default(),
        ..SkillText::default()
    };
    let folder = skill.folder().file_name().map(|name| name.to_string_lossy().into_owned());
    if let Ok(bytes) = read_text(skill)
        && let Some(read) = hone_skill::read(&bytes, folder.as_deref()).skill
    {
        text.body = String::from_utf8_lossy(&bytes[read.body.clone()]).into_owned();
        let metadata = read.get("metadata");
        for key in TRIGGER_KEYS {
            let value = read.get(key).or_else(|| metadata.and_then(|metadata| metadata.get(key)));
            text.triggers.extend(value.map(phrases).unwrap_or_default());
        }
    }
    match suite_of(skill) {
        Ok(suite) => (SkillText { suite, ..text }, None),
        Err(error) => (text, Some(error)),
    }
}

/// The suite of a skill, empty when it has none.
pub fn suite_of(skill: &Listed) -> Result<Suite, SuiteError> {
    // Most have none, and `stat` is cheaper than opening a folder to find out.
    if !has_suite(skill) {
        return Ok(Suite::default());
    }
    read_file(skill, SUITE_FILE).map_or(Ok(Suite::default()), |bytes| Suite::read(&bytes))
}

fn has_suite(skill: &Listed) -> bool {
    let is_folder = !skill.is_flat && skill.scope != Scope::Builtin;
    is_folder && skill.folder().join(SUITE_FILE).symlink_metadata().is_ok()
}

fn phrases(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().filter_map(Value::text).map(str::to_owned).collect(),
        other => other
            .text()
            .map(|text| text.split(',').map(|part| part.trim().to_owned()).collect())
            .unwrap_or_default(),
    }
}

/// What the files of a skill look like; `None` when that cannot be relied on.
fn stamp_of(skill: &Listed) -> Option<Vec<u8>> {
    if skill.scope == Scope::Builtin {
        return Some(env!("CARGO_PKG_VERSION").into());
    }
    let mut bytes = stamp(&skill.path)?;
    if has_suite(skill) {
        bytes.extend(stamp(&skill.folder().join(SUITE_FILE))?);
    }
    Some(bytes)
}

impl<'s> Index<'s> {
    /// The index of these skills, found below these roots, brought up to date.
    ///
    /// Never fails: without a state it is made in memory.
    pub fn open(state: &'s State, roots: &[Root], skills: &[Listed]) -> Opened<'s> {
        let roots: Vec<String> =
            roots.iter().map(|root| root.path.to_string_lossy().into_owned()).collect();
        let mut space = Derived::open(state, &format!("routing:{}", roots.join(":")));
        let header = space.get(HEADER).and_then(|bytes| decode_headers(&bytes));
        let kept = space.get(FRESH).and_then(|bytes| decode_fresh(&bytes)).unwrap_or_default();
        let (bits, headers) = header.unwrap_or_default();
        let stored =
            Box::new(Stored(Derived::open(state, &format!("routing:{}", roots.join(":")))));
        let sealed = Segment::stored(headers, bits, stored);

        let mut known: HashMap<&str, usize> = HashMap::new();
        for (at, header) in sealed.headers.iter().enumerate() {
            known.insert(&header.path, at);
        }
        let kept_count = kept.len();
        let mut kept: HashMap<String, Fresh> =
            kept.into_iter().map(|fresh| (fresh.header.path.clone(), fresh)).collect();
        let mut places: Vec<Option<u32>> = vec![None; sealed.headers.len()];
        let mut fresh: Vec<(u32, Fresh)> = Vec::new();
        let mut unread: Vec<(u32, Option<Vec<u8>>)> = Vec::new();
        let stamps = on_all_cores(skills, MANY_STAMPS, stamp_of);
        for ((place, skill), stamp) in (0u32..).zip(skills).zip(stamps) {
            let path = skill.path.to_string_lossy();
            let is_same = |header: &Header| stamp.as_ref() == Some(&header.stamp);
            if let Some(&at) = known.get(&*path).filter(|at| is_same(&sealed.headers[**at])) {
                places[at] = Some(place);
            } else if let Some(found) = kept.remove(&*path).filter(|found| is_same(&found.header)) {
                fresh.push((place, found));
            } else {
                unread.push((place, stamp));
            }
        }
        let read = unread.len();
        let broken_suites = read_all(skills, &unread, &mut fresh);
        let dead = places.iter().filter(|place| place.is_none()).count();
        let is_changed = read > 0 || fresh.len() != kept_count;
        let allowed = MAX_FRESH.max(skills.len() / MAX_FRESH_SHARE);
        let parts = if fresh.len() > allowed || dead > allowed.max(places.len() / 2) {
            let (segment, places) = merged(&sealed, &places, fresh);
            seal(&mut space, &segment);
            vec![(segment, places)]
        } else {
            if is_changed {
                let bytes = encode_fresh(fresh.iter().map(|(_, fresh)| fresh));
                space.put(&[(FRESH, &bytes)]);
            }
            vec![(sealed, places), loose(fresh)]
        };
        Opened { index: Self::new(parts, skills.len()), read, broken_suites }
    }
}

/// Reads skills and adds them to `fresh`.
fn read_all(
    skills: &[Listed],
    unread: &[(u32, Option<Vec<u8>>)],
    fresh: &mut Vec<(u32, Fresh)>,
) -> Vec<(usize, SuiteError)> {
    let all = on_all_cores(unread, MANY_READ, |(place, stamp)| {
        let skill = &skills[*place as usize];
        let (text, error) = skill_text(skill);
        let document = Document::new(&text);
        let path = skill.path.to_string_lossy().into_owned();
        // A stamp that cannot be relied on equals none, so the skill is read again next time.
        let header = Header::of(path, stamp.clone().unwrap_or_default(), &document);
        (*place, Fresh { header, entries: document.entries }, error)
    });
    let mut broken = Vec::new();
    for (place, found, error) in all {
        fresh.push((place, found));
        broken.extend(error.map(|error| (place as usize, error)));
    }
    fresh.sort_unstable_by_key(|(place, _)| *place);
    broken
}

fn loose<'s>(fresh: Vec<(u32, Fresh)>) -> (Segment<'s>, Vec<Option<u32>>) {
    let places = fresh.iter().map(|(place, _)| Some(*place)).collect();
    let (headers, entries): (Vec<Header>, Vec<Vec<(Key, u8)>>) =
        fresh.into_iter().map(|(_, fresh)| (fresh.header, fresh.entries)).unzip();
    (Segment::build(headers, entries.iter().map(Vec::as_slice)), places)
}

/// One segment of what still counts in the old one and of the fresh skills.
fn merged<'s>(
    sealed: &Segment<'_>,
    places: &[Option<u32>],
    mut fresh: Vec<(u32, Fresh)>,
) -> (Segment<'s>, Vec<Option<u32>>) {
    let old = sealed.headers.iter().zip(sealed.entries()).zip(places);
    fresh.extend(old.filter_map(|((header, entries), place)| {
        Some(((*place)?, Fresh { header: header.clone(), entries }))
    }));
    fresh.sort_unstable_by_key(|(place, _)| *place);
    loose(fresh)
}

fn seal(space: &mut Derived<'_>, segment: &Segment<'_>) {
    let header = encode_headers(segment.bits(), &segment.headers);
    let buckets: Vec<&[u8]> = segment.buckets().collect();
    let mut values: Vec<(u32, &[u8])> = vec![(HEADER, &header)];
    values.extend((FIRST_BUCKET..).zip(buckets));
    space.replace(&values);
}

fn encode_headers(bits: u32, headers: &[Header]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, FORMAT);
    put(&mut bytes, bits);
    put_count(&mut bytes, headers.len());
    for header in headers {
        put_header(&mut bytes, header);
    }
    bytes
}

fn decode_headers(mut bytes: &[u8]) -> Option<(u32, Vec<Header>)> {
    if take(&mut bytes)? != FORMAT {
        return None;
    }
    let bits = take(&mut bytes)?;
    let count = take(&mut bytes)?;
    let headers = (0..count).map(|_| take_header(&mut bytes)).collect::<Option<_>>()?;
    Some((bits, headers))
}

fn encode_fresh<'f>(fresh: impl Iterator<Item = &'f Fresh>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, FORMAT);
    for Fresh { header, entries } in fresh {
        put_header(&mut bytes, header);
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

fn decode_fresh(mut bytes: &[u8]) -> Option<Vec<Fresh>> {
    if take(&mut bytes)? != FORMAT {
        return None;
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let header = take_header(&mut bytes)?;
        let count = take(&mut bytes)?;
        let mut entries = Vec::new();
        let mut key: Key = 0;
        for _ in 0..count {
            key = key.checked_add(take(&mut bytes)?)?;
            let (&byte, rest) = bytes.split_first()?;
            bytes = rest;
            entries.push((key, byte));
        }
        all.push(Fresh { header, entries });
    }
    Some(all)
}

fn put_header(bytes: &mut Vec<u8>, header: &Header) {
    put_bytes(bytes, header.path.as_bytes());
    put_bytes(bytes, &header.stamp);
    let Lengths { description, body, trigrams } = header.lengths;
    for number in [description, body, trigrams] {
        put(bytes, number);
    }
    put_count(bytes, header.phrases.len());
    for Phrase { hash, words, is_name } in &header.phrases {
        bytes.extend_from_slice(&hash.to_le_bytes());
        bytes.extend_from_slice(&[*words, u8::from(*is_name)]);
    }
    put_count(bytes, header.messages.len());
    for Message { should_trigger, text } in &header.messages {
        bytes.push(u8::from(*should_trigger));
        put_bytes(bytes, text.as_bytes());
    }
}

fn take_header(bytes: &mut &[u8]) -> Option<Header> {
    let path = take_text(bytes)?;
    let stamp = take_bytes(bytes)?.to_vec();
    let lengths = Lengths { description: take(bytes)?, body: take(bytes)?, trigrams: take(bytes)? };
    let count = take(bytes)?;
    let mut phrases = Vec::new();
    for _ in 0..count {
        let (hash, rest) = bytes.split_first_chunk::<8>()?;
        let ([words, is_name], rest) = rest.split_first_chunk::<2>()?;
        *bytes = rest;
        let hash = u64::from_le_bytes(*hash);
        phrases.push(Phrase { hash, words: *words, is_name: *is_name != 0 });
    }
    let count = take(bytes)?;
    let mut messages = Vec::new();
    for _ in 0..count {
        let (&sign, rest) = bytes.split_first()?;
        *bytes = rest;
        messages.push(Message { should_trigger: sign != 0, text: take_text(bytes)? });
    }
    Some(Header { path, stamp, lengths, phrases, messages })
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    put(bytes, u32::try_from(count).unwrap_or(u32::MAX));
}

fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put_count(bytes, value.len());
    bytes.extend_from_slice(value);
}

fn take_bytes<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = take(bytes)? as usize;
    let (value, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(value)
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    Some(std::str::from_utf8(take_bytes(bytes)?).ok()?.to_owned())
}

/// Reads the suite in a file that somebody names.
pub fn read_suite(path: &Path) -> Result<Suite, SuiteError> {
    let bytes = hone_library::read_bounded(path)
        .map_err(|error| SuiteError::new(format!("could not read it: {error}")))?;
    Suite::read(&bytes)
}
