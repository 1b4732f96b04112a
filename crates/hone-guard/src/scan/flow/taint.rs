//! What a value carries on its way: secrets, keys, the environment, what was fetched or decoded; and
//! which names of variables are keys.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::scan::places::{Spot, classify, is_global, normalise};

/// What lies in the home or in one of its folders for documents, and the list of the machine's accounts: counted
/// as a packed folder is.
pub(crate) const PERSONAL: &str = "the person's own folders";
pub(crate) const ACCOUNTS: &str = "the accounts of this machine";

/// What counts only where a host is a stranger's, with what is said of it there.
pub(crate) const OWN: [(&str, &str); 3] = [
    (PACKED, "a whole folder goes"),
    (PERSONAL, "the person's own folders go"),
    (ACCOUNTS, "the list of this machine's accounts goes"),
];

/// What a path holds of the person's own, beside what is secret.
pub(crate) fn own_files(path: &str) -> Option<&'static str> {
    #[rustfmt::skip]
    const FOLDERS: [&str; 12] = [
        "documents", "desktop", "downloads", "photos", "movies", "videos", "music", "library", "dropbox", "onedrive",
        "google drive", "icloud drive",
    ];
    let path = normalise(path);
    if matches!(&*path, "/etc/passwd" | "/etc/group") {
        return Some(ACCOUNTS);
    }
    let mut folder = path.trim_end_matches('/');
    for end in ["/**", "/*", "/."] {
        folder = folder.strip_suffix(end).unwrap_or(folder);
    }
    let below = folder.strip_prefix("~/");
    let is_own = matches!(folder, "~" | "/home" | "/users" | "/root")
        || below.is_some_and(|below| FOLDERS.contains(&below))
        // Whatever has such a name, wherever it lies.
        || path.starts_with("~/") && path.rsplit('/').next().is_some_and(|name| name.starts_with("*.") && below.is_some_and(|below| !below.starts_with('.')));
    is_own.then_some(PERSONAL)
}

/// A folder that was packed: the person's work, as far as is known. It is no secret, and one host's answer to
/// it may be what the skill is for; it counts where a host is a stranger's.
pub(crate) const PACKED: &str = "a folder that was packed";

/// What a project keeps its variables in.
const DOT_ENV: &str = ".env file";

/// What a value carries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Taint {
    /// Secret files, keychains, transcripts: what each holds.
    pub(crate) secrets: BTreeSet<&'static str>,
    /// The whole environment.
    pub(crate) environment: bool,
    /// Single variables of the environment, by name.
    pub(crate) keys: Keys,
    /// Fetched from the network; where from, as far as that is known.
    pub(crate) remote: Option<String>,
    /// Made readable by decoding; how.
    pub(crate) decoded: Option<&'static str>,
    /// A connection: what is written to it goes to the network.
    pub(crate) connection: Option<String>,
    /// Something only known when it runs: user input, arguments.
    pub(crate) input: bool,
    /// Read from a data file that the skill ships.
    pub(crate) bundled: Option<String>,
}

impl Taint {
    pub(crate) fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it carries what must not go everywhere, or what must not run.
    pub(crate) fn matters(&self) -> bool {
        !self.secrets.is_empty()
            || self.environment
            || !self.keys.is_empty()
            || self.remote.is_some()
            || self.decoded.is_some()
    }

    pub(crate) fn secret(what: &'static str) -> Self {
        Self { secrets: BTreeSet::from([what]), ..Self::default() }
    }

    pub(crate) fn key(name: &str) -> Self {
        Self { keys: Keys::of(name), ..Self::default() }
    }

    /// One variable out of a file of them: no more than if it had been in the environment.
    pub(crate) fn narrow_to(&mut self, names: &[&str]) {
        if !names.is_empty() && self.secrets.remove(DOT_ENV) {
            for name in names {
                self.keys.add(&Keys::of(name));
            }
        }
    }

    pub(crate) fn is_of_dot_env(&self) -> bool {
        self.secrets.contains(DOT_ENV)
    }

    pub(crate) fn environment() -> Self {
        Self { environment: true, ..Self::default() }
    }

    pub(crate) fn remote(from: impl Into<String>) -> Self {
        Self { remote: Some(from.into()), ..Self::default() }
    }

    pub(crate) fn decoded(how: &'static str) -> Self {
        Self { decoded: Some(how), ..Self::default() }
    }

    /// The secrets and the environment in it, without where it came from.
    pub(crate) fn carried(&self) -> Self {
        Self {
            environment: self.environment,
            secrets: self.secrets.clone(),
            keys: self.keys.clone(),
            ..Self::default()
        }
    }

