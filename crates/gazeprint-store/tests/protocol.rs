//! What every gallery must do, wherever it is kept.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use gazeprint_store::{Checked, Kind, Location, Part, Secret, StoreError, Vault};
use support::{Content, Files, Place, content, fill, key, names, passphrase};

macro_rules! suite {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test]
            fn $name() {
                super::$name(&super::Files::new());
            })*
        }

        #[cfg(feature = "postgres")]
        const SUITE: &[(&str, fn(&dyn Place))] = &[$((stringify!($name), $name)),*];
    };
}

suite![
    what_was_put_is_found,
    a_gallery_is_made_once,
    a_failed_change_leaves_nothing,
    a_panic_leaves_nothing,
    an_error_that_is_passed_over_takes_the_change_back,
    a_change_is_not_seen_before_it_is_made,
    a_view_stays_as_it_is,
    two_handles_write_in_turn,
    the_order_is_always_the_same,
    absent_names_are_absent,
    removing_is_like_never_having_put,
    generations_tell_changes,
    secrets_are_asked_for,
    rekeying_keeps_everything,
    a_handle_notices_that_the_key_changed,
    copies_are_equal,
    the_log_only_grows,
    checking_counts,
    erasing_keeps_the_rest,
    forgetting_takes_all_of_a_reader,
    many_records_come_and_go,
    pages_are_all_of_it,
    compacting_keeps_everything,
    anchors_tell_older_states,
];

