//! The JSON of the server's tokens.

use schemars::JsonSchema;
use serde::Serialize;

/// `hone serve token list --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<Token>,
}

/// A token, without itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Token {
    pub(crate) name: String,
    /// `read`, `write`, `run`.
    pub(crate) roles: Vec<&'static str>,
    /// When it was made.
    pub(crate) made: String,
}
