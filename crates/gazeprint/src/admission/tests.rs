use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::learn::best_of;
use super::*;
use crate::random::Stream;

/// Trials of a corpus in which the first ground tells people apart, and the others are noise. Strangers
/// reach so much more by the first ground, and readers as each other a little less.
fn alike(number: u64, people: usize, gain: f64, more: f64) -> Vec<Round> {
    let mut random = Stream { seed: 3, index: number }.chain(0);
    let (mut trials, mut insiders) = (Vec::new(), Vec::new());
    for person in 0..people {
        let own = (person < people / 2).then_some(person);
        for size in 0..6 {
            let fixations = 10 * (1 << size) + random.random_range(0..5);
            let n = f64::from(fixations).sqrt();
            let mut noise = || -> f64 { StandardNormal.sample(&mut random) };
            let claims: Vec<Claim> = (0..people / 2)
                .map(|reader| {
                    let is_own = f64::from(u8::from(own == Some(reader)));
                    let first = gain * n * n * (2.0 * is_own - 1.0) + n * (noise() + more);
                    let grounds = [first, noise(), noise(), noise()];
                    Claim { grounds, ..Claim::default() }
                })
                .collect();
            let best = (0..claims.len())
                .max_by(|&a, &b| claims[a].grounds[0].total_cmp(&claims[b].grounds[0]));
            let (best, fixations) = (best.unwrap(), fixations as usize);
            if let Some(own) = own {
                let mut claims = claims.clone();
                claims.remove(own);
                claims.iter_mut().for_each(|claim| claim.grounds[0] -= 0.3 * n);
                insiders.push(Insider { fixations, claims });
            }
            trials.push(Trial { person, texts: size, fixations, claims, best, own });
        }
    }
    vec![Round { trials, insiders }]
}

fn corpus(number: u64, people: usize, gain: f64) -> Vec<Round> {
    alike(number, people, gain, 0.0)
}

fn learned() -> Admission {
    let corpora: Vec<Vec<Round>> = (0..4).map(|i| corpus(i, 160, 0.15)).collect();
    Admission::learn(&corpora).unwrap()
}

/// How often the best of 32 reaches the threshold of a rate.
fn strangers_reach(admission: &Admission, round: &Round, rate: f64, lean: Lean) -> f64 {
    let mut strangers = [0.0, 0.0];
    for trial in round.strangers() {
        let scores = trial.claims.iter().map(|c| admission.score(c, trial.fixations));
        let best = scores.take(32).fold(f64::NEG_INFINITY, f64::max);
        let fixations = trial.fixations as f64;
        let threshold = lean.at(fixations) + admission.threshold(rate, fixations, 32);
        strangers[0] += f64::from(u8::from(best >= threshold));
        strangers[1] += 1.0;
    }
    strangers[0] / strangers[1]
}

#[test]
fn strangers_of_another_corpus_reach_what_they_may() {
    let admission = learned();
    let strange = &corpus(9, 600, 0.15)[0];
    for (rate, bounds) in [(0.2, 0.1..0.3), (0.05, 0.02..0.09), (0.01, 0.002..0.025)] {
        let found = strangers_reach(&admission, strange, rate, Lean::default());
        assert!(bounds.contains(&found), "{rate}: {found}");
    }
}

#[test]
fn thresholds_lean_on_readers_who_resemble_each_other() {
    let corpora: Vec<Vec<Round>> =
        (0..8).map(|i| alike(i, 160, 0.15, 0.25 * i as f64 - 1.0)).collect();
    let admission = Admission::learn(&corpora).unwrap();
    let share = admission.leaning.unwrap().share;
    assert!(share > 0.5, "{share}");
    for more in [-0.6, 0.0, 0.6] {
        let strange = &alike(9, 600, 0.15, more)[0];
        let insiders = admission.insiders(strange);
        let insiders = || insiders.iter().map(|one| (one.fixations, &*one.scores));
        let lean = admission.lean(strange.readers(), insiders());
        let [with, without] =
            [lean, Lean::default()].map(|by| strangers_reach(&admission, strange, 0.05, by));
        // Rates are those of corpora worse than most.
        assert!((0.01..0.1).contains(&with), "{more}: {with}, without {without}");
        assert!(more == 0.0 || (with - 0.05).abs() < (without - 0.05).abs(), "{more}");
        // Few readers are believed less, and nobody says nothing.
        assert!(admission.lean(3, insiders()).at(60.0).abs() <= lean.at(60.0).abs());
        assert_eq!(admission.lean(0, std::iter::empty()), Lean::default());
    }
}

#[test]
fn genuine_claims_score_more_than_those_of_strangers() {
    let admission = learned();
    let mut right = [0, 0];
    for trial in corpus(9, 100, 0.15)[0].trials.iter().filter(|trial| trial.own.is_some()) {
        let own = trial.own.unwrap();
        let [own, other] = [own, (own + 1) % trial.claims.len()].map(|r| &trial.claims[r]);
        let score = |claim| admission.score(claim, trial.fixations);
        right[0] += usize::from(score(own) > score(other));
        right[1] += usize::from(own.grounds[0] > other.grounds[0]);
    }
    // Nearly as often as by the one ground that tells them apart, which it has to find among noise.
    assert!(right[0] * 10 >= right[1] * 9, "{right:?}");
}

