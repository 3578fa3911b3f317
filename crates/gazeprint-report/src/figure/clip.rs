//! Cuts lines and areas at the edges of a panel.

use super::scene::{Point, Rect};

/// The parts of a line inside; places that are not numbers interrupt it.
pub(super) fn line(points: &[Point], area: &Rect) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        match segment(pair[0], pair[1], area) {
            Some((from, to)) => {
                match runs.last_mut() {
                    Some(run) if open && from == pair[0] => run.push(to),
                    _ => runs.push(vec![from, to]),
                }
                open = to == pair[1];
            }
            None => open = false,
        }
    }
    runs
}

/// The part of a segment inside (Liang and Barsky).
pub(super) fn segment(from: Point, to: Point, area: &Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    if !(dx.is_finite() && dy.is_finite()) {
        return None;
    }
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (step, room) in [
        (-dx, from.0 - area.left),
        (dx, area.right - from.0),
        (-dy, from.1 - area.top),
        (dy, area.bottom - from.1),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            start = start.max(room / step);
        } else {
            end = end.min(room / step);
        }
    }
    let at = |t: f64| match t {
        0.0 => from,
        1.0 => to,
        t => (from.0 + t * dx, from.1 + t * dy),
    };
    (start <= end).then(|| (at(start), at(end)))
}

/// The part of an area inside (Sutherland and Hodgman).
pub(super) fn polygon(points: &[Point], area: &Rect) -> Vec<Point> {
    let mut points = points.to_vec();
    // Distance inside of each of the four edges.
    let edges: [&dyn Fn(Point) -> f64; 4] =
        [&|p| p.0 - area.left, &|p| area.right - p.0, &|p| p.1 - area.top, &|p| area.bottom - p.1];
    for inside in edges {
        let mut kept = Vec::with_capacity(points.len());
        for (i, &to) in points.iter().enumerate() {
            let from = points[(i + points.len() - 1) % points.len()];
            let (a, b) = (inside(from), inside(to));
            if (a < 0.0) != (b < 0.0) {
                let t = a / (a - b);
                kept.push((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)));
            }
            if b >= 0.0 {
                kept.push(to);
            }
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn a_line_leaves_and_comes_back() {
        let runs = line(&[(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)], &AREA);
        assert_eq!(
            runs,
            [vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]]
        );
        assert_eq!(line(&[(0.0, 0.0), (f64::NAN, 1.0), (2.0, 2.0)], &AREA).len(), 0);
    }

    #[test]
    fn an_area_is_cut() {
        let cut = polygon(&[(5.0, 5.0), (20.0, 5.0), (20.0, 20.0), (5.0, 20.0)], &AREA);
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|p| (5.0..=10.0).contains(&p.0) && (5.0..=10.0).contains(&p.1)));
        assert!(polygon(&[(11.0, 0.0), (12.0, 0.0), (12.0, 5.0)], &AREA).is_empty());
    }
}
