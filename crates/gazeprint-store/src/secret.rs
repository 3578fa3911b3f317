//! What opens an encrypted gallery.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;
use zeroize::Zeroizing;

use crate::files::{create_private, sync_folder};

/// Bytes of a key.
const KEY: usize = 32;
/// More than any file of a key has: digits, and the end of a line.
const LONGEST: usize = 2 * KEY + 2;
/// Most bytes of a passphrase.
const LONGEST_PASSPHRASE: usize = 4096;

/// What opens an encrypted gallery. It is wiped from memory when it is dropped, and cannot be shown.
pub enum Secret {
    /// A key, from a file.
    Key(Zeroizing<[u8; 32]>),
    /// A passphrase.
    Passphrase(Zeroizing<String>),
}

/// Why there is no key.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// No such file.
    #[error("{} does not exist; expected a file with a key or a passphrase; check the path",
            .file.display())]
    Missing {
        /// The path given.
        file: PathBuf,
    },
    /// The operating system refused.
    #[error("{} cannot be read: {error}; check that it is a file you may read", .file.display())]
    Unreadable {
        /// The path given.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The operating system refused.
    #[error("{} cannot be written: {error}; check the folder, and that there is room",
            .file.display())]
    Unwritable {
        /// The path given.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A new key would overwrite something.
    #[error("{} exists already; a key that is overwritten is lost, and with it every gallery it \
             opens; choose another path", .file.display())]
    Exists {
        /// The path given.
        file: PathBuf,
    },
    /// Others may read it.
    #[error("{} may be read by others: found the mode {mode:03o}, expected 600 or 400; run \
             `chmod 600` on it, and choose another secret if others may have seen this one",
            .file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Something else.
    #[error("{} holds no key: found {found}, expected 64 hexadecimal digits or 32 bytes; give the \
             file that was made with the gallery", .file.display())]
    NotAKey {
        /// The file.
        file: PathBuf,
        /// What is there instead.
        found: String,
    },
    /// No passphrase.
    #[error("{} holds no passphrase: found {found} on the first line, expected a passphrase",
            .file.display())]
    NotAPassphrase {
        /// The file.
        file: PathBuf,
        /// What is there instead.
        found: &'static str,
    },
    /// The operating system has no random numbers.
    #[error("no key can be made: the system gives no random numbers ({message}); try again")]
    Randomness {
        /// What the system said.
        message: String,
    },
}

impl Secret {
    /// Reads a key: 64 hexadecimal digits, or 32 bytes as they are.
    ///
    /// # Errors
    /// If the file cannot be read, holds something else, or may be read by others.
    pub fn read_key_file(file: &Path) -> Result<Self, KeyFileError> {
        let bytes = read_private(file, LONGEST + 1)?;
        let not = |found| KeyFileError::NotAKey { file: file.to_owned(), found };
        if let Ok(key) = <[u8; KEY]>::try_from(bytes.as_slice()) {
            return Ok(Self::Key(Zeroizing::new(key)));
        }
        let digits = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
        let mut key = Zeroizing::new([0; KEY]);
        match digits.len() {
            length if length == 2 * KEY => {}
            _ if bytes.len() > LONGEST => return Err(not(format!("more than {LONGEST} bytes"))),
            length => return Err(not(format!("{length} bytes"))),
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = match (digit(pair[0]), digit(pair[1])) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(not("other characters than 0-9 and a-f".to_owned())),
            };
        }
        Ok(Self::Key(key))
    }

    /// Reads a passphrase: the first line of a file.
    ///
    /// # Errors
    /// If the file cannot be read, has nothing there, or may be read by others.
    pub fn read_passphrase_file(file: &Path) -> Result<Self, KeyFileError> {
        let bytes = read_private(file, LONGEST_PASSPHRASE + 1)?;
        let not = |found| KeyFileError::NotAPassphrase { file: file.to_owned(), found };
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok("") => Err(not("nothing")),
            _ if line.len() > LONGEST_PASSPHRASE => Err(not("more than 4096 bytes")),
            Ok(text) => Ok(Self::Passphrase(Zeroizing::new(text.to_owned()))),
            Err(_) => Err(not("bytes that are no UTF-8")),
        }
    }

    /// Makes a key of random bytes, and writes it to a new file that only its owner may read.
    ///
    /// # Errors
    /// If there is such a file already, or it cannot be written.
    pub fn new_key_file(file: &Path) -> Result<Self, KeyFileError> {
        let mut key = Zeroizing::new([0; KEY]);
        getrandom::fill(key.as_mut())
            .map_err(|error| KeyFileError::Randomness { message: error.to_string() })?;
        let mut text = Zeroizing::new(String::with_capacity(LONGEST));
        for byte in key.iter() {
            write!(text, "{byte:02x}").expect("a text takes what is written to it");
        }
        text.push('\n');
        let mut written = create_private(file).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => KeyFileError::Exists { file: file.to_owned() },
            _ => KeyFileError::Unwritable { file: file.to_owned(), error },
        })?;
        let kept = written
            .write_all(text.as_bytes())
            .and_then(|()| written.sync_all())
            .and_then(|()| sync_folder(file));
        kept.map_err(|error| {
            _ = std::fs::remove_file(file);
            KeyFileError::Unwritable { file: file.to_owned(), error }
        })?;
        Ok(Self::Key(key))
    }
}

/// Fewest characters of a new passphrase, and fewest that differ.
const SHORTEST: usize = 12;
const FEWEST_DIFFERENT: usize = 6;

