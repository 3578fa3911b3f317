//! Strangers among simulated readers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::Limits;
use gazeprint::method::{self, DayShares, Method, Unwatched};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::report::{Estimate, Manifest, MethodStrangers, Report, StrangersAtRate};
use gazeprint_eval::strangers::{STRANGER_RATES, SplitStrangers};
use gazeprint_eval::study::{DividedCorpus, Forgetful, Plan, Study};

fn studied(division: Division) -> (Vec<SplitStrangers>, MethodStrangers) {
    let params = SimulationParams { readers: 24, texts: 80, coverage: 1.0, ..Default::default() };
    let plan = Plan {
        protocol: Protocol { division, seed: 1 },
        readers: None,
        probe_sentences: vec![1, 10],
        limits: Limits::default(),
        attacks: false,
        watch: None,
        strangers: true,
    };
    let divided = DividedCorpus::new(params.build().unwrap().run(), plan).unwrap();
    let methods: Vec<Box<dyn Method>> = vec![Box::new(method::population(DayShares::default()))];
    let study = Study::run(&divided, &methods, &Unwatched, &Forgetful).unwrap();
    let manifest = Manifest {
        version: String::new(),
        commit: None,
        seed: 1,
        threads: 1,
        corpus_sha256: String::new(),
        arguments: Vec::new(),
    };
    let report = Report::of(&divided, &study, manifest);
    let splits = study.methods[0].splits.iter().map(|split| split.strangers.clone().unwrap());
    (splits.collect(), report.strangers.unwrap().remove(0))
}

fn sound(part: &Estimate) {
    let [low, high] = part.ci95.unwrap();
    assert!((0.0..=1.0).contains(&low) && low <= high && high <= 1.0, "{part:?}");
    assert!(low <= part.mean + 1e-9 && part.mean <= high + 1e-9, "{part:?}");
}

#[test]
fn more_seconds_name_more_readers_and_no_more_strangers() {
    let (splits, judged) = studied(Division::Random { splits: 2, train_fraction: 0.5 });
    assert_eq!((judged.enrolled, judged.strangers), (12, 12));
    let seconds: Vec<f64> = judged.by_seconds.iter().map(|timed| timed.seconds).collect();
    assert!(seconds.len() > 3 && seconds.is_sorted(), "{seconds:?}");
    for timed in &judged.by_seconds {
        assert!(timed.probes >= 12 && timed.genuine_probes >= 12, "{timed:?}");
        assert_eq!(timed.rates.len(), STRANGER_RATES.len());
        for StrangersAtRate { named, fpir, fmr, fnmr, misnamed, .. } in &timed.rates {
            [named, fpir, fmr, fnmr, misnamed].into_iter().for_each(sound);
        }
    }
    let named = |place: usize| judged.by_seconds[place].rates[0].named.mean;
    assert!(named(seconds.len() - 1) > named(0) + 0.3, "{:?}", judged.by_seconds);
    let last = judged.by_seconds.last().unwrap();
    assert!(last.rates[0].fpir.mean < 0.35, "{:?}", last.rates[0]);
    // What is said of strangers is what was counted, whoever they were taken for.
    for (place, size) in judged.by_size.iter().enumerate() {
        let parts = splits.iter().map(|split| {
            let tallies = &split.by_size[place].judged.strangers;
            let alarms: usize = tallies.iter().flat_map(|t| &t.alarms).map(|a| a[0]).sum();
            alarms as f64 / tallies.iter().map(|t| t.probes).sum::<usize>() as f64
        });
        let mean = parts.sum::<f64>() / splits.len() as f64;
        assert!((size.rates[0].fpir.mean - mean).abs() < 1e-12, "{mean}: {:?}", size.rates[0]);
    }
}

#[test]
fn strangers_are_judged_in_temporal_splits_too() {
    let (splits, judged) = studied(Division::Temporal { train_fraction: 0.5 });
    assert_eq!(splits.len(), 1);
    assert!(!judged.by_seconds.is_empty());
    // With nothing seen in one division, an interval is what twelve strangers allow.
    let none = |at: &&StrangersAtRate| at.fpir.mean == 0.0;
    for at in judged.by_size.iter().flat_map(|size| &size.rates).filter(none) {
        let [low, high] = at.fpir.ci95.unwrap();
        assert!(low == 0.0 && (high - (1.0 - 0.025_f64.powf(1.0 / 12.0))).abs() < 1e-9, "{at:?}");
    }
}
