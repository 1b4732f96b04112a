//! Lines that a program obeys when it opens a file: TeX runs what `\write18` holds, Emacs runs the Lisp behind `eval:` in the first
//! line, in a block of local variables at the end, and in `.dir-locals.el`.

use super::File;
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::has_extension;
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

/// `\\write18{…}` of TeX runs a command when the document is typeset.
fn look_tex(file: &File<'_>, findings: &mut Findings<'_>) {
    const REACHES: [&str; 8] = ["|", "curl", "wget", "~/", "base64", "openssl", "http", "sh "];
    for (at, open) in file.text.plain.match_indices("\\write18{") {
        let line = &file.text.plain[file.text.line_at(at)];
        let command = &file.text.plain[at + open.len()..];
        let command = command.split('\n').next().unwrap_or_default();
        if REACHES.iter().any(|word| command.contains(word)) {
            let found = Match::new(
                &rules::INSTALL_SCRIPT,
                Severity::Warn,
                "typesetting the document runs a command that reaches out",
            );
            file.add(at, line, found, findings);
        }
    }
}

pub(super) fn look(file: &File<'_>, findings: &mut Findings<'_>) {
    if ["tex", "sty", "cls"].iter().any(|tex| has_extension(file.path, tex)) {
        look_tex(file, findings);
    }
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
