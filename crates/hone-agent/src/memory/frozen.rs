//! Layer 1: `MEMORY.md` and a subscriber's file, as a task gets them, frozen when it begins.
//!
//! A file is a head that belongs to people, and entries: each starts with `- ` and goes on until the
//! next. Notes are entries of one line, one for a key. When a note does not fit, whole entries go,
//! the oldest first; whoever asks for that keeps what goes.

use std::fmt::Write as _;

/// Characters of `MEMORY.md` at most.
pub const MAX_MEMORY_CHARS: usize = 4_000;
/// Characters of a subscriber's file at most.
pub const MAX_USER_CHARS: usize = 2_000;
/// Characters of one entry at most.
pub const MAX_ENTRY_CHARS: usize = 1_000;
/// Characters of the key of a note at most.
pub const MAX_KEY_CHARS: usize = 80;

/// An entry of a file: a key and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its text, the leading `- ` included, without the last line end.
    text: String,
}

impl Entry {
    pub(crate) fn new(key: &str, value: &str) -> Self {
        Self { text: format!("- {key}: {value}") }
    }

    /// What it is about and what it says; an entry without a key is all words.
    pub(crate) fn parts(&self) -> (Option<&str>, &str) {
        let text = self.text.strip_prefix("- ").unwrap_or(&self.text);
        match text.split_once(": ") {
            Some((key, value)) if !key.contains('\n') && key.chars().count() <= MAX_KEY_CHARS => {
                (Some(key), value)
            }
            _ => (None, text),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn chars(&self) -> usize {
        self.text.chars().count() + 1
    }
}

/// A file of layer 1, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Page {
    head: String,
    pub(crate) entries: Vec<Entry>,
}

/// A note that a file has no room for, because what is above its entries fills it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom {
    /// Characters of the head.
    pub(crate) head: usize,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let mut page = Self::default();
        for line in text.split_inclusive('\n') {
            if line.starts_with("- ") {
                page.entries.push(Entry { text: line.to_owned() });
            } else if let Some(entry) = page.entries.last_mut() {
                entry.text.push_str(line);
            } else {
                page.head.push_str(line);
            }
        }
        for entry in &mut page.entries {
            entry.text.truncate(entry.text.trim_end().len());
        }
        page
    }

    /// The text of the file; `title` is its first line while it has no head.
    pub(crate) fn to_text(&self, title: &str) -> String {
        let mut text = self.head.clone();
        if text.is_empty() {
            text.push_str(title);
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        for entry in &self.entries {
            let _ = writeln!(text, "{}", entry.text);
        }
        text
    }

    /// What is said under a key.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.entries
            .iter()
            .map(Entry::parts)
            .find(|(of, _)| *of == Some(key))
            .map(|(_, value)| value)
    }

    /// Makes the entry of a key what it was; without a value there was none.
    pub(crate) fn revert(&mut self, key: &str, value: Option<&str>) {
        let at = self.entries.iter().position(|entry| entry.parts().0 == Some(key));
        match (at, value) {
            (Some(at), Some(value)) => self.entries[at] = Entry::new(key, value),
            (Some(at), None) => drop(self.entries.remove(at)),
            (None, Some(value)) => self.entries.push(Entry::new(key, value)),
            (None, None) => {}
        }
    }

    /// Puts entries at the end, each in place of the one with its key, and lets the oldest go until
    /// everything fits into `cap` characters. Gives those that went.
    pub(crate) fn put(
        &mut self,
        new: Vec<Entry>,
        title: &str,
        cap: usize,
    ) -> Result<Vec<Entry>, NoRoom> {
        for entry in new {
            let (key, _) = entry.parts();
            self.entries.retain(|old| old.parts().0 != key);
            self.entries.push(entry);
        }
        let head = Self { head: self.head.clone(), entries: Vec::new() }.to_text(title);
        let head = head.chars().count();
        let mut chars = head + self.entries.iter().map(Entry::chars).sum::<usize>();
        let mut gone = 0;
        while chars > cap && gone + 1 < self.entries.len() {
            chars -= self.entries[gone].chars();
            gone += 1;
        }
        if chars > cap {
            return Err(NoRoom { head });
        }
        Ok(self.entries.drain(..gone).collect())
    }
}

/// A text as a prompt gets it: at most `cap` characters, and a mark where it was cut.
pub(crate) fn capped(text: &str, cap: usize) -> String {
    match text.char_indices().nth(cap) {
        None => text.to_owned(),
        Some((end, _)) => {
            let all = text.chars().count();
            format!("{}\n[cut: {cap} of {all} characters are shown]", &text[..end])
        }
    }
}

/// One line without hidden characters: each run of white space is one space.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(
        text: &str,
        key: &str,
        value: &str,
        cap: usize,
    ) -> Result<(String, Vec<String>), NoRoom> {
        let mut page = Page::parse(text);
        let gone = page.put(vec![Entry::new(key, value)], "# Memory\n", cap)?;
        Ok((page.to_text("# Memory\n"), gone.into_iter().map(|entry| entry.text).collect()))
    }

    #[test]
    fn a_file_that_is_parsed_and_written_is_the_same() {
        let text = "# Mine\n\nHello.\n\n- a: 1\n- two\n  lines\n- b: 2\n";
        assert_eq!(Page::parse(text).to_text("# Memory\n"), text);
    }

    #[test]
    fn one_entry_a_key_and_the_newest_last() {
        let (text, gone) = put("# Memory\n- a: 1\n- b: 2\n", "a", "3", 100).unwrap();
        assert_eq!((text.as_str(), gone), ("# Memory\n- b: 2\n- a: 3\n", vec![]));
    }

    #[test]
    fn whole_entries_go_oldest_first_at_the_cap_and_one_past_it() {
        let text = "# Memory\n- a: 1\n  more\n- b: 2\n";
        let full = text.chars().count() + "- c: 3\n".len();
        assert_eq!(put(text, "c", "3", full).unwrap().1, Vec::<String>::new());
        let (after, gone) = put(text, "c", "3", full - 1).unwrap();
        assert_eq!(after, "# Memory\n- b: 2\n- c: 3\n");
        assert_eq!(gone, ["- a: 1\n  more"]);
    }

    #[test]
    fn a_head_is_never_evicted() {
        let head = "x".repeat(90);
        assert_eq!(put(&format!("{head}\n- a: 1\n"), "b", "2", 95), Err(NoRoom { head: 91 }));
    }

    #[test]
    fn a_cut_is_on_a_character_and_marked() {
        let text = "ä".repeat(4_001);
        assert_eq!(capped(&text[..8_000], 4_000), text[..8_000]);
        let cut = capped(&text, 4_000);
        assert_eq!(cut, format!("{}\n[cut: 4000 of 4001 characters are shown]", "ä".repeat(4_000)));
    }

    #[test]
    fn many_lines_become_one() {
        assert_eq!(one_line(" a\r\n\tb\u{0}\u{85}c  d\n"), "a b c d");
    }
}
