//! Vertical position to line.
//!
//! Trackers drift: fixations lie above or below the line that was read, more and more as a trial goes
//! on. `attach` takes the nearest line, whatever came before. The others look at the sequence.
//!
//! * `warp` aligns the sequence of fixations with the sequence of word centres in reading order, by
//!   dynamic time warping: each fixation is on the line of most words that it is aligned with.
//! * `slice` cuts the sequence into runs without large jumps, and merges these into lines from the
//!   longest run outwards (Glandorf & Schroeder 2021).
//!
//! Both are described and compared in Carr, Pescuma, Furlan, Ktori & Crepaldi (2022), *Algorithms for
//! the automated correction of vertical drift in eye-tracking data*, Behavior Research Methods 54.

use std::fmt;
use std::str::FromStr;

mod slice;
mod warp;

/// How fixations get their lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// The nearest line.
    #[default]
    Attach,
    /// Dynamic time warping to the words.
    Warp,
    /// Runs merged into lines.
    Slice,
}

impl Method {
    /// All methods, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Attach, Self::Warp, Self::Slice];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::Warp => "warp",
            Self::Slice => "slice",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| format!("found {name}, expected attach, warp or slice"))
    }
}

/// A point on the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// In pixels from the left.
    pub x: f64,
    /// In pixels from the top.
    pub y: f64,
}

/// The page that was read.
#[derive(Debug, Clone, Copy)]
pub struct Page<'p> {
    /// The middles of the lines, from the top down.
    pub lines: &'p [f64],
    /// The centre and the line (from 0) of each word, in reading order.
    pub words: &'p [(Point, usize)],
    /// Pixels per character.
    pub pitch: f64,
    /// Pixels between lines.
    pub spacing: f64,
}

/// The lines of a trial's fixations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assigned {
    /// The line of each fixation from 0, `None` where it is on none.
    pub lines: Vec<Option<usize>>,
    /// How many are on another line than the nearest.
    pub changed: usize,
    /// The sum of distances to the line, down positive, in pixels.
    pub offsets: f64,
    /// Whether the method could not be used, and the nearest lines were taken.
    pub fell_back: bool,
}

/// Assigns lines to the fixations of a trial, given in their order.
///
/// A fixation further than `reach` line spacings from every line is on none.
pub fn assign(method: Method, fixations: &[Point], page: &Page<'_>, reach: f64) -> Assigned {
    let limit = reach * page.spacing;
    let nearest: Vec<_> = fixations
        .iter()
        .map(|at| attach(at.y, page.lines).filter(|near| near.1 <= limit))
        .collect();
    let on: Vec<usize> = (0..fixations.len()).filter(|&i| nearest[i].is_some()).collect();
    let points: Vec<Point> = on.iter().map(|&i| fixations[i]).collect();
    let sequence = match method {
        Method::Attach => None,
        Method::Warp => warp::warp(&points, page.words),
        Method::Slice => slice::slice(&points, page),
    };
    let mut assigned = Assigned {
        lines: nearest.iter().map(|near| near.map(|(line, _)| line)).collect(),
        fell_back: sequence.is_none() && method != Method::Attach && !on.is_empty(),
        ..Assigned::default()
    };
    for (&i, line) in on.iter().zip(sequence.into_iter().flatten()) {
        assigned.changed += usize::from(assigned.lines[i] != Some(line));
        assigned.lines[i] = Some(line);
    }
    let distances = assigned.lines.iter().zip(fixations);
    assigned.offsets = distances
        .filter_map(|(line, at)| line.and_then(|line| page.lines.get(line)).map(|y| at.y - y))
        .sum();
    assigned
}

/// The nearest line and its distance.
fn attach(y: f64, lines: &[f64]) -> Option<(usize, f64)> {
    let distances = lines.iter().map(|line| (line - y).abs()).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The median distance between lines, `None` where there is one line.
pub(crate) fn spacing(lines: &[f64]) -> Option<f64> {
    let mut gaps: Vec<f64> = lines.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().filter(|gap| *gap > 0.0)
}

#[cfg(test)]
mod tests;
