//! Seconds.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::numbers::median;

/// Fits are repeated for this long: most take less than the clock and the scheduler can resolve.
const AT_LEAST: Duration = Duration::from_millis(200);
const AT_LEAST_RUNS: usize = 3;

/// Seconds that something took, with what it gave.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// The median of seconds that something took, several times.
pub(crate) fn median_seconds<T>(times: usize, mut work: impl FnMut() -> T) -> f64 {
    in_turns(times, [&mut || drop(black_box(work()))])[0]
}

/// The same of several things in turns, so that whatever else the machine does slows all of them.
pub(crate) fn in_turns<const N: usize>(times: usize, mut works: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut seconds = [(); N].map(|()| Vec::with_capacity(times));
    for _ in 0..times.max(1) {
        for (work, seconds) in works.iter_mut().zip(&mut seconds) {
            seconds.push(timed(&mut *work).1);
        }
    }
    seconds.map(median)
}

/// What this thread has had of a processor; none where the system does not tell.
pub(crate) fn processor_seconds() -> Option<f64> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(times.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// What one run of something took, on average over several.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Spent {
    /// How many runs.
    pub runs: usize,
    /// On the wall.
    pub seconds: f64,
    /// Of a processor; none where the system does not tell.
    pub cpu_seconds: Option<f64>,
}

impl Spent {
    /// Runs something in this thread for a while. What it needs once in a process should be there.
    pub(crate) fn by<T, E>(mut work: impl FnMut() -> Result<T, E>) -> Result<Self, E> {
        let (start, cpu) = (Instant::now(), processor_seconds());
        let mut runs = 0;
        while runs < AT_LEAST_RUNS || start.elapsed() < AT_LEAST {
            black_box(work()?);
            runs += 1;
        }
        let each = |total: f64| total / runs as f64;
        let cpu_seconds = processor_seconds().zip(cpu).map(|(now, then)| each(now - then));
        Ok(Self { runs, seconds: each(start.elapsed().as_secs_f64()), cpu_seconds })
    }
}
