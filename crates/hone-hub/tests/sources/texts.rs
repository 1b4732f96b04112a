//! Texts of sources.

use std::path::PathBuf;

use hone_hub::limits::MAX_SOURCE_BYTES;
use hone_hub::{At, GitPlace, Place, Source, parse};
use proptest::prelude::*;

fn git(url: &str, at: At, path: &str) -> Place {
    Place::Git(GitPlace { url: url.to_owned(), at, path: path.to_owned() })
}

fn at(name: &str) -> At {
    At::Named(name.to_owned())
}

fn tree(rest: &str) -> At {
    At::Tree(rest.to_owned())
}

#[test]
fn every_form_that_existing_tools_take_is_read_and_has_one_canonical_text() {
    let hub = "https://github.com/acme/skills";
    let lab = "https://gitlab.com/acme/team/skills";
    let folder = |path: &str| Place::Folder(PathBuf::from(path));
    let file = |path: &str| Place::File(PathBuf::from(path));
    let url = |text: &str| url::Url::parse(text).unwrap();
    let table: Vec<(&str, Place, Option<&str>, &str)> = vec![
        ("acme/skills", git(hub, At::Head, ""), None, "github:acme/skills"),
        ("  acme/skills/ ", git(hub, At::Head, ""), None, "github:acme/skills"),
        ("acme/skills.git", git(hub, At::Head, ""), None, "github:acme/skills"),
        ("https://github.com/acme/skills.git/", git(hub, At::Head, ""), None, "github:acme/skills"),
        ("acme/skills/a/b", git(hub, At::Head, "a/b"), None, "github:acme/skills/a/b"),
        ("acme/skills@pdf", git(hub, At::Head, ""), Some("pdf"), "github:acme/skills#@pdf"),
        ("acme/skills/a@pdf", git(hub, At::Head, "a"), Some("pdf"), "github:acme/skills/a#@pdf"),
        (
            "acme/skills/packages/@scope/x",
            git(hub, At::Head, "packages/@scope/x"),
            None,
            "github:acme/skills/packages/%40scope/x",
        ),
        ("acme/skills#v1.2", git(hub, at("v1.2"), ""), None, "github:acme/skills#v1.2"),
        ("acme/skills#v2@pdf", git(hub, at("v2"), ""), Some("pdf"), "github:acme/skills#v2@pdf"),
        (
            "acme/skills#feature/x@pdf",
            git(hub, at("feature/x"), ""),
            Some("pdf"),
            "github:acme/skills#feature/x@pdf",
        ),
        (
            "acme/skills#pkg%401.0@pdf",
            git(hub, at("pkg@1.0"), ""),
            Some("pdf"),
            "github:acme/skills#pkg%401.0@pdf",
        ),
        ("github:acme/skills/a", git(hub, At::Head, "a"), None, "github:acme/skills/a"),
        ("github.com/acme/skills", git(hub, At::Head, ""), None, "github:acme/skills"),
        ("gitlab:acme/team/skills", git(lab, At::Head, ""), None, "gitlab:acme/team/skills"),
        (
            "gitlab:acme/team/skills//a/b#main@pdf",
            git(lab, at("main"), "a/b"),
            Some("pdf"),
            "gitlab:acme/team/skills//a/b#main@pdf",
        ),
        ("https://github.com/acme/skills", git(hub, At::Head, ""), None, "github:acme/skills"),
        ("https://github.com/acme/skills.git", git(hub, At::Head, ""), None, "github:acme/skills"),
        (
            "https://github.com/acme/skills/tree/main/a/b",
            git(hub, tree("main/a/b"), ""),
            None,
            "https://github.com/acme/skills/tree/main/a/b",
        ),
        (
            "https://github.com/acme/skills/blob/main/a/SKILL.md",
            git(hub, tree("main/a"), ""),
            None,
            "https://github.com/acme/skills/tree/main/a",
        ),
        (
            "https://gitlab.com/acme/team/skills/-/tree/main/.claude/skills",
            git(lab, tree("main/.claude/skills"), ""),
            None,
            "https://gitlab.com/acme/team/skills/-/tree/main/.claude/skills",
        ),
        (
            "https://git.example.org/acme/skills/-/tree/main/a",
            git("https://git.example.org/acme/skills", tree("main/a"), ""),
            None,
            "https://git.example.org/acme/skills/-/tree/main/a",
        ),
        (
            "https://codeberg.org/acme/skills/src/branch/main/a",
            git("https://codeberg.org/acme/skills", tree("main/a"), ""),
            None,
            "https://codeberg.org/acme/skills/-/tree/main/a",
        ),
        (
            "https://dev.azure.com/acme/team/_git/skills?path=/a/b&version=GBmain",
            git("https://dev.azure.com/acme/team/_git/skills", at("main"), "a/b"),
            None,
            "git+https://dev.azure.com/acme/team/_git/skills//a/b#main",
        ),
        (
            "https://git.example.org/team/skills.git",
            git("https://git.example.org/team/skills.git", At::Head, ""),
            None,
            "git+https://git.example.org/team/skills.git",
        ),
        (
            "https://git.example.org:8443/team/skills.git//a#main@pdf",
            git("https://git.example.org:8443/team/skills.git", at("main"), "a"),
            Some("pdf"),
            "git+https://git.example.org:8443/team/skills.git//a#main@pdf",
        ),
        (
            "git+https://git.example.org/team/skills",
            git("https://git.example.org/team/skills", At::Head, ""),
            None,
            "git+https://git.example.org/team/skills",
        ),
        (
            "https://git.example.org/team/skills//a",
            git("https://git.example.org/team/skills", At::Head, "a"),
            None,
            "git+https://git.example.org/team/skills//a",
        ),
        (
            "https://git.example.org/team/skills#main",
            git("https://git.example.org/team/skills", at("main"), ""),
            None,
            "git+https://git.example.org/team/skills#main",
        ),
        (
            "http://git.example.org/team/skills",
            git("http://git.example.org/team/skills", At::Head, ""),
            None,
            "git+http://git.example.org/team/skills",
        ),
        (
            "git@github.com:acme/skills.git",
            git("git@github.com:acme/skills.git", At::Head, ""),
            None,
            "git@github.com:acme/skills.git",
        ),
        (
            "git@git.example.org:acme/skills.git//a#v1@pdf",
            git("git@git.example.org:acme/skills.git", at("v1"), "a"),
            Some("pdf"),
            "git@git.example.org:acme/skills.git//a#v1@pdf",
        ),
        (
            "ssh://git@git.example.org:2222/acme/skills.git#v1",
            git("ssh://git@git.example.org:2222/acme/skills.git", at("v1"), ""),
            None,
            "ssh://git@git.example.org:2222/acme/skills.git#v1",
        ),
        (
            "file:///srv/skills.git//a#v1",
            git("file:///srv/skills.git", at("v1"), "a"),
            None,
            "file:///srv/skills.git//a#v1",
        ),
        ("file:///srv/skills.zip", file("/srv/skills.zip"), None, "/srv/skills.zip"),
        (".", folder("."), None, "."),
        ("./skills", folder("./skills"), None, "./skills"),
        ("./a#b@c", folder("./a#b@c"), None, "./a#b@c"),
        ("../skills/", folder("../skills"), None, "../skills"),
        ("/srv/skills/pdf/SKILL.md", folder("/srv/skills/pdf"), None, "/srv/skills/pdf"),
        ("./pdf.skill", file("./pdf.skill"), None, "./pdf.skill"),
        ("dist/pdf.tar.gz", file("./dist/pdf.tar.gz"), None, "./dist/pdf.tar.gz"),
        ("pdf.ZIP", file("./pdf.ZIP"), None, "./pdf.ZIP"),
        (
            "https://example.org/a/pdf.zip?v=1#@pdf",
            Place::Archive(url("https://example.org/a/pdf.zip?v=1")),
            Some("pdf"),
            "https://example.org/a/pdf.zip?v=1#@pdf",
        ),
        (
            "https://github.com/acme/skills/archive/refs/heads/main.tar.gz",
            Place::Archive(url("https://github.com/acme/skills/archive/refs/heads/main.tar.gz")),
            None,
            "https://github.com/acme/skills/archive/refs/heads/main.tar.gz",
        ),
        (
            "https://example.org/a/SKILL.md",
            Place::SkillFile(url("https://example.org/a/SKILL.md")),
            None,
            "https://example.org/a/SKILL.md",
        ),
        (
            "https://example.org",
            Place::Site(url("https://example.org/")),
            None,
            "https://example.org/",
        ),
        (
            "https://example.org/docs/.well-known/agent-skills/index.json#@pdf",
            Place::Site(url("https://example.org/docs/")),
            Some("pdf"),
            "https://example.org/docs/.well-known/agent-skills/index.json#@pdf",
        ),
        (
            "mcp+https://example.org/mcp#@pdf",
            Place::Mcp(url("https://example.org/mcp")),
            Some("pdf"),
            "mcp+https://example.org/mcp#@pdf",
        ),
        (
            "https://git.example.org/team/skills",
            Place::Page(url("https://git.example.org/team/skills")),
            None,
            "https://git.example.org/team/skills",
        ),
    ];
    for (text, place, skill, canonical) in table {
        let expected = Source { place, skill: skill.map(str::to_owned) };
        let source = parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(source, expected, "{text}");
        assert_eq!(source.to_string(), canonical, "{text}");
        assert_eq!(parse(canonical), Ok(source), "{canonical}");
    }
}

