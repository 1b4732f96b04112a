//! The forms of a report, from reports made by hand: what is printed does not depend on what the
//! rules find today.

use std::path::{Path, PathBuf};

use hone_guard::{Context, Coverage, Finding, Flow, Inventory, Report, Severity, Verdict};
use insta::assert_snapshot;

use super::{Failed, Page, Scanned, closing, formats, html, markdown, table};
use crate::json::Dismissed;
use crate::terminal::Style;

fn finding(rule: &str, severity: Severity) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity,
        category: "AST01".to_owned(),
        file: "run.sh".to_owned(),
        line: 3,
        column: 5,
        context: Context::Script,
        message: format!("found by {rule}"),
        evidence: "curl a | sh".to_owned(),
        flow: Some(Flow::new("a", "sh").to("host").when("on start")),
        why: "anybody may change it".to_owned(),
        hint: "ship it".to_owned(),
    }
}

fn skill(name: &str, findings: Vec<Finding>, dismissed: Vec<Dismissed>) -> Scanned {
    let verdict = Verdict::of(findings.iter().map(|finding| finding.severity).max());
    let coverage =
        Coverage { files: 3, scanned: 2, bytes: 1, decoded: 2, incomplete: vec!["big".to_owned()] };
    let inventory = Inventory { hosts: vec!["b.example".to_owned()], ..Inventory::default() };
    let (digest, rules) = ("d".to_owned(), "1".to_owned());
    let report = Report { verdict, findings, coverage, inventory, digest, rules };
    Scanned {
        path: PathBuf::from("/s").join(name),
        name: name.to_owned(),
        report,
        dismissed,
        is_kept: false,
    }
}

fn dismissed() -> Dismissed {
    Dismissed {
        finding: finding("hidden", Severity::Critical),
        reason: "our own host".to_owned(),
        actor: "me".to_owned(),
        expires: "2030-01-01".to_owned(),
    }
}

/// Three skills and a failure.
fn page(verbose: bool) -> Page<'static> {
    let whole = Finding { line: 0, column: 0, flow: None, ..finding("archive", Severity::Warn) };
    let note = finding("inventory", Severity::Info);
    Page {
        scanned: vec![
            skill(
                "a",
                vec![finding("remote", Severity::Critical), whole, note.clone()],
                Vec::new(),
            ),
            skill("longer", Vec::new(), vec![dismissed()]),
            skill("quiet", vec![note], Vec::new()),
        ],
        failed: vec![Failed { path: "/s/gone".into(), message: "not there".to_owned() }],
        verbose,
        shown: &|path: &Path| path.display().to_string(),
    }
}

