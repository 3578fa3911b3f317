//! The loops that cost the time, one by one.
//!
//! `cargo bench -p gazeprint` times them on one thread: nanoseconds an element, and as a ratio to a plain
//! sum of doubles in the same run. `benches/instructions` counts instructions instead, which a busy
//! machine does not change: it runs this program with `--instructions`, which runs itself under
//! valgrind, kernel by kernel.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Instant;

use gazeprint::corpus::Limits;
use gazeprint::density::{Features, Grid, Likelihood, Sample, Workspace};
use gazeprint::gallery::Gallery;
use gazeprint::kernels;
use gazeprint::method::{Method, Population, Unwatched, landwehr};
use gazeprint::random::Stream;
use gazeprint::saccade::{Observation, Reading, Truncation, readings};
use gazeprint::search::{COMPONENTS, Index, Row};
use gazeprint::simulate::SimulationParams;
use gazeprint::template::Probe;
use rand::RngExt;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What instructions were counted before, by kernel.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/instructions.json");
/// More than this is too many.
const ALLOWED: f64 = 1.05;
/// Seconds that a kernel is timed for.
const SECONDS: f64 = 0.3;
const ROUNDS: usize = 7;

/// A loop that can be run again and again.
struct Kernel {
    /// Numbers, observations or comparisons that one run goes through.
    elements: usize,
    work: Box<dyn FnMut() -> f64>,
}

impl Kernel {
    fn new(elements: usize, work: impl FnMut() -> f64 + 'static) -> Self {
        Self { elements, work: Box::new(work) }
    }

    /// What is measured. Valgrind counts from its call to its return, and knows it by its name.
    #[inline(never)]
    fn measured_kernel(&mut self) -> f64 {
        black_box((self.work)())
    }

    /// Nanoseconds an element: the fastest of some rounds, which other work on the machine disturbs
    /// least.
    fn nanoseconds(&mut self) -> f64 {
        let begun = Instant::now();
        self.measured_kernel();
        let once = begun.elapsed().as_secs_f64().max(1e-9);
        let times = (SECONDS / ROUNDS as f64 / once).ceil().max(1.0) as usize;
        let round = |_| {
            let begun = Instant::now();
            (0..times).for_each(|_| {
                self.measured_kernel();
            });
            begun.elapsed().as_secs_f64()
        };
        let fastest = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
        1e9 * fastest / (times * self.elements) as f64
    }
}

/// All kernels by name, with what an element is.
type Make = fn() -> Result<Kernel>;
const KERNELS: [(&str, &str, Make); 12] = [
    ("sum", "number", sum),
    ("dot", "number", dot),
    ("exp", "number", exp),
    ("log-sum-exp", "number", log_sum_exp),
    ("likelihood", "observation", likelihood),
    ("gradient", "observation", gradient),
    ("hessian", "observation", hessian),
    ("scores-by-situation", "fixation and reader", scores_by_situation),
    ("scores-by-tables", "fixation and reader", scores_by_tables),
    ("slope", "fixation", slope),
    ("search-rows", "number", search_rows),
    ("search-coarsely", "number", search_coarsely),
];

/// Numbers between nothing and one.
fn numbers(count: usize) -> Vec<f64> {
    let mut rng = Stream { seed: 1, index: 0 }.chain(0);
    (0..count).map(|_| rng.random()).collect()
}

fn sum() -> Result<Kernel> {
    let x = numbers(4096);
    Ok(Kernel::new(x.len(), move || {
        // Compiled for the widest instruction set of the machine, as all kernels are.
        pulp::Arch::new().dispatch(|| {
            let mut sums = [0.0; 32];
            for part in x.as_chunks::<32>().0 {
                for k in 0..32 {
                    sums[k] += part[k];
                }
            }
            sums.iter().sum()
        })
    }))
}

fn dot() -> Result<Kernel> {
    let x = numbers(4096);
    Ok(Kernel::new(x.len(), move || kernels::dot(&x, &x)))
}

fn exp() -> Result<Kernel> {
    let x = numbers(4096);
    let mut out = vec![0.0; x.len()];
    Ok(Kernel::new(x.len(), move || {
        kernels::exp_shifted(&x, 1.0, &mut out);
        out[0]
    }))
}

fn log_sum_exp() -> Result<Kernel> {
    let x = numbers(257);
    Ok(Kernel::new(x.len(), move || kernels::log_sum_exp(&x)))
}

