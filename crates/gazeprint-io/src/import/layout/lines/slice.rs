//! Runs of fixations merged into lines.
//!
//! The thresholds are those of the method's authors for a screen with 64 pixels between lines and 16
//! pixels a character, told in these units.

use std::collections::VecDeque;

use super::{Page, Point};

/// A horizontal jump this long, in characters, ends a run.
const JUMP_CHARACTERS: f64 = 12.0;
/// A vertical jump this long, in line spacings, ends a run.
const JUMP_LINES: f64 = 0.5;
/// A run this close to a line, in line spacings, is part of it.
const WITHIN: f64 = 0.5;
/// A run this close to a line, and not part of it, is part of the next.
const NEXT: f64 = 90.0 / 64.0;
/// More fixations than this make the comparison of runs too long.
const MOST_FIXATIONS: usize = 5_000;

/// A line as the fixations make it, or where it should be as long as it has none.
struct Proto {
    members: Vec<usize>,
    phantom: Option<Point>,
}

/// The line of each fixation; `None` where there are none, or too many.
pub(super) fn slice(fixations: &[Point], page: &Page<'_>) -> Option<Vec<usize>> {
    if fixations.is_empty() || fixations.len() > MOST_FIXATIONS || page.lines.is_empty() {
        return None;
    }
    if page.lines.len() == 1 {
        return Some(vec![0; fixations.len()]);
    }
    let mut runs = runs(fixations, page);
    let longest = longest(&runs, fixations)?;
    let mut protos = VecDeque::from([Proto { members: runs.swap_remove(longest), phantom: None }]);
    while !runs.is_empty() {
        let above = grow(&mut protos, &mut runs, fixations, page, -1.0);
        let below = grow(&mut protos, &mut runs, fixations, page, 1.0);
        if !above && !below {
            break;
        }
    }
    attach_rest(&mut protos, runs, fixations);
    let protos = prune(protos, page.lines.len());
    Some(numbered(&protos, fixations, page))
}

/// Cuts the sequence where it jumps.
fn runs(fixations: &[Point], page: &Page<'_>) -> Vec<Vec<usize>> {
    let mut runs = vec![vec![0]];
    for (i, pair) in (1..).zip(fixations.windows(2)) {
        let across = (pair[1].x - pair[0].x).abs() > JUMP_CHARACTERS * page.pitch;
        let down = (pair[1].y - pair[0].y).abs() > JUMP_LINES * page.spacing;
        match runs.last_mut() {
            Some(run) if !across && !down => run.push(i),
            _ => runs.push(vec![i]),
        }
    }
    runs
}

/// The run that goes furthest to the right.
fn longest(runs: &[Vec<usize>], fixations: &[Point]) -> Option<usize> {
    let reach = |run: &[usize]| match (run.first(), run.last()) {
        (Some(&first), Some(&last)) => fixations[last].x - fixations[first].x,
        _ => f64::NEG_INFINITY,
    };
    (0..runs.len()).max_by(|&a, &b| reach(&runs[a]).total_cmp(&reach(&runs[b])).then(b.cmp(&a)))
}

/// Merges what belongs to the outermost line or to the next one further out, which is added. Says
/// whether anything was merged.
fn grow(
    protos: &mut VecDeque<Proto>,
    runs: &mut Vec<Vec<usize>>,
    fixations: &[Point],
    page: &Page<'_>,
    direction: f64,
) -> bool {
    let outer = if direction < 0.0 { protos.front_mut() } else { protos.back_mut() };
    let Some(outer) = outer else { return false };
    let points = points(outer, fixations);
    let mut next = Proto { members: Vec::new(), phantom: None };
    let before = runs.len();
    runs.retain(|run| {
        let away = difference(run, &points, fixations) / page.spacing;
        if away.abs() < WITHIN {
            outer.members.extend(run);
        } else if (WITHIN..NEXT).contains(&(away * direction)) {
            next.members.extend(run);
        } else {
            return true;
        }
        false
    });
    if next.members.is_empty() {
        let count = points.len().max(1) as f64;
        next.phantom = Some(Point {
            x: points.iter().map(|at| at.x).sum::<f64>() / count,
            y: points.iter().map(|at| at.y).sum::<f64>() / count + direction * page.spacing,
        });
    }
    // Further out than the page is high there is nothing: two phantoms in a row would never end.
    let stale = next.members.is_empty() && runs.len() == before;
    if !stale || protos.len() < 2 * page.lines.len() {
        if direction < 0.0 {
            protos.push_front(next)
        } else {
            protos.push_back(next)
        }
        return true;
    }
    false
}

