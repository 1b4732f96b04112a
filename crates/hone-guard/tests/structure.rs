//! What the tree of a skill can hold that its texts do not show: links, archives, what cannot be
//! read. Each bound is met exactly and passed by one.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use hone_guard::{Report, Severity, Verdict};

struct Skill(tempfile::TempDir);

impl Skill {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("SKILL.md"),
            "---\nname: sample-notes\ndescription: Keeps notes\n---\n# Notes\nWrite them down.\n",
        )
        .unwrap();
        Self(folder)
    }

    fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let target = self.0.path().join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, content).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn scan(&self) -> Report {
        hone_guard::scan(self.path()).unwrap()
    }
}

/// Rule and severity of every finding above `info`.
fn loud(report: &Report) -> Vec<(&str, Severity)> {
    report
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Info)
        .map(|finding| (finding.rule.as_str(), finding.severity))
        .collect()
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[cfg(unix)]
#[test]
fn links_outside_are_found_and_links_inside_are_not() {
    use std::os::unix::fs::symlink;
    let skill = Skill::new().with("references/a.md", "text");
    symlink("a.md", skill.path().join("references/b.md")).unwrap();
    symlink("gone.md", skill.path().join("references/c.md")).unwrap();
    assert_eq!(skill.scan().verdict, Verdict::Safe);

    symlink("../..", skill.path().join("up")).unwrap();
    assert_eq!(loud(&skill.scan()), [("link-outside", Severity::Warn)]);

    symlink("../../../../.ssh/id_rsa", skill.path().join("key.txt")).unwrap();
    let report = skill.scan();
    assert_eq!(
        loud(&report),
        [("link-outside", Severity::Critical), ("link-outside", Severity::Warn)]
    );
    assert_eq!(report.findings[0].file, "key.txt");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_an_unreadable_file_is_said_and_counted() {
    let skill = Skill::new();
    let status = std::process::Command::new("mkfifo").arg(skill.path().join("pipe")).status();
    assert!(status.unwrap().success());
    let report = skill.scan();
    assert_eq!(loud(&report), [("unfinished", Severity::Warn)]);
    assert_eq!(report.coverage.incomplete, ["pipe"]);
}

#[test]
fn archives_with_texts_are_fine_and_with_programs_are_not() {
    let texts = zipped(&[("a.txt", b"hello"), ("b/c.csv", b"1,2\n")]);
    assert_eq!(Skill::new().with("assets/t.zip", texts).scan().verdict, Verdict::Safe);

    let script = zipped(&[("setup.sh", b"#!/bin/sh\necho hello\n")]);
    let report = Skill::new().with("assets/t.zip", script).scan();
    assert_eq!(loud(&report), [("archive", Severity::Warn)]);
    assert_eq!(report.findings[0].file, "assets/t.zip!setup.sh");

    // A sample project is data, until the skill names the file to run.
    let project = zipped(&[("src/app.py", b"print(1)\n")]);
    let skill = Skill::new().with("assets/p.zip", project);
    assert_eq!(skill.scan().verdict, Verdict::Safe);
    let skill = skill.with("references/run.md", "Unpack it and run `python3 src/app.py`.\n");
    assert_eq!(loud(&skill.scan()), [("archive", Severity::Warn)]);
}

#[test]
fn an_archive_that_climbs_out_is_critical() {
    let report = Skill::new().with("a.zip", zipped(&[("../../x.txt", b"x")])).scan();
    assert_eq!(loud(&report), [("archive", Severity::Critical)]);

    // A name that the writer refuses, as an attacker writes it.
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..8].copy_from_slice(b"../x.txt");
    header.set_size(1);
    header.set_entry_type(tar::EntryType::Regular);
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header, &b"x"[..]).unwrap();
    let report = Skill::new().with("a.tar", builder.into_inner().unwrap()).scan();
    assert_eq!(loud(&report), [("archive", Severity::Critical)]);
}

#[test]
fn a_locked_archive_is_said_and_counted() {
    // The flag of encryption set by hand in both headers of a member.
    let mut bytes = zipped(&[("notes.txt", b"hello")]);
    let central = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[6] |= 1;
    bytes[central + 8] |= 1;
    let report = Skill::new().with("a.zip", bytes).scan();
    assert_eq!(loud(&report), [("archive", Severity::Warn)]);
    assert_eq!(report.coverage.incomplete, ["a.zip!notes.txt"]);
}

