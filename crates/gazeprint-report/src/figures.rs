//! The figures of a study.

use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::report::{ErrorCurveReport, Estimate, MethodReport, Report};
use gazeprint_eval::robustness::{Outcome, Robustness};
use gazeprint_eval::study::Study;

use crate::figure::data::{
    AccuracyCurves, CurvePoint, ErrorCurve, ErrorCurvesAt, ErrorPoint, MethodCurve, MethodScores,
    RobustnessCurves, ScoreDistributions,
};
use crate::figure::{
    Drawing, accuracy_curves, accuracy_over_seconds, det_curves, error_curves,
    error_curves_by_fraction, reader_calibration, reader_densities, robustness, scanpath,
    score_distributions,
};

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
        drawings.push(("robustness", robustness(&worse_recordings(worse, size))));
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

/// Accuracy on worse recordings, at one size of probes.
fn worse_recordings(worse: &Robustness, sentences: Option<usize>) -> RobustnessCurves {
    let noise = worse.position_noise.iter().map(|level| (level.sd_chars, &level.outcome));
    let duration = worse.min_duration.iter().map(|level| (level.min_duration_ms, &level.outcome));
    RobustnessCurves {
        sentences,
        by_noise: curves(noise, sentences),
        by_duration: curves(duration, sentences),
    }
}

/// One curve a method; a size that was not tried has no points.
fn curves<'a>(
    levels: impl Iterator<Item = (f64, &'a Outcome)>,
    sentences: Option<usize>,
) -> Vec<MethodCurve> {
    let mut curves: Vec<MethodCurve> = Vec::new();
    for (x, outcome) in levels {
        for (place, method) in outcome.methods.iter().enumerate() {
            if place == curves.len() {
                curves.push(MethodCurve { method: method.method.clone(), points: Vec::new() });
            }
            let at_size = method.accuracy.iter().find(|a| a.sentences == sentences);
            let point =
                at_size.map(|a| CurvePoint { x, mean: a.mean, se: a.se.unwrap_or_default() });
            curves[place].points.extend(point);
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use gazeprint_eval::robustness::{
        DurationLevel, MIN_DURATIONS, MethodAccuracy, NOISE_SD, NoiseLevel, ProbeAccuracy,
    };

    use super::*;

    fn outcome() -> Outcome {
        let accuracy = vec![ProbeAccuracy { sentences: Some(1), mean: 0.75, se: None }];
        Outcome {
            dropped_share: 0.0,
            methods: vec![MethodAccuracy { method: "landwehr".into(), accuracy }],
            missing: None,
        }
    }

    #[test]
    fn the_figure_shows_every_level() {
        let mut worse = Robustness {
            splits: 1,
            position_noise: NOISE_SD
                .map(|sd_chars| NoiseLevel { sd_chars, outcome: outcome() })
                .into(),
            min_duration: MIN_DURATIONS
                .map(|min_duration_ms| DurationLevel { min_duration_ms, outcome: outcome() })
                .into(),
        };
        let drawing = robustness(&worse_recordings(&worse, Some(1)));
        assert_eq!(drawing.csv.lines().count(), 1 + NOISE_SD.len() + MIN_DURATIONS.len());
        assert!(drawing.csv.contains("\nmin_duration,landwehr,150,"), "{}", drawing.csv);
        // A size that was not tried.
        assert!(worse_recordings(&worse, Some(7)).by_noise[0].points.is_empty());
        // A level that cannot be studied.
        worse.min_duration[2].outcome.methods.clear();
        let without = worse_recordings(&worse, Some(1));
        assert_eq!(without.by_duration[0].points.len(), MIN_DURATIONS.len() - 1);
    }
}
