//! MCP servers as sources: the reference server in both eras, and servers that lie.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hone_hub::limits::{MAX_INDEX_SKILLS, MAX_MANIFESTS_BYTES};
use hone_hub::{
    FetchError, Fetched, Fetcher, OfferStanding, Pin, Supply, Wanted, fetch, open, parse,
};
use serde_json::{Value, json};

use crate::server::{Act, Request, Server, good};
use crate::{bundle, options, shown, skill, write};

/// The reference server, over the skills of a folder.
pub(crate) struct Reference {
    child: Child,
    pub(crate) source: String,
}

impl Reference {
    pub(crate) fn start(era: &str, folder: &Path) -> Self {
        let python = std::env::var("HONE_TEST_PYTHON")
            .expect("HONE_TEST_PYTHON names a Python with `mcp`; `cargo xtask test` sets it");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources/mcp_server.py");
        let mut command = Command::new(python);
        command.arg(script).arg(era).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let source = format!("mcp+http://127.0.0.1:{}/mcp", port.trim());
        Self { child, source }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // It ends with its standard input.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn skills_come_from_the_reference_server_in_both_eras() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("pdf/SKILL.md", &skill("pdf")),
            ("pdf/references/a b.md", "Äpfel\n"),
            ("pdf/inner/SKILL.md", &skill("inner")),
            ("word/SKILL.md", &skill("word")),
        ],
    );
    let bytes: Vec<u8> = (0..=255).collect();
    std::fs::write(folder.path().join("pdf/all.bin"), &bytes).unwrap();
    for era in ["modern", "legacy"] {
        let server = Reference::start(era, folder.path());
        let fetched = crate::fetched(&server.source).unwrap();
        let pdf = ["SKILL.md", "all.bin", "inner/SKILL.md", "references/a b.md"];
        let expected =
            [bundle("pdf", "shelf/pdf", &pdf), bundle("word", "shelf/word", &["SKILL.md"])];
        assert_eq!(shown(&fetched.bundles), expected, "{era}");
        assert_eq!(fetched.bundles[0].files["all.bin"].bytes, bytes);
        assert_eq!(fetched.bundles[0].files["references/a b.md"].bytes, "Äpfel\n".as_bytes());
        assert_eq!(fetched.source.to_string(), server.source);
        let digests: Vec<_> = fetched.bundles.iter().map(|one| one.digest.clone()).collect();
        assert!(digests[0].is_some() && digests[0] != digests[1], "{digests:?}");
        let inner = crate::named(&server.source, &["inner"]).unwrap();
        assert_eq!(
            shown(&inner.bundles),
            [bundle("inner", "shelf/pdf/inner", &["SKILL.md"])],
            "{era}"
        );
    }
}

#[test]
fn a_skill_that_is_not_listed_comes_by_its_address_and_again_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let (quiet, listed) = (skill("quiet one"), skill("pdf"));
    let files = [
        ("pdf/SKILL.md", listed.as_str()),
        ("unlisted/quiet one/SKILL.md", &quiet),
        ("unlisted/quiet one/a.md", "a"),
    ];
    write(folder.path(), &files);
    for era in ["modern", "legacy"] {
        let server = Reference::start(era, folder.path());
        assert_eq!(crate::fetched(&server.source).unwrap().bundles.len(), 1, "{era}");
        let path = "shelf/unlisted/quiet one";
        let expected = [bundle("quiet one", path, &["SKILL.md", "a.md"])];
        for address in [
            "skill://shelf/unlisted/quiet%20one/SKILL.md",
            "skill://shelf/unlisted/quiet%20one",
            path,
        ] {
            let found = crate::named(&server.source, &[address]).unwrap();
            assert_eq!(shown(&found.bundles), expected, "{era}: {address}");
        }
        // As an update and a restore ask for it.
        let fetcher = Fetcher::new(folder.path(), |options| {
            options.net = crate::options(folder.path()).net;
        });
        let paths = [path.to_owned(), "shelf/gone".to_owned()];
        let again = fetcher.unwrap().fetch(&server.source, Pin::Newest, Some(&paths)).unwrap();
        assert_eq!(shown(&again.bundles), expected, "{era}");
        let error = crate::named(&server.source, &["skill://shelf/none"]).unwrap_err();
        assert!(matches!(error, FetchError::NoSuchSkill { .. }), "{era}: {error}");
    }
}

