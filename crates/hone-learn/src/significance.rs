//! What small samples can say: two one-sided tests that are exact, so that few uses never say much.

#![allow(clippy::cast_precision_loss, reason = "samples have at most some hundred members")]

/// At or below this chance a difference counts as real. Three failures against three successes just do.
pub const SIGNIFICANT: f64 = 0.05;

/// The chance that at least as few of `now.1` succeed as `now.0` did, were they no worse than `before`
/// (Fisher's exact test, one-sided). Each pair is successes of all.
pub fn fewer_successes(before: (usize, usize), now: (usize, usize)) -> f64 {
    let (good_before, before) = before;
    let (good_now, now) = now;
    let good = good_before + good_now;
    let all = before + now;
    if before == 0 || now == 0 || good_before > before || good_now > now {
        return 1.0;
    }
    // Of all that were good, how many fall to the new ones by chance: hypergeometric, in logarithms.
    let total = choose(all, now);
    let chance = |k: usize| {
        if k > good || k > now || now - k > all - good {
            return 0.0;
        }
        (choose(good, k) + choose(all - good, now - k) - total).exp()
    };
    (0..=good_now).map(chance).sum::<f64>().min(1.0)
}

/// The chance that values as large as `now` come up, were they no larger than `before` (rank sums, exact
/// by counting; one-sided). Ties count half.
pub fn larger_values(before: &[u64], now: &[u64]) -> f64 {
    let (m, n) = (before.len(), now.len());
    if m == 0 || n == 0 {
        return 1.0;
    }
    // Twice the number of pairs in which the new value is the larger one.
    let doubled: usize = now
        .iter()
        .flat_map(|new| before.iter().map(move |old| new.cmp(old)))
        .map(|order| match order {
            std::cmp::Ordering::Greater => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 0,
        })
        .sum();
    let counts = arrangements(m, n);
    let all: f64 = counts.iter().sum();
    // With ties the statistic lies between two whole numbers: the smaller one claims less.
    let least = doubled / 2;
    counts[least.min(m * n)..].iter().sum::<f64>() / all
}

/// For every u the number of orders of m and n values with u pairs the larger way round.
fn arrangements(m: usize, n: usize) -> Vec<f64> {
    // Counts for i and j values follow from those without the last one of either kind.
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; n + 1];
    for i in 1..=m {
        let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
        for j in 1..=n {
            let mut counts = vec![0.0; i * j + 1];
            // The largest is one of the old ones: nothing is added.
            for (u, count) in rows[j].iter().enumerate() {
                counts[u] += count;
            }
            // The largest is one of the new ones: it is above all i old ones.
            for (u, count) in next[j - 1].iter().enumerate() {
                counts[u + i] += count;
            }
            next.push(counts);
        }
        rows = next;
    }
    rows.swap_remove(n)
}

/// The logarithm of the number of ways to choose k of n.
fn choose(n: usize, k: usize) -> f64 {
    (1..=k).map(|i| ((n - k + i) as f64 / i as f64).ln()).sum()
}

/// Mean and standard deviation of a sample; the latter is 0 for one value.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / count;
    if values.len() == 1 {
        return (mean, 0.0);
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn three_failures_after_three_successes_are_just_significant_and_two_are_not() {
        close(fewer_successes((3, 3), (0, 3)), 1.0 / 20.0);
        assert!(fewer_successes((3, 3), (0, 3)) <= SIGNIFICANT + 1e-12);
        close(fewer_successes((2, 2), (0, 2)), 1.0 / 6.0);
        assert!(fewer_successes((3, 3), (1, 3)) > SIGNIFICANT);
    }

    #[test]
    fn as_many_or_more_successes_are_never_worse() {
        close(fewer_successes((3, 3), (3, 3)), 1.0);
        assert!(fewer_successes((1, 3), (3, 3)) > 0.9);
        close(fewer_successes((0, 0), (0, 9)), 1.0);
        close(fewer_successes((5, 5), (0, 0)), 1.0);
    }

    #[test]
    fn a_table_from_a_textbook_of_tea_and_milk() {
        // Of four cups of each kind, three were told rightly: p = 17/70 one-sided.
        close(fewer_successes((3, 4), (1, 4)), 17.0 / 70.0);
    }

    #[test]
    fn turns_are_larger_when_all_of_three_are() {
        close(larger_values(&[3, 4, 3], &[7, 8, 6]), 1.0 / 20.0);
        close(larger_values(&[7, 8, 6], &[3, 4, 3]), 1.0);
        assert!(larger_values(&[4, 4, 4], &[4, 4, 4]) > 0.5);
        close(larger_values(&[], &[9]), 1.0);
        close(larger_values(&[1, 2], &[3]), 1.0 / 3.0);
    }

    #[test]
    fn all_arrangements_are_counted() {
        let all: f64 = arrangements(4, 5).iter().sum();
        close(all, 126.0);
        assert_eq!(arrangements(1, 2), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_mean_has_a_deviation() {
        let (mean, deviation) = mean_and_deviation(&[2.0, 4.0, 6.0]);
        close(mean, 4.0);
        close(deviation, 2.0);
        assert_eq!(mean_and_deviation(&[5.0]), (5.0, 0.0));
        assert_eq!(mean_and_deviation(&[]), (0.0, 0.0));
    }
}
