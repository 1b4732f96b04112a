//! Commands whose arguments are another command: what counts is the one inside.

use super::MAX_WRAPPED;
use super::argument::Argument;
use super::check::Checker;
use super::language::is_plain_setting;
use super::variable::may_prefix;

/// The options of a command that runs another one.
struct Wrapper {
    names: &'static [&'static str],
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with a value.
    valued: &'static str,
    long_flags: &'static [&'static str],
    long_valued: &'static [&'static str],
    /// Arguments between the options and the command.
    operands: usize,
    /// `NAME=value` may stand in front of the command.
    assigns: bool,
    /// The wrapper itself must be declared too.
    declared: bool,
}

const PLAIN: Wrapper = Wrapper {
    names: &[],
    flags: "",
    valued: "",
    long_flags: &[],
    long_valued: &[],
    operands: 0,
    assigns: false,
    declared: false,
};

const WRAPPERS: [Wrapper; 9] = [
    Wrapper { names: &["command"], flags: "p", ..PLAIN },
    Wrapper { names: &["builtin", "nohup"], ..PLAIN },
    Wrapper { names: &["exec"], flags: "cl", ..PLAIN },
    Wrapper {
        names: &["nice"],
        flags: "0123456789",
        valued: "n",
        long_valued: &["--adjustment"],
        ..PLAIN
    },
    Wrapper {
        names: &["timeout"],
        flags: "v",
        valued: "ks",
        long_flags: &["--foreground", "--preserve-status", "--verbose"],
        long_valued: &["--kill-after", "--signal"],
        operands: 1,
        ..PLAIN
    },
    Wrapper { names: &["time"], flags: "pv", ..PLAIN },
    Wrapper {
        names: &["stdbuf"],
        valued: "ioe",
        long_valued: &["--input", "--output", "--error"],
        ..PLAIN
    },
    Wrapper {
        names: &["env"],
        flags: "iv0",
        valued: "u",
        long_flags: &["--ignore-environment", "--null", "--debug"],
        long_valued: &["--unset"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        names: &["sudo", "doas"],
        flags: "nSHk",
        valued: "ugp",
        long_flags: &["--non-interactive", "--stdin", "--set-home"],
        long_valued: &["--user", "--group", "--prompt"],
        assigns: true,
        declared: true,
        ..PLAIN
    },
];

const XARGS: Wrapper = Wrapper {
    names: &["xargs"],
    flags: "0rtpxo",
    valued: "ILnPsdEa",
    long_flags: &[
        "--null",
        "--no-run-if-empty",
        "--verbose",
        "--interactive",
        "--exit",
        "--open-tty",
        "--replace",
    ],
    long_valued: &[
        "--replace",
        "--max-lines",
        "--max-args",
        "--max-procs",
        "--max-chars",
        "--delimiter",
        "--eof",
        "--arg-file",
    ],
    ..PLAIN
};

/// Shells whose `-c` is read here.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash"];

/// Letters of a shell's options that leave alone what it runs.
const SHELL_FLAGS: &str = "lceuxvfnpEBhCTbmi";

const SHELL_LONG_FLAGS: [&str; 6] =
    ["--login", "--norc", "--noprofile", "--posix", "--verbose", "--restricted"];

impl Wrapper {
    /// Where the command inside begins, or the argument that cannot be told.
    fn inner<'a>(&self, arguments: &'a [Argument]) -> Result<usize, &'a Argument> {
        let mut at = 1;
        while let Some(argument) = arguments.get(at) {
            let Some(text) = argument.value.as_deref() else {
                if argument.may_be_option() {
                    return Err(argument);
                }
                break;
            };
            if text == "--" {
                at += 1;
                break;
            }
            if text == "-" && self.assigns {
                at += 1;
            } else if text.starts_with("--") {
                let (name, value) =
                    text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
                if value.is_none() && self.long_flags.contains(&name) {
                    at += 1;
                } else if self.long_valued.contains(&name) {
                    at += 1 + usize::from(value.is_none());
                } else {
                    return Err(argument);
                }
            } else if text.len() > 1 && text.starts_with('-') {
                at += 1;
                for (offset, letter) in text.char_indices().skip(1) {
                    if self.valued.contains(letter) {
                        at += usize::from(offset + letter.len_utf8() == text.len());
                        break;
                    }
                    if !self.flags.contains(letter) {
                        return Err(argument);
                    }
                }
            } else {
                break;
            }
        }
        let passed = arguments.get(1..at).unwrap_or(&arguments[1..]);
        if let Some(unknown) = passed.iter().find(|argument| argument.value.is_none()) {
            return Err(unknown);
        }
        if self.operands > 0 {
            let operands = arguments.get(at..at + self.operands).unwrap_or_default();
            if let Some(unknown) = operands.iter().find(|argument| argument.may_be_option()) {
                return Err(unknown);
            }
        }
        Ok((at + self.operands).min(arguments.len()))
    }
}

