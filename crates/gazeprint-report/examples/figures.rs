//! Draws all figures from made-up data, into the folder given: SVG, PDF, PNG and CSV of each.
//!
//! ```text
//! cargo run -p gazeprint-report --example figures -- figures
//! ```

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("figures"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let of_studies = common::all().into_iter().map(|(id, drawing)| (id.name(), drawing));
    let others = common::of_readers().into_iter().chain(common::of_the_paper());
    for (name, drawing) in of_studies.chain(others) {
        fs::write(folder.join(format!("{name}.svg")), drawing.svg_file())?;
        fs::write(folder.join(format!("{name}.pdf")), drawing.pdf())?;
        fs::write(folder.join(format!("{name}.csv")), &drawing.csv)?;
        fs::write(folder.join(format!("{name}.png")), drawing.png())?;
    }
    Ok(())
}
