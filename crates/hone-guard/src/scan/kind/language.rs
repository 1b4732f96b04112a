//! The language of a text: by its shebang, its name, the label of a block, or what its start looks like. Each
//! of these is asked alone; what counts more is decided around it.

/// A language whose flows are followed, or a form of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    Markdown,
    Shell,
    Fish,
    Python,
    JavaScript,
    Ruby,
    Perl,
    PowerShell,
    Batch,
    Php,
    Go,
    Lua,
    Make,
    AppleScript,
    /// Compiled languages with braces (Rust, Java, C#, Kotlin, Swift, C), and others that are read by their
    /// names and strings alone (R, Julia, Elixir, Groovy, Terraform, `VBScript`, Lisp).
    Braces,
    Json,
    Yaml,
    Toml,
    Ini,
    Html,
    Plain,
}

impl Language {
    /// Whether an interpreter runs files of this language.
    pub(crate) fn runs(self) -> bool {
        !matches!(
            self,
            Self::Markdown
                | Self::Json
                | Self::Yaml
                | Self::Toml
                | Self::Ini
                | Self::Html
                | Self::Plain
        )
    }

    /// The language of a fenced block's info string.
    pub(crate) fn of_fence(info: &str) -> Option<Self> {
        let word =
            info.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':')).next()?;
        Some(match word.to_ascii_lowercase().as_str() {
            "sh" | "bash" | "zsh" | "shell" | "console" | "terminal" | "shell-session" | "ksh"
            | "bat-shell" => Self::Shell,
            "fish" => Self::Fish,
            "py" | "python" | "python3" | "py3" | "ipython" => Self::Python,
            "js" | "javascript" | "ts" | "typescript" | "jsx" | "tsx" | "mjs" | "node" | "cjs" => {
                Self::JavaScript
            }
            "rb" | "ruby" => Self::Ruby,
            "pl" | "perl" => Self::Perl,
            "ps1" | "powershell" | "pwsh" | "ps" => Self::PowerShell,
            "bat" | "batch" | "cmd" | "dos" => Self::Batch,
            "php" => Self::Php,
            "go" | "golang" => Self::Go,
            "lua" => Self::Lua,
            "make" | "makefile" => Self::Make,
            "applescript" | "osascript" => Self::AppleScript,
            "rust" | "rs" | "java" | "csharp" | "cs" | "kotlin" | "swift" | "c" | "cpp" | "r"
            | "julia" | "elixir" | "groovy" | "terraform" | "hcl" | "vbscript" | "elisp" => {
                Self::Braces
            }
            "json" | "jsonc" | "json5" => Self::Json,
            "yaml" | "yml" => Self::Yaml,
            "toml" => Self::Toml,
            "ini" | "conf" | "cfg" | "systemd" | "desktop" | "properties" | "gitconfig"
            | "npmrc" => Self::Ini,
            "html" | "xml" | "svg" | "plist" => Self::Html,
            _ => return None,
        })
    }
}

/// Whether a text called a plain one begins as only a script or a program does.
pub(super) fn begins_as_code(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 256;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]);
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| {
        line.starts_with("<?php")
            || line == "package main"
            || line.eq_ignore_ascii_case("@echo off")
    })
}

pub(super) fn by_shebang(bytes: &[u8]) -> Option<Language> {
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let line = bytes.strip_prefix(b"#!")?;
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len()).min(256)];
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = program.rsplit('/').next()?;
    }
    of_interpreter(program)
}

/// The language that a program runs.
pub(crate) fn of_interpreter(program: &str) -> Option<Language> {
    let stem =
        program.trim_end_matches(".exe").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match stem {
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "busybox" => Language::Shell,
        "fish" => Language::Fish,
        "python" | "pypy" | "uv" | "ipython" => Language::Python,
        "node" | "deno" | "bun" | "tsx" | "ts-node" | "nodejs" => Language::JavaScript,
        "ruby" => Language::Ruby,
        "perl" => Language::Perl,
        "pwsh" | "powershell" => Language::PowerShell,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "make" => Language::Make,
        "osascript" => Language::AppleScript,
        "cmd" => Language::Batch,
        "Rscript" | "tclsh" | "wish" | "expect" | "julia" | "octave" | "guile" => Language::Braces,
        _ => return None,
    })
}

