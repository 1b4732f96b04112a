//! Programs that read what they run from standard input: interpreters and the clients of databases.
//! A file whose name leads there is no file.

use super::argument::Argument;
use super::program::Deed;

const READS: &str = "reads a program from standard input";

/// Whether a path leads into `/dev` or `/proc`, where descriptors have names.
fn is_descriptor(path: &str) -> bool {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    // From below, `../../dev` may be the same; how far it is, is not known.
    let is_anywhere = path.starts_with('/') || path.starts_with("..") || path.contains("/../");
    is_anywhere && matches!(parts.first(), Some(&("dev" | "proc")))
}

/// What it means that this is run as a file: nothing, when it is one.
pub(super) fn not_a_file(file: &Argument) -> Option<Deed> {
    let path = file.value.as_deref().unwrap_or(&file.prefix);
    let is_known = file.value.is_some();
    let may_become = !is_known && (path.starts_with('/') || path.starts_with(".."));
    let leads_there = is_descriptor(path)
        || may_become
            && ["/dev", "/proc"].iter().any(|folder| {
                folder.starts_with(path.trim_end_matches('/')) || path.starts_with("..")
            });
    (leads_there || path == "-" && is_known).then(|| Deed::runs(file, "-", READS))
}

/// Options of `sqlite3` that change how it shows what it finds, nothing else.
const SQLITE_FLAGS: [&str; 20] = [
    "ascii", "bail", "batch", "box", "column", "csv", "echo", "header", "html", "json", "line",
    "list", "markdown", "noheader", "nofollow", "quote", "readonly", "safe", "table", "tabs",
];

/// The same with a value.
const SQLITE_VALUED: [&str; 3] = ["separator", "newline", "nullvalue"];

/// What runs a program, loads one, or writes another file, wherever it stands in a statement.
const SQLITE_REACHES: [&str; 6] =
    ["edit", "writefile", "load_extension", "fts3_tokenizer", "attach", "vacuum"];

/// What `sqlite3` does besides asking and changing its database.
pub(super) fn sqlite(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let (mut operands, mut at) = (0, 1);
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() || operands > 0 {
                let what = "gets a statement or an option that is only known when it runs";
                deeds.push(Deed::runs(argument, "", what));
            }
            operands += 1;
            continue;
        };
        if let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) {
            let option = option.strip_prefix('-').unwrap_or(option);
            match option {
                "version" | "help" => return deeds,
                _ if SQLITE_FLAGS.contains(&option) => {}
                _ if SQLITE_VALUED.contains(&option) => at += 1,
                _ => deeds.push(Deed::runs(argument, text, super::program::RUNS_ANOTHER)),
            }
            continue;
        }
        operands += 1;
        let lower = text.to_ascii_lowercase();
        let reaches = SQLITE_REACHES.iter().any(|word| lower.contains(word));
        if operands > 1 && (text.trim_start().starts_with('.') || reaches) {
            let what = "may run a program or write a file with this statement";
            deeds.push(Deed::runs(argument, "", what));
        }
    }
    if operands < 2 {
        deeds.extend(arguments.first().map(|name| Deed::runs(name, "-", READS)));
    }
    deeds
}

/// Clients of databases, which run commands of the shell when their input says so.
pub(super) fn client(arguments: &[Argument]) -> Option<Deed> {
    let only_tells = |argument: &Argument| {
        matches!(argument.text(), "-l" | "--list" | "-V" | "--version" | "--help")
    };
    let is_told = |argument: &Argument| {
        let text = argument.text();
        let takes = ["--command", "--file", "--execute"];
        takes.iter().any(|option| text.starts_with(option))
            || text.starts_with('-') && !text.starts_with("--") && text.contains(['c', 'f', 'e'])
    };
    let reads = !arguments.iter().any(|argument| only_tells(argument) || is_told(argument));
    arguments.first().filter(|_| reads).map(|name| Deed::runs(name, "-", READS))
}
