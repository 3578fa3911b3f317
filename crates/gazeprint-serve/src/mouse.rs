//! Reading with the mouse: galleries of those who try the page, each in a file that only memory can open, and gone
//! when they leave.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use gazeprint::corpus::{Corpus, Text};
use gazeprint::method::{People, Unwatched};
use gazeprint_recognition::{
    EnrollOptions, Entry, Error, FoundingOptions, Location, Recognizer, Secret, Verification,
    VerifyOptions,
};
use tempfile::TempDir;
use zeroize::Zeroizing;

use crate::access::{Caller, random_hex};
use crate::problem::Problem;
use crate::texts::TextBody;

/// What readers with the mouse have in common (`mouse/README.md`).
const POPULATION: &[u8] = include_bytes!("../mouse/population.json.gz");
/// Our own words.
const TEXTS: &str = include_str!("../mouse/texts.txt");
/// How long the pointer rests on a word, ms: that of the people whom the population was learned from.
const RESTS_MS: [f64; 2] = [25.0, 4000.0];
/// The rate of false accepts; `mouse/README.md` says how well it was kept.
pub(crate) const RATE: f64 = 0.01;
/// Rooms at once, in all and of one caller, whose oldest gives way; and how long one lasts.
const MOST: usize = 64;
const MOST_OF_ONE: usize = 8;
const LASTS: Duration = Duration::from_hours(1);

/// A gallery of one page.
pub(crate) struct Room {
    owner: String,
    /// The session of the page, which it goes with.
    session: Option<String>,
    ends: Instant,
    folder: TempDir,
    secret: Secret,
    /// None until somebody is enrolled.
    desk: Mutex<Option<Recognizer>>,
}

/// The galleries of all pages.
#[derive(Default)]
pub(crate) struct Rooms {
    open: Mutex<HashMap<String, Arc<Room>>>,
}

/// The texts that are read with the mouse. Each is one line, however the page shows it: so were those of the people whom
/// the population was learned from.
pub(crate) fn texts() -> Vec<TextBody> {
    let passages = TEXTS.split("\n\n").map(str::trim).filter(|passage| !passage.is_empty());
    let text = |(number, passage): (usize, &str)| TextBody {
        text: format!("mouse-{number}"),
        lines: vec![passage.lines().collect::<Vec<_>>().join(" ")],
        words: Vec::new(),
    };
    (1..).zip(passages).map(text).collect()
}

/// The same as recordings know them.
pub(crate) fn known_texts() -> Result<Vec<Text>, Problem> {
    texts().iter().map(TextBody::text).collect()
}

/// People who read with the mouse.
fn people() -> Result<&'static Arc<People>, Problem> {
    static PEOPLE: OnceLock<Arc<People>> = OnceLock::new();
    if let Some(people) = PEOPLE.get() {
        return Ok(people);
    }
    let unpack = || -> io::Result<(TempDir, std::path::PathBuf)> {
        let mut bytes = Vec::new();
        GzDecoder::new(POPULATION).read_to_end(&mut bytes)?;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("population.json");
        fs::write(&file, bytes)?;
        Ok((folder, file))
    };
    let (folder, file) = unpack().map_err(|error| unwritable(&error))?;
    let read = gazeprint_io::read_people(&file);
    drop(folder);
    let people = read.map_err(|error| Problem::bug(error.to_string()))?;
    Ok(PEOPLE.get_or_init(|| people))
}

fn unwritable(error: &io::Error) -> Problem {
    Problem { cause: Some(error.to_string()), ..Problem::unwritable() }
}

impl Rooms {
    /// A new room of a caller, by its number.
    pub(crate) fn make(&self, owner: &Caller) -> Result<String, Problem> {
        let random = |error: getrandom::Error| Problem::bug(error.to_string());
        let id = random_hex::<16>().map_err(random)?;
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key).map_err(random)?;
        let secret = Secret::Key(key);
        let folder = tempfile::tempdir().map_err(|error| unwritable(&error))?;
        let now = Instant::now();
        self.sweep(now);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = || open.iter().filter(|(_, room)| room.owner == owner.id);
        if own().count() >= MOST_OF_ONE
            && let Some(oldest) = own().min_by_key(|(_, room)| room.ends).map(|(id, _)| id.clone())
        {
            open.remove(&oldest);
        }
        if open.len() >= MOST {
            return Err(Problem::busy());
        }
        let (owner, session, ends) = (owner.id.clone(), owner.session.clone(), now + LASTS);
        let room = Room { owner, session, ends, folder, secret, desk: Mutex::new(None) };
        open.insert(id.clone(), Arc::new(room));
        Ok(id)
    }

    /// A room of a caller.
    pub(crate) fn find(&self, id: &str, owner: &str) -> Result<Arc<Room>, Problem> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = open.get(id).filter(|room| room.owner == owner && room.ends > Instant::now());
        own.cloned().ok_or_else(|| Problem::not_found("there is no such room; begin anew"))
    }

    /// Leaves a room: its gallery is gone.
    pub(crate) fn leave(&self, id: &str, owner: &str) -> Result<(), Problem> {
        self.find(id, owner)?;
        self.keep(|known, _| known != id);
        Ok(())
    }

    /// Leaves the rooms of a page that logs out.
    pub(crate) fn leave_all(&self, session: &str) {
        self.keep(|_, room| room.session.as_deref() != Some(session));
    }

    /// Leaves rooms whose time is over.
    pub(crate) fn sweep(&self, now: Instant) {
        self.keep(|_, room| room.ends > now);
    }

    /// Leaves all rooms: the server ends.
    pub(crate) fn close(&self) {
        self.keep(|_, _| false);
    }

    fn keep(&self, is_kept: impl Fn(&str, &Room) -> bool) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|id, room| is_kept(id, room));
    }
}

