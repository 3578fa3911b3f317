//! Which readings train and which test, by the names that people give them.

/// What a reading is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Readers are learned from it.
    Train,
    /// Its reader is to be found.
    Test,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Train, Self::Test];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Test => "test",
        }
    }
}

/// In split number `split` this reading trains or tests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// Number of the split; files count from 1.
    pub split: u32,
    /// The reader's name.
    pub reader: String,
    /// The text's name.
    pub text: String,
    /// Recording session; `None` for any.
    pub session: Option<String>,
    /// Which of repeated readings; `None` for any.
    pub trial: Option<String>,
    /// What the reading is for.
    pub role: Role,
}

impl Assignment {
    /// Whether some reading of the text is meant by both.
    pub fn meets(&self, other: &Self) -> bool {
        let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        agree(&self.session, &other.session) && agree(&self.trial, &other.trial)
    }
}
