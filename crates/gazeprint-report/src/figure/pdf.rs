//! Writes a scene as PDF: vectors, texts as outlines, so that it needs no font and no other file.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::font;
use super::scene::{Fill, Item, Point, Scene, Step, Text, round};
use super::style::{Color, Stroke, palette};

/// The whole file: one page of the size of the figure.
pub(super) fn write(scene: &Scene) -> Vec<u8> {
    let mut page = Page::default();
    // PDF counts from below.
    let _ = writeln!(page.operators, "1 0 0 -1 0 {} cm 1 j", number(scene.height));
    for item in &scene.items {
        match item {
            Item::Path { steps, fill, stroke } => page.path(steps, fill.as_ref(), stroke.as_ref()),
            Item::Circle { center, radius, fill, stroke } => {
                page.path(&round(*center, *radius), fill.as_ref(), stroke.as_ref());
            }
            Item::Text(item) => page.text(item),
            Item::Open(_) | Item::Close => {}
        }
    }
    let states: String = page
        .opacities
        .iter()
        .map(|percent| format!("/A{percent} << /ca {} >> ", f64::from(*percent) / 100.0))
        .collect();
    let (width, height) = (number(scene.width), number(scene.height));
    let content = packed(page.operators.as_bytes());
    let mut file = File::default();
    file.object(b"<< /Type /Catalog /Pages 2 0 R >>");
    file.object(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    file.object(
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
             /Resources << /ExtGState << {states}>> >> >>"
        )
        .as_bytes(),
    );
    let head = format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", content.len());
    file.object(&[head.as_bytes(), &content, b"\nendstream"].concat());
    file.object(
        format!("<< /Title {} /Producer (gazeprint) >>", text_string(&scene.title)).as_bytes(),
    );
    file.finish()
}

/// What is drawn, in operators of PDF.
#[derive(Default)]
struct Page {
    operators: String,
    /// Opacities that were used, in percent.
    opacities: std::collections::BTreeSet<u8>,
}

impl Page {
    fn path(&mut self, steps: &[Step], fill: Option<&Fill>, stroke: Option<&Stroke>) {
        if let Some(fill) = fill {
            let percent = (fill.opacity.clamp(0.0, 1.0) * 100.0).round() as u8;
            self.opacities.insert(percent);
            let _ = write!(self.operators, "/A{percent} gs {} rg ", color(fill.color));
            self.outline(steps);
            self.operators.push_str("f\n");
        }
        if let Some(stroke) = stroke {
            let dash: Vec<String> = stroke.dash.iter().map(|&length| number(length)).collect();
            let (ink, width) = (color(stroke.color), number(stroke.width));
            let _ = write!(self.operators, "{ink} RG {width} w [{}] 0 d ", dash.join(" "));
            self.outline(steps);
            self.operators.push_str("S\n");
        }
    }

    fn text(&mut self, item: &Text) {
        let steps = font::outline(item);
        if item.halo {
            self.path(&steps, None, Some(&Stroke::new(palette::WHITE, 2.0)));
        }
        self.path(&steps, Some(&Fill::solid(item.color)), None);
    }

    fn outline(&mut self, steps: &[Step]) {
        let mut last: Point = (0.0, 0.0);
        for step in steps {
            let _ = match *step {
                Step::Move(p) => write!(self.operators, "{} m ", place(p)),
                Step::Line(p) => write!(self.operators, "{} l ", place(p)),
                Step::Quad(a, p) => {
                    // The cubic curve that is the same.
                    let near = |end: Point| {
                        (end.0 + 2.0 / 3.0 * (a.0 - end.0), end.1 + 2.0 / 3.0 * (a.1 - end.1))
                    };
                    let (b, c) = (near(last), near(p));
                    write!(self.operators, "{} {} {} c ", place(b), place(c), place(p))
                }
                Step::Cubic(a, b, p) => {
                    write!(self.operators, "{} {} {} c ", place(a), place(b), place(p))
                }
                Step::Close => write!(self.operators, "h "),
            };
            if let Step::Move(p) | Step::Line(p) | Step::Quad(_, p) | Step::Cubic(_, _, p) = *step {
                last = p;
            }
        }
    }
}

/// Objects, each at a known place of the file.
struct File {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Default for File {
    fn default() -> Self {
        // The second line says that there are bytes beyond ASCII.
        Self { bytes: b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n".to_vec(), places: Vec::new() }
    }
}

impl File {
    fn object(&mut self, body: &[u8]) {
        self.places.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n", self.places.len()).bytes());
        self.bytes.extend(body);
        self.bytes.extend(b"\nendobj\n");
    }

    /// Adds where objects are; the first is the catalogue, the last the title.
    fn finish(mut self) -> Vec<u8> {
        let (table, count) = (self.bytes.len(), self.places.len() + 1);
        let places: String = self.places.iter().map(|at| format!("{at:010} 00000 n \n")).collect();
        let end = format!(
            "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R \
             /Info {} 0 R >>\nstartxref\n{table}\n%%EOF\n",
            self.places.len()
        );
        self.bytes.extend(end.bytes());
        self.bytes
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("writing to memory does not fail")
}

fn place((x, y): Point) -> String {
    format!("{} {}", number(x), number(y))
}

fn color(color: Color) -> String {
    let [r, g, b] = [color.r, color.g, color.b].map(|v| number(f64::from(v) / 255.0));
    format!("{r} {g} {b}")
}

/// Thousandths of a point; no exponents, which PDF does not know.
fn number(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// Any text, as UTF-16 in hexadecimal digits.
fn text_string(text: &str) -> String {
    let digits: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    format!("<FEFF{digits}>")
}
