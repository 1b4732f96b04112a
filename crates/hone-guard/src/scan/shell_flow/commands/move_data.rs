//! Copying, packing, uploading, and what is read from keychains and clouds.

use std::ops::Range;

use super::call::{Call, is_remote, remote_copy};
use crate::scan::destination::{Class, classify};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::shell_flow::files::{HERE, key};
use crate::scan::shell_flow::{Taint, Walk};
use crate::scan::{flow, rules};

impl Walk<'_, '_, '_> {
    /// `gh api -X POST user/keys`: a key or an account that may come in from now on.
    fn lets_in(&mut self, text: &str, at: &Range<usize>) {
        let changes = ["-X POST", "-X PUT", "--method POST", "--method PUT", "-XPOST", "-XPUT"];
        let logins = ["/keys", "/collaborators", "/invitations", "/memberships"];
        if text.contains("api")
            && changes.iter().any(|way| text.contains(way))
            && logins.iter().any(|login| text.contains(login))
            && matches!(self.passage.context, Context::Script | Context::Hidden)
        {
            let message = "a key or an account is let into the person's repositories";
            self.report(at, Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message));
        }
    }

    /// `ssh -R 2222:localhost:22 host`: who is on that host can come in here.
    fn opened(&mut self, address: &str, at: &Range<usize>) {
        let host = remote_copy(address);
        let strange = matches!(classify(&host), Class::Foreign | Class::Address);
        if strange && matches!(self.passage.context, Context::Script | Context::Hidden) {
            let message = "this machine is opened to a stranger's host";
            let flow = Flow::new("this machine", "`ssh -R`").to(address.to_owned());
            self.report(at, Match::new(&rules::REVERSE_SHELL, Severity::Warn, message).with(flow));
        }
    }

    /// `scp host:tool.sh .`: what comes from another machine lies here from now on.
    fn fetched(&mut self, call: &Call, at: &Range<usize>) {
        let paths: Vec<String> = call.plain().map(|argument| argument.text.clone()).collect();
        if !matches!(call.name.as_str(), "scp" | "rsync" | "sftp") || paths.len() < 2 {
            return;
        }
        let (from, to) = (&paths[paths.len() - 2], &paths[paths.len() - 1]);
        let from_there = from.split_once(':').filter(|_| !to.contains(':'));
        let Some((_, file)) = from_there else { return };
        let file = file.rsplit('/').next().unwrap_or(file);
        let path = match to.as_str() {
            "." | "./" => file.to_owned(),
            to if to.ends_with('/') => format!("{to}{file}"),
            to => to.to_owned(),
        };
        self.write(&path, "", &Taint::remote(remote_copy(from)), at);
    }

    /// `rsync -a ./ host:`: the folder that the person works in goes to a host that no document speaks of;
    /// what comes from a host takes nothing away.
    fn copied_own(&self, call: &Call, data: &mut Taint) {
        if !matches!(call.name.as_str(), "scp" | "rsync") {
            return;
        }
        let paths: Vec<&str> = call.plain().map(|argument| argument.text.as_str()).collect();
        let Some((to, from)) = paths.split_last() else { return };
        if !is_remote(to) {
            data.secrets.retain(|what| !flow::is_own(what));
            return;
        }
        let here = [".", "./", "./*", "*", "$PWD", "${PWD}", "$PWD/", "$()"];
        let host = crate::scan::destination::host(&remote_copy(to)).unwrap_or_default();
        if from.iter().any(|path| here.contains(path)) && !self.skill.speaks_of(&host) {
            data.secrets.insert(flow::PACKED);
        }
    }

    /// Copying, packing and uploading.
    pub(super) fn move_data(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
    ) -> Taint {
        let mut data = call.taint();
        if call.from_input {
            data.add(input);
        }
        let name = call.name.as_str();
        for (position, argument) in call.arguments.iter().enumerate() {
            // --exclude '.env*': what is left out.
            let left_out = position
                .checked_sub(1)
                .and_then(|at| call.arguments.get(at))
                .is_some_and(|before| {
                    matches!(before.text.as_str(), "--exclude" | "-x" | "--exclude-from" | "-xr")
                });
            if argument.text.starts_with('-') || left_out {
                continue;
            }
            let path = argument.text.trim_start_matches('@').trim_start_matches("file://");
            // The key that a connection is made with is used, not sent.
            let before = position.checked_sub(1).and_then(|at| call.arguments.get(at));
            if !before.is_some_and(|before| opens_connection(name, &before.text)) {
                data.add(&self.file(path));
            }
        }
        // tar -C ~ -cz .ssh
        if let Some(folder) = call.value_of(&["-C", "--directory"]).filter(|_| name == "tar") {
            for argument in call.plain() {
                data.add(&self.file(&format!("{}/{}", folder.text, argument.text)));
            }
        }
        self.copied_own(call, &mut data);
        let text = call.text();
        let verb = call.plain().next().map(|argument| argument.text.clone()).unwrap_or_default();
        match name {
            "cp" | "mv" | "install" | "ln" | "ditto" | "rsync" | "tar" | "zip" | "7z" | "7za"
            | "rar" | "unzip" => {
                if locks_away(call) {
                    let message = "files are put behind a password and their originals removed";
                    self.report(at, Match::new(&rules::DESTRUCTIVE, Severity::Warn, message));
                }
                let mut paths: Vec<String> =
                    call.plain().map(|argument| argument.text.clone()).collect();
                // install -m 755 tool folder: the mode is no file.
                let mode = call.value_of(&["-m", "--mode"]).filter(|_| name == "install");
                if let Some(at) = mode.and_then(|mode| paths.iter().position(|p| *p == mode.text)) {
                    paths.remove(at);
                }
                if let Some(target) = paths.last()
                    && matches!(name, "cp" | "mv" | "install" | "ln" | "ditto")
                    && paths.len() > 1
                {
                    let linked_null =
                        name == "ln" && paths.first().is_some_and(|from| from == "/dev/null");
                    let known = self.memory.texts.get(&key(&paths[0]));
                    let content = known.unwrap_or(&paths[0]).clone();
                    let content = if linked_null { String::new() } else { content };
                    // cp tool /usr/local/bin/
                    let folder = target.ends_with('/') || call.has(&["-t"]);
                    let name = paths[0].rsplit('/').next().unwrap_or_default();
                    let target = if folder { format!("{target}{name}") } else { target.clone() };
                    self.write(&target, &content, &data, at);
                }
                if name == "rsync" && call.has(&["--delete"])
                    || name == "mv" && text.ends_with("/dev/null")
                {
                    self.destroy(call, at);
                }
                self.unpacks(call, input, &data);
                if packs(call) {
                    data.secrets.insert(flow::PACKED);
                }
                // tar xO, unzip -p, 7z -so: the content is printed.
                let prints = match name {
                    "tar" => {
                        let first = call.arguments.first().map_or("", |a| a.text.as_str());
                        first.contains('O') || call.has_letter('O') || call.has(&["--to-stdout"])
                    }
                    "unzip" => call.has_letter('p') || call.has_letter('c'),
                    "7z" | "7za" => call.has(&["-so"]),
                    _ => false,
                };
                if prints {
                    data.add(input);
                    data.add(&Taint::decoded("an archive"));
                }
                // install -m 4755 /bin/sh …
                if name == "install"
                    && call.value_of(&["-m", "--mode"]).is_some_and(|mode| {
                        mode.text.len() == 4 && mode.text.starts_with(['4', '6'])
                            || mode.text.contains("u+s")
                            || mode.text.contains("+s")
                    })
                {
                    let message = "a program is made to run with its owner's rights";
                    self.report(
                        at,
                        Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message),
                    );
                }
                if name == "rsync"
                    && (text.contains("rsync://") || paths.iter().any(|path| is_remote(path)))
                {
                    let address =
                        paths.iter().find(|path| is_remote(path)).cloned().unwrap_or_default();
                    self.fetched(call, at);
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
                    // What is copied into a folder lies in it.
                    if let Some(target) = paths.last().filter(|_| !matches!(name, "tar" | "zip")) {
                        self.hold(target, &data);
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
                    .or_else(|| {
                        let host =
                            |text: &&str| text.contains('.') && !text.contains(['/', ' ', '=']);
                        call.plain().map(|a| a.text.as_str()).find(host).filter(|_| name == "ssh")
                    })
                    .unwrap_or_default()
                    .to_owned();
                if name == "ssh" && call.has_letter('R') {
                    let host = call
                        .plain()
                        .map(|argument| argument.text.clone())
                        .find(|text| text.contains(['@', '.']) && !text.contains(':'));
                    self.opened(&host.unwrap_or_default(), at);
                }
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
                self.fetched(call, at);
                if call.plain().any(|a| a.text == "/dev/stdout") {
                    return Taint::remote(remote_copy(&address));
                }
                if matches!(name, "sftp" | "ftp" | "lftp" | "rclone" | "ipfs" | "croc" | "wormhole")
                {
                    return self.send(call, input, input_text, &data, at);
                }
                if name == "gsutil" {
                    self.bulk_delete(call, &["rm", "rb"], at);
                    return self.taken_from_bucket(call, at);
                }
                // ssh host 'cat setup.sh' | sh
                if name == "ssh" && !address.is_empty() {
                    Taint::remote(remote_copy(&address))
                } else {
                    Taint::default()
                }
            }
            "aws" => {
                let printed = flow::printed_by(&format!("aws {text}"));
                if !printed.is_clean() {
                    return printed;
                }
                if text.contains("s3 cp")
                    || text.contains("s3 sync")
                    || text.contains("s3 mv")
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
                    return self.taken_from_bucket(call, at);
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
                if ["storage cp", "storage mv", "storage rsync", "blob upload", "storage copy"]
                    .iter()
                    .any(|way| text.contains(way))
                {
                    let mut sent = data.clone();
                    sent.add(input);
                    let via = format!("`{name}`");
                    let context = self.passage.context;
                    let found = flow::to_network(&sent, "", &via, context, self.skill);
                    self.report_some(at, found);
                    return self.taken_from_bucket(call, at);
                }
                flow::printed_by(&format!("{name} {text}"))
            }
            "gh" => {
                let printed = flow::printed_by(&format!("gh {text}"));
                if !printed.is_clean() {
                    return printed;
                }
                self.lets_in(&text, at);
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
                flow::printed_by(&format!("kubectl {text}"))
            }
            "security" => flow::printed_by(&format!("security {text}")),
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
                    flow::printed_by(&format!("{name} {text}"))
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
                // What is looked up may stand before the host, with whatever characters.
                let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
                let address = address.rsplit(is_other).next().unwrap_or_default();
                let address = address.trim_start_matches('.').to_owned();
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
                self.git(call, input, at);
                flow::printed_by(&format!("git {text}"))
            }
            "osascript" => {
                self.interpret(call, input, "", at);
                Taint::default()
            }
            name => {
                data.add(&flow::printed_by(&format!("{name} {text}")));
                data
            }
        }
    }

    /// `aws s3 cp s3://bucket/file target`: what comes out of somebody's bucket.
    fn taken_from_bucket(&mut self, call: &Call, at: &Range<usize>) -> Taint {
        let paths: Vec<&str> = call.plain().map(|argument| argument.text.as_str()).collect();
        let Some(from) = paths.iter().position(|path| path.contains("://")) else {
            return Taint::default();
        };
        let fetched = Taint::remote(paths[from]);
        let target = paths.get(from + 1).map(|path| (*path).to_owned());
        match target {
            Some(path) if !path.contains("://") => self.write(&path, "", &fetched, at),
            Some(_) => return Taint::default(),
            // gsutil cat gs://…, aws s3 cp s3://… -
            None if call.has(&["-"]) || paths.contains(&"cat") => return fetched,
            None => {}
        }
        Taint::default()
    }

    /// `tar xz -C folder`, `unzip file -d folder`: what comes out of a fetched archive.
    fn unpacks(&mut self, call: &Call, input: &Taint, data: &Taint) {
        let text = call.text();
        let opens = match call.name.as_str() {
            "unzip" => true,
            "tar" => {
                let first = call.arguments.first().map_or("", |a| a.text.as_str());
                first.contains('x') || call.has_letter('x') || call.has(&["--extract"])
            }
            "7z" | "7za" | "rar" => text.starts_with(['x', 'e']),
            _ => false,
        };
        if !opens {
            return;
        }
        let mut taint = data.clone();
        taint.add(input);
        let joined = call.arguments.iter().find_map(|a| a.text.strip_prefix("-o"));
        let folder = call.value_of(&["-C", "-d", "--directory"]).map(|a| a.text.clone());
        let folder = folder.or_else(|| joined.map(str::to_owned)).unwrap_or_default();
        let folder = if folder.is_empty() { HERE.to_owned() } else { folder };
        // unzip -P word, 7z x -pword
        let is_locked = match call.name.as_str() {
            "unzip" => call.has_letter('P'),
            "tar" => false,
            _ => call.arguments.iter().any(|a| a.text.starts_with("-p") && a.text.len() > 2),
        };
        self.unpack(&folder, &taint, is_locked);
    }

    pub(super) fn bulk_delete(&mut self, call: &Call, verbs: &[&str], at: &Range<usize>) {
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
                || text.contains("rm -r")
                || text.contains(" rb "));
        // [[ $answer == y ]] && kubectl delete …: somebody was asked about this one.
        let line =
            self.source.get(..at.start).and_then(|before| before.lines().last()).unwrap_or("");
        let asked = ["== y", "= y", "== Y", "=~ ^[Yy"].iter().any(|answer| line.contains(answer))
            && ["read -p", "read -rp", "read -r -p"].iter().any(|ask| self.source.contains(ask));
        // … | shuf -n1 | xargs kubectl delete: one of them; or those that a selector picks.
        let picks = ["--field-selector", "--selector", " -l "].iter().any(|way| line.contains(way));
        let one = picks
            || ["shuf -n1", "shuf -n 1", "head -1", "head -n1", "head -n 1", "tail -1", "tail -n1"]
                .iter()
                .any(|way| line.contains(way));
        if (everything || each) && !asked && !one {
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
}

