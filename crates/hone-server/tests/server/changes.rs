//! A folder changes while clients are connected.

use serde_json::{Value, json};

use crate::wire::{Era, Library, Wire, skill_text};

/// The prompts that are skills.
fn names(prompts: &Value) -> Vec<&str> {
    let prompts = prompts["prompts"].as_array().unwrap();
    let names = prompts.iter().map(|prompt| prompt["name"].as_str().unwrap());
    names.filter(|name| *name != "learn_skill").collect()
}

#[tokio::test]
async fn an_answer_knows_what_was_done_before_the_question() {
    let library = Library::new(&["one"]);
    let offer = library.offer(false);
    for era in [Era::Sessions, Era::Stateless] {
        let mut wire = Wire::connect(&offer, era).await;
        assert_eq!(names(&wire.ask("prompts/list", json!({})).await.unwrap()), ["one"]);
        for round in 0..20 {
            let name = format!("new-{round}");
            library.write(&format!("{name}/SKILL.md"), skill_text(&name));
            let view = json!({"name": "skill_view", "arguments": {"name": name}});
            let answer = wire.ask("tools/call", view).await.unwrap();
            assert_eq!(answer["content"][0]["text"], skill_text(&name), "{era:?}");
            std::fs::remove_dir_all(library.root.join(&name)).unwrap();
            assert_eq!(names(&wire.ask("prompts/list", json!({})).await.unwrap()), ["one"]);
        }
    }
}

#[tokio::test]
async fn a_file_that_changed_has_another_digest_in_the_next_answer() {
    let library = Library::new(&["one"]);
    library.write("one/scripts/run.sh", "echo 1\n");
    let mut wire = Wire::connect(&library.offer(false), Era::Stateless).await;
    let get = json!({"uri": "skill://one/SKILL.md"});
    let before = wire.ask("skills/get", get.clone()).await.unwrap()["skill"]["resources"].take();
    library.write("one/scripts/run.sh", "echo 2\n");
    let after = wire.ask("skills/get", get).await.unwrap()["skill"]["resources"].take();
    assert_eq!(before[0], after[0]);
    let digest = hone_library::hash(b"echo 2\n");
    let script = json!({"uri": "skill://one/scripts/run.sh", "digest": format!("sha256:{digest}"), "size": 7});
    assert_eq!(after[1], script);
    assert_ne!(before[1], after[1]);
}

#[tokio::test]
async fn a_client_with_a_session_is_told_that_lists_changed() {
    let library = Library::new(&["one"]);
    let offer = library.offer(false);
    hone_server::attend(&offer.shelf);
    let mut wire = Wire::connect(&offer, Era::Sessions).await;
    assert_eq!(names(&wire.ask("prompts/list", json!({})).await.unwrap()), ["one"]);
    library.write("two/SKILL.md", skill_text("two"));
    assert_eq!(wire.notification().await["method"], "notifications/prompts/list_changed");
    assert_eq!(wire.notification().await["method"], "notifications/resources/list_changed");
}

