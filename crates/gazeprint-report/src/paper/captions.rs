//! Captions of the paper's figures, where they are not those of every study.

use crate::figure::Drawing;
use crate::figure::data::ErrorCurvesAt;
use crate::number::percent;

pub(super) const MODEL: &str = "The model of a reader: a slice at one fixation. Grey nodes are observed, white \
     ones learned, dots fixed. The saccade of type u goes from place x′ to place x, in direction v where it is a \
     refixation, and must end within the words w that its type allows; the fixation then lasts for d. \
     The amplitude from x′ to x has one of six densities α, the duration one of five densities δ, by type.";

pub(super) fn amplitudes(drawing: &Drawing) -> String {
    format!(
        "{}, training texts of the first split: amplitudes by type of saccade; backward ones are \
         negative. Bars: observations; solid blue line: posterior mean of the semiparametric density; dashed \
         orange line: gamma fit. Amplitudes are confined to intervals, and so are the densities shown.",
        drawing.subject.as_deref().unwrap_or("One reader")
    )
}

pub(super) fn errors_overlaid(parts: &[ErrorCurvesAt]) -> String {
    let fractions: Vec<String> = parts.iter().map(|part| percent(part.fraction)).collect();
    let curves = parts.first().map_or(&[][..], |part| &part.curves);
    let methods: Vec<&str> = curves.iter().map(|curve| curve.method.as_str()).collect();
    format!(
        "The errors of Figure 4 with probes of {} of a reader’s test sentences (dotted, dash-dotted, dashed and \
         solid lines), for {}.",
        fractions.join(", "),
        methods.join(", ")
    )
}
