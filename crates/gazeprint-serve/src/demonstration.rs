//! A gallery to try things with: some of the readers that are built in, and what they read later, to be played.

use std::path::Path;

use gazeprint::corpus::{Corpus, CorpusError, Scanpath};
use gazeprint::method::Unwatched;
use gazeprint_io::BuiltIn;
use gazeprint_recognition::{EnrollOptions, Error, FoundingOptions, Location, Recognizer};

/// Readers who are enrolled: enough to show what readers have in common, and few enough to be learned in seconds.
const ENROLLED: usize = 40;
/// Readers whose recordings can be played: these and some strangers.
const PLAYED: usize = 44;
/// Texts that are enrolled, of those that a reader read.
const TEXTS: usize = 30;

/// Makes a gallery in a folder of what readers of `provo` read first; what they read then, and some strangers, is to
/// be played.
///
/// # Errors
/// If there is a gallery already, or it cannot be written.
pub fn demonstration(folder: &Path) -> Result<(Recognizer, Corpus), Error> {
    let all = BuiltIn::Provo.corpus();
    let readers: Vec<usize> = (0..PLAYED.min(all.readers().len())).collect();
    let all = all.of_readers(&readers);
    let enrolled = part(&all, |place, reader| reader < ENROLLED && place < TEXTS)?;
    let enrolled = enrolled.of_readers(&readers[..ENROLLED]);
    let later = part(&all, |place, _| place >= TEXTS)?;
    let at = Location::File(folder.join("demonstration.gallery"));
    let (founding, options) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, &enrolled, &options, &Unwatched)?;
    desk.enroll(&enrolled, &options, &Unwatched)?;
    Ok((desk, later))
}

/// The readings that are wanted, by their place among those of their reader, in the order of reading, and by reader.
fn part(all: &Corpus, is_wanted: impl Fn(usize, usize) -> bool) -> Result<Corpus, CorpusError> {
    let mut paths = Vec::new();
    for reader in 0..all.readers().len() {
        let own = all.scanpaths().iter().filter(|path| path.reader == reader);
        let mut own: Vec<&Scanpath> = own.collect();
        own.sort_by(|a, b| a.order.partial_cmp(&b.order).unwrap_or(std::cmp::Ordering::Equal));
        let wanted = own.into_iter().enumerate().filter(|(place, _)| is_wanted(*place, reader));
        paths.extend(wanted.map(|(_, path)| path.clone()));
    }
    Corpus::new(all.name(), all.readers().to_vec(), all.texts().to_vec(), paths)
}
