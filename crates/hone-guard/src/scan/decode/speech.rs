//! Whether a text says something: commands, code or English, by a few words of each. It tells which of two
//! readings of a text is meant.

/// Whether a text is a command or code, beyond doubt.
pub(super) fn is_command(text: &str) -> bool {
    const STRONG: [&str; 12] = [
        "curl",
        "wget",
        "http",
        "bash",
        "import ",
        "exec",
        "eval",
        "system",
        "/bin/",
        "subprocess",
        "require",
        "powershell",
    ];
    let lower = text.to_ascii_lowercase();
    speaks(text) >= 2 && STRONG.iter().any(|word| lower.contains(word))
}

pub(super) fn contains_word(text: &str, word: &str) -> bool {
    // Case folded by hand: a copy of a large file in lower case is not worth these few words.
    let first = word.as_bytes()[0];
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(i) = bytes[at..].iter().position(|b| b.eq_ignore_ascii_case(&first)) {
        let start = at + i;
        let end = start + word.len();
        if bytes.len() >= end && bytes[start..end].eq_ignore_ascii_case(word.as_bytes()) {
            let edge = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric());
            if edge(start.checked_sub(1).and_then(|i| bytes.get(i)))
                && (word.len() > 4 || edge(bytes.get(end)))
            {
                return true;
            }
        }
        at = start + 1;
    }
    false
}

/// How much a text looks like commands, code or English.
pub(super) fn speaks(text: &str) -> usize {
    const WORDS: [&str; 34] = [
        "curl",
        "wget",
        "http",
        "bash",
        "import ",
        "exec",
        "eval",
        "system",
        " the ",
        " and ",
        " to ",
        "ignore",
        "instruction",
        "run ",
        "/bin/",
        "subprocess",
        "print",
        "os.",
        ".sh",
        "ssh",
        "user",
        "file",
        "send",
        "read",
        "python",
        "echo",
        "require",
        "fetch",
        "token",
        "key",
        "open",
        "from",
        "env",
        "post",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().filter(|word| lower.contains(**word)).count()
}
