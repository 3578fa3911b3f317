//! What is worth saying beside an answer.

use std::fmt;

use serde::Serialize;

use crate::error::counted;

/// What stands behind a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparisons {
    /// People who claimed to be each other.
    Pairs,
    /// People who were not enrolled.
    Strangers,
}

impl Comparisons {
    /// So many of them, of so many people.
    fn of(self, comparisons: usize, people: usize) -> String {
        match self {
            Self::Pairs => format!("{comparisons} pairs of {people} people"),
            Self::Strangers => counted(comparisons, "stranger"),
        }
    }
}

/// Why there are no rows to search by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowsMissing {
    /// There are no thresholds of decisions.
    NoRules,
    /// Their numbers do not tell readers apart.
    Indistinct,
}

impl fmt::Display for RowsMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRules => "rows to search by need thresholds of decisions, and there are none",
            Self::Indistinct => {
                "rows to search by cannot be made: their numbers do not tell readers apart"
            }
        })
    }
}

/// Something that does not keep an answer from being given, but should be known.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// Fixations of the probe that do not count.
    DroppedFixations {
        /// How many.
        fixations: usize,
    },
    /// Too few people stand behind such a rate.
    UnsupportedRate {
        /// The rate.
        rate: f64,
        /// As many as there are.
        comparisons: usize,
        /// What they are.
        of: Comparisons,
        /// Of how many people.
        readers: usize,
        /// The lowest rate that so many can show (rule of three).
        lowest_rate: f64,
    },
    /// No rate was asked for, and too few people stand behind the usual one.
    HigherRate {
        /// The rate that was taken instead.
        rate: f64,
        /// The usual one.
        usual: f64,
        /// As many as there are.
        comparisons: usize,
        /// What they are.
        of: Comparisons,
        /// Of how many people.
        readers: usize,
    },
    /// There are half as many readers more, or a third fewer, than the thresholds were learned from.
    OutdatedRules {},
    /// Others changed the gallery while its thresholds were learned: they are not kept.
    RulesNotKept {},
    /// Probes are compared with everybody.
    NoRows {
        /// Why.
        why: RowsMissing,
    },
    /// The population was learned from other fixations than the gallery counts, ms.
    OtherDurations {
        /// Those of the population.
        population: [f64; 2],
        /// Those of the gallery.
        gallery: [f64; 2],
    },
    /// Somebody has these recordings already.
    AlreadyEnrolled {
        /// Who.
        reader: String,
    },
    /// A watch that can accept nobody at such a rate.
    NeverAccepts {
        /// Wanted rate of false accepts.
        fmr: f64,
        /// Fixations that decisions rest on.
        window: usize,
    },
    /// A watch that cannot reject at such a rate.
    NeverRejects {
        /// Wanted rate of false rejects.
        fnmr: f64,
        /// Fixations that decisions rest on.
        window: usize,
        /// The rate that it rejects at instead; none where it rejects nobody.
        instead: Option<f64>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DroppedFixations { fixations } => {
                let does = if *fixations == 1 { "does" } else { "do" };
                write!(f, "{} of the probe {does} not count", counted(*fixations, "fixation"))
            }
            Self::UnsupportedRate { rate, comparisons, of, readers, lowest_rate } => {
                write!(
                    f,
                    "too few people stand behind a rate of {rate}: {} show rates down to {} at best (rule of \
                     three)",
                    of.of(*comparisons, *readers),
                    two_digits(*lowest_rate)
                )
            }
            Self::HigherRate { rate, usual, comparisons, of, readers } => write!(
                f,
                "the rate is {rate}: too few people stand behind {usual} ({}; rule of three)",
                of.of(*comparisons, *readers)
            ),
            Self::OutdatedRules {} => {
                f.write_str(
                    "the gallery has half as many readers more, or a third fewer, than its thresholds were \
                     learned from",
                )
            }
            Self::RulesNotKept {} => f.write_str(
                "another process changed the gallery meanwhile; thresholds are learned when it is done",
            ),
            Self::NoRows { why } => write!(f, "{why}; probes are compared with everybody"),
            Self::OtherDurations { population, gallery } => write!(
                f,
                "the population counted fixations of {} to {} ms, and the gallery counts those of {} to \
                 {} ms",
                population[0], population[1], gallery[0], gallery[1]
            ),
            Self::AlreadyEnrolled { reader } => {
                write!(f, "{reader}: enrolled already with these recordings")
            }
            Self::NeverAccepts { fmr, window } => write!(
                f,
                "the gallery is too small to accept at a rate of false accepts of {fmr} from {window} \
                 fixations: nobody is accepted; ask for a higher rate, or enrol more"
            ),
            Self::NeverRejects { fnmr, window, instead } => {
                write!(
                    f,
                    "the gallery is too small to reject at a rate of false rejects of {fnmr} from \
                     {window} fixations: "
                )?;
                match instead {
                    Some(rate) => write!(
                        f,
                        "it rejects at a rate of false rejects of {rate:.2}, the lowest that it can show"
                    ),
                    None => f.write_str("nobody is rejected"),
                }?;
                f.write_str("; ask for a higher rate, or enrol more")
            }
        }
    }
}

/// The lowest rate that so many comparisons can show (rule of three).
pub fn lowest_rate(comparisons: usize) -> f64 {
    3.0 / comparisons.max(3) as f64
}

/// The same, rounded up to two digits.
pub(crate) fn shown_rate(comparisons: usize) -> f64 {
    let lowest = lowest_rate(comparisons);
    let digits = 10_f64.powf(1.0 - lowest.log10().floor());
    (lowest * digits - 1e-9).ceil() / digits
}

/// A rate, to two digits.
pub fn two_digits(rate: f64) -> String {
    let digits = (1.0 - rate.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{rate:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_two_digits() {
        for (comparisons, told) in
            [(0, "1.0"), (3, "1.0"), (12, "0.25"), (700, "0.0043"), (3_000_000, "0.0000010")]
        {
            assert_eq!(two_digits(lowest_rate(comparisons)), told);
        }
    }

    #[test]
    fn rates_that_so_many_show_are_rounded_up() {
        for (comparisons, rate) in
            [(3, 1.0), (12, 0.25), (60, 0.05), (256, 0.012), (17_549, 0.00018)]
        {
            assert_eq!(shown_rate(comparisons), rate);
            assert!(gazeprint::decision::supported(comparisons, rate));
        }
    }
}
