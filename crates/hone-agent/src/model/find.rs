//! Which model to ask, when nobody or hardly anybody said: what the configuration names, else a server on
//! this machine, else a key in the environment. A server of this machine goes first because asking it
//! costs nothing and sends nothing away.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hone_library::ModelSettings;
use hone_net::{Client, Limits, Url};
use hone_router::Secret;
use serde::Deserialize;

use super::connect::{Choice, Wire, below};

/// How long a server on this machine may take to answer whether it is there.
pub const PROBE_TIME: Duration = Duration::from_millis(400);

/// How long a configured server may take to list its models.
const LIST_TIME: Duration = Duration::from_secs(10);

/// Largest list of models that is read, in bytes.
const MAX_LIST_BYTES: u64 = 2_000_000;

/// A kind of server that may run on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What it is called.
    pub name: String,
    /// Where it is, with `/v1`.
    pub base_url: String,
}

/// Where local servers usually are, and Ollama where `OLLAMA_HOST` says.
pub fn usual_places(variable: &dyn Fn(&str) -> Option<String>) -> Vec<Place> {
    let place = |name: &str, base_url: String| Place { name: name.to_owned(), base_url };
    let ollama = variable("OLLAMA_HOST").filter(|host| !host.trim().is_empty());
    vec![
        place("Ollama", ollama.as_deref().map_or_else(|| ollama_at("127.0.0.1"), ollama_at)),
        place("llama.cpp", "http://127.0.0.1:8080/v1".to_owned()),
        place("LM Studio", "http://127.0.0.1:1234/v1".to_owned()),
    ]
}

/// `OLLAMA_HOST` is an address, a port, or both, with or without a scheme; a server that listens
/// everywhere is asked here.
fn ollama_at(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let (scheme, host) = host.split_once("://").unwrap_or(("http", host));
    let host = host.replace("0.0.0.0", "127.0.0.1");
    let host = if host.starts_with(':') { format!("127.0.0.1{host}") } else { host };
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = if has_port || scheme == "https" { "" } else { ":11434" };
    format!("{scheme}://{host}{port}/v1")
}

/// A model, and why it is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What to connect to.
    pub choice: Choice,
    /// Why, in a sentence for a person.
    pub why: String,
}

/// There is no model to ask.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    /// Nothing is configured and nothing was found.
    #[error("there is no model to ask")]
    NotFound,
    /// The configuration names something that cannot be.
    #[error("{0}")]
    Misconfigured(String),
}

/// What to tell a person who has no model, in three lines.
pub const HOW_TO_GET_ONE: [&str; 3] = [
    "on this machine: install Ollama (https://ollama.com), `ollama pull llama3.2`, and run this again",
    "from a provider: put its key into ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY",
    "any other server of the chat API: `hone config set model.base_url http://HOST:PORT/v1`",
];

/// A provider whose key may be in the environment.
struct Provider {
    name: &'static str,
    wire: Wire,
    key: &'static str,
    base: &'static str,
    base_variable: Option<&'static str>,
    /// The model when nobody names one: what the provider's documentation named for everyday work, or as
    /// the successor of such a one, in November 2026. Providers retire models after a year or so.
    model: &'static str,
    model_variable: &'static str,
}

const ANTHROPIC: Provider = Provider {
    name: "Anthropic",
    wire: Wire::Anthropic,
    key: "ANTHROPIC_API_KEY",
    base: "https://api.anthropic.com",
    base_variable: Some("ANTHROPIC_BASE_URL"),
    model: "claude-sonnet-5-5",
    model_variable: "ANTHROPIC_MODEL",
};

const OPENAI: Provider = Provider {
    name: "OpenAI",
    wire: Wire::OpenAi,
    key: "OPENAI_API_KEY",
    base: "https://api.openai.com/v1",
    base_variable: Some("OPENAI_BASE_URL"),
    model: "gpt-6-luna",
    model_variable: "OPENAI_MODEL",
};

const OPENROUTER: Provider = Provider {
    name: "OpenRouter",
    wire: Wire::OpenAi,
    key: "OPENROUTER_API_KEY",
    base: "https://openrouter.ai/api/v1",
    base_variable: None,
    model: "openrouter/auto",
    model_variable: "OPENROUTER_MODEL",
};

