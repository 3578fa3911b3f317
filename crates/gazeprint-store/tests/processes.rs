//! Processes that are killed, and several at once.
//!
//! The tests start this program again, with [`AS`] naming what it does.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gazeprint_store::{Kind, Location, StoreError, Vault};
use support::{Files, Place, content, key};

const AS: &str = "GAZEPRINT_TEST_AS";
const AT: &str = "GAZEPRINT_TEST_AT";
const FROM: &str = "GAZEPRINT_TEST_FROM";

/// Readers that are written again and again.
const READERS: u64 = 7;

/// Large enough for many pages, and telling whose and which it is.
fn value(reader: u64, version: u64) -> Vec<u8> {
    (0..2000).flat_map(|i| (reader ^ version << 8 ^ i << 40).to_le_bytes()).collect()
}

fn version(vault: &mut Vault, kind: Kind, reader: u64) -> Result<u64, StoreError> {
    let found = vault.read(|snapshot| snapshot.get(kind, &format!("reader {reader}")))?;
    let Some(found) = found else { return Ok(0) };
    let first = u64::from_le_bytes(found[..8].try_into().unwrap());
    let version = (first ^ reader) >> 8;
    assert_eq!(*found, value(reader, version), "neither the old nor the new one");
    Ok(version)
}

/// What the program does when a test has started it.
#[test]
fn child() {
    let Ok(task) = std::env::var(AS) else { return };
    let at: Location = std::env::var(AT).unwrap().parse().unwrap();
    let from: u64 = std::env::var(FROM).unwrap().parse().unwrap();
    match task.as_str() {
        "write" => write_for_ever(&at, from),
        "rekey" => rekey_for_ever(&at),
        "erase" => erase_for_ever(&at, from),
        "compact" => compact_for_ever(&at),
        "upgrade" => upgrade(&at),
        "count" => count(&at, from),
        "watch" => watch(&at),
        other => panic!("{other}"),
    }
}

fn start(task: &str, at: &Location, from: u64) -> Child {
    let at = match at {
        Location::File(file) => file.to_str().unwrap().to_owned(),
        Location::Postgres(address) => address.clone(),
    };
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(AS, task)
        .env(AT, at)
        .env(FROM, from.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Writes template, readings and log of one reader after another, and erases now and then.
fn write_for_ever(at: &Location, from: u64) {
    let mut vault = Vault::open(at, Some(&key(1))).unwrap();
    for version in from.. {
        let reader = version % READERS;
        let name = format!("reader {reader}");
        let work = |change: &mut gazeprint_store::Change<'_>| {
            change.put(Kind::Template, &name, &value(reader, version))?;
            if version % 5 == 0 {
                change.forget(&format!("probe {}", version - 5))?;
                change.put(Kind::Probe, &format!("probe {version}"), b"")?;
            }
            change.put(Kind::Readings, &name, &value(reader, version))?;
            change.append(&version.to_le_bytes())
        };
        if version % 5 == 0 { vault.erase(work) } else { vault.write(work) }.unwrap();
        println!("acknowledged {version}");
    }
}

/// A number from 0 to below 1 that differs from turn to turn.
fn chance(turn: u64) -> f64 {
    (turn as f64 * 0.618_033_988_749_894_9).fract()
}

/// Reads what a process acknowledges until it has done so a few times, and then kills it at some
/// moment. Gives the last that was acknowledged.
fn run_and_kill(child: Child, turn: u64) -> Option<u64> {
    kill_after(child, 1 + (4.0 * chance(7 * turn)) as u32, turn)
}

/// The same after so many.
fn kill_after(mut child: Child, acknowledgements: u32, turn: u64) -> Option<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let acknowledged = lines.map_while(Result::ok).filter_map(|line| {
        line.strip_prefix("acknowledged ").and_then(|number| number.parse::<u64>().ok())
    });
    let (send, receive) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || acknowledged.for_each(|number| send.send(number).unwrap()));
        let mut last = None;
        for _ in 0..acknowledgements {
            last = receive.recv().ok().or(last);
        }
        // Some 20 ms are what a write takes.
        thread::sleep(Duration::from_micros((chance(turn) * 25_000.0) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it still got out before it was killed counts too.
        receive.iter().last().or(last)
    })
}

