//! What worse recordings do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::OnceLock;

use gazeprint::assignment::{Assignment, Role};
use gazeprint::corpus::{Chars, Corpus, DropReason, Fixation, Limits, Millis, Scanpath, Text};
use gazeprint::inference::{Engine, Laplace};
use gazeprint::method::{self, Method, Monitor, People, Scoring, Unwatched, landwehr};
use gazeprint::saccade::readings;
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::robustness::{
    Levels, MIN_DURATIONS, MOST_SPLITS, NOISE_SD, Robustness, with_position_noise,
};
use gazeprint_eval::study::{
    DividedCorpus, Forgetful, Keeper, Plan, ProbeScores, SplitResult, Study, StudyError,
    StudyMonitor,
};

/// Readers of sentences in groups of two, with a fixation here and there whose position is not known.
fn corpus() -> Corpus {
    let params = SimulationParams { readers: 16, texts: 24, coverage: 1.0, ..Default::default() };
    let simulated = params.build().unwrap().run();
    let group = |(i, text): (usize, &Text)| {
        let mut text = text.clone();
        text.group = Some(format!("g{}", i / 2));
        text
    };
    let texts = simulated.texts().iter().enumerate().map(group).collect();
    let mut paths = simulated.scanpaths().to_vec();
    paths.iter_mut().step_by(5).for_each(|path| path.fixations[0].x = None);
    Corpus::new("c", simulated.readers().to_vec(), texts, paths).unwrap()
}

fn random(splits: usize) -> Protocol {
    Protocol { division: Division::Random { splits, train_fraction: 0.5 }, seed: 1 }
}

fn plan() -> Plan {
    Plan {
        protocol: random(5),
        readers: None,
        probe_sentences: vec![1, 3],
        attacks: false,
        watch: None,
        strangers: false,
        limits: Limits::default(),
    }
}

fn methods() -> Vec<Box<dyn Method>> {
    vec![Box::new(landwehr())]
}

fn run(plan: &Plan) -> Robustness {
    found(&DividedCorpus::new(corpus(), plan.clone()).unwrap())
}

fn found(divided: &DividedCorpus) -> Robustness {
    let study = Study::run(divided, &methods(), &Unwatched, &Forgetful).unwrap();
    Levels::of(divided).run(&study, &methods(), &Unwatched, &Forgetful).unwrap()
}

/// Of the plan, computed once for all tests.
fn robustness() -> &'static Robustness {
    static FOUND: OnceLock<Robustness> = OnceLock::new();
    FOUND.get_or_init(|| run(&plan()))
}

fn fixations(corpus: &Corpus) -> impl Iterator<Item = &Fixation> {
    corpus.scanpaths().iter().flat_map(|path| &path.fixations)
}

/// What was added to the positions.
fn pushes(before: &Corpus, after: &Corpus) -> Vec<f64> {
    let pairs = fixations(before).zip(fixations(after));
    pairs.filter_map(|(a, b)| Some(b.x?.0 - a.x?.0)).collect()
}

#[test]
fn no_noise_changes_nothing() {
    let corpus = corpus();
    assert_eq!(with_position_noise(&corpus, Chars(0.0), 1), corpus);
}

#[test]
fn noise_is_normal_and_on_positions_alone() {
    let corpus = corpus();
    let noisy = with_position_noise(&corpus, Chars(0.5), 1);
    assert_eq!(noisy.texts(), corpus.texts());
    let restored = |(a, b): (&Fixation, &Fixation)| {
        a.x.is_some() == b.x.is_some() && *a == Fixation { x: a.x, ..*b }
    };
    assert!(fixations(&corpus).zip(fixations(&noisy)).all(restored));

    let pushes = pushes(&corpus, &noisy);
    let n = pushes.len() as f64;
    let moment = |k: i32| pushes.iter().map(|p| (p / 0.5).powi(k)).sum::<f64>() / n;
    // Within five standard errors.
    let close = |found: f64, wanted: f64, variance: f64| {
        assert!((found - wanted).abs() < 5.0 * (variance / n).sqrt(), "{found}, not {wanted}");
    };
    assert!(n > 3000.0);
    close(moment(1), 0.0, 1.0);
    close(moment(2), 1.0, 2.0);
    close(moment(4), 3.0, 96.0);
    let neighbours = pushes.windows(2).map(|w| w[0] * w[1] / 0.25).sum::<f64>() / n;
    close(neighbours, 0.0, 1.0);
}

#[test]
fn noise_keeps_its_directions_and_depends_on_the_seed() {
    let corpus = corpus();
    let noise = |sd, seed| pushes(&corpus, &with_position_noise(&corpus, Chars(sd), seed));
    let (small, large) = (noise(0.25, 1), noise(4.0, 1));
    assert!(small.iter().zip(&large).all(|(s, l)| (16.0 * s - l).abs() < 1e-9));
    assert_eq!(noise(4.0, 1), large);
    assert_ne!(noise(4.0, 2), large);
}