#[cfg(feature = "postgres")]
#[test]
fn postgres() {
    all_on(support::server::Server::start());
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_with_tls() {
    all_on(support::server::Server::start_with_tls());
}

#[cfg(feature = "postgres")]
#[test]
fn postgres_behind_a_pooler() {
    all_on(support::server::Server::start_behind_a_pooler());
}

#[cfg(feature = "postgres")]
fn all_on(server: Option<support::server::Server>) {
    let Some(server) = server else { return };
    let failed: Vec<_> = SUITE
        .iter()
        .filter(|(_, test)| catch_unwind(AssertUnwindSafe(|| test(&server))).is_err())
        .map(|(name, _)| name)
        .collect();
    assert!(failed.is_empty(), "failed on PostgreSQL: {failed:?}");
}

/// A server that takes nothing but TLS is not talked to in the open, nor if somebody else vouches for it, or it
/// has another name.
#[cfg(feature = "postgres")]
#[test]
fn only_a_server_that_proves_who_it_is() {
    let Some(server) = support::server::Server::start_with_tls() else { return };
    let Some(stranger) = support::server::Server::start_with_tls() else { return };
    let address = server.fresh_address();
    let at = |address: String| Location::Postgres(address);
    Vault::create(&at(address.clone()), None).unwrap();
    Vault::open(&at(address.clone()), None).unwrap().check().unwrap();
    let said = |address: String| Vault::open(&at(address), None).err().unwrap().to_string();
    let open = said(address.replace("sslmode=verify-full", "sslmode=disable"));
    assert!(open.contains("connecting failed"), "{open}");
    let other = said(address.replace(&server.trust(), &stranger.trust()));
    assert!(
        other.contains("UnknownIssuer") || other.contains("invalid peer certificate"),
        "{other}"
    );
    let renamed =
        said(format!("{}&hostaddr=127.0.0.1", address.replace("@localhost", "@example.org")));
    assert!(
        renamed.contains("not valid for name") || renamed.contains("NotValidForName"),
        "{renamed}"
    );
    let none =
        said(address.replace(&server.trust(), "sslmode=verify-full&sslrootcert=%2Fdev%2Fnull"));
    assert!(none.contains("found no certificate in it"), "{none}");
}

fn put(vault: &mut Vault, kind: Kind, name: &str, value: &[u8]) {
    vault.write(|change| change.put(kind, name, value)).unwrap();
}

fn get(vault: &mut Vault, kind: Kind, name: &str) -> Option<Vec<u8>> {
    vault.read(|snapshot| snapshot.get(kind, name)).unwrap().map(|value| value.to_vec())
}

fn what_was_put_is_found(place: &dyn Place) {
    for secret in [None, Some(key(1))] {
        let at = place.fresh();
        let mut vault = Vault::create(&at, secret.as_ref()).unwrap();
        assert_eq!(vault.is_encrypted(), secret.is_some());
        fill(&mut vault);
        let written = content(&mut vault).unwrap();
        assert_eq!((written.records.len(), written.log.len()), (12, 5));
        let large = vec![0x5a; 3 << 20];
        put(&mut vault, Kind::Readings, "large", &large);
        drop(vault);
        let mut vault = Vault::open(&at, secret.as_ref()).unwrap();
        assert_eq!(get(&mut vault, Kind::Readings, "large"), Some(large));
        vault.write(|change| change.remove(Kind::Readings, "large")).unwrap();
        let found = content(&mut vault).unwrap();
        assert_eq!((found.records, found.log), (written.records, written.log));
        assert_eq!(get(&mut vault, Kind::Template, "d\0d").unwrap(), b"template of d\0d");
        put(&mut vault, Kind::Template, "cy", b"another");
        assert_eq!(get(&mut vault, Kind::Template, "cy").unwrap(), b"another");
        assert_eq!(vault.read(|snapshot| snapshot.count(Kind::Template)).unwrap(), 5);
    }
}

fn a_gallery_is_made_once(place: &dyn Place) {
    let at = place.fresh();
    assert!(matches!(Vault::open(&at, None), Err(StoreError::Missing { .. })));
    let mut vault = Vault::create(&at, None).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    assert!(matches!(Vault::create(&at, None), Err(StoreError::Exists { .. })));
    assert!(matches!(Vault::create(&at, Some(&key(1))), Err(StoreError::Exists { .. })));
    assert!(matches!(vault.copy_to(&at, None), Err(StoreError::Exists { .. })));
    assert_eq!(content(&mut vault).unwrap(), before);
}

#[derive(Debug)]
enum Refusal {
    Mine,
    Store(#[allow(dead_code, reason = "shown when a test fails")] StoreError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn a_failed_change_leaves_nothing(place: &dyn Place) {
    let mut vault = Vault::create(&place.fresh(), None).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    let failed: Result<(), Refusal> = vault.write(|change| {
        change.put(Kind::Template, "eve", b"new")?;
        change.put(Kind::Template, "anna", b"changed")?;
        change.remove(Kind::Template, "cy")?;
        change.append(b"never")?;
        assert_eq!(change.get(Kind::Template, "anna")?.unwrap().as_slice(), b"changed");
        assert_eq!(change.count(Kind::Template)?, 5);
        Err(Refusal::Mine)
    });
    assert!(matches!(failed, Err(Refusal::Mine)));
    assert_eq!(content(&mut vault).unwrap(), before);
    let failed: Result<(), Refusal> = vault.erase(|change| {
        change.remove(Kind::Template, "cy")?;
        Err(Refusal::Mine)
    });
    assert!(matches!(failed, Err(Refusal::Mine)));
    assert_eq!(content(&mut vault).unwrap(), before);
    let failed = vault.read(|snapshot| snapshot.each(Kind::Template, |_, _| Err(Refusal::Mine)));
    assert!(matches!(failed, Err(Refusal::Mine)));
    assert_eq!(content(&mut vault).unwrap(), before);
}

fn a_panic_leaves_nothing(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    for erase in [false, true] {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let work = |change: &mut gazeprint_store::Change<'_>| -> Result<(), StoreError> {
                change.put(Kind::Template, "eve", b"new")?;
                change.remove(Kind::Template, "anna")?;
                panic!("on purpose");
            };
            if erase { vault.erase(work) } else { vault.write(work) }
        }));
        assert!(panicked.is_err());
        assert_eq!(content(&mut vault).unwrap(), before);
        assert_eq!(content(&mut Vault::open(&at, None).unwrap()).unwrap(), before);
    }
    put(&mut vault, Kind::Template, "eve", b"new");
}

