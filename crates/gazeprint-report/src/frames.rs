//! Results as tidy tables: for files, and for programs that compute with them.

use std::collections::BTreeMap;

use gazeprint::decision::cohort_ratios;
use gazeprint_eval::report::{Estimate, MethodFindings, Report};
use gazeprint_eval::study::{DividedCorpus, ProbeScores};
use gazeprint_eval::traits::{
    CHAINS, Correlation, DRAWS_A_CHAIN, PosteriorDraws, ReaderDraws, ReaderTraits, TraitSummary,
};
use gazeprint_io::Frame;

/// A row for each method and size of probes: with `texts` missing, for probes of all test texts.
pub fn methods(report: &Report) -> Frame<'_> {
    struct Row<'a> {
        method: &'a MethodFindings,
        texts: Option<usize>,
        accuracy: &'a Estimate,
        eer: &'a Estimate,
    }
    let rows: Vec<Row<'_>> = report
        .methods
        .iter()
        .flat_map(|method| {
            let all = Row {
                method,
                texts: None,
                accuracy: &method.accuracy,
                eer: &method.verification.eer,
            };
            // Where nobody read so many, there is nothing to say.
            let there = method.by_sentences.iter().filter(|size| size.shorter_probes < size.probes);
            let few = there.map(move |size| Row {
                method,
                texts: Some(size.sentences),
                accuracy: &size.accuracy,
                eer: &size.verification.eer,
            });
            few.chain([all])
        })
        .collect();
    let rows = || rows.iter();
    let mut table = Frame::of_results();
    table.names("method", rows().map(|row| row.method.method.as_str()));
    table.counts("texts", rows().map(|row| count(row.texts?)));
    let mut add = |names: [&'static str; 4], of: fn(&Row<'_>) -> Estimate| {
        let [mean, se, low, high] = names;
        table.numbers(mean, rows().map(|row| Some(of(row).mean)));
        table.numbers(se, rows().map(|row| of(row).se));
        table.numbers(low, rows().map(|row| Some(of(row).ci95?[0])));
        table.numbers(high, rows().map(|row| Some(of(row).ci95?[1])));
    };
    add(["accuracy", "accuracy_se", "accuracy_low", "accuracy_high"], |row| *row.accuracy);
    add(["eer", "eer_se", "eer_low", "eer_high"], |row| *row.eer);
    let of_all = |row: &Row<'_>| row.texts.is_none().then_some(row.method.area);
    table.numbers("area", rows().map(|row| Some(of_all(row)?.mean)));
    let seconds = |row: &Row<'_>| {
        let MethodFindings { tune_seconds, fit_seconds, score_seconds, .. } = row.method;
        row.texts.is_none().then_some(tune_seconds + fit_seconds + score_seconds)
    };
    table.numbers("seconds", rows().map(seconds));
    table
}

/// A row for each comparison of a probe of all test texts with a reader; scores are given by method and split.
pub fn scores<'a>(
    divided: &'a DividedCorpus,
    scores: &'a BTreeMap<(String, usize), Vec<ProbeScores>>,
) -> Frame<'a> {
    struct Row<'a> {
        method: &'a str,
        split: usize,
        probe: usize,
        claimed: usize,
        scores: &'a ProbeScores,
        ratio: f64,
    }
    let mut rows: Vec<Row<'a>> = Vec::new();
    for ((method, split), probes) in scores {
        for (probe, scores) in probes.iter().enumerate() {
            let ratios = cohort_ratios(&scores.scores);
            rows.extend(ratios.into_iter().enumerate().map(|(claimed, ratio)| Row {
                method,
                split: *split,
                probe,
                claimed,
                scores,
                ratio,
            }));
        }
    }
    let name = |split: usize, place: usize| {
        divided.corpus.readers()[divided.splits[split].readers[place]].as_str()
    };
    let rows = || rows.iter();
    let mut table = Frame::of_results();
    table.names("method", rows().map(|row| row.method));
    table.counts("split", rows().map(|row| count(row.split + 1)));
    table.counts("probe", rows().map(|row| count(row.probe + 1)));
    table.names("claimed_reader", rows().map(|row| name(row.split, row.claimed)));
    table.names("true_reader", rows().map(|row| name(row.split, row.scores.reader)));
    table.numbers("score", rows().map(|row| Some(row.scores.scores[row.claimed])));
    table.numbers("ratio", rows().map(|row| Some(row.ratio)));
    let calibrated = |row: &Row<'_>| Some(row.scores.ratios.as_ref()?[row.claimed]);
    table.numbers("log_likelihood_ratio", rows().map(calibrated));
    table
}

