//! Programs that start themselves again and again until nothing else runs.
//!
//! One that starts itself once is a restart, one that waits for what it started is a supervisor. One
//! that does neither, in a loop without an end, is a fork bomb in whatever language it is written.

use super::kind::Language;
use super::text::floor;

/// How a language names the running program, starts something without waiting, and loops for ever.
struct Ways {
    languages: &'static [Language],
    own: &'static [&'static str],
    starts: &'static [&'static str],
    endless: &'static [&'static str],
}

#[rustfmt::skip]
static WAYS: &[Ways] = &[
    Ways { languages: &[Language::Python], own: &["__file__", "sys.argv[0]", "sys.argv)"], starts: &["popen(", "os.spawn", "os.system(", "process(target", "startfile("], endless: &["while true", "while 1", "itertools.count", "iter(int, 1)"] },
    Ways { languages: &[Language::JavaScript], own: &["__filename", "import.meta.url", "process.argv[1]", "import.meta.filename"], starts: &["spawn(", "fork(", "exec(", "new worker(", "deno.command("], endless: &["for (;;)", "for(;;)", "while (true)", "while(true)", "while (1)", "while(1)", "setinterval("] },
    Ways { languages: &[Language::Ruby], own: &["$0", "__file__", "$program_name"], starts: &["spawn", "system", "fork", "popen"], endless: &["loop do", "loop {", "while true", "until false", "loop{"] },
    Ways { languages: &[Language::Perl], own: &["$0", "__file__"], starts: &["system", "exec", "open"], endless: &["while (1)", "while(1)", "for (;;)", "for(;;)"] },
    Ways { languages: &[Language::Php], own: &["__file__", "$argv[0]", "script_filename"], starts: &["exec(", "popen(", "proc_open(", "passthru("], endless: &["while (true)", "while(true)", "while (1)", "while(1)", "for (;;)", "for(;;)"] },
    Ways { languages: &[Language::PowerShell], own: &["$pscommandpath", "$myinvocation", "$psscriptroot\\"], starts: &["start-process", "start-job", "saps "], endless: &["while ($true)", "while($true)", "while (1)", "while(1)", "for (;;)", "for(;;)"] },
    Ways { languages: &[Language::Batch], own: &["%0", "%~f0", "%~dpnx0", "%~nx0"], starts: &["start "], endless: &["goto", "for /l %"] },
    Ways { languages: &[Language::Go], own: &["os.args[0]", "os.executable", "self"], starts: &["exec.command(", ".start("], endless: &["for {"] },
    Ways { languages: &[Language::Lua], own: &["arg[0]"], starts: &["os.execute(", "io.popen("], endless: &["while true"] },
    Ways { languages: &[Language::Shell, Language::Fish], own: &["\"$0\"", "$0", "${bash_source", "$bash_source", "(status filename)"], starts: &[" &", "nohup ", "setsid "], endless: &["while :", "while true", "until false", "for ((;;))", "for((;;))", "while [ 1 ]", "while 1"] },
];

/// Forking in a loop needs no name of the program.
#[rustfmt::skip]
static FORKS: &[(Language, &[&str])] = &[
    (Language::Perl, &["fork while fork", "fork while 1", "while (1) { fork", "while(1){fork", "while (fork)", "while(fork)", "fork() while"]),
    (Language::Ruby, &["fork while true", "loop { fork", "loop{fork", "fork until false", "while true do fork", "fork while fork", "loop { process.fork"]),
    (Language::Php, &["while (pcntl_fork", "while(pcntl_fork", "while (true) pcntl_fork", "while(1)pcntl_fork", "while (true) { pcntl_fork"]),
    (Language::Batch, &["%0|%0", "%0 | %0", "\"%~f0\"|\"%~f0\"", "\"%~0\"|\"%~0\""]),
    (Language::Braces, &["while(1)fork()", "while(1) fork()", "while (1) fork()", "for(;;)fork()", "for(;;) fork()", "for (;;) fork()", "while(1){fork()", "while (1) { fork()", "while (true) { fork()"]),
];

/// Words of programs that wait for what they start, or until it is time again.
const WAITS: [&str; 10] = [
    "sleep",
    ".wait(",
    "waitpid",
    "timeout /t",
    "time.after",
    "settimeout",
    "await ",
    "once(",
    "wait\n",
    "break",
];

/// Bytes around a loop in which its body stands.
const BODY: usize = 300;
/// Bytes of a script that is looked at so.
const MAX_SCRIPT: usize = 64 * 1024;

