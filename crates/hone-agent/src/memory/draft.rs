//! What a task wants to leave behind, until it ends.

use std::collections::BTreeMap;

use super::frozen::{Entry, MAX_ENTRY_CHARS, MAX_KEY_CHARS, one_line};
use super::judged::{Objection, objection};

/// Characters of a message that are kept in the memory; the transcript has all of it.
pub const MAX_MESSAGE_CHARS: usize = 4_000;

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who: `user` or `assistant`.
    pub role: &'static str,
    /// What, cut to [`MAX_MESSAGE_CHARS`].
    pub content: String,
}

/// Something to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it is about: one line.
    pub key: String,
    /// What is to be known: one line.
    pub value: String,
    /// Whether every subscriber's tasks may read it.
    pub shared: bool,
}

/// A note that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The note.
    pub note: Note,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Why.
    pub objection: Objection,
}

/// Why a note is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// There is no key or no value.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// The key is too long.
    #[error("`key` has {0} characters, {MAX_KEY_CHARS} are allowed")]
    LongKey(usize),
    /// The whole note is too long.
    #[error(
        "key and value have {0} characters together, {MAX_ENTRY_CHARS} are allowed: say it shorter, or make two notes of it"
    )]
    Long(usize),
    /// It was set aside.
    #[error("the note is quarantined and no later task will see it: {} ({})", .0.message, .0.rule)]
    Quarantined(Objection),
    /// This subscriber may not share.
    #[error("only the owner of this agent shares notes with all subscribers; leave out `shared`")]
    NotShared,
}

/// Everything that a running task wants to leave behind. Nothing of it is on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    pub(super) messages: Vec<Said>,
    notes: BTreeMap<(bool, String), (usize, Note, i64)>,
    pub(super) quarantined: Vec<Quarantined>,
}

impl Draft {
    /// Remembers what was said.
    pub fn say(&mut self, role: &'static str, content: &str, at: i64) {
        self.messages.push(Said { at, role, content: cut(content) });
    }

    /// Takes a note, in place of one with its key, or says why not.
    pub fn note(
        &mut self,
        key: &str,
        value: &str,
        shared: bool,
        at: i64,
    ) -> Result<&Note, NoteError> {
        let raw = format!("{key}: {value}");
        // A key ends where its value begins.
        let key = one_line(&one_line(key).replace(": ", " "));
        let key = key.trim_start_matches("- ").trim_end_matches(':').trim().to_owned();
        let value = one_line(value);
        for (name, text) in [("key", &key), ("value", &value)] {
            if text.is_empty() {
                return Err(NoteError::Empty(name));
            }
        }
        let key_chars = key.chars().count();
        if key_chars > MAX_KEY_CHARS {
            return Err(NoteError::LongKey(key_chars));
        }
        let chars = Entry::new(&key, &value).text().chars().count();
        if chars > MAX_ENTRY_CHARS {
            return Err(NoteError::Long(chars));
        }
        let note = Note { key, value, shared };
        if let Some(objection) = objection(&raw) {
            self.quarantined.push(Quarantined { note, at, objection: objection.clone() });
            return Err(NoteError::Quarantined(objection));
        }
        let order = self.notes.values().map(|(order, ..)| order + 1).max().unwrap_or(0);
        let place = (shared, note.key.clone());
        self.notes.remove(&place);
        Ok(&self.notes.entry(place).or_insert((order, note, at)).1)
    }

    /// Sets something aside that the guard objects to; of its text as much as of a message is kept.
    pub fn set_aside(&mut self, mut held: Quarantined) {
        held.note.value = cut(&held.note.value);
        self.quarantined.push(held);
    }

    /// The notes in the order in which they were made, with their times.
    pub fn notes(&self) -> impl Iterator<Item = (&Note, i64)> {
        let mut notes: Vec<_> = self.notes.values().collect();
        notes.sort_by_key(|(order, ..)| *order);
        notes.into_iter().map(|(_, note, at)| (note, *at))
    }

    /// The notes that were set aside.
    pub fn quarantined(&self) -> &[Quarantined] {
        &self.quarantined
    }
}

/// A text of at most [`MAX_MESSAGE_CHARS`] characters.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
