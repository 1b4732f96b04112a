//! Commands in files that have a form of their own: recipes of containers, crontabs, process lists, build
//! files, launch agents.

use super::passages::{Maker, quote};
use crate::scan::kind::Language;
use crate::scan::passage::Passage;
use crate::scan::text::floor;

/// Bytes of one entry of a form that is read as text.
const MAX_ENTRY: usize = 8 * 1024;

impl<'a> Maker<'a> {
    /// Lines that begin with a word, joined where they go on.
    pub(super) fn lines(&self, text: &str, words: &[&str], found: &mut Vec<Passage<'a>>) {
        let mut start = 0;
        let mut open: Option<(String, Vec<(usize, usize)>)> = None;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            let trimmed = line.trim_start();
            let goes_on = line.trim_end().ends_with('\\');
            if let Some((value, pieces)) = &mut open {
                pieces.push((value.len(), at));
                value.push_str(line);
            } else if let Some(word) = words.iter().find(|word| {
                trimmed.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
            }) {
                let skipped = line.len() - trimmed.len() + word.len();
                open = Some((line[skipped..].to_owned(), vec![(0, at + skipped)]));
            }
            if !goes_on && let Some((value, pieces)) = open.take() {
                // ENTRYPOINT ["/usr/bin/x", "-v"]
                let listed: Option<Vec<String>> = serde_json::from_str(value.trim()).ok();
                let value = listed.map_or(value, |words| {
                    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
                });
                self.push(found, Language::Shell, value, pieces);
            }
        }
        if let Some((value, pieces)) = open {
            self.push(found, Language::Shell, value, pieces);
        }
    }

    /// `ADD https://… /usr/bin/x` of a container's recipe fetches a file.
    pub(super) fn added(&self, text: &str, found: &mut Vec<Passage<'a>>) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let words: Vec<&str> =
                line.split_whitespace().filter(|w| !w.starts_with("--")).collect();
            if let ["ADD" | "add", address, path] = words.as_slice()
                && address.contains("://")
            {
                let fetch = format!("curl -o {} {}", quote(path), quote(address));
                self.push(found, Language::Shell, fetch, vec![(0, start), (1, start)]);
            }
            start += line.len();
        }
    }

    /// `web: command` of a process list.
    pub(super) fn named(&self, text: &str, found: &mut Vec<Passage<'a>>) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if let Some((name, command)) = line.split_once(':')
                && !name.contains(char::is_whitespace)
            {
                let at = start + line.len() - command.len();
                self.push(found, Language::Shell, command.to_owned(), vec![(0, at)]);
            }
            start += line.len();
        }
    }

    /// Scripts inside the text of a recipe: `<<EOT … EOT`, and the `''…''` of Nix.
    pub(super) fn heredocs(&self, text: &str, found: &mut Vec<Passage<'a>>) {
        let mut start = 0;
        // The word that ends it, and where it began.
        let mut open: Option<(String, usize)> = None;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            match &open {
                Some((word, from)) if line.trim_start().starts_with(word.as_str()) => {
                    self.push(found, Language::Shell, text[*from..at].to_owned(), vec![(0, *from)]);
                    open = None;
                }
                Some(_) => {}
                None if line.trim_end().ends_with("''") && line.contains('=') => {
                    open = Some(("''".to_owned(), start));
                }
                None => {
                    let word = line.split_once("<<").map(|(_, rest)| {
                        let rest = rest.trim_start_matches(['-', '~', '"', '\'']);
                        let end = rest
                            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                            .unwrap_or(rest.len());
                        rest[..end].to_owned()
                    });
                    open = word.filter(|word| word.len() > 1).map(|word| (word, start));
                }
            }
        }
    }

    /// Lines of a crontab, without their times.
    pub(super) fn jobs(&self, text: &str, found: &mut Vec<Passage<'a>>) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let fields = if line.starts_with('@') { 1 } else { 5 };
            let is_job = line.starts_with('@')
                || line
                    .split_whitespace()
                    .take(5)
                    .filter(|field| {
                        field
                            .bytes()
                            .all(|b| b.is_ascii_digit() || matches!(b, b'*' | b'/' | b',' | b'-'))
                    })
                    .count()
                    == 5;
            if is_job {
                let mut rest = line;
                for _ in 0..fields {
                    rest = rest.trim_start();
                    rest = rest.find(char::is_whitespace).map_or("", |at| &rest[at..]);
                }
                let rest = rest.trim_start();
                let at = start + line.len() - rest.len();
                self.push(found, Language::Shell, rest.to_owned(), vec![(0, at)]);
            }
            start += line.len();
        }
    }

    /// `execute_process(COMMAND …)` and its kin.
    pub(super) fn cmake(&self, text: &str, found: &mut Vec<Passage<'a>>) {
        for (at, word) in text.match_indices("COMMAND") {
            let start = at + word.len();
            let rest = &text[start..floor(text, start + MAX_ENTRY)];
            let rest = rest.split(word).next().unwrap_or(rest);
            let end = rest.find(')').unwrap_or(rest.len());
            // A quoted argument may hold parentheses.
            let line = rest.find('\n').unwrap_or(rest.len());
            let end = if rest[..end].matches('"').count() % 2 == 1 { line.max(end) } else { end };
            self.push(
                found,
                Language::Shell,
                rest[..end].replace('\n', " "),
                vec![(0, at + word.len())],
            );
        }
    }

    /// The arguments of a launch agent.
    pub(super) fn plist(&self, text: &str, found: &mut Vec<Passage<'a>>) {
        for (at, key) in text.match_indices("ProgramArguments</key>") {
            let start = at + key.len();
            let most = floor(text, start + MAX_ENTRY);
            let end = text[start..most].find("</array>").map_or(most, |i| start + i);
            let words: Vec<String> = text[start..end]
                .split("<string>")
                .skip(1)
                .map(|part| quote(&unescape(part.split("</string>").next().unwrap_or(""))))
                .collect();
            self.push(found, Language::Shell, words.join(" "), vec![(0, start), (1, start)]);
        }
    }
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}
