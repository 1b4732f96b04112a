//! What a person can type about the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hone_server::http::{DEFAULT_PORT, Logged, Role};

/// `hone serve`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Serve {
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,

    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address, default_value_t = SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT)))]
    pub(crate) listen: SocketAddr,

    /// Another name that the server goes by, with a port when a proxy has another (repeatable)
    #[arg(long, value_name = "HOST[:PORT]", value_parser = host)]
    pub(crate) name: Vec<String>,

    /// The certificate for TLS with its chain, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Listen in plain text on an address that is not loopback: you say that the way there is safe
    #[arg(long)]
    pub(crate) exposed: bool,

    /// Nobody writes a skill or starts a task through it, whatever their token says
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Which requests are told on stderr, one JSON object a line
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = LogName::Changes)]
    pub(crate) log: LogName,

    /// Also send a span for each request to this OpenTelemetry collector (OTLP over HTTP, JSON)
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")]
    pub(crate) traces: Option<String>,
}

/// What to do besides serving.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Make, list and take back the tokens that clients show
    #[command(after_help = "Examples:\n  \
        hone serve token add ci --role write\n  \
        hone serve token list\n  \
        hone serve token remove ci")]
    #[command(subcommand)]
    Token(TokenCommand),
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it, the only time that it can be seen
    #[command(after_help = "Examples:\n  \
        hone serve token add ci                  may read\n  \
        hone serve token add editor --role write may read, change skills and decide\n  \
        hone serve token add bot --role run      may read and let agents work")]
    Add {
        /// Its name: lower-case letters, digits and hyphens
        name: String,
        /// What it may do besides reading (repeatable)
        #[arg(long, value_enum, value_name = "ROLE")]
        role: Vec<RoleName>,
    },
    /// List the tokens: names and roles, not the tokens themselves
    #[command(after_help = "Example:\n  \
        hone serve token list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a token back; a server that runs refuses it within a second
    #[command(after_help = "Example:\n  \
        hone serve token remove ci")]
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogName {
    /// None
    Nothing,
    /// Those that change something, and those that fail
    Changes,
    /// All
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleName {
    /// Look at everything
    Read,
    /// Change skills, and decide what waits for a decision
    Write,
    /// Let agents work
    Run,
}

impl From<LogName> for Logged {
    fn from(name: LogName) -> Self {
        match name {
            LogName::Nothing => Self::Nothing,
            LogName::Changes => Self::Changes,
            LogName::All => Self::All,
        }
    }
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Read => Self::Read,
            RoleName::Write => Self::Write,
            RoleName::Run => Self::Run,
        }
    }
}

/// A host as requests name it, with a port or without.
fn host(text: &str) -> Result<String, String> {
    let is_host = |url: &hone_net::Url| {
        let is_bare = url.username().is_empty() && url.password().is_none();
        is_bare && url.path() == "/" && url.query().is_none() && url.fragment().is_none()
    };
    let is_plain = text.chars().all(|c| c.is_ascii_graphic()) && !text.contains(['@', '/', '\\']);
    let url = hone_net::parse(&format!("http://{text}")).ok().filter(is_host);
    url.filter(|_| is_plain).map(|_| text.to_owned()).ok_or_else(|| {
        "a host is needed, such as `skills.example` or `skills.example:443`".to_owned()
    })
}

/// An address to listen on; `localhost` is the usual one.
fn address(text: &str) -> Result<SocketAddr, String> {
    let usual = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    usual.as_deref().unwrap_or(text).parse().map_err(|_| {
        "an address and a port are needed, such as `127.0.0.1:4663` or `[::1]:4663`".to_owned()
    })
}
