//! Texts, words, fixations: what is observed (sections 2 and D1-D4 of the model).
//!
//! Positions are in *character units*: character `k` of a line covers `[k, k + 1)`. Words tile
//! their line (D1): the blank before a word belongs to it, so that no position between the first
//! and the last word of a line has probability zero.
//!
//! | symbol | field |
//! |---|---|
//! | L_i, H_i | [`Line::region`]`(i)` |
//! | x_t | [`Fixation::x`], [`Landing::x`] |
//! | d_t | [`Fixation::duration`], [`Landing::duration`] |

use std::collections::HashSet;

use thiserror::Error;

use crate::kinematics::Kinematics;

/// A horizontal position or distance in characters.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Chars(pub f64);

/// A time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Millis(pub f64);

/// A word on a line: characters `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Running number of the word in its text, as the corpus counts it.
    pub index: u32,
    /// The word itself, where the corpus has it.
    pub form: Option<String>,
    /// First character.
    pub start: i32,
    /// One past the last character.
    pub end: i32,
}

/// What can be wrong with a text or a scanpath.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A word that covers no character.
    #[error("word {index} covers no character: char_start {start} is not below char_end {end}")]
    EmptyWord {
        /// The word's index.
        index: u32,
        /// Its first character.
        start: i32,
        /// One past its last character.
        end: i32,
    },
    /// Two words that share a character.
    #[error(
        "word {second} starts at character {start}, before word {first} of the same line ends at {end}"
    )]
    OverlappingWords {
        /// Index of the word further left.
        first: u32,
        /// Index of the word further right.
        second: u32,
        /// Where the left one ends.
        end: i32,
        /// Where the right one starts.
        start: i32,
    },
    /// A line without words.
    #[error("line {0} has no words")]
    EmptyLine(i32),
    /// Two lines of a text with one number.
    #[error("line {0} occurs twice")]
    DuplicateLine(i32),
    /// A text without lines.
    #[error("text {0:?} has no lines")]
    EmptyText(String),
    /// Two texts, or two readers, with one name.
    #[error("{0:?} occurs twice")]
    DuplicateName(String),
    /// A scanpath that points at a reader or text which the corpus does not have.
    #[error("scanpath {0} names a reader or a text that the corpus does not have")]
    DanglingScanpath(usize),
    /// Two scanpaths of one reader, text, session and trial.
    #[error(
        "reader {reader:?} has two readings of text {text:?} in session {session}, trial {trial}"
    )]
    DuplicateScanpath {
        /// The reader's name.
        reader: String,
        /// The text's name.
        text: String,
        /// The session.
        session: String,
        /// The trial.
        trial: String,
    },
    /// Limits on durations that no duration can meet.
    #[error(
        "the shortest duration kept ({min} ms) must not be negative, and below the longest ({max} ms)"
    )]
    DurationLimits {
        /// Shortest duration kept, ms.
        min: f64,
        /// Longest duration kept, ms.
        max: f64,
    },
}

/// A line of words, left to right, with their tiled regions.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    number: i32,
    words: Vec<Word>,
    /// Region `i` is `bounds[i]..bounds[i + 1]`.
    bounds: Vec<f64>,
}

impl Line {
    /// Builds a line; words may come in any order.
    ///
    /// # Errors
    /// If there is no word, a word covers nothing, or two words overlap.
    pub fn new(number: i32, mut words: Vec<Word>) -> Result<Self, CorpusError> {
        words.sort_by_key(|w| (w.start, w.end));
        let first = words.first().ok_or(CorpusError::EmptyLine(number))?;
        let mut bounds = vec![f64::from(first.start.saturating_sub(1).min(0))];
        for (i, word) in words.iter().enumerate() {
            if word.start >= word.end {
                let Word { index, start, end, .. } = *word;
                return Err(CorpusError::EmptyWord { index, start, end });
            }
            if i > 0 && words[i - 1].end > word.start {
                return Err(CorpusError::OverlappingWords {
                    first: words[i - 1].index,
                    second: word.index,
                    end: words[i - 1].end,
                    start: word.start,
                });
            }
            bounds.push(f64::from(word.end));
        }
        Ok(Self { number, words, bounds })
    }

    /// The line's number in its text.
    pub fn number(&self) -> i32 {
        self.number
    }

    /// Its words, left to right.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Where the regions of the words begin, and where the last one ends (D1).
    pub fn bounds(&self) -> &[f64] {
        &self.bounds
    }

    /// The region `[L_i, H_i)` of word `i` of this line (D1).
    pub fn region(&self, i: usize) -> (f64, f64) {
        (self.bounds[i], self.bounds[i + 1])
    }

    /// The word whose region holds `x`, if `x` is on the line's text at all.
    pub fn word_at(&self, x: f64) -> Option<usize> {
        let after = self.bounds.partition_point(|&b| b <= x);
        (after > 0 && after < self.bounds.len()).then(|| after - 1)
    }
}

/// A text: one or more lines; none where its words are not known.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    id: String,
    lines: Vec<Line>,
    /// Texts of one group stay on one side of every split.
    pub group: Option<String>,
}

