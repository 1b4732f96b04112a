//! Variables of shell texts, with what they hold: as many bytes as may be kept in one skill.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Value;

/// Bytes that the variables of one skill may hold: each line of a script can double what the one before
/// it put together.
pub(super) const MAX_VALUES: usize = 16 * 1024 * 1024;

/// The variables of one file.
#[derive(Default)]
pub(super) struct Variables {
    known: HashMap<String, Value>,
    /// Bytes that all files of the skill keep.
    kept: Rc<Cell<usize>>,
    /// Whether a value was too much.
    is_short: bool,
}

impl Variables {
    /// No variables yet, of a skill that keeps so many bytes already.
    pub(super) fn beside(kept: &Rc<Cell<usize>>) -> Self {
        Self { kept: Rc::clone(kept), ..Self::default() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.known.get(name)
    }

    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Keeps a value; of one that is too much only what it carries, without its text.
    pub(super) fn insert(&mut self, name: String, mut value: Value) {
        self.remove(&name);
        if self.kept.get() + length(&value) > MAX_VALUES {
            self.is_short |= !value.text.is_empty();
            value.text = String::new();
            value.taint.remote = value.taint.remote.map(|_| String::new());
        }
        self.kept.set(self.kept.get() + length(&value));
        self.known.insert(name, value);
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Some(before) = self.known.remove(name) {
            self.kept.set(self.kept.get() - length(&before));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.known.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether a value was too much since this was asked last.
    pub(super) fn was_short(&mut self) -> bool {
        std::mem::take(&mut self.is_short)
    }
}

fn length(value: &Value) -> usize {
    let taint = &value.taint;
    let carried = [&taint.remote, &taint.connection, &taint.bundled];
    value.text.capacity() + carried.into_iter().flatten().map(String::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_kept_in_all_files_of_a_skill() {
        let kept = Rc::default();
        let (mut one, mut other) = (Variables::beside(&kept), Variables::beside(&kept));
        let of = |bytes: usize| Value { text: "a".repeat(bytes), ..Value::default() };
        one.insert("a".to_owned(), of(MAX_VALUES - 10));
        other.insert("b".to_owned(), of(10));
        assert_eq!((other.get("b").unwrap().text.len(), other.was_short()), (10, false));
        other.insert("c".to_owned(), of(1));
        assert_eq!((other.get("c").unwrap().text.len(), other.was_short()), (0, true));
        assert!(!other.was_short());
        // What is replaced makes room.
        one.insert("a".to_owned(), of(1));
        other.insert("c".to_owned(), of(1));
        assert_eq!((other.get("c").unwrap().text.len(), kept.get()), (1, 12));
    }
}
