//! Every bound on what comes from outside, in one place. What is past a bound is refused, never cut.

use std::time::Duration;

/// Largest download of an archive or a file, in bytes.
pub const MAX_DOWNLOAD_BYTES: u64 = 25 * 1024 * 1024;
/// Most bytes that an archive may unpack to, all its files together.
pub const MAX_UNPACKED_BYTES: u64 = 50 * 1024 * 1024;
/// How many times larger than itself an archive may unpack to, beyond [`RATIO_FREE_BYTES`].
pub const MAX_RATIO: u64 = 100;
/// Unpacked bytes for which the ratio does not count: small files of blanks compress well.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;
/// Most entries of an archive, folders included.
pub const MAX_ENTRIES: usize = 10_000;
/// Deepest entry, in folders above it.
pub const MAX_FOLDERS: usize = 32;
/// Longest path of an entry, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;
/// Longest name of a file or folder, in bytes.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// Most files of one skill.
pub const MAX_SKILL_FILES: usize = 1_000;
/// Most bytes of one skill.
pub const MAX_SKILL_BYTES: u64 = 50 * 1024 * 1024;
/// Most skills of one source.
pub const MAX_SKILLS: usize = 5_000;
/// Most bytes of all skills taken from one source at once.
pub const MAX_TAKEN_BYTES: u64 = 256 * 1024 * 1024;
/// Deepest skill, in folders above its own.
pub const MAX_SKILL_DEPTH: usize = 6;

/// Most files of a repository or folder that is searched for skills.
pub const MAX_TREE_ENTRIES: usize = 200_000;
/// Most bytes of the list of a repository's files.
pub const MAX_TREE_LIST_BYTES: usize = 128 * 1024 * 1024;
/// Most bytes that git may keep on the disk for one fetch.
pub const MAX_REPOSITORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Most bytes of memory for what git holds of one fetch; packs that it only looks into do not count.
pub const MAX_GIT_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// Most bytes that are read of what git says about itself.
pub const MAX_GIT_MESSAGE_BYTES: usize = 64 * 1024;
/// Longest fetch, all its steps together.
pub const MAX_FETCH_TIME: Duration = Duration::from_secs(300);
/// Longest time in which nothing arrives.
pub const MAX_STALL_TIME: Duration = Duration::from_secs(30);

/// Largest index of a site, in bytes.
pub const MAX_INDEX_BYTES: u64 = 1024 * 1024;
/// Most skills of a site's index.
pub const MAX_INDEX_SKILLS: usize = 1_000;

/// Most bytes of the lists of an MCP server, with the manifests of all its skills.
pub const MAX_MANIFESTS_BYTES: u64 = 32 * 1024 * 1024;

/// Longest text that names a source, in bytes.
pub const MAX_SOURCE_BYTES: usize = 2_048;
