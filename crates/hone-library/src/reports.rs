//! Reports of scans, kept by what they depend on, so that a skill that did not change need not be
//! analysed again. What a report says is not for this crate: it is a text with a key and a verdict.
//!
//! Best effort: a report that cannot be kept is made again, one that cannot be read is not there,
//! and past [`MAX_REPORTS`] the oldest go.

use std::path::{Path, PathBuf};

use rusqlite::OptionalExtension;

use crate::place::{Resolver, canonical_or_same};
use crate::state::State;

/// Reports that are kept.
pub const MAX_REPORTS: usize = 20_000;
/// Bytes of a report; a longer one is not kept.
pub const MAX_REPORT_BYTES: usize = 1024 * 1024;

/// A report to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The folder or file that was scanned; its newest report is the only one.
    pub path: PathBuf,
    /// What the report depends on.
    pub key: String,
    /// The verdict, in a word.
    pub verdict: String,
    /// The report itself.
    pub body: String,
}

/// The report with a key, wherever it was made.
pub fn find(state: &State, key: &str) -> Option<String> {
    let query = "SELECT body FROM report WHERE key = ?1 LIMIT 1";
    state.with(|db| Ok(db.query_row(query, [key], |row| row.get(0)).optional()?)).ok().flatten()
}

/// The key and the verdict of the newest report on a folder or file.
pub fn newest(state: &State, path: &Path) -> Option<(String, String)> {
    let path = canonical_or_same(path);
    let path = path.to_str()?;
    let query = "SELECT key, verdict FROM report WHERE path = ?1";
    state
        .with(|db| {
            let mut statement = db.prepare_cached(query)?;
            Ok(statement.query_row([path], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        })
        .ok()
        .flatten()
}

/// The folders and files whose newest report has a verdict, with the key of that report.
pub fn with_verdict(state: &State, verdict: &str) -> Vec<(PathBuf, String)> {
    let found = state.with(|db| {
        let mut statement =
            db.prepare("SELECT path, key FROM report WHERE verdict = ?1 ORDER BY path")?;
        let rows = statement.query_map([verdict], |row| {
            Ok((PathBuf::from(row.get::<_, String>(0)?), row.get(1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    });
    found.unwrap_or_default()
}

/// Keeps reports, each instead of an older one of its path; false when they could not be written.
pub fn keep(state: &State, reports: &[Kept], now: i64) -> bool {
    keep_most(state, reports, now, MAX_REPORTS)
}

fn keep_most(state: &State, reports: &[Kept], now: i64, most: usize) -> bool {
    state.write_best_effort(|db| {
        let mut resolver = Resolver::default();
        let mut insert = db.prepare_cached(
            "INSERT OR REPLACE INTO report(path, key, verdict, at, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for report in reports.iter().filter(|report| report.body.len() <= MAX_REPORT_BYTES) {
            let path = resolver.resolve(&report.path);
            if let Some(path) = path.to_str() {
                insert.execute((path, &report.key, &report.verdict, now, &report.body))?;
            }
        }
        db.execute(
            "DELETE FROM report WHERE rowid IN \
             (SELECT rowid FROM report ORDER BY at DESC, rowid DESC LIMIT -1 OFFSET ?1)",
            [i64::try_from(most).unwrap_or(i64::MAX)],
        )?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(path: &str, key: &str, verdict: &str) -> Kept {
        Kept {
            path: path.into(),
            key: key.to_owned(),
            verdict: verdict.to_owned(),
            body: format!("on {path}"),
        }
    }

    fn state() -> (tempfile::TempDir, State) {
        let home = tempfile::tempdir().unwrap();
        let state = State::open(home.path());
        (home, state)
    }

    #[test]
    fn a_report_is_found_by_its_key_and_its_path() {
        let (_home, state) = state();
        assert!(keep(&state, &[kept("/a", "1:x", "safe"), kept("/b", "1:y", "dangerous")], 1));
        assert_eq!(find(&state, "1:x").as_deref(), Some("on /a"));
        assert_eq!(find(&state, "2:x"), None);
        assert_eq!(newest(&state, Path::new("/b")), Some(("1:y".into(), "dangerous".into())));
        assert_eq!(with_verdict(&state, "dangerous"), [(PathBuf::from("/b"), "1:y".to_owned())]);
    }

    #[test]
    fn a_report_belongs_to_the_real_path_whatever_links_lead_there() {
        let (_home, state) = state();
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("real/skill")).unwrap();
        std::os::unix::fs::symlink(top.join("real"), top.join("around")).unwrap();
        std::os::unix::fs::symlink(top.join("real/skill"), top.join("real/link")).unwrap();
        let kept_at = |path: &str| kept(top.join(path).to_str().unwrap(), "1:x", "dangerous");
        for path in ["around/skill", "real/link", "around/link", "real/skill"] {
            assert!(keep(&state, &[kept_at("around/gone"), kept_at(path)], 1), "{path}");
            let expected =
                ["real/gone", "real/skill"].map(|path| (top.join(path), "1:x".to_owned()));
            assert_eq!(with_verdict(&state, "dangerous"), expected, "{path}");
        }
    }

    #[test]
    fn a_path_has_one_report_the_newest() {
        let (_home, state) = state();
        assert!(keep(&state, &[kept("/a", "1:x", "dangerous")], 1));
        assert!(keep(&state, &[kept("/a", "1:y", "safe")], 2));
        assert_eq!(find(&state, "1:x"), None);
        assert_eq!(with_verdict(&state, "dangerous"), []);
    }

    #[test]
    fn past_the_bound_the_oldest_go() {
        let (_home, state) = state();
        let paths = |state: &State| {
            with_verdict(state, "safe").into_iter().map(|(path, _)| path).collect::<Vec<_>>()
        };
        for (at, path) in ["/c", "/a", "/b"].into_iter().enumerate() {
            assert!(keep_most(&state, &[kept(path, path, "safe")], i64::try_from(at).unwrap(), 3));
        }
        assert_eq!(paths(&state), ["/a", "/b", "/c"].map(PathBuf::from));
        assert!(keep_most(&state, &[kept("/d", "/d", "safe")], 3, 3));
        assert_eq!(paths(&state), ["/a", "/b", "/d"].map(PathBuf::from));
    }

    #[test]
    fn a_report_at_the_bound_is_kept_and_a_longer_one_is_not() {
        let (_home, state) = state();
        let long = |path: &str, length: usize| Kept {
            body: "x".repeat(length),
            ..kept(path, path, "safe")
        };
        assert!(keep(&state, &[long("/a", MAX_REPORT_BYTES), long("/b", MAX_REPORT_BYTES + 1)], 1));
        assert_eq!(find(&state, "/a").map(|body| body.len()), Some(MAX_REPORT_BYTES));
        assert_eq!(find(&state, "/b"), None);
    }

    #[test]
    fn a_state_without_the_table_gets_it_silently() {
        let home = tempfile::tempdir().unwrap();
        assert!(keep(&State::open(home.path()), &[], 1));
        let db = rusqlite::Connection::open(home.path().join("state.db")).unwrap();
        db.execute_batch("DROP TABLE report").unwrap();
        drop(db);
        let state = State::open(home.path());
        assert_eq!(find(&state, "1:x"), None);
        assert!(keep(&state, &[kept("/a", "1:x", "safe")], 1));
        assert_eq!(find(&state, "1:x").as_deref(), Some("on /a"));
        assert_eq!(state.take_notes(), Vec::<String>::new());
    }
}
