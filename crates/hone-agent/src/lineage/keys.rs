//! The keys that sign: Ed25519, one per agent, in a folder that only its owner may enter.
//!
//! A private key is a PKCS #8 file as other programs write it, with mode 0600. One that others may read
//! is refused. A public key is given as a PEM file or as 64 hexadecimal digits.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, DecodePublicKey as _, EncodePrivateKey as _};
use ed25519_dalek::{Signer as _, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use super::digest::{from_hex, to_hex};

/// Bytes of a key file at most.
const MAX_KEY_BYTES: u64 = 4096;

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file could not be read or written.
    #[error("the key `{path}`: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Others may read it.
    #[error(
        "the key `{path}` may be read by others (mode {mode:o}); make it yours alone: chmod 600 {path}"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It is no Ed25519 key.
    #[error("`{path}` is no Ed25519 private key (PKCS #8, PEM)")]
    NoPrivateKey {
        /// The file.
        path: PathBuf,
    },
    /// It is no Ed25519 key.
    #[error("`{0}` is no Ed25519 public key: give 64 hexadecimal digits or a PEM file")]
    NoPublicKey(String),
    /// The system gave no randomness.
    #[error("the system gave no randomness for a key: {0}")]
    Random(String),
}

/// A private key.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A public key, written as 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl SigningKey {
    /// A new one.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| KeyError::Random(error.to_string()))?;
        Ok(Self::from_seed(&seed))
    }

    /// The one that a seed stands for; for test vectors.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The seed that it is made of, to be sealed.
    pub(super) fn seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes())
    }

    /// Reads one, and refuses a file that others may read.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |error| KeyError::Io { path: path.to_owned(), error };
        let about = fs::symlink_metadata(path).map_err(failed)?;
        if !about.is_file() || about.len() > MAX_KEY_BYTES {
            return Err(KeyError::NoPrivateKey { path: path.to_owned() });
        }
        if about.mode() & 0o077 != 0 {
            return Err(KeyError::Open { path: path.to_owned(), mode: about.mode() & 0o777 });
        }
        let text = fs::read_to_string(path).map_err(failed)?;
        let key = ed25519_dalek::SigningKey::from_pkcs8_pem(&text);
        key.map(Self).map_err(|_| KeyError::NoPrivateKey { path: path.to_owned() })
    }

    /// Writes it to a file that is not there yet, for its owner alone: whole, or not at all.
    pub fn write(&self, path: &Path) -> Result<(), KeyError> {
        let failed = |error| KeyError::Io { path: path.to_owned(), error };
        let text = self.0.to_pkcs8_pem(LineEnding::LF);
        let text = text.map_err(|_| KeyError::NoPrivateKey { path: path.to_owned() })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(failed)?;
        // A temporary file belongs to its owner alone.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist_noclobber(path).map_err(|error| failed(error.error))?;
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs bytes.
    pub fn sign(&self, bytes: &[u8]) -> String {
        to_hex(&self.0.sign(bytes).to_bytes())
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SigningKey({})", self.public())
    }
}

impl PublicKey {
    /// The one in a PEM file, or in 64 hexadecimal digits.
    pub fn find(given: &str) -> Result<Self, KeyError> {
        if let Ok(key) = given.parse() {
            return Ok(key);
        }
        let none = || KeyError::NoPublicKey(given.to_owned());
        let about = fs::metadata(given).map_err(|_| none())?;
        if !about.is_file() || about.len() > MAX_KEY_BYTES {
            return Err(none());
        }
        let text = fs::read_to_string(given).map_err(|_| none())?;
        text.trim().parse().or_else(|_| {
            VerifyingKey::from_public_key_pem(&text)
                .map_err(|_| none())
                .and_then(|key| Self::strong(&key).ok_or_else(none))
        })
    }

    /// Whether a signature over these bytes is this key's.
    pub fn verifies(&self, bytes: &[u8], signature: &str) -> bool {
        let Some(signature) = from_hex(signature) else { return false };
        let signature = ed25519_dalek::Signature::from_bytes(&signature);
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(bytes, &signature).is_ok())
    }

    /// None for a key of small order, which verifies signatures over anything.
    fn strong(key: &VerifyingKey) -> Option<Self> {
        (!key.is_weak()).then(|| Self(key.to_bytes()))
    }
}

impl std::fmt::Display for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let none = || KeyError::NoPublicKey(text.to_owned());
        let key = from_hex(text).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        key.as_ref().and_then(Self::strong).ok_or_else(none)
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_survives_its_file_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys/auditor.pem");
        let key = SigningKey::generate().unwrap();
        key.write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(SigningKey::read(&path).unwrap().public(), key.public());
        assert!(matches!(key.write(&path), Err(KeyError::Io { .. })), "never over another key");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = SigningKey::read(&path).unwrap_err();
        assert!(matches!(error, KeyError::Open { mode: 0o640, .. }), "{error}");
    }

    #[test]
    fn a_public_key_is_digits_or_a_file_of_them() {
        let key = SigningKey::from_seed(&[7; 32]).public();
        let digits = key.to_string();
        assert_eq!(PublicKey::find(&digits).unwrap(), key);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pub");
        fs::write(&path, format!("{digits}\n")).unwrap();
        assert_eq!(PublicKey::find(path.to_str().unwrap()).unwrap(), key);
        for wrong in ["", "zz", &digits[1..], &"00".repeat(32), "/nowhere/at/all"] {
            assert!(PublicKey::find(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_signature_is_for_its_bytes_and_its_key() {
        let (key, other) = (SigningKey::from_seed(&[1; 32]), SigningKey::from_seed(&[2; 32]));
        let signature = key.sign(b"text");
        assert!(key.public().verifies(b"text", &signature));
        assert!(!key.public().verifies(b"texT", &signature));
        assert!(!other.public().verifies(b"text", &signature));
        assert!(!key.public().verifies(b"text", &signature[2..]));
        assert!(!key.public().verifies(b"text", &signature.to_uppercase()));
    }
}
