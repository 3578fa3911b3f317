//! Where the eye goes: one reading of one text.
//!
//! From each fixation the reader goes back, looks at the same word again, or aims at a word
//! further on, chosen by a run of decisions to skip or not. The eye then lands near the aim, with
//! a random error and a range error; what *kind* of move it has become is only known from where it
//! landed. A move meant for the next word may skip it, or refixate.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::duration::{Clock, Place};
use super::person::{Person, normal};
use crate::corpus::Line;
use crate::saccade::SaccadeType;

/// Fixations a word after which a reader gives up a line. Probabilities alone end a line far
/// sooner; this bounds the time of a simulation whatever the traits.
const PATIENCE: usize = 8;
/// Tries to land on the line before the eye settles within the word aimed at.
const TRIES: usize = 20;
/// A fixation shorter than this, in ms, leaves a word half read.
const HASTY: f64 = 140.0;

// Log odds that shape the decisions, the same for all: people differ in where they start from.

/// Going back: after a skip, the word left out is wanted after all.
const BACK_AFTER_SKIP: f64 = 0.50;
/// Going back: after a hasty fixation.
const BACK_AFTER_HASTE: f64 = 0.35;
/// Going back: after having gone back, on the way through what was missed.
const BACK_AGAIN: f64 = 1.00;
/// Going back: loss with each time the line was gone back on.
const BACK_FATIGUE: f64 = 0.35;
/// Skipping: gain with each character that a word is nearer than [`SKIP_DISTANCE`].
const SKIP_NEARER: f64 = 0.10;
/// Skipping: the distance in characters that a skipping bias refers to.
const SKIP_DISTANCE: f64 = 7.0;
/// Skipping: a word that was read before.
const SKIP_SEEN: f64 = 0.7;
/// Skipping: loss for a second word on end.
const SKIP_AGAIN: f64 = -0.9;
/// Refixating: gain with each letter beyond six.
const REFIXATE_LONGER: f64 = 0.20;
/// Refixating: loss with each time the word was refixated.
const REFIXATE_FATIGUE: f64 = 0.7;
/// Refixating: turn of the direction from a word's centre to its edge: away from the edge.
const REFIXATE_TURN: f64 = 2.2;
/// Refixations scatter less than moves between words.
const REFIXATE_SCATTER: f64 = 0.8;
/// Share of wrap-up regressions that start over from anywhere on the line.
const START_OVER: f64 = 0.3;
/// Landing error is this much larger in a wild move.
const WILD: f64 = 3.0;

/// Sd of a return sweep's length, as a share of it.
const SWEEP_SD: f64 = 0.04;
/// A sweep that ends further than this from where it was aimed, in characters, is corrected.
const SWEEP_TOLERANCE: f64 = 3.0;
/// Fixations between a sweep and its correction: mean and sd, ms.
const SWEEP_PAUSE: (f64, f64) = (135.0, 25.0);
/// Sd of where the eye lands on the line before, characters from where it was.
const LINE_BACK_SD: f64 = 6.0;

/// Where the eye really was, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gaze {
    /// Index of the line.
    pub(super) line: usize,
    /// Characters from the line's start.
    pub(super) x: f64,
    /// ms.
    pub(super) duration: f64,
}

/// The logistic function.
fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// What a reader remembers of the line being read.
#[derive(Debug, Default)]
struct Memory {
    /// Furthest word fixated.
    furthest: usize,
    /// Times gone back.
    regressions: usize,
    /// Refixations of the word on end.
    refixations: usize,
    /// Whether the end was reached before.
    wrapped_up: bool,
}

/// A reader before a text.
struct Eye<'a, 'r> {
    person: &'a Person,
    lines: &'a [Line],
    clock: Clock<'a>,
    rng: &'r mut ChaCha8Rng,
    path: Vec<Gaze>,
    line: usize,
    word: usize,
    x: f64,
    /// How the eye came to where it is.
    kind: Option<SaccadeType>,
}

/// Reads a text once.
pub(super) fn read(person: &Person, lines: &[Line], rng: &mut ChaCha8Rng) -> Vec<Gaze> {
    let mut eye = Eye {
        person,
        lines,
        clock: Clock::new(person),
        rng,
        path: Vec::new(),
        line: 0,
        word: 0,
        x: 0.0,
        kind: None,
    };
    let x = eye.start_of_line();
    eye.enter(0, x);
    for line in 0..lines.len() {
        if line > 0 {
            eye.sweep(line);
        }
        eye.read_line();
    }
    eye.path
}

