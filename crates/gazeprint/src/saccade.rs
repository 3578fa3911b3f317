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

mod motions;

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::motions::Track;
use crate::corpus::{Corpus, DropReason, Drops, Fixation, Landing, Limits, Line, Text};
use crate::kinds::kinds;
use crate::kinematics::Motion;
use crate::situation::{Reach, Situation};

pub use self::motions::doubts;

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
    /// Motions of the reading up to this fixation, its own with them.
    pub motions: usize,
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
    limits: Limits,
    reach: Reach,
    track: Track,
    /// Motions so far.
    motions: usize,
    /// Whether signal was lost since the last landing.
    lost: bool,
    /// The landing before, with its line; none where a pass starts.
    before: Option<(usize, Landing)>,
}

/// What a fixation shows.
pub(crate) struct Sight {
    pub(crate) motion: Option<Motion>,
    /// The event, none on a page without words; or why the fixation does not count.
    pub(crate) event: Result<Option<Event>, DropReason>,
}

impl<T: Deref<Target = Text>> Follower<T> {
    pub(crate) fn new(text: T, limits: Limits) -> Self {
        let reach = Reach::new(&text);
        Self { text, limits, reach, track: Track::default(), motions: 0, lost: false, before: None }
    }

    pub(crate) fn text(&self) -> &Text {
        &self.text
    }

    /// The next fixation.
    ///
    /// A pass starts where the line changes or signal was lost (D2); a loss before a fixation that does
    /// not count is still a loss before the next one that does.
    pub(crate) fn see(&mut self, fixation: &Fixation) -> Sight {
        let (kinematics, _) = self.track.see(fixation);
        if !self.text.has_words() {
            let motion = motions::on_unknown_page(fixation, kinematics, self.limits);
            return Sight { motion: motion.ok(), event: motion.map(|_| None) };
        }
        let motion = motions::motion(fixation, kinematics, self.limits);
        self.motions += usize::from(motion.is_some());
        self.lost |= fixation.gap;
        let landed = self.text.land(fixation, self.limits);
        Sight { motion, event: landed.map(|(line, landing)| Some(self.land(line, landing))) }
    }

    /// The event of a landing. On another line than the one before it, it starts a pass.
    pub(crate) fn land(&mut self, line: usize, landing: Landing) -> Event {
        if std::mem::take(&mut self.lost) {
            self.before = None;
        }
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
            motions: self.motions,
        }
    }
}

/// What was read of a text.
#[derive(Default)]
struct Read {
    events: Vec<Event>,
    motions: Vec<Motion>,
    drops: Drops,
}

impl Read {
    fn of(text: &Text, fixations: &[Fixation], limits: Limits) -> Self {
        let mut follower = Follower::new(text, limits);
        let mut read = Self::default();
        if text.has_words() {
            read.events.reserve(fixations.len());
        }
        for fixation in fixations {
            let Sight { motion, event } = follower.see(fixation);
            read.motions.extend(motion);
            match event {
                Ok(event) => read.events.extend(event),
                Err(reason) => read.drops.count(reason),
            }
        }
        read
    }

    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.motions.is_empty()
    }
}

/// What each fixation on a text shows: its event, none on a page without words; or why it does not
/// count.
pub fn outcomes(
    text: &Text,
    fixations: &[Fixation],
    limits: Limits,
) -> Vec<Result<Option<Event>, DropReason>> {
    let mut follower = Follower::new(text, limits);
    fixations.iter().map(|fixation| follower.see(fixation).event).collect()
}

/// The events of fixations on a text, and what was dropped.
pub fn events(text: &Text, fixations: &[Fixation], limits: Limits) -> (Vec<Event>, Drops) {
    let Read { events, drops, .. } = Read::of(text, fixations, limits);
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
    /// Place in the order in which the reader read, where known.
    pub order: Option<f64>,
    /// Its fixations on words; empty where its words are unknown, or nothing but kinematics counts.
    pub events: Vec<Event>,
    /// Its fixations, also those off the text, of whose kinematics something is known. Where words are
    /// unknown, all that count.
    pub motions: Vec<Motion>,
    /// Whether it was seen to its end.
    pub complete: bool,
    /// By line of the text: [`Line::bounds`]. Empty where its words are unknown.
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
        let read = Read::of(text, fixations, limits);
        (!read.is_empty()).then(|| Self {
            events: read.events,
            motions: read.motions,
            complete: true,
            ..self.clone()
        })
    }

    /// Whether the words of its text are known.
    pub fn has_words(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// Number of fixations that count: those on words, and all where words are unknown.
    pub fn fixations(&self) -> usize {
        if self.has_words() { self.events.len() } else { self.motions.len() }
    }

    /// How long each of them lasted, ms.
    pub fn durations(&self) -> impl Iterator<Item = f64> {
        let unknown = if self.has_words() { &[][..] } else { &self.motions };
        let known = self.events.iter().map(|event| event.duration);
        known.chain(unknown.iter().map(|motion| motion.duration))
    }

    /// Motions that were seen by the time of so many fixations that count.
    pub(crate) fn motions_until(&self, fixations: usize) -> usize {
        let seen = match self.has_words() {
            true => self.events[..fixations.min(self.events.len())].last().map_or(0, |e| e.motions),
            false => fixations,
        };
        seen.min(self.motions.len())
    }

    /// A copy of its first fixations, so many, whose end is not known to be one.
    pub fn until(&self, fixations: usize) -> Self {
        let events = self.events.len().min(fixations);
        Self {
            events: self.events[..events].to_vec(),
            motions: self.motions[..self.motions_until(fixations)].to_vec(),
            complete: false,
            bounds: Arc::clone(&self.bounds),
            ..*self
        }
    }

    /// A copy of what was seen after its first fixations, so many.
    pub(crate) fn since(&self, fixations: usize) -> Self {
        let (events, motions) = (self.events.len().min(fixations), self.motions_until(fixations));
        let later = |event: &Event| Event { motions: event.motions - motions, ..*event };
        Self {
            events: self.events[events..].iter().map(later).collect(),
            motions: self.motions[motions..].to_vec(),
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

/// As [`readings`], those alone that have a fixation on a word: what methods that need words learn
/// from.
pub fn readings_of_words(corpus: &Corpus, limits: Limits) -> (Vec<Reading>, Drops) {
    let (mut readings, drops) = readings(corpus, limits);
    readings.retain(|reading| !reading.events.is_empty());
    (readings, drops)
}

/// All readings of a corpus with at least one fixation that counts, on a word or by its kinematics,
/// and what was dropped.
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
        let read = Read::of(text, &path.fixations, limits);
        drops += read.drops;
        if !read.is_empty() {
            let (reader, text) = (path.reader, path.text);
            readings.push(Reading {
                reader,
                text,
                scanpath,
                unit: units[text],
                session,
                order: path.order.filter(|order| order.is_finite()),
                events: read.events,
                motions: read.motions,
                complete: true,
                bounds: Arc::clone(&bounds[text]),
            });
        }
    }
    (readings, drops)
}
