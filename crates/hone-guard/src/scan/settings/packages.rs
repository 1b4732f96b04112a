//! Where packages come from, whether their names are what they seem, and what installing them runs.

use super::File;
use super::command::{Judged, judge};
use super::leaf::{Leaf, near};
use super::names::{CRATES, NPM, PYPI, mistaken_for};
use crate::scan::Skill;
use crate::scan::destination::{Class, addresses, classify, host, registry};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::{Language, has_extension};
use crate::scan::passage::Passage;
use crate::scan::{reach, rules};

/// Mirrors of registries, and the indexes of well-known projects.
#[rustfmt::skip]
const INDEXES: &[&str] = &[
    "pytorch.org", "pypi.nvidia.com", "nvidia.com", "pyg.org", "pytorch-geometric.com",
    "googleapis.com", "abetlen.github.io", "tuna.tsinghua.edu.cn", "mirrors.aliyun.com",
    "aliyun.com", "mirrors.ustc.edu.cn", "ustc.edu.cn", "tencent.com", "tencentyun.com",
    "huaweicloud.com", "douban.com", "bfsu.edu.cn",
    "taobao.org", "yarnpkg.com", "npm.pkg.github.com", "pkg.dev", "gitlab.com", "amazonaws.com",
    "azure.com", "visualstudio.com", "vllm.ai", "flashinfer.ai", "rust-lang.org",
    "rsproxy.cn", "jsr.io", "anaconda.org", "anaconda.com", "huggingface.co",
    "github.com", "githubusercontent.com", "graylark.io", "hf.co", "astral.sh", "microsoft.com",
    "apache.org", "unsloth.ai", "openvino.ai", "intel.com", "amd.com", "openmmlab.com", "dgl.ai",
    "mosaicml.com", "jfrog.io", "cloudsmith.io", "gemfury.com", "fury.io", "buf.build",
    "gitee.com", "modelscope.cn", "pypi.python.org", "piwheels.org", "posit.co", "rspm",
    "r-project.org", "bioconductor.org", "maven.org", "gradle.org", "jitpack.io", "packagist.org",
    "nuget.org", "golang.org", "goproxy.io", "goproxy.cn", "nixos.org", "cachix.org", "debian.org",
    "ubuntu.com", "fedoraproject.org", "centos.org", "docker.com", "docker.io", "gcr.io", "quay.io",
    "spring.io", "sonatype.org", "google.com", "jetbrains.space", "jetbrains.com", "kubernetes.io",
    "archlinux.org", "alpinelinux.org", "opensuse.org", "postgresql.org", "nodesource.com", "bitbucket.org",
    "codeberg.org", "shopify.com", "wso2.org", "confluent.io", "eclipse.org", "r-universe.dev", "hex.pm", "pub.dev",
];

/// Whether an index is one that people use, or to be filled in.
pub(super) fn is_usual_index(url: &str) -> bool {
    let Some(host) = host(url) else { return true };
    let known = INDEXES.iter().any(|known| {
        host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
    });
    known || registry(&host).is_some() || matches!(classify(url), Class::Local | Class::Placeholder)
}

pub(super) fn is_stranger(url: &str, skill: &Skill<'_>) -> bool {
    let url = url.trim_start_matches("git+");
    !is_usual_index(url)
        && matches!(
            classify(url),
            Class::Foreign | Class::Address | Class::Paste | Class::Inbox | Class::Shortener
        )
        && !host(url).is_some_and(|host| skill.subject.hosts.contains(&host))
}

fn source(what: &str) -> Match {
    Match::new(&rules::PACKAGE_SOURCE, Severity::Warn, what)
}

fn mistaken(name: &str, known: &str) -> Match {
    Match::new(
        &rules::PACKAGE_SOURCE,
        Severity::Warn,
        format!("the package `{name}` is one step from the well-known `{known}`"),
    )
}

