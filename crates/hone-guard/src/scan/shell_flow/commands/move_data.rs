//! Copying, packing, uploading, and what is read from keychains and clouds.

use super::call::{Call, remote_copy};
use crate::scan::destination::{Class, classify};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::{self};
use crate::scan::rules;
use crate::scan::shell_flow::{Taint, Walk, key};
use std::ops::Range;

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
        if call.name != "scp" || paths.len() < 2 {
            return;
        }
        let (from, to) = (&paths[paths.len() - 2], &paths[paths.len() - 1]);
        let Some((_, file)) = from.split_once(':').filter(|_| !to.contains(':')) else { return };
        let file = file.rsplit('/').next().unwrap_or(file);
        let path = match to.as_str() {
            "." | "./" => file.to_owned(),
            to if to.ends_with('/') => format!("{to}{file}"),
            to => to.to_owned(),
        };
        self.write(&path, "", &Taint::remote(remote_copy(from)), at);
    }

    /// Copying, packing and uploading.
    pub(super) fn move_data(&mut self, call: &Call, input: &Taint, at: &Range<usize>) -> Taint {
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
