//! The columns of each table, and what a column with another name was meant to be.

use crate::files::Kind;

/// What columns are often called elsewhere. Only for hints: a column is never read under these
/// names, since `x` may be in pixels and `duration` in seconds.
const ALIASES: [(&str, &str); 11] = [
    ("dur", "duration_ms"),
    ("duration", "duration_ms"),
    ("end", "char_end"),
    ("fold", "split"),
    ("item", "text"),
    ("participant", "reader"),
    ("sentence", "text"),
    ("start", "char_start"),
    ("subject", "reader"),
    ("x", "x_char"),
    ("onset", "onset_ms"),
];

impl Kind {
    /// The columns that the table must have.
    fn required(self) -> &'static [&'static str] {
        match self {
            Self::Fixations => &["reader", "text", "x_char", "duration_ms"],
            Self::Words => &["text", "word_index", "char_start", "char_end"],
            Self::Trials => &["reader", "text"],
            Self::Splits => &["split", "reader", "text", "role"],
        }
    }

    /// The columns that the table may have.
    fn optional(self) -> &'static [&'static str] {
        match self {
            Self::Fixations => &[
                "line",
                "session",
                "trial",
                "fix_index",
                "onset_ms",
                "gap",
                "x_deg",
                "y_deg",
                "sac_dx_deg",
                "sac_dy_deg",
                "sac_duration_ms",
                "sac_peak_velocity",
                "sac_skew",
                "fix_sd_x_deg",
                "fix_sd_y_deg",
                "fix_drift_x",
                "fix_drift_y",
            ],
            Self::Words => &["line", "word"],
            Self::Trials => &["session", "trial", "trial_order", "group"],
            Self::Splits => &["session", "trial"],
        }
    }

    /// The columns of a header that mean nothing here, in lower case beside their own name.
    fn unknown(self, header: &[String]) -> Vec<(String, &str)> {
        header
            .iter()
            .map(|name| (name.to_ascii_lowercase(), name.as_str()))
            .filter(|(lower, _)| {
                let is = |known: &&str| *known == lower;
                !lower.is_empty()
                    && !self.required().iter().any(is)
                    && !self.optional().iter().any(is)
            })
            .collect()
    }

    /// Whether a column of this name is read.
    #[cfg(feature = "columnar")]
    pub(crate) fn knows(self, name: &str) -> bool {
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        self.required().iter().any(is) || self.optional().iter().any(is)
    }

    /// The required columns that a header lacks.
    pub(crate) fn lacking(self, header: &[String]) -> Vec<&'static str> {
        self.required()
            .iter()
            .filter(|name| !header.iter().any(|h| h.eq_ignore_ascii_case(name)))
            .copied()
            .collect()
    }

    /// What to do about required columns that a header lacks.
    pub(crate) fn remedy(self, header: &[String], lacking: &[&'static str]) -> String {
        let mut unknown = self.unknown(header);
        let (mut renamed, mut others) = (Vec::new(), Vec::new());
        for &wanted in lacking {
            match nearest(wanted, &unknown, 2) {
                Some(place) => {
                    let (_, name) = unknown.remove(place);
                    renamed.push(format!("{name} to {wanted}"));
                }
                None => others.push(wanted),
            }
        }
        let rename = format!(
            "rename {} if that is what {}",
            listed(&renamed),
            if renamed.len() == 1 { "it is" } else { "they are" }
        );
        let add = match others.as_slice() {
            [one] => format!("add {one}, or rename the column that holds it"),
            more => format!("add {}, or rename the columns that hold them", listed(more)),
        };
        match (renamed.is_empty(), others.is_empty()) {
            (false, true) => rename,
            (false, false) => format!("{rename}; {add}"),
            (true, _) => add,
        }
    }

    /// Columns that mean nothing, but look like an optional one that is not there: as found and as
    /// perhaps meant.
    pub(crate) fn misspelt(self, header: &[String]) -> Vec<(String, &'static str)> {
        let mut unknown = self.unknown(header);
        let mut found = Vec::new();
        for wanted in self.optional() {
            if header.iter().any(|name| name.eq_ignore_ascii_case(wanted)) {
                continue;
            }
            // Two letters make another word of a short one.
            let most = if wanted.len() < 8 { 1 } else { 2 };
            if let Some(place) = nearest(wanted, &unknown, most) {
                let (_, name) = unknown.remove(place);
                found.push((name.to_owned(), *wanted));
            }
        }
        found
    }
}

/// Names in a sentence: `a, b and c`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The place of the name that is most likely meant by `wanted`: another usual one, or else one that
/// is at most `most` letters off.
fn nearest(wanted: &str, names: &[(String, &str)], most: usize) -> Option<usize> {
    let is_alias = |(name, _): &(String, &str)| ALIASES.contains(&(name.as_str(), wanted));
    names.iter().position(is_alias).or_else(|| {
        (0..names.len())
            .filter(|&i| names[i].0.len() <= 2 * wanted.len())
            .map(|i| (edits(wanted, &names[i].0), i))
            .filter(|&(edits, _)| edits <= most)
            .min()
            .map(|(_, i)| i)
    })
}

/// Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
