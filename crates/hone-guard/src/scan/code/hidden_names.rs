//! Functions whose names a reader is not to see: put together from pieces, or chosen from all that the
//! language has by an expression.

use super::lexer::Token;
use super::unit::Unit;
use crate::scan::finding::Severity;
use crate::scan::findings::Match;
use crate::scan::kind::Language;
use crate::scan::rules;

/// Names of dangerous functions put together from pieces.
pub(super) fn built_names(unit: &Unit<'_>, report: &mut impl FnMut(usize, Match)) {
    const WORDS: [&str; 26] = [
        "exec",
        "eval",
        "system",
        "popen",
        "subprocess",
        "child_process",
        "os",
        "__import__",
        "compile",
        "getattr",
        "builtins",
        "__builtins__",
        "base64",
        "b64decode",
        "urlopen",
        "requests",
        "socket",
        "execSync",
        "spawn",
        "Function",
        "constructor",
        "urllib.request",
        "invoke-expression",
        "iex",
        "Invoke-Expression",
        "urllib",
    ];
    let tokens = &unit.tokens;
    let mut at = 0;
    while at + 2 < tokens.len() {
        let Token::Text(first) = &tokens[at].token else {
            at += 1;
            continue;
        };
        let mut joined = first.to_string();
        let mut pieces = 1;
        let mut next = at + 1;
        while let (Some(Token::Op('+' | '.')), Some(Token::Text(piece))) =
            (tokens.get(next).map(|s| &s.token), tokens.get(next + 1).map(|s| &s.token))
        {
            joined.push_str(piece);
            pieces += 1;
            next += 2;
            if joined.len() > 64 {
                break;
            }
        }
        if pieces >= 2 && WORDS.contains(&joined.as_str()) && first.len() < joined.len() {
            report(
                tokens[at].at(),
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Critical,
                    format!("the name `{joined}` is put together from pieces"),
                ),
            );
        }
        at = next.max(at + 1);
    }
}

/// `vars(builtins)[pick(4, 2)]`, `builtins.__dict__[name]`: a function of the language itself, chosen
/// when the code runs.
pub(super) fn chosen_builtins(unit: &Unit<'_>, report: &mut impl FnMut(usize, Match)) {
    if unit.passage.language != Language::Python {
        return;
    }
    let token = |at: usize| unit.tokens.get(at).map(|lexeme| &lexeme.token);
    for at in 0..unit.tokens.len() {
        let Some(Token::Name(name)) = token(at) else { continue };
        let argument = match (token(at + 1), token(at + 2), token(at + 3)) {
            (Some(Token::Op('(')), Some(Token::Name(inner)), Some(Token::Op(')'))) => Some(inner),
            _ => None,
        };
        let open = match (&**name, argument.map(|text| &**text)) {
            ("vars", Some("builtins" | "__builtins__")) => at + 4,
            ("builtins.__dict__" | "__builtins__.__dict__" | "__builtins__", None) => at + 1,
            _ => continue,
        };
        let written = matches!(
            (token(open), token(open + 1), token(open + 2)),
            (Some(Token::Op('[')), Some(Token::Text(_)), Some(Token::Op(']')))
        );
        if token(open) == Some(&Token::Op('[')) && !written {
            let message = "the function that is called is put together or chosen when it runs";
            let found = Match::new(&rules::OBFUSCATED_CODE, Severity::Warn, message);
            report(unit.tokens[at].at(), found);
        }
    }
}
