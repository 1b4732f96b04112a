//! What one skill is through each of the doors.

use serde_json::{Value, json};

use crate::wire::{Era, Library, Wire, skill_text};

/// A skill with these lines in its frontmatter, and this body.
fn skill(library: &Library, folder: &str, lines: &str, body: &str) {
    library.write(&format!("{folder}/SKILL.md"), format!("---\n{lines}---\n{body}\n"));
}

fn texts<'v>(list: &'v Value, key: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_entry_has_the_frontmatter_that_every_reader_of_yaml_has() {
    let library = Library::new(&[]);
    let text = |style: &str| format!("name: tidy\ndescription: {style}\n  Tidies.\n  Use often.\n");
    for (style, description) in [
        (">", "Tidies. Use often.\n"),
        ("|", "Tidies.\nUse often.\n"),
        (">-", "Tidies. Use often."),
        ("|-2", "Tidies.\nUse often."),
        ("|-", "Tidies.\nUse often."),
        ("", "Tidies. Use often."),
    ] {
        skill(&library, "tidy", &text(style), "Tidy.");
        for era in [Era::Sessions, Era::Stateless] {
            let mut wire = Wire::connect(&library.offer(false), era).await;
            let list = wire.ask("skills/list", json!({})).await.unwrap();
            let meant = json!({"name": "tidy", "description": description});
            assert_eq!(list["skills"][0]["frontmatter"], meant, "{style} {era:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_skill_by_the_format_has_no_entry_and_the_reason_is_told() {
    let library = Library::new(&["good"]);
    let long = "x".repeat(hone_skill::limits::MAX_DESCRIPTION_CHARS);
    skill(&library, "at-limit", &format!("name: at-limit\ndescription: {long}\n"), "Do.");
    for (folder, lines, why) in [
        (
            "upper",
            "name: Upper\ndescription: Shouts.\n".to_owned(),
            "its name `Upper` is not of lower-case letters, digits and single hyphens, 64 at most",
        ),
        ("nameless", "description: Nothing.\n".to_owned(), "its frontmatter has no text `name`"),
        (
            "number",
            "name: 12\ndescription: Counts.\n".to_owned(),
            "its frontmatter has no text `name`",
        ),
        ("terse", "name: terse\n".to_owned(), "its frontmatter has no text `description`"),
        (
            "twice",
            "name: twice\ndescription: a\ndescription: b\n".to_owned(),
            "line 3: `description` occurs again",
        ),
        (
            "colon",
            "name: colon\ndescription: Use when: now\n".to_owned(),
            "line 3: its frontmatter is no YAML: ",
        ),
        (
            "endless",
            "name: endless\ndescription: x\na: [1, .inf]\n".to_owned(),
            "line 4: JSON has no number `.inf`",
        ),
        (
            "no-number",
            "name: no-number\ndescription: x\na: .nan\n".to_owned(),
            "line 4: JSON has no number `.nan`",
        ),
        (
            "huge",
            "name: huge\ndescription: x\na:\n  b: 1e400\n".to_owned(),
            "line 5: JSON has no number `1e400`",
        ),
        (
            "null-key",
            "name: null-key\ndescription: x\n~: 1\n".to_owned(),
            "line 4: a key is no text",
        ),
        (
            "number-key",
            "name: number-key\ndescription: x\na:\n  1.50: 1\n".to_owned(),
            "line 5: a key is no text",
        ),
        (
            "list-key",
            "name: list-key\ndescription: x\n[a, b]: 1\n".to_owned(),
            "line 4: a key is no text",
        ),
        (
            "binary",
            "name: binary\ndescription: x\na: !!binary aGk=\n".to_owned(),
            "line 4: a value with a tag is read differently by others",
        ),
        (
            "a-set",
            "name: a-set\ndescription: x\na: !!set\n  b:\n  c:\n".to_owned(),
            "line 5: a value with a tag is read differently by others",
        ),
        (
            "proto",
            "name: proto\ndescription: x\na: {__proto__: 1}\n".to_owned(),
            "line 4: not every program can have a key `__proto__`",
        ),
        (
            "kept",
            "name: kept\ndescription: |+\n  x\n\n".to_owned(),
            "line 3: a text that keeps its last line breaks ends with the frontmatter",
        ),
        (
            "folded",
            "name: folded\ndescription: >+2\n  x\n".to_owned(),
            "line 3: a text that keeps its last line breaks ends with the frontmatter",
        ),
        (
            "past-limit",
            format!("name: past-limit\ndescription: {long}x\n"),
            "its description has 1025 characters, 1024 are allowed",
        ),
    ] {
        skill(&library, folder, &lines, "Do it.");
        let mut wire = Wire::connect(&library.offer(false), Era::Sessions).await;
        let list = wire.ask("skills/list", json!({})).await.unwrap();
        let listed = texts(&list["skills"], "uri");
        assert_eq!(listed, ["skill://at-limit/SKILL.md", "skill://good/SKILL.md"], "{folder}");
        let left_out = list["_meta"]["hone/left-out"].as_array().unwrap();
        let [one] = left_out.as_slice() else { panic!("{left_out:?}") };
        let slug = if folder == "number" { "12" } else { folder };
        let uri = format!("skill://{slug}/SKILL.md");
        assert_eq!(one["uri"], uri);
        assert!(one["why"].as_str().unwrap().starts_with(why), "{one}");
        let error = wire.ask("skills/get", json!({"uri": uri})).await.unwrap_err();
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
        assert!(wire.ask("resources/read", json!({"uri": uri})).await.is_ok(), "{folder}");
        std::fs::remove_dir_all(library.root.join(folder)).unwrap();
    }
}

#[tokio::test]
async fn what_is_for_people_is_a_prompt_and_nothing_else() {
    let library = Library::new(&["open"]);
    let lines = "name: mine\ndescription: About mine.\ndisable-model-invocation: true\n";
    skill(&library, "mine", lines, "Do mine.");
    library.write("mine/references/more.md", "more");
    let lines =
        "name: none\ndescription: x.\ndisable-model-invocation: true\nuser-invocable: false\n";
    skill(&library, "none", lines, "Do nothing.");
    for era in [Era::Sessions, Era::Stateless] {
        let mut wire = Wire::connect(&library.offer(false), era).await;
        let prompts = wire.ask("prompts/list", json!({})).await.unwrap();
        assert_eq!(texts(&prompts["prompts"], "name"), ["mine", "open", "learn_skill"]);
        let prompt = wire.ask("prompts/get", json!({"name": "mine"})).await.unwrap();
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("Do mine."), "{text}");
        for (method, list) in [("resources/list", "resources"), ("skills/list", "skills")] {
            let found = wire.ask(method, json!({})).await.unwrap();
            assert_eq!(texts(&found[list], "uri"), ["skill://open/SKILL.md"], "{method}");
        }
        for (uri, why) in [
            ("skill://mine/SKILL.md", "`mine` is for people to call: it is a prompt only"),
            (
                "skill://mine/references/more.md",
                "`mine` is for people to call: it is a prompt only",
            ),
            ("skill://none/SKILL.md", "there is no skill `none`"),
        ] {
            for method in ["resources/read", "skills/get", "resources/directory/read"] {
                let error = wire.ask(method, json!({"uri": uri})).await.unwrap_err();
                assert_eq!(
                    (&error["code"], &error["message"]),
                    (&json!(-32602), &json!(why)),
                    "{method} {uri}"
                );
            }
        }
        for tool in ["skill_view", "skill_invoke"] {
            let call = json!({"name": tool, "arguments": {"name": "mine"}});
            let answer = wire.ask("tools/call", call).await.unwrap();
            assert_eq!(
                answer["content"][0]["text"],
                "`mine` is for people to call, not for agents."
            );
        }
    }
}

#[tokio::test]
async fn one_slug_is_one_skill_at_every_door() {
    let library = Library::new(&[]);
    let (shared, of) = ("description: Reviews.\n", |name: &str| format!("Do as {name}."));
    skill(&library, "one", &format!("name: Rust Review\n{shared}"), &of("the first"));
    skill(&library, "two", &format!("name: rust-review\n{shared}"), &of("the second"));
    skill(&library, "three", &format!("name: Go_Review\n{shared}"), &of("the third"));
    skill(&library, "four", &format!("name: Go Review\n{shared}"), &of("the fourth"));
    let mut wire = Wire::connect(&library.offer(false), Era::Sessions).await;
    let resources = wire.ask("resources/list", json!({})).await.unwrap();
    let mut addresses = texts(&resources["resources"], "uri");
    addresses.sort_unstable();
    assert_eq!(addresses, ["skill://go-review/SKILL.md", "skill://rust-review/SKILL.md"]);
    let prompts = wire.ask("prompts/list", json!({})).await.unwrap();
    let prompts: Vec<&str> = texts(&prompts["prompts"], "name");
    for slug in ["go-review", "rust-review"] {
        assert_eq!(prompts.iter().filter(|name| **name == slug).count(), 1, "{slug}");
        let read = json!({"uri": format!("skill://{slug}/SKILL.md")});
        let read = wire.ask("resources/read", read).await.unwrap();
        let got = wire.ask("prompts/get", json!({"name": slug})).await.unwrap();
        let got = got["messages"][0]["content"]["text"].as_str().unwrap();
        let body = read["contents"][0]["text"].as_str().unwrap().lines().last().unwrap();
        assert!(got.contains(body), "{slug}: {body}\n{got}");
    }
}

#[tokio::test]
async fn a_prompt_has_the_arguments_that_its_skill_names() {
    let library = Library::new(&["plain"]);
    let lines = "name: tell\ndescription: Tells.\narguments: [who, what, how]\nargument-hint: whom to tell\n";
    skill(&library, "tell", lines, "Tell $who about $what, $how. [$ARGUMENTS]");
    let mut wire = Wire::connect(&library.offer(false), Era::Sessions).await;
    let prompts = wire.ask("prompts/list", json!({})).await.unwrap()["prompts"].take();
    assert_eq!(
        prompts[0]["arguments"],
        json!([{
            "name": "arguments", "description": "what follows the skill's name", "required": false,
        }])
    );
    assert_eq!(
        prompts[1]["arguments"],
        json!([
            {"name": "who", "description": "whom to tell", "required": false},
            {"name": "what", "required": false},
            {"name": "how", "required": false},
        ])
    );
    for (arguments, text) in [
        (
            json!({"what": "the cats", "who": "Bob"}),
            "Tell Bob about the cats, $how. [Bob \"the cats\"]",
        ),
        (json!({"how": "now", "who": "$what"}), "Tell $what about , now. [$what \"\" now]"),
        (json!({"arguments": "Bob cats soon"}), "Tell Bob about cats, soon. [Bob cats soon]"),
        (json!({}), "Tell $who about $what, $how. []"),
    ] {
        let asked = json!({"name": "tell", "arguments": arguments});
        let prompt = wire.ask("prompts/get", asked).await.unwrap();
        let whole = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(whole.contains(text), "{arguments}: {whole}");
    }
    for (name, arguments, why) in [
        (
            "tell",
            json!({"who": "Bob", "whom": "Eve"}),
            "`whom` is no argument here; there is `who`, `what`, `how`",
        ),
        (
            "tell",
            json!({"whom": "Eve"}),
            "`whom` is no argument here; there is `who`, `what`, `how`",
        ),
        (
            "tell",
            json!({"who": "Bob", "arguments": "x"}),
            "`arguments` is no argument here; there is `who`, `what`, `how`",
        ),
        ("tell", json!({"who": 3}), "`who` must be text"),
        ("plain", json!({"who": "Bob"}), "`who` is no argument here; there is `arguments`"),
        ("learn_skill", json!({"who": "Bob"}), "`who` is no argument here; there is `session`"),
    ] {
        let asked = json!({"name": name, "arguments": arguments});
        let error = wire.ask("prompts/get", asked).await.unwrap_err();
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32602), &json!(why)),
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn a_link_that_leads_out_is_no_file_of_a_skill() {
    let library = Library::new(&["one"]);
    library.write("../secret", "not for anybody");
    library.write("one/references/notes.md", "notes");
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, library.root.join("one/references").join(from)).unwrap();
    };
    link("../../../secret", "out.md");
    link("nowhere", "broken.md");
    link("..", "around");
    link("notes.md", "within.md");
    let mut wire = Wire::connect(&library.offer(false), Era::Stateless).await;
    let files =
        ["references/notes.md", "references/within.md"].map(|file| format!("skill://one/{file}"));
    let entry = wire.ask("skills/get", json!({"uri": "skill://one/SKILL.md"})).await.unwrap();
    let listed = texts(&entry["skill"]["resources"], "uri");
    assert_eq!(listed, ["skill://one/SKILL.md", &files[0], &files[1]]);
    let folder = json!({"uri": "skill://one/references"});
    let found = wire.ask("resources/directory/read", folder).await.unwrap();
    assert_eq!(texts(&found["resources"], "uri"), files);
    let call = json!({"name": "skill_scan", "arguments": {"name": "one"}});
    let scanned = wire.ask("tools/call", call).await.unwrap();
    let told = scanned["content"][0]["text"].as_str().unwrap();
    let out = "- link-outside [warn] references/out.md: the link leads outside of the skill";
    assert!(told.contains(out), "{told}");
    for uri in files {
        assert!(wire.ask("resources/read", json!({"uri": uri})).await.is_ok(), "{uri}");
    }
}

