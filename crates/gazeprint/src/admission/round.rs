//! What admissions are learned from: people who were enrolled, and met again among strangers.

use super::Claim;

/// A probe that was compared with enrolled readers.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Whose it is.
    pub person: usize,
    /// Texts that were asked for: probes of one person and size count for one.
    pub texts: usize,
    /// Fixations.
    pub fixations: usize,
    /// The claim to be each of the readers.
    pub claims: Vec<Claim>,
    /// The reader who scores best.
    pub best: usize,
    /// The reader whose probe it is; none of a stranger's.
    pub own: Option<usize>,
}

/// A probe of a reader who is enrolled.
#[derive(Debug, Clone)]
pub struct Insider {
    /// Fixations.
    pub fixations: usize,
    /// The claims to be each of the other readers.
    pub claims: Vec<Claim>,
}

/// Some people of a corpus who were enrolled, and met again among strangers.
#[derive(Debug, Clone)]
pub struct Round {
    /// Probes of them and of strangers.
    pub trials: Vec<Trial>,
    /// Probes of what they were enrolled with.
    pub insiders: Vec<Insider>,
}

impl Round {
    /// Readers who were enrolled.
    pub(super) fn readers(&self) -> usize {
        self.trials.iter().map(|trial| trial.claims.len()).max().unwrap_or(0)
    }

    pub(super) fn strangers(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(|trial| trial.own.is_none())
    }
}
