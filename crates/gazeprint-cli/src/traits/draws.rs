//! Draws of the posterior of readers.

use gazeprint::corpus::{Corpus, Limits};
use gazeprint::inference::{Engine, InferenceError, Laplace};
use gazeprint::method::FitError;
use gazeprint::saccade::{DensityId, readings_of_words};
use gazeprint_eval::traits::{PosteriorDraws, ReaderDraws};

use super::Args;
use crate::Interrupted;
use crate::inspect::plural;
use crate::progress::Progress;
use crate::words::note;

/// Draws some readers, and says what is not known of them.
pub(super) fn drawn(
    args: &Args,
    corpus: &Corpus,
    limits: Limits,
    chosen: &[usize],
) -> anyhow::Result<PosteriorDraws> {
    let engine =
        Engine::by_name(&args.engine).unwrap_or_else(|| Engine::Laplace(Laplace::default()));
    let (readings, _) = readings_of_words(corpus, limits);
    if readings.is_empty() {
        anyhow::bail!(
            "{}: found no fixation on a word, and draws are of densities over words; leave out --draws, \
             or add where words are (words.csv)",
            corpus.name()
        );
    }
    let progress = Progress::new()?;
    progress.show("drawing readers");
    let drawn =
        PosteriorDraws::of(corpus, &readings, chosen, (&engine, args.seed), false, &progress);
    progress.clear();
    let drawn = match drawn {
        Err(FitError::Inference(InferenceError::Interrupted)) => {
            return Err(Interrupted::NOTHING.into());
        }
        drawn => drawn?,
    };
    let left_out = chosen.len() - drawn.readers.len();
    if left_out > 0 {
        note(&format!("{} without a fixation on a word: not drawn", plural(left_out, "reader")));
    }
    let doubtful = match engine {
        Engine::Laplace(_) => {
            "are doubtful: the weights of their draws hang on few of them, whatever their R-hat; \
             `--engine nuts` draws them in another way"
        }
        _ => {
            "are doubtful: a chain has few effective draws or went astray; look at R-hat and effective \
             sample sizes"
        }
    };
    let count = |of: fn(&ReaderDraws) -> &Vec<DensityId>| -> usize {
        drawn.readers.iter().map(|reader| of(reader).len()).sum()
    };
    let all = drawn.readers.len() * DensityId::COUNT;
    for (count, what) in [
        (count(|r| &r.unseen), "were not shown by their reader: empty in the table"),
        (count(|r| &r.failed), "could not be inferred: empty in the table"),
        (count(|r| &r.doubtful), doubtful),
    ] {
        if count > 0 {
            note(&format!(
                "{count} of {} of readers {what} (draws_doubts names them)",
                plural(all, "density").replace("densitys", "densities")
            ));
        }
    }
    Ok(drawn)
}
