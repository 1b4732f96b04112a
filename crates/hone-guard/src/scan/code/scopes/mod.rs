//! Names of functions' own variables, told apart where two functions of a file use one name.
//!
//! A value is kept by the name that holds it, and order and branches do not matter; without this, what one
//! function calls `cmd` would be what every function calls so. The first function to use a name keeps it as it
//! is written, the next ones get it with a mark, in their parameters, their code and the braces of their strings.
//!
//! Done for Python, where what a function assigns is its own; what it says is `global` or belongs to a function
//! around it is not. Done for JavaScript and TypeScript too, where it is what a function declares ([`javascript`]).
//! Attributes, keywords of calls, keys of tables and names of functions stay as they are.

mod javascript;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::lexer::{Lexeme, Token, brackets};
use crate::scan::kind::Language;

/// Functions inside functions whose variables are told apart; deeper ones are taken with the one around them.
const MAX_NESTED: usize = 8;
/// Tokens between `for` and `in`, and before an equals sign, that may be what is assigned.
const MAX_TARGETS: usize = 32;
/// Tokens before a name among which the parenthesis of a call is looked for.
const MAX_KEYWORDS: usize = 512;

/// Digits that no name of Python may have.
const MARKS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// A name as it is written.
pub(super) fn plain(name: &str) -> String {
    name.replace(MARKS, "")
}

/// The mark of a function that only its file knows: no variable's begins so.
pub(super) fn own_of_file(number: usize) -> String {
    let digits = number.to_string();
    std::iter::once(MARKS[0])
        .chain(digits.bytes().map(|digit| MARKS[usize::from(digit - b'0')]))
        .collect()
}

/// Marks the names of functions' own variables.
pub(super) fn tell_apart(tokens: &mut [Lexeme], language: Language) {
    if language == Language::Python
        && tokens.iter().filter(|lexeme| is_name(&lexeme.token, "def")).count() > 1
    {
        Scopes::of(tokens).mark(tokens);
    } else if language == Language::JavaScript {
        let close = brackets(tokens);
        Scopes::of_script(tokens, &close).mark(tokens);
    }
}

fn is_name(token: &Token, word: &str) -> bool {
    matches!(token, Token::Name(name) if **name == *word)
}

/// A function, with the names that are its own.
#[derive(Default)]
struct Scope {
    parent: Option<usize>,
    own: HashSet<Rc<str>>,
    foreign: HashSet<Rc<str>>,
}

#[derive(Default)]
struct Scopes {
    all: Vec<Scope>,
    /// Which function each token stands in: its number and one more, or nothing.
    of_token: Vec<u32>,
    /// Tokens that are parameters where they are declared.
    parameters: HashSet<usize>,
    /// Names of functions and classes, which calls are followed by.
    declared: HashSet<Rc<str>>,
    /// Tokens that are keys of a table, not variables.
    keys: HashSet<usize>,
}

