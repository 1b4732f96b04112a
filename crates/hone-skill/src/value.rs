//! A frontmatter value as plain data, with numbers kept as they were written.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// A YAML value. Map keys keep their order; a number keeps its spelling (`1.10` stays `1.10`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`, as written.
    Bool(String),
    /// An integer or float, as written.
    Number(String),
    /// Any other scalar.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// A map; of duplicate keys only the last one is here.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The text of a scalar other than null.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Bool(text) | Self::Number(text) | Self::String(text) => Some(text),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The value under `key` when this is a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// A boolean as agents write them: true/false, yes/no, on/off, 1/0, in any case.
    pub fn as_bool(&self) -> Option<bool> {
        let text = self.text()?;
        if ["true", "yes", "on", "1"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
            Some(true)
        } else if ["false", "no", "off", "0"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
            Some(false)
        } else {
            None
        }
    }

    /// The scalar texts of a list; a single scalar is a list of one, split at commas. A list that
    /// was quoted whole (`"[a, b]"`) is still one.
    pub fn words(&self) -> Vec<String> {
        let word = |text: &str| text.trim().trim_matches(['"', '\'']).trim().to_owned();
        let words: Vec<String> = match self {
            Self::List(items) => items.iter().filter_map(Value::text).map(word).collect(),
            other => {
                let text = other.text().unwrap_or_default().trim();
                let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                inside.unwrap_or(text).split(',').map(word).collect()
            }
        };
        words.into_iter().filter(|word| !word.is_empty()).collect()
    }

    /// What a plain (unquoted) scalar means in YAML 1.2's core schema.
    pub(crate) fn from_plain(text: &str) -> Self {
        let owned = text.to_owned();
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Self::Bool(owned),
            _ if is_number(text) => Self::Number(owned),
            _ => Self::String(owned),
        }
    }
}

fn is_number(text: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if let Some(hex) = text.strip_prefix("0x") {
        return !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit());
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return !octal.is_empty() && octal.bytes().all(|b| (b'0'..=b'7').contains(&b));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let mantissa_is_number = match mantissa.split_once('.') {
        Some((whole, part)) => {
            (digits(whole) && (part.is_empty() || digits(part)))
                || (whole.is_empty() && digits(part))
        }
        None => digits(mantissa),
    };
    mantissa_is_number && exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e)))
}

/// Whether a plain text is anything but a number that JSON does not have.
pub(crate) fn is_json_number(text: &str) -> bool {
    !is_number(text) || integer(text).is_some() || text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn integer(text: &str) -> Option<i64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8).ok();
    }
    text.parse().ok()
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(text) => serializer.serialize_bool(text.eq_ignore_ascii_case("true")),
            Self::Number(text) => match (integer(text), text.parse::<f64>()) {
                (Some(number), _) => serializer.serialize_i64(number),
                (None, Ok(number)) if number.is_finite() => serializer.serialize_f64(number),
                _ => serializer.serialize_str(text),
            },
            Self::String(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