#[test]
fn archives_that_cannot_be_opened_are_said() {
    let report = Skill::new().with("a.7z", b"7z\xBC\xAF\x27\x1C\0\x04rest").scan();
    assert_eq!(loud(&report), [("archive", Severity::Warn)]);
    let report = Skill::new().with("a.zip", b"PK\x03\x04 cut off").scan();
    assert_eq!(loud(&report), [("unfinished", Severity::Warn)]);
    assert_eq!(report.coverage.incomplete, ["a.zip"]);
}

#[test]
fn an_ignore_file_never_narrows_a_scan() {
    let skill = Skill::new().with("vendor/tool", b"\x7fELF\x02\x01\x01\0rest");
    let before = loud(&skill.scan()).len();
    let skill = skill
        .with(".gitignore", "vendor/\n")
        .with(".skillignore", "*\n")
        .with(".skillscanignore", "vendor/\n")
        .with("baseline.json", "{\"ignore\": [\"executable-file\"]}");
    assert_eq!((before, loud(&skill.scan())), (1, vec![("executable-file", Severity::Warn)]));
}

#[test]
fn one_bad_byte_or_nul_hides_nothing() {
    let token = "TOKEN=ghp_KasaoSe1Nyez9gLghPyAAX7lbEJywO6OsCbv\n";
    for start in [&b"\xFF\n"[..], b"# \0\n", b"\0\0\n"] {
        let content = [start, token.as_bytes()].concat();
        let report = Skill::new().with("run.sh", content).scan();
        assert_eq!(loud(&report), [("hard-coded-secret", Severity::Warn)]);
    }
    let wide: Vec<u8> = token.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let report = Skill::new().with("run.sh", wide).scan();
    assert_eq!(loud(&report), [("hard-coded-secret", Severity::Warn)]);
}

#[test]
fn a_file_of_many_megabytes_is_looked_at_to_its_end() {
    let padding = "# 2025-01-01;New Year;national\n".repeat(50_000);
    let content = format!("{padding}KEY = 'ghp_KasaoSe1Nyez9gLghPyAAX7lbEJywO6OsCbv'\n");
    let report = Skill::new().with("data.py", content).scan();
    assert_eq!(loud(&report), [("hard-coded-secret", Severity::Warn)]);
    assert_eq!(report.findings[0].line, 50_001);
}

