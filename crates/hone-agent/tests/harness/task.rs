//! The loop: the list L.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hone_agent::model::{Message, ModelError, Role, Usage};
use hone_agent::prompt::Frame;
use hone_agent::reply::Unreadable;
use hone_agent::step::{Outcome, Reply, What};
use hone_agent::task::{
    Allowance, DEFAULT_RESULT_CHARS, DEFAULT_TURNS, End, Failure, Finished, Guard, Limit, Limits,
    MAX_PART_CHARS, MAX_TURNS, REPEATS_ENDED, REPEATS_REFUSED,
};
use hone_agent::tools::{MAX_NAME_BYTES, MAX_TOOLS, Tool, ToolResult, Tools, ToolsError};
use serde_json::json;

use crate::script::{Around, DONE, Probe, Scripted, play, roles, says};

fn one(probe: Probe) -> Vec<Box<dyn Tool>> {
    vec![Box::new(probe)]
}

fn look(n: usize) -> String {
    says("look", &json!({"n": n}))
}

fn done() -> End {
    End::Answered { text: DONE.to_owned() }
}

fn turns(turns: usize) -> End {
    End::NotConverged { limit: Limit::Turns { turns } }
}

/// What the loop made of each reply.
fn readings(finished: &Finished) -> Vec<Reply> {
    let readings = finished.steps.iter().filter_map(|step| match &step.what {
        What::Model { reading, .. } => Some(*reading),
        _ => None,
    });
    readings.collect()
}

fn outcomes(finished: &Finished) -> Vec<Outcome> {
    finished.tried().map(|tried| tried.outcome).collect()
}

#[tokio::test]
async fn l1_an_answer_before_any_evidence_is_refused_and_costs_a_turn() {
    let model = Scripted::new([DONE, &look(1), DONE]);
    let finished = play(&model, one(Probe::new("look"))).await;
    assert_eq!(finished.end, done());
    assert_eq!(readings(&finished), [Reply::RefusedAnswer, Reply::Call, Reply::Answer]);
    assert!(model.told(2).contains("Call `look` first"), "{}", model.told(2));
}

#[tokio::test]
async fn l2_without_tools_the_first_answer_is_taken() {
    let finished = play(&Scripted::new([DONE]), Vec::new()).await;
    assert_eq!((finished.end, finished.cost.turns), (done(), 1));
}

#[tokio::test]
async fn l3_answers_alone_never_converge() {
    let finished = play(&Scripted::new([DONE; 9]), one(Probe::new("look"))).await;
    assert_eq!((&finished.end, finished.cost.turns, finished.cost.calls), (&turns(8), 8, 0));
    assert_eq!(finished.end.to_string(), "did not converge: no answer after 8 turns");
    assert_eq!(finished.answer(), None);
}

#[tokio::test]
async fn l4_calls_to_the_last_turn_do_not_converge_and_say_what_was_tried() {
    let model = Scripted::new((1..=9).map(look));
    let finished = play(&model, one(Probe::new("look"))).await;
    assert_eq!((&finished.end, finished.cost.calls), (&turns(8), 8));
    assert_eq!(outcomes(&finished), [Outcome::Ok; 8]);
    assert!(!model.told(7).contains("One reply is left"));
    assert!(model.told(8).ends_with("One reply is left: finish with it."));
}

#[tokio::test]
async fn l5_an_answer_on_the_last_turn_is_taken() {
    let script = (1..=7).map(look).chain([DONE.to_owned()]);
    let finished = play(&Scripted::new(script), one(Probe::new("look"))).await;
    assert_eq!((finished.end, finished.cost.calls), (done(), 7));
}

#[tokio::test]
async fn l6_replies_that_cannot_be_read_are_no_evidence() {
    let model = Scripted::new(["no idea"; 7].into_iter().chain([DONE]));
    let finished = play(&model, one(Probe::new("look"))).await;
    assert_eq!(finished.end, turns(8));
    let mut expected = vec![Reply::Unreadable(Unreadable::NoObject); 7];
    expected.push(Reply::RefusedAnswer);
    assert_eq!(readings(&finished), expected);
    assert!(model.told(2).starts_with("Your reply holds no JSON object."), "{}", model.told(2));
}

#[tokio::test]
async fn l7_a_tool_that_is_not_there_is_no_evidence() {
    let model = Scripted::new([&says("toString", &json!({})), DONE, &look(1), DONE]);
    let finished = play(&model, one(Probe::new("look"))).await;
    assert_eq!(
        readings(&finished),
        [Reply::Call, Reply::RefusedAnswer, Reply::Call, Reply::Answer]
    );
    assert_eq!(outcomes(&finished), [Outcome::Refused, Outcome::Ok]);
    assert!(model.told(2).contains("The tool `toString` is not there; there are `look`."));
}

