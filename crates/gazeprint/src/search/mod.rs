//! The best of very many readers, found without scoring them all.
//!
//! | part | does |
//! |---|---|
//! | [`Space`] | turns readers into short rows |
//! | [`Queries`] | turns slopes of probes into queries |
//! | [`scores`] | compares all rows with a query |
//!
//! A search gives candidates; which of them is the best is told by the scores of a
//! [`Scorer`](crate::score::Scorer) of the candidates alone.

mod scores;
mod space;

pub use scores::scores;
pub use space::{COMPONENTS, Queries, QueriesError, Query, Row, Space};
