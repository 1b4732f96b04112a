//! Where things are in this checkout, and how its programs are built.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{capture, run};
use crate::failure::Failure;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The cargo that started this task, working in the workspace's root.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Cargo's target folder, wherever the user's configuration puts it.
pub(crate) fn target() -> Result<PathBuf, Failure> {
    let output = capture(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_slice::<serde_json::Value>(&output.stdout)
        .ok()
        .and_then(|metadata| metadata["target_directory"].as_str().map(PathBuf::from))
        .ok_or_else(|| Failure::Unmet("`cargo metadata` names no target folder".to_owned()))
}

/// Builds the release binaries that `what` names and returns the folder they are in.
pub(crate) fn build_release(what: &[&str]) -> Result<PathBuf, Failure> {
    let mut build = cargo();
    build.args(["build", "--release", "--locked"]).args(what);
    run(&mut build)?;
    Ok(target()?.join("release"))
}
