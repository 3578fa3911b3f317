//! Who may do what.
//!
//! | module | does |
//! |---|---|
//! | `scopes` | what somebody may do |
//! | `tokens` | tokens of programs, kept as hashes in a file |
//! | `sessions` | cookies of pages, and the link that gives one |
//! | `rates` | how often |
//! | `hosts` | under which names the server answers, and to which pages |
//! | `secrets` | random secrets and their hashes |

mod hosts;
mod rates;
mod scopes;
mod secrets;
mod sessions;
mod tokens;

pub(crate) use hosts::Hosts;
pub(crate) use rates::Rates;
pub use scopes::{Scope, Scopes};
pub(crate) use secrets::{random_below, random_hex};
pub(crate) use sessions::{COOKIE, Sessions, Unopened};
pub use tokens::{NewToken, TokenEntry, TokenError, TokenFile};

/// Somebody who is known.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The number of the token, or `page`.
    pub(crate) id: String,
    pub(crate) scopes: Scopes,
    /// The session of a page, by the hash of its secret; none for programs.
    pub(crate) session: Option<String>,
}
