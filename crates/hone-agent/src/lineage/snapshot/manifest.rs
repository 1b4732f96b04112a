//! The list of what a snapshot holds, signed by the agent and sealed.
//!
//! A member is cut into chunks of one size, so that a change of some pages of a database costs some
//! chunks. Chunks lie in packs: objects of some megabytes that are named by the SHA-256 of what lies in
//! them. A manifest names for each chunk its digest, where it lies, and what it was sealed for. A chunk of
//! which few pages changed may be a patch of an older one, which the manifest then names as well: so
//! whatever is needed to read a snapshot stands in its own list of packs.

use std::collections::BTreeMap;
use std::io::Read as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use super::super::digest::{Digest, from_hex, to_hex};
use super::super::keys::{PublicKey, SigningKey};
use super::super::members::is_stray;
use super::super::receipt::State;
use super::super::state::{Layout, MAX_DEPTH};
use super::error::SnapshotError;
use super::seal::{AgentKey, SEAL_BYTES, bound};
use crate::canonical::canonical;

/// The format of a manifest.
pub const SCHEMA: &str = "hone/snapshot/2";
/// The format before there were patches, which is read as well.
const WHOLE_SCHEMA: &str = "hone/snapshot/1";
/// What manifests of both formats are sealed as.
const SEALED_AS: &[u8] = b"hone/snapshot/1";
/// Bytes of a chunk; the last of a member may be shorter. A multiple of every page of SQLite.
pub const CHUNK_BYTES: usize = 64 * 1024;
/// Bytes of a page: what a patch replaces as one.
pub const PAGE_BYTES: usize = 4096;
/// Pages of a chunk.
pub(super) const PAGES: usize = CHUNK_BYTES / PAGE_BYTES;
/// Bytes of a sealed chunk at most: a mark, the chunk, the seal.
pub(super) const MAX_SEALED_CHUNK: usize = 1 + CHUNK_BYTES + SEAL_BYTES;
/// A pack is closed when it has this many bytes.
pub(super) const PACK_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of a pack at most.
pub const MAX_PACK_BYTES: u64 = (PACK_BYTES + MAX_SEALED_CHUNK) as u64;
/// Bytes of a manifest at most, unpacked and packed.
pub const MAX_MANIFEST_BYTES: u64 = 128 * 1024 * 1024;
/// Bytes of a brain at most.
pub const MAX_BRAIN_BYTES: u64 = 64 * 1024 * 1024 * 1024;
/// Members of a brain at most.
pub const MAX_MEMBERS: usize = 250_000;
/// Bytes of a member's path at most.
pub const MAX_PATH_BYTES: usize = 1024;
/// What a sealed manifest starts with; the id of its key follows.
const MAGIC: &[u8; 8] = b"hone-sn1";

/// What a snapshot holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: String,
    /// Whose brain.
    pub agent: String,
    /// Its place among the snapshots of the agent, from 1.
    pub number: u64,
    /// When it was taken, in milliseconds since 1970.
    pub at: u64,
    /// The digest of the manifest before, as it lies in the store; none for the first.
    pub previous: Option<Digest>,
    /// The state of the brain.
    pub state: State,
    /// The digest of each table that is part of the state.
    pub tables: BTreeMap<String, Digest>,
    /// The receipts of the brain.
    pub receipts: ReceiptsMark,
    /// The objects that hold the chunks.
    pub packs: Vec<Pack>,
    /// The files, in the order of the bytes of their paths.
    pub members: Vec<Member>,
    /// The key that signed.
    pub key: PublicKey,
    /// The private half of it, so that a machine that has nothing can go on; left out on demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<Signer>,
}

/// A private key inside a sealed manifest.
#[derive(Clone, PartialEq, Eq)]
pub struct Signer(Zeroizing<[u8; 32]>);

impl Signer {
    pub(super) fn of(key: &SigningKey) -> Self {
        Self(key.seed())
    }

    /// The key itself.
    pub fn key(&self) -> SigningKey {
        SigningKey::from_seed(&self.0)
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer")
    }
}

impl Serialize for Signer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_hex(&*self.0))
    }
}

impl<'de> Deserialize<'de> for Signer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = || serde::de::Error::custom("a private key is 64 hexadecimal digits");
        let text = Zeroizing::new(String::deserialize(deserializer)?);
        from_hex(&text).map(|seed| Self(Zeroizing::new(seed))).ok_or_else(wrong)
    }
}

/// A chain of receipts as a snapshot names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptsMark {
    /// How many.
    pub count: u64,
    /// The digest of the last.
    pub head: Digest,
}

/// An object that holds chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// The SHA-256 of its bytes, and its name.
    pub name: Digest,
    /// How many bytes.
    pub bytes: u64,
    /// The snapshot it was made for.
    pub number: u64,
    /// The version of the brain it was made for.
    pub version: u64,
}

