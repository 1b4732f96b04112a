//! Where data goes or comes from: hosts and what is known of them.
//!
//! A host is never bad by its name. It matters whether it is this machine, a placeholder, a place
//! where a well-known tool's installer lives, a place where anybody can put a text or an inbox, or
//! simply somebody's host.

mod hosts;
mod vendors;

use std::ops::Range;

use hosts::{INBOXES, INSTALLERS, KIN, OWNERS, PASTES, SERVICES, SHORTENERS};

/// What is known of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// This machine or a private network.
    Local,
    /// `example.com`, `your-server`, `<host>`: a place to be filled in.
    Placeholder,
    /// Where the installer of a well-known tool lives.
    Installer,
    /// A service whose address says whose it is: code hosts, package registries, cloud APIs.
    Service,
    /// Anybody can leave a text here: paste sites, snippet sites.
    Paste,
    /// Anybody can open an inbox or a tunnel here: webhook catchers, chat webhooks, file drops.
    Inbox,
    /// A shortened address that hides where it leads.
    Shortener,
    /// A bare public IP address.
    Address,
    /// Somebody's host.
    Foreign,
}

impl Class {
    /// Whether a text fetched from here may be run as the skill's own prerequisite.
    pub(crate) fn is_trusted_installer(self) -> bool {
        matches!(self, Self::Installer | Self::Local)
    }
}

/// An address found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address<'a> {
    pub(crate) range: Range<usize>,
    pub(crate) url: &'a str,
}

impl Address<'_> {
    pub(crate) fn class(&self) -> Class {
        classify(self.url)
    }

    pub(crate) fn host(&self) -> String {
        host(self.url).unwrap_or_default()
    }
}

const SCHEMES: [&str; 8] =
    ["https://", "http://", "ftp://", "wss://", "ws://", "hxxps://", "hxxp://", "tcp://"];

/// Every URL of a text, in order.
pub(crate) fn addresses(text: &str) -> Vec<Address<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("://").map(|i| from + i) {
        let start = text[..at]
            .rfind(|c: char| !c.is_ascii_alphabetic())
            .map_or(0, |i| i + char_len(text, i));
        // Words of a script without blanks may follow at once, behind the path.
        let mut in_path = false;
        let end = text[at + 3..]
            .find(|c: char| {
                in_path |= c == '/';
                c.is_whitespace()
                    || in_path && matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
                    || matches!(
                        c,
                        '"' | '\'' | '`' | '<' | '>' | '|' | '\\' | '^' | ')' | ';' | '，' | '。'
                    )
            })
            .map_or(text.len(), |i| at + 3 + i);
        let end = start
            + text[start..end].trim_end_matches([',', '.', ':', ']', '!', '*', '_', '}']).len();
        // A placeholder such as `https://<host>/x` keeps its brackets.
        let end = if end <= at + 3 && text[at + 3..].starts_with('<') {
            text[at + 3..].find('>').map_or(end, |i| at + 3 + i + 1)
        } else {
            end
        };
        if end > at + 3
            && SCHEMES
                .iter()
                .any(|scheme| text[start..end].to_ascii_lowercase().starts_with(scheme))
        {
            found.push(Address { range: start..end, url: &text[start..end] });
        }
        from = end.max(at + 3);
    }
    found
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The host of a URL or of a bare `host/path`, lower case, without port and user.
pub(crate) fn host(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = if host.starts_with('[') {
        host.split(']').next()?.trim_start_matches('[')
    } else {
        host.split(':').next()?
    };
    let host = host.trim_matches(['.', '*']).to_lowercase();
    (!host.is_empty()).then_some(host)
}