fn an_error_that_is_passed_over_takes_the_change_back(place: &dyn Place) {
    let mut vault = Vault::create(&place.fresh(), None).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    let huge = vec![0; (256 << 20) + 1];
    let written = vault.write(|change| {
        change.put(Kind::Template, "eve", b"new")?;
        let refused = change.put(Kind::Template, "anna", &huge);
        assert!(matches!(refused, Err(StoreError::TooLarge { .. })));
        Ok::<_, StoreError>(())
    });
    assert!(matches!(written, Err(StoreError::Failed { .. })));
    assert_eq!(content(&mut vault).unwrap(), before);
}

fn a_change_is_not_seen_before_it_is_made(place: &dyn Place) {
    let at = place.fresh();
    let mut writer = Vault::create(&at, None).unwrap();
    put(&mut writer, Kind::Template, "anna", b"old");
    let mut reader = Vault::open(&at, None).unwrap();
    let (began, wait_for_begin) = channel();
    let (go_on, wait_to_go_on) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            writer
                .write(|change| {
                    change.put(Kind::Template, "anna", b"new")?;
                    began.send(()).unwrap();
                    wait_to_go_on.recv().unwrap();
                    Ok::<_, StoreError>(())
                })
                .unwrap();
        });
        wait_for_begin.recv().unwrap();
        assert_eq!(get(&mut reader, Kind::Template, "anna").unwrap(), b"old");
        go_on.send(()).unwrap();
    });
    assert_eq!(get(&mut reader, Kind::Template, "anna").unwrap(), b"new");
}

fn a_view_stays_as_it_is(place: &dyn Place) {
    let at = place.fresh();
    let mut reader = Vault::create(&at, None).unwrap();
    put(&mut reader, Kind::Template, "anna", b"old");
    let mut writer = Vault::open(&at, None).unwrap();
    thread::scope(|scope| {
        reader
            .read(|snapshot| {
                let first = snapshot.get(Kind::Template, "anna")?;
                scope.spawn(move || {
                    writer
                        .write(|change| {
                            change.put(Kind::Template, "anna", b"new")?;
                            change.put(Kind::Template, "bob", b"new")
                        })
                        .unwrap();
                });
                thread::sleep(Duration::from_millis(100));
                assert_eq!(snapshot.get(Kind::Template, "anna")?, first);
                assert_eq!(names(snapshot, Kind::Template)?, ["anna"]);
                Ok::<_, StoreError>(())
            })
            .unwrap();
    });
    assert_eq!(get(&mut reader, Kind::Template, "anna").unwrap(), b"new");
}

fn two_handles_write_in_turn(place: &dyn Place) {
    const TURNS: u64 = 10;
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    put(&mut vault, Kind::Settings, "count", &0_u64.to_le_bytes());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut vault = Vault::open(&at, Some(&key(1))).unwrap();
                for _ in 0..TURNS {
                    vault
                        .write(|change| {
                            let count = change.get(Kind::Settings, "count")?.unwrap();
                            let count = u64::from_le_bytes(count.as_slice().try_into().unwrap());
                            change.put(Kind::Settings, "count", &(count + 1).to_le_bytes())?;
                            change.append(&count.to_le_bytes())
                        })
                        .unwrap();
                }
            });
        }
    });
    let found = content(&mut vault).unwrap();
    let expected: Vec<_> = (0..3 * TURNS).map(|count| count.to_le_bytes().to_vec()).collect();
    assert_eq!(found.log, expected);
    assert_eq!(get(&mut vault, Kind::Settings, "count").unwrap(), (3 * TURNS).to_le_bytes());
}

