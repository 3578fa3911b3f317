//! The flags that settings of an import are given with.

use gazeprint_io::import::Setting;

/// The flag of a setting.
pub(super) fn of(setting: Setting) -> &'static str {
    match setting {
        Setting::Words => "--words",
        Setting::Text => "--text",
        Setting::Trials => "--trials",
        Setting::Format => "--format",
        Setting::Choice => "--map",
        Setting::FontWidth => "--font-width",
        Setting::Left => "--left",
        Setting::LineHeight => "--line-height",
        Setting::Top => "--top",
        Setting::Eye => "--eye",
        Setting::Rate => "--rate",
        Setting::Valid => "--valid",
        Setting::FromName => "--from-name",
        Setting::FromReader => "--from-reader",
        Setting::Patterns => "--trial-pattern",
        Setting::Detector => "--detector",
        Setting::ScreenPixels => "--screen-px",
        Setting::ScreenSize => "--screen-size",
        Setting::Distance => "--distance",
        Setting::PixelsPerDegree => "--px-per-degree",
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command};

    use super::*;
    use crate::import::Args;

    #[test]
    fn every_setting_has_a_flag_of_the_command() {
        let command = Args::augment_args(Command::new("import"));
        for &setting in Setting::ALL {
            let flag = of(setting).trim_start_matches('-');
            let is_it = |argument: &clap::Arg| argument.get_long() == Some(flag);
            assert!(command.get_arguments().any(is_it), "{flag}");
        }
    }
}
