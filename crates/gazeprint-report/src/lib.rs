//! What a study found, for people: figures, tables, the page.
//!
//! | module | does |
//! |---|---|
//! | [`figure`] | draws figures as SVG, PDF and PNG, with their numbers as CSV |
//! | [`tables`] | sets a report as tables, in Markdown, LaTeX and HTML |
//! | [`page`] | sets a report as a page, with its figures |
//! | [`paper`] | lays a study out as the paper did, with the paper's numbers |
//! | [`folder`] | keeps and writes the results of a study |
//! | [`draws`] | writes draws of a reader's posterior as CSV |
//! | [`frames`] | results as tidy tables |
//! | [`number`] | sets numbers |
//!
//! A figure is one entry in [`FigureId`]; tables and sections of the page are entries of such lists, too.

// Examples of the figures name the crate from outside.
#[cfg(test)]
extern crate self as gazeprint_report;

mod csv;
pub mod draws;
pub mod figure;
mod figures;
pub mod folder;
pub mod frames;
pub mod number;
pub mod page;
pub mod paper;
mod registry;
pub mod tables;

pub use figures::{FigureId, figures, figures_of_reader, readers_by, readers_by_two};