/// What is known of a URL's host.
pub(crate) fn classify(url: &str) -> Class {
    let Some(host) = host(url) else { return Class::Placeholder };
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.find('/').map_or("", |at| &path[at..]);
    // `$team.atlassian.net` is Atlassian's, whatever the team.
    if host.contains(['$', '{', '<'])
        && SERVICES.iter().any(|known| host.ends_with(&format!(".{known}")))
    {
        return Class::Service;
    }
    // Before the placeholders: `lhost` is one of their words.
    if host == "localhost" {
        return Class::Local;
    }
    if is_placeholder(&host) {
        return Class::Placeholder;
    }
    if let Some(class) = by_number(&host) {
        return class;
    }
    if !host.contains('.') {
        return if host == "localhost" || host.ends_with("-service") {
            Class::Local
        } else {
            Class::Placeholder
        };
    }
    if matches!(host.rsplit('.').next(), Some("local" | "internal" | "localhost" | "lan"))
        || host == "home.arpa"
        || host.ends_with(".home.arpa")
    {
        return Class::Local;
    }
    if let Some(registry) = registry(&host) {
        return registry.class;
    }
    let is_at = |list: &[&str]| list.iter().any(|known| at(&host, path, known));
    if is_at(PASTES) {
        Class::Paste
    } else if is_at(INBOXES) {
        Class::Inbox
    } else if is_at(SHORTENERS) {
        Class::Shortener
    } else if is_at(INSTALLERS) || is_known_download(&host, path) {
        Class::Installer
    } else if is_at(SERVICES) {
        Class::Service
    } else {
        Class::Foreign
    }
}

/// Whether a path on GitHub is a file or release of somebody who is known for his projects.
fn is_known_download(host: &str, path: &str) -> bool {
    let released = path.contains("/releases/download/")
        || path.contains("/releases/latest/download/")
        || path.contains("/raw/");
    (host == "raw.githubusercontent.com" || host == "github.com" && released)
        && is_known_owner(path.trim_start_matches('/'))
}

/// Whether an address is a known maker's own: of tools or services that readers know by its domain.
pub(crate) fn is_vendors(url: &str) -> bool {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.find('/').map_or("", |at| &path[at..]);
    host(url).is_some_and(|host| vendors::is_vendors(&host, path))
}

/// Whether an address on GitHub has the place of its owner to be filled in: `raw.githubusercontent.com/org/…`.
pub(crate) fn is_anybodys_project(url: &str) -> bool {
    // Names that nobody can register there, or that stand for whoever it is.
    const OWNER: [&str; 10] = [
        "org",
        "owner",
        "user",
        "username",
        "your-org",
        "yourorg",
        "your-username",
        "yourusername",
        "example",
        "acme",
    ];
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).to_ascii_lowercase();
    let mut parts = rest.split('/');
    matches!(parts.next(), Some("github.com" | "raw.githubusercontent.com"))
        && parts
            .next()
            .is_some_and(|owner| OWNER.contains(&owner) || owner.starts_with(['$', '<', '{', '_']))
}

/// Whether `owner/project` on GitHub belongs to somebody who is known for his projects.
pub(crate) fn is_known_owner(project: &str) -> bool {
    let owner = project.split('/').next().unwrap_or_default().to_ascii_lowercase();
    OWNERS.contains(&owner.as_str())
}

/// A public registry of packages: its domain as name and ending.
pub(crate) struct Registry {
    name: &'static str,
    ending: &'static str,
    /// What its packages are called in configurations and variables.
    pub(crate) packages: &'static str,
    class: Class,
}

/// The registries that packages normally come from. One table: whose key is whose, which index is
/// usual and which download is a package are questions to it.
const REGISTRIES: &[Registry] = &[
    Registry { name: "npmjs", ending: "org", packages: "npm", class: Class::Installer },
    Registry { name: "npmjs", ending: "com", packages: "npm", class: Class::Service },
    Registry { name: "npmmirror", ending: "com", packages: "npm", class: Class::Installer },
    Registry { name: "yarnpkg", ending: "com", packages: "npm", class: Class::Installer },
    Registry { name: "pypi", ending: "org", packages: "pypi", class: Class::Installer },
    Registry { name: "pythonhosted", ending: "org", packages: "pypi", class: Class::Service },
    Registry { name: "crates", ending: "io", packages: "cargo", class: Class::Installer },
    Registry { name: "rubygems", ending: "org", packages: "gem", class: Class::Installer },
];

