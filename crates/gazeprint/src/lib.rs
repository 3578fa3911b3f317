//! Who is reading? Bayesian models of saccades and fixations that recognise people by how they
//! read.
pub mod corpus;
pub mod saccade;
pub mod simulate;
