//! Flows through code: one lexer, one table of meanings and one fixed point for Python, JavaScript
//! and TypeScript, Ruby, Perl, PowerShell, batch, PHP, Go and Lua.
//!
//! A value carries what its expression carries; a variable what was assigned to it anywhere in its
//! file; a function what it returns, in every file of the skill; a parameter what any call passes. A
//! few rounds over the statements reach the end, since values only ever gain. It is coarse on
//! purpose: order and branches do not matter, what could meet is taken to meet. Only the variables of functions
//! of Python and JavaScript are told apart, since one name stands for something else in each ([`scopes`]), and
//! functions of scripts that do not know of each other ([`apart`]).

mod across_files;
mod apart;
mod clients;
mod hidden_names;
mod lexer;
mod runners;
mod scopes;
mod scripting_host;
mod shapes;
mod sockets;
mod tables;
mod together;
mod unit;
mod wholesale;
mod windows;

use std::cell::Cell;
use std::collections::HashMap;

use super::Skill;
use super::findings::Findings;
use super::flow::Taint;
use super::kind::Language;
use super::passage::{Passage, Place};
use super::settings::leaf::leaves;
use unit::{Command, Unit};

/// Bytes of a settings file whose values code may look up.
const MAX_SETTINGS: usize = 64 * 1024;
/// Texts that are kept for one name.
pub(super) const MAX_TEXTS: usize = 12;

/// Bytes of texts that the variables of a skill's code may hold: each line can go on with the text of the
/// one before it.
pub(super) const MAX_KEPT: usize = 16 * 1024 * 1024;

/// Bytes of long texts that names are taken to stand for, in one round over all statements.
pub(super) const MAX_FILLED_IN: usize = 16 * 1024 * 1024;

/// Rounds over all statements; each passes a value on through one more function at least.
const MAX_ROUNDS: usize = 5;

/// All code of a skill.
#[derive(Default)]
pub(crate) struct Program<'a> {
    units: Vec<Unit<'a>>,
    /// Settings and data files, which code may take its addresses and paths from.
    settings: Vec<&'a Passage<'a>>,
    world: World,
}

/// What files of a skill know of each other.
#[derive(Default)]
pub(super) struct World {
    /// What functions return, by name.
    pub(super) returns: HashMap<String, Taint>,
    /// What functions are called with, by name and position.
    pub(super) calls: HashMap<String, Vec<Taint>>,
    /// Texts that functions are called with, by name and position.
    pub(super) given: HashMap<String, Vec<Vec<String>>>,
    /// Texts that functions return, by name.
    pub(super) returned: HashMap<String, Vec<String>>,
    /// Names of functions' parameters, by the function's name.
    pub(super) parameters: HashMap<String, Vec<String>>,
    /// Texts of constants, by name.
    pub(super) constants: HashMap<String, Vec<String>>,
    /// Texts of the settings files that code reads, by key.
    pub(super) settings: HashMap<String, Vec<String>>,
    /// Commands that functions give, by the function's name.
    commands: HashMap<String, Option<Command>>,
    /// What is sent under a name for others to hear.
    pub(super) events: HashMap<String, Taint>,
    /// What scripts leave in variables of the environment, by name.
    inherited: HashMap<String, Taint>,
    /// What scripts leave in files, by path.
    pub(super) saved: HashMap<String, Taint>,
    /// Bytes of texts that variables hold.
    pub(super) kept: usize,
    /// Bytes of long texts that names stood for in this round.
    pub(super) filled_in: Cell<usize>,
    /// What scripts of the skill print, by the name of their file.
    pub(super) printed: HashMap<String, Taint>,
    /// Whether anything was gained in this round.
    pub(super) moved: bool,
    /// Expressions looked at so far: a measure of the work.
    pub(super) steps: usize,
}

impl World {
    /// What a variable of the environment carries.
    pub(super) fn variable(&self, name: &str) -> Taint {
        let mut taint = Taint::key(name);
        if let Some(inherited) = self.inherited.get(name) {
            taint.add(inherited);
        }
        taint
    }
}

