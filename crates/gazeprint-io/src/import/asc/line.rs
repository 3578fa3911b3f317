//! One line of an ASC file, and what it says.
//!
//! The kinds of lines are those of the EyeLink manuals ("The ASC File Format"). Cells are separated
//! by blanks or tabs, whichever way.

use super::super::recording::Eye;

/// What stands for a missing value besides `.`: the constants of the tracker, which `edf2asc -miss`
/// and older converters write.
const MISSING: [f64; 2] = [-32768.0, 1e8];

/// Beyond this no tracker counts or measures. It keeps differences finite.
const LARGEST: f64 = 1e12;

/// What coordinates are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// Pixels of the screen.
    Gaze,
    /// Angles of the head.
    Href,
    /// The camera's image.
    Raw,
}

/// Which eyes a block has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Eyes {
    pub(super) left: bool,
    pub(super) right: bool,
}

impl Eyes {
    fn add(&mut self, cell: &str) -> bool {
        match cell {
            "LEFT" => self.left = true,
            "RIGHT" => self.right = true,
            _ => return false,
        }
        true
    }

    pub(super) fn any(self) -> bool {
        self.left || self.right
    }
}

/// What the lines `EVENTS` and `SAMPLES` say about what follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Config {
    pub(super) coordinates: Coordinates,
    pub(super) eyes: Eyes,
    pub(super) rate_hz: Option<f64>,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line<'l> {
    /// Known, and nothing that is needed here.
    Unneeded,
    /// `MSG`: the time and what was said.
    Message { time: f64, said: &'l str },
    /// `START`: a block begins.
    Start { eyes: Eyes },
    /// `END`: a block ends; pixels per degree where it says so.
    End { resolution: Option<(f64, f64)> },
    /// `EVENTS`.
    Events(Config),
    /// `SAMPLES`.
    Samples(Config),
    /// `SFIX`, `SSACC`: the tracker has detected something.
    Event,
    /// `ESACC`.
    Saccade(Saccade),
    /// `EFIX`.
    Fixation(Fixation),
    /// `SBLINK` or `EBLINK`, with the start of the blink.
    Blink { eye: Eye, start: f64, is_over: bool },
    /// A sample: its time and the rest of the line.
    Sample { time: f64, cells: &'l str },
    /// A line that starts with blanks. After a message about a calibration it goes on with it.
    Indented,
    /// A known kind of line with cells missing or wrong.
    Malformed,
    /// Nothing that an ASC file has.
    Unknown,
}

/// `EFIX`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fixation {
    pub(super) eye: Eye,
    pub(super) start: f64,
    pub(super) end: f64,
    /// What the file says about the duration.
    pub(super) duration: Option<f64>,
    pub(super) place: Option<(f64, f64)>,
}

/// `ESACC`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Saccade {
    pub(super) eye: Eye,
    pub(super) start: f64,
    pub(super) end: f64,
    /// Where it began and ended, in pixels.
    pub(super) from: Option<(f64, f64)>,
    pub(super) to: Option<(f64, f64)>,
    /// Degrees.
    pub(super) amplitude: Option<f64>,
    /// Degrees per second.
    pub(super) peak_velocity: Option<f64>,
    /// Pixels per degree, where the file has them in its events.
    pub(super) resolution: Option<(f64, f64)>,
}

/// Reads a line.
pub(super) fn parse(line: &str) -> Line<'_> {
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed.starts_with("**") || trimmed.starts_with(['#', '/', ';', '>'])
    {
        return Line::Unneeded;
    }
    if line.starts_with([' ', '\t']) {
        return Line::Indented;
    }
    let (kind, rest) = split(trimmed);
    if kind.starts_with(|c: char| c.is_ascii_digit()) {
        return amount(kind).map_or(Line::Malformed, |time| Line::Sample { time, cells: rest });
    }
    let cells = || rest.split_ascii_whitespace();
    let line = match kind {
        "MSG" => message(rest),
        "START" => amount(cells().next().unwrap_or_default()).map(|_| start(cells())),
        "END" => amount(cells().next().unwrap_or_default())
            .map(|_| Line::End { resolution: resolution(cells()) }),
        "EVENTS" => config(cells()).map(Line::Events),
        "SAMPLES" => config(cells()).map(Line::Samples),
        "EFIX" => fixation(cells()).map(Line::Fixation),
        "SBLINK" => blink(cells(), false),
        "EBLINK" => blink(cells(), true),
        "ESACC" => Some(saccade(cells()).map_or(Line::Event, Line::Saccade)),
        "SFIX" | "SSACC" => Some(Line::Event),
        "INPUT" | "BUTTON" | "PUPIL" | "PRESCALER" | "VPRESCALER" | "LASTSAMPLE" | "FIXUPDATE" => {
            Some(Line::Unneeded)
        }
        _ => return Line::Unknown,
    };
    line.unwrap_or(Line::Malformed)
}

