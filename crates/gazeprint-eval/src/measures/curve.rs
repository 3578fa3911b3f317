//! False accepts over false rejects as the threshold sweeps.

use gazeprint::decision::cleaned;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use serde::Serialize;

use super::verification::Claims;

/// A point of the error curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ErrorPoint {
    /// Claims that score at or above it are accepted.
    pub threshold: f64,
    /// Part of the false claims accepted.
    pub false_accepts: f64,
    /// Part of the true claims rejected.
    pub false_rejects: f64,
}

impl Claims {
    /// The curve of false accepts over false rejects, by rising threshold, from (1, 0) to (0, 1):
    /// false accepts never rise, false rejects never fall. Empty if a side is.
    ///
    /// The corners of the curve lie at genuine scores, and between corners it is straight, so that
    /// two points a genuine score are the whole of it: the area under the points is
    /// [`Claims::area`]. Where these are more than `max_points` (at least 2), those are kept that
    /// matter most by the method of Douglas and Peucker, on axes of the arcsine of the root of a
    /// rate. There a distance is the same number of standard errors all along the curve, so that
    /// the steps of the first few errors and the smooth middle are served alike, on linear axes
    /// and on those that stretch the ends.
    ///
    /// The last threshold lies just above all scores; where a score is infinity, there is none,
    /// and infinity stands for it.
    pub fn error_curve(&self, max_points: usize) -> Vec<ErrorPoint> {
        let points = self.corners();
        let stable = |rate: f64| rate.sqrt().asin();
        let plane: Vec<[f64; 2]> =
            points.iter().map(|p| [stable(p.false_accepts), stable(p.false_rejects)]).collect();
        thinned(&plane, max_points.max(2)).into_iter().map(|i| points[i]).collect()
    }

    /// All points at which the curve may bend.
    fn corners(&self) -> Vec<ErrorPoint> {
        let (n, m) = (self.genuine.len() as f64, self.impostor.len() as f64);
        if self.genuine.is_empty() || self.impostor.is_empty() {
            return Vec::new();
        }
        let all = || self.genuine.iter().chain(&self.impostor).copied().map(cleaned);
        let (lowest, highest) =
            (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let steps = self.steps();
        let (mut accepts, mut rejects) = (self.impostor.len() as u64, 0);
        let mut points = Vec::with_capacity(2 * steps.scores.len() + 2);
        let mut add = |threshold: f64, accepts: u64, rejects: u64| {
            let point = ErrorPoint {
                threshold,
                false_accepts: accepts as f64 / m,
                false_rejects: rejects as f64 / n,
            };
            let same = |p: &ErrorPoint| {
                p.false_accepts == point.false_accepts && p.false_rejects == point.false_rejects
            };
            if !points.last().is_some_and(same) {
                points.push(point);
            }
        };
        add(lowest, accepts, rejects);
        for (score, step) in steps.scores.iter().zip(&steps.steps) {
            accepts -= step.between;
            add(*score, accepts, rejects);
            accepts -= step.tied;
            rejects += step.genuine;
            add(score.next_up(), accepts, rejects);
        }
        add(highest.next_up(), accepts - steps.above, rejects);
        points
    }
}

/// A stretch of the curve between two kept points, and the point within it that is farthest from
/// the straight line between them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    distance: f64,
    start: usize,
    farthest: usize,
    end: usize,
}

impl Stretch {
    fn new(plane: &[[f64; 2]], start: usize, end: usize) -> Self {
        let ([x0, y0], [x1, y1]) = (plane[start], plane[end]);
        let (dx, dy) = (x1 - x0, y1 - y0);
        let length = dx.hypot(dy);
        let mut stretch = Self { distance: 0.0, start, farthest: start, end };
        for i in start + 1..end {
            let [x, y] = plane[i];
            let distance = ((x - x0) * dy - (y - y0) * dx).abs() / length;
            if distance > stretch.distance {
                stretch.distance = distance;
                stretch.farthest = i;
            }
        }
        stretch
    }
}

impl Eq for Stretch {}

impl Ord for Stretch {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(other.start.cmp(&self.start))
    }
}

impl PartialOrd for Stretch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Indices of the points that describe a monotone line best: the ends, then again and again the
/// point farthest from the line through those kept so far.
fn thinned(plane: &[[f64; 2]], max_points: usize) -> Vec<usize> {
    if plane.len() <= max_points {
        return (0..plane.len()).collect();
    }
    let mut kept = vec![0, plane.len() - 1];
    let mut open = BinaryHeap::from([Stretch::new(plane, 0, plane.len() - 1)]);
    while kept.len() < max_points {
        let Some(widest) = open.pop().filter(|s| s.distance > 0.0) else { break };
        kept.push(widest.farthest);
        open.push(Stretch::new(plane, widest.start, widest.farthest));
        open.push(Stretch::new(plane, widest.farthest, widest.end));
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triples(claims: &Claims, max_points: usize) -> Vec<[f64; 3]> {
        let curve = claims.error_curve(max_points);
        curve.iter().map(|p| [p.threshold, p.false_accepts, p.false_rejects]).collect()
    }

    #[test]
    fn corners_by_hand() {
        let claims =
            Claims { genuine: vec![1.0, 2.0, 2.0, 4.0], impostor: vec![0.0, 0.5, 1.5, 2.0] };
        let expected = [
            [0.0, 1.0, 0.0],
            [1.0, 0.5, 0.0],
            [1.0_f64.next_up(), 0.5, 0.25],
            [2.0, 0.25, 0.25],
            [2.0_f64.next_up(), 0.0, 0.75],
            [4.0_f64.next_up(), 0.0, 1.0],
        ];
        assert_eq!(triples(&claims, 100), expected);
        // The corners at the diagonal are the last to go.
        assert_eq!(triples(&claims, 2), [expected[0], expected[5]]);
        assert_eq!(triples(&claims, 0), [expected[0], expected[5]]);
        assert_eq!(triples(&claims, 4).len(), 4);
    }

    #[test]
    fn perfect_separation_has_three_points() {
        let claims = Claims { genuine: vec![2.0, 3.0], impostor: vec![0.0, 1.0] };
        let curve = claims.error_curve(3);
        assert_eq!(curve.len(), 3);
        assert_eq!((curve[1].false_accepts, curve[1].false_rejects), (0.0, 0.0));
        assert_eq!(claims.at(curve[1].threshold).false_accepts.errors, 0);
        assert_eq!(claims.at(curve[1].threshold).false_rejects.errors, 0);
    }

    #[test]
    fn nothing_has_no_curve_and_one_score_two_points() {
        assert!(Claims::default().error_curve(10).is_empty());
        let claims = Claims { genuine: vec![f64::NAN], impostor: vec![f64::NEG_INFINITY] };
        assert_eq!(triples(&claims, 9), [[f64::NEG_INFINITY, 1.0, 0.0], [f64::MIN, 0.0, 1.0]]);
    }
}
