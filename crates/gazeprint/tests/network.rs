//! The network in Rust makes what PyTorch makes of the same inputs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Instant;

use gazeprint::method::People;
use gazeprint::network::Input;
use serde::Deserialize;

/// What PyTorch made of some inputs (`training/cases.py`).
#[derive(Deserialize)]
struct Case {
    inputs: Vec<Vec<f32>>,
    embedding: Vec<f32>,
}

fn cases() -> Vec<(Vec<Input>, Vec<f32>)> {
    let cases: Vec<Case> = serde_json::from_str(include_str!("fixtures/network.json")).unwrap();
    let input = |row: Vec<f32>| Input::try_from(row).unwrap();
    let case = |case: Case| (case.inputs.into_iter().map(input).collect(), case.embedding);
    cases.into_iter().map(case).collect()
}

#[test]
fn embeddings_are_those_of_pytorch() {
    let network = People::shipped().network();
    for (inputs, expected) in cases() {
        let found = network.embed(&inputs).unwrap();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-5, "{}: {found} {expected}", inputs.len());
        }
    }
    assert_eq!(network.embed(&[]), None);
}

/// The whole of 12 fixations in a fifth of a millisecond on one idle core; this bound is for busy ones.
#[test]
fn a_reading_is_embedded_at_once() {
    let network = People::shipped().network();
    let (inputs, _) = cases().into_iter().find(|(inputs, _)| inputs.len() == 12).unwrap();
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        std::hint::black_box(network.embed(std::hint::black_box(&inputs)));
        best = best.min(start.elapsed().as_secs_f64());
    }
    assert!(best < 1e-3, "{best} s");
    println!("{:.0} us", 1e6 * best);
}
