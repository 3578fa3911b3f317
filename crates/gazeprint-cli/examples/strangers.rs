//! How often people who are not enrolled, and had no part in the population, are accepted.
//!
//! ```text
//! cargo run --release -p gazeprint-cli --example strangers -- CORPUS [SPLITS]
//! ```
//!
//! Readers and texts are halved at random. One half of the readers is enrolled from one half of the
//! texts, by a gallery's own means; the other half makes claims with the other texts. For intervals,
//! readers are drawn anew in both roles: those who make claims, and those who are claimed.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashSet;
use std::path::Path;

use gazeprint::corpus::Limits;
use gazeprint::method::{Occasion, Population, Template, Training, Unwatched};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::{Reading, readings};
use gazeprint::score::Scorer;
use gazeprint::template::Probe;
use gazeprint_eval::decision::{Rules, ratios_to_cohort};
use rand::seq::SliceRandom;

const RATES: [f64; 3] = [0.05, 0.01, 0.001];
const LENGTHS: [usize; 5] = [1, 3, 5, 10, usize::MAX];

#[derive(Default, Clone)]
struct Tally {
    /// Who made the claims, or read as themselves.
    reader: usize,
    /// With everybody who was claimed to be them: false claims that were accepted.
    accepted: Vec<(usize, [f64; RATES.len()])>,
    taken: [f64; RATES.len()],
    probes: f64,
    rejected: [f64; RATES.len()],
    true_claims: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: strangers CORPUS [SPLITS]")?;
    let splits: u64 = arguments.next().map_or(Ok(3), |n| n.parse())?;
    let corpus = gazeprint_io::read_corpus(Path::new(&folder))?;
    let (all, _) = readings(&corpus, Limits::default());
    let mut tallies = vec![Vec::<Tally>::new(); LENGTHS.len()];
    for split in 0..splits {
        let mut rng = Stream { seed: 1, index: stream::SPLITS + split }.chain(0);
        let mut order: Vec<usize> = (0..corpus.readers().len()).collect();
        order.shuffle(&mut rng);
        let enrolled = order[..order.len() / 2].to_vec();
        let mut units: Vec<usize> =
            all.iter().map(|r| r.unit).collect::<HashSet<_>>().into_iter().collect();
        units.sort_unstable();
        units.shuffle(&mut rng);
        let trained: HashSet<usize> = units[..units.len() / 2].iter().copied().collect();
        let place = |r: &Reading| enrolled.iter().position(|e| *e == r.reader);
        let train: Vec<(usize, &Reading)> = all
            .iter()
            .filter(|r| trained.contains(&r.unit))
            .filter_map(|r| Some((place(r)?, r)))
            .collect();
        let population = Population::learn(enrolled.len(), &train, &Unwatched)?;
        let templates: Vec<Template> = (0..enrolled.len())
            .map(|reader| {
                let own: Vec<&Reading> =
                    train.iter().filter(|(r, _)| *r == reader).map(|(_, r)| *r).collect();
                population.template(&own)
            })
            .collect();
        let gallery = population.background().scorer(&templates)?;
        let training = Training::new(enrolled.len(), train)?.for_probes_of(Occasion::Another);
        let folds = population.folds(&training, 1, &Unwatched)?;
        let rules =
            Rules::learn(&gallery, &folds, &training, 1).ok_or("too little to learn from")?;
        for reader in 0..corpus.readers().len() {
            let mut test: Vec<&Reading> =
                all.iter().filter(|r| r.reader == reader && !trained.contains(&r.unit)).collect();
            if test.is_empty() {
                continue;
            }
            test.shuffle(&mut rng);
            let own = enrolled.iter().position(|e| *e == reader);
            for (tallies, m) in tallies.iter_mut().zip(LENGTHS) {
                let claimed = enrolled.iter().map(|reader| (*reader, [0.0; RATES.len()]));
                let mut tally = Tally { reader, accepted: claimed.collect(), ..Tally::default() };
                for chunk in test.chunks(m.min(test.len())) {
                    let probes: Vec<Probe> = chunk.iter().map(|r| gallery.probe(r)).collect();
                    let probe = Probe::merged(&probes);
                    let ratios = ratios_to_cohort(&gallery.scores(&probe));
                    let best = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    for (i, rate) in RATES.into_iter().enumerate() {
                        let claim = rules.for_claim(rate, probe.fixations()).ratio;
                        match own {
                            Some(own) => {
                                tally.rejected[i] += f64::from(u8::from(ratios[own] < claim));
                            }
                            None => {
                                for (ratio, (_, accepted)) in ratios.iter().zip(&mut tally.accepted)
                                {
                                    accepted[i] += f64::from(u8::from(*ratio >= claim));
                                }
                                let known = rules.for_stranger(rate, probe.fixations()).ratio;
                                tally.taken[i] += f64::from(u8::from(best >= known));
                            }
                        }
                    }
                    match own {
                        Some(_) => tally.true_claims += 1.0,
                        None => tally.probes += 1.0,
                    }
                }
                tallies.push(tally);
            }
        }
    }
    println!(
        "sentences  rate   false matches [95 %]         false alarms [95 %]          false non-matches"
    );
    for (tallies, m) in tallies.iter().zip(LENGTHS) {
        for (i, rate) in RATES.into_iter().enumerate() {
            // Errors and trials of a tally, for how often each reader was drawn.
            type Of<'a> = &'a dyn Fn(&Tally, &[f64]) -> [f64; 2];
            let of = |count: Of<'_>| {
                let part = |drawn: &[f64]| {
                    let mut sums = [0.0; 2];
                    for tally in tallies {
                        let [errors, trials] = count(tally, drawn);
                        sums[0] += drawn[tally.reader] * errors;
                        sums[1] += drawn[tally.reader] * trials;
                    }
                    sums[0] / sums[1]
                };
                let n = corpus.readers().len();
                let mut values: Vec<f64> = (0..1000u64)
                    .map(|draw| {
                        use rand::RngExt;
                        let mut rng = Stream { seed: draw, index: stream::BOOTSTRAP }.chain(0);
                        let mut drawn = vec![0.0; n];
                        (0..n).for_each(|_| drawn[rng.random_range(0..n)] += 1.0);
                        part(&drawn)
                    })
                    .collect();
                values.sort_by(f64::total_cmp);
                format!("{:.5} [{:.5}, {:.5}]", part(&vec![1.0; n]), values[25], values[974])
            };
            let false_matches = |t: &Tally, drawn: &[f64]| {
                let mut sums = [0.0; 2];
                for (claimed, accepted) in &t.accepted {
                    sums[0] += drawn[*claimed] * accepted[i];
                    sums[1] += drawn[*claimed] * t.probes;
                }
                sums
            };
            let name = if m == usize::MAX { "all".to_owned() } else { m.to_string() };
            println!(
                "{name:>9}  {rate:<5}  {:<27}  {:<27}  {}",
                of(&false_matches),
                of(&|t, _| [t.taken[i], t.probes]),
                of(&|t, _| [t.rejected[i], t.true_claims]),
            );
        }
    }
    Ok(())
}
