//! What somebody may do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One thing that somebody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Enrol readers.
    Enrol,
    /// Ask whether a claim is true, and watch.
    Verify,
    /// Ask who it is.
    Identify,
    /// Get scores with answers, not decisions alone.
    Scores,
    /// See who is enrolled, which texts there are, and metrics.
    Read,
    /// Remove readers, start them anew, see the log, change texts, ask for weaker answers.
    Administer,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Enrol, Self::Verify, Self::Identify, Self::Scores, Self::Read, Self::Administer];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enrol => "enrol",
            Self::Verify => "verify",
            Self::Identify => "identify",
            Self::Scores => "scores",
            Self::Read => "read",
            Self::Administer => "administer",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|scope| scope.name() == text);
        let all = || Self::ALL.map(Self::name).join(", ");
        named.ok_or_else(|| format!("found {text:?}, expected one of {}", all()))
    }
}

/// All that somebody may do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Everything.
    pub fn all() -> Self {
        Self(Scope::ALL.to_vec())
    }

    /// These.
    pub fn of(mut scopes: Vec<Scope>) -> Self {
        scopes.sort_unstable();
        scopes.dedup();
        Self(scopes)
    }

    /// Whether this is among them.
    pub fn have(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// One by one.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(","))
    }
}
