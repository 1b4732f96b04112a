//! For whom a task is done, and who may read what it leaves.

use std::fmt;

use hone_skill::Slug;
use sha2::{Digest, Sha256};

use crate::brain::members;

/// Longest name of a subscriber, in bytes.
pub const MAX_SUBSCRIBER_BYTES: usize = 256;

/// For whom a task is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subscriber {
    /// The person who owns the agent.
    #[default]
    Owner,
    /// Somebody else, by a name of 1 to 256 bytes that can be seen.
    Named(String),
}

/// A name that no subscriber can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a subscriber has a name of 1 to {MAX_SUBSCRIBER_BYTES} bytes without control characters")]
pub struct NotASubscriber;

impl Subscriber {
    /// The subscriber of that name.
    pub fn named(name: &str) -> Result<Self, NotASubscriber> {
        let is_good = !name.trim().is_empty()
            && name.len() <= MAX_SUBSCRIBER_BYTES
            && !name.contains(|c: char| c.is_control() || hone_skill::is_hidden(c));
        if is_good { Ok(Self::Named(name.to_owned())) } else { Err(NotASubscriber) }
    }

    /// As the database has it: empty for the owner, whom no name can mean.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Owner => "",
            Self::Named(name) => name,
        }
    }

    pub(crate) fn from_text(text: String) -> Self {
        if text.is_empty() { Self::Owner } else { Self::Named(text) }
    }

    /// The member of a brain that holds what is known about the subscriber. Two names never share
    /// one, whatever their slugs.
    pub fn file(&self) -> String {
        match self {
            Self::Owner => members::USER.to_owned(),
            Self::Named(name) => {
                const SLUG_CHARS: usize = 40;
                let slug = Slug::new(name).map_or(String::new(), |slug| slug.as_str().to_owned());
                let slug = slug.get(..SLUG_CHARS).unwrap_or(&slug).trim_end_matches('-');
                let dash = if slug.is_empty() { "" } else { "-" };
                format!("{}/{slug}{dash}{}.md", members::USERS, digest(name))
            }
        }
    }

    /// What marks a word of the search index as this subscriber's; no text can contain it.
    pub(crate) fn mark(&self) -> String {
        format!("\u{a7}{}", digest(self.as_text()))
    }
}

impl fmt::Display for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner => f.write_str("owner"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

/// Sixteen hexadecimal digits that tell names apart.
fn digest(name: &str) -> String {
    use fmt::Write as _;
    let mut text = String::new();
    for byte in &Sha256::digest(name.as_bytes())[..8] {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
