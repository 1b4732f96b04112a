//! What a call does with its arguments and what it gives, by its meaning in the table.
//!
//! A function of the skill's own passes its arguments on to its parameters, in every file.

use super::expression::{Value, is_letter_maker};
use super::{Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::{Lexeme, Token};
use crate::scan::code::tables::Meaning;
use crate::scan::decode::readable;
use crate::scan::flow::{Keys, Taint};
use crate::scan::kind::Language;
use crate::scan::subject::is_environment_name;
use std::ops::Range;

/// A call as it is written.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    /// The name that is called, resolved through imports.
    pub(super) callee: &'c str,
    /// The name for messages.
    pub(super) shown: &'c str,
    pub(super) ranges: &'c [Range<usize>],
    pub(super) receiver: &'c Value,
    pub(super) at: usize,
}

/// Arguments of a call that are told apart: each is kept with what it carries.
const MAX_ARGUMENTS: usize = 16 * 1024;

/// What a call is given.
pub(super) struct Given {
    pub(super) arguments: Vec<Value>,
    /// All arguments together.
    pub(super) all: Value,
    pub(super) address: Option<String>,
}

impl Unit<'_> {
    /// `headers=own`: what a parameter is given, without its name, which may be one of a variable as well.
    fn without_keyword(&self, range: &Range<usize>) -> Range<usize> {
        let is_keyword = self.passage.language == Language::Python
            && range.len() > 2
            && self.name_at(range.start).is_some()
            && self.is_op(range.start + 1, '=')
            && !self.is_op(range.start + 2, '=');
        range.start + if is_keyword { 2 } else { 0 }..range.end
    }

    /// A call: what it does with its arguments, and what it gives.
    pub(super) fn call(
        &mut self,
        call: Call<'_>,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Value {
        let Call { callee, shown, ranges, receiver, .. } = call;
        if let Some(function) = self.table_entry(callee) {
            return aliased(function);
        }
        if let Some((name, rest)) = self.handed(call, world) {
            let inner = Call { callee: &name, shown: &name, ranges: rest, ..call };
            return self.call(inner, world, out, depth + 1);
        }
        let shown =
            if shown.is_empty() { callee.rsplit('.').next().unwrap_or(callee) } else { shown };
        let call = Call { shown, ..call };
        let found = self.meaning(callee);
        // Each argument is looked at once: twice, at every depth, would double with every call inside.
        let (told_apart, more) = ranges.split_at(ranges.len().min(MAX_ARGUMENTS));
        let mut arguments: Vec<Value> = Vec::with_capacity(told_apart.len());
        for range in told_apart {
            let given = self.without_keyword(range);
            arguments.push(self.value(given, world, out, depth + 1));
        }
        if let Some(first) = more.first() {
            let mut together = Value::default();
            for range in more {
                let given = self.without_keyword(range);
                together.add(&self.value(given, world, out, depth + 1));
            }
            arguments.push(together);
            if let Some((_, findings)) = out.as_mut() {
                let at = self.tokens.get(first.start).map_or(0, Lexeme::at);
                findings.unfinished(self.passage, at..at, "a call has too many arguments");
            }
        }
        // What a callback gets: the thing itself, or what the call gives.
        world.sends_event(callee, &arguments);
        let mut passed = match found {
            Some(Meaning::Fetch | Meaning::Connect | Meaning::Client | Meaning::Send) => {
                let address = arguments.first().and_then(Value::host).unwrap_or_default();
                Taint::remote(address)
            }
            _ => receiver.taint.clone(),
        };
        passed.add(&world.hears_event(callee, &arguments));
        // readFile(path, (error, text) => …), filepath.Walk(folder, func(path string, …) …)
        if callee.rsplit('.').next().is_some_and(|last| {
            last.starts_with("read") || last.to_ascii_lowercase().starts_with("walk")
        }) {
            for argument in &arguments {
                passed.add(&argument.taint);
            }
        }
        for range in ranges {
            self.callback(range, &passed, &receiver.texts, world);
        }
        self.functions_given(callee, ranges, &arguments, &passed, world);
        // A method of the skill's own may share its name with one that is known.
        let last = callee.rsplit('.').next().unwrap_or(callee);
        if found.is_some() && callee.contains('.') && world.returns.contains_key(last) {
            self.pass_on(last, call, &arguments, world);
        }
        let folded = self.folded(&call, &arguments);
        let mut all = Value::default();
        for argument in &arguments {
            all.add(argument);
        }
        let address = all
            .address()
            .or_else(|| {
                all.host().filter(|_| {
                    matches!(found, Some(Meaning::Connect | Meaning::Client | Meaning::Lookup))
                        // irm get.scoop.sh | iex
                        || self.passage.language == Language::PowerShell
                            && found == Some(Meaning::Fetch)
                })
            })
            .map(str::to_owned);
        let mut result = Value::default();
        let given_picked = all.picked;
        let given_codes = all.codes;
        let separator = match self.passage.language {
            Language::Python => receiver.texts.last().cloned(),
            _ => all.texts.first().cloned(),
        };
        let given = Given { arguments, all, address };
        match found {
            Some(Meaning::Environment) => {
                match given
                    .arguments
                    .first()
                    .and_then(|a| a.texts.first())
                    // GetEnvironmentVariables("User"): all that are kept there.
                    .filter(|t| {
                        !t.is_empty() && !last.eq_ignore_ascii_case("GetEnvironmentVariables")
                    }) {
                    Some(variable) => result.taint = world.variable(variable),
                    None => result.taint = Taint::environment(),
                }
            }
            Some(Meaning::Variable) => result = self.variable(call, given, world, out),
            Some(Meaning::Fetch | Meaning::Send) => result = self.transfer(call, given, world, out),
            Some(Meaning::Connect) => result = self.connect(call, given, world, out),
            Some(Meaning::Client) => result = Self::client(given),
            Some(Meaning::Decode(how)) => result = self.decode(call, given, how, world, out),
            Some(Meaning::Secret(what)) => result.taint = Taint::secret(what),
            Some(Meaning::Evaluate) => result = self.evaluate(call, given, world, out),
            Some(Meaning::Run) => result = self.start(call, given, world, out),
            Some(Meaning::WriteFile) => result = self.write_file(call, given, world, out),
            Some(Meaning::WriteHere) => result = self.write_here(call, given, world, out),
            Some(Meaning::Open) => result = self.open(call, given, world, out),
            Some(Meaning::Download) => result = self.download(call, given, world, out),
            Some(Meaning::Load) => result = self.load(call, given, world, out),
            Some(Meaning::Delete) => result = self.delete(call, given, world, out),
            Some(Meaning::Lookup) => result = self.lookup(call, given, world, out),
            None => {
                result = self.other(call, given, world, out);
            }
        }
        if matches!(callee, "vars" | "globals" | "locals") {
            result.alias = Some("globals".to_owned());
        }
        if matches!(
            callee,
            "os.homedir"
                | "Path.home"
                | "pathlib.Path.home"
                | "os.UserHomeDir"
                | "homedir"
                | "Dir.home"
        ) {
            result.texts = vec!["~".to_owned()];
        }
        // "".join(parts[i] for i in order), order.map(i => parts[i]).join("")
        let picked = receiver.picked || given_picked;
        if picked && last == "join" && separator.as_deref() == Some("") {
            result.taint.add(&Taint::decoded("pieces in a computed order"));
        } else {
            result.picked = picked && found.is_none();
        }
        let reverses = matches!(last, "reverse" | "Reverse" | "reversed" | "strrev");
        // text.split('').reverse(): letter by letter.
        let letters = reverses
            && call.at > 2
            && self.is_op(call.at - 2, ')')
            && matches!(self.token(call.at - 3), Some(Token::Text(text)) if text.is_empty());
        if letters || reverses && folded.as_ref().is_some_and(|texts| is_hidden_text(texts)) {
            result.taint.add(&Taint::decoded("reversal"));
        }
        if makes_letters(callee, last) && (receiver.codes || given_codes) {
            result.taint.add(&Taint::decoded("character codes"));
        } else {
            result.codes |= receiver.codes || given_codes;
        }
        if let Some(texts) = folded {
            for text in &texts {
                result.taint.add(&Taint::of_file(text));
            }
            result.texts = texts;
            result.folded = true;
        }
        // `Buffer.from(x, 'base64')`
        if callee == "Buffer.from"
            && arguments_text(ranges, self).iter().any(|t| t.starts_with("base64") || t == "hex")
        {
            let how = if arguments_text(ranges, self).iter().any(|t| t == "hex") {
                "hexadecimal"
            } else {
                "base64"
            };
            result.taint.add(&Taint::decoded(how));
            if let Some(text) = result.texts.first().and_then(|text| readable(text, how)) {
                result.texts = vec![text];
            }
        }
        result
    }

    /// Whether a function runs what it is given.
    pub(super) fn is_dangerous(&self, name: &str) -> bool {
        matches!(self.meaning(name), Some(Meaning::Evaluate | Meaning::Run))
    }

    /// `os.getenv(name)`: one variable of the environment, or what its default says.
    pub(super) fn variable(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        _out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, .. } = call;
        let Given { arguments, .. } = given;
        let mut result = Value::default();
        match arguments.first().and_then(|a| a.texts.first()) {
            Some(variable) if is_environment_name(variable) || variable.len() > 1 => {
                result.taint = world.variable(variable);
            }
            // php: getenv() without a name is everything.
            _ if arguments.is_empty() && callee == "getenv" => {
                result.taint = Taint::environment();
            }
            _ => {
                result.taint = arguments.first().map(|a| keys_named(a, self)).unwrap_or_default();
            }
        }
        // A default is text that the variable may hold.
        if let Some(default) = arguments.get(1) {
            result.texts.extend(default.texts.iter().cloned());
        }
        result
    }
}

