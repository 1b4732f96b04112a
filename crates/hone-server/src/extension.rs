//! The skills extension of the protocol: `skills/list`, `skills/get` and `resources/directory/read`.

use hone_library::Catalogue;
use rmcp::model::ErrorData;
use serde_json::{Value, json};

use crate::manifest::{self, SKILL_FILE};
use crate::mcp::{at, offered, page, wrong};
use crate::uri;

/// The extension's name.
pub(crate) const NAME: &str = "io.modelcontextprotocol/skills";

/// Skills that are offered otherwise and have no entry, with the reason.
const LEFT_OUT: &str = "hone/left-out";

/// The answer to a request that the protocol itself does not know.
pub(crate) fn answer(
    catalogue: &Catalogue,
    method: &str,
    params: &Value,
) -> Result<Value, ErrorData> {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let address = || text("uri").ok_or_else(|| wrong("`uri` is missing"));
    match method {
        "skills/list" => {
            let skills = offered(catalogue);
            let (from, to, next) = page(&skills, text("cursor"))?;
            let (mut entries, mut without) = (Vec::new(), Vec::new());
            for skill in &skills[from..to] {
                match manifest::entry(skill) {
                    Ok(entry) => entries.push(entry),
                    Err(why) => {
                        let uri = uri::address(skill.summary.slug.as_str(), SKILL_FILE);
                        without.push(json!({"uri": uri, "why": why}));
                    }
                }
            }
            let mut result = json!({"skills": entries});
            if !without.is_empty() {
                result["_meta"] = json!({LEFT_OUT: without});
            }
            if let Some(next) = next {
                result["nextCursor"] = next.into();
            }
            Ok(result)
        }
        "skills/get" => {
            let address = address()?;
            let (skill, file) = at(catalogue, address)?;
            if file != SKILL_FILE {
                return Err(wrong(format!("`{address:.200}` is no skill")));
            }
            let entry = manifest::entry(skill).map_err(|why| {
                wrong(format!("`{address:.200}` has no entry, though it can be read: {why}"))
            })?;
            Ok(json!({"skill": entry}))
        }
        "resources/directory/read" => {
            let address = address()?;
            let (skill, folder) = at(catalogue, address)?;
            let children = manifest::children(skill, &folder);
            let children =
                children.ok_or_else(|| wrong(format!("`{address:.200}` is no folder")))?;
            let slug = skill.summary.slug.as_str();
            let (from, to, next) = page(&children, text("cursor"))?;
            let child = |(name, is_folder): &(String, bool)| {
                let path =
                    if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                let kind = if *is_folder {
                    "inode/directory"
                } else {
                    let bytes = manifest::bytes(skill, &path).unwrap_or_default();
                    manifest::media_type(name, std::str::from_utf8(&bytes).is_ok())
                };
                json!({"uri": uri::address(slug, &path), "name": name, "mimeType": kind})
            };
            let resources: Vec<Value> = children[from..to].iter().map(child).collect();
            let mut result = json!({"resources": resources});
            if let Some(next) = next {
                result["nextCursor"] = next.into();
            }
            Ok(result)
        }
        method => Err(ErrorData::new(
            rmcp::model::ErrorCode::METHOD_NOT_FOUND,
            format!("there is no method `{method:.100}`"),
            None,
        )),
    }
}
