//! Folders of this machine, and which skills a tree offers.

use std::os::unix::fs::symlink;
use std::path::Path;

use hone_hub::limits::{
    MAX_SKILL_BYTES, MAX_SKILL_DEPTH, MAX_SKILL_FILES, MAX_SKILLS, MAX_TAKEN_BYTES,
};
use hone_hub::{OfferStanding, Refused, Wanted, open, parse};

use crate::{bundle, failure, fetched, named, options, shown, skill, texts, write};

fn text(folder: &Path) -> String {
    folder.display().to_string()
}

#[test]
fn a_skill_at_the_top_takes_everything_but_git_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("SKILL.md", skill("top")),
        ("metadata.json", "{}".to_owned()),
        ("scripts/run.sh*", "#!/bin/sh\n".to_owned()),
        ("node_modules/x/index.js", "1".to_owned()),
        ("skills/inner/SKILL.md", skill("inner")),
        (".git/config", "[core]".to_owned()),
    ];
    write(folder.path(), &files.each_ref().map(|(path, text)| (*path, text.as_str())));
    let fetched = fetched(&text(folder.path())).unwrap();
    assert_eq!(
        shown(&fetched.bundles),
        [bundle(
            "top",
            "",
            &[
                "SKILL.md",
                "metadata.json",
                "node_modules/x/index.js",
                "scripts/run.sh*",
                "skills/inner/SKILL.md"
            ]
        )]
    );
    assert_eq!(texts(&fetched.bundles[0])["metadata.json"], "{}");
    assert_eq!((fetched.commit, fetched.digest), (None, None));
    let inner = named(&text(folder.path()), &["inner"]).unwrap();
    assert_eq!(shown(&inner.bundles), [bundle("inner", "skills/inner", &["SKILL.md"])]);
}

#[test]
fn every_place_is_searched_and_what_is_not_offered_has_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let deep = "d/".repeat(MAX_SKILL_DEPTH + 2) + "SKILL.md";
    let at_the_bound = "e/".repeat(MAX_SKILL_DEPTH) + "deep/SKILL.md";
    let hidden = "---\nname: own\ndescription: x\nmetadata:\n  internal: true\n---\nx\n";
    let manifest = r#"{"plugins": [{"source": "./dist", "skills": ["./plugin", "./../x", "y"]}]}"#;
    write(
        path,
        &[
            ("README.md", "# hi"),
            ("skills/pdf/SKILL.md", &skill("pdf")),
            ("skills/office/word/SKILL.md", &skill("word")),
            (".claude/skills/pdf/SKILL.md", &skill("PDF")),
            (".claude/skills/plan/SKILL.md", &skill("plan")),
            ("own/SKILL.md", hidden),
            ("broken/SKILL.md", "no frontmatter"),
            ("node_modules/dep/SKILL.md", &skill("dep")),
            ("build/out/SKILL.md", &skill("out")),
            ("dist/plugin/SKILL.md", &skill("plugin")),
            (".claude-plugin/marketplace.json", manifest),
            (&deep, &skill("too-deep")),
            (&at_the_bound, &skill("deep")),
        ],
    );
    symlink("../skills/pdf", path.join("own/link")).unwrap();
    std::fs::create_dir(path.join("linked")).unwrap();
    symlink("../skills/pdf/SKILL.md", path.join("linked/SKILL.md")).unwrap();

    let work = tempfile::tempdir().unwrap();
    let opened = open(&parse(&text(path)).unwrap(), &options(work.path())).unwrap();
    let offered: Vec<(&str, &str, OfferStanding)> = opened
        .offered
        .iter()
        .map(|one| (one.name.as_str(), one.path.as_str(), one.standing.clone()))
        .collect();
    let bound = at_the_bound.strip_suffix("/SKILL.md").unwrap();
    assert_eq!(
        offered,
        [
            ("PDF", ".claude/skills/pdf", OfferStanding::Duplicate("skills/pdf".to_owned())),
            ("plan", ".claude/skills/plan", OfferStanding::Open),
            ("plugin", "dist/plugin", OfferStanding::Open),
            ("deep", bound, OfferStanding::Open),
            ("own", "own", OfferStanding::Internal),
            ("word", "skills/office/word", OfferStanding::Open),
            ("pdf", "skills/pdf", OfferStanding::Open),
        ]
    );
    assert_eq!(opened.offered[1].description, "Does plan");
    let refused: Vec<(&str, &str)> =
        opened.refused.iter().map(|one| (one.name.as_str(), one.why.as_str())).collect();
    assert_eq!(
        refused,
        [
            ("broken", "line 1 of its `SKILL.md`: there is no frontmatter"),
            ("d", "it lies deeper than 6 folders; name its folder"),
            ("linked", "its `SKILL.md` is a link"),
        ]
    );
    let taken = opened.take(&Wanted::All).unwrap();
    let names: Vec<&str> = taken.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
    assert_eq!((names, taken.refused.len()), (vec!["plan", "plugin", "deep", "word", "pdf"], 3));
    let by_path = named(&text(path), &[".claude/skills/pdf"]).unwrap();
    assert_eq!(shown(&by_path.bundles), [bundle("PDF", ".claude/skills/pdf", &["SKILL.md"])]);
    assert_eq!(
        named(&text(path), &["own"]).unwrap_err().to_string(),
        "refused the skill `own` in `own`: `link` is a link"
    );
    let missing = named(&text(path), &["nope"]).unwrap_err().to_string();
    assert!(missing.ends_with(
        "has no skill `nope`; it has `PDF`, `plan`, `plugin`, `deep`, `own`, `word`, `pdf`"
    ));
}

