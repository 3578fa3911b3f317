//! Scores from templates against direct evaluation.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use gazeprint::corpus::Limits;
use gazeprint::density::{Grid, Tabulated, mean_pairwise_distance, mix};
use gazeprint::gallery::{Gallery, TemplateGallery};
use gazeprint::inference::Scratch;
use gazeprint::method::{Family, Observations, SharedDensity, Training};
use gazeprint::saccade::{DensityId, Event, Observation, Reading, readings};
use gazeprint::simulate::SimulationParams;
use gazeprint::template::{Layout, Parts, Probe, ReaderModel};

const READERS: usize = 40;

/// Readings of the first readers of the built-in corpus; odd texts train, even ones are held out.
fn corpus() -> (Vec<Reading>, Vec<Reading>) {
    let params = SimulationParams { readers: READERS, ..SimulationParams::built_in() };
    let corpus = params.build().unwrap().run();
    readings(&corpus, Limits::default()).0.into_iter().partition(|r| r.text % 2 == 1)
}

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
    fn gallery(&self) -> TemplateGallery {
        let grids = self.shared.iter().map(|d| (d.id, Arc::clone(d.features.grid())));
        let layout = Layout::new(Parts::ALL, grids, self.max_width);
        let rows: Vec<Vec<f64>> = (0..READERS)
            .map(|reader| {
                layout.row(&ReaderModel {
                    pi: [0.25; 4],
                    mu: 0.5,
                    log_densities: self.log_f.iter().map(|d| d[reader].clone()).collect(),
                })
            })
            .collect();
        TemplateGallery::new(layout, &rows)
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
fn single_scores(gallery: &TemplateGallery, held_out: &[Reading]) -> Vec<(Event, Vec<f64>)> {
    held_out
        .iter()
        .step_by(7)
        .flat_map(|reading| {
            reading.events.iter().map(|event| {
                let one = Reading { events: vec![*event], ..reading.clone() };
                (*event, gallery.scores(&gallery.probe(&one)))
            })
        })
        .collect()
}

/// Mean, 99.9th percentile and largest of absolute errors, with where the largest is.
fn check(name: &str, mut errors: Vec<(f64, Event, usize)>) {
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = errors.len();
    let mean = errors.iter().map(|e| e.0).sum::<f64>() / n as f64;
    let high = errors[(0.999 * n as f64) as usize].0;
    let (worst, event, reader) = errors[n - 1];
    println!("{name}: mean {mean:.1e}, 99.9 % {high:.1e}, at most {worst:.1e} of {n} scores");
    for id in DensityId::ALL.iter().filter(|id| !id.is_duration()) {
        let of: Vec<f64> = errors.iter().filter(|e| e.1.density == *id).map(|e| e.0).collect();
        if let Some(last) = of.last() {
            println!("  {}: mean {:.1e}, at most {last:.1e}", id.name(), common::mean(&of));
        }
    }
    assert!(mean < 1e-4, "{name}: {mean} on average");
    assert!(high < 1e-3, "{name}: {high} at the 99.9th percentile");
    assert!(worst < 5e-3, "{name}: {worst} for reader {reader}, {event:?}");
}

#[test]
fn templates_score_as_direct_evaluation_does() {
    let (train, held_out) = corpus();
    for (name, family, k) in [
        ("gamma", Family::Gamma, 4.0),
        ("gamma without backoff", Family::Gamma, 0.0),
        ("semiparametric", Family::Semiparametric, 4.0),
        ("semiparametric without backoff", Family::Semiparametric, 0.0),
    ] {
        let fits = fit(family, &train, k);
        let gallery = fits.gallery();
        let scores = single_scores(&gallery, &held_out);
        let mut errors = Vec::new();
        for reader in 0..READERS {
            let tables = fits.tables(reader);
            for (event, scores) in &scores {
                errors.push(((scores[reader] - direct(event, &tables)).abs(), *event, reader));
            }
        }
        check(name, errors);
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
        let Some(amplitude) = self.shared[index].amplitude else {
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
}

#[test]
fn templates_score_as_a_fine_grid_does() {
    let (train, held_out) = corpus();
    for (name, family) in [("gamma", Family::Gamma), ("semiparametric", Family::Semiparametric)] {
        let fits = fit(family, &train, 0.0);
        let gallery = fits.gallery();
        let scores = single_scores(&gallery, &held_out);
        let fine: Vec<(Grid, Vec<Vec<f64>>)> = fits
            .shared
            .iter()
            .enumerate()
            .map(|(index, density)| {
                let grid = density.features.grid();
                let grid = Grid::with_cells(grid.lower(), grid.upper(), 4000);
                let columns = fits.features_on(index, &grid);
                (grid, columns)
            })
            .collect();
        let (mut sum, mut worst, mut n) = (0.0, 0f64, 0.0);
        for reader in (0..READERS).step_by(2) {
            let tables: Vec<Tabulated<'_>> = fine
                .iter()
                .zip(&fits.theta)
                .map(|((grid, columns), theta)| {
                    let mut log_f = vec![0.0; grid.nodes().len()];
                    for (column, t) in columns.iter().zip(&theta[reader]) {
                        log_f.iter_mut().zip(column).for_each(|(l, c)| *l += t * c);
                    }
                    Tabulated::new(grid, log_f)
                })
                .collect();
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
    let gallery = fits.gallery();
    let probes: Vec<Probe> = held_out[..20].iter().map(|r| gallery.probe(r)).collect();
    let merged = Probe::merged(&probes);
    let together = gallery.scores(&merged);
    assert_eq!(merged.fixations(), held_out[..20].iter().map(|r| r.events.len()).sum::<usize>());
    for reader in 0..READERS {
        let row: Vec<f64> = gallery.row(reader).collect();
        assert_eq!(row.len(), gallery.layout().len());
        let product: f64 = merged.entries().iter().map(|(i, w)| w * row[*i as usize]).sum();
        let sum: f64 = probes.iter().map(|p| gallery.scores(p)[reader]).sum();
        assert!((together[reader] - product - merged.constant()).abs() < 1e-8);
        assert!((together[reader] - sum).abs() < 1e-8);
        let tables = fits.tables(reader);
        let events = held_out[..20].iter().flat_map(|r| &r.events);
        let exact: f64 = events.map(|e| direct(e, &tables)).sum();
        assert!((together[reader] - exact).abs() < 1e-4 * merged.fixations() as f64);
    }
}
