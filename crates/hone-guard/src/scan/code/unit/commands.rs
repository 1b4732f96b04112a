//! Commands that are written as lists: which part is the program, which part an interpreter runs, and what is
//! only given to it.
//!
//! `["python3", "convert.py", answer]` runs `convert.py`, whatever the answer says; `["sh", "-c", answer]`
//! runs the answer.

use std::collections::hash_map::Entry;
use std::ops::Range;

use super::Unit;
use super::calls::Call;
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::flow::Taint;
use crate::scan::kind::{Language, of_interpreter};

/// Items of a command among which the script of an interpreter is looked for.
const MAX_ITEMS: usize = 16;

/// What of a command is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::scan::code) struct Command {
    /// What the program is made from.
    pub(super) program: Taint,
    /// What the script is made from that an interpreter is given by its path; nothing if it may be given code.
    pub(super) script: Option<Taint>,
}

impl Command {
    /// Takes on another list that one name stands for as well.
    fn add(&mut self, other: &Self) {
        self.program.add(&other.program);
        self.script = match (self.script.take(), &other.script) {
            (Some(mut script), Some(more)) => {
                script.add(more);
                Some(script)
            }
            _ => None,
        };
    }
}

/// Adds what a name stands for to what it stood for before: something else than a command makes it none.
fn merge(entry: Entry<'_, String, Option<Command>>, command: Option<Command>) {
    match entry {
        Entry::Vacant(vacant) => {
            vacant.insert(command);
        }
        Entry::Occupied(mut known) => match (known.get_mut(), command) {
            (Some(known), Some(command)) => known.add(&command),
            (known, _) => *known = None,
        },
    }
}

impl Unit<'_> {
    /// The command that a call starts, where it is written as a list: in the call, or in the one place where its
    /// name gets a value.
    pub(super) fn command_of(&mut self, call: &Call<'_>, world: &mut World) -> Option<Command> {
        let first = call.ranges.first()?.clone();
        let is_script = self.passage.language == Language::JavaScript;
        // Popen(list, shell=True): the shell reads what the list holds.
        let in_shell = |range: &Range<usize>| {
            range.clone().any(|i| matches!(self.name_at(i), Some("shell" | "executable")))
        };
        if !is_script && self.passage.language != Language::Python
            || call.ranges.iter().skip(1).any(in_shell)
        {
            return None;
        }
        // subprocess.run(args=[…])
        let keyword = self.name_at(first.start) == Some("args") && self.is_op(first.start + 1, '=');
        let first = if keyword { first.start + 2..first.end } else { first };
        if self.is_list(&first) {
            let items = self.arguments(first.start);
            return self.command_in(&items, world);
        }
        if let Some(list) = call.ranges.get(1).filter(|range| is_script && self.is_list(range)) {
            // execFileSync("node", ["convert.mjs", answer])
            let mut items = vec![first];
            items.extend(self.arguments(list.start));
            return self.command_in(&items, world);
        }
        self.command_held(&first, world)
    }

    /// The command that a name stands for, or that a function of the skill's own gives.
    fn command_held(&self, range: &Range<usize>, world: &World) -> Option<Command> {
        let name = self.name_at(range.start)?;
        if range.len() == 1 {
            return self.commands.get(name).cloned().flatten();
        }
        let is_call =
            self.is_op(range.start + 1, '(') && self.close[range.start + 1] + 1 == range.end;
        let last = name.rsplit('.').next().unwrap_or(name);
        world.commands.get(last).filter(|_| is_call).cloned().flatten()
    }

    /// Whether a function is called of which is not known yet what it gives.
    fn awaits_command(&self, range: &Range<usize>, world: &World) -> bool {
        let Some(name) = self.name_at(range.start).filter(|_| range.len() > 1) else {
            return false;
        };
        let last = name.rsplit('.').next().unwrap_or(name);
        world.returns.contains_key(last) && !world.commands.contains_key(last)
    }

    /// `return ["git", "log", x]`, `return cmd`: the command that a function gives, if it gives nothing else.
    pub(super) fn give_command(
        &mut self,
        function: usize,
        given: &Range<usize>,
        world: &mut World,
    ) {
        let command = if self.is_list(given) {
            let items = self.arguments(given.start);
            self.command_in(&items, world)
        } else {
            self.command_held(given, world)
        };
        let name = self.functions[function].name.clone();
        merge(world.commands.entry(name), command);
    }

    /// `cmd = ["python3", script, x]`: what the name stands for as a command, if it stands for nothing else.
    pub(super) fn keep_command(
        &mut self,
        target: &str,
        equals: usize,
        right: &Range<usize>,
        world: &mut World,
    ) {
        // cmd += […]: only more arguments.
        if self.is_op(equals - 1, '+') {
            return;
        }
        // ["python3", script] + more
        let close = self.close.get(right.start).map_or(right.end, |close| close + 1);
        let plus = close < right.end && self.is_op(close, '+');
        let command = if self.is_list(&(right.start..if plus { close } else { right.end })) {
            let items = self.arguments(right.start);
            self.command_in(&items, world)
        } else if self.awaits_command(right, world) {
            return;
        } else {
            self.command_held(right, world)
        };
        merge(self.commands.entry(target.to_owned()), command);
    }

    /// Whether an expression is a list as it is written: not `[…].map(…)`, not `[…][0]`.
    fn is_list(&self, range: &Range<usize>) -> bool {
        self.is_op(range.start, '[') && self.close[range.start] + 1 == range.end
    }

    fn command_in(&mut self, items: &[Range<usize>], world: &mut World) -> Option<Command> {
        let first = self.value(items.first()?.clone(), world, &mut None, 1);
        let own = first.names.first().map(|name| self.resolve(name));
        let language = match own.as_deref() {
            Some("sys.executable") => Some(Language::Python),
            Some("process.execPath" | "process.argv0") => Some(Language::JavaScript),
            _ => first.texts.first().and_then(|text| {
                of_interpreter(text.rsplit('/').next().unwrap_or(text).trim_end_matches('"'))
            }),
        };
        let mut command = Command { program: first.taint, script: None };
        if language.is_none() {
            // A list of letters or of pieces has no program.
            let is_known = !first.texts.is_empty() || !first.names.is_empty();
            return Some(command).filter(|_| is_known);
        }
        for item in items.iter().skip(1).take(MAX_ITEMS) {
            if let Some(Token::Text(text)) = self.token(item.start).filter(|_| item.len() == 1) {
                if may_take_code(text) {
                    return Some(command);
                }
                let is_script = text.contains(['/', '.']) && !text.starts_with('-');
                let is_module = self.is_text(item.start.wrapping_sub(2), "-m");
                if !is_script && !is_module {
                    continue;
                }
            }
            command.script = Some(self.value(item.clone(), world, &mut None, 1).taint);
            break;
        }
        Some(command)
    }

    fn is_text(&self, at: usize, word: &str) -> bool {
        matches!(self.token(at), Some(Token::Text(text)) if **text == *word)
    }
}