fn killed_while_enrolling(kills: u64) {
    let place = Files::new();
    let at = place.fresh();
    Vault::create(&at, Some(&key(1))).unwrap();
    let (mut acknowledged, mut turn, mut last) = (0, 0, 0);
    // On a fast machine a process gets more done before it is killed: kills count, too.
    while acknowledged < 200 || turn < kills {
        let first = last + 1;
        let told = run_and_kill(start("write", &at, first), turn);
        let told = told.expect("nothing was acknowledged");
        acknowledged += told + 1 - first;
        let mut vault = Vault::open(&at, Some(&key(1))).unwrap();
        vault.check().unwrap();
        let log = content(&mut vault).unwrap().log;
        last = log.len() as u64;
        assert!(last == told || last == told + 1, "{last} was kept, {told} acknowledged");
        let expected: Vec<_> = (1..=last).map(|version| version.to_le_bytes().to_vec()).collect();
        assert_eq!(log, expected);
        for reader in 0..READERS {
            let newest = (1..=last).rev().find(|version| version % READERS == reader).unwrap_or(0);
            for kind in [Kind::Template, Kind::Readings] {
                assert_eq!(version(&mut vault, kind, reader).unwrap(), newest);
            }
        }
        turn += 1;
    }
    eprintln!("{turn} kills while enrolling, {acknowledged} changes acknowledged");
}

#[test]
fn killed_at_any_moment_a_gallery_loses_nothing() {
    killed_while_enrolling(41);
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn killed_200_times_while_enrolling_a_gallery_loses_nothing() {
    killed_while_enrolling(200);
}

fn person(number: u64) -> String {
    format!("<person {number:05}>")
}

/// People who can be removed.
fn people(at: &Location, count: u64) -> Vault {
    let mut vault = Vault::create(at, Some(&key(1))).unwrap();
    for start in (0..count).step_by(50) {
        let people = |change: &mut gazeprint_store::Change<'_>| {
            (start..count.min(start + 50)).try_for_each(|number| {
                let repeated = person(number).repeat(3 + (number as usize * 7919) % 100);
                change.put(Kind::Template, &person(number), repeated.as_bytes())
            })
        };
        vault.write(people).unwrap();
    }
    vault
}

/// Removes one person after another.
fn erase_for_ever(at: &Location, from: u64) {
    let mut vault = Vault::open(at, Some(&key(1))).unwrap();
    for number in from.. {
        vault.erase(|change| change.forget(&person(number))).unwrap();
        println!("acknowledged {number}");
    }
}

/// Whoever comes next works at once, and nobody who was removed comes back.
fn killed_while_removing(kills: u64) {
    const PEOPLE: u64 = 6000;
    let folder = tempfile::tempdir().unwrap();
    let at = Location::File(folder.path().join("gallery"));
    drop(people(&at, PEOPLE));
    let (mut cut_short, mut next) = (0, 0);
    for turn in 0..kills {
        let told = run_and_kill(start("erase", &at, next), turn).expect("nothing acknowledged");
        let mut vault = Vault::open(&at, Some(&key(1))).unwrap();
        vault.write(|change| change.append(b"at once")).unwrap();
        let left = vault.read(|snapshot| snapshot.count(Kind::Template)).unwrap();
        next = PEOPLE - left;
        assert!(next == told + 1 || next == told + 2, "{next} are gone, {told} acknowledged");
        let checked = vault.check().unwrap();
        assert_eq!(checked.records[Kind::Template as usize], left);
        for number in next.saturating_sub(30)..next {
            let found = vault.read(|snapshot| snapshot.get(Kind::Template, &person(number)));
            assert_eq!(found.unwrap(), None);
        }
        cut_short += u32::from(checked.is_erasing);
        if turn % 2 == 0 {
            assert_eq!(vault.finish_erasing().unwrap(), checked.is_erasing);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "one file at rest");
        }
        assert!(next + 200 < PEOPLE, "everybody is gone after {turn} kills");
    }
    eprintln!("{kills} kills while removing, {cut_short} before the journal was overwritten");
}

