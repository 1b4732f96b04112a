//! Which model is asked when nobody said.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hone_agent::model::find::{Found, HOW_TO_GET_ONE, NoModel, Place, find, usual_places};
use hone_agent::model::{Wire, client};
use hone_library::ModelSettings;
use serde_json::json;

use crate::server::{Scripted, Server};

fn models(ids: &[&str]) -> Scripted {
    let data: Vec<_> = ids.iter().map(|id| json!({"id": id, "object": "model"})).collect();
    Scripted::json(200, &json!({"object": "list", "data": data}))
}

fn place(name: &str, server: &Server) -> Place {
    Place { name: name.to_owned(), base_url: server.base("/v1").to_string() }
}

async fn find_with(
    settings: &ModelSettings,
    variables: &[(&str, &str)],
    places: &[Place],
) -> Result<Found, NoModel> {
    let client = client(|_| None).unwrap();
    let variable = |name: &str| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    find(settings, &variable, &Arc::clone(&client), places).await
}

/// Backend, address, model, key and why.
fn told(found: &Found) -> (Wire, &str, &str, Option<&str>, &str) {
    let choice = &found.choice;
    let key = choice.key.as_ref().map(hone_router::Secret::expose);
    (choice.wire, choice.base_url.as_str(), &choice.model, key, &found.why)
}

