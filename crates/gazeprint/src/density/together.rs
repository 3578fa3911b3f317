//! Densities of one family, eight at a time.

use super::grid::Interval;
use super::likelihood::{Likelihood, PLAIN_MASS, local_mass};
use super::sums::BlockSums;
use crate::kernels::{LANES, Number, Pack, PackProduct};

/// Nodes whose logarithms are computed at once.
const NODES: usize = 4;

/// Log densities that are linear in some numbers z: at node `j` the logarithm is
/// `base[j] + slopes[j] . z`.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) base: Vec<f64>,
    /// Node after node.
    pub(crate) slopes: Vec<f64>,
}

/// Scratch memory for eight densities.
#[derive(Debug)]
pub(crate) struct Together {
    log_f: Vec<Pack>,
    cells: BlockSums<Pack>,
}

/// Sums that are collected while logarithms are computed, in an order of their own.
struct Collected {
    hits: [Pack; NODES],
    peaks: [Pack; NODES],
}

impl Together {
    pub(crate) fn new(nodes: usize) -> Self {
        Self { log_f: vec![Pack::ZERO; nodes], cells: BlockSums::new(nodes.saturating_sub(1)) }
    }
}

impl Likelihood<'_> {
    /// Log-likelihoods of the densities on `lines` with numbers `z`. Leaves the densities at the nodes
    /// in `f`, normalised over the support.
    #[inline(always)]
    pub(crate) fn values_on(
        &self,
        lines: &Lines,
        z: &[Pack],
        f: &mut [Pack],
        scratch: &mut Together,
    ) -> Pack {
        let (grid, sample) = (self.features().grid(), self.sample());
        let Together { log_f, cells } = scratch;
        let mut collected =
            Collected { hits: [Pack::ZERO; NODES], peaks: [Pack::all(f64::NEG_INFINITY); NODES] };
        let (nodes, first) = (log_f.len(), grid.support().first as usize);
        let whole = nodes - nodes % NODES;
        for start in (0..whole).step_by(NODES) {
            logarithms::<NODES>(lines, z, start, first, &sample.hits, log_f, &mut collected);
        }
        for node in whole..nodes {
            logarithms::<1>(lines, z, node, first, &sample.hits, log_f, &mut collected);
        }
        let Collected { hits: [mut hits, ..], peaks: [mut peak, ..] } = collected;
        for k in 1..NODES {
            hits = hits.added(collected.hits[k]);
            peak = peak.max(&collected.peaks[k]);
        }
        let weights = grid.support_weights();
        let mut masses = [Pack::ZERO; NODES];
        for j in 0..nodes {
            f[j] = log_f[j].exp_shifted(&peak);
            masses[j % NODES] = masses[j % NODES].plus(weights[j], &f[j]);
        }
        let mass = masses[0].added(masses[1]).added(masses[2].added(masses[3]));
        let n = sample.len() as f64;
        let log_z = if sample.intervals.is_empty() {
            let mut log_z = Pack::ZERO;
            for k in 0..LANES {
                log_z.0[k] = n * (peak.0[k] + mass.0[k].ln());
            }
            log_z
        } else {
            cells.fill(f, grid.widths());
            let mut log_z = Pack::ZERO.plus(n, &peak);
            let mut product = PackProduct::ONE;
            for interval in &sample.intervals {
                let mut mass = interval.mass(f, cells);
                let mut is_plain = true;
                for k in 0..LANES {
                    is_plain &= mass.0[k] >= PLAIN_MASS.start && mass.0[k] < PLAIN_MASS.end;
                }
                if !is_plain {
                    anew(interval, grid.widths(), log_f, &peak, &mut mass, &mut log_z);
                }
                product.push(&mass);
            }
            log_z.added(product.ln())
        };
        let mut scale = Pack::ZERO;
        for k in 0..LANES {
            scale.0[k] = 1.0 / mass.0[k];
        }
        for j in 0..nodes {
            f[j] = f[j].times(&scale);
        }
        hits.plus(-1.0, &log_z)
    }
}

