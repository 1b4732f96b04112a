//! What variables hold: texts, what they were made from, and what they carry, also as parts of an object.
//! Values only ever gain.

use std::collections::BTreeSet;

use super::expression::Value;
use super::{MAX_TEXT, Unit};
use crate::scan::code::scopes::plain;
use crate::scan::code::{MAX_FILLED_IN, MAX_KEPT, World};
use crate::scan::flow::Taint;

/// Texts of a list that are kept.
const MAX_IN_LIST: usize = 1024;
/// Names and texts that a variable is known to be made from, and those that are tried for it.
const MAX_ORIGINS: usize = 8;
const MAX_TRIED: usize = 64;

impl Unit<'_> {
    pub(super) fn assign(&mut self, target: &str, value: &Value, world: &mut World) {
        self.gain(target, &value.taint, world);
        // doc.vars = …: whoever has the whole has the part.
        if let Some((whole, part)) = target.split_once('.')
            // What a child finds in its environment is not what it prints.
            && !(part.eq_ignore_ascii_case("env") && is_program(whole))
            && (value.taint.environment || !value.taint.secrets.is_empty())
            && !matches!(whole, "self" | "this" | "cls" | "module" | "exports" | "process" | "os")
        {
            let part = Taint {
                environment: value.taint.environment,
                secrets: value.taint.secrets.clone(),
                ..Taint::default()
            };
            self.gain(whole, &part, world);
        }
        if !value.texts.is_empty()
            && value.texts.len() <= MAX_IN_LIST
            && value.is_shorter_than(MAX_TEXT)
        {
            let constant = target.rsplit('.').next().unwrap_or(target);
            if !world.constants.contains_key(constant) && self.has_room(&value.texts, world) {
                world.constants.insert(constant.to_owned(), value.texts.clone());
            }
            if !self.texts.contains_key(target) && self.has_room(&value.texts, world) {
                self.texts.insert(target.to_owned(), value.texts.clone());
            }
        }
        if !value.names.is_empty() || !value.texts.is_empty() {
            let mut origins = self.origins.remove(target).unwrap_or_default();
            let names = value.names.iter().take(MAX_TRIED);
            let texts = value.texts.iter().filter(|text| !begins_a_path(&value.texts, text));
            for origin in names.chain(texts.take(MAX_TRIED)) {
                if origins.len() < MAX_ORIGINS
                    && origin != target
                    && !origins.contains(origin)
                    && self.has_room(std::slice::from_ref(origin), world)
                {
                    origins.push(origin.clone());
                }
            }
            self.origins.insert(target.to_owned(), origins);
        }
    }

    /// Whether texts may still be kept; they count from then on.
    fn has_room(&mut self, texts: &[String], world: &mut World) -> bool {
        let bytes = texts.iter().map(String::len).sum::<usize>();
        let has_room = world.kept + bytes <= MAX_KEPT;
        if has_room {
            world.kept += bytes;
        }
        self.is_short.set(self.is_short.get() || !has_room);
        has_room
    }

    /// Texts that names may stand for, through what they were made from.
    pub(super) fn possible(&self, names: &[String]) -> Vec<String> {
        const MOST: usize = 64;
        let mut found: Vec<String> = Vec::new();
        let mut left: Vec<String> = names.to_vec();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = left.pop() {
            if found.len() > MOST || !seen.insert(name.clone()) {
                continue;
            }
            if let Some(texts) = self.texts.get(&name) {
                found.extend(texts.iter().filter(|text| !begins_a_path(texts, text)).cloned());
                found.push(texts.join("/"));
            }
            let base = name.rsplit_once('.').map(|(base, _)| base.to_owned());
            for origin in self
                .origins
                .get(&name)
                .or_else(|| base.as_ref().and_then(|b| self.origins.get(b)))
                .into_iter()
                .flatten()
            {
                found.push(origin.clone());
                left.push(origin.clone());
            }
        }
        found
    }

    /// What a variable carries, also as `self.x`, `data.y`.
    pub(super) fn carried(&self, name: &str, world: &World) -> Taint {
        let mut taint = self.variables.get(name).cloned().unwrap_or_default();
        // self.X of a class attribute X
        if let Some(attribute) = name
            .strip_prefix("self.")
            .or_else(|| name.strip_prefix("this."))
            .or_else(|| name.strip_prefix("cls."))
        {
            let attribute = attribute.split('.').next().unwrap_or(attribute);
            if let Some(known) = self.variables.get(attribute) {
                taint.add(known);
            }
        }
        // job.body of an object whose own code says self.body
        if let Some((_, attribute)) = name.rsplit_once('.') {
            for own in ["self", "this"] {
                if let Some(known) = self.variables.get(&format!("{own}.{attribute}")) {
                    taint.add(known);
                }
            }
        }
        let mut rest = name;
        while let Some((before, _)) = rest.rsplit_once('.') {
            if let Some(known) = self.variables.get(before) {
                taint.add(known);
            }
            rest = before;
        }
        let _ = world;
        taint
    }

    /// The texts that a name stands for. Long ones cost what they have: there may be as many names for
    /// them as there is room in a file.
    pub(super) fn known_text(&self, name: &str, world: &World) -> Option<Vec<String>> {
        // Texts of names as people write them cost nothing.
        const SHORT: usize = 256;
        let texts = self.texts_of(name, world)?;
        let bytes = texts.iter().map(String::len).sum::<usize>();
        if bytes > SHORT {
            let filled_in = world.filled_in.get() + bytes;
            if filled_in > MAX_FILLED_IN {
                self.is_short.set(true);
                return None;
            }
            world.filled_in.set(filled_in);
        }
        Some(texts.clone())
    }

    fn texts_of<'t>(&'t self, name: &str, world: &'t World) -> Option<&'t Vec<String>> {
        self.texts.get(name).or_else(|| {
            let (root, last) = match name.split_once('.') {
                Some((root, _)) => (root, name.rsplit('.').next().unwrap_or(name)),
                None => (name, name),
            };
            if let Some(original) = self.imported.get(root) {
                let part = world.constants.get(last).filter(|_| root != name);
                return part.or_else(|| world.constants.get(original));
            }
            // Constants of other files are written in capitals or as attributes; `path.name` is none of them.
            let is_common = matches!(last, "name" | "parent" | "stem" | "suffix" | "text");
            (last.len() > 2
                && !is_common
                && (last
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
                    || name.contains('.')))
            .then(|| world.constants.get(last))
            .flatten()
        })
    }
}

