//! Words from areas of interest in pixels.
//!
//! An area is as wide as its label, and some padding: `width = slope * characters + intercept`. The
//! line through all areas gives the pixels per character (the slope) and the padding (the intercept),
//! half of it on each side. Characters then follow from where areas start. Where widths do not follow
//! the number of characters, the font is proportional: words then stand one blank apart, and
//! positions are interpolated within words.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::super::setting::{Setting, phrase};
use super::{Layout, Line, Word};
use crate::import::error::{At, ImportError};
use crate::import::recording::Sink;
use crate::import::values::character_count;

/// The area of a word on the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct WordArea {
    /// The number that the area has in its report.
    pub id: i64,
    /// The word.
    pub label: Option<String>,
    /// Its edges, in pixels.
    pub left: f64,
    /// The right edge.
    pub right: f64,
    /// The top edge.
    pub top: f64,
    /// The bottom edge.
    pub bottom: f64,
    /// The row of the report.
    pub row: u64,
}

impl WordArea {
    /// Whether another area is in the same place.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= SAME_EDGE;
        close(self.left, other.left)
            && close(self.right, other.right)
            && close(self.top, other.top)
            && close(self.bottom, other.bottom)
    }
}

/// Edges that differ by this much, in pixels, are the same: reports round.
const SAME_EDGE: f64 = 2.0;

/// Above this many characters of residual, the font is not monospaced.
const PROPORTIONAL: f64 = 0.35;

/// The line through widths of areas over characters of labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Pixels per character.
    pub slope: f64,
    /// Padding of both sides together, in pixels.
    pub intercept: f64,
    /// Root of the mean squared residual, in pixels.
    pub residual: f64,
    /// How many areas it goes through.
    pub areas: usize,
}

impl Fit {
    /// Fits pairs of characters and width. `None` where no positive slope comes out.
    pub fn of(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Self> {
        let (mut areas, mut x, mut y) = (0, 0.0, 0.0);
        for (characters, width) in pairs.clone() {
            areas += 1;
            x += characters;
            y += width;
        }
        let n = areas as f64;
        let (x, y) = (x / n, y / n);
        let (mut xx, mut xy) = (0.0, 0.0);
        for (characters, width) in pairs.clone() {
            xx += (characters - x) * (characters - x);
            xy += (characters - x) * (width - y);
        }
        // Labels of one length say nothing about padding.
        let slope = if xx > 0.0 { xy / xx } else { y / x };
        let intercept = if xx > 0.0 { y - slope * x } else { 0.0 };
        let residual = residual(pairs, slope, intercept);
        let sound = slope.is_finite() && slope > 0.0 && residual.is_finite();
        sound.then_some(Self { slope, intercept, residual, areas })
    }

    /// Fits the padding alone, where the pixels per character are given.
    pub fn given(slope: f64, pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let areas = pairs.clone().count();
        if areas == 0 {
            return Self { slope, intercept: 0.0, residual: 0.0, areas };
        }
        let padding: f64 =
            pairs.clone().map(|(characters, width)| width - slope * characters).sum();
        let intercept = padding / areas as f64;
        Self { slope, intercept, residual: residual(pairs, slope, intercept), areas }
    }

    fn is_proportional(&self) -> bool {
        self.residual > PROPORTIONAL * self.slope
    }
}

/// Root of the mean squared distance from a line, in pixels.
fn residual(pairs: impl Iterator<Item = (f64, f64)>, slope: f64, intercept: f64) -> f64 {
    let (mut count, mut squares) = (0.0, 0.0);
    for (characters, width) in pairs {
        let away = width - slope * characters - intercept;
        squares += away * away;
        count += 1.0;
    }
    f64::sqrt(squares / count)
}

/// The areas of all texts, page by page.
#[derive(Debug, Default)]
pub struct Areas {
    pages: Vec<Page>,
    /// Pages by what they have in common, and by where their first area is.
    places: HashMap<(u64, i64, i64), Vec<usize>>,
}

/// Areas of a text as it was shown.
#[derive(Debug)]
struct Page {
    text: Arc<str>,
    /// By number; none where nobody saw the page after all.
    areas: Vec<WordArea>,
    /// How many saw it.
    seen: usize,
}

impl Areas {
    /// Takes the areas of a text as one reader saw it, and gives the number of the page. Pages that
    /// are alike are one.
    pub fn page(&mut self, text: &Arc<str>, mut areas: Vec<WordArea>) -> usize {
        areas.sort_by_key(|area| area.id);
        let (kind, left, top) = place_of(text, &areas);
        // Edges that are almost the same are in the same place, or in the one beside it.
        let around = [-1, 0, 1].map(|x| [-1, 0, 1].map(|y| (left + x, top + y)));
        let near =
            around.as_flattened().iter().filter_map(|&(x, y)| self.places.get(&(kind, x, y)));
        let is_it = |&page: &usize| {
            let page = &self.pages[page];
            page.text == *text && is_same(&page.areas, &areas)
        };
        if let Some(same) = near.flatten().copied().filter(is_it).min() {
            self.pages[same].seen += 1;
            return same;
        }
        let page = self.pages.len();
        self.places.entry((kind, left, top)).or_default().push(page);
        self.pages.push(Page { text: Arc::clone(text), areas, seen: 1 });
        page
    }