const PROVIDERS: [Provider; 3] = [ANTHROPIC, OPENAI, OPENROUTER];

/// Finds the model to ask. Servers at `places` are asked all at once.
pub async fn find(
    settings: &ModelSettings,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
    client: &Client,
    places: &[Place],
) -> Result<Found, NoModel> {
    let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    if settings.backend.is_some() || settings.base_url.is_some() {
        return configured(settings, &variable, client).await;
    }
    if settings.api_key.is_some() {
        return Err(NoModel::Misconfigured(
            "`model.api_key` is set; set `model.backend` or `model.base_url` to say whose key that is"
                .to_owned(),
        ));
    }
    if settings.api_key_env.is_none()
        && let Some(found) = local(settings, client, places).await
    {
        return Ok(found);
    }
    let wanted = settings.api_key_env.as_deref();
    for provider in PROVIDERS.iter().filter(|p| wanted.is_none_or(|name| name == p.key)) {
        let Some(key) = variable(provider.key) else { continue };
        let own_base = provider.base_variable.and_then(&variable);
        let base_url = address(own_base.as_deref().unwrap_or(provider.base))?;
        let key = Some(Secret::new(key.trim()));
        let mut choice = Choice::new(provider.wire, base_url, String::new(), key, settings);
        choice.model = match settings.name.clone().or_else(|| variable(provider.model_variable)) {
            Some(name) => name,
            // Another server has other models.
            None if own_base.is_some() => only_model(&choice, client).await?,
            None => provider.model.to_owned(),
        };
        let why = format!("{} has a key of {}", provider.key, provider.name);
        return Ok(Found { choice, why });
    }
    match &settings.api_key_env {
        Some(name) => Err(NoModel::Misconfigured(format!(
            "`model.api_key_env` names `{name}`; set `model.base_url` to say whose key that is"
        ))),
        None => Err(NoModel::NotFound),
    }
}

/// What the configuration names, its gaps filled.
async fn configured(
    settings: &ModelSettings,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
    client: &Client,
) -> Result<Found, NoModel> {
    let wire = settings.backend.unwrap_or(Wire::OpenAi);
    let provider = match wire {
        Wire::Anthropic => &ANTHROPIC,
        Wire::OpenAi => &OPENAI,
        Wire::Gguf => return in_a_file(settings, variable),
    };
    let base = settings.base_url.clone().unwrap_or_else(|| provider.base.to_owned());
    let base_url = address(&base)?;
    // The usual variable is the key of the usual server and of no other.
    let usual_key = (base == provider.base).then(|| provider.key.to_owned());
    let own_key = settings.api_key.as_ref().map(|key| Secret::new(key.expose().trim()));
    let key = match settings.api_key_env.clone().or(usual_key) {
        _ if own_key.is_some() => own_key,
        None => None,
        Some(name) => match variable(&name) {
            Some(key) => Some(Secret::new(key.trim())),
            None => {
                return Err(NoModel::Misconfigured(format!(
                    "the key for `{base}` should be in the variable `{name}`, which is not set"
                )));
            }
        },
    };
    let mut choice = Choice::new(wire, base_url, String::new(), key, settings);
    choice.model = match &settings.name {
        Some(name) => name.clone(),
        None if base == provider.base => provider.model.to_owned(),
        None => only_model(&choice, client).await?,
    };
    Ok(Found { choice, why: "the configuration".to_owned() })
}

