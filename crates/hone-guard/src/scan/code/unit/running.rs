//! Calls that run something: programs, shell texts, code that was decoded or fetched.

use super::calls::{Call, Given};
use super::commands::Command;
use super::expression::Value;
use super::{INTERPRETER, MAX_SHELL, Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::{Lexeme, Token};
use crate::scan::code::scopes::plain;
use crate::scan::decode::readable;
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::flow::{Taint, printed_by};
use crate::scan::kind::{Language, of_interpreter};
use crate::scan::passage::{Passage, Place};
use crate::scan::rules;
use std::borrow::Cow;
use std::ops::Range;

/// Programs that fetch.
const FETCHERS: [&str; 2] = ["curl", "wget"];
/// Programs that send what they read.
const SENDERS: [&str; 12] = [
    "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ssh", "mail", "sendmail",
    "openssl", "http",
];
/// In front of a text that stands for a program that sends what it reads, with where to.
pub(super) const SENDER: &str = "\u{0}sender ";
/// In front of a text that stands for a program that fetches, whose address is still to come.
const FETCHER: &str = "\u{0}fetcher ";

/// Whether a name stands for what somebody sent to a server.
fn is_request(name: &str) -> bool {
    let name = &*plain(name);
    const PARTS: [&str; 10] =
        ["data", "args", "form", "json", "get_json", "body", "query", "url", "params", "values"];
    name.split_once('.').is_some_and(|(root, rest)| {
        matches!(root, "request" | "req" | "q")
            && PARTS.contains(&rest.split('.').next().unwrap_or(rest))
    })
}

impl Unit<'_> {
    /// `Command::new("curl").args(["-s", "https://…"])`: what a program is given after it was named.
    pub(super) fn equipped(
        &self,
        receiver: &Value,
        all: &Value,
        at: usize,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let mut result = Value {
            texts: receiver.texts.clone(),
            taint: receiver.taint.clone(),
            ..Value::default()
        };
        if receiver.texts.iter().any(|text| text.starts_with(FETCHER)) {
            if let Some(address) = all.address() {
                result.taint.add(&Taint::remote(address));
            }
        } else if let Some(program) =
            receiver.texts.iter().find_map(|text| text.strip_prefix(INTERPRETER))
        {
            self.to_interpreter(&all.taint, program, at, out);
        }
        result
    }

    /// A program is started.
    pub(super) fn start(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { ranges, receiver, at, .. } = call;
        let Given { arguments, all, .. } = given;
        let mut result = Value::default();
        let command = self.command_of(&call, world);
        // The command itself: no options object, no keyword arguments.
        let script = matches!(self.passage.language, Language::JavaScript);
        let mut arguments: Vec<Value> = arguments
            .into_iter()
            .zip(ranges)
            .enumerate()
            .filter(|(position, (_, range))| {
                let keyword = self.passage.language == Language::Python
                    && self.is_op(range.start + 1, '=')
                    && self.name_at(range.start) != Some("args");
                let object = script && *position > 0 && !self.is_op(range.start, '[');
                !keyword && !object
            })
            .map(|(_, (value, _))| value)
            .collect();
        let program = arguments
            .first()
            .and_then(|a| a.texts.first())
            .map(|t| {
                t.split_whitespace()
                    .find(|w| *w != "sudo" && !w.starts_with('-'))
                    .unwrap_or_default()
                    .to_owned()
            })
            .unwrap_or_default();
        // [sys.executable, "-"]
        let own = arguments.first().and_then(|a| a.names.first()).map(|name| self.resolve(name));
        let program = match own.as_deref() {
            Some("sys.executable") => "python3".to_owned(),
            Some("process.execPath" | "process.argv0") => "node".to_owned(),
            _ => program,
        };
        let runs_input = of_interpreter(program.rsplit('/').next().unwrap_or_default()).is_some();
        let sends = SENDERS
            .contains(&program.rsplit('/').next().unwrap_or_default())
            .then(|| all.host().unwrap_or_default().to_owned());
        if let Some(to) = &sends {
            let input = self.input(ranges, world);
            self.to_network(&input.taint, to, &format!("`{program}`"), at, out);
        }
        // subprocess.run(["bash"], input=script), subprocess.run(["ssh", host, "sh"], input=script)
        let inner = all.texts.iter().filter(|_| program == "ssh").rev();
        let inner = inner.clone().find(|text| of_interpreter(text).is_some()).cloned();
        let reads = inner.as_deref().or(program.rsplit('/').next()).and_then(of_interpreter);
        if reads.is_some() && out.is_some() {
            let input = self.input(ranges, world);
            self.read_by(reads, &input, at, out);
        }
        // subprocess.run(["bash"], input=…), execSync("sh", { input: … })
        if runs_input {
            let script = command.as_ref().and_then(|command| command.script.as_ref());
            self.run_if_foreign(script.unwrap_or(&all.taint), &program, at, out);
        }
        // Popen(…, stdin=connection)
        let tied = ranges.iter().any(|range| {
            let stream = self
                .name_at(range.start)
                .is_some_and(|n| matches!(n, "stdin" | "stdout" | "stdio" | "preexec_fn"));
            (stream || script && self.is_op(range.start, '{'))
                && range.clone().any(|i| {
                    self.name_at(i).is_some_and(|n| self.carried(n, world).connection.is_some())
                })
        });
        if tied {
            self.shell_on_connection(at, out);
        }
        if arguments.is_empty() && !receiver.taint.is_clean()
            || !receiver.taint.is_clean() && self.passage.language == Language::PowerShell
        {
            arguments.push(receiver.clone());
        }
        result.taint = self.run_as(&arguments, command.as_ref(), at, out);
        result.taint.add(&world.printed_by(&all.texts));
        if let Some(to) = sends {
            result.texts.push(format!("{SENDER}{to}"));
        }
        if FETCHERS.contains(&program.rsplit('/').next().unwrap_or_default()) {
            result.texts.push(format!("{FETCHER}{program}"));
        }
        if runs_input {
            result.texts.push(format!("{INTERPRETER}{program}"));
        } else if let Some(inner) = inner {
            result.texts.push(format!("{INTERPRETER}{inner}"));
        }
        result
    }

    /// A script that an interpreter reads is followed like one that it is given.
    pub(super) fn read_by(
        &mut self,
        language: Option<Language>,
        script: &Value,
        at: usize,
        out: &Out<'_, '_, '_>,
    ) {
        const SHORTEST: usize = 12;
        let text = script.text();
        let Some(language) = language.filter(|_| out.is_some() && text.len() >= SHORTEST) else {
            return;
        };
        if self.shell.len() < MAX_SHELL {
            let start = self.tokens.get(at).map_or(0, Lexeme::at);
            let (line, column) = self.passage.place.position(start);
            self.shell.push(Passage {
                language,
                text: Cow::Owned(text),
                place: Place::Fixed { line, column },
                ..self.passage.clone()
            });
        }
    }

    /// What a program is given to read: `input=…`, `{ input: … }`, `stdin_data: …`, `{ stdin = … }`.
    fn input(&mut self, ranges: &[Range<usize>], world: &mut World) -> Value {
        const NAMES: [&str; 4] = ["input", "stdin", "stdin_data", "stdinData"];
        let mut found: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            let items = if self.is_op(range.start, '{') {
                self.arguments(range.start)
            } else {
                vec![range.clone()]
            };
            found.extend(items.into_iter().filter(|item| {
                item.len() > 2
                    && self.name_at(item.start).is_some_and(|name| NAMES.contains(&name))
                    && matches!(self.token(item.start + 1), Some(Token::Op('=' | ':')))
            }));
        }
        let mut input = Value::default();
        for range in found {
            input.add(&self.value(range.start + 2..range.end, world, &mut None, 1));
        }
        input
    }

    /// What was saved under a path that is run: `sh /tmp/x.sh`, `/tmp/x`.
    fn saved_program(&self, command: &str, interpreter: bool) -> Taint {
        const WORDS: usize = 16;
        let mut taint = Taint::default();
        for (place, word) in command.split_whitespace().take(WORDS).enumerate() {
            let path = word.trim_matches(['"', '\'', ';', '&']);
            if path.contains('/')
                && (place == 0 || interpreter)
                && let Some(saved) = self.variables.get(path)
            {
                taint.remote.clone_from(&saved.remote);
                taint.decoded = saved.decoded;
            }
        }
        taint
    }

    /// What was fetched or decoded is run.
    fn run_if_foreign(&self, taint: &Taint, by: &str, at: usize, out: &mut Out<'_, '_, '_>) {
        if taint.remote.is_some() || taint.decoded.is_some() {
            self.to_interpreter(taint, if by.is_empty() { "the system" } else { by }, at, out);
        }
    }

    /// A command that the code runs.
    pub(super) fn run(
        &mut self,
        arguments: &[Value],
        at: usize,
        out: &mut Out<'_, '_, '_>,
    ) -> Taint {
        self.run_as(arguments, None, at, out)
    }

    /// A command that the code runs, with what of it is known to be its program and its script.
    fn run_as(
        &mut self,
        arguments: &[Value],
        command: Option<&Command>,
        at: usize,
        out: &mut Out<'_, '_, '_>,
    ) -> Taint {
        let mut all = Value::default();
        for argument in arguments {
            all.add(argument);
        }
        let mut words: Vec<String> = all.texts.clone();
        // [sys.executable, "-m", "pip", …]
        let own = arguments.first().and_then(|a| a.names.first()).map(|name| self.resolve(name));
        match own.as_deref() {
            Some("sys.executable") => words.insert(0, "python3".to_owned()),
            Some("process.execPath" | "process.argv0") => words.insert(0, "node".to_owned()),
            _ => {}
        }
        let first = arguments.first().cloned().unwrap_or_default();
        let program = first
            .texts
            .first()
            .map(|t| {
                t.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']).to_owned()
            })
            .unwrap_or_default();
        let base = program.rsplit('/').next().unwrap_or(&program).to_owned();
        let words_of_first: Vec<&str> =
            first.texts.first().map(|t| t.split_whitespace().collect()).unwrap_or_default();
        let base = if base == "sudo" {
            words_of_first
                .iter()
                .skip(1)
                .find(|w| !w.starts_with('-'))
                .map_or(base.clone(), |w| (*w).to_owned())
        } else {
            base
        };
        if all.names.iter().any(|name| is_request(name)) {
            let message = "what a request says is run as a command";
            let found = Match::new(&rules::REVERSE_SHELL, Severity::Warn, message);
            self.report(at, Some(found), out);
        }
        let interpreter = of_interpreter(&base).is_some()
            || matches!(
                base.as_str(),
                "start"
                    | "open"
                    | "cmd"
                    | "cmd.exe"
                    | "chmod"
                    | "sudo"
                    | "xdg-open"
                    | "nohup"
                    | "mshta"
                    | "rundll32"
            );
        let dynamic = first.texts.iter().all(|text| text.trim().is_empty())
            || first.dynamic_start
            || program.starts_with(['$', '#', '{', '%']);
        // `sh -c text`, `path`, `f"{path} --quiet"`: what runs is what was fetched or decoded. As an
        // argument of a known program it is data.
        let fetched = first.head.remote.is_some() || first.head.decoded.is_some();
        if let Some(Command { program, script }) = command {
            let mut runs = program.clone();
            if interpreter {
                runs.add(script.as_ref().unwrap_or(&all.taint));
            }
            self.run_if_foreign(&runs, &base, at, out);
        } else if dynamic || interpreter || fetched {
            self.run_if_foreign(&all.taint, &base, at, out);
        }
        let command = if first.texts.len() > 1 { first.texts.join(" ") } else { words.join(" ") };
        let saved = self.saved_program(&command, interpreter || own.is_some());
        self.to_interpreter(&saved, if base.is_empty() { "the system" } else { &base }, at, out);
        // mshta and its kin run what they fetch.
        let fetcher = words.iter().find(|word| {
            let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
            matches!(name.trim_end_matches(".exe"), "mshta" | "regsvr32" | "msiexec")
        });
        if let (Some(fetcher), Some(address)) = (fetcher, all.address()) {
            self.to_interpreter(&Taint::remote(address), fetcher, at, out);
        }
        let joined = if words.len() == 1 {
            words[0].clone()
        } else {
            words
                .iter()
                .map(|w| {
                    if w.contains([' ', '|', '>', '<', '&', ';', '$', '\n']) {
                        format!("'{}'", w.replace('\'', "'\\''"))
                    } else {
                        w.clone()
                    }
                })
                .collect::<Vec<_>>()
                .join(" ")
        };
        let address = all.address().unwrap_or_default().to_owned();
        if matches!(
            base.as_str(),
            "curl" | "wget" | "nc" | "ncat" | "scp" | "rsync" | "ssh" | "http" | "socat"
        ) {
            self.to_network(&all.taint, &address, &format!("`{base}`"), at, out);
        }
        if out.is_some() && !joined.trim().is_empty() && self.shell.len() < MAX_SHELL {
            let start = self.tokens.get(at).map_or(0, Lexeme::at);
            let (line, column) = self.passage.place.position(start);
            self.shell.push(Passage {
                language: if self.passage.language == Language::Batch {
                    Language::Batch
                } else {
                    Language::Shell
                },
                text: Cow::Owned(joined.clone()),
                place: Place::Fixed { line, column },
                ..self.passage.clone()
            });
        }
        let mut result = Taint::default();
        if joined.contains("curl ") || joined.contains("wget ") {
            result.add(&Taint::remote(address));
        }
        if matches!(joined.trim(), "env" | "printenv" | "set" | "export -p") {
            result.add(&Taint::environment());
        }
        result.add(&printed_by(&joined));
        for word in joined.split_whitespace() {
            result.add(&Taint::of_file(word));
        }
        result
    }

    /// Text is run as code.
    pub(super) fn evaluate(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, shown, receiver, at, ranges } = call;
        let Given { all, address, arguments } = given;
        let mut result = Value::default();
        // A module under another name.
        if callee.ends_with("import_module") && all.texts.len() == 1 {
            result.alias = Some(all.text());
        }
        // setTimeout(() => …), new Promise(resolve => setTimeout(resolve, …)): a function, not a text.
        let function = ranges.first().is_some_and(|range| {
            self.name_at(range.start) == Some("function")
                || self.is_op(at.saturating_sub(1), '>')
                    && self.is_op(at.saturating_sub(2), '=')
                    && self.name_at(range.start).is_some_and(|name| {
                        matches!(name, "resolve" | "reject" | "done")
                            && self.name_at(at.saturating_sub(3)) == Some(name)
                    })
                || range.clone().any(|i| self.is_op(i, '=') && self.is_op(i + 1, '>'))
        });
        if matches!(callee, "setTimeout" | "setInterval" | "setImmediate") && function {
            return result;
        }
        if matches!(callee, "require" | "do") && all.texts.iter().any(|text| !text.contains('/')) {
            return result;
        }
        // setTimeout(resolve, delay): how long it waits is not run, nor is what a promise is fulfilled by.
        let timer = matches!(callee, "setTimeout" | "setInterval" | "setImmediate");
        if timer && ranges.first().is_some_and(|range| self.fulfils(range)) {
            return result;
        }
        let mut taint = match arguments.first() {
            Some(first) if timer => first.taint.clone(),
            _ => all.taint.clone(),
        };
        // redis.eval(lua, …): the client is no code. spec.loader.exec_module(module): what is loaded is.
        if callee.rsplit_once('.').is_none_or(|(_, method)| method != "eval") {
            taint.add(&receiver.taint);
        }
        self.add_saved(&all, world, &mut taint);
        // import.meta.url.replace("file://", ""): a place on this machine.
        if let Some(address) =
            address.filter(|address| !address.starts_with("file:")).filter(|_| {
                matches!(callee, "include" | "require" | "require_once" | "include_once" | "import")
                    || callee.contains("URLClassLoader")
            })
        {
            taint.add(&Taint::remote(address));
        }
        if callee == "import" && all.texts.iter().any(|text| text.starts_with("data:")) {
            taint.add(&Taint::decoded("a data address"));
        }
        self.to_interpreter(&taint, shown, at, out);
        if !matches!(
            callee,
            "include" | "require" | "do" | "require_once" | "include_once" | "import" | "assert"
        ) {
            self.evaluated(&all, at, out);
            // new Function(item.expr): a value of a settings file, by its key.
            for name in &all.names {
                let key = name.split_once('.').map(|_| name.rsplit('.').next().unwrap_or(name));
                for text in key.and_then(|key| world.settings.get(key)).into_iter().flatten() {
                    let code = Value { texts: vec![text.clone()], ..Value::default() };
                    self.evaluated(&code, at, out);
                }
            }
        }
        result
    }

    /// Whether a name is the function that a promise is given to be fulfilled by: `new Promise((resolve) => …)`.
    fn fulfils(&self, range: &Range<usize>) -> bool {
        const BACK: usize = 24;
        let Some(name) = self.name_at(range.start).filter(|_| range.len() == 1) else {
            return false;
        };
        let promise = (range.start.saturating_sub(BACK)..range.start)
            .rev()
            .find(|i| self.name_at(*i) == Some("Promise") && self.is_op(*i + 1, '('));
        let is_parameter = |i: usize| {
            self.name_at(i) == Some(name)
                && (self.is_op(i + 1, '=') && self.is_op(i + 2, '>')
                    || matches!(self.token(i + 1), Some(Token::Op(',' | ')'))))
        };
        // The parameters stand right behind: `(resolve`, `((resolve, reject`, `(function (resolve`, `(async resolve`.
        const NEAR: usize = 6;
        promise.is_some_and(|promise| (promise + 2..promise + 2 + NEAR).any(is_parameter))
    }

    /// `runpy.run_path("/tmp/x.py")`: what was saved there before.
    #[inline(never)]
    pub(super) fn add_saved(&self, all: &Value, world: &World, taint: &mut Taint) {
        for text in all.texts.iter().filter(|text| text.contains(['/', '.', '\\'])) {
            let saved = [self.variables.get(text.as_str()), world.saved.get(text.as_str())];
            for saved in saved.into_iter().flatten() {
                taint.add(saved);
            }
        }
    }

    /// Code that is known by its text is followed as code.
    fn evaluated(&mut self, code: &Value, at: usize, out: &Out<'_, '_, '_>) {
        const SHORTEST: usize = 12;
        let text = code.text();
        if out.is_some()
            && text.len() >= SHORTEST
            && text.contains('(')
            && self.shell.len() < MAX_SHELL
        {
            let start = self.tokens.get(at).map_or(0, Lexeme::at);
            let (line, column) = self.passage.place.position(start);
            self.shell.push(Passage {
                text: Cow::Owned(text),
                place: Place::Fixed { line, column },
                ..self.passage.clone()
            });
        }
    }

    /// Something is decoded.
    pub(super) fn decode(
        &mut self,
        call: Call<'_>,
        given: Given,
        how: &'static str,
        _world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, shown, ranges, receiver, at } = call;
        let Given { all, .. } = given;
        let mut result = Value::default();
        result.taint.add(&all.taint);
        result.taint.add(&receiver.taint);
        let text = all.text();
        let real = match callee {
            "codecs.decode" => {
                text.contains("rot") || text.contains("hex") || text.contains("base64")
            }
            name if name.ends_with("unpack1") || name.ends_with("unpack") => {
                let script = matches!(
                    self.passage.language,
                    Language::Ruby | Language::Perl | Language::Php
                );
                script && all.texts.iter().any(|t| t.starts_with(['m', 'u']) && t.len() < 4)
            }
            // What is packed as base64 is hidden, not shown.
            name if name.ends_with("pack") => {
                matches!(self.passage.language, Language::Ruby | Language::Perl | Language::Php)
                    && all
                        .texts
                        .iter()
                        .any(|t| t.len() < 6 && t.starts_with(['H', 'h', 'c', 'C', 'U', 'W']))
            }
            "string.char" | "String.fromCharCode" => {
                ranges.len() > 3
                    || ranges.iter().any(|r| r.len() > 6)
                    || all.names.iter().any(|n| n.contains("apply"))
            }
            _ => true,
        };
        if real {
            result.taint.add(&Taint::decoded(how));
            result
                .texts
                .extend(all.texts.iter().chain(&receiver.texts).find_map(|t| readable(t, how)));
            // 'QWER'.translate(table): the text itself is no longer what it says.
            result.folded = how == "translation" && !receiver.texts.is_empty();
        }
        if how == "marshal" && (all.taint.decoded.is_some() || all.taint.remote.is_some()) {
            self.to_interpreter(&result.taint, shown, at, out);
        }
        result
    }

    /// A shell whose input or output is a network connection.
    pub(super) fn shell_on_connection(&self, at: usize, out: &mut Out<'_, '_, '_>) {
        let found = Match::new(
            &rules::REVERSE_SHELL,
            Severity::Critical,
            "a shell is connected to a network connection",
        )
        .with(crate::scan::finding::Flow::new("a shell", "a network connection"));
        self.report(at, Some(found), out);
    }
}
