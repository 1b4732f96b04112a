//! Products of lists: every source with every sink in every shape, as far as two of them meet, and the
//! harmless twins of them.
//!
//! A group starts with `=== title`; `--- {name}` starts a list with one entry a line, `--- harmless
//! {name}` what stands in for it in the twins. Entries of `{shape}` put the others together: `{name}` is
//! an entry, `{name:text}` one whose `{f}` is the text, `¶` the end of a line.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    clippy::unwrap_used,
    reason = "shared by the tests of several languages"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hone_guard::{Files, Verdict};

/// Products of two lists that are scanned; of more, one in several, so that each entry of each list is
/// still met by many of the other.
const MOST_OF_A_PAIR: usize = 700;

/// Lists, and how their entries are put together.
pub struct Group<'t> {
    pub title: &'t str,
    lists: Vec<(&'t str, Vec<&'t str>)>,
    harmless: Vec<(&'t str, Vec<&'t str>)>,
}

/// Reads the groups of a text.
pub fn parse(text: &str) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut harmless = false;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("=== ") {
            groups.push(Group { title, lists: Vec::new(), harmless: Vec::new() });
        } else if let Some(name) = line.strip_prefix("--- ") {
            let group = groups.last_mut().unwrap();
            harmless = name.starts_with("harmless ");
            let name = name.trim_start_matches("harmless ").trim_matches(['{', '}']);
            let lists = if harmless { &mut group.harmless } else { &mut group.lists };
            lists.push((name, Vec::new()));
        } else if let Some(group) = groups.last_mut() {
            let lists = if harmless { &mut group.harmless } else { &mut group.lists };
            lists.last_mut().unwrap().1.push(line);
        }
    }
    groups
}

/// Every product of one group of a text is blocked as a file of that name, and no harmless twin is.
pub fn check(text: &str, title: &str, path: &str, line_end: &str) {
    let groups = parse(text);
    let group = groups.iter().find(|found| found.title == title).expect("a group of that title");
    let wrong = group.wrong(path, |text| format!("{text}{line_end}"));
    assert!(wrong.is_empty(), "{wrong}");
}

/// Puts entries together: `chosen` has one of each list.
fn put_together(chosen: &BTreeMap<&str, &str>) -> String {
    let mut text = chosen["shape"].to_owned();
    // An entry may hold others: a walk over files holds what is done with each.
    for _ in 0..3 {
        for (name, entry) in chosen.iter().filter(|(name, _)| **name != "shape") {
            text = text.replace(&format!("{{{name}}}"), entry);
            let open = format!("{{{name}:");
            while let Some(at) = text.find(&open) {
                let inner = &text[at + open.len()..];
                let mut depth = 1;
                let end = inner.find(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth == 0
                });
                let end = end.unwrap_or_else(|| panic!("an open brace in {text}"));
                let filled = entry.replace("{f}", &inner[..end]);
                text.replace_range(at..=at + open.len() + end, &filled);
            }
        }
    }
    text.replace('¶', "\n")
}