    /// Gives back the areas of a page that one reader did not see so, since there are more.
    pub(crate) fn take_back(&mut self, page: usize) -> Vec<WordArea> {
        let Some(page) = self.pages.get_mut(page) else { return Vec::new() };
        page.seen = page.seen.saturating_sub(1);
        if page.seen == 0 { std::mem::take(&mut page.areas) } else { page.areas.clone() }
    }

    /// How many areas were told again, in the same places.
    pub(crate) fn repeated(&self) -> usize {
        self.pages.iter().map(|page| page.seen.saturating_sub(1) * page.areas.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages.iter().all(|page| page.areas.is_empty())
    }

    /// The names of pages: the first of a text has its name, others are texts of their own, `TEXT~2`,
    /// `TEXT~3`.
    pub fn names(&self) -> Vec<Arc<str>> {
        let mut counts: HashMap<&Arc<str>, usize> = HashMap::new();
        let mut names = Vec::with_capacity(self.pages.len());
        for Page { text, seen, .. } in &self.pages {
            let count = counts.entry(text).or_default();
            *count += usize::from(*seen > 0);
            names.push(match *count {
                0 | 1 => Arc::clone(text),
                _ => format!("{text}~{count}").into(),
            });
        }
        names
    }

    /// Texts that were shown in more than one layout.
    pub fn several(&self) -> HashSet<Arc<str>> {
        let (mut once, mut several) = (HashSet::new(), HashSet::new());
        for page in self.pages.iter().filter(|page| page.seen > 0) {
            if !once.insert(&page.text) {
                several.insert(Arc::clone(&page.text));
            }
        }
        several
    }

    /// The layouts of all texts, with a note on how they were found.
    ///
    /// # Errors
    /// If the pixels per character cannot be found: areas have no labels, and `pitch` is not given.
    pub fn layouts(
        self,
        pitch: Option<f64>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Layout>, ImportError> {
        let areas = || self.pages.iter().flat_map(|page| &page.areas);
        let blanks = Blanks::of(areas(), pitch);
        note_blanks(areas(), blanks, sink);
        let all = areas().filter_map(|area| measure(area, blanks));
        let fit = match pitch {
            Some(slope) => Fit::given(slope, all),
            None => Fit::of(all).ok_or_else(|| self.no_fit())?,
        };
        note(&fit, pitch.is_some(), sink);
        let (names, several) = (self.names(), self.several().len());
        if several > 0 {
            sink.note(format!(
                "{several} texts were shown in more than one layout; layouts after the first are \
                 texts of their own, named TEXT~2 and so on"
            ));
        }
        let (mut own, mut proportional) = (0, 0);
        let seen = names.into_iter().zip(self.pages).filter(|(_, page)| page.seen > 0);
        let layouts = seen.map(|(text, Page { areas, .. })| {
            let (fit, differs) = fit_of_text(&areas, fit, pitch, blanks);
            own += usize::from(differs);
            proportional += usize::from(fit.is_proportional());
            layout(text, areas, &fit, blanks)
        });
        let layouts = layouts.collect();
        if own > 0 {
            sink.note(format!(
                "{own} texts have pixels per character of their own, since fonts differ in size"
            ));
        }
        if proportional > 0 {
            sink.note(format!(
                "in {proportional} texts the widths of areas do not follow the number of characters: \
                 the font is taken as proportional, and positions are interpolated within words"
            ));
        }
        Ok(layouts)
    }

    fn no_fit(&self) -> ImportError {
        let row = self.pages.iter().flat_map(|page| &page.areas).map(|area| area.row).min();
        ImportError::value(
            At::row(row.unwrap_or(1)),
            "areas of interest whose widths do not grow with their labels",
            "areas with labels of several lengths",
            phrase!["give the pixels per character with ", Setting::FontWidth],
        )
    }
}

fn note(fit: &Fit, given: bool, sink: &mut dyn Sink) {
    let Fit { slope, intercept, residual, areas } = fit;
    let source = if given { "given" } else { "fitted" };
    sink.note(format!(
        "pixels per character: {slope:.3} ({source}), padding {intercept:.3} px, half on each side; \
         residual {residual:.3} px ({:.3} characters) over {areas} areas",
        residual / slope,
    ));
}

/// Whether blanks around labels are in the boxes of their areas, or are there by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blanks {
    Inside(Because),
    Outside,
}

/// How it is known that blanks are in areas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Because {
    /// Some labels have them, and their areas are wider.
    WidthsFollow,
    /// All labels have them, and areas are as wide as these, with nothing around them.
    NoPadding,
}

impl Blanks {
    const INSIDE: Self = Self::Inside(Because::WidthsFollow);

