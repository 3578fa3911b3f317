//! Attacks on simulated readers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::Limits;
use gazeprint::method::{self, Method, Unwatched};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::attacks::{Alteration, Attack, AttackTally, SizeAttacks};
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::study::{DividedCorpus, Forgetful, Plan, Study};

fn divided(readers: usize, lines: usize) -> DividedCorpus {
    let texts = 48 / lines;
    let params = SimulationParams { readers, texts, lines, coverage: 1.0, ..Default::default() };
    let plan = Plan {
        protocol: Protocol {
            division: Division::Random { splits: 1, train_fraction: 0.5 },
            seed: 1,
        },
        readers: None,
        probe_sentences: vec![3],
        limits: Limits::default(),
        attacks: true,
        watch: None,
        strangers: false,
    };
    DividedCorpus::new(params.build().unwrap().run(), plan).unwrap()
}

/// Tallies of an attack, summed over readers.
fn sum(size: &SizeAttacks, attack: Attack) -> AttackTally {
    let (_, tallies) = size.tallies.iter().find(|(a, _)| *a == attack).unwrap();
    let mut sum = AttackTally::default();
    for tally in tallies {
        sum.claims += tally.claims;
        sum.replayed += tally.replayed;
        sum.lifeless += tally.lifeless;
        for i in 0..sum.accepted.len() {
            assert!(tally.guarded[i] <= tally.accepted[i] && tally.accepted[i] <= tally.claims);
            sum.accepted[i] += tally.accepted[i];
            sum.guarded[i] += tally.guarded[i];
        }
    }
    sum
}

#[test]
fn replays_and_forgeries_pass_unless_they_are_caught() {
    for lines in [1, 2] {
        let divided = divided(16, lines);
        let methods: Vec<Box<dyn Method>> = vec![
            Box::new(method::population(method::DayShares::default())),
            Box::new(method::landwehr()),
        ];
        let study = Study::run(&divided, &methods, &Unwatched, &Forgetful).unwrap();
        for (method, forged) in study.methods.iter().zip([true, false]) {
            let split = &method.splits[0];
            let attacks = split.attacks.as_ref().unwrap();
            assert_eq!(attacks.weights.is_some(), forged);
            assert_eq!(attacks.by_size.len(), 2);
            for (size, plain) in attacks.by_size.iter().zip([&split.by_sentences[0], &split.all]) {
                let part = |attack, of: &dyn Fn(&AttackTally) -> usize| {
                    let sum = sum(size, attack);
                    of(&sum) as f64 / sum.claims as f64
                };
                let [genuine, insider, stranger] =
                    [Attack::Genuine, Attack::Insider, Attack::Stranger].map(|a| sum(size, a));
                assert_eq!(genuine.claims, plain.probes);
                assert_eq!((insider.claims, stranger.claims), (15 * plain.probes, insider.claims));
                // Thresholds are those for strangers; who is enrolled is accepted as another less
                // often. The study's own are for those who are enrolled, and lower.
                let count = |of: &dyn Fn(&gazeprint_eval::study::ReaderTally) -> usize| {
                    plain.by_reader.iter().map(of).sum::<usize>()
                };
                for i in 0..2 {
                    assert!(insider.accepted[i] <= stranger.accepted[i]);
                    assert!(stranger.accepted[i] <= count(&|t| t.accepted_as_stranger[i]));
                    assert!(genuine.accepted[i] <= genuine.claims - count(&|t| t.rejected[i]));
                }
                let matched = stranger.accepted[0] as f64 / stranger.claims as f64;
                assert!(matched < 0.03, "{lines}: {matched} at 0.01");
                assert_eq!(genuine.replayed, 0);
                for replay in [
                    Attack::Replay,
                    Attack::Altered(Alteration::Noise),
                    Attack::Altered(Alteration::Stretch),
                    Attack::Altered(Alteration::Shift),
                ] {
                    assert!(part(replay, &|t| t.replayed) > 0.97, "{lines} {replay:?}");
                    assert!(part(replay, &|t| t.guarded[0]) < 0.03);
                }
                // Pieces of short sentences over other ones: some fixations miss the words.
                for shuffled in [Alteration::Shuffle, Alteration::Disguise] {
                    assert!(part(Attack::Altered(shuffled), &|t| t.replayed) > 0.5, "{shuffled:?}");
                }
                let own = part(Attack::Genuine, &|t| t.accepted[0]);
                assert!(part(Attack::Replay, &|t| t.accepted[0]) >= own);
                assert_eq!(size.tallies.len(), if forged { 12 } else { 9 });
                assert_eq!(size.liveness.is_some(), forged);
                if forged {
                    let target = part(Attack::Forgery, &|t| t.accepted[0]);
                    assert!(target > 0.8 * own, "{target} {own}");
                    assert!(target > 2.0 * part(Attack::PopulationForgery, &|t| t.accepted[0]));
                    assert_eq!(part(Attack::Forgery, &|t| t.replayed), 0.0);
                    // Fewer texts and other people make a poorer template.
                    let outsider = part(Attack::OutsiderForgery, &|t| t.accepted[0]);
                    assert!(outsider <= target, "{outsider} {target}");
                    assert_eq!(part(Attack::OutsiderForgery, &|t| t.replayed), 0.0);
                    for attack in [Attack::Forgery, Attack::Replay] {
                        let missed = [0, 1].map(|k| part(attack, &|t| t.missed[k]));
                        let not_replayed = 1.0 - part(attack, &|t| t.replayed);
                        assert!(missed[1] <= missed[0] && missed[0] <= not_replayed + 1e-12);
                    }
                    assert!(part(Attack::Genuine, &|t| t.lifeless) < 0.15);
                }
            }
        }
    }
}
