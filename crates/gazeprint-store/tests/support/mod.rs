//! What tests share.
#![allow(dead_code, reason = "each test program uses a part of it")]

#[cfg(feature = "postgres")]
pub(crate) mod server;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use gazeprint_store::{Kind, Location, Secret, Snapshot, StoreError, Vault};
use zeroize::Zeroizing;

/// Where galleries can be made.
pub(crate) trait Place: Sync {
    /// A location where nothing is yet.
    fn fresh(&self) -> Location;
}

/// A folder of files.
pub(crate) struct Files {
    folder: tempfile::TempDir,
    made: AtomicU32,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), made: AtomicU32::new(0) }
    }

    /// For very many files: in memory, where the system has such a folder.
    pub(crate) fn quick() -> Self {
        match tempfile::tempdir_in("/dev/shm") {
            Ok(folder) => Self { folder, made: AtomicU32::new(0) },
            Err(_) => Self::new(),
        }
    }
}

impl Place for Files {
    fn fresh(&self) -> Location {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        Location::File(self.folder.path().join(format!("{number}.gallery")))
    }
}

#[cfg(feature = "postgres")]
impl Place for server::Server {
    fn fresh(&self) -> Location {
        Location::Postgres(self.fresh_address())
    }
}

pub(crate) fn key(byte: u8) -> Secret {
    Secret::Key(Zeroizing::new([byte; 32]))
}

pub(crate) fn passphrase(text: &str) -> Secret {
    Secret::Passphrase(Zeroizing::new(text.to_owned()))
}

/// Everything that is in a gallery.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Content {
    pub(crate) records: BTreeMap<(Kind, String), Vec<u8>>,
    pub(crate) log: Vec<Vec<u8>>,
    pub(crate) generation: u64,
}

pub(crate) fn content(vault: &mut Vault) -> Result<Content, StoreError> {
    vault.read(|snapshot| {
        let mut content = Content { generation: snapshot.generation(), ..Content::default() };
        for kind in Kind::ALL {
            snapshot.each(kind, |name, value| {
                let before = content.records.insert((kind, name.to_owned()), value.to_vec());
                assert_eq!(before, None, "two records of one name");
                Ok::<_, StoreError>(())
            })?;
        }
        snapshot.log(|sequence, entry| {
            content.log.push(entry.to_vec());
            assert_eq!(content.log.len() as u64, sequence);
            Ok::<_, StoreError>(())
        })?;
        Ok(content)
    })
}

/// The names of all records of a kind, sorted.
pub(crate) fn names(snapshot: &mut Snapshot<'_>, kind: Kind) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    snapshot.each(kind, |name, _| {
        names.push(name.to_owned());
        Ok::<_, StoreError>(())
    })?;
    names.sort_unstable();
    Ok(names)
}

/// A few records of every kind, and a log.
pub(crate) fn fill(vault: &mut Vault) {
    vault
        .write(|change| {
            change.put(Kind::Settings, "", b"what all share")?;
            for reader in ["anna", "béla", "cy", "d\0d", "日本"] {
                change.put(Kind::Template, reader, format!("template of {reader}").as_bytes())?;
                let long: Vec<u8> = (0..20_000_u32).flat_map(|i| (i * 7).to_le_bytes()).collect();
                change.put(Kind::Readings, reader, &long)?;
                change.append(format!("enrolled {reader}").as_bytes())?;
            }
            change.put(Kind::Probe, "nothing", b"")
        })
        .unwrap();
}
