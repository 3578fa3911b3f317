//! How long it takes to say who is reading, from opening the gallery on.

use gazeprint::corpus::Corpus;
use gazeprint::method::Unwatched;
use gazeprint_recognition::{
    EnrollOptions, FoundingOptions, IdentifyOptions, Location, Recognizer, Secret,
};
use serde::Serialize;

use crate::clock::timed;
use crate::folder::Folder;
use crate::halves::divided;
use crate::numbers::median;
use crate::{BenchError, Part, Suite};

/// The most galleries that are opened, one probe each.
const PROBES: usize = 25;

/// Readers enrolled with every other text, identified by the others.
#[derive(Debug, Serialize)]
pub struct IdentificationTimes {
    /// Those enrolled.
    pub readers: usize,
    /// To learn the population and the readers, and what scores are worth.
    pub enroll_seconds: f64,
    /// Probes that a gallery is opened for; as many others follow.
    pub probes: usize,
    /// Without a secret, and behind a key file.
    pub galleries: Vec<GalleryIdentification>,
}

/// Medians over probes of different readers, with the file in the cache of the system.
#[derive(Debug, Serialize)]
pub struct GalleryIdentification {
    /// What it is sealed by.
    pub gallery: &'static str,
    /// To open it.
    pub open_seconds: f64,
    /// For the first answer, which reads all readers.
    pub first_seconds: f64,
    /// For another answer by the same recognizer.
    pub next_seconds: f64,
    /// Probes of either kind whose best reader is the right one.
    pub right: usize,
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<IdentificationTimes, BenchError> {
    let [train, test] = divided(suite.corpus()?)?;
    let folder = Folder::new()?;
    let plain = Location::File(folder.file("plain"));
    suite.step(Part::Identify, "enrolment");
    let (recognizer, enroll_seconds) = timed(|| enrolled(&plain, &train));
    let recognizer = recognizer?;
    let readers = recognizer.list()?.len();
    let key = Secret::new_key_file(&folder.file("key"))?;
    let sealed = Location::File(folder.file("sealed"));
    recognizer.copy_to(&sealed, Some(&key))?;
    let probes = (test.readers().len() / 2).clamp(1, PROBES);
    let galleries = [("plain", &plain, None), ("key file", &sealed, Some(&key))];
    let galleries = galleries.map(|(name, at, secret)| {
        suite.step(Part::Identify, name);
        GalleryIdentification::of(name, at, secret, &test, probes)
    });
    let galleries = galleries.into_iter().collect::<Result<_, _>>()?;
    Ok(IdentificationTimes { readers, enroll_seconds, probes, galleries })
}

fn enrolled(at: &Location, corpus: &Corpus) -> Result<Recognizer, BenchError> {
    let (founding, options) = (FoundingOptions::default(), EnrollOptions::default());
    let (recognizer, _) =
        Recognizer::open_or_create(at, None, &founding, corpus, &options, &Unwatched)?;
    recognizer.enroll(corpus, &options, &Unwatched)?;
    Ok(recognizer)
}

impl GalleryIdentification {
    fn of(
        gallery: &'static str,
        at: &Location,
        secret: Option<&Secret>,
        test: &Corpus,
        probes: usize,
    ) -> Result<Self, BenchError> {
        let readers = test.readers().len();
        let (mut open, mut first, mut next) = (Vec::new(), Vec::new(), Vec::new());
        let mut right = 0;
        let mut identified = |recognizer: &Recognizer, reader: usize| {
            let probe = test.of_readers(&[reader]);
            let (answer, seconds) = timed(|| {
                let answer = recognizer.identify(&probe, &IdentifyOptions::default());
                answer.map_err(BenchError::from)
            });
            let best = answer?.ranking.into_iter().next();
            let name = recognizer.id_of(&test.readers()[reader]);
            right += usize::from(best.is_some_and(|best| best.reader == name));
            Ok::<f64, BenchError>(seconds)
        };
        for number in 0..probes {
            let (recognizer, seconds) =
                timed(|| Recognizer::open(at, secret).map_err(BenchError::from));
            let recognizer = recognizer?;
            open.push(seconds);
            // Nobody comes twice: that would be a replay.
            let reader = number * readers / probes;
            first.push(identified(&recognizer, reader)?);
            next.push(identified(&recognizer, (reader + 1) % readers)?);
        }
        Ok(Self {
            gallery,
            open_seconds: median(open),
            first_seconds: median(first),
            next_seconds: median(next),
            right,
        })
    }
}
