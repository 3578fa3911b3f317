//! The same fit on any number of threads gives the same scores, bit by bit.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use gazeprint::corpus::Limits;
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Step};
use gazeprint::method::{Method, People, Scoring, Training, Unwatched, by_name, semiparametric};
use gazeprint::saccade::readings;
use gazeprint::simulate::SimulationParams;
use gazeprint::template::Probe;

const READERS: usize = 4;

/// The scores of held-out readings by a method fitted on this many threads.
fn scores(method: &dyn Method, threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let params =
            SimulationParams { readers: READERS, texts: 8, coverage: 0.8, ..Default::default() };
        let corpus = params.build().unwrap().run();
        let (train, held_out): (Vec<_>, Vec<_>) =
            readings(&corpus, Limits::default()).0.into_iter().partition(|r| r.text < 6);
        let training =
            Training::new(READERS, train.iter().map(|r| (r.reader, r)).collect()).unwrap();
        let fitted = method.fit(&training, 42, &Unwatched).unwrap();
        let probes: Vec<Probe> = held_out.iter().map(|r| fitted.scorer.probe(r)).collect();
        let all = Probe::merged(&probes);
        probes
            .iter()
            .chain([&all])
            .flat_map(|p| fitted.scorer.scores(p))
            .map(|score| {
                assert!(score.is_finite());
                score.to_bits()
            })
            .collect()
    })
}

fn check(method: &dyn Method) {
    let one = scores(method, 1);
    assert_eq!(one, scores(method, 2), "{}", method.name());
}

#[test]
fn laplace_does_not_depend_on_threads() {
    for scoring in [Scoring::PosteriorMean, Scoring::FullAverage { draws: 16 }] {
        check(&semiparametric(Engine::Laplace(Laplace::default()), scoring));
    }
}

#[test]
fn laplace_with_fallback_does_not_depend_on_threads() {
    let nuts = Nuts { chains: 1, tune: 30, draws: 30 };
    let engine = Engine::Laplace(Laplace::new(0.04, 0.012, 512, Some(nuts)));
    check(&semiparametric(engine, Scoring::PosteriorMean));
}

#[test]
fn nuts_does_not_depend_on_threads() {
    let nuts = Nuts { chains: 2, tune: 30, draws: 30 };
    for scoring in [Scoring::PosteriorMean, Scoring::FullAverage { draws: 16 }] {
        check(&semiparametric(Engine::Nuts(nuts), scoring));
    }
}

#[test]
fn metropolis_does_not_depend_on_threads() {
    let metropolis = Metropolis { iterations: 400, burn_in: 200, step: Step::Adapted };
    for scoring in [Scoring::PosteriorMean, Scoring::FullAverage { draws: 16 }] {
        check(&semiparametric(Engine::Metropolis(metropolis), scoring));
    }
}

#[test]
fn no_method_depends_on_threads() {
    // There are no kinematics in what is simulated.
    for name in gazeprint::method::NAMES.into_iter().filter(|name| *name != "oculomotor") {
        let engine = Engine::Laplace(Laplace::default());
        check(by_name(name, engine, Scoring::PosteriorMean, People::shipped()).unwrap().as_ref());
    }
}
