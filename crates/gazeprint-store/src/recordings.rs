//! What a reader read, as it is kept: enough to learn the reader anew.
//!
//! Kept are places of words, fixations on them, and how the eye moved. The words themselves are not.

use std::collections::BTreeMap;

use gazeprint::corpus::{Chars, Corpus, CorpusError, Fixation, Line, Millis, Scanpath, Text, Word};
use gazeprint::kinematics::Kinematics;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One reading of one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    text: Layout,
    session: String,
    trial: String,
    order: Option<f64>,
    fixations: Vec<Mark>,
    /// Places in degrees and kinematics, by fixation; empty where nothing is known of any.
    motions: Vec<MotionMark>,
}

/// A recording as it was kept when fixations on words were all there was.
#[derive(Deserialize)]
pub(crate) struct RecordingOfWords {
    text: Layout,
    session: String,
    trial: String,
    order: Option<f64>,
    fixations: Vec<Mark>,
}

impl From<RecordingOfWords> for Recording {
    fn from(before: RecordingOfWords) -> Self {
        let RecordingOfWords { text, session, trial, order, fixations } = before;
        Self { text, session, trial, order, fixations, motions: Vec::new() }
    }
}

/// A place in degrees, and nine values of kinematics.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct MotionMark(Option<[f32; 2]>, [Option<f32>; 9]);

impl From<&Fixation> for MotionMark {
    fn from(fixation: &Fixation) -> Self {
        let k = &fixation.kinematics;
        let saccade = [k.dx, k.dy, k.duration, k.peak_velocity, k.skew];
        let [dx, dy, duration, peak, skew] = saccade;
        let values = [dx, dy, duration, peak, skew, k.sd_x, k.sd_y, k.drift_x, k.drift_y];
        Self(fixation.place, values)
    }
}

impl MotionMark {
    /// The same fixation, with how the eye moved.
    fn put(self, fixation: Fixation) -> Fixation {
        let Self(place, [dx, dy, duration, peak_velocity, skew, sd_x, sd_y, drift_x, drift_y]) =
            self;
        let saccade = Kinematics { dx, dy, duration, peak_velocity, skew, ..Default::default() };
        let kinematics = Kinematics { sd_x, sd_y, drift_x, drift_y, ..saccade };
        Fixation { place, kinematics, ..fixation }
    }
}

/// A text without its words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Layout {
    id: String,
    group: Option<String>,
    /// Number of the line, and its words.
    lines: Vec<(i32, Vec<WordPlace>)>,
}

/// Number, start and end of a word.
type WordPlace = (u32, i32, i32);

/// Line, place in characters, duration and onset in ms, and whether signal was lost before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Mark(Option<i32>, Option<f64>, Option<f64>, Option<f64>, bool);

/// Recordings that cannot be added to those there are.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// They are there already.
    #[error(
        "{known} of {given} recordings are enrolled already; enrol only new ones, or start the reader \
         anew"
    )]
    Known {
        /// As many as are there.
        known: usize,
        /// As many as were given.
        given: usize,
    },
    /// Another recording has its name.
    #[error(
        "text {text:?}, session {session}, trial {trial} is enrolled already with other fixations; \
         tell the sessions apart in the column `session`, or start the reader anew"
    )]
    Other {
        /// Name of the text.
        text: String,
        /// The session.
        session: String,
        /// The trial.
        trial: String,
    },
}

impl Recording {
    /// What tells recordings of a reader apart, and the order that they are kept in.
    fn key(&self) -> (&Layout, &str, &str) {
        (&self.text, &self.session, &self.trial)
    }
}

impl Recording {
    /// The fixations as they were recorded.
    fn recorded(&self) -> Vec<Fixation> {
        let mut fixations: Vec<Fixation> = self.fixations.iter().map(Fixation::from).collect();
        for (fixation, motion) in fixations.iter_mut().zip(&self.motions) {
            *fixation = motion.put(*fixation);
        }
        fixations
    }
}

impl Layout {
    fn of(text: &Text) -> Self {
        let words = |line: &Line| line.words().iter().map(|w| (w.index, w.start, w.end)).collect();
        Self {
            id: text.id().to_owned(),
            group: text.group.clone(),
            lines: text.lines().iter().map(|line| (line.number(), words(line))).collect(),
        }
    }

    fn text(&self, id: String) -> Result<Text, CorpusError> {
        let word = |&(index, start, end): &WordPlace| Word { index, form: None, start, end };
        let line =
            |(number, words): &(i32, Vec<_>)| Line::new(*number, words.iter().map(word).collect());
        let lines = self.lines.iter().map(line).collect::<Result<_, _>>()?;
        let mut text = match self.lines.is_empty() {
            true => Text::without_words(id),
            false => Text::new(id, lines)?,
        };
        text.group.clone_from(&self.group);
        Ok(text)
    }
}

impl From<&Fixation> for Mark {
    fn from(fixation: &Fixation) -> Self {
        let Fixation { line, x, duration, onset, gap, .. } = *fixation;
        Self(line, x.map(|x| x.0), duration.map(|d| d.0), onset.map(|o| o.0), gap)
    }
}

impl From<&Mark> for Fixation {
    fn from(&Mark(line, x, duration, onset, gap): &Mark) -> Self {
        Self {
            line,
            x: x.map(Chars),
            duration: duration.map(Millis),
            onset: onset.map(Millis),
            gap,
            ..Self::default()
        }
    }
}

/// How the eye moved, where that is known of any fixation.
fn motions(fixations: &[Fixation]) -> Vec<MotionMark> {
    let is_known = |f: &Fixation| f.place.is_some() || !f.kinematics.is_empty();
    match fixations.iter().any(is_known) {
        true => fixations.iter().map(MotionMark::from).collect(),
        false => Vec::new(),
    }
}

