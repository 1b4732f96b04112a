//! A command as it is called: its wrappers taken off, its options and arguments at hand.

use crate::scan::kind::of_interpreter;
use crate::scan::places::is_global;
use crate::scan::shell_flow::{Taint, Value};
use std::ops::Range;

/// A command with its wrappers taken off: `sudo -E env X=1 nohup curl …` is `curl`.
#[derive(Default)]
pub(in crate::scan::shell_flow) struct Call {
    pub(super) name: String,
    /// The name as it is written, with its folder.
    pub(super) written: String,
    pub(in crate::scan::shell_flow) arguments: Vec<Value>,
    pub(super) spans: Vec<Range<usize>>,
    /// Arguments come from the input: `xargs`.
    pub(super) from_input: bool,
    /// What stands for them: `xargs -I{}`.
    placeholder: String,
    pub(super) privileged: bool,
    /// It goes on when what started it ends.
    pub(super) detached: bool,
}

impl Call {
    pub(super) fn has(&self, options: &[&str]) -> bool {
        self.arguments.iter().any(|argument| {
            options.iter().any(|option| {
                argument.text == *option
                    || option.starts_with("--") && argument.text.split('=').next() == Some(option)
            })
        })
    }

    /// Whether a cluster of short options holds a letter.
    pub(super) fn has_letter(&self, letter: char) -> bool {
        self.arguments.iter().any(|argument| {
            argument.text.starts_with('-')
                && !argument.text.starts_with("--")
                && argument.text.contains(letter)
        })
    }

    pub(super) fn plain(&self) -> impl Iterator<Item = &Value> {
        self.arguments.iter().filter(|argument| !argument.text.starts_with('-'))
    }

    /// The value after an option, or after its `=`.
    pub(super) fn value_of(&self, options: &[&str]) -> Option<&Value> {
        let at =
            self.arguments.iter().position(|argument| options.contains(&argument.text.as_str()))?;
        self.arguments.get(at + 1)
    }

