//! Interpreters: a program on the command line or from standard input is not the script that was
//! declared.

use super::argument::Argument;
use super::program::Deed;
use super::stdin;

struct Interpreter {
    names: &'static [&'static str],
    /// Letters of options that hold a program, or load one.
    runs: &'static str,
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with a value: the rest of the word, or the next one.
    valued: &'static str,
    /// Letters of options with a value that only digits, or these letters, can be.
    counted: &'static [(char, &'static str)],
    long_runs: &'static [&'static str],
    /// Long options without a value. Any other without `=` may take the next word.
    long_flags: &'static [&'static str],
    /// Options after which nothing is run.
    tells: &'static [&'static str],
}

const NONE: Interpreter = Interpreter {
    names: &[],
    runs: "",
    flags: "",
    valued: "",
    counted: &[],
    long_runs: &[],
    long_flags: &[],
    tells: &[],
};

const TELLS: &[&str] = &["--version", "--help", "-V", "-h"];

const INTERPRETERS: [Interpreter; 12] = [
    Interpreter {
        names: &["python", "pypy", "ipython"],
        runs: "cmi",
        flags: "bBdEIOPqRsSuvx",
        valued: "WXQ",
        tells: TELLS,
        ..NONE
    },
    Interpreter {
        names: &["node", "nodejs"],
        runs: "eprCi",
        flags: "c",
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
        long_flags: &[
            "--check",
            "--test",
            "--watch",
            "--inspect",
            "--inspect-brk",
            "--enable-source-maps",
            "--trace-warnings",
            "--trace-deprecation",
            "--trace-uncaught",
            "--throw-deprecation",
            "--pending-deprecation",
            "--preserve-symlinks",
            "--expose-gc",
            "--experimental-strip-types",
            "--experimental-transform-types",
            "--experimental-vm-modules",
            "--experimental-modules",
            "--experimental-sqlite",
            "--experimental-test-coverage",
            "--harmony",
            "--use-strict",
            "--permission",
        ],
        tells: &["--version", "--help", "-v", "-h"],
        ..NONE
    },
    Interpreter {
        names: &["perl"],
        runs: "eEMmIxid",
        flags: "acgnpstTUvwWX",
        counted: &[('0', ""), ('l', ""), ('C', "SDIOioALa")],
        tells: TELLS,
        ..NONE
    },
    Interpreter {
        names: &["ruby", "jruby"],
        runs: "erIxCSi",
        flags: "aclnpsUvwy",
        valued: "E",
        counted: &[('0', ""), ('T', ""), ('W', "")],
        long_runs: &["--require", "--enable"],
        tells: &["--version", "--help", "-h"],
        ..NONE
    },
    Interpreter {
        names: &["php"],
        runs: "rBREdSaz",
        flags: "fnqsw",
        valued: "ct",
        long_runs: &["--run"],
        tells: &["--version", "--help", "-v", "-h", "-m", "-i"],
        ..NONE
    },
    Interpreter { names: &["lua", "luajit"], runs: "eli", flags: "vEW", tells: &[], ..NONE },
    Interpreter {
        names: &["Rscript", "R", "julia"],
        runs: "eELP",
        flags: "q",
        valued: "tp",
        counted: &[('O', "")],
        long_runs: &["--eval", "--print", "--load"],
        long_flags: &["--vanilla", "--slave", "--quiet", "--verbose", "--silent", "--project"],
        tells: &["--version", "--help"],
    },
    Interpreter { names: &["osascript"], runs: "el", valued: "s", ..NONE },
    Interpreter { names: &["pwsh", "powershell"], runs: "cCeE", ..NONE },
    Interpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash"],
        runs: "csi",
        flags: "befhlmnprtuvxBCEPT",
        valued: "oO",
        long_runs: &["--rcfile", "--init-file"],
        long_flags: &["--login", "--norc", "--noprofile", "--posix", "--verbose", "--restricted"],
        // To a shell, `-h` is none of these; one that does not know these words stops at them.
        tells: &["--version", "--help"],
        ..NONE
    },
    Interpreter {
        names: &["fish"],
        runs: "cCi",
        flags: "lnPN",
        valued: "do",
        long_runs: &["--command", "--init-command"],
        long_flags: &["--login", "--no-config", "--private", "--no-execute"],
        tells: &["--version", "--help", "-v", "-h"],
        ..NONE
    },
    Interpreter {
        names: &[
            "deno", "bun", "tclsh", "irb", "ghci", "guile", "groovy", "elixir", "iex", "scala",
        ],
        runs: "epcrlS",
        flags: "Aq",
        long_runs: &["--eval", "--print", "--preload", "--require", "--import"],
        long_flags: &["--quiet", "--watch", "--hot", "--bun", "--silent"],
        ..NONE
    },
];

