//! Which reader a portrait is of.

use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::study::DividedCorpus;
use gazeprint_report::folder::Layout;

use crate::Usage;

/// The place in the first split of the reader whose portrait is wanted: where none is named, a typical
/// one, or the first, whom the paper shows.
pub(super) fn place(
    divided: &DividedCorpus,
    name: Option<&str>,
    layout: Layout,
) -> Result<usize, Usage> {
    let split = &divided.splits[0];
    let Some(name) = name else {
        return Ok(match layout {
            Layout::Report => Portrait::typical_reader(split, &divided.readings),
            Layout::Paper => 0,
        });
    };
    let names = || split.readers.iter().map(|&r| divided.corpus.readers()[r].as_str());
    names().position(|n| n == name).ok_or_else(|| {
        let similar = nearest(name, names());
        let hint = if similar.is_empty() {
            String::new()
        } else {
            format!("; similar ones: {}", similar.join(", "))
        };
        Usage(format!(
            "there is no reader {name:?} with training and test texts in the first split{hint}"
        ))
    })
}

/// The names that could have been meant, quoted.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let most = name.chars().count().div_ceil(3);
    let distance = |n: &'a str| (strsim::damerau_levenshtein(name, n), n);
    let mut near: Vec<(usize, &str)> = names.map(distance).filter(|(d, _)| *d <= most).collect();
    near.sort_unstable();
    near.into_iter().take(SUGGESTED).map(|(_, n)| format!("{n:?}")).collect()
}

/// Names that are suggested for one that is not there.
const SUGGESTED: usize = 3;
