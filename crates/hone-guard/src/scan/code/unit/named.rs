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
use crate::scan::subject::is_environment_name;

/// Fewest texts of a list that are pieces of one.
const MIN_PIECES: usize = 3;

/// Names that hold the home folder.
const HOMES: [&str; 10] = [
    "os.homedir",
    "Path.home",
    "pathlib.Path.home",
    "os.UserHomeDir",
    "Dir.home",
    "HOME",
    "env:USERPROFILE",
    "env:HOME",
    "env:APPDATA",
    "homedir",
];
/// What stands before a variable's name in names of the environment.
const VARIABLES: [&str; 5] = ["process.env.", "import.meta.env.", "Bun.env.", "env:", "Env:"];
/// Modules and objects whose members are called under another name when they are assigned.
const MODULES: [&str; 9] = [
    "os",
    "builtins",
    "subprocess",
    "child_process",
    "__builtins__",
    "globalThis",
    "window",
    "global",
    "globals",
];

/// A name as far as it was followed.
struct Chain {
    /// Where the name stands, and where the expression ends.
    at: usize,
    end: usize,
    /// The first token that was not looked at yet.
    next: usize,
    value: Value,
    /// What a pair of parentheses would call now, and how that is shown.
    callee: String,
    shown: String,
    /// What it would be called on.
    receiver: Value,
}

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
            let taint = Taint::decoded("character escapes");
            return (at + 1, Value { taint, ..Value::default() });
        }
        let resolved = self.meant(name, at);
        let found = self.meaning(&resolved).filter(|_| !self.is_word_of_command(name, at));
        let mut chain = Chain {
            at,
            end,
            next: at + 1,
            value: Value { names: vec![name.to_owned()], ..Value::default() },
            callee: resolved,
            shown: name.to_owned(),
            receiver: Value::default(),
        };
        let in_environment = self.in_environment(&mut chain, found, world, depth);
        if in_environment.is_none() {
            self.alone(name, &mut chain, found, world);
        }
        if HOMES.contains(&chain.callee.as_str()) {
            chain.value.texts.push("~".to_owned());
        }
        if self.is_command(name, found, chain.next, world) {
            return self.command(chain, world, out, depth);
        }
        if self.passage.language == Language::Perl
            && let Some((stop, result)) = self.perl_list(name, at, end, world, out, depth)
        {
            chain.value.add(&result);
            return (stop, chain.value);
        }
        chain.receiver = self.receiver(name, world);
        if in_environment == Some(Whole::Yes) {
            chain.receiver.taint.add(&Taint::environment());
        }
        if self.passage.language == Language::PowerShell {
            known_to_powershell(name, &mut chain.value);
        }
        if self.passage.language == Language::Ruby && !self.is_op(chain.next, '(') {
            let Chain { next, value, callee, receiver, .. } = &mut chain;
            *value = self.unparenthesised(
                callee,
                receiver,
                at,
                *next,
                end,
                std::mem::take(value),
                world,
            );
        }
        for _ in 0..MAX_DEPTH {
            let next = chain.next;
            if next >= end {
                break;
            }
            if self.is_op(next, '(') || self.is_called_with_table(&chain) {
                self.called(&mut chain, world, out, depth);
            } else if let Some(open) = self.behind_types(next) {
                chain.next = open;
            } else if let Some(member) = self.member_at(next) {
                self.member(&mut chain, member, out);
            } else if self.is_op(next, '[') {
                self.index(&mut chain, world, out, depth);
            } else {
                break;
            }
        }
        (chain.next, chain.value)
    }

    /// `azd env get-values`: a word of a command of PowerShell, and not the command `env`.
    fn is_word_of_command(&self, name: &str, at: usize) -> bool {
        self.passage.language == Language::PowerShell
            && name.eq_ignore_ascii_case("env")
            && at.checked_sub(1).and_then(|before| self.name_at(before)).is_some_and(|before| {
                !["sudo", "return", "exec"].iter().any(|word| before.eq_ignore_ascii_case(word))
            })
    }

    /// The name by which the tables know what a name of this file stands for.
    fn meant(&self, name: &str, at: usize) -> String {
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
        resolved
    }

    /// What a name of the environment holds, if it is one: all of it or a variable.
    fn in_environment(
        &mut self,
        chain: &mut Chain,
        found: Option<Meaning>,
        world: &mut World,
        depth: usize,
    ) -> Option<Whole> {
        let variable = VARIABLES.iter().find_map(|prefix| chain.callee.strip_prefix(prefix));
        if let Some(variable) = variable {
            chain.value.taint =
                if variable.is_empty() { Taint::environment() } else { world.variable(variable) };
            return Some(Whole::No);
        }
        let within = ["ENV.", "os.environ.", "process.env."];
        let shared =
            matches!(self.passage.language, Language::Python | Language::JavaScript | Language::Go);
        if found.is_none()
            && within[usize::from(shared)..].iter().any(|root| chain.callee.starts_with(root))
            && !matches!(
                chain.callee.rsplit('.').next(),
                Some("key" | "keys" | "include" | "has_key" | "delete" | "dig")
            )
        {
            chain.value.taint = Taint::environment();
            return Some(Whole::Yes);
        }
        if found != Some(Meaning::Environment) {
            return None;
        }
        let next = chain.next;
        let braces = self.is_op(next, '{');
        let key = match self.token(next + 1).filter(|_| braces || self.is_op(next, '[')) {
            Some(Token::Text(text)) => Some(text.to_string()),
            Some(Token::Name(name)) if braces => Some(name.to_string()),
            Some(Token::Name(_)) => Some(String::new()),
            _ => None,
        };
        let Some(key) = key else {
            chain.value.taint = Taint::environment();
            return Some(Whole::No);
        };
        if key.is_empty() {
            // os.environ[name]: the names that the variable may hold.
            let range = next + 1..self.close[next].min(chain.end);
            let index = self.value(range, world, &mut None, depth + 1);
            chain.value.taint = keys_named(&index, self);
            // env[k] for every k of it
            if index.taint.environment {
                chain.value.taint.add(&Taint::environment());
            }
        } else {
            chain.value.taint = world.variable(&key);
        }
        chain.next = (self.close[next] + 1).min(chain.end);
        Some(Whole::No)
    }

    /// What a name holds before anything is done with it.
    fn alone(&mut self, name: &str, chain: &mut Chain, found: Option<Meaning>, world: &mut World) {
        let Chain { next, value, callee: resolved, .. } = chain;
        let opens = self.is_op(*next, '(');
        // response.cookies: what a site set for one request. A browser is asked for all of its own by a call.
        let of_answer = resolved.ends_with(".cookies") && resolved != "document.cookies";
        if let (Some(Meaning::Secret(what)), false) = (found.filter(|_| !of_answer), opens) {
            value.taint = Taint::secret(what);
        } else if let Some(alias) = self.aliases.get(name).filter(|_| !opens) {
            value.alias = Some(alias.clone());
            value.taint = self.carried(name, world);
            if self.imported.contains_key(name) {
                value.texts.extend(self.known_text(name, world).unwrap_or_default());
            }
        } else if let (Some(Meaning::Connect | Meaning::Client), true) =
            (found, self.makes_bare(resolved, *next))
        {
            // HTTP::Tiny->new, Resolv::DNS.open { …, &http.Client{…}: made without parentheses.
            value.taint.connection = Some(String::new());
            value.taint.remote = Some(String::new());
        } else if !opens {
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
            } else if let Some(set) = self.set_in_file(name, world) {
                value.add(&set);
            }
            if matches!(resolved.as_str(), "input" | "sys.argv" | "process.argv" | "ARGV" | "args")
            {
                value.taint.input = true;
            }
            if found.is_some() || MODULES.contains(&resolved.as_str()) {
                value.alias = Some(resolved.clone());
            }
        }
    }

    /// Whether a name takes what follows it as arguments, without parentheses: `Invoke-WebRequest -Uri …`,
    /// `system "…"`, `eval $x`.
    fn is_command(&self, name: &str, found: Option<Meaning>, next: usize, world: &World) -> bool {
        match self.passage.language {
            Language::PowerShell | Language::Batch => {
                // iex (New-Object Net.WebClient).DownloadString(…): what stands in brackets goes on.
                let goes_on = self.is_op(next, '(')
                    && !name.contains('.')
                    && self.is_op(self.close[next] + 1, '.');
                (found.is_some() || name.contains('-') && world.returns.contains_key(name))
                    && (goes_on || !self.is_op(next, '('))
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
        }
    }

    /// A command with its arguments, up to where the next one begins.
    fn command(
        &mut self,
        chain: Chain,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> (usize, Value) {
        let Chain { at, end, next, mut value, callee, shown, .. } = chain;
        let stop = (next..end).find(|i| self.is_op(*i, '|') || self.is_op(*i, ';')).unwrap_or(end);
        let is_powershell = self.passage.language == Language::PowerShell;
        let stop = if is_powershell { self.closing(next..stop) } else { stop };
        let (ranges, receiver) = if is_powershell {
            (powershell(self, next..stop), self.piped(at, world, depth))
        } else {
            (self.commas(next..stop), self.receiver(&shown, world))
        };
        let call =
            Call { callee: &callee, shown: &shown, ranges: &ranges, receiver: &receiver, at };
        value.add(&self.call(call, world, out, depth));
        (stop, value)
    }

    /// Where the bracket closes that a command of `PowerShell` stands in: what follows is done with what it
    /// gives, as in `(New-Object Net.WebClient).DownloadString(…)`.
    fn closing(&self, range: Range<usize>) -> usize {
        let mut at = range.start;
        while at < range.end {
            match self.token(at) {
                Some(Token::Op('(' | '[' | '{')) => at = self.close[at].max(at) + 1,
                Some(Token::Op(')' | ']' | '}')) => return at,
                _ => at += 1,
            }
        }
        range.end
    }

    /// Words of Perl that take a list: `push @parts, $x`, and `print $fh …`, `print {$fh} …`, which are
    /// written to what is named first.
    fn perl_list(
        &mut self,
        name: &str,
        at: usize,
        end: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Option<(usize, Value)> {
        let next = at + 1;
        let stop = |unit: &Self, from| (from..end).find(|i| unit.is_op(*i, ';')).unwrap_or(end);
        if matches!(name, "push" | "unshift" | "syswrite" | "send") && !self.is_op(next, '(') {
            let stop = stop(self, next);
            let ranges = self.commas(next..stop);
            let receiver = Value::default();
            let call = Call { callee: name, shown: name, ranges: &ranges, receiver: &receiver, at };
            return Some((stop, self.call(call, world, out, depth)));
        }
        if !matches!(name, "print" | "printf" | "say") {
            return None;
        }
        let handle = if self.is_op(next, '{') { next + 1 } else { next };
        let to = self
            .name_at(handle)
            .filter(|n| self.variables.contains_key(*n) || self.origins.contains_key(*n))?;
        let callee = format!("{to}.print");
        let from = if handle > next { handle + 2 } else { handle + 1 };
        let stop = stop(self, from);
        let receiver = self.receiver(&callee, world);
        let ranges = self.commas(from..stop);
        let call =
            Call { callee: &callee, shown: "print", ranges: &ranges, receiver: &receiver, at };
        Some((stop, self.call(call, world, out, depth)))
    }

    /// `http.request{ url = … }` of Lua.
    fn is_called_with_table(&self, chain: &Chain) -> bool {
        self.passage.language == Language::Lua
            && self.is_op(chain.next, '{')
            && matches!(
                self.meaning(&chain.callee),
                Some(Meaning::Fetch | Meaning::Send | Meaning::Connect)
            )
    }

    /// What the chain has come to is called, with what stands in parentheses.
    fn called(
        &mut self,
        chain: &mut Chain,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) {
        let (next, end) = (chain.next, chain.end);
        let ranges: Vec<Range<usize>> = if self.is_op(next, '(') {
            self.arguments(next)
        } else {
            std::iter::once(next..(self.close[next] + 1).min(end)).collect()
        };
        let call = Call {
            callee: &chain.callee,
            shown: &chain.shown,
            ranges: &ranges,
            receiver: &chain.receiver,
            at: chain.at,
        };
        let result = self.call(call, world, out, depth);
        chain.next = (self.close[next] + 1).min(end.max(next + 1));
        self.block_parameters(chain.next, end, &result, world);
        let called = std::mem::take(&mut chain.callee);
        chain.callee = result.alias.clone().unwrap_or_default();
        chain.shown.clear();
        chain.receiver = result.clone();
        // What was opened stands for its path.
        // So does a writer for what it was made around: gzip.NewWriter(buffer).
        let makes = called.rsplit('.').next().is_some_and(|last| last.starts_with("New"));
        let mut names = std::mem::take(&mut chain.value.names);
        if makes || self.meaning(&called) == Some(Meaning::Open) {
            names.extend(result.names.iter().take(4).cloned());
        }
        chain.value = Value { names, ..result };
    }

    /// `client.get<Project[]>(…)`: where the parentheses of a call stand behind its types.
    fn behind_types(&self, next: usize) -> Option<usize> {
        const TYPES: usize = 32;
        if self.passage.language != Language::JavaScript || !self.is_op(next, '<') {
            return None;
        }
        let mut depth = 0_usize;
        for at in next..next + TYPES {
            match self.token(at)? {
                Token::Op('<') => depth += 1,
                Token::Op('>') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return self.is_op(at + 1, '(').then_some(at + 1);
                    }
                }
                Token::Name(_)
                | Token::Text(_)
                | Token::Op('[' | ']' | '{' | '}' | '|' | ',' | '.' | ':' | '?' | '&') => {}
                _ => return None,
            }
        }
        None
    }

    /// Where the name of a member stands, if `.`, `->` or `::` is next.
    fn member_at(&self, next: usize) -> Option<usize> {
        let arrow = |first, second| self.is_op(next, first) && self.is_op(next + 1, second);
        let dot = self.is_op(next, '.')
            && (!matches!(self.passage.language, Language::Php | Language::Perl)
                || self.is_op(next.wrapping_sub(1), ')'));
        if dot && self.name_at(next + 1).is_some() {
            return Some(next + 1);
        }
        let joined = arrow('-', '>') || arrow(':', ':');
        (joined && self.name_at(next + 2).is_some()).then_some(next + 2)
    }

    /// A member of what the chain has come to.
    fn member(&mut self, chain: &mut Chain, at: usize, out: &mut Out<'_, '_, '_>) {
        let member = self.name_at(at).unwrap_or_default().to_owned();
        if member == "constructor" {
            chain.value.alias = Some("Function".to_owned());
        }
        let base = if chain.callee.is_empty() { "?" } else { &chain.callee };
        chain.callee = format!("{base}.{member}");
        // require('process').env
        if chain.callee == "process.env" {
            chain.value.taint.add(&Taint::environment());
        }
        // URI("https://…").open.read, fetched.reverse
        if self.passage.language == Language::Ruby && !self.is_op(at + 1, '(') {
            self.opened(&member, &mut chain.value, at, out);
        }
        // method(:eval).call(text)
        let callee = &chain.callee;
        let function = callee.strip_suffix(".call").or_else(|| callee.strip_suffix(".apply"));
        if let Some(length) = function.filter(|f| self.is_dangerous(f)).map(str::len) {
            chain.callee.truncate(length);
        }
        chain.shown = member;
        chain.value.taint.add(&chain.receiver.taint);
        chain.next = at + 1;
    }

    /// An entry of what the chain has come to, or some of its letters.
    fn index(
        &mut self,
        chain: &mut Chain,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) {
        let (next, end) = (chain.next, chain.end);
        let close = self.close[next];
        if self.is_op(next + 1, ':') && self.is_op(next + 2, ':') && self.is_op(next + 3, '-') {
            chain.value.taint.add(&Taint::decoded("reversal"));
        }
        let range = next + 1..close.min(end);
        // parts[2]: one of several texts, or a letter of one.
        match self.number(&range) {
            Some(number) => {
                if let Some(piece) = nth(&chain.value.texts, number) {
                    chain.value.texts = vec![piece];
                }
            }
            None => chain.value.picked |= chain.value.texts.len() >= MIN_PIECES,
        }
        let inner = self.value(range, world, out, depth + 1);
        // dotenv_values()["NAME"]
        if let [name] = inner.texts.as_slice()
            && is_environment_name(name)
        {
            chain.value.taint.narrow_to(&[name]);
        }
        let word = |text: &&String| {
            text.len() > 1 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        if let Some(member) = inner.texts.first().filter(word) {
            self.entry(chain, member);
        } else if inner.texts.is_empty()
            && is_global_object(&chain.callee)
            && self.is_op((close + 1).min(end), '(')
        {
            // globalThis[name](text): a function whose name is only known at run time.
            "eval".clone_into(&mut chain.callee);
        } else {
            let any = format!("{}{ANY_ENTRY}", chain.callee);
            chain.callee = self.aliases.get(&any).cloned().unwrap_or_default();
        }
        // config["feed"]: what a settings file of the skill says.
        if let Some(set) = inner.texts.first().and_then(|key| world.setting(key)) {
            // What stands in the file is no part of its name.
            chain.value.texts.retain(|text| !is_settings_file(text));
            chain.value.add(&set);
        }
        chain.value.taint.add(&inner.taint);
        // cfg["scope"]["paths"].split(): called on what the index gives.
        let names = std::mem::take(&mut chain.receiver.names);
        chain.receiver = Value { names, ..chain.value.clone() };
        chain.next = (close + 1).min(end.max(next + 1));
    }

    /// An entry by its name: `globals()['ex' + 'ec']`, `process['env']`, `window["eval"]`.
    fn entry(&self, chain: &mut Chain, member: &str) {
        let base = if chain.callee.is_empty() { "globals" } else { &chain.callee };
        let global = is_global_object(base)
            || matches!(base.rsplit('.').next(), Some("self" | "this" | "modules"));
        let named = if global { member.to_owned() } else { format!("{base}.{member}") };
        chain.callee = self.aliases.get(&named).cloned().unwrap_or(named);
        let found = self.meaning(&chain.callee);
        if found == Some(Meaning::Environment) || global && member == "environ" {
            chain.value.taint.add(&Taint::environment());
        }
        chain.value.alias =
            found.map(|_| chain.callee.clone()).or_else(|| global.then(|| member.to_owned()));
    }

    /// What a settings file of the skill says where a name has it: `config.feed`.
    fn set_in_file(&self, name: &str, world: &World) -> Option<Value> {
        let (_, key) = name.split_once('.').filter(|(root, _)| self.is_settings(root))?;
        world.setting(key.rsplit('.').next().unwrap_or(key))
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
        if let Some(set) = self.set_in_file(before, world) {
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

/// Whether all of the environment is what a name's methods are called on.
#[derive(PartialEq)]
enum Whole {
    Yes,
    No,
}

/// What PowerShell keeps under names of its own.
fn known_to_powershell(name: &str, value: &mut Value) {
    // (Get-PSReadLineOption).HistorySavePath
    if name.eq_ignore_ascii_case("Get-PSReadLineOption") {
        value.taint.add(&Taint::secret("shell history"));
    }
    // $PROFILE, $PROFILE.CurrentUserAllHosts
    if name.split('.').next().unwrap_or(name).eq_ignore_ascii_case("PROFILE") {
        value.texts.push("~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1".to_owned());
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
