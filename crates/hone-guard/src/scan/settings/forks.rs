//! A known package replaced by somebody's copy of it: the manifest still names what everybody trusts,
//! and another line has it come from elsewhere.

use super::File;
use super::leaf::Leaf;
use crate::scan::finding::{Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::rules;

fn replaced(what: &str, by: &str) -> Match {
    let message = format!("the package `{what}` is replaced by somebody's copy");
    Match::new(&rules::PACKAGE_SOURCE, Severity::Warn, message)
        .with(Flow::new(what.to_owned(), "the package that is built").to(by.to_owned()))
}

/// `replace golang.org/x/crypto => github.com/somebody/crypto v1.0.0` of a `go.mod` or `go.work`.
pub(super) fn look_modules(file: &File<'_>, findings: &mut Findings<'_>) {
    if !matches!(file.name(), "go.mod" | "go.work") {
        return;
    }
    let mut at = 0;
    for line in file.text.plain.split_inclusive('\n') {
        let said = line.split("//").next().unwrap_or(line).trim();
        let said = said.strip_prefix("replace").unwrap_or(said).trim_start();
        if let Some((from, to)) = said.split_once("=>") {
            let [from, to] = [from, to].map(|m| m.split_whitespace().next().unwrap_or_default());
            if !to.starts_with(['.', '/']) && !is_same_owner(from, to) {
                file.add(at, line.trim(), replaced(from, to), findings);
            }
        }
        at += line.len();
    }
}

/// `[patch.crates-io]`, `overrides`, `resolutions`, `tool.uv.sources`: packages taken from a repository,
/// or from a package of another name.
pub(super) fn look_settings(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    for leaf in leaves {
        let keys: Vec<&str> =
            leaf.path.iter().filter(|key| !key.starts_with('#')).map(|key| &**key).collect();
        let package = match (file.name(), keys.as_slice()) {
            ("Cargo.toml", ["patch", _, package, "git"] | ["replace", package, "git"])
            | (
                "package.json",
                ["overrides" | "resolutions", .., package] | ["pnpm", "overrides", .., package],
            )
            | ("pyproject.toml", ["tool", "uv", "sources", package, "git" | "url"]) => *package,
            _ => continue,
        };
        let name = package.rsplit(['/', '>']).next().unwrap_or(package);
        // `lodash@^4`: a range of versions is part of the key.
        let name = name.split('@').find(|part| !part.is_empty()).unwrap_or(name);
        let value = leaf.value.as_str();
        let alias = value.strip_prefix("npm:").map(|alias| {
            let end = alias.rfind('@').filter(|at| *at > 0).unwrap_or(alias.len());
            &alias[..end]
        });
        // `https://github.com/user/repo`: to be filled in.
        if file.is_block() && owner(value).is_some_and(|owner| ANYBODY.contains(&&*owner)) {
            continue;
        }
        let elsewhere = match alias {
            Some(alias) => alias != name && !alias.ends_with(&format!("/{name}")),
            None => {
                is_repository(value) && !owner(value).is_some_and(|owner| is_akin(&owner, name))
            }
        };
        if elsewhere {
            file.add(leaf.start(), value, replaced(name, value), findings);
        }
    }
}

/// Owners of repositories in examples.
const ANYBODY: [&str; 10] = [
    "user",
    "username",
    "org",
    "organization",
    "owner",
    "your-org",
    "your-username",
    "myorg",
    "example",
    "<owner>",
];

/// An address, or `owner/repository` of a code forge.
fn is_repository(value: &str) -> bool {
    value.contains("://") || value.starts_with("git@") || value.starts_with("github:")
}

/// Who a repository belongs to: the part behind its host.
fn owner(address: &str) -> Option<String> {
    let address = address.trim_start_matches("git+");
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => address.split_once(':')?.1,
    };
    path.split('/').next().map(str::to_ascii_lowercase)
}

/// Whether an owner's name and a package's have a word in common.
fn is_akin(owner: &str, package: &str) -> bool {
    let package = package.to_ascii_lowercase();
    let mut words = package.split(['-', '_', '.']).filter(|word| word.len() > 2);
    words.any(|word| owner.contains(word)) || package.contains(owner)
}

/// Whether two modules belong to one owner of one host.
fn is_same_owner(one: &str, other: &str) -> bool {
    let owner = |module: &str| -> Vec<String> {
        module.split('/').take(2).map(str::to_ascii_lowercase).collect()
    };
    owner(one) == owner(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_the_same_owner_is_no_replacement() {
        assert!(is_same_owner("github.com/ada/a", "github.com/Ada/b"));
        assert!(!is_same_owner("github.com/ada/a", "github.com/eve/a"));
        assert!(!is_same_owner("golang.org/x/crypto", "github.com/eve/crypto"));
    }

    #[test]
    fn an_owner_is_akin_to_what_bears_its_name() {
        assert_eq!(owner("git+https://github.com/Tokio-rs/tokio.git").as_deref(), Some("tokio-rs"));
        assert!(is_akin("tokio-rs", "tokio") && !is_akin("eve", "tokio"));
    }
}
