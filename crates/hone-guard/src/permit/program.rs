//! Options that make a program run another one, or write a file of the caller's choosing.
//!
//! A declaration such as `Bash(tar:*)` permits `tar`, not whatever `tar --to-command` runs; such an
//! option must be named in the declaration. The table errs on the side of asking: an argument that
//! looks like the option counts, wherever it stands.

use super::argument::Argument;
use super::{git, language, stdin};
use crate::shell::Span;

/// Something a program does because of an argument.
#[derive(Debug)]
pub(super) struct Deed {
    /// The argument.
    pub(super) span: Span,
    /// The option, as a declaration would name it.
    pub(super) option: String,
    pub(super) effect: Effect,
}

#[derive(Debug)]
pub(super) enum Effect {
    /// Runs something that is not looked into; in words, after the program's name.
    Runs(&'static str),
    /// Writes this file.
    Writes(Argument),
    /// Runs this command.
    Command(Vec<Argument>),
}

impl Deed {
    pub(super) fn runs(argument: &Argument, option: &str, what: &'static str) -> Self {
        let effect = Effect::Runs(what);
        Self { span: argument.span.clone(), option: option.to_owned(), effect }
    }

    pub(super) fn writes(argument: &Argument, option: &str, file: Argument) -> Self {
        let effect = Effect::Writes(file);
        Self { span: argument.span.clone(), option: option.to_owned(), effect }
    }
}

/// What stands after the name of a program that runs another one.
pub(super) const RUNS_ANOTHER: &str = "runs another program because of this";

/// A program and its options.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    /// Letters of options that run something.
    pub(super) runs: &'static str,
    /// Letters of options that write their value.
    pub(super) writes: &'static str,
    /// Letters of options that write a file whose name another argument gives.
    pub(super) writes_named: &'static str,
    /// Letters of other options with a value, which may hold any letters.
    pub(super) valued: &'static str,
    /// Long options that run something; a shortened one counts.
    pub(super) long_runs: &'static [&'static str],
    /// Long options that write their value.
    pub(super) long_writes: &'static [&'static str],
    /// Arguments that run something, as they are.
    pub(super) words: &'static [&'static str],
    /// What an argument that runs something begins with.
    pub(super) prefixes: &'static [&'static str],
    /// Long options that only look like a shortened one.
    pub(super) harmless: &'static [&'static str],
    /// Whether options end at `--`.
    pub(super) ends_options: bool,
}

pub(super) const PLAIN: Program = Program {
    names: &[],
    runs: "",
    writes: "",
    writes_named: "",
    valued: "",
    long_runs: &[],
    long_writes: &[],
    words: &[],
    prefixes: &[],
    harmless: &[],
    ends_options: true,
};

