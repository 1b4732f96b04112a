//! Programs that change a text on its way: what they add to it by what they are told.

use std::ops::Range;

use super::call::Call;
use super::one_liner::printed;
use crate::scan::shell_flow::files::key;
use crate::scan::shell_flow::{Taint, Walk};

/// What packers call the file that they leave.
const ENDINGS: [(&str, &str); 9] = [
    ("gzip", ".gz"),
    ("pigz", ".gz"),
    ("bzip2", ".bz2"),
    ("xz", ".xz"),
    ("zstd", ".zst"),
    ("lz4", ".lz4"),
    ("brotli", ".br"),
    ("compress", ".Z"),
    ("gpg", ".gpg"),
];

impl Walk<'_, '_, '_> {
    /// `gzip file` leaves `file.gz`, `gunzip file.gz` leaves `file`.
    pub(super) fn packed(&mut self, call: &Call, at: &Range<usize>) {
        let paths: Vec<String> = call.plain().map(|argument| argument.text.clone()).collect();
        for path in paths {
            let taint = self.file(&path);
            if taint.is_clean() {
                continue;
            }
            let ending =
                ENDINGS.iter().find(|(name, _)| *name == call.name).map(|(_, ending)| ending);
            let open = ENDINGS.iter().find_map(|(_, ending)| path.strip_suffix(ending));
            match (open, ending) {
                (Some(open), _) => self.write(open, "", &taint, at),
                (None, Some(ending)) => {
                    self.memory
                        .files
                        .entry(key(&format!("{path}{ending}")))
                        .or_default()
                        .add(&taint);
                }
                _ => {}
            }
        }
    }
}

/// What a filter's program adds: the environment that `awk` and `jq` print, a text that they decode.
pub(super) fn filtered(call: &Call) -> Taint {
    let text = call.text();
    let mut taint = Taint::default();
    match call.name.as_str() {
        "awk" | "gawk" | "mawk" | "nawk" => {
            let program = printed(&text);
            taint.environment |= program.environment;
            taint.decoded = program.decoded;
        }
        "jq" | "yq" | "gojq" | "jaq" => {
            let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '$'));
            let whole = text.ends_with("env") || text.ends_with("$ENV") || text.contains("env |");
            if whole && words.any(|word| matches!(word, "env" | "$ENV")) {
                taint.add(&Taint::environment());
            }
            if text.contains("@base64d") {
                taint.add(&Taint::decoded("base64"));
            }
        }
        "sed" | "gsed" if text.contains("\\\\x&") || text.contains("\\x&") => {
            taint.add(&Taint::decoded("character escapes"));
        }
        _ => {}
    }
    taint
}
