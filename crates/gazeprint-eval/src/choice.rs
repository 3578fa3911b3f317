//! Which methods a study compares.

use gazeprint::corpus::{Corpus, Fixation, Text};
use gazeprint::method;

use crate::protocol::Division;

/// Methods that compare with people learned elsewhere.
const VOICES: [&str; 3] = ["fusion", "embedding", "oculomotor"];
/// Methods that are compared where nobody says: ours, the paper's, and what they are held against.
const USUAL: [&str; 5] =
    ["fusion", "population", "semiparametric", "landwehr", "holland-unweighted"];
/// Random divisions, where nobody says.
pub const USUAL_SPLITS: usize = 3;
/// Random divisions of the paper.
pub const SPLITS_OF_THE_PAPER: usize = 10;

/// Methods by name, in the order of the paper's tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    names: Vec<&'static str>,
    /// Whether they were asked for one by one.
    one_by_one: bool,
}

impl Choice {
    /// Those asked for, in any case; `all` stands for every one, and where none is named, the usual ones are taken.
    ///
    /// # Errors
    /// The first name that is of none.
    pub fn of(asked: Option<&[String]>) -> Result<Self, String> {
        let Some(asked) = asked else {
            return Ok(Self { names: USUAL.to_vec(), one_by_one: false });
        };
        let known = |name: &&String| {
            name.eq_ignore_ascii_case("all")
                || method::NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        if let Some(unknown) = asked.iter().find(|name| !known(name)) {
            return Err(unknown.clone());
        }
        let is_asked = |name: &str| asked.iter().any(|m| m.eq_ignore_ascii_case(name));
        let is_all = is_asked("all");
        let names = method::NAMES.into_iter().filter(|name| is_all || is_asked(name)).collect();
        Ok(Self { names, one_by_one: !is_all })
    }

    /// These.
    pub fn exactly(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { names: names.into_iter().collect(), one_by_one: false }
    }

    /// Their names.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Those that are asked for one by one; of others, those that can do anything with a corpus.
    pub fn names_for(&self, corpus: &Corpus) -> Vec<&'static str> {
        let moves = |f: &Fixation| !f.kinematics.is_empty() || f.place.is_some();
        let has_motion = corpus.scanpaths().iter().any(|path| path.fixations.iter().any(moves));
        let has_words = corpus.texts().iter().any(Text::has_words);
        let works = |name: &&str| match *name {
            "oculomotor" => has_motion,
            "fusion" | "embedding" => true,
            _ => has_words,
        };
        self.names.iter().copied().filter(|name| self.one_by_one || works(name)).collect()
    }

    /// Whether any of them compares with people learned elsewhere, or knows days from them.
    pub fn needs_people(&self, division: &Division) -> bool {
        let days = matches!(division, Division::Session { .. });
        self.names.iter().any(|name| VOICES.contains(name) || days && *name == "population")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_come_in_their_order_and_all_is_every_one() {
        let asked = |names: &[&str]| {
            Choice::of(Some(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()))
        };
        let two = asked(&["Landwehr", "fusion"]).unwrap();
        assert_eq!(two.names(), ["fusion", "landwehr"]);
        assert_eq!(asked(&["all"]).unwrap().names(), method::NAMES);
        assert_eq!(asked(&["landwehr", "lanwehr"]), Err("lanwehr".to_owned()));
        assert_eq!(Choice::of(None).unwrap().names(), USUAL);
    }

    #[test]
    fn days_are_known_from_people() {
        let random = Division::Random { splits: 1, train_fraction: 0.5 };
        let population = Choice::exactly(["population"]);
        assert!(!population.needs_people(&random));
        assert!(population.needs_people(&Division::Session { train: 1 }));
        assert!(Choice::exactly(["fusion"]).needs_people(&random));
    }
}
