//! Colours, lines and sizes of text: one look for all figures.

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Color {
    /// Red.
    pub(super) r: u8,
    /// Green.
    pub(super) g: u8,
    /// Blue.
    pub(super) b: u8,
}

impl Color {
    /// From `0xRRGGBB`.
    pub(super) const fn hex(code: u32) -> Self {
        Self { r: (code >> 16) as u8, g: (code >> 8) as u8, b: code as u8 }
    }

    /// The same hue, dark enough to be read as text on white (contrast 4.5 : 1).
    pub(super) fn for_text(self) -> Self {
        let mut color = self;
        while 1.05 / (color.luminance() + 0.05) < 4.5 {
            let darker = |v: u8| (f64::from(v) * 0.96).floor() as u8;
            color = Self { r: darker(color.r), g: darker(color.g), b: darker(color.b) };
        }
        color
    }

    /// Relative luminance, 0 black to 1 white.
    fn luminance(self) -> f64 {
        let linear = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.r) + 0.7152 * linear(self.g) + 0.0722 * linear(self.b)
    }
}

/// The palette of Okabe and Ito, told apart with every kind of colour vision; its yellow is left
/// out: too light for lines on white.
pub(super) mod palette {
    use super::Color;

    /// Black.
    pub(crate) const BLACK: Color = Color::hex(0x000000);
    /// Orange.
    pub(crate) const ORANGE: Color = Color::hex(0xE69F00);
    /// Sky blue.
    pub(crate) const SKY: Color = Color::hex(0x56B4E9);
    /// Bluish green.
    pub(crate) const GREEN: Color = Color::hex(0x009E73);
    /// Blue.
    pub(crate) const BLUE: Color = Color::hex(0x0072B2);
    /// Vermilion.
    pub(crate) const VERMILION: Color = Color::hex(0xD55E00);
    /// Reddish purple.
    pub(crate) const PURPLE: Color = Color::hex(0xCC79A7);
    /// White.
    pub(crate) const WHITE: Color = Color::hex(0xFFFFFF);
    /// Axes and text.
    pub(crate) const INK: Color = Color::hex(0x262626);
    /// Second thoughts: notes, references.
    pub(crate) const GREY: Color = Color::hex(0x6B6B6B);
    /// Fills behind everything else.
    pub(crate) const PALE: Color = Color::hex(0xD9D9D9);
}

/// A line: colour, width in points, dashes in points (none: solid).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    /// Its colour.
    pub(super) color: Color,
    /// Its width, points.
    pub(super) width: f64,
    /// Lengths of dashes and gaps, points.
    pub(super) dash: &'static [f64],
}

impl Stroke {
    /// A solid line.
    pub(super) const fn new(color: Color, width: f64) -> Self {
        Self { color, width, dash: &[] }
    }

    /// The same, dashed.
    pub(super) const fn dashed(self, dash: &'static [f64]) -> Self {
        Self { dash, ..self }
    }
}

/// Size of tick labels, line labels and notes, points.
pub(super) const TEXT: f64 = 7.0;
/// Size of titles of axes and panels, points.
pub(super) const TITLE: f64 = 7.5;
/// Axes and ticks.
pub(super) const AXIS: Stroke = Stroke::new(palette::INK, 0.5);
/// References: diagonals, zero lines.
pub(super) const REFERENCE: Stroke = Stroke::new(palette::GREY, 0.5);

/// The line of a method: the same in every figure, told apart by dashes as well as by colour.
/// Methods that are not gazeprint's own take what is left, by their place `index`.
pub(super) fn method_stroke(method: &str, index: usize) -> Stroke {
    use palette::*;
    const LONG: &[f64] = &[5.0, 1.6];
    const SHORT: &[f64] = &[2.6, 1.4];
    const DOTS: &[f64] = &[0.9, 1.3];
    const DASH_DOT: &[f64] = &[4.5, 1.3, 0.9, 1.3];
    const DASH_DOT_DOT: &[f64] = &[4.5, 1.2, 0.9, 1.2, 0.9, 1.2];
    let line = |color, width, dash| Stroke::new(color, width).dashed(dash);
    match method {
        "population" => line(VERMILION, 1.3, &[]),
        "semiparametric" => line(BLUE, 1.3, &[]),
        "landwehr" => line(GREEN, 1.0, LONG),
        "landwehr-ta" => line(SKY, 1.0, DASH_DOT),
        "landwehr-t" => line(PURPLE, 1.0, DOTS),
        "holland-unweighted" => line(BLACK, 1.0, SHORT),
        "holland-weighted" => line(ORANGE, 1.0, DASH_DOT_DOT),
        _ => {
            let colors = [BLACK, ORANGE, GREEN, PURPLE, SKY, VERMILION, BLUE];
            let dashes = [&[][..], SHORT, DASH_DOT, DOTS, LONG, DASH_DOT_DOT];
            line(colors[index % colors.len()], 1.0, dashes[index % dashes.len()])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_dark_enough() {
        for color in [palette::SKY, palette::ORANGE, palette::PURPLE, palette::WHITE] {
            assert!(1.05 / (color.for_text().luminance() + 0.05) >= 4.5);
        }
        assert_eq!(palette::BLUE.for_text(), palette::BLUE);
    }

    #[test]
    fn no_two_methods_look_alike() {
        let methods = [
            "population",
            "semiparametric",
            "landwehr",
            "landwehr-ta",
            "landwehr-t",
            "holland-unweighted",
            "holland-weighted",
        ];
        let strokes = methods.map(|m| method_stroke(m, 0));
        for (i, a) in strokes.iter().enumerate() {
            assert!(strokes[i + 1..].iter().all(|b| a.color != b.color));
        }
    }
}
