//! The index on disk: most skills in one sealed segment, the few that changed since beside it.
//!
//! A skill is read again only when the catalogue says that its file changed, or `stat` that its suite
//! did. A changed skill is kept in a small list that is written whole; when that has grown, both are merged into a new
//! segment, without reading any skill again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use hone_library::derived::{Derived, Snapshot, mark};
use hone_library::{Listed, Root, Scope, State, read_file, read_text};
use hone_skill::Value;

use crate::cores::on_all_cores;
use crate::document::{Document, SkillText};
use crate::index::Index;
use crate::index_bytes::{
    Fresh, decode_documents, decode_fresh, decode_messages, decode_phrases, encode_documents,
    encode_fresh, encode_messages, encode_phrases,
};
use crate::index_segment::{Buckets, Header, Headers, Segment};
use crate::suite::{SUITE_FILE, Suite, SuiteError};

/// Where the parts of the segment, the list of changed skills, and the first bucket are kept.
const DOCUMENTS: u32 = 0;
const FRESH: u32 = 1;
const PHRASES: u32 = 2;
const MESSAGES: u32 = 3;
const FIRST_BUCKET: u32 = 4;

/// Changed skills that are kept beside the segment, and the share of all that may be.
const MAX_FRESH: usize = 64;
const MAX_FRESH_SHARE: usize = 64;

/// From so many skills on, they are read, or looked at, on all cores.
const MANY_READ: usize = 64;
const MANY_MARKS: usize = 2_048;

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

/// What was in the space when the index was opened: another process may merge at any moment, and parts of
/// two segments make no answer.
struct Stored<'s>(Snapshot<'s>);

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

/// Which skill this is and which text of it: its path, and what its files looked like to the catalogue.
/// `None` when that cannot be relied on.
fn mark_of(skill: &Listed) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    skill.path.hash(&mut hasher);
    if skill.scope == Scope::Builtin {
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
    } else {
        // A catalogue of a long-lived program may have seen it while it was written.
        skill.mark.or_else(|| mark(&skill.path))?.hash(&mut hasher);
    }
    if skill.has_suite {
        mark(&skill.folder().join(SUITE_FILE))?.hash(&mut hasher);
    }
    Some(hasher.finish()).filter(|mark| *mark != 0)
}

impl<'s> Index<'s> {
    /// The index of these skills, found below these roots, brought up to date with what the catalogue
    /// saw. Of files, suites are looked at and what was just being written; only what changed is read.
    ///
    /// Never fails: without a state it is made in memory.
    pub fn open(state: &'s State, roots: &[Root], skills: &[Listed]) -> Opened<'s> {
        let roots: Vec<String> =
            roots.iter().map(|root| root.path.to_string_lossy().into_owned()).collect();
        let mut space = Derived::open(state, &format!("routing:{}", roots.join(":")));
        let (kept, sealed) = space.snapshot().map(stored).unwrap_or_default();

        let known: HashMap<u64, usize> =
            sealed.headers.marks.iter().enumerate().map(|(at, mark)| (*mark, at)).collect();
        let kept_count = kept.len();
        let mut kept: HashMap<u64, Fresh> =
            kept.into_iter().map(|fresh| (fresh.header.mark, fresh)).collect();
        let mut places: Vec<Option<u32>> = vec![None; sealed.len()];
        let mut fresh: Vec<(u32, Fresh)> = Vec::new();
        let mut unread: Vec<(u32, u64)> = Vec::new();
        let marks = on_all_cores(skills, MANY_MARKS, mark_of);
        for (place, mark) in (0u32..).zip(marks) {
            let is_free = |at: &&usize| places[**at].is_none();
            if let Some(&at) = mark.and_then(|mark| known.get(&mark)).filter(is_free) {
                places[at] = Some(place);
            } else if let Some(found) = mark.and_then(|mark| kept.remove(&mark)) {
                fresh.push((place, found));
            } else {
                unread.push((place, mark.unwrap_or(0)));
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
    unread: &[(u32, u64)],
    fresh: &mut Vec<(u32, Fresh)>,
) -> Vec<(usize, SuiteError)> {
    let all = on_all_cores(unread, MANY_READ, |(place, mark)| {
        let (text, error) = skill_text(&skills[*place as usize]);
        let document = Document::new(&text);
        let header = Header::of(*mark, &document);
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
    let (headers, entries): (Vec<Header>, Vec<Vec<_>>) =
        fresh.into_iter().map(|(_, fresh)| (fresh.header, fresh.entries)).unzip();
    (Segment::build(headers, entries.iter().map(Vec::as_slice)), places)
}

/// One segment of what still counts in the old one and of the fresh skills.
fn merged<'s>(
    sealed: &Segment<'_>,
    places: &[Option<u32>],
    mut fresh: Vec<(u32, Fresh)>,
) -> (Segment<'s>, Vec<Option<u32>>) {
    let old = sealed.headers.apart().into_iter().zip(sealed.entries()).zip(places);
    fresh.extend(
        old.filter_map(|((header, entries), place)| Some(((*place)?, Fresh { header, entries }))),
    );
    fresh.sort_unstable_by_key(|(place, _)| *place);
    loose(fresh)
}

fn seal(space: &mut Derived<'_>, segment: &Segment<'_>) {
    let headers = &segment.headers;
    let documents = encode_documents(segment.bits(), headers);
    let (phrases, messages) = (encode_phrases(headers), encode_messages(headers));
    let mut values: Vec<(u32, &[u8])> =
        vec![(DOCUMENTS, &documents), (PHRASES, &phrases), (MESSAGES, &messages)];
    values.extend((FIRST_BUCKET..).zip(segment.buckets()));
    space.replace(&values);
}

/// The changed skills and the segment, as they were at one moment.
fn stored(space: Snapshot<'_>) -> (Vec<Fresh>, Segment<'_>) {
    let kept = space.get(FRESH).and_then(|bytes| decode_fresh(&bytes)).unwrap_or_default();
    let sealed = match stored_headers(&space) {
        Some((bits, headers)) => Segment::stored(headers, bits, Box::new(Stored(space))),
        None => Segment::default(),
    };
    (kept, sealed)
}

fn stored_headers(space: &Snapshot<'_>) -> Option<(u32, Headers)> {
    let (bits, mut headers) = decode_documents(&space.get(DOCUMENTS)?)?;
    headers.phrases = decode_phrases(&space.get(PHRASES)?);
    headers.messages = decode_messages(&space.get(MESSAGES)?)?;
    Some((bits, headers))
}

/// Reads the suite in a file that somebody names.
pub fn read_suite(path: &Path) -> Result<Suite, SuiteError> {
    let bytes = hone_library::read_bounded(path)
        .map_err(|error| SuiteError::new(format!("could not read it: {error}")))?;
    Suite::read(&bytes)
}
