//! Axes: from values to places, and round ticks between.

use statrs::function::erf::erfc_inv;

/// How values are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm.
    Log10,
    /// Rates, by their normal deviate: the axes of DET curves.
    Probit,
}

impl Scale {
    /// Rates closer to 0 or 1 than this are drawn there, as are logarithms of less.
    const TINY: f64 = 1e-12;

    /// The value on the even scale that is drawn.
    pub(super) fn forward(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log10 => value.max(Self::TINY).log10(),
            Self::Probit => {
                let rate = value.clamp(Self::TINY, 1.0 - Self::TINY);
                -std::f64::consts::SQRT_2 * erfc_inv(2.0 * rate)
            }
        }
    }
}

/// The numbers beside the ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// The value itself.
    Plain,
    /// The value times 100, for an axis in percent.
    Percent,
}

/// One axis of a panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// What is shown, with its unit.
    pub(super) title: String,
    /// How values are spread.
    pub(super) scale: Scale,
    /// The ends.
    pub(super) range: (f64, f64),
    /// Whether the ticks are in percent.
    pub(super) unit: Unit,
    /// Places of the ticks; round ones where `None`.
    pub(super) ticks: Option<Vec<f64>>,
    /// Words beside the ticks 1, 2, ...; empty for numbers.
    pub(super) words: Vec<String>,
}

impl Axis {
    /// Evenly spread.
    pub(super) fn linear(title: impl Into<String>, range: (f64, f64)) -> Self {
        let (low, high) = proper(range);
        let title = title.into();
        Self {
            title,
            scale: Scale::Linear,
            range: (low, high),
            unit: Unit::Plain,
            ticks: None,
            words: Vec::new(),
        }
    }

    /// Logarithmic; the ends must be above zero.
    pub(super) fn log10(title: impl Into<String>, range: (f64, f64)) -> Self {
        let low = if range.0 > 0.0 { range.0 } else { Scale::TINY };
        let high = if range.1 > low { range.1 } else { low * 10.0 };
        let title = title.into();
        Self {
            title,
            scale: Scale::Log10,
            range: (low, high),
            unit: Unit::Plain,
            ticks: None,
            words: Vec::new(),
        }
    }

    /// Normal deviates of rates.
    pub(super) fn probit(title: impl Into<String>, range: (f64, f64)) -> Self {
        let (low, high) = proper(range);
        let title = title.into();
        Self {
            title,
            scale: Scale::Probit,
            range: (low, high),
            unit: Unit::Percent,
            ticks: None,
            words: Vec::new(),
        }
    }

    /// The same with ticks in percent.
    pub(super) fn percent(self) -> Self {
        Self { unit: Unit::Percent, ..self }
    }

    /// The same with ticks at these values.
    pub(super) fn ticks(self, ticks: impl Into<Vec<f64>>) -> Self {
        Self { ticks: Some(ticks.into()), ..self }
    }

    /// The same with a tick at 1, 2, ... for each of these words.
    pub(super) fn words(self, words: &[String]) -> Self {
        let ticks = (1..=words.len()).map(|place| place as f64).collect();
        Self { ticks: Some(ticks), words: words.to_vec(), ..self }
    }

    /// Whether it is even and begins above 0, so that lengths on it do not compare.
    pub(super) fn is_cut(&self) -> bool {
        self.scale == Scale::Linear && self.words.is_empty() && self.range.0 > 0.0
    }

    /// Where a value is, 0 at the low end and 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let at = |v| self.scale.forward(v);
        let (low, high) = (at(self.range.0), at(self.range.1));
        (at(value) - low) / (high - low)
    }

    /// Ticks with their labels, at most about `most`.
    pub(super) fn labelled_ticks(&self, most: usize) -> Vec<(f64, String)> {
        if !self.words.is_empty() {
            return (1..).map(f64::from).zip(self.words.iter().cloned()).collect();
        }
        let factor = if self.unit == Unit::Percent { 100.0 } else { 1.0 };
        let (low, high) = (self.range.0 * factor, self.range.1 * factor);
        let shown: Vec<f64> = match &self.ticks {
            Some(ticks) => ticks.iter().map(|t| t * factor).collect(),
            None if self.scale == Scale::Log10 => decades(low, high, most),
            None => round(low, high, most),
        };
        let slack = 1e-9 * (high - low).abs();
        let even = self.scale == Scale::Linear && self.ticks.is_none();
        let step = if even && shown.len() > 1 { shown[1] - shown[0] } else { f64::NAN };
        shown
            .into_iter()
            .filter(|&t| t >= low - slack && t <= high + slack)
            .map(|t| (t / factor, label(t, step)))
            .collect()
    }

    /// Unlabelled ticks: 2 to 9 of every decade.
    pub(super) fn minor_ticks(&self) -> Vec<f64> {
        if self.scale != Scale::Log10 || self.ticks.is_some() {
            return Vec::new();
        }
        let (low, high) = self.range;
        let first = low.log10().floor() as i32;
        let last = high.log10().ceil() as i32;
        (first..=last)
            .flat_map(|d| (2..10).map(move |m| f64::from(m) * 10_f64.powi(d)))
            .filter(|&t| t >= low && t <= high)
            .collect()
    }
}

