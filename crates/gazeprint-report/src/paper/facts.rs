//! What the paper reports: Abdelwahab, Kliegl & Landwehr, "A Semiparametric Model for Bayesian Reader
//! Identification" (EMNLP 2016).

/// Where the numbers come from, in short.
pub const PAPER: &str = "Abdelwahab, Kliegl & Landwehr (EMNLP 2016)";
/// What the paper measured on; it is not public.
pub const CORPUS: &str = "Potsdam Sentence Corpus";
/// Readers of that corpus.
pub const READERS: usize = 251;

/// A method of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportedMethod {
    /// What it is called here.
    pub method: &'static str,
    /// Accuracy with all test sentences, mean over ten splits (Table 1).
    pub accuracy: f64,
    /// The standard error of that (Table 1).
    pub accuracy_se: f64,
    /// Area under the curve of false accepts over false rejects (Table 2).
    pub area: f64,
}

/// Tables 1 and 2.
pub const METHODS: [ReportedMethod; 6] = [
    reported("semiparametric", 0.9562, 0.0092, 0.000_009_8),
    reported("landwehr", 0.8319, 0.0218, 0.000_174_3),
    reported("landwehr-ta", 0.5964, 0.0262, 0.001_037_1),
    reported("landwehr-t", 0.2749, 0.0369, 0.001_704_0),
    reported("holland-unweighted", 0.6988, 0.0241, 0.002_785_3),
    reported("holland-weighted", 0.4566, 0.0220, 0.003_997_8),
];

const fn reported(
    method: &'static str,
    accuracy: f64,
    accuracy_se: f64,
    area: f64,
) -> ReportedMethod {
    ReportedMethod { method, accuracy, accuracy_se, area }
}