/// `requirements.txt` and its kin.
pub(super) fn look_requirements(file: &File<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let name = file.name().to_ascii_lowercase();
    if !((name.contains("requirements") || name.contains("constraints"))
        && (has_extension(&name, "txt") || has_extension(&name, "in")))
    {
        return;
    }
    let mut at = 0;
    for line in file.text.plain.split_inclusive('\n') {
        requirement(file, at, line.trim(), skill, findings);
        at += line.len();
    }
}

fn requirement(
    file: &File<'_>,
    at: usize,
    line: &str,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    if line.is_empty() || line.starts_with('#') {
        return;
    }
    if line.starts_with('-') {
        let option = line.split(['=', ' ']).next().unwrap_or(line);
        let index =
            matches!(option, "--extra-index-url" | "--index-url" | "-i" | "--find-links" | "-f");
        if index && addresses(line).iter().any(|address| !is_usual_index(address.url)) {
            file.add(at, line, source("packages come from somebody's index"), findings);
        } else if option == "--trusted-host" {
            let host = line[option.len()..].trim_start_matches(['=', ' ']);
            if !is_usual_index(&format!("https://{host}")) {
                file.add(
                    at,
                    line,
                    source("the certificate of a package index is not checked"),
                    findings,
                );
            }
        }
        return;
    }
    if let Some(address) = addresses(line).first() {
        if is_stranger(address.url, skill) && !line.contains("sha256=") && !line.contains("--hash")
        {
            file.add(
                at,
                line,
                source("a package comes by address from somebody's host, without a checksum"),
                findings,
            );
        }
        return;
    }
    let name = package_name(line);
    if let Some(known) = mistaken_for(name, PYPI) {
        file.add(at, line, mistaken(name, known), findings);
    }
}

fn package_name(requirement: &str) -> &str {
    let end = requirement
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(requirement.len());
    requirement[..end].trim_end_matches('.')
}

/// Where a Gemfile takes its gems from.
pub(super) fn look_gemfile(file: &File<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !file.name().eq_ignore_ascii_case("gemfile") {
        return;
    }
    let mut at = 0;
    for line in file.text.plain.split_inclusive('\n') {
        let named = line.trim_start().strip_prefix("source");
        if named.is_some_and(|rest| addresses(rest).iter().any(|a| is_stranger(a.url, skill))) {
            file.add(at, line.trim(), source("gems come from somebody's host"), findings);
        }
        at += line.len();
    }
}

/// Manifests of packages and other settings that name sources.
pub(super) fn look_settings(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    match file.name().to_ascii_lowercase().as_str() {
        "package.json" => npm(file, leaves, skill, findings),
        "pyproject.toml" | "pipfile" | "poetry.toml" | "uv.toml" => {
            python(file, leaves, skill, findings);
        }
        name if has_extension(name, "yml") || has_extension(name, "yaml") => {
            conda(file, leaves, skill, findings);
        }
        "cargo.toml" => {
            for leaf in leaves.iter().filter(|leaf| {
                leaf.path.first().is_some_and(|part| part.ends_with("dependencies"))
                    && leaf.path.len() >= 2
            }) {
                if let Some(known) = mistaken_for(&leaf.path[1], CRATES) {
                    file.add(leaf.start(), &leaf.path[1], mistaken(&leaf.path[1], known), findings);
                }
            }
        }
        _ => {}
    }
    look_installers(file, leaves, findings);
}

/// The channels and the packages of an environment of conda.
fn conda(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !leaves.iter().any(|leaf| leaf.path.first().is_some_and(|key| &**key == "dependencies")) {
        return;
    }
    for leaf in leaves {
        if leaf.is_under("pip") && leaf.is_under("dependencies") {
            requirement(file, leaf.start(), leaf.value.trim(), skill, findings);
        } else if leaf.is_under("channels")
            && leaf.value.contains("://")
            && is_stranger(&leaf.value, skill)
        {
            file.add(
                leaf.start(),
                &leaf.value,
                source("packages come from somebody's channel"),
                findings,
            );
        }
    }
}

