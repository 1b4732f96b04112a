//! Archives, single files and sites behind https.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use hone_hub::limits::{MAX_INDEX_BYTES, MAX_INDEX_SKILLS};
use hone_hub::{FetchError, FetchOptions, Fetched, Place, Wanted, fetch, open, parse};
use hone_net::{Reach, Settings};

use crate::archives::Entry::{File, Program};
use crate::archives::{tar_gz, zip};
use crate::git::Repository;
use crate::server::{Act, Request, Server, git_backend, good, missing, sends_on};
use crate::{bundle, options, shown, skill, texts};

fn trusting(server: &Server, work: &std::path::Path) -> FetchOptions {
    let net = Settings {
        certificates: server.certificate.clone().into_bytes(),
        reach: Reach::Anywhere,
        ..Settings::default()
    };
    FetchOptions { net, stall: Duration::from_millis(500), ..options(work) }
}

fn fetched(server: &Server, path: &str) -> Result<Fetched, FetchError> {
    let work = tempfile::tempdir().unwrap();
    let source = parse(&server.url(path)).unwrap();
    let result = fetch(&source, &Wanted::All, &trusting(server, work.path()));
    assert!(std::fs::read_dir(work.path()).unwrap().next().is_none());
    result
}

fn failure(server: &Server, path: &str) -> String {
    fetched(server, path).unwrap_err().to_string()
}

/// Serves these documents by path.
fn documents(documents: Vec<(&str, Vec<u8>)>) -> impl Fn(&Request) -> Act + Send + Sync + use<> {
    let documents: Vec<(String, Vec<u8>)> =
        documents.into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
    move |request| {
        let found = documents.iter().find(|(path, _)| *path == request.path);
        found.map_or_else(missing, |(_, bytes)| good(bytes))
    }
}

#[test]
fn an_archive_and_a_single_file_come_with_their_digest() {
    let text = skill("pdf");
    let archive = zip(&[File("pdf/SKILL.md", &text), Program("pdf/run.sh", "#!/bin/sh\n")]);
    let server = Server::https(documents(vec![
        ("/dist/pdf.zip", archive.clone()),
        ("/dist/pdf.skill", archive.clone()),
        ("/skills/pdf/SKILL.md", text.clone().into_bytes()),
    ]));
    for path in ["/dist/pdf.zip", "/dist/pdf.skill"] {
        let all = fetched(&server, path).unwrap();
        assert_eq!(shown(&all.bundles), [bundle("pdf", "pdf", &["SKILL.md", "run.sh*"])]);
        assert_eq!(all.digest, Some(hone_library::hash(&archive)));
    }
    let one = fetched(&server, "/skills/pdf/SKILL.md").unwrap();
    assert_eq!(shown(&one.bundles), [bundle("pdf", "", &["SKILL.md"])]);
    assert_eq!(one.digest, Some(hone_library::hash(text.as_bytes())));
    assert!(failure(&server, "/dist/none.zip").ends_with("answered 404 (nothing is there)"));
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let server = Server::https(|_| good(b""));
    let work = tempfile::tempdir().unwrap();
    let source = parse(&server.url("/a.zip")).unwrap();
    let other = Server::https(|_| good(b""));
    let error = fetch(&source, &Wanted::All, &trusting(&other, work.path())).unwrap_err();
    assert!(error.to_string().contains("did not prove who it is"), "{error}");
}

#[test]
fn a_server_that_stalls_lies_or_sends_too_much_gives_nothing() {
    let text = skill("pdf");
    let archive = zip(&[File("SKILL.md", &text)]);
    let head = |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let part = [head(archive.len()).as_bytes(), &archive[..20]].concat();
    let stalls = Server::https(move |_| Act::Stall(part.clone()));
    assert!(failure(&stalls, "/a.zip").ends_with("sent nothing within 0.5 s"));

    let long = [head(archive.len() + 9).as_bytes(), &archive].concat();
    let lies = Server::https(move |_| Act::Send(long.clone()));
    assert!(failure(&lies, "/a.zip").contains("broke after"));
    assert_eq!(lies.requests().len(), 5, "it is asked again a few times");

    let short = [head(archive.len() - 9).as_bytes(), &archive].concat();
    let cuts = Server::https(move |_| Act::Send(short.clone()));
    assert!(failure(&cuts, "/a.zip").contains("it is damaged"));

    let claims = Server::https(|_| {
        Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 26214401\r\n\r\n".to_vec())
    });
    assert!(failure(&claims, "/a.zip").ends_with("is larger than 26214400 bytes; refused"));
}

