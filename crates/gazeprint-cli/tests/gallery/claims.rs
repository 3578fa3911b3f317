//! What `identify` and `verify` answer, and what they promise.

use crate::common::{refused, stderr, stdout, succeeded};
use crate::people::{ANNA, BERT, ENROLLED, Own, SHARED, STRANGERS, answer};

#[test]
fn somebody_enrolled_is_found() {
    let own = Own::new();
    let output = own.identify(&SHARED.probe(ANNA), &["--fpir", "0.2", "--top", "3"]);
    let table = succeeded(&output);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(ANNA));
    assert!(lines.nth(1).unwrap().ends_with(" for a false-alarm rate of 0.2"), "{table}");
    let ranks: Vec<&str> = lines.skip(1).collect();
    let head = "rank  reader       posterior       llr         score     types  amplitudes  durations   embedding";
    assert_eq!(ranks[0], head);
    assert!(ranks[1].starts_with("   1  reader-r011     1.0"), "{table}");
    assert_eq!(ranks.len(), 4);
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
}

#[test]
fn a_stranger_is_unknown() {
    let own = Own::new();
    for stranger in STRANGERS {
        let output = own.identify(&SHARED.probe(stranger), &["--json"]);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        let answer = answer(&output);
        assert_eq!(answer["decision"], "unknown");
        assert_eq!(answer["ranking"].as_array().unwrap().len(), 5);
        let ratio = answer["ranking"][0]["ratio"].as_f64().unwrap();
        assert!(ratio < answer["threshold"].as_f64().unwrap(), "{answer}");
        let output = own.identify(&SHARED.probe(stranger), &[]);
        assert_eq!(output.status.code(), Some(3));
        assert!(stdout(&output).starts_with("unknown\n\nfrom "), "{}", stdout(&output));
    }
}

#[test]
fn answers_have_the_fields_that_are_documented() {
    let own = Own::new();
    let answer =
        answer(&own.identify(&SHARED.probe(ANNA), &["--json", "--fpir", "0.2", "--top", "6"]));
    assert_eq!(answer["decision"], ANNA);
    assert_eq!(answer["fpir"], 0.2);
    assert!(answer["supported"].is_boolean() && answer["replay"].is_null(), "{answer}");
    assert!(answer["fixations"].as_u64().unwrap() > 100);
    let ranking = answer["ranking"].as_array().unwrap();
    assert_eq!(ranking.len(), 6);
    let of = |name: &str| -> Vec<f64> {
        ranking.iter().map(|reader| reader[name].as_f64().unwrap()).collect()
    };
    let sum: f64 = of("posterior").iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    for name in ["llr", "score", "posterior"] {
        assert!(of(name).is_sorted_by(|a, b| a >= b), "{name}: the best comes first");
    }
    for reader in ranking {
        for part in ["types", "amplitudes", "durations"] {
            assert!(reader["parts"][part].is_f64(), "{reader}");
        }
    }
    // The parts differ between readers as the scores do: the population is the same for all.
    let evidence = |i: usize| {
        let parts = ranking[i]["parts"].as_object().unwrap();
        parts.values().map(|part| part.as_f64().unwrap()).sum::<f64>()
    };
    let scores = of("score");
    for i in 1..6 {
        let (parts, whole) = (evidence(0) - evidence(i), scores[0] - scores[i]);
        assert!(parts * whole > 0.0, "{i}: {parts} and {whole}");
    }
}

#[test]
fn claims_are_accepted_and_rejected() {
    let own = Own::new();
    let output = own.verify(&SHARED.probe(ANNA), ANNA, &["--fmr", "0.05"]);
    let told = succeeded(&output);
    assert!(told.starts_with("accepted: reader-r011\nllr +"), "{told}");
    let output = own.verify(&SHARED.probe(BERT), ANNA, &["--fmr", "0.05"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).starts_with("rejected: reader-r011\nllr -"), "{}", stdout(&output));
    let output = own.verify(&SHARED.probe(STRANGERS[0]), ANNA, &["--json", "--fmr", "0.05"]);
    assert_eq!(output.status.code(), Some(3));
    let answer = answer(&output);
    assert_eq!(answer["decision"], "rejected");
    assert_eq!(answer["reader"], ANNA);
    assert_eq!(answer["fmr"], 0.05);
    assert!(answer["llr"].as_f64().unwrap() < 0.0, "{answer}");
    assert!(answer["ratio"].as_f64().unwrap() < answer["threshold"].as_f64().unwrap(), "{answer}");
    assert!(answer["fixations"].as_u64().unwrap() > 0 && answer["replay"].is_null(), "{answer}");
    let output = own.verify(&SHARED.probe(BERT), BERT, &["--json"]);
    assert_eq!(crate::people::answer(&output)["decision"], "accepted");
}