/// Two different finite ends, in order.
fn proper((low, high): (f64, f64)) -> (f64, f64) {
    match (low.is_finite(), high.is_finite()) {
        (true, true) if low < high => (low, high),
        (true, true) if high < low => (high, low),
        (true, _) => (low, low + 1.0),
        (false, true) => (high - 1.0, high),
        (false, false) => (0.0, 1.0),
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn round(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = (high - low) / most.max(2) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|step| *step >= rough * 0.7)
        .unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Powers of ten; every second or third where they are many, 2 and 5 between where they are few.
fn decades(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let span = high.log10() - low.log10();
    if span < 2.2 && most >= (3.0 * span) as usize {
        return (first..=last).flat_map(|d| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(d))).collect();
    }
    let step = (span / most.max(1) as f64).ceil().max(1.0) as usize;
    (first..=last).step_by(step).map(|d| 10_f64.powi(d)).collect()
}

/// A tick's number: as many decimals as the step needs, a true minus sign, powers beyond 1e-4 .. 1e5.
fn label(value: f64, step: f64) -> String {
    if value == 0.0 || value.abs() < 1e-9 * step {
        return "0".into();
    }
    let size = value.abs();
    let text = if step.is_finite() && (1e-4..1e6).contains(&size) {
        let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
        format!("{value:.decimals$}")
    } else if (0.99e-3..0.99e5).contains(&size) {
        // Ticks are round numbers: twelve digits take the dust off.
        format!("{}", format!("{value:.12}").parse::<f64>().unwrap_or(value))
    } else {
        let power = size.log10().floor();
        let digit = (value / 10_f64.powf(power)).round();
        let sign = if digit == 1.0 { String::new() } else { format!("{digit}·") };
        format!("{sign}10{}", superscript(power as i32))
    };
    text.replace('-', "−")
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().chars().map(|c| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(axis: &Axis, most: usize) -> Vec<String> {
        axis.labelled_ticks(most).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn round_ticks() {
        assert_eq!(
            words(&Axis::linear("", (0.0, 1.0)), 5),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|s| if s == "0.0" { "0" } else { s })
        );
        assert_eq!(
            words(&Axis::linear("", (0.0, 1.0)).percent(), 5),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(words(&Axis::linear("", (-30.0, 12.0)), 4), ["−30", "−20", "−10", "0", "10"]);
        assert_eq!(words(&Axis::linear("", (0.0, 163.0)), 4), ["0", "50", "100", "150"]);
    }

    #[test]
    fn logarithmic_ticks() {
        assert_eq!(
            words(&Axis::log10("", (1e-5, 1.0)).percent(), 8),
            ["0.001", "0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(
            words(&Axis::log10("", (1e-7, 1e-2)), 6),
            ["10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01"]
        );
        assert_eq!(words(&Axis::log10("", (1.0, 60.0)), 6), ["1", "2", "5", "10", "20", "50"]);
    }

    #[test]
    fn deviates() {
        let axis = Axis::probit("", (1e-4, 0.4)).ticks([1e-4, 1e-3, 0.01, 0.05, 0.2, 0.4]);
        assert_eq!(words(&axis, 3), ["0.01", "0.1", "1", "5", "20", "40"]);
        assert_eq!(axis.place(0.4), 1.0);
        assert!((Scale::Probit.forward(0.025) + 1.959_963_985).abs() < 1e-8);
        assert!(Scale::Probit.forward(0.0).is_finite() && Scale::Log10.forward(0.0).is_finite());
    }

    #[test]
    fn ranges_that_are_none() {
        for range in [(1.0, 1.0), (f64::NAN, 1.0), (f64::INFINITY, f64::NEG_INFINITY), (3.0, 2.0)] {
            let axis = Axis::linear("", range);
            assert!(axis.range.0 < axis.range.1, "{range:?}");
            assert!(!axis.labelled_ticks(4).is_empty());
        }
    }
}
