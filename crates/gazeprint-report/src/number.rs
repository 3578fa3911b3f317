//! How numbers are set, in Unicode.

use gazeprint_eval::report::Estimate;

/// Stands where there is no number.
pub(crate) const MISSING: &str = "–";
/// Below this, powers of ten are easier to read than zeros.
const SMALL: f64 = 1e-3;

/// So many decimals, with a true minus; words for what is no number.
fn fixed(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return MISSING.to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".to_owned() } else { "−∞".to_owned() };
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// An accuracy, a rate, a cost: three decimals.
pub(crate) fn proportion(value: f64) -> String {
    fixed(value, 3)
}

/// A rate that is small by nature: four decimals.
pub(crate) fn fine(value: f64) -> String {
    fixed(value, 4)
}

/// A rate that is very small by nature: seven decimals.
pub(crate) fn finest(value: f64) -> String {
    fixed(value, 7)
}

/// One decimal.
pub(crate) fn coarse(value: f64) -> String {
    fixed(value, 1)
}

/// A rate over many orders of magnitude: two digits that count, 5.0·10⁻⁵ where small.
pub(crate) fn rate(value: f64) -> String {
    match power_of(value) {
        Some(_) if value == 0.0 => "0".to_owned(),
        Some(power) => scientific(value, power),
        None if value < 0.01 => fixed(value, 4),
        None => fixed(value, 3),
    }
}

/// A rate that someone asked for: 10⁻³ where it is a power of ten, else as it was written.
pub(crate) fn target(value: f64) -> String {
    let power = value.log10().round();
    if value > 0.0 && power < 0.0 && (value.log10() - power).abs() < 1e-9 {
        return format!("10{}", superscript(power as i32));
    }
    if value.is_finite() { format!("{value}") } else { MISSING.to_owned() }
}

/// A number of any size, to three digits.
pub fn general(value: f64) -> String {
    let size = value.abs();
    match power_of(value) {
        Some(power) if value != 0.0 => scientific(value, power),
        _ if size >= 100.0 => fixed(value, 0),
        _ if size >= 10.0 => fixed(value, 1),
        _ if size >= 1.0 => fixed(value, 2),
        _ => fixed(value, 3),
    }
}

/// A difference, with its sign.
pub(crate) fn signed(value: f64) -> String {
    let text = proportion(value);
    if value > 0.0 && text.bytes().any(|b| matches!(b, b'1'..=b'9')) {
        format!("+{text}")
    } else {
        text
    }
}

/// A mean with its standard error, where there is one.
pub(crate) fn plus_minus(estimate: &Estimate, format: fn(f64) -> String) -> String {
    match estimate.se.filter(|se| se.is_finite() && estimate.mean.is_finite()) {
        Some(se) => format!("{} ± {}", format(estimate.mean), format(se)),
        None => format(estimate.mean),
    }
}

/// The same for rates: the power of ten is said once, (5.0 ± 1.2)·10⁻⁵.
pub(crate) fn rate_plus_minus(estimate: &Estimate) -> String {
    let se = estimate.se.filter(|se| se.is_finite());
    match (power_of(estimate.mean).filter(|_| estimate.mean != 0.0), se) {
        (Some(power), Some(se)) => {
            let scale = 10_f64.powi(power);
            format!("({:.1} ± {:.1})·10{}", estimate.mean / scale, se / scale, superscript(power))
        }
        (None, Some(se)) if estimate.mean >= SMALL => {
            let decimals = if estimate.mean < 0.01 { 4 } else { 3 };
            format!("{} ± {}", fixed(estimate.mean, decimals), fixed(se, decimals))
        }
        _ => rate(estimate.mean),
    }
}

/// Both ends, in brackets.
pub(crate) fn interval([low, high]: [f64; 2], format: fn(f64) -> String) -> String {
    format!("[{}, {}]", format(low), format(high))
}

/// A part in percent, to a tenth, or two digits that count where it is smaller.
pub(crate) fn percent(value: f64) -> String {
    let value = 100.0 * value;
    let text = match value {
        v if v == 0.0 || !v.is_finite() => fixed(v, 0),
        v if v.abs() < SMALL => rate(v),
        v if v.abs() < 0.1 => fixed(v, 3),
        v if v.abs() < 1.0 => fixed(v, 2),
        v => fixed(v, 1),
    };
    // Zeros at the end of a decimal add nothing in running text.
    let short = if text.contains('.') && !text.contains('·') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{short}\u{a0}%")
}

/// A count with its thousands set apart: 1,234,567.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with what it counts.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{}\u{a0}{noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// The power of ten of a small number, rounded to two digits; none for one that is not small.
fn power_of(value: f64) -> Option<i32> {
    if !value.is_finite() || value.abs() >= SMALL {
        return None;
    }
    format!("{value:.1e}").split_once('e')?.1.parse().ok()
}

fn scientific(value: f64, power: i32) -> String {
    format!("{}·10{}", fixed(value / 10_f64.powi(power), 1), superscript(power))
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| match c.to_digit(10) {
        Some(d) => DIGITS[d as usize],
        None => '⁻',
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mean: f64, se: Option<f64>) -> Estimate {
        Estimate { mean, se, ci95: None }
    }

    #[test]
    fn rates_over_many_orders_of_magnitude() {
        let words = [0.25, 0.0461, 0.00284, 5.04e-5, 9.96e-5, 0.0, f64::NAN].map(rate);
        assert_eq!(words, ["0.250", "0.046", "0.0028", "5.0·10⁻⁵", "1.0·10⁻⁴", "0", "–"]);
        assert_eq!(rate_plus_minus(&of(5.0e-5, Some(1.2e-5))), "(5.0 ± 1.2)·10⁻⁵");
        assert_eq!(rate_plus_minus(&of(0.0031, Some(0.0002))), "0.0031 ± 0.0002");
        assert_eq!(rate_plus_minus(&of(0.0, Some(0.0))), "0");
        assert_eq!(rate_plus_minus(&of(f64::NAN, Some(0.0))), "–");
    }

    #[test]
    fn what_was_asked_for_is_said_as_it_was() {
        let words = [0.01, 0.001, 1e-4, 0.05, 1.0, 0.0].map(target);
        assert_eq!(words, ["10⁻²", "10⁻³", "10⁻⁴", "0.05", "1", "0"]);
    }

    #[test]
    fn signs() {
        let words = [0.0712, -0.0301, 0.0, -0.0001, 0.0001, f64::NAN].map(signed);
        assert_eq!(words, ["+0.071", "−0.030", "0.000", "0.000", "0.000", "–"]);
        assert_eq!(fixed(f64::NEG_INFINITY, 2), "−∞");
    }

    #[test]
    fn percents() {
        let words = [0.9531, 0.5, 0.001, 0.00012, 2e-6, 0.0, 1.0].map(percent);
        let plain = words.map(|w| w.replace('\u{a0}', " "));
        assert_eq!(plain, ["95.3 %", "50 %", "0.1 %", "0.012 %", "2.0·10⁻⁴ %", "0 %", "100 %"]);
    }

    #[test]
    fn three_digits() {
        let words = [1234.0, 12.34, 1.234, 0.1234, 0.0, 3.1e-4].map(general);
        assert_eq!(words, ["1234", "12.3", "1.23", "0.123", "0.000", "3.1·10⁻⁴"]);
    }

    #[test]
    fn standard_errors_only_where_known() {
        assert_eq!(plus_minus(&of(0.953, Some(0.003)), proportion), "0.953 ± 0.003");
        assert_eq!(plus_minus(&of(0.953, None), proportion), "0.953");
        assert_eq!(plus_minus(&of(f64::NAN, Some(f64::NAN)), proportion), "–");
    }
}
