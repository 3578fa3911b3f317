//! The recognizer: a gallery that is open, for any number of threads.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use gazeprint::corpus::{Corpus, Limits, Millis};
use gazeprint::method::{Monitor, People};
use gazeprint::saccade::{Reading, readings};
use gazeprint_store::{
    Entry, Founding, Gallery, GalleryError, Location, Logged, Recording, Secret, StoreError,
    StoredLearning,
};

use crate::liveness::LearnedLiveness;
use crate::readers::EnrolledReaders;
use crate::{Error, Warning};

/// What is being done, for those who watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// What readers have in common is learned.
    Population,
    /// Readers are learned.
    Readers,
    /// What scores are worth is learned.
    Rules,
    /// Rows to search by are made.
    Rows,
}

/// Readers among whom, at most, a name is looked for that is like one that nobody has, and bytes of that: whoever may
/// claim to be somebody may claim any name, and others wait meanwhile.
const MOST_ALIKE: usize = 1_000;
const LONGEST_ALIKE: usize = 200;

/// How long work over a gallery is watched and stopped.
pub trait RecognitionMonitor: Monitor {
    /// Something begins.
    fn begin(&self, stage: Stage) {
        _ = stage;
    }

    /// Somebody is enrolled: on the disk, whatever happens next.
    fn enrolled(&self, entry: &Entry) {
        _ = entry;
    }
}

impl RecognitionMonitor for gazeprint::method::Unwatched {}

/// A gallery that is open: enrols, identifies, verifies and watches.
///
/// Clones share the gallery. Any number of threads may use it at once; each sees the gallery as it is
/// when it asks, whoever changed it.
#[derive(Clone)]
pub struct Recognizer {
    shared: Arc<Shared>,
}

struct Shared {
    /// Locked for as long as something is read or written, never while something is computed.
    gallery: Mutex<Gallery>,
    location: Location,
    founding: Founding,
    limits: Limits,
    /// The readers as they were last seen.
    readers: RwLock<Option<Arc<EnrolledReaders>>>,
    /// The people that readers are compared with.
    people: OnceLock<Arc<People>>,
    /// The same of a large gallery, each with their template: for watches.
    in_full: RwLock<Option<Arc<EnrolledReaders>>>,
    /// What tells people from forgeries, where that was asked for.
    liveness: RwLock<Option<Arc<LearnedLiveness>>>,
}

impl Recognizer {
    /// Opens a gallery.
    ///
    /// # Errors
    /// If there is none, it is damaged, or the secret is not the right one.
    pub fn open(at: &Location, secret: Option<&Secret>) -> Result<Self, Error> {
        Self::of(Gallery::open(at, secret)?)
    }

