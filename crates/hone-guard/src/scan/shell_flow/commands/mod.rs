//! What commands mean: what they read, what they make of it, where it goes. Here it is told by its name which
//! meaning a command has; each meaning has its file. Of a program that is not known, what goes in may come out.

mod agent;
mod builtins;
mod call;
mod coders;
mod destroy;
mod echo;
mod environment;
mod filters;
mod git;
mod interpret;
mod move_data;
mod one_liner;
mod packages;
mod persist;
mod readers;
mod rights;
mod schedule;
mod senders;
mod suspicious;
mod transfer;

use std::ops::Range;

use super::{Taint, Value, Walk};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::printed_by;
use crate::scan::rules;
use crate::shell::{SimpleCommand, Word};
#[cfg(test)]
pub(super) use call::MAX_GIVEN;
pub(super) use call::{Call, octal_escapes};
use call::{call_address, unwrap};
#[cfg(test)]
pub(super) use readers::{MAX_SYSTEM_CALLS, system_calls};
#[cfg(test)]
pub(super) use senders::MAX_NAMED;

/// Words of a command that are told apart: each is kept with what it carries.
pub(super) const MAX_ARGUMENTS: usize = 64 * 1024;
/// Words of a command that a variable holds.
pub(super) const MAX_COMMAND_WORDS: usize = 16;

