//! The arguments of a prompt, and the words that they become.
//!
//! A skill that names its arguments has those; any other has one, the words after its name.

use hone_library::{Listed, read_text};
use hone_router::{argument_names, join_arguments};
use rmcp::model::ErrorData;
use serde_json::{Map, Value, json};

use crate::mcp::wrong;

/// The argument that is all words at once. A skill with names takes it too.
const ALL: &str = "arguments";

/// The names that a skill gives its arguments.
fn names(skill: &Listed) -> Vec<String> {
    let text = read_text(skill).unwrap_or_default();
    hone_skill::read(&text, None).skill.as_ref().map(argument_names).unwrap_or_default()
}

/// The arguments of a skill, for a list.
pub(crate) fn arguments(skill: &Listed) -> Vec<Value> {
    let hint = skill.summary.argument_hint.as_deref();
    let names = names(skill);
    if names.is_empty() {
        let hint = hint.unwrap_or("what follows the skill's name");
        return vec![json!({"name": ALL, "description": hint, "required": false})];
    }
    let argument = |(at, name): (usize, &String)| match hint.filter(|_| at == 0) {
        Some(hint) => json!({"name": name, "description": hint, "required": false}),
        None => json!({"name": name, "required": false}),
    };
    names.iter().enumerate().map(argument).collect()
}

/// The words that given arguments are, in the order in which the skill names them. One that is left out
/// before another is empty.
pub(crate) fn words(skill: &Listed, given: &Map<String, Value>) -> Result<String, ErrorData> {
    let names = names(skill);
    let is_named = names.iter().any(|name| given.contains_key(name));
    let known: &[String] = if is_named { &names } else { &[ALL.to_owned()] };
    check(given, known, &names)?;
    let value = |name: &String| given.get(name).and_then(Value::as_str);
    if !is_named {
        return Ok(value(&known[0]).unwrap_or_default().to_owned());
    }
    let last = names.iter().rposition(|name| given.contains_key(name)).unwrap_or_default();
    Ok(join_arguments(names[..=last].iter().map(|name| value(name).unwrap_or_default())))
}

/// That only known arguments were given, and as text; `told` are the names that an error tells.
pub(crate) fn check(
    given: &Map<String, Value>,
    known: &[String],
    told: &[String],
) -> Result<(), ErrorData> {
    for (name, value) in given {
        if !known.contains(name) {
            let told = if told.is_empty() { known } else { told };
            let told: Vec<String> = told.iter().map(|name| format!("`{name}`")).collect();
            let told = told.join(", ");
            return Err(wrong(format!("`{name:.100}` is no argument here; there is {told}")));
        }
        if !value.is_string() {
            return Err(wrong(format!("`{name:.100}` must be text")));
        }
    }
    Ok(())
}