/// A file, what it prints when it is run, and what it leaves at paths.
pub(crate) type Output = (usize, Taint, Vec<(String, Taint)>);

impl<'a> Program<'a> {
    /// Takes over what scripts of the skill print and leave in files.
    pub(crate) fn hear(&mut self, skill: &Skill<'_>) {
        for (file, taint) in skill.outputs.all_printed() {
            let path = &skill.members[file].path;
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            self.world.printed.entry(name).or_default().add(taint);
        }
        self.find(skill.outputs.all_left());
    }

    /// What each unit prints and leaves behind.
    pub(crate) fn outputs(&mut self, skill: &Skill<'_>) -> Vec<Output> {
        apart::tell_files_apart(&mut self.units, skill);
        self.settle();
        let world = &mut self.world;
        let units = self.units.iter_mut();
        units.map(|unit| (unit.passage.file, unit.printed(world), unit.left())).collect()
    }

    /// Takes over what shell scripts leave in their variables.
    pub(crate) fn inherit<'n>(&mut self, carried: impl Iterator<Item = (&'n str, &'n Taint)>) {
        for (name, taint) in carried {
            self.world.inherited.entry(name.to_owned()).or_default().add(taint);
        }
    }

    /// Takes over what shell scripts leave in files.
    pub(crate) fn find<'n>(&mut self, saved: impl Iterator<Item = (&'n str, &'n Taint)>) {
        for (path, taint) in saved {
            self.world.saved.entry(path.to_owned()).or_default().add(taint);
        }
    }

    /// Takes in a passage, if it is code.
    pub(crate) fn add(&mut self, passage: &'a Passage<'a>) {
        let code = matches!(
            passage.language,
            Language::Python
                | Language::JavaScript
                | Language::Ruby
                | Language::Perl
                | Language::PowerShell
                | Language::Php
                | Language::Go
                | Language::Lua
                | Language::Braces
                | Language::Batch
        );
        if code {
            self.units.push(Unit::new(passage));
        } else if passage.decoded.is_none()
            && matches!(passage.place, Place::Straight { start: 0, .. })
            && matches!(
                passage.language,
                Language::Json | Language::Yaml | Language::Toml | Language::Ini
            )
        {
            self.settings.push(passage);
        }
    }

    /// Follows the flows; gives back the shell texts that the code runs.
    pub(crate) fn solve(
        &mut self,
        skill: &Skill<'_>,
        findings: &mut Findings<'_>,
    ) -> Vec<Passage<'a>> {
        apart::tell_files_apart(&mut self.units, skill);
        self.settle();
        let mut shell = Vec::new();
        across_files::look_at_all(&self.units, findings);
        together::look(&self.units, skill, findings);
        self.world.filled_in.set(0);
        for unit in &mut self.units {
            unit.round(&mut self.world, Some((skill, findings)));
            shapes::look(unit, skill, findings);
            shell.append(&mut unit.shell);
        }
        shell
    }

    /// The values of settings files, for code that looks them up by their key.
    fn read_settings(&mut self) {
        if self.units.is_empty() {
            return;
        }
        for passage in std::mem::take(&mut self.settings) {
            if passage.text.len() > MAX_SETTINGS {
                continue;
            }
            for leaf in leaves(passage.language, &passage.text) {
                // A list's values are found by the list's key.
                let key = leaf.path.iter().rev().find(|key| !key.starts_with('#'));
                let Some(key) = key.filter(|_| !leaf.value.is_empty()) else { continue };
                let values = self.world.settings.entry(key.to_string()).or_default();
                if values.len() < MAX_TEXTS {
                    values.push(leaf.value.clone());
                }
            }
        }
    }

    /// Rounds over all statements until nothing is gained.
    fn settle(&mut self) {
        self.read_settings();
        for unit in &mut self.units {
            unit.declare(&mut self.world);
        }
        for _ in 0..MAX_ROUNDS {
            self.world.moved = false;
            self.world.filled_in.set(0);
            for unit in &mut self.units {
                unit.round(&mut self.world, None);
            }
            if !self.world.moved {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::finding::Context;
    use super::*;

    fn steps(language: Language, text: String) -> usize {
        settled(language, text, |program| program.world.steps)
    }

    /// What is known once nothing more is gained.
    fn settled<T>(language: Language, text: String, asked: impl FnOnce(&Program<'_>) -> T) -> T {
        let passage = Passage {
            file: 0,
            language,
            context: Context::Script,
            text: Cow::Owned(text),
            place: Place::Fixed { line: 1, column: 1 },
            headings: Cow::Borrowed(""),
            lead: Cow::Borrowed(""),
            decoded: None,
        };
        let mut program = Program::default();
        program.add(&passage);
        program.settle();
        asked(&program)
    }

    #[test]
    fn calls_inside_calls_cost_what_their_text_does() {
        for (language, open) in
            [(Language::JavaScript, "fetch("), (Language::Python, "requests.get(")]
        {
            let nested =
                |depth: usize| steps(language, open.repeat(depth) + &")".repeat(depth) + "\n");
            assert!(nested(40) <= 2 * nested(20) + 8, "{open} {} {}", nested(40), nested(20));
        }
    }

    #[test]
    fn work_grows_with_the_text() {
        let units = [
            (Language::Python, "def f(a):\n return f(a)\n"),
            (Language::JavaScript, "const f = (a) => f(a)\n"),
            (Language::JavaScript, "a.b(c => d = a.b("),
            (Language::Ruby, "f x, "),
            (Language::Perl, "print $x "),
            (Language::PowerShell, "x | y | "),
            (Language::PowerShell, "curl a|"),
            (Language::PowerShell, "curl (b|curl c)|"),
            (Language::PowerShell, "irm a | iex | "),
            (Language::PowerShell, "% {curl $_} | "),
            (Language::Python, "[a for a in "),
            (Language::Python, "[a for a in b], "),
            (Language::Ruby, "a do |b| "),
            (Language::Php, "$x=$y;"),
        ];
        for (language, unit) in units {
            let [small, large] = [1_000, 2_000].map(|n| steps(language, unit.repeat(n)));
            assert!(large <= 2 * small + 2_000, "{unit:?}: {small} {large}");
            // Each expression a few times in each of two rounds, not once for every one before it.
            assert!(large <= 24 * 2_000, "{unit:?}: {large}");
        }
    }

    /// Whether a file of code is known to hold more text than was kept.
    fn is_short(text: String) -> bool {
        settled(Language::Python, text, |program| program.units[0].is_short())
    }

    #[test]
    fn as_much_text_is_kept_for_names() {
        // Kept for the file, for others that import it, and for what the name was made from.
        const TIMES: usize = 3;
        const EACH: usize = 16_000;
        let variables = |count: usize, more: usize| {
            let long = "a".repeat(EACH);
            let line = |name: String, text: &str| format!("{name} = '{text}'\n");
            let mut lines: Vec<String> =
                (0..count).map(|at| line(format!("v{at}"), &long)).collect();
            lines.push(line("w".to_owned(), &"a".repeat(more)));
            lines.concat()
        };
        let count = MAX_KEPT / (TIMES * EACH);
        let rest = MAX_KEPT - count * TIMES * EACH;
        assert!(!is_short(variables(count, rest / TIMES)));
        assert!(is_short(variables(count, rest / TIMES + 1)));
    }

    #[test]
    fn names_stand_for_as_much_text() {
        const EACH: usize = 16 * 1024 - 1;
        let used = |times: usize| format!("v = '{}'\n{}", "a".repeat(EACH), "f(v)\n".repeat(times));
        let most = MAX_FILLED_IN / EACH;
        assert!(!is_short(used(most)));
        assert!(is_short(used(most + 1)));
    }
}
