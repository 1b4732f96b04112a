//! Where package managers are told to take packages from, whatever the form of the file: the lines of
//! each that name a source, and the variables that do.

use super::File;
use super::packages::{is_stranger, is_usual_index};
use crate::scan::Skill;
use crate::scan::destination::addresses;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::has_extension;
use crate::scan::rules;
use crate::scan::text::floor;

/// Bytes of a file that are looked at, and before an address in which it is said what it is for.
const MAX_LOOKED_AT: usize = 256 * 1024;
const BEFORE: usize = 160;
/// Sources of one file that are told.
const MAX_SOURCES: usize = 8;

/// Files by name, and the words just before an address that make it a source of packages.
#[rustfmt::skip]
const FILES: &[(&str, &[&str])] = &[
    (".npmrc", &["registry"]), ("npmrc", &["registry"]), (".yarnrc", &["registry"]), (".yarnrc.yml", &["npmRegistryServer"]),
    ("bunfig.toml", &["registry"]), ("package.json", &["\"registry\""]),
    ("package-lock.json", &["\"resolved\""]), ("npm-shrinkwrap.json", &["\"resolved\""]), ("yarn.lock", &["resolved "]), ("pnpm-lock.yaml", &["tarball:"]),
    ("pip.conf", &["index-url", "find-links", "index_url"]), ("pip.ini", &["index-url", "find-links"]), (".pypirc", &["repository"]),
    ("requirements.txt", &["index-url", "find-links"]), ("pipfile", &["url"]), ("pipfile.lock", &["\"url\""]),
    (".condarc", &["- ", "channel_alias", "channels"]), ("condarc", &["- ", "channel_alias"]),
    ("gemfile", &["source"]), (".gemrc", &["- ", "sources"]), ("gemfile.lock", &["remote:"]),
    ("go.env", &["GOPROXY"]), ("env", &["GOPROXY"]),
    ("settings.xml", &["<mirror>", "<repository>", "<pluginRepository>"]), ("pom.xml", &["<repository>", "<pluginRepository>"]),
    ("gradle-wrapper.properties", &["distributionUrl"]), ("maven-wrapper.properties", &["distributionUrl", "wrapperUrl"]),
    ("nuget.config", &["<add "]), ("composer.json", &["\"repositories\"", "\"packagist.org\""]), ("auth.json", &[]),
    (".rprofile", &["repos"]), ("rprofile.site", &["repos"]), ("daemon.json", &["registry-mirrors"]),
    (".pre-commit-config.yaml", &["repo:"]), ("sources.list", &["deb "]), ("apk-repositories", &["http"]),
    ("pyproject.toml", &["index-url", "[[tool.uv.index]]", "[[tool.poetry.source]]", "[[tool.pdm.source]]"]), ("uv.toml", &["index-url", "[[index]]"]),
    ("config.toml", &["registry =", "index ="]), ("rust-toolchain.toml", &[]), ("package.swift", &[]),
    ("config", &["BUNDLE_MIRROR"]), (".bundle", &["BUNDLE_MIRROR"]), ("pubspec.yaml", &["hosted:"]), ("conan.conf", &["url"]), ("remotes.json", &["\"url\""]),
];

/// The same by the ending of the file.
#[rustfmt::skip]
const ENDINGS: &[(&str, &[&str])] = &[
    ("gradle", &["maven", "ivy"]), ("kts", &["maven"]), ("nix", &["substituters"]), ("list", &["deb "]),
    ("repo", &["baseurl", "mirrorlist"]), ("sources", &["URIs:"]), ("r", &["repos"]), ("tf", &["source"]), ("tfrc", &["url"]),
];

/// Variables that do the same wherever they are set.
#[rustfmt::skip]
const VARIABLES: &[&str] = &[
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL",
    "NPM_CONFIG_REGISTRY", "npm_config_registry", "YARN_NPM_REGISTRY_SERVER", "YARN_REGISTRY", "GOPROXY", "RUSTUP_DIST_SERVER",
    "BUNDLE_MIRROR__ALL", "HOMEBREW_BOTTLE_DOMAIN", "HOMEBREW_API_DOMAIN", "HOMEBREW_BREW_GIT_REMOTE", "CARGO_REGISTRIES_CRATES_IO",
    "CARGO_SOURCE_CRATES_IO", "npm config set registry", "pip config set global.index-url", "yarn config set registry",
    "pnpm config set registry", "gem sources --add", "gem sources -a", "conda config --add channels", "bundle config mirror",
];

/// Looks at a file, or at a block that will be one.
pub(super) fn look(file: &File<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let text = &file.text.plain[..floor(&file.text.plain, MAX_LOOKED_AT)];
    if file.context == Context::Fixture || !text.contains("://") {
        return;
    }
    let name = file.name().to_ascii_lowercase();
    let of_file = FILES.iter().filter(|(known, _)| *known == name).flat_map(|(_, marks)| *marks);
    let of_ending = ENDINGS
        .iter()
        .filter(|(ending, _)| has_extension(&name, ending))
        .flat_map(|(_, marks)| *marks);
    let marks: Vec<&str> = of_file.chain(of_ending).copied().collect();
    // A document speaks of them, and a script's commands are looked at one by one.
    let is_set = !file.path.is_empty() || !file.language.runs();
    if marks.is_empty() && !VARIABLES.iter().any(|variable| is_set && text.contains(variable)) {
        return;
    }
    let mut told = 0;
    for address in addresses(text) {
        let from = floor(text, address.range.start.saturating_sub(BEFORE));
        let before = &text[from..address.range.start];
        let line = before.rsplit('\n').next().unwrap_or(before);
        // A list may stand below its key; an element of XML may be far from its end.
        let marked = |mark: &&str| match *mark {
            mark if mark.starts_with('<') || mark.starts_with("[[") => {
                before.rfind(mark).is_some_and(|at| {
                    !before[at..].contains(&mark.replace('<', "</"))
                        && (!mark.starts_with("[[")
                            || before[at..].contains("url") && !before[at + 1..].contains("\n["))
                })
            }
            "\"repositories\"" | "registry-mirrors" | "substituters" | "maven" | "ivy"
            | "repos" => before.contains(mark),
            "source" if name == "gemfile" => line.trim_start().starts_with("source"),
            "source" => {
                line.contains("source") && line.contains('=') && address.url.ends_with("zip")
            }
            mark => line.contains(mark),
        };
        let named = marks.iter().any(marked)
            || is_set && VARIABLES.iter().any(|variable| line.contains(variable));
        let strange = is_stranger(address.url, skill) && !is_usual_index(address.url);
        if named && strange {
            let found = Match::new(
                &rules::PACKAGE_SOURCE,
                Severity::Warn,
                "packages are taken from somebody's host",
            );
            file.add(
                address.range.start,
                &file.text.plain[file.text.line_at(address.range.start)],
                found,
                findings,
            );
            told += 1;
            if told == MAX_SOURCES {
                break;
            }
        }
    }
}
