//! Two versions of a file, side by side.

use hone_library::{DiffOp, changed_places};
use hone_skill::printable;
use maud::{Markup, html};

/// Rows that are shown of one file.
const MAX_ROWS: usize = 2_000;

/// A row: a line of the old text, one of the new, or both.
type Row<'t> = (Option<(usize, &'t str)>, Option<(usize, &'t str)>);

/// The difference as a table; a side that was not there is empty.
pub(super) fn side_by_side(before: Option<&[u8]>, after: Option<&[u8]>) -> Markup {
    let text =
        |side: Option<&[u8]>| std::str::from_utf8(side.unwrap_or_default()).map(str::to_owned);
    let (Ok(old), Ok(new)) = (text(before), text(after)) else {
        return html! { p { "This is not text." } };
    };
    let olds: Vec<&str> = old.split_inclusive('\n').collect();
    let news: Vec<&str> = new.split_inclusive('\n').collect();
    let groups = changed_places(&olds, &news);
    let mut left = MAX_ROWS;
    let mut parts: Vec<Vec<(bool, Row<'_>)>> = Vec::new();
    for group in &groups {
        let rows = group.iter().flat_map(|op| rows(op, &olds, &news));
        let rows: Vec<_> = rows.take(left).collect();
        left -= rows.len();
        parts.push(rows);
    }
    html! {
        @if groups.is_empty() { p { "Nothing in it changed." } }
        @else {
            table.diff {
                thead { tr {
                    th scope="col" { span.away { "Old line" } } th scope="col" { "Before" }
                    th scope="col" { span.away { "New line" } } th scope="col" { "After" }
                } }
                @for rows in &parts { tbody { @for (is_same, row) in rows { (line(*is_same, row)) } } }
            }
            @if left == 0 { p { "There is more; the first " (MAX_ROWS) " rows are shown." } }
        }
    }
}

fn rows<'t>(op: &DiffOp, olds: &[&'t str], news: &[&'t str]) -> Vec<(bool, Row<'t>)> {
    let is_same = matches!(op, DiffOp::Equal { .. });
    let (old, new) = (op.old_range(), op.new_range());
    let side = |range: &std::ops::Range<usize>, all: &[&'t str], at: usize| {
        let line = range.start + at;
        (line < range.end).then(|| (line + 1, all[line]))
    };
    (0..old.len().max(new.len()))
        .map(|at| (is_same, (side(&old, olds, at), side(&new, news, at))))
        .collect()
}

fn line(is_same: bool, (old, new): &Row<'_>) -> Markup {
    let text = |line: &str| printable(line.trim_end_matches(['\r', '\n'])).into_owned();
    html! { tr {
        @match old {
            Some((number, line)) => {
                td.number { (number) }
                td class=[(!is_same).then_some("old")] { @if is_same { (text(line)) } @else { del { (text(line)) } } }
            }
            None => { td.number {} td {} }
        }
        @match new {
            Some((number, line)) => {
                td.number { (number) }
                td class=[(!is_same).then_some("new")] { @if is_same { (text(line)) } @else { ins { (text(line)) } } }
            }
            None => { td.number {} td {} }
        }
    } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(before: &str, after: &str) -> String {
        let shown = side_by_side(Some(before.as_bytes()), Some(after.as_bytes())).into_string();
        shown.split_once("</thead>").map_or(shown.clone(), |(_, body)| body.to_owned())
    }

    #[test]
    fn a_changed_line_stands_beside_what_it_was() {
        assert_eq!(
            body("a\n<b>\n", "a\nc\u{202e}\n"),
            "<tbody><tr><td class=\"number\">1</td><td>a</td><td class=\"number\">1</td><td>a</td></tr>\
             <tr><td class=\"number\">2</td><td class=\"old\"><del>&lt;b&gt;</del></td>\
             <td class=\"number\">2</td><td class=\"new\"><ins>c\\u{202e}</ins></td></tr></tbody></table>"
        );
    }

    #[test]
    fn a_new_line_stands_beside_nothing() {
        assert!(body("", "x\n").contains(
            "<tr><td class=\"number\"></td><td></td><td class=\"number\">1</td><td class=\"new\"><ins>x</ins>"
        ));
        assert_eq!(body("x\n", "x\n"), "<p>Nothing in it changed.</p>");
        assert_eq!(side_by_side(Some(b"\xff"), None).into_string(), "<p>This is not text.</p>");
    }

    #[test]
    fn rows_are_bounded() {
        let fits = body("", &"x\n".repeat(MAX_ROWS - 1));
        assert!(!fits.contains("There is more"));
        let more = body("", &"x\n".repeat(MAX_ROWS + 1));
        assert_eq!(more.matches("<tr>").count(), MAX_ROWS);
        assert!(more.contains("There is more"));
    }
}
