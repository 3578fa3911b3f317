//! The loops that cost the time, one by one.
//!
//! `cargo bench` times them on one thread: the fewest nanoseconds an element, and the median ratio to a
//! plain sum of doubles just before. `benches/instructions` counts instructions instead, which a busy
//! machine does not change: it runs this program with `--instructions`, which runs itself under
//! valgrind, kernel by kernel.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use gazeprint::corpus::Limits;
use gazeprint::density::{Features, Grid, Likelihood, Sample, Workspace};
use gazeprint::kernels;
use gazeprint::method::{Background, Population, Template, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::{DensityId, Observation, Reading, Truncation, readings};
use gazeprint::score::{Scorer, TemplateScorer};
use gazeprint::search::{COMPONENTS, Row, scores};
use gazeprint::simulate::SimulationParams;
use gazeprint::template::{Layout, Parts, Probe, ReaderModel};
use pulp::{Arch, Simd, WithSimd};
use rand::RngExt;
use serde::{Deserialize, Serialize};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What instructions were counted before, by kernel.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/instructions.json");
/// More than this is too many.
const ALLOWED: f64 = 1.05;
/// Seconds that a kernel is timed for, and how often.
const SECONDS: f64 = 0.02;
const ROUNDS: usize = 11;

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

/// All kernels by name, with what an element is.
type Make = fn() -> Result<Kernel>;
const KERNELS: [(&str, &str, Make); 11] = [
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
];

/// Numbers between nothing and one.
fn numbers(count: usize) -> Vec<f64> {
    let mut rng = Stream { seed: 1, index: 0 }.chain(0);
    (0..count).map(|_| rng.random()).collect()
}

/// The fastest plain sum there is, with vectors as long as the machine has them.
struct Sum<'a>(&'a [f64]);

impl WithSimd for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut sums = [simd.splat_f64s(0.0); 8];
        for part in S::as_simd_f64s(self.0).0.as_chunks::<8>().0 {
            for k in 0..8 {
                sums[k] = simd.add_f64s(sums[k], part[k]);
            }
        }
        let total = sums.into_iter().fold(simd.splat_f64s(0.0), |a, b| simd.add_f64s(a, b));
        simd.reduce_sum_f64s(total)
    }
}

fn sum() -> Result<Kernel> {
    let x = numbers(4096);
    Ok(Kernel::new(x.len(), move || Arch::new().dispatch(Sum(&x))))
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
        let grid = Arc::new(Grid::new(0.0, 20.0));
        let features = Features::semiparametric(Arc::clone(&grid), 3.0, 1.0);
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

/// Readers that a probe is compared with: as many as fill packs.
const COMPARED: usize = 64;
const READERS: usize = 4;

/// What a few readers read.
fn read() -> Result<Vec<Reading>> {
    let params = SimulationParams { readers: READERS, texts: 8, ..SimulationParams::default() };
    Ok(readings(&params.build()?.run(), Limits::default()).0)
}

/// Learned once, and kept in a file: under valgrind, it would take minutes.
#[derive(Serialize, Deserialize)]
struct Learned {
    background: Background,
    templates: Vec<Template>,
}

impl Learned {
    const FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels.json");

    fn write() -> Result<()> {
        let all = read()?;
        let all: Vec<(usize, &Reading)> = all.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(READERS, &all, &Unwatched)?;
        let streams: Vec<Stream> =
            (0..COMPARED as u64).map(|index| Stream { seed: 1, index }).collect();
        let templates = population.imagined(&streams);
        let learned = Self { background: population.background(), templates };
        Ok(std::fs::write(Self::FILE, serde_json::to_string(&learned)?)?)
    }

    fn read() -> Result<Self> {
        Ok(serde_json::from_str(&std::fs::read_to_string(Self::FILE)?)?)
    }
}

fn whole(scorer: &dyn Scorer) -> Result<Probe> {
    let probes: Vec<Probe> = read()?.iter().map(|r| scorer.probe(r)).collect();
    Ok(Probe::merged(&probes))
}

fn compared(scorer: impl Scorer + 'static) -> Result<Kernel> {
    let probe = whole(&scorer)?;
    Ok(Kernel::new(scorer.len() * probe.fixations(), move || scorer.scores(&probe)[0]))
}

fn scores_by_situation() -> Result<Kernel> {
    let learned = Learned::read()?;
    compared(learned.background.scorer(&learned.templates)?)
}

/// The same reader again and again.
fn scores_by_tables() -> Result<Kernel> {
    let upper = |id: DensityId| if id.is_duration() { 1500.0 } else { 20.0 };
    let grids = DensityId::ALL.map(|id| (id, Arc::new(Grid::new(0.0, upper(id)))));
    let layout = Layout::new(Parts::ALL, grids.clone(), 40);
    let log_density = |(_, grid): &(DensityId, Arc<Grid>)| {
        grid.nodes().iter().map(|x| x.ln() - 6.0 * x / grid.upper()).collect()
    };
    let log_densities = grids.iter().map(log_density).collect();
    let row = layout.row(&ReaderModel { pi: [0.25; 4].into(), mu: 0.5, log_densities });
    compared(TemplateScorer::new(layout, &vec![row.clone(); COMPARED], row))
}

fn slope() -> Result<Kernel> {
    let background = Learned::read()?.background;
    let slopes = background.slopes();
    let probe = whole(&background.scorer(&[])?)?;
    Ok(Kernel::new(probe.fixations(), move || slopes.slope(&probe)[0]))
}

const ROWS: usize = 1 << 13;

fn rows() -> Vec<Row> {
    let numbers: Vec<f32> = numbers(ROWS * COMPONENTS).into_iter().map(|x| x as f32).collect();
    numbers.as_chunks::<COMPONENTS>().0.to_vec()
}

fn search_rows() -> Result<Kernel> {
    let rows = rows();
    Ok(Kernel::new(ROWS * COMPONENTS, move || f64::from(scores(&rows, &rows[0])[1])))
}

/// Times each kernel in turns with the plain sum, so that other work on the machine slows both.
fn time() -> Result<()> {
    Learned::write()?;
    println!("{:<22} {:>9} {:>8}  an element is a", "kernel", "ns", "ratio");
    let mut plain = sum()?;
    for (name, element, make) in KERNELS {
        let mut kernel = make()?;
        let mut rounds: Vec<(f64, f64)> = (0..ROUNDS)
            .map(|_| {
                let (sum, own) = (plain.nanoseconds(SECONDS), kernel.nanoseconds(SECONDS));
                (own / sum, own)
            })
            .collect();
        rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ratio = rounds[ROUNDS / 2].0;
        let fastest = rounds.iter().fold(f64::INFINITY, |fastest, (_, own)| fastest.min(*own));
        println!("{name:<22} {fastest:>9.3} {ratio:>8.2}  {element}");
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
    Learned::write()?;
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
