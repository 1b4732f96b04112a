//! Package managers and containers: what is installed, from where, and with which rights.

use super::call::Call;
use crate::scan::destination::{Class, addresses, classify, host, is_known_owner};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::places::normalise;
use crate::scan::rules;
use crate::scan::settings::image;
use crate::scan::shell_flow::{Taint, Walk};
use std::ops::Range;

impl Walk<'_, '_, '_> {
    /// `dpkg -i file`, `java -jar file`: a file that a stranger's host sent is installed or started.
    pub(super) fn installs(&mut self, call: &Call, at: &Range<usize>) {
        if !matches!(self.passage.context, Context::Script | Context::Hidden) {
            return;
        }
        let mut taint = Taint::default();
        for argument in call.plain().filter(|argument| argument.text.len() > 2) {
            taint.add(&self.held(&argument.text));
        }
        let strange = taint.remote.as_deref().is_some_and(|from| {
            let bucket = ["s3://", "gs://", "tcp://"].iter().any(|way| from.starts_with(way));
            bucket
                || matches!(
                    classify(from),
                    Class::Foreign
                        | Class::Address
                        | Class::Paste
                        | Class::Shortener
                        | Class::Inbox
                )
        });
        if strange {
            let found = self.runs(&taint, &format!("`{}`", call.name));
            self.report_some(at, found);
        }
    }

    pub(super) fn packages(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let name = call.name.as_str();
        let runs = matches!(name, "npx" | "bunx" | "uvx" | "pipx")
            || matches!(name, "pnpm" | "yarn")
                && call.plain().next().is_some_and(|verb| verb.text == "dlx")
            || name == "npm" && text.starts_with("exec")
            || name == "uv" && text.starts_with("tool run");
        let source = call
            .plain()
            .take(if matches!(name, "npx" | "bunx" | "uvx" | "pipx") { 1 } else { 2 })
            .map(|a| a.text.as_str())
            .find(|word| {
                word.starts_with("github:")
                    || word.starts_with("git+")
                    || word.starts_with("gitlab:")
                    || word.starts_with("https://")
                        && (word.contains(".git")
                            || word.contains("tarball")
                            || word.rsplit('.').next() == Some("tgz"))
                    || (name == "npx" || name == "bunx")
                        && word.matches('/').count() == 1
                        && !word.starts_with(['@', '.', '-', '/', '$', '<'])
                        && !word.contains("://")
            });
        if let Some(source) = source.filter(|_| runs) {
            let unasked = call.has(&["-y", "--yes"]) || name != "npx";
            let severity =
                if unasked && !is_known_source(source) { Severity::Warn } else { Severity::Info };
            self.report(
                at,
                Match::new(
                    &rules::PACKAGE_SOURCE,
                    severity,
                    "a program is run straight from somebody's repository",
                ),
            );
        }
        let foreign = |url: &str| {
            matches!(
                classify(url),
                Class::Foreign | Class::Address | Class::Inbox | Class::Shortener | Class::Paste
            ) && !self.skill.is_about(&host(url).unwrap_or_default())
        };
        for option in [
            "--index-url",
            "-i",
            "--extra-index-url",
            "--registry",
            "--find-links",
            "-f",
            "--index",
            "--trusted-host",
        ] {
            let joined = call
                .arguments
                .iter()
                .find_map(|a| a.text.strip_prefix(&format!("{option}=")).map(str::to_owned));
            let value = joined.or_else(|| call.value_of(&[option]).map(|v| v.text.clone()));
            if let Some(value) = value
                && value.contains("://")
                && foreign(&value)
            {
                self.report(
                    at,
                    Match::new(
                        &rules::PACKAGE_SOURCE,
                        Severity::Critical,
                        format!("packages come from `{}`", host(&value).unwrap_or_default()),
                    ),
                );
            }
        }
        if matches!(name, "npm" | "pip" | "pip3" | "yarn" | "pnpm" | "uv")
            && (text.contains("config set")
                || text.contains("set registry")
                || text.contains("config set registry"))
        {
            if addresses(&text).iter().any(|a| foreign(a.url)) {
                self.report(
                    at,
                    Match::new(
                        &rules::PACKAGE_SOURCE,
                        Severity::Critical,
                        "the registry is changed to another host",
                    ),
                );
            }
            if text.contains("strict-ssl false") || text.contains("strict-ssl=false") {
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        Severity::Warn,
                        "certificates of the registry are not checked",
                    ),
                );
            }
        }
        if matches!(name, "pip" | "pip3" | "npm" | "uv" | "pipx") && text.contains("install") {
            for argument in call.plain() {
                // "name @ https://…/name.whl"
                let url = argument.text.split(" @ ").last().unwrap_or(&argument.text);
                if url.contains("://") && foreign(url.trim_start_matches("git+")) {
                    self.report(
                        at,
                        Match::new(
                            &rules::PACKAGE_SOURCE,
                            Severity::Warn,
                            format!(
                                "a package is installed from `{}`",
                                host(url).unwrap_or_default()
                            ),
                        ),
                    );
                }
            }
        }
        if matches!(name, "docker" | "podman" | "nerdctl") && text.contains("run") {
            let root = call.arguments.windows(2).any(|pair| {
                matches!(pair[0].text.as_str(), "-v" | "--volume")
                    && (pair[1].text.starts_with("/:") || pair[1].text == "/")
            }) || text.contains("-v /:")
                || text.contains("source=/,")
                || text.contains("src=/,");
            let privileged = text.contains("--privileged")
                || text.contains("--pid=host")
                || text.contains("--pid host");
            let home = call.arguments.iter().any(|a| {
                let path = normalise(&a.text);
                (path.starts_with("~:")
                    || path.starts_with("~/:")
                    || path.starts_with("~/.ssh:")
                    || path.starts_with("~/.aws:"))
                    && !a.text.starts_with('-')
            });
            if root {
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        Severity::Critical,
                        "a container gets the whole disk",
                    ),
                );
            } else if privileged && text.contains("docker.sock") && !audits(call) {
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        Severity::Warn,
                        "a privileged container gets the container engine",
                    ),
                );
            } else if home {
                // A release of it that only reads.
                let release = call.plain().any(|a| {
                    a.text.rsplit_once(':').is_some_and(|(name, tag)| {
                        name.contains('/') && tag.starts_with(|c: char| c.is_ascii_digit())
                    })
                });
                let pinned = text.contains("@sha256:") || release && text.contains(":ro");
                self.report(
                    at,
                    Match::new(
                        &rules::PROTECTION_OFF,
                        if pinned { Severity::Info } else { Severity::Warn },
                        "an unpinned image gets the person's home folder",
                    ),
                );
            }
        }
    }
}

/// Whether the container is one of the well-known images that audit a host and need to see all of it.
fn audits(call: &Call) -> bool {
    const AUDITORS: [&str; 4] = [
        "docker/docker-bench-security",
        "aquasec/kube-bench",
        "aquasec/trivy",
        "falcosecurity/falco",
    ];
    let words = call.arguments.iter().map(|argument| argument.text.as_str());
    let words: Vec<&str> = words.skip_while(|word| *word != "run").skip(1).collect();
    let image = image(&words).unwrap_or_default();
    AUDITORS.contains(&image.split(['@', ':']).next().unwrap_or(image))
}

/// Whether a program's source is a repository of somebody who is known for his projects.
fn is_known_source(source: &str) -> bool {
    let source = source.trim_start_matches("git+").trim_start_matches("github:");
    let project =
        source.split_once("://").map_or(Some(source), |(_, rest)| rest.strip_prefix("github.com/"));
    project.is_some_and(is_known_owner)
}
