//! Small plots as SVG, without a script and without a style of their own.

use maud::{Markup, html};

/// How a plot is laid out, in its own units. A page has each plot twice, and its style shows the one that
/// its words can be read in.
struct Sheet {
    class: &'static str,
    width: usize,
    /// Room for the words of a bar, before it; none where they stand above it.
    label: usize,
}

/// For a desk, and for a phone.
const SHEETS: [Sheet; 2] = [
    Sheet { class: "plot wide", width: 640, label: 220 },
    Sheet { class: "plot narrow", width: 340, label: 0 },
];
/// Height of a bar and the space below it.
const BAR: (usize, usize) = (18, 8);
/// Height of words above a bar.
const ABOVE: usize = 18;
/// Room for its figure.
const FIGURE: usize = 70;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bar {
    /// What it stands for.
    pub(super) label: String,
    /// How much.
    pub(super) value: u64,
    /// How that is written.
    pub(super) figure: String,
}

/// Lying bars, each with its words; the longest fills the width, unless `most` is more.
pub(super) fn bars(title: &str, bars: &[Bar], most: Option<u64>) -> Markup {
    let most =
        bars.iter().map(|bar| bar.value).max().into_iter().chain(most).max().unwrap_or(0).max(1);
    html! {
        figure {
            figcaption { (title) }
            @for sheet in &SHEETS { (lying(sheet, title, bars, most)) }
        }
    }
}

fn lying(sheet: &Sheet, title: &str, bars: &[Bar], most: u64) -> Markup {
    let Sheet { class, width, label } = *sheet;
    let room = u64::try_from(width - label - FIGURE).unwrap_or(0);
    let length = |value: u64| value.min(most).saturating_mul(room) / most;
    let above = if label == 0 { ABOVE } else { 0 };
    let row = above + BAR.0 + BAR.1;
    html! {
        svg class=(class) viewBox={ "0 0 " (width) " " (bars.len() * row) } role="img" aria-label={ (title) ": " (told(bars)) } {
            @for (at, bar) in bars.iter().enumerate() {
                @let top = at * row + above;
                @if label == 0 { text x="0" y=(top - 5) { (bar.label) } }
                @else { text x=(label - 8) y=(top + BAR.0 - 4) text-anchor="end" { (bar.label) } }
                rect x=(label) y=(top) width=(length(bar.value)) height=(BAR.0) rx="2" {}
                text x=(u64::try_from(label + 6).unwrap_or(0) + length(bar.value)) y=(top + BAR.0 - 4) { (bar.figure) }
            }
        }
    }
}

/// Height of the standing bars, and room for words above and below.
const COLUMNS: (usize, usize) = (120, 18);

/// Standing bars in a row of time; the highest fills the height. The first and the last have words.
pub(super) fn columns(title: &str, bars: &[Bar]) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            @for sheet in &SHEETS { (standing(sheet, title, bars)) }
        }
    }
}

fn standing(sheet: &Sheet, title: &str, bars: &[Bar]) -> Markup {
    let Sheet { class, width, .. } = *sheet;
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0);
    let (tall, room) = COLUMNS;
    let height = |value: u64| {
        let tall = u64::try_from(tall).unwrap_or(0);
        value.saturating_mul(tall) / most.max(1)
    };
    let wide = width / bars.len().max(1);
    let bottom = room + tall;
    let used: Vec<Bar> = bars.iter().filter(|bar| bar.value > 0).cloned().collect();
    let words = if used.is_empty() { "none".to_owned() } else { told(&used) };
    html! {
        svg class=(class) viewBox={ "0 0 " (width) " " (bottom + room) } role="img" aria-label={ (title) ": " (words) } {
            text x="0" y=(room - 5) { (most) " at most" }
            line x1="0" x2=(width) y1=(bottom) y2=(bottom) {}
            @for (at, bar) in bars.iter().enumerate() {
                @let high = height(bar.value);
                rect x=(at * wide + 1) y=(u64::try_from(bottom).unwrap_or(0) - high) width=(wide.saturating_sub(2)) height=(high) {
                    title { (bar.label) ": " (bar.figure) }
                }
            }
            @if let [first, .., last] = bars {
                text x="0" y=(bottom + room - 4) { (first.label) }
                text x=(width) y=(bottom + room - 4) text-anchor="end" { (last.label) }
            }
        }
    }
}

/// The same in words, for whoever does not see it.
fn told(bars: &[Bar]) -> String {
    let told: Vec<String> =
        bars.iter().map(|bar| format!("{} {}", bar.label, bar.figure)).collect();
    told.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: u64) -> Bar {
        Bar { label: label.to_owned(), value, figure: value.to_string() }
    }

    #[test]
    fn the_highest_column_fills_the_height_and_quiet_days_are_not_read_out() {
        let shown = columns("Uses", &[bar("a", 0), bar("b", 4), bar("<c>", 1)]).into_string();
        assert!(shown.contains("height=\"120\"") && shown.contains("height=\"30\""), "{shown}");
        assert!(shown.contains("aria-label=\"Uses: b 4; &lt;c&gt; 1\""), "{shown}");
        let quiet = columns("Uses", &[bar("a", 0)]).into_string();
        assert!(quiet.contains("aria-label=\"Uses: none\""), "{quiet}");
        columns("Uses", &[]);
    }

    #[test]
    fn the_longest_bar_fills_the_width_and_a_larger_scale_does_not() {
        let shown = bars("Uses", &[bar("a", 10), bar("<b>", 5)], None).into_string();
        assert!(shown.contains("width=\"350\"") && shown.contains("width=\"175\""), "{shown}");
        assert!(shown.contains("aria-label=\"Uses: a 10; &lt;b&gt; 5\""), "{shown}");
        // The same for a phone, words above.
        assert!(shown.contains("viewBox=\"0 0 340 88\""), "{shown}");
        assert!(shown.contains("width=\"270\"") && shown.contains("width=\"135\""), "{shown}");
        let scaled = bars("Uses", &[bar("a", 10)], Some(20)).into_string();
        assert!(scaled.contains("width=\"175\""), "{scaled}");
        let nothing = bars("Uses", &[bar("a", 0)], None).into_string();
        assert!(nothing.contains("width=\"0\""), "{nothing}");
    }
}
