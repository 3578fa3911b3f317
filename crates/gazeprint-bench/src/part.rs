//! The parts: one entry each, in [`Part`].

use serde::Serialize;

use crate::draws::{self, DrawWorth};
use crate::engines::{self, EngineAgreement};
use crate::identify::{self, IdentificationTimes};
use crate::import::{self, ImportTimes};
use crate::kernels::{self, InstructionCounts, KernelTimes};
use crate::peer::{self, PeerTimes};
use crate::scaling::{self, Scaling};
use crate::scoring::{self, ScoringTimes};
use crate::search::{self, SearchTimes};
use crate::training::{self, TrainingTimes};
use crate::vault::{self, VaultTimes};
use crate::{BenchError, Suite};

/// The enum of parts with `ALL`, made from one list, so that none can be forgotten.
macro_rules! parts {
    ($($(#[$what:meta])* $variant:ident($value:ty),)+) => {
        /// A part of the suite. A new one is a variant and its entry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Part {
            $($(#[$what])* $variant,)+
        }

        impl Part {
            /// Every one, in the order in which they run.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
        }

        /// What was measured of a part.
        #[derive(Debug, Serialize)]
        #[serde(untagged)]
        pub enum Measured {
            $($(#[$what])* $variant($value),)+
        }
    };
}

parts! {
    /// Methods and engines.
    Training(TrainingTimes),
    /// Draws of engines.
    Draws(DrawWorth),
    /// Comparisons.
    Scoring(ScoringTimes),
    /// Search among very many.
    Search(SearchTimes),
    /// What cost grows with.
    Scaling(Scaling),
    /// Single loops, in time.
    Kernels(KernelTimes),
    /// Single loops, in instructions.
    Instructions(InstructionCounts),
    /// Reports of other software.
    Import(ImportTimes),
    /// Records of a gallery.
    Vault(VaultTimes),
    /// Galleries and probes.
    Identify(IdentificationTimes),
    /// Agreement of engines.
    Engines(EngineAgreement),
    /// Densities for other software.
    Peer(PeerTimes),
}

/// What is known of a part.
struct Entry {
    name: &'static str,
    /// What it measures, as a sentence without a full stop.
    measures: &'static str,
    /// Whether it runs where no part was named: it takes minutes at most, and needs nothing else.
    is_usual: bool,
    run: fn(&Suite<'_>) -> Result<Measured, BenchError>,
}

impl Part {
    fn entry(self) -> Entry {
        match self {
            Self::Training => Entry {
                name: "training",
                measures: "How long methods and engines take to learn readers",
                is_usual: true,
                run: |suite| training::measure(suite).map(Measured::Training),
            },
            Self::Draws => Entry {
                name: "draws",
                measures: "What the draws of engines are worth",
                is_usual: true,
                run: |suite| draws::measure(suite).map(Measured::Draws),
            },
            Self::Scoring => Entry {
                name: "scoring",
                measures: "How many readers a probe is compared with in a second",
                is_usual: true,
                run: |suite| scoring::measure(suite).map(Measured::Scoring),
            },
            Self::Search => Entry {
                name: "search",
                measures: "How long a search among very many readers takes, and what it finds",
                is_usual: true,
                run: |suite| search::measure(suite).map(Measured::Search),
            },
            Self::Scaling => Entry {
                name: "scaling",
                measures: "How cost grows with readers, fixations and threads",
                is_usual: true,
                run: |suite| scaling::measure(suite).map(Measured::Scaling),
            },
            Self::Kernels => Entry {
                name: "kernels",
                measures: "How long the loops take that cost the time, on one thread",
                is_usual: true,
                run: |_| kernels::measure().map(Measured::Kernels),
            },
            Self::Instructions => Entry {
                name: "instructions",
                measures: "How many instructions these loops take; needs valgrind",
                is_usual: false,
                run: |suite| kernels::count(suite).map(Measured::Instructions),
            },
            Self::Import => Entry {
                name: "import",
                measures: "How fast reports of fixations are read",
                is_usual: true,
                run: |_| import::measure().map(Measured::Import),
            },
            Self::Vault => Entry {
                name: "vault",
                measures: "How long the file of a gallery takes to be written and read",
                is_usual: true,
                run: |_| vault::measure().map(Measured::Vault),
            },
            Self::Identify => Entry {
                name: "identify",
                measures: "How long it takes to say who is reading, from opening the gallery on",
                is_usual: true,
                run: |suite| identify::measure(suite).map(Measured::Identify),
            },
            Self::Engines => Entry {
                name: "engines",
                measures: "How closely engines agree on densities; takes long",
                is_usual: false,
                run: |suite| engines::measure(suite).map(Measured::Engines),
            },
            Self::Peer => Entry {
                name: "peer",
                measures: "How long densities take that other software is compared on",
                is_usual: false,
                run: |suite| peer::measure(suite).map(Measured::Peer),
            },
        }
    }

    /// The name used in files and arguments.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it measures, as a sentence without a full stop.
    pub fn measures(self) -> &'static str {
        self.entry().measures
    }

    /// The part of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|part| part.name() == name)
    }

    /// Those that run where none was named.
    pub fn usual() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|part| part.entry().is_usual)
    }

    pub(crate) fn run(self, suite: &Suite<'_>) -> Result<Measured, BenchError> {
        (self.entry().run)(suite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_known_by_its_own_name() {
        for part in Part::ALL {
            assert_eq!(Part::named(part.name()), Some(*part));
            assert!(!part.measures().ends_with('.'));
        }
        assert_eq!(Part::named("speed"), None);
        assert!(Part::usual().all(|part| part != Part::Engines));
    }
}