impl Text {
    /// Builds a text; lines may come in any order.
    ///
    /// # Errors
    /// If there is no line or two lines share a number.
    pub fn new(id: impl Into<String>, mut lines: Vec<Line>) -> Result<Self, CorpusError> {
        let id = id.into();
        if lines.is_empty() {
            return Err(CorpusError::EmptyText(id));
        }
        lines.sort_by_key(Line::number);
        if let Some(pair) = lines.windows(2).find(|p| p[0].number == p[1].number) {
            return Err(CorpusError::DuplicateLine(pair[0].number));
        }
        Ok(Self { id, lines, group: None })
    }

    /// A page of which no word is known: it has no lines.
    pub fn without_words(id: impl Into<String>) -> Self {
        Self { id: id.into(), lines: Vec::new(), group: None }
    }

    /// Whether its words are known.
    pub fn has_words(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The text's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its lines, in the order of their numbers; none where its words are not known.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Place of line `number` in [`Text::lines`].
    pub fn line_index(&self, number: i32) -> Option<usize> {
        self.lines.binary_search_by_key(&number, Line::number).ok()
    }
}

/// One fixation as recorded; a missing value is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fixation {
    /// Number of the line looked at.
    pub line: Option<i32>,
    /// Horizontal position.
    pub x: Option<Chars>,
    /// Duration.
    pub duration: Option<Millis>,
    /// Start, from the start of the recording, where known.
    pub onset: Option<Millis>,
    /// Signal loss or a blink before this fixation: a new pass starts here.
    pub gap: bool,
    /// Place on the page, x to the right and y down in degrees, where words are unknown.
    pub place: Option<[f32; 2]>,
    /// How the eye came here and rested, as it was told.
    pub kinematics: Kinematics,
}

/// The fixations of one reading of one text, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Scanpath {
    /// Index into [`Corpus::readers`].
    pub reader: usize,
    /// Index into [`Corpus::texts`].
    pub text: usize,
    /// Recording session.
    pub session: String,
    /// Tells repeated readings of one text in one session apart.
    pub trial: String,
    /// Place in the order in which the reader read the texts, where known.
    pub order: Option<f64>,
    /// The fixations.
    pub fixations: Vec<Fixation>,
}

/// Readers, texts, and who read what how.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    name: String,
    readers: Vec<String>,
    texts: Vec<Text>,
    scanpaths: Vec<Scanpath>,
}

impl Corpus {
    /// Builds a corpus.
    ///
    /// # Errors
    /// If a name occurs twice, a scanpath points outside, or a reading occurs twice.
    pub fn new(
        name: impl Into<String>,
        readers: Vec<String>,
        texts: Vec<Text>,
        scanpaths: Vec<Scanpath>,
    ) -> Result<Self, CorpusError> {
        let mut seen = HashSet::new();
        for (kind, id) in
            readers.iter().map(|r| (0, r.as_str())).chain(texts.iter().map(|t| (1, t.id())))
        {
            if !seen.insert((kind, id)) {
                return Err(CorpusError::DuplicateName(id.to_owned()));
            }
        }
        let mut readings = HashSet::new();
        for (i, s) in scanpaths.iter().enumerate() {
            let (Some(reader), Some(text)) = (readers.get(s.reader), texts.get(s.text)) else {
                return Err(CorpusError::DanglingScanpath(i));
            };
            if !readings.insert((s.reader, s.text, s.session.as_str(), s.trial.as_str())) {
                return Err(CorpusError::DuplicateScanpath {
                    reader: reader.clone(),
                    text: text.id.clone(),
                    session: s.session.clone(),
                    trial: s.trial.clone(),
                });
            }
        }
        Ok(Self { name: name.into(), readers, texts, scanpaths })
    }

    /// What the corpus is called in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of the readers.
    pub fn readers(&self) -> &[String] {
        &self.readers
    }

    /// The texts.
    pub fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// The readings.
    pub fn scanpaths(&self) -> &[Scanpath] {
        &self.scanpaths
    }

    /// The same texts, read by some of the readers: indices, ascending, each once.
    pub fn of_readers(&self, readers: &[usize]) -> Self {
        let scanpaths = self.scanpaths.iter().filter_map(|path| {
            let reader = readers.binary_search(&path.reader).ok()?;
            Some(Scanpath { reader, ..path.clone() })
        });
        Self {
            name: self.name.clone(),
            readers: readers.iter().map(|&r| self.readers[r].clone()).collect(),
            texts: self.texts.clone(),
            scanpaths: scanpaths.collect(),
        }
    }

    /// Number of fixations as recorded, before any is dropped.
    pub fn fixation_count(&self) -> usize {
        self.scanpaths.iter().map(|s| s.fixations.len()).sum()
    }
}

/// Why a fixation is not used (D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// No position, or no line.
    MissingPosition,
    /// No duration.
    MissingDuration,
    /// On a line that the text does not have.
    OffLine,
    /// Left of the first or right of the last word of its line.
    OffText,
    /// Shorter than the limit.
    TooShort,
    /// Longer than the limit.
    TooLong,
}

