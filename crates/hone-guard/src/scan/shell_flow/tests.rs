use std::borrow::Cow;
use std::collections::HashMap;

use super::nested::{COMMAND_COST, MAX_CALLED};
use super::*;
use crate::scan::passage::Place;
use crate::scan::subject::Subject;

pub(super) fn memory(text: String) -> Memory {
    walked(text, Memory::default()).0
}

/// What a script leaves behind that starts with a memory, and how bad it is.
pub(super) fn walked(text: String, mut memory: Memory) -> (Memory, Option<Severity>) {
    let passage = Passage {
        file: 0,
        language: Language::Shell,
        context: Context::Script,
        text: Cow::Owned(text),
        place: Place::Fixed { line: 1, column: 1 },
        headings: Cow::Borrowed(""),
        lead: Cow::Borrowed(""),
        decoded: None,
    };
    let skill = Skill {
        subject: Subject::default(),
        members: &[],
        host_counts: HashMap::new(),
        promises: crate::scan::subject::Promises::default(),
        documented: std::collections::HashSet::new(),
        catalogues: Vec::new(),
        outputs: crate::scan::outputs::Outputs::default(),
        said: OnceCell::new(),
        asked: std::cell::RefCell::default(),
        loaded: std::cell::RefCell::default(),
    };
    let mut findings = Findings::new(&[]);
    look(&passage, &skill, &mut memory, &mut findings);
    (memory, findings.worst())
}

fn work(text: String) -> usize {
    memory(text).called
}

#[test]
fn every_command_of_nested_substitutions_is_walked_once() {
    let shapes = [
        ("echo $(", ")"),
        ("echo \"$(echo ", ")\""),
        ("${a:-$(", ")}"),
        ("git `", "`"),
        ("printf %s $(", ")"),
    ];
    for (open, close) in shapes {
        for depth in [1, 8, 20, shell::MAX_DEPTH, 2_000] {
            let inside = open.repeat(depth);
            for text in [format!("{inside}echo{}", close.repeat(depth)), inside] {
                let walked = memory(text).walked;
                // One command for every opening, and the one in the middle.
                assert!(walked <= 2 * depth + 1, "{open:?} {depth}: {walked}");
            }
        }
    }
    let seen =
        memory("a=$(echo one $(printf %s two)); b=$(git rev-parse --git-dir)/hooks".to_owned());
    assert_eq!(seen.variables.get("a").unwrap().text, "one two");
    assert_eq!(seen.variables.get("b").unwrap().text, ".git/hooks");
}

#[test]
fn functions_that_call_themselves_do_not_multiply() {
    let body = |calls: usize| format!("f() {{ {} }}\nf\n", "f;".repeat(calls));
    // Within the bound every call is followed.
    let few = work(body(4));
    assert!(few > 4 * 4 * 4 * COMMAND_COST && few < MAX_CALLED, "{few}");
    // Past it calls are not: what is under way is ended, at one level after the other.
    let many = work(body(200));
    assert!((MAX_CALLED..2 * MAX_CALLED).contains(&many), "{many}");
}
