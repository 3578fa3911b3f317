//! Corpora that ship with the program.

use gazeprint::corpus::Corpus;
use gazeprint::simulate::Simulation;
use serde::Serialize;

use crate::packed::unpack_corpus;

/// Made by `examples/pack_corpus.rs`; `corpora/provo` says from what, and under which licence.
const PROVO: &[u8] = include_bytes!("../corpora/provo/provo.packed");

/// A corpus that is always at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BuiltIn {
    /// 84 people who read 55 passages: the Provo corpus, without its words.
    #[default]
    Provo,
    /// 251 simulated readers of up to 144 sentences, always the same.
    Simulated,
}

/// Whose recordings a corpus is made of, and on which terms they may be passed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// What is to be cited.
    pub citation: &'static str,
    /// Where the original is.
    pub url: &'static str,
    /// Name of the licence.
    pub licence: &'static str,
    /// Where its text is.
    pub licence_url: &'static str,
    /// Its text.
    #[serde(skip)]
    pub licence_text: &'static str,
    /// How the corpus differs from the original.
    pub changes: &'static str,
}

impl BuiltIn {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Provo, Self::Simulated];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Provo => "provo",
            Self::Simulated => "simulated",
        }
    }

    /// The one that is called so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|corpus| corpus.name() == name)
    }

    /// The corpus itself.
    pub fn corpus(self) -> Corpus {
        match self {
            Self::Provo => {
                unpack_corpus(self.name(), PROVO).expect("what ships is a packed corpus")
            }
            Self::Simulated => Simulation::default().run(),
        }
    }

    /// Where recordings come from; nothing where nobody was recorded.
    pub fn origin(self) -> Option<Origin> {
        (self == Self::Provo).then_some(Origin {
            citation: "Luke, S. G., & Christianson, K. (2018). The Provo Corpus: A large \
                       eye-tracking corpus with predictability norms. Behavior Research Methods, \
                       50, 826-833.",
            url: "https://doi.org/10.3758/s13428-017-0908-4",
            licence: "Creative Commons Attribution 4.0 International (CC BY 4.0)",
            licence_url: "https://creativecommons.org/licenses/by/4.0/",
            licence_text: include_str!("../corpora/provo/LICENSE"),
            changes: "words were left out, and only their places kept; positions are on lines, in \
                      thousandths of a character, instead of in pixels; lines, durations and the \
                      order of trials were kept, and everything else was left out",
        })
    }
}