/// A density of amplitudes that are confined from above, with what it is inferred from.
struct Density {
    features: Features,
    sample: Sample,
    theta: Vec<f64>,
    workspace: Workspace,
}

impl Density {
    fn new() -> Self {
        let grid = std::sync::Arc::new(Grid::new(0.0, 20.0));
        let features = Features::semiparametric(std::sync::Arc::clone(&grid), 3.0, 1.0);
        let values = numbers(2 * 512);
        let observations: Vec<Observation> = values
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[value, more]| {
                let value = 0.5 + 12.0 * value;
                Observation { value, lower: 0.0, upper: value + 6.0 * more }
            })
            .collect();
        let sample = Sample::new(&grid, Truncation::Upper, &observations);
        let mut theta = vec![0.1; features.len()];
        (theta[0], theta[1]) = (1.5, -1.0);
        let workspace = Workspace::new(&features);
        Self { features, sample, theta, workspace }
    }
}

fn likelihood() -> Result<Kernel> {
    let mut density = Density::new();
    Ok(Kernel::new(density.sample.len(), move || {
        let Density { features, sample, theta, workspace } = &mut density;
        Likelihood::new(features, sample).value(theta, workspace)
    }))
}

fn gradient() -> Result<Kernel> {
    let mut density = Density::new();
    let mut gradient = vec![0.0; density.features.len()];
    Ok(Kernel::new(density.sample.len(), move || {
        let Density { features, sample, theta, workspace } = &mut density;
        Likelihood::new(features, sample).gradient(theta, workspace, &mut gradient)
    }))
}

fn hessian() -> Result<Kernel> {
    let mut density = Density::new();
    let p = density.features.len();
    let (mut gradient, mut hessian) = (vec![0.0; p], faer::Mat::zeros(p, p));
    Ok(Kernel::new(density.sample.len(), move || {
        let Density { features, sample, theta, workspace } = &mut density;
        let likelihood = Likelihood::new(features, sample);
        likelihood.derivatives(theta, workspace, &mut gradient, &mut hessian)
    }))
}

const READERS: usize = 4;

/// What a few readers read.
fn read() -> Result<Vec<Reading>> {
    let params = SimulationParams { readers: READERS, texts: 8, ..SimulationParams::default() };
    Ok(readings(&params.build()?.run(), Limits::default()).0)
}

/// What a probe is compared with: as many readers as fill packs.
const COMPARED: usize = 64;

fn learn(all: &[Reading]) -> Result<Population> {
    let all: Vec<(usize, &Reading)> = all.iter().map(|r| (r.reader, r)).collect();
    Ok(Population::learn(READERS, &all, &Unwatched)?)
}

fn whole(gallery: &dyn Gallery, all: &[Reading]) -> Probe {
    let probes: Vec<Probe> = all.iter().map(|r| gallery.probe(r)).collect();
    Probe::merged(&probes)
}

fn compared(gallery: Box<dyn Gallery>, probe: Probe) -> Kernel {
    Kernel::new(gallery.len() * probe.fixations(), move || gallery.scores(&probe)[0])
}

fn scores_by_situation() -> Result<Kernel> {
    let all = read()?;
    let population = learn(&all)?;
    let streams: Vec<Stream> =
        (0..COMPARED as u64).map(|index| Stream { seed: 1, index }).collect();
    let gallery = population.background().gallery(&population.imagined(&streams))?;
    let probe = whole(&gallery, &all);
    Ok(compared(Box::new(gallery), probe))
}

fn scores_by_tables() -> Result<Kernel> {
    let all = read()?;
    // The same few readers again and again.
    let training: Vec<(usize, &Reading)> = (0..COMPARED)
        .flat_map(|place| {
            let own = all.iter().filter(move |r| r.reader == place % READERS);
            own.map(move |reading| (place, reading))
        })
        .collect();
    let training = gazeprint::method::Training::new(COMPARED, training)?;
    let fitted = landwehr().fit(&training, 1, &Unwatched)?;
    let probe = whole(fitted.gallery.as_ref(), &all);
    Ok(compared(fitted.gallery, probe))
}

fn slope() -> Result<Kernel> {
    let all = read()?;
    let background = learn(&all)?.background();
    let slopes = background.slopes();
    let probe = whole(&background.gallery(&[])?, &all);
    Ok(Kernel::new(probe.fixations(), move || slopes.slope(&probe)[0]))
}

