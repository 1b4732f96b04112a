//! Scripts of the skill that its other scripts source or start: their functions are known where they
//! are called, and what they are given goes where they send it.

use std::rc::Rc;

use super::commands::Call;
use super::dialect::{console, recipes};
use super::nested::{MAX_CALLED, MAX_CALLS, MAX_LEVEL};
use super::{Taint, Walk};
use crate::scan::kind::{Kind, Language, has_extension};

/// Bytes of a script that are followed from elsewhere.
const MAX_SCRIPT: usize = 128 * 1024;

impl Walk<'_, '_, '_> {
    /// `. lib/common.sh`: what the file does, and what it declares.
    pub(super) fn sourced(&mut self, path: &str, at: usize) {
        // Whatever its name says: it is read as shell.
        if let Some(text) = self.script_of(path, |_| true) {
            self.elsewhere(&text, at, |inner| inner.all_of(&text, &Taint::default()));
        }
    }

    /// `sh send.sh "$key"`, `env | ./send.sh`: a script of the skill's own with what it is given.
    /// Without anything that matters it is looked at by itself, as any file is.
    pub(super) fn started(&mut self, call: &Call, path: &str, input: &Taint, at: usize) -> Taint {
        let mut printed = self.printed_by_member(path);
        printed.add(&self.started_with(call, path, input, at));
        printed
    }

    /// What a script of the skill's own prints, by the path that it is run by.
    pub(super) fn printed_by_member(&self, path: &str) -> Taint {
        let name = path.trim_matches(['"', '\'']).rsplit(['/', '\\']).next().unwrap_or(path);
        if name.len() < 3 || !name.contains('.') && !path.contains('/') {
            return Taint::default();
        }
        let mut taint = Taint::default();
        for (file, printed) in self.skill.outputs.all_printed() {
            let member = &self.skill.members[file];
            if file != self.passage.file && member.path.rsplit('/').next() == Some(name) {
                taint.add(printed);
            }
        }
        taint
    }

    fn started_with(&mut self, call: &Call, path: &str, input: &Taint, at: usize) -> Taint {
        let arguments = call.after(path);
        let matters = |taint: &Taint| {
            taint.environment || !taint.keys.is_empty() || !taint.secrets.is_empty()
        };
        if !matters(input) && !arguments.iter().any(|argument| matters(&argument.taint)) {
            return Taint::default();
        }
        if self.is_full() {
            self.unfinished(at, "too many scripts start one another");
        }
        let Some(text) = self.script_of(path, |language| language == Language::Shell) else {
            return Taint::default();
        };
        self.with_arguments(arguments, |walk| {
            walk.elsewhere(&text, at, |inner| inner.all_of(&text, input))
        })
    }

    /// Whether no script is followed any more from where this one stands.
    fn is_full(&self) -> bool {
        self.depth >= MAX_CALLS || self.level >= MAX_LEVEL || self.memory.called >= MAX_CALLED
    }

    /// The text of the shell script that a path names, within what may still be followed.
    fn script_of(&mut self, path: &str, is_shell: fn(Language) -> bool) -> Option<Rc<str>> {
        if self.is_full() {
            return None;
        }
        let name = path.trim_matches(['"', '\'']).rsplit(['/', '\\']).next()?;
        if name.len() < 3 {
            return None;
        }
        let is_it = |file: usize| {
            let member = &self.skill.members[file];
            file != self.passage.file
                && matches!(member.kind, Kind::Text(language) if is_shell(language))
                && member.bytes.len() <= MAX_SCRIPT
                && member.path.rsplit('/').next() == Some(name)
        };
        let file = (0..self.skill.members.len()).find(|file| is_it(*file))?;
        let text = self.skill.members[file].text();
        self.memory.called += text.plain.len();
        let is_make = self.skill.members[file].kind == Kind::Text(Language::Make)
            || has_extension(name, "mk");
        Some(if is_make { recipes(&text.plain) } else { console(&text.plain) }.into())
    }
}
