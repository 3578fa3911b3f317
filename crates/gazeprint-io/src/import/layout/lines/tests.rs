use super::*;

const LEFT: f64 = 100.0;
const PITCH: f64 = 12.0;
const SPACING: f64 = 60.0;

/// A page of six lines with ten words of six characters each.
fn page() -> (Vec<f64>, Vec<(Point, usize)>) {
    let lines: Vec<f64> = (0..6).map(|line| 200.0 + SPACING * f64::from(line)).collect();
    let words = lines.iter().enumerate().flat_map(|(line, &y)| {
        (0..10)
            .map(move |word| (Point { x: LEFT + (7.0 * f64::from(word) + 3.0) * PITCH, y }, line))
    });
    let words = words.collect();
    (lines, words)
}

/// A reading of the page with some regressions within lines, with the true lines. The eye tracker is
/// off by `drift(t)` line spacings, `t` from 0 to 1, and by a little noise.
fn reading(drift: impl Fn(f64) -> f64) -> (Vec<Point>, Vec<usize>) {
    let (lines, _) = page();
    let (mut points, mut truth) = (Vec::new(), Vec::new());
    let total = 6.0 * 12.0;
    for (line, y) in lines.iter().enumerate() {
        for (at, word) in [0, 1, 2, 3, 4, 3, 5, 6, 7, 6, 8, 9].into_iter().enumerate() {
            let t = (line as f64 * 12.0 + at as f64) / total;
            // A fixed sequence that looks like noise: fractions of multiples of the golden ratio.
            let noise = ((points.len() as f64 * 0.618_034).fract() - 0.5) * 0.3;
            let x = LEFT + (7.0 * f64::from(word) + 2.0) * PITCH;
            points.push(Point { x, y: y + (drift(t) + noise) * SPACING });
            truth.push(line);
        }
    }
    (points, truth)
}

fn right(method: Method, drift: impl Fn(f64) -> f64) -> (usize, Assigned) {
    let (lines, words) = page();
    let page = Page { lines: &lines, words: &words, pitch: PITCH, spacing: SPACING };
    let (points, truth) = reading(drift);
    let assigned = assign(method, &points, &page, 1.5);
    let right = assigned.lines.iter().zip(truth).filter(|(line, truth)| **line == Some(*truth));
    (right.count(), assigned)
}

#[test]
fn without_drift_every_method_finds_all_lines() {
    for method in Method::ALL {
        let (right, assigned) = right(method, |_| 0.0);
        assert_eq!((method, right, assigned.changed), (method, 72, 0));
        assert!(assigned.offsets.abs() < 72.0);
    }
}

#[test]
fn under_growing_drift_warp_beats_the_nearest_line() {
    let drift = |t: f64| 0.8 * t;
    let (attach, _) = right(Method::Attach, drift);
    let (warp, assigned) = right(Method::Warp, drift);
    // Past half a spacing the nearest line is the next one, except where there is no next one.
    assert!(attach < 60, "attach {attach}");
    assert!(warp > 68, "warp {warp}");
    assert!(assigned.changed >= warp - attach);
    assert!(assigned.offsets > 0.0);
}

#[test]
fn under_growing_drift_slice_beats_the_nearest_line() {
    let drift = |t: f64| -0.7 * t;
    let (attach, _) = right(Method::Attach, drift);
    let (slice, _) = right(Method::Slice, drift);
    assert!(slice > attach + 10, "slice {slice}, attach {attach}");
}

#[test]
fn under_a_constant_offset_warp_beats_the_nearest_line() {
    let (attach, _) = right(Method::Attach, |_| 0.6);
    let (warp, _) = right(Method::Warp, |_| 0.6);
    assert!(warp > attach + 20, "warp {warp}, attach {attach}");
}

#[test]
fn a_fixation_far_from_all_lines_is_on_none() {
    let (lines, words) = page();
    let page = Page { lines: &lines, words: &words, pitch: PITCH, spacing: SPACING };
    for method in Method::ALL {
        let points = [Point { x: 200.0, y: 20.0 }, Point { x: 200.0, y: 210.0 }];
        let assigned = assign(method, &points, &page, 1.0);
        assert_eq!(assigned.lines[0], None);
        assert!(assigned.lines[1].is_some());
    }
}

#[test]
fn pages_without_words_or_lines_fall_back() {
    let page = Page { lines: &[], words: &[], pitch: PITCH, spacing: SPACING };
    let assigned = assign(Method::Warp, &[Point { x: 1.0, y: 1.0 }], &page, 1.0);
    assert_eq!(assigned.lines, [None]);
    let page = Page { lines: &[1.0], words: &[], pitch: PITCH, spacing: SPACING };
    let assigned = assign(Method::Warp, &[Point { x: 1.0, y: 1.0 }], &page, 1.0);
    assert_eq!((assigned.lines, assigned.fell_back), (vec![Some(0)], true));
    assert!(assign(Method::Slice, &[], &page, 1.0).lines.is_empty());
}

#[test]
fn methods_have_names() {
    for method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    assert!("best".parse::<Method>().is_err());
}
