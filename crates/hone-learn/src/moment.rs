//! How moments are told to programs: as text in UTC, like everywhere else in hone's JSON. Records that were
//! kept before have milliseconds since 1970, which are read as well.

use std::fmt;

use hone_library::usage::iso;
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// Writes milliseconds since 1970 as text.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(crate) fn serialize<S: Serializer>(moment: &i64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&iso(*moment))
}

/// Reads a text, or milliseconds since 1970.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    from.deserialize_any(Moment)
}

/// The same for a moment that may not be known.
pub(crate) mod option {
    use super::{Serializer, iso};

    /// Writes milliseconds since 1970 as text.
    #[expect(clippy::ref_option, reason = "serde passes fields by reference")]
    pub(crate) fn serialize<S: Serializer>(moment: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
        match moment {
            Some(moment) => to.serialize_some(&iso(*moment)),
            None => to.serialize_none(),
        }
    }
}

struct Moment;

impl Visitor<'_> for Moment {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as 2026-01-31T12:00:00Z, or milliseconds since 1970")
    }

    fn visit_i64<E: Error>(self, milliseconds: i64) -> Result<i64, E> {
        Ok(milliseconds)
    }

    fn visit_u64<E: Error>(self, milliseconds: u64) -> Result<i64, E> {
        i64::try_from(milliseconds).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<i64, E> {
        text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kept {
        #[serde(with = "super")]
        at: i64,
    }

    #[test]
    fn a_moment_is_text_and_one_that_was_kept_as_a_number_is_read_as_well() {
        let kept = Kept { at: 1_790_000_000_123 };
        let text = serde_json::to_value(&kept).unwrap();
        assert_eq!(text, json!({"at": "2026-09-21T14:13:20.123Z"}));
        assert_eq!(serde_json::from_value::<Kept>(text).unwrap(), kept);
        let old = json!({"at": 1_790_000_000_123_i64});
        assert_eq!(serde_json::from_value::<Kept>(old).unwrap(), kept);
        for odd in [json!("soon"), json!(u64::MAX), json!(null)] {
            assert!(serde_json::from_value::<Kept>(json!({"at": odd})).is_err());
        }
    }
}
