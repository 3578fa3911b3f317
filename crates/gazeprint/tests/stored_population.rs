//! Populations that are stored and come back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::OnceLock;

use gazeprint::corpus::Limits;
use gazeprint::inference::{Engine, Laplace};
use gazeprint::method::{DayShares, Population, ReaderPosterior, SharedDensity, Unwatched};
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use serde_json::Value;

const READERS: usize = 6;

fn simulated() -> Vec<Reading> {
    let params =
        SimulationParams { readers: READERS + 1, texts: 20, coverage: 1.0, ..Default::default() };
    readings(&params.build().unwrap().run(), Limits::default()).0
}

/// All readers but the last.
fn learned() -> &'static Population {
    static LEARNED: OnceLock<Population> = OnceLock::new();
    LEARNED.get_or_init(|| {
        let readings = simulated();
        let others: Vec<(usize, &Reading)> =
            readings.iter().filter(|r| r.reader < READERS).map(|r| (r.reader, r)).collect();
        Population::learn(READERS, &others, &DayShares::default(), &Unwatched).unwrap()
    })
}

fn enroll(population: &Population, readings: &[&Reading]) -> ReaderPosterior {
    let engine = Engine::Laplace(Laplace::default());
    population.enroll(&engine, readings, |density: &SharedDensity| density.stream(1, READERS))
}

/// Debug output tells all numbers apart, to the last bit.
#[test]
fn a_stored_population_is_the_same_and_enrolls_a_new_reader_alike() {
    let text = serde_json::to_string(learned()).unwrap();
    let again: Population = serde_json::from_str(&text).unwrap();
    assert!(format!("{:?}", learned()) == format!("{again:?}"), "rebuilt, but not the same");
    assert!(serde_json::to_string(&again).unwrap() == text);

    let readings = simulated();
    let own: Vec<&Reading> = readings.iter().filter(|r| r.reader == READERS).collect();
    for own in [&own[..], &[]] {
        let (before, after) = (enroll(learned(), own), enroll(&again, own));
        assert!(format!("{before:?}") == format!("{after:?}"), "{} readings", own.len());
    }
    let usual = DayShares::default();
    assert_eq!(learned().traits(&usual), again.traits(&usual));
}

/// What a changed document is refused for.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut value = serde_json::to_value(learned()).unwrap();
    change(&mut value);
    serde_json::from_value::<Population>(value).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_a_population_is_refused() {
    let refused = |what: &str, change: &dyn Fn(&mut Value)| {
        let refusal = refusal(change);
        assert!(refusal.contains(what), "{refusal:?} does not say {what:?}");
    };
    refused("missing field `variance`", &|v| _ = v.as_object_mut().unwrap().remove("variance"));
    refused("unknown field `name`", &|v| v["name"] = "anna".into());
    refused("variance: found -1.0, expected a positive number", &|v| v["variance"] = (-1.0).into());
    refused("invalid type: null", &|v| v["variance"] = Value::Null);
    refused("session_shares: found 17 coefficients, expected 18", &|v| {
        _ = v["session_shares"].as_array_mut().unwrap().pop();
    });
    for share in [0.0, 1.0] {
        refused("session_shares: found", &|v| v["session_shares"][3] = share.into());
    }
    refused("aims: found 4 kinds of saccades, expected 5", &|v| {
        _ = v["aims"].as_array_mut().unwrap().pop();
    });
    refused("aims: found 11 coefficients, expected 17", &|v| v["aims"][2] = v["durations"].clone());
    refused("aim_features: found \"x\"", &|v| v["aim_features"][0] = "x".into());
    refused("joint: found 11 coefficients", &|v| v["joint"] = v["durations"].clone());
    refused("joint: found 1.0, expected a mean of 0", &|v| v["joint"]["mean"][0] = 1.0.into());
    refused("invalid length 10", &|v| _ = v["centre"].as_array_mut().unwrap().pop());
    refused("type_features: found \"weather\", expected \"first of a pass\"", &|v| {
        v["type_features"][1] = "weather".into();
    });
    refused("duration_features: found 10 names, expected 11", &|v| {
        _ = v["duration_features"].as_array_mut().unwrap().pop();
    });
    refused("types: found 11 coefficients, expected 110", &|v| {
        v["types"] = v["durations"].clone();
    });
    refused("found a mean of 110 numbers and a covariance of 6104, expected the 6105", &|v| {
        _ = v["types"]["covariance"].as_array_mut().unwrap().pop();
    });
    refused("prior covariance of 11 coefficients is not positive definite", &|v| {
        v["durations"]["covariance"][2] = (-0.5).into();
    });
    refused("densities: found alpha0, alpha1, alpha1bar, alpha2, alpha3, alpha4, d", &|v| {
        v["densities"].as_array_mut().unwrap().swap(9, 10);
    });
    refused("densities: found , expected alpha0", &|v| v["densities"] = Value::Array(vec![]));
    refused("found the density \"beta\"", &|v| v["densities"][0]["density"] = "beta".into());
}

