//! Anchors: how far a gallery had come, to be kept elsewhere.
//!
//! Who can write to a gallery can put an older copy of the whole in its place, with seals that all fit.
//! Its log is then shorter than it was, or another.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::StoreError;
use crate::snapshot::{Snapshot, hexadecimal};

/// What an anchor begins with.
const BEGINNING: &str = "gazeprint-anchor-1";

/// How far a gallery had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// How often records that answers rest on had been changed.
    pub generation: u64,
    /// Entries of the log.
    pub entries: u64,
    /// Link of the log behind the last of them.
    pub link: [u8; 32],
}

/// A text that is no anchor.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("found {found:?}, expected what `gazeprint gallery anchor` prints: {BEGINNING}:...")]
pub struct AnchorError {
    found: String,
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { generation, entries, link } = self;
        write!(f, "{BEGINNING}:{generation}:{entries}:{}", hexadecimal(link))
    }
}

impl FromStr for Anchor {
    type Err = AnchorError;

    fn from_str(text: &str) -> Result<Self, AnchorError> {
        let read = || {
            let rest = text.trim().strip_prefix(BEGINNING)?.strip_prefix(':')?;
            let mut parts = rest.split(':');
            let generation = parts.next()?.parse().ok()?;
            let entries = parts.next()?.parse().ok()?;
            let digits = parts.next().filter(|digits| digits.len() == 64 && digits.is_ascii())?;
            let mut link = [0; 32];
            for (place, byte) in link.iter_mut().enumerate() {
                *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
            }
            parts.next().is_none().then_some(Self { generation, entries, link })
        };
        read().ok_or_else(|| AnchorError { found: text.chars().take(120).collect() })
    }
}

impl Anchor {
    pub(crate) fn of(snapshot: &Snapshot<'_>) -> Self {
        let (entries, link) = snapshot.log_end();
        Self { generation: snapshot.generation(), entries, link }
    }

    /// Refuses a gallery that had not come so far, or went another way.
    pub(crate) fn check(&self, snapshot: &mut Snapshot<'_>) -> Result<(), StoreError> {
        let at = snapshot.at.clone();
        let found = Self::of(snapshot);
        let rolled_back = |why| Err(StoreError::RolledBack { at, why });
        if found.generation < self.generation {
            let (found, expected) = (found.generation, self.generation);
            return rolled_back(format!("found generation {found}, expected at least {expected}"));
        }
        match snapshot.link_behind(self.entries)? {
            Some(link) if link == self.link => Ok(()),
            Some(_) => rolled_back(format!("found another entry {} of the log", self.entries)),
            None => {
                let (found, expected) = (found.entries, self.entries);
                rolled_back(format!(
                    "found {found} entries of the log, expected at least {expected}"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_read_as_they_are_printed() {
        let anchor = Anchor { generation: 7, entries: 12, link: [0xa5; 32] };
        assert_eq!(anchor.to_string().parse(), Ok(anchor.clone()));
        assert_eq!(format!("  {anchor}\n").parse(), Ok(anchor.clone()));
        let text = anchor.to_string();
        for other in ["", "gazeprint-anchor-1", "gazeprint-anchor-1:7:12", &text[1..], &text[..60]]
        {
            assert!(other.parse::<Anchor>().is_err(), "{other}");
        }
        assert!(format!("{text}:1").parse::<Anchor>().is_err());
        assert!(text.replace("a5", "ä").parse::<Anchor>().is_err());
    }
}
