//! Calls of what is not in the table: the skill's own functions, and methods whose effect follows from
//! their name, from what they are called on and from what they are given.

use super::calls::{Call, Given};
use super::events::is_settings_file;
use super::expression::{Value, is_letter_maker};
use super::names::js_module;
use super::network::is_answered;
use super::{INTERPRETER, MAX_OF_CALL, Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::code::tables::Meaning;
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::flow::Taint;
use crate::scan::kind::Language;
use crate::scan::rules;
use crate::scan::subject::is_environment_name;
use std::ops::Range;

/// Whether a pattern looks for the value of a secret.
fn names_a_secret(texts: &[String]) -> bool {
    const NAMES: [&str; 5] = ["privatekey", "private_key", "password", "secret_key", "aws_secret"];
    texts.iter().any(|text| {
        let lower = text.to_ascii_lowercase();
        NAMES.iter().any(|name| lower.contains(name)) && text.contains(['(', '%', '\\'])
    })
}

/// What the result of a method has of the thing that it is called on.
fn kept_of(receiver: &Value, method: &str) -> Taint {
    let mut kept = receiver.taint.clone();
    if is_answered(method) {
        kept.connection = None;
    }
    kept
}

impl Unit<'_> {
    /// A call of something that is not in the table.
    pub(super) fn other(
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
            result.taint.add(&kept_of(receiver, last));
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
            // variables.get("NAME") of a file of them
            "get" | "pop" | "fetch"
                if receiver.taint.is_of_dot_env()
                    && arguments
                        .first()
                        .and_then(|a| a.texts.first())
                        .is_some_and(|name| is_environment_name(name)) =>
            {
                result.taint = receiver.taint.clone();
                result.taint.narrow_to(&[&arguments[0].texts[0]]);
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
                    // `getattr(args, k) for k in ("size", "model")` chooses among names that are written out.
                    // So does one that picks the functions of a module in which nothing does harm.
                    const MODULES: [&str; 19] = [
                        "os",
                        "posix",
                        "nt",
                        "pty",
                        "code",
                        "types",
                        "runpy",
                        "marshal",
                        "pickle",
                        "requests",
                        "urllib",
                        "sys",
                        "subprocess",
                        "builtins",
                        "__builtins__",
                        "importlib",
                        "socket",
                        "ctypes",
                        "shutil",
                    ];
                    let root = base.split('.').next().unwrap_or(&base);
                    let module = MODULES.contains(&base.as_str()) || MODULES.contains(&root);
                    let joined = built
                        || member.texts.len() > 1 && module
                        || member.names.iter().any(|n| n.ends_with("join") || n == "chr");
                    let names = &member.names;
                    let member = member.text();
                    if joined && member.len() > 2 && !dynamic
                        || (dynamic || !names.is_empty())
                            && matches!(base.as_str(), "builtins" | "__builtins__")
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
            "pipe" | "pipeline" | "pipeTo" => {
                // a.pipe(b), pipeline(a, b): what a carries goes into b.
                let (receiver, targets) = match arguments.split_first() {
                    Some((first, rest)) if last == "pipeline" => (first, rest),
                    _ => (receiver, arguments.as_slice()),
                };
                for argument in targets {
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
            && !self.are_tools(call.ranges, world)
        {
            let held = Taint {
                secrets: all.taint.secrets.clone(),
                environment: all.taint.environment,
                ..Taint::default()
            };
            self.gain(&holder.clone(), &held, world);
        }
        result.taint.add(&all.taint);
        result.taint.add(&kept_of(receiver, last));
        result.texts = if receiver.texts.is_empty() {
            all.texts
        } else {
            receiver.texts.iter().chain(&all.texts).take(MAX_OF_CALL).cloned().collect()
        };
        result.names = receiver.names.iter().chain(&all.names).take(MAX_OF_CALL).cloned().collect();
        result.taint.add(&Taint::of_file(&result.path()));
        result
    }

    /// `api.registerTool({ name: "x", async execute() {…} })`: objects with functions in them, and nothing else that
    /// matters. What the functions do is looked at where they stand; who is given them does not hold it.
    fn are_tools(&self, ranges: &[Range<usize>], world: &World) -> bool {
        if self.passage.language != Language::JavaScript {
            return false;
        }
        let entries = ranges.iter().flat_map(|range| {
            if self.is_op(range.start, '{') {
                self.arguments(range.start)
            } else {
                vec![range.clone()]
            }
        });
        let (functions, others): (Vec<_>, Vec<_>) =
            entries.partition(|entry| self.is_function_entry(entry));
        let is_harmless = |i: usize| match self.token(i) {
            Some(Token::Name(name)) => {
                let carried = self.carried(name, world);
                self.meaning(&self.resolve(name)).is_none()
                    && carried.secrets.is_empty()
                    && !carried.environment
            }
            Some(Token::Text(text)) => Taint::of_file(text).is_clean(),
            _ => true,
        };
        !functions.is_empty() && others.into_iter().flatten().all(is_harmless)
    }

    /// `execute(id) {…}`, `execute: async (id) => {…}`, `execute: function (id) {…}`.
    fn is_function_entry(&self, entry: &Range<usize>) -> bool {
        const HEAD: usize = 5;
        let is_last_block =
            |open: usize| self.is_op(open, '{') && self.close[open] + 1 == entry.end;
        let head = entry.start..(entry.start + HEAD).min(entry.end);
        let Some(open) = head.clone().find(|i| self.is_op(*i, '(')) else { return false };
        let behind = self.close[open] + 1;
        let is_method = !head.clone().any(|i| self.is_op(i, ':')) && is_last_block(behind);
        let is_arrow =
            self.is_op(behind, '=') && self.is_op(behind + 1, '>') && is_last_block(behind + 2);
        let is_named = self.name_at(open - 1) == Some("function") && is_last_block(behind);
        is_method || is_arrow || is_named
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
}
