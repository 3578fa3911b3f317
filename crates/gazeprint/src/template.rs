//! Readers as rows, probes as sparse vectors (section 6 of the model).
//!
//! All readers share the grids of their densities, and every term of a score is linear in some
//! table of the reader: `log pi` and `log mu` are counted, `log f` is interpolated between nodes,
//! and the log masses of the intervals that amplitudes are confined to are interpolated from
//! tables over the interval's end (one-sided) or over its left end and width (next word: widths of
//! words are whole characters). A score is therefore an inner product.
//!
//! The tables of masses hold the logarithm of the *mean density* over the interval, mass over
//! length, which stays smooth where the interval shrinks to nothing; the logarithms of the lengths
//! depend on the probe alone and go into its constant.

use std::sync::Arc;

use crate::density::{Grid, Tabulated};
use crate::glance::Glance;
use crate::kinds::Kind as _;
use crate::moments::Moments;
use crate::saccade::{ByType, DensityId, Event, Observation, Reading, SaccadeType, Truncation};
use crate::sight::Sight;

/// Which parts of the evidence a method uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// Amplitudes, and with them the direction of refixations.
    pub amplitudes: bool,
    /// Durations.
    pub durations: bool,
}

impl Parts {
    /// Types, amplitudes and durations.
    pub const ALL: Self = Self { amplitudes: true, durations: true };

    /// Whether a density is used.
    pub fn uses(self, id: DensityId) -> bool {
        if id.is_duration() { self.durations } else { self.amplitudes }
    }
}

/// A sparse vector: additive over what was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Probe {
    /// (place in the row, weight), ascending, each place once.
    entries: Vec<(u32, f64)>,
    /// Added to the score of every reader.
    constant: f64,
    fixations: usize,
    clamped: usize,
    /// The fixations one by one, for scorers that look at their situations.
    glances: Vec<Glance>,
    /// What the network makes of readings.
    embedding: Sight,
    /// How the eye moved.
    moments: Moments,
}

impl Probe {
    /// Collects entries; a place may come several times.
    pub(crate) fn new(mut entries: Vec<(u32, f64)>, constant: f64, fixations: usize) -> Self {
        entries.sort_by_key(|e| e.0);
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { entries, constant, fixations, ..Self::default() }
    }

    /// The probe of everything that the given probes saw.
    pub fn merged<'a>(probes: impl IntoIterator<Item = &'a Probe>) -> Self {
        let (mut entries, mut constant, mut fixations, mut clamped) = (Vec::new(), 0.0, 0, 0);
        let mut glances = Vec::new();
        let (mut embedding, mut moments) = (Sight::default(), Moments::default());
        for probe in probes {
            embedding.add(1.0, &probe.embedding);
            moments.add(1.0, &probe.moments);
            glances.extend_from_slice(&probe.glances);
            entries.extend_from_slice(&probe.entries);
            constant += probe.constant;
            fixations += probe.fixations;
            clamped += probe.clamped;
        }
        Self { clamped, glances, embedding, moments, ..Self::new(entries, constant, fixations) }
    }

    /// The same with its fixations one by one, of which so many have values beyond the grids.
    pub(crate) fn with_glances(self, glances: Vec<Glance>, clamped: usize) -> Self {
        Self { glances, clamped: self.clamped + clamped, ..self }
    }

    /// The same with what the network makes of the reading, and with how the eye moved.
    pub(crate) fn with_sights(self, embedding: Sight, moments: Moments) -> Self {
        Self { embedding, moments, ..self }
    }

    /// What the network makes of it, where that is asked for.
    pub(crate) fn embedding(&self) -> &Sight {
        &self.embedding
    }

    /// How the eye moved, where that is asked for.
    pub(crate) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Adds what another saw of the same, or with a factor of -1 takes it away: sights alone.
    pub(crate) fn add_sights(&mut self, factor: f64, other: &Self) {
        self.embedding.add(factor, &other.embedding);
        self.moments.add(factor, &other.moments);
    }

    /// Nothing but sights.
    pub(crate) fn only_sights(&self) -> Self {
        Self::default().with_sights(self.embedding.clone(), self.moments.clone())
    }

    /// The fixations one by one, where they are kept.
    pub(crate) fn glances(&self) -> &[Glance] {
        &self.glances
    }

    /// (place in the row, weight), ascending.
    pub fn entries(&self) -> &[(u32, f64)] {
        &self.entries
    }

    /// The score of one row.
    pub fn score(&self, row: &[f64]) -> f64 {
        let terms = self.entries.iter().map(|&(place, weight)| weight * row[place as usize]);
        self.constant + terms.sum::<f64>()
    }

    /// What is added to the score of every reader.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// Number of fixations seen.
    pub fn fixations(&self) -> usize {
        self.fixations
    }

    /// How many observations lay beyond the grids (D9).
    pub fn clamped(&self) -> usize {
        self.clamped
    }
}

