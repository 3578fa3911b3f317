//! What parts of claims reach, by length, and how far the readers of a gallery are believed by it.

use super::{FEWEST_READERS, LEANED, LENGTHS};

/// Readers of a typical gallery that what is typical counts for, beside those of a gallery.
const TYPICAL_READERS: f64 = 5.0;
/// Fewest probes about a length that count there.
const FEWEST_PROBES: f64 = 3.0;

/// What parts of claims reach, by length; none where probes are too few.
pub(super) type Reached = [Option<[f64; LEANED.len()]>; LENGTHS.len()];

/// Whether thresholds of so many readers lean on these.
pub(super) fn leans(readers: usize) -> bool {
    readers >= FEWEST_READERS
}

/// How far the readers of a gallery are believed, against what is typical.
pub(super) fn believed(readers: usize) -> f64 {
    if leans(readers) { readers as f64 / (readers as f64 + TYPICAL_READERS) } else { 0.0 }
}

/// How much of a length a probe of so many fixations is.
pub(super) fn nearness(fixations: f64, length: f64) -> f64 {
    (1.0 - (fixations.ln() - length.ln()).abs() / std::f64::consts::LN_2).max(0.0)
}

/// What parts of claims reach, given by probes with their weights, fixations and scores.
pub(super) fn reached_by_length<'a>(
    probes: impl Iterator<Item = (f64, f64, &'a [f64])>,
) -> Reached {
    let mut reached: [Vec<(f64, f64)>; LENGTHS.len()] = Default::default();
    let mut count = [0.0; LENGTHS.len()];
    for (weight, fixations, scores) in probes {
        for (i, length) in LENGTHS.into_iter().enumerate() {
            let near = nearness(fixations, length);
            if near > 0.0 {
                count[i] += near;
                let weight = near * weight / scores.len() as f64;
                reached[i].extend(scores.iter().map(|score| (*score, weight)));
            }
        }
    }
    let mut lengths = reached.into_iter().zip(count);
    std::array::from_fn(|_| {
        let (reached, count) = lengths.next()?;
        (count >= FEWEST_PROBES).then(|| quantiles(reached, &LEANED))
    })
}

/// By how much more is reached than is typical, by length.
pub(super) fn more_than(
    typical: &[[f64; LEANED.len()]; LENGTHS.len()],
    reached: &Reached,
) -> [Option<f64>; LENGTHS.len()] {
    std::array::from_fn(|i| {
        let own = reached[i].as_ref()?.iter().zip(&typical[i]);
        let more = own.map(|(own, typical)| own - typical).sum::<f64>() / LEANED.len() as f64;
        more.is_finite().then_some(more)
    })
}

/// Where a length is not known, the next shorter is taken, then the next longer one.
pub(super) fn filled<T: Copy>(
    mut lengths: [Option<T>; LENGTHS.len()],
) -> Option<[T; LENGTHS.len()]> {
    for i in 1..lengths.len() {
        lengths[i] = lengths[i].or(lengths[i - 1]);
    }
    for i in (0..lengths.len() - 1).rev() {
        lengths[i] = lengths[i].or(lengths[i + 1]);
    }
    let first = lengths[0]?;
    Some(lengths.map(|length| length.unwrap_or(first)))
}

/// The scores that parts of the whole weight reach, for falling parts.
pub(super) fn quantiles<const N: usize>(
    mut reached: Vec<(f64, f64)>,
    rates: &[f64; N],
) -> [f64; N] {
    reached.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total: f64 = reached.iter().map(|(_, weight)| weight).sum();
    let mut row = [0.0; N];
    for (t, rate) in row.iter_mut().zip(rates) {
        let mut sum = 0.0;
        let allowed = |(_, weight): &&(f64, f64)| {
            sum += *weight;
            sum > rate * total
        };
        *t = reached.iter().find(allowed).map_or(f64::MIN_POSITIVE, |(score, _)| score.next_up());
    }
    row
}
