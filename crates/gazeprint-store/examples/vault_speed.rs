//! How long a gallery takes to open, to read and to write.
//!
//! `cargo run --release -p gazeprint-store --example vault_speed [FOLDER]`
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use gazeprint_store::{Kind, Location, Secret, StoreError, Vault};

const READERS: usize = 251;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(folder)?;
    let key = Secret::new_key_file(&folder.path().join("key"))?;
    for (name, secret) in [("plain", None), ("key file", Some(&key))] {
        let at = Location::File(folder.path().join(name));
        let begun = Instant::now();
        let mut vault = Vault::create(&at, secret)?;
        vault.write(|change| {
            (0..READERS).try_for_each(|reader| {
                let name = format!("reader {reader}");
                change.put(Kind::Template, &name, &vec![reader as u8; 24_000])?;
                change.put(Kind::Readings, &name, &vec![reader as u8; 60_000])
            })
        })?;
        drop(vault);
        println!("{name}: made in {:.0} ms", milliseconds(begun));
        let median = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            format!("{:.2} ms, slowest {:.2} ms", times[times.len() / 2], times[times.len() - 1])
        };
        let mut times = Vec::new();
        for _ in 0..21 {
            let begun = Instant::now();
            let mut vault = Vault::open(&at, secret)?;
            let mut bytes = 0;
            vault.read(|snapshot| {
                snapshot.each(Kind::Template, |_, template| {
                    bytes += template.len();
                    Ok::<_, StoreError>(())
                })
            })?;
            assert_eq!(bytes, READERS * 24_000);
            times.push(milliseconds(begun));
        }
        println!("{name}: open and read all templates: {}", median(times));
        let mut vault = Vault::open(&at, secret)?;
        let times = (0..21).map(|_| {
            let begun = Instant::now();
            vault.write(|change| change.append(&[7; 300]))?;
            Ok(milliseconds(begun))
        });
        println!(
            "{name}: one entry of the log: {}",
            median(times.collect::<Result<_, StoreError>>()?)
        );
        let begun = Instant::now();
        vault.erase(|change| change.remove(Kind::Readings, "reader 7"))?;
        println!("{name}: erase one record: {:.0} ms", milliseconds(begun));
        let begun = Instant::now();
        vault.check()?;
        println!("{name}: check everything: {:.0} ms", milliseconds(begun));
    }
    Ok(())
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}
