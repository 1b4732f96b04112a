//! `git`: remotes, pushes of everything, settings that run programs.

use std::ops::Range;

use super::call::{Call, options_of, remote_copy};
use crate::scan::destination::{Class, addresses, classify, host};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::{self, is_active};
use crate::scan::kind::{Kind, Language};
use crate::scan::rules;
use crate::scan::shell_flow::files::key;
use crate::scan::shell_flow::{Taint, Value, Walk};

/// Clones of one file that are remembered.
const MAX_CLONES: usize = 16;

/// What was put into repositories, among the files of a script: no file has such a name.
const COMMITTED: &str = "git objects";

/// Settings whose value git starts by itself, and the values that are no program of somebody's.
const STARTED: &[(&str, &[&str])] = &[
    ("core.fsmonitor", &["true", "false"]),
    ("core.sshcommand", &["ssh", "plink", "/usr/bin/ssh"]),
    ("core.askpass", &["ssh-askpass", "true", "false"]),
    ("gpg.program", &["gpg", "gpg2", "/usr/bin/gpg", "/opt/homebrew/bin/gpg"]),
    ("init.templatedir", &[]),
    ("uploadpack.packobjectshook", &[]),
    ("diff.external", &["difft", "delta"]),
];

impl Walk<'_, '_, '_> {
    /// `git clone … folder`: what lies in that folder is somebody's.
    fn cloned(&mut self, words: &[&Value]) {
        let Some(address) = words.get(1).map(|word| word.text.clone()) else { return };
        let folder = words.get(2).map_or_else(
            || {
                let name = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                name.trim_end_matches(".git").to_owned()
            },
            |folder| folder.text.clone(),
        );
        let folder = key(folder.trim_end_matches('/'));
        if self.memory.clones.len() < MAX_CLONES
            && !self.memory.clones.contains_key(&folder)
            && address.contains(['/', '$'])
            && !folder.is_empty()
            && folder != "."
        {
            // One that a document names is nobody's secret.
            let address = if self.tells_of(&address) { String::new() } else { address };
            self.memory.clones.insert(folder, address);
        }
    }

    /// Whether a document of the skill names a repository.
    fn tells_of(&self, address: &str) -> bool {
        let name = address.trim_end_matches('/').trim_end_matches(".git");
        let name = name.split("://").last().and_then(|rest| rest.split_once('/')).map(|(_, n)| n);
        name.is_some_and(|name| {
            self.skill.members.iter().any(|member| {
                member.kind == Kind::Text(Language::Markdown)
                    && String::from_utf8_lossy(&member.bytes).contains(name)
            })
        })
    }

    /// What a file carries that lies in a clone which nobody is told of: the folder is one that nobody
    /// looks into, and no document of the skill names the repository.
    pub(in crate::scan::shell_flow) fn of_clone(&self, path: &str) -> Taint {
        let path = key(path);
        let whole = match &self.memory.folder {
            Some(folder) if !path.starts_with(['/', '~', '$']) => {
                format!("{}/{path}", key(folder.trim_end_matches('/')))
            }
            _ => path,
        };
        let clone = self.memory.clones.iter().find(|(folder, _)| {
            whole.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        });
        let Some((folder, address)) = clone.filter(|(_, address)| !address.is_empty()) else {
            return Taint::default();
        };
        let unseen = ["/tmp/", "/var/tmp/", "/dev/shm/", "$TMPDIR"]
            .iter()
            .any(|place| folder.starts_with(place))
            || folder.contains("/.");
        let script = matches!(self.passage.context, Context::Script | Context::Hidden);
        if unseen && script { Taint::remote(address.clone()) } else { Taint::default() }
    }

    /// A setting by which git starts a program that is no well-known one, in every repository.
    fn own_program(&mut self, text: &str, value: &str, global: bool, at: &Range<usize>) {
        if !global || !matches!(self.passage.context, Context::Script | Context::Hidden) {
            return;
        }
        let program = value.split_whitespace().next().unwrap_or_default();
        let starts = STARTED.iter().any(|(setting, known)| {
            text.contains(setting) && !known.contains(&program) && !program.is_empty()
        });
        if starts {
            let message = "git is made to start a program of the skill's own in every repository";
            let flow = Flow::new("a program", "git's settings").when("on git commands");
            let found = Match::new(&rules::PERSISTENCE_WRITE, Severity::Warn, message).with(flow);
            self.report(at, found);
        }
    }

    /// What is put into a repository: objects, files, messages. It goes where the repository is pushed to.
    fn committed(&mut self, verb: &str, words: &[&Value], call: &Call, input: &Taint) {
        let mut put = call.taint().carried();
        match verb {
            "hash-object" | "fast-import" | "mktree" | "apply" | "am" => {
                put.add(&input.carried());
            }
            "add" | "commit" | "notes" | "tag" | "stash" | "stage" | "update-index"
            | "commit-tree" => {
                if call.has(&["-F", "--file", "--stdin", "-"]) {
                    put.add(&input.carried());
                }
            }
            _ => return,
        }
        for word in words.iter().skip(1) {
            put.add(&self.file(&word.text).carried());
        }
        if !put.is_clean() {
            self.memory.files.entry(COMMITTED.to_owned()).or_default().add(&put);
        }
    }

    /// What was put into a repository goes out with it.
    fn pushed(&mut self, address: &str, at: &Range<usize>) {
        let address = remote_copy(address);
        if !matches!(classify(&address), Class::Foreign | Class::Address | Class::Inbox) {
            return;
        }
        let Some(held) = self.memory.files.get(COMMITTED).cloned() else { return };
        let context = self.passage.context;
        let found = flow::to_network(&held, &address, "`git push`", context, self.skill);
        self.report_some(at, found);
    }

    pub(super) fn git(&mut self, call: &Call, input: &Taint, at: &Range<usize>) {
        let text = call.text();
        // git -C folder -c setting=value verb …
        let before = options_of(&call.arguments, &["-C", "-c", "--git-dir", "--work-tree"]);
        let words: Vec<&Value> = call.arguments[before.min(call.arguments.len())..]
            .iter()
            .filter(|argument| !argument.text.starts_with('-'))
            .collect();
        let verb = words.first().map(|argument| argument.text.clone()).unwrap_or_default();
        if verb == "clone" {
            self.cloned(&words);
        }
        self.committed(&verb, &words, call, input);
        if verb == "remote" && (text.contains("add") || text.contains("set-url")) {
            if let (Some(name), Some(address)) = (words.get(2), words.get(3)) {
                let value = Value {
                    text: address.text.clone(),
                    taint: Taint::remote(address.text.clone()),
                };
                self.memory.variables.insert(format!("git remote {}", name.text), value);
            }
        } else if verb == "bundle" || verb == "archive" {
            let paths: Vec<String> =
                words.iter().skip(1).map(|argument| argument.text.clone()).collect();
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
            let target = words.get(1).map(|argument| argument.text.clone()).unwrap_or_default();
            let address = if target.contains("://") || target.contains('@') {
                target.clone()
            } else {
                self.memory
                    .variables
                    .get(&format!("git remote {target}"))
                    .map(|v| v.text.clone())
                    .unwrap_or_default()
            };
            self.pushed(&address, at);
            let class = classify(&remote_copy(&address));
            let everything = call.has(&["--all", "--mirror", "--tags"])
                || text.contains("refs/*")
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
            let value = call.arguments.last().map(|last| last.text.clone()).unwrap_or_default();
            // git config remote.NAME.url ADDRESS
            let named = words.iter().find_map(|word| {
                let name = word.text.strip_prefix("remote.")?;
                name.strip_suffix(".url").or_else(|| name.strip_suffix(".pushurl"))
            });
            if let Some(name) = named {
                let held = Value { text: value.clone(), taint: Taint::remote(value.clone()) };
                self.memory.variables.insert(format!("git remote {name}"), held);
            }
            let lower = text.to_ascii_lowercase();
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
            .any(|setting| lower.contains(setting));
            self.own_program(&lower, &value, call.has(&["--global", "--system"]), at);
            // What it does to files that come in or go out: mostly honest programs.
            let converts = ["filter.", "textconv", ".driver", "gpg.program", "core.askpass"]
                .iter()
                .any(|setting| lower.contains(setting));
            let harmful = (runs || converts) && self.does_harm(value.trim_start_matches('!'));
            if harmful
                || runs && (is_active(&value) || value.starts_with('!') && value.contains("curl"))
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
}
