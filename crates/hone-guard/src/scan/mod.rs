//! The scanner: one skill in, a report out.
//!
//! Files are read once ([`bundle`]), told apart by content ([`kind`]), normalised ([`text`]) and
//! taken apart into passages ([`markdown`], [`passage`]); encoded texts are decoded and looked at
//! again ([`decode`]). Then each kind of question has its module: shell flows, flows through code,
//! prose, settings, structure, secrets. All of them speak through [`findings`].

mod awk;
mod bundle;
mod captions;
mod code;
mod decode;
mod decoded;
mod destination;
mod file_passages;
mod files;
mod finding;
mod findings;
mod flow;
mod forks;
mod formulas;
mod given;
mod grams;
mod hidden;
mod inventory;
mod invisible;
mod judge;
mod kind;
mod label;
mod locks;
mod look;
mod markdown;
mod masked;
mod mention;
mod outputs;
mod packed;
mod passage;
mod placeholders;
mod places;
mod prose;
mod quoted;
mod reach;
mod report;
mod rules;
mod secrets;
mod settings;
mod shell_flow;
mod skill;
mod spaced;
mod structure;
mod subject;
mod text;
mod unfenced;
mod unsaid;
mod wallets;

use std::path::{Path, PathBuf};

use skill::Skill;

pub use files::Files;
pub use finding::{Context, Coverage, Finding, Flow, Inventory, Report, Severity, Verdict};
pub use judge::{
    Case, Concern, Excerpt, Judge, JudgeError, MAX_CONCERNS, MAX_EXCERPT_BYTES, MAX_EXCERPTS_BYTES,
    SECOND_OPINION, second_opinion,
};
pub use packed::{Packed, Unpacked};
pub use rules::{RULES, RULES_VERSION, Rule, rule};
pub use secrets::{Secret, find as secrets};

/// Why a skill could not be scanned.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The folder or file could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Scans a skill: a folder, or a single file.
///
/// ```
/// let skill = tempfile::tempdir().unwrap();
/// std::fs::write(skill.path().join("SKILL.md"), "---\nname: a\ndescription: b\n---\nTidy up.\n").unwrap();
/// assert_eq!(hone_guard::scan(skill.path()).unwrap().verdict, hone_guard::Verdict::Safe);
/// ```
pub fn scan(path: &Path) -> Result<Report, ScanError> {
    Ok(Files::read(path)?.scan())
}