/// What is wrong with a new passphrase, where somebody would guess it. Whoever has a copy of a gallery can
/// try as many as they have time for.
pub(crate) fn weakness(passphrase: &str) -> Option<String> {
    let characters: Vec<char> = passphrase.chars().flat_map(char::to_lowercase).collect();
    let length = characters.len();
    if length < SHORTEST {
        return Some(format!("found {length} characters, expected at least {SHORTEST}"));
    }
    let mut different = characters.clone();
    different.sort_unstable();
    different.dedup();
    if different.len() < FEWEST_DIFFERENT {
        let found = different.len();
        return Some(format!("found {found} different characters, expected {FEWEST_DIFFERENT}"));
    }
    let is_next = |pair: &&[char]| (pair[0] as u32).abs_diff(pair[1] as u32) <= 1;
    if 2 * characters.windows(2).filter(is_next).count() > length {
        return Some("found a sequence such as 123456 or abcdef, expected words".to_owned());
    }
    let repeats =
        |part: usize| characters.iter().enumerate().all(|(i, c)| *c == characters[i % part]);
    if (1..=length / 2).any(repeats) {
        return Some("found the same again and again, expected words".to_owned());
    }
    None
}

/// The first bytes of a file that nobody else may read.
fn read_private(file: &Path, most: usize) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => KeyFileError::Missing { file: file.to_owned() },
        _ => KeyFileError::Unreadable { file: file.to_owned(), error },
    };
    let opened = File::open(file).map_err(unreadable)?;
    refuse_open(file, &opened.metadata().map_err(unreadable)?)?;
    // All at once: a buffer that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(most));
    opened.take(most as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(unix)]
pub(crate) fn refuse_open(file: &Path, there: &std::fs::Metadata) -> Result<(), KeyFileError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = there.permissions().mode() & 0o777;
    match there.is_file() && mode & 0o077 != 0 {
        true => Err(KeyFileError::Open { file: file.to_owned(), mode }),
        false => Ok(()),
    }
}

/// Elsewhere permissions are no bits that could be looked at.
#[cfg(not(unix))]
pub(crate) fn refuse_open(_: &Path, _: &std::fs::Metadata) -> Result<(), KeyFileError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn private(folder: &Path, content: &[u8]) -> PathBuf {
        let file = folder.join("key");
        _ = fs::remove_file(&file);
        create_private(&file).unwrap().write_all(content).unwrap();
        file
    }

    fn key(secret: &Secret) -> [u8; 32] {
        match secret {
            Secret::Key(key) => **key,
            Secret::Passphrase(_) => panic!("a passphrase"),
        }
    }

    #[test]
    fn a_new_key_is_read_back_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let made = Secret::new_key_file(&file).unwrap();
        assert_eq!(key(&made), key(&Secret::read_key_file(&file).unwrap()));
        assert_eq!(fs::read(&file).unwrap().len(), 65);
        assert!(matches!(Secret::new_key_file(&file), Err(KeyFileError::Exists { .. })));
        let other = Secret::new_key_file(&folder.path().join("other")).unwrap();
        assert_ne!(key(&made), key(&other));
    }

    #[test]
    fn digits_and_bytes_are_keys_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let read = |content: &[u8]| Secret::read_key_file(&private(folder.path(), content));
        assert_eq!(key(&read(&[7; 32]).unwrap()), [7; 32]);
        let digits = "0aF1".repeat(16);
        for end in ["", "\n", "\r\n"] {
            let found = read((digits.clone() + end).as_bytes()).unwrap();
            assert_eq!(key(&found)[..2], [0x0a, 0xf1]);
        }
        for (content, found) in [
            (vec![], "found 0 bytes"),
            (vec![b'a'; 63], "found 63 bytes"),
            (vec![b'a'; 65], "found 65 bytes"),
            (vec![b'g'; 64], "found other characters"),
            (vec![b'a'; 1000], "found more than 66 bytes"),
        ] {
            let error = read(&content).err().unwrap().to_string();
            assert!(error.contains(found), "{error}");
        }
        let missing = Secret::read_key_file(&folder.path().join("none"));
        assert!(matches!(missing, Err(KeyFileError::Missing { .. })));
        let a_folder = Secret::read_key_file(folder.path());
        assert!(matches!(a_folder, Err(KeyFileError::Unreadable { .. })));
    }

    #[test]
    fn a_passphrase_is_the_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let read = |content: &[u8]| Secret::read_passphrase_file(&private(folder.path(), content));
        for content in ["tree sap\n", "tree sap", "tree sap\r\nmore\n"] {
            match read(content.as_bytes()).unwrap() {
                Secret::Passphrase(text) => assert_eq!(*text, "tree sap"),
                Secret::Key(_) => panic!("a key"),
            }
        }
        assert!(read(&[b'a'; 4096]).is_ok());
        for (content, found) in [
            (vec![], "found nothing"),
            (b"\nsecond".to_vec(), "found nothing"),
            (vec![b'a'; 4097], "found more than 4096 bytes"),
            (vec![0xff], "found bytes that are no UTF-8"),
        ] {
            let error = read(&content).err().unwrap().to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn what_is_guessed_at_once_is_weak() {
        for weak in [
            "",
            "secret",
            "eleven-char",
            "aaaaaaaaaaaaaaaa",
            "12345678901234",
            "abcdefghijklmnop",
            "passwordpassword",
            "sesam!sesam!sesam!",
        ] {
            assert!(weakness(weak).is_some(), "{weak}");
        }
        for good in ["seven tall trees", "correct horse battery staple", "zwölf Äpfel!!"] {
            assert_eq!(weakness(good), None, "{good}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = private(folder.path(), &[7; 32]);
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let read = Secret::read_key_file(&file);
            assert_eq!(read.is_ok(), good, "{mode:o}");
            assert!(good || matches!(read, Err(KeyFileError::Open { .. })));
            assert!(good || Secret::read_passphrase_file(&file).is_err());
        }
    }
}
