//! The best of very many readers, found without scoring them all.
//!
//! | part | does |
//! |---|---|
//! | [`Space`] | turns readers into short rows |
//! | [`Queries`] | turns slopes of probes into queries |
//! | [`Index`] | holds rows, and finds the best for queries |
//!
//! A search gives candidates; which of them is the best is told by the scores of a
//! [`Scorer`](crate::score::Scorer) of the candidates alone.

mod index;
mod space;

pub use index::{Hit, Index, scores, sum};
pub use space::{COMPONENTS, Queries, QueriesError, Query, Row, Space};