#[test]
fn what_cannot_be_a_density_is_refused() {
    for (what, field, number, value) in [
        ("alpha1: found a support from -1.0 to", "support", 0, -1.0),
        ("alpha1: found a support from 0.0 to -3.0,", "support", 1, -3.0),
        ("alpha1: found a support from 1e300 to", "support", 0, 1e300),
        ("too large or small", "support", 1, 1e-320),
        ("too large or small", "pooled", 0, 1e308),
    ] {
        let refusal = refusal(|v| v["densities"][1][field][number] = value.into());
        assert!(refusal.contains(what), "{refusal:?} does not say {what:?}");
    }
    for (what, field, value) in [
        ("alpha1: found sigma -1.0 and amplitude 1.0", "sigma", -1.0),
        ("amplitude 0.0, expected positive", "amplitude", 0.0),
        // Another length has other features.
        ("pooled coefficients and a prior of", "sigma", 1e-300),
        ("pooled coefficients and a prior of", "sigma", 1e300),
    ] {
        let refusal = refusal(|v| v["densities"][1]["process"][field] = value.into());
        assert!(refusal.contains(what), "{refusal:?} does not say {what:?}");
    }
    let gamma = refusal(|v| v["densities"][1]["process"] = Value::Null);
    assert!(gamma.contains("expected 2 of each"), "{gamma}");
}

#[test]
fn traits_are_those_of_reading() {
    let traits = learned().traits(&DayShares::default());
    for density in &traits.densities {
        let [lower, upper] = density.support;
        assert!(lower < density.mean && density.mean < upper, "{density:?}");
        assert!(density.sd > 0.0 && density.sd < upper - lower, "{density:?}");
        assert!(density.between_readers > 0.0 && density.between_readers < upper, "{density:?}");
    }
    let next = &traits.densities[3];
    assert!(next.density == "alpha2" && (4.0..12.0).contains(&next.mean), "{next:?}");
    let duration = &traits.densities[8];
    assert!(duration.unit == "ms" && (150.0..350.0).contains(&duration.mean), "{duration:?}");
    let names: Vec<&str> = traits.moves.iter().map(|m| m.name).collect();
    assert_eq!(names, ["refixation", "forward_skip", "regression", "leave", "refixation_left"]);
    let of = |traits: &[gazeprint::method::Trait], name: &str| {
        *traits.iter().find(|t| t.feature == name).unwrap()
    };
    // Long words are refixated, and looked at on the last word the eye leaves.
    assert!(of(&traits.moves[0].coefficients, "ln(word / 5 letters)").mean > 0.0);
    assert!(of(&traits.moves[3].coefficients, "last word of the line").mean > 0.0);
    assert!(traits.durations.iter().all(|t| t.between_readers > 0.0));
    assert_eq!(traits.landings.len(), 5);
    // One number for the moves, the durations, five kinds of landings and eleven densities.
    assert_eq!(traits.session_shares.len(), 18);
    // Everybody came but once, and everything else was seen.
    assert!(traits.session_shares.iter().all(|share| share.assumed));
    assert!(!traits.densities.iter().any(|density| density.assumed));
    assert!(!traits.moves.iter().any(|of| of.coefficients[0].assumed));
}
