//! The fonts of the figures: widths for the layout, outlines for PNG, a style sheet for pages.

use ttf_parser::{Face as Parsed, OutlineBuilder};

/// Fonts for browsers: the embedded one where the page carries it, then ones at most as wide.
pub(super) const SANS: &str =
    "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";
/// The same for words of a text, which stand at their character positions.
pub(super) const MONO: &str = "'JetBrains Mono', Menlo, Consolas, 'Liberation Mono', monospace";

/// Share of the size from the baseline to half the height of digits: centres text on a line.
pub(super) const HALF_CAP: f64 = 0.36;

/// The embedded fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    Regular,
    SemiBold,
    Mono,
}

impl Face {
    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Regular => include_bytes!("../../assets/fonts/Inter-Regular.otf"),
            Self::SemiBold => include_bytes!("../../assets/fonts/Inter-SemiBold.otf"),
            Self::Mono => include_bytes!("../../assets/fonts/JetBrainsMono-Regular.ttf"),
        }
    }

    fn parsed(self) -> Parsed<'static> {
        Parsed::parse(self.bytes(), 0).expect("the embedded fonts are well-formed")
    }

    /// Width of one line of text.
    pub(super) fn width(self, text: &str, size: f64) -> f64 {
        let font = self.parsed();
        let units: f64 = text.chars().map(|c| advance(&font, c)).sum();
        units * size / f64::from(font.units_per_em())
    }

    /// Sends the outlines of a line of text to `pen`; `place` maps from ems right of the start and
    /// above the baseline. Every character of `cells` wide text is centred in a cell of that many ems.
    pub(super) fn outline(self, text: &str, cells: Option<f64>, pen: &mut dyn Pen) {
        let font = self.parsed();
        let em = f64::from(font.units_per_em());
        let mut x = 0.0;
        for (index, c) in text.chars().enumerate() {
            let glyph = font.glyph_index(c).unwrap_or_default();
            let width = advance(&font, c) / em;
            let start = match cells {
                Some(cell) => (index as f64 + 0.5) * cell - width / 2.0,
                None => x,
            };
            font.outline_glyph(glyph, &mut Shifted { pen, x: start, em });
            x += width;
        }
    }
}

/// Units of a character; of the font's "missing" sign where it has none.
fn advance(font: &Parsed<'_>, c: char) -> f64 {
    let glyph = font.glyph_index(c).unwrap_or_default();
    f64::from(font.glyph_hor_advance(glyph).unwrap_or_default())
}

/// Receives outlines, in ems.
pub(super) trait Pen {
    /// Starts a contour.
    fn start(&mut self, x: f64, y: f64);
    /// A straight line.
    fn line(&mut self, x: f64, y: f64);
    /// A quadratic curve.
    fn quad(&mut self, a: (f64, f64), to: (f64, f64));
    /// A cubic curve.
    fn cubic(&mut self, a: (f64, f64), b: (f64, f64), to: (f64, f64));
    /// Ends a contour.
    fn close(&mut self);
}

struct Shifted<'a> {
    pen: &'a mut dyn Pen,
    x: f64,
    em: f64,
}

impl Shifted<'_> {
    fn at(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + f64::from(x) / self.em, f64::from(y) / self.em)
    }
}

impl OutlineBuilder for Shifted<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.start(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.line(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.pen.quad(self.at(x1, y1), self.at(x, y));
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.pen.cubic(self.at(x1, y1), self.at(x2, y2), self.at(x, y));
    }
    fn close(&mut self) {
        self.pen.close();
    }
}

/// `@font-face` rules that carry the fonts: put once into a page, its figures look the same in
/// every browser.
pub(crate) fn font_css() -> String {
    let rule = |family, weight, format, face: Face| {
        format!(
            "@font-face{{font-family:{family};font-weight:{weight};\
             src:url(data:font/{format};base64,{}) format('{}')}}\n",
            base64(face.bytes()),
            if format == "otf" { "opentype" } else { "truetype" },
        )
    };
    rule("Inter", 400, "otf", Face::Regular)
        + &rule("Inter", 600, "otf", Face::SemiBold)
        + &rule("'JetBrains Mono'", 400, "ttf", Face::Mono)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0, |w, i| w << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_standard() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn the_fonts_have_every_sign_that_figures_use() {
        for face in [Face::Regular, Face::SemiBold] {
            let font = face.parsed();
            for c in "azAZ09äöüßéèçñœøåłα δᾱμπ₀₁₂₃₄⁻⁵±−×≤≥→←…–%().,·".chars()
            {
                assert!(font.glyph_index(c).is_some(), "{face:?} {c}");
            }
        }
        let font = Face::Mono.parsed();
        assert!("azAZ09äöüßéèçñœøåłαωжыЯ’“”„–…?!".chars().all(|c| font.glyph_index(c).is_some()));
    }

    #[test]
    fn a_page_can_carry_the_fonts() {
        assert_eq!(font_css().matches("@font-face").count(), 3);
    }

    #[test]
    fn widths() {
        assert_eq!(Face::Mono.width("illimitable", 10.0), 11.0 * Face::Mono.width("W", 10.0));
        assert_eq!(Face::Regular.width("", 10.0), 0.0);
        assert!(
            Face::Regular.width("semiparametric", 7.0)
                < Face::SemiBold.width("semiparametric", 7.0)
        );
    }
}
