//! Programs with the options that make them run another one or write a file, and programs whose arguments are
//! a command. One entry for each family of programs.

use super::{PLAIN, Program};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["tar", "gtar", "bsdtar"],
        runs: "IF",
        writes: "g",
        valued: "fCTXbHKLNV",
        long_runs: &[
            "--to-command",
            "--use-compress-program",
            "--checkpoint-action",
            "--rsh-command",
            "--rmt-command",
            "--info-script",
            "--new-volume-script",
        ],
        long_writes: &["--index-file", "--listed-incremental", "--volno-file"],
        harmless: &["--checkpoint", "--list"],
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
            "--ssl-sessions",
            "--output-dir",
            "--remote-name",
            "--remote-name-all",
            "--remote-header-name",
        ],
        harmless: &["--trace-time", "--trace-ids", "--ssl"],
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
            "--rejected-log",
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
            "--browser",
            "--editor",
            "--git",
            "--viewer",
            "--init-module",
            "--init.module",
        ],
        words: &["config", "exec", "dlx"],
        harmless: &["--global"],
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
        long_writes: &["--junitxml", "--junit-xml", "--log-file", "--report-log"],
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
        writes: "o",
        valued: "ruN",
        long_writes: &[
            "--output",
            "--log-file",
            "--logger-file",
            "--status-file",
            "--attribute-file",
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
    Program { names: &["complete", "compgen"], runs: "CFW", ..PLAIN },
    Program { names: &["jobs"], runs: "x", ..PLAIN },
    Program { names: &["history"], writes: "aw", ..PLAIN },
];

/// Programs whose arguments are a command, in a form that is not looked into.
pub(super) const LAUNCHERS: [&str; 44] = [
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
