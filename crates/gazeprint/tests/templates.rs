//! Scores from templates against direct evaluation.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use gazeprint::corpus::Limits;
use gazeprint::density::{Grid, Tabulated, mean_pairwise_distance, mix};
use gazeprint::inference::Scratch;
use gazeprint::method::{Family, Observations, SharedDensity, Training};
use gazeprint::saccade::{DensityId, Event, Observation, Reading, readings};
use gazeprint::score::{Scorer, TemplateScorer};
use gazeprint::simulate::SimulationParams;
use gazeprint::template::{Layout, Parts, Probe, ReaderModel};

const READERS: usize = 251;

/// Readings of the first readers of the built-in corpus; odd texts train, even ones are held out.
fn corpus() -> (Vec<Reading>, Vec<Reading>) {
    let params = SimulationParams { readers: READERS, ..SimulationParams::built_in() };
    let corpus = params.build().unwrap().run();
    readings(&corpus, Limits::default()).0.into_iter().partition(|r| r.text % 2 == 1)
}

/// Fine grids with the features on them, by density.
type Fine = Vec<(Grid, Vec<Vec<f64>>)>;

/// Densities of all readers with the grids they share.
struct Fits {
    shared: Vec<SharedDensity>,
    /// By density, then reader: log f at the nodes.
    log_f: Vec<Vec<Vec<f64>>>,
    /// The coefficients they come from.
    theta: Vec<Vec<Vec<f64>>>,
    /// Lengths of the Gaussian processes.
    sigma: Vec<f64>,
    max_width: usize,
}

/// Fits every density of every reader at the mode, backed off to the pooled one by `k`.
fn fit(family: Family, train: &[Reading], k: f64) -> Fits {
    let training = Training::new(READERS, train.iter().map(|r| (r.reader, r)).collect()).unwrap();
    let observations = Observations::of(&training);
    let shared: Vec<SharedDensity> = DensityId::ALL
        .iter()
        .map(|id| SharedDensity::learn(*id, family, &observations).unwrap())
        .collect();
    let (mut log_f, mut theta) = (Vec::new(), Vec::new());
    for density in &shared {
        let mut scratch = Scratch::new(&density.features);
        let fits: Vec<(Vec<f64>, Vec<f64>)> = (0..READERS)
            .map(|reader| {
                let sample = density.sample(observations.of_reader(density.id, reader));
                let mode = density.problem(&sample).mode(&density.pooled, &mut scratch).unwrap();
                let n = sample.len() as f64;
                let weight = if k == 0.0 { 1.0 } else { n / (n + k) };
                let own = mode.log_density(&density.features);
                (mix(weight, &own, &density.log_pooled), mode.theta)
            })
            .collect();
        let (l, t) = fits.into_iter().unzip();
        log_f.push(l);
        theta.push(t);
    }
    let values = |id| observations.pooled(id).map(|o| o.value).collect::<Vec<f64>>();
    let sigma =
        DensityId::ALL.iter().map(|id| mean_pairwise_distance(&values(*id)).unwrap()).collect();
    Fits { shared, log_f, theta, sigma, max_width: observations.max_width() }
}

impl Fits {
    fn scorer(&self) -> TemplateScorer {
        let grids = self.shared.iter().map(|d| (d.id, Arc::clone(d.features.grid())));
        let layout = Layout::new(Parts::ALL, grids, self.max_width);
        let rows: Vec<Vec<f64>> = (0..READERS)
            .map(|reader| {
                layout.row(&ReaderModel {
                    pi: [0.25; 4].into(),
                    mu: 0.5,
                    log_densities: self.log_f.iter().map(|d| d[reader].clone()).collect(),
                })
            })
            .collect();
        let population = rows[0].clone();
        TemplateScorer::new(layout, &rows, population)
    }

    fn tables(&self, reader: usize) -> Vec<Tabulated<'_>> {
        let densities = self.shared.iter().zip(&self.log_f);
        densities
            .map(|(d, log_f)| Tabulated::new(d.features.grid(), log_f[reader].clone()))
            .collect()
    }
}