impl Walk<'_, '_, '_> {
    /// `$get "https://…"` whose variable holds a command and its options.
    fn split_command(&self, arguments: &mut Vec<Value>, spans: &mut Vec<Range<usize>>) {
        let bare = spans[0].clone();
        let is_bare = self.source.get(bare.clone()).is_some_and(|written| written.starts_with('$'));
        if arguments.len() < 2 || !is_bare || !arguments[0].text.contains(' ') {
            return;
        }
        let first = arguments.remove(0);
        spans.remove(0);
        let words: Vec<&str> = first.text.split_whitespace().take(MAX_COMMAND_WORDS).collect();
        for word in words.iter().rev() {
            arguments.insert(0, Value { text: (*word).to_owned(), taint: first.taint.clone() });
            spans.insert(0, bare.clone());
        }
    }

    /// What words carry that are not told apart.
    fn carried_by(&mut self, words: &[Word]) -> Value {
        let mut taint = Taint::default();
        for word in words {
            let value = self.word(word);
            taint.add(&value.taint);
            taint.add(&Taint::of_file(&value.text));
        }
        Value { text: String::new(), taint }
    }

    /// Runs a simple command in the mind; gives what it writes to its output, and that text where
    /// it is known.
    pub(super) fn run(
        &mut self,
        simple: &SimpleCommand,
        input: &Taint,
        input_text: &str,
    ) -> (Taint, String) {
        let mut arguments: Vec<Value> = Vec::new();
        let mut spans: Vec<Range<usize>> = Vec::new();
        let (words, more) = simple.words.split_at(simple.words.len().min(MAX_ARGUMENTS));
        for word in words {
            if let Some(values) = self.several(word) {
                spans.extend(values.iter().map(|_| word.span.clone()));
                arguments.extend(values);
            } else {
                arguments.push(self.word(word));
                spans.push(word.span.clone());
            }
        }
        if let Some(first) = more.first() {
            self.unfinished(first.span.start, "a command has too many words");
            arguments.push(self.carried_by(more));
            spans.push(first.span.clone());
        }
        if let Some(heard) = &mut self.heard
            && heard.span == simple.span
        {
            heard.words = Some(arguments.iter().map(|word| word.text.clone()).collect());
        }
        let at = simple.span.clone();
        self.check_built_name(simple, &arguments[0], &at);
        self.split_command(&mut arguments, &mut spans);
        if arguments[0].text.contains(' ') && arguments.len() == 1 {
            // `$cmd` that holds a whole command line.
            let text = std::mem::take(&mut arguments[0].text);
            let taint = arguments[0].taint.clone();
            let found = self.runs(&taint, "the shell");
            self.report_some(&at, found);
            return (self.nested(&text, at.start, input), String::new());
        }
        self.check_fetched_name(simple, &arguments[0], &at);
        let mut call = unwrap(arguments, spans);
        call.take_input(input, input_text);
        if let Some(bare) = call.name.strip_suffix(".exe") {
            call.name = bare.to_owned();
        }
        self.check_words(&call, &at);
        self.grants(&call, &at);
        // A function of the script's own is followed beside the program of its name, which runs
        // where the function was never declared.
        let own = self.called(&call.name, &call.arguments, input, at.start);
        let mut output = own.clone().unwrap_or_default();
        let mut text = String::new();
        let taint = call.taint();
        let name = call.name.as_str();
        match name {
            "echo" | "printf" | "print" => {
                self.echo(&call, &at, &mut output, &mut text);
            }
            "curl" | "wget" | "http" | "https" | "xh" | "aria2c" | "httpie" | "lynx" | "fetch"
            | "axel" | "w3m" | "curlie" | "hurl" | "wget2" => {
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
            | "zlib-flate" | "basenc" | "gpg2" | "age" | "rage" | "base58" | "base91"
            | "ascii85" | "zstd" | "zstdcat" | "unzstd" | "lz4" | "lz4cat" | "lzma" | "lzcat"
            | "xzcat" | "bzcat" | "bunzip2" | "unxz" | "brotli" | "pigz" | "unpigz"
            | "uuencode" | "btoa" | "atob" | "hex2bin" | "ccrypt" | "ccat" | "mcrypt"
            | "gbase64" | "gzcat" | "compress" | "uncompress" | "qrencode" => {
                self.code(&call, input, input_text, &at, &mut output, &mut text);
            }
            "env" | "printenv" | "set" | "export" | "declare" | "typeset" | "compgen" | "local"
            | "readonly" => {
                self.environment(&call, &at, &mut output, &mut text);
            }
            "expand" | "unexpand" | "fmt" | "pr" | "shuf" | "comm" | "join" | "col" | "colrm"
            | "dos2unix" | "vis" | "fgrep" | "zgrep" | "ack" | "ag" | "mawk" | "nawk" | "gsed"
            | "cpio" | "ar" | "look" | "ul" | "batcat" | "view" | "gron" | "dasel" | "xmllint"
            | "csvcut" | "mlr" | "fx" | "jc" | "ts" | "Out-File" | "locate" | "mdfind"
            | "plocate" | "cat" | "head" | "tail" | "less" | "more" | "strings" | "grep"
            | "egrep" | "rg" | "sed" | "awk" | "gawk" | "cut" | "sort" | "uniq" | "jq" | "yq"
            | "tac" | "nl" | "fold" | "xargs" | "paste" | "column" | "split" | "tee" | "dd"
            | "sqlite3" | "plutil" | "bat" | "wc" | "sponge" | "pv" | "tojson" | "iconv"
            | "find" | "ls" | "type" | "Get-Content" => {
                self.read_files(&call, input, input_text, &at, &mut output, &mut text);
            }
            "cp"
            | "mv"
            | "install"
            | "ln"
            | "rsync"
            | "ditto"
            | "tar"
            | "zip"
            | "7z"
            | "7za"
            | "rar"
            | "scp"
            | "sftp"
            | "rclone"
            | "aws"
            | "gsutil"
            | "gcloud"
            | "az"
            | "mc"
            | "s3cmd"
            | "azcopy"
            | "ftp"
            | "lftp"
            | "gh"
            | "croc"
            | "wormhole"
            | "mail"
            | "mailx"
            | "sendmail"
            | "mutt"
            | "swaks"
            | "msmtp"
            | "ssh"
            | "s3"
            | "b2"
            | "ipfs"
            | "osascript"
            | "security"
            | "secret-tool"
            | "pass"
            | "op"
            | "bw"
            | "kubectl"
            | "git"
            | "dig"
            | "nslookup"
            | "host"
            | "drill"
            | "ping"
            | "history"
            | "xclip"
            | "xsel"
            | "pbpaste"
            | "wl-paste"
            | "screencapture"
            | "scrot"
            | "unzip"
            | "ssh-keyscan"
            | "keyring"
            | "lpass"
            | "vault"
            | "heroku"
            | "doctl"
            | "vercel"
            | "drush"
            | "expect"
            | "docker-credential-desktop"
            | "docker-credential-osxkeychain"
            | "docker-credential-secretservice"
            | "cmdkey"
            | "vaultcmd"
            | "doppler"
            | "infisical"
            | "chamber"
            | "sops"
            | "ssh-add"
            | "certbot" => {
                output.add(&self.move_data(&call, input, input_text, &at));
            }
            // direnv: source_url URL hash
            "source_url" => {
                let from = call.plain().next().map(|a| a.text.clone()).unwrap_or_default();
                let checked =
                    call.plain().nth(1).is_some_and(|hash| hash.text.starts_with("sha256"));
                let addressed = from.contains("://");
                let found = self
                    .runs(&Taint::remote(from), "`source_url`")
                    .filter(|_| addressed && !checked);
                self.report_some(&at, found);
            }
            "useradd" | "adduser" | "usermod" | "dscl" | "net"
                if matches!(self.passage.context, Context::Script | Context::Hidden) =>
            {
                let all = call.text().to_ascii_lowercase();
                let made = matches!(name, "useradd" | "adduser" | "net" | "dscl" | "usermod")
                    && !all.contains("-r ");
                let admin =
                    ["sudo", "wheel", "administrators", " admin"].iter().any(|g| all.contains(g))
                        || call.value_of(&["-u", "--uid"]).is_some_and(|uid| uid.text == "0")
                        || call.value_of(&["-p", "--password"]).is_some() && all.ends_with(" root");
                if made && admin && (name != "net" || all.contains("/add")) {
                    let message = "an account that may do everything is made";
                    self.report(&at, Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message));
                }
            }
            "cloudflared" | "ngrok" | "bore" | "tmate" | "sshx" | "playit" | "localxpose"
                if matches!(self.passage.context, Context::Script | Context::Hidden) =>
            {
                let all = call.text();
                let shell = matches!(name, "tmate" | "sshx")
                    || ["ssh://", "tcp 22", "local 22", "tcp://localhost:22", ":22"]
                        .iter()
                        .any(|way| all.contains(way));
                if shell {
                    let message = "this machine is opened to others through a tunnel";
                    self.report(&at, Match::new(&rules::REVERSE_SHELL, Severity::Warn, message));
                }
            }
            // echo 'root:…' | chpasswd, usermod -p … root, passwd -d root, useradd -o -u 0 …
            "chpasswd" | "passwd"
                if matches!(self.passage.context, Context::Script | Context::Hidden)
                    && (name == "chpasswd" && input_text.trim_start().starts_with("root:")
                        || call.has(&["-d", "--delete", "--stdin"])
                            && call.plain().any(|a| a.text == "root")) =>
            {
                let message = "the password of the account that may do everything is changed";
                self.report(&at, Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message));
            }
            "visudo" if input_text.to_ascii_uppercase().contains("NOPASSWD") => {
                let message = "sudo rules are changed: nobody is asked for a password";
                self.report(&at, Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message));
            }
            // Where a program is: its name stands for it.
            "command" | "which" | "whereis" => {
                text = call.plain().last().map(|a| a.text.clone()).unwrap_or_default();
            }
            // A folder or file of its own: known by the place that makes it.
            "mktemp" => text = format!("/tmp/made-{}", at.start),
            "readlink" | "realpath" | "basename" | "dirname" | "cygpath" | "wslpath" => {
                let path = call.plain().next().map(|a| a.text.clone()).unwrap_or_default();
                text = match name {
                    "basename" => {
                        let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or(&path);
                        let end = call.plain().nth(1).map_or("", |end| end.text.as_str());
                        base.strip_suffix(end).unwrap_or(base).to_owned()
                    }
                    "dirname" => path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned(),
                    _ => path,
                };
                output.add(&taint);
            }
            "ps" if call.arguments.first().is_some_and(|a| {
                a.text.contains('e') && a.text.bytes().all(|b| b.is_ascii_lowercase())
                    || a.text.starts_with('-') && a.text.contains('E')
            }) =>
            {
                output.add(&Taint::environment());
            }
            "fc" if call.has_letter('l') => {
                output.add(&Taint::secret("shell history"));
            }
            "crontab" => {
                self.crontab(&call, input, input_text, &at);
            }
            "systemctl" | "launchctl" | "schtasks" | "schtasks.exe" | "at" | "batch" | "reg"
            | "reg.exe" | "update-rc.d" | "chkconfig" | "loginctl" | "sc" | "sc.exe"
            | "defaults" => {
                self.schedule(&call, input, input_text, &at);
            }
            name if name.starts_with("mkfs") => self.destroy(&call, &at),
            "journalctl"
                if ["=1s", "=0", "=1M", "=1K"]
                    .iter()
                    .any(|end| call.text().contains("--vacuum") && call.text().ends_with(end)) =>
            {
                let message = "the system's log is emptied";
                self.report(&at, Match::new(&rules::TRACE_WIPING, Severity::Warn, message));
            }
            "rm" | "shred" | "wipefs" | "sgdisk" | "blkdiscard" | "parted" | "sfdisk"
            | "diskutil" | "truncate" | "unlink" | "srm" | "rmdir" | "del" | "rd" | "format" => {
                self.destroy(&call, &at);
            }
            "chmod" | "chown" | "setcap" => self.change_mode(&call, &at),
            // trap 'command' EXIT
            "trap" => {
                if let Some(command) = call.plain().next().cloned() {
                    let found = self.runs(&command.taint, "`trap`");
                    self.report_some(&at, found);
                    let command = command.text;
                    output.add(&self.nested(&command, at.start, &Taint::default()));
                }
            }
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
                self.run_here(&call, input, &at, &mut output);
            }
            "cd" | "pushd" => {
                let to = call.plain().next().map(|argument| argument.text.clone());
                self.memory.folder = to.filter(|to| to != "-");
            }
            "read" | "mapfile" | "readarray" => {
                self.read_into(&call, input, input_text);
            }
            "npx" | "bunx" | "pnpm" | "yarn" | "uvx" | "pipx" | "npm" | "pip" | "pip3" | "uv"
            | "bun" | "go" | "cargo" | "brew" | "gem" | "docker" | "podman" => {
                self.packages(&call, &at);
                self.installs(&call, &at);
                if matches!(name, "docker" | "podman") {
                    output.add(&printed_by(&format!("docker {}", call.text())));
                }
                output.add(&printed_by(&format!("{name} {}", call.text())));
                if name == "bun" || name == "uv" {
                    self.interpret(&call, input, input_text, &at);
                }
                // uv run get.py, npx tsx get.ts
                for argument in call.plain().take(MAX_COMMAND_WORDS) {
                    output.add(&self.printed_by_member(&argument.text));
                }
            }
            "claude" | "codex" | "gemini" | "openclaw" | "opencode" | "hermes" | "cursor-agent"
            | "aider" | "goose" | "qwen" | "copilot" | "amp" | "droid" | "crush" | "cline"
            | "auggie" | "kiro-cli" | "kimi" | "iflow" | "gptme" | "interpreter" => {
                self.agent(&call, &at);
            }
            "alias" | "abbr" => {
                let found = self.runs(&taint, "an alias");
                self.report_some(&at, found);
                let meant = call.plain().next().map(|a| a.text.clone()).unwrap_or_default();
                if let Some((_, command)) = meant.split_once('=') {
                    self.nested(command, at.start, &Taint::default());
                }
            }
            "parallel" => {
                let found = self.runs(input, "`parallel`");
                self.report_some(&at, found);
            }
            // zsh's own connection.
            "ztcp" => {
                let words: Vec<&str> = call.plain().map(|a| a.text.as_str()).collect();
                let device = format!("/dev/tcp/{}", words.join("/"));
                self.memory.devices.insert("$REPLY".to_owned(), device);
            }
            "Unblock-File" | "codesign" | "xattr" | "spctl" | "setenforce" | "ufw" | "csrutil"
            | "iptables" | "auditctl" | "swapoff" | "powershell" | "pwsh" | "powershell.exe"
            | "certutil" | "mshta" | "bitsadmin" | "regsvr32" | "netsh" | "rundll32" | "wmic"
            | "cmd" | "cmd.exe" | "msiexec" | "open" | "installer" | "hdiutil" | "dpkg"
            | "tccutil" | "rpm" | "apt" | "apt-get" | "yum" | "dnf" | "zypper" | "snap"
            | "flatpak" | "insmod" | "java" | "xdg-open" | "pkgutil" | "apk" | "pacman" => {
                self.installs(&call, &at);
                self.protections(&call, &at);
                self.interpret(&call, input, input_text, &at);
                output.add(&printed_by(&format!("{name} {}", call.text())));
            }
            _ => {
                self.interpret(&call, input, input_text, &at);
                output.add(&self.one_liner(&call, input, input_text, &at));
                output.add(&self.send(&call, input, input_text, &taint, &at));
                output.add(&printed_by(&format!("{name} {}", call.text())));
                output.add(&self.started(&call, &call.program(), input, at.start));
                // Of an unknown program nothing is known but that it may pass on what it gets.
                if own.is_some() {
                    return (output, text);
                }
                if !name.contains('/') {
                    output.add(input);
                }
                // perl -ne '…' file: what it prints comes out of the file.
                if crate::scan::kind::of_interpreter(name).is_some()
                    && call.has(&["-e", "-ne", "-pe", "-c", "-n", "-p", "-lne", "-lpe", "-0777"])
                {
                    for argument in call.plain() {
                        output.add(&self.file(&argument.text));
                    }
                }
                output.keys.add(&taint.keys);
                // $m -fs https://…: whatever it is called, it is given an address.
                if name.is_empty() || name.starts_with('$') {
                    let address = call.plain().find(|argument| is_fetched(&argument.text));
                    if let Some(address) = address {
                        output.add(&Taint::remote(address.text.clone()));
                    }
                }
            }
        }
        (output, text)
    }
}

/// Whether a word is an address that a text may be fetched from.
fn is_fetched(word: &str) -> bool {
    ["http://", "https://", "ftp://"].iter().any(|scheme| word.starts_with(scheme))
}
