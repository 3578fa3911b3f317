//! The figures of a study.

use crate::figure::data::{
    AccuracyCurves, CurvePoint, ErrorCurve, ErrorCurvesAt, ErrorPoint, MethodCurve, MethodScores,
    ScoreDistributions,
};
use crate::figure::{
    Drawing, accuracy_curves, accuracy_over_seconds, det_curves, error_curves,
    error_curves_by_fraction, reader_calibration, reader_densities, robustness, scanpath,
    score_distributions,
};
use crate::portrait::Portrait;
use crate::report::{ErrorCurveReport, Estimate, MethodReport, Report};
use crate::robustness::Robustness;
use crate::study::Study;

/// The figures of a study with their names: accuracy over the amount of reading and the number of
/// readers, errors of verification, scores, and one reader's portrait.
pub fn figures(
    study: &Study,
    report: &Report,
    portrait: &Portrait,
) -> Vec<(&'static str, Drawing)> {
    let curves = |points: &dyn Fn(&MethodReport) -> Vec<CurvePoint>| -> Vec<MethodCurve> {
        let methods = report.methods.iter();
        methods.map(|m| MethodCurve { method: m.method.clone(), points: points(m) }).collect()
    };
    let accuracy = AccuracyCurves {
        by_fraction: curves(&|m| {
            m.by_fraction.iter().map(|p| point(p.fraction, &p.accuracy)).collect()
        }),
        by_readers: curves(&|m| {
            m.by_readers.iter().map(|p| point(p.readers as f64, &p.accuracy)).collect()
        }),
    };
    let seconds = curves(&|m| m.by_seconds.iter().map(|p| point(p.seconds, &p.accuracy)).collect());
    let fractions: Vec<ErrorCurvesAt> =
        (0..report.methods.first().map_or(0, |m| m.error_curves.len()))
            .map(|i| ErrorCurvesAt {
                fraction: report.methods[0].error_curves[i].fraction,
                curves: report.methods.iter().map(|m| curve(m, &m.error_curves[i], None)).collect(),
            })
            .collect();
    let all: Vec<ErrorCurve> = report
        .methods
        .iter()
        .filter_map(|m| Some(curve(m, m.error_curves.last()?, Some(m.verification.eer.mean))))
        .collect();
    let scores = ScoreDistributions {
        score: "log-likelihood ratio to the cohort (nats)".to_owned(),
        methods: study
            .methods
            .iter()
            .filter_map(|m| {
                let claims = m.splits.first()?.curves.claims.last()?;
                Some(MethodScores {
                    method: m.method.clone(),
                    genuine: claims.genuine.clone(),
                    impostor: claims.impostor.clone(),
                    threshold: None,
                })
            })
            .collect(),
    };
    let mut drawings = vec![
        ("densities", reader_densities(&portrait.densities)),
        ("accuracy", accuracy_curves(&accuracy)),
        ("errors", error_curves(&all)),
        ("errors-by-fraction", error_curves_by_fraction(&fractions)),
        ("det", det_curves(&all)),
        ("seconds", accuracy_over_seconds(&seconds)),
        ("scores", score_distributions(&scores)),
        ("calibration", reader_calibration(&portrait.calibration)),
        ("scanpath", scanpath(&portrait.scanpath)),
    ];
    if let Some(worse) = &report.robustness {
        let size = Robustness::telling_size(&report.protocol.probe_sentences);
        drawings.push(("robustness", robustness(&worse.curves(size))));
    }
    drawings
}

fn point(x: f64, accuracy: &Estimate) -> CurvePoint {
    CurvePoint { x, mean: accuracy.mean, se: accuracy.se.unwrap_or(0.0) }
}

fn curve(method: &MethodReport, curve: &ErrorCurveReport, eer: Option<f64>) -> ErrorCurve {
    let points = curve
        .points
        .iter()
        .map(|p| ErrorPoint { false_reject: p.false_rejects, false_accept: p.false_accepts })
        .collect();
    ErrorCurve { method: method.method.clone(), points, eer }
}
