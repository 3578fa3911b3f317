//! Voices: what a recording says of its reader, by what is in it (section 12 of the model).
//!
//! | voice | needs | is |
//! |---|---|---|
//! | reading | words | the method `population` |
//! | embedding | fixations | a frozen network ([`Network`](crate::network::Network)), sights of which are compared |
//! | oculomotor | kinematics | moments of saccades and fixations, compared likewise |
//!
//! The methods `embedding` and `oculomotor` are one voice alone; `fusion` adds up what all say.
//!
//! | file | has |
//! |---|---|
//! | `people` | what was learned once, and ships |
//! | `learn` | people, from corpora |
//! | `motion` | spreads of moments, from people who came twice |
//! | `community` | readers as galleries keep them |
//! | `ground` | what sights of some readers are compared on, and the readers |
//! | `scorer` | scores |
//! | `trials` | people as strangers to galleries of others |
//! | `weights` | how much each voice counts |
//! | `method` | the methods |

mod community;
mod ground;
mod learn;
mod method;
mod motion;
mod people;
mod scorer;
mod trials;
mod weights;

pub use self::community::{Community, Likeness};
pub use self::ground::{Ground, Signature};
pub use self::learn::LearnedCorpus;
pub use self::method::{VoiceMethod, embedding, fusion, oculomotor};
pub use self::motion::MotionSpread;
pub use self::people::{Admissions, LearnedEmbedding, People, PeopleError, PeopleOrigin};
pub use self::scorer::FusionScorer;
pub use self::weights::Weights;

use crate::kinds::kinds;

kinds! {
    /// What speaks of a reader.
    #[derive(serde::Serialize, serde::Deserialize)]
    pub enum Voice, one of each in ByVoice {
        /// How words are read.
        Reading,
        /// What the network makes of fixations.
        Embedding,
        /// How the eye moves.
        Oculomotor,
    }
}

impl Voice {
    /// The name used in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Embedding => "embedding",
            Self::Oculomotor => "oculomotor",
        }
    }
}
