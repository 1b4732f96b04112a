//! The functions of JavaScript and TypeScript, with the variables that each declares: its parameters, what stands
//! behind `const`, `let` and `var`, what `catch` gives a name to. Blocks inside of one function are not told apart.

use std::ops::Range;
use std::rc::Rc;

use super::{Lexeme, MAX_NESTED, Scope, Scopes, Token, is_name};

/// Tokens of a type between parameters and body: `(a): Promise<Map<string, number>> => {`.
const MAX_TYPE: usize = 32;

/// A function: where its parameters stand, and its body.
struct Function {
    parameters: Range<usize>,
    body: Range<usize>,
}

impl Scopes {
    /// The functions of a script.
    pub(super) fn of_script(tokens: &[Lexeme], close: &[usize]) -> Self {
        let mut scopes = Self { of_token: vec![0; tokens.len()], ..Self::default() };
        let script = Script { tokens, close };
        // Functions around the place, with where each ends.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for at in 0..tokens.len() {
            while open.last().is_some_and(|(end, _)| *end <= at) {
                open.pop();
            }
            if let Some(Token::Name(word)) = script.token(at)
                && matches!(&**word, "function" | "class")
                && let Some(name) = script.name(at + 1)
            {
                scopes.declared.insert(Rc::clone(name));
            }
            if script.is_key(at) {
                scopes.keys.insert(at);
            }
            if open.len() < MAX_NESTED
                && let Some(function) = script.function_at(at)
            {
                let parent = open.last().map(|(_, scope)| *scope);
                scopes.all.push(Scope { parent, ..Scope::default() });
                let scope = scopes.all.len() - 1;
                open.push((function.body.end, scope));
                let number = u32::try_from(scope + 1).unwrap_or(0);
                scopes.of_token[function.parameters.start..function.body.end].fill(number);
                for at in script.bound(function.parameters) {
                    scopes.take(tokens, at, scope);
                    scopes.parameters.insert(at);
                }
            }
            let Some((_, scope)) = open.last().copied() else { continue };
            if script.name(at).is_some_and(|word| is_declaration(word)) {
                for at in script.declared(at + 1) {
                    scopes.take(tokens, at, scope);
                }
            } else if script.is(at, "catch") && script.op(at + 1) == Some('(') {
                for at in script.bound(at + 2..close[at + 1]) {
                    scopes.take(tokens, at, scope);
                }
            }
        }
        scopes
    }

    fn take(&mut self, tokens: &[Lexeme], at: usize, scope: usize) {
        if let Token::Name(name) = &tokens[at].token
            && !name.contains('.')
        {
            self.all[scope].own.insert(Rc::clone(name));
        }
    }
}

fn is_declaration(word: &str) -> bool {
    matches!(word, "const" | "let" | "var")
}

/// The tokens of a script, and where its brackets close.
struct Script<'t> {
    tokens: &'t [Lexeme],
    close: &'t [usize],
}

