//! `[model]`, `[[mcp]]` and `[[secrets]]` of the configuration: what an agent asks, whose tools it may call,
//! and what it may fetch with.

use serde::Deserialize;

/// What a model is asked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wire {
    /// The chat API that OpenAI made: also Ollama, llama.cpp, LM Studio, vLLM and the routers.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Nothing: the model is a GGUF file and runs inside the program, if that was built for it.
    Gguf,
}

impl Wire {
    /// Its name in the configuration.
    pub fn id(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gguf => "gguf",
        }
    }
}

/// Longest time that one reply may take, in seconds.
pub const MAX_MODEL_TIMEOUT: u64 = 3_600;

/// The key of a model in the configuration. It is never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ApiKey(String);

impl ApiKey {
    /// The key, to be sent and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// `[model]`: which model an agent asks. Without it, one is looked for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// What it is asked by.
    pub backend: Option<Wire>,
    /// Where its server is.
    pub base_url: Option<String>,
    /// The model's name there, or its file.
    pub name: Option<String>,
    /// The variable of the environment that holds the key.
    pub api_key_env: Option<String>,
    /// The key itself; nobody but its owner may read a file with one.
    pub api_key: Option<ApiKey>,
    /// Tokens of one reply at most.
    pub max_tokens: u32,
    /// How freely to choose words; 0 to 2.
    pub temperature: f64,
    /// How long one reply may take, in seconds.
    pub timeout: u64,
    /// What a million tokens that go in cost; the price is known when both are.
    pub price_in: Option<f64>,
    /// What a million tokens that come out cost; the price is known when both are.
    pub price_out: Option<f64>,
    /// Tokens of one task at most, in and out.
    pub task_tokens: Option<u64>,
    /// What one task may cost at most.
    pub task_cost: Option<f64>,
    /// Whether to offer tools by the server's own function calling.
    pub native_tools: bool,
    /// Whether replies come piece by piece.
    pub stream: bool,
    /// Whether the server is to hold the model to the form of a reply, where it can.
    pub constrain: bool,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            backend: None,
            base_url: None,
            name: None,
            api_key_env: None,
            api_key: None,
            max_tokens: 4_096,
            temperature: 0.1,
            timeout: 300,
            price_in: None,
            price_out: None,
            task_tokens: None,
            task_cost: None,
            native_tools: false,
            stream: true,
            constrain: false,
        }
    }
}

impl ModelSettings {
    /// What a value is that cannot be.
    pub(crate) fn problem(&self) -> Option<String> {
        let wrong = |key: &str, must: &str| Some(format!("`model.{key}` must be {must}"));
        let amounts = [
            ("price_in", self.price_in),
            ("price_out", self.price_out),
            ("task_cost", self.task_cost),
        ];
        if let Some((key, _)) =
            amounts.iter().find(|(_, value)| value.is_some_and(|v| !v.is_finite() || v < 0.0))
        {
            return wrong(key, "0 or more");
        }
        if !(0.0..=2.0).contains(&self.temperature) {
            return wrong("temperature", "between 0 and 2");
        }
        if !(1..=MAX_MODEL_TIMEOUT).contains(&self.timeout) {
            return wrong("timeout", &format!("between 1 and {MAX_MODEL_TIMEOUT} seconds"));
        }
        if self.max_tokens == 0 {
            return wrong("max_tokens", "1 or more");
        }
        if self.api_key.as_ref().is_some_and(|key| key.0.trim().is_empty()) {
            return wrong("api_key", "a key");
        }
        if self.api_key.is_some() && self.api_key_env.is_some() {
            return Some(
                "`model.api_key` and `model.api_key_env` both name a key; keep one".to_owned(),
            );
        }
        None
    }
}

/// Longest name of a secret, in bytes.
pub const MAX_SECRET_NAME_BYTES: usize = 32;

/// Most secrets.
pub const MAX_SECRETS: usize = 16;

/// `[[secrets]]`: what an agent may fetch with, by name, and the one origin that gets it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FetchSecret {
    /// What the agent calls it.
    pub name: String,
    /// Where it may go, such as `https://api.example.com`.
    pub origin: String,
    /// The variable of the environment that holds it.
    pub env: String,
}

