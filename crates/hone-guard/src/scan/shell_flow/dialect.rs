//! Text of the several shells as text of one: prompts of transcripts, Makefiles, fish, batch files.
//!
//! What comes out has a line for each line that went in, so that a finding is where it was. Where a
//! dialect says more than flows need (blocks of fish, labels of batch files), it is left out.

use std::fmt::Write as _;

/// Lines of a console transcript lose their prompt; the length of the text stays the same.
pub(super) fn console(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let line = &without_placeholders(line);
        let body = line.trim_start();
        let prompt = ["$ ", "> ", "% ", "# $ ", "PS> ", "!"].iter().find(|prompt| {
            body.starts_with(**prompt) && (**prompt != "!" || body.starts_with("!curl"))
        });
        // zsh's `=(…)` is a file with the output of a command, as `<(…)` is.
        let replaced = line.replace(" =(", " <(");
        let line = &closed(&replaced);
        match prompt {
            Some(prompt) => {
                out.push_str(&line[..indent]);
                out.extend(std::iter::repeat_n(' ', prompt.len()));
                out.push_str(&line[indent + prompt.len()..]);
            }
            None => match named_prompt(body) {
                Some(length) => {
                    out.push_str(&line[..indent]);
                    out.extend(std::iter::repeat_n(' ', length));
                    out.push_str(&line[indent + length..]);
                }
                None => out.push_str(line),
            },
        }
    }
    out
}

/// The longest name before the mark of a prompt, in bytes.
const MAX_PROMPT: usize = 40;

/// The bytes of a prompt that names who or where: `ada@bench:~$ `, `bench$ `, `[root@host src]# `.
fn named_prompt(line: &str) -> Option<usize> {
    let bracketed = line.strip_prefix('[').and_then(|rest| rest.find(']')).map_or(0, |at| at + 1);
    let end = line.bytes().take(MAX_PROMPT).skip(bracketed).position(|b| b == b' ')? + bracketed;
    let (name, mark) = line[..end].split_at_checked(end.checked_sub(1)?)?;
    let is_named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '[')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"@-_.:~/[] ".contains(&b));
    // A word with `#` or `>` behind it may be anything; of somebody at a place it is a prompt.
    let is_prompt = match mark {
        "$" => true,
        "#" | "%" | ">" => name.contains('@'),
        _ => false,
    };
    (is_named && is_prompt).then_some(end + 1)
}

/// A block that names no language may be a text of its own: backticks in an item of a list, a heading, a
/// quotation or a line of nothing else are its spans of code, not substitutions. What they hold stands
/// as a command by itself; the length of the text stays the same.
pub(super) fn without_spans(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        let whole = |body: &str| {
            let inner = body.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
            inner.is_some_and(|inner| !inner.contains('`'))
        };
        if line.contains('`') && (is_of_a_text(body) || whole(body)) {
            out.push_str(&line.replace('`', ";"));
        } else {
            out.push_str(line);
        }
    }
    out
}

/// Whether a line begins as an item of a list, a heading, a row of a table or a quotation does.
fn is_of_a_text(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = numbered.len() < line.len() && numbered.starts_with([')', '.']);
    is_numbered && numbered[1..].starts_with(' ')
        || ["- ", "* ", "+ ", "# ", "## ", "### ", "#### ", "| ", "> "]
            .iter()
            .any(|mark| line.starts_with(mark))
}

/// `<name>` in a document is to be filled in, not a redirection: the brackets become letters.
fn without_placeholders(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('<') || line.contains("<<") {
        return line.into();
    }
    let mut out = line.to_owned();
    let mut from = 0;
    while let Some(open) = out[from..].find('<').map(|i| from + i) {
        let Some(close) = out[open..].find('>').map(|i| open + i) else { break };
        let inner = &out[open + 1..close];
        let filled = inner.starts_with(|c: char| c.is_ascii_alphabetic())
            && inner.len() < 60
            && inner.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | ':' | ',')
            });
        if filled {
            let word: String = inner.chars().map(|c| if c == ' ' { '_' } else { c }).collect();
            out.replace_range(open..=close, &format!("_{word}_"));
        }
        from = close + 1;
    }
    out.into()
}