/// Which readings train and which test.
pub fn splits(divided: &DividedCorpus) -> Frame<'_> {
    let DividedCorpus { corpus, readings, .. } = divided;
    let path = |reading: usize| &corpus.scanpaths()[readings[reading].scanpath];
    let mut rows: Vec<(usize, usize, &str)> = Vec::new();
    for (split, number) in divided.splits.iter().zip(1..) {
        for (role, part) in [("train", &split.train), ("test", &split.test)] {
            rows.extend(part.iter().map(|&(_, reading)| (number, reading, role)));
        }
    }
    // As the file has them.
    rows.sort_unstable_by_key(|&(number, reading, _)| (number, reading));
    let mut table = Frame::of_results();
    table.counts("split", rows.iter().map(|row| count(row.0)));
    let reader = |row: &(usize, usize, &str)| corpus.readers()[path(row.1).reader].as_str();
    table.names("reader", rows.iter().map(reader));
    table.names("text", rows.iter().map(|row| corpus.texts()[path(row.1).text].id()));
    table.names("session", rows.iter().map(|row| path(row.1).session.as_str()));
    table.names("trial", rows.iter().map(|row| path(row.1).trial.as_str()));
    table.names("role", rows.iter().map(|row| row.2));
    table
}

/// No table has more rows than a number of four bytes can count.
fn count(count: usize) -> Option<u32> {
    u32::try_from(count).ok()
}

/// A row for each reader and trait.
pub fn estimates(found: &ReaderTraits) -> Frame<'_> {
    let rows = || found.estimates.iter();
    let mut table = Frame::of_results();
    table.names("reader", rows().map(|row| row.reader.as_str()));
    table.names("trait", rows().map(|row| row.what.name()));
    table.names("unit", rows().map(|row| row.what.unit()));
    table.numbers("estimate", rows().map(|row| row.estimate));
    for (end, name) in ["low", "high"].into_iter().enumerate() {
        table.numbers(name, rows().map(|row| row.ci95.map(|ci95| ci95[end])));
    }
    table.counts("observations", rows().map(|row| count(row.observations)));
    table.counts("texts", rows().map(|row| count(row.texts)));
    table
}

/// A row for each trait.
pub fn reliability(found: &ReaderTraits) -> Frame<'_> {
    let rows = || found.traits.iter();
    let mut table = Frame::of_results();
    table.names("trait", rows().map(|row| row.what.name()));
    table.names("unit", rows().map(|row| row.unit));
    table.names("about", rows().map(|row| row.about));
    table.counts("readers", rows().map(|row| count(row.readers)));
    table.numbers("mean", rows().map(|row| Some(row.mean)));
    table.numbers("sd", rows().map(|row| row.sd));
    let mut add = |names: [&'static str; 4], of: fn(&TraitSummary) -> Option<Correlation>| {
        let [value, low, high, readers] = names;
        table.numbers(value, rows().map(|row| Some(of(row)?.value)));
        table.numbers(low, rows().map(|row| Some(of(row)?.ci95?[0])));
        table.numbers(high, rows().map(|row| Some(of(row)?.ci95?[1])));
        table.counts(readers, rows().map(|row| count(of(row)?.readers)));
    };
    let split_half = ["split_half", "split_half_low", "split_half_high", "split_half_readers"];
    add(split_half, |row| row.split_half);
    add(["sessions", "sessions_low", "sessions_high", "sessions_readers"], |row| {
        row.across_sessions
    });
    table
}

/// A row for each draw, a column for each parameter.
pub fn draws(drawn: &PosteriorDraws) -> Frame<'_> {
    let each = CHAINS * DRAWS_A_CHAIN;
    let rows = || drawn.readers.iter().flat_map(|reader| (0..each).map(move |i| (reader, i)));
    let mut table = Frame::of_results();
    table.counts("chain", rows().map(|(_, i)| count(i / DRAWS_A_CHAIN)));
    table.counts("draw", rows().map(|(_, i)| count(i % DRAWS_A_CHAIN)));
    table.names("reader", rows().map(|(reader, _)| reader.reader.as_str()));
    for (place, parameter) in drawn.parameters.iter().enumerate() {
        let value = |(reader, i): (&ReaderDraws, usize)| {
            reader.values.get(place)?.get(i).copied().filter(|value| value.is_finite())
        };
        table.numbers(parameter, rows().map(value));
    }
    table
}

/// A row for each density of each reader whose draws are missing or doubtful.
pub fn doubts(drawn: &PosteriorDraws) -> Frame<'_> {
    let mut rows: Vec<[&str; 3]> = Vec::new();
    for reader in &drawn.readers {
        let lists = [
            ("unseen", &reader.unseen),
            ("failed", &reader.failed),
            ("doubtful", &reader.doubtful),
        ];
        for (why, densities) in lists {
            rows.extend(densities.iter().map(|density| [&reader.reader, density.name(), why]));
        }
    }
    let mut table = Frame::of_results();
    for (place, name) in ["reader", "density", "why"].into_iter().enumerate() {
        table.names(name, rows.iter().map(|row| row[place]));
    }
    table
}