#[tokio::test]
async fn a_server_on_this_machine_goes_before_a_key_and_its_first_model_that_talks_is_taken() {
    let server = Server::start([models(&["nomic-embed-text", "llama3.2:latest", "qwen3"])]).await;
    let found = find_with(
        &ModelSettings::default(),
        &[("ANTHROPIC_API_KEY", "k")],
        &[place("Ollama", &server)],
    )
    .await
    .unwrap();
    let base = server.base("/v1").to_string();
    let why = format!("Ollama runs at http://127.0.0.1:{}", server.port);
    assert_eq!(told(&found), (Wire::OpenAi, &*base, "llama3.2:latest", None, &*why));
    let asked = server.asked();
    assert_eq!((asked.len(), asked[0].path.as_str()), (1, "/v1/models"));
    assert!(!asked[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_model_that_is_named_is_looked_for_where_it_is() {
    let first = Server::start([models(&["a"])]).await;
    let second = Server::start([models(&["b:latest"])]).await;
    let settings = ModelSettings { name: Some("b".to_owned()), ..ModelSettings::default() };
    let places = [place("one", &first), place("two", &second)];
    let found = find_with(&settings, &[], &places).await.unwrap();
    assert_eq!(
        (found.choice.model.as_str(), &*found.why),
        ("b:latest", &*format!("two runs at http://127.0.0.1:{}", second.port))
    );
}

#[tokio::test]
async fn what_is_no_model_server_is_passed_over_and_silence_does_not_hold_up_the_rest() {
    let page = Server::start([Scripted::new(200, "text/html", "<h1>my app</h1>")]).await;
    let silent = Server::start([Scripted::new(200, "text/html", "").hanging()]).await;
    let empty = Server::start([models(&[])]).await;
    let good = Server::start([models(&["m"])]).await;
    let places = [
        place("page", &page),
        place("silent", &silent),
        place("empty", &empty),
        place("good", &good),
    ];
    let begun = Instant::now();
    let found = find_with(&ModelSettings::default(), &[], &places).await.unwrap();
    assert_eq!(found.choice.model, "m");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_key_in_the_configuration_goes_to_the_server_that_it_names() {
    let settings = |text: &str| toml_edit::de::from_str::<ModelSettings>(text).unwrap();
    let usual = settings("backend = \"anthropic\"\nname = \"m\"\napi_key = \" own \"\n");
    let found = find_with(&usual, &[("ANTHROPIC_API_KEY", "other")], &[]).await.unwrap();
    assert_eq!(
        told(&found),
        (Wire::Anthropic, "https://api.anthropic.com/", "m", Some("own"), "the configuration")
    );
    let nobodys = settings("api_key = \"own\"\n");
    assert_eq!(
        find_with(&nobodys, &[("OPENAI_API_KEY", "other")], &[]).await.unwrap_err(),
        NoModel::Misconfigured(
            "`model.api_key` is set; set `model.backend` or `model.base_url` to say whose key that is"
                .to_owned()
        )
    );
}

#[tokio::test]
async fn a_key_in_the_environment_is_the_next_choice() {
    let settings = ModelSettings::default();
    let found = find_with(
        &settings,
        &[("OPENROUTER_API_KEY", "r"), ("OPENAI_API_KEY", " o \n"), ("ANTHROPIC_API_KEY", "")],
        &[],
    )
    .await
    .unwrap();
    assert_eq!(
        told(&found),
        (
            Wire::OpenAi,
            "https://api.openai.com/v1",
            "gpt-6-luna",
            Some("o"),
            "OPENAI_API_KEY has a key of OpenAI"
        )
    );
    let found = find_with(&settings, &[("ANTHROPIC_API_KEY", "a")], &[]).await.unwrap();
    assert_eq!(
        (found.choice.wire, found.choice.base_url.as_str()),
        (Wire::Anthropic, "https://api.anthropic.com/")
    );
    let found =
        find_with(&settings, &[("OPENROUTER_API_KEY", "r"), ("OPENROUTER_MODEL", "x/y")], &[])
            .await
            .unwrap();
    assert_eq!(found.choice.model, "x/y");
}

#[tokio::test]
async fn a_key_with_an_address_of_its_own_goes_there_and_the_server_says_its_model() {
    let server = Server::start([models(&["served"])]).await;
    let base = server.base("/v1").to_string();
    let variables = [("OPENAI_API_KEY", "o"), ("OPENAI_BASE_URL", base.as_str())];
    let found = find_with(&ModelSettings::default(), &variables, &[]).await.unwrap();
    assert_eq!((found.choice.base_url.as_str(), &*found.choice.model), (&*base, "served"));
    assert_eq!(server.asked()[0].headers["authorization"], "Bearer o");
}

#[tokio::test]
async fn the_configuration_goes_before_all_and_the_usual_key_goes_only_to_the_usual_server() {
    let server = Server::start([models(&["served"])]).await;
    let base = server.base("/v1").to_string();
    let settings = ModelSettings { base_url: Some(base.clone()), ..ModelSettings::default() };
    let variables = [("OPENAI_API_KEY", "o"), ("MY_KEY", "mine")];
    let found = find_with(&settings, &variables, &[]).await.unwrap();
    assert_eq!(told(&found), (Wire::OpenAi, &*base, "served", None, "the configuration"));
    assert!(!server.asked()[0].headers.contains_key("authorization"));
    let settings = ModelSettings {
        name: Some("m".to_owned()),
        api_key_env: Some("MY_KEY".to_owned()),
        ..settings
    };
    let found = find_with(&settings, &variables, &[]).await.unwrap();
    assert_eq!(told(&found), (Wire::OpenAi, &*base, "m", Some("mine"), "the configuration"));
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_named() {
    let missing = ModelSettings { backend: Some(Wire::Anthropic), ..ModelSettings::default() };
    assert_eq!(
        find_with(&missing, &[], &[]).await.unwrap_err().to_string(),
        "the key for `https://api.anthropic.com` should be in the variable `ANTHROPIC_API_KEY`, which is not set"
    );
    let wrong =
        ModelSettings { base_url: Some("localhost:1".to_owned()), ..ModelSettings::default() };
    assert_eq!(
        find_with(&wrong, &[], &[]).await.unwrap_err().to_string(),
        "`model.base_url` must be an address like http://127.0.0.1:8080/v1, not `localhost:1`"
    );
    let server = Server::start([Scripted::new(404, "text/plain", "")]).await;
    let base = server.base("/v1").to_string();
    let silent = ModelSettings { base_url: Some(base.clone()), ..ModelSettings::default() };
    assert_eq!(
        find_with(&silent, &[], &[]).await.unwrap_err().to_string(),
        format!("`{base}` does not say which models it has; set `model.name`")
    );
    let gone = ModelSettings {
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        ..ModelSettings::default()
    };
    let error = find_with(&gone, &[], &[]).await.unwrap_err().to_string();
    let start =
        "the model's server cannot be asked: cannot connect to `http://127.0.0.1:9/v1/models`: ";
    assert!(error.starts_with(start) && error.contains("refused"), "{error}");
    let nobody = find_with(&ModelSettings::default(), &[], &[]).await;
    assert_eq!(nobody, Err(NoModel::NotFound));
    assert!(HOW_TO_GET_ONE.iter().all(|line| line.len() < 110));
}

#[test]
fn the_usual_places_are_on_this_machine() {
    let places = usual_places(&|_| None);
    let bases: Vec<_> = places.iter().map(|place| place.base_url.as_str()).collect();
    assert_eq!(
        bases,
        ["http://127.0.0.1:11434/v1", "http://127.0.0.1:8080/v1", "http://127.0.0.1:1234/v1"]
    );
}

#[tokio::test]
async fn a_file_is_a_model_when_the_backend_says_so_and_is_there() {
    let home = tempfile::tempdir().unwrap();
    let real = home.path().canonicalize().unwrap().join("small.gguf");
    std::fs::write(&real, "").unwrap();
    let settings = |name: Option<&str>| ModelSettings {
        backend: Some(Wire::Gguf),
        name: name.map(str::to_owned),
        ..ModelSettings::default()
    };
    let variables = [("HOME", home.path().to_str().unwrap())];
    let found = find_with(&settings(Some("~/small.gguf")), &variables, &[]).await.unwrap();
    let address = format!("file://{}", real.display());
    assert_eq!(told(&found), (Wire::Gguf, &*address, "small", None, "the configuration"));
    let missing = find_with(&settings(Some("~/large.gguf")), &variables, &[]).await.unwrap_err();
    assert!(
        missing.to_string().starts_with("`model.name` names `~/large.gguf`, which cannot be read")
    );
    let unnamed = find_with(&settings(None), &variables, &[]).await.unwrap_err();
    assert_eq!(unnamed.to_string(), "`model.name` must be the path of a GGUF file");
}

#[cfg(not(feature = "local-model"))]
#[tokio::test]
async fn a_program_without_models_of_its_own_says_what_to_do() {
    let file = tempfile::NamedTempFile::with_suffix(".gguf").unwrap();
    let settings = ModelSettings {
        backend: Some(Wire::Gguf),
        name: Some(file.path().to_str().unwrap().to_owned()),
        ..ModelSettings::default()
    };
    let found = find_with(&settings, &[], &[]).await.unwrap();
    let client = client(|_| None).unwrap();
    let retries = hone_agent::model::Retries::default();
    let refused = hone_agent::model::connect(&found.choice, client, retries).map(|_| ());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "gguf refused: this program was built without models of its own; build it with `--features \
         local-model`, or let llama.cpp's server read the file"
    );
}