/// A Makefile or justfile as shell text: recipes without `@` and `-`, variables as assignments,
/// `$(NAME)` and `{{NAME}}` as `${NAME}`, `$(shell …)` as a substitution. Line for line.
pub(super) fn recipes(text: &str) -> String {
    // A justfile indents by blanks; a Makefile whose recipes do so does not run.
    let tabs = text.lines().any(|line| line.starts_with('\t'));
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let recipe = line.strip_prefix('\t').or_else(|| {
            line.strip_prefix("  ").filter(|_| !tabs).map(|rest| rest.trim_start_matches(' '))
        });
        if let Some(recipe) = recipe {
            // `$$` is the shell's dollar sign; the others are make's.
            let recipe = recipe.trim_start_matches(['@', '-', '+']);
            out.push_str(&recipe.split("$$").map(expanded).collect::<Vec<_>>().join("$"));
        } else if let Some((name, value)) = variable(line) {
            let value = expanded(&value.replace("$$", "$"));
            let value = value.trim().trim_matches(['"', '\'']);
            let _ = write!(out, "{name}=\"{}\"", value.replace('"', "\\\""));
            out.push('\n');
        } else {
            // What another file of make says is known here.
            let included = line.trim_start_matches(['-', 's']).strip_prefix("include ");
            for file in included.iter().flat_map(|files| files.split_whitespace()) {
                let _ = write!(out, ". '{}'; ", file.replace('\'', ""));
            }
            out.push('\n');
        }
    }
    out
}

/// `NAME = value`, `NAME := value`, `export NAME ?= value`.
fn variable(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start_matches("export ").split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain.then_some((name, value))
}

/// `$(shell x)` as `$(x)`, `$(NAME)` and `{{NAME}}` as `${NAME}`.
fn expanded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("$(").into_iter().chain(rest.find("{{")).min() {
        let just = rest[at..].starts_with("{{");
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let close = if just { "}}" } else { ")" };
        let name = inner.find(close).map(|end| inner[..end].trim());
        match name {
            Some(name)
                if !name.is_empty()
                    && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') =>
            {
                out.push_str("${");
                out.push_str(name);
                out.push('}');
                rest = &inner[inner.find(close).unwrap_or(0) + close.len()..];
            }
            _ => {
                out.push_str(if just { "{{" } else { "$(" });
                rest = inner.strip_prefix("shell ").filter(|_| !just).unwrap_or(inner);
            }
        }
    }
    out.push_str(rest);
    out
}