/// Where the command begins that these words run: behind `timeout`, `env` and their kin, which need not be
/// declared. A word that is only known when it runs is none. Nothing when it cannot be told.
pub fn inner(words: &[Option<&str>]) -> Option<usize> {
    let mut at = 0;
    for _ in 0..MAX_WRAPPED {
        let name = (*words.get(at)?)?;
        let is_it = |wrapper: &&Wrapper| wrapper.names.contains(&name) && !wrapper.declared;
        let Some(wrapper) = WRAPPERS.iter().find(is_it) else { return Some(at) };
        let argument = |word: Option<&str>| match word {
            Some(word) => Argument::known(0..0, word),
            None => Argument::unknown(0..0, "", true),
        };
        let arguments: Vec<Argument> = words[at..].iter().copied().map(argument).collect();
        let mut inside = wrapper.inner(&arguments).ok()?;
        while wrapper.assigns && arguments.get(inside).is_some_and(|word| word.text().contains('='))
        {
            inside += 1;
        }
        at += inside;
    }
    None
}

impl Checker<'_> {
    /// Checks a command that runs another one, or nothing; false when it is an ordinary one.
    pub(super) fn wrapper(&mut self, name: &str, arguments: &[Argument]) -> bool {
        let span = &arguments[0].span;
        let rest = &arguments[1..];
        match name {
            "true" | "false" | ":" => {
                self.grant(span, None);
                return true;
            }
            "exit" | "return" | "break" | "continue" | "shift" => {
                let is_number = |a: &Argument| a.text().parse::<u32>().is_ok();
                let is_plain = rest.len() <= 1 && rest.iter().all(is_number);
                if is_plain {
                    self.grant(span, None);
                }
                return is_plain;
            }
            // `command -v git` only tells where it is.
            "command" if rest.first().is_some_and(|a| matches!(a.text(), "-v" | "-V")) => {
                self.grant(span, None);
                return true;
            }
            "unset" => {
                self.functions.clear();
                self.unsets = true;
                return false;
            }
            "eval" => {
                self.eval(rest);
                return true;
            }
            "trap" => {
                if let Some(action) = rest.first() {
                    match action.value.as_deref() {
                        Some(text) => self.text(action, text, true),
                        None => self.refuse(&action.span, "what `trap` runs is not known"),
                    }
                }
                return true;
            }
            "xargs" => {
                self.xargs(arguments);
                return true;
            }
            _ => {}
        }
        if SHELLS.contains(&name) {
            return self.shell(name, arguments);
        }
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else {
            return false;
        };
        let mut inner = match wrapper.inner(arguments) {
            Ok(inner) => inner,
            Err(argument) => {
                let reason = format!("what this makes `{name}` do is not known");
                self.refuse(&argument.span, reason);
                return true;
            }
        };
        while wrapper.assigns
            && let Some(argument) = arguments.get(inner)
            && let Some((variable, value)) = argument.prefix.split_once('=')
        {
            let value = argument.value.as_deref().map(|_| value);
            if !may_prefix(variable, value) {
                let reason = format!("sets `{variable}`, which may change what runs");
                self.refuse(&argument.span, reason);
            }
            inner += 1;
        }
        if wrapper.declared {
            self.declared(arguments);
        }
        match arguments.get(inner..).filter(|command| !command.is_empty()) {
            Some(command) => self.run_inside(command),
            // Only redirections: they were looked at.
            None if name == "exec" => self.grant(span, None),
            None if wrapper.declared => {}
            None => return false,
        }
        true
    }

    fn eval(&mut self, words: &[Argument]) {
        let Some(first) = words.first() else { return };
        if let Some(unknown) = words.iter().find(|word| word.value.is_none()) {
            self.refuse(&unknown.span, "what `eval` runs is only known when it runs");
            return;
        }
        if let [word] = words {
            self.text(word, word.text(), true);
            return;
        }
        let text = words.iter().map(Argument::text).collect::<Vec<_>>().join(" ");
        let last = words.last().unwrap_or(first);
        let whole = Argument::known(first.span.start..last.span.end.max(first.span.start), &text);
        self.text(&whole, &text, true);
    }

    /// `sh -c TEXT`; false when it runs a file, which must be declared.
    fn shell(&mut self, name: &str, arguments: &[Argument]) -> bool {
        let (mut at, mut has_text) = (1, false);
        while let Some(argument) = arguments.get(at) {
            let Some(text) = argument.value.as_deref() else {
                if argument.may_be_option() {
                    self.refuse(&argument.span, "what this makes the shell do is not known");
                    return true;
                }
                break;
            };
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if text.starts_with("--") {
                if !SHELL_LONG_FLAGS.contains(&text) {
                    return false;
                }
            } else if text.len() > 1 && text.starts_with(['-', '+']) {
                for letter in text.chars().skip(1) {
                    match letter {
                        'o' | 'O' => {
                            at += 1;
                            let Some(setting) = arguments.get(at) else { return false };
                            if !is_plain_setting(letter, setting.text()) {
                                let reason = "a setting of the shell that may change what it runs";
                                self.refuse(&setting.span, reason);
                                return true;
                            }
                        }
                        letter if !SHELL_FLAGS.contains(letter) => return false,
                        letter => has_text |= letter == 'c' && text.starts_with('-'),
                    }
                }
            } else {
                break;
            }
            at += 1;
        }
        if !has_text {
            return false;
        }
        match arguments.get(at) {
            None => return false,
            Some(script) => match script.value.clone().filter(|_| !script.splits) {
                Some(text) => self.text_for(name, script, &text),
                None => self.refuse(&script.span, "what the shell runs is only known when it runs"),
            },
        }
        true
    }

    fn xargs(&mut self, arguments: &[Argument]) {
        let inner = match XARGS.inner(arguments) {
            Ok(inner) => inner,
            Err(argument) => {
                self.refuse(&argument.span, "what this makes `xargs` do is not known");
                return;
            }
        };
        let (placeholder, is_grouped) = replacing(&arguments[1..inner]);
        let span = &arguments[0].span;
        let mut command = arguments[inner..].to_vec();
        if command.is_empty() {
            command.push(Argument::known(span.clone(), "echo"));
        }
        if let Some(placeholder) = &placeholder {
            for argument in &mut command {
                substitute(argument, placeholder);
            }
        }
        // `-n` and `-L` after `-I` cancel it, not everywhere: then both may happen.
        if placeholder.is_none() || is_grouped {
            command.push(Argument::unknown(span.clone(), "", true));
        }
        self.run_inside(&command);
    }
}