fn the_order_is_always_the_same(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    let order = |vault: &mut Vault| {
        let mut order = Vec::new();
        let read = vault.read(|snapshot| {
            snapshot.each(Kind::Template, |name, _| {
                order.push(name.to_owned());
                Ok::<_, StoreError>(())
            })
        });
        read.map(|()| order).unwrap()
    };
    for number in 0..20 {
        put(&mut vault, Kind::Template, &format!("reader {number}"), b"x");
    }
    let first = order(&mut vault);
    put(&mut vault, Kind::Template, &first[7], b"a longer one");
    assert_eq!(order(&mut Vault::open(&at, None).unwrap()), first);
    let mut sorted = first;
    sorted.sort();
    assert_eq!(vault.read(|snapshot| names(snapshot, Kind::Template)).unwrap(), sorted);
}

fn absent_names_are_absent(place: &dyn Place) {
    let mut vault = Vault::create(&place.fresh(), None).unwrap();
    for kind in Kind::ALL {
        assert_eq!(get(&mut vault, kind, "anna"), None);
        assert_eq!(vault.read(|snapshot| snapshot.count(kind)).unwrap(), 0);
        assert!(vault.read(|snapshot| names(snapshot, kind)).unwrap().is_empty());
    }
    put(&mut vault, Kind::Template, "anna", b"x");
    assert_eq!(get(&mut vault, Kind::Readings, "anna"), None);
    assert_eq!(get(&mut vault, Kind::Template, "Anna"), None);
    assert!(!vault.write(|change| change.remove(Kind::Template, "bob")).unwrap());
}

fn removing_is_like_never_having_put(place: &dyn Place) {
    let mut vault = Vault::create(&place.fresh(), Some(&key(2))).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    put(&mut vault, Kind::Template, "eve", b"x");
    let removed = vault.write(|change| {
        let removed = change.remove(Kind::Template, "eve")?;
        assert_eq!(change.get(Kind::Template, "eve")?, None);
        Ok::<_, StoreError>(removed)
    });
    assert!(removed.unwrap());
    assert_eq!(content(&mut vault).unwrap().records, before.records);
    assert_eq!(get(&mut vault, Kind::Template, "eve"), None);
}

fn generations_tell_changes(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    let mut other = Vault::open(&at, None).unwrap();
    let mut generation = || other.read(|it| Ok::<_, StoreError>(it.generation())).unwrap();
    assert_eq!(generation(), 0);
    vault
        .write(|change| {
            change.put(Kind::Template, "anna", b"x")?;
            change.put(Kind::Readings, "anna", b"x")
        })
        .unwrap();
    assert_eq!(generation(), 1);
    put(&mut vault, Kind::Probe, "p", b"x");
    vault.write(|change| change.append(b"x")).unwrap();
    vault.write(|change| change.remove(Kind::Template, "nobody")).unwrap();
    assert_eq!(generation(), 1);
    vault.write(|change| change.remove(Kind::Template, "anna")).unwrap();
    assert_eq!(generation(), 2);
}

