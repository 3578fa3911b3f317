//! Figures for papers: SVG, PDF, PNG and the plotted numbers as CSV.
//!
//! Functions, one a figure, take plain data ([`data`]) and return a [`Drawing`]:
//!
//! | function | shows |
//! |---|---|
//! | [`reader_densities`] | the distributions of one reader's amplitudes and durations |
//! | [`accuracy_curves`] | accuracy over the fraction of test sentences and over the number of readers |
//! | [`error_curves`] | false accepts over false rejects |
//! | [`error_curves_by_fraction`] | the same for fractions of the test sentences |
//! | [`det_curves`] | the same on normal-deviate axes |
//! | [`accuracy_over_seconds`] | accuracy over seconds of reading |
//! | [`names_over_seconds`] | readers and strangers who are named, over seconds of reading |
//! | [`robustness`] | accuracy over noise on positions and over the shortest duration kept |
//! | [`score_distributions`] | scores of genuine readers and of impostors |
//! | [`reader_calibration`] | whether the densities of a reader are calibrated |
//! | [`scanpath`] | a reader's path over a text |
//! | [`readers_by_trait`] | a trait of all readers, in order, with intervals |
//! | [`two_traits`] | two traits of all readers against each other |
//! | [`reader_amplitudes`] | one reader's amplitudes by type of saccade, as in the paper |
//! | [`graphical_model`] | the model of a reader as a graph with plates |
//! | [`error_curves_overlaid`] | errors for fractions of the test sentences in one panel, as in the paper |
//!
//! They are put together from panels in a grid (`layout`, `panel`), with axes (`scale`) and marks, into
//! a scene that `svg`, `pdf` and `raster` write. The same data give the same bytes.
//!
//! ```
//! use gazeprint_report::figure::{accuracy_over_seconds, data::{CurvePoint, MethodCurve}};
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

mod amplitudes;
mod clip;
mod curves;
pub mod data;
mod densities;
mod errors;
mod font;
mod label;
mod layout;
mod names;
mod overlaid;
mod panel;
mod pdf;
mod plates;
mod raster;
mod readers;
mod scale;
mod scanpath;
mod scene;
mod scores;
mod style;
mod svg;

pub use amplitudes::reader_amplitudes;
pub use curves::{accuracy_curves, accuracy_over_seconds, robustness};
pub use densities::{reader_calibration, reader_densities};
pub use errors::{det_curves, error_curves, error_curves_by_fraction};
use layout::{Cell, Figure, Grid, KeyEntry, Sample, Width};
pub use names::names_over_seconds;
pub use overlaid::error_curves_overlaid;
use panel::{Mark, Panel, Series};
pub use plates::graphical_model;
pub use readers::{readers_by_trait, two_traits};
use scale::{Axis, Scale};
pub use scanpath::scanpath;
use scene::Anchor;
pub use scores::score_distributions;
use style::{Color, Stroke, method_look, method_stroke, palette};
pub(crate) use svg::{escape, is_unseen};

use crate::csv::Csv;

/// What a page with figures needs: fonts, and colours for dark screens.
pub(crate) fn page_css() -> String {
    font::font_css() + &style::dark_css(".card ")
}

/// The sample of a method's line, as a small figure.
pub(crate) fn method_sample(method: &str, index: usize) -> String {
    layout::sample(method_look(method, index))
}

/// A finished figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The figure as SVG, as a part of a page that has its fonts and colours for dark screens.
    pub svg: String,
    /// The plotted numbers.
    pub csv: String,
    /// Whom it shows, where that is one reader: "Reader r017".
    pub subject: Option<String>,
    scene: scene::Scene,
}

impl Drawing {
    fn new(scene: scene::Scene, numbers: Csv) -> Self {
        Self { svg: svg::write(&scene), csv: numbers.into_text(), subject: None, scene }
    }

    /// The same, of one reader.
    fn of(self, subject: String) -> Self {
        Self { subject: Some(subject), ..self }
    }

    /// The figure as an SVG of its own: with its fonts, and dark on dark screens.
    pub fn svg_file(&self) -> String {
        svg::file(&self.scene)
    }

    /// The figure as PDF.
    pub fn pdf(&self) -> Vec<u8> {
        pdf::write(&self.scene)
    }

    /// The figure as PNG, 300 dots an inch.
    pub fn png(&self) -> Vec<u8> {
        raster::write(&self.scene)
    }
}

#[cfg(test)]
#[path = "../../tests/common/mod.rs"]
mod examples;

#[cfg(test)]
mod tests {
    use super::scene::{Item, Rect, Text};
    use super::*;

    /// Where a text is, without the rim that letters leave free.
    fn extent(text: &Text) -> Rect {
        let width = match text.cell {
            Some(cell) => cell * text.text.chars().count() as f64,
            None => text.face.width(&text.text, text.size),
        };
        let before = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let (x, y) = text.at;
        let (above, below) = (0.72 * text.size, 0.15 * text.size);
        if text.upright {
            let bottom = y + before;
            return Rect { left: x - above, top: bottom - width, right: x + below, bottom };
        }
        let left = x - before;
        Rect { left, top: y - above, right: left + width, bottom: y + below }
    }

    /// All figures: those of studies, of readers, and of the paper.
    fn drawings() -> Vec<(&'static str, Drawing)> {
        let of_studies = examples::all().into_iter().map(|(id, drawing)| (id.name(), drawing));
        of_studies.chain(examples::of_readers()).chain(examples::of_the_paper()).collect()
    }

    #[test]
    fn no_text_is_cut_and_no_two_overlap() {
        for (name, drawing) in drawings() {
            let scene = &drawing.scene;
            let texts: Vec<(&str, Rect)> = scene
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Text(text) if !text.text.is_empty() => {
                        Some((text.text.as_str(), extent(text)))
                    }
                    _ => None,
                })
                .collect();
            assert!(texts.len() > 10, "{name}");
            for (i, (text, a)) in texts.iter().enumerate() {
                assert!(a.left >= 0.0 && a.right <= scene.width, "{name}: {text} {a:?}");
                assert!(a.top >= 0.0 && a.bottom <= scene.height, "{name}: {text} {a:?}");
                for (other, b) in &texts[i + 1..] {
                    let apart = a.right <= b.left
                        || b.right <= a.left
                        || a.bottom <= b.top
                        || b.bottom <= a.top;
                    assert!(apart, "{name}: {text} and {other} overlap");
                }
            }
        }
    }

    #[test]
    fn every_shape_is_on_the_page() {
        for (name, drawing) in drawings() {
            let scene = &drawing.scene;
            let inside = |(x, y): scene::Point| {
                (0.0..=scene.width).contains(&x) && (0.0..=scene.height).contains(&y)
            };
            for item in &scene.items {
                let sound = match item {
                    Item::Path { steps, .. } => steps.iter().all(|step| match *step {
                        scene::Step::Move(p) | scene::Step::Line(p) => inside(p),
                        // A curve reaches half the way to its control point.
                        scene::Step::Quad(_, p) | scene::Step::Cubic(_, _, p) => inside(p),
                        scene::Step::Close => true,
                    }),
                    Item::Circle { center: (x, y), radius, .. } => {
                        inside((x - radius, y - radius)) && inside((x + radius, y + radius))
                    }
                    Item::Text(_) | Item::Open(_) | Item::Close => true,
                };
                assert!(sound, "{name}: {item:?}");
            }
        }
    }
}
