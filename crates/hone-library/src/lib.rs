//! Where do skills *live*?
//!
//! Roots and scopes, discovery with an on-disk index, the catalogue that every reader shares, and the
//! store through which every change goes: validated, atomic, locked, recorded and reversible.
//!
//! ```
//! use hone_library::{Author, Catalogue, Config, Mode, Root, Search, State, Store, Surroundings};
//!
//! # let folder = tempfile::tempdir()?;
//! let around = Surroundings {
//!     cwd: folder.path().to_owned(),
//!     user_home: folder.path().to_owned(),
//!     hone_home: folder.path().join(".hone"),
//!     platform: "linux".to_owned(),
//!     moved: Default::default(),
//! };
//! let state = State::open(&around.hone_home);
//! let author = Author { actor: "me".to_owned(), reason: "an example".to_owned(), now: 0 };
//! let root = folder.path().join("skills");
//! Store::new(&state, author, Mode::Write).create(&root, None, "Greet", "Say hello.\n", &[])?;
//!
//! let roots = vec![Root::explicit(&root, &around.cwd)?];
//! let catalogue = Catalogue::find(Search::only(roots, &around, &Config::default()), &state);
//! assert_eq!(catalogue.skills[0].summary.name, "greet");
//! assert_eq!(catalogue.skills[0].summary.description, "Say hello.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agents;
mod atomic;
mod audience;
pub mod audit;
mod builtin;
mod catalogue;
mod client;
mod commit;
mod config;
mod content;
mod cores;
pub mod derived;
mod difference;
mod dismissal;
mod error;
mod files;
mod folder;
mod history;
mod index;
mod install;
mod learn_settings;
mod ledger;
pub mod memo;
mod model_settings;
mod newborn;
mod objects;
mod patch;
mod place;
mod platform;
pub mod provenance;
mod record;
mod recovery;
pub mod reports;
mod rollback;
mod root;
mod schema;
mod scope;
mod shares;
mod snapshot_settings;
mod standing;
mod state;
mod store;
mod surroundings;
mod tally;
mod tree;
pub mod usage;
mod validate;
mod walk;
mod watch;

pub use agents::{AGENTS, Agent};
pub use atomic::{replace, sweep};
pub use audience::{Audience, Sees};
pub use catalogue::{Catalogue, Listed, Reason, Search, Skipped};
pub use client::{Client, ClientView, Shown};
pub use config::{
    Bundle, Config, DEFAULT_BUDGET, DEFAULT_DEPTH, ExtraRoot, HubSettings, Invoke, MAX_DEPTH,
    PolicySettings, Prompt, SETTINGS, SandboxSettings, Setting, Skills, with_setting,
};
pub use content::{LockedFile, content_hash, files_of, hashes_of};
pub use difference::{ChangedFile, DiffOp, changed_places, line_changes, unified};
pub use error::Error;
pub use files::{
    MAX_FILE_BYTES, MAX_FOLDERS, MAX_PATH_BYTES, MAX_SEGMENT_BYTES, SUITE_FILE, check_support_path,
    refused_name,
};
pub use history::{files_at, history};
pub use hone_skill::Origin;
pub use install::{Arrival, NewFile, OpenRoot, SYNCED_EACH, TreeFile, kept_object, read_tree};
pub use learn_settings::{DEFAULT_LEARN_TOKENS, DEFAULT_REPLAYS, LearnSettings, MAX_REPLAYS};
pub use ledger::{
    ARCHIVED, Action, Archived, FileChange, PastFile, PastRevision, Revision, archived,
    changed_since, deleted, ledger_position, touched_by,
};
pub use model_settings::{
    ApiKey, FetchSecret, MAX_MCP_NAME_BYTES, MAX_MCP_SERVERS, MAX_MODEL_TIMEOUT,
    MAX_SECRET_NAME_BYTES, MAX_SECRETS, McpServer, ModelSettings, Wire,
};
pub use objects::{Keeping, hash, sweep_objects};
pub use patch::{Matching, PatchError, Patched, patch};
pub use place::{Resolver, Whole, canonical_or_same, list_files, read_file, read_text, read_whole};
pub use platform::runs_on;
pub use record::{Note, Summary};
pub use rollback::Coming;
pub use root::{Layout, Project, Root, normal};
pub use scope::Scope;
pub use shares::{Copied, KeptShare, Stale, Unshared, follow, take_back};
pub use snapshot_settings::{AgentSnapshots, SnapshotSettings};
pub use standing::{Standing, standings};
pub use state::State;
pub use store::{Author, Change, FileDelta, Mode, Store, refuse_existing};
pub use surroundings::Surroundings;
pub use tally::Tally;
pub use walk::read_bounded;
pub use watch::Watch;
