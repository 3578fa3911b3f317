//! The best of very many readers, found without scoring them all.
//!
//! | part | does |
//! |---|---|
//! | [`Space`] | turns readers into short rows, and slopes of probes into queries |
//! | [`Index`] | holds rows, and finds the best for queries |
//!
//! A search gives candidates; which of them is the best is told by the scores of a
//! [`Gallery`](crate::gallery::Gallery) of the candidates alone.

mod index;
mod space;

pub use index::{Hit, Index, sum};
pub use space::{COMPONENTS, Query, Row, Space};
