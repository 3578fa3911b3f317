//! Saccade types and the intervals that amplitudes are confined to (section 3 of the model).
//!
//! With `c` the word fixated before, `s` the position before, `a` the move, and `[L_i, H_i)` the
//! region of word `i`:
//!
//! | u | type | when | density of | confined to |
//! |---|---|---|---|---|
//! | 1 | refixation | same word, a > 0 | alpha1(a) | [0, H_c - s] |
//! | 1 | refixation | same word, a <= 0 | alpha1bar(-a) | [0, s - L_c] |
//! | 2 | next word | word c+1 | alpha2(a) | [L_{c+1} - s, H_{c+1} - s] |
//! | 3 | forward skip | word > c+1 | alpha3(a) | [H_{c+1} - s, inf) |
//! | 4 | regression | word < c | alpha4(-a) | [s - L_c, inf) |

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::corpus::{Corpus, Drops, Fixation, Landing, Limits, Line, Pass, Text};
use crate::kinds::kinds;
use crate::situation::{Reach, Situation};

/// Smallest amplitude that is told from zero, in characters (D4).
const MIN_AMPLITUDE: f64 = 1e-3;
/// Smallest finite right bound of an amplitude, in characters (D4).
const MIN_UPPER: f64 = 2e-3;

kinds! {
    /// The paper's saccade type u, 1 to 4.
    pub enum SaccadeType, one of each in ByType {
        /// To another place in the same word.
        Refixation,
        /// To the next word.
        NextWord,
        /// Over at least one word.
        ForwardSkip,
        /// To an earlier word.
        Regression,
    }
}

impl SaccadeType {
    /// The name used in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refixation => "refixation",
            Self::NextWord => "next_word",
            Self::ForwardSkip => "forward_skip",
            Self::Regression => "regression",
        }
    }
}

kinds! {
    /// The eleven densities of a reader.
    #[derive(Serialize, Deserialize)]
    pub enum DensityId {
        /// Place of the first fixation on a line.
        Alpha0,
        /// Refixation to the right.
        Alpha1,
        /// Refixation to the left.
        Alpha1Bar,
        /// To the next word.
        Alpha2,
        /// Forward skip.
        Alpha3,
        /// Regression.
        Alpha4,
        /// Duration of the first fixation on a line, ms.
        Delta0,
        /// Duration after a refixation.
        Delta1,
        /// Duration after a move to the next word.
        Delta2,
        /// Duration after a forward skip.
        Delta3,
        /// Duration after a regression.
        Delta4,
    }
}

/// The intervals that observations of a density are confined to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truncation {
    /// None.
    Full,
    /// [0, r].
    Upper,
    /// [l, inf).
    Lower,
    /// [l, r].
    Both,
}

impl DensityId {
    /// The name used in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alpha0 => "alpha0",
            Self::Alpha1 => "alpha1",
            Self::Alpha1Bar => "alpha1bar",
            Self::Alpha2 => "alpha2",
            Self::Alpha3 => "alpha3",
            Self::Alpha4 => "alpha4",
            Self::Delta0 => "delta0",
            Self::Delta1 => "delta1",
            Self::Delta2 => "delta2",
            Self::Delta3 => "delta3",
            Self::Delta4 => "delta4",
        }
    }

    /// Whether this is a density of durations (ms) rather than of amplitudes (characters).
    pub fn is_duration(self) -> bool {
        self >= Self::Delta0
    }

    /// How its observations are confined.
    pub fn truncation(self) -> Truncation {
        match self {
            Self::Alpha1 | Self::Alpha1Bar => Truncation::Upper,
            Self::Alpha2 => Truncation::Both,
            Self::Alpha3 | Self::Alpha4 => Truncation::Lower,
            Self::Alpha0
            | Self::Delta0
            | Self::Delta1
            | Self::Delta2
            | Self::Delta3
            | Self::Delta4 => Truncation::Full,
        }
    }

    /// The duration density of a fixation reached by `kind`; `None` is the first of a pass.
    pub fn of_duration(kind: Option<SaccadeType>) -> Self {
        match kind {
            None => Self::Delta0,
            Some(SaccadeType::Refixation) => Self::Delta1,
            Some(SaccadeType::NextWord) => Self::Delta2,
            Some(SaccadeType::ForwardSkip) => Self::Delta3,
            Some(SaccadeType::Regression) => Self::Delta4,
        }
    }
}

