//! What answers of the protocol are made of.

use std::fmt::Write as _;

use hone_agent::step::Outcome;
use rmcp::model::{CallToolResult, ErrorData, GetPromptResponse, GetPromptResult};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::manifest;
use crate::tools::MAX_RESULT_CHARS;

/// A result from its JSON: what is not ours to choose stays at its default. That it is complete is told
/// to clients of the newer era, and taken out again for the others.
pub(crate) fn made<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A file as a resource: text as it is, other bytes in base64.
pub(crate) fn contents(address: &str, file: &str, bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => {
            json!({"uri": address, "mimeType": manifest::media_type(file, true), "text": text})
        }
        Err(error) => {
            let blob = base64(error.as_bytes());
            json!({"uri": address, "mimeType": manifest::media_type(file, false), "blob": blob})
        }
    }
}

/// Bytes as base64.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// A prompt that became a message of the user.
pub(crate) fn prompted(description: &str, text: &str) -> Result<GetPromptResponse, ErrorData> {
    let result: GetPromptResult = made(json!({
        "description": description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }))?;
    Ok(result.into())
}

/// The answer to a call of a tool from a character on, cut where a client would drown.
pub(crate) fn told(
    outcome: Outcome,
    text: &str,
    offset: usize,
) -> Result<CallToolResult, ErrorData> {
    let start = text.char_indices().nth(offset).map_or(text.len(), |(start, _)| start);
    let rest = &text[start..];
    let end = rest.char_indices().nth(MAX_RESULT_CHARS).map_or(rest.len(), |(end, _)| end);
    let mut shown = rest[..end].to_owned();
    if end < rest.len() {
        let next = offset + MAX_RESULT_CHARS;
        let _ = write!(shown, "\n[more: call again with `offset` {next}]");
    } else if offset > 0 && rest.is_empty() {
        shown.push_str("There is nothing at this offset.");
    }
    made(json!({"content": [{"type": "text", "text": shown}], "isError": outcome != Outcome::Ok}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_standard_one() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }
}
