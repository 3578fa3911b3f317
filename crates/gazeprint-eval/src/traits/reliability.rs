//! How well a trait tells readers apart: would the same readers come out alike again?
//!
//! * **Split-half.** The texts are divided at random into halves, many times and the same way for
//!   everybody. `r` is the correlation between the halves, over the readers who show the trait in both,
//!   its mean over divisions. By Spearman and Brown's formula `2 r / (1 + r)` is that of two recordings
//!   as long as the whole. Halves that go against each other say nothing of longer recordings: an `r`
//!   below 0 stays as it is.
//! * **Across sessions.** The correlation between the first two sessions of each reader, as it is.
//!
//! Intervals are of readers drawn with replacement.

use gazeprint::random::{Stream, stream};
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::measures::{Bootstrap, Draws};

/// Divisions into halves.
pub const HALVES: usize = 100;
/// Times that readers are drawn.
const SAMPLES: usize = 1000;
/// Fewest readers: a correlation of fewer says nothing.
pub const FEWEST_READERS: usize = 5;

/// A correlation over readers, or the reliability that follows from one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    /// From -1 to 1. A reliability is 0 by chance alone, and chance may put it below.
    pub value: f64,
    /// Its 95 % interval, over readers.
    pub ci95: Option<[f64; 2]>,
    /// Readers who have both values; of halves, in a division, on average.
    pub readers: usize,
}

/// The places that units of texts take in each division; odd and even ones are apart.
pub(super) fn divisions(units: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Stream { seed, index: stream::TRAIT_HALVES }.chain(0);
    let mut places: Vec<u32> = (0..units as u32).collect();
    let division = |_| {
        places.shuffle(&mut rng);
        places.clone()
    };
    (0..HALVES).map(division).collect()
}

/// Draws of readers, by how many there are: the same for all traits that as many show.
pub(super) struct Resampling {
    seed: u64,
    draws: Vec<(usize, Draws)>,
}

impl Resampling {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, draws: Vec::new() }
    }

    fn of(&mut self, readers: usize) -> &Draws {
        let place = self.draws.iter().position(|(count, _)| *count == readers);
        let place = place.unwrap_or_else(|| {
            let stream = Stream { seed: self.seed, index: stream::BOOTSTRAP };
            self.draws.push((readers, Bootstrap { samples: SAMPLES, stream }.draw(readers)));
            self.draws.len() - 1
        });
        &self.draws[place].1
    }

    /// Between halves: by reader, the trait in one half and in the other, by division.
    pub(super) fn between_halves(&mut self, halves: &[&[Pair]]) -> Option<Correlation> {
        let tell = |row: &&&[Pair]| row.iter().any(is_known);
        let halves: Vec<&[Pair]> = halves.iter().filter(tell).copied().collect();
        self.over(&halves, stepped_up)
    }

    /// Between two values of each reader.
    pub(super) fn between(&mut self, pairs: &[Pair]) -> Option<Correlation> {
        let rows: Vec<&[Pair]> = pairs.iter().map(std::slice::from_ref).collect();
        self.over(&rows, |r| r)
    }

    fn over(&mut self, rows: &[&[Pair]], worth: impl Fn(f64) -> f64 + Sync) -> Option<Correlation> {
        let told = told(rows);
        let value = worth(correlation(rows, &told, &vec![1.0; rows.len()]));
        let drawn = |weights: &[f64]| worth(correlation(rows, &told, weights));
        value.is_finite().then(|| Correlation {
            value,
            ci95: self.of(rows.len()).interval(drawn),
            readers: on_average(&told),
        })
    }
}

/// Two values of a reader, both NaN where one of them is not known.
pub(super) type Pair = [f64; 2];

/// What halves are not known to have in common.
pub(super) const UNKNOWN: Pair = [f64::NAN; 2];

fn is_known([first, _]: &Pair) -> bool {
    !first.is_nan()
}

/// The reliability of twice as much.
fn stepped_up(r: f64) -> f64 {
    if r > 0.0 { 2.0 * r / (1.0 + r) } else { r }
}

/// By column: the rows that are known there; none where these are too few to say anything.
fn told(rows: &[&[Pair]]) -> Vec<usize> {
    let columns = rows.first().map_or(0, |row| row.len());
    let known = |column| rows.iter().filter(|row| is_known(&row[column])).count();
    (0..columns).map(known).map(|n| if n < FEWEST_READERS { 0 } else { n }).collect()
}

/// Readers in a column that says something.
fn on_average(told: &[usize]) -> usize {
    let columns = told.iter().filter(|&&readers| readers > 0).count();
    (told.iter().sum::<usize>() as f64 / columns.max(1) as f64).round() as usize
}

