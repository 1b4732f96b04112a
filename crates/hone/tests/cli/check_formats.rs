//! `hone check --format json|sarif|github`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::Sandbox;

fn crooked() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = "---\nname: Crooked\ndescription: Use when: late\nlicens: MIT\n---\nDo it.\n";
    sandbox.write("project/crooked/SKILL.md", text);
    sandbox
}

#[test]
fn json_for_programs() {
    let sandbox = crooked();
    let run = sandbox.hone("check crooked --format json").run();
    assert_eq!((run.code, run.errors().as_str()), (1, ""));
    assert_snapshot!(sandbox.filtered(&serde_json::to_string_pretty(&run.json()).unwrap()), @r#"
    {
      "files": [
        {
          "diagnostics": [
            {
              "column": 7,
              "fixable": true,
              "hint": "call it `crooked`",
              "line": 2,
              "message": "the name is not in lower case",
              "rule": "name-uppercase",
              "severity": "error"
            },
            {
              "column": 7,
              "fixable": true,
              "hint": "rename one of them",
              "line": 2,
              "message": "the name is `Crooked`, the folder is `crooked`",
              "rule": "name-folder",
              "severity": "error"
            },
            {
              "column": 22,
              "fixable": true,
              "hint": "put the whole value in double quotes",
              "line": 3,
              "message": "the value of `description` must be quoted: it holds `: `",
              "rule": "yaml-unquoted",
              "severity": "error"
            },
            {
              "column": 1,
              "fixable": true,
              "hint": "did you mean `license`?",
              "line": 4,
              "message": "`licens` is not a key that agents know",
              "rule": "key-typo",
              "severity": "warning"
            },
            {
              "column": 1,
              "fixable": false,
              "hint": "did you mean `license`?",
              "line": 4,
              "message": "`licens` is not a key of this profile",
              "rule": "unknown-key",
              "severity": "error"
            }
          ],
          "path": "[PROJECT]/crooked/SKILL.md",
          "valid": false
        }
      ]
    }
    "#);
}

#[test]
fn sarif_for_code_scanning() {
    let sandbox = crooked();
    let run = sandbox.hone("check crooked --format sarif").run();
    assert_eq!((run.code, run.errors().as_str()), (1, ""));
    let sarif = run.json();
    let driver = &sarif["runs"][0]["tool"]["driver"];
    let known: Vec<&str> = driver["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        assert!(known.contains(&result["ruleId"].as_str().unwrap()), "{result}");
    }
    assert_eq!(sarif["runs"][0]["columnKind"], "unicodeCodePoints");
    assert_snapshot!(serde_json::to_string_pretty(&sarif["runs"][0]["results"]).unwrap(), @r#"
    [
      {
        "level": "error",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "crooked/SKILL.md"
              },
              "region": {
                "startColumn": 7,
                "startLine": 2
              }
            }
          }
        ],
        "message": {
          "text": "the name is not in lower case (call it `crooked`)"
        },
        "ruleId": "name-uppercase"
      },
      {
        "level": "error",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "crooked/SKILL.md"
              },
              "region": {
                "startColumn": 7,
                "startLine": 2
              }
            }
          }
        ],
        "message": {
          "text": "the name is `Crooked`, the folder is `crooked` (rename one of them)"
        },
        "ruleId": "name-folder"
      },
      {
        "level": "error",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "crooked/SKILL.md"
              },
              "region": {
                "startColumn": 22,
                "startLine": 3
              }
            }
          }
        ],
        "message": {
          "text": "the value of `description` must be quoted: it holds `: ` (put the whole value in double quotes)"
        },
        "ruleId": "yaml-unquoted"
      },
      {
        "level": "warning",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "crooked/SKILL.md"
              },
              "region": {
                "startColumn": 1,
                "startLine": 4
              }
            }
          }
        ],
        "message": {
          "text": "`licens` is not a key that agents know (did you mean `license`?)"
        },
        "ruleId": "key-typo"
      },
      {
        "level": "error",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": "crooked/SKILL.md"
              },
              "region": {
                "startColumn": 1,
                "startLine": 4
              }
            }
          }
        ],
        "message": {
          "text": "`licens` is not a key of this profile (did you mean `license`?)"
        },
        "ruleId": "unknown-key"
      }
    ]
    "#);
}

