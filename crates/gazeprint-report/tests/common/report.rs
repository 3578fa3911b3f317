//! A report with every field filled by hand.

use std::collections::BTreeMap;

use gazeprint::method::Score;
use gazeprint_eval::report::*;

/// Method, engine, accuracy with all test sentences, area, equal error rate.
const METHODS: [(&str, Option<&str>, f64, f64, f64); 4] = [
    ("semiparametric", Some("laplace"), 0.953, 5.04e-5, 0.0028),
    ("landwehr", None, 0.882, 2.9e-4, 0.0073),
    ("landwehr-ta", None, 0.672, 3.1e-3, 0.0242),
    ("holland-weighted", None, 0.196, 6.8e-2, 0.1429),
];
const SIZES: [usize; 4] = [1, 3, 5, 10];
const RATES: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// A report of up to four methods.
pub(crate) fn report(methods: usize, splits: usize) -> Report {
    let methods: Vec<MethodFindings> =
        METHODS.iter().take(methods).map(|m| method(*m, splits)).collect();
    Report {
        schema_version: SCHEMA_VERSION,
        corpus: StudiedCorpus {
            name: "sentences".into(),
            readers: 251,
            texts: 144,
            fixations: 292_686,
            dropped: [("off_text".into(), 1025), ("too_short".into(), 732), ("off_line".into(), 0)]
                .into(),
            excluded_readers: vec!["anna".into(), "ben".into()],
        },
        protocol: StudyProtocol {
            split: "random".into(),
            splits,
            names: Vec::new(),
            seed: 7,
            train_fraction: Some(0.5),
            readers: None,
            readers_by_split: vec![251; splits],
            probe_sentences: SIZES.to_vec(),
            durations_ms: [50.0, 1500.0],
        },
        paired: paired(&methods),
        methods,
        robustness: None,
        attacks: None,
        watch: None,
        strangers: None,
        manifest: Manifest {
            version: "0.1.0".into(),
            commit: Some("0123abc".into()),
            seed: 7,
            threads: 2,
            corpus_sha256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
                .into(),
            arguments: vec!["study".into(), "my corpus".into(), "--out".into(), "results".into()],
        },
    }
}

fn estimate(mean: f64, splits: usize) -> Estimate {
    Estimate {
        mean,
        se: (splits > 1).then_some(mean / 40.0),
        ci95: Some([mean * 0.9, (mean * 1.1).min(1.0)]),
    }
}

fn verification(eer: f64, splits: usize) -> VerificationErrors {
    VerificationErrors {
        eer: estimate(eer, splits),
        cllr: Some(estimate(4.5 * eer, splits)),
        cllr_min: Some(estimate(4.0 * eer, splits)),
        fnmr_at: RATES
            .iter()
            .enumerate()
            .map(|(i, &fmr)| ErrorsAtThreshold {
                fmr,
                fmr_observed: estimate(1.1 * fmr, splits),
                fmr_strangers: estimate(3.0 * fmr, splits),
                fnmr: estimate((eer * 3_f64.powi(i as i32)).min(0.99), splits),
                supported: fmr > 2e-4,
                impostor_comparisons: [62_750, 15_750],
            })
            .collect(),
    }
}

fn method(
    (name, engine, accuracy, area, eer): (&str, Option<&str>, f64, f64, f64),
    splits: usize,
) -> MethodFindings {
    let at = |part: f64| estimate(accuracy * part, splits);
    let densities = ["alpha0", "alpha1bar", "delta4"];
    MethodFindings {
        method: name.into(),
        engine: engine.map(Into::into),
        score: if name.starts_with("holland") {
            Score::LogSimilarity
        } else {
            Score::LogLikelihood
        },
        tuned: Tuned {
            amplitudes: densities
                .iter()
                .filter(|_| engine.is_some())
                .map(|d| ((*d).to_owned(), vec![0.31, 0.29]))
                .collect(),
            backoff: vec![4.0, 16.0],
        },
        accuracy: at(1.0),
        cmc: [(1, at(1.0)), (5, at(1.01)), (10, at(1.02))].into(),
        verification: verification(eer, splits),
        area: estimate(area, splits),
        thresholds: RATES
            .iter()
            .flat_map(|&fmr| [Some(1), Some(10), None].map(|sentences| (fmr, sentences)))
            .map(|(fmr, sentences)| MeanThreshold {
                fmr,
                sentences,
                fixations: 8.3 * sentences.unwrap_or(36) as f64,
                threshold: estimate(-fmr.log10(), splits),
            })
            .collect(),
        by_sentences: SIZES
            .iter()
            .map(|&sentences| ProbesOfSize {
                sentences,
                probes: 180_000 / sentences,
                shorter_probes: usize::from(sentences == 10),
                accuracy: at(sentences as f64 / 10.0),
                verification: verification(eer * 10.0 / sentences as f64 / 3.0, splits),
            })
            .collect(),
        by_fraction: [0.5, 1.0]
            .map(|f| AccuracyAtFraction { fraction: f, accuracy: at(f) })
            .to_vec(),
        by_readers: [100, 251]
            .map(|r| AccuracyAmongReaders { readers: r, accuracy: at(1.0) })
            .to_vec(),
        by_seconds: [(10.0, 0.4), (60.0, 0.97)]
            .map(|(seconds, part)| AccuracyAtSeconds { seconds, accuracy: at(part) })
            .to_vec(),
        error_curves: Vec::new(),
        tune_seconds: 60.25,
        fit_seconds: 31.5,
        score_seconds: 8.75,
        diagnostics: MethodDiagnostics {
            fell: 0,
            clamped: 12,
            densities: densities
                .iter()
                .map(|d| ((*d).to_owned(), density(engine.is_some())))
                .collect::<BTreeMap<_, _>>(),
        },
    }
}

fn density(sampled: bool) -> DensityDiagnostics {
    DensityDiagnostics {
        fits: 2510,
        failed: 1,
        doubtful: if sampled { 3 } else { 0 },
        retried: 40,
        effective: sampled.then_some(812.4),
        acceptance: None,
        divergences: 0,
    }
}

fn paired(methods: &[MethodFindings]) -> Vec<AccuracyDifference> {
    let mut paired = Vec::new();
    for (i, a) in methods.iter().enumerate() {
        for b in &methods[i + 1..] {
            for sentences in [None].into_iter().chain(SIZES.map(Some)) {
                let difference = a.accuracy.mean - b.accuracy.mean;
                let half = if sentences == Some(1) { 2.0 * difference } else { 0.02 };
                paired.push(AccuracyDifference {
                    a: a.method.clone(),
                    b: b.method.clone(),
                    sentences,
                    difference,
                    ci95: [difference - half, difference + half],
                    significant: half < difference,
                });
            }
        }
    }
    paired
}