    pub(super) fn text(&self) -> String {
        self.arguments.iter().map(|argument| argument.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The file that is run: the program itself, or what an interpreter is given.
    pub(super) fn program(&self) -> String {
        let base = self.name.rsplit('/').next().unwrap_or(&self.name);
        if of_interpreter(base).is_some() {
            self.plain().next().map(|file| file.text.clone()).unwrap_or_default()
        } else {
            self.name.clone()
        }
    }

    /// The arguments after the one that names the file being run.
    pub(in crate::scan::shell_flow) fn after(&self, path: &str) -> &[Value] {
        let from = self.arguments.iter().position(|a| a.text == path).map_or(0, |at| at + 1);
        &self.arguments[from..]
    }

    /// Gives `xargs` and its kin the arguments that come from the input.
    pub(super) fn take_input(&mut self, input: &Taint, text: &str) {
        if !self.from_input {
            return;
        }
        let lines = || text.lines().flat_map(str::split_whitespace).take(MAX_GIVEN);
        if self.placeholder.is_empty() {
            let given = lines().map(|line| Value { text: line.to_owned(), taint: input.clone() });
            self.arguments.extend(given);
            if text.is_empty() && !input.is_clean() {
                self.arguments.push(Value { text: String::new(), taint: input.clone() });
            }
            return;
        }
        let first =
            crate::scan::shell_flow::compound::telling(lines().map(str::to_owned).collect());
        for argument in &mut self.arguments {
            if argument.text.contains(&self.placeholder) {
                let unknown = if argument.text == self.placeholder { "" } else { "$()" };
                let given = if first.is_empty() { unknown } else { first.as_str() };
                argument.text = argument.text.replace(&self.placeholder, given);
                argument.taint.add(input);
            }
        }
    }

    pub(super) fn taint(&self) -> Taint {
        let mut taint = Taint::default();
        for argument in &self.arguments {
            taint.add(&argument.taint);
        }
        taint
    }
}

/// Words of an input that `xargs` is taken to hand on.
pub(in crate::scan::shell_flow) const MAX_GIVEN: usize = 16;

/// Whether a command makes something readable, and how.
pub(super) fn decodes(call: &Call) -> Option<&'static str> {
    let text = call.text();
    match call.name.as_str() {
        "base64" | "base32" | "basenc" | "base58" | "base91" | "ascii85" | "gbase64"
            if call.has(&["-d", "-D", "--decode", "-di", "-id"]) =>
        {
            Some("base64")
        }
        "openssl"
            if call.has(&["-d", "-decrypt", "-D"])
                || text.contains("enc") && text.contains("-d") =>
        {
            Some("openssl")
        }
        "xxd" if call.has_letter('r') => Some("hexadecimal"),
        "uudecode" => Some("uuencode"),
        "hex2bin" => Some("hexadecimal"),
        "atob" => Some("base64"),
        "age" | "rage" | "ccrypt" | "mcrypt"
            if call.has_letter('d') || call.has(&["--decrypt"]) =>
        {
            Some("decryption")
        }
        "ccat" => Some("decryption"),
        "gunzip" | "zcat" | "zstdcat" | "unzstd" | "lz4cat" | "lzcat" | "xzcat" | "bzcat"
        | "bunzip2" | "unxz" | "unpigz" | "gzcat" | "uncompress" => Some("gzip"),
        "gzip" | "bzip2" | "xz" | "zstd" | "lz4" | "lzma" | "brotli" | "pigz" | "zlib-flate"
            if call.has_letter('d') || call.has(&["--decompress", "-uncompress"]) =>
        {
            Some("gzip")
        }
        "rev" => Some("reversal"),
        "tr" if text.len() >= 10
            && (text.contains("n-za-m")
                || text.contains("N-ZA-M")
                || text.to_ascii_lowercase().contains("a-z") && text.matches('-').count() >= 3) =>
        {
            Some("rot13")
        }
        "gpg" | "gpg2" if text.contains("-d") || text.contains("--decrypt") => Some("decryption"),
        _ => None,
    }
}

pub(in crate::scan::shell_flow) fn octal_escapes(text: &str) -> usize {
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

/// Whether `find` is given names that only secrets have.
pub(super) fn looks_for_secrets(call: &Call) -> bool {
    const NAMES: [&str; 14] = [
        "id_rsa",
        "id_*",
        "id_ed25519",
        "*.pem",
        "*.key",
        "*.kdbx",
        "*.ovpn",
        "*.p12",
        "*.pfx",
        "*.env",
        ".env*",
        "wallet.dat",
        "*credentials*",
        "*.keystore",
    ];
    // grep -rl 'PRIVATE KEY' ~
    const CONTENTS: [&str; 6] = ["PRIVATE KEY", "AKIA", "ghp_", "sk-ant", "BEGIN OPENSSH", "xox"];
    if matches!(call.name.as_str(), "grep" | "egrep" | "rg" | "ag" | "ack") {
        let text = call.text();
        return CONTENTS.iter().any(|content| text.contains(content))
            && call.plain().skip(1).any(|path| is_global(&path.text));
    }
    call.arguments.windows(2).any(|pair| {
        matches!(pair[0].text.as_str(), "-name" | "-iname" | "-path")
            && NAMES.contains(&pair[1].text.as_str())
    })
}

/// Where `nc host port` or `socat TCP:host:port` goes.
pub(super) fn call_address(call: &Call) -> String {
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

/// Whether a path is on another machine: `user@host:path`, `host.net:path`, `rsync://…`.
pub(super) fn is_remote(path: &str) -> bool {
    let host = path.split_once(':').map(|(host, _)| host);
    path.contains("://")
        || host.is_some_and(|host| {
            host.contains('@') || host.contains('.') && !host.contains(['/', '\\'])
        })
}

/// `user@host:path` and `host:path` as an address.
pub(super) fn remote_copy(text: &str) -> String {
    if text.contains("://") {
        return text.to_owned();
    }
    let host = text.rsplit('@').next().unwrap_or(text).split(':').next().unwrap_or_default();
    if host.contains('.') || host.contains('$') { format!("ssh://{host}") } else { String::new() }
}

/// Takes the wrappers off a command.
pub(super) fn unwrap(arguments: Vec<Value>, spans: Vec<Range<usize>>) -> Call {
    let mut call = Call { arguments, spans, ..Call::default() };
    for _ in 0..8 {
        let name = call.arguments.first().map(|a| a.text.clone()).unwrap_or_default();
        let base = name.rsplit('/').next().unwrap_or(&name).to_owned();
        call.detached |= matches!(base.as_str(), "nohup" | "setsid" | "daemonize");
        let second = call.arguments.get(1).map_or("", |a| a.text.as_str());
        let elsewhere = inside(&base, &call.arguments);
        let skip = match base.as_str() {
            // python -m pip install …
            name if second == "-m"
                && name.starts_with("python")
                && call
                    .arguments
                    .get(2)
                    .is_some_and(|a| matches!(a.text.as_str(), "pip" | "pipx" | "uv")) =>
            {
                1
            }
            // It says where a program is, and does not start it.
            "command" if second.starts_with("-v") || second.starts_with("-V") => break,
            "sudo" | "doas" => {
                call.privileged = true;
                let mut skip =
                    options_of(&call.arguments[1..], &["-u", "-g", "-h", "-p", "-C", "-U"]);
                // sudo EDITOR="tee -a" visudo
                while call.arguments.get(1 + skip).is_some_and(|a| is_assignment(&a.text)) {
                    skip += 1;
                }
                skip
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
            // start "" /b program
            "start" | "call" if call.arguments.len() > 1 => call.arguments[1..]
                .iter()
                .take_while(|a| a.text.is_empty() || a.text.starts_with('/') && a.text.len() < 6)
                .count(),
            "systemd-run" if call.arguments.len() > 1 => {
                options_of(&call.arguments[1..], &["-p", "-u", "-E", "-M", "-H"])
            }
            "nice" | "watch" if call.arguments.len() > 1 => {
                options_of(&call.arguments[1..], &["-n"])
            }
            "timeout" | "gtimeout" if call.arguments.len() > 2 => {
                options_of(&call.arguments[1..], &["-s", "-k"]) + 1
            }
            "arch" | "chroot" if call.arguments.len() > 2 => 1,
            // "$SHELL", $0: whichever shell that is.
            "$SHELL" | "$BASH" | "$0" | "$SHELLS" => {
                "sh".clone_into(&mut call.arguments[0].text);
                continue;
            }
            "screen" if call.arguments.iter().any(|a| a.text.starts_with("-d")) => options_of(
                &call.arguments[1..],
                &["-S", "-dmS", "-c", "-t", "-T", "-h", "-s", "-L"],
            ),
            // docker exec -it box command, kubectl exec pod -- command
            _ if elsewhere.is_some() => elsewhere.unwrap_or(0),
            // tmux new-session -d 'command'
            "tmux" | "byobu" if second.starts_with("new") || second == "send-keys" => {
                let last = call.arguments.pop().unwrap_or_default();
                call.arguments.truncate(1);
                call.spans.truncate(2);
                "sh".clone_into(&mut call.arguments[0].text);
                call.arguments.push(Value { text: "-c".to_owned(), ..Value::default() });
                call.arguments.push(last);
                let span = call.spans.last().cloned().unwrap_or_default();
                call.spans.resize(call.arguments.len(), span);
                continue;
            }
            "start-stop-daemon" => {
                let exec =
                    |a: &Value| matches!(a.text.as_str(), "--exec" | "-x" | "--startas" | "-a");
                match call.arguments.iter().position(exec) {
                    Some(at) if at + 1 < call.arguments.len() => at,
                    _ => break,
                }
            }
            "daemonize" | "daemon" if call.arguments.len() > 1 => {
                options_of(&call.arguments[1..], &["-p", "-l", "-o", "-e", "-c", "-u", "-E"])
            }
            "pkexec" | "gosu" | "su-exec" | "runuser" | "unshare" | "nsenter" | "firejail"
            | "strace" | "ltrace" | "chrt" | "taskset" | "flock" | "dbus-run-session"
            | "xvfb-run" | "script" | "chpst" | "setpriv" | "prlimit" | "catchsegv" | "rlwrap"
            | "faketime" | "tsocks" | "proxychains4" | "env-cmd" | "dotenv" | "direnv"
            | "nix-shell" | "toolbox"
                if call.arguments.len() > 1
                    && !call.arguments.iter().any(|a| matches!(a.text.as_str(), "-c" | "-qc")) =>
            {
                let skip = options_of(&call.arguments[1..], &["-u", "-o", "-e", "-g", "-p"]);
                let more =
                    usize::from(matches!(base.as_str(), "gosu" | "su-exec" | "flock" | "taskset"));
                skip + more
            }
            name if name.starts_with("ld-linux") || name.starts_with("ld-musl") => {
                options_of(&call.arguments[1..], &["--library-path", "--preload"])
            }
            "xargs" if call.arguments.len() > 1 => {
                call.from_input = true;
                let joined = call.arguments.iter().find_map(|a| {
                    a.text.strip_prefix("-I").filter(|mark| !mark.is_empty()).map(str::to_owned)
                });
                let apart = call.value_of(&["-I"]).map(|mark| mark.text.clone());
                let old = call.arguments.iter().any(|a| a.text == "-i");
                let old = old.then(|| "{}".to_owned());
                call.placeholder = joined.or(apart).or(old).unwrap_or_default();
                options_of(&call.arguments[1..], &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"])
            }
            "parallel" if call.arguments.len() > 1 => {
                call.from_input = true;
                if call.arguments.iter().any(|a| a.text.contains("{}")) {
                    "{}".clone_into(&mut call.placeholder);
                }
                options_of(&call.arguments[1..], &["-j"])
            }
            "sg" | "su" | "runuser" | "script" | "flock"
                if call.arguments.iter().any(|a| a.text == "-c") =>
            {
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
    let mut first = first;
    // $(command -v podman || command -v docker)
    if let Some((line, _)) = first.text.split_once('\n').filter(|(line, _)| !line.contains(' ')) {
        let line = line.to_owned();
        first.text = line;
    }
    let base = first.text.rsplit('/').next().unwrap_or(&first.text);
    let system =
        ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"]
            .iter()
            .any(|folder| {
                first.text.starts_with(folder) && first.text.len() == folder.len() + base.len()
            });
    call.written.clone_from(&first.text);
    call.name = if system || of_interpreter(base).is_some() { base.to_owned() } else { first.text };
    call
}

/// Programs that run a command in another container, machine or namespace, with the words that do so and
/// the options that take a value.
const ELSEWHERE: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["docker", "podman", "nerdctl", "finch"],
        &["exec"],
        &["-e", "--env", "-u", "--user", "-w", "--workdir", "--env-file", "--detach-keys"],
    ),
    (
        &["docker-compose", "podman-compose"],
        &["exec", "run"],
        &["-e", "--env", "-u", "--user", "-w", "--workdir", "--index"],
    ),
    (
        &["lxc", "incus", "multipass", "limactl", "orb", "colima"],
        &["exec", "shell", "run"],
        &["--env", "--cwd"],
    ),
    (&["distrobox", "distrobox-enter", "toolbox"], &["enter", "run"], &["-n", "--name", "-c"]),
    (&["crictl", "ctr"], &["exec"], &["--exec-id", "-n"]),
    (&["machinectl"], &["shell"], &["-E", "--uid"]),
];

/// How many arguments stand before the command that such a program runs.
fn inside(name: &str, arguments: &[Value]) -> Option<usize> {
    let text = |at: usize| arguments.get(at).map_or("", |a| a.text.as_str());
    // kubectl exec pod -c box -- command; whatever runs what follows two dashes
    const DASHED: [&str; 18] = [
        "kubectl",
        "oc",
        "k3s",
        "microk8s",
        "minikube",
        "lxc",
        "incus",
        "limactl",
        "distrobox",
        "flatpak-spawn",
        "nomad",
        "heroku",
        "fly",
        "flyctl",
        "railway",
        "toolbox",
        "wsl",
        "bwrap",
    ];
    if DASHED.contains(&name)
        && let Some(at) = arguments.iter().position(|a| a.text == "--")
        && at + 1 < arguments.len()
    {
        return Some(at);
    }
    if matches!(name, "wsl" | "flatpak-spawn") && arguments.len() > 1 {
        let skip = options_of(&arguments[1..], &["-d", "-u", "--distribution", "--user"]);
        let skip = if matches!(text(1 + skip), "-e" | "--exec") { skip + 1 } else { skip };
        return (skip + 1 < arguments.len()).then_some(skip);
    }
    let (_, verbs, valued) = ELSEWHERE.iter().find(|(names, ..)| names.contains(&name))?;
    // docker compose exec box command, docker container exec box command
    let verb = 1 + usize::from(matches!(text(1), "compose" | "container" | "task"));
    if !verbs.contains(&text(verb)) {
        return None;
    }
    let skip = verb + options_of(&arguments[verb + 1..], valued) + 1;
    (skip + 1 < arguments.len()).then_some(skip)
}

/// `NAME=value` before a command.
fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
    })
}

/// How many of the first arguments are options, with the values of those that take one.
pub(super) fn options_of(arguments: &[Value], with_value: &[&str]) -> usize {
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

pub(super) fn is_global_or_log(path: &str) -> bool {
    is_global(path) || path.starts_with("/var/log") || path.contains("history")
}
