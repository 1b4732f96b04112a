//! The settings of a repository that can name no program.
//!
//! Git has many settings that do, and every version adds some, so those that are let through are listed
//! instead: what `git init` and `git clone` write, and who commits. What is let through is written anew
//! from its parts, so nothing of another shape can hide in it.

use std::fmt::Write as _;

/// Sections, whether they have a name of their own, and the settings that are let through.
const HARMLESS: [(&str, Named, &[&str]); 6] = [
    (
        "core",
        Named::No,
        &[
            "bare",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "precomposeunicode",
            "repositoryformatversion",
            "symlinks",
        ],
    ),
    ("extensions", Named::No, &["compatobjectformat", "objectformat", "refstorage"]),
    ("user", Named::No, &["email", "name"]),
    ("remote", Named::Yes, &["fetch", "mirror", "tagopt", "url"]),
    ("branch", Named::Yes, &["merge", "rebase", "remote"]),
    ("submodule", Named::Yes, &["active", "url"]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Yes,
    No,
}

/// What is left of settings without all that is not known to be harmless.
pub(super) fn harmless(text: &str) -> String {
    let mut kept = String::new();
    let mut allowed: &[&str] = &[];
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            allowed = &[];
            if let Some((section, name, settings)) = section(line) {
                allowed = settings;
                let _ = match name {
                    Some(name) => writeln!(kept, "[{section} \"{name}\"]"),
                    None => writeln!(kept, "[{section}]"),
                };
            }
        } else if let Some((key, value)) = line.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            if allowed.iter().any(|known| key.eq_ignore_ascii_case(known)) && is_plain(value) {
                let _ = writeln!(kept, "\t{key} = {value}");
            }
        }
    }
    kept
}

/// Whether a setting can name no program; its name is `section.setting` or `section.name.setting`.
pub(super) fn is_harmless(key: &str) -> bool {
    let (section, setting) = (key.split('.').next(), key.rsplit('.').next());
    let has_name = key.split('.').count() > 2;
    HARMLESS.iter().any(|(known, named, settings)| {
        section.is_some_and(|section| section.eq_ignore_ascii_case(known))
            && (*named == Named::Yes) == has_name
            && setting
                .is_some_and(|setting| settings.iter().any(|one| one.eq_ignore_ascii_case(setting)))
    })
}

/// A line that begins a section whose settings may be let through.
fn section(line: &str) -> Option<(&'static str, Option<&str>, &'static [&'static str])> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (title, name) = match inner.split_once(' ') {
        Some((title, name)) => (title, Some(name.strip_prefix('"')?.strip_suffix('"')?)),
        None => (inner, None),
    };
    let (section, _, settings) = HARMLESS.iter().find(|(section, named, _)| {
        title.eq_ignore_ascii_case(section) && (*named == Named::Yes) == name.is_some()
    })?;
    name.is_none_or(is_plain).then_some((section, name, settings))
}

/// Whether a text means itself: nothing is quoted, goes on in the next line, or is a remark.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() || matches!(c, '"' | '\\' | '#' | ';' | '[' | ']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_for_a_clone_is_let_through() {
        let text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote \"origin\"]\n\turl = \
                    https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \
                    \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
        assert_eq!(harmless(text), text);
    }

    #[test]
    fn what_can_name_a_program_is_not_however_it_is_written() {
        for evil in [
            "[core]\n\tfsmonitor = evil\n",
            "[core] fsmonitor = evil\n",
            "[CORE]\n\tHooksPath = evil\n",
            "[core]\n\tbare = false \\\n[core]\n\tsshCommand = evil\n",
            "[include]\n\tpath = ../evil\n",
            "[includeIf \"gitdir:.\"]\n\tpath = ../evil\n",
            "[filter \"x\"]\n\tclean = evil\n",
            "[remote \"origin\"]\n\tuploadpack = evil\n",
            "[remote \"a\\\"]\n[core]\n\tpager = evil\n",
            "[core.x]\n\teditor = evil\n",
            "[submodule \"x\"]\n\tupdate = !evil\n",
            "[alias]\n\tstatus = !evil\n",
            "[credential \"https://example.com\"]\n\thelper = !evil\n",
            "[core]\r\tfsmonitor = evil\r\n",
        ] {
            let kept = harmless(evil);
            assert!(!kept.contains("evil"), "{evil:?} left {kept:?}");
        }
    }
}
