//! What a call does with its arguments and what it gives, by its meaning in the table.
//!
//! A function of the skill's own passes its arguments on to its parameters, in every file.

use super::events::{ANY_ENTRY, is_settings_file};
use super::expression::{Value, is_letter_maker};
use super::names::js_module;
use super::{INTERPRETER, MAX_DEPTH, Out, Unit};
use crate::scan::code::lexer::Token;
use crate::scan::code::tables::Meaning;
use crate::scan::code::{MAX_TEXTS, World};
use crate::scan::decode::readable;
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::flow::Taint;
use crate::scan::kind::Language;
use crate::scan::rules;
use crate::scan::subject::is_environment_name;
use std::ops::Range;

/// Longest text of an argument that is passed on.
const MAX_GIVEN: usize = 400;

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

/// What a call is given.
pub(super) struct Given {
    pub(super) arguments: Vec<Value>,
    /// All arguments together.
    pub(super) all: Value,
    pub(super) address: Option<String>,
}

impl Unit<'_> {
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
        let mut arguments: Vec<Value> = Vec::with_capacity(ranges.len());
        for range in ranges {
            arguments.push(self.value(range.clone(), world, out, depth + 1));
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

    /// `ACTIONS.get(key, print)`: one of a table of functions.
    #[inline(never)]
    fn table_entry(&self, callee: &str) -> Option<String> {
        let table = callee.strip_suffix(".get")?;
        self.aliases.get(&format!("{table}{ANY_ENTRY}")).cloned()
    }

    /// The function that a call is handed to run, and what that is given: `pcall(load, text)`,
    /// `call_user_func('system', $x)`, `object.send(:eval, text)`, `lines.forEach(eval)`; or the one that
    /// a variable names.
    fn handed<'c>(&self, call: Call<'c>, world: &World) -> Option<(String, &'c [Range<usize>])> {
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
                Token::Text(text) if first.len() == 1 => text.clone(),
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
                    Some((at, name.clone()))
                }
                _ => None,
            })?;
        let rest = if at + 1 < ranges.len() { &ranges[at + 1..] } else { &ranges[..at] };
        Some((name, rest))
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

    /// A call of something that is not in the table.
    fn other(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, receiver, at, .. } = call;
        let Given { arguments, all, .. } = given;
        let mut result = Value::default();
        let last = match callee.rsplit_once('.') {
            // Ruby makes an object by a method of its class.
            Some((class, "new")) => class.rsplit('.').next().unwrap_or(class),
            Some((_, last)) => last,
            None => callee,
        };
        if world.returns.contains_key(last) && !matches!(last, "getattr" | "require" | "__import__")
        {
            self.pass_on(last, call, &arguments, world);
            self.worded(&arguments, at, out);
            self.pushes_all(&all, at, out);
            result.taint.add(&world.returns[last]);
            result.taint.add(&receiver.taint);
            // Source(text): an object holds what it is made of.
            if last.starts_with(|c: char| c.is_ascii_uppercase())
                && matches!(self.passage.language, Language::Python | Language::JavaScript)
            {
                result.taint.add(&all.taint);
            }
            if let Some(texts) = world.returned.get(last) {
                result.texts.extend(texts.iter().cloned());
            }
            return result;
        }
        // gather(): a variable that holds a function, or what one gives.
        if !callee.contains('.') && call.receiver.names.is_empty() {
            let mut held = self.carried(callee, world);
            held.connection = None;
            result.taint.add(&held);
        }
        self.add_saved(&all, world, &mut result.taint);
        self.kept(call, &arguments, &all, world, out);
        self.pushes_all(&all, at, out);
        // What goes to an interpreter's input, or ties a connection to one.
        if matches!(last, "communicate" | "writeln" | "feed") {
            self.fed_to_program(receiver, &all, at, out);
        }
        self.given_to_client(call, &all, out);
        if last == "register_function"
            && all.names.iter().any(|n| self.is_dangerous(&self.resolve(n)))
        {
            self.shell_on_connection(at, out);
        }
        // URI("https://…").open(&:read)
        if self.passage.language == Language::Ruby
            && matches!(last, "open" | "read")
            && let Some(address) = receiver.address().map(str::to_owned)
        {
            self.to_network(&receiver.taint, &address, "`open`", at, out);
            result.taint.add(&Taint::remote(address));
        }
        if matches!(last, "arg" | "args") && receiver.texts.iter().any(|t| t.starts_with('\0')) {
            return self.equipped(receiver, &all, at, out);
        }
        // new (maker)(text): what makes functions is called in the next step.
        if callee == "new" {
            result.alias = arguments.first().and_then(|argument| argument.alias.clone());
        }
        if matches!(last, "dup2" | "reopen" | "fdopen")
            && (all.taint.connection.is_some() || receiver.taint.connection.is_some())
        {
            self.shell_on_connection(at, out);
        }
        if last == "pipe"
            && receiver.taint.connection.is_some()
            && all.names.iter().any(|n| n.ends_with("stdin"))
        {
            self.shell_on_connection(at, out);
        }
        // chr(ord(c) - 3): every letter is another one.
        if last == "chr" && all.names.iter().any(|n| n == "ord") {
            result.taint.add(&Taint::decoded("shifted letters"));
        } else if last == "chr" && !all.names.is_empty() {
            result.taint.add(&Taint::decoded("character codes"));
        }
        result.taint.add(&self.transformed(last, &all));
        // text:match("PrivateKey = (%S+)"): what is looked for says what is found.
        if matches!(last, "match" | "search" | "findall" | "scan" | "exec")
            && names_a_secret(&all.texts)
        {
            result.taint.add(&Taint::secret("secrets found in a text"));
        }
        match last {
            // method(:eval).call(text)
            "method" if self.passage.language == Language::Ruby => {
                result.alias = all.names.first().or(all.texts.first()).cloned();
                return result;
            }
            // A connection by its number is still one.
            "fileno" | "detach" => {
                result.taint.connection.clone_from(&receiver.taint.connection);
                return result;
            }
            "__import__" | "import_module" | "require" => {
                // require('/tmp/x.js'): what was saved there is run.
                let mut run = Taint { remote: all.taint.remote.clone(), ..Taint::default() };
                run.decoded = all.taint.decoded;
                self.add_saved(&all, world, &mut run);
                self.to_interpreter(&run, last, at, out);
                result.alias = Some(js_module(&all.text()));
                // A settings file is known by its name.
                result.texts.extend(all.texts.into_iter().filter(|text| is_settings_file(text)));
                return result;
            }
            // cfg.get("feed")
            "get" | "getString" | "GetString" | "getProperty" | "dig" | "value" | "fetch"
                if arguments
                    .first()
                    .and_then(|a| a.texts.first())
                    .is_some_and(|key| world.settings.contains_key(key)) =>
            {
                let key = arguments[0].texts[0].clone();
                if let Some(set) = world.setting(&key) {
                    result.add(&set);
                }
                result.taint.add(&receiver.taint);
                return result;
            }
            "getattr" => {
                if let [object, member, ..] = arguments.as_slice() {
                    let base = object
                        .alias
                        .clone()
                        .unwrap_or_else(|| object.names.first().cloned().unwrap_or_default());
                    let dynamic = member.texts.is_empty();
                    let built = member.folded
                        && self.is_dangerous(&self.resolve(&format!("{base}.{}", member.text())));
                    let joined = built
                        || member.texts.len() > 1
                        || member.names.iter().any(|n| n.ends_with("join") || n == "chr");
                    let member = member.text();
                    if joined && member.len() > 2 && !dynamic
                        || dynamic && matches!(base.as_str(), "builtins" | "__builtins__")
                    {
                        let message =
                            "the function that is called is put together or chosen when it runs";
                        self.report(
                            at,
                            Some(Match::new(&rules::OBFUSCATED_CODE, Severity::Warn, message)),
                            out,
                        );
                    }
                    let global = matches!(base.as_str(), "builtins" | "__builtins__");
                    if self.meaning(&format!("{base}.{member}")) == Some(Meaning::Environment) {
                        result.taint.add(&Taint::environment());
                    }
                    result.alias = Some(if global { member } else { format!("{base}.{member}") });
                }
                return result;
            }
            "promisify" | "partial" | "bind" => {
                result.alias = arguments
                    .first()
                    .and_then(|a| {
                        a.alias.clone().or_else(|| a.names.first().map(|n| self.resolve(n)))
                    })
                    .or_else(|| receiver.alias.clone());
                return result;
            }
            "globals" | "locals" | "vars" => {
                result.alias = Some("globals".to_owned());
                return result;
            }
            "connect"
                if receiver.taint.connection.is_some()
                    || self
                        .variables
                        .get(receiver.names.first().map_or("", String::as_str))
                        .is_some_and(|t| t.connection.is_some()) =>
            {
                let to = all.host().unwrap_or_default().to_owned();
                self.to_network(&Taint::default(), &to, "`connect`", at, out);
                if let Some(name) = receiver.names.first().cloned()
                    && !to.is_empty()
                {
                    let entry = self.variables.entry(name).or_default();
                    if entry.connection.as_deref() == Some("") {
                        entry.connection = Some(to.clone());
                        entry.remote = Some(to);
                        world.moved = true;
                    }
                }
                return result;
            }
            _ if [
                "append",
                "push",
                "extend",
                "update",
                "add",
                "set",
                "insert",
                "unshift",
                "concat",
                "merge",
                "assign",
                "attach",
                "store",
                "array_push",
                "array_unshift",
                "content",
                "field",
                "put",
            ]
            .iter()
            .any(|verb| last.to_ascii_lowercase().starts_with(verb)) =>
            {
                // array_push($parts, $x), table.insert(parts, x), push @parts, $x
                let own = matches!(callee, "append" | "table.insert" | "push" | "unshift")
                    || last.starts_with("array_");
                let holder = if own {
                    arguments.first().and_then(|a| a.names.first())
                } else {
                    receiver.names.first()
                };
                if let Some(name) = holder.cloned() {
                    self.gain(&name, &all.taint, world);
                    // u.searchParams.set(…): whoever has the whole has the part.
                    if let Some((whole, _)) = name.split_once('.')
                        && !matches!(whole, "self" | "this" | "cls")
                        && self.origins.contains_key(whole)
                    {
                        let part = all.taint.carried();
                        self.gain(whole, &part, world);
                    }
                }
                result.taint.add(&all.taint);
                result.taint.add(&receiver.taint);
                return result;
            }
            "pipe" => {
                // a.pipe(b): what a carries goes into b.
                for argument in &arguments {
                    if let Some(connection) = &argument.taint.connection {
                        self.to_network(&receiver.taint, &connection.clone(), "`pipe`", at, out);
                    }
                    // response.pipe(spawn("sh").stdin)
                    if let Some(program) =
                        argument.texts.iter().find_map(|text| text.strip_prefix(INTERPRETER))
                    {
                        self.to_interpreter(&receiver.taint, program, at, out);
                    }
                    for name in &argument.names {
                        let origins = self.origins.get(name).cloned().unwrap_or_default();
                        self.gain(name, &receiver.taint, world);
                        for origin in origins {
                            self.gain(&origin, &receiver.taint, world);
                        }
                    }
                }
                result.taint.add(&receiver.taint);
                return result;
            }
            "len" | "print" | "isinstance" | "exists" | "basename" | "dirname" | "log" | "info"
            | "warn" | "error" | "debug" | "is_file" | "exists_sync" | "existsSync" | "isfile"
            | "isdir" | "is_dir" | "stat" | "hexdigest" | "sha256" | "md5" | "length"
            | "startswith" | "endswith" | "mkdir" | "exit" | "echo" | "printf" | "Println"
            | "Printf" | "Write-Host" | "Write-Output" => {
                if matches!(last, "echo" | "Write-Output") {
                    result.taint.add(&all.taint);
                }
                return result;
            }
            _ => {}
        }
        // parser.read(path): the thing itself holds it from now on.
        if let Some(holder) = receiver.names.first()
            && (!all.taint.secrets.is_empty() || all.taint.environment)
            && self.origins.contains_key(holder)
        {
            let held = Taint {
                secrets: all.taint.secrets.clone(),
                environment: all.taint.environment,
                ..Taint::default()
            };
            self.gain(&holder.clone(), &held, world);
        }
        result.taint.add(&all.taint);
        result.taint.add(&receiver.taint);
        result.texts = if receiver.texts.is_empty() {
            all.texts
        } else {
            receiver.texts.iter().chain(&all.texts).take(8).cloned().collect()
        };
        result.names = receiver.names.iter().chain(&all.names).take(8).cloned().collect();
        result.taint.add(&Taint::of_file(&result.path()));
        result
    }

    /// What calls keep for others: `print(x, file=buffer)`, `define('NAME', x)`.
    fn kept(
        &mut self,
        call: Call<'_>,
        arguments: &[Value],
        all: &Value,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) {
        if call.callee == "print"
            && let Some(range) = call.ranges.iter().find(|range| {
                range.len() > 2
                    && self.name_at(range.start) == Some("file")
                    && self.is_op(range.start + 1, '=')
            })
            && let Some(file) = self.name_at(range.start + 2).map(str::to_owned)
        {
            if let Some(to) = self.carried(&file, world).connection {
                self.to_network(&all.taint, &to, "`print`", call.at, out);
            }
            self.gain(&file, &all.taint, world);
        }
        if call.callee == "define"
            && let [name, value, ..] = arguments
            && let [name] = name.texts.as_slice()
        {
            self.assign(&name.clone(), value, world);
        }
        // preg_replace('/x/e', $code, …)
        if call.callee == "preg_replace"
            && let Some(pattern) = arguments.first().and_then(|a| a.texts.first())
            && let Some((_, flags)) = pattern.rsplit_once(['/', '#', '~', '|'])
            && flags.contains('e')
            && flags.len() < 6
        {
            self.to_interpreter(&all.taint, call.shown, call.at, out);
        }
    }

    /// What a function that is handed letters or a table of them makes of a text.
    fn transformed(&self, last: &str, all: &Value) -> Taint {
        let maker = |name: &String| is_letter_maker(name.rsplit('.').next().unwrap_or(name));
        let mut taint = Taint::default();
        if matches!(last, "map" | "array_map" | "gsub" | "replace" | "replaceAll")
            && (all.names.iter().any(maker) || last == "array_map" && all.texts.iter().any(maker))
        {
            taint.add(&Taint::decoded("character codes"));
        }
        if last == "map"
            && let Some(how) =
                all.names.iter().find_map(|name| match self.meaning(&self.resolve(name)) {
                    Some(Meaning::Decode(how)) => Some(how),
                    _ => None,
                })
        {
            taint.add(&Taint::decoded(how));
        }
        if matches!(last, "tr" | "strtr" | "translate" | "maketrans")
            && all
                .texts
                .iter()
                .any(|text| text.contains("N-ZA-M") || text.contains("nopqrstuvwxyzabc"))
        {
            taint.add(&Taint::decoded("rot13"));
        }
        // decodeURIComponent('%72%65…'): letters that need no escape.
        let escaped = |text: &String| text.matches('%').count() >= 6;
        if matches!(
            last,
            "decodeURIComponent" | "decodeURI" | "urldecode" | "rawurldecode" | "unquote"
        ) && all.texts.iter().any(escaped)
        {
            taint.add(&Taint::decoded("escapes"));
        }
        taint
    }

    /// One of the skill's own functions is called: its parameters hold what it is given.
    fn pass_on(&mut self, name: &str, call: Call<'_>, arguments: &[Value], world: &mut World) {
        let calls = world.calls.entry(name.to_owned()).or_default();
        let parameters = world.parameters.get(name).cloned().unwrap_or_default();
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
        for (at, argument) in arguments.iter().enumerate().take(16) {
            let position = position_of(at, self).min(16);
            while calls.len() <= position {
                calls.push(Taint::default());
            }
            if calls[position].add(&argument.taint) {
                world.moved = true;
            }
            while given.len() <= position {
                given.push(Vec::new());
            }
            for text in argument.texts.iter().filter(|text| text.len() < MAX_GIVEN) {
                if given[position].len() < MAX_TEXTS && !given[position].contains(text) {
                    given[position].push(text.clone());
                    world.moved = true;
                }
            }
        }
        for (position, argument) in arguments.iter().enumerate().take(8) {
            let parameter = self
                .by_name
                .get(name)
                .and_then(|at| self.functions[*at].parameters.get(position))
                .cloned();
            if let Some(parameter) = parameter {
                let origins = self.origins.entry(parameter).or_default();
                for origin in argument.texts.iter().chain(&argument.names) {
                    if origins.len() < 12 && !origins.contains(origin) {
                        origins.push(origin.clone());
                    }
                }
            }
        }
    }

    /// Functions of the skill's own that are given by name: `items.forEach(send)` passes each item,
    /// `submit(send, data)` and `Thread(target=send, args=(data,))` the arguments beside it.
    fn functions_given(
        &mut self,
        callee: &str,
        ranges: &[Range<usize>],
        arguments: &[Value],
        passed: &Taint,
        world: &mut World,
    ) {
        let mut given: Vec<(String, String)> = Vec::new();
        for (position, range) in ranges.iter().enumerate() {
            let keyword = range.len() == 3 && self.is_op(range.start + 1, '=');
            let at = if keyword { range.start + 2 } else { range.start };
            if range.len() != 1 && !keyword {
                continue;
            }
            let Some(function) = self
                .name_at(at)
                .map(|name| name.rsplit('.').next().unwrap_or(name))
                .filter(|name| world.returns.contains_key(*name))
            else {
                continue;
            };
            // apply(collect): its parameter is that function.
            if let Some(parameter) = self
                .by_name
                .get(callee.rsplit('.').next().unwrap_or(callee))
                .and_then(|own| self.functions[*own].parameters.get(position))
                .filter(|parameter| !self.aliases.contains_key(*parameter))
                .cloned()
            {
                given.push((parameter, function.to_owned()));
            }
            let mut first = passed.clone();
            for value in arguments.iter().skip(position + 1) {
                first.add(&value.taint);
            }
            let calls = world.calls.entry(function.to_owned()).or_default();
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
                .take(16)
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
                taint.keys.insert(part.to_owned());
            }
        }
    }
    taint
}

/// Whether a pattern looks for the value of a secret.
fn names_a_secret(texts: &[String]) -> bool {
    const NAMES: [&str; 5] = ["privatekey", "private_key", "password", "secret_key", "aws_secret"];
    texts.iter().any(|text| {
        let lower = text.to_ascii_lowercase();
        NAMES.iter().any(|name| lower.contains(name)) && text.contains(['(', '%', '\\'])
    })
}

pub(super) fn arguments_text(ranges: &[Range<usize>], unit: &Unit<'_>) -> Vec<String> {
    ranges
        .iter()
        .filter_map(|range| match unit.token(range.start) {
            Some(Token::Text(text)) if range.len() == 1 => Some(text.clone()),
            _ => None,
        })
        .collect()
}
