//! What a person's habits say about each skill: whether it is pinned, how often and when it was used.
//! One look at the database for all skills, whatever their number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::catalogue::Listed;
use crate::error::Error;
use crate::place::canonical_or_same;
use crate::state::State;

/// A skill's standing with the person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// It is pinned.
    pub pinned: bool,
    /// How often it was used, all versions together.
    pub uses: u64,
    /// When it was last used, in milliseconds since 1970.
    pub last_used: Option<i64>,
}

/// The standing of each skill, in their order.
pub fn standings(state: &State, skills: &[Listed]) -> Result<Vec<Standing>, Error> {
    let known: HashMap<PathBuf, Standing> = state.with(|db| {
        let mut known: HashMap<PathBuf, Standing> = HashMap::new();
        let mut statement =
            db.prepare("SELECT skill, sum(uses), max(last_used) FROM usage GROUP BY skill")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let uses = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
            let standing = Standing { pinned: false, uses, last_used: row.get(2)? };
            known.insert(PathBuf::from(row.get::<_, String>(0)?), standing);
        }
        let mut statement = db.prepare("SELECT skill FROM pin")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            known.entry(PathBuf::from(row.get::<_, String>(0)?)).or_default().pinned = true;
        }
        Ok(known)
    })?;
    // Rows are kept under real paths. Only the root is resolved for each skill: a path of its own
    // for each of 10,000 would cost more than the listing.
    let mut roots: HashMap<&Path, PathBuf> = HashMap::new();
    let standing = |skill| {
        let skill: &Listed = skill;
        if known.is_empty() {
            return Standing::default();
        }
        let root = roots.entry(&skill.root).or_insert_with(|| canonical_or_same(&skill.root));
        let below = skill.key().strip_prefix(&skill.root).map(|below| root.join(below));
        let here = known.get(skill.key()).or_else(|| known.get(&below.ok()?));
        here.copied().unwrap_or_default()
    };
    Ok(skills.iter().map(standing).collect())
}
