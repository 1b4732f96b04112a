//! Arguments against schemas: T4.

use hone_agent::step::Outcome;
use hone_agent::tools::schema::{MAX_PROBLEMS, problems};
use serde_json::{Value, json};

use crate::script::{DONE, Probe, Scripted, play, says};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 4},
            "lines": {"type": "integer", "minimum": 1, "maximum": 9},
            "mode": {"enum": ["a", "b"]},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "deep": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}, "required": ["x"]},
            "odd": {"type": "no-such-type"},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

#[test]
fn t4_each_problem_names_its_field() {
    for (arguments, expected) in [
        (json!({"path": "a"}), vec![]),
        (
            json!({"path": "a", "lines": 1, "mode": "b", "tags": ["x", "y"], "deep": {"x": null}}),
            vec![],
        ),
        (json!({"path": "abcd", "lines": 9.0, "odd": 7}), vec![]),
        (json!([]), vec!["the arguments must be an object, not an array"]),
        (json!({}), vec!["`path` is missing"]),
        (json!({"path": 5}), vec!["`path` must be a string, not a number"]),
        (json!({"path": ""}), vec!["`path` must have at least 1 characters, not 0"]),
        (json!({"path": "abcde"}), vec!["`path` must have at most 4 characters, not 5"]),
        (json!({"path": "a", "lines": 0}), vec!["`lines` must be at least 1, not 0"]),
        (json!({"path": "a", "lines": 10}), vec!["`lines` must be at most 9, not 10"]),
        (json!({"path": "a", "lines": 1.5}), vec!["`lines` must be a whole number, not a number"]),
        (json!({"path": "a", "lines": "3"}), vec!["`lines` must be a whole number, not a string"]),
        (json!({"path": "a", "mode": "c"}), vec!["`mode` must be one of `a`, `b`, not `c`"]),
        (json!({"path": "a", "tags": ["x", 1]}), vec!["`tags[1]` must be a string, not a number"]),
        (
            json!({"path": "a", "tags": ["x", "y", "z"]}),
            vec!["`tags` must have at most 2 items, not 3"],
        ),
        (json!({"path": "a", "deep": {}}), vec!["`deep.x` is missing"]),
        (
            json!({"path": "a", "deep": {"x": "y"}}),
            vec!["`deep.x` must be a number or null, not a string"],
        ),
        (
            json!({"path": "a", "pth\n": 1}),
            vec![
                "`pth\\n` is not an argument; there are `deep`, `lines`, `mode`, `odd`, `path` and `tags`",
            ],
        ),
    ] {
        assert_eq!(problems(&schema(), &arguments), expected, "{arguments}");
    }
}

#[test]
fn no_more_problems_are_told_than_the_limit() {
    let wrong = |count: usize| -> Value {
        let entries = (0..count).map(|n| (format!("k{n:02}"), json!(1)));
        Value::Object(entries.collect())
    };
    let schema = json!({"type": "object", "additionalProperties": false});
    assert_eq!(problems(&schema, &wrong(MAX_PROBLEMS)).len(), MAX_PROBLEMS);
    assert_eq!(problems(&schema, &wrong(MAX_PROBLEMS + 1)).len(), MAX_PROBLEMS);
}

#[tokio::test]
async fn t4_arguments_that_do_not_fit_never_reach_the_tool() {
    let probe = Probe::new("look");
    let calls = std::sync::Arc::clone(&probe.calls);
    let script = [
        says("look", &json!({"n": "x"})),
        says("look", &json!([1])),
        says("look", &json!({"n": 1})),
        DONE.to_owned(),
    ];
    let model = Scripted::new(script);
    let finished = play(&model, vec![Box::new(probe)]).await;
    let outcomes: Vec<Outcome> = finished.tried().map(|tried| tried.outcome).collect();
    assert_eq!(outcomes, [Outcome::Refused, Outcome::Refused, Outcome::Ok]);
    assert_eq!(calls.load(std::sync::atomic::Ordering::SeqCst), 1);
    assert_eq!(
        model.told(2),
        "<result tool=\"look\" step=\"2\" outcome=\"refused\">\nThe arguments of `look` do not fit: `n` must be \
         a whole number, not a string.\n</result>"
    );
}
