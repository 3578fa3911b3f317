//! The model of a reader as a graph with plates.

use super::font::{Face, HALF_CAP};
use super::scene::{Anchor, Fill, MM, Point, Rect, Scene, Step};
use super::style::{AXIS, Stroke, TEXT, TITLE, palette};
use super::{Drawing, Width};
use crate::csv::{Csv, Value};

/// Radius of a node, points.
const RADIUS: f64 = 11.0;
/// Corners of a plate are rounded so far, points.
const CORNER: f64 = 4.0;
/// Length and half the width of the head of an arrow, points.
const HEAD: (f64, f64) = (5.0, 2.2);

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Fixed beforehand: a dot with words above.
    Fixed,
    /// Learned of a reader.
    Latent,
    /// Seen in a recording.
    Observed,
}

use Kind::{Fixed, Latent, Observed};

/// A node: its name in the table, its sign, words beside it, its place in parts of the figure.
struct Node {
    name: &'static str,
    sign: &'static str,
    words: &'static str,
    kind: Kind,
    at: Point,
}

const fn node(
    name: &'static str,
    sign: &'static str,
    words: &'static str,
    kind: Kind,
    at: Point,
) -> Node {
    Node { name, sign, words, kind, at }
}

/// Section 3 of the model. Columns are those of durations, types, directions and places.
const NODES: [Node; 14] = [
    node("prior of durations", "", PRIOR, Fixed, (0.17, 0.07)),
    node("dirichlet", "", "Dirichlet(1, 1, 1, 1)", Fixed, (0.38, 0.07)),
    node("beta", "", "Beta(1, 1)", Fixed, (0.58, 0.07)),
    node("prior of amplitudes", "", PRIOR, Fixed, (0.79, 0.07)),
    node("delta", "δ", "durations", Latent, (0.17, 0.24)),
    node("pi", "π", "saccade types", Latent, (0.38, 0.24)),
    node("mu", "µ", "refixations forward", Latent, (0.58, 0.24)),
    node("alpha", "α", "amplitudes", Latent, (0.79, 0.24)),
    node("duration", "d", "duration", Observed, (0.17, 0.67)),
    node("type", "u", "type", Observed, (0.38, 0.50)),
    node("direction", "v", "direction", Observed, (0.58, 0.50)),
    node("place", "x", "place", Observed, (0.79, 0.67)),
    node("place before", "x′", "place before", Observed, (0.58, 0.75)),
    node("words", "w", "words of the text", Observed, (0.79, 0.89)),
];

/// Of every density.
const PRIOR: &str = "gamma family, Gaussian process";

/// Nodes whose words stand to the lower right, since an arrow is at the upper right.
const WORDS_BELOW: [&str; 2] = ["duration", "place before"];

/// From what to what.
const ARROWS: [(&str, &str); 14] = [
    ("prior of durations", "delta"),
    ("dirichlet", "pi"),
    ("beta", "mu"),
    ("prior of amplitudes", "alpha"),
    ("delta", "duration"),
    ("pi", "type"),
    ("mu", "direction"),
    ("alpha", "place"),
    ("type", "duration"),
    ("type", "direction"),
    ("type", "place"),
    ("direction", "place"),
    ("place before", "place"),
    ("words", "place"),
];

/// Plates from the outside in: what is repeated, and the corners in parts of the figure.
const PLATES: [(&str, [f64; 4]); 3] = [
    ("readers r = 1, …, R", [0.03, 0.15, 0.97, 0.995]),
    ("texts", [0.06, 0.395, 0.94, 0.955]),
    ("fixations t = 1, …, T", [0.09, 0.42, 0.91, 0.82]),
];

/// The graphical model: a slice at one fixation, with plates over fixations, texts and readers. What is
/// observed is grey. Every arrow is a row of the table.
pub fn graphical_model() -> Drawing {
    let width = Width::Full.mm() * MM;
    let mut scene = Scene::new(width);
    scene.title = "Graphical model of a reader: a slice at one fixation".into();
    scene.height = 0.62 * width;
    let size = (scene.width, scene.height);
    for (words, corners) in PLATES {
        plate(&mut scene, words, corners, size);
    }
    let mut table = Csv::new(&["from", "to"]);
    for (from, to) in ARROWS {
        table.row(&[Value::Word(from), Value::Word(to)]);
        if let (Some(from), Some(to)) = (find(from), find(to)) {
            arrow(&mut scene, [from, to], size);
        }
    }
    for node in &NODES {
        draw(&mut scene, node, size);
    }
    Drawing::new(scene, table)
}

fn find(name: &str) -> Option<&'static Node> {
    NODES.iter().find(|node| node.name == name)
}