/// The score of one fixation, term by term.
fn direct(event: &Event, tables: &[Tabulated<'_>]) -> f64 {
    let term =
        |id: DensityId, o: &Observation| tables[id as usize].log_truncated(id.truncation(), o);
    let types = event.kind.map_or(0.0, |_| 0.25f64.ln());
    let direction = match event.density {
        DensityId::Alpha1 | DensityId::Alpha1Bar => 0.5f64.ln(),
        _ => 0.0,
    };
    let duration = Observation::free(event.duration);
    types
        + direction
        + term(event.density, &event.amplitude)
        + term(event.duration_density(), &duration)
}

/// Every held-out fixation with the score of every reader for it.
fn single_scores(scorer: &TemplateScorer, held_out: &[Reading]) -> Vec<(Event, Vec<f64>)> {
    held_out
        .iter()
        .step_by(17)
        .flat_map(|reading| {
            reading.events.iter().map(|event| {
                let one = Reading { events: vec![*event], ..reading.clone() };
                (*event, scorer.scores(&scorer.probe(&one)))
            })
        })
        .collect()
}

/// Whether a score that is far from direct evaluation is nearer to it than half of the way that
/// direct evaluation is from a fine grid.
///
/// Without backoff, four observations of a refixation can make a density that rises by nats from
/// node to node (a gamma of shape 67). Direct evaluation then takes a straight line where the
/// density bends, and it is not worth agreeing with.
fn excused(fits: &Fits, fine: &Fine, event: &Event, reader: usize, score: f64) -> bool {
    let nodes = direct(event, &fits.tables(reader));
    let exact = direct(event, &fits.fine_tables(fine, reader));
    (score - nodes).abs() < 0.5 * (nodes - exact).abs()
}

#[test]
fn templates_score_as_direct_evaluation_does() {
    let (train, held_out) = corpus();
    for (name, family, k) in [
        ("gamma", Family::Gamma, 4.0),
        ("gamma, little backoff", Family::Gamma, 1.0),
        ("gamma, no backoff", Family::Gamma, 0.0),
        ("semiparametric", Family::Semiparametric, 4.0),
        ("semiparametric, little backoff", Family::Semiparametric, 1.0),
        ("semiparametric, no backoff", Family::Semiparametric, 0.0),
    ] {
        let fits = fit(family, &train, k);
        let scorer = fits.scorer();
        let scores = single_scores(&scorer, &held_out);
        let (mut errors, mut beyond) = (Vec::new(), Vec::new());
        for reader in 0..READERS {
            let tables = fits.tables(reader);
            for (event, scores) in &scores {
                let error = (scores[reader] - direct(event, &tables)).abs();
                errors.push(error);
                if error >= 5e-3 {
                    beyond.push((error, event, reader, scores[reader]));
                }
            }
        }
        errors.sort_by(f64::total_cmp);
        let (n, mean) = (errors.len(), common::mean(&errors));
        let high = errors[(0.999 * n as f64) as usize];
        let worst = errors[n - 1];
        println!("{name}: mean {mean:.1e}, 99.9 % {high:.1e}, at most {worst:.1e} of {n} scores");
        assert!(mean < 1e-4, "{name}: {mean} on average");
        assert!(high < 1e-3, "{name}: {high} at the 99.9th percentile");
        let fine = if beyond.is_empty() { Vec::new() } else { fits.fine() };
        for (error, event, reader, score) in beyond {
            assert!(
                k == 0.0 && excused(&fits, &fine, event, reader, score),
                "{name}: {error} for reader {reader}, {event:?}"
            );
        }
    }
}

impl Fits {
    /// The features of a density on a grid of `cells`. Between the nodes of the default grid the
    /// eigenvectors go on as the kernel has them: `phi_k(x) = sum_j kappa(x, x_j) phi_k(x_j)`
    /// over the eigenvalue.
    fn features_on(&self, index: usize, grid: &Grid) -> Vec<Vec<f64>> {
        let (features, sigma) = (&self.shared[index].features, self.sigma[index]);
        let scale = grid.upper() / 10.0;
        let mut columns: Vec<Vec<f64>> = vec![
            grid.nodes().iter().map(|x| x.ln()).collect(),
            grid.nodes().iter().map(|x| x / scale).collect(),
        ];
        let Some(amplitude) = self.shared[index].process.map(|p| p.amplitude) else {
            return columns;
        };
        let kernel: Vec<Vec<f64>> = grid
            .nodes()
            .iter()
            .map(|x| {
                let of = |z: &f64| (-0.5 * ((x - z) / sigma).powi(2)).exp();
                features.grid().nodes().iter().map(of).collect()
            })
            .collect();
        for k in 2..features.len() {
            let column = features.column(k);
            let eigenvalue = column.iter().map(|v| v * v).sum::<f64>() / amplitude;
            columns.push(
                kernel
                    .iter()
                    .map(|row| row.iter().zip(column).map(|(a, b)| a * b).sum::<f64>() / eigenvalue)
                    .collect(),
            );
        }
        columns
    }

    /// Grids of 4,000 cells with the features on them, by density.
    fn fine(&self) -> Fine {
        (0..self.shared.len())
            .map(|index| {
                let grid = self.shared[index].features.grid();
                let grid = Grid::with_cells(grid.lower(), grid.upper(), 4000);
                let columns = self.features_on(index, &grid);
                (grid, columns)
            })
            .collect()
    }

    /// A reader's densities on them, from the same coefficients.
    fn fine_tables<'a>(&self, fine: &'a Fine, reader: usize) -> Vec<Tabulated<'a>> {
        fine.iter()
            .zip(&self.theta)
            .map(|((grid, columns), theta)| {
                let mut log_f = vec![0.0; grid.nodes().len()];
                for (column, t) in columns.iter().zip(&theta[reader]) {
                    log_f.iter_mut().zip(column).for_each(|(l, c)| *l += t * c);
                }
                Tabulated::new(grid, log_f)
            })
            .collect()
    }
}