#[test]
fn a_text_that_leads_out_or_hides_something_is_refused() {
    for text in [
        "",
        "skills",
        "acme/skills/../other",
        "acme/skills/%2e%2e/other",
        "acme/skills/a//b",
        "github:acme/..",
        "gitlab:acme/../x",
        "https://github.com/acme/skills/tree/main/../../x",
        "https://github.com/acme/skills/tree/main/%2E%2E/x",
        "https://example.org/a/../pdf.zip",
        "git@git.example.org:../../etc.git",
        "ssh://git@git.example.org/a.git//../b",
        "file:///srv/skills.git//../../etc",
        "git+https://git.example.org/a//b/../c",
        "-upload-pack=x",
        "--upload-pack=touch x",
        "acme/skills#-x",
        "acme/skills#--upload-pack=x",
        "acme/skills#a..b",
        "acme/skills#a b",
        "acme/skills#",
        "acme/skills#main@",
        "acme/skills@pdf#main@other",
        "ssh://-oProxyCommand=x/a",
        "-x@host:path",
        "git@-host:path",
        "ext::sh -c touch% x",
        "fd::17",
        "git://git.example.org/a.git",
        "ftp://example.org/a.zip",
        "http://example.org/a.zip",
        "http://example.org",
        "https://me:secret@git.example.org/a.git",
        "https://example.org/pdf.zip#main",
        "https://github.com/acme",
        "a\u{1b}[2J/b",
        "acme/sk ills",
        "acme\\skills",
    ] {
        assert!(parse(text).is_err(), "{text:?} was read as {:?}", parse(text));
    }
}

