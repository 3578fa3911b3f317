//! What the kernels are.

use std::sync::Arc;

use gazeprint::density::{Features, Grid, Likelihood, Sample, Workspace};
use gazeprint::kernels;
use gazeprint::random::Stream;
use gazeprint::saccade::{DensityId, Observation, Truncation};
use gazeprint::score::{Scorer, TemplateScorer};
use gazeprint::search::{COMPONENTS, Row, scores};
use gazeprint::template::{Layout, Parts, Probe, ReaderModel};
use pulp::{Arch, Simd, WithSimd};
use rand::RngExt;

use super::{COMPARED, Kernel, KernelEntry, LearnedOnce, read};
use crate::BenchError;

const ROWS: usize = 1 << 13;

/// All kernels, the plain sum first.
pub(super) const ALL: [KernelEntry; 11] = [
    KernelEntry { name: "sum", element: "number", make: |_| Ok(sum()) },
    KernelEntry { name: "dot", element: "number", make: |_| Ok(dot()) },
    KernelEntry { name: "exp", element: "number", make: |_| Ok(exp()) },
    KernelEntry { name: "log-sum-exp", element: "number", make: |_| Ok(log_sum_exp()) },
    KernelEntry { name: "likelihood", element: "observation", make: |_| Ok(likelihood()) },
    KernelEntry { name: "gradient", element: "observation", make: |_| Ok(gradient()) },
    KernelEntry { name: "hessian", element: "observation", make: |_| Ok(hessian()) },
    KernelEntry {
        name: "scores-by-situation",
        element: "fixation and reader",
        make: scores_by_situation,
    },
    KernelEntry {
        name: "scores-by-tables",
        element: "fixation and reader",
        make: |_| scores_by_tables(),
    },
    KernelEntry { name: "slope", element: "fixation", make: slope },
    KernelEntry { name: "search-rows", element: "number", make: |_| Ok(search_rows()) },
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

fn sum() -> Kernel {
    let x = numbers(4096);
    Kernel::new(x.len(), move || Arch::new().dispatch(Sum(&x)))
}

fn dot() -> Kernel {
    let x = numbers(4096);
    Kernel::new(x.len(), move || kernels::dot(&x, &x))
}

fn exp() -> Kernel {
    let x = numbers(4096);
    let mut out = vec![0.0; x.len()];
    Kernel::new(x.len(), move || {
        kernels::exp_shifted(&x, 1.0, &mut out);
        out[0]
    })
}

fn log_sum_exp() -> Kernel {
    let x = numbers(257);
    Kernel::new(x.len(), move || kernels::log_sum_exp(&x))
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

fn likelihood() -> Kernel {
    let mut density = Density::new();
    Kernel::new(density.sample.len(), move || {
        let Density { features, sample, theta, workspace } = &mut density;
        Likelihood::new(features, sample).value(theta, workspace)
    })
}

fn gradient() -> Kernel {
    let mut density = Density::new();
    let mut gradient = vec![0.0; density.features.len()];
    Kernel::new(density.sample.len(), move || {
        let Density { features, sample, theta, workspace } = &mut density;
        Likelihood::new(features, sample).gradient(theta, workspace, &mut gradient)
    })
}

fn hessian() -> Kernel {
    let mut density = Density::new();
    let p = density.features.len();
    let (mut gradient, mut hessian) = (vec![0.0; p], faer::Mat::zeros(p, p));
    Kernel::new(density.sample.len(), move || {
        let Density { features, sample, theta, workspace } = &mut density;
        let likelihood = Likelihood::new(features, sample);
        likelihood.derivatives(theta, workspace, &mut gradient, &mut hessian)
    })
}

fn whole(scorer: &dyn Scorer) -> Result<Probe, BenchError> {
    let probes: Vec<Probe> = read()?.iter().map(|r| scorer.probe(r)).collect();
    Ok(Probe::merged(&probes))
}

fn compared(scorer: impl Scorer + 'static) -> Result<Kernel, BenchError> {
    let probe = whole(&scorer)?;
    Ok(Kernel::new(scorer.len() * probe.fixations(), move || scorer.scores(&probe)[0]))
}

fn scores_by_situation(once: &dyn LearnedOnce) -> Result<Kernel, BenchError> {
    let learned = once.learned()?;
    compared(learned.background.scorer(&learned.templates)?)
}

/// The same reader again and again.
fn scores_by_tables() -> Result<Kernel, BenchError> {
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

fn slope(once: &dyn LearnedOnce) -> Result<Kernel, BenchError> {
    let background = once.learned()?.background;
    let slopes = background.slopes();
    let probe = whole(&background.scorer(&[])?)?;
    Ok(Kernel::new(probe.fixations(), move || slopes.slope(&probe)[0]))
}

fn search_rows() -> Kernel {
    let numbers: Vec<f32> = numbers(ROWS * COMPONENTS).into_iter().map(|x| x as f32).collect();
    let rows: Vec<Row> = numbers.as_chunks::<COMPONENTS>().0.to_vec();
    Kernel::new(ROWS * COMPONENTS, move || f64::from(scores(&rows, &rows[0])[1]))
}
