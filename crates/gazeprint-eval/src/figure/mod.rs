//! Figures for papers: SVG, PNG and the plotted numbers as CSV.
//!
//! Nine functions, one a figure, take plain data ([`data`]) and return a [`Drawing`]:
//!
//! | function | shows |
//! |---|---|
//! | [`reader_densities`] | the distributions of one reader's amplitudes and durations |
//! | [`accuracy_curves`] | accuracy over the fraction of test sentences and over the number of readers |
//! | [`error_curves`] | false accepts over false rejects |
//! | [`error_curves_by_fraction`] | the same for fractions of the test sentences |
//! | [`det_curves`] | the same on normal-deviate axes |
//! | [`accuracy_over_seconds`] | accuracy over seconds of reading |
//! | [`score_distributions`] | scores of genuine readers and of impostors |
//! | [`reader_calibration`] | whether the densities of a reader are calibrated |
//! | [`scanpath`] | a reader's path over a text |
//!
//! They are put together from [`Figure`], [`Grid`], [`Panel`], [`Axis`] and [`Mark`], which serve
//! for other figures as well. The same data give the same bytes.
//!
//! ```
//! use gazeprint_eval::figure::{accuracy_over_seconds, data::{CurvePoint, MethodCurve}};
//!
//! let points = [(5.0, 0.31), (20.0, 0.74), (80.0, 0.98)];
//! let drawing = accuracy_over_seconds(&[MethodCurve {
//!     method: "population".into(),
//!     points: points.map(|(x, mean)| CurvePoint { x, mean, se: 0.01 }).to_vec(),
//! }]);
//! assert!(drawing.svg.starts_with("<svg"));
//! assert_eq!(drawing.csv.lines().count(), 4);
//! assert_eq!(&drawing.png()[1..4], b"PNG");
//! ```

mod clip;
mod csv;
mod curves;
pub mod data;
mod densities;
mod errors;
mod font;
mod label;
mod layout;
mod panel;
mod raster;
mod scale;
mod scanpath;
mod scene;
mod scores;
mod style;
mod svg;

pub use csv::{Table, Value};
pub use curves::{accuracy_curves, accuracy_over_seconds};
pub use densities::{reader_calibration, reader_densities};
pub use errors::{det_curves, error_curves, error_curves_by_fraction};
pub use font::font_css;
pub use layout::{Cell, Figure, Grid, KeyEntry, Sample, Width};
pub use panel::{Mark, Panel};
pub use scale::{Axis, Scale, Unit};
pub use scanpath::scanpath;
pub use scene::Anchor;
pub use scores::score_distributions;
pub use style::{Color, Stroke, method_stroke, palette};

/// A finished figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The figure as SVG.
    pub svg: String,
    /// The plotted numbers.
    pub csv: String,
    scene: scene::Scene,
}

impl Drawing {
    fn new(scene: scene::Scene, numbers: Table) -> Self {
        Self { svg: svg::write(&scene), csv: numbers.into_text(), scene }
    }

    /// The figure as PNG, 300 dots an inch.
    pub fn png(&self) -> Vec<u8> {
        raster::write(&self.scene)
    }
}