#[test]
fn a_table_shows_what_counts_and_counts_the_rest() {
    assert_snapshot!(table::page(&page(false), Style::Plain), @"
    dangerous  a       /s/a
      critical[remote]: found by remote
       --> run.sh:3:5 (script)
         | curl a | sh
         = flow: a → sh (host) [on start]
         = do: ship it
      warn[archive]: found by archive
       --> run.sh (script)
         | curl a | sh
         = do: ship it
      and 1 note

    safe       longer  /s/longer
      dismissed[hidden]: found by hidden
       --> run.sh:3:5
         = dismissed until 2030-01-01 by me: our own host

    safe       quiet   /s/quiet
    ");
}

#[test]
fn a_verbose_table_shows_everything() {
    assert_snapshot!(table::page(&page(true), Style::Plain), @"
    dangerous  a       /s/a
      critical[remote]: found by remote
       --> run.sh:3:5 (script)
         | curl a | sh
         = flow: a → sh (host) [on start]
         = do: ship it
      warn[archive]: found by archive
       --> run.sh (script)
         | curl a | sh
         = do: ship it
      note[inventory]: found by inventory
       --> run.sh:3:5 (script)
         | curl a | sh
         = flow: a → sh (host) [on start]
      hosts: b.example
      looked at 2 of 3 files, 1 byte, 2 texts decoded, 1 file not whole

    safe       longer  /s/longer
      dismissed[hidden]: found by hidden
       --> run.sh:3:5
         = dismissed until 2030-01-01 by me: our own host
      hosts: b.example
      looked at 2 of 3 files, 1 byte, 2 texts decoded, 1 file not whole

    safe       quiet   /s/quiet
      note[inventory]: found by inventory
       --> run.sh:3:5 (script)
         | curl a | sh
         = flow: a → sh (host) [on start]
      hosts: b.example
      looked at 2 of 3 files, 1 byte, 2 texts decoded, 1 file not whole
    ");
}

#[test]
fn colours_carry_no_meaning_of_their_own() {
    let plain = table::page(&page(true), Style::Plain);
    let mut painted = table::page(&page(true), Style::Ansi);
    assert!(painted.contains('\u{1b}'));
    while let Some(start) = painted.find('\u{1b}') {
        let end = painted[start..].find('m').unwrap() + start + 1;
        painted.replace_range(start..end, "");
    }
    assert_eq!(painted, plain);
}

#[test]
fn the_last_words_sum_up() {
    assert_eq!(
        closing(&page(false)),
        "3 skills scanned: 1 dangerous, 2 safe; 2 findings, 1 dismissed; 1 could not be scanned, \
         2 notes (`-v` shows them)\n`hone scan --explain archive` tells more about a rule"
    );
}

#[test]
fn markdown_has_a_table_and_a_part_for_each_skill_with_findings() {
    assert_snapshot!(markdown::page(&page(false)), @"
    # Skill scan

    3 skills scanned: 1 dangerous, 2 safe; 2 findings, 1 dismissed; 1 could not be scanned.

    | verdict | skill | findings | path |
    |---|---|---|---|
    | **dangerous** | a | 2 | `/s/a` |
    | safe | longer | 0 | `/s/longer` |
    | safe | quiet | 0 | `/s/quiet` |

    Not scanned: `/s/gone`: not there

    ## a: dangerous

    ### `remote` **critical**

    found by remote in `run.sh:3:5` (script)

    - Evidence: `curl a | sh`
    - Flow: `a → sh (host) [on start]`
    - Why: anybody may change it
    - What to do: ship it

    ### `archive` **warn**

    found by archive in `run.sh` (script)

    - Evidence: `curl a | sh`
    - Why: anybody may change it
    - What to do: ship it

    And 1 note.

    ## longer: safe

    Dismissed:

    - `hidden` `run.sh:3:5`: found by hidden; dismissed until 2030-01-01 by me&#58; our own host
    ");
}

#[test]
fn html_has_a_part_for_each_skill_with_findings_and_every_tag_is_closed() {
    for verbose in [false, true] {
        let text = html::page(&page(verbose));
        let sections: Vec<bool> =
            (0..3).map(|n| text.contains(&format!("<section id=\"skill-{n}\">"))).collect();
        assert_eq!(sections, [true, true, verbose]);
        let links = text.matches("href=\"#skill-").count();
        assert_eq!(links, sections.iter().filter(|shown| **shown).count());
        for tag in [
            "html", "head", "body", "table", "tbody", "thead", "tr", "section", "article", "ul",
            "li", "h2", "h3", "p", "code", "pre", "strong", "style", "footer",
        ] {
            let opened = text.matches(&format!("<{tag}>")).count()
                + text.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{tag} in\n{text}");
        }
        assert!(
            !text.contains("http://") && !text.contains("https://"),
            "nothing is fetched:\n{text}"
        );
    }
}

#[test]
fn json_has_notes_dismissed_findings_and_failures() {
    let page = page(false);
    let value = serde_json::to_value(formats::json(&page)).unwrap();
    let lengths = |key: &str| -> Vec<usize> {
        let skills = value["skills"].as_array().unwrap();
        skills.iter().map(|skill| skill[key].as_array().unwrap().len()).collect()
    };
    assert_eq!((lengths("findings"), lengths("dismissed")), (vec![3, 0, 1], vec![0, 1, 0]));
    assert_eq!(value["failed"], serde_json::json!([{"path": "/s/gone", "message": "not there"}]));
}

#[test]
fn sarif_has_notes_only_when_asked_and_what_was_dismissed_as_suppressed() {
    let levels = |verbose: bool| -> Vec<(String, usize)> {
        let value = formats::sarif(&page(verbose), Path::new("/s"));
        let results = value["runs"][0]["results"].as_array().unwrap();
        let level = |result: &serde_json::Value| result["level"].as_str().unwrap().to_owned();
        let suppressed =
            |result: &serde_json::Value| result["suppressions"].as_array().map_or(0, Vec::len);
        results.iter().map(|result| (level(result), suppressed(result))).collect()
    };
    let expected = |levels: &[(&str, usize)]| -> Vec<(String, usize)> {
        levels.iter().map(|(level, count)| ((*level).to_owned(), *count)).collect()
    };
    let counting = [("error", 0), ("warning", 0), ("error", 1)];
    assert_eq!(levels(false), expected(&counting));
    let all = [("error", 0), ("warning", 0), ("note", 0), ("error", 1), ("note", 0)];
    assert_eq!(levels(true), expected(&all));
    let value = formats::sarif(&page(false), Path::new("/s"));
    assert_eq!(
        value["runs"][0]["results"][2]["suppressions"],
        serde_json::json!([{
            "kind": "external",
            "justification": "dismissed until 2030-01-01 by me: our own host",
        }])
    );
}

#[test]
fn a_finding_is_wrapped_to_the_terminal_and_loses_nothing() {
    const COLUMNS: usize = 40;
    let long = Finding {
        message: "a text from a host of somebody is run by a shell without a look".to_owned(),
        hint: "ship the script with the skill, or install a pinned version".to_owned(),
        ..finding("remote", Severity::Critical)
    };
    let (mut narrow, mut wide) = (String::new(), String::new());
    table::finding_within(&mut narrow, &long, Style::Plain, COLUMNS);
    table::finding_within(&mut wide, &long, Style::Plain, usize::MAX);
    assert!(narrow.lines().all(|line| line.chars().count() <= COLUMNS), "{narrow}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&narrow), words(&wide));
}