#[test]
fn a_connection_that_breaks_is_taken_up_where_it_was() {
    let text = skill("pdf");
    let archive = zip(&[File("SKILL.md", &text)]);
    let sent = archive.clone();
    let server = Server::https(move |request| {
        let (from, status) = match request.header("Range") {
            "" => (0, "200 OK".to_owned()),
            range => {
                let from =
                    range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap();
                let (last, all) = (sent.len() - 1, sent.len());
                (from, format!("206 Partial Content\r\nContent-Range: bytes {from}-{last}/{all}"))
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nETag: \"1\"\r\nContent-Length: {}\r\n\r\n",
            sent.len() - from
        );
        let upto = if from == 0 { 50 } else { sent.len() };
        Act::Send([head.as_bytes(), &sent[from..upto]].concat())
    });
    let all = fetched(&server, "/a.zip").unwrap();
    assert_eq!(all.digest, Some(hone_library::hash(&archive)));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_redirect_to_a_private_address_is_not_followed() {
    let inner = Server::http_on(Ipv4Addr::new(127, 0, 0, 2), |_| good(b"secret"));
    let to = format!("https://127.0.0.2:{}/a.zip", inner.port);
    let server = Server::https(move |_| sends_on(&to));
    let work = tempfile::tempdir().unwrap();
    let mut strict = trusting(&server, work.path());
    strict.net.reach = Reach::Public;
    strict.net.exceptions = Arc::new([IpAddr::V4(Ipv4Addr::LOCALHOST), "::1".parse().unwrap()]);
    let source = parse(&server.url("/a.zip")).unwrap();
    let error = fetch(&source, &Wanted::All, &strict).unwrap_err().to_string();
    assert!(error.contains("`127.0.0.2` is this machine (loopback)"), "{error}");
    assert_eq!(inner.requests(), Vec::<String>::new());
}

fn index(entries: &[String]) -> Vec<u8> {
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    format!(r#"{{"$schema": "{schema}", "skills": [{}]}}"#, entries.join(",")).into_bytes()
}

fn entry(name: &str, kind: &str, url: &str, bytes: &[u8]) -> String {
    let digest = hone_library::hash(bytes);
    format!(
        r#"{{"name": "{name}", "type": "{kind}", "description": "Does {name}", "url": "{url}", "digest": "sha256:{digest}"}}"#
    )
}

const INDEX: &str = "/.well-known/agent-skills/index.json";

#[test]
fn a_site_offers_what_its_index_vouches_for() {
    let (pdf, word) = (skill("pdf"), skill("word"));
    let archive = tar_gz(&[File("SKILL.md", &word), Program("run.sh", "#!/bin/sh\n")]);
    let server = Server::https(documents(vec![
        (
            INDEX,
            index(&[
                entry("word", "archive", "/files/word.tar.gz", &archive),
                entry("pdf", "skill-md", "pdf/SKILL.md", pdf.as_bytes()),
            ]),
        ),
        ("/.well-known/agent-skills/pdf/SKILL.md", pdf.clone().into_bytes()),
        ("/files/word.tar.gz", archive),
    ]));
    let all = fetched(&server, "/").unwrap();
    assert_eq!(
        shown(&all.bundles),
        [bundle("pdf", "pdf", &["SKILL.md"]), bundle("word", "word", &["SKILL.md", "run.sh*"])]
    );
    assert_eq!(texts(&all.bundles[0])["SKILL.md"], pdf);
    let one = fetched(&server, "/#@word").unwrap();
    assert_eq!(one.bundles.len(), 1);
    assert_eq!(one.source.to_string(), server.url("/#@word"));
}

#[test]
fn the_skills_of_a_site_together_hold_at_the_bound_and_not_past_it() {
    let (pdf, word) = (skill("pdf"), skill("word"));
    let entries = [
        entry("pdf", "skill-md", "/pdf/SKILL.md", pdf.as_bytes()),
        entry("word", "skill-md", "/word/SKILL.md", word.as_bytes()),
    ];
    let server = Server::https(documents(vec![
        (INDEX, index(&entries)),
        ("/pdf/SKILL.md", pdf.clone().into_bytes()),
        ("/word/SKILL.md", word.clone().into_bytes()),
    ]));
    let work = tempfile::tempdir().unwrap();
    let within = |taken_bytes: usize| {
        let taken_bytes = taken_bytes as u64;
        let options = FetchOptions { taken_bytes, ..trusting(&server, work.path()) };
        fetch(&parse(&server.url("/")).unwrap(), &Wanted::All, &options).unwrap()
    };
    let both = pdf.len() + word.len();
    assert_eq!(within(both).bundles.len(), 2);
    let one = within(both - 1);
    assert_eq!((one.bundles.len(), one.refused[0].name.as_str()), (1, "word"));
    let why = format!("together with the others it has more than {} bytes", both - 1);
    assert_eq!(one.refused[0].why, why);
}

#[test]
fn a_site_that_sends_something_else_than_its_index_says_is_refused() {
    let (old, new) = (skill("pdf"), skill("pdf") + "And more.\n");
    let listed = index(&[
        entry("pdf", "skill-md", "/pdf.md", old.as_bytes()),
        entry("word", "skill-md", "/word.md", skill("word").as_bytes()),
    ]);
    let sent = new.clone();
    let server = Server::https(move |request| match request.path.as_str() {
        INDEX => good(&listed),
        "/pdf.md" => good(sent.as_bytes()),
        "/word.md" => good(skill("word").as_bytes()),
        _ => missing(),
    });
    let some = fetched(&server, "/").unwrap();
    assert_eq!(shown(&some.bundles), [bundle("word", "word", &["SKILL.md"])]);
    let (is, was) = (hone_library::hash(new.as_bytes()), hone_library::hash(old.as_bytes()));
    let url = server.url("/pdf.md");
    assert_eq!(
        failure(&server, "/#@pdf"),
        format!(
            "refused the skill `pdf` in `pdf`: `{url}` sent something else than the index says: its \
             SHA-256 is {is}, not {was}"
        )
    );
}

#[test]
fn what_changes_between_two_requests_is_never_mixed() {
    let (old, new) = (skill("pdf"), skill("pdf") + "And more.\n");
    let (old, new) = (zip(&[File("SKILL.md", &old)]), zip(&[File("SKILL.md", &new)]));
    let (first, second) = (old.clone(), new.clone());
    let server =
        Server::https(move |request| good(if request.number == 0 { &first } else { &second }));
    let work = tempfile::tempdir().unwrap();
    let source = parse(&server.url("/pdf.zip")).unwrap();
    let opened = open(&source, &trusting(&server, work.path())).unwrap();
    assert_eq!(opened.digest, Some(hone_library::hash(&old)));
    let taken = opened.take(&Wanted::All).unwrap();
    assert_eq!(texts(&taken.bundles[0])["SKILL.md"], skill("pdf"));
    assert_eq!(server.requests().len(), 1, "what was checked is what is taken");
    assert_eq!(fetched(&server, "/pdf.zip").unwrap().digest, Some(hone_library::hash(&new)));
}

#[test]
fn an_index_that_breaks_a_rule_refuses_the_entry_and_says_why() {
    let pdf = skill("pdf");
    let digest = hone_library::hash(pdf.as_bytes());
    let raw = |text: &str| text.replace("DIGEST", &digest);
    let entries = [
        raw(r#"{"name": "a", "type": "skill-md", "url": "/pdf.md"}"#),
        raw(r#"{"name": "b", "type": "skill-md", "url": "/pdf.md", "digest": "sha256:12"}"#),
        raw(
            r#"{"name": "c", "type": "skill-md", "url": "http://example.org/x", "digest": "sha256:DIGEST"}"#,
        ),
        raw(r#"{"name": "d", "type": "other", "url": "/pdf.md", "digest": "sha256:DIGEST"}"#),
        raw(r#"{"name": "../e", "type": "skill-md", "url": "/pdf.md", "digest": "sha256:DIGEST"}"#),
        raw(r#"{"name": "f", "files": ["SKILL.md", "../x"]}"#),
        raw(r#"{"name": "g", "files": ["x"]}"#),
        entry("other", "skill-md", "/pdf.md", pdf.as_bytes()),
        entry("pdf", "skill-md", "/pdf.md", pdf.as_bytes()),
        entry("PDF", "skill-md", "/pdf.md", pdf.as_bytes()),
    ];
    let server = Server::https(documents(vec![
        (INDEX, index(&entries)),
        ("/pdf.md", pdf.clone().into_bytes()),
    ]));
    let some = fetched(&server, "/").unwrap();
    assert_eq!(shown(&some.bundles), [bundle("pdf", "pdf", &["SKILL.md"])]);
    let refused: Vec<(&str, &str)> =
        some.refused.iter().map(|one| (one.name.as_str(), one.why.as_str())).collect();
    let no_digest = "it has no `digest` of the form `sha256:` and 64 digits";
    assert_eq!(
        refused,
        [
            ("a", no_digest),
            ("b", no_digest),
            ("c", "its `url` `http://example.org/x` is neither https nor on the same site"),
            ("d", "its `type` is `other`, not `skill-md` or `archive`"),
            ("../e", "its name in the index cannot be one"),
            ("f", "`../x`: its path holds an empty part, `.` or `..`"),
            ("g", "`SKILL.md` is not among its files"),
            ("PDF", "its name is in the index twice"),
            ("other", "its `SKILL.md` calls it `pdf`, the index does not"),
        ]
    );
}

#[test]
fn an_index_holds_at_its_bounds_and_not_past_them() {
    let pdf = skill("pdf");
    let fill = |count: usize| {
        let entry = |number: usize| entry(&format!("s{number}"), "skill-md", "/x", b"x");
        let mut entries = vec![self::entry("pdf", "skill-md", "/pdf.md", pdf.as_bytes())];
        entries.extend((1..count).map(entry));
        index(&entries)
    };
    let padded = |bytes: u64| {
        let mut index = fill(1);
        index.resize(usize::try_from(bytes).unwrap(), b' ');
        index
    };
    for (index, why) in [
        (fill(MAX_INDEX_SKILLS), None),
        (fill(MAX_INDEX_SKILLS + 1), Some("it has more than 1000 skills")),
        (padded(MAX_INDEX_BYTES), None),
        (padded(MAX_INDEX_BYTES + 1), Some("is larger than 1048576 bytes; refused")),
    ] {
        let server =
            Server::https(documents(vec![(INDEX, index), ("/pdf.md", pdf.clone().into_bytes())]));
        match (fetched(&server, "/#@pdf"), why) {
            (Ok(fetched), None) => assert_eq!(fetched.bundles.len(), 1),
            (Err(error), Some(why)) => assert!(error.to_string().ends_with(why), "{error}"),
            (other, _) => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_older_form_of_an_index_works_below_a_path_too() {
    let pdf = skill("pdf");
    let listed =
        br#"{"skills": [{"name": "pdf", "description": "x", "files": ["SKILL.md", "a b/c%.md"]}]}"#;
    let server = Server::https(documents(vec![
        ("/.well-known/skills/index.json", listed.to_vec()),
        ("/.well-known/skills/pdf/SKILL.md", pdf.clone().into_bytes()),
        ("/.well-known/skills/pdf/a%20b/c%25.md", b"notes".to_vec()),
    ]));
    let all = fetched(&server, "/docs/start").unwrap();
    assert_eq!(shown(&all.bundles), [bundle("pdf", "pdf", &["SKILL.md", "a b/c%.md"])]);
    assert_eq!(all.source.to_string(), server.url("/"));
}

#[test]
fn a_site_without_an_index_is_neither_a_repository_nor_a_site() {
    let server = Server::https(|_| missing());
    let error = failure(&server, "/docs");
    assert!(error.contains("is neither a git repository ("), "{error}");
    assert!(error.contains("the site has none"), "{error}");
    let broken = Server::https(documents(vec![(INDEX, b"<html>".to_vec())]));
    assert!(failure(&broken, "/").starts_with("cannot use the index"), "{error}");
}

#[test]
fn a_self_hosted_repository_is_not_mistaken_for_a_site() {
    let repository = Repository::new();
    let commit = repository.commit(&[("pdf/SKILL.md", &skill("pdf"))]);
    std::fs::rename(repository.root().join("skills.git"), repository.root().join("skills"))
        .unwrap();
    let backend = git_backend(repository.root());
    // It has an index as well; the repository is what was asked for.
    let listed = index(&[entry("other", "skill-md", "/x.md", b"x")]);
    let server = Server::http(move |request| match request.path.as_str() {
        INDEX => good(&listed),
        _ => backend(request),
    });
    let source = hone_hub::Source {
        place: Place::Page(url::Url::parse(&server.url("/skills")).unwrap()),
        skill: None,
    };
    let work = tempfile::tempdir().unwrap();
    let all = fetch(&source, &Wanted::All, &options(work.path())).unwrap();
    assert_eq!(shown(&all.bundles), [bundle("pdf", "pdf", &["SKILL.md"])]);
    assert_eq!(
        (all.commit, all.source.to_string()),
        (Some(commit), format!("git+{}", server.url("/skills")))
    );
}