#[test]
fn an_error_shows_no_password() {
    let error = parse("https://me:secret@git.example.org/a.git").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`https://me:…@git.example.org/a.git` is not a source of skills: a password does not belong \
         into an address; git's credential helpers keep it"
    );
}

#[test]
fn the_length_of_a_text_holds_at_the_bound_and_not_past_it() {
    let text = |bytes: usize| format!("./{}", "x".repeat(bytes - 2));
    assert!(parse(&text(MAX_SOURCE_BYTES)).is_ok());
    assert!(parse(&text(MAX_SOURCE_BYTES + 1)).is_err());
}

fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "github:",
        "gitlab:",
        "git+",
        "https://",
        "http://",
        "ssh://",
        "file:///",
        "github.com",
        "gitlab.com",
        "dev.azure.com",
        "example.org",
        "git@",
        "acme",
        "skills",
        "tree",
        "blob",
        "-",
        "src",
        "branch",
        "_git",
        "main",
        "v1.2",
        ".git",
        ".zip",
        ".tar.gz",
        "SKILL.md",
        "/",
        "//",
        "#",
        "@",
        "?",
        "%40",
        "%2f",
        "%",
        ".",
        "..",
        ":",
        ".well-known/agent-skills/index.json",
        ":8443",
        "é",
        " ",
        "x",
        "~",
        "+",
    ]);
    prop_oneof![8 => words.prop_map(str::to_owned), 1 => "[ -~é]{1,4}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_canonical_text_is_read_as_the_source_it_came_from(
        pieces in prop::collection::vec(piece(), 1..12),
    ) {
        if let Ok(source) = parse(&pieces.concat()) {
            let text = source.to_string();
            prop_assert_eq!(parse(&text), Ok(source), "{}", text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        let _ = parse(&text);
    }
}