/// Where everything stands in a row.
#[derive(Debug, Clone)]
pub struct Layout {
    parts: Parts,
    segments: Vec<Segment>,
    len: usize,
}

/// The tables of one density.
#[derive(Debug, Clone)]
struct Segment {
    id: DensityId,
    grid: Arc<Grid>,
    /// Start of the table of `log f`, one value per node.
    density: usize,
    /// Start of the tables of log mean densities, each with one value per node.
    masses: usize,
    /// Number of tables of log mean densities: one per width for the next word, else 0 or 1.
    widths: usize,
}

/// Widest word with a table of its own, in characters.
const MAX_WIDTH: usize = 40;
/// Places of `log pi` (by type), then of `log mu` and `log (1 - mu)`.
pub(crate) const MU: usize = SaccadeType::COUNT;
const DENSITIES: usize = MU + 2;

/// What a row is made of.
#[derive(Debug, Clone)]
pub struct ReaderModel {
    /// Probabilities of the saccade types.
    pub pi: ByType<f64>,
    /// Probability that a refixation goes forward.
    pub mu: f64,
    /// Log densities at the nodes, in the order of [`Layout::densities`].
    pub log_densities: Vec<Vec<f64>>,
}

impl Layout {
    /// A row for the given densities with their grids; `max_width` is the width in characters of
    /// the widest word that has a table of its own, 40 at most: wider ones are rare, and cost
    /// memory in every row.
    pub fn new(
        parts: Parts,
        densities: impl IntoIterator<Item = (DensityId, Arc<Grid>)>,
        max_width: usize,
    ) -> Self {
        let mut len = DENSITIES;
        let segments = densities
            .into_iter()
            .map(|(id, grid)| {
                let nodes = grid.nodes().len();
                let widths = match id.truncation() {
                    Truncation::Full => 0,
                    Truncation::Upper | Truncation::Lower => 1,
                    Truncation::Both => max_width.clamp(1, MAX_WIDTH),
                };
                let (density, masses) = (len, len + nodes);
                len = masses + widths * nodes;
                Segment { id, grid, density, masses, widths }
            })
            .collect();
        Self { parts, segments, len }
    }

    /// Length of a row.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The densities in their order.
    pub fn densities(&self) -> impl Iterator<Item = (DensityId, &Grid)> {
        self.segments.iter().map(|s| (s.id, s.grid.as_ref()))
    }

    /// The places of density number `index` in a row.
    pub(crate) fn range(&self, index: usize) -> std::ops::Range<usize> {
        let s = &self.segments[index];
        s.density..s.masses + s.widths * s.grid.nodes().len()
    }

    /// A reader as a row.
    pub fn row(&self, model: &ReaderModel) -> Vec<f64> {
        let mut row = Vec::with_capacity(self.len);
        row.extend(model.pi.values().iter().map(|p| p.ln()));
        row.extend([model.mu.ln(), (1.0 - model.mu).ln()]);
        for (index, log_f) in model.log_densities.iter().enumerate() {
            self.extend_with_density(index, log_f.clone(), &mut row);
        }
        row
    }

    /// Appends the tables of density number `index`.
    pub(crate) fn extend_with_density(&self, index: usize, log_f: Vec<f64>, row: &mut Vec<f64>) {
        let segment = &self.segments[index];
        let table = Tabulated::new(&segment.grid, log_f);
        row.extend_from_slice(table.log_f());
        for width in 1..=segment.widths {
            row.extend((0..segment.grid.nodes().len()).map(|j| segment.log_mean(&table, j, width)));
        }
    }

    /// A reading as a sparse vector.
    pub fn probe(&self, reading: &Reading) -> Probe {
        self.probe_of(&reading.events)
    }

