//! Variables of shell texts, with what they hold: as many bytes as may be kept in one skill.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Value;

/// Bytes that the variables of one skill may hold: each line of a script can double what the one before
/// it put together.
pub(super) const MAX_VALUES: usize = 16 * 1024 * 1024;

/// Bytes that variables may put into the words of one skill, where they are longer than
/// [`SHORT_VALUE`]: a word of two letters can stand for all that the lines before it put together.
pub(super) const MAX_EXPANDED: usize = 16 * 1024 * 1024;
/// Bytes of a value as people write it, which may be used as often as a script likes.
const SHORT_VALUE: usize = 256;

/// What the variables of all files of a skill cost, in bytes.
#[derive(Default)]
pub(super) struct Cost {
    kept: Cell<usize>,
    expanded: Cell<usize>,
}

/// The variables of one file.
#[derive(Default)]
pub(super) struct Variables {
    known: HashMap<String, Value>,
    cost: Rc<Cost>,
    /// Whether a value was too much.
    is_short: bool,
}

impl Variables {
    /// No variables yet, of a skill whose other files cost so much already.
    pub(super) fn beside(cost: &Rc<Cost>) -> Self {
        Self { cost: Rc::clone(cost), ..Self::default() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.known.get(name)
    }

    /// A variable's value where it stands in a word; past the bound only what it carries.
    pub(super) fn expanded(&mut self, name: &str) -> Option<Value> {
        let value = self.known.get(name)?;
        let bytes = value.text.len();
        if bytes > SHORT_VALUE {
            if self.cost.expanded.get() + bytes > MAX_EXPANDED {
                self.is_short = true;
                return Some(Value { text: String::new(), taint: value.taint.clone() });
            }
            self.cost.expanded.set(self.cost.expanded.get() + bytes);
        }
        Some(value.clone())
    }

    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Keeps a value; of one that is too much only what it carries, without its text.
    pub(super) fn insert(&mut self, name: String, mut value: Value) {
        self.remove(&name);
        if self.cost.kept.get() + length(&value) > MAX_VALUES {
            self.is_short |= !value.text.is_empty();
            value.text = String::new();
            value.taint.remote = value.taint.remote.map(|_| String::new());
        }
        self.cost.kept.set(self.cost.kept.get() + length(&value));
        self.known.insert(name, value);
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Value> {
        let before = self.known.remove(name)?;
        self.cost.kept.set(self.cost.kept.get() - length(&before));
        Some(before)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.known.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Bytes of long values that were put into words.
    #[cfg(test)]
    pub(super) fn copied(&self) -> usize {
        self.cost.expanded.get()
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
        let cost = Rc::default();
        let (mut one, mut other) = (Variables::beside(&cost), Variables::beside(&cost));
        one.insert("a".to_owned(), of(MAX_VALUES - 10));
        other.insert("b".to_owned(), of(10));
        assert_eq!((other.get("b").unwrap().text.len(), other.was_short()), (10, false));
        other.insert("c".to_owned(), of(1));
        assert_eq!((other.get("c").unwrap().text.len(), other.was_short()), (0, true));
        assert!(!other.was_short());
        // What is replaced makes room.
        one.insert("a".to_owned(), of(1));
        other.insert("c".to_owned(), of(1));
        assert_eq!((other.get("c").unwrap().text.len(), cost.kept.get()), (1, 12));
    }

    #[test]
    fn as_much_is_put_into_the_words_of_all_files_of_a_skill() {
        let cost = Rc::default();
        let (mut one, mut other) = (Variables::beside(&cost), Variables::beside(&cost));
        one.insert("short".to_owned(), of(SHORT_VALUE));
        one.insert("long".to_owned(), of(MAX_EXPANDED / 2));
        other.insert("long".to_owned(), of(MAX_EXPANDED / 4 - SHORT_VALUE));
        other.insert("more".to_owned(), of(2 * SHORT_VALUE));
        let length = |variables: &mut Variables, name| variables.expanded(name).unwrap().text.len();
        assert_eq!(length(&mut one, "long"), MAX_EXPANDED / 2);
        for _ in 0..2 {
            assert_eq!(length(&mut other, "long"), MAX_EXPANDED / 4 - SHORT_VALUE);
        }
        // At the bound.
        assert_eq!(length(&mut other, "more"), 2 * SHORT_VALUE);
        assert_eq!(other.copied(), MAX_EXPANDED);
        assert!(!one.was_short() && !other.was_short());
        assert_eq!(length(&mut other, "more"), 0);
        assert!(other.was_short());
        // Short ones cost nothing.
        assert_eq!(length(&mut one, "short"), SHORT_VALUE);
        assert!(!one.was_short());
    }

    fn of(bytes: usize) -> Value {
        Value { text: "a".repeat(bytes), ..Value::default() }
    }
}