#[tokio::test]
async fn l7_a_tool_that_failed_is_no_evidence() {
    let calls = AtomicUsize::new(0);
    let probe = Probe::answering("look", move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => ToolResult::failed("closed"),
        _ => ToolResult::ok("open", "open"),
    });
    let finished = play(&Scripted::new([&look(1), DONE, &look(2), DONE]), one(probe)).await;
    assert_eq!(
        readings(&finished),
        [Reply::Call, Reply::RefusedAnswer, Reply::Call, Reply::Answer]
    );
}

#[tokio::test]
async fn l8_looking_into_oneself_is_no_evidence_unless_the_guard_is_off() {
    let tools = || -> Vec<Box<dyn Tool>> {
        vec![Box::new(Probe::new("look")), Box::new(Probe::new("skills_list").introspection())]
    };
    let script = [says("skills_list", &json!({})), DONE.to_owned()];
    let mut around = Around::default();
    around.limits.turns = 2;
    assert_eq!(around.run(&Scripted::new(script.clone()), tools()).await.end, turns(2));
    around.limits.guard = Guard::Off;
    assert_eq!(around.run(&Scripted::new(script), tools()).await.end, done());
}

#[tokio::test]
async fn l9_a_tool_outside_of_the_whitelist_is_not_called_and_not_listed() {
    let (look_at, hidden) = (Probe::new("look"), Probe::new("hidden"));
    let calls = Arc::clone(&hidden.calls);
    let tools: Vec<Box<dyn Tool>> = vec![
        Box::new(look_at),
        Box::new(hidden),
        Box::new(Probe::new("skill_view").introspection()),
    ];
    let tools = Tools::new(tools, Some(&["look".to_owned()])).unwrap();
    let model = Scripted::new([&says("hidden", &json!({})), &look(1), DONE]);
    let finished = Around::default().run_with(&model, &tools).await;
    assert_eq!(outcomes(&finished), [Outcome::Refused, Outcome::Ok]);
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    assert!(
        model.told(2).contains("The tool `hidden` is not allowed; there are `look`, `skill_view`.")
    );
    let system = &finished.conversation[0].content;
    assert!(system.contains("- `skill_view`") && !system.contains("hidden"), "{system}");
}

