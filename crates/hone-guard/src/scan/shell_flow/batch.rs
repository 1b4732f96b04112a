//! Batch files as shell text, line for line: `%NAME%` as `${NAME}`, `set A=b` as an assignment, `\` as
//! `/`, loops and blocks as those of the shell, programs of Windows as their twins.

/// A batch file as shell text.
pub(super) fn batch(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // What ends the blocks that are open.
    let mut open: Vec<&str> = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches(['@', ' ', '\t']).trim_end();
        let lower = body.to_ascii_lowercase();
        if lower.starts_with("rem ") || body.starts_with("::") || body.starts_with(':') {
            out.push_str("#\n");
            continue;
        }
        // %0|%0
        if lower.starts_with("%0") && lower.contains("|%0") {
            out.push_str("b(){ b|b& };b\n");
            continue;
        }
        out.push_str(&statement(&names(&body.replace('\\', "/").replace('^', "")), &mut open));
        out.push('\n');
    }
    out
}

/// One line, its blocks opened and closed.
fn statement(line: &str, open: &mut Vec<&str>) -> String {
    let mut line = line.trim();
    if let Some(rest) = line.strip_prefix(')') {
        let rest = rest.trim();
        if rest.to_ascii_lowercase().starts_with("else") && rest.ends_with('(') {
            return if open.last() == Some(&"fi") { "else".to_owned() } else { "{".to_owned() };
        }
        let close = open.pop().unwrap_or(")");
        return if rest.is_empty() { close.to_owned() } else { format!("{close} {rest}") };
    }
    // Conditions may stand behind one another.
    while let Some(body) = after_condition(line) {
        if body == "(" {
            open.push("fi");
            return "if true; then".to_owned();
        }
        line = body.trim();
    }
    if let Some((head, body)) = loop_head(line) {
        return block(&head, body, "done", open);
    }
    commands(line)
}

/// `… do (` begins a block, `… do command` is one.
fn block(head: &str, body: &str, end: &'static str, open: &mut Vec<&str>) -> String {
    let body = body.trim();
    if body == "(" {
        open.push(end);
        return head.to_owned();
    }
    let body = body.strip_prefix('(').and_then(|b| b.strip_suffix(')')).unwrap_or(body);
    format!("{head} {}; {end}", commands(body.trim()))
}

/// `for /f "delims=" ${i} in ('command') do body`, `for ${f} in (a b) do body`: the head, and the body.
fn loop_head(line: &str) -> Option<(String, &str)> {
    line.get(..4).filter(|word| word.eq_ignore_ascii_case("for "))?;
    let lower = line.to_ascii_lowercase();
    let within = lower.find(" in ")?;
    let over = line[within + 4..].trim_start();
    let start = line.len() - over.len();
    let end = start + lower[start..].find(") do")?;
    let name = line[..within].split_whitespace().next_back()?;
    let name = name.strip_prefix("${")?.strip_suffix('}')?;
    let body = &line[end + 4..];
    let over = over.strip_prefix('(')?;
    let over = &over[..end.saturating_sub(start + 1).min(over.len())];
    if !lower.starts_with("for /f") {
        return Some((format!("for {name} in {over}; do"), body));
    }
    let quoted = over.trim().trim_matches('`');
    let command = match quoted.strip_prefix('\'').and_then(|c| c.strip_suffix('\'')) {
        Some(command) => commands(command),
        None if over.contains('`') => commands(quoted),
        None => format!("cat {over}"),
    };
    Some((format!("{command} | while read {name}; do"), body))
}

/// What follows the condition of an `if`.
fn after_condition(line: &str) -> Option<&str> {
    let mut rest = line.get(..3).filter(|w| w.eq_ignore_ascii_case("if ")).map(|_| &line[3..])?;
    let mut operands = 1;
    loop {
        rest = rest.trim_start();
        let (word, behind) = split_word(rest)?;
        match word.to_ascii_lowercase().as_str() {
            "not" | "/i" | "exist" | "defined" | "errorlevel" => rest = behind,
            word if operands == 1 && !word.contains("==") => {
                // a == b, a EQU b
                let (second, behind) = split_word(behind.trim_start())?;
                let compares = ["==", "equ", "neq", "lss", "leq", "gtr", "geq"]
                    .contains(&second.to_ascii_lowercase().as_str());
                if !compares {
                    return Some(rest[word.len()..].trim_start());
                }
                operands = 2;
                rest = behind;
            }
            _ => return Some(behind.trim_start()),
        }
    }
}

