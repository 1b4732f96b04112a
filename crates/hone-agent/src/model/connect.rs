//! From a choice to a model that can be asked.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hone_library::ModelSettings;
use hone_net::{Client, HeaderMap, HeaderValue, PlainHttp, Reach, Settings, Url};
use hone_router::Secret;

use super::anthropic::{self, Anthropic};
#[cfg(feature = "local-model")]
use super::gguf::Gguf;
use super::http::Endpoint;
use super::openai::{Dialect, OpenAi};
use super::retry::{Retries, Retrying};
use super::{Model, ModelError};

pub use hone_library::Wire;

/// Which model to ask, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What its server speaks.
    pub wire: Wire,
    /// Where its server is, as its own documentation names it: with `/v1` for the chat API. The file of
    /// a model that runs inside this process.
    pub base_url: Url,
    /// The model's name there.
    pub model: String,
    /// The key to send, to this origin only.
    pub key: Option<Secret>,
    /// Whether to offer tools natively.
    pub has_native_tools: bool,
    /// Whether replies come piece by piece.
    pub streams: bool,
    /// Whether the server is to hold the model to the form of a reply, where it can.
    pub constrains: bool,
    /// How long one reply may take.
    pub timeout: Duration,
}

impl Choice {
    /// A choice with the rest from the settings.
    pub(super) fn new(
        wire: Wire,
        base_url: Url,
        model: String,
        key: Option<Secret>,
        settings: &ModelSettings,
    ) -> Self {
        Self {
            wire,
            base_url,
            model,
            key,
            has_native_tools: settings.native_tools,
            streams: settings.stream,
            constrains: settings.constrain,
            timeout: Duration::from_secs(settings.timeout),
        }
    }

    /// An address below the base.
    pub(super) fn address(&self, path: &str) -> Url {
        below(&self.base_url, path)
    }

    /// The headers with the key.
    pub(super) fn headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        let value = |text: String| {
            HeaderValue::from_str(&text).map(|mut value| {
                value.set_sensitive(true);
                value
            })
        };
        if let Some(key) = &self.key {
            let (name, text) = if self.wire == Wire::Anthropic {
                ("x-api-key", key.expose().to_owned())
            } else {
                ("authorization", format!("Bearer {}", key.expose()))
            };
            let refused = |_| self.refused("its key has characters that no key has".to_owned());
            headers.insert(name, value(text).map_err(refused)?);
        }
        if self.wire == Wire::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
        }
        Ok(headers)
    }

    fn refused(&self, why: String) -> ModelError {
        ModelError::Refused { backend: self.wire.id().to_owned(), why }
    }
}

/// An address below a base, whether the base ends in `/` or not.
pub(super) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let joined = format!("{}/{path}", base.path().trim_end_matches('/'));
    url.set_path(&joined);
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// The client that models are asked with: it may reach this machine, where local models are.
pub fn client(variable: impl Fn(&str) -> Option<String>) -> Result<Arc<Client>, hone_net::Error> {
    let settings = Settings {
        reach: Reach::Anywhere,
        plain_http: PlainHttp::Allowed,
        ..Settings::from_environment(variable)
    };
    Client::new(settings).map(Arc::new)
}

/// Makes the model of a choice. A key is never sent unencrypted over the internet.
pub fn connect(
    choice: &Choice,
    client: Arc<Client>,
    retries: Retries,
) -> Result<Arc<dyn Model>, ModelError> {
    if choice.key.is_some()
        && choice.base_url.scheme() != "https"
        && !hone_net::is_local(&choice.base_url)
    {
        return Err(choice.refused(format!(
            "`{}` would get the key unencrypted; use https",
            choice.base_url.origin().ascii_serialization()
        )));
    }
    let endpoint = |path: &str| -> Result<Endpoint, ModelError> {
        Ok(Endpoint {
            client,
            url: choice.address(path),
            headers: choice.headers()?,
            key: choice.key.clone(),
            timeout: choice.timeout,
        })
    };
    let (model, has_native_tools, streams) =
        (choice.model.clone(), choice.has_native_tools, choice.streams);
    Ok(match choice.wire {
        Wire::OpenAi => Arc::new(Retrying {
            backend: OpenAi {
                endpoint: endpoint("chat/completions")?,
                model,
                has_native_tools,
                streams,
                constrains: choice.constrains,
                dialect: Dialect::default(),
            },
            retries,
        }),
        Wire::Anthropic => Arc::new(Retrying {
            backend: Anthropic {
                endpoint: endpoint("v1/messages")?,
                model,
                has_native_tools,
                streams,
                no_temperature: AtomicBool::default(),
            },
            retries,
        }),
        Wire::Gguf => return in_process(choice),
    })
}

/// A model that runs here.
#[cfg(feature = "local-model")]
fn in_process(choice: &Choice) -> Result<Arc<dyn Model>, ModelError> {
    let path = choice.base_url.to_file_path();
    let path = path.map_err(|()| choice.refused(format!("`{}` is no file", choice.base_url)))?;
    let model = Gguf::load(&path, choice.model.clone(), choice.timeout, choice.constrains)?;
    Ok(Arc::new(model))
}

/// Nothing runs here: the program was built without.
#[cfg(not(feature = "local-model"))]
fn in_process(choice: &Choice) -> Result<Arc<dyn Model>, ModelError> {
    Err(choice.refused(
        "this program was built without models of its own; build it with `--features local-model`, or let \
         llama.cpp's server read the file"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_below_a_base_is_the_same_with_and_without_a_slash() {
        for base in
            ["http://localhost:1/v1", "http://localhost:1/v1/", "http://localhost:1/v1//?a=b"]
        {
            let url = below(&Url::parse(base).unwrap(), "chat/completions");
            assert_eq!(url.as_str(), "http://localhost:1/v1/chat/completions");
        }
        let url = below(&Url::parse("https://example.com").unwrap(), "v1/messages");
        assert_eq!(url.as_str(), "https://example.com/v1/messages");
    }

    #[test]
    fn a_key_is_not_sent_unencrypted_over_the_internet() {
        let choice = |base: &str| {
            Choice::new(
                Wire::OpenAi,
                Url::parse(base).unwrap(),
                "m".to_owned(),
                Some(Secret::new("k")),
                &ModelSettings::default(),
            )
        };
        let try_connect = |base: &str| {
            connect(&choice(base), client(|_| None).unwrap(), Retries::default())
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            try_connect("http://api.example.com/v1").unwrap_err(),
            "openai refused: `http://api.example.com` would get the key unencrypted; use https"
        );
        for fine in ["https://api.example.com/v1", "http://localhost:1/v1", "http://10.0.0.7/v1"] {
            assert_eq!(try_connect(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn a_choice_does_not_print_its_key() {
        let choice = Choice::new(
            Wire::Anthropic,
            Url::parse("https://api.example.com").unwrap(),
            "m".to_owned(),
            Some(Secret::new("key-123")),
            &ModelSettings::default(),
        );
        assert!(!format!("{choice:?}").contains("key-123"));
        assert!(!format!("{:?}", choice.headers().unwrap()).contains("key-123"));
    }
}