/// The mean over the columns that tell of the correlation over rows, with a weight for each row; NaN
/// where no column has one.
fn correlation(rows: &[&[Pair]], told: &[usize], weights: &[f64]) -> f64 {
    let mut totals = vec![0.0; told.len()];
    let mut means = vec![[0.0; 2]; told.len()];
    let weighted = || rows.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    for (row, weight) in weighted() {
        let columns = totals.iter_mut().zip(&mut means).zip(*row);
        for ((total, mean), pair) in columns.filter(|(_, pair)| is_known(pair)) {
            *total += weight;
            mean[0] += weight * pair[0];
            mean[1] += weight * pair[1];
        }
    }
    for (mean, total) in means.iter_mut().zip(&totals) {
        *mean = mean.map(|sum| sum / total);
    }
    let mut products = vec![[0.0; 3]; told.len()];
    for (row, weight) in weighted() {
        let columns = products.iter_mut().zip(&means).zip(*row);
        for ((sums, mean), pair) in columns.filter(|(_, pair)| is_known(pair)) {
            let (a, b) = (pair[0] - mean[0], pair[1] - mean[1]);
            sums[0] += weight * a * a;
            sums[1] += weight * a * b;
            sums[2] += weight * b * b;
        }
    }
    let of_column = |[aa, ab, bb]: &[f64; 3]| (ab / (aa * bb).sqrt()).clamp(-1.0, 1.0);
    let columns = products.iter().zip(told).filter(|(_, told)| **told > 0);
    let columns = columns.map(|(products, _)| of_column(products)).filter(|r| !r.is_nan());
    let (sum, count) = columns.fold((0.0, 0), |(sum, count), r| (sum + r, count + 1));
    sum / f64::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_are_pearsons() {
        let [x, y] = [[1.0, 2.0, 4.0, 7.0, 11.0], [2.0, 1.0, 5.0, 6.0, 12.0]];
        let rows: Vec<Vec<Pair>> = x.iter().zip(y).map(|(&x, y)| vec![[x, y]; 3]).collect();
        let rows: Vec<&[Pair]> = rows.iter().map(Vec::as_slice).collect();
        let of = |rows: &[&[Pair]], weights: &[f64]| correlation(rows, &told(rows), weights);
        // numpy.corrcoef(x, y)[0, 1]
        assert!((of(&rows, &[1.0; 5]) - 0.967_801_177).abs() < 1e-8);
        let twice = [2.0, 1.0, 0.0, 1.0, 1.0];
        let drawn = [0, 0, 1, 3, 4].map(|reader: usize| rows[reader]);
        assert!((of(&rows, &twice) - of(&drawn, &[1.0; 5])).abs() < 1e-12);
    }

    #[test]
    fn few_readers_and_readers_alike_tell_nothing() {
        let mut draws = Resampling::new(1);
        assert_eq!(draws.between(&[[1.0, 2.0]; 4]), None);
        assert_eq!(draws.between(&[[1.0, 2.0]; 40]), None);
        assert_eq!(draws.between_halves(&[]), None);
    }

    #[test]
    fn halves_against_each_other_were_stepped_up_beyond_all_bounds() {
        assert_eq!([-1.0, -0.4, 0.0, 1.0].map(stepped_up), [-1.0, -0.4, 0.0, 1.0]);
        assert!((stepped_up(0.5) - 2.0 / 3.0).abs() < 1e-15);
        let rows = [[0.0, 4.0], [1.0, 3.1], [2.0, 1.8], [3.0, 1.1], [4.0, 0.2], [5.0, 0.3]];
        let rows = rows.map(|pair| [pair; 3]);
        let rows: Vec<&[Pair]> = rows.iter().map(<[Pair; 3]>::as_slice).collect();
        let found = Resampling::new(1).between_halves(&rows).unwrap();
        let [low, high] = found.ci95.unwrap();
        assert!(-1.0 <= low && low <= found.value && found.value <= high && high <= 1.0);
        assert!(found.value < -0.9, "{found:?}");
    }

    #[test]
    fn one_division_without_the_trait_took_a_reader_out_of_all() {
        let mut rows = [[[0.0; 2]; 4]; 8];
        for (reader, row) in rows.iter_mut().enumerate() {
            for (division, pair) in row.iter_mut().enumerate() {
                let value = ((3 * reader + division) % 8) as f64;
                *pair = [value, value + 0.1 * ((reader * division) % 5) as f64];
            }
        }
        let all = |rows: &[[Pair; 4]]| {
            let rows: Vec<&[Pair]> = rows.iter().map(<[Pair; 4]>::as_slice).collect();
            Resampling::new(1).between_halves(&rows)
        };
        let whole = all(&rows).unwrap();
        (0..4).for_each(|reader| rows[reader][reader] = UNKNOWN);
        let found = all(&rows).unwrap();
        assert_eq!((whole.readers, found.readers), (8, 7));
        // By hand: each division over the seven readers who have both halves.
        let r = (0..4).map(|division| {
            let known: Vec<Pair> = rows.iter().map(|r| r[division]).filter(is_known).collect();
            assert_eq!(known.len(), 7);
            Resampling::new(1).between(&known).unwrap().value
        });
        assert!((found.value - stepped_up(r.sum::<f64>() / 4.0)).abs() < 1e-12);
    }

    #[test]
    fn divisions_are_of_all_texts_and_repeatable() {
        let all = divisions(7, 1);
        assert_eq!(all.len(), HALVES);
        for division in &all {
            let mut sorted = division.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        }
        assert_eq!(all, divisions(7, 1));
        assert_ne!(all, divisions(7, 2));
    }
}