fn npm(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for leaf in leaves {
        let section = leaf.path.first().map_or("", |part| &**part);
        if section == "scripts"
            && matches!(
                leaf.key(),
                "preinstall"
                    | "install"
                    | "postinstall"
                    | "prepare"
                    | "prepublish"
                    | "preprepare"
                    | "postprepare"
                    | "prepack"
            )
        {
            let (severity, why) = match judge(&leaf.value, skill.members) {
                Judged::Reaches(why) => (Severity::Warn, why),
                _ => (Severity::Info, "it runs by itself".to_owned()),
            };
            file.add(
                leaf.start(),
                &leaf.value,
                Match::new(
                    &rules::INSTALL_SCRIPT,
                    severity,
                    format!("installing the package runs a command: {why}"),
                ),
                findings,
            );
        }
        if matches!(
            section,
            "dependencies" | "devDependencies" | "optionalDependencies" | "peerDependencies"
        ) && leaf.path.len() == 2
        {
            let name = leaf.key();
            if leaf.value.contains("://") && is_stranger(&leaf.value, skill) {
                file.add(
                    leaf.start(),
                    &leaf.value,
                    source("a package comes by address from somebody's host"),
                    findings,
                );
            } else if !name.starts_with('@')
                && let Some(known) = mistaken_for(name, NPM)
            {
                file.add(leaf.start(), name, mistaken(name, known), findings);
            }
        }
    }
}

fn python(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for leaf in leaves {
        let keys = leaf
            .path
            .iter()
            .filter(|part| !part.starts_with('#'))
            .map(|part| &**part)
            .collect::<Vec<_>>()
            .join(".")
            .to_ascii_lowercase();
        let names_index = keys.ends_with("index-url")
            || keys.ends_with("extra-index-url")
            || (keys.contains(".source") || keys.contains("index") || keys.starts_with("source"))
                && leaf.key() == "url";
        if names_index && leaf.value.contains("://") && !is_usual_index(&leaf.value) {
            file.add(
                leaf.start(),
                &leaf.value,
                source("packages come from somebody's index"),
                findings,
            );
        } else if keys.contains("dependencies")
            || keys == "build-system.requires"
            || keys.starts_with("packages")
        {
            if leaf.value.contains("://") {
                if addresses(&leaf.value).iter().any(|address| is_stranger(address.url, skill)) {
                    file.add(
                        leaf.start(),
                        &leaf.value,
                        source("a package comes by address from somebody's host"),
                        findings,
                    );
                }
                continue;
            }
            let listed = leaf.path.last().is_some_and(|part| part.starts_with('#'));
            let name = if listed { package_name(&leaf.value) } else { leaf.key() };
            if let Some(known) = mistaken_for(name, PYPI) {
                file.add(leaf.start(), name, mistaken(name, known), findings);
            }
        }
    }
    // A build backend inside the project is code that installing runs.
    let backend = leaves.iter().find(|leaf| leaf.key() == "build-backend");
    if let Some(backend) =
        backend.filter(|_| leaves.iter().any(|leaf| leaf.key() == "backend-path"))
    {
        let module = backend.value.split([':', '.']).next().unwrap_or(&backend.value);
        let code = skill
            .members
            .iter()
            .find(|member| member.path.rsplit('/').next() == Some(&format!("{module}.py")));
        let acts = code.is_some_and(|member| {
            let text = String::from_utf8_lossy(&member.bytes);
            reach::any(&text).is_some() || reach::decodes(&text) && reach::runs(&text)
        });
        let severity = if acts { Severity::Warn } else { Severity::Info };
        file.add(
            backend.start(),
            &backend.value,
            Match::new(
                &rules::INSTALL_SCRIPT,
                severity,
                "building the package runs code of its own",
            ),
            findings,
        );
    }
}

