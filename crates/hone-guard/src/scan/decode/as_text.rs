//! Decoded bytes as texts: of one or two bytes a letter, packed or not. Pictures, programs and noise are no
//! texts.

use std::io::Read as _;

/// Whether [`text_of`] may find a text in bytes.
pub(super) fn may_be_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 256;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_text || is_packed(bytes) || is_wide(bytes)
}

fn is_packed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1F, 0x8B, ..] | [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// Whether each letter has two bytes, of which the second says nothing.
pub(super) fn is_wide(bytes: &[u8]) -> bool {
    bytes.len() >= 2 * MIN_TEXT
        && bytes.len().is_multiple_of(2)
        && bytes.iter().skip(1).step_by(2).filter(|b| **b == 0).count() * 10 > bytes.len() / 2 * 9
}

/// Bytes that one packed text may unpack to.
pub(super) const MAX_UNPACKED: usize = 1024 * 1024;

/// What bytes unpack to, to a length; `None` when they are not packed.
pub(super) fn unpack(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    match bytes {
        [0x1F, 0x8B, ..] => inflate(flate2::read::GzDecoder::new(bytes), most),
        [0x78, ..] if is_packed(bytes) => inflate(flate2::read::ZlibDecoder::new(bytes), most),
        _ => None,
    }
}

/// The text of what was packed, or its readable stretches.
pub(super) fn text_of_unpacked(bytes: &[u8]) -> Option<(&'static str, String)> {
    text_of(bytes, "packed text").or_else(|| strings(bytes).map(|text| ("packed code", text)))
}

/// Fewest bytes that are a text.
const MIN_TEXT: usize = 6;

/// The text that bytes are, unpacked where they are packed; `None` when they are no text.
pub(super) fn text_of(bytes: &[u8], how: &'static str) -> Option<(&'static str, String)> {
    if let Some(unpacked) = unpack(bytes, MAX_UNPACKED) {
        return text_of_unpacked(&unpacked);
    }
    if bytes.len() < MIN_TEXT {
        return None;
    }
    let wide = is_wide(bytes);
    let text = if wide {
        let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect()
    } else {
        String::from_utf8(bytes.to_vec()).ok()?
    };
    let count = text.chars().count();
    let odd = text
        .chars()
        .filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t') || *c == '\u{FFFD}')
        .count();
    let plain = text
        .chars()
        .filter(|c| c.is_alphanumeric() || c.is_ascii_punctuation() || c.is_whitespace())
        .count();
    (odd * 50 <= count && plain * 10 >= count * 9).then_some((how, text))
}

/// The readable stretches of packed code, such as a marshalled Python object.
pub(super) fn strings(bytes: &[u8]) -> Option<String> {
    let text: Vec<String> = bytes
        .split(|b| !(b' '..=b'~').contains(b))
        .filter(|piece| piece.len() >= 4)
        .map(|piece| String::from_utf8_lossy(piece).into_owned())
        .collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

fn inflate(reader: impl std::io::Read, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // A damaged stream still gives what came before the damage.
    let _ = reader.take(most as u64).read_to_end(&mut bytes);
    (!bytes.is_empty()).then_some(bytes)
}
