//! A command line taken apart as a shell would: its commands with their words and the texts that they get,
//! in one pass, and never run.

use std::collections::VecDeque;

/// A command with its words, and the files and texts that it gets as input.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<String>,
    pub(super) inputs: Vec<String>,
    pub(super) texts: Vec<Text>,
    /// The step that is piped into it.
    pub(super) fed_by: Option<usize>,
}

/// What stands between `<<END` and `END`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) body: String,
    /// Nothing is substituted in it: `<<'END'`.
    pub(super) is_literal: bool,
}

/// A command, or where the folder of a subshell begins and ends.
#[derive(Debug)]
pub(super) enum Step {
    Command(Simple),
    Open,
    Close,
}

/// What the next word is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    Input,
    Output,
    /// What ends a text; tabs before its lines do not count.
    End {
        tabs: bool,
    },
}

/// A text that begins with the next line.
struct Awaited {
    /// The step that gets it.
    step: usize,
    end: String,
    tabs: bool,
    is_literal: bool,
}

/// Takes a command line apart at everything that starts another command: operators, line ends,
/// parentheses and substitutions. Quotes are removed; `quote` is the one that it begins in.
pub(super) fn steps(line: &str, quote: Option<char>) -> Vec<Step> {
    let mut splitter = Splitter {
        steps: vec![Step::Command(Simple::default())],
        word: None,
        was_quoted: false,
        next: Next::Word,
        quote,
        around: Vec::new(),
        awaited: VecDeque::new(),
    };
    splitter.split(line);
    splitter.steps
}

struct Splitter {
    steps: Vec<Step>,
    word: Option<String>,
    /// A part of the word was quoted.
    was_quoted: bool,
    next: Next,
    quote: Option<char>,
    /// The quotes around each subshell that is still open, and what opened it: a backtick, `$(` as `$`, `(`, or the
    /// second one of `((` as `+`.
    around: Vec<(char, Option<char>)>,
    awaited: VecDeque<Awaited>,
}

impl Splitter {
    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end(&mut self) {
        let is_literal = std::mem::take(&mut self.was_quoted);
        let step = self.steps.len() - 1;
        if let (Some(word), Some(Step::Command(command))) =
            (self.word.take(), self.steps.last_mut())
        {
            match std::mem::replace(&mut self.next, Next::Word) {
                Next::Word => command.words.push(word),
                Next::Input => command.inputs.push(word),
                Next::Output => {}
                Next::End { tabs } => {
                    self.awaited.push_back(Awaited { step, end: word, tabs, is_literal });
                }
            }
        }
    }

    /// A mark and a new command behind it.
    fn mark(&mut self, step: Step) {
        self.steps.extend([step, Step::Command(Simple::default())]);
    }