impl<'t> Script<'t> {
    fn token(&self, at: usize) -> Option<&'t Token> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    fn op(&self, at: usize) -> Option<char> {
        match self.token(at) {
            Some(Token::Op(op)) => Some(*op),
            _ => None,
        }
    }

    fn name(&self, at: usize) -> Option<&'t Rc<str>> {
        match self.token(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn is(&self, at: usize, word: &str) -> bool {
        self.token(at).is_some_and(|token| is_name(token, word))
    }

    /// `{ name: value }`: not a variable. `a ? { b } : c` and types of parameters are no keys.
    fn is_key(&self, at: usize) -> bool {
        self.name(at).is_some()
            && self.op(at + 1) == Some(':')
            && match at.checked_sub(1).and_then(|before| self.token(before)) {
                Some(Token::Op('{' | ',')) => true,
                Some(Token::Line) => {
                    let before = self.tokens[..at - 1].iter().rev().map(|lexeme| &lexeme.token);
                    let before = before.take(MAX_TYPE).find(|token| **token != Token::Line);
                    matches!(before, Some(Token::Op('{' | ',')))
                }
                _ => false,
            }
    }

    /// The function whose parameters begin at a token: at their parenthesis, or at the one name before an arrow.
    fn function_at(&self, at: usize) -> Option<Function> {
        if self.name(at).is_some() && self.is_arrow(at + 1) {
            return Some(Function { parameters: at..at + 1, body: self.body_of_arrow(at + 1) });
        }
        if self.op(at) != Some('(') || self.close[at] >= self.tokens.len() {
            return None;
        }
        let close = self.close[at];
        let parameters = at + 1..close;
        let typed = if self.op(close + 1) == Some(':') { MAX_TYPE } else { 1 };
        // The type before an arrow or a body, if there is one.
        let mut next = close + 1;
        for _ in 0..typed {
            if self.is_arrow(next) {
                return Some(Function { parameters, body: self.body_of_arrow(next) });
            }
            let named = at > 0 && self.is_named_before(at);
            if self.op(next) == Some('{') && named && !self.is_type(next) {
                return Some(Function { parameters, body: next + 1..self.end_of(next) });
            }
            match self.token(next)? {
                Token::Op(';') | Token::Line => return None,
                Token::Op('{' | '[' | '(') => next = self.end_of(next) + 1,
                _ => next += 1,
            }
        }
        None
    }

    /// Whether a brace right behind a colon opens a type: `(a): { b: string } => …`.
    fn is_type(&self, brace: usize) -> bool {
        matches!(self.op(brace - 1), Some(':' | '|' | '&' | '<'))
    }

    /// Whether what stands before a parenthesis makes it the parameters of a function: `function (`, `function name(`,
    /// `async name(`, and not `if (`.
    fn is_named_before(&self, open: usize) -> bool {
        const WORDS: [&str; 7] = ["if", "for", "await", "while", "switch", "catch", "with"];
        // function name<T>(
        let name = if self.op(open - 1) == Some('>') {
            (open.saturating_sub(MAX_TYPE)..open - 1).rev().find(|i| self.op(*i) == Some('<'))
        } else {
            Some(open)
        };
        let Some(name) = name.and_then(|open| open.checked_sub(1)) else { return false };
        let is_star = self.op(name) == Some('*');
        is_star || self.name(name).is_some_and(|word| !WORDS.contains(&&**word))
    }

    fn is_arrow(&self, at: usize) -> bool {
        self.op(at) == Some('=')
            && self.op(at + 1) == Some('>')
            && self.tokens[at].at() + 1 == self.tokens[at + 1].at()
    }

    /// What stands behind an arrow: a block, or an expression.
    fn body_of_arrow(&self, arrow: usize) -> Range<usize> {
        let start = arrow + 2;
        if self.op(start) == Some('{') {
            return start + 1..self.end_of(start);
        }
        start..self.end_of_expression(start)
    }

    /// Where an expression ends: at a comma or bracket of what is around it, or with its line.
    fn end_of_expression(&self, start: usize) -> usize {
        let mut at = start;
        while let Some(token) = self.token(at) {
            match token {
                Token::Op('(' | '[' | '{') => at = self.end_of(at),
                Token::Op(')' | ']' | '}' | ',' | ';') => return at,
                Token::Line if at > start && !self.goes_on(at) => return at,
                // Broken code may have no end of its line: each is looked at once.
                Token::Name(word) if is_declaration(word) => return at,
                _ => {}
            }
            at += 1;
        }
        self.tokens.len()
    }

    /// Whether an expression goes on behind the end of a line.
    fn goes_on(&self, line: usize) -> bool {
        let before = self.op(line - 1);
        let next = (line + 1..line + MAX_TYPE).find(|at| self.token(*at) != Some(&Token::Line));
        matches!(before, Some('+' | '|' | '&' | '?' | ':' | '=' | '>' | '('))
            || matches!(next.and_then(|at| self.op(at)), Some('.' | '?' | ':' | '|' | '&' | '+'))
    }

    /// Where a bracket closes, or the end.
    fn end_of(&self, open: usize) -> usize {
        self.close[open].clamp(open, self.tokens.len())
    }

    /// The names that a declaration gives values to: `a = 1, { b, c: d } = f()`, `[x] of list`.
    fn declared(&self, from: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = from;
        loop {
            let end = match self.op(at) {
                Some('{' | '[') => self.end_of(at) + 1,
                _ => at + 1,
            };
            found.extend(self.bound(at..end.min(self.tokens.len())));
            // The value, up to the next name: `const a = f(b, c), d = 2`.
            let Some(equals) = (end..end + MAX_TYPE).find(|at| {
                !matches!(
                    self.token(*at),
                    Some(Token::Name(_) | Token::Op(':' | '<' | '>' | '|' | '[' | ']'))
                )
            }) else {
                return found;
            };
            let next = match self.op(equals) {
                Some('=') => self.end_of_expression(equals + 1),
                _ => equals,
            };
            if self.op(next) != Some(',') {
                return found;
            }
            at = next + 1;
            while self.token(at) == Some(&Token::Line) {
                at += 1;
            }
            if at >= self.tokens.len() {
                return found;
            }
        }
    }

    /// The names in a pattern or a list of parameters: `a, { b, c: d = 1 }, ...rest`, without keys, types and defaults.
    fn bound(&self, range: Range<usize>) -> Vec<usize> {
        const MODIFIERS: [&str; 4] = ["private", "public", "protected", "readonly"];
        let mut found: Vec<usize> = Vec::new();
        let mut braces: Vec<usize> = Vec::new();
        let mut is_expected = true;
        let mut at = range.start;
        while at < range.end {
            match self.token(at) {
                Some(Token::Op('[')) if is_expected => {}
                Some(Token::Op('{')) if is_expected => braces.push(self.end_of(at)),
                Some(Token::Op('(' | '{' | '[')) => at = self.end_of(at),
                Some(Token::Op(',')) => is_expected = true,
                Some(Token::Op(':')) => {
                    // { key: name }: what was taken for the name is a key.
                    let in_braces = braces.last().is_some_and(|end| *end > at);
                    if in_braces && found.last() == Some(&(at - 1)) {
                        found.pop();
                        is_expected = true;
                    }
                }
                Some(Token::Name(name)) if is_expected && !MODIFIERS.contains(&&**name) => {
                    found.push(at);
                    is_expected = false;
                }
                Some(Token::Op('}')) => {
                    braces.pop();
                    is_expected = false;
                }
                _ => {}
            }
            at += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lexer::lex;
    use super::super::tell_apart;
    use super::*;
    use crate::scan::kind::Language;

    fn names(code: &str) -> Vec<String> {
        let mut tokens = lex(code, Language::JavaScript);
        tell_apart(&mut tokens, Language::JavaScript);
        let named = tokens.into_iter().filter_map(|lexeme| match lexeme.token {
            Token::Name(name) => Some(name.to_string()),
            _ => None,
        });
        named.collect()
    }

    #[test]
    fn one_name_of_two_functions_is_two() {
        for (code, expected) in [
            (
                "function f(a) { const b = a.x; return b }\nfunction g(a) { const b = a; h({ a: b }) }\n",
                "function f a const b a.x return b function g a¹ const b¹ a¹ h a b¹",
            ),
            ("const f = (a) => a.x;\nconst g = a => a.y;\n", "const f a a.x const g a¹ a¹.y"),
            (
                "class C { m(a: string): Promise<T> { this.a = a }\n n({ a, k: b }) { let [c] = a } }\n",
                "class C m a string Promise T this.a a n a¹ k b let c a¹",
            ),
            (
                "const x = 1;\nfunction f() { x = 2; const y = x, z = y; }\nfunction g() { const x = 3; return z }\n",
                "const x function f x const y x z¹ y function g const x¹ return z",
            ),
            (
                "function f() { try { g() } catch (e) { h(e) } for (const a of b) i(a) }\nfunction j(e, a) { if (e) { a() } }\n",
                "function f try g catch e h e for const a of b i a function j e¹ a¹ if e¹ a¹",
            ),
        ] {
            assert_eq!(names(code).join(" "), expected, "{code}");
        }
    }

    #[test]
    fn what_the_script_or_a_function_around_has_stays_the_same() {
        let code = "let x;\nfunction f(a) { x = a; const y = 1; return () => { y; x; a } }\nfunction g(y) { return x }\n";
        assert_eq!(
            names(code).join(" "),
            "let x function f a x a const y return y x a function g y¹ return x"
        );
    }

    #[test]
    fn as_many_functions_inside_each_other_are_told_apart() {
        let nested = |depth: usize| {
            let code =
                "function f() { const x = 1; ".repeat(depth) + "const x = 2" + &"}".repeat(depth);
            names(&code).pop()
        };
        let marked = nested(MAX_NESTED);
        assert_ne!(marked.as_deref(), Some("x"));
        assert_eq!(nested(MAX_NESTED + 1), marked);
    }

    #[test]
    fn a_type_has_so_many_tokens() {
        let is_own = |tokens: usize| {
            let of = "A | ".repeat(tokens / 2 - 1);
            let code = format!("let a;\nconst f = (a): {of}B => a;\n");
            names(&code).contains(&"a¹".to_owned())
        };
        assert!(is_own(MAX_TYPE - 2));
        assert!(!is_own(MAX_TYPE + 2));
    }
}
