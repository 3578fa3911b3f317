//! Is it a person who reads? What the template knows nothing of tells people from forgeries.
//!
//! A forgery is drawn from the template: its fixations are as likely as the template expects, no
//! more and no less, and each is drawn afresh, whatever those before it were. So sums over a reading
//! of how its fixations compare with the template ([`Surprise`]), of their squares, and of products
//! of neighbours, are centred in forgeries. In people they are not.
//!
//! A logistic regression on such sums, learned from training texts with forgeries on the same texts,
//! gives every reading a score: about the log-likelihood ratio of a person to a forgery. That of a
//! probe is the mean over its readings. The threshold is that at which one in a hundred of the
//! people's probes among the training texts would be refused.
//!
//! What words do to readers is looked at where the words are known: by studies, not by galleries, which keep
//! none.

mod words;

pub use self::words::{KnownWords, WordEffects, Words};
use crate::method::Surprise;
use crate::saccade::Reading;

/// What a reading is judged by.
pub const STATISTICS: [&str; 18] = [
    "fixations",
    "moves too likely",
    "landings too likely",
    "durations",
    "durations squared",
    "mean duration squared",
    "durations in a row",
    "durations two apart",
    "overshoot",
    "overshoots in a row",
    "overshoot x duration",
    "overshoot x next move",
    "duration x next move",
    "lines out of order",
    "durations on words",
    "durations after words",
    "skips of words",
    "refixations of words",
];
const N: usize = STATISTICS.len();
/// Part of the people's probes that may be refused, in training.
pub const REFUSED: f64 = 0.01;
/// No statistic counts as further from its mean than this, in standard deviations: one odd fixation
/// is to decide nothing.
const FURTHEST: f64 = 4.0;
/// Precision of the weights around zero.
const RIDGE: f64 = 1.0;
const MOST_STEPS: usize = 50;

/// A reading in numbers, in the order of [`STATISTICS`].
pub type Statistics = [f64; N];

/// The statistics of a reading that was held against a template.
pub fn statistics(
    reading: &Reading,
    surprises: &[Surprise],
    known: Option<&KnownWords<'_>>,
) -> Statistics {
    let mut sums = [0.0; N];
    let mut before_word: Option<WordEffects> = None;
    let n = surprises.len() as f64;
    let mut total = 0.0;
    for (i, s) in surprises.iter().enumerate() {
        let [next, landing, overshoot] = [s.next, s.landing, s.overshoot].map(|v| v.unwrap_or(0.0));
        let before = |by: usize| i.checked_sub(by).map(|i| &surprises[i]);
        let duration_before = |by: usize| before(by).map_or(0.0, |b| b.duration);
        let overshoot_before = before(1).and_then(|b| b.overshoot).unwrap_or(0.0);
        total += s.duration;
        let word_at = |ahead: usize| {
            let event = reading.events.get(i)?;
            known?.effects(reading.text, event.line, event.word + ahead)
        };
        let (word, next_word) = (word_at(0), word_at(1));
        let terms = [
            1.0,
            next,
            landing,
            s.duration,
            s.duration * s.duration - 1.0,
            0.0,
            s.duration * duration_before(1),
            s.duration * duration_before(2),
            overshoot,
            overshoot * overshoot_before,
            overshoot * s.duration,
            overshoot * next,
            s.duration * next,
            0.0,
            word.map_or(0.0, |w| s.duration * w.duration),
            before_word.map_or(0.0, |w| s.duration * w.after),
            next_word.zip(s.skip).map_or(0.0, |(w, skip)| skip * w.skip),
            word.zip(s.refixation).map_or(0.0, |(w, again)| again * w.refixation),
        ];
        before_word = word;
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    sums[5] = total * total / n.max(1.0) - 1.0;
    let lines = reading.events.windows(2).map(|pair| (pair[0].line, pair[1].line));
    sums[13] = lines.filter(|(from, to)| from != to && *to != from + 1).count() as f64;
    sums
}

/// Tells people from forgeries.
#[derive(Debug, Clone)]
pub struct Liveness {
    means: Statistics,
    /// One by the standard deviation; 0 where there is none.
    scales: Statistics,
    /// Of the standardised statistics.
    weights: Statistics,
    constant: f64,
}

impl Liveness {
    /// Learns from readings of people and from forgeries; nothing where either are missing.
    pub fn learn(people: &[Statistics], forgeries: &[Statistics]) -> Option<Self> {
        if people.is_empty() || forgeries.is_empty() {
            return None;
        }
        let all = || people.iter().chain(forgeries);
        let count = all().count() as f64;
        let means: Statistics = std::array::from_fn(|k| all().map(|s| s[k]).sum::<f64>() / count);
        let scales = std::array::from_fn(|k| {
            let variance = all().map(|s| (s[k] - means[k]).powi(2)).sum::<f64>() / count;
            if variance > 0.0 { variance.sqrt().recip() } else { 0.0 }
        });
        let mut liveness = Self { means, scales, weights: [0.0; N], constant: 0.0 };
        let rows: Vec<([f64; N + 1], f64)> = people
            .iter()
            .map(|s| (liveness.row(s), 1.0))
            .chain(forgeries.iter().map(|s| (liveness.row(s), 0.0)))
            .collect();
        let found = climb(&rows);
        liveness.weights.copy_from_slice(&found[..N]);
        liveness.constant = found[N];
        Some(liveness)
    }

    /// Weights of the standardised statistics, for a person.
    pub fn weights(&self) -> &Statistics {
        &self.weights
    }

    /// Standardised statistics, and a one.
    fn row(&self, statistics: &Statistics) -> [f64; N + 1] {
        std::array::from_fn(|k| match statistics.get(k) {
            Some(value) => ((value - self.means[k]) * self.scales[k]).clamp(-FURTHEST, FURTHEST),
            None => 1.0,
        })
    }

    /// How much speaks for a person, a reading.
    pub fn score<'a>(&self, probe: impl IntoIterator<Item = &'a Statistics>) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for statistics in probe {
            let row = self.row(statistics);
            sum += self.constant;
            sum += row.iter().zip(&self.weights).map(|(x, w)| x * w).sum::<f64>();
            count += 1.0;
        }
        if count > 0.0 { sum / count } else { f64::NEG_INFINITY }
    }
}

