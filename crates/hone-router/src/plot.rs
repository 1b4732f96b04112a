//! A picture of who gets whose messages: the confusion matrix as SVG.

use std::fmt::Write as _;

use crate::eval::Report;

/// Skills that the picture has room for; the most confused ones are shown.
pub const MAX_PLOTTED: usize = 60;

const CELL: usize = 22;
const LABEL: usize = 220;

/// Draws the matrix: rows are the skills that messages are for, columns those that stand first.
pub fn confusion_svg(report: &Report, name: &dyn Fn(usize) -> String) -> String {
    let mut wrong: Vec<(usize, usize)> = Vec::new();
    for skill in report.skills.iter().map(|skill| skill.skill) {
        let is_wrong = |((from, by), _): &(&(usize, usize), &usize)| from != by;
        let touching = report.confusion.iter().filter(is_wrong);
        let count: usize = touching
            .filter(|((from, by), _)| *from == skill || *by == skill)
            .map(|(_, count)| count)
            .sum();
        wrong.push((count, skill));
    }
    wrong.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut skills: Vec<usize> =
        wrong.into_iter().take(MAX_PLOTTED).map(|(_, skill)| skill).collect();
    skills.sort_unstable();
    // Those that take messages without having a suite get a column too.
    let mut columns = skills.clone();
    for (from, by) in report.confusion.keys() {
        if skills.contains(from) && !columns.contains(by) && columns.len() < 2 * MAX_PLOTTED {
            columns.push(*by);
        }
    }
    let (width, height) = (LABEL + columns.len() * CELL + 20, LABEL + skills.len() * CELL + 40);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Which skill gets the messages of which</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (at, skill) in columns.iter().enumerate() {
        let x = LABEL + at * CELL + CELL / 2;
        let _ = writeln!(
            svg,
            "<text transform=\"translate({x} {}) rotate(-60)\">{}</text>",
            LABEL - 6,
            escaped(&name(*skill))
        );
    }
    for (row, from) in skills.iter().enumerate() {
        let y = LABEL + row * CELL;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LABEL - 6,
            y + CELL / 2 + 4,
            escaped(&name(*from))
        );
        let of_row = report.confusion.iter().filter(|((row, _), _)| row == from);
        let sum: usize = of_row.map(|(_, count)| count).sum();
        for (column, by) in columns.iter().enumerate() {
            let count = report.confusion.get(&(*from, *by)).copied().unwrap_or(0);
            let x = LABEL + column * CELL;
            let share = if sum == 0 { 0.0 } else { count as f32 / sum as f32 };
            let colour = if from == by { "31,119,90" } else { "200,60,40" };
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" stroke=\"#dddddd\" \
                 fill=\"rgba({colour},{share:.2})\"/>"
            );
            if count > 0 {
                let _ = writeln!(
                    svg,
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{count}</text>",
                    x + CELL / 2,
                    y + CELL / 2 + 4
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A name as text of an SVG, shortened to the room there is.
fn escaped(name: &str) -> String {
    const MOST: usize = 34;
    let mut text = String::new();
    for c in name.chars().take(MOST) {
        match c {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            c if c.is_control() || hone_skill::is_hidden(c) => text.push('\u{fffd}'),
            c => text.push(c),
        }
    }
    if name.chars().count() > MOST {
        text.push('…');
    }
    text
}
