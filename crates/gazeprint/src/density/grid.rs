//! The nodes on which a density is known, and intervals between them.

use super::sums::BlockSums;
use crate::kernels::{self, Number};
use crate::saccade::Observation;

/// Number of cells of a grid, unless asked otherwise.
pub const CELLS: usize = 256;

/// Nodes spaced evenly in the square root, so that small amplitudes are resolved as well as long
/// ones: `x_j = U ((j + 1/2) / (M + 1/2))^2`.
///
/// The logarithm of a density is linear in `sqrt(x)` between nodes; its integral is that of the
/// straight lines through the nodes (the trapezoid rule), so partial cells weigh node values with
/// non-negative weights and nothing is ever subtracted. The mass below `x_0` is ignored.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    lower: f64,
    upper: f64,
    nodes: Vec<f64>,
    widths: Vec<f64>,
    support: Interval,
    /// The same as weights of all nodes.
    support_weights: Vec<f64>,
}

/// A place between two nodes: `cell` and the next, `t` of the way in square root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The node to the left.
    pub cell: usize,
    /// 0 at that node, 1 at the next.
    pub t: f64,
}

/// An interval as weights on node values: part of a first cell, whole cells, part of a last one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Weights of nodes `first` and `first + 1`.
    pub(crate) left: [f64; 2],
    /// Weights of nodes `last` and `last + 1`; zero where `first == last`.
    pub(crate) right: [f64; 2],
}

impl Interval {
    /// The whole cells, `from..to`.
    #[inline(always)]
    pub(crate) fn whole(&self) -> (usize, usize) {
        (self.first as usize + 1, self.last as usize)
    }

    /// The mass of node values `f` in the interval; `cells` holds the masses of whole cells.
    #[inline(always)]
    pub(crate) fn mass<T: Number>(&self, f: &[T], cells: &BlockSums<T>) -> T {
        let (a, b) = (self.first as usize, self.last as usize);
        let (left, right) = (self.left, self.right);
        let ends = f[a].scaled(left[0]).added(f[a + 1].scaled(left[1]));
        let ends = ends.added(f[b].scaled(right[0])).added(f[b + 1].scaled(right[1]));
        let (from, to) = self.whole();
        if from < to { ends.added(cells.range(from, to)) } else { ends }
    }

    /// Calls `add(node, weight)` for every node of the interval. A node may come twice.
    pub(crate) fn for_each_weight(&self, widths: &[f64], mut add: impl FnMut(usize, f64)) {
        let (a, b) = (self.first as usize, self.last as usize);
        for (node, weight) in
            [(a, self.left[0]), (a + 1, self.left[1]), (b, self.right[0]), (b + 1, self.right[1])]
        {
            if weight > 0.0 {
                add(node, weight);
            }
        }
        let (from, to) = self.whole();
        for cell in from..to {
            add(cell, 0.5 * widths[cell]);
            add(cell + 1, 0.5 * widths[cell]);
        }
    }
}

impl Grid {
    /// A grid for a density that lives on `[lower, upper]` (D9), `0 <= lower < upper`.
    pub fn new(lower: f64, upper: f64) -> Self {
        Self::with_cells(lower, upper, CELLS)
    }

    /// The same with a chosen number of cells (at least 2).
    pub fn with_cells(lower: f64, upper: f64, cells: usize) -> Self {
        assert!(
            cells >= 2 && lower >= 0.0 && lower < upper && upper.is_finite(),
            "a grid needs 0 <= lower < upper: {lower}, {upper}, {cells} cells"
        );
        let nodes: Vec<f64> = (0..=cells)
            .map(|j| upper * ((j as f64 + 0.5) / (cells as f64 + 0.5)).powi(2))
            .collect();
        let widths = nodes.windows(2).map(|w| w[1] - w[0]).collect();
        let mut grid = Self {
            lower,
            upper,
            nodes,
            widths,
            support: Interval { first: 0, last: 0, left: [0.0; 2], right: [0.0; 2] },
            support_weights: vec![0.0; cells + 1],
        };
        grid.support = grid.interval(lower, upper);
        let Self { support, support_weights, widths, .. } = &mut grid;
        support.for_each_weight(widths, |node, weight| support_weights[node] += weight);
        grid
    }

    /// Left end of the support, `l_min`.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// Right end of the support, `U`.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// The nodes, ascending; the last one is `U`.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Widths of the cells.
    pub(crate) fn widths(&self) -> &[f64] {
        &self.widths
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.widths.len()
    }

    /// The support as an interval.
    pub(crate) fn support(&self) -> &Interval {
        &self.support
    }

    /// The weight of each node in an integral over the support.
    pub(crate) fn support_weights(&self) -> &[f64] {
        &self.support_weights
    }

    /// The largest of logarithms at the nodes of the support. Below it a density is arbitrary and
    /// may be larger by any factor.
    pub(crate) fn peak(&self, log_f: &[f64]) -> f64 {
        kernels::max(&log_f[self.support.first as usize..])
    }

    /// The largest left bound an interval may have: `U` minus the last cell.
    pub fn last_lower(&self) -> f64 {
        self.nodes[self.cells() - 1]
    }

    /// Where `x` lies, in cells from half a cell before the first node.
    pub(crate) fn root_steps(&self, x: f64) -> f64 {
        (x / self.upper).max(0.0).sqrt() * (self.cells() as f64 + 0.5)
    }

    /// Where `x` lies; clamped to the nodes.
    pub fn place(&self, x: f64) -> Place {
        let cells = self.cells();
        let steps = (self.root_steps(x) - 0.5).clamp(0.0, cells as f64);
        let cell = (steps as usize).min(cells - 1);
        Place { cell, t: steps - cell as f64 }
    }