impl Room {
    fn at(&self) -> Location {
        Location::File(self.folder.path().join("mouse.gallery"))
    }

    fn problem(&self, error: &Error) -> Problem {
        Problem::of(error, &self.at())
    }

    /// Enrols somebody; the first time, the gallery is made.
    pub(crate) fn enrol(&self, recording: &Corpus) -> Result<Entry, Problem> {
        let mut kept = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let options = EnrollOptions { replace: true, strict: true, ..Default::default() };
        let desk = match kept.as_ref() {
            Some(desk) => desk.clone(),
            None => {
                let founding = FoundingOptions {
                    people: Some(Arc::clone(people()?)),
                    shortest_ms: Some(RESTS_MS[0]),
                    longest_ms: Some(RESTS_MS[1]),
                    pseudonyms: false,
                };
                let (at, secret) = (self.at(), Some(&self.secret));
                let made = Recognizer::open_or_create(
                    &at, secret, &founding, recording, &options, &Unwatched,
                );
                made.map_err(|error| self.problem(&error))?.0
            }
        };
        let enrolled = desk.enroll(recording, &options, &Unwatched);
        let enrolled = enrolled.map_err(|error| self.problem(&error))?;
        *kept = Some(desk);
        let reader = enrolled.readers.into_iter().next();
        reader.ok_or_else(|| Problem::bug("nobody was enrolled, and nothing was said"))
    }

    fn desk(&self) -> Result<Recognizer, Problem> {
        let kept = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clone().ok_or_else(|| Problem::not_found("nobody is enrolled yet"))
    }

    /// Whether a recording is of somebody who is enrolled here.
    pub(crate) fn verify(&self, recording: &Corpus, reader: &str) -> Result<Verification, Problem> {
        let options = VerifyOptions { fmr: Some(RATE), ..Default::default() };
        let answer = self.desk()?.verify(recording, reader, &options);
        answer.map_err(|error| self.problem(&error))
    }

    /// The gallery as a file, for whoever wants to keep it.
    pub(crate) fn saved(&self) -> Result<Vec<u8>, Problem> {
        let folder = tempfile::tempdir().map_err(|error| unwritable(&error))?;
        let file = folder.path().join("copy.gallery");
        let copied = self.desk()?.copy_to(&Location::File(file.clone()), None);
        drop(copied.map_err(|error| self.problem(&error))?);
        fs::read(&file).map_err(|error| unwritable(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Scopes;

    #[test]
    fn texts_are_long_enough() {
        let texts = texts();
        assert!(texts.len() >= 7);
        for text in &texts {
            let words = text.text().unwrap().lines()[0].words().len();
            assert!((45..75).contains(&words), "{}: {words} words", text.text);
        }
    }

    fn caller(session: &str) -> Caller {
        let session = Some(session.to_owned());
        Caller { id: "page".to_owned(), scopes: Scopes::all(), session }
    }

    #[test]
    fn rooms_are_their_owners() {
        let (rooms, page) = (Rooms::default(), caller("a"));
        let id = rooms.make(&page).unwrap();
        assert!(rooms.find(&id, "another").is_err() && rooms.leave(&id, "another").is_err());
        let room = rooms.find(&id, "page").unwrap();
        assert!(room.desk().is_err());
        let folder = room.folder.path().to_owned();
        rooms.leave(&id, "page").unwrap();
        drop(room);
        assert!(!folder.exists() && rooms.find(&id, "page").is_err());
        let made: Vec<String> = (0..=MOST_OF_ONE).map(|_| rooms.make(&page).unwrap()).collect();
        assert!(rooms.find(&made[0], "page").is_err() && rooms.find(&made[1], "page").is_ok());
    }

    #[test]
    fn rooms_are_gone_when_the_page_logs_out_or_their_time_is_over() {
        let rooms = Rooms::default();
        let [left, other] = ["a", "b"].map(|session| rooms.make(&caller(session)).unwrap());
        let folder = |id| rooms.find(id, "page").unwrap().folder.path().to_owned();
        let folders = [folder(&left), folder(&other)];
        rooms.leave_all("a");
        assert_eq!([0, 1].map(|i| folders[i].exists()), [false, true]);
        rooms.sweep(Instant::now());
        assert!(rooms.find(&other, "page").is_ok());
        rooms.sweep(Instant::now() + LASTS);
        assert!(!folders[1].exists());
    }
}
