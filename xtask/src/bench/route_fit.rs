//! The small statistics of `cargo xtask bench route`: a logistic model fitted by Newton's method, and
//! the figures that tell how good a decision is. Everything is deterministic.

#![allow(clippy::cast_precision_loss, reason = "counts of messages are small")]

/// How strongly weights are held near zero.
const RIDGE: f64 = 30.0;
const STEPS: usize = 25;

/// One labelled pair of a message and a skill.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) values: Vec<f64>,
    pub(crate) label: bool,
    /// Samples of one group are never on both sides of a fold.
    pub(crate) group: String,
}

/// Weights, the constant last.
#[derive(Debug, Clone)]
pub(crate) struct Fitted(pub(crate) Vec<f64>);

impl Fitted {
    /// Fits weights of standardised values and gives them for the values as they are.
    pub(crate) fn to(samples: &[&Sample]) -> Self {
        let width = samples.first().map_or(0, |sample| sample.values.len());
        let count = samples.len().max(1) as f64;
        let moments: Vec<(f64, f64)> = (0..width)
            .map(|at| {
                let mean = samples.iter().map(|sample| sample.values[at]).sum::<f64>() / count;
                let variance =
                    samples.iter().map(|sample| (sample.values[at] - mean).powi(2)).sum::<f64>();
                (mean, (variance / count).sqrt().max(1e-6))
            })
            .collect();
        let rows: Vec<Vec<f64>> = samples
            .iter()
            .map(|sample| {
                let scaled = sample.values.iter().zip(&moments).map(|(v, (m, d))| (v - m) / d);
                scaled.chain(std::iter::once(1.0)).collect()
            })
            .collect();
        let mut weights = vec![0.0; width + 1];
        for _ in 0..STEPS {
            let mut gradient = vec![0.0; width + 1];
            let mut curve = vec![vec![0.0; width + 1]; width + 1];
            for (row, sample) in rows.iter().zip(samples) {
                let p = logistic(dot(&weights, row));
                let error = f64::from(u8::from(sample.label)) - p;
                for i in 0..=width {
                    gradient[i] += error * row[i];
                    for j in 0..=width {
                        curve[i][j] += p * (1.0 - p) * row[i] * row[j];
                    }
                }
            }
            for i in 0..width {
                gradient[i] -= RIDGE * weights[i];
                curve[i][i] += RIDGE;
            }
            curve[width][width] += 1e-9;
            for (weight, step) in weights.iter_mut().zip(solve(curve, gradient)) {
                *weight += step;
            }
        }
        let mut constant = weights[width];
        for (at, (mean, deviation)) in moments.iter().enumerate() {
            weights[at] /= deviation;
            constant -= weights[at] * mean;
        }
        weights[width] = constant;
        Self(weights)
    }

    pub(crate) fn score(&self, values: &[f64]) -> f64 {
        dot(&self.0, values) + self.0.last().copied().unwrap_or(0.0)
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Gauss–Jordan with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|x, y| a[*x][i].abs().total_cmp(&a[*y][i].abs())).unwrap_or(i);
        a.swap(i, pivot);
        b.swap(i, pivot);
        if a[i][i].abs() < 1e-12 {
            continue;
        }
        for k in 0..n {
            if k == i {
                continue;
            }
            let factor = a[k][i] / a[i][i];
            let pivot = a[i].clone();
            for (value, above) in a[k].iter_mut().zip(pivot) {
                *value -= factor * above;
            }
            b[k] -= factor * b[i];
        }
    }
    (0..n).map(|i| if a[i][i].abs() < 1e-12 { 0.0 } else { b[i] / a[i][i] }).collect()
}

/// How good a yes-or-no decision is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Quality {
    pub(crate) auc: f64,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    /// Precision and recall at the threshold that finds [`WANTED`] of the other skills' messages.
    pub(crate) wanted: [f64; 2],
    /// The best recall that any threshold gives with a precision of 0.70.
    pub(crate) recall_at_70: f64,
}

impl std::fmt::Display for Quality {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} · {:.3} · {:.3}", self.auc, self.precision, self.recall)
    }
}

/// The share of messages that a shortlist is to keep: a skill that is not offered cannot be chosen, one too
/// many costs a line.
pub(crate) const WANTED: f64 = 0.9;

/// Counts at one threshold.
#[derive(Default)]
struct Tally {
    hits: f64,
    fired: f64,
}

impl Tally {
    fn add(&mut self, is_fired: bool, label: bool) {
        self.fired += f64::from(u8::from(is_fired));
        self.hits += f64::from(u8::from(is_fired && label));
    }

    fn figures(&self, wanted: f64) -> [f64; 2] {
        [self.hits / f64::max(self.fired, 1.0), self.hits / f64::max(wanted, 1.0)]
    }
}

