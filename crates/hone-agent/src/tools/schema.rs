//! Checks arguments against the JSON schema of a tool.
//!
//! The part of JSON Schema that tools use: types, required fields, fields that are not known, choices,
//! bounds, lengths and items. Each problem names its field. Keywords beyond that are left to the tool.

use serde_json::Value;

/// Most problems that are told at once.
pub const MAX_PROBLEMS: usize = 8;

/// Deepest value that is checked; below, the tool decides.
const MAX_DEPTH: usize = 16;

/// What is wrong with arguments: one sentence for each field, at most [`MAX_PROBLEMS`].
///
/// ```
/// use hone_agent::tools::schema::problems;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"path": {"type": "string"}, "lines": {"type": "integer", "minimum": 1}},
///     "required": ["path"],
///     "additionalProperties": false,
/// });
/// assert_eq!(problems(&schema, &json!({"path": "a", "lines": 3})), Vec::<String>::new());
/// assert_eq!(
///     problems(&schema, &json!({"lines": 0, "page": 1})),
///     [
///         "`path` is missing",
///         "`lines` must be at least 1, not 0",
///         "`page` is not an argument; there are `lines` and `path`"
///     ]
/// );
/// ```
pub fn problems(schema: &Value, arguments: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if arguments.is_object() {
        check(schema, arguments, "", 0, &mut found);
    } else {
        found.push(format!("the arguments must be an object, not {}", kind(arguments)));
    }
    found.truncate(MAX_PROBLEMS);
    found
}

fn check(schema: &Value, value: &Value, path: &str, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH || found.len() >= MAX_PROBLEMS {
        return;
    }
    if let Some(types) = schema.get("type")
        && !types_of(types).any(|wanted| is_type(value, wanted))
    {
        let types: Vec<String> = types_of(types).map(with_article).collect();
        found.push(format!("`{path}` must be {}, not {}", types.join(" or "), kind(value)));
        return;
    }
    if let Some(Value::Array(choices)) = schema.get("enum")
        && !choices.contains(value)
    {
        let known: Vec<String> =
            choices.iter().map(|choice| format!("`{}`", plain(choice))).collect();
        found.push(format!("`{path}` must be one of {}, not `{}`", known.join(", "), plain(value)));
    }
    if let Some(number) = value.as_f64() {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            found.push(format!("`{path}` must be at least {least}, not {number}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            found.push(format!("`{path}` must be at most {most}, not {number}"));
        }
    }
    match value {
        Value::String(text) => {
            lengths(
                schema,
                ["minLength", "maxLength"],
                text.chars().count(),
                "characters",
                path,
                found,
            );
        }
        Value::Array(items) => {
            lengths(schema, ["minItems", "maxItems"], items.len(), "items", path, found);
            if let Some(of_item) = schema.get("items") {
                for (place, item) in items.iter().enumerate() {
                    check(of_item, item, &format!("{path}[{place}]"), depth + 1, found);
                }
            }
        }
        Value::Object(object) => {
            let known = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                if !object.contains_key(name) {
                    found.push(format!("`{}` is missing", below(path, name)));
                }
            }
            for (name, value) in object {
                if found.len() >= MAX_PROBLEMS {
                    return;
                }
                match known.and_then(|known| known.get(name)) {
                    Some(schema) => check(schema, value, &below(path, name), depth + 1, found),
                    None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                        let mut names: Vec<String> = known
                            .into_iter()
                            .flatten()
                            .map(|(name, _)| format!("`{name}`"))
                            .collect();
                        names.sort_unstable();
                        let there = match names.split_last() {
                            None => "there are none".to_owned(),
                            Some((only, [])) => format!("there is {only}"),
                            Some((last, rest)) => {
                                format!("there are {} and {last}", rest.join(", "))
                            }
                        };
                        let name = below(path, name);
                        found.push(format!("`{name}` is not an argument; {there}"));
                    }
                    None => {}
                }
            }
        }
        _ => {}
    }
}

fn lengths(
    schema: &Value,
    [least, most]: [&str; 2],
    length: usize,
    unit: &str,
    path: &str,
    found: &mut Vec<String>,
) {
    let bound = |name: &str| {
        schema.get(name).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
    };
    if let Some(least) = bound(least).filter(|least| length < *least) {
        found.push(format!("`{path}` must have at least {least} {unit}, not {length}"));
    }
    if let Some(most) = bound(most).filter(|most| length > *most) {
        found.push(format!("`{path}` must have at most {most} {unit}, not {length}"));
    }
}

/// The path of a field for a message: bounded, because a model chose the name.
fn below(path: &str, name: &str) -> String {
    const MOST: usize = 64;
    let name: String = name.chars().take(MOST).flat_map(char::escape_debug).collect();
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn types_of(types: &Value) -> impl Iterator<Item = &str> {
    let one = types.as_str();
    let many = types.as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many)
}

fn is_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        // A type that is not known is for the tool.
        _ => true,
    }
}

fn with_article(wanted: &str) -> String {
    match wanted {
        "integer" => "a whole number".to_owned(),
        "object" | "array" => format!("an {wanted}"),
        "null" => "null".to_owned(),
        other => format!("a {other}"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn plain(value: &Value) -> String {
    const MOST: usize = 64;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(MOST).flat_map(char::escape_debug).collect()
}
