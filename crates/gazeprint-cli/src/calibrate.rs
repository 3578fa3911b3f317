//! What the scores of a gallery are worth: learned from its readers whenever they change.

use gazeprint::method::{Background, Monitor, Occasion, Population, Template, Training};
use gazeprint::saccade::readings;
use gazeprint_eval::decision::{FEWEST_READERS, Rules};
use gazeprint_store::{Entry, Shards};

use crate::Interrupted;
use crate::enroll::limits_of;
use crate::inspect::plural;
use crate::progress::Progress;

/// Most readers that rules are learned from: with more, they cost time and change little.
const MOST_FOR_RULES: usize = 256;
/// Seed of how recordings are halved to learn the rules: results must not depend on when.
const SEED: u64 = 1;

/// Learns how decisions are made from the readers as they are now, unless that is known.
pub(crate) fn calibrate(
    galleries: &mut Shards<'_>,
    progress: &Progress,
) -> anyhow::Result<Option<Rules>> {
    let loaded = galleries.load::<Rules>()?;
    if loaded.is_current {
        return Ok(loaded.rules);
    }
    let (population, _) = galleries.population()?;
    let learned = learn(
        galleries,
        &population,
        &loaded.background,
        &loaded.readers,
        &loaded.templates,
        progress,
    );
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
    if !galleries.set_rules(rules.as_ref(), &loaded.basis)? {
        eprintln!(
            "note: another process changed {galleries} meanwhile; thresholds are learned when it is done, \
             or by `gazeprint gallery calibrate`"
        );
    }
    Ok(rules)
}

/// Learns how decisions are made from readers with their templates. Nothing where they are too few,
/// read too little, or were changed meanwhile.
pub(crate) fn learn(
    galleries: &mut Shards<'_>,
    population: &Population,
    background: &Background,
    readers: &[Entry],
    templates: &[Template],
    progress: &Progress,
) -> anyhow::Result<Option<Rules>> {
    // Evenly chosen by name: who was enrolled when makes no difference.
    let n = readers.len();
    let most = n.min(MOST_FOR_RULES);
    let chosen: Vec<usize> = (0..most).map(|i| i * n / most).collect();
    let names: Vec<&str> = chosen.iter().map(|&i| readers[i].id.as_str()).collect();
    let recorded = galleries.all_recordings(|name| names.binary_search(&name).is_ok())?;
    if recorded.len() < FEWEST_READERS || recorded.len() != names.len() {
        return Ok(None);
    }
    let corpus = gazeprint_store::corpus("gallery", &recorded)?;
    let (all, _) = readings(&corpus, limits_of(galleries.founding())?);
    let numbered = all.iter().map(|r| (r.reader, r)).collect();
    let training = Training::new(names.len(), numbered)?.for_probes_of(Occasion::Another);
    let templates: Vec<_> = chosen.iter().map(|&i| templates[i].clone()).collect();
    let enrolled = background.gallery(&templates)?;
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