    /// Fixations as a sparse vector: what each says does not depend on the others.
    pub(crate) fn probe_of(&self, events: &[Event]) -> Probe {
        let mut entries = Vec::with_capacity(16 * events.len());
        let (mut constant, mut clamped) = (0.0, 0);
        let mut observe = |id: DensityId, o: &Observation| {
            if let Some(segment) = self.segments.iter().find(|s| s.id == id) {
                constant -= segment.encode(o, &mut entries);
                clamped += usize::from(segment.clamps(o));
            }
        };
        let mut types = Vec::with_capacity(2 * events.len());
        for event in events {
            observe(event.density, &event.amplitude);
            observe(event.duration_density(), &Observation::free(event.duration));
            types.extend(self.type_entries(event));
        }
        entries.extend(types);
        Probe { clamped, ..Probe::new(entries, constant, events.len()) }
    }

    fn type_entries(&self, event: &Event) -> impl Iterator<Item = (u32, f64)> {
        let kind = event.kind.map(|kind| (kind.place() as u32, 1.0));
        let direction = match event.density {
            DensityId::Alpha1 if self.parts.amplitudes => Some((MU as u32, 1.0)),
            DensityId::Alpha1Bar if self.parts.amplitudes => Some((MU as u32 + 1, 1.0)),
            _ => None,
        };
        kind.into_iter().chain(direction)
    }
}

impl Segment {
    /// Whether an observation reaches beyond the support, or its word is wider than the tables
    /// know.
    fn clamps(&self, o: &Observation) -> bool {
        self.grid.clamps(o) || (self.id.truncation() == Truncation::Both && width(o) > self.widths)
    }

    /// Log of the mean density over the interval that ends (or, for intervals with a left bound,
    /// begins) at node `j`.
    fn log_mean(&self, table: &Tabulated<'_>, j: usize, width: usize) -> f64 {
        let x = self.grid.nodes()[j];
        if self.id.truncation() != Truncation::Upper && x > self.grid.last_lower() {
            // No interval begins within the last cell; the limit keeps the table smooth.
            return table.log_f()[j];
        }
        // Nodes left of the support only serve to interpolate just right of its end, so the table
        // goes on smoothly there.
        let (first, last) = (self.grid.nodes()[0], self.grid.upper());
        let (lower, upper) = match self.id.truncation() {
            Truncation::Upper => (first, x.max(self.grid.clamped(first, first).1)),
            Truncation::Lower => (x, last),
            _ => (x, (x + width as f64).min(last)),
        };
        table.log_mass_of(&self.grid.interval_of_nodes(lower, upper)) - (upper - lower).ln()
    }

    /// Adds the weights of an observation; returns the log length of its interval.
    fn encode(&self, o: &Observation, entries: &mut Vec<(u32, f64)>) -> f64 {
        let grid = &self.grid;
        let place = grid.place(o.value.max(grid.lower()));
        let at = (self.density + place.cell) as u32;
        entries.extend([(at, 1.0 - place.t), (at + 1, place.t)]);
        let truncation = self.id.truncation();
        let lower = o.lower.clamp(grid.lower(), grid.last_lower());
        let (table, upper) = match truncation {
            Truncation::Full => return 0.0,
            Truncation::Upper | Truncation::Lower => (0, o.upper),
            Truncation::Both => {
                let width = width(o).clamp(1, self.widths);
                (width - 1, lower + width as f64)
            }
        };
        let (from, to) = grid.clamped(lower, upper);
        let end = if truncation == Truncation::Upper { to } else { from };
        let start = self.masses + table * grid.nodes().len();
        for (node, weight) in cubic(grid, end) {
            entries.push(((start + node) as u32, -weight));
        }
        (to - from).ln()
    }
}

/// Width of the word that a two-sided interval covers, in whole characters.
fn width(o: &Observation) -> usize {
    (o.upper - o.lower).round() as usize
}

/// Weights of the cubic through the four nodes around `x`, in square root.
fn cubic(grid: &Grid, x: f64) -> [(usize, f64); 4] {
    let place = grid.place(x);
    let start = place.cell.saturating_sub(1).min(grid.cells() - 3);
    let t = place.cell as f64 + place.t - start as f64;
    std::array::from_fn(|k| {
        let weight =
            (0..4).filter(|&i| i != k).map(|i| (t - i as f64) / (k as f64 - i as f64)).product();
        (start + k, weight)
    })
}