impl DropReason {
    /// All reasons, in the order in which they are tested and reported.
    pub const ALL: [Self; 6] = [
        Self::MissingPosition,
        Self::MissingDuration,
        Self::OffLine,
        Self::OffText,
        Self::TooShort,
        Self::TooLong,
    ];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MissingPosition => "missing_position",
            Self::MissingDuration => "missing_duration",
            Self::OffLine => "off_line",
            Self::OffText => "off_text",
            Self::TooShort => "too_short",
            Self::TooLong => "too_long",
        }
    }
}

/// How many fixations were dropped, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drops([usize; DropReason::ALL.len()]);

impl Drops {
    /// Counts one.
    pub fn count(&mut self, reason: DropReason) {
        self.0[reason as usize] += 1;
    }

    /// How many for one reason.
    pub fn of(&self, reason: DropReason) -> usize {
        self.0[reason as usize]
    }

    /// How many in all.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }
}

impl std::ops::AddAssign for Drops {
    fn add_assign(&mut self, other: Self) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}

/// Which fixations count as reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    min_duration: f64,
    max_duration: f64,
}

impl Default for Limits {
    /// 50 to 1500 ms.
    fn default() -> Self {
        Self { min_duration: 50.0, max_duration: 1500.0 }
    }
}

impl Limits {
    /// Keeps durations from `min` to `max`.
    ///
    /// # Errors
    /// Unless `0 <= min < max`, both finite.
    pub fn new(min: Millis, max: Millis) -> Result<Self, CorpusError> {
        if min.0 >= 0.0 && min.0 < max.0 && max.0.is_finite() {
            Ok(Self { min_duration: min.0, max_duration: max.0 })
        } else {
            Err(CorpusError::DurationLimits { min: min.0, max: max.0 })
        }
    }

    /// Whether a duration counts.
    fn test(&self, duration: f64) -> Result<(), DropReason> {
        if duration < self.min_duration {
            return Err(DropReason::TooShort);
        }
        if duration > self.max_duration {
            return Err(DropReason::TooLong);
        }
        Ok(())
    }

    /// Shortest and longest duration that counts.
    pub fn durations(&self) -> [Millis; 2] {
        [Millis(self.min_duration), Millis(self.max_duration)]
    }
}

/// A fixation that counts, on a word of its line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Landing {
    /// Index of the word on the line.
    pub word: usize,
    /// Position in characters.
    pub x: f64,
    /// Duration in ms.
    pub duration: f64,
}

/// Consecutive fixations on one line (D2).
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Index of the line in its text.
    pub line: usize,
    /// At least one fixation.
    pub landings: Vec<Landing>,
}

impl Fixation {
    fn known_duration(&self) -> Result<f64, DropReason> {
        let known = self.duration.filter(|d| d.0.is_finite());
        known.map(|Millis(duration)| duration).ok_or(DropReason::MissingDuration)
    }

    /// How long it lasted, ms, or why that does not count.
    pub(crate) fn lasted(&self, limits: Limits) -> Result<f64, DropReason> {
        let duration = self.known_duration()?;
        limits.test(duration).map(|()| duration)
    }

    /// The place on the page, where it can be one.
    pub(crate) fn known_place(&self) -> Option<[f32; 2]> {
        self.place.filter(|place| place.iter().all(|c| c.is_finite()))
    }
}

impl Text {
    /// Where a fixation lands, or why it does not count.
    pub(crate) fn land(
        &self,
        fixation: &Fixation,
        limits: Limits,
    ) -> Result<(usize, Landing), DropReason> {
        let x = fixation.x.filter(|x| x.0.is_finite());
        let (Some(number), Some(Chars(x))) = (fixation.line, x) else {
            return Err(DropReason::MissingPosition);
        };
        let duration = fixation.known_duration()?;
        let line = self.line_index(number).ok_or(DropReason::OffLine)?;
        let word = self.lines[line].word_at(x).ok_or(DropReason::OffText)?;
        limits.test(duration)?;
        Ok((line, Landing { word, x, duration }))
    }

    /// Drops what does not count (D3), then cuts the rest into passes (D2).
    ///
    /// A pass ends where the line changes or signal was lost; a loss before a dropped fixation is
    /// still a loss before the next one that is kept.
    pub fn passes(&self, fixations: &[Fixation], limits: Limits) -> (Vec<Pass>, Drops) {
        let mut passes: Vec<Pass> = Vec::new();
        let mut drops = Drops::default();
        let mut lost = false;
        for fixation in fixations {
            lost |= fixation.gap;
            match self.land(fixation, limits) {
                Err(reason) => drops.count(reason),
                Ok((line, landing)) => {
                    match passes.last_mut() {
                        Some(pass) if pass.line == line && !lost => pass.landings.push(landing),
                        _ => passes.push(Pass { line, landings: vec![landing] }),
                    }
                    lost = false;
                }
            }
        }
        (passes, drops)
    }
}
