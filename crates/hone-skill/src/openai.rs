//! Codex' side file `agents/openai.yaml`, as far as it decides who may load a skill.

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
        if bytes.len() > crate::limits::MAX_FRONTMATTER_BYTES {
            return closed("it is too large");
        }
        let Ok(text) = std::str::from_utf8(bytes) else { return closed("it is not UTF-8") };
        let root = match yaml::parse(text, 0, &mut Spent::default()) {
            Ok(root) => root.map_or(Value::Null, |node| node.to_value()),
            Err(YamlError::Syntax { message, at } | YamlError::Limit { message, at }) => {
                let line = text[..at.min(text.len())].matches('\n').count() + 1;
                return closed(&format!("line {line}: {message}"));
            }
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
