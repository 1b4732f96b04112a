//! Interpreters: a program on the command line or from standard input is not the script that was
//! declared.

use super::argument::Argument;
use super::program::Deed;

struct Interpreter {
    names: &'static [&'static str],
    /// Letters of options that hold a program, or load one.
    runs: &'static str,
    /// Letters of other options with a value.
    valued: &'static str,
    long_runs: &'static [&'static str],
}

const INTERPRETERS: [Interpreter; 12] = [
    Interpreter {
        names: &["python", "pypy", "ipython"],
        runs: "cmi",
        valued: "WXQ",
        long_runs: &[],
    },
    Interpreter {
        names: &["node", "nodejs"],
        runs: "eprCi",
        valued: "",
        long_runs: &[
            "--eval",
            "--print",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "--interactive",
            "--env-file",
            "--conditions",
            "--experimental-default-config-file",
            "--run",
        ],
    },
    Interpreter { names: &["perl"], runs: "eEMmIxid", valued: "0lFCDV", long_runs: &[] },
    Interpreter {
        names: &["ruby", "jruby"],
        runs: "erIxCSi",
        valued: "0EFKTW",
        long_runs: &["--require", "--enable"],
    },
    Interpreter { names: &["php"], runs: "rBREdSaz", valued: "c", long_runs: &["--run"] },
    Interpreter { names: &["lua", "luajit"], runs: "eli", valued: "", long_runs: &[] },
    Interpreter {
        names: &["Rscript", "R", "julia"],
        runs: "eELP",
        valued: "",
        long_runs: &["--eval", "--print", "--load"],
    },
    Interpreter { names: &["osascript"], runs: "el", valued: "s", long_runs: &[] },
    Interpreter { names: &["pwsh", "powershell"], runs: "cCeE", valued: "", long_runs: &[] },
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash"],
        runs: "csi",
        valued: "oO",
        long_runs: &["--rcfile", "--init-file"],
    },
    Interpreter {
        names: &["fish"],
        runs: "cCi",
        valued: "do",
        long_runs: &["--command", "--init-command"],
    },
    Interpreter {
        names: &[
            "deno", "bun", "tclsh", "irb", "ghci", "guile", "groovy", "elixir", "iex", "scala",
        ],
        runs: "epcrlS",
        valued: "",
        long_runs: &["--eval", "--print", "--preload", "--require", "--import"],
    },
];

/// What an interpreter would run besides a file. Without a file, it is what comes by standard input.
pub(super) fn deeds(program: &str, arguments: &[Argument]) -> Vec<Deed> {
    let base = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = INTERPRETERS.iter().find(|known| known.names.contains(&base));
    let Some(interpreter) = known else { return Vec::new() };
    let mut deeds = Vec::new();
    let mut at = 1;
    let mut has_file = false;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() {
                let what = "may get an option from this, which is only known when it runs";
                deeds.push(Deed::runs(argument, "", what));
            }
            has_file = true;
            break;
        };
        if matches!(text, "--version" | "--help" | "-V" | "-h") {
            return deeds;
        }
        if matches!(text, "eval" | "repl" | "x" | "exec") && matches!(base, "deno" | "bun") {
            deeds.push(Deed::runs(argument, text, "runs a program from the command line"));
            return deeds;
        }
        if text == "--" {
            has_file = arguments.get(at).is_some_and(|file| file.text() != "-");
            break;
        }
        if text == "-" {
            break;
        }
        if text.starts_with("--") {
            let name = text.split('=').next().unwrap_or(text);
            if interpreter.long_runs.iter().any(|long| long.starts_with(name)) {
                deeds.push(Deed::runs(argument, name, "runs or loads a program from this option"));
                return deeds;
            }
        } else if text.starts_with('-') {
            for (offset, letter) in text.char_indices().skip(1) {
                if interpreter.runs.contains(letter) {
                    let option = format!("-{letter}");
                    let what = "runs or loads a program from this option";
                    deeds.push(Deed::runs(argument, &option, what));
                    return deeds;
                }
                if interpreter.valued.contains(letter) {
                    at += usize::from(offset + letter.len_utf8() == text.len());
                    break;
                }
            }
        } else {
            has_file = true;
            break;
        }
    }
    if !has_file {
        let what = "reads a program from standard input";
        deeds.extend(arguments.first().map(|name| Deed::runs(name, "-", what)));
    }
    deeds
}
