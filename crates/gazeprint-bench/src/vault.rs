//! How long the file of a gallery takes to be written and read.

use gazeprint_store::{Kind, Location, Secret, StoreError, Vault};
use serde::Serialize;

use crate::BenchError;
use crate::clock::timed;
use crate::folder::Folder;
use crate::numbers::{largest, median};

const READERS: usize = 251;
/// Bytes of a reader's template and readings.
const TEMPLATE: usize = 24_000;
const READINGS: usize = 60_000;
const TIMES: usize = 21;

/// Vaults with as much in them as a gallery has.
#[derive(Debug, Serialize)]
pub struct VaultTimes {
    /// Readers in them.
    pub readers: usize,
    /// Without a secret, and behind a key file.
    pub vaults: Vec<VaultTime>,
}

/// What one vault takes. The median of several, where the slowest is told as well.
#[derive(Debug, Serialize)]
pub struct VaultTime {
    /// What it is sealed by.
    pub vault: &'static str,
    /// To make it, and to write everything.
    pub make_seconds: f64,
    /// To open it, and to read all templates.
    pub open_seconds: f64,
    /// The slowest.
    pub open_slowest: f64,
    /// For one more entry of the log.
    pub log_seconds: f64,
    /// The slowest.
    pub log_slowest: f64,
    /// To remove a record, and to overwrite it.
    pub erase_seconds: f64,
    /// To read everything, and to see that it is right.
    pub check_seconds: f64,
}

pub(crate) fn measure() -> Result<VaultTimes, BenchError> {
    let folder = Folder::new()?;
    let key = Secret::new_key_file(&folder.file("key"))?;
    let vaults = [("plain", None), ("key file", Some(&key))]
        .map(|(name, secret)| VaultTime::of(name, &Location::File(folder.file(name)), secret));
    let vaults = vaults.into_iter().collect::<Result<_, _>>()?;
    Ok(VaultTimes { readers: READERS, vaults })
}

impl VaultTime {
    fn of(name: &'static str, at: &Location, secret: Option<&Secret>) -> Result<Self, StoreError> {
        let (written, make_seconds) = timed(|| written(at, secret));
        written?;
        let opened = seconds(|| read(at, secret))?;
        let mut vault = Vault::open(at, secret)?;
        let logged = seconds(|| vault.write(|change| change.append(&[7; 300])))?;
        let erase = || vault.erase(|change| change.remove(Kind::Readings, "reader 7"));
        let (erased, erase_seconds) = timed(erase);
        erased?;
        let (checked, check_seconds) = timed(|| vault.check());
        checked?;
        Ok(Self {
            vault: name,
            make_seconds,
            open_slowest: largest(&opened),
            open_seconds: median(opened),
            log_slowest: largest(&logged),
            log_seconds: median(logged),
            erase_seconds,
            check_seconds,
        })
    }
}

/// Seconds of something, time by time.
fn seconds<T>(mut work: impl FnMut() -> Result<T, StoreError>) -> Result<Vec<f64>, StoreError> {
    (0..TIMES)
        .map(|_| {
            let (result, seconds) = timed(&mut work);
            result.map(|_| seconds)
        })
        .collect()
}

fn written(at: &Location, secret: Option<&Secret>) -> Result<(), StoreError> {
    Vault::create(at, secret)?.write(|change| {
        (0..READERS).try_for_each(|reader| {
            let name = format!("reader {reader}");
            change.put(Kind::Template, &name, &vec![reader as u8; TEMPLATE])?;
            change.put(Kind::Readings, &name, &vec![reader as u8; READINGS])
        })
    })
}

fn read(at: &Location, secret: Option<&Secret>) -> Result<usize, StoreError> {
    let mut bytes = 0;
    Vault::open(at, secret)?.read(|snapshot| {
        snapshot.each(Kind::Template, |_, template| {
            bytes += template.len();
            Ok::<_, StoreError>(())
        })
    })?;
    Ok(bytes)
}