fn secrets_are_asked_for(place: &dyn Place) {
    let [plain, keyed, phrased] = [(); 3].map(|()| place.fresh());
    Vault::create(&plain, None).unwrap();
    Vault::create(&keyed, Some(&key(1))).unwrap();
    Vault::create(&phrased, Some(&passphrase("open, long sesame"))).unwrap();
    let open = |at: &Location, secret: Option<&Secret>| Vault::open(at, secret).err().unwrap();
    for secret in [key(1), passphrase("open, long sesame")] {
        assert!(matches!(open(&plain, Some(&secret)), StoreError::SecretNeedless { .. }));
    }
    assert!(matches!(open(&keyed, None), StoreError::SecretMissing { .. }));
    assert!(matches!(open(&keyed, Some(&key(2))), StoreError::SecretWrong { .. }));
    assert!(matches!(
        open(&keyed, Some(&passphrase("open, long sesame"))),
        StoreError::SecretOther { .. }
    ));
    assert!(matches!(open(&phrased, None), StoreError::SecretMissing { .. }));
    assert!(matches!(
        open(&phrased, Some(&passphrase("Open, long sesame"))),
        StoreError::SecretWrong { .. }
    ));
    assert!(matches!(open(&phrased, Some(&passphrase(""))), StoreError::PassphraseEmpty { .. }));
    assert!(matches!(open(&phrased, Some(&key(1))), StoreError::SecretOther { .. }));
    let weak = Vault::create(&place.fresh(), Some(&passphrase("open")));
    assert!(matches!(weak, Err(StoreError::PassphraseWeak { .. })));
    let empty = Vault::create(&place.fresh(), Some(&passphrase("")));
    assert!(matches!(empty, Err(StoreError::PassphraseEmpty { .. })));
    Vault::open(&plain, None).unwrap();
    Vault::open(&keyed, Some(&key(1))).unwrap();
    Vault::open(&phrased, Some(&passphrase("open, long sesame"))).unwrap();
}

fn rekeying_keeps_everything(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    let mut last = None;
    for secret in [Some(key(1)), Some(key(2)), Some(passphrase("open, long sesame")), None, None] {
        vault.rekey(secret.as_ref()).unwrap();
        assert_eq!(vault.is_encrypted(), secret.is_some());
        assert_eq!(content(&mut vault).unwrap(), before);
        drop(vault);
        if last.is_some() || secret.is_some() {
            assert!(Vault::open(&at, last.as_ref()).is_err());
        }
        vault = Vault::open(&at, secret.as_ref()).unwrap();
        vault.check().unwrap();
        assert_eq!(content(&mut vault).unwrap(), before);
        last = secret;
    }
    vault.write(|change| change.append(b"goes on")).unwrap();
    vault.check().unwrap();
}

fn a_handle_notices_that_the_key_changed(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    fill(&mut vault);
    let mut other = Vault::open(&at, Some(&key(1))).unwrap();
    vault.rekey(Some(&key(1))).unwrap();
    assert!(matches!(content(&mut other), Err(StoreError::Changed { .. })));
    let written = other.write(|change| change.put(Kind::Probe, "p", b"x"));
    assert!(matches!(written, Err(StoreError::Changed { .. })));
    assert!(matches!(other.rekey(None), Err(StoreError::Changed { .. })));
    vault.check().unwrap();
}

fn copies_are_equal(place: &dyn Place) {
    let files = Files::new();
    let mut vault = Vault::create(&place.fresh(), Some(&key(1))).unwrap();
    fill(&mut vault);
    let before = content(&mut vault).unwrap();
    let there = files.fresh();
    let mut plain = vault.copy_to(&there, None).unwrap();
    assert_eq!(content(&mut plain).unwrap(), before);
    let back = place.fresh();
    let mut again = Vault::open(&there, None).unwrap().copy_to(&back, Some(&key(3))).unwrap();
    assert_eq!(content(&mut again).unwrap(), before);
    assert_eq!(again.check().unwrap(), vault.check().unwrap());
    drop(again);
    assert_eq!(content(&mut Vault::open(&back, Some(&key(3))).unwrap()).unwrap(), before);
    plain.write(|change| change.remove(Kind::Template, "anna")).unwrap();
    assert_eq!(content(&mut vault).unwrap(), before);
}

fn the_log_only_grows(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    for number in 0..5_u8 {
        let sequence = vault.write(|change| change.append(&[number])).unwrap();
        assert_eq!(sequence, u64::from(number) + 1);
    }
    vault.write(|change| change.append(&[]).and(change.append(&[9; 1000]))).unwrap();
    let Content { log, .. } = content(&mut Vault::open(&at, Some(&key(1))).unwrap()).unwrap();
    let expected = [vec![0], vec![1], vec![2], vec![3], vec![4], vec![], vec![9; 1000]];
    assert_eq!(log, expected);
}