    /// Whether there is a gallery, or anything else, at a place.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn exists(at: &Location) -> Result<bool, Error> {
        Ok(Gallery::exists(at)?)
    }

    pub(crate) fn of(gallery: Gallery) -> Result<Self, Error> {
        let (location, founding) = (gallery.location().clone(), gallery.founding().clone());
        let [shortest, longest] = founding.durations_ms;
        let limits = Limits::new(Millis(shortest), Millis(longest))?;
        let shared = Shared {
            gallery: Mutex::new(gallery),
            location,
            founding,
            limits,
            readers: RwLock::new(None),
            people: OnceLock::new(),
            in_full: RwLock::new(None),
            liveness: RwLock::new(None),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Where the gallery is.
    pub fn location(&self) -> &Location {
        &self.shared.location
    }

    /// What was fixed when it was made.
    pub fn founding(&self) -> &Founding {
        &self.shared.founding
    }

    /// Which fixations count.
    pub fn limits(&self) -> Limits {
        self.shared.limits
    }

    /// Whether it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.gallery().is_encrypted()
    }

    /// What a reader of this name is kept under.
    pub fn id_of(&self, name: &str) -> String {
        self.gallery().id_of(name)
    }

    /// The gallery, for this thread alone. What panicked with it left it whole: changes are made as a
    /// whole or not at all.
    pub(crate) fn gallery(&self) -> MutexGuard<'_, Gallery> {
        self.shared.gallery.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What readers are learned with. The gallery is free again before it is decoded, which all threads work at: one
    /// of them may be waiting for it.
    pub(crate) fn stored_learning(&self) -> Result<StoredLearning, Error> {
        Ok(self.gallery().stored_learning()?)
    }

    /// The people that readers are compared with: those that the gallery was made with.
    pub(crate) fn people(&self) -> Result<Arc<People>, Error> {
        if let Some(people) = self.shared.people.get() {
            return Ok(Arc::clone(people));
        }
        let kept = self.gallery().people()?;
        let people = match kept {
            None => Arc::clone(People::shipped()),
            Some(bytes) if *bytes == *People::shipped_bytes() => Arc::clone(People::shipped()),
            Some(bytes) => Arc::new(People::read(&bytes).map_err(|source| Error::People {
                at: self.location().clone(),
                source: Box::new(source),
            })?),
        };
        Ok(Arc::clone(self.shared.people.get_or_init(|| people)))
    }

    /// The readers as they are now, to compare with.
    pub(crate) fn readers(&self) -> Result<Arc<EnrolledReaders>, Error> {
        self.last_seen(&self.shared.readers, EnrolledReaders::read)
    }

    /// The same, each of whom can be scored in full at any time.
    pub(crate) fn readers_in_full(&self) -> Result<Arc<EnrolledReaders>, Error> {
        let readers = self.readers()?;
        match readers.are_searched() {
            true => self.last_seen(&self.shared.in_full, EnrolledReaders::read_whole),
            false => Ok(readers),
        }
    }

    /// What was last seen, unless the gallery was changed since.
    fn last_seen(
        &self,
        seen: &RwLock<Option<Arc<EnrolledReaders>>>,
        read: impl Fn(&Self) -> Result<EnrolledReaders, Error>,
    ) -> Result<Arc<EnrolledReaders>, Error> {
        let generation = self.gallery().generation()?;
        let known = seen.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.generation() == generation) {
            return Ok(known);
        }
        let now = Arc::new(read(self)?);
        *seen.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&now));
        Ok(now)
    }

    /// What tells people from forgeries, if it was learned from the gallery as it was then.
    pub(crate) fn last_liveness(&self, generation: u64) -> Option<Arc<LearnedLiveness>> {
        let known = self.shared.liveness.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.filter(|known| known.generation() == generation)
    }

    /// Keeps it for those who ask next.
    pub(crate) fn keep_liveness(&self, learned: LearnedLiveness) -> Arc<LearnedLiveness> {
        let learned = Arc::new(learned);
        let mut kept = self.shared.liveness.write().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::clone(&learned));
        learned
    }

    /// The readings of one person, and what is to be said of them.
    pub(crate) fn readings_of(
        &self,
        probe: &Corpus,
    ) -> Result<(Vec<Reading>, Vec<Warning>), Error> {
        let name = || probe.name().to_owned();
        if probe.readers().len() > 1 {
            return Err(Error::SeveralReaders { name: name(), readers: probe.readers().len() });
        }
        let (readings, drops) = readings(probe, self.limits());
        if readings.is_empty() {
            return Err(Error::NothingCounts { name: name(), fixations: probe.fixation_count() });
        }
        let dropped = drops.total();
        let warning = Warning::DroppedFixations { fixations: dropped };
        Ok((readings, (dropped > 0).then_some(warning).into_iter().collect()))
    }

    /// Whether the gallery is of an earlier format. It is only read then: answers are given, but not logged,
    /// and nothing is remembered, until [`Recognizer::upgrade`].
    pub fn is_old(&self) -> bool {
        self.gallery().is_old()
    }

    /// Refuses to begin what would end with a change of a gallery that is only read.
    pub(crate) fn check_writable(&self) -> Result<(), Error> {
        match self.is_old() {
            true => Err(StoreError::OldFormat { at: self.location().clone() }.into()),
            false => Ok(()),
        }
    }

    /// The readers, by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        self.gallery().each_entry(|entry| {
            entries.push(entry);
            Ok(())
        })?;
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(entries)
    }

    /// How many readers there are.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn count(&self) -> Result<usize, Error> {
        Ok(self.gallery().count()?)
    }

    /// A reader, given by name or pseudonym, with the number of readings of earlier probes that are
    /// remembered.
    ///
    /// # Errors
    /// If there is no such reader, or it cannot be read.
    pub fn show(&self, reader: &str) -> Result<(Entry, usize), Error> {
        let id = self.find(reader)?;
        let mut gallery = self.gallery();
        let entry = gallery.entry(&id)?;
        let remembered = gallery.earlier_probes(&id)?.len();
        drop(gallery);
        let unknown = || {
            let (at, reader) = (self.location().clone(), reader.to_owned());
            GalleryError::UnknownReader { at, reader, nearest: None }
        };
        Ok((entry.ok_or_else(unknown)?, remembered))
    }

    /// What a reader, given by name or pseudonym, is kept under.
    pub(crate) fn find(&self, reader: &str) -> Result<String, Error> {
        for id in [self.id_of(reader), reader.to_owned()] {
            if self.gallery().has_reader(&id)? {
                return Ok(id);
            }
        }
        let names = match self.count()? {
            0..=MOST_ALIKE => self.list()?.into_iter().map(|entry| entry.id).collect(),
            _ => Vec::new(),
        };
        Err(self.unknown(reader, names.iter().map(String::as_str)))
    }

    /// The place of somebody among readers, given by name or pseudonym.
    pub(crate) fn place_of<'a>(
        &self,
        reader: &str,
        readers: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<usize, Error> {
        let id = self.id_of(reader);
        if let Some(place) = readers.clone().position(|known| known == id || known == reader) {
            return Ok(place);
        }
        Err(self.unknown(reader, readers))
    }

    /// What is said where there is no such reader, with the name most like it, as far as that is looked for.
    fn unknown<'a>(&self, reader: &str, readers: impl Iterator<Item = &'a str> + Clone) -> Error {
        let is_name = reader.len() <= LONGEST_ALIKE;
        let few = is_name && readers.clone().nth(MOST_ALIKE).is_none();
        let distance = |id: &&str| strsim::damerau_levenshtein(id, reader);
        let nearest = readers.filter(|_| few).min_by_key(distance).filter(|id| distance(id) <= 2);
        let (at, reader) = (self.location().clone(), reader.to_owned());
        let nearest = nearest.map(str::to_owned);
        GalleryError::UnknownReader { at, reader, nearest }.into()
    }

    /// The log, from its first entry.
    ///
    /// # Errors
    /// If it cannot be read, or was tampered with.
    pub fn log(&self) -> Result<Vec<Logged>, Error> {
        Ok(self.gallery().log()?)
    }

    /// Calls `work` with every entry of the log, from the first, while the gallery is kept for this alone.
    ///
    /// # Errors
    /// If it cannot be read, or was tampered with.
    pub fn each_logged(&self, mut work: impl FnMut(Logged)) -> Result<(), Error> {
        let logged = self.gallery().each_logged(|entry| {
            work(entry);
            Ok(())
        });
        Ok(logged?)
    }

    /// The readings of what somebody was recorded with.
    pub(crate) fn recorded(
        &self,
        id: &str,
        recordings: &[Recording],
    ) -> Result<Vec<Reading>, Error> {
        let corpus = gazeprint_store::corpus("gallery", &[(id.to_owned(), recordings.to_vec())])?;
        Ok(readings(&corpus, self.limits()).0)
    }
}

impl std::fmt::Debug for Recognizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recognizer").field("location", self.location()).finish_non_exhaustive()
    }
}
