//! Figures filled from a study.

use gazeprint::method::Score;
use gazeprint_eval::report::{
    Estimate, MethodFindings, MethodStrangers, Report, StrangersAtRate, SweptErrors,
};
use gazeprint_eval::robustness::{Outcome, Robustness};

use super::Findings;
use crate::figure::data::{
    AccuracyCurves, CurvePoint, ErrorCurve, ErrorCurvesAt, MethodCurve, MethodNames, MethodScores,
    NamedAtRate, PartPoint, RobustnessCurves,
};
use crate::figure::{self, Drawing};

pub(super) fn accuracy(findings: &Findings<'_>) -> Option<Drawing> {
    let curves = AccuracyCurves {
        by_fraction: by_method(findings.report, |m| {
            m.by_fraction.iter().map(|p| point(p.fraction, &p.accuracy)).collect()
        }),
        by_readers: by_method(findings.report, |m| {
            m.by_readers.iter().map(|p| point(p.readers as f64, &p.accuracy)).collect()
        }),
    };
    Some(figure::accuracy_curves(&curves))
}

pub(super) fn seconds(findings: &Findings<'_>) -> Option<Drawing> {
    let curves = by_method(findings.report, |m| {
        m.by_seconds.iter().map(|p| point(p.seconds, &p.accuracy)).collect()
    });
    Some(figure::accuracy_over_seconds(&curves))
}

pub(super) fn errors(findings: &Findings<'_>) -> Option<Drawing> {
    Some(figure::error_curves(&with_all_sentences(findings.report)))
}

pub(super) fn det(findings: &Findings<'_>) -> Option<Drawing> {
    Some(figure::det_curves(&with_all_sentences(findings.report)))
}

pub(super) fn errors_by_fraction(findings: &Findings<'_>) -> Option<Drawing> {
    Some(figure::error_curves_by_fraction(&findings.errors_by_fraction()))
}

impl Findings<'_> {
    /// Errors of all methods, for each part of the test sentences.
    pub(crate) fn errors_by_fraction(&self) -> Vec<ErrorCurvesAt> {
        let methods = &self.report.methods;
        let first = methods.first().map_or(&[][..], |m| &m.error_curves);
        let parts = first.iter().enumerate().map(|(i, part)| ErrorCurvesAt {
            fraction: part.fraction,
            curves: methods
                .iter()
                .filter_map(|m| Some(curve(m, m.error_curves.get(i)?, None)))
                .collect(),
        });
        parts.collect()
    }
}

pub(super) fn scores(findings: &Findings<'_>) -> Option<Drawing> {
    let methods = findings.study.methods.iter().filter_map(|m| {
        let claims = m.splits.first()?.curves.claims.last()?;
        Some(MethodScores {
            method: m.method.clone(),
            genuine: claims.genuine.clone(),
            impostor: claims.impostor.clone(),
            score: score(m.score).to_owned(),
        })
    });
    Some(figure::score_distributions(&methods.collect::<Vec<_>>()))
}

/// What claims are judged by.
fn score(score: Score) -> &'static str {
    match score {
        Score::LogLikelihood => "log-likelihood ratio to the cohort (nats)",
        Score::LogSimilarity => "log ratio of similarities to the cohort",
    }
}

/// Rates of strangers that are drawn; lower ones need more strangers than a study has.
const DRAWN: [f64; 3] = [0.05, 0.01, 0.001];

pub(super) fn strangers(findings: &Findings<'_>) -> Option<Drawing> {
    let judged = findings.report.strangers.iter().flatten();
    let timed = judged.filter(|judged| !judged.by_seconds.is_empty());
    let methods: Vec<MethodNames> = timed.map(names).collect();
    (!methods.is_empty()).then(|| figure::names_over_seconds(&methods))
}

pub(super) fn robustness(findings: &Findings<'_>) -> Option<Drawing> {
    let worse = findings.report.robustness.as_ref()?;
    let size = Robustness::telling_size(&findings.report.protocol.probe_sentences);
    Some(figure::robustness(&worse_recordings(worse, size)))
}

pub(super) fn densities(findings: &Findings<'_>) -> Option<Drawing> {
    let densities = &findings.portrait.densities;
    (!densities.densities.is_empty()).then(|| figure::reader_densities(densities))
}

pub(super) fn calibration(findings: &Findings<'_>) -> Option<Drawing> {
    let calibration = &findings.portrait.calibration;
    (!calibration.densities.is_empty()).then(|| figure::reader_calibration(calibration))
}

pub(super) fn scanpath(findings: &Findings<'_>) -> Option<Drawing> {
    let scanpath = &findings.portrait.scanpath;
    (!scanpath.lines.is_empty()).then(|| figure::scanpath(scanpath))
}

fn by_method(report: &Report, points: fn(&MethodFindings) -> Vec<CurvePoint>) -> Vec<MethodCurve> {
    let methods = report.methods.iter();
    methods.map(|m| MethodCurve { method: m.method.clone(), points: points(m) }).collect()
}

fn point(x: f64, accuracy: &Estimate) -> CurvePoint {
    CurvePoint { x, mean: accuracy.mean, se: accuracy.se.unwrap_or(f64::NAN) }
}

/// What a method named, at each rate that is drawn.
fn names(judged: &MethodStrangers) -> MethodNames {
    let points = |rate: f64, part: fn(&StrangersAtRate) -> &Estimate| -> Vec<PartPoint> {
        let at = |seconds: f64, rates: &[StrangersAtRate]| {
            let part = part(rates.iter().find(|at| at.rate == rate)?);
            let [low, high] = part.ci95.unwrap_or([part.mean; 2]);
            Some(PartPoint { x: seconds, part: part.mean, low, high })
        };
        judged.by_seconds.iter().filter_map(|timed| at(timed.seconds, &timed.rates)).collect()
    };
    let rates = DRAWN.map(|rate| NamedAtRate {
        rate,
        readers: points(rate, |at| &at.named),
        strangers: points(rate, |at| &at.fpir),
    });
    MethodNames { method: judged.method.clone(), rates: rates.to_vec() }
}

/// Errors with all test sentences, and where they are equal.
fn with_all_sentences(report: &Report) -> Vec<ErrorCurve> {
    let eer = |m: &MethodFindings| Some(m.verification.eer.mean);
    let methods = report.methods.iter();
    methods.filter_map(|m| Some(curve(m, m.error_curves.last()?, eer(m)))).collect()
}

fn curve(method: &MethodFindings, curve: &SweptErrors, eer: Option<f64>) -> ErrorCurve {
    ErrorCurve { method: method.method.clone(), points: curve.points.clone(), eer }
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
                at_size.map(|a| CurvePoint { x, mean: a.mean, se: a.se.unwrap_or(f64::NAN) });
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
        let drawing = figure::robustness(&worse_recordings(&worse, Some(1)));
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