#[test]
fn fixations_pushed_off_the_text_are_dropped() {
    let corpus = corpus();
    let found = robustness();
    let at = |sd| {
        let noisy = with_position_noise(&corpus, Chars(sd), plan().protocol.seed);
        let drops = readings(&noisy, plan().limits).1;
        (drops.of(DropReason::OffText), drops.total() as f64 / corpus.fixation_count() as f64)
    };
    assert!(at(4.0).0 > at(0.0).0 + 100);
    for level in &found.position_noise {
        assert_eq!(level.outcome.dropped_share, at(level.sd_chars).1);
    }
    let shares: Vec<f64> = found.position_noise.iter().map(|l| l.outcome.dropped_share).collect();
    assert!(shares.windows(2).all(|w| w[0] <= w[1]), "{shares:?}");
    let shares: Vec<f64> = found.min_duration.iter().map(|l| l.outcome.dropped_share).collect();
    assert!(shares.windows(2).all(|w| w[0] <= w[1]) && shares[0] < shares[4], "{shares:?}");
}

#[test]
fn the_level_of_the_plan_is_its_study() {
    let found = robustness();
    let plan = plan();
    assert_eq!(found.splits, MOST_SPLITS);
    assert_eq!(found.position_noise.iter().map(|l| l.sd_chars).collect::<Vec<_>>(), NOISE_SD);
    assert_eq!(
        found.min_duration.iter().map(|l| l.min_duration_ms).collect::<Vec<_>>(),
        MIN_DURATIONS
    );
    assert_eq!(plan.limits.durations()[0], Millis(MIN_DURATIONS[1]));
    let undisturbed = &found.position_noise[0].outcome;
    assert_eq!(*undisturbed, found.min_duration[1].outcome);

    let divided = DividedCorpus::new(corpus(), plan).unwrap();
    let study = Study::run(&divided, &methods(), &Unwatched, &Forgetful).unwrap();
    let splits = &study.methods[0].splits[..MOST_SPLITS];
    let mean = |accuracies: Vec<f64>| accuracies.iter().sum::<f64>() / MOST_SPLITS as f64;
    let wanted = [
        (Some(1), mean(splits.iter().map(|s| s.by_sentences[0].accuracy).collect())),
        (Some(3), mean(splits.iter().map(|s| s.by_sentences[1].accuracy).collect())),
        (None, mean(splits.iter().map(|s| s.all.accuracy).collect())),
    ];
    let method = &undisturbed.methods[0];
    assert_eq!(method.method, "landwehr");
    assert!(method.accuracy.iter().all(|a| a.se.is_some_and(|se| se >= 0.0)));
    let accuracies = method.accuracy.iter().map(|a| (a.sentences, a.mean));
    for (found, wanted) in accuracies.zip(wanted) {
        assert_eq!(found.0, wanted.0);
        assert!((found.1 - wanted.1).abs() < 1e-12);
    }
}

#[test]
fn much_noise_costs_accuracy() {
    let levels = &robustness().position_noise;
    let (clean, worst) = (&levels[0], &levels[levels.len() - 1]);
    assert_eq!((clean.sd_chars, worst.sd_chars), (0.0, 4.0));
    let [clean, worst] = [clean, worst].map(|level| {
        let accuracy = &level.outcome.methods[0].accuracy;
        accuracy.iter().find(|a| a.sentences == Some(3)).unwrap().mean
    });
    assert!(clean - worst > 0.1, "{clean} to {worst}");
    assert!(worst > 1.0 / 16.0, "durations still tell readers apart");
}

#[test]
fn the_same_bytes_again() {
    let plan = Plan { protocol: random(1), ..plan() };
    let text = |found: &Robustness| serde_json::to_string(found).unwrap();
    let first = text(&run(&plan));
    assert_eq!(text(&run(&plan)), first);
    assert!(first.contains("\"sd_chars\":0.25,\"dropped_share\":"), "{first}");
    assert!(first.contains("\"sentences\":null,\"mean\":"), "{first}");
    let back: Robustness = serde_json::from_str(&first).unwrap();
    assert_eq!(back.splits, 1);
    let single = &back.position_noise[0].outcome.methods[0].accuracy[0];
    assert_eq!(single.se, None);
}

#[test]
fn levels_beyond_the_longest_duration_are_left_out() {
    let limits = Limits::new(Millis(0.0), Millis(150.0)).unwrap();
    let plan = Plan { protocol: random(1), limits, ..plan() };
    let found = run(&plan);
    assert_eq!(found.min_duration.len(), 4);
}