/// A file of a brain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its path, with `/`.
    pub path: String,
    /// How many bytes.
    pub bytes: u64,
    /// Whether it may be executed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
    /// Its chunks in order, each of [`CHUNK_BYTES`] but the last.
    pub chunks: Vec<Chunk>,
}

/// A part of a file: `[pack, offset, length, digest, path]`, and for a patch the chunk that it is a patch of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk(
    /// Which of [`Manifest::packs`].
    pub u32,
    /// Where in it.
    pub u64,
    /// Bytes there, sealed.
    pub u32,
    /// The SHA-256 of its plain bytes.
    pub Digest,
    /// The path that it was sealed for, when that is not its member's.
    pub Option<String>,
    /// The whole chunk that pages are replaced in, when this is a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub Option<Box<Chunk>>,
);

impl Chunk {
    /// The whole chunk that lies in a store: this one, or the one that it is a patch of.
    pub(super) fn whole(&self) -> &Self {
        self.5.as_deref().unwrap_or(self)
    }

    /// What has to be had from a store to read it: itself, and what it is a patch of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.5.as_deref())
    }
}

impl Member {
    /// Bytes of the chunk at a place.
    pub(super) fn chunk_bytes(&self, at: usize) -> usize {
        let rest = self.bytes - (at * CHUNK_BYTES) as u64;
        usize::try_from(rest).unwrap_or(usize::MAX).min(CHUNK_BYTES)
    }

    /// Whether two members have the same content.
    pub fn is_same(&self, other: &Self) -> bool {
        self.path == other.path
            && self.bytes == other.bytes
            && self.executable == other.executable
            && self.chunks.iter().map(|chunk| chunk.3).eq(other.chunks.iter().map(|chunk| chunk.3))
    }
}

