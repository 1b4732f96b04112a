//! `[model]` and `[[mcp]]` of the configuration: what an agent asks, and whose tools it may call.

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
    /// The variable of the environment that holds the key. The key itself never stands in the file.
    pub api_key_env: Option<String>,
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