#[test]
fn killed_while_removing_nobody_comes_back() {
    killed_while_removing(20);
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn killed_200_times_while_removing_nobody_comes_back() {
    killed_while_removing(200);
}

/// Puts the gallery under one key and the other in turn.
fn rekey_for_ever(at: &Location) {
    let (mut vault, mut number) = match Vault::open(at, Some(&key(0))) {
        Ok(vault) => (vault, 0),
        Err(_) => (Vault::open(at, Some(&key(1))).unwrap(), 1),
    };
    for turn in 0_u64.. {
        number = 1 - number;
        vault.rekey(Some(&key(number))).unwrap();
        println!("acknowledged {turn}");
    }
}

fn killed_while_rekeying(kills: u64) {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(0))).unwrap();
    support::fill(&mut vault);
    let before = content(&mut vault).unwrap();
    drop(vault);
    for turn in 0..kills {
        run_and_kill(start("rekey", &at, 0), turn);
        let opened = [0, 1].map(|number| Vault::open(&at, Some(&key(number))));
        let mut opened: Vec<_> = opened.into_iter().flatten().collect();
        assert_eq!(opened.len(), 1);
        opened[0].check().unwrap();
        assert_eq!(content(&mut opened[0]).unwrap(), before);
        opened[0].write(|change| change.remove(Kind::Probe, "nobody")).unwrap();
    }
    eprintln!("{kills} kills while rekeying");
}

#[test]
fn killed_while_rekeying_a_gallery_opens_with_one_key_or_the_other() {
    killed_while_rekeying(12);
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn killed_200_times_while_rekeying_a_gallery_opens_with_one_key_or_the_other() {
    killed_while_rekeying(200);
}

/// Writes the gallery anew again and again.
fn compact_for_ever(at: &Location) {
    let mut vault = Vault::open(at, Some(&key(1))).unwrap();
    for turn in 0_u64.. {
        vault.compact().unwrap();
        println!("acknowledged {turn}");
    }
}

fn killed_while_compacting(kills: u64) {
    let folder = tempfile::tempdir().unwrap();
    let at = Location::File(folder.path().join("gallery"));
    let mut vault = people(&at, 300);
    let gone = |change: &mut gazeprint_store::Change<'_>| {
        (0..100).try_for_each(|n| change.forget(&person(n)).map(drop))
    };
    vault.erase(gone).unwrap();
    let before = content(&mut vault).unwrap();
    drop(vault);
    for turn in 0..kills {
        run_and_kill(start("compact", &at, 0), turn);
        let mut vault = Vault::open(&at, Some(&key(1))).unwrap();
        vault.write(|change| change.remove(Kind::Probe, "nobody")).unwrap();
        vault.check().unwrap();
        assert_eq!(content(&mut vault).unwrap(), before);
    }
    eprintln!("{kills} kills while compacting");
}

