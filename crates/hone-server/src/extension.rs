//! The skills extension of the protocol: `skills/list`, `skills/get` and `resources/directory/read`.

use hone_library::Catalogue;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, ErrorData, GetPromptRequestParams,
    InitializeRequestParams, PaginatedRequestParams, ReadResourceRequestParams,
    SubscribeRequestParams, SubscriptionsListenRequestParams, UnsubscribeRequestParams,
};
use serde::de::DeserializeOwned;
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
    is_modern: bool,
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
        method => Err(misread(method, params, is_modern)),
    }
}

/// Why a request is none of the protocol's: its method is not, in the era that the client speaks, or its
/// parameters are not those of it.
fn misread(method: &str, params: &Value, is_modern: bool) -> ErrorData {
    fn read<T: DeserializeOwned>(params: Value) -> Option<serde_json::Error> {
        serde_json::from_value::<T>(params).err()
    }
    let params = if params.is_null() { json!({}) } else { params.clone() };
    let error = match method {
        "initialize" if !is_modern => read::<InitializeRequestParams>(params),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
            read::<PaginatedRequestParams>(params)
        }
        "tools/call" => read::<CallToolRequestParams>(params),
        "prompts/get" => read::<GetPromptRequestParams>(params),
        "resources/read" => read::<ReadResourceRequestParams>(params),
        "resources/subscribe" if !is_modern => read::<SubscribeRequestParams>(params),
        "resources/unsubscribe" if !is_modern => read::<UnsubscribeRequestParams>(params),
        "subscriptions/listen" if is_modern => read::<SubscriptionsListenRequestParams>(params),
        "completion/complete" => read::<CompleteRequestParams>(params),
        "ping" if !is_modern => None,
        "server/discover" if is_modern => None,
        method => {
            return ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{method:.100}`"),
                None,
            );
        }
    };
    let why = error.map_or_else(|| "they cannot be read".to_owned(), |error| error.to_string());
    wrong(format!("the parameters of `{method}` are wrong: {why}"))
}