#[test]
fn a_skill_that_is_not_listed_is_the_one_that_was_asked_for() {
    let asked = |skill: Value| {
        let server = Server::http(move |request| {
            answered(request, |method, _| match method {
                "skills/list" => json!({"skills": []}),
                "skills/get" => json!({"skill": skill}),
                _ => json!({"contents": Shelf::of("tidy").contents}),
            })
        });
        crate::named(&source(&server), &["skill://tidy"]).map_err(|error| error.to_string())
    };
    let mut entry = Shelf::of("tidy").list["skills"][0].take();
    assert_eq!(asked(entry.clone()).unwrap().bundles.len(), 1);
    let another = asked(Shelf::of("other").list["skills"][0].take()).unwrap_err();
    assert!(another.ends_with("it answers `skills/get` with another skill"), "{another}");
    let nothing = asked(Value::Null).unwrap_err();
    assert!(nothing.contains("its answer to `skills/get` cannot be read"), "{nothing}");
    entry["resources"] = json!("dynamic");
    let unchecked = asked(entry).unwrap_err();
    assert!(unchecked.contains("nothing could be checked"), "{unchecked}");
}

#[test]
fn nothing_is_read_that_is_not_taken() {
    let server = Shelf::of("tidy").serve();
    let work = tempfile::tempdir().unwrap();
    let opened = open(&parse(&source(&server)).unwrap(), &options(work.path())).unwrap();
    assert_eq!(opened.offered.len(), 1);
    assert_eq!(opened.offered[0].standing, OfferStanding::Open);
    assert_eq!(server.requests().len(), 2, "a greeting and a list");
}

/// A server without sessions that serves one skill, and lies as it is told.
#[derive(Clone)]
struct Shelf {
    /// The answer to `skills/list`.
    list: Value,
    /// The contents of every file.
    contents: Value,
}

impl Shelf {
    fn of(name: &str) -> Self {
        let (uri, text) = (format!("skill://{name}/SKILL.md"), skill(name));
        let digest = format!("sha256:{}", hone_library::hash(text.as_bytes()));
        let frontmatter = json!({"name": name, "description": format!("Does {name}")});
        let file = json!({"uri": uri, "digest": digest, "size": text.len()});
        Self {
            list: json!({"skills": [
                {"uri": uri, "frontmatter": frontmatter, "resources": [file]},
            ]}),
            contents: json!([{"uri": uri, "text": text}]),
        }
    }

    fn serve(self) -> Server {
        Server::http(move |request| {
            answered(request, |method, _| {
                if method == "skills/list" {
                    self.list.clone()
                } else {
                    json!({"contents": self.contents})
                }
            })
        })
    }
}

fn source(server: &Server) -> String {
    format!("mcp+{}", server.url("/mcp"))
}