/// Only one reader has fixations of more than 80 ms.
#[test]
fn a_level_that_cannot_be_studied_is_missing() {
    let whole = corpus();
    let short = |path: &Scanpath| {
        let mut path = path.clone();
        if path.reader > 0 {
            let lasting = |d: Millis| Millis(60.0 + d.0 % 15.0);
            path.fixations.iter_mut().for_each(|f| f.duration = f.duration.map(lasting));
        }
        path
    };
    let paths = whole.scanpaths().iter().map(short).collect();
    let corpus = Corpus::new("c", whole.readers().to_vec(), whole.texts().to_vec(), paths).unwrap();
    let divided = DividedCorpus::new(corpus, Plan { protocol: random(1), ..plan() }).unwrap();
    assert_eq!(Levels::of(&divided).studies(), NOISE_SD.len() + MIN_DURATIONS.len() - 5);
    let found = found(&divided);
    for (level, kept) in found.min_duration.iter().zip([true, true, false, false, false]) {
        assert_eq!(level.outcome.methods.is_empty(), !kept);
        assert_eq!(level.outcome.missing.is_none(), kept);
    }
    let reason = found.min_duration[2].outcome.missing.as_deref().unwrap();
    assert!(reason.contains("split 1 has 1"), "{reason}");
}

/// Remembers what was kept, by name, and fails after so many.
struct Memory {
    kept: RefCell<BTreeMap<(String, usize), SplitResult>>,
    most: Cell<usize>,
}

impl Keeper for Memory {
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult> {
        self.kept.borrow().get(&(method.to_owned(), split)).cloned()
    }

    fn keep(
        &self,
        method: &str,
        split: usize,
        result: &SplitResult,
        scores: &[ProbeScores],
    ) -> Result<(), String> {
        assert!(scores.is_empty());
        let mut kept = self.kept.borrow_mut();
        if kept.len() == self.most.get() {
            return Err("full".to_owned());
        }
        assert!(kept.insert((method.to_owned(), split), result.clone()).is_none());
        Ok(())
    }
}

#[test]
fn levels_go_on_after_an_interruption_and_have_three_splits_of_a_file() {
    let corpus = corpus();
    let row = |split: u32, path: &Scanpath| Assignment {
        split,
        reader: corpus.readers()[path.reader].clone(),
        text: corpus.texts()[path.text].id().to_owned(),
        session: None,
        trial: None,
        role: match (path.text as u32 + split).is_multiple_of(2) {
            true => Role::Train,
            false => Role::Test,
        },
    };
    let row = &row;
    let rows = (1..=4).flat_map(|split| corpus.scanpaths().iter().map(move |p| row(split, p)));
    let protocol = Protocol { division: Division::Given(rows.collect()), seed: 1 };
    // Readers that were not drawn are in the file all the same.
    let plan = Plan { protocol, readers: Some(4), ..plan() };
    let divided = DividedCorpus::new(corpus.clone(), plan).unwrap();
    let study = Study::run(&divided, &methods(), &Unwatched, &Forgetful).unwrap();
    let memory = Memory { kept: RefCell::default(), most: Cell::new(8) };
    let run = || Levels::of(&divided).run(&study, &methods(), &Unwatched, &memory);
    assert!(matches!(run(), Err(StudyError::Keep { .. })));
    memory.most.set(usize::MAX);
    let found = run().unwrap();
    assert_eq!(found.splits, MOST_SPLITS);
    let kept = memory.kept.borrow();
    assert_eq!(kept.len(), MOST_SPLITS * Levels::of(&divided).studies());
    assert!(kept.contains_key(&("noise-0.25/landwehr".to_owned(), 2)));
    assert!(kept.contains_key(&("shortest-150/landwehr".to_owned(), 0)));
}

/// Stops from the start.
struct Stopped;

impl Monitor for Stopped {
    fn expect(&self, _: u64) {}

    fn advance(&self, _: u64) {}

    fn stop(&self) -> bool {
        true
    }
}

impl StudyMonitor for Stopped {
    fn begin(&self, _: &str, _: usize, _: usize) {}
}

/// Methods that are fitted at once never asked, and a study of them went on.
#[test]
fn every_method_stops() {
    let divided = DividedCorpus::new(corpus(), plan()).unwrap();
    for name in method::NAMES {
        let method = method::by_name(
            name,
            Engine::Laplace(Laplace::default()),
            Scoring::PosteriorMean,
            People::shipped(),
        )
        .unwrap();
        let stopped = Study::run(&divided, &[method], &Stopped, &Forgetful).unwrap_err();
        assert!(stopped.is_interruption(), "{name}");
    }
}