#[test]
fn l10_a_whitelist_that_names_what_is_not_there_is_an_error_at_once() {
    let tools = || one(Probe::new("look"));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let error = Tools::new(tools(), Some(&names(&["lok", "see"]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the whitelist of tools names `lok`, `see`, which are not there; there are `look`"
    );
    let error = Tools::new(tools(), Some(&names(&["look", "see"]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the whitelist of tools names `see`, which is not there; there are `look`"
    );
}

#[tokio::test]
async fn l11_an_empty_whitelist_leaves_the_tools_for_skills_and_no_guard() {
    let tools: Vec<Box<dyn Tool>> =
        vec![Box::new(Probe::new("look")), Box::new(Probe::new("skill_view").introspection())];
    let tools = Tools::new(tools, Some(&[])).unwrap();
    assert_eq!(tools.allowed().map(Tool::name).collect::<Vec<_>>(), ["skill_view"]);
    assert_eq!(Around::default().run_with(&Scripted::new([DONE]), &tools).await.end, done());
}

#[test]
fn tools_have_names_of_their_own_and_are_not_too_many() {
    assert_eq!(
        Tools::new(vec![Box::new(Probe::new("a")), Box::new(Probe::new("a"))], None).unwrap_err(),
        ToolsError::Twice("a".to_owned())
    );
    for bad in ["", "a b", "a\n", "<result>", "é"] {
        assert_eq!(
            Tools::new(one(Probe::new(bad)), None).unwrap_err(),
            ToolsError::Name(bad.to_owned())
        );
    }
    let long = |length: usize| -> &'static str { "n".repeat(length).leak() };
    assert!(Tools::new(one(Probe::new(long(MAX_NAME_BYTES))), None).is_ok());
    assert!(Tools::new(one(Probe::new(long(MAX_NAME_BYTES + 1))), None).is_err());
    let many = |count: usize| -> Vec<Box<dyn Tool>> {
        (0..count).map(|n| Box::new(Probe::new(format!("t{n}").leak())) as Box<dyn Tool>).collect()
    };
    assert!(Tools::new(many(MAX_TOOLS), None).is_ok());
    assert_eq!(
        Tools::new(many(MAX_TOOLS + 1), None).unwrap_err(),
        ToolsError::TooMany(MAX_TOOLS + 1)
    );
}

#[tokio::test]
async fn l12_a_tool_that_fails_is_a_step_and_the_task_goes_on() {
    let probe = Probe::answering("look", |arguments| match arguments["n"].as_u64() {
        Some(1) => ToolResult::failed("the disk is full\nand more"),
        _ => ToolResult::ok("fine", "fine"),
    });
    let model = Scripted::new([&look(1), &look(2), DONE]);
    let finished = play(&model, one(probe)).await;
    assert_eq!((&finished.end, outcomes(&finished)), (&done(), vec![Outcome::Failed, Outcome::Ok]));
    assert_eq!(finished.tried().next().unwrap().summary, "the disk is full");
    assert!(model.told(2).contains("outcome=\"failed\">\nthe disk is full\nand more\n"));
}

fn short() -> Limits {
    let (tool_time, grace) = (Duration::from_millis(20), Duration::from_millis(20));
    Limits { tool_time, grace, ..Limits::default() }
}

#[tokio::test]
async fn l13_a_tool_that_hangs_is_ended_and_the_task_goes_on() {
    let tools: Vec<Box<dyn Tool>> =
        vec![Box::new(Probe::hanging("hang")), Box::new(Probe::new("look"))];
    let model = Scripted::new([&says("hang", &json!({})), &look(1), DONE]);
    let around = Around { limits: short(), ..Around::default() };
    let finished = around.run(&model, tools).await;
    assert_eq!(
        (&finished.end, outcomes(&finished)),
        (&done(), vec![Outcome::TimedOut, Outcome::Ok])
    );
    assert!(model.told(2).contains("`hang` did not finish within 0.02 s and was ended."));
}

#[tokio::test]
async fn l14_a_backend_that_fails_on_turn_3_ends_the_task_with_every_step() {
    let broken =
        ModelError::Failed { backend: "script".to_owned(), why: "500 after 3 tries".to_owned() };
    let model = Scripted::with([Ok(look(1)), Ok(look(2)), Err(broken)]);
    let finished = play(&model, one(Probe::new("look"))).await;
    let message = "script failed: 500 after 3 tries".to_owned();
    assert_eq!(finished.end, End::Failed { failure: Failure::Backend, message: message.clone() });
    assert_eq!(outcomes(&finished), [Outcome::Ok, Outcome::Ok]);
    let expected = What::NoReply {
        turn: 3,
        backend: "script".to_owned(),
        model: "scripted".to_owned(),
        error: message,
    };
    assert_eq!(finished.steps.last().unwrap().what, expected);
    assert_eq!(finished.conversation.len(), 6);
}

#[tokio::test]
async fn l16_the_conversation_keeps_the_turns_of_the_model() {
    let model = Scripted::new([&look(1), "hm", DONE]);
    let earlier = [(Role::User, "Hello."), (Role::Assistant, "{\"answer\":\"Hi.\"}")]
        .map(|(role, content)| Message { role, content: content.to_owned() });
    let around = Around { earlier: earlier.into(), ..Around::default() };
    let finished = around.run(&model, one(Probe::new("look"))).await;
    let (user, assistant) = (Role::User, Role::Assistant);
    assert_eq!(
        roles(&finished.conversation),
        [Role::System, user, assistant, user, assistant, user, assistant, user, assistant]
    );
    let contents: Vec<&str> =
        finished.conversation.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(contents[3..5], ["Do it.", &look(1)]);
    assert_eq!((contents[6], contents[8]), ("hm", DONE));
    // Each request is the one before, with more at its end.
    let seen = model.seen.lock().unwrap();
    assert!(seen.windows(2).all(|pair| pair[1].starts_with(&pair[0])));
}

#[tokio::test]
async fn p18_an_empty_reply_is_nudged_and_leaves_no_empty_message() {
    let model = Scripted::new(["", DONE]);
    let finished = play(&model, Vec::new()).await;
    assert_eq!((finished.end, model.told(2).starts_with("Your reply was empty.")), (done(), true));
    assert!(finished.conversation.iter().all(|message| !message.content.is_empty()));
}

#[tokio::test]
async fn l17_a_result_of_5_mb_is_cut_with_a_mark_and_kept_in_full() {
    let big = "x".repeat(5_000_000);
    let answer = big.clone();
    let probe = Probe::answering("look", move |_| ToolResult::ok(answer.clone(), "big"));
    let model = Scripted::new([&look(1), DONE]);
    let finished = play(&model, one(probe)).await;
    let told = model.told(2);
    assert!(told.len() < DEFAULT_RESULT_CHARS + 300, "{}", told.len());
    let left_out = 5_000_000 - DEFAULT_RESULT_CHARS;
    assert!(told.contains(&format!("[… {left_out} of 5000000 characters are left out here;")));
    let call = finished.calls().next().unwrap();
    assert!(call.is_cut && call.text == big);
}

#[tokio::test]
async fn l17_a_result_is_whole_up_to_its_limit() {
    for (length, is_cut) in [(40, false), (41, true)] {
        let probe = Probe::answering("look", move |_| ToolResult::ok("é".repeat(length), "x"));
        let limits = Limits { result_chars: 40, ..Limits::default() };
        let around = Around { limits, ..Around::default() };
        let finished = around.run(&Scripted::new([&look(1), DONE]), one(probe)).await;
        assert_eq!(finished.calls().next().unwrap().is_cut, is_cut, "{length}");
    }
}

#[tokio::test]
async fn l18_the_same_call_is_stopped_with_a_hint_and_then_ends_the_task() {
    let probe = Probe::new("look");
    let calls = Arc::clone(&probe.calls);
    // The order of keys makes no other call of it.
    let script = (0..9).map(|n| match n % 2 {
        0 => r#"{"tool":"look","args":{"n":1,"m":2}}"#,
        _ => r#"{"tool":"look","args":{"m":2,"n":1}}"#,
    });
    let model = Scripted::new(script);
    let finished = play(&model, one(probe)).await;
    let tool = "look".to_owned();
    assert_eq!(finished.end, End::NotConverged { limit: Limit::Repeating { tool } });
    let mut expected = vec![Outcome::Ok; REPEATS_REFUSED - 1];
    expected.resize(REPEATS_ENDED, Outcome::Refused);
    assert_eq!(outcomes(&finished), expected);
    assert_eq!(calls.load(Ordering::SeqCst), REPEATS_REFUSED - 1);
    assert!(model.told(4).contains("was made 2 times already"), "{}", model.told(4));
}

#[tokio::test]
async fn l18_a_call_may_be_repeated_once_something_has_changed() {
    let tools: Vec<Box<dyn Tool>> =
        vec![Box::new(Probe::new("look")), Box::new(Probe::new("write").changing())];
    let write = |n: usize| says("write", &json!({"n": n}));
    let script =
        [look(1), write(1), look(1), write(2), look(1), write(3), look(1), DONE.to_owned()];
    let finished = play(&Scripted::new(script), tools).await;
    assert_eq!((&finished.end, outcomes(&finished)), (&done(), vec![Outcome::Ok; 7]));
    // A change that repeats itself is no change.
    let tools: Vec<Box<dyn Tool>> = vec![Box::new(Probe::new("write").changing())];
    let finished =
        play(&Scripted::new([write(1), write(1), write(1), DONE.to_owned()]), tools).await;
    assert_eq!(outcomes(&finished), [Outcome::Ok, Outcome::Ok, Outcome::Refused]);
}

#[tokio::test]
async fn p4_more_than_one_call_runs_the_first_and_says_so() {
    let probe = Probe::new("look");
    let calls = Arc::clone(&probe.calls);
    let model = Scripted::new([format!("{}{}", look(1), look(2)), DONE.to_owned()]);
    let finished = play(&model, one(probe)).await;
    assert_eq!((calls.load(Ordering::SeqCst), &finished.end), (1, &done()));
    assert!(model.told(2).ends_with("were ignored: one call a reply."), "{}", model.told(2));
}

#[tokio::test]
async fn turns_can_be_set_up_to_the_limit() {
    for (asked, given) in [(0, 1), (1, 1), (MAX_TURNS, MAX_TURNS), (MAX_TURNS + 1, MAX_TURNS)] {
        let limits = Limits { turns: asked, ..Limits::default() };
        let around = Around { limits, ..Around::default() };
        let finished = around.run(&Scripted::new(vec!["hm"; MAX_TURNS + 2]), Vec::new()).await;
        assert_eq!(finished.end, turns(given), "{asked}");
    }
    assert_eq!(Limits::default().turns, DEFAULT_TURNS);
}

#[tokio::test]
async fn a_text_over_its_limit_fails_before_anything_is_asked() {
    for (length, is_asked) in [(MAX_PART_CHARS, true), (MAX_PART_CHARS + 1, false)] {
        let role = "r".repeat(length);
        let frame = Frame { role: &role, ..Frame::default() };
        let model = Scripted::new([DONE]);
        let finished = Around { frame, ..Around::default() }.run(&model, Vec::new()).await;
        assert_eq!(model.seen.lock().unwrap().len(), usize::from(is_asked));
        if !is_asked {
            let message = "the role has 200001 characters, 200000 are allowed".to_owned();
            assert_eq!(finished.end, End::Failed { failure: Failure::TooLong, message });
        }
    }
}

#[tokio::test]
async fn a_task_that_is_cancelled_before_it_starts_asks_nobody() {
    let around = Around::default();
    around.cancelled.cancel();
    let model = Scripted::new([DONE]);
    let finished = around.run(&model, Vec::new()).await;
    assert_eq!((finished.end, model.seen.lock().unwrap().len()), (End::Cancelled, 0));
}

#[tokio::test]
async fn a_task_that_is_cancelled_while_the_model_thinks_ends_with_its_steps() {
    let around = Around::default();
    let token = around.cancelled.clone();
    let asked = AtomicUsize::new(0);
    // The model has one reply; the second request is never answered.
    let on = move |event: &str| {
        if event == "asking" && asked.fetch_add(1, Ordering::SeqCst) == 1 {
            token.cancel();
        }
    };
    let around = Around { on: Some(&on), ..around };
    let finished =
        around.run(&Scripted::new([look(1)]).then_silent(), one(Probe::new("look"))).await;
    assert_eq!((&finished.end, outcomes(&finished)), (&End::Cancelled, vec![Outcome::Ok]));
    assert!(matches!(finished.steps.last().unwrap().what, What::NoReply { turn: 2, .. }));
}

#[tokio::test]
async fn a_task_that_is_cancelled_while_a_tool_works_ends_with_its_step() {
    let around = Around { limits: short(), ..Around::default() };
    let token = around.cancelled.clone();
    let on = move |event: &str| {
        if event == "calling" {
            token.cancel();
        }
    };
    let around = Around { on: Some(&on), ..around };
    let finished =
        around.run(&Scripted::new([says("hang", &json!({}))]), one(Probe::hanging("hang"))).await;
    assert_eq!((&finished.end, outcomes(&finished)), (&End::Cancelled, vec![Outcome::Failed]));
    assert_eq!(finished.calls().next().unwrap().text, "The task was cancelled.");
}

/// So many tokens and no more.
struct Tokens(AtomicU64);

impl Allowance for Tokens {
    fn exhausted(&self) -> Option<String> {
        (self.0.load(Ordering::SeqCst) == 0)
            .then(|| "the budget of 24 tokens is used up".to_owned())
    }

    fn spend(&self, model: &str, usage: Usage) {
        assert_eq!(model, "scripted-1");
        let left = self.0.load(Ordering::SeqCst);
        self.0.store(left.saturating_sub(usage.input + usage.output), Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_task_whose_budget_is_used_up_asks_no_more() {
    let tokens = Tokens(AtomicU64::new(24));
    let around = Around { allowance: Some(&tokens), ..Around::default() };
    let model = Scripted::new((1..=8).map(look));
    let finished = around.run(&model, one(Probe::new("look"))).await;
    let why = "the budget of 24 tokens is used up".to_owned();
    assert_eq!(finished.end, End::NotConverged { limit: Limit::Budget { why } });
    assert_eq!((finished.cost.turns, model.seen.lock().unwrap().len()), (2, 2));
    assert_eq!(finished.cost.usage, Usage { input: 20, output: 4, is_estimate: false });
}

#[tokio::test]
async fn an_answer_is_given_byte_for_byte_and_plainly() {
    for (reply, shown) in [
        (r#"So: {"answer": "a\n\"b\""}"#, "a\n\"b\""),
        (r#"{"answer":"x","sure":true}"#, r#"{"answer":"x","sure":true}"#),
        (
            r#"{"b":12345678901234567890123,"2":1,"1":2}"#,
            r#"{"b":12345678901234567890123,"2":1,"1":2}"#,
        ),
    ] {
        let finished = play(&Scripted::new([reply]), Vec::new()).await;
        let text = reply.trim_start_matches("So: ").to_owned();
        assert_eq!(finished.answer().as_deref(), Some(shown));
        assert_eq!(finished.end, End::Answered { text });
    }
}

#[tokio::test]
async fn a_hundred_tasks_run_at_once() {
    let runs = (0..100).map(|_| {
        tokio::spawn(async {
            let model = Scripted::new([&look(1), &look(2), DONE]);
            play(&model, one(Probe::new("look"))).await.end
        })
    });
    for run in runs.collect::<Vec<_>>() {
        assert_eq!(run.await.unwrap(), done());
    }
}
