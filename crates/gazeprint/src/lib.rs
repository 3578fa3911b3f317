//! Who is reading? Bayesian models of saccades and fixations that recognise people by how they
//! read.

pub mod corpus;
pub mod density;
pub mod gallery;
pub mod inference;
mod kernels;
pub mod method;
pub mod saccade;
pub mod simulate;
pub mod template;