/// Text of the fish shell as that of others, line for line: substitutions get their dollar sign,
/// `set` assigns, `and` and `or` join, blocks get their own ends. Where the ends do not fit, blocks are
/// read as if they always ran.
pub(super) fn fish(text: &str) -> String {
    let mut open = Some(Vec::new());
    let mut out = String::with_capacity(text.len());
    let mut fits = true;
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if !body.starts_with('#') {
            for statement in statements(body) {
                fits &= translated(statement.trim(), &mut open, &mut out);
            }
        }
        if line.ends_with('\n') {
            out.push('\n');
        }
    }
    if fits && open.as_ref().is_some_and(Vec::is_empty) {
        return out;
    }
    out.clear();
    for line in text.split_inclusive('\n') {
        translated(line.trim(), &mut None, &mut out);
        if line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// The parts of a line between semicolons that stand outside of quotation marks and brackets.
fn statements(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut quote) = (0, 0_usize, None);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(mark), c) if c == mark => quote = None,
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ';') if depth == 0 => {
                parts.push(&line[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[from..]);
    parts
}

/// One statement of fish; `open` holds the ends of the blocks around it, or nothing where blocks are
/// left out. Says whether its block fits.
fn translated(statement: &str, open: &mut Option<Vec<&'static str>>, out: &mut String) -> bool {
    let word = statement.split_whitespace().next().unwrap_or_default();
    let rest = statement[word.len()..].trim();
    let mut begin = |text: String, end: &'static str, flat: &str, out: &mut String| {
        if let Some(open) = open.as_mut() {
            open.push(end);
            out.push_str(&text);
        } else {
            out.push_str(flat);
        }
        true
    };
    let plain = substituted(rest);
    match word {
        "" => true,
        "function" => {
            let name = rest.split_whitespace().next().unwrap_or("f");
            begin(format!("{name}() {{ :; "), "}", ":;", out)
        }
        "begin" => begin(format!("{{ {plain}; "), "}", &format!("{plain};"), out),
        "if" => begin(format!("if {plain}; then "), "fi", &format!("{plain};"), out),
        "while" => begin(format!("while {plain}; do "), "done", &format!("{plain};"), out),
        "for" => {
            let Some((name, list)) = rest.split_once(" in ") else { return false };
            let (name, list) = (name.trim(), substituted(list));
            let flat = format!("{name}=\"{list}\";");
            begin(format!("for {name} in {list}; do "), "done", &flat, out)
        }
        "switch" => begin("{ :; ".to_owned(), "}", ":;", out),
        "case" => {
            out.push_str(":; ");
            true
        }
        "else" => {
            let condition = rest.strip_prefix("if ").map(substituted);
            match (open.is_some(), condition) {
                (false, Some(condition)) => {
                    let _ = write!(out, "{condition};");
                }
                (false, None) => out.push_str(":;"),
                (true, Some(condition)) => {
                    let _ = write!(out, "elif {condition}; then ");
                }
                (true, None) => out.push_str("else "),
            }
            true
        }
        "end" => match open {
            None => {
                out.push_str(":;");
                true
            }
            Some(open) => {
                let Some(end) = open.pop() else { return false };
                // An empty block needs a command.
                out.push_str(if end == "}" { ":; " } else { " :; " });
                out.push_str(end);
                out.push(' ');
                out.push_str(&plain);
                out.push(';');
                true
            }
        },
        "set" => {
            let mut words = rest.split_whitespace().filter(|word| !word.starts_with('-'));
            let name = words.next().unwrap_or_default();
            let value = rest.find(name).map_or("", |at| rest[at + name.len()..].trim());
            if name.is_empty() || value.is_empty() {
                out.push_str(&substituted(statement));
            } else {
                let _ = write!(out, "{name}={}", quoted(&substituted(value)));
            }
            out.push(';');
            true
        }
        "and" | "or" | "not" => {
            let join = match word {
                "and" if out.ends_with(';') => "&& ",
                "or" if out.ends_with(';') => "|| ",
                _ => "",
            };
            if !join.is_empty() {
                out.pop();
            }
            out.push_str(join);
            out.push_str(&plain);
            out.push(';');
            true
        }
        _ => {
            out.push_str(&substituted(statement));
            // A line that goes on below stays open.
            if !statement.ends_with(['\\', '|', '&']) {
                out.push(';');
            }
            true
        }
    }
}

/// A value of several words in quotation marks, unless it has some.
fn quoted(value: &str) -> String {
    if value.contains('"') || value.contains('\'') {
        value.to_owned()
    } else {
        format!("\"{value}\"")
    }
}

/// `(command)` as `$(command)`, `; and` as `&&`, `; or` as `||`.
fn substituted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '(') if before != '$' => out.push('$'),
            _ => {}
        }
        out.push(c);
        before = c;
    }
    let out = out.replace("; and ", " && ").replace("; or ", " || ");
    looked_up(&out)
}

/// `$$name` as `${!name}`, `$argv[1]` as `$1`, `$argv` as `$@`.
fn looked_up(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let name = &rest[at + 1..];
        let word = |from: &str| {
            from.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(from.len())
        };
        if let Some(behind) = name.strip_prefix('$') {
            let end = word(behind);
            let _ = write!(out, "${{!{}}}", &behind[..end]);
            rest = &behind[end..];
        } else if let Some(index) = name.strip_prefix("argv[") {
            let end = index.find(']').unwrap_or(index.len());
            let _ = write!(out, "${}", &index[..end]);
            rest = index.get(end + 1..).unwrap_or_default();
        } else if word(name) == 4 && name.starts_with("argv") {
            out.push_str("$@");
            rest = &name[4..];
        } else {
            out.push('$');
            rest = name;
        }
    }
    out.push_str(rest);
    out
}

/// `f() { command }` on one line, which zsh takes without a semicolon. Same length.
fn closed(line: &str) -> std::borrow::Cow<'_, str> {
    let body = line.trim_end();
    match body.strip_suffix(" }") {
        Some(rest) if rest.contains("() {") && !rest.trim_end().ends_with([';', '}', '&']) => {
            format!("{rest};}}{}", &line[body.len()..]).into()
        }
        _ => line.into(),
    }
}