/// A cell of a coordinate: `Err` where it is neither a number nor missing.
pub(super) fn coordinate(cell: &str) -> Result<Option<f64>, ()> {
    if cell == "." || cell.eq_ignore_ascii_case("nan") {
        return Ok(None);
    }
    match cell.parse::<f64>() {
        Ok(value) if MISSING.contains(&value) => Ok(None),
        Ok(value) if value.abs() <= LARGEST => Ok(Some(value)),
        _ => Err(()),
    }
}

/// The first cell, and what follows it.
fn split(line: &str) -> (&str, &str) {
    line.split_once(|c: char| c.is_ascii_whitespace())
        .map_or((line, ""), |(first, rest)| (first, rest.trim_start()))
}

fn amount(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value| (0.0..=LARGEST).contains(value))
}

fn eye(cell: Option<&str>) -> Option<Eye> {
    match cell? {
        "L" => Some(Eye::Left),
        "R" => Some(Eye::Right),
        _ => None,
    }
}

fn message(rest: &str) -> Option<Line<'_>> {
    let (time, said) = split(rest);
    Some(Line::Message { time: amount(time)?, said })
}

fn start<'l>(cells: impl Iterator<Item = &'l str>) -> Line<'l> {
    let mut eyes = Eyes::default();
    for cell in cells {
        eyes.add(cell);
    }
    Line::Start { eyes }
}

fn resolution<'l>(mut cells: impl Iterator<Item = &'l str>) -> Option<(f64, f64)> {
    cells.find(|cell| *cell == "RES")?;
    let mut positive = || amount(cells.next()?).filter(|value| *value > 0.0);
    Some((positive()?, positive()?))
}

fn config<'l>(mut cells: impl Iterator<Item = &'l str>) -> Option<Config> {
    let coordinates = match cells.next()? {
        "GAZE" => Coordinates::Gaze,
        "HREF" => Coordinates::Href,
        "PUPIL" | "RAW" => Coordinates::Raw,
        _ => return None,
    };
    let mut config = Config { coordinates, eyes: Eyes::default(), rate_hz: None };
    while let Some(cell) = cells.next() {
        if !config.eyes.add(cell) && cell == "RATE" {
            config.rate_hz = cells.next().and_then(amount).filter(|rate| *rate >= 1.0);
        }
    }
    Some(config)
}

fn fixation<'l>(mut cells: impl Iterator<Item = &'l str>) -> Option<Fixation> {
    let eye = eye(cells.next())?;
    let start = amount(cells.next()?)?;
    let end = amount(cells.next()?)?;
    let duration = coordinate(cells.next()?).ok()?;
    let x = coordinate(cells.next()?).ok()?;
    let y = coordinate(cells.next()?).ok()?;
    Some(Fixation { eye, start, end, duration, place: x.zip(y) })
}

/// A saccade of which something is missing is still an event.
fn saccade<'l>(mut cells: impl Iterator<Item = &'l str>) -> Option<Saccade> {
    let eye = eye(cells.next())?;
    let start = amount(cells.next()?)?;
    let end = amount(cells.next()?)?;
    cells.next()?;
    let mut number = || coordinate(cells.next()?).ok()?;
    let mut pair = || {
        let (x, y) = (number(), number());
        x.zip(y)
    };
    let (from, to) = (pair(), pair());
    let (amplitude, peak_velocity) = (number(), number());
    let resolution = number().zip(number()).filter(|(x, y)| *x > 0.0 && *y > 0.0);
    Some(Saccade { eye, start, end, from, to, amplitude, peak_velocity, resolution })
}