#[tokio::test]
async fn a_client_without_one_is_told_what_it_asked_for() {
    let library = Library::new(&["one"]);
    let offer = library.offer(false);
    hone_server::attend(&offer.shelf);
    let mut wire = Wire::connect(&offer, Era::Stateless).await;
    let wanted = json!({"notifications": {"resourcesListChanged": true, "toolsListChanged": true}});
    let id = wire.begin("subscriptions/listen", wanted).await;
    let accepted = wire.notification().await;
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(accepted["params"]["notifications"], json!({"resourcesListChanged": true}));
    for name in ["two", "three"] {
        library.write(&format!("{name}/SKILL.md"), skill_text(name));
        let told = wire.notification().await;
        assert_eq!(told["method"], "notifications/resources/list_changed");
        let meta = &told["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], id);
    }
}

#[tokio::test]
async fn a_client_with_a_session_is_told_of_the_files_that_it_named() {
    let library = Library::new(&["one", "two"]);
    let offer = library.offer(false);
    hone_server::attend(&offer.shelf);
    let mut wire = Wire::connect(&offer, Era::Sessions).await;
    let one = json!({"uri": "skill://one/SKILL.md"});
    wire.ask("resources/subscribe", one.clone()).await.unwrap();
    for wrong in ["skill://one/../two/SKILL.md", "skill://nothing/SKILL.md"] {
        let error = wire.ask("resources/subscribe", json!({"uri": wrong})).await.unwrap_err();
        assert_eq!(error["code"], -32602, "{wrong}");
    }
    library.write("two/SKILL.md", skill_text("two") + "More.\n");
    library.write("one/SKILL.md", skill_text("one") + "More.\n");
    let told = wire.notification().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"], one, "and of no other");
    wire.ask("resources/unsubscribe", one).await.unwrap();
    library.write("one/SKILL.md", skill_text("one"));
    library.write("three/SKILL.md", skill_text("three"));
    assert_eq!(wire.notification().await["method"], "notifications/prompts/list_changed");
}

#[tokio::test]
async fn any_file_that_a_client_named_is_heard_of_wherever_it_lies() {
    let library = Library::new(&["one"]);
    library.write("one/scripts/run.sh", "echo 1\n");
    let offer = library.offer(false);
    hone_server::attend(&offer.shelf);
    for era in [Era::Sessions, Era::Stateless] {
        let mut wire = Wire::connect(&offer, era).await;
        let named = ["data.json", "scripts/run.sh", "templates/deep/new.txt"]
            .map(|file| format!("skill://one/{file}"));
        match era {
            Era::Sessions => {
                for uri in &named {
                    wire.ask("resources/subscribe", json!({"uri": uri})).await.unwrap();
                }
            }
            Era::Stateless => {
                let wanted = json!({"notifications": {"resourceSubscriptions": named}});
                wire.begin("subscriptions/listen", wanted).await;
                wire.notification().await;
            }
        }
        for uri in &named {
            let file = uri.strip_prefix("skill://").unwrap();
            for round in 0..3 {
                library.write(file, format!("{era:?} {round}\n"));
                let told = wire.notification().await;
                assert_eq!(told["method"], "notifications/resources/updated", "{file}");
                assert_eq!(told["params"]["uri"], *uri);
            }
        }
        std::fs::remove_dir_all(library.root.join("one/templates")).unwrap();
        assert_eq!(wire.notification().await["params"]["uri"], named[2], "it went");
    }
}

#[tokio::test]
async fn a_client_without_one_hears_of_a_file_from_the_promise_on() {
    let library = Library::new(&["one"]);
    let offer = library.offer(false);
    hone_server::attend(&offer.shelf);
    let mut wire = Wire::connect(&offer, Era::Stateless).await;
    let named = ["skill://one/SKILL.md", "skill://nothing/SKILL.md"];
    let wanted = json!({"notifications": {"resourceSubscriptions": named}});
    wire.begin("subscriptions/listen", wanted).await;
    let accepted = wire.notification().await;
    assert_eq!(accepted["params"]["notifications"], json!({"resourceSubscriptions": [named[0]]}));
    library.write("one/SKILL.md", skill_text("one") + "More.\n");
    let told = wire.notification().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], named[0]);
}

#[tokio::test]
async fn so_many_files_can_be_named_and_no_more() {
    let library = Library::new(&["one"]);
    let mut wire = Wire::connect(&library.offer(false), Era::Stateless).await;
    let files = 0..=hone_server::MAX_SUBSCRIBED;
    let named: Vec<String> = files.map(|file| format!("skill://one/{file:04}.md")).collect();
    let wanted = json!({"notifications": {"resourceSubscriptions": named}});
    wire.begin("subscriptions/listen", wanted).await;
    let accepted = wire.notification().await["params"]["notifications"].take();
    assert_eq!(accepted["resourceSubscriptions"], json!(named[..hone_server::MAX_SUBSCRIBED]));
}
