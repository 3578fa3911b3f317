//! Writes a scene as SVG: text stays text, nothing refers to anything outside or by name, so that
//! many figures can stand in one page. Groups carry the numbers that a page shows.

use std::fmt::Write as _;

use super::font::{Face, MONO, SANS, rules};
use super::scene::{Anchor, Fill, Group, Item, MM, Point, Pointed, Scene, Step, Text};
use super::style::{Stroke, dark_css};

/// The figure as part of a page, which has fonts and colours for dark screens.
pub(super) fn write(scene: &Scene) -> String {
    document(scene, "")
}

/// A file of its own, with the fonts of its texts, that follows dark screens.
pub(super) fn file(scene: &Scene) -> String {
    let faces = Face::ALL.into_iter().filter(|&face| {
        scene.items.iter().any(|item| matches!(item, Item::Text(text) if text.face == face))
    });
    let fonts = rules(&faces.collect::<Vec<_>>());
    document(scene, &format!("<style>\n{fonts}{}</style>\n", dark_css("")))
}

/// A sign among words: no background, nothing to be read out.
pub(super) fn inline(scene: &Scene) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let head = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         aria-hidden=\"true\">"
    );
    items(scene, head)
}

fn document(scene: &Scene, style: &str) -> String {
    let out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" \
         viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"{SANS}\">\n<title>{}</title>\n{style}\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        number(scene.width / MM),
        number(scene.height / MM),
        number(scene.width),
        number(scene.height),
        escape(&scene.title),
    );
    items(scene, out)
}

/// What is on a figure, after what its file begins with.
fn items(scene: &Scene, mut out: String) -> String {
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
            Item::Open(group) => open(&mut out, group),
            Item::Close => out.push_str("</g>\n"),
        }
    }
    out.push_str("</svg>\n");
    out
}

/// A group: its points as `x|y|value|value`, with `;` between them, in the units of the drawing and of
/// the table.
fn open(out: &mut String, group: &Group) {
    out.push_str("<g");
    if let Some(method) = &group.method {
        let _ = write!(out, " data-method=\"{}\"", escape(method));
    }
    if !group.label.is_empty() {
        let _ = write!(out, " data-label=\"{}\"", escape(&group.label));
    }
    if !group.points.is_empty() {
        let point = |point: &Pointed| {
            let (x, y) = point.at;
            format!("{}|{}|{}", number(x), number(y), escape(&point.values.join("|")))
        };
        let points: Vec<String> = group.points.iter().map(point).collect();
        let names = escape(&group.names.join("|"));
        let _ = write!(out, " data-names=\"{names}\" data-points=\"{}\"", points.join(";"));
    }
    out.push_str(">\n");
}

fn outline(steps: &[Step]) -> String {
    let mut d = String::new();
    let at = |(x, y): Point| format!("{} {}", number(x), number(y));
    for step in steps {
        let _ = match *step {
            Step::Move(p) => write!(d, "M{}", at(p)),
            Step::Line(p) => write!(d, "L{}", at(p)),
            Step::Quad(a, p) => write!(d, "Q{} {}", at(a), at(p)),
            Step::Cubic(a, b, p) => write!(d, "C{} {} {}", at(a), at(b), at(p)),
            Step::Close => write!(d, "Z"),
        };
    }
    d
}

fn paint(out: &mut String, fill: Option<&Fill>, stroke: Option<&Stroke>) {
    match fill {
        Some(fill) => {
            let _ = write!(out, " fill=\"{}\"", fill.color.code());
            if fill.opacity < 1.0 {
                let _ = write!(out, " fill-opacity=\"{}\"", number(fill.opacity));
            }
        }
        None => out.push_str(" fill=\"none\""),
    }
    let Some(stroke) = stroke else { return };
    let (color, width) = (stroke.color.code(), number(stroke.width));
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
    let _ = write!(out, " font-size=\"{}\" fill=\"{}\"", number(item.size), item.color.code());
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
