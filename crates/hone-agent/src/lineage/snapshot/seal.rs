//! Keys for snapshots, and what they seal.
//!
//! A master key is 32 bytes in a file of its owner, or comes from a passphrase by Argon2id with a salt
//! that lies beside the snapshots. Every agent has its own key, derived by HKDF-SHA256. What is sealed is
//! bound to where it belongs: it opens as nothing else. Without a key nothing is ever sealed.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{Key, KeyInit as _, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::super::digest::{from_hex, to_hex};
use super::error::SnapshotError;

/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Bytes of a nonce.
pub(super) const NONCE_BYTES: usize = 24;
/// Bytes that sealing adds: a nonce and a tag.
pub(super) const SEAL_BYTES: usize = NONCE_BYTES + 16;
/// Bytes of a passphrase at least.
pub const MIN_PASSPHRASE_BYTES: usize = 12;
/// Memory of Argon2id in KiB that is asked for, and that is the least that is accepted.
pub const MIN_MEMORY_KIB: u32 = 64 * 1024;
/// Memory of Argon2id in KiB that a store may ask for.
pub const MAX_MEMORY_KIB: u32 = 1024 * 1024;
/// Passes of Argon2id that are asked for, and that are the least that is accepted.
pub const MIN_PASSES: u32 = 3;
/// Passes of Argon2id that a store may ask for.
pub const MAX_PASSES: u32 = 16;

/// What opens and seals snapshots.
pub enum Secret {
    /// A master key.
    Key(Zeroizing<[u8; KEY_BYTES]>),
    /// What a master key comes from.
    Passphrase(Zeroizing<String>),
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Key(_) => "Secret::Key",
            Self::Passphrase(_) => "Secret::Passphrase",
        })
    }
}

impl Secret {
    /// The master key in a file of exactly 32 bytes that only its owner may read.
    pub fn read(path: &Path) -> Result<Self, SnapshotError> {
        let wrong = |why: String| SnapshotError::Key { what: format!("`{}`", path.display()), why };
        let mut file = File::open(path).map_err(|error| wrong(error.to_string()))?;
        let about = fs::symlink_metadata(path).map_err(|error| wrong(error.to_string()))?;
        if !about.is_file() {
            return Err(wrong("it is no file".to_owned()));
        }
        if about.mode() & 0o077 != 0 {
            let mode = about.mode() & 0o777;
            return Err(wrong(format!("others may read it (mode {mode:o}); chmod 600 it")));
        }
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        if about.len() != KEY_BYTES as u64 || file.read_exact(&mut *key).is_err() {
            return Err(wrong(format!("it is {} bytes long, not {KEY_BYTES}", about.len())));
        }
        Ok(Self::Key(key))
    }

    /// A passphrase of at least [`MIN_PASSPHRASE_BYTES`].
    pub fn passphrase(text: Zeroizing<String>) -> Result<Self, SnapshotError> {
        if text.len() < MIN_PASSPHRASE_BYTES {
            let why = format!("it is shorter than {MIN_PASSPHRASE_BYTES} bytes");
            return Err(SnapshotError::Key { what: "the passphrase".to_owned(), why });
        }
        Ok(Self::Passphrase(text))
    }
}

/// How a passphrase becomes a master key; lies in the open beside the snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Derivation {
    schema: String,
    salt: String,
    memory_kib: u32,
    passes: u32,
}

const DERIVATION_SCHEMA: &str = "hone/snapshot-key/1";

impl Derivation {
    pub(super) fn new() -> Result<Self, SnapshotError> {
        let salt: [u8; 16] = random()?;
        Ok(Self {
            schema: DERIVATION_SCHEMA.to_owned(),
            salt: to_hex(&salt),
            memory_kib: MIN_MEMORY_KIB,
            passes: MIN_PASSES,
        })
    }

    /// The master key of a passphrase. A store that asks for less work than we would wants to guess the
    /// passphrase, one that asks for much more wants to stop us: both are refused.
    pub(super) fn key(
        &self,
        passphrase: &str,
    ) -> Result<Zeroizing<[u8; KEY_BYTES]>, SnapshotError> {
        let wrong = |why: String| SnapshotError::damaged("key.json", why);
        if self.schema != DERIVATION_SCHEMA {
            return Err(wrong(format!("`schema` is not `{DERIVATION_SCHEMA}`")));
        }
        if !(MIN_MEMORY_KIB..=MAX_MEMORY_KIB).contains(&self.memory_kib) {
            let range = format!("{MIN_MEMORY_KIB} to {MAX_MEMORY_KIB}");
            return Err(wrong(format!("`memoryKib` is {}, not {range}", self.memory_kib)));
        }
        if !(MIN_PASSES..=MAX_PASSES).contains(&self.passes) {
            let range = format!("{MIN_PASSES} to {MAX_PASSES}");
            return Err(wrong(format!("`passes` is {}, not {range}", self.passes)));
        }
        let salt: [u8; 16] =
            from_hex(&self.salt).ok_or_else(|| wrong("`salt` is not 32 digits".to_owned()))?;
        let params = Params::new(self.memory_kib, self.passes, 1, Some(KEY_BYTES))
            .map_err(|error| wrong(error.to_string()))?;
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.as_bytes(), &salt, &mut *key)
            .map_err(|error| wrong(error.to_string()))?;
        Ok(key)
    }
}

