//! `curl` and its kin, and raw connections: what goes out, what comes in, where it is saved.

use super::call::{Call, call_address};
use crate::scan::destination::{Class, classify, host};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::{self};
use crate::scan::rules;
use crate::scan::shell_flow::{Taint, Value, Walk};
use std::ops::Range;

impl Walk<'_, '_, '_> {
    /// `curl`, `wget` and their kin.
    pub(super) fn transfer(&mut self, call: &Call, input: &Taint, at: &Range<usize>) -> Taint {
        let mut address = String::new();
        let mut sent = Taint::default();
        let mut headers = Taint::default();
        let mut saved: Option<String> = None;
        let mut next = call.arguments.iter().peekable();
        let wget = call.name == "wget";
        let mut to_stdout = false;
        let mut directory: Option<String> = None;
        while let Some(argument) = next.next() {
            let (option, joined) = match argument.text.split_once('=') {
                Some((option, value)) if option.starts_with("--") => {
                    (option.to_owned(), Some(value.to_owned()))
                }
                _ => (argument.text.clone(), None),
            };
            // aria2c -d folder -o file
            if call.name == "aria2c" && matches!(option.as_str(), "-d" | "--dir") {
                directory = joined.or_else(|| next.next().map(|value| value.text.clone()));
                continue;
            }
            // Those take no value where curl's take one.
            let pie = matches!(call.name.as_str(), "http" | "https" | "xh" | "xhs" | "httpie");
            if pie
                && matches!(option.as_str(), "-d" | "-b" | "-f" | "-F" | "-h" | "-v" | "-j" | "-m")
            {
                continue;
            }
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
                    if matches!(value.text.as_str(), "-" | "." | "/dev/stdin") {
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
                "-P" | "--directory-prefix" if wget => directory = Some(take().text),
                "--output-dir" => directory = Some(take().text),
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
                        if wget && option.ends_with('P') {
                            directory = Some(take().text);
                        } else if wget && option.contains('O') {
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
                            if matches!(value.text.as_str(), "-" | "." | "/dev/stdin") {
                                sent.add(input);
                            }
                            sent.add(&self.file(&value.text));
                            sent.add(&value.taint);
                        } else if !wget && option.ends_with("T-") {
                            sent.add(input);
                        }
                    }
                }
                _ => {
                    // An address, or the method and fields of httpie.
                    let is_address = argument.text.contains("://")
                        || argument.text.contains('.') && argument.text.contains('/')
                        || argument.text.starts_with('$')
                        || address.is_empty()
                            && (argument.text.contains('.') || is_numbered(&argument.text));
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
        // httpie sends what is piped into it.
        if matches!(call.name.as_str(), "http" | "https" | "xh" | "xhs" | "httpie" | "curlie")
            && !call.arguments.iter().any(|a| a.text == "--ignore-stdin")
        {
            sent.add(input);
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
        all.keys.add(&headers.keys);
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
                    let last = address.rsplit('/').next().unwrap_or_default();
                    let file = last.split('?').next().unwrap_or_default();
                    match directory {
                        Some(directory) => format!("{}/{file}", directory.trim_end_matches('/')),
                        None => file.to_owned(),
                    }
                } else {
                    match directory.filter(|_| call.name == "aria2c") {
                        Some(directory) => format!("{}/{path}", directory.trim_end_matches('/')),
                        None => path,
                    }
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
    pub(super) fn body(&self, value: &Value, input: &Taint, sent: &mut Taint) {
        sent.add(&value.taint);
        if let Some(path) = value
            .text
            .strip_prefix('@')
            .or_else(|| value.text.strip_prefix('<').filter(|rest| !rest.starts_with('(')))
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
    pub(super) fn connect(&mut self, call: &Call, input: &Taint, at: &Range<usize>) {
        let text = call.text();
        let address = call_address(call);
        let input = &self.by_socat(call, input, &address, at);
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '/' || c == '.'));
        let shell = words
            .filter_map(|word| word.rsplit('/').next())
            .any(|word| matches!(word, "sh" | "zsh" | "ash" | "dash" | "ksh" | "fish" | "csh"))
            || [
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
        let source = self.source;
        let shell_on_pipe = *self.shell_on_pipe.get_or_init(|| {
            (source.contains("mkfifo") || source.contains("mknod"))
                && [
                    "sh -i",
                    "bash -i",
                    "/bin/sh",
                    "/bin/bash",
                    "| sh",
                    "|sh",
                    "| bash",
                    "bash <",
                    "sh <",
                ]
                .iter()
                .any(|shell| source.contains(shell))
        });
        if shell_on_pipe {
            self.shell_to(&address, at);
        }
    }

    /// `socat FILE:path TCP:host:port`, `socat TCP:host:port CREATE:path`: the files at its ends.
    fn by_socat(&mut self, call: &Call, input: &Taint, address: &str, at: &Range<usize>) -> Taint {
        let mut sent = input.clone();
        let ends: Vec<(String, String)> = call
            .plain()
            .filter_map(|argument| argument.text.split_once(':'))
            .map(|(kind, path)| (kind.to_ascii_uppercase(), path.to_owned()))
            .filter(|(kind, _)| {
                matches!(kind.as_str(), "FILE" | "OPEN" | "GOPEN" | "CREATE" | "CREAT" | "PIPE")
            })
            .collect();
        for (kind, path) in ends {
            let path = path.split(',').next().unwrap_or(&path).to_owned();
            sent.add(&self.file(&path));
            if kind != "FILE" {
                self.write(&path, "", &Taint::remote(address), at);
            }
        }
        sent
    }

    pub(super) fn shell_to(&mut self, address: &str, at: &Range<usize>) {
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
}

/// Whether an address without a scheme begins with a host that is written as one number: `0xc6133a21:8090/x`.
fn is_numbered(address: &str) -> bool {
    address.starts_with(|c: char| c.is_ascii_digit())
        && classify(&format!("http://{address}")) == Class::Address
}
