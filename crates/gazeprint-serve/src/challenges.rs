//! Challenges: texts drawn at random that the next verification must be of. Each is answered once, and soon, so that
//! a recording that was made before is of the wrong texts.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gazeprint::corpus::Corpus;

use crate::access::random_hex;
use crate::problem::Problem;

/// Challenges that are remembered at once.
const MOST: usize = 10_000;
/// How long it is remembered that one was answered or is over, to say so.
const REMEMBERED: Duration = Duration::from_hours(1);

struct Challenge {
    caller: String,
    reader: String,
    texts: Vec<String>,
    ends: Instant,
    is_answered: bool,
}

/// Challenges that were made. They are gone when the server ends.
pub(crate) struct Challenges {
    valid_for: Duration,
    made: Mutex<HashMap<String, Challenge>>,
}

impl Challenges {
    /// Each valid for so long.
    pub(crate) fn new(valid_for: Duration) -> Self {
        Self { valid_for, made: Mutex::new(HashMap::new()) }
    }

    pub(crate) fn valid_for(&self) -> Duration {
        self.valid_for
    }

    /// Makes one, for the claim that somebody is a reader.
    pub(crate) fn make(
        &self,
        caller: &str,
        reader: &str,
        texts: Vec<String>,
    ) -> Result<String, Problem> {
        let id = random_hex::<16>().map_err(|error| Problem::bug(error.to_string()))?;
        let now = Instant::now();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|_, challenge| now < challenge.ends + REMEMBERED);
        if made.len() >= MOST {
            made.retain(|_, challenge| now < challenge.ends && !challenge.is_answered);
        }
        if made.len() >= MOST {
            return Err(Problem::busy());
        }
        let (caller, reader) = (caller.to_owned(), reader.to_owned());
        let ends = now + self.valid_for;
        let challenge = Challenge { caller, reader, texts, ends, is_answered: false };
        made.insert(id.clone(), challenge);
        Ok(id)
    }

    /// The texts of a challenge, which is answered with this, whatever the answer.
    pub(crate) fn answer(
        &self,
        id: &str,
        caller: &str,
        reader: &str,
    ) -> Result<Vec<String>, Problem> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        // Others' challenges are none of anybody's business.
        let challenge = made.get_mut(id).filter(|challenge| challenge.caller == caller);
        let challenge = challenge.ok_or_else(|| {
            Problem::challenge("there is no such challenge; POST /v1/challenges makes one")
        })?;
        if challenge.is_answered {
            return Err(Problem::challenge("the challenge was answered before; ask for another"));
        }
        challenge.is_answered = true;
        if challenge.ends <= Instant::now() {
            return Err(Problem::challenge("the challenge is over; ask for another"));
        }
        if challenge.reader != reader {
            return Err(Problem::challenge("the challenge is another reader's; ask for another"));
        }
        Ok(std::mem::take(&mut challenge.texts))
    }
}

/// Refuses a recording that is not of all texts of a challenge, and of no others.
pub(crate) fn check_texts(asked: &[String], recording: &Corpus) -> Result<(), Problem> {
    let of = |path: &gazeprint::corpus::Scanpath| recording.texts()[path.text].id();
    let read: BTreeSet<&str> = recording.scanpaths().iter().map(of).collect();
    let asked: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    match read == asked {
        true => Ok(()),
        false => Err(Problem::challenge(
            "the recording is not of the texts of the challenge; ask for another, and read all of its texts",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_answered_once_by_whom_it_was_made_for() {
        let challenges = Challenges::new(Duration::from_secs(60));
        let texts = || vec!["s1".to_owned()];
        let make = || challenges.make("shop", "anna", texts()).unwrap();
        let id = make();
        assert!(challenges.answer(&id, "another", "anna").is_err());
        assert_eq!(challenges.answer(&id, "shop", "anna").unwrap(), texts());
        let told =
            |id: &str, reader: &str| challenges.answer(id, "shop", reader).unwrap_err().detail;
        assert!(told(&id, "anna").contains("answered before"));
        let others = make();
        assert!(told(&others, "ben").contains("another reader"));
        assert!(told(&others, "anna").contains("answered before"));
        assert!(told("none", "anna").contains("no such"));
        let over = Challenges::new(Duration::ZERO);
        let id = over.make("shop", "anna", texts()).unwrap();
        assert!(over.answer(&id, "shop", "anna").unwrap_err().detail.contains("over"));
    }
}
