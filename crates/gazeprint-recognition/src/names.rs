//! Names that can be used, and are shown as they are.

use crate::Error;
use crate::identify::UNKNOWN;

/// Most characters of a name.
const LONGEST: usize = 200;

/// Refuses a name that cannot be used, or would not be shown as it is.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let why = match () {
        () if name == UNKNOWN => return Err(Error::ReservedName { name: name.to_owned() }),
        () if name.chars().any(char::is_control) => "has control characters",
        () if name.chars().any(is_invisible) => {
            "has characters that cannot be seen, or turn the direction of writing"
        }
        () if name.chars().count() > LONGEST => "is too long",
        () => return Ok(()),
    };
    let name = name.chars().take(LONGEST).collect();
    Err(Error::OddName { name, why })
}

/// Whether a character is not seen where it is shown: marks of direction, of lines and of order, fillers, joiners,
/// selectors and spaces without width (what Unicode calls default ignorable, and the ends of lines and paragraphs). Two
/// names that differ in these alone look the same.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_others_are_refused() {
        for hidden in [
            "\u{ad}",
            "\u{34f}",
            "\u{115f}",
            "\u{1160}",
            "\u{3164}",
            "\u{ffa0}",
            "\u{202e}",
            "\u{e0100}",
        ] {
            let error = check_name(&format!("an{hidden}na")).unwrap_err();
            assert!(matches!(error, Error::OddName { .. }), "{error}");
        }
        for name in ["anna", "Žofie", "김철수", "日本 花子", "أحمد", "O'Neill-Müller 3"]
        {
            check_name(name).unwrap();
        }
    }
}