/// Makes an argument unknown from the place on where something is put in.
pub(super) fn substitute(argument: &mut Argument, placeholder: &str) {
    if let Some(at) = argument.prefix.find(placeholder) {
        argument.prefix.truncate(at);
        argument.value = None;
        argument.inside = None;
    }
}

/// What `xargs` replaces by each line, when it replaces, and whether it is told how many to append.
fn replacing(options: &[Argument]) -> (Option<String>, bool) {
    let (mut found, mut is_grouped, mut at) = (None, false, 0);
    while let Some(text) = options.get(at).map(Argument::text) {
        at += 1;
        if let Some(value) = text.strip_prefix("--replace") {
            found = Some(value.strip_prefix('=').unwrap_or("{}").to_owned());
        } else if text.starts_with("--") {
            let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            is_grouped |= matches!(name, "--max-lines" | "--max-args");
            at += usize::from(value.is_none() && XARGS.long_valued.contains(&name));
        } else if let Some((offset, letter)) =
            text.char_indices().skip(1).find(|(_, letter)| XARGS.valued.contains(*letter))
        {
            let value = &text[offset + letter.len_utf8()..];
            let next = options.get(at).map(Argument::text).unwrap_or_default();
            at += usize::from(value.is_empty());
            match letter {
                'I' => found = Some(if value.is_empty() { next } else { value }.to_owned()),
                'n' | 'L' => is_grouped = true,
                _ => {}
            }
        }
    }
    (found.filter(|placeholder| !placeholder.is_empty()), is_grouped)
}
