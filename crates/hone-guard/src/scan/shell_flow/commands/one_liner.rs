//! Programs of other languages inside a pipe: what `python -c '…'` prints, what it does with its input,
//! what it leaves in files. What they do by themselves is looked at as code.

use super::call::Call;
use crate::scan::destination::addresses;
use crate::scan::flow;
use crate::scan::kind::{Language, of_interpreter};
use crate::scan::shell_flow::{Taint, Walk};
use std::ops::Range;

/// Bytes of a program that are looked at.
const MAX_PROGRAM: usize = 16 * 1024;

/// The whole environment, and what follows where only one variable of it is meant.
#[rustfmt::skip]
const ENVIRONMENTS: &[(&str, &[&str])] = &[
    ("os.environ", &["[", ".get(", ".pop(", ".setdefault(", " ["]),
    ("process.env", &[".", "[", "?."]),
    ("%ENV", &[]),
    ("ENV", &["[", ".fetch", ".key", "IRON[", "{", "_", ".delete", ".include", ".has"]),
    ("in ENVIRON", &[]),
    ("getenv()", &[]),
    ("$_ENV", &["["]),
    ("$_SERVER", &["["]),
    ("Deno.env.toObject", &[]),
];

/// How a text comes from the network.
#[rustfmt::skip]
const FETCHES: &[&str] = &[
    "urlopen(", "requests.get(", "httpx.get(", "urlretrieve(", "fetch(", "http.get(", "https.get(", "axios.get(", "getprint", "getstore", "LWP::Simple", "get(\"http",
    "get('http", "get \"http", "->get(", "URI.open", "open(\"http", "open('http", "Net::HTTP.get", "readfile(", "file_get_contents(", "HTTP::Tiny", "curl_exec", "copy(\"http",
    "copy('http", "HTTPConnection", "URI.parse",
];

/// How an encoded text is made readable.
#[rustfmt::skip]
const DECODES: &[&str] = &[
    "b64decode", "b32decode", "b85decode", "a85decode", "b16decode", "decodebytes", "decode_base64", "pack(\"H", "pack('H", "pack \"H", "pack q", "unpack1(\"m", "unpack1('m",
    "unpack(\"m", "unpack('m", "unpack(\"u", "unpack('u", "decode64(", "'base64')", "\"base64\")", "'hex')", "\"hex\")", "atob(", "base64_decode(", "hex2bin(", "fromhex(",
    "unhexlify(", "codecs.decode(", "rot13", "decompress(", "gzinflate(", "gzuncompress(", "gunzipSync(", "inflateSync(", "fromCharCode(", "[::-1]", ".reverse", "strrev(",
    "chr(", "pack(\"C", "pack('C", "\"%c\"",
];

/// How the input is read.
#[rustfmt::skip]
const INPUTS: &[&str] = &[
    "sys.stdin", "stdin.read", "STDIN", "process.stdin", "readFileSync(0", "/dev/stdin", "php://stdin", "input()", "fileinput", "$<", "ARGF", "gets", "<>", "$stdin", "io.read",
    "Deno.stdin", "Bun.stdin",
];

/// How something is sent.
#[rustfmt::skip]
const SENDS: &[&str] = &[
    "urlopen(", "requests.", "httpx.", "urllib", "HTTPConnection", "HTTPSConnection", "create_connection", "socket", "Socket", "sendall", "fetch(", "axios", "http.request",
    "https.request", "net.connect", "LWP", "HTTP::Tiny", "Net::HTTP", "Faraday", "curl_exec", "curl_setopt", "fsockopen", "stream_context_create", "smtplib", "ftplib",
];

/// What makes a connection.
#[rustfmt::skip]
const CONNECTIONS: &[&str] = &[
    "socket.socket", "socket(", "TCPSocket", "fsockopen(", "net.connect", "net.Socket", "createConnection", "IO::Socket", "require(\"socket\")", "require('socket')",
    "create_connection(", "PF_INET",
];