const PROGRAMS: &[Program] = &[
    Program {
        names: &["tar", "gtar", "bsdtar"],
        runs: "IF",
        valued: "fCTXbgHKLNV",
        long_runs: &[
            "--to-command",
            "--use-compress-program",
            "--checkpoint-action",
            "--rsh-command",
            "--rmt-command",
            "--info-script",
            "--new-volume-script",
        ],
        harmless: &["--checkpoint"],
        ..PLAIN
    },
    Program {
        names: &["ssh", "slogin", "autossh"],
        runs: "oFIE",
        valued: "BbcDeiJLlmpQRSWw",
        ..PLAIN
    },
    Program { names: &["scp"], runs: "oSFD", valued: "ciJlPX", ..PLAIN },
    Program { names: &["sftp"], runs: "oSFDb", valued: "BciJlPRsX", ..PLAIN },
    Program { names: &["ssh-keygen", "ssh-add"], runs: "DsSw", ..PLAIN },
    Program {
        names: &["rsync"],
        runs: "eM",
        valued: "fTB",
        long_runs: &["--rsh", "--rsync-path", "--remote-option", "--config", "--early-input"],
        long_writes: &["--log-file", "--write-batch", "--only-write-batch"],
        ..PLAIN
    },
    Program {
        names: &["curl"],
        runs: "K",
        writes: "oDc",
        writes_named: "OJ",
        valued: "HdXuAebFxTmrCwEytYzPQU",
        long_runs: &["--config", "--engine"],
        long_writes: &[
            "--output",
            "--dump-header",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--libcurl",
            "--etag-save",
            "--hsts",
            "--alt-svc",
            "--output-dir",
            "--remote-name",
            "--remote-name-all",
            "--remote-header-name",
        ],
        harmless: &["--trace-time", "--trace-ids"],
        ..PLAIN
    },
    Program {
        names: &["wget"],
        runs: "e",
        writes: "OoaP",
        valued: "tTwQBiADRIXlU",
        long_runs: &["--execute", "--use-askpass", "--config"],
        long_writes: &[
            "--output-document",
            "--output-file",
            "--append-output",
            "--directory-prefix",
            "--save-cookies",
            "--hsts-file",
            "--warc-file",
        ],
        ..PLAIN
    },
    Program {
        names: &["sort"],
        writes: "o",
        valued: "kStT",
        long_runs: &["--compress-program"],
        long_writes: &["--output"],
        ..PLAIN
    },
    Program { names: &["split"], valued: "abClnt", long_runs: &["--filter"], ..PLAIN },
    Program {
        names: &["rg", "ripgrep"],
        valued: "ABCEMdefgjmrtT",
        long_runs: &["--pre", "--hostname-bin"],
        harmless: &[
            "--pretty",
            "--pre-glob",
            "--hidden",
            "--heading",
            "--help",
            "--hyperlink-format",
        ],
        ..PLAIN
    },
    Program {
        names: &["fd", "fdfind"],
        runs: "xX",
        valued: "deEtScojg",
        long_runs: &["--exec", "--exec-batch"],
        ..PLAIN
    },
    Program {
        names: &["zip"],
        long_runs: &["--unzip-command"],
        words: &["-TT"],
        prefixes: &["-TT"],
        ..PLAIN
    },
    Program { names: &["tcpdump"], runs: "zZ", writes: "w", valued: "BcCEFGijmMrsTVWy", ..PLAIN },
    Program {
        names: &["man"],
        runs: "PHpC",
        long_runs: &["--pager", "--html", "--preprocessor", "--config-file"],
        ..PLAIN
    },
    Program { names: &["shuf"], writes: "o", valued: "in", long_writes: &["--output"], ..PLAIN },
    Program { names: &["iconv"], writes: "o", valued: "ft", long_writes: &["--output"], ..PLAIN },
    Program { names: &["tree"], writes: "o", valued: "LPIHT", ..PLAIN },
    Program {
        names: &["xmllint"],
        long_runs: &["--shell"],
        long_writes: &["--output"],
        words: &["-shell"],
        writes: "o",
        ..PLAIN
    },
    Program {
        names: &["pandoc"],
        runs: "FLd",
        writes: "o",
        valued: "frtVMHBAc",
        long_runs: &["--filter", "--lua-filter", "--defaults", "--pdf-engine"],
        long_writes: &["--output", "--extract-media", "--log"],
        ..PLAIN
    },
    Program {
        names: &["less", "more", "most"],
        runs: "koO",
        long_runs: &[
            "--lesskey-file",
            "--lesskey-src",
            "--lesskey-content",
            "--log-file",
            "--LOG-FILE",
        ],
        prefixes: &["+"],
        ends_options: false,
        ..PLAIN
    },
    Program {
        names: &["vi", "vim", "nvim", "view", "vimdiff", "gvim", "ex", "rvim"],
        runs: "cSsuUwWilV",
        long_runs: &["--cmd", "--remote-send", "--remote-expr", "--listen", "--embed"],
        prefixes: &["+"],
        ends_options: false,
        ..PLAIN
    },
    Program {
        names: &["emacs", "emacsclient"],
        runs: "flexLu",
        long_runs: &[
            "--eval",
            "--execute",
            "--load",
            "--funcall",
            "--script",
            "--directory",
            "--user",
            "--insert",
        ],
        words: &["-eval", "-execute", "-load", "-script", "-funcall"],
        prefixes: &["+"],
        ends_options: false,
        ..PLAIN
    },
    Program {
        names: &["make", "gmake"],
        runs: "fIEC",
        valued: "jloW",
        long_runs: &["--eval", "--file", "--makefile", "--include-dir", "--directory"],
        ..PLAIN
    },
    Program {
        names: &["npm", "npx", "pnpm", "yarn"],
        runs: "c",
        long_runs: &[
            "--script-shell",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "--call",
            "--shell",
        ],
        words: &["config", "exec", "dlx"],
        ..PLAIN
    },
    Program { names: &["cargo"], runs: "Z", long_runs: &["--config"], ..PLAIN },
    Program {
        names: &["go"],
        words: &[
            "-exec",
            "-toolexec",
            "-vettool",
            "-overlay",
            "generate",
            "--exec",
            "--toolexec",
            "--vettool",
        ],
        prefixes: &[
            "-exec=",
            "-toolexec=",
            "-vettool=",
            "-overlay=",
            "--exec=",
            "--toolexec=",
            "--vettool=",
        ],
        ..PLAIN
    },
    Program {
        names: &["gcc", "g++", "cc", "c++", "clang", "clang++"],
        runs: "B",
        writes: "o",
        valued: "IDLlfWmgO",
        words: &["-wrapper", "-Xclang", "-load"],
        prefixes: &["-fplugin", "-specs", "--specs", "@", "-wrapper", "-fpass-plugin"],
        ..PLAIN
    },
    Program {
        names: &["pytest", "py.test"],
        runs: "pco",
        valued: "kmnr",
        long_runs: &["--rootdir", "--confcutdir", "--override-ini", "--config-file"],
        ..PLAIN
    },
    Program {
        names: &[
            "eslint", "prettier", "jest", "mocha", "vitest", "webpack", "rollup", "babel", "tsc",
        ],
        runs: "cr",
        long_runs: &[
            "--config",
            "--rulesdir",
            "--resolve-plugins-relative-to",
            "--plugin",
            "--parser",
            "--require",
            "--loader",
            "--globalSetup",
            "--testRunner",
            "--transform",
            "--preset",
            "--setupFiles",
        ],
        ..PLAIN
    },
    Program { names: &["cmake"], runs: "PEC", valued: "DGSB", ..PLAIN },
    Program {
        names: &["java", "javac"],
        prefixes: &[
            "-javaagent",
            "-agentlib",
            "-agentpath",
            "-XX:OnError",
            "-XX:OnOutOfMemoryError",
            "@",
            "-processor",
        ],
        ..PLAIN
    },
    Program {
        names: &["psql", "mysql", "mariadb"],
        runs: "cfe",
        long_runs: &["--command", "--file", "--execute", "--pager", "--init-command", "--init"],
        prefixes: &[".", "\\"],
        ..PLAIN
    },
    Program {
        names: &["nc", "ncat", "netcat"],
        runs: "ec",
        valued: "psiwo",
        long_runs: &["--exec", "--sh-exec", "--lua-exec"],
        ..PLAIN
    },
    Program {
        names: &["openssl"],
        words: &["-engine", "-provider", "-provider-path", "-config", "engine"],
        ..PLAIN
    },
    Program {
        names: &["gpg", "gpg2"],
        long_runs: &[
            "--agent-program",
            "--dirmngr-program",
            "--photo-viewer",
            "--keyboxd-program",
            "--options",
            "--load-extension",
        ],
        ..PLAIN
    },
    Program { names: &["hg"], long_runs: &["--config"], ..PLAIN },
    Program {
        names: &["svn"],
        long_runs: &[
            "--config-option",
            "--config-dir",
            "--editor-cmd",
            "--diff-cmd",
            "--diff3-cmd",
        ],
        ..PLAIN
    },
    Program {
        names: &["apt", "apt-get", "aptitude"],
        runs: "oc",
        long_runs: &["--option", "--config-file"],
        ..PLAIN
    },
    Program {
        names: &["rpm", "rpmbuild"],
        runs: "ED",
        long_runs: &["--eval", "--pipe", "--define", "--rcfile", "--macros", "--load"],
        ..PLAIN
    },
    Program {
        names: &["kubectl", "helm"],
        long_runs: &["--kubeconfig", "--post-renderer"],
        ..PLAIN
    },
    Program {
        names: &["bat", "batcat", "delta", "gh"],
        long_runs: &["--pager"],
        words: &["alias", "extension"],
        ..PLAIN
    },
    Program {
        names: &["fzf"],
        long_runs: &["--preview", "--bind", "--listen", "--with-shell"],
        harmless: &["--preview-window", "--preview-label"],
        ..PLAIN
    },
    Program { names: &["ctags"], long_runs: &["--options", "--_xformat"], ..PLAIN },
    // What the shell itself runs, loads or evaluates.
    Program { names: &["enable"], runs: "f", ..PLAIN },
    Program { names: &["hash"], runs: "p", ..PLAIN },
    Program { names: &["mapfile", "readarray"], runs: "C", ..PLAIN },
    Program { names: &["complete", "compgen"], runs: "CF", ..PLAIN },
];