/// The first word of a text, quotes kept together, and what is behind it.
fn split_word(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let end = text.find(|c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    });
    let end = end.unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Marks before the letter of a loop or the number of an argument: `%%~f`.
const MAX_MARKS: usize = 4;

/// `%NAME%`, `!NAME!`, `%%i` and `%1` as the shell writes them.
fn names(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['%', '!']) {
        out.push_str(&rest[..at]);
        let mark = if rest[at..].starts_with('%') { '%' } else { '!' };
        let after = &rest[at + 1..];
        let name = after.split(mark).next().unwrap_or_default();
        let plain = name.split_once(":~").map_or(name, |(name, _)| name);
        let is_name = !plain.is_empty()
            && plain.len() < 40
            && plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && after.len() > name.len();
        if is_name {
            out.push_str(&variable(plain, name));
            rest = &after[name.len() + 1..];
            continue;
        }
        // %%i, %~1, %*
        let marks = after.bytes().take(MAX_MARKS).take_while(|b| matches!(b, b'%' | b'~')).count();
        let letters = &after[marks..];
        match letters.chars().next() {
            Some(letter) if after.starts_with('%') && letter.is_ascii_alphabetic() => {
                out.push_str("${");
                out.push(letter);
                out.push('}');
                rest = &letters[1..];
            }
            Some(digit @ '1'..='9') if mark == '%' => {
                out.push('$');
                out.push(digit);
                rest = &letters[1..];
            }
            Some('*') if mark == '%' => {
                out.push_str("$@");
                rest = &letters[1..];
            }
            _ => rest = after,
        }
    }
    out.push_str(rest);
    out.replace("${WINDIR}/System32/drivers/etc/hosts", "/etc/hosts")
}

/// A variable by its name, or a piece of one: `%COMSPEC:~0,1%`.
fn variable(plain: &str, name: &str) -> String {
    match plain.to_ascii_uppercase().as_str() {
        "USERPROFILE" | "HOMEPATH" => return "${HOME}".to_owned(),
        "HOMEDRIVE" => return String::new(),
        "WINDIR" | "SYSTEMROOT" => return "${WINDIR}".to_owned(),
        _ => {}
    }
    match name.split_once(":~") {
        Some((plain, piece)) => format!("${{{plain}:{}}}", piece.replace(',', ":")),
        None => format!("${{{plain}}}"),
    }
}

/// The commands of a line.
fn commands(line: &str) -> String {
    let given: Vec<String> = line.split('&').map(command).collect();
    given.join(if line.contains("&&") { "&" } else { ";" }).replace("&;", "&&")
}

fn command(command: &str) -> String {
    let trimmed = command.trim();
    let lower = trimmed.to_ascii_lowercase();
    if let Some(set) = lower.strip_prefix("set ") {
        let rest = &trimmed[trimmed.len() - set.len()..];
        // set /p name=<file
        if let Some((name, file)) = rest.get(3..).and_then(|r| r.split_once("=<"))
            && set.starts_with("/p ")
        {
            return format!("{}=$(cat {})", name.trim(), file.trim());
        }
        if let Some((name, value)) = rest.trim_matches('"').split_once('=')
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            // What it is made of is filled in.
            let quote = if value.contains("${") { '"' } else { '\'' };
            return format!("{name}={quote}{}{quote}", value.replace(['\'', '"'], ""));
        }
    }
    // one | other
    if trimmed.contains('|') && !trimmed.contains(['"', '\'']) {
        let stages: Vec<String> = trimmed.split('|').map(twin).collect();
        return stages.join(" | ");
    }
    twin(command)
}

