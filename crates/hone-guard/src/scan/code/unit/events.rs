//! Values that travel by a name: events that one place sends and another hears, entries of tables of
//! functions, settings that are looked up.

use super::Unit;
use super::expression::Value;
use super::statements::SEVERAL;
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::flow::Taint;
use std::ops::Range;

/// Longest name of an event.
const MAX_EVENT: usize = 80;
/// Entries of one table of functions.
const MAX_ENTRIES: usize = 64;
/// How a table is known whose entry is chosen when it runs.
pub(super) const ANY_ENTRY: &str = ".*";

/// Calls that send something under a name.
const SENDS: [&str; 16] = [
    "emit",
    "emitAsync",
    "emit_async",
    "publish",
    "dispatch",
    "dispatchEvent",
    "trigger",
    "fire",
    "broadcast",
    "notify",
    "sendMessage",
    "postMessage",
    "raise_event",
    "announce",
    "produce",
    "send",
];

/// Calls that wait for what is sent under a name.
const HEARS: [&str; 16] = [
    "on",
    "once",
    "addListener",
    "addEventListener",
    "prependListener",
    "subscribe",
    "listen",
    "listener",
    "handle",
    "handler",
    "register",
    "bind",
    "hook",
    "receiver",
    "observe",
    "consume",
];

impl World {
    /// Keeps what a call sends under a name.
    pub(super) fn sends_event(&mut self, callee: &str, arguments: &[Value]) {
        let last = callee.rsplit('.').next().unwrap_or(callee);
        if arguments.len() < 2 || !SENDS.contains(&last) {
            return;
        }
        let Some(event) = event(arguments) else { return };
        let mut taint = Taint::default();
        for argument in arguments {
            taint.add(&argument.taint);
        }
        if !taint.is_clean() && self.events.entry(event.to_owned()).or_default().add(&taint) {
            self.moved = true;
        }
    }

    /// What a call that waits for an event hands to its functions.
    pub(super) fn hears_event(&self, callee: &str, arguments: &[Value]) -> Taint {
        let last = callee.rsplit('.').next().unwrap_or(callee);
        let heard = HEARS.contains(&last).then(|| event(arguments)).flatten();
        heard.and_then(|event| self.events.get(event)).cloned().unwrap_or_default()
    }

    /// What the settings files of the skill say, as lines: code may write them out one by one.
    pub(super) fn all_settings(&self) -> String {
        const MOST: usize = 64;
        let mut lines: Vec<String> = self
            .settings
            .iter()
            .flat_map(|(key, values)| values.iter().map(move |value| format!("{key}={value}")))
            .collect();
        lines.sort_unstable();
        lines.truncate(MOST);
        lines.join("\n")
    }

    /// What a settings file of the skill says under a key.
    pub(super) fn setting(&self, key: &str) -> Option<Value> {
        let texts = self.settings.get(key)?;
        let mut value = Value { texts: texts.clone(), ..Value::default() };
        // One value may be a list of paths.
        for text in texts.iter().flat_map(|text| text.split([' ', ',', '\n'])) {
            value.taint.add(&Taint::of_file(&format!("~/{text}")));
            value.taint.add(&Taint::of_file(text));
        }
        Some(value)
    }
}

impl Unit<'_> {
    /// `@bus.on("ready")` before a function: what is sent there goes to its parameters.
    pub(super) fn decorator(&mut self, at: usize, world: &mut World) {
        let range = self.statements[at].tokens();
        let function = self.statements.get(at + 1).and_then(super::Statement::function);
        let (true, Some(function)) = (self.is_op(range.start, '@'), function) else { return };
        // @wrapped: its parameter is this function.
        if let Some(wrapper) = self.name_at(range.start + 1).and_then(|n| self.by_name.get(n))
            && let Some(parameter) = self.functions[*wrapper].parameters.first().cloned()
        {
            let name = self.functions[function].name.clone();
            self.aliases.entry(parameter).or_insert(name);
        }
        let hears = range.clone().any(|i| {
            self.name_at(i).is_some_and(|n| HEARS.contains(&n.rsplit('.').next().unwrap_or(n)))
        });
        let event = range.clone().find_map(|i| match self.token(i) {
            Some(Token::Text(text)) => world.events.get(&**text).cloned(),
            _ => None,
        });
        if let Some(taint) = event.filter(|_| hears) {
            for parameter in self.functions[function].parameters.clone() {
                for name in parameter.split(SEVERAL) {
                    self.gain(name, &taint, world);
                }
            }
        }
    }

    /// `OPS = {"apply": exec, "max": max}`: each entry is another name for its function.
    pub(super) fn table(&mut self, target: &str, range: Range<usize>) {
        if !matches!(self.token(range.start), Some(Token::Op('{' | '[' | '('))) {
            return;
        }
        let end = self.close[range.start].min(range.end);
        for item in self.commas(range.start + 1..end).into_iter().take(MAX_ENTRIES) {
            let Some(last) = item.end.checked_sub(1).filter(|last| *last >= item.start) else {
                continue;
            };
            let function = match self.token(last) {
                Some(Token::Name(name)) => self.resolve(name),
                // PHP and Ruby name functions in strings.
                Some(Token::Text(text)) if last > item.start => text.to_string(),
                _ => continue,
            };
            let known = self.meaning(&function).is_some() || self.by_name.contains_key(&function);
            if !known {
                continue;
            }
            let key = match self.token(item.start) {
                Some(Token::Text(key) | Token::Name(key)) if last > item.start => Some(key.clone()),
                _ => None,
            };
            if let Some(key) = key {
                self.aliases.insert(format!("{target}.{key}"), function.clone());
            }
            if self.is_dangerous(&function) {
                self.aliases.insert(format!("{target}{ANY_ENTRY}"), function);
            }
        }
    }

    /// Whether a name was read from a settings file.
    pub(super) fn is_settings(&self, name: &str) -> bool {
        self.origins.get(name).is_some_and(|origins| origins.iter().any(|o| is_settings_file(o)))
    }
}

/// Whether a text names a settings file.
pub(super) fn is_settings_file(text: &str) -> bool {
    [".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf"].iter().any(|e| text.ends_with(e))
}

/// The name of an event: a short text by itself.
fn event(arguments: &[Value]) -> Option<&str> {
    let text = arguments.iter().find_map(|argument| match argument.texts.as_slice() {
        [text] if argument.names.is_empty() => Some(text.as_str()),
        _ => None,
    })?;
    (!text.is_empty() && text.len() <= MAX_EVENT && !text.contains("://")).then_some(text)
}
