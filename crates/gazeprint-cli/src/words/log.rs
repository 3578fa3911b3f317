//! The log of a gallery for people.

use gazeprint_recognition::Event;

use crate::inspect::{plural, visible};

/// A time as people write it, in UTC.
pub(crate) fn date(seconds: u64) -> String {
    // Days since 1970 to a date of the Gregorian calendar, by eras of 400 years from 1 March.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    let (hour, minute) = (seconds % 86_400 / 3_600, seconds % 3_600 / 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// An entry of the log for people.
pub(crate) fn words(event: &Event) -> String {
    let evidence = |llr: &f64, fixations: &usize, replay: &bool| {
        let fixations = plural(*fixations, "fixation");
        format!("llr {llr:+.2} from {fixations}{}", if *replay { ", a replay" } else { "" })
    };
    match event {
        Event::Created {} => "created".to_owned(),
        Event::Copied {} => "copied to another place".to_owned(),
        Event::Enrolled { reader, recordings } => {
            format!("enrolled {}: {}", visible(reader), plural(*recordings, "recording"))
        }
        Event::Removed { reader } => format!("removed {}", visible(reader)),
        Event::Identified { reader, llr, fixations, replay } => format!(
            "identified {}: {}",
            reader.as_deref().map_or_else(|| "nobody known".to_owned(), visible),
            evidence(llr, fixations, replay)
        ),
        Event::Verified { reader, accepted, llr, fixations, replay } => format!(
            "{} {}: {}",
            if *accepted { "accepted" } else { "rejected" },
            visible(reader),
            evidence(llr, fixations, replay)
        ),
        Event::Watched { reader, decision, llr, fixations } => {
            let (reader, decision) = (visible(reader), visible(decision));
            format!("watched {reader}: {decision}, {}", evidence(llr, fixations, &false))
        }
        Event::Relearned { readers } => format!("relearned from {}", plural(*readers, "reader")),
        Event::Merged { readers, galleries } => format!(
            "merged: {} from {}",
            plural(*readers, "reader"),
            match galleries {
                1 => "1 gallery".to_owned(),
                n => format!("{n} galleries"),
            }
        ),
        Event::Upgraded {} => "upgraded to another format".to_owned(),
        Event::Rekeyed { encrypted: true } => "encrypted anew".to_owned(),
        Event::Rekeyed { encrypted: false } => "decrypted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (1_709_251_199, "2024-02-29 23:59"),
            (1_798_761_540, "2026-12-31 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
