//! The measures against other software, closed forms and their own laws.
//!
//! `fixtures/measures.json` was made by `scripts/references/measures.py`, which says who computed
//! what and how their conventions differ.

use std::collections::BTreeMap;

use gazeprint::decision::{Affine, threshold_at};
use gazeprint_eval::measures::{Claims, ErrorPoint, Rank, Rate, cmc};
use proptest::prelude::*;
use serde::Deserialize;
use statrs::distribution::{ContinuousCDF, Normal};

#[derive(Deserialize)]
struct Fixture {
    sets: BTreeMap<String, Reference>,
    cmc: Identification,
    /// Errors, comparisons, lower and upper end.
    intervals: Vec<(usize, usize, f64, f64)>,
}

#[derive(Deserialize)]
struct Reference {
    genuine: Vec<f64>,
    impostor: Vec<f64>,
    area: f64,
    eer: f64,
    pyeer: PyEer,
    /// Threshold, false accepts, false rejects.
    det: Vec<[f64; 3]>,
    /// Wanted rate of false accepts, rate of false rejects.
    fnmr_at_fmr: Vec<[f64; 2]>,
    cllr: f64,
    min_cllr: f64,
    calibration: Option<Calibration>,
    calibration_lir: Option<Calibration>,
}

#[derive(Deserialize)]
struct PyEer {
    eer: f64,
    low: f64,
    high: f64,
    fmr100: [f64; 2],
    fmr20: [f64; 2],
}

#[derive(Deserialize)]
struct Calibration {
    scale: f64,
    offset: f64,
}

#[derive(Deserialize)]
struct Identification {
    scores: Vec<Vec<f64>>,
    truth: Vec<usize>,
    cmc: Vec<f64>,
}

fn fixture() -> Fixture {
    serde_json::from_str(include_str!("fixtures/measures.json")).expect("the fixture")
}

/// Runs a check on every set of scores, by name.
fn on_all_sets(check: impl Fn(&str, &Claims, &Reference)) {
    let sets = fixture().sets;
    assert_eq!(sets.len(), 12);
    for (name, set) in &sets {
        let claims = Claims { genuine: set.genuine.clone(), impostor: set.impostor.clone() };
        check(name, &claims, set);
    }
}

#[track_caller]
fn close(name: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{name}: {ours} is not {theirs}");
}

/// The rule of FVC2000 as PyEER applies it, at every score as threshold.
fn fvc2000(claims: &Claims) -> Option<f64> {
    let mut scores = [claims.genuine.as_slice(), &claims.impostor].concat();
    scores.sort_by(f64::total_cmp);
    scores.dedup();
    let rates: Vec<(f64, f64)> = scores
        .iter()
        .map(|t| claims.at(*t))
        .map(|p| (p.false_accepts.value(), p.false_rejects.value()))
        .collect();
    let after = rates.iter().position(|(accepts, rejects)| accepts <= rejects)?;
    let at_once = after == 0 || rates[after].0 == rates[after].1;
    let before = if at_once { after } else { after - 1 };
    let [low, high] = [before, after].map(|i| rates[i].0 + rates[i].1);
    Some(0.5 * low.min(high))
}

#[test]
fn area_agrees_with_scikit_learn() {
    on_all_sets(|name, claims, set| close(name, claims.area(), set.area, 1e-14));
}

#[test]
fn equal_error_rate_agrees_with_the_crossing_of_scikit_learns_curve() {
    on_all_sets(|name, claims, set| close(name, claims.equal_error_rate(), set.eer, 1e-14));
}

#[test]
fn equal_error_rate_lies_within_the_bounds_of_pyeer() {
    on_all_sets(|name, claims, set| {
        // PyEER looks at no threshold above all scores, and so finds no crossing if all are equal.
        let Some(eer) = fvc2000(claims) else { return assert_eq!(name, "one score") };
        close(name, eer, set.pyeer.eer, 1e-14);
        let ours = claims.equal_error_rate();
        let (low, high) = (set.pyeer.low - 1e-14, set.pyeer.high + 1e-14);
        assert!((low..=high).contains(&ours), "{name}: {ours} is not in {low}..{high}");
    });
}