/// The logarithms at some nodes.
#[inline(always)]
fn logarithms<const N: usize>(
    lines: &Lines,
    z: &[Pack],
    start: usize,
    first: usize,
    hits: &[f64],
    log_f: &mut [Pack],
    collected: &mut Collected,
) {
    let p = z.len();
    let mut sums = [Pack::ZERO; N];
    for i in 0..N {
        sums[i] = Pack::all(lines.base[start + i]);
    }
    let slopes = &lines.slopes[start * p..(start + N) * p];
    for a in 0..p {
        for i in 0..N {
            sums[i] = sums[i].plus(slopes[i * p + a], &z[a]);
        }
    }
    for i in 0..N {
        let node = start + i;
        log_f[node] = sums[i];
        collected.hits[i] = collected.hits[i].plus(hits[node], &sums[i]);
        if node >= first {
            collected.peaks[i] = collected.peaks[i].max(&sums[i]);
        }
    }
}

/// Masses of an interval that are not plain, from their own maxima: these go to `log_z`, and 1 to
/// where they were.
#[cold]
fn anew(
    interval: &Interval,
    widths: &[f64],
    log_f: &[Pack],
    peak: &Pack,
    mass: &mut Pack,
    log_z: &mut Pack,
) {
    for k in 0..LANES {
        if !PLAIN_MASS.contains(&mass.0[k]) {
            let (local_peak, local) = local_mass(interval, widths, |node| log_f[node].0[k]);
            log_z.0[k] += local_peak - peak.0[k] + local.ln();
            mass.0[k] = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::density::{Features, Grid, Sample, Workspace};
    use crate::saccade::{Observation, Truncation};

    #[test]
    fn eight_at_once_are_as_one_by_one() {
        let grid = Arc::new(Grid::new(0.3, 25.0));
        let features = Features::semiparametric(Arc::clone(&grid), 3.0, 1.0);
        let observed: Vec<Observation> = (1..40)
            .map(|i| {
                let (value, width) = (0.6 * f64::from(i), 0.1 + f64::from(i % 7));
                Observation { value, lower: (value - width).max(0.0), upper: value + width }
            })
            .collect();
        let (p, nodes) = (features.len(), grid.nodes().len());
        let mut workspace = Workspace::new(&features);
        let mut scratch = Together::new(nodes);
        let mut f = vec![Pack::ZERO; nodes];
        let lines = Lines { base: vec![0.0; nodes], slopes: features.rows().to_vec() };
        for truncation in [Truncation::Full, Truncation::Both] {
            let sample = Sample::new(&grid, truncation, &observed);
            let likelihood = Likelihood::new(&features, &sample);
            // The largest leave some intervals with next to no mass.
            for size in [0.1, 1.0, 30.0, 400.0] {
                let value = |a: usize, k: usize| size * (1.0 + (7 * a + 3 * k) as f64).sin();
                let thetas: Vec<Vec<f64>> =
                    (0..LANES).map(|k| (0..p).map(|a| value(a, k)).collect()).collect();
                let z: Vec<Pack> =
                    (0..p).map(|a| Pack(std::array::from_fn(|k| thetas[k][a]))).collect();
                let found = likelihood.values_on(&lines, &z, &mut f, &mut scratch);
                for (k, theta) in thetas.iter().enumerate() {
                    let expected = likelihood.value(theta, &mut workspace);
                    let error = (found.0[k] - expected).abs();
                    assert!(error < 1e-11 * (1.0 + expected.abs()), "{} {expected}", found.0[k]);
                    let mut density = vec![0.0; nodes];
                    grid.normalise(&workspace.f, &workspace.cells, &mut density);
                    for (f, expected) in f.iter().zip(density) {
                        assert!((f.0[k] - expected).abs() <= 1e-11 * (1e-200 + expected));
                    }
                }
            }
        }
    }
}
