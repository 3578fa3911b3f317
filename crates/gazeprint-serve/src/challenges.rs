//! Challenges: texts drawn at random that the next verification must be of. Each is answered once, and soon, so that
//! a recording that was made before is of the wrong texts. That a recording is of a text is believed of its fixations, not
//! of the name that it gives: they must lie on the lines of the text that the server keeps, and be enough for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gazeprint::corpus::{Chars, Corpus, Fixation, Scanpath, Text};

use crate::access::random_hex;
use crate::problem::Problem;

/// Challenges that are remembered at once, in all and of one caller.
const MOST: usize = 10_000;
const MOST_OF_ONE: usize = 1000;
/// How long it is remembered that one was answered or is over, to say so.
const REMEMBERED: Duration = Duration::from_hours(1);

struct Challenge {
    caller: String,
    reader: String,
    texts: Vec<String>,
    ends: Instant,
    is_answered: bool,
}

/// The part of fixations that must lie on the lines of their texts: some miss the margins.
const ON_LINES: f64 = 0.75;
/// Fixations on its lines that there must be for each word of a text: people skip a third of words, and some read fast.
const PER_WORD: f64 = 1.0 / 3.0;

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
        let of_caller = |made: &HashMap<String, Challenge>| {
            made.values().filter(|challenge| challenge.caller == caller).count()
        };
        let is_full = |made: &_| of_caller(made) >= MOST_OF_ONE || made.len() >= MOST;
        // What is over is no longer remembered then; whoever asked for too many goes first.
        let is_open = |challenge: &Challenge| now < challenge.ends && !challenge.is_answered;
        if is_full(&made) {
            made.retain(|_, challenge| challenge.caller != caller || is_open(challenge));
        }
        if of_caller(&made) >= MOST_OF_ONE {
            return Err(Problem::too_many("too many challenges are open; answer some", 1));
        }
        if made.len() >= MOST {
            made.retain(|_, challenge| is_open(challenge));
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

/// Refuses a recording that is not of all texts of a challenge, each once, and of no others. The texts of the recording
/// are those that the server keeps.
pub(crate) fn check_texts(asked: &[String], recording: &Corpus) -> Result<(), Problem> {
    let text = |path: &Scanpath| &recording.texts()[path.text];
    let read: BTreeSet<&str> = recording.scanpaths().iter().map(|path| text(path).id()).collect();
    let wanted: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    if read != wanted || recording.scanpaths().len() != wanted.len() {
        return Err(Problem::challenge(
            "the recording is not of the texts of the challenge; ask for another, and read all of its texts, each once",
        ));
    }
    let (mut on, mut placed) = (0, 0);
    for path in recording.scanpaths() {
        let [own, all] = on_lines(text(path), path)?;
        (on, placed) = (on + own, placed + all);
        let words: usize = text(path).lines().iter().map(|line| line.words().len()).sum();
        if (own as f64) < PER_WORD * words as f64 {
            return Err(Problem::challenge(format!(
                "text {:?}: found {own} fixations on its {words} words, expected one for every three words; ask for \
                 another challenge, and read its texts to their ends",
                text(path).id()
            )));
        }
    }
    match f64::from(on) >= ON_LINES * f64::from(placed) {
        true => Ok(()),
        false => Err(Problem::challenge(format!(
            "found {on} of {placed} fixations on the lines of the texts, expected three in four; ask for another challenge"
        ))),
    }
}

/// Fixations of a reading that lie on the lines of its text, and all that have a place.
fn on_lines(text: &Text, path: &Scanpath) -> Result<[u32; 2], Problem> {
    // Degrees would count wherever they were measured, and on whatever.
    let in_degrees =
        |fixation: &Fixation| fixation.place.is_some() || !fixation.kinematics.is_empty();
    if !text.has_words() || path.fixations.iter().any(in_degrees) {
        return Err(Problem::challenge(
            "found places or motions in degrees, expected line, x_char and duration_ms alone: with a challenge, only what \
             lies on its words counts",
        ));
    }
    let [mut on, mut all] = [0, 0];
    for fixation in &path.fixations {
        let Some(Chars(x)) = fixation.x else { continue };
        let line = fixation.line.and_then(|number| text.line_index(number));
        let is_on = line.is_some_and(|line| text.lines()[line].word_at(x).is_some());
        (on, all) = (on + u32::from(is_on), all + 1);
    }
    Ok([on, all])
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
        let many =
            (0..).map(|_| challenges.make("robot", "anna", texts())).take_while(Result::is_ok);
        assert_eq!(many.count(), MOST_OF_ONE);
        assert_eq!(challenges.make("robot", "anna", texts()).unwrap_err().kind, "rate");
        make();
        let over = Challenges::new(Duration::ZERO);
        let id = over.make("shop", "anna", texts()).unwrap();
        assert!(over.answer(&id, "shop", "anna").unwrap_err().detail.contains("over"));
    }
}
