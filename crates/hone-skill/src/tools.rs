//! The permissions grammar of `allowed-tools`: `Bash(git add *) Read`, as text or as a list.

use crate::value::Value;

/// Splits a tool list at blanks and commas outside parentheses.
///
/// ```
/// assert_eq!(hone_skill::split_tools("Bash(git add *), Read"), ["Bash(git add *)", "Read"]);
/// ```
pub fn split_tools(text: &str) -> Vec<String> {
    let mut tools = Vec::new();
    let mut tool = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            if !tool.is_empty() {
                tools.push(std::mem::take(&mut tool));
            }
        } else {
            tool.push(c);
        }
    }
    if !tool.is_empty() {
        tools.push(tool);
    }
    tools
}

/// Whether a tool list separates its tools by commas.
pub(crate) fn has_commas(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == ','
    })
}

/// The tools of an `allowed-tools` value, whatever its form.
pub(crate) fn tools_of(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => items
            .iter()
            .filter_map(Value::text)
            .map(|text| text.trim().to_owned())
            .filter(|tool| !tool.is_empty())
            .collect(),
        other => other.text().map(split_tools).unwrap_or_default(),
    }
}
