//! Any sequence of tasks, edits, snapshots, crashes, removals and restores ends in a state that a prefix
//! of what was done explains.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use hone_agent::lineage::StateHash;
use hone_agent::lineage::receipt::Kind;
use hone_agent::lineage::snapshot::{History, Snapshots, Taken, Which};
use object_store::memory::InMemory;
use proptest::prelude::*;

use crate::faults::{FAULTS, Faulty};
use crate::sample::{AGENT, Home, LAYOUT, once, secret};

#[derive(Debug, Clone)]
enum Step {
    Learn(u8),
    Forget(u8),
    Talk(u8),
    /// Some rows all over the database are others: patches.
    Scatter(u8),
    Edit(u8),
    Take,
    Crash {
        fault: usize,
        at: usize,
    },
    Wipe,
    WipeAndCrash {
        fault: usize,
        at: usize,
    },
    Return(u64),
    Prune(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<u8>().prop_map(|name| Step::Learn(name % 5)),
        1 => any::<u8>().prop_map(|name| Step::Forget(name % 5)),
        2 => (1..40_u8).prop_map(Step::Talk),
        3 => any::<u8>().prop_map(Step::Scatter),
        1 => any::<u8>().prop_map(Step::Edit),
        4 => Just(Step::Take),
        3 => (0..3_usize, 0..8_usize).prop_map(|(fault, at)| Step::Crash { fault, at }),
        2 => Just(Step::Wipe),
        2 => (0..3_usize, 0..6_usize).prop_map(|(fault, at)| Step::WipeAndCrash { fault, at }),
        1 => (1..6_u64).prop_map(Step::Return),
        1 => (1..3_usize).prop_map(Step::Prune),
    ]
}

/// What the store must hold by now: for each number, the state it may be of.
struct Model {
    home: Home,
    objects: Arc<InMemory>,
    states: BTreeMap<u64, StateHash>,
    /// A snapshot that may or may not have arrived.
    unsure: Option<StateHash>,
    history: History,
}

impl Model {
    async fn run(&mut self, step: &Step) {
        let home = &self.home;
        let store = once(self.objects.clone());
        match step {
            Step::Learn(name) => {
                home.write(&format!("skills/s{name}.md"), format!("{}", home.state().whole()));
                home.record(Kind::Outside);
            }
            Step::Forget(name) => {
                let _ = std::fs::remove_file(home.brain().join(format!("skills/s{name}.md")));
                home.record(Kind::Outside);
            }
            Step::Talk(count) => {
                home.add_messages(u64::from(*count));
                home.record(Kind::Outside);
            }
            Step::Scatter(which) => {
                home.scatter(97, u64::from(which % 97));
                home.record(Kind::Outside);
            }
            // Without a receipt.
            Step::Edit(with) => home.write("system.md", [*with; 3]),
            Step::Take => {
                let taken = home.take_as(&store, &secret(), self.history).await.unwrap();
                self.took(taken);
            }
            Step::Crash { fault, at } => {
                let faulty = once(Faulty::new(self.objects.clone(), FAULTS[*fault], *at));
                match home.take_as(&faulty, &secret(), self.history).await {
                    Ok(taken) => self.took(taken),
                    Err(_) => self.unsure = Some(home.state()),
                }
                self.look().await;
            }
            Step::Wipe => {
                if !self.states.is_empty() {
                    home.wipe();
                    home.restore(&store).await.unwrap();
                    let newest = self.states.last_key_value().unwrap().1;
                    assert_eq!(home.state(), *newest);
                    self.history = History::Extends;
                }
            }
            Step::WipeAndCrash { fault, at } => {
                if !self.states.is_empty() {
                    home.wipe();
                    let faulty = once(Faulty::new(self.objects.clone(), FAULTS[*fault], *at));
                    if home.restore(&faulty).await.is_err() {
                        assert_eq!(home.beside(), Vec::<String>::new());
                        home.restore(&store).await.unwrap();
                    }
                    let newest = self.states.last_key_value().unwrap().1;
                    assert_eq!(home.state(), *newest);
                    self.history = History::Extends;
                }
            }
            Step::Return(number) => {
                if let Some(state) = self.states.get(number) {
                    home.wipe();
                    let which = Which::Exactly(*number);
                    home.restore_as(&store, &secret(), AGENT, which).await.unwrap();
                    assert_eq!(home.state(), *state);
                    self.history = History::Replaces;
                }
            }
            Step::Prune(keep) => {
                let (known, secret) = (home.known(), secret());
                let snapshots = Snapshots::open(&store, Some(&secret), &known, AGENT, &LAYOUT);
                let keep = NonZeroUsize::new(*keep).unwrap();
                let far = 1_000 * 3600 * 24 * 365 * 200;
                snapshots.await.unwrap().prune(keep, far).await.unwrap();
                while self.states.len() > keep.get() {
                    self.states.pop_first();
                }
            }
        }
    }

    fn took(&mut self, taken: Taken) {
        let state = self.home.state();
        match taken {
            Taken::New { number, .. } => {
                let last = self.states.last_key_value().map_or(0, |(number, _)| *number);
                assert_eq!(number, last + 1);
                self.states.insert(number, state);
            }
            Taken::Unchanged { number } => {
                assert_eq!(self.states.last_key_value(), Some((&number, &state)));
            }
        }
        self.history = History::Extends;
    }

    /// After a crash: the head is the old or the new one.
    async fn look(&mut self) {
        let store = once(self.objects.clone());
        // Somebody who knows nothing looks.
        let home = Home::empty();
        let last = self.states.last_key_value().map_or(0, |(number, _)| *number);
        match home.restore(&store).await {
            Ok(restored) if restored.number == last => {
                assert_eq!(home.state(), self.states[&last]);
            }
            Ok(restored) => {
                assert_eq!(restored.number, last + 1);
                assert_eq!(Some(home.state()), self.unsure);
                self.states.insert(restored.number, home.state());
                self.history = History::Extends;
            }
            Err(error) => assert_eq!(last, 0, "{error}"),
        }
        self.unsure = None;
    }

    /// Every snapshot that should be there gives its state.
    async fn audit(&self) {
        let store = once(self.objects.clone());
        for (number, state) in &self.states {
            let home = Home::empty();
            let which = Which::Exactly(*number);
            home.restore_as(&store, &secret(), AGENT, which).await.unwrap();
            assert_eq!(home.state(), *state, "snapshot {number}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_ends_in_a_state_that_a_prefix_explains(steps in prop::collection::vec(step(), 1..14)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut model = Model {
                home: Home::new(),
                objects: Arc::new(InMemory::new()),
                states: BTreeMap::new(),
                unsure: None,
                history: History::Extends,
            };
            for step in &steps {
                model.run(step).await;
            }
            model.audit().await;
        });
    }
}
