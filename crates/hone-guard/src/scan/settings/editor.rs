//! Lines that an editor obeys when it opens a file: Emacs runs the Lisp behind `eval:` in the first
//! line, in a block of local variables at the end, and in `.dir-locals.el`.

use super::File;
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::rules;
use crate::scan::text::floor;

/// Bytes at the end of a file in which Emacs looks for local variables.
const MAX_TAIL: usize = 3000;

/// Lisp that starts programs, reaches the network, loads code or writes files.
const ACTS: [&str; 20] = [
    "shell-command",
    "call-process",
    "start-process",
    "make-process",
    "process-file",
    "process-lines",
    "start-file-process",
    "async-shell-command",
    "make-network-process",
    "open-network-stream",
    "url-retrieve",
    "url-copy-file",
    "(load ",
    "load-file",
    "(eval ",
    "(compile ",
    "write-region",
    "(require ",
    "(funcall ",
    "(apply ",
];

pub(super) fn look(file: &File<'_>, findings: &mut Findings<'_>) {
    let text = &file.text.plain;
    let lisp = file.name() == ".dir-locals.el";
    let head = text.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| at);
    let tail = floor(text, text.len().saturating_sub(MAX_TAIL));
    let local = text[tail..].rfind("Local Variables:").map(|at| tail + at);
    let found = if lisp {
        text.find("(eval").map(|at| (at, text.len()))
    } else {
        let first = text[..head].find("-*-").map(|at| (at, head));
        let named = |(from, to): &(usize, usize)| text[*from..*to].contains("eval:");
        first.filter(named).or(local.map(|at| (at, text.len())).filter(named))
    };
    let Some((from, to)) = found else { return };
    // The Lisp itself, not a comment about it somewhere else in the file.
    let code = &text[from..to];
    let Some(act) = ACTS.iter().filter_map(|act| code.find(act)).min() else { return };
    let line = file.text.line_at(from + act);
    let found = Match::new(
        &rules::SHIPS_AGENT_SETTINGS,
        Severity::Warn,
        "an editor runs this code when it opens the file",
    );
    file.add(from + act, &text[line], found, findings);
}