/// Programs whose arguments are a command, in a form that is not looked into.
const LAUNCHERS: [&str; 44] = [
    "alias",
    "at",
    "batch",
    "bind",
    "busybox",
    "bwrap",
    "caffeinate",
    "chroot",
    "chronic",
    "chrt",
    "crontab",
    "dbus-run-session",
    "entr",
    "expect",
    "fakeroot",
    "fc",
    "firejail",
    "flock",
    "gdb",
    "ionice",
    "let",
    "ltrace",
    "nsenter",
    "parallel",
    "perf",
    "pkexec",
    "proxychains",
    "proxychains4",
    "runuser",
    "script",
    "setarch",
    "setsid",
    "socat",
    "start-stop-daemon",
    "strace",
    "su",
    "systemd-run",
    "taskset",
    "tmux",
    "screen",
    "toybox",
    "torsocks",
    "unshare",
    "watch",
];

/// What `program` does because of `arguments`, the first of which is its name.
pub(super) fn deeds(program: &str, arguments: &[Argument]) -> Vec<Deed> {
    let rest = &arguments[1..];
    if LAUNCHERS.contains(&program)
        || program.starts_with("ld-linux")
        || program.starts_with("ld.so")
    {
        let first = rest.first().map(|first| Deed::runs(first, first.text(), RUNS_ANOTHER));
        return first.into_iter().collect();
    }
    match program {
        "git" => return git::deeds(arguments),
        "find" | "gfind" => return find(rest),
        "awk" | "gawk" | "mawk" | "nawk" => return language::awk(rest),
        "sed" | "gsed" => return language::sed(rest),
        "dd" => return dd(rest),
        "sqlite3" => return stdin::sqlite(arguments),
        "uniq" | "guniq" => return second_operand(rest, "fsw"),
        "xxd" => return second_operand(rest, "cglnoRs"),
        "psql" | "mysql" | "mariadb" => {
            let mut deeds = options(program, rest);
            deeds.extend(stdin::client(arguments));
            return deeds;
        }
        "source" | "." => {
            return rest.first().and_then(stdin::not_a_file).into_iter().collect();
        }
        "make" | "gmake" => {
            let sets = |argument: &&Argument| {
                argument.prefix.contains('=') && !argument.prefix.starts_with('-')
            };
            let set = rest.iter().find(sets);
            let mut deeds = options("make", rest);
            deeds.extend(
                set.map(|set| Deed::runs(set, set.text(), "changes what the makefile runs")),
            );
            return deeds;
        }
        "export" | "declare" | "typeset" | "local" | "readonly" | "read" | "printf" | "unset"
        | "test" | "[" | "getopts" | "mapfile" | "readarray" | "wait" => {
            let mut deeds = language::builtin(program, rest);
            deeds.extend(options(program, rest));
            return deeds;
        }
        _ => {}
    }
    options(program, rest)
}