#[test]
fn templates_score_as_a_fine_grid_does() {
    let (train, held_out) = corpus();
    for (name, family) in [("gamma", Family::Gamma), ("semiparametric", Family::Semiparametric)] {
        let fits = fit(family, &train, 0.0);
        let scorer = fits.scorer();
        let scores = single_scores(&scorer, &held_out);
        let fine = fits.fine();
        let (mut sum, mut worst, mut n) = (0.0, 0f64, 0.0);
        for reader in (0..READERS).step_by(5) {
            let tables = fits.fine_tables(&fine, reader);
            for (event, scores) in &scores {
                let error = (scores[reader] - direct(event, &tables)).abs();
                sum += error;
                worst = worst.max(error);
                n += 1.0;
            }
        }
        println!("{name}: mean {:.1e}, at most {worst:.1e} of {n} scores", sum / n);
        assert!(sum / n < 1e-3, "{name}: {} on average", sum / n);
    }
}

#[test]
fn scores_are_inner_products_and_add_up() {
    let (train, held_out) = corpus();
    let fits = fit(Family::Gamma, &train, 1.0);
    let scorer = fits.scorer();
    let probes: Vec<Probe> = held_out[..20].iter().map(|r| scorer.probe(r)).collect();
    let merged = Probe::merged(&probes);
    let together = scorer.scores(&merged);
    assert_eq!(merged.fixations(), held_out[..20].iter().map(|r| r.events.len()).sum::<usize>());
    for reader in 0..READERS {
        let row: Vec<f64> = scorer.row(reader).collect();
        assert_eq!(row.len(), scorer.layout().len());
        let product: f64 = merged.entries().iter().map(|(i, w)| w * row[*i as usize]).sum();
        let sum: f64 = probes.iter().map(|p| scorer.scores(p)[reader]).sum();
        assert!((together[reader] - product - merged.constant()).abs() < 1e-8);
        assert!((together[reader] - sum).abs() < 1e-8);
        let tables = fits.tables(reader);
        let events = held_out[..20].iter().flat_map(|r| &r.events);
        let exact: f64 = events.map(|e| direct(e, &tables)).sum();
        assert!((together[reader] - exact).abs() < 1e-4 * merged.fixations() as f64);
    }
}