    /// What a path holds, when it is read.
    pub(crate) fn of_file(path: &str) -> Self {
        if path.contains("://") {
            let rest: Vec<&str> =
                path.split_whitespace().filter(|word| !is_address(word)).collect();
            return if rest.iter().any(|word| word.contains("://")) {
                Self::of_path(path)
            } else {
                Self::of_path(&rest.join(" "))
            };
        }
        Self::of_path(path)
    }

    fn of_path(path: &str) -> Self {
        match classify(path) {
            Some(Spot::Secret("environment")) => Self::environment(),
            Some(Spot::Secret(what)) => Self::secret(what),
            Some(Spot::DotEnv) => Self::secret(DOT_ENV),
            Some(Spot::Transcripts) => Self::secret("agent transcripts"),
            Some(Spot::PackageConfig) => Self::secret("registry credentials"),
            Some(Spot::Traces) if path.contains("history") => Self::secret("shell history"),
            Some(Spot::AgentMemory) if is_global(path) => Self::secret("agent memory"),
            _ => Self::default(),
        }
    }

    /// Takes on what another value carries; says whether that changed anything.
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let before = (
            self.secrets.len(),
            self.environment,
            self.keys.len(),
            self.remote.is_some(),
            self.decoded.is_some(),
            self.connection.is_some(),
            self.input,
            self.bundled.is_some(),
        );
        const MOST: usize = 32;
        if self.secrets.len() < MOST {
            self.secrets.extend(&other.secrets);
        }
        self.keys.add(&other.keys);
        self.environment |= other.environment;
        self.input |= other.input;
        if self.remote.is_none() || self.remote.as_deref() == Some("") {
            self.remote = other.remote.clone().or(self.remote.take());
        }
        self.decoded = self.decoded.or(other.decoded);
        if self.connection.is_none() {
            self.connection.clone_from(&other.connection);
        }
        if self.bundled.is_none() {
            self.bundled.clone_from(&other.bundled);
        }
        before
            != (
                self.secrets.len(),
                self.environment,
                self.keys.len(),
                self.remote.is_some(),
                self.decoded.is_some(),
                self.connection.is_some(),
                self.input,
                self.bundled.is_some(),
            )
    }

    pub(super) fn described(&self) -> String {
        if self.environment {
            "the whole environment".to_owned()
        } else if let Some(what) = self.secrets.first() {
            (*what).to_owned()
        } else {
            self.keys.iter().take(4).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Whether a text is the address of something elsewhere: what lies at `https://example.org/.env` is nobody's
/// here, and `https://api.on.aws/v1` is no folder.
fn is_address(path: &str) -> bool {
    let Some((scheme, rest)) = path.split_once("://") else { return false };
    !scheme.eq_ignore_ascii_case("file")
        && !scheme.is_empty()
        && scheme.bytes().all(|b| b.is_ascii_alphabetic())
        && !rest.contains('~')
}

/// Keys that one value is known to carry.
const MAX_KEYS: usize = 64;

/// Names of variables of the environment, in order. They are shared: a script can hand all of them from
/// one variable to the next in every line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Keys(Option<Rc<[Rc<str>]>>);

impl Keys {
    pub(crate) fn of(name: &str) -> Self {
        Self(Some(Rc::from([Rc::from(name)])))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |keys| keys.len())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|keys| keys.iter()).map(|key| &**key)
    }

    /// Takes on more keys, its own first, as many as are kept.
    pub(crate) fn add(&mut self, more: &Self) {
        let Some(more) = &more.0 else { return };
        let Some(own) = &self.0 else {
            self.0 = Some(Rc::clone(more));
            return;
        };
        if Rc::ptr_eq(own, more) || own.len() >= MAX_KEYS {
            return;
        }
        let room = MAX_KEYS - own.len();
        let new = more.iter().filter(|key| own.binary_search(key).is_err()).take(room);
        let mut all: Vec<Rc<str>> = new.cloned().collect();
        if !all.is_empty() {
            all.extend(own.iter().cloned());
            all.sort_unstable();
            self.0 = Some(all.into());
        }
    }

    /// Those of the keys for which something holds.
    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        let kept: Rc<[Rc<str>]> =
            self.0.iter().flat_map(|keys| keys.iter()).filter(|key| keep(key)).cloned().collect();
        self.0 = Some(kept).filter(|kept| !kept.is_empty());
    }
}

