//! Functions that are handed on: given by name, kept in tables, written where they are used, and what
//! a call of the skill's own functions passes to their parameters.

use super::calls::Call;
use super::events::ANY_ENTRY;
use super::expression::Value;
use super::variables::{begins_a_path, is_path_in_pieces};
use super::{MAX_DEPTH, Unit};
use crate::scan::code::lexer::Token;
use crate::scan::code::{MAX_TEXTS, World};
use crate::scan::flow::Taint;
use crate::scan::kind::Language;
use std::ops::Range;

/// Longest text of an argument that is passed on.
const MAX_GIVEN: usize = 400;
/// Arguments of a call that are passed on, and those whose names and texts are.
const MAX_PASSED: usize = 16;
const MAX_FOLLOWED: usize = 8;
/// Functions in one table that are followed.
const MAX_HANDLERS: usize = 16;

impl Unit<'_> {
    /// `ACTIONS.get(key, print)`: one of a table of functions.
    #[inline(never)]
    pub(super) fn table_entry(&self, callee: &str) -> Option<String> {
        let table = callee.strip_suffix(".get")?;
        self.aliases.get(&format!("{table}{ANY_ENTRY}")).cloned()
    }

    /// The function that a call is handed to run, and what that is given: `pcall(load, text)`,
    /// `call_user_func('system', $x)`, `object.send(:eval, text)`, `lines.forEach(eval)`; or the one that
    /// a variable names.
    pub(super) fn handed<'c>(
        &self,
        call: Call<'c>,
        world: &World,
    ) -> Option<(String, &'c [Range<usize>])> {
        let last = call.callee.rsplit('.').next().unwrap_or(call.callee);
        let ruby = self.passage.language == Language::Ruby;
        let hands = match last {
            "pcall"
            | "xpcall"
            | "call_user_func"
            | "call_user_func_array"
            | "array_map"
            | "array_walk"
            | "map"
            | "forEach"
            | "each"
            | "starmap"
            | "run_in_executor" => true,
            "send" | "public_send" | "__send__" | "method" => ruby,
            _ => false,
        };
        if let Some(handed) = self.php_callback(last, call.ranges) {
            return Some(handed);
        }
        // Reflect.construct(Function, [text]), Reflect.apply(eval, null, [text])
        let hands = hands
            || matches!(call.callee, "Reflect.construct" | "Reflect.apply")
            || matches!(call.callee, "functools.partial" | "partial");
        if hands && let [first, rest @ ..] = call.ranges {
            let name = match self.token(first.end.checked_sub(1)?)? {
                Token::Name(name) if first.len() <= 2 => {
                    let text = self.known_text(name, world).filter(|texts| texts.len() == 1);
                    text.map_or_else(|| self.resolve(name), |texts| texts.concat())
                }
                Token::Text(text) if first.len() == 1 => text.to_string(),
                _ => return None,
            };
            return (self.is_dangerous(&name) && last != "method").then_some((name, rest));
        }
        // $f($x): the variable holds the name of a function.
        let php = matches!(self.passage.language, Language::Php | Language::Perl);
        let named = self.known_text(call.callee, world).filter(|texts| php && texts.len() == 1)?;
        let name = named.concat();
        (name != call.callee && self.is_dangerous(&name)).then_some((name, call.ranges))
    }

    /// `array_filter($x, 'system')`: PHP names functions in strings, at any place.
    fn php_callback<'c>(
        &self,
        last: &str,
        ranges: &'c [Range<usize>],
    ) -> Option<(String, &'c [Range<usize>])> {
        let takes = self.passage.language == Language::Php
            && (last.starts_with("array_")
                || last.ends_with("sort")
                || last.contains("callback")
                || matches!(last, "iterator_apply" | "forward_static_call" | "ob_start"));
        if !takes {
            return None;
        }
        let (at, name) =
            ranges.iter().enumerate().find_map(|(at, range)| match self.token(range.start) {
                Some(Token::Text(name)) if range.len() == 1 && self.is_dangerous(name) => {
                    Some((at, name.to_string()))
                }
                _ => None,
            })?;
        let rest = if at + 1 < ranges.len() { &ranges[at + 1..] } else { &ranges[..at] };
        Some((name, rest))
    }

    /// One of the skill's own functions is called: its parameters hold what it is given.
    pub(super) fn pass_on(
        &mut self,
        name: &str,
        call: Call<'_>,
        arguments: &[Value],
        world: &mut World,
    ) {
        let calls = world.calls.entry(name.to_owned()).or_default();
        let parameters = world.parameters.get(name).map(Vec::as_slice).unwrap_or_default();
        let position_of = |position: usize, unit: &Self| {
            // send(data=x), Send-It -Data $x: by its name.
            call.ranges
                .get(position)
                .filter(|range| range.len() > 1)
                .and_then(|range| unit.name_at(range.start))
                .and_then(|name| parameters.iter().position(|p| p.eq_ignore_ascii_case(name)))
                .filter(|_| call.ranges.len() == arguments.len())
                .unwrap_or(position)
        };
        let given = world.given.entry(name.to_owned()).or_default();
        for (at, argument) in arguments.iter().enumerate().take(MAX_PASSED) {
            let position = position_of(at, self).min(MAX_PASSED);
            while calls.len() <= position {
                calls.push(Taint::default());
            }
            if calls[position].add(&argument.taint) {
                world.moved = true;
            }
            while given.len() <= position {
                given.push(Vec::new());
            }
            let path = is_path_in_pieces(&argument.texts).then(|| argument.path());
            let texts = path.as_ref().map_or(argument.texts.as_slice(), std::slice::from_ref);
            for text in texts.iter().filter(|text| text.len() < MAX_GIVEN) {
                if given[position].len() < MAX_TEXTS && !given[position].contains(text) {
                    given[position].push(text.clone());
                    world.moved = true;
                }
            }
        }
        for (position, argument) in arguments.iter().enumerate().take(MAX_FOLLOWED) {
            let parameter = self
                .by_name
                .get(name)
                .and_then(|at| self.functions[*at].parameters.get(position))
                .cloned();
            if let Some(parameter) = parameter {
                let origins = self.origins.entry(parameter).or_default();
                let texts = argument.texts.iter();
                let texts = texts.filter(|text| !begins_a_path(&argument.texts, text));
                for origin in texts.chain(&argument.names) {
                    if origins.len() < MAX_TEXTS && !origins.contains(origin) {
                        origins.push(origin.clone());
                    }
                }
            }
        }
    }

    /// Functions of the skill's own that are given by name: `items.forEach(send)` passes each item,
    /// `submit(send, data)` and `Thread(target=send, args=(data,))` the arguments beside it.
    pub(super) fn functions_given(
        &mut self,
        callee: &str,
        ranges: &[Range<usize>],
        arguments: &[Value],
        passed: &Taint,
        world: &mut World,
    ) {
        let mut given: Vec<(String, String)> = Vec::new();
        let own = |range: &Range<usize>| {
            let keyword = range.len() == 3 && self.is_op(range.start + 1, '=');
            let at = if keyword { range.start + 2 } else { range.start };
            let name = self.name_at(at).filter(|_| range.len() == 1 || keyword)?;
            let name = name.rsplit('.').next().unwrap_or(name);
            world.returns.contains_key(name).then(|| name.to_owned())
        };
        let functions = ranges.iter().enumerate();
        let functions = functions.filter_map(|(position, range)| Some((position, own(range)?)));
        let functions: Vec<(usize, String)> = functions.collect();
        // What stands behind each of them, from the last to the first.
        let mut behind = Taint::default();
        let mut next = arguments.len();
        let mut beside: Vec<Taint> = Vec::new();
        for (position, _) in functions.iter().rev() {
            while next > position + 1 {
                next -= 1;
                let rest = std::mem::replace(&mut behind, arguments[next].taint.clone());
                behind.add(&rest);
            }
            beside.push(behind.clone());
        }
        for (position, function) in functions {
            // apply(collect): its parameter is that function.
            if let Some(parameter) = self
                .by_name
                .get(callee.rsplit('.').next().unwrap_or(callee))
                .and_then(|own| self.functions[*own].parameters.get(position))
                .filter(|parameter| !self.aliases.contains_key(*parameter))
                .cloned()
            {
                given.push((parameter, function.clone()));
            }
            let mut first = passed.clone();
            first.add(&beside.pop().unwrap_or_default());
            let calls = world.calls.entry(function).or_default();
            if calls.is_empty() {
                calls.push(Taint::default());
            }
            if calls[0].add(&first) {
                world.moved = true;
            }
        }
        self.aliases.extend(given);
    }

    /// Names that a function given as an argument takes: `x => …`, `(a, b) => …`, `function (x) {`,
    /// `lambda x:`, `|x|`.
    pub(super) fn callback(
        &mut self,
        range: &Range<usize>,
        given: &Taint,
        texts: &[String],
        world: &mut World,
    ) {
        if given.is_clean() && texts.is_empty() || range.is_empty() {
            return;
        }
        // { data: (_s, chunk) => … }: handlers inside a table.
        if self.is_op(range.start, '{') {
            let arrows: Vec<usize> = range
                .clone()
                .filter(|i| {
                    self.is_op(*i, '=') && self.is_op(*i + 1, '>') && self.is_op(*i - 1, ')')
                })
                .take(MAX_HANDLERS)
                .collect();
            for arrow in arrows {
                let open = (range.start..arrow)
                    .rev()
                    .find(|i| self.is_op(*i, '(') && self.close[*i] == arrow - 1);
                let names: Vec<String> = open
                    .map(|open| {
                        (open + 1..arrow)
                            .filter_map(|i| self.name_at(i).map(str::to_owned))
                            .collect()
                    })
                    .unwrap_or_default();
                for name in names {
                    self.gain(&name, given, world);
                }
            }
        }
        let mut names = Vec::new();
        let mut at = range.start;
        while matches!(self.name_at(at), Some("async" | "function" | "lambda" | "func")) {
            at += 1;
        }
        if let Some(name) = self.name_at(at).filter(|_| {
            self.is_op(at + 1, '=') && self.is_op(at + 2, '>')
                || at > range.start && self.is_op(at + 1, ':')
        }) {
            names.push(name.to_owned());
        } else if self.is_op(at, '(')
            && (at > range.start
                || self.is_op(self.close[at] + 1, '=') && self.is_op(self.close[at] + 2, '>'))
        {
            names = (at + 1..self.close[at].min(range.end))
                .filter_map(|i| self.name_at(i).map(str::to_owned))
                .collect();
        }
        for name in names {
            self.gain(&name, given, world);
            if !texts.is_empty() {
                self.may_hold(&name, &texts[..texts.len().min(MAX_TEXTS)], world);
            }
        }
        // c => s += c: the body may be an assignment.
        if let Some(arrow) = range.clone().find(|i| self.is_op(*i, '=') && self.is_op(*i + 1, '>'))
            && !self.is_op(arrow + 2, '{')
        {
            // (s += c): in parentheses it is the same.
            let wrapped = self.is_op(arrow + 2, '(') && self.close[arrow + 2] + 1 >= range.end;
            let body = if wrapped {
                arrow + 3..self.close[arrow + 2].min(range.end)
            } else {
                arrow + 2..range.end
            };
            if let Some(equals) = self.assignment(&body) {
                let value = self.value(equals + 1..body.end, world, &mut None, MAX_DEPTH - 4);
                for target in self.targets(body.start..equals) {
                    self.assign(&target, &value, world);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_passage;
    use super::*;

    /// What is known after one round over a call with so many arguments, of which the last is of interest.
    fn called<T>(arguments: usize, last: &str, asked: impl FnOnce(&Unit<'_>, &World) -> T) -> T {
        let parameters: Vec<String> = (0..arguments).map(|at| format!("p{at}")).collect();
        let before = "0, ".repeat(arguments - 1);
        let code = format!("def f({}):\n    pass\nf({before}{last})\n", parameters.join(", "));
        let passage = test_passage(code);
        let (mut unit, mut world) = (Unit::new(&passage), World::default());
        unit.declare(&mut world);
        unit.round(&mut world, None);
        asked(&unit, &world)
    }

    #[test]
    fn as_many_arguments_are_passed_on() {
        let is_passed = |arguments: usize| {
            called(arguments, "os.environ", |_, world| {
                world.calls["f"].iter().any(|argument| argument.environment)
            })
        };
        assert!(is_passed(MAX_PASSED));
        assert!(!is_passed(MAX_PASSED + 1));
    }

    #[test]
    fn the_names_of_as_many_arguments_are_passed_on() {
        let is_known = |arguments: usize| {
            let last = format!("p{}", arguments - 1);
            called(arguments, "somewhere", |unit, _| unit.origins.contains_key(&last))
        };
        assert!(is_known(MAX_FOLLOWED));
        assert!(!is_known(MAX_FOLLOWED + 1));
    }

    #[test]
    fn texts_of_so_many_bytes_are_passed_on() {
        let is_given = |bytes: usize| {
            let text = format!("'{}'", "a".repeat(bytes));
            called(1, &text, |_, world| !world.given["f"][0].is_empty())
        };
        assert!(is_given(MAX_GIVEN - 1));
        assert!(!is_given(MAX_GIVEN));
    }
}
