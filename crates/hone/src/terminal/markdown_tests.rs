use std::time::{Duration, Instant};

use super::*;

const MEBIBYTE: usize = 1 << 20;
/// Bytes of output per byte of input, at most: a rule of three marks becomes a line of three-byte
/// characters.
const MAX_GROWTH: usize = 64;

fn lines(markdown: &str, columns: usize, style: Style) -> Vec<String> {
    let page = render(markdown, columns, style);
    assert!(page.is_empty() || page.ends_with('\n'));
    page.lines().map(str::to_owned).collect()
}

fn plain(markdown: &str) -> Vec<String> {
    lines(markdown, 40, Style::Plain)
}

fn ansi(markdown: &str) -> Vec<String> {
    lines(markdown, 40, Style::Ansi)
}

fn assert_linear(markdown: &str) {
    for style in [Style::Plain, Style::Ansi] {
        let start = Instant::now();
        let page = render(markdown, 80, style);
        let (took, size) = (start.elapsed(), page.len());
        assert!(took < Duration::from_secs(20), "took {took:?}");
        assert!(size <= MAX_GROWTH * markdown.len(), "{size} bytes");
    }
}

#[test]
fn an_empty_document_is_an_empty_page() {
    assert_eq!(render("", 40, Style::Plain), "");
    assert_eq!(render("\n \n", 40, Style::Ansi), "");
}

#[test]
fn paragraphs_wrap_and_soft_breaks_are_spaces() {
    assert_eq!(
        plain("One paragraph\nover two lines   with words enough to wrap.\n\nAnother."),
        ["One paragraph over two lines with words", "enough to wrap.", "", "Another.",]
    );
}

#[test]
fn hard_breaks_are_new_lines() {
    assert_eq!(plain("one  \ntwo\\\nthree"), ["one", "two", "three"]);
}

#[test]
fn words_break_only_when_longer_than_a_line() {
    let word = "x".repeat(50);
    assert_eq!(plain(&format!("see {word} end")), ["see", &word[..40], "xxxxxxxxxx end"]);
    assert_eq!(plain(&format!("a {}", &word[..40])), ["a", &word[..40]]);
}

#[test]
fn wide_letters_wrap_without_spaces_but_keep_their_punctuation() {
    assert_eq!(
        lines("使用日本語の文章折り。返しは文字の間", 20, Style::Plain),
        ["使用日本語の文章折", "り。返しは文字の間"]
    );
}

#[test]
fn headings_keep_their_marks_when_plain() {
    assert_eq!(
        plain("# One\nText\n\nTwo\n---\n###### Six"),
        ["# One", "", "Text", "", "## Two", "", "###### Six"]
    );
}

#[test]
fn spans_keep_their_marks_when_plain() {
    assert_eq!(
        plain("*em* **strong** ~~old~~ `a  b` <b>x</b>"),
        ["*em* **strong** ~~old~~ `a  b` <b>x</b>"]
    );
}

#[test]
fn links_show_their_address_once() {
    assert_eq!(plain("[text](https://a.b) <https://c.d>"), ["text (https://a.b) https://c.d"]);
    assert_eq!(
        plain("[https://a.b](https://a.b) <me@a.b> [me@a.b](mailto:me@a.b)"),
        ["https://a.b me@a.b me@a.b"]
    );
    assert_eq!(plain("[](https://a.b) [none]()"), ["https://a.b none"]);
    assert_eq!(plain("[ref]\n\n[ref]: /there"), ["ref (/there)"]);
}

#[test]
fn images_show_their_description_and_address() {
    assert_eq!(
        plain("![a *cat*](cat.png) ![](dog.png)"),
        ["[image: a *cat*] (cat.png) [image]", "(dog.png)"]
    );
    assert_eq!(plain("![](dog.png)"), ["[image] (dog.png)"]);
}

#[test]
fn tight_lists_have_hanging_indents() {
    assert_eq!(
        plain(
            "Before\n\n- one\n- two is long enough to wrap around\n  - nested\n    1. first\n    1. second\n- three\n\nAfter"
        ),
        [
            "Before",
            "",
            "• one",
            "• two is long enough to wrap around",
            "  • nested",
            "    1. first",
            "    2. second",
            "• three",
            "",
            "After",
        ]
    );
    assert_eq!(
        plain("10. an item with words enough to wrap around"),
        ["10. an item with words enough to wrap", "    around"]
    );
}

#[test]
fn loose_lists_have_blank_lines() {
    assert_eq!(
        plain("1. one\n\n   more\n\n   - in\n2. two"),
        ["1. one", "", "   more", "", "   • in", "", "2. two"]
    );
}

#[test]
fn items_without_text_keep_their_markers() {
    assert_eq!(plain("-\n- - x\n- 1. -"), ["•", "• • x", "• 1. •"]);
    assert_eq!(plain("- >\n- b"), ["• │", "", "• b"]);
}