#[test]
fn rates_at_thresholds_agree_with_scikit_learn_and_pyeer() {
    on_all_sets(|name, claims, set| {
        for &[threshold, accepts, rejects] in &set.det {
            let point = claims.at(threshold);
            close(name, point.false_accepts.value(), accepts, 1e-15);
            close(name, point.false_rejects.value(), rejects, 1e-15);
        }
        for [threshold, rejects] in [set.pyeer.fmr100, set.pyeer.fmr20] {
            close(name, claims.at(threshold).false_rejects.value(), rejects, 1e-15);
        }
    });
}

#[test]
fn curve_passes_through_the_points_of_scikit_learn() {
    on_all_sets(|name, claims, set| {
        let curve = claims.error_curve(usize::MAX);
        for &[threshold, accepts, rejects] in &set.det {
            let after = curve.partition_point(|p| p.threshold < threshold);
            let (a, b) = (&curve[after.saturating_sub(1)], &curve[after.min(curve.len() - 1)]);
            // Between corners false rejects stand still.
            let near = |x: f64, y: f64| (x - y).abs() < 1e-15;
            let level = near(a.false_rejects, rejects) || near(b.false_rejects, rejects);
            let between = (b.false_accepts - 1e-15..=a.false_accepts + 1e-15).contains(&accepts);
            assert!(level && between, "{name}: {threshold}");
        }
    });
}

#[test]
fn false_rejects_at_wanted_false_accepts_agree_with_scikit_learn() {
    on_all_sets(|name, claims, set| {
        for &[wanted, rejects] in &set.fnmr_at_fmr {
            let point = claims.at(threshold_at(&claims.impostor, wanted).unwrap());
            assert!(point.false_accepts.value() <= wanted, "{name} at {wanted}");
            close(name, point.false_rejects.value(), rejects, 1e-15);
        }
    });
}

#[test]
fn costs_agree_with_lir() {
    on_all_sets(|name, claims, set| {
        close(name, claims.cllr(), set.cllr, 1e-12);
        close(name, claims.min_cllr(), set.min_cllr, 1e-12);
    });
}

#[test]
fn calibration_agrees_with_scikit_learn_and_lir() {
    on_all_sets(|name, claims, set| {
        let ours = Affine::fit(&claims.genuine, &claims.impostor).unwrap();
        match &set.calibration {
            Some(theirs) if theirs.scale > 0.0 => {
                // Without overlap the cost is all but flat, and their optimiser stops early.
                let tolerance = if set.min_cllr == 0.0 { 1e-7 } else { 1e-12 };
                close(name, ours.scale, theirs.scale, tolerance * theirs.scale);
                close(name, ours.offset, theirs.offset, tolerance * (1.0 + theirs.offset.abs()));
            }
            // A falling calibration, or none: ours then says nothing.
            _ => assert_eq!(ours, Affine { scale: 0.0, offset: 0.0 }, "{name}"),
        }
        // lir has no prior to speak of; ours must not be seen, either.
        if let Some(theirs) = &set.calibration_lir {
            close(name, ours.scale, theirs.scale, 1e-5 * theirs.scale);
            close(name, ours.offset, theirs.offset, 1e-5 * (1.0 + theirs.offset.abs()));
        }
    });
}

#[test]
fn characteristic_agrees_with_pyeer() {
    let Identification { scores, truth, cmc: theirs } = fixture().cmc;
    let ranks: Vec<Rank> = scores.iter().zip(truth).map(|(s, t)| Rank::of(s, t)).collect();
    let at: Vec<usize> = (1..=theirs.len()).collect();
    for (k, (ours, theirs)) in cmc(&ranks, &at).into_iter().zip(theirs).enumerate() {
        close(&format!("rank {}", k + 1), ours, theirs, 1e-12);
    }
}

#[test]
fn intervals_agree_with_scipy() {
    for (errors, trials, low, high) in fixture().intervals {
        let ours = Rate { errors, trials }.interval();
        close("low", ours[0], low, 1e-8 * low);
        close("high", ours[1], high, 1e-8 * high);
    }
}

