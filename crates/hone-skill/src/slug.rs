//! Slugs: the one name of a skill that is safe in a path, a command and a key.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::limits::MAX_NAME_CHARS;

/// Hex digits of the digest that keeps names in other scripts apart.
const DIGEST_CHARS: usize = 8;

/// A lower-case ASCII name: letters and digits in groups joined by single hyphens, at most 64
/// characters. Deterministic: the same declared name always gives the same slug.
///
/// ```
/// use hone_skill::Slug;
///
/// assert_eq!(Slug::new("Oracle Manipulation!")?.as_str(), "oracle-manipulation");
/// assert_eq!(Slug::new("git_helper")?.as_str(), "git-helper");
/// assert_ne!(Slug::new("技能")?, Slug::new("部署")?);
/// assert!(Slug::new("!!!").is_err());
/// # Ok::<(), hone_skill::NoSlug>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

/// A name without a single letter or digit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` has no letter or digit to make a slug from", .0.escape_debug())]
pub struct NoSlug(
    /// The name as declared.
    pub String,
);

impl Slug {
    /// The slug of a declared name.
    ///
    /// Accents are dropped (`Café` → `cafe`). A name with letters outside Latin keeps its ASCII
    /// part and gets a digest of the whole, so that two such names never meet.
    pub fn new(name: &str) -> Result<Self, NoSlug> {
        if is_slug(name) {
            return Ok(Self(name.to_owned()));
        }
        let mut slug = String::new();
        let mut needs_digest = false;
        for c in name.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else {
                needs_digest |= c.is_alphanumeric();
                if !slug.is_empty() && !slug.ends_with('-') {
                    slug.push('-');
                }
            }
        }
        if needs_digest {
            let folded: String = name.nfkc().flat_map(char::to_lowercase).collect();
            let digest = Sha256::digest(folded.trim().as_bytes());
            slug.truncate(MAX_NAME_CHARS - DIGEST_CHARS - 1);
            if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            slug.extend(digest[..DIGEST_CHARS / 2].iter().flat_map(|byte| {
                [byte >> 4, byte & 15]
                    .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
            }));
        }
        slug.truncate(MAX_NAME_CHARS);
        let slug = slug.trim_end_matches('-');
        if slug.is_empty() { Err(NoSlug(name.to_owned())) } else { Ok(Self(slug.to_owned())) }
    }

    /// The slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Only what is a slug already: a stored slug may end up in a path.
impl TryFrom<String> for Slug {
    type Error = NoSlug;

    fn try_from(text: String) -> Result<Self, NoSlug> {
        match Self::new(&text) {
            Ok(slug) if slug.0 == text => Ok(slug),
            _ => Err(NoSlug(text)),
        }
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Slug {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Whether a text is its own slug, as most names are.
fn is_slug(text: &str) -> bool {
    let well_formed = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    text.len() <= MAX_NAME_CHARS && text.split('-').all(well_formed)
}

/// Whether two declared names mean the same skill: equal but for case, blanks, hyphens and
/// sentence marks. `C++` and `C#` share a slug but are not the same name.
///
/// ```
/// assert!(hone_skill::same_name("Oracle Manipulation!", "oracle-manipulation"));
/// assert!(!hone_skill::same_name("C++", "C#"));
/// ```
pub fn same_name(a: &str, b: &str) -> bool {
    fn fold(name: &str) -> String {
        let mut folded = String::new();
        for c in name.nfkc().flat_map(char::to_lowercase) {
            let separator = c.is_whitespace()
                || matches!(
                    c,
                    '_' | '-' | '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '(' | ')' | '/'
                );
            if !separator {
                folded.push(c);
            } else if !folded.is_empty() && !folded.ends_with('-') {
                folded.push('-');
            }
        }
        folded.trim_end_matches('-').to_owned()
    }
    fold(a) == fold(b)
}