    /// Blanks are inside where widths follow characters far better with them than without. Where all
    /// labels have the same, widths follow either way, and what is left is the padding: areas that would
    /// have one without blanks, and have none with them, are those of the labels as they are.
    fn of<'a>(areas: impl Iterator<Item = &'a WordArea> + Clone, pitch: Option<f64>) -> Self {
        /// Less padding than this, in characters, is none.
        const NONE: f64 = 0.25;
        /// Residuals below this, in characters, are as good as none.
        const EXACT: f64 = 0.02;
        let fit = |blanks: Self| {
            let all = areas.clone().filter_map(move |area| measure(area, blanks));
            pitch.map(|slope| Fit::given(slope, all.clone())).or_else(|| Fit::of(all))
        };
        let (Some(inside), outside) = (fit(Self::INSIDE), fit(Self::Outside)) else {
            return Self::Outside;
        };
        let Some(outside) = outside else { return Self::INSIDE };
        let is_padded = |fit: &Fit| fit.intercept.abs() >= NONE * fit.slope;
        let is_better = |a: &Fit, b: &Fit| a.residual.max(EXACT * a.slope) < 0.5 * b.residual;
        if is_better(&inside, &outside) {
            Self::INSIDE
        } else if !is_better(&outside, &inside) && is_padded(&outside) && !is_padded(&inside) {
            Self::Inside(Because::NoPadding)
        } else {
            Self::Outside
        }
    }
}

/// Characters of a label: blanks before it, those of the word, and blanks after it.
fn counted(label: &str) -> [u32; 3] {
    let (word, start) = (label.trim(), label.trim_start());
    let before = character_count(&label[..label.len() - start.len()]);
    let after = character_count(&start[word.len()..]);
    [before, character_count(word), after]
}

