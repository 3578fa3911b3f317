//! Rows of made-up tables.

/// Rows of `per` fixations for each of some names, each with the fixation's number and onset.
pub(crate) fn rows(
    names: &[&str],
    per: usize,
    row: impl Fn(&str, usize, usize) -> String,
) -> String {
    let all = names.iter().enumerate().flat_map(|(n, name)| (0..per).map(move |i| (n, *name, i)));
    all.map(|(n, name, i)| row(name, i, 1000 + 10_000 * n + 260 * i) + "\n").collect()
}

/// A place on lines of eight words, and a duration.
pub(crate) fn place(i: usize) -> String {
    format!("{},{},{}", 100 + 90 * (i % 8), 200 + 60 * (i / 8), 180 + 7 * (i % 11))
}

/// The same, of a reading that began at some time.
pub(crate) fn place_at(i: usize, onset: usize) -> String {
    place(i + 3 * (onset / 10_000))
}
