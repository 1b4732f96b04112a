//! `ask_agent`: another agent, a limit of depth.

use std::sync::{Arc, Mutex};

use hone_agent::step::{Effect, Outcome};
use hone_agent::tools::Tool;
use hone_agent::tools::ask_agent::{Answering, AskAgent, Colleagues, MAX_DEPTH, Question};
use hone_agent::tools::schema::problems;
use serde_json::json;

use crate::script::call;

#[derive(Default)]
struct Office {
    asked: Mutex<Vec<(String, String, usize)>>,
}

impl Colleagues for Office {
    fn names(&self) -> Vec<String> {
        vec!["auditor".to_owned(), "writer".to_owned()]
    }

    fn ask(&self, question: Question) -> Answering<'_> {
        Box::pin(async move {
            let Question { agent, text, depth, .. } = question;
            let is_writer = agent == "writer";
            self.asked.lock().unwrap().push((agent, text, depth));
            if is_writer { Err("it did not converge".to_owned()) } else { Ok("42".to_owned()) }
        })
    }
}

fn tools(office: &Arc<Office>, depth: usize) -> Vec<Box<dyn Tool>> {
    vec![Box::new(AskAgent::new(Arc::clone(office) as Arc<dyn Colleagues>, depth))]
}

#[tokio::test]
async fn a_question_goes_one_deeper_and_its_answer_comes_back() {
    let office = Arc::new(Office::default());
    let good =
        call(&tools(&office, 0), "ask_agent", json!({"agent": "auditor", "question": "why?"}))
            .await;
    assert_eq!((good.outcome, good.text.as_str()), (Outcome::Ok, "42"));
    assert_eq!(good.effects, [Effect::AgentAsked { agent: "auditor".to_owned() }]);
    let bad =
        call(&tools(&office, 1), "ask_agent", json!({"agent": "writer", "question": "how?"})).await;
    assert_eq!((bad.outcome, bad.text.as_str()), (Outcome::Failed, "writer: it did not converge"));
    let expected = [("auditor", "why?", 1), ("writer", "how?", 2)]
        .map(|(agent, text, depth)| (agent.to_owned(), text.to_owned(), depth));
    assert_eq!(*office.asked.lock().unwrap(), expected);
}

#[tokio::test]
async fn the_last_agent_in_a_row_asks_nobody() {
    let office = Arc::new(Office::default());
    let arguments = json!({"agent": "auditor", "question": "why?"});
    let last = call(&tools(&office, MAX_DEPTH - 1), "ask_agent", arguments.clone()).await;
    assert_eq!(last.outcome, Outcome::Ok);
    let refused = call(&tools(&office, MAX_DEPTH), "ask_agent", arguments).await;
    assert_eq!(refused.outcome, Outcome::Refused);
    assert_eq!(office.asked.lock().unwrap().len(), 1);
}

#[test]
fn only_agents_that_are_there_can_be_asked() {
    let office = Arc::new(Office::default());
    let tools = tools(&office, 0);
    let found = problems(tools[0].schema(), &json!({"agent": "boss", "question": "why?"}));
    assert_eq!(found, ["`agent` must be one of `auditor`, `writer`, not `boss`"]);
}