impl Scopes {
    fn of(tokens: &[Lexeme]) -> Self {
        let mut scopes = Self { of_token: vec![0; tokens.len()], ..Self::default() };
        // Functions around the line, with how far each is indented.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for line in lines(tokens) {
            let column = tokens[line.start].column();
            while open.last().is_some_and(|(indent, _)| *indent >= column) {
                open.pop();
            }
            let asynchronous = usize::from(is_name(&tokens[line.start].token, "async"));
            let word = line.start + asynchronous;
            let is = |word: usize, name: &str| {
                tokens.get(word).is_some_and(|lexeme| is_name(&lexeme.token, name))
            };
            if let Some(Token::Name(name)) = tokens.get(word + 1).map(|lexeme| &lexeme.token)
                && (is(word, "def") || is(word, "class"))
            {
                scopes.declared.insert(Rc::clone(name));
                if is(word, "def") && open.len() < MAX_NESTED {
                    let parent = open.last().map(|(_, scope)| *scope);
                    scopes.all.push(Scope { parent, ..Scope::default() });
                    open.push((column, scopes.all.len() - 1));
                    scopes.declare(tokens, word + 2..line.end);
                }
            }
            let Some((_, scope)) = open.last() else { continue };
            let number = u32::try_from(scope + 1).unwrap_or(0);
            scopes.of_token[line.clone()].fill(number);
            if !is(word, "def") && !is(word, "class") {
                scopes.assigned(tokens, &line, *scope);
            }
        }
        scopes
    }

    /// The parameters of the newest function: the first name of each.
    fn declare(&mut self, tokens: &[Lexeme], range: Range<usize>) {
        let Some(scope) = self.all.last_mut() else { return };
        let mut depth = 0_usize;
        let mut expected = false;
        for at in range {
            match &tokens[at].token {
                Token::Op('(' | '[' | '{') => {
                    depth += 1;
                    expected = depth == 1;
                }
                Token::Op(')' | ']' | '}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                Token::Op(',') if depth == 1 => expected = true,
                Token::Name(name) if expected => {
                    expected = false;
                    if !matches!(&**name, "self" | "cls") {
                        scope.own.insert(Rc::clone(name));
                        self.parameters.insert(at);
                    }
                }
                _ => {}
            }
        }
    }

    /// What a line assigns to.
    fn assigned(&mut self, tokens: &[Lexeme], line: &Range<usize>, scope: usize) {
        let Scope { own, foreign, .. } = &mut self.all[scope];
        let name = |at: usize| match tokens.get(at).map(|lexeme| &lexeme.token) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        };
        let op = |at: usize| match tokens.get(at).map(|lexeme| &lexeme.token) {
            Some(Token::Op(op)) => Some(*op),
            _ => None,
        };
        let mut take = |at: usize| {
            if let Some(name) = name(at).filter(|name| !name.contains('.')) {
                own.insert(Rc::clone(name));
            }
        };
        match name(line.start).map(|name| &**name) {
            Some("global" | "nonlocal") => {
                foreign.extend(line.clone().skip(1).filter_map(&name).cloned());
                return;
            }
            Some("import" | "from") => return,
            _ => {}
        }
        let mut depth = 0_usize;
        for at in line.clone() {
            match op(at) {
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Some('=') => {
                    let near = |from: usize, to: usize| tokens[from].at() + 1 == tokens[to].at();
                    let before = at.checked_sub(1).filter(|before| *before >= line.start);
                    let Some(before) = before else { continue };
                    let compares = op(at + 1) == Some('=') && near(at, at + 1)
                        || near(before, at)
                            && matches!(
                                op(before),
                                Some(
                                    '=' | '!'
                                        | '<'
                                        | '>'
                                        | '+'
                                        | '-'
                                        | '*'
                                        | '/'
                                        | '|'
                                        | '&'
                                        | '^'
                                        | '%'
                                )
                            );
                    if compares {
                        continue;
                    }
                    // (x := f()), also deep inside.
                    if op(before) == Some(':') && near(before, at) && before > line.start {
                        take(before - 1);
                    } else if depth == 0 {
                        targets(tokens, line.start..at, &mut take);
                    }
                }
                _ => {}
            }
            match name(at).map(|name| &**name) {
                Some("for") => {
                    let end = line.end.min(at + MAX_TARGETS);
                    let Some(word) =
                        (at + 1..end).find(|i| matches!(name(*i).map(|name| &**name), Some("in")))
                    else {
                        continue;
                    };
                    (at + 1..word).for_each(&mut take);
                }
                Some("as") if at > line.start => take(at + 1),
                _ => {}
            }
        }
    }

    /// The function whose own a name is that stands in another or in it, by its number and one more.
    fn owner(&self, mut scope: u32, name: &str) -> u32 {
        while let Some(at) = (scope as usize).checked_sub(1) {
            let Scope { parent, own, foreign } = &self.all[at];
            if own.contains(name) && !foreign.contains(name) {
                return scope;
            }
            scope = parent.map_or(0, |parent| u32::try_from(parent + 1).unwrap_or(0));
        }
        0
    }

    fn mark(&self, tokens: &mut [Lexeme]) {
        let mut owners: Vec<Option<u32>> = Vec::with_capacity(tokens.len());
        let mut shared: HashSet<Rc<str>> = self.declared.clone();
        for at in 0..tokens.len() {
            let owner =
                self.root(tokens, at).map(|root| (self.owner(self.of_token[at], root), root));
            if let Some((0, root)) = owner {
                shared.insert(root.into());
            }
            owners.push(owner.map(|(owner, _)| owner));
        }
        let mut marked = Marked { shared, ..Marked::default() };
        for at in 0..tokens.len() {
            let new = match &tokens[at].token {
                Token::Name(name) => {
                    let Some(owner) = owners[at].filter(|owner| *owner > 0) else { continue };
                    let root = root_of(name);
                    marked.name(root, owner).map(|root_marked| {
                        Token::Name(format!("{root_marked}{}", &name[root.len()..]).into())
                    })
                }
                Token::Text(text) if self.of_token[at] > 0 && text.contains('{') => self
                    .text(text, self.of_token[at], &mut marked)
                    .map(|text| Token::Text(text.into())),
                _ => None,
            };
            if let Some(new) = new {
                tokens[at].token = new;
            }
        }
    }

    /// The first part of a name that is one of a variable.
    fn root<'t>(&self, tokens: &'t [Lexeme], at: usize) -> Option<&'t str> {
        let Token::Name(name) = &tokens[at].token else { return None };
        let op = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|l| &l.token) {
            Some(Token::Op(op)) => Some(*op),
            _ => None,
        };
        let before = op(at.checked_sub(1));
        let keyword = matches!(before, Some('(' | ','))
            && op(Some(at + 1)) == Some('=')
            && op(Some(at + 2)) != Some('=')
            && is_in_call(tokens, at)
            && !self.parameters.contains(&at);
        let root = root_of(name);
        let names_variable =
            before != Some('.') && !keyword && !root.is_empty() && !self.keys.contains(&at);
        names_variable.then_some(root)
    }

    /// A text whose braces name variables: `f"{cmd} --all"`.
    fn text(&self, text: &str, scope: u32, marked: &mut Marked) -> Option<String> {
        let mut new = String::new();
        let mut done = 0;
        for (open, _) in text.match_indices('{') {
            let rest = &text[open + 1..];
            let length =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let ends = rest[length..].starts_with(['}', '.', '[', '!', ':', '(']);
            let name = &rest[..length];
            if length == 0 || !ends {
                continue;
            }
            let owner = self.owner(scope, name);
            if let Some(name) = marked.name(name, owner).filter(|_| owner > 0) {
                new.push_str(&text[done..=open]);
                new.push_str(&name);
                done = open + 1 + length;
            }
        }
        (done > 0).then(|| new + &text[done..])
    }
}

