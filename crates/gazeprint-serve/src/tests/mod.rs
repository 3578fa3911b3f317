//! The server as its clients see it, without a network.

mod answers;
mod bodies;
mod descriptions;
mod doors;
mod ending;
mod fixture;
mod limits;
mod pages;
mod relabelled;
