//! The loops that cost the time, one by one.
//!
//! Timed on one thread: the fewest nanoseconds an element, and the median ratio to a plain sum of
//! doubles just before. `instructions` counts what a busy machine does not change.

mod instructions;
mod loops;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use gazeprint::corpus::Limits;
use gazeprint::method::{Background, DayShares, Population, Template, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::numbers::median;

pub(crate) use instructions::count;
pub use instructions::{Alone, InstructionCount, InstructionCounts, InstructionRecord};

/// Seconds that a kernel is timed for, and how often.
const SECONDS: f64 = 0.02;
const ROUNDS: usize = 11;
/// Readers that a probe is compared with: as many as fill packs.
const COMPARED: usize = 64;
const READERS: usize = 4;

/// All kernels.
#[derive(Debug, Serialize)]
pub struct KernelTimes {
    /// The plain sum first.
    pub kernels: Vec<KernelTime>,
}

/// What one kernel takes.
#[derive(Debug, Serialize)]
pub struct KernelTime {
    /// Its name.
    pub kernel: &'static str,
    /// What an element is.
    pub element: &'static str,
    /// For an element, the fewest.
    pub nanoseconds: f64,
    /// To the plain sum, the median.
    pub ratio: f64,
}

/// A loop that can be run again and again.
struct Kernel {
    /// Numbers, observations or comparisons that one run goes through.
    elements: usize,
    work: Box<dyn FnMut() -> f64>,
}

/// How a kernel is made, and what it is called.
struct KernelEntry {
    name: &'static str,
    element: &'static str,
    make: fn(&dyn LearnedOnce) -> Result<Kernel, BenchError>,
}

/// What a kernel is made of that takes long to learn, for those that need it.
trait LearnedOnce {
    fn learned(&self) -> Result<Learned, BenchError>;
}

/// A population and readers drawn from it.
#[derive(Clone, Serialize, Deserialize)]
struct Learned {
    background: Background,
    templates: Vec<Template>,
}

/// In a file: under valgrind, learning would take minutes.
struct LearnedFile<'a>(&'a Path);

impl Kernel {
    fn new(elements: usize, work: impl FnMut() -> f64 + 'static) -> Self {
        Self { elements, work: Box::new(work) }
    }

    /// What is measured. Valgrind counts from its call to its return, and knows it by its name.
    #[inline(never)]
    fn measured_kernel(&mut self) -> f64 {
        black_box((self.work)())
    }

    /// Nanoseconds an element, over about as many seconds.
    fn nanoseconds(&mut self, seconds: f64) -> f64 {
        let begun = Instant::now();
        let mut times = 0;
        while times == 0 || begun.elapsed().as_secs_f64() < seconds {
            self.measured_kernel();
            times += 1;
        }
        1e9 * begun.elapsed().as_secs_f64() / (times * self.elements) as f64
    }
}

/// What a few readers read.
fn read() -> Result<Vec<Reading>, BenchError> {
    let params = SimulationParams { readers: READERS, texts: 8, ..SimulationParams::default() };
    Ok(readings(&params.build()?.run(), Limits::default()).0)
}

impl Learned {
    fn new() -> Result<Self, BenchError> {
        let all = read()?;
        let all: Vec<(usize, &Reading)> = all.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(READERS, &all, &DayShares::default(), &Unwatched)?;
        let streams: Vec<Stream> =
            (0..COMPARED as u64).map(|index| Stream { seed: 1, index }).collect();
        let templates = population.imagined(&streams);
        Ok(Self { background: population.background(), templates })
    }
}

impl LearnedOnce for Learned {
    fn learned(&self) -> Result<Learned, BenchError> {
        Ok(self.clone())
    }
}

impl LearnedOnce for LearnedFile<'_> {
    fn learned(&self) -> Result<Learned, BenchError> {
        let text = std::fs::read_to_string(self.0).map_err(BenchError::of_file(self.0))?;
        Ok(serde_json::from_str(&text)?)
    }
}

/// Does something on one thread, which does all of the work.
fn on_one_thread<T: Send>(
    work: impl FnOnce() -> Result<T, BenchError> + Send,
) -> Result<T, BenchError> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(work)
}

/// Runs a kernel once, with what was learned in a file.
///
/// # Errors
/// If there is no such kernel, or it cannot be made.
pub fn run_kernel(name: &str, learned: &Path) -> Result<(), BenchError> {
    let entry = loops::ALL.iter().find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| BenchError::NoKernel(name.to_owned()))?;
    on_one_thread(|| {
        (entry.make)(&LearnedFile(learned))?.measured_kernel();
        Ok(())
    })
}

/// Times each kernel in turns with the plain sum, so that other work on the machine slows both.
pub(crate) fn measure() -> Result<KernelTimes, BenchError> {
    let learned = Learned::new()?;
    on_one_thread(|| {
        let mut plain = (loops::ALL[0].make)(&learned)?;
        let timed = |KernelEntry { name, element, make }: &KernelEntry| {
            let mut kernel = make(&learned)?;
            let (ratios, own): (Vec<f64>, Vec<f64>) = (0..ROUNDS)
                .map(|_| {
                    let (sum, own) = (plain.nanoseconds(SECONDS), kernel.nanoseconds(SECONDS));
                    (own / sum, own)
                })
                .unzip();
            let nanoseconds = own.into_iter().fold(f64::INFINITY, f64::min);
            Ok(KernelTime { kernel: name, element, nanoseconds, ratio: median(ratios) })
        };
        let kernels: Result<_, BenchError> = loops::ALL.iter().map(timed).collect();
        Ok(KernelTimes { kernels: kernels? })
    })
}