/// `Path.home() / ".app" / "cache"`: texts that are the parts of one path below the home.
pub(super) fn is_path_in_pieces(texts: &[String]) -> bool {
    matches!(texts, [home, next, ..] if home == "~" && !next.starts_with(['/', '~']))
}

/// Whether a text is the home, where others go on from it: it is not meant alone.
pub(super) fn begins_a_path(texts: &[String], text: &str) -> bool {
    text == "~" && texts.windows(2).any(is_path_in_pieces)
}

/// Whether a name stands for a program and its options.
fn is_program(name: &str) -> bool {
    const NAMES: [&str; 10] =
        ["cmd", "command", "proc", "child", "options", "opts", "opt", "config", "p", "settings"];
    NAMES.contains(&plain(name).to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::code::unit::test_passage;

    /// What is known of a variable after one round over some code.
    fn known<T>(code: String, asked: impl FnOnce(&Unit<'_>) -> T) -> T {
        let passage = test_passage(code);
        let mut unit = Unit::new(&passage);
        unit.round(&mut World::default(), None);
        asked(&unit)
    }

    #[test]
    fn as_many_texts_of_a_list_are_kept() {
        let kept = |count: usize| {
            known(format!("x = [{}]\n", "'a', ".repeat(count)), |unit| {
                unit.texts.get("x").map(Vec::len)
            })
        };
        assert_eq!(kept(MAX_IN_LIST), Some(MAX_IN_LIST));
        assert_eq!(kept(MAX_IN_LIST + 1), None);
    }

    #[test]
    fn a_variable_is_made_from_as_many_names() {
        let origins = |count: usize| {
            let names: Vec<String> = (0..count).map(|at| format!("n{at}")).collect();
            known(format!("x = {}\n", names.join(" + ")), |unit| unit.origins["x"].clone())
        };
        assert_eq!(origins(MAX_ORIGINS).last(), Some(&format!("n{}", MAX_ORIGINS - 1)));
        assert_eq!(origins(MAX_ORIGINS + 1), origins(MAX_ORIGINS));
    }

    #[test]
    fn as_many_names_are_tried_for_a_variable() {
        let origins = |before: usize| {
            known(format!("x = {}y\n", "x + ".repeat(before)), |unit| unit.origins["x"].clone())
        };
        assert_eq!(origins(MAX_TRIED - 1), ["y"]);
        assert_eq!(origins(MAX_TRIED), [""; 0]);
    }
}