impl Group<'_> {
    /// Each two lists against each other, the rest in turn.
    fn products<'t>(
        lists: &[(&'t str, Vec<&'t str>)],
        mut look: impl FnMut(&BTreeMap<&'t str, &'t str>),
    ) {
        let mut turn = 0_usize;
        for one in 0..lists.len() {
            for other in one + 1..lists.len() {
                let all = lists[one].1.len() * lists[other].1.len();
                let step = if std::env::var_os("HONE_TEST_ALL_PRODUCTS").is_some() {
                    1
                } else {
                    all.div_ceil(MOST_OF_A_PAIR)
                };
                for i in 0..lists[one].1.len() {
                    for j in (i % step..lists[other].1.len()).step_by(step) {
                        turn += 1;
                        let chosen = lists.iter().enumerate().map(|(at, (name, entries))| {
                            let entry = match at {
                                at if at == one => entries[i],
                                at if at == other => entries[j],
                                _ => entries[turn % entries.len()],
                            };
                            (*name, entry)
                        });
                        look(&chosen.collect());
                    }
                }
            }
        }
        if let [(name, entries)] = lists {
            for entry in entries {
                look(&BTreeMap::from([(*name, *entry)]));
            }
        }
    }

    /// The group with those shapes only that can stand where a language has room for one line.
    #[must_use]
    pub fn on_one_line(mut self) -> Self {
        for (name, entries) in self.lists.iter_mut().chain(&mut self.harmless) {
            if *name == "shape" {
                entries.retain(|entry| !entry.contains('¶') && !entry.contains("<<"));
            } else {
                entries.retain(|entry| !entry.contains('¶'));
            }
        }
        self
    }

    /// The group without the entries that hold one of these texts.
    #[must_use]
    pub fn without(mut self, texts: &[&str]) -> Self {
        for (_, entries) in self.lists.iter_mut().chain(&mut self.harmless) {
            entries.retain(|entry| !texts.iter().any(|text| entry.contains(text)));
        }
        self
    }

    /// What is blocked of a group in which all is harmless.
    pub fn blocked(self, file: &str, wrap: impl Fn(&str) -> String) -> String {
        Group { harmless: self.lists, lists: Vec::new(), ..self }.wrong(file, wrap)
    }

    /// What is wrong with the group: how often each entry is missed or blocked, with one example each.
    pub fn wrong(&self, file: &str, wrap: impl Fn(&str) -> String) -> String {
        let mut wrong = String::new();
        let all = if self.lists.is_empty() { &self.harmless } else { &self.lists };
        let twins: Vec<(&str, Vec<&str>)> = all
            .iter()
            .map(|list| self.harmless.iter().find(|twin| twin.0 == list.0).unwrap_or(list).clone())
            .collect();
        for (lists, attack) in [(&self.lists, true), (&twins, false)] {
            if !attack && self.harmless.is_empty() {
                continue;
            }
            let (mut scanned, mut failed) = (0, 0);
            let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
            let mut examples: BTreeMap<(&str, &str), String> = BTreeMap::new();
            Self::products(lists, |chosen| {
                let text = put_together(chosen);
                let report = scan(file, &wrap(&text), attack);
                let bad = (report.verdict > Verdict::Safe) != attack;
                scanned += 1;
                failed += usize::from(bad);
                for (name, entry) in chosen {
                    let count = counts.entry((*name, *entry)).or_default();
                    count.0 += usize::from(bad);
                    count.1 += 1;
                    if bad {
                        let why =
                            report.findings.iter().map(|f| format!("{} {}", f.severity, f.message));
                        let why: Vec<String> = if attack { Vec::new() } else { why.collect() };
                        examples.insert((*name, *entry), format!("{text:?} {}", why.join("; ")));
                    }
                }
            });
            if failed > 0 {
                let what = if attack { "missed" } else { "blocked" };
                let _ = writeln!(wrong, "== {}: {failed} of {scanned} {what}", self.title);
                let mut rows: Vec<_> = counts.iter().filter(|(_, count)| count.0 > 0).collect();
                rows.sort_by_key(|(_, count)| std::cmp::Reverse(count.0 * 1000 / count.1));
                for (row, (bad, of)) in rows {
                    let _ = writeln!(wrong, "{bad:4} of {of:4}  {} {}", row.0, row.1);
                    let _ = writeln!(wrong, "               e.g. {}", examples[row]);
                }
            }
        }
        wrong
    }
}

/// A skill that says nothing of what its script does, or names the hosts that it reports to.
fn scan(file: &str, text: &str, attack: bool) -> hone_guard::Report {
    let mut about =
        "---\nname: leaf-notes\ndescription: Keeps a folder of notes tidy.\n---\n# Notes\n\n"
            .to_owned();
    if !attack {
        about.push_str(
            "The interface of mapfold is described at https://in.mapfold-sync.net/a.\n\n",
        );
    }
    let document = if file == "SKILL.md" {
        format!("{about}Start it:\n\n{text}\n")
    } else {
        format!("{about}Run `{file}` when a note has changed.\n")
    };
    let files: [(&str, &[u8]); 2] = [("SKILL.md", document.as_bytes()), (file, text.as_bytes())];
    Files::of_files(files.into_iter().take(if file == "SKILL.md" { 1 } else { 2 })).scan()
}
