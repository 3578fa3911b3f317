//! Watches of simulated readers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::Limits;
use gazeprint::decision::{WatchParams, increments};
use gazeprint::method::{self, DayShares, Method, Population, Template, Unwatched};
use gazeprint::saccade::{Reading, readings};
use gazeprint::score::Scorer;
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::study::{DividedCorpus, Forgetful, Plan, Study};
use gazeprint_eval::vigil::{Swap, Vigil};

fn params() -> SimulationParams {
    SimulationParams { readers: 20, texts: 80, coverage: 1.0, ..Default::default() }
}

/// What fixations add, one by one, is what the reading scores whose end is not known to be one.
#[test]
fn increments_add_up() {
    let (all, _) = readings(&params().build().unwrap().run(), Limits::default());
    let (train, test): (Vec<&Reading>, Vec<&Reading>) = all.iter().partition(|r| r.text % 2 == 0);
    let numbered: Vec<(usize, &Reading)> = train.iter().map(|r| (r.reader, *r)).collect();
    let population = Population::learn(20, &numbered, &DayShares::default(), &Unwatched).unwrap();
    let templates: Vec<Template> = (0..20)
        .map(|reader| {
            let own: Vec<&Reading> = train.iter().filter(|r| r.reader == reader).copied().collect();
            population.template(&own)
        })
        .collect();
    let scorer = population.background().scorer(&templates).unwrap();
    for reading in test.iter().step_by(37) {
        let probe = scorer.probe(&Reading { complete: false, ..(*reading).clone() });
        let whole = scorer.scores(&probe);
        let mut sum = [0.0; 20];
        for added in increments(&scorer, reading) {
            sum.iter_mut().zip(scorer.settle(&added)).for_each(|(sum, added)| *sum += added);
        }
        let population = scorer.population(&probe, &whole);
        for (reader, (sum, whole)) in sum.iter().zip(&whole).enumerate() {
            assert!((sum - whole).abs() < 1e-9, "{sum} {whole}");
            let parts = scorer.evidence(&probe, reader);
            let parts = parts.types + parts.amplitudes + parts.durations;
            assert!((parts - (whole - population)).abs() < 1e-9, "{parts}");
        }
    }
}

#[test]
fn readers_are_accepted_others_rejected_and_swaps_noticed() {
    let plan = Plan {
        protocol: Protocol {
            division: Division::Random { splits: 1, train_fraction: 0.5 },
            seed: 1,
        },
        readers: None,
        probe_sentences: vec![3],
        limits: Limits::default(),
        attacks: false,
        watch: Some(WatchParams { false_accepts: 0.05, false_rejects: 0.05, window: 100 }),
        strangers: false,
    };
    let divided = DividedCorpus::new(params().build().unwrap().run(), plan).unwrap();
    let methods: Vec<Box<dyn Method>> = vec![Box::new(method::population(DayShares::default()))];
    let study = Study::run(&divided, &methods, &Unwatched, &Forgetful).unwrap();
    let vigils = study.methods[0].splits[0].vigils.as_ref().unwrap();
    let vigils = &vigils.by_reader;
    let decided = |vigils: &[Vigil], accepted: bool| {
        vigils.iter().filter(|v| v.accepted == Some(accepted)).count() as f64 / vigils.len() as f64
    };
    let genuine: Vec<Vigil> = vigils.iter().map(|v| v.genuine).collect();
    let impostor: Vec<Vigil> = vigils.iter().flat_map(|v| v.impostor.clone()).collect();
    assert_eq!(genuine.len(), 20);
    assert!(genuine.iter().chain(&impostor).all(|v| v.seconds > 0.0));
    let [right, wrong] = [true, false].map(|accepted| decided(&genuine, accepted));
    assert!(right > 0.5 && wrong <= 0.15, "genuine: {right} accepted, {wrong} rejected");
    let [right, wrong] = [false, true].map(|accepted| decided(&impostor, accepted));
    assert!(right > 0.5 && wrong <= 0.15, "impostors: {right} rejected, {wrong} accepted");
    let swaps: Vec<Swap> = vigils.iter().filter_map(|v| v.swap).collect();
    let noticed = swaps.iter().filter(|swap| swap.seconds.is_some()).count();
    assert!(2 * noticed > swaps.len(), "{swaps:?}");
}
