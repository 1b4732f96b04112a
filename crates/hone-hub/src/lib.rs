//! Where does a skill *come from*?
//!
//! Sources, download, quarantine, install, lock, update, remove, audit log, and sharing into the agents'
//! own folders.

mod bundle;

pub use bundle::{Bundle, BundleFile, Fetched};
