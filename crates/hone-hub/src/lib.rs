//! Where does a skill *come from*?
//!
//! Sources, download, quarantine, install, lock, update, remove, audit log, and sharing into the agents'
//! own folders.
//!
//! From a text to bundles: [`parse`] reads the text of a source, [`open`] looks into it and says which
//! skills it offers, and [`Opened::take`] reads those that are wanted; [`fetch`] is both at once. A
//! [`Bundle`] is in memory, bounded and free of links, and says nothing yet about being safe.

mod bundle;
mod discover;
mod download;
mod fetch;
mod fetch_error;
mod folder;
mod git;
pub mod limits;
mod paths;
mod source;
mod tree;
mod unpack;
mod well_known;

pub use bundle::{Bundle, BundleFile, Fetched, OfferStanding, Offered, Refused};
pub use fetch::{
    FetchOptions, Opened, Progress, Prompts, Report, Wanted, fetch, newest_commit, open,
};
pub use fetch_error::FetchError;
pub use source::{At, GitPlace, Place, Source, SourceError, parse};
