//! Dynamic time warping of fixations to words.

use super::Point;

/// The most cells that the table of steps may have: 10,000 fixations on 3,000 words fit.
const MOST_CELLS: usize = 32 << 20;

/// Where the cheapest way to a cell comes from.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Step {
    /// The same fixation, the word before.
    Word,
    /// The fixation before, the same word.
    Fixation,
    /// Both before.
    Both,
}

/// The line of each fixation; `None` where there are no words, or too many.
pub(super) fn warp(fixations: &[Point], words: &[(Point, usize)]) -> Option<Vec<usize>> {
    let cells = fixations.len().checked_mul(words.len())?;
    if cells == 0 || cells > MOST_CELLS {
        return None;
    }
    Some(walk_back(&steps(fixations, words, cells), words, fixations.len()))
}

/// The cheapest step into each cell, row by row. Only two rows of costs are kept.
///
/// Of the three cells that a way may come from, two are in the row before: what depends on them alone
/// is computed for the whole row first, several words at once.
fn steps(fixations: &[Point], words: &[(Point, usize)], cells: usize) -> Vec<Step> {
    let mut steps = vec![Step::Fixation; cells];
    let xs: Vec<f64> = words.iter().map(|(word, _)| word.x).collect();
    let ys: Vec<f64> = words.iter().map(|(word, _)| word.y).collect();
    let mut distances = vec![0.0; words.len()];
    let mut from_above = vec![0.0; words.len()];
    let mut before = vec![f64::INFINITY; words.len()];
    let mut costs = vec![0.0; words.len()];
    for ((i, at), steps) in fixations.iter().enumerate().zip(steps.chunks_mut(words.len())) {
        for (distance, (x, y)) in distances.iter_mut().zip(xs.iter().zip(&ys)) {
            let (across, down) = (at.x - x, at.y - y);
            *distance = (across * across + down * down).sqrt();
        }
        let above = from_above.iter_mut().zip(steps.iter_mut()).skip(1);
        for ((least, step), pair) in above.zip(before.windows(2)) {
            let is_fixation = pair[1] < pair[0];
            *least = if is_fixation { pair[1] } else { pair[0] };
            *step = if is_fixation { Step::Fixation } else { Step::Both };
        }
        // The way starts in the first cell at no cost.
        let mut cost = distances[0] + if i == 0 { 0.0 } else { before[0] };
        costs[0] = cost;
        let row = costs.iter_mut().zip(&distances).zip(&from_above).zip(steps).skip(1);
        for (((to, distance), &from_above), step) in row {
            let is_word = cost < from_above;
            cost = distance + if is_word { cost } else { from_above };
            *step = if is_word { Step::Word } else { *step };
            *to = cost;
        }
        std::mem::swap(&mut before, &mut costs);
    }
    steps
}

/// Follows the cheapest way from its end, and counts the lines of the words that each fixation meets.
fn walk_back(steps: &[Step], words: &[(Point, usize)], fixations: usize) -> Vec<usize> {
    let mut lines = vec![0; fixations];
    let lines_of_page = words.iter().map(|word| word.1 + 1).max().unwrap_or(0);
    let mut counts = vec![0_u32; lines_of_page];
    let (mut i, mut j) = (fixations - 1, words.len() - 1);
    loop {
        counts[words[j].1] += 1;
        let step = match (i, j) {
            (0, 0) => break,
            (0, _) => Step::Word,
            (_, 0) => Step::Fixation,
            _ => steps[i * words.len() + j],
        };
        if !matches!(step, Step::Word) {
            lines[i] = most(&counts);
            counts.fill(0);
            i -= 1;
        }
        if !matches!(step, Step::Fixation) {
            j -= 1;
        }
    }
    lines[0] = most(&counts);
    lines
}

/// The upper line among those met most often.
fn most(counts: &[u32]) -> usize {
    let largest = counts.iter().max().copied().unwrap_or(0);
    counts.iter().position(|count| *count == largest).unwrap_or(0)
}