/// Five folds by group: `score` gives a scorer fitted to the samples of the others, the thresholds are
/// the best by F1 and the one that finds [`WANTED`] on those, and every sample is judged once.
pub(crate) fn cross_validated<S: Fn(&Sample) -> f64>(
    samples: &[Sample],
    fit: impl Fn(&[&Sample]) -> S,
) -> Quality {
    const FOLDS: usize = 5;
    let mut groups: Vec<&str> = samples.iter().map(|sample| sample.group.as_str()).collect();
    groups.sort_unstable();
    groups.dedup();
    let fold = |sample: &Sample| groups.binary_search(&sample.group.as_str()).unwrap_or(0) % FOLDS;
    let (mut best, mut most, mut wanted) = (Tally::default(), Tally::default(), 0.0);
    let mut judged: Vec<(f64, bool)> = Vec::new();
    for out in 0..FOLDS {
        let train: Vec<&Sample> = samples.iter().filter(|sample| fold(sample) != out).collect();
        let score = fit(&train);
        let scored: Vec<(f64, bool)> =
            train.iter().map(|sample| (score(sample), sample.label)).collect();
        let threshold = best_threshold(scored.iter().copied());
        let least = finding_threshold(&scored, WANTED);
        for sample in samples.iter().filter(|sample| fold(sample) == out) {
            let value = score(sample);
            judged.push((value, sample.label));
            wanted += f64::from(u8::from(sample.label));
            best.add(value >= threshold, sample.label);
            most.add(value >= least, sample.label);
        }
    }
    let [precision, recall] = best.figures(wanted);
    Quality {
        auc: auc(&mut judged),
        precision,
        recall,
        wanted: most.figures(wanted),
        recall_at_70: recall_at(&mut judged, 0.7),
    }
}

/// The score at and above which this share of the yes lies.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
fn finding_threshold(scored: &[(f64, bool)], share: f64) -> f64 {
    let mut yes: Vec<f64> = scored.iter().filter(|(_, label)| *label).map(|(s, _)| *s).collect();
    yes.sort_by(|a, b| b.total_cmp(a));
    let last = (share * yes.len() as f64).ceil() as usize;
    yes.get(last.saturating_sub(1)).copied().unwrap_or(f64::INFINITY)
}

/// The score at and above which a yes gives the best F1.
pub(crate) fn best_threshold(scored: impl Iterator<Item = (f64, bool)>) -> f64 {
    let mut scored: Vec<(f64, bool)> = scored.collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let wanted = scored.iter().filter(|(_, label)| *label).count() as f64;
    let (mut hits, mut best) = (0.0, (-1.0, f64::INFINITY));
    for (at, (score, label)) in scored.iter().enumerate() {
        hits += f64::from(u8::from(*label));
        let f1 = 2.0 * hits / (at as f64 + 1.0 + wanted);
        if f1 > best.0 {
            best = (f1, *score);
        }
    }
    best.1
}

/// The best recall that a threshold gives with at least this precision.
fn recall_at(scored: &mut [(f64, bool)], precision: f64) -> f64 {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let wanted = scored.iter().filter(|(_, label)| *label).count() as f64;
    let (mut hits, mut fired, mut best) = (0.0, 0.0, 0.0);
    for ties in scored.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        hits += ties.iter().filter(|(_, label)| *label).count() as f64;
        fired += ties.len() as f64;
        if hits / fired >= precision {
            best = hits / f64::max(wanted, 1.0);
        }
    }
    best
}

/// The chance that a yes scores above a no.
pub(crate) fn auc(scored: &mut [(f64, bool)]) -> f64 {
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut sum, mut yes) = (0.0, 0.0, 0.0);
    for ties in scored.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let labelled = ties.iter().filter(|(_, label)| *label).count() as f64;
        let others = ties.len() as f64 - labelled;
        sum += labelled * (below + others / 2.0);
        below += others;
        yes += labelled;
    }
    sum / f64::max(yes * below, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_under_the_curve_counts_pairs() {
        let mut scored = [(1.0, true), (0.5, false), (0.4, true), (0.4, false)];
        assert!((auc(&mut scored) - 0.625).abs() < 1e-9);
    }

    #[test]
    fn a_model_learns_which_value_matters() {
        let samples: Vec<Sample> = (0..40)
            .map(|n| Sample {
                values: vec![f64::from(n % 2), f64::from(n % 7)],
                label: n % 2 == 0,
                group: (n % 10).to_string(),
            })
            .collect();
        let quality = cross_validated(&samples, |train| {
            let fitted = Fitted::to(train);
            move |sample: &Sample| fitted.score(&sample.values)
        });
        let all = Quality {
            auc: 1.0,
            precision: 1.0,
            recall: 1.0,
            wanted: [1.0, 1.0],
            recall_at_70: 1.0,
        };
        assert_eq!(quality, all);
    }

    #[test]
    fn a_threshold_finds_the_wanted_share_and_no_more() {
        let scored: Vec<(f64, bool)> = (0..20).map(|n| (f64::from(n), n % 2 == 0)).collect();
        assert!((finding_threshold(&scored, 0.9) - 2.0).abs() < 1e-9);
        assert!(finding_threshold(&scored, 1.0).abs() < 1e-9);
        assert!(finding_threshold(&[], 0.9).is_infinite());
    }
}