/// The key of one agent.
#[derive(Clone)]
pub(super) struct AgentKey {
    cipher: XChaCha20Poly1305,
    /// Tells one key from another and nothing about either.
    pub(super) id: [u8; 16],
}

impl AgentKey {
    pub(super) fn derive(master: &[u8; KEY_BYTES], agent: &str) -> Result<Self, SnapshotError> {
        let derivation = Hkdf::<Sha256>::new(Some(b"hone/snapshot/1"), master);
        let (mut key, mut id) = (Zeroizing::new([0; KEY_BYTES]), [0; 16]);
        let wrong = |_| SnapshotError::Agent(agent.to_owned());
        derivation.expand(&bound(&[b"seal", agent.as_bytes()]), &mut *key).map_err(wrong)?;
        derivation.expand(&bound(&[b"id", agent.as_bytes()]), &mut id).map_err(wrong)?;
        Ok(Self { cipher: XChaCha20Poly1305::new(&Key::from(*key)), id })
    }

    /// Seals bytes so that they open with the same `bound` only: nonce, ciphertext, tag.
    pub(super) fn seal(&self, bound: &[u8], bytes: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let nonce: [u8; NONCE_BYTES] = random()?;
        let payload = Payload { msg: bytes, aad: bound };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload);
        let what = || SnapshotError::TooLarge { what: "what is sealed".to_owned(), most: 1 << 38 };
        let mut whole = nonce.to_vec();
        whole.extend_from_slice(&sealed.map_err(|_| what())?);
        Ok(whole)
    }

    /// What was sealed, or nothing when it is not exactly that.
    pub(super) fn open(&self, bound: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        self.cipher.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: bound }).ok()
    }
}

/// Parts as one text that no other parts make.
pub(super) fn bound(parts: &[&[u8]]) -> Vec<u8> {
    let mut whole = Vec::new();
    for part in parts {
        whole.extend_from_slice(&(part.len() as u64).to_be_bytes());
        whole.extend_from_slice(part);
    }
    whole
}

pub(super) fn random<const N: usize>() -> Result<[u8; N], SnapshotError> {
    let mut bytes = [0; N];
    let failed = |error: getrandom::Error| SnapshotError::Key {
        what: "a random number".to_owned(),
        why: error.to_string(),
    };
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_key_and_its_place_alone() {
        let key = AgentKey::derive(&[1; 32], "ada").unwrap();
        let sealed = key.seal(b"here", b"text").unwrap();
        assert_eq!(sealed.len(), 4 + SEAL_BYTES);
        assert_eq!(key.open(b"here", &sealed).as_deref(), Some(&b"text"[..]));
        assert_eq!(key.open(b"there", &sealed), None);
        let others = [([1; 32], "bob"), ([2; 32], "ada")];
        for (master, agent) in others {
            let other = AgentKey::derive(&master, agent).unwrap();
            assert_eq!(other.open(b"here", &sealed), None, "{agent}");
            assert_ne!(other.id, key.id);
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(key.open(b"here", &changed), None, "byte {at}");
            assert_eq!(key.open(b"here", &sealed[..at]), None, "cut at {at}");
        }
    }

    #[test]
    fn parts_that_only_look_alike_when_joined_are_bound_differently() {
        assert_ne!(bound(&[b"ab", b"c"]), bound(&[b"a", b"bc"]));
        assert_ne!(bound(&[b"ab"]), bound(&[b"ab", b""]));
    }

    #[test]
    fn a_key_file_is_32_bytes_and_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let write = |bytes: usize, mode: u32| {
            fs::write(&path, vec![7; bytes]).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            Secret::read(&path).map_err(|error| error.to_string())
        };
        assert!(matches!(write(32, 0o600), Ok(Secret::Key(key)) if *key == [7; 32]));
        assert!(write(31, 0o600).unwrap_err().contains("31 bytes"));
        assert!(write(33, 0o600).unwrap_err().contains("33 bytes"));
        assert!(write(32, 0o640).unwrap_err().contains("mode 640"));
        fs::remove_file(&path).unwrap();
        assert!(Secret::read(&path).is_err());
    }

    #[test]
    fn a_passphrase_has_a_least_length() {
        let given = |length| Secret::passphrase(Zeroizing::new("x".repeat(length)));
        assert!(given(MIN_PASSPHRASE_BYTES).is_ok());
        assert!(given(MIN_PASSPHRASE_BYTES - 1).is_err());
    }

    #[test]
    fn a_store_can_ask_for_neither_less_nor_much_more_work() {
        let good = Derivation::new().unwrap();
        let refused = |change: &dyn Fn(&mut Derivation)| {
            let mut changed = good.clone();
            change(&mut changed);
            changed.key("correct horse").is_err()
        };
        assert!(refused(&|asked| asked.memory_kib = MIN_MEMORY_KIB - 1));
        assert!(refused(&|asked| asked.memory_kib = MAX_MEMORY_KIB + 1));
        assert!(refused(&|asked| asked.passes = MIN_PASSES - 1));
        assert!(refused(&|asked| asked.passes = MAX_PASSES + 1));
        assert!(refused(&|asked| asked.salt.truncate(8)));
        assert!(refused(&|asked| asked.schema = "hone/snapshot-key/2".to_owned()));
        assert!(!refused(&|_| {}), "the least is accepted");
    }
}
