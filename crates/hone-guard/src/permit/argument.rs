//! A word of a command as far as it is known before it runs.

use crate::shell::{Part, PartKind, Span, Word};

/// An argument.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    /// Its value, when that is known.
    pub(super) value: Option<String>,
    /// What it begins with, as far as that is known.
    pub(super) prefix: String,
    /// `~/…` with the rest known.
    pub(super) home: Option<String>,
    /// Whether it may become several words, or none.
    pub(super) splits: bool,
    /// Whether it is a number, which one ever (`$#`, `$?`).
    pub(super) is_number: bool,
    /// Where it stands in the text that is being checked.
    pub(super) span: Span,
    /// Where its value stands, when that is there byte for byte.
    pub(super) inside: Option<usize>,
}

impl Argument {
    pub(super) fn new(word: &Word) -> Self {
        let value = word.literal().map(std::borrow::Cow::into_owned);
        let starts_at_home =
            matches!(word.parts.first(), Some(Part { kind: PartKind::Tilde(_), .. }));
        let prefix = match &value {
            Some(value) => value.clone(),
            None if starts_at_home => "~".to_owned(),
            None => word.static_prefix(),
        };
        let inside = match word.parts.as_slice() {
            [Part { kind: PartKind::SingleQuoted(text), span }] if span.len() == text.len() + 2 => {
                Some(span.start + 1)
            }
            [Part { kind: PartKind::DoubleQuoted(parts), span }]
                if value.as_ref().is_some_and(|value| span.len() == value.len() + 2)
                    && parts.len() <= 1 =>
            {
                Some(span.start + 1)
            }
            [Part { kind: PartKind::Literal(text), span }] if span.len() == text.len() => {
                Some(span.start)
            }
            _ => None,
        };
        let home = match word.parts.split_first() {
            Some((Part { kind: PartKind::Tilde(user), .. }, rest)) if user.is_empty() => {
                rest.iter().map(Part::literal).collect::<Option<String>>()
            }
            _ => None,
        };
        let home = home.map(|rest| format!("~{rest}"));
        let (splits, is_number) = (splits(&word.parts), is_number(&word.parts));
        Self { value, prefix, home, splits, is_number, span: word.span.clone(), inside }
    }

    /// Something that is only known at run time.
    pub(super) fn unknown(span: Span, prefix: &str, splits: bool) -> Self {
        let prefix = prefix.to_owned();
        Self { value: None, prefix, home: None, splits, is_number: false, span, inside: None }
    }

    /// A known text.
    pub(super) fn known(span: Span, value: &str) -> Self {
        Self {
            value: Some(value.to_owned()),
            prefix: value.to_owned(),
            home: None,
            splits: false,
            is_number: false,
            span,
            inside: None,
        }
    }

    /// Its value; empty when it is not known, which is no option and no file.
    pub(super) fn text(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// Whether it is this word, or could turn out to be.
    pub(super) fn may_be(&self, word: &str) -> bool {
        match &self.value {
            Some(value) => value == word,
            None => self.splits || word.starts_with(&self.prefix),
        }
    }

    /// Whether it begins like this, or could turn out to.
    pub(super) fn may_begin(&self, start: &str) -> bool {
        match &self.value {
            Some(value) => value.starts_with(start),
            None => self.prefix.starts_with(start) || self.may_be(start),
        }
    }

    /// Whether it could turn out to be an option.
    pub(super) fn may_be_option(&self) -> bool {
        self.value.is_none()
            && (self.splits || self.prefix.is_empty() || self.prefix.starts_with(['-', '+']))
    }
}

/// Whether it is one expansion that always gives a number.
fn is_number(parts: &[Part]) -> bool {
    match parts {
        [Part { kind: PartKind::DoubleQuoted(parts), .. }] => is_number(parts),
        [Part { kind: PartKind::Parameter(parameter), .. }] => {
            parameter.operator.is_empty()
                && (parameter.length || matches!(parameter.name.as_str(), "#" | "?" | "$"))
        }
        [Part { kind: PartKind::Arithmetic(_), .. }] => true,
        _ => false,
    }
}

/// Whether an unquoted expansion, or `"$@"`, can make it several words.
fn splits(parts: &[Part]) -> bool {
    parts.iter().any(|part| match &part.kind {
        PartKind::DoubleQuoted(parts) => parts.iter().any(|part| match &part.kind {
            PartKind::Parameter(parameter) => {
                let is_all = |word: &Word| word.literal().is_none_or(|index| index == "@");
                parameter.name == "@"
                    || parameter.index.as_ref().is_some_and(is_all)
                    || parameter.indirect
            }
            _ => false,
        }),
        PartKind::Parameter(_)
        | PartKind::CommandSubstitution(_)
        | PartKind::Arithmetic(_)
        | PartKind::Glob(_)
        | PartKind::ExtendedGlob(_)
        | PartKind::Brace(_)
        | PartKind::Array(_) => true,
        PartKind::Literal(_)
        | PartKind::SingleQuoted(_)
        | PartKind::AnsiC(_)
        | PartKind::Tilde(_)
        | PartKind::ProcessSubstitution { .. } => false,
    })
}