/// Commands that print secrets, by words that all stand in them, and what they print.
#[rustfmt::skip]
const PRINTERS: &[(&[&str], &str)] = &[
    (&["netsh", "wlan", "key=clear"], "Wi-Fi passwords"),
    (&["gh", "auth", "status", "-t"], "GitHub credentials"),
    (&["gh", "auth", "status", "--show-token"], "GitHub credentials"),
    (&["glab", "auth", "status", "-t"], "GitHub credentials"),
    (&["git", "credential", "fill"], "git credentials"),
    (&["git", "credential-store", "get"], "git credentials"),
    (&["git", "credential-osxkeychain", "get"], "git credentials"),
    (&["aws", "configure", "get"], "AWS credentials"),
    (&["aws", "configure", "export-credentials"], "AWS credentials"),
    (&["aws", "create-access-key"], "AWS credentials"),
    (&["aws", "get-secret-value"], "AWS credentials"),
    (&["aws", "get-session-token"], "AWS credentials"),
    (&["aws", "assume-role"], "AWS credentials"),
    (&["aws", "ssm", "--with-decryption"], "AWS credentials"),
    (&["gcloud", "print-access-token"], "cloud access token"),
    (&["gcloud", "print-identity-token"], "cloud access token"),
    (&["gcloud", "secrets", "versions", "access"], "cloud secrets"),
    (&["az", "get-access-token"], "cloud access token"),
    (&["az", "keyvault", "secret", "show"], "cloud secrets"),
    (&["doctl", "auth", "token"], "cloud access token"),
    (&["heroku", "auth:token"], "cloud access token"),
    (&["vault", "kv", "get"], "Vault secrets"),
    (&["vault", "read"], "Vault secrets"),
    (&["vault", "print", "token"], "Vault secrets"),
    (&["doppler", "secrets"], "project secrets"),
    (&["infisical", "export"], "project secrets"),
    (&["infisical", "secrets"], "project secrets"),
    (&["chamber", "export"], "project secrets"),
    (&["sops", "-d"], "project secrets"),
    (&["sops", "--decrypt"], "project secrets"),
    (&["kubectl", "create", "token"], "Kubernetes credentials"),
    (&["kubectl", "config", "view", "--raw"], "Kubernetes credentials"),
    (&["kubectl", "get", "secret"], "Kubernetes secrets"),
    (&["kubectl", "get", "secrets"], "Kubernetes secrets"),
    (&["security", "find-generic-password"], "keychain"),
    (&["security", "find-internet-password"], "keychain"),
    (&["security", "dump-keychain"], "keychain"),
    (&["security", "export"], "keychain"),
    (&["secret-tool", "lookup"], "passwords"),
    (&["secret-tool", "search"], "passwords"),
    (&["pass", "show"], "passwords"),
    (&["op", "read"], "passwords"),
    (&["op", "item", "get"], "passwords"),
    (&["bw", "get"], "passwords"),
    (&["bw", "export"], "passwords"),
    (&["lpass", "show"], "passwords"),
    (&["lpass", "export"], "passwords"),
    (&["keyring", "get"], "passwords"),
    (&["gopass", "show"], "passwords"),
    (&["kwallet-query"], "passwords"),
    (&["kwalletcli"], "passwords"),
    (&["keepassxc-cli", "show"], "passwords"),
    (&["keepassxc-cli", "export"], "passwords"),
    (&["rbw", "get"], "passwords"),
    (&["dashlane", "password"], "passwords"),
    (&["nmcli", "-s"], "passwords"),
    (&["nmcli", "--show-secrets"], "passwords"),
    (&["security", "find-certificate"], "keychain"),
    (&["heroku", "config"], "project secrets"),
    (&["fly", "secrets", "list"], "project secrets"),
    (&["flyctl", "secrets", "list"], "project secrets"),
    (&["railway", "variables"], "project secrets"),
    (&["vercel", "env", "pull"], "project secrets"),
    (&["eas", "env:list"], "project secrets"),
    (&["terraform", "output"], "project secrets"),
    (&["terraform", "state", "pull"], "project secrets"),
    (&["pulumi", "--show-secrets"], "project secrets"),
    (&["ansible-vault", "view"], "project secrets"),
    (&["ansible-vault", "decrypt"], "project secrets"),
    (&["teller", "show"], "project secrets"),
    (&["dotenvx", "get"], "project secrets"),
    (&["npm", "token", "list"], "registry credentials"),
    (&["gcloud", "config-helper"], "cloud access token"),
    (&["oc", "whoami", "-t"], "cloud access token"),
    (&["gitlab-runner", "list"], "cloud access token"),
    (&["cmdkey", "/list"], "passwords"),
    (&["vaultcmd", "/listcreds"], "passwords"),
    (&["docker-credential-desktop", "get"], "registry credentials"),
    (&["docker-credential-osxkeychain", "get"], "registry credentials"),
    (&["docker-credential-secretservice", "get"], "registry credentials"),
    (&["npm", "config", "get", "_authtoken"], "registry credentials"),
    (&["docker", "exec", "env"], "the environment of containers"),
    (&["docker", "exec", "printenv"], "the environment of containers"),
    (&["docker", "inspect"], "the environment of containers"),
    (&["gpg", "--export-secret-keys"], "GPG keys"),
    (&["gpg", "--export-secret-key"], "GPG keys"),
];

