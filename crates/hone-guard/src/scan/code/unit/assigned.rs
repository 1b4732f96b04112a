//! What statements do to variables: assignments, what is appended or set on a part, results of functions.
//!
//! Values only ever gain, so that a few rounds reach the end.

use std::ops::Range;

use super::calls::Call;
use super::events::is_settings_file;
use super::expression::Value;
use super::{Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::code::scopes::plain;
use crate::scan::code::tables::meaning;
use crate::scan::flow::Taint;
use crate::scan::kind::Language;
use crate::scan::subject::is_environment_name;
use crate::scan::text::floor;

/// Longest text that is added to a table.
const MAX_LISTED: usize = 1024;

/// Longest pattern that is read for the variable that it finds.
const MAX_PATTERN: usize = 160;

impl Unit<'_> {
    pub(super) fn statement(
        &mut self,
        at: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Taint {
        let range = self.without_lines(self.statements[at].tokens());
        self.follow(range, self.statements[at].function(), world, out)
    }

    /// A statement without the line ends before it.
    pub(super) fn without_lines(&self, range: Range<usize>) -> Range<usize> {
        let start = range.clone().find(|i| self.token(*i) != Some(&Token::Line));
        start.unwrap_or(range.end)..range.end
    }

    /// The name that is given what the block below a statement gives: `x = begin`, `my $x = do {`,
    /// `x = if …`, `f = coroutine.wrap(function()`; with how far it is indented.
    pub(super) fn awaits(&self, at: usize) -> Option<(String, usize)> {
        let range = self.without_lines(self.statements[at].tokens());
        let equals = self.assignment(&range)?;
        let next = self.name_at(equals + 1);
        let opens = match self.passage.language {
            Language::Ruby => {
                matches!(next, Some("begin" | "if" | "unless" | "case"))
                    || range.clone().next_back().and_then(|last| self.name_at(last)) == Some("do")
            }
            Language::Perl => matches!(next, Some("do" | "eval")) && equals + 2 >= range.end,
            Language::Lua => {
                range.len() > 3
                    && range.clone().rev().take(4).any(|i| self.name_at(i) == Some("function"))
            }
            _ => false,
        };
        let target = self.targets(range.start..equals).into_iter().next().filter(|_| opens)?;
        Some((target, self.tokens[range.start].column()))
    }

    /// Follows one statement, or the rest of one.
    fn follow(
        &mut self,
        range: Range<usize>,
        function: Option<usize>,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Taint {
        let first = self.name_at(range.start).map(str::to_owned);
        // for x in …, foreach (… as …), with … as x
        if matches!(first.as_deref(), Some("for" | "foreach" | "with" | "async")) {
            // for (const x of list) yield f(x): what follows the head is a statement.
            let head = (range.start + 1..range.end.min(range.start + 3))
                .find(|i| self.is_op(*i, '('))
                .map(|open| self.close[open] + 1)
                // for _, x in ipairs(list) do f(x) end
                .or_else(|| {
                    range.clone().find(|i| self.name_at(*i) == Some("do")).map(|word| word + 1)
                })
                .filter(|end| *end < range.end && self.passage.language != Language::Python);
            let body = head.unwrap_or(range.end)..range.end;
            self.binding(&(range.start..body.start), world, out);
            if !body.is_empty() {
                self.follow(body, function, world, out);
            }
            return Taint::default();
        }
        // const a = 1, b = f(a): one statement for each.
        if self.passage.language == Language::JavaScript
            && matches!(first.as_deref(), Some("const" | "let" | "var"))
            && let several = self.commas(range.start + 1..range.end)
            && several.len() > 1
        {
            for one in several {
                self.follow(one, function, world, out);
            }
            return Taint::default();
        }
        self.appended(&range, world, out);
        if let Some(equals) = self.assignment(&range) {
            let mut value = self.value(equals + 1..range.end, world, out, 0);
            self.narrow(&range, &mut value);
            let mut targets = self.targets(range.start..equals);
            // a = b = f()
            if let Some(second) = self.assignment(&(equals + 1..range.end))
                && second == equals + 2
                && let Some(name) = self.name_at(equals + 1)
            {
                targets.push(name.to_owned());
            }
            self.arguments_taken(&targets, equals + 1..range.end, function, world);
            let destructured = (range.start..equals).any(|i| self.is_op(i, '{'));
            if destructured {
                self.default_parts(range.start..equals, world);
            }
            // func f() (out string): what is given back by its name.
            if let Some(function) = function
                && targets.iter().any(|name| self.functions[function].results.contains(name))
            {
                self.returns(function, &value, world);
            }
            // M.f = function() return x end
            if let Some(function) = function
                && self.passage.language == Language::Lua
                && let Some(at) =
                    (equals + 1..range.end).find(|i| self.name_at(*i) == Some("return"))
            {
                let returned = self.value(at + 1..range.end, world, &mut None, 1);
                self.returns(function, &returned, world);
            }
            // fd, path = tempfile.mkstemp(): two names of one file.
            if targets.len() == 2
                && value.names.iter().any(|n| n.ends_with("mkstemp") || n.ends_with("tempfile"))
            {
                for (one, other) in [(0, 1), (1, 0)] {
                    let origins = self.origins.entry(targets[one].clone()).or_default();
                    if !origins.contains(&targets[other]) {
                        origins.push(targets[other].clone());
                    }
                }
            }
            for target in &targets {
                if destructured && value.taint.environment && equals + 2 >= range.end {
                    // const { A, B } = process.env
                    let key = Value { taint: world.variable(&plain(target)), ..Value::default() };
                    self.assign(target, &key, world);
                } else if destructured
                    && value.texts.iter().any(|text| is_settings_file(text))
                    && let Some(set) = world.setting(&plain(target))
                {
                    self.assign(target, &set, world);
                } else {
                    self.assign(target, &value, world);
                }
                // image.src = "https://…?" + data, location.href = …: what is assigned is asked for.
                let asks = ["src", "href", "location", "action"].iter().any(|property| {
                    target.rsplit('.').next() == Some(*property) && target.contains('.')
                }) || target == "location"
                    // new Image().src = …
                    || target == "src" && equals > 1 && self.is_op(equals - 2, '.');
                if asks && let Some(address) = value.address().map(str::to_owned) {
                    self.to_network(&value.taint, &address, &format!("`{target}`"), equals, out);
                }
                self.set_on(target, &value, equals, world, out);
                // cmd.Stdin = conn
                if target.to_ascii_lowercase().ends_with(".stdin")
                    && value.taint.connection.is_some()
                {
                    self.shell_on_connection(equals, out);
                }
            }
            if let [target] = targets.as_slice() {
                if !self.is_op(equals - 1, ']') {
                    self.keep_command(target, equals, &(equals + 1..range.end), world);
                }
                if self.is_op(equals - 1, ']') {
                    self.part_set(target, &value);
                }
                self.table(target, equals + 1..range.end);
                self.handler(target, equals + 1..range.end, world);
            }
            // `f = exec`: another name for the same thing.
            let right: Vec<&Token> =
                self.tokens[equals + 1..range.end].iter().map(|s| &s.token).collect();
            let alias = match right.as_slice() {
                // $text = Get-Clipboard: what it gives, not another name for it.
                [Token::Name(name)]
                    if self.passage.language == Language::PowerShell && name.contains('-') =>
                {
                    None
                }
                [Token::Name(name)] => {
                    let resolved = self.resolve(name);
                    self.meaning(&resolved).map(|_| resolved)
                }
                _ => value.alias.clone().filter(|alias| {
                    self.meaning(alias).is_some()
                        || alias.len() > 1 && meaning(&format!("{alias}.x")).is_none()
                }),
            };
            // `const { a } = require(…)` was bound with the imports.
            let destructured = (range.start..equals).any(|i| self.is_op(i, '{'));
            if let (Some(alias), Some(target), false) =
                (alias, self.targets(range.start..equals).first(), destructured)
            {
                self.aliases.insert(target.clone(), alias);
            }
            self.several_modules(&targets, equals + 1..range.end);
            return Taint::default();
        }
        // if (my $s = …), while (defined(my $q = …))
        if matches!(first.as_deref(), Some("if" | "while" | "elsif" | "unless" | "until"))
            && !matches!(self.passage.language, Language::Python)
        {
            let inner = range.clone().skip(1).find(|i| {
                self.is_op(*i, '=')
                    && !self.is_op(*i + 1, '=')
                    && !self.is_op(*i + 1, '>')
                    && !self.is_op(*i + 1, '~')
                    && !matches!(self.token(*i - 1), Some(Token::Op('=' | '!' | '<' | '>')))
                    && self.name_at(*i - 1).is_some()
            });
            if let Some(equals) = inner
                && let Some(target) = self.name_at(equals - 1).map(str::to_owned)
            {
                let value = self.value(equals + 1..range.end, world, out, 1);
                self.assign(&target, &value, world);
            }
        }
        // … | ForEach-Object {: `$_` is each of what stands before the pipe.
        if self.passage.language == Language::PowerShell
            && let Some(pipe) = range.clone().rev().find(|i| self.is_op(*i, '|'))
            && self.is_stage(pipe + 1)
        {
            let value = self.value(range.start..pipe, world, &mut None, 1);
            self.assign("_", &value, world);
        }
        let returns = range.clone().find(|i| matches!(self.name_at(*i), Some("return" | "yield")));
        if let Some(at) = returns.filter(|at| *at > range.start) {
            self.value(range.start..at, world, out, 0);
        }
        let given = returns.map_or(range.start, |at| at + 1)..range.end;
        let mut value = self.value(given.clone(), world, out, 0);
        if value.taint.is_of_dot_env() {
            value.taint.narrow_to(&self.variables_looked_for(&given));
        }
        let implicit = matches!(
            self.passage.language,
            Language::Ruby | Language::Perl | Language::PowerShell | Language::Braces
        ) || range.clone().any(|i| self.is_op(i, '=') && self.is_op(i + 1, '>'));
        if let Some(function) = function.filter(|_| returns.is_some()) {
            self.give_command(function, &given, world);
        }
        if let Some(function) = function.filter(|_| returns.is_some() || implicit) {
            self.returns(function, &value, world);
        }
        value.taint
    }

    /// `parts << x` of Ruby, `channel <- x` of Go: what is named first has it from now on.
    fn appended(&mut self, range: &Range<usize>, world: &mut World, out: &mut Out<'_, '_, '_>) {
        let second = match self.passage.language {
            Language::Ruby => '<',
            Language::Go => '-',
            _ => return,
        };
        let Some(to) = self.name_at(range.start).map(str::to_owned) else { return };
        if !(self.is_op(range.start + 1, '<') && self.is_op(range.start + 2, second)) {
            return;
        }
        let given = range.start + 3..range.end;
        let callee = format!("{to}.write");
        let receiver = self.receiver(&callee, world);
        let call = Call {
            callee: &callee,
            shown: "<<",
            ranges: std::slice::from_ref(&given),
            receiver: &receiver,
            at: range.start,
        };
        self.call(call, world, out, 1);
    }

    /// `request.body = x` of a request that is being made, `command.stdin = x` of a program.
    fn set_on(
        &mut self,
        target: &str,
        value: &Value,
        at: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) {
        const PARTS: [&str; 7] =
            ["body", "data", "content", "query", "payload", "form_data", "headers"];
        let Some((owner, part)) = target.rsplit_once('.') else { return };
        if part.eq_ignore_ascii_case("stdin") {
            let program = Value {
                texts: self.known_text(owner, world).unwrap_or_default(),
                ..Value::default()
            };
            self.fed_to_program(&program, value, at, out);
        }
        if PARTS.contains(&part)
            && let Some(to) = self.carried(owner, world).remote
        {
            self.to_network(&value.taint.carried(), &to, &format!("`{part}`"), at, out);
        }
    }

    /// `task["runOn"] = "folderOpen"`: what is put into a table is part of its text.
    fn part_set(&mut self, target: &str, value: &Value) {
        const MOST: usize = 64;
        let Some(texts) = self.texts.get_mut(target) else { return };
        for text in &value.texts {
            if texts.len() < MOST && text.len() < MAX_LISTED && !texts.contains(text) {
                texts.push(text.clone());
            }
        }
    }

    /// `socket.onmessage = (event) => …`: a function that gets what comes over the connection.
    fn handler(&mut self, target: &str, range: Range<usize>, world: &mut World) {
        let Some((owner, event)) = target.rsplit_once('.') else { return };
        if !event.starts_with("on") {
            return;
        }
        if let Some(from) = self.carried(owner, world).connection {
            self.callback(&range, &Taint::remote(from), &[], world);
        }
    }

    /// `if line.startswith("NAME="): key = line.split("=", 1)[1]`: the variables whose lines a part is taken of.
    fn variables_looked_for(&self, range: &Range<usize>) -> Vec<&str> {
        const PARTS: [&str; 9] = [
            "split",
            "partition",
            "removeprefix",
            "slice",
            "substring",
            "replace",
            "len",
            "match",
            "search",
        ];
        const LOOKS: [&str; 5] = ["startswith", "startsWith", "removeprefix", "match", "search"];
        const BACK: usize = 48;
        let last = |i: usize| self.name_at(i).and_then(|name| name.rsplit('.').next());
        // All pieces of a text are still the whole of it.
        let is_one = range.clone().any(|i| {
            self.is_op(i, '[')
                || last(i).is_some_and(|name| name != "split" && PARTS.contains(&name))
        });
        if !is_one || !range.clone().any(|i| last(i).is_some_and(|name| PARTS.contains(&name))) {
            return Vec::new();
        }
        let looked = (range.start.saturating_sub(BACK)..range.end).rev().filter_map(|i| {
            let looks = last(i).is_some_and(|name| LOOKS.contains(&name)) && self.is_op(i + 1, '(');
            match self.token(i + 2).filter(|_| looks) {
                Some(Token::Text(text)) => {
                    let name = text.trim_start_matches('^').trim_end_matches(['=', ' ', ':']);
                    if is_environment_name(name) { Some(name) } else { looked_for(text) }
                }
                _ => looked_for(self.pattern_behind(i + 1).filter(|_| looks)?),
            }
        });
        looked.take(1).collect()
    }

    /// `(/NAME=(.+)/)`: the pattern of JavaScript that a call is given, without flags. With `s` it goes on over lines.
    fn pattern_behind(&self, open: usize) -> Option<&str> {
        let at = self.tokens.get(open).filter(|_| self.is_op(open, '('))?.at();
        let rest = self.passage.text.get(at + 1..)?.strip_prefix('/')?;
        let rest = &rest[..floor(rest, MAX_PATTERN)];
        let (mut class, mut escaped) = (false, false);
        let end = rest.bytes().position(|b| {
            let ends = b == b'\n' || b == b'/' && !class && !escaped;
            class = !escaped && b == b'[' || class && (escaped || b != b']');
            escaped = b == b'\\' && !escaped;
            ends
        })?;
        let (pattern, behind) = (&rest[..end], rest[end..].strip_prefix('/')?);
        let flags = behind.split(|c: char| !c.is_ascii_lowercase()).next()?;
        (!flags.contains('s')).then_some(pattern)
    }

    /// `{k: v for k, v in os.environ.items() if k.startswith("APP_")}` is not the whole environment.
    pub(super) fn narrow(&self, range: &Range<usize>, value: &mut Value) {
        if value.taint.is_of_dot_env() {
            value.taint.narrow_to(&self.variables_looked_for(range));
            // What it was taken out of is no part of it.
            if !value.taint.is_of_dot_env() {
                value.names.clear();
                value.texts.clear();
            }
        }
        if !value.taint.environment {
            return;
        }
        let filters = range.clone().any(|i| {
            self.name_at(i).is_some_and(|n| {
                matches!(
                    n.rsplit('.').next(),
                    Some(
                        "startswith"
                            | "startsWith"
                            | "HasPrefix"
                            | "start_with"
                            | "select"
                            | "slice"
                    )
                )
            })
        });
        let own = range.clone().any(|i| matches!(self.token(i), Some(Token::Text(text)) if text.len() >= 3 && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && !matches!(&**text, "AWS_" | "AWS" | "GITHUB" | "GITHUB_" | "OPENAI" | "TOKEN" | "KEY" | "SECRET")));
        if filters && own {
            value.taint.environment = false;
        }
    }
}

/// `^NAME=(.+)$`: the variable whose line a pattern finds, if the pattern does not go on over lines.
fn looked_for(pattern: &str) -> Option<&str> {
    const OVER_LINES: [&str; 6] = ["\\S", "\\D", "\\W", "[^]", "\\n", "(?"];
    let begins = pattern.strip_prefix("(?m)").unwrap_or(pattern).trim_start_matches('^');
    let end = begins.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
    let (name, rest) = begins.split_at(end);
    let is_line = rest.starts_with(['=', ':', '\\', '[', ' '])
        && !OVER_LINES.iter().any(|sign| rest.replace("[^\"'\\n]", "").contains(sign));
    (is_line && is_environment_name(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::test_passage;
    use super::*;

    #[test]
    fn a_pattern_is_read_to_its_bound() {
        let length = |letters: usize| {
            let passage = test_passage(format!("f(/{}/)\n", "a".repeat(letters)));
            Unit::new(&passage).pattern_behind(1).map(str::len)
        };
        assert_eq!(length(MAX_PATTERN - 1), Some(MAX_PATTERN - 1));
        assert_eq!(length(MAX_PATTERN), None);
    }

    #[test]
    fn a_pattern_names_one_variable_on_one_line() {
        for pattern in ["^TIDE_KEY=(.+)$", "TIDE_KEY=[\"']?([^\"'\\n]+)", "TIDE_KEY\\s*=(.*)"] {
            assert_eq!(looked_for(pattern), Some("TIDE_KEY"), "{pattern}");
        }
        for pattern in ["TIDE_KEY=([\\s\\S]+)", "TIDE_KEY|(.+)", "(?s)TIDE_KEY=(.+)", "tide=(.+)"] {
            assert_eq!(looked_for(pattern), None, "{pattern}");
        }
    }
}
