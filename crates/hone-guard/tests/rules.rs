//! Every rule's own examples: the text that fires does, its look-alike does not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write as _;

use hone_guard::{RULES, Report, Rule, SECOND_OPINION, Severity};

fn scan((path, text): (&str, &str)) -> Report {
    let skill = tempfile::tempdir().unwrap();
    let mut front =
        "---\nname: sample-notes\ndescription: Keeps notes. Use when the user takes notes.\n---\n"
            .to_owned();
    let mut body = text;
    if path == "SKILL.md" {
        if let Some(rest) = text.strip_prefix("frontmatter: ") {
            let (line, rest) = rest.split_once('\n').unwrap();
            body = rest;
            let key = line.split(':').next().unwrap();
            let kept: String = front
                .split_inclusive('\n')
                .filter(|l| !l.starts_with(&format!("{key}:")))
                .collect();
            front = kept.replacen("---\n", &format!("---\n{line}\n"), 1);
        }
        std::fs::write(skill.path().join(path), format!("{front}# Notes\n\n{body}")).unwrap();
    } else {
        std::fs::write(skill.path().join("SKILL.md"), format!("{front}# Notes\n\nSee `{path}`.\n"))
            .unwrap();
        let target = skill.path().join(path);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        if let Some(to) = text.strip_prefix("links to ") {
            std::os::unix::fs::symlink(to.trim_end(), target).unwrap();
        } else if let Some((name, inner)) =
            text.strip_prefix("holds ").and_then(|rest| rest.split_once(":\n"))
        {
            let mut writer = zip::ZipWriter::new(std::fs::File::create(target).unwrap());
            writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(inner.as_bytes()).unwrap();
            writer.finish().unwrap();
        } else {
            std::fs::write(target, text).unwrap();
        }
    }
    hone_guard::scan(skill.path()).unwrap()
}

fn fires(report: &Report, rule: &Rule) -> bool {
    report
        .findings
        .iter()
        .any(|finding| finding.rule == rule.id && finding.severity > Severity::Info)
}

#[test]
fn every_rule_fires_on_its_example() {
    let wrong: Vec<&str> =
        RULES.iter().filter(|rule| !fires(&scan(rule.fires), rule)).map(|rule| rule.id).collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn no_look_alike_is_more_than_inventory() {
    let wrong: Vec<(&str, Vec<String>)> = RULES
        .iter()
        .map(|rule| {
            let loud =
                scan(rule.quiet).findings.into_iter().filter(|f| f.severity > Severity::Info);
            (rule.id, loud.map(|f| format!("{}: {}", f.rule, f.message)).collect())
        })
        .filter(|(_, loud): &(&str, Vec<String>)| !loud.is_empty())
        .collect();
    assert_eq!(wrong, []);
}

#[test]
fn every_rule_has_examples() {
    let without: Vec<&str> = RULES
        .iter()
        .copied()
        .chain([&SECOND_OPINION])
        .filter(|rule| rule.fires.1.is_empty() || rule.quiet.1.is_empty())
        .map(|rule| rule.id)
        .collect();
    assert_eq!(without, [""; 0]);
}
