//! Data that look like those of a study, for figures: the same at every run.

use gazeprint::saccade::{DensityId, SaccadeType};
use gazeprint_eval::measures::ErrorPoint;
use gazeprint_eval::portrait::*;
use gazeprint_report::FigureId;
use gazeprint_report::figure::data::*;
use gazeprint_report::figure::{self, Drawing};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Method, accuracy at the end, distance of genuine from impostor scores.
const METHODS: [(&str, f64, f64); 7] = [
    ("population", 0.995, 5.6),
    ("semiparametric", 0.975, 5.0),
    ("landwehr", 0.945, 4.4),
    ("holland-unweighted", 0.71, 3.3),
    ("landwehr-ta", 0.66, 3.1),
    ("holland-weighted", 0.52, 2.7),
    ("landwehr-t", 0.30, 2.2),
];

/// All figures.
pub(crate) fn all() -> Vec<(FigureId, Drawing)> {
    FigureId::ALL.iter().map(|&id| (id, drawn(id))).collect()
}

fn drawn(id: FigureId) -> Drawing {
    match id {
        FigureId::Accuracy => figure::accuracy_curves(&accuracy()),
        FigureId::Seconds => figure::accuracy_over_seconds(&seconds()),
        FigureId::Errors => figure::error_curves(&errors(1.0)),
        FigureId::Det => figure::det_curves(&errors(1.0)),
        FigureId::ErrorsByFraction => figure::error_curves_by_fraction(&errors_by_fraction()),
        FigureId::Scores => figure::score_distributions(&scores()),
        FigureId::Strangers => figure::names_over_seconds(&names()),
        FigureId::Robustness => figure::robustness(&robustness()),
        FigureId::Densities => figure::reader_densities(&densities()),
        FigureId::Calibration => figure::reader_calibration(&calibration()),
        FigureId::Scanpath => figure::scanpath(&path()),
    }
}

/// Figures of readers: few with long names, many, and two traits.
pub(crate) fn of_readers() -> Vec<(&'static str, Drawing)> {
    vec![
        ("few-readers", figure::readers_by_trait(&readers(23))),
        ("many-readers", figure::readers_by_trait(&readers(240))),
        ("two-traits", figure::two_traits(&pair())),
    ]
}

/// Figures in the layout of the paper.
pub(crate) fn of_the_paper() -> Vec<(&'static str, Drawing)> {
    let parts = errors_by_fraction().into_iter();
    let drawn = parts.map(|part| ErrorCurvesAt { curves: part.curves[1..4].to_vec(), ..part });
    vec![
        ("amplitudes", figure::reader_amplitudes(&densities())),
        ("graphical-model", figure::graphical_model()),
        ("errors-overlaid", figure::error_curves_overlaid(&drawn.collect::<Vec<_>>())),
    ]
}

fn values(count: usize, stream: u64, scale: f64) -> Vec<ReaderValue> {
    let mut rng = rng(stream);
    let value = |i: usize| {
        let value = scale * (3.0 + 0.4 * normal(&mut rng));
        let half = scale * (0.1 + 0.05 * normal(&mut rng).abs());
        // One who read a single text has no interval, one with two a wide one.
        let half = [f64::NAN, 100.0 * half].get(i).copied().unwrap_or(half);
        let reader = format!("reader {i} with a rather long name");
        ReaderValue { reader, value, low: value - half, high: value + half }
    };
    (0..count).map(value).collect()
}

pub(crate) fn readers(count: usize) -> TraitReaders {
    TraitReaders {
        of: TraitAxis { name: "forward_skip_rate".into(), unit: "share".into() },
        about: "forward skips among saccades".into(),
        readers: values(count, 21, 0.1),
        reliability: Some(0.934),
        reliability_ci95: Some([0.9, 0.955]),
    }
}