pub(super) fn by_name(path: &str) -> Option<Language> {
    let name = path.rsplit(['/', '!']).next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "dockerfile" | "containerfile" | "crontab" | "procfile" => return Some(Language::Plain),
        "makefile" | "gnumakefile" | "justfile" | ".justfile" => return Some(Language::Make),
        "rakefile" | "gemfile" | "vagrantfile" => return Some(Language::Ruby),
        ".npmrc" | ".yarnrc" | "pip.ini" | ".pypirc" | "pip.conf" | ".gitconfig"
        | ".gitmodules" | ".curlrc" | ".wgetrc" | ".env" => return Some(Language::Ini),
        ".bashrc" | ".zshrc" | ".profile" | ".bash_profile" | ".zprofile" | ".envrc" => {
            return Some(Language::Shell);
        }
        "config" if path.contains(".git/") || path.contains(".config/git/") => {
            return Some(Language::Ini);
        }
        "config" if path.contains(".ssh/") => return Some(Language::Plain),
        "config" if path.contains(".bundle/") => return Some(Language::Yaml),
        "jenkinsfile" => return Some(Language::Braces),
        "pipfile" | ".replit" => return Some(Language::Toml),
        ".condarc" | ".gemrc" => return Some(Language::Yaml),
        _ => {}
    }
    let (stem, extension) = lower.rsplit_once('.')?;
    // `transport.py.txt`, `hook.sh.tmpl`: a text that becomes code where it is copied to.
    const TEMPLATES: [&str; 12] = [
        "txt", "tmpl", "tpl", "template", "j2", "jinja", "jinja2", "in", "dist", "sample", "bak",
        "stub",
    ];
    if TEMPLATES.contains(&extension)
        && let Some(language) = stem.contains('.').then(|| by_name(stem)).flatten()
        && language.runs()
    {
        return Some(language);
    }
    Some(match extension {
        "md" | "markdown" | "mdx" | "mdc" | "rst" => Language::Markdown,
        "sh" | "bash" | "zsh" | "ksh" | "command" | "bats" | "awk" | "gawk" => Language::Shell,
        "fish" => Language::Fish,
        "py" | "pyw" | "pyi" | "pth" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Language::JavaScript,
        "rb" | "rake" | "gemspec" | "ru" => Language::Ruby,
        "rs" | "java" | "cs" | "kt" | "kts" | "swift" | "scala" | "dart" | "c" | "cc" | "cpp"
        | "h" | "r" | "jl" | "ex" | "exs" | "groovy" | "gradle" | "nim" | "cr" | "tf" | "hcl"
        | "tcl" | "el" | "clj" | "hs" | "zig" | "m" | "nix" | "pp" | "vbs" | "bas" | "vba"
        | "wsf" => Language::Braces,
        "pl" | "pm" => Language::Perl,
        "ps1" | "psm1" | "psd1" => Language::PowerShell,
        "bat" | "cmd" => Language::Batch,
        "php" => Language::Php,
        "go" => Language::Go,
        "lua" => Language::Lua,
        "mk" => Language::Make,
        "applescript" | "scpt" => Language::AppleScript,
        "json" | "jsonc" | "json5" | "ipynb" | "code-workspace" | "webmanifest" | "ign" => {
            Language::Json
        }
        "yaml" | "yml" | "bu" | "sls" => Language::Yaml,
        "toml" => Language::Toml,
        "repo" | "ini" | "cfg" | "conf" | "properties" | "service" | "timer" | "desktop"
        | "reg" => Language::Ini,
        "html" | "htm" | "svg" | "xml" | "xhtml" | "plist" => Language::Html,
        "txt" | "text" | "log" | "csv" | "tsv" => Language::Plain,
        _ => return None,
    })
}

/// A text without a telling name: what its start looks like.
pub(super) fn by_look(bytes: &[u8]) -> Language {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]);
    let start = head.trim_start();
    let lines = || start.lines().map(str::trim);
    if start.starts_with("<?php") {
        Language::Php
    } else if lines().any(|line| line.eq_ignore_ascii_case("@echo off")) {
        Language::Batch
    } else if start.starts_with('<') {
        Language::Html
    } else if start.starts_with('{') || start.starts_with('[') {
        Language::Json
    } else if lines().any(|line| line == "package main" || line.starts_with("func main(")) {
        Language::Go
    } else if lines().any(|line| {
        line.starts_with("import ") && !line.ends_with(';')
            || line.starts_with("from ") && line.contains(" import ")
            || line.starts_with("def ")
    }) {
        Language::Python
    } else if lines().any(|line| {
        line.starts_with("const ")
            || line.starts_with("require(")
            || line.starts_with("import ")
            || line.starts_with("function ")
    }) {
        Language::JavaScript
    } else if lines().any(|line| {
        line.starts_with("set -e")
            || line.starts_with("export ")
            || line.starts_with("curl ")
            || line.starts_with("if [")
            || line.starts_with("nohup ")
            || line.ends_with("| sh")
            || line.ends_with("| bash")
            || line.contains("$(curl ")
            || line.starts_with("(curl ")
            || line.starts_with("wget ")
    }) {
        Language::Shell
    } else if lines().any(|line| {
        line.starts_with("require \"")
            || line.starts_with("require '")
            || line.starts_with("require_relative ")
            || line.starts_with("task :")
    }) {
        Language::Ruby
    } else if lines().any(|line| line.starts_with("use strict") || line.starts_with("my ($")) {
        Language::Perl
    } else if lines().any(|line| line.starts_with("param(") || line.starts_with("$env:")) {
        Language::PowerShell
    } else if lines().any(|line| line.starts_with("local ") && line.contains(" = require")) {
        Language::Lua
    } else if lines().any(|line| line.starts_with("# ") || line.starts_with("## ")) {
        Language::Markdown
    } else {
        Language::Plain
    }
}
