//! Calls that reach out: requests, connections, downloads, lookups of names.

use super::calls::{Call, Given};
use super::expression::Value;
use super::{Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::Lexeme;
use crate::scan::code::tables::{Meaning, php};
use crate::scan::destination::{Class, classify};
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::flow::{Taint, is_key_name};
use crate::scan::kind::Language;
use crate::scan::rules;
use std::ops::Range;

/// Methods of texts, lists and tables that no client of a service has: whatever holds something of a connection,
/// these send nothing.
#[rustfmt::skip]
const COLLECTIONS: [&str; 48] = [
    "pop", "shift", "unshift", "extend", "clear", "sort", "reverse", "filter",
    "map", "reduce", "foreach", "some", "every", "find", "findindex", "indexof", "includes", "slice", "splice", "concat", "flat",
    "flatmap", "join", "split", "splitlines", "strip", "trim", "startswith", "endswith", "replace", "replaceall", "match", "tostring", "lower",
    "upper", "tolowercase", "touppercase", "format", "encode", "decode", "items", "keys", "values", "entries", "setdefault", "has", "count", "then",
];

/// Whether a method gives what a connection was asked for, which is not the connection itself.
pub(super) fn is_answered(method: &str) -> bool {
    const ASKS: [&str; 10] =
        ["get", "fetch", "read", "recv", "list", "find", "query", "search", "load", "json"];
    const OPENS: [&str; 8] =
        ["conn", "client", "session", "channel", "stream", "socket", "writer", "transport"];
    let method = method.to_ascii_lowercase();
    let starts = ASKS.iter().any(|ask| method.starts_with(ask));
    starts && !OPENS.iter().any(|word| method.contains(word))
        || COLLECTIONS.contains(&method.as_str())
}

/// What programs take out of a browser's jar of cookies.
const COOKIES: &str = "browser cookies";

impl Unit<'_> {
    /// A request: what it carries goes out, what it gives comes from there.
    pub(super) fn transfer(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { callee, shown, ranges, receiver, at } = call;
        let Given { arguments, all, address } = given;
        let mut result = Value::default();
        if receiver.taint.connection.is_none() && self.is_route(&arguments, ranges) {
            return result;
        }
        // PHP reads a path as it reads an address.
        let local = address.is_none()
            && self.passage.language == Language::Php
            && (callee == "file_get_contents" || php(callee) == Some(Meaning::Fetch));
        if local {
            self.add_saved(&all, world, &mut result.taint);
            result.taint.add(&all.taint);
            result.texts.clone_from(&all.texts);
        } else {
            let to = address
                .clone()
                .or_else(|| receiver.taint.connection.clone())
                .or_else(|| receiver.host().map(str::to_owned))
                .or_else(|| self.unquoted_address(at))
                .unwrap_or_default();
            let known = self.meaning(callee) == Some(Meaning::Fetch)
                || !callee.starts_with('?')
                    && callee.contains('.')
                    && !matches!(
                        callee.rsplit('.').next(),
                        Some("put" | "send" | "emit" | "publish" | "request")
                    )
                || !to.is_empty();
            // What a session was given before goes with every request.
            let mut sent = all.taint.clone();
            if receiver.taint.connection.is_some() {
                sent.environment |= receiver.taint.environment;
                sent.secrets.extend(&receiver.taint.secrets);
            }
            if self.in_jar(ranges, &arguments, &to) {
                sent.secrets.remove(COOKIES);
            }
            // $text | curl.exe -d '@-' …
            if self.passage.language == Language::PowerShell {
                sent.add(&receiver.taint.carried());
            }
            if known || sent.environment || !sent.secrets.is_empty() {
                self.to_network(&sent, &to, &format!("`{shown}`"), at, out);
            }
            // jobs.put(x): what a queue holds is got from it elsewhere.
            if let (false, Some(holder)) = (known, receiver.names.first()) {
                self.gain(&holder.clone(), &all.taint, world);
            }
            result.taint = Taint::remote(to.clone());
            if to.contains("169.254.169.254")
                || to.contains("169.254.170.2")
                || to.contains("metadata.google.internal")
            {
                result.taint = Taint::secret("cloud credentials");
            }
            if callee.ends_with("Request")
                || callee == "stream_context_create"
                || callee.starts_with("curl_setopt")
            {
                // Built here, sent elsewhere: it carries what it was built from.
                result.taint.add(&all.taint);
                result.texts.extend(address.iter().cloned());
                result.taint.remote = None;
            }
            if let Some(handle) = ranges
                .first()
                .filter(|_| callee.starts_with("curl_setopt"))
                .and_then(|r| self.name_at(r.start).map(str::to_owned))
            {
                self.gain(&handle, &all.taint, world);
                if let Some(address) = &address {
                    self.texts.entry(handle).or_insert_with(|| vec![address.clone()]);
                }
            }
            // PowerShell: -OutFile path
            if let Some(file) = arguments.iter().zip(ranges).find(|(_, range)| {
                self.name_at(range.start).is_some_and(|n| {
                    n.eq_ignore_ascii_case("OutFile") || n.eq_ignore_ascii_case("o")
                })
            }) {
                let taint = Taint::remote(to);
                for name in file.0.names.clone().into_iter().chain(file.0.texts.clone()) {
                    self.gain(&name, &taint, world);
                }
            }
        }
        result
    }

    /// `requests.get(url, cookies=jar)`: of a browser's cookies a host gets its own. Where a stranger's address is
    /// known, and where they are given in another way, it is as with any other secret.
    fn in_jar(&self, ranges: &[Range<usize>], arguments: &[Value], to: &str) -> bool {
        let is_jar = |range: &Range<usize>| {
            self.passage.language == Language::Python
                && self.name_at(range.start) == Some("cookies")
                && self.is_op(range.start + 1, '=')
        };
        let mut given =
            arguments.iter().zip(ranges).filter(|(value, _)| value.taint.secrets.contains(COOKIES));
        // A pattern that finds addresses is none.
        let is_unknown = to.is_empty() || to.contains(['[', '\\', '(']);
        (is_unknown || classify(to) == Class::Service)
            && given.next().is_some_and(|(_, range)| is_jar(range))
            && given.all(|(_, range)| is_jar(range))
    }

    /// `app.post("/hook", (request, response) => …)`: a server is told what answers at a path. Nothing is sent, and
    /// what the function does is looked at where it stands.
    fn is_route(&self, arguments: &[Value], ranges: &[Range<usize>]) -> bool {
        let is_path = |value: &Value| value.texts.first().is_some_and(|text| text.starts_with('/'));
        let is_function = |range: &Range<usize>| {
            range.clone().any(|i| {
                self.is_op(i, '=') && self.is_op(i + 1, '>') || self.name_at(i) == Some("function")
            })
        };
        self.passage.language == Language::JavaScript
            && arguments.first().is_some_and(is_path)
            && ranges.iter().skip(1).any(is_function)
    }

    /// The address that a command of `PowerShell` is given without quotes and scheme: `irm get.tool.dev/i`.
    fn unquoted_address(&self, at: usize) -> Option<String> {
        if self.passage.language != Language::PowerShell {
            return None;
        }
        let start = self.tokens.get(at).map_or(0, Lexeme::at);
        let line = self.passage.text.get(start..)?.split(['\n', '|', ';']).next()?;
        let word = line.split_whitespace().skip(1).find(|word| !word.starts_with('-'))?;
        let (host, _) = word.split_once('/')?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let is_host = host.chars().all(is_part) && host.trim_matches('.').contains('.');
        is_host.then(|| format!("https://{word}"))
    }

    /// A connection is opened.
    pub(super) fn connect(
        &mut self,
        call: Call<'_>,
        given: Given,
        _world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { shown, at, .. } = call;
        let Given { all, address, .. } = given;
        let mut result = Value::default();
        // socket.socket(socket.AF_UNIX, …): a file of this machine.
        if all.names.iter().any(|name| name.ends_with("AF_UNIX")) {
            return result;
        }
        let to = address.clone().unwrap_or_default();
        self.to_network(&all.taint, &to, &format!("`{shown}`"), at, out);
        result.taint.connection = Some(to.clone());
        result.taint.add(&Taint::remote(to.clone()));
        if !to.is_empty() {
            result.texts.push(to);
        }
        result
    }

    /// A client of a service is made. The keys it is made with are how it is used.
    pub(super) fn client(given: Given) -> Value {
        let to = given.address.unwrap_or_default();
        let mut result = Value::default();
        result.taint.connection = Some(to.clone());
        result.taint.remote = Some(to.clone());
        // Made around a message or a file: it carries that.
        if given.all.taint.environment {
            result.taint.environment = true;
        }
        if !to.is_empty() {
            result.texts.push(to);
        }
        result
    }

    /// Whatever a method of a connection is called: what it is given goes over the connection.
    pub(super) fn given_to_client(&self, call: Call<'_>, all: &Value, out: &mut Out<'_, '_, '_>) {
        // These take a key to open the connection with.
        const OPENS: [&str; 12] = [
            "connect", "login", "auth", "load", "verify", "cert", "tls", "key", "open", "config",
            "policy", "cred",
        ];
        let last = call.callee.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let Some(to) = &call.receiver.taint.connection else { return };
        // opener.open(address, data)
        let asks = last == "open" && all.address().is_some();
        // list.append(x), and not mailbox.append(folder, flags, date, x)
        let is_list = last == "append" && call.ranges.len() == 1 && call.ranges[0].len() == 1;
        if is_list || COLLECTIONS.contains(&last.as_str()) {
            return;
        }
        if !asks && OPENS.iter().any(|word| last.contains(word)) {
            return;
        }
        let mut taint = Taint { environment: all.taint.environment, ..Taint::default() };
        taint.secrets.extend(&all.taint.secrets);
        if !taint.is_clean() {
            let to = all.address().filter(|_| asks).unwrap_or(to);
            self.to_network(&taint, to, &format!("`{}`", call.shown), call.at, out);
        }
    }

    /// A file is fetched to a path.
    pub(super) fn download(
        &mut self,
        call: Call<'_>,
        given: Given,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { shown, at, .. } = call;
        let Given { arguments, all, address } = given;
        let mut result = Value::default();
        let to = address.unwrap_or_default();
        if !to.is_empty() {
            self.to_network(&all.taint, &to, &format!("`{shown}`"), at, out);
            let taint = Taint::remote(to);
            for argument in arguments.iter().skip(1) {
                for name in argument.names.iter().chain(&argument.texts) {
                    self.gain(name, &taint, world);
                }
            }
            result.taint = taint;
        }
        result
    }

    /// A name is looked up.
    pub(super) fn lookup(
        &mut self,
        call: Call<'_>,
        given: Given,
        _world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let Call { at, .. } = call;
        let Given { all, address, .. } = given;
        let result = Value::default();
        let to = address.unwrap_or_default();
        let mut taint = all.taint.clone();
        taint.keys.retain(is_key_name);
        let to = to.rsplit('}').next().unwrap_or_default().trim_start_matches('.').to_owned();
        if taint.keys.is_empty() {
            self.to_network(&taint, &to, "DNS names", at, out);
        } else {
            let flow = crate::scan::finding::Flow::new("a key", "DNS names").to(to);
            self.report(
                at,
                Some(
                    Match::new(
                        &rules::KEY_TO_FOREIGN_HOST,
                        Severity::Critical,
                        "a key is put into the names that are looked up",
                    )
                    .with(flow),
                ),
                out,
            );
        }
        result
    }
}
