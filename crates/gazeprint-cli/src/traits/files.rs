//! The files of `gazeprint traits`.

use std::fs;
use std::path::Path;

use gazeprint_eval::traits::PosteriorDraws;
use gazeprint_io::{TableFormat, WriteError};
use gazeprint_report::{frames, readers_by, readers_by_two};

use super::{Args, Figure, Found};

const JSON: &str = "traits.json";
/// Tables of all runs, and those of draws.
const TABLES: [&str; 2] = ["traits", "reliability"];
const OF_DRAWS: [&str; 2] = ["draws", "draws_doubts"];
/// The folder of figures, and how each of them ends.
const FIGURES: &str = "figures";
const ENDS: [&str; 4] = ["svg", "pdf", "png", "csv"];

/// Checks that the files could be written.
pub(super) fn check(args: &Args, out: &Path) -> Result<(), WriteError> {
    gazeprint_io::check_format(out, TableFormat::from(args.format))?;
    gazeprint_io::check_files(out, there(out).iter().map(String::as_str), args.overwrite)
}

/// Files of another run of this command that are there: none of them may be taken for one of this run.
fn there(out: &Path) -> Vec<String> {
    let tables = TABLES.into_iter().chain(OF_DRAWS);
    let tables = tables.flat_map(|name| TableFormat::ALL.map(|format| format.file(name)));
    let mut names: Vec<String> = tables.chain([JSON.to_owned()]).collect();
    names.retain(|name| fs::symlink_metadata(out.join(name)).is_ok());
    let figures = fs::read_dir(out.join(FIGURES)).into_iter().flatten().flatten();
    let figures = figures.filter_map(|entry| entry.file_name().into_string().ok());
    let is_ours = |name: &String| {
        let parts = name.rsplit_once('.');
        parts.is_some_and(|(name, end)| ENDS.contains(&end) && Figure::by_name(name).is_some())
    };
    let mut figures: Vec<String> =
        figures.filter(is_ours).map(|name| format!("{FIGURES}/{name}")).collect();
    figures.sort_unstable();
    names.extend(figures);
    names
}

/// Writes everything, and tells the names of the files. Those of another run give way.
pub(super) fn write(
    args: &Args,
    out: &Path,
    found: &Found,
    figures: &[Figure],
    drawn: Option<&PosteriorDraws>,
) -> Result<Vec<String>, WriteError> {
    let format = TableFormat::from(args.format);
    let failed = |name: &str| {
        let path = out.join(name);
        move |error| WriteError::Unwritable { path, error }
    };
    let all = TABLES
        .into_iter()
        .zip([frames::estimates(&found.traits), frames::reliability(&found.traits)]);
    let of_draws =
        drawn.map(|drawn| OF_DRAWS.into_iter().zip([frames::draws(drawn), frames::doubts(drawn)]));
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, frame) in all.chain(of_draws.into_iter().flatten()) {
        let name = format.file(name);
        let bytes = frame.write(format).map_err(failed(&name))?;
        files.push((name, bytes));
    }
    let json = serde_json::to_string_pretty(found).map_err(std::io::Error::other);
    files.push((JSON.to_owned(), (json.map_err(failed(JSON))? + "\n").into_bytes()));
    let mut names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    for figure in figures {
        let drawing = match *figure {
            Figure::One(what) => readers_by(&found.traits, what),
            Figure::Two(both) => readers_by_two(&found.traits, both),
        };
        let name = format!("{FIGURES}/{}", figure.name());
        names.push(format!("{name}.svg"));
        let (png, pdf, svg) = (drawing.png(), drawing.pdf(), drawing.svg_file().into_bytes());
        let parts = [svg, pdf, png, drawing.csv.into_bytes()];
        files
            .extend(ENDS.into_iter().zip(parts).map(|(end, part)| (format!("{name}.{end}"), part)));
    }
    gazeprint_io::put_files(out, &files, &there(out), args.overwrite)?;
    Ok(names)
}
