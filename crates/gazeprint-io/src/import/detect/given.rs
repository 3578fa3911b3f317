//! The screen as a user describes it.

use super::{DetectError, Scale, ScreenParams};
use crate::import::setting::{Phrase, Setting, phrase};

/// Ways to say how pixels and degrees relate, for messages.
pub(crate) fn ways_to_scale() -> Phrase {
    phrase![
        Setting::PixelsPerDegree,
        " N, or all of ",
        Setting::ScreenPixels,
        " WIDTHxHEIGHT, ",
        Setting::ScreenSize,
        " WIDTHxHEIGHTcm and ",
        Setting::Distance,
        " Ncm"
    ]
}

/// What a user says about the screen. All may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Screen {
    /// Width and height in pixels.
    pub size_px: Option<(f64, f64)>,
    /// Width and height in millimetres.
    pub size_mm: Option<(f64, f64)>,
    /// Distance from the eye, in millimetres.
    pub distance_mm: Option<f64>,
    /// Pixels per degree, horizontally and vertically.
    pub px_per_degree: Option<(f64, f64)>,
}

impl Screen {
    /// Reads `1680x1050`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse_pixels(text: &str) -> Result<(f64, f64), String> {
        pair(text).ok_or_else(|| format!("found {text:?}, expected pixels such as 1680x1050"))
    }

    /// Reads `47.4x29.7cm` or `474x297mm`, into millimetres.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse_size(text: &str) -> Result<(f64, f64), String> {
        let read = || {
            let (number, factor) = length(text)?;
            pair(number).map(|(width, height)| (width * factor, height * factor))
        };
        read().ok_or_else(|| {
            format!("found {text:?}, expected a size with its unit, such as 47.4x29.7cm")
        })
    }

    /// Reads `55cm` or `550mm`, into millimetres.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse_distance(text: &str) -> Result<f64, String> {
        let read = || {
            let (number, factor) = length(text)?;
            positive(number).map(|distance| distance * factor)
        };
        read().ok_or_else(|| {
            format!("found {text:?}, expected a distance with its unit, such as 55cm")
        })
    }

    /// Reads `35`, or `35x36` where a degree has other pixels vertically.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse_px_per_degree(text: &str) -> Result<(f64, f64), String> {
        pair(text)
            .or_else(|| positive(text).map(|both| (both, both)))
            .ok_or_else(|| format!("found {text:?}, expected pixels per degree such as 35"))
    }

    /// How pixels and degrees relate; `None` where nothing is said about it.
    ///
    /// # Errors
    /// If it is said in two ways, or only in part.
    pub fn scale(&self) -> Result<Option<Scale>, DetectError> {
        let parts = [
            (Setting::ScreenPixels, self.size_px.is_some()),
            (Setting::ScreenSize, self.size_mm.is_some()),
            (Setting::Distance, self.distance_mm.is_some()),
        ];
        let is_any = parts.iter().any(|(_, is_given)| *is_given);
        if let Some((x, y)) = self.px_per_degree {
            return match self.size_mm.is_some() || self.distance_mm.is_some() {
                true => Err(DetectError::TwoScales),
                false => Scale::pixels_per_degree(x, y).map(Some),
            };
        }
        match (self.size_px, self.size_mm, self.distance_mm) {
            (Some((width_px, height_px)), Some((width_mm, height_mm)), Some(distance_mm)) => {
                Scale::screen(ScreenParams {
                    width_px,
                    height_px,
                    width_mm,
                    height_mm,
                    distance_mm,
                })
                .map(Some)
            }
            // Parts of the screen become pixels with its size alone.
            (Some(_), None, None) => Ok(None),
            _ if is_any => {
                let missing = parts.iter().filter(|part| !part.1).map(|part| part.0).collect();
                Err(DetectError::IncompleteScreen { missing })
            }
            _ => Ok(None),
        }
    }
}

fn positive(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)
}

fn pair(text: &str) -> Option<(f64, f64)> {
    let (first, second) = text.split_once(['x', 'X', '×'])?;
    Some((positive(first)?, positive(second)?))
}

/// The number of a length, and what makes millimetres of it.
fn length(text: &str) -> Option<(&str, f64)> {
    let text = text.trim();
    let unit = |end: &str, factor: f64| Some((text.strip_suffix(end)?, factor));
    unit("mm", 1.0).or_else(|| unit("cm", 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(Screen::parse_pixels("1680x1050"), Ok((1680.0, 1050.0)));
        assert_eq!(Screen::parse_size("474x297mm"), Ok((474.0, 297.0)));
        assert_eq!(Screen::parse_size("47.5x29.5 cm"), Ok((475.0, 295.0)));
        assert_eq!(Screen::parse_distance("55cm"), Ok(550.0));
        assert_eq!(Screen::parse_px_per_degree("35"), Ok((35.0, 35.0)));
        assert_eq!(Screen::parse_px_per_degree("35x36"), Ok((35.0, 36.0)));
        assert!(Screen::parse_size("474x297").unwrap_err().contains("with its unit"));
        for wrong in ["", "x", "0cm", "-5cm", "nancm", "cm", "5 5cm"] {
            assert!(Screen::parse_distance(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_screen_is_given_whole_and_once() {
        assert_eq!(Screen::default().scale(), Ok(None));
        let part = Screen { size_px: Some((1680.0, 1050.0)), ..Screen::default() };
        assert_eq!(part.scale(), Ok(None), "the size alone is for parts of the screen");
        let more = Screen { size_mm: Some((474.0, 297.0)), ..part };
        let error = more.scale().unwrap_err().to_string();
        assert!(error.contains("`distance_mm`"), "{error}");
        let whole = Screen { distance_mm: Some(550.0), ..more };
        assert!(whole.scale().unwrap().is_some());
        let twice = Screen { px_per_degree: Some((30.0, 30.0)), ..whole };
        assert_eq!(twice.scale(), Err(DetectError::TwoScales));
        let other = Screen { px_per_degree: Some((30.0, 30.0)), ..part };
        assert_eq!(other.scale(), Ok(Scale::pixels_per_degree(30.0, 30.0).ok()));
    }
}