/// Characters and width, where an area has a label.
fn measure(area: &WordArea, blanks: Blanks) -> Option<(f64, f64)> {
    let [before, word, after] = counted(area.label.as_ref()?);
    let characters = match blanks {
        Blanks::Inside(_) => before.saturating_add(word).saturating_add(after),
        Blanks::Outside => word,
    };
    (word > 0).then_some((f64::from(characters), area.right - area.left))
}

/// Notes what blanks around labels were taken for.
fn note_blanks<'a>(areas: impl Iterator<Item = &'a WordArea>, blanks: Blanks, sink: &mut dyn Sink) {
    let has_blanks = |area: &&WordArea| {
        area.label.as_deref().is_some_and(|label| !label.trim().is_empty() && label != label.trim())
    };
    let count = areas.filter(has_blanks).count();
    if count > 0 {
        let why = match blanks {
            Blanks::Inside(Because::WidthsFollow) => {
                "are in their areas: widths follow characters better with them"
            }
            Blanks::Inside(Because::NoPadding) => {
                "are in their areas: with them, areas are as wide as their labels; should areas reach half \
                 a blank to both sides instead, words are half a character further to the left or right"
            }
            Blanks::Outside => "are left out: widths of areas do not follow them",
        };
        sink.note(format!("blanks around {count} labels {why}"));
    }
}

/// A text in another font than the others gets a fit of its own.
fn fit_of_text(areas: &[WordArea], shared: Fit, pitch: Option<f64>, blanks: Blanks) -> (Fit, bool) {
    let measured = areas.iter().filter_map(|area| measure(area, blanks));
    let away = residual(measured.clone(), shared.slope, shared.intercept);
    let own = Fit::of(measured).filter(|own| {
        pitch.is_none() && own.areas >= 5 && away > 0.25 * shared.slope && own.residual < 0.5 * away
    });
    (own.unwrap_or(shared), own.is_some())
}

/// A hash of the text, the numbers and the words, and the place of the first area: what pages that
/// are alike have in common.
fn place_of(text: &str, areas: &[WordArea]) -> (u64, i64, i64) {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    for area in areas {
        (area.id, &area.label).hash(&mut hasher);
    }
    // The conversion saturates, with one number left on each side.
    let place = |edge: f64| ((edge / SAME_EDGE).floor() as i64).clamp(i64::MIN + 1, i64::MAX - 1);
    let [left, top] = areas.first().map_or([0, 0], |first| [first.left, first.top].map(place));
    (hasher.finish(), left, top)
}

fn is_same(a: &[WordArea], b: &[WordArea]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.id == b.id && a.label == b.label && a.is_at(b))
}

/// Places the words of a text.
fn layout(text: Arc<str>, mut areas: Vec<WordArea>, fit: &Fit, blanks: Blanks) -> Layout {
    let mut lines = cluster(&areas);
    let line_of: HashMap<i64, usize> =
        areas.iter().map(|area| (area.id, nearest(area, &lines))).collect();
    // A box between two lines may leave one of them without words.
    let used: HashSet<usize> = line_of.values().copied().collect();
    let mut number = Vec::with_capacity(lines.len());
    let mut count = 0;
    for line in 0..lines.len() {
        number.push(count);
        count += usize::from(used.contains(&line));
    }
    let line_of = |area: &WordArea| line_of.get(&area.id).map_or(0, |&line| number[line]);
    let mut at = 0;
    lines.retain(|_| {
        at += 1;
        used.contains(&(at - 1))
    });
    areas.sort_by(|a, b| {
        line_of(a).cmp(&line_of(b)).then(a.left.total_cmp(&b.left)).then(a.id.cmp(&b.id))
    });
    let edge = areas.iter().map(|area| extent(area, fit, blanks).0).fold(f64::INFINITY, f64::min);
    let mut words: Vec<Word> = Vec::with_capacity(areas.len());
    for area in areas {
        let line = line_of(&area);
        let before = words.last().filter(|word| word.line == line).map(|word| word.end);
        let extent = extent(&area, fit, blanks);
        words.push(place(area, line, before, &mut lines[line], (edge, extent), fit));
    }
    Layout::new(text, lines, words, fit.slope, true)
}

