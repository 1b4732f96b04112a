//! The JSON of connections to other programs.

use schemars::JsonSchema;
use serde::Serialize;

/// `hone connect --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Connections {
    pub(crate) clients: Vec<Client>,
}

/// A program that can start the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Client {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Whether it seems to be used here.
    pub(crate) is_found: bool,
    /// Its files, the person's first, and in each every server that is ours.
    pub(crate) files: Vec<ClientFile>,
}

/// A file that names servers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClientFile {
    /// `user` or `project`.
    pub(crate) scope: &'static str,
    pub(crate) path: String,
    /// What the server is called there; one entry each when a file has several.
    pub(crate) name: String,
    /// `connected`, `not-connected`, `taken` by another server of that name, or `unreadable`.
    pub(crate) state: &'static str,
    /// What is started, or why the file cannot be read.
    pub(crate) detail: Option<String>,
}

/// `hone connect CLIENT --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConnectChange {
    pub(crate) client: &'static str,
    pub(crate) path: String,
    /// Whether the file says, or would say, something else than before.
    pub(crate) is_change: bool,
    pub(crate) is_written: bool,
    pub(crate) diff: String,
}
