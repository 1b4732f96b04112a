//! Removing old snapshots, and the objects that no snapshot needs any more.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use super::super::digest::{Digest, to_hex};
use super::Snapshots;
use super::error::SnapshotError;

/// Nothing younger than this is removed: it may belong to a snapshot under way.
pub const GRACE: Duration = Duration::from_secs(24 * 3600);

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Snapshots that are left.
    pub kept: u64,
    /// Snapshots that were removed.
    pub snapshots: u64,
    /// Objects that were removed.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Snapshots<'_> {
    /// Keeps the newest `keep` snapshots and those younger than [`GRACE`], and every object that any of
    /// them needs. When one of them cannot be read, nothing is removed.
    ///
    /// `now` is in milliseconds since 1970. The receipts of what is removed are in what is kept, since
    /// every snapshot has all of them.
    pub async fn prune(&self, keep: NonZeroUsize, now: u64) -> Result<Pruned, SnapshotError> {
        let grace = i64::try_from(GRACE.as_millis()).unwrap_or(i64::MAX);
        let before = i64::try_from(now).unwrap_or(i64::MAX).saturating_sub(grace);
        // Objects are listed first: one that comes later is younger, and one of a later manifest too, or
        // it is of the newest manifest there is now, which is kept.
        let objects = self.store.list(&format!("agents/{}/objects", self.agent)).await?;
        let dated = self.dated().await?;
        let old = dated.len().saturating_sub(keep.get());
        let (gone, kept): (Vec<_>, Vec<_>) =
            dated.into_iter().enumerate().partition(|(at, (_, age))| *at < old && *age < before);
        let mut needed: HashSet<Digest> = HashSet::new();
        for (_, (number, _)) in &kept {
            let (manifest, _) = self.manifest(*number).await?;
            needed.extend(manifest.packs.iter().map(|pack| pack.name));
        }
        let needed: HashSet<String> = needed.iter().map(|name| to_hex(&name.0)).collect();
        let mut pruned = Pruned { kept: kept.len() as u64, ..Pruned::default() };
        // Snapshots go before what they need.
        for (_, (number, _)) in gone {
            self.store.delete(&self.manifest_path(number)).await?;
            pruned.snapshots += 1;
        }
        for (name, about) in objects {
            if about.last_modified.timestamp_millis() < before && !needed.contains(&name) {
                self.store.delete(&format!("agents/{}/objects/{name}", self.agent)).await?;
                pruned.objects += 1;
                pruned.bytes += about.size;
            }
        }
        Ok(pruned)
    }
}
