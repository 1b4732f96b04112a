//! JSON with one spelling for one value, so that equal values have equal hashes.
//!
//! The form of RFC 8785: keys sorted by UTF-16 units, no blanks, numbers as JavaScript writes them. A whole
//! number beyond 2^53 is rounded as JavaScript would, so nothing that must be told apart is such a number.

use serde::Serialize;

/// The canonical text of a value.
///
/// ```
/// use hone_agent::canonical::canonical;
///
/// let value = serde_json::json!({"b": [1.0, 1e21, 0.002], "a": "\u{e9}\n"});
/// assert_eq!(canonical(&value), "{\"a\":\"é\\n\",\"b\":[1,1e+21,0.002]}");
/// ```
pub fn canonical(value: &impl Serialize) -> String {
    // What is written here has text for keys and finite numbers, which is all that can fail.
    serde_json_canonicalizer::to_string(value).unwrap_or_default()
}

/// SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    hone_library::hash(text.as_bytes())
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
    fn keys_are_sorted_by_utf_16_units() {
        let value = json!({"\u{ff5e}": 1, "\u{1f600}": 2, "10": 3, "1": 4});
        let expected = "{\"1\":4,\"10\":3,\"\u{1f600}\":2,\"\u{ff5e}\":1}";
        assert_eq!(canonical(&value), expected);
    }
}