fn options(program: &str, rest: &[Argument]) -> Vec<Deed> {
    match PROGRAMS.iter().find(|known| known.names.contains(&program)) {
        None => Vec::new(),
        Some(known) => {
            let mut deeds = known.found(rest);
            // `tar xIf`: the first word may be options without a dash.
            if program.ends_with("tar")
                && let Some(first) = rest.first().filter(|first| !first.text().starts_with('-'))
                && first.text().contains(|c| known.runs.contains(c))
                && first.text().chars().all(|c| c.is_ascii_alphanumeric())
            {
                deeds.push(Deed::runs(first, first.text(), RUNS_ANOTHER));
            }
            deeds
        }
    }
}

impl Program {
    /// What these arguments make it do.
    pub(super) fn found(&self, arguments: &[Argument]) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let Some(text) = argument.value.as_deref() else {
                if argument.may_be_option() {
                    let what = "may get an option from this, which is only known when it runs";
                    deeds.push(Deed::runs(argument, "", what));
                }
                continue;
            };
            if text == "--" && self.ends_options {
                break;
            }
            let next = || arguments.get(at + 1).cloned();
            if self.words.contains(&text) || self.prefixes.iter().any(|p| text.starts_with(p)) {
                deeds.push(Deed::runs(argument, text, RUNS_ANOTHER));
            } else if text.starts_with("--") {
                deeds.extend(self.long(argument, text, next()));
            } else if text.len() > 1 && text.starts_with('-') {
                deeds.extend(self.short(argument, text, next()));
            }
        }
        deeds
    }

    fn long(&self, argument: &Argument, text: &str, next: Option<Argument>) -> Option<Deed> {
        let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
        if name.len() < 3 || self.harmless.contains(&name) {
            return None;
        }
        let is_short_for = |long: &&&str| long.starts_with(name);
        if let Some(option) = self.long_runs.iter().find(is_short_for) {
            return Some(Deed::runs(argument, option, RUNS_ANOTHER));
        }
        let option = self.long_writes.iter().find(is_short_for)?;
        let file = match value {
            Some(value) => Argument::known(argument.span.clone(), value),
            None if option.starts_with("--remote-") => {
                Argument::unknown(argument.span.clone(), "./", false)
            }
            None => next?,
        };
        Some(Deed::writes(argument, option, file))
    }

    fn short(&self, argument: &Argument, text: &str, next: Option<Argument>) -> Option<Deed> {
        for (at, letter) in text.char_indices().skip(1) {
            let option = format!("-{letter}");
            if self.runs.contains(letter) {
                return Some(Deed::runs(argument, &option, RUNS_ANOTHER));
            }
            if self.writes_named.contains(letter) {
                let file = Argument::unknown(argument.span.clone(), "./", false);
                return Some(Deed::writes(argument, &option, file));
            }
            if self.writes.contains(letter) {
                let value = &text[at + letter.len_utf8()..];
                let file = if value.is_empty() {
                    next?
                } else {
                    Argument::known(argument.span.clone(), value)
                };
                return Some(Deed::writes(argument, &option, file));
            }
            if self.valued.contains(letter) {
                return None;
            }
        }
        None
    }
}