#[test]
fn thresholds_rise_with_readers_and_with_rarer_errors_for_ever() {
    let admission = learned();
    for fixations in [1.0, 8.0, 37.0, 400.0, 5000.0] {
        let mut before = f64::NEG_INFINITY;
        for readers in [1, 2, 3, 10, 100, 10_000, 1_000_000, 1_000_000_000] {
            let threshold = admission.threshold(0.01, fixations, readers);
            assert!(threshold >= before, "{fixations} {readers}");
            assert!(admission.threshold(0.001, fixations, readers) >= threshold);
            before = threshold;
        }
        assert!(before > admission.threshold(0.01, fixations, 1_000_000), "{fixations}");
    }
}

#[test]
fn where_thresholds_do_not_rise_with_readers_that_were_seen_they_still_do_beyond() {
    let mut admission = learned();
    // So rare that chance decided: the same for all.
    for table in &mut admission.thresholds {
        table.iter_mut().for_each(|row| row[GRID.len() - 1] = 50.0);
    }
    let at = |readers| admission.threshold(1e-4, 60.0, readers);
    assert!(at(10_000) > at(100) && at(1_000_000) > at(10_000), "{} {}", at(100), at(10_000));
}

#[test]
fn thresholds_go_on_rising_also_where_few_numbers_of_readers_are_known() {
    let corpora: Vec<Vec<Round>> = (0..4).map(|i| corpus(i, 16, 0.15)).collect();
    let admission = Admission::learn(&corpora).unwrap();
    assert!(admission.thresholds.len() <= LEANING + 1);
    let at = |readers: usize| admission.threshold(0.05, 60.0, readers);
    assert!(at(8) < at(1_000) && at(1_000) < at(10_000), "{} {}", at(8), at(10_000));
}

#[test]
fn claims_are_refused_as_often_as_asked_in_galleries_of_few_and_of_many() {
    let corpora: Vec<Vec<Round>> =
        (0..8).map(|i| alike(i, 160, 0.15, 0.25 * i as f64 - 1.0)).collect();
    let admission = Admission::learn(&corpora).unwrap();
    for more in [-0.6, 0.0, 0.6] {
        let strange = &alike(9, 600, 0.15, more)[0];
        let insiders = admission.insiders(strange);
        let readers = strange.readers();
        let lean = admission.lean(readers, insiders.iter().map(|i| (i.fixations, &*i.scores)));
        let mut reached = [0, 0];
        for trial in strange.strangers() {
            let fixations = trial.fixations as f64;
            let threshold =
                lean.at(fixations) + admission.claim_threshold(0.05, fixations, readers);
            let claims = trial.claims.iter().map(|c| admission.score(c, trial.fixations));
            reached[0] += claims.filter(|score| *score >= threshold).count();
            reached[1] += trial.claims.len();
        }
        let part = reached[0] as f64 / reached[1] as f64;
        assert!((0.01..0.09).contains(&part), "{more}: {part}");
    }
    // Where nothing leans, thresholds are of all such galleries, which differ: they are higher.
    let [one, of_many] = [1, 100].map(|n| admission.claim_threshold(0.01, 60.0, n));
    assert!(one > of_many, "{one} {of_many}");
    assert_eq!(one, admission.threshold(0.01, 60.0, 1));
}

#[test]
fn a_pair_of_people_counts_once() {
    let two_ways = || {
        let [mut first] = <[Round; 1]>::try_from(corpus(1, 40, 0.15)).unwrap();
        let mut second = first.clone();
        // Who was enrolled is a stranger now.
        second.trials.iter_mut().for_each(|trial| trial.person = (trial.person + 20) % 40);
        first.insiders.truncate(60);
        vec![first, second]
    };
    let corpora: Vec<Vec<Round>> = (0..3).map(|_| two_ways()).collect();
    assert_eq!(Admission::learn(&corpora).unwrap().support(), [3 * 40, 3 * 20 * 20]);
}

#[test]
fn the_best_of_some_is_that_of_a_random_draw() {
    let scores = [5.0, 3.0, 2.0, -1.0];
    let mut parts = Vec::new();
    best_of(&scores, 2, |score, part| parts.push((score, part)));
    // Of six pairs, three have the first, two the second but not the first, one the third.
    for ((score, part), (expected, of)) in parts.iter().zip([(5.0, 3.0), (3.0, 2.0), (2.0, 1.0)]) {
        assert!(*score == expected && (part - of / 6.0).abs() < 1e-12, "{parts:?}");
    }
}

#[test]
fn it_is_stored_and_checked() {
    let admission = learned();
    let json = serde_json::to_string(&admission).unwrap();
    assert_eq!(serde_json::from_str::<Admission>(&json).unwrap(), admission);
    let broken = json.replacen("\"coefficients\":[", "\"coefficients\":[1.0,", 1);
    assert!(serde_json::from_str::<Admission>(&broken).is_err());
    // Earlier ones know nothing of what is usual, and score as they did.
    let mut before: serde_json::Value = serde_json::from_str(&json).unwrap();
    before.as_object_mut().unwrap().remove("leaning");
    let coefficients = before["coefficients"].as_array_mut().unwrap();
    coefficients.drain(2 * GROUNDS..FORMS);
    let before: Admission = serde_json::from_value(before).unwrap();
    let claim = Claim { grounds: [3.0, -1.0, 0.5, 9.0], ..Claim::default() };
    assert_eq!(before.score(&claim, 60), admission.score(&claim, 60));
    let unusual = Claim { usual: [5.0; GROUNDS], ..claim };
    assert_eq!(before.score(&unusual, 60), before.score(&claim, 60));
    assert!(Admission::learn(&[]).is_none());
}