/// The registry that a host belongs to.
pub(crate) fn registry(host: &str) -> Option<&'static Registry> {
    let mut labels = host.rsplit('.');
    let (ending, name) = (labels.next()?, labels.next()?);
    REGISTRIES.iter().find(|registry| registry.name == name && registry.ending == ending)
}

/// Whether a host and path are at a list's entry: the host or a subdomain of it, and its path.
fn at(host: &str, path: &str, known: &str) -> bool {
    let (domain, prefix) = known.split_once('/').unwrap_or((known, ""));
    let on_domain =
        host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    on_domain
        && (prefix.is_empty()
            || path.to_ascii_lowercase().starts_with(&format!("/{}", prefix.to_ascii_lowercase())))
}

fn by_number(host: &str) -> Option<Class> {
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        let local = address.is_loopback()
            || address.is_private()
            || address.is_unspecified()
            || address.is_link_local();
        return Some(if local { Class::Local } else { Class::Address });
    }
    if let Ok(address) = host.parse::<std::net::Ipv6Addr>() {
        return Some(if address.is_loopback() { Class::Local } else { Class::Address });
    }
    // 3627734277, 0xd83ad6e5: an address written so that it does not look like one. 127.1: this machine.
    let address = short_address(host)?;
    let hidden = (!host.contains('.')).then_some(Class::Address);
    if address.is_loopback() { Some(Class::Local) } else { hidden }
}

/// An address with fewer than four parts, of which the last stands for all that are left, as `inet_aton` reads it.
fn short_address(host: &str) -> Option<std::net::Ipv4Addr> {
    const PARTS: usize = 4;
    let parts: Vec<u32> =
        host.split('.').take(PARTS).map(address_part).collect::<Option<Vec<u32>>>()?;
    let (last, first) = parts.split_last()?;
    if parts.len() == PARTS && host.split('.').count() > PARTS {
        return None;
    }
    let left = u32::try_from(PARTS - first.len()).ok()? * u8::BITS;
    let fits = left >= u32::BITS || *last < 1 << left;
    let octets = first.iter().map(|part| u8::try_from(*part)).collect::<Result<Vec<u8>, _>>();
    let number = octets.ok()?.iter().fold(0_u32, |number, octet| number << 8 | u32::from(*octet));
    let number = if left >= u32::BITS { 0 } else { number << left };
    fits.then(|| std::net::Ipv4Addr::from(number | *last))
}

/// A part of an address: decimal, or hexadecimal as in `0x7f`.
fn address_part(part: &str) -> Option<u32> {
    match part.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => part.parse().ok(),
    }
}

/// Whether a host or value is to be filled in by the reader.
pub(crate) fn is_placeholder(host: &str) -> bool {
    const WORDS: [&str; 30] = [
        "your",
        "example",
        "placeholder",
        "attacker",
        "lhost",
        "rhost",
        "changeme",
        "my-",
        "mydomain",
        "mysite",
        "myserver",
        "foo.",
        "domain.com",
        "yoursite",
        "some-",
        "target",
        "acme",
        "xxx",
        "kali",
        "collaborator",
        "callback",
        "listener",
        "site.com",
        "server.com",
        "host.com",
        "company",
        "test.",
        "evil.",
        "malicious",
        "victim",
    ];
    if host.contains(['<', '>', '{', '}', '$', '%', '[', ']', '(', '…']) || host.contains("...") {
        return true;
    }
    if matches!(host, "host" | "hostname" | "ip" | "server" | "url" | "domain") {
        return true;
    }
    if let Some((name, "example" | "test" | "invalid")) = host.rsplit_once('.') {
        return is_anybody(name);
    }
    let Some((above, ending)) = host.rsplit_once('.') else {
        return WORDS.iter().any(|word| host.contains(word))
            || host.ends_with("_ip")
            || host.ends_with("-ip");
    };
    // Whoever registered a domain gives its subdomains any name; only what was registered says that it is
    // nobody's, and only under an ending that examples are written with.
    let name = above.rsplit('.').next().unwrap_or(above);
    let addressed = name == "your"
        || ["your-", "your_"].iter().any(|start| name.starts_with(start))
        || matches!(name, "yourdomain" | "yoursite" | "yourcompany" | "yourserver" | "yourapp");
    let is_example = addressed
        || name.starts_with("my-")
        || name.starts_with("attacker")
        || matches!(
            name,
            "example"
                | "acme"
                | "domain"
                | "mydomain"
                | "mysite"
                | "company"
                | "myserver"
                | "evil"
                | "malicious"
                | "victim"
                | "target"
                | "foo"
                | "contoso"
                | "fabrikam"
                | "myapp"
        );
    is_example && matches!(ending, "com" | "org" | "net")
        || addressed && matches!(ending, "io" | "dev" | "app" | "ai" | "co")
        // No name of a host has an underscore.
        || host.split('.').any(|label| label.ends_with("_ip") || label.starts_with("your_"))
}

