//! The MCP servers that agents on this machine are set up with, by name, as their own configuration
//! files list them.
//!
//! The lists are facts about other programs, and never whole: a server that is found is there, one that
//! is not may be set up elsewhere. A file that is absent, too large or not understood lists nothing.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use hone_library::{Project, Surroundings};
use serde_json::Value;

/// Largest configuration that is read, in bytes; one agent keeps its history in the same file.
const MAX_BYTES: u64 = 16 << 20;

/// Files below the home and below a project, and the key of the table of servers in each.
const AT_HOME: [(&str, &str); 8] = [
    (".claude.json", "mcpServers"),
    (".codex/config.toml", "mcp_servers"),
    (".cursor/mcp.json", "mcpServers"),
    (".gemini/settings.json", "mcpServers"),
    (".copilot/mcp-config.json", "mcpServers"),
    (".codeium/windsurf/mcp_config.json", "mcpServers"),
    (".config/opencode/opencode.json", "mcp"),
    (".config/amp/settings.json", "amp.mcpServers"),
];
const IN_PROJECT: [(&str, &str); 6] = [
    (".mcp.json", "mcpServers"),
    (".codex/config.toml", "mcp_servers"),
    (".cursor/mcp.json", "mcpServers"),
    (".gemini/settings.json", "mcpServers"),
    (".vscode/mcp.json", "servers"),
    ("opencode.json", "mcp"),
];

/// The names of all servers that some agent is set up with, for this person and project.
pub(crate) fn set_up(around: &Surroundings) -> BTreeSet<String> {
    let project = Project::find(around).map(|project| project.root);
    let mut names = BTreeSet::new();
    for (file, key) in AT_HOME {
        let Some(settings) = read(&around.user_home.join(file)) else { continue };
        add(&settings[key], &mut names);
        // Claude Code keeps servers of a project here, too.
        if let Some(root) = &project {
            add(&settings["projects"][root.to_string_lossy().as_ref()][key], &mut names);
        }
    }
    for (file, key) in IN_PROJECT {
        let path = project.as_ref().map(|root| root.join(file));
        if let Some(settings) = path.and_then(|path| read(&path)) {
            add(&settings[key], &mut names);
        }
    }
    names
}

fn add(servers: &Value, names: &mut BTreeSet<String>) {
    let Some(servers) = servers.as_object() else { return };
    let is_on = |server: &Value| server["enabled"] != false && server["disabled"] != true;
    names.extend(servers.iter().filter(|(_, server)| is_on(server)).map(|(name, _)| name.clone()));
}

fn read(path: &Path) -> Option<Value> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MAX_BYTES + 1).read_to_string(&mut text).ok()?;
    if text.len() as u64 > MAX_BYTES {
        return None;
    }
    if path.extension().is_some_and(|extension| extension == "toml") {
        toml_edit::de::from_str(&text).ok()
    } else {
        serde_json::from_str(&text).ok()
    }
}