fn placed((x, y): Point, (width, height): (f64, f64)) -> Point {
    (x * width, y * height)
}

fn plate(scene: &mut Scene, words: &str, [left, top, right, bottom]: [f64; 4], size: (f64, f64)) {
    let ((left, top), (right, bottom)) = (placed((left, top), size), placed((right, bottom), size));
    let area = Rect { left, top, right, bottom };
    scene.path(rounded(&area), None, Some(AXIS));
    let at = (left + 4.0, bottom - 4.0);
    scene.text(at, words, TEXT, palette::GREY, Anchor::Start);
}

/// A rectangle with round corners.
fn rounded(area: &Rect) -> Vec<Step> {
    let Rect { left, top, right, bottom } = *area;
    vec![
        Step::Move((left + CORNER, top)),
        Step::Line((right - CORNER, top)),
        Step::Quad((right, top), (right, top + CORNER)),
        Step::Line((right, bottom - CORNER)),
        Step::Quad((right, bottom), (right - CORNER, bottom)),
        Step::Line((left + CORNER, bottom)),
        Step::Quad((left, bottom), (left, bottom - CORNER)),
        Step::Line((left, top + CORNER)),
        Step::Quad((left, top), (left + CORNER, top)),
        Step::Close,
    ]
}

/// From the rim of one node to the rim of the other.
fn arrow(scene: &mut Scene, nodes: [&Node; 2], size: (f64, f64)) {
    let [(from, rim), (to, far_rim)] = nodes.map(|node| (placed(node.at, size), rim(node)));
    let along = (to.0 - from.0, to.1 - from.1);
    let length = along.0.hypot(along.1);
    let unit = (along.0 / length, along.1 / length);
    let on = |distance: f64, aside: f64| {
        (from.0 + unit.0 * distance - unit.1 * aside, from.1 + unit.1 * distance + unit.0 * aside)
    };
    let tip = length - far_rim;
    let neck = tip - HEAD.0;
    let line = Stroke::new(palette::INK, 0.7);
    scene.polyline(&[on(rim, 0.0), on(neck, 0.0)], line);
    scene.polygon(&[on(tip, 0.0), on(neck, HEAD.1), on(neck, -HEAD.1)], Fill::solid(palette::INK));
}

fn rim(node: &Node) -> f64 {
    match node.kind {
        Fixed => 2.0,
        Latent | Observed => RADIUS,
    }
}

fn draw(scene: &mut Scene, node: &Node, size: (f64, f64)) {
    let (x, y) = placed(node.at, size);
    let line = Stroke::new(palette::INK, 0.8);
    match node.kind {
        Fixed => {
            scene.circle((x, y), rim(node), Some(Fill::solid(palette::INK)), None);
            scene.text((x, y - 6.0), node.words, TEXT, palette::INK, Anchor::Middle);
            return;
        }
        Latent => scene.circle((x, y), RADIUS, Some(Fill::solid(palette::WHITE)), Some(line)),
        Observed => scene.circle((x, y), RADIUS, Some(Fill::solid(palette::PALE)), Some(line)),
    }
    let sign = 1.2 * TITLE;
    let at = (x, y + sign * HALF_CAP);
    scene.text(at, node.sign, sign, palette::INK, Anchor::Middle).face = Face::SemiBold;
    let aside = if WORDS_BELOW.contains(&node.name) { 0.95 } else { -0.55 };
    let beside = (x + RADIUS + 3.0, y + RADIUS * aside);
    scene.text(beside, node.words, TEXT, palette::GREY, Anchor::Start).halo = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_join_nodes_and_no_node_is_alone() {
        for (from, to) in ARROWS {
            assert!(find(from).is_some() && find(to).is_some(), "{from} to {to}");
        }
        for node in &NODES {
            let name = node.name;
            assert!(ARROWS.iter().any(|(from, to)| *from == name || *to == name), "{name}");
            // What is seen depends on something, what is fixed on nothing.
            let is_free = !ARROWS.iter().any(|(_, to)| *to == name);
            let given = [Fixed, Observed].contains(&node.kind);
            assert!(!is_free || given, "{name}");
        }
        assert_eq!(graphical_model().csv.lines().count(), 1 + ARROWS.len());
    }

    #[test]
    fn observed_nodes_are_within_texts_and_learned_ones_within_readers() {
        let within = |at: Point, [left, top, right, bottom]: [f64; 4]| {
            (left..right).contains(&at.0) && (top..bottom).contains(&at.1)
        };
        let [(_, readers), (_, texts), _] = PLATES;
        for node in &NODES {
            assert_eq!(within(node.at, readers), node.kind != Fixed, "{}", node.name);
            assert_eq!(within(node.at, texts), node.kind == Observed, "{}", node.name);
        }
    }
}