/// Commands of `deno` and `bun` that run what the line says, or a package from elsewhere.
const COMMANDS: [&str; 7] = ["eval", "repl", "x", "exec", "create", "c", "init"];

const FROM_OPTION: &str = "runs or loads a program from this option";
const NOT_UNDERSTOOD: &str = "gets an option that is not understood, and that may run something";

impl Interpreter {
    /// What a word of single letters makes it do, and whether its value is the next word.
    fn letters(&self, argument: &Argument, text: &str) -> Result<bool, Box<Deed>> {
        let mut letters = text.char_indices().skip(1).peekable();
        while let Some((offset, letter)) = letters.next() {
            let option = format!("-{letter}");
            if let Some((_, others)) = self.counted.iter().find(|(known, _)| *known == letter) {
                let is_value = |c: char| c.is_ascii_digit() || others.contains(c);
                while letters.next_if(|(_, c)| is_value(*c)).is_some() {}
                // Where such a value ends is told by the letters; what follows it must not be in doubt.
                let rest = &text[letters.peek().map_or(text.len(), |(at, _)| *at)..];
                if !others.is_empty() && !rest.is_empty() {
                    return Err(Box::new(Deed::runs(argument, &option, NOT_UNDERSTOOD)));
                }
            } else if self.runs.contains(letter) {
                return Err(Box::new(Deed::runs(argument, &option, FROM_OPTION)));
            } else if self.valued.contains(letter) {
                return Ok(offset + letter.len_utf8() == text.len());
            } else if !self.flags.contains(letter) {
                return Err(Box::new(Deed::runs(argument, &option, NOT_UNDERSTOOD)));
            }
        }
        Ok(false)
    }
}

/// What an interpreter would run besides a file. Without a file, it is what comes by standard input.
pub(super) fn deeds(program: &str, arguments: &[Argument]) -> Vec<Deed> {
    let base = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = INTERPRETERS.iter().find(|known| known.names.contains(&base));
    let Some(interpreter) = known else { return Vec::new() };
    let is_shell = interpreter.names.contains(&"bash");
    let is_bundle = matches!(base, "deno" | "bun");
    let ends_at_program = is_shell || interpreter.names.contains(&"python");
    let mut deeds = Vec::new();
    let mut at = 1;
    let mut file = None;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        // Behind an option that may be declared, all is looked at: which word is its value is not known.
        let is_behind = !deeds.is_empty();
        let is_command = |word: &&&str| is_bundle && argument.may_be(word);
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() {
                let what = "may get an option from this, which is only known when it runs";
                deeds.push(Deed::runs(argument, "", what));
                return deeds;
            }
            if COMMANDS.iter().any(|word| is_command(&word)) {
                let what = "may get a command from this, which is only known when it runs";
                deeds.push(Deed::runs(argument, "", what));
                return deeds;
            }
            if is_behind {
                continue;
            }
            file = Some(argument);
            break;
        };
        if interpreter.tells.contains(&text) {
            return deeds;
        }
        if COMMANDS.iter().any(|word| is_command(&word)) {
            deeds.push(Deed::runs(argument, text, "runs a program from the command line"));
            return deeds;
        }
        if text == "--" {
            file = arguments.get(at);
            break;
        }
        if text == "-" {
            if is_behind {
                continue;
            }
            break;
        }
        if text.starts_with("--") {
            let name = text.split('=').next().unwrap_or(text);
            if interpreter.long_runs.iter().any(|long| long.starts_with(name)) {
                deeds.push(Deed::runs(argument, name, FROM_OPTION));
                continue;
            }
            let is_whole = text.contains('=')
                || text.starts_with("--no-")
                || interpreter.long_flags.contains(&text);
            if !is_whole {
                deeds.push(Deed::runs(argument, name, NOT_UNDERSTOOD));
            }
        } else if text.starts_with('-') || is_shell && text.starts_with('+') {
            match interpreter.letters(argument, text) {
                Ok(takes_next) => at += usize::from(takes_next),
                Err(deed) => {
                    // What follows is for that program.
                    let is_last = ends_at_program && matches!(deed.option.as_str(), "-c" | "-m");
                    deeds.push(*deed);
                    if is_last {
                        return deeds;
                    }
                }
            }
        } else if !is_behind {
            file = Some(argument);
            break;
        }
    }
    if !deeds.is_empty() {
        return deeds;
    }
    // `deno run FILE`: the file is somewhere behind.
    if is_bundle && let Some(deed) = arguments[1..].iter().find_map(stdin::not_a_file) {
        return vec![deed];
    }
    match file {
        None => {
            let what = "reads a program from standard input";
            arguments.first().map(|name| Deed::runs(name, "-", what)).into_iter().collect()
        }
        Some(file) => stdin::not_a_file(file).into_iter().collect(),
    }
}
