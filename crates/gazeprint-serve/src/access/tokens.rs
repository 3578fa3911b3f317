//! Tokens of programs. A file has their hashes; who has the file cannot use it to get in.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::secrets::{hash, is_same, random_hex};
use super::{Caller, Scopes};
use crate::private_files::{make_private_folder, open_or_make, replace};

/// How tokens begin, for those who look for secrets that got lost.
const PREFIX: &str = "gazeprint";
const VERSION: u32 = 1;
const FILE: &str = "tokens.json";

/// Why tokens cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file system refused.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{}: expected tokens as `gazeprint token` writes them: {why}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Others could read or change it.
    #[error(
        "{}: others than its owner may use it (mode {mode:o}); take that away (chmod 600)", .file.display()
    )]
    Open {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// No such token.
    #[error("found no token {id:?}; `gazeprint token list` shows all")]
    Unknown {
        /// The number that was given.
        id: String,
    },
    /// No randomness.
    #[error("the operating system has no random numbers: {0}")]
    Random(String),
}

/// What is kept of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenEntry {
    /// Its number: the second part of the token.
    pub id: String,
    /// Whose it is.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// When it was made, in seconds since 1970.
    pub created: u64,
    /// When it ends to be valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<u64>,
    /// SHA-256 of the token.
    hash: String,
}

/// A token that was made: the only time that it can be seen.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// The token.
    pub token: String,
    /// What is kept of it.
    pub entry: TokenEntry,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: u32,
    tokens: Vec<TokenEntry>,
}

/// What is known of the file when it was last read.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    number: u64,
}

struct Seen {
    stamp: Option<Stamp>,
    tokens: Arc<Vec<TokenEntry>>,
}

/// The tokens of a server: a file in its folder, which is read anew when another process changed it.
pub struct TokenFile {
    file: PathBuf,
    seen: Mutex<Option<Seen>>,
}

impl std::fmt::Debug for TokenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenFile").field("file", &self.file).finish_non_exhaustive()
    }
}

impl TokenFile {
    /// The tokens in a folder; there need be none yet.
    pub fn of(folder: &Path) -> Self {
        Self { file: folder.join(FILE), seen: Mutex::new(None) }
    }

    /// Where they are.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// All tokens, revoked ones among them, in the order in which they were made.
    ///
    /// # Errors
    /// If the file cannot be read, is something else, or others may read it.
    pub fn list(&self) -> Result<Vec<TokenEntry>, TokenError> {
        Ok(self.current()?.to_vec())
    }

