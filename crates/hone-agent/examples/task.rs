//! A task that learns something and says so step by step, for a test that kills it on the way.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use hone_agent::brain::{Brain, Opening, Owner, Waiting, actor};
use hone_agent::memory::{Ending, Subscriber, TaskRow};
use hone_library::{Author, Mode, State, Store};
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let home = PathBuf::from(arguments.next().ok_or("a home")?);
    let agent = arguments.next().and_then(|id| id.into_string().ok()).ok_or("an agent")?;
    let task = arguments.next().and_then(|id| id.into_string().ok()).ok_or("a task")?;
    let brain = Brain::find(&home, &agent)?;
    let state = Mutex::new(State::open(&home));
    let done = |what: &str| writeln!(std::io::stdout(), "{what}");
    done("started")?;

    let cancelled = CancellationToken::new();
    let tell = |_: &Owner| {};
    let waiting = Waiting { patience: Duration::from_secs(10), cancelled: &cancelled, tell: &tell };
    let subscriber = &Subscriber::Owner;
    let input = "What is an oracle?";
    let opening = Opening { task: &task, subscriber, input, backend: "none", model: "none" };
    let session = brain.begin(&opening, &waiting, 1).await?;
    done("began")?;

    for (name, text) in
        [("oracle", "Checks oracles.\n\nSecond thoughts.\n"), ("fresh", "A new skill.\n")]
    {
        let state = state.lock().map_err(|_| "poisoned")?;
        let author = Author { actor: actor(&task), reason: String::new(), now: 2 };
        let existing = brain.catalogue(&state).skills;
        let store = Store::new(&state, author, Mode::Write);
        store.upsert(&brain.member("skills"), name, text, &existing)?;
        done(name)?;
    }
    {
        let mut draft = session.remembering().draft();
        draft.say("user", input, 3);
        draft.note("oracle", "use TWAP", true, 4)?;
        draft.note("editor", "vim", false, 5)?;
    }
    done("noted")?;
    done("finishing")?;
    let row = TaskRow {
        task,
        subscriber: Subscriber::Owner,
        started: 1,
        ended: 6,
        ending: Ending::Answered,
        input: input.to_owned(),
        answer: "A source of prices.".to_owned(),
        model: "none".to_owned(),
        turns: 1,
        calls: 3,
        tokens_in: 0,
        tokens_out: 0,
    };
    session.finish(&row)?;
    done("finished")?;
    Ok(())
}
