//! Where does a skill *come from*?
//!
//! Sources, download, quarantine, install, lock, update, remove, audit log, and sharing into the agents'
//! own folders.
//!
//! # Sources
//!
//! From a text to bundles: [`parse`] reads the text of a source, [`open`] looks into it and says which
//! skills it offers, and [`Opened::take`] reads those that are wanted; [`fetch`] is both at once. A
//! [`Bundle`] is in memory, bounded and free of links, and says nothing yet about being safe.
//!
//! # The pipeline
//!
//! Every skill that arrives goes the same way: [`Supply::fetch`] → quarantine → scan → compare with the
//! installed version ([`News`]) → decide (origin × verdict, and a person where the policy asks for one) →
//! swap → record. [`Hub::add`], [`Hub::update`], [`Hub::install`] and [`Hub::approve`] differ only in
//! where the skill comes from and what is allowed to go wrong.
//!
//! # Entry points
//!
//! | what | call | answers |
//! |---|---|---|
//! | `hone add` | [`Hub::add`] (or [`Hub::add_delivered`], fetched already) | [`Outcome`] a skill |
//! | `hone update` | [`Hub::update`] | [`Outcome`] a skill |
//! | `hone install` | [`Hub::install`], [`Hub::install_from`] | [`Restored`] |
//! | `hone remove` | [`Hub::remove`] | [`Removed`] a skill |
//! | `hone verify` | [`Hub::verify`] | [`Verified`] a skill |
//! | `hone outdated` | [`Hub::outdated`] | [`Outdated`] a skill |
//! | `hone approve` | [`Hub::pending`], [`Hub::waiting_files`], [`Hub::approve`], [`Hub::reject`] | [`Pending`], [`Outcome`] |
//! | `hone share` | [`Hub::share`], [`Hub::unshare`] | [`Shared`] an agent |
//! | `hone audit` | [`hone_library::audit::newest`], [`hone_library::audit::verify`] | `Entry`, `Chain` |
//! | `hone rollback` | [`rollback()`] | the lock follows the files |
//!
//! A [`Target`] says for whom ([`Target::project`], [`Target::user`]); [`Ask`] is the person at the
//! terminal, or [`Nobody`]; [`Fetcher`] is the [`Supply`] of real sources, and a [`Fetched`] becomes a
//! [`Delivery`] for [`Hub::add_delivered`].

mod actions;
mod approve;
mod bundle;
mod compare;
mod decide;
mod discover;
mod download;
mod error;
mod fetch;
mod fetch_error;
mod fetcher;
mod folder;
mod foreign;
mod git;
mod git_tree;
mod hold;
mod hub;
mod inspect;
mod journal;
mod lfs;
pub mod limits;
mod lock;
mod mcp;
mod merge;
mod offers;
mod opened;
mod outdated;
mod paths;
mod pipeline;
mod quarantine;
mod record;
mod restore;
mod rollback;
mod roots;
mod share;
mod source;
mod supply;
mod takes;
mod target;
mod tree;
mod unpack;
mod verify;
mod weigh;
mod well_known;
mod work_folder;

pub use actions::Removed;
pub use approve::{Approval, Pending};
pub use bundle::{Bundle, BundleFile, Fetched, OfferStanding, Offered, Refused};
pub use compare::News;
pub use error::{Error, edited_hint};
pub use fetch::{FetchOptions, Progress, Prompts, Report, Wanted, fetch, newest_commit, open};
pub use fetch_error::FetchError;
pub use fetcher::Fetcher;
pub use foreign::{Foreign, ForeignSkill, MAX_FOREIGN_BYTES};
pub use hold::HOLD_WAIT;
pub use hone_library::{KeptShare, LockedFile, Unshared, content_hash};
pub use hub::{Answer, Ask, Fate, Hub, Nobody, Outcome, Question, Step, Taken, Takes};
pub use lock::{LOCK_FILE, LOCK_VERSION, Lock, Locked, MAX_LOCK_BYTES, locked_at};
pub use mcp::Tokens;
pub use merge::{Edits, MAX_MERGED_LINES};
pub use offers::{Hit, MAX_OFFERS_AGE, SourceOffers, offers, search};
pub use opened::Opened;
pub use outdated::{Freshness, Outdated};
pub use pipeline::{Dismiss, Manner, Rehearsal};
pub use record::Act;
pub use restore::Restored;
pub use rollback::rollback;
pub use share::{Means, ShareFate, ShareScope, Shared, agents};
pub use source::{At, GitPlace, Place, Source, SourceError, parse};
pub use supply::{Delivery, Newest, Pin, Supply, SupplyError};
pub use takes::{MAX_NEWCOMERS, MAX_TAKEN};
pub use target::{Reach, Target};
pub use verify::{Difference, Standing, Verified};
