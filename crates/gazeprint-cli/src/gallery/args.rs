//! Arguments of `gazeprint gallery`.

use std::path::PathBuf;

use clap::Subcommand;
use gazeprint_recognition::Secret;

use crate::opening::{Asking, GalleryArgs, secret};

/// Look at a gallery, copy it, lock it, remove readers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint gallery list --gallery staff.gallery
  gazeprint gallery show --gallery staff.gallery anna
  gazeprint gallery remove --gallery staff.gallery anna
  gazeprint gallery key secret.key
  # encrypt it
  gazeprint gallery rekey --gallery staff.gallery --new-key-file secret.key
  gazeprint gallery export --gallery postgres://localhost/lab --out copy.gallery
  gazeprint gallery import copy.gallery --gallery postgres://localhost/other
  gazeprint gallery merge part1.gallery part2.gallery --gallery staff.gallery
  gazeprint gallery check --gallery staff.gallery
  gazeprint gallery anchor --gallery staff.gallery > staff.anchor
  gazeprint gallery list --gallery staff.gallery --anchor \"$(cat staff.anchor)\"
  gazeprint gallery log --gallery staff.gallery

Exit codes: 0 done, 1 failed, 2 wrong usage, 6 locked, 7 damaged, 130 interrupted.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(super) action: Action,
}

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the readers
    List {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what is kept of a reader
    Show {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// The reader
        reader: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a reader, and overwrite the key of what was kept of them
    Remove {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// The reader
        reader: String,
    },
    /// Copy the gallery to a new file; what opens the gallery opens the copy, unless something new is
    /// given
    Export {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// File to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Leave out readers and log: a gallery for a shard, whose population and pseudonyms fit
        #[arg(long)]
        empty: bool,
        #[command(flatten)]
        new: NewSecret,
    },
    /// Copy a gallery file to a new place; what opens the file opens the copy, unless something new is
    /// given
    Import {
        /// File that `export` wrote
        file: PathBuf,
        #[command(flatten)]
        gallery: GalleryArgs,
        #[command(flatten)]
        new: NewSecret,
    },
    /// Make one gallery of several that were enrolled in shards; what opens these opens the new one,
    /// unless something new is given
    Merge {
        /// The shards: files, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "SHARD", required = true)]
        from: Vec<String>,
        #[command(flatten)]
        gallery: GalleryArgs,
        #[command(flatten)]
        new: NewSecret,
    },
    /// Seal everything anew, with another key, passphrase, or none
    Rekey {
        #[command(flatten)]
        gallery: GalleryArgs,
        #[command(flatten)]
        new: NewSecret,
        /// Keep it without encryption from now on
        #[arg(long, conflicts_with_all = ["new_key_file", "new_passphrase", "new_passphrase_file"])]
        decrypt: bool,
    },
    /// Learn the population anew from the enrolled readers, and every reader with it
    Relearn {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Learn the thresholds of decisions anew from the readers
    Calibrate {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// Keep rows to search by even of few readers [default: from 5,000 on]
        #[arg(long)]
        rows: bool,
    },
    /// Show what was done: enrolments, identifications, verifications, removals
    Log {
        #[command(flatten)]
        gallery: GalleryArgs,
        /// As JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Read everything, and check that it is whole
    Check {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Write the gallery anew, without the room of what was removed
    Compact {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Bring a gallery of an earlier version, which is only read, to the format of this one
    Upgrade {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Print how far the gallery has come: keep it elsewhere, and give it to `--anchor`
    Anchor {
        #[command(flatten)]
        gallery: GalleryArgs,
    },
    /// Make a key
    Key {
        /// File to write
        file: PathBuf,
    },
}

/// What is to open the gallery from now on.
#[derive(Debug, clap::Args)]
pub(super) struct NewSecret {
    /// File with the new key
    #[arg(long, value_name = "FILE", conflicts_with_all = ["new_passphrase", "new_passphrase_file"])]
    new_key_file: Option<PathBuf>,
    /// Ask for the new passphrase on the terminal
    #[arg(long, conflicts_with = "new_passphrase_file")]
    new_passphrase: bool,
    /// File with the new passphrase on its first line
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<PathBuf>,
}

impl NewSecret {
    pub(super) fn read(&self) -> anyhow::Result<Option<Secret>> {
        let files = (self.new_key_file.as_deref(), self.new_passphrase_file.as_deref());
        secret(files.0, self.new_passphrase, files.1, Asking::Twice)
    }
}