/// `setup.py`: what it does besides describing the package happens on installation.
pub(super) fn look_build(file: &File<'_>, findings: &mut Findings<'_>) {
    if file.name() != "setup.py" || file.language != Language::Python {
        return;
    }
    let text = &file.text.plain;
    if let Some(range) = reach::any(text) {
        file.add(
            range.start,
            &text[file.text.line_at(range.start)],
            Match::new(
                &rules::INSTALL_SCRIPT,
                Severity::Warn,
                "installing the package reaches the network",
            ),
            findings,
        );
    } else if text.contains("cmdclass")
        && ["os.system(", "subprocess", "exec(", "b64decode"].iter().any(|call| text.contains(call))
    {
        let at = text.find("cmdclass").unwrap_or(0);
        file.add(
            at,
            &text[file.text.line_at(at)],
            Match::new(
                &rules::INSTALL_SCRIPT,
                Severity::Info,
                "installing the package runs commands",
            ),
            findings,
        );
    }
}

/// Installer entries: a download without a checksum, from an address or in the clear.
pub(super) fn look_installers(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    #[rustfmt::skip]
    const PACKED: &[&str] = &[
        ".zip", ".exe", ".tar.gz", ".tgz", ".dmg", ".msi", ".sh", ".pkg", ".whl", ".bin", ".appimage",
        ".deb", ".rpm", ".jar", ".7z", ".rar", ".bat", ".ps1", ".tar.xz", ".gz",
    ];
    const LINKS: [&str; 9] =
        ["url", "uri", "href", "link", "src", "source", "download", "archive", "binary"];
    let in_installer = file.name().to_ascii_lowercase().contains("install");
    let is_address = |leaf: &Leaf| {
        leaf.value.contains("://")
            || in_installer && leaf.value.contains('/') && !leaf.value.contains(' ')
    };
    for (at, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| is_address(leaf)) {
        let key = leaf.key().to_ascii_lowercase();
        let class = classify(&leaf.value);
        let path = leaf.value.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
        let installs = in_installer
            || ["install", "installers", "prerequisites"].iter().any(|key| leaf.is_under(key))
            || LINKS.iter().any(|link| key.contains(link))
                && PACKED.iter().any(|ending| path.ends_with(ending));
        let summed = near(leaves, at).iter().any(|other| {
            let key = other.key().to_ascii_lowercase();
            other.owner() == leaf.owner()
                && other.value.len() >= 32
                && (key.contains("sha")
                    || key.contains("checksum")
                    || key.contains("integrity")
                    || key.contains("digest")
                    || key == "hash")
        });
        let shady =
            matches!(class, Class::Address | Class::Shortener | Class::Paste | Class::Inbox)
                || leaf.value.starts_with("http://") && class == Class::Foreign;
        if installs && shady && !summed {
            file.add(leaf.start(), &leaf.value, source("an installer entry downloads from an address that says nothing, without a checksum"), findings);
        }
    }
}

/// Packages of one command that are looked at.
const MAX_PACKAGES: usize = 200;