/// Names under a reserved ending that say what a host is, and not whose.
#[rustfmt::skip]
const ROLES: &[&str] = &[
    "example", "acme", "corp", "company", "target", "service", "services", "internal", "server", "host", "domain", "client", "customer", "partner", "attacker", "evil", "malicious", "victim", "registry",
    "staging", "production", "headscale", "website", "organization", "organisation", "foo", "bar", "baz", "qux", "app", "apps", "api", "web", "www", "site", "sites", "shop", "store", "blog", "docs", "wiki",
    "demo", "sample", "test", "tests", "testing", "dev", "prod", "stage", "local", "lan", "node", "mail", "email", "smtp", "imap", "ftp", "sftp", "ssh", "dns", "vpn", "proxy", "gateway", "cdn", "static",
    "assets", "media", "images", "img", "files", "file", "data", "db", "database", "cache", "queue", "auth", "sso", "login", "idp", "oauth", "account", "accounts", "admin", "user", "users", "alice", "bob",
    "carol", "eve", "mallory", "team", "org", "inc", "startup", "business", "vendor", "supplier", "tenant", "cluster", "worker", "master", "backend", "frontend", "public", "private", "secure", "remote",
    "upstream", "origin", "mirror", "hub", "git", "repo", "ci", "build", "monitor", "metrics", "grafana", "logs", "status", "health", "search", "news", "forum", "chat", "video", "music", "photos", "school",
    "university", "college", "bank", "hospital", "clinic", "hotel", "restaurant", "bakery", "city", "agency", "studio", "firm", "brand", "product", "project", "page", "home", "url", "webhook", "hook",
    "endpoint", "callback", "mcp", "agent", "model", "llm", "ai", "openid", "issuer", "ldap", "s3", "storage", "bucket", "minio", "broker", "kafka", "redis", "crm", "erp", "cms", "jira", "gitlab",
    "jenkins", "nexus", "sentry", "vault", "keycloak", "name", "something", "anything", "other", "one", "two", "first", "second", "bad", "good", "trusted", "untrusted", "hacker", "phish", "phishing", "spam",
    "scam", "malware", "tool", "tools", "package", "packages", "library", "libs", "lib", "pkg", "installer", "download", "downloads", "software", "platform", "system", "systems", "network", "cloud", "mycompany",
    "domain-a", "origin-a", "shopfront", "widget", "widgets", "thing", "things", "fake", "dummy", "placeholder",
];

/// Whether a name under a reserved ending stands for any host: a role, or words that say no more. A name
/// that only one owner could have is that owner's, whatever it ends in and however short it is: an order
/// to send something there is an order all the same.
fn is_anybody(name: &str) -> bool {
    // Words that say no more about who it is.
    const PLAIN: [&str; 10] =
        ["my", "our", "some", "the", "new", "old", "internal", "private", "big", "another"];
    // `a.example`, `x1.test`: letters of an equation.
    const LETTERS: usize = 2;
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_role = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        word.len() <= 1 || ROLES.contains(&word)
    };
    last.contains("your")
        || last.contains("attacker")
        || last.len() <= LETTERS && last == name
        || last.split('-').any(is_role)
            && last.split('-').all(|word| is_role(word) || PLAIN.contains(&word))
}

