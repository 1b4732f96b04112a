//! Findings that a person dismissed, in `state.db`. What they mean is the guard's business.

use hone_skill::Dismissal;

use crate::error::Error;
use crate::state::State;

const COLUMNS: &str = "digest, rule, file, line, skill, reason, actor, at, expires";

impl State {
    /// Keeps a dismissal; one of the same finding is replaced.
    pub fn dismiss(&self, dismissal: &Dismissal) -> Result<(), Error> {
        let line = i64::try_from(dismissal.line).unwrap_or(i64::MAX);
        self.write(|db| {
            db.execute(
                &format!("INSERT OR REPLACE INTO dismissal({COLUMNS}) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)"),
                (
                    &dismissal.digest,
                    &dismissal.rule,
                    &dismissal.file,
                    line,
                    &dismissal.skill,
                    &dismissal.reason,
                    &dismissal.actor,
                    dismissal.at,
                    dismissal.expires,
                ),
            )?;
            Ok(())
        })
    }

    /// Takes a dismissal back; false when there was none.
    pub fn withdraw(&self, dismissal: &Dismissal) -> Result<bool, Error> {
        let line = i64::try_from(dismissal.line).unwrap_or(i64::MAX);
        let key = (&dismissal.digest, &dismissal.rule, &dismissal.file, line);
        self.write(|db| {
            let sql =
                "DELETE FROM dismissal WHERE digest = ?1 AND rule = ?2 AND file = ?3 AND line = ?4";
            Ok(db.execute(sql, key)? > 0)
        })
    }

    /// Every dismissal, newest first, expired ones included.
    pub fn dismissals(&self) -> Result<Vec<Dismissal>, Error> {
        self.with(|db| {
            let sql = format!(
                "SELECT {COLUMNS} FROM dismissal ORDER BY at DESC, digest, rule, file, line"
            );
            let mut statement = db.prepare(&sql)?;
            let rows = statement.query_map([], |row| {
                Ok(Dismissal {
                    digest: row.get(0)?,
                    rule: row.get(1)?,
                    file: row.get(2)?,
                    line: usize::try_from(row.get::<_, i64>(3)?).unwrap_or(0),
                    skill: row.get(4)?,
                    reason: row.get(5)?,
                    actor: row.get(6)?,
                    at: row.get(7)?,
                    expires: row.get(8)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}
