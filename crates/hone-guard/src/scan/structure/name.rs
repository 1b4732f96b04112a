//! Names that mislead or hide.

use crate::scan::kind::Kind;

#[rustfmt::skip]
const DOCUMENTS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt",
    "mp3", "mp4", "csv", "ico", "svg", "rtf", "odt",
];
#[rustfmt::skip]
const RUNNING: &[&str] = &[
    "sh", "bash", "zsh", "command", "bat", "cmd", "exe", "scr", "com", "pif", "ps1", "vbs", "vbe",
    "wsf", "hta", "js", "jar", "py", "pl", "rb", "lnk", "msi", "app", "scpt", "desktop", "php",
    "mjs",
];

/// How a name misleads, if it does.
pub(super) fn misleads(path: &str, kind: Kind) -> Option<&'static str> {
    let name = path.rsplit(['/', '!']).next().unwrap_or(path);
    if path.contains([
        '\u{202A}', '\u{202B}', '\u{202D}', '\u{202E}', '\u{2066}', '\u{2067}', '\u{2068}',
    ]) {
        return Some("characters in the name change the direction in which it reads");
    }
    if path.contains(|c: char| c.is_control()) {
        return Some("the name holds control characters");
    }
    let lower = name.to_lowercase();
    let mut parts = lower.rsplit('.');
    let (last, before) = (parts.next()?, parts.next()?);
    let runs = RUNNING.contains(&last.trim()) || matches!(kind, Kind::Executable(_));
    if runs
        && parts.next().is_some()
        && DOCUMENTS.contains(&before.trim())
        && last.trim() != before.trim()
    {
        return Some("a program with the name of a document");
    }
    if runs && name.contains("     ") {
        return Some("blanks in the name push its ending out of sight");
    }
    None
}

/// Whether a script hides behind a dot, in its name or in a folder that no tool uses.
pub(super) fn is_hidden_script(path: &str) -> bool {
    #[rustfmt::skip]
    const FOLDERS: &[&str] = &[
        ".github", ".claude", ".claude-plugin", ".vscode", ".husky", ".devcontainer",
        ".git", ".circleci", ".storybook", ".cursor", ".cursor-plugin", ".agents", ".agent", ".codex",
        ".codex-plugin", ".gemini", ".opencode", ".openclaw", ".windsurf", ".kiro", ".pi", ".hermes",
        ".buildkite", ".gitlab", ".semgrep", ".yarn", ".cargo", ".docker", ".ci", ".idea",
        ".vitepress", ".vuepress", ".next", ".nuxt", ".well-known", ".changeset", ".githooks",
        ".factory", ".qwen", ".continue", ".roo", ".trae", ".venv",
        ".tox", ".nox",
    ];
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        ".envrc", ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".zshenv",
        ".bash_aliases", ".pryrc", ".irbrc", ".rspec", ".luacheckrc", ".latexmkrc", ".simplecov",
        ".startup.rb", ".dir-locals.el", ".vimrc",
    ];
    let mut parts = path.rsplit(['/', '!']);
    let name = parts.next().unwrap_or(path);
    let config = |name: &str| {
        let stem = name.trim_start_matches('.');
        // `.eslintrc.js`, `.prettierrc.mjs`, `.babel.config.js`, `.pnpmfile.cjs`
        stem.split('.').next().is_some_and(|first| first.ends_with("rc") || first == "pnpmfile")
            || stem.contains(".config.")
            || stem.starts_with("env.") && (stem.ends_with("example") || stem.ends_with("sample"))
    };
    if name.starts_with('.')
        && name.len() > 1
        && !NAMES.contains(&name)
        && !config(name)
        && name != ".env"
    {
        return true;
    }
    parts.any(|part| part.starts_with('.') && part.len() > 2 && !FOLDERS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::kind::Language;

    #[test]
    fn names_that_mislead_and_names_that_do_not() {
        let shell = Kind::Text(Language::Shell);
        for name in
            ["a/photo\u{202E}gnp.sh", "invoice.pdf.sh", "x.png            .exe", "b\u{7}.txt"]
        {
            assert!(misleads(name, shell).is_some(), "{name}");
        }
        for name in [
            "photo.png.md",
            "חומוס.md",
            "run.sh",
            "a.test.js",
            "data.csv.py.txt",
            "jquery.min.js",
            "fa\u{200C}رسی.md",
        ] {
            assert_eq!(misleads(name, Kind::Text(Language::Markdown)), None, "{name}");
        }
    }

    #[test]
    fn scripts_behind_dots_are_hidden_unless_a_tool_wants_them_there() {
        for path in ["scripts/.cache.sh", ".lib/mod.py", "a/.env.sh", "scripts/.profile.ps1"] {
            assert!(is_hidden_script(path), "{path}");
        }
        for path in [
            ".eslintrc.js",
            ".github/x.sh",
            ".prettierrc.mjs",
            "scripts/run.sh",
            ".envrc",
            "../x.sh",
        ] {
            assert!(!is_hidden_script(path), "{path}");
        }
    }
}
