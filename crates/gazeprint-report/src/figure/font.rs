//! The fonts of the figures: widths for the layout, outlines for PDF and PNG, a style sheet for pages.

use ttf_parser::{Face as Parsed, OutlineBuilder};

use super::scene::{Anchor, Point, Step, Text};

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
    /// Every one.
    pub(super) const ALL: [Self; 3] = [Self::Regular, Self::SemiBold, Self::Mono];

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
}

/// The outlines of a text, where it stands.
pub(super) fn outline(text: &Text) -> Vec<Step> {
    let font = text.face.parsed();
    let scale = text.size / f64::from(font.units_per_em());
    let mut x = match (text.anchor, text.cell) {
        (Anchor::Start, _) | (_, Some(_)) => 0.0,
        (Anchor::Middle, None) => -text.face.width(&text.text, text.size) / 2.0,
        (Anchor::End, None) => -text.face.width(&text.text, text.size),
    };
    let mut pen = Pen { at: text.at, upright: text.upright, start: x, scale, steps: Vec::new() };
    for c in text.text.chars() {
        let glyph = font.glyph_index(c).unwrap_or_default();
        let width = advance(&font, c) * scale;
        // Characters that have cells are centred in them.
        pen.start = x + text.cell.map_or(0.0, |cell| (cell - width) / 2.0);
        font.outline_glyph(glyph, &mut pen);
        x += text.cell.unwrap_or(width);
    }
    pen.steps
}

/// Units of a character; of the font's "missing" sign where it has none.
fn advance(font: &Parsed<'_>, c: char) -> f64 {
    let glyph = font.glyph_index(c).unwrap_or_default();
    f64::from(font.glyph_hor_advance(glyph).unwrap_or_default())
}

/// Puts the outlines of a character where they belong.
struct Pen {
    at: Point,
    upright: bool,
    /// Points from the start of the text to that of the character.
    start: f64,
    scale: f64,
    steps: Vec<Step>,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> Point {
        let (along, above) = (self.start + f64::from(x) * self.scale, f64::from(y) * self.scale);
        match self.upright {
            true => (self.at.0 - above, self.at.1 - along),
            false => (self.at.0 + along, self.at.1 - above),
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.steps.push(Step::Move(self.place(x, y)));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.steps.push(Step::Line(self.place(x, y)));
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.steps.push(Step::Quad(self.place(x1, y1), self.place(x, y)));
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b) = (self.place(x1, y1), self.place(x2, y2));
        self.steps.push(Step::Cubic(a, b, self.place(x, y)));
    }
    fn close(&mut self) {
        self.steps.push(Step::Close);
    }
}

/// `@font-face` rules that carry fonts: put once into a page or a file, its figures look the same in
/// every browser.
pub(super) fn rules(faces: &[Face]) -> String {
    let rule = |&face: &Face| {
        let (family, weight, format) = match face {
            Face::Regular => ("Inter", 400, "otf"),
            Face::SemiBold => ("Inter", 600, "otf"),
            Face::Mono => ("'JetBrains Mono'", 400, "ttf"),
        };
        format!(
            "@font-face{{font-family:{family};font-weight:{weight};\
             src:url(data:font/{format};base64,{}) format('{}')}}\n",
            base64(face.bytes()),
            if format == "otf" { "opentype" } else { "truetype" },
        )
    };
    faces.iter().map(rule).collect()
}

/// Those of a page.
pub(crate) fn font_css() -> String {
    rules(&Face::ALL)
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
