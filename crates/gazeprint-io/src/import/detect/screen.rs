//! Pixels and degrees of visual angle.

use super::{DetectError, positive};

/// A screen and how far the eye is from it, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScreenParams {
    /// Width in pixels.
    pub width_px: f64,
    /// Height in pixels.
    pub height_px: f64,
    /// Width in millimetres.
    pub width_mm: f64,
    /// Height in millimetres.
    pub height_mm: f64,
    /// Distance of the eye in millimetres.
    pub distance_mm: f64,
}

/// How the unit of samples relates to degrees of visual angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Samples are in degrees.
    Degrees,
    /// One number of pixels for each degree, anywhere on the screen.
    Linear { x: f64, y: f64 },
    /// The eye is straight in front of the middle of the screen.
    Screen(ScreenParams),
}

impl Scale {
    /// For samples that are in degrees.
    pub const DEGREES: Self = Self(Kind::Degrees);

    /// A number of pixels for each degree, horizontally and vertically.
    pub fn pixels_per_degree(x: f64, y: f64) -> Result<Self, DetectError> {
        let x = positive("the pixels per degree", x)?;
        let y = positive("the pixels per degree", y)?;
        Ok(Self(Kind::Linear { x, y }))
    }

    /// A screen, with the eye in front of its middle.
    pub fn screen(screen: ScreenParams) -> Result<Self, DetectError> {
        positive("the width of the screen in pixels", screen.width_px)?;
        positive("the height of the screen in pixels", screen.height_px)?;
        positive("the width of the screen in millimetres", screen.width_mm)?;
        positive("the height of the screen in millimetres", screen.height_mm)?;
        positive("the distance of the screen in millimetres", screen.distance_mm)?;
        Ok(Self(Kind::Screen(screen)))
    }

    /// Degrees of a place in the unit of the samples.
    pub fn degrees(&self, x: f64, y: f64) -> (f64, f64) {
        match self.0 {
            Kind::Degrees => (x, y),
            Kind::Linear { x: per_x, y: per_y } => (x / per_x, y / per_y),
            Kind::Screen(screen) => {
                let angle = |at: f64, px: f64, mm: f64| {
                    ((at - px / 2.0) * mm / px).atan2(screen.distance_mm).to_degrees()
                };
                (
                    angle(x, screen.width_px, screen.width_mm),
                    angle(y, screen.height_px, screen.height_mm),
                )
            }
        }
    }

    /// Pixels of a place in degrees from straight ahead; `None` where the scale does not tell.
    ///
    /// Without a screen, straight ahead is pixel 0.
    pub fn pixels(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        match self.0 {
            Kind::Degrees => None,
            Kind::Linear { x: per_x, y: per_y } => Some((x * per_x, y * per_y)),
            Kind::Screen(screen) => {
                // What is not in front of the eye is on no screen.
                if x.abs() >= 90.0 || y.abs() >= 90.0 {
                    return None;
                }
                let place = |angle: f64, px: f64, mm: f64| {
                    angle.to_radians().tan() * screen.distance_mm * px / mm + px / 2.0
                };
                Some((
                    place(x, screen.width_px, screen.width_mm),
                    place(y, screen.height_px, screen.height_mm),
                ))
            }
        }
    }

    /// In words, for a report.
    pub fn describe(&self) -> String {
        match self.0 {
            Kind::Degrees => "samples are in degrees".to_owned(),
            Kind::Linear { x, y } if x == y => format!("{x} pixels per degree"),
            Kind::Linear { x, y } => format!("{x} by {y} pixels per degree"),
            Kind::Screen(screen) => format!(
                "a screen of {} by {} pixels and {} by {} mm, {} mm from the eye",
                screen.width_px,
                screen.height_px,
                screen.width_mm,
                screen.height_mm,
                screen.distance_mm
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: ScreenParams = ScreenParams {
        width_px: 1680.0,
        height_px: 1050.0,
        width_mm: 474.0,
        height_mm: 297.0,
        distance_mm: 550.0,
    };

    #[test]
    fn a_screen_turns_pixels_into_degrees_and_back() {
        let scale = Scale::screen(SCREEN).unwrap();
        let (x, y) = scale.degrees(1680.0, 525.0);
        // atan(237 / 550), by hand.
        assert!((x - 23.3125).abs() < 1e-3, "{x}");
        assert!(y.abs() < 1e-12);
        let (px, py) = scale.pixels(x, y).unwrap();
        assert!((px - 1680.0).abs() < 1e-9 && (py - 525.0).abs() < 1e-9);
        assert_eq!(scale.pixels(90.0, 0.0), None);
    }

    #[test]
    fn sizes_must_be_above_zero() {
        assert!(Scale::pixels_per_degree(0.0, 1.0).is_err());
        assert!(Scale::pixels_per_degree(30.0, f64::NAN).is_err());
        assert!(Scale::screen(ScreenParams { distance_mm: -1.0, ..SCREEN }).is_err());
    }
}
