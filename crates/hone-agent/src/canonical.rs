//! JSON with one spelling for one value, so that equal values have equal hashes.
//!
//! The form of RFC 8785: keys sorted by UTF-16 units, no blanks, numbers as JavaScript writes them. Whole
//! numbers beyond 2^53 keep their digits, where the RFC would round them.

use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// The canonical text of a value.
///
/// ```
/// use hone_agent::canonical::canonical;
///
/// let value = serde_json::json!({"b": [1.0, 1e21, 0.002], "a": "\u{e9}\n"});
/// assert_eq!(canonical(&value), "{\"a\":\"é\\n\",\"b\":[1,1e+21,0.002]}");
/// ```
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => push_number(out, number),
        Value::String(text) => push_text(out, text),
        Value::Array(values) => {
            out.push('[');
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(out, value);
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut entries: Vec<(&String, &Value)> = object.iter().collect();
            entries.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (place, (key, value)) in entries.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                push_text(out, key);
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
    }
}

/// JSON's own escapes: those of the RFC.
fn push_text(out: &mut String, text: &str) {
    let _ = write!(out, "{}", Value::from(text));
}

fn push_number(out: &mut String, number: &Number) {
    let text = number.to_string();
    if number.is_f64() { push_float(out, &text) } else { out.push_str(&text) }
}

/// As ECMAScript's `Number::toString` does, from a text with the fewest digits that give the same number.
fn push_float(out: &mut String, shortest: &str) {
    let (sign, shortest) = shortest.strip_prefix('-').map_or(("", shortest), |rest| ("-", rest));
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let digits = all.trim_start_matches('0');
    // The decimal point stands after this many digits.
    let point = exponent.parse().unwrap_or(0) + length(whole) - (length(&all) - length(digits));
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        out.push('0');
        return;
    }
    let (count, exponent) = (length(digits), point - 1);
    out.push_str(sign);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if (count..=21).contains(&point) {
        out.push_str(digits);
        out.push_str(&zeros(point - count));
    } else if (1..=21).contains(&point) {
        let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or(0));
        let _ = write!(out, "{whole}.{rest}");
    } else if (-5..=0).contains(&point) {
        let _ = write!(out, "0.{}{digits}", zeros(-point));
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let _ = write!(out, "{first}{dot}{rest}e{exponent:+}");
    }
}

fn length(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_written_as_in_the_samples_of_the_rfc() {
        // RFC 8785, appendix B, by bit pattern.
        for (bits, expected) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(canonical(&json!(f64::from_bits(bits))), expected);
        }
    }

    #[test]
    fn keys_are_sorted_by_utf_16_units_and_big_whole_numbers_keep_their_digits() {
        let value =
            json!({"\u{ff5e}": 1, "\u{1f600}": 2, "10": 3, "1": 12_345_678_901_234_567_890_u64});
        let expected = "{\"1\":12345678901234567890,\"10\":3,\"\u{1f600}\":2,\"\u{ff5e}\":1}";
        assert_eq!(canonical(&value), expected);
    }
}
