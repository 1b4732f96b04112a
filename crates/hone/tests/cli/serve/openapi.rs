//! The interface against its own description, by a client that makes requests up.

use std::path::Path;
use std::process::Command;

use super::harness::Server;
use crate::harness::Sandbox;

/// The variable that names a Python beside which `schemathesis` is installed.
const VARIABLE: &str = "HONE_TEST_PYTHON";

#[test]
fn every_answer_to_made_up_requests_is_as_the_document_says() {
    let python = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).unwrap_or_else(|| {
        panic!("this test needs a Python with `schemathesis`: run `cargo xtask test`, or set {VARIABLE}")
    });
    let sandbox = Sandbox::with_tidy();
    sandbox.done("agent new ada");
    let server = Server::start(&sandbox, "");
    let checks = [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
        "ignored_auth",
        "unsupported_method",
    ];
    // A request that is too long is refused before it is read.
    sandbox.write(
        "tmp/schemathesis.toml",
        "[checks]\nnegative_data_rejection.expected-statuses = [\"4xx\"]\n",
    );
    let output = Command::new(Path::new(&python).with_file_name("schemathesis"))
        .arg("run")
        .arg(format!("http://{}/api/v1/openapi.json", server.address))
        .args(["--header", &format!("Authorization: Bearer {}", server.token)])
        .args(["--checks", &checks.join(",")])
        .args(["--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", "15", "--max-time", "60", "--seed", "1"])
        .args(["--rate-limit", "90/s", "--request-timeout", "30", "--suppress-health-check", "all"])
        .current_dir(sandbox.path("tmp"))
        .env("HYPOTHESIS_STORAGE_DIRECTORY", sandbox.path("tmp/hypothesis"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("Tested: 34"), "{said}");
    // Not one skill by its name: a made-up request may have removed it, as it may.
    assert_eq!(server.ask("GET /api/v1/skills").status, 200, "the server is well");
}