#[test]
fn internal_skills_come_when_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let own = "---\nname: own\ndescription: x\nmetadata:\n  internal: true\n---\nx\n";
    write(folder.path(), &[("own/SKILL.md", own), ("pdf/SKILL.md", &skill("pdf"))]);
    let work = tempfile::tempdir().unwrap();
    let take = |wanted: &Wanted| {
        let source = parse(&text(folder.path())).unwrap();
        let fetched = hone_hub::fetch(&source, wanted, &options(work.path())).unwrap();
        fetched.bundles.iter().map(|bundle| bundle.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(take(&Wanted::All), ["pdf"]);
    assert_eq!(take(&Wanted::AllAndInternal), ["own", "pdf"]);
    assert_eq!(take(&Wanted::Named(vec!["own".to_owned()])), ["own"]);
}

#[test]
fn a_folder_without_skills_and_one_that_is_not_there_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path());
    assert_eq!(failure(&path), format!("`{path}` holds no skill: no `SKILL.md` was found"));
    assert_eq!(
        failure(&format!("{path}/x")),
        format!("cannot open `{path}/x`: No such file or directory (os error 2)")
    );
}

#[test]
fn a_file_that_became_a_link_after_it_was_listed_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[("pdf/SKILL.md", &skill("pdf")), ("pdf/notes.md", "notes"), ("secret", "secret")],
    );
    let work = tempfile::tempdir().unwrap();
    let opened = open(&parse(&text(folder.path())).unwrap(), &options(work.path())).unwrap();
    std::fs::remove_file(folder.path().join("pdf/notes.md")).unwrap();
    symlink("../secret", folder.path().join("pdf/notes.md")).unwrap();
    let error = opened.take(&Wanted::All).unwrap_err().to_string();
    assert!(error.contains("notes.md`: "), "{error}");
}

#[test]
fn files_and_bytes_of_a_skill_hold_at_the_bound_and_not_past_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[("SKILL.md", &skill("many"))]);
    for number in 1..MAX_SKILL_FILES {
        std::fs::write(path.join(format!("{number}")), "").unwrap();
    }
    assert_eq!(fetched(&text(path)).unwrap().bundles[0].files.len(), MAX_SKILL_FILES);
    std::fs::write(path.join("more"), "").unwrap();
    assert_eq!(failure(&text(path)), "refused the skill `many`: it has more than 1000 files");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, &[("SKILL.md", &skill("large"))]);
    let own = skill("large").len() as u64;
    let file = std::fs::File::create(path.join("data")).unwrap();
    file.set_len(MAX_SKILL_BYTES - own).unwrap();
    assert_eq!(
        fetched(&text(path)).unwrap().bundles[0].files["data"].bytes.len() as u64 + own,
        MAX_SKILL_BYTES
    );
    file.set_len(MAX_SKILL_BYTES - own + 1).unwrap();
    assert_eq!(failure(&text(path)), "refused the skill `large`: it has more than 52428800 bytes");
}

#[test]
fn all_bytes_and_all_skills_hold_at_the_bound_and_not_past_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut left = MAX_TAKEN_BYTES;
    for number in 0.. {
        let (name, own) = (format!("s{number}"), skill(&format!("s{number}")));
        write(folder.path(), &[(&format!("{name}/SKILL.md"), &own)]);
        let size = left.min(MAX_SKILL_BYTES) - own.len() as u64;
        let file = std::fs::File::create(folder.path().join(name).join("data")).unwrap();
        file.set_len(size).unwrap();
        left -= size + own.len() as u64;
        if left == 0 {
            break;
        }
    }
    assert!(fetched(&text(folder.path())).is_ok());
    std::fs::write(folder.path().join("s5/more"), "x").unwrap();
    let error = failure(&text(folder.path()));
    assert!(
        error.ends_with("holds more than 268435456 bytes; name the skills you want"),
        "{error}"
    );

    let folder = tempfile::tempdir().unwrap();
    for number in 0..MAX_SKILLS {
        write(folder.path(), &[(&format!("s{number}/SKILL.md"), &skill(&format!("s{number}")))]);
    }
    assert_eq!(fetched(&text(folder.path())).unwrap().bundles.len(), MAX_SKILLS);
    write(folder.path(), &[("more/SKILL.md", &skill("more"))]);
    let error = failure(&text(folder.path()));
    assert!(error.ends_with("holds more than 5000 skills; name the skills you want"), "{error}");
}

#[test]
fn names_that_collide_refuse_the_skill_and_not_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("a/SKILL.md", &skill("a")),
            ("a/notes.md", "1"),
            ("a/NOTES.md", "2"),
            ("b/SKILL.md", &skill("b")),
        ],
    );
    let fetched = fetched(&text(folder.path())).unwrap();
    assert_eq!(shown(&fetched.bundles), [bundle("b", "b", &["SKILL.md"])]);
    let why = "`notes.md`: it is the same as `NOTES.md` on some file systems".to_owned();
    assert_eq!(fetched.refused, [Refused { name: "a".to_owned(), path: "a".to_owned(), why }]);
}

#[test]
fn a_pointer_of_git_lfs_refuses_its_skill_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1234567\n",
        "0".repeat(64)
    );
    write(
        folder.path(),
        &[
            ("model/SKILL.md", &skill("model")),
            ("model/assets/weights.bin", &pointer),
            ("plain/SKILL.md", &skill("plain")),
        ],
    );
    let fetched = fetched(&folder.path().display().to_string()).unwrap();
    assert_eq!(shown(&fetched.bundles), [bundle("plain", "plain", &["SKILL.md"])]);
    let [refused] = fetched.refused.as_slice() else { panic!("{:?}", fetched.refused) };
    assert!(
        refused.why.starts_with(
            "`assets/weights.bin`: it is a pointer of Git LFS, and the file of 1234567 bytes"
        ),
        "{}",
        refused.why
    );
}
