//! Codex' side file `agents/openai.yaml`, as far as it decides who may load a skill and says what the
//! skill needs.

use crate::value::Value;
use crate::yaml::{self, Spent, YamlError};

/// The policy of a skill's `agents/openai.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAiPolicy {
    /// A model may load the skill by itself.
    pub allow_implicit_invocation: bool,
    /// The file could not be understood; then the policy is closed.
    pub problem: Option<String>,
}

impl OpenAiPolicy {
    /// Reads the file. What cannot be understood fails closed.
    ///
    /// ```
    /// use hone_skill::OpenAiPolicy;
    ///
    /// assert!(OpenAiPolicy::read(b"interface:\n  display_name: X\n").allow_implicit_invocation);
    /// assert!(!OpenAiPolicy::read(b"policy: {allow_implicit_invocation: false}").allow_implicit_invocation);
    /// assert!(!OpenAiPolicy::read(b"policy: [broken").allow_implicit_invocation);
    /// ```
    pub fn read(bytes: &[u8]) -> Self {
        let closed = |problem: &str| Self {
            allow_implicit_invocation: false,
            problem: Some(format!(
                "agents/openai.yaml: {problem}; the model may not load the skill by itself"
            )),
        };
        let root = match parsed(bytes) {
            Ok(root) => root,
            Err(problem) => return closed(&problem),
        };
        let allow = match (&root, root.get("policy")) {
            (Value::Null, _) | (Value::Map(_), None | Some(Value::Null)) => Some(true),
            (Value::Map(_), Some(policy @ Value::Map(_))) => {
                policy.get("allow_implicit_invocation").map_or(Some(true), Value::as_bool)
            }
            _ => None,
        };
        match allow {
            Some(allow) => Self { allow_implicit_invocation: allow, problem: None },
            None => closed("`policy.allow_implicit_invocation` is not true or false"),
        }
    }
}

/// Longest `type` of a dependency, in characters.
const MAX_TOOL_KIND_CHARS: usize = 64;
/// Longest `value` and `description` of a dependency, in characters.
const MAX_TOOL_TEXT_CHARS: usize = 1_024;
/// Most dependencies that are read from one file.
const MAX_TOOLS: usize = 100;

/// Something that a skill needs, from `dependencies.tools` of `agents/openai.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAiTool {
    /// `type`: `env_var`, `mcp`, `command` …
    pub kind: String,
    /// `value`: the name of it.
    pub value: String,
    /// `description`.
    pub description: Option<String>,
}

impl OpenAiTool {
    /// The dependencies that the file declares. An entry without `type` or `value`, or with one that
    /// is too long, is left out; a file that cannot be understood is an error in words.
    ///
    /// ```
    /// let file = b"dependencies: {tools: [{type: env_var, value: TOKEN}, {type: mcp}]}";
    /// let tools = hone_skill::OpenAiTool::read(file).expect("YAML");
    /// assert_eq!((tools.len(), tools[0].value.as_str()), (1, "TOKEN"));
    /// ```
    pub fn read(bytes: &[u8]) -> Result<Vec<Self>, String> {
        let root = parsed(bytes)?;
        let Some(Value::List(entries)) = root.get("dependencies").and_then(|d| d.get("tools"))
        else {
            return Ok(Vec::new());
        };
        let text = |entry: &Value, key: &str, most: usize| {
            let text = entry.get(key)?.text()?.trim();
            (!text.is_empty() && text.chars().count() <= most).then(|| text.to_owned())
        };
        let tool = |entry: &Value| {
            Some(Self {
                kind: text(entry, "type", MAX_TOOL_KIND_CHARS)?,
                value: text(entry, "value", MAX_TOOL_TEXT_CHARS)?,
                description: text(entry, "description", MAX_TOOL_TEXT_CHARS),
            })
        };
        Ok(entries.iter().filter_map(tool).take(MAX_TOOLS).collect())
    }
}

fn parsed(bytes: &[u8]) -> Result<Value, String> {
    if bytes.len() > crate::limits::MAX_FRONTMATTER_BYTES {
        return Err("it is too large".to_owned());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    match yaml::parse(text, 0, &mut Spent::default()) {
        Ok(root) => Ok(root.map_or(Value::Null, |node| node.to_value())),
        Err(YamlError::Syntax { message, at } | YamlError::Limit { message, at }) => {
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            Err(format!("line {line}: {message}"))
        }
    }
}