/// Whether a call makes letters of the numbers that it is given.
fn makes_letters(callee: &str, last: &str) -> bool {
    is_letter_maker(last)
        || matches!(
            callee,
            "bytes"
                | "bytearray"
                | "Buffer.from"
                | "Uint8Array"
                | "Uint8Array.from"
                | "string"
                | "Buffer"
        )
        || matches!(last, "pack" | "Buffer")
}

/// Whether texts are long enough to hide something.
fn is_hidden_text(texts: &[String]) -> bool {
    const SHORTEST: usize = 8;
    texts.iter().any(|text| text.len() >= SHORTEST)
}

/// A value that is another name for a function.
#[inline(never)]
fn aliased(function: String) -> Value {
    Value { alias: Some(function), ..Value::default() }
}

/// The variables of the environment that an index may name.
pub(super) fn keys_named(value: &Value, unit: &Unit<'_>) -> Taint {
    let mut taint = Taint::default();
    let origins = value.names.iter().filter_map(|name| unit.origins.get(name)).flatten();
    for text in value.texts.iter().chain(origins) {
        for part in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if is_environment_name(part) {
                taint.keys.add(&Keys::of(part));
            }
        }
    }
    taint
}

pub(super) fn arguments_text(ranges: &[Range<usize>], unit: &Unit<'_>) -> Vec<String> {
    ranges
        .iter()
        .filter_map(|range| match unit.token(range.start) {
            Some(Token::Text(text)) if range.len() == 1 => Some(text.to_string()),
            _ => None,
        })
        .collect()
}
