//! Files that a text of the skill gives to an interpreter: `python3 scripts/notes.txt`, or settings that
//! have the command and its arguments apart. Whatever the name
//! or the first line of such a file says, the interpreter reads its own language in it.

use std::collections::HashMap;

use super::bundle::Member;
use super::kind::{Language, of_interpreter};
use super::text::{Text, floor};

/// Bytes behind an interpreter in which the file is looked for.
const MAX_LINE: usize = 240;
/// Words behind an interpreter that are looked at: its options, and the file.
const MAX_OPTIONS: usize = 6;

/// For each file, the languages of the interpreters that it is given to.
pub(crate) fn languages(
    members: &[Member],
    texts: &[Option<Text>],
) -> impl Iterator<Item = (usize, Language)> {
    let mut given: HashMap<&str, Vec<Language>> = HashMap::new();
    // Of a skill that is one file, no other can speak.
    if members.len() > 1 {
        given.extend(members.iter().map(|member| (name_of(&member.path), Vec::new())));
        for text in texts.iter().flatten() {
            look(&text.plain, &mut given);
        }
    }
    members.iter().enumerate().flat_map(move |(file, member)| {
        let languages = given.get(name_of(&member.path)).cloned().unwrap_or_default();
        languages.into_iter().map(move |language| (file, language))
    })
}

fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\', '!']).next().unwrap_or(path)
}

fn look(text: &str, given: &mut HashMap<&str, Vec<Language>>) {
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/');
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|b| is_word(**b)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = &text[at..at + length];
        at += length;
        // A blank follows, or the quote around it, or the end of the line in settings.
        if !matches!(bytes.get(at), Some(b' ' | b'\t' | b'"' | b'\'' | b'\r' | b'\n')) {
            continue;
        }
        let Some((language, option)) = interpreter(name_of(word)) else { continue };
        let rest = &text[at..floor(text, at + MAX_LINE)];
        let line = match settings(rest) {
            Some(arguments) => arguments,
            None if rest.starts_with(['\r', '\n']) => continue,
            None => rest.split(['\n', '|', ';', '&']).next().unwrap_or(rest),
        };
        let Some(name) = file(line, option, |name| given.contains_key(name)) else { continue };
        if let Some(languages) = given.get_mut(name)
            && !languages.contains(&language)
        {
            languages.push(language);
        }
    }
}

/// The arguments of settings whose command stands before: `"command": "python3", "args": ["x.txt"]`.
fn settings(rest: &str) -> Option<&str> {
    let next = rest.trim_start_matches(['"', '\'', ',', ' ', '\t', '\r', '\n']);
    let arguments = next.strip_prefix("args")?;
    let opens = arguments.starts_with(['"', '\'', ':', ' ', '=']);
    arguments.split(['}', '|', ';', '&']).next().filter(|_| opens)
}

/// The language that a program runs, and the letters of the options behind which no file follows.
fn interpreter(name: &str) -> Option<(Language, &'static str)> {
    let starts = b"abdfiklnpruzgot";
    if !name.as_bytes().first().is_some_and(|first| starts.contains(first) || *first == b's') {
        return None;
    }
    let language = if name == "go" { Language::Go } else { of_interpreter(name)? };
    let code = match language {
        Language::Shell | Language::Fish => "c",
        Language::Python => "cm",
        Language::JavaScript => "ep",
        Language::Ruby | Language::Perl | Language::Lua | Language::AppleScript => "e",
        Language::Php => "rS",
        Language::PowerShell | Language::Go => "",
        _ => return None,
    };
    Some((language, code))
}

/// The file among the words behind an interpreter.
fn file<'t>(line: &'t str, code: &str, is_file: impl Fn(&str) -> bool) -> Option<&'t str> {
    let mut after_option = false;
    for word in line.split_whitespace().take(MAX_OPTIONS) {
        let word = word.trim_matches(['"', '\'', '`', ',', ')', ']', '[', '(', '.', ':']);
        if word.is_empty() || matches!(word, "run" | "<" | "=" | "exec") {
            continue;
        }
        if let Some(option) = word.strip_prefix('-') {
            if !option.starts_with('-') && option.contains(|c: char| code.contains(c)) {
                return None;
            }
            after_option = true;
            continue;
        }
        let name = name_of(word);
        if is_file(name) {
            return Some(name);
        }
        // -W ignore
        if !std::mem::take(&mut after_option) {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Vec<Language> {
        let mut given = HashMap::from([("notes.txt", Vec::new())]);
        look(text, &mut given);
        given.remove("notes.txt").unwrap()
    }

    #[test]
    fn files_behind_interpreters_are_seen() {
        let cases = [
            ("Run `python3 scripts/notes.txt`.", Language::Python),
            ("/usr/bin/python3.12 -u -W ignore \"$DIR/notes.txt\"", Language::Python),
            ("subprocess.run([\"node\", \"./notes.txt\"])", Language::JavaScript),
            ("deno run --allow-net notes.txt", Language::JavaScript),
            ("go run notes.txt", Language::Go),
            ("ruby -w notes.txt now", Language::Ruby),
            ("php < notes.txt", Language::Php),
            ("bash notes.txt", Language::Shell),
            ("pwsh -NoProfile -File scripts\\notes.txt", Language::PowerShell),
            ("lua {baseDir}/notes.txt", Language::Lua),
            (
                "{\"command\": \"python3\",\n  \"args\": [\"-u\", \"./notes.txt\"]}",
                Language::Python,
            ),
            ("command: node\nargs:\n  - notes.txt\n", Language::JavaScript),
            ("command = \"ruby\"\nargs = [\"notes.txt\"]", Language::Ruby),
        ];
        for (text, language) in cases {
            assert_eq!(given(text), [language], "{text}");
        }
    }

    #[test]
    fn files_that_an_interpreter_is_told_of_are_data() {
        let cases = [
            "python3 tool.py notes.txt",
            "python3 -m json.tool notes.txt",
            "perl -pe 's/a/b/' notes.txt",
            "node -e 'f()' notes.txt",
            "[python](notes.txt)",
            "| python | notes.txt |",
            "cat notes.txt; python3\nnotes.txt",
            "Written in python. See notes.txt",
            "make notes.txt",
            "{\"command\": \"python3\", \"args\": [\"-m\", \"json.tool\", \"notes.txt\"]}",
            "{\"command\": \"python3\"}, {\"args\": [\"notes.txt\"]}",
            "written in python\nargs of notes.txt",
        ];
        for text in cases {
            assert_eq!(given(text), [], "{text}");
        }
    }

    #[test]
    fn as_many_words_are_looked_at() {
        let behind =
            |options: usize| given(&format!("node {}notes.txt", "--quiet ".repeat(options)));
        assert_eq!(behind(MAX_OPTIONS - 1), [Language::JavaScript]);
        assert_eq!(behind(MAX_OPTIONS), []);
        let after = |bytes: usize| given(&format!("node{}notes.txt", " ".repeat(bytes)));
        assert_eq!(after(MAX_LINE - "notes.txt".len()), [Language::JavaScript]);
        assert_eq!(after(MAX_LINE - "notes.txt".len() + 1), []);
    }
}