/// The answer to a question, by its method and its parameters.
fn answered(request: &Request, result: impl Fn(&str, &Value) -> Value) -> Act {
    let asked: Value = serde_json::from_slice(&request.body).unwrap();
    let method = asked["method"].as_str().unwrap();
    assert_eq!(request.header("Mcp-Method"), method);
    let result = if method == "server/discover" {
        json!({"supportedVersions": ["2026-07-28"]})
    } else {
        result(method, &asked["params"])
    };
    json_answer(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
}

fn json_answer(value: &Value) -> Act {
    let Act::Send(bytes) = good(value.to_string().as_bytes()) else { unreachable!() };
    let text = String::from_utf8(bytes).unwrap();
    let typed = text.replacen("\r\n", "\r\nContent-Type: application/json\r\n", 1);
    Act::Send(typed.into_bytes())
}

fn taken(server: &Server) -> Result<Fetched, FetchError> {
    let work = tempfile::tempdir().unwrap();
    let source = parse(&source(server)).unwrap();
    fetch(&source, &Wanted::All, &options(work.path()))
}

fn failure(shelf: Shelf) -> String {
    taken(&shelf.serve()).unwrap_err().to_string()
}

#[test]
fn what_is_not_as_the_manifest_says_is_refused() {
    assert_eq!(taken(&Shelf::of("tidy").serve()).unwrap().bundles.len(), 1);
    let with = |change: &dyn Fn(&mut Shelf)| {
        let mut shelf = Shelf::of("tidy");
        change(&mut shelf);
        failure(shelf)
    };
    let file = |shelf: &mut Shelf, key: &str, value: Value| {
        shelf.list["skills"][0]["resources"][0][key] = value;
    };
    let size = skill("tidy").len();
    let said = with(&|shelf| file(shelf, "size", json!(size + 1)));
    assert!(said.contains(&format!("{size} bytes came, {} were promised", size + 1)), "{said}");
    let said = with(&|shelf| file(shelf, "digest", json!(format!("sha256:{}", "0".repeat(64)))));
    assert!(said.contains("its SHA-256 is "), "{said}");
    let said = with(&|shelf| shelf.contents[0]["uri"] = json!("skill://tidy/other"));
    assert!(said.contains("sent another file"), "{said}");
    let said = with(&|shelf| shelf.contents[0] = json!({"uri": "skill://tidy/SKILL.md"}));
    assert!(said.contains("neither text nor bytes"), "{said}");
    let said = with(&|shelf| {
        shelf.contents[0] = json!({"uri": "skill://tidy/SKILL.md", "blob": "===="});
    });
    assert!(said.contains("its base64"), "{said}");
    let said = with(&|shelf| {
        shelf.list["skills"][0]["frontmatter"]["description"] = json!("Something nicer");
    });
    assert!(said.contains("another name or description than the list"), "{said}");
    let said = with(&|shelf| shelf.list["skills"][0]["resources"] = json!("dynamic"));
    assert!(said.contains("nothing could be checked"), "{said}");
    let said = with(&|shelf| file(shelf, "uri", json!("skill://tidy/../../x/SKILL.md")));
    assert!(said.contains("refused the skill `tidy`"), "{said}");
    let mut shelf = Shelf::of("tidy");
    let twice = shelf.list["skills"][0].clone();
    shelf.list["skills"] = json!([twice, twice]);
    let fetched = taken(&shelf.serve()).unwrap();
    assert_eq!((fetched.bundles.len(), fetched.refused.len()), (1, 1));
    assert_eq!(fetched.refused[0].why, "it is in the list twice");
}

#[test]
fn what_a_server_has_no_entry_for_is_refused_with_its_reason() {
    let mut shelf = Shelf::of("tidy");
    let left_out = json!([{"uri": "skill://shout/SKILL.md", "why": "its name `SHOUT` is none"}, 7]);
    shelf.list["_meta"] = json!({"hone/left-out": left_out});
    let fetched = taken(&shelf.serve()).unwrap();
    assert_eq!((fetched.bundles.len(), fetched.refused.len()), (1, 1));
    let refused = &fetched.refused[0];
    let told = [&refused.name, &refused.path, &refused.why];
    assert_eq!(told, ["shout", "skill://shout/SKILL.md", "its name `SHOUT` is none"]);
}

#[test]
fn a_file_that_goes_on_past_its_promise_is_cut_off() {
    let mut shelf = Shelf::of("tidy");
    shelf.contents[0]["text"] = json!("x".repeat(10_000_000));
    let server = shelf.serve();
    let error = taken(&server).unwrap_err().to_string();
    assert!(error.contains("is larger than"), "{error}");
}

#[test]
fn a_list_without_an_end_is_refused() {
    // The same cursor again, and a new one each time.
    let again =
        Server::http(|request| answered(request, |_, _| json!({"skills": [], "nextCursor": "x"})));
    assert!(taken(&again).unwrap_err().to_string().contains("its list has no end"));
    assert_eq!(again.requests().len(), 3);
    let more = Server::http(|request| {
        answered(request, |_, params| {
            let at: usize = params["cursor"].as_str().unwrap_or("0").parse().unwrap();
            let entry = |at: usize| json!({"uri": format!("skill://{at}/SKILL.md")});
            let skills: Vec<Value> = (at..at + 500).map(entry).collect();
            json!({"skills": skills, "nextCursor": (at + 500).to_string()})
        })
    });
    let error = taken(&more).unwrap_err().to_string();
    assert!(error.contains(&format!("it lists more than {MAX_INDEX_SKILLS} skills")), "{error}");
    let large = Server::http(|request| {
        answered(request, |_, _| {
            let room = usize::try_from(MAX_MANIFESTS_BYTES).unwrap();
            json!({"skills": [], "more": "x".repeat(room)})
        })
    });
    assert!(taken(&large).unwrap_err().to_string().contains("is larger than"));
}

#[test]
fn a_stream_that_never_answers_and_an_answer_to_nobody_end() {
    let stream = |lines: &str| {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        format!("{head}{lines}").into_bytes()
    };
    let other = r#"data: {"jsonrpc":"2.0","id":77,"result":{}}"#;
    let noise = format!(": still here\n\n{other}\n\ndata: no JSON\n\n");
    let (ends, stalls) = (stream(&noise), stream(&noise));
    let server = Server::http(move |_| Act::Send(ends.clone()));
    let error = taken(&server).unwrap_err().to_string();
    assert!(error.contains("its stream ended without an answer"), "{error}");
    let work = tempfile::tempdir().unwrap();
    let server = Server::http(move |_| Act::Stall(stalls.clone()));
    let hurried = hone_hub::FetchOptions {
        stall: std::time::Duration::from_millis(300),
        ..options(work.path())
    };
    let source = parse(&source(&server)).unwrap();
    let error = fetch(&source, &Wanted::All, &hurried).unwrap_err().to_string();
    assert!(error.contains("sent nothing within 0.3 s"), "{error}");
    let server = Server::http(|_| json_answer(&json!({"jsonrpc": "2.0", "id": 99, "result": {}})));
    let error = taken(&server).unwrap_err().to_string();
    assert!(error.contains("its answer is to another question"), "{error}");
}

#[test]
fn a_server_without_skills_says_so() {
    let server = Server::http(|request| {
        let asked: Value = serde_json::from_slice(&request.body).unwrap();
        match asked["method"].as_str().unwrap() {
            "initialize" => json_answer(&json!({"jsonrpc": "2.0", "id": asked["id"],
                "result": {"protocolVersion": "2025-06-18", "capabilities": {}}})),
            "notifications/initialized" => good(b""),
            _ => json_answer(&json!({"jsonrpc": "2.0", "id": asked["id"],
                "error": {"code": -32601, "message": "Method not found"}})),
        }
    });
    let error = taken(&server).unwrap_err().to_string();
    assert!(error.ends_with("it does not know `skills/list`: it serves no skills"), "{error}");
    let nothing = Server::http(|_| crate::server::missing());
    let error = taken(&nothing).unwrap_err().to_string();
    assert!(error.contains("answered 404"), "{error}");
}

#[test]
fn only_this_machine_is_asked_without_encryption_and_only_when_that_is_allowed() {
    for wrong in [
        "mcp+http://example.org/mcp",
        "mcp+http://10.0.0.1/mcp",
        "mcp+ftp://localhost/mcp",
        "mcp+https://user:secret@example.org/mcp",
        "mcp+https://example.org/mcp?key=secret",
        "mcp+https://example.org/mcp#main",
        "mcp+example.org",
    ] {
        let error = parse(wrong).unwrap_err().to_string();
        assert!(!error.contains("secret@"), "{error}");
    }
    let server = Shelf::of("tidy").serve();
    let work = tempfile::tempdir().unwrap();
    let strict =
        hone_hub::FetchOptions { net: hone_net::Settings::default(), ..options(work.path()) };
    let error = fetch(&parse(&source(&server)).unwrap(), &Wanted::All, &strict).unwrap_err();
    assert!(error.is_answer(), "{error}");
    assert_eq!(server.requests().len(), 0);
}
