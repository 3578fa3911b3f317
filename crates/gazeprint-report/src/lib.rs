//! What a study found, for people: figures, tables, the page.
//!
//! | module | does |
//! |---|---|
//! | [`figure`] | draws figures as SVG and PNG, with their numbers as CSV |
//! | [`tables`] | sets a report as tables, in Markdown, LaTeX and HTML |
//! | [`page`] | sets a report as a page, with its figures |
//! | [`folder`] | keeps and writes the results of a study |
//! | [`draws`] | writes draws of a reader's posterior as CSV |
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
pub mod number;
pub mod page;
mod registry;
pub mod tables;

pub use figures::{FigureId, figures};
