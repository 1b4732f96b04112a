//! A name in an expression with everything that is done with it: calls, indexes, methods of the
//! result, and commands that take their arguments without parentheses. Chains are followed to a depth; what is
//! called is judged where it is called.

use std::ops::Range;

use super::calls::{Call, keys_named};
use super::events::{ANY_ENTRY, is_settings_file};
use super::expression::Value;
use super::powershell::powershell;
use super::{MAX_DEPTH, Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::{ESCAPED, Token};
use crate::scan::code::tables::{Meaning, meaning};
use crate::scan::flow::Taint;
use crate::scan::kind::Language;

/// Fewest texts of a list that are pieces of one.
const MIN_PIECES: usize = 3;

impl Unit<'_> {
    /// A name and everything that is done with it: calls, indexes, methods of the result.
    pub(super) fn named(
        &mut self,
        name: &str,
        at: usize,
        end: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> (usize, Value) {
        if name == ESCAPED {
            return (
                at + 1,
                Value { taint: Taint::decoded("character escapes"), ..Value::default() },
            );
        }
        let mut resolved = self.resolve(name);
        // A default import is known by its own name: `import WebSocket from "ws"`.
        if self.aliases.contains_key(name)
            && self.meaning(&resolved).is_none()
            && meaning(name).is_some()
        {
            name.clone_into(&mut resolved);
        }
        // $f = "base" . "64_decode"; $f($x): PHP calls what a variable names.
        if self.passage.language == Language::Php
            && self.is_op(at + 1, '(')
            && self.tokens.get(at).and_then(|lexeme| self.passage.text.as_bytes().get(lexeme.at()))
                == Some(&b'$')
            && let Some(called) = self.texts.get(name).map(|texts| texts.concat())
            && self.meaning(&called).is_some()
        {
            resolved = called;
        }
        // eval.call(null, text)
        let function = resolved.strip_suffix(".call").or_else(|| resolved.strip_suffix(".apply"));
        if let Some(length) = function.filter(|name| self.meaning(name).is_some()).map(str::len) {
            resolved.truncate(length);
        }
        let mut next = at + 1;
        let mut value = Value { names: vec![name.to_owned()], ..Value::default() };
        let found = self.meaning(&resolved);
        let mut receiver_environment = false;
        // The environment, whole or by name.
        let variable = ["process.env.", "import.meta.env.", "Bun.env.", "env:", "Env:"]
            .iter()
            .find_map(|prefix| resolved.strip_prefix(prefix));
        if variable == Some("") {
            value.taint = Taint::environment();
        } else if let Some(variable) = variable {
            value.taint = world.variable(variable);
        } else if ["ENV.", "os.environ.", "process.env."]
            .iter()
            .any(|root| resolved.starts_with(root))
            && found.is_none()
            && !matches!(
                resolved.rsplit('.').next(),
                Some("key" | "keys" | "include" | "has_key" | "delete" | "dig")
            )
        {
            value.taint = Taint::environment();
            receiver_environment = true;
        } else if found == Some(Meaning::Environment) {
            let index = if self.is_op(next, '[') || self.is_op(next, '{') {
                match self.token(next + 1) {
                    Some(Token::Text(text)) => Some(text.to_string()),
                    Some(Token::Name(name)) if self.is_op(next, '{') => Some(name.to_string()),
                    Some(Token::Name(_)) => Some(String::new()),
                    _ => None,
                }
            } else {
                None
            };
            match index {
                Some(variable) => {
                    if variable.is_empty() {
                        // os.environ[name]: the names that the variable may hold.
                        let index = self.value(
                            next + 1..self.close[next].min(end),
                            world,
                            &mut None,
                            depth + 1,
                        );
                        value.taint = keys_named(&index, self);
                        // env[k] for every k of it
                        if index.taint.environment {
                            value.taint.add(&Taint::environment());
                        }
                    } else {
                        value.taint = world.variable(&variable);
                    }
                    next = (self.close[next] + 1).min(end);
                }
                None => value.taint = Taint::environment(),
            }
        } else if let (Some(Meaning::Secret(what)), false) = (found, self.is_op(next, '(')) {
            value.taint = Taint::secret(what);
        } else if let Some(alias) = self.aliases.get(name).filter(|_| !self.is_op(next, '(')) {
            value.alias = Some(alias.clone());
            value.taint = self.carried(name, world);
            if self.imported.contains_key(name) {
                value.texts.extend(self.known_text(name, world).unwrap_or_default());
            }
        } else if let (Some(Meaning::Connect | Meaning::Client), true) =
            (found, self.makes_bare(&resolved, next))
        {
            // HTTP::Tiny->new, Resolv::DNS.open { …, &http.Client{…}: made without parentheses.
            value.taint.connection = Some(String::new());
            value.taint.remote = Some(String::new());
        } else if !self.is_op(next, '(') {
            value.taint = self.carried(name, world);
            // report.to_json of Ruby: a function of the skill's own, called without parentheses.
            if self.passage.language == Language::Ruby {
                for returned in name.split('.').filter_map(|part| world.returns.get(part)) {
                    value.taint.add(returned);
                }
                value.taint.add(&self.chained(name));
            } else if let Some((_, part)) = name.rsplit_once('.')
                && self.by_name.contains_key(part)
                && let Some(returned) = world.returns.get(part)
            {
                // self.data of `@property def data`, this.data of `get data()`
                value.taint.add(returned);
            }
            if let Some(texts) = self.known_text(name, world) {
                value.texts.extend(texts);
            } else if let Some((root, key)) = name.split_once('.')
                && self.is_settings(root)
                && let Some(set) = world.setting(key.rsplit('.').next().unwrap_or(key))
            {
                value.add(&set);
            }
            if matches!(resolved.as_str(), "input" | "sys.argv" | "process.argv" | "ARGV" | "args")
            {
                value.taint.input = true;
            }
            if found.is_some()
                || matches!(
                    resolved.as_str(),
                    "os" | "builtins"
                        | "subprocess"
                        | "child_process"
                        | "__builtins__"
                        | "globalThis"
                        | "window"
                        | "global"
                        | "globals"
                )
            {
                value.alias = Some(resolved.clone());
            }
        }
        if matches!(
            resolved.as_str(),
            "os.homedir"
                | "Path.home"
                | "pathlib.Path.home"
                | "os.UserHomeDir"
                | "Dir.home"
                | "HOME"
                | "env:USERPROFILE"
                | "env:HOME"
                | "env:APPDATA"
                | "homedir"
        ) {
            value.texts.push("~".to_owned());
        }
        // Commands without parentheses: `Invoke-WebRequest -Uri …`, `system "…"`, `eval $x`.
        let bare = match self.passage.language {
            Language::PowerShell | Language::Batch => {
                (found.is_some() || name.contains('-') && world.returns.contains_key(name))
                    && !self.is_op(next, '(')
                    && !self.is_op(next, '.')
                    && found != Some(Meaning::Environment)
            }
            Language::Ruby | Language::Perl | Language::Lua | Language::Php => {
                matches!(
                    found,
                    Some(
                        Meaning::Evaluate
                            | Meaning::Run
                            | Meaning::WriteHere
                            | Meaning::Send
                            | Meaning::Decode(_)
                            | Meaning::WriteFile
                            | Meaning::Open
                            | Meaning::Load
                    )
                ) && matches!(self.token(next), Some(Token::Text(_) | Token::Name(_)))
                    && !matches!(
                        self.name_at(next),
                        Some("if" | "unless" | "do" | "and" | "or" | "rescue")
                    )
            }
            _ => false,
        };
        if bare {
            let stop =
                (next..end).find(|i| self.is_op(*i, '|') || self.is_op(*i, ';')).unwrap_or(end);
            let arguments: Vec<Range<usize>> = if self.passage.language == Language::PowerShell {
                powershell(self, next..stop)
            } else {
                self.commas(next..stop)
            };
            let receiver = if self.passage.language == Language::PowerShell {
                self.piped(at, world, depth)
            } else {
                self.receiver(name, world)
            };
            let result = self.call(
                Call {
                    callee: &resolved,
                    shown: name,
                    ranges: &arguments,
                    receiver: &receiver,
                    at,
                },
                world,
                out,
                depth,
            );
            value.add(&result);
            return (stop, value);
        }
        // push @parts, $x
        if self.passage.language == Language::Perl
            && matches!(name, "push" | "unshift" | "syswrite" | "send")
            && !self.is_op(next, '(')
        {
            let stop = (next..end).find(|i| self.is_op(*i, ';')).unwrap_or(end);
            let arguments = self.commas(next..stop);
            let call = Call {
                callee: name,
                shown: name,
                ranges: &arguments,
                receiver: &Value::default(),
                at,
            };
            let result = self.call(call, world, out, depth);
            value.add(&result);
            return (stop, value);
        }
        // print $fh …, print {$fh} …: written to what is named first.
        if self.passage.language == Language::Perl && matches!(name, "print" | "printf" | "say") {
            let handle = if self.is_op(next, '{') { next + 1 } else { next };
            if let Some(to) = self
                .name_at(handle)
                .filter(|n| self.variables.contains_key(*n) || self.origins.contains_key(*n))
                .map(str::to_owned)
            {
                let from = if handle > next { handle + 2 } else { handle + 1 };
                let stop = (from..end).find(|i| self.is_op(*i, ';')).unwrap_or(end);
                let receiver = self.receiver(&format!("{to}.print"), world);
                let result = self.call(
                    Call {
                        callee: &format!("{to}.print"),
                        shown: "print",
                        ranges: &self.commas(from..stop),
                        receiver: &receiver,
                        at,
                    },
                    world,
                    out,
                    depth,
                );
                value.add(&result);
                return (stop, value);
            }
        }
        let mut callee = resolved;
        let mut shown = name.to_owned();
        let mut receiver = self.receiver(name, world);
        if receiver_environment {
            receiver.taint.add(&Taint::environment());
        }
        // (Get-PSReadLineOption).HistorySavePath
        if self.passage.language == Language::PowerShell
            && name.eq_ignore_ascii_case("Get-PSReadLineOption")
        {
            value.taint.add(&Taint::secret("shell history"));
        }
        // $PROFILE, $PROFILE.CurrentUserAllHosts
        let root = name.split('.').next().unwrap_or(name);
        if self.passage.language == Language::PowerShell && root.eq_ignore_ascii_case("PROFILE") {
            value.texts.push("~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1".to_owned());
        }
        if self.passage.language == Language::Ruby && !self.is_op(next, '(') {
            value = self.unparenthesised(&callee, &receiver, at, next, end, value, world);
        }
        for _ in 0..MAX_DEPTH {
            if next >= end {
                break;
            }
            let by_table = self.passage.language == Language::Lua
                && self.is_op(next, '{')
                && matches!(
                    self.meaning(&callee),
                    Some(Meaning::Fetch | Meaning::Send | Meaning::Connect)
                );
            if self.is_op(next, '(') || by_table {
                let arguments = if by_table {
                    std::iter::once(next..(self.close[next] + 1).min(end)).collect()
                } else {
                    self.arguments(next)
                };
                let result = self.call(
                    Call {
                        callee: &callee,
                        shown: &shown,
                        ranges: &arguments,
                        receiver: &receiver,
                        at,
                    },
                    world,
                    out,
                    depth,
                );
                next = (self.close[next] + 1).min(end.max(next + 1));
                self.block_parameters(next, end, &result, world);
                let called = std::mem::take(&mut callee);
                callee = result.alias.clone().unwrap_or_default();
                shown.clear();
                receiver = result.clone();
                // What was opened stands for its path.
                // So does a writer for what it was made around: gzip.NewWriter(buffer).
                let makes = called.rsplit('.').next().is_some_and(|last| last.starts_with("New"));
                if makes || self.meaning(&called) == Some(Meaning::Open) {
                    value.names.extend(result.names.iter().take(4).cloned());
                }
                value = Value { names: value.names, ..result };
            } else if self.is_op(next, '.')
                && self.name_at(next + 1).is_some()
                && (self.passage.language != Language::Php
                    && self.passage.language != Language::Perl
                    || self.is_op(next.wrapping_sub(1), ')'))
                || self.is_op(next, '-')
                    && self.is_op(next + 1, '>')
                    && self.name_at(next + 2).is_some()
                || self.is_op(next, ':')
                    && self.is_op(next + 1, ':')
                    && self.name_at(next + 2).is_some()
            {
                let at = if self.is_op(next, '.') { next + 1 } else { next + 2 };
                let member = self.name_at(at).unwrap_or_default().to_owned();
                if member == "constructor" {
                    value.alias = Some("Function".to_owned());
                }
                callee = if callee.is_empty() {
                    format!("?.{member}")
                } else {
                    format!("{callee}.{member}")
                };
                // require('process').env
                if callee == "process.env" {
                    value.taint.add(&Taint::environment());
                }
                // URI("https://…").open.read, fetched.reverse
                if self.passage.language == Language::Ruby && !self.is_op(at + 1, '(') {
                    self.opened(&member, &mut value, at, out);
                }
                // method(:eval).call(text)
                let function =
                    callee.strip_suffix(".call").or_else(|| callee.strip_suffix(".apply"));
                if let Some(length) = function.filter(|f| self.is_dangerous(f)).map(str::len) {
                    callee.truncate(length);
                }
                shown = member;
                value.taint.add(&receiver.taint);
                next = at + 1;
            } else if self.is_op(next, '[') {
                if self.is_op(next + 1, ':')
                    && self.is_op(next + 2, ':')
                    && self.is_op(next + 3, '-')
                {
                    value.taint.add(&Taint::decoded("reversal"));
                }
                let index = next + 1..self.close[next].min(end);
                // parts[2]: one of several texts, or a letter of one.
                match self.number(&index) {
                    Some(number) => {
                        if let Some(piece) = nth(&value.texts, number) {
                            value.texts = vec![piece];
                        }
                    }
                    None => value.picked |= value.texts.len() >= MIN_PIECES,
                }
                let inner = self.value(index, world, out, depth + 1);
                // globals()['ex' + 'ec'], process['env'], window["eval"]
                if let Some(member) = inner.texts.first().filter(|t| {
                    t.len() > 1 && t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                }) {
                    let base =
                        if callee.is_empty() { "globals".to_owned() } else { callee.clone() };
                    let global = is_global_object(&base)
                        || matches!(base.rsplit('.').next(), Some("self" | "this" | "modules"));
                    callee = if global { member.clone() } else { format!("{base}.{member}") };
                    if let Some(function) = self.aliases.get(&callee) {
                        callee = function.clone();
                    }
                    if self.meaning(&callee) == Some(Meaning::Environment)
                        || global && member == "environ"
                    {
                        value.taint.add(&Taint::environment());
                    }
                    value.alias = self
                        .meaning(&callee)
                        .map(|_| callee.clone())
                        .or_else(|| global.then(|| member.clone()));
                } else if inner.texts.is_empty()
                    && is_global_object(&callee)
                    && self.is_op((self.close[next] + 1).min(end), '(')
                {
                    // globalThis[name](text): a function whose name is only known at run time.
                    "eval".clone_into(&mut callee);
                } else {
                    callee = self
                        .aliases
                        .get(&format!("{callee}{ANY_ENTRY}"))
                        .cloned()
                        .unwrap_or_default();
                }
                // config["feed"]: what a settings file of the skill says.
                if let Some(set) = inner.texts.first().and_then(|key| world.setting(key)) {
                    // What stands in the file is no part of its name.
                    value.texts.retain(|text| !is_settings_file(text));
                    value.add(&set);
                }
                value.taint.add(&inner.taint);
                // cfg["scope"]["paths"].split(): called on what the index gives.
                receiver = Value { names: receiver.names, ..value.clone() };
                next = (self.close[next] + 1).min(end.max(next + 1));
            } else {
                break;
            }
        }
        (next, value)
    }

    /// Whether a connection is made by its name alone.
    fn makes_bare(&self, resolved: &str, next: usize) -> bool {
        let last = resolved.rsplit('.').next().unwrap_or(resolved);
        match self.passage.language {
            Language::Ruby | Language::Perl => {
                resolved.contains('.')
                    && matches!(last, "new" | "open" | "start" | "tcp" | "create")
                    && !self.is_op(next, '(')
            }
            Language::Go => self.is_op(next, '{'),
            Language::Php => !self.is_op(next, '(') && resolved.contains('.'),
            _ => false,
        }
    }

    /// The thing that a method is called on.
    pub(super) fn receiver(&self, name: &str, world: &World) -> Value {
        let Some((before, _)) = name.rsplit_once('.') else { return Value::default() };
        let mut value = Value {
            taint: self.carried(before, world),
            names: vec![before.to_owned()],
            ..Value::default()
        };
        // config.keys.forEach(…): what a settings file says.
        if let Some((root, key)) = before.split_once('.')
            && self.is_settings(root)
            && let Some(set) = world.setting(key.rsplit('.').next().unwrap_or(key))
        {
            value.add(&set);
        }
        // sh.stdin.write: what is known of sh.
        let mut known = before;
        loop {
            if let Some(texts) = self.known_text(known, world) {
                value.texts.extend(texts);
                break;
            }
            let Some((shorter, _)) = known.rsplit_once('.') else { break };
            known = shorter;
        }
        value
    }
}

/// Whether a name stands for the table of everything that can be called.
fn is_global_object(name: &str) -> bool {
    matches!(
        name.rsplit('.').next(),
        Some(
            "globals"
                | "builtins"
                | "window"
                | "globalThis"
                | "global"
                | "__builtins__"
                | "__dict__"
                | "_G"
                | "_ENV"
                | "locals"
                | "vars"
        )
    )
}

/// One of several texts, or a letter of one.
fn nth(texts: &[String], at: u32) -> Option<String> {
    let at = usize::try_from(at).ok()?;
    match texts {
        [] => None,
        [text] => text.chars().nth(at).map(String::from),
        texts => texts.get(at).cloned(),
    }
}