/// The recordings of each reader of a corpus, in the order of its readers.
pub fn recordings(corpus: &Corpus) -> Vec<Vec<Recording>> {
    let layouts: Vec<Layout> = corpus.texts().iter().map(Layout::of).collect();
    let mut by_reader = vec![Vec::new(); corpus.readers().len()];
    for path in corpus.scanpaths() {
        by_reader[path.reader].push(Recording {
            text: layouts[path.text].clone(),
            session: path.session.clone(),
            trial: path.trial.clone(),
            order: path.order,
            fixations: path.fixations.iter().map(Mark::from).collect(),
            motions: motions(&path.fixations),
        });
    }
    for recordings in &mut by_reader {
        recordings.sort_by(|a, b| a.key().cmp(&b.key()));
    }
    by_reader
}

/// What was recorded before and what is new, in the order in which they are kept: whether somebody is
/// enrolled at once or in steps makes no difference.
///
/// # Errors
/// If any of the new ones is there already.
pub fn merged(
    mut known: Vec<Recording>,
    new: Vec<Recording>,
) -> Result<Vec<Recording>, MergeError> {
    let (given, mut again) = (new.len(), 0);
    for recording in &new {
        let name = |r: &Recording| (r.text.id.clone(), r.session.clone(), r.trial.clone());
        let same = known.iter().filter(|k| name(k) == name(recording));
        for there in same {
            if (&there.fixations, &there.motions) != (&recording.fixations, &recording.motions) {
                let (text, session, trial) = name(recording);
                return Err(MergeError::Other { text, session, trial });
            }
            again += 1;
        }
    }
    if again > 0 {
        return Err(MergeError::Known { known: again, given });
    }
    known.extend(new);
    known.sort_by(|a, b| a.key().cmp(&b.key()));
    Ok(known)
}

/// The corpus of some readers with their recordings. Texts of one name that have other words get
/// names of their own.
///
/// # Errors
/// If a text or a reader is none that a corpus can have.
pub fn corpus(name: &str, readers: &[(String, Vec<Recording>)]) -> Result<Corpus, CorpusError> {
    let mut places: BTreeMap<&Layout, usize> = BTreeMap::new();
    for recording in readers.iter().flat_map(|(_, recordings)| recordings) {
        places.insert(&recording.text, 0);
    }
    let mut texts: Vec<Text> = Vec::with_capacity(places.len());
    let mut last: Option<(&str, usize)> = None;
    for (place, (layout, number)) in places.iter_mut().enumerate() {
        // Those of one name come one after another.
        let again = last.filter(|(id, _)| *id == layout.id).map_or(0, |(_, again)| again + 1);
        last = Some((&layout.id, again));
        let id = match again {
            0 => layout.id.clone(),
            again => format!("{}\u{0}{again}", layout.id),
        };
        texts.push(layout.text(id)?);
        *number = place;
    }
    let mut scanpaths = Vec::new();
    for (reader, (_, recordings)) in readers.iter().enumerate() {
        scanpaths.extend(recordings.iter().map(|recording| Scanpath {
            reader,
            text: places[&recording.text],
            session: recording.session.clone(),
            trial: recording.trial.clone(),
            order: recording.order,
            fixations: recording.recorded(),
        }));
    }
    let names = readers.iter().map(|(name, _)| name.clone()).collect();
    Corpus::new(name, names, texts, scanpaths)
}

#[cfg(test)]
mod tests {
    use gazeprint::simulate::SimulationParams;

    use super::*;

    fn simulated() -> Corpus {
        let people = SimulationParams { readers: 3, texts: 12, ..Default::default() };
        people.build().unwrap().run()
    }

    fn named(corpus: &Corpus) -> Vec<(String, Vec<Recording>)> {
        corpus.readers().iter().cloned().zip(recordings(corpus)).collect()
    }

    #[test]
    fn a_corpus_comes_back_without_its_words() {
        let original = simulated();
        let again = corpus(original.name(), &named(&original)).unwrap();
        assert_eq!(again.readers(), original.readers());
        assert_eq!(again.fixation_count(), original.fixation_count());
        assert_eq!(named(&again), named(&original));
        let words =
            |c: &Corpus| c.texts().iter().flat_map(Text::lines).flat_map(Line::words).count();
        assert_eq!(words(&again), words(&original));
        assert!(again.texts()[0].lines()[0].words().iter().all(|w| w.form.is_none()));
    }

    #[test]
    fn steps_make_no_difference() {
        let all = recordings(&simulated()).swap_remove(1);
        let (later, first): (Vec<_>, Vec<_>) =
            all.iter().cloned().enumerate().partition(|(i, _)| i % 3 == 0);
        let only = |numbered: Vec<(usize, Recording)>| numbered.into_iter().map(|n| n.1).collect();
        assert_eq!(merged(only(first), only(later)).unwrap(), all);
    }

    #[test]
    fn nothing_is_enrolled_twice() {
        let all = recordings(&simulated()).swap_remove(0);
        let given = all.len();
        let again = merged(all.clone(), all.clone());
        assert_eq!(again.unwrap_err(), MergeError::Known { known: given, given });
        let mut other = all[0].clone();
        other.fixations.pop();
        let error = merged(all, vec![other]).unwrap_err();
        assert!(matches!(error, MergeError::Other { .. }), "{error}");
    }

    #[test]
    fn texts_of_one_name_with_other_words_are_two() {
        let simulated = named(&simulated());
        let mut readers = simulated;
        for recording in &mut readers[1].1 {
            recording.text.lines[0].1[0].2 -= i32::from(recording.text.lines[0].1[0].2 > 1);
        }
        let mixed = corpus("mixed", &readers).unwrap();
        assert!(mixed.texts().len() > 12);
    }
}
