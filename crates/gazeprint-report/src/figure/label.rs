//! Labels that do not overlap.

/// Moves places apart until neighbours are at least `gap` apart and all lie in `[low, high]`, as
/// little as possible in the sum of squares; keeps their order. Where there is no room for all, the
/// gap shrinks.
pub(super) fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let n = wanted.len();
    if n == 0 {
        return Vec::new();
    }
    let gap = gap.min((high - low).max(0.0) / (n.max(2) - 1) as f64);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // With z_i = y_i - i gap the constraint is z_i <= z_{i+1}: least squares under it pools
    // neighbours that are out of order (isotonic regression).
    let mut blocks: Vec<(f64, usize)> = Vec::with_capacity(n);
    for (rank, &i) in order.iter().enumerate() {
        let mut block = (wanted[i] - rank as f64 * gap, 1);
        while let Some(&(mean, size)) = blocks.last()
            && mean > block.0
        {
            let total = (size + block.1) as f64;
            block = ((mean * size as f64 + block.0 * block.1 as f64) / total, size + block.1);
            blocks.pop();
        }
        blocks.push(block);
    }
    let top = high - (n - 1) as f64 * gap;
    let mut places = vec![0.0; n];
    let means = blocks.iter().flat_map(|&(mean, size)| std::iter::repeat_n(mean, size));
    for (rank, (&i, mean)) in order.iter().zip(means).enumerate() {
        places[i] = mean.min(top).max(low) + rank as f64 * gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn apart_stays_and_close_is_moved_evenly() {
        assert_eq!(spread(&[1.0, 5.0], 2.0, (0.0, 10.0)), [1.0, 5.0]);
        assert_eq!(spread(&[5.0, 5.0], 2.0, (0.0, 10.0)), [4.0, 6.0]);
        assert_eq!(spread(&[10.0, 10.0], 2.0, (0.0, 10.0)), [8.0, 10.0]);
        assert!(spread(&[], 2.0, (0.0, 10.0)).is_empty());
    }

    proptest! {
        #[test]
        fn never_overlap(wanted in prop::collection::vec(-5.0..15.0_f64, 1..20)) {
            let places = spread(&wanted, 1.0, (0.0, 10.0));
            let gap = 1.0_f64.min(10.0 / (wanted.len().max(2) - 1) as f64);
            let mut sorted = places.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assert!(sorted.windows(2).all(|w| w[1] - w[0] >= gap - 1e-9));
            prop_assert!(sorted[0] >= -1e-9 && sorted[sorted.len() - 1] <= 10.0 + 1e-9);
        }
    }
}
