//! Words: quotes, globs and braces. What `$` and backquotes begin is in `expansion.rs`.

use super::MAX_DEPTH;
use super::cursor::{Parser, is_meta};
use super::expansion::Quoting;
use super::tree::{Direction, Part, PartKind, Problem, Span, Word};

/// Where a word stands, which decides what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Among the words of a command.
    Command,
    /// After `NAME=`.
    Value,
    /// After `=~` in `[[ … ]]`: parentheses and `|` belong to it.
    Pattern,
    /// In `${…}`, up to `}`; blanks and operators belong to it.
    Braced(Quoting),
    /// In the `[…]` of a parameter.
    Index,
    /// In the parentheses of an extended glob.
    Group,
}

/// A `{` that may turn out to begin a brace expansion.
struct OpenBrace {
    /// The part that holds the `{`.
    part: usize,
    /// The parts that hold a `,` on its level.
    commas: Vec<usize>,
    start: usize,
}

/// The parts of a word while they are gathered.
#[derive(Default)]
struct Gathered {
    parts: Vec<Part>,
    braces: Vec<OpenBrace>,
}

impl Gathered {
    fn push(&mut self, kind: PartKind, span: Span) {
        self.parts.push(Part { kind, span });
    }

    /// Neighbouring literals made one.
    fn finish(self) -> Vec<Part> {
        merged(self.parts)
    }
}

/// Puts neighbouring literals together.
pub(super) fn merged(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        if let PartKind::Literal(text) = &part.kind
            && let Some(Part { kind: PartKind::Literal(before), span }) = merged.last_mut()
        {
            before.push_str(text);
            span.end = part.span.end;
        } else {
            merged.push(part);
        }
    }
    merged
}

