//! Writes a scene as SVG: text stays text, nothing refers to anything outside or by name, so that
//! many figures can stand in one page.

use std::fmt::Write as _;

use super::font::{Face, MONO, SANS};
use super::scene::{Anchor, Fill, Item, MM, Point, Scene, Step, Text};
use super::style::{Color, Stroke};

/// The whole file.
pub(super) fn write(scene: &Scene) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" \
         viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"{SANS}\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        number(scene.width / MM),
        number(scene.height / MM),
        number(scene.width),
        number(scene.height),
        escape(&scene.title),
    );
    for item in &scene.items {
        match item {
            Item::Path { steps, fill, stroke } => {
                let _ = write!(out, "<path d=\"{}\"", outline(steps));
                paint(&mut out, fill.as_ref(), stroke.as_ref());
                out.push_str("/>\n");
            }
            Item::Circle { center, radius, fill, stroke } => {
                let (x, y, r) = (number(center.0), number(center.1), number(*radius));
                let _ = write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"");
                paint(&mut out, fill.as_ref(), stroke.as_ref());
                out.push_str("/>\n");
            }
            Item::Text(item) => text(&mut out, item),
        }
    }
    out.push_str("</svg>\n");
    out
}

fn outline(steps: &[Step]) -> String {
    let mut d = String::new();
    let at = |(x, y): Point| format!("{} {}", number(x), number(y));
    for step in steps {
        let _ = match *step {
            Step::Move(p) => write!(d, "M{}", at(p)),
            Step::Line(p) => write!(d, "L{}", at(p)),
            Step::Quad(a, p) => write!(d, "Q{} {}", at(a), at(p)),
            Step::Close => write!(d, "Z"),
        };
    }
    d
}

fn paint(out: &mut String, fill: Option<&Fill>, stroke: Option<&Stroke>) {
    match fill {
        Some(fill) => {
            let _ = write!(out, " fill=\"{}\"", code(fill.color));
            if fill.opacity < 1.0 {
                let _ = write!(out, " fill-opacity=\"{}\"", number(fill.opacity));
            }
        }
        None => out.push_str(" fill=\"none\""),
    }
    let Some(stroke) = stroke else { return };
    let (color, width) = (code(stroke.color), number(stroke.width));
    let _ = write!(out, " stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"");
    if !stroke.dash.is_empty() {
        let lengths: Vec<String> = stroke.dash.iter().map(|&l| number(l)).collect();
        let _ = write!(out, " stroke-dasharray=\"{}\"", lengths.join(" "));
    }
}

fn text(out: &mut String, item: &Text) {
    let (x, y) = item.at;
    match item.cell {
        // Stretched to its cells: words keep their columns in any font.
        Some(cell) => {
            let length = number(item.text.chars().count() as f64 * cell);
            let (x, y) = (number(x), number(y));
            let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\"");
        }
        None if item.upright => {
            let _ = write!(
                out,
                "<text transform=\"translate({} {})rotate(-90)\"",
                number(x),
                number(y)
            );
        }
        None => {
            let _ = write!(out, "<text x=\"{}\" y=\"{}\"", number(x), number(y));
        }
    }
    let _ = write!(out, " font-size=\"{}\" fill=\"{}\"", number(item.size), code(item.color));
    match item.face {
        Face::Regular => {}
        Face::SemiBold => out.push_str(" font-weight=\"600\""),
        Face::Mono => {
            let _ = write!(out, " font-family=\"{MONO}\"");
        }
    }
    match item.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if item.halo {
        out.push_str(
            " stroke=\"#ffffff\" stroke-width=\"2\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
        );
    }
    let _ = writeln!(out, ">{}</text>", escape(&item.text));
}

fn code(color: Color) -> String {
    format!("#{:02x}{:02x}{:02x}", color.r, color.g, color.b)
}

/// Hundredths of a point are finer than any device; no trailing zeros, no "-0".
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// For text and attributes in double quotes; characters that XML forbids become blanks.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if is_unseen(c) => out.push('\u{FFFD}'),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Characters that are not seen but turn, join or hide those around them: a name must not change how
/// the rest of a page reads.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{61C}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_turn_the_text_around_them() {
        assert_eq!(escape("a\u{202E}b\u{2067}c\nd"), "a\u{FFFD}b\u{FFFD}c d");
    }

    #[test]
    fn numbers_are_short() {
        let words = [1.0, -0.001, 2.346, 1e6, 0.1 + 0.2].map(number);
        assert_eq!(words, ["1", "0", "2.35", "1000000", "0.3"]);
    }

    #[test]
    fn text_cannot_break_out() {
        assert_eq!(escape("<a href=\"x\">&\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp; ");
    }
}
