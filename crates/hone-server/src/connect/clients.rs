//! The programs that can be connected, and where each keeps its servers.
//!
//! Facts about other programs, from their documentation in November 2026.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_library::Surroundings;
use serde_json::{Value, json};

use super::Reach;
use super::document::{Edit, Format};

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
    /// What that folder is called on macOS, where it is another.
    on_macos: Option<&'static str>,
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
    /// What its environment has besides what every client passes on.
    pub environment: BTreeMap<String, String>,
}

impl Shape {
    /// What the environment is called in an entry.
    fn environment(self) -> &'static str {
        match self {
            Self::Plain | Self::Typed => "env",
            Self::List => "environment",
            Self::Extension => "envs",
        }
    }
}

impl Server {
    /// Whether this starts hone's server, wherever it is installed; or under another name, when that is
    /// this very program or what `edit` wrote.
    pub(super) fn is_hone(&self, edit: Option<&Edit>) -> bool {
        let command = Path::new(&self.command);
        let is_this = || std::env::current_exe().is_ok_and(|this| this == command);
        let is_written =
            || command.is_absolute() && edit.is_some_and(|edit| edit.wrote(&self.command));
        self.arguments.iter().any(|argument| argument == "mcp")
            && (command.file_name().is_some_and(|name| name == "hone") || is_this() || is_written())
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
        on_macos: None,
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
        on_macos: None,
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
        on_macos: None,
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
        on_macos: None,
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
        on_macos: None,
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
        on_macos: Some("Library/Application Support/Code"),
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
        on_macos: None,
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
        on_macos: None,
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
        on_macos: None,
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
        let inside = Path::new(file).strip_prefix(self.home);
        match (self.on_macos, inside) {
            (Some(_), Ok(inside)) => self.folder(around).join(inside),
            _ => around.below_home(file),
        }
    }

    /// The folder that shows that it is used here.
    fn folder(&self, around: &Surroundings) -> PathBuf {
        match self.on_macos.filter(|_| around.platform == "macos") {
            Some(folder) => around.user_home.join(folder),
            None => around.below_home(self.home),
        }
    }

    /// Whether it seems to be used here.
    pub fn is_found(&self, around: &Surroundings) -> bool {
        self.folder(around).is_dir()
            || self.file(around, Path::new(""), Reach::User).is_some_and(|file| file.is_file())
    }

    /// The entry that starts a server.
    pub(super) fn entry(&self, name: &str, server: &Server) -> Value {
        let Server { command, arguments, environment } = server;
        let mut entry = match self.shape {
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
        };
        if !environment.is_empty() {
            entry[self.shape.environment()] = json!(environment);
        }
        entry
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
        let set = entry.get(self.shape.environment()).and_then(Value::as_object);
        let environment = set.into_iter().flatten();
        let environment = environment
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        Some(Server { command, arguments, environment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(platform: &str, moved: &[(&str, &str)]) -> Surroundings {
        Surroundings {
            cwd: PathBuf::from("/work"),
            user_home: PathBuf::from("/home/ada"),
            hone_home: PathBuf::from("/home/ada/.hone"),
            platform: platform.to_owned(),
            moved: moved.iter().map(|(from, to)| ((*from).to_owned(), PathBuf::from(to))).collect(),
        }
    }

    fn files(around: &Surroundings) -> Vec<String> {
        let file = |client: &Client| client.file(around, Path::new("/work"), Reach::User);
        CLIENTS.iter().map(|client| file(client).unwrap().display().to_string()).collect()
    }

    #[test]
    fn every_client_keeps_its_servers_where_its_system_has_them() {
        let linux = [
            "/home/ada/.claude.json",
            "/home/ada/.codex/config.toml",
            "/home/ada/.gemini/settings.json",
            "/home/ada/.cursor/mcp.json",
            "/home/ada/.config/opencode/opencode.json",
            "/home/ada/.config/Code/User/mcp.json",
            "/home/ada/.config/zed/settings.json",
            "/home/ada/.config/goose/config.yaml",
            "/home/ada/.hermes/config.yaml",
        ];
        assert_eq!(files(&around("linux", &[])), linux);
        let mut macos = linux;
        macos[5] = "/home/ada/Library/Application Support/Code/User/mcp.json";
        assert_eq!(files(&around("macos", &[])), macos);
        let moved = files(&around("linux", &[(".config", "/etc/xdg"), (".claude", "/opt/claude")]));
        assert_eq!(moved[0], "/opt/claude/.claude.json");
        assert_eq!(moved[5], "/etc/xdg/Code/User/mcp.json");
    }

    #[test]
    fn a_client_without_servers_yet_is_found_by_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let vscode = Client::find("vscode").unwrap();
        for (platform, folder) in
            [("linux", ".config/Code"), ("macos", "Library/Application Support/Code")]
        {
            let around =
                Surroundings { user_home: home.path().to_owned(), ..around(platform, &[]) };
            assert!(!vscode.is_found(&around), "{platform}");
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
            assert!(vscode.is_found(&around), "{platform}");
        }
    }
}