fn checking_counts(place: &dyn Place) {
    let mut vault = Vault::create(&place.fresh(), None).unwrap();
    fill(&mut vault);
    let records = [1, 5, 5, 1, 0, 0, 0];
    let checked = Checked { records, entries: 5, generation: 1, is_erasing: false };
    assert_eq!(vault.check().unwrap(), checked);
    let part = Part::Record { kind: Kind::Template, name: Some("a".into()), row: String::new() };
    assert_eq!(part.to_string(), "template \"a\"");
}

fn erasing_keeps_the_rest(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    fill(&mut vault);
    let mut expected = content(&mut vault).unwrap();
    vault
        .erase(|change| {
            assert!(change.remove(Kind::Template, "anna")?);
            assert!(change.remove(Kind::Readings, "anna")?);
            change.append(b"removed anna")
        })
        .unwrap();
    expected.records.retain(|(_, name), _| name != "anna");
    expected.log.push(b"removed anna".to_vec());
    expected.generation += 1;
    assert_eq!(content(&mut vault).unwrap(), expected);
    vault.erase(|_| Ok::<_, StoreError>(())).unwrap();
    put(&mut vault, Kind::Template, "anna", b"back");
    expected.records.insert((Kind::Template, "anna".to_owned()), b"back".to_vec());
    expected.generation += 1;
    assert_eq!(content(&mut Vault::open(&at, None).unwrap()).unwrap(), expected);
}

fn forgetting_takes_all_of_a_reader(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    fill(&mut vault);
    put(&mut vault, Kind::Probe, "anna", b"seen");
    put(&mut vault, Kind::Settings, "anna", b"no reader");
    assert!(vault.erase(|change| change.forget("anna")).unwrap());
    assert!(!vault.erase(|change| change.forget("anna")).unwrap());
    for kind in [Kind::Template, Kind::Readings, Kind::Probe] {
        assert_eq!(get(&mut vault, kind, "anna"), None);
    }
    assert_eq!(get(&mut vault, Kind::Settings, "anna").unwrap(), b"no reader");
    vault.check().unwrap();
    put(&mut vault, Kind::Template, "anna", b"again");
    assert_eq!(
        get(&mut Vault::open(&at, Some(&key(1))).unwrap(), Kind::Template, "anna").unwrap(),
        b"again"
    );
    vault.check().unwrap();
}

/// The list of records grows branches and loses them again.
fn many_records_come_and_go(place: &dyn Place) {
    const MANY: u32 = 700;
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    let name = |number: u32| format!("reader {number}");
    let all = |change: &mut gazeprint_store::Change<'_>| {
        (0..MANY).try_for_each(|n| change.put(Kind::Template, &name(n), &n.to_le_bytes()))
    };
    vault.write(all).unwrap();
    assert_eq!(vault.check().unwrap().records[Kind::Template as usize], u64::from(MANY));
    for number in [0, 17, MANY - 1] {
        let found = get(&mut vault, Kind::Template, &name(number)).unwrap();
        assert_eq!(found, number.to_le_bytes());
    }
    assert_eq!(get(&mut vault, Kind::Template, &name(MANY)), None);
    // In another order than they came.
    for part in [0..350, 350..690] {
        let forget = |change: &mut gazeprint_store::Change<'_>| {
            part.clone().try_for_each(|n| {
                assert!(change.forget(&name(n * 37 % MANY))?);
                Ok::<_, StoreError>(())
            })
        };
        vault.erase(forget).unwrap();
        vault.check().unwrap();
    }
    let left = vault.read(|snapshot| names(snapshot, Kind::Template)).unwrap();
    let mut expected: Vec<String> = (690..MANY).map(|n| name(n * 37 % MANY)).collect();
    expected.sort_unstable();
    assert_eq!(left, expected);
    let mut again = Vault::open(&at, None).unwrap();
    again.write(all).unwrap();
    assert_eq!(again.check().unwrap().records[Kind::Template as usize], u64::from(MANY));
}

