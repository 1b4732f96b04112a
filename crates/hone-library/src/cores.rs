//! The same work for many things, on all cores.

use std::thread;

/// Does something with each item; the answers are in the order of the items.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let part = items.len().div_ceil(cores).max(1);
    let run = |part: &[T]| part.iter().map(&work).collect::<Vec<R>>();
    let run = &run;
    thread::scope(|scope| {
        let mut parts = items.chunks(part);
        let first = parts.next();
        let others: Vec<_> = parts
            .map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || run(part))))
            .collect();
        let mut answers = first.map(run).unwrap_or_default();
        for (part, other) in others {
            // Without another thread, this one does its work.
            answers.extend(match other {
                Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => run(part),
            });
        }
        answers
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_answered_in_its_place() {
        for count in [0, 1, 2, 3, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(each(&items, |item| 2 * item), doubled);
        }
    }
}