impl Eye<'_, '_> {
    /// The line being read.
    fn text(&self) -> &Line {
        &self.lines[self.line]
    }

    /// Letters of a word.
    fn length(&self, word: usize) -> f64 {
        let word = &self.text().words()[word];
        f64::from(word.end - word.start)
    }

    /// Where a word is aimed at.
    fn aim(&self, word: usize) -> f64 {
        f64::from(self.text().words()[word].start) + self.person.preferred * self.length(word)
    }

    /// Landing position in the word: -1 left edge, 0 centre, 1 right edge.
    fn offset(&self) -> f64 {
        let (left, right) = self.text().region(self.word);
        2.0 * (self.x - left) / (right - left) - 1.0
    }

    fn chance(&mut self, log_odds: f64) -> bool {
        self.rng.random_bool(logistic(log_odds))
    }

    /// Fixates `x` of the current line for as long as it takes.
    fn fixate(&mut self, x: f64, kind: Option<SaccadeType>, word: usize) {
        self.x = x;
        self.kind = kind;
        self.word = word;
        let place = Place { kind, length: self.length(word), offset: self.offset() };
        let duration = self.clock.duration(place, self.rng);
        self.path.push(Gaze { line: self.line, x, duration });
    }

    /// Fixates `x` of a line as its first fixation.
    fn enter(&mut self, line: usize, x: f64) {
        self.line = line;
        let word = self.text().word_at(x).unwrap_or(0);
        self.fixate(x, None, word);
    }

    /// A place on the line near `aim`; within `word` if the line is missed again and again.
    fn land(&mut self, aim: f64, sd: f64, word: usize) -> f64 {
        for _ in 0..TRIES {
            let x = aim + sd * normal(self.rng);
            if self.text().word_at(x).is_some() {
                return x;
            }
        }
        let (left, right) = self.text().region(word);
        left + (right - left) * self.rng.random::<f64>()
    }

    /// Sd of the landing error of a move over `distance` characters.
    fn error(&mut self, distance: f64) -> f64 {
        let sd = self.person.scatter + self.person.scatter_growth * distance.abs();
        if self.rng.random_bool(self.person.wild_share) { WILD * sd } else { sd }
    }

    /// Moves to a place on the current line and fixates it.
    fn move_to(&mut self, x: f64) {
        // `land` keeps to the line.
        let word = self.text().word_at(x).unwrap_or(self.word);
        let kind = match word {
            w if w == self.word => SaccadeType::Refixation,
            w if w < self.word => SaccadeType::Regression,
            w if w == self.word + 1 => SaccadeType::NextWord,
            _ => SaccadeType::ForwardSkip,
        };
        self.fixate(x, Some(kind), word);
    }

    /// Aims at a word and moves: far aims are undershot, near ones overshot.
    fn saccade(&mut self, word: usize) {
        let distance = self.aim(word) - self.x;
        let range = self.person.range_error * (self.person.span - distance.abs());
        // Going back is less stereotyped: half the range error.
        let range = if distance > 0.0 { range } else { -0.5 * range };
        let sd = self.error(distance);
        let x = self.land(self.x + distance + range, sd, word);
        self.move_to(x);
    }

    /// Reads the current line from the current fixation to its end.
    fn read_line(&mut self) {
        let mut memory = Memory { furthest: self.word, ..Memory::default() };
        let words = self.text().words().len();
        for _ in 0..PATIENCE * words {
            if self.line > 0 && self.chance(self.person.line_regression) {
                self.look_at_line_before();
            } else if self.goes_back(&mut memory) {
                memory.refixations = 0;
            } else if self.refixates(&memory) {
                memory.refixations += 1;
                self.refixate();
            } else {
                memory.refixations = 0;
                let Some(target) = self.next_target(&memory) else { break };
                self.saccade(target);
            }
            memory.furthest = memory.furthest.max(self.word);
        }
    }