/// Scores at the quantiles of a normal distribution: a sample without chance.
fn quantiles(mean: f64, deviation: f64, count: usize) -> Vec<f64> {
    let normal = Normal::new(mean, deviation).expect("a positive deviation");
    (0..count).map(|i| normal.inverse_cdf((i as f64 + 0.5) / count as f64)).collect()
}

#[test]
fn normal_scores_give_the_closed_forms() {
    let standard = Normal::standard();
    for d in [0.5, 1.0, 2.0, 3.0, 4.0] {
        let claims =
            Claims { genuine: quantiles(d, 1.0, 20_000), impostor: quantiles(0.0, 1.0, 50_000) };
        let name = format!("d' = {d}");
        close(&name, claims.equal_error_rate(), standard.cdf(-0.5 * d), 5e-5);
        close(&name, claims.area(), standard.cdf(-d / 2.0_f64.sqrt()), 5e-6);
        for rate in [0.1, 0.01, 0.001] {
            let threshold = threshold_at(&claims.impostor, rate).unwrap();
            close(&name, threshold, standard.inverse_cdf(1.0 - rate), 6e-3);
            let rejects = standard.cdf(standard.inverse_cdf(1.0 - rate) - d);
            close(&name, claims.at(threshold).false_rejects.value(), rejects, 2e-3);
        }
        // Equal variances: the log-likelihood ratio is d' s - d'^2 / 2.
        let fit = Affine::fit(&claims.genuine, &claims.impostor).unwrap();
        close(&name, fit.scale, d, 0.01 * d);
        close(&name, fit.offset, -0.5 * d * d, 0.01 * d * d);
        // Ratios that are right cannot be bettered.
        let ratios = mapped(&claims, |s| Affine { scale: d, offset: -0.5 * d * d }.apply(s));
        close(&name, ratios.min_cllr(), ratios.cllr(), 5e-4);
    }
}

#[test]
fn a_thinned_curve_looks_the_same() {
    let claims =
        Claims { genuine: quantiles(2.0, 1.0, 5_000), impostor: quantiles(0.0, 1.0, 40_000) };
    let (full, thin) = (claims.error_curve(usize::MAX), claims.error_curve(200));
    assert!(full.len() > 5_000);
    assert_eq!(thin.len(), 200);
    assert!((trapezoids(&thin) / claims.area() - 1.0).abs() < 0.01);
    // Every point of the whole curve lies nearer to the thinned one than chance could show: within
    // a fifth of the smaller side's standard error, 1 / (2 sqrt(n)) on these axes.
    let plane = |p: &ErrorPoint| [p.false_accepts, p.false_rejects].map(|r| r.sqrt().asin());
    for p in &full[1..full.len() - 1] {
        let after = thin.partition_point(|t| t.threshold <= p.threshold);
        let ([x0, y0], [x1, y1], [x, y]) = (plane(&thin[after - 1]), plane(&thin[after]), plane(p));
        let across = (x - x0) * (y1 - y0) - (y - y0) * (x1 - x0);
        let distance = across.abs() / (x1 - x0).hypot(y1 - y0);
        assert!(distance < 0.2 * 0.5 / 5_000.0_f64.sqrt(), "{p:?}: {distance}");
    }
}

fn trapezoids(curve: &[ErrorPoint]) -> f64 {
    curve
        .windows(2)
        .map(|w| {
            let width = w[1].false_rejects - w[0].false_rejects;
            0.5 * width * (w[0].false_accepts + w[1].false_accepts)
        })
        .sum()
}

/// Scores on a coarse grid, so that ties are frequent and sums are exact.
fn scores() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-12..12_i32).prop_map(|s| f64::from(s) / 4.0), 1..40)
}

fn claims() -> impl Strategy<Value = Claims> {
    (scores(), scores()).prop_map(|(genuine, impostor)| Claims { genuine, impostor })
}

fn mapped(claims: &Claims, f: impl Fn(f64) -> f64) -> Claims {
    let all = |scores: &[f64]| scores.iter().map(|s| f(*s)).collect();
    Claims { genuine: all(&claims.genuine), impostor: all(&claims.impostor) }
}