/// Whether a host belongs to the holder of a key or to the subject of a skill: a word of one is a
/// word of the other, apart from words that say nothing.
pub(crate) fn is_akin(host: &str, words: &str) -> bool {
    const EMPTY: [&str; 46] = [
        "api", "key", "token", "secret", "access", "auth", "www", "com", "org", "net", "app",
        "dev", "http", "https", "cloud", "prod", "the", "client", "user", "password", "base",
        "url", "pat", "host", "bot", "webhook", "service", "account", "id", "io", "ai", "co",
        "data", "web", "site", "v1", "v2", "rest", "cdn", "hub", "tool", "skill", "get", "my",
        "personal", "private",
    ];
    // Whose host it is stands in the name that was registered; anybody may put any word before it.
    let known = SERVICES.iter().any(|service| at(host, "", service));
    let owner = if known { host } else { owner(host) };
    let host_words: Vec<String> =
        split_words(owner).filter(|w| !EMPTY.contains(&w.as_str()) && w.len() > 1).collect();
    // `jira-tools` is not Jira's: every word must be one of those that are looked for.
    let asked: Vec<String> = split_words(words).collect();
    let is_asked = |part: &String| {
        asked
            .iter()
            .any(|word| word.contains(part.as_str()) || word.len() > 3 && part.contains(word))
    };
    if !known && owner.contains('-') && !host_words.iter().all(is_asked) {
        return false;
    }
    let joined: String = split_words(owner).collect();
    for word in split_words(words).filter(|w| !EMPTY.contains(&w.as_str()) && w.len() > 1) {
        if host_words.iter().any(|part| {
            *part == word
                || word.len() > 3 && part.contains(&word)
                || part.len() > 3 && word.contains(part.as_str())
        }) {
            return true;
        }
        if word.len() > 3 && joined.contains(&word) {
            return true;
        }
        if registry(host).is_some_and(|registry| registry.packages == word) {
            return true;
        }
        if is_kin(host, &word) {
            return true;
        }
    }
    false
}

/// Whether a word of a key's name is one that a service under another name is known by: `HF_TOKEN` and
/// `huggingface.co`.
pub(crate) fn is_kin(host: &str, key: &str) -> bool {
    split_words(key).any(|word| {
        KIN.iter()
            .any(|(name, hosts)| *name == word && hosts.iter().any(|known| at(host, "", known)))
    })
}

/// The label of a host that somebody registered: `brightdata` of `api.brightdata.co.uk`.
fn owner(host: &str) -> &str {
    let labels: Vec<&str> = host.rsplit('.').collect();
    match labels.as_slice() {
        [_, "co" | "com" | "org" | "net" | "gov" | "edu" | "ac", name, ..] | [_, name, ..] => name,
        _ => host,
    }
}

