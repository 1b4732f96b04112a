//! What Markdown costs those who parse it.

/// The most containers a parser may visit per byte of source; a measured visit takes 2.5 ns.
const MAX_VISITS: usize = 128;

/// Whether parsing could take more than linear time: a parser visits each open quote and list again on
/// every line. Such a document is shown as it is written.
pub fn is_costly_markdown(markdown: &str) -> bool {
    let is_container_mark = |c: char| c.is_ascii_digit() || " \t>-+*.)".contains(c);
    let depth_of = |line: &str| line.len() - line.trim_start_matches(is_container_mark).len();
    let lines = || markdown.split(['\n', '\r']);
    let depth = lines().map(depth_of).max().unwrap_or(0);
    depth.saturating_mul(lines().count()) > markdown.len().saturating_mul(MAX_VISITS)
}
