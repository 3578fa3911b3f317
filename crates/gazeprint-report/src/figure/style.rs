//! Colours, lines and sizes of text: one look for all figures.

use std::fmt::Write as _;

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

    /// The same for dark screens: light enough to be read as text on [`DARK_PAPER`].
    fn for_dark(self) -> Self {
        match self {
            palette::WHITE => DARK_PAPER,
            palette::INK => Self::hex(0xE4E6EA),
            palette::BLACK => Self::hex(0xF6F6F6),
            palette::GREY => Self::hex(0xA0A6B1),
            palette::PALE => Self::hex(0x40454E),
            mut color => {
                while (color.luminance() + 0.05) / (DARK_PAPER.luminance() + 0.05) < 5.5 {
                    let lighter = |v: u8| (255.0 - (255.0 - f64::from(v)) * 0.96).ceil() as u8;
                    color = Self { r: lighter(color.r), g: lighter(color.g), b: lighter(color.b) };
                }
                color
            }
        }
    }

    /// As in `#0072b2`.
    pub(super) fn code(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
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

    /// Every one.
    pub(super) const ALL: [Color; 11] =
        [BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE, WHITE, INK, GREY, PALE];
}

/// The paper of dark screens: that of the page.
const DARK_PAPER: Color = Color::hex(0x16181D);

/// Rules that turn the colours of figures on dark screens, of figures within `scope`. They override
/// attributes, so that programs without style sheets show figures as printed.
pub(super) fn dark_css(scope: &str) -> String {
    let mut rules = String::from("@media screen and (prefers-color-scheme:dark){\n");
    for color in palette::ALL {
        let dark = color.for_dark().code();
        let mut codes = vec![color.code(), color.for_text().code()];
        codes.dedup();
        for code in codes {
            for what in ["fill", "stroke"] {
                let _ = writeln!(rules, "{scope}[{what}=\"{code}\"]{{{what}:{dark}}}");
            }
        }
    }
    rules + "}\n"
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

/// What marks a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
}

/// A mark of places, full or hollow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) shape: Shape,
    pub(super) full: bool,
}

impl Marker {
    /// A dot.
    pub(super) const DOT: Self = Self::full(Shape::Circle);

    const fn full(shape: Shape) -> Self {
        Self { shape, full: true }
    }

    const fn hollow(shape: Shape) -> Self {
        Self { shape, full: false }
    }
}

/// The line of a method, and what marks its places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Look {
    pub(super) stroke: Stroke,
    pub(super) marker: Marker,
}

/// The look of a method: the same in every figure, told apart by dashes and marks as well as by
/// colour, for print without it. Methods that are not gazeprint's own take what is left, by their
/// place `index`.
pub(super) fn method_look(method: &str, index: usize) -> Look {
    use Shape::*;
    use palette::*;
    const LONG: &[f64] = &[6.0, 1.5];
    const WIDE: &[f64] = &[5.0, 3.2];
    const SHORT: &[f64] = &[2.6, 1.4];
    const DOTS: &[f64] = &[0.9, 1.3];
    const RARE: &[f64] = &[1.6, 3.0];
    const DASH_DOT: &[f64] = &[4.5, 1.3, 0.9, 1.3];
    const DASH_DOT_DOT: &[f64] = &[4.5, 1.2, 0.9, 1.2, 0.9, 1.2];
    const LONG_SHORT: &[f64] = &[6.5, 1.4, 2.4, 1.4];
    let look = |color, width, dash, marker| Look {
        stroke: Stroke::new(color, width).dashed(dash),
        marker,
    };
    match method {
        "fusion" => look(BLACK, 1.8, &[], Marker::full(Diamond)),
        "population" => look(VERMILION, 1.1, &[], Marker::DOT),
        "embedding" => look(PURPLE, 1.2, LONG_SHORT, Marker::hollow(Diamond)),
        "oculomotor" => look(SKY, 1.3, RARE, Marker::hollow(Up)),
        "semiparametric" => look(BLUE, 1.3, LONG, Marker::full(Square)),
        "landwehr" => look(GREEN, 1.0, SHORT, Marker::full(Up)),
        "landwehr-ta" => look(SKY, 1.0, DASH_DOT, Marker::full(Down)),
        "landwehr-t" => look(PURPLE, 1.0, DOTS, Marker::hollow(Down)),
        "holland-unweighted" => look(BLACK, 1.0, WIDE, Marker::hollow(Circle)),
        "holland-weighted" => look(ORANGE, 1.0, DASH_DOT_DOT, Marker::hollow(Square)),
        _ => {
            let colors = [BLACK, ORANGE, GREEN, PURPLE, SKY, VERMILION, BLUE];
            let dashes = [&[][..], SHORT, DASH_DOT, DOTS, LONG, DASH_DOT_DOT];
            let shapes = [Circle, Square, Diamond, Up, Down];
            let marker =
                Marker { shape: shapes[index % shapes.len()], full: index.is_multiple_of(2) };
            look(colors[index % colors.len()], 1.0, dashes[index % dashes.len()], marker)
        }
    }
}

/// The line of a method.
pub(super) fn method_stroke(method: &str, index: usize) -> Stroke {
    method_look(method, index).stroke
}

#[cfg(test)]
mod tests {
    use gazeprint::method;

    use super::*;

    #[test]
    fn text_is_dark_enough() {
        for color in [palette::SKY, palette::ORANGE, palette::PURPLE, palette::WHITE] {
            assert!(1.05 / (color.for_text().luminance() + 0.05) >= 4.5);
        }
        assert_eq!(palette::BLUE.for_text(), palette::BLUE);
    }

    #[test]
    fn no_two_methods_look_alike_even_without_colour() {
        let looks = method::NAMES.map(|name| method_look(name, 0));
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[i + 1..] {
                assert_ne!(a.marker, b.marker);
                // Two that are solid differ in width.
                let wide = (a.stroke.width / b.stroke.width).max(b.stroke.width / a.stroke.width);
                assert!(a.stroke.dash != b.stroke.dash || wide > 1.5);
            }
        }
    }

    #[test]
    fn dark_screens_show_every_colour_of_text_and_lines() {
        let contrast =
            |color: Color| (color.for_dark().luminance() + 0.05) / (DARK_PAPER.luminance() + 0.05);
        for color in palette::ALL {
            if ![palette::WHITE, palette::PALE].contains(&color) {
                assert!(contrast(color) >= 4.5, "{color:?}");
            }
        }
        let rules = dark_css(".card ");
        assert!(rules.contains(".card [fill=\"#ffffff\"]{fill:#16181d}"), "{rules}");
        // One rule for what is drawn, one for what is written; none twice.
        let mut lines: Vec<&str> = rules.lines().filter(|line| line.contains('[')).collect();
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), all);
    }
}
