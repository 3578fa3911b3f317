//! Studies of small simulated corpora.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::RefCell;
use std::collections::BTreeMap;

use gazeprint::corpus::Limits;
use gazeprint::method::{self, Method, Unwatched};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::study::{
    DividedCorpus, Forgetful, Keeper, Plan, ProbeScores, SplitResult, Study,
};

fn divided(readers: usize, texts: usize, splits: usize) -> DividedCorpus {
    let params = SimulationParams { readers, texts, coverage: 1.0, ..Default::default() };
    let division = Division::Random { splits, train_fraction: 0.5 };
    let plan = Plan {
        protocol: Protocol { division, seed: 1 },
        readers: None,
        probe_sentences: vec![1, 3, 5],
        limits: Limits::default(),
    };
    DividedCorpus::new(params.build().unwrap().run(), plan).unwrap()
}

fn methods() -> Vec<Box<dyn Method>> {
    vec![Box::new(method::landwehr()), Box::new(method::Holland::unweighted())]
}

fn report(divided: &DividedCorpus, study: &Study) -> Report {
    let manifest = Manifest {
        version: String::new(),
        commit: None,
        seed: 1,
        threads: 1,
        corpus_sha256: String::new(),
        arguments: Vec::new(),
    };
    Report::of(divided, study, manifest)
}

/// Thresholds and calibration come from training texts; on the test texts they should hold.
#[test]
fn error_rates_and_ratios_hold_on_texts_that_had_no_part_in_them() {
    let divided = divided(60, 80, 2);
    let study = Study::run(&divided, &methods(), &Unwatched, &Forgetful).unwrap();
    for method in &report(&divided, &study).methods {
        for size in &method.by_sentences {
            let name = format!("{}, {} sentences", method.method, size.sentences);
            let verification = &size.verification;
            let [cllr, least] =
                [&verification.cllr, &verification.cllr_min].map(|c| c.unwrap().mean);
            assert!(least <= cllr && cllr < least + 0.05, "{name}: {cllr} {least}");
            for point in verification.fnmr_at.iter().filter(|p| p.fmr > 5e-4) {
                let ratio = point.fmr_observed.mean / point.fmr;
                assert!((0.4..1.6).contains(&ratio), "{name}, {}: {ratio}", point.fmr);
                assert!(point.supported);
                let [low, high] = point.fnmr.ci95.unwrap();
                assert!(low <= point.fnmr.mean && point.fnmr.mean <= high);
            }
        }
        // 3540 test comparisons cannot show one in ten thousand.
        let lowest = method.verification.fnmr_at.last().unwrap();
        assert_eq!((lowest.fmr, lowest.supported), (1e-4, false));
        assert_eq!(lowest.impostor_comparisons[1], 60 * 59);
    }
}

/// The two methods are held against each other, at every size of probes and with everything.
#[test]
fn methods_are_paired() {
    let divided = divided(12, 30, 2);
    let study = Study::run(&divided, &methods(), &Unwatched, &Forgetful).unwrap();
    let report = report(&divided, &study);
    let sizes: Vec<Option<usize>> = report.paired.iter().map(|p| p.sentences).collect();
    assert_eq!(sizes, [Some(1), Some(3), Some(5), None]);
    for pair in &report.paired {
        assert_eq!((pair.a.as_str(), pair.b.as_str()), ("landwehr", "holland-unweighted"));
        let [low, high] = pair.ci95;
        assert!(low <= pair.difference && pair.difference <= high);
        assert_eq!(pair.significant, low > 0.0 || high < 0.0);
    }
}

/// Keeps everything in memory, and says how often it was asked to.
#[derive(Default)]
struct Memory {
    results: RefCell<BTreeMap<(String, usize), SplitResult>>,
    kept: RefCell<usize>,
}

impl Keeper for Memory {
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult> {
        self.results.borrow().get(&(method.to_owned(), split)).cloned()
    }

    fn keep(
        &self,
        method: &str,
        split: usize,
        result: &SplitResult,
        scores: &[ProbeScores],
    ) -> Result<(), String> {
        assert_eq!(scores.len(), result.readers.len());
        for probe in scores {
            assert_eq!(probe.scores.len(), result.readers.len());
            assert_eq!(probe.ratios.as_ref().unwrap().len(), result.readers.len());
        }
        self.results.borrow_mut().insert((method.to_owned(), split), result.clone());
        *self.kept.borrow_mut() += 1;
        Ok(())
    }
}

#[test]
fn what_was_kept_is_not_computed_again() {
    let divided = divided(6, 20, 3);
    let memory = Memory::default();
    let first = Study::run(&divided, &methods(), &Unwatched, &memory).unwrap();
    assert_eq!(*memory.kept.borrow(), 6);
    memory.results.borrow_mut().remove(&("landwehr".to_owned(), 1)).unwrap();
    let second = Study::run(&divided, &methods(), &Unwatched, &memory).unwrap();
    assert_eq!(*memory.kept.borrow(), 7, "only what was missing");
    let json = |study: &Study| {
        let mut report = report(&divided, study);
        for method in &mut report.methods {
            (method.tune_seconds, method.fit_seconds, method.score_seconds) = (0.0, 0.0, 0.0);
        }
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(json(&first), json(&second));
}

/// Scores that a method without folds leaves uncalibrated are reported without rates.
#[test]
fn without_texts_to_calibrate_on_there_are_no_thresholds() {
    let divided = divided(4, 2, 1);
    let study = Study::run(&divided, &methods(), &Unwatched, &Forgetful).unwrap();
    for method in &report(&divided, &study).methods {
        assert!(method.verification.cllr.is_none() && method.verification.fnmr_at.is_empty());
        assert!(method.thresholds.is_empty());
    }
}