#[tokio::test]
async fn a_skill_that_cannot_be_looked_through_is_not_told_as_complete() {
    let library = Library::new(&["one"]);
    let deep = "one/".to_owned() + &"d/".repeat(40) + "file";
    library.write(&deep, skill_text("deep"));
    let mut wire = Wire::connect(&library.offer(false), Era::Stateless).await;
    let entry = wire.ask("skills/get", json!({"uri": "skill://one/SKILL.md"})).await.unwrap();
    assert_eq!(entry["skill"]["resources"], "dynamic");
}

#[tokio::test]
async fn wrong_parameters_are_told_apart_from_a_method_that_is_missing() {
    let library = Library::new(&["one"]);
    for era in [Era::Sessions, Era::Stateless] {
        let mut wire = Wire::connect(&library.offer(false), era).await;
        for (method, params, why) in [
            ("resources/read", json!({}), "missing field `uri`"),
            ("resources/read", json!({"uri": 5}), "invalid type: integer `5`, expected a string"),
            ("prompts/get", json!({}), "missing field `name`"),
            ("tools/call", json!({}), "missing field `name`"),
            ("tools/call", json!({"name": 5}), "invalid type: integer `5`, expected a string"),
            (
                "tools/call",
                json!({"name": "skill_view", "arguments": "x"}),
                "invalid type: string \"x\", expected a map",
            ),
        ] {
            let error = wire.ask(method, params.clone()).await.unwrap_err();
            let told = format!("the parameters of `{method}` are wrong: {why}");
            assert_eq!(
                (&error["code"], error["message"].as_str().unwrap()),
                (&json!(-32602), told.as_str()),
                "{era:?} {params}"
            );
        }
        let error = wire.ask("tools/cal", json!({})).await.unwrap_err();
        assert_eq!(error["code"], -32601);
        assert_eq!(error["message"], "there is no method `tools/cal`");
        // What only one era has is missing in the other.
        for (method, has) in [
            ("resources/subscribe", Era::Sessions),
            ("resources/unsubscribe", Era::Sessions),
            ("subscriptions/listen", Era::Stateless),
        ] {
            let error = wire.ask(method, json!({})).await.unwrap_err();
            let code = if era == has { -32602 } else { -32601 };
            assert_eq!(error["code"], code, "{era:?} {method}: {error}");
        }
    }
}