/// The parts of the SARIF 2.1.0 schema that this output touches, as strict as the original.
#[test]
fn sarif_has_the_shape_of_2_1_0() {
    let schema: Value = serde_json::from_str(include_str!("sarif-2.1.0-part.json")).unwrap();
    let sandbox = crooked();
    sandbox.write("project/my skills, 100%/日本/SKILL.md", "no frontmatter");
    sandbox.write("elsewhere/x/SKILL.md", "---\nname: x\ndescription: x\n---\nDo.\n\u{1b}[0m\r");
    std::fs::create_dir_all(sandbox.path("project/dir/SKILL.md")).unwrap();
    for profile in ["spec", "lenient"] {
        let line = format!("check . ../elsewhere dir --format sarif --profile {profile}");
        crate::json_schemas::validate(&schema, &sandbox.hone(&line).run().json(), &line);
    }
}

#[test]
fn sarif_names_files_by_uri() {
    let sandbox = Sandbox::new();
    sandbox.write("project/my skills, 100%/日本/SKILL.md", "no frontmatter");
    sandbox.write("else where/SKILL.md", "no frontmatter");
    let sarif = sandbox.hone("check . '../else where' --format sarif").run().json();
    let uri = |result: &Value| {
        let location = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        sandbox.filtered(location.as_str().unwrap())
    };
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(
        results.iter().map(uri).collect::<Vec<_>>(),
        [
            "my%20skills%2C%20100%25/%E6%97%A5%E6%9C%AC/SKILL.md",
            "file://[TEMP]/else%20where/SKILL.md"
        ]
    );
}

#[test]
fn github_annotations() {
    assert_snapshot!(crooked().hone("check crooked --format github").run(), @"
    exit: 1
    --- stdout
    ::error file=crooked/SKILL.md,line=2,col=7,title=name-uppercase::the name is not in lower case (call it `crooked`)
    ::error file=crooked/SKILL.md,line=2,col=7,title=name-folder::the name is `Crooked`, the folder is `crooked` (rename one of them)
    ::error file=crooked/SKILL.md,line=3,col=22,title=yaml-unquoted::the value of `description` must be quoted: it holds `: ` (put the whole value in double quotes)
    ::warning file=crooked/SKILL.md,line=4,col=1,title=key-typo::`licens` is not a key that agents know (did you mean `license`?)
    ::error file=crooked/SKILL.md,line=4,col=1,title=unknown-key::`licens` is not a key of this profile (did you mean `license`?)
    ");
}

#[test]
fn github_annotations_escape_what_would_end_them() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/50%, a:b/SKILL.md",
        "---\nname: x\ndescription: x\n\"100%\\r\\nodd\": 1\n---\nDo.\n",
    );
    assert_snapshot!(sandbox.hone("check '50%, a:b' --format github").run(), @r"
    exit: 1
    --- stdout
    ::error file=50%25%2C a%3Ab/SKILL.md,line=2,col=7,title=name-folder::the name is `x`, the folder is `50%25, a:b` (rename one of them)
    ::error file=50%25%2C a%3Ab/SKILL.md,line=4,col=1,title=unknown-key::`100%25\r\nodd` is not a key of this profile (move it under `metadata`, as `100%25\r\nodd: …`)
    ");
}

#[test]
fn github_annotations_never_shorten_the_home() {
    let sandbox = Sandbox::new();
    sandbox.write("home/x/SKILL.md", "no frontmatter");
    let run = sandbox.hone("check ../home/x --format github").run();
    assert!(
        run.text().starts_with(&format!("::error file={}", sandbox.path("home/x").display())),
        "{run}"
    );
}

#[test]
fn nothing_wrong_is_nothing_printed_and_an_empty_list() {
    let sandbox = Sandbox::with_tidy();
    let github = sandbox.hone("check tidy --format github").run();
    assert_eq!((github.code, github.text(), github.errors()), (0, String::new(), String::new()));
    assert_eq!(
        sandbox.hone("check tidy --format sarif").run().json()["runs"][0]["results"],
        json!([])
    );
    assert_eq!(
        sandbox.hone("check tidy --format json").run().json()["files"][0]["diagnostics"],
        json!([])
    );
}