fn blink<'l>(mut cells: impl Iterator<Item = &'l str>, is_over: bool) -> Option<Line<'l>> {
    let eye = eye(cells.next())?;
    let start = amount(cells.next()?)?;
    if is_over {
        amount(cells.next()?)?;
    }
    Some(Line::Blink { eye, start, is_over })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_separated_by_blanks_or_tabs() {
        let expected = Line::Fixation(Fixation {
            eye: Eye::Left,
            start: 1000.0,
            end: 1199.5,
            duration: Some(200.0),
            place: Some((512.5, 300.0)),
        });
        assert_eq!(parse("EFIX L   1000\t1199.5\t200\t  512.5\t  300.0\t   800"), expected);
        assert_eq!(parse("EFIX\tL 1000 1199.5 200 512.5 300.0"), expected);
    }

    #[test]
    fn a_saccade_has_its_ends_and_its_peak() {
        let line = "ESACC R  2000\t2030\t32\t  500.0\t  300.0\t  560.0\t  301.0\t   1.96\t    149";
        let Line::Saccade(saccade) = parse(line) else { panic!() };
        assert_eq!((saccade.start, saccade.end), (2000.0, 2030.0));
        assert_eq!((saccade.from, saccade.to), (Some((500.0, 300.0)), Some((560.0, 301.0))));
        assert_eq!((saccade.amplitude, saccade.peak_velocity), (Some(1.96), Some(149.0)));
        let Line::Saccade(lost) = parse("ESACC L 10 20 11 . . 5.0 6.0 . .") else { panic!() };
        assert_eq!((lost.from, lost.to, lost.amplitude), (None, Some((5.0, 6.0)), None));
        let Line::Saccade(known) = parse("ESACC L 10 20 11 1 2 5 6 .5 90 30 31") else { panic!() };
        assert_eq!(known.resolution, Some((30.0, 31.0)));
        assert_eq!(parse("ESACC L 10"), Line::Event);
    }

    #[test]
    fn a_place_with_a_dot_is_missing() {
        let Line::Fixation(fixation) = parse("EFIX R 10 20 11 . 300.0 5") else { panic!() };
        assert_eq!(fixation.place, None);
    }

    #[test]
    fn descriptions_say_eyes_and_rate() {
        let line = "SAMPLES\tGAZE\tLEFT\tRIGHT\tHTARGET\tRATE\t 500.00\tTRACKING\tCR\tFILTER\t2";
        let Line::Samples(config) = parse(line) else { panic!() };
        assert_eq!(config.rate_hz, Some(500.0));
        assert!(config.eyes.left && config.eyes.right);
        assert_eq!(config.coordinates, Coordinates::Gaze);
        assert!(matches!(
            parse("EVENTS HREF LEFT RATE 250.00"),
            Line::Events(Config { coordinates: Coordinates::Href, .. })
        ));
    }

    #[test]
    fn the_end_of_a_block_may_know_the_resolution() {
        let end = parse("END\t2000 \tSAMPLES\tEVENTS\tRES\t  30.10\t  31.20");
        assert_eq!(end, Line::End { resolution: Some((30.1, 31.2)) });
        assert_eq!(parse("END 2000 EVENTS RES . ."), Line::End { resolution: None });
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        assert_eq!(parse("EFIX L 10"), Line::Malformed);
        assert_eq!(parse("EFIX L 10 20 11 ?? 3"), Line::Malformed);
        assert_eq!(parse("EFIX L inf 20 11 2 3"), Line::Malformed);
        assert_eq!(parse("MSG no time"), Line::Malformed);
        assert_eq!(parse("12x 3 4"), Line::Malformed);
        assert_eq!(parse("WHAT 10"), Line::Unknown);
        assert_eq!(parse("   12 13 14"), Line::Indented);
        assert_eq!(parse("** DATE: today"), Line::Unneeded);
        assert_eq!(parse(""), Line::Unneeded);
    }
}
