//! Draws all figures from made-up data, into the folder given: SVG, PNG and CSV of each.
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
    for (id, drawing) in common::all() {
        let name = id.name();
        fs::write(folder.join(format!("{name}.svg")), &drawing.svg)?;
        fs::write(folder.join(format!("{name}.csv")), &drawing.csv)?;
        fs::write(folder.join(format!("{name}.png")), drawing.png())?;
    }
    Ok(())
}
