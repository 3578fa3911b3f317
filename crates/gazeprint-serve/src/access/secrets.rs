//! Random secrets, and their hashes.

use std::fmt::Write;

use sha2::{Digest as _, Sha256};

/// Random bytes as hexadecimal digits.
///
/// # Errors
/// If the operating system has no randomness.
pub(crate) fn random_hex<const BYTES: usize>() -> Result<String, getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// A random number below `most`, each as likely as the others; 0 where there is none.
///
/// # Errors
/// If the operating system has no randomness.
pub(crate) fn random_below(most: usize) -> Result<usize, getrandom::Error> {
    let most = most.max(1) as u64;
    let whole = u64::MAX - u64::MAX % most;
    loop {
        let drawn = getrandom::u64()?;
        if drawn < whole {
            return Ok((drawn % most) as usize);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// What is kept of a secret. Secrets here have 256 random bits: nothing slower is needed.
pub(crate) fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Whether two hashes are the same, in a time that does not depend on where they differ.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash("abc"), abc);
        assert!(is_same(abc, &hash("abc")) && !is_same(abc, &hash("abd")) && !is_same(abc, ""));
    }

    #[test]
    fn numbers_stay_below() {
        assert!((0..1000).all(|_| random_below(3).unwrap() < 3));
        assert_eq!(random_below(0).unwrap(), 0);
    }
}