fn pages_are_all_of_it(place: &dyn Place) {
    let mut vault = Vault::create(&place.fresh(), None).unwrap();
    let put = |change: &mut gazeprint_store::Change<'_>| {
        (0..200).try_for_each(|n| change.put(Kind::Entry, &format!("reader {n}"), b"x"))
    };
    vault.write(put).unwrap();
    let whole = vault.read(|snapshot| names(snapshot, Kind::Entry)).unwrap();
    for most in [1, 7, 1000] {
        let (mut from, mut found) = (Some(gazeprint_store::Cursor::default()), Vec::new());
        while let Some(cursor) = from {
            let (records, next) =
                vault.read(|snapshot| snapshot.some(Kind::Entry, cursor, most)).unwrap();
            found.extend(records.into_iter().map(|(name, _)| name));
            from = next;
        }
        found.sort_unstable();
        assert_eq!(found, whole);
    }
}

fn compacting_keeps_everything(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    fill(&mut vault);
    vault.erase(|change| change.forget("anna")).unwrap();
    let before = content(&mut vault).unwrap();
    let mut other = Vault::open(&at, Some(&key(1))).unwrap();
    vault.compact().unwrap();
    assert_eq!(content(&mut vault).unwrap(), before);
    assert_eq!(content(&mut other).unwrap(), before);
    other.write(|change| change.append(b"goes on")).unwrap();
    assert!(!vault.check().unwrap().is_erasing);
}

fn anchors_tell_older_states(place: &dyn Place) {
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    fill(&mut vault);
    let first = vault.anchor().unwrap();
    vault.hold_against(&first).unwrap();
    let files = Files::new();
    let mut copy = vault.copy_to(&files.fresh(), None).unwrap();
    vault.write(|change| change.append(b"more")).unwrap();
    put(&mut vault, Kind::Template, "eve", b"new");
    let second = vault.anchor().unwrap();
    assert_ne!(first, second);
    vault.hold_against(&first).unwrap();
    vault.hold_against(&second).unwrap();
    copy.hold_against(&first).unwrap();
    let refused = |result: Result<(), StoreError>| {
        assert!(matches!(result, Err(StoreError::RolledBack { .. })), "{result:?}");
    };
    refused(copy.hold_against(&second));
    // Another way on from the same state.
    copy.write(|change| change.append(b"other").and(change.put(Kind::Template, "x", b"y")))
        .unwrap();
    refused(copy.hold_against(&second));
    copy.hold_against(&first).unwrap();
    let again = vault.anchor().unwrap();
    vault.rekey(Some(&key(2))).unwrap();
    vault.hold_against(&again).unwrap();
}

/// A server that was started again is found again.
#[cfg(feature = "postgres")]
#[test]
fn a_lost_connection_is_made_again() {
    let Some(server) = support::server::Server::start() else { return };
    let at = server.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    put(&mut vault, Kind::Template, "anna", b"x");
    let mut administrator = postgres::Client::connect(&server.address(), postgres::NoTls).unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'gazeprint'";
    for turn in 0..3 {
        administrator.batch_execute(end).unwrap();
        if turn == 0 {
            // In the middle of a change, which is not made.
            let broken = vault.write(|change| {
                change.put(Kind::Template, "bert", b"y")?;
                administrator.batch_execute(end).unwrap();
                thread::sleep(Duration::from_millis(50));
                change.append(b"never")
            });
            assert!(broken.is_err());
        }
        assert_eq!(get(&mut vault, Kind::Template, "anna").unwrap(), b"x");
        assert_eq!(get(&mut vault, Kind::Template, "bert"), None);
    }
    put(&mut vault, Kind::Template, "anna", b"z");
    vault.check().unwrap();
}