/// Where the letters of a word are on the screen, from the left: its area without padding.
fn extent(area: &WordArea, fit: &Fit, blanks: Blanks) -> (f64, f64) {
    let [before, _, after] = match (blanks, &area.label) {
        (Blanks::Inside(_), Some(label)) => counted(label),
        _ => [0; 3],
    };
    let inside = |blanks: u32| fit.intercept / 2.0 + f64::from(blanks) * fit.slope;
    let from = area.left + inside(before);
    (from, (area.right - inside(after)).max(from))
}

/// Places a word after the one before it on its line.
fn place(
    area: WordArea,
    number: usize,
    before: Option<u32>,
    line: &mut Line,
    (edge, (from, to)): (f64, (f64, f64)),
    fit: &Fit,
) -> Word {
    if before.is_none() {
        // The line starts at a whole character, even where it is centred on the screen.
        let indent = ((from - edge) / fit.slope).round();
        line.origin = from - indent * fit.slope;
    }
    let label = area.label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    let characters = label.map(|label| f64::from(character_count(label)));
    let characters = characters.unwrap_or_else(|| ((to - from) / fit.slope).round());
    let start = if fit.is_proportional() && before.is_some() {
        before.unwrap_or(0).saturating_add(1)
    } else {
        // The conversion saturates, and words never overlap.
        (((from - line.origin) / fit.slope).round() as u32).max(before.unwrap_or(0))
    };
    let end = start.saturating_add((characters as u32).max(1));
    if fit.is_proportional() {
        for knot in [(from, f64::from(start)), (to, f64::from(end))] {
            if line.knots.last().is_none_or(|last| last.0 < knot.0 && last.1 < knot.1) {
                line.knots.push(knot);
            }
        }
    }
    let label = label.map(str::to_owned);
    let WordArea { id, left, right, top, bottom, row, .. } = area;
    Word { area: id, line: number, label, start, end, left, right, top, bottom, row }
}

/// Lines from the vertical middles of areas: a new one starts where the middle is more than half of
/// the usual height below the line.
fn cluster(areas: &[WordArea]) -> Vec<Line> {
    let extents = areas.iter().map(|area| (area.top, area.bottom));
    let (height, centres) = centres(extents);
    let line = |centre| Line { centre, height, origin: 0.0, knots: Vec::new() };
    centres.into_iter().map(line).collect()
}

/// The usual height of boxes, and the middles of the lines that they form, from the top.
pub(crate) fn centres(extents: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, Vec<f64>) {
    let mut middles: Vec<f64> =
        extents.clone().map(|(top, bottom)| f64::midpoint(top, bottom)).collect();
    let mut heights: Vec<f64> = extents.map(|(top, bottom)| (bottom - top).abs()).collect();
    middles.sort_by(f64::total_cmp);
    heights.sort_by(f64::total_cmp);
    let height = heights.get(heights.len() / 2).copied().unwrap_or(0.0);
    let mut lines: Vec<(f64, f64)> = Vec::new();
    for middle in middles {
        match lines.last_mut() {
            Some((sum, count)) if middle - *sum / *count <= height / 2.0 => {
                *sum += middle;
                *count += 1.0;
            }
            _ => lines.push((middle, 1.0)),
        }
    }
    (height, lines.into_iter().map(|(sum, count)| sum / count).collect())
}

fn middle(area: &WordArea) -> f64 {
    f64::midpoint(area.top, area.bottom)
}

/// The nearest of lines that are sorted from the top.
fn nearest(area: &WordArea, lines: &[Line]) -> usize {
    let middle = middle(area);
    let after = lines.partition_point(|line| line.centre < middle);
    let Some(before) = after.checked_sub(1) else { return 0 };
    let is_after =
        lines.get(after).is_some_and(|line| line.centre - middle < middle - lines[before].centre);
    if is_after { after } else { before }
}

#[cfg(test)]
mod tests;