/// A value with the interval it is confined to; `upper` may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The value.
    pub value: f64,
    /// Left end of the interval.
    pub lower: f64,
    /// Right end of the interval.
    pub upper: f64,
}

impl Observation {
    /// A value that may lie anywhere above zero.
    pub fn free(value: f64) -> Self {
        Self { value, lower: 0.0, upper: f64::INFINITY }
    }
}

/// One fixation with the saccade that led to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// How the eye came here; `None` for the first fixation of a pass.
    pub kind: Option<SaccadeType>,
    /// Density of the amplitude.
    pub density: DensityId,
    /// The amplitude (or, for the first fixation, the place on the line), in characters.
    pub amplitude: Observation,
    /// Duration in ms.
    pub duration: f64,
    /// Where the eye is now.
    pub x: f64,
    /// Index of the line in the text.
    pub line: usize,
    /// Index of the word on the line.
    pub word: usize,
    /// Where on the text that is.
    pub situation: Situation,
}

impl Event {
    /// The signed move in characters; `None` for the first fixation of a pass.
    pub fn step(&self) -> Option<f64> {
        let leftwards = matches!(self.density, DensityId::Alpha1Bar | DensityId::Alpha4);
        self.kind.map(|_| if leftwards { -self.amplitude.value } else { self.amplitude.value })
    }

    /// The duration with the density it belongs to.
    pub fn duration_density(&self) -> DensityId {
        DensityId::of_duration(self.kind)
    }
}

/// The saccade from one landing to the next on a line: its type, density and interval.
pub fn classify(
    line: &Line,
    from: &Landing,
    to: &Landing,
) -> (SaccadeType, DensityId, Observation) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (s, a, c) = (from.x, to.x - from.x, from.word);
    let (left, right) = line.region(c);
    let (kind, density, lower, upper) = match to.word.cmp(&c) {
        Equal if a > 0.0 => (SaccadeType::Refixation, DensityId::Alpha1, 0.0, right - s),
        Equal => (SaccadeType::Refixation, DensityId::Alpha1Bar, 0.0, s - left),
        Greater => {
            let (next_left, next_right) = line.region(c + 1);
            if to.word == c + 1 {
                (SaccadeType::NextWord, DensityId::Alpha2, next_left - s, next_right - s)
            } else {
                (SaccadeType::ForwardSkip, DensityId::Alpha3, next_right - s, f64::INFINITY)
            }
        }
        Less => (SaccadeType::Regression, DensityId::Alpha4, s - left, f64::INFINITY),
    };
    // Subtraction may round a value past a bound that it lies on.
    let upper = upper.max(MIN_UPPER);
    let value = a.abs().max(MIN_AMPLITUDE).clamp(lower, upper);
    (kind, density, Observation { value, lower, upper })
}

/// Follows a reading of a text from fixation to fixation.
#[derive(Debug, Clone)]
pub(crate) struct Follower<T> {
    text: T,
    reach: Reach,
    /// The landing before, with its line; none where a pass starts.
    before: Option<(usize, Landing)>,
}

impl<T: Deref<Target = Text>> Follower<T> {
    pub(crate) fn new(text: T) -> Self {
        Self { reach: Reach::new(&text), text, before: None }
    }

    pub(crate) fn text(&self) -> &Text {
        &self.text
    }

    /// A new pass starts with the next fixation.
    pub(crate) fn start_pass(&mut self) {
        self.before = None;
    }

    /// The next fixation. On another line than the one before it, it starts a pass.
    pub(crate) fn see(&mut self, line: usize, landing: Landing) -> Event {
        let words = &self.text.lines()[line];
        let (kind, density, amplitude) = match &self.before {
            Some((before, from)) if *before == line => {
                let (kind, density, amplitude) = classify(words, from, &landing);
                (Some(kind), density, amplitude)
            }
            _ => {
                let place = (landing.x - words.region(0).0).max(MIN_AMPLITUDE);
                (None, DensityId::Alpha0, Observation::free(place))
            }
        };
        self.before = Some((line, landing));
        Event {
            kind,
            density,
            amplitude,
            duration: landing.duration,
            x: landing.x,
            line,
            word: landing.word,
            situation: self.reach.see(&self.text, line, &landing),
        }
    }
}