/// Longest command that is looked at for what it prints.
const MAX_COMMAND: usize = 4096;

/// What a command prints, when it is one that hands out secrets.
pub(crate) fn printed_by(command: &str) -> Taint {
    if command.len() > MAX_COMMAND {
        return Taint::default();
    }
    let lower = command.to_ascii_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',')).collect();
    let has = |word: &&str| {
        words.iter().any(|w| w == word || word.starts_with('_') && w.ends_with(*word))
    };
    if ["gh", "auth", "token"].iter().all(&has) {
        return Taint::key("GITHUB_TOKEN");
    }
    PRINTERS
        .iter()
        .find(|(parts, _)| parts.iter().all(&has))
        .map_or_else(Taint::default, |(_, what)| Taint::secret(what))
}

/// Words in names of variables whose value opens a known service.
const VENDORS: &[&str] = &[
    "AWS",
    "GITHUB",
    "GH",
    "GITLAB",
    "OPENAI",
    "ANTHROPIC",
    "CLAUDE",
    "GOOGLE",
    "GEMINI",
    "GCP",
    "AZURE",
    "STRIPE",
    "SLACK",
    "DISCORD",
    "NPM",
    "PYPI",
    "TWINE",
    "DOCKER",
    "DOCKERHUB",
    "HUGGINGFACE",
    "HF",
    "CLOUDFLARE",
    "CF",
    "VERCEL",
    "SUPABASE",
    "TWILIO",
    "SENDGRID",
    "NOTION",
    "LINEAR",
    "JIRA",
    "VAULT",
    "DIGITALOCEAN",
    "HEROKU",
    "GROQ",
    "MISTRAL",
    "COHERE",
    "REPLICATE",
    "DEEPSEEK",
    "OPENROUTER",
    "XAI",
    "DATABASE",
    "POSTGRES",
    "MYSQL",
    "MONGO",
    "MONGODB",
    "REDIS",
    "SSH",
    "KUBE",
    "NETLIFY",
    "FIREBASE",
    "SENTRY",
    "DATADOG",
    "SHOPIFY",
    "WALLET",
    "MNEMONIC",
    "SEED",
    "PRIVATE",
    "DB",
];

/// Whether a variable opens a service that is known by name.
pub(crate) fn is_vendor_key(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    is_key_name(&upper) && upper.split('_').any(|word| VENDORS.contains(&word))
        || matches!(
            upper.as_str(),
            "DATABASE_URL"
                | "PGPASSWORD"
                | "MYSQL_PWD"
                | "KUBECONFIG"
                | "SSH_AUTH_SOCK"
                | "REDIS_URL"
                | "MONGODB_URI"
        )
}

/// Whether a variable's name says that it holds a secret.
pub(crate) fn is_key_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PWD",
        "CREDENTIAL",
        "PAT",
        "AUTH",
        "MNEMONIC",
        "SEED",
        "COOKIE",
        "SESSION",
        "DATABASE_URL",
    ]
    .iter()
    .any(|word| {
        upper.split('_').any(|part| part == *word || part == format!("{word}S"))
            || upper.contains(word) && word.len() > 4
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_carries_as_many_keys() {
        let keys = |count: usize| {
            let mut all = Keys::default();
            (0..count).for_each(|at| all.add(&Keys::of(&format!("KEY_{at:03}"))));
            all
        };
        assert_eq!(keys(MAX_KEYS).len(), MAX_KEYS);
        assert_eq!(keys(MAX_KEYS + 1), keys(MAX_KEYS));
        // Its own come first.
        let mut own = Keys::of("OWN_KEY");
        own.add(&keys(MAX_KEYS));
        assert_eq!((own.len(), own.iter().last()), (MAX_KEYS, Some("OWN_KEY")));
    }

    #[test]
    fn keys_that_are_handed_on_are_shared() {
        let first = Taint::key("A_KEY");
        let mut second = Taint::default();
        assert!(second.add(&first));
        assert!(!second.add(&first));
        let (Some(one), Some(other)) = (&first.keys.0, &second.keys.0) else { panic!() };
        assert!(Rc::ptr_eq(one, other));
    }
}
