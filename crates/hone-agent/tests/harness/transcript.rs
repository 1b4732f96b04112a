//! The record of a task: keys that stay, hashes that do not depend on spelling, times that go forward.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use hone_agent::canonical::{canonical, sha256};
use hone_agent::step::{Effect, What};
use hone_agent::task::Finished;
use hone_agent::tools::{ToolResult, Tools};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::script::{Around, DONE, Probe, Scripted, says};

fn effect() -> Effect {
    Effect::SkillChanged {
        name: "greet".to_owned(),
        action: "create".to_owned(),
        from_version: None,
        to_version: Some("1".to_owned()),
    }
}

#[tokio::test]
async fn l20_l21_the_record_has_these_keys_and_this_order() {
    let probe = Probe::answering("look", |_| ToolResult::ok("seen", "looked").with(effect()));
    let call = says("look", &json!({"n": 1}));
    let model = Scripted::new([call.as_str(), DONE]);
    let around = Around { skills: vec!["greet".to_owned()], ..Around::default() };
    let finished = around.run(&model, vec![Box::new(probe)]).await;
    let expected = json!({
        "id": "t1",
        "end": {"end": "answered", "text": DONE},
        "steps": [
            {"id": "t1.1", "started": 1001, "ended": 1002, "kind": "skills", "names": ["greet"]},
            {
                "id": "t1.2", "started": 1003, "ended": 1004, "kind": "model", "turn": 1,
                "backend": "script", "model": "scripted-1",
                "usage": {"input": 10, "output": 2, "is_estimate": false},
                "is_cut": false, "text": call, "sha256": sha256(&call),
                "reading": "call", "is_mended": false, "ignored": 0,
            },
            {
                "id": "t1.3", "started": 1005, "ended": 1006, "kind": "tool", "turn": 1,
                "tool": "look", "arguments": {"n": 1}, "arguments_sha256": sha256("{\"n\":1}"),
                "outcome": "ok", "summary": "looked", "text": "seen", "result_sha256": sha256("seen"),
                "is_cut": false,
                "effects": [{
                    "effect": "skill-changed", "name": "greet", "action": "create",
                    "from_version": null, "to_version": "1",
                }],
            },
            {
                "id": "t1.4", "started": 1007, "ended": 1008, "kind": "model", "turn": 2,
                "backend": "script", "model": "scripted-1",
                "usage": {"input": 10, "output": 2, "is_estimate": false},
                "is_cut": false, "text": DONE, "sha256": sha256(DONE),
                "reading": "answer", "is_mended": false, "ignored": 0,
            },
        ],
        "conversation": finished.conversation,
        "cost": {
            "turns": 2, "calls": 1, "milliseconds": 9,
            "usage": {"input": 20, "output": 4, "is_estimate": false},
        },
    });
    let found = serde_json::to_value(&finished).unwrap();
    assert_eq!(found, expected);
    assert_eq!(serde_json::from_value::<Finished>(found).unwrap(), finished);
}

#[tokio::test]
async fn l20_times_go_forward_though_the_clock_goes_back() {
    let clock = AtomicI64::new(5_000);
    let now = || clock.fetch_sub(7, Ordering::SeqCst);
    let model = Scripted::new([says("look", &json!({})), DONE.to_owned()]);
    let tools = Tools::new(vec![Box::new(Probe::new("look"))], None).unwrap();
    let finished = Around::default().run_at(&model, &tools, &now).await;
    let times: Vec<i64> =
        finished.steps.iter().flat_map(|step| [step.started, step.ended]).collect();
    assert_eq!(times, vec![5_000; 6]);
    assert_eq!(finished.cost.milliseconds, 0);
}

#[tokio::test]
async fn events_come_as_things_happen() {
    let seen = Mutex::new(Vec::new());
    let on = |event: &str| seen.lock().unwrap().push(event.to_owned());
    let model = Scripted::new([says("look", &json!({})), DONE.to_owned()]);
    let around = Around { on: Some(&on), ..Around::default() };
    around.run(&model, vec![Box::new(Probe::new("look"))]).await;
    let expected = ["started", "asking", "step", "calling", "step", "asking", "step", "ended"];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn t5_the_hash_of_arguments_does_not_depend_on_the_order_of_keys() {
    let script = [
        r#"{"tool":"look","args":{"b":1,"a":{"y":1.0,"x":"é"}}}"#,
        r#"{"tool":"look","args":{"a":{"x":"\u00e9","y":1},"b":1}}"#,
        DONE,
    ];
    let finished =
        Around::default().run(&Scripted::new(script), vec![Box::new(Probe::new("look"))]).await;
    let hashes: Vec<&str> = finished.calls().map(|call| call.arguments_sha256.as_str()).collect();
    let expected = sha256(r#"{"a":{"x":"é","y":1},"b":1}"#);
    assert_eq!(hashes, [&expected, &expected]);
}

#[tokio::test]
async fn a_mended_call_is_marked_in_its_step_and_told_to_the_model() {
    let model = Scripted::new(["{'tool': 'look', 'args': {},}", DONE]);
    let finished = Around::default().run(&model, vec![Box::new(Probe::new("look"))]).await;
    let mended: Vec<bool> = finished
        .steps
        .iter()
        .filter_map(|step| match &step.what {
            What::Model { is_mended, .. } => Some(*is_mended),
            _ => None,
        })
        .collect();
    assert_eq!(mended, [true, false]);
    assert!(model.told(2).ends_with("was mended: use double quotes, no comma at the end."));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_number_is_written_as_itself(number in any::<f64>().prop_filter("JSON has no others", |n| n.is_finite())) {
        let text = canonical(&json!(number));
        // The RFC writes the negative zero as 0.
        let expected = (number + 0.0).to_bits();
        prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), expected);
    }

    #[test]
    fn canonical_json_is_json_of_the_same_value(value in json_value()) {
        let text = canonical(&value);
        let back: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(canonical(&back), text);
    }
}