/// What a chunk is bound to.
pub(super) fn chunk_bound(agent: &str, number: u64, version: u64, path: &str) -> Vec<u8> {
    let (number, version) = (number.to_be_bytes(), version.to_be_bytes());
    bound(&[b"hone/chunk/1", agent.as_bytes(), &number, &version, path.as_bytes()])
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed<M> {
    manifest: M,
    signature: String,
}

impl Manifest {
    fn bound(agent: &str, number: u64) -> Vec<u8> {
        bound(&[SEALED_AS, agent.as_bytes(), &number.to_be_bytes()])
    }

    /// Signed, packed and sealed, as it lies in the store.
    pub(super) fn seal(
        &self,
        signer: &SigningKey,
        key: &AgentKey,
    ) -> Result<Vec<u8>, SnapshotError> {
        let signature = signer.sign(canonical(self).as_bytes());
        let text = canonical(&Signed { manifest: self, signature });
        if text.len() as u64 > MAX_MANIFEST_BYTES {
            let what = "the list of what the brain holds".to_owned();
            return Err(SnapshotError::TooLarge { what, most: MAX_MANIFEST_BYTES });
        }
        let packed = zstd::encode_all(text.as_bytes(), 0)
            .map_err(SnapshotError::io(std::path::Path::new("manifest")))?;
        let mut whole = MAGIC.to_vec();
        whole.extend_from_slice(&key.id);
        whole.extend_from_slice(&key.seal(&Self::bound(&self.agent, self.number), &packed)?);
        Ok(whole)
    }

    /// The manifest that lies in the store under the number of an agent: opened, its signature checked
    /// against the key that it names, and every rule of its form checked. Whether that key is the
    /// agent's, the receipts must say.
    pub(super) fn open(
        sealed: &[u8],
        agent: &str,
        number: u64,
        path: &str,
        key: &AgentKey,
        layout: &Layout,
    ) -> Result<Self, SnapshotError> {
        let damaged = |why: &str| SnapshotError::damaged(path, why);
        let sealed = sealed.strip_prefix(MAGIC).ok_or_else(|| damaged("it is no manifest"))?;
        let (id, sealed) = sealed.split_first_chunk().ok_or_else(|| damaged("it is cut short"))?;
        if *id != key.id {
            return Err(SnapshotError::WrongKey { path: path.to_owned() });
        }
        let packed = key.open(&Self::bound(agent, number), sealed);
        let packed = packed.ok_or_else(|| damaged("it was changed, or is not this one"))?;
        let mut text = Vec::new();
        zstd::Decoder::new(&packed[..])
            .and_then(|decoder| decoder.take(MAX_MANIFEST_BYTES + 1).read_to_end(&mut text))
            .map_err(|error| SnapshotError::damaged(path, error.to_string()))?;
        if text.len() as u64 > MAX_MANIFEST_BYTES {
            let what = format!("`{path}`, unpacked,");
            return Err(SnapshotError::TooLarge { what, most: MAX_MANIFEST_BYTES });
        }
        let signed: Signed<Self> = serde_json::from_slice(&text)
            .map_err(|error| SnapshotError::damaged(path, error.to_string()))?;
        let manifest = signed.manifest;
        if !manifest.key.verifies(canonical(&manifest).as_bytes(), &signed.signature) {
            return Err(damaged("its signature does not fit"));
        }
        if manifest.agent != agent || manifest.number != number {
            return Err(damaged("it is another agent's, or has another number"));
        }
        manifest.check(layout).map_err(|why| SnapshotError::damaged(path, why))?;
        Ok(manifest)
    }

    /// Every rule that a manifest must keep, so that nothing below needs to ask again.
    pub(super) fn check(&self, layout: &Layout) -> Result<(), String> {
        if self.schema != SCHEMA && self.schema != WHOLE_SCHEMA {
            return Err(format!("`schema` is `{:.80}`, and known is `{SCHEMA}`", self.schema));
        }
        if self.signer.as_ref().is_some_and(|signer| signer.key().public() != self.key) {
            return Err("its private key is not the one that signed".to_owned());
        }
        if self.members.len() > MAX_MEMBERS {
            return Err(format!("more than {MAX_MEMBERS} members"));
        }
        if let Some(pack) = self.packs.iter().find(|pack| pack.bytes > MAX_PACK_BYTES) {
            return Err(format!("a pack of {} bytes, more than {MAX_PACK_BYTES}", pack.bytes));
        }
        let mut whole = 0_u64;
        let mut before: Option<&str> = None;
        for member in &self.members {
            let path = &member.path;
            check_path(path, layout).map_err(|why| format!("the member `{path:.200}` {why}"))?;
            if before.is_some_and(|before| before >= path.as_str()) {
                return Err(format!("the member `{path}` is there twice or out of order"));
            }
            before = Some(path);
            whole = whole.saturating_add(member.bytes);
            if whole > MAX_BRAIN_BYTES {
                return Err(format!("more than {MAX_BRAIN_BYTES} bytes in all"));
            }
            if member.chunks.len() as u64 != member.bytes.div_ceil(CHUNK_BYTES as u64) {
                return Err(format!("the member `{path}` has another number of chunks"));
            }
            for (at, chunk) in member.chunks.iter().enumerate() {
                if !chunk.parts().all(|part| self.has_place(part)) {
                    return Err(format!("a chunk of `{path}` lies where none can lie"));
                }
                if let Some(base) = &chunk.5
                    && (self.schema != SCHEMA
                        || base.5.is_some()
                        || member.chunk_bytes(at) != CHUNK_BYTES)
                {
                    return Err(format!("a chunk of `{path}` is a patch where none can be"));
                }
            }
        }
        // In the order of bytes, what lies in `a` need not come right after `a`.
        let files: std::collections::HashSet<&str> =
            self.members.iter().map(|member| member.path.as_str()).collect();
        for path in &files {
            let mut around = *path;
            while let Some((folder, _)) = around.rsplit_once('/') {
                if files.contains(folder) {
                    return Err(format!("the member `{folder}` is a file and a folder"));
                }
                around = folder;
            }
        }
        Ok(())
    }
}

impl Manifest {
    /// Whether a chunk lies inside of its pack.
    fn has_place(&self, Chunk(pack, offset, length, ..): &Chunk) -> bool {
        let (pack, length) = (self.packs.get(*pack as usize), u64::from(*length));
        length <= MAX_SEALED_CHUNK as u64
            && pack
                .is_some_and(|pack| offset.checked_add(length).is_some_and(|end| end <= pack.bytes))
    }
}

/// Whether a path is that of a member of a brain.
fn check_path(path: &str, layout: &Layout) -> Result<(), &'static str> {
    if path.len() > MAX_PATH_BYTES {
        return Err("has too long a path");
    }
    if path.contains('\0') {
        return Err("has a character that no path has");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("has a path that leads elsewhere");
    }
    if path.split('/').count() > MAX_DEPTH + 1 {
        return Err("lies too deep");
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    if is_stray(name) || path.split('/').any(|part| part.starts_with(".hone-")) {
        return Err("is a stray file");
    }
    let is_known = match path.split_once('/') {
        Some((folder, _)) => {
            layout.records.contains(&folder)
                || layout.folders.iter().any(|(known, _)| *known == folder)
        }
        None => {
            path == layout.database
                || layout.apart.contains(&path)
                // Packed once, and left out since.
                || layout.locks.contains(&path)
                || layout.files.iter().any(|(known, _)| *known == path)
        }
    };
    if is_known { Ok(()) } else { Err("does not belong to a brain") }
}
