//! Programs that read files and pass on what is in them: `cat`, `grep`, `find`, `awk` and their like. What they
//! run for each file or line is followed as a script.

use std::ops::Range;

use super::call::{Call, looks_for_secrets};
use super::filters::filtered;
use crate::scan::flow::loosens_agent;
use crate::scan::shell_flow::files::key;
use crate::scan::shell_flow::{Taint, Walk};

/// Commands of one program of awk that are followed.
pub(in crate::scan::shell_flow) const MAX_SYSTEM_CALLS: usize = 16;

/// What `find` prints, as one path: the first folder with the name that is looked for.
fn found_path(call: &Call) -> String {
    let folder = call.arguments.first().map_or("", |folder| folder.text.as_str());
    // What else it asks for is not known by a path.
    let asks =
        ["-mtime", "-size", "-path", "-regex", "-newer", "-empty", "-mmin", "-atime", "-perm"];
    if folder.starts_with('-') || call.has(&asks) {
        return String::new();
    }
    let name = call.value_of(&["-name", "-iname"]).map_or("", |name| name.text.as_str());
    if name.is_empty() {
        return folder.to_owned();
    }
    format!("{}/{name}", folder.trim_end_matches('/'))
}

/// The commands that `find` runs for each file, as one script in which `{}` is what is found.
fn for_each_found(call: &Call) -> String {
    const STARTS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
    // Deleting is judged with what is looked for.
    const DELETES: [&str; 5] = ["rm", "shred", "truncate", "unlink", "srm"];
    let found = match found_path(call) {
        path if path.is_empty() => "./found".to_owned(),
        path => path,
    };
    let mut script = String::new();
    let mut words = call.arguments.iter().map(|word| word.text.as_str()).peekable();
    while words.any(|word| STARTS.contains(&word)) {
        if words
            .peek()
            .is_some_and(|name| DELETES.contains(&name.rsplit('/').next().unwrap_or(name)))
        {
            continue;
        }
        for word in words.by_ref().take_while(|word| !matches!(*word, ";" | "\\;" | "+")) {
            let word = word.replace("{}", &found).replace('\'', "'\\''");
            script.extend(["'", &word, "' "]);
        }
        script.push_str(";\n");
    }
    script
}

/// The commands that a program of awk runs by `system("…")`.
pub(in crate::scan::shell_flow) fn system_calls(program: &str) -> Vec<String> {
    let opened = program.match_indices("system(\"").take(MAX_SYSTEM_CALLS);
    opened
        .filter_map(|(at, open)| {
            let inner = &program[at + open.len()..];
            Some(inner[..inner.find("\")")?].replace("\\\"", "\""))
        })
        .collect()
}

impl Walk<'_, '_, '_> {
    /// Reads files or its input and passes on what it finds there.
    pub(super) fn read_files(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
        output: &mut Taint,
        text: &mut String,
    ) {
        let name = call.name.as_str();
        let taint = call.taint();
        if !matches!(name, "wc") {
            // What root alone may read is nobody else's, whatever its name.
            if call.privileged && matches!(name, "cat" | "head" | "tail" | "tac" | "strings") {
                output.add(&Taint::secret("files that only root may read"));
            }
            if !matches!(name, "ls" | "find") {
                output.add(input);
                output.add(&taint);
            }
            for argument in call.plain() {
                let file = self.file(argument.text.strip_prefix("if=").unwrap_or(&argument.text));
                if !matches!(name, "ls") {
                    output.add(&file);
                }
            }
        }
        if looks_for_secrets(call) {
            output.add(&Taint::secret("files that are looked for by names of secrets"));
        }
        output.add(&filtered(call));
        let paths = || call.plain().map(|a| a.text.as_str()).collect::<Vec<_>>().join("\n");
        *text = match name {
            "find" => found_path(call),
            // Names of files: what is done with them is done with the files.
            "ls" | "locate" | "plocate" | "mdfind" => paths(),
            "grep" | "rg" if call.has_letter('l') => paths(),
            // What a program of theirs puts into an agent's settings is what comes out.
            "awk" | "gawk" | "jq" | "yq" | "sed" | "dasel" | "gsed" | "mawk" | "nawk"
                if loosens_agent(&call.text()) =>
            {
                call.text()
            }
            "wc" | "sqlite3" | "awk" | "gawk" | "jq" | "yq" => String::new(),
            _ if input_text.is_empty() => {
                let known = call.plain().filter_map(|a| self.memory.texts.get(&key(&a.text)));
                known.map(String::as_str).collect()
            }
            _ => input_text.to_owned(),
        };
        if name == "tee" {
            let paths: Vec<String> = call.plain().map(|argument| argument.text.clone()).collect();
            for path in paths {
                self.write(&path, input_text, input, at);
            }
        }
        if name == "sed" && (call.has_letter('i') || call.has(&["--in-place"])) {
            let script = call.text();
            let paths: Vec<String> =
                call.plain().skip(1).map(|argument| argument.text.clone()).collect();
            for path in paths {
                self.write(&path, &script, &taint, at);
            }
        }
        let written = call.arguments.iter().find_map(|a| a.text.strip_prefix("of="));
        if let Some(path) = written.filter(|_| name == "dd").map(str::to_owned) {
            self.write(&path, input_text, &output.clone(), at);
        }
        if name == "dd" || name == "find" {
            self.destroy(call, at);
        }
        if name == "find" {
            let each = for_each_found(call);
            if !each.is_empty() {
                output.add(&self.nested(&each, at.start, input));
            }
        }
        // awk '{ system("…") }'
        if matches!(name, "awk" | "gawk") {
            for inner in system_calls(&call.text()) {
                self.nested(&inner, at.start, input);
            }
        }
    }
}
