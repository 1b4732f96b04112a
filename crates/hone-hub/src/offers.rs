//! What sources offer, kept for a while, and searched by words.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bundle::OfferStanding;
use crate::fetch_error::FetchError;
use crate::fetcher::Fetcher;
use crate::source::Source;

/// How long what a source offers is taken for what it still offers.
pub const MAX_OFFERS_AGE: Duration = Duration::from_secs(60 * 60);
/// The folder in `HONE_HOME` that keeps it.
const FOLDER: &str = "offers";
/// Longest description that is kept, in characters.
const MAX_DESCRIPTION: usize = 1_024;

/// What a source offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceOffers {
    /// The source, canonical.
    pub source: String,
    /// When it was asked, in milliseconds since 1970.
    pub at: i64,
    /// Its skills: name, description and path in the source.
    skills: Vec<(String, String, String)>,
    /// Why it could not be asked again, when this is older than it should be.
    #[serde(skip)]
    pub stale: Option<String>,
}

/// A skill that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'o> {
    /// Its name.
    pub name: &'o str,
    /// What it says about itself.
    pub description: &'o str,
    /// Where it lies in its source.
    pub path: &'o str,
    /// The source, canonical.
    pub source: &'o str,
}

/// What a source offers: as it was kept in `home`, or asked now when that is too old or `anew`. A source
/// that cannot be asked gives what was kept, however old, with the reason.
pub fn offers(
    fetcher: &Fetcher,
    source: &Source,
    home: &Path,
    now: i64,
    anew: bool,
) -> Result<SourceOffers, FetchError> {
    let source = fetcher.settled(source)?;
    let text = source.to_string();
    let file = home.join(FOLDER).join(format!("{}.json", hone_library::hash(text.as_bytes())));
    let kept = std::fs::read(&file).ok();
    let kept = kept.and_then(|bytes| serde_json::from_slice::<SourceOffers>(&bytes).ok());
    let kept = kept.filter(|kept| kept.source == text);
    let is_fresh = |kept: &SourceOffers| {
        let age = u128::try_from(now - kept.at);
        age.is_ok_and(|age| age < MAX_OFFERS_AGE.as_millis())
    };
    if let Some(kept) = kept.clone().filter(|kept| !anew && is_fresh(kept)) {
        return Ok(kept);
    }
    let opened = match (fetcher.open(&source), kept) {
        (Ok(opened), _) => opened,
        (Err(error), Some(kept)) => {
            return Ok(SourceOffers { stale: Some(error.to_string()), ..kept });
        }
        (Err(error), None) => return Err(error),
    };
    let open = opened.offered.into_iter().filter(|one| one.standing == OfferStanding::Open);
    let skills = open
        .map(|one| (one.name, one.description.chars().take(MAX_DESCRIPTION).collect(), one.path))
        .collect();
    let found = SourceOffers { source: text, at: now, skills, stale: None };
    keep(&file, &found);
    Ok(found)
}

/// Keeps offers, as well as that can be done: without them, the source is asked again.
fn keep(file: &Path, found: &SourceOffers) {
    let Some(folder) = file.parent() else { return };
    let _ = std::fs::create_dir_all(folder);
    if let Ok(text) = serde_json::to_vec(found) {
        let _ = hone_library::replace(file, &text);
    }
}

/// The skills in whose name or description every word occurs, those with the words in their name first;
/// without words, all.
pub fn search<'o>(offers: &'o [SourceOffers], words: &[String]) -> Vec<Hit<'o>> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let mut hits: Vec<(usize, Hit<'o>)> = Vec::new();
    for offer in offers {
        for (name, description, path) in &offer.skills {
            let (lower, about) = (name.to_lowercase(), description.to_lowercase());
            if words.iter().all(|word| lower.contains(word) || about.contains(word)) {
                let missing = words.iter().filter(|word| !lower.contains(*word)).count();
                let source = offer.source.as_str();
                hits.push((missing, Hit { name, description, path, source }));
            }
        }
    }
    hits.sort_by(|(missing, hit), (other_missing, other)| {
        let key = |hit: &Hit<'o>| (hit.name, hit.source, hit.path);
        missing.cmp(other_missing).then_with(|| key(hit).cmp(&key(other)))
    });
    hits.into_iter().map(|(_, hit)| hit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(source: &str, skills: &[(&str, &str)]) -> SourceOffers {
        let skill = |(name, about): &(&str, &str)| {
            ((*name).to_owned(), (*about).to_owned(), format!("skills/{name}"))
        };
        let skills = skills.iter().map(skill).collect();
        SourceOffers { source: source.to_owned(), at: 0, skills, stale: None }
    }

    #[test]
    fn every_word_must_occur_and_names_come_first() {
        let all = [
            offered("github:b/b", &[("report", "Makes a PDF"), ("word", "Writes letters")]),
            offered("github:a/a", &[("pdf-forms", "Fills forms"), ("forms", "Fills a PDF form")]),
        ];
        let found = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            search(&all, &words).iter().map(|hit| hit.name).collect::<Vec<_>>()
        };
        assert_eq!(found(&["pdf"]), ["pdf-forms", "forms", "report"]);
        assert_eq!(found(&["Form", "pdf"]), ["pdf-forms", "forms"]);
        assert_eq!(found(&["none"]), Vec::<&str>::new());
        assert_eq!(found(&[]).len(), 4);
    }

    #[test]
    fn offers_are_kept_for_a_while_and_outlive_their_source() {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let add = |name: &str| {
            let skill = folder.path().join(name);
            std::fs::create_dir(&skill).unwrap();
            let text = format!("---\nname: {name}\ndescription: Does {name}\n---\nx\n");
            std::fs::write(skill.join("SKILL.md"), text).unwrap();
        };
        add("one");
        let source = crate::parse(&folder.path().display().to_string()).unwrap();
        let fetcher = Fetcher::new(folder.path(), |_| {}).unwrap();
        let count = |now: i64, anew: bool| {
            let found = offers(&fetcher, &source, home.path(), now, anew).unwrap();
            (search(std::slice::from_ref(&found), &[]).len(), found.at, found.stale.is_some())
        };
        assert_eq!(count(1_000, false), (1, 1_000, false));
        add("two");
        let age = i64::try_from(MAX_OFFERS_AGE.as_millis()).unwrap();
        assert_eq!(count(999 + age, false), (1, 1_000, false));
        assert_eq!(count(1_001, true), (2, 1_001, false));
        add("three");
        assert_eq!(count(1_001 + age, false), (3, 1_001 + age, false));
        std::fs::remove_dir_all(folder.path().join("one")).unwrap();
        std::fs::remove_dir_all(folder.path().join("two")).unwrap();
        std::fs::remove_dir_all(folder.path().join("three")).unwrap();
        assert_eq!(count(9 * age, false), (3, 1_001 + age, true));
    }
}