/// Whether an option has an interpreter read code from what follows or from its input: `-c`, `-lc`, `-e`, `-`, `/c`.
fn may_take_code(option: &str) -> bool {
    const LONGEST: usize = 4;
    let lower = option.to_ascii_lowercase();
    let letters = lower.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    letters.is_some_and(|letters| {
        letters.is_empty()
            || letters.len() < LONGEST && letters.contains(['c', 'e', 'p', 'r', 's'])
            || letters.starts_with("enc")
            || letters.starts_with("com")
    }) || matches!(&*lower, "--eval" | "--print" | "--require" | "--import" | "/c" | "/k" | "eval")
}

#[cfg(test)]
mod tests {
    use super::super::test_passage;
    use super::*;

    /// What a list of Python is as a command.
    fn command(list: &str) -> Option<Command> {
        let passage = test_passage(format!("x = {list}\n"));
        let mut unit = Unit::new(&passage);
        let mut world = World::default();
        let end = unit.close[2].min(unit.tokens.len() - 1) + 1;
        unit.keep_command("x", 1, &(2..end), &mut world);
        unit.commands.remove("x").flatten()
    }

    #[test]
    fn a_script_is_told_from_what_it_is_given() {
        let has_script = |list: &str| command(list).is_some_and(|command| command.script.is_some());
        for list in [
            "['python3', 'convert.py', answer]",
            "[sys.executable, str(HERE / 'convert.py'), answer]",
            "['uv', 'run', '--with', 'rich', 'convert.py', answer]",
            "['python3', '-m', 'json', answer]",
        ] {
            assert!(has_script(list), "{list}");
        }
        for list in [
            "['sh', '-c', answer]",
            "['bash', '-lc', answer]",
            "['node', '--eval', answer]",
            "['python3', '-']",
            "['python3']",
            "['powershell', '-EncodedCommand', answer]",
        ] {
            assert!(!has_script(list), "{list}");
        }
        assert_eq!(command("build()"), None);
    }

    #[test]
    fn a_script_stands_among_as_many_items() {
        let has_script = |before: usize| {
            let options = "'--fast', ".repeat(before);
            let command = command(&format!("['python3', {options}'convert.py', answer]"));
            command.is_some_and(|command| command.script.is_some())
        };
        assert!(has_script(MAX_ITEMS - 1));
        assert!(!has_script(MAX_ITEMS));
    }
}