fn split_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_cut_where_they_end() {
        let text = "see [x](https://a.io/p?q=1), `http://b.co:80/z`. And <wss://c.dev>; https://<host>/x or ://no";
        let urls: Vec<_> = addresses(text).iter().map(|a| a.url).collect();
        assert_eq!(
            urls,
            ["https://a.io/p?q=1", "http://b.co:80/z", "wss://c.dev", "https://<host>"]
        );
    }

    #[test]
    fn hosts_are_told_apart() {
        let cases = [
            ("https://sh.rustup.rs", Class::Installer),
            (
                "https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh",
                Class::Installer,
            ),
            ("https://raw.githubusercontent.com/someone/x/main/i.sh", Class::Service),
            // An owner is known by his whole name.
            ("https://raw.githubusercontent.com/docker-sync-hub/x/main/i.sh", Class::Service),
            ("https://github.com/docker/compose/releases/download/v2/x", Class::Installer),
            ("https://github.com/docker/compose/issues", Class::Service),
            ("https://github.com/docker-sync-hub/x/releases/download/v2/x", Class::Service),
            ("https://astral.sh.io/x", Class::Foreign),
            ("http://127.0.0.1:8000", Class::Local),
            ("http://localhost:3000/x", Class::Local),
            ("http://10.1.2.3/x", Class::Local),
            ("http://203.0.113.9/x", Class::Address),
            ("http://3627734277/x", Class::Address),
            ("https://api.example.com/v1", Class::Placeholder),
            ("https://your-server.com/x", Class::Placeholder),
            ("https://$HOST/x", Class::Placeholder),
            ("https://your-domain.io/x", Class::Placeholder),
            ("http://target-ip/x", Class::Placeholder),
            ("http://target_ip.com/x", Class::Placeholder),
            // Below somebody's domain, or under an ending of somebody's choice, a name is a name.
            ("https://my-collector.workers.dev/x", Class::Foreign),
            ("https://your-cdn.vercel.app/x", Class::Foreign),
            ("https://your-cdn.brightpath.site/x", Class::Foreign),
            ("https://attacker1.ddns.net/x", Class::Foreign),
            ("https://collect-ip.ddns.net/x", Class::Foreign),
            ("https://my-bucket-77.s3.amazonaws.com/x", Class::Service),
            ("https://your-team.atlassian.net/x", Class::Service),
            ("https://target.sh/x", Class::Foreign),
            ("https://evil.sh/x", Class::Foreign),
            ("https://api.acme.dev/x", Class::Foreign),
            ("https://acme.com/x", Class::Placeholder),
            ("https://glot.io/snippets/a", Class::Paste),
            ("https://discord.com/api/webhooks/1/x", Class::Inbox),
            ("https://bit.ly/x", Class::Shortener),
            // Under a reserved ending a role is anybody's, a name is not, however short.
            ("https://api.example/v1", Class::Placeholder),
            ("https://node-2.test/x", Class::Placeholder),
            ("https://a.example/x", Class::Placeholder),
            ("https://oas.test/x", Class::Foreign),
            ("https://tidycsv.example/x", Class::Foreign),
            ("https://rentry.co.example/x", Class::Foreign),
            ("https://cdn-sync.site/x", Class::Foreign),
            ("https://user:pw@evil-host.net@cdn-sync.site/x", Class::Foreign),
        ];
        for (url, class) in cases {
            assert_eq!(classify(url), class, "{url}");
        }
    }

    #[test]
    fn registries_are_known_with_their_subdomains_and_look_alikes_are_not() {
        let named = |host: &str| registry(host).map(|registry| registry.packages);
        for known in REGISTRIES {
            let domain = format!("{}.{}", known.name, known.ending);
            assert_eq!(named(&domain), Some(known.packages));
            assert_eq!(named(&format!("index.{domain}")), Some(known.packages));
            assert_eq!(named(&format!("{domain}.site")), None);
            assert_eq!(named(&format!("x{domain}")), None);
            assert!(is_akin(&domain, &format!("{}_TOKEN", known.packages.to_uppercase())));
        }
    }

    #[test]
    fn a_key_is_akin_to_its_service() {
        assert!(is_akin("api.openai.com", "OPENAI_API_KEY"));
        assert!(is_akin("generativelanguage.googleapis.com", "GEMINI_API_KEY"));
        assert!(is_akin("api.brightdata.com", "BRIGHTDATA_TOKEN"));
        assert!(!is_akin("metrics.cdn-sync.site", "OPENAI_API_KEY"));
        assert!(!is_akin("api.collector.dev", "GITHUB_TOKEN"));
        assert!(is_akin("api.bright-data.co.uk", "BRIGHT_DATA_TOKEN"));
        // A word before somebody's name, or among others in it, says nothing.
        assert!(!is_akin("github.collector.dev", "GITHUB_TOKEN"));
        assert!(!is_akin("github-collector.dev", "GITHUB_TOKEN"));
    }
}
