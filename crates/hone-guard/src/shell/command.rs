//! Lists, pipelines, simple and compound commands.

use super::cursor::{Parser, is_meta, is_name_byte, is_name_start};
use super::tree::{
    Arm, Assignment, Command, Compound, CompoundKind, Connector, Item, Part, PartKind, Pipeline,
    Problem, Redirect, RedirectOperator, Script, SimpleCommand, Span, Word,
};
use super::word::Mode;

/// Where a list of commands ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// With the text.
    End,
    /// At `)`.
    Parenthesis,
    /// At one of these reserved words.
    Word(&'static [&'static str]),
    /// At `;;`, `;&` or `esac`.
    Arm,
}

const RESERVED: [&str; 21] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "function", "{", "}", "!", "[[", "time", "coproc", "]]",
];

/// Reserved words that end something.
const CLOSING: [&str; 9] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", "]]"];

/// Commands whose arguments may be assignments of lists.
const DECLARING: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

/// The places in `NAME[index]+=`.
struct Assigned {
    name_end: usize,
    index: Option<Span>,
    value_start: usize,
}

impl Parser<'_> {
    /// Commands up to `stop`, which is left in place.
    pub(super) fn script(&mut self, stop: Stop) -> Script {
        let mut items: Vec<Item> = Vec::new();
        self.skip_lines();
        let start = self.pos;
        loop {
            self.skip_lines();
            let Some(byte) = self.peek() else { break };
            if self.is_at_stop(stop) {
                break;
            }
            let at = self.pos;
            if matches!(byte, b')' | b';' | b'&' | b'|') && !self.is_at("&>") {
                self.error(at, Problem::Unexpected, "an operator without a command before it");
                while matches!(self.peek(), Some(b')' | b';' | b'&' | b'|'))
                    && !self.is_at_stop(stop)
                {
                    self.pos += 1;
                }
                continue;
            }
            if let Some(word) = self.reserved().filter(|word| CLOSING.contains(word)) {
                self.error(at, Problem::Unexpected, "a reserved word that ends nothing");
                self.pos += word.len();
                continue;
            }
            let pipeline = self.pipeline();
            let connector = self.connector();
            items.push(Item { pipeline, connector });
            if self.pos == at {
                self.error(at, Problem::Unexpected, "this cannot stand here");
                self.take_char();
            }
            let before = self.pos;
            match connector {
                Connector::And | Connector::Or => {
                    self.skip_lines();
                    if self.peek().is_none() || self.is_at_stop(stop) {
                        self.error(before, Problem::Unfinished, "an operator without a command");
                    }
                }
                Connector::End if self.peek().is_some() && !self.is_at_stop(stop) => {
                    self.error(before, Problem::Unexpected, "this cannot stand here");
                }
                _ => {}
            }
        }
        Script { items, span: self.span_from(start) }
    }

    fn is_at_stop(&self, stop: Stop) -> bool {
        match stop {
            Stop::End => false,
            Stop::Parenthesis => self.peek() == Some(b')'),
            Stop::Word(words) => self.reserved().is_some_and(|word| words.contains(&word)),
            Stop::Arm => self.is_at(";;") || self.is_at(";&") || self.reserved() == Some("esac"),
        }
    }

    /// The reserved word that stands here.
    fn reserved(&self) -> Option<&'static str> {
        if !b"itefdcwus{}![]".contains(&self.peek()?) {
            return None;
        }
        let bytes = &self.text.as_bytes()[self.pos..self.end];
        RESERVED.into_iter().find(|word| {
            bytes.starts_with(word.as_bytes())
                && bytes.get(word.len()).is_none_or(|byte| is_meta(*byte) || *byte == b'\r')
        })
    }

    fn eat_reserved(&mut self, word: &'static str, message: &'static str) {
        self.skip_lines();
        if self.reserved() == Some(word) {
            self.pos += word.len();
        } else {
            self.error(self.pos, Problem::Unfinished, message);
        }
    }

    fn connector(&mut self) -> Connector {
        self.skip_blanks();
        if self.peek() == Some(b'#') {
            self.skip_comment();
        }
        if self.eat("&&") {
            return Connector::And;
        }
        if self.eat("||") {
            return Connector::Or;
        }
        match self.peek() {
            Some(b';') if !self.is_at(";;") && !self.is_at(";&") => {
                self.pos += 1;
                Connector::Then
            }
            Some(b'&') => {
                self.pos += 1;
                Connector::Background
            }
            Some(b'\n') => {
                self.newline();
                Connector::Then
            }
            _ => Connector::End,
        }
    }

    fn pipeline(&mut self) -> Pipeline {
        let start = self.pos;
        let mut negated = false;
        loop {
            match self.reserved() {
                Some("!") => {
                    self.pos += 1;
                    negated = !negated;
                }
                Some("time") => {
                    self.pos += 4;
                    self.skip_blanks();
                    if self.is_at("-p") && self.byte_at(self.pos + 2).is_none_or(is_meta) {
                        self.pos += 2;
                    }
                }
                _ => break,
            }
            self.skip_blanks();
        }
        let mut commands = Vec::new();
        loop {
            match self.command() {
                Some(command) => commands.push(command),
                None if commands.is_empty() && start != self.pos => break,
                None => {
                    self.error(self.pos, Problem::Unexpected, "a command is missing here");
                    break;
                }
            }
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_second() == Some(b'|') {
                break;
            }
            self.pos += 1;
            if self.peek() == Some(b'&') {
                self.pos += 1;
            }
            self.skip_lines();
        }
        // Most pipelines are one command: room for more of these large things is what a long script costs.
        commands.shrink_to_fit();
        Pipeline { negated, commands, span: self.span_from(start) }
    }

    fn command(&mut self) -> Option<Command> {
        self.skip_blanks();
        let start = self.pos;
        let kind = match self.reserved() {
            Some("{") => self.deeper(Self::group),
            Some("if") => self.deeper(Self::conditional),
            Some("while") => self.deeper(|parser| parser.repeated("while")),
            Some("until") => self.deeper(|parser| parser.repeated("until")),
            Some("for") => self.deeper(|parser| parser.each("for")),
            Some("select") => self.deeper(|parser| parser.each("select")),
            Some("case") => self.deeper(Self::case),
            Some("[[") => self.deeper(Self::test),
            Some("function") => self.deeper(Self::function),
            Some("coproc") => self.deeper(Self::coproc),
            _ if self.is_at("((") && self.closes_as_arithmetic(self.pos + 2) => {
                self.deeper(|parser| {
                    parser.pos += 2;
                    CompoundKind::Arithmetic(parser.arithmetic("))"))
                })
            }
            _ if self.peek() == Some(b'(') => self.deeper(Self::subshell),
            _ => return self.simple(start),
        };
        let kind = kind?;
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Some(Command::Compound(Compound { kind, redirects, span: self.span_from(start) }))
    }

    fn subshell(&mut self) -> CompoundKind {
        let start = self.pos;
        self.pos += 1;
        let script = self.script(Stop::Parenthesis);
        self.close(")", start, "this parenthesis is not closed");
        CompoundKind::Subshell(script)
    }

    /// Goes past a closing delimiter, or says that what began at `start` has none.
    pub(super) fn close(&mut self, delimiter: &str, start: usize, message: &'static str) {
        if !self.eat(delimiter) {
            self.error(start, Problem::Unfinished, message);
        }
    }

    fn group(&mut self) -> CompoundKind {
        self.pos += 1;
        let script = self.script(Stop::Word(&["}"]));
        self.eat_reserved("}", "this group needs a `}`");
        CompoundKind::Group(script)
    }

    fn conditional(&mut self) -> CompoundKind {
        self.pos += 2;
        let (mut branches, mut otherwise) = (Vec::new(), None);
        loop {
            let condition = self.script(Stop::Word(&["then"]));
            self.eat_reserved("then", "`if` needs a `then`");
            let body = self.script(Stop::Word(&["else", "elif", "fi"]));
            branches.push((condition, body));
            match self.reserved() {
                Some("elif") => self.pos += 4,
                Some("else") => {
                    self.pos += 4;
                    otherwise = Some(self.script(Stop::Word(&["fi"])));
                    break;
                }
                _ => break,
            }
        }
        self.eat_reserved("fi", "`if` needs a `fi`");
        CompoundKind::If { branches, otherwise }
    }

    fn repeated(&mut self, word: &'static str) -> CompoundKind {
        self.pos += word.len();
        let condition = self.script(Stop::Word(&["do"]));
        let body = self.do_group();
        CompoundKind::While { until: word == "until", condition, body }
    }

    fn do_group(&mut self) -> Script {
        self.eat_reserved("do", "this loop needs a `do`");
        let body = self.script(Stop::Word(&["done"]));
        self.eat_reserved("done", "this loop needs a `done`");
        body
    }

    fn each(&mut self, word: &'static str) -> CompoundKind {
        self.pos += word.len();
        self.skip_blanks();
        if word == "for" && self.eat("((") {
            let header = self.arithmetic("))");
            self.skip_blanks();
            self.eat(";");
            self.skip_lines();
            return CompoundKind::ArithmeticFor { header, body: self.loop_body() };
        }
        let variable = self.word(Mode::Command);
        self.skip_lines();
        let mut words = None;
        if self.is_at("in") && self.byte_at(self.pos + 2).is_none_or(is_meta) {
            self.pos += 2;
            words = Some(self.words());
        }
        self.skip_blanks();
        self.eat(";");
        self.skip_lines();
        let body = self.loop_body();
        if word == "for" {
            CompoundKind::For { variable, words, body }
        } else {
            CompoundKind::Select { variable, words, body }
        }
    }

    /// `do … done`, or the `{ … }` that bash and zsh take as well.
    fn loop_body(&mut self) -> Script {
        if self.reserved() != Some("{") {
            return self.do_group();
        }
        self.pos += 1;
        let script = self.script(Stop::Word(&["}"]));
        self.eat_reserved("}", "this group needs a `}`");
        script
    }

    /// Words up to the end of the line or an operator.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let at = self.pos;
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b'#' | b')') => return words,
                _ => words.push(self.word(Mode::Command)),
            }
            if self.pos == at {
                self.error(at, Problem::Unexpected, "this cannot stand here");
                self.take_char();
            }
        }
    }

    fn case(&mut self) -> CompoundKind {
        let start = self.pos;
        self.pos += 4;
        self.skip_blanks();
        let subject = self.word(Mode::Command);
        self.skip_lines();
        if self.is_at("in") && self.byte_at(self.pos + 2).is_none_or(is_meta) {
            self.pos += 2;
        } else {
            self.error(self.pos, Problem::Unexpected, "`case` needs an `in`");
        }
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.peek().is_none() {
                self.error(start, Problem::Unfinished, "`case` needs an `esac`");
                break;
            }
            if self.reserved() == Some("esac") {
                self.pos += 4;
                break;
            }
            let at = self.pos;
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                let before = self.pos;
                patterns.push(self.word(Mode::Command));
                if self.pos == before {
                    self.error(at, Problem::Unexpected, "a pattern is missing here");
                }
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.close(")", at, "a pattern of `case` needs a `)`");
            let body = self.script(Stop::Arm);
            arms.push(Arm { patterns, body });
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            if self.pos == at {
                self.take_char();
            }
        }
        CompoundKind::Case { subject, arms }
    }

    fn test(&mut self) -> CompoundKind {
        let start = self.pos;
        self.pos += 2;
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_lines();
            let at = self.pos;
            if self.reserved() == Some("]]") {
                self.pos += 2;
                break;
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|op| self.is_at(op));
            let is_pattern = words.last().and_then(Word::literal).is_some_and(|word| word == "=~");
            match (self.peek(), operator) {
                (None, _) => {
                    self.error(start, Problem::Unfinished, "`[[` needs a `]]`");
                    break;
                }
                (_, Some(operator)) if !is_pattern && !self.is_at("<(") && !self.is_at(">(") => {
                    self.pos += operator.len();
                    let kind = PartKind::Literal(operator.to_owned());
                    let span = self.span_from(at);
                    words.push(Word { parts: vec![Part { kind, span: span.clone() }], span });
                }
                _ => {
                    let mode = if is_pattern { Mode::Pattern } else { Mode::Command };
                    words.push(self.word(mode));
                    if self.pos == at {
                        self.error(at, Problem::Unexpected, "this cannot stand in `[[`");
                        self.take_char();
                    }
                }
            }
        }
        CompoundKind::Test(words)
    }

    fn function(&mut self) -> CompoundKind {
        self.pos += "function".len();
        self.skip_blanks();
        let name = self.word(Mode::Command);
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.close(")", self.pos, "`(` of a function needs a `)`");
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: Word) -> CompoundKind {
        self.skip_lines();
        let body = self.command().map(Box::new);
        if body.is_none() {
            self.error(self.pos, Problem::Unfinished, "a function needs a body");
        }
        CompoundKind::Function { name, body }
    }

    fn coproc(&mut self) -> CompoundKind {
        self.pos += "coproc".len();
        self.skip_blanks();
        // `coproc NAME { …; }`: the name stands only in front of a compound command.
        let start = self.pos;
        let rest = &self.text.as_bytes()[start..self.end];
        let name = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        let is_reserved = self.reserved().is_some();
        if name > 0 && !is_reserved {
            self.pos += name;
            self.skip_blanks();
            let opens = self.reserved().is_some_and(|word| !CLOSING.contains(&word));
            if !(opens || self.peek() == Some(b'(')) {
                self.pos = start;
            }
        }
        CompoundKind::Coproc { body: self.command().map(Box::new) }
    }

    fn simple(&mut self, start: usize) -> Option<Command> {
        let mut simple = SimpleCommand::default();
        let mut declares = false;
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                end = self.pos;
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'#') => break,
                Some(b'(') => {
                    if simple.words.len() == 1 && simple.assignments.is_empty() {
                        let at = self.pos;
                        self.pos += 1;
                        self.skip_blanks();
                        if self.eat(")") {
                            let name = simple.words.remove(0);
                            let kind = self.deeper(|parser| parser.function_body(name))?;
                            let redirects = simple.redirects;
                            let span = self.span_from(start);
                            return Some(Command::Compound(Compound { kind, redirects, span }));
                        }
                        self.pos = at;
                    }
                    break;
                }
                _ => {}
            }
            let at = self.pos;
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                simple.assignments.push(assignment);
            } else {
                let word = match self.declared_list(declares) {
                    Some(word) => word,
                    None => self.word(Mode::Command),
                };
                if simple.words.is_empty() {
                    declares = word.literal().is_some_and(|name| DECLARING.contains(&&*name));
                }
                simple.words.push(word);
            }
            if self.pos == at {
                simple.words.pop();
                break;
            }
            end = self.pos;
        }
        simple.span = self.span(start, end);
        simple.words.shrink_to_fit();
        simple.assignments.shrink_to_fit();
        simple.redirects.shrink_to_fit();
        let is_empty =
            simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
        (!is_empty).then_some(Command::Simple(simple))
    }

    /// `NAME=`, `NAME+=` or `NAME[index]=` from here.
    fn assigned(&self) -> Option<Assigned> {
        if !self.peek().is_some_and(is_name_start) {
            return None;
        }
        let mut at = self.pos;
        while self.byte_at(at).is_some_and(is_name_byte) {
            at += 1;
        }
        let name_end = at;
        let mut index = None;
        if self.byte_at(at) == Some(b'[') {
            let from = at + 1;
            at = from;
            // Anything else in an index makes it an ordinary word, whose parts are then looked at.
            while self.byte_at(at).is_some_and(|b| is_name_byte(b) || b"@*+-$".contains(&b)) {
                at += 1;
            }
            if self.byte_at(at) != Some(b']') {
                return None;
            }
            index = Some(from..at);
            at += 1;
        }
        if self.byte_at(at) == Some(b'+') {
            at += 1;
        }
        (self.byte_at(at) == Some(b'=')).then_some(Assigned {
            name_end,
            index,
            value_start: at + 1,
        })
    }

    fn assignment(&mut self) -> Option<Assignment> {
        let start = self.pos;
        let Assigned { name_end, index, value_start } = self.assigned()?;
        let name = self.text[start..name_end].to_owned();
        let append = self.byte_at(value_start - 2) == Some(b'+');
        let index = index.map(|index| self.text[index].to_owned());
        self.pos = value_start;
        let value = match self.array() {
            Some(part) => Word { span: part.span.clone(), parts: vec![part] },
            None => self.word(Mode::Value),
        };
        Some(Assignment { name, index, append, value, span: self.span_from(start) })
    }

    /// `NAME=(…)` as an argument of `declare` and the like.
    fn declared_list(&mut self, declares: bool) -> Option<Word> {
        let start = self.pos;
        let value_start = self.assigned().filter(|_| declares)?.value_start;
        if self.byte_at(value_start) != Some(b'(') {
            return None;
        }
        self.pos = value_start;
        let name = PartKind::Literal(self.text[start..value_start].to_owned());
        let name = Part { kind: name, span: self.span_from(start) };
        let list = self.array()?;
        Some(Word { parts: vec![name, list], span: self.span_from(start) })
    }

    /// `( word … )` after `NAME=`.
    fn array(&mut self) -> Option<Part> {
        if self.peek() != Some(b'(') {
            return None;
        }
        let start = self.pos;
        let words = self.deeper(|parser| {
            parser.pos += 1;
            let mut words = Vec::new();
            loop {
                parser.skip_lines();
                let at = parser.pos;
                match parser.peek() {
                    None | Some(b')') => break,
                    _ => words.push(parser.word(Mode::Command)),
                }
                if parser.pos == at {
                    words.pop();
                    parser.error(at, Problem::Unexpected, "this cannot stand in a list");
                    parser.take_char();
                }
            }
            parser.close(")", start, "this list is not closed");
            words
        });
        let kind = PartKind::Array(words.unwrap_or_default());
        Some(Part { kind, span: self.span_from(start) })
    }

    /// The redirection that stands here.
    fn redirect(&mut self) -> Option<Redirect> {
        let start = self.pos;
        let bytes = &self.text.as_bytes()[start..self.end];
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut prefix = digits;
        if bytes.first() == Some(&b'{') {
            let name = bytes[1..].iter().take_while(|byte| is_name_byte(**byte)).count();
            if name > 0 && bytes.get(name + 1) == Some(&b'}') {
                prefix = name + 2;
            }
        }
        let rest = &bytes[prefix..];
        use RedirectOperator as Op;
        let both = [("&>>", Op::AppendBoth), ("&>", Op::WriteBoth)];
        let plain = [
            ("<<<", Op::HereString),
            ("<<-", Op::Heredoc),
            ("<<", Op::Heredoc),
            ("<&", Op::DuplicateInput),
            ("<>", Op::ReadWrite),
            ("<", Op::Read),
            (">>", Op::Append),
            (">&", Op::DuplicateOutput),
            (">|", Op::Clobber),
            (">", Op::Write),
        ];
        let candidates = both.iter().filter(|_| prefix == 0).chain(plain.iter());
        let (text, operator) =
            candidates.copied().find(|(text, _)| rest.starts_with(text.as_bytes()))?;
        let follows = rest.get(text.len());
        // `<(` and `>(` begin a word.
        if matches!(text, "<" | ">") && follows == Some(&b'(') {
            return None;
        }
        let descriptor = (prefix > 0).then(|| self.text[start..start + prefix].to_owned());
        self.pos = start + prefix + text.len();
        self.skip_blanks();
        let (target, body) = if operator == Op::Heredoc {
            let (word, body) = self.heredoc_delimiter(text == "<<-");
            (word, Some(body))
        } else {
            let at = self.pos;
            let is_comment = self.peek() == Some(b'#') && at > start + prefix + text.len();
            let word = if is_comment { Word::default() } else { self.word(Mode::Command) };
            if self.pos == at {
                self.error(start, Problem::Unexpected, "a redirection needs a target");
            }
            (word, None)
        };
        Some(Redirect { descriptor, operator, target, span: self.span_from(start), body })
    }
}
