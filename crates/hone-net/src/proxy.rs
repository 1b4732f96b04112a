//! The proxy of the environment, and what goes through it.

use hyper_util::client::proxy::matcher::Matcher;
use url::{Host, Url};

use crate::address::why_not_public;

/// The proxies to use, in the words of the usual variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `http://` (`HTTP_PROXY`, else `ALL_PROXY`).
    pub http: Option<String>,
    /// For `https://` (`HTTPS_PROXY`, else `ALL_PROXY`).
    pub https: Option<String>,
    /// What goes without one (`NO_PROXY`): names, addresses, networks, `*`.
    pub except: String,
}

impl Proxies {
    /// Reads the usual variables, in capitals or not. `HTTP_PROXY` is ignored inside a CGI program,
    /// where a request can set it.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let read = |name: &str| {
            variable(name)
                .or_else(|| variable(&name.to_lowercase()))
                .filter(|value| !value.is_empty())
        };
        let all = read("ALL_PROXY");
        let http = if variable("REQUEST_METHOD").is_some() { None } else { read("HTTP_PROXY") };
        Self {
            http: http.or_else(|| all.clone()),
            https: read("HTTPS_PROXY").or(all),
            except: read("NO_PROXY").unwrap_or_default(),
        }
    }

    /// The proxy for an address, should it go through one.
    pub(crate) fn of(&self, url: &Url) -> Option<&str> {
        let proxy = if url.scheme() == "https" { &self.https } else { &self.http };
        proxy.as_deref()
    }

    /// Says which requests go through a proxy.
    pub(crate) fn matcher(&self) -> Matcher {
        Matcher::builder()
            .http(self.http.clone().unwrap_or_default())
            .https(self.https.clone().unwrap_or_default())
            .no(self.except.as_str())
            .build()
    }
}

/// Whether a request goes through a proxy. One to this machine never does: the proxy's own `localhost`
/// is another.
pub(crate) fn is_proxied(matcher: &Matcher, url: &Url) -> bool {
    let is_local = match url.host() {
        Some(Host::Domain(name)) => is_name_of_this_machine(name),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => true,
    };
    !is_local && url.as_str().parse().is_ok_and(|uri| matcher.intercept(&uri).is_some())
}

fn is_name_of_this_machine(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address leads to this machine or its networks, as far as its form tells.
pub fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_name_of_a_network(name),
        Some(Host::Ipv4(address)) => why_not_public(address.into()).is_some(),
        Some(Host::Ipv6(address)) => why_not_public(address.into()).is_some(),
        None => false,
    }
}

/// Whether a name means something inside a network by its form alone.
pub(crate) fn is_name_of_a_network(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    is_name_of_this_machine(name)
        || !name.contains('.')
        || [".local", ".internal", ".home.arpa", ".localdomain"]
            .iter()
            .any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Proxies {
        Proxies::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_special_variable_wins_over_the_one_for_all() {
        let proxies = from(&[
            ("ALL_PROXY", "http://all:1"),
            ("https_proxy", "http://tls:2"),
            ("NO_PROXY", "example.org"),
        ]);
        assert_eq!(
            proxies,
            Proxies {
                http: Some("http://all:1".to_owned()),
                https: Some("http://tls:2".to_owned()),
                except: "example.org".to_owned(),
            }
        );
    }

    #[test]
    fn a_cgi_program_ignores_the_variable_that_a_request_can_set() {
        let proxies = from(&[("HTTP_PROXY", "http://evil:1"), ("REQUEST_METHOD", "GET")]);
        assert_eq!(proxies, Proxies::default());
    }

    #[test]
    fn exceptions_and_this_machine_go_direct() {
        let proxies = from(&[
            ("ALL_PROXY", "http://proxy.example:3128"),
            ("NO_PROXY", "example.org,10.0.0.0/8"),
        ]);
        let matcher = proxies.matcher();
        let through = |url: &str| is_proxied(&matcher, &Url::parse(url).unwrap());
        assert!(through("https://example.com/"));
        assert!(through("http://192.168.0.1/"));
        for direct in [
            "https://example.org/",
            "https://www.example.org/",
            "http://10.1.2.3/",
            "http://localhost:11434/",
            "http://model.localhost/",
            "http://127.0.0.1:8080/",
            "http://[::1]:8080/",
        ] {
            assert!(!through(direct), "{direct}");
        }
    }

    #[test]
    fn names_that_mean_a_network_are_known_by_their_form() {
        for name in
            ["localhost", "a.localhost.", "intranet", "metadata.google.internal", "nas.local"]
        {
            assert!(is_name_of_a_network(name), "{name}");
        }
        for name in ["example.com", "local.example.com", "internal.example"] {
            assert!(!is_name_of_a_network(name), "{name}");
        }
    }
}
