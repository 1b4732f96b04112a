//! Texts whose letters are turned: by thirteen places, round, or by XOR with one constant byte. A turned text
//! counts only when it says more than before.

use super::as_text::{is_wide, text_of};
use super::speech::speaks;

/// How addresses and sentences look when each letter is turned by thirteen places.
pub(super) const TURNED: [&[&str]; 4] =
    [&["uggc://"], &["uggcf://"], &[" gur ", " naq "], &[" gur ", " gb ", " nyy "]];

pub(super) fn un_rot13(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='m' | 'A'..='M' => char::from(u8::try_from(c).unwrap_or(0) + 13),
            'n'..='z' | 'N'..='Z' => char::from(u8::try_from(c).unwrap_or(0) - 13),
            other => other,
        })
        .collect()
}

/// The text behind a constant XOR, when some key gives one that speaks.
pub(super) fn unxor(bytes: &[u8]) -> Option<String> {
    const HEAD: usize = 64;
    let is_control = |b: u8| b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    (1..=255_u8).find_map(|key| {
        // Most keys give no text, which the first bytes tell.
        if !is_wide(bytes) && bytes.iter().take(HEAD).any(|b| is_control(b ^ key)) {
            return None;
        }
        let plain: Vec<u8> = bytes.iter().map(|b| b ^ key).collect();
        let (_, text) = text_of(&plain, "")?;
        (speaks(&text) >= 2).then_some(text)
    })
}