/// The events of fixations on a text, and what was dropped.
pub fn events(text: &Text, fixations: &[Fixation], limits: Limits) -> (Vec<Event>, Drops) {
    let (passes, drops) = text.passes(fixations, limits);
    let mut events = Vec::with_capacity(passes.iter().map(|p| p.landings.len()).sum());
    let mut follower = Follower::new(text);
    for Pass { line, landings } in passes {
        follower.start_pass();
        events.extend(landings.into_iter().map(|landing| follower.see(line, landing)));
    }
    (events, drops)
}

/// One reading of one text, as the models see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Index of the reader in the corpus.
    pub reader: usize,
    /// Index of the text in the corpus.
    pub text: usize,
    /// Index of the scanpath in the corpus.
    pub scanpath: usize,
    /// The first text, as an index, of the group that the text belongs to; the text itself where it
    /// has no group. Readings of one unit stay together when a corpus is divided.
    pub unit: usize,
    /// The session, by the place of its name among those of the corpus.
    pub session: usize,
    /// Its fixations; not empty.
    pub events: Vec<Event>,
    /// Whether it was seen to its end.
    pub complete: bool,
    /// By line of the text: [`Line::bounds`].
    pub bounds: Arc<[Vec<f64>]>,
}

impl Reading {
    /// Another reading of the same text, in the place of this one; none where no fixation counts.
    pub fn with_fixations(
        &self,
        text: &Text,
        fixations: &[Fixation],
        limits: Limits,
    ) -> Option<Self> {
        let (events, _) = events(text, fixations, limits);
        (!events.is_empty()).then(|| Self { events, complete: true, ..self.clone() })
    }

    /// A copy of its first fixations, so many, whose end is not known to be one.
    pub fn until(&self, fixations: usize) -> Self {
        Self {
            events: self.events[..fixations.min(self.events.len())].to_vec(),
            complete: false,
            bounds: Arc::clone(&self.bounds),
            ..*self
        }
    }

    /// The fixations, each with the one before it in its pass.
    pub fn with_previous(&self) -> impl Iterator<Item = (Option<&Event>, &Event)> {
        let before = std::iter::once(None).chain(self.events.iter().map(Some));
        before
            .zip(&self.events)
            .map(|(before, event)| (before.filter(|_| event.kind.is_some()), event))
    }
}

/// All readings of a corpus with at least one fixation that counts, and what was dropped.
pub fn readings(corpus: &Corpus, limits: Limits) -> (Vec<Reading>, Drops) {
    let mut drops = Drops::default();
    let mut readings = Vec::with_capacity(corpus.scanpaths().len());
    let mut groups = HashMap::new();
    let units: Vec<usize> = corpus
        .texts()
        .iter()
        .enumerate()
        .map(|(i, text)| text.group.as_deref().map_or(i, |group| *groups.entry(group).or_insert(i)))
        .collect();
    let mut sessions = HashMap::new();
    let bounds_of = |text: &Text| text.lines().iter().map(|l| l.bounds().to_vec()).collect();
    let bounds: Vec<Arc<[Vec<f64>]>> = corpus.texts().iter().map(bounds_of).collect();
    for (scanpath, path) in corpus.scanpaths().iter().enumerate() {
        let known = sessions.len();
        let session = *sessions.entry(path.session.as_str()).or_insert(known);
        let text = &corpus.texts()[path.text];
        let (events, dropped) = events(text, &path.fixations, limits);
        drops += dropped;
        if !events.is_empty() {
            let (reader, text) = (path.reader, path.text);
            readings.push(Reading {
                reader,
                text,
                scanpath,
                unit: units[text],
                session,
                events,
                complete: true,
                bounds: Arc::clone(&bounds[text]),
            });
        }
    }
    (readings, drops)
}
