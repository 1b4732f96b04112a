//! A new `state.db`: built in memory, written at a stroke, and given its name only when it is whole.
//!
//! SQLite's own way to a new file takes longer than reading a hundred skills: a hundred calls, two locks
//! and tables that a listing does not need. Here the file holds the index alone, in format 0; whoever
//! opens it next makes the other tables. Nothing is forced to the disk: an index can be built anew, and
//! the first write that must survive a power cut does the waiting.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use rusqlite::{Connection, MAIN_DB};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::atomic::staging_name;
use crate::error::Error;
use crate::index::{self, FolderEntry};
use crate::schema::INDEX_SCHEMA;
use crate::state::create_private_folder;

/// The most folders that are held in memory once more; more are SQLite's to write.
const MAX_FOLDERS: usize = 2_048;

/// Where the file says how it is read and written, and the number for a write-ahead log (SQLite's file
/// format, section 1.3).
const JOURNAL_AT: usize = 18;
const WRITE_AHEAD_LOG: [u8; 2] = [2, 2];

/// Makes the database with the first folders of the index; false when something is in its way, or
/// there is too much for this.
pub(crate) fn place<'e>(
    path: &Path,
    folders: impl Iterator<Item = (&'e str, &'e FolderEntry)> + Clone,
) -> Result<bool, Error> {
    let home = path.parent().unwrap_or(Path::new("/"));
    create_private_folder(home)?;
    // A log without its file would be taken for the log of the new one; kept versions without a
    // ledger are a loss to report.
    let in_the_way = ["state.db-wal", "state.db-journal", "objects"];
    let is_many = folders.clone().nth(MAX_FOLDERS).is_some();
    if is_many || in_the_way.iter().any(|name| home.join(name).exists()) {
        return Ok(false);
    }
    let mut db = Connection::open_in_memory()?;
    let transaction = db.transaction()?;
    transaction.execute_batch(INDEX_SCHEMA)?;
    index::insert(&transaction, folders)?;
    transaction.commit()?;
    let bytes = db.serialize(MAIN_DB)?;
    let (start, rest) = bytes.split_at(JOURNAL_AT);
    let staged = home.join(staging_name(path));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&staged)
        .and_then(|mut file| {
            file.write_all(start)?;
            file.write_all(&WRITE_AHEAD_LOG)?;
            file.write_all(&rest[WRITE_AHEAD_LOG.len()..])
        })
        .and_then(|()| Ok(renameat_with(CWD, &staged, CWD, path, RenameFlags::NOREPLACE)?));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&staged);
        Error::io("write", path)(error)
    })?;
    Ok(true)
}