    fn split(&mut self, line: &str) {
        let mut chars = line.chars();
        let mut before = ' ';
        while let Some(c) = chars.next() {
            let next_is = |wanted: char| chars.as_str().starts_with(wanted);
            let is_double = before == '(' && c == '(';
            before = c;
            match (self.quote, c) {
                (Some('\''), '\'') | (Some('"'), '"') => self.quote = None,
                (Some('\''), c) => self.push(c),
                (None, '\'' | '"') => {
                    self.quote = Some(c);
                    self.was_quoted = true;
                    self.word.get_or_insert_default();
                }
                (_, '\\') => match chars.next() {
                    Some('\n') | None => {}
                    Some(escaped) => {
                        self.was_quoted = true;
                        self.push(escaped);
                    }
                },
                // A substitution is a command of its own, inside double quotes too.
                (_, '`') => {
                    self.end();
                    let opened = self.around.pop_if(|(open, _)| *open == '`');
                    if opened.is_none() {
                        self.around.push(('`', self.quote));
                    }
                    self.mark(if opened.is_none() { Step::Open } else { Step::Close });
                    self.quote = opened.and_then(|(_, outer)| outer);
                }
                (_, '$') if next_is('(') => {
                    chars.next();
                    before = '(';
                    self.end();
                    self.mark(Step::Open);
                    self.around.push(('$', self.quote.take()));
                }
                (None, '(') => {
                    self.end();
                    self.next = Next::Word;
                    self.mark(Step::Open);
                    self.around.push((if is_double { '+' } else { '(' }, None));
                }
                (None, ')') if self.around.last().is_some_and(|(open, _)| *open != '`') => {
                    self.end();
                    self.next = Next::Word;
                    self.mark(Step::Close);
                    self.quote = self.around.pop().and_then(|(_, outer)| outer);
                }
                (None, '#') if self.word.is_none() => {
                    let rest = chars.as_str();
                    chars = rest[rest.find('\n').unwrap_or(rest.len())..].chars();
                }
                (None, '&') if next_is('>') => self.end(),
                (None, ';' | '|' | '&' | '\n' | ')') => {
                    let is_pipe = c == '|' && !next_is('|');
                    if c == '|' && (!is_pipe || next_is('&')) {
                        chars.next();
                    }
                    self.end();
                    self.next = Next::Word;
                    self.new_command(is_pipe);
                    if c == '\n' {
                        chars = self.take_texts(chars.as_str()).chars();
                    }
                }
                (None, '>') => {
                    // `2>` is no word of the command.
                    let is_number = |word: &String| word.bytes().all(|b| b.is_ascii_digit());
                    self.word.take_if(|word| is_number(word));
                    self.end();
                    let rest = chars.as_str();
                    chars = rest.trim_start_matches(['>', '&', '|']).chars();
                    self.next = Next::Output;
                }
                (None, '<') => {
                    self.end();
                    let rest = chars.as_str();
                    let signs = rest.len() - rest.trim_start_matches('<').len();
                    let is_sum = self.around.last().is_some_and(|(open, _)| *open == '+');
                    self.next = match signs {
                        0 => Next::Input,
                        // `<<` brings lines, `<<<` a word.
                        1 if !is_sum => Next::End { tabs: rest[1..].starts_with('-') },
                        _ => Next::Output,
                    };
                    let tabs = usize::from(self.next == Next::End { tabs: true });
                    chars = rest[signs + tabs..].chars();
                }
                (None, c) if c.is_whitespace() => self.end(),
                (_, c) => self.push(c),
            }
        }
        self.end();
    }

    /// Begins a command, unless the last one is still empty.
    fn new_command(&mut self, is_pipe: bool) {
        let is_empty =
            matches!(self.steps.last(), Some(Step::Command(last)) if *last == Simple::default());
        if !is_empty {
            let fed_by = is_pipe.then(|| self.steps.len() - 1);
            self.steps.push(Step::Command(Simple { fed_by, ..Simple::default() }));
        }
    }

    /// Gives the texts that begin here to their commands; what is left follows them.
    fn take_texts<'t>(&mut self, mut rest: &'t str) -> &'t str {
        let is_inside = !self.around.is_empty();
        while let Some(awaited) = self.awaited.pop_front() {
            let mut body = String::new();
            while !rest.is_empty() {
                let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let whole = &rest[..end];
                let line = if awaited.tabs { whole.trim_start_matches('\t') } else { whole };
                let behind = line.strip_prefix(awaited.end.as_str());
                // A shell also takes the parenthesis that closes the substitution around it.
                let is_end = behind.is_some_and(|behind| {
                    behind.trim_end_matches(['\r', '\n']).is_empty()
                        || is_inside && behind.starts_with(')')
                });
                if is_end {
                    rest = &rest[end - behind.map_or(0, str::len)..];
                    rest = rest.strip_prefix('\n').unwrap_or(rest);
                    break;
                }
                body.push_str(line);
                rest = &rest[end..];
            }
            if let Some(Step::Command(command)) = self.steps.get_mut(awaited.step) {
                command.texts.push(Text { body, is_literal: awaited.is_literal });
            }
        }
        rest
    }
}
