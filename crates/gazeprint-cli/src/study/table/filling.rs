//! The table of a study that goes on: what is known so far.

use std::fmt::Write;

use gazeprint::method::Method;
use gazeprint_eval::study::{DividedCorpus, ProbeResult, SplitResult};

use super::{NAME, SIZE, width};

/// Means over the splits that are done. It fills from the quick methods on, and firms up from split to split.
#[derive(Debug)]
pub(crate) struct Filling {
    /// Of probes, in texts.
    sizes: Vec<usize>,
    splits: usize,
    rows: Vec<Row>,
}

/// What is known of a method.
#[derive(Debug)]
struct Row {
    method: String,
    /// By split that is done.
    found: Vec<Found>,
}

/// What a method found in a split.
#[derive(Debug)]
struct Found {
    /// By size of the probes; none where no reader has as many texts.
    by_size: Vec<Option<f64>>,
    accuracy: f64,
    eer: f64,
}

impl From<&SplitResult> for Found {
    fn from(result: &SplitResult) -> Self {
        let known =
            |probes: &ProbeResult| (probes.shorter < probes.probes).then_some(probes.accuracy);
        let by_size = result.by_sentences.iter().map(known).collect();
        Self { by_size, accuracy: result.all.accuracy, eer: result.all.eer }
    }
}

impl Row {
    fn mean(&self, of: impl Fn(&Found) -> Option<f64>) -> Option<f64> {
        let known: Option<Vec<f64>> = self.found.iter().map(of).collect();
        let known = known.filter(|known| !known.is_empty())?;
        Some(known.iter().sum::<f64>() / known.len() as f64)
    }
}

impl Filling {
    /// Nothing is known yet of these methods.
    pub(crate) fn of(methods: &[Box<dyn Method>], divided: &DividedCorpus) -> Self {
        let names = methods.iter().map(|method| method.name());
        Self::new(names, &divided.plan.probe_sentences, divided.splits.len())
    }

    fn new<'a>(methods: impl Iterator<Item = &'a str>, sizes: &[usize], splits: usize) -> Self {
        let row = |method: &str| Row { method: method.to_owned(), found: Vec::new() };
        Self { sizes: sizes.to_vec(), splits, rows: methods.map(row).collect() }
    }

    /// Takes in what a method found in a split.
    pub(crate) fn add(&mut self, method: &str, result: &SplitResult) {
        self.take(method, result.into());
    }

    fn take(&mut self, method: &str, found: Found) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.method == method) {
            row.found.push(found);
        }
    }

    /// The table, with an end of line after every row.
    pub(crate) fn text(&self) -> String {
        let sizes: String = self.sizes.iter().map(|size| format!("{size:>SIZE$}")).collect();
        let by_size = if self.sizes.is_empty() { "" } else { "  accuracy by texts" };
        let width = width(self.sizes.len());
        let mut text = format!("{:NAME$}{by_size:<width$}  all test texts\n", "so far");
        _ = writeln!(text, "{:NAME$}{sizes:<width$}  accuracy    EER  splits", "method");
        for row in &self.rows {
            let by_size = (0..self.sizes.len()).map(|i| {
                let mean = row.mean(|found| found.by_size[i]);
                mean.map_or_else(|| format!("{:>SIZE$}", "-"), |mean| format!("{mean:>SIZE$.3}"))
            });
            let by_size: String = by_size.collect();
            let all = row.mean(|found| Some(found.accuracy));
            let eer = row.mean(|found| Some(found.eer));
            let all = all.map_or_else(|| "-".to_owned(), |all| format!("{all:.3}"));
            let eer = eer.map_or_else(|| "-".to_owned(), |eer| format!("{eer:.4}"));
            let done = format!("{} of {}", row.found.len(), self.splits);
            _ = writeln!(text, "{:NAME$}{by_size:<width$}  {all:<8}{eer:>7}  {done}", row.method);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fill_and_firm_up_in_their_place() {
        let mut table = Filling::new(["fusion", "landwehr"].into_iter(), &[1, 100], 3);
        let nothing = "\
so far              accuracy by texts  all test texts
method                 1   100         accuracy    EER  splits
fusion                 -     -         -             -  0 of 3
landwehr               -     -         -             -  0 of 3
";
        assert_eq!(table.text(), nothing);
        let found = |accuracy: f64| Found {
            by_size: vec![Some(accuracy / 2.0), None],
            accuracy,
            eer: 0.01,
        };
        table.take("landwehr", found(0.5));
        table.take("landwehr", found(1.0));
        // Of a worse recording, which has no row.
        table.take("noise-1/landwehr", found(0.0));
        let some = "\
so far              accuracy by texts  all test texts
method                 1   100         accuracy    EER  splits
fusion                 -     -         -             -  0 of 3
landwehr           0.375     -         0.750    0.0100  2 of 3
";
        assert_eq!(table.text(), some);
        assert!(table.text().lines().all(|line| line.len() < 80));
    }

    #[test]
    fn without_sizes_there_are_no_columns_for_them() {
        let table = Filling::new(["landwehr"].into_iter(), &[], 1);
        let text = "\
so far              all test texts
method              accuracy    EER  splits
landwehr            -             -  0 of 1
";
        assert_eq!(table.text(), text);
    }
}