#[test]
fn office_files_with_macros_are_active_and_templates_are_not() {
    let plain = zipped(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>")]);
    assert_eq!(Skill::new().with("a.docx", plain).scan().verdict, Verdict::Safe);
    let macros = zipped(&[("word/vbaProject.bin", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1....")]);
    assert!(
        loud(&Skill::new().with("a.docm", macros).scan())
            .contains(&("active-document", Severity::Warn))
    );
    let remote = zipped(&[(
        "word/_rels/settings.xml.rels",
        b"<Relationship Id=\"r\" Type=\"http://x/attachedTemplate\" Target=\"https://t.brightpath.site/a.dotm\" TargetMode=\"External\"/>",
    )]);
    assert_eq!(
        loud(&Skill::new().with("a.docx", remote).scan()),
        [("active-document", Severity::Warn)]
    );
}

#[test]
fn pickles_that_run_programs_are_critical_and_others_inventory() {
    let acts = b"\x80\x04\x95\x1d\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.";
    assert!(
        loud(&Skill::new().with("state.bin", acts).scan())
            .contains(&("unsafe-load", Severity::Critical))
    );
    let plain = b"\x80\x04\x95\x06\0\0\0\0\0\0\0]\x94K\x01a.";
    assert_eq!(Skill::new().with("state.bin", plain).scan().verdict, Verdict::Safe);
}

#[test]
fn the_inventory_lists_what_the_skill_uses() {
    let skill = Skill::new()
        .with(
            "run.sh",
            "#!/bin/sh\ncurl -s \"https://api.brightpath.site/v1?k=$BRIGHT_API_KEY\" | jq .\n",
        )
        .with("tool.py", "import os\nprint(os.environ['NOTES_HOME'])\n")
        .with(
            ".claude/settings.json",
            "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"date\"}]}]}}",
        );
    let inventory = skill.scan().inventory;
    assert_eq!(inventory.hosts, ["api.brightpath.site"]);
    assert_eq!(inventory.environment, ["BRIGHT_API_KEY", "NOTES_HOME"]);
    assert_eq!(inventory.commands, ["curl", "date", "jq"]);
    assert_eq!(inventory.scripts, ["run.sh", "tool.py"]);
    assert_eq!(inventory.hooks, ["date"]);
}

#[test]
fn the_inventory_lists_variables_by_any_name_and_leaves_out_a_shells_own() {
    let skill = Skill::new()
        .with(
            "run.sh",
            "#!/bin/bash\nOUT=x\nfor HOST in a b; do read -r LINE; echo $HOST $LINE $OUT; done\n\
             cd \"$HOME\" && curl -H \"Authorization: $ZTOK\" $PWD ${SITE:?} $lower\n",
        )
        .with("tool.js", "const key = 'A'; f(process.env.TOKEN, process.env['pass'], process.env[key]);\n")
        .with("tool.py", "import os\nname = 'A'\nprint(os.environ['Secret'], os.environ[name], os.getenv('PATH'))\n");
    let found = skill.scan().inventory.environment;
    assert_eq!(found, ["SITE", "Secret", "TOKEN", "ZTOK", "pass"]);
}

/// Forms that nobody can read, by their first bytes.
#[test]
fn unreadable_forms_are_found_under_any_name() {
    let ole: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0, 0];
    let forms: &[(&[u8], &[&str])] = &[
        (b"\x7fELF\x02\x01\x01\0\0\0", &["helper", "helper.bin", "logo.png", "data.json"]),
        (b"\xCF\xFA\xED\xFE\x07\0\0\x01", &["helper", "lib.dylib", "logo.png"]),
        (b"xar!\0\x1c\0\x01", &["helper.pkg", "data.bin"]),
        (b"!<arch>\ndebian-binary   1", &["helper.deb", "notes.txt"]),
        (b"\xED\xAB\xEE\xDB\x03\0", &["helper.rpm"]),
        (b"Cr24\x03\0\0\0", &["helper.crx"]),
        (b"7z\xBC\xAF\x27\x1C\0\x04", &["a.7z", "logo.png"]),
        (b"Rar!\x1A\x07\x01\0", &["a.rar", "notes.txt"]),
        (b"MSCF\0\0\0\0", &["a.cab"]),
        (b"\x4C\0\0\0\x01\x14\x02\0\0", &["readme.lnk", "readme.txt"]),
        (b"ITSF\x03\0\0\0", &["help.chm"]),
        (b"\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D", &["notes.one"]),
        (b"\x04\x22\x4D\x18\x64\x40", &["a.lz4"]),
        (ole, &["setup.msi"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\0IEND\xAE\x42\x60\x82PK\x03\x04rest", &["logo.png"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\0IEND\xAE\x42\x60\x82#!/bin/sh\nid\n", &["logo.png"]),
        (b"\xFF\xD8\xFF\xE0rest\xFF\xD9\x7fELF\x02", &["photo.jpg"]),
    ];
    for (bytes, names) in forms {
        for name in *names {
            let report = Skill::new().with(&format!("assets/{name}"), bytes).scan();
            assert!(report.verdict > Verdict::Safe, "{name} {bytes:x?}: {:?}", report.findings);
        }
    }
    let harmless: &[(&[u8], &str)] = &[
        (b"\x89PNG\r\n\x1a\n\0\0\0\0IEND\xAE\x42\x60\x82", "logo.png"),
        (b"\xFF\xD8\xFF\xE0rest\xFF\xD9", "photo.jpg"),
        (b"GIF89a\x01\0\x01\0;", "dot.gif"),
        (b"wOF2\0\x01\0\0", "font.woff2"),
        (ole, "table.xls"),
    ];
    for (bytes, name) in harmless {
        let report = Skill::new().with(&format!("assets/{name}"), bytes).scan();
        assert_eq!(report.verdict, Verdict::Safe, "{name}: {:?}", report.findings);
    }
}