#[tokio::test]
async fn what_others_read_the_same_has_an_entry_however_odd_it_looks() {
    let library = Library::new(&[]);
    let lines = "name: odd\ndescription: |+\n  x\n\nbase: &b {n: -2.5e3, \"\": .inf.}\ncopy: *b\n\"~\": 0x1F\n";
    skill(&library, "odd", lines, "Do.");
    let mut wire = Wire::connect(&library.offer(false), Era::Sessions).await;
    let entry = wire.ask("skills/get", json!({"uri": "skill://odd/SKILL.md"})).await.unwrap();
    let base = json!({"n": -2500.0, "": ".inf."});
    assert_eq!(
        entry["skill"]["frontmatter"],
        json!({"name": "odd", "description": "x\n\n", "base": base, "copy": base, "~": 31})
    );
}

#[tokio::test]
async fn a_resource_is_one_message_and_so_large_at_most() {
    let library = Library::new(&["one"]);
    let most = usize::try_from(hone_server::MAX_RESOURCE_BYTES).unwrap();
    library.write("one/at.txt", "x".repeat(most));
    library.write("one/past.txt", "x".repeat(most + 1));
    let mut wire = Wire::connect(&library.offer(false), Era::Sessions).await;
    let read = wire.ask("resources/read", json!({"uri": "skill://one/at.txt"})).await.unwrap();
    assert_eq!(read["contents"][0]["text"].as_str().unwrap().len(), most);
    let error = wire.ask("resources/read", json!({"uri": "skill://one/past.txt"})).await;
    let error = error.unwrap_err();
    let told = "`past.txt` has 16777217 bytes, 16777216 are served at most";
    assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(told)));
}
