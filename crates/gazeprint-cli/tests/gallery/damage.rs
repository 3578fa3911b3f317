//! A gallery that was damaged says so, or answers as if nothing had happened.

use std::fs;

use crate::common::stderr;
use crate::people::{ANNA, Own, SHARED, answer};

/// Bytes that are changed, and lengths that are tried.
const FLIPS: usize = 60;
const LENGTHS: usize = 30;

/// Whether the damage was told. Otherwise the answer must be the right one.
fn is_told(own: &Own, damaged: &[u8], what: &str) -> bool {
    fs::write(&own.gallery, damaged).unwrap();
    for rest in ["-journal", "-wal", "-shm"] {
        _ = fs::remove_file(format!("{}{rest}", own.gallery));
    }
    let asked = ["--json", "--forget", "--top", "6", "--fpir", "0.2"];
    let output = own.identify(&SHARED.probe(ANNA), &asked);
    if matches!(output.status.code(), Some(1 | 7)) {
        let told = stderr(&output);
        assert!(told.contains("own.gallery"), "{what}: {told}");
        assert!(output.stdout.is_empty(), "{what}: an answer, and an error");
        return true;
    }
    assert_eq!(answer(&output), crate::people::ANSWERS[0], "{what}: a wrong answer");
    false
}

#[test]
fn flipped_bytes_never_give_a_wrong_answer() {
    let own = Own::new();
    let whole = own.bytes();
    // The start and places all over the file, none of them at the same place in a page.
    let places = (0..10).map(|i| 11 * i);
    let places = places.chain((0..FLIPS).map(|i| (i * whole.len() / FLIPS + 37 * i) % whole.len()));
    let mut told = 0;
    for place in places {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        told += usize::from(is_told(&own, &damaged, &format!("a bit of byte {place}")));
    }
    // Templates and what they are compared on are most of what is read.
    assert!(told > FLIPS / 4, "{told}");
}

#[test]
fn a_truncated_file_never_gives_a_wrong_answer() {
    let own = Own::new();
    let whole = own.bytes();
    for i in 0..LENGTHS {
        let length = i * whole.len() / LENGTHS + i * i;
        let damaged = &whole[..length.min(whole.len() - 1)];
        assert!(is_told(&own, damaged, &format!("{length} bytes")), "{length}");
    }
    is_told(&own, &whole[..whole.len() - 1], "all but the last byte");
    assert!(!is_told(&own, &whole, "nothing"));
}

#[test]
fn check_finds_damage_that_an_answer_does_not_meet() {
    let own = Own::new();
    let whole = own.bytes();
    let mut found = 0;
    for i in 0..20 {
        let mut damaged = whole.clone();
        let place = whole.len() / 2 + i * whole.len() / 41;
        damaged[place] ^= 4;
        fs::write(&own.gallery, &damaged).unwrap();
        let output = own.manage("check", &[]);
        if matches!(output.status.code(), Some(1 | 7)) {
            found += 1;
            assert!(stderr(&output).contains("own.gallery"), "{}", stderr(&output));
        }
    }
    // What is left over is the space between records.
    assert!(found >= 10, "{found}");
}