/// What ties a shell to it.
#[rustfmt::skip]
const SHELLS: &[&str] = &[
    "\"sh", "'sh", "/bin/sh", "/bin/bash", "\"bash", "'bash", "cmd.exe", "powershell", "pty.spawn", "io.popen(", "qx(", "popen(", "subprocess", "exec(", "system(",
];
#[rustfmt::skip]
const TIES: &[&str] = &[
    "dup2(", ">&S", ">&$", ">&%d", "<&3", "<&%d", ".pipe(", "fdopen", "STDIN->fdopen", "popen(", "receive(", "recv(", "proc_open(", "check_output(", "readline",
];

/// What a program prints, as far as its words say.
pub(super) fn printed(code: &str) -> Taint {
    let code = &code[..crate::scan::text::floor(code, code.len().min(MAX_PROGRAM))];
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let mut taint = Taint::default();
    let whole = ENVIRONMENTS.iter().any(|(name, single)| {
        code.match_indices(name).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let after = &code[at + name.len()..];
            before.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$'))
                && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                && !single.iter().any(|way| after.starts_with(way))
        })
    });
    if whole {
        taint.add(&Taint::environment());
    }
    for text in quoted(code) {
        if text.contains(['/', '.']) && !text.contains("://") {
            taint.add(&Taint::of_file(text));
        }
    }
    if has(FETCHES)
        && let Some(address) = addresses(code).first()
    {
        taint.add(&Taint::remote(address.url));
    }
    if has(DECODES) {
        taint.add(&Taint::decoded("a program"));
    }
    taint
}

/// The texts in quotation marks.
fn quoted(code: &str) -> impl Iterator<Item = &str> {
    let texts = |mark: char| code.split(mark).skip(1).step_by(2);
    texts('"').chain(texts('\'')).filter(|text| text.len() < 200)
}

/// The host that a program connects to: an address, or a name in quotation marks.
fn host_of(code: &str) -> String {
    if let Some(address) = addresses(code).first() {
        return address.url.to_owned();
    }
    let is_host = |text: &&str| {
        text.contains('.')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
            && !text.starts_with('.')
    };
    quoted(code).find(is_host).map(|host| format!("tcp://{host}")).unwrap_or_default()
}

impl Walk<'_, '_, '_> {
    /// What a program in a pipe gives out; what it sends of its input is found.
    pub(super) fn one_liner(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
    ) -> Taint {
        let name = call.name.rsplit('/').next().unwrap_or(&call.name);
        let code = match of_interpreter(name) {
            None | Some(Language::Shell | Language::Fish | Language::Make | Language::Batch) => {
                return Taint::default();
            }
            Some(_) => {
                let option = call.arguments.iter().position(|argument| {
                    let text = argument.text.as_str();
                    matches!(text, "--eval" | "--print" | "eval" | "-Command" | "-command")
                        || text.starts_with('-')
                            && !text.starts_with("--")
                            && text.ends_with(['c', 'e', 'r', 'p', 'E', 'n'])
                            && !text.starts_with("-M")
                            && !text.starts_with("-I")
                            && (!text.starts_with("-r") || text == "-r")
                });
                match option.and_then(|at| call.arguments.get(at + 1)) {
                    Some(code) => code.text.clone(),
                    None if call.plain().all(|a| a.text == "-") => input_text.to_owned(),
                    None => String::new(),
                }
            }
        };
        if call.has(&["-m"])
            && call.has(&["base64", "binascii", "uu", "quopri"])
            && call.has(&["-d"])
        {
            return Taint::decoded("base64");
        }
        if code.is_empty() || code.len() > MAX_PROGRAM {
            return Taint::default();
        }
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if has(INPUTS) && has(SENDS) {
            let via = format!("`{name}`");
            let to = host_of(&code);
            let found = flow::to_network(input, &to, &via, self.passage.context, self.skill);
            self.report_some(at, found);
        }
        if has(CONNECTIONS) && has(SHELLS) && has(TIES) {
            let to = host_of(&code);
            self.shell_to(&to, at);
        }
        let taint = printed(&code);
        // urlretrieve("https://…", "/tmp/x")
        if taint.remote.is_some() {
            let paths: Vec<String> = quoted(&code)
                .filter(|text| text.starts_with(['/', '~', '.']) && text.len() > 2)
                .map(str::to_owned)
                .take(4)
                .collect();
            for path in paths {
                self.write(&path, "", &Taint { decoded: None, ..taint.clone() }, at);
            }
        }
        taint
    }
}
