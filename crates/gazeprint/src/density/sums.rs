//! Sums over ranges of cells without subtraction.
//!
//! A difference of running totals loses every digit where the range holds a vanishing part of the
//! mass. Cells are therefore grouped in blocks, each with sums from its left end and to its right
//! end; a range is the tail of one block, whole blocks, and the head of another.

use crate::kernels::Number;

const BLOCK: usize = 16;

/// Range sums of numbers per cell.
#[derive(Debug, Clone)]
pub(crate) struct BlockSums<T = f64> {
    cells: Vec<T>,
    head: Vec<T>,
    tail: Vec<T>,
    total: Vec<T>,
}

impl<T: Number> BlockSums<T> {
    pub(crate) fn new(cells: usize) -> Self {
        Self {
            cells: vec![T::ZERO; cells],
            head: vec![T::ZERO; cells],
            tail: vec![T::ZERO; cells],
            total: vec![T::ZERO; cells.div_ceil(BLOCK)],
        }
    }

    /// The trapezoid masses of all cells under node values `f`.
    #[inline(always)]
    pub(crate) fn fill(&mut self, f: &[T], widths: &[f64]) {
        let n = self.cells.len();
        let (cells, f, widths) = (&mut self.cells[..n], &f[..n + 1], &widths[..n]);
        for k in 0..n {
            cells[k] = f[k].added(f[k + 1]).scaled(0.5 * widths[k]);
        }
        let blocks = cells.chunks(BLOCK).zip(self.head.chunks_mut(BLOCK));
        let blocks = blocks.zip(self.tail.chunks_mut(BLOCK)).zip(&mut self.total);
        for (((cells, head), tail), total) in blocks {
            let n = cells.len();
            let (head, tail) = (&mut head[..n], &mut tail[..n]);
            let mut sum = T::ZERO;
            for k in 0..n {
                sum = sum.added(cells[k]);
                head[k] = sum;
            }
            *total = sum;
            sum = T::ZERO;
            for k in (0..n).rev() {
                sum = sum.added(cells[k]);
                tail[k] = sum;
            }
        }
    }

    /// Sum over cells `from..to`, `from < to`.
    #[inline(always)]
    pub(crate) fn range(&self, from: usize, to: usize) -> T {
        let last = to - 1;
        let (first_block, last_block) = (from / BLOCK, last / BLOCK);
        if first_block == last_block {
            if from.is_multiple_of(BLOCK) {
                return self.head[last];
            }
            let mut sum = T::ZERO;
            for cell in &self.cells[from..to] {
                sum = sum.added(*cell);
            }
            return sum;
        }
        let mut sum = self.tail[from];
        for total in &self.total[first_block + 1..last_block] {
            sum = sum.added(*total);
        }
        sum.added(self.head[last])
    }
}

/// Range sums of vectors of length `width` per cell.
#[derive(Debug, Clone)]
pub(crate) struct BlockVectorSums {
    width: usize,
    cells: usize,
    head: Vec<f64>,
    tail: Vec<f64>,
    total: Vec<f64>,
}

impl BlockVectorSums {
    pub(crate) fn new(cells: usize, width: usize) -> Self {
        Self {
            width,
            cells,
            head: vec![0.0; cells * width],
            tail: vec![0.0; cells * width],
            total: vec![0.0; cells.div_ceil(BLOCK) * width],
        }
    }

    /// The trapezoid moments of all cells: `rows` holds a feature vector per node.
    pub(crate) fn fill(&mut self, f: &[f64], rows: &[f64], widths: &[f64]) {
        let p = self.width;
        let moment = |k: usize, a: usize| {
            0.5 * widths[k] * (f[k] * rows[k * p + a] + f[k + 1] * rows[(k + 1) * p + a])
        };
        for block in 0..self.total.len() / p {
            let range = block * BLOCK..((block + 1) * BLOCK).min(self.cells);
            for k in range.clone() {
                for a in 0..p {
                    let before = if k == range.start { 0.0 } else { self.head[(k - 1) * p + a] };
                    self.head[k * p + a] = before + moment(k, a);
                }
            }
            let last = range.end - 1;
            self.total[block * p..(block + 1) * p]
                .copy_from_slice(&self.head[last * p..(last + 1) * p]);
            for k in range.rev() {
                for a in 0..p {
                    let after = if k == last { 0.0 } else { self.tail[(k + 1) * p + a] };
                    self.tail[k * p + a] = after + moment(k, a);
                }
            }
        }
    }