impl Parser<'_> {
    /// One word; empty, with nothing read, when none begins here.
    pub(super) fn word(&mut self, mode: Mode) -> Word {
        let start = self.pos;
        let mut gathered = Gathered::default();
        let mut open_parentheses = 0_usize;
        while let Some(byte) = self.peek() {
            if !self.is_counted() {
                break;
            }
            let at = self.pos;
            match byte {
                b'\\' => {
                    self.pos += 1;
                    match self.take_char() {
                        Some('\n') => {}
                        Some(c) => {
                            gathered.push(PartKind::Literal(c.to_string()), self.span_from(at));
                        }
                        None => self.error(at, Problem::Unfinished, "nothing after the backslash"),
                    }
                }
                b'\'' if mode == Mode::Braced(Quoting::Double) => {
                    // Some operators of `${…}` see a quote here, others a plain character.
                    self.error(at, Problem::Ambiguous, "a single quote in `\"${…}\"`");
                    self.pos += 1;
                    gathered.push(PartKind::Literal("'".to_owned()), self.span_from(at));
                }
                b'\'' => {
                    let text = self.single_quoted();
                    gathered.push(PartKind::SingleQuoted(text), self.span_from(at));
                }
                b'"' => {
                    let parts = self.double_quoted();
                    gathered.push(PartKind::DoubleQuoted(parts), self.span_from(at));
                }
                b'$' | b'`' => {
                    let quoting =
                        if let Mode::Braced(quoting) = mode { quoting } else { Quoting::None };
                    let part = self.expansion(quoting);
                    gathered.parts.push(part);
                }
                b'(' if follows_glob(self.text, start, at) && mode != Mode::Pattern => {
                    let parts = self.extended_glob();
                    gathered.push(PartKind::ExtendedGlob(parts), self.span_from(at));
                }
                b'(' if mode == Mode::Pattern => {
                    open_parentheses += 1;
                    self.plain(&mut gathered);
                }
                b')' if mode == Mode::Pattern && open_parentheses > 0 => {
                    open_parentheses -= 1;
                    self.plain(&mut gathered);
                }
                b'|' if matches!(mode, Mode::Pattern | Mode::Group) => self.plain(&mut gathered),
                b')' if mode == Mode::Group => break,
                b'}' if matches!(mode, Mode::Braced(_)) => break,
                b']' if mode == Mode::Index => break,
                b'<' | b'>'
                    if self.peek_second() == Some(b'(')
                        && !matches!(mode, Mode::Braced(_) | Mode::Index) =>
                {
                    let direction = if byte == b'<' { Direction::Input } else { Direction::Output };
                    self.pos += 2;
                    let script = self.substitution(at);
                    gathered.push(
                        PartKind::ProcessSubstitution { direction, script },
                        self.span_from(at),
                    );
                }
                byte if is_meta(byte) && ends_word(mode, byte, open_parentheses) => break,
                b'\r'
                    if self.peek_second() == Some(b'\n')
                        && matches!(mode, Mode::Command | Mode::Value | Mode::Pattern) =>
                {
                    break;
                }
                b'*' | b'?' | b'[' if !matches!(mode, Mode::Braced(_)) => {
                    self.pos += 1;
                    gathered.push(PartKind::Glob(char::from(byte)), self.span_from(at));
                }
                b'~' if at == start
                    || (mode == Mode::Value && self.text.as_bytes()[at - 1] == b':') =>
                {
                    self.tilde(&mut gathered);
                }
                b'{' | b',' | b'}' if matches!(mode, Mode::Command | Mode::Value) => {
                    self.brace(&mut gathered, byte);
                }
                _ => self.plain(&mut gathered),
            }
        }
        let mut parts = gathered.finish();
        // A lone `[` is the command of that name.
        if let [Part { kind, .. }] = parts.as_mut_slice()
            && *kind == PartKind::Glob('[')
        {
            *kind = PartKind::Literal("[".to_owned());
        }
        Word { parts, span: self.span_from(start) }
    }

    /// Text up to the next character that may mean something.
    fn plain(&mut self, gathered: &mut Gathered) {
        let at = self.pos;
        self.take_char();
        while self.peek().is_some_and(|byte| !is_special(byte)) {
            self.pos += 1;
        }
        let text = self.text[at..self.pos].to_owned();
        gathered.push(PartKind::Literal(text), self.span_from(at));
    }

    /// `'…'` from the opening quote on.
    pub(super) fn single_quoted(&mut self) -> String {
        let start = self.pos;
        self.pos += 1;
        let rest = &self.text[self.pos..self.end];
        let Some(length) = rest.find('\'') else {
            self.error(start, Problem::Unfinished, "this quote does not end");
            self.pos = self.end;
            return rest.to_owned();
        };
        self.pos += length + 1;
        rest[..length].to_owned()
    }

    /// `"…"` from the opening quote on.
    pub(super) fn double_quoted(&mut self) -> Vec<Part> {
        let start = self.pos;
        self.pos += 1;
        let parts = self.deeper(|parser| parser.expandable(Quoting::Double));
        self.close("\"", start, "this quote does not end");
        parts.unwrap_or_default()
    }

    fn tilde(&mut self, gathered: &mut Gathered) {
        let at = self.pos;
        self.pos += 1;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b"_+-.".contains(&b)) {
            self.pos += 1;
        }
        if self.peek().is_none_or(|byte| byte == b'/' || byte == b':' || is_meta(byte)) {
            let user = self.text[at + 1..self.pos].to_owned();
            gathered.push(PartKind::Tilde(user), self.span_from(at));
        } else {
            let text = self.text[at..self.pos].to_owned();
            gathered.push(PartKind::Literal(text), self.span_from(at));
        }
    }

    fn brace(&mut self, gathered: &mut Gathered, byte: u8) {
        let at = self.pos;
        if byte == b'{' && self.depth + gathered.braces.len() >= MAX_DEPTH {
            self.give_up(Problem::TooDeep, "too many constructs inside one another");
            return;
        }
        self.pos += 1;
        let part = gathered.parts.len();
        gathered.push(PartKind::Literal(char::from(byte).to_string()), self.span_from(at));
        match byte {
            b'{' => gathered.braces.push(OpenBrace { part, commas: Vec::new(), start: at }),
            b',' => {
                if let Some(brace) = gathered.braces.last_mut() {
                    brace.commas.push(part);
                }
            }
            _ => {
                if let Some(open) = gathered.braces.pop() {
                    self.close_brace(gathered, &open);
                }
            }
        }
    }

    /// Turns the parts since `{` into a brace expansion, if that is what they are.
    fn close_brace(&mut self, gathered: &mut Gathered, open: &OpenBrace) {
        let inside = &gathered.parts[open.part + 1..gathered.parts.len() - 1];
        let is_range = open.commas.is_empty()
            && inside.iter().any(|part| part.literal().is_some_and(|text| text.contains("..")));
        if open.commas.is_empty() && !is_range {
            return;
        }
        let mut parts = gathered.parts.split_off(open.part);
        parts.pop();
        let mut words = Vec::with_capacity(open.commas.len() + 1);
        for from in open.commas.iter().rev().chain([&open.part]) {
            let tail = parts.split_off(from - open.part);
            let place = tail.first().map_or(0, |part| part.span.end);
            let tail = merged(tail.into_iter().skip(1).collect());
            let span = tail.last().map_or(place..place, |last| place..last.span.end);
            words.push(Word { parts: tail, span });
        }
        words.reverse();
        gathered.push(PartKind::Brace(words), self.span_from(open.start));
    }

    /// `(…)` after `@`, `!`, `?`, `*` or `+`.
    fn extended_glob(&mut self) -> Vec<Part> {
        let start = self.pos;
        let parts = self.deeper(|parser| {
            parser.pos += 1;
            let parts = parser.word(Mode::Group).parts;
            parser.close(")", start, "this parenthesis is not closed");
            parts
        });
        parts.unwrap_or_default()
    }
}

fn is_special(byte: u8) -> bool {
    is_meta(byte) || b"\\'\"$`*?[]{},~\r".contains(&byte)
}

/// Whether the `(` at `at` follows a glob character of the same word.
fn follows_glob(text: &str, start: usize, at: usize) -> bool {
    at > start && b"@!?*+".contains(&text.as_bytes()[at - 1])
}

fn ends_word(mode: Mode, byte: u8, open_parentheses: usize) -> bool {
    match mode {
        Mode::Command | Mode::Value => true,
        Mode::Pattern => {
            byte == b'\n' || (open_parentheses == 0 && matches!(byte, b' ' | b'\t' | b')' | b';'))
        }
        Mode::Braced(_) | Mode::Index | Mode::Group => false,
    }
}
