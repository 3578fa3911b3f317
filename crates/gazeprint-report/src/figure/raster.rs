//! Draws a scene as PNG at 300 dots an inch.

use tiny_skia::{
    FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke as Line, StrokeDash, Transform,
};

use super::font;
use super::scene::{Fill, Item, Scene, Step, Text};
use super::style::{Color, Stroke, palette};

/// Dots an inch, as printers of papers ask for.
const DPI: f64 = 300.0;
/// Dots a metre, as PNG has it.
const DOTS_PER_METRE: u32 = 11_811;
/// More than this is no figure, in dots: a metre of paper.
const MAX_DOTS: f64 = 12_000.0;

/// The whole file.
pub(super) fn write(scene: &Scene) -> Vec<u8> {
    let scale = DPI / 72.0;
    let dots = |points: f64| (points * scale).round().clamp(1.0, MAX_DOTS) as u32;
    let mut canvas =
        Pixmap::new(dots(scene.width), dots(scene.height)).expect("a size from 1 to 12,000 dots");
    canvas.fill(tiny_skia::Color::WHITE);
    let place = Transform::from_scale(scale as f32, scale as f32);
    for item in &scene.items {
        match item {
            Item::Path { steps, fill, stroke } => {
                draw(&mut canvas, outline(steps), place, fill.as_ref(), stroke.as_ref());
            }
            Item::Circle { center, radius, fill, stroke } => {
                let path =
                    PathBuilder::from_circle(center.0 as f32, center.1 as f32, *radius as f32);
                draw(&mut canvas, path, place, fill.as_ref(), stroke.as_ref());
            }
            Item::Text(item) => text(&mut canvas, item, place),
            Item::Open(_) | Item::Close => {}
        }
    }
    encode(&canvas)
}

fn draw(
    canvas: &mut Pixmap,
    path: Option<Path>,
    place: Transform,
    fill: Option<&Fill>,
    stroke: Option<&Stroke>,
) {
    let Some(path) = path else { return };
    if let Some(fill) = fill {
        let paint = paint(fill.color, fill.opacity);
        canvas.fill_path(&path, &paint, FillRule::Winding, place, None);
    }
    if let Some(stroke) = stroke {
        let dash = stroke.dash.iter().map(|&l| l as f32).collect();
        let line = Line {
            width: stroke.width as f32,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dash, 0.0),
            ..Line::default()
        };
        canvas.stroke_path(&path, &paint(stroke.color, 1.0), &line, place, None);
    }
}

fn paint(color: Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(
        color.r,
        color.g,
        color.b,
        (opacity.clamp(0.0, 1.0) * 255.0).round() as u8,
    );
    paint
}

fn outline(steps: &[Step]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for step in steps {
        match *step {
            Step::Move(p) => path.move_to(p.0 as f32, p.1 as f32),
            Step::Line(p) => path.line_to(p.0 as f32, p.1 as f32),
            Step::Quad(a, p) => path.quad_to(a.0 as f32, a.1 as f32, p.0 as f32, p.1 as f32),
            Step::Cubic(a, b, p) => path
                .cubic_to(a.0 as f32, a.1 as f32, b.0 as f32, b.1 as f32, p.0 as f32, p.1 as f32),
            Step::Close => path.close(),
        }
    }
    path.finish()
}

fn text(canvas: &mut Pixmap, item: &Text, place: Transform) {
    let path = outline(&font::outline(item));
    if item.halo {
        let rim = Stroke::new(palette::WHITE, 2.0);
        draw(canvas, path.clone(), place, None, Some(&rim));
    }
    draw(canvas, path, place, Some(&Fill::solid(item.color)), None);
}

/// Opaque RGB with the resolution noted, so that it comes out at its size in millimetres.
fn encode(canvas: &Pixmap) -> Vec<u8> {
    let rgb: Vec<u8> =
        canvas.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, canvas.width(), canvas.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: DOTS_PER_METRE,
        yppu: DOTS_PER_METRE,
        unit: png::Unit::Meter,
    }));
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&rgb))
        .expect("writing to memory does not fail");
    file
}