/// What does the same in a shell.
fn twin(command: &str) -> String {
    let mut command = command;
    // `call program` starts the program, `call :label` a part of the file.
    while let Some((word, rest)) = split_word(command.trim())
        && word.eq_ignore_ascii_case("call")
        && !rest.trim_start().is_empty()
        && !rest.trim_start().starts_with(':')
    {
        command = rest;
    }
    let bare = command.trim();
    let Some((program, rest)) = split_word(bare) else { return command.trim_end().to_owned() };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let options = |word: &&&str| word.starts_with('/') && word.len() < 6 || word.starts_with('-');
    let plain: Vec<&str> = words.iter().filter(|word| !options(word)).copied().collect();
    let has = |option: &str| words.iter().any(|word| word.eq_ignore_ascii_case(option));
    let program = program.to_ascii_lowercase();
    match program.trim_end_matches(".exe") {
        "copy" | "move" | "xcopy" | "robocopy" if plain.len() > 1 => {
            let name = if program.starts_with("move") { "mv" } else { "cp -r" };
            format!("{name} {}", plain.join(" "))
        }
        "del" | "erase" | "rd" | "rmdir" if has("/s") => {
            format!("rm -rf {}", plain.join(" ").replace("*.*", "*"))
        }
        "type" => format!("cat{rest}"),
        // The accounts of the machine are saved to a file.
        "reg" if has("save") && plain.len() > 2 && is_of_accounts(plain[1]) => {
            format!("cat /etc/shadow > {}", plain[2])
        }
        "wscript" | "cscript" => format!("sh {}", plain.join(" ")),
        "certutil" if has("-decode") && plain.len() > 1 => {
            format!("base64 -d {} > {}", plain[0], plain[1])
        }
        "certutil" if has("-decodehex") && plain.len() > 1 => {
            format!("xxd -r -p {} > {}", plain[0], plain[1])
        }
        "certutil" if has("-encode") && plain.len() > 1 => {
            format!("base64 {} > {}", plain[0], plain[1])
        }
        // rundll32 \\host\share\a.dll: fetched and run.
        "rundll32" | "regsvr32" | "msiexec" if rest.contains(" //") => {
            format!("{program}{}", rest.replace(" //", " http://"))
        }
        "powershell" | "pwsh" => match downloaded(rest) {
            Some((from, to)) => format!("{}; curl -o {to} {from}", command.trim_end()),
            None => command.trim_end().to_owned(),
        },
        _ => command.trim_end().to_owned(),
    }
}

/// Whether a part of the registry holds the passwords of the machine's accounts.
fn is_of_accounts(key: &str) -> bool {
    let key = key.trim_matches('"').to_ascii_lowercase();
    matches!(
        key.as_str(),
        "hklm/sam" | "hklm/security" | "hkey_local_machine/sam" | "hkey_local_machine/security"
    )
}

/// What a line of PowerShell saves where: `DownloadFile('address','path')`, `-OutFile path`.
fn downloaded(line: &str) -> Option<(&str, &str)> {
    let lower = line.to_ascii_lowercase();
    let is_end = |c: char| c.is_whitespace() || "'\",;)".contains(c);
    let word = |at: usize| {
        let rest = line[at..].trim_start_matches(|c: char| is_end(c) || c == '(');
        rest.split(is_end).next().filter(|word| !word.is_empty())
    };
    let address = word(lower.find("http://").or_else(|| lower.find("https://"))?)?;
    if let Some(at) = lower.find("downloadfile(") {
        let behind = at + lower[at..].find(',')?;
        return Some((address, word(behind)?));
    }
    let at = lower.find("-outfile ")?;
    Some((address, word(at + "-outfile ".len())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_behind_one_another_are_walked_through_without_nesting() {
        let line = |count: usize| batch(&format!("{}type a.txt", "if a==b ".repeat(count)));
        assert_eq!(line(1), "cat a.txt\n");
        assert_eq!(line(200_000), "cat a.txt\n");
    }

    #[test]
    fn as_many_marks_stand_before_a_letter() {
        let marks = |count: usize| names(&format!("{}f", "%".repeat(count)));
        assert_eq!(marks(1 + MAX_MARKS), "${f}");
        assert_eq!(marks(2 + MAX_MARKS), "${f}");
        // A line of nothing else is not read to its end at each of them.
        assert_eq!(names(&"%".repeat(2_000_000)), "");
    }

    #[test]
    fn as_much_comes_out_as_goes_in() {
        let lines = [
            "%%~f ",
            "!a!b",
            "for %%i in (a) do ",
            "a & b && ",
            "( ",
            ") else (",
            "set a=%b%\n",
            "for /f %%i in ('x') do (\n",
            "type a | ",
            "if exist a (\n",
            "\"",
            "call ",
        ];
        for line in lines {
            let length = |count: usize| batch(&line.repeat(count)).len();
            let (once, twice) = (length(4_000), length(8_000));
            assert!(twice <= 2 * once + 100, "{line}: {once} and {twice}");
        }
    }
}
