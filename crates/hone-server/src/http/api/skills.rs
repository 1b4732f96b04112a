//! Skills: looking at them.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hone_library::usage::iso;
use hone_library::{Catalogue, Listed, Whole, hash, read_file, read_whole};

use super::shapes::{
    ListQuery, MAX_PAGE, Remark, SkillItem, SkillLine, SkillList, SkillText, SkippedList,
    SkippedSkill,
};
use crate::http::problem::{Answer, Problem, bounded};
use crate::http::skills::{Row, last_verdict, rows};
use crate::http::{Site, blocking};

/// Characters of the words that narrow a list.
const MAX_WORDS: usize = 1_000;
/// Characters of the name of a skill in an address.
const MAX_NAME_CHARS: usize = 300;

/// A name that can be looked up without touching the disk.
pub(crate) fn checked(name: &str) -> Answer<&str> {
    let is_name = !name.contains(['/', '\\', '\0']) && name.chars().count() <= MAX_NAME_CHARS;
    is_name.then_some(name).ok_or_else(|| Problem::not_found("this is no name of a skill"))
}

pub(crate) async fn list(
    State(site): State<Site>,
    Query(query): Query<ListQuery>,
) -> Answer<Json<SkillList>> {
    let limit = query.limit.unwrap_or(MAX_PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(Problem::wrong(format!("`limit` is between 1 and {MAX_PAGE}")));
    }
    bounded("words", &query.words, 0..=MAX_WORDS)?;
    let words: Vec<String> = query.words.split_whitespace().map(str::to_lowercase).collect();
    let scope = query.scope.clone();
    let fits = move |skill: &Listed| {
        scope.as_deref().is_none_or(|scope| scope == skill.scope.id())
            && (words.is_empty() || {
                let summary = &skill.summary;
                let text = format!("{} {}", summary.name, summary.description).to_lowercase();
                words.iter().all(|word| text.contains(word))
            })
    };
    let listed = blocking(&site, move |site| {
        let catalogue = site.catalogue();
        let found: Vec<Row<'_>> =
            rows(site, &catalogue).into_iter().filter(|row| fits(row.skill)).collect();
        let from = query.from.unwrap_or(0).min(found.len());
        let to = from.saturating_add(limit).min(found.len());
        let item = |row: &Row<'_>| SkillItem {
            line: SkillLine::from(row.skill),
            verdict: last_verdict(site, row.skill),
            state: row.life.id(),
            pinned: row.standing.pinned,
            uses: row.standing.uses,
            last_used: row.standing.last_used.map(iso),
        };
        Ok(SkillList {
            skills: found[from..to].iter().map(item).collect(),
            total: found.len(),
            next: (to < found.len()).then_some(to),
        })
    });
    Ok(Json(listed.await?))
}

pub(crate) async fn skipped(State(site): State<Site>) -> Answer<Json<SkippedList>> {
    let catalogue = blocking(&site, |site| Ok(site.catalogue())).await?;
    Ok(Json(SkippedList { skipped: catalogue.skipped.iter().map(SkippedSkill::from).collect() }))
}

pub(crate) async fn view(
    State(site): State<Site>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Answer<Response> {
    // As with the tool: a watched folder is near.
    let view = match site.shelf.ready() {
        Some(catalogue) => viewed(&site, &catalogue, &name)?,
        None => blocking(&site, move |site| viewed(site, &site.catalogue(), &name)).await?,
    };
    Ok(tagged(&headers, &view.sha256.clone(), Json(view)))
}

fn viewed(site: &Site, catalogue: &Catalogue, name: &str) -> Answer<SkillText> {
    let skill = site.skill(catalogue, name)?;
    let Whole { text, files } = read_whole(skill)?;
    Ok(SkillText {
        line: SkillLine::from(skill),
        sha256: hash(&text),
        text: String::from_utf8(text).ok(),
        files: files?,
        notes: skill.notes.iter().map(Remark::from).collect(),
    })
}

/// An answer with its entity tag, or word that it is what the client has.
pub(super) fn tagged(headers: &HeaderMap, sha256: &str, answer: impl IntoResponse) -> Response {
    let tag = format!("\"{sha256}\"");
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let mut response = if known == Some(&tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        answer.into_response()
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

pub(crate) async fn file(
    State(site): State<Site>,
    Path((name, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Answer<Response> {
    let bytes = blocking(&site, move |site| {
        let catalogue = site.catalogue();
        let skill = site.skill(&catalogue, &name)?;
        Ok(read_file(skill, &file)?)
    })
    .await?;
    // What a skill holds is shown, never run: neither guessed at nor opened in a browser.
    let kind = match std::str::from_utf8(&bytes) {
        Ok(_) => "text/plain; charset=utf-8",
        Err(_) => "application/octet-stream",
    };
    let sha256 = hash(&bytes);
    let clothes = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, "attachment")];
    Ok(tagged(&headers, &sha256, (clothes, bytes)))
}