    /// Makes a token, valid for so many seconds or until it is revoked.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(
        &self,
        name: &str,
        scopes: Scopes,
        valid_for: Option<u64>,
    ) -> Result<NewToken, TokenError> {
        let random = |error: getrandom::Error| TokenError::Random(error.to_string());
        let id = random_hex::<6>().map_err(random)?;
        let token = format!("{PREFIX}_{id}_{}", random_hex::<32>().map_err(random)?);
        let created = now();
        let entry = TokenEntry {
            id,
            name: name.to_owned(),
            scopes,
            created,
            expires: valid_for.map(|seconds| created.saturating_add(seconds)),
            revoked: None,
            hash: hash(&token),
        };
        let kept = entry.clone();
        self.change(|tokens| {
            tokens.push(kept);
            Ok(())
        })?;
        Ok(NewToken { token, entry })
    }

    /// Revokes a token, given by its number or whole.
    ///
    /// # Errors
    /// If there is no such token, or the file cannot be written.
    pub fn revoke(&self, id: &str) -> Result<TokenEntry, TokenError> {
        let number = id.split('_').nth(1).unwrap_or(id);
        self.change(|tokens| {
            let token = tokens.iter_mut().find(|token| token.id == number);
            let token = token.ok_or_else(|| TokenError::Unknown { id: number.to_owned() })?;
            token.revoked.get_or_insert_with(now);
            Ok(token.clone())
        })
    }

    /// Who has a token; nobody where it is not valid.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn caller(&self, token: &str) -> Result<Option<Caller>, TokenError> {
        let Some(id) = token.strip_prefix(PREFIX).and_then(|rest| rest.split('_').nth(1)) else {
            return Ok(None);
        };
        let tokens = self.current()?;
        let known = tokens.iter().find(|entry| entry.id == id);
        let known = known.filter(|entry| entry.is_valid() && is_same(&entry.hash, &hash(token)));
        Ok(known.map(|entry| Caller {
            id: entry.id.clone(),
            scopes: entry.scopes.clone(),
            session: None,
        }))
    }

    /// Whether a token is still valid, given by its number.
    pub(crate) fn is_valid(&self, id: &str) -> Result<bool, TokenError> {
        Ok(self.current()?.iter().any(|entry| entry.id == id && entry.is_valid()))
    }

    fn current(&self) -> Result<Arc<Vec<TokenEntry>>, TokenError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp()?;
        if let Some(seen) = seen.as_ref().filter(|seen| seen.stamp == stamp) {
            return Ok(Arc::clone(&seen.tokens));
        }
        let tokens = Arc::new(self.read()?);
        *seen = Some(Seen { stamp, tokens: Arc::clone(&tokens) });
        Ok(tokens)
    }

    fn stamp(&self) -> Result<Option<Stamp>, TokenError> {
        match fs::metadata(&self.file) {
            Ok(data) => Ok(Some(Stamp {
                modified: data.modified().ok(),
                length: data.len(),
                number: number_of(&data),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io(error)),
        }
    }

    fn read(&self) -> Result<Vec<TokenEntry>, TokenError> {
        let bytes = match fs::read(&self.file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.io(error)),
        };
        self.check_mode()?;
        let unreadable = |why: String| TokenError::Unreadable { file: self.file.clone(), why };
        let content: Content =
            serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
        match content.version {
            VERSION => Ok(content.tokens),
            other => Err(unreadable(format!("found version {other}, expected {VERSION}"))),
        }
    }

    /// Refuses a file that others than its owner may use.
    fn check_mode(&self) -> Result<(), TokenError> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let data = fs::metadata(&self.file).map_err(|error| self.io(error))?;
            let mode = data.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return Err(TokenError::Open { file: self.file.clone(), mode });
            }
        }
        Ok(())
    }

    /// Changes the file as a whole, while no other process does.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<TokenEntry>) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        make_private_folder(folder).map_err(|error| self.io(error))?;
        let lock = open_or_make(&self.file.with_extension("lock"));
        let lock: File = lock.map_err(|error| self.io(error))?;
        lock.lock().map_err(|error| self.io(error))?;
        let mut tokens = self.read()?;
        let changed = change(&mut tokens)?;
        let content = Content { version: VERSION, tokens };
        let text = serde_json::to_string_pretty(&content).unwrap_or_default();
        replace(&self.file, text.as_bytes()).map_err(|error| self.io(error))?;
        Ok(changed)
    }

    fn io(&self, source: io::Error) -> TokenError {
        TokenError::Io { file: self.file.clone(), source }
    }
}

impl TokenEntry {
    /// Whether it opens anything now.
    pub fn is_valid(&self) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now() < expires)
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(unix)]
fn number_of(data: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    data.ino()
}

#[cfg(not(unix))]
fn number_of(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;

    #[test]
    fn tokens_open_until_they_are_revoked_or_expire() {
        let folder = tempfile::tempdir().unwrap();
        let [tokens, others] = [0, 1].map(|_| TokenFile::of(&folder.path().join("own")));
        assert!(tokens.list().unwrap().is_empty());
        let made = tokens.create("shop", Scopes::of(vec![Scope::Verify]), None).unwrap();
        let old = tokens.create("old", Scopes::all(), Some(0)).unwrap();
        let caller = others.caller(&made.token).unwrap().unwrap();
        assert!(caller.scopes.have(Scope::Verify) && !caller.scopes.have(Scope::Enrol));
        assert!(others.caller(&old.token).unwrap().is_none());
        let other_secret = format!("{}0", &made.token[..made.token.len() - 1]);
        for wrong in ["", "gazeprint", "gazeprint_", "gazeprint__", "x", &other_secret] {
            let is_right = wrong == made.token;
            assert_eq!(others.caller(wrong).unwrap().is_some(), is_right, "{wrong}");
        }
        tokens.revoke(&made.entry.id).unwrap();
        assert!(others.caller(&made.token).unwrap().is_none());
        assert!(matches!(tokens.revoke("none"), Err(TokenError::Unknown { .. })));
        let kept = fs::read_to_string(tokens.file()).unwrap();
        assert!(!kept.contains(made.token.rsplit('_').next().unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn files_that_others_may_read_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let tokens = TokenFile::of(folder.path());
        tokens.create("shop", Scopes::all(), None).unwrap();
        let mode = fs::metadata(tokens.file()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(tokens.file(), fs::Permissions::from_mode(0o644)).unwrap();
        let again = TokenFile::of(folder.path());
        assert!(matches!(again.list(), Err(TokenError::Open { mode: 0o644, .. })));
    }
}
