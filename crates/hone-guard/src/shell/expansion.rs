//! What `$` and backquotes begin: parameters, command substitutions, arithmetic, `$'…'`.

use super::command::Stop;
use super::cursor::{Parser, is_name_byte, is_name_start};
use super::tree::{Parameter, Part, PartKind, Problem, Script};
use super::word::{Mode, merged};

/// The quotes around an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    /// Inside `"…"`.
    Double,
    /// Inside a here-document, where `"` means itself.
    Heredoc,
}

const SPECIAL_PARAMETERS: &[u8] = b"@*#?-$!";

impl Parser<'_> {
    /// Text with expansions, up to the closing quote or the end.
    pub(super) fn expandable(&mut self, quoting: Quoting) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        while let Some(byte) = self.peek() {
            if !self.is_counted() {
                break;
            }
            let at = self.pos;
            match byte {
                b'"' if quoting == Quoting::Double => break,
                b'$' | b'`' => {
                    let part = self.expansion(quoting);
                    parts.push(part);
                    continue;
                }
                b'\\' => {
                    let next = self.peek_second();
                    if next == Some(b'\n') {
                        self.pos += 2;
                        continue;
                    }
                    let escapes = matches!(next, Some(b'$' | b'`' | b'\\'))
                        || (next == Some(b'"') && quoting == Quoting::Double);
                    let from = if escapes { at + 1 } else { at };
                    // After a backslash that means itself, the next character may mean something.
                    self.pos = at + 1 + usize::from(escapes);
                    let text = self.text[from..self.pos].to_owned();
                    parts.push(Part { kind: PartKind::Literal(text), span: self.span_from(at) });
                    continue;
                }
                _ => {}
            }
            let means_something = |byte: u8| match byte {
                b'"' => quoting == Quoting::Double,
                byte => matches!(byte, b'$' | b'`' | b'\\'),
            };
            while self.peek().is_some_and(|byte| !means_something(byte)) {
                self.pos += 1;
            }
            let text = self.text[at..self.pos].to_owned();
            parts.push(Part { kind: PartKind::Literal(text), span: self.span_from(at) });
        }
        merged(parts)
    }

    /// What stands at a `$` or a backquote.
    pub(super) fn expansion(&mut self, quoting: Quoting) -> Part {
        let start = self.pos;
        let kind =
            if self.peek() == Some(b'`') { self.backquoted(quoting) } else { self.dollar(quoting) };
        Part { kind, span: self.span_from(start) }
    }

    fn dollar(&mut self, quoting: Quoting) -> PartKind {
        let start = self.pos;
        let Some(next) = self.peek_second() else {
            self.pos += 1;
            return PartKind::Literal("$".to_owned());
        };
        match next {
            b'(' if self.is_at("$((") && self.closes_as_arithmetic(start + 3) => {
                self.pos += 3;
                let parts = self.deeper(|parser| parser.arithmetic("))"));
                PartKind::Arithmetic(parts.unwrap_or_default())
            }
            b'(' => {
                self.pos += 2;
                PartKind::CommandSubstitution(self.substitution(start))
            }
            b'[' => {
                self.pos += 2;
                let parts = self.deeper(|parser| parser.arithmetic("]"));
                PartKind::Arithmetic(parts.unwrap_or_default())
            }
            b'{' => {
                self.pos += 2;
                self.deeper(|parser| parser.braced(start, quoting))
                    .unwrap_or_else(|| PartKind::Literal(String::new()))
            }
            b'\'' if quoting == Quoting::None => {
                self.pos += 1;
                PartKind::AnsiC(self.ansi_c())
            }
            b'"' if quoting == Quoting::None => {
                self.pos += 1;
                PartKind::DoubleQuoted(self.double_quoted())
            }
            next if is_name_start(next) => {
                self.pos += 1;
                PartKind::Parameter(Box::new(Parameter {
                    name: self.name(),
                    ..Parameter::default()
                }))
            }
            next if next.is_ascii_digit() || SPECIAL_PARAMETERS.contains(&next) => {
                self.pos += 2;
                let name = char::from(next).to_string();
                PartKind::Parameter(Box::new(Parameter { name, ..Parameter::default() }))
            }
            _ => {
                self.pos += 1;
                PartKind::Literal("$".to_owned())
            }
        }
    }

    fn name(&mut self) -> String {
        let start = self.pos;
        while self.peek().is_some_and(is_name_byte) {
            self.pos += 1;
        }
        self.text[start..self.pos].to_owned()
    }

    /// Commands up to the `)` that closes what began at `start`.
    pub(super) fn substitution(&mut self, start: usize) -> Script {
        let script = self.deeper(|parser| parser.script(Stop::Parenthesis));
        self.close(")", start, "this substitution is not closed");
        script.unwrap_or_default()
    }

    /// `${…}` after the brace.
    fn braced(&mut self, start: usize, quoting: Quoting) -> PartKind {
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.eat("|");
            let script = self.script(Stop::Word(&["}"]));
            self.close("}", start, "this substitution is not closed");
            return PartKind::CommandSubstitution(script);
        }
        let mut parameter = Parameter::default();
        let names = |byte: Option<u8>| {
            byte.is_some_and(|b| is_name_byte(b) || SPECIAL_PARAMETERS.contains(&b))
        };
        if self.peek() == Some(b'!') && names(self.peek_second()) {
            parameter.indirect = true;
            self.pos += 1;
        } else if self.peek() == Some(b'#') && names(self.peek_second()) {
            parameter.length = true;
            self.pos += 1;
        }
        match self.peek() {
            Some(byte) if is_name_byte(byte) => parameter.name = self.name(),
            Some(byte) if SPECIAL_PARAMETERS.contains(&byte) => {
                self.pos += 1;
                parameter.name = char::from(byte).to_string();
            }
            _ => self.error(self.pos, Problem::Unexpected, "a parameter needs a name"),
        }
        if self.peek() == Some(b'[') {
            let at = self.pos;
            self.pos += 1;
            parameter.index = Some(self.word(Mode::Index));
            self.close("]", at, "this index is not closed");
        }
        for operator in [
            ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "?", "+",
            "#", "%", "/", "^", ",", "@", ":",
        ] {
            if self.eat(operator) {
                operator.clone_into(&mut parameter.operator);
                break;
            }
        }
        if self.peek() != Some(b'}') {
            if parameter.operator.is_empty() && self.peek().is_some() {
                self.error(self.pos, Problem::Unexpected, "this cannot stand in `${…}`");
            }
            let quoting = if quoting == Quoting::None { Quoting::None } else { Quoting::Double };
            parameter.argument = Some(self.word(Mode::Braced(quoting)));
        }
        self.close("}", start, "this parameter is not closed");
        PartKind::Parameter(Box::new(parameter))
    }

    /// Whether parentheses that began before `from` close as `))`: a shell reads `((` as arithmetic
    /// only then.
    pub(super) fn closes_as_arithmetic(&self, from: usize) -> bool {
        let bytes = &self.text.as_bytes()[..self.end];
        let (mut at, mut open) = (from, 0_usize);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' => {
                    at += 1;
                    while bytes.get(at).is_some_and(|b| b != byte) {
                        at += 1 + usize::from(*byte == b'"' && bytes[at] == b'\\');
                    }
                }
                b'(' => open += 1,
                b')' if open == 0 => return bytes.get(at + 1) == Some(&b')'),
                b')' => open -= 1,
                _ => {}
            }
            at += 1;
        }
        true
    }

    /// An arithmetic expression up to `close`.
    pub(super) fn arithmetic(&mut self, close: &'static str) -> Vec<Part> {
        let start = self.pos;
        let (mut parts, mut open) = (Vec::new(), 0_usize);
        let (opening, closing) = if close == "]" { (b'[', b']') } else { (b'(', b')') };
        while let Some(byte) = self.peek() {
            let at = self.pos;
            match byte {
                b'$' | b'`' => {
                    let part = self.expansion(Quoting::Double);
                    parts.push(part);
                    continue;
                }
                b'"' => {
                    let inner = self.double_quoted();
                    let kind = PartKind::DoubleQuoted(inner);
                    parts.push(Part { kind, span: self.span_from(at) });
                    continue;
                }
                b'\'' => {
                    let kind = PartKind::SingleQuoted(self.single_quoted());
                    parts.push(Part { kind, span: self.span_from(at) });
                    continue;
                }
                b'\\' => {
                    self.pos += 1;
                    self.take_char();
                }
                byte if byte == closing && open == 0 => break,
                byte if byte == closing => {
                    open -= 1;
                    self.pos += 1;
                }
                byte if byte == opening => {
                    open += 1;
                    self.pos += 1;
                }
                _ => {
                    self.take_char();
                }
            }
            let text = self.text[at..self.pos].to_owned();
            parts.push(Part { kind: PartKind::Literal(text), span: self.span_from(at) });
        }
        self.close(close, start, "this expression is not closed");
        merged(parts)
    }

    /// Commands in backquotes, where `\` before `` ` ``, `$` and `\` is taken away first.
    fn backquoted(&mut self, quoting: Quoting) -> PartKind {
        let start = self.pos;
        self.pos += 1;
        let (mut inner, mut origins) = (String::new(), Vec::new());
        let closed = loop {
            let at = self.origin(self.pos);
            match self.take_char() {
                None => break false,
                Some('`') => break true,
                Some('\\')
                    if matches!(self.peek(), Some(b'`' | b'$' | b'\\'))
                        || (quoting == Quoting::Double && self.peek() == Some(b'"')) =>
                {
                    let at = self.origin(self.pos);
                    if let Some(c) = self.take_char() {
                        origins.extend(std::iter::repeat_n(at, c.len_utf8()));
                        inner.push(c);
                    }
                }
                Some(c) => {
                    origins.extend((0..c.len_utf8()).map(|byte| at + byte));
                    inner.push(c);
                }
            }
        };
        origins.push(self.origin(self.pos.saturating_sub(usize::from(closed))));
        if !closed {
            self.error(start, Problem::Unfinished, "this backquote is not closed");
        }
        let depth = self.depth;
        let script = self.deeper(|parser| {
            let mut nested = Parser::new(&inner, depth + 1);
            nested.parts = parser.parts;
            nested.origins = Some(origins);
            let script = nested.script(Stop::End);
            nested.finish_heredocs();
            parser.parts = nested.parts;
            parser.absorb(nested.errors);
            script
        });
        PartKind::CommandSubstitution(script.unwrap_or_default())
    }

    /// `$'…'` from the quote on, decoded.
    fn ansi_c(&mut self) -> String {
        let start = self.pos;
        self.pos += 1;
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let at = self.pos;
            match self.take_char() {
                None => {
                    self.error(start, Problem::Unfinished, "this quote does not end");
                    break;
                }
                Some('\'') => break,
                Some('\\') => self.escape(at, &mut bytes),
                Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// One escape of `$'…'`, after its backslash.
    fn escape(&mut self, at: usize, bytes: &mut Vec<u8>) {
        let Some(c) = self.take_char() else { return };
        let simple = match c {
            'a' => Some(7),
            'b' => Some(8),
            'e' | 'E' => Some(27),
            'f' => Some(12),
            'n' => Some(b'\n'),
            'r' => Some(b'\r'),
            't' => Some(b'\t'),
            'v' => Some(11),
            '\\' | '\'' | '"' | '?' => u8::try_from(c).ok(),
            _ => None,
        };
        if let Some(byte) = simple {
            bytes.push(byte);
            return;
        }
        match c {
            '0'..='7' => {
                self.pos -= 1;
                let value = self.number(8, 3);
                self.push_byte(at, value, bytes);
            }
            'x' => {
                let value = self.number(16, 2);
                self.push_byte(at, value, bytes);
            }
            'u' | 'U' => {
                let value = self.number(16, if c == 'u' { 4 } else { 8 });
                match char::from_u32(value) {
                    Some(c) if c != '\0' => {
                        bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    _ => self.error(at, Problem::Ambiguous, "not a character"),
                }
            }
            'c' => {
                // bash looks for the end of the quote before it decodes: a quote or a backslash here is
                // not part of the escape. What it stands for, shells do not agree about.
                self.error(at, Problem::Ambiguous, "a control character written as `\\c`");
                if !matches!(self.peek(), Some(b'\'' | b'\\')) {
                    self.take_char();
                }
            }
            _ => {
                bytes.push(b'\\');
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }

    fn push_byte(&mut self, at: usize, value: u32, bytes: &mut Vec<u8>) {
        let byte = u8::try_from(value & 0xff).unwrap_or(0);
        if byte == 0 {
            // bash ends the word here, zsh does not.
            self.error(at, Problem::Ambiguous, "a zero byte in a word");
        }
        bytes.push(byte);
    }

    /// At most `digits` digits of a number.
    fn number(&mut self, radix: u32, digits: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.pos += 1;
        }
        value
    }
}
