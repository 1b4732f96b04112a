//! The product of what a language offers: every source in every shape, with the sinks in turn, and amid
//! everyday code. All must be blocked; a harmless source in the same shapes and sinks must not be.
//!
//! In a shape `SOURCE` stands for the source, and a line `SEND x` for the sink given `x`; in a sink
//! `DATA` stands for what it is given.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "shared by tests")]

use std::collections::BTreeMap;
use std::fs;

use hone_guard::Verdict;

/// What a language offers.
pub(crate) struct Matrix<'a> {
    /// The script's name, which says its language.
    pub(crate) file: &'a str,
    /// What stands at its start.
    pub(crate) header: &'a str,
    pub(crate) sources: &'a [&'a str],
    pub(crate) sinks: &'a [&'a str],
    /// Ways for a value to get from the one to the other.
    pub(crate) shapes: &'a [&'a str],
    /// Everyday code that a reader must get over.
    pub(crate) around: &'a [&'a str],
    /// What may go anywhere.
    pub(crate) harmless: &'a [&'a str],
    /// Rows of the tables above that are not seen yet in every product.
    pub(crate) gaps: &'a [&'a str],
}

/// One of so many products is scanned.
const STEP: usize = 5;

const SKILL: &str = "---\nname: release-notes\ndescription: Writes release notes.\n---\n\n\
    # Release notes\n\nRun the script. Results are shown at drop.kestrelmetrics.io.\n";

fn filled(matrix: &Matrix<'_>, shape: &str, source: &str, sink: &str, around: &str) -> String {
    let mut code = format!("{}\n{around}\n", matrix.header);
    for line in shape.lines() {
        let bare = line.trim_start();
        let indent = &line[..line.len() - bare.len()];
        if let Some(data) = bare.strip_prefix("SEND ") {
            let data = data.replace("SOURCE", source);
            for part in sink.lines() {
                code.push_str(indent);
                code.push_str(&part.replace("DATA", &data));
                code.push('\n');
            }
        } else {
            code.push_str(&line.replace("SOURCE", source));
            code.push('\n');
        }
    }
    code
}

fn is_blocked(matrix: &Matrix<'_>, code: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("SKILL.md"), SKILL).unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    fs::write(folder.path().join("scripts").join(matrix.file), code).unwrap();
    hone_guard::scan(folder.path()).unwrap().verdict > Verdict::Safe
}

/// Scans the products; says what came out wrong, rows and columns first.
pub(crate) fn check(matrix: &Matrix<'_>) {
    let (source, shape, sink) = (matrix.sources[0], matrix.shapes[0], matrix.sinks[0]);
    let mut all: Vec<(&str, &str, &str, &str)> = Vec::new();
    // Every source in some of the shapes, every shape with some of the sources, the sinks in turn.
    for (i, source) in matrix.sources.iter().enumerate() {
        for (j, shape) in matrix.shapes.iter().enumerate().filter(|(j, _)| (i + j) % STEP == 0) {
            all.push((source, shape, matrix.sinks[(i + j) % matrix.sinks.len()], ""));
        }
    }
    for (i, sink) in matrix.sinks.iter().enumerate() {
        all.push((source, shape, sink, ""));
        all.push((matrix.sources[(i + 1) % matrix.sources.len()], shape, sink, ""));
    }
    all.extend(matrix.around.iter().map(|around| (source, shape, sink, *around)));
    all.retain(|(a, b, c, d)| ![a, b, c, d].iter().any(|part| matrix.gaps.contains(part)));
    let mut missed: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (source, shape, sink, around) in &all {
        let code = filled(matrix, shape, source, sink, around);
        if !is_blocked(matrix, &code) {
            for part in [source, shape, sink, around].into_iter().filter(|part| !part.is_empty()) {
                *missed.entry((*part).to_owned()).or_default() += 1;
            }
            wrong.push(format!("{source:?} || {shape:?} || {sink:?} || {around:?}"));
        }
    }
    let mut alarms = Vec::new();
    for harmless in matrix.harmless {
        let shapes = matrix.shapes.iter().map(|shape| (*shape, sink, ""));
        let sinks = matrix.sinks.iter().map(|sink| (shape, *sink, ""));
        let around = matrix.around.iter().map(|around| (shape, sink, *around));
        for (shape, sink, around) in shapes.chain(sinks).chain(around) {
            if matrix.gaps.contains(&shape) || matrix.gaps.contains(&sink) {
                continue;
            }
            let code = filled(matrix, shape, harmless, sink, around);
            if is_blocked(matrix, &code) {
                alarms.push(code);
            }
        }
    }
    let of = |row: &str| {
        all.iter().filter(|(a, b, c, d)| [a, b, c, d].iter().any(|part| **part == row)).count()
    };
    let mut rows: Vec<(usize, String)> =
        missed.into_iter().map(|(row, n)| (100 * n / of(&row), row)).collect();
    rows.sort_unstable_by(|a, b| b.cmp(a));
    let rows: Vec<String> = rows.iter().map(|(n, row)| format!("{n:4} % {row}")).collect();
    assert!(
        wrong.is_empty() && alarms.is_empty(),
        "{} of {} missed, {} false alarms\n== missed by part\n{}\n== missed\n{}\n== alarms\n{}",
        wrong.len(),
        all.len(),
        alarms.len(),
        rows.join("\n"),
        wrong.join("\n"),
        alarms.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n--\n"),
    );
}