fn swapped(claims: &Claims) -> Claims {
    Claims { genuine: claims.impostor.clone(), impostor: claims.genuine.clone() }
}

proptest! {
    #[test]
    fn order_is_all_that_counts(claims in claims()) {
        let other = mapped(&claims, |s| s.powi(3) + 2.0 * s - 7.0);
        prop_assert_eq!(claims.area(), other.area());
        prop_assert_eq!(claims.equal_error_rate(), other.equal_error_rate());
        prop_assert_eq!(claims.min_cllr(), other.min_cllr());
    }

    #[test]
    fn sides_are_symmetric(claims in claims()) {
        let mirror = mapped(&swapped(&claims), |s| -s);
        prop_assert!((claims.area() - mirror.area()).abs() < 1e-12);
        prop_assert!((claims.equal_error_rate() - mirror.equal_error_rate()).abs() < 1e-12);
        prop_assert!((claims.cllr() - mirror.cllr()).abs() < 1e-12);
        prop_assert!((claims.min_cllr() - mirror.min_cllr()).abs() < 1e-12);
        let wrong = swapped(&claims);
        prop_assert!((claims.area() + wrong.area() - 1.0).abs() < 1e-12);
        prop_assert!((claims.equal_error_rate() + wrong.equal_error_rate() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn calibration_helps_and_no_more_than_it_can(claims in claims(), unit in 0.01..100.0) {
        let minimum = claims.min_cllr();
        prop_assert!((0.0..=1.0 + 1e-12).contains(&minimum));
        prop_assert!(minimum <= claims.cllr() + 1e-12);
        let fit = Affine::fit(&claims.genuine, &claims.impostor).unwrap();
        let cost = mapped(&claims, |s| fit.apply(s)).cllr();
        // The prior may cost a little.
        prop_assert!(minimum <= cost + 1e-12 && cost <= claims.cllr().min(1.0) + 1e-3);
        // The unit of the scores and their origin do not matter.
        let other = mapped(&claims, |s| unit * s + 5.0);
        let refit = Affine::fit(&other.genuine, &other.impostor).unwrap();
        for s in [-1.0, 0.0, 2.0] {
            let (a, b) = (fit.apply(s), refit.apply(unit * s + 5.0));
            prop_assert!((a - b).abs() < 1e-5 * (1.0 + a.abs()), "{a} {b}");
        }
    }

    #[test]
    fn curve_is_monotone_and_true(claims in claims(), max_points in 0..30_usize) {
        let curve = claims.error_curve(max_points);
        prop_assert!(curve.len() <= max_points.max(2));
        let ends = (curve[0], curve[curve.len() - 1]);
        prop_assert_eq!((ends.0.false_accepts, ends.0.false_rejects), (1.0, 0.0));
        prop_assert_eq!((ends.1.false_accepts, ends.1.false_rejects), (0.0, 1.0));
        for w in curve.windows(2) {
            prop_assert!(w[0].threshold < w[1].threshold);
            prop_assert!(w[0].false_accepts >= w[1].false_accepts);
            prop_assert!(w[0].false_rejects <= w[1].false_rejects);
        }
        for p in &curve {
            let there = claims.at(p.threshold);
            prop_assert_eq!(there.false_accepts.value(), p.false_accepts);
            prop_assert_eq!(there.false_rejects.value(), p.false_rejects);
        }
        prop_assert!((trapezoids(&claims.error_curve(usize::MAX)) - claims.area()).abs() < 1e-12);
    }

    #[test]
    fn thresholds_are_the_smallest_that_keep_the_rate(
        impostor in scores(),
        rate in prop::sample::select(vec![0.0, 0.1, 0.2, 0.25, 1.0 / 3.0, 0.3, 0.7, 0.9]),
    ) {
        let claims = Claims { genuine: Vec::new(), impostor };
        let threshold = threshold_at(&claims.impostor, rate).unwrap();
        prop_assert!(claims.at(threshold).false_accepts.value() <= rate);
        prop_assert!(claims.at(threshold.next_down()).false_accepts.value() > rate);
    }
}
