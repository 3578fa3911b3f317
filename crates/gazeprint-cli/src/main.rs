//! The `gazeprint` command.

fn main() {}
