//! What observations come to, so that those of many texts can be put together and left out.

/// Observations of `x` and `y`: how many, their sums, and the sums of products around their means.
///
/// Products are around means, and nothing is ever taken away: spreads and slopes are right however far
/// from zero the values lie.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sums {
    pub(super) count: usize,
    pub(super) x: f64,
    pub(super) y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

/// Squares of `x` under this part of its mean square are dust of rounding: that of 200,000 times 0.1 is 3e-24
/// of it.
const DUST: f64 = 1e-18;

impl Sums {
    pub(super) fn one(x: f64, y: f64) -> Self {
        Self { count: 1, x, y, ..Self::default() }
    }

    /// Adds other observations.
    pub(super) fn add(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (n, m) = (self.count as f64, other.count as f64);
        let (dx, dy) = (other.x / m - self.x / n, other.y / m - self.y / n);
        let weight = n * m / (n + m);
        self.xx += other.xx + dx * dx * weight;
        self.xy += other.xy + dx * dy * weight;
        self.yy += other.yy + dy * dy * weight;
        self.x += other.x;
        self.y += other.y;
        self.count += other.count;
    }

    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.y / self.count as f64)
    }

    /// The standard deviation of `y`.
    pub(super) fn spread(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.yy / (self.count - 1) as f64).sqrt())
    }

    pub(super) fn ratio(&self) -> Option<f64> {
        (self.x > 0.0).then(|| self.y / self.x)
    }

    /// How much `y` grows with `x`; `None` where `x` does not vary.
    pub(super) fn slope(&self) -> Option<f64> {
        let n = self.count as f64;
        let square = self.xx / n + (self.x / n).powi(2);
        (self.count > 2 && self.xx / n > DUST * square).then(|| self.xy / self.xx)
    }

    /// The line through the means with this slope, at some `x`.
    pub(super) fn at(&self, slope: f64, x: f64) -> Option<f64> {
        let n = self.count as f64;
        Some(self.mean()? + slope * (x - self.x / n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(f64, f64)]) -> Sums {
        let mut sums = Sums::default();
        values.iter().for_each(|&(x, y)| sums.add(&Sums::one(x, y)));
        sums
    }

    #[test]
    fn parts_come_to_the_whole_far_from_zero() {
        let line = |i: i32| (1e8 + f64::from(i), 3e7 + 2.5 * f64::from(i));
        let values: Vec<(f64, f64)> = (0..50).map(line).collect();
        let mut whole = of(&values[..7]);
        whole.add(&of(&values[7..]));
        assert!((whole.slope().unwrap() - 2.5).abs() < 1e-9);
        // The standard deviation of 0 to 49, times 2.5.
        assert!((whole.spread().unwrap() - 2.5 * 212.5_f64.sqrt()).abs() < 1e-6);
        assert_eq!(whole.count, 50);
        // The dust of roundings is no slope.
        let same: Vec<(f64, f64)> = (0..100_000).map(|i| (0.1, f64::from(i % 3))).collect();
        assert_eq!(of(&same).slope(), None);
    }

    #[test]
    fn too_little_tells_nothing() {
        assert_eq!(Sums::default().mean(), None);
        assert_eq!(of(&[(1.0, 2.0)]).spread(), None);
        assert_eq!(of(&[(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)]).slope(), None);
        assert_eq!(of(&[(0.0, 2.0)]).ratio(), None);
        let mut one = of(&[(1.0, 2.0)]);
        one.add(&Sums::default());
        assert_eq!(one, Sums::one(1.0, 2.0));
    }
}