fn find(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() {
                let what = "may get an option from this, which is only known when it runs";
                deeds.push(Deed::runs(argument, "", what));
            }
            continue;
        };
        match text {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &arguments[at..];
                // `+` ends it only right after `{}`; elsewhere it is an argument.
                let ends = |at: &usize| match rest[*at].text() {
                    ";" => true,
                    "+" => *at > 0 && rest[at - 1].text() == "{}",
                    _ => false,
                };
                let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
                let mut command = rest[..end].to_vec();
                if let Some(unknown) = command.iter().find(|argument| argument.may_be_option()) {
                    let what = "may end the command here, which is only known when it runs";
                    deeds.push(Deed::runs(unknown, "", what));
                }
                for argument in &mut command {
                    super::wrapper::substitute(argument, "{}");
                }
                at += end + 1;
                let effect = Effect::Command(command);
                // A command that is not looked into cannot be named away: the option is empty.
                deeds.push(Deed { span: argument.span.clone(), option: String::new(), effect });
            }
            "-delete" => {
                let found = Argument::unknown(argument.span.clone(), "./", false);
                let command = vec![Argument::known(argument.span.clone(), "rm"), found];
                let effect = Effect::Command(command);
                deeds.push(Deed { span: argument.span.clone(), option: text.to_owned(), effect });
            }
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                if let Some(file) = arguments.get(at) {
                    deeds.push(Deed::writes(argument, text, file.clone()));
                }
            }
            _ => {}
        }
    }
    deeds
}

/// `uniq` and `xxd`, whose second operand is the file that they write.
fn second_operand(arguments: &[Argument], valued: &str) -> Vec<Deed> {
    let (mut operands, mut is_value, mut ended) = (Vec::new(), false, false);
    for argument in arguments {
        let text = argument.text();
        if std::mem::replace(&mut is_value, false) {
            continue;
        }
        if !ended && argument.may_be_option() {
            return vec![Deed::runs(argument, "", "may get a file to write from this")];
        }
        match text {
            "--" if !ended => ended = true,
            _ if !ended && text.len() > 1 && text.starts_with('-') => {
                is_value = text.len() == 2 && text.ends_with(|letter| valued.contains(letter));
            }
            _ => operands.push(argument),
        }
    }
    operands.get(1).map(|file| Deed::writes(file, "", (*file).clone())).into_iter().collect()
}

fn dd(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for argument in arguments {
        if let Some(file) = argument.prefix.strip_prefix("of=") {
            let file = match argument.value {
                Some(_) => Argument::known(argument.span.clone(), file),
                None => Argument::unknown(argument.span.clone(), file, false),
            };
            deeds.push(Deed::writes(argument, "of=", file));
        } else if argument.value.is_none() && "of=".starts_with(&argument.prefix) {
            deeds.push(Deed::runs(argument, "", "may get a file to write from this"));
        }
    }
    deeds
}