/// Commands that install.
pub(super) fn look_commands(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !matches!(
        passage.language,
        Language::Shell
            | Language::Make
            | Language::Markdown
            | Language::Plain
            | Language::Batch
            | Language::PowerShell
            | Language::Fish
    ) {
        return;
    }
    // A sentence names an option only where it tells to use it.
    let prose = matches!(passage.language, Language::Markdown | Language::Plain);
    let text = &*passage.text;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        #[rustfmt::skip]
        const OPTIONS: [&str; 24] = [
            "--registry", "--index ", "INDEX_URL", "registry=", "config set registry", "npm set registry", "npmRegistryServer", "gem sources", "--source ",
            "bundle config mirror", "bundle config set", "GOPROXY=", "config --add channels", "install -c http", "create -c http", "poetry source add", "config repositories.",
            "nuget add source", "sources add -", "UV_DEFAULT_INDEX", "PIP_FIND_LINKS", "--find-links", "RUSTUP_DIST_SERVER", "install -i http",
        ];
        if line.contains("index-url")
            || !prose && OPTIONS.iter().any(|option| line.contains(option))
        {
            let stranger = addresses(line).into_iter().find(|address| !is_usual_index(address.url));
            if let Some(address) = stranger {
                findings.add(
                    passage,
                    at + address.range.start..at + address.range.end,
                    source("packages come from somebody's index"),
                );
            }
        }
        if prose {
            continue;
        }
        for (tool, known) in [
            ("pip install ", PYPI),
            ("pip3 install ", PYPI),
            ("uv add ", PYPI),
            ("pipx install ", PYPI),
            ("npm install ", NPM),
            ("npm i ", NPM),
            ("yarn add ", NPM),
            ("pnpm add ", NPM),
            ("cargo add ", CRATES),
            ("cargo install ", CRATES),
            ("gem install ", &[]),
        ] {
            let Some(found) = line.find(tool) else { continue };
            // What is shown to a reader is a sentence.
            if is_shown(&line[..found]) && !line[found..].contains('|') {
                continue;
            }
            let arguments = &line[found + tool.len()..];
            let arguments = &arguments
                [..arguments.find(['|', ';', '&', '#', '`', ')']).unwrap_or(arguments.len())];
            installs(passage, at + found + tool.len(), arguments, known, skill, findings);
        }
    }
}

/// Whether what stands before a command shows it instead of running it.
fn is_shown(before: &str) -> bool {
    const SHOWS: [&str; 5] = ["echo", "printf", "print", "write-host", "log"];
    let before = before.trim_start();
    let word = before.split([' ', '(']).next().unwrap_or_default().to_ascii_lowercase();
    SHOWS.contains(&word.as_str()) && !before.contains([';', '&', '`']) && !before.contains("$(")
}

fn installs(
    passage: &Passage<'_>,
    start: usize,
    arguments: &str,
    known: &'static [&'static str],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    #[rustfmt::skip]
    const TAKES_VALUE: &[&str] = &[
        "-r", "-c", "-i", "--index-url", "--extra-index-url", "-t", "--target", "--prefix", "--root",
        "-f", "--find-links", "--registry", "-e", "--python", "--git", "--path", "--features",
        "--version", "--tag", "--branch", "--trusted-host",
    ];
    let mut skip = false;
    for word in arguments.split_whitespace().take(MAX_PACKAGES) {
        let at = start + (word.as_ptr() as usize - arguments.as_ptr() as usize);
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('-') {
            skip = TAKES_VALUE.contains(&word);
            continue;
        }
        let word = word.trim_matches(['"', '\'', ',', '.']);
        if word.contains("://") {
            if is_stranger(word, skill) && !word.contains("sha256=") {
                findings.add(
                    passage,
                    at..at + word.len(),
                    source("a package comes by address from somebody's host"),
                );
            }
            continue;
        }
        if word.starts_with(['@', '.', '/', '$', '<', '[', '~', '{'])
            || word.contains(['/', '<', '$', '*'])
        {
            continue;
        }
        // lodash4@npm:lodash@4: another name for what stands behind it.
        let word = word.split_once("@npm:").map_or(word, |(_, package)| package);
        let name = package_name(word.split('@').next().unwrap_or(word));
        if let Some(other) = mistaken_for(name, known) {
            // A name that is made to be mistaken stands for the other one, which is what the code loads.
            let is_meant = skill.loads(&name.to_ascii_lowercase()) && !skill.loads(other);
            // A sentence or a comment after the command is not a list of packages.
            let is_list = matches!(
                passage.context,
                Context::InlineCode | Context::Fence | Context::Script | Context::Setting
            );
            let severity = if is_list && !is_meant { Severity::Warn } else { Severity::Info };
            findings.add(passage, at..at + word.len(), Match { severity, ..mistaken(name, other) });
        }
    }
}