/// Where a program starts itself without end.
pub(super) fn without_end(language: Language, text: &str) -> Option<usize> {
    if text.len() > MAX_SCRIPT {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let flat = || lower.split_whitespace().collect::<Vec<_>>().join(" ");
    let forked = FORKS
        .iter()
        .filter(|(spoken, _)| *spoken == language)
        .flat_map(|(_, ways)| ways.iter())
        .any(|way| flat().contains(way));
    if forked {
        return Some(lower.find("fork").or_else(|| lower.find("%0")).unwrap_or(0));
    }
    let ways = WAYS.iter().find(|ways| ways.languages.contains(&language))?;
    let loops = ways.endless.iter().flat_map(|word| lower.match_indices(word));
    loops.map(|(at, _)| at).find(|at| {
        // A jump stands behind what it repeats.
        let back = language == Language::Batch && lower[*at..].starts_with("goto");
        let from = if back { floor(&lower, at.saturating_sub(BODY)) } else { *at };
        let body = &lower[from..floor(&lower, at + BODY)];
        body.lines().any(|line| {
            ways.own.iter().any(|own| line.contains(own))
                && ways.starts.iter().any(|start| line.contains(start))
        }) && !WAITS.iter().any(|word| body.contains(word))
    })
}

/// `name(){ name|name& };name`, whatever the name and the lines: a function that starts itself twice.
pub(super) fn is_function_bomb(text: &str) -> bool {
    const LONGEST: usize = 32;
    const SHORT: usize = 160;
    text.match_indices("()").any(|(at, _)| {
        let before = text[..at].trim_end();
        let length = before
            .bytes()
            .rev()
            .take(LONGEST + 1)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.'))
            .count();
        let name = &before[before.len() - length..];
        let rest = text[at + 2..].trim_start();
        let Some(body) = rest.strip_prefix(['{', '(']) else { return false };
        let Some(end) = body[..floor(body, SHORT)].find(['}', ')']) else { return false };
        let body = &body[..end];
        let words = body.split(|c: char| c.is_whitespace() || matches!(c, '|' | '&' | ';'));
        (1..=LONGEST).contains(&length)
            && words.filter(|word| *word == name).count() >= 2
            && body.contains('&')
            && !body.contains("&&")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_start_themselves_without_end_are_known_in_every_language() {
        let bombs = [
            (Language::Python, "while True:\n    subprocess.Popen([sys.executable, __file__])\n"),
            (
                Language::JavaScript,
                "for (;;) {\n  spawn(process.execPath, [__filename]).unref();\n}\n",
            ),
            (Language::Ruby, "loop { spawn('ruby', $0) }"),
            (Language::Ruby, "fork while true"),
            (Language::Perl, "while (1) { system(\"perl $0 &\") }"),
            (Language::Perl, "fork while fork;"),
            (Language::Php, "while (true) { popen('php ' . __FILE__, 'r'); }"),
            (Language::PowerShell, "while ($true) { Start-Process pwsh $PSCommandPath }"),
            (Language::Batch, ":again\nstart \"\" /b \"%~f0\"\ngoto again\n"),
            (Language::Batch, "%0|%0"),
            (Language::Go, "for {\n  exec.Command(os.Args[0]).Start()\n}"),
            (Language::Lua, "while true do os.execute('lua ' .. arg[0] .. ' &') end"),
            (Language::Shell, "while :; do \"$0\" & done"),
            (Language::Braces, "int main() { while (1) fork(); }"),
        ];
        for (language, text) in bombs {
            assert!(without_end(language, text).is_some(), "{text}");
        }
        let quiet = [
            (Language::Python, "while True:\n    subprocess.run([sys.executable, __file__])\n"),
            (Language::Python, "subprocess.Popen([sys.executable, __file__])\n"),
            (Language::JavaScript, "for (;;) { await once(spawn('node', [__filename]), 'exit'); }"),
            (Language::Shell, "while :; do \"$0\" --once & sleep 5; done"),
            (Language::Shell, "echo \"usage: $0\"; while true; do server & wait\ndone"),
            (Language::Batch, ":again\nstart app.exe\ngoto again\n"),
        ];
        for (language, text) in quiet {
            assert_eq!(without_end(language, text), None, "{text}");
        }
    }

    #[test]
    fn a_function_that_starts_itself_twice_is_a_bomb_however_it_is_laid_out() {
        for text in
            [":(){ :|:& };:", "worker() {\n  worker | worker &\n}\nworker", "b() { b & b & }; b"]
        {
            assert!(is_function_bomb(text), "{text}");
        }
        for text in ["walk() { walk \"$1\" && walk \"$2\"; }", "f() { g & g & }", "f() { f; }"] {
            assert!(!is_function_bomb(text), "{text}");
        }
    }
}
