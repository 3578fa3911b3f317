//! What the scores of a gallery are worth: learned from its readers whenever they change.

use anyhow::bail;
use gazeprint::method::{Background, Monitor, Occasion, Population, Template, Training};
use gazeprint::saccade::{Reading, readings};
use gazeprint_eval::decision::{FEWEST_READERS, Rules};
use gazeprint_store::{Entry, Rows, Shards};

use crate::Interrupted;
use crate::enroll::limits_of;
use crate::inspect::plural;
use crate::progress::Progress;

/// Most readers that rules are learned from: with more, they cost time and change little.
const MOST_FOR_RULES: usize = 256;
/// Readers from which on rows are kept: comparing a probe with so many takes as long as reading them.
const MANY: usize = 5_000;
/// Seed of how recordings are halved to learn the rules: results must not depend on when.
const SEED: u64 = 1;

/// When rows are kept by which a gallery is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepRows {
    /// Of so many readers that comparing with all takes long.
    OfMany,
    /// Of however few.
    Always,
}

/// Learns how decisions are made from the readers as they are now, and makes their rows, unless that
/// is known.
pub(crate) fn calibrate(
    galleries: &mut Shards<'_>,
    keep_rows: KeepRows,
    progress: &Progress,
) -> anyhow::Result<Option<Rules>> {
    let loaded = galleries.load::<Rules>()?;
    let rows_missing = match galleries.alone() {
        Some(gallery) if keep_rows == KeepRows::Always || loaded.readers.len() >= MANY => {
            !gallery.has_rows()?
        }
        _ => false,
    };
    if loaded.is_current && !rows_missing {
        return Ok(loaded.rules);
    }
    let (population, _) = galleries.population()?;
    let sample = Sample::read(galleries, &loaded.readers)?;
    let learned = match loaded.is_current {
        true => Ok(loaded.rules),
        false => learn(&sample, &population, &loaded.background, &loaded.templates, progress),
    };
    let rules = match learned {
        Err(_) if progress.stop() => {
            return Err(Interrupted(
                "interrupted; readers are as they were reported, but thresholds are not learned from \
                 them yet: `gazeprint gallery calibrate` does it",
            )
            .into());
        }
        learned => learned?,
    };
    let rows = match rows_missing && rules.is_some() {
        true => rows(&sample, &population, &loaded.background, &loaded.templates, progress),
        false => None,
    };
    let rows = rows.as_ref().map(|rows| (rows, &loaded.readers[..]));
    if !galleries.set_rules(rules.as_ref(), rows, &loaded.basis)? {
        eprintln!(
            "note: another process changed {galleries} meanwhile; thresholds are learned when it is done, \
             or by `gazeprint gallery calibrate`"
        );
    }
    if rows_missing && rows.is_none() {
        let why = match rules {
            Some(_) => "rows to search by cannot be made: their numbers do not tell readers apart",
            None => "rows to search by need thresholds of decisions, and there are none",
        };
        if keep_rows == KeepRows::Always {
            bail!("{galleries}: {why}");
        }
        eprintln!("note: {galleries}: {why}; probes are compared with everybody");
    }
    Ok(rules)
}

/// Some readers of a gallery, evenly chosen by name: who was enrolled when makes no difference.
pub(crate) struct Sample {
    /// Their places.
    chosen: Vec<usize>,
    readings: Vec<Reading>,
}

impl Sample {
    /// Without readings where readers are too few, or were changed meanwhile.
    pub(crate) fn read(galleries: &mut Shards<'_>, readers: &[Entry]) -> anyhow::Result<Self> {
        let n = readers.len();
        let most = n.min(MOST_FOR_RULES);
        let chosen: Vec<usize> = (0..most).map(|i| i * n / most).collect();
        let names: Vec<&str> = chosen.iter().map(|&i| readers[i].id.as_str()).collect();
        let recorded = galleries.all_recordings(|name| names.binary_search(&name).is_ok())?;
        if recorded.len() < FEWEST_READERS || recorded.len() != names.len() {
            return Ok(Self { chosen: Vec::new(), readings: Vec::new() });
        }
        let corpus = gazeprint_store::corpus("gallery", &recorded)?;
        let (readings, _) = readings(&corpus, limits_of(galleries.founding())?);
        Ok(Self { chosen, readings })
    }
}

/// The rows of all readers. Nothing where they do not differ, or their numbers are too large.
fn rows(
    sample: &Sample,
    population: &Population,
    background: &Background,
    templates: &[Template],
    progress: &Progress,
) -> Option<Rows> {
    progress.show("making rows to search by");
    let slopes = background.slopes();
    let space = population.space(&slopes, &sample.readings.iter().collect::<Vec<_>>())?;
    let rows = slopes.rows(&space, templates);
    let are_finite = rows.as_flattened().iter().all(|number| number.is_finite());
    are_finite.then(|| Rows { queries: space.queries().clone(), rows })
}

/// Learns how decisions are made from some of the readers, all of whose templates are given. Nothing
/// where they are too few or read too little.
pub(crate) fn learn(
    sample: &Sample,
    population: &Population,
    background: &Background,
    templates: &[Template],
    progress: &Progress,
) -> anyhow::Result<Option<Rules>> {
    let Sample { chosen, readings } = sample;
    if readings.is_empty() {
        return Ok(None);
    }
    let numbered = readings.iter().map(|r| (r.reader, r)).collect();
    let training = Training::new(chosen.len(), numbered)?.for_probes_of(Occasion::Another);
    let templates: Vec<_> = chosen.iter().map(|&i| templates[i].clone()).collect();
    let enrolled = background.scorer(&templates)?;
    progress.show("learning what scores are worth");
    let folds = population.folds(&training, SEED, progress)?;
    Ok(Rules::learn(&enrolled, &folds, &training, SEED))
}

/// What a gallery can promise.
pub(crate) fn about(galleries: &mut Shards<'_>, rules: Option<&Rules>) -> anyhow::Result<String> {
    let head = format!("{galleries}: {}", plural(galleries.count()?, "reader"));
    let Some(rules) = rules else {
        return Ok(format!(
            "{head}; decisions need at least {FEWEST_READERS}, each with recordings of several texts\n"
        ));
    };
    let [matches, alarms] = rules.comparisons().map(least_rate);
    Ok(format!(
        "{head}; can show false match rates down to {matches} and false alarms down to {alarms} (rule \
         of three)\n"
    ))
}

/// The lowest rate that so many comparisons can show (rule of three), to two digits.
pub(crate) fn least_rate(comparisons: usize) -> String {
    let rate = 3.0 / comparisons.max(3) as f64;
    let digits = (1.0 - rate.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{rate:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::least_rate;

    #[test]
    fn rates_have_two_digits() {
        for (comparisons, told) in
            [(0, "1.0"), (3, "1.0"), (12, "0.25"), (700, "0.0043"), (3_000_000, "0.0000010")]
        {
            assert_eq!(least_rate(comparisons), told);
        }
    }
}