#[test]
fn tasks_show_their_boxes() {
    assert_eq!(plain("- [x] done\n- [ ] open"), ["• [x] done", "• [ ] open"]);
}

#[test]
fn quotes_have_a_bar_on_every_line() {
    assert_eq!(
        plain("> A quote with words enough to wrap around.\n>\n> > inner\n>\n> - item\n\nAfter"),
        [
            "│ A quote with words enough to wrap",
            "│ around.",
            "│",
            "│ │ inner",
            "│",
            "│ • item",
            "",
            "After",
        ]
    );
}

#[test]
fn code_is_indented_and_never_wrapped() {
    let long = "word ".repeat(20);
    assert_eq!(
        plain(&format!("Run:\n```sh\n{long}\n\n\tend\r\n```\nDone\n\n    old style")),
        ["Run:", "", &format!("    {long}"), "", "    \tend", "", "Done", "", "    old style",]
    );
    assert_eq!(plain("- item\n\n  ```\n  code\n  ```"), ["• item", "", "      code"]);
}

#[test]
fn tables_are_aligned_when_they_fit() {
    assert_eq!(
        plain("| Name | Mid | No |\n|---|:-:|--:|\n| a | b | 1 |\n| 日本 | `code` | 20 |\n| c |"),
        [
            "Name │  Mid   │ No",
            "─────┼────────┼───",
            "a    │   b    │  1",
            "日本 │ `code` │ 20",
            "c    │        │",
        ]
    );
}

#[test]
fn tables_too_wide_become_one_block_per_row() {
    assert_eq!(
        plain(
            "| Field | What it means to its reader |\n|---|---|\n| `name` | The name of the skill in kebab case |\n| version | |\n| x | y |"
        ),
        [
            "Field: `name`",
            "What it means to its re…: The name of",
            "  the skill in kebab case",
            "",
            "Field: version",
            "",
            "Field: x",
            "What it means to its re…: y",
        ]
    );
}

#[test]
fn a_wide_table_without_rows_shows_its_titles() {
    assert_eq!(
        plain("| The first of two long titles | The second one |\n|---|---|"),
        ["The first of two long titles", "The second one"]
    );
}

#[test]
fn a_table_as_wide_as_the_page_is_aligned() {
    let table = |width: usize| format!("|a|{}|\n|-|-|\n|b|c|", "d".repeat(width));
    assert_eq!(
        plain(&table(36)),
        [format!("a │ {}", "d".repeat(36)), format!("──┼─{}", "─".repeat(36)), "b │ c".to_owned(),]
    );
    let cut_title = "d".repeat(MAX_LABEL - 1) + "…";
    assert_eq!(plain(&table(37)), ["a: b".to_owned(), format!("{cut_title}: c")]);
}

#[test]
fn rules_fill_the_page() {
    assert_eq!(plain("a\n\n---\n\nb"), ["a", "", &"─".repeat(40), "", "b"]);
}

#[test]
fn html_is_shown_as_text() {
    assert_eq!(
        plain("<div>\n  <p>*not* emphasis</p>\n</div>\n\nAfter<br>that"),
        ["<div>", "  <p>*not* emphasis</p>", "</div>", "", "After<br>that",]
    );
}

#[test]
fn footnotes_stand_where_they_are_written() {
    assert_eq!(
        plain("Claim[^1].\n\n[^1]: Source.\n\n    More.\n\nEnd"),
        ["Claim[^1].", "", "[^1]: Source.", "", "    More.", "", "End"]
    );
}

#[test]
fn ansi_marks_spans_with_escape_sequences() {
    assert_eq!(
        ansi("## Two\n*em* **strong** `code` [text](/url)\n> quote\n\n```\ncode\n```"),
        [
            "\u{1b}[1m\u{1b}[36mTwo\u{1b}[0m",
            "",
            "\u{1b}[3mem\u{1b}[0m \u{1b}[1mstrong\u{1b}[0m \u{1b}[33m`code`\u{1b}[0m \u{1b}[4mtext\u{1b}[0m\u{1b}[2m (/url)\u{1b}[0m",
            "",
            "\u{1b}[2m│\u{1b}[0m quote",
            "",
            "    \u{1b}[33mcode\u{1b}[0m",
        ]
    );
}

#[test]
fn ansi_closes_its_sequences_on_every_line() {
    assert_eq!(
        lines("**strong words that wrap**", 20, Style::Ansi),
        ["\u{1b}[1mstrong words that\u{1b}[0m", "\u{1b}[1mwrap\u{1b}[0m",]
    );
}