pub(crate) fn pair() -> TraitPair {
    let both = values(60, 22, 0.1).into_iter().zip(values(60, 23, 80.0));
    TraitPair {
        x: TraitAxis { name: "skip_by_length".into(), unit: "share/letter".into() },
        y: TraitAxis { name: "fixation_duration".into(), unit: "ms".into() },
        readers: both.map(|(x, y)| [x, y]).collect(),
        correlation: Some(-0.21),
        ci95: Some([-0.44, 0.05]),
    }
}

fn rng(stream: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(stream)
}

/// The sum of twelve uniform values is near enough to normal.
fn normal(rng: &mut impl Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

fn gamma_density(x: f64, shape: u32, scale: f64) -> f64 {
    let factorial: f64 = (1..shape).map(f64::from).product();
    (x / scale).powi(shape as i32 - 1) * (-x / scale).exp() / (factorial * scale)
}

/// A gamma value of whole shape: a sum of exponential ones.
fn gamma(rng: &mut impl Rng, shape: u32, scale: f64) -> f64 {
    (0..shape).map(|_| -scale * (1.0 - rng.random::<f64>()).ln()).sum()
}

pub(crate) fn densities() -> ReaderDensities {
    let densities = DensityId::ALL
        .iter()
        .enumerate()
        .map(|(i, &density)| {
            let (n, shape, scale) = [
                (60, 3, 1.9),
                (85, 2, 1.3),
                (31, 2, 1.1),
                (402, 5, 1.5),
                (388, 9, 1.35),
                (147, 3, 4.0),
                (60, 7, 27.0),
                (116, 9, 24.0),
                (402, 12, 18.5),
                (388, 14, 16.0),
                (147, 8, 26.0),
            ][i];
            let mut rng = rng(i as u64);
            let values: Vec<f64> = (0..n)
                .map(|_| {
                    // A second bump that no gamma density has.
                    let bump = rng.random::<f64>() < 0.15;
                    gamma(&mut rng, shape, scale) * if bump { 1.7 } else { 0.95 }
                })
                .collect();
            let end = f64::from(shape) * scale * 3.2;
            let x: Vec<f64> = (0..=160).map(|j| end * (f64::from(j) / 160.0).powi(2)).collect();
            let mean: Vec<f64> = x
                .iter()
                .map(|&x| {
                    0.85 * gamma_density(x / 0.95, shape, scale) / 0.95
                        + 0.15 * gamma_density(x / 1.7, shape, scale) / 1.7
                })
                .collect();
            let spread = 2.6 / f64::from(n).sqrt();
            let peak = mean.iter().copied().fold(0.0, f64::max);
            let half = |f: &f64| spread * (f * peak).sqrt() * 0.6;
            DensityFit {
                density,
                observations: n as usize,
                histogram: Histogram::of(&values, 28, (0.0, end)),
                gamma: x.iter().map(|&x| gamma_density(x / 1.06, shape, scale) / 1.06).collect(),
                low: mean.iter().map(|f| (f - half(f)).max(0.0)).collect(),
                high: mean.iter().map(|f| f + half(f)).collect(),
                mean,
                x,
            }
        })
        .collect();
    ReaderDensities { reader: "r017".into(), densities }
}

pub(crate) fn accuracy() -> AccuracyCurves {
    let curve = |method: &str, end: f64, places: Vec<f64>, rate: &dyn Fn(f64, f64) -> f64| {
        let points = places
            .into_iter()
            .map(|x| CurvePoint { x, mean: rate(x, end), se: 0.004 + 0.05 * end * (1.0 - end) })
            .collect();
        MethodCurve { method: method.into(), points }
    };
    let fractions = || (1..=10).map(|i| f64::from(i) / 10.0).collect();
    let readers = || vec![10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0, 166.0];
    let by_fraction = |x: f64, end: f64| end * (1.0 - (-x * (2.0 + 4.0 * end)).exp()) / 0.998;
    let by_readers = |x: f64, end: f64| end.powf((x / 166.0).powf(0.45));
    AccuracyCurves {
        by_fraction: METHODS
            .iter()
            .map(|&(m, end, _)| curve(m, end, fractions(), &|x, e| by_fraction(x, e).min(1.0)))
            .collect(),
        by_readers: METHODS
            .iter()
            .map(|&(m, end, _)| curve(m, end, readers(), &by_readers))
            .collect(),
    }
}

pub(crate) fn seconds() -> Vec<MethodCurve> {
    let places = [2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 180.0];
    METHODS
        .iter()
        .map(|&(method, end, _)| MethodCurve {
            method: method.into(),
            points: places
                .iter()
                .map(|&x| {
                    let mean = end * (1.0 - (-x * end / 25.0_f64).exp());
                    CurvePoint { x, mean, se: 0.006 + 0.06 * mean * (1.0 - mean) }
                })
                .collect(),
        })
        .collect()
}

pub(crate) fn robustness() -> RobustnessCurves {
    let curves = |places: &[f64], rate: &dyn Fn(f64, f64) -> f64| -> Vec<MethodCurve> {
        let curve = |&(method, end, _): &(&str, f64, f64)| {
            let point = |&x: &f64| {
                let mean = rate(x, end);
                CurvePoint { x, mean, se: 0.004 + 0.05 * mean * (1.0 - mean) }
            };
            MethodCurve { method: method.into(), points: places.iter().map(point).collect() }
        };
        METHODS.iter().map(curve).collect()
    };
    RobustnessCurves {
        sentences: Some(5),
        by_noise: curves(&[0.0, 0.25, 0.5, 1.0, 2.0, 4.0], &|x, end| {
            0.9 * end / (1.0 + 0.12 * x * x)
        }),
        by_duration: curves(&[0.0, 50.0, 80.0, 100.0, 150.0], &|x, end| {
            0.9 * end * (1.0 - (x / 400.0).powi(2))
        }),
    }
}

pub(crate) fn names() -> Vec<MethodNames> {
    let places = [2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 240.0];
    let rates = [(0.05, 9.0, 0.048), (0.01, 17.0, 0.014), (0.001, 40.0, 0.0)];
    let at = |(rate, slow, strange): (f64, f64, f64)| {
        let readers = places.map(|x| {
            let part = 0.99 * (1.0 - (-x / slow).exp());
            let half = 0.01 + 0.2 * part * (1.0 - part);
            PartPoint { x, part, low: part - half, high: (part + half).min(1.0) }
        });
        let strangers = places.map(|x| {
            let part = strange * (1.0 + 0.4 * x.ln().sin());
            PartPoint { x, part, low: 0.5 * part, high: 1.8 * part + 0.004 }
        });
        NamedAtRate { rate, readers: readers.to_vec(), strangers: strangers.to_vec() }
    };
    vec![MethodNames { method: "fusion".into(), rates: rates.map(at).to_vec() }]
}

/// Genuine and impostor scores of a method.
fn sampled(stream: u64, distance: f64, genuine: usize, impostor: usize) -> (Vec<f64>, Vec<f64>) {
    let mut rng = rng(stream);
    let genuine = (0..genuine).map(|_| distance + 1.2 * normal(&mut rng)).collect();
    let impostor = (0..impostor).map(|_| normal(&mut rng)).collect();
    (genuine, impostor)
}

pub(crate) fn errors(part: f64) -> Vec<ErrorCurve> {
    METHODS
        .iter()
        .enumerate()
        .map(|(i, &(method, _, distance))| {
            let (genuine, mut impostor) =
                sampled(100 + i as u64, distance * part.powf(0.35), 1660, 20_000);
            impostor.sort_by(f64::total_cmp);
            let mut thresholds = genuine.clone();
            thresholds.sort_by(f64::total_cmp);
            let points: Vec<ErrorPoint> = thresholds
                .iter()
                .enumerate()
                .map(|(k, t)| ErrorPoint {
                    threshold: *t,
                    false_rejects: k as f64 / thresholds.len() as f64,
                    false_accepts: (impostor.len() - impostor.partition_point(|s| s < t)) as f64
                        / impostor.len() as f64,
                })
                .collect();
            let eer = points
                .iter()
                .min_by(|a, b| {
                    let gap = |p: &ErrorPoint| (p.false_rejects - p.false_accepts).abs();
                    gap(a).total_cmp(&gap(b))
                })
                .map(|p| (p.false_rejects + p.false_accepts) / 2.0);
            ErrorCurve { method: method.into(), points, eer }
        })
        .collect()
}

pub(crate) fn errors_by_fraction() -> Vec<ErrorCurvesAt> {
    [0.4, 0.6, 0.8, 1.0]
        .map(|fraction| ErrorCurvesAt { fraction, curves: errors(fraction) })
        .to_vec()
}

pub(crate) fn scores() -> Vec<MethodScores> {
    METHODS
        .iter()
        .enumerate()
        .take(6)
        .map(|(i, &(method, _, distance))| {
            let (genuine, impostor) = sampled(200 + i as u64, distance, 1660, 20_000);
            let nats = |values: Vec<f64>| values.into_iter().map(|v| 14.0 * v - 30.0).collect();
            MethodScores {
                method: method.into(),
                genuine: nats(genuine),
                impostor: nats(impostor),
                score: "log-likelihood ratio (nats)".into(),
            }
        })
        .collect()
}

pub(crate) fn calibration() -> ReaderCalibration {
    let counts = [60, 85, 31, 402, 388, 147, 60, 116, 402, 388, 147];
    let densities = DensityId::ALL
        .iter()
        .zip(counts)
        .map(|(&density, n)| {
            let mut rng = rng(300 + density as u64);
            let power = if density == DensityId::Alpha4 { 1.35 } else { 1.0 };
            let values = (0..n).map(|_| rng.random::<f64>().powf(power)).collect();
            DensityTransform { density, values }
        })
        .collect();
    ReaderCalibration { reader: "r017".into(), densities }
}

pub(crate) fn path() -> ScanpathData {
    let lines = [
        "The old harbour had been quiet since the ferries stopped, and the gulls",
        "had moved to the roofs behind the market, where nobody chased them away.",
    ];
    let lines: Vec<TextLine> = lines
        .iter()
        .enumerate()
        .map(|(i, text)| {
            let mut start = 0;
            let words = text
                .split(' ')
                .map(|form| {
                    let end = start + form.chars().count() as i32;
                    let word = PlacedWord { form: form.into(), start, end };
                    start = end + 1;
                    word
                })
                .collect();
            TextLine { line: i as i32 + 1, words }
        })
        .collect();
    use SaccadeType::{ForwardSkip as F, NextWord as N, Refixation as R, Regression as B};
    let fixations = [
        (1, 5.4, 212.0, None),
        (1, 11.2, 248.0, Some(N)),
        (1, 24.8, 301.0, Some(F)),
        (1, 9.7, 187.0, Some(B)),
        (1, 13.6, 154.0, Some(R)),
        (1, 26.2, 230.0, Some(F)),
        (1, 31.9, 176.0, Some(N)),
        (1, 43.5, 412.0, Some(F)),
        (1, 46.4, 142.0, Some(R)),
        (1, 52.3, 265.0, Some(N)),
        (1, 67.8, 238.0, Some(F)),
        (2, 7.2, 226.0, None),
        (2, 5.1, 131.0, Some(R)),
        (2, 19.4, 254.0, Some(F)),
        (2, 28.0, 203.0, Some(N)),
        (2, 38.1, 334.0, Some(F)),
        (2, 29.3, 218.0, Some(B)),
        (2, 39.0, 197.0, Some(F)),
        (2, 51.3, 560.0, Some(F)),
        (2, 53.0, 122.0, Some(R)),
        (2, 58.7, 241.0, Some(N)),
        (2, 68.9, 290.0, Some(F)),
    ]
    .map(|(line, x, duration, kind)| PlacedFixation { line, x, duration, kind });
    ScanpathData { reader: "r017".into(), text: "p3".into(), lines, fixations: fixations.to_vec() }
}