/// The score under which [`REFUSED`] of these lie, no more.
pub fn threshold(mut people: Vec<f64>) -> Option<f64> {
    people.sort_by(f64::total_cmp);
    people.get((REFUSED * people.len() as f64) as usize).copied()
}

/// The weights of a logistic regression with a ridge, by Newton's method; the last is the constant.
fn climb(rows: &[([f64; N + 1], f64)]) -> [f64; N + 1] {
    let mut weights = [0.0; N + 1];
    for _ in 0..MOST_STEPS {
        let mut gradient = weights.map(|w| -RIDGE * w);
        let mut information = [[0.0; N + 1]; N + 1];
        (0..=N).for_each(|k| information[k][k] = RIDGE);
        for (row, alive) in rows {
            let logit: f64 = row.iter().zip(&weights).map(|(x, w)| x * w).sum();
            let p = 1.0 / (1.0 + (-logit).exp());
            for i in 0..=N {
                gradient[i] += (alive - p) * row[i];
                let scaled = p * (1.0 - p) * row[i];
                for j in 0..=N {
                    information[i][j] += scaled * row[j];
                }
            }
        }
        let step = solve(information, gradient);
        // A full step may overshoot where probabilities are extreme; the objective is concave.
        let longest = step.iter().fold(0.0_f64, |longest, s| longest.max(s.abs()));
        let damping = 1.0 / longest.max(1.0);
        weights.iter_mut().zip(step).for_each(|(w, s)| *w += damping * s);
        if longest < 1e-9 {
            break;
        }
    }
    weights
}

/// Solves a system whose matrix is positive definite.
fn solve(mut matrix: [[f64; N + 1]; N + 1], mut right: [f64; N + 1]) -> [f64; N + 1] {
    for pivot in 0..=N {
        let upper = matrix[pivot];
        for row in pivot + 1..=N {
            let factor = matrix[row][pivot] / upper[pivot];
            matrix[row].iter_mut().zip(&upper).for_each(|(m, u)| *m -= factor * u);
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..=N).rev() {
        let known: f64 = (row + 1..=N).map(|j| matrix[row][j] * right[j]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::Stream;

    /// Readings that have more of one statistic and less of another.
    fn readings(n: usize, shift: f64) -> Vec<Statistics> {
        let reading = |i: usize| {
            let mut rng = Stream { seed: n as u64, index: i as u64 }.chain((5.0 * shift) as u64);
            let mut statistics: Statistics = std::array::from_fn(|_| rng.random::<f64>() - 0.5);
            statistics[6] += shift;
            statistics[2] -= shift;
            // Nobody looks back.
            statistics[13] = 0.0;
            statistics
        };
        (0..n).map(reading).collect()
    }

    #[test]
    fn what_differs_is_found() {
        let (people, forgeries) = (readings(2000, 0.2), readings(2000, 0.0));
        let liveness = Liveness::learn(&people, &forgeries).unwrap();
        let heaviest = |k: usize| liveness.weights[k].abs();
        for k in (0..N).filter(|k| ![2, 6].contains(k)) {
            assert!(heaviest(k) < 0.3 * heaviest(2).min(heaviest(6)), "{:?}", liveness.weights);
        }
        assert!(liveness.weights[6] > 0.0 && liveness.weights[2] < 0.0);
        assert_eq!(liveness.weights[13], 0.0);
        let mean = |all: &[Statistics]| liveness.score(all);
        assert!(mean(&people) > 0.0 && mean(&forgeries) < 0.0);
        assert_eq!(liveness.score([]), f64::NEG_INFINITY);
        assert!(Liveness::learn(&people, &[]).is_none());
    }

    #[test]
    fn readings_that_are_told_apart_with_certainty_have_finite_weights() {
        let liveness = Liveness::learn(&readings(50, 9.0), &readings(50, 0.0)).unwrap();
        assert!(liveness.weights.iter().all(|w| w.is_finite() && w.abs() < 20.0));
    }

    #[test]
    fn thresholds_refuse_one_in_a_hundred() {
        let scores: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(threshold(scores), Some(10.0));
        assert_eq!(threshold(vec![3.0, 1.0, 2.0]), Some(1.0));
        assert_eq!(threshold(Vec::new()), None);
    }
}
