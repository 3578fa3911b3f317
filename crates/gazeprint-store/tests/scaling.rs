//! What one reader costs in galleries of any size: nothing that is done for one may walk through all.
//!
//! `GAZEPRINT_SCALE=1000000 cargo test --release -p gazeprint-store --test scaling -- --ignored --nocapture` prints a
//! table of up to a million made-up readers, of a tenth of the size of real ones. Memory is that of the process.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod support;

use std::fs;
use std::time::Instant;

use gazeprint_store::{Change, Kind, Location, Secret, StoreError, Vault};
use support::{Files, Place, key};

/// Bytes of what is kept of a reader; a row is as large as real ones are.
const RECORDS: [(Kind, usize); 4] =
    [(Kind::Entry, 60), (Kind::Template, 2_400), (Kind::Readings, 6_000), (Kind::Row, 1_033)];
/// Readers written in one change.
const AT_ONCE: u64 = 2_000;
const TIMES: u64 = 15;

fn name(number: u64) -> String {
    format!("reader {number:07}")
}

fn enroll(change: &mut Change<'_>, number: u64) -> Result<(), StoreError> {
    for (kind, size) in RECORDS {
        change.put(kind, &name(number), &vec![number as u8; size])?;
    }
    change.append(b"enrolled somebody").map(drop)
}

/// The middle of how long something takes, in ms.
fn milliseconds(mut work: impl FnMut(u64)) -> f64 {
    let mut times: Vec<f64> = (0..TIMES)
        .map(|turn| {
            let begun = Instant::now();
            work(turn);
            1e3 * begun.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The most memory that the process had since it was last asked, in MB; nothing where that cannot be told.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    _ = fs::write("/proc/self/clear_refs", "5");
    kilobytes.unwrap_or(f64::NAN) / 1e3
}

/// In ms, but for the last.
struct Costs {
    readers: u64,
    open: f64,
    enroll: f64,
    read: f64,
    log: f64,
    remove: f64,
    check_seconds: f64,
    bytes: u64,
    peak: f64,
    check_peak: f64,
}

fn costs(at: &Location, secret: Option<&Secret>, readers: u64) -> Costs {
    let mut vault = Vault::create(at, secret).unwrap();
    for start in (0..readers).step_by(AT_ONCE as usize) {
        let some = |change: &mut Change<'_>| {
            (start..readers.min(start + AT_ONCE)).try_for_each(|number| enroll(change, number))
        };
        vault.write(some).unwrap();
    }
    peak();
    let other = |turn: u64| name((turn * 7919 + 13) % readers);
    let open = milliseconds(|_| drop(Vault::open(at, secret).unwrap()));
    let read = milliseconds(|turn| {
        let mut vault = Vault::open(at, secret).unwrap();
        let read = vault.read(|snapshot| {
            let template = snapshot.get(Kind::Template, &other(turn))?;
            Ok::<_, StoreError>(template.zip(snapshot.get(Kind::Readings, &other(turn))?))
        });
        assert!(read.unwrap().is_some());
    });
    let log = milliseconds(|_| _ = vault.write(|change| change.append(&[7; 300])).unwrap());
    let more = |turn| vault.write(|change| enroll(change, readers + turn)).unwrap();
    let enroll = milliseconds(more);
    let remove = milliseconds(|turn| {
        assert!(vault.erase(|change| change.forget(&other(turn))).unwrap());
    });
    let peak_of_all = peak();
    let begun = Instant::now();
    vault.check().unwrap();
    let check_seconds = begun.elapsed().as_secs_f64();
    let bytes = match at {
        Location::File(file) => fs::metadata(file).unwrap().len(),
        Location::Postgres(_) => 0,
    };
    let (peak, check_peak) = (peak_of_all, peak());
    Costs { readers, open, enroll, read, log, remove, check_seconds, bytes, peak, check_peak }
}

fn table(place: &dyn Place, most: u64) -> Vec<Costs> {
    println!(
        "  readers  open ms  read ms   log ms  enrol ms  remove ms  check s     MB  peak MB  check MB"
    );
    let mut all = Vec::new();
    let mut readers = 1000;
    while readers <= most {
        let it = costs(&place.fresh(), Some(&key(1)), readers);
        println!(
            "{:9} {:8.2} {:8.2} {:8.2} {:9.2} {:10.2} {:8.2} {:6.0} {:8.0} {:9.0}",
            it.readers,
            it.open,
            it.read,
            it.log,
            it.enroll,
            it.remove,
            it.check_seconds,
            it.bytes as f64 / 1e6,
            it.peak,
            it.check_peak
        );
        all.push(it);
        readers *= 10;
    }
    all
}

fn most() -> u64 {
    std::env::var("GAZEPRINT_SCALE").ok().and_then(|most| most.parse().ok()).unwrap_or(10_000)
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn one_reader_costs_the_same_in_a_file_of_any_size() {
    let costs = table(&Files::new(), most());
    let [first, .., last] = &costs[..] else { return };
    // A hundred times as many would take a hundred times as long. Disks have their moods.
    for (what, first, last) in [
        ("open", first.open, last.open),
        ("read", first.read, last.read),
        ("enrol", first.enroll, last.enroll),
        ("remove", first.remove, last.remove),
    ] {
        assert!(last < 10.0 * first + 50.0, "{what}: {first} ms, then {last} ms");
    }
    assert!(last.peak < first.peak + 200.0 && last.check_peak < first.check_peak + 200.0);
}

#[cfg(feature = "postgres")]
#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn one_reader_costs_the_same_on_a_server_of_any_size() {
    let Some(server) = support::server::Server::start() else { return };
    table(&server, most().min(100_000));
}
