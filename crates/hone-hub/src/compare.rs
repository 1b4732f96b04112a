//! What is new about a skill, held against the version that is installed: the answer to "what can it do
//! now that it could not do before?".

use std::collections::{BTreeMap, BTreeSet};

use hone_guard::{Report, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bundle::BundleFile;

/// What a version can do that the one before could not; of a new skill, all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Abilities")]
pub struct News {
    /// Hosts that it reaches.
    pub hosts: Vec<String>,
    /// Tools that it may use without asking.
    pub tools: Vec<String>,
    /// Environment variables that it reads.
    pub environment: Vec<String>,
    /// Hooks and commands that run by themselves.
    pub hooks: Vec<String>,
    /// Files that can be run.
    pub scripts: Vec<String>,
    /// Programs in machine code or bytecode, and other files that nobody can read.
    pub binaries: Vec<String>,
    /// Findings of the scan, as `rule (file)`; notes left out.
    pub findings: Vec<String>,
}

/// What a version can do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Abilities([BTreeSet<String>; 7]);

impl Abilities {
    pub(crate) fn of(report: &Report, files: &BTreeMap<String, BundleFile>) -> Self {
        let inventory = &report.inventory;
        let set = |list: &[String]| list.iter().cloned().collect::<BTreeSet<String>>();
        let marked = files.iter().filter(|(_, file)| file.is_executable);
        let binaries = files.iter().filter(|(_, file)| is_binary(&file.bytes));
        let findings = report.findings.iter().filter(|found| found.severity > Severity::Info);
        Self([
            set(&inventory.hosts),
            set(&inventory.tools),
            set(&inventory.environment),
            set(&inventory.hooks),
            inventory.scripts.iter().chain(marked.map(|(path, _)| path)).cloned().collect(),
            binaries.map(|(path, _)| path.clone()).collect(),
            findings.map(|found| format!("{} ({})", found.rule, found.file)).collect(),
        ])
    }
}

impl News {
    /// What `now` has and `before` has not.
    pub(crate) fn since(before: &Abilities, now: &Abilities) -> Self {
        let new = |at: usize| now.0[at].difference(&before.0[at]).cloned().collect();
        Self {
            hosts: new(0),
            tools: new(1),
            environment: new(2),
            hooks: new(3),
            scripts: new(4),
            binaries: new(5),
            findings: new(6),
        }
    }

    /// The lists, each with what it is called.
    pub fn lists(&self) -> [(&'static str, &[String]); 7] {
        [
            ("hosts", &self.hosts),
            ("tools", &self.tools),
            ("environment variables", &self.environment),
            ("hooks", &self.hooks),
            ("scripts", &self.scripts),
            ("binaries", &self.binaries),
            ("findings", &self.findings),
        ]
    }

    /// Whether there is nothing new.
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|(_, list)| list.is_empty())
    }

    /// Whether everything new is new to `other` as well.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        let lists = self.lists().into_iter().zip(other.lists());
        lists
            .into_iter()
            .all(|((_, mine), (_, theirs))| mine.iter().all(|one| theirs.contains(one)))
    }

    /// What is new, in one line.
    pub fn words(&self) -> String {
        let lists = self.lists().into_iter().filter(|(_, list)| !list.is_empty());
        let words: Vec<String> =
            lists.map(|(what, list)| format!("{what}: {}", list.join(", "))).collect();
        words.join("; ")
    }
}

/// Starts of files that a machine or a virtual machine runs.
const MAGIC: [&[u8]; 8] = [
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
];

fn is_binary(bytes: &[u8]) -> bool {
    let is_bytecode = bytes.get(2..4) == Some(b"\r\n");
    let is_text = std::str::from_utf8(bytes).is_ok();
    MAGIC.iter().any(|magic| bytes.starts_with(magic)) || is_bytecode && !is_text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(hosts: &[&str], scripts: &[&str]) -> Abilities {
        let set = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        let mut all = Abilities::default();
        (all.0[0], all.0[4]) = (set(hosts), set(scripts));
        all
    }

    #[test]
    fn news_is_what_was_not_there_before() {
        let (old, new) = (abilities(&["a", "b"], &[]), abilities(&["b", "c"], &["run.sh"]));
        let news = News::since(&old, &new);
        assert_eq!(news.words(), "hosts: c; scripts: run.sh");
        assert!(!news.is_empty() && News::since(&new, &new).is_empty());
        assert!(news.is_within(&News::since(&Abilities::default(), &new)));
        assert!(!News::since(&Abilities::default(), &new).is_within(&news));
    }

    #[test]
    fn machine_code_and_bytecode_are_binaries_and_text_is_not() {
        for bytes in [&b"\x7fELF\x02"[..], b"MZ\x90\0", b"\xa7\x0d\r\n\xff\0\0"] {
            assert!(is_binary(bytes));
        }
        for bytes in [&b"#!/bin/sh\n"[..], b"ab\r\ncd", b"", b"\x89PNG\r\n"] {
            assert!(!is_binary(bytes));
        }
    }
}