/// Which function has a name as it is written, and which have it marked.
#[derive(Default)]
struct Marked {
    /// Names that are not one function's own.
    shared: HashSet<Rc<str>>,
    numbers: HashMap<(Rc<str>, u32), usize>,
    counts: HashMap<Rc<str>, usize>,
}

impl Marked {
    /// The name of a function's own variable, where it is another than is written.
    fn name(&mut self, root: &str, owner: u32) -> Option<String> {
        let root: Rc<str> = root.into();
        let first = usize::from(self.shared.contains(&root));
        let count = self.counts.entry(Rc::clone(&root)).or_insert(first);
        let number = *self.numbers.entry((Rc::clone(&root), owner)).or_insert_with(|| {
            *count += 1;
            *count - 1
        });
        if number == 0 {
            return None;
        }
        let digits = number.to_string();
        let digits = digits.bytes().map(|digit| MARKS[usize::from(digit - b'0')]);
        Some(root.chars().chain(digits).collect())
    }
}

fn root_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Whether a name with an equals sign behind it stands in the parentheses of a call: `a, b = f()` does not.
fn is_in_call(tokens: &[Lexeme], at: usize) -> bool {
    let mut depth = 0_usize;
    for lexeme in tokens[..at].iter().rev().take(MAX_KEYWORDS) {
        match lexeme.token {
            Token::Op(')' | ']' | '}') => depth += 1,
            Token::Op('(') if depth == 0 => return true,
            Token::Op('(' | '[' | '{') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    false
}

/// The names right before an equals sign: `a`, `a, b`, `(a, *b)`, `a: str`.
fn targets(tokens: &[Lexeme], range: Range<usize>, take: &mut impl FnMut(usize)) {
    // x: Type = …
    if let (Some(Token::Name(_)), Some(Token::Op(':'))) = (
        tokens.get(range.start).map(|lexeme| &lexeme.token),
        tokens.get(range.start + 1).map(|lexeme| &lexeme.token),
    ) {
        take(range.start);
        return;
    }
    let mut expected = true;
    for at in range.rev().take(MAX_TARGETS) {
        match &tokens[at].token {
            Token::Name(_) if expected => {
                take(at);
                expected = false;
            }
            Token::Op(',') => expected = true,
            Token::Op('(' | ')' | '*') => {}
            _ => return,
        }
    }
}

/// The lines of code, each with the ones that its brackets go over.
fn lines(tokens: &[Lexeme]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, lexeme) in tokens.iter().enumerate() {
        match lexeme.token {
            Token::Op('(' | '[' | '{') => depth += 1,
            Token::Op(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Line if depth == 0 => {
                if start < at {
                    found.push(start..at);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < tokens.len() {
        found.push(start..tokens.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn names(code: &str) -> Vec<String> {
        let mut tokens = lex(code, Language::Python);
        tell_apart(&mut tokens, Language::Python);
        let named = tokens.into_iter().filter_map(|lexeme| match lexeme.token {
            Token::Name(name) => Some(name.to_string()),
            Token::Text(text) => Some(format!("'{text}'")),
            _ => None,
        });
        named.collect()
    }

    #[test]
    fn one_name_of_two_functions_is_two() {
        let code =
            "def f(a):\n    b = a.x\n    return b\ndef g(a):\n    b = a.x\n    h(a=f'{b} {c}')\n";
        assert_eq!(
            names(code),
            [
                "def",
                "f",
                "a",
                "b",
                "a.x",
                "return",
                "b",
                "def",
                "g",
                "a¹",
                "b¹",
                "a¹.x",
                "h",
                "a",
                "'{b¹} {c}'",
                "b¹",
                "c"
            ]
        );
    }

    #[test]
    fn what_the_module_or_a_function_around_has_stays_the_same() {
        let code = "x = 1\ndef f():\n    global x\n    x = 2\n    y = x\n    def g():\n        nonlocal y\n        y = x\n    return y\ndef h():\n    x = 3\n";
        assert_eq!(
            names(code),
            [
                "x", "def", "f", "global", "x", "x", "y", "x", "def", "g", "nonlocal", "y", "y",
                "x", "return", "y", "def", "h", "x¹"
            ]
        );
    }

    #[test]
    fn loops_blocks_and_lists_bind_names() {
        let code = "def f():\n    for a, b in c:\n        pass\n    with d as e: pass\n    if (g := h): pass\ndef i():\n    return a, b, c, d, e, g\n";
        assert_eq!(
            names(code),
            [
                "def", "f", "for", "a¹", "b¹", "in", "c", "pass", "with", "d", "as", "e¹", "pass",
                "if", "g¹", "h", "pass", "def", "i", "return", "a", "b", "c", "d", "e", "g"
            ]
        );
    }

    #[test]
    fn as_many_functions_inside_each_other_are_told_apart() {
        let nested = |depth: usize| {
            let mut code = String::new();
            for level in 0..depth {
                code.push_str(&" ".repeat(level));
                code.push_str("def f():\n");
            }
            code.push_str(&" ".repeat(depth));
            code.push_str("x = 1\n");
            code.push_str(&" ".repeat(depth - 1));
            code.push_str("x = 2\n");
            names(&code).pop()
        };
        assert_eq!(nested(MAX_NESTED).as_deref(), Some("x¹"));
        assert_eq!(nested(MAX_NESTED + 1).as_deref(), Some("x"));
    }

    #[test]
    fn as_many_names_are_assigned_at_once() {
        let code = |count: usize| {
            let before = "b, ".repeat(count - 1);
            names(&format!("def f():\n    a = 1\ndef g():\n    a, {before}c = d\n"))
        };
        let is_marked = |count: usize| {
            let names = code(count);
            let behind = names.iter().position(|name| name == "g").map_or(0, |at| at + 1);
            names[behind] == "a¹"
        };
        // Each name with its comma, and the last one.
        assert!(is_marked(MAX_TARGETS / 2 - 1));
        assert!(!is_marked(MAX_TARGETS / 2 + 1));
    }

    #[test]
    fn a_keyword_stands_so_far_behind_its_parenthesis() {
        let code = |between: usize| {
            let given = "1, ".repeat(between / 2);
            let code = format!("def f():\n    a = 1\ndef g():\n    a = 2\n    h({given}a=a)\n");
            names(&code).into_iter().rev().nth(1)
        };
        assert_eq!(code(MAX_KEYWORDS - 2).as_deref(), Some("a"));
        assert_eq!(code(MAX_KEYWORDS + 2).as_deref(), Some("a¹"));
    }
}