fn points(proto: &Proto, fixations: &[Point]) -> Vec<Point> {
    match proto.phantom {
        Some(at) if proto.members.is_empty() => vec![at],
        _ => proto.members.iter().map(|&i| fixations[i]).collect(),
    }
}

/// How far a run is below a line: the mean over its fixations, each against the fixation of the line
/// that is nearest horizontally.
fn difference(run: &[usize], line: &[Point], fixations: &[Point]) -> f64 {
    let below = run.iter().filter_map(|&i| {
        let at = fixations[i];
        let near = line.iter().min_by(|a, b| (a.x - at.x).abs().total_cmp(&(b.x - at.x).abs()))?;
        Some(at.y - near.y)
    });
    below.sum::<f64>() / run.len().max(1) as f64
}

/// Runs far from everything go to the closest line.
fn attach_rest(protos: &mut VecDeque<Proto>, runs: Vec<Vec<usize>>, fixations: &[Point]) {
    let lines: Vec<_> = protos.iter().map(|proto| points(proto, fixations)).collect();
    for run in runs {
        let away = |line: &usize| difference(&run, &lines[*line], fixations).abs();
        let closest = (0..lines.len()).min_by(|a, b| away(a).total_cmp(&away(b)));
        if let Some(proto) = closest.and_then(|closest| protos.get_mut(closest)) {
            proto.members.extend(run);
        }
    }
}

/// Leaves no more lines than the text has: of the outermost lines, the one with fewer fixations
/// becomes part of its neighbour.
fn prune(mut protos: VecDeque<Proto>, most: usize) -> VecDeque<Proto> {
    // A line that nobody read may stand between others, but not outside of all.
    while protos.front().is_some_and(|proto| proto.members.is_empty()) {
        protos.pop_front();
    }
    while protos.back().is_some_and(|proto| proto.members.is_empty()) {
        protos.pop_back();
    }
    while protos.len() > most {
        let sizes =
            (protos.front().map(|p| p.members.len()), protos.back().map(|p| p.members.len()));
        let outer = if sizes.0 < sizes.1 { protos.pop_front() } else { protos.pop_back() };
        let Some(outer) = outer else { break };
        let inner = if sizes.0 < sizes.1 { protos.front_mut() } else { protos.back_mut() };
        if let Some(inner) = inner {
            inner.members.extend(outer.members);
        }
    }
    protos
}

/// The lines from the top, shifted to where they fit best if some lines of the text were not read.
fn numbered(protos: &VecDeque<Proto>, fixations: &[Point], page: &Page<'_>) -> Vec<usize> {
    let spare = page.lines.len().saturating_sub(protos.len());
    let misfit = |shift: usize| -> f64 {
        let lines = protos.iter().zip(&page.lines[shift..]);
        lines
            .flat_map(|(proto, y)| proto.members.iter().map(move |&i| (i, y)))
            .map(|(i, y)| (fixations[i].y - y).abs())
            .sum()
    };
    let shift = (0..=spare).min_by(|a, b| misfit(*a).total_cmp(&misfit(*b))).unwrap_or(0);
    let mut lines = vec![0; fixations.len()];
    for (line, proto) in (shift..).zip(protos) {
        for &i in &proto.members {
            lines[i] = line.min(page.lines.len() - 1);
        }
    }
    lines
}