/// The model in the file that `model.name` names.
fn in_a_file(
    settings: &ModelSettings,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<Found, NoModel> {
    let wrong = |why: String| NoModel::Misconfigured(why);
    let Some(name) = &settings.name else {
        return Err(wrong("`model.name` must be the path of a GGUF file".to_owned()));
    };
    let path = match (name.strip_prefix("~/"), variable("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(name),
    };
    let path = path.canonicalize().map_err(|error| {
        wrong(format!("`model.name` names `{name}`, which cannot be read: {error}"))
    })?;
    let model = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let url = Url::from_file_path(&path);
    let (Some(model), Ok(url)) = (model, url) else {
        return Err(wrong(format!("`model.name` names `{name}`, which is no file")));
    };
    let choice = Choice::new(Wire::Gguf, url, model, None, settings);
    Ok(Found { choice, why: "the configuration".to_owned() })
}

/// The first server of this machine, in the order of `places`, that has a model.
async fn local(settings: &ModelSettings, client: &Client, places: &[Place]) -> Option<Found> {
    let probes = places.iter().map(|place| probe(place, settings, client)).collect();
    all(probes).await.into_iter().flatten().next()
}

async fn probe(place: &Place, settings: &ModelSettings, client: &Client) -> Option<Found> {
    let base_url = Url::parse(&place.base_url).ok()?;
    let mut choice = Choice::new(Wire::OpenAi, base_url, String::new(), None, settings);
    let models = models(&choice, client, PROBE_TIME).await.ok()??;
    choice.model = match &settings.name {
        Some(name) => models
            .into_iter()
            .find(|model| model == name || model.strip_suffix(":latest") == Some(name))?,
        None => first_chat_model(models)?,
    };
    let origin = choice.base_url.origin().ascii_serialization();
    Some(Found { choice, why: format!("{} runs at {origin}", place.name) })
}

/// Waits for all, side by side.
async fn all<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<T>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in waiting.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[derive(Deserialize)]
struct List {
    data: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    id: String,
}

/// The model of a server that has to be asked which ones it has.
async fn only_model(choice: &Choice, client: &Client) -> Result<String, NoModel> {
    let base = choice.base_url.as_str();
    match models(choice, client, LIST_TIME).await {
        Ok(models) => models.and_then(first_chat_model).ok_or_else(|| {
            NoModel::Misconfigured(format!(
                "`{base}` does not say which models it has; set `model.name`"
            ))
        }),
        // A name would not help: whoever is there does not answer.
        Err(error) => Err(NoModel::Misconfigured(format!(
            "the model's server cannot be asked: {error} (`model.base_url` is `{base}`)"
        ))),
    }
}

/// The models that a server says it has; none when it answers something else. A server that does not
/// answer, or does not let us in, is an error.
async fn models(
    choice: &Choice,
    client: &Client,
    time: Duration,
) -> Result<Option<Vec<String>>, hone_net::Error> {
    let path = match choice.wire {
        Wire::OpenAi => "models",
        Wire::Anthropic => "v1/models",
        // A file lists nothing.
        Wire::Gguf => return Ok(None),
    };
    let limits = Limits { bytes: MAX_LIST_BYTES, redirects: 0, silence: time, total: time };
    let url = below(&choice.base_url, path);
    let Ok(headers) = choice.headers() else { return Ok(None) };
    let page = match client.get(&url, &headers, &limits).await {
        Ok(page) => page,
        Err(hone_net::Error::Status { code, .. }) if !matches!(code, 401 | 403 | 500..) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let list: Option<List> = serde_json::from_slice(&page.bytes).ok();
    Ok(list.map(|list| list.data.into_iter().map(|listed| listed.id).collect()))
}

/// The first that is not made for something else than talking.
fn first_chat_model(models: Vec<String>) -> Option<String> {
    const OTHER: [&str; 6] = ["embed", "rerank", "whisper", "bge-", "minilm", "clip"];
    let talks = |model: &String| {
        let name = model.to_lowercase();
        !name.is_empty() && !OTHER.iter().any(|other| name.contains(other))
    };
    models.into_iter().find(talks)
}

fn address(text: &str) -> Result<Url, NoModel> {
    match hone_net::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(NoModel::Misconfigured(format!(
            "`model.base_url` must be an address like http://127.0.0.1:8080/v1, not `{text}`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_is_where_its_variable_says() {
        for (host, base) in [
            ("127.0.0.1", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0:7000", "http://127.0.0.1:7000/v1"),
            (":7000", "http://127.0.0.1:7000/v1"),
            ("box.local", "http://box.local:11434/v1"),
            ("http://box.local:99/", "http://box.local:99/v1"),
            ("https://ollama.example", "https://ollama.example/v1"),
        ] {
            assert_eq!(ollama_at(host), base, "{host}");
        }
    }

    #[test]
    fn a_model_that_does_not_talk_is_passed_over() {
        let models = ["nomic-embed-text:latest", "text-embedding-3", "qwen3:4b"];
        let first = first_chat_model(models.map(str::to_owned).to_vec());
        assert_eq!(first.as_deref(), Some("qwen3:4b"));
        assert_eq!(first_chat_model(vec!["bge-m3".to_owned()]), None);
    }
}
