//! The bytes that decoding may make in one skill, shared by everything that is decoded or unpacked. Of what
//! does not fit the start is made, and that it was short is said.

use super::as_text::{MAX_UNPACKED, unpack};

/// Bytes that decoding may give in one skill.
pub(in crate::scan) const MAX_DECODED_BYTES: usize = 4 * 1024 * 1024;

/// The bytes that decoding may still make.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(super) left: usize,
    /// Whether something did not fit.
    pub(super) is_short: bool,
}

impl Budget {
    pub(in crate::scan) fn new(bytes: usize) -> Self {
        Self { left: bytes, is_short: false }
    }

    /// Whether something did not fit since this was asked last.
    pub(in crate::scan) fn was_short(&mut self) -> bool {
        std::mem::take(&mut self.is_short)
    }

    /// Takes as much of some bytes as may still be made.
    pub(super) fn take(&mut self, bytes: &mut Vec<u8>) {
        if bytes.len() > self.left {
            self.is_short = true;
            bytes.truncate(self.left);
            // The character that the end falls into.
            if let Err(error) = std::str::from_utf8(bytes)
                && error.error_len().is_none()
            {
                bytes.truncate(error.valid_up_to());
            }
        }
        self.left -= bytes.len();
    }

    /// Unpacks bytes that are packed, as far as may still be made.
    pub(super) fn unpack(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let most = self.left.min(MAX_UNPACKED);
        // One more tells whether that is all.
        let mut unpacked = unpack(bytes, most + 1)?;
        self.is_short |= unpacked.len() > most;
        unpacked.truncate(most);
        self.left -= unpacked.len();
        Some(unpacked)
    }
}
