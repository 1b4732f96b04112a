//! The programs that can be connected, and where each keeps its servers.
//!
//! Facts about other programs, from their documentation in November 2026.

use std::path::{Path, PathBuf};

use hone_library::Surroundings;
use serde_json::{Value, json};

use super::Reach;
use super::document::Format;

/// A program that starts servers.
#[derive(Debug)]
pub struct Client {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// Its configuration below the user's home; of several, the first that is there.
    user: &'static [&'static str],
    /// Its configuration in a project; empty when it has none.
    project: &'static [&'static str],
    /// A folder below the home that shows that it is used here.
    home: &'static str,
    pub(super) format: Format,
    /// The map of servers.
    pub(super) section: &'static str,
    shape: Shape,
}

/// How an entry is written.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same, and that it speaks over its input and output.
    Typed,
    /// One list that holds both.
    List,
    /// Goose's extensions.
    Extension,
}

/// How a server is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Server {
    /// Whether this starts hone's server, wherever it is installed.
    pub(super) fn is_hone(&self) -> bool {
        let name = Path::new(&self.command).file_name();
        name.is_some_and(|name| name == "hone")
            && self.arguments.iter().any(|argument| argument == "mcp")
    }
}

/// Every client we know.
pub const CLIENTS: [Client; 9] = [
    Client {
        id: "claude-code",
        name: "Claude Code",
        user: &[".claude.json"],
        project: &[".mcp.json"],
        home: ".claude",
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Typed,
    },
    Client {
        id: "codex",
        name: "Codex",
        user: &[".codex/config.toml"],
        project: &[".codex/config.toml"],
        home: ".codex",
        format: Format::Toml,
        section: "mcp_servers",
        shape: Shape::Plain,
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        user: &[".gemini/settings.json"],
        project: &[".gemini/settings.json"],
        home: ".gemini",
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
    },
    Client {
        id: "cursor",
        name: "Cursor",
        user: &[".cursor/mcp.json"],
        project: &[".cursor/mcp.json"],
        home: ".cursor",
        format: Format::Json,
        section: "mcpServers",
        shape: Shape::Plain,
    },
    Client {
        id: "opencode",
        name: "OpenCode",
        user: &[".config/opencode/opencode.jsonc", ".config/opencode/opencode.json"],
        project: &["opencode.jsonc", "opencode.json"],
        home: ".config/opencode",
        format: Format::Json,
        section: "mcp",
        shape: Shape::List,
    },
    Client {
        id: "vscode",
        name: "VS Code",
        user: &[".config/Code/User/mcp.json"],
        project: &[".vscode/mcp.json"],
        home: ".config/Code",
        format: Format::Json,
        section: "servers",
        shape: Shape::Typed,
    },
    Client {
        id: "zed",
        name: "Zed",
        user: &[".config/zed/settings.json"],
        project: &[".zed/settings.json"],
        home: ".config/zed",
        format: Format::Json,
        section: "context_servers",
        shape: Shape::Plain,
    },
    Client {
        id: "goose",
        name: "goose",
        user: &[".config/goose/config.yaml"],
        project: &[],
        home: ".config/goose",
        format: Format::Yaml,
        section: "extensions",
        shape: Shape::Extension,
    },
    Client {
        id: "hermes",
        name: "Hermes",
        user: &[".hermes/config.yaml"],
        project: &[],
        home: ".hermes",
        format: Format::Yaml,
        section: "mcp_servers",
        shape: Shape::Plain,
    },
];

impl Client {
    /// The client of that name.
    pub fn find(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// The file that holds its servers; none when it has no such.
    pub fn file(&self, around: &Surroundings, project: &Path, reach: Reach) -> Option<PathBuf> {
        let candidates: Vec<PathBuf> = match reach {
            Reach::Project => self.project.iter().map(|file| project.join(file)).collect(),
            Reach::User => self.user.iter().map(|file| self.user_file(around, file)).collect(),
        };
        let there = candidates.iter().find(|file| file.exists());
        there.or(candidates.last()).cloned()
    }

    fn user_file(&self, around: &Surroundings, file: &str) -> PathBuf {
        // Claude Code keeps this one beside its folder, unless a variable moved the folder.
        if let (".claude.json", Some(moved)) = (file, around.moved.get(".claude")) {
            return moved.join(file);
        }
        if self.id == "vscode" && around.platform == "macos" {
            return around.user_home.join("Library/Application Support/Code/User/mcp.json");
        }
        around.below_home(file)
    }

    /// Whether it seems to be used here.
    pub fn is_found(&self, around: &Surroundings) -> bool {
        around.below_home(self.home).is_dir()
            || self.file(around, Path::new(""), Reach::User).is_some_and(|file| file.is_file())
    }

    /// The entry that starts a server.
    pub(super) fn entry(&self, name: &str, server: &Server) -> Value {
        let Server { command, arguments } = server;
        match self.shape {
            Shape::Plain => json!({"command": command, "args": arguments}),
            Shape::Typed => json!({"type": "stdio", "command": command, "args": arguments}),
            Shape::List => {
                let words: Vec<&String> = std::iter::once(command).chain(arguments).collect();
                json!({"type": "local", "command": words, "enabled": true})
            }
            Shape::Extension => json!({
                "type": "stdio",
                "name": name,
                "cmd": command,
                "args": arguments,
                "description": "Skills",
                "enabled": true,
                "timeout": 300,
            }),
        }
    }

    /// The server that an entry starts; none when it starts none.
    pub(super) fn server(&self, entry: &Value) -> Option<Server> {
        let words = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let (command, arguments) = match self.shape {
            Shape::List => {
                let mut words = words(entry.get("command")?)?;
                (!words.is_empty()).then(|| (words.remove(0), words))?
            }
            Shape::Plain | Shape::Typed | Shape::Extension => {
                let command = entry.get("command").or(entry.get("cmd"))?.as_str()?.to_owned();
                (command, entry.get("args").map_or(Some(Vec::new()), words)?)
            }
        };
        Some(Server { command, arguments })
    }
}