const ROWS: usize = 1 << 13;

fn index() -> (Index, Row) {
    let numbers: Vec<f32> = numbers(ROWS * COMPONENTS).into_iter().map(|x| x as f32).collect();
    let rows = numbers.as_chunks::<COMPONENTS>().0.to_vec();
    let query = rows[0];
    (Index::new(rows), query)
}

fn search_rows() -> Result<Kernel> {
    let (index, query) = index();
    Ok(Kernel::new(ROWS * COMPONENTS, move || f64::from(index.search(&[query], 100)[0][0].score)))
}

fn search_coarsely() -> Result<Kernel> {
    let (index, query) = index();
    let [_, bytes] = index.bytes();
    Ok(Kernel::new(bytes, move || f64::from(index.search_coarsely(&query, 100, 100)[0].score)))
}

fn time() -> Result<()> {
    println!("{:<22} {:>9} {:>8}  an element is a", "kernel", "ns", "ratio");
    let mut sum = None;
    for (name, element, make) in KERNELS {
        let nanoseconds = make()?.nanoseconds();
        let ratio = nanoseconds / *sum.get_or_insert(nanoseconds);
        println!("{name:<22} {nanoseconds:>9.3} {ratio:>8.2}  {element}");
    }
    Ok(())
}

/// Instructions of a kernel, by running this program under valgrind for it alone.
fn counted(name: &str) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*measured_kernel*")
        .arg(std::env::current_exe()?)
        .args(["--once", name])
        .output()
        .map_err(|error| {
            format!("valgrind cannot be run ({error}); install it (Debian: apt install valgrind)")
        })?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| line.split_once("Collected :"));
    match collected.and_then(|(_, count)| count.trim().parse().ok()) {
        Some(count) if output.status.success() && count > 0 => Ok(count),
        _ => Err(format!("{name}: valgrind counted nothing; it said:\n{told}").into()),
    }
}

/// Counts instructions, and holds them against those recorded. Tells whether none rose too far.
fn instructions(record: bool) -> Result<bool> {
    let recorded: BTreeMap<String, f64> = match std::fs::read_to_string(RECORDED) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) if record => BTreeMap::new(),
        Err(error) => return Err(format!("{RECORDED}: {error}; make it with --record").into()),
    };
    println!(
        "{:<22} {:>12} {:>9} {:>7}  an element is a",
        "kernel", "instructions", "recorded", "ratio"
    );
    let mut counts = BTreeMap::new();
    let mut is_well = true;
    for (name, element, make) in KERNELS {
        // Three digits after the point are more than differences that matter.
        let count = (1e3 * counted(name)? as f64 / make()?.elements as f64).round() / 1e3;
        let before = recorded.get(name).copied();
        let ratio = before.map(|before| count / before);
        let is_worse = ratio.is_some_and(|ratio| ratio > ALLOWED);
        let known =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
        println!(
            "{name:<22} {count:>12.3} {:>9} {:>7}  {element}{}",
            known(before),
            known(ratio),
            if is_worse { ": MORE THAN BEFORE" } else { "" }
        );
        is_well &= !is_worse && (record || before.is_some());
        counts.insert(name, count);
    }
    if record {
        std::fs::write(RECORDED, serde_json::to_string_pretty(&counts)? + "\n")?;
        return Ok(true);
    }
    if !is_well {
        println!(
            "Instructions rose by more than {:.0} %, or a kernel is not recorded. If that is wanted: \
             benches/instructions --record",
            100.0 * (ALLOWED - 1.0)
        );
    }
    Ok(is_well)
}

fn run() -> Result<bool> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => time().map(|()| true),
        ["--once", name] => {
            let known = KERNELS.iter().find(|(known, ..)| *known == name);
            let (_, _, make) = known.ok_or_else(|| format!("no kernel is called {name}"))?;
            make()?.measured_kernel();
            Ok(true)
        }
        ["--instructions"] => instructions(false),
        ["--instructions", "--record"] => instructions(true),
        _ => Err("expected no arguments, or --instructions [--record]".into()),
    }
}

fn main() -> Result<ExitCode> {
    // This thread does all of the work: what others do is not counted.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    let is_well = pool.install(|| run().map_err(|error| error.to_string()))?;
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
