//! The same work for many things, on all cores when they are many. The answers come in the order of the
//! things, so the number of cores does not show.

/// Does `work` for each item, on this thread when there are fewer than `many`.
pub(crate) fn on_all_cores<T: Sync, R: Send>(
    items: &[T],
    many: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if items.len() < many.max(2) || cores == 1 {
        return items.iter().map(work).collect();
    }
    std::thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> = items
            .chunks(items.len().div_ceil(cores))
            .map(|share| scope.spawn(move || share.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<R>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        started.into_iter().flat_map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1_000).collect();
        let doubled: Vec<u32> = items.iter().map(|item| 2 * item).collect();
        assert_eq!(on_all_cores(&items, 1, |item| 2 * item), doubled);
        assert_eq!(on_all_cores(&items, 2_000, |item| 2 * item), doubled);
        assert_eq!(on_all_cores(&[], 0, |item: &u32| *item), [0_u32; 0]);
    }
}