impl FetchSecret {
    /// What is wrong with a list of secrets.
    pub(crate) fn problem(secrets: &[Self]) -> Option<String> {
        if secrets.len() > MAX_SECRETS {
            return Some(format!(
                "there are {} `[[secrets]]`, {MAX_SECRETS} are the most",
                secrets.len()
            ));
        }
        for (index, Self { name, origin, env }) in secrets.iter().enumerate() {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            if name.is_empty() || name.len() > MAX_SECRET_NAME_BYTES || !name.bytes().all(is_plain)
            {
                return Some(format!(
                    "`{name}` cannot be the name of a secret: use up to {MAX_SECRET_NAME_BYTES} letters, digits, `-` and `_`"
                ));
            }
            if secrets[..index].iter().any(|earlier| earlier.name == *name) {
                return Some(format!("two secrets are called `{name}`"));
            }
            let host = origin.strip_prefix("https://").map(|rest| rest.trim_end_matches('/'));
            if host.is_none_or(|host| host.is_empty() || host.contains(['/', '?', '#', '@'])) {
                return Some(format!(
                    "`origin` of the secret `{name}` must be like https://api.example.com, not `{origin}`"
                ));
            }
            if env.trim().is_empty() {
                return Some(format!("`env` of the secret `{name}` must name a variable"));
            }
        }
        None
    }
}

/// Longest name of an MCP server, in bytes.
pub const MAX_MCP_NAME_BYTES: usize = 32;

/// Most MCP servers.
pub const MAX_MCP_SERVERS: usize = 16;

/// `[[mcp]]`: a server whose tools an agent may call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    /// Its name, which its tools carry.
    pub name: String,
    /// The program that is the server.
    #[serde(default)]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables of the environment that the program gets, besides those that every program needs.
    #[serde(default)]
    pub env: Vec<String>,
    /// The address of a server that runs already.
    #[serde(default)]
    pub url: Option<String>,
    /// The variable that holds the key for that address.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// The tools to take; all without it.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// How long one call may take, in seconds.
    #[serde(default = "usual_timeout")]
    pub timeout: u64,
}

fn usual_timeout() -> u64 {
    60
}

