//! Tokens for MCP servers. Each is for one origin and goes nowhere else, whatever a lock file names.

use std::fmt;

use url::Url;

/// The variable that holds them.
pub(crate) const VARIABLE: &str = "HONE_MCP_TOKENS";

/// Tokens by the origin of their server.
#[derive(Clone, Default)]
pub struct Tokens(Vec<(String, String)>);

impl Tokens {
    /// Reads `https://host=TOKEN` and more of them, with blanks between. What is none is passed over.
    pub fn read(text: &str) -> Self {
        let pair = |pair: &str| {
            let (server, token) = pair.split_once('=')?;
            let origin = Url::parse(server).ok()?.origin();
            (origin.is_tuple() && !token.is_empty())
                .then(|| (origin.ascii_serialization(), token.to_owned()))
        };
        Self(text.split_whitespace().filter_map(pair).collect())
    }

    /// The token for a server.
    pub(super) fn of(&self, url: &Url) -> Option<&str> {
        let origin = url.origin().ascii_serialization();
        self.0.iter().find(|(known, _)| *known == origin).map(|(_, token)| token.as_str())
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter().map(|(origin, _)| origin)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_origin_and_is_not_shown() {
        let tokens =
            Tokens::read("https://a.example=one http://127.0.0.1:80=t=w\tnothing =x data:=y");
        let of = |url: &str| tokens.of(&Url::parse(url).unwrap()).map(str::to_owned);
        assert_eq!(of("https://a.example/mcp"), Some("one".to_owned()));
        assert_eq!(of("https://a.example:443/other"), Some("one".to_owned()));
        assert_eq!(of("http://127.0.0.1/mcp"), Some("t=w".to_owned()));
        for other in [
            "http://a.example/mcp",
            "https://a.example:8443/mcp",
            "https://b.a.example/mcp",
            "https://a.example.org/mcp",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(format!("{tokens:?}"), r#"["https://a.example", "http://127.0.0.1"]"#);
    }
}