    /// Decides whether to go back, and does so.
    fn goes_back(&mut self, memory: &mut Memory) -> bool {
        if self.word == 0 {
            return false;
        }
        let at_end = self.word + 1 == self.text().words().len() && !memory.wrapped_up;
        memory.wrapped_up |= at_end;
        let mut odds = if at_end { self.person.wrap_up } else { self.person.regression_bias };
        odds -= BACK_FATIGUE * memory.regressions as f64;
        match self.kind {
            Some(SaccadeType::ForwardSkip) => odds += BACK_AFTER_SKIP,
            Some(SaccadeType::Regression) => odds += BACK_AGAIN,
            _ => {}
        }
        if self.path.last().is_some_and(|g| g.duration < HASTY) {
            odds += BACK_AFTER_HASTE;
        }
        if !self.chance(odds) {
            return false;
        }
        memory.regressions += 1;
        let target = if at_end && self.rng.random_bool(START_OVER) {
            self.rng.random_range(0..self.word)
        } else {
            let mut target = self.word - 1;
            while target > 0 && self.rng.random_bool(self.person.regression_reach) {
                target -= 1;
            }
            target
        };
        self.saccade(target);
        true
    }

    /// Decides whether to look at the same word again.
    fn refixates(&mut self, memory: &Memory) -> bool {
        let offset = self.offset();
        let odds = self.person.refixation_bias
            + self.person.refixation_edge * offset * offset
            + REFIXATE_LONGER * (self.length(self.word) - 6.0)
            - REFIXATE_FATIGUE * memory.refixations as f64;
        self.chance(odds)
    }

    /// Looks at another part of the same word.
    fn refixate(&mut self) {
        let right = self.person.refixation_right - REFIXATE_TURN * self.offset();
        let stride = self.person.refixation_stride * self.length(self.word);
        let stride = if self.chance(right) { stride } else { -stride };
        let sd = REFIXATE_SCATTER * self.person.scatter;
        let x = self.land(self.x + stride, sd, self.word);
        self.move_to(x);
    }

    /// The word to read next, or `None` at the end of the line.
    fn next_target(&mut self, memory: &Memory) -> Option<usize> {
        let words = self.text().words().len();
        (self.word + 1..words).find(|&word| {
            let distance = f64::from(self.text().words()[word].start) - self.x;
            let mut odds = self.person.skip_bias
                - self.person.skip_slope * (self.length(word) - 4.0)
                + SKIP_NEARER * (SKIP_DISTANCE - distance);
            if word <= memory.furthest {
                odds += SKIP_SEEN;
            }
            if word > self.word + 1 {
                odds += SKIP_AGAIN;
            }
            !self.chance(odds)
        })
    }

    /// Draws where the first fixation of a line is aimed, characters from its start.
    fn start_of_line(&mut self) -> f64 {
        let p = self.person;
        let end = self.lines[self.line].words().last().map_or(1.0, |w| f64::from(w.end));
        (p.start * (p.start_spread * normal(self.rng)).exp()).min(0.9 * end)
    }

    /// Goes to the start of a new line; a sweep that falls short is corrected.
    fn sweep(&mut self, line: usize) {
        let from = self.x;
        self.line = line;
        let aim = self.start_of_line();
        let length = (from - aim).max(0.0);
        let short = length * (self.person.sweep_shortfall + SWEEP_SD * normal(self.rng));
        let x = self.land(aim + short, self.person.scatter, 0);
        if x - aim <= SWEEP_TOLERANCE {
            self.enter(line, x);
            return;
        }
        self.word = self.text().word_at(x).unwrap_or(0);
        let pause = SWEEP_PAUSE.0 + SWEEP_PAUSE.1 * normal(self.rng);
        self.path.push(Gaze { line, x, duration: pause.max(50.0) });
        self.x = x;
        let x = self.land(aim, self.person.scatter, 0);
        self.move_to(x);
    }

    /// Looks at a word or two of the line before, then comes back to where it was.
    fn look_at_line_before(&mut self) {
        let (line, x) = (self.line, self.x);
        self.line -= 1;
        let words = self.text().words().len();
        let back = self.land(x, LINE_BACK_SD, words - 1);
        self.enter(line - 1, back);
        if self.word + 1 < words && self.rng.random_bool(0.5) {
            self.saccade(self.word + 1);
        }
        self.line = line;
        let word = self.text().word_at(x).unwrap_or(0);
        let x = self.land(x, self.person.scatter, word);
        self.enter(line, x);
    }
}