#[test]
fn a_rate_that_nobody_stands_behind_is_refused_or_said() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    // Some hundred people show one in two hundred, not one in a thousand.
    let told = refused(&own.identify(&probe, &["--fpir", "0.001"]), 1);
    assert!(
        told.contains("too few people stand behind a rate of 0.001: ")
            && told.contains(" strangers show rates down to 0.00")
            && told.contains("(rule of three)")
            && told.contains("--allow-unsupported"),
        "{told}"
    );
    let told = refused(&own.identify(&probe, &["--fpir", "0.001", "--json"]), 1);
    assert!(told.contains("\"kind\":\"unsupported\""), "{told}");
    let output = own.identify(&probe, &["--fpir", "0.001", "--allow-unsupported", "--json"]);
    assert!(
        stderr(&output).contains("warning: too few people stand behind"),
        "{}",
        stderr(&output)
    );
    let told = answer(&output);
    assert_eq!(told["supported"], false);
    assert_eq!(told["warnings"][0]["warning"], "dropped_fixations");
    assert_eq!(told["warnings"][1]["warning"], "unsupported_rate");
    // Rates that are asked for by default are supported in every gallery.
    let output = own.verify(&probe, ANNA, &["--fmr", "0.0002", "--forget", "--json"]);
    assert_eq!(answer(&output)["supported"], true);
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    assert_eq!(answer(&own.identify(&probe, &["--forget", "--json"]))["supported"], true);
}

#[test]
fn answers_have_three_values_and_their_exit_codes() {
    let own = Own::new();
    let mut seen = [false; 3];
    let enrolled = ENROLLED.map(|reader| format!("reader-{reader}"));
    for reader in enrolled.iter().map(String::as_str).chain(STRANGERS) {
        let probe = SHARED.probe(reader);
        let output = own.identify(&probe, &["--json", "--forget"]);
        let told = answer(&output);
        let (decision, likely) = (told["decision"].as_str().unwrap(), &told["likely"]);
        let place = match output.status.code() {
            Some(0) => {
                assert!(decision != "unknown" && likely.is_null(), "{told}");
                0
            }
            Some(4) => {
                assert!(decision == "unknown" && likely.is_string(), "{told}");
                assert_eq!(told["more_sentences"].is_null(), told["more_seconds"].is_null());
                1
            }
            code => {
                assert!(code == Some(3) && decision == "unknown" && likely.is_null(), "{told}");
                2
            }
        };
        seen[place] = true;
        // Who is known to be one of the enrolled is named by the posterior alone.
        let closed = own.identify(&probe, &["--json", "--forget", "--closed"]);
        let is_sure = told["ranking"][0]["posterior"].as_f64().unwrap() >= 0.95;
        assert_eq!(closed.status.code(), Some(if is_sure { 0 } else { 3 }), "{told}");
        assert_eq!(answer(&closed)["closed"], true);
    }
    assert!(seen.iter().filter(|seen| **seen).count() > 1, "{seen:?}");
}

#[test]
fn a_gallery_of_one_reader_decides() {
    let own = Own::empty();
    let one = own.corpus("one", |reader, text| reader == "r011" && text <= crate::people::TEXTS);
    let told = succeeded(&own.enroll(&one, &[]));
    assert!(told.contains("own.gallery: 1 reader; can show false match rates down to "), "{told}");
    let told = succeeded(&own.verify(&SHARED.probe(ANNA), ANNA, &[]));
    assert!(told.starts_with("accepted: reader-r011\n"), "{told}");
    let output = own.identify(&SHARED.probe(ANNA), &["--allow-replay", "--json"]);
    assert_eq!(answer(&output)["decision"], ANNA);
    for stranger in STRANGERS {
        let output = own.verify(&SHARED.probe(stranger), ANNA, &["--json"]);
        assert_ne!(answer(&output)["decision"], "accepted");
    }
}

#[test]
fn rates_and_names_that_are_none_are_refused() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    for rate in ["0", "0.3", "-0.1", "nan", "0.00001"] {
        let told = refused(&own.identify(&probe, &[&format!("--fpir={rate}")]), 2);
        assert!(told.contains(", expected a rate from 0.0001 to 0.2"), "{told}");
        let told = refused(&own.verify(&probe, ANNA, &[&format!("--fmr={rate}")]), 2);
        assert!(told.contains(", expected a rate from 0.0001 to 0.2"), "{told}");
    }
    refused(&own.identify(&probe, &["--top", "0"]), 2);
    let told = refused(&own.verify(&probe, "reader-r01", &[]), 1);
    assert!(
        told.contains("own.gallery: found no reader \"reader-r01\" (did you mean \"reader-r0")
            && told.contains("`gazeprint gallery list` shows all"),
        "{told}"
    );
    let told = refused(&own.verify(&probe, "somebody else", &[]), 1);
    assert!(told.contains("found no reader \"somebody else\"; `gazeprint"), "{told}");
    assert_eq!(own.log().last().unwrap()["event"], "enrolled", "nothing was answered");
}