    /// Adds the sum over cells `from..to` to `out`. Returns false, adding nothing, where the
    /// range lies inside one block and the caller has to sum it itself.
    #[inline]
    pub(crate) fn add_range(&self, from: usize, to: usize, out: &mut [f64]) -> bool {
        let (p, last) = (self.width, to - 1);
        let (first_block, last_block) = (from / BLOCK, last / BLOCK);
        let mut add = |table: &[f64], at: usize| {
            for (o, v) in out.iter_mut().zip(&table[at * p..(at + 1) * p]) {
                *o += v;
            }
        };
        if first_block == last_block {
            if from.is_multiple_of(BLOCK) {
                add(&self.head, last);
                return true;
            }
            return false;
        }
        add(&self.tail, from);
        (first_block + 1..last_block).for_each(|block| add(&self.total, block));
        add(&self.head, last);
        true
    }
}

/// The transpose of [`BlockSums`]: collects weights put on ranges and hands them to the cells.
#[derive(Debug, Clone)]
pub(crate) struct BlockScatter {
    cells: Vec<f64>,
    head: Vec<f64>,
    tail: Vec<f64>,
    total: Vec<f64>,
}

impl BlockScatter {
    pub(crate) fn new(cells: usize) -> Self {
        Self {
            cells: vec![0.0; cells],
            head: vec![0.0; cells],
            tail: vec![0.0; cells],
            total: vec![0.0; cells.div_ceil(BLOCK)],
        }
    }

    pub(crate) fn clear(&mut self) {
        for part in [&mut self.cells, &mut self.head, &mut self.tail, &mut self.total] {
            part.fill(0.0);
        }
    }

    /// Puts `weight` on every cell of `from..to`, `from < to`.
    #[inline(always)]
    pub(crate) fn add(&mut self, from: usize, to: usize, weight: f64) {
        let last = to - 1;
        let (first_block, last_block) = (from / BLOCK, last / BLOCK);
        if first_block == last_block {
            if from.is_multiple_of(BLOCK) {
                self.head[last] += weight;
            } else {
                self.cells[from..to].iter_mut().for_each(|c| *c += weight);
            }
            return;
        }
        self.tail[from] += weight;
        self.total[first_block + 1..last_block].iter_mut().for_each(|t| *t += weight);
        self.head[last] += weight;
    }

    /// The weight of every cell.
    pub(crate) fn collect(&mut self) -> &[f64] {
        for (block, total) in self.total.iter().enumerate() {
            let range = block * BLOCK..((block + 1) * BLOCK).min(self.cells.len());
            let mut sum = *total;
            for k in range.clone() {
                sum += self.tail[k];
                self.cells[k] += sum;
            }
            sum = 0.0;
            for k in range.rev() {
                sum += self.head[k];
                self.cells[k] += sum;
            }
        }
        &self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_scatter_and_vectors_agree_with_plain_loops() {
        let n = 100;
        let widths: Vec<f64> = (0..n).map(|k| 1.0 + (k % 7) as f64).collect();
        let f: Vec<f64> = (0..=n).map(|k| 1.0 / (1.0 + k as f64)).collect();
        let rows: Vec<f64> = (0..=n).flat_map(|k| [1.0, k as f64]).collect();
        let mut scalar = BlockSums::new(n);
        scalar.fill(&f, &widths);
        let mut vector = BlockVectorSums::new(n, 2);
        vector.fill(&f, &rows, &widths);
        let mut scatter = BlockScatter::new(n);
        let mut plain = vec![0.0; n];
        for from in 0..n {
            for to in from + 1..=n {
                let cell = |k: usize| 0.5 * widths[k] * (f[k] + f[k + 1]);
                let sum: f64 = (from..to).map(cell).sum();
                assert!((scalar.range(from, to) / sum - 1.0).abs() < 1e-12);
                let mut out = [0.0; 2];
                if vector.add_range(from, to, &mut out) {
                    assert!((out[0] / sum - 1.0).abs() < 1e-12);
                }
                let weight = 1.0 + (from * to % 11) as f64;
                scatter.add(from, to, weight);
                plain[from..to].iter_mut().for_each(|c| *c += weight);
            }
        }
        for (a, b) in scatter.collect().iter().zip(&plain) {
            assert!((a / b - 1.0).abs() < 1e-12);
        }
    }
}