    /// The part of `[lower, upper]` that lies on the support, where a density means something (D9);
    /// never empty.
    pub(crate) fn clamped(&self, lower: f64, upper: f64) -> (f64, f64) {
        let lower = lower.clamp(self.lower.max(self.nodes[0]), self.last_lower());
        (lower, upper.min(self.upper).max(lower + 0.5 * self.widths[0]))
    }

    /// Whether an observation reaches beyond the support, and is clamped to it.
    pub(crate) fn clamps(&self, o: &Observation) -> bool {
        o.value > self.upper
            || o.lower > self.last_lower()
            || o.value < self.lower
            || o.lower < self.lower
    }

    /// The interval from `lower` to `upper`, clamped to the support; never empty.
    pub(crate) fn interval(&self, lower: f64, upper: f64) -> Interval {
        let (lower, upper) = self.clamped(lower, upper);
        self.interval_of_nodes(lower, upper)
    }

    /// The interval from `lower` to `upper`, both between the first and the last node.
    pub(crate) fn interval_of_nodes(&self, lower: f64, upper: f64) -> Interval {
        let (a, b) = (self.place(lower).cell, self.place(upper).cell);
        // `place` works in square roots; a rounding error at a node must not give a fraction
        // outside its cell.
        let fraction =
            |x: f64, cell: usize| ((x - self.nodes[cell]) / self.widths[cell]).clamp(0.0, 1.0);
        let (u, v) = (fraction(lower, a), fraction(upper, b));
        if a == b {
            let (width, middle) = (self.widths[a] * (v - u), 0.5 * (u + v));
            let left = [width * (1.0 - middle), width * middle];
            return Interval { first: a as u32, last: b as u32, left, right: [0.0; 2] };
        }
        let (h, k) = (self.widths[a] * (1.0 - u), self.widths[b] * v);
        Interval {
            first: a as u32,
            last: b as u32,
            left: [h * 0.5 * (1.0 - u), h * 0.5 * (1.0 + u)],
            right: [k * (1.0 - 0.5 * v), k * 0.5 * v],
        }
    }

    /// The value at `place` of a table that is linear in square root.
    #[inline]
    pub fn interpolate(table: &[f64], place: Place) -> f64 {
        (1.0 - place.t) * table[place.cell] + place.t * table[place.cell + 1]
    }

    /// Scales values at the nodes so that they integrate to one over the support. `f` is relative to
    /// [`Grid::peak`], `cells` holds the masses under it.
    pub(crate) fn normalise(&self, f: &[f64], cells: &BlockSums, out: &mut [f64]) {
        let scale = 1.0 / self.support.mass(f, cells);
        out.iter_mut().zip(f).for_each(|(o, f)| *o = f * scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masses(grid: &Grid, f: &[f64]) -> BlockSums {
        let mut cells = BlockSums::new(grid.cells());
        cells.fill(f, grid.widths());
        cells
    }

    #[test]
    fn straight_lines_are_integrated_exactly() {
        let grid = Grid::new(0.0, 30.0);
        let f: Vec<f64> = grid.nodes().iter().map(|x| 2.0 + 3.0 * x).collect();
        let cells = masses(&grid, &f);
        let antiderivative = |x: f64| 2.0 * x + 1.5 * x * x;
        for (l, r) in
            [(0.5f64, 0.6), (3.0, 3.01), (0.0, 7.0), (11.0, 30.0), (2.5, 9.5), (29.0, 40.0)]
        {
            let exact = antiderivative(f64::min(r, 30.0)) - antiderivative(l.max(grid.nodes()[0]));
            let ours = grid.interval(l, r).mass(&f, &cells);
            assert!((ours / exact - 1.0).abs() < 1e-12, "[{l}, {r}]: {ours} {exact}");
        }
    }

    #[test]
    fn weights_and_block_sums_tell_the_same_mass() {
        let grid = Grid::with_cells(1.0, 20.0, 100);
        let f: Vec<f64> = grid.nodes().iter().map(|x| (x * 0.7).sin() + 1.1).collect();
        let cells = masses(&grid, &f);
        for i in 0..60 {
            for j in i + 1..62 {
                let interval = grid.interval(f64::from(i) / 3.0, f64::from(j) / 3.0);
                let mut sum = 0.0;
                interval.for_each_weight(grid.widths(), |node, w| sum += w * f[node]);
                let mass = interval.mass(&f, &cells);
                assert!((mass / sum - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn places_are_inverse_to_nodes() {
        let grid = Grid::new(0.0, 17.0);
        for (j, &x) in grid.nodes().iter().enumerate() {
            let place = grid.place(x);
            assert!((place.cell as f64 + place.t - j as f64).abs() < 1e-9);
        }
        assert_eq!(grid.place(-3.0), Place { cell: 0, t: 0.0 });
        assert_eq!(grid.place(99.0), Place { cell: CELLS - 1, t: 1.0 });
    }

    #[test]
    fn empty_and_inverted_intervals_keep_some_mass() {
        let grid = Grid::new(0.0, 10.0);
        let f = vec![1.0; CELLS + 1];
        let cells = masses(&grid, &f);
        for (l, r) in [(0.0, 0.0), (10.0, 10.0), (12.0, 30.0), (5.0, 1.0)] {
            let mass = grid.interval(l, r).mass(&f, &cells);
            assert!(mass > 0.0 && mass.is_finite(), "[{l}, {r}] holds {mass}");
        }
    }
}