impl McpServer {
    /// What is wrong with a list of servers.
    pub(crate) fn problem(servers: &[Self]) -> Option<String> {
        if servers.len() > MAX_MCP_SERVERS {
            return Some(format!(
                "there are {} `[[mcp]]`, {MAX_MCP_SERVERS} are the most",
                servers.len()
            ));
        }
        for (index, server) in servers.iter().enumerate() {
            let name = &server.name;
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            if name.is_empty()
                || name.len() > MAX_MCP_NAME_BYTES
                || !name.bytes().all(is_plain)
                || name.contains("__")
            {
                return Some(format!(
                    "`{name}` cannot be the name of an MCP server: use up to {MAX_MCP_NAME_BYTES} letters, digits, `-` and single `_`"
                ));
            }
            if servers[..index].iter().any(|earlier| earlier.name == *name) {
                return Some(format!("two MCP servers are called `{name}`"));
            }
            if server.command.is_some() == server.url.is_some() {
                return Some(format!(
                    "the MCP server `{name}` needs a `command` or a `url`, and not both"
                ));
            }
            if server.url.is_some() && !(server.args.is_empty() && server.env.is_empty()) {
                return Some(format!(
                    "the MCP server `{name}` has a `url`, so `args` and `env` have no use"
                ));
            }
            if !(1..=MAX_MODEL_TIMEOUT).contains(&server.timeout) {
                return Some(format!(
                    "`timeout` of the MCP server `{name}` must be between 1 and {MAX_MODEL_TIMEOUT}"
                ));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_model_that_cannot_be_are_named() {
        let model = |change: fn(&mut ModelSettings)| {
            let mut settings = ModelSettings::default();
            change(&mut settings);
            settings.problem()
        };
        assert_eq!(model(|_| {}), None);
        assert_eq!(model(|m| (m.temperature, m.timeout) = (2.0, MAX_MODEL_TIMEOUT)), None);
        let problems = [
            model(|m| m.temperature = 2.1),
            model(|m| m.timeout = 0),
            model(|m| m.timeout = MAX_MODEL_TIMEOUT + 1),
            model(|m| m.max_tokens = 0),
            model(|m| m.price_in = Some(-1.0)),
            model(|m| m.task_cost = Some(f64::NAN)),
        ];
        assert_eq!(
            problems.map(Option::unwrap),
            [
                "`model.temperature` must be between 0 and 2",
                "`model.timeout` must be between 1 and 3600 seconds",
                "`model.timeout` must be between 1 and 3600 seconds",
                "`model.max_tokens` must be 1 or more",
                "`model.price_in` must be 0 or more",
                "`model.task_cost` must be 0 or more",
            ]
        );
    }

    #[test]
    fn a_key_is_not_printed_and_stands_in_one_place() {
        let file = "backend = \"openai\"\napi_key = \"sk-live-0123456789\"\n";
        let settings: ModelSettings = toml_edit::de::from_str(file).unwrap();
        assert_eq!(settings.problem(), None);
        assert_eq!(settings.api_key.as_ref().unwrap().expose(), "sk-live-0123456789");
        assert!(!format!("{settings:?}").contains("0123"), "{settings:?}");
        let both: ModelSettings =
            toml_edit::de::from_str("api_key = \"k\"\napi_key_env = \"KEY\"\n").unwrap();
        assert_eq!(
            both.problem().unwrap(),
            "`model.api_key` and `model.api_key_env` both name a key; keep one"
        );
        let empty: ModelSettings = toml_edit::de::from_str("api_key = \" \"\n").unwrap();
        assert_eq!(empty.problem().unwrap(), "`model.api_key` must be a key");
    }

    #[test]
    fn secrets_have_a_plain_name_once_one_origin_and_a_variable() {
        let secret = |name: &str, origin: &str, env: &str| FetchSecret {
            name: name.to_owned(),
            origin: origin.to_owned(),
            env: env.to_owned(),
        };
        let named = |name: &str| secret(name, "https://api.example.com", "KEY");
        let problem = |secrets: &[FetchSecret]| FetchSecret::problem(secrets);
        assert_eq!(problem(&[named("a"), secret("b-2_c", "https://localhost:8443/", "B")]), None);
        assert_eq!(problem(&[named(&"n".repeat(MAX_SECRET_NAME_BYTES))]), None);
        for wrong in ["", "a b", "é", &"n".repeat(MAX_SECRET_NAME_BYTES + 1)] {
            let found = problem(&[named(wrong)]).unwrap();
            assert!(found.contains("cannot be the name of a secret"), "{found}");
        }
        assert_eq!(problem(&[named("a"), named("a")]).unwrap(), "two secrets are called `a`");
        for wrong in ["", "http://api.example.com", "https://", "https://a/b", "https://u@a"] {
            let found = problem(&[secret("a", wrong, "KEY")]).unwrap();
            assert!(found.starts_with("`origin` of the secret `a` must be like"), "{found}");
        }
        let found = problem(&[secret("a", "https://a", " ")]).unwrap();
        assert_eq!(found, "`env` of the secret `a` must name a variable");
        let many = |most: usize| (0..most).map(|n| named(&format!("s{n}"))).collect::<Vec<_>>();
        assert_eq!(problem(&many(MAX_SECRETS)), None);
        assert_eq!(
            problem(&many(MAX_SECRETS + 1)).unwrap(),
            "there are 17 `[[secrets]]`, 16 are the most"
        );
    }

    #[test]
    fn servers_of_tools_have_a_plain_name_once_and_one_way_to_reach_them() {
        let servers = |text: &str| {
            #[derive(Deserialize)]
            struct File {
                mcp: Vec<McpServer>,
            }
            let file: File = toml_edit::de::from_str(text).unwrap();
            McpServer::problem(&file.mcp)
        };
        let named = |name: &str| format!("[[mcp]]\nname = \"{name}\"\ncommand = \"x\"\n");
        assert_eq!(servers(&(named("a") + &named("b-2_c"))), None);
        assert_eq!(servers(&named(&"n".repeat(MAX_MCP_NAME_BYTES))), None);
        for wrong in ["", "a b", "a__b", "é", &"n".repeat(MAX_MCP_NAME_BYTES + 1)] {
            let problem = servers(&named(wrong)).unwrap();
            assert!(problem.contains("cannot be the name of an MCP server"), "{problem}");
        }
        assert_eq!(servers(&(named("a") + &named("a"))).unwrap(), "two MCP servers are called `a`");
        let both = "the MCP server `a` needs a `command` or a `url`, and not both";
        assert_eq!(servers(&(named("a") + "url = \"http://localhost/\"")).unwrap(), both);
        assert_eq!(servers("[[mcp]]\nname = \"a\"\n").unwrap(), both);
        let many: String = (0..=MAX_MCP_SERVERS).map(|n| named(&format!("s{n}"))).collect();
        assert_eq!(servers(&many).unwrap(), "there are 17 `[[mcp]]`, 16 are the most");
    }
}
