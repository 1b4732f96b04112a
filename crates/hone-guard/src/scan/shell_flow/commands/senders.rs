//! Programs that send what they read, besides `curl` and its kin: message queues, logs, pastes, and
//! those that fetch a text the same way.

use super::call::Call;
use crate::scan::shell_flow::{Taint, Walk};
use crate::scan::{destination, flow};
use std::ops::Range;

/// Files that are looked for among the words of one command.
pub(in crate::scan::shell_flow) const MAX_NAMED: usize = 32;

/// How a program is told where it connects to.
enum Place {
    /// After one of these options.
    Option(&'static [&'static str]),
    /// The first argument that looks like an address.
    Address,
    /// Always here.
    Known(&'static str),
}

/// Programs, the words that make them send (none: they always do), the words that make them print what
/// they fetch, and where they connect to.
#[rustfmt::skip]
const PROGRAMS: &[(&str, &[&str], &[&str], Place)] = &[
    ("mosquitto_pub", &[], &["<never>"], Place::Option(&["-h", "--host", "-L", "--url"])),
    ("mosquitto_sub", &["<never>"], &[], Place::Option(&["-h", "--host", "-L", "--url"])),
    ("mqttx", &["pub"], &["sub"], Place::Option(&["-h", "--hostname"])),
    ("kcat", &["-P"], &["-C"], Place::Option(&["-b"])),
    ("kafkacat", &["-P"], &["-C"], Place::Option(&["-b"])),
    ("kafka-console-producer", &[], &["<never>"], Place::Option(&["--broker-list", "--bootstrap-server"])),
    ("redis-cli", &["-x", "set", "publish", "lpush", "rpush", "xadd"], &["get", "lpop", "rpop", "subscribe", "hget", "lrange"], Place::Option(&["-h", "-u"])),
    ("nats", &["pub"], &["sub"], Place::Option(&["-s", "--server"])),
    ("websocat", &[], &[], Place::Address),
    ("wscat", &[], &[], Place::Option(&["-c", "--connect"])),
    ("grpcurl", &["-d"], &["<never>"], Place::Address),
    ("logger", &["-n", "--server"], &["<never>"], Place::Option(&["-n", "--server"])),
    ("pastebinit", &[], &["<never>"], Place::Known("https://pastebin.com/")),
    ("ix", &[], &["<never>"], Place::Known("http://ix.io/")),
    ("ntfy", &["publish", "pub", "send"], &["subscribe", "sub"], Place::Known("https://ntfy.sh/")),
    ("POST", &[], &["<never>"], Place::Address),
    ("PUT", &[], &["<never>"], Place::Address),
    ("GET", &["<never>"], &[], Place::Address),
    ("lwp-request", &["POST", "PUT", "-p"], &[], Place::Address),
    ("lwp-download", &["<never>"], &[], Place::Address),
    ("links", &["<never>"], &["-source", "-dump"], Place::Address),
    ("links2", &["<never>"], &["-source", "-dump"], Place::Address),
    ("elinks", &["<never>"], &["-source", "-dump"], Place::Address),
    ("smbclient", &["put"], &["get"], Place::Address),
    ("ncftpput", &[], &["<never>"], Place::Address),
    ("ncftpget", &["<never>"], &[], Place::Address),
    ("tftp", &["put"], &["get"], Place::Address),
    ("ftp", &["put", "-u"], &["get", "-o"], Place::Address),
    ("lftp", &["put", "mput", "mirror"], &["get", "pget", "cat", "mget"], Place::Address),
    ("sftp", &["put"], &["get"], Place::Address),
    ("wormhole", &["send"], &["receive"], Place::Known("tcp://relay.magic-wormhole.io")),
    ("croc", &["send"], &["<never>"], Place::Known("tcp://croc.schollz.com")),
    ("ffsend", &["upload"], &["download"], Place::Known("https://send.vis.ee/")),
    ("ipfs", &["add"], &["cat", "get"], Place::Known("ipfs://content.ipfs.tech")),
    ("swaks", &[], &["<never>"], Place::Option(&["--to", "-t"])),
    ("rclone", &["copy", "copyto", "move", "moveto", "sync", "rcat"], &["cat", "copyto", "copy"], Place::Address),
    ("svn", &["<never>"], &["cat", "export"], Place::Address),
];

impl Walk<'_, '_, '_> {
    /// Sends and fetches as the table says; gives what the program prints. `known` is what its own words
    /// and files carry.
    pub(super) fn send(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        known: &Taint,
        at: &Range<usize>,
    ) -> Taint {
        let Some((name, sends, prints, place)) = PROGRAMS.iter().find(|row| row.0 == call.name)
        else {
            return Taint::default();
        };
        // put file; bye: as an argument of its own, or as a line of the input.
        let words = format!("{} {input_text}", call.text());
        let has = |word: &&str| {
            words
                .split(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\''))
                .any(|w| w == *word)
        };
        let address = match place {
            Place::Known(address) => (*address).to_owned(),
            Place::Option(options) => {
                let value = call.value_of(options).map(|value| value.text.as_str());
                let host = value.unwrap_or_default();
                if host.is_empty() || host.contains("://") {
                    host.to_owned()
                } else {
                    format!("tcp://{}", host.rsplit('@').next().unwrap_or(host))
                }
            }
            Place::Address => {
                let words =
                    words.split(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\''));
                let is_address = |word: &&str| {
                    word.contains("://")
                        || word.contains('@') && word.contains('.')
                        || word.contains(':') && !word.starts_with(['/', '-', ':'])
                        || word.contains('.')
                            && !word.contains('/')
                            && !word.starts_with(['-', '.', '$'])
                            && destination::host(word).is_some_and(|host| host.len() >= 4)
                };
                let found = words.clone().find(is_address).unwrap_or_default();
                if found.is_empty() || found.contains("://") {
                    found.to_owned()
                } else {
                    let host = found.rsplit('@').next().unwrap_or(found);
                    format!("tcp://{}", host.split([':', '/']).next().unwrap_or(host))
                }
            }
        };
        if address.is_empty() {
            return Taint::default();
        }
        if sends.is_empty() || sends.iter().any(has) {
            let mut sent = input.clone();
            sent.add(known);
            sent.add(&self.files_in(&words));
            let via = format!("`{name}`");
            let found = flow::to_network(&sent, &address, &via, self.passage.context, self.skill);
            self.report_some(at, found);
        }
        if !(prints.is_empty() || prints.iter().any(has)) {
            return Taint::default();
        }
        let fetched = Taint::remote(address);
        // get file /tmp/file; -o /tmp/file; copyto remote:file /tmp/file
        let target = call.value_of(&["-o", "-O"]).map(|path| path.text.clone()).or_else(|| {
            let words = words.split(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\''));
            let last = words.rev().find(|word| word.starts_with(['/', '~', '.']) && word.len() > 1);
            last.map(str::to_owned).filter(|_| call.name != "ssh")
        });
        match target.filter(|path| path != "-" && path != "/dev/stdout") {
            Some(path) => {
                self.write(&path, "", &fetched, at);
                Taint::default()
            }
            None => fetched,
        }
    }

    /// What the files carry that a text names.
    fn files_in(&self, text: &str) -> Taint {
        let mut taint = Taint::default();
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\''));
        for word in words.filter(|word| word.contains(['/', '.'])).take(MAX_NAMED) {
            taint.add(&self.file(word));
        }
        taint
    }
}