/// Whether a command packs a folder: what is built to be given away is none of the person's.
fn packs(call: &Call) -> bool {
    #[rustfmt::skip]
    const BUILT: [&str; 12] = ["dist", "build", "out", "public", "site", "_site", "target", "release", "coverage", "bundle", "package", "artifacts"];
    let first = call.arguments.first().map_or("", |a| a.text.as_str());
    let makes = match call.name.as_str() {
        "tar" => {
            !first.starts_with('-') && first.contains('c') && first.len() <= 6
                || call.has_letter('c')
                || call.has(&["--create"])
        }
        "zip" => call.has_letter('r'),
        "7z" | "7za" | "rar" => first == "a",
        _ => false,
    };
    makes
        && !call.plain().any(|argument| {
            let name = argument.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            BUILT.contains(&name)
        })
}

/// Whether a command moves files into an archive that wants a password.
fn locks_away(call: &Call) -> bool {
    let begins = |option: &str| call.arguments.iter().any(|a| a.text.starts_with(option));
    match call.name.as_str() {
        // Names are only hidden behind a password.
        "7z" | "7za" => begins("-sdel") && (begins("-p") || begins("-mhe")),
        "rar" => (begins("-df") || begins("-dw")) && (begins("-hp") || begins("-p")),
        "zip" => {
            (call.has_letter('m') || begins("--move"))
                && (call.has_letter('P') || call.has_letter('e') || begins("--password"))
        }
        _ => false,
    }
}

/// Whether what follows an option says how a connection is made, not what goes over it.
fn opens_connection(program: &str, option: &str) -> bool {
    match program {
        "ssh" | "scp" | "sftp" => matches!(option, "-i" | "-F" | "-S" | "-o" | "-J"),
        // -e, and the last of several letters: -avze
        "rsync" => {
            option == "--rsh"
                || option.strip_prefix('-').is_some_and(|letters| {
                    letters.ends_with('e') && letters.bytes().all(|b| b.is_ascii_alphabetic())
                })
        }
        _ => false,
    }
}
