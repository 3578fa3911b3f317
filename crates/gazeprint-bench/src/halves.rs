//! A corpus in two halves: every other text to learn from, the others to be tested with.

use gazeprint::corpus::{Corpus, CorpusError, Limits, Scanpath};
use gazeprint::method::{FitError, Training};
use gazeprint::saccade::{Reading, readings_of_words};
use gazeprint::score::Scorer;
use gazeprint::template::Probe;

/// What was read, apart.
pub(crate) struct Halves {
    pub(crate) readers: usize,
    pub(crate) train: Vec<Reading>,
    test: Vec<Reading>,
}

impl Halves {
    pub(crate) fn of(corpus: &Corpus) -> Self {
        let (all, _) = readings_of_words(corpus, Limits::default());
        let (train, test) = all.into_iter().partition(|r| is_training(r.text));
        Self { readers: corpus.readers().len(), train, test }
    }

    /// What the first of the readers read to be learned from: one text of so many.
    pub(crate) fn some(&self, readers: usize, part: usize) -> impl Iterator<Item = &Reading> {
        self.train.iter().filter(move |r| r.reader < readers && (r.text / 2).is_multiple_of(part))
    }

    pub(crate) fn training(&self, readers: usize, part: usize) -> Result<Training<'_>, FitError> {
        let readings = self.some(readers, part).map(|r| (r.reader, r)).collect();
        Training::new(readers, readings)
    }

    /// All that there is to be learned from.
    pub(crate) fn all(&self) -> Result<Training<'_>, FitError> {
        self.training(self.readers, 1)
    }

    /// What a reader read to be tested with, reading by reading.
    pub(crate) fn probes(&self, reader: usize, scorer: &dyn Scorer) -> Vec<Probe> {
        self.test.iter().filter(|r| r.reader == reader).map(|r| scorer.probe(r)).collect()
    }

    /// The same as one.
    pub(crate) fn probe(&self, reader: usize, scorer: &dyn Scorer) -> Probe {
        Probe::merged(&self.probes(reader, scorer))
    }

    pub(crate) fn fixations(&self) -> usize {
        self.train.iter().map(|r| r.events.len()).sum()
    }
}

fn is_training(text: usize) -> bool {
    text.is_multiple_of(2)
}

/// The two halves as corpora of their own.
pub(crate) fn divided(corpus: &Corpus) -> Result<[Corpus; 2], CorpusError> {
    let half = |trains: bool| {
        let paths = corpus.scanpaths().iter().filter(|path| is_training(path.text) == trains);
        let paths: Vec<Scanpath> = paths.cloned().collect();
        Corpus::new(corpus.name(), corpus.readers().to_vec(), corpus.texts().to_vec(), paths)
    };
    Ok([half(true)?, half(false)?])
}