#[test]
fn the_document_cannot_send_escape_sequences() {
    let evil = "\u{1b}[31m\u{9b}2J\u{202e}\u{200b}";
    let shown = "\\u{1b}[31m\\u{9b}2J\\u{202e}\\u{200b}";
    let document = format!(
        "# {evil}\n\n{evil} *{evil}* `{evil}` [{evil}](<{evil}>) ![{evil}](<{evil}>) <b {evil}> &#27;&#x202e; [^{evil}]\n\n\
         > {evil}\n\n- {evil}\n\n| {evil} |\n|---|\n| {evil} |\n\n```{evil}\n{evil}\n```\n\n<div>{evil}</div>\n\n[^{evil}]: {evil}\n"
    );
    for columns in [MIN_COLUMNS, MAX_COLUMNS] {
        let page = render(&document, columns, Style::Plain);
        let is_raw = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{200b}".contains(c);
        assert_eq!(page.chars().find(|c| is_raw(*c)), None);

        let page = render(&document, columns, Style::Ansi);
        for sequence in page.split('\u{1b}').skip(1) {
            let code = sequence.strip_prefix('[').and_then(|rest| rest.split_once('m'));
            assert!(
                code.is_some_and(|(code, _)| ["0", "1", "2", "3", "4", "33", "36"].contains(&code)),
                "{sequence:?}"
            );
        }
    }
    assert_eq!(render(evil, 80, Style::Ansi), format!("{shown}\n"));
}

#[test]
fn no_line_is_wider_than_the_page() {
    let document = "# A heading that is long enough to wrap\n\n\
        > - quoted item with `inline code` and [a link](https://example.com/a/very/long/address)\n\n\
        1. one\n   - two\n     - three\n       - four\n         - five levels deep with some words\n\n\
        | Title | Another title |\n|---|---|\n| some value | another value that is long |\n\n\
        <p align=\"center\">markup that is long enough to wrap</p>\n\n\
        日本語の文章は空白がないので 👩🏽\u{200d}💻👩🏽\u{200d}💻👩🏽\u{200d}💻👩🏽\u{200d}💻👩🏽\u{200d}💻👩🏽\u{200d}💻\n\n---\n\n\
        [^note-with-a-long-label]: The note[^note-with-a-long-label].\n";
    for columns in 0..=100 {
        let widest = lines(document, columns, Style::Plain).iter().map(|line| line.width()).max();
        assert!(widest <= Some(columns.max(MIN_COLUMNS)), "{columns}: {widest:?}");
    }
}

#[test]
fn width_is_clamped() {
    let rule = |columns| render("---", columns, Style::Plain).trim_end().width();
    assert_eq!(
        [0, MIN_COLUMNS, MAX_COLUMNS, usize::MAX].map(rule),
        [MIN_COLUMNS, MIN_COLUMNS, MAX_COLUMNS, MAX_COLUMNS]
    );
}

#[test]
fn nesting_beyond_the_deepest_indentation_shares_it() {
    let bars = MAX_INDENT / 2;
    let quoted = |depth: usize| render(&format!("{} x", ">".repeat(depth)), 80, Style::Plain);
    assert_eq!(quoted(bars), format!("{}x\n", "│ ".repeat(bars)));
    assert_eq!(quoted(bars + 1), quoted(bars));
    assert_eq!(quoted(10_000), quoted(bars));

    let listed = |depth: usize| render(&format!("{}x", "- ".repeat(depth)), 80, Style::Plain);
    assert_eq!(listed(bars), format!("{}x\n", "• ".repeat(bars)));
    let deepest = format!("{}• x\n", " ".repeat(MAX_INDENT));
    assert_eq!(listed(bars + 1), deepest);
    assert_eq!(listed(10_000), deepest);
}

#[test]
fn a_document_too_costly_to_parse_is_shown_as_written() {
    let document = |lines: usize| format!("{}*x*\n{}", "- ".repeat(5_000), "y\n".repeat(lines));
    assert_eq!(plain(&document(1)), [format!("{}• *x* y", " ".repeat(20))]);
    let costly = plain(&document(5_000));
    assert_eq!(costly[0], "- ".repeat(20).trim_end());
    assert_eq!(costly[250], "*x*");
    assert_eq!(costly[251..], vec!["y"; 5_000]);
}

#[test]
fn odd_documents_take_linear_time_and_space() {
    assert_linear(&">".repeat(MEBIBYTE / 4));
    assert_linear(&"- ".repeat(MEBIBYTE / 8));
    assert_linear(&format!("{}x\r{}", "- ".repeat(100_000), "y\r".repeat(MEBIBYTE / 4)));
    assert_linear(&"x".repeat(MEBIBYTE));
    assert_linear(&"word ".repeat(MEBIBYTE / 5));
    assert_linear(&"[".repeat(100_000));
    assert_linear(&"***\n".repeat(MEBIBYTE / 16));
}

#[test]
fn a_long_title_is_not_repeated_in_full() {
    let rows = "a|b\n".repeat(10_000);
    assert_linear(&format!("|{}|b|\n|-|-|\n{rows}", "h".repeat(100_000)));
    assert_linear(&format!("|{}|{}|\n|-|-|\n{rows}", "\u{301}".repeat(50_000), "h".repeat(100)));
}