#[test]
fn killed_while_compacting_nothing_is_lost() {
    killed_while_compacting(12);
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn killed_200_times_while_compacting_nothing_is_lost() {
    killed_while_compacting(200);
}

/// Upgrades a gallery, and says so.
fn upgrade(at: &Location) {
    // Behind what the harness has begun the line with.
    println!("\nacknowledged 0");
    assert!(Vault::open(at, None).unwrap().upgrade().unwrap());
    println!("acknowledged 1");
}

fn killed_while_upgrading(kills: u64) {
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../gazeprint-cli/tests/fixtures/v1.gallery");
    let place = Files::new();
    let at = place.fresh();
    let Location::File(file) = &at else { panic!("not a file") };
    let (mut before, mut cut_short) = (None, 0);
    for turn in 0..kills {
        std::fs::copy(&fixture, file).unwrap();
        let told = kill_after(start("upgrade", &at, 0), 1, turn);
        let mut vault = Vault::open(&at, None).unwrap();
        vault.check().unwrap();
        let (now, is_old) = (content(&mut vault).unwrap(), vault.is_old());
        assert_eq!(*before.get_or_insert_with(|| now.clone()), now);
        assert!(told < Some(1) || !is_old, "it was said to be upgraded");
        cut_short += u64::from(is_old);
        assert_eq!(vault.upgrade().unwrap(), is_old);
        assert_eq!(content(&mut vault).unwrap(), now);
        vault.write(|change| change.append(b"at once")).unwrap();
    }
    eprintln!("{kills} kills while upgrading, {cut_short} of them before it was done");
}

#[test]
fn killed_while_upgrading_nothing_is_lost() {
    killed_while_upgrading(12);
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn killed_200_times_while_upgrading_nothing_is_lost() {
    killed_while_upgrading(200);
}

/// Adds one to two counters, a few times.
fn count(at: &Location, turns: u64) {
    let mut vault = Vault::open(at, Some(&key(1))).unwrap();
    for turn in 0..turns {
        let work = |change: &mut gazeprint_store::Change<'_>| {
            let counter = |value: &[u8]| u64::from_le_bytes(value.try_into().unwrap());
            let before = change.get(Kind::Template, "count")?.map_or(0, |value| counter(&value));
            change.put(Kind::Template, "count", &(before + 1).to_le_bytes())?;
            change.put(Kind::Readings, "count", &(before + 1).to_le_bytes())?;
            change.append(&before.to_le_bytes())
        };
        // Writing and erasing keep out of each other's way too.
        if turn % 4 == 3 { vault.erase(work) } else { vault.write(work) }.unwrap();
    }
}

/// Looks until the counters stop.
fn watch(at: &Location) {
    let mut vault = Vault::open(at, Some(&key(1))).unwrap();
    loop {
        let seen = vault
            .read(|snapshot| {
                let template = snapshot.get(Kind::Template, "count")?;
                thread::sleep(Duration::from_millis(1));
                assert_eq!(template, snapshot.get(Kind::Readings, "count")?);
                snapshot.get(Kind::Settings, "end")
            })
            .unwrap();
        if seen.is_some() {
            return;
        }
    }
}

fn several_at_once(place: &dyn Place) {
    const TURNS: u64 = 8;
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    let watchers = [(); 2].map(|()| start("watch", &at, 0));
    let counters = [(); 3].map(|()| start("count", &at, TURNS));
    for child in counters {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    vault.write(|change| change.put(Kind::Settings, "end", b"")).unwrap();
    for child in watchers {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    vault.check().unwrap();
    let content = content(&mut vault).unwrap();
    let expected: Vec<_> = (0..3 * TURNS).map(|count| count.to_le_bytes().to_vec()).collect();
    assert_eq!(content.log, expected);
}

#[test]
fn several_processes_write_and_read_a_file_at_once() {
    several_at_once(&Files::new());
}

#[cfg(feature = "postgres")]
#[test]
fn several_processes_write_and_read_on_a_server_at_once() {
    let Some(server) = support::server::Server::start() else { return };
    several_at_once(&server);
    killed_on_a_server(&server);
    killed_while_erasing_on_a_server(&server);
    answers_are_lost_on_the_way_to_a_server(&server);
}

/// Stands between a client and a server, and cuts the line when the answer to a commit comes, if it is told to.
#[cfg(feature = "postgres")]
fn between(server: std::path::PathBuf, cuts: std::sync::Arc<std::sync::atomic::AtomicU32>) -> u16 {
    use std::io::{Read as _, Write as _};
    use std::net::{Shutdown, TcpListener};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::Ordering::SeqCst;

    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().map(Result::unwrap) {
            let server = UnixStream::connect(&server).unwrap();
            let commits = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let asked = commits.clone();
            thread::spawn(move || {
                let mut buffer = [0; 1 << 16];
                while let Ok(read @ 1..) = from.read(&mut buffer) {
                    asked.store(buffer[..read].ends_with(b"COMMIT\0"), SeqCst);
                    if to.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
                _ = to.shutdown(Shutdown::Both);
            });
            let (mut from, mut to, cuts) = (server, client, cuts.clone());
            thread::spawn(move || {
                let mut buffer = [0; 1 << 16];
                while let Ok(read @ 1..) = from.read(&mut buffer) {
                    let one_less = |left: u32| left.checked_sub(1);
                    let is_cut =
                        commits.load(SeqCst) && cuts.fetch_update(SeqCst, SeqCst, one_less).is_ok();
                    if is_cut || to.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
                _ = to.shutdown(Shutdown::Both);
            });
        }
    });
    port
}

/// A change that was made was told to have failed, and a new secret was in force that nobody knew of.
#[cfg(feature = "postgres")]
fn answers_are_lost_on_the_way_to_a_server(server: &support::server::Server) {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    let cuts = Arc::new(AtomicU32::new(0));
    let Location::Postgres(address) = server.fresh() else { panic!("not on a server") };
    let (_, schema) = address.split_once("schema=").unwrap();
    let socket = server.data().parent().unwrap().join(".s.PGSQL.5432");
    let port = between(socket, Arc::clone(&cuts));
    let there = format!("postgres://gazeprint@127.0.0.1:{port}/postgres?schema={schema}");
    let at = Location::Postgres(there);
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    support::fill(&mut vault);
    let before = content(&mut vault).unwrap();
    let cut = || cuts.store(1, Ordering::SeqCst);
    cut();
    vault.write(|change| change.append(b"once")).unwrap();
    assert_eq!(cuts.load(Ordering::SeqCst), 0);
    cut();
    assert!(vault.erase(|change| change.forget("anna")).unwrap());
    assert_eq!(content(&mut vault).unwrap().log.len(), before.log.len() + 1);
    cut();
    vault.rekey(Some(&key(2))).unwrap();
    assert_eq!(cuts.load(Ordering::SeqCst), 0);
    vault.check().unwrap();
    assert!(Vault::open(&at, Some(&key(1))).is_err());
    Vault::open(&at, Some(&key(2))).unwrap().check().unwrap();
}

/// Somebody who reads kept a removal waiting, for ever. To write the tables anew waits for them, but not for ever, and
/// whoever comes next works at once where that is killed.
#[cfg(feature = "postgres")]
fn killed_while_erasing_on_a_server(server: &support::server::Server) {
    let at = server.fresh();
    let mut vault = people(&at, 9);
    let Location::Postgres(address) = &at else { panic!("not on a server") };
    let (_, schema) = address.split_once("schema=").unwrap();
    let connect = || postgres::Client::connect(&server.address(), postgres::NoTls).unwrap();
    let (mut other, mut administrator) = (connect(), connect());
    other.batch_execute(&format!("BEGIN; SELECT 1 FROM {schema}.slot")).unwrap();
    let begun = Instant::now();
    assert!(vault.erase(|change| change.forget(&person(0))).unwrap());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let mut child = start("compact", &at, 0);
    let waiting = "SELECT pid FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%CLUSTER%'";
    while administrator.query(waiting, &[]).unwrap().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "nobody kept it waiting");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let end = format!("SELECT pg_terminate_backend(pid) FROM ({waiting}) AS waiting");
    administrator.batch_execute(&end).unwrap();
    other.batch_execute("COMMIT").unwrap();
    vault.write(|change| change.append(b"at once")).unwrap();
    assert_eq!(vault.check().unwrap().records[Kind::Template as usize], 8);
    vault.compact().unwrap();
    vault.check().unwrap();
}

/// The server ends what a killed process has begun.
#[cfg(feature = "postgres")]
fn killed_on_a_server(place: &dyn Place) {
    let at = place.fresh();
    Vault::create(&at, Some(&key(1))).unwrap();
    let mut last = 0;
    for turn in 0..8 {
        let told = run_and_kill(start("write", &at, last + 1), turn).unwrap();
        let mut vault = Vault::open(&at, Some(&key(1))).unwrap();
        // The server may need a moment to notice; a change waits for it.
        vault.write(|change| change.remove(Kind::Probe, "nothing")).unwrap();
        vault.check().unwrap();
        last = content(&mut vault).unwrap().log.len() as u64;
        assert!(last == told || last == told + 1, "{last} was kept, {told} acknowledged");
    }
}

#[test]
fn a_writer_waits_for_another() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    let mut other = Vault::open(&at, None).unwrap();
    let begun = Instant::now();
    thread::scope(|scope| {
        vault
            .write(|change| {
                scope.spawn(move || other.write(|change| change.append(b"second")).unwrap());
                thread::sleep(Duration::from_millis(300));
                change.append(b"first")
            })
            .unwrap();
    });
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(content(&mut vault).unwrap().log, [b"first".to_vec(), b"second".to_vec()]);
}
