//! The servers of tools that the configuration names.

use std::sync::Arc;

use hone_agent::model;
use hone_agent::tools::{Tool, mcp};
use tokio::runtime::Runtime;

use super::models::variable;
use crate::context::Context;
use crate::output::say;
use crate::terminal::printable_line;

/// The tools of the servers that can be reached; the others are told of, and the task goes on without.
pub(crate) fn connect(context: &Context, runtime: &Runtime) -> Vec<Arc<dyn Tool>> {
    let servers = &context.config.mcp;
    if servers.is_empty() {
        return Vec::new();
    }
    let client = match model::client(variable) {
        Ok(client) => client,
        Err(error) => {
            say(&format!("note: no MCP server can be asked: {error}"));
            return Vec::new();
        }
    };
    let folder = &context.around.cwd;
    let connected = runtime.block_on(mcp::connect(servers, &variable, &client, folder));
    for mcp::Problem { server, why } in &connected.problems {
        say(&format!("note: MCP server `{server}`: {}", printable_line(why)));
    }
    connected.tools
}
